"""Several measures of the same rows side by side: one dot per row in each panel, with its interval if it has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.charts.drawing import Drawing, altair, names, number_axis, rows, widest
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import limits_around
from betterthan.present.text_width import wrapped

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
