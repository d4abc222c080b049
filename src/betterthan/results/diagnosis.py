"""Diagnosis: what kind of scores these are, and what that means for comparing systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray
from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple:
    """Three systems among which Bradley–Terry and the head-to-head counts do not agree.

    `effect` is "cycle" when a beats b, b beats c and c beats a; "flips" or "levels" when the third system
    reverses, or takes away, the order that the pair (a, b) has by itself.
    """

    a: str
    b: str
    c: str
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Diagnosis(Result):
    """Ties, gaps, outliers, strength of pairing, and cycles of a table of scores.

    Attributes
    ----------
    outlier_share : float
        Share of scores outside 1.5 interquartile ranges of their system.
    outlier_share_by_system : array, shape (m,)
    tie_share : float
        Share of comparisons that are exact ties.
    missing_share : float
    pairing : float
        Mean correlation between systems over segments: how much pairing helps.
    variance_removed : float
        Share of the variance of a difference that pairing removes, on average over pairs.
    system_spread, segment_spread, rank_spread : float
        Mean spread of scores across systems within a segment; spread of the segments' means (difficulty); mean
        spread of a system's ranks across segments.
    kendall : array, shape (m, m)
        Kendall's tau-b between systems over segments.
    triples : tuple of Triple
    """

    kind: ClassVar[str] = "diagnosis"

    metric: str
    systems: tuple[str, ...]
    n_segments: int
    outlier_share: float
    outlier_share_by_system: FloatArray
    tie_share: float
    missing_share: float
    pairing: float
    variance_removed: float
    system_spread: float
    segment_spread: float
    rank_spread: float
    kendall: FloatArray
    triples: tuple[Triple, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a measure."""
        measures = ("outlier_share", "tie_share", "missing_share", "pairing", "variance_removed")
        spreads = ("system_spread", "segment_spread", "rank_spread")
        names = [*measures, *spreads]
        return {"measure": names, "value": [getattr(self, name) for name in names]}

    def __repr__(self) -> str:
        return f"Diagnosis({self.metric!r}, {len(self.systems)} systems × {self.n_segments} segments)"
