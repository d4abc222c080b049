"""Sums over clusters of matches, by full tables and by sparse ones."""

import numpy as np
import pytest

from betterthan.kernels.comparisons import match_counts as designs
from betterthan.kernels.comparisons.match_counts import squares_of_clusters


def literal(value, left, right, cluster, covariates, n_systems):
    """The sum of s sᵀ, a cluster at a time."""
    width = n_systems + covariates.shape[1]
    squares = np.zeros((width, width))
    for number in np.unique(cluster):
        s = np.zeros(width)
        for row in np.flatnonzero(cluster == number):
            s[left[row]] += value[row]
            s[right[row]] -= value[row]
            s[n_systems:] += value[row] * covariates[row]
        squares += np.outer(s, s)
    return squares


@pytest.mark.parametrize("n_covariates", [0, 2])
@pytest.mark.parametrize("sparse", [True, False])
def test_both_ways_equal_a_loop_over_clusters(sparse, n_covariates, monkeypatch):
    """Small clusters are multiplied as sparse rows; the numbers are the same."""
    monkeypatch.setattr(designs, "_MANY_CLUSTERS", 0 if sparse else 10**9)
    monkeypatch.setattr(designs, "_SPARSE", 0)
    rng = np.random.default_rng(1)
    t, m = 60, 5
    left = rng.integers(0, m, t)
    right = (left + rng.integers(1, m, t)) % m
    value, cluster = rng.normal(size=t), rng.integers(0, 20, t) * 7
    covariates = rng.normal(size=(t, n_covariates))
    found = squares_of_clusters(value, left, right, cluster, covariates, n_systems=m)

    np.testing.assert_allclose(found, literal(value, left, right, cluster, covariates, m), atol=1e-12)
