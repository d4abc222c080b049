"""Segments without ids: row numbers, which are meaningless in another file unless rows correspond.

A reader that numbers rows sets the field `row_order` of its table. Tables are joined by ids or, when none of them has
any, by row number if their numbers of rows are equal. Anything else could silently pair the wrong segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from betterthan.errors import TableError, some_of
from betterthan.messages import COLUMN, Message, Option

BY_ORDER = Message("Rows were matched by their order, because the files have no segment ids.")


class RowOrder(NamedTuple):
    """How segments were numbered.

    Attributes
    ----------
    n_rows : int
        The number of rows, from 1.
    unused_ids : tuple of str
        Unused columns with a distinct value in every row, like ids.
    is_layout : bool
        Whether the layout defines line k as segment k of the test set, as in the metrics task.
    """

    n_rows: int
    unused_ids: tuple[str, ...] = ()
    is_layout: bool = False


class Identified(Protocol):
    """A table whose segments have names."""

    @property
    def segments(self) -> tuple[str, ...]:
        """Ids, or the numbers of rows."""

    @property
    def groups(self) -> tuple[str, ...] | None:
        """The document of each segment."""

    @property
    def row_order(self) -> RowOrder | None:
        """How segments were numbered, None when they have ids."""


def numbers(n: int) -> tuple[str, ...]:
    """Return the names of n rows.

    Examples
    --------
    >>> numbers(3)
    ('1', '2', '3')
    """
    return tuple(str(k) for k in range(1, n + 1))


def as_row_order(given: object) -> RowOrder | None:
    """Return the field of a table from what was given or stored; None stays None."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        given = (given["n_rows"], given.get("unused_ids", ()), given.get("is_layout", False))
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 3:
        raise TableError(f"row_order must be a RowOrder or None, not {given!r}.")
    n_rows, unused, is_layout = given
    return RowOrder(int(n_rows), tuple(map(str, unused)), bool(is_layout))


def to_json(order: RowOrder | None) -> dict[str, object] | None:
    """Return plain data for JSON."""
    return None if order is None else {**order._asdict(), "unused_ids": list(order.unused_ids)}


def are_matched_by_order(tables: Sequence[Identified]) -> bool:
    """Whether a note on matching by row order is needed: no table has ids, and no layout defines the order."""
    orders = [table.row_order for table in tables]
    return len(orders) > 1 and any(order is not None and not order.is_layout for order in orders)


def check_identity(tables: Sequence[Identified], *, names: Sequence[str]) -> None:
    """Raise when segments with the same names may differ between tables.

    Parameters
    ----------
    tables : sequence of tables
    names : sequence of str
        Their names in messages: metrics or files.

    Raises
    ------
    TableError
        When only some have ids (BT232), numbers of rows differ (BT332), an unused column looks like ids (BT233), the
        same row belongs to two documents (BT234), or ids start from 0 in one and from 1 in the other (BT235).
    """
    labelled = [(table, f'"{name}"') for table, name in zip(tables, names, strict=True)]
    with_ids = [pair for pair in labelled if pair[0].row_order is None]
    numbered = [pair for pair in labelled if pair[0].row_order is not None]
    for table, name in numbered[1:]:
        _check_rows(*numbered[0], table, name)
    for table, name in with_ids[1:]:
        if table.segments != with_ids[0][0].segments:
            check_start((with_ids[0][0].segments, with_ids[0][1]), (table.segments, name))
    for table, name in with_ids if numbered else ():
        _check_lines(*numbered[0], table, name)


def _check_lines(lines: Identified, numbered: str, table: Identified, with_ids: str) -> None:
    """Raise when only some tables have ids, unless rows are lines of a test set and ids are line numbers."""
    assert lines.row_order is not None  # noqa: S101  (asked for a numbered table)
    if lines.row_order.is_layout:
        check_start((lines.segments, numbered), (table.segments, with_ids))
        ids = _as_counts(table.segments)
        if ids is not None and min(ids) >= 1 and max(ids) <= lines.row_order.n_rows:
            return
    raise TableError(
        Message(
            "{numbered} has no segment ids, only rows in some order, but {with_ids} has ids ({ids}). "
            "Joining by row number could pair the wrong segments. Name the column that holds the ids with "
            '{item}, or call it "id"; if there is none, add one.',
            numbered=numbered,
            with_ids=with_ids,
            ids=some_of(table.segments, limit=3),
            item=Option("item", COLUMN),
        ),
        code="BT232",
    )


