"""The columns of a file of battles, and the SQL that reads some of them as text.

Nothing is left to the engine's own sniffing, which may skip lines and change types: header and delimiter come from a
look at the first rows, every column is text, and a row with too few or too many fields is an error.
"""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import IO, Any

from betterthan.errors import ReadError
from betterthan.read.formats.battles.battle_covariates import Path, nested_sql
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.delimited import numbered_records, record_line
from betterthan.read.grid.duck_grid import engine_text
from betterthan.read.grid.json_lines import array_grid, check_objects, object_line
from betterthan.read.source.source import HEAD_BYTES, LONGEST_LINE, Source, open_source
from betterthan.read.source.text import small_text

_LARGEST_ARRAY = 64 << 20
_CHUNK = 1 << 20


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
    """Return the names of a table's columns, in the order of the file; of JSON, the keys of the first objects.

    Raises
    ------
    ReadError
        When the file is no table with a header (BT010), or is damaged.
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
        raise ReadError(
            f'The column "{twice[0]}" occurs twice in the header. Rename one of them.',
            path=source.name,
            line=1,
            code="BT010",
        )
    return look


def _look(source: Source) -> Peek:
    try:
        look = peek(source)
    except ReadError as error:
        # An array may stand on a single line, however long it is.
        if error.code != "BT007" or not _is_array(source):
            raise
        return _first_of_array(source)
    return _first_of_array(source) if look.container == "json" and not look.header else look


def _is_array(source: Source) -> bool:
    return source.head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["


def _first_of_array(source: Source) -> Peek:
    """Look at an array whose first object is longer than the head, such as a conversation."""
    found: object = None
    if len(source.head) == HEAD_BYTES:
        with source.open() as stream:
            text = stream.read(LONGEST_LINE).decode("utf-8-sig", errors="replace").lstrip().removeprefix("[")
        with suppress(ValueError, RecursionError):
            found, _ = json.JSONDecoder().raw_decode(text.lstrip())
    if not isinstance(found, dict):
        raise _no_table(source)
    return Peek(container="json", header=tuple(found), rows=[list(found.values())])


def text_query(
    source: Source, names: Sequence[str], wanted: Sequence[str], *, paths: Sequence[Path] | None = None
) -> str:
    """Return the SQL that selects the `wanted` columns as text, named ``v0``, ``v1``, … in that order.

    `names` are all columns of the file; a missing cell is the empty text, an object its JSON. `paths` leads for each
    of the `wanted` columns to a value inside an object; ``()`` is the column itself.
    """
    relation, cells = _relation(source, names, wanted)
    inner = [
        nested_sql(cell, path) if path else cell
        for cell, path in zip(cells, paths or [()] * len(cells), strict=True)
    ]
    listed = ", ".join(f"coalesce({cell}, '') AS v{i}" for i, cell in enumerate(inner))
    return f"SELECT {listed} FROM {relation}"  # noqa: S608  (names and path are quoted)


def _relation(source: Source, names: Sequence[str], wanted: Sequence[str]) -> tuple[str, list[str]]:
    """Return the SQL of the file as a table, and of each wanted column as text."""
    from betterthan.read.grid.duck import delimited_scan, identifier, literal, scan  # noqa: PLC0415  (DuckDB is imported when needed)

    compression = "gzip" if source.is_gzip else "none"
    look = _look(source)
    if look.container == "parquet":
        # Columns are numbered, because the engine does not tell "Left" from "left".
        objects, numbered = _object_columns(look), [f"c{i}" for i in range(len(names))]
        cells = [f"c{list(names).index(name)}" for name in wanted]
        shown = [
            f"to_json({cell})" if name in objects else cell for name, cell in zip(wanted, cells, strict=True)
        ]
        relation = f"{scan('read_parquet', source)} AS file({', '.join(numbered)})"
        return relation, [f"{cell}::VARCHAR" for cell in shown]
    if look.container in ("json", "jsonl"):
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in dict.fromkeys(wanted))
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
        return relation, [identifier(name) for name in wanted]
    relation = delimited_scan(engine_text(source, look.delimiter).file, look.delimiter, len(names))
    return relation, [f"c{list(names).index(name)}" for name in wanted]


def _object_columns(look: Peek) -> set[str]:
    """Return the columns of Parquet in which objects or lists were seen."""
    return {
        name
        for i, name in enumerate(look.header)
        if any(isinstance(row[i], dict | list) for row in look.rows)
    }


def engine_file(source: Source) -> Source:
    """Return the file that the engine reads for a source: its own, or a copy in which quotes mean only one thing.

    Raises
    ------
    ReadError
        When the file is no plain text or a cut gzip stream, which the engine would pass over; or the quotes may hide
        rows (BT240).
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
    """Read a text file in our own slow way, so that what the engine only refuses is named with its line.

    Raises
    ------
    ReadError
        At the first fault: see :meth:`Source.lines`, and BT012, BT015 and BT016. Nothing where none is found.
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
    """Read the bytes of a text file through, so that a cut gzip stream or a foreign encoding is named."""
    if source.is_parquet:
        return
    if not _is_array(source):
        _exhaust(source.lines())
        return
    try:
        _check_bytes(source)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = "The gzip stream is cut off or damaged. Copy or download the file again."
        raise ReadError(message, path=source.name, code="BT004") from error
    except UnicodeDecodeError as error:
        message = "The file is not UTF-8. Convert it first, for example: iconv -f latin1 -t utf-8 IN > OUT"
        raise ReadError(message, path=source.name, code="BT005") from error


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
                raise ReadError(message, path=source.name, code="BT006")
    decoder.decode(b"", final=True)


def _exhaust(records: Iterable[Any]) -> None:
    for _ in records:
        pass


def _no_table(source: Source) -> ReadError:
    return ReadError(
        "No table with a header of two or more columns was found here. "
        "Write CSV, TSV, JSON (lines or an array of objects) or Parquet.",
        path=source.name,
        code="BT010",
    )
