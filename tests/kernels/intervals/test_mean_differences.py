"""Intervals of mean differences of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from tests.everyday import few

from betterthan.kernels.intervals.intervals import influence_interval
from betterthan.kernels.intervals.mean_differences import (
    is_two_valued,
    mean_difference_interval,
    pair_skewness,
)

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 4), st.integers(2, 12)),
    elements=st.integers(-6, 6).map(float) | st.just(np.nan),
)


@given(tables)
def test_intervals_turn_with_the_pair_and_hold_the_difference(goodness):
    """Row against column is column against row negated."""
    low, high = mean_difference_interval(goodness, confidence=0.95)

    np.testing.assert_allclose(low, -high.T)
    for a, own in enumerate(goodness):
        for b, other in enumerate(goodness):
            mean = np.nanmean(own - other) if (~np.isnan(own - other)).any() else np.nan
            assert np.isnan(low[a, b]) or low[a, b] - 1e-12 <= mean <= high[a, b] + 1e-12


def test_continuous_scores_have_the_interval_of_their_differences():
    """The products give what one pair at a time would."""
    rng = np.random.default_rng(0)
    goodness = rng.gamma(1.0, size=(5, 40)) + 1000 * rng.normal(size=40)
    low, high = mean_difference_interval(goodness, confidence=0.9)
    for a in range(5):
        gaps = (goodness[a] - np.delete(goodness, a, axis=0)).T
        ends = influence_interval(gaps.mean(axis=0), gaps, confidence=0.9)
        np.testing.assert_allclose(np.delete(low[a], a), ends[0], rtol=1e-8)
        np.testing.assert_allclose(np.delete(high[a], a), ends[1], rtol=1e-8)


def test_skewness_is_that_of_scipy_also_with_gaps_and_near_copies():
    """The corrected one, G₁."""
    rng = np.random.default_rng(1)
    goodness = rng.gamma(1.0, size=(4, 30))
    goodness[3] = goodness[2] + 1e-7 * rng.gamma(1.0, size=30)
    expected = [[stats.skew(a - b, bias=False) if a is not b else 0.0 for b in goodness] for a in goodness]
    np.testing.assert_allclose(pair_skewness(goodness), np.nan_to_num(expected), atol=1e-5)

    goodness[0, :3] = np.nan
    gap = stats.skew(goodness[0, 3:] - goodness[1, 3:], bias=False)
    assert pair_skewness(goodness)[0, 1] == pytest.approx(gap)


def test_identical_systems_are_not_certainly_equal():
    """Right and wrong on any scale, grades, and documents by segments: never 0 to 0."""
    rng = np.random.default_rng(2)
    right = (rng.random(50) < 0.7).astype(np.float64)
    low, high = mean_difference_interval(np.array([right, right]), confidence=0.95)
    assert high[0, 1] == -low[0, 1] == pytest.approx(0.0546532414415)
    for scale, shift in ((100.0, 0.0), (1.0, -1.0), (2.0, 3.0)):
        moved = mean_difference_interval(scale * np.array([right, right]) + shift, confidence=0.95)
        np.testing.assert_allclose(moved, scale * np.array([low, high]))

    grades = rng.integers(0, 5, size=50).astype(np.float64)
    low, high = mean_difference_interval(np.array([grades, grades, grades + 1]), confidence=0.95)
    assert (low[0, 1], high[0, 1]) == pytest.approx((-5 * 0.0546532414415, 5 * 0.0546532414415))
    assert low[2, 0] < 1 < high[2, 0]
    assert np.diag(low).tolist() == np.diag(high).tolist() == [0, 0, 0]


@pytest.mark.parametrize("share", few([0.5, 2 / 3, 0.9], 1))
def test_rare_changes_of_grades_are_covered(share):
    """One or two points on 6% of 50 segments; Student's interval covers 85% to 90% of uneven changes."""
    rng = np.random.default_rng(4)
    held = []
    for _ in range(1500):
        change = rng.choice([1.0, 2.0], size=50) * np.where(rng.random(50) < share, 1, -1)
        other = rng.integers(0, 5, size=50).astype(np.float64)
        low, high = mean_difference_interval(
            np.array([other + np.where(rng.random(50) < 0.06, change, 0.0), other]), confidence=0.95
        )
        held.append(low[0, 1] <= 0.06 * 1.5 * (2 * share - 1) <= high[0, 1])
    assert np.mean(held) > 0.95


def test_what_is_right_and_wrong():
    """Two values, but not two systems that never vary, nor a single segment."""
    assert is_two_valued(np.array([[0.0, 0.5, np.nan]]))
    assert is_two_valued(np.ones((2, 4)))
    assert is_two_valued(np.array([[0.0], [100.0]]))
    assert not is_two_valued(np.array([[0.3, 0.3], [0.1, 0.1]]))
    assert not is_two_valued(np.array([[0.0, 0.5, 1.0]]))
    assert not is_two_valued(np.full((2, 3), 0.4))
