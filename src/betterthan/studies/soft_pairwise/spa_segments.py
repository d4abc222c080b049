"""Section 4.2 and figure 3 of the paper on soft pairwise accuracy: what if fewer segments had been judged?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.meta.inputs import panel_of
from betterthan.analysis.wording import amount
from betterthan.arrays import FloatArray, IntArray, digest
from betterthan.engine.blocks import even_parts
from betterthan.kernels.agreement.soft_pairwise import (
    one_sided_pvalues,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.human_panels import (
    MEASURES,
    StudyPanel,
    chosen_metrics,
    evaluated,
    panels_for,
)
from betterthan.studies.reporting import Claim, Mark, figure, holds_in
from betterthan.studies.request import StudyRequest

KEEPS_GAPS = True
PARTS = (16, 8, 4, 2, 1)
"""A sixteenth of the segments, and so on to all."""
_LEAST = 5
_DRAWS_A_BLOCK = 50


class _Tables(NamedTuple):
    """Goodness of one data set: human scores and the metrics that are shown, the same cells of all."""

    dataset: str
    metrics: tuple[str, ...]
    human: FloatArray
    scores: FloatArray
    notes: tuple[str, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of segments to draw."""
        n = self.human.shape[1]
        return tuple(dict.fromkeys(n // part for part in PARTS if n // part >= min(_LEAST, n)))


class _Interval(NamedTuple):
    """One metric at one number of segments: mean and bounds of 95%, by pairwise and by soft pairwise accuracy."""

    dataset: str
    metric: str
    size: int
    summary: FloatArray

    @property
    def width(self) -> FloatArray:
        """Of both intervals."""
        return np.asarray(self.summary[:, 2] - self.summary[:, 1])


def run(request: StudyRequest) -> Study:
    """Draw segments with replacement, fewer and more, and tell how far the values of the best metrics spread."""
    panels = panels_for(request)
    chosen = [_chosen(request, panel) for panel in panels.each]
    intervals = [one for tables in chosen if tables.metrics for one in _intervals(request, tables)]
    return request.answer(
        tables=[_table(intervals)],
        claims=_claims(intervals),
        charts=[_chart(intervals), _widths(intervals)],
        sentences=_sentences(intervals),
        differences=_DIFFERENCES,
        notes=panels.notes_with(
            [note for tables in chosen for note in tables.notes], as_published=request.as_published
        ),
        used=panels.used,
    )


_DIFFERENCES = (
    (
        "p-values inside the bootstrap are analytic here, which agree with those of 1,000 permutations to their "
        "noise and take a fiftieth of the time. Figure 3 is a picture without numbers; its claim is that the soft "
        "measure has tighter intervals."
    ),
)


def _chosen(request: StudyRequest, panel: StudyPanel) -> _Tables:
    """The metrics that are named, or those nearest to the human scores by the soft measure."""
    evaluation = evaluated(request, panel, MEASURES["SPA"])
    best = chosen_metrics(request, "metrics", evaluation.metrics)
    together = panel_of(panel.metrics, panel.human)
    by_name = dict(zip(together.names, together.summands(), strict=True))
    scores = np.stack([np.where(together.judged, by_name[name], np.nan) for name in best])
    return _Tables(panel.dataset, best, together.human_goodness, scores, evaluation.notes)


def _intervals(request: StudyRequest, tables: _Tables) -> list[_Interval]:
    blocks = request.run(
        f"fewer segments of {tables.dataset}",
        tables,
        _drawn_values,
        parts=even_parts(request.number("draws"), _DRAWS_A_BLOCK),
        key=(digest(tables.metrics, tables.human, tables.scores),),
        label=f"fewer segments, {tables.dataset}",
    )
    values = np.concatenate(blocks)
    return [
        _Interval(tables.dataset, metric, size, _summary(values[:, i, :, k]))
        for k, metric in enumerate(tables.metrics)
        for i, size in enumerate(tables.sizes)
    ]


def _drawn_values(tables: _Tables, part: range, rng: np.random.Generator) -> FloatArray:
    """Values of drawn test sets; shape (draws, sizes, 2 measures, metrics)."""
    n = tables.human.shape[1]
    return np.array([[_values(tables, rng.integers(0, n, size)) for size in tables.sizes] for _ in part])


def _values(tables: _Tables, some: IntArray) -> FloatArray:
    human, scores = tables.human[:, some], tables.scores[:, :, some]
    with np.errstate(invalid="ignore"):
        means = [_mean_of_known(one) for one in (human, *scores)]
    metric_p = np.stack([one_sided_pvalues(one, "analytic") for one in scores])
    return np.stack(
        [
            pairwise_accuracy(np.stack(means[1:]), means[0]),
            soft_pairwise_accuracy(metric_p, one_sided_pvalues(human, "analytic")),
        ]
    )


def _mean_of_known(values: FloatArray) -> FloatArray:
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1))


