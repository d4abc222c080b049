r"""Soft pairwise accuracy of all pairs of swapped metrics, with p-values from random permutations of systems.

With R the flips shared by everybody (permutations × segments), the sums :math:`R (c \circ M)^\top` are formed once a
metric and resample. A random swap of systems i and j flips the sign of their difference on the flipped segments F, so
the difference falls by :math:`2 \sum_{s \in F} d_s`: it is at least the observed one when that sum is not positive.
After swapping metrics M and N by a mask the sum is :math:`b_M - v_M + v_N`, with b over all segments of F and v over
the swapped ones, each the difference of systems i and j. Comparing :math:`v_N` with :math:`v_M - b_M` needs one look
at two arrays a metric; the swapped scores themselves are never formed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray
from betterthan.kernels.agreement.system_means import MeanPairs
from betterthan.kernels.compiled import compiled, is_loaded
from betterthan.kernels.metric_swaps.masks import SwapMasks
from betterthan.kernels.sign_flips.exact import TIE_TOLERANCE
from betterthan.kernels.sign_flips.permutation import random_signs

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
