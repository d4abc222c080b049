"""Differences of all pairs from one matrix product, and the paired t-test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from betterthan.arrays import FloatArray, IntArray, pairs_where
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.kernels.significance.pvalues import pairwise_pvalues

# Below this share of the squares it is made of, a sum of squares from the product has lost too many digits;
# below this share of the scores, differences may be nothing but rounding.
_CANCELLED = 1e-4
_NOISE = 1e-12
_CUBES_CANCELLED = 1e-8
_CACHED_NUMBERS = 2**15
_ROUNDING = 4 * float(np.finfo(np.float64).eps)


class Differences(NamedTuple):
    """Moments of the differences a − b of all pairs, over the segments both systems have."""

    n: IntArray
    """(m, m); shared segments."""
    mean: FloatArray
    """(m, m), antisymmetric; NaN where no segment is shared."""
    squares: FloatArray
    """(m, m), symmetric; sum of squares about the mean: 0 when all differences are equal, NaN like `mean`."""
    cubes: FloatArray | None = None
    """(m, m), antisymmetric; sum of cubes about the mean, where requested."""

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


def in_range(values: FloatArray) -> tuple[FloatArray, float]:
    """Scores whose squares neither overflow nor vanish, and what to multiply them with; mostly as they are.

    Examples
    --------
    >>> scaled, unit = in_range(np.array([3e-170, -1e-170]))
    >>> scaled * unit
    array([ 3.e-170, -1.e-170])
    """
    # Without missing values, which would come out as NaN, no copy is needed.
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if np.isnan(largest):
        largest = float(np.nanmax(np.abs(values), initial=0.0))
    if not largest or 1e-100 < largest < 1e100:
        return values, 1.0
    unit = float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1))
    return values / unit, unit


def geometric_mean(x: FloatArray, y: FloatArray) -> FloatArray:
    r""":math:`\sqrt{x y}`, also where the product would overflow or vanish; NaN unless both are above 0.

    Examples
    --------
    >>> geometric_mean(np.array([1e300, 1e-300, 2.0]), np.array([1e300, 1e-300, 0.0]))
    array([1.e+300, 1.e-300,     nan])
    """
    known = (x > 0) & (y > 0)
    (x, power_x), (y, power_y) = (np.frexp(np.where(known, each, 1.0)) for each in (x, y))
    power = power_x + power_y
    odd = power % 2
    root = np.ldexp(np.sqrt(np.ldexp(x * y, odd)), (power - odd) // 2)
    return np.asarray(np.where(known, root, np.nan))


def differences(goodness: FloatArray, *, cubes: bool = False) -> Differences:
    r"""Mean and sum of squares of the differences of all pairs of systems.

    One product gives them all, since with :math:`z` the scores freed of segment and system means

    .. math:: \sum_i (z_{ai} - z_{bi})^2 = \sum_i z_{ai}^2 + \sum_i z_{bi}^2 - 2 \sum_i z_{ai} z_{bi},

    and another the cubes: :math:`\sum (z_a - z_b)^3 = \sum z_a^3 - 3 \sum z_a^2 z_b + 3 \sum z_a z_b^2 - \sum z_b^3`.
    Where such a subtraction would lose digits (nearly identical systems), the differences are formed one by one.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better; NaN is missing, and a pair uses the segments both systems have.
    cubes : bool, default False
        Whether the sums of cubes are wanted too.

    Examples
    --------
    >>> found = differences(np.array([[1.0, 2.0, 4.0], [1.0, 1.0, np.nan]]))
    >>> found.mean[0, 1], found.squares[0, 1].round(12), found.n[0, 1]
    (np.float64(0.5), np.float64(0.5), np.int64(2))
    """
    segments = goodness.mean(axis=0)
    sums = _with_gaps(goodness) if np.isnan(segments).any() else _complete(goodness, segments, cubes=cubes)
    n, own, size = sums.n, sums.own, sums.size
    drift = (sums.sums - sums.sums.T) / np.where(n > 0, n, np.nan)
    mean = (sums.level[:, None] - sums.level[None, :]) + drift
    total = own + own.T
    squares = np.maximum(total - 2 * sums.cross - n * drift**2, 0.0)
    noise = n * (_NOISE * np.maximum(size[:, None], size[None, :])) ** 2
    doubtful = (squares <= _CANCELLED * total) | (squares <= noise)
    for a, b in zip(*pairs_where(doubtful), strict=True):
        mean[a, b], squares[a, b] = _one_by_one(goodness[a], goodness[b])
        mean[b, a], squares[b, a] = -mean[a, b], squares[a, b]
    np.fill_diagonal(mean, np.where(np.diag(n) > 0, 0.0, np.nan))
    np.fill_diagonal(squares, 0.0)
    if not cubes:
        return Differences(n, mean, squares)
    if sums.cubes is None:
        third = np.array([_cubes(own_scores - goodness) for own_scores in goodness])
    else:
        third = sums.cubes
        lost = (squares <= _CUBES_CANCELLED * total) & (squares > 0)
        for a, b in zip(*pairs_where(lost), strict=True):
            third[a, b] = _cubes((goodness[a] - goodness[b])[None])[0]
            third[b, a] = -third[a, b]
    return Differences(n, mean, squares, third)


class _PairedSums(NamedTuple):
    """Sums over segments of centred scores z, those of a pair over the segments both systems have."""

    n: IntArray
    level: FloatArray  # (m,), what was subtracted from each system
    size: FloatArray  # (m,), largest absolute score
    sums: FloatArray  # (m, m) or (m, 1), of the row's z
    own: FloatArray  # (m, m) or (m, 1), of the row's z²
    cross: FloatArray  # (m, m), of both z
    cubes: FloatArray | None  # (m, m), of cubes of differences of z


def _complete(goodness: FloatArray, segments: FloatArray, *, cubes: bool) -> _PairedSums:
    """Go through the segments in pieces that stay in the cache."""
    m, n = goodness.shape
    step = max(256, _CACHED_NUMBERS // max(1, m))
    pieces = [slice(start, start + step) for start in range(0, n, step)]
    level = sum(((goodness[:, piece] - segments[piece]).sum(axis=1) for piece in pieces), np.zeros(m)) / max(
        n, 1
    )
    sums, third = np.zeros((2, m))
    cross, mixed = np.zeros((2, m, m))
    for piece in pieces:
        z = goodness[:, piece] - segments[piece]
        z -= level[:, None]
        sums += z.sum(axis=1)
        cross += z @ z.T
        if cubes:
            squared = z * z
            third += np.einsum("ij,ij->i", squared, z)
            mixed += squared @ z.T
    return _PairedSums(
        np.full((m, m), n),
        level,
        np.maximum(goodness.max(axis=1, initial=0.0), -goodness.min(axis=1, initial=0.0)),
        sums[:, None],
        np.diag(cross)[:, None],
        cross,
        third[:, None] - third[None, :] - 3 * (mixed - mixed.T) if cubes else None,
    )


def _with_gaps(goodness: FloatArray) -> _PairedSums:
    present = ~np.isnan(goodness)
    here = present.astype(np.float64)
    level, z = _centred(goodness, present)
    cross = z @ z.T
    return _PairedSums(
        np.rint(here @ here.T).astype(np.int64),
        level,
        np.abs(goodness).max(axis=1, initial=0.0, where=present),
        z @ here.T,
        z**2 @ here.T,
        cross,
        None,
    )


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


def _cubes(gaps: FloatArray) -> FloatArray:
    present = ~np.isnan(gaps)
    known = np.where(present, gaps, 0.0)
    mean = known.sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    return np.asarray((np.where(present, known - mean[:, None], 0.0) ** 3).sum(axis=1))


def paired_t(goodness: FloatArray, *, alternative: Alternative = "two-sided") -> PairedT:
    r"""Test whether the mean difference is zero, for all pairs.

    .. math:: t_{ab} = \frac{\bar d_{ab}}{s_{ab} / \sqrt{n}}, \qquad d_i = x_{ai} - x_{bi}

    with n − 1 degrees of freedom: the test that belongs to the mean [1]_.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better; NaN is missing, and a pair uses the segments both systems have.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" tests whether a (the row) is better than b (the column).

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
    n, mean, squares, _ = moments = differences(goodness)
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
