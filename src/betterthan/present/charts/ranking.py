"""Rankings drawn: strengths with intervals, ranks side by side, agreement, and three aggregation methods.

What kind of scores these are, system by system: outliers, rank variation, and correlation with the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import TableError, some_of
from betterthan.present.charts.drawing import (
    Drawing,
    altair,
    best_only,
    counted,
    headed,
    names,
    number_axis,
    ranking_name,
    rows,
    widest,
)
from betterthan.present.charts.panels import MOST_ROWS, DotPanel, panels_chart, width_of
from betterthan.present.charts.theme import Theme
from betterthan.present.geometry import limits_around, rank_ticks
from betterthan.present.numbers import number, percent
from betterthan.present.tables.ranking import tests_of
from betterthan.present.tables.standing import method_name
from betterthan.results.checkup import Diagnosis
from betterthan.results.ranking import Aggregated, Agreement, Ranking, RankingComparison

WAYS = {"pooled": "pooled", "segment_mean": "mean of segments", "bootstrap_mean": "bootstrap mean"}
MOST_POINTS = 2000
_MOST_NUMBERED = 12
_SIDE, _BETWEEN_CELLS, _BINS = 165, 58, 16


def aggregation_chart(
    result: Aggregated | Sequence[Aggregated], theme: Theme, *, title: str | None = None
) -> Drawing:
    """Draw every aggregation method against every other, one dot per system; the diagonal shows distributions.

    Pearson's correlation is in the cell across the diagonal. Results of several test sets are drawn together.

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
        alt.concat(*cells, columns=len(WAYS), spacing=_BETWEEN_CELLS, bounds="flush"),
        theme,
        title=f"{metric}: three aggregation methods",
        words=_aggregation_words(systems, sum(len(each.systems) for each in results)),
        width=3 * _SIDE + 2 * _BETWEEN_CELLS + 40,
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
    """Return the correlation of two methods over systems; NaN with fewer than three, or where one is constant."""
    known = ~np.isnan(x + y)
    x, y = x[known], y[known]
    if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def _correlation(x: FloatArray, y: FloatArray, theme: Theme) -> Drawing:
    alt = altair()
    value = pearson(x, y)
    data = rows({"words": ["r is undefined" if np.isnan(value) else f"r = {number(value, 3)}"]})
    text = alt.Chart(data).mark_text(fontSize=13 if np.isnan(value) else 17, fontWeight=600)
    return text.encode(
        x=alt.value(_SIDE / 2), y=alt.value(_SIDE / 2), text="words:N", color=alt.value(theme.ink)
    )


def _axis(values: FloatArray, *, across: bool = True) -> dict[str, Drawing]:
    limits = limits_around(values, share=0.1) or (0.0, 1.0)
    return number_axis(limits, _SIDE, across=across)


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
    base = alt.Chart(data).encode(
        x=alt.X("x:Q", title=WAYS[across], **_axis(values[across])),
        y=alt.Y("y:Q", title=WAYS[down], **_axis(values[down], across=False)),
        tooltip=["system:N", "x:Q", "y:Q"],
    )
    dots = base.mark_circle(color=theme.accent, opacity=0.6, size=45 if len(systems) <= 60 else 20)
    if len(systems) > _MOST_NUMBERED:
        return alt.layer(dots)
    layers = [dots]
    for (right, up), numbers in _labels_apart(values[across], values[down]).items():
        text = base.mark_text(dx=right, dy=-up, fontSize=10, color=theme.dim).encode(text="number:N")
        layers.append(text.transform_filter(alt.FieldOneOfPredicate(field="number", oneOf=numbers)))
    return alt.layer(*layers)


_CORNERS = ((8, 7), (-8, 7), (8, -8), (-8, -8))
"""Where the number of a dot may be, in pixels to its right and above it, the best place first."""


