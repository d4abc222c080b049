"""Gate: whether a candidate may replace a baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.rows import Rows, row_at
from betterthan.results.settings import Settings

PASSING = ("better", "equivalent", "pass")
EXIT_CODES = {"fail": 1, "undecided": 3}
"""Of verdicts; 0 for all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow:
    """One metric, or one slice of it; its fields are those of :class:`Gate`."""

    metric: str
    slice: str
    margin: float
    is_required: bool
    baseline_score: float
    candidate_score: float
    effect: float
    low: float
    high: float
    pvalue: float
    adjusted: float
    verdict: str
    n_units: int
    unit: str
    needed: float
    needed_if_equal: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstItem:
    """An item on which the candidate is much worse than the baseline.

    Attributes
    ----------
    metric, item : str
    baseline_score, candidate_score : float
    loss : float
        How much worse the candidate is.
    """

    metric: str
    item: str
    baseline_score: float
    candidate_score: float
    loss: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Gate(Rows[GateRow], Result):
    """Whether a candidate is shown not to be worse than a baseline by more than a margin.

    Attributes
    ----------
    baseline, candidate : str
        The two systems.
    verdict : {"better", "equivalent", "pass", "fail", "undecided"}
        Of all rows together; see :func:`betterthan.gate`.
    metric : tuple of str
        The metric of each row.
    slice : tuple of str
        Which part of the items, such as "topic = law"; empty for all items.
    margin : array, shape (k,)
        How much worse the candidate may be.
    is_required : array of bool, shape (k,)
        Whether the row must be shown to be within its margin; slices only must not fail.
    baseline_score, candidate_score : array, shape (k,)
        Means, corpus scores, or probabilities of a win between the two.
    effect, low, high : array, shape (k,)
        How much better the candidate is, with its confidence interval; negative where it is worse, also for metrics
        where lower is better.
    pvalue, adjusted : array, shape (k,)
        Of no difference, two-sided, before and after Holm's correction over all rows.
    verdicts : tuple of str
        Of each row.
    n_units : array of int, shape (k,)
        Items, documents or battles.
    unit : tuple of str
        What they are, in the plural.
    needed : array, shape (k,)
        Units with which an undecided row is decided with probability `power` if the difference is the observed one;
        infinite where no number is enough, NaN where that is unknown or nothing is open.
    needed_if_equal : array, shape (k,)
        The same if the two are equally good.
    worst : tuple of WorstItem
        Items with the largest losses of each metric, the largest first.
    measured : tuple of str
        Each metric and its direction.
    alpha : float
        Each error (a pass of a candidate that is worse by more than the margin, a failure of one that is not worse) has
        a probability of at most half of it.
    power : float
    undecided : {"", "pass", "fail"}
        What an undecided gate counts as; empty for neither.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.gate([5, 6, 5, 7, 6, 5, 6, 7], [6, 8, 6, 8, 7, 7, 7, 8], margin=0.5)
    >>> found.verdict, found.exit_code, found[0].verdict
    ('better', 0, 'better')
    """

    kind: ClassVar[str] = "gate"
    row_type: ClassVar[type] = GateRow

    baseline: str
    candidate: str
    verdict: str
    metric: tuple[str, ...]
    slice: tuple[str, ...]
    margin: FloatArray
    is_required: BoolArray
    baseline_score: FloatArray
    candidate_score: FloatArray
    effect: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray
    adjusted: FloatArray
    verdicts: tuple[str, ...]
    n_units: IntArray
    unit: tuple[str, ...]
    needed: FloatArray
    needed_if_equal: FloatArray
    worst: tuple[WorstItem, ...]
    measured: tuple[str, ...]
    alpha: float
    power: float
    undecided: str
    notes: tuple[str, ...]
    settings: Settings

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """0 for a pass, 1 for a failure, 3 where it is undecided and neither `undecided` policy was chosen."""
        counted = (self.undecided or "undecided") if self.verdict == "undecided" else self.verdict
        return EXIT_CODES.get(counted, 0)

    @property
    def confidence(self) -> float:
        """Confidence level of the intervals."""
        return 1 - self.alpha

    def __len__(self) -> int:
        return len(self.metric)

    def _row(self, i: int) -> GateRow:
        return row_at(self, i, GateRow, verdict=self.verdicts[i])

    def more(self, i: int) -> float:
        """Return how many units more would decide row `i` if the difference is the observed one; NaN if unknown."""
        return math.nan if math.isnan(self.needed[i]) else max(1.0, float(self.needed[i] - self.n_units[i]))

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the rows, one for each metric and slice."""
        rows = list(self)
        return {name: [getattr(row, name) for row in rows] for name in GateRow.__dataclass_fields__}

    def __repr__(self) -> str:
        return f"Gate({self.candidate} against {self.baseline}: {self.verdict})"
