"""SentenceQuality: how well predicted quality scores of sentences follow the true ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray
from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SentenceQuality(Result):
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
        Two-sided test that two systems correlate differently with the truth. NaN on the diagonal and where undefined.
    letters : tuple of str
        Systems that share a letter do not differ significantly (Holm-corrected).
    constant_mae, constant_rmse : float
        Errors of always predicting the mean of the true scores.
    alpha, confidence : float
    sentences : tuple of str
    unit_note : str
        Which unit was used, where documents are known; else empty.
    """

    kind: ClassVar[str] = "sentence_quality"

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

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a system."""
        table: dict[str, Sequence[Any]] = {"system": self.systems}
        for i, name in enumerate(("pearson", "spearman", "mae", "rmse")):
            table[name] = getattr(self, name).tolist()
            table[f"{name}_low"] = self.low[:, i].tolist()
            table[f"{name}_high"] = self.high[:, i].tolist()
        return {**table, "letters": self.letters}

    def __repr__(self) -> str:
        order = " > ".join(self.systems[:3]) + (" > …" if len(self.systems) > 3 else "")
        return f"SentenceQuality({len(self.systems)} systems by Pearson: {order})"
