"""Battles in a file, counted inside DuckDB."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import IO, Any

import duckdb
import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import ReadError
from betterthan.read.formats.battles import battle_columns
from betterthan.read.formats.battles.battle_columns import (
    FEWEST_JUDGES,
    BattleColumns,
    Judged,
    KeyPath,
    Path,
    bad_covariate,
    empty_judge,
    gaps_note,
    nested_sql,
    refuse_too_many,
    too_many_note,
    usable,
    with_repeated_item,
)
from betterthan.read.formats.battles.battle_tally import OutcomeKind, Tally
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.delimited import numbered_records, quote_notes, record_line
from betterthan.read.grid.duck import connect, engine_text, literal, read_error
from betterthan.read.grid.json_lines import array_grid, check_objects, object_line
from betterthan.read.grid.numerals import missing_sql
from betterthan.read.source.source import HEAD_BYTES, LONGEST_LINE, Source, open_source, small_text

# The columns of a file of battles, and the SQL that reads some of them as text.
#
# The engine's own sniffing, which may skip lines and change types, is disabled: header and delimiter come from the
# first rows, every column is text, and a row with too few or too many fields is an error.


_LARGEST_ARRAY = 64 << 20
_CHUNK = 1 << 20


class _PlainLineEnds:
    r"""The bytes of a source with ``\r\r\n``, which results from applying text mode twice, as ``\n``."""

    def __init__(self, name: str, stream: IO[bytes]) -> None:
        self.name = name
        self._stream = stream

    def read(self, size: int) -> bytes:
        """Return whole lines of about `size` bytes."""
        lines = self._stream.readlines(size) if size else []
        return b"".join(line.replace(b"\r\r\n", b"\n") for line in lines)


def with_plain_line_ends(source: Source) -> Source:
    r"""Return the source, or a copy of it when its header ends with ``\r\r\n``, which no parser accepts.

    The files of the WMT16 relative ranking are an example; line numbers stay the same.
    """
    first = source.head.split(b"\n", 1)[0]
    if source.is_parquet or not first.endswith(b"\r\r"):
        return source
    check_text(source)  # so that a damaged file is reported before it is copied
    with source.open() as stream:
        return open_source(_PlainLineEnds(source.name, stream))  # type: ignore[arg-type]  # it has read()


def column_names(source: Source) -> list[str]:
    """Return the names of a table's columns, in the order of the file; of JSON, the keys of the first objects.

    Raises
    ------
    ReadError
        When the file is not a table with a header (BT010), or is damaged.
    """
    return list(look_at(source).header)


def look_at(source: Source) -> Peek:
    """Return the header and the first rows of a table; see :func:`column_names`."""
    look = _look(source)
    names = look.header
    if not names or (look.container == "delimited" and len(names) < 2) or "\x00" in "".join(names):
        raise _no_table(source)
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise source.error(
            f'The column "{twice[0]}" occurs twice in the header. Rename one of them.', line=1, code="BT010"
        )
    return look


def _look(source: Source) -> Peek:
    try:
        look = peek(source)
    except ReadError as error:
        # An array may be on a single line of any length.
        if error.code != "BT007" or not _is_array(source):
            raise
        return _first_of_array(source)
    return _first_of_array(source) if look.container == "json" and not look.header else look


def _is_array(source: Source) -> bool:
    return source.head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["


def _first_of_array(source: Source) -> Peek:
    """Look at an array whose first object is longer than the head, such as a conversation."""
    first: object = None
    if len(source.head) == HEAD_BYTES:
        with source.open() as stream:
            text = stream.read(LONGEST_LINE).decode("utf-8-sig", errors="replace").lstrip().removeprefix("[")
        with suppress(ValueError, RecursionError):
            first, _ = json.JSONDecoder().raw_decode(text.lstrip())
    if not isinstance(first, dict):
        raise _no_table(source)
    return Peek(container="json", header=tuple(first), rows=[list(first.values())])


def text_query(
    source: Source, names: Sequence[str], columns: Sequence[str], *, paths: Sequence[Path] | None = None
) -> str:
    """Return the SQL that selects the `columns` columns as text, named ``v0``, ``v1``, … in that order.

    `names` are all columns of the file; a missing cell is the empty text, an object its JSON. `paths` gives for each of
    the `columns` columns the path to a value inside an object; ``()`` is the column itself.
    """
    relation, cells = _relation(source, names, columns)
    inner = [
        nested_sql(cell, path) if path else cell
        for cell, path in zip(cells, paths or [()] * len(cells), strict=True)
    ]
    listed = ", ".join(f"coalesce({cell}, '') AS v{i}" for i, cell in enumerate(inner))
    return f"SELECT {listed} FROM {relation}"  # noqa: S608  (names and path are quoted)


def _relation(source: Source, names: Sequence[str], selected: Sequence[str]) -> tuple[str, list[str]]:
    """Return the SQL of the file as a table, and of each wanted column as text."""
    from betterthan.read.grid.duck import delimited_scan, identifier, literal, scan  # noqa: PLC0415  (DuckDB is imported when needed)

    compression = "gzip" if source.is_gzip else "uncompressed"
    look = _look(source)
    if look.container == "parquet":
        # Columns are numbered, because the engine does not distinguish "Left" from "left".
        objects, numbered = _object_columns(look), [f"c{i}" for i in range(len(names))]
        cells = [f"c{list(names).index(name)}" for name in selected]
        shown = [
            f"to_json({cell})" if name in objects else cell
            for name, cell in zip(selected, cells, strict=True)
        ]
        relation = f"{scan('read_parquet', source)} AS file({', '.join(numbered)})"
        return relation, [f"{cell}::VARCHAR" for cell in shown]
    if look.container in ("json", "jsonl"):
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in dict.fromkeys(selected))
        layout = "array" if look.container == "json" else "newline_delimited"
        relation = scan(
            "read_json",
            source,
            format=f"'{layout}'",
            records="true",
            columns=f"{{{columns}}}",
            maximum_object_size=str(LONGEST_LINE),
            compression=f"'{compression}'",
        )
        return relation, [identifier(name) for name in selected]
    relation = delimited_scan(engine_text(source, look.delimiter).file, look.delimiter, len(names))
    return relation, [f"c{list(names).index(name)}" for name in selected]


def _object_columns(look: Peek) -> set[str]:
    """Return the columns of Parquet that contain objects or lists."""
    return {
        name
        for i, name in enumerate(look.header)
        if any(isinstance(row[i], dict | list) for row in look.rows)
    }


def engine_file(source: Source) -> Source:
    """Return the file that the engine reads for a source: its own, or a copy with unambiguous quotes.

    Raises
    ------
    ReadError
        When the file is not plain text or a truncated gzip stream, which the engine would not report; or the quotes may
        hide rows (BT240).
    """
    look = _look(source)
    if look.container == "delimited":
        return engine_text(source, look.delimiter).file
    if source.is_gzip:
        check_text(source)
    return source


def line_of_row(source: Source, row: int) -> int | None:
    """Return the line on which data row `row` (from 1) begins; None where rows have no lines."""
    look = _look(source)
    if look.container == "jsonl":
        return object_line(source, row - 1)
    if look.container != "delimited":
        return None
    quoting = engine_text(source, look.delimiter).quoting
    return record_line(source, look.delimiter, row - 1, quoting=quoting)


def raise_fault(source: Source) -> None:
    """Parse a text file line by line, so that an error of the engine is reported with its line.

    Raises
    ------
    ReadError
        At the first fault: see :meth:`Source.lines`, and BT012, BT015 and BT016. Returns if there is none.
    """
    check_text(source)
    if source.is_parquet:
        return
    look = _look(source)
    if look.container == "json":
        text = small_text(source, limit=_LARGEST_ARRAY)
        if text is not None:
            array_grid(text, source)
    elif look.container == "jsonl":
        check_objects(source)
    else:
        quoting = engine_text(source, look.delimiter).quoting
        lines = (f"{line}\n" for line in source.lines())
        _exhaust(numbered_records(lines, source, look.delimiter, quoting=quoting))


def check_text(source: Source) -> None:
    """Read the bytes of a text file through, so that a truncated gzip stream or another encoding is reported."""
    if source.is_parquet:
        return
    if not _is_array(source):
        _exhaust(source.lines())
        return
    try:
        _check_bytes(source)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = "The gzip stream is truncated or damaged. Copy or download the file again."
        raise source.error(message, code="BT004") from error
    except UnicodeDecodeError as error:
        message = "The file is not UTF-8. Convert it first, for example: iconv -f latin1 -t utf-8 IN > OUT"
        raise source.error(message, code="BT005") from error


def _check_bytes(source: Source) -> None:
    """Read an array piece by piece: its lines may be as long as the file."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with source.open() as stream:
        while chunk := stream.read(_CHUNK):
            decoder.decode(chunk)
            if b"\x00" in chunk:
                message = (
                    "The file contains a NUL byte, so this is not plain text. Export the file as UTF-8 text."
                )
                raise source.error(message, code="BT006")
    decoder.decode(b"", final=True)


