"""Smallest sets of segments that change a verdict.

The fewest segments whose removal turns a verdict round, a score of summed counts without each segment, and how many
equal weights a set of unequal ones amounts to.
"""

from __future__ import annotations

import math
from itertools import combinations
from math import comb
from typing import Literal, NamedTuple, get_args

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import unknown_name
from betterthan.kernels.resampling.bootstrap_mean import CountsFormula

Until = Literal["reversed", "level"]

_ROUNDING = 4 * float(np.finfo(np.float64).eps)
_FEW_SUBSETS = 5000


class Removal(NamedTuple):
    """Segments whose removal changes a verdict."""

    is_possible: bool
    """Whether any removal that leaves a segment changes it (False too when there is no verdict to change)."""
    indices: IntArray
    """The segments removed, in the order of removal; empty when not possible."""
    is_exact: bool
    """Whether it is proven that fewer segments cannot do it."""

    @property
    def n_removed(self) -> int:
        """Number of removed segments."""
        return int(self.indices.size)


def removal(indices: IntArray, *, is_exact: bool = True) -> Removal:
    """A removal that does it.

    Examples
    --------
    >>> removal(np.array([3, 1])).n_removed
    2
    """
    return Removal(is_possible=True, indices=np.asarray(indices, dtype=np.int64), is_exact=is_exact)


def no_removal(*, is_exact: bool = True) -> Removal:
    """None does it.

    Examples
    --------
    >>> no_removal().is_possible
    False
    """
    return Removal(is_possible=False, indices=np.zeros(0, dtype=np.int64), is_exact=is_exact)


def flips_mean(differences: FloatArray, *, until: Until = "reversed") -> Removal:
    """The fewest segments without which the mean difference changes sign; exact.

    Of any k segments, the k largest differences in the leader's favor take most from the sum, so removing them
    from the largest down is best for every k.

    Parameters
    ----------
    differences : array, shape (n,)
        a − b by segment; NaN is missing.
    until : {"reversed", "level"}, default "reversed"
        * "reversed": the other system leads.
        * "level": the lead is gone; the other need not lead.

    Examples
    --------
    One segment makes the whole lead:

    >>> flips_mean(np.array([-1.0, 9.0, -2.0, -1.0])).indices
    array([1])
    """
    lead = float(np.nansum(differences))
    if abs(lead) <= _ROUNDING * float(np.nansum(np.abs(differences))):
        lead = 0.0
    order, gaps = _leader_first(differences, lead, until)
    # Sums of what remains, from the small end, so that the sum of few is not a difference of sums of many.
    remaining = gaps[::-1].cumsum()[::-1]
    blur = _ROUNDING * np.abs(gaps)[::-1].cumsum()[::-1]
    return _first(order, remaining < -blur if until == "reversed" else remaining <= blur)


def flips_wins(differences: FloatArray, *, until: Until = "reversed") -> Removal:
    """The fewest segments without which the majority of wins changes; exact, by counting.

    What turns win rates, and Bradley–Terry between two systems: w − l + 1 of the leader's wins (w − l to level).
    The largest wins are named.

    Parameters
    ----------
    differences : array, shape (n,)
        a − b by segment; NaN is missing.
    until : {"reversed", "level"}, default "reversed"
        See :func:`flips_mean`.

    Examples
    --------
    >>> flips_wins(np.array([1.0, 3.0, 2.0, -9.0])).n_removed
    3
    """
    signs = np.sign(differences)
    lead = float(np.nansum(signs))
    order, gaps = _leader_first(differences, lead, until)
    needed = int(abs(lead)) + (until == "reversed")
    possible = gaps.size and (until == "level" or np.any(gaps < 0)) and needed < gaps.size
    return removal(order[:needed]) if possible else no_removal()


def flips_median(first: FloatArray, second: FloatArray, *, until: Until = "reversed") -> Removal:
    r"""The fewest segments without which the difference of the two medians changes sign.

    Keep as many segments as possible such that the leader's median falls below the other's. For an odd number
    kept, this means that some threshold t has a majority of the leader's scores below it and a majority of the
    other's at or above it. With :math:`N_{11}` segments that serve both ends, :math:`N_{10}` and :math:`N_{01}`
    that serve one and :math:`N_{00}` that serve neither, at most

    .. math:: N_{11} + 2 \min(N_{10}, N_{01}) + \min(N_{11} - 1, |N_{10} - N_{01}| + N_{00})

    can be kept, and the best threshold is found by trying all.

    Parameters
    ----------
    first, second : array, shape (n,)
        Scores of the two systems; segments that are NaN in either are left out.
    until : {"reversed", "level"}, default "reversed"
        See :func:`flips_mean`.

    Returns
    -------
    Removal
        At most one segment too many. If an even number 2h of segments can be kept, so can 2h − 1; whether the
        best odd number can be bettered by one is tried with all subsets when they are few (`is_exact` is then
        True), and otherwise by putting back one segment at a time.

    Notes
    -----
    O(n log n).

    Examples
    --------
    >>> flips_median(np.array([1.0, 5, 11, 12, 17]), np.array([2.0, 6, 7, 13, 18])).n_removed
    1
    """
    known = np.nonzero(~np.isnan(first + second))[0]
    x, y = first[known], second[known]
    lead = float(np.median(x) - np.median(y)) if known.size else 0.0
    _check(until)
    if lead == 0:
        return no_removal()
    ahead, behind = (x, y) if lead > 0 else (y, x)
    kept = _kept_for_odd(ahead, behind, until)
    if kept is None:
        # Even numbers of segments that can be kept imply odd ones, so none is left.
        return no_removal()
    return _one_fewer(known, ahead, behind, kept, until)


