"""Charts of boards: a critical-difference diagram, and a heat map of tasks and systems."""

from __future__ import annotations

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
from betterthan.present.charts.matrix import MOST_ROWS, cell_columns, middles, squares
from betterthan.present.charts.theme import Theme, readable_on
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import number, percent
from betterthan.results.board import BOARD_METHODS, Board

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
    called, headings = names(result.systems[:shown]), names(result.tasks[:tasks], most=24)
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
