"""Figures of a study: lines, bars, points or a matrix, a panel beside the other."""

from __future__ import annotations

from typing import Any

from betterthan.errors import TableError
from betterthan.present.charts.drawing import Drawing, altair, headed, names, rows
from betterthan.present.charts.metrics import short_pvalue
from betterthan.present.charts.theme import Theme
from betterthan.present.numbers import number
from betterthan.results.study import Study, StudyChart

_WIDTH, _HEIGHT, _ACROSS = 210, 170, 4
_STEP = 46
_MOST_POINTS = 2000


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
        Instead of the figure's own.
    """
    if not result.charts:
        raise TableError(f'The study "{result.name}" has no figures, so nothing can be drawn.')
    chosen = result.charts[0] if figure is None else result.chart(figure)
    drawn = _DRAW_BY_KIND[chosen.kind](chosen, theme)
    words = [f"{result.paper}."]
    if chosen.kind == "points" and chosen.size > _MOST_POINTS:
        words.append(f"{_MOST_POINTS} of {chosen.size} points are shown.")
    width = (_WIDTH + 50) * min(_ACROSS, len(_panels(chosen))) + 60
    return headed(drawn, theme, title=chosen.title, words=words, width=max(width, 420), override=title)


def _panels(chart: StudyChart) -> list[str]:
    return [str(panel) for panel in dict.fromkeys(chart.columns["panel"])]


def _series(chart: StudyChart) -> list[str]:
    return names([str(name) for name in dict.fromkeys(chart.columns["series"])])


def _data(chart: StudyChart) -> dict[str, list[Any]]:
    """The columns as lists, series called as they can be shown, and no more points than can be drawn."""
    called = dict(zip(dict.fromkeys(chart.columns["series"]), _series(chart), strict=True))
    columns = {name: list(values)[:_MOST_POINTS] for name, values in chart.columns.items()}
    columns["series"] = [called[name] for name in columns["series"]]
    return columns


def _colour(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    scale = alt.Scale(
        domain=_series(chart), range=[theme.accent, theme.bad, theme.other, theme.dim, theme.ink, theme.good]
    )
    return alt.Color("series:N", scale=scale, legend=alt.Legend(title=None, orient="top", labelLimit=240))


def _faceted(chart: StudyChart, data: dict[str, list[Any]], layers: list[Drawing]) -> Drawing:
    alt = altair()
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)
    if len(_panels(chart)) < 2:
        return drawn.properties(data=rows(data), width=2 * _WIDTH, height=_HEIGHT + 60)
    return drawn.facet(
        data=rows(data),
        facet=alt.Facet("panel:N", title=None, sort=_panels(chart)),
        columns=min(_ACROSS, len(_panels(chart))),
    ).resolve_scale(x="independent", xOffset="independent")


def _lines(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    data = _data(chart)
    base = alt.Chart().encode(
        x=alt.X("x:Q", title=chart.x, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5)),
        color=_colour(chart, theme),
        tooltip=["panel:N", "series:N", "x:Q", "y:Q", "low:Q", "high:Q"],
    )
    y = alt.Y("y:Q", title=chart.y)
    bars = base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", title=chart.y), y2="high:Q")
    marks = [base.mark_line(strokeWidth=2).encode(y=y), base.mark_point(filled=True, size=40).encode(y=y)]
    return _faceted(chart, data, [bars, *marks])


def _bars(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    data = _data(chart)
    base = alt.Chart().encode(
        x=alt.X("x:N", title=chart.x, sort=None, axis=alt.Axis(labelAngle=-35, labelLimit=120)),
        xOffset=alt.XOffset("series:N", sort=_series(chart)),
        tooltip=["panel:N", "series:N", "x:N", "y:Q", "low:Q", "high:Q"],
    )
    filled = base.mark_bar().encode(y=alt.Y("y:Q", title=chart.y), color=_colour(chart, theme))
    spread = base.mark_rule(color=theme.ink).encode(y=alt.Y("low:Q", title=chart.y), y2="high:Q")
    return _faceted(chart, data, [filled, spread])


def _points(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    base = alt.Chart().mark_circle(size=30, opacity=0.65)
    drawn = base.encode(
        x=alt.X("x:Q", title=chart.x, scale=alt.Scale(zero=False)),
        y=alt.Y("y:Q", title=chart.y, scale=alt.Scale(zero=False)),
        color=_colour(chart, theme),
        tooltip=["panel:N", "series:N", "x:Q", "y:Q"],
    )
    return _faceted(chart, _data(chart), [drawn])


def _matrix(chart: StudyChart, theme: Theme) -> Drawing:
    alt = altair()
    data = _data(chart)
    are_pvalues = "verdict" in data
    data["text"] = [short_pvalue(value) if are_pvalues else number(value, 2) for value in data["y"]]
    base = alt.Chart().encode(
        x=alt.X("x:N", title=chart.x, sort=None, axis=alt.Axis(labelAngle=-35, labelLimit=160)),
        y=alt.Y("series:N", title=chart.y, sort=_series(chart), axis=alt.Axis(labelLimit=200)),
    )
    cells = base.mark_rect(stroke=theme.paper).encode(color=_matrix_colour(data, theme))
    texts = base.mark_text(color="#000000" if theme.name == "light" else "#ffffff").encode(text="text:N")
    size = _STEP * len(_series(chart))
    drawn = alt.layer(cells, texts).properties(width=size + 60, height=size)
    if len(_panels(chart)) < 2:
        return drawn.properties(data=rows(data))
    return drawn.facet(
        data=rows(data), facet=alt.Facet("panel:N", title=None, sort=_panels(chart)), columns=2
    )


def _matrix_colour(data: dict[str, list[Any]], theme: Theme) -> Drawing:
    """Return the colour of cells: strong where a number is large, or where a p-value is significant."""
    alt = altair()
    if "verdict" not in data:
        scale = alt.Scale(domain=[0, 1], range=[theme.middle, theme.good])
        return alt.Color("y:Q", scale=scale, legend=None)
    scale = alt.Scale(domain=["significant", "not significant"], range=[theme.good, theme.middle])
    legend = alt.Legend(
        title="row against column", symbolType="square", symbolStrokeColor=theme.dim, orient="top"
    )
    return alt.Color("verdict:N", scale=scale, legend=legend)


_DRAW_BY_KIND = {"lines": _lines, "bars": _bars, "points": _points, "matrix": _matrix}
