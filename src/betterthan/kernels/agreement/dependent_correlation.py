r"""Williams' test: does one metric correlate better with the human scores than another, on the same systems?

Two correlations that share a variable are dependent, so their difference may not be tested as if they came from
two samples. Williams' statistic takes the correlation between the two metrics into account.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from betterthan.arrays import FloatArray, IntArray

LEAST = 4  # observations; with three there is no degree of freedom left


class Williams(NamedTuple):
    """Williams' statistic and its one-sided p-value, of one shape."""

    statistic: FloatArray
    pvalue: FloatArray


def williams(
    r_12: FloatArray | float, r_13: FloatArray | float, r_23: FloatArray | float, n: IntArray | int
) -> Williams:
    r"""Test whether :math:`r_{12}` is greater than :math:`r_{13}` when both share variable 1.

    .. math:: t_{n-3} = (r_{12} - r_{13}) \sqrt{\frac{(n-1)(1 + r_{23})}
              {2 K \frac{n-1}{n-3} + \frac{(r_{12} + r_{13})^2}{4} (1 - r_{23})^3}}, \qquad
              K = 1 - r_{12}^2 - r_{13}^2 - r_{23}^2 + 2 r_{12} r_{13} r_{23}

    Parameters
    ----------
    r_12 : array
        Correlation of the human scores (1) with the metric that is claimed to be better (2).
    r_13 : array
        Correlation of the human scores with the other metric (3).
    r_23 : array
        Correlation between the two metrics.
    n : int or array of int
        Observations behind the three correlations. All arguments are broadcast.

    Returns
    -------
    Williams
        NaN where a correlation is undefined or ±1, where fewer than 4 observations were made, and where no data
        could have the three correlations (the determinant K is negative).

    Notes
    -----
    Student's distribution is approximate, and derived for variables that are jointly normal: an outlying system
    raises all correlations and breaks the test. The permutation tests of this package need no such assumption.

    References
    ----------
    .. [1] Williams (1959), The comparison of regression variables, JRSS B 21, 396-399.
    .. [2] Steiger (1980), Tests for comparing elements of a correlation matrix, Psychological Bulletin 87, Eq. 7.
    .. [3] Graham and Baldwin (2014), Testing for significance of increased correlation with human judgment, EMNLP.

    Examples
    --------
    >>> found = williams(0.9, 0.7, 0.8, 14)
    >>> round(float(found.statistic), 4), round(float(found.pvalue), 4)
    (2.3757, 0.0184)
    """
    r_12, r_13, r_23, n = np.broadcast_arrays(
        *(np.asarray(given, dtype=np.float64) for given in (r_12, r_13, r_23, n))
    )
    determinant = _determinant(r_12, r_13, r_23)
    inside = np.maximum(np.maximum(np.abs(r_12), np.abs(r_13)), np.abs(r_23)) < 1
    defined = inside & (determinant >= 0) & (n >= LEAST)
    size = np.where(defined, n, LEAST)
    mean_square = (r_12 + r_13) ** 2 / 4
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = 2 * determinant * (size - 1) / (size - 3) + mean_square * (1 - r_23) ** 3
        statistic = (r_12 - r_13) * np.sqrt((size - 1) * (1 + r_23) / scale)
    statistic = np.where(defined, statistic, np.nan)
    return Williams(statistic, np.asarray(special.stdtr(size - 3, -statistic)))


def _determinant(r_12: FloatArray, r_13: FloatArray, r_23: FloatArray) -> FloatArray:
    """Determinant of the three variables' correlation matrix; what is negative by rounding alone is 0."""
    found = 1 - r_12**2 - r_13**2 - r_23**2 + 2 * r_12 * r_13 * r_23
    return np.asarray(np.where(np.abs(found) < 1e-13, 0.0, found))


def williams_all_pairs(metrics: FloatArray, human: FloatArray) -> FloatArray:
    """One-sided p-values that the row's metric correlates better with the human scores than the column's.

    Parameters
    ----------
    metrics : array, shape (k, m)
        A row of system scores a metric, higher is better. NaN is missing: two metrics are compared on the systems
        that both and the human judges have scored.
    human : array, shape (m,)

    Returns
    -------
    array, shape (k, k)
        p of (a, b) and of (b, a) add up to 1. NaN on the diagonal, where fewer than 4 systems are shared, where a
        row is constant, and where two of the rows are a line of each other (|r| = 1).

    Notes
    -----
    Pearson's correlations of all pairs come from one matrix product when nothing is missing, otherwise pair by
    pair.

    Examples
    --------
    >>> human = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> metrics = np.array([[1.0, 2.0, 3.0, 4.0, 6.0, 5.0], [2.0, 1.0, 6.0, 4.0, 3.0, 5.0]])
    >>> williams_all_pairs(metrics, human).round(3)
    array([[  nan, 0.082],
           [0.918,   nan]])
    """
    k = len(metrics)
    with_human = np.vstack([metrics, human[None]])
    if not np.isnan(with_human).any():
        r = _correlations(with_human)
        pvalues = williams(r[:k, k][:, None], r[:k, k][None, :], r[:k, :k], human.size).pvalue
    else:
        pvalues = np.full((k, k), np.nan)
        for a in range(k):
            for b in range(a + 1, k):
                pvalues[a, b], pvalues[b, a] = _one_pair(with_human[[a, b, k]])
    np.fill_diagonal(pvalues, np.nan)
    return pvalues


def _one_pair(three: FloatArray) -> tuple[float, float]:
    """Both p-values of two metrics and the human scores, on the columns that all three have."""
    shared = three[:, ~np.isnan(three).any(axis=0)]
    if shared.shape[1] < LEAST:
        return np.nan, np.nan
    r = _correlations(shared)
    both = williams(r[[0, 1], 2], r[[1, 0], 2], r[0, 1], shared.shape[1]).pvalue
    return float(both[0]), float(both[1])


def _correlations(rows: FloatArray) -> FloatArray:
    """Pearson's correlations of all rows; NaN for a constant one, exactly ±1 for lines of each other."""
    constant = rows.max(axis=1) == rows.min(axis=1)
    centred = rows - rows.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = np.where(constant[:, None], np.nan, centred / np.where(constant[:, None], 1.0, length))
    r = unit @ unit.T
    # Rows that are a line of each other give 1 only up to rounding, and then a statistic that means nothing.
    return np.asarray(np.where(np.abs(np.abs(r) - 1) < 1e-13, np.sign(r), r))
