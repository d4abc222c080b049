"""The specification curve of a multiverse: all analyses by their evidence, and what each of them chose."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from betterthan.arrays import FloatArray, IntArray
from betterthan.present.charts.drawing import Drawing, altair, headed, names, number_axis, rows, widest
from betterthan.present.charts.theme import Theme
from betterthan.present.tables.multiverse import choice_name, option_name, sentences
from betterthan.results.multiverse import (
    CONTRADICTED,
    EQUAL,
    OPPOSITE,
    SAME,
    SUPPORTED,
    Multiverse,
)

_WIDTH, _HEIGHT, _STEP = 560, 150, 13
_MOST = 600
_FARTHEST = 6.0
"""Normal deviates beyond which analyses are drawn at the edge."""


def specification_chart(result: Multiverse, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw every analysis at its evidence for or against the claim, and below it the options that it chose.

    References
    ----------
    .. [1] Simonsohn, Simmons and Nelson (2020), Specification curve analysis, Nat. Hum. Behav. 4.
    """
    order, evidence = _in_order(result)
    curve = _curve(result, order, evidence, theme)
    below, labels = _choices(result, order, theme)
    drawn = altair().vconcat(curve, below, spacing=6).resolve_scale(x="independent", color="independent")
    words = [
        *sentences(result),
        "Each column is one analysis. Dashed: significant after correction; below, the options that were chosen.",
    ]
    if len(order) < len(result):
        words.append(f"{len(order):,} of {len(result):,} analyses are shown, evenly spaced.")
    width = _WIDTH + widest(labels) + 40
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
    return alt.layer(zero, dashed, dots).properties(width=_WIDTH, height=_HEIGHT)


def _dot_size(n: int) -> float:
    return float(min(60.0, max(10.0, (1.2 * _WIDTH / n) ** 2)))


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
        orient="vertical", height=_STEP - 4, thickness=max(0.8, min(6.0, 0.7 * _WIDTH / n)), opacity=1
    )
    ticks = ticks.encode(x=_x(n), y=y, color=_outcome_colors(theme, has_legend=False))
    text = alt.Chart(rows(heads)).mark_text(align="right", fontSize=11)
    text = text.encode(x=alt.value(-8), y=y, text="name:N", color=alt.Color("color:N", scale=None))
    height = math.ceil(_STEP * max(at, 1.0))
    return alt.layer(ticks, text).resolve_scale(color="independent").properties(
        width=_WIDTH, height=height
    ), labels
