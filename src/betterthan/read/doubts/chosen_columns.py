"""Columns that the user leaves out or keeps as systems, and options that a layout cannot apply.

An option that is ignored would leave the user with an answer to another question.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from betterthan.errors import ReadError, unknown_name
from betterthan.messages import Message, Option
from betterthan.read.grid.columns import role_option
from betterthan.read.grid.grid import Grid, quoted
from betterthan.read.grid.where import RowsOf
from betterthan.read.protocol import EVERY, SEVERAL, Format, Options


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


def refuse_unused(options: Options, layout: Format, *, path: str) -> None:
    """Refuse columns that were named for a layout in which columns cannot be named.

    Raises
    ------
    ReadError
        With the option to leave out (BT230).
    """
    if layout.name == SEVERAL:
        return
    for role, column in options.columns.items():
        if role not in layout.columns:
            raise ReadError(
                Message(
                    "{option} cannot be applied here, because this is {layout}. Leave it out.",
                    option=role_option(role, column),
                    layout=layout.description,
                ),
                path=path,
                code="BT230",
            )
    of_battles = {"both_bad": options.both_bad == "drop", "winner_labels": bool(options.winner_labels)}
    for name, is_given in of_battles.items():
        if is_given and layout.kind != "matches":
            raise ReadError(
                Message(
                    "{option} is for battles, and this is {layout}. Leave it out.",
                    option=Option(name),
                    layout=layout.description,
                ),
                path=path,
                code="BT230",
            )


def refuse_unknown_directions(options: Options, metrics: Collection[str]) -> None:
    """Refuse a direction for a metric that is not there: a typo in its name would turn a ranking round unseen."""
    named = (options.lower_is_better | options.higher_is_better) - {EVERY}
    for name in sorted(named - set(metrics)):
        raise unknown_name("metric", name, metrics)
