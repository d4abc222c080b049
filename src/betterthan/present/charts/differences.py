"""Paired differences of two systems: how large wins and losses are, not only how many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.present.charts.drawing import Drawing, altair, headed, names, rows
from betterthan.present.charts.paired import paired, wins
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import digits_for, number
from betterthan.tables.scores import Scores

_WIDTH, _HEIGHT = 480, 240
_MOST_BARS = 60


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
    pair = paired(scores, systems)
    difference = pair.first - pair.second if scores.higher_is_better else pair.second - pair.first
    first, second = names([pair.a, pair.b])
    better, tied, worse = wins(pair, higher_is_better=scores.higher_is_better)
    called = {"win": f"{first} better", "loss": f"{second} better", "tie": "equal"}
    layers = [
        _bars(difference, called, _axis(difference, scores.name, first), theme),
        _ties(tied, called, theme),
        _middle(float(difference.mean()), [1, 0], theme),
        _middle(float(np.median(difference)), [6, 4], theme),
    ]
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)
    digits = digits_for([2 * float(difference.std()) / math.sqrt(difference.size)])
    words = [
        f"{first} better on {better} segments, {second} on {worse}, equal on {tied}.",
        f"Solid line: mean difference, {number(float(difference.mean()), digits)}. "
        f"Dashed line: median difference, {number(float(np.median(difference)), digits)}." + pair.gaps,
    ]
    heading = f"{first} against {second}: paired differences"
    return headed(drawn, theme, title=heading, words=words, width=_WIDTH + 120, wanted=title)


def _axis(difference: FloatArray, metric: str, first: str) -> Drawing:
    alt = altair()
    step = bar_width(difference)
    low, high = math.floor(difference.min() / step), math.ceil(difference.max() / step)
    domain = [min(low, -1) * step, max(high, 1) * step]
    title = f"difference in {' '.join(names([metric]))} (positive: {first} better)"
    return alt.X("low:Q", title=title, scale=alt.Scale(domain=domain, nice=False), axis=alt.Axis(tickCount=9))


def bar_width(difference: FloatArray) -> float:
    """Return a round width of bars, of which at most sixty cover the differences.

    Examples
    --------
    >>> bar_width(np.array([-3.0, 5.0])), bar_width(np.zeros(3)), bar_width(np.array([0.0, 59.0]))
    (0.2, 1.0, 2.0)
    """
    span = float(max(difference.max(), 0) - min(difference.min(), 0))
    if span == 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / _MOST_BARS))
    return next(size * power for size in (1, 2, 5, 10, 20) if span / (size * power) <= _MOST_BARS - 2)


class Bars(NamedTuple):
    """Bars of a histogram: where they begin and end, and how many segments they count; ties left aside."""

    low: FloatArray
    high: FloatArray
    segments: IntArray


def histogram(difference: FloatArray) -> Bars:
    """Count differences in bars that end at 0, so that none mixes wins with losses.

    A difference of exactly one width belongs to the first bar on either side, so that swapping systems mirrors it.

    Examples
    --------
    >>> bars = histogram(np.array([-1.0, 0.0, 1.0, 59.5]))
    >>> bars.low.tolist(), bars.high.tolist(), bars.segments.tolist()
    ([-2.0, 0.0, 58.0], [0.0, 2.0, 60.0], [1, 1, 1])
    """
    step = bar_width(difference)
    known = difference[difference != 0]
    place, counts = np.unique(np.sign(known) * np.ceil(np.abs(known) / step - 1e-9), return_counts=True)
    low, high = np.where(place > 0, place - 1, place), np.where(place > 0, place, place + 1)
    return Bars(low * step, high * step, counts)


def _bars(difference: FloatArray, called: dict[str, str], x: Drawing, theme: Theme) -> Drawing:
    alt = altair()
    bars = histogram(difference)
    outcome = [called["win" if high > 0 else "loss"] for high in bars.high]
    data = rows({**bars._asdict(), "none": [0] * len(outcome), "outcome": outcome})
    base = alt.Chart(data).mark_bar(stroke=theme.paper, strokeWidth=0.6)
    y = alt.Y("segments:Q", title="segments", axis=alt.Axis(tickMinStep=1, format="d"))
    color = _colors(called, theme)
    return base.encode(x=x, x2="high:Q", y=y, y2="none:Q", color=color, tooltip=_TOLD)


_TOLD = ["low:Q", "high:Q", "segments:Q", "outcome:N"]


def _colors(called: dict[str, str], theme: Theme) -> Drawing:
    alt = altair()
    scale = alt.Scale(domain=list(called.values()), range=[theme.good, theme.bad, theme.dim])
    return alt.Color("outcome:N", scale=scale, legend=alt.Legend(title=None, orient="bottom", labelLimit=220))


def _ties(tied: int, called: dict[str, str], theme: Theme) -> Drawing:
    alt = altair()
    several = [0] if tied else []
    data = rows(
        {
            "low": several,
            "segments": [tied] * len(several),
            "none": several,
            "outcome": [called["tie"]] * len(several),
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
