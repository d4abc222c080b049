"""The search behind :mod:`betterthan.kernels.tie_calibration`: the best threshold, exactly, in bounded memory.

Scores lie here as elements × groups, and every group has a pair of elements with all four scores.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.tau_tables import pair_blocks

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
