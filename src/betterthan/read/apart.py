"""Several tables in one file, one below the other, told apart by a column such as ``lp`` or ``dataset``.

Segment 1 of English–German and segment 1 of Chinese–English have nothing to do with each other. Such a file is read
table by table, so that all of it can be looked at; where one table is needed, :func:`whole` refuses it and says how to
choose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from betterthan.errors import ReadError, some_of
from betterthan.read.columns import find, plain
from betterthan.read.doubts import UNTESTABLE
from betterthan.read.grid import Grid, quoted
from betterthan.read.protocol import AnyTable, Options, Problem, Reading
from betterthan.read.where import select

PAIRS = ("lp", "langs", "langpair", "languagepair", "pair")
"""Columns that hold language pairs, without case and punctuation."""
_SETS = (*PAIRS, "dataset", "testset", "data", "task", "subject", "benchmark", "domain", "split", "language")
_MOST = 200
_SHOWN = 12
DUPLICATE = "BT101"
SEVERAL = "BT180"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApartReading(Reading):
    """Tables of one file that do not belong together, and the error for whoever needs them in one."""

    error: ReadError


def whole(reading: Reading) -> Reading:
    """Return a reading whose tables belong together.

    Raises
    ------
    ReadError
        When they do not (BT101, BT180), with the condition that chooses one of them.
    """
    if isinstance(reading, ApartReading):
        raise reading.error
    return reading


def read_apart(grid: Grid, options: Options, read_one: Callable[[Grid], Reading]) -> Reading:
    """Read a grid as one table, or as several where a column says that there are several.

    Parameters
    ----------
    grid : Grid
    options : Options
    read_one : callable
        Reads a grid as one table of each metric.

    Returns
    -------
    Reading
        An :class:`ApartReading` when language pairs share segments, or when the same segment of a system occurs
        again and a column tells the two apart; its tables are called after the value of that column.
    """
    pairs = pair_column(grid, options)
    roles = find(grid.header, options.columns, ("item", "system", "group"), path=grid.name)
    if pairs is not None and "system" in roles and "item" not in roles:
        return _parted(grid, pairs, read_one, None)
    try:
        reading = read_one(grid)
    except ReadError as error:
        if error.code != DUPLICATE:
            raise
        for column in _candidates(grid):
            parted = _tried(grid, column, read_one, error)
            if parted is not None:
                return parted
        raise
    if pairs is not None and "group" not in roles and _share_segments(grid, pairs, roles["item"]):
        return _parted(grid, pairs, read_one, None)
    return reading


def pair_column(grid: Grid, options: Options) -> str | None:
    """Return the column of language pairs, if there is one with at least two of them."""
    named = (name for name in grid.header if plain(name) in PAIRS and name not in options.columns.values())
    return next((name for name in named if len(_values(grid, name)) > 1), None)


def _share_segments(grid: Grid, column: str, item: int) -> bool:
    """Whether a segment of the same name occurs in several language pairs (documents would tell them apart)."""
    pairs, items = grid.labels(grid.header.index(column)), grid.labels(item)
    known = (items.codes >= 0) & (pairs.codes >= 0)
    cell = items.codes[known].astype(np.int64) * len(pairs.names) + pairs.codes[known]
    return np.unique(cell).size > np.unique(items.codes[known]).size


def _candidates(grid: Grid) -> list[str]:
    return [name for name in grid.header if plain(name) in _SETS and 2 <= len(_values(grid, name)) <= _MOST]


def _values(grid: Grid, name: str) -> tuple[str, ...]:
    try:
        return grid.labels(grid.header.index(name)).names
    except ReadError:  # objects or lists
        return ()


def _tried(
    grid: Grid, column: str, read_one: Callable[[Grid], Reading], error: ReadError
) -> ApartReading | None:
    try:
        return _parted(grid, column, read_one, error)
    except ReadError as other:
        if other.code != DUPLICATE:
            raise
        return None


def _parted(
    grid: Grid, column: str, read_one: Callable[[Grid], Reading], error: ReadError | None
) -> ApartReading:
    parts: dict[str, Reading] = {}
    rows: dict[str, int] = {}
    for value in _values(grid, column):
        chosen = select(grid, ((column, value),))
        parts[value], rows[value] = read_one(chosen.grid), chosen.grid.n_rows
    first = next(iter(parts.values()))
    kept = sum(reading.rows_kept for reading in parts.values())
    return ApartReading(
        format=first.format,
        because=first.because,
        tables=tuple(_named(table, value) for value, part in parts.items() for table in part.tables),
        rows_read=grid.n_rows,
        rows_kept=kept,
        dropped=_dropped(parts, grid.n_rows - sum(rows.values()), column),
        notes=(_note(column, rows), *_notes(parts)),
        problems=_problems(parts),
        error=error or _several(grid, column, rows),
    )


def _named(table: AnyTable, value: str) -> AnyTable:
    name = f"{value} {table.name}"  # type: ignore[union-attr]  # scores and ratings, which all have names
    return cast("AnyTable", replace(cast("Any", table), name=name))


def _dropped(parts: dict[str, Reading], nameless: int, column: str) -> dict[str, int]:
    dropped: dict[str, int] = {f"no {column}": nameless} if nameless else {}
    for reading in parts.values():
        for reason, count in reading.dropped.items():
            dropped[reason] = dropped.get(reason, 0) + count
    return dropped


def _note(column: str, rows: dict[str, int]) -> str:
    listed = [f"{value} ({count:,} rows)" for value, count in rows.items()]
    return (
        f"Column {quoted(column)} tells {len(rows)} tables apart: {some_of(listed, limit=_SHOWN)}. "
        f"Choose one: --where {column}={next(iter(rows))}."
    )


def _notes(parts: dict[str, Reading]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for reading in parts.values() for note in reading.notes))


def _problems(parts: dict[str, Reading]) -> tuple[Problem, ...]:
    """Return doubts alone: what is missing is counted with each table, and matters only to the one that is chosen."""
    found = [(value, problem) for value, reading in parts.items() for problem in reading.problems]
    return tuple(
        dict.fromkeys(
            problem
            if problem.message == UNTESTABLE  # the same of every part
            else replace(problem, message=f"{value}: {problem.message}")
            for value, problem in found
            if problem.code.startswith("BT2")
        )
    )


def _several(grid: Grid, column: str, rows: dict[str, int]) -> ReadError:
    first = next(iter(rows))
    listed = [f"{value}: {count:,} rows" for value, count in rows.items()]
    return ReadError(
        f"Column {quoted(column)} holds {len(rows)} language pairs ({some_of(listed)}), which cannot be compared with "
        f'each other. Choose one with --where {column}={first} (where={{"{column}": "{first}"}}).',
        path=grid.name,
        code=SEVERAL,
    )
