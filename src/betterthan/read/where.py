"""Selection of rows in files that are not read as a grid.

The reader gets a copy of the rows that satisfy the conditions.

Lines of text are copied unchanged, because their readers use more than the cells. Battles, which are counted inside
DuckDB, and Parquet are copied inside DuckDB, so that memory does not grow with the rows. Rows of a grid are selected by
:func:`betterthan.read.grid.selection.select`.
"""

from __future__ import annotations

import csv
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import tee
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from betterthan import scratch
from betterthan.errors import ReadError, unknown_name
from betterthan.messages import Message, Option
from betterthan.read.grid.beginning import peek
from betterthan.read.grid.delimited import numbered_records
from betterthan.read.grid.duck import check_quotes
from betterthan.read.grid.grid import label
from betterthan.read.grid.json_lines import decode_spelled, numbered_objects
from betterthan.read.grid.selection import (
    MOST_VALUES,
    Where,
    accounted,
    by_column,
    dropped_reason,
    never_occurs,
    nothing_left,
    selection_note,
)
from betterthan.read.protocol import Options, Reader, Reading
from betterthan.read.source.packed import Spool
from betterthan.read.source.source import HEAD_BYTES, Source

if TYPE_CHECKING:
    import duckdb


# ruff: noqa: S608  (columns are numbered, the path is quoted by `duck`, and values are bound, never written)


_TAB = "\t"


class CopiedLines(NamedTuple):
    """A copy of the lines that were kept, the number of all rows, the dropped ones by reason, and a note."""

    source: Source
    n_rows: int
    dropped: dict[str, int]
    note: str


@dataclass(slots=True)
class _LineCount:
    """Values of the columns, and rows that a condition drops."""

    n_rows: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    seen: dict[str, set[str]] = field(default_factory=dict)


def has_columns(source: Source, where: Where) -> bool:
    """Whether a text file has the columns of the conditions."""
    look = peek(source)
    return look.container in ("delimited", "jsonl") and {column for column, _ in where} <= set(look.header)


def chosen_lines(source: Source, where: Where) -> CopiedLines:
    """Copy the rows that satisfy the conditions unchanged.

    Raises
    ------
    ReadError
        When a value never occurs, or no row satisfies all conditions (BT167), or quotes may hide rows (BT240).
    """
    conditions = by_column(where)
    count = _LineCount(seen={column: set() for column in conditions})
    descriptor, spool = tempfile.mkstemp(prefix="spool-", dir=scratch.folder())
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as target:  # noqa: PTH123  (a descriptor)
            n_kept = _copied_lines(source, conditions, count, target)
        _check_chosen(source, conditions, count, n_kept)
        with Path(spool).open("rb") as file:
            head = file.read(HEAD_BYTES)
    except BaseException:
        Path(spool).unlink(missing_ok=True)
        raise
    # The copy keeps the name, by which some layouts are recognized.
    copy = Source(
        name=source.name, path=Path(spool), head=head, called=source.called, spool=Spool(Path(spool))
    )
    return CopiedLines(copy, count.n_rows, count.dropped, selection_note(conditions, n_kept, count.n_rows))


def _copied_lines(
    source: Source, conditions: dict[str, list[str]], count: _LineCount, target: IO[str]
) -> int:
    look = peek(source)
    n_kept = 0
    if look.container == "jsonl":
        parsed, copied = tee(source.lines())
        lines = enumerate(copied, 1)
        for number, record in numbered_objects(parsed, source, decode=decode_spelled):
            original = next(line for at, line in lines if at == number)
            if _fits({column: label(record.get(column)) or "" for column in conditions}, conditions, count):
                target.write(original + "\n")
                n_kept += 1
        return n_kept
    write = csv.writer(target, delimiter=look.delimiter, lineterminator="\n")
    for number, (line, cells) in enumerate(_records(source, look.delimiter)):
        if number == 0:
            places = _places(cells, conditions)
        elif not _fits(
            {column: cells[at] if at < len(cells) else "" for column, at in places.items()}, conditions, count
        ):
            continue
        n_kept += number > 0
        if line is None:
            write.writerow(cells)
        else:
            target.write(line + "\n")
    return n_kept


