"""Differences of all pairs from one matrix product, and the paired t-test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.pvalues import Alternative, pairwise_pvalues

# Below this share of the squares it is made of, a sum of squares from the product has lost too many digits;
# below this share of the scores, differences may be nothing but rounding.
_CANCELLED = 1e-4
_NOISE = 1e-12
_ROUNDING = 4 * float(np.finfo(np.float64).eps)


class Differences(NamedTuple):
    """Moments of the differences a − b of all pairs, over the segments both systems have."""

    n: IntArray
    """(m, m); shared segments."""
    mean: FloatArray
    """(m, m), antisymmetric; NaN where no segment is shared."""
    squares: FloatArray
    """(m, m), symmetric; sum of squares about the mean: 0 when all differences are equal, NaN like `mean`."""

    @property
    def deviation(self) -> FloatArray:
        """(m, m); standard deviation with n − 1; NaN with fewer than two segments."""
        freedom = np.where(self.n > 1, self.n - 1.0, np.nan)
        return np.asarray(np.sqrt(self.squares / freedom))

    @property
    def standard_error(self) -> FloatArray:
        """(m, m); standard error of the mean difference."""
        return np.asarray(self.deviation / np.sqrt(np.maximum(self.n, 1)))


class PairedT(NamedTuple):
    """The paired t-test of all pairs."""

    n: IntArray
    """(m, m); shared segments."""
    mean: FloatArray
    """(m, m), antisymmetric; mean difference row − column."""
    standard_error: FloatArray
    """(m, m), symmetric."""
    statistic: FloatArray
    """(m, m), antisymmetric; ±inf where all differences are equal, NaN where all are zero."""
    pvalue: FloatArray
    """(m, m); NaN on the diagonal and with fewer than two segments."""


def differences(goodness: FloatArray) -> Differences:
    r"""Mean and sum of squares of the differences of all pairs of systems.

    One product gives them all, since with :math:`z` the scores freed of segment and system means

    .. math:: \sum_i (z_{ai} - z_{bi})^2 = \sum_i z_{ai}^2 + \sum_i z_{bi}^2 - 2 \sum_i z_{ai} z_{bi}.

    Where that subtraction would lose digits (nearly identical systems), the differences are formed one by one.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better; NaN is missing, and a pair uses the segments both systems have.

    Examples
    --------
    >>> found = differences(np.array([[1.0, 2.0, 4.0], [1.0, 1.0, np.nan]]))
    >>> found.mean[0, 1], found.squares[0, 1].round(12), found.n[0, 1]
    (np.float64(0.5), np.float64(0.5), np.int64(2))
    """
    present = ~np.isnan(goodness)
    here = present.astype(np.float64)
    level, centred = _centred(goodness, present)
    n = np.rint(here @ here.T).astype(np.int64)
    sums = centred @ here.T
    powers = centred**2 @ here.T
    cross = centred @ centred.T
    drift = (sums - sums.T) / np.where(n > 0, n, np.nan)
    mean = (level[:, None] - level[None, :]) + drift
    total = powers + powers.T
    squares = np.maximum(total - (cross + cross.T) - n * drift**2, 0.0)
    size = np.abs(goodness).max(axis=1, initial=0.0, where=present)
    noise = n * (_NOISE * np.maximum(size[:, None], size[None, :])) ** 2
    doubtful = np.triu((squares <= _CANCELLED * total) | (squares <= noise), 1)
    for a, b in zip(*np.nonzero(doubtful), strict=True):
        mean[a, b], squares[a, b] = _one_by_one(goodness[a], goodness[b])
        mean[b, a], squares[b, a] = -mean[a, b], squares[a, b]
    np.fill_diagonal(mean, np.where(np.diag(n) > 0, 0.0, np.nan))
    np.fill_diagonal(squares, 0.0)
    return Differences(n, mean, squares)


def _centred(goodness: FloatArray, present: np.ndarray) -> tuple[FloatArray, FloatArray]:
    values = np.where(present, goodness, 0.0)
    segments = values.sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    values = np.where(present, values - segments, 0.0)
    level = values.sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    return level, np.where(present, values - level[:, None], 0.0)


def _one_by_one(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    both = ~np.isnan(first + second)
    first, second = first[both], second[both]
    gaps = first - second
    size = np.maximum(np.abs(first), np.abs(second)).max()
    if gaps.max() - gaps.min() <= _ROUNDING * size:
        middle = float(np.median(gaps))
        return (middle if np.any(gaps) else 0.0), 0.0
    mean = float(gaps.mean())
    return mean, float(((gaps - mean) ** 2).sum())


def paired_t(goodness: FloatArray, *, alternative: Alternative = "two-sided") -> PairedT:
    r"""Test whether the mean difference is zero, for all pairs.

    .. math:: t_{ab} = \frac{\bar d_{ab}}{s_{ab} / \sqrt{n}}, \qquad d_i = x_{ai} - x_{bi}

    with n − 1 degrees of freedom: the test that belongs to the mean [1]_.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better; NaN is missing, and a pair uses the segments both systems have.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" asks whether a (the row) is better than b (the column).

    Notes
    -----
    Differences that are all zero give p = 1. Differences that are all equal and not zero (up to rounding of
    the scores) leave no noise to measure against: t is infinite, and p is the least that n differences can
    support, the sign test's :math:`2^{1-n}` (:math:`2^{-n}` one-sided), not 0.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, §3.2.

    Examples
    --------
    >>> result = paired_t(np.array([[3.0, 5, 6, 8], [2.0, 3, 5, 4]]))
    >>> result.statistic[0, 1].round(4), result.pvalue[0, 1].round(4)
    (np.float64(2.8284), np.float64(0.0663))
    """
    n, mean, squares = moments = differences(goodness)
    error = moments.standard_error
    varies = squares > 0
    statistic = np.where(varies, mean / np.where(varies, error, 1.0), _without_noise(mean))
    upper = np.where(varies, stdtr(np.maximum(n - 1, 1), -statistic), _least_honest(mean, n))
    upper = np.where(n > 1, upper, np.nan)
    return PairedT(
        n, mean, error, np.where(n > 1, statistic, np.nan), pairwise_pvalues(upper, alternative=alternative)
    )


def _without_noise(mean: FloatArray) -> FloatArray:
    return np.where(mean == 0, np.nan, np.copysign(np.inf, mean))


def _least_honest(mean: FloatArray, n: IntArray) -> FloatArray:
    return np.where(mean > 0, 0.5 ** n.astype(np.float64), 1.0)
