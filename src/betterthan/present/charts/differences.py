"""Charts of differences: of two systems, of pairs in soft pairwise accuracy, and pairs kept by a margin."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.charts.drawing import (
    Drawing,
    altair,
    counted,
    headed,
    humans_called,
    legend_columns,
    names,
    number_axis,
    rows,
    widest,
)
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import bar_width, histogram, limits_around, paired_scores
from betterthan.present.numbers import digits_for, number
from betterthan.results.human import KeptPairs
from betterthan.results.meta_evaluation import CASES, MetaEvaluation
from betterthan.tables.scores import Scores

_SIDE = 320
_MOST_PAIRS = 2000


def contributions_chart(
    result: MetaEvaluation, theme: Theme, *, metric: str | None = None, title: str | None = None
) -> Drawing:
    """Draw the confidence of humans and of a metric in each system pair; far from the diagonal costs most.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation of
       automatic metrics via soft pairwise accuracy, WMT, section 2.1.
    """
    alt = altair()
    chosen = result.metrics[0] if metric is None else metric
    pairs = result.contributions(chosen)
    shown = pairs[:_MOST_PAIRS]
    name = " ".join(names([chosen], most=20))
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
    human = humans_called(result.human)
    x = alt.X("human:Q", title=f"confidence of {human}, 1 − p", **number_axis((0, 1), _SIDE))
    y = alt.Y("metric:Q", title=f"confidence of {name}, 1 − p", **number_axis((0, 1), _SIDE, across=False))
    line = alt.Chart(rows({"human": [0, 1], "metric": [0, 1]})).mark_line(color=theme.dim, strokeDash=[2, 4])
    colors = [theme.good, theme.bad, theme.other, theme.ink, theme.dim]
    dots = alt.Chart(data).mark_point(filled=True, size=55, opacity=0.75)
    case = {"legend": alt.Legend(title=None)}
    dots = dots.encode(
        x=x,
        y=y,
        color=alt.Color("case:N", scale=alt.Scale(domain=list(CASES), range=colors), **case),
        shape=alt.Shape("case:N", scale=alt.Scale(domain=list(CASES), range=_SHAPES), **case),
        tooltip=["a:N", "b:N", "human:Q", "metric:Q", "adds:Q", "case:N"],
    )
    drawn = (line.encode(x=x, y=y) + dots).properties(width=_SIDE, height=_SIDE)
    mean = float(np.mean([pair.value for pair in pairs])) if pairs else float("nan")
    words = [
        (
            f"{counted(len(pairs), 'system pair')}, one mark each: confidence that the system preferred by humans "
            f"is better. Mean agreement: {mean:.3f}."
        )
    ]
    if len(pairs) > len(shown):
        words.append(f"The {len(shown):,} pairs that agree least are shown.")
    return headed(
        drawn,
        theme,
        title=f"Confidence per system pair: humans and {name}",
        words=words,
        width=_SIDE + 90 + widest(list(CASES), 11),
        override=title,
    )


_SHAPES = ["circle", "cross", "triangle-up", "diamond", "square"]


_MARGINS_WIDTH, _MARGINS_HEIGHT = 440, 260


def margins_chart(
    result: KeptPairs | Mapping[str, KeptPairs], theme: Theme, *, title: str | None = None
) -> Drawing:
    """Draw the share of output pairs that differ by at least each margin; one line for each of several results.

    References
    ----------
    .. [1] Stanchev, Wang and Ney (2020), Towards a better evaluation of metrics for machine translation, WMT, figure 1.
    """
    alt = altair()
    results = {"": result} if isinstance(result, KeptPairs) else dict(result)
    called = names(list(results), most=28) if len(results) > 1 else [""]
    unit = ", ".join(dict.fromkeys(names([each.metric for each in results.values()])[:1]))
    columns: dict[str, list[Any]] = {"line": [], "margin": [], "share": [], "kept": []}
    for name, each in zip(called, results.values(), strict=True):
        table = each.columns()
        columns["line"] += [name] * len(each.margin)
        for field in ("margin", "share", "kept"):
            columns[field] += list(table[field])
    limits = limits_around(columns["margin"], share=0.02) or (0.0, 1.0)
    color = alt.value(theme.accent)
    if len(results) > 1:
        color = alt.Color(
            "line:N",
            scale=alt.Scale(domain=called, range=theme.series),
            legend=alt.Legend(title=None),
        )
    base = alt.Chart(rows(columns)).encode(
        x=alt.X("margin:Q", title=f"margin ({unit} points)", **number_axis(limits, _MARGINS_WIDTH)),
        y=alt.Y(
            "share:Q", title="pairs kept", **number_axis((0, 1), _MARGINS_HEIGHT, across=False, percent=True)
        ),
        color=color,
        tooltip=["line:N", "margin:Q", "share:Q", "kept:Q"],
    )
    drawn = base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=45, opacity=1)
    total = " + ".join(f"{each.n_pairs:,}" for each in results.values()) if len(results) <= 4 else "all"
    words = [f"{total} pairs of outputs for the same segment; smaller differences count as ties."]
    drawn = drawn.properties(width=_MARGINS_WIDTH, height=_MARGINS_HEIGHT)
    return headed(
        drawn, theme, title="Pairs kept by a margin", words=words, width=_MARGINS_WIDTH + 60, override=title
    )


_WIDTH, _HEIGHT = 480, 240


def differences_chart(
    scores: Scores, theme: Theme, *, systems: Sequence[str] | None = None, title: str | None = None
) -> Drawing:
    """Draw how often which difference between two systems occurs; to the right the first system is better.

    Bars end at 0, so that none mixes wins with losses; ties are a bar of their own.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; section 7.
    """
    alt = altair()
    pair = paired_scores(scores, systems)
    difference = pair.differences(higher_is_better=scores.higher_is_better)
    first, second = names([pair.a, pair.b])
    better, tied, worse = pair.wins(higher_is_better=scores.higher_is_better)
    called = {"win": f"{first} better", "loss": f"{second} better"} | ({"tie": "equal"} if tied else {})
    layers = [
        _bars(difference, called, _axis(difference, scores.name, first), theme),
        _ties(tied, called, theme),
        _middle(float(difference.mean()), [1, 0], theme),
        _middle(float(np.median(difference)), [6, 4], theme),
    ]
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)
    digits = digits_for([2 * float(difference.std()) / math.sqrt(difference.size)])
    words = [
        f"{first} is better on {counted(better, 'segment')}, {second} on {worse:,}; equal on {tied:,}.",
        f"Solid line: mean difference, {number(float(difference.mean()), digits)}. "
        f"Dashed line: median difference, {number(float(np.median(difference)), digits)}." + pair.gaps,
    ]
    heading = f"{first} against {second}: paired differences"
    return headed(drawn, theme, title=heading, words=words, width=_WIDTH + 60, override=title)


def _axis(difference: FloatArray, metric: str, first: str) -> Drawing:
    alt = altair()
    step = bar_width(difference)
    low, high = math.floor(difference.min() / step), math.ceil(difference.max() / step)
    domain = [min(low, -1) * step, max(high, 1) * step]
    title = f"difference in {' '.join(names([metric]))} (positive: {first} better)"
    return alt.X("low:Q", title=title, **number_axis((domain[0], domain[1]), _WIDTH))


def _bars(difference: FloatArray, called: dict[str, str], x: Drawing, theme: Theme) -> Drawing:
    alt = altair()
    bars = histogram(difference)
    outcome = [called["win" if high > 0 else "loss"] for high in bars.high]
    data = rows({**bars._asdict(), "none": [0] * len(outcome), "outcome": outcome})
    base = alt.Chart(data).mark_bar(stroke=theme.paper, strokeWidth=0.6)
    y = alt.Y("segments:Q", title="segments", axis=alt.Axis(tickMinStep=1, format="d"))
    color = _colors(called, theme)
    return base.encode(x=x, x2="high:Q", y=y, y2="none:Q", color=color, tooltip=_TOOLTIP)


_TOOLTIP = ["low:Q", "high:Q", "segments:Q", "outcome:N"]


def _colors(called: dict[str, str], theme: Theme) -> Drawing:
    alt = altair()
    scale = alt.Scale(domain=list(called.values()), range=[theme.good, theme.bad, theme.dim])
    return alt.Color(
        "outcome:N",
        scale=scale,
        legend=alt.Legend(
            title=None, orient="bottom", columns=legend_columns(list(called.values()), _WIDTH + 60)
        ),
    )


def _ties(tied: int, called: dict[str, str], theme: Theme) -> Drawing:
    alt = altair()
    several = [0] if tied else []
    data = rows(
        {
            "low": several,
            "segments": [tied] * len(several),
            "none": several,
            "outcome": [called.get("tie", "")] * len(several),
        }
    )
    bar = alt.Chart(data).mark_rule(strokeWidth=7)
    return bar.encode(
        x="low:Q",
        y="segments:Q",
        y2="none:Q",
        color=_colors(called, theme),
        tooltip=["segments:Q", "outcome:N"],
    )


def _middle(value: float, dash: list[int], theme: Theme) -> Drawing:
    rule = altair().Chart(rows({"low": [value]})).mark_rule(color=theme.ink, strokeWidth=1.3, strokeDash=dash)
    return rule.encode(x="low:Q")
