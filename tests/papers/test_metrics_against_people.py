"""Two papers through the verb: ties in tau (Stanchev, Wang, Ney, WMT 2020), and soft pairwise accuracy (WMT 2024)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.made import scores_of

import betterthan as bt

VALUES_ONLY = {"significance": "none", "n_resamples": 1, "workers": 1}


def of_pairs(*, concordant=0, discordant=0, ties=0, double_ties=0, human_ties=0):
    """Two systems on as many segments as there are pairs, and a metric that ranks them in those ways."""
    kinds = [(1, 1)] * concordant + [(1, -1)] * discordant + [(1, 0)] * ties
    kinds += [(0, 0)] * double_ties + [(0, 1)] * human_ties
    human, metric = np.array(kinds, dtype=float).T
    zero = np.zeros(len(kinds))
    return scores_of(np.stack([metric, zero]), name="metric"), scores_of(
        np.stack([human, zero]), name="people"
    )


def value(tables, by, **options):
    """The metric's value."""
    metric, human = tables
    return bt.meta_evaluate([metric], human, by=by, **{**VALUES_ONLY, **options}).value[0]


# Stanchev, Wang and Ney (2020), section 3, in the words of the paper.
WORKED = [
    ("99 ties and 1 concordant pair", {"ties": 99, "concordant": 1}, "tau_ties_ignored", 1.0),
    ("70 concordant and 30 discordant", {"concordant": 70, "discordant": 30}, "tau_ties_ignored", 0.4),
    ("80 concordant and 20 ties", {"concordant": 80, "ties": 20}, "tau_ties_soft", 0.8),
    ("20 concordant and 80 ties", {"concordant": 20, "ties": 80}, "tau_ties_soft", 0.2),
]


@pytest.mark.parametrize(("what", "pairs", "by", "expected"), WORKED)
def test_worked_numbers_of_the_tau_paper(what, pairs, by, expected):
    """A81: each as printed."""
    assert value(of_pairs(**pairs), by) == pytest.approx(expected, abs=1e-12), what


def test_the_matrices_of_tables_4_and_5():
    """A77, A78: what each of the nine cells scores, on pairs of which 40 agree and 10 disagree."""
    pairs = {"concordant": 40, "discordant": 10, "ties": 20, "double_ties": 15, "human_ties": 5}
    tables = of_pairs(**pairs)
    assert value(tables, "tau_ties_ignored") == pytest.approx((40 - 10) / 50)
    assert value(tables, "tau_ties_soft") == pytest.approx((40 - 10) / 70)
    assert value(tables, "tau_ties_hard") == pytest.approx((40 - 10 - 20) / 70)
    assert value(tables, "tau_human_ties") == pytest.approx((40 - 10 + 15) / 90)


def test_table_5_is_symmetric_and_table_4c_is_not():
    """A79, A83: an error rate that is turned round has minus the tau, double ties apart, which agree both ways."""
    metric, human = of_pairs(concordant=40, discordant=10, ties=20, human_ties=5)
    turned = replace(metric, values=0.0 - metric.values)
    assert value((turned, human), "tau_human_ties") == pytest.approx(
        -value((metric, human), "tau_human_ties")
    )
    assert value((turned, human), "tau_ties_soft") == pytest.approx(-value((metric, human), "tau_ties_soft"))
    hard = [value((one, human), "tau_ties_hard") for one in (metric, turned)]
    assert hard[0] + hard[1] == pytest.approx(-2 * 20 / 70)


@pytest.mark.parametrize("by", ["tau_ties_ignored", "tau_ties_soft", "tau_ties_hard", "tau_human_ties"])
def test_an_error_rate_needs_no_mapping(by):
    """A79: its direction is data; 1 − E, −E and E that is better when lower say the same."""
    rng = np.random.default_rng(3)
    human = scores_of(rng.integers(0, 5, (4, 30)), name="people")
    errors = rng.integers(0, 5, (4, 30)).astype(float)
    forms = [
        scores_of(errors, name="E", higher_is_better=False),
        scores_of(-errors, name="-E"),
        scores_of(1 - errors, name="1-E"),
    ]
    assert len({value((one, human), by) for one in forms}) == 1


