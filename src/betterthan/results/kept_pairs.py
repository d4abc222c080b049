"""Kept pairs: how much of the data each margin of a relative ranking keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray
from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class KeptPairs(Result):
    """Share of pairs of systems on a segment that lie at least a margin apart.

    Attributes
    ----------
    metric : str
    n_pairs : int
        Pairs of systems judged on the same segment.
    margin, share : array, shape (k,)
        `share` is NaN when there are no pairs.
    """

    kind: ClassVar[str] = "kept_pairs"

    metric: str
    n_pairs: int
    margin: FloatArray
    share: FloatArray
    notes: tuple[str, ...]
    settings: Settings

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a margin."""
        kept = [round(part * self.n_pairs) if self.n_pairs else 0 for part in self.share.tolist()]
        return {"margin": self.margin.tolist(), "kept": kept, "share": self.share.tolist()}

    def __repr__(self) -> str:
        return f"KeptPairs({len(self.margin)} margins, {self.n_pairs} pairs)"
