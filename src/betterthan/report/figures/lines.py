"""Lines: ranks by several ways of aggregating, reversed pairs in color; and evidence over the number of units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from markupsafe import Markup

from betterthan.present.tables.decisions import counted_units
from betterthan.report.figures.marks import Scale, element, linear, picture, ticks
from betterthan.report.wording import shortened
from betterthan.results.decisions import Watch
from betterthan.results.ranking import Ranking

_STEP, _TOP, _GAP = 26, 34, 130
_LETTER = 7.6  # width of an average letter of a label
_LONGEST = 34
MOST_SYSTEMS = 40


def slope_picture(rankings: Mapping[str, Ranking], title: str) -> Markup:
    """Return the picture: one column per ranking, and one line per system from its place in one to the next.

    Systems that share a rank are joined by a bar. Among them the order of the column before is kept, so that lines
    cross only where two rankings order a pair in opposite ways.
    """
    names = list(rankings)
    systems = next(iter(rankings.values())).systems[:MOST_SYSTEMS]
    ranks = {name: _ranks(ranking, systems) for name, ranking in rankings.items()}
    places = _places(list(ranks.values()), systems)
    reversed_systems = _reversed(list(ranks.values()), systems)
    left = 26 + _LETTER * max(len(shortened(system, _LONGEST)) for system in systems)
    columns = [left + _GAP * k for k in range(len(names))]
    parts = [
        element("text", shortened(name, 18), x=x, y=14, class_="label strong", text_anchor="middle")
        for name, x in zip(names, columns, strict=True)
    ]
    for x, column, rank in zip(columns, places, ranks.values(), strict=True):
        parts += _ties(x, column, rank)
    for system in systems:
        drawn = [column[system] for column in places]
        last_rank = ranks[names[-1]][system]
        parts += _line(drawn, system, columns, last_rank, is_reversed=system in reversed_systems)
    width, height = columns[-1] + 76, _TOP + _STEP * len(systems) + 6
    return picture(width, height, title, *parts, class_="wide")


def _ranks(ranking: Ranking, systems: Sequence[str]) -> dict[str, int]:
    rank = dict(zip(ranking.systems, ranking.rank.tolist(), strict=True))
    return {system: int(rank[system]) for system in systems}


def _places(ranks: Sequence[Mapping[str, int]], systems: Sequence[str]) -> list[dict[str, int]]:
    """Return the height of each system in each column: by rank, and among equals as in the column before."""
    order, places = list(systems), []
    for rank in ranks:
        order.sort(key=rank.__getitem__)
        places.append({system: place for place, system in enumerate(order, 1)})
    return places


def _reversed(ranks: Sequence[Mapping[str, int]], systems: Sequence[str]) -> set[str]:
    """Return the systems that are in a pair which two rankings order in opposite ways."""
    return {
        system
        for pair in combinations(systems, 2)
        if {_order(rank, *pair) for rank in ranks} >= {-1, 1}
        for system in pair
    }


def _order(rank: Mapping[str, int], a: str, b: str) -> int:
    return (rank[a] > rank[b]) - (rank[a] < rank[b])


def _height(place: int) -> float:
    return _TOP + _STEP * (place - 0.5)


def _ties(x: float, places: Mapping[str, int], rank: Mapping[str, int]) -> list[Markup]:
    """Return a bar between neighbors that share a rank."""
    return [
        element("path", d=f"M{x:g} {_height(places[a]):g}V{_height(places[b]):g}", class_="tied")
        for a, b in pairwise(sorted(places, key=places.__getitem__))
        if rank[a] == rank[b]
    ]


def _line(
    places: Sequence[int], system: str, columns: Sequence[float], last_rank: int, *, is_reversed: bool
) -> list[Markup]:
    heights = [_height(place) for place in places]
    tone = "moves" if is_reversed else "stays"
    path = "M" + "L".join(f"{x:g} {at:g}" for x, at in zip(columns, heights, strict=True))
    return [
        element("path", d=path, class_=f"slope {tone}"),
        *(
            element("circle", cx=x, cy=at, r=5, class_=f"spot {tone}")
            for x, at in zip(columns, heights, strict=True)
        ),
        element(
            "text",
            shortened(system, _LONGEST),
            element("title", system),
            x=columns[0] - 14,
            y=heights[0] + 4,
            class_="label",
            text_anchor="end",
        ),
        element("text", str(last_rank), x=columns[-1] + 14, y=heights[-1] + 4, class_="tick"),
    ]


_WIDTH, _HEIGHT = 660, 290
_LEFT, _RIGHT, _EVIDENCE_TOP, _BOTTOM = 66, 210, 16, 46
_LONGEST_LABEL = 25
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
    y = linear(low, high, _HEIGHT - _BOTTOM, _EVIDENCE_TOP)
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
        label = shortened(name, _LONGEST_LABEL)
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
    turned = f"translate(13 {(_EVIDENCE_TOP + _HEIGHT - _BOTTOM) / 2:g}) rotate(-90)"
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