def _summary(draws: FloatArray) -> FloatArray:
    """Mean, 2.5% and 97.5% of draws (…, measures); shape (measures, 3)."""
    low, high = np.nanquantile(draws, (0.025, 0.975), axis=0)
    return np.stack([np.nanmean(draws, axis=0), low, high], axis=1)


def _table(intervals: list[_Interval]) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (
            one.dataset,
            one.metric,
            one.size,
            *one.summary[0].tolist(),
            *one.summary[1].tolist(),
            *one.width.tolist(),
        )
        for one in intervals
    )
    return StudyTable(
        name="figure-3",
        title="Mean and 95% interval of the values of the best metrics, by number of segments",
        columns=(
            *("data", "metric", "segments", "PA", "PA low", "PA high", "SPA", "SPA low", "SPA high"),
            *("PA width", "SPA width"),
        ),
        rows=rows,
        digits=3,
    )


def _chart(intervals: list[_Interval]) -> StudyChart:
    return figure(
        (
            Mark(f"{one.dataset}, {one.metric}", label, one.size, *one.summary[i].tolist())
            for one in intervals
            for i, label in enumerate(MEASURES)
        ),
        name="figure-3",
        title="Figure 3: values of metrics with fewer segments",
        x="segments (logarithmic)",
        y="PA or SPA",
        log_x=True,
        note="Points: means over resamples. Vertical lines: 95% bootstrap intervals.",
    )


def _widths(intervals: list[_Interval]) -> StudyChart:
    """The widths alone, which intervals one over the other hide."""
    return figure(
        (
            Mark(f"{one.dataset}, {one.metric}", label, one.size, float(one.width[i]))
            for one in intervals
            for i, label in enumerate(MEASURES)
        ),
        name="figure-3-widths",
        title="How wide the 95% intervals are with fewer segments",
        x="segments (logarithmic)",
        y="width of the interval",
        log_x=True,
    )


def _claims(intervals: list[_Interval]) -> list[Claim]:
    tighter = sum(bool(one.width[1] < one.width[0]) for one in intervals)
    growth = _growth_of_halves(intervals)
    sooner = sum(soft < hard for hard, soft in growth)
    means = np.mean(growth, axis=0).tolist() if growth else []
    return [
        Claim(
            "the soft measure has narrower confidence intervals",
            "section 4.2, figure 3",
            holds_in(tighter, len(intervals)),
            f"in {tighter} of {len(intervals)} cases",
        ),
        Claim(
            "its intervals reach their final width with fewer segments",
            "section 4.2, figure 3",
            holds_in(sooner, len(growth)),
            f"width with half of the segments / with all: {means[1]:.2f}, pairwise accuracy {means[0]:.2f}"
            if means
            else "too few segments",
        ),
    ]


def _sentences(intervals: list[_Interval]) -> tuple[str, ...]:
    tighter = sum(one.width[1] < one.width[0] for one in intervals)
    ratio = float(np.mean([one.width[1] for one in intervals]) / np.mean([one.width[0] for one in intervals]))
    return (
        (
            f"The interval of the soft measure is the tighter one in {tighter} of {len(intervals)} cases; on average "
            f"it is {amount(ratio, 2)} times as wide as that of pairwise accuracy."
        ),
        *_halves(intervals),
    )


def _growth_of_halves(intervals: list[_Interval]) -> list[tuple[float, float]]:
    """How much wider intervals are with half of the segments, by both measures; those near 1 have settled."""
    by_metric: dict[tuple[str, str], list[_Interval]] = {}
    for one in intervals:
        by_metric.setdefault((one.dataset, one.metric), []).append(one)
    pairs = [(some[-2].width, some[-1].width) for some in by_metric.values() if len(some) > 1]
    ratios = [(half / full).tolist() for half, full in pairs if (full > 0).all()]
    return [(hard, soft) for hard, soft in ratios]


def _halves(intervals: list[_Interval]) -> tuple[str, ...]:
    known = _growth_of_halves(intervals)
    if not known:
        return ()
    hard, soft = np.mean(known, axis=0).tolist()
    return (
        (
            f"With half of the segments, intervals of pairwise accuracy are {amount(hard, 2)} times as wide as with "
            f"all, those of the soft measure {amount(soft, 2)} times."
        ),
    )
