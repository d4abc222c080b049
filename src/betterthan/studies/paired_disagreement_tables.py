"""Tables 1, 3 and 4 and figure 4 of the paired-evaluation paper from the disagreements of every setup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.engine.blocks import Array
from betterthan.engine.streams import stream
from betterthan.kernels.intervals import percentile_interval
from betterthan.kernels.resample import bootstrap_counts
from betterthan.results.study import Entry, StudyChart, StudyTable
from betterthan.studies.disagreement import MEASURE_TITLES, MEASURES
from betterthan.studies.paired_printed import PAIRS, TABLE_4, TEN_PAIRS, family_of, table_3
from betterthan.studies.setups import Setup
from betterthan.studies.strengths import TITLES
from betterthan.studies.subsamples import CODE_SIZES, RULES, TEXT_SIZES

READINGS = ("text", "as published")
_RESAMPLES = 2000
_SIZES = {"ten": (10,), "text_sizes": TEXT_SIZES, "code_sizes": CODE_SIZES}
_TITLES = {
    **{name: rule.title for name, rule in RULES.items()},
    "ten": "ten segments",
    "text_sizes": "sizes of the text, up to all segments",
    "code_sizes": "sizes of the program, up to all segments",
}


SHOWN = "fifth"
"""The rule whose table 3 is shown unasked: it comes closest to the printed one."""
PRINTED_DRAWS = 30
"""Draws behind each metric of table 3, whose shares are multiples of 1/30."""
_SHORT = {"disagree": "pairs", "best": "best", "top3": "top"}
_SHORT_PAIRS = dict(zip(PAIRS, ("mean/med", "mean/BT", "med/BT"), strict=True))


class Found(NamedTuple):
    """Disagreements of all setups, and the reading asked for (0 text, 1 as published)."""

    setups: tuple[Setup, ...]
    blocks: Sequence[dict[str, Array]]
    reading: int

    def full(self) -> FloatArray:
        """With all segments: (setups, 3 pairs, 3 measures)."""
        return np.stack([block["full"][self.reading] for block in self.blocks])

    def by_rule(self, rule: str, place: int, reading: int) -> FloatArray:
        """Mean over the draws of a rule in one setup; (3 pairs, 3 measures)."""
        block = self.blocks[place]
        if rule in _SIZES:
            sizes = [f"size {size}" for size in _SIZES[rule]]
            return np.asarray(np.mean([self._drawn(block, name, reading) for name in sizes], axis=0))
        return self._drawn(block, rule, reading)

    def _drawn(self, block: dict[str, Array], rule: str, reading: int) -> FloatArray:
        """Sizes beyond the number of segments are all segments."""
        if rule not in block or rule == "full":
            return np.asarray(block["full"][reading])
        return _known_mean(block[rule][:, reading])


def _known_mean(values: FloatArray) -> FloatArray:
    """Mean over the first axis of what is there; NaN of nothing."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def pair_title(pair: tuple[str, str]) -> str:
    """Return two mechanisms as a heading has them."""
    return f"{TITLES[pair[0]]} / {TITLES[pair[1]]}"


def full_table(found: Found, name: str, pairs: Sequence[tuple[str, str]]) -> StudyTable:
    """Return table 1 (three pairs) or table 4 (ten): means over setups, with all segments."""
    five = np.stack([block["five"] for block in found.blocks])
    means = _known_mean(five)[: len(pairs)]
    return StudyTable(
        name=name,
        title=f"{name.replace('-', ' ').title()}: disagreement over {len(found.setups)} setups",
        columns=("mechanisms", *(MEASURE_TITLES[measure] for measure in MEASURES)),
        rows=tuple(
            (pair_title(pair), *(float(value) for value in row))
            for pair, row in zip(TEN_PAIRS, means, strict=False)
        ),
        printed=tuple((None, *row) for row in TABLE_4[: len(pairs)]),
    )


def _cells(found: Found) -> dict[tuple[str, str], list[int]]:
    """Places of the setups of each data set and family of metrics."""
    cells: dict[tuple[str, str], list[int]] = {}
    for place, setup in enumerate(found.setups):
        cells.setdefault((setup.dataset, family_of(setup.metric)), []).append(place)
    return cells


def _cell_means(found: Found, rule: str, reading: int) -> dict[tuple[str, str], FloatArray]:
    return {
        cell: _known_mean(np.stack([found.by_rule(rule, place, reading) for place in places]))
        for cell, places in _cells(found).items()
    }


