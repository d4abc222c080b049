"""Small figures: a dot with its interval beside the row of a table, and lines over a growing number of segments."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from betterthan.present.geometry import limits_around
from betterthan.report.figures.svg import Scale, element, linear, picture, tick_text, ticks

_LINES_WIDTH, _LINES_HEIGHT = 560, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 150, 14, 40
_LONGEST = 18


def share_lines(
    sizes: Sequence[int], lines: Sequence[tuple[str, Sequence[float]]], title: str, *, across: str
) -> Markup:
    """Return lines of shares from 0 to 1 over numbers of segments; the name stands at the end of each line.

    Parameters
    ----------
    sizes : sequence of int
        Rising.
    lines : sequence of (name, shares)
        The first in the accent colour.
    title, across : str
        What the picture shows, and what lies on the horizontal axis.
    """
    x = linear(0, sizes[-1], _LEFT, _LINES_WIDTH - _RIGHT)
    y = linear(0, 1, _LINES_HEIGHT - _BOTTOM, _TOP)
    parts = [*_axes(sizes[-1], x, y, across)]
    taken: list[float] = []
    for i, (name, shares) in enumerate(lines):
        path = "M" + "L".join(f"{x(n):.1f} {y(share):.1f}" for n, share in zip(sizes, shares, strict=True))
        tone = f"line tone{min(i, 3)}"
        parts.append(element("path", d=path, class_=tone))
        at = _free(y(shares[-1]) + 4, taken)
        short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
        parts.append(element("text", short, x=x(sizes[-1]) + 8, y=at, class_=f"label end{min(i, 3)}"))
    return picture(_LINES_WIDTH, _LINES_HEIGHT, title, *parts)


def _free(height: float, taken: list[float]) -> float:
    """Return the height nearest to this one at which a name covers no other."""
    near = sorted((height + 2 * step for step in range(-60, 61)), key=lambda at: abs(at - height))
    clear = (at for at in near if 8 < at < _LINES_HEIGHT and all(abs(at - other) >= 14 for other in taken))
    at = next(clear, height)
    taken.append(at)
    return at


def _axes(most: int, x: Scale, y: Scale, across: str) -> list[Markup]:
    parts: list[Markup] = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        at = y(share)
        parts.append(element("path", d=f"M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}", class_="grid"))
        parts.append(
            element("text", f"{100 * share:g}%", x=_LEFT - 6, y=at + 4, class_="tick", text_anchor="end")
        )
    for value in ticks(0, most, 6):
        at = x(value)
        parts.append(
            element("text", f"{value:g}", x=at, y=_LINES_HEIGHT - 22, class_="tick", text_anchor="middle")
        )
    middle = (_LEFT + _LINES_WIDTH - _RIGHT) / 2
    parts.append(element("text", across, x=middle, y=_LINES_HEIGHT - 5, class_="label", text_anchor="middle"))
    return parts


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
    title = f"{tick_text(value)}, {tick_text(low)} to {tick_text(high)}" if known else tick_text(value)
    return picture(_WIDTH, _HEIGHT, title, *parts, class_="mark")


def _verticals(scale: Scale, limits: tuple[float, float]) -> str:
    return "".join(f"M{scale(value):.1f} 0V{_HEIGHT}" for value in ticks(*limits, 4))


def _limits(values: Sequence[float]) -> tuple[float, float] | None:
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return limits_around(values, around_one=0.1 * largest or 1.0)
