"""Calibrations drawn beside their nominal values, and the specification curve of a multiverse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from betterthan.arrays import FloatArray, IntArray
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
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import percent
from betterthan.present.tables.robustness import (
    calibration_sentences,
    choice_name,
    method_name,
    multiverse_sentences,
    option_name,
)
from betterthan.results.robustness import (
    CONTRADICTED,
    COVERS,
    EQUAL,
    NOT_ABOUT_MEANS,
    OPPOSITE,
    REJECTS,
    SAME,
    SUPPORTED,
    Calibration,
    Multiverse,
)

_WIDTH, _STEP, _GAP = 250, 24, 24
_ERRORS = 2.0
_TABLES = ("swapped", "equal means", "with effect")


class _Dot(NamedTuple):
    method: str
    tables: str
    share: float
    low: float
    high: float
    color: str


def calibration_chart(result: Calibration, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the share of false positives of every test and the coverage of every interval, with Monte Carlo errors."""
    sizes = (
        ("swapped", result.size_swapped, result.n_swapped),
        ("equal means", result.size_equal, result.n_equal),
    )
    covers = (
        ("equal means", result.coverage_equal, result.n_equal),
        ("with effect", result.coverage_effect, result.n_effect),
    )
    tests = _dots(result, sizes, (REJECTS, NOT_ABOUT_MEANS), theme)
    intervals = _dots(result, covers, (COVERS,), theme)
    left = _panel(tests, result.alpha, "called different although equal", theme, from_zero=True)
    right = _panel(intervals, result.confidence, "intervals that contain the truth", theme, from_zero=False)
    drawn = altair().hconcat(left, right, spacing=_GAP).resolve_scale(shape="shared")
    words = [
        *calibration_sentences(result),
        f"Dashed: nominal ({percent(result.alpha)} and {percent(result.confidence)}). Lines: two Monte Carlo errors.",
    ]
    width = 2 * _WIDTH + _GAP + sum(widest([dot.method for dot in dots]) for dots in (tests, intervals)) + 80
    return headed(
        drawn,
        theme,
        title="Which tests and intervals hold on tables like this one?",
        words=words,
        width=width,
        override=title,
    )


def _dots(
    result: Calibration,
    shares: Sequence[tuple[str, FloatArray, int]],
    failures: Sequence[str],
    theme: Theme,
) -> list[_Dot]:
    dots = []
    for place, method in enumerate(result.methods):
        is_off = any(word in result.verdict[place] for word in failures)
        for tables, values, n in shares:
            share = float(values[place])
            if math.isnan(share):
                continue
            reach = _ERRORS * result.error(share, n)
            dots.append(
                _Dot(
                    method_name(result, method),
                    tables,
                    share,
                    max(share - reach, 0.0),
                    min(share + reach, 1.0),
                    theme.bad if is_off else theme.accent,
                )
            )
    return dots


def _panel(dots: Sequence[_Dot], nominal: float, what: str, theme: Theme, *, from_zero: bool) -> Drawing:
    alt = altair()
    called = list(dict.fromkeys(dot.method for dot in dots))
    low = 0.0 if from_zero else min([nominal, *(dot.low for dot in dots)])
    high = max([nominal, *(dot.high for dot in dots)]) if from_zero else 1.0
    edge = 0.04 * (high - low)
    limits = (0.0 if from_zero else max(low - edge, 0.0), min(high + edge, 1.0 + edge))
    axis = number_axis(limits, _WIDTH, percent=True)
    data = rows({name: [getattr(dot, name) for dot in dots] for name in _Dot._fields})
    labels = alt.Axis(labelLimit=0, domain=False, ticks=False)
    y = alt.Y("method:N", title=None, scale=alt.Scale(domain=called), axis=labels)
    drawn = [name for name in _TABLES if any(dot.tables == name for dot in dots)]
    offset = alt.YOffset("tables:N", scale=alt.Scale(domain=drawn))
    shape = alt.Shape(
        "tables:N",
        scale=alt.Scale(domain=list(_TABLES), range=["circle", "diamond", "triangle-up"]),
        legend=alt.Legend(title="tables"),
    )
    color = alt.Color("color:N", scale=None)
    base = alt.Chart(data).encode(y=y, yOffset=offset, color=color)
    reach = base.mark_rule(strokeWidth=1.4).encode(x=alt.X("low:Q", title=what, **axis), x2="high:Q")
    marks = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("share:Q", title=what, **axis), shape=shape, tooltip=["method:N", "tables:N", "share:Q"]
    )
    line = alt.Chart(rows({"share": [nominal]})).mark_rule(color=theme.dim, strokeDash=[3, 3])
    layers = [line.encode(x=alt.X("share:Q", title=what, **axis)), reach, marks]
    return alt.layer(*layers).properties(width=_WIDTH, height=_STEP * len(called))


_CURVE_WIDTH, _HEIGHT, _CURVE_STEP = 560, 150, 13
_MOST = 600
_FARTHEST = 6.0
"""Normal deviates beyond which analyses are drawn at the edge."""


