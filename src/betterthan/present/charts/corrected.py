"""Corrected means with the labels alone and the judge alone."""

from __future__ import annotations

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
from betterthan.present.charts.matrix import MOST_ROWS
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import percent
from betterthan.results.corrected import Corrected

_WIDTH, _STEP = 420, 30
_PLACES = (0.34, 0.58, 0.78)
"""Places of the marks of a system within its step."""


def corrected_chart(result: Corrected, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw each system's corrected mean with its interval; below it that of the labels alone, and the judge's mean."""
    alt = altair()
    shown = min(len(result), MOST_ROWS)
    called = names(result.systems[:shown])
    ends = [result.low, result.high, result.human_low, result.human_high]
    limits = limits_around(np.concatenate([each[:shown] for each in ends]), share=0.04) or (0.0, 1.0)
    on_scale = bool(((result.judge >= limits[0]) & (result.judge <= limits[1])).all())
    kinds = ["corrected", "labels alone", *(["judge alone"] if on_scale else [])]
    data = rows(_marks(result, kinds, called))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[shown, 0], nice=False, zero=False, padding=0))
    axis = number_axis(limits, _WIDTH)
    direction = "higher" if result.higher_is_better else "lower"
    heading = f"mean {result.metric}, {direction} is better"
    colors = alt.Color(
        "kind:N",
        sort=None,
        scale=alt.Scale(domain=kinds, range=[theme.accent, theme.dim, theme.ink][: len(kinds)]),
        legend=alt.Legend(title=None, orient="bottom"),
    )
    base = alt.Chart(data).encode(y=y, color=colors)
    reach = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=heading, **axis), x2="high:Q")
    tooltip = ["system:N", "kind:N", "x:Q", "low:Q", "high:Q"]
    dots = base.mark_point(size=60, opacity=1, filled=True).encode(
        x=alt.X("x:Q", title=heading, **axis),
        tooltip=tooltip,
        shape=alt.Shape(
            "kind:N",
            sort=None,
            scale=alt.Scale(domain=kinds, range=["circle", "circle", "diamond"][: len(kinds)]),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
    )
    label = alt.Chart(rows({"system": called, "y": np.arange(shown) + 0.5})).mark_text(
        align="right", fontSize=12, color=theme.ink
    )
    layers = [reach, dots, label.encode(x=alt.value(-10), y=y, text="system:N")]
    words = [
        f"Lines: {percent(result.confidence)} CI.",
        *_scale_words(on_scale=on_scale),
        *best_only(len(result), shown),
    ]
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_STEP * shown + 8)
    return headed(
        drawn,
        theme,
        title="A judge corrected by human labels",
        words=words,
        width=widest(called) + _WIDTH + 20,
        override=title,
    )


def _marks(result: Corrected, kinds: list[str], called: list[str]) -> dict[str, object]:
    """Return one row for each mark, those of a system below each other."""
    shown = len(called)
    nowhere = np.full(shown, np.nan)
    parts = [
        (result.mean[:shown], result.low[:shown], result.high[:shown]),
        (result.human[:shown], result.human_low[:shown], result.human_high[:shown]),
        (result.judge[:shown], nowhere, nowhere),
    ][: len(kinds)]
    columns: dict[str, object] = {
        "system": called * len(kinds),
        "kind": [kind for kind in kinds for _ in range(shown)],
        "y": np.concatenate([np.arange(shown) + step for step in _PLACES[: len(kinds)]]),
    }
    ends = zip(("x", "low", "high"), zip(*parts, strict=True), strict=True)
    return {**columns, **{name: np.concatenate(each) for name, each in ends}}


def _scale_words(*, on_scale: bool) -> tuple[str, ...]:
    return () if on_scale else ("The judge alone is off this scale.",)
