"""DuckDB, locked to the files it was opened for, and the grid that is read with it."""

from __future__ import annotations

import csv
import functools
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from betterthan import budget, scratch
from betterthan.arrays import FloatArray
from betterthan.errors import OverBudget, ReadError
from betterthan.messages import SIZE, Message, Option
from betterthan.read.grid.beginning import MOST_COLUMNS, Peek
from betterthan.read.grid.delimited import (
    Quoting,
    RegularText,
    header_of,
    numbered_records,
    read_quotes,
    record_line,
)
from betterthan.read.grid.grid import Labels, compact, nested_label
from betterthan.read.grid.json_lines import check_keys, check_objects, object_line
from betterthan.read.grid.numerals import mark_large, missing_sql, number_sql
from betterthan.read.source.packed import Spool
from betterthan.read.source.source import A_ROW, LONGEST_LINE, Source, open_text, require_rows, small_text

if TYPE_CHECKING:
    import duckdb


# DuckDB, locked to the files it is opened for.
#
# Nothing in a file is trusted: the connection may touch the files it was opened for, cannot load extensions
# or reach the network, and cannot be reconfigured by the SQL that runs in it.


def connect(source: Source) -> duckdb.DuckDBPyConnection:
    """Return an in-memory connection that can read `source`'s file and nothing else."""
    return connect_to([source.path])


def connect_to(paths: Iterable[Path]) -> duckdb.DuckDBPyConnection:
    """Return an in-memory connection that can read and write these files and nothing else.

    Beyond its share of the memory budget the engine spills to a temporary folder, which is deleted with the connection.
    """
    import duckdb  # noqa: PLC0415  (the engine takes a tenth of a second to load)

    spill = tempfile.mkdtemp(prefix="spill-", dir=scratch.folder())
    connection = duckdb.connect(
        config={
            "temp_directory": spill,
            "max_temp_directory_size": f"{_most_spilled(spill) >> 10}KiB",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "memory_limit": f"{budget.engine_memory() >> 10}KiB",
        }
    )
    weakref.finalize(connection, shutil.rmtree, spill, ignore_errors=True)
    # In a notebook without ipywidgets there is no progress bar, and the engine refuses to turn it off.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")  # it would appear in the middle of the output
    allowed = ", ".join(path_literal(path) for path in paths)
    connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _most_spilled(folder: str) -> int:
    """Return how much the engine may write to disk, leaving space for others."""
    return min(budget.most_unpacked(), shutil.disk_usage(folder).free // 2)


def scan(function: str, *sources: Source, **options: str) -> str:
    """Return the SQL of a table function over files, without partition columns from their paths.

    By default the engine treats a folder called ``score=7`` as a column, whose value replaces the file's own.

    Parameters
    ----------
    function : str
        Such as ``"read_parquet"``.
    *sources : Source
    **options : str
        Further arguments, as SQL.
    """
    paths = ", ".join(path_literal(source.path) for source in sources)
    all_options = {**options, "hive_partitioning": "false"}
    listed = ", ".join(f"{name} = {value}" for name, value in all_options.items())
    return f"{function}({paths if len(sources) == 1 else f'[{paths}]'}, {listed})"


def delimited_scan(file: Source, delimiter: str, n_columns: int) -> str:
    """Return the SQL of a regular table of text; its columns are texts called ``c0``, ``c1``, ….

    They are numbered, because the engine does not distinguish "Left" from "left".
    """
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(n_columns))
    return scan(
        "read_csv",
        file,
        auto_detect="false",
        header="true",
        delim=literal(delimiter),
        quote="'\"'",
        escape="'\"'",
        strict_mode="true",
        max_line_size=str(LONGEST_LINE),
        # By default the engine allocates sixteen lines of that length, 256 MB, for any compressed file.
        buffer_size=str(2 * LONGEST_LINE),
        columns=f"{{{columns}}}",
        compression="'gzip'" if file.is_gzip else "'uncompressed'",
    )


