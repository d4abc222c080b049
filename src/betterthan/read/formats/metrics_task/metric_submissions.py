"""Files handed in to the metrics task of WMT: one score a line, without a header, fields between tabs or blanks.

========================================================================  =======================
``METRIC LP TESTSET SYSTEM SCORE [ENSEMBLE] [URL]``                       systems, 2017 to 2019
``METRIC LP TESTSET SYSTEM SEGMENT SCORE [ENSEMBLE] [URL]``               segments, 2017 to 2019
``METRIC LP TESTSET DOMAIN REFERENCE SYSTEM SCORE``                       systems, 2022 and 2023
``METRIC LP TESTSET DOMAIN REFERENCE SYSTEM [DOCUMENT] SEGMENT SCORE``    segments, 2022 and 2023
========================================================================  =======================

The score is the last field that is a number on every line, and the number of fields before it tells the layouts apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.doubts.doubts import doubts_of
from betterthan.read.formats.metrics_task.score_files import system_level_note
from betterthan.read.formats.metrics_task.score_rows import way
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.missing import check_names
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import WHOLE_SYSTEM, Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="submission",
    kind="scores",
    description="a file handed in to the metrics task: METRIC LP TESTSET … SYSTEM … SCORE on each line",
)
_LAYOUTS = {
    5: ("metric", "lp", "testset", "system"),
    6: ("metric", "lp", "testset", "system", "segment"),
    7: ("metric", "lp", "testset", "domain", "reference", "system"),
    8: ("metric", "lp", "testset", "domain", "reference", "system", "segment"),
    9: ("metric", "lp", "testset", "domain", "reference", "system", "document", "segment"),
}
_TABLE = ("lp", "metric", "testset", "reference", "domain")
_PAIR = re.compile(r"[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?")
_LARGEST = 400_000_000

_Key = tuple[str, ...]


class _Line(NamedTuple):
    """The fields before the score by their names, the score, and the line."""

    fields: Mapping[str, str]
    score: float
    line: int


@dataclass(slots=True)
class _Part:
    """The scores of one table by system and segment; a segment is its domain, document and number."""

    systems: dict[str, int] = field(default_factory=dict)
    segments: dict[_Key, int] = field(default_factory=dict)
    scores: dict[tuple[int, int], list[float]] = field(default_factory=dict)


def sniff(source: Source) -> Guess | None:
    """Recognise lines with a metric, a language pair and, from the fifth field on, a number at the same place."""
    if source.is_parquet or source.is_folder:
        return None
    names = _layout([_fields(line) for line in first_lines(source) if line.strip()])
    if names is None:
        return None
    return Guess(confidence=0.985, because=f"each line is {' '.join(names).upper()} SCORE")


def _fields(line: str) -> list[str]:
    text = line.strip("\r\n")
    return [cell.strip() for cell in text.split("\t")] if "\t" in text else text.split()


def _layout(rows: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """Return the names of the fields before the score, or None when the lines are of no such layout."""
    if not rows or any(len(row) < min(_LAYOUTS) or not _PAIR.fullmatch(row[1]) for row in rows):
        return None
    numbers = np.array([[parse(row[k]) if k < len(row) else np.inf for k in range(4, 9)] for row in rows])
    places = np.flatnonzero(~np.isinf(numbers).any(axis=0) & np.isfinite(numbers).any(axis=0))
    if not places.size:
        return None
    names = _LAYOUTS[int(places[-1]) + 5]
    if "segment" in names and not all(row[len(names) - 1].isdigit() for row in rows):
        return None
    # A number where the system should be: a layout of another year, in which fields are not where they seem.
    return None if all(row[names.index("system")].isdigit() for row in rows) else names


def read(source: Source, options: Options) -> Reading:
    """Read one :class:`Scores` for each metric, language pair, test set, reference and, of systems, domain."""
    parts: dict[_Key, _Part] = {}
    n_rows = merged = 0
    for found in _lines(source):
        n_rows += 1
        merged += _add(parts, found, source, options)
    tables = tuple(_scores(key, _name(key, list(parts)), part, options) for key, part in parts.items())
    dropped = {"duplicate": merged} if merged else {}
    guess = sniff(source)
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=tables,
        rows_read=n_rows,
        rows_kept=n_rows - merged,
        dropped=dropped,
        notes=tuple(dict.fromkeys(note for table in tables for note in table.notes)),
        problems=doubts_of(tables, place=source.name),
    )


def _lines(source: Source) -> Iterator[_Line]:
    names = _layout([_fields(line) for line in first_lines(source) if line.strip()])
    if names is None:
        raise ReadError(
            "The lines are not METRIC LP TESTSET … SYSTEM … SCORE with the same fields on each. Write them so, or as "
            "a table with a header.",
            path=source.name,
            code="BT181",
        )
    at = len(names)
    for line, text in enumerate(source.lines(), 1):
        if not text.strip():
            continue
        row = _fields(text)
        if len(row) <= at or not all(row[:at]):
            raise _wrong(
                f"A field before the score is missing ({' '.join(names).upper()} SCORE)", source, line
            )
        score = parse(row[at])
        if np.isinf(score):
            raise _wrong(f"The score {quoted(row[at])} is no finite number", source, line, code="BT013")
        fields = dict(zip(names, row, strict=False))
        check_names({"system": fields["system"]}, path=source.name, line=line)
        yield _Line(fields, score, line)


def _wrong(what: str, source: Source, line: int, *, code: str = "BT181") -> ReadError:
    return ReadError(
        f"{what}. Write all fields on every line, NaN for a missing score.",
        path=source.name,
        line=line,
        code=code,
    )


def _add(parts: dict[_Key, _Part], found: _Line, source: Source, options: Options) -> int:
    """Add a score; return 1 when it falls together with one that was there."""
    told = found.fields
    is_segment = "segment" in told
    key = tuple("" if name == "domain" and is_segment else told.get(name, "") for name in _TABLE)
    part = parts.setdefault(key, _Part())
    segment = (
        tuple(told.get(name, "") for name in ("domain", "document", "segment"))
        if is_segment
        else (WHOLE_SYSTEM,)
    )
    place = (
        part.systems.setdefault(told["system"], len(part.systems)),
        part.segments.setdefault(segment, len(part.segments)),
    )
    before = part.scores.get(place)
    if before is None:
        part.scores[place] = [found.score]
        return 0
    if options.duplicates == "raise":
        where = f"segment {quoted(segment[-1])}" if is_segment else told["lp"]
        raise ReadError(
            f"System {quoted(told['system'])} already has a score of {quoted(told['metric'])} for {where}. "
            f"Remove one of the two lines.",
            path=source.name,
            line=found.line,
            code="BT101",
        )
    if options.duplicates == "last":
        before[:] = [found.score]
    elif options.duplicates == "mean":
        before.append(found.score)
    return 1


def _name(key: _Key, every: Sequence[_Key]) -> str:
    """Return the metric's name, with whatever else differs between the tables of the file."""
    metric = key[1]
    others = [other for other in every if other[1] == metric]
    differs = [len({other[k] for other in others}) > 1 for k in range(len(_TABLE))]
    parts = [metric, *(key[k] for k in (2, 3, 4) if differs[k])]
    several_pairs = len({other[0] for other in every}) > 1
    return " ".join([key[0], *parts] if several_pairs else parts)


