"""The tasks of a board are fixed, and their items are the sample: intervals and rank ranges for other items."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from betterthan.analysis.board.points import POINTS, combined
from betterthan.analysis.board.task_tables import TaskScores
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.units import UnitName, Units, units_of
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import NotEstimable
from betterthan.kernels.comparisons.task_truths import (
    Interaction,
    interaction,
    noise_factor,
    truth_draws,
)
from betterthan.kernels.display.ranks import simultaneous_rank_intervals
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.tables.scores import Scores

RESAMPLES = 1000
"""Draws of the means of all tasks, or bootstrap samples of their items."""
_ROUNDING = 1e-12


class ItemLimits(NamedTuple):
    """Intervals and rank ranges for these tasks with other items."""

    low: FloatArray
    high: FloatArray
    rank_low: IntArray
    rank_high: IntArray
    drew: bool


class TaskItems(NamedTuple):
    """Goodness of every item of a task, and its unit."""

    goodness: FloatArray
    units: Units


class _Strengths(NamedTuple):
    """Strengths in their own units, higher is better: limits, and what decides the pairs."""

    strength: FloatArray
    low: FloatArray
    high: FloatArray
    better: BoolArray
    drew: bool


def over_items(
    tasks: TaskScores, by: str, units: UnitName, confidence: float, resampling: Resampling
) -> ItemLimits:
    """Return limits and rank ranges for other items; NaN and all ranks where items are not known."""
    m = len(tasks.systems)
    if not tasks.tables or by == "bradley_terry":
        nowhere = np.full(m, np.nan)
        return ItemLimits(
            nowhere, nowhere, np.ones(m, dtype=np.int64), np.full(m, m, dtype=np.int64), drew=False
        )
    items = [TaskItems(_with_gaps(table, tasks.systems), units_of(table, units)) for table in tasks.tables]
    if by == "mean" and tasks.is_complete:
        found = _by_formula(tasks, items, confidence)
    elif by in POINTS and by != "mean":
        found = _by_truths(tasks, items, by, confidence, resampling.on(tasks.digest, default=RESAMPLES))
    else:
        found = _by_bootstrap(tasks, items, by, confidence, resampling.on(tasks.digest, default=RESAMPLES))
    factor = float(len(tasks.tasks)) if by == "borda" else 1.0
    low, high = factor * found.low, factor * found.high
    if by == "average_rank" or (by in ("mean", "iqm") and not tasks.higher_is_better[0]):
        low, high = 0.0 - high, 0.0 - low
    least, most = bounds_of(by, m, len(tasks.tasks))
    rank_low, rank_high = simultaneous_rank_intervals(found.better)
    return ItemLimits(np.maximum(low, least), np.minimum(high, most), rank_low, rank_high, drew=found.drew)


def _with_gaps(table: Scores, systems: tuple[str, ...]) -> FloatArray:
    """Return the goodness of all systems, NaN for those that the task lacks."""
    if table.systems == systems:
        return table.goodness
    place = {name: i for i, name in enumerate(table.systems)}
    nowhere = np.full(table.n_segments, np.nan)
    return np.stack([table.goodness[place[name]] if name in place else nowhere for name in systems])


def bounds_of(by: str, m: int, n_tasks: int) -> tuple[float, float]:
    """Return the least and the largest strength that there can be."""
    bounds = {
        "mean_win_rate": (0.0, 1.0),
        "borda": (0.0, float(n_tasks * (m - 1))),
        "average_rank": (1.0, float(m)),
    }
    return bounds.get(by, (-np.inf, np.inf))


# ---- means over tasks have a formula


def _by_formula(tasks: TaskScores, items: list[TaskItems], confidence: float) -> _Strengths:
    covariance, degrees = _of_means(items)
    return _by_t(tasks.goodness.mean(axis=1), covariance, degrees, confidence, drew=False)


def _by_t(
    strength: FloatArray, covariance: FloatArray, degrees: FloatArray, confidence: float, *, drew: bool
) -> _Strengths:
    error = np.sqrt(np.diag(covariance))
    reach = stdtrit(np.diag(degrees), 0.5 + confidence / 2) * np.where(error > 0, error, np.nan)
    lead = _leads(strength)
    better = _better(lead, _t_pvalues(lead, _variances(covariance), degrees), 1 - confidence)
    return _Strengths(strength, strength - reach, strength + reach, better, drew)


def _of_means(items: list[TaskItems]) -> tuple[FloatArray, FloatArray]:
    r"""Covariance of mean scores over tasks, and Satterthwaite's degrees of freedom of each difference.

    .. math:: \widehat{\mathrm{Cov}} = \frac{1}{T^2} \sum_t \frac{n_t}{n_t - 1} \sum_u
              \frac{(y_u - w_u \bar y_t)(y_u - w_u \bar y_t)^\top}{N_t^2}

    with y_u the sums over the w_u items of unit u, of which task t has n_t, and N_t its items. The degrees of freedom
    on the diagonal belong to the mean itself.
    """
    m, n_tasks = len(items[0].goodness), len(items)
    total = np.zeros((m, m))
    squares = np.zeros((m, m))
    for each in items:
        n = each.units.n_units
        centred = _deviations(each)
        covariance = centred @ centred.T * (n / (n - 1)) / n_tasks**2
        total += covariance
        squares += _variances(covariance) ** 2 / (n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = np.where(squares > 0, _variances(total) ** 2 / squares, 1.0)
    return total, degrees


def _deviations(items: TaskItems) -> FloatArray:
    """Return how much each unit moves the means of a task, shape (m, units)."""
    goodness, units = items
    if units.n_units < 2:
        raise NotEstimable("A task with a single item has no interval. Leave it out.")
    sums = units.summed(goodness)
    return np.asarray((sums - goodness.mean(axis=1)[:, None] * units.sizes) / goodness.shape[1])


def _variances(covariance: FloatArray) -> FloatArray:
    """Variances of all differences, and on the diagonal those of the values themselves."""
    own = np.diag(covariance)
    variances = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0)
    np.fill_diagonal(variances, own)
    return variances


def _leads(strength: FloatArray) -> FloatArray:
    """Differences of all pairs, shape (m, m); 0 for those that differ by rounding."""
    lead = strength[:, None] - strength[None, :]
    return np.where(np.abs(lead) <= _ROUNDING * np.max(np.abs(strength), initial=0.0), 0.0, lead)


def _t_pvalues(lead: FloatArray, variances: FloatArray, degrees: FloatArray) -> FloatArray:
    error = np.sqrt(variances)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, np.abs(lead) / error, np.inf)
    return np.where(lead == 0, 1.0, 2 * stdtr(degrees, -t))


def _better(lead: FloatArray, pvalues: FloatArray, alpha: float) -> BoolArray:
    """Which systems (rows) are significantly better than which (columns), after Holm's correction."""
    m = len(lead)
    left, right = np.triu_indices(m, 1)
    is_sure = adjusted(pvalues[left, right], correction="holm") <= alpha
    better = np.zeros((m, m), dtype=np.bool_)
    better[left, right] = is_sure & (lead[left, right] > 0)
    better[right, left] = is_sure & (lead[left, right] < 0)
    return better