def breakdown_tables(found: Found) -> list[StudyTable]:
    """Return table 3 under every rule, in the reading asked for."""
    return [_breakdown(found, rule) for rule in (*RULES, "ten")]


def _breakdown(found: Found, rule: str) -> StudyTable:
    means = _cell_means(found, rule, found.reading)
    rows: list[tuple[Entry, ...]] = []
    printed: list[tuple[Entry, ...]] = []
    for (dataset, family), values in means.items():
        rows.append((dataset, family, *(float(value) for value in values.T.reshape(-1))))
        told = [table_3(dataset, family, measure, pair) for measure in MEASURES for pair in PAIRS]
        printed.append((None, None, *told))
    heads = [f"{_SHORT[measure]} {_SHORT_PAIRS[pair]}" for measure in MEASURES for pair in PAIRS]
    return StudyTable(
        name=f"table-3-{rule.replace('_', '-')}",
        title=f"Table 3, {_TITLES[rule]}: disagreement by data set and family of metrics",
        columns=("data", "metric", *heads),
        rows=tuple(rows),
        printed=tuple(printed) if any(cell is not None for row in printed for cell in row) else None,
        is_detail=rule != SHOWN,
        notes=(
            "BT: Bradley–Terry. Pairs: share of pairs ordered differently; best and top: setups with others.",
        ),
    )


class _Fit(NamedTuple):
    """How far a rule is from table 3: mean absolute difference of each measure and of all, and what chance would do."""

    rule: str
    reading: str
    apart: tuple[float, ...]
    expected: float | None


def _fit(found: Found, rule: str, reading: int) -> _Fit | None:
    """Hold a rule against table 3; None where nothing is printed."""
    apart: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    chance: list[float] = []
    errors = _cell_errors(found, rule, reading)
    for cell, values in _cell_means(found, rule, reading).items():
        for j, pair in enumerate(PAIRS):
            for k, measure in enumerate(MEASURES):
                printed = table_3(*cell, measure, pair)
                if isinstance(printed, float) and not np.isnan(values[j, k]):
                    apart[measure].append(abs(float(values[j, k]) - printed))
                    chance.append(float(errors[cell][j, k]) if errors else np.nan)
    every = [one for several in apart.values() for one in several]
    if not every:
        return None
    means = (*(float(np.mean(apart[measure])) for measure in MEASURES), float(np.mean(every)))
    return _Fit(rule, READINGS[reading], means, float(np.mean(chance)) if errors else None)


def _cell_errors(found: Found, rule: str, reading: int) -> dict[tuple[str, str], FloatArray] | None:
    r"""How far two runs of the same rule lie apart by chance, ours and one of 30 draws; None for rules without draws.

    The difference of two means over draws has variance :math:`v (1/R + 1/30)`, and a normal variable with standard
    deviation s is :math:`s \sqrt{2 / \pi}` away from 0 on average.
    """
    if any(rule not in block for block in found.blocks) or rule == "full":
        return None
    result = {}
    for cell, places in _cells(found).items():
        draws = [found.blocks[place][rule][:, reading] for place in places]
        variance = sum(each.var(axis=0) for each in draws) / len(places) ** 2
        result[cell] = np.sqrt(2 / np.pi * variance * (1 / len(draws[0]) + 1 / PRINTED_DRAWS))
    return result


def _ranked(found: Found) -> list[_Fit]:
    fits = [_fit(found, rule, reading) for rule in (*RULES, *_SIZES) for reading in range(len(READINGS))]
    return sorted((fit for fit in fits if fit is not None), key=lambda fit: fit.apart[-1])


def rules_table(found: Found) -> StudyTable | None:
    """Return which rule of drawing test sets comes closest to table 3, if any cell of it is in the data."""
    rows = tuple((_TITLES[fit.rule], fit.reading, *fit.apart, fit.expected) for fit in _ranked(found))
    if not rows:
        return None
    return StudyTable(
        name="table-3-rules",
        title="Mean absolute difference from the printed table 3, closest first",
        columns=(
            "test sets",
            "reading",
            *(MEASURE_TITLES[measure] for measure in MEASURES),
            "all",
            "by chance alone",
        ),
        rows=rows,
        digits=3,
        notes=("By chance alone: how far two runs of the same rule, one of 30 draws, would lie apart.",),
    )


