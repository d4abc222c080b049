"""Slices of the items of a gate: every value of a column, such as a topic or a language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from betterthan.errors import BetterThanError, TableError
from betterthan.messages import Message, Option
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

SliceableTable = Scores | Runs
_MOST = 200


class Slicing(NamedTuple):
    """The slice of each item by one column."""

    name: str
    of: Mapping[str, str]


def slicing_of(column: str, table: object) -> Slicing:
    """Return the slices of a table that was read with this column as its groups.

    Raises
    ------
    TableError
        When there are no groups, because the column has different values for the same item in the two systems.
    """
    refuse_unsliceable(table, column)
    if not isinstance(table, Scores | Runs) or table.groups is None:
        raise TableError(
            f'The column "{column}" has different values for the same item, so items may have changed. '
            f"Make the files agree, or gate without slices."
        )
    return Slicing(column, dict(zip(table.segments, table.groups, strict=True)))


def slicing_from(name: str, labels: Sequence[object], table: object) -> Slicing:
    """Return the slices of a table from one label for each of its items.

    Raises
    ------
    BetterThanError
        When there are not as many labels as items.
    """
    refuse_unsliceable(table, name)
    segments = table.segments if isinstance(table, Scores | Runs) else ()
    if len(labels) != len(segments):
        raise BetterThanError(
            Message(
                '{option} has {n} labels for "{name}", and there are {items} items.',
                option=Option("slices"),
                n=len(labels),
                name=name,
                items=len(segments),
            )
        )
    return Slicing(name, {segment: str(label) for segment, label in zip(segments, labels, strict=True)})


def refuse_unsliceable(table: object, name: str) -> None:
    """Raise for tables that have no scores of items."""
    if isinstance(table, Counts | Matches):
        raise TableError(f'Slices by "{name}" are for scores of items, not for {type(table).__name__}.')


def parts_of(table: SliceableTable, slicing: Slicing) -> list[tuple[str, SliceableTable]]:
    """Return the part of the table in each slice, by the slice's name, such as "topic = law", in order.

    Raises
    ------
    BetterThanError
        When there are too many slices, as in a column of ids.
    """
    members: dict[str, list[str]] = {}
    for segment in table.segments:
        members.setdefault(slicing.of[segment], []).append(segment)
    if len(members) > _MOST:
        raise BetterThanError(
            f'"{slicing.name}" has {len(members):,} values, and at most {_MOST} slices are compared. '
            f"Name a column that puts items together."
        )
    names = sorted(members)
    return [(f"{slicing.name} = {name}", _part(table, members[name])) for name in names]


def _part(table: SliceableTable, segments: list[str]) -> SliceableTable:
    if isinstance(table, Scores):
        return table.select(segments=segments)
    chosen = set(segments)
    others = [name for name in table.segments if name not in chosen]
    part = table.without_segments(others, because="of another slice") if others else table
    return replace(part, notes=table.notes)