def _check_rows(one: Identified, first: str, other: Identified, second: str) -> None:
    assert one.row_order is not None  # noqa: S101  (asked for numbered tables only)
    assert other.row_order is not None  # noqa: S101
    if one.row_order.n_rows != other.row_order.n_rows:
        raise TableError(
            Message(
                "{second} has {n_second:,} rows, but {first} has {n_first:,}, and there are no ids to match rows. "
                "Name the column of the segment ids with {item}, or score the same "
                "segments.",
                second=second,
                n_second=other.row_order.n_rows,
                first=first,
                n_first=one.row_order.n_rows,
                item=Option("item", COLUMN),
            ),
            code="BT332",
        )
    for table, name in ((one, first), (other, second)):
        if table.row_order is not None and table.row_order.unused_ids:
            column = table.row_order.unused_ids[0]
            raise TableError(
                Message(
                    '{first} and {second} would be joined by the order of their rows, but column "{column}" '
                    "of {name} looks like ids: its values are all different. Use {item}, or remove the "
                    "column if the rows are in the same order.",
                    first=first,
                    second=second,
                    column=column,
                    name=name,
                    item=Option("item", column),
                ),
                code="BT233",
            )
    _check_documents(one, first, other, second)


def _check_documents(one: Identified, first: str, other: Identified, second: str) -> None:
    if one.groups is None or other.groups is None:
        return
    known = dict(zip(one.segments, one.groups, strict=True))
    for row, group in zip(other.segments, other.groups, strict=True):
        if known.get(row, group) != group:
            raise TableError(
                f'{first} and {second} have no ids, and row {row} is of document "{known[row]}" in {first} and of '
                f'"{group}" in {second}, so their rows are in different orders. Add a column with the ids of segments.',
                code="BT234",
            )


def check_start(one: tuple[Sequence[str], str], other: tuple[Sequence[str], str]) -> None:
    """Raise when ids may start from 0 in one table and from 1 in the other; one of the two may be incomplete.

    Parameters
    ----------
    one, other : tuple of ids and the name of the table

    Raises
    ------
    TableError
        When it is ambiguous (BT235).
    """
    if ("0" in one[0]) == ("0" in other[0]):
        return
    (zero, first), (unit, second) = (one, other) if "0" in one[0] else (other, one)
    from_0, from_1 = _as_counts(zero), _as_counts(unit)
    if from_0 is None or from_1 is None:
        return
    last_0, last_1 = max(from_0), max(from_1)
    is_whole_0, is_whole_1 = len(from_0) == last_0 + 1, len(from_1) == last_1
    if (is_whole_0 and last_1 == last_0 + 1) or (is_whole_1 and last_0 < last_1):
        raise TableError(
            Message(
                "Segments are numbered 0 to {last_0:,} in {first} and {first_1:,} to {last_1:,} in "
                "{second}, so these may be the same segments counted from 0 and from 1. If they are, add 1 "
                "to the ids of {first}; if segment 1 is the same in both, write ids with a letter, such as "
                "s1, in both. You can also name a column with the same ids in both: {item}.",
                last_0=last_0,
                first=first,
                first_1=min(from_1),
                last_1=last_1,
                second=second,
                item=Option("item", COLUMN),
            ),
            code="BT235",
        )


def _as_counts(segments: Sequence[str]) -> set[int] | None:
    """Return the segments as integers, None when a name is not one."""
    if not all(name.isascii() and name.isdigit() for name in segments):
        return None
    found = {int(name) for name in segments}
    return found if len(found) == len(segments) else None
