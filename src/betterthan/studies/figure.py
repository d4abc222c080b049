"""The data of a study's figures: lines, bars, boxes, points, or the cells of a matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from betterthan.results.metrics import MetaEvaluation
from betterthan.results.study import StudyCell, StudyChart

_INTERVALS = {"lines": ("low", "high"), "bars": ("low", "high"), "boxes": ("low", "q1", "q3", "high")}
"""What marks of these kinds have beside y."""


class Mark(NamedTuple):
    """One point of a line, one bar, one box, one point or one cell.

    Attributes
    ----------
    panel, series : str
    x, y : number or text
    low, high : number, optional
        The interval around y, of lines and bars; the ends of the whiskers of a box.
    q1, q3 : number, optional
        The quartiles of a box.
    axis : str, optional
        Title of the horizontal axis of its panel, where panels have different ones.
    """

    panel: str
    series: str
    x: StudyCell
    y: StudyCell
    low: StudyCell = None
    high: StudyCell = None
    q1: StudyCell = None
    q3: StudyCell = None
    axis: str | None = None


def figure(
    marks: Iterable[Mark],
    *,
    name: str,
    title: str,
    x: str,
    y: str,
    kind: str = "lines",
    **look: Any,  # noqa: ANN401  (fields of StudyChart)
) -> StudyChart:
    """Return marks as the data of a figure; those whose y is NaN are left out.

    Parameters
    ----------
    marks : iterable of Mark
    name, title, x, y, kind : str
        As :class:`~betterthan.results.study.StudyChart` has them.
    **look
        Its other fields, such as `log_x`.

    Examples
    --------
    >>> marks = [Mark("news", "PA", 2, 0.5, 0.4, 0.6), Mark("news", "PA", 3, float("nan"))]
    >>> figure(marks, name="figure-2", title="Stability", x="systems", y="r").columns["x"]
    (2,)
    """
    known = [mark for mark in marks if mark.y == mark.y]  # NaN is not itself
    fields = ["panel", "series", "x", "y", *_INTERVALS.get(kind, ())]
    fields += ["axis"] if any(mark.axis for mark in known) else []
    columns = {field: tuple(getattr(mark, field) for mark in known) for field in fields}
    return StudyChart(name=name, title=title, kind=kind, x=x, y=y, columns=columns, **look)


def evaluation_figure(
    result: MetaEvaluation, kind: str, *, name: str, title: str, metric: str = ""
) -> StudyChart:
    """Return a figure that shows an evaluation of metrics, as the chart of this kind draws it."""
    return StudyChart(name=name, title=title, kind=kind, x="", y="", columns={}, result=result, metric=metric)
