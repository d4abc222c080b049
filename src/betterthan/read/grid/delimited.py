"""Comma-, tab-, semicolon- and bar-separated text, as a grid."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from betterthan.errors import ReadError
from betterthan.read.grid.grid import MemoryGrid
from betterthan.read.source.source import LONGEST_LINE, Source
from betterthan.read.source.text import open_text

Quoting = Literal[0, 3]  # csv.QUOTE_MINIMAL and csv.QUOTE_NONE


def delimited_grid(
    text: str, source: Source, delimiter: str, *, quoting: Quoting = csv.QUOTE_MINIMAL
) -> MemoryGrid:
    """Parse the text of `source`; every row must have as many cells as the header."""
    stream = io.StringIO(text, newline="\n")
    records = numbered_records(stream, source, delimiter, quoting=quoting)
    header = next(records, (1, []))[1]
    lines: list[int] = []
    rows: list[list[str]] = []
    for line, record in records:
        lines.append(line)
        rows.append(record)
    while rows and len(header) == 1 and rows[-1] == [""]:
        # Blank lines at the end of a single column are the file's, not the table's.
        del rows[-1], lines[-1]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(header)
    return MemoryGrid(name=source.name, header=column_names(header), columns=columns, lines=lines)


def column_names(header: Sequence[str]) -> tuple[str, ...]:
    """Return the cells of a header as names; quotes round a name are no part of it, even where quotes are text."""
    return tuple(_bare(cell.strip()) for cell in header)


def _bare(name: str) -> str:
    is_enclosed = len(name) > 1 and name[0] == name[-1] == '"' and '"' not in name[1:-1].replace('""', "")
    return name[1:-1].replace('""', '"').strip() if is_enclosed else name


def numbered_records(
    lines: Iterable[str], source: Source, delimiter: str, *, quoting: Quoting = csv.QUOTE_MINIMAL
) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the line on which it begins; the first is the header.

    Raises
    ------
    ReadError
        At a record with more or fewer cells than the header (BT012) or with broken quotes (BT015).
    """
    _allow_long_cells()
    reader = csv.reader(lines, delimiter=delimiter, strict=True, quoting=quoting)
    width = 0
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _broken(error, source, line) from error
        if not record and width != 1:
            continue
        width = width or len(record)
        if not record:
            record = [""]
        if len(record) != width:
            raise _ragged(len(record), width, source, line)
        yield line, record


def header_of(source: Source, delimiter: str, *, quoting: Quoting) -> tuple[str, ...]:
    """Return the names of the columns, which are those of a small file in the same way."""
    with open_text(source) as lines:
        return column_names(next(numbered_records(lines, source, delimiter, quoting=quoting), (1, []))[1])


def record_line(
    source: Source, delimiter: str, row: int, *, quoting: Quoting = csv.QUOTE_MINIMAL
) -> int | None:
    """Return the line on which data row `row` (from 0) begins, by reading the file again."""
    lines = (line + "\n" for line in source.lines())
    for number, (line, _) in enumerate(numbered_records(lines, source, delimiter, quoting=quoting)):
        if number == row + 1:
            return line
    return None


def _allow_long_cells() -> None:
    # Python's limit for a cell, 128 KiB, is less than what prompts and documents need.
    if csv.field_size_limit() < LONGEST_LINE:
        csv.field_size_limit(LONGEST_LINE)


def _broken(error: csv.Error, source: Source, line: int) -> ReadError:
    if "new-line" in str(error):
        what = "A carriage return stands inside the line. Save the file with ordinary line ends"
    else:
        what = (
            'A quotation mark is never closed, or text follows a closing one. Write a quote in a cell as ""'
        )
    return ReadError(f"{what}.", path=source.name, line=line, code="BT015")


def _ragged(found: int, expected: int, source: Source, line: int) -> ReadError:
    cells = "cell" if found == 1 else "cells"
    return ReadError(
        f"The row has {found} {cells} where the header has {expected}. "
        f"Quote cells that contain the delimiter, and leave missing cells empty.",
        path=source.name,
        line=line,
        code="BT012",
    )
