"""An exact interval for a median."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import bdtrik

from betterthan.arrays import FloatArray
from betterthan.kernels.sign_test import at_least
from betterthan.kernels.tied_ranks import row_medians


class MedianInterval(NamedTuple):
    """Medians with exact intervals."""

    median: FloatArray
    """(k,)"""
    low: FloatArray
    """(k,); −inf when there are too few segments for the confidence asked for."""
    high: FloatArray
    """(k,); inf likewise."""
    coverage: FloatArray
    """(k,); the coverage reached, at least what was asked for when the interval is finite."""


def median_interval(values: FloatArray, *, confidence: float) -> MedianInterval:
    r"""Median of each row with an exact interval between two order statistics.

    The interval :math:`[x_{(j+1)}, x_{(n-j)}]` misses the median with probability
    :math:`2 P(K \le j)`, :math:`K \sim \mathrm{Bin}(n, \tfrac12)`; j is the largest that keeps this within
    1 − confidence. It is the sign test turned round: for differences of a pair, the interval for the quantity
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


def _misses_allowed(n: np.ndarray, tail: float) -> np.ndarray:
    """Largest j with P(K ≤ j) ≤ tail, −1 if there is none."""
    # The continuous inverse can be one off, so its neighbours are asked too.
    guess = np.where(n > 0, np.floor(np.nan_to_num(bdtrik(tail, np.maximum(n, 1), 0.5))), 0).astype(np.int64)
    best = np.full(n.shape, -1, dtype=np.int64)
    for j in (guess - 2, guess - 1, guess, guess + 1):
        fits = (j >= 0) & (at_least(n - j, n) <= tail) & (n > 0)
        best = np.where(fits, j, best)
    return best
