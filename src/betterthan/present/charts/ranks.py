"""Ranks by several rankings, side by side: who changes place."""

from __future__ import annotations

from collections.abc import Mapping

from betterthan.errors import TableError
from betterthan.present.charts.drawing import Drawing, altair, best_only, headed, names, ranking_name, rows
from betterthan.present.charts.theme import Theme
from betterthan.results.ranking import Ranking

MOST_SYSTEMS = 100
_BETWEEN = 150


def ranks_chart(rankings: Mapping[str, Ranking], theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the place of every system in each ranking, and join them; systems that change rank are in colour.

    The number in a dot is the rank, so that ties show; many systems leave no room for it.
    """
    alt = altair()
    given = list(rankings)
    systems = rankings[given[0]].systems[:MOST_SYSTEMS]
    _check(rankings)
    data, moved = _data(rankings, systems)
    m, k = len(rankings[given[0]].systems), len(given)
    step = 26 if m <= 20 else 20 if m <= 40 else 15
    x = alt.X("column:Q", axis=None, scale=alt.Scale(domain=[0, max(k - 1, 1)], nice=False, zero=False))
    y = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[m, 0], nice=False, zero=False, padding=0))
    color = alt.Color(
        "moved:N",
        legend=None,
        scale=alt.Scale(domain=["same rank", "other rank"], range=[theme.dim, theme.bad]),
    )
    base = alt.Chart(data).encode(x=x, y=y, color=color)
    layers = [
        base.mark_line(strokeWidth=2, opacity=0.6).encode(detail="number:N"),
        base.mark_point(filled=True, opacity=1, size=45 if step < 20 else 230),
        *_numbers(base if step >= 20 else None, theme),
        *_names(data, k, x, y, theme, small=step < 20),
        _columns(given, x, theme),
    ]
    drawn = alt.layer(*layers).properties(width=_BETWEEN * (k - 1), height=step * m)
    words = [f"In colour: the {moved} of {m} systems whose rank differs.", *best_only(m, MOST_SYSTEMS)]
    return headed(
        drawn, theme, title="Ranks side by side", words=words, width=_BETWEEN * k + 160, wanted=title
    )


def _check(rankings: Mapping[str, Ranking]) -> None:
    if len(rankings) < 2:
        raise TableError("One ranking has nothing to stand beside. Give two or more: {name: ranking, …}.")
    first, *others = rankings.items()
    for name, ranking in others:
        if set(ranking.systems) != set(first[1].systems):
            raise TableError(
                f'"{first[0]}" and "{name}" do not rank the same systems. Rank both on the same ones.'
            )


def _data(rankings: Mapping[str, Ranking], systems: tuple[str, ...]) -> tuple[Drawing, int]:
    called = dict(zip(systems, names(systems), strict=True))
    ranks: dict[str, list[int]] = {name: [] for name in systems}
    places: dict[str, list[int]] = {name: [] for name in systems}
    for ranking in rankings.values():
        for place, (name, rank) in enumerate(zip(ranking.systems, ranking.rank.tolist(), strict=True)):
            if name in ranks:
                ranks[name].append(rank)
                places[name].append(place)
    table = [
        (called[name], number, column, places[name][column] + 0.5, rank, _moved(ranks[name]))
        for number, name in enumerate(systems)
        for column, rank in enumerate(ranks[name])
    ]
    fields = ("system", "number", "column", "place", "rank", "moved")
    moved = sum(_moved(found) == "other rank" for found in ranks.values())
    return rows(dict(zip(fields, zip(*table, strict=True), strict=True))), moved


def _moved(ranks: list[int]) -> str:
    return "same rank" if len(set(ranks)) == 1 else "other rank"


def _numbers(base: Drawing, theme: Theme) -> list[Drawing]:
    """Write the rank into each dot; small dots have no room for it."""
    alt = altair()
    if base is None:
        return []
    text = base.mark_text(fontSize=10, fontWeight="bold")
    return [text.encode(text="rank:N", color=alt.value(theme.paper))]


def _names(data: Drawing, k: int, x: Drawing, y: Drawing, theme: Theme, *, small: bool) -> list[Drawing]:
    alt = altair()
    drawn = []
    for column, align, shift in ((0, "right", -14), (k - 1, "left", 14)):
        text = alt.Chart(data).transform_filter(f"datum.column == {column}")
        text = text.mark_text(align=align, dx=shift, fontSize=10 if small else 12)
        drawn.append(text.encode(x=x, y=y, text="system:N", color=alt.value(theme.ink)))
    return drawn


def _columns(given: list[str], x: Drawing, theme: Theme) -> Drawing:
    alt = altair()
    data = rows(
        {"column": list(range(len(given))), "ranking": names([ranking_name(name) for name in given], most=22)}
    )
    text = alt.Chart(data).mark_text(baseline="bottom", fontWeight=600, fontSize=12)
    return text.encode(x=x, y=alt.value(-6), text="ranking:N", color=alt.value(theme.ink))
