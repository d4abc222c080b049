"""Standalone ratings as JSON lines: one object a rating, with the errors that a rater marked in a hypothesis.

The keys are ``source, hypothesis, errors, document_id, segment_id, system_id, rater_id, src_lang, tgt_lang``;
``segment_id`` counts through the test set from 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from betterthan.errors import ReadError
from betterthan.read.formats.tables.rating_tally import account, reading_of
from betterthan.read.formats.wmt.error_spans import Marked
from betterthan.read.formats.wmt.mqm_weights import Weights
from betterthan.read.formats.wmt.rating_files import NOT_RATED
from betterthan.read.formats.wmt.wmt_jsonl import first_object
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.grid.missing import check_names
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="rating_lines",
    kind="ratings",
    description="ratings as JSON lines, with system_id, segment_id, rater_id and a list of errors",
)
_NAMED = ("system_id", "segment_id", "rater_id")
_KEYS = (*_NAMED, "errors")


def sniff(source: Source) -> Guess | None:
    """Recognise a first line that is an object with system_id, segment_id, rater_id and errors."""
    first = first_object(source)
    if first is None or not set(_KEYS) <= first.keys():
        return None
    return Guess(confidence=0.99, because=f"JSON lines with {', '.join(_KEYS[:-1])} and errors")


def read(source: Source, options: Options) -> Reading:
    """Read the ratings of each language pair, line by line: minus the weighted sum of the errors."""
    found, marked = account(options), Marked(Weights(options.mqm_weights))
    for line, rated in numbered_objects(source.lines(), source):
        found.n_rows += 1
        system, segment, rater = (_name(rated, key, source, line) for key in _NAMED)
        if rated.get("errors") is None:
            found.dropped[NOT_RATED] += 1
            continue
        score = marked.score(rated["errors"], source, line)
        document = rated.get("document_id")
        group = "" if document is None else _name(rated, "document_id", source, line)
        found.of(_pair(rated)).add(system, segment, rater, score, group=group)
    notes = marked.check(source)
    guess = sniff(source)
    because = guess.because if guess else "the format was named"
    return reading_of(found, source, options, format=FORMAT, because=because, name="MQM", notes=notes)


def _pair(rated: Mapping[str, Any]) -> str:
    languages = [rated.get(key) for key in ("src_lang", "tgt_lang")]
    return "-".join(map(str, languages)) if all(languages) else ""


def _name(rated: Mapping[str, Any], key: str, source: Source, line: int) -> str:
    value = rated.get(key)
    if isinstance(value, str) and value.strip():
        check_names({f'"{key}"': value}, path=source.name, line=line)
        return value.strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    missing = value is None or value == ""
    raise ReadError(
        f'"{key}" {"is missing" if missing else f"is {quoted(str(value))}"}. Write a text or a whole number.',
        path=source.name,
        line=line,
        code="BT105" if missing else "BT025",
    )
