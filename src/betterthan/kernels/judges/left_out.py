"""Intervals of coefficients of agreement, from leaving out one cluster of units at a time."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.intervals.intervals import influence_interval

FEWEST = 4
"""Clusters below which nothing is said."""


def left_out_interval(
    coefficient: float, without: FloatArray, *, confidence: float = 0.95
) -> tuple[float, float]:
    r"""Interval of a coefficient between -1 and 1, from its values without each of k clusters.

    .. math:: \operatorname{artanh} \hat\theta \pm t_{k-1}\,\mathrm{se}, \qquad
       \mathrm{se}^2 = \frac{1}{k (k - 1)} \sum_c (\psi_c - \bar\psi)^2, \qquad
       \psi_c = (k - 1) \frac{\hat\theta - \hat\theta_{-c}}{1 - \hat\theta^2}

    The jackknife's standard error on Fisher's scale, with Student's quantiles, widened for skewness
    (:func:`~betterthan.kernels.intervals.intervals.skewness_interval`). Judges are taken as they are: the interval is
    about other outputs, judged by the same judges.

    Parameters
    ----------
    coefficient : float
        Of all clusters.
    without : array, shape (k,)
        Without each of them.
    confidence : float, default 0.95

    Returns
    -------
    low, high : float
        NaN for fewer than four clusters, and where a coefficient is unknown or that of all clusters is 1 or -1.

    References
    ----------
    .. [1] Fisher (1921), On the "probable error" of a coefficient of correlation, Metron 1; the scale.
    .. [2] Arvesen (1969), Jackknifing U-statistics, Annals of Mathematical Statistics 40.

    Examples
    --------
    >>> low, high = left_out_interval(0.5, np.array([0.45, 0.5, 0.55, 0.52, 0.48]))
    >>> round(low, 2), round(high, 2)
    (0.29, 0.66)
    """
    k = without.size
    if k < FEWEST or np.isnan(without).any() or not abs(coefficient) < 1:
        return np.nan, np.nan
    pull = (k - 1) * (coefficient - without) / (1 - coefficient**2)
    ends = influence_interval(np.arctanh([coefficient]), pull[:, None], confidence=confidence)
    low, high = (float(np.tanh(end[0])) for end in ends)
    return low, high


def numbered(labels: IntArray) -> IntArray:
    """Return labels as numbers from 0 without gaps.

    Examples
    --------
    >>> numbered(np.array([7, 3, 7]))
    array([1, 0, 1])
    """
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)
