"""Which columns of battles are covariates: named by the user, or all that come in pairs, one for each system.

A covariate may stand inside an object, ``conv_metadata.sum_assistant_a_tokens`` of an arena's battles: in structs of
Parquet, in JSON, and in cells of CSV as JSON text. A name with dots leads to a number, or to an object of numbers,
which stands for their sum: ``conv_metadata.header_count_a`` is ``{"h1": 2, "h2": 5}``, seven headings.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from betterthan.errors import ReadError
from betterthan.read.formats.battles.winner_labels import number
from betterthan.read.grid.missing import is_missing
from betterthan.read.protocol import EVERY

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
    from betterthan.read.grid.duck import literal  # noqa: PLC0415  (only files need it)

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


PREFIX = "covariate "
"""Stands before the name of a covariate that would be taken for another column of battles."""
_SIDES = (("a", "b"), ("1", "2"), ("left", "right"))
# Numbers that only name something.
_NAMES = frozenset({"id", "ids", "index", "number", "rank", "order", "seed"})
_CANONICAL = ("a", "b", "outcome", "weight")


class Place(NamedTuple):
    """A column, and the path to a number inside its objects."""

    column: str
    path: Path = ()


class Covariate(NamedTuple):
    """A number of each battle: one place, or the place of the left system less that of the right one.

    `columns` are the places as they are called. What was not `asked` for by name is left out where it has gaps.
    """

    name: str
    columns: tuple[str, ...]
    places: tuple[Place, ...]
    asked: bool = True


def find_covariates(
    asked: Sequence[str],
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    used: Sequence[str],
    path: str | None = None,
) -> tuple[Covariate, ...]:
    """Find the covariates that were asked for.

    Parameters
    ----------
    asked : sequence of str
        A column, a name with dots for a value inside objects (or the end of it, where only one ends so), or two of
        these with a minus between them; ``"*"`` stands for all that come in pairs.
    names : sequence of str
        All columns.
    rows : sequence of rows
        The first rows, which show what objects hold.
    used : sequence of str
        Columns that are no covariates because they are systems, winners, segments or judges.
    path : str, optional
        The file, for messages.

    Raises
    ------
    ReadError
        When there is no such column (BT120).

    Examples
    --------
    >>> names, rows = ["len_a", "len_b", "meta"], [[3, 4, {"bold_a": 1, "bold_b": 0}]]
    >>> [each.name for each in find_covariates(["len_a-len_b", "bold_a"], names, rows, used=())]
    ['len_a-len_b', 'bold_a']
    >>> [each.name for each in find_covariates(["*"], names, rows, used=())]
    ['len_a-len_b', 'bold_a-bold_b']
    """
    places = _places(names, rows)
    found: dict[str, Covariate] = {}
    for text in asked:
        several = (
            paired(names, rows, used=used) if text == EVERY else [_named(text, places, list(names), path)]
        )
        for covariate in several:
            found.setdefault(covariate.name, covariate)
    return tuple(found.values())


def _places(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Place]:
    """Return every name that can be written for a place."""
    inside = {name: Place(*place) for name, place in nested_paths(names, rows).items()}
    ends = [place.path[-1] for place in inside.values()]
    short = {
        place.path[-1]: place for place in inside.values() if ends.count(place.path[-1]) == 1
    }  # only where one ends so
    prefixed = {name.removeprefix(PREFIX): Place(name) for name in names if name.startswith(PREFIX)}
    # What was written as "covariate weight" is what "weight" means here.
    return {**short, **inside, **{name: Place(name) for name in names}, **prefixed}


def _named(text: str, places: Mapping[str, Place], names: Sequence[str], path: str | None) -> Covariate:
    if text in places:
        return Covariate(text, (text,), (places[text],))
    cuts = [i for i, letter in enumerate(text) if letter == "-"]
    for first, second in ((text[:i].strip(), text[i + 1 :].strip()) for i in cuts):
        if first in places and second in places and first != second:
            return Covariate(text, (first, second), (places[first], places[second]))
    near = difflib.get_close_matches(text, [*names, *places], n=1)
    guess = f'Did you mean "{near[0]}"? ' if near else ""
    raise ReadError(
        f'There is no column "{text}" for a covariate. {guess}Name a column, or two with a minus between them: '
        f"len_a-len_b is the number of the left system less that of the right one.",
        path=path,
        code="BT120",
    )


def paired(
    names: Sequence[str], rows: Sequence[Sequence[Any]], *, used: Sequence[str]
) -> tuple[Covariate, ...]:
    """Return the numbers that come in pairs, such as len_a and len_b, as differences.

    Of a table in our own columns (a, b, outcome, weight), every other column is a covariate.
    """
    free = [name for name in names if name not in used]
    if set(_CANONICAL) <= set(names):
        rest = [name for name in free if name not in _CANONICAL]
        return tuple(
            Covariate(name.removeprefix(PREFIX), (name,), (Place(name),), asked=False) for name in rest
        )
    places = _places(names, rows)
    known = {name: place for name, place in places.items() if place.column in free}
    found: list[Covariate] = []
    for first, second in _pairs(known):
        within = any(_inside(known[first], place) for each in found for place in each.places)
        if not within and all(_is_number(places[name], names, rows) for name in (first, second)):
            both = (places[first], places[second])
            found.append(Covariate(f"{first}-{second}", (first, second), both, asked=False))
    return tuple(found)


def _pairs(places: Mapping[str, Place]) -> Iterator[tuple[str, str]]:
    """Yield two names of a pair once, the shortest that they have, objects before what is inside them."""
    shortest: dict[Place, str] = {}
    for name, place in places.items():
        shortest[place] = min(shortest.get(place, name), name, key=len)
    for place in sorted(shortest, key=lambda each: len(each.path)):
        for other in _others(place):
            if other in shortest:
                yield shortest[place], shortest[other]


def _others(place: Place) -> Iterator[Place]:
    """Yield the places whose name says b where this one says a."""
    keys = (place.column, *place.path)
    words = keys[-1].split("_")
    if _NAMES & {word.casefold() for word in words}:
        return
    for one, two in _SIDES:
        for i, word in enumerate(words):
            if word.casefold() == one:
                twin = two.upper() if word.isupper() else two
                changed = "_".join([*words[:i], twin, *words[i + 1 :]])
                *before, _ = keys
                column, *path = (*before, changed)
                yield Place(column, tuple(path))


def _inside(place: Place, other: Place) -> bool:
    return place.column == other.column and place.path[: len(other.path)] == other.path


def _is_number(place: Place, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
    """Whether the first rows hold numbers there and nothing else; what is missing is counted when all are read."""
    column = list(names).index(place.column)
    cells = [row[column] for row in rows if row[column] is not None]
    texts = [nested_value(cell, place.path) if place.path else str(cell) for cell in cells]
    known = [number(text) for text in texts if not is_missing(text)]
    return bool(known) and all(map(math.isfinite, known))
