"""A result's tidy columns as CSV, TSV and JSON lines, with all digits."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from betterthan.messages import Message, Spelling, spelled
from betterthan.present.printable import unturned
from betterthan.results.base import json_text

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class TidyResults(Protocol):
    """What has tidy columns: a result, or several together."""

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """Name of column to values."""


def render_csv(result: TidyResults, *, delimiter: str = ",", spelling: Spelling = str) -> str:
    """Return the columns as CSV; a text that a spreadsheet would run as a formula gets a leading quote."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    columns = result.columns()
    writer.writerow([safe(name) for name in columns])
    writer.writerows([safe(cell) for cell in row] for row in _rows(columns, spelling))
    return buffer.getvalue()


def render_jsonl(result: TidyResults, *, spelling: Spelling = str) -> str:
    """Return one JSON object per row."""
    columns = result.columns()
    objects = (
        {name: _missing_is_none(cell) for name, cell in zip(columns, row, strict=True)}
        for row in _rows(columns, spelling)
    )
    return "".join(json_text(record) + "\n" for record in objects)


def _rows(columns: Mapping[str, Sequence[Any]], spelling: Spelling) -> Iterator[list[Any]]:
    for row in zip(*columns.values(), strict=True):
        yield [spelled(cell, spelling) if isinstance(cell, Message) else cell for cell in row]


def safe(cell: Any) -> Any:  # noqa: ANN401  (any cell of a table)
    r"""Return a cell that steers neither a spreadsheet nor a terminal; missing is an empty cell.

    Examples
    --------
    >>> safe("=1+1"), safe("a\x1b[2Jb"), safe(None), safe(1.5)
    ("'=1+1", 'a\\x1b[2Jb', '', 1.5)
    """
    plain = _missing_is_none(cell)
    if not isinstance(plain, str):
        return "" if plain is None else plain
    shown = unturned(plain).replace("\r", "\\r")
    return "'" + shown if plain.startswith(_FORMULA_STARTS) else shown


def _missing_is_none(cell: Any) -> Any:  # noqa: ANN401
    return None if isinstance(cell, float) and math.isnan(cell) else cell
