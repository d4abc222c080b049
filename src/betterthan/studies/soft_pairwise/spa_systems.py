"""Section 4.1 and figure 2 of the paper on soft pairwise accuracy: what if other systems had taken part?"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from betterthan.analysis.wording import amount
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.correlation import pearson, spearman
from betterthan.kernels.agreement.soft_pairwise import pairwise_accuracy, soft_pairwise_accuracy
from betterthan.results.metrics import MetaEvaluation
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.human_panels import MEASURES, evaluated, panels_for
from betterthan.studies.reporting import Claim, Mark, figure, holds_in
from betterthan.studies.request import StudyRequest

KEEPS_GAPS = True
COEFFICIENTS = {"Pearson": pearson, "Spearman": spearman}
_LEAST_SYSTEMS, _LEAST_METRICS = 3, 2


class _Stability(NamedTuple):
    """One data set at one number of systems.

    Attributes
    ----------
    correlation : array, shape (2 measures, 2 coefficients, subsets)
        Of the values of all metrics with those on all systems; NaN where all metrics have one value.
    """

    dataset: str
    size: int
    n_systems: int
    correlation: FloatArray


def run(request: StudyRequest) -> Study:
    """Leave systems out at random, and correlate the values of all metrics with those on all systems."""
    panels = panels_for(request)
    stabilities: list[_Stability] = []
    notes: list[str] = []
    for panel in panels.each:
        full = evaluated(request, panel, MEASURES["SPA"])
        notes += full.notes
        if full.n_systems >= _LEAST_SYSTEMS and len(full.metrics) >= _LEAST_METRICS:
            stabilities += _stability(request, panel.dataset, full)
    if not stabilities:
        raise BetterThanError(
            "Systems can be left out of three or more, to rank two or more metrics anew; there are fewer."
        )
    return request.answer(
        tables=[_table(stabilities)],
        claims=_claims(stabilities),
        charts=[_chart(stabilities)],
        sentences=_sentences(stabilities),
        differences=_DIFFERENCES,
        notes=panels.notes_with(notes, as_published=request.as_published),
        used=panels.used,
    )


_DIFFERENCES = (
    (
        'The paper correlates "rankings" by Pearson\'s coefficient, and gives neither the numbers of systems nor of '
        "repeats: here Pearson of the values and Spearman beside it, at every number of systems."
    ),
    "Figure 2 is a picture without numbers; its claim is that the soft measure is the more stable one in all cases.",
)


def _stability(request: StudyRequest, dataset: str, full: MetaEvaluation) -> list[_Stability]:
    """p-values and means of pairs do not depend on other systems, so a subset needs no new permutations."""
    m = full.n_systems
    reference = np.stack(_values(full, np.arange(m)))
    stabilities = []
    for size in range(2, m):
        subsets = subsets_of(
            m, size, request.number("subsets"), stream(request.seed, f"systems of {dataset}", size)
        )
        values = np.stack([np.stack(_values(full, some)) for some in subsets], axis=1)
        both = [[measure(values[i], reference[i]) for measure in COEFFICIENTS.values()] for i in range(2)]
        stabilities.append(_Stability(dataset, size, m, np.array(both)))
    return stabilities


def _values(full: MetaEvaluation, some: IntArray) -> tuple[FloatArray, FloatArray]:
    """Pairwise accuracy and soft pairwise accuracy of all metrics on some systems; each of shape (k,)."""
    human_p, metric_p = np.asarray(full.human_pvalue)[np.ix_(some, some)], np.asarray(full.metric_pvalue)
    return (
        pairwise_accuracy(full.metric_mean[:, some], full.human_mean[some]),
        soft_pairwise_accuracy(metric_p[:, some][:, :, some], human_p),
    )


def subsets_of(m: int, size: int, most: int, rng: np.random.Generator) -> list[IntArray]:
    """Return all subsets of so many systems, or so many at random where there are more.

    Examples
    --------
    >>> [some.tolist() for some in subsets_of(3, 2, 10, np.random.default_rng(0))]
    [[0, 1], [0, 2], [1, 2]]
    """
    if math.comb(m, size) <= most:
        return [np.array(some) for some in combinations(range(m), size)]
    return [np.sort(rng.choice(m, size, replace=False)) for _ in range(most)]


def _summary(draws: FloatArray) -> tuple[float, float, float]:
    """Mean, 5% and 95% of what is defined; NaN where nothing is."""
    known = draws[~np.isnan(draws)]
    if not known.size:
        return (math.nan, math.nan, math.nan)
    low, high = np.quantile(known, (0.05, 0.95)).tolist()
    return float(known.mean()), low, high


def _table(stabilities: list[_Stability]) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = [
        (
            *(one.dataset, one.size, one.correlation.shape[-1], coefficient),
            *_summary(one.correlation[0, j]),
            *_summary(one.correlation[1, j]),
            int(np.isnan(one.correlation[0, j]).sum()),
        )
        for one in stabilities
        for j, coefficient in enumerate(COEFFICIENTS)
    ]
    return StudyTable(
        name="figure-2",
        title="Correlation of the values of metrics on some systems with those on all: mean, 5% and 95%",
        columns=(
            *("data", "systems", "subsets", "coefficient", "PA", "PA 5%", "PA 95%"),
            *("SPA", "SPA 5%", "SPA 95%", "PA undefined"),
        ),
        rows=tuple(rows),
        digits=3,
        notes=(
            "Undefined: subsets on which all metrics have one value, and which are left out of the mean.",
        ),
    )


def _chart(stabilities: list[_Stability]) -> StudyChart:
    return figure(
        (
            Mark(one.dataset, label, one.size, *_summary(one.correlation[i, 0]))
            for one in stabilities
            for i, label in enumerate(MEASURES)
        ),
        name="figure-2",
        title="Figure 2: stability of metrics when systems are left out",
        x="number of systems",
        y="Pearson correlation with all systems",
        note="Points: means over subsets of systems. Vertical lines: 90% of the subsets.",
    )


def _means(stabilities: list[_Stability]) -> list[tuple[float, float]]:
    """Mean correlation by both measures."""
    return [(_summary(one.correlation[0, 0])[0], _summary(one.correlation[1, 0])[0]) for one in stabilities]


def _claims(stabilities: list[_Stability]) -> list[Claim]:
    by_dataset: dict[str, list[bool]] = {}
    for one, (hard, soft) in zip(stabilities, _means(stabilities), strict=True):
        if not (math.isnan(hard) or math.isnan(soft)):
            by_dataset.setdefault(one.dataset, []).append(soft > hard)
    every = [more for cases in by_dataset.values() for more in cases]
    seen = ", ".join(f"{name} at {sum(cases)} of {len(cases)} sizes" for name, cases in by_dataset.items())
    return [
        Claim(
            "the soft measure is more stable than pairwise accuracy when systems are left out",
            "section 4.1, figure 2",
            holds_in(sum(every), len(every)),
            seen,
        )
    ]


def _sentences(stabilities: list[_Stability]) -> tuple[str, ...]:
    means = _means(stabilities)
    half = [
        (one, pair)
        for one, pair in zip(stabilities, means, strict=True)
        if one.size == (one.n_systems + 1) // 2
    ]
    return tuple(
        f"{one.dataset}: with {one.size} of {one.n_systems} systems the mean correlation is {amount(pair[0], 2)} for "
        f"pairwise accuracy and {amount(pair[1], 2)} for the soft one."
        for one, pair in half[:6]
    )
