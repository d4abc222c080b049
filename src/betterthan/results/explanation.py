"""Explanation: why two systems compare as they do, in words with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """What one way of aggregating says about the pair, and the test that belongs to it."""

    name: str
    winner: str | None
    effect: float
    effect_name: str
    test: str
    pvalue: float
    is_significant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """The fewest segments whose removal changes a verdict; `n_segments` is None when none does."""

    verdict: str
    n_segments: int | None
    share: float
    segments: tuple[str, ...]
    is_exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A part of the test set in which the order is reversed, with its own effect and adjusted p-value."""

    by: str
    value: str
    n_segments: int
    effect: float
    winner: str | None
    adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Explanation(Result):
    """Each mechanism's verdict on a pair, and why they agree or differ.

    Attributes
    ----------
    a, b : str
    metric : str
    n_segments : int
    wins, ties, losses : int
        Of a.
    mean_win, mean_loss : float
        Average size of a's wins and losses, both positive.
    mechanisms : tuple of Mechanism
        Mean, median, Bradley–Terry, and Wilcoxon's shift.
    mean_difference, median_difference, median_of_differences : float
        The three quantities of Proposition 1 of the paired-evaluation paper; none implies another.
    case : str
        "agree", "paired right, marginal swayed" or "marginal right, paired not", for mean against Bradley–Terry.
    reason : str
        What the disagreement points at: "none", "outliers" or "types of segments".
    flips : tuple of Flip
    slices : tuple of Slice
        Only those in which the order is reversed, strongest first.
    sentences : tuple of str
        The explanation in words.
    """

    kind: ClassVar[str] = "explanation"

    a: str
    b: str
    metric: str
    n_segments: int
    wins: int
    ties: int
    losses: int
    mean_win: float
    mean_loss: float
    mean_difference: float
    median_difference: float
    median_of_differences: float
    mechanisms: tuple[Mechanism, ...]
    case: str
    reason: str
    flips: tuple[Flip, ...]
    slices: tuple[Slice, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a mechanism."""
        names = ("name", "winner", "effect_name", "effect", "test", "pvalue")
        rows = {name: [getattr(mechanism, name) for mechanism in self.mechanisms] for name in names}
        return {**rows, "winner": [winner or "" for winner in rows["winner"]]}

    def __repr__(self) -> str:
        return f"Explanation({self.a} against {self.b}, {self.metric}: {self.case})"
