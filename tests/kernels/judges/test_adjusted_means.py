"""Means over segments that not every system was judged on."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from betterthan.kernels.judges.adjusted_means import adjusted_means, available_means


def patchy(seed, *, m=4, n=12, share=0.4):
    """Scores with gaps; every system keeps a shared segment, so that all can be compared."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(m, n)) + rng.normal(size=n) * 3 + np.arange(m)[:, None]
    values[rng.random((m, n)) < share] = np.nan
    values[:, 0] = rng.normal(size=m)
    return values


@given(st.integers(0, 10_000), st.booleans())
def test_adjusted_means_are_those_of_least_squares_with_dummies(seed, grouped):
    """statsmodels: a dummy a system and a segment; every difference of two means. Their errors: test_clustered.py."""
    values = patchy(seed)
    m, n = values.shape
    unit = np.arange(n) // 3 if grouped else np.arange(n)
    found = adjusted_means(values, unit)
    system, segment = np.nonzero(~np.isnan(values))
    design = np.zeros((system.size, m + n))
    design[np.arange(system.size), system] = 1
    design[np.arange(system.size), m + segment] = 1
    used = np.unique(segment)
    design = design[:, [*range(1, m), *(m + used)]]  # the first system is the base
    fitted = sm.OLS(values[system, segment], design).fit()
    theta = np.concatenate([[0.0], fitted.params[: m - 1]])
    np.testing.assert_allclose(found.mean - found.mean[0], theta, atol=1e-8)
    level = fitted.params[m - 1 :].mean()
    np.testing.assert_allclose(found.mean, theta + level, atol=1e-8)
    assert found.n_units == np.unique(unit[used]).size


@given(st.integers(0, 10_000))
def test_without_gaps_these_are_plain_means_with_plain_errors(seed):
    """Mean, and the covariance of means of paired scores."""
    values = patchy(seed, share=0)
    for estimate in (adjusted_means, available_means):
        found = estimate(values, np.arange(12))
        np.testing.assert_allclose(found.mean, values.mean(axis=1))
        np.testing.assert_allclose(found.covariance, np.cov(values) / 12, atol=1e-12)


@given(st.integers(0, 10_000))
def test_available_means_have_the_errors_of_their_own_segments(seed):
    """By a loop: the textbook's variance of the mean of what is there."""
    values = patchy(seed)
    found = available_means(values, np.arange(12))
    for row, mean, variance in zip(values, found.mean, np.diagonal(found.covariance), strict=True):
        own = row[~np.isnan(row)]
        assert mean == pytest.approx(own.mean())
        assert variance == pytest.approx(own.var(ddof=1) / own.size) or own.size == 1


@given(st.integers(0, 10_000), st.permutations(range(4)))
def test_renaming_and_reordering(seed, order):
    """Systems permute the answer, segments do not matter, empty segments count for nothing."""
    values = patchy(seed)
    plain = adjusted_means(values, np.arange(12))
    turned = np.hstack([values[list(order)][:, ::-1], np.full((4, 2), np.nan)])
    found = adjusted_means(turned, np.arange(14))
    np.testing.assert_allclose(found.mean, plain.mean[list(order)])
    np.testing.assert_allclose(found.covariance, plain.covariance[np.ix_(order, order)], atol=1e-12)


def test_a_system_is_not_blamed_for_difficult_segments():
    """A hundred campaigns: the better of two systems was judged on the harder half."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(100):
        hardness = np.sort(rng.normal(size=60) * 5)
        values = hardness + np.array([[0.0], [1.0]]) + 0.5 * rng.normal(size=(2, 60))
        values[0, :20] = np.nan
        values[1, 40:] = np.nan
        assert available_means(values, np.arange(60)).mean.argmax() == 0
        wrong += adjusted_means(values, np.arange(60)).mean.argmax() == 0
    assert wrong == 0


def test_systems_that_share_nothing_have_no_adjusted_means():
    """Undefined is NaN; plain means are still there."""
    islands = np.array([[1.0, 2.0, np.nan, np.nan], [np.nan, np.nan, 5.0, 6.0]])
    assert np.isnan(adjusted_means(islands, np.arange(4)).mean).all()
    np.testing.assert_allclose(available_means(islands, np.arange(4)).mean, [1.5, 5.5])
    empty = np.full((2, 3), np.nan)
    for estimate in (adjusted_means, available_means):
        assert np.isnan(estimate(empty, np.arange(3)).mean).all()


@pytest.mark.slow
def test_intervals_of_differences_cover():
    """At 95 %, over 1000 patchy campaigns of 80 segments: between 93 and 97 times of a hundred."""
    rng = np.random.default_rng(7)
    inside = 0
    for _ in range(1000):
        values = rng.normal(size=(3, 80)) * 2 + rng.normal(size=80) * 3 + np.array([[0.0], [0.5], [1.0]])
        values[rng.random(values.shape) < 0.4] = np.nan
        found = adjusted_means(values, np.arange(80))
        gap = found.mean[2] - found.mean[0]
        error = np.sqrt(found.covariance[0, 0] + found.covariance[2, 2] - 2 * found.covariance[0, 2])
        inside += abs(gap - 1) < 1.99 * error
    assert 930 <= inside <= 970
