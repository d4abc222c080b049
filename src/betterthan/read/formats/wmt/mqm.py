"""Weights of MQM errors by category and severity."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from betterthan.errors import BetterThanError, ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.formats.builders import ScoresBuilder, field_rows, finite, scores_reading
from betterthan.read.formats.metrics_task.score_files import way
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.columns import plain
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import check_names, parse
from betterthan.read.protocol import Format, FormatReader, Guess, Options, Problem, Reading, reason
from betterthan.read.source.source import LONGEST_LINE, FileLike, Source, open_source
from betterthan.tables.ratings import Ratings

ANY = "*"
WEIGHTS: dict[str, float] = {
    "Major": 5,
    "Minor": 1,
    "Neutral": 0,
    "No-error": 0,
    "No-error/*": 0,
    "Fluency/Punctuation/Minor": 0.1,
    "Non-translation/*": 25,
    "Source error/*": 0,
    "Source issue/*": 0,
    "HOTW-test": 0,  # attention checks, not errors of the system
}
"""The weights of Google's MQM (Freitag et al. 2021): CATEGORY/SEVERITY, or a severity alone, to points."""

_WeightKey = tuple[tuple[str, ...], str]


class Weights:
    """Weights by category and severity; the most specific one counts.

    A key is a severity ("Major"), or a category with a severity after it ("Fluency/Punctuation/Minor"); ``*`` as
    severity is any ("Non-translation/*"). Case and punctuation do not matter. A longer category is more specific than
    a shorter one, and a named severity more than any.

    Parameters
    ----------
    changes : mapping of str to float
        Changes to :data:`WEIGHTS`.

    Examples
    --------
    >>> weights = Weights({"Critical": 10, "Style/*": 0.5})
    >>> weights.of("Fluency/Punctuation", "minor"), weights.of("Style/Awkward", "Major"), weights.of("Terminology", "X")
    (0.1, 0.5, None)
    """

    def __init__(self, changes: Mapping[str, float]) -> None:
        self._weights: dict[_WeightKey, float] = {}
        self._known: dict[tuple[str, str], float | None] = {}
        for key, weight in {**WEIGHTS, **changes}.items():
            self._weights[_key(key)] = _number(key, weight)

    def of(self, category: str, severity: str) -> float | None:
        """Return the weight of an error, or None when neither category nor severity is known."""
        key = (category, severity)
        if key not in self._known:
            self._known[key] = self._most_specific(*key)
        return self._known[key]

    def _most_specific(self, category: str, severity: str) -> float | None:
        path, plain_severity = _path(category), _plain(severity)
        for length in range(len(path), -1, -1):
            for one in (plain_severity, ANY):
                if (path[:length], one) in self._weights:
                    return self._weights[path[:length], one]
        return None


def _key(key: str) -> _WeightKey:
    *category, severity = key.split("/")
    named = ANY if severity.strip() == ANY else _plain(severity)
    if not named or not all(map(_plain, category)) or (named == ANY and not category):
        raise BetterThanError(
            f'"{key}" is not a key of a weight. Write a severity (Major) or CATEGORY/SEVERITY '
            f"(Fluency/Punctuation/Minor; * is any severity)."
        )
    return tuple(map(_plain, category)), named


def _path(category: str) -> tuple[str, ...]:
    return tuple(plain for part in category.split("/") if (plain := _plain(part)))


def _plain(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter.isalnum())


def _number(key: str, weight: object) -> float:
    is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not is_number or not math.isfinite(weight) or weight < 0:  # type: ignore[operator, arg-type]
        raise BetterThanError(f'The weight of "{key}" must be a non-negative number, not {weight!r}.')
    return float(weight)  # type: ignore[arg-type]


# Errors marked in a translation, as JSON objects: their total weight, and errors without a weight.
#
# An error is ``{"start", "end", "category", "severity", "score", "is_source_error"}``. Ratings hold scores and not
# spans, so only the weight of an error is kept.


_SHOWN = 4
_LONGEST = 40


