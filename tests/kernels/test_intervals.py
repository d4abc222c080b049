"""Intervals from resamples and standard errors (scipy is asked among the oracles)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.kernels.intervals import (
    bca_interval,
    jackknife_means,
    normal_interval,
    percentile_interval,
    t_interval,
)

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 3), st.integers(2, 8)),
    elements=st.integers(-40, 40).map(lambda k: k / 8) | st.just(np.nan),
)


@given(tables)
def test_the_jackknife_leaves_out_one_at_a_time(values):
    """The closed form against taking segments away."""
    found = jackknife_means(values)
    for (j, row), ours in np.ndenumerate(found):
        rest = np.delete(values[row], j)
        rest = rest[~np.isnan(rest)]
        if np.isnan(values[row, j]) or rest.size == 0:
            assert np.isnan(ours)
        else:
            assert ours == pytest.approx(rest.mean(), abs=1e-12)


def test_missing_segments_do_not_change_an_interval():
    """A NaN row of the jackknife is left out."""
    rng = np.random.default_rng(0)
    values = rng.exponential(size=20)
    resampled = rng.choice(values, size=(500, 20)).mean(axis=1)[:, None]
    whole = bca_interval(resampled, values.mean(keepdims=True), jackknife_means(values[None]), confidence=0.9)
    gappy = np.insert(values, 3, np.nan)
    again = bca_interval(resampled, values.mean(keepdims=True), jackknife_means(gappy[None]), confidence=0.9)

    np.testing.assert_allclose(again, whole, rtol=1e-12)


def test_bca_moves_towards_the_long_tail():
    """Skewed to the right: both ends lie above the percentile interval's."""
    rng = np.random.default_rng(0)
    values = np.exp(2 * rng.normal(size=40))
    resampled = rng.choice(values, size=(2000, 40)).mean(axis=1)[:, None]
    low, high = bca_interval(
        resampled, values.mean(keepdims=True), jackknife_means(values[None]), confidence=0.9
    )
    plain_low, plain_high = percentile_interval(resampled, 0.9)

    assert low[0] > plain_low[0]
    assert high[0] > plain_high[0]


def test_no_spread_is_a_point_and_an_impossible_estimate_no_interval():
    """Constant data, and an estimate outside all resamples."""
    flat = np.full((10, 1), 3.0)
    low, high = bca_interval(flat, np.array([3.0]), flat, confidence=0.95)
    assert (low[0], high[0]) == (3.0, 3.0)
    low, high = bca_interval(flat, np.array([4.0]), flat, confidence=0.95)
    assert np.isnan(low[0])
    assert np.isnan(high[0])


def test_a_t_interval_is_wider_than_a_normal_one_and_needs_two_segments():
    """And they meet for large n."""
    one, error = np.array([1.0, 1.0, 1.0]), np.array([0.5, 0.5, 0.5])
    low, high = t_interval(one, error, np.array([1, 5, 10**8]), confidence=0.95)
    normal_low, normal_high = normal_interval(one, error, confidence=0.95)

    assert np.isnan(low[0])
    assert low[1] < normal_low[1] < normal_high[1] < high[1]
    assert low[2] == pytest.approx(normal_low[2], rel=1e-6)
