"""Power curves of a plan."""

from __future__ import annotations

import math

from betterthan.present.charts.drawing import Drawing, altair, headed, number_axis, rows
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.tables.plan import heading, sentences, shown
from betterthan.results.plan import Plan

_WIDTH, _HEIGHT = 460, 260
_LABEL_PIXELS = 46


def power_chart(result: Plan, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the power against the number of units, a line for each difference."""
    alt = altair()
    sizes = result.curve_number.tolist()
    digits = max(digits_for([each]) for each in result.difference.tolist())
    called = [number(shown(result, each), digits) for each in result.difference.tolist()]
    columns: dict[str, list[object]] = {"n": [], "power": [], "line": []}
    for name, powers in zip(called, result.curve_power.tolist(), strict=True):
        columns["n"] += sizes
        columns["power"] += powers
        columns["line"] += [name] * len(sizes)
    domain = [sizes[0], sizes[-1]]
    axis = alt.Axis(values=_round_numbers(*domain), format=",d", labelOverlap=True)
    x = alt.X("n:Q", title=result.unit, scale=alt.Scale(type="log", domain=domain, nice=False), axis=axis)
    y = alt.Y("power:Q", title="power", **number_axis((0, 1), _HEIGHT, across=False, percent=True))
    legend = alt.Legend(title=heading(result), symbolType="stroke", symbolStrokeWidth=2)
    color = alt.Color("line:N", sort=None, scale=alt.Scale(domain=called, range=theme.series), legend=legend)
    lines = alt.Chart(rows(columns)).mark_line(strokeWidth=2)
    layers = [lines.encode(x=x, y=y, color=color, tooltip=["line:N", "n:Q", "power:Q"])]
    target = alt.Chart(rows({"power": [result.power]})).mark_rule(color=theme.dim, strokeDash=[3, 3])
    layers.append(target.encode(y=y))
    words = [*sentences(result), f"Dashed: a power of {percent(result.power)}."]
    if result.number is not None and domain[0] <= result.number <= domain[1]:
        here = alt.Chart(rows({"n": [result.number]})).mark_rule(color=theme.dim, strokeDash=[1, 3])
        layers.append(here.encode(x=x))
        words[-1] = f"Dashed: a power of {percent(result.power)}; dotted: {result.number:,} {result.unit}."
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)
    return headed(
        drawn,
        theme,
        title=f"Power by the number of {result.unit}",
        words=words,
        width=_WIDTH + 120,
        override=title,
    )


def _round_numbers(low: float, high: float) -> list[int]:
    """Return round numbers between two on a logarithmic axis, as many as fit."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        values = [step * 10**power for power in powers for step in steps if power >= 0]
        inside = [value for value in values if low <= value <= high]
        if len(inside) * _LABEL_PIXELS <= _WIDTH or steps == (1,):
            break
    return inside or [round(low)]
