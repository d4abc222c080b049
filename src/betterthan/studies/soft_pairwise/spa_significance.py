"""Table 1 and figure 4 of the paper on soft pairwise accuracy: how many metrics differ by each measure?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.analysis.wording import share
from betterthan.results.metrics import MetaEvaluation
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.human_panels import (
    MEASURES,
    StudyPanel,
    chosen_metrics,
    evaluated,
    panels_for,
)
from betterthan.studies.reporting import Claim, evaluation_figure, holds_in, printed_table
from betterthan.studies.request import StudyRequest

KEEPS_GAPS = True
TABLE_1 = printed_table("soft_pairwise", "table_1")
_SHOWN_TIES = 12
"""Equal values are equal to so many digits."""


class _Both(NamedTuple):
    """One data set, judged by both measures."""

    dataset: str
    hard: MetaEvaluation
    soft: MetaEvaluation

    @property
    def most(self) -> tuple[int, int]:
        """Different metrics, and pairs of them: those that give every system the same score count once."""
        k = np.unique(np.round(self.soft.metric_mean, _SHOWN_TIES), axis=0).shape[0]
        return k, k * (k - 1) // 2


def run(request: StudyRequest) -> Study:
    """Compare all metrics pairwise by both measures, on every data set."""
    panels = panels_for(request)
    datasets = [_both(request, panel) for panel in panels.each]
    return request.answer(
        tables=[_table_1(datasets), _gains(datasets), _printed(), *(_values(one) for one in datasets)],
        claims=_claims(datasets),
        charts=[chart for one in datasets for chart in _charts(request, one)],
        sentences=_sentences(datasets),
        differences=_differences(datasets) if request.setups else (),
        notes=panels.notes_with(
            [note for one in datasets for note in one.soft.notes], as_published=request.as_published
        ),
        used=panels.used,
    )


def _both(request: StudyRequest, panel: StudyPanel) -> _Both:
    hard, soft = (evaluated(request, panel, by, significance="perm_inputs") for by in MEASURES.values())
    return _Both(panel.dataset, hard, soft)


def mean_gain(rows: Sequence[tuple[StudyCell, ...]], column: int) -> float:
    """Return by which share the column after `column` is larger, on average over rows; NaN if there is no such row.

    Examples
    --------
    The 31% and 40% of section 4.4:

    >>> round(mean_gain(TABLE_1.rows, 6), 3), round(mean_gain(TABLE_1.rows, 9), 3)
    (0.313, 0.4)
    """
    pairs = [(float(row[column] or 0), float(row[column + 1] or 0)) for row in rows]
    ratios = [soft / hard - 1 for hard, soft in pairs if hard > 0]
    return float(np.mean(ratios)) if ratios else float("nan")


def _table_1(datasets: list[_Both]) -> StudyTable:
    return StudyTable(
        name="table-1",
        title="Distinct values, significant comparisons and clusters of metrics",
        columns=TABLE_1.columns,
        rows=tuple(_row(one) for one in datasets),
        notes=(
            (
                "Most: what a measure could reach at best; metrics that give every system the same score count once "
                "there, but not among the metrics."
            ),
        ),
    )


def _row(one: _Both) -> tuple[StudyCell, ...]:
    k, pairs = one.most
    return (
        *(one.dataset, one.soft.n_systems, len(one.soft.metrics)),
        *(one.hard.n_distinct, one.soft.n_distinct, k),
        *(one.hard.n_significant, one.soft.n_significant, pairs),
        *(one.hard.n_clusters, one.soft.n_clusters, k),
    )


def _printed() -> StudyTable:
    return StudyTable(
        name="table-1-printed",
        title="Table 1 as it is printed, for the data of the paper",
        columns=TABLE_1.columns,
        rows=TABLE_1.rows,
        is_detail=True,
    )


def _gains(datasets: list[_Both]) -> StudyTable:
    """Means over data sets of the ratios; of the printed table these are the 31% and 40% of section 4.4."""
    rows = [_row(one) for one in datasets]
    names = ("distinct", "significant", "clusters")
    return StudyTable(
        name="gains",
        title="What the soft measure adds: mean over data sets of SPA / PA − 1",
        columns=("what", "gain"),
        rows=tuple((name, mean_gain(rows, 3 + 3 * i)) for i, name in enumerate(names)),
        printed=tuple((None, mean_gain(TABLE_1.rows, 3 + 3 * i)) for i, name in enumerate(names)),
    )


def _values(one: _Both) -> StudyTable:
    """Both values of each metric, best by the soft one first; with its cluster."""
    place = {name: i for i, name in enumerate(one.hard.metrics)}
    rows: list[tuple[StudyCell, ...]] = []
    for i, name in enumerate(one.soft.metrics):
        j = place[name]
        rows.append(
            (
                name,
                *(float(one.soft.value[i]), int(one.soft.cluster[i])),
                *(float(one.hard.value[j]), int(one.hard.cluster[j])),
            )
        )
    return StudyTable(
        name=f"metrics-{_as_file(one.dataset)}",
        title=f"Metrics of {one.dataset}, best first",
        columns=("metric", "SPA", "cluster by SPA", "PA", "cluster by PA"),
        rows=tuple(rows),
        digits=4,
        is_detail=True,
    )


def _as_file(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)


def _charts(request: StudyRequest, one: _Both) -> list[StudyChart]:
    """Figures 1 and 4 of one data set, drawn as ``betterthan figure`` draws them."""
    place = f"-{_as_file(one.dataset)}"
    parts = [
        evaluation_figure(
            one.soft,
            "soft_pairwise",
            name=f"figure-1{place}",
            title=f"Figure 1, {one.dataset}: {metric} and human judgments",
            metric=metric,
        )
        for metric in chosen_metrics(request, "metric", one.soft.metrics)[:1]
    ]
    both = (
        ("PA", "pairwise accuracy", one.hard),
        ("SPA", "soft pairwise accuracy", one.soft),
    )
    return parts + [
        evaluation_figure(
            each,
            "metrics",
            name=f"figure-4-{label}{place}",
            title=f"Figure 4, {one.dataset}: metrics that differ by {measure}",
        )
        for label, measure, each in both
    ]


def _claims(datasets: list[_Both]) -> list[Claim]:
    rows = [_row(one) for one in datasets]
    gains = [mean_gain(rows, 3 + 3 * i) for i in range(3)]
    printed = [mean_gain(TABLE_1.rows, 3 + 3 * i) for i in range(3)]
    n = len(datasets)

    def more(i: int, *, what: str) -> Claim:
        pairs = [(row[3 + 3 * i], row[4 + 3 * i]) for row in rows]
        n_more = sum(float(soft or 0) > float(hard or 0) for hard, soft in pairs)
        counts = ", ".join(
            f"{row[0]} {hard} and {soft}" for row, (hard, soft) in zip(rows, pairs, strict=True)
        )
        return Claim(
            f"the soft measure finds more {what} (by {printed[i]:.0%} on average)",
            "section 4.4, table 1",
            holds_in(n_more, n),
            f"{gains[i]:+.0%}: {counts}",
        )

    halves = [float(row[3] or 0) / float(row[2] or 1) for row in rows]
    unique = [row[4] == row[5] for row in rows]
    return [
        Claim(
            "pairwise accuracy has about half as many values as there are metrics",
            "section 4.3",
            holds_in(sum(_HALF[0] <= half <= _HALF[1] for half in halves), n),
            ", ".join(f"{row[0]} {row[3]} of {row[2]}" for row in rows),
        ),
        Claim(
            "the soft measure has one value for each different metric",
            "section 4.3",
            holds_in(sum(unique), n),
            ", ".join(f"{row[0]} {row[4]} of {row[5]}" for row in rows),
        ),
        more(1, what="significant comparisons"),
        more(2, what="clusters"),
    ]


_HALF = (0.3, 0.7)


def _sentences(datasets: list[_Both]) -> tuple[str, ...]:
    more = sum(one.soft.n_significant > one.hard.n_significant for one in datasets)
    pairs = sum(one.most[1] for one in datasets)
    soft, hard = (
        sum(each.n_significant for each in some)
        for some in ([one.soft for one in datasets], [one.hard for one in datasets])
    )
    summary = (
        f"Of {pairs:,} pairs of metrics, soft pairwise accuracy finds {soft} significantly different and pairwise "
        f"accuracy {hard}; the soft measure finds more on {more} of {len(datasets)} data sets."
    )
    rows = [_row(one) for one in datasets]
    return (summary, *(f"{what} {share(gain)}." for what, gain in _named_gains(rows) if gain > 0))


def _named_gains(rows: list[tuple[StudyCell, ...]]) -> tuple[tuple[str, float], ...]:
    return (
        ("Significant comparisons grow on average by", mean_gain(rows, 6)),
        ("Clusters grow on average by", mean_gain(rows, 9)),
    )


def _differences(datasets: list[_Both]) -> tuple[str, ...]:
    rows = [_row(one) for one in datasets]
    return (
        (
            f"The paper prints {mean_gain(TABLE_1.rows, 6):.0%} more significant comparisons and "
            f"{mean_gain(TABLE_1.rows, 9):.0%} more clusters; here it is {mean_gain(rows, 6):.0%} and "
            f"{mean_gain(rows, 9):.0%}. The data are not those of the paper (WMT 2022 and 2023), unless you named them."
        ),
        (
            "Sides, number of exchanges and scaling of the tests between metrics are not stated in the paper: here one-"
            "sided in favor of the metric that stands higher, z-scores of each metric."
        ),
    )
