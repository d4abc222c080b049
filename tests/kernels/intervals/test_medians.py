"""The exact interval for a median."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.intervals.mean_differences import interpolated_median_interval, median_interval
from betterthan.kernels.significance.rank_tests import sign_test


@given(st.integers(1, 300), st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]))
def test_the_shortest_symmetric_interval_that_covers(n, confidence):
    """Its coverage is what the binomial says, and one step inwards would be too little."""
    found = median_interval(np.arange(float(n))[None, :], confidence=confidence)
    tail = (1 - confidence) / 2
    if np.isinf(found.low[0]):
        assert stats.binom.cdf(0, n, 0.5) > tail
        return
    j = int(found.low[0])
    assert found.high[0] == n - 1 - j
    assert found.coverage[0] == pytest.approx(1 - 2 * stats.binom.cdf(j, n, 0.5))
    assert found.coverage[0] >= confidence - 1e-12
    assert stats.binom.cdf(j + 1, n, 0.5) > tail


@given(st.integers(0, 10**6))
def test_zero_lies_outside_exactly_when_the_sign_test_rejects(seed):
    """The interval is the test turned round."""
    gaps = np.random.default_rng(seed).normal(size=25) + 0.5
    found = median_interval(gaps[None, :], confidence=0.95)
    pvalue = sign_test(win_counts(np.array([gaps, 0 * gaps]))).pvalue[0, 1]

    assert (found.low[0] > 0 or found.high[0] < 0) == (pvalue <= 0.05)


def test_too_few_segments_know_nothing():
    """Five segments cannot give 95 %, and none gives no median."""
    values = np.array([[1.0, 2, 3, 4, 5, np.nan], [np.nan] * 6, [1.0, 2, 3, 4, 5, 6]])
    found = median_interval(values, confidence=0.95)

    assert found.median.tolist()[::2] == [3.0, 3.5]
    assert (found.low[0], found.high[0], found.coverage[0]) == (-np.inf, np.inf, 1.0)
    assert np.isnan([found.median[1], found.low[1], found.high[1], found.coverage[1]]).all()
    assert (found.low[2], found.high[2]) == (1.0, 6.0)


@pytest.mark.parametrize("n", [8, 12, 20, 51])
def test_the_interpolated_interval_covers_what_it_says(n):
    """Within a point, whatever the distribution; the exact one covers up to 99%."""
    rng = np.random.default_rng(n)
    for values, median in (
        (rng.normal(size=(20_000, n)), 0.0),
        (rng.exponential(size=(20_000, n)), np.log(2)),
    ):
        low, high = interpolated_median_interval(values, confidence=0.95)
        assert 0.94 < np.mean((low <= median) & (median <= high)) < 0.96


def test_too_few_segments_have_all_there_is():
    """From the least to the greatest."""
    low, high = interpolated_median_interval(np.array([[3.0, 1.0, 2.0]]), confidence=0.95)
    assert (low[0], high[0]) == (1, 3)