def _exhaust(records: Iterable[Any]) -> None:
    for _ in records:
        pass


def _no_table(source: Source) -> ReadError:
    return source.error(
        "No table with a header of two or more columns was found here. "
        "Write CSV, TSV, JSON (lines or an array of objects) or Parquet.",
        code="BT010",
    )


# Battles counted inside DuckDB, so that memory grows with the pairs of systems and not with the rows.


_EXACT = 100_000  # rows whose different values are counted, not estimated


@dataclass(frozen=True, slots=True, kw_only=True)
class _Count:
    """A connection, the file it may read, and the columns that are used.

    The columns of every query are called ``v0``, ``v1``, …: first the keys of a kind of battle, then the segment,
    the judge and the covariates.
    """

    connection: duckdb.DuckDBPyConnection
    source: Source
    names: Sequence[str]
    columns: BattleColumns
    coded: Mapping[str, str] | None = None

    @property
    def keys(self) -> list[str]:
        """The cells that define a kind of battle."""
        return _cells(0, len(_key_columns(self.columns)))

    @property
    def codes(self) -> dict[str, str]:
        """The cells that are numbered, by the name that their codes get."""
        if self.coded is not None:
            return dict(self.coded)
        roles = {"segment": self.columns.item, "grouped": self.columns.judge}
        used = [role for role, column in roles.items() if column is not None]
        start = len(self.keys)
        return dict(zip(used, _cells(start, start + len(used)), strict=True))

    @property
    def query(self) -> str:
        """The SQL that selects these cells from the file."""
        roles = [name for name in (self.columns.item, self.columns.judge) if name is not None]
        plain = [KeyPath(name) for name in (*_key_columns(self.columns), *roles)]
        selected = [*plain, *(place for covariate in self.columns.covariates for place in covariate.places)]
        columns, paths = [place.column for place in selected], [place.path for place in selected]
        return text_query(self.source, self.names, columns, paths=paths)

    def one(self, sql: str) -> tuple[int, ...]:
        """Return the only row of a query."""
        return tuple(int(number) for number in self.connection.execute(sql).fetchone() or ())

    def row_where(self, relation: str, condition: str) -> int:
        """Return the number, from 1, of the first row that satisfies a condition."""
        numbered = f"SELECT *, row_number() OVER () AS row FROM ({relation})"  # noqa: S608
        return self.one(f"SELECT min(row) FROM ({numbered}) WHERE {condition}")[0]  # noqa: S608


