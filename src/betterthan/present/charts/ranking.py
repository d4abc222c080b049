"""A ranking: strengths with their intervals, and the ranks that the data allow."""

from __future__ import annotations

import numpy as np

from betterthan.present.charts.drawing import Drawing, altair, best_only, headed, names, rows
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import percent
from betterthan.present.ranking import method_name, tests_of
from betterthan.results.ranking import Ranking

MOST_SYSTEMS = 100
_WIDTH, _RANKS_WIDTH = 360, 150


def ranking_chart(result: Ranking, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw each system's strength with its interval, and beside it the ranks that the data allow.

    Systems that may be best are in colour; a line separates significance clusters.
    """
    alt = altair()
    shown = min(len(result.systems), MOST_SYSTEMS)
    data = _data(result, shown)
    step = 26 if shown <= 20 else 20 if shown <= 40 else 15
    y = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[shown, 0], nice=False, zero=False, padding=0))
    color = alt.Color(
        "best:N",
        legend=None,
        scale=alt.Scale(domain=["may be best", "not best"], range=[theme.accent, theme.dim]),
    )
    base = alt.Chart(data).encode(y=y, color=color)
    rules = _cluster_rules(result, shown, y, theme)
    size = {"height": step * shown}
    name = method_name(result.settings.method)
    unit = "" if result.unit == name else f" ({result.unit})"
    strengths = _strengths(base, f"{name}{unit}", theme, small=step < 20)
    ranks = _ranks(base, shown, small=step < 20)
    both = alt.hconcat(
        alt.layer(rules, *strengths).properties(width=_WIDTH, **size),
        alt.layer(rules, *ranks).properties(width=_RANKS_WIDTH, **size),
        spacing=24,
    )
    heading = f"Ranking by {name}"
    return headed(both, theme, title=heading, words=_words(result, shown), width=620, wanted=title)


def _data(result: Ranking, shown: int) -> Drawing:
    return rows(
        {
            "system": names(result.systems[:shown]),
            "place": np.arange(shown) + 0.5,
            "strength": result.strength[:shown],
            "low": result.low[:shown],
            "high": result.high[:shown],
            "rank": result.rank[:shown],
            "rank_low": result.rank_low[:shown],
            "rank_high": result.rank_high[:shown],
            "best": ["may be best" if low == 1 else "not best" for low in result.rank_low[:shown].tolist()],
        }
    )


def _strengths(base: Drawing, axis: str, theme: Theme, *, small: bool) -> list[Drawing]:
    alt = altair()
    x = alt.X("strength:Q", title=axis, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6))
    tooltip = [alt.Tooltip(f"{name}:{kind}") for name, kind in _TOLD]
    intervals = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55).encode(
        x=alt.X("low:Q", title=axis, scale=alt.Scale(zero=False)), x2="high:Q"
    )
    dots = base.mark_point(filled=True, opacity=1, size=40 if small else 75).encode(x=x, tooltip=tooltip)
    labels = base.mark_text(align="right", fontSize=10 if small else 12, color=theme.ink).encode(
        x=alt.value(-10), text="system:N", color=alt.value(theme.ink)
    )
    return [intervals, dots, labels]


_TOLD = (("system", "N"), ("strength", "Q"), ("low", "Q"), ("high", "Q"), ("rank", "Q"))


def _ranks(base: Drawing, shown: int, *, small: bool) -> list[Drawing]:
    alt = altair()
    scale = alt.Scale(domain=[0.5, max(shown, 2) + 0.5], nice=False, zero=False)
    axis = alt.Axis(format="d", values=_ticks(shown), grid=True)
    title = "rank and its spread"
    bars = base.mark_rule(strokeWidth=5 if small else 8, strokeCap="round", opacity=0.4).encode(
        x=alt.X("rank_low:Q", title=title, scale=scale, axis=axis), x2="rank_high:Q"
    )
    dots = base.mark_point(filled=True, opacity=1, size=28 if small else 50).encode(
        x=alt.X("rank:Q", scale=scale, title=title, axis=axis)
    )
    return [bars, dots]


def _ticks(shown: int) -> list[int]:
    """Return whole ranks to be marked on the axis, at most eight of them.

    Examples
    --------
    >>> _ticks(3), _ticks(12), _ticks(60)
    ([1, 2, 3], [1, 3, 5, 7, 9, 11], [1, 11, 21, 31, 41, 51])
    """
    step = next(step for step in (1, 2, 5, 10, 20, 50) if shown <= 8 * step)
    return list(range(1, shown + 1, step))


def _cluster_rules(result: Ranking, shown: int, y: Drawing, theme: Theme) -> Drawing:
    ends = [i + 1 for i in range(shown - 1) if result.cluster[i] != result.cluster[i + 1]]
    return altair().Chart(rows({"place": ends})).mark_rule(color=theme.dim, opacity=0.5).encode(y=y)


def _words(result: Ranking, shown: int) -> list[str]:
    level = f"{1 - result.confidence:.3g}"
    best = int((result.rank_low == 1).sum())
    colour = "In colour: the best system" if best == 1 else f"In colour: the {best} systems that may be best"
    told = f"{colour}, by {tests_of(result)} at level {level}. Lines separate significance clusters."
    gaps = int(np.isnan(result.low[:shown]).sum())
    undrawn = [f"{gaps} of {shown} systems have no interval."] if gaps else []
    return [
        f"Dots with {percent(result.confidence)} intervals. {told}",
        *undrawn,
        *best_only(len(result.systems), shown),
    ]
