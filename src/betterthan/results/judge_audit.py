"""Audit of an automatic judge: agreement with humans, biases, consistency, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.rows import Rows, row_at
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