def tally_file(source: Source, names: Sequence[str], columns: BattleColumns) -> Tally:
    """Count the battles of a file by kind, and by judge where `columns` has one; keep single rows where needed.

    Parameters
    ----------
    source : Source
    names : sequence of str
        All columns of the file.
    columns : BattleColumns
        The columns that are used.

    Raises
    ------
    ReadError
        When the file cannot be parsed (BT010, or the more exact BT004 to BT007), a row has no item or judge
        (BT127), or covariates are not numbers (BT128) or too many (BT129).
    """
    try:
        with connect(engine_file(source)) as connection:
            count = _Count(connection=connection, source=source, names=names, columns=columns)
            if columns.maybe_item is not None and columns.item is None:
                count = replace(count, columns=_with_shared_item(count, columns.maybe_item))
            tally = _with_rows(count) if count.columns.keeps_rows else _by_kind(count)
            return replace(tally, remarks=(*quote_notes(source), *tally.remarks))
    except duckdb.Error as error:
        raise_fault(source)
        raise read_error(error, source) from error


def _with_shared_item(count: _Count, item: str) -> BattleColumns:
    """Return the columns with the segment where battles share it; one pass over the file, and no memory."""
    query = text_query(count.source, count.names, [item])
    n_rows, n_empty, n_items = count.one(
        f"SELECT count(*), count(*) FILTER (WHERE {_is_empty('v0')}), approx_count_distinct(v0) FROM ({query})"  # noqa: S608
    )
    if n_rows < _EXACT:
        n_items = count.one(f"SELECT count(DISTINCT v0) FROM ({query})")[0]  # noqa: S608
    return with_repeated_item(count.columns, n_rows, n_items, n_empty)


