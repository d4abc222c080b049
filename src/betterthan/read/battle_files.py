"""The columns of a table file, and the SQL that reads some of them as text.

Nothing is left to the engine's own sniffing, which may skip lines and change types: the delimiter comes from
the header, every column is text, and a row with too few or too many fields is an error.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from itertools import islice
from typing import IO

from betterthan.errors import ReadError
from betterthan.read.source import HEAD_BYTES, LONGEST_LINE, Source, open_source

_DELIMITERS = "\t,;|"


class _PlainLineEnds:
    r"""The bytes of a source with ``\r\r\n``, which a text mode used twice leaves behind, as ``\n``."""

    def __init__(self, name: str, stream: IO[bytes]) -> None:
        self.name = name
        self._stream = stream

    def read(self, size: int) -> bytes:
        """Return whole lines of about `size` bytes."""
        lines = self._stream.readlines(size) if size else []
        return b"".join(line.replace(b"\r\r\n", b"\n") for line in lines)


def with_plain_line_ends(source: Source) -> Source:
    r"""Return the source, or a copy of it when its header ends with ``\r\r\n``, which no parser takes.

    The files of the WMT16 relative ranking are such; the numbers of their lines stay the same.
    """
    first = source.head.split(b"\n", 1)[0]
    if source.is_parquet or not first.endswith(b"\r\r"):
        return source
    check_text(source)  # so that a damaged file is named before it is copied
    with source.open() as stream:
        return open_source(_PlainLineEnds(source.name, stream))  # type: ignore[arg-type]  # it has read()


def column_names(source: Source) -> list[str]:
    """Return the names of a table's columns, in the order of the file.

    Raises
    ------
    ReadError
        When the file is no table with a header (BT010), or is damaged.
    """
    if source.is_parquet:
        return _parquet_names(source)
    if _is_json(source):
        return list(_first_object(source))
    names = _header(source)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ReadError(
            f'The column "{twice[0]}" occurs twice in the header. Rename one of them.',
            path=source.name,
            line=1,
            code="BT010",
        )
    return names


def text_query(source: Source, names: Sequence[str], wanted: Sequence[str]) -> str:
    """Return the SQL that selects the `wanted` columns as text, named ``v0``, ``v1``, … in that order.

    `names` are all columns of the file; a missing cell is the empty text.
    """
    from betterthan.read.duck import identifier, literal  # noqa: PLC0415  (DuckDB is imported when needed)

    path = literal(str(source.path.resolve()))
    compression = "gzip" if source.is_gzip else "none"
    inner = [identifier(name) for name in wanted]
    if source.is_parquet:
        relation = f"read_parquet({path})"
    elif _is_json(source):
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in dict.fromkeys(wanted))
        layout = "array" if _text_head(source).lstrip().startswith("[") else "newline_delimited"
        relation = (
            f"read_json({path}, format = '{layout}', columns = {{{columns}}}, compression = '{compression}')"
        )
    else:
        # Columns are numbered, because the engine does not tell "Left" from "left".
        inner = [f"c{names.index(name)}" for name in wanted]
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
        relation = (
            f"read_csv({path}, auto_detect = false, header = true, delim = {literal(delimiter(source))}, "
            f"quote = '\"', escape = '\"', columns = {{{columns}}}, compression = '{compression}')"
        )
    cells = ", ".join(f"coalesce({name}::VARCHAR, '') AS v{i}" for i, name in enumerate(inner))
    return f"SELECT {cells} FROM {relation}"  # noqa: S608  (names and path are quoted above)


def line_of_row(source: Source, row: int) -> int | None:
    """Return the line on which data row `row` (from 1) ends in a CSV file or stands in JSONL; else None."""
    if source.is_parquet:
        return None
    if _is_json(source):
        filled = (number for number, line in enumerate(source.lines(), 1) if line.strip())
        return (
            None if _text_head(source).lstrip().startswith("[") else next(islice(filled, row - 1, None), None)
        )
    reader = csv.reader((line + "\n" for line in source.lines()), delimiter=delimiter(source))
    try:
        seen = -1
        for record in reader:
            seen += bool(record)
            if seen == row:
                return reader.line_num
    except csv.Error:  # a cell of more than 128 KiB
        return None
    return None


def delimiter(source: Source) -> str:
    """Return the delimiter that occurs most often in the header."""
    first = _text_head(source).split("\n", 1)[0]
    return max(_DELIMITERS, key=first.count)


def bad_json_line(source: Source) -> int | None:
    """Return the first line of a JSONL file that is no JSON object; None where there is none, or no lines."""
    if source.is_parquet or not _text_head(source).lstrip().startswith("{"):
        return None
    for number, line in enumerate(source.lines(), 1):
        try:
            fine = not line.strip() or isinstance(json.loads(line), dict)
        except (ValueError, RecursionError):
            fine = False
        if not fine:
            return number
    return None


def check_text(source: Source) -> None:
    """Read the bytes of a text file through, so that a cut gzip stream or a foreign encoding is named."""
    if not source.is_parquet:
        for _ in source.lines():
            pass


def _is_json(source: Source) -> bool:
    return _text_head(source).lstrip()[:1] in ("{", "[")


def _text_head(source: Source) -> str:
    return source.head.decode("utf-8-sig", errors="replace")


def _header(source: Source) -> list[str]:
    try:
        header = next(csv.reader(io.StringIO(_text_head(source), newline=""), delimiter=delimiter(source)))
    except (csv.Error, StopIteration) as error:
        raise _no_table(source) from error
    if len(header) < 2 or "\x00" in "".join(header):
        raise _no_table(source)
    return header


def _first_object(source: Source) -> dict[str, object]:
    text = _text_head(source).lstrip()
    found = _decodes(text)
    if not found and len(source.head) == HEAD_BYTES:  # a first record longer than the head: a conversation
        with source.open() as stream:
            found = _decodes(stream.read(LONGEST_LINE).decode("utf-8-sig", errors="replace").lstrip())
    if not found:
        raise _no_table(source)
    return found


def _decodes(text: str) -> dict[str, object]:
    start = text.removeprefix("[").lstrip()
    try:
        found, _ = json.JSONDecoder().raw_decode(start)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _parquet_names(source: Source) -> list[str]:
    import duckdb  # noqa: PLC0415  (imported when a file needs it)

    from betterthan.read.duck import connect, literal, read_error  # noqa: PLC0415

    path = literal(str(source.path.resolve()))
    try:
        with connect(source) as connection:
            found = connection.execute(f"DESCRIBE FROM read_parquet({path})").fetchall()
    except duckdb.Error as error:
        raise read_error(error, source) from error
    return [str(row[0]) for row in found]


def _no_table(source: Source) -> ReadError:
    return ReadError(
        "No table with a header of two or more columns was found here. "
        "Write CSV, TSV, JSON (lines or an array of objects) or Parquet.",
        path=source.name,
        code="BT010",
    )
