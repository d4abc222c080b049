"""Ratings tables: a long table with a column of judges."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import IntArray
from betterthan.errors import ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.formats.tables import long_table
from betterthan.read.formats.tables.cells import duplicate_cure, second_rows
from betterthan.read.formats.tables.long_table import LongColumns, load, table_name
from betterthan.read.formats.tables.long_table import guess as guess_long
from betterthan.read.formats.tables.tables_in_one_file import read_separately
from betterthan.read.grid.beginning import Peek, once, peek
from betterthan.read.grid.columns import find
from betterthan.read.grid.grid import Grid, Labels, compact, fault, first_rows, quoted
from betterthan.read.grid.numerals import parse_all
from betterthan.read.grid.open_grid import read_table
from betterthan.read.grid.selection import without_ignored
from betterthan.read.plausibility.direction import direction
from betterthan.read.protocol import (
    COLUMNS_NAMED,
    OF_SCORES,
    Format,
    Guess,
    Options,
    Problem,
    Reading,
    reason,
)
from betterthan.read.source.source import Source
from betterthan.tables.ratings import Ratings

FORMAT = Format(
    name="ratings",
    kind="ratings",
    description="a table with one row for each judgment: columns for segment, system, judge and score",
    columns=OF_SCORES - {"run"},
    chooses_columns=True,
    rows="grid",
)
# Largest grade in use; a column of larger integers holds identifiers.
_HIGHEST_GRADE = 10
_ROLES = ("item", "system", "score", "judge", "group", "direction", "metric")


@once
def sniff(source: Source) -> Guess | None:
    """Recognize a long table with a column of judges."""
    return guess(peek(source), path=source.name)


def guess(look: Peek, *, path: str) -> Guess | None:
    """Return the confidence that a table holds single judgments."""
    long = guess_long(look, path=path)
    if long is None or long.confidence <= 0.5:
        return None
    try:
        roles = find(look.header, {}, _ROLES, path=path)
    except ReadError:
        return None
    if "judge" not in roles:
        return None
    because = f"{long.because}, column {quoted(look.header[roles['judge']])} names judges"
    return Guess(confidence=min(long.confidence + 0.03, 1.0), because=because)


def read(source: Source, options: Options) -> Reading:
    """Read a ratings table into one :class:`Ratings` for each metric."""
    return read_table(source, options, read_grid, because=reason(sniff(source), COLUMNS_NAMED))


def read_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    """Read a grid as a ratings table; `stem` names the ratings if the table does not.

    Where the user named the column of judges as something else, such as the score, it is a long table.
    """
    grid = without_ignored(grid, options)
    usual = find(grid.header, {}, ("judge",), path=grid.name)
    if "judge" in usual and "judge" not in find(grid.header, options.columns, _ROLES, path=grid.name):
        return long_table.read_grid(grid, options, stem=stem, because=because)
    return read_separately(grid, options, lambda part: _read_one(part, options, stem=stem, because=because))


def _read_one(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    columns = load(grid, options, _ROLES)
    if "judge" not in options.columns:
        _check_judges(columns)
    lost = {"empty row": columns.dropped, "no score": 0, "duplicate": 0}
    tables = []
    for name, rows, column in _parts(columns, options, stem):
        known = rows[~np.isnan(columns.scores[column][rows])]
        lost["no score"] += rows.size - known.size
        counted_rows = _once(columns, known, options)
        lost["duplicate"] += known.size - counted_rows.size
        tables.append(_ratings(name, counted_rows, column, columns, options, lost))
    return Reading(
        format=FORMAT,
        because=because,
        tables=tuple(tables),
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows - sum(lost.values()),
        dropped={reason: count for reason, count in lost.items() if count},
        notes=columns.notes,
        problems=tuple(problem for table in tables for problem in _doubts(table, grid.name)),
    )


def _check_judges(columns: LongColumns) -> None:
    """Raise when a column "judge" may hold the judge's verdicts instead of names.

    Verdicts are few distinct numbers, one for each segment of a system; a judge with a numeric name judges several
    outputs of a segment, or shares some with another judge.

    Raises
    ------
    ReadError
        When it is ambiguous (BT223).
    """
    judge = columns.labels["judge"]
    values = parse_all(judge.names)
    name = columns.grid.header[columns.roles["judge"]]
    if not np.isfinite(values).all() or len(judge.names) < 2:
        return
    are_whole = bool((values == np.round(values)).all())
    if are_whole and ("score" in columns.roles or values.max() > _HIGHEST_GRADE or values.min() < 0):
        return
    item, system = (columns.labels[role].codes.astype(np.int64) for role in ("item", "system"))
    cells = item * len(columns.labels["system"].names) + system
    if "metric" in columns.labels:
        cells = cells * len(columns.labels["metric"].names) + columns.labels["metric"].codes
    is_once = np.unique(cells).size == cells.size
    is_same_within = np.unique(item * len(judge.names) + judge.codes).size == np.unique(item).size
    if are_whole and (not is_once or is_same_within):
        return
    shown = some_of([quoted(value) for value in judge.names], limit=4)
    raise fault(
        columns.grid,
        Message(
            "Column {column} may name the judges or hold their verdicts: its values are {shown}. If they are judges, "
            "use {judge}; if they are scores, use {score}, or {long} to read every column of numbers as a metric.",
            column=quoted(name),
            shown=shown,
            judge=Option("judge", name),
            score=Option("score", name),
            long=Option("format", "long"),
        ),
        code="BT223",
    )


def _parts(columns: LongColumns, options: Options, stem: str) -> list[tuple[str, IntArray, str]]:
    """Return name, rows and score column of each set of ratings."""
    every = np.arange(columns.rows.size)
    metrics = columns.labels.get("metric")
    parts = []
    for column in columns.scores:
        if metrics is None:
            parts.append((table_name(column, columns, options, stem), every, column))
        else:
            parts += [
                (
                    name if len(columns.scores) == 1 else f"{name} {column}",
                    np.flatnonzero(metrics.codes == code),
                    column,
                )
                for code, name in enumerate(metrics.names)
            ]
    return parts


def _once(columns: LongColumns, rows: IntArray, options: Options) -> IntArray:
    """Keep one judgment per segment, system and judge; "mean" keeps all, which are averaged later."""
    if options.duplicates == "mean" or rows.size == 0:
        return rows
    item, system, judge = (columns.labels[role] for role in ("item", "system", "judge"))
    cell = item.codes[rows].astype(np.int64) * len(system.names) + system.codes[rows]
    cell = cell * len(judge.names) + judge.codes[rows]
    distinct, first = np.unique(cell, return_index=True)
    if distinct.size == rows.size:
        return rows
    if options.duplicates == "last":
        first = rows.size - 1 - np.unique(cell[::-1], return_index=True)[1]
    if options.duplicates != "raise":
        first_rows_only: IntArray = rows[np.sort(first)]
        return first_rows_only
    raise _duplicate(columns, rows, cell)


def _duplicate(columns: LongColumns, rows: IntArray, cell: IntArray) -> ReadError:
    first, second = (int(rows[i]) for i in second_rows(cell))
    item, system, judge = (
        quoted(columns.labels[role].names[columns.labels[role].codes[second]])
        for role in ("item", "system", "judge")
    )
    line = columns.grid.line(int(columns.rows[first]))
    before = f"line {line}" if line is not None else f"row {int(columns.rows[first]) + 1}"
    cure = duplicate_cure(columns.grid, columns.rows[rows], cell, second_rows(cell), are_scores=False)
    return fault(
        columns.grid,
        Message(
            "Judge {judge} already rated segment {item} of system {system} in {before}. {hint}",
            judge=judge,
            item=item,
            system=system,
            before=before,
            hint=cure,
        ),
        row=int(columns.rows[second]),
        code="BT101",
    )


def _ratings(
    name: str, rows: IntArray, column: str, columns: LongColumns, options: Options, lost: dict[str, int]
) -> Ratings:
    if rows.size == 0:
        raise fault(columns.grid, f'No judgment of "{name}" has a score.', code="BT011")
    labels = {role: compact(Labels(names.codes[rows], names.names)) for role, names in columns.labels.items()}
    scores = columns.scores[column][rows]
    way = direction(name, scores, options, declared=columns.declared(rows), column=column)
    counted = tuple(f"{count} rows were left out: {reason}." for reason, count in lost.items() if count)
    item = labels["item"]
    groups = labels.get("group")
    first = first_rows(item.codes, len(item.names))
    return Ratings(
        name=name,
        systems=labels["system"].names,
        segments=item.names,
        judges=labels["judge"].names,
        system=labels["system"].codes.astype(np.int64),
        segment=item.codes.astype(np.int64),
        judge=labels["judge"].codes.astype(np.int64),
        score=scores,
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        groups=None if groups is None else tuple(groups.names[c] for c in groups.codes[first].tolist()),
        notes=(*columns.notes, *counted, *([way.note] if way.note else [])),
    )


def _doubts(ratings: Ratings, place: str) -> list[Problem]:
    problems = []
    if ratings.direction_doubt:
        problems.append(Problem(code="BT220", place=place, message=ratings.direction_doubt))
    if len(ratings.systems) == 1:
        text = f'Only one system ("{ratings.systems[0]}"), so nothing can be compared. Add another one.'
        problems.append(Problem(code="BT104", place=place, message=text))
    return problems
