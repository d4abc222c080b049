r"""Family-wise control over all pairs of systems by the resampled maximum, stepping down.

If all pairs are tested at once, the largest statistic is large by chance alone. Its null distribution is
had from the sign flips that all pairs share, so the dependence between pairs is used instead of feared:
less is lost than with Bonferroni or Holm.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray, pairs_where
from betterthan.kernels.flag_counts import count_flags, flag_space, sums_of_bytes
from betterthan.kernels.sign_flips.analytic import CANCELLED, pair_moments
from betterthan.kernels.sign_flips.permutation import (
    CentredScores,
    Float32Array,
    SignWords,
    centred_scores,
    flipped_sums,
    pair_differences,
    portions,
    random_words,
    signs_of,
)

GROUP = 16  # pairs whose maximum is taken at once
FEW_PAIRS = 512  # are taken one by one
STATISTICS_AT_ONCE = 2**16  # pairs times resamples: they stay in the cache while they are compared
RECOMPUTED_AT_ONCE = 2**20  # numbers
FEW_UNITS = 16  # have fewer distinct resamples than are drawn
ROUNDING_OF_FLOAT32 = 2.0**-21  # of a quotient and what it is compared with, several times over
SMALLEST_SPREAD = 1e-28  # where the largest score is about 1
Statistics = npt.NDArray[Any]  # float32, or float64 where sums are exact


class Reached(NamedTuple):
    """How many resamples reach a pair's observed statistic, both (m, m) and symmetric; blocks add up.

    The diagonal counts every resample.
    """

    alone: IntArray
    """By the statistic of the pair itself: what two-sided tallies count as beyond or equal."""
    together: IntArray
    """By the largest statistic of the pair and of all that are less significant."""


class StepDownFamily(NamedTuple):
    """All pairs of systems, made ready for resampled maxima, once for all blocks; see :func:`family_of`."""

    scores: CentredScores
    single: Float32Array
    """The centred scores in single precision, with rows of 0 below: products are quicker in rows of four."""
    statistics: FloatArray
    """(m, m), symmetric; 0 for identical systems."""
    pairs: _Pairs


def family_of(goodness: FloatArray) -> StepDownFamily:
    r"""Observed two-sided statistic of every pair, and the order they give.

    .. math:: \frac{|\sum_i d_i|}{\sqrt{\sum_i d_i^2}}

    The denominator does not change when signs flip, so the studentized statistic costs little per resample;
    it keeps pairs with noisy differences from dominating the maximum.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better, NaN is missing.

    Examples
    --------
    >>> family_of(np.array([[4.0, 5.0], [1.0, 1.0]])).statistics
    array([[0. , 1.4],
           [1.4, 0. ]])
    """
    scores = centred_scores(goodness)
    spread = _spread(scores)
    statistics = np.abs(scores.totals) / spread
    m, n = scores.values.shape
    single = np.zeros((-(-m // 4) * 4, n), dtype=np.float32)
    single[:m] = scores.values
    return StepDownFamily(scores, single, statistics, _Pairs.ascending(scores, statistics, spread))


def _spread(scores: CentredScores) -> FloatArray:
    if len(scores.patterns) > 1:
        second = pair_moments(
            np.where(scores.patterns[scores.pattern], scores.values, np.nan), order=2
        ).second
    else:
        second = _sums_of_squares(scores.values)
    # Whatever does not change with the signs may be divided by, and float32 must hold what comes out.
    return np.where(second > 0, np.maximum(np.sqrt(second), SMALLEST_SPREAD), 1.0)


def _sums_of_squares(values: FloatArray) -> FloatArray:
    """Σd² of every pair; pairs so much alike that the terms nearly cancel from their differences."""
    gram = values @ values.T
    own = np.diag(gram)[:, None] + np.diag(gram)
    second = own - 2 * gram
    for a, b in zip(*pairs_where(second <= CANCELLED * own), strict=True):
        second[a, b] = second[b, a] = ((values[a] - values[b]) ** 2).sum()
    np.fill_diagonal(second, 0.0)
    return second


def max_statistic_block(
    goodness: FloatArray | StepDownFamily, n_resamples: int, rng: np.random.Generator
) -> Reached:
    r"""Tally one block of sign flips for all pairs: each alone, and the maxima.

    With the pairs ordered by their observed statistics, :math:`s_1 \ge s_2 \ge \dots`, the tally of the maxima is

    .. math:: \#\{r : \max_{l \ge k} s^{(r)}_l \ge s_k\},

    the successive maxima of [1]_ (algorithm 4.1) and [2]_.

    Parameters
    ----------
    goodness : array, shape (m, n), or Family
        Higher is better, NaN is missing. For several blocks, make the :func:`family_of` them once.
    n_resamples : int
    rng : numpy.random.Generator
        The same generator gives the same signs as in
        :func:`betterthan.kernels.sign_flips.permutation.permutation_block`.

    Returns
    -------
    Reached
        For :func:`betterthan.kernels.significance.pvalues.step_down`.

    Notes
    -----
    Sums and statistics are formed in float32; where that is not precise enough they are recomputed in float64. Whole
    numbers have exact sums, and ties so often that their statistics are in float64 throughout.

    References
    ----------
    .. [1] Westfall and Young (1993), Resampling-based multiple testing, Wiley.
    .. [2] Romano and Wolf (2005), Exact and approximate stepdown methods for multiple hypothesis testing,
       JASA 100.

    Examples
    --------
    >>> scores = np.array([[3.0, 4.0, 5.0], [1.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
    >>> reached = max_statistic_block(scores, 800, np.random.default_rng(0))
    >>> 100 < reached.alone[0, 1] <= reached.together[0, 1]
    np.True_
    """
    scores, single, _, pairs = goodness if isinstance(goodness, StepDownFamily) else family_of(goodness)
    m, n = scores.values.shape
    counts = np.zeros((2, pairs.left.size), dtype=np.int64)
    for words, times in _distinct_flips(n_resamples, n, rng):
        start = 0
        for size in portions(len(words), _bytes_each(scores, pairs, len(single))):
            part, start = words[start : start + size], start + size
            sums = flipped_sums(single, scores.patterns, part).reshape(-1, size)
            counts += times * _reached(scores, pairs, sums.astype(pairs.dtype, copy=False), part)
    tables = np.full((2, m, m), n_resamples, dtype=np.int64)
    tables[:, pairs.left, pairs.right] = counts
    tables[:, pairs.right, pairs.left] = counts
    return Reached(*tables)


def _distinct_flips(n_resamples: int, n_units: int, rng: np.random.Generator) -> list[tuple[SignWords, int]]:
    """Draw resamples, and list those to compute with the number of times that they count.

    Two-sided statistics do not change when every sign flips, so few units have few distinct resamples; one that flips
    nothing and one that flips everything are the same.
    """
    words = random_words(n_resamples, n_units, rng)
    if n_units > FEW_UNITS or 2**n_units > n_resamples:
        return [(words, 1)]
    everything = np.uint64(2**n_units - 1)
    flips = words[:, 0] & everything
    distinct, times = np.unique(np.minimum(flips, flips ^ everything), return_counts=True)
    return [(distinct[times == each][:, None], each) for each in np.unique(times).tolist()]


def _bytes_each(scores: CentredScores, pairs: _Pairs, n_rows: int) -> int:
    """Memory of one resample: its signs, its sums twice, the maxima of all groups with two bounds, and three flags."""
    n_groups = pairs.edge.size // pairs.group
    size = int(np.dtype(pairs.dtype).itemsize)
    n_sums = 2 * len(scores.patterns) * n_rows
    return int(scores.values.shape[1] // 8 + size * n_sums + (3 * size + 3) * n_groups)


class _Entries(NamedTuple):
    """Some pairs, each in one resample."""

    pair: IntArray
    resample: IntArray


class _Pairs(NamedTuple):
    """Pairs a < b from the least to the most significant, with what their statistics are compared with.

    Groups of pairs are taken together; the last one is filled up with pairs of nothing, which never reach.
    """

    n_pairs: int
    group: int
    left: IntArray
    right: IntArray
    minuend: IntArray
    """Row of the partial sums of all patterns, one below the other; less that of the subtrahend it is T."""
    subtrahend: IntArray
    scale: FloatArray
    """What a size of T is multiplied by to give the statistic."""
    edge: FloatArray
    """Statistics at least as large as this reach the observed one."""
    above: FloatArray
    """The edge, and what a quotient in float32 may be rounded by."""
    below: FloatArray
    margin: FloatArray
    """What a statistic may be wrong by because its sum is."""
    dtype: type[np.float32 | np.float64]

    @classmethod
    def ascending(cls, scores: CentredScores, statistics: FloatArray, spreads: FloatArray) -> _Pairs:
        m = len(scores.values)
        left, right = np.triu_indices(m, 1)
        order = np.argsort(-statistics[left, right], kind="stable")[::-1]
        left, right = left[order], right[order]
        spread = spreads[left, right]
        edge = (np.abs(scores.totals) - scores.slack)[left, right] / spread
        margin = (scores.doubt + scores.slack)[left, right] / spread
        rounding = ROUNDING_OF_FLOAT32 * np.abs(edge)
        if scores.is_whole:
            margin, rounding = np.zeros((2, left.size))
        n_rows = -(-m // 4) * 4
        rows = scores.pattern[right] * n_rows + left, scores.pattern[left] * n_rows + right
        group = 1 if left.size <= FEW_PAIRS else GROUP
        fill = np.zeros(-left.size % group, dtype=np.int64)
        never = np.full(fill.size, np.inf)
        return cls(
            left.size,
            group,
            left,
            right,
            np.concatenate([rows[0], fill]),
            np.concatenate([rows[1], fill]),
            np.concatenate([1 / spread, fill]),
            np.concatenate([edge, never]),
            np.concatenate([edge + rounding, never]),
            np.concatenate([edge - rounding, never]),
            np.concatenate([margin, fill]),
            np.float64 if scores.is_whole else np.float32,
        )

    @property
    def is_exact(self) -> bool:
        """Whether sums and statistics have no error that matters."""
        return self.dtype == np.float64

    def statistics(self, sums: Statistics, pairs: IntArray, resamples: IntArray) -> Statistics:
        """Statistics of these pairs in these resamples."""
        flipped = sums[self.minuend[pairs], resamples] - sums[self.subtrahend[pairs], resamples]
        return np.asarray(np.abs(flipped) * self.scale[pairs].astype(self.dtype))


def _reached(scores: CentredScores, pairs: _Pairs, sums: Statistics, words: SignWords) -> IntArray:
    """Counts of a portion, (2, pairs): alone, and by the maximum so far."""
    lanes, largest = _passed(pairs, sums)
    certain, possible = sums_of_bytes(lanes)
    together = _by_maximum(_Portion(scores, pairs, sums, words, largest))
    counts = np.stack([certain, together])[:, : pairs.n_pairs]
    if not pairs.is_exact:
        close = np.flatnonzero(certain != possible)
        step = max(1, RECOMPUTED_AT_ONCE // sums.shape[1])
        for start in range(0, close.size, step):
            calls = _close_calls(pairs, sums, close[start : start + step])
            _add_close_calls(counts[0], calls, scores, pairs, words)
    return counts


class _Portion(NamedTuple):
    """Some resamples: the flips, the sums they give, and the largest statistic of each group of pairs."""

    scores: CentredScores
    pairs: _Pairs
    sums: Statistics
    words: SignWords
    largest: Statistics

    @property
    def widest(self) -> FloatArray:
        """What the largest statistic of each group may be wrong by."""
        return np.asarray(self.pairs.margin.reshape(-1, self.pairs.group).max(axis=1)[:, None])


def _passed(pairs: _Pairs, sums: Statistics) -> tuple[SignWords, Statistics]:
    """Go through all pairs and resamples once.

    Returns
    -------
    lanes : array, shape (2, pairs)
        How many resamples certainly, and how many possibly reach each pair, spread over the bytes of a word.
    largest : array, shape (groups, n_resamples)
        The largest statistic of each group of pairs.
    """
    n_pairs, n_resamples = pairs.edge.size, sums.shape[1]
    lanes = np.empty((2, n_pairs), dtype=np.uint64)
    largest = np.empty((n_pairs // pairs.group, n_resamples), dtype=pairs.dtype)
    step = pairs.group * max(1, STATISTICS_AT_ONCE // (pairs.group * n_resamples))
    space = np.empty((2, step, n_resamples), dtype=pairs.dtype)
    flags = flag_space(2, step, n_resamples)
    eights = flags.view(np.uint64)
    scale, upper, lower = (
        part.astype(pairs.dtype)[:, None]
        for part in (pairs.scale, pairs.above + pairs.margin, pairs.below - pairs.margin)
    )
    for start in range(0, n_pairs, step):
        some = slice(start, min(start + step, n_pairs))
        here = slice(some.stop - start)
        statistics, other = space[:, here]
        sums.take(pairs.minuend[some], axis=0, out=statistics, mode="clip")
        sums.take(pairs.subtrahend[some], axis=0, out=other, mode="clip")
        np.subtract(statistics, other, out=statistics)
        np.abs(statistics, out=statistics)
        np.multiply(statistics, scale[some], out=statistics)
        np.greater_equal(statistics, upper[some], out=flags[0, here, :n_resamples])
        np.greater_equal(statistics, lower[some], out=flags[1, here, :n_resamples])
        np.add.reduce(eights[:, here], axis=2, out=lanes[:, some])
        groups = statistics.reshape(-1, pairs.group, n_resamples)
        np.maximum.reduce(groups, axis=1, out=largest[start // pairs.group : some.stop // pairs.group])
    return lanes, largest


def _by_maximum(portion: _Portion) -> IntArray:
    """Count the resamples whose largest statistic so far reaches each pair."""
    pairs, largest = portion.pairs, portion.largest
    widest = portion.widest.astype(pairs.dtype)
    low = _successive(largest - widest)
    high = low if pairs.is_exact else _successive(largest + widest)
    if pairs.group > 1:
        return _by_group(portion, low, high)
    flags = flag_space(2, *largest.shape)
    is_reached, may_reach = flags[:, :, : largest.shape[1]]
    np.greater_equal(low, pairs.above[:, None].astype(pairs.dtype), out=is_reached)
    np.greater_equal(high, pairs.below[:, None].astype(pairs.dtype), out=may_reach)
    counts, most = count_flags(flags)
    close = np.flatnonzero(counts != most)
    pair, resample = np.nonzero(may_reach[close] & ~is_reached[close])
    return np.asarray(counts + _count_unsure(portion, _Entries(close[pair], resample), low))


def _by_group(portion: _Portion, low: Statistics, high: Statistics) -> IntArray:
    """Count from bounds on the maximum after each group.

    The edges of a group of pairs hardly differ, so in nearly all resamples the maximum is above all of them before,
    or below all of them after; only the rest are looked at pair by pair, a few groups at a time.
    """
    pairs = portion.pairs
    first = pairs.below[:: pairs.group, None].astype(pairs.dtype)
    ends = np.minimum(np.arange(1, len(low) + 1) * pairs.group, pairs.n_pairs) - 1
    last = pairs.above[ends, None].astype(pairs.dtype)
    counts = np.zeros(pairs.edge.size, dtype=np.int64)
    step = max(1, STATISTICS_AT_ONCE // low.shape[1])
    for start in range(0, len(low), step):
        here = slice(start, min(start + step, len(low)))
        before = np.concatenate([_before(low, start), low[start : here.stop - 1]])
        is_above = before >= last[here]
        of_groups = slice(start * pairs.group, here.stop * pairs.group)
        counts[of_groups] += np.repeat(np.count_nonzero(is_above, axis=1), pairs.group)
        group, resample = np.nonzero(~is_above & (high[here] >= first[here]))
        if group.size:
            counts += _by_pair(portion, (low, high), group + start, resample)
    return counts


def _before(bound: Statistics, group: int) -> Statistics:
    """The bound on the maximum before a group, a row; nothing is before the first."""
    return bound[group - 1 : group] if group else np.full_like(bound[:1], -np.inf)


def _by_pair(
    portion: _Portion, bounds: tuple[Statistics, Statistics], group: IntArray, resample: IntArray
) -> IntArray:
    """Count pair by pair, in groups and resamples where the maximum reaches some pairs and perhaps not others."""
    pairs = portion.pairs
    low, high = (np.where(group > 0, bound[group - 1, resample], -np.inf) for bound in bounds)
    members = pairs.group * group + np.arange(pairs.group)[:, None]
    near, margin = (
        pairs.statistics(portion.sums, members, resample),
        pairs.margin[members].astype(pairs.dtype),
    )
    is_reached = _successive(near - margin, low) >= pairs.above[members].astype(pairs.dtype)
    counts = np.bincount(members[is_reached], minlength=pairs.edge.size)
    if pairs.is_exact:
        return counts
    may_reach = _successive(near + margin, high) >= pairs.below[members].astype(pairs.dtype)
    member, column = np.nonzero(may_reach & ~is_reached)
    unsure = _Entries(members[member, column], resample[column])
    return np.asarray(counts + _count_unsure(portion, unsure, bounds[0]))


def _successive(statistics: Statistics, so_far: Statistics | None = None) -> Statistics:
    """The largest statistic of each row and all above it, in place; several times as quick as `accumulate`."""
    so_far = statistics[0] if so_far is None else so_far
    for row in statistics:
        so_far = np.maximum(row, so_far, out=row)
    return statistics


def _close_calls(pairs: _Pairs, sums: Statistics, close: IntArray) -> _Entries:
    """Resamples in which float32 cannot decide whether these pairs are reached."""
    upper, lower = (pairs.above + pairs.margin)[close, None], (pairs.below - pairs.margin)[close, None]
    statistics = pairs.statistics(sums, close[:, None], np.arange(sums.shape[1])[None])
    is_possible = statistics >= lower.astype(pairs.dtype)
    pair, resample = np.nonzero(is_possible & (statistics < upper.astype(pairs.dtype)))
    return _Entries(close[pair], resample)


def _add_close_calls(
    counts: IntArray, calls: _Entries, scores: CentredScores, pairs: _Pairs, words: SignWords
) -> None:
    is_reached = _exact(scores, pairs, words, calls) >= pairs.edge[calls.pair]
    counts += np.bincount(calls.pair[is_reached], minlength=counts.size)


def _count_unsure(portion: _Portion, unsure: _Entries, low: Statistics) -> IntArray:
    """Count, of the entries that the maximum may reach, those that it reaches, a few resamples at a time."""
    size = portion.pairs.edge.size
    order = np.argsort(unsure.resample, kind="stable")
    pair, resample = unsure.pair[order], unsure.resample[order]
    counts = np.zeros(size, dtype=np.int64)
    step = max(1, RECOMPUTED_AT_ONCE // size)
    starts = [*np.unique(resample, return_index=True)[1][::step].tolist(), resample.size]
    for start, stop in itertools.pairwise(starts):
        some = _Entries(pair[start:stop], resample[start:stop])
        counts += np.bincount(some.pair[_is_reached(portion, some, low)], minlength=size)
    return counts


def _is_reached(portion: _Portion, unsure: _Entries, low: Statistics) -> BoolArray:
    """Whether the maximum up to each pair reaches its edge, by the exact statistics of all that may be the maximum."""
    pairs = portion.pairs
    resamples, row = np.unique(unsure.resample, return_inverse=True)
    least = np.full(resamples.size, np.inf)
    np.minimum.at(least, row, pairs.below[unsure.pair])
    # What lies below a bound on the maximum of earlier pairs is not the maximum.
    known = _before(low, int(unsure.pair.min()) // pairs.group)[0, resamples]
    least = np.maximum(least, known * (1 - ROUNDING_OF_FLOAT32))
    pair, row_of_pair = _candidates(portion, resamples, least, int(unsure.pair.max()))
    order = np.lexsort((pair, row_of_pair))
    pair, row_of_pair = pair[order], row_of_pair[order]
    exact = _exact(portion.scores, pairs, portion.words, _Entries(pair, resamples[row_of_pair]))
    # Maxima so far within each resample: by ranks, of which those of a later resample are above all earlier ones.
    values, rank = np.unique(np.append(exact, -np.inf), return_inverse=True)
    so_far = np.maximum.accumulate(values.size * row_of_pair + rank[:-1])
    keys = pairs.edge.size * row_of_pair + pair
    n_before = np.searchsorted(keys, pairs.edge.size * row + unsure.pair, side="right")
    best = np.append(so_far, 0)[n_before - 1] - values.size * row
    return np.asarray(values[np.maximum(best, 0)] >= pairs.edge[unsure.pair])


def _candidates(
    portion: _Portion, resamples: IntArray, least: FloatArray, last: int
) -> tuple[IntArray, IntArray]:
    """Pairs up to the last whose statistic may be as large as the least, and places of their resamples."""
    pairs, n_groups = portion.pairs, last // portion.pairs.group + 1
    group, row = np.nonzero(portion.largest[:n_groups, resamples] >= least - 2 * portion.widest[:n_groups])
    members = pairs.group * group + np.arange(pairs.group)[:, None]
    rough = pairs.statistics(portion.sums, members, resamples[row])
    may_reach = (rough >= least[row] - 2 * pairs.margin[members]) & (members <= last)
    member, column = np.nonzero(may_reach)
    return members[member, column], row[column]


def _exact(scores: CentredScores, pairs: _Pairs, words: SignWords, entries: _Entries) -> FloatArray:
    """Statistics in float64."""
    sizes = np.empty(entries.pair.size)
    n = scores.values.shape[1]
    step = max(1, RECOMPUTED_AT_ONCE // n)
    for start in range(0, sizes.size, step):
        pair, resample = (part[start : start + step] for part in entries)
        differences = pair_differences(scores, pairs.left[pair], pairs.right[pair])
        signs = signs_of(words[resample], n)
        sizes[start : start + step] = np.abs(np.einsum("ij,ij->i", differences, signs))
    return sizes * pairs.scale[entries.pair]