def path_literal(path: Path) -> str:
    """Return a path as an SQL string that matches this file only.

    The engine reads ``[1]``, ``*`` and ``?`` in a path as a pattern, and has no way to quote them; such a file is
    opened through a link with a plain name.
    """
    path = path.resolve()
    if not _PATTERN & set(str(path)):
        return literal(str(path))
    return literal(str(_link(path)))


_PATTERN = frozenset("*?[")


@functools.cache
def _link(path: Path) -> Path:
    """Return a link to a file; it exists until the process ends, because queries use its name."""
    link = Path(tempfile.mkdtemp(prefix="link-", dir=scratch.folder())) / "file"
    link.symlink_to(path)
    return link


def literal(text: str) -> str:
    """Return `text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return `name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def is_out_of_memory(error: Exception) -> bool:
    """Whether the engine exceeded its memory limit, or its limit of temporary files."""
    import duckdb  # noqa: PLC0415

    return isinstance(error, MemoryError | duckdb.OutOfMemoryException) or "bad_alloc" in str(error)


def read_error(error: Exception, source: Source) -> ReadError:
    """Convert an error of DuckDB about a file, without its advice on its own options."""
    if is_out_of_memory(error):
        return source.error(budget.out_of_memory().text, code=OverBudget.code)
    first = str(error).split("\n", 1)[0].removesuffix(".")
    return source.error(f"The file cannot be read as a table ({first}).", code="BT010")


# Parquet, and text too large to hold, as a grid in DuckDB.
#
# Labels never reach Python row by row: the distinct ones become an ENUM type inside DuckDB, and only their codes are
# fetched. DuckDB reads the text itself where it parses it like Python, else an unambiguous copy, so that a table does
# not depend on whether its file was small enough for Python to parse.


# ruff: noqa: S608  (identifiers and paths are quoted by `duck`, and the engine is locked to one file)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineText:
    """A file that the engine can read, and how the quotes of the original are read."""

    file: Source = field(repr=False)
    quoting: Quoting = csv.QUOTE_MINIMAL


# Without the source itself, which would keep its own entry alive forever.
_seen: WeakKeyDictionary[Source, tuple[Source | None, Quoting]] = WeakKeyDictionary()


def engine_text(source: Source, delimiter: str, look: RegularText | None = None) -> EngineText:
    """Return a delimited file for the engine; inspected once, as long as the source lives.

    Parameters
    ----------
    source : Source
    delimiter : str
    look : RegularText, optional
        After inspecting the whole file; without it, every byte is checked here.

    Raises
    ------
    ReadError
        When the file is not plain text, as :func:`~betterthan.read.source.source.small_text` does, for quotes that may
        hide rows (BT240), and for malformed rows (BT012, BT015).
    """
    if source not in _seen:
        look = look or _looked_at(source, delimiter)
        quoting = read_quotes(source, delimiter, look, lambda: open_text(source))
        _seen[source] = (None if look.is_regular else _copied(source, delimiter, quoting), quoting)
    copy, quoting = _seen[source]
    return EngineText(file=copy or source, quoting=quoting)


def check_quotes(source: Source, delimiter: str) -> None:
    """Raise when quotes may hide rows (BT240), for readers that parse a delimited file themselves."""
    read_quotes(source, delimiter, _looked_at(source, delimiter), lambda: open_text(source))


def _looked_at(source: Source, delimiter: str) -> RegularText:
    look = RegularText(delimiter)
    small_text(source, limit=0, see=look.see)
    look.end()
    return look


def _copied(source: Source, delimiter: str, quoting: Quoting) -> Source:
    """Write a table again with every cell in quotes."""
    descriptor, spool = tempfile.mkstemp(prefix="spool-", dir=scratch.folder())
    path = Path(spool)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file, open_text(source) as lines:
            write = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
            records = (record for _, record in numbered_records(lines, source, delimiter, quoting=quoting))
            # The names are passed to the engine, and a line break in one of them would confuse it.
            write.writerow(f"c{i}" for i, _ in enumerate(next(records, ())))
            write.writerows(records)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return replace(source, path=path, is_gzip=False, spool=Spool(path))


_TEXT = "VARCHAR"
_FEW_COLUMNS = 200
_A_TEXT = 150  # bytes of a Python string and its row, besides its characters
# Even a column of right and wrong takes a bit. A file with more rows is refused at a quarter of the budget: it would be
# a minute of work and gigabytes of one repeated value.
_MOST_IN_A_BYTE = 8
_CAREFUL = 4
_NUMERIC = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL",
    "U",
    "BOOLEAN",
)


@dataclass(slots=True, kw_only=True)
class DuckGrid:
    """A grid whose columns are expressions over one scan of a file."""

    source: Source
    header: tuple[str, ...]
    expressions: tuple[str, ...] = field(repr=False)
    types: tuple[str, ...] = field(repr=False)
    scan: str = field(repr=False)
    delimiter: str | None
    connection: duckdb.DuckDBPyConnection = field(repr=False)
    text: EngineText | None = field(
        default=None, repr=False
    )  # a temporary copy is deleted with its last reference
    n_rows: int = 0
    # A column of ids is requested several times in a row; only one is cached, because names take much memory.
    last_labels: tuple[int, Labels] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The file, as the user named it."""
        return self.source.name

    @property
    def quoting(self) -> Quoting:
        """How the quotes of a delimited file are read."""
        return csv.QUOTE_MINIMAL if self.text is None else self.text.quoting

    def numbers(self, columns: Sequence[int]) -> FloatArray:
        """Return columns × rows; NaN is missing and infinity is not a number."""
        if not columns:
            return np.empty((0, self.n_rows))
        # Once as returned by the engine, and once as returned from here.
        self._require(2 * 8 * len(columns), f"{len(columns):,} columns of numbers")
        expressions = ", ".join(f"{self._number(column)} AS n{i}" for i, column in enumerate(columns))
        fetched = self.fetch(f"SELECT {expressions} FROM {self.scan}").fetchnumpy()
        values = np.empty((len(columns), self.n_rows))
        for i in range(len(columns)):
            # A number can still be masked: some versions do not read 1e400 as DOUBLE.
            values[i] = np.ma.filled(fetched.pop(f"n{i}"), np.inf)
        return mark_large(values)

    def _number(self, column: int) -> str:
        expression, kind = self.expressions[column], self.types[column]
        if kind == _TEXT:
            return number_sql(expression)
        if kind.startswith(_NUMERIC) and not kind.startswith(("UUID", "UNION")) and "[" not in kind:
            return f"coalesce(CAST({expression} AS DOUBLE), 'nan'::DOUBLE)"
        return f"CASE WHEN {expression} IS NULL THEN 'nan'::DOUBLE ELSE 'inf'::DOUBLE END"

    def labels(self, column: int) -> Labels:
        """Return a column of names."""
        if self.last_labels is None or self.last_labels[0] != column:
            self.last_labels = None
            self.last_labels = column, self._fetched_labels(column)
        return self.last_labels[1]

    def _fetched_labels(self, column: int) -> Labels:
        expression = self._text(column)
        self._check_flat(column)
        self._require(16, "a column of names")
        kind, table = f"names_{column}", f"distinct_{column}"
        self.fetch(f"DROP TYPE IF EXISTS {kind}")
        distinct = f"SELECT DISTINCT {expression} AS name FROM {self.scan}"
        names = f"SELECT name FROM ({distinct}) WHERE NOT {missing_sql('name')}"
        # Not enum_range, which makes one value of all names: half a gigabyte for a million.
        self.fetch(f"CREATE OR REPLACE TEMP TABLE {table} AS {names}")
        self.fetch(f"CREATE TYPE {kind} AS ENUM (SELECT name FROM {table})")
        listed = self.fetch(f"SELECT name FROM {table} ORDER BY enum_code(CAST(name AS {kind}))").fetchnumpy()
        self.fetch(f"DROP TABLE {table}")
        query = f"SELECT enum_code(TRY_CAST({expression} AS {kind})) AS code FROM {self.scan}"
        fetched: Any = self.fetch(query).fetchnumpy()["code"]
        codes = np.asarray(np.ma.getdata(fetched)).astype(np.int32)
        codes[np.ma.getmaskarray(fetched)] = -1
        return compact(Labels(codes, tuple(listed["name"].tolist())))

    def _check_flat(self, column: int) -> None:
        """Refuse objects and lists as names."""
        if self.types[column].endswith(("]", ")")) and not self.types[column].startswith(("DECIMAL", "ENUM")):
            raise nested_label(self, 0, column)
        if self.delimiter is None and not self.source.is_parquet:
            self._check_json_names(column)

    def _check_json_names(self, column: int) -> None:
        text = self._text(column)
        look = f"SELECT count(*) FROM {self.scan} WHERE {text}[1] IN ('{{', '[')"
        if not (self.fetch(look).fetchone() or (0,))[0]:
            return
        kind = f"json_type(json, {literal(_json_pointer(self.header[column]))})"
        query = f"SELECT coalesce({kind} IN ('OBJECT', 'ARRAY'), false) AS odd FROM {_json_scan(self.source)}"
        odd = np.asarray(self.fetch(query).fetchnumpy()["odd"])
        if odd.any():
            raise nested_label(self, int(np.argmax(odd)), column)

    def _text(self, column: int) -> str:
        expression = self.expressions[column]
        return expression if self.types[column] == _TEXT else f"CAST({expression} AS VARCHAR)"

    def texts(self, column: int) -> list[str]:
        """Return a column of texts; an empty cell is an empty text."""
        # A text that occurs in every row takes hardly any space in Parquet, but a great deal here.
        rows = self.fetch(
            f"SELECT coalesce(sum(strlen({self._text(column)})), 0) FROM {self.scan}"
        ).fetchone()
        n_bytes = int(rows[0]) if rows else 0
        self._require(_A_TEXT + n_bytes / max(self.n_rows, 1), "a column of texts")
        fetched = self.fetch(f"SELECT {self._text(column)} FROM {self.scan}").fetchall()
        return ["" if row[0] is None else row[0] for row in fetched]

    def require_table(self) -> None:
        """Refuse a table before its first column is fetched when the finished table would not fit."""
        require_rows(self.n_rows, self.name)
        size = self.source.path.stat().st_size
        needed = _CAREFUL * A_ROW * self.n_rows
        if self.source.is_parquet and self.n_rows > _MOST_IN_A_BYTE * size and needed > budget.memory():
            raise self.source.error(
                Message(
                    "The file claims {rows:,} rows in {size}, which suggests a damaged or hostile file. If this is "
                    "intended, write it as CSV, or raise the budget with {memory}.",
                    rows=self.n_rows,
                    size=budget.shown(size),
                    memory=Option("memory", SIZE),
                ),
                code="BT336",
            )

    def _require(self, bytes_each: float, what: str) -> None:
        """Raise when a column exceeds the budget: a Parquet file of a megabyte can hold a billion rows."""
        try:
            budget.require(bytes_each * self.n_rows, f"Reading {what} with {self.n_rows:,} rows")
        except OverBudget as error:
            raise ReadError(error.text, path=self.name, code=error.code) from error

    def cell(self, row: int, column: int) -> str:
        """Return a cell as text, for messages."""
        query = f"SELECT {self._text(column)} FROM {self.scan} LIMIT 1 OFFSET {row}"
        fetched = self.fetch(query).fetchone()
        return "" if fetched is None or fetched[0] is None else str(fetched[0])

    def line(self, row: int) -> int | None:
        """Return the line of the file on which a row begins; Parquet has none."""
        if self.source.is_parquet:
            return None
        if self.delimiter is None:
            return object_line(self.source, row)
        return record_line(self.source, self.delimiter, row, quoting=self.quoting)

    def fetch(self, query: str) -> duckdb.DuckDBPyConnection:
        """Run a query; errors of the engine are converted."""
        import duckdb  # noqa: PLC0415

        try:
            return self.connection.execute(query)
        except duckdb.Error as error:
            raise self._fault(error) from error

    def _fault(self, error: duckdb.Error) -> ReadError:
        # The engine's message names its own options; a second, slower pass reports the line instead.
        if not self.source.is_parquet and not is_out_of_memory(error):
            if self.delimiter is None:
                check_objects(self.source)
            else:
                lines = (f"{line}\n" for line in self.source.lines())
                for _ in numbered_records(lines, self.source, self.delimiter, quoting=self.quoting):
                    pass
        return _unreadable(error, self.source)


