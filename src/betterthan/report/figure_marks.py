"""Small marks beside the rows of a table: a dot with its interval on a scale that all rows share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from betterthan.report.svg import Scale, element, linear, picture, tick_text, ticks

_WIDTH, _HEIGHT, _EDGE = 260, 26, 8


def interval_marks(
    values: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    *,
    stressed: Sequence[bool],
    zero: bool = False,
) -> tuple[Markup, ...]:
    """Return a picture a row: the value as a dot, its interval as a line, and the scale's grid behind both.

    Parameters
    ----------
    values, low, high : sequence of float
        NaN is not drawn.
    stressed : sequence of bool
        Rows in the accent colour.
    zero : bool, default False
        Whether 0 belongs to the scale and is marked.
    """
    limits = _limits([*values, *low, *high, *([0.0] if zero else [])])
    if limits is None:
        return tuple(Markup("") for _ in values)
    scale = linear(*limits, _EDGE, _WIDTH - _EDGE)
    grid = [element("path", d=_verticals(scale, limits), class_="grid")]
    if zero:
        grid.append(element("path", d=f"M{scale(0):.1f} 0V{_HEIGHT}", class_="zero"))
    rows = zip(values, low, high, stressed, strict=True)
    return tuple(_mark(scale, grid, *row) for row in rows)


def scale_heading(
    values: Sequence[float], low: Sequence[float], high: Sequence[float], *, zero: bool = False
) -> Markup:
    """Return the numbers of the scale, to stand above the marks."""
    limits = _limits([*values, *low, *high, *([0.0] if zero else [])])
    if limits is None:
        return Markup("")
    scale = linear(*limits, _EDGE, _WIDTH - _EDGE)
    shown = [value for value in ticks(*limits, 4) if _EDGE + 8 < scale(value) < _WIDTH - _EDGE - 8]
    texts = [
        element("text", tick_text(value), x=scale(value), y=12, class_="tick", text_anchor="middle")
        for value in shown
    ]
    return picture(_WIDTH, 16, "scale", *texts, class_="mark")


def _mark(
    scale: Scale,
    grid: list[Markup],
    value: float,
    low: float,
    high: float,
    is_stressed: bool,  # noqa: FBT001  (one row of a zip)
) -> Markup:
    if math.isnan(value):
        return Markup("")
    x, y = scale(value), _HEIGHT / 2
    tone = "sure" if is_stressed else "rest"
    parts = list(grid)
    known = not (math.isnan(low) or math.isnan(high))
    if known:
        parts.append(element("path", d=f"M{scale(low):.1f} {y:g}H{scale(high):.1f}", class_=f"ci {tone}"))
    parts.append(element("circle", cx=x, cy=y, r=5, class_=f"dot {tone}"))
    said = f"{tick_text(value)}, {tick_text(low)} to {tick_text(high)}" if known else tick_text(value)
    return picture(_WIDTH, _HEIGHT, said, *parts, class_="mark")


def _verticals(scale: Scale, limits: tuple[float, float]) -> str:
    return "".join(f"M{scale(value):.1f} 0V{_HEIGHT}" for value in ticks(*limits, 4))


def _limits(values: Sequence[float]) -> tuple[float, float] | None:
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return None
    low, high = min(known), max(known)
    margin = (high - low) * 0.04 or abs(high) * 0.1 or 1.0
    return low - margin, high + margin
