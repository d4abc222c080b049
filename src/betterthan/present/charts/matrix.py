"""Matrices: cells with a colour and a number, headings beside and above, and lines between groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.present.charts.drawing import Drawing, altair, rows
from betterthan.present.charts.theme import Theme

_GAP = 0.03
SMALLEST_WITH_NUMBERS = 30
MOST_ROWS = 100


def cell_size(m: int) -> int:
    """Return how large a cell is, in pixels, when there are `m` rows.

    Examples
    --------
    >>> cell_size(3), cell_size(12), cell_size(60)
    (44, 36, 12)
    """
    if m <= 9:
        return 44
    return 36 if m <= 14 else 24 if m <= 24 else 18 if m <= 40 else 12 if m <= 70 else 9


def places(size: int, across: str = "left", down: str = "top") -> Drawing:
    """Return the horizontal and the vertical axis of a matrix of so many rows, counted from the top left."""
    alt = altair()
    plain = {"nice": False, "zero": False, "padding": 0}
    return (
        alt.X(f"{across}:Q", axis=None, scale=alt.Scale(domain=[0, size], **plain)),
        alt.Y(f"{down}:Q", axis=None, scale=alt.Scale(domain=[size, 0], **plain)),
    )


def cell_columns(row: IntArray, column: IntArray) -> dict[str, FloatArray]:
    """Return where the cells at these rows and columns lie: edges, and the middle for what is written in them."""
    r, c = row.astype(np.float64), column.astype(np.float64)
    return {
        "left": c + _GAP,
        "right": c + 1 - _GAP,
        "top": r + _GAP,
        "bottom": r + 1 - _GAP,
        "x": c + 0.5,
        "y": r + 0.5,
    }


def middles(size: int) -> Drawing:
    """Return the encodings of what stands in the middle of cells, on the axes of :func:`places`."""
    return places(size, "x", "y")


def squares(data: Drawing, size: int, color: Drawing, tooltip: Sequence[Drawing] = ()) -> Drawing:
    """Return the coloured cells."""
    x, y = places(size)
    base = altair().Chart(data).mark_rect(cornerRadius=2 if size <= 24 else 0, aria=False)
    return base.encode(x=x, x2="right:Q", y=y, y2="bottom:Q", color=color, tooltip=list(tooltip))


def headings(size: int, called: Sequence[str], theme: Theme, *, cell: int | None = None) -> list[Drawing]:
    """Return the names of the rows with their numbers on the left, and the numbers again above the columns.

    Without names, only the numbers; `cell` is the size of a cell where it is not that of :func:`cell_size`.
    """
    alt = altair()
    x, y = middles(size)
    small = (cell or cell_size(size)) < 15
    spread, numbers = np.arange(size) + 0.5, [str(i + 1) for i in range(size)]
    font, dim = 9 if small else 12, alt.value(theme.dim)
    data = rows({"y": spread, "number": numbers, "name": called or [""] * size})
    left = alt.Chart(data).mark_text(align="right", fontSize=font - 1)
    number = left.encode(x=alt.value(-7), y=y, text="number:N", color=dim)
    name = left.mark_text(align="right", fontSize=font).encode(
        x=alt.value(-14 - (font - 4) * len(str(size))), y=y, text="name:N", color=alt.value(theme.ink)
    )
    # Numbers of two figures would run into each other over small cells.
    labelled = [i for i in range(size) if not small or i == 0 or (i + 1) % 5 == 0]
    top = alt.Chart(rows({"x": spread[labelled], "number": [numbers[i] for i in labelled]}))
    top = top.mark_text(baseline="bottom", fontSize=font - 1).encode(
        x=x, y=alt.value(-6), text="number:N", color=dim
    )
    return [*([name] if called else []), number, top]


def group_lines(size: int, ends: Sequence[int], color: str) -> list[Drawing]:
    """Return lines across and down the whole matrix behind these rows."""
    alt = altair()
    x, y = middles(size)
    data = rows({"x": [float(end) for end in ends], "y": [float(end) for end in ends]})
    lines = alt.Chart(data).mark_rule(color=color, strokeWidth=1.6)
    return [lines.encode(x=x), lines.encode(y=y)]