def _unreadable(error: duckdb.Error, source: Source) -> ReadError:
    if is_out_of_memory(error):
        return read_error(error, source)
    first_line = str(error).split("\n", 1)[0].replace(path_literal(source.path)[1:-1], "the file")
    reason = " ".join(first_line.split())[:120].removesuffix(".")
    if source.is_parquet:
        what = f"The Parquet file is truncated or damaged ({reason}). Copy or write it again."
        return source.error(what, code="BT024")
    return source.error(f"The file cannot be read as a table ({reason}).", code="BT010")


def parquet_rows(source: Source, limit: int) -> dict[str, Any]:
    """Return the header and the first rows of a Parquet file."""
    grid = parquet_grid(source, count=False)
    try:
        rows = grid.fetch(f"SELECT * FROM {grid.scan} LIMIT {limit}").fetchall()
    finally:
        grid.connection.close()
    return {"header": grid.header, "rows": [list(row) for row in rows]}


def parquet_grid(source: Source, *, count: bool = True) -> DuckGrid:
    """Open a Parquet file."""
    if source.is_gzip:
        raise source.error(
            "Parquet inside gzip cannot be read. Decompress it first: gunzip FILE.", code="BT024"
        )
    grid = DuckGrid(
        source=source,
        header=(),
        expressions=(),
        types=(),
        scan=scan("read_parquet", source),
        delimiter=None,
        connection=connect(source),
    )
    with _closed_on_error(grid):
        described = grid.fetch(f"DESCRIBE SELECT * FROM {grid.scan}").fetchall()
        grid.header = _parquet_names(grid)
        grid.expressions = tuple(identifier(row[0]) for row in described)
        grid.types = tuple(row[1] for row in described)
        if count:
            _count(grid)
    return grid


