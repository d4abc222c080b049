"""Direct assessments from crowd platforms: ``ad-XXYY-good-stnd*.csv``, a row a judgement.

The header is separated by blanks and the rows by tabs: ``HITId WorkerId Input.src Input.trg Input.item hit sys_id rid
type sid score time``. Scores are standardised by worker already. Only the type SYSTEM is a judgement of a system;
REPEAT, REF and BAD_REF are quality control.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.tables.rating_tally import account, reading_of
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.missing import check_names
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="crowd_da",
    kind="ratings",
    description="standardised direct assessments of a crowd (ad-XXYY-good-stnd.csv): a row a judgement",
)
_NAMED = ("WorkerId", "Input.src", "Input.trg", "sys_id", "sid")
_NEEDED = (*_NAMED, "type", "score")
KEPT = "SYSTEM"
CONTROLS = ("REPEAT", "REF", "BAD_REF")


def sniff(source: Source) -> Guess | None:
    """Recognise the names of the columns in the first line, whatever stands between them."""
    if source.is_parquet:
        return None
    first = next(iter(first_lines(source)), "").split()
    if not set(_NEEDED) <= set(first):
        return None
    return Guess(
        confidence=0.99, because="columns WorkerId, sys_id, type, sid and score of a crowd's judgements"
    )


def read(source: Source, options: Options) -> Reading:
    """Read the judgements into one :class:`Ratings` for each language pair."""
    found = account(options)
    unknown: Counter[str] = Counter()
    header: list[str] = []
    for line, text in enumerate(source.lines(), 1):
        if not text.strip():
            continue
        if not header:
            header = _header(text, source, line)
            continue
        cells = _cells(text, header, source, line)
        found.n_rows += 1
        kind, score = cells["type"], _score(cells, source, line)
        if kind not in (KEPT, *CONTROLS):
            unknown[kind or "no type"] += 1
        elif kind != KEPT or np.isnan(score):
            found.dropped["no score" if kind == KEPT else f"quality control ({kind})"] += 1
        else:
            _check_named(cells, source, line)
            judged = found.of(f"{cells['Input.src']}-{cells['Input.trg']}")
            judged.add(cells["sys_id"], cells["sid"], cells["WorkerId"], score)
    if unknown:
        raise _unknown_types(unknown, source)
    guess = sniff(source)
    because = guess.because if guess else "the format was named"
    return reading_of(found, source, options, format=FORMAT, because=because, name="DA z")


def _header(text: str, source: Source, line: int) -> list[str]:
    header = text.split()
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise ReadError(
            f"No column is called {some_of(missing)}. Keep the header that the platform's scripts write.",
            path=source.name,
            line=line,
            code="BT021",
        )
    if len(set(header)) < len(header):
        raise ReadError("Two columns have one name. Rename one.", path=source.name, line=line, code="BT017")
    return header


def _cells(text: str, header: list[str], source: Source, line: int) -> dict[str, str]:
    row = text.split("\t")
    if len(row) != len(header):
        raise ReadError(
            f"The row has {len(row)} cells between tabs where the header has {len(header)}. "
            f"Separate cells by tabs, and leave missing cells empty.",
            path=source.name,
            line=line,
            code="BT012",
        )
    return dict(zip(header, (cell.strip() for cell in row), strict=True))


def _score(cells: Mapping[str, str], source: Source, line: int) -> float:
    score = parse(cells["score"])
    if np.isinf(score):
        raise ReadError(
            f"{quoted(cells['score'])} is no finite number. Leave the cell empty if the score is missing.",
            path=source.name,
            line=line,
            code="BT013",
        )
    return score


def _check_named(cells: Mapping[str, str], source: Source, line: int) -> None:
    check_names(
        {name: cells[name] for name in ("WorkerId", "sys_id", "sid") if cells[name]},
        path=source.name,
        line=line,
    )
    empty = next((name for name in _NAMED if not cells[name]), None)
    if empty:
        raise ReadError(
            f"The cell {empty} is empty. Fill it in or remove the row.",
            path=source.name,
            line=line,
            code="BT105",
        )


def _unknown_types(unknown: Counter[str], source: Source) -> ReadError:
    listed = [f"{quoted(kind)}: {count}" for kind, count in unknown.most_common()]
    return ReadError(
        f"Unknown types of items: {some_of(listed, limit=5)}. Known are {KEPT}, {', '.join(CONTROLS)}. "
        f"Correct them or remove the rows.",
        path=source.name,
        code="BT174",
    )
