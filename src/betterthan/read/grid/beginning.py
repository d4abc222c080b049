"""The beginning of a file: its container, delimiter, header and first rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from itertools import islice
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

from betterthan.errors import ReadError
from betterthan.read.grid.delimited import column_names
from betterthan.read.source.source import HEAD_BYTES, Source

Container = Literal["delimited", "json", "jsonl", "parquet"]
DELIMITERS = (",", "\t", ";", "|")
MOST_COLUMNS = 20_000
_SAMPLE = 50

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Peek:
    """The beginning of a file, parsed.

    Attributes
    ----------
    container : {"delimited", "json", "jsonl", "parquet"}
        "json" is an array of objects.
    header : tuple of str
        The names of the columns; for JSON lines the keys of the first objects.
    rows : list of lists
        At most 50, as far as they could be parsed; shorter rows are padded with None.
    delimiter : str
        Delimiter of a delimited file.
    """

    container: Container
    header: tuple[str, ...]
    rows: Sequence[Sequence[Any]] = field(repr=False)
    delimiter: str = ","

    def column(self, position: int) -> list[Any]:
        """Return the sampled cells of a column."""
        return [row[position] for row in self.rows]


_seen: WeakKeyDictionary[Source, Peek | ReadError] = WeakKeyDictionary()


def peek(source: Source) -> Peek:
    """Inspect a source; the result, or the error, is cached as long as the source lives."""
    if source not in _seen:
        try:
            _seen[source] = _look(source)
        except ReadError as error:
            _seen[source] = _again(error)
            raise
    look = _seen[source]
    if isinstance(look, ReadError):
        raise _again(look)
    return look


def once(look: Callable[[Source], T]) -> Callable[[Source], T]:
    """Cache the result of a function of a file as long as the source lives; folders may change in between."""
    answers: WeakKeyDictionary[Source, T] = WeakKeyDictionary()

    @wraps(look)
    def remembered(source: Source) -> T:
        if source.is_folder:
            return look(source)
        if source not in answers:
            answers[source] = look(source)
        return answers[source]

    return remembered


def _again(error: ReadError) -> ReadError:
    """Return a copy of an error without the frames that would keep the source and its temporary file alive."""
    return ReadError(error.message, path=error.path, line=error.line, code=error.code)


def _look(source: Source) -> Peek:
    if source.is_parquet:
        # Imported here so that a look at text does not load the engine.
        from betterthan.read.grid.duck import parquet_rows  # noqa: PLC0415

        return Peek(container="parquet", **parquet_rows(source, _SAMPLE))
    lines = first_lines(source)
    if source.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"[":
        header, rows = _columns_of(_array_start(source.head))
        return Peek(container="json", header=header, rows=rows)
    if source.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        header, rows = _json_rows(lines)
        return Peek(container="jsonl", header=header, rows=rows)
    delimiter = find_delimiter(lines)
    records = _records(lines, delimiter)
    header = column_names(records[0]) if records else ()
    width = len(header)
    if width > MOST_COLUMNS:
        # Not a table: every reader would inspect every cell for nothing.
        return Peek(container="delimited", header=(), rows=[], delimiter=delimiter)
    rows = [[*record[:width], *[None] * (width - len(record))] for record in records[1:]]
    return Peek(container="delimited", header=header, rows=rows, delimiter=delimiter)


def first_lines(source: Source) -> list[str]:
    """Return at most 51 whole lines, with their line ends."""
    whole = len(source.head) < HEAD_BYTES
    if whole or source.head.count(b"\n") >= 2:
        lines = source.head.decode("utf-8-sig", errors="replace").split("\n")
        whole_lines = lines if whole else lines[:-1]
        return [line + "\n" for line in whole_lines[: _SAMPLE + 1]]
    return [line + "\n" for line in islice(source.lines(), 3)]


def beginning_text(source: Source) -> str:
    """Return the first 64 KB as text; if fewer than two lines end there, the first three lines."""
    if source.is_parquet or len(source.head) < HEAD_BYTES or source.head.count(b"\n") >= 2:
        return source.head.decode("utf-8-sig", errors="replace")
    return "".join(first_lines(source))


def find_delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter that splits most lines into the same number of cells as the header, more than one."""

    def fit(delimiter: str) -> tuple[bool, float, int]:
        records = _records(lines, delimiter)
        width = len(records[0]) if records else 0
        same = sum(len(record) == width for record in records)
        return width > 1, same / max(len(records), 1), width

    return max(DELIMITERS, key=fit)


def _records(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    filled = [line for line in lines if line.strip("\r\n")]
    if delimiter == "\t" and len({line.count("\t") for line in filled}) == 1:
        return [_cells(line) for line in filled]  # no cell spans several lines
    records: list[list[str]] = []
    reader = csv.reader(io.StringIO("".join(lines), newline="\n"), delimiter=delimiter)
    # A partial parse is enough here; reading the file reports the error.
    with suppress(csv.Error):
        records.extend(record for record in reader if record)
    return records


def _cells(line: str) -> list[str]:
    """Return the cells of a line with tabs; quotes are text unless they enclose a whole cell."""
    texts = line.rstrip("\r\n").split("\t")
    cells = texts
    if '"' in line:
        with suppress(csv.Error):
            cells = next(csv.reader([line], delimiter="\t"), texts)
    return cells if len(cells) == len(texts) else texts


def _json_rows(lines: Sequence[str]) -> tuple[tuple[str, ...], list[list[Any]]]:
    objects = []
    for line in lines:
        try:
            parsed = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(parsed, dict):
            objects.append(parsed)
    return _columns_of(objects)


def _array_start(head: bytes) -> list[dict[str, Any]]:
    """Return the objects at the beginning of a JSON array that may be truncated."""
    text = head.decode("utf-8-sig", errors="replace").lstrip().removeprefix("[")
    decoder = json.JSONDecoder()
    objects: list[dict[str, Any]] = []
    with suppress(ValueError, RecursionError):
        while len(objects) < _SAMPLE:
            parsed, end = decoder.raw_decode(text.lstrip(" \t\r\n,"))
            if not isinstance(parsed, dict):
                break
            objects.append(parsed)
            text = text.lstrip(" \t\r\n,")[end:]
    return objects


def _columns_of(objects: Sequence[dict[str, Any]]) -> tuple[tuple[str, ...], list[list[Any]]]:
    header = tuple(dict.fromkeys(key for parsed in objects for key in parsed))
    return header, [[parsed.get(key) for key in header] for parsed in objects]
