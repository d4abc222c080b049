"""Small figures: a dot with its interval beside a name, strips of scores, and shares over a growing test set."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from betterthan.present.geometry import limits_around
from betterthan.report.figures.svg import Scale, element, linear, picture, tick_text, ticks
from betterthan.report.wording import shortened

_LINES_WIDTH, _LINES_HEIGHT = 620, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 210, 14, 44
_LONGEST = 25


def share_lines(
    sizes: Sequence[int], lines: Sequence[tuple[str, Sequence[float]]], title: str, *, across: str
) -> Markup:
    """Return lines of shares from 0 to 1 over numbers of segments; the name is at the end of each line.

    Parameters
    ----------
    sizes : sequence of int
        Rising.
    lines : sequence of (name, shares)
        The first in the accent color.
    title, across : str
        What the picture shows, and what the horizontal axis measures.
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
        label = shortened(name, _LONGEST)
        parts.append(element("text", label, x=x(sizes[-1]) + 8, y=at, class_=f"label end{min(i, 3)}"))
    return picture(_LINES_WIDTH, _LINES_HEIGHT, title, *parts, class_="wide")


def _free(height: float, taken: list[float]) -> float:
    """Return the height nearest to this one at which a name covers no other."""
    near = sorted((height + 2 * step for step in range(-60, 61)), key=lambda at: abs(at - height))
    clear = (
        at
        for at in near
        if 12 < at < _LINES_HEIGHT - _BOTTOM + 6 and all(abs(at - other) >= 17 for other in taken)
    )
    at = next(clear, height)
    taken.append(at)
    return at


def _axes(most: int, x: Scale, y: Scale, across: str) -> list[Markup]:
    parts: list[Markup] = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        at = y(share)
        parts.append(element("path", d=f"M{_LEFT} {at:.1f}H{_LINES_WIDTH - _RIGHT}", class_="grid"))
        parts.append(
            element("text", f"{100 * share:g}%", x=_LEFT - 6, y=at + 4, class_="tick", text_anchor="end")
        )
    for value in ticks(0, most, 6):
        at = x(value)
        parts.append(
            element("text", f"{value:,g}", x=at, y=_LINES_HEIGHT - 25, class_="tick", text_anchor="middle")
        )
    middle = (_LEFT + _LINES_WIDTH - _RIGHT) / 2
    parts.append(element("text", across, x=middle, y=_LINES_HEIGHT - 5, class_="label", text_anchor="middle"))
    return parts


# Marks are as wide as their column, so that numbers keep their size: places along them are percentages.
_HEIGHT, _EDGE = 26, 4.0
_LETTER, _WIDE_LETTER = 6.2, 2.2  # width of a digit where the column is narrowest, and on a wide page
_STRIP, _STRIP_EDGE = 420, 8


def interval_marks(
    values: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    *,
    stressed: Sequence[bool],
    zero: bool = False,
) -> tuple[Markup, ...]:
    """Return one picture per row: the value as a dot, its interval as a line, and the scale's grid behind both.

    Parameters
    ----------
    values, low, high : sequence of float
        NaN is not drawn.
    stressed : sequence of bool
        Rows in the accent color.
    zero : bool, default False
        Whether 0 belongs to the scale and is marked.
    """
    limits = _limits([*values, *low, *high, *([0.0] if zero else [])])
    if limits is None:
        return tuple(Markup("") for _ in values)
    scale = linear(*limits, _EDGE, 100 - _EDGE)
    grid = [_vertical(scale(value), "grid") for value in ticks(*limits, 4)]
    if zero:
        grid.append(_vertical(scale(0), "zero"))
    rows = zip(values, low, high, stressed, strict=True)
    return tuple(_mark(scale, grid, *row) for row in rows)


def scale_heading(
    values: Sequence[float], low: Sequence[float], high: Sequence[float], *, zero: bool = False
) -> Markup:
    """Return the numbers of the scale, as a heading of the marks."""
    limits = _limits([*values, *low, *high, *([0.0] if zero else [])])
    if limits is None:
        return Markup("")
    scale = linear(*limits, _EDGE, 100 - _EDGE)
    texts, taken, taken_wide = [], -math.inf, -math.inf
    for value in ticks(*limits, 4):
        text = tick_text(value)
        # At the edge a number begins or ends at its tick, so that every tick with enough space is labeled.
        at, width = scale(value), _LETTER * len(text)
        anchor = "start" if at < width / 2 else "end" if at > 100 - width / 2 else "middle"
        at += {"start": -_EDGE / 2, "middle": 0, "end": _EDGE / 2}[anchor]
        start = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        fits = at - start * width > taken
        if not fits and at - start * _WIDE_LETTER * len(text) <= taken_wide:
            continue
        tone = "tick" if fits else "tick more"  # hidden where the column is narrow
        texts.append(element("text", text, x=f"{at:.1f}%", y=14, class_=tone, text_anchor=anchor))
        taken_wide = at + (1 - start) * _WIDE_LETTER * len(text) + _WIDE_LETTER
        if fits:
            taken = at + (1 - start) * width + _LETTER
    return element("svg", element("title", "scale"), *texts, class_="mark", role="img")


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
    y, tone = _HEIGHT / 2, "sure" if is_stressed else "rest"
    parts = list(grid)
    known = not (math.isnan(low) or math.isnan(high))
    if known:
        ends = {"x1": f"{scale(low):.1f}%", "x2": f"{scale(high):.1f}%"}
        parts.append(element("line", **ends, y1=y, y2=y, class_=f"ci {tone}"))
    parts.append(element("circle", cx=f"{scale(value):.1f}%", cy=y, r=5, class_=f"dot {tone}"))
    title = f"{tick_text(value)}, {tick_text(low)} to {tick_text(high)}" if known else tick_text(value)
    return element("svg", element("title", title), *parts, class_="mark", role="img")


def _vertical(x: float, tone: str) -> Markup:
    return element("line", x1=f"{x:.1f}%", x2=f"{x:.1f}%", y1=0, y2=_HEIGHT, class_=tone)


def score_strip(
    a: float, b: float, others: Sequence[float], limits: tuple[float, float], title: str
) -> Markup:
    """Return the scores of one segment on one axis: the two systems compared as dots, the others as ticks."""
    x = linear(*limits, _STRIP_EDGE, _STRIP - _STRIP_EDGE)
    ticks_of_others = "".join(f"M{x(score):.1f} 5V17" for score in others if not math.isnan(score))
    parts = [element("path", d=f"M{_STRIP_EDGE} 11H{_STRIP - _STRIP_EDGE}", class_="axis")]
    parts.append(element("path", d=ticks_of_others, class_="others"))
    parts += [
        element("circle", cx=x(score), cy=11, r=6, class_=tone)
        for score, tone in ((b, "b"), (a, "a"))
        if not math.isnan(score)
    ]
    return picture(_STRIP, 22, title, *parts, class_="strip")


def four_cases(counts: tuple[int, int, int, int], title: str) -> Markup:
    """Return one bar in four parts: both right, only the first right, only the second right, both wrong."""
    total, start, parts = sum(counts) or 1, 0.0, []
    for n, tone in zip(counts, ("both", "win", "loss", "neither"), strict=True):
        width = _LINES_WIDTH * n / total
        parts.append(element("rect", x=start, y=0, width=width, height=34, class_=tone))
        start += width
    return picture(_LINES_WIDTH, 34, title, *parts)


def _limits(values: Sequence[float]) -> tuple[float, float] | None:
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return limits_around(values, around_one=0.1 * largest or 1.0)
