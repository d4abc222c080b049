r"""Is metric M better than metric N by soft pairwise accuracy? All pairs of metrics by swapping their scores.

Every swap changes the metrics' p-values of all pairs of systems; the human p-values stay. Let c be the mask of a
resample, :math:`U_M = (1 - c) \circ M` what metric M keeps and :math:`V_M = c \circ M` what it gives away. After the
swap M has :math:`U_M + V_N`: all that is needed is computed from U and V, once a metric, not once a pair.

Where human scores are incomplete, a pair of systems is compared on the segments that both have. Its difference
and the sum of its squares are linear in the mask of swapped segments, so each is one product per metric; p-values are
the normal tails of the sign-flip distribution.

Where whole systems are swapped, each of two systems i and j gets the scores of M or of N, so that the p-value of the
pair is one of four. All of them are in one table, computed once; a resample is a choice of one in four for each pair of
systems: a product with a matrix of zeros and ones.

Soft pairwise accuracy of all pairs of swapped metrics, with p-values from sums and second moments.

The normal tail of a pair of systems needs :math:`\sum d` and :math:`\sum d^2`. Where whole segments are swapped both
are linear in the mask: one product with d² of each metric serves all pairs of metrics. Other masks mix two metrics
within a segment; their second moments come from products of what is kept with what is given away.

Soft pairwise accuracy of all pairs of swapped metrics, with p-values from random permutations of systems.

With R the flips shared by everybody (permutations × segments), the sums :math:`R (c \circ M)^\top` are formed once a
metric and resample. A random swap of systems i and j flips the sign of their difference on the flipped segments F, so
the difference falls by :math:`2 \sum_{s \in F} d_s`: it is at least the observed one when that sum is not positive.
After swapping metrics M and N by a mask the sum is :math:`b_M - v_M + v_N`, with b over all segments of F and v over
the swapped ones, each the difference of systems i and j. Comparing :math:`v_N` with :math:`v_M - b_M` needs one look
at two arrays a metric; the swapped scores themselves are never formed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import BetterThanError, NotEstimable, unknown_name
from betterthan.kernels.agreement.system_means import MeanPairs, pairs_of
from betterthan.kernels.compiled import compiled, is_loaded
from betterthan.kernels.metric_swaps.masks import (
    Streams,
    SwapMasks,
    SwapScheme,
    masked_sums,
    masks_in_portions,
)
from betterthan.kernels.metric_swaps.means import check_metrics
from betterthan.kernels.sign_flips.analytic import normal_tails
from betterthan.kernels.sign_flips.exact import TIE_TOLERANCE
from betterthan.kernels.sign_flips.permutation import random_signs

SQUARES_BYTES = 24 * 2**20
ANALYTIC_AT_ONCE = (
    128  # resamples whose k × k tables are worked on together, so that they stay near the processor
)
ALL_CANCELLED = 1e-12  # a second moment below this share of its terms is 0


def analytic_bytes(shape: tuple[int, ...], pairs: MeanPairs) -> int:
    """Memory that a resample needs."""
    k, m, n = shape
    return 8 * (k * (k + m + min(pairs.first.size, _pairs_at_once(shape))) + n)


def _pairs_at_once(shape: tuple[int, ...]) -> int:
    return max(1, SQUARES_BYTES // max(1, 8 * shape[0] * shape[2]))


def analytic_values(metrics: FloatArray, human: FloatArray, pairs: MeanPairs, masks: SwapMasks) -> FloatArray:
    r"""Soft pairwise accuracy of every metric after swapping with every other: shape (b, k, k).

    .. math:: p_{ij} = \bar\Phi\Bigl(\sum d / \sqrt{\textstyle\sum d^2}\Bigr)

    Parameters
    ----------
    metrics : array, shape (k, m, n)
    human : array, shape (P,)
        Human p-values of the pairs of systems.
    pairs : MeanPairs
    masks : SwapMasks
        b swaps of metrics.

    Returns
    -------
    array, shape (b, k, k)
        ``[r, M, N]`` is the value of M after swapping with N. Systems without any difference have p = ½.
    """
    if masks.systems is None and masks.single is None:
        return _by_segments(metrics, human, pairs, masks)
    values = [_by_cells(metrics, human, pairs, masks.of(r)) for r in range(masks.n_resamples)]
    return np.stack(values)


def _by_segments(metrics: FloatArray, human: FloatArray, pairs: MeanPairs, masks: SwapMasks) -> FloatArray:
    """Masks of whole segments. Resamples are the last axis, so that every step runs along them."""
    k, _, n = metrics.shape
    given = np.ascontiguousarray(masked_sums(metrics, masks).T)  # (m, k, b)
    by_mask = np.asarray(masks.segments, dtype=np.float64).T
    distance = np.zeros((k, k, masks.n_resamples))
    space = np.empty((2, k, k, min(ANALYTIC_AT_ONCE, masks.n_resamples)))
    step = _pairs_at_once(metrics.shape)
    for start in range(0, human.size, step):
        first, second = pairs.first[start : start + step], pairs.second[start : start + step]
        difference = np.ascontiguousarray((metrics[:, first] - metrics[:, second]).transpose(1, 0, 2))
        total = difference.sum(axis=2)
        difference **= 2
        power = difference.sum(axis=2)
        moved_power = (difference.reshape(-1, n) @ by_mask).reshape(first.size, k, -1)
        for p in range(first.size):
            moved = given[first[p]] - given[second[p]]
            nothing = ALL_CANCELLED * (power[p, :, None] + power[p])[:, :, None]
            for some in (
                slice(r, r + ANALYTIC_AT_ONCE) for r in range(0, masks.n_resamples, ANALYTIC_AT_ONCE)
            ):
                v, w = moved[:, some], moved_power[p][:, some]
                now = space[:, :, :, : v.shape[1]]
                np.add((total[p, :, None] - v)[:, None], v, out=now[0])
                np.add((power[p, :, None] - w)[:, None], w, out=now[1])
                distance[:, :, some] += _distances(now[0], now[1], nothing, human[start + p])
    return np.ascontiguousarray((1.0 - distance / human.size).transpose(2, 0, 1))


def _distances(
    total: FloatArray, second: FloatArray, nothing: FloatArray, human: float | FloatArray
) -> FloatArray:
    """Distance of normal tails to human p-values; `total` and `second` are used up."""
    if second.min() <= nothing.max():
        second[second <= nothing] = np.inf  # no difference at all: z = 0
    np.sqrt(second, out=second)
    np.divide(total, second, out=total)
    total = normal_tails(total)
    total -= human
    return np.abs(total, out=total)


def _by_cells(metrics: FloatArray, human: FloatArray, pairs: MeanPairs, mask: SwapMasks) -> FloatArray:
    r"""Any one mask: Σ M'ᵢM'ⱼ has four terms, of which kept × given is one product for all pairs of metrics."""
    k, m, n = metrics.shape
    i, j = pairs
    given = metrics * mask.cells()
    kept = metrics - given
    mixed = (kept.reshape(k * m, n) @ given.reshape(k * m, n).T).reshape(k, m, k, m)
    kept_gram, given_gram = (x @ x.transpose(0, 2, 1) for x in (kept, given))
    # Arrays of shape (P, M, N): what M keeps depends on M, what it is given on N.
    own = _pair_sum(
        np.diagonal(kept_gram, axis1=1, axis2=2), np.diagonal(given_gram, axis1=1, axis2=2), pairs
    )
    cross = mixed[:, i, :, j] + mixed[:, j, :, i]
    cross += kept_gram[:, i, j].T[:, :, None]
    cross += given_gram[:, i, j].T[:, None, :]
    kept_sum, given_sum = kept.sum(axis=2), given.sum(axis=2)
    total = (kept_sum[:, i] - kept_sum[:, j]).T[:, :, None] + (given_sum[:, i] - given_sum[:, j]).T[
        :, None, :
    ]
    distance = _distances(total, own - 2.0 * cross, ALL_CANCELLED * own, human[:, None, None])
    return np.asarray(1.0 - distance.mean(axis=0))


def _pair_sum(kept: FloatArray, given: FloatArray, pairs: MeanPairs) -> FloatArray:
    """Squares of both systems of a pair: (k, m) twice to (P, k, k)."""
    from_own = (kept[:, pairs.first] + kept[:, pairs.second]).T
    from_other = (given[:, pairs.first] + given[:, pairs.second]).T
    return np.asarray(from_own[:, :, None] + from_other[:, None, :])


Int32Array = npt.NDArray[np.int32]
SwapCounter = Callable[[FloatArray, FloatArray, MeanPairs, FloatArray, Int32Array], None]

FLAG_BYTES = 2**19  # flags of one step, so that they stay near the processor
WORTH_COMPILING = 3e9  # comparisons, about two seconds without machine code
MOST_IN_BYTES = 8 * 255  # permutations that can be counted eight bytes at a time


def counter_for(n_comparisons: float) -> SwapCounter:
    """Choose machine code when numba is there and the work is worth it; the counts are the same."""
    if is_loaded() or n_comparisons >= WORTH_COMPILING:
        machine_code = compiled(count_loop)
        if machine_code is not None:
            return lambda swapped, base, pairs, slack, counts: machine_code(
                swapped, base, pairs.first, pairs.second, slack, counts
            )
    return count_reached


def count_reached(
    swapped: FloatArray, base: FloatArray, pairs: MeanPairs, slack: FloatArray, counts: Int32Array
) -> None:
    r"""Add to ``counts[p, M, N]`` the permutations in which :math:`v_N \le v_M - b_M`, but for rounding.

    Parameters
    ----------
    swapped, base : array, shape (k, m, q)
        Sums of each system of each metric over the flipped segments of q permutations: the swapped ones, and all.
    pairs : MeanPairs
        Systems i < j, P of them.
    slack : array, shape (k, P)
        What rounding may do to the sums of a metric.
    counts : array of int32, shape (P, k, k)
        Added to in place.

    Examples
    --------
    >>> swapped = np.zeros((2, 2, 3))
    >>> base = np.array([[[1.0, -1.0, 0.0], [0.0, 0.0, 0.0]], [[-1.0, -1.0, -1.0], [0.0, 0.0, 0.0]]])
    >>> counts = np.zeros((1, 2, 2), dtype=np.int32)
    >>> count_reached(swapped, base, MeanPairs(np.array([0]), np.array([1])), np.zeros((2, 1)), counts)
    >>> counts[0]  # nothing is swapped: each metric by itself
    array([[2, 2],
           [3, 3]], dtype=int32)
    """
    k, _, q = swapped.shape
    step = max(1, FLAG_BYTES // (8 * k * -(-q // 8)))
    flags = np.zeros((min(step, k), k, -(-q // 8) * 8), dtype=bool)  # rows padded to whole words, with False
    eights = flags.view(np.uint64)
    reached, bound = np.empty((2, k, q))
    for p, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        v = np.subtract(swapped[:, i], swapped[:, j])
        np.subtract(base[:, i], base[:, j], out=bound)
        np.subtract(v, bound, out=bound)
        bound += slack[:, p, None]
        np.subtract(v, slack[:, p, None], out=reached)
        for start in range(0, k, step):
            rows = slice(start, start + step)
            used = slice(0, min(step, k - start))
            np.less_equal(reached[None], bound[rows, None], out=flags[used, :, :q])
            counts[p, rows] += _counted(eights[used], q)


def _counted(eights: npt.NDArray[np.uint64], q: int) -> Int32Array:
    """Count flags, eight at a time while the bytes of a sum do not overflow."""
    parts = range(0, eights.shape[-1], MOST_IN_BYTES // 8)
    lanes = [np.add.reduce(eights[..., start : start + MOST_IN_BYTES // 8], axis=-1) for start in parts]
    total = np.zeros(eights.shape[:-1], dtype=np.int32)
    for lane in lanes if q else []:
        total += lane[..., None].view(np.uint8).sum(axis=-1, dtype=np.int32)
    return total


def count_loop(
    swapped: FloatArray,
    base: FloatArray,
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    slack: FloatArray,
    counts: Int32Array,
) -> None:
    """Do what :func:`count_reached` does, as loops to be compiled; four metrics N share each look at M."""
    k, _, q = swapped.shape
    reached, bound = np.zeros((2, k, q))
    fours = k - k % 4
    for p in range(first.size):
        i, j = first[p], second[p]
        for a in range(k):
            for s in range(q):
                v = swapped[a, i, s] - swapped[a, j, s]
                reached[a, s] = v - slack[a, p]
                bound[a, s] = v - (base[a, i, s] - base[a, j, s]) + slack[a, p]
        for b in range(0, fours, 4):
            r0, r1, r2, r3 = reached[b], reached[b + 1], reached[b + 2], reached[b + 3]
            for a in range(k):
                row = bound[a]
                n0 = n1 = n2 = n3 = 0
                for s in range(q):
                    x = row[s]
                    n0 += r0[s] <= x
                    n1 += r1[s] <= x
                    n2 += r2[s] <= x
                    n3 += r3[s] <= x
                counts[p, a, b] += n0
                counts[p, a, b + 1] += n1
                counts[p, a, b + 2] += n2
                counts[p, a, b + 3] += n3
        for b in range(fours, k):
            r0 = reached[b]
            for a in range(k):
                row = bound[a]
                n0 = 0
                for s in range(q):
                    n0 += r0[s] <= row[s]
                counts[p, a, b] += n0


AT_ONCE = 2000  # permutations, 20 MB of flips for 1300 segments
FLIP_BYTES = 32 * 2**20


class PackedFlips(NamedTuple):
    """Which segments each permutation flips, a bit each: array of uint8, shape (q, ⌈n / 8⌉), and n."""

    bits: npt.NDArray[np.uint8]
    n_segments: int


def packed_flips(n_permutations: int, n_segments: int, rng: np.random.Generator) -> PackedFlips:
    """Draw the signs of :func:`betterthan.kernels.sign_flips.permutation.permutation_block` and keep the flips.

    Examples
    --------
    >>> flips = packed_flips(2, 5, np.random.default_rng(0))
    >>> np.unpackbits(flips.bits, axis=1, count=5)
    array([[0, 0, 0, 0, 0],
           [0, 1, 1, 1, 1]], dtype=uint8)
    """
    starts = range(0, n_permutations, AT_ONCE)
    sizes = [min(AT_ONCE, n_permutations - start) for start in starts]
    parts = [np.packbits(random_signs(size, n_segments, rng) < 0, axis=1) for size in sizes]
    return PackedFlips(np.concatenate(parts), n_segments)


def monte_carlo_bytes(shape: tuple[int, ...], pairs: MeanPairs) -> int:
    """Memory that a resample needs for its counts."""
    return 4 * pairs.first.size * shape[0] ** 2


def monte_carlo_values(
    metrics: FloatArray,
    human: FloatArray,
    pairs: MeanPairs,
    flips: PackedFlips,
    work: float,
    masks: SwapMasks,
) -> FloatArray:
    """Soft pairwise accuracy of every metric after swapping with every other: shape (b, k, k).

    Parameters
    ----------
    metrics : array, shape (k, m, n)
    human : array, shape (P,)
        Human p-values of the pairs of systems.
    pairs : MeanPairs
    flips : PackedFlips
        Permutations of systems, shared by all.
    work : float
        Comparisons in the whole job, which decides whether to compile.
    masks : SwapMasks
        b swaps of metrics.

    Returns
    -------
    array, shape (b, k, k)
        ``[r, M, N]`` is the value of M after swapping with N.
    """
    k, m, n = metrics.shape
    counter = counter_for(work)
    size = np.abs(metrics).sum(axis=2)
    slack = TIE_TOLERANCE * (size[:, pairs.first] + size[:, pairs.second])
    counts = np.zeros((masks.n_resamples, pairs.first.size, k, k), dtype=np.int32)
    by_segment = np.ascontiguousarray(metrics.reshape(k * m, n).T)
    for chosen in unpacked(flips):
        base = (by_segment.T @ chosen).reshape(k, m, -1)
        for swapped, count in zip(_swapped_sums(by_segment, masks, chosen, base), counts, strict=True):
            counter(swapped, base, pairs, slack, count)
    gaps = [np.abs(human[:, None, None] - count / len(flips.bits)).mean(axis=0) for count in counts]
    return 1.0 - np.stack(gaps)


def unpacked(flips: PackedFlips) -> Iterator[FloatArray]:
    """Flips as 0 and 1, shape (n, q), some permutations at a time."""
    step = max(1, min(AT_ONCE, FLIP_BYTES // (8 * max(1, flips.n_segments))))
    for start in range(0, len(flips.bits), step):
        bits = np.unpackbits(flips.bits[start : start + step], axis=1, count=flips.n_segments)
        yield np.ascontiguousarray(bits.T.astype(np.float64))


def _swapped_sums(
    by_segment: FloatArray, masks: SwapMasks, flips: FloatArray, base: FloatArray
) -> Iterator[FloatArray]:
    """Sums over the flipped segments of what each metric gives away, (k, m, q), a mask at a time in the same memory."""
    k, m, _ = base.shape
    if masks.single is not None:
        for cells in masks.single:
            given = by_segment.reshape(-1, k, m) * cells.T[:, None, :]
            yield np.asarray((given.reshape(-1, k * m).T @ flips).reshape(base.shape))
        return
    sums_of_segments: Iterator[FloatArray] = (
        (np.zeros_like(base) for _ in range(masks.n_resamples))
        if masks.segments is None
        else _sums_of_segments(by_segment, masks.segments, flips)
    )
    for r, sums in enumerate(sums_of_segments):
        by_system = sums.reshape(base.shape)
        if masks.systems is not None:
            systems = np.flatnonzero(masks.systems[r])
            by_system[:, systems] = base[:, systems] - by_system[:, systems]
        yield by_system


def _sums_of_segments(by_segment: FloatArray, segments: BoolArray, flips: FloatArray) -> Iterator[FloatArray]:
    """Sums over the flipped ones of some segments: shape (k m, q).

    Two masks share a quarter of the segments, whose product is formed once for both: three quarters instead of a whole.
    """
    columns, q = by_segment.shape[1], flips.shape[1]
    shared, sums = np.empty((2, columns, q))
    space = np.empty((len(flips), columns)), np.empty(flips.shape)

    def product(chosen: BoolArray, out: FloatArray) -> FloatArray:
        rows = np.flatnonzero(chosen)
        scores, flipped = (part[: rows.size] for part in space)
        by_segment.take(rows, axis=0, out=scores, mode="clip")
        flips.take(rows, axis=0, out=flipped, mode="clip")
        return np.matmul(scores.T, flipped, out=out)

    for start in range(0, len(segments) - 1, 2):
        one, other = segments[start : start + 2]
        product(one & other, shared)
        for own in (one & ~other, other & ~one):
            yield np.add(product(own, sums), shared, out=sums)
    if len(segments) % 2:
        yield product(segments[-1], sums)


def soft_values_with_gaps(
    metrics: FloatArray, human_p: FloatArray, streams: Streams
) -> tuple[FloatArray, Iterator[FloatArray]]:
    r"""Observed values (k,), and the values (b, k, k) after swaps of whole segments, portion by portion.

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        Standardized scores; NaN in cells without a human score, the same for all metrics.
    human_p : array, shape (m, m)
        One-sided p-values of human scores; pairs that are NaN are left out.
    streams : sequence of (int, numpy.random.Generator)
        How many masks to draw from which generators; they are those of
        :func:`betterthan.kernels.metric_swaps.masks.draw_masks`, "perm_inputs".

    Returns
    -------
    observed : array, shape (k,)
    values : iterator of arrays, shape (b, k, k)
        ``values[r, M, N]`` is the value of M after swapping with N in resample r.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(4.0)[:, None] / 3 + rng.normal(size=(4, 30))
    >>> metrics = np.stack([human + rng.normal(size=(4, 30)), rng.normal(size=(4, 30))])
    >>> metrics[:, 0, :10] = np.nan
    >>> human_p = np.full((4, 4), 0.1)
    >>> observed, values = soft_values_with_gaps(metrics, human_p, [(5, rng)])
    >>> observed.shape, next(values).shape
    ((2,), (5, 2, 2))
    """
    k, m, n = metrics.shape
    first, second = np.triu_indices(m, 1)
    known = ~np.isnan(human_p[first, second])
    if not known.any():
        raise NotEstimable(
            "Soft pairwise accuracy does not exist: no two systems were judged on the same segments."
        )
    human = human_p[first, second][known]
    gap = np.nan_to_num(metrics[:, first[known]] - metrics[:, second[known]])  # (k, pairs, n); 0 adds nothing
    square = gap**2
    total, power = gap.sum(axis=2), square.sum(axis=2)
    observed = _accuracy(total, power, human)

    def values() -> Iterator[FloatArray]:
        for masks in masks_in_portions("perm_inputs", streams, (m, n), 8 * (n + 5 * k * human.size)):
            mask = np.asarray(masks.segments, dtype=np.float64)
            moved, moved_power = (
                mask @ gap.transpose(0, 2, 1),
                mask @ square.transpose(0, 2, 1),
            )  # (k, b, pairs)
            found = np.empty((len(mask), k, k))
            for i in range(k):
                kept = total[i] - moved[i] + moved
                found[:, i] = _accuracy(kept, power[i] - moved_power[i] + moved_power, human).T
            yield found

    return observed, values()


def _accuracy(total: FloatArray, power: FloatArray, human: FloatArray) -> FloatArray:
    """Mean of 1 − |p − human| over pairs, the last axis; a pair without differences has p = ½."""
    flat = power <= 1e-12 * np.abs(power).max(initial=0.0)
    z = np.where(flat, 0.0, total / np.sqrt(np.where(flat, 1.0, power)))
    return np.asarray(1 - np.abs(special.ndtr(-z) - human).mean(axis=-1))


MOST_BYTES = 256 * 2**20
PairTable = Callable[[int, int], FloatArray]


def fits_in_table(k: int, n_pairs: int) -> bool:
    """Whether the distances of all pairs of metrics and systems are few enough to be kept."""
    return 32 * n_pairs * k * k <= MOST_BYTES


def swapped_system_values(distances: FloatArray, pairs: MeanPairs, masks: SwapMasks) -> FloatArray:
    """Soft pairwise accuracy of every metric after swapping with every other: shape (b, k, k).

    Parameters
    ----------
    distances : array, shape (4, P, k, k)
        From :func:`system_distances`.
    pairs : MeanPairs
    masks : SwapMasks
        b swaps of whole systems, or of nothing.
    """
    _, n_pairs, k, _ = distances.shape
    swapped = (
        np.zeros((masks.n_resamples, masks.shape[0]), dtype=bool) if masks.systems is None else masks.systems
    )
    code = 2 * swapped[:, pairs.first] + swapped[:, pairs.second]
    chosen = (code[:, None, :] == np.arange(4)[:, None]).astype(np.float64)
    total = chosen.reshape(len(code), -1) @ distances.reshape(4 * n_pairs, k * k)
    return np.asarray(1.0 - total.reshape(-1, k, k) / n_pairs)


def system_distances(table: PairTable, human: FloatArray, pairs: MeanPairs, k: int) -> FloatArray:
    """Distance to the human p-value for each of the four ways in which a pair of systems is scored: (4, P, k, k).

    Parameters
    ----------
    table : callable
        ``table(i, j)[A, B]`` is the p-value that system i, scored by A, is better than system j, scored by B.
    human : array, shape (P,)
    pairs : MeanPairs
    k : int

    Returns
    -------
    array, shape (4, P, k, k)
        ``[c, p, M, N]``: of metric M after swapping with N; c is 0 when neither system was swapped, 1 the second, 2 the
        first, 3 both.
    """
    distances = np.empty((4, human.size, k, k))
    for p, (i, j) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        pvalues = table(i, j)
        own = pvalues.diagonal()
        distances[0, p], distances[3, p] = own[:, None], own[None, :]
        distances[1, p], distances[2, p] = pvalues, pvalues.T
        np.abs(distances[:, p] - human[p], out=distances[:, p])
    return distances


def analytic_table(metrics: FloatArray) -> PairTable:
    r"""P-values from sums and second moments, :math:`\bar\Phi(\sum d / \sqrt{\sum d^2})`."""
    total = metrics.sum(axis=2)
    square = (metrics**2).sum(axis=2)

    def pvalues(i: int, j: int) -> FloatArray:
        both = square[:, i, None] + square[:, j]
        second = both - 2.0 * (metrics[:, i] @ metrics[:, j].T)
        second[second <= ALL_CANCELLED * both] = np.inf  # no difference at all: z = 0
        return np.asarray(special.ndtr((total[:, j] - total[:, i, None]) / np.sqrt(second)))

    return pvalues


def monte_carlo_table(metrics: FloatArray, flips: PackedFlips) -> PairTable:
    """P-values as shares of permutations that reach the observed difference."""
    k, m, n = metrics.shape
    by_segment = metrics.reshape(k * m, n)
    sums = np.concatenate([by_segment @ chosen for chosen in unpacked(flips)], axis=1).reshape(k, m, -1)
    slack = 2 * TIE_TOLERANCE * np.abs(metrics).sum(axis=2)

    def pvalues(i: int, j: int) -> FloatArray:
        first = sums[:, i] - slack[:, i, None]
        second = sums[:, j] + slack[:, j, None]
        counts = [np.count_nonzero(row <= second, axis=1) for row in first]
        return np.stack(counts) / sums.shape[2]

    return pvalues


def soft_values(
    metrics: FloatArray,
    human_p: FloatArray,
    scheme: SwapScheme,
    streams: Streams,
    *,
    p_values: Literal["analytic", "monte_carlo"] = "analytic",
    n_permutations: int = 1000,
    signs_rng: np.random.Generator | None = None,
    n_in_job: int = 0,
) -> tuple[FloatArray, Iterator[FloatArray]]:
    r"""Observed soft pairwise accuracies (k,), and those after swaps (b, k, k), portion by portion.

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        Scores :func:`~betterthan.kernels.metric_swaps.means.standardised`, complete. When units of several segments are
        swapped, their sums.
    human_p : array, shape (m, m)
        One-sided p-values of human scores; pairs i < j that are NaN are left out.
    scheme : {"perm_inputs", "perm_systems", "perm_both", "perm_cells"}
        What is swapped; see :func:`betterthan.kernels.metric_swaps.masks.draw_masks`.
    streams : sequence of (int, numpy.random.Generator)
        How many masks to draw from which generators, one after the other.
    p_values : {"analytic", "monte_carlo"}
        * "analytic": normal tails of the sign-flip distribution.
        * "monte_carlo": the share b / B of `n_permutations` random permutations of each pair of systems, as published,
          the same permutations for every swap.
    n_permutations : int, default 1000
    signs_rng : numpy.random.Generator
        For the permutations of "monte_carlo". Every block must get it in the same state, that of the human
        p-values and of the metrics' own.
    n_in_job : int
        Number of resamples in the whole job where these are a part of it.

    Returns
    -------
    observed : array, shape (k,)
    values : iterator of arrays, shape (b, k, k)
        ``values[r, M, N]`` is the value of M after swapping with N in resample r.

    Raises
    ------
    NotEstimable
        When no pair of systems has a human p-value.

    Notes
    -----
    The test is exact for any statistic, so the normal tails serve although
    :func:`betterthan.kernels.agreement.soft_pairwise.one_sided_pvalues` goes one term farther for the value shown
    (0.003 apart at most for 20 segments or more). Monte Carlo sums within rounding of the observed one are ties and
    count.

    Where whole systems are swapped, the k² m² / 2 p-values that can occur are made once, and a resample is one product
    of 2 k² m² terms. Cost a resample of the other schemes, for k metrics, m systems, n segments and q permutations:
    "analytic" k² m² / 2 normal tails, and k m² n multiplications for "perm_inputs", k² m² n for the others;
    "monte_carlo" k m n q multiplications (half of them where whole segments are swapped) and k² m² q / 2 comparisons.
    Both in portions of at most about 64 MB; the cut changes nothing.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation
       of automatic metrics via soft pairwise accuracy, WMT, sections 3.3 and 4.4.

    Examples
    --------
    >>> from betterthan.kernels.metric_swaps.means import standardised
    >>> from betterthan.kernels.agreement.soft_pairwise import one_sided_pvalues
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(6.0)[:, None] / 4 + rng.normal(size=(6, 40))
    >>> metrics = standardised(np.stack([human + rng.normal(size=(6, 40)), rng.normal(size=(6, 40))]))
    >>> human_p = one_sided_pvalues(human, "analytic")
    >>> observed, portions = soft_values(metrics, human_p, "perm_inputs", [(999, rng)])
    >>> values = np.concatenate(list(portions))
    >>> lead = values[:, 0, 1] - values[:, 1, 0]
    >>> int(np.sum(lead >= observed[0] - observed[1]))
    6
    """
    check_metrics(metrics, len(human_p))
    pairs, human = _known_pairs(human_p)
    k, m, n = metrics.shape
    values_of: Callable[[SwapMasks], FloatArray]
    in_table = scheme == "perm_systems" and fits_in_table(k, human.size)
    if in_table and p_values in {"analytic", "monte_carlo"}:
        table = (
            analytic_table(metrics)
            if p_values == "analytic"
            else monte_carlo_table(metrics, packed_flips(n_permutations, n, _required(signs_rng)))
        )
        values_of = partial(swapped_system_values, system_distances(table, human, pairs, k), pairs)
        each = 32 * human.size + 8 * k * k
    elif p_values == "analytic":
        values_of = partial(analytic_values, metrics, human, pairs)
        each = analytic_bytes(metrics.shape, pairs)
    elif p_values == "monte_carlo":
        flips = packed_flips(n_permutations, n, _required(signs_rng))
        n_resamples = max(n_in_job, sum(size for size, _ in streams))
        work = float(n_resamples) * n_permutations * human.size * k * k
        values_of = partial(monte_carlo_values, metrics, human, pairs, flips, work)
        each = monte_carlo_bytes(metrics.shape, pairs)
    else:
        raise unknown_name("kind of p-values", p_values, ("analytic", "monte_carlo"))
    masks = masks_in_portions(scheme, streams, (m, n), each + (m * n if scheme == "perm_cells" else m + n))
    # Swapping nothing goes the same way as swapping something, so that ties stay ties.
    first = values_of(next(masks).with_none_first())
    return first[0].diagonal(), chain([first[1:]], map(values_of, masks))


def _known_pairs(human_p: FloatArray) -> tuple[MeanPairs, FloatArray]:
    """Pairs of systems with human p-values, and these p-values."""
    pairs = pairs_of(len(human_p))
    human = human_p[pairs.first, pairs.second]
    known = ~np.isnan(human)
    if not known.any():
        raise NotEstimable(
            f"Soft pairwise accuracy of {len(human_p)} systems does not exist: no pair has a human p-value. "
            "Two systems with human scores on the same segments are needed."
        )
    return MeanPairs(pairs.first[known], pairs.second[known]), human[known]


def _required(signs_rng: np.random.Generator | None) -> np.random.Generator:
    if signs_rng is None:
        raise BetterThanError(
            "Monte Carlo p-values need a random generator, and signs_rng is None. Pass numpy.random.default_rng(seed)."
        )
    return signs_rng
