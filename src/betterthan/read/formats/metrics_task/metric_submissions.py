"""Submissions to the metrics task of WMT: one score per line, without a header, fields between tabs or blanks.

========================================================================  =======================
``METRIC LP TESTSET SYSTEM SCORE [ENSEMBLE] [URL]``                       systems, 2017 to 2019
``METRIC LP TESTSET SYSTEM SEGMENT SCORE [ENSEMBLE] [URL]``               segments, 2017 to 2019
``METRIC LP TESTSET DOMAIN REFERENCE SYSTEM SCORE``                       systems, 2022 and 2023
``METRIC LP TESTSET DOMAIN REFERENCE SYSTEM [DOCUMENT] SEGMENT SCORE``    segments, 2022 and 2023
========================================================================  =======================

The score is the last field that is a number on every line, and the number of fields before it determines the layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np

from betterthan.read.formats.builders import ScoresBuilder, finite, scores_reading
from betterthan.read.formats.metrics_task.score_files import system_level_note, way
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import check_names, parse
from betterthan.read.protocol import WHOLE_SYSTEM, Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="submission",
    kind="scores",
    description="a submission to the metrics task: METRIC LP TESTSET … SYSTEM … SCORE on each line",
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

_Key = tuple[str, ...]


class _Line(NamedTuple):
    """The fields before the score by their names, the score, and the line."""

    fields: Mapping[str, str]
    score: float
    line: int


def sniff(source: Source) -> Guess | None:
    """Recognize lines with a metric, a language pair and, from the fifth field on, a number at the same place."""
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
    """Return the names of the fields before the score, or None when the lines do not have such a layout."""
    if not rows or any(len(row) < min(_LAYOUTS) or not _PAIR.fullmatch(row[1]) for row in rows):
        return None
    numbers = np.array([[parse(row[k]) if k < len(row) else np.inf for k in range(4, 9)] for row in rows])
    places = np.flatnonzero(~np.isinf(numbers).any(axis=0) & np.isfinite(numbers).any(axis=0))
    if not places.size:
        return None
    names = _LAYOUTS[int(places[-1]) + 5]
    if "segment" in names and not all(row[len(names) - 1].isdigit() for row in rows):
        return None
    # A number in place of the system: a layout of another year, with fields in other positions.
    return None if all(row[names.index("system")].isdigit() for row in rows) else names


def read(source: Source, options: Options) -> Reading:
    """Read one :class:`Scores` for each metric, language pair, test set, reference and, of systems, domain."""
    builders: dict[_Key, ScoresBuilder] = {}
    n_rows = 0
    for line in _lines(source):
        n_rows += 1
        _add(builders, line, source, options)
    tables = [_scores(key, _name(key, list(builders)), table, options) for key, table in builders.items()]
    merged = sum(table.n_merged for table in builders.values())
    return scores_reading(
        tables, source, format=FORMAT, guess=sniff(source), n_rows=n_rows, dropped={"duplicate": merged}
    )


def _lines(source: Source) -> Iterator[_Line]:
    names = _layout([_fields(line) for line in first_lines(source) if line.strip()])
    if names is None:
        raise source.error(
            "The lines are not METRIC LP TESTSET … SYSTEM … SCORE with the same fields on each. Write them in this "
            "layout, or as a table with a header.",
            code="BT181",
        )
    at = len(names)
    for line, text in enumerate(source.lines(), 1):
        if not text.strip():
            continue
        row = _fields(text)
        if len(row) <= at or not all(row[:at]):
            raise source.error(
                f"A field before the score is missing ({' '.join(names).upper()} SCORE). "
                f"Write all fields on every line, NaN for a missing score.",
                line=line,
                code="BT181",
            )
        fix = "Write all fields on every line, NaN for a missing score."
        score = finite(row[at], path=source.name, line=line, fix=fix)
        fields = dict(zip(names, row, strict=False))
        check_names({"system": fields["system"]}, path=source.name, line=line)
        yield _Line(fields, score, line)


def _add(builders: dict[_Key, ScoresBuilder], line: _Line, source: Source, options: Options) -> None:
    fields = line.fields
    is_segment = "segment" in fields
    key = tuple("" if name == "domain" and is_segment else fields.get(name, "") for name in _TABLE)
    table = builders.setdefault(key, ScoresBuilder(options.duplicates))
    # A segment is its domain, document and number.
    segment = tuple(fields.get(name, "") for name in ("domain", "document", "segment"))
    table.add(
        fields["system"],
        segment if is_segment else (WHOLE_SYSTEM,),
        line.score,
        path=source.name,
        line=line.line,
        of=f" of {quoted(fields['metric'])}" + ("" if is_segment else f" for {fields['lp']}"),
    )


def _name(key: _Key, every: Sequence[_Key]) -> str:
    """Return the metric's name, with anything else that differs between the tables of the file."""
    metric = key[1]
    others = [other for other in every if other[1] == metric]
    differs = [len({other[k] for other in others}) > 1 for k in range(len(_TABLE))]
    parts = [metric, *(key[k] for k in (2, 3, 4) if differs[k])]
    several_pairs = len({other[0] for other in every}) > 1
    return " ".join([key[0], *parts] if several_pairs else parts)


def _scores(key: _Key, name: str, table: ScoresBuilder, options: Options) -> Scores:
    # Unless the user named the whole metric, its own name decides.
    is_decided = name in options.lower_is_better | options.higher_is_better
    metric = name if is_decided else key[1]
    segments = cast("list[_Key]", list(table.segments))
    documents = [segment[1] for segment in segments] if len(segments[0]) > 1 else []
    return table.scores(
        name,
        options,
        decide=lambda _, values, options: way(metric, values, options),
        segments=_segment_names(segments),
        groups=documents if documents and all(documents) else None,
        notes=[system_level_note(name)] if segments == [(WHOLE_SYSTEM,)] else [],
    )


def _segment_names(places: Sequence[_Key]) -> tuple[str, ...]:
    """Return the segments by their numbers, with document and domain where numbering restarts in them."""
    for first in (2, 1, 0) if len(places[0]) > 1 else (0,):
        names = tuple(":".join(part for part in place[first:] if part) for place in places)
        if len(set(names)) == len(names):
            return names
    return tuple(":".join(place) for place in places)
