"""Accuracy with calibrated ties: how often a metric ranks or ties a pair as the human does.

A metric with a fine scale never ties, the human often does. So a metric is allowed one threshold, below which its
differences are called ties, and it is given the best one.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.kernels.correlation import Level, cells_by_group
from betterthan.kernels.tie_threshold import PairedCells, best_threshold, compared_pairs, whole_weights

_MOST_PAIRS = 200_000_000
# A curve has a point for each gap up to so many pairs; beyond, one for each of so many steps.
_MOST_SORTED = 1 << 22
_STEPS = 1 << 16

_Changes = tuple[FloatArray, IntArray, int]


class Calibrated(NamedTuple):
    """The best accuracy that one threshold gives.

    Attributes
    ----------
    accuracy : float
        Mean over groups of the share of pairs on which human and metric agree; NaN without pairs.
    threshold : float
        The smallest of the best: the metric ties a pair whose scores differ by no more. NaN without pairs.
    n_pairs : int
        Pairs with all four scores.
    n_groups : int
        Groups with a pair, which the mean is over.
    n_empty : int
        Groups without a pair, left out.
    """

    accuracy: float
    threshold: float
    n_pairs: int
    n_groups: int
    n_empty: int


class AccuracyAt(NamedTuple):
    """The accuracy at one threshold, over all groups and in each.

    Attributes
    ----------
    accuracy : float
    per_group : array, shape (g,)
        NaN for a group without a pair.
    """

    accuracy: float
    per_group: FloatArray


class AccuracyCurve(NamedTuple):
    """The accuracy at rising thresholds.

    Attributes
    ----------
    thresholds, accuracy : array, shape (t,)
        Each accuracy holds from its threshold up to the next.
    """

    thresholds: FloatArray
    accuracy: FloatArray


def calibrated_accuracy(metric: FloatArray, human: FloatArray, level: Level = "segment") -> Calibrated:
    r"""Choose the threshold under which a metric agrees best with the human, ties included.

    .. math:: \max_\varepsilon \frac1G \sum_g \frac1{P_g} \sum_{(i,j) \in g}
              [h_i = h_j][|x_i - x_j| \le \varepsilon] +
              [\operatorname{sgn}(h_i - h_j) = \operatorname{sgn}(x_i - x_j) \ne 0][|x_i - x_j| > \varepsilon]

    Parameters
    ----------
    metric, human : array, shape (m, n)
        m systems on n segments, higher is better, NaN is missing, no infinities.
    level : {"segment", "within_system", "global", "system"}, default "segment"
        What a group is: the systems on a segment, the segments of a system, all cells, or the system means.

    Returns
    -------
    Calibrated

    Raises
    ------
    BetterThanError
        At a level other than "segment" when there are more than 200 million pairs.

    Notes
    -----
    Raising the threshold over a pair's gap gains the pair when the human ties it and loses it when it was
    concordant. So with the gaps in order, cumulative sums give the accuracy at all thresholds; the best is 0 or
    the gap of a human tie. The pairs are first counted in narrow bins, and only the few bins that can hold the
    best are sorted.

    Sums are whole numbers of 1 / lcm(P), so equally good thresholds are seen to be equal. When that is too fine
    for 64 bits, which takes many different P, thresholds whose accuracies differ by less than pairs × 2⁻⁶²,
    5 × 10⁻¹¹ at most, may be confused; the accuracy given is exact all the same.

    References
    ----------
    .. [1] Deutsch, Foster and Freitag (2023), Ties matter: meta-evaluating modern metrics with pairwise accuracy
       and tie calibration, EMNLP.

    Examples
    --------
    Three of six pairs are human ties, two of them with gaps up to 4.

    >>> metric, human = np.array([[0.0], [2], [6], [8]]), np.array([[1.0], [1], [1], [4]])
    >>> calibrated_accuracy(metric, human)
    Calibrated(accuracy=0.6666666666666666, threshold=4.0, n_pairs=6, n_groups=1, n_empty=0)
    """
    cells, used = _cells(metric, human, level)
    n_groups, n_empty = cells.n_pairs.size, int(np.count_nonzero(~used))
    if not n_groups:
        return Calibrated(math.nan, math.nan, 0, 0, n_empty)
    threshold = best_threshold(cells)
    accuracy = _mean_share(_agreements(cells, threshold), cells.n_pairs)
    return Calibrated(accuracy, threshold, int(cells.n_pairs.sum()), n_groups, n_empty)


def accuracy_at(
    metric: FloatArray, human: FloatArray, threshold: float, level: Level = "segment"
) -> AccuracyAt:
    """Share of pairs on which human and metric agree, when the metric ties gaps up to a threshold.

    Parameters
    ----------
    metric, human, level
        As in :func:`calibrated_accuracy`.
    threshold : float
        0 or more.

    Returns
    -------
    AccuracyAt

    Examples
    --------
    >>> metric, human = np.array([[0.0], [2], [6], [8]]), np.array([[1.0], [1], [1], [4]])
    >>> accuracy_at(metric, human, 0.0).accuracy
    0.5
    """
    if not threshold >= 0:
        raise BetterThanError(f"threshold must be 0 or more; it is {threshold}.")
    cells, used = _cells(metric, human, level)
    agreements = _agreements(cells, threshold)
    per_group = np.full(used.size, np.nan)
    per_group[used] = agreements / cells.n_pairs
    return AccuracyAt(_mean_share(agreements, cells.n_pairs), per_group)


def accuracy_curve(metric: FloatArray, human: FloatArray, level: Level = "segment") -> AccuracyCurve:
    """Accuracy as a function of the threshold, for charts.

    Parameters
    ----------
    metric, human, level
        As in :func:`calibrated_accuracy`.

    Returns
    -------
    AccuracyCurve
        At 0 and at every gap; with over 4 million pairs, at the last gap of each of 65 536 steps.

    Examples
    --------
    >>> metric, human = np.array([[0.0], [2], [6], [8]]), np.array([[1.0], [1], [1], [4]])
    >>> thresholds, accuracy = accuracy_curve(metric, human)
    >>> thresholds, (6 * accuracy).round(9)
    (array([0., 2., 4., 6., 8.]), array([3., 3., 4., 4., 3.]))
    """
    cells, _ = _cells(metric, human, level)
    if not cells.n_pairs.size:
        return AccuracyCurve(np.empty(0), np.empty(0))
    weights, scale = whole_weights(cells.n_pairs)
    every = cells.n_pairs.sum() <= _MOST_SORTED
    gaps, changes, start = _at_every_gap(cells, weights) if every else _at_every_step(cells, weights)
    totals = start + np.cumsum(changes)
    if gaps[0] > 0:
        gaps, totals = np.append(0.0, gaps), np.append(start, totals)
    return AccuracyCurve(gaps, totals / (scale * cells.n_pairs.size))


def _cells(metric: FloatArray, human: FloatArray, level: Level) -> tuple[PairedCells, BoolArray]:
    """Groups that have a pair, and which of all groups they are."""
    x, y = cells_by_group(metric, human, level)
    present = np.count_nonzero(~np.isnan(x), axis=1).astype(np.int64)
    n_pairs = present * (present - 1) // 2
    if n_pairs.sum() > _MOST_PAIRS and level != "segment":
        raise BetterThanError(
            f'Level "{level}" has {n_pairs.sum()} pairs here, more than {_MOST_PAIRS}.'
            ' The usual choice is level="segment", pairs of systems on the same segment.'
        )
    used = n_pairs > 0
    # Elements × groups: pairs then lie opposite each other in long rows.
    columns = np.ascontiguousarray(x[used].T), np.ascontiguousarray(y[used].T)
    return PairedCells(*columns, n_pairs[used]), used


def _agreements(cells: PairedCells, threshold: float) -> IntArray:
    """Pairs of each group on which human and metric agree."""
    agreements = np.zeros(cells.n_pairs.size, dtype=np.int64)
    for gaps, tied, concordant, groups in compared_pairs(cells):
        near = gaps <= threshold
        agreements[groups] += np.count_nonzero(np.where(near, tied, concordant), axis=0)
    return agreements


def _mean_share(agreements: IntArray, n_pairs: IntArray) -> float:
    """Mean of agreements / pairs, rounded once; NaN of nothing."""
    if not n_pairs.size:
        return math.nan
    sizes, place = np.unique(n_pairs, return_inverse=True)
    totals = np.zeros(sizes.size, dtype=np.int64)
    np.add.at(totals, place, agreements)
    common = math.lcm(*sizes.tolist())
    shares = zip(totals.tolist(), sizes.tolist(), strict=True)
    return float(sum(total * (common // size) for total, size in shares) / (common * n_pairs.size))


def _at_every_gap(cells: PairedCells, weights: IntArray) -> _Changes:
    """Distinct gaps in order, what each changes, and the sum when nothing is a tie."""
    gaps, changes, start = [], [], 0
    for block, tied, concordant, groups in compared_pairs(cells):
        known = ~np.isnan(block)
        start += int(np.count_nonzero(concordant, axis=0) @ weights[groups])
        gaps.append(block[known])
        changes.append(((tied.view(np.int8) - concordant.view(np.int8)) * weights[groups])[known])
    distinct, which = np.unique(np.concatenate(gaps), return_inverse=True)
    sums = np.zeros(distinct.size, dtype=np.int64)
    np.add.at(sums, which, np.concatenate(changes))
    return distinct, sums, start


def _at_every_step(cells: PairedCells, weights: IntArray) -> _Changes:
    """Return the same for the largest gap of each of many steps, without holding all gaps."""
    per_gap = _STEPS / min(max(cells.largest_gap, sys.float_info.min), sys.float_info.max)
    largest, sums, start = np.full(_STEPS + 1, -1.0), np.zeros(_STEPS + 1, dtype=np.int64), 0
    for block, tied, concordant, groups in compared_pairs(cells):
        known = ~np.isnan(block)
        start += int(np.count_nonzero(concordant, axis=0) @ weights[groups])
        # Rounding up keeps gaps of 0 apart.
        step = np.ceil(np.minimum(block[known] * per_gap, _STEPS)).astype(np.int64)
        np.maximum.at(largest, step, block[known])
        np.add.at(sums, step, ((tied.view(np.int8) - concordant.view(np.int8)) * weights[groups])[known])
    met = largest >= 0
    return largest[met], sums[met], start
