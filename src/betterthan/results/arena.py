"""Boards of battles: by category, and how few votes they depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.rows import NamedRows, Rows, index_of
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryBoard:
    """The board of one category, best first; its fields are those of :class:`Boards`.

    Examples
    --------
    >>> import betterthan as bt
    >>> battles = {"left": ["A"] * 6, "right": ["B"] * 6, "winner": ["A", "A", "B", "A", "B", "B"],
    ...            "topic": ["code"] * 3 + ["math"] * 3}
    >>> bt.boards(battles, by="topic")["code"].systems
    ('A', 'B')
    """

    category: str
    battles: float
    own_weight: float
    systems: tuple[str, ...]
    strength: FloatArray
    low: FloatArray
    high: FloatArray
    rank: IntArray
    rank_low: IntArray
    rank_high: IntArray
    votes: FloatArray
    deviation: FloatArray
    adjusted: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Boards(NamedRows[CategoryBoard], Result):
    """Bradley–Terry strengths of systems in several categories of battles, and over all.

    Attributes
    ----------
    by : str
        The column of categories.
    categories : tuple of str
        k categories, most battles first.
    systems : tuple of str
        m systems, best overall first.
    battles : array, shape (k,)
    own_weight : array, shape (k,)
        How much a category's own battles count; the rest is what is typical of all categories.
    overall, overall_low, overall_high : array, shape (m,)
        Elo points from all battles, with intervals, as by :func:`betterthan.rank`.
    overall_rank : array of int, shape (m,)
    strength, low, high : array, shape (k, m)
        Elo points in each category, shrunk toward what is typical of all categories, with intervals.
    rank, rank_low, rank_high : array of int, shape (k, m)
    votes : array, shape (k, m)
        Battles of each system.
    deviation : array, shape (k, m)
        Points more than the average of the system over all categories.
    adjusted : array, shape (k, m)
        P-values of deviations, Holm-adjusted for all of them.
    spread : float
        Standard deviation of a system's points between categories.
    confidence : float
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> battles = {"left": ["A"] * 6, "right": ["B"] * 6, "winner": ["A", "A", "B", "A", "B", "B"],
    ...            "topic": ["code"] * 3 + ["math"] * 3}
    >>> boards = bt.boards(battles, by="topic")
    >>> [(board.category, board.battles) for board in boards]
    [('code', 3.0), ('math', 3.0)]
    """

    kind: ClassVar[str] = "boards"
    row_type: ClassVar[type] = CategoryBoard
    row_noun: ClassVar[str] = "category"
    row_field: ClassVar[str] = "categories"

    by: str
    categories: tuple[str, ...]
    systems: tuple[str, ...]
    battles: FloatArray
    own_weight: FloatArray
    overall: FloatArray
    overall_low: FloatArray
    overall_high: FloatArray
    overall_rank: IntArray
    strength: FloatArray
    low: FloatArray
    high: FloatArray
    rank: IntArray
    rank_low: IntArray
    rank_high: IntArray
    votes: FloatArray
    deviation: FloatArray
    adjusted: FloatArray
    spread: float
    confidence: float
    notes: tuple[str, ...]
    settings: Settings

    def only(self, *categories: str) -> Boards:
        """Return the boards of these categories; their numbers still come from all.

        Examples
        --------
        >>> import betterthan as bt
        >>> battles = {"left": ["A"] * 6, "right": ["B"] * 6, "winner": ["A", "A", "B", "A", "B", "B"],
        ...            "topic": ["code"] * 3 + ["math"] * 3}
        >>> bt.boards(battles, by="topic").only("math").categories
        ('math',)
        """
        at = [index_of(name, self.categories, "category") for name in categories]
        names = ("battles", "own_weight", "strength", "low", "high", "rank", "rank_low", "rank_high", "votes")
        part: dict[str, Any] = {
            name: getattr(self, name)[at].copy() for name in (*names, "deviation", "adjusted")
        }
        return replace(self, categories=categories, **part)

    def _row(self, i: int) -> CategoryBoard:
        order = np.argsort(self.rank[i], kind="stable")
        names = ("strength", "low", "high", "rank", "rank_low", "rank_high", "votes", "deviation", "adjusted")
        return CategoryBoard(
            category=self.categories[i],
            battles=float(self.battles[i]),
            own_weight=float(self.own_weight[i]),
            systems=tuple(self.systems[j] for j in order.tolist()),
            **{name: getattr(self, name)[i][order] for name in names},
        )

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row for each system in each category, best first."""
        found: dict[str, list[Any]] = {"category": [], "rank": [], "system": []}
        names = ("strength", "low", "high", "rank_low", "rank_high", "votes", "deviation", "adjusted")
        found |= {name: [] for name in names}
        for board in self:
            found["category"] += [board.category] * len(board.systems)
            found["system"] += board.systems
            for name in ("rank", *names):
                found[name] += getattr(board, name).tolist()
        return dict(found)

    def __repr__(self) -> str:
        return f"Boards(by {self.by}, {len(self.categories)} categories × {len(self.systems)} systems)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedVotes:
    """Battles of one kind that are removed or reversed.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.fragility({"left": ["A"] * 5, "right": ["B"] * 5, "winner": ["left"] * 3 + ["right"] * 2})
    >>> [(row.change, row.winner, row.loser, row.votes, row.votes_of_kind) for row in found]
    [('removal', 'A', 'B', 2, 3), ('reversal', 'A', 'B', 1, 3)]
    """

    change: str
    winner: str
    loser: str
    is_tie: bool
    votes: int
    votes_of_kind: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnedBoard:
    """What the fewest changed battles do: how many they are, and which system is then first.

    Attributes
    ----------
    change : str
        "removal" or "reversal".
    votes : int or None
        None where no such set was found.
    new_first : str or None
    lead : float
        Elo points between the new and the former first system, refitted.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.fragility({"left": ["A"] * 5, "right": ["B"] * 5, "winner": ["left"] * 3 + ["right"] * 2})
    >>> found.reversal.votes, found.reversal.new_first
    (1, 'B')
    """

    change: str
    votes: int | None
    new_first: str | None
    lead: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Fragility(Rows[ChangedVotes], Result):
    """The fewest battles whose removal or reversal puts another system first.

    Attributes
    ----------
    first, second : str
    lead : float
        Elo points between them.
    battles : int
    removal, reversal : TurnedBoard
    changed : tuple of ChangedVotes
        The battles, most of a kind first; those of a kind are interchangeable.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.fragility({"left": ["A"] * 5, "right": ["B"] * 5, "winner": ["left"] * 3 + ["right"] * 2})
    >>> found.first, found.removal.votes, found.battles
    ('A', 2, 5)
    """

    kind: ClassVar[str] = "fragility"
    row_type: ClassVar[type] = ChangedVotes

    first: str
    second: str
    lead: float
    battles: int
    removal: TurnedBoard
    reversal: TurnedBoard
    changed: tuple[ChangedVotes, ...]
    notes: tuple[str, ...]
    settings: Settings

    def __len__(self) -> int:
        return len(self.changed)

    def _row(self, i: int) -> ChangedVotes:
        return self.changed[i]

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row for each kind of changed battles."""
        names = ("change", "winner", "loser", "is_tie", "votes", "votes_of_kind")
        return {name: [getattr(row, name) for row in self.changed] for name in names}

    def __repr__(self) -> str:
        return (
            f"Fragility({self.first} first; {self.removal.votes} removals, {self.reversal.votes} reversals)"
        )
