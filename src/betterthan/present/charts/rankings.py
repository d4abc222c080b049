"""Charts of rankings: strengths with intervals, ranks side by side, agreement, and three ways of aggregating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import TableError, some_of
from betterthan.present.charts.drawing import Drawing, altair, best_only, headed, names, ranking_name, rows
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import limits_around
from betterthan.present.numbers import number, percent
from betterthan.present.tables.ranking import method_name, tests_of
from betterthan.results.agreement import Aggregated, Agreement, RankingComparison
from betterthan.results.ranking import Ranking

WAYS = {"pooled": "pooled", "segment_mean": "mean of segments", "bootstrap_mean": "bootstrap mean"}
MOST_POINTS = 2000
_MOST_NUMBERED = 12
_SIDE, _BINS = 165, 16


def aggregation_chart(
    result: Aggregated | Sequence[Aggregated], theme: Theme, *, title: str | None = None
) -> Drawing:
    """Draw every way of aggregating against every other, a dot a system; on the diagonal the distribution of each.

    Pearson's correlation stands in the cell across the diagonal. Results of several test sets are drawn together.

    References
    ----------
    .. [1] Cavalin, Domingues and Pinhanez (2024), Sentence-level aggregation of lexical metrics correlate stronger with
       human judgments than corpus-level aggregation, figure 1.
    """
    alt = altair()
    results = [result] if isinstance(result, Aggregated) else list(result)
    metrics = list(dict.fromkeys(each.metric for each in results))
    if len(metrics) != 1:
        raise TableError(
            f"These results are of {len(metrics)} metrics ({some_of(metrics)}). Draw one metric at a time."
        )
    values = {way: np.concatenate([getattr(each, way) for each in results])[:MOST_POINTS] for way in WAYS}
    systems = [name for each in results for name in each.systems][:MOST_POINTS]
    cells = [_cell(values, down, across, systems, theme) for down in WAYS for across in WAYS]
    metric = " ".join(names(metrics))
    return headed(
        alt.concat(*cells, columns=len(WAYS), spacing=14),
        theme,
        title=f"{metric}: three ways of aggregating",
        words=_aggregation_words(systems, sum(len(each.systems) for each in results)),
        width=3 * _SIDE + 90,
        override=title,
    )


def _cell(values: dict[str, FloatArray], down: str, across: str, systems: list[str], theme: Theme) -> Drawing:
    place = list(WAYS).index
    if down == across:
        drawn = _distribution(values[down], WAYS[down], theme)
    elif place(down) > place(across):
        drawn = _scatter(values, down, across, systems, theme)
    else:
        drawn = _correlation(values[down], values[across], theme)
    return drawn.properties(width=_SIDE, height=_SIDE)


def pearson(x: FloatArray, y: FloatArray) -> float:
    """Return the correlation of two ways over systems; NaN with fewer than three, or where one is constant."""
    known = ~np.isnan(x + y)
    x, y = x[known], y[known]
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def _correlation(x: FloatArray, y: FloatArray, theme: Theme) -> Drawing:
    alt = altair()
    value = number(pearson(x, y), 3)
    data = rows({"words": [f"r = {value}" if value != "–" else "r undefined"]})
    text = alt.Chart(data).mark_text(fontSize=17, fontWeight=600)
    return text.encode(
        x=alt.value(_SIDE / 2), y=alt.value(_SIDE / 2), text="words:N", color=alt.value(theme.ink)
    )


def _scale(values: FloatArray) -> Drawing:
    limits = limits_around(values, share=0.08) or (0.0, 1.0)
    return altair().Scale(domain=list(limits), nice=False, zero=False)


def _scatter(
    values: dict[str, FloatArray], down: str, across: str, systems: list[str], theme: Theme
) -> Drawing:
    alt = altair()
    data = rows(
        {
            "x": values[across],
            "y": values[down],
            "system": names(systems) if len(systems) <= _MOST_NUMBERED else [name[:60] for name in systems],
            "number": [str(i + 1) for i in range(len(systems))],
        }
    )
    axis = alt.Axis(tickCount=4)
    base = alt.Chart(data).encode(
        x=alt.X("x:Q", title=WAYS[across], scale=_scale(values[across]), axis=axis),
        y=alt.Y("y:Q", title=WAYS[down], scale=_scale(values[down]), axis=axis),
        tooltip=["system:N", "x:Q", "y:Q"],
    )
    dots = base.mark_circle(color=theme.accent, opacity=0.6, size=45 if len(systems) <= 60 else 20)
    if len(systems) > _MOST_NUMBERED:
        return alt.layer(dots)
    return dots + base.mark_text(dx=8, dy=-7, fontSize=10, color=theme.dim).encode(text="number:N")


def _distribution(values: FloatArray, name: str, theme: Theme) -> Drawing:
    alt = altair()
    scale = _scale(values)
    x = {"title": name, "scale": scale, "axis": alt.Axis(tickCount=4)}
    known = values[~np.isnan(values)]
    if known.size <= _MOST_NUMBERED:  # a histogram of so few says nothing
        ticks = alt.Chart(rows({"x": known})).mark_tick(color=theme.accent, thickness=2, size=50)
        return alt.layer(ticks.encode(x=alt.X("x:Q", **x)))
    counts, edges = np.histogram(known, bins=_BINS)
    data = rows({"x": edges[:-1], "end": edges[1:], "systems": counts, "none": [0] * _BINS})
    bars = alt.Chart(data).mark_bar(color=theme.dim, opacity=0.6, stroke=theme.paper, strokeWidth=0.5)
    y = alt.Y("systems:Q", title="systems", axis=alt.Axis(tickCount=3, format="d"))
    return alt.layer(bars.encode(x=alt.X("x:Q", **x), x2="end:Q", y=y, y2="none:Q"))


def _aggregation_words(systems: list[str], total: int) -> list[str]:
    left_out = [f"The first {len(systems)} of {total} systems are shown."] if total > len(systems) else []
    if len(systems) > _MOST_NUMBERED:
        return [f"{len(systems)} systems; r is Pearson's correlation.", *left_out]
    key = ", ".join(f"{i + 1}\u00a0{name}" for i, name in enumerate(names(systems, most=28)))
    return [f"r: Pearson's correlation over {len(systems)} systems. {key}."]


_MOST_ROWS = 66
_AGREEMENT_WIDTH, _STEP = 380, 28


def agreement_chart(result: Agreement, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw for each two rankings which share of the pairs of systems they order alike, and opposite ways."""
    alt = altair()
    shown = sorted(result.comparisons, key=lambda each: -each.flipped)[:_MOST_ROWS]
    parts = {"ordered alike": theme.good, "tied in one": theme.line, "opposite": theme.bad}
    y = alt.Y(
        "place:Q", axis=None, scale=alt.Scale(domain=[len(shown), 0], nice=False, zero=False, padding=0)
    )
    y2 = alt.Y2("below:Q")
    axis = alt.Axis(format="%", tickCount=6)
    bars = alt.Chart(_parts(shown, parts)).mark_rect(stroke=theme.paper, strokeWidth=0.8)
    bars = bars.encode(
        x=alt.X("from:Q", title="share of pairs of systems (%)", scale=alt.Scale(domain=[0, 1]), axis=axis),
        x2="to:Q",
        y=y,
        y2=y2,
        color=alt.Color(
            "part:N",
            scale=alt.Scale(domain=list(parts), range=list(parts.values())),
            legend=alt.Legend(title=None, orient="top"),
        ),
        tooltip=["first:N", "second:N", "part:N", "share:Q"],
    )
    drawn = alt.layer(bars, *_labels(shown, y, theme)).properties(
        width=_AGREEMENT_WIDTH, height=_STEP * len(shown)
    )
    words = [f"{len(result.systems)} systems. At the right: Kendall's tau-b."]
    if len(result.comparisons) > len(shown):
        words.append(
            f"The {len(shown)} most different of {len(result.comparisons)} pairs of rankings are shown."
        )
    return headed(drawn, theme, title="Do the rankings agree?", words=words, width=560, override=title)


