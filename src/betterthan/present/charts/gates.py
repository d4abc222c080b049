"""The intervals of a gate against their margins."""

from __future__ import annotations

import math

from betterthan.present.charts.drawing import Drawing, altair, headed, names, number_axis, rows, widest
from betterthan.present.charts.matrix import MOST_ROWS
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import percent
from betterthan.present.tables.gate import gate_sentences, row_name
from betterthan.results.gate import PASSING, Gate, GateRow

_WIDTH, _STEP = 420, 30
_LEAST, _SPARE = 1.7, 1.06
_VERDICT_PIXELS = 84


def gate_chart(result: Gate, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the difference of each metric and slice with its interval, and the margin; several metrics in margins."""
    alt = altair()
    shown = list(result)[:MOST_ROWS]
    in_margins = len({(row.metric, row.margin) for row in shown}) > 1
    units = [_unit(row) if in_margins else 1.0 for row in shown]
    margins = [row.margin / unit for row, unit in zip(shown, units, strict=True)]
    called = names([row_name(row) for row in shown])
    columns = _marks(shown, units, called)
    ends = [
        abs(end) / unit
        for row, unit in zip(shown, units, strict=True)
        for end in (row.effect, row.low, row.high)
        if math.isfinite(end)
    ]
    limit = max([_SPARE * end for end in ends] + [_LEAST * max(margins)]) or 1.0
    axis = number_axis((-limit, limit), _WIDTH)
    heading = f"difference{', in margins' if in_margins else ''}, positive: {result.candidate} is better"
    x = alt.X("x:Q", title=heading, **axis)
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[len(shown), 0], nice=False, zero=False, padding=0))
    scale = alt.Scale(domain=["pass", "undecided", "fail"], range=[theme.accent, theme.gold, theme.bad])
    color = alt.Color("kind:N", scale=scale, legend=None)
    base = alt.Chart(rows(columns)).encode(y=y, color=color)
    edge = max(margins)
    worse = alt.Chart(rows({"x": [-limit], "to": [-edge]})).mark_rect(color=theme.bad, opacity=0.12)
    layers = [worse.encode(x=x, x2="to:Q")]
    layers.append(alt.Chart(rows({"x": [0.0]})).mark_rule(color=theme.dim).encode(x=x))
    if edge > 0:
        edges = alt.Chart(rows({"x": [-edge, edge]})).mark_rule(color=theme.dim, strokeDash=[3, 3])
        layers.append(edges.encode(x=x))
    layers.append(base.mark_rule(strokeWidth=3).encode(x=alt.X("low:Q", title=heading, **axis), x2="high:Q"))
    tooltip = ["row:N", "verdict:N", "x:Q", "low:Q", "high:Q"]
    layers.append(base.mark_point(size=80, filled=True, opacity=1).encode(x=x, tooltip=tooltip))
    label = alt.Chart(rows(columns)).mark_text(align="right", fontSize=12, color=theme.ink)
    layers.append(label.encode(x=alt.value(-10), y=y, text="row:N"))
    verdict = alt.Chart(rows(columns)).mark_text(align="left", fontSize=12, color=theme.ink)
    layers.append(verdict.encode(x=alt.value(_WIDTH + 10), y=y, text="verdict:N"))
    words = [
        *gate_sentences(result),
        f"Lines: {percent(result.confidence)} CI. Dashed: the margin; shaded: worse by more.",
    ]
    if len(shown) < len(result):
        words.append(f"The first {len(shown)} of {len(result)} rows are shown.")
    return headed(
        alt.layer(*layers).properties(width=_WIDTH, height=_STEP * len(shown) + 8),
        theme,
        title=f"Gate: {result.candidate} against {result.baseline}",
        words=words,
        width=widest(called) + _WIDTH + _VERDICT_PIXELS,
        override=title,
    )


def _marks(shown: list[GateRow], units: list[float], called: list[str]) -> dict[str, list[object]]:
    """Return one row for each metric and slice, in the unit of the axis."""
    scaled = list(zip(shown, units, strict=True))
    return {
        "row": list(called),
        "y": [i + 0.5 for i in range(len(shown))],
        "x": [row.effect / unit for row, unit in scaled],
        "low": [row.low / unit for row, unit in scaled],
        "high": [row.high / unit for row, unit in scaled],
        "verdict": [row.verdict for row in shown],
        "kind": ["pass" if row.verdict in PASSING else row.verdict for row in shown],
    }


def _unit(row: GateRow) -> float:
    """Return the margin, or for a margin of 0 half of what is shown."""
    ends = [abs(value) for value in (row.low, row.high, row.effect) if math.isfinite(value)]
    return row.margin or max(ends, default=0.0) / 2 or 1.0
