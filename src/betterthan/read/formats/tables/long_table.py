"""Long tables: one row for each score, with columns that say which segment, which system and which metric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import ReadError
from betterthan.read.doubts.chosen_columns import without_ignored
from betterthan.read.doubts.direction import direction
from betterthan.read.doubts.doubtful_columns import refuse_summary_system
from betterthan.read.doubts.doubts import doubts_of
from betterthan.read.doubts.layout_doubts import TURNED, check_systems, turned_table
from betterthan.read.doubts.summary_rows import refuse_summary
from betterthan.read.formats.tables import wide_table
from betterthan.read.formats.tables.cells import fill
from betterthan.read.formats.tables.long_columns import LongColumns, load, one_score_each, system_level_note
from betterthan.read.formats.tables.tables_in_one_file import read_apart
from betterthan.read.grid.beginning import Peek, once, peek
from betterthan.read.grid.columns import find
from betterthan.read.grid.grid import Grid, Labels, compact, first_rows, quoted
from betterthan.read.grid.numerals import parse_all
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import OF_SCORES, Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="long",
    kind="scores",
    description="a table with one row for each score: columns for segment, system, score and, if any, metric",
    columns=OF_SCORES,
    chooses_columns=True,
    rows="grid",
)
_ROLES = ("item", "system", "score", "metric", "group", "direction")


@once
def sniff(source: Source) -> Guess | None:
    """Recognise a header with a system column and a score column."""
    return guess(peek(source), path=source.name)


def guess(look: Peek, *, path: str) -> Guess | None:
    """Say how sure it is that a table is long."""
    try:
        roles = find(look.header, {}, ("item", "system", "score"), path=path)
    except ReadError as error:
        return Guess(confidence=0.5, because=error.message)
    if "system" not in roles:
        return None
    system = quoted(look.header[roles["system"]])
    if "score" in roles:
        because = f"columns {system} and {quoted(look.header[roles['score']])} name systems and scores"
        return Guess(confidence=0.9 if "item" in roles else 0.7, because=because)
    if look.rows and np.isfinite(parse_all(look.column(roles["system"]))).all():
        return Guess(confidence=0.5, because=f"column {system} may hold the names of systems")
    return Guess(confidence=0.8, because=f"column {system} holds the names of systems")


def read(source: Source, options: Options) -> Reading:
    """Read a long table into one :class:`Scores` for each metric."""
    found = sniff(source)
    with open_grid(source) as grid:
        because = found.because if found else "the columns were named"
        return read_grid(grid, options, stem=source.stem, because=because)


def read_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    """Read a grid as a long table; `stem` names the metric if the table does not."""
    grid = without_ignored(grid, options)
    turned = turned_table(grid, options)
    if turned is not None:
        return _read_turned(turned, options, stem=stem)
    return read_apart(grid, options, lambda part: _read_one(part, options, stem=stem, because=because))


def _read_turned(grid: Grid, options: Options, *, stem: str) -> Reading:
    """Read a table of which each row was a system."""
    own = replace(options, columns={}, ignore_columns=(), keep_columns=())  # they name columns of the file
    reading = wide_table.read_grid(grid, own, stem=stem, because=TURNED)
    note = f"In this table {TURNED}."
    (scores,) = (table for table in reading.tables if isinstance(table, Scores))
    return replace(
        reading, tables=(replace(scores, notes=(note, *scores.notes)),), notes=(note, *reading.notes)
    )


def _read_one(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    columns = load(grid, options, _ROLES)
    refuse_summary(columns.grid, columns.labels["item"], columns.rows)
    check_systems(grid, columns.labels, options.columns)
    merged = 0
    tables = []
    for part in _parts(columns, options, stem):
        scores, lost = _scores(part, columns, options)
        tables.append(scores)
        merged += lost
    dropped = {"empty row": columns.dropped, "duplicate": merged}
    return Reading(
        format=FORMAT,
        because=because,
        tables=tuple(tables),
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows - columns.dropped - merged,
        dropped={reason: count for reason, count in dropped.items() if count},
        notes=(*columns.notes, *((system_level_note(),) if columns.level == "system" else ())),
        problems=doubts_of(tables, place=grid.name),
    )


class _Part(NamedTuple):
    """The rows of one metric."""

    name: str
    rows: IntArray | None
    values: FloatArray


def _parts(columns: LongColumns, options: Options, stem: str) -> Iterator[_Part]:
    metrics = columns.labels.get("metric")
    for column, values in columns.scores.items():
        if metrics is None:
            yield _Part(table_name(column, columns, options, stem), None, values)
            continue
        for code, metric in enumerate(metrics.names):
            name = metric if len(columns.scores) == 1 else f"{metric} {column}"
            rows = None if len(metrics.names) == 1 else np.flatnonzero(metrics.codes == code)
            yield _Part(name, rows, values if rows is None else values[rows])


def table_name(column: str, columns: LongColumns, options: Options, stem: str) -> str:
    """Return what the scores of a column are called: of several columns, each by its own name."""
    if len(columns.scores) > 1:
        return column
    return options.name or (stem if "score" in columns.roles else column)


def _scores(part: _Part, columns: LongColumns, options: Options) -> tuple[Scores, int]:
    segments, systems = (_of(columns.labels[role], part.rows) for role in ("item", "system"))
    if segments.codes.size == len(systems.names) and columns.level == "segment":
        raise one_score_each(columns.grid)
    cells = fill(
        columns.grid,
        columns.rows if part.rows is None else columns.rows[part.rows],
        segments=segments,
        systems=systems,
        scores=part.values,
        duplicates=options.duplicates,
    )
    refuse_summary_system(columns.grid, systems.names, cells.values)
    way = direction(part.name, cells.values, options, declared=columns.declared(part.rows))
    notes = [*columns.notes, *([way.note] if way.note else [])]
    if columns.dropped:
        notes.append(f"{columns.dropped} empty rows were left out.")
    if cells.merged:
        notes.append(f"{cells.merged} rows repeat a segment of a system ({options.duplicates} kept).")
    scores = Scores(
        name=part.name,
        systems=systems.names,
        segments=segments.names,
        values=cells.values,
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        groups=_groups(part, columns, segments),
        notes=tuple(notes),
    )
    return scores, cells.merged


def _of(labels: Labels, rows: IntArray | None) -> Labels:
    return labels if rows is None else compact(Labels(labels.codes[rows], labels.names))


def _groups(part: _Part, columns: LongColumns, segments: Labels) -> tuple[str, ...] | None:
    groups = columns.labels.get("group")
    if groups is None:
        return None
    codes = groups.codes if part.rows is None else groups.codes[part.rows]
    first = first_rows(segments.codes, len(segments.names))
    return tuple(groups.names[code] for code in codes[first].tolist())
