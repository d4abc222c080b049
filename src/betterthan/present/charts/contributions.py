"""What each pair of systems adds to soft pairwise accuracy: how sure people and a metric are."""

from __future__ import annotations

import numpy as np

from betterthan.present.charts.drawing import Drawing, altair, headed, names, rows
from betterthan.present.charts.theme import Theme
from betterthan.results.meta_evaluation import CASES, MetaEvaluation

_SIDE = 320
_MOST_PAIRS = 2000


def contributions_chart(
    result: MetaEvaluation, theme: Theme, *, metric: str | None = None, title: str | None = None
) -> Drawing:
    """Draw how sure people are of each pair of systems, and how sure the metric is; far from the diagonal costs most.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation of
       automatic metrics via soft pairwise accuracy, WMT, section 2.1.
    """
    alt = altair()
    chosen = result.metrics[0] if metric is None else metric
    pairs = result.contributions(chosen)
    shown = pairs[:_MOST_PAIRS]
    name, people = (" ".join(names([each], most=28)) for each in (chosen, result.human))
    data = rows(
        {
            "human": [1 - pair.human_pvalue for pair in shown],
            "metric": [1 - pair.metric_pvalue for pair in shown],
            "case": [pair.case for pair in shown],
            "a": names([pair.a for pair in shown]),
            "b": names([pair.b for pair in shown]),
            "adds": [pair.value for pair in shown],
        }
    )
    scale, axis = alt.Scale(domain=[0, 1]), alt.Axis(format=".1f", tickCount=5)
    x = alt.X(
        "human:Q", scale=scale, axis=axis, title=f"people ({people}): sure that the first is better, 1 − p"
    )
    y = alt.Y("metric:Q", scale=scale, axis=axis, title=f"{name}: sure that the first is better, 1 − p")
    line = alt.Chart(rows({"human": [0, 1], "metric": [0, 1]})).mark_line(color=theme.dim, strokeDash=[2, 4])
    colours = [theme.good, theme.bad, theme.other, theme.ink, theme.dim]
    dots = alt.Chart(data).mark_point(filled=True, size=55, opacity=0.75)
    case = {"legend": alt.Legend(title=None, labelLimit=260)}
    dots = dots.encode(
        x=x,
        y=y,
        color=alt.Color("case:N", scale=alt.Scale(domain=list(CASES), range=colours), **case),
        shape=alt.Shape("case:N", scale=alt.Scale(domain=list(CASES), range=_SHAPES), **case),
        tooltip=["a:N", "b:N", "human:Q", "metric:Q", "adds:Q", "case:N"],
    )
    drawn = (line.encode(x=x, y=y) + dots).properties(width=_SIDE, height=_SIDE)
    mean = float(np.mean([pair.value for pair in pairs])) if pairs else float("nan")
    words = [
        f"A dot a pair of systems ({len(pairs)}), the one people prefer first. Mean agreement {mean:.3f}."
    ]
    if len(pairs) > len(shown):
        words.append(f"The {len(shown)} pairs that agree least are shown.")
    return headed(
        drawn, theme, title=f"How sure are people, and {name}?", words=words, width=560, wanted=title
    )


_SHAPES = ["circle", "cross", "triangle-up", "diamond", "square"]
