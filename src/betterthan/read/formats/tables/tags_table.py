"""Tidy word tags: one row for each word, with columns item, system, position and tag; @gold is the truth."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, IntArray
from betterthan.read.formats.tables.tidy import GOLD
from betterthan.read.formats.tables.tidy_rows import TidyRows, check_once, has_columns, load_rows, position
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.grid import Grid, check_numbers, fault, quoted
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.tags import WordTags

FORMAT = Format(
    name="tags_table",
    kind="tags",
    description="a table with one row for each word: item, system (@gold for the truth), position and tag",
    columns=frozenset({"item", "system", "group"}),
    rows="copy",
)
_IS_BAD = {"ok": False, "good": False, "bad": True}
_BECAUSE = "columns for item, system, position and tag"


def sniff(source: Source) -> Guess | None:
    """Recognise the columns item, system, position and tag."""
    return guess(peek(source), path=source.name)


def guess(look: Peek, *, path: str) -> Guess | None:  # noqa: ARG001  (as other layouts of tables have it)
    """Say how sure it is that a table holds word tags."""
    found = has_columns(look, "position", "tag")
    return Guess(confidence=0.95, because=_BECAUSE) if found else None


def read(source: Source, options: Options) -> Reading:
    """Read a tidy table of word tags."""
    with open_grid(source) as grid:
        return read_grid(grid, options, stem=source.stem, because=_BECAUSE)


def read_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:  # noqa: ARG001
    """Read a grid as a tidy table of word tags, which have no name."""
    rows = load_rows(grid, options)
    where, bad = _positions(grid), _tags(grid)
    check_once(grid, rows, where)
    return Reading(
        format=FORMAT,
        because=because,
        tables=(_table(grid, rows, where, bad),),
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows,
    )


def _positions(grid: Grid) -> IntArray:
    column = position(grid.header, "position")
    if column is None:
        raise fault(grid, 'No column is named "position".', code="BT021")
    values = grid.numbers([column])
    check_numbers(grid, values, [column])
    odd = np.flatnonzero(~((values[0] >= 0) & (values[0] == np.floor(values[0])) & (values[0] < 2**31)))
    if odd.size:
        text = f"{quoted(grid.cell(int(odd[0]), column))} is no position. Count words 0, 1, 2, …"
        raise fault(grid, text, row=int(odd[0]), code="BT013")
    where: IntArray = values[0].astype(np.int64)
    return where


def _tags(grid: Grid) -> BoolArray:
    column = position(grid.header, "tag")
    if column is None:
        raise fault(grid, 'No column is named "tag".', code="BT021")
    labels = grid.labels(column)
    marks = [_IS_BAD.get(name.strip().lower()) for name in labels.names]
    known = np.array([mark is not None for mark in marks] + [False])
    odd = np.flatnonzero(~known[labels.codes])
    if odd.size:
        text = f"{quoted(grid.cell(int(odd[0]), column))} is no tag. Write OK or BAD."
        raise fault(grid, text, row=int(odd[0]), code="BT140")
    return np.array([bool(mark) for mark in marks] + [False])[labels.codes]


def _table(grid: Grid, rows: TidyRows, where: IntArray, bad: BoolArray) -> WordTags:
    systems = [name for name in rows.systems.names if name != GOLD]
    if len(systems) == len(rows.systems.names) or not systems:
        what = f'no row of "{GOLD}", the truth' if systems else "no prediction"
        raise fault(grid, f"There is {what}. Add the rows.", code="BT021")
    item = rows.items.codes.astype(np.int64)
    order = np.lexsort((where, item))
    parts = {name: order[rows.systems.codes[order] == code] for code, name in enumerate(rows.systems.names)}
    truth = parts[GOLD]
    for name in systems:
        _check_same_words(grid, rows, where, (name, parts[name]), truth)
    lengths = np.bincount(item[truth], minlength=len(rows.items.names))
    return WordTags(
        systems=tuple(systems),
        segments=rows.items.names,
        gold=bad[truth],
        predicted=np.stack([bad[parts[name]] for name in systems]),
        offsets=np.concatenate([[0], np.cumsum(lengths)]),
        groups=rows.groups,
    )


def _check_same_words(
    grid: Grid, rows: TidyRows, where: IntArray, named: tuple[str, IntArray], truth: IntArray
) -> None:
    name, part = named
    item = rows.items.codes
    same = part.size == truth.size
    if same and (item[part] == item[truth]).all() and (where[part] == where[truth]).all():
        return
    counts = [np.bincount(item[some], minlength=len(rows.items.names)) for some in (part, truth)]
    differs = np.flatnonzero(counts[0] != counts[1])
    segment = quoted(rows.items.names[int(differs[0])] if differs.size else rows.items.names[0])
    raise fault(
        grid,
        f'"{name}" does not have the same words as {GOLD} in segment {segment}. Every system tags the same words.',
        code="BT142",
    )
