"""TagRanking: systems that tag words, by several measures side by side, with synthetic labellings among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TagRanking(Result):
    """Systems from best to worst by the first measure; m rows, k measures.

    Attributes
    ----------
    systems : tuple of str
        Real systems and synthetic labellings, best first by the first measure; undefined comes last.
    is_synthetic : array of bool, shape (m,)
    measures : tuple of str
    value, low, high : array, shape (m, k)
        Scores with jackknife intervals over sentences (or documents); NaN where undefined.
    cluster : array, shape (m, k)
        Significance group of each real system by each measure, 1 is best; NaN for synthetic labellings, which are not
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
        Which unit was used, where documents are known; else empty.
    undecidable : str
        Why no pair could have been significant with so few units; empty where one could.
    """

    kind: ClassVar[str] = "tag_ranking"

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

    def above(self, measure: str) -> dict[str, int]:
        """Return how many real systems score below each synthetic labelling by `measure`."""
        column = self.value[:, self.measures.index(measure)]
        real = column[~self.is_synthetic]
        marked = zip(self.systems, self.is_synthetic.tolist(), column.tolist(), strict=True)
        return {name: int((real < value).sum()) for name, synthetic, value in marked if synthetic}

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a system and measure."""
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
