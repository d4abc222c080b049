"""Boards of battles drawn: a panel for each category, and how many battles decide the first place."""

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
    with_short_names,
)
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import percent
from betterthan.present.tables.battles import fragility_sentences, outcome
from betterthan.results.battles import Boards, ChangedVotes, Fragility

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


_FRAGILITY_WIDTH, _STEP, _GAP = 360, 24, 1.5  # so that every height is whole
_MOST_KINDS = 20


def fragility_chart(result: Fragility, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the fewest battles whose removal or reversal puts another system first, among those of the same kind."""
    alt = altair()
    changed = [name for row in result.changed for name in (row.winner, row.loser)]
    result = with_short_names(result, [result.first, result.second, *changed])
    shown = [row for change in ("removal", "reversal") for row in _of(result, change)[:_MOST_KINDS]]
    called = _outcomes(shown)
    place, headings, height = _places(shown)
    most = max([row.votes_of_kind for row in shown], default=1)
    axis = number_axis((0.0, 1.02 * most), _FRAGILITY_WIDTH, whole=True)
    down = alt.Scale(domain=[height, 0], nice=False, zero=False, padding=0)
    y = alt.Y("y:Q", axis=None, scale=down)
    columns = {
        "outcome": called,
        "change": [row.change for row in shown],
        "votes": [row.votes for row in shown],
        "of": [row.votes_of_kind for row in shown],
        "y": place,
        "end": [start + 0.76 for start in place],
        "middle": [start + 0.38 for start in place],
        "none": [0.0] * len(shown),
        "text": [f"{row.votes:,} of {row.votes_of_kind:,}" for row in shown],
    }
    base = alt.Chart(rows(columns))
    tooltip = ["change:N", "outcome:N", "votes:Q", "of:Q"]
    x = {"title": "battles of the same two systems with the same outcome", **axis}
    whole = base.mark_rect(color=theme.line).encode(x=alt.X("none:Q", **x), x2="of:Q", y=y, y2="end:Q")
    part = base.mark_rect().encode(
        x=alt.X("none:Q", **x), x2="votes:Q", y=y, y2="end:Q", tooltip=tooltip,
        color=alt.Color(
            "change:N",
            scale=alt.Scale(domain=["removal", "reversal"], range=[theme.accent, theme.bad]),
            legend=None,
        ),
    )  # fmt: skip
    middle = alt.Y("middle:Q", axis=None, scale=down)
    label = base.mark_text(align="right", fontSize=12).encode(
        x=alt.value(-10), y=middle, text="outcome:N", color=alt.value(theme.ink)
    )
    number = base.mark_text(align="left", fontSize=12, dx=6).encode(
        x=alt.X("of:Q", **x), y=middle, text="text:N", color=alt.value(theme.dim)
    )
    drawn = alt.layer(whole, part, label, number, _group_headings(headings, y, theme))
    return headed(
        drawn.properties(width=_FRAGILITY_WIDTH, height=_STEP * height),
        theme,
        title=f"How firmly is {' '.join(names([result.first]))} first?",
        words=[*fragility_sentences(result), *_left_out(result, len(shown))],
        width=widest(called) + _FRAGILITY_WIDTH + 70,
        override=title,
    )


def _of(result: Fragility, change: str) -> list[ChangedVotes]:
    return [row for row in result.changed if row.change == change]


def _outcomes(shown: list[ChangedVotes]) -> list[str]:
    """Return what happened in the battles of each row, with names that fit."""
    distinct = list(dict.fromkeys(name for row in shown for name in (row.winner, row.loser)))
    called = dict(zip(distinct, names(distinct, most=26), strict=True))
    return [outcome(row, called[row.winner], called[row.loser]) for row in shown]


def _places(shown: list[ChangedVotes]) -> tuple[list[float], dict[str, list[object]], float]:
    """Return the upper edge of each bar, the headings of the two groups, and the height of all, in rows."""
    place: list[float] = []
    headings: dict[str, list[object]] = {"y": [], "text": []}
    at = 0.0
    for change, words in (("removal", "Remove"), ("reversal", "Reverse")):
        group = [row for row in shown if row.change == change]
        if not group:
            continue
        headings["y"].append(at + 0.45)
        headings["text"].append(f"{words} {sum(row.votes for row in group):,}")
        place += [at + 1 + i for i in range(len(group))]
        at += len(group) + _GAP
    return place, headings, max(at, 1.0)


def _group_headings(headings: dict[str, list[object]], y: Drawing, theme: Theme) -> Drawing:
    """Draw the headings of the two groups, each above its bars."""
    alt = altair()
    above = alt.Chart(rows(headings)).mark_text(align="left", fontWeight=600, fontSize=12)
    return above.encode(x=alt.value(0), y=y, text="text:N", color=alt.value(theme.ink))


def _left_out(result: Fragility, shown: int) -> list[str]:
    if shown == len(result.changed):
        return []
    return [f"The {shown} largest of {len(result.changed)} kinds of battles are shown."]
