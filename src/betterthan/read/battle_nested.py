"""Values inside objects: ``conv_metadata.sum_assistant_a_tokens`` of an arena's battles, by name.

Objects stand in structs of Parquet, in JSON, and in cells of CSV as JSON text. A name with dots leads to a number, or
to an object of numbers, which stands for their sum: ``conv_metadata.header_count_a`` is ``{"h1": 2, "h2": 5}``, seven
headings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from betterthan.read.winner_labels import number

Path = tuple[str, ...]
"""The keys from a column to a value inside its objects; empty for the column itself."""
_DEEPEST = 6


def nested_paths(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, tuple[str, Path]]:
    """Return the names with dots of all values inside objects that the rows show, each with column and path.

    Examples
    --------
    >>> nested_paths(["id", "meta"], [[1, {"bold_a": {"**": 3}}]])
    {'meta.bold_a': ('meta', ('bold_a',)), 'meta.bold_a.**': ('meta', ('bold_a', '**'))}
    """
    found: dict[str, tuple[str, Path]] = {}
    for i, column in enumerate(header):
        for row in rows:
            for path in _paths(as_object(row[i])):
                found.setdefault(".".join((column, *path)), (column, path))
    return {name: place for name, place in found.items() if name not in header}


def as_object(cell: object) -> dict[str, Any]:
    """Return a cell that is an object, or the JSON of one; else an empty one."""
    if isinstance(cell, dict):
        return cell
    if isinstance(cell, str) and cell.lstrip()[:1] == "{":
        try:
            parsed = json.loads(cell)
        except (ValueError, RecursionError):
            return {}
        return parsed if isinstance(parsed, dict) else {}
    return {}


def _paths(value: dict[str, Any], depth: int = 1) -> Iterator[Path]:
    for key, inner in value.items():
        yield (key,)
        if isinstance(inner, dict) and depth < _DEEPEST:
            yield from ((key, *path) for path in _paths(inner, depth + 1))


def nested_value(cell: object, path: Path) -> str:
    """Return the number at a path as text, the sum of an object of numbers, and "" where there is none.

    Examples
    --------
    >>> nested_value({"bold_a": {"**": 3, "__": 1}}, ("bold_a",)), nested_value('{"turns": 2}', ("turns",))
    ('4', '2')
    """
    found: Any = as_object(cell)
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    if isinstance(found, dict):
        values = [number(_text(value)) for value in found.values()]
        total = math.fsum(values) if all(map(math.isfinite, values)) else math.nan
        return "" if math.isnan(total) else f"{total:.17g}"
    return _text(found)


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, list) else str(value)


def nested_sql(cell: str, path: Path) -> str:
    """Return the SQL of the same for a cell that holds JSON as text; what is no JSON has no value."""
    from betterthan.read.duck import literal  # noqa: PLC0415  (only files need it)

    place = "$" + "".join(f'."{_escaped(key)}"' for key in path)
    whole = f"CASE WHEN json_valid({cell}) THEN {cell}::JSON END"
    values = f"json_extract_string({whole}, {literal(f'{place}.*')})"
    numbers = f"[TRY_CAST(x AS DOUBLE) FOR x IN {values}]"
    # A sum leaves out what is no number, so all of them are counted first.
    total = (
        f"CASE WHEN list_count({numbers}) = len({values}) THEN coalesce(list_sum({numbers}), 0)::VARCHAR END"
    )
    return (
        f"CASE json_type({whole}, {literal(place)}) WHEN 'OBJECT' THEN {total} WHEN 'ARRAY' THEN NULL "
        f"ELSE json_extract_string({whole}, {literal(place)}) END"
    )


def _escaped(key: str) -> str:
    return key.replace("\\", "\\\\").replace('"', '\\"')
