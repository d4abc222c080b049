"""Rows of MQM files between tabs, whose quotation marks are text in some files and quotes in others.

Google's files quote nothing, so a quotation mark is text; Unbabel's quote cells as CSV does, and such a cell may hold a
tab or go on in the next line. A row is first taken as it stands. Only when it has another number of cells than the
header, and reading quotes as quotes gives the right number, are they quotes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from betterthan.read.source import LONGEST_LINE, Source

_MOST_LINES = 50
"""A cell that goes on for longer is a stray quotation mark."""

Row = tuple[int, list[str]]


def numbered_rows(source: Source) -> Iterator[Row]:
    r"""Yield the cells of each row with the line on which it begins; blank lines are left out.

    The first row says how many cells there are. A row with another number of cells is given as it stands when quotes
    do not explain it.
    """
    lines = enumerate(source.lines(), 1)
    waiting: list[tuple[int, str]] = []
    width = 0
    while True:
        line, text = waiting.pop(0) if waiting else next(lines, (0, ""))
        if not line:
            return
        if not text.strip():
            continue
        cells = text.split("\t")
        width = width or len(cells)
        if len(cells) != width and '"' in text:
            cells = _quoted_row(text, cells, width, lines, waiting)
        yield line, [_bare(cell) for cell in cells]


def _quoted_row(
    text: str, cells: list[str], width: int, lines: Iterator[tuple[int, str]], waiting: list[tuple[int, str]]
) -> list[str]:
    """Return the row with quotes read as quotes, further lines included, if that gives `width` cells."""
    joined, used = text, 0
    while True:
        record = _record(joined)
        if record is not None and len(record) == width:
            del waiting[:used]
            return record
        if not _is_open(joined) or used == _MOST_LINES or len(joined) > LONGEST_LINE:
            return cells
        if used == len(waiting):
            following = next(lines, None)
            if following is None:
                return cells
            waiting.append(following)
        joined += "\n" + waiting[used][1]
        used += 1


def _is_open(text: str) -> bool:
    """Whether a quoted cell may go on in the next line."""
    return ('\t"' in text or text.startswith('"')) and text.count('"') % 2 == 1


def _record(text: str) -> list[str] | None:
    try:
        records = list(csv.reader([line + "\n" for line in text.split("\n")], delimiter="\t", strict=True))
    except csv.Error:
        return None
    return records[0] if len(records) == 1 else None


def _bare(cell: str) -> str:
    """Return a cell without the quotes round the whole of it.

    Examples
    --------
    >>> _bare('"Major"'), _bare('"He said" no'), _bare('""')
    ('Major', '"He said" no', '')
    """
    inner = cell.strip()
    if len(inner) >= 2 and inner[0] == inner[-1] == '"' and '"' not in inner[1:-1].replace('""', ""):
        return inner[1:-1].replace('""', '"')
    return cell