def _scores(key: _Key, name: str, part: _Part, options: Options) -> Scores:
    shape = (len(part.systems), len(part.segments))
    if shape[0] * shape[1] > _LARGEST:
        raise ReadError(f"{shape[0]} systems × {shape[1]} segments are too many.", code="BT107")
    values = np.full(shape, np.nan)
    for place, scores in part.scores.items():
        known = [score for score in scores if not np.isnan(score)]
        values[place] = float(np.mean(known)) if known else np.nan
    told = name in options.lower_is_better | options.higher_is_better
    found = way(name if told else key[1], values, options)
    documents = tuple(place[1] for place in part.segments) if len(next(iter(part.segments))) > 1 else ()
    notes = (system_level_note(name),) if tuple(part.segments) == ((WHOLE_SYSTEM,),) else ()
    return Scores(
        name=name,
        systems=tuple(part.systems),
        segments=_segment_names(list(part.segments)),
        values=values,
        higher_is_better=found.higher_is_better,
        direction_doubt=found.doubt,
        groups=documents if documents and all(documents) else None,
        notes=(*notes, *([found.note] if found.note else [])),
    )


def _segment_names(places: Sequence[_Key]) -> tuple[str, ...]:
    """Return the segments by their numbers, with document and domain where numbers are counted anew in them."""
    for first in (2, 1, 0) if len(places[0]) > 1 else (0,):
        names = tuple(":".join(part for part in place[first:] if part) for place in places)
        if len(set(names)) == len(names):
            return names
    return tuple(":".join(place) for place in places)
