"""Quality of each judge: compared with peers, on control items, and on repeated items.

Judgments come as rows: unit (an output of a system for a segment), judge, value. Judges are numbered from 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.significance.paired import geometric_mean
from betterthan.kernels.significance.rank_tests import wilcoxon

# A sum of squares below this share of the values' own is rounding.
_NOISE = 1e-26


class JudgedItems(NamedTuple):
    """At most one row for each unit and judge."""

    unit: IntArray
    judge: IntArray
    value: FloatArray


class PeerAgreement(NamedTuple):
    """Comparison of each of j judges with the mean of the others on the same units."""

    n_shared: IntArray
    """(j,); units that others judged too."""
    correlation: FloatArray
    """(j,); Pearson's, with the mean of the others; NaN with fewer than two shared units or without spread."""
    bias: FloatArray
    """(j,); mean of the judge's value minus the mean of the others."""
    variance: FloatArray
    """(j,); of these differences about the bias, freed of the others' share; NaN with fewer than two."""


class Repeats(NamedTuple):
    """Consistency of each of j judges on repeated units."""

    n: IntArray
    """(j,); judgments beyond the first of a unit."""
    deviation: FloatArray
    """(j,); standard deviation of a judge's judgments of the same unit; NaN without repeats."""


class Controls(NamedTuple):
    """Whether each of j judges sees that a degraded output is worse."""

    n: IntArray
    """(j,); pairs of a genuine and a degraded output."""
    right: FloatArray
    """(j,); pairs in which the degraded output is scored lower, and half of those scored alike."""
    difference: FloatArray
    """(j,); mean of genuine less degraded; NaN without pairs."""
    pvalue: FloatArray
    """(j,); one-sided Wilcoxon signed-rank test; NaN without pairs."""


