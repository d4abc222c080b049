"""Intervals for a median between order statistics: exact, or interpolated to the requested confidence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import bdtrik

from betterthan.arrays import FloatArray
from betterthan.kernels.comparisons.tied_ranks import row_medians
from betterthan.kernels.significance.rank_tests import at_least


class MedianInterval(NamedTuple):
    """Medians with exact intervals."""

    median: FloatArray
    """(k,)"""
    low: FloatArray
    """(k,); −inf when there are too few segments for the requested confidence."""
    high: FloatArray
    """(k,); inf likewise."""
    coverage: FloatArray
    """(k,); the coverage reached, at least the requested one when the interval is finite."""


def median_interval(values: FloatArray, *, confidence: float) -> MedianInterval:
    r"""Median of each row with an exact interval between two order statistics.

    The interval :math:`[x_{(j+1)}, x_{(n-j)}]` misses the median with probability
    :math:`2 P(K \le j)`, :math:`K \sim \mathrm{Bin}(n, \tfrac12)`; j is the largest that keeps this within
    1 − confidence. It is the inverted sign test: for differences of a pair, the interval for the quantity
    that decides Bradley–Terry between two systems.

    Parameters
    ----------
    values : array, shape (k, n)
        Differences of k pairs (or scores of k systems); NaN is missing.
    confidence : float

    References
    ----------
    .. [1] Conover (1999), Practical nonparametric statistics, §3.2.

    Examples
    --------
    >>> found = median_interval(np.array([[1.0, 2, 3, 4, 5, 6]]), confidence=0.95)
    >>> found.low, found.high, found.coverage
    (array([1.]), array([6.]), array([0.96875]))
    """
    n = np.count_nonzero(~np.isnan(values), axis=1)
    reach = _misses_allowed(n, (1 - confidence) / 2)
    in_order = np.sort(values, axis=1)
    possible = reach >= 0
    rows = np.nonzero(possible)[0]
    low, high = np.full(len(values), -np.inf), np.full(len(values), np.inf)
    low[rows] = in_order[rows, reach[rows]]
    high[rows] = in_order[rows, n[rows] - 1 - reach[rows]]
    coverage = np.where(possible, 1 - 2 * at_least(n - reach, n), 1.0)
    nothing = n == 0
    for column in (low, high, coverage):
        column[nothing] = np.nan
    return MedianInterval(row_medians(values), low, high, coverage)


def interpolated_median_interval(values: FloatArray, *, confidence: float) -> tuple[FloatArray, FloatArray]:
    r"""Interval of each row's median that covers nearly `confidence`, not at least.

    Between the exact interval of the d-th order statistics, which covers :math:`\gamma_d` or more, and the next one
    inside, which covers less, with [1]_

    .. math:: I = \frac{\gamma_d - \gamma}{\gamma_d - \gamma_{d+1}}, \qquad
              \lambda = \frac{(n - d) I}{d + (n - 2 d) I}, \qquad
              \text{low} = (1 - \lambda) x_{(d)} + \lambda x_{(d+1)} .

    Parameters
    ----------
    values : array, shape (k, n)
        Without gaps.
    confidence : float

    Returns
    -------
    low, high : array, shape (k,)
        From the least to the greatest value where n is too small for the requested confidence (5 or fewer for 95%).

    References
    ----------
    .. [1] Hettmansperger and Sheather (1986), Confidence intervals based on interpolated order statistics, Statistics
       and Probability Letters 4.

    Examples
    --------
    >>> interpolated_median_interval(np.array([[1.0, 2, 3, 4, 5, 6, 7, 8]]), confidence=0.95)
    (array([1.93564356]), array([7.06435644]))
    """
    n = values.shape[1]
    in_order = np.sort(values, axis=1)
    misses = int(_misses_allowed(np.array([n]), (1 - confidence) / 2)[0])
    if misses < 0 or n < 2:
        return in_order[:, 0], in_order[:, -1]
    outer, inner = (
        float(1 - 2 * at_least(np.array([n - j]), np.array([n]))[0]) for j in (misses, misses + 1)
    )
    d = misses + 1
    share = (outer - confidence) / (outer - inner)
    weight = (n - d) * share / (d + (n - 2 * d) * share)
    low = (1 - weight) * in_order[:, d - 1] + weight * in_order[:, d]
    high = (1 - weight) * in_order[:, n - d] + weight * in_order[:, n - d - 1]
    return low, high


def _misses_allowed(n: np.ndarray, tail: float) -> np.ndarray:
    """Largest j with P(K ≤ j) ≤ tail, −1 if there is none."""
    # The continuous inverse can be one off, so its neighbors are asked too.
    guess = np.where(n > 0, np.floor(np.nan_to_num(bdtrik(tail, np.maximum(n, 1), 0.5))), 0).astype(np.int64)
    best = np.full(n.shape, -1, dtype=np.int64)
    for j in (guess - 2, guess - 1, guess, guess + 1):
        fits = (j >= 0) & (at_least(n - j, n) <= tail) & (n > 0)
        best = np.where(fits, j, best)
    return best
