"""Boards of battles: by category, on how few votes they depend, what changed between two, and whose votes deviate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.results.base import NamedRows, Result, Rows, index_of, row_at
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSystem:
    """One system on two boards; its fields are those of :class:`BoardDiff`.

    Examples
    --------
    >>> import betterthan as bt
    >>> old = {"left": ["X"] * 4, "right": ["Y"] * 4, "winner": ["left", "left", "left", "right"]}
    >>> new = {"left": ["X"] * 4, "right": ["Y"] * 4, "winner": ["left", "right", "right", "right"]}
    >>> row = bt.board_diff(old, new)["Y"]
    >>> row.old_rank, row.new_rank, round(row.change)
    (2, 1, 191)
    """

    system: str
    old_rank: int
    new_rank: int
    old: float
    new: float
    change: float
    low: float
    high: float
    pvalue: float
    adjusted: float
    old_votes: float
    new_votes: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BoardDiff(NamedRows[ChangedSystem], Result):
    """The systems of both boards, in the order of the new one, and how their strengths changed.

    Attributes
    ----------
    systems : tuple of str
        Systems on both boards.
    entered, left : tuple of str
        Systems on the new board only, best first, and on the old board only.
    old_first, new_first : str
        First of all systems of each board.
    old_rank, new_rank : array of int, shape (m,)
        Among the systems on both boards.
    old, new : array, shape (m,)
        Elo points; the average of the systems on both boards is 1500.
    change, low, high : array, shape (m,)
        New less old points, with intervals.
    pvalue, adjusted : array, shape (m,)
        Of no change, and Holm-adjusted for all systems.
    old_votes, new_votes : array, shape (m,)
    old_battles, new_battles : int
    is_cumulative : bool
        Whether the new battles include the old ones.
    confidence : float
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> old = {"left": ["X"] * 4, "right": ["Y"] * 4, "winner": ["left", "left", "left", "right"]}
    >>> new = {"left": ["X"] * 4, "right": ["Y"] * 4, "winner": ["left", "right", "right", "right"]}
    >>> found = bt.board_diff(old, new)
    >>> found.old_first, found.new_first, found.is_cumulative
    ('X', 'Y', False)
    """

    kind: ClassVar[str] = "board_diff"
    row_type: ClassVar[type] = ChangedSystem

    systems: tuple[str, ...]
    entered: tuple[str, ...]
    left: tuple[str, ...]
    old_first: str
    new_first: str
    old_rank: IntArray
    new_rank: IntArray
    old: FloatArray
    new: FloatArray
    change: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray
    adjusted: FloatArray
    old_votes: FloatArray
    new_votes: FloatArray
    old_battles: int
    new_battles: int
    is_cumulative: bool
    confidence: float
    notes: tuple[str, ...]
    settings: Settings

    def _row(self, i: int) -> ChangedSystem:
        return row_at(self, i, ChangedSystem, system=self.systems[i])

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per system."""
        names = (
            *("old_rank", "new_rank", "old", "new", "change", "low", "high", "pvalue", "adjusted"),
            *("old_votes", "new_votes"),
        )
        return {"system": self.systems, **{name: getattr(self, name).tolist() for name in names}}

    def __repr__(self) -> str:
        changed = int((self.adjusted <= 1 - self.confidence).sum())
        return f"BoardDiff({len(self.systems)} systems, {changed} changed significantly)"


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