def _parts(shown: list[RankingComparison], parts: dict[str, str]) -> Drawing:
    table = []
    for place, each in enumerate(shown):
        start = 0.0
        for part, share in zip(parts, (each.alike, each.tied, each.flipped), strict=True):
            table.append(
                (place + 0.14, place + 0.86, start, start + share, part, share, each.first, each.second)
            )
            start += share
    fields = ("place", "below", "from", "to", "part", "share", "first", "second")
    return rows(dict(zip(fields, zip(*table, strict=True), strict=True)))


def _labels(shown: list[RankingComparison], y: Drawing, theme: Theme) -> list[Drawing]:
    alt = altair()
    called = {
        name: names([ranking_name(name)], most=26)[0] for each in shown for name in (each.first, each.second)
    }
    named = [f"{called[each.first]} and {called[each.second]}" for each in shown]
    tau = [number(each.tau_b, 2) for each in shown]
    data = rows({"place": [place + 0.5 for place in range(len(shown))], "named": named, "tau": tau})
    text = alt.Chart(data).mark_text(fontSize=12, align="right").encode(y=y)
    left = text.encode(x=alt.value(-10), text="named:N", color=alt.value(theme.ink))
    right = text.mark_text(fontSize=12, align="left").encode(
        x=alt.value(_AGREEMENT_WIDTH + 8), text="tau:N", color=alt.value(theme.dim)
    )
    return [left, right]


