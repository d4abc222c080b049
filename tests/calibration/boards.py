"""Boards over tasks: intervals and rank ranges for other tasks, and for other items of the same tasks."""

from __future__ import annotations

from functools import cache, partial
from itertools import product

import numpy as np
from tests.calibration.cells import Cell

import betterthan as bt
from betterthan.kernels.comparisons.task_scores import interquartile_mean, task_ranks, task_win_rates

SPREAD, INTERACTION = 0.6, 0.3
"""How far systems lie apart, and how much a system's lead varies with the task, in standard deviations of an item."""
_DRAWN = 200_000
GAPS = 0.3
"""Share of the tasks that a system lacks."""

RESEMBLANCE = {"distant": (SPREAD, INTERACTION), "close": (0.1, 0.05), "the same lead everywhere": (0.1, 0.0)}
"""Other spreads of systems and of their leads over tasks."""


def strengths(m, spread=SPREAD):
    """Evenly spaced, the first two equal."""
    values = np.linspace(0, spread, m)
    values[1] = values[0]
    return values


def task_truths(rng, m, n_tasks, spread=SPREAD, interaction=INTERACTION):
    """True means of the systems on tasks drawn from the population, shape (m, T)."""
    return (
        strengths(m, spread)[:, None]
        + 0.5 * rng.standard_normal(n_tasks)
        + interaction * rng.standard_normal((m, n_tasks))
    )


def combined(values, by):
    """Strength of each system over tasks, shape (m, T) to (m,)."""
    if by == "iqm":
        return interquartile_mean(values)
    points = {"mean": lambda x: x, "mean_win_rate": task_win_rates, "average_rank": task_ranks}[by]
    return points(values.T).mean(axis=0)


@cache
def expected(m, by, n_items):
    """Strengths over infinitely many tasks of so many items."""
    rng = np.random.default_rng(20261118)
    noise = rng.standard_normal((m, _DRAWN)) / np.sqrt(n_items)
    return combined(task_truths(rng, m, _DRAWN) + noise, by)


def tables_of(rng, truths, n_items, *, binary=False):
    """A table of items for each task."""
    m, n_tasks = truths.shape
    tables = {}
    for t in range(n_tasks):
        scores = (
            truths[:, t, None] + 0.7 * rng.standard_normal(n_items) + 0.7 * rng.standard_normal((m, n_items))
        )
        values = (scores > 0.5).astype(float) if binary else scores
        tables[f"t{t}"] = bt.Scores(
            name="score",
            systems=[f"s{i}" for i in range(m)],
            segments=[str(i) for i in range(n_items)],
            values=values,
        )
    return tables


def named(board, values):
    """Values of a board's rows in the order in which the systems were made."""
    place = [board.systems.index(f"s{i}") for i in range(len(board.systems))]
    return np.asarray(values)[place]


def other_tasks(by, m, n_tasks, rng):
    """Share of intervals for other tasks that hold the strength over all tasks."""
    n_items = 50
    board = bt.board(tables_of(rng, task_truths(rng, m, n_tasks), n_items), by=by, n_resamples=None)
    truth = expected(m, by, n_items)
    return float(np.mean((named(board, board.low) <= truth) & (truth <= named(board, board.high))))


def other_items(by, m, n_items, binary, rng):
    """Share of intervals for other items that hold the strength on these tasks."""
    truths = task_truths(np.random.default_rng(7), m, 12)
    board = bt.board(tables_of(rng, truths, n_items, binary=binary), by=by)
    truth = combined(_chance(truths) if binary else truths, by)
    return float(np.mean((named(board, board.item_low) <= truth) & (truth <= named(board, board.item_high))))


def other_items_of_any_tasks(m, n_tasks, n_items, likeness, rng):
    """Share of intervals for other items that hold the win rate on these tasks, over many sets of tasks."""
    truths = task_truths(rng, m, n_tasks, *RESEMBLANCE[likeness])
    board = bt.board(tables_of(rng, truths, n_items), by="mean_win_rate")
    truth = combined(np.round(truths, 9), "mean_win_rate")
    return float(np.mean((named(board, board.item_low) <= truth) & (truth <= named(board, board.item_high))))


def _chance(truths):
    from scipy.special import ndtr

    return ndtr((truths - 0.5) / np.sqrt(0.98))


def ranks_hold(by, m, n_tasks, rng):
    """Whether every system's true rank over all tasks lies in its range; equal systems may have either rank."""
    board = bt.board(tables_of(rng, task_truths(rng, m, n_tasks), 50), by=by)
    truth = strengths(m)
    best, worst = 1 + (truth[None] > truth[:, None]).sum(axis=1), (truth[None] >= truth[:, None]).sum(axis=1)
    return float(np.all((named(board, board.rank_low) <= worst) & (named(board, board.rank_high) >= best)))


