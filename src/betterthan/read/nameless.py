"""Columns without a name: a data frame's index, an empty margin, or a fault."""

from __future__ import annotations

import numpy as np

from betterthan.read.grid import Grid, fault

_PANDAS = "Unnamed: 0"


def leave_out_nameless(grid: Grid) -> tuple[set[int], tuple[str, ...]]:
    """Return the columns to ignore and what to say about them.

    Raises
    ------
    ReadError
        When a column with values has no name (BT018).
    """
    ignored: set[int] = set()
    notes: list[str] = []
    for column, name in enumerate(grid.header):
        if name and not (column == 0 and name == _PANDAS):
            continue
        values = grid.numbers([column])[0]
        if column == 0 and np.array_equal(values, np.arange(grid.n_rows)):
            ignored.add(column)
            notes.append(
                "The unnamed first column counts 0, 1, 2, … and was left out as a data frame's index."
            )
        elif np.isnan(values).all():
            ignored.add(column)
            notes.append(f"Column {column + 1} has no name and no values and was left out.")
        elif not name:
            raise fault(
                grid,
                f"Column {column + 1} has values but no name. Name it in the header: segment or system, if that is "
                f"what its cells name.",
                code="BT018",
            )
    return ignored, tuple(notes)
