"""Intervals from resamples and standard errors (scipy is asked among the oracles)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from scipy.special import ndtr
from tests.made import means_without_one

from betterthan.kernels.intervals.intervals import (
    bca_interval,
    expanded_percentile_interval,
    influence_interval,
    percentile_interval,
    simultaneous_confidence,
    t_interval,
)

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 3), st.integers(2, 8)),
    elements=st.integers(-40, 40).map(lambda k: k / 8) | st.just(np.nan),
)


def test_missing_segments_do_not_change_an_interval():
    """A NaN row of the jackknife is left out."""
    rng = np.random.default_rng(0)
    values = rng.exponential(size=20)
    resampled = rng.choice(values, size=(500, 20)).mean(axis=1)[:, None]
    whole = bca_interval(
        resampled, values.mean(keepdims=True), means_without_one(values[None]), confidence=0.9
    )
    gappy = np.insert(values, 3, np.nan)
    again = bca_interval(
        resampled, values.mean(keepdims=True), means_without_one(gappy[None]), confidence=0.9
    )

    np.testing.assert_allclose(again, whole, rtol=1e-12)


def test_bca_moves_towards_the_long_tail():
    """Skewed to the right: both ends lie above the percentile interval's."""
    rng = np.random.default_rng(0)
    values = np.exp(2 * rng.normal(size=40))
    resampled = rng.choice(values, size=(2000, 40)).mean(axis=1)[:, None]
    low, high = bca_interval(
        resampled, values.mean(keepdims=True), means_without_one(values[None]), confidence=0.9
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
    reach = stats.norm.ppf(0.975) * error
    normal_low, normal_high = one - reach, one + reach

    assert np.isnan(low[0])
    assert low[1] < normal_low[1] < normal_high[1] < high[1]
    assert low[2] == pytest.approx(normal_low[2], rel=1e-6)


PENALTIES = np.array([0, 0, -1, -5, 0, -1, 0, -25, 0, -5, -1, 0.0])
GROWING = np.array([1, 2, 3, 5, 8, 13, 21.0])


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [(PENALTIES, -11.969187256247, 1.357280162104), (GROWING, 0.905325379492, 20.320040976153)],
)
def test_the_interval_of_skewed_scores_is_the_outer_one_of_two(values, low, high):
    """Golden: Student's ends, and the roots of Hall's cubic found by R's uniroot."""
    found = influence_interval(values.mean(keepdims=True), values[:, None], confidence=0.95)

    assert [float(end[0]) for end in found] == pytest.approx([low, high], rel=1e-9)


@given(
    hnp.arrays(np.float64, st.integers(2, 30), elements=st.integers(-50, 50).map(float)),
    st.sampled_from([0.5, 0.9, 0.95, 0.999]),
)
def test_skewness_only_widens_and_turns_with_the_scores(values, confidence):
    """The estimate is inside, Student's interval too, and negated scores have the negated interval."""
    mean = values.mean(keepdims=True)
    low, high = influence_interval(mean, values[:, None], confidence=confidence)
    plain = influence_interval(mean, values[:, None], confidence=confidence, is_skewed=False)
    turned = influence_interval(-mean, -values[:, None], confidence=confidence)

    slack = 1e-12 * np.abs(values).max()
    assert low - slack <= plain[0] <= mean <= plain[1] <= high + slack
    np.testing.assert_allclose((-turned[1], -turned[0]), (low, high), atol=1e-9)


@pytest.mark.parametrize(("n", "least"), [(8, 0.94), (20, 0.945), (100, 0.94)])
def test_means_of_skewed_scores_are_covered(n, least):
    """Exponential scores; Student's interval alone covers 89% of sets of eight."""
    values = np.random.default_rng(5).exponential(size=(n, 20_000))
    low, high = influence_interval(values.mean(axis=0), values, confidence=0.95)

    assert least - 0.01 < np.mean((low <= 1) & (high >= 1)) < 0.97


def test_units_of_equal_shares_are_like_segments():
    """And of unequal ones, a large unit counts for less."""
    values = np.random.default_rng(2).exponential(size=(9, 3))
    values -= values.mean(axis=0)
    centre = np.zeros(3)
    plain = influence_interval(centre, values, confidence=0.9)
    equal = influence_interval(centre, values, confidence=0.9, shares=np.full(9, 1 / 9))
    np.testing.assert_allclose(equal, plain, rtol=1e-12)

    uneven = influence_interval(centre, values, confidence=0.9, shares=np.array([0.6, *[0.05] * 8]))
    assert (uneven[1] - uneven[0] > plain[1] - plain[0]).all()


def test_expanded_percentiles_of_a_mean_are_nearly_students_interval():
    """For normal scores, with many resamples."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=12)
    resampled = values[rng.integers(0, 12, size=(200_000, 12))].mean(axis=1)[:, None]
    low, high = expanded_percentile_interval(resampled, 12, 0.95)
    student = t_interval(
        values.mean(keepdims=True),
        values.std(ddof=1, keepdims=True) / 12**0.5,
        np.array([12]),
        confidence=0.95,
    )

    assert (high - low)[0] == pytest.approx((student[1] - student[0])[0], rel=0.06)
    assert np.isnan(expanded_percentile_interval(resampled, 1, 0.95)).all()


def test_intervals_of_all_pairs_cover_together():
    """Six independent systems need Tukey's range, and copies of one another no more than two systems."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(400, 6))
    tukey = 4.03 / 2**0.5  # range of six normal numbers, 95%
    found = simultaneous_confidence(values, 0.95, np.random.default_rng(0))
    assert found == pytest.approx(2 * ndtr(tukey) - 1, abs=0.0015)

    copies = np.repeat(values[:, :2], 3, axis=1)
    assert simultaneous_confidence(copies, 0.95, np.random.default_rng(0)) == pytest.approx(0.95, abs=0.005)
    assert simultaneous_confidence(values[:, :2], 0.95, np.random.default_rng(0)) == 0.95
