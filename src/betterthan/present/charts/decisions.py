"""Decisions drawn: power of a plan, intervals of a gate against their margins, evidence of a watch while it grew."""

from __future__ import annotations

import math

from betterthan.present.charts.drawing import (
    Drawing,
    altair,
    headed,
    names,
    number_axis,
    rows,
    widest,
    with_short_names,
)
from betterthan.present.charts.panels import MOST_ROWS
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.tables.decisions import (
    counted_units,
    gate_sentences,
    heading,
    plan_sentences,
    row_name,
    shown,
    watch_sentences,
)
from betterthan.results.decisions import PASSING, Gate, GateRow, Plan, Watch

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
    color = alt.Color("line:N", scale=alt.Scale(domain=called, range=theme.series), legend=legend)
    lines = alt.Chart(rows(columns)).mark_line(strokeWidth=2)
    layers = [lines.encode(x=x, y=y, color=color, tooltip=["line:N", "n:Q", "power:Q"])]
    target = alt.Chart(rows({"power": [result.power]})).mark_rule(color=theme.dim, strokeDash=[3, 3])
    layers.append(target.encode(y=y))
    words = [*plan_sentences(result), f"Dashed: a power of {percent(result.power)}."]
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


_GATE_WIDTH, _STEP = 420, 30
_LEAST, _SPARE = 1.7, 1.06
_VERDICT_PIXELS = 84
_PAIR_LETTERS = 22
"""Of each name where a legend holds two."""


def gate_chart(result: Gate, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the difference of each metric and slice with its interval, and the margin; several metrics in margins."""
    alt = altair()
    result = with_short_names(result, [result.baseline, result.candidate])
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
    axis = number_axis((-limit, limit), _GATE_WIDTH)
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
    layers.append(verdict.encode(x=alt.value(_GATE_WIDTH + 10), y=y, text="verdict:N"))
    words = [
        *gate_sentences(result),
        f"Lines: {percent(result.confidence)} CI. Dashed: the margin; shaded: worse by more.",
    ]
    if len(shown) < len(result):
        words.append(f"The first {len(shown)} of {len(result)} rows are shown.")
    return headed(
        alt.layer(*layers).properties(width=_GATE_WIDTH, height=_STEP * len(shown) + 8),
        theme,
        title=f"Gate: {result.candidate} against {result.baseline}",
        words=words,
        width=widest(called) + _GATE_WIDTH + _VERDICT_PIXELS,
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


_WIDTH, _HEIGHT = 460, 260
_MOST_LINES = 5
_LOWEST, _HIGHEST = 1e-2, 1e6


def watch_chart(result: Watch, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the e-value of each pair against the number of units, with the value that decides a single pair."""
    alt = altair()
    result = with_short_names(result, result.systems, most=_PAIR_LETTERS)
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
    color = alt.Color("line:N", scale=alt.Scale(domain=names, range=theme.series), legend=legend)
    lines = alt.Chart(rows(columns)).mark_line(strokeWidth=2)
    enough = alt.Chart(rows({"e": [1 / result.alpha]})).mark_rule(color=theme.dim, strokeDash=[3, 3])
    layers = [lines.encode(x=x, y=y, color=color, tooltip=["line:N", "n:Q", "e:Q"]), enough.encode(y=y)]
    words = [
        *watch_sentences(result),
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
