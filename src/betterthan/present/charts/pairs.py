"""Pairs drawn: the effect of each and which differ significantly; two systems segment by segment; differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.charts.drawing import (
    Drawing,
    altair,
    best_only,
    correction_name,
    counted,
    headed,
    humans_called,
    legend_columns,
    names,
    number_axis,
    rows,
    widest,
)
from betterthan.present.charts.panels import (
    MOST_ROWS,
    SMALLEST_WITH_NUMBERS,
    cell_columns,
    cell_size,
    headings,
    headings_width,
    middles,
    squares,
)
from betterthan.present.charts.theme import Theme, diverging, readable_on
from betterthan.present.geometry import (
    BINS,
    PairedScores,
    bar_width,
    cells,
    distribution,
    dots,
    histogram,
    limits_around,
    paired_scores,
    plane_limits,
)
from betterthan.present.numbers import digits_for, number
from betterthan.present.tables.pairwise import by_words
from betterthan.present.text_width import text_width, wrapped
from betterthan.results.human import KeptPairs
from betterthan.results.metrics import CASES, MetaEvaluation
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.scores import Scores

_MOST_DECIMALS = 4
_FEW_SYSTEMS = 9  # systems up to which cells are wide
_DIFFERENT, _NOT_DIFFERENT = "significantly different", "not significantly different"
_TIES = {
    "drop": "Ties are left out.",
    "half": "Ties count as half.",
    "davidson": "Ties are modeled (Davidson).",
    "rao_kupper": "Ties are modeled (Rao and Kupper).",
    "as_published": "Ties go to the second system.",
}


def pairs_chart(result: PairwiseTable, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw the matrix of what was tested: P(row beats column), or the difference of row and column.

    Pairs that differ significantly are bold, or dotted where cells are small. Probabilities have one color scale
    in all figures, 0 to 1; differences, which are in units of the metric, have one up to the largest of them.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; figure 5.
    """
    alt = altair()
    shown = min(len(result.systems), MOST_ROWS)
    size = cell_size(shown)
    scale = pair_scale(result, shown)
    called = names(result.systems[:shown])
    data = _data(result, shown, scale, theme)
    domain = [scale.middle - scale.reach, scale.middle, scale.middle + scale.reach]
    colors = alt.Scale(
        domain=domain, range=[theme.bad, theme.middle, theme.good], interpolate="rgb", clamp=True
    )
    legend = alt.Legend(
        title=result.effect_name, gradientLength=110, format=f".{scale.decimals}f", values=domain
    )
    color = alt.Color("effect:Q", scale=colors, legend=legend)
    tooltip = ["row:N", "column:N", "effect:Q", "wins:Q", "ties:Q", "losses:Q", "p:Q", "verdict:N"]
    layers = [
        # The data stands once above both layers: with many systems, copies of it cost seconds.
        alt.layer(
            squares(alt.Undefined, shown, color, tooltip),
            *_marks(shown, numbers=size >= SMALLEST_WITH_NUMBERS),
            data=data,
        ),
        *headings(shown, called, theme),
    ]
    drawn = alt.layer(*layers).properties(width=size * shown, height=size * shown)
    what = (
        f"how often the row beats the column{by_words(result)}"
        if scale.is_share
        else f"{result.effect_name}, row minus column"
    )
    return headed(
        drawn,
        theme,
        title=f"Every pair: {what}",
        words=_words(result, shown, scale),
        width=headings_width(shown, called) + size * shown + 18 + widest([result.effect_name], 12),
        override=title,
    )


class PairScale(NamedTuple):
    """How the effects of pairs are colored and written.

    Attributes
    ----------
    is_share : bool
        Whether the effect is a probability; otherwise it is a difference.
    middle, reach : float
        No difference, and how far from it the strongest colors are.
    decimals : int
    """

    is_share: bool
    middle: float
    reach: float
    decimals: int


