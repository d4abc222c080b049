"""Fuzzy ranks against a literal loop and numbers worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.errors import TableError
from betterthan.kernels.display.ranks import fuzzy_ranks


def literal(rank, different):
    """The mean over neighbors, one member at a time."""
    found = []
    for a in range(len(rank)):
        neighbours = [
            rank[b]
            for b in range(len(rank))
            if not np.isnan(rank[b]) and (a == b or not (different[a][b] or different[b][a]))
        ]
        found.append(np.nan if np.isnan(rank[a]) else sum(neighbours) / len(neighbours))
    return found


def test_by_hand():
    """Worked by hand: 1 and 2 alike, 2 and 3 alike, 4 alone: means of {1, 2}, {1, 2, 3}, {2, 3}, {4}."""
    different = np.ones((4, 4), dtype=bool)
    different[[0, 1, 1, 2], [1, 0, 2, 1]] = False
    np.testing.assert_array_equal(fuzzy_ranks(np.array([1, 2, 3, 4]), different), [1.5, 2.0, 2.5, 4.0])


@given(st.integers(0, 10_000), st.integers(1, 8))
def test_against_the_loop(seed, k):
    """Any ranks, some missing, any differences, even if said in one direction only."""
    rng = np.random.default_rng(seed)
    rank = np.where(rng.random(k) < 0.2, np.nan, rng.integers(1, k + 1, size=k))
    different = rng.random((k, k)) < 0.4
    np.testing.assert_allclose(fuzzy_ranks(rank, different), literal(rank, different), rtol=1e-14)


def test_all_different_keep_their_ranks_and_none_different_share_one():
    """The two ends."""
    rank = np.array([3.0, 1.0, 2.0])
    np.testing.assert_array_equal(fuzzy_ranks(rank, np.ones((3, 3), dtype=bool)), rank)
    np.testing.assert_array_equal(fuzzy_ranks(rank, np.zeros((3, 3), dtype=bool)), [2.0, 2.0, 2.0])


def test_renaming_permutes():
    """Members have no order."""
    rng = np.random.default_rng(1)
    rank, different, order = rng.permutation(6) + 1.0, rng.random((6, 6)) < 0.5, rng.permutation(6)
    np.testing.assert_allclose(
        fuzzy_ranks(rank[order], different[np.ix_(order, order)]), fuzzy_ranks(rank, different)[order]
    )


def test_shapes_must_fit():
    """The message names both shapes."""
    with pytest.raises(TableError, match=r"\(3,\) and differences of shape \(2, 2\)"):
        fuzzy_ranks(np.arange(3.0), np.zeros((2, 2), dtype=bool))
