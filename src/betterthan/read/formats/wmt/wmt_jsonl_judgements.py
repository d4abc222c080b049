"""Judgements of WMT25 as JSON lines: one object a paragraph, with the scores of all systems.

An object is ``{doc_id, src_text, tgt_text, scores: {SYSTEM: {human, errors, annotator}}}``; a system judged more than
once has a list of these. The paragraphs of a document follow each other and are counted from 1, as in the translations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.formats.tables.rating_tally import account, reading_of
from betterthan.read.formats.wmt.wmt_jsonl import first_object
from betterthan.read.formats.wmt.wmt_jsonl_texts import pair_of
from betterthan.read.grid.grid import label, quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.grid.missing import check_names
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="wmt_judgements",
    kind="ratings",
    description="judgements of WMT25 as JSON lines: doc_id, tgt_text, and scores by system",
)
_KEYS = ("doc_id", "tgt_text", "scores")
_NOBODY = "annotator"
"""The judge where the file names none."""


def sniff(source: Source) -> Guess | None:
    """Recognise a first object with doc_id, tgt_text and scores."""
    first = first_object(source)
    if first is None or not set(_KEYS) <= first.keys() or not isinstance(first["scores"], dict):
        return None
    return Guess(confidence=0.99, because="JSON lines with doc_id, tgt_text and scores by system")


def read(source: Source, options: Options) -> Reading:
    """Read one :class:`Ratings` for each language pair, line by line; a row is a paragraph of a document."""
    found = account(options)
    seen: Counter[str] = Counter()
    for line, paragraph in numbered_objects(source.lines(), source):
        document, scores = paragraph.get("doc_id"), paragraph.get("scores")
        if not isinstance(document, str) or not document.strip() or not isinstance(scores, dict):
            raise _wrong("doc_id must name a document and scores hold an object", source, line)
        seen[document] += 1
        for system, nobody, judged in _judgements(scores, source, line):
            found.n_rows += 1
            score = _score(judged, source, line)
            if np.isnan(score):
                found.dropped["no score"] += 1
                continue
            judge = label(judged.get("annotator")) or nobody
            segment = f"{document}:{seen[document]}"
            found.of(pair_of(document)).add(system, segment, judge, score, group=document)
    guess = sniff(source)
    because = guess.because if guess else "the format was named"
    return reading_of(found, source, options, format=FORMAT, because=because, name="ESA")


def _judgements(
    scores: Mapping[str, Any], source: Source, line: int
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the system, what to call a judge without a name, and the judgement."""
    for system, judged in scores.items():
        if system.strip():
            check_names({"system": system}, path=source.name, line=line)
        several = judged if isinstance(judged, list) else [judged]
        for number, one in enumerate(several, 1):
            if not isinstance(one, dict) or not system.strip():
                raise _wrong(f"The judgement of {quoted(system)} is no object with a score", source, line)
            yield system, _NOBODY if len(several) == 1 else f"{_NOBODY} {number}", one


def _score(judged: Mapping[str, Any], source: Source, line: int) -> float:
    value = judged.get("human", judged.get("score"))
    score = np.inf if isinstance(value, bool) else parse(value)
    if np.isnan(score) or 0 <= score <= 100:
        return float(score)
    raise ReadError(
        f"The score is {quoted(str(value))}, and not from 0 to 100. Write null for a missing score.",
        path=source.name,
        line=line,
        code="BT171",
    )


def _wrong(what: str, source: Source, line: int) -> ReadError:
    return ReadError(f"{what}. Write the line again.", path=source.name, line=line, code="BT183")
