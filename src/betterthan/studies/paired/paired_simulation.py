"""Section 4 and figure 3 of the paired-evaluation paper: which mechanism finds the true order of simulated systems.

The scores come from the three generators of the paper, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from betterthan.analysis.wording import amount, counted, listing
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.engine.blocks import even_parts, stream
from betterthan.kernels.agreement.kendall import kendall_b
from betterthan.kernels.agreement.rankings import order_agreement
from betterthan.kernels.intervals.intervals import percentile_interval
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.paired.strengths import FIVE, PRIOR, THREE, TITLES, played_strengths, three_strengths
from betterthan.studies.reporting import Claim, Mark, figure, holds_in, printed_table
from betterthan.studies.request import StudyRequest

NOISE = 1.0
"""Standard deviation of a score around its mean; fixed in the paper and in its programs."""
OFFSET = 100.0
"""Offsets of types are uniform up to here."""
TOTAL = 10.0
"""Sum of the strengths in the released program."""


class Setting(NamedTuple):
    """One point of the grid of appendix A.2."""

    types: int
    outliers: float
    systems: int
    segments: int


class SimulatedScores(NamedTuple):
    """Scores, and what they were drawn from.

    Attributes
    ----------
    strengths : array, shape (m,)
        The latent order.
    scores : array, shape (m, n)
    """

    strengths: FloatArray
    scores: FloatArray


def offsets(setting: Setting, rng: np.random.Generator) -> SimulatedScores:
    r"""Draw as section 4 says: every type of segments adds an offset that all systems share.

    .. math:: x_{jl} \sim \mathcal N(\lambda_j + \varepsilon_{t(l)}, 1), \qquad \lambda_j \sim U(0, 1), \qquad
              \varepsilon_t \sim U(0, 100)

    The relative strengths are the same for all types, so the truth is :math:`\lambda`. The paper gives no size of the
    offsets; this is that of its program. Outliers are those of appendix A.2: on a share of the segments, at least one,
    the scores change hands at random.

    Examples
    --------
    >>> drawn = offsets(Setting(3, 0.0, 4, 12), np.random.default_rng(1))
    >>> drawn.scores.shape, bool(np.ptp(drawn.scores[0]) > 10)
    ((4, 12), True)
    """
    strengths = rng.random(setting.systems)
    shift = OFFSET * rng.random(setting.types) if setting.types > 1 else np.zeros(1)
    means = strengths[:, None] + shift[_types(setting)]
    return SimulatedScores(strengths, _exchanged(rng.normal(means, NOISE), setting, rng))


def per_type(setting: Setting, rng: np.random.Generator) -> SimulatedScores:
    r"""Draw as appendix A.2 says: every system has a strength of its own for every type of segments.

    .. math:: x_{jl} \sim \mathcal N(\lambda_{t(l), j}, 1), \qquad \lambda_{tj} \sim U(0, 1)

    The order then differs from type to type; the truth is taken to be the mean strength over types, weighted by how
    many segments they have. Outliers as in :func:`offsets`.

    Examples
    --------
    >>> per_type(Setting(3, 0.0, 4, 12), np.random.default_rng(1)).strengths.shape
    (4,)
    """
    strengths = rng.random((setting.systems, setting.types))
    means = strengths[:, _types(setting)]
    return SimulatedScores(means.mean(axis=1), _exchanged(rng.normal(means, NOISE), setting, rng))


def released(setting: Setting, rng: np.random.Generator) -> SimulatedScores:
    r"""Draw as the released program does.

    Strengths sum to 10, every type (also a single one) has an offset from U(0, 100) that all systems share and
    ⌊n / types⌋ segments, and outliers are further segments, at least one, with scores from U(0, 100) whose order is
    against the truth (Kendall's tau below 0).

    Examples
    --------
    >>> drawn = released(Setting(3, 0.025, 4, 200), np.random.default_rng(1))
    >>> drawn.scores.shape, round(float(drawn.strengths.sum()), 9)
    ((4, 202), 10.0)
    """
    weights = rng.random(setting.systems)
    strengths = TOTAL * weights / weights.sum()
    each = setting.segments // setting.types
    shift = np.repeat(OFFSET * rng.random(setting.types), each)
    scores = rng.normal(strengths[:, None] + shift, NOISE)
    n_outliers = max(1, int(setting.outliers * scores.shape[1])) if setting.outliers > 0 else 0
    against = [_against(strengths, rng) for _ in range(n_outliers)]
    return SimulatedScores(strengths, np.column_stack([scores, *against]))


def _types(setting: Setting) -> IntArray:
    """Type of each segment: as evenly as possible."""
    return np.arange(setting.segments) % setting.types


def _exchanged(scores: FloatArray, setting: Setting, rng: np.random.Generator) -> FloatArray:
    """Let scores change hands on some segments."""
    if setting.outliers > 0:
        n_outliers = max(1, int(setting.outliers * setting.segments))
        for place in rng.choice(setting.segments, n_outliers, replace=False).tolist():
            scores[:, place] = rng.permutation(scores[:, place])
    return scores


def _against(strengths: FloatArray, rng: np.random.Generator) -> FloatArray:
    while True:
        drawn = rng.random(strengths.size)
        if kendall_b(drawn, strengths) < 0:
            return OFFSET * drawn


GENERATORS: dict[str, Callable[[Setting, np.random.Generator], SimulatedScores]] = {
    "offsets": offsets,
    "per_type": per_type,
    "released": released,
}
"""By name: section 4, appendix A.2, and the released program."""


RESAMPLES = 1000
CONFIDENCE = 0.95
_SMALL = 0.05
"""A loss of tau by less is no failure."""
_EQUAL = 1e-9
"""Strengths that differ by at most this share of the largest are tied; fits end at about a thousandth of it."""


class FigurePanel(NamedTuple):
    """One panel of figure 3: what is varied, and which settings take part."""

    letter: str
    title: str
    varied: str
    inside: Callable[[Setting], bool]


PANELS = (
    FigurePanel("a", "no problem: systems", "systems", lambda s: s.types == 1 and s.outliers == 0),
    FigurePanel("b", "no problem: segments", "segments", lambda s: s.types == 1 and s.outliers == 0),
    FigurePanel("c", "outliers only", "outliers", lambda s: s.types == 1),
    FigurePanel("d", "types only", "types", lambda s: s.outliers == 0),
    FigurePanel("e", "outliers, with types", "outliers", lambda s: s.types > 1),
    FigurePanel("f", "types, with outliers", "types", lambda s: s.outliers > 0),
    FigurePanel("g", "all: systems", "systems", lambda s: True),  # noqa: ARG005
    FigurePanel("h", "all: segments", "segments", lambda s: True),  # noqa: ARG005
)


_AXES = {
    "systems": "number of systems",
    "segments": "number of segments",
    "outliers": "share of outliers",
    "types": "types of segments",
}
"""Titles of the horizontal axes."""


class Point(NamedTuple):
    """Mean tau of one mechanism at one place of a panel, with its interval and number of setups."""

    panel: FigurePanel
    mechanism: str
    x: float
    tau: float
    low: float
    high: float
    n: int


def points(
    name: str, taus: FloatArray, grid: Sequence[Setting], *, seed: int, as_published: bool
) -> list[Point]:
    """Return all points of figure 3; bars are bootstrap intervals, as published twice 1.96 standard errors.

    Parameters
    ----------
    name : str
        Of the generator.
    taus : array, shape (settings, repeats, 5)
        NaN where undefined.
    grid : sequence of Setting
    seed : int
    as_published : bool
    """
    marks = []
    for panel in PANELS:
        for x in sorted({float(getattr(s, panel.varied)) for s in grid if panel.inside(s)}):
            rows = np.array([panel.inside(s) and getattr(s, panel.varied) == x for s in grid])
            values = taus[rows].reshape(-1, len(FIVE))
            rng = stream(seed, f"bars {name} {panel.letter} {x:g}", 0)
            low, high = _published_bars(values) if as_published else _bars(values, rng)
            sizes = (~np.isnan(values)).sum(axis=0)
            marks += [
                Point(panel, mechanism, x, _mean(values[:, i]), float(low[i]), float(high[i]), int(sizes[i]))
                for i, mechanism in enumerate(FIVE)
            ]
    return marks


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def _bars(values: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Percentile intervals of the means of all columns, setups being drawn together; what is undefined is left out."""
    counts = bootstrap_counts(RESAMPLES, len(values), rng)
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (counts @ np.where(known, values, 0.0)) / (counts @ known)
    return percentile_interval(means, CONFIDENCE)


def _published_bars(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    known = (~np.isnan(values)).sum(axis=0)
    half = 2 * 1.96 * np.nanstd(values, axis=0, ddof=1) / np.sqrt(known)
    means = np.nanmean(values, axis=0)
    return means - half, means + half


def panels_table(name: str, panel_points: Sequence[Point]) -> StudyTable:
    """Return the numbers behind the eight panels of figure 3."""
    by_place: dict[tuple[FigurePanel, float], list[Point]] = {}
    for point in panel_points:
        by_place.setdefault((point.panel, point.x), []).append(point)
    rows: list[tuple[StudyCell, ...]] = []
    for (panel, x), several in by_place.items():
        cells = [cell for point in several for cell in (point.tau, point.low, point.high)]
        rows.append((panel.letter, panel.varied, x, several[0].n, *cells))
    ends = [f"{TITLES[mechanism]}{end}" for mechanism in FIVE for end in ("", " low", " high")]
    return StudyTable(
        name=f"figure-3-{name.replace('_', '-')}",
        title=f"Figure 3, scores drawn by {name}: mean Kendall's tau with the true order",
        columns=("panel", "varied", "value", "setups", *ends),
        rows=tuple(rows),
        digits=3,
        is_detail=True,
    )


_DRAWN_AS = {
    "offsets": "Scores drawn as in section 4",
    "per_type": "Scores drawn as in appendix A.2",
    "released": "Scores drawn as in the program",
}
_INTERVALS = {
    False: "Vertical lines: 95% bootstrap intervals.",
    True: "Vertical lines: twice 1.96 standard errors to each side, as in the program.",
}


def figure_3(name: str, panel_points: Sequence[Point], *, as_published: bool) -> StudyChart:
    """Return figure 3."""
    return figure(
        (
            Mark(
                f"{point.panel.letter}: {point.panel.title}",
                TITLES[point.mechanism],
                *(f"{point.x:g}", point.tau, point.low, point.high),
                axis=_AXES[point.panel.varied],
            )
            for point in panel_points
        ),
        name=f"figure-3-{name.replace('_', '-')}",
        title=f"Figure 3: which mechanism finds the true order? {_DRAWN_AS[name]}",
        x="",
        y="Kendall's tau",
        note=f"Points: means over setups. {_INTERVALS[as_published]}",
    )


def grid_table(taus: Mapping[str, FloatArray], grid: Sequence[Setting]) -> StudyTable:
    """Return mean tau at every setting of the grid."""
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (name, *setting, *(_mean(row) for row in setting_taus.T))
        for name, table in taus.items()
        for setting, setting_taus in zip(grid, table, strict=True)
    )
    columns = ("generator", *Setting._fields, *(TITLES[mechanism] for mechanism in FIVE))
    return StudyTable(
        name="grid",
        title="Mean Kendall's tau at every setting",
        columns=columns,
        rows=rows,
        digits=3,
        is_detail=True,
    )


def findings(taus: Mapping[str, FloatArray], grid: Sequence[Setting], seed: int) -> StudyTable:
    """Hold what the paper concludes from figure 3 against each generator.

    All mechanisms see the same scores, so they are compared setup by setup: by how much further a mechanism lags behind
    Bradley–Terry with outliers, types or both than without. It fails when that is at least 0.05 and the bootstrap
    interval leaves out 0. Bradley–Terry itself fails when its tau falls by as much and some other one's does not.
    """
    clean = _where(grid, lambda s: s.types == 1 and s.outliers == 0)
    troubles = {
        "outliers": _where(grid, lambda s: s.types == 1 and s.outliers > 0),
        "types": _where(grid, lambda s: s.types > 1 and s.outliers == 0),
        "both": _where(grid, lambda s: s.types > 1 and s.outliers > 0),
    }
    rows: list[tuple[StudyCell, ...]] = []
    for (name, generator_taus), (trouble, inside) in product(taus.items(), troubles.items()):
        falls = [_fall(generator_taus[..., place], clean, inside) for place in range(len(FIVE))]
        groups = [generator_taus[rows_].reshape(-1, len(FIVE)) for rows_ in (clean, inside)]
        for place, mechanism in enumerate(FIVE):
            lag, low, high = _lag(groups, place, seed, f"{name} {trouble} {mechanism}")
            fell = falls[place] >= _SMALL and falls[place] - min(falls) >= _SMALL
            fails = fell if place == _BT else lag >= _SMALL and low > 0
            means = [_mean(group[:, place]) for group in groups]
            verdict = _verdict(mechanism, trouble, fails=fails)
            rows.append((name, trouble, TITLES[mechanism], *means, falls[place], lag, low, high, *verdict))
    columns = (
        "generator",
        "trouble",
        "mechanism",
        "tau without",
        "tau with",
        "fall",
        "further behind",
        "low",
        "high",
    )
    return StudyTable(
        name="findings",
        title="Mechanisms that fail with outliers, with types of segments, and with both",
        columns=(*columns, "fails", "fails in the paper", "as in the paper"),
        rows=tuple(rows),
        digits=3,
        notes=(
            (
                "Further behind: how much more tau lags behind that of Bradley–Terry, on the same scores, than "
                f"without the trouble; it fails from {_SMALL} on, when the 95% bootstrap interval leaves out 0. "
                "Bradley–Terry fails when its own tau falls by as much and that of some other mechanism does not."
            ),
        ),
    )


PRINTED_FAILURES = printed_table("paired", "section_4").rows
"""Pairs of a trouble and a mechanism that fails. Elo and TrueSkill are not in figure 3."""
_BT = FIVE.index("bradley_terry")


def _verdict(mechanism: str, trouble: str, *, fails: bool) -> tuple[StudyCell, StudyCell, StudyCell]:
    """Whether it fails, whether the paper says so, and whether the two agree."""
    ours = "yes" if fails else "no"
    if mechanism not in THREE:
        return ours, None, None
    is_printed = (trouble, mechanism) in PRINTED_FAILURES
    return ours, "yes" if is_printed else "no", "yes" if fails == is_printed else "no"


def _lag(groups: Sequence[FloatArray], place: int, seed: int, label: str) -> tuple[float, float, float]:
    """How much further behind Bradley–Terry a mechanism is in the second group than in the first, with an interval."""
    behind = [group[:, _BT] - group[:, place] for group in groups]
    known = [group[~np.isnan(group)] for group in behind]
    draws = []
    for number, group in enumerate(known):
        counts = bootstrap_counts(RESAMPLES, group.size, stream(seed, f"lag {label}", number))
        draws.append(counts @ group / group.size)
    low, high = percentile_interval((draws[1] - draws[0])[:, None], CONFIDENCE)
    return _mean(known[1]) - _mean(known[0]), float(low[0]), float(high[0])


def _where(grid: Sequence[Setting], inside: Callable[[Setting], bool]) -> BoolArray:
    return np.array([inside(setting) for setting in grid])


def _fall(taus: FloatArray, clean: BoolArray, inside: BoolArray) -> float:
    return float(np.nanmean(taus[clean]) - np.nanmean(taus[inside]))


TYPES = (1, 3, 5, 10)
OUTLIERS = (0.0, 0.01, 0.025)
SYSTEMS = (2, 3, 5, 10, 25, 50)
SEGMENTS = (10, 30, 100, 200)
GRID = tuple(Setting(*point) for point in product(TYPES, OUTLIERS, SYSTEMS, SEGMENTS))
"""The 288 settings of appendix A.2."""


class _Simulation(NamedTuple):
    """What all blocks need."""

    generators: tuple[str, ...]
    repeats: int
    orders: int
    as_published: bool
    seed: int


def run(request: StudyRequest) -> Study:
    """Draw scores on the grid, let five mechanisms estimate the order, and hold it against the truth."""
    chosen = str(request.options["generator"])
    every = ("released",) if request.as_published else tuple(GENERATORS)
    work = _Simulation(
        every if chosen == "all" else (chosen,),
        request.number("repeats"),
        request.number("orders"),
        request.as_published,
        request.seed,
    )
    blocks = request.run(
        "simulated setups",
        work,
        _simulate,
        parts=even_parts(len(work.generators) * len(GRID)),
        key=(work.generators,),
        uses="processes",
    )
    simulated = np.stack(blocks).reshape(len(work.generators), len(GRID), work.repeats, -1)
    taus = {name: simulated[i, :, :, : len(FIVE)] for i, name in enumerate(work.generators)}
    tests = findings(taus, GRID, request.seed)
    places = {
        name: points(name, generator_taus, GRID, seed=request.seed, as_published=request.as_published)
        for name, generator_taus in taus.items()
    }
    return request.answer(
        tables=[tests, *(panels_table(*each) for each in places.items()), grid_table(taus, GRID)],
        claims=_claims(tests, taus, GRID),
        charts=[figure_3(*each, as_published=request.as_published) for each in places.items()],
        sentences=_sentences(simulated, work, tests),
        differences=_DIFFERENCES if request.as_published else (*_DIFFERENCES, _BARS),
        notes=_notes(simulated),
    )


def _simulate(work: _Simulation, part: range, _rng: np.random.Generator) -> FloatArray:
    """Tau of each mechanism, and whether strengths needed a prior, for each data set of one setting."""
    name, setting = work.generators[part.start // len(GRID)], GRID[part.start % len(GRID)]
    rows = []
    for repeat in range(work.repeats):
        rng = stream(work.seed, f"simulation {name} {tuple(setting)}", repeat)
        drawn = GENERATORS[name](setting, rng)
        three = three_strengths([drawn.scores], as_published=work.as_published)
        played = played_strengths(
            drawn.scores,
            as_published=work.as_published,
            orders=work.orders,
            seed=work.seed,
            label=f"{name} {tuple(setting)} {repeat}",
        )
        strengths = [*three.values[0], *played]
        rows.append(
            [
                # Equal strengths stay tied on every machine: the last digit of a fit is not an order.
                *(
                    order_agreement(drawn.strengths, strength, tolerance=_EQUAL).kendall_b
                    for strength in strengths
                ),
                float(three.n_regularized),
            ]
        )
    return np.array(rows)


_CLAIMS = {
    ("outliers", "mean"): "the mean fails with outliers",
    ("outliers", "median"): "the median does not fail with outliers",
    ("outliers", "bradley_terry"): "Bradley–Terry does not fail with outliers",
    ("types", "mean"): "the mean does not fail with types of segments",
    ("types", "median"): "the median fails with types of segments",
    ("types", "bradley_terry"): "Bradley–Terry does not fail with types of segments",
    ("both", "mean"): "the mean fails with outliers and types",
    ("both", "median"): "the median fails with outliers and types",
    ("both", "bradley_terry"): "Bradley–Terry does not fail with outliers and types",
}
"""Trouble and mechanism, to what section 4 says."""


def _claims(tests: StudyTable, taus: Mapping[str, FloatArray], grid: Sequence[Setting]) -> list[Claim]:
    clean = _where(grid, lambda s: s.types == 1 and s.outliers == 0)
    means = {name: [_mean(table[clean][..., i]) for i in range(len(THREE))] for name, table in taus.items()}
    alike = {name: max(values) - min(values) < _SMALL for name, values in means.items()}
    gaps = ", ".join(f"{name} {max(values) - min(values):.2f}" for name, values in means.items())
    claims = [
        Claim(
            "without outliers and types mean, median and Bradley–Terry work equally well",
            "figure 3, a and b",
            holds_in(sum(alike.values()), len(alike)),
            f"largest difference of tau: {gaps}",
        )
    ]
    for (trouble, mechanism), text in _CLAIMS.items():
        rows = [row for row in tests.rows if (row[1], row[2]) == (trouble, TITLES[mechanism])]
        seen = ", ".join(f"{row[0]} {'fails' if row[9] == 'yes' else 'does not'}" for row in rows)
        panels = {"outliers": "c", "types": "d", "both": "e and f"}[trouble]
        agreeing = sum(row[11] == "yes" for row in rows)
        claims.append(Claim(text, f"figure 3, {panels}", holds_in(agreeing, len(rows)), seen))
    return claims


def _sentences(simulated: FloatArray, work: _Simulation, tests: StudyTable) -> tuple[str, ...]:
    sentences = [
        (
            f"{amount(simulated[..., 0].size, 0)} simulated setups: {len(GRID)} settings, "
            f"{counted(work.repeats, 'data set')} each, for {', '.join(work.generators)}."
        )
    ]
    for name in work.generators:
        rows = [row for row in tests.rows if row[0] == name]
        failing = {
            trouble: [str(row[2]) for row in rows if row[1] == trouble and row[9] == "yes"]
            for trouble in dict.fromkeys(str(row[1]) for row in rows)
        }
        failures = "; ".join(
            f"with {trouble}, {listing(who)} {'fails' if len(who) == 1 else 'fail'}"
            if who
            else f"with {trouble}, none fails"
            for trouble, who in failing.items()
        )
        n_agree = sum(row[11] == "yes" for row in rows)
        n_printed = sum(row[11] is not None for row in rows)
        sentences.append(
            f"{_DRAWN_AS[name]} ({name}): {failures}. {n_agree} of {n_printed} findings are as in the paper."
        )
    return tuple(sentences)


def _notes(simulated: FloatArray) -> tuple[str, ...]:
    n_undefined = int(np.isnan(simulated[..., : len(FIVE)]).sum())
    n_regularized = int(simulated[..., -1].sum())
    notes = []
    if n_undefined:
        notes.append(
            f"{amount(n_undefined, 0)} of {amount(simulated[..., : len(FIVE)].size, 0)} taus are undefined, because a "
            "mechanism ties all systems, and are left out of the means."
        )
    if n_regularized:
        notes.append(
            f"In {amount(n_regularized, 0)} setups Bradley–Terry strengths do not exist; there every system gets "
            f"{PRIOR} wins and losses against a fictive one."
        )
    return tuple(notes)


_DIFFERENCES = (
    (
        "The paper describes two generators and released a third. Section 4: types of segments add an offset that "
        "all systems share. Appendix A.2: every system has its own strength for every type, so that the truth "
        "itself differs between types. The program: shared offsets, and outliers that are new segments with scores "
        "up to 100 in an order against the truth."
    ),
    (
        "The outliers of appendix A.2, scores that change hands within a segment, are no larger than other scores, "
        "and so do not harm the mean; those of the program do."
    ),
    "Section 4 says that the level of noise varies; appendix A.2 and the program fix it at 1, and so does this.",
)
_BARS = (
    "Figure 3's bars are bootstrap intervals here, as its caption says; the program draws twice 1.96 standard "
    "errors to each side."
)
