"""Pairwise agreement of judges: Cohen's kappa, and the order of systems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import unknown_name
from betterthan.kernels.judges.left_out import left_out_interval, numbered

KappaWeights = Literal["none", "linear", "quadratic"]

# What is left of a sum of squares after others were taken from it is rounding below this share of it.
_ROUNDING = 1e-13


class SharedUnits(NamedTuple):
    """What two judges both judged."""

    first: int
    second: int
    unit: IntArray
    """Rising."""
    x: FloatArray
    """Values of the first."""
    y: FloatArray
    """Values of the second."""


class MeanKappa(NamedTuple):
    """Cohen's kappa, mean over pairs of judges, with its interval."""

    kappa: float
    low: float
    high: float


class JudgedOrders(NamedTuple):
    """How every two judges order the systems that both judged on a segment, p pairs of judges."""

    first: IntArray
    second: IntArray
    n_pairs: IntArray
    """(p,); pairs of systems on a segment that both judged; the next three sum to it."""
    alike: IntArray
    """(p,); ordered the same way, or tied by both."""
    opposite: IntArray
    tied_by_one: IntArray
    ties: IntArray
    """(p,); ties of the first plus ties of the second."""


def shared_units(unit: IntArray, judge: IntArray, value: FloatArray) -> Iterator[SharedUnits]:
    """Yield what every two judges both judged, the lower-numbered judge first.

    Memory does not grow with the number of pairs: one judge's units are looked at at a time.

    Parameters
    ----------
    unit, judge : array of int, shape (t,)
        At most one row for each unit and judge.
    value : array, shape (t,)
        NaN is missing.

    Examples
    --------
    >>> rows = shared_units(np.array([7, 7, 8]), np.array([0, 1, 0]), np.array([1.0, 2.0, 3.0]))
    >>> [(row.first, row.second, row.unit.tolist(), row.x.tolist(), row.y.tolist()) for row in rows]
    [(0, 1, [7], [1.0], [2.0])]
    """
    known = ~np.isnan(value)
    order = np.lexsort((judge[known], unit[known]))
    unit, judge, value = unit[known][order], judge[known][order], value[known][order]
    place = np.arange(unit.size)
    last = np.searchsorted(unit, unit, side="right")  # one past the unit's last row
    for first in np.unique(judge).tolist():
        mine = place[judge == first]
        # Within a unit judges rise, so those after a row are exactly the later judges of its unit.
        many = last[mine] - mine - 1
        own = np.repeat(mine, many)
        other = own + 1 + np.arange(own.size) - np.repeat(np.cumsum(many) - many, many)
        by_judge = np.argsort(judge[other], kind="stable")
        own, other = own[by_judge], other[by_judge]
        partners, starts = np.unique(judge[other], return_index=True)
        for second, rows in zip(partners.tolist(), np.split(np.arange(other.size), starts[1:]), strict=False):
            yield SharedUnits(first, second, unit[own[rows]], value[own[rows]], value[other[rows]])


def cohen_kappa(first: FloatArray, second: FloatArray, *, weights: KappaWeights = "none") -> float:
    r"""Cohen's kappa of two judges' values of the same units.

    .. math:: \kappa = 1 - \frac{\sum_i w(x_i, y_i) / n}{\sum_i \sum_j w(x_i, y_j) / n^2}

    Parameters
    ----------
    first, second : array, shape (n,)
        Without NaN.
    weights : {"none", "linear", "quadratic"}, default "none"
        What a disagreement weighs: 1, the distance of the two values, or its square.

    Returns
    -------
    float
        1 is perfect agreement, 0 what chance would give; NaN when the two give one and the same value throughout.

    Notes
    -----
    Distances are those of the values themselves. With categories numbered 0, 1, 2, … this is the usual weighted kappa;
    with scores from 0 to 100 no categories need to be made.

    References
    ----------
    .. [1] Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20.
    .. [2] Cohen (1968), Weighted kappa, Psychological Bulletin 70.

    Examples
    --------
    >>> x, y = np.array([0.0, 1, 2, 2]), np.array([0.0, 1, 1, 2])
    >>> round(cohen_kappa(x, y), 4), round(cohen_kappa(x, y, weights="quadratic"), 4)
    (0.6364, 0.8)
    """
    if weights not in get_args(KappaWeights):
        raise unknown_name("weighting of kappa", weights, get_args(KappaWeights))
    if first.size == 0:
        return np.nan
    gap = np.abs(first - second)
    if weights == "quadratic":
        observed = np.square(gap).mean()
        # E(x − y)² of independent draws: both variances, and the square of the means' difference.
        expected = first.var() + second.var() + (first.mean() - second.mean()) ** 2
    elif weights == "linear":
        observed, expected = gap.mean(), _mean_distance(first, second)
    else:
        observed, expected = (gap > 0).mean(), 1 - _chance_alike(first, second)
    same = np.ptp(np.concatenate([first, second])) == 0
    return np.nan if same or expected == 0 else float(1 - observed / expected)


