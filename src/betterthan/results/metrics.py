"""MetaEvaluation: which metric agrees best with human scores, and which metrics differ significantly.

TagRanking, Audition and SentenceQuality: word tags and predicted quality compared with the gold labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.messages import Message, Option
from betterthan.results.base import NamedRows, Result, best_name, index_of, row_at
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggingSystem:
    """One system or synthetic labeling, by all measures.

    Attributes
    ----------
    system : str
    is_synthetic : bool
    letters : str
    value, low, high, cluster : mapping of str to float
        By each measure, as in :class:`TagRanking`.
    """

    system: str
    is_synthetic: bool
    letters: str
    value: Mapping[str, float]
    low: Mapping[str, float]
    high: Mapping[str, float]
    cluster: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TagRanking(NamedRows[TaggingSystem], Result):
    """Systems from best to worst by the first measure; m rows, k measures.

    Attributes
    ----------
    systems : tuple of str
        Real systems and synthetic labelings, best first by the first measure; undefined comes last.
    is_synthetic : array of bool, shape (m,)
    measures : tuple of str
    value, low, high : array, shape (m, k)
        Scores with jackknife intervals over sentences (or documents); NaN where undefined.
    cluster : array, shape (m, k)
        Significance group of each real system by each measure, 1 is best; NaN for synthetic labelings, which are not
        tested.
    letters : tuple of str
        Real systems that share a letter do not differ significantly by the first measure; "" for synthetic ones.
    n_groups, n_different : array of int, shape (k,)
        Groups, and pairs of real systems that differ significantly, by each measure.
    n_pairs : int
        Pairs of real systems.
    correction : str
    alpha, confidence : float
    n_words : int
    unit_note : str
        Note on the unit, where documents are known; otherwise empty.
    undecidable : str
        Explanation if no pair could have been significant with so few units; otherwise empty.

    Examples
    --------
    >>> import betterthan as bt
    >>> tags = bt.WordTags(systems=["A", "B"], segments=["1", "2"],
    ...                    gold=[False, True, True, False], offsets=[0, 2, 4],
    ...                    predicted=[[False, True, True, False], [True, True, False, False]])
    >>> ranking = bt.rank_tags(tags, by=("mcc", "f1_bad"), n_resamples=9)
    >>> ranking.best, ranking["B"].value["mcc"]
    ('A', 0.0)
    """

    kind: ClassVar[str] = "tag_ranking"
    row_type: ClassVar[type] = TaggingSystem

    systems: tuple[str, ...]
    is_synthetic: BoolArray
    measures: tuple[str, ...]
    value: FloatArray
    low: FloatArray
    high: FloatArray
    cluster: FloatArray
    letters: tuple[str, ...]
    n_groups: IntArray
    n_different: IntArray
    n_pairs: int
    correction: str
    alpha: float
    confidence: float
    n_words: int
    notes: tuple[str, ...]
    settings: Settings
    unit_note: str = ""
    undecidable: str = ""

    @property
    def best(self) -> str:
        """The first system by the first measure; synthetic labelings are not systems."""
        real = [i for i, is_synthetic in enumerate(self.is_synthetic.tolist()) if not is_synthetic]
        return best_name([self.systems[i] for i in real], self.value[real, 0].tolist())

    def _row(self, i: int) -> TaggingSystem:
        numbers = {
            name: dict(zip(self.measures, getattr(self, name)[i].tolist(), strict=True))
            for name in ("value", "low", "high", "cluster")
        }
        is_synthetic = bool(self.is_synthetic[i])
        return TaggingSystem(
            system=self.systems[i], is_synthetic=is_synthetic, letters=self.letters[i], **numbers
        )

    def above(self, measure: str) -> dict[str, int]:
        """Return the number of real systems that score below each synthetic labeling by `measure`."""
        column = self.value[:, index_of(measure, self.measures, "measure")]
        real = column[~self.is_synthetic]
        marked = zip(self.systems, self.is_synthetic.tolist(), column.tolist(), strict=True)
        return {name: int((real < value).sum()) for name, synthetic, value in marked if synthetic}

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per system and measure."""
        m, k = self.value.shape
        return {
            "system": [name for name in self.systems for _ in range(k)],
            "synthetic": [flag for flag in self.is_synthetic.tolist() for _ in range(k)],
            "measure": list(self.measures) * m,
            **{name: getattr(self, name).ravel().tolist() for name in ("value", "low", "high", "cluster")},
        }

    def __repr__(self) -> str:
        real = [name for name, flag in zip(self.systems, self.is_synthetic.tolist(), strict=True) if not flag]
        order = " > ".join(real[:3]) + (" > …" if len(real) > 3 else "")
        return f"TagRanking(by {self.measures[0]}, {len(real)} systems: {order})"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditionedMeasure:
    """One measure; its fields are those of :class:`Audition`.

    Attributes
    ----------
    below : mapping of str to float
        Number of systems that each labeling outscores.
    """

    measure: str
    below: Mapping[str, float]
    total: float
    gamed: float
    d: float
    d_top: float
    d_bottom: float
    n_groups: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Audition(NamedRows[AuditionedMeasure], Result):
    """k measures on m systems and s synthetic labelings.

    Attributes
    ----------
    measures : tuple of str
    systems, synthetic : tuple of str
    value : array, shape (k, m + s)
        Scores of the systems, then of the labelings.
    below : array, shape (k, s)
        Number of systems that a labeling outscores; NaN where its score is undefined.
    total : array, shape (k,)
        Sum of `below` over the labelings for which it is defined.
    gamed : array, shape (k,)
        `total` as a share of the comparisons between a labeling and a system: 0 is ideal.
    d, d_top, d_bottom : array, shape (k,)
        Share of pairs that differ significantly: of all, of the upper half and of the lower half of the ranking; NaN
        when there is no pair.
    n_groups : array of int, shape (k,)
        Significance groups of systems.
    alpha : float
        Level of the tests, Bonferroni-corrected over the pairs compared.
    middle : str
        Whether the middle one of an odd number of systems is in "both" halves or in "neither".
    sentences : tuple of str
    unit_note : str
        Note on the unit, where documents are known; otherwise empty.
    undecidable : str
        Explanation if no pair could have been significant with so few units; otherwise empty.

    Examples
    --------
    >>> import betterthan as bt
    >>> tags = bt.WordTags(systems=["A", "B"], segments=["1", "2"],
    ...                    gold=[False, True, True, False], offsets=[0, 2, 4],
    ...                    predicted=[[False, True, True, False], [True, True, False, False]])
    >>> audition = bt.audition(tags, by=("mcc", "f1_bad"), n_resamples=9)
    >>> len(audition), "mcc" in audition
    (2, True)
    """

    kind: ClassVar[str] = "audition"
    row_type: ClassVar[type] = AuditionedMeasure
    row_noun: ClassVar[str] = "measure"
    row_field: ClassVar[str] = "measures"

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    synthetic: tuple[str, ...]
    value: FloatArray
    below: FloatArray
    total: FloatArray
    gamed: FloatArray
    d: FloatArray
    d_top: FloatArray
    d_bottom: FloatArray
    n_groups: IntArray
    alpha: float
    middle: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings
    unit_note: str = ""
    undecidable: str = ""

    def _row(self, i: int) -> AuditionedMeasure:
        below = dict(zip(self.synthetic, self.below[i].tolist(), strict=True))
        return row_at(self, i, AuditionedMeasure, measure=self.measures[i], below=below)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per measure."""
        names = ("total", "gamed", "d", "d_top", "d_bottom", "n_groups")
        beaten = dict(zip(self.synthetic, self.below.T.tolist(), strict=True))
        return {
            "measure": self.measures,
            **beaten,
            **{name: getattr(self, name).tolist() for name in names},
        }

    def __repr__(self) -> str:
        return f"Audition({len(self.measures)} measures on {len(self.systems)} systems)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceQualitySystem:
    """One system; its fields are those of :class:`SentenceQuality`, with intervals of each of the four numbers."""

    system: str
    pearson: float
    pearson_low: float
    pearson_high: float
    spearman: float
    spearman_low: float
    spearman_high: float
    mae: float
    mae_low: float
    mae_high: float
    rmse: float
    rmse_low: float
    rmse_high: float
    letters: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SentenceQuality(NamedRows[SentenceQualitySystem], Result):
    """m systems, best correlation first.

    Attributes
    ----------
    systems : tuple of str
    pearson, spearman : array, shape (m,)
        Correlation with the true scores; NaN for a constant prediction.
    mae, rmse : array, shape (m,)
        Mean absolute error, and root of the mean squared error; lower is better.
    low, high : array, shape (m, 4)
        Intervals over sentences (or documents) of Pearson, Spearman, MAE and RMSE.
    pvalue : array, shape (m, m)
        Two-sided test of equal correlation with the true scores. NaN on the diagonal and where undefined.
    letters : tuple of str
        Systems that share a letter do not differ significantly (Holm-corrected).
    constant_mae, constant_rmse : float
        Errors of always predicting the mean of the true scores.
    alpha, confidence : float
    sentences : tuple of str
    unit_note : str
        Note on the unit, where documents are known; otherwise empty.

    Examples
    --------
    >>> import betterthan as bt
    >>> truth = bt.read_scores({"gold": [0.1, 0.5, 0.9, 0.4]})
    >>> predicted = bt.read_scores({"A": [0.2, 0.4, 0.8, 0.5], "B": [0.9, 0.1, 0.4, 0.6]})
    >>> quality = bt.sentence_quality(predicted, truth)
    >>> quality.best, round(quality["A"].mae, 3)
    ('A', 0.1)
    """

    kind: ClassVar[str] = "sentence_quality"
    row_type: ClassVar[type] = SentenceQualitySystem

    systems: tuple[str, ...]
    pearson: FloatArray
    spearman: FloatArray
    mae: FloatArray
    rmse: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray
    letters: tuple[str, ...]
    constant_mae: float
    constant_rmse: float
    alpha: float
    confidence: float
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings
    unit_note: str = ""

    @property
    def best(self) -> str:
        """The first system, by Pearson's correlation."""
        return best_name(self.systems, self.pearson)

    def _row(self, i: int) -> SentenceQualitySystem:
        numbers: dict[str, float] = {}
        for j, name in enumerate(("pearson", "spearman", "mae", "rmse")):
            limits = {f"{name}_low": float(self.low[i, j]), f"{name}_high": float(self.high[i, j])}
            numbers |= {name: float(getattr(self, name)[i]), **limits}
        return SentenceQualitySystem(system=self.systems[i], letters=self.letters[i], **numbers)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per system."""
        table: dict[str, Sequence[Any]] = {"system": self.systems}
        for i, name in enumerate(("pearson", "spearman", "mae", "rmse")):
            table[name] = getattr(self, name).tolist()
            table[f"{name}_low"] = self.low[:, i].tolist()
            table[f"{name}_high"] = self.high[:, i].tolist()
        return {**table, "letters": self.letters}

    def __repr__(self) -> str:
        order = " > ".join(self.systems[:3]) + (" > …" if len(self.systems) > 3 else "")
        return f"SentenceQuality({len(self.systems)} systems by Pearson: {order})"