def pair_scale(result: PairwiseTable, shown: int) -> PairScale:
    """Return the scale of the first `shown` systems; that of probabilities is always the same."""
    if result.is_probability:
        return PairScale(is_share=True, middle=0.5, reach=0.5, decimals=2)
    sizes = np.abs(result.effect[:shown, :shown])
    largest = float(sizes[np.isfinite(sizes)].max(initial=0.0)) or 1.0
    decimals = min(_MOST_DECIMALS, max(0, 2 - math.floor(math.log10(largest))))
    return PairScale(is_share=False, middle=0.0, reach=largest, decimals=decimals)


def cell_text(effect: float, scale: PairScale, *, narrow: bool) -> str:
    """Write an effect into a cell; narrow cells leave out the 0 before the decimal point.

    Examples
    --------
    >>> cell_text(-0.25, PairScale(False, 0.0, 1.0, 2), narrow=True)
    '−.25'
    """
    text = number(effect, scale.decimals)
    return text.replace("0.", ".", 1) if narrow and abs(effect) < 1 else text


def tests_name(result: PairwiseTable) -> str:
    """What decides whether a pair differs, in words.

    Tests of strengths are called that; all others have a name of their own.
    """
    return {"strengths": "tests of strengths", "wald": "Wald tests"}.get(result.test, f"{result.test} tests")


def ties_words(result: PairwiseTable) -> str:
    """Say what became of ties in the probabilities shown; nothing where there are none, or where they play no part."""
    return _TIES.get(result.tie_policy, "") if result.is_probability and np.nansum(result.ties) else ""


def _data(result: PairwiseTable, shown: int, scale: PairScale, theme: Theme) -> Drawing:
    better = result.better()
    row, column = np.nonzero(~np.eye(shown, dtype=bool))
    called = names(result.systems[:shown])
    at = (row, column)
    differs = (better | better.T)[at]
    effects = result.effect[at]
    return rows(
        {
            **cell_columns(row, column),
            "row": [called[i] for i in row],
            "column": [called[j] for j in column],
            "effect": effects,
            "wins": result.wins[at],
            "ties": result.ties[at],
            "losses": result.losses[at],
            "p": result.adjusted[at],
            "verdict": np.where(differs, _DIFFERENT, _NOT_DIFFERENT).tolist(),
            "text": [cell_text(value, scale, narrow=shown > _FEW_SYSTEMS) for value in effects.tolist()],
            "ink": [_ink(value, scale, theme) for value in effects.tolist()],
        }
    )


def _ink(effect: float, scale: PairScale, theme: Theme) -> str:
    """Return the color of what is written on a cell."""
    place = 0.5 + (effect - scale.middle) / (2 * scale.reach)
    return readable_on(theme.paper if np.isnan(effect) else diverging(place, theme))


def _marks(shown: int, *, numbers: bool) -> list[Drawing]:
    alt = altair()
    x, y = middles(shown)
    base = alt.Chart().encode(x=x, y=y, color=alt.Color("ink:N", scale=None))
    differing, alike = (
        base.transform_filter(f"datum.verdict == '{which}'") for which in (_DIFFERENT, _NOT_DIFFERENT)
    )
    if numbers:
        return [
            differing.mark_text(fontWeight="bold", fontSize=11, aria=False).encode(text="text:N"),
            alike.mark_text(fontSize=11, aria=False).encode(text="text:N"),
        ]
    return [differing.mark_point(filled=True, opacity=0.9, size=9, aria=False)]


def _words(result: PairwiseTable, shown: int, scale: PairScale) -> list[str]:
    m = len(result.systems)
    mark = "Bold" if cell_size(shown) >= SMALLEST_WITH_NUMBERS else "Dotted"
    correction = correction_name(result.correction)
    verdict = (
        f"{mark}: significantly different at level {result.alpha:g} by {tests_name(result)} ({correction}), "
        f"{result.n_different:,} of {counted(m * (m - 1) // 2, 'pair')}."
    )
    before = ties_words(result) if scale.is_share else "Positive: the row is better."
    return [f"{before} {verdict}".strip(), *best_only(m, shown)]


