"""Boards of battles by category: a panel for each, with the same systems in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan.present.charts.drawing import (
    Drawing,
    altair,
    best_only,
    headed,
    names,
    number_axis,
    rows,
    widest,
)
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import percent
from betterthan.results.arena import Boards

_WIDTH, _SPACING = 150, 18
_MOST_SYSTEMS, _MOST_CATEGORIES = 100, 24
_MOST_MARKS = 700
"""Systems times categories: above it the picture is too long to be read, and the smallest categories are left out."""
_KINDS = ("as elsewhere", "better than elsewhere *", "worse than elsewhere *")


def boards_chart(result: Boards, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the strengths of all systems in each category, with intervals, and those of all battles to compare with.

    Systems that do significantly better or worse in a category than on average over categories are marked.
    """
    alt = altair()
    shown = min(len(result.systems), _MOST_SYSTEMS)
    panels = min(len(result.categories), _MOST_CATEGORIES, max(4, _MOST_MARKS // shown))
    beside = panels if panels <= 5 else -(-panels // 2) if panels <= 12 else 6
    called = names(result.systems[:shown], most=30)
    ends = [each[:panels, :shown].ravel() for each in (result.low, result.high)]
    limits = limits_around(np.concatenate([*ends, result.overall[:shown]]), share=0.03) or (1400.0, 1600.0)
    headings = names(result.categories[:panels], most=21)
    drawn = [_panel(result, k, called, headings[k], limits, theme, beside) for k in range(panels)]
    step = 22 if shown <= 20 else 16 if shown <= 40 else 13
    sized = [panel.properties(width=_WIDTH, height=step * shown) for panel in drawn]
    across = alt.concat(*sized, columns=beside, spacing=_SPACING, bounds="flush")
    if panels > beside:  # every row of panels begins with the names, which stand outside of its first panel
        across = across.properties(spacing={"row": 78, "column": _SPACING})
    width = widest(called, _font(shown)) + 10 + beside * (_WIDTH + _SPACING)
    return headed(
        across,
        theme,
        title=f"Boards by {' '.join(names([result.by]))}",
        words=_words(result, shown, panels),
        width=width,
        override=title,
    )


def _words(result: Boards, shown: int, panels: int) -> list[str]:
    level = f"{1 - result.confidence:.3g}"
    smallest = len(result.categories) - panels
    return [
        f"Dots with {percent(result.confidence)} CI, and ticks for all battles. Best overall first.",
        f"* Significantly different from the average over categories (p ≤ {level}, Holm-adjusted).",
        *best_only(len(result.systems), shown),
        *([f"The {panels} largest of {len(result.categories)} categories are shown."] if smallest else []),
    ]


def _font(shown: int) -> int:
    return 12 if shown <= 20 else 10


def _panel(
    result: Boards,
    k: int,
    called: list[str],
    heading: str,
    limits: tuple[float, float],
    theme: Theme,
    beside: int,
) -> Drawing:
    """Return the dots and intervals of one category, and ticks for all battles."""
    alt = altair()
    shown = len(called)
    place = np.arange(shown) + 0.5
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[shown, 0], nice=False, zero=False, padding=0))
    axis = number_axis(limits, _WIDTH)
    x: dict[str, Any] = {"title": "Elo", **axis}
    colors = [theme.rest, theme.accent, theme.bad]
    legend = alt.Legend(title=None, orient="top", columns=beside) if k == 0 else None
    color = alt.Color("kind:N", scale=alt.Scale(domain=list(_KINDS), range=colors), legend=legend)
    shapes = alt.Scale(domain=list(_KINDS), range=["circle", "triangle-up", "triangle-down"])
    shape = alt.Shape("kind:N", scale=shapes, legend=legend)
    differs = result.adjusted[k, :shown] <= 1 - result.confidence
    kinds = [
        _KINDS[0] if not is_other else _KINDS[1 if more > 0 else 2]
        for is_other, more in zip(differs.tolist(), result.deviation[k, :shown].tolist(), strict=True)
    ]
    data = rows(
        {
            "system": called,
            "y": place,
            "x": result.strength[k, :shown],
            "low": result.low[k, :shown],
            "high": result.high[k, :shown],
            "votes": result.votes[k, :shown],
            "kind": kinds,
        }
    )
    overall = alt.Chart(rows({"y": place, "x": result.overall[:shown]}))
    base = alt.Chart(data).encode(y=y, color=color)
    size = 55 if shown <= 20 else 30
    layers = [
        overall.mark_tick(thickness=1.6, size=11, color=theme.ink, opacity=0.8).encode(
            x=alt.X("x:Q", **x), y=y
        ),
        base.mark_rule(strokeWidth=2, opacity=0.6).encode(x=alt.X("low:Q", **x), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=size).encode(
            x=alt.X("x:Q", **x), shape=shape, tooltip=["system:N", "x:Q", "low:Q", "high:Q", "votes:Q"]
        ),
    ]
    if k % beside == 0:
        text = base.mark_text(align="right", fontSize=_font(shown))
        layers.append(text.encode(x=alt.value(-8), text="system:N", color=alt.value(theme.ink)))
    battles = f"{result.battles[k]:,.0f} battles"
    return alt.layer(*layers).properties(
        title=alt.TitleParams(
            heading, subtitle=[battles], fontSize=12, subtitleFontSize=11, offset=4, frame="group"
        )
    )