@dataclass(slots=True)
class WeighedErrors:
    """Computes the weights of lists of errors, and collects errors without a weight.

    Examples
    --------
    >>> weighed = WeighedErrors(Weights({}))
    >>> errors = [{"category": "Accuracy/Omission", "severity": "major"}, {"category": "Style", "severity": "minor"}]
    >>> weighed.score(errors, None, 1), weighed.score([], None, 2), weighed.n_errors
    (-6.0, 0.0, 2)
    """

    weights: Weights
    unknown: Counter[str] = field(default_factory=Counter)
    n_errors: int = 0
    n_scored: int = 0

    def score(self, errors: object, source: Source | None, line: int) -> float:
        """Return minus the sum of the errors' weights; an empty list is 0.

        Raises
        ------
        ReadError
            When `errors` is not a list of objects, or a category or severity is not a text (BT182).
        """
        if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
            raise _no_list(source, line)
        # Subtracted from zero, because negation would turn 0 into -0.
        return 0.0 - sum(self._weight(error, source, line) for error in errors)

    def _weight(self, error: Mapping[str, object], source: Source | None, line: int) -> float:
        self.n_errors += 1
        category, severity = (_text(error, key, source, line) for key in ("category", "severity"))
        weight = self.weights.of(category, severity)
        if weight is not None:
            return weight
        points = parse(error.get("score")) if not isinstance(error.get("score"), bool) else np.inf
        if not severity and np.isfinite(points):
            self.n_scored += 1
            return abs(points)
        self.unknown[f"{severity or 'no severity'} ({category or 'no category'})"] += 1
        return 0.0

    def check(self, source: Source) -> tuple[str, ...]:
        """Return notes on the errors that were weighed.

        Raises
        ------
        ReadError
            When some have no weight (BT150).
        """
        if self.unknown:
            raise without_weight(self.unknown, source)
        notes = [f"{self.n_errors:,} errors were weighted; their positions in the text are not kept."]
        if self.n_scored:
            notes.append(f"{self.n_scored:,} errors without a severity are weighted by their own score.")
        return tuple(notes)


def without_weight(unknown: Mapping[str, int], source: Source) -> ReadError:
    """Build the error for severities without a weight: all of them, with their counts."""
    often = sorted(unknown.items(), key=lambda item: -item[1])
    listed = [f"{_short(what)}: {count}" for what, count in often]
    severity = _short(next(iter(unknown)).partition(" (")[0])
    return source.error(
        Message(
            "Errors without a weight: {errors}. Ignoring an error would favor the system. Set the weight, for "
            "example {weights}.",
            errors=some_of(listed, limit=_SHOWN),
            weights=Option("weights", {severity: 10}),
        ),
        code="BT150",
    )


