"""Evidence that grows: the e-values of pairs of systems over the number of units."""

from __future__ import annotations

import math

from markupsafe import Markup

from betterthan.present.tables.decisions import counted_units
from betterthan.report.figures.svg import Scale, element, linear, picture, ticks
from betterthan.report.wording import shortened
from betterthan.results.decisions import Watch

_WIDTH, _HEIGHT = 660, 290
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 210, 16, 46
_LONGEST = 25
MOST_LINES = 4
_LOWEST, _HIGHEST = -2.0, 6.0
"""Powers of ten beyond which evidence is drawn at the edge."""
_APART = 17


def evidence_picture(result: Watch) -> Markup:
    """Return one line for each pair with its e-value after so many units, those with the most evidence.

    The dashed line is the e-value that decides a single pair. The height is logarithmic.
    """
    order = sorted(range(len(result)), key=lambda i: (-float(result.curve_log_e[i].max(initial=0.0)), i))
    chosen = order[:MOST_LINES]
    powers = {i: [_power(each) for each in result.curve_log_e[i].tolist()] for i in chosen}
    enough = -math.log10(result.alpha)
    low = min([-0.3, *(power for line in powers.values() for power in line)])
    high = max([1.2 * enough, *(1.05 * power for line in powers.values() for power in line)])
    x = linear(0, max(1, result.n_units), _LEFT, _WIDTH - _RIGHT)
    y = linear(low, high, _HEIGHT - _BOTTOM, _TOP)
    parts = _axes(result, low, high, x, y)
    taken: list[float] = []
    for tone, i in enumerate(chosen):
        path = "M" + "L".join(
            f"{x(n):.1f} {y(power):.1f}"
            for n, power in zip(result.curve_unit.tolist(), powers[i], strict=True)
        )
        parts.append(element("path", d=path, class_=f"line tone{tone}"))
        name = f"{result.a[i]} and {result.b[i]}"
        at = _free(y(powers[i][-1]) + 4, taken)
        label = shortened(name, _LONGEST)
        parts.append(
            element(
                "text", label, element("title", name), x=_WIDTH - _RIGHT + 8, y=at, class_=f"label end{tone}"
            )
        )
    parts += _enough(result, y)
    return picture(_WIDTH, _HEIGHT, f"E-values by the number of {result.unit}", *parts, class_="wide")


def _power(log_e: float) -> float:
    return min(max(log_e / math.log(10), _LOWEST), _HIGHEST)


def _axes(result: Watch, low: float, high: float, x: Scale, y: Scale) -> list[Markup]:
    parts: list[Markup] = []
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = y(power)
        text = f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"
        parts.append(element("path", d=f"M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}", class_="grid"))
        parts.append(element("text", text, x=_LEFT - 6, y=at + 4, class_="tick", text_anchor="end"))
    parts += [
        element("text", f"{value:,g}", x=x(value), y=_HEIGHT - 27, class_="tick", text_anchor="middle")
        for value in ticks(0, max(1, result.n_units), 6)
    ]
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(
        element("text", counted_units(result), x=middle, y=_HEIGHT - 6, class_="label", text_anchor="middle")
    )
    turned = f"translate(13 {(_TOP + _HEIGHT - _BOTTOM) / 2:g}) rotate(-90)"
    parts.append(element("text", "e-value", transform=turned, class_="label", text_anchor="middle"))
    return parts


def _enough(result: Watch, y: Scale) -> list[Markup]:
    at = y(-math.log10(result.alpha))
    return [
        element("path", d=f"M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}", class_="median"),
        element("text", f"{1 / result.alpha:.4g} decides", x=_LEFT + 6, y=at - 6, class_="corner"),
    ]


def _free(height: float, taken: list[float]) -> float:
    """Return the height nearest to this one at which a name covers no other."""
    near = sorted((height + 2 * step for step in range(-60, 61)), key=lambda at: abs(at - height))
    clear = (
        at
        for at in near
        if 12 < at < _HEIGHT - _BOTTOM + 6 and all(abs(at - other) >= _APART for other in taken)
    )
    at = next(clear, height)
    taken.append(at)
    return at
