"""Battles counted inside DuckDB, so that memory grows with the pairs of systems and not with the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import duckdb
import numpy as np

from betterthan.arrays import IntArray
from betterthan.errors import ReadError
from betterthan.read.battle_columns import BattleColumns
from betterthan.read.battle_files import bad_json_line, check_text, line_of_row, text_query
from betterthan.read.battle_tally import Kind, Tally
from betterthan.read.duck import connect, literal, read_error
from betterthan.read.source import Source
from betterthan.read.winner_labels import MISSING


def tally_file(source: Source, names: Sequence[str], columns: BattleColumns) -> Tally:
    """Count the battles of a file by kind; keep the rows' codes where `columns` has an item or a judge.

    Parameters
    ----------
    source : Source
    names : sequence of str
        All columns of the file.
    columns : BattleColumns
        The ones that matter.

    Raises
    ------
    ReadError
        When the file cannot be parsed (BT010, or the more exact BT004 to BT007), or a row has no item or
        judge (BT127).
    """
    if source.is_gzip:
        check_text(source)  # DuckDB does not look at gzip's check sum
    keys = _key_columns(columns)
    query = text_query(source, names, [*keys, *_row_columns(columns).values()])
    try:
        with connect(source) as connection:
            if columns.keeps_rows:
                return _with_rows(connection, query, source, names, columns)
            return _counted(connection, query, source, names, columns)
    except duckdb.Error as error:
        check_text(source)
        raise _parse_error(error, source) from error


def _parse_error(error: duckdb.Error, source: Source) -> ReadError:
    """Say in our words what is wrong with a row of a file; the rest is left to :func:`read_error`."""
    text = str(error)
    json_line = bad_json_line(source)
    if json_line is not None:
        message = "This line is not a JSON object. Write one object a line."
        return ReadError(message, path=source.name, line=json_line, code="BT010")
    line = re.search(r"CSV Error on Line: (\d+)", text)
    if line is None:
        return read_error(error, source)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if fields is not None:
        message = f"This row has {fields[2]} fields, but the header has {fields[1]}. Check its delimiters and quotes."
    elif "unterminated quote" in text:
        message = "A quote is opened here and never closed. Close it, or double it if it is text."
    else:
        message = "This row cannot be parsed. Check its delimiters and quotes."
    return ReadError(message, path=source.name, line=int(line[1]), code="BT010")


def _key_columns(columns: BattleColumns) -> list[str]:
    weight = [] if columns.weight is None else [columns.weight]
    return [columns.left, columns.right, *columns.winner, *weight]


def _row_columns(columns: BattleColumns) -> dict[str, str]:
    roles = {"segment": columns.item, "group": columns.judge}
    return {role: column for role, column in roles.items() if column is not None}


def _counted(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    source: Source,
    names: Sequence[str],
    columns: BattleColumns,
) -> Tally:
    keys = _cells(0, len(_key_columns(columns)))
    winner = keys[2 : 2 + len(columns.winner)]
    weight = keys[2 + len(columns.winner) :]
    grouped = f"SELECT {', '.join(keys)}, count(*) AS n FROM ({query}) GROUP BY ALL"  # noqa: S608
    connection.execute(f"CREATE TEMP TABLE kind AS {grouped}")
    listed = _number(connection, "name", ["v0"], "SELECT v0 FROM kind UNION SELECT v1 FROM kind")
    labels = _number(connection, "winner", winner, "SELECT * FROM kind")
    weights = _number(connection, "weight", weight, "SELECT * FROM kind")
    joins = "JOIN name AS a USING (v0) JOIN name AS b ON kind.v1 = b.v0"
    codes = f"a.code AS a, b.code AS b, {_code('winner', winner)}, {_code('weight', weight)}"
    # Sorted, so that sums of weights do not depend on the number of threads.
    sql = (
        f"SELECT {codes}, n FROM kind {joins} "  # noqa: S608
        f"{_join('winner', winner)} {_join('weight', weight)} ORDER BY ALL"
    )
    found = _arrays(connection, sql)
    return Tally(
        names=[cells[0] for cells in listed],
        winners=labels,
        weights=[cells[0] if cells else "" for cells in weights],
        left=found["a"],
        right=found["b"],
        winner=found["winner"],
        weight=found["weight"],
        counts=found["n"],
        preference=columns.is_preference,
        weighted=columns.weight is not None,
        path=source.name,
        line_of=partial(_line_of, source, names, columns),
    )


def _cells(start: int, end: int) -> list[str]:
    return [f"v{i}" for i in range(start, end)]


def _number(
    connection: duckdb.DuckDBPyConnection, table: str, keys: Sequence[str], query: str
) -> list[tuple[str, ...]]:
    """Make a table that numbers the distinct keys of `query` in their order, and return them."""
    if not keys:
        return [()]
    listed = ", ".join(keys)
    code = f"row_number() OVER (ORDER BY {listed}) - 1 AS code"
    sql = f"SELECT {listed}, {code} FROM (SELECT DISTINCT {listed} FROM ({query}))"  # noqa: S608
    connection.execute(f"CREATE TEMP TABLE {table} AS {sql}")
    return connection.execute(f"SELECT {listed} FROM {table} ORDER BY code").fetchall()  # noqa: S608


def _code(table: str, keys: Sequence[str]) -> str:
    return f"{table}.code AS {table}" if keys else f"0::BIGINT AS {table}"


def _join(table: str, keys: Sequence[str]) -> str:
    return f"JOIN {table} USING ({', '.join(keys)})" if keys else ""


def _with_rows(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    source: Source,
    names: Sequence[str],
    columns: BattleColumns,
) -> Tally:
    # A table in the order of the file: its rowid brings the rows back in that order after the joins.
    connection.execute(f"CREATE TEMP TABLE battle AS {query}")
    tally = _counted(connection, "SELECT * FROM battle", source, names, columns)
    n_keys = len(_key_columns(columns))
    cell = dict(zip(_row_columns(columns), _cells(n_keys, n_keys + 2), strict=False))
    for role, column in _row_columns(columns).items():
        _check_filled(connection, cell[role], column, source)
        _number(connection, f"code_{role}", [cell[role]], "SELECT * FROM battle")
    # The kinds are sorted by the codes of their cells, which is the order of the cells themselves.
    _number(connection, "code_rows", _cells(0, n_keys), "SELECT * FROM kind")
    joins = [_join("code_rows", _cells(0, n_keys)), *(_join(f"code_{role}", [cell[role]]) for role in cell)]
    codes = ", ".join(f"code_{role}.code AS {role}" for role in ("rows", *cell))
    sql = f"SELECT {codes} FROM battle {' '.join(joins)} ORDER BY battle.rowid"  # noqa: S608
    found = _arrays(connection, sql)
    return replace(tally, rows=found["rows"], segment=found.get("segment"), group=found.get("group"))


def _arrays(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, IntArray]:
    found = connection.execute(sql).fetchnumpy()
    return {name: np.asarray(column, dtype=np.int64) for name, column in found.items()}


def _check_filled(connection: duckdb.DuckDBPyConnection, cell: str, column: str, source: Source) -> None:
    words = ", ".join(literal(word) for word in sorted(MISSING))
    sql = f"SELECT count(*), min(rowid) + 1 FROM battle WHERE lower(trim({cell})) IN ({words})"  # noqa: S608
    empty, first = connection.execute(sql).fetchone() or (0, None)
    if empty:
        raise ReadError(
            f'The column "{column}" is empty here and in {empty - 1:,} other rows. '
            f"Fill it in, or read the battles without it.",
            path=source.name,
            line=line_of_row(source, int(first)),
            code="BT127",
        )


def _line_of(source: Source, names: Sequence[str], columns: BattleColumns, kind: Kind) -> int | None:
    """Find the first row of a kind by reading the file once more; only done when something is wrong."""
    keys = _key_columns(columns)
    cells = [kind.left, kind.right, *kind.winner, *([] if columns.weight is None else [kind.weight])]
    where = " AND ".join(f"v{i} = {literal(cell)}" for i, cell in enumerate(cells))
    numbered = f"SELECT *, row_number() OVER () AS row FROM ({text_query(source, names, keys)})"  # noqa: S608
    with connect(source) as connection:
        found = connection.execute(f"SELECT min(row) FROM ({numbered}) WHERE {where}").fetchone()  # noqa: S608
    return line_of_row(source, int(found[0])) if found and found[0] is not None else None
