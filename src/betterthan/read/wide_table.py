"""Wide tables: one row for each segment, one column of scores for each system."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import ReadError, some_of
from betterthan.read.apart import read_apart
from betterthan.read.cells import fill
from betterthan.read.columns import find, flag, is_descriptive
from betterthan.read.direction import direction
from betterthan.read.doubts import doubts
from betterthan.read.grid import (
    Grid,
    Labels,
    check_numbers,
    compact,
    fault,
    first_rows,
    has_numbers,
    has_text,
    is_decimal_comma,
    quoted,
)
from betterthan.read.long_columns import one_score_each, usable_groups
from betterthan.read.nameless import leave_out_nameless
from betterthan.read.numerals import parse_all
from betterthan.read.open_grid import open_grid
from betterthan.read.peek import Peek, peek
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source import Source
from betterthan.tables.row_order import RowOrder, numbers
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="wide",
    kind="scores",
    description="a table with one row for each segment and one column of scores for each system",
)
_ROLES = ("item", "group")


def sniff(source: Source) -> Guess | None:
    """Recognise a table in which columns other than ids hold numbers."""
    return guess(peek(source), path=source.name)


def guess(look: Peek, *, path: str) -> Guess | None:
    """Say how sure it is that a table is wide."""
    try:
        roles = find(look.header, {}, ("item", "group", "system", "score"), path=path)
    except ReadError:
        roles = {}
    if "system" in roles and ("score" in roles or not _numeric(look, roles["system"])):
        return None
    if not look.rows:
        return Guess(confidence=0.1, because="a header without rows") if look.header else None
    ids = {roles[role] for role in _ROLES if role in roles}
    systems = [i for i in range(len(look.header)) if i not in ids and _numeric(look, i)]
    if not systems:
        return None
    if "system" in roles:
        return Guess(confidence=0.5, because=f"{len(systems)} columns hold numbers and may be systems")
    because = f"{len(systems)} columns hold numbers, one a system"
    return Guess(confidence=0.7 if len(systems) > 1 else 0.4, because=because)


def _numeric(look: Peek, column: int) -> bool:
    if is_descriptive(look.header[column]):
        return False
    return bool(np.isfinite(parse_all(look.column(column))).any())


def read(source: Source, options: Options) -> Reading:
    """Read a wide table into one :class:`Scores`."""
    found = sniff(source)
    with open_grid(source) as grid:
        because = found.because if found else "the format was named"
        return read_grid(grid, options, stem=source.stem, because=because)


def read_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    """Read a grid as a wide table; `stem` names the metric."""
    return read_apart(grid, options, lambda part: _read_one(part, options, stem=stem, because=because))


def _read_one(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:
    ignored, notes = leave_out_nameless(grid)
    _check_header(grid, ignored)
    roles = find(grid.header, options.columns, _ROLES, path=grid.name)
    systems, values, left_out = _systems(grid, {*roles.values(), *ignored})
    names = tuple(grid.header[column] for column in systems)
    body = _body(grid, roles, names, values, options)
    if body.values.shape[1] <= 1:
        raise one_score_each(grid)
    name = options.name or options.metric or stem
    way = direction(name, body.values, options)
    dropped = {"empty row": body.empty, "duplicate": body.merged}
    counted = tuple(f"{count} rows were left out: {why}." for why, count in dropped.items() if count)
    scores = Scores(
        name=name,
        systems=names,
        segments=body.segments,
        values=body.values,
        higher_is_better=way.higher_is_better,
        groups=body.groups,
        row_order=None if "item" in roles else RowOrder(grid.n_rows, _unused_ids(grid, systems, roles)),
        notes=(*notes, *left_out, *body.notes, *counted, *([way.note] if way.note else [])),
    )
    return Reading(
        format=FORMAT,
        because=because,
        tables=(scores,),
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows - body.empty - body.merged,
        dropped={reason: count for reason, count in dropped.items() if count},
        notes=(*notes, *left_out, *body.notes),
        problems=doubts(scores, place=grid.name),
    )


def _check_header(grid: Grid, ignored: set[int]) -> None:
    names = [name for column, name in enumerate(grid.header) if column not in ignored]
    if names and np.isfinite(parse_all(names)).all():
        raise fault(
            grid,
            f"The first line holds numbers ({some_of(names, limit=3)}), not the names of the systems. "
            f"Add a header, or a letter to names that are numbers.",
            code="BT019",
        )


def _systems(grid: Grid, taken: set[int]) -> tuple[list[int], FloatArray, tuple[str, ...]]:
    """Return the columns that are systems, their scores, and what to say about the others."""
    free = [i for i, name in enumerate(grid.header) if i not in taken]
    described = [i for i in free if is_descriptive(grid.header[i])]
    free = [i for i in free if i not in set(described)]
    values = grid.numbers(free)
    numeric = has_numbers(values)
    # A column without any number but with text is a remark; an empty one is a system without scores.
    text = has_text(values) & ~numeric
    if text.any() and numeric.any() and (numeric.sum() < 2 or _is_decimal_comma(grid, free, text)):
        text[:] = False
    check_numbers(grid, values[~text], [column for column, skip in zip(free, text, strict=True) if not skip])
    if not numeric.any():
        raise fault(
            grid,
            f"No column holds scores (columns: {some_of(grid.header)}). "
            f"Give one column of numbers a system, or name the columns of a long table: {flag('score')} COLUMN.",
            code="BT021",
        )
    systems = [column for column, skip in zip(free, text, strict=True) if not skip]
    named = [quoted(grid.header[column]) for column, skip in zip(free, text, strict=True) if skip]
    note = f"Columns without numbers were left out: {some_of(named)}."
    return systems, values[~text], (note,) if named else ()


def _is_decimal_comma(grid: Grid, columns: list[int], text: BoolArray) -> bool:
    """Whether a column left out as text would be numbers with decimal commas."""
    first = (grid.cell(0, column) for column, skip in zip(columns, text, strict=True) if skip)
    return any(is_decimal_comma(cell) for cell in first)


class _Body(NamedTuple):
    """The rows of a wide table as segments."""

    segments: tuple[str, ...]
    groups: tuple[str, ...] | None
    values: FloatArray
    empty: int = 0
    merged: int = 0
    notes: tuple[str, ...] = ()


def _body(
    grid: Grid, roles: dict[str, int], systems: tuple[str, ...], values: FloatArray, options: Options
) -> _Body:
    labels = {role: grid.labels(column) for role, column in roles.items()}
    if "item" not in labels:
        return _by_order(labels, values)
    nameless = labels["item"].codes < 0
    lost = np.flatnonzero(nameless & ~np.isnan(values).all(axis=0))
    if lost.size:
        what = "The row names no segment. Fill the cell in or remove the row."
        raise fault(grid, what, row=int(lost[0]), code="BT105")
    rows = np.flatnonzero(~nameless)
    labels = {role: compact(Labels(found.codes[rows], found.names)) for role, found in labels.items()}
    labels, notes = usable_groups(labels, asked="group" in options.columns)
    body = _by_name(grid, rows, {**labels, "system": _each(systems, rows.size)}, values[:, rows], options)
    return body._replace(empty=grid.n_rows - rows.size, notes=notes)


def _by_order(labels: dict[str, Labels], values: FloatArray) -> _Body:
    """Number the segments; columns of one table share their order, and there is nothing else to go by."""
    segments = numbers(values.shape[1])
    groups = labels.get("group")
    if groups is None or (groups.codes < 0).any():
        notes = () if groups is None else ("Documents were left out, because some rows name none.",)
        return _Body(segments, None, values, notes=notes)
    return _Body(segments, tuple(groups.names[code] for code in groups.codes.tolist()), values)


def _unused_ids(grid: Grid, systems: list[int], roles: dict[str, int]) -> tuple[str, ...]:
    """Return the columns of text that tell every row from the others, as ids do and sentences, with blanks, do not."""
    used = {*systems, *roles.values()}
    free = [i for i, name in enumerate(grid.header) if name and i not in used and not is_descriptive(name)]
    return tuple(grid.header[column] for column in free if _are_ids(grid, column))


def _are_ids(grid: Grid, column: int) -> bool:
    try:
        found = grid.labels(column)
    except ReadError:  # objects or lists
        return False
    is_unique = len(found.names) == grid.n_rows and not (found.codes < 0).any()
    return is_unique and not any(" " in name.strip() for name in found.names)


def _each(systems: tuple[str, ...], n_rows: int) -> Labels:
    """Return the system of each cell, row by row of systems × rows."""
    return Labels(np.repeat(np.arange(len(systems), dtype=np.int32), n_rows), systems)


def _by_name(
    grid: Grid, rows: IntArray, labels: dict[str, Labels], values: FloatArray, options: Options
) -> _Body:
    items, systems = labels["item"], labels["system"]
    merged = rows.size - len(items.names)
    if merged:
        # Only a table with repeated segments pays for being laid out cell by cell.
        values = fill(
            grid,
            np.tile(rows, len(systems.names)),
            segments=Labels(np.tile(items.codes, len(systems.names)), items.names),
            systems=systems,
            scores=values.ravel(),
            duplicates=options.duplicates,
        ).values
    groups = labels.get("group")
    first = first_rows(items.codes, len(items.names))
    named = None if groups is None else tuple(groups.names[c] for c in groups.codes[first].tolist())
    return _Body(items.names, named, values, merged=merged)
