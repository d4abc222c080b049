"""Lines over a growing number of segments."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from betterthan.report.svg import Scale, element, linear, picture, ticks

_WIDTH, _HEIGHT = 560, 250
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
    x = linear(0, sizes[-1], _LEFT, _WIDTH - _RIGHT)
    y = linear(0, 1, _HEIGHT - _BOTTOM, _TOP)
    parts = [*_axes(sizes[-1], x, y, across)]
    taken: list[float] = []
    for i, (name, shares) in enumerate(lines):
        path = "M" + "L".join(f"{x(n):.1f} {y(share):.1f}" for n, share in zip(sizes, shares, strict=True))
        tone = f"line tone{min(i, 3)}"
        parts.append(element("path", d=path, class_=tone))
        at = _free(y(shares[-1]) + 4, taken)
        short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
        parts.append(element("text", short, x=x(sizes[-1]) + 8, y=at, class_=f"label end{min(i, 3)}"))
    return picture(_WIDTH, _HEIGHT, title, *parts)


def _free(wanted: float, taken: list[float]) -> float:
    """Return the height nearest to the wanted one at which a name covers no other."""
    near = sorted((wanted + 2 * step for step in range(-60, 61)), key=lambda at: abs(at - wanted))
    clear = (at for at in near if 8 < at < _HEIGHT and all(abs(at - other) >= 14 for other in taken))
    at = next(clear, wanted)
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
        parts.append(element("text", f"{value:g}", x=at, y=_HEIGHT - 22, class_="tick", text_anchor="middle"))
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(element("text", across, x=middle, y=_HEIGHT - 5, class_="label", text_anchor="middle"))
    return parts