def _key_columns(columns: BattleColumns) -> list[str]:
    more = [name for name in (columns.weight, columns.category) if name is not None]
    return [columns.left, columns.right, *columns.winner, *more]


def _grouped(cells: Sequence[str], query: str) -> str:
    return f"SELECT {', '.join(cells)}, count(*) AS n FROM ({query}) GROUP BY ALL"  # noqa: S608


def _counted(count: _Count, grouped: str) -> Tally:
    """Make the table `kind` of a query of keys and their number, and return it in numbers."""
    connection, columns, keys = count.connection, count.columns, count.keys
    winner = keys[2 : 2 + len(columns.winner)]
    rest = keys[2 + len(columns.winner) :]
    weight = rest[: columns.weight is not None]
    category = rest[len(weight) :]
    connection.execute(f"CREATE TEMP TABLE kind AS {grouped}")
    _number(connection, "name", ["v0"], "SELECT v0 FROM kind UNION SELECT v1 FROM kind")
    if winner:
        _number(connection, "winner", winner, "SELECT * FROM kind")
    if weight:
        _number(connection, "weight", weight, "SELECT * FROM kind")
    if category:
        _number(connection, "category", category, "SELECT * FROM kind")
    joins = "JOIN name AS a USING (v0) JOIN name AS b ON kind.v1 = b.v0"
    more = {"winner": winner, "weight": weight, "category": category}
    codes = ", ".join(["a.code AS a", "b.code AS b", *(_code(name, cells) for name, cells in more.items())])
    # Sorted, so that sums of weights do not depend on the number of threads.
    sql = (
        f"SELECT {codes}, n FROM kind {joins} "  # noqa: S608
        f"{' '.join(_join(name, cells) for name, cells in more.items())} ORDER BY ALL"
    )
    counts = _arrays(connection, sql)
    return Tally(
        names=[cells[0] for cells in _listed(connection, "name", ["v0"])],
        winners=_listed(connection, "winner", winner),
        weights=[cells[0] if cells else "" for cells in _listed(connection, "weight", weight)],
        left=counts["a"],
        right=counts["b"],
        winner=counts["winner"],
        weight=counts["weight"],
        category=counts["category"] if category else None,
        categories=[cells[0] for cells in _listed(connection, "category", category)] if category else (),
        counts=counts["n"],
        judge=columns.judge,
        preference=columns.is_preference,
        ranks=columns.is_ranks,
        weighted=columns.weight is not None,
        path=count.source.name,
        line_of=partial(_line_of, count.source, count.names, columns),
    )


