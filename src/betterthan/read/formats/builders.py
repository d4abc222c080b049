"""Rows collected into tables: scores by system and segment, judgments by system, segment and judge.

Readers of files that are not grids share these, so that rows, repeated cells, unknown values and numbers are treated in
the same way.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import ReadError, some_of
from betterthan.read.formats.tables.cells import MOST_CELLS, Duplicates
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import how_large, is_infinite, parse
from betterthan.read.plausibility.direction import Direction, direction
from betterthan.read.plausibility.score_warnings import doubts_of
from betterthan.read.protocol import WHOLE_SYSTEM, Format, Guess, Options, Problem, Reading, reason
from betterthan.read.source.source import Source
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores

REPEATED = "judged again by the same judge"
Decide = Callable[[str, FloatArray, Options], Direction]
"""How the direction of a metric is decided from its name, its values and the options."""


@dataclass(slots=True)
class ScoresBuilder:
    """Scores of one table, systems and segments in order of first appearance.

    A segment may be any key; the last element of a tuple is its name in messages.

    Examples
    --------
    >>> table = ScoresBuilder("mean")
    >>> for score in (40.0, 60.0):
    ...     table.add("A", "1", score)
    >>> table.values(), table.n_merged
    (array([[50.]]), 1)
    """

    duplicates: Duplicates = "raise"
    systems: dict[str, int] = field(default_factory=dict)
    segments: dict[Hashable, int] = field(default_factory=dict)
    cells: dict[tuple[int, int], list[float]] = field(default_factory=dict)
    lines: dict[tuple[int, int], int] = field(default_factory=dict)
    n_merged: int = 0

    def add(
        self,
        system: str,
        segment: Hashable,
        score: float,
        *,
        path: str | None = None,
        line: int | None = None,
        of: str = "",
        fix: str = "Remove one of the two.",
    ) -> None:
        """Add a score; `of` describes the score in a message, and `fix` is the hint for a second one.

        Raises
        ------
        ReadError
            When the segment of the system already has a score and no rule chooses one of the two (BT101).
        """
        place = (
            self.systems.setdefault(system, len(self.systems)),
            self.segments.setdefault(segment, len(self.segments)),
        )
        if place not in self.cells:
            self.cells[place] = [score]
            if line is not None:
                self.lines[place] = line
            return
        if self.duplicates == "raise":
            name = segment[-1] if isinstance(segment, tuple) else segment
            what = f"Segment {quoted(str(name))} of system" if name != WHOLE_SYSTEM else "System"
            before = f" in line {self.lines[place]}" if place in self.lines else ""
            raise ReadError(
                f"{what} {quoted(system)} already has a score{of}{before}. {fix}",
                path=path,
                line=line,
                code="BT101",
            )
        self.n_merged += 1
        if self.duplicates == "last":
            self.cells[place] = [score]
        elif self.duplicates == "mean":
            self.cells[place].append(score)

    def values(self) -> FloatArray:
        """Return systems × segments; NaN is missing.

        Raises
        ------
        ReadError
            When there are too many cells to hold (BT107).
        """
        shape = (len(self.systems), len(self.segments))
        if shape[0] * shape[1] > MOST_CELLS:
            raise ReadError(f"{shape[0]} systems × {shape[1]} segments are too many.", code="BT107")
        values = np.full(shape, np.nan)
        for place, scores in self.cells.items():
            known = [score for score in scores if not math.isnan(score)]
            values[place] = float(np.mean(known)) if known else np.nan
        return values

    def scores(
        self,
        name: str,
        options: Options,
        *,
        decide: Decide = direction,
        segments: Sequence[str] | None = None,
        groups: Sequence[str] | None = None,
        notes: Iterable[str] = (),
    ) -> Scores:
        """Return the table, with its direction; `segments` are the names of segments that are not texts."""
        values = self.values()
        way = decide(name, values, options)
        return Scores(
            name=name,
            systems=tuple(self.systems),
            segments=tuple(map(str, self.segments)) if segments is None else tuple(segments),
            values=values,
            higher_is_better=way.higher_is_better,
            direction_doubt=way.doubt,
            groups=None if groups is None else tuple(groups),
            notes=(*notes, *way.notes),
        )


def scores_reading(
    tables: Sequence[Scores],
    source: Source,
    *,
    format: Format,  # noqa: A002  (the protocol's word)
    guess: Guess | None,
    n_rows: int,
    dropped: Mapping[str, int] | None = None,
) -> Reading:
    """Account for the rows of tables of scores, with warnings about them.

    Raises
    ------
    ReadError
        Without any row (BT011).
    """
    require_rows(n_rows, source)
    counted = {why: count for why, count in (dropped or {}).items() if count}
    return Reading(
        format=format,
        because=reason(guess),
        tables=tuple(tables),
        rows_read=n_rows,
        rows_kept=n_rows - sum(counted.values()),
        dropped=counted,
        notes=tuple(dict.fromkeys(note for table in tables for note in table.notes)),
        problems=doubts_of(tables, place=source.name),
    )


@dataclass(slots=True)
class _PairRatings:
    """Judgments of one language pair, in order of first appearance."""

    systems: dict[str, int] = field(default_factory=dict)
    segments: dict[str, int] = field(default_factory=dict)
    judges: dict[str, int] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)
    scores: dict[tuple[int, int, int], list[float]] = field(default_factory=dict)

    def ratings(self, name: str, options: Options, notes: tuple[str, ...]) -> Ratings:
        rows = [(*place, score) for place, scores in self.scores.items() for score in scores]
        system, segment, judge, score = (np.array(column) for column in zip(*rows, strict=True))
        way = direction(name, score, options)
        return Ratings(
            name=name,
            systems=tuple(self.systems),
            segments=tuple(self.segments),
            judges=tuple(self.judges),
            system=system,
            segment=segment,
            judge=judge,
            score=score.astype(np.float64),
            higher_is_better=way.higher_is_better,
            direction_doubt=way.doubt,
            groups=tuple(self.groups) if all(self.groups) else None,
            notes=(*notes, *way.notes),
        )


@dataclass(slots=True)
class RatingsBuilder:
    """Account of every row of a file: the judgments by language pair, and the reasons why other rows are none.

    A judge who saw an item twice keeps one judgment, the last one unless the user chooses another; "mean" keeps all
    and leaves the averaging to :meth:`Ratings.to_scores`.

    Examples
    --------
    >>> ratings = RatingsBuilder(Options())
    >>> for score in (40.0, 60.0):
    ...     ratings.add("en-de", "A", "d:1", "judge 1", score, group="d")
    >>> list(ratings.pairs["en-de"].scores.values()), ratings.n_repeated
    ([[60.0]], 1)
    """

    options: Options
    n_rows: int = 0
    n_repeated: int = 0
    pairs: dict[str, _PairRatings] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    documents: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, pair: str, system: str, segment: str, judge: str, score: float, *, group: str = "") -> None:
        """Add a judgment; the group is that of the segment's first judgment."""
        judged = self.pairs.setdefault(pair, _PairRatings())
        if segment not in judged.segments:
            judged.groups.append(group)
        place = (
            judged.systems.setdefault(system, len(judged.systems)),
            judged.segments.setdefault(segment, len(judged.segments)),
            judged.judges.setdefault(judge, len(judged.judges)),
        )
        before = judged.scores.setdefault(place, [])
        if before and self.options.duplicates != "mean":
            self.n_repeated += 1
            if self.options.duplicates == "first":
                return
            before.clear()
        before.append(score)

    def check_document(self, pair: str, segment: str, document: str, *, path: str, line: int) -> None:
        """Raise when a line of the test set belongs to two documents: their judgments would be mixed up (BT173)."""
        before = self.documents.setdefault((pair, segment), document)
        if before != document:
            raise ReadError(
                f"Segment {quoted(segment)} belongs to document {quoted(before)} and to {quoted(document)}. "
                f"Number segments by their line in the whole test set.",
                path=path,
                line=line,
                code="BT173",
            )

    def reading(
        self,
        source: Source,
        *,
        format: Format,  # noqa: A002  (the protocol's word)
        guess: Guess | None,
        name: str,
        notes: tuple[str, ...] = (),
    ) -> Reading:
        """Return one table for each language pair, named after it where there are several.

        Raises
        ------
        ReadError
            When no row is a judgment (BT011).
        """
        dropped = {**self.dropped, **({REPEATED: self.n_repeated} if self.n_repeated else {})}
        counted = tuple(f"{count:,} rows were left out: {why}." for why, count in dropped.items())
        if not self.pairs:
            text = " ".join(
                [
                    "The file contains no judgments of translations.",
                    *counted,
                    "Check the program that wrote the file.",
                ]
            )
            raise source.error(text, code="BT011")
        base = self.options.name or name
        tables = tuple(
            judged.ratings(
                f"{base} {pair}" if len(self.pairs) > 1 else base, self.options, (*notes, *counted)
            )
            for pair, judged in self.pairs.items()
        )
        return Reading(
            format=format,
            because=reason(guess),
            tables=tables,
            rows_read=self.n_rows,
            rows_kept=self.n_rows - sum(dropped.values()),
            dropped=dropped,
            notes=tables[0].notes,
            problems=tuple(problem for table in tables for problem in _one_system(table, source.name)),
        )


