"""SVG from small pieces: every attribute and every text is escaped, and colors are classes of the style sheet."""

from __future__ import annotations

import math
from collections.abc import Callable

from markupsafe import Markup, escape

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