def _by_kind(count: _Count) -> Tally:
    """Count by kind, and by judge where there is one, unless that gives too many cells."""
    if count.columns.judge is None:
        return _counted(count, _grouped(count.keys, count.query))
    columns, remarks = usable(count.columns, _judged(count, count.query))
    count = replace(count, columns=columns)
    if columns.judge is None:
        return replace(_counted(count, _grouped(count.keys, count.query)), remarks=remarks)
    keys, judge = count.keys, count.codes["grouped"]
    tally = _counted(count, _grouped(keys, count.query))
    _number(count.connection, "code_rows", keys, "SELECT * FROM kind")
    _number(count.connection, "code_grouped", [judge], count.query)
    # Texts of millions of cells do not fit in memory, so cells are counted by hashes, after a check that these have no
    # collisions.
    salt = next(i for i in range(100) if not _collide(count, "code_rows", keys, i))
    other = next(i for i in range(100) if not _collide(count, "code_grouped", [judge], i))
    hashed = f"SELECT {_hash(keys, salt)} AS k, {_hash([judge], other)} AS j FROM ({count.query})"  # noqa: S608
    counted = f"SELECT k, j, count(*) AS n FROM ({hashed}) GROUP BY ALL"  # noqa: S608
    counts = _arrays(
        count.connection,
        f"SELECT r.code AS rows, g.code AS grouped, n AS times FROM ({counted}) "  # noqa: S608
        f"JOIN (SELECT code, {_hash(keys, salt)} AS k FROM code_rows) AS r USING (k) "
        f"JOIN (SELECT code, {_hash([judge], other)} AS j FROM code_grouped) AS g USING (j) ORDER BY ALL",
    )
    return replace(tally, rows=counts["rows"], times=counts["times"], group=counts["grouped"])


def _hash(cells: Sequence[str], salt: int) -> str:
    return f"hash({', '.join(cells)}, {salt})"


def _collide(count: _Count, table: str, cells: Sequence[str], salt: int) -> bool:
    """Whether two keys of a table have the same hash."""
    sql = f"SELECT count(*) - count(DISTINCT {_hash(cells, salt)}) FROM {table}"  # noqa: S608
    return count.one(sql)[0] > 0


def _with_rows(count: _Count) -> Tally:
    if count.columns.covariates or count.columns.whole:
        n_rows = count.one(f"SELECT count(*) FROM ({count.query})")[0]  # noqa: S608
        if count.columns.whole and n_rows > battle_columns.MOST_ROWS:
            fewer = replace(count.columns, item=None, covariates=())
            tally = _by_kind(replace(count, columns=fewer))
            return replace(tally, remarks=(*tally.remarks, too_many_note(n_rows)))
        refuse_too_many(n_rows, path=count.source.name)
    # A table in the order of the file: its rowid restores the order of the rows after the joins.
    count.connection.execute(f"CREATE TEMP TABLE battle AS {count.query}")
    covariates, names, remarks = _covariates(count)
    count, gaps = _with_roles(count)
    tally = _counted(count, _grouped(count.keys, "SELECT * FROM battle"))
    rows = _arrays(count.connection, _coded(count))
    names_segments = count.columns.names_items and "segment" in rows
    return replace(
        tally,
        rows=rows["rows"],
        segment=rows.get("segment"),
        segments=[name for (name,) in _listed(count.connection, "code_segment", [count.codes["segment"]])]
        if names_segments
        else (),
        item=count.columns.item if count.columns.item == count.columns.maybe_item else None,
        group=rows.get("grouped"),
        covariates=covariates,
        covariate_names=names,
        remarks=(*remarks, *gaps),
    )


