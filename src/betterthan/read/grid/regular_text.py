"""Whether a table of text keeps the rules of CSV so strictly that every parser reads the same table in it.

Small tables are parsed by Python and large ones by DuckDB, which forgives other things: an empty cell too many, line
ends of two kinds, spaces round quotes. So only a file without any such freedom goes to DuckDB as it stands. It is
looked at in large pieces, as numbers, which takes a tenth of the time of parsing it.
"""

from __future__ import annotations

import codecs

import numpy as np
import numpy.typing as npt

from betterthan.arrays import IntArray
from betterthan.read.source.source import LONGEST_LINE

_Bytes = npt.NDArray[np.uint8]
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'
TAB = "\t"


class RegularText:
    """Looks at a file piece by piece: :meth:`see` each of them in order, then :meth:`end`.

    Attributes
    ----------
    is_regular : bool
        Every row has as many cells as the first, quotes enclose whole cells, all lines end alike. Of a file with
        quotes between tabs nothing is said, because there they may be text.
    has_quotes : bool
    n_spans : int
        Number of rows that span several lines, because a cell in quotes does.
    first_span : tuple of int, optional
        First and last line of the first of them.
    may_hide_rows : bool
        Whether a line inside such a row would have as many cells as the header, were it not for the quotes.
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
        """Look at the next piece."""
        self.has_quotes = self.has_quotes or b'"' in chunk
        if self.has_quotes and self._delimiter == ord(TAB):
            self.is_regular = False
        if self.is_regular:
            self._look(self._rest + chunk)

    def end(self) -> RegularText:
        """Look at what is left when there is no further piece."""
        if self.is_regular and self._rest:
            self._look(self._rest + (b"\r\n" if self._ends_in_return else b"\n"))
            self.is_regular = self.is_regular and not self._rest
        return self

    def _look(self, data: bytes) -> None:
        """Look at all whole rows and keep the rest; the data begin with a row."""
        if self._n_separators is None:
            data = data.removeprefix(codecs.BOM_UTF8)
        cells = np.frombuffer(data, dtype=np.uint8)
        lines, quotes = np.flatnonzero(cells == _NEWLINE), np.flatnonzero(cells == _QUOTE)
        rows = _outside(lines, quotes)
        size = int(rows[-1]) + 1 if rows.size else 0
        self._rest = data[size:]
        # Beyond that length a quote is more likely to be open than a cell to be so long.
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
        found = np.diff(np.searchsorted(separators, rows), prepend=0)
        if self._n_separators is None:
            if is_blank[0]:
                return False
            self._n_separators = int(found[0])
        # A blank line is no row, except in a table of one column, where it is an empty cell.
        if is_blank.any() and not self._n_separators:
            return False
        return bool((found[~is_blank] == self._n_separators).all())

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
        found = np.diff(np.searchsorted(separators, lines), prepend=0)
        goes_on = np.ones(lines.size, dtype=bool)
        goes_on[starts] = False
        self.may_hide_rows = self.may_hide_rows or bool((found[goes_on] == self._n_separators).any())


def _outside(positions: IntArray, quotes: IntArray) -> IntArray:
    """Return the positions that are not between an opening quote and its closing one."""
    return positions[np.searchsorted(quotes, positions) % 2 == 0] if quotes.size else positions
