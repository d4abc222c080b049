"""Delimited text: rows, and quotes that may hide some of them."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import IO, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from betterthan.arrays import IntArray
from betterthan.errors import ReadError
from betterthan.read.grid.grid import MemoryGrid, quoted
from betterthan.read.grid.numerals import parse
from betterthan.read.source.source import LONGEST_LINE, Source, open_text

# Comma-, tab-, semicolon- and bar-separated text, as a grid.


Quoting = Literal[0, 3]  # csv.QUOTE_MINIMAL and csv.QUOTE_NONE


def delimited_grid(
    text: str, source: Source, delimiter: str, *, quoting: Quoting = csv.QUOTE_MINIMAL
) -> MemoryGrid:
    """Parse the text of `source`; every row must have as many cells as the header."""
    stream = io.StringIO(text, newline="\n")
    records = numbered_records(stream, source, delimiter, quoting=quoting)
    header = next(records, (1, []))[1]
    lines: list[int] = []
    rows: list[list[str]] = []
    for line, record in records:
        lines.append(line)
        rows.append(record)
    while rows and len(header) == 1 and rows[-1] == [""]:
        # Blank lines at the end of a single column belong to the file, not to the table.
        del rows[-1], lines[-1]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(header)
    return MemoryGrid(name=source.name, header=column_names(header), columns=columns, lines=lines)


def column_names(header: Sequence[str]) -> tuple[str, ...]:
    """Return the cells of a header as names; quotes around a name are not part of it, even where quotes are text."""
    return tuple(_bare(cell.strip()) for cell in header)


def _bare(name: str) -> str:
    is_enclosed = len(name) > 1 and name[0] == name[-1] == '"' and '"' not in name[1:-1].replace('""', "")
    return name[1:-1].replace('""', '"').strip() if is_enclosed else name


def numbered_records(
    lines: Iterable[str], source: Source, delimiter: str, *, quoting: Quoting = csv.QUOTE_MINIMAL
) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the line on which it begins; the first is the header.

    Raises
    ------
    ReadError
        At a record with more or fewer cells than the header (BT012) or with broken quotes (BT015).
    """
    _allow_long_cells()
    reader = csv.reader(lines, delimiter=delimiter, strict=True, quoting=quoting)
    width = 0
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _broken(error, source, line) from error
        if not record and width != 1:
            continue
        width = width or len(record)
        if not record:
            record = [""]
        if len(record) != width:
            raise _ragged(len(record), width, source, line)
        yield line, record


def header_of(source: Source, delimiter: str, *, quoting: Quoting) -> tuple[str, ...]:
    """Return the names of the columns, parsed as in a small file."""
    with open_text(source) as lines:
        return column_names(next(numbered_records(lines, source, delimiter, quoting=quoting), (1, []))[1])


def record_line(
    source: Source, delimiter: str, row: int, *, quoting: Quoting = csv.QUOTE_MINIMAL
) -> int | None:
    """Return the line on which data row `row` (from 0) begins, by reading the file again."""
    lines = (line + "\n" for line in source.lines())
    for number, (line, _) in enumerate(numbered_records(lines, source, delimiter, quoting=quoting)):
        if number == row + 1:
            return line
    return None


def _allow_long_cells() -> None:
    # Python's limit for a cell, 128 KiB, is less than what prompts and documents need.
    if csv.field_size_limit() < LONGEST_LINE:
        csv.field_size_limit(LONGEST_LINE)


def _broken(error: csv.Error, source: Source, line: int) -> ReadError:
    if "new-line" in str(error):
        what = "The line contains a carriage return. Save the file with regular line endings"
    else:
        what = (
            'A quotation mark is never closed, or text follows a closing one. Write a quote in a cell as ""'
        )
    return source.error(f"{what}.", line=line, code="BT015")


def _ragged(width: int, expected: int, source: Source, line: int) -> ReadError:
    cells = "cell" if width == 1 else "cells"
    return source.error(
        f"The row has {width} {cells} where the header has {expected}. "
        f"Quote cells that contain the delimiter, and leave missing cells empty.",
        line=line,
        code="BT012",
    )


# Whether a text table follows the rules of CSV so strictly that every parser reads the same table.
#
# Small tables are parsed by Python and large ones by DuckDB, which tolerates other deviations: an extra empty cell,
# mixed line endings, spaces around quotes. So only a file without any of these is passed to DuckDB unchanged. It is
# inspected in large pieces, as byte arrays, which takes a tenth of the time of parsing.


_Bytes = npt.NDArray[np.uint8]
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'
TAB = "\t"


