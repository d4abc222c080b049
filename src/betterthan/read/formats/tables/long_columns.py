"""The columns of a long table, by role, with every row accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import ReadError, TableError, some_of
from betterthan.messages import Message, Option
from betterthan.read.doubts.chosen_columns import hidden, kept_columns
from betterthan.read.doubts.column_meanings import meaning_of
from betterthan.read.doubts.percents import score_numbers
from betterthan.read.grid.columns import find, is_descriptive, role_option
from betterthan.read.grid.grid import (
    Grid,
    Labels,
    check_numbers,
    compact,
    fault,
    first_rows,
    has_numbers,
    has_text,
    quoted,
)
from betterthan.read.grid.missing import missing_name
from betterthan.read.grid.numerals import parse_all
from betterthan.read.grid.open_grid import leave_out_nameless
from betterthan.read.protocol import WHOLE_SYSTEM, Options

_NEEDED = {"item": "segment", "system": "system", "metric": "metric", "judge": "judge"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LongColumns:
    """Labels of the kept rows, by role.

    Attributes
    ----------
    grid : Grid
    roles : dict
        The column of each role.
    rows : array of int
        The rows of the grid that are kept.
    labels : dict of str to Labels
        By role, for the kept rows.
    scores : dict of str to array of float
        By column name, for the kept rows; NaN is missing.
    dropped : int
        Empty rows.
    notes : tuple of str
    level : {"segment", "document", "system"}
        What a score belongs to.
    """

    grid: Grid
    roles: dict[str, int]
    rows: IntArray = field(repr=False)
    labels: dict[str, Labels] = field(repr=False)
    scores: dict[str, FloatArray] = field(repr=False)
    dropped: int
    notes: tuple[str, ...]
    level: str = "segment"

    def declared(self, rows: IntArray | None) -> bool | None:
        """Return what the file's own column says about the direction of the metric in `rows`.

        Raises
        ------
        ReadError
            When it says different things, or neither true nor false (BT106).
        """
        found = self.labels.get("direction")
        if found is None:
            return None
        said = np.unique(found.codes if rows is None else found.codes[rows])
        ways = set(parse_all(["" if code < 0 else found.names[code] for code in said]))
        if len(ways) == 1 and ways <= {0.0, 1.0}:
            return ways == {1.0}
        raise fault(
            self.grid,
            f'The column "{self.grid.header[self.roles["direction"]]}" must be true on every row of a metric, '
            f"or false on every row.",
            code="BT106",
        )


def load(grid: Grid, options: Options, roles: Sequence[str]) -> LongColumns:
    """Find the columns of `roles` and read them.

    Raises
    ------
    ReadError
        Without a system (BT021), item (BT021, BT103) or score column (BT021), at a row without a name in one of
        them (BT105), or at a cell that is no number (BT013, BT014).
    """
    kept = kept_columns(grid, options)
    nameless, notes = leave_out_nameless(grid)
    found = find(hidden(grid.header, kept), options.columns, roles, path=grid.name)
    _check_roles(grid, found, roles)
    level = _level(grid, found)
    score_columns, left_out = _score_columns(grid, found, nameless, kept)
    values, percents = score_numbers(grid, score_columns)
    check_numbers(grid, values, score_columns)
    labels = {role: grid.labels(column) for role, column in found.items() if role != "score"}
    if level == "system":
        labels["item"] = Labels(np.zeros(grid.n_rows, dtype=np.int32), (WHOLE_SYSTEM,))
    rows = _kept(labels, values)
    if rows.size < grid.n_rows:
        labels = {role: compact(Labels(found.codes[rows], found.names)) for role, found in labels.items()}
        values = values[:, rows]
    _check_names(grid, found, labels, rows)
    labels, group_notes = usable_groups(labels, asked="group" in options.columns)
    return LongColumns(
        grid=grid,
        roles=found,
        rows=rows,
        labels=labels,
        scores={grid.header[column]: values[i] for i, column in enumerate(score_columns)},
        dropped=grid.n_rows - rows.size,
        notes=(*notes, *left_out, *percents, *group_notes),
        level=level,
    )


def _check_roles(grid: Grid, found: dict[str, int], roles: Sequence[str]) -> None:
    if "system" not in found:
        raise fault(
            grid,
            _no_column("No column names the systems", grid, "system"),
            code="BT021",
        )
    if "judge" in roles and "judge" not in found:
        raise fault(
            grid,
            _no_column("No column names the judges", grid, "judge"),
            code="BT021",
        )


def _no_column(what: str, grid: Grid, role: str) -> Message:
    return Message(
        "{what} (columns: {columns}). Say which one does: {fix}.",
        what=what,
        columns=some_of(grid.header),
        fix=role_option(role),
    )


def _level(grid: Grid, found: dict[str, int]) -> str:
    """Return what scores belong to; without a column of segments, a document takes its place, else the system.

    Raises
    ------
    ReadError
        Without a column of segments, when a system or document has several scores of one metric (BT021).
    """
    if "item" in found:
        return "segment"
    if "judge" not in found and _is_once(grid, found):
        if "group" not in found:
            return "system"
        found["item"] = found.pop("group")
        return "document"
    raise fault(
        grid,
        Message(
            "No column says which segment a score belongs to (columns: {columns}), so systems cannot be compared "
            "segment by segment. Say which one does with {item}, or give each system a column.",
            columns=some_of(grid.header),
            item=role_option("item"),
        ),
        code="BT021",
    )


def _is_once(grid: Grid, found: dict[str, int]) -> bool:
    """Whether a system has one score for each metric, or for each metric and document."""
    cell = np.zeros(grid.n_rows, dtype=np.int64)
    for role in ("system", "metric", "group"):
        if role in found:
            labels = grid.labels(found[role])
            if role != "metric" and (labels.codes < 0).any():
                return False
            cell = cell * (len(labels.names) + 1) + labels.codes
    return bool(np.unique(cell).size == cell.size)


def system_level_note() -> str:
    """Say that a table holds one score a system."""
    return "There is one score for each system, so systems cannot be compared segment by segment."


def one_score_each(grid: Grid) -> ReadError:
    """Build the error for a table of system-level scores."""
    return fault(
        grid,
        "There is one score for each system, so paired tests are impossible: they need the score of every "
        "segment. Give the file of segment scores.",
        code="BT103",
    )


def _score_columns(
    grid: Grid, found: dict[str, int], ignored: set[int], kept: frozenset[int]
) -> tuple[list[int], tuple[str, ...]]:
    """Return the column named as score; else every column of numbers is a metric of its own."""
    if "score" in found:
        if kept:
            raise fault(
                grid,
                Message(
                    "Column {column} holds the scores, so no other column can be kept as a metric. "
                    "Leave {keep} out, or name the column of scores: {score}.",
                    column=quoted(grid.header[found["score"]]),
                    keep=Option("keep"),
                    score=role_option("score"),
                ),
                code="BT214",
            )
        return [found["score"]], ()
    taken = {*found.values(), *ignored}
    free = [
        i for i, name in enumerate(grid.header) if i not in taken and (i in kept or not is_descriptive(name))
    ]
    values, _ = score_numbers(grid, free)
    some, text = has_numbers(values), has_text(values)
    chosen = [column for column, good in zip(free, some & ~text, strict=True) if good or column in kept]
    mixed = [column for column, bad in zip(free, some & text, strict=True) if bad and column not in kept]
    ids = [
        column for column in chosen if column not in kept and meaning_of(grid.header[column]) == "identifier"
    ]
    chosen = [column for column in chosen if column not in ids] or chosen
    for column in mixed:
        row = values[[free.index(column)]]
        # A few texts among many numbers are slips in a metric; a few numbers among many texts are answers.
        if not chosen or np.isfinite(row).sum() > np.isinf(row).sum():
            check_numbers(grid, row, [column])
    if not chosen:
        raise fault(
            grid,
            _no_column("No column holds scores", grid, "score"),
            code="BT021",
        )
    left_out = {"with numbers and text": mixed, "of ids": [column for column in ids if column not in chosen]}
    notes = (
        f"Columns {what} were left out: {some_of([quoted(grid.header[column]) for column in columns])}."
        for what, columns in left_out.items()
        if columns
    )
    return chosen, tuple(notes)


def _kept(labels: dict[str, Labels], values: FloatArray) -> IntArray:
    blank = np.isnan(values).all(axis=0)
    for found in labels.values():
        blank &= found.codes < 0
    return np.flatnonzero(~blank)


def _check_names(grid: Grid, found: dict[str, int], labels: dict[str, Labels], rows: IntArray) -> None:
    for role, what in _NEEDED.items():
        empty = np.flatnonzero(labels[role].codes < 0) if role in labels else np.empty(0, dtype=np.int64)
        if empty.size:
            row = int(rows[empty[0]])
            raise fault(grid, nameless_row(grid, row, found.get(role), what), row=row, code="BT105")
    if rows.size == 0:
        raise fault(grid, "Every row is empty. Check what wrote the file.", code="BT011")


def nameless_row(grid: Grid, row: int, column: int | None, what: str) -> str:
    """Say that a row names no system, segment or judge; see :func:`~betterthan.read.grid.missing.missing_name`."""
    cell = "" if column is None else grid.cell(row, column)
    # What is null in JSON or a data frame is shown as "None", which the user did not write.
    return missing_name("" if cell == str(None) else cell, what)


def usable_groups(labels: dict[str, Labels], *, asked: bool) -> tuple[dict[str, Labels], tuple[str, ...]]:
    """Settle what the documents mean for the segments, and say so.

    A column of documents with gaps is left out unless the user asked for it; segments that are counted anew in
    every document become document:segment.
    """
    groups = labels.get("group")
    if groups is None:
        return labels, ()
    if (groups.codes < 0).any():
        if asked:
            raise TableError(f"{int((groups.codes < 0).sum())} rows have no group. Fill these cells in.")
        rest = {role: found for role, found in labels.items() if role != "group"}
        return rest, ("Documents were left out, because some rows name none.",)
    return _with_documents(labels, groups)


def _with_documents(labels: dict[str, Labels], groups: Labels) -> tuple[dict[str, Labels], tuple[str, ...]]:
    """Make (document, segment) the segment when segments are counted anew in every document."""
    items = labels["item"]
    own = groups.codes[first_rows(items.codes, len(items.names))]
    if (own[items.codes] == groups.codes).all():
        return labels, ()
    pair = items.codes.astype(np.int64) * len(groups.names) + groups.codes
    distinct, inverse = np.unique(pair, return_inverse=True)
    names = tuple(
        f"{groups.names[p % len(groups.names)]}:{items.names[p // len(groups.names)]}"
        for p in distinct.tolist()
    )
    both = compact(Labels(inverse.astype(np.int32), names))
    note = "The same segment ids occur in several documents, so a segment is named document:segment."
    return {**labels, "item": both}, (note,)
