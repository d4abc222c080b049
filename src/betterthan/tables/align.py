"""Bring tables to the same systems and segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from betterthan.errors import TableError, some_of
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores

Table = TypeVar("Table", Scores, Counts, Scores | Counts)


def align(*tables: Table) -> tuple[Table, ...]:
    """Return the tables restricted to the systems and segments that all of them have.

    The order is that of the first table. What is left out of a table is said in its notes.

    Raises
    ------
    TableError
        When no system, or no segment, is common to all tables.

    Examples
    --------
    >>> a = Scores(name="human", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [3, 4]])
    >>> b = Scores(name="BLEU", systems=["B", "A"], segments=["2", "3"], values=[[5, 6], [7, 8]])
    >>> [table.values.tolist() for table in align(a, b)]
    [[[2.0], [4.0]], [[7.0], [5.0]]]
    """
    if not tables:
        raise TableError("There is nothing to align. Pass at least one table.")
    systems = _shared([t.systems for t in tables], [t.name for t in tables], what="systems")
    segments = _shared([t.segments for t in tables], [t.name for t in tables], what="segments")
    return tuple(_restricted(table, systems, segments) for table in tables)


def _shared(lists: Sequence[tuple[str, ...]], names: Sequence[str], *, what: str) -> list[str]:
    common = set(lists[0]).intersection(*map(set, lists[1:]))
    if not common:
        # With three tables the overlaps may exist only in pairs; then the last one is named.
        other = next((i for i, listed in enumerate(lists) if not set(lists[0]) & set(listed)), len(lists) - 1)
        raise TableError(
            f'"{names[0]}" and "{names[other]}" share no {what}. '
            f"{names[0]} has: {some_of(lists[0])}; {names[other]} has: {some_of(lists[other])}."
        )
    return [label for label in lists[0] if label in common]


def _restricted(table: Table, systems: Sequence[str], segments: Sequence[str]) -> Table:
    notes = list(table.notes)
    without = [name for name in table.systems if name not in set(systems)]
    if without:
        notes.append(f'Systems left out of "{table.name}", absent elsewhere: {some_of(without)}.')
    if len(segments) < table.n_segments:
        gone = table.n_segments - len(segments)
        notes.append(f'{gone} of {table.n_segments} segments of "{table.name}" left out, absent elsewhere.')
    return replace(table.select(systems, segments), notes=tuple(notes))
