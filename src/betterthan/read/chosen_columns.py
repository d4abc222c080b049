"""Columns that the user leaves out of a table of scores, or keeps as systems whatever they look like."""

from __future__ import annotations

import numpy as np

from betterthan.errors import ReadError, unknown_name
from betterthan.read.grid import Grid, quoted
from betterthan.read.protocol import Options
from betterthan.read.where import RowsOf

_LAYOUTS = ("long", "wide", "ratings", "several")


def without_ignored(grid: Grid, options: Options) -> Grid:
    """Return a table without the columns to ignore.

    Raises
    ------
    UnknownName
        When a name to ignore or to keep is no column.
    ReadError
        When a column is to be ignored and used (BT214).
    """
    for name in (*options.ignore_columns, *options.keep_columns):
        if name not in grid.header:
            raise unknown_name("column", name, grid.header)
    if not options.ignore_columns:
        return grid
    for name in options.ignore_columns:
        if name in options.keep_columns or name in options.columns.values():
            raise ReadError(
                f"Column {quoted(name)} is to be ignored and to be used. Leave out one of the two options.",
                path=grid.name,
                code="BT214",
            )
    columns = tuple(i for i, name in enumerate(grid.header) if name not in set(options.ignore_columns))
    return RowsOf(inner=grid, rows=np.arange(grid.n_rows), columns=columns)


def kept_columns(grid: Grid, options: Options) -> frozenset[int]:
    """Return the positions of the columns that are systems or metrics by the user's word."""
    return frozenset(column for column, name in enumerate(grid.header) if name in options.keep_columns)


def hidden(header: tuple[str, ...], kept: frozenset[int]) -> tuple[str, ...]:
    """Return a header in which kept columns have no name, so that none of them is found by a role's name."""
    return tuple("" if column in kept else name for column, name in enumerate(header))


def refuse_choice(options: Options, layout: str, description: str, *, path: str | None) -> None:
    """Raise when columns are ignored or kept in data other than a table of scores (BT214)."""
    if layout in _LAYOUTS or not (options.ignore_columns or options.keep_columns):
        return
    option = "--ignore" if options.ignore_columns else "--keep"
    raise ReadError(
        f"{option} chooses among the columns of a table of scores, but this is {description}. Leave it out.",
        path=path,
        code="BT214",
    )
