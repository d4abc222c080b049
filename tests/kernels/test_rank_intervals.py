"""Rank intervals from tests and from resamples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.kernels.paired import paired_t
from betterthan.kernels.pvalues import adjusted_pairs
from betterthan.kernels.rank_intervals import (
    resampled_rank_intervals,
    significantly_better,
    simultaneous_rank_intervals,
)


@given(st.integers(0, 10**6), st.integers(2, 7))
def test_observed_ranks_lie_inside(seed, m):
    """When nobody is significantly better than a system that leads it."""
    scores = np.random.default_rng(seed).normal(size=(m, 30)) + np.linspace(0, 1, m)[:, None]
    result = paired_t(scores)
    better = significantly_better(adjusted_pairs(result.pvalue), result.mean, alpha=0.05)
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
        better = significantly_better(adjusted_pairs(result.pvalue), result.mean, alpha=0.05)
        low, high = simultaneous_rank_intervals(better)
        covered += bool(((low <= first) & (last <= high)).all())
    assert covered / 2000 >= 0.94


@given(
    hnp.arrays(
        np.float64, st.tuples(st.integers(1, 40), st.integers(1, 5)), elements=st.integers(0, 3).map(float)
    ),
    st.sampled_from([0.5, 0.9, 0.95]),
)
def test_resampled_intervals_hold_their_share_of_resamples(resampled, confidence):
    """Ranks with the tie's first and last place, counted one by one."""
    low, high = resampled_rank_intervals(resampled, confidence=confidence)
    first = 1 + (resampled[:, None, :] > resampled[:, :, None]).sum(axis=2)
    last = (resampled[:, None, :] >= resampled[:, :, None]).sum(axis=2)
    tail = (1 - confidence) / 2

    assert (low <= high).all()
    assert ((first < low).mean(axis=0) <= tail + 1e-9).all()
    assert ((last > high).mean(axis=0) <= tail + 1e-9).all()


def test_resamples_without_an_answer_are_left_out():
    """And when none is left a rank can be anything."""
    resampled = np.array([[2.0, 1.0], [np.nan, 1.0]])
    assert resampled_rank_intervals(resampled, confidence=0.9)[1].tolist() == [1, 2]
    low, high = resampled_rank_intervals(resampled[1:], confidence=0.9)
    assert (low.tolist(), high.tolist()) == ([1, 1], [2, 2])