def _mean_distance(first: FloatArray, second: FloatArray) -> float:
    """Mean |x_i − y_j| over all i and j, from one sorted list and its running sums."""
    ordered = np.sort(second)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    below = np.searchsorted(ordered, first, side="right")
    distance = first * (2 * below - second.size) + sums[-1] - 2 * sums[below]
    return float(distance.mean() / second.size)


def _chance_alike(first: FloatArray, second: FloatArray) -> float:
    kinds, code = np.unique(np.concatenate([first, second]), return_inverse=True)
    counts = [np.bincount(part, minlength=kinds.size) for part in (code[: first.size], code[first.size :])]
    return float(counts[0] @ counts[1]) / first.size**2


def mean_kappa(
    unit: IntArray,
    judge: IntArray,
    value: FloatArray,
    *,
    cluster: IntArray | None = None,
    confidence: float = 0.95,
) -> MeanKappa:
    """Cohen's kappa with squared distances, mean over pairs of judges, weighted by shared units.

    The interval is about other units, judged by the same judges: clusters of units are left out one at a time
    (:func:`~betterthan.kernels.judges.left_out.left_out_interval`).

    Parameters
    ----------
    unit, judge : array of int, shape (t,)
        At most one row for each unit and judge.
    value : array, shape (t,)
        NaN is missing.
    cluster : array of int, shape (t,), optional
        Units that depend on each other, such as outputs of several systems for one segment; each unit in one of them.
    confidence : float, default 0.95

    Examples
    --------
    >>> unit, judge = np.repeat(np.arange(6), 2), np.tile([0, 1], 6)
    >>> result = mean_kappa(unit, judge, np.array([1.0, 2, 5, 6, 9, 9, 4, 3, 2, 2, 7, 9]))
    >>> round(result.kappa, 2), round(result.low, 2), round(result.high, 2)
    (0.93, 0.57, 0.99)
    """
    units, first = np.unique(unit, return_index=True)
    member = numbered((unit if cluster is None else cluster)[first])
    change = np.zeros((2, int(member.max(initial=-1)) + 1))
    is_shared = np.zeros(change.shape[1], dtype=np.bool_)
    kappas, sizes = [], []
    for pair in shared_units(unit, judge, value):
        kappa = cohen_kappa(pair.x, pair.y, weights="quadratic")
        if np.isnan(kappa):
            continue
        at, place = np.unique(member[np.searchsorted(units, pair.unit)], return_inverse=True)
        n, kappa_left = _kappa_without(pair, place)
        is_left = ~np.isnan(kappa_left)
        change[0, at] += np.where(is_left, n * kappa_left, 0.0) - pair.x.size * kappa
        change[1, at] += np.where(is_left, n, 0.0) - pair.x.size
        is_shared[at] = True
        kappas.append(kappa)
        sizes.append(pair.x.size)
    if not kappas:
        return MeanKappa(np.nan, np.nan, np.nan)
    mean = float(np.average(kappas, weights=sizes))
    products, weights = change[:, is_shared] + np.array([[np.dot(kappas, sizes)], [np.sum(sizes)]])
    without = products / np.where(weights > 0, weights, np.nan)
    return MeanKappa(mean, *left_out_interval(mean, without, confidence=confidence))


