"""Tables as tidy rows with canonical columns, as `convert` writes them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, IntArray
from betterthan.errors import ReadError, TableError
from betterthan.messages import Message, Option
from betterthan.read.formats.battles.battle_columns import covariate_column
from betterthan.read.formats.tables.cells import nameless_row, second_rows, usable_groups
from betterthan.read.formats.tables.long_table import FACTOR
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.columns import find, plain
from betterthan.read.grid.grid import Grid, Labels, check_numbers, fault, first_rows, quoted
from betterthan.read.grid.open_grid import read_table
from betterthan.read.protocol import Format, FormatReader, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.any_table import AnyTable
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

Row = tuple[Any, ...]
GOLD = "@gold"
SOURCE = "@src"
REFERENCE = "@ref"


class Tidy(NamedTuple):
    """Column names and rows; None is a missing cell. `measured` names columns of numbers besides the canonical ones."""

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
        f"{type(table).__name__} cannot be written as plain rows. Write scores, for example counts.per_segment()."
    )


def all_tidy(tables: Sequence[AnyTable]) -> Tidy:
    """Return several tables of one kind, such as the scores of several metrics, as one."""
    if not tables:
        raise TableError(
            "There is no table to write: a single file of tags cannot be evaluated. Use a folder with gold.tags and "
            "the tags of systems."
        )
    if len(tables) > 1 and not isinstance(tables[0], Scores | Ratings | Runs) and not _fit(tables):
        raise TableError(
            Message(
                "There are {n} tables of several language pairs, whose rows would be mixed up in one file. "
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
            "Only tables of the same kind, all with documents or all without, can be written to one file."
        )
    return Tidy(columns, (row for part in parts for row in part.rows), parts[0].measured)


def _fit(tables: Sequence[AnyTable]) -> bool:
    """Whether tags or texts can share one file: with distinct segments and the same systems in each."""
    if not all(isinstance(table, WordTags | Texts) for table in tables):
        return False
    segments = [name for table in tables if isinstance(table, WordTags | Texts) for name in table.segments]
    return len(set(segments)) == len(segments) and len({table.systems for table in tables}) == 1


def _with_groups(groups: tuple[str, ...] | None, *columns: str) -> tuple[str, ...]:
    return (*columns, "doc") if groups is not None else columns


def _group(groups: tuple[str, ...] | None, segment: int) -> tuple[str, ...]:
    return () if groups is None else (groups[segment],)


def _check_direction(table: Scores | Ratings | Runs) -> None:
    """Raise when a direction is unclear: a reader of the file would rely on it."""
    if table.direction_doubt:
        raise ReadError(table.direction_doubt, code="BT220")


@tidy.register
def _scores(table: Scores) -> Tidy:
    _check_direction(table)
    columns = (*_with_groups(table.groups, "item", "system", "score", "metric"), "higher_is_better")

    def rows() -> Iterator[Row]:
        # System by system, including missing scores, so that the order of first appearance is that of the table.
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
def _runs(table: Runs) -> Tidy:
    _check_direction(table)
    factors = tuple(f"{FACTOR}{name}" for name in table.factors) or ("system",)
    names = table.levels or tuple((name,) for name in table.systems)
    run = "repeat" if table.independent else "run"
    columns = (*_with_groups(table.groups, "item", *factors, run, "score", "metric"), "higher_is_better")
    measured = (table.segment.tolist(), table.system.tolist(), table.run.tolist(), table.score.tolist())

    def rows() -> Iterator[Row]:
        for segment, system, number, score in zip(*measured, strict=True):
            own = (table.segments[segment], *names[system], table.runs[number])
            yield (*own, score, table.name, *_group(table.groups, segment), table.higher_is_better)

    return Tidy(columns, rows())


@tidy.register
def _matches(table: Matches) -> Tidy:
    present: dict[str, list[Any]] = {}
    if table.segment is not None:
        codes = table.segment.tolist()
        present["item"] = [table.segments[code] for code in codes] if table.segments else _numbered(codes)
    if table.group is not None:
        present["judge"] = _numbered(table.group.tolist())
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
    """Return codes as zero-padded texts, which sort like numbers."""
    width = len(str(max(codes, default=0)))
    return [f"{code:0{width}d}" for code in codes]


@tidy.register
def _tag_rows(table: WordTags) -> Tidy:
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
def _text_rows(table: Texts) -> Tidy:
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
                # A missing output is a missing row, because an empty cell is an empty text.
                if text is not None:
                    yield (table.segments[j], system, text, *_group(table.groups, j))

    return Tidy(columns, rows())


# Common parts of tidy tables of tags and texts: a segment, a system, and one more column.


class TidyRows(NamedTuple):
    """Segments, systems and documents of a tidy table."""

    items: Labels
    systems: Labels
    groups: tuple[str, ...] | None


def position(header: tuple[str, ...], name: str) -> int | None:
    """Return the column with this name, case and punctuation ignored."""
    return next((i for i, column in enumerate(header) if plain(column) == name), None)


def has_columns(look: Peek, *names: str) -> bool:
    """Whether a table has columns for segment and system and all of `names`."""
    try:
        roles = find(look.header, {}, ("item", "system"), path="")
    except ReadError:
        return False
    return len(roles) == 2 and all(position(look.header, name) is not None for name in names)


def load_rows(grid: Grid, options: Options) -> TidyRows:
    """Read the labels; every row must have a segment and a system (BT105)."""
    roles = find(grid.header, options.columns, ("item", "system", "group"), path=grid.name)
    labels = {role: grid.labels(column) for role, column in roles.items()}
    for role, what in (("item", "segment"), ("system", "system")):
        if role not in labels:
            raise fault(grid, f"No column names the {what}. Name the column: --{role} COLUMN.", code="BT021")
        empty = np.flatnonzero(labels[role].codes < 0)
        if empty.size:
            text = nameless_row(grid, int(empty[0]), roles[role], what)
            raise fault(grid, text, row=int(empty[0]), code="BT105")
    labels, _ = usable_groups(labels, is_named="group" in options.columns)
    items, groups = labels["item"], labels.get("group")
    first = first_rows(items.codes, len(items.names))
    named = None if groups is None else tuple(groups.names[code] for code in groups.codes[first].tolist())
    return TidyRows(items, labels["system"], named)


def check_once(grid: Grid, rows: TidyRows, *more: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
    """Raise when a segment of a system occurs twice (BT101); `more` is an additional key."""
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


_TAGS = Format(
    name="tags_table",
    kind="tags",
    description="a table with one row for each word: item, system (@gold for gold tags), position and tag",
    columns=frozenset({"item", "system", "group"}),
    rows="grid",
)
_IS_BAD = {"ok": False, "good": False, "bad": True}
_TAGS_BECAUSE = "columns for item, system, position and tag"


def sniff_tags(source: Source) -> Guess | None:
    """Recognize the columns item, system, position and tag."""
    return guess_tags(peek(source), path=source.name)


def guess_tags(look: Peek, *, path: str) -> Guess | None:  # noqa: ARG001  (as other layouts of tables have it)
    """Return the confidence that a table holds word tags."""
    is_there = has_columns(look, "position", "tag")
    return Guess(confidence=0.95, because=_TAGS_BECAUSE) if is_there else None


def read_tags(source: Source, options: Options) -> Reading:
    """Read a tidy table of word tags."""
    return read_table(source, options, read_tags_grid, because=_TAGS_BECAUSE)


def read_tags_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:  # noqa: ARG001
    """Read a grid as a tidy table of word tags."""
    rows = load_rows(grid, options)
    where, bad = _positions(grid), _table_of_tags(grid)
    check_once(grid, rows, where)
    return Reading(
        format=_TAGS,
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
        text = f"{quoted(grid.cell(int(odd[0]), column))} is not a position. Number words 0, 1, 2, …"
        raise fault(grid, text, row=int(odd[0]), code="BT013")
    where: IntArray = values[0].astype(np.int64)
    return where


def _table_of_tags(grid: Grid) -> BoolArray:
    column = position(grid.header, "tag")
    if column is None:
        raise fault(grid, 'No column is named "tag".', code="BT021")
    labels = grid.labels(column)
    marks = [_IS_BAD.get(name.strip().lower()) for name in labels.names]
    known = np.array([mark is not None for mark in marks] + [False])
    odd = np.flatnonzero(~known[labels.codes])
    if odd.size:
        text = f"{quoted(grid.cell(int(odd[0]), column))} is not a tag. Write OK or BAD."
        raise fault(grid, text, row=int(odd[0]), code="BT140")
    return np.array([bool(mark) for mark in marks] + [False])[labels.codes]


def _table(grid: Grid, rows: TidyRows, where: IntArray, bad: BoolArray) -> WordTags:
    systems = [name for name in rows.systems.names if name != GOLD]
    if len(systems) == len(rows.systems.names) or not systems:
        what = f'no row of "{GOLD}" (gold tags)' if systems else "no prediction"
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


_TEXTS = Format(
    name="texts_table",
    kind="texts",
    description="a table with one row for each text: item, system (or @src, @ref:NAME) and text",
    columns=frozenset({"item", "system", "group"}),
    rows="grid",
)
_TEXTS_BECAUSE = "columns for item, system and text"


def sniff_texts(source: Source) -> Guess | None:
    """Recognize the columns item, system and text."""
    return guess_texts(peek(source), path=source.name)


def guess_texts(look: Peek, *, path: str) -> Guess | None:  # noqa: ARG001  (as other layouts of tables have it)
    """Return the confidence that a table holds texts."""
    if not has_columns(look, "text") or position(look.header, "score") is not None:
        return None
    return Guess(confidence=0.92, because=_TEXTS_BECAUSE)


def read_texts(source: Source, options: Options) -> Reading:
    """Read a tidy table of texts."""
    return read_table(source, options, read_texts_grid, because=_TEXTS_BECAUSE)


def read_texts_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:  # noqa: ARG001
    """Read a grid as a tidy table of texts."""
    return Reading(
        format=_TEXTS,
        because=because,
        tables=(_table_of_texts(grid, options),),
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows,
    )


def _table_of_texts(grid: Grid, options: Options) -> Texts:
    rows = load_rows(grid, options)
    check_once(grid, rows)
    column = position(grid.header, "text")
    if column is None:
        raise fault(grid, 'No column is named "text".', code="BT021")
    lines: dict[str, list[str | None]] = {name: [None] * len(rows.items.names) for name in rows.systems.names}
    codes = zip(rows.systems.codes.tolist(), rows.items.codes.tolist(), grid.texts(column), strict=True)
    for system, item, text in codes:
        lines[rows.systems.names[system]][item] = text
    outputs = {name: texts for name, texts in lines.items() if not _is_role(name)}
    references = {name: texts for name, texts in lines.items() if _is_role(name) and name != SOURCE}
    if not outputs:
        raise fault(grid, "There are no systems, only sources and references. Add outputs.", code="BT021")
    return Texts(
        systems=tuple(outputs),
        segments=rows.items.names,
        outputs=tuple(map(tuple, outputs.values())),
        references=tuple(_whole(grid, name, texts, rows.items.names) for name, texts in references.items()),
        reference_names=tuple(name.removeprefix(f"{REFERENCE}:").removeprefix("@") for name in references),
        sources=_whole(grid, SOURCE, lines[SOURCE], rows.items.names) if SOURCE in lines else None,
        groups=rows.groups,
    )


def _is_role(name: str) -> bool:
    return name in {SOURCE, REFERENCE} or name.startswith(f"{REFERENCE}:")


def _whole(grid: Grid, name: str, texts: list[str | None], segments: tuple[str, ...]) -> tuple[str, ...]:
    whole = tuple(text for text in texts if text is not None)
    if len(whole) < len(texts):
        first = segments[int(np.argmax([text is None for text in texts]))]
        raise fault(grid, f"{quoted(name)} has no text for segment {quoted(first)}. Add it.", code="BT133")
    return whole


TAGS = FormatReader(_TAGS, sniff_tags, read_tags, guess=guess_tags, read_grid=read_tags_grid)
"""Tidy word tags: one row for each word, with columns item, system, position and tag; @gold marks gold tags."""
TEXTS = FormatReader(_TEXTS, sniff_texts, read_texts, guess=guess_texts, read_grid=read_texts_grid)
"""Tidy texts: one row for each text, with columns item, system and text; @src and @ref are roles, not systems."""
