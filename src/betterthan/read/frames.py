"""Data frames and dicts, read by the same rules as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betterthan.errors import ReadError, TableError, unknown_name
from betterthan.messages import COLUMN, Message, Option
from betterthan.read.formats.registry import refuse_choice
from betterthan.read.grid.beginning import Peek
from betterthan.read.grid.columns import ROLES, find, plain
from betterthan.read.grid.grid import MemoryGrid
from betterthan.read.grid.numerals import Cells
from betterthan.read.grid.open_grid import checked
from betterthan.read.protocol import Options, Reading

FrameLike = Any  # a data frame of any library, or a mapping of columns
_SAMPLE = 50
BATTLES = "battles"
_TIDY = ("rankings", "tags_table", "texts_table")
LAYOUTS = ("long", "wide", "ratings", BATTLES, *_TIDY)


def is_frame(given: object) -> bool:
    """Whether something is a dict or a data frame rather than a path or an open file."""
    if isinstance(given, Mapping):
        return True
    return hasattr(given, "__dataframe__") or type(given).__module__.split(".")[0] in _LIBRARIES


_LIBRARIES = frozenset({"pandas", "polars", "pyarrow", "modin", "cudf", "narwhals"})


def read_frame(given: FrameLike, options: Options, *, format: str | None = None) -> Reading:  # noqa: A002
    """Read a data frame or dict of columns as scores, ratings, battles, rankings, tags or texts, whichever it holds."""
    from betterthan.read.formats.registry import reader  # noqa: PLC0415  (some of the layouts read frames by way of this module)

    if format not in (None, *LAYOUTS):
        raise unknown_name("layout of a data frame", str(format), LAYOUTS)
    grid = frame_grid(given)
    look = _look(grid)
    layout = format or _other_layout(look, options) or _layout(look, options)
    module: Any = reader(layout)
    refuse_choice(options, layout, module.FORMAT.description, path=grid.name)
    if layout == BATTLES:
        battles: Reading = module.read_frame(given, options)
        return battles
    guess = module.guess(look, path=grid.name)
    because = guess.because if guess else "the columns were named"
    reading: Reading = module.read_grid(grid, options, stem="score", because=because)
    return reading


def _other_layout(look: Peek, options: Options) -> str | None:
    """Return the layout of battles, rankings, tags or texts that the columns show; None for tables of scores."""
    from betterthan.read.formats.battles.battle_columns import find_columns  # noqa: PLC0415
    from betterthan.read.formats.registry import reader  # noqa: PLC0415

    if {"left", "right", "winner"} & options.columns.keys():
        return BATTLES
    if {"system", "score"} & options.columns.keys():
        return None
    for name in _TIDY:
        module: Any = reader(name)
        if module.guess(look, path="data frame") is not None:
            return name
    try:
        find_columns(look.header, given={}, path="data frame")
    except ReadError:
        return None
    return BATTLES


def frame_grid(given: FrameLike) -> MemoryGrid:
    """Return a data frame or dict of columns as a grid."""
    columns = dict(given) if isinstance(given, Mapping) else _frame_columns(given)
    header = tuple(str(name).strip() for name in columns)
    cells = [_cells(name, values) for name, values in columns.items()]
    _check_lengths(header, cells)
    name = "dict" if isinstance(given, Mapping) else "data frame"
    grid = MemoryGrid(name=name, header=header, columns=cells)
    checked(grid)
    return grid


def _frame_columns(given: FrameLike) -> dict[str, Any]:
    import narwhals.stable.v1 as nw  # noqa: PLC0415  (only callers with frames pay for it)

    try:
        frame = nw.from_native(given)
    except TypeError as error:
        raise TableError(
            f"A {type(given).__name__} is no table. Pass a path, a data frame, or a dict of lists."
        ) from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        raise TableError(f"A {type(given).__name__} is no table. Pass a data frame or a dict of lists.")
    columns = {name: _plain(frame[name]) for name in frame.columns}
    return {**_index(nw.maybe_get_index(frame), columns), **columns}


def _index(index: Any, columns: Mapping[str, Any]) -> dict[str, list[str]]:  # noqa: ANN401  (of pandas)
    """Return the row labels of pandas as a column, where they tell rows apart and no column does.

    Dropped, they would let two tables be joined by the positions of their rows.
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
                f'"{header[0]}" has {lengths[0]} values and "{name}" has {length}; the columns of a table are '
                f"equally long. Fill gaps with None."
            )


def _look(grid: MemoryGrid) -> Peek:
    n = min(grid.n_rows, _SAMPLE)
    rows = [[column[i] for column in grid.columns] for i in range(n)]
    return Peek(container="delimited", header=grid.header, rows=rows)


def two_layouts(name: str, because: Mapping[str, str]) -> ReadError:
    """Build the error for a table that two layouts fit equally well, each with its reason (BT020)."""
    first, second = because
    return ReadError(
        Message(
            "The file may be {first} ({why_first}) or {second} ({why_second}). "
            "Say which with {format}, or name the columns with {item}, {system} and {score}.",
            first=first,
            why_first=because[first],
            second=second,
            why_second=because[second],
            format=Option("format", first),
            item=Option("item", COLUMN),
            system=Option("system", COLUMN),
            score=Option("score", COLUMN),
        ),
        path=name,
        code="BT020",
    )


def _layout(look: Peek, options: Options) -> str:
    from betterthan.read.formats.registry import reader  # noqa: PLC0415

    reader_of: Any = reader
    roles = find(look.header, options.columns, ("item", "system", "score", "judge"), path="data frame")
    named = {"system", "score"} & options.columns.keys()
    guesses = {name: reader_of(name).guess(look, path="data frame") for name in ("long", "wide")}
    long = "system" in roles and ("score" in roles or guesses["long"] is not None)
    if not named and not long:
        return "wide"
    first, second = guesses.values()
    if not named and "judge" not in roles and first and second and first.confidence == second.confidence:
        raise two_layouts("data frame", {name: guess.because for name, guess in guesses.items()})
    return "ratings" if "judge" in roles else "long"
