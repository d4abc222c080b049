"""Tables 4 and 5 of the paper on relative rankings: what do the treatments of ties do to Kendall's tau on real data?"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from betterthan.analysis.meta_evaluate import TAUS, meta_evaluate
from betterthan.arrays import FloatArray
from betterthan.kernels.tau_tables import tau
from betterthan.results.study import Entry, Study, StudyChart, StudyTable
from betterthan.studies.against_people import Panel, asked_panels
from betterthan.studies.asked import Asked
from betterthan.studies.lines_chart import Mark, lines_chart

SHARES = (0.0, 0.05, 0.1, 0.25, 0.5)
"""Thresholds for ties of a metric, as shares of the standard deviation of its scores."""
_TABLES = dict(zip(TAUS, ("4a", "4b", "4c", "5"), strict=True))
# Section 3: concordant, discordant, ties, the table that is spoken of, and the tau that is printed.
EXAMPLES = (
    (1, 0, 99, TAUS[0], 1.0),
    (70, 30, 0, TAUS[0], 0.4),
    (80, 0, 20, TAUS[1], 0.8),
    (20, 0, 80, TAUS[1], 0.2),
)


class _Taus(NamedTuple):
    """One metric on one data set; `value` has a row a threshold of the metric and a column a treatment of ties."""

    dataset: str
    metric: str
    deviation: float
    value: FloatArray


def run(asked: Asked) -> Study:
    """Hold each metric against people by all four taus, with and without a threshold for its own ties."""
    panels = asked_panels(asked)
    margin = float(asked.options["margin"])
    shares = SHARES[: asked.number("thresholds")]
    found = [one for panel in panels.each for one in _taus(asked, panel, margin, shares)]
    return asked.answer(
        tables=[_values(found), _examples(), _thresholds(found, shares)],
        charts=[_chart(found, shares)],
        sentences=_sentences(found, margin),
        differences=_DIFFERENCES,
        notes=panels.notes,
        used=panels.used,
        draws=False,
    )


_DIFFERENCES = (
    "Equations 1 and 2 are printed with bars around the differences; they are read as counts, or tau had no sign.",
    "The paper applies none of the treatments to data, and asks whether metrics should have a threshold for ties too.",
)


def _taus(asked: Asked, panel: Panel, margin: float, shares: tuple[float, ...]) -> list[_Taus]:
    found = []
    for name, scores in panel.metrics.items():
        deviation = float(np.nanstd(scores.values))
        value = [
            [_tau(asked, panel, name, rule, margin, share * deviation) for rule in TAUS] for share in shares
        ]
        found.append(_Taus(panel.dataset, name, deviation, np.array(value)))
    return found


def _tau(asked: Asked, panel: Panel, name: str, rule: str, margin: float, metric_margin: float) -> float:
    found = meta_evaluate(
        {name: panel.metrics[name]},
        panel.human,
        by=rule,
        significance="none",
        confidence=None,
        margin=margin,
        metric_margin=metric_margin,
        rng=asked.seed,
        workers=asked.computing.workers,
    )
    return float(found.value[0])


def _values(found: list[_Taus]) -> StudyTable:
    return StudyTable(
        name="taus",
        title="Kendall's tau of each metric by four treatments of ties (tables 4a, 4b, 4c and 5)",
        columns=("data", "metric", *(f"{rule} ({_TABLES[rule]})" for rule in TAUS)),
        rows=tuple((one.dataset, one.metric, *one.value[0].tolist()) for one in found),
        digits=3,
    )


def _examples() -> StudyTable:
    rows: list[tuple[Entry, ...]] = []
    printed: list[tuple[Entry, ...]] = []
    for agree, differ, ties, rule, told in EXAMPLES:
        counts = np.array([[agree, ties, differ], [0, 0, 0], [0, 0, 0]])
        rows.append((agree, differ, ties, *(float(tau(counts, each)) for each in TAUS)))  # type: ignore[arg-type]  # a rule
        printed.append((None, None, None, *(told if each == rule else None for each in TAUS)))
    return StudyTable(
        name="examples",
        title="The examples of section 3",
        columns=("concordant", "discordant", "ties", *(f"{rule} ({_TABLES[rule]})" for rule in TAUS)),
        rows=tuple(rows),
        printed=tuple(printed),
    )


def _thresholds(found: list[_Taus], shares: tuple[float, ...]) -> StudyTable:
    rows: tuple[tuple[Entry, ...], ...] = tuple(
        (one.dataset, one.metric, share, share * one.deviation, *one.value[i].tolist())
        for one in found
        for i, share in enumerate(shares)
    )
    return StudyTable(
        name="metric-thresholds",
        title="The same when scores of a metric tie that lie no further apart than a share of their deviation",
        columns=("data", "metric", "share", "threshold", *TAUS),
        rows=rows,
        digits=3,
        is_detail=True,
    )


def _chart(found: list[_Taus], shares: tuple[float, ...]) -> StudyChart:
    first = [one for one in found if one.dataset == found[0].dataset]
    return lines_chart(
        (
            Mark(one.metric, rule, share, float(one.value[i, k]))
            for one in first
            for k, rule in enumerate(TAUS)
            for i, share in enumerate(shares)
        ),
        name="metric-thresholds",
        title=f"{found[0].dataset}: tau by the threshold for ties of the metric",
        x="threshold, as a share of the deviation of scores",
        y="tau",
    )


def changed_orders(first: FloatArray, second: FloatArray) -> tuple[int, int]:
    """Return how many pairs of metrics two taus order in opposite ways, and how many pairs there are.

    Examples
    --------
    >>> changed_orders(np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.1, 0.3]))
    (1, 3)
    """
    pairs = list(combinations(range(len(first)), 2))
    return sum(bool((first[i] - first[j]) * (second[i] - second[j]) < 0) for i, j in pairs), len(pairs)


def _sentences(found: list[_Taus], margin: float) -> tuple[str, ...]:
    told = []
    for k, rule in enumerate(TAUS):
        if rule != "tau_ties_hard":
            counts = [
                changed_orders(some[:, TAUS.index("tau_ties_hard")], some[:, k])
                for dataset in dict.fromkeys(one.dataset for one in found)
                for some in [np.array([one.value[0] for one in found if one.dataset == dataset])]
            ]
            changed, pairs = (sum(count[i] for count in counts) for i in (0, 1))
            told.append(
                f"{rule} orders {changed} of {pairs} pairs of metrics otherwise than tau_ties_hard, the official one; "
                f"human scores closer than {margin:g} tie."
            )
    return tuple(told)
