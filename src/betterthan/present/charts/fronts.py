"""Trade-offs: the Pareto front of two metrics as a plane, and several metrics side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.charts.drawing import Drawing, altair, best_only, headed, names, number_axis, rows
from betterthan.present.charts.panels import MOST_PANELS, MOST_ROWS, DotPanel, panels_chart, width_of
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import percent
from betterthan.present.text_width import text_width
from betterthan.results.tradeoffs import Tradeoffs

_WIDTH, _HEIGHT, _FONT = 460, 340, 11
_KINDS = ("on the front", "may be on the front", "not on the front")
_DISTANCES = (9, 16, 24, 34)


def tradeoffs_chart(result: Tradeoffs, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw systems by two metrics with intervals and the Pareto front; more metrics side by side.

    Systems are shown by whether they are on the front, may be on it, or are significantly worse than another by every
    metric.
    """
    shown = min(len(result.systems), MOST_ROWS)
    metrics = names(result.metrics, most=24)
    directed = [
        f"{metric} ({'higher' if up else 'lower'} is better)"
        for metric, up in zip(metrics, result.higher_is_better, strict=True)
    ]
    called = names(result.systems[:shown], most=22 if len(metrics) == 2 else 34)
    groups = _groups(result)[:shown]
    colors = dict(zip(_KINDS, (theme.accent, theme.gold, theme.rest), strict=True))
    words = [
        f"Lines: {percent(result.confidence)} CI of each score.",
        "Not on the front: significantly worse than another system by every metric.",
    ]
    if len(metrics) == 2:
        placed = _placed(result, called, shown)
        drawn, width = _plane(result, called, groups, directed, placed, theme), float(_WIDTH + 60)
        if len(placed) < shown:
            words.append(f"{shown - len(placed)} names are left out, because they would overlap.")
    else:
        panels = [
            DotPanel(directed[k], result.score[k], result.low[k], result.high[k]) for k in range(len(metrics))
        ]
        drawn = panels_chart(called, panels, theme, groups=groups, colors=colors)
        width = width_of(called, panels)
        if len(metrics) > MOST_PANELS:
            words.append(
                f"The first {MOST_PANELS} of {len(metrics)} metrics are shown; the front is that of all."
            )
    words += best_only(len(result.systems), shown)
    heading = "Trade-offs" if len(metrics) > 2 else f"Trade-off of {metrics[0]} and {metrics[1]}"
    return headed(drawn, theme, title=heading, words=words, width=width, override=title)


def _groups(result: Tradeoffs) -> list[str]:
    """Return for each system whether it is on the front."""
    flags = zip(result.on_front.tolist(), result.may_be_on_front.tolist(), strict=True)
    return [_KINDS[0 if is_on else 1 if may_be else 2] for is_on, may_be in flags]


