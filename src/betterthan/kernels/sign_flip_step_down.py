r"""Family-wise control over all pairs of systems by the resampled maximum, stepping down.

If all pairs are tested at once, the largest statistic is large by chance alone. Its null distribution is
had from the sign flips that all pairs share, so the dependence between pairs is used instead of feared:
less is lost than with Bonferroni or Holm.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.permutation import add_one, portions, random_signs
from betterthan.kernels.sign_flip_analytic import pair_moments
from betterthan.kernels.sign_flip_scores import CentredScores, centred_scores, partial_sums

Scale = Literal["studentised", "raw"]


def pair_statistics(goodness: FloatArray | CentredScores, *, scale: Scale = "studentised") -> FloatArray:
    r"""Observed two-sided statistic of every pair.

    .. math:: \frac{|\sum_i d_i|}{\sqrt{\sum_i d_i^2}}

    The denominator does not change when signs flip, so the studentised statistic costs nothing per resample;
    it keeps pairs with noisy differences from dominating the maximum.

    Parameters
    ----------
    goodness : array, shape (m, n), or CentredScores
    scale : {"studentised", "raw"}
        "raw" leaves the denominator out.

    Returns
    -------
    array, shape (m, m)
        Symmetric; 0 for identical systems.

    Examples
    --------
    >>> pair_statistics(np.array([[4.0, 5.0], [1.0, 1.0]]))
    array([[0. , 1.4],
           [1.4, 0. ]])
    """
    scores = goodness if isinstance(goodness, CentredScores) else centred_scores(goodness)
    return np.abs(scores.totals) / _spread(scores, scale)


def _spread(scores: CentredScores, scale: Scale) -> FloatArray:
    if scale == "raw":
        return np.ones_like(scores.totals)
    there = scores.patterns[scores.pattern]
    spread = np.sqrt(pair_moments(np.where(there, scores.values, np.nan), order=2).second)
    return np.where(spread > 0, spread, 1.0)


def max_statistic_block(
    goodness: FloatArray | CentredScores,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    scale: Scale = "studentised",
) -> IntArray:
    r"""Tally one block of resampled maxima for all pairs.

    With the pairs ordered by their observed statistics, :math:`s_1 \ge s_2 \ge \dots`, the tally of pair k is

    .. math:: \#\{r : \max_{l \ge k} s^{(r)}_l \ge s_k\},

    the successive maxima of [1]_ (algorithm 4.1) and [2]_.

    Parameters
    ----------
    goodness : array, shape (m, n), or CentredScores
        Higher is better, NaN is missing.
    n_resamples : int
    rng : numpy.random.Generator
        The same generator gives the same signs as in
        :func:`betterthan.kernels.permutation.permutation_block`.
    scale : {"studentised", "raw"}

    Returns
    -------
    array of int, shape (m, m)
        Symmetric, tallies of blocks add up; the diagonal is `n_resamples`.

    References
    ----------
    .. [1] Westfall and Young (1993), Resampling-based multiple testing, Wiley.
    .. [2] Romano and Wolf (2005), Exact and approximate stepdown methods for multiple hypothesis testing,
       JASA 100.

    Examples
    --------
    >>> scores = np.array([[3.0, 4.0, 5.0], [1.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
    >>> max_statistic_block(scores, 800, np.random.default_rng(0))[0, 1] > 100
    np.True_
    """
    scores = goodness if isinstance(goodness, CentredScores) else centred_scores(goodness)
    m, n = scores.values.shape
    left, right = _pairs_ascending(scores, scale)
    spread = _spread(scores, scale)[left, right][:, None]
    edge = (np.abs(scores.totals) - scores.slack)[left, right][:, None] / spread
    counts = np.full((m, m), n_resamples, dtype=np.int64)
    counts[left, right] = 0
    for size in portions(n_resamples, 8 * (n + 2 * left.size + len(scores.patterns) * m)):
        signs = random_signs(size, n, rng).astype(np.float64)
        sums = partial_sums(scores.values, scores.patterns, signs)
        flipped = sums[scores.pattern[right], left] - sums[scores.pattern[left], right]
        statistics = np.abs(flipped, out=flipped)
        statistics /= spread
        np.maximum.accumulate(statistics, axis=0, out=statistics)
        counts[left, right] += np.count_nonzero(statistics >= edge, axis=1)
    counts[right, left] = counts[left, right]
    return counts


def step_down(counts: IntArray, statistics: FloatArray, n_resamples: int) -> FloatArray:
    """Adjusted p-values of all pairs: (b + 1) / (B + 1), made monotone in the order of the statistics.

    Parameters
    ----------
    counts : array of int, shape (m, m)
        Sum over blocks of :func:`max_statistic_block`.
    statistics : array, shape (m, m)
        From :func:`pair_statistics` with the same `scale`.
    n_resamples : int
        Resamples in all blocks together.

    Returns
    -------
    array, shape (m, m)
        Rejecting where it is at most α keeps the chance of any false rejection at α.

    Notes
    -----
    Control is strong under the assumption that, for true null pairs, the vector of differences keeps its
    joint distribution when all signs on a segment flip together.

    Examples
    --------
    >>> statistics = np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    >>> counts = np.array([[99, 4, 44], [4, 99, 2], [44, 2, 99]])
    >>> step_down(counts, statistics, 99)
    array([[1.  , 0.05, 0.45],
           [0.05, 1.  , 0.05],
           [0.45, 0.05, 1.  ]])
    """
    left, right = np.triu_indices(len(counts), 1)
    order = np.argsort(-statistics[left, right], kind="stable")
    left, right = left[order], right[order]
    adjusted = np.ones(counts.shape)
    adjusted[left, right] = np.maximum.accumulate(add_one(counts[left, right], n_resamples))
    adjusted[right, left] = adjusted[left, right]
    return adjusted


def _pairs_ascending(scores: CentredScores, scale: Scale) -> tuple[IntArray, IntArray]:
    """Pairs a < b from the least to the most significant."""
    left, right = np.triu_indices(len(scores.values), 1)
    statistics = pair_statistics(scores, scale=scale)[left, right]
    order = np.argsort(-statistics, kind="stable")[::-1]
    return left[order], right[order]