def _kept_for_odd(ahead: FloatArray, behind: FloatArray, until: Until) -> np.ndarray | None:
    """Mask of the largest odd set of segments with the medians turned, or None."""
    thresholds = np.unique(behind)
    side: Literal["left", "right"] = "left" if until == "reversed" else "right"
    below = np.searchsorted(np.sort(ahead), thresholds, side=side)
    above = behind.size - np.searchsorted(np.sort(behind), thresholds, side="left")
    # A segment serves both ends of the thresholds between its two scores.
    starts = np.searchsorted(np.sort(ahead[_serves(ahead, behind, until)]), thresholds, side=side)
    ends = np.searchsorted(np.sort(behind[_serves(ahead, behind, until)]), thresholds, side="left")
    both = starts - ends
    only_below, only_above = below - both, above - both
    others = np.abs(only_below - only_above) + (behind.size - both - only_below - only_above)
    size = both + 2 * np.minimum(only_below, only_above) + np.minimum(both - 1, others)
    size = np.where(both > 0, size - (size % 2 == 0), 0)
    best = int(size.argmax())
    return _mask(ahead, behind, thresholds[best], int(size[best]), until) if size[best] > 0 else None


def _serves(ahead: FloatArray, behind: FloatArray, until: Until) -> np.ndarray:
    return ahead < behind if until == "reversed" else ahead <= behind


def _mask(ahead: FloatArray, behind: FloatArray, threshold: float, size: int, until: Until) -> np.ndarray:
    below = ahead < threshold if until == "reversed" else ahead <= threshold
    above = behind >= threshold
    both, neither = np.nonzero(below & above)[0], np.nonzero(~below & ~above)[0]
    only_below, only_above = np.nonzero(below & ~above)[0], np.nonzero(~below & above)[0]
    pairs = min(only_below.size, only_above.size)
    spare = np.concatenate([only_below[pairs:], only_above[pairs:], neither])
    inside = np.zeros(ahead.size, dtype=np.bool_)
    wanted = np.concatenate([both, np.column_stack([only_below[:pairs], only_above[:pairs]]).ravel(), spare])
    inside[wanted[:size]] = True
    return inside


def _one_fewer(
    known: IntArray, ahead: FloatArray, behind: FloatArray, kept: np.ndarray, until: Until
) -> Removal:
    """Try to turn the medians with one segment fewer than the best odd set removes."""
    removed = np.nonzero(~kept)[0]
    if not _are_few(ahead.size, removed.size - 1):
        return _one_put_back(known, ahead, behind, kept, until)
    for subset in combinations(range(ahead.size), removed.size - 1):
        rest = np.ones(ahead.size, dtype=np.bool_)
        rest[list(subset)] = False
        gap = np.median(ahead[rest]) - np.median(behind[rest])
        if gap < 0 or (until == "level" and gap == 0):
            return removal(known[list(subset)])
    return removal(known[removed])


def _are_few(n: int, k: int) -> bool:
    """Whether the subsets of k out of n can all be tried; their number has n digits, so it is not always computed."""
    return (n <= _FEW_SUBSETS or k in (0, n)) and comb(n, k) <= _FEW_SUBSETS


def _one_put_back(
    known: IntArray, ahead: FloatArray, behind: FloatArray, kept: np.ndarray, until: Until
) -> Removal:
    """Try whether the medians stay turned when one of the removed segments comes back, all of them at once."""
    removed = np.nonzero(~kept)[0]
    gaps = _medians_with(ahead, kept, removed) - _medians_with(behind, kept, removed)
    turned = np.nonzero(gaps < 0 if until == "reversed" else gaps <= 0)[0]
    if turned.size:
        return removal(known[np.delete(removed, turned[-1])])
    return removal(known[removed], is_exact=False)


def _medians_with(values: FloatArray, kept: np.ndarray, others: IntArray) -> FloatArray:
    """Medians of an odd number of values and one of the others, for each of these.

    The middle value stays one of the two in the middle; the other is the added value, or an adjacent one.
    """
    held = np.sort(values[kept])
    middle = held.size // 2
    below = held[middle - 1] if middle else -np.inf
    above = held[middle + 1] if middle else np.inf
    more = values[others]
    beside = np.where(more <= held[middle], np.maximum(below, more), np.minimum(above, more))
    medians: FloatArray = (beside + held[middle]) / 2
    return medians