def _records(source: Source, delimiter: str) -> Iterator[tuple[str | None, list[str]]]:
    """Yield the cells of each row, and the raw line of tab-separated files, where quotes are text."""
    if delimiter == _TAB:
        for line in source.lines():
            yield line, line.split(_TAB)
        return
    check_quotes(source, delimiter)  # a condition on the enclosing row would silently lose hidden rows
    lines = (line + "\n" for line in source.lines())
    yield from ((None, cells) for _, cells in numbered_records(lines, source, delimiter))


def _places(header: Sequence[str], conditions: dict[str, list[str]]) -> dict[str, int]:
    names = [name.strip() for name in header]
    for column in conditions:
        if column not in names:
            raise unknown_name("column", column, names)
    return {column: names.index(column) for column in conditions}


def _fits(cells: dict[str, str], conditions: dict[str, list[str]], count: _LineCount) -> bool:
    count.n_rows += 1
    texts = {column: cell.strip() for column, cell in cells.items()}
    for column, cell in texts.items():
        if len(count.seen[column]) <= _MOST_SEEN:
            count.seen[column].add(cell)
    for column, values in conditions.items():
        if texts[column] not in {value.strip() for value in values}:
            count.dropped[dropped_reason(column, values)] += 1
            return False
    return True


_MOST_SEEN = 100_000


def _check_chosen(source: Source, conditions: dict[str, list[str]], count: _LineCount, n_kept: int) -> None:
    for column, values in conditions.items():
        for value in values:
            if value.strip() not in count.seen[column] and len(count.seen[column]) <= _MOST_SEEN:
                raise never_occurs(column, value, sorted(count.seen[column]), path=source.name)
    if not n_kept:
        raise nothing_left(conditions, path=source.name)


def read_copy(source: Source, options: Options, reader: Reader) -> Reading:
    """Read a copy of the rows of a file that fulfil `options.where`, all others counted as dropped.

    Raises
    ------
    ReadError
        When a value never occurs (BT167), or the layout has no columns to choose by (BT168).
    UnknownName
        When there is no such column.
    """
    if reader.FORMAT.rows == "copy" or source.is_parquet:
        return _on_copy(source, options, reader)
    if has_columns(source, options.where):
        return _on_lines(source, options, reader)
    column, value = options.where[0]
    raise source.error(
        Message(
            "Rows cannot be chosen here, because this is {layout}. "
            "Leave out {where}, or give a table of scores, ratings or battles with named columns.",
            layout=reader.FORMAT.description,
            where=Option("where", {column: value}),
        ),
        code="BT168",
    )


def _on_lines(source: Source, options: Options, reader: Reader) -> Reading:
    """Read a copy of the selected lines with the layout's own reader."""
    chosen = chosen_lines(source, options.where)
    try:
        reading = reader.read(chosen.source, replace(options, where=()))
    except ReadError as error:
        if error.line is None:
            raise
        message = _counted_among(error, "Lines")
        raise source.error(message, line=error.line, code=error.code) from error
    n_rows = reading.rows_read + sum(chosen.dropped.values())
    return accounted(reading, n_rows, chosen.dropped, chosen.note)


def _on_copy(source: Source, options: Options, reader: Reader) -> Reading:
    """Read battles from a copy of the chosen rows: they are counted inside the engine, row by row of a file."""
    chosen, n_rows, dropped = chosen_rows(source, options.where)
    try:
        reading = reader.read(chosen, replace(options, where=()))
    except ReadError as error:
        if error.row is None:
            raise
        message = _counted_among(error, "Rows")
        raise source.error(message, row=error.row, code=error.code) from error
    note = selection_note(by_column(options.where), n_rows - sum(dropped.values()), n_rows)
    return accounted(reading, n_rows, {why: count for why, count in dropped.items() if count}, note)


