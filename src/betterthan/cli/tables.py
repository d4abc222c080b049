"""From a file on the command line to the table that a verb takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from betterthan.errors import ReadError
from betterthan.read.protocol import Options, Reading
from betterthan.read.scores import scores_of, the_metric
from betterthan.read.sniff import read_any
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores

# Larger files of battles are aggregated while they are read, and their judges with them.
_SMALL_FILE = 50 << 20
_NO_JUDGE = "BT127"


def table_of(file: str, options: Options, format_in: str | None, metric: str | None) -> Scores | Matches:
    """Read a file of scores, ratings or battles; battles keep their judges when the file is small enough."""
    reading = _reading(file, options, format_in)
    if reading.tables and isinstance(reading.tables[0], Matches):
        return reading.tables[0]
    return the_metric(scores_of(reading, path=file), metric, file)


def scores_table(file: str, options: Options, format_in: str | None, metric: str | None) -> Scores:
    """Read a file of scores or ratings."""
    return the_metric(scores_of(read_any(file, options, format=format_in), path=file), metric, file)


def _reading(file: str, options: Options, format_in: str | None) -> Reading:
    path = Path(file)
    if "judge" in options.columns or not path.is_file() or path.stat().st_size > _SMALL_FILE:
        return read_any(file, options, format=format_in)
    try:
        return read_any(file, replace(options, keep=("judge",)), format=format_in)
    except ReadError as error:
        if error.code != _NO_JUDGE:
            raise
    return read_any(file, options, format=format_in)
