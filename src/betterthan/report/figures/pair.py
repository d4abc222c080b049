"""Two systems segment by segment: the graphical criterion with its margins, and the histogram of differences.

Dots, cells and bars are those of the charts of `present`; here they are placed on a page.
"""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from betterthan.arrays import FloatArray
from betterthan.present.geometry import (
    BINS,
    Bars,
    PairedScores,
    bar_width,
    cells,
    distribution,
    dots,
    histogram,
    plane_limits,
)
from betterthan.report.figures.marks import Number, Scale, element, linear, picture, tick_text, ticks
from betterthan.report.wording import shortened

_SIDE, _LEFT, _TOP, _MARGIN = 360, 58, 50, 44
_WIDTH, _HEIGHT = 420, 210


def scatter_picture(pair: PairedScores, *, higher_is_better: bool, unit: str) -> Markup:
    """Return the plane of two systems: one dot per segment, means solid, medians dashed, the heavier half shaded.

    A dot or cell carries where it lies (``data-x``, ``data-y`` and their widths), so that a script can find its
    segments.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; figure 2.
    """
    low, high = plane_limits([pair])
    x = linear(low, high, _LEFT, _LEFT + _SIDE)
    y = linear(low, high, _TOP + _SIDE, _TOP)
    called = [shortened(name, 24) for name in (pair.a, pair.b)]
    parts = [
        _half(pair),
        *_axes(low, high, x, y, called, unit),
        element("path", d=f"M{_LEFT} {_TOP + _SIDE}L{_LEFT + _SIDE} {_TOP}", class_="diagonal"),
        element("g", *_dots(pair, low, high, x, y), class_="points"),
        *_middles(pair, x, y),
        *_margins(pair, low, high, x, y),
        *_corners(called if higher_is_better else called[::-1]),
    ]
    title = f"Scores of {pair.a} (up) against {pair.b} (right), segment by segment"
    return picture(_LEFT + _SIDE + _MARGIN + 8, _TOP + _SIDE + 44, title, *parts, class_="scatter")


def prediction_picture(pair: PairedScores, limits: tuple[float, float]) -> Markup:
    """Return predictions (up) over true scores (right), with the line on which they are equal."""
    low, high = limits
    x = linear(low, high, _LEFT, _LEFT + _SIDE)
    y = linear(low, high, _TOP + _SIDE, _TOP)
    parts = [
        *_axes(low, high, x, y, [shortened(name, 24) for name in (pair.a, pair.b)]),
        element("path", d=f"M{_LEFT} {_TOP + _SIDE}L{_LEFT + _SIDE} {_TOP}", class_="diagonal"),
        element("g", *_dots(pair, low, high, x, y), class_="points"),
        *_margins(pair, low, high, x, y),
    ]
    title = f"Predictions of {pair.a} over {pair.b}s"
    return picture(_LEFT + _SIDE + _MARGIN + 8, _TOP + _SIDE + 44, title, *parts, class_="scatter")


def _half(pair: PairedScores) -> Markup:
    if not pair.heavier_half:
        return Markup("")
    corner = f"{_LEFT} {_TOP}" if pair.heavier_half > 0 else f"{_LEFT + _SIDE} {_TOP + _SIDE}"
    return element("path", d=f"M{_LEFT} {_TOP + _SIDE}L{_LEFT + _SIDE} {_TOP}L{corner}Z", class_="half")


def _axes(low: float, high: float, x: Scale, y: Scale, called: list[str], unit: str = "") -> list[Markup]:
    parts = [
        element("rect", x=_LEFT, y=_TOP, width=_SIDE, height=_SIDE, class_="frame"),
    ]
    for value in ticks(low, high, 6):
        at_x, at_y = x(value), y(value)
        text = tick_text(value)
        parts.append(element("text", text, x=at_x, y=_TOP + _SIDE + 16, class_="tick", text_anchor="middle"))
        parts.append(element("text", text, x=_LEFT - 7, y=at_y + 4, class_="tick", text_anchor="end"))
    measured = f" ({shortened(unit, 18)})" if unit else ""
    middle = _LEFT + _SIDE / 2
    parts.append(
        element(
            "text",
            called[1] + measured,
            x=middle,
            y=_TOP + _SIDE + 36,
            class_="label",
            text_anchor="middle",
        )
    )
    turned = f"translate(14 {_TOP + _SIDE / 2:g}) rotate(-90)"
    parts.append(
        element("text", called[0] + measured, transform=turned, class_="label", text_anchor="middle")
    )
    return parts


def _dots(pair: PairedScores, low: float, high: float, x: Scale, y: Scale) -> list[Markup]:
    points = dots(pair)
    if points is None:
        return _shaded(cells(pair, (low, high)).segments)
    largest = points.segments.max()
    return [
        element("circle", cx=x(a), cy=y(b), r=2.2 + 5.8 * ((n - 1) / max(largest - 1, 1)) ** 0.5)
        for a, b, n in zip(*(column.tolist() for column in points), strict=True)
    ]


