"""Multiverse: what every defensible analysis says of one claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.rows import Rows, row_at
from betterthan.results.settings import Settings

SUPPORTED, SAME, EQUAL, OPPOSITE, CONTRADICTED = (
    "supported",
    "same direction",
    "equal",
    "opposite direction",
    "contradicted",
)
CHOICES = ("metric", "items", "compared", "unit", "aggregation", "test", "ties", "correction")
"""What is chosen in an analysis, in the order in which it is chosen; names of the fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """One analysis of a multiverse; its fields are those of :class:`Multiverse`."""

    metric: str
    items: str
    compared: str
    unit: str
    aggregation: str
    test: str
    ties: str
    correction: str
    effect: float
    pvalue: float
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenOption:
    """All analyses with one option of one choice.

    Attributes
    ----------
    choice, option : str
    n : int
        Number of analyses.
    supported, ahead, behind, contradicted : float
        Shares of these.
    """

    choice: str
    option: str
    n: int
    supported: float
    ahead: float
    behind: float
    contradicted: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Multiverse(Rows[Analysis], Result):
    """Every defensible analysis of one claim, and whether it supports the claim.

    Attributes
    ----------
    claim : str
        Such as "A > B" or "A is best".
    system : str
        The one that is claimed to be better.
    others : tuple of str
        Than these.
    metric, items, compared, unit, aggregation, test, ties, correction : tuple of str
        What each analysis chose; see :func:`betterthan.multiverse`.
    effect : array, shape (k,)
        How much better the system is than the nearest of the others, in the unit of the aggregation; negative if worse.
    pvalue : array, shape (k,)
        Two-sided and corrected; of several others the largest.
    direction : array of int, shape (k,)
        1 where the system is better than all others, -1 where one of them is better, 0 where they are equal.
    outcome : tuple of str
        "supported" (better and significant), "same direction", "equal", "opposite direction" or "contradicted" (another
        system is significantly better).
    alpha : float
    n_impossible : int
        Analyses left out because they have no answer on these data.
    systems : tuple of str
    n_segments : int
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = {"A": [3, 5, 4, 6, 5, 7, 8, 5], "B": [2, 3, 3, 3, 4, 5, 6, 4]}
    >>> found = bt.multiverse("A > B", scores)
    >>> found.share("supported"), found[0].aggregation, found[0].test
    (0.9, 'mean', 'permutation')
    """

    kind: ClassVar[str] = "multiverse"
    row_type: ClassVar[type] = Analysis

    claim: str
    system: str
    others: tuple[str, ...]
    metric: tuple[str, ...]
    items: tuple[str, ...]
    compared: tuple[str, ...]
    unit: tuple[str, ...]
    aggregation: tuple[str, ...]
    test: tuple[str, ...]
    ties: tuple[str, ...]
    correction: tuple[str, ...]
    effect: FloatArray
    pvalue: FloatArray
    direction: IntArray
    outcome: tuple[str, ...]
    alpha: float
    n_impossible: int
    systems: tuple[str, ...]
    n_segments: int
    notes: tuple[str, ...]
    settings: Settings

    def __len__(self) -> int:
        return len(self.outcome)

    def share(self, *outcomes: str) -> float:
        """Return the share of analyses with one of these outcomes."""
        return sum(outcome in outcomes for outcome in self.outcome) / len(self)

    def options(self) -> tuple[ChosenOption, ...]:
        """Return what each option of each choice leads to, the most influential choice first.

        The influence of a choice is how much the share of supporting analyses varies between its options, then that of
        analyses in which the system is ahead. Choices with a single option are left out.
        """
        found = [options for choice in CHOICES if len(options := self._options_of(choice)) > 1]
        return tuple(option for options in sorted(found, key=influence, reverse=True) for option in options)

    def _options_of(self, choice: str) -> tuple[ChosenOption, ...]:
        values = getattr(self, choice)
        if choice == "test":  # a test belongs to an aggregation
            values = [f"{of}, {test}" for of, test in zip(self.aggregation, self.test, strict=True)]
        chosen = np.array(values)
        return tuple(
            self._of_option(choice, option, chosen == option)
            for option in dict.fromkeys(chosen.tolist())
            if option
        )

    def _of_option(self, choice: str, option: str, here: BoolArray) -> ChosenOption:
        outcome = np.array(self.outcome)[here]
        direction = self.direction[here]
        return ChosenOption(
            choice=choice,
            option=option,
            n=int(here.sum()),
            supported=float(np.mean(outcome == SUPPORTED)),
            ahead=float(np.mean(direction > 0)),
            behind=float(np.mean(direction < 0)),
            contradicted=float(np.mean(outcome == CONTRADICTED)),
        )

    def _row(self, i: int) -> Analysis:
        return row_at(self, i, Analysis)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the analyses, one row each."""
        columns: dict[str, Sequence[Any]] = {name: list(getattr(self, name)) for name in CHOICES}
        return {
            **columns,
            "effect": self.effect.tolist(),
            "pvalue": self.pvalue.tolist(),
            "outcome": list(self.outcome),
        }

    def __repr__(self) -> str:
        return (
            f"Multiverse({self.claim!r}, {len(self)} analyses, {100 * self.share(SUPPORTED):.0f}% support it)"
        )


def influence(options: Sequence[ChosenOption]) -> tuple[float, float]:
    """Return how much the options of a choice differ in support, and in direction."""
    supported, ahead = ([getattr(each, name) for each in options] for name in ("supported", "ahead"))
    return max(supported) - min(supported), max(ahead) - min(ahead)
