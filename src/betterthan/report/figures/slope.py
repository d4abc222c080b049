"""Ranks by several ways of aggregating, side by side; who changes place is drawn in colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from betterthan.report.figures.svg import element, picture
from betterthan.results.ranking import Ranking

_STEP, _TOP, _NAMES, _GAP = 26, 34, 190, 130
_LONGEST = 26
MOST_SYSTEMS = 40


def slope_picture(rankings: Mapping[str, Ranking], title: str) -> Markup:
    """Return the picture: a column a ranking, a line a system from its rank in one to its rank in the next."""
    names = list(rankings)
    systems = next(iter(rankings.values())).systems[:MOST_SYSTEMS]
    width = _NAMES + _GAP * (len(names) - 1) + 60
    columns = [_NAMES + _GAP * k for k in range(len(names))]
    places = {name: _places(ranking) for name, ranking in rankings.items()}
    height = _TOP + _STEP * max(places[name][system] for name in names for system in systems) + 6
    parts = [
        element("text", name, x=x, y=14, class_="label strong", text_anchor="middle")
        for name, x in zip(names, columns, strict=True)
    ]
    for system in systems:
        parts += _line([places[name][system] for name in names], system, columns)
    return picture(width, height, title, *parts)


def _places(ranking: Ranking) -> dict[str, int]:
    return dict(zip(ranking.systems, range(1, len(ranking.systems) + 1), strict=True))


def _line(places: Sequence[int], system: str, columns: Sequence[int]) -> list[Markup]:
    y = [_TOP + _STEP * (place - 0.5) for place in places]
    tone = "moves" if len(set(places)) > 1 else "stays"
    path = "M" + "L".join(f"{x} {at:g}" for x, at in zip(columns, y, strict=True))
    name = system if len(system) <= _LONGEST else system[: _LONGEST - 1] + "…"
    return [
        element("path", d=path, class_=f"slope {tone}"),
        *(
            element("circle", cx=x, cy=at, r=5, class_=f"spot {tone}")
            for x, at in zip(columns, y, strict=True)
        ),
        element(
            "text",
            name,
            element("title", system),
            x=columns[0] - 14,
            y=y[0] + 4,
            class_="label",
            text_anchor="end",
        ),
        element("text", str(places[-1]), x=columns[-1] + 14, y=y[-1] + 4, class_="tick"),
    ]
