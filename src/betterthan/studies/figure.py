"""The data of a study's figures: lines, bars, points or the cells of a matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from betterthan.results.study import StudyCell, StudyChart

_INTERVALS = ("lines", "bars")
"""Kinds whose marks have an interval."""


class Mark(NamedTuple):
    """One point of a line, one bar, one point or one cell.

    Attributes
    ----------
    panel, series : str
    x, y : number or text
    low, high : number, optional
        The interval around y, of lines and bars.
    verdict : str, optional
        What the color of a cell shows, where it is not the number.
    """

    panel: str
    series: str
    x: StudyCell
    y: StudyCell
    low: StudyCell = None
    high: StudyCell = None
    verdict: str | None = None


def figure(
    marks: Iterable[Mark], *, name: str, title: str, x: str, y: str, kind: str = "lines"
) -> StudyChart:
    """Return marks as the data of a figure; those whose y is NaN are left out.

    Parameters
    ----------
    marks : iterable of Mark
    name, title, x, y, kind : str
        As :class:`~betterthan.results.study.StudyChart` has them.

    Examples
    --------
    >>> marks = [Mark("news", "PA", 2, 0.5, 0.4, 0.6), Mark("news", "PA", 3, float("nan"))]
    >>> figure(marks, name="figure-2", title="Stability", x="systems", y="r").columns["x"]
    (2,)
    """
    known = [mark for mark in marks if mark.y == mark.y]  # NaN is not itself
    fields = ["panel", "series", "x", "y"]
    fields += ["low", "high"] if kind in _INTERVALS else []
    fields += ["verdict"] if any(mark.verdict for mark in known) else []
    columns = {field: tuple(getattr(mark, field) for mark in known) for field in fields}
    return StudyChart(name=name, title=title, kind=kind, x=x, y=y, columns=columns)
