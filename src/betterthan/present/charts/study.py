"""Figures of a study: lines, bars, points or a matrix, panels side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from betterthan.errors import TableError
from betterthan.present.charts.drawing import (
    Drawing,
    altair,
    headed,
    legend_columns,
    names,
    number_axis,
    rows,
    widest,
)
from betterthan.present.charts.matrix import (
    SMALLEST_WITH_NUMBERS,
    cell_columns,
    cell_size,
    headings,
    middles,
    squares,
)
from betterthan.present.charts.metrics import short_pvalue
from betterthan.present.charts.theme import N_SERIES, Theme, blended, readable_on
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import number
from betterthan.results.study import Study, StudyChart

_WIDTH, _HEIGHT, _ACROSS = 210, 170, 4
_MOST_POINTS = 2000
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")


def study_chart(
    result: Study, theme: Theme, *, figure: str | None = None, title: str | None = None
) -> Drawing:
    """Draw one figure of a study, by default the first.

    Parameters
    ----------
    result : Study
    theme : Theme
    figure : str, optional
        Its name.
    title : str, optional
        Title instead of the default.
    """
    if not result.charts:
        raise TableError(f'The study "{result.name}" has no figures, so nothing can be drawn.')
    chosen = result.charts[0] if figure is None else result.chart(figure)
    drawn = _DRAW_BY_KIND[chosen.kind](chosen, theme)
    words = [f"{result.paper}."]
    if chosen.kind == "points" and chosen.size > _MOST_POINTS:
        words.append(f"{_MOST_POINTS:,} of {chosen.size:,} points are shown.")
    if chosen.kind == "matrix":
        words += _matrix_words(chosen)
    return headed(
        drawn, theme, title=chosen.title, words=words, width=_figure_width(chosen) + 60, override=title
    )


def _matrix_words(chart: StudyChart) -> list[str]:
    if "verdict" in chart.columns:
        return []
    return [f"Rows: {chart.y}. Columns: {chart.x}."]


def _panels(chart: StudyChart) -> list[str]:
    return [str(panel) for panel in dict.fromkeys(chart.columns["panel"])]


def _series(chart: StudyChart) -> list[str]:
    return names([str(name) for name in dict.fromkeys(chart.columns["series"])])


def _data(chart: StudyChart) -> dict[str, list[Any]]:
    """The columns as lists, series named as they can be shown, and no more points than can be drawn."""
    called = dict(zip(dict.fromkeys(chart.columns["series"]), _series(chart), strict=True))
    columns = {name: list(values)[:_MOST_POINTS] for name, values in chart.columns.items()}
    columns["series"] = [called[name] for name in columns["series"]]
    return columns


def _color(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    scale = alt.Scale(domain=_series(chart), range=theme.series)
    return alt.Color("series:N", scale=scale, legend=_legend(chart))


def _shape(chart: StudyChart) -> Drawing:
    """Return the shapes of series; they change where the colors begin again, so that both together are distinct."""
    alt = altair()
    series = _series(chart)
    shapes = [_SHAPES[i // N_SERIES % len(_SHAPES)] for i in range(len(series))]
    return alt.Shape("series:N", scale=alt.Scale(domain=series, range=shapes), legend=_legend(chart))


def _legend(chart: StudyChart) -> Drawing:
    """Return the legend above the figure, in as many columns as fit over it; none for a single series."""
    series = _series(chart)
    if len(series) < 2:
        return None
    return altair().Legend(title=None, orient="top", columns=legend_columns(series, _figure_width(chart)))


def _figure_width(chart: StudyChart) -> float:
    count = min(_ACROSS, len(_panels(chart)))
    return 2 * _WIDTH if count == 1 else count * (_WIDTH + 60)


def _panel_title(panel: str) -> Drawing:
    title = " ".join(names([panel], most=40))
    return altair().TitleParams(title, fontSize=12, fontWeight=600, anchor="start", frame="group", offset=8)


def _side_by_side(chart: StudyChart, draw: Callable[[dict[str, list[Any]], int, int], Drawing]) -> Drawing:
    """Draw every panel of a figure, with axes of its own and one legend for all."""
    alt = altair()
    data, panels = _data(chart), _panels(chart)
    alone = len(panels) < 2
    width, height = (2 * _WIDTH, _HEIGHT + 60) if alone else (_WIDTH, _HEIGHT)
    drawn = []
    for panel in panels:
        here = [i for i, name in enumerate(data["panel"]) if str(name) == panel]
        columns = {field: [column[i] for i in here] for field, column in data.items()}
        each = draw(columns, width, height).properties(width=width, height=height)
        drawn.append(each if alone else each.properties(title=_panel_title(panel)))
    if alone:
        return drawn[0]
    return alt.concat(*drawn, columns=_ACROSS, spacing=24).resolve_scale(color="shared")


def _limits(chart: StudyChart, *fields: str, share: float = 0.05) -> tuple[float, float]:
    """Return the limits of an axis that shows these columns in every panel."""
    known = [
        float(value)
        for field in fields
        for value in chart.columns.get(field, ())
        if isinstance(value, int | float)
    ]
    return limits_around(known, share=share) or (0.0, 1.0)


def _are_whole(values: list[Any]) -> bool:
    """Return whether all values are whole numbers, such as counts, so that an axis has no ticks between them."""
    return len(set(values)) > 1 and all(isinstance(value, int) for value in values)


def _lines(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    up = _limits(chart, "y", "low", "high")

    def draw(columns: dict[str, list[Any]], width: int, height: int) -> Drawing:
        across = limits_around(columns["x"], share=0.05) or (0.0, 1.0)
        y = {"title": chart.y, **number_axis(up, height, across=False)}
        base = alt.Chart(rows(columns)).encode(
            x=alt.X("x:Q", title=chart.x, **number_axis(across, width, whole=_are_whole(columns["x"]))),
            color=_color(chart, theme),
            tooltip=["panel:N", "series:N", "x:Q", "y:Q", "low:Q", "high:Q"],
        )
        bars = base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", **y), y2="high:Q")
        lines = base.mark_line(strokeWidth=2).encode(y=alt.Y("y:Q", **y))
        points = base.mark_point(filled=True, size=40, opacity=1).encode(
            y=alt.Y("y:Q", **y), shape=_shape(chart)
        )
        return alt.layer(bars, lines, points)

    return _side_by_side(chart, draw)


def _bars(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    low, high = _limits(chart, "y", "low", "high", share=0.04)
    # Bars are read from 0.
    limits = (min(low, 0.0) if low < -0.04 * high else 0.0, max(high, 0.0)) if high > 0 else (low, 0.0)

    def draw(columns: dict[str, list[Any]], width: int, height: int) -> Drawing:
        values = [str(value) for value in columns["x"]]
        called = dict(zip(dict.fromkeys(values), names(list(dict.fromkeys(values)), most=22), strict=True))
        columns["x"] = [called[value] for value in values]
        # Labels are level where they fit side by side.
        slanted = widest(list(called.values()), 11) + 10 > width / len(called)
        axis = alt.Axis(labelAngle=-35 if slanted else 0, labelOverlap=False)
        y = {"title": chart.y, **number_axis(limits, height, across=False)}
        base = alt.Chart(rows(columns)).encode(
            x=alt.X("x:N", title=chart.x, sort=None, axis=axis),
            xOffset=alt.XOffset("series:N", sort=_series(chart)),
            tooltip=["panel:N", "series:N", "x:N", "y:Q", "low:Q", "high:Q"],
        )
        filled = base.mark_bar().encode(y=alt.Y("y:Q", **y), color=_color(chart, theme))
        interval = base.mark_rule(color=theme.ink).encode(y=alt.Y("low:Q", **y), y2="high:Q")
        return alt.layer(filled, interval)

    drawn = _side_by_side(chart, draw)
    return drawn.resolve_scale(xOffset="independent") if len(_panels(chart)) > 1 else drawn


def _points(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    up = _limits(chart, "y")

    def draw(columns: dict[str, list[Any]], width: int, height: int) -> Drawing:
        across = limits_around(columns["x"], share=0.05) or (0.0, 1.0)
        base = alt.Chart(rows(columns)).mark_point(filled=True, size=30, opacity=0.65)
        dots = base.encode(
            x=alt.X("x:Q", title=chart.x, **number_axis(across, width, whole=_are_whole(columns["x"]))),
            y=alt.Y("y:Q", title=chart.y, **number_axis(up, height, across=False)),
            color=_color(chart, theme),
            shape=_shape(chart),
            tooltip=["panel:N", "series:N", "x:Q", "y:Q"],
        )
        return alt.layer(dots)

    return _side_by_side(chart, draw)


def _matrix(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    data, panels = _data(chart), _panels(chart)
    drawn = []
    for panel in panels:
        here = [i for i, name in enumerate(data["panel"]) if str(name) == panel]
        each = _matrix_panel({field: [column[i] for i in here] for field, column in data.items()}, theme)
        drawn.append(each if len(panels) < 2 else each.properties(title=_panel_title(panel)))
    return drawn[0] if len(drawn) == 1 else alt.concat(*drawn, columns=2, spacing=30)


def _matrix_panel(data: dict[str, list[Any]], theme: Theme) -> Drawing:
    """Draw cells with their numbers; columns that are called as the rows are have only the numbers of the rows."""
    alt = altair()
    across, down = ([str(value) for value in data[field]] for field in ("x", "series"))
    is_square = bool(set(across) & set(down))
    row_names = list(dict.fromkeys([*down, *across] if is_square else down))
    column_names = row_names if is_square else list(dict.fromkeys(across))
    m, k = len(row_names), len(column_names)
    row, column = (
        np.array([order.index(name) for name in named])
        for order, named in ((row_names, down), (column_names, across))
    )
    fills = [_fill(data, i, theme) for i in range(len(down))]
    cells = rows(
        {
            **cell_columns(row, column),
            "row": down,
            "column": across,
            "value": data["y"],
            "text": [short_pvalue(value) if "verdict" in data else number(value, 2) for value in data["y"]],
            "verdict": data.get("verdict", [""] * len(down)),
            "fill": fills,
            "ink": [readable_on(fill) for fill in fills],
        }
    )
    size = cell_size(max(m, k))
    x, y = middles(m, columns=k)
    color = _verdict_color(theme) if "verdict" in data else alt.Color("fill:N", scale=None)
    layers = [squares(cells, m, color, ["row:N", "column:N", "value:Q"], columns=k)]
    if size >= SMALLEST_WITH_NUMBERS:
        text = alt.Chart(cells).mark_text(fontSize=10)
        layers.append(text.encode(x=x, y=y, text="text:N", color=alt.Color("ink:N", scale=None)))
    if is_square:
        layers += headings(m, names(row_names), theme)
    else:
        layers += _named_headings(names(row_names), names(column_names, most=24), x, y, theme)
    return alt.layer(*layers).properties(width=size * k, height=size * m)


def _named_headings(
    row_names: list[str], column_names: list[str], x: Drawing, y: Drawing, theme: Theme
) -> list[Drawing]:
    """Return names left of the rows and, slanted, above the columns."""
    alt = altair()
    ink = alt.value(theme.ink)
    left = alt.Chart(rows({"y": np.arange(len(row_names)) + 0.5, "name": row_names}))
    left = left.mark_text(align="right", fontSize=12).encode(x=alt.value(-8), y=y, text="name:N", color=ink)
    top = alt.Chart(rows({"x": np.arange(len(column_names)) + 0.5, "name": column_names}))
    top = top.mark_text(align="left", baseline="middle", angle=325, fontSize=12, dx=2)
    return [left, top.encode(x=x, y=alt.value(-6), text="name:N", color=ink)]


def _verdict_color(theme: Theme) -> Drawing:
    alt = altair()
    scale = alt.Scale(domain=["significant", "not significant"], range=[theme.good, theme.middle])
    legend = alt.Legend(
        title="row compared with column",
        orient="top",
        offset=30,  # above the numbers of the columns
        symbolType="square",
        symbolStrokeColor=theme.dim,
        symbolStrokeWidth=1,
    )
    return alt.Color("verdict:N", scale=scale, legend=legend)


def _fill(data: dict[str, list[Any]], i: int, theme: Theme) -> str:
    """Return the color of a cell: strong where a share is large, or where a p-value is significant."""
    if "verdict" in data:
        return theme.good if data["verdict"][i] == "significant" else theme.middle
    return blended(min(max(float(data["y"][i]), 0.0), 1.0), theme.middle, theme.good)


_DRAW_BY_KIND = {"lines": _lines, "bars": _bars, "points": _points, "matrix": _matrix}
