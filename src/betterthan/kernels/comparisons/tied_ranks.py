"""Ranks with ties, row by row."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray

# The median of a bootstrap sample is off the middle by half a root of n, give or take; this is ten times as much.
_REACH = 5


class TiedRanks(NamedTuple):
    """Places of a group of equals: the first, the last and the middle."""

    low: IntArray
    high: IntArray

    @property
    def middle(self) -> FloatArray:
        """Midranks."""
        return (self.low + self.high) / 2


def groups_of_equals(starts: BoolArray) -> TiedRanks:
    """First and last place (from 1) of each element's group, along the last axis of sorted data.

    Parameters
    ----------
    starts : array of bool, shape (..., n)
        True where an element differs from the one before it; the first of a row always starts a group.

    Examples
    --------
    >>> low, high = groups_of_equals(np.array([True, True, False, True]))
    >>> low, high
    (array([1, 2, 2, 4]), array([1, 3, 3, 4]))
    """
    n = starts.shape[-1]
    place = np.arange(1, n + 1)
    low = np.maximum.accumulate(np.where(starts, place, 1), axis=-1)
    ends = np.ones_like(starts)
    ends[..., :-1] = starts[..., 1:]
    high = np.minimum.accumulate(np.where(ends, place, n)[..., ::-1], axis=-1)[..., ::-1]
    return TiedRanks(low, high)


def tied_ranks(values: FloatArray, *, tolerance: float = 0.0) -> TiedRanks:
    """Ranks from the smallest (1) to the largest, along the last axis.

    Parameters
    ----------
    values : array, shape (..., n)
        Without NaN.
    tolerance : float, default 0
        Adjacent values whose difference is at most `tolerance` × the row's largest magnitude are equal.

    Returns
    -------
    TiedRanks
        `low` is 1 + the number of smaller elements; `high` the number of elements not larger.

    Examples
    --------
    >>> ranks = tied_ranks(np.array([30.0, 10.0, 30.0, 20.0]))
    >>> ranks.low, ranks.high, ranks.middle
    (array([3, 1, 3, 2]), array([4, 1, 4, 2]), array([3.5, 1. , 3.5, 2. ]))
    """
    order = np.argsort(values, axis=-1, kind="stable")
    in_order = np.take_along_axis(values, order, axis=-1)
    slack = tolerance * np.abs(values).max(axis=-1, keepdims=True, initial=0)
    starts = np.ones(values.shape, dtype=np.bool_)
    starts[..., 1:] = np.diff(in_order, axis=-1) > slack
    sorted_ranks = groups_of_equals(starts)
    low, high = np.empty_like(sorted_ranks.low), np.empty_like(sorted_ranks.high)
    np.put_along_axis(low, order, sorted_ranks.low, axis=-1)
    np.put_along_axis(high, order, sorted_ranks.high, axis=-1)
    return TiedRanks(low, high)


def row_medians(values: FloatArray) -> FloatArray:
    """Median along the last axis, leaving out NaN; NaN where nothing is left.

    Examples
    --------
    >>> row_medians(np.array([[3.0, 1.0, 2.0], [4.0, np.nan, 1.0]]))
    array([2. , 2.5])
    """
    if values.shape[-1] == 0:
        return np.full(values.shape[:-1], np.nan)
    in_order = np.sort(values, axis=-1)
    present = np.count_nonzero(~np.isnan(values), axis=-1)[..., None]
    below = np.take_along_axis(in_order, np.maximum(present - 1, 0) // 2, axis=-1)[..., 0]
    above = np.take_along_axis(in_order, np.minimum(present // 2, values.shape[-1] - 1), axis=-1)[..., 0]
    # Half of each, so that two large numbers do not overflow, unless they are equal.
    return np.where(below == above, below, below / 2 + above / 2)


def counted_medians(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Median of each row of values in weighted samples; shape (samples, rows).

    Values are sorted once, and the counts are added up in that order: no sample is written out.

    Parameters
    ----------
    values : array, shape (m, n)
        NaN is left out.
    counts : array of whole numbers, shape (b, n)

    Examples
    --------
    >>> counted_medians(np.array([[3.0, 1.0, 2.0]]), np.array([[1.0, 1.0, 1.0], [2.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    array([[2. ],
           [2.5],
           [nan]])
    """
    result = np.full((len(counts), len(values)), np.nan)
    for row, scores in enumerate(values):
        is_known = ~np.isnan(scores)
        result[:, row] = _counted_medians(
            scores, is_known, counts, _REACH * isqrt(np.count_nonzero(is_known))
        )
    return result


def _counted_medians(scores: FloatArray, is_known: BoolArray, counts: FloatArray, reach: int) -> FloatArray:
    """Median of the known scores in each sample.

    Only the scores within `reach` of the middle, and their counts, are put in order, which is what takes time with many
    scores; samples whose median lies elsewhere are looked at again in full.
    """
    n = int(np.count_nonzero(is_known))
    medians = np.full(len(counts), np.nan)
    low, high = max(n // 2 - reach, 0), min(n // 2 + reach, n)
    if low == high:
        return medians
    places = np.argpartition(scores, (low, high - 1))  # NaN comes last
    middle = places[low:high][np.argsort(scores[places[low:high]])]
    is_below = np.zeros(scores.size)
    is_below[places[:low]] = 1.0
    size, below = ((counts @ chosen).astype(np.int64) for chosen in (is_known.astype(np.float64), is_below))
    up_to = counts[:, middle].astype(np.int32).cumsum(axis=1) + below[:, None]
    lower, upper = (size - 1) // 2, size // 2
    is_inside = (size > 0) & (below <= lower) & (upper < up_to[:, -1])
    if is_inside.any():
        ends = [
            scores[middle[(up_to[is_inside] <= place[is_inside, None]).sum(axis=1)]]
            for place in (lower, upper)
        ]
        medians[is_inside] = np.where(ends[0] == ends[1], ends[0], ends[0] / 2 + ends[1] / 2)
    is_outside = (size > 0) & ~is_inside
    if is_outside.any():
        medians[is_outside] = _counted_medians(scores, is_known, counts[is_outside], n)
    return medians
