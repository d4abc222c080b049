"""The evidence of a watch while it grew."""

from __future__ import annotations

import math

from betterthan.present.charts.drawing import Drawing, altair, headed, rows
from betterthan.present.charts.theme import Theme
from betterthan.present.tables.watch import counted_units, sentences
from betterthan.results.watch import Watch

_WIDTH, _HEIGHT = 460, 260
_MOST_LINES = 5
_LOWEST, _HIGHEST = 1e-2, 1e6


def watch_chart(result: Watch, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the e-value of each pair against the number of units, with the value that decides a single pair."""
    alt = altair()
    order = sorted(range(len(result)), key=lambda i: (-float(result.curve_log_e[i].max(initial=0.0)), i))
    chosen = order[:_MOST_LINES]
    names = [f"{result.a[i]} and {result.b[i]}" for i in chosen]
    columns: dict[str, list[object]] = {"n": [], "e": [], "line": []}
    for i, name in zip(chosen, names, strict=True):
        columns["n"] += result.curve_unit.tolist()
        columns["e"] += [_within(each) for each in result.curve_log_e[i].tolist()]
        columns["line"] += [name] * result.curve_unit.size
    end = max(1, result.n_units)
    x = alt.X(
        "n:Q",
        title=counted_units(result),
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(format=",d"),
    )
    axis = alt.Axis(values=_powers(columns["e"], 1 / result.alpha), format=",")
    y = alt.Y(
        "e:Q",
        title="e-value",
        scale=alt.Scale(type="log", nice=False, domain=_domain(columns["e"], 1 / result.alpha)),
        axis=axis,
    )
    legend = alt.Legend(title="pair", symbolType="stroke", symbolStrokeWidth=3) if len(chosen) > 1 else None
    color = alt.Color("line:N", sort=None, scale=alt.Scale(domain=names, range=theme.series), legend=legend)
    lines = alt.Chart(rows(columns)).mark_line(strokeWidth=2)
    enough = alt.Chart(rows({"e": [1 / result.alpha]})).mark_rule(color=theme.dim, strokeDash=[3, 3])
    layers = [lines.encode(x=x, y=y, color=color, tooltip=["line:N", "n:Q", "e:Q"]), enough.encode(y=y)]
    words = [
        *sentences(result),
        f"Dashed: an e-value of {1 / result.alpha:.4g}, which decides a single pair.",
    ]
    if len(result) > _MOST_LINES:
        words[-1] += f" The {_MOST_LINES} pairs with the most evidence are shown."
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)
    return headed(
        drawn,
        theme,
        title=f"Evidence by the number of {result.unit}",
        words=words,
        width=_WIDTH + 120,
        override=title,
    )


def _within(log_e: float) -> float:
    """Return an e-value within the limits of the chart."""
    return math.exp(min(max(log_e, math.log(_LOWEST)), math.log(_HIGHEST)))


def _domain(values: list[object], enough: float) -> list[float]:
    known = [float(each) for each in values if isinstance(each, float)]
    return [min(0.5, *known), max(2 * enough, 1.2 * max(known))]


def _powers(values: list[object], enough: float) -> list[float]:
    low, high = _domain(values, enough)
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    return sorted({enough, *(10.0**power for power in powers if not 0.5 < enough / 10.0**power < 3)})