_SIDE, _MARGIN, _CORNER = 300, 54, 11


def scatter_chart(
    scores: Scores | Sequence[Scores] | Mapping[str, Scores],
    theme: Theme,
    *,
    systems: Sequence[str] | None = None,
    title: str | None = None,
) -> Drawing:
    """Draw the scores of two systems against each other, with their marginal distributions.

    The first system is on the vertical axis. Lines of means (solid) and medians (dashed) are prolonged into the plane;
    the half in which more segments lie is shaded. Several tables, such as three pairings of the same scores, stand side
    by side on the same axes; those of a mapping have their names above them.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; figure 2.
       Its caption and text give the axes in opposite ways; here axes and corners are labeled.
    """
    named: Mapping[str, Scores] = scores if isinstance(scores, Mapping) else {}
    if isinstance(scores, Mapping):
        tables = list(scores.values())
    else:
        tables = [scores] if isinstance(scores, Scores) else list(scores)
    pairs = [paired_scores(table, systems) for table in tables]
    limits = plane_limits(pairs)
    panels = [_panel(table, pair, limits, theme) for table, pair in zip(tables, pairs, strict=True)]
    words = [_verdict(table, pair) for table, pair in zip(tables, pairs, strict=True)]
    if named:
        panels = [_titled(*each) for each in zip(panels, named, words, strict=True)]
        words = []
    drawn = panels[0] if len(panels) == 1 else altair().hconcat(*panels, spacing=40)
    heading = " · ".join(dict.fromkeys(" against ".join(names([pair.a, pair.b])) for pair in pairs))
    legend = "Solid lines: means. Dashed lines: medians. Shaded: the half with more segments."
    return headed(
        drawn, theme, title=heading, words=[*words, legend], width=440 * len(panels), override=title
    )


def _titled(panel: Drawing, name: str, verdict: str) -> Drawing:
    """Put the name of a plane above it, and what is seen there."""
    lines = wrapped(verdict, _SIDE + _MARGIN)
    title = altair().TitleParams(" ".join(names([name])), subtitle=lines, fontSize=13, offset=6)
    return panel.properties(title=title)


class _Plane(NamedTuple):
    """The plane of two systems: its axes, their limits, and its colors."""

    x: Drawing
    y: Drawing
    low: float
    high: float
    theme: Theme


def _panel(table: Scores, pair: PairedScores, limits: tuple[float, float], theme: Theme) -> Drawing:
    alt = altair()
    called = names([pair.a, pair.b], most=28)
    unit = " ".join(names([table.name], most=20))
    axis, upright = number_axis(limits, _SIDE), number_axis(limits, _SIDE, across=False)
    scale = axis["scale"]
    x = alt.X("x:Q", title=f"{called[1]} ({unit})", **axis)
    y = alt.Y("y:Q", title=f"{called[0]} ({unit})", **upright)
    plane = _Plane(x, y, *limits, theme)
    layers = [
        _half(pair, plane),
        _density(pair, plane),
        _diagonal(plane),
        *_lines({"x": pair.second}, x, theme),
        *_lines({"y": pair.first}, y, theme),
        *_corners(_corner_names(table, pair), pair, plane),
    ]
    middle = alt.layer(*layers).properties(width=_SIDE, height=_SIDE)
    flat_x, flat_y = alt.X("x:Q", scale=scale, axis=None), alt.Y("y:Q", scale=scale, axis=None)
    above = _marginal({"x": pair.second}, limits, flat_x, theme).properties(width=_SIDE, height=_MARGIN)
    beside = _marginal({"y": pair.first}, limits, flat_y, theme).properties(width=_MARGIN, height=_SIDE)
    return alt.vconcat(above, alt.hconcat(middle, beside, spacing=6), spacing=6)


def _corner_names(table: Scores, pair: PairedScores) -> list[str]:
    called = names([pair.a, pair.b], most=22)
    return called if table.higher_is_better else called[::-1]


