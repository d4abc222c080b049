r"""Correlations of a metric with human scores: many at once, with missing cells, at four levels.

Everywhere `metric` and `human` are systems × segments, higher is better, and a cell counts only when both have it.

Williams' test: does one metric correlate better with the human scores than another, on the same systems?

Two correlations that share a variable are dependent, so their difference may not be tested as if they came from
two samples. Williams' statistic takes the correlation between the two metrics into account.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy import special

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.agreement.kendall import kendall_b
from betterthan.kernels.comparisons.tied_ranks import groups_of_equals

CorrelationLevel = Literal["segment", "within_system", "global", "system"]
LEVELS: tuple[CorrelationLevel, ...] = get_args(CorrelationLevel)
CorrelationFunction = Callable[[FloatArray, FloatArray], FloatArray]

# Up to this length comparing all pairs of a row beats sorting each row by itself.
_ALL_PAIRS_UP_TO = 500
# Numbers in a block; half a dozen arrays of that size exist at a time.
_BLOCK = 1 << 20


class Grouped(NamedTuple):
    """A coefficient averaged over groups of cells.

    Attributes
    ----------
    value : float
        The mean over the groups in which the coefficient is defined; NaN when there is none.
    per_group : array, shape (g,)
        One coefficient a group, NaN where undefined: segments, systems, or a single group.
    n_groups : int
        How many groups the mean is over.
    n_undefined : int
        How many groups were left out; `n_groups` + `n_undefined` = g.
    """

    value: float
    per_group: FloatArray
    n_groups: int
    n_undefined: int


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    r"""Pearson's correlation along the last axis.

    .. math:: r = \frac{\sum_i (x_i - \bar x)(y_i - \bar y)}
                       {\sqrt{\sum_i (x_i - \bar x)^2 \sum_i (y_i - \bar y)^2}}

    Parameters
    ----------
    x, y : array, shape (..., k)
        Leading axes are broadcast. Elements that are NaN in either are left out.

    Returns
    -------
    array, shape (...)
        In [−1, 1]; NaN with fewer than two elements, when one side is constant (its least element equals its
        greatest, exactly), or when an element is infinite.

    Notes
    -----
    Each row is shifted by its least element and scaled by a power of two before its mean is taken off. Neither
    rounds when the elements are close together, so scores such as 10⁹ + small are no trouble, nor are scores
    whose squares would overflow; ranks are treated without any rounding.

    References
    ----------
    .. [1] Pearson (1895), Note on regression and inheritance in the case of two parents, Proc. R. Soc. 58.

    Examples
    --------
    >>> round(float(pearson(np.array([1.0, 2, 3, np.nan]), np.array([1.0, 3, 2, 9]))), 12)
    0.5
    """
    return _row_by_row(_pearson_rows, x, y)


def spearman(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's rank correlation along the last axis: Pearson's of the midranks.

    Parameters
    ----------
    x, y : array, shape (..., k)
        Leading axes are broadcast. Elements that are NaN in either are left out before ranking.

    Returns
    -------
    array, shape (...)
        NaN as in :func:`pearson`, but infinite elements have a rank like any other.

    References
    ----------
    .. [1] Spearman (1904), The proof and measurement of association between two things, Am. J. Psychol. 15.

    Examples
    --------
    >>> float(spearman(np.array([1.0, 20, 300, 4000]), np.array([1.0, 2, 4, 3])))
    0.8
    """
    return _row_by_row(lambda a, b: _pearson_rows(_midranks(a), _midranks(b)), x, y)


def kendall_b_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """Kendall's tau-b along the last axis, for many rows at once.

    Parameters
    ----------
    x, y : array, shape (..., k)
        Leading axes are broadcast. Elements that are NaN in either are left out.

    Returns
    -------
    array, shape (...)
        What :func:`betterthan.kernels.agreement.kendall.kendall_b` gives for each row.

    Notes
    -----
    All pairs of elements i, i + d of all rows are compared at once, for d = 1, 2, …: k²/2 comparisons a row.
    Long rows, and a few rows that are longer than they are many, are given to `kendall_b` one by one.

    Examples
    --------
    >>> kendall_b_rows(np.array([[1.0, 2, 3, 4], [4, 3, 2, 1]]), np.array([1.0, 3, 2, 2])).round(4)
    array([ 0.1826, -0.1826])
    """
    return _row_by_row(_tau_rows, x, y)


COEFFICIENTS: dict[str, CorrelationFunction] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall_b": kendall_b_rows,
}