class RegularText:
    """Inspects a file piece by piece: :meth:`see` each of them in order, then :meth:`end`.

    Attributes
    ----------
    is_regular : bool
        Every row has as many cells as the first, quotes enclose whole cells, all line endings are the same. False for
        tab-separated files with quotes, because there they may be text.
    has_quotes : bool
    n_spans : int
        Number of rows that span several lines, because a cell in quotes does.
    first_span : tuple of int, optional
        First and last line of the first of them.
    may_hide_rows : bool
        Whether a line inside such a row would have as many cells as the header, if quotes were text.
    """

    def __init__(self, delimiter: str) -> None:
        self.has_quotes = False
        self.is_regular = True
        self.n_spans = 0
        self.first_span: tuple[int, int] | None = None
        self.may_hide_rows = False
        self._delimiter = ord(delimiter)
        self._rest = b""  # the beginning of a row
        self._n_separators: int | None = None
        self._ends_in_return: bool | None = None
        self._line = 1

    def see(self, chunk: bytes) -> None:
        """Inspect the next piece."""
        self.has_quotes = self.has_quotes or b'"' in chunk
        if self.has_quotes and self._delimiter == ord(TAB):
            self.is_regular = False
        if self.is_regular:
            self._look(self._rest + chunk)

    def end(self) -> RegularText:
        """Inspect the remainder after the last piece."""
        if self.is_regular and self._rest:
            self._look(self._rest + (b"\r\n" if self._ends_in_return else b"\n"))
            self.is_regular = self.is_regular and not self._rest
        return self

    def _look(self, data: bytes) -> None:
        """Inspect all complete rows and keep the rest; the data begin with a row."""
        if self._n_separators is None:
            data = data.removeprefix(codecs.BOM_UTF8)
        cells = np.frombuffer(data, dtype=np.uint8)
        lines, quotes = np.flatnonzero(cells == _NEWLINE), np.flatnonzero(cells == _QUOTE)
        rows = _outside(lines, quotes)
        size = int(rows[-1]) + 1 if rows.size else 0
        self._rest = data[size:]
        # Beyond this length an unclosed quote is more likely than a long cell.
        self.is_regular = len(self._rest) <= LONGEST_LINE
        if not size:
            return
        cells, lines, quotes = cells[:size], lines[lines < size], quotes[quotes < size]
        separators = np.flatnonzero(cells == self._delimiter)
        self.is_regular = (
            self._has_equal_rows(cells, rows, _outside(separators, quotes))
            and self._has_equal_ends(cells, lines)
            and (not quotes.size or self._has_whole_quotes(cells, quotes))
        )
        self._see_spans(lines, rows, separators)
        self._line += lines.size

    def _has_equal_rows(self, cells: _Bytes, rows: IntArray, separators: IntArray) -> bool:
        starts = np.concatenate(([0], rows[:-1] + 1))
        length = rows - starts
        is_blank = (length == 0) | ((length == 1) & (cells[starts] == _RETURN))
        n_separators = np.diff(np.searchsorted(separators, rows), prepend=0)
        if self._n_separators is None:
            if is_blank[0]:
                return False
            self._n_separators = int(n_separators[0])
        # A blank line is not a row, except in a table of one column, where it is an empty cell.
        if is_blank.any() and not self._n_separators:
            return False
        return bool((n_separators[~is_blank] == self._n_separators).all())

    def _has_equal_ends(self, cells: _Bytes, lines: IntArray) -> bool:
        n_returns = int(np.count_nonzero(cells == _RETURN))
        if self._ends_in_return is None:
            self._ends_in_return = n_returns > 0
        if not self._ends_in_return:
            return n_returns == 0
        return n_returns == lines.size and bool((cells[np.maximum(lines - 1, 0)] == _RETURN).all())

    def _has_whole_quotes(self, cells: _Bytes, quotes: IntArray) -> bool:
        before, after = cells[np.maximum(quotes[0::2] - 1, 0)], cells[quotes[1::2] + 1]
        opened = (before == self._delimiter) | (before == _NEWLINE) | (before == _QUOTE)
        closed = (after == self._delimiter) | (after == _NEWLINE) | (after == _RETURN) | (after == _QUOTE)
        return bool(opened[1:].all() and closed.all() and (quotes[0] == 0 or opened[0]))

    def _see_spans(self, lines: IntArray, rows: IntArray, separators: IntArray) -> None:
        if lines.size == rows.size:
            return
        ends = np.searchsorted(lines, rows)  # the number of the line on which each row ends
        starts = np.concatenate(([0], ends[:-1] + 1))
        several = np.flatnonzero(ends > starts)
        self.n_spans += several.size
        if self.first_span is None:
            self.first_span = (self._line + int(starts[several[0]]), self._line + int(ends[several[0]]))
        n_separators = np.diff(np.searchsorted(separators, lines), prepend=0)
        goes_on = np.ones(lines.size, dtype=bool)
        goes_on[starts] = False
        self.may_hide_rows = self.may_hide_rows or bool((n_separators[goes_on] == self._n_separators).any())


