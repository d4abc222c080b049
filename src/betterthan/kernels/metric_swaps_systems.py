r"""Soft pairwise accuracy of all pairs of metrics when whole systems are swapped: a table of p-values and one product.

A swap gives each of two systems i and j the scores of M or of N, so that the p-value of the pair is one of four. All of
them stand in one table, the p-values of system i scored by one metric against system j scored by another, which is
made once. What a resample needs of it is a choice of one in four for each pair of systems: a product with a matrix of
zeros and ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

from betterthan.arrays import FloatArray
from betterthan.kernels.exact import TIE_TOLERANCE
from betterthan.kernels.metric_swaps_analytic import ALL_CANCELLED
from betterthan.kernels.metric_swaps_monte_carlo import PackedFlips, unpacked
from betterthan.kernels.metric_swaps_statistics import Pairs
from betterthan.kernels.swap_masks import SwapMasks

MOST_BYTES = 256 * 2**20
PairTable = Callable[[int, int], FloatArray]


def fits_in_table(k: int, n_pairs: int) -> bool:
    """Whether the distances of all pairs of metrics and systems are few enough to be kept."""
    return 32 * n_pairs * k * k <= MOST_BYTES


def swapped_system_values(distances: FloatArray, pairs: Pairs, masks: SwapMasks) -> FloatArray:
    """Soft pairwise accuracy of every metric after swapping with every other: shape (b, k, k).

    Parameters
    ----------
    distances : array, shape (4, P, k, k)
        From :func:`system_distances`.
    pairs : Pairs
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


def system_distances(table: PairTable, human: FloatArray, pairs: Pairs, k: int) -> FloatArray:
    """Distance to the human p-value for each of the four ways in which a pair of systems is scored: (4, P, k, k).

    Parameters
    ----------
    table : callable
        ``table(i, j)[A, B]`` is the p-value that system i, scored by A, is better than system j, scored by B.
    human : array, shape (P,)
    pairs : Pairs
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