def _check(until: Until) -> None:
    if until not in get_args(Until):
        raise unknown_name("until", until, get_args(Until))


def _leader_first(differences: FloatArray, lead: float, until: Until) -> tuple[IntArray, FloatArray]:
    """Segments and their differences from the leader's side, largest first; empty when neither leads."""
    _check(until)
    known = np.nonzero(~np.isnan(differences))[0]
    gaps = differences[known] * np.sign(lead)
    order = np.argsort(-gaps, kind="stable") if lead else np.zeros(0, dtype=np.int64)
    return known[order], gaps[order]


def _first(order: IntArray, turned: np.ndarray) -> Removal:
    """Remove up to the first place at which the verdict is turned."""
    return removal(order[: int(turned.argmax())]) if turned.any() else no_removal()


def effective_number(weights: FloatArray) -> FloatArray:
    r"""Kish's effective sample size of weights, (…, n) to (…).

    .. math:: n_e = \frac{(\sum_i w_i)^2}{\sum_i w_i^2}

    References
    ----------
    .. [1] Kish (1965), Survey sampling, §11.7.

    Examples
    --------
    >>> effective_number(np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]]))
    array([4., 1.])
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(weights.sum(axis=-1) ** 2 / (weights**2).sum(axis=-1))


def gini(weights: FloatArray) -> FloatArray:
    r"""Gini's coefficient of weights, 0 when all are equal, (…, n) to (…).

    .. math:: G = \frac{\sum_i \sum_j |w_i - w_j|}{2 n \sum_i w_i} = \frac{\sum_i (2 i - n - 1) w_{(i)}}{n \sum_i w_i}

    Examples
    --------
    >>> gini(np.array([1.0, 1.0, 1.0])), gini(np.array([0.0, 0.0, 0.0, 1.0]))
    (array(0.), array(0.75))
    """
    n = weights.shape[-1]
    ranks = 2 * np.arange(1, n + 1) - n - 1
    with np.errstate(invalid="ignore"):
        return np.asarray((np.sort(weights, axis=-1) @ ranks) / (n * weights.sum(axis=-1)))


def share_of_largest(weights: FloatArray, part: float = 0.1) -> FloatArray:
    """Share of the sum that the largest `part` of the weights carries, (…, n) to (…); at least one weight.

    Examples
    --------
    >>> share_of_largest(np.array([1.0] * 9 + [11.0]))
    array(0.55)
    """
    many = n_largest(weights.shape[-1], part)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sort(weights, axis=-1)[..., -many:].sum(axis=-1) / weights.sum(axis=-1))


def n_largest(n: int, part: float) -> int:
    """How many of n are the largest part, rounded up.

    Examples
    --------
    >>> n_largest(100, 0.1), n_largest(11, 0.1), n_largest(3, 0.1)
    (10, 2, 1)
    """
    return max(1, math.ceil(round(n * part, 9)))


def leave_one_out_scores(counts: FloatArray, *, formula: CountsFormula) -> FloatArray:
    r"""Pooled scores without each segment in turn, in one pass: :math:`f(\sum_j c_j - c_i)`.

    Parameters
    ----------
    counts : array, shape (m, n, k)
        Segments, or documents as their sums.
    formula : callable
        From sums of shape (…, k) to scores of shape (…).

    Returns
    -------
    array, shape (m, n)
        NaN where the formula is undefined without the segment, and everywhere when there is only one.

    Examples
    --------
    >>> counts = np.array([[[1.0, 1.0], [1.0, 3.0]]])
    >>> leave_one_out_scores(counts, formula=lambda sums: sums[..., 0] / sums[..., 1]).round(4)
    array([[0.3333, 1.    ]])
    """
    if counts.shape[1] < 2:
        return np.full(counts.shape[:2], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = [np.asarray(formula(system.sum(axis=0) - system), dtype=np.float64) for system in counts]
    return np.stack(rows)


def pooled_influence(counts: FloatArray, *, formula: CountsFormula) -> FloatArray:
    r"""Influence of each segment on the pooled score, from leaving it out.

    .. math:: \psi_i = (n - 1) \Big(f(C) - f(C - c_i)\Big) - \text{mean}

    For a ratio this is, to first order, :math:`n \frac{w_i}{w} (\frac{m_i}{w_i} - \frac{m}{w})`: the segment's share of
    the denominator times what sets it apart.

    Parameters
    ----------
    counts : array, shape (m, n, k)
    formula : callable

    Returns
    -------
    array, shape (m, n)
        Rows have mean 0; a row is NaN when the formula is undefined without one of the segments.

    Examples
    --------
    >>> counts = np.array([[[1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]])
    >>> pooled_influence(counts, formula=lambda sums: sums[..., 0] / sums[..., 1]).round(4)
    array([[ 0.3333, -0.6667,  0.3333]])
    """
    totals = np.asarray(formula(counts.sum(axis=1)), dtype=np.float64)
    pull = (counts.shape[1] - 1) * (totals[:, None] - leave_one_out_scores(counts, formula=formula))
    return np.asarray(pull - pull.mean(axis=1, keepdims=True))