def _shaded(segments: FloatArray) -> list[Markup]:
    """Return one path for each of ten shades: a page with a thousand squares would be large."""
    step, shades = _SIDE / BINS, np.ceil(10 * np.sqrt(segments / segments.max())).astype(np.int64)
    parts = []
    for shade in range(1, 11):
        squares = "".join(
            f"M{_LEFT + i * step:g} {_TOP + _SIDE - (j + 1) * step:g}h{step:g}v{step:g}h-{step:g}z"
            for i, j in np.argwhere(shades == shade).tolist()
        )
        if squares:
            parts.append(element("path", d=squares, opacity=f"{0.02 + 0.098 * shade:.2f}"))
    return parts


def _middles(pair: PairedScores, x: Scale, y: Scale) -> list[Markup]:
    parts = []
    for (value_y, value_x), kind in zip(pair.middles, ("mean", "median"), strict=True):
        at_x, at_y = x(value_x), y(value_y)
        lines = f"M{at_x:.1f} {_TOP - _MARGIN}V{_TOP + _SIDE}M{_LEFT} {at_y:.1f}H{_LEFT + _SIDE + _MARGIN}"
        parts.append(element("path", d=lines, class_=kind))
    return parts


def _margins(pair: PairedScores, low: float, high: float, x: Scale, y: Scale) -> list[Markup]:
    step = _SIDE / BINS
    parts = []
    for values, axis in ((pair.second, "x"), (pair.first, "y")):
        counts, edges = distribution(values, (low, high))
        for i in np.flatnonzero(counts).tolist():
            size = (_MARGIN - 6) * counts[i] / counts.max()
            place: dict[str, Number] = (
                {"x": x(edges[i]), "y": _TOP - 4 - size, "width": step - 0.6, "height": size}
                if axis == "x"
                else {"x": _LEFT + _SIDE + 4, "y": y(edges[i]) - step, "width": size, "height": step - 0.6}
            )
            parts.append(element("rect", **place))
    return [element("g", *parts, class_="margin")]


def _corners(better: list[str]) -> list[Markup]:
    return [
        element("text", f"{better[0]} better", x=_LEFT + 8, y=_TOP + 18, class_="corner"),
        element(
            "text",
            f"{better[1]} better",
            x=_LEFT + _SIDE - 8,
            y=_TOP + _SIDE - 10,
            class_="corner",
            text_anchor="end",
        ),
    ]


def histogram_picture(pair: PairedScores, *, higher_is_better: bool, unit: str) -> Markup:
    """Return how often which difference occurs: wins of the first system on the right, ties as a bar of their own."""
    difference = pair.differences(higher_is_better=higher_is_better)
    bars = histogram(difference)
    _, tied, _ = pair.wins(higher_is_better=higher_is_better)
    reach = float(max(-bars.low.min(initial=0), bars.high.max(initial=0))) or bar_width(difference)
    x = linear(-reach, reach, 20, _WIDTH - 20)
    y = linear(0, float(max(bars.segments.max(initial=0), tied, 1)), _HEIGHT - 44, 18)
    parts = [
        element("path", d=f"M12 {_HEIGHT - 44}H{_WIDTH - 12}", class_="zero"),
        *_bars(x, y, bars),
    ]
    if tied:
        parts.append(
            element("rect", x=x(0) - 2.5, y=y(tied), width=5, height=_HEIGHT - 44 - y(tied), class_="tie")
        )
    parts += [
        element("text", tick_text(v), x=x(v), y=_HEIGHT - 28, class_="tick", text_anchor="middle")
        for v in ticks(-reach, reach, 7)
    ]
    mean, median = x(float(difference.mean())), x(float(np.median(difference)))
    parts.append(element("path", d=f"M{mean:.1f} 6V{_HEIGHT - 44}", class_="mean"))
    parts.append(element("path", d=f"M{median:.1f} 6V{_HEIGHT - 44}", class_="median"))
    label = f"difference in {shortened(unit, 18)}; right: {shortened(pair.a, 24)} better"
    parts.append(element("text", label, x=_WIDTH / 2, y=_HEIGHT - 8, class_="label", text_anchor="middle"))
    return picture(_WIDTH, _HEIGHT, f"Paired differences of {pair.a} and {pair.b}", *parts, class_="bars")


def _bars(x: Scale, y: Scale, bars: Bars) -> list[Markup]:
    parts = []
    for low, high, segments in zip(*(column.tolist() for column in bars), strict=True):
        start, end, top = x(low), x(high), y(segments)
        place = {
            "x": start + 0.4,
            "y": top,
            "width": max(end - start - 0.8, 0.8),
            "height": _HEIGHT - 44 - top,
        }
        parts.append(element("rect", **place, class_="win" if high > 0 else "loss"))
    return parts