def grouped(
    coefficient: Literal["pearson", "spearman", "kendall_b"] | CorrelationFunction,
    metric: FloatArray,
    human: FloatArray,
    level: CorrelationLevel,
) -> Grouped:
    """Correlate a metric with human scores in each group of cells, and average.

    Parameters
    ----------
    coefficient : {"pearson", "spearman", "kendall_b"} or callable
        A callable takes two arrays (g, k), with NaN in both where a cell is missing, and returns g numbers.
    metric, human : array, shape (m, n)
        m systems on n segments, higher is better, NaN is missing.
    level : {"segment", "within_system", "global", "system"}
        * "segment": across systems, for each segment ("group by item" in mt-metrics-eval).
        * "within_system": across segments, for each system ("group by system").
        * "global": all cells at once ("no grouping").
        * "system": across systems, of their means over the cells both have.

    Returns
    -------
    Grouped

    Notes
    -----
    The mean is rounded once, so that it does not depend on the order of systems or segments.

    Examples
    --------
    The third segment has equal human scores, so nothing correlates with it.

    >>> metric = np.array([[1.0, 5, 3], [2, 4, 2], [3, 3, 4]])
    >>> human = np.array([[1.0, 1, 7], [2, 3, 7], [3, 2, 7]])
    >>> found = grouped("pearson", metric, human, "segment")
    >>> found.per_group, found.value, found.n_groups, found.n_undefined
    (array([ 1. , -0.5,  nan]), 0.25, 2, 1)
    """
    x, y = cells_by_group(metric, human, level)
    per_group = np.asarray(_function_of(coefficient)(x, y), dtype=np.float64).reshape(len(x))
    defined = per_group[~np.isnan(per_group)]
    value = math.fsum(defined) / defined.size if defined.size else math.nan
    return Grouped(value, per_group, defined.size, per_group.size - defined.size)


def cells_by_group(
    metric: FloatArray, human: FloatArray, level: CorrelationLevel
) -> tuple[FloatArray, FloatArray]:
    """Lay the cells out as groups × elements, with NaN in both wherever one is missing.

    Parameters
    ----------
    metric, human : array, shape (m, n)
    level : {"segment", "within_system", "global", "system"}
        As in :func:`grouped`.

    Returns
    -------
    metric, human : array, shape (g, k)
        n × m, m × n, 1 × mn or 1 × m.

    Examples
    --------
    >>> cells_by_group(np.array([[1.0, 2], [3, 4]]), np.array([[5.0, np.nan], [7, 8]]), "segment")[0]
    array([[ 1.,  3.],
           [nan,  4.]])
    """
    x, y = shared_cells(metric, human)
    if level == "segment":
        return np.ascontiguousarray(x.T), np.ascontiguousarray(y.T)
    if level == "within_system":
        return x, y
    if level == "global":
        return x.reshape(1, -1), y.reshape(1, -1)
    if level == "system":
        metric_means, human_means = system_means(x, y)
        return metric_means[None], human_means[None]
    raise unknown_name("level", level, LEVELS)


