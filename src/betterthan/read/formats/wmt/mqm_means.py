"""Mean MQM scores of segments: ``*.avg_seg_scores.tsv``, with the header ``system mqm_avg_score seg_id``.

The header has blanks between its names, the rows have tabs or blanks. ``None`` is a segment that was not annotated.
"""

from __future__ import annotations

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.doubts.doubts import doubts
from betterthan.read.formats.metrics_task.score_rows import way
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.missing import check_names
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="mqm_means",
    kind="scores",
    description="mean MQM scores of segments (avg_seg_scores.tsv): system mqm_avg_score seg_id",
)
HEADER = ["system", "mqm_avg_score", "seg_id"]


def sniff(source: Source) -> Guess | None:
    """Recognise the header, with blanks or tabs between the names."""
    if source.is_parquet or next(iter(first_lines(source)), "").split() != HEADER:
        return None
    return Guess(confidence=0.99, because=f"the header is {' '.join(HEADER)}")


def read(source: Source, options: Options) -> Reading:
    """Read systems × segments; a segment that a system lacks is missing."""
    systems: dict[str, int] = {}
    segments: dict[str, int] = {}
    cells: dict[tuple[int, int], float] = {}
    for line, text in enumerate(source.lines(), 1):
        fields = text.split()
        if not fields or (line == 1 and fields == HEADER):
            continue
        system, score, segment = _fields(fields, source, line)
        place = (systems.setdefault(system, len(systems)), segments.setdefault(segment, len(segments)))
        if place in cells:
            raise ReadError(
                f"Segment {quoted(segment)} of system {quoted(system)} already has a score. "
                f"Remove one of the two lines.",
                path=source.name,
                line=line,
                code="BT101",
            )
        cells[place] = score
    if not cells:
        raise ReadError("There is no row below the header.", path=source.name, code="BT011")
    scores = _scores(cells, tuple(systems), tuple(segments), options)
    guess = sniff(source)
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=(scores,),
        rows_read=len(cells),
        rows_kept=len(cells),
        notes=scores.notes,
        problems=doubts(scores, place=source.name),
    )


def _fields(fields: list[str], source: Source, line: int) -> tuple[str, float, str]:
    if len(fields) != len(HEADER):
        raise ReadError(
            f"The line has {len(fields)} fields where {' '.join(HEADER)} are needed. Write None for a missing score.",
            path=source.name,
            line=line,
            code="BT177",
        )
    score = parse(fields[1])
    if np.isinf(score):
        raise ReadError(
            f"{quoted(fields[1])} is no finite number. Write None for a missing score.",
            path=source.name,
            line=line,
            code="BT013",
        )
    check_names({"system": fields[0], "segment": fields[2]}, path=source.name, line=line)
    return fields[0], score, fields[2]


def _scores(
    cells: dict[tuple[int, int], float], systems: tuple[str, ...], segments: tuple[str, ...], options: Options
) -> Scores:
    values = np.full((len(systems), len(segments)), np.nan)
    for place, score in cells.items():
        values[place] = score
    name = options.name or "MQM"
    found = way(name, values, options)
    return Scores(
        name=name,
        systems=systems,
        segments=segments,
        values=values,
        higher_is_better=found.higher_is_better,
        direction_doubt=found.doubt,
        notes=(found.note,) if found.note else (),
    )
