"""Voters whose votes deviate from the board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray
from betterthan.results.base import Result
from betterthan.results.rows import NamedRows, row_at
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Voter:
    """One voter; its fields are those of :class:`Voters`.

    Examples
    --------
    >>> import betterthan as bt
    >>> battles = {"left": ["X", "Y"] * 20, "right": ["Y", "X"] * 20, "winner": ["left"] * 10 + ["X", "X", "Y"] * 10,
    ...            "judge": ["a"] * 10 + ["b"] * 30}
    >>> bt.voters(battles, by="judge")["a"].votes
    10.0
    """

    voter: str
    votes: float
    agreement: float
    expected: float
    reason: str
    pvalue: float
    adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Voters(NamedRows[Voter], Result):
    """How far each voter deviates from the board of all battles, most suspicious first.

    Attributes
    ----------
    by : str
        The column of voters.
    voters : tuple of str
    votes : array, shape (k,)
    agreement, expected : array, shape (k,)
        Share of decided votes for the system that is stronger on the board, and what the board expects; NaN without
        decided votes.
    reason : tuple of str
        How the voter deviates most: "against the board", "prefers the left", "prefers the right", or "for" or
        "against" a system.
    pvalue, adjusted : array, shape (k,)
        Upper bounds for any deviation of these kinds, and Holm-adjusted for all voters.
    first, first_without : str
        First of the board, and of that without the voters who deviate significantly.
    confidence : float
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> battles = {"left": ["X", "Y"] * 20, "right": ["Y", "X"] * 20, "winner": ["left"] * 10 + ["X", "X", "Y"] * 10,
    ...            "judge": ["a"] * 10 + ["b"] * 30}
    >>> found = bt.voters(battles, by="judge")
    >>> len(found), found.deviating
    (2, ())
    """

    kind: ClassVar[str] = "voters"
    row_type: ClassVar[type] = Voter
    row_noun: ClassVar[str] = "voter"
    row_field: ClassVar[str] = "voters"

    by: str
    voters: tuple[str, ...]
    votes: FloatArray
    agreement: FloatArray
    expected: FloatArray
    reason: tuple[str, ...]
    pvalue: FloatArray
    adjusted: FloatArray
    first: str
    first_without: str
    confidence: float
    notes: tuple[str, ...]
    settings: Settings

    @property
    def deviating(self) -> tuple[str, ...]:
        """The voters who deviate significantly."""
        level = 1 - self.confidence
        return tuple(name for name, p in zip(self.voters, self.adjusted.tolist(), strict=True) if p <= level)

    def _row(self, i: int) -> Voter:
        return row_at(self, i, Voter, voter=self.voters[i])

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per voter."""
        names = ("votes", "agreement", "expected", "pvalue", "adjusted")
        return {
            "voter": self.voters,
            "reason": self.reason,
            **{name: getattr(self, name).tolist() for name in names},
        }

    def __repr__(self) -> str:
        return f"Voters({len(self.voters)} voters, {len(self.deviating)} deviate significantly)"