def _outside(positions: IntArray, quotes: IntArray) -> IntArray:
    """Return the positions that are not between an opening quote and its closing one."""
    return positions[np.searchsorted(quotes, positions) % 2 == 0] if quotes.size else positions


# Meaning of the quotation marks of a table: they enclose a cell, or they are text. A quoted cell may contain line
# breaks, so one stray quote at the beginning of a cell and another at the end of a later one hide all rows in between.
# Tab-separated cells need no quotes, and files of translations are full of quotation marks, so there the lines decide.
# Elsewhere quotes enclose cells, and apparent hidden rows are an error.


_SAMPLE = 2_000
_MOST_SPANS = 1_000
_FEW = 3


class _Meaning(NamedTuple):
    """How the quotes of a table are read, with notes."""

    quoting: Quoting = csv.QUOTE_MINIMAL
    note: str | None = None


_notes: WeakKeyDictionary[Source, str] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class _Span:
    """A row that spans several lines: the number of the first one, and the raw lines."""

    line: int
    texts: tuple[str, ...]


@dataclass(slots=True)
class _Rows:
    """Sample of the rows of a table: some on one line, and those whose lines might be rows themselves."""

    width: int = 0
    single: list[list[str]] = field(default_factory=list)
    spans: list[_Span] = field(default_factory=list)
    n_spans: int = 0
    first_span: tuple[int, int] | None = None


def read_quotes(source: Source, delimiter: str, look: RegularText, reopen: Callable[[], IO[str]]) -> Quoting:
    """Decide the meaning of the quotes of a table; :func:`quote_notes` returns notes on it.

    Parameters
    ----------
    source : Source
    delimiter : str
    look : RegularText
        After inspecting the whole file.
    reopen : callable
        Opens the text from its beginning.

    Raises
    ------
    ReadError
        When lines may be separate rows or one quoted cell (BT240), or the table is malformed (BT012, BT015).
    """
    quoting, note = _meaning(source, delimiter, look, reopen)
    if note is not None:
        _notes[source] = note
    return quoting


def quote_notes(source: Source) -> tuple[str, ...]:
    """Return notes on the quotes of a table that was read."""
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
    """Decide where every line has the right number of cells with quotes as text."""
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
        f"As quotes around a cell they would join lines {first} to {last}."
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
    """Whether lines of a cell look like rows: all by their number of cells, or one also by the contents of its cells.

    The last line alone is not evidence: where the first cell has a line break, all other cells are on the last line.
    """
    if rows.width < 2:
        return False
    if all(len(text.split(delimiter)) == rows.width for text in span.texts):
        return _fits(span.texts, rows, delimiter)
    hidden = [text for text in span.texts[1:-1] if len(text.split(delimiter)) == rows.width]
    return any(_fits([text], rows, delimiter, known=True) for text in hidden)


def _fits(texts: Sequence[str], rows: _Rows, delimiter: str, *, known: bool = False) -> bool:
    """Whether lines read as rows are consistent with the other rows, in columns of numbers and of recurring labels.

    With `known`, a column of numbers or labels is required; otherwise a table without any is consistent with
    everything.
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
    """Return the line and text of a quoted cell that no program would have quoted, if there is one.

    Programs quote the cells that need it, or every text of a column, or at least the header.
    """
    bare: set[int] = set()  # columns with unquoted texts
    cells_of_line: dict[int, tuple[int, str]] = {}
    with closing(reopen()) as lines:
        for number, line in enumerate(lines, 1):
            cells = line.rstrip("\r\n").split(TAB)
            if number == 1 and any(cell.startswith('"') for cell in cells):
                return None
            for column, cell in enumerate(cells):
                if cell.startswith('"'):
                    # Some writers quote a text with white space at its ends, because some readers trim it.
                    if '"' not in cell[1:-1] and cell[1:-1] == cell[1:-1].strip():
                        cells_of_line.setdefault(column, (number, cell))
                elif number > 1 and column not in bare and np.isposinf(parse(cell)):
                    bare.add(column)
    return min((place for column, place in cells_of_line.items() if column in bare), default=None)


def _span_note(n_spans: int, first: tuple[int, int] | None) -> str | None:
    if first is None:
        return None
    if n_spans == 1:
        return f"One row spans lines {first[0]} to {first[1]}, because a quoted cell contains line breaks."
    return (
        f"{n_spans:,} rows span several lines (the first: lines {first[0]} to {first[1]}), because quoted cells "
        f"contain line breaks."
    )


def _doubt(span: _Span, source: Source) -> ReadError:
    n_lines = len(span.texts)
    return source.error(
        f"Lines {span.line} to {span.line + n_lines - 1} are one row if the quotation marks enclose a cell, but "
        f"several rows if they are text, and both readings are possible. For several rows, remove the quotation "
        f"marks in these lines; for one row, write its cell on one line, or write the table as JSON lines or "
        f"Parquet, where a cell may contain line breaks.",
        line=span.line,
        code="BT240",
    )