def _one_system(table: Ratings, place: str) -> tuple[Problem, ...]:
    if len(table.systems) > 1:
        return ()
    text = f'Only one system ("{table.systems[0]}") in "{table.name}", so nothing can be compared. Add another one.'
    return (Problem(code="BT104", place=place, message=text),)


def finite(cell: object, *, path: str, line: int | None, fix: str, of: str = "") -> float:
    """Return the number in a cell, NaN if it is missing; `fix` and `of` are parts of the message.

    Raises
    ------
    ReadError
        For anything else (BT013), or a number too large to compute with (BT014).
    """
    value = math.inf if isinstance(cell, bool) else parse(cell)
    if not math.isinf(value):
        return value
    text = str(cell)
    too_large = is_infinite(text)
    raise ReadError(
        f"{quoted(text)} {how_large(text) if too_large else 'is not a number'}{of}. {fix}",
        path=path,
        line=line,
        code="BT014" if too_large else "BT013",
    )


def unknown_values(
    what: str, counts: Mapping[str, int], known: str, *, path: str, code: str, fix: str
) -> ReadError:
    """Build the error for unknown values in a categorical column: all of them, the most frequent first."""
    often = sorted(counts.items(), key=lambda item: -item[1])
    listed = [f"{quoted(value, limit=40)}: {count}" for value, count in often]
    return ReadError(
        f"Unknown {what}: {some_of(listed, limit=5)}. Known values are {known}. {fix}", path=path, code=code
    )


