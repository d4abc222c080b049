"""Judges drawn: how severe each is and how far from the others, calibration of a judge, and corrected means."""

from __future__ import annotations

import numpy as np

from betterthan.errors import NotEstimable
from betterthan.present.charts.drawing import (
    Drawing,
    altair,
    best_only,
    counted,
    headed,
    humans_called,
    names,
    number_axis,
    rows,
    widest,
)
from betterthan.present.charts.panels import MOST_ROWS, DotPanel, panels_chart, width_of
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import number, percent
from betterthan.results.human import Judges
from betterthan.results.judges import Corrected, JudgeAudit

_RETAINED, _DROPPED = "kept", "excluded"


def judges_chart(result: Judges, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw bias, correlation with the others and variance ratio of each judge, the most unusual first."""
    # Excluded judges come first, so that a long list never hides them; then by how much a judge departs.
    departs = np.nan_to_num(result.variance_ratio, nan=-np.inf)
    order = np.lexsort((-departs, result.keep))
    panels = [
        DotPanel(f"bias ({' '.join(names([result.metric], most=24))} points)", result.bias[order], rule=0.0),
        DotPanel("correlation with the others", result.correlation[order]),
        DotPanel("variance ratio (1: median judge)", result.variance_ratio[order], rule=1.0),
    ]
    groups = [_RETAINED if stays else _DROPPED for stays in result.keep[order].tolist()]
    colors = {_RETAINED: theme.accent, _DROPPED: theme.bad}
    judges = [result.judges[i] for i in order.tolist()]
    drawn = panels_chart(judges, panels, theme, groups=groups, colors=colors)
    return headed(
        drawn,
        theme,
        title="Do the judges agree?",
        words=_words(result),
        width=width_of(judges, panels),
        override=title,
    )


def _words(result: Judges) -> list[str]:
    n, gone = len(result.judges), len(result.dropped)
    alone = int(np.isnan(result.bias).sum())
    lines = [
        (
            f"{counted(n, 'judge')}, each compared with the mean of the others on shared outputs. "
            f"Krippendorff's alpha: {number(result.agreement.alpha, 2)}."
        ),
        f"{gone:,} of {counted(n, 'judge')} {'is' if gone == 1 else 'are'} excluded."
        if gone
        else "None is excluded.",
    ]
    if alone:
        lines.append(
            f"{alone:,} of {counted(n, 'judge')} {'shares' if alone == 1 else 'share'} too few outputs with others."
        )
    if n > MOST_ROWS:
        lines.append(f"The {MOST_ROWS} most unusual of {n:,} judges are shown.")
    return lines


_WIDTH, _HEIGHT = 380, 300


def judge_calibration_chart(result: JudgeAudit, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the mean human label against the judge's score, with intervals; the diagonal where they share a scale."""
    if not result.bin_n.size:
        raise NotEstimable("Without human labels of scores there is no calibration to draw.")
    alt = altair()
    known = np.concatenate([result.bin_human, result.bin_low, result.bin_high])
    known = known[np.isfinite(known)]
    both = np.concatenate([known, result.bin_judge]) if result.same_scale else known
    across = limits_around(both if result.same_scale else result.bin_judge, share=0.06) or (0.0, 1.0)
    up = limits_around(both, share=0.06) or (0.0, 1.0)
    x = alt.X("judge:Q", title=f"judge ({result.judge})", **number_axis(across, _WIDTH))
    y = alt.Y("human:Q", title=humans_called(result.human), **number_axis(up, _HEIGHT, across=False))
    data = rows(
        {
            "judge": result.bin_judge,
            "human": result.bin_human,
            "low": result.bin_low,
            "high": result.bin_high,
            "n": result.bin_n,
        }
    )
    base = alt.Chart(data).encode(x=x)
    layers = []
    if result.same_scale:
        ends = [max(across[0], up[0]), min(across[1], up[1])]
        diagonal = alt.Chart(rows({"judge": ends, "human": ends}))
        layers.append(diagonal.mark_line(color=theme.dim, strokeDash=[3, 3]).encode(x=x, y=y))
    reach = base.mark_rule(color=theme.accent, strokeWidth=1.6)
    layers.append(reach.encode(y=alt.Y("low:Q", title=humans_called(result.human)), y2="high:Q"))
    dots = base.mark_circle(color=theme.accent, opacity=1, size=70)
    layers.append(dots.encode(y=y, tooltip=["judge:Q", "human:Q", "low:Q", "high:Q", "n:Q"]))
    words = [f"{int(result.bin_n.sum()):,} labels; lines: {percent(result.confidence)} CI of the mean label."]
    if result.same_scale:
        words.append("Dashed: judge and humans give the same scores.")
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)
    return headed(
        drawn,
        theme,
        title="Human labels where the judge's scores are alike",
        words=words,
        width=_WIDTH + 60,
        override=title,
    )


_CORRECTED_WIDTH, _STEP = 420, 30
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
    axis = number_axis(limits, _CORRECTED_WIDTH)
    direction = "higher" if result.higher_is_better else "lower"
    heading = f"mean {result.metric}, {direction} is better"
    colors = alt.Color(
        "kind:N",
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
    drawn = alt.layer(*layers).properties(width=_CORRECTED_WIDTH, height=_STEP * shown + 8)
    return headed(
        drawn,
        theme,
        title="A judge corrected by human labels",
        words=words,
        width=widest(called) + _CORRECTED_WIDTH + 20,
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
