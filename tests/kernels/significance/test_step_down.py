"""The resampled maximum, stepping down."""

from __future__ import annotations

import numpy as np

from betterthan.kernels.significance.pvalues import adjusted, stepped_pvalues, successive_maxima


def test_counts_are_those_of_a_loop():
    """Each hypothesis against the maximum over itself and all less significant ones."""
    rng = np.random.default_rng(0)
    statistics, observed = np.abs(rng.normal(size=(7, 400))), np.abs(rng.normal(size=7)) * 2
    order = np.argsort(-observed)
    expected = np.zeros(7, dtype=int)
    for place, k in enumerate(order):
        rest = order[place:]
        expected[k] = np.count_nonzero(statistics[rest].max(axis=0) >= observed[k])
    np.testing.assert_array_equal(successive_maxima(statistics.copy(), observed), expected)


def test_independent_hypotheses_are_adjusted_about_as_holm_adjusts_them():
    """With so many resamples that Holm has no floor."""
    rng = np.random.default_rng(1)
    n = 20_000
    statistics, observed = np.abs(rng.normal(size=(5, n))), np.array([3.2, 2.6, 2.4, 1.0, 0.3])
    raw = ((statistics >= observed[:, None]).sum(axis=1) + 1) / (n + 1)
    stepped = stepped_pvalues(successive_maxima(statistics, observed), observed, n)
    np.testing.assert_allclose(stepped[:3], adjusted(raw, correction="holm")[:3], rtol=0.15)
    assert (np.diff(stepped[np.argsort(-observed)]) >= 0).all()


def test_a_thousand_hypotheses_can_be_significant_with_a_thousand_resamples():
    """Holm would need a p-value below 0.00005; the maximum does not."""
    rng = np.random.default_rng(2)
    statistics, observed = np.abs(rng.normal(size=(1000, 999))), np.full(1000, 8.0)
    assert stepped_pvalues(successive_maxima(statistics, observed), observed, 999).max() <= 0.001
