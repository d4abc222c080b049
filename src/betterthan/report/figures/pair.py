"""Two systems segment by segment: the graphical criterion with its margins, and the histogram of differences.

The numbers are those of the charts of `present`: the same dots or cells, the same bars that end at 0.
"""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from betterthan.arrays import FloatArray
from betterthan.present.charts.differences import bar_width
from betterthan.present.charts.drawing import names
from betterthan.present.charts.paired import Paired, wins
from betterthan.present.charts.scatter import MOST_DOTS
from betterthan.report.figures.svg import Number, Scale, element, linear, picture, tick_text, ticks

_SIDE, _LEFT, _TOP, _MARGIN = 360, 58, 50, 44
_BINS = 40
_WIDTH, _HEIGHT = 420, 210


def scatter_picture(pair: Paired, *, higher_is_better: bool, unit: str) -> Markup:
    """Return the plane of two systems: a dot a segment, means solid, medians dashed, the heavier half shaded.

    A dot or cell carries where it lies (``data-x``, ``data-y`` and their widths), so that a script can find its
    segments.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; figure 2.
    """
    low, high = limits_of(pair)
    x = linear(low, high, _LEFT, _LEFT + _SIDE)
    y = linear(low, high, _TOP + _SIDE, _TOP)
    called = names([pair.a, pair.b], most=24)
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


def limits_of(pair: Paired) -> tuple[float, float]:
    """Return from where to where both axes reach."""
    low = float(min(pair.first.min(), pair.second.min()))
    high = float(max(pair.first.max(), pair.second.max()))
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def _half(pair: Paired) -> Markup:
    above, below = (pair.first > pair.second).sum(), (pair.first < pair.second).sum()
    if above == below:
        return Markup("")
    corner = f"{_LEFT} {_TOP}" if above > below else f"{_LEFT + _SIDE} {_TOP + _SIDE}"
    return element("path", d=f"M{_LEFT} {_TOP + _SIDE}L{_LEFT + _SIDE} {_TOP}L{corner}Z", class_="half")


def _axes(low: float, high: float, x: Scale, y: Scale, called: list[str], unit: str) -> list[Markup]:
    parts = [
        element("rect", x=_LEFT, y=_TOP, width=_SIDE, height=_SIDE, class_="frame"),
    ]
    for value in ticks(low, high, 6):
        at_x, at_y = x(value), y(value)
        text = tick_text(value)
        parts.append(element("text", text, x=at_x, y=_TOP + _SIDE + 16, class_="tick", text_anchor="middle"))
        parts.append(element("text", text, x=_LEFT - 7, y=at_y + 4, class_="tick", text_anchor="end"))
    measured = f" ({names([unit], most=18)[0]})"
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


def _dots(pair: Paired, low: float, high: float, x: Scale, y: Scale) -> list[Markup]:
    points, counts = np.unique(np.stack([pair.second, pair.first], axis=1), axis=0, return_counts=True)
    if len(points) <= MOST_DOTS:
        largest = counts.max()
        return [
            element("circle", cx=x(a), cy=y(b), r=2.2 + 5.8 * ((n - 1) / max(largest - 1, 1)) ** 0.5)
            for (a, b), n in zip(points.tolist(), counts.tolist(), strict=True)
        ]
    cells, _, _ = np.histogram2d(pair.second, pair.first, bins=_BINS, range=[(low, high)] * 2)
    return _shaded(cells)


def _shaded(cells: FloatArray) -> list[Markup]:
    """Return one path for each of ten shades: a page with a thousand squares would be large."""
    step, shades = _SIDE / _BINS, np.ceil(10 * np.sqrt(cells / cells.max())).astype(np.int64)
    parts = []
    for shade in range(1, 11):
        squares = "".join(
            f"M{_LEFT + i * step:g} {_TOP + _SIDE - (j + 1) * step:g}h{step:g}v{step:g}h-{step:g}z"
            for i, j in np.argwhere(shades == shade).tolist()
        )
        if squares:
            parts.append(element("path", d=squares, opacity=f"{0.02 + 0.098 * shade:.2f}"))
    return parts


def _middles(pair: Paired, x: Scale, y: Scale) -> list[Markup]:
    parts = []
    for value_x, value_y, kind in (
        (pair.second.mean(), pair.first.mean(), "mean"),
        (np.median(pair.second), np.median(pair.first), "median"),
    ):
        at_x, at_y = x(float(value_x)), y(float(value_y))
        lines = f"M{at_x:.1f} {_TOP - _MARGIN}V{_TOP + _SIDE}M{_LEFT} {at_y:.1f}H{_LEFT + _SIDE + _MARGIN}"
        parts.append(element("path", d=lines, class_=kind))
    return parts


def _margins(pair: Paired, low: float, high: float, x: Scale, y: Scale) -> list[Markup]:
    step = _SIDE / _BINS
    parts = []
    for values, axis in ((pair.second, "x"), (pair.first, "y")):
        counts, edges = np.histogram(values, bins=_BINS, range=(low, high))
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


def histogram_picture(pair: Paired, *, higher_is_better: bool, unit: str) -> Markup:
    """Return how often which difference occurs: wins of the first system on the right, ties as a bar of their own."""
    difference = pair.first - pair.second if higher_is_better else pair.second - pair.first
    step = bar_width(difference)
    bars, counts = _bars(difference, step)
    _, tied, _ = wins(pair, higher_is_better=higher_is_better)
    reach = max(float(np.abs(bars).max(initial=1)), 1.0) * step
    x = linear(-reach, reach, 20, _WIDTH - 20)
    y = linear(0, float(max(counts.max(initial=0), tied, 1)), _HEIGHT - 44, 18)
    parts = [
        element("path", d=f"M12 {_HEIGHT - 44}H{_WIDTH - 12}", class_="zero"),
        *(_bar(x, y, bar, count, step) for bar, count in zip(bars.tolist(), counts.tolist(), strict=True)),
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
    called = names([pair.a], most=24)[0]
    label = f"difference in {names([unit], most=18)[0]}; right: {called} better"
    parts.append(element("text", label, x=_WIDTH / 2, y=_HEIGHT - 8, class_="label", text_anchor="middle"))
    return picture(_WIDTH, _HEIGHT, f"Paired differences of {pair.a} and {pair.b}", *parts, class_="bars")


def _bars(difference: FloatArray, step: float) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of the bars (1 is the first right of 0, −1 the first left of it) and their counts."""
    known = difference[difference != 0]
    # A difference of exactly one step belongs to the first bar on either side.
    return np.unique(np.sign(known) * np.ceil(np.abs(known) / step - 1e-9), return_counts=True)


def _bar(x: Scale, y: Scale, bar: float, count: float, step: float) -> Markup:
    left = (bar - 1 if bar > 0 else bar) * step
    start, end = x(left), x(left + step)
    top = y(count)
    return element(
        "rect",
        x=start + 0.4,
        y=top,
        width=max(end - start - 0.8, 0.8),
        height=_HEIGHT - 44 - top,
        class_="win" if bar > 0 else "loss",
    )