def test_all_metrics_are_scored_on_the_same_pairs_but_under_table_4a():
    """A83: a metric with ties is judged on fewer pairs there, which is the paper's complaint."""
    metric, human = of_pairs(concordant=1, ties=99)
    careful = scores_of(np.stack([np.r_[np.ones(70), -np.ones(30)], np.zeros(100)]), name="careful")
    ignored = bt.meta_evaluate([metric, careful], human, by="tau_ties_ignored", **VALUES_ONLY)
    soft = bt.meta_evaluate([metric, careful], human, by="tau_ties_soft", **VALUES_ONLY)
    assert ignored.metrics == ("metric", "careful")
    assert soft.metrics == ("careful", "metric")


def test_a_difference_of_exactly_25_is_no_tie():
    """E29: "less than 25" is removed."""
    human = scores_of([[75.0, 74.9, 50], [50.0, 50, 75]], name="people")
    metric = scores_of([[2.0, 1, 1], [1.0, 2, 2]], name="metric")
    found = bt.meta_evaluate([metric], human, by="tau_ties_hard", margin=25, **VALUES_ONLY)
    assert found.n_pairs == 2
    assert found.value[0] == 1
    assert found.notes == ("1 of 3 pairs with human scores closer than 25 do not count.",)


def campaign(seed, *, m=6, n=60, k=8):
    """People, and metrics of falling worth."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(m, n)) + 0.2 * rng.normal(size=(m, 1))
    noise = np.linspace(0.5, 4, k)[:, None, None] * rng.normal(size=(k, m, n))
    metrics = [scores_of(human + one, name=f"metric {i}") for i, one in enumerate(noise)]
    return metrics, scores_of(human, name="people")


@pytest.mark.parametrize("seed", range(4))
def test_rounded_pvalues_are_pairwise_accuracy(seed):
    """A45: equation 3 is equation 2; ½ is rounded up."""
    metrics, human = campaign(seed)
    soft = bt.meta_evaluate(metrics, human, p_values="analytic", **VALUES_ONLY)
    hard = bt.meta_evaluate(metrics, human, by="pairwise_accuracy", **VALUES_ONLY)
    upper = np.triu_indices(6, 1)
    expected = {}
    for i, name in enumerate(soft.metrics):
        people, metric = soft.human_pvalue[upper] >= 0.5, soft.metric_pvalue[i][upper] >= 0.5
        expected[name] = 1 - np.mean(people != metric)
    assert dict(zip(hard.metrics, hard.value.tolist(), strict=True)) == pytest.approx(expected, abs=1e-12)


def test_pairwise_accuracy_has_few_values():
    """A47: at most N (N − 1) / 2 + 1; soft pairwise accuracy has one a metric."""
    metrics, human = campaign(1, m=3, k=12)
    hard = bt.meta_evaluate(metrics, human, by="pairwise_accuracy", **VALUES_ONLY)
    soft = bt.meta_evaluate(metrics, human, p_values="analytic", **VALUES_ONLY)
    assert hard.n_distinct <= 4
    assert set((hard.value * 3).round(9)) <= {0.0, 1.0, 2.0, 3.0}
    assert soft.n_distinct == 12


def test_an_outlier_saturates():
    """A65: however bad a system is, it moves soft pairwise accuracy no further; Pearson's r runs off to 1."""
    metrics, human = campaign(2)

    def with_outlier(size, **options):
        sunk = [
            replace(one, values=np.where(np.arange(6)[:, None] == 0, one.values - size, one.values))
            for one in (*metrics, human)
        ]
        found = bt.meta_evaluate(sunk[:-1], sunk[-1], **VALUES_ONLY, **options)
        return dict(zip(found.metrics, found.value.tolist(), strict=True))

    soft = [with_outlier(size, p_values="analytic") for size in (30, 3000)]
    assert soft[0] == pytest.approx(soft[1], abs=1e-6)
    pearson = with_outlier(3000, by="pearson")
    assert min(pearson.values()) > 0.9999
    assert min(soft[1].values()) < 0.9


def test_metrics_are_clustered_greedily():
    """A57, E25: a metric opens a cluster when it differs from a member of the current one."""
    metrics, human = campaign(3, n=150)
    found = bt.meta_evaluate(metrics, human, by="pearson", level="segment", n_resamples=199, workers=1)
    better = found.comparisons.adjusted <= 0.05
    expected, first = [1], 0
    for b in range(1, len(found.metrics)):
        opens = bool(better[first:b, b].any())
        first = b if opens else first
        expected.append(expected[-1] + opens)
    assert found.cluster.tolist() == expected
    assert expected[-1] > 2
