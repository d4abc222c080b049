"""Intervals from resampled statistics, and from a standard error."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from betterthan.arrays import FloatArray, IntArray


def percentile_interval(resampled: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Percentile bootstrap interval that covers with probability `confidence`.

    Parameters
    ----------
    resampled : array, shape (n_resamples, m)
    confidence : float
        0.95 takes the 2.5th and 97.5th percentiles.

    Returns
    -------
    low, high : array, shape (m,)

    Examples
    --------
    >>> percentile_interval(np.arange(101.0)[:, None], 0.9)
    (array([5.]), array([95.]))
    """
    tail = (1 - confidence) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    return low, high


def bca_interval(
    resampled: FloatArray, estimate: FloatArray, jackknife: FloatArray, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Bias-corrected and accelerated bootstrap interval.

    Percentiles moved for the bias :math:`z_0` of the resamples and for the skewness :math:`a` of the jackknife:

    .. math:: \alpha_i = \Phi\left(z_0 + \frac{z_0 + z_i}{1 - a (z_0 + z_i)}\right), \qquad
       a = \frac{\sum_j u_j^3}{6 (\sum_j u_j^2)^{3/2}}, \quad u_j = \bar\theta_{(\cdot)} - \theta_{(j)}

    Parameters
    ----------
    resampled : array, shape (n_resamples, m)
    estimate : array, shape (m,)
        From the data themselves.
    jackknife : array, shape (n, m)
        The estimate without unit j, such as :func:`jackknife_means`; NaN rows of a column are left out.
    confidence : float

    Returns
    -------
    low, high : array, shape (m,)
        NaN where the estimate lies outside all resamples: the bias is then not estimable.

    References
    ----------
    .. [1] Efron, Tibshirani (1993), An introduction to the bootstrap, §14.3, Eqs 14.9, 14.10, 14.14, 14.15.

    Examples
    --------
    Without bias and skewness it is the percentile interval:

    >>> low, high = bca_interval(np.arange(101.0)[:, None], np.array([50.0]), np.array([[1.0], [2.0]]), confidence=0.9)
    >>> low.round(6), high.round(6)
    (array([5.]), array([95.]))
    """
    shares = ((resampled < estimate).mean(axis=0) + (resampled <= estimate).mean(axis=0)) / 2
    bias = ndtri(shares)
    speed = _acceleration(jackknife)
    ends = []
    for z in (ndtri((1 - confidence) / 2), -ndtri((1 - confidence) / 2)):
        with np.errstate(invalid="ignore"):
            moved = ndtr(bias + (bias + z) / (1 - speed * (bias + z)))
        ends.append(_quantile_by_column(resampled, np.where(np.isfinite(bias), moved, np.nan)))
    return ends[0], ends[1]


def _acceleration(jackknife: FloatArray) -> FloatArray:
    known = ~np.isnan(jackknife)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, jackknife, 0.0).sum(axis=0) / count
    pull = np.where(known, mean - np.where(known, jackknife, 0.0), 0.0)
    squares = (pull**2).sum(axis=0)
    flat = squares == 0
    return np.asarray((pull**3).sum(axis=0) / (6 * np.where(flat, 1.0, squares) ** 1.5))


def _quantile_by_column(values: FloatArray, shares: FloatArray) -> FloatArray:
    found = [
        np.nan if np.isnan(share) else np.quantile(column, share)
        for column, share in zip(values.T, shares, strict=True)
    ]
    return np.array(found)


def jackknife_means(values: FloatArray) -> FloatArray:
    r"""Means of each row without one segment, in closed form: :math:`(\sum_i x_i - x_j) / (n - 1)`.

    Parameters
    ----------
    values : array, shape (m, n)
        Scores, or differences of pairs; NaN is missing.

    Returns
    -------
    array, shape (n, m)
        NaN where segment j is missing or is the only one.

    Examples
    --------
    >>> jackknife_means(np.array([[1.0, 2.0, 6.0]]))
    array([[4. ],
           [3.5],
           [1.5]])
    """
    present = ~np.isnan(values)
    n = present.sum(axis=1, keepdims=True)
    level = np.where(present, values, 0.0).sum(axis=1, keepdims=True) / np.maximum(n, 1)
    # About the mean, so that large scores lose no digits.
    return np.asarray((level - (values - level) / np.where(n > 1, n - 1, np.nan)).T)


def normal_interval(
    estimate: FloatArray, standard_error: FloatArray, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Estimate ± :math:`z` standard errors.

    Examples
    --------
    >>> low, high = normal_interval(np.array([1.0]), np.array([0.5]), confidence=0.95)
    >>> low.round(2), high.round(2)
    (array([0.02]), array([1.98]))
    """
    reach = -ndtri((1 - confidence) / 2) * standard_error
    return estimate - reach, estimate + reach


def t_interval(
    estimate: FloatArray, standard_error: FloatArray, n: IntArray, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Estimate ± :math:`t_{n-1}` standard errors: for means, and for mean differences of pairs.

    Parameters
    ----------
    estimate, standard_error : array
        Such as `mean` and `standard_error` of :class:`betterthan.kernels.paired.Differences`.
    n : array of int
        Segments behind each estimate; NaN comes back where n < 2.
    confidence : float

    Examples
    --------
    >>> low, high = t_interval(np.array([1.0]), np.array([0.5]), np.array([10]), confidence=0.95)
    >>> low.round(4), high.round(4)
    (array([-0.1311]), array([2.1311]))
    """
    freedom = np.where(n > 1, n - 1.0, np.nan)
    reach = -stdtrit(freedom, (1 - confidence) / 2) * standard_error
    return estimate - reach, estimate + reach
