"""The study of how WMT correlates metrics with people (Stanchev, Wang and Ney, WMT 2020): its worked numbers.

Each test names the passage it is about.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.kernels.agreement.tau_tables import (
    RULES,
    kept_by_margin,
    pair_table,
    tau,
)

counts = hnp.arrays(np.int64, (3, 3), elements=st.integers(0, 50))


def metric_of(concordant: int, ties: int = 0, discordant: int = 0):
    """Pairs of two systems, one a segment, of which the human always prefers the first."""
    gap = np.repeat([1.0, 0.0, -1.0], [concordant, ties, discordant])
    return np.stack([gap, np.zeros_like(gap)]), np.stack([np.ones_like(gap), np.zeros_like(gap)])


@pytest.mark.parametrize(
    ("pairs", "rule", "printed"),
    [
        ((1, 99), "tau_ties_ignored", 1.0),
        ((70, 0, 30), "tau_ties_ignored", 0.4),
        ((80, 20), "tau_ties_soft", 0.8),
        ((20, 80), "tau_ties_soft", 0.2),
    ],
)
def test_section_3_worked_numbers(pairs, rule, printed):
    """A81: as printed in section 3, from scores."""
    metric, human = metric_of(*pairs)
    assert tau(pair_table(metric, human), rule) == pytest.approx(printed, abs=1e-15)


def test_equation_1_is_signed():
    """E28: 30 concordant and 70 discordant pairs give −0.4; printed bars would make it 0.4."""
    for rule in RULES:
        assert tau(pair_table(*metric_of(30, 0, 70)), rule) == pytest.approx(-0.4, abs=1e-15)


def test_a_metric_that_ties_is_punished_more_from_table_to_table():
    """Section 3: 80 concordant pairs and 20 ties; hard penalisation takes the ties for discordant."""
    table = pair_table(*metric_of(80, 20))

    assert [float(tau(table, rule)) for rule in RULES] == pytest.approx([1.0, 0.8, 0.6, 0.8])


@given(counts)
def test_table_5_is_symmetric(table):
    """A83: an error rate has minus the tau of its negative, when double ties turn with it."""
    turned = table[:, ::-1]  # the metric's < and > change places
    of_error_rate = tau(turned, "tau_human_ties", double_ties=-1)

    np.testing.assert_array_equal(of_error_rate, -tau(table, "tau_human_ties", double_ties=1))
    for rule in ("tau_ties_ignored", "tau_ties_soft"):
        np.testing.assert_array_equal(tau(turned, rule), -tau(table, rule))


def test_table_4c_is_not_symmetric():
    """Section 3: a perfect metric with ties reaches 0.6, and its negative not −0.6 but −1."""
    metric, human = metric_of(80, 20)

    assert tau(pair_table(metric, human), "tau_ties_hard") == pytest.approx(0.6)
    assert tau(pair_table(-metric, human), "tau_ties_hard") == pytest.approx(-1)


def test_all_metrics_are_scored_on_the_same_pairs():
    """A83: only Table 4a lets ties of the metric shrink its denominator."""
    rng = np.random.default_rng(0)
    human = rng.integers(0, 100, (4, 50)).astype(float)
    fine, coarse = rng.normal(size=(4, 50)), rng.integers(0, 2, (4, 50)).astype(float)
    tables = [pair_table(metric, human, margin=25) for metric in (fine, coarse)]

    assert tables[0].sum() == tables[1].sum() == 4 * 3 // 2 * 50
    np.testing.assert_array_equal(tables[0].sum(axis=1), tables[1].sum(axis=1))
    assert tables[0][:, 1].sum() == 0 < tables[1][:, 1].sum()


def test_da_rr_with_ties():
    """A80: a gap below 25 is a tie, and so are identical translations far apart, as in Table 1."""
    human = np.array([[90.0], [40.0], [70.0]])
    metric = np.array([[0.5], [0.5], [0.7]])
    identical = np.zeros((1, 3, 3), dtype=bool)
    identical[0, 0, 1] = identical[0, 1, 0] = True

    without, aware = (pair_table(metric, human, margin=25, same_output=same) for same in (None, identical))
    # The pair of identical translations: a tie of the metric alone, then of both.
    assert (without[2, 1], without[1, 1]) == (1, 0)
    assert (aware[2, 1], aware[1, 1]) == (0, 1)
    assert tau(without, "tau_ties_hard") == 0.0  # one concordant, one tie taken for discordant
    assert tau(aware, "tau_human_ties") == pytest.approx(2 / 3)


def test_a_margin_on_the_metric_turns_its_small_gaps_into_ties():
    """A82: the threshold study for the metric; in the end all its pairs are ties."""
    rng = np.random.default_rng(1)
    metric, human = rng.normal(size=(2, 5, 30))
    ties = [pair_table(metric, human, metric_margin=margin)[:, 1].sum() for margin in (0, 0.1, 1, 100)]

    assert ties[0] == 0
    assert ties[-1] == 5 * 4 // 2 * 30
    assert ties == sorted(ties)


def test_fewer_pairs_are_kept_by_a_larger_margin():
    """Figure 1: margins of 1, 25 and 50 points; on uniform scores 98, 56 and 25 per cent, (1 − t/100)²."""
    rng = np.random.default_rng(2)
    margins = np.array([1.0, 25.0, 50.0])
    kept = kept_by_margin(100 * rng.random((10, 2000)), margins)

    np.testing.assert_allclose(kept.n_kept / kept.n_pairs, (1 - margins / 100) ** 2, atol=0.01)
