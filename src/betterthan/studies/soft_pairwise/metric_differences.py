"""Section 5.1 of the paper on soft pairwise accuracy: which differences of a metric tend to be significant?

The paper refers to others for the question, and uses p-values in place of differences; here the two are compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.meta.inputs import panel_of
from betterthan.analysis.wording import amount
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.soft_pairwise import one_sided_pvalues
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.human_panels import StudyPanel, chosen_metrics, panels_for
from betterthan.studies.reporting import Claim, Mark, figure, holds_in
from betterthan.studies.request import StudyRequest

KEEPS_GAPS = True
_RELIABLE = 0.95
"""A difference is called reliable when so many of the pairs that differ at least as much are significant."""


class _Differences(NamedTuple):
    """One metric on one data set: difference and two-sided p-value of every pair of systems, smallest first."""

    dataset: str
    metric: str
    gap: FloatArray
    pvalue: FloatArray
    alpha: float

    @property
    def is_significant(self) -> FloatArray:
        """Of each pair, 1 or 0."""
        return (self.pvalue < self.alpha).astype(np.float64)

    @property
    def reliable_from(self) -> float:
        """The smallest difference from which on nearly all pairs are significant; NaN where there is none."""
        shares = np.cumsum(self.is_significant[::-1])[::-1] / np.arange(self.gap.size, 0, -1)
        is_reliable = np.logical_and.accumulate((shares >= _RELIABLE)[::-1])[::-1]
        reliable = np.flatnonzero(is_reliable & (self.is_significant > 0))
        return float(self.gap[reliable[0]]) if reliable.size else float("nan")

    @property
    def overlap(self) -> tuple[float, float]:
        """The smallest significant difference, and the largest one that is not; NaN where there is none."""
        is_significant = self.is_significant > 0
        yes, no = self.gap[is_significant], self.gap[~is_significant]
        return float(yes.min()) if yes.size else float("nan"), float(no.max()) if no.size else float("nan")


def run(request: StudyRequest) -> Study:
    """Compare the difference of every pair of systems with its p-value, metric by metric."""
    panels = panels_for(request)
    every = [one for panel in panels.each for one in _differences(request, panel)]
    shown = [chart for panel in panels.each for chart in _charts(request, panel, every)]
    return request.answer(
        tables=[_table(every)],
        claims=_claims(every),
        charts=shown,
        sentences=_sentences(every),
        differences=_NOT_IN_THE_PAPER,
        notes=panels.notes_with([], as_published=request.as_published),
        used=panels.used,
        draws=False,
    )


_NOT_IN_THE_PAPER = (
    (
        "The paper has no such figure: it refers to Lo et al. (2023) for differences, and argues that p-values are the "
        "better scale. p-values are two-sided, of the analytic permutation test of the means, and not corrected."
    ),
)


def _differences(request: StudyRequest, panel: StudyPanel) -> list[_Differences]:
    """Human scores first, then the metrics."""
    together = panel_of(panel.metrics, panel.human)
    if together.is_systems_only:
        raise BetterThanError(
            f"P-values of {panel.dataset} need scores of segments, and its metrics have one score per system."
        )
    tables = [together.human_goodness, *np.where(together.judged, together.summands(), np.nan)]
    alpha = float(request.options["alpha"])
    return [
        _of_table(panel.dataset, name, goodness, alpha)
        for name, goodness in zip((panel.human.name, *together.names), tables, strict=True)
    ]


def _of_table(dataset: str, metric: str, goodness: FloatArray, alpha: float) -> _Differences:
    i, j = np.triu_indices(len(goodness), 1)
    p = one_sided_pvalues(goodness, "analytic")[i, j]
    both = goodness[i] - goodness[j]
    known = ~np.isnan(both)
    with np.errstate(invalid="ignore"):
        gap = np.abs(np.where(known, both, 0.0).sum(axis=1) / known.sum(axis=1))
    order = np.argsort(gap, kind="stable")
    two_sided = np.minimum(1.0, 2 * np.minimum(p, 1 - p))
    known_pairs = order[~np.isnan(two_sided[order])]
    return _Differences(dataset, metric, gap[known_pairs], two_sided[known_pairs], alpha)


def _table(every: list[_Differences]) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (
            *(one.dataset, one.metric, one.gap.size, int(one.is_significant.sum())),
            *one.overlap,
            one.reliable_from,
        )
        for one in every
    )
    return StudyTable(
        name="differences",
        title="Which differences between systems are significant, in the unit of each metric",
        columns=(
            *("data", "metric", "pairs", "significant", "smallest significant", "largest not significant"),
            "reliable from",
        ),
        rows=rows,
        digits=4,
        notes=(
            f"Reliable from: the smallest difference from which on {_RELIABLE:.0%} of the pairs are significant.",
        ),
    )


def _claims(every: list[_Differences]) -> list[Claim]:
    overlapping = [one for one in every if not any(np.isnan(one.overlap))]
    mixed = sum(one.overlap[0] < one.overlap[1] for one in overlapping)
    return [
        Claim(
            "the size of a difference does not tell whether it is significant, so that p-values say more",
            "section 5.1",
            holds_in(mixed, len(overlapping)),
            f"for {mixed} of {len(overlapping)} metrics the largest difference that is not significant exceeds the "
            "smallest that is",
        )
    ]


def _charts(request: StudyRequest, panel: StudyPanel, every: list[_Differences]) -> list[StudyChart]:
    here = {one.metric: one for one in every if one.dataset == panel.dataset}
    # The metrics that separate most systems first.
    order = sorted(panel.metrics, key=lambda name: -float(here[name].is_significant.sum()))
    shown = [panel.human.name, *chosen_metrics(request, "metrics", order)]
    alpha = float(request.options["alpha"])
    marks = [
        Mark(
            metric,
            "significant" if p < alpha else "not significant",
            float(gap),
            float(p),
            axis=f"difference of {metric}",
        )
        for metric in shown
        for gap, p in zip(here[metric].gap, here[metric].pvalue, strict=True)
        if gap > 0  # on a logarithmic axis
    ]
    return [
        figure(
            # In the order of the legend, whatever comes first.
            sorted(marks, key=lambda mark: (shown.index(mark.panel), mark.series != "significant")),
            name=f"differences-{panel.dataset.replace(' ', '-')}",
            title=f"{panel.dataset}: difference between two systems and its p-value",
            kind="points",
            x="difference",
            y="p-value, two-sided",
            log_x=True,
            rule=alpha,
            note=f"Each point is a pair of systems; differences on a logarithmic axis. Dashed: p = {alpha:g}.",
        )
    ]


def _sentences(every: list[_Differences]) -> tuple[str, ...]:
    by_dataset: dict[str, list[_Differences]] = {}
    for one in every:
        by_dataset.setdefault(one.dataset, []).append(one)
    sentences = []
    for dataset, some in by_dataset.items():
        share = np.mean([one.is_significant.mean() for one in some[1:]])
        reliable = [one for one in some[:4] if not np.isnan(one.reliable_from)]
        parts = ", ".join(f"{amount(one.reliable_from, 3)} of {one.metric}" for one in reliable)
        sentences.append(
            f"{dataset}: {share:.0%} of the pairs are significant on average over metrics"
            + (f"; differences are reliable from {parts}." if parts else ".")
        )
    return tuple(sentences)
