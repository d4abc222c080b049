"""The pull of segments on strengths of wins."""

from __future__ import annotations

import numpy as np
import pytest

from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.strengths import log_strength_influence, segment_win_rates
from betterthan.kernels.comparisons.wins import win_counts, with_ties


@pytest.mark.parametrize("ties", ["drop", "half", "as_published"])
@pytest.mark.parametrize("prior", [0.0, 0.5])
def test_the_influence_is_the_slope_of_the_fit(ties, prior):
    """Weights of segments moved by a little, and the model fitted anew."""
    goodness = np.random.default_rng(0).integers(0, 4, size=(4, 25)).astype(np.float64)

    def fit(weights):
        counts = win_counts(goodness, weights=weights)
        return bradley_terry(with_ties(counts.wins, counts.ties, ties), prior=prior).log_strength

    ones = np.ones(25)
    pull = log_strength_influence(goodness, fit(ones), ties=ties, prior=prior)
    for segment in (0, 7, 24):
        step = 1e-4 * (np.arange(25) == segment)
        slope = 25 * (fit(ones + step) - fit(ones - step)) / 2e-4
        np.testing.assert_allclose(pull[segment], slope, atol=1e-6)


def test_win_rates_of_segments_average_to_the_win_rate():
    """Ties half."""
    goodness = np.random.default_rng(1).integers(0, 3, size=(5, 40)).astype(np.float64)
    counts = win_counts(goodness)
    expected = (counts.wins + counts.ties / 2).sum(axis=1) / (4 * 40)
    np.testing.assert_allclose(segment_win_rates(goodness).mean(axis=0), expected)