def _short(text: str) -> str:
    """Return a short form of a cell for messages."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:_LONGEST])
    return shown if len(text) <= _LONGEST else f"{shown[:-1]}…"


def _text(error: Mapping[str, object], key: str, source: Source | None, line: int) -> str:
    value = error.get(key)
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    raise ReadError(
        f'The {key} of an error is {quoted(str(value))}, which is not a text. Write a name such as "Major".',
        path=source.name if source else None,
        line=line,
        code="BT182",
    )


def _no_list(source: Source | None, line: int) -> ReadError:
    return ReadError(
        '"errors" must be a list of objects, empty where there is no error. Write the line again.',
        path=source.name if source else None,
        line=line,
        code="BT182",
    )


_MOST_LINES = 50
"""A longer cell means a stray quotation mark."""

NumberedRow = tuple[int, list[str]]


def numbered_rows(source: Source) -> Iterator[NumberedRow]:
    r"""Yield the cells of each row with the line on which it begins; blank lines are left out.

    The first row says how many cells there are. A row with another number of cells is returned unchanged when quotes do
    not explain it.
    """
    lines = enumerate(source.lines(), 1)
    waiting: list[tuple[int, str]] = []
    width = 0
    while True:
        line, text = waiting.pop(0) if waiting else next(lines, (0, ""))
        if not line:
            return
        if not text.strip():
            continue
        cells = text.split("\t")
        width = width or len(cells)
        if len(cells) != width and '"' in text:
            cells = _quoted_row(text, cells, width, lines, waiting)
        yield line, [_bare(cell) for cell in cells]


def _quoted_row(
    text: str, cells: list[str], width: int, lines: Iterator[tuple[int, str]], waiting: list[tuple[int, str]]
) -> list[str]:
    """Return the row with quotes read as quotes, further lines included, if that gives `width` cells."""
    joined, used = text, 0
    while True:
        record = _record(joined)
        if record is not None and len(record) == width:
            del waiting[:used]
            return record
        if not _is_open(joined) or used == _MOST_LINES or len(joined) > LONGEST_LINE:
            return cells
        if used == len(waiting):
            following = next(lines, None)
            if following is None:
                return cells
            waiting.append(following)
        joined += "\n" + waiting[used][1]
        used += 1


def _is_open(text: str) -> bool:
    """Whether a quoted cell may continue on the next line."""
    return ('\t"' in text or text.startswith('"')) and text.count('"') % 2 == 1


def _record(text: str) -> list[str] | None:
    try:
        records = list(csv.reader([line + "\n" for line in text.split("\n")], delimiter="\t", strict=True))
    except csv.Error:
        return None
    return records[0] if len(records) == 1 else None


def _bare(cell: str) -> str:
    """Return a cell without enclosing quotes.

    Examples
    --------
    >>> _bare('"Major"'), _bare('"He said" no'), _bare('""')
    ('Major', '"He said" no', '')
    """
    inner = cell.strip()
    if len(inner) >= 2 and inner[0] == inner[-1] == '"' and '"' not in inner[1:-1].replace('""', ""):
        return inner[1:-1].replace('""', '"')
    return cell


_ANNOTATIONS = Format(
    name="mqm",
    kind="ratings",
    description="MQM annotations: one error per row, with system, segment, rater, category and severity",
)
_ORDER = ("system", "doc", "docSegId", "globalSegId", "rater", "source", "target", "category", "severity")
_NAMES = {
    "system": ("system", "systemid"),
    "doc": ("doc", "documentid", "document"),
    "local": ("docsegid", "docsegmentid", "docid"),
    "segment": ("globalsegid", "segid", "segmentid"),
    "rater": ("rater", "raterid", "annotator"),
    "category": ("category",),
    "severity": ("severity",),
}
_NEEDED = ("system", "rater", "category", "severity")
_USUAL = ("major", "minor", "neutral", "no-error", "critical", "hotw-test")
_CHECKS = "hotwtest"

Roles = dict[str, int]
_Place = tuple[str, str, str]  # number in the test set, document, number in the document


class _Error(NamedTuple):
    """A row: system, segment, rater and error."""

    line: int
    cells: Mapping[str, str]


@dataclass(slots=True)
class _Penalties:
    """Penalties summed by system, segment and rater, in order of first appearance."""

    cells: dict[tuple[int, int, int], float] = field(default_factory=dict)
    systems: dict[str, int] = field(default_factory=dict)
    segments: dict[_Place, int] = field(default_factory=dict)
    judges: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    short: list[int] = field(default_factory=list)
    n_rows: int = 0
    n_checks: int = 0


def sniff_annotations(source: Source) -> Guess | None:
    """Recognize the columns system, rater, category and severity, or nine columns that end with a severity."""
    if source.is_parquet:
        return None
    rows = [line.rstrip("\r\n").split("\t") for line in first_lines(source) if line.strip()]
    if not rows:
        return None
    if set(_NEEDED) <= _roles(rows[0]).keys():
        return Guess(confidence=0.98, because="columns for system, rater, category and severity of errors")
    if _is_headless(rows):
        return Guess(confidence=0.9, because="nine columns that end with category and severity")
    return None


def read_annotations(source: Source, options: Options) -> Reading:
    """Read MQM annotations into :class:`Ratings`; see :func:`read_mqm`."""
    guess = sniff_annotations(source)
    sums = _summed(source, Weights(options.mqm_weights))
    dropped = {"too few cells": len(sums.short)} if sums.short else {}
    problems = (
        (
            Problem(
                code="BT012",
                place=f"{source.name}, line {sums.short[0]}",
                message=f"{len(sums.short)} rows have too few cells and were left out (lines {some_of(sums.short)}). "
                f"Write every error on one line, with all its columns.",
            ),
        )
        if sums.short
        else ()
    )
    table = _ratings(sums, source, name=options.name or "MQM")
    return Reading(
        format=_ANNOTATIONS,
        because=reason(guess),
        tables=(table,),
        rows_read=sums.n_rows,
        rows_kept=sums.n_rows - len(sums.short),
        dropped=dropped,
        notes=table.notes,
        problems=problems,
    )


def read_mqm(source: FileLike, *, weights: Mapping[str, float] | None = None, name: str = "MQM") -> Ratings:
    r"""Read MQM annotations as ratings: minus the weighted sum of errors, by system, segment and rater.

    .. math:: \text{score} = - \sum_{\text{errors}} w(\text{category}, \text{severity})

    Parameters
    ----------
    source : path, "-" or open file
        Tab-separated, one error per row, as published; a header is optional for the nine columns of 2023.
    weights : mapping of str to float, optional
        Changes to the usual weights [1]_: major 5, minor 1, minor Fluency/Punctuation 0.1, Non-translation 25,
        neutral, source errors and attention checks 0. Keys are severities ("Critical"), or categories with a severity
        ("Fluency/Punctuation/Minor"; ``*`` is any severity). The most specific key counts.
    name : str, default "MQM"

    Returns
    -------
    Ratings
        0 means no error and lower is worse, so higher is better. The documents of the segments are the groups.

    Raises
    ------
    ReadError
        When columns are missing, or a severity has no weight: all such are listed with their counts.

    Notes
    -----
    Rows with too few cells are left out and counted. Where no column numbers segments through the test set, a segment
    is named by its document and its number in it.

    References
    ----------
    .. [1] Freitag, Foster, Grangier, Ratnakar, Tan and Macherey (2021), Experts, errors, and context: a large-scale
       study of human evaluation for machine translation, TACL 9, table 12.

    Examples
    --------
    >>> import io
    >>> lines = ["system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity",
    ...          "A\td\t1\t1\tr1\tein Haus\ta <v>mouse</v>\tAccuracy/Mistranslation\tMajor",
    ...          "A\td\t1\t1\tr1\tein Haus\ta mouse<v>.</v>\tFluency/Punctuation\tMinor",
    ...          "B\td\t1\t1\tr1\tein Haus\ta house\tNo-error\tNo-error"]
    >>> ratings = read_mqm(io.StringIO("\n".join(lines)))
    >>> ratings.systems, ratings.score
    (('A', 'B'), array([-5.1,  0. ]))
    """
    opened = source if isinstance(source, Source) else open_source(source)
    (table,) = read_annotations(opened, Options(mqm_weights=dict(weights or {}), name=name)).tables
    assert isinstance(table, Ratings)  # noqa: S101  (what this reader gives)
    return table


def _roles(header: Sequence[str]) -> Roles:
    known = {plain(name): column for column, name in reversed(list(enumerate(header)))}
    return {
        role: known[next(name for name in names if name in known)]
        for role, names in _NAMES.items()
        if any(name in known for name in names)
    }


def _is_headless(rows: Sequence[Sequence[str]]) -> bool:
    ends = {plain(word) for word in _USUAL}
    return all(len(row) >= len(_ORDER) and plain(row[len(_ORDER) - 1]) in ends for row in rows)


def _errors(source: Source, sums: _Penalties) -> Iterator[_Error]:
    """Yield the rows with their cells by role; short ones are noted and left out."""
    roles: Roles = {}
    for line, row in numbered_rows(source):
        if not roles:
            roles = _roles(row)
            if set(_NEEDED) <= roles.keys():
                _check_places(roles, source)
                continue
            roles = _roles(_ORDER)
            if not _is_headless([row]):
                raise _no_columns(source)
        sums.n_rows += 1
        if len(row) <= max(roles.values()):
            sums.short.append(line)
        else:
            yield _Error(line, {role: row[column].strip() for role, column in roles.items()})


def _check_places(roles: Roles, source: Source) -> None:
    if "segment" not in roles and not {"doc", "local"} <= roles.keys():
        raise source.error(
            "No column numbers the segments (globalSegId, seg_id, or doc with docSegId). Add one.",
            line=1,
            code="BT021",
        )


def _no_columns(source: Source) -> ReadError:
    return source.error(
        f"This is not an MQM annotation file: it needs the columns {', '.join(_NEEDED[:-1])} and {_NEEDED[-1]} "
        f"(without a header: {' '.join(_ORDER)}). MQM scores of segments can be ranked like other scores.",
        line=1,
        code="BT021",
    )


def _summed(source: Source, weights: Weights) -> _Penalties:
    sums = _Penalties()
    for error in _errors(source, sums):
        cells = error.cells
        _check_named(error, source)
        weight = weights.of(cells["category"], cells["severity"])
        if weight is None:
            shown = f"{cells['severity'] or 'no severity'} ({cells['category'] or 'no category'})"
            sums.unknown[shown] = sums.unknown.get(shown, 0) + 1
            continue
        sums.n_checks += plain(cells["severity"]) == _CHECKS
        _add(sums, cells, weight)
    if sums.unknown:
        raise without_weight(sums.unknown, source)
    if not sums.cells:
        raise source.error("There are no complete rows. Check the program that wrote the file.", code="BT011")
    return sums


def _check_named(error: _Error, source: Source) -> None:
    roles = ("system", "rater", "segment", "doc", "local")
    names = {role: error.cells[role] for role in roles if role in error.cells}
    check_names(names, path=source.name, line=error.line)


def _add(sums: _Penalties, cells: Mapping[str, str], weight: float) -> None:
    segment = (cells.get("segment", ""), cells.get("doc", ""), cells.get("local", ""))
    place = (
        sums.systems.setdefault(cells["system"], len(sums.systems)),
        sums.segments.setdefault(segment, len(sums.segments)),
        sums.judges.setdefault(cells["rater"], len(sums.judges)),
    )
    sums.cells[place] = sums.cells.get(place, 0.0) + weight


def _segment_names(sums: _Penalties) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the segments, and a note where they are not those of the file.

    Some files repeat numbers across documents; then a segment is named by its document and its number in it.
    """
    numbers = [number for number, _, _ in sums.segments]
    if all(numbers) and len(set(numbers)) == len(numbers):
        return tuple(numbers), ()
    names = tuple(f"{document}:{local}" for _, document, local in sums.segments)
    if len(set(names)) < len(names):
        names = tuple(":".join(place) for place in sums.segments)
    if not all(numbers):
        return names, ()
    return names, (
        f"{len(set(numbers)):,} numbers denote {len(numbers):,} segments, so a segment is named document:number.",
    )


