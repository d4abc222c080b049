"""What happened to each pair of systems on each segment, and its sums over resamples of the segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.comparisons.wins import WinCounts, checked_scores, checked_weights

_BLOCK_BYTES = 2**26
_LARGEST_EXACT_FLOAT32 = 2**24

_Weights = npt.NDArray[np.floating[Any]]


def pair_indices(n_systems: int) -> tuple[IntArray, IntArray]:
    """Return the p = m(m − 1)/2 pairs (first, second) with first < second, in reading order.

    Examples
    --------
    >>> pair_indices(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    first, second = np.triu_indices(n_systems, 1)
    return first.astype(np.int64, copy=False), second.astype(np.int64, copy=False)


def resampled_win_counts(goodness: FloatArray, weights: FloatArray) -> WinCounts:
    """Win and tie counts in many resamples of the segments at once.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better, NaN is missing.
    weights : array, shape (b, n)
        How often each segment occurs in each resample. To draw documents, repeat each document's count
        over its segments: ``document_weights[:, document_of_segment]``.

    Returns
    -------
    WinCounts
        Two arrays of shape (b, m, m).

    Notes
    -----
    One product of (b × n) with (n × pairs), 2 b n m² operations at most, half of that when nothing ties or is
    missing. Draw counts are multiplied in single precision as long as that is exact.

    Examples
    --------
    >>> scores = np.array([[1.0, 2, 3], [2, 2, 1]])
    >>> resampled_win_counts(scores, np.array([[1.0, 1, 1], [0, 0, 3]])).wins[:, 0, 1]
    array([1., 3.])
    """
    goodness = checked_scores(goodness)
    n_systems, n_segments = goodness.shape
    weights = checked_weights(weights, goodness)
    exact = _in_exact_precision(weights)
    total = weights.sum(axis=1)
    wins, ties = np.zeros((2, len(weights), n_systems, n_systems))
    first, second = pair_indices(n_systems)
    step = max(1, _BLOCK_BYTES // (exact.itemsize * max(1, n_segments)))
    for start in range(0, first.size, step):
        i, j = first[start : start + step], second[start : start + step]
        left, right = goodness[i], goodness[j]
        won = wins[:, i, j] = _totals(exact, left > right)
        losses, ties_too = _lost_and_tied(exact, left, right, total[:, None] - won)
        wins[:, j, i] = losses
        ties[:, i, j] = ties[:, j, i] = ties_too
    return WinCounts(wins, ties)


def _lost_and_tied(
    weights: _Weights, left: FloatArray, right: FloatArray, not_won: FloatArray
) -> tuple[FloatArray, FloatArray]:
    equal = left == right
    plain = not equal.any() and not np.isnan(left).any() and not np.isnan(right).any()
    if plain:  # who does not win loses: half of the multiplications
        return not_won, np.zeros_like(not_won)
    return _totals(weights, left < right), _totals(weights, equal)


def _totals(weights: _Weights, happened: BoolArray) -> FloatArray:
    """Return (b, n) times (pairs, n) transposed, in the precision of the weights."""
    return np.asarray(weights @ happened.astype(weights.dtype).T, dtype=np.float64)


def _in_exact_precision(weights: FloatArray) -> _Weights:
    """Return whole weights as float32 when every sum of them is exact there, else float64."""
    exact = weights.sum(axis=1).max(initial=0) <= _LARGEST_EXACT_FLOAT32 and bool(
        (weights == np.floor(weights)).all()
    )
    return weights.astype(np.float32) if exact else weights
