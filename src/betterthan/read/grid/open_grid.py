"""From a source to a grid, whatever its container and size; and what columns without a name are."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.delimited import RegularText, delimited_grid, read_quotes
from betterthan.read.grid.grid import Grid, MemoryGrid, fault
from betterthan.read.grid.json_lines import LooseJson, array_grid, check_objects, json_grid
from betterthan.read.grid.numerals import parse
from betterthan.read.source.source import SMALL, Source, small_text

_PANDAS = "Unnamed: 0"


def leave_out_nameless(grid: Grid) -> tuple[set[int], tuple[str, ...]]:
    """Return the columns to ignore and what to say about them.

    Raises
    ------
    ReadError
        When a column with values has no name (BT018).
    """
    ignored: set[int] = set()
    notes: list[str] = []
    for column, name in enumerate(grid.header):
        if name and not (column == 0 and name == _PANDAS):
            continue
        values = grid.numbers([column])[0]
        if column == 0 and np.array_equal(values, np.arange(grid.n_rows)):
            ignored.add(column)
            notes.append(
                "The unnamed first column counts 0, 1, 2, … and was left out as a data frame's index."
            )
        elif np.isnan(values).all():
            ignored.add(column)
            notes.append(f"Column {column + 1} has no name and no values and was left out.")
        elif not name:
            raise fault(
                grid,
                f"Column {column + 1} has values but no name. Name it in the header: segment or system, if that is "
                f"what its cells name.",
                code="BT018",
            )
    return ignored, tuple(notes)


LARGEST_ARRAY = 64 << 20


@contextmanager
def open_grid(source: Source, *, small: int = SMALL) -> Iterator[Grid]:
    """Give the table in `source`; DuckDB is started only for Parquet and for text above `small` bytes."""
    look = peek(source)
    limit = LARGEST_ARRAY if look.container == "json" else small
    seen = RegularText(look.delimiter) if look.container == "delimited" else None
    loose = LooseJson()
    see = loose.see if seen is None else seen.see
    text = None if look.container == "parquet" else small_text(source, limit=limit, see=see)
    if text is not None:
        yield checked(_parsed(text, source, look, seen))
        return
    if look.container == "json":
        raise ReadError(
            f"A JSON array of more than {LARGEST_ARRAY >> 20} MiB is not read at once. "
            f"Write one object a line: jq -c '.[]' IN > OUT.jsonl",
            path=source.name,
            code="BT016",
        )
    from betterthan.read.grid.duck import large_text_grid, parquet_grid  # noqa: PLC0415  (loads the engine)

    if loose.found:
        check_objects(source)
    is_parquet = look.container == "parquet"
    large = parquet_grid(source) if is_parquet else large_text_grid(source, look, seen)
    try:
        yield checked(large)
    finally:
        large.connection.close()


def _parsed(text: str, source: Source, look: Peek, seen: RegularText | None) -> MemoryGrid:
    if seen is None:
        return array_grid(text, source) if look.container == "json" else json_grid(text, source)
    quoting = read_quotes(source, look.delimiter, seen.end(), lambda: io.StringIO(text, newline="\n"))
    return delimited_grid(text, source, look.delimiter, quoting=quoting)


def _is_first_row(header: tuple[str, ...]) -> bool:
    """Whether a header is a row of scores: numbers behind the first cell, and one of them twice."""
    numbers = header[1:]
    return len(set(numbers)) < len(numbers) and all(math.isfinite(parse(name)) for name in numbers)


def checked(grid: Grid) -> Grid:
    """Return the grid if it has distinct columns and at least one row."""
    if _is_first_row(grid.header):
        shown = ", ".join(name for name in grid.header[1:4])
        raise ReadError(
            f"The first line holds numbers ({shown}), not the names of the systems. Add a header.",
            path=grid.name,
            line=1,
            code="BT019",
        )
    twice = [name for name, count in Counter(grid.header).items() if name and count > 1]
    if twice:
        raise ReadError(
            f'The column "{twice[0]}" occurs more than once. Give every column its own name.',
            path=grid.name,
            line=1 if grid.n_rows and grid.line(0) is not None else None,
            code="BT017",
        )
    if grid.n_rows == 0:
        raise ReadError(
            "There is a header but no row below it. Check what wrote the file.", path=grid.name, code="BT011"
        )
    return grid