def _ratings(sums: _Penalties, source: Source, *, name: str) -> Ratings:
    system, segment, judge = np.array(list(sums.cells), dtype=np.int64).T
    segments, renamed = _segment_names(sums)
    groups = tuple(document for _, document, _ in sums.segments)
    notes = [
        f"MQM: {sums.n_rows - len(sums.short):,} rows of {source.stem} became {len(sums.cells):,} ratings."
    ]
    if sums.short:
        notes.append(f"{len(sums.short)} rows were left out: too few cells (lines {some_of(sums.short)}).")
    if sums.n_checks:
        notes.append(f"{sums.n_checks} attention checks (HOTW-test) have weight 0.")
    return Ratings(
        name=name,
        systems=tuple(sums.systems),
        segments=segments,
        judges=tuple(sums.judges),
        system=system,
        segment=segment,
        judge=judge,
        # Subtracted from zero, because negation would turn 0 into -0.
        score=0.0 - np.array(list(sums.cells.values())),
        groups=groups if all(groups) else None,
        notes=(*notes, *renamed),
    )


_MEANS = Format(
    name="mqm_means",
    kind="scores",
    description="mean MQM scores of segments (avg_seg_scores.tsv): system mqm_avg_score seg_id",
)
HEADER = ["system", "mqm_avg_score", "seg_id"]


