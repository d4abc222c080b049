"""Judgements of WMT24 as JSON lines: one object a judgement, with ``esa_score`` (a text) and ``esa_spans``.

The keys are ``langs, line_id, src, tgt, doc_id, domain, esa_spans, esa_score, system, annotator, times``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.formats.tables.rating_tally import Account, account, reading_of
from betterthan.read.formats.wmt.appraise_table import no_real_document
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.grid.missing import check_names
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.folders import files_in, opened_files
from betterthan.read.source.source import Source, open_source

FORMAT = Format(
    name="wmt_jsonl",
    kind="ratings",
    description="judgements of WMT24 as JSON lines, with langs, line_id, system, annotator and esa_score",
)
ENDS = (".jsonl", ".jsonl.gz")
_NAMED = ("langs", "line_id", "system", "annotator")
_KEYS = (*_NAMED, "esa_score")


def sniff(source: Source) -> Guess | None:
    """Recognise a first line that is an object with the keys of the dump."""
    first = first_object(source)
    if first is None or not set(_KEYS) <= first.keys():
        return None
    return Guess(confidence=1.0, because="JSON lines with langs, line_id, system, annotator and esa_score")


def sniff_folder(source: Source, sniff: Callable[[Source], Guess | None], what: str) -> Guess | None:
    """Recognise a folder of JSON lines by its first file, with the sniffer of that file."""
    files = [path for path in files_in(source.path) if path.name.endswith(ENDS)]
    if not files or not files[0].is_file():
        return None
    try:
        first = sniff(open_source(files[0]))
    except ReadError:
        return None
    return Guess(confidence=0.9, because=f"a folder with {len(files)} files of {what}") if first else None


def system_files(source: Source) -> Iterator[Source]:
    """Open a system's file, or one after the other those of a folder; each is named after its system."""
    if not source.is_folder:
        yield source
        return
    yield from opened_files(source, [path for path in files_in(source.path) if path.name.endswith(ENDS)])


def first_object(source: Source) -> Mapping[str, Any] | None:
    """Return the object on the first line, or None when there is none."""
    if source.is_parquet or not source.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return None
    line = next((line for line in first_lines(source) if line.strip()), "")
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def read(source: Source, options: Options) -> Reading:
    """Read the dump into one :class:`Ratings` for each language pair, line by line."""
    found = account(options)
    documents: dict[tuple[str, str], str] = {}
    for line, judged in numbered_objects(source.lines(), source):
        found.n_rows += 1
        names = [_name(judged, key, source, line) for key in _NAMED]
        document = _name(judged, "doc_id", source, line) if judged.get("doc_id") is not None else ""
        score = _score(judged, source, line)
        reason = no_real_document(document) or ("no score" if np.isnan(score) else None)
        if reason:
            found.dropped[reason] += 1
            continue
        _check_document(documents, (names[0], names[1]), document, source, line)
        _add(found, names, score, document)
    guess = sniff(source)
    because = guess.because if guess else "the format was named"
    return reading_of(found, source, options, format=FORMAT, because=because, name="ESA")


def _add(found: Account, names: list[str], score: float, document: str) -> None:
    pair, segment, system, judge = names
    found.of(pair).add(system, segment, judge, score, group=document)


def _name(judged: Mapping[str, Any], key: str, source: Source, line: int) -> str:
    """Return a name; a number counts as its digits, anything nested is refused."""
    value = judged.get(key)
    if isinstance(value, str) and value.strip():
        check_names({f'"{key}"': value}, path=source.name, line=line)
        return value.strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    what = "is missing" if value is None or value == "" else "is no name"
    raise ReadError(
        f'"{key}" {what}. Write a text or a whole number.',
        path=source.name,
        line=line,
        code="BT105" if what == "is missing" else "BT025",
    )


def _score(judged: Mapping[str, Any], source: Source, line: int) -> float:
    value = judged.get("esa_score")
    score = np.inf if isinstance(value, bool) else parse(value)
    if np.isnan(score) or 0 <= score <= 100:
        return float(score)
    raise ReadError(
        f'"esa_score" is {quoted(str(value))}, and no score from 0 to 100. Write null for a missing score.',
        path=source.name,
        line=line,
        code="BT171",
    )


def _check_document(
    documents: dict[tuple[str, str], str], place: tuple[str, str], document: str, source: Source, line: int
) -> None:
    """Refuse a line of the test set that two documents claim: their judgements would be mixed up."""
    before = documents.setdefault(place, document)
    if before != document:
        raise ReadError(
            f"Line {quoted(place[1])} belongs to document {quoted(before)} and to {quoted(document)}. "
            f"Number segments by their line in the whole test set.",
            path=source.name,
            line=line,
            code="BT173",
        )