def _verdict(table: Scores, pair: PairedScores) -> str:
    better, tied, worse = pair.wins(higher_is_better=table.higher_is_better)
    direction = "" if table.higher_is_better else " Lower is better."
    first, second = names([pair.a, pair.b])
    wins = f"{first} is better on {counted(better, 'segment')}, {second} on {worse:,}; equal on {tied:,}."
    return f"{wins}{direction}{pair.gaps}"


def _half(pair: PairedScores, plane: _Plane) -> Drawing:
    """Shade the half-plane with more segments; neither where both have the same number."""
    ends = [plane.low, plane.high] if pair.heavier_half else []
    edge = [plane.high if pair.heavier_half > 0 else plane.low] * len(ends)
    shade = altair().Chart(rows({"x": ends, "y": ends, "edge": edge}))
    return shade.mark_area(color=plane.theme.accent, opacity=0.12).encode(x=plane.x, y=plane.y, y2="edge:Q")


def _density(pair: PairedScores, plane: _Plane) -> Drawing:
    """Draw a dot for each pair of scores, as large as it is frequent; when they are many, the density in cells."""
    alt = altair()
    points = dots(pair)
    if points is None:
        return _cells(pair, plane)
    most = int(points.segments.max())
    size = alt.Size(
        "segments:Q",
        scale=alt.Scale(domain=[1, max(most, 2)], range=[28, 28] if most == 1 else [8, 180]),
        legend=None if most == 1 else alt.Legend(title="segments", orient="right", tickMinStep=1),
    )
    circles = alt.Chart(rows(points._asdict())).mark_circle(color=plane.theme.accent, opacity=0.55)
    return circles.encode(x=plane.x, y=plane.y, size=size, tooltip=["x:Q", "y:Q", "segments:Q"])


def _cells(pair: PairedScores, plane: _Plane) -> Drawing:
    alt = altair()
    counts, across, up = cells(pair, (plane.low, plane.high))
    i, j = np.nonzero(counts)
    edges = {"x": across[i], "right": across[i + 1], "y": up[j], "top": up[j + 1]}
    data = rows({**edges, "segments": counts[i, j].astype(np.int64)})
    color = alt.Color(
        "segments:Q",
        scale=alt.Scale(range=[plane.theme.middle, plane.theme.accent], type="sqrt", zero=True),
        legend=alt.Legend(title="segments", gradientLength=90),
    )
    squares = alt.Chart(data).mark_rect(aria=False)
    return squares.encode(x=plane.x, x2="right:Q", y=plane.y, y2="top:Q", color=color, tooltip=["segments:Q"])


def _diagonal(plane: _Plane) -> Drawing:
    ends = [plane.low, plane.high]
    line = altair().Chart(rows({"x": ends, "y": ends}))
    line = line.mark_line(color=plane.theme.dim, strokeDash=[2, 4], strokeWidth=1.2)
    return line.encode(x=plane.x, y=plane.y)


def _lines(values: dict[str, FloatArray], place: Drawing, theme: Theme) -> list[Drawing]:
    """Draw the mean, solid, and the median, dashed, across the whole plane."""
    ((axis, scores),) = values.items()
    drawn = []
    for value, dash in ((scores.mean(), [1, 0]), (np.median(scores), [6, 4])):
        rule = altair().Chart(rows({axis: [float(value)]}))
        rule = rule.mark_rule(color=theme.bad, strokeWidth=1.6, strokeDash=dash)
        drawn.append(rule.encode(**{axis: place}))
    return drawn


def _clear_height(text: str, pair: PairedScores, plane: _Plane, *, is_above: bool) -> float:
    """Return how far from its corner, along the edge, words lie on the fewest segments; a share of the side."""
    length, height = (text_width(text, _CORNER, is_bold=True) + 14) / _SIDE, (_CORNER + 12) / _SIDE
    side = (plane.high - plane.low) or 1.0
    across, up = ((scores - plane.low) / side for scores in (pair.second, pair.first))
    # Below the diagonal all is as above it, seen from the other corner.
    inward, away = (across, 1 - up) if is_above else (1 - across, up)
    margin = 1 / BINS
    places = [step / 50 for step in range(51) if length + step / 50 + height < 1] or [0.0]
    hidden = [
        int(((inward < length + margin) & (away > at - margin) & (away < at + height + margin)).sum())
        for at in places
    ]
    return places[int(np.argmin(hidden))]


