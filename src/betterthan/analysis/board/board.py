"""Which system is best over many tasks, and would it be on other tasks, or with other items?"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from betterthan.analysis.board.incomplete import (
    BY_SCORES_THERE_ARE,
    MetTasks,
    gaps_note,
    met_strengths,
    over_met_tasks,
    require_comparable,
)
from betterthan.analysis.board.items import RESAMPLES, ItemLimits, bounds_of, over_items
from betterthan.analysis.board.points import POINTS, combined
from betterthan.analysis.board.task_tables import MissingTasks, TaskScores, task_scores
from betterthan.analysis.compare.compare import compare
from betterthan.analysis.rank.rank_scores import rank_scores
from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.table_argument import AnyData
from betterthan.analysis.units import UnitName
from betterthan.arrays import FloatArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, NotEstimable, some_of, unknown_name
from betterthan.kernels.agreement.rankings import top_set
from betterthan.kernels.comparisons.task_scores import (
    interquartile_mean,
    task_ranks,
)
from betterthan.kernels.comparisons.tied_ranks import tied_ranks
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.messages import Message, Option
from betterthan.results.ranking import Ranking
from betterthan.results.settings import Settings
from betterthan.results.tasks import BOARD_METHODS, Board, BoardWithout, TaskDifference
from betterthan.tables.scores import Scores

BoardMethod = Literal["mean", "mean_win_rate", "borda", "iqm", "average_rank", "bradley_terry"]
# Ranges of tasks on one scale differ by less than this factor.
_MANY_TIMES = 20.0
_ROUNDING = 1e-12


@with_one_blas_thread
def board(
    data: AnyData,
    *more: AnyData,
    task: str | None = None,
    metric: str | Sequence[str] | None = None,
    by: BoardMethod = "mean",
    missing: MissingTasks = "raise",
    units: UnitName = "auto",
    confidence: float = 0.95,
    n_resamples: int | None = None,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Board:
    r"""Rank systems over many tasks, for other tasks like these and for other items of these tasks.

    With :math:`x_{st}` the score of system s on task t, out of m systems and T tasks, and :math:`b_{st}` the number of
    systems it beats there, ties as half:

    .. math:: \text{mean} = \frac1T \sum_t x_{st}, \qquad
              \text{mean win rate} = \frac1T \sum_t \frac{b_{st}}{m - 1}, \qquad
              \text{Borda points} = \sum_t b_{st}, \qquad
              \text{average rank} = \frac1T \sum_t (m - b_{st})

    The mean win rate is that of HELM [1]_, Borda points are those of MTEB [2]_. Two kinds of uncertainty are kept
    apart. *Other tasks*: tasks are the sample, and the test is that of :func:`betterthan.rank` with a task as the unit.
    *Other items*: the tasks are fixed, and the items of each are the sample.

    Parameters
    ----------
    data, *more : Scores, or what they are read from
        A dict of task names and tables, or several tables; a file or folder with several tasks; or one table of a
        single score, whose rows are then tasks. In a leaderboard with a row per system, each column is a task.
    task : str, optional
        The column with the name of the task, in a file or data frame; by default one called task, dataset or benchmark.
    metric : str or sequence of str, optional
        The metrics by which tasks are scored, where harnesses write several for each task, such as "exact_match": only
        tasks whose name is, or ends with, one of them.
    by : {"mean", "mean_win_rate", "borda", "iqm", "average_rank", "bradley_terry"}, default "mean"
        How tasks are combined. "iqm" is the mean without the lowest and highest quarter of the tasks, "bradley_terry"
        the strength from wins on tasks. All but "mean" and "iqm" depend on the order of the systems on a task only, so
        tasks may have different scales.
    missing : {"raise", "drop", "available"}, default "raise"
        "drop" leaves out tasks that do not have every system, and items with a missing score, with a note. "available"
        uses every score there is, for "mean" and "mean_win_rate" of three systems or more: means are those that an
        additive model of systems and tasks expects on all tasks [3]_, and win rates are over the tasks that a system
        has. Both are tested by t-tests with robust errors. They assume that a task is not missing because of what the
        score would have been.
    units : {"auto", "segments", "groups"}, default "auto"
        The units of the items, as in :func:`betterthan.rank`.
    confidence : float, default 0.95
    n_resamples : int, optional
        Bootstrap samples of items for all methods but "mean"; 1000 by default.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    Board

    Raises
    ------
    MissingScores
        When a task does not have every system and `missing` is "raise".
    BetterThanError
        When tasks cannot be averaged, because lower is better on some of them only.

    References
    ----------
    .. [1] Liang et al. (2023), Holistic evaluation of language models, TMLR.
    .. [2] Enevoldsen et al. (2025), MMTEB: massive multilingual text embedding benchmark, ICLR.
    .. [3] Searle (1987), Linear models for unbalanced data, Wiley; least-squares means.

    Examples
    --------
    >>> import betterthan as bt
    >>> tasks = {"math": bt.read_scores({"A": [1, 1, 0, 1], "B": [0, 1, 0, 0]}),
    ...          "code": bt.read_scores({"A": [1, 0, 1], "B": [1, 1, 1]})}
    >>> board = bt.board(tasks)
    >>> [(row.system, round(row.strength, 3)) for row in board]
    [('A', 0.708), ('B', 0.625)]
    >>> [(task.task, round(task.difference, 3)) for task in board.differences]
    [('math', 0.5), ('code', -0.333)]
    """
    if by not in BOARD_METHODS:
        raise unknown_name("way of combining tasks", by, BOARD_METHODS)
    check_share("confidence", confidence)
    tasks = task_scores((data, *more), missing=missing, task=task, metric=metric)
    resampling = Resampling.of(
        rng, n_resamples, workers=workers, executor=executor, cache=cache, progress=progress
    )
    if n_resamples is not None and ((by == "mean" and tasks.is_complete) or not tasks.tables):
        raise BetterThanError(
            Message(
                "{option} has no effect here: {why}. Leave it out.",
                option=Option("n_resamples", n_resamples),
                why="the interval of a mean has a formula" if by == "mean" else "items are not known",
            )
        )
    _refuse_mixed(tasks, by)
    if not tasks.is_complete:
        require_comparable(tasks, by)
        met = over_met_tasks(tasks, by, confidence)
        of_items = over_items(tasks, by, units, confidence, resampling)
        return _result(tasks, met, of_items, by=by, units=units, confidence=confidence, resampling=resampling)
    # The number of resamples is that of items; a ranking of tasks has its own.
    ranked = _over_tasks(tasks, by, confidence, resampling.times(0))
    of_items = over_items(tasks, by, units, confidence, resampling)
    return _result(tasks, ranked, of_items, by=by, units=units, confidence=confidence, resampling=resampling)


def _result(
    tasks: TaskScores,
    ranked: Ranking | MetTasks,
    of_items: ItemLimits,
    *,
    by: str,
    units: UnitName,
    confidence: float,
    resampling: Resampling,
) -> Board:
    """Put both kinds of uncertainty into one result, in the order of the ranking."""
    order = [tasks.systems.index(name) for name in ranked.systems]
    strengths = {method: _all_strengths(tasks, method) for method in BOARD_METHODS}
    factor = len(tasks.tasks) if by == "borda" else 1.0
    m = len(order)
    least, most = bounds_of(by, m, len(tasks.tasks))
    return Board(
        by=by,
        systems=ranked.systems,
        tasks=tasks.tasks,
        scores=tasks.scores[order],
        task_higher_is_better=tasks.higher_is_better,
        items=tasks.items,
        strength=ranked.strength * factor,
        higher_is_better=by != "average_rank",
        low=np.maximum(ranked.low * factor, least),
        high=np.minimum(ranked.high * factor, most),
        rank_low=ranked.rank_low,
        rank_high=ranked.rank_high,
        item_low=of_items.low[order],
        item_high=of_items.high[order],
        item_rank_low=of_items.rank_low[order],
        item_rank_high=of_items.rank_high[order],
        rank=ranked.rank,
        cluster=ranked.cluster,
        letters=ranked.letters or ("",) * m,
        tasks_won=_tasks_won(tasks.goodness)[order],
        others={method: values[order] for method, values in strengths.items() if method != by},
        without=_without_each(tasks, by),
        differences=_differences(tasks, ranked.systems, units, confidence) if m == 2 else (),
        confidence=confidence,
        test=ranked.test,
        correction=ranked.correction,
        undecidable=_undecidable(ranked, len(tasks.tasks)),
        notes=(*_gaps(tasks, by), *tasks.notes, *_scale_note(tasks, by)),
        settings=_settings(tasks, ranked, of_items, by, units, confidence, resampling),
    )


def _settings(
    tasks: TaskScores,
    ranked: Ranking | MetTasks,
    of_items: ItemLimits,
    by: str,
    units: UnitName,
    confidence: float,
    resampling: Resampling,
) -> Settings:
    drew = of_items.drew or (isinstance(ranked, Ranking) and ranked.settings.seed is not None)
    return Settings(
        method="board",
        options={
            "by": by,
            "tasks": len(tasks.tasks),
            "missing": None if tasks.is_complete else "available",
            "units": units if tasks.tables else None,
            "ci": f"{100 * confidence:g}",
            "resamples": (resampling.n_resamples or RESAMPLES) if of_items.drew else None,
        },
        seed=resampling.seed if drew else None,
        data=tasks.digest,
        n_systems=len(tasks.systems),
    )


def _refuse_mixed(tasks: TaskScores, by: str) -> None:
    lower = [name for name, up in zip(tasks.tasks, tasks.higher_is_better, strict=True) if not up]
    if by in ("mean", "iqm") and 0 < len(lower) < len(tasks.tasks):
        raise BetterThanError(
            Message(
                "Lower is better on {lower}, and higher on the other tasks, so scores cannot be averaged. Use {by}.",
                lower=some_of(lower, limit=3),
                by=Option("by", "mean_win_rate"),
            )
        )


def _gaps(tasks: TaskScores, by: str) -> tuple[str, ...]:
    return () if tasks.is_complete else (gaps_note(tasks, by),)


def _scale_note(tasks: TaskScores, by: str) -> tuple[str, ...]:
    """A warning when the spread of systems on one task outweighs that on another many times."""
    if by not in ("mean", "iqm"):
        return ()
    spread = np.nanmax(tasks.scores, axis=0) - np.nanmin(tasks.scores, axis=0)
    known = spread[spread > 0]
    if known.size < 2 or known.max() < _MANY_TIMES * np.median(known):
        return ()
    task = tasks.tasks[int(np.argmax(spread))]
    return (
        Message(
            "Scores of {task} differ between systems {times:.0f} times as much as those of a typical task, so that "
            "task decides the mean. Use {by} if tasks are on different scales.",
            task=task,
            times=known.max() / np.median(known),
            by=Option("by", "mean_win_rate"),
        ),
    )


# ---- one number per system


def _task_table(tasks: TaskScores, by: str) -> Scores:
    """Return a table whose segments are the tasks, in whose means or strengths systems are ranked."""
    values = tasks.goodness
    higher = True
    if by == "average_rank":
        values, higher = task_ranks(values.T).T, False
    elif by in POINTS and by != "mean":
        values = POINTS[by](values.T).T
    elif not any(tasks.higher_is_better):
        values, higher = tasks.scores, False
    return Scores(
        name=BOARD_METHODS[by],
        systems=tasks.systems,
        segments=tasks.tasks,
        values=values,
        higher_is_better=higher,
    )


def _over_tasks(
    tasks: TaskScores,
    by: str,
    confidence: float,
    resampling: Resampling,
) -> Ranking:
    if by == "bradley_terry" and np.isnan(_bradley_terry(tasks.goodness)).any():
        raise NotEstimable(
            Message(
                "Bradley–Terry strengths do not exist: some systems win or lose on every task. Use {by}.",
                by=Option("by", "mean_win_rate"),
            )
        )
    method: Any = {"iqm": interquartile_mean, "bradley_terry": "bradley_terry"}.get(by, "mean")
    options = RankOptions(by=method, units="segments", confidence=confidence, plans=False)
    return rank_scores(_task_table(tasks, by), options, resampling)


def _all_strengths(tasks: TaskScores, by: str) -> FloatArray:
    """Return the strengths of the systems by one method, as they are shown; NaN where they do not exist."""
    missing = np.full(len(tasks.systems), np.nan)
    if not tasks.is_complete and by not in BY_SCORES_THERE_ARE:
        return missing
    if by in ("mean", "iqm") and len(set(tasks.higher_is_better)) > 1:
        return missing
    if by == "bradley_terry":
        return _bradley_terry(tasks.goodness)
    strength = combined(tasks.goodness, by)
    if by == "borda":
        return strength * len(tasks.tasks)
    is_turned = by == "average_rank" or (by in ("mean", "iqm") and not tasks.higher_is_better[0])
    return 0.0 - strength if is_turned else strength


def _bradley_terry(goodness: FloatArray) -> FloatArray:
    from betterthan.kernels.comparisons.bradley_terry import bradley_terry_batch  # noqa: PLC0415
    from betterthan.kernels.comparisons.strengths import to_shares  # noqa: PLC0415
    from betterthan.kernels.comparisons.wins import win_counts  # noqa: PLC0415

    log_strength = bradley_terry_batch(win_counts(goodness).wins[None]).log_strength
    return np.full(len(goodness), np.nan) if np.isnan(log_strength).any() else to_shares(log_strength[0])


def _tasks_won(goodness: FloatArray) -> FloatArray:
    best = goodness >= np.nanmax(goodness, axis=0) - _ROUNDING * np.nanmax(np.abs(goodness), axis=0)
    return np.asarray((best / best.sum(axis=0)).sum(axis=1))


# ---- what else a board says


def _without_each(tasks: TaskScores, by: str) -> tuple[BoardWithout, ...]:
    """Return the best systems and flipped pairs without each task; empty where strengths do not exist."""
    if not tasks.is_complete:
        return _without_each_met(tasks, by)
    # Points on a task do not depend on the other tasks.
    points = np.swapaxes(POINTS[by](tasks.goodness.T), 0, 1) if by in POINTS else tasks.goodness
    then = "mean" if by in POINTS else by
    whole = _order_by(points, then)
    if np.isnan(whole).any():
        return ()
    order = _signs(whole)
    found = []
    for t, task in enumerate(tasks.tasks):
        strength = _order_by(np.delete(points, t, axis=1), then)
        if np.isnan(strength).any():
            continue
        best = np.flatnonzero(top_set(strength, 1)).tolist()
        found.append(
            BoardWithout(
                task=task,
                best=tuple(tasks.systems[i] for i in best),
                flipped=int(np.count_nonzero(order * _signs(strength) < 0)) // 2,
            )
        )
    return tuple(found)


def _without_each_met(tasks: TaskScores, by: str) -> tuple[BoardWithout, ...]:
    """Return the same where systems lack tasks; not for a task without which a system has none."""
    goodness = tasks.goodness
    order = _signs(met_strengths(goodness, by))
    found = []
    for t, task in enumerate(tasks.tasks):
        rest = np.delete(goodness, t, axis=1)
        if np.isnan(rest).all(axis=1).any():
            continue
        strength = met_strengths(rest, by)
        best = np.flatnonzero(top_set(strength, 1)).tolist()
        flipped = int(np.count_nonzero(order * _signs(strength) < 0)) // 2
        found.append(BoardWithout(task=task, best=tuple(tasks.systems[i] for i in best), flipped=flipped))
    return tuple(found)


def _signs(strength: FloatArray) -> npt.NDArray[np.int8]:
    """Which of two systems is better, 1 or -1, and 0 for ties, shape (m, m)."""
    place = tied_ranks(strength, tolerance=_ROUNDING).low
    return np.asarray(np.sign(place[:, None] - place[None, :]), dtype=np.int8)


def _order_by(goodness: FloatArray, by: str) -> FloatArray:
    return _bradley_terry(goodness) if by == "bradley_terry" else combined(goodness, by)


def _differences(
    tasks: TaskScores, systems: tuple[str, ...], units: UnitName, confidence: float
) -> tuple[TaskDifference, ...]:
    """Compare two systems on each task; p-values are adjusted for the number of tasks (Holm)."""
    first, second = (tasks.systems.index(name) for name in systems)
    nan = float("nan")
    pairs = [
        compare(table, systems=systems, units=units, confidence=confidence).pair(*systems)
        for table in tasks.tables
    ]
    p = np.array([pair.pvalue for pair in pairs])
    holm = adjusted(p, correction="holm") if pairs else p
    rows = []
    for t, task in enumerate(tasks.tasks):
        a, b = float(tasks.scores[first, t]), float(tasks.scores[second, t])
        side = 1.0 if tasks.higher_is_better[t] else -1.0
        if not pairs:
            rows.append(
                TaskDifference(
                    task=task,
                    items=0,
                    first=a,
                    second=b,
                    difference=a - b,
                    low=nan,
                    high=nan,
                    pvalue=nan,
                    adjusted=nan,
                    verdict="",
                )
            )
            continue
        pair = pairs[t]
        low, high = sorted((side * pair.low, side * pair.high))
        verdict = "" if holm[t] > 1 - confidence else (systems[0] if pair.effect > 0 else systems[1])
        rows.append(
            TaskDifference(
                task=task,
                items=int(tasks.items[t]),
                first=a,
                second=b,
                difference=a - b,
                low=low,
                high=high,
                pvalue=float(p[t]),
                adjusted=float(holm[t]),
                verdict=verdict,
            )
        )
    return tuple(rows)


def _undecidable(ranked: Ranking | MetTasks, n_tasks: int) -> str:
    """Explanation if no pair of systems could be significant with so few tasks."""
    if not ranked.undecidable:
        return ""
    return f"{n_tasks} tasks are too few for any significant difference that would hold for other tasks like these."
