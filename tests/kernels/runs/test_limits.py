"""Intervals and p-values over items and runs belong together, and have the right ends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student
from tests.kernels.runs.test_moments import moments_of

from betterthan.kernels.runs.limits import (
    RunVariance,
    joined_limits,
    joined_pvalue,
    pair_run_variance,
    run_variance,
)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_a_p_value_is_the_level_at_which_the_interval_reaches_zero(confidence):
    """On a grid of effects, errors and degrees of freedom."""
    rng = np.random.default_rng(1)
    effect, error, variance = rng.normal(size=200), rng.gamma(2, 0.2, 200), rng.gamma(1, 0.1, 200)
    runs = RunVariance(variance, rng.integers(1, 20, 200).astype(float))
    reach = -student.ppf((1 - confidence) / 2, 29) * error
    low, high = joined_limits(effect, effect - reach, effect + reach, runs, confidence=confidence)
    p = joined_pvalue(effect, error, 29.0, runs)
    assert np.array_equal(p <= 1 - confidence, (low > 0) | (high < 0))


def test_without_variance_of_runs_or_items_it_is_students_test():
    """Each with its own degrees of freedom."""
    effect = np.array([0.5, -1.0, 2.0])
    none = RunVariance(np.zeros(3), np.full(3, 4.0))
    only = RunVariance(np.full(3, 0.25), np.full(3, 4.0))
    items = joined_pvalue(effect, np.full(3, 0.5), 19.0, none)
    runs = joined_pvalue(effect, np.zeros(3), 19.0, only)
    assert np.allclose(items, 2 * student.sf(np.abs(effect) / 0.5, 19))
    assert np.allclose(runs, 2 * student.sf(np.abs(effect) / 0.5, 4), rtol=1e-9)


def test_tiny_p_values_are_bounds_and_no_zeros():
    """Below the smallest level all variance gets the fewer degrees of freedom."""
    runs = RunVariance(np.array([1e-6]), np.array([8.0]))
    p = joined_pvalue(np.array([50.0]), np.array([1e-3]), 99.0, runs)
    assert 0 < p[0] < 1e-12


def test_no_effect_and_no_variance():
    """P is 1 for no effect, and 0 only where nothing varies at all."""
    nothing = RunVariance(np.zeros(2), np.ones(2))
    assert joined_pvalue(np.array([0.0, 1.0]), np.zeros(2), 9.0, nothing).tolist() == [1.0, 0.0]


def test_a_pair_is_a_difference_of_weights():
    """The matrix of all pairs holds what weights of 1 and −1 give."""
    moments = moments_of(np.random.default_rng(2).normal(size=(3, 6, 4)))
    pairs = pair_run_variance(moments)
    for a, b in ((0, 1), (1, 2)):
        weights = np.eye(3)[[a]] - np.eye(3)[[b]]
        one = run_variance(moments, weights)
        assert one.variance[0] == pytest.approx(pairs.variance[a, b])
        assert one.degrees[0] == pytest.approx(pairs.degrees[a, b]) == pytest.approx(6)


def test_fixed_items_give_welchs_variance_of_run_means():
    """Only runs vary: the squared standard error of the difference of two means of run means."""
    table = np.random.default_rng(4).normal(size=(2, 6, 5))
    run_means = table.mean(axis=1)
    found = pair_run_variance(moments_of(table), fixed_items=True)
    assert found.variance[0, 1] == pytest.approx(run_means.var(axis=1, ddof=1).sum() / 5)
    assert found.degrees[0, 1] == pytest.approx(8)


def test_a_system_without_repeats_borrows_from_the_others():
    """Its share adds no degrees of freedom."""
    table = np.random.default_rng(6).normal(size=(2, 6, 3))
    table[1, :, 1:] = np.nan
    moments = moments_of(table)
    found = run_variance(moments, np.eye(2), fixed_items=True)
    assert found.variance[1] == pytest.approx(3 * found.variance[0])
    assert found.degrees.tolist() == pytest.approx([2, 2])