def with_gaps(rng, truths):
    """One table of tasks, of which each system lacks three of ten at random."""
    m, n_tasks = truths.shape
    values = truths + rng.standard_normal((m, n_tasks)) / np.sqrt(50)
    gaps = rng.random(values.shape) < GAPS
    return bt.Scores(
        name="score",
        systems=[f"s{i}" for i in range(m)],
        segments=[f"t{t}" for t in range(n_tasks)],
        values=np.where(gaps, np.nan, values),
    )


def other_tasks_with_gaps(by, m, n_tasks, rng):
    """Share of intervals for other tasks that hold the strength over all tasks, from every score there is."""
    board = bt.board(with_gaps(rng, task_truths(rng, m, n_tasks)), by=by, missing="available")
    truth = expected(m, by, 50)
    return float(np.mean((named(board, board.low) <= truth) & (truth <= named(board, board.high))))


def ranks_hold_with_gaps(by, m, n_tasks, rng):
    """Whether every system's true rank over all tasks lies in its range, from every score there is."""
    board = bt.board(with_gaps(rng, task_truths(rng, m, n_tasks)), by=by, missing="available")
    truth = strengths(m)
    best, worst = 1 + (truth[None] > truth[:, None]).sum(axis=1), (truth[None] >= truth[:, None]).sum(axis=1)
    return float(np.all((named(board, board.rank_low) <= worst) & (named(board, board.rank_high) >= best)))


def ranks_of_these_tasks_hold(by, m, n_items, rng):
    """Whether every system's true rank on these tasks lies in its range for other items."""
    truths = task_truths(np.random.default_rng(7), m, 12)
    board = bt.board(tables_of(rng, truths, n_items), by=by)
    truth = np.round(combined(truths, by), 9) * (-1 if by == "average_rank" else 1)
    best, worst = 1 + (truth[None] > truth[:, None]).sum(axis=1), (truth[None] >= truth[:, None]).sum(axis=1)
    low, high = named(board, board.item_rank_low), named(board, board.item_rank_high)
    return float(np.all((low <= worst) & (high >= best)))


CELLS = [
    *(
        Cell(
            table="board/coverage for other tasks",
            row=f"{by.replace('_', ' ')}, {m} systems",
            column=f"{n_tasks} tasks",
            trial=partial(other_tasks, by, m, n_tasks),
            low=0.93,
            high=0.99,
            tables=500,
            seconds=0.1,
        )
        for by, m, n_tasks in product(("mean", "mean_win_rate", "iqm", "average_rank"), (2, 8), (10, 40))
    ),
    *(
        Cell(
            table="board/rank ranges for other tasks",
            row=f"{by.replace('_', ' ')}, {m} systems",
            column=f"{n_tasks} tasks",
            trial=partial(ranks_hold, by, m, n_tasks),
            low=0.94,
            high=1.0,
            tables=500,
            seconds=0.03,
        )
        for by, m, n_tasks in product(("mean", "mean_win_rate", "average_rank"), (2, 8, 20), (10, 40))
    ),
    *(
        Cell(
            table="board/coverage for other items",
            row=f"{by.replace('_', ' ')}, {m} systems, {'right or wrong' if binary else 'normal'}",
            column=f"{n_items} items a task",
            trial=partial(other_items, by, m, n_items, binary),
            low=0.93,
            high=1.0 if by == "mean_win_rate" else 0.98,
            tables=500,
            seconds=0.05,
        )
        for by, m, n_items, binary in product(
            ("mean", "mean_win_rate", "iqm"), (2, 8), (30, 300), (False, True)
        )
    ),
    *(
        Cell(
            table="board/coverage for other items of any tasks",
            row=f"{m} systems, {n_tasks} tasks of {n_items} items",
            column=likeness,
            trial=partial(other_items_of_any_tasks, m, n_tasks, n_items, likeness),
            low=0.93,
            high=1.0,
            tables=500,
            seconds=0.05,
        )
        for m, n_tasks, n_items in ((2, 5, 50), (2, 40, 50), (5, 12, 50), (10, 12, 1000), (30, 12, 50))
        for likeness in RESEMBLANCE
    ),
    *(
        Cell(
            table="board/rank ranges for other items",
            row=f"{by.replace('_', ' ')}, {m} systems",
            column=f"{n_items} items a task",
            trial=partial(ranks_of_these_tasks_hold, by, m, n_items),
            low=0.94,
            high=1.0,
            tables=500,
            seconds=0.05,
        )
        for by, m, n_items in product(("mean", "mean_win_rate"), (2, 8), (30, 300))
    ),
    *(
        Cell(
            table=f"board/{quantity} with gaps",
            row=f"{by.replace('_', ' ')}, {m} systems",
            column=f"{n_tasks} tasks",
            trial=partial(trial, by, m, n_tasks),
            low=low,
            high=1.0,
            tables=500,
            seconds=0.02,
        )
        for (quantity, trial, low), by, m, n_tasks in product(
            (("coverage", other_tasks_with_gaps, 0.93), ("rank ranges", ranks_hold_with_gaps, 0.94)),
            ("mean", "mean_win_rate"),
            (5, 20),
            (12, 40),
        )
    ),
]
