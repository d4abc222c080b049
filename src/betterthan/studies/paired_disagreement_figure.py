"""Figure 4 of the paired-evaluation paper: disagreement by metric, by data set and by test set size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.engine.streams import stream
from betterthan.kernels.intervals import percentile_interval
from betterthan.kernels.resample import bootstrap_counts
from betterthan.results.study import Entry, StudyChart, StudyTable
from betterthan.studies.paired_disagreement_tables import Found, known_mean, pair_title
from betterthan.studies.paired_printed import PAIRS
from betterthan.studies.setups import Setup
from betterthan.studies.subsamples import CODE_SIZES, TEXT_SIZES

_RESAMPLES = 2000


def sizes_table(found: Found) -> StudyTable:
    """Return the share of pairs ordered differently by test set size, the numbers of figure 4c."""
    sizes = CODE_SIZES if found.reading else TEXT_SIZES
    rows: list[tuple[Entry, ...]] = []
    for size in sizes:
        values = _at_size(found, size)
        if len(values):
            rows.append((size, len(values), *(float(value) for value in known_mean(values))))
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