class _Axes(NamedTuple):
    """Limits of the plane."""

    x: tuple[float, float]
    y: tuple[float, float]

    def pixels(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return where points lie, in pixels from the top left, shape (n, 2)."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0]) * _WIDTH
        down = (self.y[1] - y) / (self.y[1] - self.y[0]) * _HEIGHT
        return np.stack([across, down], axis=1)


def _axes(result: Tradeoffs, shown: int) -> _Axes:
    ends = [
        limits_around(
            np.concatenate([each[k, :shown] for each in (result.low, result.high, result.score)]), share=0.06
        )
        or (0.0, 1.0)
        for k in (1, 0)
    ]
    return _Axes(ends[0], ends[1])


def _plane(
    result: Tradeoffs,
    called: list[str],
    groups: list[str],
    directed: list[str],
    placed: dict[int, tuple[float, float]],
    theme: Theme,
) -> Drawing:
    """Return the first metric against the second, with intervals in both directions and the front as a line."""
    alt = altair()
    shown = len(called)
    axes = _axes(result, shown)
    x = {"title": directed[1], **number_axis(axes.x, _WIDTH)}
    y = {"title": directed[0], **number_axis(axes.y, _HEIGHT, across=False)}
    columns: dict[str, Drawing] = {"system": called, "kind": groups}
    for name, k in (("x", 1), ("y", 0)):
        columns[name] = result.score[k, :shown]
        columns[f"{name}_low"], columns[f"{name}_high"] = result.low[k, :shown], result.high[k, :shown]
    scale = alt.Scale(domain=list(_KINDS), range=[theme.accent, theme.gold, theme.rest])
    legend = alt.Legend(title=None, orient="top")
    color = alt.Color("kind:N", scale=scale, legend=legend)
    shape = alt.Shape(
        "kind:N", scale=alt.Scale(domain=list(_KINDS), range=["circle", "diamond", "square"]), legend=legend
    )
    base = alt.Chart(rows(columns)).encode(color=color)
    thin = 1.6 if shown <= 20 else 0.8
    lines = base.mark_rule(strokeWidth=thin, opacity=0.55)
    layers = [
        _front(result, shown, axes, theme, x, y),
        lines.encode(x=alt.X("x_low:Q", **x), x2="x_high:Q", y=alt.Y("y:Q", **y)),
        lines.encode(x=alt.X("x:Q", **x), y=alt.Y("y_low:Q", **y), y2="y_high:Q"),
        base.mark_point(filled=True, opacity=1, size=65 if shown <= 20 else 34).encode(
            x=alt.X("x:Q", **x),
            y=alt.Y("y:Q", **y),
            shape=shape,
            tooltip=["system:N", "x:Q", "y:Q", "kind:N"],
        ),
    ]
    texts = {
        "across": [at[0] for at in placed.values()],
        "down": [at[1] for at in placed.values()],
        "name": [called[i] for i in placed],
    }
    plain = {"nice": False, "zero": False}
    text = alt.Chart(rows(texts)).encode(
        x=alt.X("across:Q", axis=None, scale=alt.Scale(domain=[0, _WIDTH], **plain)),
        y=alt.Y("down:Q", axis=None, scale=alt.Scale(domain=[_HEIGHT, 0], **plain)),
        text="name:N",
    )
    halo = text.mark_text(fontSize=_FONT, align="left", stroke=theme.paper, strokeWidth=3, aria=False)
    ink = text.mark_text(fontSize=_FONT, align="left", color=theme.ink)
    plane = alt.layer(*layers)
    labels = alt.layer(halo, ink)
    both = alt.layer(plane, labels).resolve_scale(x="independent", y="independent")
    return both.properties(width=_WIDTH, height=_HEIGHT)


def _front(
    result: Tradeoffs, shown: int, axes: _Axes, theme: Theme, x: dict[str, Drawing], y: dict[str, Drawing]
) -> Drawing:
    """Return the edge of what the systems on the front reach, as steps."""
    alt = altair()
    on = np.flatnonzero(result.on_front[:shown])
    signs = np.where(result.higher_is_better, 1.0, -1.0)
    points = result.score[:2][:, on]
    order = np.argsort(-signs[1] * points[1], kind="stable")
    across, up = points[1][order], points[0][order]
    worst_x = axes.x[0] if signs[1] > 0 else axes.x[1]
    worst_y = axes.y[0] if signs[0] > 0 else axes.y[1]
    line_x, line_y = [float(across[0])], [float(worst_y)]
    for i in range(on.size):
        line_x += [float(across[i])] if i == 0 else [float(across[i]), float(across[i])]
        line_y += [float(up[i])] if i == 0 else [float(up[i - 1]), float(up[i])]
    line_x.append(float(worst_x))
    line_y.append(float(up[-1]))
    data = rows({"x": line_x, "y": line_y, "order": list(range(len(line_x)))})
    line = alt.Chart(data).mark_line(color=theme.accent, strokeWidth=1.4, strokeDash=[5, 3], opacity=0.8)
    return line.encode(x=alt.X("x:Q", **x), y=alt.Y("y:Q", **y), order="order:Q")


def _placed(result: Tradeoffs, called: list[str], shown: int) -> dict[int, tuple[float, float]]:
    """Return where names can stand, by the system: the left end and the middle of each, in pixels.

    Systems on the front come first, then those that may be on it. A name that finds no place is left out.
    """
    dots = _axes(result, shown).pixels(result.score[1, :shown], result.score[0, :shown])
    order = sorted(range(shown), key=lambda i: (not result.on_front[i], not result.may_be_on_front[i], i))
    boxes = [(x - 5, y - 5, x + 5, y + 5) for x, y in dots.tolist()]
    found: dict[int, tuple[float, float]] = {}
    for i in order:
        width, (x, y) = text_width(called[i], _FONT) + 2, dots[i].tolist()
        own = [box for j, box in enumerate(boxes) if j != i]
        for left, middle in _candidates(x, y, width):
            box = (left, middle - 6.5, left + width, middle + 6.5)
            is_inside = box[0] >= -2 and box[2] <= _WIDTH + 40 and box[1] >= 0 and box[3] <= _HEIGHT
            if is_inside and not any(_overlap(box, other) for other in own):
                found[i] = (left, middle)
                boxes.append(box)
                break
    return found


def _candidates(x: float, y: float, width: float) -> list[tuple[float, float]]:
    """Return places for a name beside a dot, the nearest first."""
    return [
        place
        for d in _DISTANCES
        for place in (
            (x + 0.8 * d, y - 0.8 * d),
            (x + 0.8 * d, y + 0.8 * d),
            (x - 0.8 * d - width, y - 0.8 * d),
            (x - 0.8 * d - width, y + 0.8 * d),
            (x - width / 2, y - d - 2),
            (x - width / 2, y + d + 2),
        )
    ]


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
