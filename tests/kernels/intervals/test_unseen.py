"""The interval that allows for unseen losses: equal where nothing is skewed, wider on the side of the tail only."""

import numpy as np
import pytest

from betterthan.kernels.intervals.mean_differences import mean_difference_interval
from betterthan.kernels.intervals.proportions import interval_with_unseen


def of_compare(values):
    """The interval of the mean difference from a system of zeros."""
    low, high = mean_difference_interval(np.stack([values, np.zeros_like(values)]), confidence=0.95)
    return low[0, 1], high[0, 1]


@pytest.mark.parametrize("n", [20, 100, 1000])
def test_symmetric_values_have_the_interval_of_compare(n):
    """To rounding."""
    values = np.random.default_rng(n).normal(size=n)
    assert interval_with_unseen(values, confidence=0.95) == pytest.approx(of_compare(values))


@pytest.mark.parametrize("n", [20, 100, 1000])
def test_skewed_values_are_wider_on_the_side_of_the_tail(n):
    """And mirrored where the tail is on the other side."""
    values = -np.random.default_rng(n).exponential(size=n)
    low, high = interval_with_unseen(values, confidence=0.95)
    known = of_compare(values)
    assert low < known[0]
    assert high == pytest.approx(known[1])
    assert interval_with_unseen(-values, confidence=0.95) == pytest.approx((-high, -low))


def test_one_value_more_by_hand():
    """Of up to twenty values the imagined one counts in full."""
    values = np.array([0.0] * 12 + [1.0] * 6 + [-7.0, -8.0])
    low, _ = interval_with_unseen(values, confidence=0.95)
    farthest = values.min()
    assert low == pytest.approx(of_compare(np.append(values, farthest))[0])


def test_two_values_are_too_few():
    """NaN on both sides."""
    assert np.isnan(interval_with_unseen(np.array([1.0, 2.0]), confidence=0.95)).all()