def _kappa_without(pair: SharedUnits, place: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the units that are left without each cluster, and the kappa of those; NaN where it is unknown."""
    x, y = pair.x - pair.x.mean(), pair.y - pair.x.mean()
    parts = (np.ones_like(x), x, y, x**2 + y**2, (x - y) ** 2)
    added = np.stack([np.bincount(place, part) for part in parts])
    n, sum_x, sum_y, squares, gaps = added.sum(axis=1, keepdims=True) - added
    expected = squares - 2 * sum_x * sum_y / np.where(n > 0, n, np.nan)
    is_known = expected > _ROUNDING * squares
    return n, np.where(is_known, 1 - gaps / np.where(is_known, expected, 1.0), np.nan)


def pairwise_order(segment: IntArray, system: IntArray, judge: IntArray, value: FloatArray) -> JudgedOrders:
    """Count the pairs of systems on a segment that every two judges order alike.

    Parameters
    ----------
    segment, system, judge : array of int, shape (t,)
        At most one row for each of the three together.
    value : array, shape (t,)
        NaN is missing.

    Examples
    --------
    Two judges of three systems on a segment: one pair alike, one opposite, one tied by the second judge.

    >>> segment, system, judge = np.zeros(6, int), np.array([0, 1, 2, 0, 1, 2]), np.array([0, 0, 0, 1, 1, 1])
    >>> found = pairwise_order(segment, system, judge, np.array([1.0, 2, 3, 2, 3, 2]))
    >>> found.n_pairs, found.alike, found.opposite, found.tied_by_one
    (array([3]), array([1]), array([1]), array([1]))
    """
    n_systems = int(system.max(initial=0)) + 1
    found = [
        (pair.first, pair.second, *_order_counts(pair.unit // n_systems, pair.x, pair.y))
        for pair in shared_units(segment * n_systems + system, judge, value)
    ]
    columns = np.array(found, dtype=np.int64).reshape(len(found), len(JudgedOrders._fields)).T
    return JudgedOrders(*columns)


def _order_counts(segment: IntArray, x: FloatArray, y: FloatArray) -> tuple[int, int, int, int, int]:
    """Pairs within segments: all, alike, opposite, tied by one, ties of both judges together."""
    counts = np.zeros(5, dtype=np.int64)
    largest = int(np.unique(segment, return_counts=True)[1].max())
    for step in range(1, largest):
        same = segment[step:] == segment[:-step]
        one, other = (np.sign(v[step:] - v[:-step])[same] for v in (x, y))
        alike, opposite = one == other, one * other < 0
        ties = (one == 0).sum() + (other == 0).sum()
        counts += [one.size, alike.sum(), opposite.sum(), (~alike & ~opposite).sum(), ties]
    n, alike_, opposite_, tied, all_ties = counts.tolist()
    return n, alike_, opposite_, tied, all_ties


def order_kappa(orders: JudgedOrders) -> float:
    r"""Agreement about order beyond chance, over all pairs of judges, as the WMT campaigns report it.

    .. math:: \kappa = \frac{P(A) - P(E)}{1 - P(E)}, \qquad P(E) = P(=)^2 + 2 \Big( \frac{1 - P(=)}{2} \Big)^2

    where P(A) is the share of pairs ordered alike and P(=) how often a judge sees a tie.

    References
    ----------
    .. [1] Bojar et al. (2013), Findings of the 2013 workshop on statistical machine translation, WMT, section 3.2.

    Examples
    --------
    >>> whole = [np.array([n]) for n in (0, 1, 100, 60, 30, 10, 40)]
    >>> round(order_kappa(JudgedOrders(*whole)), 4)
    0.375
    """
    n = orders.n_pairs.sum()
    if n == 0:
        return np.nan
    tied = orders.ties.sum() / (2 * n)
    chance = tied**2 + (1 - tied) ** 2 / 2
    return float((orders.alike.sum() / n - chance) / (1 - chance)) if chance < 1 else np.nan