def _with_roles(count: _Count) -> tuple[_Count, tuple[str, ...]]:
    """Return the counts with the segments and judges that can be used, and the reasons why others cannot."""
    remarks: tuple[str, ...] = ()
    cells = count.codes
    if count.columns.item is not None:
        if count.columns.needs_item:
            _check_filled(count, "SELECT * FROM battle", "segment", count.columns.item)
        n_empty, n_rows = count.one(
            f"SELECT count(*) FILTER (WHERE {_is_empty(cells['segment'])}), count(*) FROM battle"  # noqa: S608
        )
        if n_empty:
            remarks = (gaps_note(count.columns.item, n_empty, n_rows, "segment"),)
            cells = {role: cell for role, cell in cells.items() if role != "segment"}
    if count.columns.judge is not None:
        columns, more = usable(count.columns, _judged(count, "SELECT * FROM battle"))
        remarks = (*remarks, *more)
        if columns.judge is None:
            count = replace(count, columns=replace(columns, judge=None))
            cells = {role: cell for role, cell in cells.items() if role != "grouped"}
    return replace(count, coded=cells), remarks


def _coded(count: _Count) -> str:
    """Return the SQL that gives the number of the kind and of the other codes of each row of the table `battle`."""
    # The kinds are sorted by the codes of their cells, which is the order of the cells themselves.
    _number(count.connection, "code_rows", count.keys, "SELECT * FROM kind")
    joins = [_join("code_rows", count.keys)]
    for role, cell in count.codes.items():
        _number(count.connection, f"code_{role}", [cell], "SELECT * FROM battle")
        joins.append(_join(f"code_{role}", [cell]))
    codes = ", ".join(f"code_{role}.code AS {role}" for role in ("rows", *count.codes))
    return f"SELECT {codes} FROM battle {' '.join(joins)} ORDER BY battle.rowid"  # noqa: S608


def _covariates(count: _Count) -> tuple[FloatArray | None, tuple[str, ...], tuple[str, ...]]:
    """Return rows × covariates of the table `battle`, their names, and the reasons why others are left out."""
    cell = len(count.keys) + len(count.codes)
    expressions, names, remarks = [], [], []
    for covariate in count.columns.covariates:
        # One column is the difference itself, two are left's and right's.
        cells = [f"v{i}" for i in range(cell, cell + len(covariate.places))]
        cell += len(cells)
        if covariate.is_requested:
            for name, column in zip(cells, covariate.columns, strict=True):
                _check_numbers(count, name, column)
        elif odd := _n_odd(count, cells):
            n_rows = count.one("SELECT count(*) FROM battle")[0]
            remarks.append(gaps_note(covariate.name, odd, n_rows, "number"))
            continue
        names.append(covariate.name)
        expressions.append(" - ".join(f"{name}::DOUBLE" for name in cells))
    if not expressions:
        return None, (), tuple(remarks)
    listed = ", ".join(f"{expression} AS x{i}" for i, expression in enumerate(expressions))
    values = count.connection.execute(f"SELECT {listed} FROM battle ORDER BY rowid").fetchnumpy()  # noqa: S608
    columns = [np.asarray(values[f"x{i}"], dtype=np.float64) for i in range(len(names))]
    return np.column_stack(columns), tuple(names), tuple(remarks)


def _odd(cell: str) -> str:
    return f"(contains({cell}, '_') OR NOT coalesce(isfinite(TRY_CAST({cell} AS DOUBLE)), false))"


def _n_odd(count: _Count, cells: Sequence[str]) -> int:
    return count.one(f"SELECT count(*) FROM battle WHERE {' OR '.join(map(_odd, cells))}")[0]  # noqa: S608


def _check_numbers(count: _Count, cell: str, column: str) -> None:
    sql = f"SELECT rowid + 1, {cell} FROM battle WHERE {_odd(cell)} ORDER BY rowid LIMIT 1"  # noqa: S608
    row = count.connection.execute(sql).fetchone()
    if row:
        line = line_of_row(count.source, int(row[0]))
        raise bad_covariate(column, str(row[1]), path=count.source.name, line=line, row=int(row[0]))


