"""One table from two: the scores of a baseline and of a candidate, each with one system.

Slices of the items of a gate: every value of a column, such as a topic or a language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from betterthan.analysis.table_argument import usual_direction
from betterthan.arrays import IntArray
from betterthan.errors import BetterThanError, TableError, some_of
from betterthan.messages import COLUMN, Message, Option
from betterthan.tables.any_table import AnyTable
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.row_order import BY_ORDER, are_matched_by_order, check_identity
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


PairedTable = Scores | Counts | Runs
_Paired = TypeVar("_Paired", Scores, Counts, Runs)
_ROLES = ("baseline", "candidate")


def paired(baseline: object, candidate: object, *, missing: Literal["raise", "drop"]) -> PairedTable:
    """Return one table with both systems, whose items are matched by id, or by order where neither has ids.

    The metric is the name that both tables share. Where they share the name of their system instead, because the only
    column of a file was read as one, that is the metric, and the systems have the names of the tables.

    Raises
    ------
    TableError
        When a table has several systems, the metrics or their directions differ, items may not be the same
        (:func:`betterthan.tables.row_order.check_identity`), or few of them are in both.

    Examples
    --------
    >>> before = Scores(name="base", systems=["correct"], segments=["1", "2"], values=[[1, 0]])
    >>> after = Scores(name="cand", systems=["correct"], segments=["2", "1"], values=[[1, 0]])
    >>> table = paired(before, after, missing="raise")
    >>> table.name, table.systems, table.values.tolist()
    ('correct', ('base', 'cand'), [[1.0, 0.0], [0.0, 1.0]])
    """
    if not (isinstance(baseline, AnyTable) and isinstance(candidate, AnyTable)):
        raise TableError("Only one of baseline and candidate is a table. Pass two tables, or two paths.")
    if isinstance(baseline, Matches) or isinstance(candidate, Matches):
        raise TableError(
            Message(
                "Battles have both systems. Pass one table, and name the two: {option}.",
                option=Option("systems", list(_ROLES)),
            )
        )
    for role, table in zip(_ROLES, (baseline, candidate), strict=True):
        if not isinstance(table, Scores | Counts | Runs):
            raise TableError(f"gate takes Scores, Counts or Runs, and the {role} is {type(table).__name__}.")
        if len(table.systems) != 1:
            raise TableError(
                Message(
                    "The {role} has {n} systems: {names}. Select one with select([{first}]), or pass one table with "
                    "both and {option}.",
                    role=role,
                    n=len(table.systems),
                    names=some_of(table.systems),
                    first=f'"{table.systems[0]}"',
                    option=Option("systems", list(_ROLES)),
                )
            )
    if isinstance(baseline, Scores) and isinstance(candidate, Scores):
        return _scores(*_named(baseline, candidate))
    if isinstance(baseline, Counts) and isinstance(candidate, Counts):
        return _counts(*_named(baseline, candidate), missing)
    if isinstance(baseline, Runs) and isinstance(candidate, Runs):
        return _runs(*_named(baseline, candidate))
    kinds = " and ".join(type(table).__name__ for table in (baseline, candidate))
    raise TableError(f"Baseline and candidate must be tables of one kind, and these are {kinds}.")


def _named(first: _Paired, second: _Paired) -> tuple[_Paired, _Paired]:
    """Return the tables with one metric and two systems; see :func:`paired`."""
    (a,), (b,) = first.systems, second.systems
    if first.name != second.name:
        if a != b:
            raise TableError(
                Message(
                    'The metrics are called "{first}" and "{second}". If they are the same, give both tables one name '
                    "where they are read: {option}.",
                    first=first.name,
                    second=second.name,
                    option=Option("name", "accuracy"),
                )
            )
        usual = usual_direction(a)
        if usual not in ("", "higher") and first.higher_is_better:
            raise TableError(
                Message(
                    '"{metric}" was read as a system, so its direction was not inferred, and higher may not be better. '
                    "Name the metric where it is read: {option}.",
                    metric=a,
                    option=Option("name", a),
                )
            )
        metric, systems = a, (first.name, second.name)
    else:
        metric, systems = first.name, (a, b) if a != b else _ROLES
    if first.higher_is_better != second.higher_is_better:
        raise TableError(
            f'Higher "{metric}" is better in one of the two tables and lower in the other. Make them agree with '
            f"lower_is_better where they are read."
        )
    first = replace(first, name=metric, systems=systems[:1])
    second = replace(second, name=metric, systems=systems[1:])
    if not isinstance(first, Runs) and not isinstance(second, Runs):
        check_identity([first, second], names=systems)
    _refuse_few(first, second)
    return first, second


def _refuse_few(first: PairedTable, second: PairedTable) -> None:
    n_least = min(len(first.segments), len(second.segments))
    n_shared = len(set(first.segments).intersection(second.segments))
    if 2 * n_shared < n_least:
        raise TableError(
            Message(
                "The two tables share {n_shared:,} of {n_least:,} items ({first} and {second}). Check that they are of "
                "the same test set, and name the column of ids where they are read: {item}.",
                n_shared=n_shared,
                n_least=n_least,
                first=some_of(first.segments, limit=3),
                second=some_of(second.segments, limit=3),
                item=Option("item", COLUMN),
            ),
            code="BT236",
        )


def _scores(first: Scores, second: Scores) -> Scores:
    segments = tuple(dict.fromkeys((*first.segments, *second.segments)))
    values = np.full((2, len(segments)), np.nan)
    for row, table in enumerate((first, second)):
        values[row, _places(table.segments, segments)] = table.values[0]
    groups, notes = _groups(first, second, segments)
    if are_matched_by_order([first, second]):
        notes.insert(0, BY_ORDER)
    return replace(
        first,
        systems=(*first.systems, *second.systems),
        segments=segments,
        values=values,
        groups=groups,
        notes=_notes(first, second, notes),
        direction_doubt=first.direction_doubt or second.direction_doubt,
    )


def _counts(first: Counts, second: Counts, missing: Literal["raise", "drop"]) -> Counts:
    if (first.formula, first.columns) != (second.formula, second.columns):
        raise TableError(
            f'The two tables of "{first.name}" have different formulas ({first.formula.name} and '
            f"{second.formula.name}) or columns. Score both in the same way."
        )
    shared = [name for name in first.segments if name in set(second.segments)]
    lacking = (set(first.segments) | set(second.segments)).difference(shared)
    notes: list[str] = []
    if lacking:
        if missing == "raise":
            raise TableError(
                Message(
                    "{n:,} segments are in only one of the two tables: {names}. Leave them out with {drop}.",
                    n=len(lacking),
                    names=some_of(sorted(lacking), limit=3),
                    drop=Option("missing", "drop"),
                )
            )
        notes.append(f"{len(lacking):,} segments that only one of the two systems has were left out.")
        first, second = first.select(segments=shared), second.select(segments=shared)
    groups, more = _groups(first, second, first.segments)
    notes += more
    if are_matched_by_order([first, second]):
        notes.insert(0, BY_ORDER)
    order = _places(first.segments, second.segments)
    return replace(
        first,
        systems=(*first.systems, *second.systems),
        values=np.concatenate([first.values, second.values[:, order]]),
        groups=groups,
        notes=_notes(first, second, notes),
    )


def _runs(first: Runs, second: Runs) -> Runs:
    segments = tuple(dict.fromkeys((*first.segments, *second.segments)))
    runs = tuple(dict.fromkeys((*first.runs, *second.runs)))
    tables = (first, second)
    same = first.factors == second.factors
    groups, notes = _groups(first, second, segments)
    return replace(
        first,
        systems=(*first.systems, *second.systems),
        segments=segments,
        runs=runs,
        system=np.repeat([0, 1], [table.score.size for table in tables]),
        segment=np.concatenate([_places(table.segments, segments)[table.segment] for table in tables]),
        run=np.concatenate([_places(table.runs, runs)[table.run] for table in tables]),
        score=np.concatenate([table.score for table in tables]),
        factors=first.factors if same else (),
        levels=(*first.levels, *second.levels) if same else (),
        independent=first.independent and second.independent,
        groups=groups,
        notes=_notes(first, second, notes),
        direction_doubt=first.direction_doubt or second.direction_doubt,
    )


def _groups(
    first: PairedTable, second: PairedTable, segments: Sequence[str]
) -> tuple[tuple[str, ...] | None, list[str]]:
    """Return the groups of all items, and a note where the tables disagree on them."""
    known = dict(zip(first.segments, first.groups or (), strict=False))
    others = dict(zip(second.segments, second.groups or (), strict=False))
    differing = [name for name, group in others.items() if known.setdefault(name, group) != group]
    if differing:
        note = (
            f"The two tables have different groups for {len(differing):,} items ({some_of(differing, limit=3)}), so "
            f"groups were left out and every item counts on its own."
        )
        return None, [note]
    return (tuple(known[name] for name in segments) if all(name in known for name in segments) else None), []


def _notes(first: PairedTable, second: PairedTable, more: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*more, *first.notes, *second.notes)))


def _places(names: Sequence[str], among: Sequence[str]) -> IntArray:
    index = {name: place for place, name in enumerate(among)}
    return np.array([index[name] for name in names], dtype=np.int64)