def _parquet_names(grid: DuckGrid) -> tuple[str, ...]:
    """Return the names of the columns in the file: the engine renames a second ``A``, or ``a``, to ``A_1``."""
    schema = grid.fetch(
        f"SELECT name, num_children FROM parquet_schema({path_literal(grid.source.path)})"
    ).fetchall()
    names: list[str] = []
    inside = 0  # remaining nodes of the current column
    for name, n_children in schema[1:]:  # the first is the table itself
        if not inside:
            names.append(name)
        inside = max(inside - 1, 0) + (n_children or 0)
    return tuple(names)


@contextmanager
def _closed_on_error(grid: DuckGrid) -> Iterator[None]:
    try:
        yield
    except ReadError:
        grid.connection.close()
        raise


def large_text_grid(source: Source, look: Peek, seen: RegularText | None) -> DuckGrid:
    """Open a large text file that was checked to be plain text, and `seen` from end to end where it is delimited.

    The table is the one that `delimited_grid` makes.
    """
    text = EngineText(file=source) if seen is None else engine_text(source, look.delimiter, seen.end())
    grid = DuckGrid(
        source=source,
        header=look.header,
        expressions=(),
        types=(),
        scan="",
        delimiter=None if seen is None else look.delimiter,
        connection=connect(text.file),
        text=text,
    )
    with _closed_on_error(grid):
        if look.container == "delimited":
            grid.header = header_of(source, look.delimiter, quoting=text.quoting)
            grid.scan = delimited_scan(text.file, look.delimiter, len(grid.header))
            grid.expressions = tuple(f"c{i}" for i in range(len(grid.header)))
        else:
            _scan_json(grid)
        grid.types = (_TEXT,) * len(grid.header)
        if len(grid.header) <= _FEW_COLUMNS:
            _load(grid)
        _count(grid)
    return grid


