"""From anything to the tables of a board: one score per system and task, and the items where they are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from betterthan.analysis.board.task_columns import is_of_tasks, metrics_by_task, of_metrics
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.arrays import FloatArray, IntArray, digest
from betterthan.errors import BetterThanError, MissingScores, TableError, some_of
from betterthan.messages import COLUMN, Message, Option
from betterthan.results.judges import Corrected
from betterthan.tables.any_table import AnyTable
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores

MissingTasks = Literal["raise", "drop", "available"]
_MANY_TASKS = 1000
"""Benchmarks have fewer tasks; more rows are rather items."""


class TaskScores(NamedTuple):
    """The tasks of a board.

    Attributes
    ----------
    systems, tasks : tuple of str
    scores : array, shape (m, T)
        Mean or pooled score of each task, in the direction of the task; NaN where a system lacks the task.
    higher_is_better : tuple of bool
    tables : tuple of Scores or Counts
        The items of each task, of the systems that it has; empty where only scores of tasks are known.
    notes : tuple of str
    digest : str
    """

    systems: tuple[str, ...]
    tasks: tuple[str, ...]
    scores: FloatArray
    higher_is_better: tuple[bool, ...]
    tables: tuple[Scores, ...]
    notes: tuple[str, ...]
    digest: str

    @property
    def is_complete(self) -> bool:
        """Whether every system has a score on every task."""
        return not bool(np.isnan(self.scores).any())

    @property
    def goodness(self) -> FloatArray:
        """Scores, negated on tasks where lower is better, shape (m, T)."""
        return np.where(self.higher_is_better, self.scores, 0.0 - self.scores)

    @property
    def items(self) -> IntArray:
        """Items of each task; 0 where they are not known."""
        if not self.tables:
            return np.zeros(len(self.tasks), dtype=np.int64)
        return np.array([table.n_segments for table in self.tables], dtype=np.int64)


_TABLES = AnyTable | Corrected


def task_scores(
    data: tuple[AnyData, ...],
    *,
    missing: MissingTasks,
    task: str | None = None,
    metric: str | Sequence[str] | None = None,
) -> TaskScores:
    """Return the tasks of anything that :func:`betterthan.board` takes.

    Several tables, or a file with several metrics, have a task each; one table of a single metric has a task per
    segment.

    Examples
    --------
    >>> math = Scores(name="math", systems=["A", "B"], segments=["1", "2"], values=[[1, 0], [0, 0]])
    >>> code = Scores(name="code", systems=["B", "A"], segments=["1"], values=[[1], [0]])
    >>> found = task_scores(([math, code],), missing="raise")
    >>> found.tasks, found.scores.tolist(), found.items.tolist()
    (('math', 'code'), [[0.5, 0.0], [0.0, 1.0]], [2, 1])
    """
    tables = _tables(data, task)
    if metric is not None:
        tables = list(of_metrics({table.name: table for table in tables}, metric).values())
    if len(tables) == 1:
        found = _one_table(tables[0], missing)
        return found._replace(notes=(*_rows_note(tables[0]), *found.notes))
    if all(map(is_of_tasks, tables)):
        return _without_items(tables, missing)
    return _several(tables, missing)


def _tables(data: tuple[AnyData, ...], task: str | None) -> list[Scores]:
    (first, *more) = data
    if task is not None and any(isinstance(one, _TABLES) for one in _every(first, more)):
        raise BetterThanError(
            Message(
                "{task} is for data with a column of tasks. Leave it out for tables.",
                task=Option("task", task),
            )
        )
    if not more and isinstance(first, Mapping) and any(isinstance(one, _TABLES) for one in first.values()):
        return [_named(_task_table(one), str(name)) for name, one in first.items()]
    several = _every(first, more)
    if len(several) == 1 and isinstance(several[0], Corrected):
        raise TableError(
            "A board is of several tasks, and this is one corrected result. Pass a mapping from the names of tasks "
            "to their results."
        )
    if any(isinstance(one, _TABLES) for one in several):
        return [_named(_task_table(one), None) for one in several]
    return list(metrics_by_task(data if more else first, None, task).values())


def _every(first: AnyData, more: list[AnyData]) -> list[Any]:
    """Return all that was passed, the members of a collection one by one."""
    if isinstance(first, Mapping):
        return [*first.values(), *more]
    return [*(first if isinstance(first, list | tuple) else [first]), *more]


def _task_table(data: AnyData) -> Scores | Counts:
    kinds: tuple[type[Scores | Counts], ...] = (Scores, Counts)
    return as_table(data, kinds=kinds, verb="board")


def _named(table: Scores | Counts, name: str | None) -> Scores:
    """Return the scores of one task; counts become the scores of their segments, because tasks are averaged."""
    scores = table.per_segment() if isinstance(table, Counts) else table
    if name is None or name == scores.name:
        return scores
    return replace(scores, name=name)


def _rows_note(table: Scores) -> tuple[Message, ...]:
    """Return a warning where the rows may be the items of one task: by their number, documents, or values."""
    groups = table.groups or ()
    n_groups = len(set(groups))
    is_grouped = 1 < n_groups < len(groups)
    is_right_or_wrong = not np.setdiff1d(table.values[np.isfinite(table.values)], (0.0, 1.0)).size
    if not (is_grouped or is_right_or_wrong or table.n_segments > _MANY_TASKS):
        return ()
    why = f", although they belong to {n_groups:,} documents or groups" if is_grouped else ""
    return (
        Message(
            "Each of the {n:,} rows counts as an independent task here{why}. If they are items, name the column of "
            "tasks with {task}, or use rank for the items of one task.",
            n=table.n_segments,
            why=why,
            task=Option("task", COLUMN),
        ),
    )


def _one_table(table: Scores, missing: MissingTasks) -> TaskScores:
    complete = _with_two_systems(table) if missing == "available" else _complete(table, missing)
    _require(complete.systems, complete.segments)
    return TaskScores(
        systems=complete.systems,
        tasks=complete.segments,
        scores=complete.values,
        higher_is_better=(complete.sign > 0,) * complete.n_segments,
        tables=(),
        notes=complete.notes,
        digest=complete.digest,
    )


def _without_items(tables: Sequence[Scores], missing: MissingTasks) -> TaskScores:
    """Return the tasks of tables that each hold one score per system."""
    systems = tuple(dict.fromkeys(name for table in tables for name in table.systems))
    values = np.full((len(systems), len(tables)), np.nan)
    for t, table in enumerate(tables):
        values[[systems.index(name) for name in table.systems], t] = table.values[:, 0]
    ways = {table.name: table.sign > 0 for table in tables}
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    one = Scores(name="tasks", systems=systems, segments=tuple(ways), values=values, notes=tuple(notes))
    found = _one_table(one, missing)
    return found._replace(
        higher_is_better=tuple(ways[name] for name in found.tasks),
        digest=digest(*(table.digest for table in tables if table.name in found.tasks)),
    )


def _complete(table: Scores, missing: MissingTasks) -> Scores:
    """Return the table without gaps.

    Raises
    ------
    MissingScores
        With the ways out, when tasks lack a system and `missing` is "raise".
    """
    if missing == "drop":
        return table.complete(missing="drop")
    gaps = np.isnan(table.values).any(axis=0)
    if gaps.any():
        at = np.flatnonzero(gaps).tolist()
        shown = some_of([f"{table.segments[t]}: no score of {_lacking(table, t)}" for t in at], limit=3)
        raise _incomplete(len(at), table.n_segments, shown)
    return table


def _lacking(table: Scores, at: int) -> str:
    gaps = np.flatnonzero(np.isnan(table.values[:, at])).tolist()
    return some_of([table.systems[i] for i in gaps])


def _incomplete(n: int, n_tasks: int, gaps: str) -> MissingScores:
    return MissingScores(
        Message(
            "{n} of {n_tasks} tasks do not have every system ({gaps}). Use {drop} to leave these tasks out, or "
            "{available} with {mean} or {win_rate} to use every score there is.",
            severity="error",
            n=n,
            n_tasks=n_tasks,
            gaps=gaps,
            drop=Option("missing", "drop"),
            available=Option("missing", "available"),
            mean=Option("by", "mean"),
            win_rate=Option("by", "mean_win_rate"),
        )
    )


def _with_two_systems(table: Scores) -> Scores:
    """Return the tasks on which there are two systems or more."""
    enough = np.count_nonzero(~np.isnan(table.values), axis=0) >= 2
    if enough.all():
        return table
    kept = [name for name, is_enough in zip(table.segments, enough.tolist(), strict=True) if is_enough]
    note = f"{int((~enough).sum())} of {table.n_segments} tasks left out, because they have fewer than two systems."
    return replace(table.select(segments=kept), notes=(*table.notes, note))


def _several(tables: Sequence[Scores], missing: MissingTasks) -> TaskScores:
    names = [table.name for table in tables]
    if len(set(names)) < len(names):
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise TableError(f"Two tasks have the same name: {some_of(twice)}. Pass a dict of names and tables.")
    systems = tuple(dict.fromkeys(name for table in tables for name in table.systems))
    absent = {table.name: [name for name in systems if name not in table.systems] for table in tables}
    incomplete = [name for name, systems_absent in absent.items() if systems_absent]
    notes: list[str] = []
    if incomplete:
        gaps = some_of([f"{name}: no scores of {some_of(absent[name])}" for name in incomplete], limit=3)
        kept = [table for table in tables if not absent[table.name]]
        if missing == "raise":
            raise _incomplete(len(incomplete), len(tables), gaps)
        if missing == "available":
            return _as_they_are(tables, systems)
        if not kept:
            raise MissingScores(
                f"No task has scores of all {len(systems)} systems ({gaps}). Leave out systems."
            )
        notes.append(
            f"{len(incomplete)} of {len(tables)} tasks left out, because they do not have every system ({gaps})."
        )
        tables = kept
    items: Literal["raise", "drop"] = "raise" if missing == "raise" else "drop"
    full = tuple(table.select(systems).complete(missing=items) for table in tables)
    _require(systems, [table.name for table in full])
    notes += [note for table in full for note in table.notes]
    return TaskScores(
        systems=systems,
        tasks=tuple(table.name for table in full),
        scores=np.stack([table.values.mean(axis=1) for table in full], axis=1),
        higher_is_better=tuple(table.sign > 0 for table in full),
        tables=full,
        notes=tuple(dict.fromkeys(notes)),
        digest=digest(*(table.digest for table in full)),
    )


def _as_they_are(tables: Sequence[Scores], systems: tuple[str, ...]) -> TaskScores:
    """Return every task that has two systems or more, with NaN for the systems it lacks."""
    full = [table.complete(missing="drop") for table in tables if table.n_systems > 1]
    _require(systems, [table.name for table in full])
    scores = np.full((len(systems), len(full)), np.nan)
    place = {name: i for i, name in enumerate(systems)}
    for t, table in enumerate(full):
        scores[[place[name] for name in table.systems], t] = table.values.mean(axis=1)
    notes = [note for table in full for note in table.notes]
    if len(full) < len(tables):
        n = len(tables) - len(full)
        notes.append(f"{n} of {len(tables)} tasks left out, because they have fewer than two systems.")
    return TaskScores(
        systems=systems,
        tasks=tuple(table.name for table in full),
        scores=scores,
        higher_is_better=tuple(table.sign > 0 for table in full),
        tables=tuple(full),
        notes=tuple(dict.fromkeys(notes)),
        digest=digest(*(table.digest for table in full)),
    )


def _require(systems: Sequence[str], tasks: Sequence[str]) -> None:
    if len(systems) < 2:
        raise TableError(f"A board needs two systems or more; there is only {some_of(list(systems))}.")
    if len(tasks) < 2:
        raise TableError(
            f"A board needs two tasks or more; there is only {some_of(list(tasks))}. Use rank for a single task."
        )
