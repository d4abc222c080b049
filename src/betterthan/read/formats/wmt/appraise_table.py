"""Exports of Appraise: comma-separated, no header, one judgment per row.

Direct assessment with a scalar quality metric (2021 to 2023) has eleven fields, or thirteen with batch information::

    UserID,SystemID,SegmentID,Type,Source,Target,Score,DocumentID,IsDocument,Start,End

Error span annotation (2024 and later) has twelve: the tenth is a JSON list of spans. Only judgments of translations
(type TGT) are kept; attention checks, tutorials, repetitions and scores of whole documents are counted and left out.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from betterthan.read.formats.builders import RatingsBuilder, unknown_values
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import check_names, is_missing, parse
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import LONGEST_LINE, Source

FORMAT = Format(
    name="appraise",
    kind="ratings",
    description="an export of Appraise without a header: DA+SQM (11 or 13 fields) or ESA (12 fields) on each line",
)
SPANS = 12
WIDTHS = (11, SPANS, 13)
TRANSLATION = "TGT"
# Appraise's kinds of items: outputs, references, damaged and repeated outputs, and checks.
TYPES = frozenset({TRANSLATION, "REF", "BAD", "CHK"})
_SUFFIXES = {
    "#bad": "damaged on purpose",
    "#dup": "repeated on purpose",
    "#incomplete": "incomplete document",
}
_FLAGS = {"true": True, "false": False, "1": True, "0": False}
_PARTS = "_#_"
_OFF_BY_ONE = (
    "Segments are lines of the test set, with the canary as line 0; files released before 29 November 2024 are off "
    "by one line."
)


class _AppraiseRow(NamedTuple):
    line: int
    cells: Sequence[str]

    @property
    def pair(self) -> str:
        return f"{self.cells[4]}-{self.cells[5]}"


def sniff(source: Source) -> Guess | None:
    """Recognize rows of 11, 12 or 13 fields with a type, a score and a flag in the positions of Appraise."""
    if source.is_parquet:
        return None
    try:
        rows = [cells for cells in csv.reader(first_lines(source), strict=True) if cells]
    except csv.Error:
        return None
    if not rows or not _is_row(rows[0]):
        return None
    alike = sum(map(_is_row, rows))
    if alike * 2 <= len(rows):
        return None
    what = "ESA" if len(rows[0]) == SPANS else "DA+SQM"
    return Guess(
        confidence=0.97, because=f"{len(rows[0])} fields as Appraise exports {what}, without a header"
    )


def _is_row(cells: Sequence[str]) -> bool:
    return len(cells) in WIDTHS and cells[3] in TYPES and cells[8].strip().lower() in _FLAGS


def read(source: Source, options: Options) -> Reading:
    """Read an export into one :class:`Ratings` for each language pair."""
    ratings = RatingsBuilder(options)
    unknown: Counter[str] = Counter()
    width = 0
    for row in _rows(source):
        width = width or len(row.cells)
        _check_shape(row, width, source)
        ratings.n_rows += 1
        why = _reason(row, unknown, source)
        if why:
            ratings.dropped[why] += 1
        else:
            _add(ratings, row, source)
    if unknown:
        known = f"{', '.join(sorted(TYPES))}, of which only {TRANSLATION} is a judgment of a system"
        fix = "Correct them or remove the rows."
        raise unknown_values("types of items", unknown, known, path=source.name, code="BT174", fix=fix)
    return ratings.reading(
        source,
        format=FORMAT,
        guess=sniff(source),
        name="ESA" if width == SPANS else "DA+SQM",
        notes=(_OFF_BY_ONE,) if width == SPANS else (),
    )


def _rows(source: Source) -> Iterator[_AppraiseRow]:
    """Yield the rows with the line on which each begins."""
    if csv.field_size_limit() < LONGEST_LINE:
        csv.field_size_limit(LONGEST_LINE)
    reader = csv.reader((line + "\n" for line in source.lines()), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise source.error(
                'A quotation mark is never closed, or text follows a closing one. Write a quote in a cell as "".',
                line=line,
                code="BT015",
            ) from error
        if cells:
            yield _AppraiseRow(line, [cell.strip() for cell in cells])


def _check_shape(row: _AppraiseRow, width: int, source: Source) -> None:
    if width not in WIDTHS or len(row.cells) != width:
        needed = f"the first line has {width}" if width in WIDTHS else "Appraise writes 11, 12 or 13"
        raise source.error(
            f"The row has {len(row.cells)} fields where {needed}. Export the file again.",
            line=row.line,
            code="BT170",
        )


def _reason(row: _AppraiseRow, unknown: Counter[str], source: Source) -> str | None:
    """Return the reason why a row is not a judgment of a translation, or None if it is one."""
    kind, document, flag = row.cells[3], row.cells[7], row.cells[8].lower()
    if kind not in TYPES:
        unknown[kind or "no type"] += 1
        return "unknown type"
    if flag not in _FLAGS:
        raise source.error(
            f"{quoted(row.cells[8])} does not say whether this is the score of a document. Write True or False.",
            line=row.line,
            code="BT170",
        )
    if kind != TRANSLATION:
        return f"quality control ({kind})"
    why = no_real_document(document)
    if why:
        return why
    if _FLAGS[flag]:
        return "score of a whole document"
    return None if not is_missing(row.cells[6]) else "no score"


def no_real_document(document: str) -> str | None:
    """Return the reason why a document is quality control or practice, by the marks in its name.

    Examples
    --------
    >>> no_real_document("news_12#bad"), no_real_document("news_12")
    ('damaged on purpose', None)
    """
    if "-tutorial" in document:
        return "tutorial"
    return next((why for suffix, why in _SUFFIXES.items() if document.endswith(suffix)), None)


def _add(ratings: RatingsBuilder, row: _AppraiseRow, source: Source) -> None:
    judge, system, segment, document = (row.cells[i] for i in (0, 1, 2, 7))
    if not all((judge, system, segment, document)):
        raise source.error(
            "The row lacks the name of its judge, system, segment or document. Fill the cell in or remove the row.",
            line=row.line,
            code="BT105",
        )
    check_names(
        {"judge": judge, "system": system, "segment": segment, "document": document},
        path=source.name,
        line=row.line,
    )
    score = _score(row, source)
    if len(row.cells) != SPANS:
        # Direct assessments number segments inside their document.
        ratings.add(row.pair, system, f"{document}:{segment}", judge, score, group=document)
        return
    _check_spans(row, source)
    if document.count(_PARTS) >= 3:
        group = document.rsplit(_PARTS, 1)[0]
        ratings.add(row.pair, system, document, judge, score, group=group)
        return
    ratings.check_document(row.pair, segment, document, path=source.name, line=row.line)
    ratings.add(row.pair, system, segment, judge, score, group=document)


def _score(row: _AppraiseRow, source: Source) -> float:
    score = parse(row.cells[6])
    if not np.isfinite(score) or not 0 <= score <= 100:
        raise source.error(
            f"{quoted(row.cells[6])} is not a score from 0 to 100. Check the order of the fields.",
            line=row.line,
            code="BT171",
        )
    return score


def _check_spans(row: _AppraiseRow, source: Source) -> None:
    """Raise when the field is not a list of spans: the fields are then not those of ESA."""
    try:
        spans = json.loads(row.cells[9] or "[]")
    except (ValueError, RecursionError):
        spans = None
    if not isinstance(spans, list) or not all(isinstance(span, dict) for span in spans):
        raise source.error(
            "The tenth field is not a JSON list of error spans. Export the file again, or write [] for no error.",
            line=row.line,
            code="BT172",
        )
