"""Lists of segments: a table with the document, domain or language pair of each segment, without scores.

It is recognized so that a folder that contains one can be checked.
"""

from __future__ import annotations

import numpy as np

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.tables.cells import nameless_row
from betterthan.read.formats.tables.tables_in_one_file import PAIRS
from betterthan.read.grid.beginning import peek
from betterthan.read.grid.columns import ROLES, find, plain
from betterthan.read.grid.grid import Grid, fault, quoted
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import OF_SCORES, Format, Guess, Options, Reading, reason
from betterthan.read.source.source import Source

FORMAT = Format(
    name="segments",
    kind="texts",
    description="a list of segments with their documents, without scores or texts",
    columns=OF_SCORES - {"run"},
)
_ROLES = ("item", "group")
_KNOWN = frozenset(
    {*map(plain, (*ROLES["item"], *ROLES["group"])), *PAIRS, "domain", "genre", "split", "testset", "lang"}
)
_SHOWN = 12


def sniff(source: Source) -> Guess | None:
    """Recognize columns for segment and document, without any that could be something else."""
    header = peek(source).header
    if not header or not all(plain(name) in _KNOWN for name in header):
        return None
    try:
        roles = find(header, {}, _ROLES, path=source.name)
    except ReadError:
        return None
    if len(roles) < len(_ROLES):
        return None
    segment, document = (quoted(header[roles[role]]) for role in _ROLES)
    return Guess(
        confidence=0.8, because=f"columns {segment} and {document} list segments and their documents"
    )


def read(source: Source, options: Options) -> Reading:
    """Count the segments and documents; there is no table to return."""
    guess = sniff(source)
    with open_grid(source) as grid:
        roles = find(grid.header, options.columns, _ROLES, path=grid.name)
        for role in _ROLES:
            if role not in roles:
                raise fault(
                    grid, f"No column names the {role} of a row. Name it in the header.", code="BT021"
                )
        return Reading(
            format=FORMAT,
            because=reason(guess),
            tables=(),
            rows_read=grid.n_rows,
            rows_kept=grid.n_rows,
            notes=(
                *_counted(grid, roles),
                "A list of segments has no scores, so there is nothing to compare.",
            ),
        )


def _counted(grid: Grid, roles: dict[str, int]) -> list[str]:
    """Count by language pair where there is one; a segment may occur once in each.

    Raises
    ------
    ReadError
        For a row without a segment (BT105) or a segment that occurs twice (BT101).
    """
    pairs = next((grid.labels(i) for i, name in enumerate(grid.header) if plain(name) in PAIRS), None)
    codes = np.zeros(grid.n_rows, dtype=np.int64) if pairs is None else pairs.codes.astype(np.int64)
    items, documents = (grid.labels(roles[role]) for role in _ROLES)
    nameless = np.flatnonzero(items.codes < 0)
    if nameless.size:
        what = nameless_row(grid, int(nameless[0]), roles["item"], "segment")
        raise fault(grid, what, row=int(nameless[0]), code="BT105")
    _check_once(grid, codes * len(items.names) + items.codes, items.names)
    counts = []
    for code in np.unique(codes).tolist():
        rows = codes == code
        name = "" if pairs is None else f"{pairs.names[code] if code >= 0 else 'no pair'}: "
        counts.append(
            f"{name}{int(rows.sum()):,} segments in {np.unique(documents.codes[rows]).size:,} documents"
        )
    return [f"{some_of(counts, limit=_SHOWN)}."]


def _check_once(
    grid: Grid, cell: np.ndarray[tuple[int, ...], np.dtype[np.int64]], names: tuple[str, ...]
) -> None:
    distinct, first = np.unique(cell, return_index=True)
    if distinct.size == cell.size:
        return
    again = int(np.setdiff1d(np.arange(cell.size), first)[0])
    name = quoted(names[int(cell[again]) % len(names)])
    raise fault(
        grid, f"Segment {name} occurs twice in the list. Remove one of them.", row=again, code="BT101"
    )