def mean_of_repeats(unit: IntArray, judge: IntArray, value: FloatArray) -> JudgedItems:
    """Average a judge's repeated judgments of the same unit.

    Examples
    --------
    >>> mean_of_repeats(np.array([5, 5, 5]), np.array([0, 1, 0]), np.array([1.0, 9.0, 2.0]))
    JudgedItems(unit=array([5, 5]), judge=array([0, 1]), value=array([1.5, 9. ]))
    """
    n_judges = int(judge.max(initial=0)) + 1
    cell, row, count = np.unique(unit * n_judges + judge, return_inverse=True, return_counts=True)
    value = np.bincount(row, weights=value, minlength=cell.size) / np.maximum(count, 1)
    return JudgedItems(cell // n_judges, cell % n_judges, np.asarray(value, dtype=np.float64))


def peer_agreement(judged: JudgedItems, *, n_judges: int) -> PeerAgreement:
    r"""Compare each judge with the mean of all others on the units they share.

    With :math:`\bar x_{-j}` the mean of the m − 1 others on a unit, and equal error variances σ² of all judges, the
    difference :math:`x_j - \bar x_{-j}` has variance σ² m / (m − 1). It is therefore scaled by
    :math:`\sqrt{(m - 1) / m}`, so that judges with few and with many peers can be compared:

    .. math:: s_j^2 = \frac{1}{n_j - 1} \sum_u (d_{ju} - \bar d_j)^2, \qquad
       d_{ju} = \sqrt{\tfrac{m_u - 1}{m_u}} \, (x_{ju} - \bar x_{-j,u})

    Parameters
    ----------
    judged : JudgedItems
        At most one row for each unit and judge.
    n_judges : int

    References
    ----------
    .. [1] Graham, Baldwin, Moffat and Zobel (2017), Can machine translation systems be evaluated by the crowd alone,
       Natural Language Engineering 23.

    Examples
    --------
    The third judge turns the scale around.

    >>> unit, judge = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    >>> found = peer_agreement(JudgedItems(unit, judge, np.array([1.0, 1, 3, 2, 2, 2, 3, 3, 1])), n_judges=3)
    >>> found.correlation[2].round(12), found.variance.round(3)
    (np.float64(-1.0), array([0.667, 0.667, 2.667]))
    """
    _, group, size = np.unique(judged.unit, return_inverse=True, return_counts=True)
    m = size[group]
    shared = m > 1
    total = np.bincount(group, weights=judged.value, minlength=size.size)[group]
    judge, own, m = judged.judge[shared], judged.value[shared], m[shared]
    others = (total[shared] - own) / (m - 1)
    n, bias, _ = _moments(judge, own - others, n_judges)
    _, _, squares = _moments(judge, np.sqrt((m - 1) / m) * (own - others), n_judges)
    variance = np.asarray(squares / np.where(n > 1, n - 1, np.nan))
    return PeerAgreement(n, _correlations(judge, own, others, n_judges), bias, variance)


def _moments(judge: IntArray, value: FloatArray, n_judges: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Number, mean and sum of squares about the mean for each judge; rounding is 0."""
    n = np.bincount(judge, minlength=n_judges)
    mean = np.bincount(judge, weights=value, minlength=n_judges) / np.where(n > 0, n, np.nan)
    squares = np.bincount(judge, weights=(value - mean[judge]) ** 2, minlength=n_judges)
    size = np.bincount(judge, weights=value**2, minlength=n_judges)
    return n, mean, np.where(squares > _NOISE * size, squares, 0.0)


def _correlations(judge: IntArray, x: FloatArray, y: FloatArray, n_judges: int) -> FloatArray:
    (_, mean_x, xx), (_, mean_y, yy) = (_moments(judge, v, n_judges) for v in (x, y))
    cross = np.bincount(judge, weights=(x - mean_x[judge]) * (y - mean_y[judge]), minlength=n_judges)
    return np.clip(cross / geometric_mean(xx, yy), -1, 1)


def repeat_consistency(unit: IntArray, judge: IntArray, value: FloatArray, *, n_judges: int) -> Repeats:
    r"""Pooled standard deviation of a judge's repeated judgments within units.

    .. math:: s_j = \sqrt{\frac{\sum_u \sum_i (x_{jui} - \bar x_{ju})^2}{\sum_u (m_{ju} - 1)}}

    Examples
    --------
    >>> repeat_consistency(np.array([0, 0, 1]), np.array([0, 0, 0]), np.array([1.0, 3.0, 9.0]), n_judges=1)
    Repeats(n=array([1]), deviation=array([1.41421356]))
    """
    _, cell, size = np.unique(unit * n_judges + judge, return_inverse=True, return_counts=True)
    mean = np.bincount(cell, weights=value, minlength=size.size) / np.maximum(size, 1)
    squares = np.bincount(judge, weights=(value - mean[cell]) ** 2, minlength=n_judges)
    n = np.bincount(judge, minlength=n_judges) - np.bincount(
        judge[np.unique(cell, return_index=True)[1]], minlength=n_judges
    )
    return Repeats(n, np.sqrt(squares / np.where(n > 0, n, np.nan)))


def control_test(judge: IntArray, genuine: FloatArray, degraded: FloatArray, *, n_judges: int) -> Controls:
    """Test for each judge whether degraded outputs are scored lower than what they were made from.

    Parameters
    ----------
    judge : array of int, shape (p,)
    genuine, degraded : array, shape (p,)
        Higher is better; the same judge's scores of both.
    n_judges : int

    Notes
    -----
    The Wilcoxon signed-rank test, exact up to 50 pairs with a difference. Fewer than five pairs cannot reach 0.05.

    References
    ----------
    .. [1] Graham, Baldwin, Moffat and Zobel (2017), Can machine translation systems be evaluated by the crowd alone,
       Natural Language Engineering 23.

    Examples
    --------
    >>> good = np.array([80.0, 75, 90, 60, 70])
    >>> control_test(np.zeros(5, int), good, good - [30, 20, 40, 10, 15], n_judges=1).pvalue
    array([0.03125])
    """
    n, difference, _ = _moments(judge, genuine - degraded, n_judges)
    halves = (1 + np.sign(genuine - degraded)) / 2
    right = np.asarray(np.bincount(judge, weights=halves, minlength=n_judges), dtype=np.float64)
    pvalue = np.full(n_judges, np.nan)
    for one in np.flatnonzero(n).tolist():
        pair = np.stack([genuine[judge == one], degraded[judge == one]])
        pvalue[one] = wilcoxon(pair, alternative="greater").pvalue[0, 1]
    return Controls(n, right, difference, pvalue)
