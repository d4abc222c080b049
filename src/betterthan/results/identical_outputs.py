"""Identical outputs: where systems say the same, and where people scored the same text differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import IntArray
from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """Two systems with the same output for a segment.

    Attributes
    ----------
    segment, first, second : str
        The system judged better stands first.
    gap : float
        How much better, never negative; NaN when they were not both judged.
    survives : bool
        Whether the gap is the margin or more, so that a relative ranking would call one better.
    text : str
        The output.
    """

    segment: str
    first: str
    second: str
    gap: float
    survives: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTies:
    """Ties of a metric among the pairs that the margin keeps: all, and those with identical outputs."""

    metric: str
    ties: int
    identical: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class IdenticalOutputs(Result):
    """Every segment and pair of systems with the same text, and which of them a margin does not catch.

    Attributes
    ----------
    systems : tuple of str
    margin : float
    n_pairs : int
        Pairs of systems on a segment that both have an output for.
    n_judged, n_kept : int
        Those that people scored, and those scored the margin or more apart.
    twins : tuple of Twin
        The identical ones, surviving ones first, widest gap first.
    identical, surviving : array of int, shape (m, m)
        Their numbers for each pair of systems; symmetric.
    metric_ties : tuple of MetricTies
    sentences : tuple of str
    """

    kind: ClassVar[str] = "identical_outputs"

    systems: tuple[str, ...]
    margin: float
    n_pairs: int
    n_judged: int
    n_kept: int
    twins: tuple[Twin, ...]
    identical: IntArray
    surviving: IntArray
    metric_ties: tuple[MetricTies, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings

    @property
    def n_identical(self) -> int:
        """Pairs with identical outputs."""
        return len(self.twins)

    @property
    def n_surviving(self) -> int:
        """Those that were scored the margin or more apart."""
        return sum(twin.survives for twin in self.twins)

    @property
    def share_identical(self) -> float:
        """Identical pairs over all pairs."""
        return self.n_identical / self.n_pairs if self.n_pairs else float("nan")

    @property
    def share_surviving(self) -> float:
        """Identical pairs among those that the margin keeps."""
        return self.n_surviving / self.n_kept if self.n_kept else float("nan")

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a pair of identical outputs."""
        names = ("segment", "first", "second", "gap", "survives", "text")
        return {name: [getattr(twin, name) for twin in self.twins] for name in names}

    def __repr__(self) -> str:
        return f"IdenticalOutputs({self.n_identical} of {self.n_pairs} pairs, {self.n_surviving} survive the margin)"