def _load(grid: DuckGrid) -> None:
    """Parse the text once, into a table that spills to disk when it must; very wide text is parsed each time."""
    columns = ", ".join(f"{expression} AS c{i}" for i, expression in enumerate(grid.expressions))
    grid.fetch(f"CREATE TEMP TABLE loaded AS SELECT {columns} FROM {grid.scan}")
    grid.expressions = tuple(f"c{i}" for i in range(len(grid.header)))
    grid.scan = "loaded"
    grid.fetch("DROP TABLE IF EXISTS objects")


def _json_scan(source: Source) -> str:
    compression = "'gzip'" if source.is_gzip else "'uncompressed'"
    return scan("read_ndjson_objects", source, compression=compression, maximum_object_size=str(LONGEST_LINE))


def _scan_json(grid: DuckGrid) -> None:
    # Parsed from here on, so that the file is read once.
    grid.fetch(f"CREATE TEMP TABLE objects AS SELECT json FROM {_json_scan(grid.source)}")
    grid.scan = "objects"
    kinds = f"SELECT count(*) FROM {grid.scan} WHERE json_type(json) <> 'OBJECT'"
    odd = grid.fetch(kinds).fetchone()
    if odd is not None and odd[0]:
        check_objects(grid.source)
    # Count first, because in a hostile file every row has new ones.
    some = grid.fetch(
        f"SELECT DISTINCT unnest(json_keys(json)) AS key FROM {grid.scan} LIMIT {MOST_COLUMNS + 1}"
    ).fetchall()
    check_keys(len(some), grid.source)
    # In the order of the file, as in a small file; few objects differ in their keys.
    rows = grid.fetch(
        f"SELECT json_keys(json) AS keys FROM {grid.scan} GROUP BY keys ORDER BY min(rowid)"
    ).fetchall()
    if any(len(set(keys)) < len(keys) for (keys,) in rows):
        check_objects(grid.source)
    grid.header = tuple(dict.fromkeys(key for (keys,) in rows for key in keys))
    look = grid.fetch(f"SELECT count(*) FROM {grid.scan} WHERE contains(json, 'NaN')").fetchone()
    cell = _number_or_text if look is not None and look[0] else _text_at
    grid.expressions = tuple(cell(literal(_json_pointer(key))) for key in grid.header)


def _text_at(place: str) -> str:
    return f"(json ->> {place})"


def _number_or_text(place: str) -> str:
    """Return the SQL of a cell that is missing where it is the number NaN, but not where it is the text "NaN"."""
    is_nan = f"json_type(json, {place}) = 'DOUBLE' AND {_text_at(place)} = 'NaN'"
    return f"CASE WHEN {is_nan} THEN NULL ELSE {_text_at(place)} END"


def _json_pointer(key: str) -> str:
    """Return the path of a key; in a path the key ``*`` would match all of them."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _count(grid: DuckGrid) -> None:
    row = grid.fetch(f"SELECT count(*) FROM {grid.scan}").fetchone()
    grid.n_rows = 0 if row is None else int(row[0])
