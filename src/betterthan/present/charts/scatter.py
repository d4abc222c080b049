"""The graphical criterion: two systems, segment by segment, with mean, median and wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.charts.drawing import Drawing, altair, counted, headed, names, number_axis, rows
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import (
    BINS,
    PairedScores,
    cells,
    distribution,
    dots,
    paired_scores,
    plane_limits,
)
from betterthan.present.text_width import text_width, wrapped
from betterthan.tables.scores import Scores

_SIDE, _MARGIN, _CORNER = 300, 54, 11


def scatter_chart(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    theme: Theme,
    *,
    systems: Sequence[str] | None = None,
    title: str | None = None,
) -> Drawing:
    """Draw the scores of two systems against each other, with their marginal distributions.

    The first system is on the vertical axis. Lines of means (solid) and medians (dashed) are prolonged into the plane;
    the half in which more segments lie is shaded. Several tables, such as three pairings of the same scores, stand side
    by side on the same axes; those of a mapping have their names above them.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; figure 2.
       Its caption and text give the axes in opposite ways; here axes and corners are labeled.
    """
    named: Mapping[str, Scores] = scores if isinstance(scores, Mapping) else {}
    if isinstance(scores, Mapping):
        tables = list(scores.values())
    else:
        tables = [scores] if isinstance(scores, Scores) else list(scores)
    pairs = [paired_scores(table, systems) for table in tables]
    limits = plane_limits(pairs)
    panels = [_panel(table, pair, limits, theme) for table, pair in zip(tables, pairs, strict=True)]
    words = [_verdict(table, pair) for table, pair in zip(tables, pairs, strict=True)]
    if named:
        panels = [_titled(*each) for each in zip(panels, named, words, strict=True)]
        words = []
    drawn = panels[0] if len(panels) == 1 else altair().hconcat(*panels, spacing=40)
    heading = " · ".join(dict.fromkeys(" against ".join(names([pair.a, pair.b])) for pair in pairs))
    legend = "Solid lines: means. Dashed lines: medians. Shaded: the half with more segments."
    return headed(
        drawn, theme, title=heading, words=[*words, legend], width=440 * len(panels), override=title
    )


def _titled(panel: Drawing, name: str, verdict: str) -> Drawing:
    """Put the name of a plane above it, and what is seen there."""
    lines = wrapped(verdict, _SIDE + _MARGIN)
    title = altair().TitleParams(" ".join(names([name])), subtitle=lines, fontSize=13, offset=6)
    return panel.properties(title=title)


class _Plane(NamedTuple):
    """The plane of two systems: its axes, their limits, and its colors."""

    x: Drawing
    y: Drawing
    low: float
    high: float
    theme: Theme


def _panel(table: Scores, pair: PairedScores, limits: tuple[float, float], theme: Theme) -> Drawing:
    alt = altair()
    called = names([pair.a, pair.b], most=28)
    unit = " ".join(names([table.name], most=20))
    axis, upright = number_axis(limits, _SIDE), number_axis(limits, _SIDE, across=False)
    scale = axis["scale"]
    x = alt.X("x:Q", title=f"{called[1]} ({unit})", **axis)
    y = alt.Y("y:Q", title=f"{called[0]} ({unit})", **upright)
    plane = _Plane(x, y, *limits, theme)
    layers = [
        _half(pair, plane),
        _density(pair, plane),
        _diagonal(plane),
        *_lines({"x": pair.second}, x, theme),
        *_lines({"y": pair.first}, y, theme),
        *_corners(_corner_names(table, pair), pair, plane),
    ]
    middle = alt.layer(*layers).properties(width=_SIDE, height=_SIDE)
    flat_x, flat_y = alt.X("x:Q", scale=scale, axis=None), alt.Y("y:Q", scale=scale, axis=None)
    above = _marginal({"x": pair.second}, limits, flat_x, theme).properties(width=_SIDE, height=_MARGIN)
    beside = _marginal({"y": pair.first}, limits, flat_y, theme).properties(width=_MARGIN, height=_SIDE)
    return alt.vconcat(above, alt.hconcat(middle, beside, spacing=6), spacing=6)


def _corner_names(table: Scores, pair: PairedScores) -> list[str]:
    called = names([pair.a, pair.b], most=22)
    return called if table.higher_is_better else called[::-1]


def _verdict(table: Scores, pair: PairedScores) -> str:
    better, tied, worse = pair.wins(higher_is_better=table.higher_is_better)
    direction = "" if table.higher_is_better else " Lower is better."
    first, second = names([pair.a, pair.b])
    wins = f"{first} is better on {counted(better, 'segment')}, {second} on {worse:,}; equal on {tied:,}."
    return f"{wins}{direction}{pair.gaps}"


def _half(pair: PairedScores, plane: _Plane) -> Drawing:
    """Shade the half-plane with more segments; neither where both have the same number."""
    ends = [plane.low, plane.high] if pair.heavier_half else []
    edge = [plane.high if pair.heavier_half > 0 else plane.low] * len(ends)
    shade = altair().Chart(rows({"x": ends, "y": ends, "edge": edge}))
    return shade.mark_area(color=plane.theme.accent, opacity=0.12).encode(x=plane.x, y=plane.y, y2="edge:Q")


def _density(pair: PairedScores, plane: _Plane) -> Drawing:
    """Draw a dot for each pair of scores, as large as it is frequent; when they are many, the density in cells."""
    alt = altair()
    points = dots(pair)
    if points is None:
        return _cells(pair, plane)
    most = int(points.segments.max())
    size = alt.Size(
        "segments:Q",
        scale=alt.Scale(domain=[1, max(most, 2)], range=[28, 28] if most == 1 else [8, 180]),
        legend=None if most == 1 else alt.Legend(title="segments", orient="right", tickMinStep=1),
    )
    circles = alt.Chart(rows(points._asdict())).mark_circle(color=plane.theme.accent, opacity=0.55)
    return circles.encode(x=plane.x, y=plane.y, size=size, tooltip=["x:Q", "y:Q", "segments:Q"])


def _cells(pair: PairedScores, plane: _Plane) -> Drawing:
    alt = altair()
    counts, across, up = cells(pair, (plane.low, plane.high))
    i, j = np.nonzero(counts)
    edges = {"x": across[i], "right": across[i + 1], "y": up[j], "top": up[j + 1]}
    data = rows({**edges, "segments": counts[i, j].astype(np.int64)})
    color = alt.Color(
        "segments:Q",
        scale=alt.Scale(range=[plane.theme.middle, plane.theme.accent], type="sqrt", zero=True),
        legend=alt.Legend(title="segments", gradientLength=90),
    )
    squares = alt.Chart(data).mark_rect(aria=False)
    return squares.encode(x=plane.x, x2="right:Q", y=plane.y, y2="top:Q", color=color, tooltip=["segments:Q"])


def _diagonal(plane: _Plane) -> Drawing:
    ends = [plane.low, plane.high]
    line = altair().Chart(rows({"x": ends, "y": ends}))
    line = line.mark_line(color=plane.theme.dim, strokeDash=[2, 4], strokeWidth=1.2)
    return line.encode(x=plane.x, y=plane.y)


def _lines(values: dict[str, FloatArray], place: Drawing, theme: Theme) -> list[Drawing]:
    """Draw the mean, solid, and the median, dashed, across the whole plane."""
    ((axis, scores),) = values.items()
    drawn = []
    for value, dash in ((scores.mean(), [1, 0]), (np.median(scores), [6, 4])):
        rule = altair().Chart(rows({axis: [float(value)]}))
        rule = rule.mark_rule(color=theme.bad, strokeWidth=1.6, strokeDash=dash)
        drawn.append(rule.encode(**{axis: place}))
    return drawn


def _clear_height(text: str, pair: PairedScores, plane: _Plane, *, is_above: bool) -> float:
    """Return how far from its corner, along the edge, words lie on the fewest segments; a share of the side."""
    length, height = (text_width(text, _CORNER, is_bold=True) + 14) / _SIDE, (_CORNER + 12) / _SIDE
    side = (plane.high - plane.low) or 1.0
    across, up = ((scores - plane.low) / side for scores in (pair.second, pair.first))
    # Below the diagonal all is as above it, seen from the other corner.
    inward, away = (across, 1 - up) if is_above else (1 - across, up)
    margin = 1 / BINS
    places = [step / 50 for step in range(51) if length + step / 50 + height < 1] or [0.0]
    hidden = [
        int(((inward < length + margin) & (away > at - margin) & (away < at + height + margin)).sum())
        for at in places
    ]
    return places[int(np.argmin(hidden))]


def _corners(better: list[str], pair: PairedScores, plane: _Plane) -> list[Drawing]:
    """Write which system is better above and below the diagonal, whatever the direction of the metric.

    The words stand in the corner, or farther along the edge where they hide fewer segments.
    """
    drawn = []
    for x, corner, name, align, baseline, shift in (
        (plane.low, plane.high, better[0], "left", "top", (7, 8)),
        (plane.high, plane.low, better[1], "right", "bottom", (-7, -8)),
    ):
        words = f"{name} better"
        is_above = corner == plane.high
        moved = (plane.high - plane.low) * _clear_height(words, pair, plane, is_above=is_above)
        y = corner - moved if is_above else corner + moved
        base = altair().Chart(rows({"x": [x], "y": [y], "words": [words]}))
        placed = {"align": align, "baseline": baseline, "dx": shift[0], "dy": shift[1]}
        # A halo of the background keeps the words readable where dots or lines lie below them.
        halo = base.mark_text(
            **placed, fontSize=_CORNER, fontWeight=600, stroke=plane.theme.paper, strokeWidth=4, aria=False
        )
        text = base.mark_text(**placed, fontSize=_CORNER, fontWeight=600, color=plane.theme.ink)
        drawn += [each.encode(x=plane.x, y=plane.y, text="words:N") for each in (halo, text)]
    return drawn


def _marginal(
    values: dict[str, FloatArray], limits: tuple[float, float], place: Drawing, theme: Theme
) -> Drawing:
    """Draw the distribution of one system's scores along its axis, with mean and median."""
    alt = altair()
    ((axis, scores),) = values.items()
    counts, edges = distribution(scores, limits)
    data = rows({axis: edges[:-1], "end": edges[1:], "segments": counts, "none": [0] * BINS})
    bars = alt.Chart(data).mark_bar(color=theme.dim, opacity=0.55, aria=False)
    length = {"scale": alt.Scale(domain=[0, int(counts.max())]), "axis": None}
    if axis == "x":
        bars = bars.encode(x=place, x2="end:Q", y=alt.Y("segments:Q", **length), y2="none:Q")
    else:
        bars = bars.encode(y=place, y2="end:Q", x=alt.X("segments:Q", **length), x2="none:Q")
    return alt.layer(bars, *_lines(values, place, theme))
