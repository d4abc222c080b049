"""Merging the tables of several files: scores by segment, judgments concatenated, texts in parallel.

Nothing is guessed: a score that occurs in two files, and files whose lines cannot be matched, are errors. So are items
that have the same id in two files and are not the same: another question, or another correct answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import NamedTuple

import numpy as np

from betterthan.arrays import IntArray
from betterthan.errors import ReadError, TableError, some_of
from betterthan.messages import COLUMN, Message, Option
from betterthan.read.formats.tables.parallel_text import is_reference, is_source
from betterthan.read.grid.beginning import peek
from betterthan.read.grid.columns import find, plain
from betterthan.read.grid.grid import Grid, quoted
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.plausibility.direction import both_directions
from betterthan.read.protocol import Options
from betterthan.read.source.source import Source
from betterthan.tables.ratings import Ratings
from betterthan.tables.row_order import BY_ORDER, are_matched_by_order, check_identity
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

_SYSTEMS = frozenset({"sys", "systems", "system", "outputs", "system-outputs", "hyp", "hypotheses", "mt"})
"""Folders of outputs, next to which the source and the references are."""
_language = re.compile(r"\.[a-z]{2,3}").fullmatch


class ScoresFrom(NamedTuple):
    """A table of scores and its file."""

    table: Scores
    file: str


class RatingsFrom(NamedTuple):
    """Judgments and their file."""

    table: Ratings
    file: str


class RunsFrom(NamedTuple):
    """Runs and their file."""

    table: Runs
    file: str


class TextsFrom(NamedTuple):
    """Texts and their file."""

    table: Texts
    file: str


def merged_scores(several: Sequence[ScoresFrom]) -> Scores:
    """Return the scores of one metric from several files as one table, joined by segment.

    Raises
    ------
    ReadError
        When a segment of a system has a score in two files (BT331), the files disagree on the direction (BT106), or
        segments of the same name may not be the same (BT232 to BT236, BT332).
    """
    first = several[0]
    if len(several) == 1:
        return first.table
    for other in several[1:]:
        if other.table.higher_is_better != first.table.higher_is_better:
            raise ReadError(
                Message(
                    "Higher {metric} is better in one of {file} and this file, and lower in the other. Choose "
                    "{lower} or {higher}.",
                    metric=quoted(first.table.name),
                    file=first.file,
                    **both_directions(first.table.name),
                ),
                path=other.file,
                code="BT106",
            )
    _check_segments(several)
    systems = tuple(dict.fromkeys(name for part in several for name in part.table.systems))
    segments = tuple(dict.fromkeys(name for part in several for name in part.table.segments))
    values = np.full((len(systems), len(segments)), np.nan)
    owner = np.full(values.shape, -1, dtype=np.int32)
    for number, part in enumerate(several):
        cells = np.ix_(_places(part.table.systems, systems), _places(part.table.segments, segments))
        known = ~np.isnan(part.table.values)
        taken = known & (owner[cells] >= 0)
        if taken.any():
            i, j = (int(place[0]) for place in np.nonzero(taken))
            raise _twice(
                several[int(owner[cells][i, j])], part, part.table.systems[i], part.table.segments[j]
            )
        values[cells] = np.where(known, part.table.values, values[cells])
        owner[cells] = np.where(known, number, owner[cells])
    groups = _groups([(part.table.segments, part.table.groups) for part in several], segments)
    notes = [*groups.notes, *(note for part in several for note in part.table.notes)]
    if are_matched_by_order([part.table for part in several]):
        notes.insert(0, BY_ORDER)
    return replace(
        first.table,
        systems=systems,
        segments=segments,
        values=values,
        groups=groups.of,
        notes=tuple(dict.fromkeys(notes)),
        direction_doubt=_doubt([part.table for part in several]),
    )


def _doubt(tables: Sequence[Scores] | Sequence[Ratings] | Sequence[Runs]) -> str:
    """Return the first reason why the direction is unclear: if it is unclear in one file, it is unclear in all."""
    return next((table.direction_doubt for table in tables if table.direction_doubt), "")


def _check_segments(several: Sequence[ScoresFrom]) -> None:
    """Raise when segments of the same name may differ, or files of different systems share few segments."""
    try:
        check_identity([part.table for part in several], names=[part.file for part in several])
    except TableError as error:
        raise ReadError(error.text, code=error.code) from error
    first = several[0]
    for other in several[1:]:
        n_least = min(first.table.n_segments, other.table.n_segments)
        n_shared = len(set(first.table.segments).intersection(other.table.segments))
        if 2 * n_shared < n_least and set(first.table.systems).isdisjoint(other.table.systems):
            raise ReadError(
                Message(
                    "This file and {file} share {n_shared:,} of {n_least:,} segments ({here} here, {there} there), so "
                    "their systems cannot be compared. Check that both belong to the same test set, and name the "
                    "column of ids: {item}.",
                    file=first.file,
                    n_shared=n_shared,
                    n_least=n_least,
                    here=some_of(other.table.segments, limit=3),
                    there=some_of(first.table.segments, limit=3),
                    item=Option("item", COLUMN),
                ),
                path=other.file,
                code="BT236",
            )


def _twice(first: ScoresFrom, second: ScoresFrom, system: str, segment: str) -> ReadError:
    return ReadError(
        f"{quoted(system)} has a score of {quoted(first.table.name)} for segment {quoted(segment)} here and in "
        f"{first.file}. Leave one of the files out, or give one a name: NAME=path.",
        path=second.file,
        code="BT331",
    )


def _places(names: Sequence[str], among: Sequence[str]) -> IntArray:
    index = {name: place for place, name in enumerate(among)}
    return np.array([index[name] for name in names], dtype=np.int64)


class _Groups(NamedTuple):
    """The documents of all segments, or None when one is unknown or inconsistent, and a note on the latter."""

    of: tuple[str, ...] | None
    notes: tuple[str, ...] = ()


def _groups(
    several: Sequence[tuple[tuple[str, ...], tuple[str, ...] | None]], segments: tuple[str, ...]
) -> _Groups:
    known: dict[str, str] = {}
    differing: dict[str, tuple[str, str]] = {}
    for names, groups in several:
        for name, group in zip(names, groups or (), strict=False):
            if known.setdefault(name, group) != group:
                differing.setdefault(name, (known[name], group))
    if differing:
        name, (one, other) = next(iter(differing.items()))
        note = Message(
            "Groups such as documents were left out, because the files disagree on those of {n:,} of {total:,} "
            "segments: {segment} belongs to {one} in one and to {other} in another.",
            n=len(differing),
            total=len(segments),
            segment=quoted(name),
            one=quoted(one),
            other=quoted(other),
        )
        return _Groups(None, (note,))
    return _Groups(
        tuple(known[name] for name in segments) if all(name in known for name in segments) else None
    )


def _check_one_direction(several: Sequence[RatingsFrom] | Sequence[RunsFrom]) -> None:
    first = several[0].table
    odd = [part.file for part in several if part.table.higher_is_better != first.higher_is_better]
    if odd:
        raise ReadError(
            Message(
                "Higher {metric} is better in one file and lower in this one. Choose {lower} or {higher}.",
                metric=quoted(first.name),
                **both_directions(first.name),
            ),
            path=odd[0],
            code="BT106",
        )


def merged_runs(several: Sequence[RunsFrom]) -> Runs:
    """Return the runs of several files as one table.

    Raises
    ------
    ReadError
        When the files disagree on the direction (BT106), or a segment of a system occurs twice in a run (BT331).
    """
    if len(several) == 1:
        return several[0].table
    _check_one_direction(several)
    tables = [part.table for part in several]
    first = tables[0]
    systems, segments, runs = (
        tuple(dict.fromkeys(name for table in tables for name in getattr(table, names)))
        for names in ("systems", "segments", "runs")
    )
    same = all(table.factors == first.factors for table in tables)
    levels = {
        name: row for table in tables for name, row in zip(table.systems, table.levels, strict=False) if same
    }
    groups = _groups([(table.segments, table.groups) for table in tables], segments)
    try:
        return replace(
            first,
            systems=systems,
            segments=segments,
            runs=runs,
            system=np.concatenate([_places(table.systems, systems)[table.system] for table in tables]),
            segment=np.concatenate([_places(table.segments, segments)[table.segment] for table in tables]),
            run=np.concatenate([_places(table.runs, runs)[table.run] for table in tables]),
            score=np.concatenate([table.score for table in tables]),
            factors=first.factors if levels else (),
            levels=tuple(levels[name] for name in systems) if levels else (),
            independent=all(table.independent for table in tables),
            groups=groups.of,
            notes=tuple(dict.fromkeys([*groups.notes, *(note for table in tables for note in table.notes)])),
            direction_doubt=_doubt(tables),
        )
    except TableError as error:
        raise ReadError(error.text, path=several[1].file, code="BT331") from error


def merged_ratings(several: Sequence[RatingsFrom]) -> Ratings:
    """Return the judgments of several files as one table; judges of the same name are the same person.

    Raises
    ------
    ReadError
        When the files disagree on the direction (BT106).
    """
    first = several[0].table
    if len(several) == 1:
        return first
    _check_one_direction(several)
    tables = [part.table for part in several]
    systems = tuple(dict.fromkeys(name for table in tables for name in table.systems))
    segments = tuple(dict.fromkeys(name for table in tables for name in table.segments))
    judges = tuple(dict.fromkeys(name for table in tables for name in table.judges))
    groups = _groups([(table.segments, table.groups) for table in tables], segments)
    return replace(
        first,
        systems=systems,
        segments=segments,
        judges=judges,
        system=np.concatenate([_places(table.systems, systems)[table.system] for table in tables]),
        segment=np.concatenate([_places(table.segments, segments)[table.segment] for table in tables]),
        judge=np.concatenate([_places(table.judges, judges)[table.judge] for table in tables]),
        score=np.concatenate([table.score for table in tables]),
        groups=groups.of,
        notes=tuple(dict.fromkeys([*groups.notes, *(note for table in tables for note in table.notes)])),
        direction_doubt=_doubt(tables),
    )


def parallel_texts(several: Sequence[TextsFrom]) -> Texts:
    """Return text files as outputs, references and source of one set, classified by their names.

    A file ``src.*`` is the source, ``ref*`` a reference, any other the output of a system. A language at the end of all
    names (``.de``) is removed. Outputs may be in a folder ``sys`` below the others.

    Raises
    ------
    ReadError
        When files are of several sets (BT334), differ in their numbers of lines (BT130), two have the same name
        (BT131), or there is no output (BT134).
    """
    roots = dict.fromkeys(_root(part.file) for part in several)
    if len(roots) > 1:
        named = some_of([quoted(str(root)) for root in roots], limit=6)
        raise ReadError(
            f"These texts are of {len(roots)} sets, whose lines are unrelated: {named}. Name one of them.",
            code="BT334",
        )
    names = _short_names([part.file for part in several])
    sources = {names[k]: part for k, part in enumerate(several) if is_source(names[k])}
    references = {names[k]: part for k, part in enumerate(several) if is_reference(names[k])}
    outputs = [
        (names[k], part) for k, part in enumerate(several) if names[k] not in {**sources, **references}
    ]
    _check_lines(several, [name for name, _ in outputs], len(sources))
    source = next(iter(sources.values()), None)
    return Texts(
        systems=tuple(name for name, _ in outputs),
        segments=several[0].table.segments,
        row_order=several[0].table.row_order,
        outputs=tuple(part.table.outputs[0] for _, part in outputs),
        references=tuple(_whole(part) for part in references.values()),
        reference_names=tuple(references),
        sources=None if source is None else _whole(source),
        notes=tuple(note for part in several for note in part.table.notes),
    )


def _root(file: str) -> Path:
    folder = Path(file).parent
    return folder.parent if folder.name.lower() in _SYSTEMS else folder


def _short_names(files: Sequence[str]) -> list[str]:
    """Return the files' names without folder and suffixes; a language at the end of several names is left out."""
    names = [
        PurePath(file).name.removesuffix(".gz").removesuffix(".zst").removesuffix(".txt") for file in files
    ]
    has_language = len(names) > 1 and all(_language(PurePath(name).suffix) for name in names)
    return [name.rpartition(".")[0] if has_language else name for name in names]


