"""Reading some rows of a file or data frame: conditions first, then the layout's own reader."""

# ruff: noqa: S608  (columns are numbered, the path is quoted by `duck`, and values are bound, never written)
from __future__ import annotations

import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from betterthan import scratch
from betterthan.errors import ReadError, unknown_name
from betterthan.read.frames import FrameLike, frame_grid, read_frame
from betterthan.read.open_grid import open_grid
from betterthan.read.peek import peek
from betterthan.read.protocol import Options, Reader, Reading
from betterthan.read.source import HEAD_BYTES, Source
from betterthan.read.where import (
    MOST_VALUES,
    Selection,
    Where,
    by_column,
    kept_note,
    never_occurs,
    nothing_left,
    select,
)
from betterthan.read.where_lines import chosen_lines, has_columns

if TYPE_CHECKING:
    import duckdb

# Layouts that read any grid: their rows can be chosen where they are.
_ON_GRIDS = ("long", "wide", "ratings")
# Layouts whose reader takes a copy of some rows as Parquet.
_ON_COPIES = ("battles", "rankings", "texts_table", "tags_table")


def read_where(source: Source, options: Options, reader: Reader) -> Reading:
    """Read the rows of a file that fulfil `options.where`, all others counted as dropped.

    Raises
    ------
    ReadError
        When a value never occurs (BT167), or the layout has no columns to choose by (BT168).
    UnknownName
        When there is no such column.
    """
    name = reader.FORMAT.name
    if name in _ON_GRIDS:
        return _on_grid(source, options, cast("ModuleType", reader))
    if name in _ON_COPIES or source.is_parquet:
        return _on_copy(source, options, reader)
    if has_columns(source, options.where):
        return _on_lines(source, options, reader)
    column, value = options.where[0]
    raise ReadError(
        f"Rows cannot be chosen by {column}={value} here, because this is {reader.FORMAT.description}. "
        f"Leave --where out, or give a table of scores, ratings or battles with named columns.",
        path=source.name,
        code="BT168",
    )


def read_frame_where(given: FrameLike, options: Options, *, format: str | None) -> Reading:  # noqa: A002
    """Read the rows of a data frame or dict that fulfil `options.where`."""
    grid = frame_grid(given)
    chosen = select(grid, options.where, named=options.columns.values())
    rows = chosen.grid.rows.tolist()
    columns = {
        grid.header[column]: [grid.columns[column][row] for row in rows] for column in chosen.grid.columns
    }
    return _accounted(read_frame(columns, options, format=format), chosen, grid.n_rows)


def _on_grid(source: Source, options: Options, module: ModuleType) -> Reading:
    found = module.sniff(source)
    because = found.because if found else "the columns were named"
    with open_grid(source) as grid:
        chosen = select(grid, options.where, named=options.columns.values())
        reading = module.read_grid(chosen.grid, options, stem=source.stem, because=because)
        return _accounted(reading, chosen, grid.n_rows)


def _accounted(reading: Reading, chosen: Selection, n_rows: int) -> Reading:
    return _with_note(reading, n_rows, chosen.dropped, chosen.note)


def _with_note(reading: Reading, n_rows: int, dropped: dict[str, int], note: str) -> Reading:
    return replace(reading.with_note(note), rows_read=n_rows, dropped={**dropped, **reading.dropped})


def _on_lines(source: Source, options: Options, reader: Reader) -> Reading:
    """Read a copy of the chosen lines, which the layout's own reader takes for a file of its own."""
    chosen = chosen_lines(source, options.where)
    try:
        reading = reader.read(chosen.source, replace(options, where=()))
    except ReadError as error:
        if error.line is None:
            raise
        message = f"{error.message} (Lines are counted among those that --where kept.)"
        raise ReadError(message, path=source.name, line=error.line, code=error.code) from error
    n_rows = reading.rows_read + sum(chosen.dropped.values())
    return _with_note(reading, n_rows, chosen.dropped, chosen.note)


def _on_copy(source: Source, options: Options, reader: Reader) -> Reading:
    """Read battles from a copy of the chosen rows: they are counted inside the engine, row by row of a file."""
    chosen, n_rows, dropped = chosen_rows(source, options.where)
    try:
        reading = reader.read(chosen, replace(options, where=()))
    except ReadError as error:
        if "row" not in error.message.lower():
            raise
        message = f"{error.message} (Rows are counted among those that --where kept.)"
        raise ReadError(message, path=source.name, code=error.code) from error
    note = kept_note(by_column(options.where), n_rows - sum(dropped.values()), n_rows)
    return _with_note(reading, n_rows, {why: count for why, count in dropped.items() if count}, note)


