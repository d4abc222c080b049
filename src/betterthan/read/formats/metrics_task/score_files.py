"""Score files of the metrics task: ``NAME.seg.score`` and its like, alone or several in a folder.

A line is ``SYSTEM SCORE``; there is no header, and the order of the lines says which segment a score belongs to.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.doubts.doubts import doubts
from betterthan.read.formats.metrics_task.score_rows import (
    LEVELS,
    UNITS,
    ScoreRows,
    by_domain,
    by_order,
    check_level,
    score_name,
    score_rows,
    usual_count,
    way,
)
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.numerals import parse_all
from betterthan.read.protocol import WHOLE_SYSTEM, Format, Guess, Options, Reading
from betterthan.read.source.folders import files_in, ordinary_file
from betterthan.read.source.source import Source, open_source
from betterthan.tables.row_order import RowOrder, numbers
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="score_file",
    kind="scores",
    description="a score file without a header: SYSTEM SCORE on each line, in the order of the segments",
)


def sniff(source: Source) -> Guess | None:
    """Recognise a score file by its name, or by lines of a name and a number; a folder by such names in it."""
    if source.is_folder:
        return _sniff_folder(source)
    if source.is_parquet:
        return None
    named = score_name(_file_name(source))
    if named is not None:
        what = UNITS.get(named.level, "unknown")
        return Guess(confidence=0.97, because=f"the name ends in .{named.level}.score ({what} level)")
    if _looks_like_scores(first_lines(source)):
        return Guess(confidence=0.75, because="each line is a name and a number, and there is no header")
    return None


def _file_name(source: Source) -> str:
    return Path(source.name).name


def _sniff_folder(source: Source) -> Guess | None:
    found = [path for path in files_in(source.path) if score_name(path.name) is not None]
    if not found:
        return None
    return Guess(confidence=0.9, because=f"a folder with {len(found)} score file{'s' * (len(found) > 1)}")


def _looks_like_scores(lines: Sequence[str]) -> bool:
    """Whether lines are a name and a number each, names come back, and no name is a number."""
    records = [line.split() for line in lines if line.strip()]
    if not records or any(len(fields) != 2 or "," in "".join(fields) for fields in records):
        return False
    names, numbers = zip(*records, strict=True)
    if np.isinf(parse_all(numbers)).any() or not np.isinf(parse_all(names)).all():
        return False
    return len(set(names)) < len(names)


def read(source: Source, options: Options) -> Reading:
    """Read a score file, or every score file of one level in a folder."""
    if source.is_folder:
        return _read_folder(source, options)
    named = score_name(_file_name(source))
    level = named.level if named else options.level or "seg"
    check_level(level, path=source.name)
    rows = score_rows(source, level)
    scores = _scores(options.name or (named.name if named else source.stem), rows, source, level, options)
    guess = sniff(source)
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=(scores,),
        rows_read=rows.values.size,
        rows_kept=rows.values.size,
        notes=scores.notes,
        problems=doubts(scores, place=source.name),
    )


def _scores(name: str, rows: ScoreRows, source: Source, level: str, options: Options) -> Scores:
    notes: tuple[str, ...] = ()
    if level == "domain":
        segments, values = by_domain(rows, source)
    else:
        expected = 1 if level == "sys" else usual_count(rows)
        said = "a system-level file has one" if level == "sys" else f"others have {expected:,}"
        values = by_order(rows, source, expected=expected, because=said)
        segments = (WHOLE_SYSTEM,) if level == "sys" else numbers(expected)
    if level == "sys":
        notes = (system_level_note(name),)
    found = way(name, values, options)
    return Scores(
        name=name,
        systems=rows.systems.names,
        segments=segments,
        values=values,
        higher_is_better=found.higher_is_better,
        direction_doubt=found.doubt,
        notes=(*notes, *([found.note] if found.note else [])),
        row_order=None if level in ("sys", "domain") else RowOrder(len(segments), is_layout=level == "seg"),
    )


def system_level_note(name: str) -> str:
    """Say that a table holds one score a system."""
    return f'"{name}" has one score for each system, so systems cannot be compared segment by segment.'


def _read_folder(source: Source, options: Options) -> Reading:
    """Read the score files of one level that stand side by side."""
    paths = [path for path in files_in(source.path) if score_name(path.name) is not None]
    level = options.level or _only_level(paths, source)
    check_level(level, path=source.name)
    chosen = [path for path in paths if _level_of(path) == level]
    if not chosen:
        raise ReadError(
            f"No file ends in .{level}.score. The levels here: {', '.join(_levels(paths))}.",
            path=source.name,
            code="BT165",
        )
    readings = [_read_one(path, source, options) for path in chosen]
    tables = [table for reading in readings for table in reading.tables if isinstance(table, Scores)]
    _check_clash([table.name for table in tables], chosen, source)
    guess = _sniff_folder(source)
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=tuple(tables),
        rows_read=sum(reading.rows_read for reading in readings),
        rows_kept=sum(reading.rows_kept for reading in readings),
        notes=tuple(note for reading in readings for note in reading.notes),
        problems=tuple(dict.fromkeys(problem for reading in readings for problem in reading.problems)),
    )


def _read_one(path: Path, folder: Source, options: Options) -> Reading:
    ordinary_file(path, folder.path)
    shown = os.path.join(folder.name, path.name)  # noqa: PTH118  (as the user named the folder)
    opened = open_source(path)
    return read(replace(opened, name=shown), replace(options, name=None))


def _level_of(path: Path) -> str:
    named = score_name(path.name)
    return named.level if named else ""


def _levels(paths: Sequence[Path]) -> list[str]:
    return sorted({_level_of(path) for path in paths})


def _only_level(paths: Sequence[Path], source: Source) -> str:
    """Return the level of all files, or segments where some are of that level."""
    levels = _levels(paths)
    unknown = [level for level in levels if level not in LEVELS]
    if unknown:
        check_level(unknown[0], path=source.name)
    return "seg" if "seg" in levels else levels[0]


def _check_clash(names: Sequence[str], paths: Sequence[Path], source: Source) -> None:
    """Refuse a file beside its own gzipped copy."""
    seen: dict[str, str] = {}
    for name, path in zip(names, paths, strict=True):
        if name in seen:
            raise ReadError(
                f'"{name}" is in {seen[name]} and in {path.name}. Remove one of them.',
                path=source.name,
                code="BT169",
            )
        seen[name] = path.name
