"""Mean direct assessments of segments: ``ad-seg-scores-XX-YY.csv``, separated by blanks.

The header is ``SYS SID RAW.SCR Z.SCR N``: system, segment, the mean of raw and of standardised scores, and the number
of judgements. Lines may end with a blank.
"""

from __future__ import annotations

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.doubts.doubts import doubts_of
from betterthan.read.formats.metrics_task.score_rows import way
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.missing import check_names
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="crowd_scores",
    kind="scores",
    description="mean direct assessments of segments (ad-seg-scores-XX-YY.csv): SYS SID RAW.SCR Z.SCR N",
)
HEADER = ("SYS", "SID", "RAW.SCR", "Z.SCR", "N")
SCORES = HEADER[2:4]

Cells = dict[tuple[int, int], tuple[float, ...]]


def sniff(source: Source) -> Guess | None:
    """Recognise the header, with blanks or tabs between the names."""
    if source.is_parquet or tuple(next(iter(first_lines(source)), "").split()) != HEADER:
        return None
    return Guess(confidence=0.99, because=f"the header is {' '.join(HEADER)}")


def read(source: Source, options: Options) -> Reading:
    """Read the raw and the standardised means as two metrics."""
    systems: dict[str, int] = {}
    segments: dict[str, int] = {}
    cells: Cells = {}
    judgements: list[float] = []
    for line, text in enumerate(source.lines(), 1):
        fields = text.split()
        if not fields or (line == 1 and tuple(fields) == HEADER):
            continue
        *numbers, count = _numbers(fields, source, line)
        place = (
            systems.setdefault(fields[0], len(systems)),
            segments.setdefault(fields[1], len(segments)),
        )
        if place in cells:
            raise _again(fields, source, line)
        cells[place] = tuple(numbers)
        judgements.append(count)
    if not cells:
        raise ReadError("There is no row below the header.", path=source.name, code="BT011")
    note = f"A segment of a system has {np.median(judgements):g} judgements (median)."
    tables = tuple(
        _scores(name, column, cells, (tuple(systems), tuple(segments)), options, note)
        for column, name in enumerate(SCORES)
    )
    guess = sniff(source)
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=tables,
        rows_read=len(cells),
        rows_kept=len(cells),
        notes=(note,),
        problems=doubts_of(tables, place=source.name),
    )


def _numbers(fields: list[str], source: Source, line: int) -> list[float]:
    if len(fields) != len(HEADER):
        raise ReadError(
            f"The line has {len(fields)} fields where {' '.join(HEADER)} are needed. Write NA for a missing score.",
            path=source.name,
            line=line,
            code="BT177",
        )
    check_names({"system": fields[0], "segment": fields[1]}, path=source.name, line=line)
    numbers = [parse(field) for field in fields[2:]]
    odd = next((i for i, number in enumerate(numbers) if np.isinf(number)), None)
    if odd is not None:
        raise ReadError(
            f"{quoted(fields[2 + odd])} is no finite number. Write NA for a missing score.",
            path=source.name,
            line=line,
            code="BT013",
        )
    return numbers


def _again(fields: list[str], source: Source, line: int) -> ReadError:
    return ReadError(
        f"Segment {quoted(fields[1])} of system {quoted(fields[0])} already has a score. Remove one of the two lines.",
        path=source.name,
        line=line,
        code="BT101",
    )


def _scores(
    name: str,
    column: int,
    cells: Cells,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    options: Options,
    note: str,
) -> Scores:
    values = np.full((len(names[0]), len(names[1])), np.nan)
    for place, numbers in cells.items():
        values[place] = numbers[column]
    return Scores(
        name=name,
        systems=names[0],
        segments=names[1],
        values=values,
        # Direct assessments grow with quality; only the user may say otherwise.
        higher_is_better=way(name, values, options).higher_is_better,
        notes=(note,),
    )
