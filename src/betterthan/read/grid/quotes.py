"""What the quotation marks of a table mean: that they enclose a cell, or that they are text.

A cell in quotes may hold line ends, so one stray quote at the beginning of a cell and another at the end of a later one
hide all rows between. Between tabs nothing has to be quoted, and files of translations are full of quotation marks, so
there the lines decide. Elsewhere quotes enclose cells, and what looks like hidden rows is refused.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import IO, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.grid.delimited import Quoting, numbered_records
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import parse
from betterthan.read.grid.regular_text import TAB, RegularText
from betterthan.read.source.source import Source

_SAMPLE = 2_000
_MOST_SPANS = 1_000
_FEW = 3


class _Meaning(NamedTuple):
    """How the quotes of a table are read, and what has to be said about it."""

    quoting: Quoting = csv.QUOTE_MINIMAL
    note: str | None = None


_notes: WeakKeyDictionary[Source, str] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class _Span:
    """A row that spans several lines: the number of the first one, and all of them as they stand."""

    line: int
    texts: tuple[str, ...]


@dataclass(slots=True)
class _Rows:
    """What the rows of a table look like: some of those on one line, and those whose lines might be rows themselves."""

    width: int = 0
    single: list[list[str]] = field(default_factory=list)
    spans: list[_Span] = field(default_factory=list)
    n_spans: int = 0
    first_span: tuple[int, int] | None = None


def read_quotes(source: Source, delimiter: str, look: RegularText, reopen: Callable[[], IO[str]]) -> Quoting:
    """Decide what the quotes of a table mean; what has to be said about it is in :func:`quote_notes` from then on.

    Parameters
    ----------
    source : Source
    delimiter : str
    look : RegularText
        That has seen the whole file.
    reopen : callable
        Opens the text from its beginning.

    Raises
    ------
    ReadError
        When lines may be rows of their own or one cell in quotes (BT240), or the table is malformed (BT012, BT015).
    """
    quoting, note = _meaning(source, delimiter, look, reopen)
    if note is not None:
        _notes[source] = note
    return quoting


def quote_notes(source: Source) -> tuple[str, ...]:
    """Return what has to be said about the quotes of a table that was read."""
    return (_notes[source],) if source in _notes else ()


def _meaning(source: Source, delimiter: str, look: RegularText, reopen: Callable[[], IO[str]]) -> _Meaning:
    if not look.has_quotes:
        return _Meaning()
    if delimiter == TAB and _every_line_fits(reopen):
        return _between_tabs(source, reopen)
    if look.is_regular and not look.may_hide_rows:
        return _Meaning(note=_span_note(look.n_spans, look.first_span))
    rows = _rows(source, delimiter, reopen)
    for span in rows.spans:
        if _hides_rows(span, rows, delimiter):
            raise _doubt(span, source)
    return _Meaning(note=_span_note(rows.n_spans, rows.first_span))


def _every_line_fits(reopen: Callable[[], IO[str]]) -> bool:
    """Whether every line has as many cells as the first when quotes are text."""
    with closing(reopen()) as lines:
        n_tabs = None
        for line in lines:
            if not line.strip("\r\n"):
                continue
            n_tabs = line.count(TAB) if n_tabs is None else n_tabs
            if line.count(TAB) != n_tabs:
                return False
    return True


def _between_tabs(source: Source, reopen: Callable[[], IO[str]]) -> _Meaning:
    """Decide where every line fits with quotes as text."""
    try:
        rows = _rows(source, TAB, reopen)
    except ReadError:
        return _Meaning(csv.QUOTE_NONE)  # they break the rules of quoting, so they can only be text
    if rows.first_span is None:
        needless = _needless(reopen)
        if needless is None:
            return _Meaning()
        line, cell = needless
        note = f"Quotation marks are read as text (line {line}: {quoted(cell)}): the rest of the column has none."
        return _Meaning(csv.QUOTE_NONE, note)
    for span in rows.spans:
        if not _fits(span.texts, rows, TAB):
            raise _doubt(span, source)
    first, last = rows.first_span
    note = (
        f"Quotation marks are read as text, because every line has {rows.width} cells then. "
        f"As quotes round a cell they would join lines {first} to {last}."
    )
    return _Meaning(csv.QUOTE_NONE, note)


def _rows(source: Source, delimiter: str, reopen: Callable[[], IO[str]]) -> _Rows:
    """Read the rows with quotes that enclose cells."""
    rows = _Rows()
    taken: list[str] = []
    with closing(reopen()) as lines:
        for line, record in numbered_records(_remembered(lines, taken), source, delimiter):
            texts = [text.rstrip("\r\n") for text in taken]
            taken.clear()
            while len(texts) > 1 and not texts[0]:
                del texts[0]  # a blank line before the row
            if len(texts) > 1:
                rows.n_spans += 1
                rows.first_span = rows.first_span or (line, line + len(texts) - 1)
                if len(rows.spans) < _MOST_SPANS and _may_hide(texts, rows.width or len(record), delimiter):
                    rows.spans.append(_Span(line, tuple(texts)))
            elif rows.width and len(rows.single) < _SAMPLE:
                rows.single.append(record)
            rows.width = rows.width or len(record)
    return rows


def _remembered(lines: Iterable[str], taken: list[str]) -> Iterator[str]:
    for line in lines:
        taken.append(line)
        yield line


def _may_hide(texts: Sequence[str], width: int, delimiter: str) -> bool:
    return any(len(text.split(delimiter)) == width for text in texts[1:])


def _hides_rows(span: _Span, rows: _Rows, delimiter: str) -> bool:
    """Whether lines of a cell look like rows: all by their number of cells, or one by what stands in its cells too.

    The last line alone proves nothing: where the first cell has a line end, all others stand there.
    """
    if rows.width < 2:
        return False
    if all(len(text.split(delimiter)) == rows.width for text in span.texts):
        return _fits(span.texts, rows, delimiter)
    hidden = [text for text in span.texts[1:-1] if len(text.split(delimiter)) == rows.width]
    return any(_fits([text], rows, delimiter, known=True) for text in hidden)


def _fits(texts: Sequence[str], rows: _Rows, delimiter: str, *, known: bool = False) -> bool:
    """Whether lines read as rows agree with the others: numbers where all are numbers, labels where these recur.

    With `known`, a column of numbers or labels is needed; else a table without any agrees with everything.
    """
    n_known = 0
    for column in range(rows.width):
        cells = [record[column].strip() for record in rows.single if record[column].strip()]
        new = [text.split(delimiter)[column].strip('" \t\r') for text in texts]
        if len(cells) >= _FEW and all(np.isfinite(parse(cell)) for cell in cells):
            n_known += 1
            if any(np.isposinf(parse(cell)) for cell in new):
                return False
        elif len(cells) >= _FEW and len(set(cells)) <= len(cells) / 2:
            n_known += 1
            if known and not set(new) <= {*cells, ""}:
                return False
    return n_known > 0 or not known


def _needless(reopen: Callable[[], IO[str]]) -> tuple[int, str] | None:
    """Return the line and text of a cell in quotes that no program would have put there, if there is one.

    Programs put in quotes the cells that need it, or every text of a column, or at least the header.
    """
    bare: set[int] = set()  # columns with texts without quotes
    found: dict[int, tuple[int, str]] = {}
    with closing(reopen()) as lines:
        for number, line in enumerate(lines, 1):
            cells = line.rstrip("\r\n").split(TAB)
            if number == 1 and any(cell.startswith('"') for cell in cells):
                return None
            for column, cell in enumerate(cells):
                if cell.startswith('"'):
                    # A text with white space at its edge is put in quotes because some readers trim it.
                    if '"' not in cell[1:-1] and cell[1:-1] == cell[1:-1].strip():
                        found.setdefault(column, (number, cell))
                elif number > 1 and column not in bare and np.isposinf(parse(cell)):
                    bare.add(column)
    return min((place for column, place in found.items() if column in bare), default=None)


def _span_note(n_spans: int, first: tuple[int, int] | None) -> str | None:
    if first is None:
        return None
    if n_spans == 1:
        return f"One row spans lines {first[0]} to {first[1]}, because a cell in quotes has line ends."
    return (
        f"{n_spans:,} rows span several lines (the first: lines {first[0]} to {first[1]}), because cells in quotes "
        f"have line ends."
    )


def _doubt(span: _Span, source: Source) -> ReadError:
    n_lines = len(span.texts)
    return ReadError(
        f"Lines {span.line} to {span.line + n_lines - 1} are one row if the quotation marks enclose a cell, but "
        f"several rows if they are text, and both can be read. To have several rows, remove the quotation marks in "
        f"these lines; to have one row, write its cell on one line, or give the table as JSON lines or Parquet, where "
        f"a cell may have line ends.",
        path=source.name,
        line=span.line,
        code="BT240",
    )
