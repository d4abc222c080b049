"""Ranking: which system is best, and how sure we are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Ranking(Result):
    """Systems from best to worst.

    Attributes
    ----------
    systems : tuple of str
        Best first; equal strengths keep the order of the table.
    strength : array, shape (m,)
        In `unit`, and in the direction of the data: for a metric where lower is better, the best is lowest.
    low, high : array, shape (m,)
        Interval of each strength that covers with probability `confidence`.
    confidence : float
        Coverage of the intervals, such as 0.95.
    rank : array of int, shape (m,)
        1 is best; equal strengths share the best rank of the tie.
    unit : str
        What strength is measured in.
    notes : tuple of str
    settings : Settings
    """

    kind: ClassVar[str] = "ranking"

    systems: tuple[str, ...]
    strength: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    rank: IntArray
    unit: str
    notes: tuple[str, ...]
    settings: Settings

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return rank, system, strength and interval, one row a system."""
        return {
            "rank": self.rank.tolist(),
            "system": self.systems,
            "strength": self.strength.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
        }

    def __repr__(self) -> str:
        order = " > ".join(self.systems[:3]) + (" > …" if len(self.systems) > 3 else "")
        return f"Ranking(by {self.settings.method}, {len(self.systems)} systems: {order})"