def table_rows(
    source: Source, needed: Sequence[str], *, split: Callable[[str], list[str]], fix: str
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the cells of each row below a header by their columns; rows are separated by tabs, blank lines skipped.

    Raises
    ------
    ReadError
        Without a column that is needed (BT021), with two of one name (BT017), at a row of another width (BT012), or
        without any row (BT011).
    """
    header: list[str] = []
    n_rows = 0
    for line, text in enumerate(source.lines(), 1):
        if not text.strip():
            continue
        if not header:
            header = _checked_header(split(text), needed, source, line, fix)
            continue
        row = text.split("\t")
        # An extra tab at the end is harmless.
        while len(row) > len(header) and not row[-1].strip():
            row.pop()
        if len(row) != len(header):
            raise source.error(
                f"The row has {len(row)} cells between tabs where the header has {len(header)}. "
                f"Separate cells by tabs, and leave missing cells empty.",
                line=line,
                code="BT012",
            )
        n_rows += 1
        yield line, dict(zip(header, (cell.strip() for cell in row), strict=True))
    require_rows(n_rows, source)


def _checked_header(
    header: list[str], needed: Sequence[str], source: Source, line: int, fix: str
) -> list[str]:
    missing = [name for name in needed if name not in header]
    if missing:
        raise source.error(f"No column is called {some_of(missing)}. {fix}", line=line, code="BT021")
    if len(set(header)) < len(header):
        raise source.error("Two columns have the same name. Rename one.", line=line, code="BT017")
    return header


def field_rows(source: Source, header: Sequence[str], *, missing: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line, separated by blanks; a first line that is the header is skipped.

    Raises
    ------
    ReadError
        At a line with another number of fields (BT177), or without any row (BT011).
    """
    n_rows = 0
    for line, text in enumerate(source.lines(), 1):
        fields = text.split()
        if not fields or (line == 1 and fields == list(header)):
            continue
        if len(fields) != len(header):
            raise source.error(
                f"The line has {len(fields)} fields where {' '.join(header)} are needed. "
                f"Write {missing} for a missing score.",
                line=line,
                code="BT177",
            )
        n_rows += 1
        yield line, fields
    require_rows(n_rows, source)


def require_rows(n_rows: int, source: Source) -> None:
    """Refuse a file without any row (BT011)."""
    if not n_rows:
        raise source.error("There are no rows below the header.", code="BT011")