def _check_lines(several: Sequence[TextsFrom], outputs: Sequence[str], n_sources: int) -> None:
    first = several[0]
    for other in several[1:]:
        if len(other.table.segments) != len(first.table.segments):
            raise ReadError(
                f"This file has {len(other.table.segments):,} lines, but {first.file} has "
                f"{len(first.table.segments):,}. Line k of every file must be segment k; "
                f"write an empty line for an empty output.",
                path=other.file,
                code="BT130",
            )
    if n_sources > 1 or len(set(outputs)) < len(outputs):
        raise ReadError(
            "Two files are the source, or two systems have the same name. Leave one of them out.",
            path=first.file,
            code="BT131",
        )
    if not outputs:
        raise ReadError(
            "There are sources and references here, but no outputs.", path=first.file, code="BT134"
        )


def _whole(part: TextsFrom) -> tuple[str, ...]:
    lines = tuple(line for line in part.table.outputs[0] if line is not None)
    if len(lines) < len(part.table.segments):
        raise ReadError(
            "A line marks a missing output, but this is a reference or source. Fill it in.",
            path=part.file,
            code="BT133",
        )
    return lines


INPUTS = frozenset(
    map(
        plain,
        (
            *("question", "prompt", "input", "query", "instruction", "problem", "source", "src", "context"),
            *("reference", "ref", "target", "expected", "expected_output", "gold", "gold_answer", "ideal"),
            *("correct_answer", "ground_truth", "answer_key", "choices"),
        ),
    )
)
"""Columns that belong to an item and not to a system, in any case and punctuation."""
_SHOWN = 3