# ---- strengths that items change little by little


def _by_bootstrap(
    tasks: TaskScores, items: list[TaskItems], by: str, confidence: float, resampling: Resampling
) -> _Strengths:
    m, n_tasks = tasks.scores.shape
    largest = max(each.units.n_units for each in items)
    blocks = resampling.run(
        f"items of tasks by {by}",
        (tuple((units.summed(goodness), units.sizes) for goodness, units in items), by),
        _items_block,
        bytes_each=8 * (3 * m * n_tasks + largest),
        key=by,
        label="bootstrap of items",
    )
    covariance = np.atleast_2d(np.cov(np.concatenate(blocks), rowvar=False))
    freedom = float(sum(each.units.n_units - 1 for each in items))
    degrees = np.full((m, m), max(freedom, 1.0))
    return _by_t(combined(tasks.goodness, by), covariance, degrees, confidence, drew=True)


def _items_block(
    payload: tuple[tuple[tuple[FloatArray, FloatArray], ...], str], part: range, rng: np.random.Generator
) -> FloatArray:
    tasks, by = payload
    means = []
    for sums, sizes in tasks:
        counts = bootstrap_counts(len(part), sizes.size, rng)
        means.append((counts @ sums.T) / (counts @ sizes)[:, None])
    return combined(np.stack(means, axis=-1), by)


# ---- strengths that jump when two systems change places on a task


