"""Any table as plain rows with canonical columns: what `convert` writes and every reader understands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

from betterthan.errors import ReadError, TableError
from betterthan.messages import Message, Option
from betterthan.read.formats.battles.battle_columns import covariate_column
from betterthan.read.protocol import AnyTable
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

Row = tuple[Any, ...]
GOLD = "@gold"
SOURCE = "@src"
REFERENCE = "@ref"


class Tidy(NamedTuple):
    """Column names and rows; None is a missing cell. `measured` names columns of numbers beside the canonical ones."""

    columns: tuple[str, ...]
    rows: Iterator[Row]
    measured: frozenset[str] = frozenset()


@singledispatch
def tidy(table: AnyTable) -> Tidy:
    """Return a table as rows with canonical columns.

    Examples
    --------
    >>> table = tidy(Scores(name="m", systems=["A"], segments=["1", "2"], values=[[0.5, float("nan")]]))
    >>> table.columns
    ('item', 'system', 'score', 'metric', 'higher_is_better')
    >>> list(table.rows)
    [('1', 'A', 0.5, 'm', True), ('2', 'A', None, 'm', True)]
    """
    raise TableError(
        f"{type(table).__name__} have no form as plain rows. Write scores, for example counts.per_segment()."
    )


def all_tidy(tables: Sequence[AnyTable]) -> Tidy:
    """Return several tables of one kind, such as the scores of several metrics, as one."""
    if not tables:
        raise TableError(
            "There is no table to write: a file of tags or labels says nothing about a system by itself. "
            "Give a folder with gold.tags and the tags of systems."
        )
    if len(tables) > 1 and not isinstance(tables[0], Scores | Ratings) and not _fit(tables):
        raise TableError(
            Message(
                "These are {n} tables, of several language pairs, and their rows would be mixed up in one file. "
                "Choose one, for example with {where}.",
                n=len(tables),
                where=Option("where", {"lp": "en-de"}),
            )
        )
    parts = [tidy(table) for table in tables]
    columns = max((part.columns for part in parts), key=len)
    if any(type(table) is not type(tables[0]) for table in tables) or not all(
        part.columns == columns for part in parts
    ):
        raise TableError(
            "Only tables of the same kind, all with documents or all without, fit into one file."
        )
    return Tidy(columns, (row for part in parts for row in part.rows), parts[0].measured)


def _fit(tables: Sequence[AnyTable]) -> bool:
    """Whether tags or texts can be told apart in one file: by their segments, with the same systems in each."""
    if not all(isinstance(table, WordTags | Texts) for table in tables):
        return False
    segments = [name for table in tables if isinstance(table, WordTags | Texts) for name in table.segments]
    return len(set(segments)) == len(segments) and len({table.systems for table in tables}) == 1


def _with_groups(groups: tuple[str, ...] | None, *columns: str) -> tuple[str, ...]:
    return (*columns, "doc") if groups is not None else columns


def _group(groups: tuple[str, ...] | None, segment: int) -> tuple[str, ...]:
    return () if groups is None else (groups[segment],)


def _check_direction(table: Scores | Ratings) -> None:
    """Refuse to write down a direction that is not clear: whoever reads the file would believe it."""
    if table.direction_doubt:
        raise ReadError(table.direction_doubt, code="BT220")


@tidy.register
def _scores(table: Scores) -> Tidy:
    _check_direction(table)
    columns = (*_with_groups(table.groups, "item", "system", "score", "metric"), "higher_is_better")

    def rows() -> Iterator[Row]:
        # System by system, and missing scores too: so the order of first appearance is the table's.
        for system, values in zip(table.systems, table.values, strict=True):
            for j, value in enumerate(values.tolist()):
                score = None if math.isnan(value) else value
                group = _group(table.groups, j)
                yield (table.segments[j], system, score, table.name, *group, table.higher_is_better)

    return Tidy(columns, rows())


@tidy.register
def _ratings(table: Ratings) -> Tidy:
    _check_direction(table)
    columns = (*_with_groups(table.groups, "item", "system", "rater", "score", "metric"), "higher_is_better")
    judged = (table.segment.tolist(), table.system.tolist(), table.judge.tolist(), table.score.tolist())

    def rows() -> Iterator[Row]:
        for segment, system, judge, score in zip(*judged, strict=True):
            names = (table.segments[segment], table.systems[system], table.judges[judge])
            yield (*names, score, table.name, *_group(table.groups, segment), table.higher_is_better)

    return Tidy(columns, rows())


@tidy.register
def _matches(table: Matches) -> Tidy:
    optional = {"item": table.segment, "judge": table.group}
    present: dict[str, list[Any]] = {
        name: _numbered(index.tolist()) for name, index in optional.items() if index is not None
    }
    for c, name in enumerate(table.covariate_names):
        values = [] if table.covariates is None else table.covariates[:, c].tolist()
        present[covariate_column(name)] = values
    outcomes, weights = table.outcome.tolist(), table.weight.tolist()

    def rows() -> Iterator[Row]:
        sides = zip(table.left.tolist(), table.right.tolist(), strict=True)
        for i, (left, right) in enumerate(sides):
            extra = (values[i] for values in present.values())
            yield (table.systems[left], table.systems[right], outcomes[i], weights[i], *extra)

    measured = frozenset(map(covariate_column, table.covariate_names))
    return Tidy(("a", "b", "outcome", "weight", *present), rows(), measured)


def _numbered(codes: Sequence[int]) -> list[str]:
    """Return codes as texts of one length, so that their order as texts is their order as numbers."""
    width = len(str(max(codes, default=0)))
    return [f"{code:0{width}d}" for code in codes]


@tidy.register
def _tags(table: WordTags) -> Tidy:
    columns = _with_groups(table.groups, "item", "system", "position", "tag")
    ends = table.offsets.tolist()

    def rows() -> Iterator[Row]:
        for system, tags in zip((GOLD, *table.systems), (table.gold, *table.predicted), strict=True):
            marks = tags.tolist()
            for j, segment in enumerate(table.segments):
                for position, bad in enumerate(marks[ends[j] : ends[j + 1]]):
                    yield (segment, system, position, "BAD" if bad else "OK", *_group(table.groups, j))

    return Tidy(columns, rows())


@tidy.register
def _texts(table: Texts) -> Tidy:
    columns = _with_groups(table.groups, "item", "system", "text")
    named: list[tuple[str, Sequence[str | None]]] = list(zip(table.systems, table.outputs, strict=True))
    named += [
        (f"{REFERENCE}:{name}", lines)
        for name, lines in zip(table.reference_names, table.references, strict=True)
    ]
    if table.sources is not None:
        named.append((SOURCE, table.sources))

    def rows() -> Iterator[Row]:
        for system, lines in named:
            for j, text in enumerate(lines):
                # A missing output is a missing row, for an empty cell is an empty text.
                if text is not None:
                    yield (table.segments[j], system, text, *_group(table.groups, j))

    return Tidy(columns, rows())
