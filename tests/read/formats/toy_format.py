"""A format of its own for the tests: ``#toy`` on the first line, then SEGMENT SYSTEM SCORE on each."""

from __future__ import annotations

import numpy as np

from betterthan.read.protocol import Format, Guess, Reading
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="toy",
    kind="scores",
    description="a toy: segment, system and score on each line",
    columns=frozenset({"item"}),
)


def sniff(source):
    """Recognise the first line."""
    return (
        Guess(confidence=0.99, because="the first line is #toy") if source.head.startswith(b"#toy") else None
    )


def read(source, options):
    """Read the scores; every segment has one of every system."""
    rows = [line.split() for line in source.lines()][1:]
    segments, systems = (tuple(dict.fromkeys(row[i] for row in rows)) for i in (0, 1))
    values = np.full((len(systems), len(segments)), np.nan)
    for segment, system, score in rows:
        values[systems.index(system), segments.index(segment)] = float(score)
    table = Scores(name=options.name or source.stem, systems=systems, segments=segments, values=values)
    return Reading(
        format=FORMAT,
        because="the first line is #toy",
        tables=(table,),
        rows_read=len(rows),
        rows_kept=len(rows),
    )
