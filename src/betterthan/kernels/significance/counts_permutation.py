"""Paired randomization and bootstrap for scores that are a formula on summed counts (BLEU, F1, MCC).

A swap of systems a and b on some segments is a 0/1 mask. With the masked sums :math:`P_s = W C_s` formed once
per system and the totals :math:`C_s`, the swapped totals of (a, b) are :math:`C_a - P_a + P_b` and
:math:`C_b - P_b + P_a`; the formula is applied to these last.

For all pairs together, every resample swaps the same segments for all pairs, and its largest statistic is what the
observed ones are compared with. No p-value is multiplied by the number of pairs, so a clear difference stays
significant however many systems there are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.resampling.bootstrap_mean import CountsFormula
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.kernels.sign_flips.exact import TIE_TOLERANCE, Alternative
from betterthan.kernels.sign_flips.permutation import (
    SignWords,
    Tallies,
    flipped_sums,
    portions,
    random_signs,
    random_words,
    signs_of,
)

EXACT_IN_FLOAT32 = 2**24


def counts_permutation_block(
    counts: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    formula: CountsFormula,
    alternative: Alternative = "two-sided",
) -> Tallies:
    r"""Tally one block of random swaps for all pairs of systems, recomputing the pooled score each time.

    .. math:: T_{ab} = f(C_a - P_a + P_b) - f(C_b - P_b + P_a), \qquad t_{ab} = f(C_a) - f(C_b)

    Parameters
    ----------
    counts : array, shape (m, n, k)
        What each segment adds; no cell may be missing.
    n_resamples : int
    rng : numpy.random.Generator
        The same generator gives the same swaps as in
        :func:`betterthan.kernels.sign_flips.permutation.permutation_block`.
    formula : callable
        From sums of shape (…, k) to scores of shape (…), higher is better.
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    Tallies
        Arrays of shape (m, m); tallies of blocks add up.

    Notes
    -----
    Statistics within 1e-12 of the two scores' size are ties. A resample on which the formula is undefined
    (NaN) counts as a tie, which can only raise p. Cost: one matrix product, and the formula on two sums a
    pair and resample.

    Examples
    --------
    >>> right = np.array([[1.0, 1, 1, 1], [0, 1, 0, 0]])
    >>> counts = np.stack([right, np.ones((2, 4))], axis=2)
    >>> accuracy = lambda sums: sums[..., 0] / sums[..., 1]
    >>> tallies = counts_permutation_block(counts, 800, np.random.default_rng(0), formula=accuracy)
    >>> int(tallies.greater[0, 1]), 150 < tallies.equal[0, 1] < 250
    (0, np.True_)
    """
    m, n, k = counts.shape
    totals = counts.sum(axis=1)
    tallies = Tallies(np.zeros((m, m), dtype=np.int64), np.zeros((m, m), dtype=np.int64))
    flat = _columns(counts)
    for size in portions(n_resamples, 8 * (n + 4 * m * k)):
        partial = _sums_of_swapped(flat, random_words(size, n, rng)).reshape(size, m, k)
        _tally_swaps(tallies, totals, partial, formula, two_sided=alternative == "two-sided")
    return Tallies(tallies.greater.T.copy(), tallies.equal) if alternative == "less" else tallies


def linearised_differences(left: FloatArray, right: FloatArray, *, formula: CountsFormula) -> FloatArray:
    r"""Contribution of each segment to the difference of two pooled scores, to second order.

    With g the gradient of the formula halfway between the two totals, swapping a segment changes the sign of

    .. math:: d_i = g \cdot (c_{ai} - c_{bi}), \qquad \sum_i d_i \approx f(C_a) - f(C_b),

    so that permutations of the pooled score are nearly sign flips of these, whose tail is known far beyond what
    permutations can reach. They are scaled so that they sum to the observed difference.

    Parameters
    ----------
    left, right : array, shape (n, k)
        Counts of the two systems.
    formula : callable

    Returns
    -------
    array, shape (n,)
        NaN where the formula is undefined halfway, or so far from linear that the two sums differ by a half.

    Examples
    --------
    >>> accuracy = lambda sums: sums[..., 0] / sums[..., 1]
    >>> right, wrong = np.array([[1.0, 1], [1, 1], [0, 1]]), np.array([[1.0, 1], [0, 1], [0, 1]])
    >>> linearised_differences(right, wrong, formula=accuracy).round(3)
    array([0.   , 0.333, 0.   ])
    """
    middle = (left.sum(axis=0) + right.sum(axis=0)) / 2
    step = 1e-4 * np.maximum(np.abs(middle), 1.0)
    moved = np.diag(step)
    gradient = (np.asarray(formula(middle + moved)) - np.asarray(formula(middle - moved))) / (2 * step)
    d = (left - right) @ gradient
    observed = float(formula(left.sum(axis=0)) - formula(right.sum(axis=0)))
    total = float(d.sum())
    if not np.isfinite(total) or total * observed <= 0 or not 0.5 < total / observed < 2:
        return np.full(len(left), np.nan)
    return np.asarray(d * (observed / total))


def _columns(counts: FloatArray) -> FloatArray:
    """Counts as (n, m k), in float32 when all sums of them are whole numbers that float32 holds."""
    flat = np.ascontiguousarray(counts.transpose(1, 0, 2)).reshape(counts.shape[1], -1)
    is_small = np.abs(flat).sum(axis=0).max(initial=0.0) < EXACT_IN_FLOAT32
    return flat.astype(np.float32) if is_small and bool((flat == np.rint(flat)).all()) else flat


def _sums_of_swapped(flat: FloatArray, words: SignWords) -> FloatArray:
    """Sums over the segments that each resample swaps, those with the sign −1: (n_resamples, columns).

    Where all sums are exact, they follow from sums with signs, C − 2 P, which need no mask.
    """
    n = len(flat)
    if flat.dtype == np.float32:
        signed = flipped_sums(np.ascontiguousarray(flat.T), np.ones((1, n), dtype=bool), words)[0]
        return np.ascontiguousarray(((flat.sum(axis=0, dtype=np.float64)[:, None] - signed) / 2).T)
    return np.asarray((signs_of(words, n) < 0).astype(np.float64) @ flat)


def _tally_swaps(
    tallies: Tallies, totals: FloatArray, partial: FloatArray, formula: CountsFormula, *, two_sided: bool
) -> None:
    m, n_resamples = len(totals), len(partial)
    scores = np.asarray(formula(totals))
    for a in range(m - 1):
        rows = slice(a + 1, m)
        moved = partial[:, rows] - partial[:, a, None]
        flipped = np.asarray(formula(totals[a] + moved)) - np.asarray(formula(totals[rows] - moved))
        observed = scores[a] - scores[rows]
        slack = TIE_TOLERANCE * (np.abs(scores[a]) + np.abs(scores[rows]))
        flipped, observed = (np.abs(flipped), np.abs(observed)) if two_sided else (flipped, observed)
        greater = np.count_nonzero(flipped > observed + slack, axis=0)
        less = np.count_nonzero(flipped < observed - slack, axis=0)
        equal = n_resamples - greater - less
        tallies.greater[a, rows] += greater
        tallies.greater[rows, a] += greater if two_sided else less
        tallies.equal[a, rows] += equal
        tallies.equal[rows, a] += equal
    tallies.equal[np.diag_indices(m)] += n_resamples


def counts_bootstrap_block(
    counts: FloatArray, n_resamples: int, rng: np.random.Generator, *, formula: CountsFormula
) -> FloatArray:
    """Pooled scores of one block of bootstrap samples: draw counts times counts, then the formula.

    Parameters
    ----------
    counts : array, shape (m, n, k)
        Segments, or documents as their sums.
    n_resamples : int
    rng : numpy.random.Generator
    formula : callable
        From sums of shape (…, k) to scores of shape (…).

    Returns
    -------
    array, shape (n_resamples, m)
        The same draws for all systems, so differences of columns are paired.

    Examples
    --------
    >>> counts = np.ones((2, 5, 1))
    >>> counts_bootstrap_block(counts, 3, np.random.default_rng(0), formula=lambda sums: sums[..., 0])
    array([[5., 5.],
           [5., 5.],
           [5., 5.]])
    """
    m, n, k = counts.shape
    flat = _columns(counts)
    blocks = []
    for size in portions(n_resamples, 24 * (n + m * k)):
        weights = bootstrap_counts(size, n, rng)
        blocks.append(np.asarray(formula((weights @ flat).reshape(size, m, k)), dtype=np.float64))
    return np.concatenate(blocks) if blocks else np.empty((0, m))


def swap_spread(
    counts: FloatArray, n_resamples: int, rng: np.random.Generator, *, formula: CountsFormula
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
    counts: FloatArray,
    spread: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    formula: CountsFormula,
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
    counts: FloatArray, n_resamples: int, rng: np.random.Generator, formula: CountsFormula
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
