"""Errors of strengths by category when battles of one judge, or over one question, are not independent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray, numbered
from betterthan.kernels.comparisons.categories import CategoryFit, CategoryInfluence, category_influence

MOST_UNITS = 2000
_MOST_NUMBERS = 2e7
_LEAST_UNITS = 50
_ALONE = 1e-9


class UnitScores(NamedTuple):
    """What each unit (judge, question) adds to the likelihood, by category and system, all (g, k, m)."""

    score: FloatArray
    information: FloatArray


class CategoryErrors(NamedTuple):
    """Errors that account for units.

    Attributes
    ----------
    covariance : array, shape (k, m, m)
    degrees : array, shape (k, m)
        Degrees of freedom of the variances on the diagonal.
    deviation_variance, deviation_degrees : array, shape (k, m)
        Of each strength less the mean over categories.
    dispersion : float
        How many times larger the variance of deviations is than the fit assumed.
    """

    covariance: FloatArray
    degrees: FloatArray
    deviation_variance: FloatArray
    deviation_degrees: FloatArray
    dispersion: float


def unit_scores(
    unit: IntArray,
    category: IntArray,
    sides: Sequence[IntArray],
    rows: Sequence[FloatArray],
    shape: tuple[int, int],
) -> UnitScores:
    """Add up residuals and weights of battles by unit, category and system.

    Parameters
    ----------
    unit, category : array of int, shape (t,)
        Above 2,000 units, or fewer where there are many categories and systems, several count as one. That is still
        right, because they are independent.
    sides : tuple of arrays of int, shape (t,)
        The left and the right system.
    rows : tuple of arrays, shape (t,)
        Residuals, weight · (outcome − p), and information, weight · p (1 − p).
    shape : tuple of int
        The numbers of categories and systems.

    Examples
    --------
    >>> zero, one = np.array([0]), np.array([1])
    >>> unit_scores(zero, zero, (zero, one), (np.array([0.5]), np.array([0.25])), (1, 2)).score
    array([[[ 0.5, -0.5]]])
    """
    k, m = shape
    number, _ = numbered(unit)
    most = int(min(MOST_UNITS, max(_LEAST_UNITS, _MOST_NUMBERS / (k * m))))
    number %= most
    g = int(number.max(initial=-1)) + 1
    cells = [(number * k + category) * m + side for side in sides]
    size = g * k * m
    score = np.asarray(
        np.bincount(cells[0], rows[0], size) - np.bincount(cells[1], rows[0], size), dtype=np.float64
    )
    information = np.bincount(cells[0], rows[1], size) + np.bincount(cells[1], rows[1], size)
    return UnitScores(score.reshape(g, k, m), np.asarray(information, dtype=np.float64).reshape(g, k, m))


def category_errors(
    wins: FloatArray, fit: CategoryFit, units: Sequence[UnitScores], *, dispersion: float = 1.0
) -> CategoryErrors:
    r"""Return errors of the strengths of :func:`category_strengths` that hold when battles of a unit are correlated.

    Strengths are linear in the scores :math:`s_{jc}` of units to first order. With the information H and P = 1/τ²,

    .. math:: u_{jc} = A_c s_{jc} + P A_c S^{+} \sum_d P A_d s_{jd}, \qquad A_c = (H_c + P I)^{-1}, \qquad
              V_c = \sum_j \frac{u_{jc} u_{jc}^{\mathsf T}}{1 - h_{jc}}

    replaces the part of the posterior covariance that is due to independent battles; the part that is due to shrinkage
    stays. The leverage h is the share of a unit in what is known about a strength: that in the category, and that in
    all categories, averaged by how much the category's own battles count. Degrees of freedom follow from these shares
    [1]_; those of the part that is due to shrinkage would be more, so intervals are conservative where it is large.

    Parameters
    ----------
    wins : array, shape (k, m, m)
    fit : CategoryFit
        Of these wins.
    units : sequence of UnitScores
        One or two kinds.
    dispersion : float, default 1
        The one of the fit.

    References
    ----------
    .. [1] Bell, McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage samples,
       Survey Methodology 28.

    Examples
    --------
    Two judges who disagree, in two categories:

    >>> from betterthan.kernels.comparisons.categories import category_strengths
    >>> wins = np.array([[[0.0, 10], [10, 0]], [[0, 10], [10, 0]]])
    >>> fit = category_strengths(wins, np.zeros(2))
    >>> score = np.array([[[4.0, -4], [4, -4]], [[-4, 4], [-4, 4]]])
    >>> errors = category_errors(wins, fit, [UnitScores(score, np.full((2, 2, 2), 2.5))])
    >>> bool(errors.covariance[0, 0, 0] > 3 * fit.covariance[0, 0, 0]), errors.degrees[0].round(1)
    (True, array([1., 1.]))
    """
    influence = category_influence(wins, fit, dispersion=dispersion)
    shrunk = _nonnegative(fit.covariance - influence.noise)
    shrunk_deviation = np.maximum(fit.deviation_variance - influence.deviation_noise, 0)
    found = [_noise(UnitScores(*(part / dispersion for part in one)), influence) for one in units]
    noise, of_deviation = found[0].noise, found[0].deviation
    degrees, fewest = found[0].degrees, np.min([one.degrees for one in found], axis=0)
    if len(found) == 2:
        both = found[0].noise + found[1].noise - influence.noise / dispersion
        of_deviation = np.maximum(found[0].deviation, found[1].deviation)
        of_deviation = np.maximum(
            found[0].deviation + found[1].deviation - influence.deviation_noise / dispersion, of_deviation
        )
        tables = [_nonnegative(both), found[0].noise, found[1].noise]
        which = np.argmax([np.trace(table, axis1=1, axis2=2) for table in tables], axis=0)
        noise = np.stack(tables)[which, np.arange(len(which))]
        degrees = np.stack([fewest, found[0].degrees, found[1].degrees])[which, np.arange(len(which))]
    covariance = noise + shrunk
    return CategoryErrors(
        covariance=covariance,
        degrees=degrees,
        deviation_variance=of_deviation + shrunk_deviation,
        deviation_degrees=fewest,
        dispersion=float(
            dispersion * of_deviation.sum() / max(float(influence.deviation_noise.sum()), 1e-300)
        ),
    )


class _Noise(NamedTuple):
    noise: FloatArray  # (k, m, m)
    deviation: FloatArray  # (k, m)
    degrees: FloatArray  # (k, m)


def _noise(unit: UnitScores, influence: CategoryInfluence) -> _Noise:
    k = unit.score.shape[1]
    share, degrees = _leverage(unit.information, influence.own)
    left = 1 / np.sqrt(np.maximum(1 - share, _ALONE))
    own = np.stack([unit.score[:, c] @ influence.inverse[c] for c in range(k)], axis=1)
    typical = influence.precision * own.sum(axis=1)
    moves = own
    for c in range(k):
        moves[:, c] += typical @ influence.follows[c].T
    moves -= moves.mean(axis=2, keepdims=True)
    deviation = (((moves - moves.mean(axis=1, keepdims=True)) * left) ** 2).sum(axis=0)
    moves *= left
    noise = np.stack([moves[:, c].T @ moves[:, c] for c in range(k)])
    return _Noise(noise, deviation, degrees)


def _leverage(information: FloatArray, own: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Share of each unit in what is known about each strength, (g, k, m), and degrees of freedom, (k, m)."""
    here, everywhere = information.sum(axis=0), information.sum(axis=(0, 1))
    common = information.sum(axis=1) / np.maximum(everywhere, 1e-300)
    weight, total = np.where(here > 0, own, 0.0), np.where(here > 0, here, 1.0)
    share, degrees = np.empty_like(information), np.empty_like(here)
    # One category at a time, which stays in the cache.
    for c in range(len(here)):
        part = weight[c] * information[:, c]
        part /= total[c]
        part += (1 - weight[c]) * common
        np.minimum(part, 1.0, out=part)
        share[:, c] = part
        square = part**2
        pull = square / np.maximum(1 - part, _ALONE)
        with np.errstate(divide="ignore"):
            degrees[c] = 1 / (square.sum(axis=0) + pull.sum(axis=0) ** 2 - (pull**2).sum(axis=0))
    return share, np.maximum(np.nan_to_num(degrees, posinf=1.0), 1.0)


def _nonnegative(tables: FloatArray) -> FloatArray:
    """Set negative eigenvalues to 0."""
    values, vectors = np.linalg.eigh((tables + tables.swapaxes(1, 2)) / 2)
    return np.asarray((vectors * np.maximum(values, 0)[:, None, :]) @ vectors.swapaxes(1, 2))
