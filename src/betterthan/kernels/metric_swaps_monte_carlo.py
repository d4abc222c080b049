r"""Soft pairwise accuracy of all pairs of swapped metrics, with p-values from random permutations of systems.

With R the flips shared by everybody (permutations × segments), the sums :math:`R (c \circ M)^\top` are formed once a
metric and resample; see :mod:`betterthan.kernels.metric_swaps_counts` for what is then compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import FloatArray
from betterthan.kernels.exact import TIE_TOLERANCE
from betterthan.kernels.metric_swaps_counts import counter_for
from betterthan.kernels.metric_swaps_statistics import Pairs
from betterthan.kernels.permutation import random_signs
from betterthan.kernels.swap_masks import SwapMasks

AT_ONCE = 2000  # permutations, 20 MB of flips for 1300 segments
FLIP_BYTES = 32 * 2**20


class PackedFlips(NamedTuple):
    """Which segments each permutation flips, a bit each: array of uint8, shape (q, ⌈n / 8⌉), and n."""

    bits: npt.NDArray[np.uint8]
    n_segments: int


def packed_flips(n_permutations: int, n_segments: int, rng: np.random.Generator) -> PackedFlips:
    """Draw the signs that :func:`betterthan.kernels.permutation.permutation_block` draws, and keep the flips.

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


def monte_carlo_bytes(shape: tuple[int, ...], pairs: Pairs) -> int:
    """Memory that a resample needs for its counts."""
    return 4 * pairs.first.size * shape[0] ** 2


def monte_carlo_values(
    metrics: FloatArray, human: FloatArray, pairs: Pairs, flips: PackedFlips, work: float, masks: SwapMasks
) -> FloatArray:
    """Soft pairwise accuracy of every metric after swapping with every other: shape (b, k, k).

    Parameters
    ----------
    metrics : array, shape (k, m, n)
    human : array, shape (P,)
        Human p-values of the pairs of systems.
    pairs : Pairs
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
        for r in range(masks.n_resamples):
            counter(_swapped_sums(by_segment, masks.of(r), chosen, base), base, pairs, slack, counts[r])
    gaps = (np.abs(human[:, None, None] - count / len(flips.bits)).mean(axis=0) for count in counts)
    return 1.0 - np.stack(list(gaps))


def unpacked(flips: PackedFlips) -> Iterator[FloatArray]:
    """Flips as 0 and 1, shape (n, q), some permutations at a time."""
    step = max(1, min(AT_ONCE, FLIP_BYTES // (8 * max(1, flips.n_segments))))
    for start in range(0, len(flips.bits), step):
        bits = np.unpackbits(flips.bits[start : start + step], axis=1, count=flips.n_segments)
        yield np.ascontiguousarray(bits.T.astype(np.float64))


def _swapped_sums(by_segment: FloatArray, mask: SwapMasks, flips: FloatArray, base: FloatArray) -> FloatArray:
    """Sums over the flipped segments of what each metric gives away: shape (k, m, q)."""
    k, m, q = base.shape
    if mask.single is not None:
        given = by_segment.reshape(-1, k, m) * mask.single[0].T[:, None, :]
        return np.asarray((given.reshape(-1, k * m).T @ flips).reshape(k, m, q))
    if mask.segments is None:
        sums = np.zeros_like(base)
    else:
        swapped = np.flatnonzero(mask.segments[0])
        sums = (by_segment[swapped].T @ flips[swapped]).reshape(k, m, q)
    if mask.systems is not None:
        systems = np.flatnonzero(mask.systems[0])
        sums[:, systems] = base[:, systems] - sums[:, systems]
    return sums
