r"""Bootstrap-resampled scores: the mean score of corpora drawn from a corpus, and its uncertainty.

With :math:`N` how often each of n segments occurs in a drawn corpus of s segments, the score of that corpus is
:math:`f(N C)`, so a resample costs a row of one matrix product and the formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray

CountsFormula = Callable[[FloatArray], FloatArray]

_PORTION_BYTES = 16 * 2**20


class ResampledScores(NamedTuple):
    """One block of drawn corpora; scores and remainders of blocks are joined, the other two add up.

    Attributes
    ----------
    scores : array, shape (b, m)
        Of each corpus; the same segments for all systems.
    remainders : array, shape (b, m)
        Scores without what is linear in the draws, see :func:`resampled_scores`.
    drawn : array, shape (n,)
        How often each segment was drawn in all corpora together.
    products : array, shape (n, m)
        Sums over corpora of draws times remainders.
    """

    scores: FloatArray
    remainders: FloatArray
    drawn: FloatArray
    products: FloatArray


class BootstrapMeans(NamedTuple):
    """Mean scores of drawn corpora, and how they would vary with other segments.

    Attributes
    ----------
    mean : array, shape (m,)
    covariance : array, shape (m, m)
        Of the means, over other segments of the same kind and other draws.
    """

    mean: FloatArray
    covariance: FloatArray


def draw_corpora(n_resamples: int, n_units: int, size: int, rng: np.random.Generator) -> FloatArray:
    """Draw how often each unit occurs in each corpus of `size` units.

    Returns
    -------
    array, shape (n_resamples, n_units)
        Rows sum to `size`.

    Examples
    --------
    >>> draw_corpora(3, 5, 8, np.random.default_rng(0)).sum(axis=1)
    array([8., 8., 8.])
    """
    drawn = rng.integers(0, n_units, size=(n_resamples, size))
    drawn += np.arange(n_resamples)[:, None] * n_units
    flat = np.bincount(drawn.ravel(), minlength=n_resamples * n_units)
    return flat.reshape(n_resamples, n_units).astype(np.float64)


def resampled_scores(
    counts: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    size: int,
    formula: CountsFormula,
    influence: FloatArray,
) -> ResampledScores:
    r"""Scores of one block of corpora of `size` segments drawn with replacement.

    The remainder of a score is what is left of it without its linear part :math:`\frac1s \sum_j N_j \psi_j`. Its
    covariances with the draws are small, and so is their error.

    Parameters
    ----------
    counts : array, shape (m, n, k)
        Segments, or documents as their sums.
    n_resamples : int
    rng : numpy.random.Generator
    size : int
        Units in a drawn corpus, s.
    formula : callable
        From sums of shape (…, k) to scores of shape (…).
    influence : array, shape (m, n)
        :math:`\psi`, rows of mean 0, such as
        :func:`betterthan.kernels.influence.influence.pooled_influence`; any such array gives the same answer, with
        more or less noise.

    Examples
    --------
    >>> counts = np.ones((2, 5, 1))
    >>> found = resampled_scores(counts, 3, np.random.default_rng(0), size=4, formula=lambda sums: sums[..., 0],
    ...                          influence=np.zeros((2, 5)))
    >>> found.scores.tolist(), found.drawn.sum()
    ([[4.0, 4.0], [4.0, 4.0], [4.0, 4.0]], np.float64(12.0))
    """
    m, n, k = counts.shape
    flat = np.ascontiguousarray(counts.transpose(1, 0, 2)).reshape(n, m * k)
    scores, remainders = np.empty((n_resamples, m)), np.empty((n_resamples, m))
    drawn, products = np.zeros(n), np.zeros((n, m))
    step = max(1, _PORTION_BYTES // (16 * n + 16 * size + 16 * m * k))
    for start in range(0, n_resamples, step):
        part = slice(start, min(start + step, n_resamples))
        weights = draw_corpora(part.stop - start, n, size, rng)
        scores[part] = formula((weights @ flat).reshape(-1, m, k))
        remainders[part] = scores[part] - weights @ influence.T / size
        drawn += weights.sum(axis=0)
        products += weights.T @ remainders[part]
    return ResampledScores(scores, remainders, drawn, products)


def bootstrap_means(found: ResampledScores, influence: FloatArray, *, size: int) -> BootstrapMeans:
    r"""Mean score of the drawn corpora, with the infinitesimal jackknife's covariance.

    The mean is a smooth function of the shares of the segments; its derivative by the share of segment j is n times the
    covariance of the score with the number of draws of j [1]_:

    .. math:: V = \frac{n}{n-1} \sum_j \operatorname{Cov}(N_j, f)^2, \qquad
       \operatorname{Cov}(N_j, f) = \frac{\psi_j}{n} + \operatorname{Cov}(N_j, \text{remainder})

    The noise of B draws adds :math:`s (1 - \frac1n) \operatorname{Var}(\text{remainder}) / B` to the sum, which is
    taken off again as in [2]_; the variance of the mean of B draws is put on top.

    Parameters
    ----------
    found : ResampledScores
        All blocks together.
    influence : array, shape (m, n)
        As given to :func:`resampled_scores`.
    size : int

    Returns
    -------
    BootstrapMeans
        NaN covariance with one segment or one corpus only; NaN mean where a corpus has no score.

    References
    ----------
    .. [1] Efron (2014), Estimation and accuracy after model selection, JASA 109, theorem 1.
    .. [2] Wager, Hastie, Efron (2014), Confidence intervals for random forests, JMLR 15, §3.

    Examples
    --------
    >>> values = np.array([[[1.0], [2.0], [6.0]]])
    >>> pull = values[:, :, 0] - 3.0
    >>> found = resampled_scores(values, 4000, np.random.default_rng(0), size=9, formula=lambda sums: sums[..., 0] / 9,
    ...                          influence=pull)
    >>> means = bootstrap_means(found, pull, size=9)
    >>> float(means.mean[0].round(1)), float(means.covariance[0, 0].round(2)), np.var([1, 2, 6], ddof=1).round(2) / 3
    (3.0, 2.33, np.float64(2.3333333333333335))
    """
    n_resamples, n = len(found.scores), found.drawn.size
    if n < 2:
        return BootstrapMeans(found.scores.mean(axis=0), np.full((found.scores.shape[1],) * 2, np.nan))
    moved = found.products - np.outer(found.drawn, found.remainders.mean(axis=0))
    covariances = influence.T / n + moved / n_resamples
    noise = size * (1 - 1 / n) * _covariance(found.remainders) / n_resamples
    spread = n / (n - 1) * (covariances.T @ covariances - noise)
    return BootstrapMeans(found.scores.mean(axis=0), spread + _covariance(found.scores) / n_resamples)


def _covariance(draws: FloatArray) -> FloatArray:
    if len(draws) < 2:
        return np.full((draws.shape[1],) * 2, np.nan)
    centred = draws - draws.mean(axis=0)
    return np.asarray(centred.T @ centred / (len(draws) - 1))
