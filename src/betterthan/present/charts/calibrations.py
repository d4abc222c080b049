"""A chart of a calibration: false positives of tests and coverage of intervals, beside their nominal values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from betterthan.arrays import FloatArray
from betterthan.present.charts.drawing import Drawing, altair, headed, number_axis, rows, widest
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import percent
from betterthan.present.tables.calibration import method_name, sentences
from betterthan.results.calibration import COVERS, NOT_ABOUT_MEANS, REJECTS, Calibration

_WIDTH, _STEP, _GAP = 250, 24, 24
_ERRORS = 2.0


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
        *sentences(result),
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
    y = alt.Y("method:N", sort=called, title=None, axis=alt.Axis(labelLimit=0, domain=False, ticks=False))
    offset = alt.YOffset("tables:N", sort=["swapped", "equal means", "with effect"])
    shape = alt.Shape(
        "tables:N",
        scale=alt.Scale(
            domain=["swapped", "equal means", "with effect"], range=["circle", "diamond", "triangle-up"]
        ),
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
