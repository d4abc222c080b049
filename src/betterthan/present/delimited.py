"""A result's tidy columns as CSV, TSV and JSON lines, with all digits."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

from betterthan.results.base import Result

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def render_csv(result: Result, *, delimiter: str = ",") -> str:
    """Return the columns as CSV; a text that a spreadsheet would run as a formula gets a leading quote."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    columns = result.columns()
    writer.writerow([_safe(name) for name in columns])
    writer.writerows([_safe(cell) for cell in row] for row in _rows(columns))
    return buffer.getvalue()


def render_jsonl(result: Result) -> str:
    """Return one JSON object a row."""
    columns = result.columns()
    objects = (
        {name: _missing_is_none(cell) for name, cell in zip(columns, row, strict=True)}
        for row in _rows(columns)
    )
    return "".join(json.dumps(record, allow_nan=False, ensure_ascii=False) + "\n" for record in objects)


def _rows(columns: dict[str, Sequence[Any]]) -> list[tuple[Any, ...]]:
    return list(zip(*columns.values(), strict=True))


def _safe(cell: Any) -> Any:  # noqa: ANN401  (any cell of a table)
    plain = _missing_is_none(cell)
    if isinstance(plain, str) and plain.startswith(_FORMULA_STARTS):
        return "'" + plain
    return "" if plain is None else plain


def _missing_is_none(cell: Any) -> Any:  # noqa: ANN401
    return None if isinstance(cell, float) and math.isnan(cell) else cell
