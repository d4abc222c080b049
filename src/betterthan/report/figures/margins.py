"""Intervals of a candidate against its margins: one row for each metric or slice."""

from __future__ import annotations

import math

from markupsafe import Markup

from betterthan.present.tables.decisions import row_name
from betterthan.report.figures.marks import element, linear, picture
from betterthan.report.wording import shortened
from betterthan.results.decisions import Gate, GateRow

_WIDTH, _LEFT, _RIGHT = 660, 150, 20
_TOP, _ROW, _BOTTOM = 12, 46, 26
_LONGEST = 18
_LEAST_MARGINS, _SPARE = 1.7, 1.08
MOST_ROWS = 30
"""Rows that are drawn; the table has all of them."""


def margins_picture(result: Gate) -> Markup:
    """Return the interval of each row on a scale of its own, with no difference in the middle and the margin marked."""
    rows = list(result)[:MOST_ROWS]
    height = _TOP + _ROW * len(rows) + _BOTTOM
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts = [part for i, row in enumerate(rows) for part in _row(row, _TOP + _ROW * i)]
    end = height - 4
    parts += [
        element(
            "text",
            f"← {_short(result.baseline)} is better",
            x=_LEFT,
            y=end,
            class_="label",
            text_anchor="start",
        ),
        element("text", "0", x=middle, y=end, class_="tick", text_anchor="middle"),
        element(
            "text",
            f"{_short(result.candidate)} is better →",
            x=_WIDTH - _RIGHT,
            y=end,
            class_="label",
            text_anchor="end",
        ),
    ]
    title = f"Difference of {result.candidate} from {result.baseline}, with its interval and the margin"
    return picture(_WIDTH, height, title, *parts, class_="wide")


def _short(name: str) -> str:
    return shortened(name, _LONGEST)


def _row(row: GateRow, top: float) -> list[Markup]:
    ends = [abs(end) for end in (row.low, row.high, row.effect) if math.isfinite(end)]
    limit = max([_SPARE * end for end in ends] + [_LEAST_MARGINS * row.margin]) or 1.0
    x = linear(-limit, limit, _LEFT, _WIDTH - _RIGHT)
    at, low, high = top + 18, top + 4, top + 32
    tone = "sure" if row.verdict in ("better", "equivalent", "pass") else "rest"
    name = row_name(row)
    parts = [
        element(
            "text",
            _short(name),
            element("title", name),
            x=_LEFT - 14,
            y=at + 5,
            class_="label",
            text_anchor="end",
        ),
        element("path", d=f"M{_LEFT} {high:.1f}H{_WIDTH - _RIGHT}", class_="grid"),
        element("path", d=f"M{x(0):.1f} {low:.1f}V{high:.1f}", class_="zero"),
    ]
    if row.margin > 0:
        text = f"{row.margin:g}"
        for value, written in ((-row.margin, f"−{text}"), (row.margin, text)):
            parts += [
                element("path", d=f"M{x(value):.1f} {low:.1f}V{high:.1f}", class_="median"),
                element("text", written, x=x(value), y=high + 13, class_="tick", text_anchor="middle"),
            ]
    if math.isfinite(row.low) and math.isfinite(row.high):
        parts.append(element("path", d=f"M{x(row.low):.1f} {at:.1f}H{x(row.high):.1f}", class_=f"ci {tone}"))
    parts.append(element("circle", cx=x(row.effect), cy=at, r=5.5, class_=f"dot {tone}"))
    return parts
