"""Tasks and metrics drawn: a critical-difference diagram, a heat map of tasks and systems, and the Pareto front."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.charts.drawing import (
    Drawing,
    altair,
    best_only,
    counted,
    headed,
    names,
    number_axis,
    rows,
    widest,
)
from betterthan.present.charts.panels import (
    MOST_PANELS,
    MOST_ROWS,
    DotPanel,
    cell_columns,
    middles,
    panels_chart,
    squares,
    width_of,
)
from betterthan.present.charts.theme import Theme, readable_on
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import number, percent
from betterthan.present.text_width import text_width
from betterthan.results.tasks import BOARD_METHODS, Board, Tradeoffs

_WIDTH, _STEP = 420, 18
_CELL_WIDTH, _CELL_HEIGHT, _HEADING = 46, 24, 12
_MOST_TASKS = 60


def critical_difference_chart(result: Board, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw every system at its strength, with bars that join systems without a significant difference.

    References
    ----------
    .. [1] Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.
    """
    alt = altair()
    shown = min(len(result.systems), MOST_ROWS)
    called = names(result.systems[:shown])
    strength, low, high = (values[:shown] for values in (result.strength, result.low, result.high))
    limits = limits_around(np.concatenate([low, high]), share=0.04) or (0.0, 1.0)
    place = np.arange(shown) + 0.5
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[shown, 0], nice=False, zero=False, padding=0))
    axis = number_axis(limits, _WIDTH)
    x = alt.X("x:Q", title=_axis_title(result), **axis)
    data = rows({"system": called, "x": strength, "low": low, "high": high, "y": place})
    base = alt.Chart(data).encode(y=y)
    reach = base.mark_rule(color=theme.dim, strokeWidth=1.4).encode(
        x=alt.X("low:Q", title=_axis_title(result), **axis), x2="high:Q"
    )
    dots = base.mark_circle(color=theme.accent, size=70, opacity=1).encode(
        x=x, tooltip=["system:N", "x:Q", "low:Q", "high:Q"]
    )
    label = base.mark_text(align="right", fontSize=12, color=theme.ink).encode(
        x=alt.value(-10), text="system:N"
    )
    layers = [reach, dots, label, *_group_bars(result, shown, y, theme)]
    words = [
        f"{counted(len(result.tasks), 'task')}. Lines: {percent(result.confidence)} CI for other tasks.",
        "A bar on the right joins systems that do not differ significantly.",
        *best_only(len(result.systems), shown),
    ]
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_STEP * shown + 8)
    width = widest(called) + _WIDTH + 60
    return headed(
        drawn, theme, title=f"Board by {BOARD_METHODS[result.by]}", words=words, width=width, override=title
    )


def _axis_title(result: Board) -> str:
    return f"{BOARD_METHODS[result.by]} over tasks, {'higher' if _is_up(result) else 'lower'} is better"


def _is_up(result: Board) -> bool:
    if result.by in ("mean", "iqm"):
        return any(result.task_higher_is_better)
    return result.higher_is_better


def _group_bars(result: Board, shown: int, y: Drawing, theme: Theme) -> list[Drawing]:
    """Return one vertical bar for each letter that several systems share."""
    alt = altair()
    spans: dict[str, list[int]] = {}
    for i, letters in enumerate(result.letters[:shown]):
        for letter in letters:
            spans.setdefault(letter, []).append(i)
    joined = [(min(at), max(at)) for at in spans.values() if len(at) > 1 and len(at) == max(at) - min(at) + 1]
    layers = []
    for number_of_bar, (first, last) in enumerate(sorted(joined)):
        bar = alt.Chart(rows({"y": [first + 0.2], "end": [last + 0.8]}))
        layers.append(
            bar.mark_rule(color=theme.ink, strokeWidth=3, strokeCap="round").encode(
                x=alt.value(_WIDTH + 10 + 8 * number_of_bar), y=y, y2="end:Q"
            )
        )
    return layers