def _labels_apart(x: FloatArray, y: FloatArray) -> dict[tuple[int, int], list[str]]:
    """Return the numbers of dots by the corner at which they lie on no other dot and no other number.

    A dot without such a corner has no number.
    """
    corners: dict[tuple[int, int], list[str]] = {}
    with np.errstate(invalid="ignore", divide="ignore"):
        pixels = [_SIDE * (each - np.nanmin(each)) / (1.2 * np.ptp(each[~np.isnan(each)])) for each in (x, y)]
    dots = list(zip(*(np.nan_to_num(each).tolist() for each in pixels), strict=True))
    labels: list[tuple[float, float]] = []
    for i, (across, up) in enumerate(dots):
        others = [*labels, *dots[:i], *dots[i + 1 :]]
        for corner in _CORNERS:
            label = (across + corner[0], up + corner[1])
            if all(abs(label[0] - left) > 11 or abs(label[1] - below) > 9 for left, below in others):
                labels.append(label)
                corners.setdefault(corner, []).append(str(i + 1))
                break
    return corners


def _distribution(values: FloatArray, name: str, theme: Theme) -> Drawing:
    alt = altair()
    x = {"title": name, **_axis(values)}
    known = values[~np.isnan(values)]
    if known.size <= _MOST_NUMBERED:  # a histogram of so few says nothing
        ticks = alt.Chart(rows({"x": known})).mark_tick(color=theme.accent, thickness=2, size=50)
        return alt.layer(ticks.encode(x=alt.X("x:Q", **x)))
    counts, edges = np.histogram(known, bins=_BINS)
    data = rows({"x": edges[:-1], "end": edges[1:], "systems": counts, "none": [0] * _BINS})
    bars = alt.Chart(data).mark_bar(color=theme.dim, opacity=0.6, stroke=theme.paper, strokeWidth=0.5)
    y = alt.Y("systems:Q", title="systems", axis=alt.Axis(tickCount=3, tickMinStep=1, format="d"))
    return alt.layer(bars.encode(x=alt.X("x:Q", **x), x2="end:Q", y=y, y2="none:Q"))


def _aggregation_words(systems: list[str], total: int) -> list[str]:
    left_out = [f"The first {len(systems):,} of {total:,} systems are shown."] if total > len(systems) else []
    if len(systems) > _MOST_NUMBERED:
        return [f"{len(systems):,} systems. r: Pearson's correlation over systems.", *left_out]
    key = ", ".join(f"{i + 1}\u00a0{name}" for i, name in enumerate(names(systems, most=28)))
    return [f"r: Pearson's correlation over {counted(len(systems), 'system')}. {key}."]


_MOST_ROWS = 66
_AGREEMENT_WIDTH, _STEP = 380, 28