def sniff_means(source: Source) -> Guess | None:
    """Recognize the header, with blanks or tabs between the names."""
    if source.is_parquet or next(iter(first_lines(source)), "").split() != HEADER:
        return None
    return Guess(confidence=0.99, because=f"the header is {' '.join(HEADER)}")


def read_means(source: Source, options: Options) -> Reading:
    """Read systems × segments; a segment that a system lacks is missing."""
    means = ScoresBuilder()
    for line, (system, cell, segment) in field_rows(source, HEADER, missing="None"):
        score = finite(cell, path=source.name, line=line, fix="Write None for a missing score.")
        check_names({"system": system, "segment": segment}, path=source.name, line=line)
        means.add(system, segment, score, path=source.name, line=line)
    tables = [means.scores(options.name or "MQM", options, decide=way)]
    return scores_reading(tables, source, format=_MEANS, guess=sniff_means(source), n_rows=len(means.cells))


ANNOTATIONS = FormatReader(_ANNOTATIONS, sniff_annotations, read_annotations)
"""MQM annotations: tab-separated, one error per row, ``No-error`` where there is none.

Columns are found by name: ``system doc docSegId globalSegId rater source target category severity`` (2023 and later),
``system doc doc_id seg_id rater …`` (2020 to 2022), ``document_id doc_segment_id system_id rater_id … candidate
category severity``. A file without a header has the nine columns of the first.

Google's files do not quote, so a quotation mark is text; Unbabel's quote cells as in CSV, and such a cell may contain a
tab or continue on the next line. A row is first split without quoting. Quotes are interpreted only when the number of
cells differs from the header and quoting gives the right number.
"""
MEANS = FormatReader(_MEANS, sniff_means, read_means)
"""Mean MQM scores of segments: ``*.avg_seg_scores.tsv``, with the header ``system mqm_avg_score seg_id``.

The header has blanks between its names, the rows have tabs or blanks. ``None`` is a segment that was not annotated.
"""
