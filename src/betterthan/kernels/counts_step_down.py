r"""Family-wise control over all pairs of systems for scores of summed counts (F1, MCC): the resampled maximum.

Every resample swaps the same segments for all
pairs, and its largest statistic is what the observed ones are compared with. No p-value is multiplied by the number of
pairs, so a clear difference stays significant however many systems there are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.counts_permutation import Formula
from betterthan.kernels.exact import TIE_TOLERANCE
from betterthan.kernels.permutation import portions, random_signs


def swap_spread(
    counts: FloatArray, n_resamples: int, rng: np.random.Generator, *, formula: Formula
) -> FloatArray:
    r"""Root mean square of every pair's difference of scores when segments are swapped at random.

    It makes pairs comparable: two systems that rarely differ have small differences by chance, two that often do have
    large ones.

    Parameters
    ----------
    counts : array, shape (m, n, k)
    n_resamples : int
    rng : numpy.random.Generator
    formula : callable
        From sums of shape (…, k) to scores of shape (…).

    Returns
    -------
    array, shape (m, m)
        Symmetric; 1 where swaps change nothing or the score is undefined.

    Examples
    --------
    >>> counts = np.array([[[1.0], [1.0]], [[0.0], [0.0]]])
    >>> swap_spread(counts, 500, np.random.default_rng(0), formula=lambda sums: sums[..., 0]).round(1)
    array([[1. , 1.5],
           [1.5, 1. ]])
    """
    left, right = np.triu_indices(len(counts), 1)
    squares, known = np.zeros(left.size), np.zeros(left.size)
    for swapped in _swapped(counts, n_resamples, rng, formula):
        defined = ~np.isnan(swapped)
        squares += (np.where(defined, swapped, 0.0) ** 2).sum(axis=0)
        known += defined.sum(axis=0)
    spread = np.sqrt(squares / np.maximum(known, 1))
    table = np.ones((len(counts), len(counts)))
    table[left, right] = np.where(spread > 0, spread, 1.0)
    table[right, left] = table[left, right]
    return table


def counts_maximum_block(
    counts: FloatArray, spread: FloatArray, n_resamples: int, rng: np.random.Generator, *, formula: Formula
) -> IntArray:
    r"""Tally one block of resampled maxima for all pairs.

    With the pairs ordered by their statistics :math:`s_1 \ge s_2 \ge \dots`, differences of scores over their spread,
    the tally of pair k is

    .. math:: \#\{r : \max_{l \ge k} s^{(r)}_l \ge s_k\}.

    Parameters
    ----------
    counts : array, shape (m, n, k)
    spread : array, shape (m, m)
        From :func:`swap_spread`.
    n_resamples : int
    rng : numpy.random.Generator
    formula : callable

    Returns
    -------
    array of int, shape (m, m)
        Symmetric; tallies of blocks add up. A pair whose score is undefined in a resample counts there as reached, and
        not for others.

    References
    ----------
    .. [1] Westfall and Young (1993), Resampling-based multiple testing, Wiley, algorithm 4.1.

    Examples
    --------
    >>> right = np.array([[1.0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0]])
    >>> counts = np.stack([right, np.ones((2, 6))], axis=2)
    >>> accuracy = lambda sums: sums[..., 0] / sums[..., 1]
    >>> tallies = counts_maximum_block(counts, np.ones((2, 2)), 800, np.random.default_rng(0), formula=accuracy)
    >>> 10 < tallies[0, 1] < 40
    np.True_
    """
    m = len(counts)
    left, right = np.triu_indices(m, 1)
    scores = np.asarray(formula(counts.sum(axis=1)), dtype=np.float64)
    scale = spread[left, right]
    observed = np.abs(scores[left] - scores[right])
    slack = TIE_TOLERANCE * (np.abs(scores[left]) + np.abs(scores[right]))
    edge = np.where(np.isnan(observed), np.inf, (observed - slack) / scale)
    order = np.argsort(np.where(np.isnan(observed), -np.inf, observed / scale), kind="stable")
    reached = np.zeros(left.size, dtype=np.int64)
    for swapped in _swapped(counts, n_resamples, rng, formula):
        statistics = (np.abs(swapped) / scale)[:, order]
        undefined = np.isnan(statistics)
        largest = np.maximum.accumulate(np.where(undefined, -np.inf, statistics), axis=1)
        reached[order] += np.count_nonzero(undefined | (largest >= edge[order]), axis=0)
    tallies = np.full((m, m), n_resamples, dtype=np.int64)
    tallies[left, right] = np.where(np.isnan(observed), n_resamples, reached)
    tallies[right, left] = tallies[left, right]
    return tallies


def _swapped(
    counts: FloatArray, n_resamples: int, rng: np.random.Generator, formula: Formula
) -> Iterator[FloatArray]:
    """Yield differences of scores after random swaps, (b, pairs), the pairs as in `np.triu_indices`."""
    m, n, k = counts.shape
    totals, flat = counts.sum(axis=1), np.ascontiguousarray(counts.transpose(1, 0, 2)).reshape(n, -1)
    for size in portions(n_resamples, 8 * (n + 4 * m * k + 3 * m * m)):
        masks = (random_signs(size, n, rng) < 0).astype(np.float64)
        partial = (masks @ flat).reshape(size, m, k)
        rows = []
        for a in range(m - 1):
            moved = partial[:, a + 1 :] - partial[:, a, None]
            rows.append(np.asarray(formula(totals[a] + moved)) - np.asarray(formula(totals[a + 1 :] - moved)))
        yield np.concatenate(rows, axis=1)
