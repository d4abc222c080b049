"""The lines of a score file: a system's name and its score, and nothing that says which segment.

The k-th line of a system is its k-th segment (document, domain), so lengths are checked wherever lines are counted.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import ReadError
from betterthan.read.doubts.direction import Direction, direction
from betterthan.read.doubts.metric_names import told_by
from betterthan.read.grid.grid import Labels, encode, quoted
from betterthan.read.grid.missing import missing_name
from betterthan.read.grid.numerals import how_large, is_infinite, parse_all
from betterthan.read.protocol import Options
from betterthan.read.source.source import Source
from betterthan.read.source.text import small_text

LEVELS = ("seg", "doc", "domain", "sys")
UNITS = {"seg": "segment", "doc": "document", "domain": "domain", "sys": "system"}
_AT_ONCE = 64 << 20
_PAIR = re.compile(r"^[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?\.")


class ScoreName(NamedTuple):
    """What the name of a score file says: the metric (or human score) and the level."""

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
            f'"{level}" is no level of scores. The levels are {", ".join(LEVELS)}, as in NAME.seg.score.',
            path=path,
            code="BT161",
        )


def score_rows(source: Source, level: str) -> ScoreRows:
    """Read the lines of a score file.

    Raises
    ------
    ReadError
        At a line with more or fewer fields (BT160), or whose last field is no number (BT013, BT014).
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
        raise ReadError(
            missing_name(systems[nameless[0]], "system"),
            path=source.name,
            line=int(nameless[0]) + 1,
            code="BT105",
        )
    return ScoreRows(named, values, encode(domains[0]) if domains else None, lines)


def _not_a_score(fields: list[str], source: Source, line: int, level: str) -> ReadError:
    shape = "DOMAIN SYSTEM SCORE" if level == "domain" else "SYSTEM SCORE"
    found = "The line is empty" if not fields else f"The line has {len(fields)} fields"
    return ReadError(
        f"{found} where {shape} is needed. Write None for a missing score, and no header.",
        path=source.name,
        line=line,
        code="BT160",
    )


def _not_a_number(text: str, source: Source, line: int) -> ReadError:
    infinite = is_infinite(text)
    what = how_large(text) if infinite else "is not a number"
    return ReadError(
        f"{quoted(text)} {what}. Write None for a missing score, and no header.",
        path=source.name,
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
        How many lines each system must have.
    because : str
        Who says so, such as ``"documents/en-de.docs has 998 lines"``.

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
    return ReadError(
        f"System {quoted(rows.systems.names[system])} has {count:,} score{'' if count == 1 else 's'}, the last in "
        f"this line, but {because}. One line a segment is needed: write None for a missing score.",
        path=source.name,
        line=int(rows.lines[last]),
        code="BT162",
    )


def usual_count(rows: ScoreRows) -> int:
    """Return how many lines most systems have; the larger number when two are as frequent."""
    counts = np.bincount(rows.systems.codes, minlength=len(rows.systems.names))
    values, times = np.unique(counts, return_counts=True)
    return int(values[times == times.max()].max())


def by_domain(rows: ScoreRows, source: Source) -> tuple[tuple[str, ...], FloatArray]:
    """Return the domains, and systems × domains; a system without a line for a domain has a missing score."""
    domains = rows.domains
    if domains is None:
        raise ReadError("The file names no domains.", path=source.name, code="BT160")
    cell = rows.systems.codes.astype(np.int64) * len(domains.names) + domains.codes
    distinct, first = np.unique(cell, return_index=True)
    if distinct.size < cell.size:
        again = int(np.setdiff1d(np.arange(cell.size), first)[0])
        system, domain = rows.systems.names[rows.systems.codes[again]], domains.names[domains.codes[again]]
        raise ReadError(
            f'System "{system}" already has a score for domain "{domain}". Remove one of the two lines.',
            path=source.name,
            line=int(rows.lines[again]),
            code="BT101",
        )
    values = np.full(len(rows.systems.names) * len(domains.names), np.nan)
    values[cell] = rows.values
    return domains.names, values.reshape(len(rows.systems.names), -1)


def way(name: str, values: FloatArray, options: Options) -> Direction:
    """Decide the direction of a score file.

    In the layout of the metrics task more is better: error rates and penalties are negated before they are written.
    Only where a name says otherwise (TER, MQM, MetricX) and no score is below 0 was this not done.

    Examples
    --------
    >>> way("TER-refA", np.array([[-0.5, -0.25]]), Options()).higher_is_better
    True
    >>> way("TER-refA", np.array([[0.5, 0.25]]), Options()).higher_is_better
    False
    """
    plain = _PAIR.sub("", name).casefold()
    told = told_by(plain)
    # A metric learned from MQM is called after it too, but at the end of its name.
    is_error = told is not None and (
        told.way == "lower" or (told.way == "by values" and plain.startswith(told.word))
    )
    has_both_signs = bool((values < 0).any()) and bool((values > 0).any())
    return direction(name, values, options, declared=None if is_error and not has_both_signs else True)
