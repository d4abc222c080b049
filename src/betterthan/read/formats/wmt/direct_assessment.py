"""Direct assessments from crowd platforms: ``ad-XXYY-good-stnd*.csv``, one judgment per row.

The header is separated by blanks and the rows by tabs: ``HITId WorkerId Input.src Input.trg Input.item hit sys_id rid
type sid score time``. Scores are standardized by worker already. Only the type SYSTEM is a judgment of a system;
REPEAT, REF and BAD_REF are quality control.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from betterthan.read.formats.builders import (
    RatingsBuilder,
    ScoresBuilder,
    field_rows,
    finite,
    scores_reading,
    table_rows,
    unknown_values,
)
from betterthan.read.formats.metrics_task.score_files import system_level_note, way
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.numerals import check_names, parse
from betterthan.read.protocol import WHOLE_SYSTEM, Format, FormatReader, Guess, Options, Reading
from betterthan.read.source.source import Source

_CROWD = Format(
    name="crowd_da",
    kind="ratings",
    description="standardized direct assessments of a crowd (ad-XXYY-good-stnd.csv): one judgment per row",
)
_NAMED = ("WorkerId", "Input.src", "Input.trg", "sys_id", "sid")
_NEEDED = (*_NAMED, "type", "score")
OF_SYSTEM = "SYSTEM"
CONTROLS = ("REPEAT", "REF", "BAD_REF")


def sniff_crowd(source: Source) -> Guess | None:
    """Recognize the names of the columns in the first line, with any separator."""
    if source.is_parquet:
        return None
    first = next(iter(first_lines(source)), "").split()
    if not set(_NEEDED) <= set(first):
        return None
    return Guess(
        confidence=0.99, because="columns WorkerId, sys_id, type, sid and score of a crowd's judgments"
    )


def read_crowd(source: Source, options: Options) -> Reading:
    """Read the judgments into one :class:`Ratings` for each language pair."""
    ratings = RatingsBuilder(options)
    unknown: Counter[str] = Counter()
    fix = "Keep the header that the platform's scripts write."
    for line, cells in table_rows(source, _NEEDED, split=str.split, fix=fix):
        ratings.n_rows += 1
        kind = cells["type"]
        score = finite(
            cells["score"], path=source.name, line=line, fix="Leave the cell empty if the score is missing."
        )
        if kind not in (OF_SYSTEM, *CONTROLS):
            unknown[kind or "no type"] += 1
        elif kind != OF_SYSTEM or np.isnan(score):
            ratings.dropped["no score" if kind == OF_SYSTEM else f"quality control ({kind})"] += 1
        else:
            _check_named(cells, source, line)
            pair = f"{cells['Input.src']}-{cells['Input.trg']}"
            ratings.add(pair, cells["sys_id"], cells["sid"], cells["WorkerId"], score)
    if unknown:
        known, fix = f"{OF_SYSTEM}, {', '.join(CONTROLS)}", "Correct them or remove the rows."
        raise unknown_values("types of items", unknown, known, path=source.name, code="BT174", fix=fix)
    return ratings.reading(source, format=_CROWD, guess=sniff_crowd(source), name="DA z")


def _check_named(cells: Mapping[str, str], source: Source, line: int) -> None:
    check_names(
        {name: cells[name] for name in ("WorkerId", "sys_id", "sid") if cells[name]},
        path=source.name,
        line=line,
    )
    empty = next((name for name in _NAMED if not cells[name]), None)
    if empty:
        raise source.error(
            f"The cell {empty} is empty. Fill it in or remove the row.", line=line, code="BT105"
        )


_SEGMENT_MEANS = Format(
    name="crowd_scores",
    kind="scores",
    description="mean direct assessments of segments (ad-seg-scores-XX-YY.csv): SYS SID RAW.SCR Z.SCR N",
)
HEADER = ("SYS", "SID", "RAW.SCR", "Z.SCR", "N")
SCORES = HEADER[2:4]


def sniff_segment_means(source: Source) -> Guess | None:
    """Recognize the header, with blanks or tabs between the names."""
    if source.is_parquet or tuple(next(iter(first_lines(source)), "").split()) != HEADER:
        return None
    return Guess(confidence=0.99, because=f"the header is {' '.join(HEADER)}")


def read_segment_means(source: Source, options: Options) -> Reading:
    """Read the raw and the standardized means as two metrics."""
    means = {name: ScoresBuilder() for name in SCORES}
    n_judgments: list[float] = []
    for line, fields in field_rows(source, HEADER, missing="NA"):
        system, segment, *cells = fields
        check_names({"system": system, "segment": segment}, path=source.name, line=line)
        fix = "Write NA for a missing score."
        *scores, count = (finite(cell, path=source.name, line=line, fix=fix) for cell in cells)
        for name, score in zip(SCORES, scores, strict=True):
            means[name].add(system, segment, score, path=source.name, line=line)
        n_judgments.append(count)
    # Higher direct assessments are better, which is the default of `way`; only the user may change that.
    note = f"A segment of a system has {np.median(n_judgments):g} judgments (median)."
    tables = [table.scores(name, options, decide=way, notes=[note]) for name, table in means.items()]
    guess = sniff_segment_means(source)
    return scores_reading(tables, source, format=_SEGMENT_MEANS, guess=guess, n_rows=len(n_judgments))


_SYSTEM_MEANS = Format(
    name="da_systems",
    kind="scores",
    description="direct assessments of systems (DA-syslevel.csv): a header, then LP SCORE SYSTEM",
)
_PAIR = re.compile(r"[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?")


def sniff_system_means(source: Source) -> Guess | None:
    """Recognize a header of three words of which the first is LP, and below it a pair, a number and a name."""
    if source.is_parquet:
        return None
    rows = [line.split() for line in first_lines(source) if line.strip()]
    if len(rows) < 2 or not _is_header(rows[0]) or not all(map(_is_row, rows[1:])):
        return None
    return Guess(
        confidence=0.98, because="below the header each line is a language pair, a score and a system"
    )


def _is_header(row: Sequence[str]) -> bool:
    return len(row) == 3 and row[0].casefold() == "lp"


def _is_row(row: Sequence[str]) -> bool:
    return len(row) == 3 and _PAIR.fullmatch(row[0]) is not None and not np.isinf(parse(row[1]))


def read_system_means(source: Source, options: Options) -> Reading:
    """Read one :class:`Scores` for each language pair; its only segment is called "system"."""
    pairs: dict[str, ScoresBuilder] = {}
    for line, text in enumerate(source.lines(), 1):
        row = text.split()
        if not row or (not pairs and _is_header(row)):
            continue
        if not _is_row(row):
            raise source.error(
                "The line is not LP SCORE SYSTEM, such as de-en 0.25 online-A.0. Write NA for a missing score.",
                line=line,
                code="BT177",
            )
        pair, score, system = row
        check_names({"system": system}, path=source.name, line=line)
        table = pairs.setdefault(pair, ScoresBuilder())
        table.add(system, WHOLE_SYSTEM, parse(score), path=source.name, line=line, of=f" for {pair}")
    base = options.name or "DA"
    names = [f"{pair} {base}" if len(pairs) > 1 else base for pair in pairs]
    tables = [
        table.scores(name, options, decide=way, notes=[system_level_note(name)])
        for name, table in zip(names, pairs.values(), strict=True)
    ]
    n_rows = sum(len(table.cells) for table in pairs.values())
    return scores_reading(
        tables, source, format=_SYSTEM_MEANS, guess=sniff_system_means(source), n_rows=n_rows
    )


CROWD = FormatReader(_CROWD, sniff_crowd, read_crowd)
SEGMENT_MEANS = FormatReader(_SEGMENT_MEANS, sniff_segment_means, read_segment_means)
"""Mean direct assessments of segments: ``ad-seg-scores-XX-YY.csv``, separated by blanks.

The header is ``SYS SID RAW.SCR Z.SCR N``: system, segment, the mean of raw and of standardized scores, and the number
of judgments. Lines may end with a blank.
"""
SYSTEM_MEANS = FormatReader(_SYSTEM_MEANS, sniff_system_means, read_system_means)
"""Direct assessments of systems: ``DA-syslevel.csv``, with a header and ``LP SCORE SYSTEM`` in that order."""
