"""MetaEvaluation: which metric agrees best with human scores, and which metrics differ significantly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.messages import Message, Option
from betterthan.results.base import Result
from betterthan.results.rows import NamedRows, best_name, index_of, row_at
from betterthan.results.settings import Settings

CASES = (
    "both significant, and they agree",
    "both significant, and they disagree",
    "only the human scores significant",
    "only the metric significant",
    "neither significant",
)


SCOPES = {
    "perm_inputs": "segments",
    "perm_pairs": "segments",
    "bootstrap": "segments",
    "perm_systems": "systems",
    "williams": "systems",
    "perm_both": "both",
    "perm_cells": "both",
}
"""The population that a test of metrics generalizes to."""
NULLS = {
    "perm_inputs": "On each segment the scores of the two metrics are exchangeable, for all systems at once.",
    "perm_pairs": "On each pair of systems of a segment the verdicts of the two metrics are exchangeable.",
    "bootstrap": "Both metrics have the same expected value on other segments, with these systems.",
    "perm_systems": "For each system the scores of the two metrics are exchangeable, on all segments at once.",
    "williams": "Both metrics have the same correlation with human scores over systems; all are jointly normal.",
    "perm_both": "In each cell the scores of the two metrics are exchangeable: neither favors single systems.",
    "perm_cells": "In each cell the scores of the two metrics are exchangeable: neither favors single systems.",
}
"""The hypothesis under which a test of metrics keeps its level."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricComparisons:
    """All pairs of metrics; matrices are metrics × metrics.

    Attributes
    ----------
    test : str
        Such as "perm_systems"; "none" when nothing was tested.
    correction : str
        Correction for multiple comparisons.
    alpha : float
    pvalue, adjusted : array, shape (k, k)
        Before and after the correction; NaN on the diagonal and where nothing was tested. Two-sided, and then
        symmetric; with the alternative "wmt" one-sided, in favor of the row.
    alternative : {"two-sided", "wmt"}
        "wmt" tests only whether the metric with the higher value is better, as in the WMT shared tasks: the data choose
        the direction, so that the type I error rate at level 0.05 is 10%.
    generalises_to : {"segments", "systems", "both", ""}
        The population that the test generalizes to: other segments with these systems, other systems, or both.
    """

    test: str
    correction: str
    alpha: float
    pvalue: FloatArray
    adjusted: FloatArray
    alternative: str = "two-sided"
    generalises_to: str = ""

    @property
    def null(self) -> str:
        """The hypothesis under which the test keeps its level, in words; empty when nothing was tested."""
        return NULLS.get(self.test, "")

    @property
    def better(self) -> BoolArray:
        """Entry [a, b]: a, which has the better value, is significantly better than b."""
        with np.errstate(invalid="ignore"):
            return np.triu(self.adjusted <= self.alpha, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caveat:
    """A property of the data without which the verdict would be misleading.

    Attributes
    ----------
    code : {"by_order", "unmatched", "human_translations", "same_systems", "same_metrics", "many_ties", "out_of_reach"}
        Files have no ids, so rows were matched by order; segments are not in all tables; human translations count as
        systems; systems, or metrics, have identical scores; a metric ties nearly all pairs of systems; the design
        is so small that no difference could be significant.
    names : tuple of str
        Of the systems or metrics; for "out_of_reach", what there is too little of, such as "4 documents".
    n_decided, n_pairs : int
        For "many_ties": pairs that the metric does not tie, of those compared.
    alpha, least : float
        For "out_of_reach": the level, and the smallest p-value that the design could have given.
    n_left_out, n_segments : int
        For "unmatched": segments that are not in all tables, of those that the named ones have.
    """

    code: str
    names: tuple[str, ...]
    n_decided: int = 0
    n_pairs: int = 0
    alpha: float = 0.0
    least: float = 0.0
    n_left_out: int = 0
    n_segments: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PairContribution:
    """Contribution of one pair of systems to soft pairwise accuracy.

    Attributes
    ----------
    a, b : str
        The system with the higher human score first.
    human_pvalue, metric_pvalue : float
        One-sided: near 0, a is better; near 1, b is; 0.5 is undecided.
    value : float
        1 − abs(difference) of the two p-values.
    case : str
        Which of the two is significant, and whether they agree.
    """

    a: str
    b: str
    human_pvalue: float
    metric_pvalue: float
    value: float
    case: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMetric:
    """One metric; its fields are those of :class:`MetaEvaluation`."""

    rank: int
    metric: str
    value: float
    low: float
    high: float
    fuzzy_rank: float
    cluster: int
    letters: str
    n_decided: int | None
    threshold: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MetaEvaluation(NamedRows[RankedMetric], Result):
    """Metrics in order of their agreement with human scores.

    Attributes
    ----------
    level : str
        "system", "segment", "within_system" or "global".
    human : str
        Name of the human scores.
    metrics : tuple of str
        Best first; k of them.
    value : array, shape (k,)
        Agreement with human scores by `method`; NaN where it is undefined.
    low, high : array, shape (k,)
        Confidence interval for the expected value on test sets of the same size, with these systems;
        NaN where none was computed.
    confidence : float
    rank : array of int, shape (k,)
        1 is best; equal values share the best rank of the tie.
    fuzzy_rank : array, shape (k,)
        Mean rank of all metrics that are not significantly different from this one, itself included.
    cluster : array of int, shape (k,)
        Significance clusters, as in the WMT metrics task.
    letters : tuple of str
        Two metrics that share a letter do not differ significantly.
    comparisons : MetricComparisons
    threshold : array, shape (k,), or None
        Calibrated tie threshold of each metric, for accuracy with ties.
    systems : tuple of str
        In the order of the human scores; soft pairwise accuracy as published depends on it a little, where scores tie.
    human_mean : array, shape (m,)
    metric_mean : array, shape (k, m)
        Scores of systems, in the direction "higher is better".
    human_pvalue : array, shape (m, m), or None
    metric_pvalue : array, shape (k, m, m), or None
        One-sided p-values behind soft pairwise accuracy: entry [i, j] tests whether i is better than j.
    n_pairs : int
        Pairs of systems that were compared; at the segment level, on all segments together. Systems and segments are
        counted in ``n_systems`` and ``n_segments``.
    caveats : tuple of Caveat
        Caveats that belong with the verdict.
    n_decided : array of int, shape (k,), or None
        For the taus: pairs that each metric does not tie, of `n_pairs`; "tau_ties_ignored" uses only these.
    part_names : tuple of str
        Test sets or language pairs, when several are pooled.
    part_value : array, shape (k, p), or None
    units : {"segments", "groups"}
        The resampling unit of the intervals.
    unit_note : str
        Note on the unit, where the human scores name documents; otherwise empty.
    lower_is_better : tuple of str
        Metrics and human scores for which lower is better.

    Examples
    --------
    >>> import betterthan as bt
    >>> human = bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0], "C": [0.0, 1.0, 0.0]})
    >>> metric = bt.read_scores({"A": [0.8, 0.9, 0.7], "B": [0.6, 0.5, 0.7], "C": [0.1, 0.4, 0.3]})
    >>> meta = bt.meta_evaluate({"COMET": metric}, human, by="pearson", significance="none", n_resamples=9)
    >>> meta.best, round(meta["COMET"].value, 2)
    ('COMET', 0.97)
    """

    kind: ClassVar[str] = "meta_evaluation"
    row_type: ClassVar[type] = RankedMetric
    row_noun: ClassVar[str] = "metric"
    row_field: ClassVar[str] = "metrics"

    level: str
    human: str
    metrics: tuple[str, ...]
    value: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    rank: IntArray
    fuzzy_rank: FloatArray
    cluster: IntArray
    letters: tuple[str, ...]
    comparisons: MetricComparisons
    threshold: FloatArray | None
    systems: tuple[str, ...]
    human_mean: FloatArray
    metric_mean: FloatArray
    human_pvalue: FloatArray | None
    metric_pvalue: FloatArray | None
    n_systems: int
    n_segments: int
    n_pairs: int
    notes: tuple[str, ...]
    settings: Settings
    part_names: tuple[str, ...] = ()
    part_value: FloatArray | None = None
    caveats: tuple[Caveat, ...] = ()
    n_decided: IntArray | None = None
    units: str = "segments"
    unit_note: str = ""
    lower_is_better: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """The measure of agreement, such as "soft_pairwise_accuracy"."""
        return self.settings.method

    @property
    def best(self) -> str:
        """The first metric; `comparisons` has its significance."""
        return best_name(self.metrics, self.value)

    def _row(self, i: int) -> RankedMetric:
        return row_at(self, i, RankedMetric, metric=self.metrics[i])

    @property
    def n_distinct(self) -> int:
        """Number of distinct values of the metrics (equal up to 1e-12)."""
        return int(np.unique(np.round(self.value[~np.isnan(self.value)], 12)).size)

    @property
    def interval_population(self) -> str:
        """Target of the intervals, in words."""
        return f"the expected value on test sets of {self.n_segments:,} segments, with these systems"

    @property
    def is_tested(self) -> BoolArray:
        """Which metrics (k,) were compared with another one."""
        return np.asarray(~np.isnan(self.comparisons.pvalue).all(axis=1))

    @property
    def n_significant(self) -> int:
        """Number of pairs of metrics that differ significantly."""
        return int(np.count_nonzero(self.comparisons.better))

    @property
    def n_clusters(self) -> int:
        """Number of significance clusters."""
        return int(self.cluster.max(initial=0))

    def pvalue(self, a: str, b: str) -> float:
        """Return the adjusted p-value of metrics `a` and `b`; with "wmt" one-sided, in favor of `a`."""
        return float(self.comparisons.adjusted[self._index(a), self._index(b)])

    def contributions(self, metric: str, *, alpha: float = 0.05) -> list[PairContribution]:
        """Return the contribution of each pair of systems to a metric's soft pairwise accuracy, smallest first.

        Parameters
        ----------
        metric : str
        alpha : float, default 0.05
            A p-value is significant when it is at most alpha, or at least 1 − alpha.
        """
        if self.human_pvalue is None or self.metric_pvalue is None:
            raise BetterThanError(
                Message(
                    "Contributions of pairs are not available with {given}. Use {by}.",
                    given=Option("by", self.method),
                    by=Option("by", "soft_pairwise_accuracy"),
                )
            )
        human, scored = self.human_pvalue, self.metric_pvalue[self._index(metric)]
        pairs = [
            self._contribution(i, j, float(human[i, j]), float(scored[i, j]), alpha)
            for i, j in np.argwhere(np.triu(np.ones_like(human), 1)).tolist()
        ]
        return sorted((pair for pair in pairs if pair.value == pair.value), key=lambda pair: pair.value)

    def _contribution(self, i: int, j: int, human: float, metric: float, alpha: float) -> PairContribution:
        if self.human_mean[i] >= self.human_mean[j]:
            return _contribution(self.systems[i], self.systems[j], human, metric, alpha)
        return _contribution(self.systems[j], self.systems[i], 1 - human, 1 - metric, alpha)

    def _index(self, metric: str) -> int:
        return index_of(metric, self.metrics, "metric")

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return rank, metric, value and interval, one row per metric."""
        names = ("value", "low", "high", "fuzzy_rank", "cluster")
        numbers = {name: getattr(self, name).tolist() for name in names}
        table = {"rank": self.rank.tolist(), "metric": self.metrics, **numbers, "letters": self.letters}
        if self.n_decided is not None:
            table["n_decided"] = self.n_decided.tolist()
        if self.threshold is not None:
            table["threshold"] = self.threshold.tolist()
        for part, name in enumerate(self.part_names):
            table[name] = np.asarray(self.part_value)[:, part].tolist()
        return table

    def __repr__(self) -> str:
        order = " > ".join(self.metrics[:3]) + (" > …" if len(self.metrics) > 3 else "")
        return f"MetaEvaluation(by {self.method}, {self.level} level, {len(self.metrics)} metrics: {order})"


def _contribution(a: str, b: str, human: float, metric: float, alpha: float) -> PairContribution:
    """Describe a pair whose first system is `a`."""
    is_sure, is_metric_sure = (min(p, 1 - p) <= alpha + 1e-12 for p in (human, metric))
    if is_sure and is_metric_sure:
        case = 0 if (human < 0.5) == (metric < 0.5) else 1
    else:
        case = 2 if is_sure else 3 if is_metric_sure else 4
    return PairContribution(
        a=a, b=b, human_pvalue=human, metric_pvalue=metric, value=1 - abs(human - metric), case=CASES[case]
    )