def _counted_among(error: ReadError, what: str) -> Message:
    return Message(
        "{message} ({what} are counted among the rows kept by {where}.)",
        message=error.message,
        what=what,
        where=Option("where"),
    )


def chosen_rows(source: Source, where: Where) -> tuple[Source, int, dict[str, int]]:
    """Return a copy of the rows that satisfy the conditions, the number of all rows, and the dropped ones by reason.

    The rows go from file to file inside DuckDB, so that memory does not grow with them; the values of the
    conditions are bound parameters.
    """
    import duckdb  # noqa: PLC0415  (the engine takes a tenth of a second to load)

    from betterthan.read.formats.battles.battle_query import check_text, with_plain_line_ends  # noqa: PLC0415
    from betterthan.read.grid.duck import read_error  # noqa: PLC0415

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
    from betterthan.read.formats.battles.battle_query import column_names, engine_file, text_query  # noqa: PLC0415
    from betterthan.read.grid.duck import connect_to, identifier, literal  # noqa: PLC0415

    # Objects of JSON may have keys that the first one lacks.
    names = list(dict.fromkeys([*column_names(source), *peek(source).header]))
    _check_names(names, where, source)
    conditions = by_column(where)
    cells = [f"trim(v{names.index(column)})" for column in conditions]
    # Not IN, which the engine turns into a join that changes the order of the rows.
    tests = [
        f"({' OR '.join(f'{cell} = ?' for _ in values)})"
        for cell, values in zip(cells, conditions.values(), strict=True)
    ]
    bound = [value.strip() for values in conditions.values() for value in values]
    relation = text_query(source, names, names)
    listed = ", ".join(f"v{i} AS {identifier(name)}" for i, name in enumerate(names))
    with connect_to([engine_file(source).path, target]) as connection:
        for cell, (column, values) in zip(cells, conditions.items(), strict=True):
            _check_values(connection, relation, cell, column, values, path=source.name)
        counted = _counted(connection, relation, conditions, tests, bound)
        if counted[0] == sum(counted[1].values()):
            raise nothing_left(conditions, path=source.name)
        chosen = f"SELECT {listed} FROM ({relation}) WHERE {' AND '.join(tests)}"
        connection.execute(f"COPY ({chosen}) TO {literal(str(target))} (FORMAT parquet)", bound)
    return counted


def _counted(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    conditions: dict[str, list[str]],
    tests: Sequence[str],
    bound: Sequence[str],
) -> tuple[int, dict[str, int]]:
    """Return the number of rows, and of rows that each condition drops from those left by the ones before it."""
    left = [f"count(*) FILTER (WHERE {' AND '.join(tests[: i + 1])})" for i in range(len(tests))]
    sizes = [len(values) for values in conditions.values()]
    repeated = [value for i in range(len(sizes)) for value in bound[: sum(sizes[: i + 1])]]
    row = connection.execute(f"SELECT count(*), {', '.join(left)} FROM ({relation})", repeated).fetchone()
    n_rows, *after = (int(number) for number in row or (0,))
    before = [n_rows, *after[:-1]]
    reasons = [dropped_reason(column, values) for column, values in conditions.items()]
    dropped = (first - last for first, last in zip(before, after, strict=True))
    return n_rows, dict(zip(reasons, dropped, strict=True))


def _check_names(names: Sequence[str], where: Where, source: Source) -> None:
    for column, _ in where:
        if column not in names:
            raise unknown_name("column", column, names)
    folded = Counter(name.casefold() for name in names)
    twice = sorted(name for name in names if folded[name.casefold()] > 1)
    if twice:
        raise source.error(
            f'The columns "{twice[0]}" and "{twice[1]}" differ only in case, so rows cannot be chosen. '
            f"Rename one of them.",
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