def _corners(better: list[str], pair: PairedScores, plane: _Plane) -> list[Drawing]:
    """Write which system is better above and below the diagonal, whatever the direction of the metric.

    The words stand in the corner, or farther along the edge where they hide fewer segments.
    """
    drawn = []
    for x, corner, name, align, baseline, shift in (
        (plane.low, plane.high, better[0], "left", "top", (7, 8)),
        (plane.high, plane.low, better[1], "right", "bottom", (-7, -8)),
    ):
        words = f"{name} better"
        is_above = corner == plane.high
        moved = (plane.high - plane.low) * _clear_height(words, pair, plane, is_above=is_above)
        y = corner - moved if is_above else corner + moved
        base = altair().Chart(rows({"x": [x], "y": [y], "words": [words]}))
        placed = {"align": align, "baseline": baseline, "dx": shift[0], "dy": shift[1]}
        # A halo of the background keeps the words readable where dots or lines lie below them.
        halo = base.mark_text(
            **placed, fontSize=_CORNER, fontWeight=600, stroke=plane.theme.paper, strokeWidth=4, aria=False
        )
        text = base.mark_text(**placed, fontSize=_CORNER, fontWeight=600, color=plane.theme.ink)
        drawn += [each.encode(x=plane.x, y=plane.y, text="words:N") for each in (halo, text)]
    return drawn


def _marginal(
    values: dict[str, FloatArray], limits: tuple[float, float], place: Drawing, theme: Theme
) -> Drawing:
    """Draw the distribution of one system's scores along its axis, with mean and median."""
    alt = altair()
    ((axis, scores),) = values.items()
    counts, edges = distribution(scores, limits)
    data = rows({axis: edges[:-1], "end": edges[1:], "segments": counts, "none": [0] * BINS})
    bars = alt.Chart(data).mark_bar(color=theme.dim, opacity=0.55, aria=False)
    length = {"scale": alt.Scale(domain=[0, int(counts.max())]), "axis": None}
    if axis == "x":
        bars = bars.encode(x=place, x2="end:Q", y=alt.Y("segments:Q", **length), y2="none:Q")
    else:
        bars = bars.encode(y=place, y2="end:Q", x=alt.X("segments:Q", **length), x2="none:Q")
    return alt.layer(bars, *_lines(values, place, theme))


_SQUARE = 320
_MOST_PAIRS = 2000


