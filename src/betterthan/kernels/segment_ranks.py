"""Ranks of systems within each segment, in one or two bytes, for fast comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray

Ranks = npt.NDArray[np.unsignedinteger[Any]]


def segment_ranks(goodness: FloatArray) -> tuple[Ranks, Ranks]:
    """Dense ranks within each segment, in two versions that differ where a score is missing.

    Equal scores have equal ranks, so for all systems i, j and segments s

        goodness[i, s] > goodness[j, s]   if and only if   winner[i, s] > loser[j, s]

    also when a score is missing (NaN): a missing winner has rank 0, a missing loser the greatest rank.

    Parameters
    ----------
    goodness : array, shape (m, n)
        m up to 65 533 systems, n segments.

    Returns
    -------
    winner, loser : array of uint8 or uint16, shape (m, n)

    Examples
    --------
    >>> winner, loser = segment_ranks(np.array([[1.0, 5.0], [1.0, np.nan], [-2.0, 7.0]]))
    >>> winner
    array([[2, 1],
           [2, 0],
           [1, 2]], dtype=uint8)
    >>> loser
    array([[  2,   1],
           [  2, 255],
           [  1,   2]], dtype=uint8)
    """
    n_systems, n_segments = goodness.shape
    dtype = np.uint8 if n_systems < 254 else np.uint16
    missing = np.isnan(goodness)
    ranks = np.empty((n_systems, n_segments), dtype=dtype)
    step = max(1, 2**18 // max(1, n_systems))  # sorting is fastest while a piece fits in the cache
    for start in range(0, n_segments, step):
        piece = slice(start, start + step)
        ranks[:, piece] = _dense_ranks(goodness[:, piece], missing[:, piece], dtype).T
    return _at_the_ends(ranks, missing)


def _dense_ranks(goodness: FloatArray, missing: BoolArray, dtype: type[np.uint8 | np.uint16]) -> Ranks:
    """Return ranks from 1 on, shape (n, m); a missing score stands above all others."""
    # Adding 0.0 turns -0.0 into 0.0: they are equal scores.
    values = np.ascontiguousarray(np.where(missing, np.inf, goodness).T) + 0.0
    order = _order(values)
    ascending = np.take(values, order)
    dense = np.ones(values.shape, dtype=dtype)
    np.cumsum(ascending[:, 1:] > ascending[:, :-1], axis=1, out=dense[:, 1:], dtype=dtype)
    dense[:, 1:] += dtype(1)
    ranks = np.empty(values.shape, dtype=dtype)
    ranks.reshape(-1)[order] = dense
    return ranks


def _at_the_ends(ranks: Ranks, missing: BoolArray) -> tuple[Ranks, Ranks]:
    if not missing.any():
        return ranks, ranks
    lowest, highest = ranks.dtype.type(0), ranks.dtype.type(np.iinfo(ranks.dtype).max)
    return np.where(missing, lowest, ranks), np.where(missing, highest, ranks)


def _order(values: FloatArray) -> IntArray:
    """Return the ascending order of each row of (n, m), as indices into the flattened array.

    The position of a system replaces the last bits of its score, and whole numbers are sorted: several times
    as fast as an argsort. Rows in which those bits mattered are found and sorted again.
    """
    n_segments, n_systems = values.shape
    position_bits = (1 << max(1, n_systems - 1).bit_length()) - 1
    bits = values.view(np.int64)
    # The bit pattern of a float64 grows with the number; of a negative one, when all but the sign are flipped.
    keys = bits ^ ((bits >> 63) & np.int64(2**63 - 1))
    keys &= ~np.int64(position_bits)
    keys |= np.arange(n_systems)
    keys.sort(axis=1)
    keys &= position_bits
    keys += np.arange(n_segments)[:, None] * n_systems
    ascending = np.take(values, keys)
    wrong = np.flatnonzero((ascending[:, 1:] < ascending[:, :-1]).any(axis=1))
    keys[wrong] = np.argsort(values[wrong], axis=1) + wrong[:, None] * n_systems
    return keys