def tasks_chart(result: Board, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the score of every system on every task; a color says how a system does among the others on that task."""
    alt = altair()
    shown = min(len(result.systems), MOST_ROWS)
    tasks = min(len(result.tasks), _MOST_TASKS)
    scores = result.scores[:shown, :tasks]
    standing = _standing(result)[:shown, :tasks]
    called, headings = names(result.systems[:shown], most=30), names(result.tasks[:tasks], most=24)
    data = _task_cells(scores, standing, called, headings, theme)
    colors = alt.Scale(domain=[0, 0.5, 1], range=[theme.bad, theme.middle, theme.good], interpolate="rgb")
    legend = alt.Legend(title="share of systems beaten", gradientLength=110, format=".0%", values=[0, 0.5, 1])
    color = alt.Color("standing:Q", scale=colors, legend=legend)
    x, y = middles(shown, columns=tasks)
    cells = squares(data, shown, color, ["system:N", "task:N", "score:Q", "standing:Q"], columns=tasks)
    layers = [cells]
    has_numbers = shown <= 40 and tasks <= 25
    if has_numbers:
        text = alt.Chart(data).mark_text(fontSize=10).encode(x=x, y=y, text="text:N")
        layers.append(text.encode(color=alt.Color("ink:N", scale=None)))
    left = alt.Chart(rows({"y": np.arange(shown) + 0.5, "name": called})).mark_text(
        align="right", fontSize=12
    )
    layers.append(left.encode(x=alt.value(-8), y=y, text="name:N", color=alt.value(theme.ink)))
    top = alt.Chart(rows({"x": np.arange(tasks) + 0.5, "name": headings}))
    top = top.mark_text(align="left", angle=305, fontSize=11, baseline="middle")
    layers.append(top.encode(x=x, y=alt.value(-8), text="name:N", color=alt.value(theme.ink)))
    cell = _CELL_WIDTH if tasks <= 25 else 16
    drawn = alt.layer(*layers).properties(
        width=cell * tasks, height=(_CELL_HEIGHT if shown <= 40 else 12) * shown
    )
    numbers = "Numbers: scores; colors" if has_numbers else "Colors"
    words = [
        f"Best system first, by {BOARD_METHODS[result.by]}. {numbers} compare systems on the same task.",
        *best_only(len(result.systems), shown),
        *(
            [f"The first {tasks} of {len(result.tasks)} tasks are shown."]
            if tasks < len(result.tasks)
            else []
        ),
    ]
    width = widest(called) + cell * tasks + 0.6 * widest(headings)
    return headed(drawn, theme, title="Scores on every task", words=words, width=width, override=title)


def _task_cells(
    scores: FloatArray, standing: FloatArray, called: list[str], headings: list[str], theme: Theme
) -> Drawing:
    row, column = (index.ravel() for index in np.indices(scores.shape))
    ends = {0.0: theme.bad, 0.5: theme.middle, 1.0: theme.good}
    ink = [
        readable_on(ends[min(ends, key=lambda end: abs(end - value))])
        for value in np.nan_to_num(standing, nan=0.5).ravel().tolist()
    ]
    return rows(
        {
            "system": [called[i] for i in row],
            "task": [headings[t] for t in column],
            "score": scores.ravel(),
            "standing": standing.ravel(),
            "text": _texts(scores).ravel(),
            "ink": ink,
            **cell_columns(row, column),
        }
    )


def _standing(result: Board) -> FloatArray:
    """Return the share of the other systems that each beats on each task, ties as half, shape (m, T); NaN is a gap."""
    sides = np.where(result.task_higher_is_better, 1.0, -1.0)
    goodness = result.scores * sides
    beaten = [((goodness < own).sum(axis=0) + (goodness <= own).sum(axis=0) - 1) / 2 for own in goodness]
    others = np.maximum(np.count_nonzero(~np.isnan(goodness), axis=0) - 1, 1)
    return np.where(np.isnan(goodness), np.nan, np.stack(beaten) / others)


def _texts(scores: FloatArray) -> np.ndarray:
    """Return scores with about three digits, with the same decimals within a task."""
    texts = np.empty(scores.shape, dtype=object)
    for t, column in enumerate(scores.T):
        largest = float(np.nanmax(np.abs(column), initial=0.0))
        decimals = 2 if largest < 1.5 else 1 if largest < 1000 else 0
        texts[:, t] = ["–" if np.isnan(value) else number(float(value), decimals) for value in column]
    return texts


_FRONT_WIDTH, _HEIGHT, _FONT = 460, 340, 11
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
        drawn, width = _plane(result, called, groups, directed, placed, theme), float(_FRONT_WIDTH + 60)
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
        across = (x - self.x[0]) / (self.x[1] - self.x[0]) * _FRONT_WIDTH
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
    x = {"title": directed[1], **number_axis(axes.x, _FRONT_WIDTH)}
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
        x=alt.X("across:Q", axis=None, scale=alt.Scale(domain=[0, _FRONT_WIDTH], **plain)),
        y=alt.Y("down:Q", axis=None, scale=alt.Scale(domain=[_HEIGHT, 0], **plain)),
        text="name:N",
    )
    halo = text.mark_text(fontSize=_FONT, align="left", stroke=theme.paper, strokeWidth=3, aria=False)
    ink = text.mark_text(fontSize=_FONT, align="left", color=theme.ink)
    plane = alt.layer(*layers)
    labels = alt.layer(halo, ink)
    both = alt.layer(plane, labels).resolve_scale(x="independent", y="independent")
    return both.properties(width=_FRONT_WIDTH, height=_HEIGHT)


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
            is_inside = box[0] >= -2 and box[2] <= _FRONT_WIDTH + 40 and box[1] >= 0 and box[3] <= _HEIGHT
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
