"""Rankings written as lists, ``A > B = C > D`` or JSON, read as matches of every two of their systems."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from betterthan.messages import method_note
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.columns import plain
from betterthan.read.grid.grid import Grid, fault, quoted
from betterthan.read.grid.numerals import is_missing
from betterthan.read.grid.open_grid import read_table
from betterthan.read.protocol import Format, FormatReader, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.matches import Matches

_FORMAT = Format(
    name="ranking_lists",
    kind="matches",
    description='a ranking per row in a column called ranking: "A > B = C > D", or JSON lists',
    columns=frozenset({"judge"}),
    rows="grid",
)
_COLUMNS = ("ranking", "rankings", "rankinglist")
_JUDGES = ("judge", "judgeid", "rater", "annotator", "worker", "workerid", "userid", "voter")
REST = "*"
"""Stands for all other systems, which were available and are not ranked."""


class _List(NamedTuple):
    """Places of a ranking, best first, and whether all other systems were available."""

    places: list[list[str]]
    has_rest: bool


def sniff(source: Source) -> Guess | None:
    """Recognize a column of rankings."""
    return guess(peek(source), path=source.name)


def guess(look: Peek, *, path: str) -> Guess | None:  # noqa: ARG001  (as other layouts of tables have it)
    """Return the confidence that a table has a column of rankings."""
    column = _column(look.header)
    if column is None:
        return None
    cells = [row[column] for row in look.rows if column < len(row)]
    shown = [cell for cell in cells if isinstance(cell, list) or (isinstance(cell, str) and _is_list(cell))]
    if not shown or len(shown) < len(cells) / 2:
        return None
    return Guess(confidence=0.97, because=f"rankings of systems in the column {quoted(look.header[column])}")


def _is_list(cell: str) -> bool:
    return ">" in cell or cell.lstrip().startswith("[")


def _column(header: tuple[str, ...]) -> int | None:
    return next((i for i, name in enumerate(header) if plain(name) in _COLUMNS), None)


def read(source: Source, options: Options) -> Reading:
    """Read a file of rankings."""
    return read_table(source, options, read_grid, because="")


def read_grid(grid: Grid, options: Options, *, stem: str, because: str) -> Reading:  # noqa: ARG001
    """Read a grid with a ranking per row."""
    column = _column(grid.header)
    if column is None:
        raise fault(grid, "There is no column called ranking. Rename the column of rankings.", code="BT120")
    lists = [_parsed(grid, row, text) for row, text in enumerate(grid.texts(column))]
    systems = tuple(sorted({name for one in lists for place in one.places for name in place}))
    index = {name: i for i, name in enumerate(systems)}
    rows = [row for i, one in enumerate(lists) for row in _matches(i, one, index)]
    if not rows:
        raise fault(grid, "No row ranks two systems, so there are no matches.", code="BT126")
    left, right, segment = (np.array([row[k] for row in rows], dtype=np.int64) for k in (0, 1, 3))
    judge = _judge(grid, options)
    matches = Matches(
        systems=systems,
        left=left,
        right=right,
        outcome=np.array([row[2] for row in rows], dtype=np.float64),
        segment=segment,
        group=None if judge is None else _judges(grid, judge)[segment],
        notes=_notes(lists),
    )
    return Reading(
        format=_FORMAT,
        because=f"rankings of systems in the column {quoted(grid.header[column])}",
        tables=(matches,),
        rows_read=grid.n_rows,
        rows_kept=grid.n_rows,
        notes=matches.notes,
    )


def _notes(lists: list[_List]) -> tuple[str, ...]:
    partial = sum(one.has_rest for one in lists)
    tied = sum(any(len(place) > 1 for place in one.places) for one in lists)
    note = method_note("Rankings read: {n:,}; {tied:,} have ties.", n=len(lists), tied=tied)
    if not partial:
        return (note,)
    rest = method_note("{n:,} rankings name the best only; all other systems are below.", n=partial)
    return (note, rest)


def _parsed(grid: Grid, row: int, text: str) -> _List:
    try:
        places = _json_places(text) if text.lstrip().startswith("[") else _text_places(text)
    except ValueError as error:
        wrong = (
            f"{quoted(text)} is not a ranking: {error}. Write the best first, as in A > B = C > D, and * for all other "
            f"systems at the end."
        )
        raise fault(grid, wrong, row=row, code="BT121") from error
    has_rest = places[-1] == [REST]
    places = places[:-1] if has_rest else places
    names = [name for place in places for name in place]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise fault(grid, f"System {quoted(twice)} is ranked twice in the row.", row=row, code="BT123")
    if any(is_missing(name) for name in names) or REST in names:
        raise fault(grid, f"A system in {quoted(text)} has no name.", row=row, code="BT124")
    return _List(places, has_rest)


def _text_places(text: str) -> list[list[str]]:
    if not text.strip():
        raise ValueError("the cell is empty")
    return [[name.strip() for name in place.split("=")] for place in text.split(">")]


def _json_places(text: str) -> list[list[str]]:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("the list is not JSON") from error
    places = [place if isinstance(place, list) else [place] for place in found]
    if not places or not all(place and all(isinstance(name, str) for name in place) for place in places):
        raise ValueError("a list holds names of systems, and lists of those that are tied")
    return [[name.strip() for name in place] for place in places]


def _matches(row: int, one: _List, index: dict[str, int]) -> list[tuple[int, int, float, int]]:
    placed = [(index[name], k) for k, place in enumerate(one.places) for name in place]
    found = [(a, b, 1.0 if i < j else 0.5, row) for (a, i), (b, j) in combinations(placed, 2)]
    if one.has_rest:
        named = {system for system, _ in placed}
        rest = [system for system in index.values() if system not in named]
        found += [(a, b, 1.0, row) for a, _ in placed for b in rest]
    return found


def _judge(grid: Grid, options: Options) -> int | None:
    named = options.columns.get("judge")
    if named is not None:
        if named not in grid.header:
            raise fault(grid, f"There is no column {quoted(named)} for the judge.", code="BT120")
        return grid.header.index(named)
    if not options.cluster:
        return None
    return next((i for i, name in enumerate(grid.header) if plain(name) in _JUDGES), None)


def _judges(grid: Grid, column: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    codes = np.asarray(grid.labels(column).codes, dtype=np.int64)
    empty = np.flatnonzero(codes < 0)
    if empty.size:
        text = f"The row has no value in column {quoted(grid.header[column])}. Fill the cell in."
        raise fault(grid, text, row=int(empty[0]), code="BT127")
    return codes


LISTS = FormatReader(_FORMAT, sniff, read, guess=guess, read_grid=read_grid)
"""Rankings of any length, with ties, in a column called ranking.

``A > B = C > D`` ranks four systems, B and C tied; in JSON it is ``["A", ["B", "C"], "D"]``. Systems that are not named
were not available, unless the list ends with ``*``: ``A > B > *`` says that A was the best of all systems of the file
and B the second. A row of n systems becomes n (n − 1) / 2 matches of one segment, from which ``rank --by
plackett-luce`` recovers the ranking.
"""
