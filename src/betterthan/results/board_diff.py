"""What changed between two snapshots of a board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.rows import NamedRows, row_at
from betterthan.results.settings import Settings


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
