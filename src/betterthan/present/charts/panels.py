"""Panels: several measures of the same rows side by side, one dot per row in each, with its interval if it has one.

Matrices: cells with a color and a number, row and column headings, and lines between groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.present.charts.drawing import Drawing, altair, names, number_axis, rows, widest
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import limits_around
from betterthan.present.text_width import text_width, wrapped

MOST_ROWS = 100
MOST_PANELS = 4
_SPACING = 26


class DotPanel(NamedTuple):
    """A measure of every row.

    Attributes
    ----------
    title : str
        Of the axis, with its unit.
    value : array, shape (rows,)
        NaN is not drawn.
    low, high : array, optional
        Ends of the intervals.
    rule : float, optional
        Where a dashed line is drawn to compare values with: zero, or the error of an uninformative prediction.
    """

    title: str
    value: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    rule: float | None = None


def panels_chart(
    labels: Sequence[str],
    panels: Sequence[DotPanel],
    theme: Theme,
    *,
    groups: Sequence[str],
    colors: Mapping[str, str],
) -> Drawing:
    """Draw panels side by side; rows are named once, on the left, and colored by their group.

    Parameters
    ----------
    labels : sequence of str
        Of the rows, from top to bottom; at most `MOST_ROWS` are drawn.
    panels : sequence of DotPanel
        At most `MOST_PANELS` are drawn.
    theme : Theme
    groups : sequence of str
        What each row is.
    colors : mapping of str to str
        The color of each group; where several occur a legend names them.
    """
    shown = min(len(labels), MOST_ROWS)
    called = names(labels[:shown])
    drawn = panels[:MOST_PANELS]
    seen = [group for group in colors if group in groups[:shown]]
    made = [
        _panel(panel, called, groups[:shown], seen, colors, theme, first=k == 0, width=_width(len(drawn)))
        for k, panel in enumerate(drawn)
    ]
    height = _step(shown) * shown
    width = _width(len(drawn))
    return altair().hconcat(*(each.properties(width=width, height=height) for each in made), spacing=_SPACING)


def width_of(labels: Sequence[str], panels: Sequence[DotPanel]) -> float:
    """Return how wide the panels are with the names beside them, for the words above."""
    shown, count = min(len(labels), MOST_ROWS), min(len(panels), MOST_PANELS)
    beside = widest(names(labels[:shown]), 10 if _step(shown) < 20 else 12) + 10
    return beside + count * _width(count) + (count - 1) * _SPACING


def _width(count: int) -> int:
    """Return the width of each of so many panels."""
    return {1: 380, 2: 240, 3: 180}.get(count, 150)


def _step(shown: int) -> int:
    return 26 if shown <= 20 else 20 if shown <= 40 else 15


def _panel(
    panel: DotPanel,
    labels: Sequence[str],
    groups: Sequence[str],
    seen: Sequence[str],
    colors: Mapping[str, str],
    theme: Theme,
    *,
    first: bool,
    width: int,
) -> Drawing:
    alt = altair()
    shown = len(labels)
    nothing = np.full(shown, np.nan)
    data = rows(
        {
            "label": labels,
            "place": np.arange(shown) + 0.5,
            "value": panel.value[:shown],
            "low": nothing if panel.low is None else panel.low[:shown],
            "high": nothing if panel.high is None else panel.high[:shown],
            "group": list(groups),
        }
    )
    y = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[shown, 0], nice=False, zero=False, padding=0))
    legend = alt.Legend(title=None, orient="top", symbolType="circle") if first and len(seen) > 1 else None
    scale = alt.Scale(domain=list(seen), range=[colors[group] for group in seen])
    base = alt.Chart(data).encode(y=y, color=alt.Color("group:N", scale=scale, legend=legend))
    ends = [each[:shown] for each in (panel.value, panel.low, panel.high) if each is not None]
    rule = [] if panel.rule is None else [np.array([panel.rule])]
    limits = limits_around(np.concatenate([*ends, *rule]), share=0.05) or (0.0, 1.0)
    # A title that is wider than its panel would run into that of the next.
    x = {"title": wrapped(panel.title, width + _SPACING - 8), **number_axis(limits, width)}
    small = _step(shown) < 20
    dots = base.mark_point(filled=True, opacity=1, size=40 if small else 70).encode(
        x=alt.X("value:Q", **x), tooltip=["label:N", "value:Q", "low:Q", "high:Q"]
    )
    layers = [dots]
    if panel.low is not None:
        spans = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.7)
        layers.insert(0, spans.encode(x=alt.X("low:Q", **x), x2="high:Q"))
    if panel.rule is not None and np.isfinite(panel.rule):
        line = alt.Chart(rows({"at": [panel.rule]})).mark_rule(
            color=theme.ink, strokeDash=[4, 3], opacity=0.7
        )
        layers.insert(0, line.encode(x=alt.X("at:Q", **x)))
    if first:
        text = base.mark_text(align="right", fontSize=10 if small else 12)
        layers.append(text.encode(x=alt.value(-10), text="label:N", color=alt.value(theme.ink)))
    return alt.layer(*layers)


_GAP = 0.03
SMALLEST_WITH_NUMBERS = 30


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


def places(size: int, across: str = "left", down: str = "top", *, columns: int | None = None) -> Drawing:
    """Return the horizontal and the vertical axis of a matrix of so many rows, counted from the top left.

    It has as many columns as rows, unless `columns` says otherwise.
    """
    alt = altair()
    plain = {"nice": False, "zero": False, "padding": 0}
    return (
        alt.X(f"{across}:Q", axis=None, scale=alt.Scale(domain=[0, columns or size], **plain)),
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


def middles(size: int, *, columns: int | None = None) -> Drawing:
    """Return the encodings of what is in the middle of cells, on the axes of :func:`places`."""
    return places(size, "x", "y", columns=columns)


def squares(
    data: Drawing, size: int, color: Drawing, tooltip: Sequence[Drawing] = (), *, columns: int | None = None
) -> Drawing:
    """Return the colored cells."""
    x, y = places(size, columns=columns)
    base = altair().Chart(data).mark_rect(cornerRadius=2 if size <= 24 else 0, aria=False)
    return base.encode(x=x, x2="right:Q", y=y, y2="bottom:Q", color=color, tooltip=list(tooltip))


def headings(
    size: int, called: Sequence[str], theme: Theme, *, cell: int | None = None, values: Sequence[str] = ()
) -> list[Drawing]:
    """Return the names of the rows with their numbers on the left, and the numbers again above the columns.

    Parameters
    ----------
    size : int
        Number of rows.
    called : sequence of str
        Names of the rows; without names only the numbers are drawn.
    theme : Theme
    cell : int, optional
        Size of a cell where it is not that of :func:`cell_size`.
    values : sequence of str
        A value of each row, in a column between names and numbers.
    """
    alt = altair()
    x, y = middles(size)
    small = (cell or cell_size(size)) < 15
    middle, numbers = np.arange(size) + 0.5, [str(i + 1) for i in range(size)]
    font, dim = _font(small=small), alt.value(theme.dim)
    data = rows(
        {"y": middle, "number": numbers, "name": called or [""] * size, "value": values or [""] * size}
    )
    base = alt.Chart(data).encode(y=y)
    # Where rows are as low as their numbers, only some are numbered; columns, where numbers would run together.
    numbered = [i for i in range(size) if not small or i == 0 or (i + 1) % 5 == 0]
    number = alt.Chart(rows({"y": middle[numbered], "number": [numbers[i] for i in numbered]}))
    number = number.mark_text(align="right", fontSize=font - 1)
    layers = [number.encode(x=alt.value(-7), y=y, text="number:N", color=dim)]
    place = -14 - text_width(str(size), font - 1)
    for field, texts, color in (("value", values, dim), ("name", called, alt.value(theme.ink))):
        if texts:
            text = base.mark_text(align="right", fontSize=font)
            layers.append(text.encode(x=alt.value(place), text=f"{field}:N", color=color))
            place -= widest(texts, font) + 8
    wide = (cell or cell_size(size)) < text_width(numbers[-1], font - 1) + 5
    above = [i for i in numbered if not wide or i == 0 or (i + 1) % 5 == 0]
    top = alt.Chart(rows({"x": middle[above], "number": [numbers[i] for i in above]}))
    top = top.mark_text(baseline="bottom", fontSize=font - 1)
    return [*layers, top.encode(x=x, y=alt.value(-6), text="number:N", color=dim)]


def headings_width(
    size: int, called: Sequence[str], *, cell: int | None = None, values: Sequence[str] = ()
) -> float:
    """Return how wide the names, values and numbers on the left are."""
    font = _font(small=(cell or cell_size(size)) < 15)
    beside = sum(widest(texts, font) + 8 for texts in (called, values) if texts)
    return 14 + text_width(str(size), font - 1) + beside


def _font(*, small: bool) -> int:
    return 9 if small else 12


def group_lines(size: int, ends: Sequence[int], color: str) -> list[Drawing]:
    """Return lines across and down the whole matrix behind these rows."""
    alt = altair()
    x, y = middles(size)
    data = rows({"x": [float(end) for end in ends], "y": [float(end) for end in ends]})
    lines = alt.Chart(data).mark_rule(color=color, strokeWidth=1.6)
    return [lines.encode(x=x), lines.encode(y=y)]