def contributions_chart(
    result: MetaEvaluation, theme: Theme, *, metric: str | None = None, title: str | None = None
) -> Drawing:
    """Draw the confidence of humans and of a metric in each system pair; far from the diagonal costs most.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation of
       automatic metrics via soft pairwise accuracy, WMT, section 2.1.
    """
    alt = altair()
    chosen = result.metrics[0] if metric is None else metric
    pairs = result.contributions(chosen)
    shown = pairs[:_MOST_PAIRS]
    name = " ".join(names([chosen], most=20))
    data = rows(
        {
            "human": [1 - pair.human_pvalue for pair in shown],
            "metric": [1 - pair.metric_pvalue for pair in shown],
            "case": [pair.case for pair in shown],
            "a": names([pair.a for pair in shown]),
            "b": names([pair.b for pair in shown]),
            "adds": [pair.value for pair in shown],
        }
    )
    human = humans_called(result.human)
    x = alt.X("human:Q", title=f"confidence of {human}, 1 − p", **number_axis((0, 1), _SQUARE))
    y = alt.Y("metric:Q", title=f"confidence of {name}, 1 − p", **number_axis((0, 1), _SQUARE, across=False))
    line = alt.Chart(rows({"human": [0, 1], "metric": [0, 1]})).mark_line(color=theme.dim, strokeDash=[2, 4])
    colors = [theme.good, theme.bad, theme.other, theme.ink, theme.dim]
    dots = alt.Chart(data).mark_point(filled=True, size=55, opacity=0.75)
    case = {"legend": alt.Legend(title=None)}
    dots = dots.encode(
        x=x,
        y=y,
        color=alt.Color("case:N", scale=alt.Scale(domain=list(CASES), range=colors), **case),
        shape=alt.Shape("case:N", scale=alt.Scale(domain=list(CASES), range=_SHAPES), **case),
        tooltip=["a:N", "b:N", "human:Q", "metric:Q", "adds:Q", "case:N"],
    )
    drawn = (line.encode(x=x, y=y) + dots).properties(width=_SQUARE, height=_SQUARE)
    mean = float(np.mean([pair.value for pair in pairs])) if pairs else float("nan")
    words = [
        (
            f"{counted(len(pairs), 'system pair')}, one mark each: confidence that the system preferred by humans "
            f"is better. Mean agreement: {mean:.3f}."
        )
    ]
    if len(pairs) > len(shown):
        words.append(f"The {len(shown):,} pairs that agree least are shown.")
    return headed(
        drawn,
        theme,
        title=f"Confidence per system pair: humans and {name}",
        words=words,
        width=_SQUARE + 90 + widest(list(CASES), 11),
        override=title,
    )


_SHAPES = ["circle", "cross", "triangle-up", "diamond", "square"]


_MARGINS_WIDTH, _MARGINS_HEIGHT = 440, 260


def margins_chart(
    result: KeptPairs | Mapping[str, KeptPairs], theme: Theme, *, title: str | None = None
) -> Drawing:
    """Draw the share of output pairs that differ by at least each margin; one line for each of several results.

    References
    ----------
    .. [1] Stanchev, Wang and Ney (2020), Towards a better evaluation of metrics for machine translation, WMT, figure 1.
    """
    alt = altair()
    results = {"": result} if isinstance(result, KeptPairs) else dict(result)
    called = names(list(results), most=28) if len(results) > 1 else [""]
    unit = ", ".join(dict.fromkeys(names([each.metric for each in results.values()])[:1]))
    columns: dict[str, list[Any]] = {"line": [], "margin": [], "share": [], "kept": []}
    for name, each in zip(called, results.values(), strict=True):
        table = each.columns()
        columns["line"] += [name] * len(each.margin)
        for field in ("margin", "share", "kept"):
            columns[field] += list(table[field])
    limits = limits_around(columns["margin"], share=0.02) or (0.0, 1.0)
    color = alt.value(theme.accent)
    if len(results) > 1:
        color = alt.Color(
            "line:N",
            scale=alt.Scale(domain=called, range=theme.series),
            legend=alt.Legend(title=None),
        )
    base = alt.Chart(rows(columns)).encode(
        x=alt.X("margin:Q", title=f"margin ({unit} points)", **number_axis(limits, _MARGINS_WIDTH)),
        y=alt.Y(
            "share:Q", title="pairs kept", **number_axis((0, 1), _MARGINS_HEIGHT, across=False, percent=True)
        ),
        color=color,
        tooltip=["line:N", "margin:Q", "share:Q", "kept:Q"],
    )
    drawn = base.mark_line(strokeWidth=2) + base.mark_point(filled=True, size=45, opacity=1)
    total = " + ".join(f"{each.n_pairs:,}" for each in results.values()) if len(results) <= 4 else "all"
    words = [f"{total} pairs of outputs for the same segment; smaller differences count as ties."]
    drawn = drawn.properties(width=_MARGINS_WIDTH, height=_MARGINS_HEIGHT)
    return headed(
        drawn, theme, title="Pairs kept by a margin", words=words, width=_MARGINS_WIDTH + 60, override=title
    )


_WIDTH, _HEIGHT = 480, 240


