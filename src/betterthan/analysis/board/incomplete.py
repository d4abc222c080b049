"""Boards on which systems lack tasks: strengths from every score there is, and their uncertainty."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from betterthan.analysis.board.task_tables import TaskScores
from betterthan.analysis.pairs.pairwise import MOST_FOR_FEWEST_LETTERS, MOST_FOR_LETTERS, shared_ranks
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError, NotEstimable, some_of
from betterthan.kernels.comparisons.task_scores import task_win_rates
from betterthan.kernels.display.letters import letter_display, letters_of_many
from betterthan.kernels.display.ranks import greedy_clusters, simultaneous_rank_intervals
from betterthan.kernels.intervals.intervals import influence_interval
from betterthan.kernels.intervals.proportions import agresti_coull_interval
from betterthan.kernels.judges.adjusted_means import AdjustedMeans, adjusted_means, available_means
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.messages import Message, Option, joined

BY_SCORES_THERE_ARE = ("mean", "mean_win_rate")
"""Ways of combining tasks that can do with every score there is."""
_FEWEST_TASKS = 2
_ROUNDING = 1e-12


class MetTasks(NamedTuple):
    """The ranking over tasks, best first, as of :class:`betterthan.Ranking`."""

    systems: tuple[str, ...]
    strength: FloatArray
    low: FloatArray
    high: FloatArray
    rank: IntArray
    rank_low: IntArray
    rank_high: IntArray
    cluster: IntArray
    letters: tuple[str, ...]
    test: str
    correction: str
    undecidable: str


def require_comparable(tasks: TaskScores, by: str) -> None:
    """Raise where scores that are missing cannot be done without.

    Raises
    ------
    BetterThanError
        For a way of combining tasks that needs every score.
    NotEstimable
        When systems share too few tasks.
    """
    if by not in BY_SCORES_THERE_ARE:
        raise BetterThanError(
            Message(
                "{available} is for {known}; other ways of combining tasks need every score. Use {drop} for these.",
                available=Option("missing", "available"),
                known=joined([Option("by", name) for name in BY_SCORES_THERE_ARE], " and "),
                drop=Option("missing", "drop"),
            )
        )
    n_tasks = np.count_nonzero(~np.isnan(tasks.scores), axis=1)
    few = [name for name, n in zip(tasks.systems, n_tasks.tolist(), strict=True) if n < _FEWEST_TASKS]
    if few:
        raise NotEstimable(
            f"{some_of(few)} {'has' if len(few) == 1 else 'have'} scores on a single task. Leave such systems out.",
            systems=few,
        )


def _found(goodness: FloatArray, by: str) -> AdjustedMeans:
    """Strengths from goodness with gaps, shape (m, T), and the covariance of their errors with tasks as the sample."""
    unit = np.arange(goodness.shape[1])
    if by == "mean":
        return adjusted_means(goodness, unit)
    return available_means(met_win_rates(goodness), unit)


def met_win_rates(goodness: FloatArray) -> FloatArray:
    """Share of the other systems of a task that each system beats there, ties as half; shape (..., m, T).

    Examples
    --------
    >>> met_win_rates(np.array([[0.9, 0.5], [0.4, np.nan], [0.1, 0.6]]))
    array([[1. , 0. ],
           [0.5, nan],
           [0. , 1. ]])
    """
    points = np.full(goodness.shape, np.nan)
    first = goodness.reshape(-1, *goodness.shape[-2:])[0]
    for t in range(goodness.shape[-1]):
        here = ~np.isnan(first[:, t])
        points[..., here, t] = task_win_rates(goodness[..., here, t])
    return points


def met_strengths(goodness: FloatArray, by: str) -> FloatArray:
    """Strengths, higher is better, from goodness with the same gaps in every table; shape (..., m, T) to (..., m)."""
    if by == "mean_win_rate":
        return np.asarray(np.nanmean(met_win_rates(goodness), axis=-1))
    tables = goodness.reshape(-1, *goodness.shape[-2:])
    here = ~np.isnan(tables[0])
    present = here.astype(np.float64)
    k, m = present.sum(axis=0), len(present)
    scores = np.where(here, tables, 0.0)
    normal = np.diag(present.sum(axis=1)) - (present / k) @ present.T + 1.0
    level = scores.sum(axis=1) / k
    theta = (present * (scores - level[:, None, :])).sum(axis=2) @ np.linalg.inv(normal)
    beta = level - theta @ (present / k)
    return np.asarray((theta + beta.mean(axis=1)[:, None]).reshape(*goodness.shape[:-2], m))


def over_met_tasks(tasks: TaskScores, by: str, confidence: float) -> MetTasks:
    r"""Rank systems by every score there is, with tasks as the sample.

    Means are those of an additive model of systems and tasks, fitted by least squares to the cells that there are; mean
    win rates are over the tasks of a system and the systems that are there. Errors are robust, with a task as the unit,
    and have the degrees of freedom of the tasks that inform a difference.
    """
    found = _found(tasks.goodness, by)
    if np.isnan(found.mean).any():
        raise NotEstimable("Some systems share no task with the others, directly or through other systems.")
    order = np.argsort(-found.mean, kind="stable")
    strength, covariance = found.mean[order], found.covariance[np.ix_(order, order)]
    if by == "mean":
        own = np.sqrt(np.diagonal(covariance))
        reach = stdtrit(found.degrees[order], 0.5 + confidence / 2) * np.where(own > 0, own, np.nan)
        low, high = strength - reach, strength + reach
    else:
        low, high = _limits_of_rates(met_win_rates(tasks.goodness)[order], confidence)
    better = _better(strength, covariance, found.pair_degrees[np.ix_(order, order)], 1 - confidence)
    rank_low, rank_high = simultaneous_rank_intervals(better)
    different = better | better.T
    is_turned = by == "mean" and not tasks.higher_is_better[0]
    return MetTasks(
        systems=tuple(tasks.systems[i] for i in order),
        strength=0.0 - strength if is_turned else strength,
        low=0.0 - high if is_turned else low,
        high=0.0 - low if is_turned else high,
        rank=shared_ranks(strength),
        rank_low=rank_low,
        rank_high=rank_high,
        cluster=greedy_clusters(different),
        letters=_letters(different),
        test="t",
        correction="holm",
        undecidable="",
    )


def _limits_of_rates(rates: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Intervals of mean win rates over the tasks of each system: Student's t widened for skewness, as without gaps.

    Where all rates are equal they are taken for wins and losses, which vary most (Agresti and Coull).
    """
    low, high = np.empty(len(rates)), np.empty(len(rates))
    for i, row in enumerate(rates):
        own = row[~np.isnan(row)]
        mean, n = np.array([own.mean()]), np.array([float(own.size)])
        is_constant = np.ptp(own) <= _ROUNDING
        ends = (
            agresti_coull_interval(n * mean, n, confidence=confidence)
            if is_constant
            else influence_interval(mean, own[:, None], confidence=confidence)
        )
        low[i], high[i] = float(ends[0][0]), float(ends[1][0])
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def _better(strength: FloatArray, covariance: FloatArray, degrees: FloatArray, alpha: float) -> BoolArray:
    m = strength.size
    left, right = np.triu_indices(m, 1)
    lead = strength[left] - strength[right]
    own = np.diagonal(covariance)
    variance = np.maximum(own[left] + own[right] - 2 * covariance[left, right], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(lead) / np.sqrt(variance)
        p = 2 * stdtr(degrees[left, right], -t)
    p = np.where(np.isnan(p) | (lead == 0), 1.0, p)
    is_sure = adjusted(p, correction="holm") <= alpha
    better = np.zeros((m, m), dtype=np.bool_)
    better[left, right] = is_sure & (lead > 0)
    better[right, left] = is_sure & (lead < 0)
    return better


def _letters(different: BoolArray) -> tuple[str, ...]:
    m = len(different)
    if m > MOST_FOR_LETTERS:
        return ("",) * m
    return (letter_display if m <= MOST_FOR_FEWEST_LETTERS else letters_of_many)(different).labels


def gaps_note(tasks: TaskScores, by: str) -> Message:
    """Say how many scores are missing, and what was done."""
    gaps = np.isnan(tasks.scores)
    most = int(np.argmax(gaps.sum(axis=1)))
    what = {
        "mean": "Means are those that an additive model of systems and tasks expects on all tasks",
        "mean_win_rate": "Win rates are over the tasks that a system has, against the systems there",
    }[by]
    return Message(
        "{n:,} of {cells:,} scores are missing, most of {system} ({own} of {n_tasks}). {what}, which assumes that no "
        "score is missing because of what it would have been.",
        severity="warning",
        n=int(gaps.sum()),
        cells=gaps.size,
        system=tasks.systems[most],
        own=int(gaps[most].sum()),
        n_tasks=len(tasks.tasks),
        what=what,
    )
