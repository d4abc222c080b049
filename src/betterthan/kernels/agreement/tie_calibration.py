"""Accuracy with calibrated ties: how often a metric ranks or ties a pair as the human does.

A metric with a fine scale never ties, the human often does. So a metric is allowed one threshold, below which its
differences are called ties, and it is given the best one. The search is exact and its memory is bounded; in it,
scores lie as elements × groups, and every group has a pair of elements with all four scores.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.correlation import CorrelationLevel, cells_by_group
from betterthan.kernels.agreement.tau_tables import pair_blocks
from betterthan.messages import Message, Option

# So many pairs are sorted at once; more are sifted through bins again.
_MOST_SORTED = 1 << 22
_MOST_BIN_BITS = 20
# Keys of gaps cover sixteen factors of two, and all below: 17 × 2 ** 52 numbers.
_KEY_BITS = 57
_LARGEST_SUM = 1 << 62

_Held = list[tuple[FloatArray, IntArray, IntArray]]


class PairedCells(NamedTuple):
    """Scores of elements in groups.

    Attributes
    ----------
    metric, human : array, shape (k, g)
        NaN in both where a cell is missing.
    n_pairs : array of int, shape (g,)
        Pairs in each group, at least one.
    """

    metric: FloatArray
    human: FloatArray
    n_pairs: IntArray

    @property
    def largest_gap(self) -> float:
        """The largest difference of two metric scores in a group."""
        with np.errstate(over="ignore"):
            return float((np.nanmax(self.metric, axis=0) - np.nanmin(self.metric, axis=0)).max())


class ComparedPairs(NamedTuple):
    """Pairs of a block, one above the other.

    Attributes
    ----------
    gaps : array, shape (p, b)
        How far the metric scores are apart, NaN where one is missing.
    tied, concordant : array of bool, shape (p, b)
        Whether the human ties them; whether both say that the same one is better.
    groups : slice
        The groups of the columns.
    """

    gaps: FloatArray
    tied: BoolArray
    concordant: BoolArray
    groups: slice


class _Sieve(NamedTuple):
    """One splitting of bins: from the address of a finer bin to its place among those kept, or −1."""

    shift: int
    bits: int
    table: IntArray

    def addresses(self, keys: IntArray, places: IntArray | int) -> IntArray:
        """Return which part of the bin at each place a key falls into."""
        return (places << self.bits) + ((keys >> self.shift) & ((1 << self.bits) - 1))


class _Sifted(NamedTuple):
    """Pairs of a block that passed all sieves: 1 is gained by calling it a tie, −1 is lost, 0 is neither."""

    gaps: FloatArray
    changes: npt.NDArray[np.int8]
    keys: IntArray
    places: IntArray
    weights: IntArray | int


def compared_pairs(cells: PairedCells) -> Iterator[ComparedPairs]:
    """Compare every pair of every group once, a block at a time.

    Examples
    --------
    >>> cells = PairedCells(np.array([[0.0], [2.0]]), np.array([[1.0], [4.0]]), np.array([1]))
    >>> next(compared_pairs(cells))[:3]
    (array([[2.]]), array([[False]]), array([[ True]]))
    """
    for first, second, groups in pair_blocks(*cells.metric.shape):
        one, other = cells.metric[first, groups], cells.metric[second, groups]
        gold, other_gold = cells.human[first, groups], cells.human[second, groups]
        concordant = (one > other) & (gold > other_gold)
        concordant |= (one < other) & (gold < other_gold)
        with np.errstate(over="ignore"):
            gaps = one - other
        yield ComparedPairs(np.abs(gaps, out=gaps), gold == other_gold, concordant, groups)


def whole_weights(n_pairs: IntArray) -> tuple[IntArray, int]:
    """Weights in proportion to 1 / pairs as whole numbers, and what the weights of a group's pairs add up to.

    Parameters
    ----------
    n_pairs : array of int, shape (g,)

    Returns
    -------
    weights : array of int, shape (g,)
        Exactly in proportion as long as g × lcm(n_pairs) is at most 2⁶², otherwise rounded.
    scale : int

    Examples
    --------
    >>> whole_weights(np.array([1, 3, 6]))
    (array([6, 2, 1]), 6)
    """
    common = math.lcm(*np.unique(n_pairs).tolist())
    scale = common if common * n_pairs.size <= _LARGEST_SUM else _LARGEST_SUM // n_pairs.size
    return scale // n_pairs, scale


def best_threshold(cells: PairedCells) -> float:
    """Smallest threshold of the greatest gain over calling nothing a tie.

    The pairs are counted in bins of their gaps. A bin in which even the best order of gains and losses cannot
    reach the best seen so far is dropped. The others are sorted, or split again while they hold too many.

    Parameters
    ----------
    cells : PairedCells

    Returns
    -------
    float
        0, or the gap of a pair that the human ties.

    Examples
    --------
    >>> cells = PairedCells(np.array([[0.0], [2], [6], [8]]), np.array([[1.0], [1], [1], [4]]), np.array([6]))
    >>> best_threshold(cells)
    4.0
    """
    weights, _ = whole_weights(cells.n_pairs)
    sieves: list[_Sieve] = []
    before, best, shift = np.zeros(1, dtype=np.int64), 0, _KEY_BITS
    while True:
        bits = _bits_of_a_split(int(cells.n_pairs.sum()), before.size, shift)
        shift -= bits
        split = _Sieve(shift, bits, np.full(before.size << bits, -1, dtype=np.int64))
        gains, losses = _binned(cells, weights, sieves, split)
        after = (before[:, None] + np.cumsum((gains - losses).reshape(before.size, -1), axis=1)).ravel()
        best = max(best, int(after.max()))
        kept = np.flatnonzero((gains > 0) & (after + losses >= max(best, 1)))
        if not kept.size:
            return 0.0
        split.table[kept] = np.arange(kept.size)
        sieves.append(split)
        gains, losses, after = gains[kept], losses[kept], after[kept]
        before = after - gains + losses
        if not shift or int((gains + losses).sum()) // int(weights.min()) <= _MOST_SORTED:
            # What the dropped bins change comes before each kept one besides the changes of the kept ones.
            return _best_inside(cells, weights, sieves, after - np.cumsum(gains - losses))


def _bits_of_a_split(n_pairs: int, n_bins: int, shift: int) -> int:
    """Return how finely to split each bin: some dozen pairs to a bin, but not too many bins."""
    bits = min(_MOST_BIN_BITS, max(6, n_pairs.bit_length() - 4)) - (n_bins - 1).bit_length()
    return min(shift, max(1, bits))


def _binned(
    cells: PairedCells, weights: IntArray, sieves: list[_Sieve], split: _Sieve
) -> tuple[IntArray, IntArray]:
    """Weights of what can be gained and lost, at each address of a split."""
    size = split.table.size
    sums = np.zeros(3 * size, dtype=np.int64)
    for pairs in _sifted(cells, weights, sieves):
        codes = np.multiply(pairs.changes + 1, size, dtype=np.int64)
        codes += split.addresses(pairs.keys, pairs.places)
        np.add.at(sums, codes, pairs.weights)
    losses, _, gains = sums.reshape(3, size)
    return gains, losses


def _best_inside(cells: PairedCells, weights: IntArray, sieves: list[_Sieve], dropped: IntArray) -> float:
    """Sort what passes the sieves and find the first best, or 0; `dropped` changed before each place."""
    held: _Held = []
    n_held, limit = 0, _MOST_SORTED
    for pairs in _sifted(cells, weights, sieves):
        held.append((pairs.gaps, np.multiply(pairs.changes, pairs.weights, dtype=np.int64), pairs.places))
        n_held += pairs.gaps.size
        if n_held > limit:  # Only gaps so alike that no splitting parts them are so many.
            held = [_summed(held)]
            n_held = held[0][0].size
            limit = 2 * max(n_held, _MOST_SORTED)
    gaps, changes, places = _summed(held)
    net = np.cumsum(changes) + dropped[places]
    return float(gaps[np.argmax(net)]) if net.max() > 0 else 0.0


def _summed(held: _Held) -> tuple[FloatArray, IntArray, IntArray]:
    """Distinct gaps in order, the sums of their changes, and their places."""
    gaps, changes, places = (np.concatenate(column) for column in zip(*held, strict=True))
    distinct, first, which = np.unique(gaps, return_index=True, return_inverse=True)
    sums = np.zeros(distinct.size, dtype=np.int64)
    np.add.at(sums, which, changes)
    return distinct, sums, places[first]


def _sifted(cells: PairedCells, weights: IntArray, sieves: list[_Sieve]) -> Iterator[_Sifted]:
    """Yield the pairs whose gaps lie in bins that passed all sieves."""
    equal = bool((weights == 1).all())
    # A gap of 0 has this key; larger gaps keep nearly all their bits, and thresholds are rarely smaller.
    origin = max(min(cells.largest_gap, sys.float_info.max) / 2**16, sys.float_info.min)
    for gaps, tied, concordant, groups in compared_pairs(cells):
        changes = (tied.view(np.int8) - concordant.view(np.int8)).ravel()
        weight = 1 if equal else np.broadcast_to(weights[groups], gaps.shape).ravel()
        keys = _keys(gaps.ravel(), origin)
        pairs = _Sifted(gaps.ravel(), changes, keys, np.zeros(1, dtype=np.int64), weight)
        for sieve in sieves:
            pairs = _passed(pairs, sieve)
        yield pairs


def _passed(pairs: _Sifted, sieve: _Sieve) -> _Sifted:
    places = sieve.table[sieve.addresses(pairs.keys, pairs.places)]
    which = np.flatnonzero((places >= 0) & (pairs.changes != 0))
    weights = pairs.weights if isinstance(pairs.weights, int) else pairs.weights[which]
    return _Sifted(pairs.gaps[which], pairs.changes[which], pairs.keys[which], places[which], weights)


def _keys(gaps: FloatArray, origin: float) -> IntArray:
    """Whole numbers of `_KEY_BITS` bits in the order of the gaps: the bits of a positive float rise with it."""
    with np.errstate(over="ignore"):
        keys = (gaps + origin).view(np.int64)
    keys -= np.float64(origin).view(np.int64)
    return keys


_MOST_PAIRS = 200_000_000
# A curve has a point for each gap up to so many pairs; beyond, one for each of so many steps.


class Calibrated(NamedTuple):
    """The best accuracy that one threshold gives.

    Attributes
    ----------
    accuracy : float
        Mean over groups of the share of pairs on which human and metric agree; NaN without pairs.
    threshold : float
        The smallest of the best: the metric ties a pair whose scores differ by no more. NaN without pairs.
    n_pairs : int
        Pairs with all four scores.
    n_groups : int
        Groups with a pair, which the mean is over.
    n_empty : int
        Groups without a pair, left out.
    """

    accuracy: float
    threshold: float
    n_pairs: int
    n_groups: int
    n_empty: int


class AccuracyAt(NamedTuple):
    """The accuracy at one threshold, over all groups and in each.

    Attributes
    ----------
    accuracy : float
    per_group : array, shape (g,)
        NaN for a group without a pair.
    """

    accuracy: float
    per_group: FloatArray


def calibrated_accuracy(
    metric: FloatArray, human: FloatArray, level: CorrelationLevel = "segment"
) -> Calibrated:
    r"""Choose the threshold under which a metric agrees best with the human, ties included.

    .. math:: \max_\varepsilon \frac1G \sum_g \frac1{P_g} \sum_{(i,j) \in g}
              [h_i = h_j][|x_i - x_j| \le \varepsilon] +
              [\operatorname{sgn}(h_i - h_j) = \operatorname{sgn}(x_i - x_j) \ne 0][|x_i - x_j| > \varepsilon]

    Parameters
    ----------
    metric, human : array, shape (m, n)
        m systems on n segments, higher is better, NaN is missing, no infinities.
    level : {"segment", "within_system", "global", "system"}, default "segment"
        What a group is: the systems on a segment, the segments of a system, all cells, or the system means.

    Returns
    -------
    Calibrated

    Raises
    ------
    BetterThanError
        At a level other than "segment" when there are more than 200 million pairs.

    Notes
    -----
    Raising the threshold over a pair's gap gains the pair when the human ties it and loses it when it was
    concordant. So with the gaps in order, cumulative sums give the accuracy at all thresholds; the best is 0 or
    the gap of a human tie. The pairs are first counted in narrow bins, and only the few bins that can hold the
    best are sorted.

    Sums are whole numbers of 1 / lcm(P), so equally good thresholds are seen to be equal. When that is too fine
    for 64 bits, which takes many different P, thresholds whose accuracies differ by less than pairs × 2⁻⁶²,
    5 × 10⁻¹¹ at most, may be confused; the accuracy given is exact all the same.

    References
    ----------
    .. [1] Deutsch, Foster and Freitag (2023), Ties matter: meta-evaluating modern metrics with pairwise accuracy
       and tie calibration, EMNLP.

    Examples
    --------
    Three of six pairs are human ties, two of them with gaps up to 4.

    >>> metric, human = np.array([[0.0], [2], [6], [8]]), np.array([[1.0], [1], [1], [4]])
    >>> calibrated_accuracy(metric, human)
    Calibrated(accuracy=0.6666666666666666, threshold=4.0, n_pairs=6, n_groups=1, n_empty=0)
    """
    cells, used = _cells(metric, human, level)
    n_groups, n_empty = cells.n_pairs.size, int(np.count_nonzero(~used))
    if not n_groups:
        return Calibrated(math.nan, math.nan, 0, 0, n_empty)
    threshold = best_threshold(cells)
    accuracy = _mean_share(_agreements(cells, threshold), cells.n_pairs)
    return Calibrated(accuracy, threshold, int(cells.n_pairs.sum()), n_groups, n_empty)


def accuracy_at(
    metric: FloatArray, human: FloatArray, threshold: float, level: CorrelationLevel = "segment"
) -> AccuracyAt:
    """Share of pairs on which human and metric agree, when the metric ties gaps up to a threshold.

    Parameters
    ----------
    metric, human, level
        As in :func:`calibrated_accuracy`.
    threshold : float
        0 or more.

    Returns
    -------
    AccuracyAt

    Examples
    --------
    >>> metric, human = np.array([[0.0], [2], [6], [8]]), np.array([[1.0], [1], [1], [4]])
    >>> accuracy_at(metric, human, 0.0).accuracy
    0.5
    """
    if not threshold >= 0:
        raise BetterThanError(f"threshold must be 0 or more; it is {threshold}.")
    cells, used = _cells(metric, human, level)
    agreements = _agreements(cells, threshold)
    per_group = np.full(used.size, np.nan)
    per_group[used] = agreements / cells.n_pairs
    return AccuracyAt(_mean_share(agreements, cells.n_pairs), per_group)


def _cells(metric: FloatArray, human: FloatArray, level: CorrelationLevel) -> tuple[PairedCells, BoolArray]:
    """Groups that have a pair, and which of all groups they are."""
    x, y = cells_by_group(metric, human, level)
    present = np.count_nonzero(~np.isnan(x), axis=1).astype(np.int64)
    n_pairs = present * (present - 1) // 2
    if n_pairs.sum() > _MOST_PAIRS and level != "segment":
        raise BetterThanError(
            Message(
                "{given} has {n:,} pairs here, more than {most:,}. Use {segment}, which compares systems on "
                "the same segment.",
                given=Option("level", level),
                n=n_pairs.sum(),
                most=_MOST_PAIRS,
                segment=Option("level", "segment"),
            )
        )
    used = n_pairs > 0
    # Elements × groups: pairs then lie opposite each other in long rows.
    columns = np.ascontiguousarray(x[used].T), np.ascontiguousarray(y[used].T)
    return PairedCells(*columns, n_pairs[used]), used


def _agreements(cells: PairedCells, threshold: float) -> IntArray:
    """Pairs of each group on which human and metric agree."""
    agreements = np.zeros(cells.n_pairs.size, dtype=np.int64)
    for gaps, tied, concordant, groups in compared_pairs(cells):
        near = gaps <= threshold
        agreements[groups] += np.count_nonzero(np.where(near, tied, concordant), axis=0)
    return agreements


def _mean_share(agreements: IntArray, n_pairs: IntArray) -> float:
    """Mean of agreements / pairs, rounded once; NaN of nothing."""
    if not n_pairs.size:
        return math.nan
    sizes, place = np.unique(n_pairs, return_inverse=True)
    totals = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(totals, place, agreements)
    common = math.lcm(*sizes.tolist())
    shares = zip(totals.tolist(), sizes.tolist(), strict=True)
    return float(sum(total * (common // size) for total, size in shares) / (common * n_pairs.size))