def differences_chart(
    scores: Scores, theme: Theme, *, systems: Sequence[str] | None = None, title: str | None = None
) -> Drawing:
    """Draw how often which difference between two systems occurs; to the right the first system is better.

    Bars end at 0, so that none mixes wins with losses; ties are a bar of their own.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; section 7.
    """
    alt = altair()
    pair = paired_scores(scores, systems)
    difference = pair.differences(higher_is_better=scores.higher_is_better)
    first, second = names([pair.a, pair.b])
    better, tied, worse = pair.wins(higher_is_better=scores.higher_is_better)
    called = {"win": f"{first} better", "loss": f"{second} better"} | ({"tie": "equal"} if tied else {})
    layers = [
        _bars(difference, called, _axis(difference, scores.name, first), theme),
        _ties(tied, called, theme),
        _middle(float(difference.mean()), [1, 0], theme),
        _middle(float(np.median(difference)), [6, 4], theme),
    ]
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)
    digits = digits_for([2 * float(difference.std()) / math.sqrt(difference.size)])
    words = [
        f"{first} is better on {counted(better, 'segment')}, {second} on {worse:,}; equal on {tied:,}.",
        f"Solid line: mean difference, {number(float(difference.mean()), digits)}. "
        f"Dashed line: median difference, {number(float(np.median(difference)), digits)}." + pair.gaps,
    ]
    heading = f"{first} against {second}: paired differences"
    return headed(drawn, theme, title=heading, words=words, width=_WIDTH + 60, override=title)


def _axis(difference: FloatArray, metric: str, first: str) -> Drawing:
    alt = altair()
    step = bar_width(difference)
    low, high = math.floor(difference.min() / step), math.ceil(difference.max() / step)
    domain = [min(low, -1) * step, max(high, 1) * step]
    title = f"difference in {' '.join(names([metric]))} (positive: {first} better)"
    return alt.X("low:Q", title=title, **number_axis((domain[0], domain[1]), _WIDTH))


def _bars(difference: FloatArray, called: dict[str, str], x: Drawing, theme: Theme) -> Drawing:
    alt = altair()
    bars = histogram(difference)
    outcome = [called["win" if high > 0 else "loss"] for high in bars.high]
    data = rows({**bars._asdict(), "none": [0] * len(outcome), "outcome": outcome})
    base = alt.Chart(data).mark_bar(stroke=theme.paper, strokeWidth=0.6)
    y = alt.Y("segments:Q", title="segments", axis=alt.Axis(tickMinStep=1, format="d"))
    color = _colors(called, theme)
    return base.encode(x=x, x2="high:Q", y=y, y2="none:Q", color=color, tooltip=_TOOLTIP)


_TOOLTIP = ["low:Q", "high:Q", "segments:Q", "outcome:N"]


def _colors(called: dict[str, str], theme: Theme) -> Drawing:
    alt = altair()
    scale = alt.Scale(domain=list(called.values()), range=[theme.good, theme.bad, theme.dim])
    return alt.Color(
        "outcome:N",
        scale=scale,
        legend=alt.Legend(
            title=None, orient="bottom", columns=legend_columns(list(called.values()), _WIDTH + 60)
        ),
    )


def _ties(tied: int, called: dict[str, str], theme: Theme) -> Drawing:
    alt = altair()
    several = [0] if tied else []
    data = rows(
        {
            "low": several,
            "segments": [tied] * len(several),
            "none": several,
            "outcome": [called.get("tie", "")] * len(several),
        }
    )
    bar = alt.Chart(data).mark_rule(strokeWidth=7)
    return bar.encode(
        x="low:Q",
        y="segments:Q",
        y2="none:Q",
        color=_colors(called, theme),
        tooltip=["segments:Q", "outcome:N"],
    )


def _middle(value: float, dash: list[int], theme: Theme) -> Drawing:
    rule = altair().Chart(rows({"low": [value]})).mark_rule(color=theme.ink, strokeWidth=1.3, strokeDash=dash)
    return rule.encode(x="low:Q")
