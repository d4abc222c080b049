"""Tables 4 and 5 of the paper on relative rankings: what do the treatments of ties do to Kendall's tau on real data?"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from betterthan.analysis.meta.inputs import panel_of
from betterthan.arrays import FloatArray, IntArray, digest
from betterthan.engine.blocks import even_parts
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.tau_tables import RULES, Rule, pair_table, tau
from betterthan.messages import joined
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.human_panels import StudyPanel, panels_for
from betterthan.studies.reporting import Claim, Mark, figure, holds_in, printed_table
from betterthan.studies.request import StudyRequest

KEEPS_GAPS = True
SHARES = (0.0, 0.05, 0.1, 0.25, 0.5)
"""Thresholds for ties of a metric, as shares of the standard deviation of its scores."""
_TABLES: dict[Rule, str] = dict(zip(RULES, ("4a", "4b", "4c", "5"), strict=True))
_OFFICIAL = RULES.index("tau_ties_hard")
EXAMPLES = printed_table("relative_ranking", "section_3").rows


class _TauTables(NamedTuple):
    """Goodness of human scores and metrics on the same cells, and what makes a tie; a block is a metric."""

    human: FloatArray
    scores: FloatArray
    margin: float
    metric_margins: FloatArray


class _Taus(NamedTuple):
    """One metric on one data set.

    Attributes
    ----------
    counts : array of int, shape (thresholds of the metric, 3, 3)
        Pairs that people call <, =, > by what the metric calls them.
    """

    dataset: str
    metric: str
    deviation: float
    counts: IntArray

    @property
    def value(self) -> FloatArray:
        """One row per threshold of the metric, one column per treatment of ties."""
        return np.stack([tau(self.counts, rule) for rule in RULES], axis=-1)


def run(request: StudyRequest) -> Study:
    """Compare each metric with human scores by all four taus, with and without a threshold for its own ties."""
    panels = panels_for(request)
    margin = float(request.options["margin"])
    shares = SHARES[: request.number("thresholds")]
    taus: list[_Taus] = []
    notes: list[str] = []
    for panel in panels.each:
        dataset_taus, panel_notes = _taus(request, panel, margin, shares)
        taus += dataset_taus
        notes += [joined([f"{panel.dataset}:", note]) for note in panel_notes]
    return request.answer(
        tables=[_values(taus), _examples(), _counts(taus), _thresholds(taus, shares)],
        claims=_claims(taus),
        charts=[
            _chart([one for one in taus if one.dataset == name], shares)
            for name in dict.fromkeys(one.dataset for one in taus)
        ],
        sentences=_sentences(taus, margin),
        differences=_DIFFERENCES,
        notes=panels.notes_with(notes),
        used=panels.used,
        draws=False,
    )


_DIFFERENCES = (
    "Equations 1 and 2 are printed with bars around the differences; they are read as counts, or tau had no sign.",
    "The paper applies none of the treatments to data, and asks whether metrics should have a threshold for ties too.",
)


def _taus(
    request: StudyRequest, panel: StudyPanel, margin: float, shares: tuple[float, ...]
) -> tuple[list[_Taus], tuple[str, ...]]:
    """Count the pairs of every metric, all on the same cells; also return what bringing them together left out."""
    together = panel_of(panel.metrics, panel.human)
    if together.is_systems_only:
        raise BetterThanError(
            f"Kendall's tau of {panel.dataset} is over pairs of systems on a segment, and its metrics have one score "
            "per system. Name scores of segments."
        )
    scores = np.where(together.judged, together.segment_scores(), np.nan)
    deviation = np.nanstd(scores, axis=(1, 2))
    work = _TauTables(together.human_goodness, scores, margin, np.outer(deviation, shares))
    blocks = request.run(
        f"taus, {panel.dataset}", work, _pair_counts, parts=even_parts(len(scores)), key=(digest(*work),)
    )
    taus = [
        _Taus(panel.dataset, name, float(metric_deviation), counts)
        for name, metric_deviation, counts in zip(together.names, deviation, blocks, strict=True)
    ]
    return taus, together.notes


def _pair_counts(work: _TauTables, part: range, _rng: np.random.Generator) -> IntArray:
    """Counts of one metric at each of its thresholds; shape (thresholds, 3, 3)."""
    return np.stack(
        [
            pair_table(work.scores[part.start], work.human, margin=work.margin, metric_margin=float(margin))
            for margin in work.metric_margins[part.start]
        ]
    )


def _values(taus: list[_Taus]) -> StudyTable:
    return StudyTable(
        name="taus",
        title="Kendall's tau of each metric by four treatments of ties (tables 4a, 4b, 4c and 5)",
        columns=("data", "metric", *(f"{rule} ({_TABLES[rule]})" for rule in RULES)),
        rows=tuple((one.dataset, one.metric, *one.value[0].tolist()) for one in taus),
        digits=3,
    )


def _examples() -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = []
    printed: list[tuple[StudyCell, ...]] = []
    for agree, differ, ties, rule, printed_tau in EXAMPLES:
        counts = np.array([[agree, ties, differ], [0, 0, 0], [0, 0, 0]])
        rows.append((agree, differ, ties, *(float(tau(counts, each)) for each in RULES)))
        printed.append((None, None, None, *(printed_tau if each == rule else None for each in RULES)))
    return StudyTable(
        name="examples",
        title="The examples of section 3",
        columns=("concordant", "discordant", "ties", *(f"{rule} ({_TABLES[rule]})" for rule in RULES)),
        rows=tuple(rows),
        printed=tuple(printed),
    )


def _counts(taus: list[_Taus]) -> StudyTable:
    """What the taus are made of, without a threshold of the metric."""
    rows: list[tuple[StudyCell, ...]] = []
    for one in taus:
        (agree, tie, differ), (left, both, right), (more_differ, more_tie, more_agree) = one.counts[
            0
        ].tolist()
        rows.append(
            (
                *(
                    one.dataset,
                    one.metric,
                    int(one.counts[0].sum()),
                    agree + more_agree,
                    differ + more_differ,
                ),
                *(tie + more_tie, left + right, both),
            )
        )
    return StudyTable(
        name="counts",
        title="Pairs of systems on a segment, by human scores and by the metric",
        columns=(
            *("data", "metric", "pairs", "concordant", "discordant", "metric ties", "humans tie", "both tie"),
        ),
        rows=tuple(rows),
        is_detail=True,
    )


def _thresholds(taus: list[_Taus], shares: tuple[float, ...]) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (one.dataset, one.metric, share, share * one.deviation, *one.value[i].tolist())
        for one in taus
        for i, share in enumerate(shares)
    )
    return StudyTable(
        name="metric-thresholds",
        title="The same when scores of a metric tie that lie no further apart than a share of their deviation",
        columns=("data", "metric", "share", "threshold", *RULES),
        rows=rows,
        digits=3,
        is_detail=True,
    )


def _chart(taus: list[_Taus], shares: tuple[float, ...]) -> StudyChart:
    dataset = taus[0].dataset
    return figure(
        (
            Mark(one.metric, f"{_TITLES[rule]} ({_TABLES[rule]})", share, float(one.value[i, k]))
            for one in taus
            for k, rule in enumerate(RULES)
            for i, share in enumerate(shares)
        ),
        name=f"metric-thresholds-{dataset.replace(' ', '-')}",
        title=f"{dataset}: tau by the threshold for ties of the metric",
        x="threshold, in standard deviations",
        y="tau",
    )


_TITLES: dict[Rule, str] = dict(
    zip(RULES, ("ties ignored", "ties soft", "ties hard", "human ties kept"), strict=True)
)


def _claims(taus: list[_Taus]) -> list[Claim]:
    table = _examples()
    worked = table.pairs()
    right = sum(abs(ours - printed) < _ROUNDED for ours, printed in worked)
    lower = [bool(one.value[0, _OFFICIAL] < one.value[0, 0]) for one in taus if _metric_ties(one)]
    return [
        Claim(
            "the worked examples have the printed values",
            "section 3",
            right == len(worked),
            f"{right} of {len(worked)}",
        ),
        Claim(
            "every tie that a metric produces lowers its tau under matrix 4c",
            "section 3, table 4c",
            holds_in(sum(lower), len(lower)),
            f"tau is lower than with ties ignored for {sum(lower)} of {len(lower)} metrics with ties",
        ),
        _most_tied(taus, _OFFICIAL, "the metric with the most ties loses ranks under matrix 4c", gains=False),
        _most_tied(
            taus,
            len(RULES) - 1,
            "with human ties kept, ties can improve a metric: the one with the most ties gains ranks",
            gains=True,
        ),
    ]


_ROUNDED = 0.005


def _metric_ties(one: _Taus) -> int:
    """Pairs that people decide and the metric ties."""
    return int(one.counts[0][0, 1] + one.counts[0][2, 1])


def _most_tied(taus: list[_Taus], rule: int, text: str, *, gains: bool) -> Claim:
    """Compare the rank of the metric that ties most with its rank where ties are ignored.

    A metric without ties says nothing, nor does one that is the first already and could only gain, or the last.
    """
    moves: list[str] = []
    as_said: list[bool] = []
    for dataset in dict.fromkeys(one.dataset for one in taus):
        some = [one for one in taus if one.dataset == dataset]
        tied = max(range(len(some)), key=lambda i: _metric_ties(some[i]))
        before, after = (
            1 + sum(bool(one.value[0, k] > some[tied].value[0, k]) for one in some) for k in (0, rule)
        )
        moves.append(f"{dataset} {some[tied].metric} {before} to {after} of {len(some)}")
        if _metric_ties(some[tied]) and (before > 1 if gains else before < len(some)):
            as_said.append(after < before if gains else after > before)
    holds = holds_in(sum(as_said), len(as_said))
    return Claim(text, f"section 3, table {_TABLES[RULES[rule]]}", holds, f"ranks: {', '.join(moves)}")


def changed_orders(first: FloatArray, second: FloatArray) -> tuple[int, int]:
    """Return how many pairs of metrics two taus order in opposite ways, and how many pairs there are.

    Examples
    --------
    >>> changed_orders(np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.1, 0.3]))
    (1, 3)
    """
    pairs = list(combinations(range(len(first)), 2))
    return sum(bool((first[i] - first[j]) * (second[i] - second[j]) < 0) for i, j in pairs), len(pairs)


def _sentences(taus: list[_Taus], margin: float) -> tuple[str, ...]:
    sentences = []
    for k, rule in enumerate(RULES):
        if k != _OFFICIAL:
            counts = [
                changed_orders(some[:, _OFFICIAL], some[:, k])
                for dataset in dict.fromkeys(one.dataset for one in taus)
                for some in [np.array([one.value[0] for one in taus if one.dataset == dataset])]
            ]
            changed, pairs = (sum(count[i] for count in counts) for i in (0, 1))
            sentences.append(
                f"{rule} orders {changed} of {pairs} pairs of metrics otherwise than tau_ties_hard, the official one; "
                f"human scores closer than {margin:g} tie."
            )
    return tuple(sentences)
