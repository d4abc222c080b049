"""Rating files of the metrics task: ``LP.NAME.seg.rating``, one line per segment of a system, with the errors as JSON.

A line is ``SYSTEM<tab>{"errors": […]}`` or ``SYSTEM<tab>None``, followed by the rater where there are several. As in
score files, the k-th line of a system is its k-th segment.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from betterthan.read.formats.builders import RatingsBuilder
from betterthan.read.formats.wmt.mqm import WeighedErrors, Weights
from betterthan.read.formats.wmt.wmt_jsonl import first_object, name_at
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.grid.numerals import check_names, is_missing
from betterthan.read.protocol import Format, FormatReader, Guess, Options, Reading
from betterthan.read.source.source import Source

_FILE = Format(
    name="rating_file",
    kind="ratings",
    description="a rating file of the metrics task: SYSTEM, errors as JSON (or None), rater, in the order of segments",
)
NOT_RATED = "not rated"
_ENDING = ".seg.rating"
_PAIR = re.compile(r"^[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?\.")
_NONE = "None"


def sniff_file(source: Source) -> Guess | None:
    """Recognize the name, or lines of a system, an object with errors and perhaps a rater."""
    if source.is_parquet or source.is_folder:
        return None
    if _file_name(source).endswith(_ENDING):
        return Guess(confidence=0.97, because=f"the name ends in {_ENDING}")
    rows = [line.rstrip("\r\n").split("\t") for line in first_lines(source) if line.strip()]
    if rows and all(map(_is_rating, rows)) and any(row[1] != _NONE for row in rows):
        return Guess(confidence=0.95, because="each line is a system, its errors as JSON and perhaps a rater")
    return None


def _file_name(source: Source) -> str:
    return Path(source.name).name.removesuffix(".gz").removesuffix(".zst")


def _is_rating(row: Sequence[str]) -> bool:
    return len(row) in (2, 3) and (row[1] == _NONE or row[1].replace(" ", "").startswith('{"errors":['))


def read_file(source: Source, options: Options) -> Reading:
    """Read the errors as :class:`Ratings`: minus their weighted sum, by system, segment and rater."""
    name = _PAIR.sub("", _file_name(source).removesuffix(_ENDING))
    ratings, weighed = RatingsBuilder(options), WeighedErrors(Weights(options.mqm_weights))
    lines: Counter[str] = Counter()
    last: dict[str, int] = {}
    for line, text in enumerate(source.lines(), 1):
        if not text.strip():
            continue
        system, rating, rater = _fields(text, source, line)
        ratings.n_rows += 1
        lines[system] += 1
        last[system] = line
        errors = _errors(rating, source, line)
        if errors is None:
            ratings.dropped[NOT_RATED] += 1
            continue
        score = weighed.score(errors, source, line)
        ratings.add("", system, str(lines[system]), rater or name, score)
    _check_lengths(lines, last, source)
    notes = weighed.check(source)
    return ratings.reading(source, format=_FILE, guess=sniff_file(source), name=name or "MQM", notes=notes)


def _fields(text: str, source: Source, line: int) -> tuple[str, str, str]:
    row = [cell.strip() for cell in text.split("\t")]
    if len(row) not in (2, 3) or not row[0] or not row[1]:
        raise source.error(
            f"The line has {len(row)} fields where SYSTEM, errors and perhaps a rater are needed, between tabs. "
            f"Write None for a segment that was not rated.",
            line=line,
            code="BT182",
        )
    check_names({"system": row[0]}, path=source.name, line=line)
    return row[0], row[1], "" if len(row) == 2 or is_missing(row[2]) else row[2]


def _errors(rating: str, source: Source, line: int) -> object:
    """Return the list of errors, or None where nothing was rated."""
    if rating == _NONE:
        return None
    try:
        parsed = json.loads(rating)
    except (ValueError, RecursionError) as error:
        raise source.error(
            f"{quoted(rating)} is neither JSON nor None. Write an object with a list of errors.",
            line=line,
            code="BT182",
        ) from error
    return parsed.get("errors", "") if isinstance(parsed, dict) else ""


def _check_lengths(lines: Counter[str], last: dict[str, int], source: Source) -> None:
    """Raise when a system has another number of lines than most: its segments would be misaligned."""
    counts = Counter(lines.values())
    usual = max(counts, key=lambda count: (counts[count], count), default=0)
    odd = next((system for system, count in lines.items() if count != usual), None)
    if odd is not None:
        raise source.error(
            f"System {quoted(odd)} has {lines[odd]:,} lines, the last here, but others have {usual:,}. "
            f"Write one line per segment, None where it was not rated.",
            line=last[odd],
            code="BT162",
        )


_LINES = Format(
    name="rating_lines",
    kind="ratings",
    description="ratings as JSON lines, with system_id, segment_id, rater_id and a list of errors",
)
_NAMED = ("system_id", "segment_id", "rater_id")
_KEYS = (*_NAMED, "errors")


def sniff_lines(source: Source) -> Guess | None:
    """Recognize a first line that is an object with system_id, segment_id, rater_id and errors."""
    first = first_object(source)
    if first is None or not set(_KEYS) <= first.keys():
        return None
    return Guess(confidence=0.99, because=f"JSON lines with {', '.join(_KEYS[:-1])} and errors")


def read_lines(source: Source, options: Options) -> Reading:
    """Read the ratings of each language pair, line by line: minus the weighted sum of the errors."""
    ratings, weighed = RatingsBuilder(options), WeighedErrors(Weights(options.mqm_weights))
    for line, rated in numbered_objects(source.lines(), source):
        ratings.n_rows += 1
        system, segment, rater = (name_at(rated, key, source, line) for key in _NAMED)
        if rated.get("errors") is None:
            ratings.dropped[NOT_RATED] += 1
            continue
        score = weighed.score(rated["errors"], source, line)
        document = rated.get("document_id")
        group = "" if document is None else name_at(rated, "document_id", source, line)
        ratings.add(_pair(rated), system, segment, rater, score, group=group)
    notes = weighed.check(source)
    return ratings.reading(source, format=_LINES, guess=sniff_lines(source), name="MQM", notes=notes)


def _pair(rated: Mapping[str, Any]) -> str:
    languages = [rated.get(key) for key in ("src_lang", "tgt_lang")]
    return "-".join(map(str, languages)) if all(languages) else ""


FILE = FormatReader(_FILE, sniff_file, read_file)
LINES = FormatReader(_LINES, sniff_lines, read_lines)
"""Standalone ratings as JSON lines: one object per rating, with the errors that a rater marked in a hypothesis.

The keys are ``source, hypothesis, errors, document_id, segment_id, system_id, rater_id, src_lang, tgt_lang``;
``segment_id`` numbers the segments of the test set from 0.
"""