def shared_cells(metric: FloatArray, human: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Copies of both tables with NaN wherever one is missing, or raise when the shapes differ.

    Examples
    --------
    >>> shared_cells(np.array([[1.0, np.nan]]), np.array([[np.nan, 2.0]]))
    (array([[nan, nan]]), array([[nan, nan]]))
    """
    metric, human = np.asarray(metric, dtype=np.float64), np.asarray(human, dtype=np.float64)
    if metric.ndim != 2 or metric.shape != human.shape:
        raise BetterThanError(
            f"metric and human must be the same systems × segments; their shapes are {metric.shape} and"
            f" {human.shape}. Align the tables first."
        )
    both = ~(np.isnan(metric) | np.isnan(human))
    return np.where(both, metric, np.nan), np.where(both, human, np.nan)


def system_means(metric: FloatArray, human: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean of each system over the segments on which it has both scores.

    Parameters
    ----------
    metric, human : array, shape (m, n)

    Returns
    -------
    metric_means, human_means : array, shape (m,)
        NaN for a system without a shared segment.

    Examples
    --------
    >>> system_means(np.array([[1.0, 3, 8], [2, 2, 2]]), np.array([[5.0, 7, np.nan], [0, 3, 6]]))
    (array([2., 2.]), array([6., 3.]))
    """
    x, y = shared_cells(metric, human)
    count = np.count_nonzero(~np.isnan(x), axis=1)
    n = np.where(count, count, np.nan)
    return np.nansum(x, axis=1) / n, np.nansum(y, axis=1) / n


def _function_of(coefficient: str | CorrelationFunction) -> CorrelationFunction:
    if callable(coefficient):
        return coefficient
    if coefficient not in COEFFICIENTS:
        raise unknown_name("coefficient", coefficient, COEFFICIENTS)
    return COEFFICIENTS[coefficient]


def _row_by_row(of_rows: CorrelationFunction, x: FloatArray, y: FloatArray) -> FloatArray:
    """Apply a function of two matrices to all rows, a block at a time."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not (x.ndim and y.ndim and x.shape[-1] == y.shape[-1]):
        raise BetterThanError(
            f"x and y must have as many elements along the last axis; their shapes are {x.shape} and {y.shape}."
        )
    x, y = np.broadcast_arrays(x, y)
    leading, k = x.shape[:-1], x.shape[-1]
    n_rows = math.prod(leading)
    found = np.full(n_rows, np.nan)
    step = max(1, _BLOCK // max(1, k))
    for start in range(0, n_rows if k > 1 else 0, step):
        rows = np.unravel_index(np.arange(start, min(start + step, n_rows)), leading) if leading else ...
        # Rows lie in memory one after the other, whatever x was, so that sums have the same bits.
        a, b = (np.ascontiguousarray(side[rows]).reshape(-1, k) for side in (x, y))
        missing = np.isnan(a) | np.isnan(b)
        found[start : start + step] = of_rows(np.where(missing, np.nan, a), np.where(missing, np.nan, b))
    return found.reshape(leading)


def _pearson_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    dx, dy = _centred(x), _centred(y)
    covariance = (dx * dy).sum(axis=1)
    scale = np.sqrt((dx * dx).sum(axis=1) * (dy * dy).sum(axis=1))
    return np.asarray(np.clip(covariance / np.where(scale > 0, scale, np.nan), -1, 1))


def _centred(x: FloatArray) -> FloatArray:
    """Deviations from the mean times a power of two that makes them about 1; 0 where missing or constant."""
    missing = np.isnan(x)
    low = np.where(missing, np.inf, x).min(axis=1, keepdims=True)
    high = np.where(missing, -np.inf, x).max(axis=1, keepdims=True)
    # An infinite element has no deviation, and neither has a row without elements.
    usable = np.isfinite(low) & np.isfinite(high) & ~missing
    largest = np.where(usable.any(axis=1, keepdims=True), np.maximum(np.abs(low), np.abs(high)), 1.0)
    power = -np.frexp(largest)[1]
    shifted = np.where(usable, np.ldexp(np.where(usable, x, 0), power), 0)
    shifted -= np.where(usable, np.ldexp(np.where(usable, low, 0), power), 0)
    shifted = np.ldexp(shifted, -np.frexp(shifted.max(axis=1, keepdims=True))[1])
    n = np.maximum(1, np.count_nonzero(usable, axis=1)[:, None])
    return np.asarray(np.where(usable, shifted - shifted.sum(axis=1, keepdims=True) / n, 0))


def _midranks(x: FloatArray) -> FloatArray:
    """Midranks of the elements that are there, along rows; NaN stays NaN."""
    order = np.argsort(x, axis=1)
    in_order = np.take_along_axis(x, order, axis=1)
    starts = np.ones(x.shape, dtype=np.bool_)
    # NaN differs from everything and is sorted last, so it does not affect other ranks.
    starts[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, groups_of_equals(starts).middle, axis=1)
    return np.where(np.isnan(x), np.nan, ranks)


def _tau_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    if x.shape[1] > min(_ALL_PAIRS_UP_TO, 16 * len(x)):
        # Ranks say the same, and their sums do not overflow.
        return np.array([kendall_b(a, b) for a, b in zip(_midranks(x), _midranks(y), strict=True)])
    columns_x, columns_y = np.ascontiguousarray(x.T), np.ascontiguousarray(y.T)
    excess, untied_x, untied_y = np.zeros((3, len(x)), dtype=np.int64)
    for offset in range(1, x.shape[1]):
        sign_x, sign_y = _signs(columns_x, offset), _signs(columns_y, offset)
        excess += (sign_x * sign_y).sum(axis=0, dtype=np.int64)
        untied_x += np.count_nonzero(sign_x, axis=0)
        untied_y += np.count_nonzero(sign_y, axis=0)
    scale = untied_x.astype(np.float64) * untied_y
    return np.asarray(np.clip(excess / np.sqrt(np.where(scale > 0, scale, np.nan)), -1, 1))


def _signs(columns: FloatArray, offset: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    """Signs of the differences of elements so far apart; 0 when equal or missing."""
    left, right = columns[:-offset], columns[offset:]
    return (left > right).view(np.int8) - (left < right).view(np.int8)


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
