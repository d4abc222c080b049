"""Sections 2.2 and 4.3 of the paper on soft pairwise accuracy: how many metrics get the same value?"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np

from betterthan.analysis.wording import counted, listing
from betterthan.arrays import FloatArray
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.human_panels import MEASURES, StudyPanel, evaluated, panels_for
from betterthan.studies.reporting import Claim, Mark, figure, holds_in, printed_table
from betterthan.studies.request import StudyRequest

KEEPS_GAPS = True
_DIGITS = 12
"""Values are equal when they are to so many digits: the last bits depend on the order of a sum."""
_PRINTED = printed_table("soft_pairwise", "section_4_3")


class _Values(NamedTuple):
    """One data set: the metrics and their values by each measure."""

    dataset: str
    n_systems: int
    metrics: tuple[str, ...]
    value: dict[str, FloatArray]
    notes: tuple[str, ...]


class TieGroup(NamedTuple):
    """Metrics that have one value."""

    value: float
    metrics: tuple[str, ...]


def run(request: StudyRequest) -> Study:
    """Count the values that metrics get by both measures, and list those that are shared."""
    panels = panels_for(request)
    datasets = [_values(request, panel) for panel in panels.each]
    return request.answer(
        tables=[_counts(datasets), _groups(datasets)],
        claims=_claims(datasets),
        charts=[_chart(datasets)],
        sentences=_sentences(datasets),
        differences=(),
        notes=panels.notes_with(
            [note for one in datasets for note in one.notes], as_published=request.as_published
        ),
        used=panels.used,
    )


def _values(request: StudyRequest, panel: StudyPanel) -> _Values:
    evaluations = {label: evaluated(request, panel, by) for label, by in MEASURES.items()}
    metrics = tuple(sorted(evaluations["SPA"].metrics))
    value = {
        label: np.array([one.value[one.metrics.index(name)] for name in metrics])
        for label, one in evaluations.items()
    }
    return _Values(panel.dataset, evaluations["SPA"].n_systems, metrics, value, evaluations["SPA"].notes)


def tie_groups(value: FloatArray, metrics: tuple[str, ...]) -> list[TieGroup]:
    """Return the values that two or more metrics share, highest first; undefined values tie with nothing.

    Examples
    --------
    >>> tie_groups(np.array([0.5, 0.7, 0.5, np.nan, np.nan]), ("a", "b", "c", "d", "e"))
    [TieGroup(value=0.5, metrics=('a', 'c'))]
    """
    rounded = np.round(value, _DIGITS).tolist()
    often = Counter(x for x in rounded if not math.isnan(x))
    return [
        TieGroup(
            x, tuple(name for name, metric_value in zip(metrics, rounded, strict=True) if metric_value == x)
        )
        for x in sorted((x for x, times in often.items() if times > 1), reverse=True)
    ]


def _counts(datasets: list[_Values]) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = []
    for one in datasets:
        largest = [
            max([1, *(len(group.metrics) for group in tie_groups(one.value[label], one.metrics))])
            for label in MEASURES
        ]
        possible = one.n_systems * (one.n_systems - 1) // 2 + 1
        distinct = [_n_distinct(one.value[label]) for label in MEASURES]
        rows.append((one.dataset, one.n_systems, len(one.metrics), possible, *distinct, *largest))
    return StudyTable(
        name="distinct-values",
        title="How many values metrics get by pairwise accuracy (PA) and by soft pairwise accuracy (SPA)",
        columns=_PRINTED.columns,
        rows=(*rows, *_PRINTED.rows),
        notes=("The last row is what the paper prints of its own data (sections 2.2 and 4.3).",),
    )


def _n_distinct(value: FloatArray) -> int:
    return int(np.unique(np.round(value[~np.isnan(value)], _DIGITS)).size)


def _groups(datasets: list[_Values]) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (one.dataset, label, group.value, len(group.metrics), ", ".join(group.metrics))
        for one in datasets
        for label in MEASURES
        for group in tie_groups(one.value[label], one.metrics)
    )
    return StudyTable(
        name="ties",
        title="Metrics that share a value",
        columns=("data", "measure", "value", "how many", "metrics"),
        rows=rows,
        digits=4,
        is_detail=True,
    )


def _chart(datasets: list[_Values]) -> StudyChart:
    return figure(
        (
            Mark(one.dataset, label, place + 1, float(value))
            for one in datasets
            for label in MEASURES
            for place, value in enumerate(np.sort(one.value[label])[::-1].tolist())
        ),
        name="values",
        title="Values of all metrics, best first: pairwise accuracy moves in steps",
        kind="points",
        x="place of the metric",
        y="PA or SPA",
    )


def _claims(datasets: list[_Values]) -> list[Claim]:
    counts = {
        one.dataset: (len(one.metrics), *(_n_distinct(one.value[label]) for label in MEASURES))
        for one in datasets
    }
    shared = sum(hard < k for k, hard, _ in counts.values())
    fewer = sum(soft > hard for _, hard, soft in counts.values())
    seen = ", ".join(f"{name} {hard} and {soft} of {k}" for name, (k, hard, soft) in counts.items())
    return [
        Claim(
            "pairwise accuracy gives several metrics the same value",
            "section 4.3",
            holds_in(shared, len(counts)),
            seen,
        ),
        Claim(
            "the soft measure has more distinct values",
            "section 4.3",
            holds_in(fewer, len(counts)),
            seen,
        ),
    ]


def _sentences(datasets: list[_Values]) -> tuple[str, ...]:
    sentences = []
    for one in datasets:
        hard, soft = (_n_distinct(one.value[label]) for label in MEASURES)
        sentences.append(
            f"{one.dataset}: {counted(len(one.metrics), 'metric')}, {counted(hard, 'value')} by pairwise accuracy, "
            f"{soft} by the soft one."
        )
    tied = [
        f"{listing(list(group.metrics))} ({one.dataset})"
        for one in datasets
        for group in tie_groups(one.value["SPA"], one.metrics)
    ]
    return (*sentences, *([f"Tied even by the soft measure: {'; '.join(tied)}."] if tied else []))