def _judged(count: _Count, relation: str) -> Judged:
    """Inspect the judges before counting by them; raise on missing values where the judges were requested."""
    cell = count.codes["grouped"]
    if count.columns.needs_judge and count.columns.judge is not None:
        _check_filled(count, relation, "grouped", count.columns.judge)
    # Estimates take one pass and no memory; a few judges are counted exactly.
    sql = (
        f"SELECT count(*), count(*) FILTER (WHERE {_is_empty(cell)}), approx_count_distinct({cell}), "  # noqa: S608
        f"approx_count_distinct(hash({', '.join([*count.keys, cell])})) FROM ({relation})"
    )
    n_rows, n_empty, n_judges, n_cells = count.one(sql)
    if n_judges < 10 * FEWEST_JUDGES:
        n_judges = count.one(f"SELECT count(*) FROM (SELECT {cell} FROM ({relation}) GROUP BY ALL)")[0]  # noqa: S608
    return Judged(n_rows, n_empty, n_judges, n_cells)


def _is_empty(cell: str) -> str:
    return missing_sql(cell)


def _check_filled(count: _Count, relation: str, role: str, column: str) -> None:
    condition = _is_empty(count.codes[role])
    n_empty = count.one(f"SELECT count(*) FROM ({relation}) WHERE {condition}")[0]  # noqa: S608
    if n_empty:
        row = count.row_where(relation, condition)
        line = line_of_row(count.source, row)
        raise empty_judge(column, n_empty, path=count.source.name, line=line, row=row)


def _cells(start: int, end: int) -> list[str]:
    return [f"v{i}" for i in range(start, end)]


def _number(connection: duckdb.DuckDBPyConnection, table: str, keys: Sequence[str], query: str) -> None:
    """Make a table that numbers the distinct keys of `query` in their order."""
    listed = ", ".join(keys)
    code = f"row_number() OVER (ORDER BY {listed}) - 1 AS code"
    sql = f"SELECT {listed}, {code} FROM (SELECT DISTINCT {listed} FROM ({query}))"  # noqa: S608
    connection.execute(f"CREATE TEMP TABLE {table} AS {sql}")


def _code(table: str, keys: Sequence[str]) -> str:
    return f"{table}.code AS {table}" if keys else f"0::BIGINT AS {table}"


def _join(table: str, keys: Sequence[str]) -> str:
    return f"JOIN {table} USING ({', '.join(keys)})" if keys else ""


def _listed(connection: duckdb.DuckDBPyConnection, table: str, keys: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the keys of a table that numbers them, in their order; the empty key where there are none."""
    if not keys:
        return [()]
    return connection.execute(f"SELECT {', '.join(keys)} FROM {table} ORDER BY code").fetchall()  # noqa: S608


def _arrays(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, IntArray]:
    arrays = connection.execute(sql).fetchnumpy()
    return {name: np.asarray(column, dtype=np.int64) for name, column in arrays.items()}


def _line_of(source: Source, names: Sequence[str], columns: BattleColumns, kind: OutcomeKind) -> int | None:
    """Find the first row of a kind by reading the file once more; only for error messages."""
    keys = _key_columns(columns)
    cells = [kind.left, kind.right, *kind.winner, *([] if columns.weight is None else [kind.weight])]
    cells += [] if columns.category is None else [kind.category]
    where = " AND ".join(f"v{i} = {literal(cell)}" for i, cell in enumerate(cells))
    numbered = f"SELECT *, row_number() OVER () AS row FROM ({text_query(source, names, keys)})"  # noqa: S608
    with connect(engine_file(source)) as connection:
        row = connection.execute(f"SELECT min(row) FROM ({numbered}) WHERE {where}").fetchone()  # noqa: S608
    return line_of_row(source, int(row[0])) if row and row[0] is not None else None
