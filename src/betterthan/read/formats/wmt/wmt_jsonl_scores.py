"""Automatic scores of WMT25: ``SYSTEM.jsonl``, one object a document, or a folder of such files.

An object is ``{language_pair, domain, document_id, metric_scores: {METRIC: [a score a paragraph]}}``. An item is a
paragraph of a document, named ``DOCUMENT:NUMBER`` with numbers from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from betterthan.errors import ReadError, some_of
from betterthan.read.doubts.direction import direction
from betterthan.read.doubts.doubts import doubts_of
from betterthan.read.formats.wmt.wmt_jsonl import first_object, sniff_folder, system_files
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="wmt_scores",
    kind="scores",
    description="automatic scores of WMT25: SYSTEM.jsonl, an object a document with its metric_scores",
)
_KEYS = ("language_pair", "document_id", "metric_scores")

Item = tuple[str, str]


@dataclass(slots=True)
class _Found:
    """Scores by metric, system and item; an item is a language pair and a paragraph."""

    systems: dict[str, int] = field(default_factory=dict)
    sizes: dict[Item, tuple[int, str]] = field(default_factory=dict)
    scores: dict[tuple[str, str], dict[tuple[str, Item], list[float]]] = field(default_factory=dict)
    n_rows: int = 0


def sniff(source: Source) -> Guess | None:
    """Recognise a first object with metric_scores; a folder by such a file in it."""
    if source.is_folder:
        return sniff_folder(source, sniff, "metric_scores")
    first = first_object(source)
    if first is None or not set(_KEYS) <= first.keys():
        return None
    return Guess(confidence=0.99, because="JSON lines with language_pair, document_id and metric_scores")


def read(source: Source, options: Options) -> Reading:
    """Read a system's file, or every system of a folder, into one :class:`Scores` a metric and language pair."""
    found = _Found()
    for opened in system_files(source):
        system = opened.stem
        if system in found.systems:
            raise ReadError(
                f"System {quoted(system)} has two files. Remove one of them.", path=source.name, code="BT169"
            )
        found.systems[system] = len(found.systems)
        for line, document in numbered_objects(opened.lines(), opened):
            found.n_rows += 1
            _add(found, system, document, opened, line)
    if not found.scores:
        raise ReadError("No document has scores. Check what wrote the file.", path=source.name, code="BT011")
    tables = _tables(found, options)
    guess = sniff(source)
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=tables,
        rows_read=found.n_rows,
        rows_kept=found.n_rows,
        notes=tuple(dict.fromkeys(note for table in tables for note in table.notes)),
        problems=doubts_of(tables, place=source.name),
    )


def _add(found: _Found, system: str, document: Mapping[str, Any], source: Source, line: int) -> None:
    pair, name, metrics = (document.get(key) for key in _KEYS)
    is_named = all(isinstance(text, str) and text.strip() for text in (pair, name))
    if not is_named or not isinstance(metrics, dict):
        raise _wrong(
            "language_pair and document_id must be texts, metric_scores an object of lists", source, line
        )
    item = (str(pair), str(name))
    for metric, values in metrics.items():
        if not isinstance(values, list) or not values or not metric.strip():
            raise _wrong(f"The scores of {quoted(metric)} are no list with a score a paragraph", source, line)
        _check_size(found, item, len(values), system, source, line)
        cells = found.scores.setdefault((metric, item[0]), {})
        if (system, item) in cells:
            raise ReadError(
                f"Document {quoted(item[1])} of {item[0]} already has scores of {quoted(metric)}. "
                f"Remove one of the two lines.",
                path=source.name,
                line=line,
                code="BT101",
            )
        cells[system, item] = [_number(value, metric, source, line) for value in values]


def _check_size(found: _Found, item: Item, size: int, system: str, source: Source, line: int) -> None:
    expected, where = found.sizes.setdefault(item, (size, system))
    if size != expected:
        raise ReadError(
            f"Document {quoted(item[1])} has {size} scores here and {expected} before (system {quoted(where)}). "
            f"Write a score for every paragraph, null for a missing one.",
            path=source.name,
            line=line,
            code="BT175",
        )


def _number(value: object, metric: str, source: Source, line: int) -> float:
    score = np.inf if isinstance(value, bool) else parse(value)
    if not np.isinf(score):
        return float(score)
    raise ReadError(
        f"A score of {quoted(metric)} is {quoted(str(value))}, no finite number. Write null for a missing score.",
        path=source.name,
        line=line,
        code="BT013",
    )


def _wrong(what: str, source: Source, line: int) -> ReadError:
    return ReadError(f"{what}. Write the file again.", path=source.name, line=line, code="BT176")


def _tables(found: _Found, options: Options) -> tuple[Scores, ...]:
    several = len({pair for _, pair in found.scores}) > 1
    return tuple(
        _scores(f"{metric} {pair}" if several else metric, pair, cells, found, options)
        for (metric, pair), cells in found.scores.items()
    )


def _scores(
    name: str, pair: str, cells: Mapping[tuple[str, Item], list[float]], found: _Found, options: Options
) -> Scores:
    documents = [item for item in found.sizes if item[0] == pair]
    start, places = 0, {}
    for item in documents:
        places[item] = start
        start += found.sizes[item][0]
    values = np.full((len(found.systems), start), np.nan)
    for (system, item), scores in cells.items():
        values[found.systems[system], places[item] : places[item] + len(scores)] = scores
    has_scores = ~np.isnan(values).all(axis=1)
    way = direction(name, values, options)
    without = [system for system, known in zip(found.systems, has_scores, strict=True) if not known]
    notes = [f'Systems without any score of "{name}": {some_of(without)}.'] if without else []
    return Scores(
        name=name,
        systems=tuple(system for system, known in zip(found.systems, has_scores, strict=True) if known),
        segments=tuple(f"{item[1]}:{k + 1}" for item in documents for k in range(found.sizes[item][0])),
        values=values[has_scores],
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        groups=tuple(item[1] for item in documents for _ in range(found.sizes[item][0])),
        notes=(*notes, *([way.note] if way.note else [])),
    )