def agreement_chart(result: Agreement, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw for each two rankings the share of system pairs that they order alike, and in opposite ways."""
    alt = altair()
    shown = sorted(result.comparisons, key=lambda each: -each.flipped)[:_MOST_ROWS]
    parts = {"same order": theme.good, "tied in one": theme.line, "opposite order": theme.bad}
    y = alt.Y(
        "place:Q", axis=None, scale=alt.Scale(domain=[len(shown), 0], nice=False, zero=False, padding=0)
    )
    y2 = alt.Y2("below:Q")
    axis = number_axis((0, 1), _AGREEMENT_WIDTH, percent=True)
    bars = alt.Chart(_parts(shown, parts)).mark_rect(stroke=theme.paper, strokeWidth=0.8)
    bars = bars.encode(
        x=alt.X("from:Q", title="share of system pairs", **axis),
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
    words = [f"{counted(len(result.systems), 'system')}. Numbers on the right: Kendall's tau-b."]
    if len(result.comparisons) > len(shown):
        words.append(
            f"The {len(shown)} most different of {len(result.comparisons):,} pairs of rankings are shown."
        )
    width = widest(_pair_names(shown)) + _AGREEMENT_WIDTH + 50
    return headed(drawn, theme, title="Do the rankings agree?", words=words, width=width, override=title)


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


def _pair_names(shown: list[RankingComparison]) -> list[str]:
    distinct = list(dict.fromkeys(name for each in shown for name in (each.first, each.second)))
    called = dict(zip(distinct, names([ranking_name(name) for name in distinct], most=26), strict=True))
    return [f"{called[each.first]} and {called[each.second]}" for each in shown]


def _labels(shown: list[RankingComparison], y: Drawing, theme: Theme) -> list[Drawing]:
    alt = altair()
    named = _pair_names(shown)
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
    """Draw each system's strength with its interval, and its rank range.

    Systems that may be best are in color; a line separates significance clusters.
    """
    alt = altair()
    shown = min(len(result.systems), MOST_SYSTEMS)
    data = _data(result, shown)
    step = 26 if shown <= 20 else 20 if shown <= 40 else 15
    y = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[shown, 0], nice=False, zero=False, padding=0))
    color = alt.Color(
        "best:N",
        legend=None,
        scale=alt.Scale(domain=["may be best", "not best"], range=[theme.accent, theme.rest]),
    )
    base = alt.Chart(data).encode(y=y, color=color)
    rules = _cluster_rules(result, shown, y, theme)
    size = {"height": step * shown}
    name = method_name(result.settings.method)
    unit = "" if result.unit == name else f" ({result.unit})"
    ends = np.concatenate([each[:shown] for each in (result.strength, result.low, result.high)])
    axis = number_axis(limits_around(ends, share=0.03) or (0.0, 1.0), _WIDTH)
    strengths = _strengths(base, {"title": f"{name}{unit}", **axis}, theme, small=step < 20)
    ranks = _ranks(base, shown, small=step < 20)
    both = alt.hconcat(
        alt.layer(rules, *strengths).properties(width=_WIDTH, **size),
        alt.layer(rules, *ranks).properties(width=_RANKS_WIDTH, **size),
        spacing=24,
    )
    heading = f"Ranking by {name}"
    beside = widest(names(result.systems[:shown]), 10 if step < 20 else 12) + 10
    width = beside + _WIDTH + _RANKS_WIDTH + 24
    return headed(both, theme, title=heading, words=_words(result, shown), width=width, override=title)


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


def _strengths(base: Drawing, axis: dict[str, Drawing], theme: Theme, *, small: bool) -> list[Drawing]:
    alt = altair()
    x = alt.X("strength:Q", **axis)
    tooltip = [alt.Tooltip(f"{name}:{kind}") for name, kind in _TOOLTIP]
    intervals = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.75).encode(
        x=alt.X("low:Q", **axis), x2="high:Q"
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
    axis = alt.Axis(format="d", values=rank_ticks(shown), grid=True, labelOverlap=False)
    title = "rank and rank range"
    bars = base.mark_rule(strokeWidth=5 if small else 8, strokeCap="round", opacity=0.5).encode(
        x=alt.X("rank_low:Q", title=title, scale=scale, axis=axis), x2="rank_high:Q"
    )
    dots = base.mark_point(filled=True, opacity=1, size=28 if small else 50).encode(
        x=alt.X("rank:Q", scale=scale, title=title, axis=axis)
    )
    return [bars, dots]


def _cluster_rules(result: Ranking, shown: int, y: Drawing, theme: Theme) -> Drawing:
    ends = [i + 1 for i in range(shown - 1) if result.cluster[i] != result.cluster[i + 1]]
    return altair().Chart(rows({"place": ends})).mark_rule(color=theme.dim, opacity=0.5).encode(y=y)


def _words(result: Ranking, shown: int) -> list[str]:
    level = f"{1 - result.confidence:.3g}"
    best = int((result.rank_low == 1).sum())
    colored = "In color: the best system" if best == 1 else f"In color: the {best} systems that may be best"
    legend = f"{colored} ({tests_of(result)}, level {level})."
    if len(set(result.cluster[:shown].tolist())) > 1:
        legend += " Lines separate significance clusters."
    gaps = int(np.isnan(result.low[:shown]).sum())
    undrawn = (
        [f"{gaps} of {counted(shown, 'system')} {'has' if gaps == 1 else 'have'} no interval."]
        if gaps
        else []
    )
    return [
        f"Dots with {percent(result.confidence)} confidence intervals. {legend}",
        *undrawn,
        *best_only(len(result.systems), shown),
    ]


_BETWEEN = 150


def ranks_chart(rankings: Mapping[str, Ranking], theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the position of every system in each ranking, and join them; systems that change rank are in color.

    The number in a dot is the rank, so that ties show; it is left out where there are many systems. Tied systems are
    drawn in the order of the ranking before, so that only lines of pairs that changed their order cross.
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
    words = [
        f"In color: systems whose rank changes ({moved:,} of {m:,}).",
        *best_only(m, MOST_SYSTEMS),
    ]
    width = 2 * widest(names(systems), 10 if step < 20 else 12) + _BETWEEN * (k - 1) + 28
    return headed(drawn, theme, title="Ranks by several methods", words=words, width=width, override=title)


def _check(rankings: Mapping[str, Ranking]) -> None:
    if len(rankings) < 2:
        raise TableError("Two or more rankings are needed, as {name: ranking, …}; there is one.")
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
    for ranking, ordered in zip(rankings.values(), _orders(list(rankings.values())), strict=True):
        rank_of = dict(zip(ranking.systems, ranking.rank.tolist(), strict=True))
        for place, name in enumerate(ordered):
            if name in ranks:
                ranks[name].append(rank_of[name])
                places[name].append(place)
    table = [
        (called[name], number, column, places[name][column] + 0.5, rank, _moved(ranks[name]))
        for number, name in enumerate(systems)
        for column, rank in enumerate(ranks[name])
    ]
    fields = ("system", "number", "column", "place", "rank", "moved")
    moved = sum(_moved(each) == "other rank" for each in ranks.values())
    return rows(dict(zip(fields, zip(*table, strict=True), strict=True))), moved


def _orders(rankings: Sequence[Ranking]) -> list[list[str]]:
    """Return the systems of each ranking from top to bottom, tied ones in the order of the ranking before it.

    In the first ranking, tied systems follow the first later ranking that separates them.
    """
    ranks = [dict(zip(each.systems, each.rank.tolist(), strict=True)) for each in rankings]
    orders = [sorted(rankings[0].systems, key=lambda name: [rank[name] for rank in ranks])]
    for rank in ranks[1:]:
        orders.append(sorted(orders[-1], key=rank.__getitem__))  # sorting is stable
    return orders


def _moved(ranks: list[int]) -> str:
    return "same rank" if len(set(ranks)) == 1 else "other rank"


def _numbers(base: Drawing, theme: Theme) -> list[Drawing]:
    """Write the rank into each dot, unless dots are small."""
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


def diagnosis_chart(result: Diagnosis, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw each system's share of outliers, how much its rank varies, and its correlation with the others."""
    panels = [
        DotPanel("outliers (% of scores)", 100 * result.outlier_share_by_system),
        DotPanel("rank variation over segments", result.rank_spread_by_system),
        DotPanel("mean tau-b with the others", with_others(result.kendall)),
    ]
    system = "system"
    drawn = panels_chart(
        result.systems, panels, theme, groups=[system] * len(result.systems), colors={system: theme.accent}
    )
    ties = percent(round(result.tie_share, 3))
    words = [
        (
            f"{counted(len(result.systems), 'system')}, {counted(result.n_segments, 'segment')}. Ties: {ties} of "
            f"comparisons. Correlation between systems: {number(result.pairing, 2)}.{_cycles(result)}"
        ),
        *_first_only(len(result.systems)),
    ]
    heading = f"What kind of scores are these? {' '.join(names([result.metric]))}"
    return headed(
        drawn, theme, title=heading, words=words, width=width_of(result.systems, panels), override=title
    )


def _cycles(result: Diagnosis) -> str:
    """Return a sentence about cycles among three systems; nothing where there are fewer systems."""
    if not result.n_triples:
        return ""
    chance = number(result.expected_cycles, 1)
    return f" Cycles: {result.count('cycle'):,} of {counted(result.n_triples, 'triple')} ({chance} expected by chance)."


def _first_only(n: int) -> list[str]:
    """Say that systems are left out; they are in the order of the data, so that the first are not the best."""
    return [f"The first {MOST_ROWS} of {n:,} systems are shown."] if n > MOST_ROWS else []


def with_others(kendall: FloatArray) -> FloatArray:
    """Return the mean of each row without its diagonal; NaN where no entry is defined.

    Examples
    --------
    >>> with_others(np.array([[1.0, 0.5, np.nan], [0.5, 1.0, 0.25], [np.nan, 0.25, 1.0]])).tolist()
    [0.5, 0.375, 0.25]
    """
    others = ~np.isnan(kendall) & ~np.eye(len(kendall), dtype=np.bool_)
    count = others.sum(axis=1)
    total = np.where(others, kendall, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, count, out=np.full(len(kendall), np.nan), where=count > 0))
