"""Effects of factors: differences of means, consistency with comparisons, and incomplete designs."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import drawn_runs, runs_of

import betterthan as bt
from betterthan.errors import TableError


def design(*sizes, seed=0, n=15, n_runs=3, without=()):
    """A full design of factors a, b, … with levels a0, a1, …; some combinations may be missing."""
    levels = [
        tuple(f"{'abc'[k]}{i}" for k, i in enumerate(place))
        for place in np.ndindex(*sizes)
        if place not in without
    ]
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(len(levels), n, n_runs)) + rng.normal(size=(1, n, 1))
    names = [" + ".join(row) for row in levels]
    return values, runs_of(values, systems=names, factors=tuple("abc"[: len(sizes)]), levels=levels)


def test_two_by_two_effects_are_differences_of_means():
    """Of the four cells, by hand."""
    values, runs = design(2, 2)
    cell = values.mean(axis=(1, 2)).reshape(2, 2)
    found = {(row.term, row.level): row.effect for row in bt.factors(runs)}
    assert found == pytest.approx(
        {
            ("a", "a0 − a1"): cell[0].mean() - cell[1].mean(),
            ("b", "b0 − b1"): cell[:, 0].mean() - cell[:, 1].mean(),
            ("a × b", "a0 − a1, b0 − b1"): cell[0, 0] - cell[1, 0] - cell[0, 1] + cell[1, 1],
        }
    )


def test_more_levels_are_compared_with_their_average():
    """Deviations sum to zero, and rebuild the cells."""
    values, runs = design(3, 2)
    cell = values.mean(axis=(1, 2)).reshape(3, 2)
    found = bt.factors(runs)
    a = [row.effect for row in found if row.term == "a"]
    both = [row.effect for row in found if row.term == "a × b"]
    assert sum(a) == pytest.approx(0)
    assert a == pytest.approx((cell.mean(axis=1) - cell.mean()).tolist())
    expected = cell - cell.mean(axis=1, keepdims=True) - cell.mean(axis=0) + cell.mean()
    assert both == pytest.approx(expected.ravel().tolist())


def test_a_single_factor_of_two_levels_is_the_comparison():
    """The same effect, interval and p-value as `compare` gives the two systems."""
    _, runs = design(2, n=25)
    (row,) = bt.factors(runs)
    pair = bt.compare(runs).pair("a0", "a1")
    assert (row.effect, row.low, row.high, row.pvalue) == pytest.approx(
        (pair.effect, pair.low, pair.high, pair.pvalue)
    )


def test_p_values_are_corrected_within_a_term():
    """By Holm over its effects; the p-value of a term is the smallest."""
    _, runs = design(3, 2)
    found = bt.factors(runs)
    ps = np.array([row.pvalue for row in found if row.term == "a"])
    order = np.argsort(ps)
    holm = np.minimum(1, np.maximum.accumulate(ps[order] * [3, 2, 1]))
    assert sorted(row.adjusted for row in found if row.term == "a") == pytest.approx(holm.tolist())
    assert found.pvalue_of("a") == pytest.approx(holm[0])


def test_incomplete_designs_have_main_effects_only():
    """Least squares on the cells that exist; too few of them are refused."""
    values, runs = design(2, 3, without={(1, 2)})
    found = bt.factors(runs)
    assert found.terms == ("a", "b")
    assert any("interactions were left out" in note for note in found.notes)
    cells = values.mean(axis=(1, 2))
    coded = np.array([[1, a == "a0", b == "b0", b == "b1"] for a, b in runs.levels], dtype=float)
    expected = np.linalg.lstsq(coded, cells, rcond=None)[0][1]
    assert found[0].effect == pytest.approx(expected)
    with pytest.raises(TableError, match="cannot be separated"):
        bt.factors(design(2, 2, without={(0, 1), (1, 0)})[1])


def test_systems_without_factors_are_refused():
    """With the option that names them."""
    with pytest.raises(TableError, match=r"Name the columns that make up a system with system="):
        bt.factors(runs_of(np.ones((2, 3, 2)).cumsum().reshape(2, 3, 2)))


def test_it_says_which_factor_matters():
    """In words above the table."""
    text = str(bt.factors(drawn_runs(80, 6)))
    assert "model: a significant effect" in text
    assert "The effect of model does not depend significantly on prompt" in text


def test_a_single_run_is_enough():
    """The intervals are then for other items."""
    _, runs = design(2, 2, n_runs=1)
    found = bt.factors(runs)
    assert np.isfinite(found.low).all()
    assert any("nothing is known of other runs" in note for note in found.notes)