MOST_SYSTEMS = 100
_WIDTH, _RANKS_WIDTH = 360, 150


def ranking_chart(result: Ranking, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw each system's strength with its interval, and beside it the ranks that the data allow.

    Systems that may be best are in colour; a line separates significance clusters.
    """
    alt = altair()
    shown = min(len(result.systems), MOST_SYSTEMS)
    data = _data(result, shown)
    step = 26 if shown <= 20 else 20 if shown <= 40 else 15
    y = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[shown, 0], nice=False, zero=False, padding=0))
    color = alt.Color(
        "best:N",
        legend=None,
        scale=alt.Scale(domain=["may be best", "not best"], range=[theme.accent, theme.dim]),
    )
    base = alt.Chart(data).encode(y=y, color=color)
    rules = _cluster_rules(result, shown, y, theme)
    size = {"height": step * shown}
    name = method_name(result.settings.method)
    unit = "" if result.unit == name else f" ({result.unit})"
    strengths = _strengths(base, f"{name}{unit}", theme, small=step < 20)
    ranks = _ranks(base, shown, small=step < 20)
    both = alt.hconcat(
        alt.layer(rules, *strengths).properties(width=_WIDTH, **size),
        alt.layer(rules, *ranks).properties(width=_RANKS_WIDTH, **size),
        spacing=24,
    )
    heading = f"Ranking by {name}"
    return headed(both, theme, title=heading, words=_words(result, shown), width=620, override=title)


def _data(result: Ranking, shown: int) -> Drawing:
    return rows(
        {
            "system": names(result.systems[:shown]),
            "place": np.arange(shown) + 0.5,
            "strength": result.strength[:shown],
            "low": result.low[:shown],
            "high": result.high[:shown],
            "rank": result.rank[:shown],
            "rank_low": result.rank_low[:shown],
            "rank_high": result.rank_high[:shown],
            "best": ["may be best" if low == 1 else "not best" for low in result.rank_low[:shown].tolist()],
        }
    )


def _strengths(base: Drawing, axis: str, theme: Theme, *, small: bool) -> list[Drawing]:
    alt = altair()
    x = alt.X("strength:Q", title=axis, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6))
    tooltip = [alt.Tooltip(f"{name}:{kind}") for name, kind in _TOOLTIP]
    intervals = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55).encode(
        x=alt.X("low:Q", title=axis, scale=alt.Scale(zero=False)), x2="high:Q"
    )
    dots = base.mark_point(filled=True, opacity=1, size=40 if small else 75).encode(x=x, tooltip=tooltip)
    labels = base.mark_text(align="right", fontSize=10 if small else 12, color=theme.ink).encode(
        x=alt.value(-10), text="system:N", color=alt.value(theme.ink)
    )
    return [intervals, dots, labels]


_TOOLTIP = (("system", "N"), ("strength", "Q"), ("low", "Q"), ("high", "Q"), ("rank", "Q"))


def _ranks(base: Drawing, shown: int, *, small: bool) -> list[Drawing]:
    alt = altair()
    scale = alt.Scale(domain=[0.5, max(shown, 2) + 0.5], nice=False, zero=False)
    axis = alt.Axis(format="d", values=_ticks(shown), grid=True)
    title = "rank and rank range"
    bars = base.mark_rule(strokeWidth=5 if small else 8, strokeCap="round", opacity=0.4).encode(
        x=alt.X("rank_low:Q", title=title, scale=scale, axis=axis), x2="rank_high:Q"
    )
    dots = base.mark_point(filled=True, opacity=1, size=28 if small else 50).encode(
        x=alt.X("rank:Q", scale=scale, title=title, axis=axis)
    )
    return [bars, dots]


def _ticks(shown: int) -> list[int]:
    """Return whole ranks to be marked on the axis, at most eight of them.

    Examples
    --------
    >>> _ticks(3), _ticks(12), _ticks(60)
    ([1, 2, 3], [1, 3, 5, 7, 9, 11], [1, 11, 21, 31, 41, 51])
    """
    step = next(step for step in (1, 2, 5, 10, 20, 50) if shown <= 8 * step)
    return list(range(1, shown + 1, step))


def _cluster_rules(result: Ranking, shown: int, y: Drawing, theme: Theme) -> Drawing:
    ends = [i + 1 for i in range(shown - 1) if result.cluster[i] != result.cluster[i + 1]]
    return altair().Chart(rows({"place": ends})).mark_rule(color=theme.dim, opacity=0.5).encode(y=y)


def _words(result: Ranking, shown: int) -> list[str]:
    level = f"{1 - result.confidence:.3g}"
    best = int((result.rank_low == 1).sum())
    colour = "In color: the best system" if best == 1 else f"In color: the {best} systems that may be best"
    legend = f"{colour}, by {tests_of(result)} at level {level}. Lines separate significance clusters."
    gaps = int(np.isnan(result.low[:shown]).sum())
    undrawn = [f"{gaps} of {shown} systems have no interval."] if gaps else []
    return [
        f"Dots with {percent(result.confidence)} intervals. {legend}",
        *undrawn,
        *best_only(len(result.systems), shown),
    ]


_BETWEEN = 150


def ranks_chart(rankings: Mapping[str, Ranking], theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the place of every system in each ranking, and join them; systems that change rank are in colour.

    The number in a dot is the rank, so that ties show; many systems leave no room for it.
    """
    alt = altair()
    ranking_names = list(rankings)
    systems = rankings[ranking_names[0]].systems[:MOST_SYSTEMS]
    _check(rankings)
    data, moved = _ranks_data(rankings, systems)
    m, k = len(rankings[ranking_names[0]].systems), len(ranking_names)
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
        _columns(ranking_names, x, theme),
    ]
    drawn = alt.layer(*layers).properties(width=_BETWEEN * (k - 1), height=step * m)
    words = [f"In color: the {moved} of {m} systems whose rank differs.", *best_only(m, MOST_SYSTEMS)]
    return headed(
        drawn, theme, title="Ranks side by side", words=words, width=_BETWEEN * k + 160, override=title
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


def _ranks_data(rankings: Mapping[str, Ranking], systems: tuple[str, ...]) -> tuple[Drawing, int]:
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
    moved = sum(_moved(each) == "other rank" for each in ranks.values())
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


def _columns(ranking_names: list[str], x: Drawing, theme: Theme) -> Drawing:
    alt = altair()
    data = rows(
        {
            "column": list(range(len(ranking_names))),
            "ranking": names([ranking_name(name) for name in ranking_names], most=22),
        }
    )
    text = alt.Chart(data).mark_text(baseline="bottom", fontWeight=600, fontSize=12)
    return text.encode(x=x, y=alt.value(-6), text="ranking:N", color=alt.value(theme.ink))
