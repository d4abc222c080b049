"""Ranks by several ways of aggregating, side by side; systems whose order is reversed are drawn in color."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from markupsafe import Markup

from betterthan.report.figures.svg import element, picture
from betterthan.report.wording import shortened
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
