"""Figure 3 of the paired-evaluation paper from taus on the grid: panels, error bars, and its findings as tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray
from betterthan.engine.streams import stream
from betterthan.kernels.intervals import percentile_interval
from betterthan.kernels.resample import bootstrap_counts
from betterthan.results.study import Entry, StudyChart, StudyTable
from betterthan.studies.simulated_scores import Setting
from betterthan.studies.strengths import FIVE, THREE, TITLES

RESAMPLES = 1000
CONFIDENCE = 0.95
_SMALL = 0.05
"""A loss of tau by less is no failure."""


class Panel(NamedTuple):
    """One panel of figure 3: what is varied, and which settings take part."""

    letter: str
    title: str
    varied: str
    inside: Callable[[Setting], bool]


PANELS = (
    Panel("a", "no problem: systems", "systems", lambda s: s.types == 1 and s.outliers == 0),
    Panel("b", "no problem: segments", "segments", lambda s: s.types == 1 and s.outliers == 0),
    Panel("c", "outliers only", "outliers", lambda s: s.types == 1),
    Panel("d", "types only", "types", lambda s: s.outliers == 0),
    Panel("e", "outliers, with types", "outliers", lambda s: s.types > 1),
    Panel("f", "types, with outliers", "types", lambda s: s.outliers > 0),
    Panel("g", "all: systems", "systems", lambda s: True),  # noqa: ARG005
    Panel("h", "all: segments", "segments", lambda s: True),  # noqa: ARG005
)


class Point(NamedTuple):
    """Mean tau of one mechanism at one place of a panel, with its interval and number of setups."""

    panel: Panel
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
    found = []
    for panel in PANELS:
        for x in sorted({float(getattr(s, panel.varied)) for s in grid if panel.inside(s)}):
            rows = np.array([panel.inside(s) and getattr(s, panel.varied) == x for s in grid])
            values = taus[rows].reshape(-1, len(FIVE))
            rng = stream(seed, f"bars {name} {panel.letter} {x:g}", 0)
            low, high = _published_bars(values) if as_published else _bars(values, rng)
            sizes = (~np.isnan(values)).sum(axis=0)
            found += [
                Point(panel, mechanism, x, _mean(values[:, i]), float(low[i]), float(high[i]), int(sizes[i]))
                for i, mechanism in enumerate(FIVE)
            ]
    return found


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


def panels_table(name: str, found: Sequence[Point]) -> StudyTable:
    """Return the numbers behind the eight panels of figure 3."""
    by_place: dict[tuple[Panel, float], list[Point]] = {}
    for point in found:
        by_place.setdefault((point.panel, point.x), []).append(point)
    rows: list[tuple[Entry, ...]] = []
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


def figure(name: str, found: Sequence[Point]) -> StudyChart:
    """Return figure 3."""
    return StudyChart(
        name=f"figure-3-{name.replace('_', '-')}",
        title=f"Figure 3: which mechanism finds the true order? Scores drawn by {name}",
        kind="lines",
        x="varied",
        y="Kendall's tau",
        columns={
            "panel": tuple(f"{point.panel.letter}: {point.panel.title}" for point in found),
            "series": tuple(TITLES[point.mechanism] for point in found),
            "x": tuple(point.x for point in found),
            "y": tuple(point.tau for point in found),
            "low": tuple(point.low for point in found),
            "high": tuple(point.high for point in found),
        },
    )


def grid_table(taus: Mapping[str, FloatArray], grid: Sequence[Setting]) -> StudyTable:
    """Return mean tau at every setting of the grid."""
    rows: tuple[tuple[Entry, ...], ...] = tuple(
        (name, *setting, *(_mean(row) for row in own.T))
        for name, table in taus.items()
        for setting, own in zip(grid, table, strict=True)
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
    rows: list[tuple[Entry, ...]] = []
    for (name, own), (trouble, inside) in product(taus.items(), troubles.items()):
        falls = [_fall(own[..., place], clean, inside) for place in range(len(FIVE))]
        groups = [own[rows_].reshape(-1, len(FIVE)) for rows_ in (clean, inside)]
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
        title="Who fails with outliers, with types of segments, and with both",
        columns=(*columns, "fails", "fails in the paper", "as in the paper"),
        rows=tuple(rows),
        digits=3,
        notes=(
            (
                "Further behind: how much more tau lags behind that of Bradley–Terry, on the same scores, than "
                f"without the trouble; it fails from {_SMALL} on, when the 95 % bootstrap interval leaves out 0."
            ),
        ),
    )


TOLD = {"outliers": ("mean",), "types": ("median",), "both": ("mean", "median")}
"""Section 4: who fails. Elo and TrueSkill are not in figure 3."""
_BT = FIVE.index("bradley_terry")


def _verdict(mechanism: str, trouble: str, *, fails: bool) -> tuple[Entry, Entry, Entry]:
    """Whether it fails, whether the paper says so, and whether the two agree."""
    said = "yes" if fails else "no"
    if mechanism not in THREE:
        return said, None, None
    told = mechanism in TOLD[trouble]
    return said, "yes" if told else "no", "yes" if fails == told else "no"


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
