"""What tidy tables of tags and texts have in common: a segment, a system, and one more column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.formats.tables.cells import second_rows
from betterthan.read.formats.tables.long_columns import nameless_row, usable_groups
from betterthan.read.grid.beginning import Peek
from betterthan.read.grid.columns import find, plain
from betterthan.read.grid.grid import Grid, Labels, fault, first_rows, quoted
from betterthan.read.protocol import Options


class TidyRows(NamedTuple):
    """Segments, systems and documents of a tidy table."""

    items: Labels
    systems: Labels
    groups: tuple[str, ...] | None


def position(header: tuple[str, ...], name: str) -> int | None:
    """Return the column of that name, case and punctuation ignored."""
    return next((i for i, column in enumerate(header) if plain(column) == name), None)


def has_columns(look: Peek, *names: str) -> bool:
    """Whether a table has columns for segment and system and all of `names`."""
    try:
        roles = find(look.header, {}, ("item", "system"), path="")
    except ReadError:
        return False
    return len(roles) == 2 and all(position(look.header, name) is not None for name in names)


def load_rows(grid: Grid, options: Options) -> TidyRows:
    """Read who and where; every row must name its segment and system (BT105)."""
    roles = find(grid.header, options.columns, ("item", "system", "group"), path=grid.name)
    labels = {role: grid.labels(column) for role, column in roles.items()}
    for role, what in (("item", "segment"), ("system", "system")):
        if role not in labels:
            raise fault(
                grid, f"No column names the {what}. Say which one does: --{role} COLUMN.", code="BT021"
            )
        empty = np.flatnonzero(labels[role].codes < 0)
        if empty.size:
            text = nameless_row(grid, int(empty[0]), roles[role], what)
            raise fault(grid, text, row=int(empty[0]), code="BT105")
    labels, _ = usable_groups(labels, asked="group" in options.columns)
    items, groups = labels["item"], labels.get("group")
    first = first_rows(items.codes, len(items.names))
    named = None if groups is None else tuple(groups.names[code] for code in groups.codes[first].tolist())
    return TidyRows(items, labels["system"], named)


def check_once(grid: Grid, rows: TidyRows, *more: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
    """Raise when a segment of a system occurs twice (BT101); `more` is part of what must differ."""
    cell = rows.systems.codes.astype(np.int64) * len(rows.items.names) + rows.items.codes
    for extra in more:
        cell = cell * (int(extra.max(initial=0)) + 1) + extra
    if np.unique(cell).size == cell.size:
        return
    first, second = second_rows(cell)
    segment = quoted(rows.items.names[rows.items.codes[second]])
    system = quoted(rows.systems.names[rows.systems.codes[second]])
    line = grid.line(first)
    before = f"line {line}" if line is not None else f"row {first + 1}"
    text = f"Segment {segment} of system {system} was already given in {before}. Remove one of them."
    raise fault(grid, text, row=second, code="BT101")