def chosen_rows(source: Source, where: Where) -> tuple[Source, int, dict[str, int]]:
    """Return a copy of the rows that fulfil the conditions, the number of all rows, and the dropped ones by reason.

    The rows go from file to file inside DuckDB, so that memory does not grow with them; the values of the
    conditions are bound parameters.
    """
    import duckdb  # noqa: PLC0415  (the engine takes a tenth of a second to load)

    from betterthan.read.battle_files import check_text, with_plain_line_ends  # noqa: PLC0415
    from betterthan.read.duck import read_error  # noqa: PLC0415

    source = with_plain_line_ends(source)
    folder = Path(tempfile.mkdtemp(prefix="where-", dir=scratch.folder()))
    try:
        counted = _copied(source, where, folder / "rows.parquet")
        with (folder / "rows.parquet").open("rb") as file:
            chosen = Source(name=source.name, path=folder / "rows.parquet", head=file.read(HEAD_BYTES))
    except duckdb.Error as error:
        shutil.rmtree(folder, ignore_errors=True)
        check_text(source)
        raise read_error(error, source) from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(chosen, shutil.rmtree, folder, ignore_errors=True)
    return chosen, *counted


def _copied(source: Source, where: Where, target: Path) -> tuple[int, dict[str, int]]:
    from betterthan.read.battle_files import column_names, engine_file, text_query  # noqa: PLC0415
    from betterthan.read.duck import connect_to, identifier, literal  # noqa: PLC0415

    # Objects of JSON may have keys that the first one lacks.
    names = list(dict.fromkeys([*column_names(source), *peek(source).header]))
    _check_names(names, where, source)
    wanted = by_column(where)
    cells = [f"trim(v{names.index(column)})" for column in wanted]
    # Not IN, which the engine turns into a join that brings the rows out of their order.
    tests = [
        f"({' OR '.join(f'{cell} = ?' for _ in values)})"
        for cell, values in zip(cells, wanted.values(), strict=True)
    ]
    bound = [value.strip() for values in wanted.values() for value in values]
    relation = text_query(source, names, names)
    listed = ", ".join(f"v{i} AS {identifier(name)}" for i, name in enumerate(names))
    with connect_to([engine_file(source).path, target]) as connection:
        for cell, (column, values) in zip(cells, wanted.items(), strict=True):
            _check_values(connection, relation, cell, column, values, path=source.name)
        counted = _counted(connection, relation, wanted, tests, bound)
        if counted[0] == sum(counted[1].values()):
            raise nothing_left(wanted, path=source.name)
        chosen = f"SELECT {listed} FROM ({relation}) WHERE {' AND '.join(tests)}"
        connection.execute(f"COPY ({chosen}) TO {literal(str(target))} (FORMAT parquet)", bound)
    return counted


def _counted(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    wanted: dict[str, list[str]],
    tests: Sequence[str],
    bound: Sequence[str],
) -> tuple[int, dict[str, int]]:
    """Return the number of rows, and of rows that each condition drops from those left by the ones before it."""
    left = [f"count(*) FILTER (WHERE {' AND '.join(tests[: i + 1])})" for i in range(len(tests))]
    sizes = [len(values) for values in wanted.values()]
    repeated = [value for i in range(len(sizes)) for value in bound[: sum(sizes[: i + 1])]]
    found = connection.execute(f"SELECT count(*), {', '.join(left)} FROM ({relation})", repeated).fetchone()
    n_rows, *after = (int(number) for number in found or (0,))
    before = [n_rows, *after[:-1]]
    reasons = [f"{column} is not {' or '.join(values)}" for column, values in wanted.items()]
    dropped = (first - last for first, last in zip(before, after, strict=True))
    return n_rows, dict(zip(reasons, dropped, strict=True))


def _check_names(names: Sequence[str], where: Where, source: Source) -> None:
    for column, _ in where:
        if column not in names:
            raise unknown_name("column", column, names)
    folded = Counter(name.casefold() for name in names)
    twice = sorted(name for name in names if folded[name.casefold()] > 1)
    if twice:
        raise ReadError(
            f'The columns "{twice[0]}" and "{twice[1]}" differ only in case, so rows cannot be chosen. '
            f"Rename one of them.",
            path=source.name,
            code="BT168",
        )


def _check_values(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    cell: str,
    column: str,
    values: Sequence[str],
    *,
    path: str,
) -> None:
    for value in values:
        one = f"SELECT 1 FROM ({relation}) WHERE {cell} = ? LIMIT 1"
        if connection.execute(one, [value.strip()]).fetchone() is None:
            few = f"SELECT DISTINCT {cell} AS value FROM ({relation}) ORDER BY value LIMIT {MOST_VALUES + 1}"
            seen = [str(row[0]) for row in connection.execute(few).fetchall()]
            raise never_occurs(column, value, seen, path=path)
