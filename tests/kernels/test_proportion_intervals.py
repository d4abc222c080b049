"""Intervals for a share: edges and coverage (scipy is asked among the oracles)."""

import numpy as np
import pytest
from scipy import stats

from betterthan.kernels.proportion_intervals import clopper_pearson_interval, wilson_interval


@pytest.mark.parametrize("interval", [wilson_interval, clopper_pearson_interval])
def test_none_and_all_reach_the_ends_exactly(interval):
    """And nothing counted is nothing known."""
    low, high = interval(np.array([0.0, 7.0, 0.0]), np.array([7.0, 7.0, 0.0]), confidence=0.95)

    assert low[0] == 0
    assert high[1] == 1
    assert np.isnan(low[2])
    assert np.isnan(high[2])


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5])
def test_clopper_pearson_covers_at_least_what_it_says(share):
    """By summing the binomial probabilities of the samples whose interval holds the truth."""
    k = np.arange(31.0)
    low, high = clopper_pearson_interval(k, np.full(31, 30.0), confidence=0.9)
    held = (low <= share) & (share <= high)

    assert stats.binom.pmf(k, 30, share)[held].sum() >= 0.9