def refuse_changed_items(sources: Sequence[Source], options: Options) -> None:
    """Raise when the first two files have another question or correct answer for the same item.

    What is compared are the columns of :data:`INPUTS` that both have, except for those that the options ignore.

    Raises
    ------
    ReadError
        With the column, how many items changed, and some of them.
    """
    if len(sources) != 2 or any(source.is_folder for source in sources):
        return
    try:
        headers = [peek(source).header for source in sources]
        items = [
            find(header, options.columns, ("item",), path=source.name).get("item")
            for header, source in zip(headers, sources, strict=True)
        ]
    except ReadError:
        return  # nothing with columns; its own reader says what is wrong, if anything is
    used = {*options.columns.values(), *options.factors, *options.ignore_columns}
    columns = [
        name for name in headers[0] if plain(name) in INPUTS and name in headers[1] and name not in used
    ]
    if not columns or None in items:
        return
    known: list[dict[str, dict[str, str]]] = []
    for source, item in zip(sources, items, strict=True):
        with open_grid(source) as grid:
            known.append({name: _texts(grid, int(item or 0), grid.header.index(name)) for name in columns})
    for name in columns:
        before, after = known[0][name], known[1][name]
        common = [key for key in before if key in after]
        changed = [key for key in common if before[key] != after[key]]
        if changed:
            raise _changed(name, changed, len(common), before[changed[0]], after[changed[0]], sources)


def _texts(grid: Grid, item: int, column: int) -> dict[str, str]:
    """Return the text of each item, the first where it has several rows."""
    texts: dict[str, str] = {}
    for key, text in zip(grid.texts(item), grid.texts(column), strict=True):
        texts.setdefault(key, text)
    return texts


def _changed(
    name: str, changed: list[str], n_common: int, before: str, after: str, sources: Sequence[Source]
) -> ReadError:
    return ReadError(
        Message(
            '{n:,} of {total:,} items changed: their "{name}" is another one in {other} ({items}; item {first}: '
            "{before} became {after}). Compare runs on the same items, or leave the column out with {ignore}.",
            n=len(changed),
            total=n_common,
            name=name,
            other=sources[1].name,
            items=some_of(changed, limit=_SHOWN),
            first=quoted(changed[0]),
            before=quoted(before),
            after=quoted(after),
            ignore=Option("ignore", name),
        ),
        path=sources[0].name,
    )
