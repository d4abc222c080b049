"""Kernels of the audit: equal to statsmodels, scikit-learn's formulas and textbook cases."""

import numpy as np
import pytest
from scipy import stats

from betterthan.kernels.judges.audit import (
    adjusted_effect,
    both_orders,
    calibration_bins,
    clustered_correlation,
    clustered_mean,
    clustered_share,
    nominal_kappa,
    sign_pvalue,
)
from betterthan.kernels.judges.judge_pairs import cohen_kappa


def test_kappa_and_correlation_are_the_known_ones():
    """And their intervals cover zero for judges who guess."""
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 4, 80).astype(float), rng.integers(0, 4, 80).astype(float)
    found = nominal_kappa(x, y, np.arange(80), confidence=0.95)
    assert found.value == pytest.approx(cohen_kappa(x, y))
    assert found.low < 0 < found.high
    z = x + y
    found = clustered_correlation(x, z, np.arange(80), confidence=0.95)
    assert found.value == pytest.approx(np.corrcoef(x, z)[0, 1])
    assert found.low < found.value < found.high


def test_the_effect_is_that_of_least_squares_with_jackknife_errors():
    """Refitted without each cluster, the coefficients vary as the error says."""
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(12), rng.integers(1, 5, 12))
    n = cluster.size
    effect, other = rng.normal(size=n), rng.normal(size=(n, 2))
    outcome = 0.5 * effect + other @ [1.0, -2.0] + rng.normal(size=n)
    found = adjusted_effect(outcome, effect, other, cluster, confidence=0.95)
    columns = np.column_stack([np.ones(n), other, effect])
    whole = np.linalg.lstsq(columns, outcome, rcond=None)[0][-1]
    assert found.value == pytest.approx(whole)
    left = [
        np.linalg.lstsq(columns[cluster != g], outcome[cluster != g], rcond=None)[0][-1] for g in range(12)
    ]
    error = np.sqrt(11 / 12 * np.sum((np.array(left) - whole) ** 2))
    assert (found.high - found.low) / 2 == pytest.approx(stats.t.isf(0.025, 11) * error)
    assert np.isnan(adjusted_effect(outcome, other[:, 0], other, cluster, confidence=0.95).value)


def test_means_and_shares():
    """Student's and Wilson's for single units; copies in a cluster say nothing new."""
    values = np.array([1.0, 2.0, 4.0, 7.0, 3.0])
    found = clustered_mean(values, np.arange(5), confidence=0.95)
    assert (found.low, found.high) == pytest.approx(
        stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    )
    assert found.pvalue == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    twice = clustered_mean(np.repeat(values, 2), np.repeat(np.arange(5), 2), confidence=0.95)
    assert (twice.low, twice.high) == pytest.approx((found.low, found.high))
    hits = (np.arange(40) % 4 > 0).astype(float)
    known = stats.binomtest(30, 40).proportion_ci(method="wilson")
    found = clustered_share(hits, np.arange(40), confidence=0.95)
    assert (found.low, found.high) == pytest.approx((known.low, known.high))
    assert sign_pvalue(9, 2) == pytest.approx(stats.binomtest(9, 11).pvalue)


def test_both_orders_of_a_question():
    """The same winner, twice left, twice right, and a tie in one order; single orders and repeats do not count."""
    question = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 5])
    left = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0])
    outcome = np.array([1, 0, 1, 1, 0, 0, 0.5, 1, 1, 0.5, 0.5, 1])
    found = both_orders(question, left, 1 - left, outcome, n_systems=2)
    assert found.question.tolist() == [0, 1, 2, 3, 5]
    assert found.kind.tolist() == [0, 1, 2, 3, 0]


def test_bins_of_calibration():
    """Few values are bins of their own; many are ten equal parts."""
    rng = np.random.default_rng(3)
    judge = rng.normal(size=205)
    bins = calibration_bins(judge, judge + rng.normal(size=205), confidence=0.95, is_binary=False)
    assert len(bins) == 10
    assert sum(each.n for each in bins) == 205
    assert max(each.n for each in bins) - min(each.n for each in bins) <= 1
    assert [each.judge for each in bins] == sorted(each.judge for each in bins)
    few = calibration_bins(np.array([1.0, 5, 5]), np.array([0.0, 1, 1]), confidence=0.95, is_binary=True)
    assert [(each.judge, each.human, each.n) for each in few] == [(1.0, 0.0, 1), (5.0, 1.0, 2)]
