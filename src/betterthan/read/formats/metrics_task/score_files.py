"""The lines of a score file: a system's name and its score, without a segment id.

The k-th line of a system is its k-th segment (document, domain), so lengths are checked wherever lines are counted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import ReadError
from betterthan.read.formats.builders import scores_reading
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import Labels, encode, quoted
from betterthan.read.grid.numerals import how_large, is_infinite, missing_name, parse_all
from betterthan.read.plausibility.direction import Direction, direction, hint_of
from betterthan.read.protocol import WHOLE_SYSTEM, Format, Guess, Options, Reading, reason
from betterthan.read.source.paths import files_in, ordinary_file
from betterthan.read.source.source import Source, open_source, small_text
from betterthan.tables.row_order import RowOrder, numbers
from betterthan.tables.scores import Scores

LEVELS = ("seg", "doc", "domain", "sys")
UNITS = {"seg": "segment", "doc": "document", "domain": "domain", "sys": "system"}
_AT_ONCE = 64 << 20
_PAIR = re.compile(r"^[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?\.")


class ScoreName(NamedTuple):
    """The parts of the name of a score file: the metric (or human score) and the level."""

    name: str
    level: str


class ScoreRows(NamedTuple):
    """The lines of a score file: the system of each, its score, its domain at domain level, and its line."""

    systems: Labels
    values: FloatArray
    domains: Labels | None
    lines: IntArray


def score_name(file: str) -> ScoreName | None:
    """Return the parts of ``NAME.LEVEL.score``, whose name may contain dots; None for any other name.

    Examples
    --------
    >>> score_name("YiSi-1-refA.refB.seg.score.gz")
    ScoreName(name='YiSi-1-refA.refB', level='seg')
    """
    parts = file.removesuffix(".gz").rsplit(".", 2)
    if len(parts) != 3 or parts[2] != "score" or not parts[0]:
        return None
    return ScoreName(parts[0], parts[1])


def check_level(level: str, *, path: str | None = None) -> None:
    """Raise unless a level is one of :data:`LEVELS` (BT161)."""
    if level not in LEVELS:
        raise ReadError(
            f'"{level}" is not a level of scores. The levels are {", ".join(LEVELS)}, as in NAME.seg.score.',
            path=path,
            code="BT161",
        )


def score_rows(source: Source, level: str) -> ScoreRows:
    """Read the lines of a score file.

    Raises
    ------
    ReadError
        At a line with more or fewer fields (BT160), or whose last field is not a number (BT013, BT014).
    """
    width = 3 if level == "domain" else 2
    text = small_text(source, limit=_AT_ONCE)
    records = [line.split() for line in (source.lines() if text is None else text.split("\n"))]
    while records and not records[-1]:
        del records[-1]
    odd = next((i for i, fields in enumerate(records) if len(fields) != width), None)
    if odd is not None:
        raise _not_a_score(records[odd], source, odd + 1, level)
    *domains, systems, scores = zip(*records, strict=True)
    values = parse_all(scores)
    bad = np.flatnonzero(np.isinf(values))
    if bad.size:
        raise _not_a_number(scores[bad[0]], source, int(bad[0]) + 1)
    lines = np.arange(1, len(records) + 1, dtype=np.int64)
    named = encode(systems)
    nameless = np.flatnonzero(named.codes < 0)
    if nameless.size:
        raise source.error(
            missing_name(systems[nameless[0]], "system"), line=int(nameless[0]) + 1, code="BT105"
        )
    return ScoreRows(named, values, encode(domains[0]) if domains else None, lines)


def _not_a_score(fields: list[str], source: Source, line: int, level: str) -> ReadError:
    shape = "DOMAIN SYSTEM SCORE" if level == "domain" else "SYSTEM SCORE"
    what = "The line is empty" if not fields else f"The line has {len(fields)} fields"
    return source.error(
        f"{what} where {shape} is needed. Write None for a missing score, and no header.",
        line=line,
        code="BT160",
    )


def _not_a_number(text: str, source: Source, line: int) -> ReadError:
    infinite = is_infinite(text)
    what = how_large(text) if infinite else "is not a number"
    return source.error(
        f"{quoted(text)} {what}. Write None for a missing score, and no header.",
        line=line,
        code="BT014" if infinite else "BT013",
    )


def by_order(rows: ScoreRows, source: Source, *, expected: int, because: str) -> FloatArray:
    """Return systems × segments: the k-th line of a system is its k-th segment.

    Parameters
    ----------
    rows : ScoreRows
    source : Source
        For messages.
    expected : int
        Number of lines that each system must have.
    because : str
        Source of that number, such as ``"documents/en-de.docs has 998 lines"``.

    Raises
    ------
    ReadError
        When a system has more or fewer lines (BT162).
    """
    codes = rows.systems.codes
    counts = np.bincount(codes, minlength=len(rows.systems.names))
    wrong = np.flatnonzero(counts != expected)
    if wrong.size:
        raise _unequal(rows, source, int(wrong[0]), int(counts[wrong[0]]), because)
    order = np.argsort(codes, kind="stable")
    return rows.values[order].reshape(len(rows.systems.names), expected)


def _unequal(rows: ScoreRows, source: Source, system: int, count: int, because: str) -> ReadError:
    last = int(np.flatnonzero(rows.systems.codes == system)[-1])
    return source.error(
        f"System {quoted(rows.systems.names[system])} has {count:,} score{'' if count == 1 else 's'}, the last in "
        f"this line, but {because}. One line per segment is needed: write None for a missing score.",
        line=int(rows.lines[last]),
        code="BT162",
    )


def usual_count(rows: ScoreRows) -> int:
    """Return the most frequent number of lines per system; the larger one on ties."""
    counts = np.bincount(rows.systems.codes, minlength=len(rows.systems.names))
    values, times = np.unique(counts, return_counts=True)
    return int(values[times == times.max()].max())


def by_domain(rows: ScoreRows, source: Source) -> tuple[tuple[str, ...], FloatArray]:
    """Return the domains, and systems × domains; a system without a line for a domain has a missing score."""
    domains = rows.domains
    if domains is None:
        raise source.error("The file names no domains.", code="BT160")
    cell = rows.systems.codes.astype(np.int64) * len(domains.names) + domains.codes
    distinct, first = np.unique(cell, return_index=True)
    if distinct.size < cell.size:
        again = int(np.setdiff1d(np.arange(cell.size), first)[0])
        system, domain = rows.systems.names[rows.systems.codes[again]], domains.names[domains.codes[again]]
        raise source.error(
            f'System "{system}" already has a score for domain "{domain}". Remove one of the two lines.',
            line=int(rows.lines[again]),
            code="BT101",
        )
    values = np.full(len(rows.systems.names) * len(domains.names), np.nan)
    values[cell] = rows.values
    return domains.names, values.reshape(len(rows.systems.names), -1)


def way(name: str, values: FloatArray, options: Options) -> Direction:
    """Decide the direction of a score file.

    In the layout of the metrics task higher is better: error rates and penalties are negated before they are written.
    Only where the name is that of an error metric (TER, MQM, MetricX) and no score is below 0 was this not done.

    Examples
    --------
    >>> way("TER-refA", np.array([[-0.5, -0.25]]), Options()).higher_is_better
    True
    >>> way("TER-refA", np.array([[0.5, 0.25]]), Options()).higher_is_better
    False
    """
    plain = _PAIR.sub("", name).casefold()
    hint = hint_of(plain)
    # A metric learned from MQM is called after it too, but at the end of its name.
    is_error = hint is not None and (
        hint.way == "lower" or (hint.way == "by values" and plain.startswith(hint.word))
    )
    has_both_signs = bool((values < 0).any()) and bool((values > 0).any())
    return direction(name, values, options, declared=None if is_error and not has_both_signs else True)


# Score files of the metrics task: ``NAME.seg.score`` and its like, alone or several in a folder.
#
# A line is ``SYSTEM SCORE``; there is no header, and the order of the lines determines the segment of a score.


FORMAT = Format(
    name="score_file",
    kind="scores",
    description="a score file without a header: SYSTEM SCORE on each line, in the order of the segments",
)


def sniff(source: Source) -> Guess | None:
    """Recognize a score file by its name, or by lines of a name and a number; a folder by such names in it."""
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
    files = [path for path in files_in(source.path) if score_name(path.name) is not None]
    if not files:
        return None
    return Guess(confidence=0.9, because=f"a folder with {len(files)} score file{'s' * (len(files) > 1)}")


def _looks_like_scores(lines: Sequence[str]) -> bool:
    """Whether every line is a name and a number, names recur, and no name is a number."""
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
    return scores_reading([scores], source, format=FORMAT, guess=sniff(source), n_rows=rows.values.size)


def _scores(name: str, rows: ScoreRows, source: Source, level: str, options: Options) -> Scores:
    notes: tuple[str, ...] = ()
    if level == "domain":
        segments, values = by_domain(rows, source)
    else:
        expected = 1 if level == "sys" else usual_count(rows)
        because = "a system-level file has one" if level == "sys" else f"others have {expected:,}"
        values = by_order(rows, source, expected=expected, because=because)
        segments = (WHOLE_SYSTEM,) if level == "sys" else numbers(expected)
    if level == "sys":
        notes = (system_level_note(name),)
    way_of_metric = way(name, values, options)
    return Scores(
        name=name,
        systems=rows.systems.names,
        segments=segments,
        values=values,
        higher_is_better=way_of_metric.higher_is_better,
        direction_doubt=way_of_metric.doubt,
        notes=(*notes, *way_of_metric.notes),
        row_order=None if level in ("sys", "domain") else RowOrder(len(segments), is_layout=level == "seg"),
    )


def system_level_note(name: str) -> str:
    """Return a note that a table has one score per system."""
    return f'"{name}" has one score for each system, so systems cannot be compared segment by segment.'


def _read_folder(source: Source, options: Options) -> Reading:
    """Read the score files of one level in a folder."""
    paths = [path for path in files_in(source.path) if score_name(path.name) is not None]
    if not paths:
        raise source.error("No file in this folder ends in .seg.score, .sys.score or the like.", code="BT165")
    level = options.level or _only_level(paths, source)
    check_level(level, path=source.name)
    chosen = [path for path in paths if _level_of(path) == level]
    if not chosen:
        raise source.error(
            f"No file ends in .{level}.score. The levels here: {', '.join(_levels(paths))}.", code="BT165"
        )
    readings = [_read_one(path, source, options) for path in chosen]
    tables = [table for reading in readings for table in reading.tables if isinstance(table, Scores)]
    _check_clash([table.name for table in tables], chosen, source)
    guess = _sniff_folder(source)
    return Reading(
        format=FORMAT,
        because=reason(guess),
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
    """Raise when a folder has a file and its own gzipped copy."""
    seen: dict[str, str] = {}
    for name, path in zip(names, paths, strict=True):
        if name in seen:
            raise source.error(
                f'"{name}" is in {seen[name]} and in {path.name}. Remove one of them.', code="BT169"
            )
        seen[name] = path.name