def closest(found: Found) -> tuple[str, ...]:
    """Say which rule comes closest to table 3."""
    ranked = _ranked(found)
    if not ranked:
        return ()
    best, full = ranked[0], next(fit for fit in ranked if fit.rule == "full")
    chance = "" if best.expected is None else f", where chance alone would make it {best.expected:.3f}"
    return (
        (
            f"Closest to table 3 comes {_TITLES[best.rule]} ({best.reading}), {best.apart[-1]:.3f} away on "
            f"average{chance}; all segments ({full.reading}) are {full.apart[-1]:.3f} away."
        ),
    )


def sizes_table(found: Found) -> StudyTable:
    """Return the share of pairs ordered differently by test set size, the numbers of figure 4c."""
    sizes = CODE_SIZES if found.reading else TEXT_SIZES
    rows: list[tuple[Entry, ...]] = []
    for size in sizes:
        values = _at_size(found, size)
        if len(values):
            rows.append((size, len(values), *(float(value) for value in _known_mean(values))))
    return StudyTable(
        name="figure-4c",
        title="Figure 4c: share of pairs ordered differently, by number of segments drawn",
        columns=("segments", "setups", *(pair_title(pair) for pair in PAIRS)),
        rows=tuple(rows),
        digits=3,
    )


def _at_size(found: Found, size: int) -> FloatArray:
    """Share of pairs ordered differently in each setup that is larger; as published smaller ones take part whole."""
    name = f"size {size}"
    taking_part = [place for place, block in enumerate(found.blocks) if name in block or found.reading]
    values = [found.by_rule(name, place, found.reading)[:, 0] for place in taking_part]
    return np.stack(values) if values else np.empty((0, len(PAIRS)))


def figure_4(found: Found, seed: int) -> list[StudyChart]:
    """Return figure 4: by metric, by data set, by test set size."""
    metrics = _grouped(found, "fifth_or_30", lambda setup: setup.metric)
    datasets = _grouped(found, "fifth", lambda setup: setup.dataset)
    sizes = {
        str(size): _at_size(found, size)
        for size in (CODE_SIZES if found.reading else TEXT_SIZES)
        if len(_at_size(found, size))
    }
    return [
        _chart("figure-4a", "Figure 4a: disagreement by metric", "metric", metrics, seed, kind="bars"),
        _chart("figure-4b", "Figure 4b: disagreement by data set", "data set", datasets, seed, kind="bars"),
        _chart(
            "figure-4c", "Figure 4c: disagreement by test set size", "segments", sizes, seed, kind="lines"
        ),
    ]


def _grouped(found: Found, rule: str, key: Callable[[Setup], str]) -> dict[str, FloatArray]:
    groups: dict[str, list[FloatArray]] = {}
    for place, setup in enumerate(found.setups):
        groups.setdefault(key(setup), []).append(found.by_rule(rule, place, found.reading)[:, 0])
    return {name: np.stack(values) for name, values in groups.items()}


def _chart(
    name: str, title: str, x: str, groups: dict[str, FloatArray], seed: int, *, kind: str
) -> StudyChart:
    points: list[tuple[Entry, ...]] = []
    for group, values in groups.items():
        for place, pair in enumerate(PAIRS):
            own = values[~np.isnan(values[:, place]), place]
            place_x: Entry = float(group) if kind == "lines" else group
            points.append((pair_title(pair), place_x, *_with_bar(own, seed, f"{name} {group} {place}")))
    columns = list(zip(*points, strict=True)) if points else [()] * 5
    fields = dict(zip(("series", "x", "y", "low", "high"), columns, strict=True))
    return StudyChart(
        name=name,
        title=title,
        kind=kind,
        x=x,
        y="share of pairs ordered differently",
        columns={"panel": ("",) * len(points), **fields},
    )


def _with_bar(values: FloatArray, seed: int, label: str) -> tuple[Entry, Entry, Entry]:
    """Mean over setups and the bootstrap interval over setups, None for a single one."""
    if values.size < 2:
        return (float(values[0]) if values.size else None), None, None
    draws = bootstrap_counts(_RESAMPLES, values.size, stream(seed, label, 0)) @ values / values.size
    low, high = percentile_interval(draws[:, None], 0.95)
    return float(values.mean()), float(low[0]), float(high[0])
