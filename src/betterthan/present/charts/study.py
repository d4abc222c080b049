"""Figures of a study: lines, bars, boxes, points, matrices and grids of scatter plots, panels side by side."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
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
from betterthan.present.charts.metrics import metrics_chart, soft_pairwise_chart
from betterthan.present.charts.pairs import scatter_chart
from betterthan.present.charts.panels import SMALLEST_WITH_NUMBERS, cell_columns, cell_size, middles, squares
from betterthan.present.charts.theme import N_SERIES, Theme, blended, readable_on
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import number
from betterthan.results.study import Study, StudyChart
from betterthan.tables.scores import Scores

_WIDTH, _HEIGHT, _ACROSS = 210, 170, 4
_CELL, _ALONE, _BARS = 165, 300, 15
_MOST_POINTS = 2000
_FEW_POINTS = 60
"""So many points are large and opaque: none hides another."""
_LOWEST = 1e-6
"""Where a logarithmic vertical axis ends at the latest; less is drawn there."""
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_DODGE = 4
"""Pixels between the intervals of two series, which would hide each other."""


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
    if chosen.kind in _VERB_CHARTS:
        return _VERB_CHARTS[chosen.kind](chosen, theme, chosen.title if title is None else title)
    drawn = _DRAW_BY_KIND[chosen.kind](chosen, theme)
    words = [*([chosen.note] if chosen.note else []), f"{result.paper}."]
    if chosen.kind == "points" and chosen.size > _MOST_POINTS:
        words.append(f"{_MOST_POINTS:,} of {chosen.size:,} points are shown.")
    if chosen.log_y and _heights(chosen, "y", "low")[0] < _LOWEST:
        words.append("Values below 0.000001 are drawn at 0.000001.")
    if chosen.kind == "matrix" and (chosen.x or chosen.y):
        words.append(f"Rows: {chosen.y}. Columns: {chosen.x}.")
    return headed(
        drawn, theme, title=chosen.title, words=words, width=_figure_width(chosen) + 60, override=title
    )


def _planes(chart: StudyChart, theme: Theme, title: str) -> Drawing:
    """Draw the scores of two systems as ``figure scatter`` does, a plane for each panel."""
    tables = {}
    for panel in _panels(chart):
        here = [i for i, name in enumerate(chart.columns["panel"]) if str(name) == panel]
        values = [[chart.columns[field][i] for i in here] for field in ("y", "x")]
        segments = tuple(str(i + 1) for i in range(len(here)))
        tables[panel] = Scores(
            name="score", systems=(chart.y, chart.x), segments=segments, values=np.array(values, dtype=float)
        )
    return scatter_chart(tables, theme, title=title)


def _metrics(chart: StudyChart, theme: Theme, title: str) -> Drawing:
    assert chart.result is not None  # noqa: S101  (of this kind of figure)
    return metrics_chart(chart.result, theme, title=title)


def _soft_pairwise(chart: StudyChart, theme: Theme, title: str) -> Drawing:
    assert chart.result is not None  # noqa: S101  (of this kind of figure)
    return soft_pairwise_chart(chart.result, theme, metric=chart.metric or None, title=title)


_VERB_CHARTS: dict[str, Callable[[StudyChart, Theme, str], Drawing]] = {
    "scatter": _planes,
    "metrics": _metrics,
    "soft_pairwise": _soft_pairwise,
}
"""Figures that a verb draws too."""


def _panels(chart: StudyChart) -> list[str]:
    return [str(panel) for panel in dict.fromkeys(chart.columns["panel"])]


def _series(chart: StudyChart) -> list[str]:
    return names([str(name) for name in dict.fromkeys(chart.columns["series"])])


def _drawn_series(chart: StudyChart, columns: dict[str, list[Any]]) -> list[str]:
    """Return the series of a panel, in the order of the figure."""
    return [name for name in _series(chart) if name in columns["series"]]


def _in_order(values: list[Any], **more: float) -> Drawing:
    """Return the scale of names in the order in which they first occur.

    An order that is given by `sort` would become an expression with the names in it.
    """
    return altair().Scale(domain=list(dict.fromkeys(values)), **more)


def _data(chart: StudyChart) -> dict[str, list[Any]]:
    """The columns as lists, series named as they can be shown, and no more points than can be drawn."""
    called = dict(zip(dict.fromkeys(chart.columns["series"]), _series(chart), strict=True))
    most = _MOST_POINTS if chart.kind == "points" else chart.size
    columns = {name: list(values)[:most] for name, values in chart.columns.items()}
    columns["series"] = [called[name] for name in columns["series"]]
    return columns


def _color(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    scale = alt.Scale(domain=_series(chart), range=theme.series)
    return alt.Color("series:N", scale=scale, legend=_legend(chart))


def _shape(chart: StudyChart) -> Drawing:
    """Return the shapes of series: each has its own, so that they are distinct in gray too.

    There is one shape more than there are colors, so that where colors begin again shapes do not.
    """
    alt = altair()
    series = _series(chart)
    shapes = [_SHAPES[i % len(_SHAPES)] for i in range(len(series))]
    return alt.Shape("series:N", scale=alt.Scale(domain=series, range=shapes), legend=_legend(chart))


def _legend(chart: StudyChart) -> Drawing:
    """Return the legend above the figure, in as many columns as fit over it; none for a single series."""
    series = _series(chart)
    if len(series) < 2:
        return None
    symbol = {"symbolType": "square"} if chart.kind == "boxes" else {}
    columns = legend_columns(series, _figure_width(chart))
    return altair().Legend(title=None, orient="top", columns=columns, **symbol)


def _figure_width(chart: StudyChart) -> float:
    if chart.kind == "grid":
        return (_CELL + 12) * len(_panels(chart))
    count = _across(chart)
    if chart.kind == "pairs" and count == 1:
        return _ALONE + 60
    return 2 * _WIDTH if count == 1 else count * (_WIDTH + 60)


def _across(chart: StudyChart) -> int:
    """Return how many panels stand side by side: rows of equal length where that is possible."""
    count = len(chart.pairs) if chart.kind == "pairs" else len(_panels(chart))
    return count if count <= _ACROSS else 3 if count in (5, 6, 9) else _ACROSS


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
    return alt.concat(*drawn, columns=_across(chart), spacing=24).resolve_scale(color="shared")


def _heights(chart: StudyChart, *fields: str) -> list[float]:
    """Return what an axis shows that has these columns, and the rule, in every panel; the lowest first."""
    known = [
        float(value)
        for field in fields
        for value in chart.columns.get(field, ())
        if isinstance(value, int | float)
    ]
    return sorted(known + ([] if chart.rule is None else [chart.rule]))


def _limits(chart: StudyChart, *fields: str, share: float = 0.05) -> tuple[float, float]:
    """Return the limits of an axis that shows these columns, and the rule, in every panel."""
    return limits_around(_heights(chart, *fields), share=share) or (0.0, 1.0)


def _upright(chart: StudyChart, height: int, *fields: str) -> dict[str, Drawing]:
    """Return title, scale and axis of the numbers on the vertical axes, which are the same in every panel.

    Numbers that come near to 0, compared with the highest one, are shown from 0.
    """
    known = _heights(chart, *fields)
    if chart.log_y and known:
        return {"title": chart.y, **_log_upright(known)}
    low, high = _limits(chart, *fields)
    if known and 0 <= known[0] < known[-1] / 3:
        low = 0.0
    return {"title": chart.y, **number_axis((low, high), height, across=False)}


def _log_upright(known: list[float]) -> dict[str, Drawing]:
    alt = altair()
    domain = [max(known[0], _LOWEST) / 1.5, max(known[-1], 10 * _LOWEST) * 1.5]
    powers = range(math.ceil(math.log10(domain[0])), math.floor(math.log10(domain[1])) + 1)
    scale = alt.Scale(type="log", domain=domain, nice=False, clamp=True)
    return {"scale": scale, "axis": alt.Axis(values=[10.0**power for power in powers], format=",~g")}


def _are_whole(values: list[Any]) -> bool:
    """Return whether all values are whole numbers, such as counts, so that an axis has no ticks between them."""
    return len(set(values)) > 1 and all(isinstance(value, int) for value in values)


def _across_axis(chart: StudyChart, columns: dict[str, list[Any]], width: int) -> dict[str, Drawing]:
    """Return title, scale and axis of the numbers on a panel's horizontal axis."""
    alt = altair()
    title = str(columns["axis"][0]) if "axis" in columns else chart.x
    if chart.log_x:
        known = sorted({float(value) for value in columns["x"]})
        domain = [known[0] / 1.15, known[-1] * 1.15]
        powers = range(math.floor(math.log10(domain[0])), math.ceil(math.log10(domain[1])) + 1)
        steps = (1, 2, 5) if len(powers) <= 4 else (1,)
        marked = [step * 10.0**power for power in powers for step in steps]
        shown = [value for value in marked if domain[0] <= value <= domain[1]]
        axis = alt.Axis(values=shown, format=",~g", labelOverlap="greedy", labelSeparation=5)
        return {"title": title, "scale": alt.Scale(type="log", domain=domain, nice=False), "axis": axis}
    if any(isinstance(value, str) for value in columns["x"]):
        axis = _named(columns, width)
        return {"title": title, "scale": _in_order(columns["x"]), "axis": axis}
    limits = limits_around(columns["x"], share=0.05) or (0.0, 1.0)
    return {"title": title, **number_axis(limits, width, whole=_are_whole(columns["x"]))}


