"""SVG from small pieces: every attribute and every text is escaped, and colors are classes of the style sheet.

Small figures: a dot with its interval beside a name, strips of scores, and shares over a growing test set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

from betterthan.present.geometry import limits_around
from betterthan.report.wording import shortened

Number = float | int
Scale = Callable[[float], float]


def element(name: str, *children: Markup | str, **attributes: Number | str | None) -> Markup:
    """Return one element; ``class_`` is the class, and an underscore in a name is a hyphen.

    Examples
    --------
    >>> element("text", "a < b", x=1.0, class_="tick", text_anchor="end")
    Markup('<text x="1" class="tick" text-anchor="end">a &lt; b</text>')
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-") if key != "viewBox" else key}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(str(escape(child)) for child in children)
    if not inside and name != "text":
        return Markup(f"<{name}{written}/>")  # noqa: S704  (both parts are escaped above)
    return Markup(f"<{name}{written}>{inside}</{name}>")  # noqa: S704


def picture(width: Number, height: Number, title: str, *children: Markup, class_: str = "") -> Markup:
    """Return a whole picture that scales with its place and has a name for who cannot see it."""
    return element(
        "svg",
        element("title", title),
        *children,
        viewBox=f"0 0 {_plain(width)} {_plain(height)}",
        class_=f"picture {class_}".strip(),
        role="img",
        width=width,
    )


def _plain(value: Number | str) -> str:
    """Write a number with a tenth of a pixel and no more, so that pages stay small."""
    if isinstance(value, str):
        return value
    return f"{value:.1f}".removesuffix(".0") if math.isfinite(value) else "0"


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """Return the scale that takes low to start and high to end.

    Examples
    --------
    >>> linear(0, 10, 100, 200)(5)
    150.0
    """
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return at most so many round numbers between low and high.

    Examples
    --------
    >>> ticks(0, 10), ticks(-0.03, 0.05, 4)
    ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], [-0.02, 0.0, 0.02, 0.04])
    """
    span = high - low
    if not math.isfinite(span) or span <= 0:
        return [low] if math.isfinite(low) else []
    power = 10.0 ** math.floor(math.log10(span / most))
    for size in (1, 2, 5, 10, 20, 50):
        step = size * power
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            # Written and read again, so that 3 steps of 0.1 are 0.3.
            return [float(f"{k * step:.12g}") for k in range(first, last + 1)]
    return [low]


def tick_text(value: float) -> str:
    """Return a tick as short as it can be, with a true minus sign.

    Examples
    --------
    >>> tick_text(-0.5), tick_text(2.0), tick_text(12000)
    ('−0.5', '2', '12,000')
    """
    return f"{value:,.6g}".replace("-", "−")


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
