"""Rank intervals from tests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.kernels.display.ranks import simultaneous_rank_intervals
from betterthan.kernels.significance.paired import paired_t
from betterthan.kernels.significance.pvalues import adjusted_pairs


@given(st.integers(0, 10**6), st.integers(2, 7))
def test_observed_ranks_lie_inside(seed, m):
    """When nobody is significantly better than a system that leads it."""
    scores = np.random.default_rng(seed).normal(size=(m, 30)) + np.linspace(0, 1, m)[:, None]
    result = paired_t(scores)
    better = (adjusted_pairs(result.pvalue) <= 0.05) & (result.mean > 0)
    low, high = simultaneous_rank_intervals(better)
    rank = 1 + (scores.mean(axis=1)[None, :] > scores.mean(axis=1)[:, None]).sum(axis=1)

    assert (low <= rank).all()
    assert (rank <= high).all()
    assert not (better & better.T).any()


def test_no_claim_leaves_every_rank_open_and_all_claims_none():
    """The two ends."""
    low, high = simultaneous_rank_intervals(np.zeros((4, 4), dtype=bool))
    assert (low.tolist(), high.tolist()) == ([1] * 4, [4] * 4)
    low, high = simultaneous_rank_intervals(np.triu(np.ones((4, 4), dtype=bool), 1))
    assert low.tolist() == high.tolist() == [1, 2, 3, 4]


@pytest.mark.slow
def test_simultaneous_intervals_cover_all_ranks_at_once():
    """Five systems, two pairs of equals: in at least 95 % of samples every set of true ranks meets its interval."""
    rng = np.random.default_rng(0)
    strength = np.array([0.0, 0.0, 0.3, 0.3, 0.6])
    first = 1 + (strength[None, :] > strength[:, None]).sum(axis=1)
    last = (strength[None, :] >= strength[:, None]).sum(axis=1)
    covered = 0
    for _ in range(2000):
        result = paired_t(rng.normal(size=(5, 60)) + strength[:, None])
        better = (adjusted_pairs(result.pvalue) <= 0.05) & (result.mean > 0)
        low, high = simultaneous_rank_intervals(better)
        covered += bool(((low <= first) & (last <= high)).all())
    assert covered / 2000 >= 0.94