class _Truths(NamedTuple):
    """What draws of true means need."""

    goodness: FloatArray
    factors: list[FloatArray]
    degrees: FloatArray
    found: Interaction
    noise: FloatArray
    by: str


def _by_truths(
    tasks: TaskScores, items: list[TaskItems], by: str, confidence: float, resampling: Resampling
) -> _Strengths:
    """Limits of strengths that depend on the order of the true means only.

    A few items change who wins a close task, so the share of wins in resamples lies nearer to one half than the truth.
    The order of the true means is drawn twice: with every task on its own, and with tasks that are as similar as
    they are here. An interval spans both, and the observed strength.
    """
    truths = _truths(tasks, items, by)
    m, n_tasks = tasks.scores.shape
    blocks = resampling.run(
        f"true means of tasks by {by}",
        truths,
        _truths_block,
        bytes_each=8 * 8 * m * n_tasks,
        key=by,
        label="draws of true means",
    )
    alone, together = np.concatenate(blocks, axis=1)
    strength = combined(tasks.goodness, by)
    ends = [
        np.quantile(draws, (0.5 - confidence / 2, 0.5 + confidence / 2), axis=0, method="inverted_cdf")
        for draws in (alone, together)
    ]
    low = np.minimum.reduce([strength, ends[0][0], ends[1][0]])
    high = np.maximum.reduce([strength, ends[0][1], ends[1][1]])
    return _Strengths(strength, low, high, _better_by_draws(strength, (alone, together), confidence), True)


def _truths(tasks: TaskScores, items: list[TaskItems], by: str) -> _Truths:
    factors, noise = [], []
    for each in items:
        here = ~np.isnan(each.goodness).any(axis=1)
        known = TaskItems(each.goodness[here], each.units)
        k = int(here.sum())
        factor = np.zeros((min(k, each.units.n_units), here.size))
        factor[:, here] = noise_factor(_deviations(known))
        factors.append(factor)
        total, own = float((factor.sum(axis=1) ** 2).sum()), float((factor**2).sum())
        noise.append((own - total / k) / max(k - 1, 1))
    scale = np.nanmax(np.abs(tasks.goodness), initial=0.0)
    variances = np.maximum(np.array(noise), (_ROUNDING * max(float(scale), 1e-300)) ** 2)
    degrees = np.array([float(each.units.n_units - 1) for each in items])
    return _Truths(tasks.goodness, factors, degrees, interaction(tasks.goodness, variances), variances, by)


def _truths_block(truths: _Truths, part: range, rng: np.random.Generator) -> FloatArray:
    goodness, factors, degrees, found, noise, by = truths
    alone, together = truth_draws(goodness, factors, degrees, found, noise, len(part), rng)
    return np.stack([combined(alone, by), combined(together, by)])


def _better_by_draws(
    strength: FloatArray, both: tuple[FloatArray, FloatArray], confidence: float
) -> BoolArray:
    """Which systems are better than which in nearly all draws of either kind, after Holm's correction.

    The p-value of a pair is the largest of those by a normal distribution of the lead, and of the share of draws in
    which the other system leads.
    """
    lead = _leads(strength)
    p = np.where(lead == 0, 1.0, 0.0)
    for draws in both:
        mean = draws.mean(axis=0)
        drawn = mean[:, None] - mean[None, :]
        same = np.where(lead * drawn > 0, np.minimum(np.abs(lead), np.abs(drawn)), 0.0)
        variances = _variances(np.atleast_2d(np.cov(draws, rowvar=False)))
        p = np.maximum(p, _t_pvalues(same, variances, np.full(lead.shape, np.inf)))
        p = np.maximum(p, _opposite(draws, lead))
    return _better(lead, p, 1 - confidence)


def _opposite(draws: FloatArray, lead: FloatArray) -> FloatArray:
    """Twice the share of draws in which the order of a pair is the opposite of the observed one, ties as half."""
    shares = np.empty_like(lead)
    for i in range(len(lead)):
        gaps = draws[:, i, None] - draws
        gaps[np.abs(gaps) <= _ROUNDING * np.max(np.abs(draws), initial=0.0)] = 0.0
        shares[i] = (np.sign(lead[i]) * np.sign(gaps) < 0).mean(axis=0) + (gaps == 0).mean(axis=0) / 2
    return 2 * shares
