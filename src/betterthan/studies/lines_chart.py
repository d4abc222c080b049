"""The figures that most studies draw: lines or bars over x, a panel a data set, with or without an interval."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from betterthan.results.study import Entry, StudyChart


class Mark(NamedTuple):
    """One point of a line, or one bar.

    Attributes
    ----------
    panel, series : str
    x, y : number or text
        A line has a gap where y is undefined.
    low, high : number, optional
        The interval around y.
    """

    panel: str
    series: str
    x: Entry
    y: Entry
    low: Entry = None
    high: Entry = None


def lines_chart(
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
    >>> lines_chart(marks, name="figure-2", title="Stability", x="systems", y="r").columns["x"]
    (2,)
    """
    known = [mark for mark in marks if mark.y == mark.y]  # NaN is not itself
    return StudyChart(
        name=name,
        title=title,
        kind=kind,
        x=x,
        y=y,
        columns={field: tuple(getattr(mark, field) for mark in known) for field in Mark._fields},
    )