def _rule(chart: StudyChart, y: dict[str, Drawing], theme: Theme) -> list[Drawing]:
    """Return the dashed line to compare values with, if there is one."""
    if chart.rule is None:
        return []
    alt = altair()
    line = alt.Chart(rows({"at": [chart.rule]})).mark_rule(color=theme.dim, strokeDash=[4, 3])
    return [line.encode(y=alt.Y("at:Q", **y))]


def _lines(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()

    def draw(columns: dict[str, list[Any]], width: int, height: int) -> Drawing:
        y = _upright(chart, height, "y", "low", "high")
        kind = "N" if any(isinstance(value, str) for value in columns["x"]) else "Q"
        x = alt.X(f"x:{kind}", **_across_axis(chart, columns, width))
        layers = _rule(chart, y, theme)
        has_bars = any(value is not None for value in columns.get("low", ()))
        series = _drawn_series(chart, columns)
        for place, name in enumerate(series):
            here = [i for i, each in enumerate(columns["series"]) if each == name]
            base = alt.Chart(rows({field: [column[i] for i in here] for field, column in columns.items()}))
            base = base.encode(
                x=x,
                color=_color(chart, theme),
                tooltip=["panel:N", "series:N", f"x:{kind}", "y:Q", "low:Q", "high:Q"],
            )
            shift = {"xOffset": _DODGE * (place - (len(series) - 1) / 2)} if has_bars else {}
            if has_bars:
                bars = base.mark_rule(strokeWidth=1.5, **shift)
                layers.append(bars.encode(y=alt.Y("low:Q", **y), y2="high:Q"))
            again = {"strokeDash": [6, 3]} if _series(chart).index(name) >= N_SERIES else {}
            line = base.mark_line(strokeWidth=2, **again, **shift)
            layers.append(line.encode(y=alt.Y("y:Q", **y)))
            points = base.mark_point(filled=True, size=40, opacity=1, **shift)
            layers.append(points.encode(y=alt.Y("y:Q", **y), shape=_shape(chart)))
        return alt.layer(*layers)

    return _side_by_side(chart, draw)


def _named(columns: dict[str, list[Any]], width: int) -> Drawing:
    """Shorten the names on a panel's horizontal axis, in place, and return the axis: slanted where they are wide."""
    values = [str(value) for value in columns["x"]]
    called = dict(zip(dict.fromkeys(values), names(list(dict.fromkeys(values)), most=26), strict=True))
    columns["x"] = [called[value] for value in values]
    slanted = widest(list(called.values()), 11) + 10 > width / len(called)
    return altair().Axis(labelAngle=-35 if slanted else 0, labelOverlap=False)


def _bars(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    low, high = _limits(chart, "y", "low", "high", share=0.04)
    # Bars are read from 0.
    limits = (min(low, 0.0) if low < -0.04 * high else 0.0, max(high, 0.0)) if high > 0 else (low, 0.0)

    def draw(columns: dict[str, list[Any]], width: int, height: int) -> Drawing:
        axis = _named(columns, width)
        y = {"title": chart.y, **number_axis(limits, height, across=False)}
        base = alt.Chart(rows(columns)).encode(
            x=alt.X("x:N", title=chart.x, axis=axis, scale=_in_order(columns["x"])),
            xOffset=alt.XOffset("series:N", scale=_in_order(_drawn_series(chart, columns))),
            tooltip=["panel:N", "series:N", "x:N", "y:Q", "low:Q", "high:Q"],
        )
        filled = base.mark_bar().encode(y=alt.Y("y:Q", **y), color=_color(chart, theme))
        interval = base.mark_rule(color=theme.ink).encode(y=alt.Y("low:Q", **y), y2="high:Q")
        return alt.layer(filled, interval, *_rule(chart, y, theme))

    drawn = _side_by_side(chart, draw)
    return drawn.resolve_scale(xOffset="independent") if len(_panels(chart)) > 1 else drawn


def _boxes(chart: StudyChart, theme: Theme) -> Drawing:
    """Draw box plots: quartiles and median, with whiskers outside of the box."""
    alt = altair()
    limits = _limits(chart, "low", "high")

    def draw(columns: dict[str, list[Any]], width: int, height: int) -> Drawing:
        axis = _named(columns, width)
        y = {"title": chart.y, **number_axis(limits, height, across=False)}
        beside = _in_order(_drawn_series(chart, columns), paddingInner=0.15)
        base = alt.Chart(rows(columns)).encode(
            x=alt.X("x:N", title=chart.x, axis=axis, scale=_in_order(columns["x"], paddingInner=0.25)),
            xOffset=alt.XOffset("series:N", scale=beside),
            tooltip=["panel:N", "series:N", "x:N", "low:Q", "q1:Q", "y:Q", "q3:Q", "high:Q"],
        )
        box_width = 0.6 * width / len(set(columns["x"])) / len(_series(chart))
        color = _color(chart, theme)
        whiskers = [
            base.mark_rule(strokeWidth=1.3).encode(y=alt.Y(f"{end}:Q", **y), y2=f"{side}:Q", color=color)
            for end, side in (("low", "q1"), ("q3", "high"))
        ]
        box = base.mark_bar(size=box_width, opacity=0.45).encode(y=alt.Y("q1:Q", **y), y2="q3:Q", color=color)
        median = base.mark_tick(thickness=2, size=box_width, opacity=1).encode(
            y=alt.Y("y:Q", **y), color=color
        )
        return alt.layer(*whiskers, box, median, *_rule(chart, y, theme))

    drawn = _side_by_side(chart, draw)
    return drawn.resolve_scale(xOffset="independent") if len(_panels(chart)) > 1 else drawn


def _points(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    dot = {"size": 70, "opacity": 1} if chart.size <= _FEW_POINTS else {"size": 30, "opacity": 0.65}

    def draw(columns: dict[str, list[Any]], width: int, height: int) -> Drawing:
        y = _upright(chart, height, "y")
        base = alt.Chart(rows(columns)).mark_point(filled=True, **dot)
        dots = base.encode(
            x=alt.X("x:Q", **_across_axis(chart, columns, width)),
            y=alt.Y("y:Q", **y),
            color=_color(chart, theme),
            shape=_shape(chart),
            tooltip=["panel:N", "series:N", "x:Q", "y:Q"],
        )
        return alt.layer(*_rule(chart, y, theme), dots)

    return _side_by_side(chart, draw)


def _grid(chart: StudyChart, theme: Theme) -> Drawing:
    """Draw variables against each other, with the histogram of each where it would meet itself."""
    panels, columns = _panels(chart), _by_panel(chart)
    known = {(x, y): r for a, b, r in chart.pairs for x, y in ((a, b), (b, a))}
    cells = []
    for y, x in product(panels, panels):
        ends = (x == panels[0], y == panels[-1])
        if x == y:
            cells.append(_histogram(columns, x, ends, theme))
        else:
            cells.append(_scatter(chart, columns, (x, y, known[x, y]), ends, theme))
    return _together(cells, columns=len(panels), spacing=10)


def _pairs(chart: StudyChart, theme: Theme) -> Drawing:
    """Draw some variables against each other, each plot with axes of its own."""
    columns = _by_panel(chart)
    side = _ALONE if len(chart.pairs) == 1 else _CELL
    cells = [_scatter(chart, columns, pair, (True, True), theme, side=side) for pair in chart.pairs]
    return _together(cells, columns=_across(chart), spacing=28)


def _together(cells: list[Drawing], *, columns: int, spacing: int) -> Drawing:
    drawn = altair().concat(*cells, columns=columns, spacing=spacing)
    return drawn.resolve_scale(color="shared", shape="shared", x="independent", y="independent")


def _by_panel(chart: StudyChart) -> dict[str, dict[str, list[Any]]]:
    data = _data(chart)
    places = {
        panel: [i for i, name in enumerate(data["panel"]) if str(name) == panel] for panel in _panels(chart)
    }
    return {
        panel: {field: [values[i] for i in here] for field, values in data.items()}
        for panel, here in places.items()
    }


def _variable_axis(
    values: list[Any], name: str, *, across: bool, is_outer: bool, side: int = _CELL, grid: bool = True
) -> dict[str, Drawing]:
    """Return title, scale and axis of a variable; numbers and name only where the axis is at the end of the grid."""
    limits = limits_around(values, share=0.06) or (0.0, 1.0)
    axis = number_axis(limits, side, across=across, labels=is_outer, ticks=is_outer, grid=grid)
    return {"title": name if is_outer else None, **axis}


def _histogram(
    columns: dict[str, dict[str, list[Any]]], name: str, ends: tuple[bool, bool], theme: Theme
) -> Drawing:
    """Draw how often which value occurs; `ends`: whether the cell is the first of its row, the last of its column.

    The first cell of a row has the vertical axis of the plots beside it, not that of its bars.
    """
    alt = altair()
    values = columns[name]["y"]
    counts, edges = np.histogram(values, bins=_BARS, range=limits_around(values, share=0.06))
    data = rows({"x": edges[:-1], "end": edges[1:], "n": counts, "none": [0] * _BARS})
    bars = alt.Chart(data).mark_bar(color=theme.dim, opacity=0.6, stroke=theme.paper, strokeWidth=0.5)
    x = alt.X("x:Q", **_variable_axis(values, name, across=True, is_outer=ends[1]))
    y = alt.Y("n:Q", axis=None, scale=alt.Scale(domain=[0, 1.05 * int(counts.max())], nice=False))
    drawn = bars.encode(x=x, x2="end:Q", y=y, y2="none:Q", tooltip=["n:Q"])
    if ends[0]:
        beside = alt.Y("x:Q", **_variable_axis(values, name, across=False, is_outer=True, grid=False))
        drawn = alt.layer(drawn, alt.Chart(data).mark_point(opacity=0, aria=False).encode(y=beside))
        drawn = drawn.resolve_scale(y="independent")
    return drawn.properties(width=_CELL, height=_CELL)


def _scatter(
    chart: StudyChart,
    columns: dict[str, dict[str, list[Any]]],
    pair: tuple[str, str, float],
    ends: tuple[bool, bool],
    theme: Theme,
    *,
    side: int = _CELL,
) -> Drawing:
    """Draw one variable against another, with Pearson's r in the corner."""
    alt = altair()
    x, y, r = pair
    here = columns[x]
    data = rows({"x": here["y"], "y": columns[y]["y"], "series": here["series"], "name": here["x"]})
    dots = alt.Chart(data).mark_point(filled=True, size=24, opacity=0.7)
    dots = dots.encode(
        x=alt.X("x:Q", **_variable_axis(here["y"], x, across=True, is_outer=ends[1], side=side)),
        y=alt.Y("y:Q", **_variable_axis(columns[y]["y"], y, across=False, is_outer=ends[0], side=side)),
        color=_color(chart, theme),
        shape=_shape(chart),
        tooltip=["series:N", "name:N", "x:Q", "y:Q"],
    )
    base = alt.Chart(rows({"text": [f"r = {number(r, 2)}"]}))
    placed = {"align": "left", "baseline": "top", "fontWeight": 600}
    # A halo of the background keeps the words readable where dots lie below them.
    halo = base.mark_text(**placed, stroke=theme.paper, strokeWidth=4)
    text = base.mark_text(**placed, color=theme.ink)
    words = [each.encode(x=alt.value(6), y=alt.value(6), text="text:N") for each in (halo, text)]
    return alt.layer(dots, *words).properties(width=side, height=side)


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
    """Draw cells with their numbers, between the names of rows and columns."""
    alt = altair()
    across, down = ([str(value) for value in data[field]] for field in ("x", "series"))
    row_names, column_names = list(dict.fromkeys(down)), list(dict.fromkeys(across))
    if set(row_names) == set(column_names):
        column_names = row_names  # so that the diagonal is one, also where it has no cells
    m, k = len(row_names), len(column_names)
    row, column = (
        np.array([order.index(name) for name in named])
        for order, named in ((row_names, down), (column_names, across))
    )
    fills = [_fill(float(value), theme) for value in data["y"]]
    cells = rows(
        {
            **cell_columns(row, column),
            "row": down,
            "column": across,
            "value": data["y"],
            "text": [number(value, 2) for value in data["y"]],
            "fill": fills,
            "ink": [readable_on(fill) for fill in fills],
        }
    )
    size = cell_size(max(m, k))
    x, y = middles(m, columns=k)
    color = alt.Color("fill:N", scale=None)
    layers = [squares(cells, m, color, ["row:N", "column:N", "value:Q"], columns=k)]
    if size >= SMALLEST_WITH_NUMBERS:
        text = alt.Chart(cells).mark_text(fontSize=11)
        layers.append(text.encode(x=x, y=y, text="text:N", color=alt.Color("ink:N", scale=None)))
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


def _fill(value: float, theme: Theme) -> str:
    """Return the color of a cell: strong where a share is large."""
    return blended(min(max(value, 0.0), 1.0), theme.middle, theme.good)


_DRAW_BY_KIND: dict[str, Callable[[StudyChart, Theme], Drawing]] = {
    "lines": _lines,
    "bars": _bars,
    "boxes": _boxes,
    "points": _points,
    "matrix": _matrix,
    "grid": _grid,
    "pairs": _pairs,
}
