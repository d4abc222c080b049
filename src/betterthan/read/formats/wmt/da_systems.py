"""Direct assessments of systems: ``DA-syslevel.csv``, with a header and ``LP SCORE SYSTEM`` in that order."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    name="da_systems",
    kind="scores",
    description="direct assessments of systems (DA-syslevel.csv): a header, then LP SCORE SYSTEM",
)
_PAIR = re.compile(r"[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?")


def sniff(source: Source) -> Guess | None:
    """Recognise a header of three words of which the first is LP, and below it a pair, a number and a name."""
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


def read(source: Source, options: Options) -> Reading:
    """Read one :class:`Scores` for each language pair; its only segment is called "system"."""
    pairs: dict[str, dict[str, float]] = {}
    for line, text in enumerate(source.lines(), 1):
        row = text.split()
        if not row or (not pairs and _is_header(row)):
            continue
        if not _is_row(row):
            raise ReadError(
                "The line is not LP SCORE SYSTEM, such as de-en 0.25 online-A.0. Write NA for a missing score.",
                path=source.name,
                line=line,
                code="BT177",
            )
        check_names({"system": row[2]}, path=source.name, line=line)
        scores = pairs.setdefault(row[0], {})
        if row[2] in scores:
            raise ReadError(
                f"System {quoted(row[2])} already has a score for {row[0]}. Remove one of the two lines.",
                path=source.name,
                line=line,
                code="BT101",
            )
        scores[row[2]] = parse(row[1])
    if not pairs:
        raise ReadError("There is no row below the header.", path=source.name, code="BT011")
    own = options.name or "DA"
    named = {f"{pair} {own}" if len(pairs) > 1 else own: scores for pair, scores in pairs.items()}
    tables = tuple(_scores(name, scores, options) for name, scores in named.items())
    guess = sniff(source)
    n_rows = sum(map(len, pairs.values()))
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=tables,
        rows_read=n_rows,
        rows_kept=n_rows,
        notes=tuple(note for table in tables for note in table.notes),
        problems=doubts_of(tables, place=source.name),
    )


def _scores(name: str, scores: dict[str, float], options: Options) -> Scores:
    values = np.array([[score] for score in scores.values()])
    return Scores(
        name=name,
        systems=tuple(scores),
        segments=(WHOLE_SYSTEM,),
        values=values,
        # Direct assessments grow with quality; only the user may say otherwise.
        higher_is_better=way(name, values, options).higher_is_better,
        notes=(system_level_note(name),),
    )
