"""Automatic judges and human labels: audit of a judge, means corrected by labels, and which outputs to label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray, IntArray
from betterthan.results.base import NamedRows, Result, Rows, best_name, index_of, row_at
from betterthan.results.settings import Settings

CHECKS = {
    "agreement": "same verdict as humans",
    "kappa": "Cohen's kappa",
    "alpha": "Krippendorff's alpha",
    "correlation": "correlation with human labels",
    "difference": "judge − human",
    "favor": "favors system",
    "own": "favors its own systems",
    "length": "favors long outputs",
    "repeats": "same score when repeated",
    "repeats_alpha": "alpha of repeats",
    "both_orders": "same winner in both orders",
    "left": "left wins of contradictions",
    "left_share": "left wins",
}
"""Checks, and what they are called."""
TESTED = ("favor", "own", "length", "left", "left_share", "difference")
"""Checks for a bias: a small p-value shows one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCheck:
    """One check; its fields are those of :class:`JudgeAudit`."""

    check: str
    part: str
    value: float
    low: float
    high: float
    n: int
    pvalue: float
    adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class JudgeAudit(Rows[AuditCheck], Result):
    """What human labels, both orders and repeats show of an automatic judge.

    Attributes
    ----------
    judge, human : str
        Names of the two scores; `human` is empty without labels.
    check : tuple of str
        One of :data:`CHECKS` per row.
    part : tuple of str
        The system or slice that the row is about; empty for all outputs.
    value, low, high : array, shape (k,)
        With its confidence interval; NaN where there is none.
    n : array of int, shape (k,)
        Outputs, or pairs of outputs, behind the value.
    pvalue, adjusted : array, shape (k,)
        Of the test that there is no bias; adjusted for all tests of the audit (Holm). NaN where nothing is tested.
    categories : array, shape (c,)
        Verdicts, where judge and humans give the same few; otherwise empty.
    confusion : array of int, shape (c, c)
        How often people (rows) and judge (columns) gave them.
    bin_judge, bin_human, bin_low, bin_high : array, shape (b,)
        Mean score of the judge and of people where the judge's score is alike, and its interval; empty without labels.
    bin_n : array of int, shape (b,)
    same_scale : bool
        Whether judge and humans use one scale.
    confidence : float
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> judge = {"A": [1, 1, 0, 1, 1, 0, 1, 1], "B": [0, 1, 0, 1, 0, 0, 1, 0]}
    >>> human = {"A": [1, 1, 0, 0, 1, 0, 1, 1], "B": [0, 1, 0, 1, 1, 0, None, None]}
    >>> found = bt.audit_judge(judge, human)
    >>> found[0].check, round(found[0].value, 2), found.confusion.tolist()
    ('agreement', 0.86, [[5, 1], [1, 7]])
    """

    kind: ClassVar[str] = "judge_audit"
    row_type: ClassVar[type] = AuditCheck

    judge: str
    human: str
    check: tuple[str, ...]
    part: tuple[str, ...]
    value: FloatArray
    low: FloatArray
    high: FloatArray
    n: IntArray
    pvalue: FloatArray
    adjusted: FloatArray
    categories: FloatArray
    confusion: IntArray
    bin_judge: FloatArray
    bin_human: FloatArray
    bin_low: FloatArray
    bin_high: FloatArray
    bin_n: IntArray
    same_scale: bool
    confidence: float
    notes: tuple[str, ...]
    settings: Settings

    @property
    def biases(self) -> list[AuditCheck]:
        """The checks that show a bias: adjusted p-value of at most 1 − confidence."""
        return [row for row in self if row.adjusted <= 1 - self.confidence]

    def __len__(self) -> int:
        return len(self.check)

    def _row(self, i: int) -> AuditCheck:
        return row_at(self, i, AuditCheck)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per check."""
        numbers = {
            name: getattr(self, name).tolist() for name in ("value", "low", "high", "n", "pvalue", "adjusted")
        }
        return {"check": self.check, "part": self.part, **numbers}

    def __repr__(self) -> str:
        return f"JudgeAudit({self.judge!r}, {len(self)} checks, {len(self.biases)} biases)"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedSystem:
    """One system; its fields are those of :class:`Corrected`."""

    rank: int
    system: str
    mean: float
    low: float
    high: float
    rank_low: int
    rank_high: int
    cluster: int
    judge: float
    human: float
    human_low: float
    human_high: float
    items: int
    labels: int
    effective_labels: float
    slope: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedPair:
    """The difference of two corrected means.

    Attributes
    ----------
    a, b : str
    difference, low, high : float
        The mean of a less that of b, and its confidence interval.
    pvalue, adjusted : float
        Adjusted for all pairs (Holm).
    verdict : str
        The better system where the two differ significantly; otherwise empty.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    pvalue: float
    adjusted: float
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Corrected(NamedRows[CorrectedSystem], Result):
    """Means of human scores, estimated from a judge of all items and human labels of some; best first.

    Attributes
    ----------
    metric : str
        The human score.
    judge_metric : str
        The score of the judge.
    higher_is_better : bool
        Of the human score.
    systems : tuple of str
        Best first.
    rank : array of int, shape (m,)
    mean, low, high : array, shape (m,)
        The corrected mean and its confidence interval.
    rank_low, rank_high : array of int, shape (m,)
        Ranks compatible with the data, simultaneously for all systems.
    cluster : array of int, shape (m,)
        As in :class:`betterthan.Ranking`.
    judge : array, shape (m,)
        Mean score of the judge over all items, on its own scale.
    human, human_low, human_high : array, shape (m,)
        Weighted mean of the labels alone, and its interval.
    items : array of int, shape (m,)
        Items that the judge has scored.
    labels : array of int, shape (m,)
        Items with a human label among them.
    effective_labels : array, shape (m,)
        Labels, drawn in the same way, whose interval would be as short without the judge.
    slope : array, shape (m,)
        How much of the judge's score is used, λ: 0 ignores the judge.
    degrees : array, shape (m,)
        Degrees of freedom of the intervals.
    pvalue, adjusted : array, shape (m, m)
        Of the differences of all pairs; NaN on the diagonal.
    difference_low, difference_high : array, shape (m, m)
        Intervals of the differences, row less column; NaN on the diagonal.
    is_weighted : bool
        Whether the labels had weights.
    is_binary : bool
        Whether the labels are right or wrong.
    units : str
        "segments" or "groups": what is independent.
    unit_note : str
        As in :class:`betterthan.Ranking`.
    confidence : float
    segments : tuple of str
        The items.
    groups : tuple of str or None
        Their documents.
    values : array, shape (m, n)
        A corrected score of each judged item, see :func:`betterthan.corrected_scores`.
    notes : tuple of str
    settings : Settings
    are_battles : bool
        Whether these are win rates of battles; items are then comparisons: questions with two systems each.

    Examples
    --------
    >>> import betterthan as bt
    >>> judge = bt.read_scores({"A": [0.9, 0.8, 0.7, 0.9, 0.6, 0.8], "B": [0.5, 0.7, 0.4, 0.6, 0.5, 0.6]})
    >>> human = bt.read_scores({"A": [0.7, 0.7, 0.5, 0.8, None, None], "B": [0.4, 0.6, 0.4, None, None, 0.6]})
    >>> found = bt.correct(judge, human)
    >>> found.best, found["A"].labels, round(found.pair("A", "B").difference, 2)
    ('A', 4, 0.13)
    """

    kind: ClassVar[str] = "corrected"
    row_type: ClassVar[type] = CorrectedSystem

    metric: str
    judge_metric: str
    higher_is_better: bool
    systems: tuple[str, ...]
    rank: IntArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    rank_low: IntArray
    rank_high: IntArray
    cluster: IntArray
    judge: FloatArray
    human: FloatArray
    human_low: FloatArray
    human_high: FloatArray
    items: IntArray
    labels: IntArray
    effective_labels: FloatArray
    slope: FloatArray
    degrees: FloatArray
    pvalue: FloatArray
    adjusted: FloatArray
    difference_low: FloatArray
    difference_high: FloatArray
    is_weighted: bool
    is_binary: bool
    units: str
    unit_note: str
    confidence: float
    segments: tuple[str, ...]
    groups: tuple[str, ...] | None
    values: FloatArray
    notes: tuple[str, ...]
    settings: Settings
    are_battles: bool = False

    @property
    def best(self) -> str:
        """The first system."""
        return best_name(self.systems, self.mean)

    def pair(self, a: str, b: str) -> CorrectedPair:
        """Return the difference of two systems.

        Examples
        --------
        >>> import betterthan as bt
        >>> judge = {"A": [0.9, 0.8, 0.7, 0.9], "B": [0.5, 0.7, 0.4, 0.6]}
        >>> bt.correct(judge, {"A": [1, 0.6, 0.8, None], "B": [0.4, 0.8, 0.3, None]}).pair("B", "A").verdict
        ''
        """
        return self._pair(index_of(a, self.systems, "system"), index_of(b, self.systems, "system"))

    def pairs(self) -> list[CorrectedPair]:
        """Return all pairs, better systems first."""
        m = len(self.systems)
        return [self._pair(i, j) for i in range(m) for j in range(i + 1, m)]

    def _pair(self, i: int, j: int) -> CorrectedPair:
        difference = float(self.mean[i] - self.mean[j])
        adjusted = float(self.adjusted[i, j])
        is_first = (difference > 0) == self.higher_is_better
        better = self.systems[i] if is_first else self.systems[j]
        return CorrectedPair(
            a=self.systems[i],
            b=self.systems[j],
            difference=difference,
            low=float(self.difference_low[i, j]),
            high=float(self.difference_high[i, j]),
            pvalue=float(self.pvalue[i, j]),
            adjusted=adjusted,
            verdict=better if adjusted <= 1 - self.confidence else "",
        )

    def _row(self, i: int) -> CorrectedSystem:
        return row_at(self, i, CorrectedSystem, system=self.systems[i])

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per system."""
        names = (
            *("mean", "low", "high", "rank_low", "rank_high", "cluster", "judge", "human"),
            *("human_low", "human_high", "items", "labels", "effective_labels", "slope"),
        )
        return {
            "rank": self.rank.tolist(),
            "system": self.systems,
            **{name: getattr(self, name).tolist() for name in names},
        }

    def __repr__(self) -> str:
        order = " > ".join(self.systems[:3]) + (" > …" if len(self.systems) > 3 else "")
        return f"Corrected({self.metric!r}, {len(self.systems)} systems: {order})"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledOutput:
    """One output to label; its fields are those of :class:`Sample`."""

    item: str
    system: str
    probability: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Sample(Rows[SampledOutput], Result):
    """Outputs that were drawn to be labeled by people, in random order.

    Attributes
    ----------
    by : str
        "uniform" or "disagreement".
    of : str
        "items", of which all systems' outputs are labeled, or "outputs".
    item, system : tuple of str
        One entry per output.
    probability : array, shape (k,)
        With which the output was drawn.
    weight : array, shape (k,)
        1 / probability.
    n_drawn, n_available : int
        Items, or outputs, that were drawn and that there were.
    strata : dict of str to int
        How many were drawn from each stratum; empty without strata.
    systems : tuple of str
    measured : str
        The score that was read.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> drawn = bt.sample({"A": [0.9, 0.8, 0.4, 0.6], "B": [0.8, 0.1, 0.5, 0.6]}, 2)
    >>> drawn.n_drawn, len(drawn), drawn[0].weight
    (2, 4, 2.0)
    """

    kind: ClassVar[str] = "sample"
    row_type: ClassVar[type] = SampledOutput

    by: str
    of: str
    item: tuple[str, ...]
    system: tuple[str, ...]
    probability: FloatArray
    weight: FloatArray
    n_drawn: int
    n_available: int
    strata: dict[str, int]
    systems: tuple[str, ...]
    measured: str
    notes: tuple[str, ...]
    settings: Settings

    @property
    def spread(self) -> float:
        """Labels drawn over the number of equally weighted ones with the same variance, of labels that vary alike.

        1 for a uniform sample.
        """
        return float(self.weight.size * (self.weight @ self.weight) / self.weight.sum() ** 2)

    def __len__(self) -> int:
        return len(self.item)

    def _row(self, i: int) -> SampledOutput:
        return row_at(self, i, SampledOutput)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per output, with an empty column for its label."""
        return {
            "item": self.item,
            "system": self.system,
            "score": [None] * len(self),
            "weight": self.weight.tolist(),
            "probability": self.probability.tolist(),
        }

    def __repr__(self) -> str:
        return f"Sample({self.by}, {self.n_drawn:,} of {self.n_available:,} {self.of})"
