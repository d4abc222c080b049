"""From a source to a grid, for every container and size; and columns without a name."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from betterthan.errors import ReadError, TableError
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.columns import ROLES, plain
from betterthan.read.grid.delimited import RegularText, delimited_grid, read_quotes
from betterthan.read.grid.grid import Grid, MemoryGrid, fault
from betterthan.read.grid.json_lines import LooseJson, array_grid, check_objects, json_grid
from betterthan.read.grid.numerals import Cells, parse
from betterthan.read.grid.selection import select
from betterthan.read.protocol import Options, Reading
from betterthan.read.source.source import SMALL, Lines, Source, small_text

_PANDAS = "Unnamed: 0"


def leave_out_nameless(grid: Grid) -> tuple[set[int], tuple[str, ...]]:
    """Return the columns to ignore, with notes.

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
                f"Column {column + 1} has values but no name. Name it in the header, for example segment or system.",
                code="BT018",
            )
    return ignored, tuple(notes)


LARGEST_ARRAY = 64 << 20
# The engine takes a third of a megabyte for every column, so text of many columns is read without it up to this size.
MANY_COLUMNS = 500
LARGEST_WIDE = 16 << 20


@contextmanager
def open_grid(source: Source, *, small: int = SMALL) -> Iterator[Grid]:
    """Open the table in `source`; DuckDB is used only for Parquet and for text above `small` bytes."""
    look = peek(source)
    limit = LARGEST_ARRAY if look.container == "json" else small
    if 0 < limit < LARGEST_WIDE and len(look.header) > MANY_COLUMNS:
        limit = LARGEST_WIDE
    seen = RegularText(look.delimiter) if look.container == "delimited" else None
    loose = LooseJson()
    text = None
    if look.container != "parquet":
        lines, look_at = Lines(source), loose.see if seen is None else seen.see

        def see(chunk: bytes) -> None:
            lines.see(chunk)
            look_at(chunk)

        text = small_text(source, limit=limit, see=see)
    if text is not None:
        yield checked(_parsed(text, source, look, seen))
        return
    if look.container == "json":
        raise source.error(
            f"A JSON array of more than {LARGEST_ARRAY >> 20} MiB is not read at once. "
            f"Write one object per line: jq -c '.[]' IN > OUT.jsonl",
            code="BT016",
        )
    from betterthan.read.grid.duck import large_text_grid, parquet_grid  # noqa: PLC0415  (loads the engine)

    if loose.found:
        check_objects(source)
    is_parquet = look.container == "parquet"
    large = parquet_grid(source) if is_parquet else large_text_grid(source, look, seen)
    try:
        large.require_table()
        yield checked(large)
    finally:
        large.connection.close()


def read_table(
    source: Source, options: Options, read_grid: Callable[..., Reading], *, because: str
) -> Reading:
    """Read a source as a grid with the rows that satisfy ``options.where``; the others are counted as dropped."""
    with open_grid(source) as grid:
        if not options.where:
            return read_grid(grid, options, stem=source.stem, because=because)
        selection = select(grid, options.where, named=options.columns.values())
        return selection.accounted(read_grid(selection.grid, options, stem=source.stem, because=because))


def _parsed(text: str, source: Source, look: Peek, seen: RegularText | None) -> MemoryGrid:
    if seen is None:
        return array_grid(text, source) if look.container == "json" else json_grid(text, source)
    quoting = read_quotes(source, look.delimiter, seen.end(), lambda: io.StringIO(text, newline="\n"))
    return delimited_grid(text, source, look.delimiter, quoting=quoting)


def _is_first_row(header: tuple[str, ...]) -> bool:
    """Whether a header is a row of scores: numbers after the first cell, and one of them twice."""
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
            "There is a header but no row below it. Check the program that wrote the file.",
            path=grid.name,
            code="BT011",
        )
    return grid


FrameLike = Any  # a data frame of any library, or a mapping of columns


def is_frame(data: object) -> bool:
    """Whether something is a dict or a data frame rather than a path or an open file."""
    if isinstance(data, Mapping):
        return True
    return hasattr(data, "__dataframe__") or type(data).__module__.split(".")[0] in _LIBRARIES


_LIBRARIES = frozenset({"pandas", "polars", "pyarrow", "modin", "cudf", "narwhals"})


def frame_grid(data: FrameLike) -> MemoryGrid:
    """Return a data frame or dict of columns as a grid."""
    columns = dict(data) if isinstance(data, Mapping) else _frame_columns(data)
    header = tuple(str(name).strip() for name in columns)
    cells = [_cells(name, values) for name, values in columns.items()]
    _check_lengths(header, cells)
    name = "dict" if isinstance(data, Mapping) else "data frame"
    grid = MemoryGrid(name=name, header=header, columns=cells)
    checked(grid)
    return grid


def _frame_columns(data: FrameLike) -> dict[str, Any]:
    import narwhals.stable.v1 as nw  # noqa: PLC0415  (only callers with frames pay for it)

    try:
        frame = nw.from_native(data)
    except TypeError as error:
        raise TableError(
            f"A {type(data).__name__} is not a table. Pass a path, a data frame, or a dict of lists."
        ) from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        raise TableError(f"A {type(data).__name__} is not a table. Pass a data frame or a dict of lists.")
    columns = {name: _plain(frame[name]) for name in frame.columns}
    return {**_index(nw.maybe_get_index(frame), columns), **columns}


def _index(index: Any, columns: Mapping[str, Any]) -> dict[str, list[str]]:  # noqa: ANN401  (of pandas)
    """Return the row labels of pandas as a column, where they identify rows and no column does.

    Without them two tables could be joined by row positions.
    """
    is_plain = index is None or type(index).__name__ == "RangeIndex" or getattr(index, "nlevels", 1) > 1
    known = {plain(name) for name in ROLES["item"]}
    if is_plain or not index.is_unique or any(plain(str(name)) in known for name in columns):
        return {}
    return {"segment": [str(label) for label in index]}


def _plain(series: Any) -> Any:  # noqa: ANN401  (a narwhals series)
    """Return numbers as an array and everything else as a list, so that missing stays missing."""
    if series.dtype.is_float() and series.null_count() == 0:
        return series.to_numpy()
    return series.to_list()


def _cells(name: object, values: Any) -> Cells:  # noqa: ANN401
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        raise TableError(
            f'"{name}" holds {type(values).__name__}, not a list of scores. Pass {{"A": [0.5, …], "B": […]}}.'
        )
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise TableError(f'"{name}" has {values.ndim} axes where a list of scores is needed.')
        return values
    return list(values)


def _check_lengths(header: Sequence[str], cells: Sequence[Cells]) -> None:
    lengths = [len(column) for column in cells]
    for name, length in zip(header, lengths, strict=True):
        if length != lengths[0]:
            raise TableError(
                f'"{header[0]}" has {lengths[0]} values and "{name}" has {length}; the columns of a table must '
                f"have equal lengths. Fill gaps with None."
            )
