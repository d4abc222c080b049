"""Reading the tasks of a board: metrics of files, values of a column of tasks, or the columns of a leaderboard."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan.analysis.table_argument import AnyData
from betterthan.errors import BetterThanError, ReadError, some_of, unknown_name
from betterthan.messages import COLUMN, Message, Option
from betterthan.tables.scores import Scores

if TYPE_CHECKING:
    from betterthan.read.inputs import TableReader
    from betterthan.read.protocol import Options

_WIDE, _LONG = "wide", "long"
_is_size = re.compile(r"\W*(n_|num_|number of )?(params?|parameters)([\W_].*)?", re.IGNORECASE).fullmatch
_NOT_TASKS = frozenset({"identifier", "length", "count", "rank", "summary", "time", "cost", "setting"})
"""Meanings of columns beside the tasks of a leaderboard."""


def metrics_by_task(
    data: AnyData,
    options: Options | None,
    task: str | None,
    format: str | None = None,  # noqa: A002  (the user's word)
) -> dict[str, Scores]:
    """Read every metric of the data; `task` names the column of tasks, if its name does not show it.

    In a long table each value of that column is a task. In a wide table, with a column per system, each row is, or the
    rows with one value of it. In a leaderboard, with a row per system, each column of scores is a task.
    """
    from betterthan.read.inputs import TableReader  # noqa: PLC0415  (a verb on a table loads no reader)
    from betterthan.read.protocol import Options  # noqa: PLC0415

    options = options or Options()
    header = _header(data, options, format)
    column, note = (task, ()) if task is not None else _task_column(header, options)
    if column is None:
        return _leaderboard(TableReader(options, format=format).metrics(data, system_level=True), options)
    if not _is_wide(header, data, options, format):
        named = _naming(options, "metric", column)
        tables = TableReader(named, format=format).metrics(data, system_level=True)
    else:
        if task is None:
            _refuse_doubts(TableReader(options, format=format), data)
        tables = _of_rows(data, options, format, column)
    return {name: _noted(table, note) for name, table in tables.items()}


def of_metrics(tables: Mapping[str, Scores], metric: str | Sequence[str] | None) -> dict[str, Scores]:
    """Return the tasks that are scored by one of these metrics, which harnesses write behind the task; all by default.

    Raises
    ------
    UnknownName
        When no task is scored by a metric.

    Examples
    --------
    >>> one = Scores(name="x", systems=["A"], segments=["1"], values=[[1]])
    >>> list(of_metrics({"arc: acc": one, "arc: acc_norm": one, "mmlu: acc": one}, "acc"))
    ['arc: acc', 'mmlu: acc']
    """
    if not metric:
        return dict(tables)
    behind = {name: name.rpartition(": ")[2] for name in tables}
    wanted = [metric] if isinstance(metric, str) else list(metric)
    for name in wanted:
        if name not in behind.values():
            raise unknown_name("metric", name, list(dict.fromkeys(behind.values())))
    return {name: table for name, table in tables.items() if behind[name] in wanted}


def is_of_tasks(table: Scores) -> bool:
    """Whether a table holds one score per system, of a whole task whose items are not known."""
    from betterthan.read.protocol import WHOLE_SYSTEM  # noqa: PLC0415  (a verb on a table loads no reader)

    return table.segments == (WHOLE_SYSTEM,)


def _naming(options: Options, role: str, column: str) -> Options:
    return replace(options, columns={**options.columns, role: column})


def _noted(table: Scores, notes: tuple[Message, ...]) -> Scores:
    return replace(table, notes=(*notes, *table.notes)) if notes else table


def _header(data: AnyData, options: Options, format: str | None) -> tuple[str, ...]:  # noqa: A002
    """Return the columns of a table, of the first of several files, or nothing for other data."""
    from betterthan.read.grid.beginning import peek  # noqa: PLC0415
    from betterthan.read.inputs import TableReader, is_path  # noqa: PLC0415

    one = data[0] if isinstance(data, list | tuple) and data else data
    if is_path(one):
        reader = TableReader(options)
        source = reader.source(one)
        if source.is_folder or (format or reader.recognised(one).format) not in (_WIDE, _LONG):
            return ()
        return tuple(name for name in peek(source).header if name not in options.ignore_columns)
    return tuple(map(str, one if isinstance(one, Mapping) else getattr(one, "columns", ())))


def _task_column(header: Sequence[str], options: Options) -> tuple[str | None, tuple[Message, ...]]:
    """Return the column that is called task, dataset or benchmark, unless it has another role, with a note."""
    from betterthan.read.grid.columns import TASKS, plain  # noqa: PLC0415

    chosen = {"item", "metric", "group"} & options.columns.keys()
    names = [name for name in header if plain(name) in TASKS]
    if chosen or len(names) != 1:
        return None, ()
    note = Message(
        "The tasks are the values of column {column}; {task} names another one.",
        column=f'"{names[0]}"',
        task=Option("task", COLUMN),
    )
    return names[0], (note,)


def _is_wide(
    header: Sequence[str],
    data: AnyData,
    options: Options,
    format: str | None,  # noqa: A002
) -> bool:
    """Whether the table has a column per system."""
    from betterthan.read.grid.columns import ROLES, plain  # noqa: PLC0415
    from betterthan.read.inputs import TableReader, is_path  # noqa: PLC0415

    if format is not None:
        return format == _WIDE
    if options.factors or "system" in options.columns:
        return False
    one = data[0] if isinstance(data, list | tuple) and data else data
    if is_path(one):
        return TableReader().recognised(one).format == _WIDE
    return not {plain(name) for name in header} & set(map(plain, ROLES["system"]))


def _refuse_doubts(reader: TableReader, data: AnyData) -> None:
    """Raise where the columns may not be systems; segments that occur on several tasks are expected."""
    from betterthan.read.formats.tables.tables_in_one_file import DUPLICATE  # noqa: PLC0415

    try:
        reader.metrics(data)
    except ReadError as error:
        if error.code != DUPLICATE:
            raise


def _of_rows(
    data: AnyData,
    options: Options,
    format: str | None,  # noqa: A002
    column: str,
) -> dict[str, Scores]:
    """Return a table of each task of a wide table: of its rows, or one table where each row is a task."""
    from betterthan.read.formats.tables.tables_in_one_file import DUPLICATE  # noqa: PLC0415
    from betterthan.read.inputs import TableReader  # noqa: PLC0415

    try:
        found = TableReader(_naming(options, "group", column), format=format).metrics(data)
    except ReadError as error:
        if error.code != DUPLICATE:
            raise
        return _task_by_task(data, options, format, column)
    tables: dict[str, Scores] = {}
    for table in found.values():
        groups = table.groups or ()
        if len(set(groups)) == len(groups):
            rows = replace(table, segments=groups, groups=None) if groups else table
            tables[table.name] = rows
            continue
        for task in dict.fromkeys(groups):
            items = [name for name, of in zip(table.segments, groups, strict=True) if of == task]
            name = task if len(found) == 1 else f"{task}: {table.name}"
            tables[name] = replace(table.select(segments=items), name=name, groups=None)
    return tables


def _task_by_task(
    data: AnyData,
    options: Options,
    format: str | None,  # noqa: A002
    column: str,
) -> dict[str, Scores]:
    """Return a table of each task, where the items of every task are numbered from the first."""
    from betterthan.read.inputs import TableReader  # noqa: PLC0415

    tables: dict[str, Scores] = {}
    for task in _values(data, options, column):
        rows = replace(options, where=(*options.where, (column, task)))
        found = TableReader(rows, format=format).metrics(data)
        for table in found.values():
            name = task if len(found) == 1 else f"{task}: {table.name}"
            tables[name] = replace(table, name=name)
    return tables


def _values(data: AnyData, options: Options, column: str) -> tuple[str, ...]:
    """Return the values of a column, in the order of the rows of the first file."""
    from betterthan.read.grid.open_grid import frame_grid, open_grid  # noqa: PLC0415
    from betterthan.read.inputs import TableReader, is_path  # noqa: PLC0415

    one: Any = data[0] if isinstance(data, list | tuple) and data else data
    if not is_path(one):
        grid = frame_grid(one)
        return grid.labels(grid.header.index(column)).names
    with open_grid(TableReader(options).source(one)) as opened:
        return opened.labels(opened.header.index(column)).names


def _leaderboard(tables: dict[str, Scores], options: Options) -> dict[str, Scores]:
    """Return the tasks of a leaderboard without its averages; other tables as they are.

    Raises
    ------
    BetterThanError
        When columns are named like something else, such as a count, and the user does not keep them.
    """
    if len(tables) < 2 or not all(map(is_of_tasks, tables.values())):
        return tables
    odd = {name: what for name in tables if name not in options.keep_columns and (what := _what_else(name))}
    tasks = {name: table for name, table in tables.items() if name not in odd}
    summaries = [name for name in odd if odd[name] == "summary" and _is_mean(tables[name], tasks)]
    others = [name for name in odd if name not in summaries]
    if others:
        raise _no_tasks(others, odd)
    note = Message("Left out, because it sums up the tasks: {names}.", names=some_of(summaries))
    return {name: _noted(table, (note,) if summaries else ()) for name, table in tasks.items()}


def _what_else(name: str) -> str | None:
    """Return what a column beside the tasks of a leaderboard is named like; None for a task."""
    from betterthan.read.plausibility.columns import meaning_of  # noqa: PLC0415

    meaning = meaning_of(name)
    if meaning in _NOT_TASKS:
        return meaning
    return "count" if _is_size(name) else None


def _no_tasks(names: Sequence[str], odd: Mapping[str, str]) -> BetterThanError:
    from betterthan.read.plausibility.columns import says  # noqa: PLC0415

    return BetterThanError(
        Message(
            "Each column of scores is a task here, but {column} is named like {what}. Leave out what is no task with "
            "{ignore}, or keep it with {keep}.",
            column=f'"{names[0]}"',
            what=says(odd[names[0]]),  # type: ignore[arg-type]  # one of the meanings
            ignore=Option("ignore", list(names)),
            keep=Option("keep", list(names)),
        )
    )


def _is_mean(table: Scores, tasks: Mapping[str, Scores]) -> bool:
    """Whether a column holds the mean of the tasks, up to the rounding of leaderboards."""
    if not tasks:
        return False
    values = np.stack([task.select(table.systems).values[:, 0] for task in tasks.values()])
    known = np.isfinite(values).any(axis=0) & np.isfinite(table.values[:, 0])
    gaps = np.abs(table.values[known, 0] - np.nanmean(values[:, known], axis=0))
    return bool((gaps <= 0.005 * max(1.0, float(np.nanmax(np.abs(values))))).all())
