"""Alignment of tables to the same systems and segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TypeVar

from betterthan.errors import TableError, some_of
from betterthan.messages import COLUMN, Message, Option
from betterthan.tables.counts import Counts
from betterthan.tables.row_order import check_identity
from betterthan.tables.scores import Scores

Alignable = TypeVar("Alignable", Scores, Counts, Scores | Counts)


def align(*tables: Alignable) -> tuple[Alignable, ...]:
    """Return the tables restricted to the systems and segments that all of them have.

    The order is that of the first table. The notes of a table say what was left out.

    Raises
    ------
    TableError
        When no system, or no segment, is common to all tables; when segments may not be the same although they have
        the same names (see :func:`betterthan.tables.row_order.check_identity`); or when fewer than half of the
        segments of the smallest table are in all of them (BT236).

    Examples
    --------
    >>> a = Scores(name="human", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [3, 4]])
    >>> b = Scores(name="BLEU", systems=["B", "A"], segments=["2", "3"], values=[[5, 6], [7, 8]])
    >>> [table.values.tolist() for table in align(a, b)]
    [[[2.0], [4.0]], [[7.0], [5.0]]]
    """
    if not tables:
        raise TableError("There is nothing to align. Pass at least one table.")
    for table in tables:
        if not isinstance(table, Scores | Counts):
            raise TableError(f"Only Scores and Counts can be aligned, not {type(table).__name__}.")
    systems = _shared([t.systems for t in tables], [t.name for t in tables], what="systems")
    check_identity(tables, names=[table.name for table in tables])
    segments = _shared([t.segments for t in tables], [t.name for t in tables], what="segments")
    _refuse_few(tables, len(segments))
    return tuple(_restricted(table, systems, segments) for table in tables)


def _shared(lists: Sequence[tuple[str, ...]], names: Sequence[str], *, what: str) -> list[str]:
    common = set(lists[0]).intersection(*map(set, lists[1:]))
    if not common:
        apart = [(i, j) for i, j in combinations(range(len(lists)), 2) if set(lists[i]).isdisjoint(lists[j])]
        # With three tables every two may overlap although nothing is common to all.
        concerned = apart[0] if apart else range(len(lists))
        quoted = " and ".join(f'"{names[i]}"' for i in concerned)
        having = "; ".join(f"{names[i]} has: {some_of(lists[i])}" for i in concerned)
        raise TableError(f"{quoted} share no {what}. {having}.")
    return [label for label in lists[0] if label in common]


def _refuse_few(tables: Sequence[Scores | Counts], n_shared: int) -> None:
    smallest = min(tables, key=lambda table: table.n_segments)
    if 2 * n_shared < smallest.n_segments:
        other = next(table for table in tables if table is not smallest)
        raise TableError(
            Message(
                'Only {n:,} of the {total:,} segments of "{name}" are in all tables ({name} has {segments}; '
                "{other} has {others}). Check that they are from the same test set, and name the column of "
                "the ids: {item}.",
                n=n_shared,
                total=smallest.n_segments,
                name=smallest.name,
                segments=some_of(smallest.segments, limit=3),
                other=other.name,
                others=some_of(other.segments, limit=3),
                item=Option("item", COLUMN),
            ),
            code="BT236",
        )


def _restricted(table: Alignable, systems: Sequence[str], segments: Sequence[str]) -> Alignable:
    if table.systems == tuple(systems) and table.segments == tuple(segments):
        return table
    notes = list(table.notes)
    kept = set(systems)
    without = [name for name in table.systems if name not in kept]
    if without:
        notes.append(f'Systems left out of "{table.name}", missing from other tables: {some_of(without)}.')
    if len(segments) < table.n_segments:
        gone = table.n_segments - len(segments)
        notes.append(
            f'{gone:,} of {table.n_segments:,} segments of "{table.name}" left out, missing from other tables.'
        )
    return replace(table.select(systems, segments), notes=tuple(notes))
