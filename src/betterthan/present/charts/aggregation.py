"""Three ways of aggregating counts against each other: the grid of scatter plots, correlations and distributions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import TableError, some_of
from betterthan.present.charts.drawing import Drawing, altair, headed, names, rows
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import number
from betterthan.results.aggregated import Aggregated

WAYS = {"pooled": "pooled", "segment_mean": "mean of segments", "bootstrap_mean": "bootstrap mean"}
MOST_POINTS = 2000
_MOST_NUMBERED = 12
_SIDE, _BINS = 165, 16


def aggregation_chart(
    result: Aggregated | Sequence[Aggregated], theme: Theme, *, title: str | None = None
) -> Drawing:
    """Draw every way of aggregating against every other, a dot a system; on the diagonal the distribution of each.

    Pearson's correlation stands in the cell across the diagonal. Results of several test sets are drawn together.

    References
    ----------
    .. [1] Cavalin, Domingues and Pinhanez (2024), Sentence-level aggregation of lexical metrics correlate stronger with
       human judgements than corpus-level aggregation, figure 1.
    """
    alt = altair()
    found = [result] if isinstance(result, Aggregated) else list(result)
    metrics = list(dict.fromkeys(each.metric for each in found))
    if len(metrics) != 1:
        raise TableError(
            f"These results are of {len(metrics)} metrics ({some_of(metrics)}). Draw one metric at a time."
        )
    values = {way: np.concatenate([getattr(each, way) for each in found])[:MOST_POINTS] for way in WAYS}
    systems = [name for each in found for name in each.systems][:MOST_POINTS]
    cells = [_cell(values, down, across, systems, theme) for down in WAYS for across in WAYS]
    metric = " ".join(names(metrics))
    return headed(
        alt.concat(*cells, columns=len(WAYS), spacing=14),
        theme,
        title=f"{metric}: three ways of aggregating",
        words=_words(systems, sum(len(each.systems) for each in found)),
        width=3 * _SIDE + 90,
        wanted=title,
    )


def _cell(values: dict[str, FloatArray], down: str, across: str, systems: list[str], theme: Theme) -> Drawing:
    place = list(WAYS).index
    if down == across:
        drawn = _distribution(values[down], WAYS[down], theme)
    elif place(down) > place(across):
        drawn = _scatter(values, down, across, systems, theme)
    else:
        drawn = _correlation(values[down], values[across], theme)
    return drawn.properties(width=_SIDE, height=_SIDE)


def pearson(x: FloatArray, y: FloatArray) -> float:
    """Return the correlation of two ways over systems; NaN with fewer than three, or where one is constant."""
    known = ~np.isnan(x + y)
    x, y = x[known], y[known]
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def _correlation(x: FloatArray, y: FloatArray, theme: Theme) -> Drawing:
    alt = altair()
    value = number(pearson(x, y), 3)
    data = rows({"words": [f"r = {value}" if value != "–" else "r undefined"]})
    text = alt.Chart(data).mark_text(fontSize=17, fontWeight=600)
    return text.encode(
        x=alt.value(_SIDE / 2), y=alt.value(_SIDE / 2), text="words:N", color=alt.value(theme.ink)
    )


def _scale(values: FloatArray) -> Drawing:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = 0.08 * (high - low) or 0.5
    return altair().Scale(domain=[low - room, high + room], nice=False, zero=False)


def _scatter(
    values: dict[str, FloatArray], down: str, across: str, systems: list[str], theme: Theme
) -> Drawing:
    alt = altair()
    data = rows(
        {
            "x": values[across],
            "y": values[down],
            "system": names(systems) if len(systems) <= _MOST_NUMBERED else [name[:60] for name in systems],
            "number": [str(i + 1) for i in range(len(systems))],
        }
    )
    axis = alt.Axis(tickCount=4)
    base = alt.Chart(data).encode(
        x=alt.X("x:Q", title=WAYS[across], scale=_scale(values[across]), axis=axis),
        y=alt.Y("y:Q", title=WAYS[down], scale=_scale(values[down]), axis=axis),
        tooltip=["system:N", "x:Q", "y:Q"],
    )
    dots = base.mark_circle(color=theme.accent, opacity=0.6, size=45 if len(systems) <= 60 else 20)
    if len(systems) > _MOST_NUMBERED:
        return alt.layer(dots)
    return dots + base.mark_text(dx=8, dy=-7, fontSize=10, color=theme.dim).encode(text="number:N")


def _distribution(values: FloatArray, name: str, theme: Theme) -> Drawing:
    alt = altair()
    scale = _scale(values)
    x = {"title": name, "scale": scale, "axis": alt.Axis(tickCount=4)}
    known = values[~np.isnan(values)]
    if known.size <= _MOST_NUMBERED:  # a histogram of so few says nothing
        ticks = alt.Chart(rows({"x": known})).mark_tick(color=theme.accent, thickness=2, size=50)
        return alt.layer(ticks.encode(x=alt.X("x:Q", **x)))
    counts, edges = np.histogram(known, bins=_BINS)
    data = rows({"x": edges[:-1], "end": edges[1:], "systems": counts, "none": [0] * _BINS})
    bars = alt.Chart(data).mark_bar(color=theme.dim, opacity=0.6, stroke=theme.paper, strokeWidth=0.5)
    y = alt.Y("systems:Q", title="systems", axis=alt.Axis(tickCount=3, format="d"))
    return alt.layer(bars.encode(x=alt.X("x:Q", **x), x2="end:Q", y=y, y2="none:Q"))


def _words(systems: list[str], found: int) -> list[str]:
    left_out = [f"The first {len(systems)} of {found} systems are shown."] if found > len(systems) else []
    if len(systems) > _MOST_NUMBERED:
        return [f"{len(systems)} systems; r is Pearson's correlation.", *left_out]
    key = ", ".join(f"{i + 1}\u00a0{name}" for i, name in enumerate(names(systems, most=28)))
    return [f"r: Pearson's correlation over {len(systems)} systems. {key}."]