def specification_chart(result: Multiverse, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw every analysis at its evidence for or against the claim, and below it the options that it chose.

    References
    ----------
    .. [1] Simonsohn, Simmons and Nelson (2020), Specification curve analysis, Nat. Hum. Behav. 4.
    """
    result = with_short_names(result, [result.system, *result.others])
    if len(result.others) == 1:
        result = replace(result, claim=f"{result.system} > {result.others[0]}")
    order, evidence = _in_order(result)
    curve = _curve(result, order, evidence, theme)
    below, labels = _choices(result, order, theme)
    drawn = altair().vconcat(curve, below, spacing=6).resolve_scale(x="independent", color="independent")
    words = [
        *multiverse_sentences(result),
        "Each column is one analysis. Dashed: significant after correction; below, the options that were chosen.",
    ]
    if len(order) < len(result):
        words.append(f"{len(order):,} of {len(result):,} analyses are shown, evenly spaced.")
    width = _CURVE_WIDTH + widest(labels) + 40
    return headed(
        drawn, theme, title=f"{result.claim} by every analysis", words=words, width=width, override=title
    )


def _in_order(result: Multiverse) -> tuple[IntArray, FloatArray]:
    """Analyses from the strongest evidence against the claim to the strongest for it, and that evidence."""
    size = -ndtri(np.clip(result.pvalue / 2, 1e-300, 0.5))
    evidence = np.clip(size, 0, _FARTHEST) * result.direction
    order = np.lexsort((result.direction, evidence))
    if order.size > _MOST:
        order = order[np.linspace(0, order.size - 1, _MOST).round().astype(np.int64)]
    return order, evidence[order]


def _outcome_colors(theme: Theme, *, has_legend: bool = True) -> Drawing:
    alt = altair()
    legend = alt.Legend(title=None, orient="top", columns=5, symbolType="circle") if has_legend else None
    return alt.Color(
        "outcome:N",
        scale=alt.Scale(
            domain=[SUPPORTED, SAME, EQUAL, OPPOSITE, CONTRADICTED],
            range=[theme.accent, theme.good, theme.rest, theme.gold, theme.bad],
        ),
        legend=legend,
    )


def _x(n: int) -> Drawing:
    alt = altair()
    return alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, n], nice=False, zero=False, padding=0))


def _curve(result: Multiverse, order: IntArray, evidence: FloatArray, theme: Theme) -> Drawing:
    alt = altair()
    n = len(order)
    reach = -float(ndtri(result.alpha / 2))
    limit = max(float(np.abs(evidence).max(initial=0.0)), reach) * 1.08
    axis = number_axis((-limit if (evidence < 0).any() else -0.08 * limit, limit), _HEIGHT, across=False)
    y = alt.Y("z:Q", title="z, positive: for the claim", **axis)
    data = rows(
        {
            "x": np.arange(n) + 0.5,
            "z": evidence,
            "outcome": [result.outcome[i] for i in order],
            "aggregation": [result.aggregation[i] for i in order],
            "test": [result.test[i] for i in order],
            "p": result.pvalue[order],
        }
    )
    dots = alt.Chart(data).mark_circle(size=_dot_size(n), opacity=1)
    tooltip = ["aggregation:N", "test:N", "p:Q", "outcome:N"]
    dots = dots.encode(x=_x(n), y=y, color=_outcome_colors(theme), tooltip=tooltip)
    levels = [reach, -reach] if (evidence < 0).any() else [reach]
    dashed = alt.Chart(rows({"z": levels})).mark_rule(color=theme.dim, strokeDash=[3, 3]).encode(y=y)
    zero = alt.Chart(rows({"z": [0.0]})).mark_rule(color=theme.line).encode(y=y)
    return alt.layer(zero, dashed, dots).properties(width=_CURVE_WIDTH, height=_HEIGHT)


def _dot_size(n: int) -> float:
    return float(min(60.0, max(10.0, (1.2 * _CURVE_WIDTH / n) ** 2)))


def _choices(result: Multiverse, order: IntArray, theme: Theme) -> tuple[Drawing, list[str]]:
    """Draw a row for each option, with a tick in the column of each analysis that chose it."""
    alt = altair()
    n = len(order)
    choices = [name for name in dict.fromkeys(one.choice for one in result.options()) if name != "test"]
    choices = [*choices, "test"] if len(set(result.test)) > 1 else choices
    columns: dict[str, list[object]] = {"x": [], "y": [], "outcome": []}
    heads: dict[str, list[object]] = {"y": [], "name": [], "color": []}
    at = 0.0
    for choice in choices:
        values = getattr(result, choice)
        heads["y"].append(at + 0.5)
        heads["name"].append(choice_name(choice))
        heads["color"].append(theme.dim)
        at += 1
        for option in dict.fromkeys(value for value in values if value):
            chosen = [place for place, i in enumerate(order) if values[i] == option]
            columns["x"] += [place + 0.5 for place in chosen]
            columns["y"] += [at + 0.5] * len(chosen)
            columns["outcome"] += [result.outcome[order[place]] for place in chosen]
            heads["y"].append(at + 0.5)
            heads["name"].append(option_name(option))
            heads["color"].append(theme.ink)
            at += 1
    labels = [
        names([str(name)])[0] for name in heads["name"]
    ]  # options of two choices may have the same name
    heads["name"] = list(labels)
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[max(at, 1.0), 0], nice=False, zero=False, padding=0))
    ticks = alt.Chart(rows(columns)).mark_tick(
        orient="vertical",
        height=_CURVE_STEP - 4,
        thickness=max(0.8, min(6.0, 0.7 * _CURVE_WIDTH / n)),
        opacity=1,
    )
    ticks = ticks.encode(x=_x(n), y=y, color=_outcome_colors(theme, has_legend=False))
    text = alt.Chart(rows(heads)).mark_text(align="right", fontSize=11)
    text = text.encode(x=alt.value(-8), y=y, text="name:N", color=alt.Color("color:N", scale=None))
    height = math.ceil(_CURVE_STEP * max(at, 1.0))
    return alt.layer(ticks, text).resolve_scale(color="independent").properties(
        width=_CURVE_WIDTH, height=height
    ), labels
