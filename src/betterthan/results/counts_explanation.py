"""CountsExplanation: how two systems compare under each way of aggregating counts, and which segments decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """What one way of aggregating says about the pair.

    Attributes
    ----------
    name : str
        "pooled", "segment_mean" or "bootstrap_mean".
    score_a, score_b : float
        In the metric's own direction.
    winner : str or None
        None when the two are level.
    effect, low, high : float
        Difference, positive when a is better, and its interval.
    test : str
    pvalue : float
        Two-sided.
    is_significant : bool
        p ≤ alpha.
    """

    name: str
    score_a: float
    score_b: float
    winner: str | None
    effect: float
    low: float
    high: float
    test: str
    pvalue: float
    is_significant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Mover:
    """A segment, and what the pooled difference would be without it.

    Attributes
    ----------
    segment : str
    effect_without : float
        The pooled difference of all other segments, exactly; NaN where it has no score.
    change : float
        What the segment adds to the lead of a: the difference with it less the one without it.
    weight : float
        Its share of the length, the mean of both systems; NaN when lengths are not known.
    """

    segment: str
    effect_without: float
    change: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CountsExplanation(Result):
    """A pair under three aggregations, why they may differ, and on which segments the pooled difference hangs.

    Attributes
    ----------
    a, b : str
    metric : str
    higher_is_better : bool
        All effects are positive when a is better, whatever the direction.
    alpha : float
    n_segments : int
    aggregations : tuple of Aggregation
        Pooled, mean of segments, mean of bootstrap corpora.
    disagree : bool
        Whether two of them name different winners.
    length : str
        What the length of a segment is; "" when it is not known, and the four numbers below are NaN.
    effective_segments, gini, longest_tenth : float
        Of the lengths, as in :func:`betterthan.length_weights`; the mean of both systems.
    shortest_of_longest : float
        Length from which on a segment belongs to the longest tenth.
    effect_of_longest, effect_of_rest : float
        Pooled difference of the longest tenth alone, and of all others.
    long_segments_decide : bool
        Whether the others alone name another winner than all segments do.
    movers : tuple of Mover
        Up to ten segments that move the pooled difference most, largest first.
    n_to_turn : int or None
        So many segments turn the pooled winner when removed, the strongest for it first; fewer might do. None when no
        such removal turns it.
    sentences : tuple of str
    unit_note : str
        Which unit was used, where documents are known; else empty.
    undecidable : str
        Why no pair could have been significant with so few units; empty where one could.
    """

    kind: ClassVar[str] = "counts_explanation"

    a: str
    b: str
    metric: str
    higher_is_better: bool
    alpha: float
    n_segments: int
    aggregations: tuple[Aggregation, ...]
    disagree: bool
    length: str
    effective_segments: float
    gini: float
    longest_tenth: float
    shortest_of_longest: float
    effect_of_longest: float
    effect_of_rest: float
    long_segments_decide: bool
    movers: tuple[Mover, ...]
    n_to_turn: int | None
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings
    unit_note: str = ""
    undecidable: str = ""

    def aggregation(self, name: str) -> Aggregation:
        """Return what the aggregation of this name says."""
        return next(way for way in self.aggregations if way.name == name)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row an aggregation."""
        names = (
            "name",
            "score_a",
            "score_b",
            "winner",
            "effect",
            "low",
            "high",
            "test",
            "pvalue",
            "is_significant",
        )
        rows = {name: [getattr(way, name) for way in self.aggregations] for name in names}
        return {**rows, "winner": [winner or "" for winner in rows["winner"]]}

    def __repr__(self) -> str:
        verdict = "disagree" if self.disagree else "agree"
        return f"CountsExplanation({self.a} against {self.b}, {self.metric}: aggregations {verdict})"
