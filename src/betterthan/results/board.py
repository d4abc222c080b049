"""Board: systems ranked over many tasks, with two kinds of uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.rows import NamedRows, best_name, index_of, row_at
from betterthan.results.settings import Settings

BOARD_METHODS = {
    "mean": "mean",
    "mean_win_rate": "mean win rate",
    "borda": "Borda points",
    "iqm": "interquartile mean",
    "average_rank": "average rank",
    "bradley_terry": "Bradley–Terry",
}
"""Ways of combining tasks, and what they are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSystem:
    """One system of a board; its fields are those of :class:`Board`."""

    rank: int
    system: str
    strength: float
    low: float
    high: float
    item_low: float
    item_high: float
    rank_low: int
    rank_high: int
    item_rank_low: int
    item_rank_high: int
    cluster: int
    letters: str
    tasks_won: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardWithout:
    """What changes when one task is left out.

    Attributes
    ----------
    task : str
    best : tuple of str
        The best systems without it; several when they are tied.
    flipped : int
        Pairs of systems that are then ordered the other way round.
    """

    task: str
    best: tuple[str, ...]
    flipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDifference:
    """Two systems on one task.

    Attributes
    ----------
    task : str
    items : int
        0 where only the score of the task is known; interval and p-values are then NaN.
    first, second : float
        Scores of the two systems of the board, in its order.
    difference, low, high : float
        First minus second in the direction of the task, and its confidence interval.
    pvalue, adjusted : float
        Of the test of :func:`betterthan.compare`; adjusted for all tasks.
    verdict : str
        The better system where the two differ significantly; otherwise empty.
    """

    task: str
    items: int
    first: float
    second: float
    difference: float
    low: float
    high: float
    pvalue: float
    adjusted: float
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Board(NamedRows[BoardSystem], Result):
    """Systems ranked over many tasks, best first.

    Attributes
    ----------
    by : str
        How tasks are combined, one of :data:`BOARD_METHODS`.
    systems : tuple of str
        Best first.
    tasks : tuple of str
    scores : array, shape (m, T)
        Score of each system on each task, in the direction of the task.
    task_higher_is_better : tuple of bool
    items : array of int, shape (T,)
        Items of each task; 0 where only the score of the task is known.
    strength : array, shape (m,)
    higher_is_better : bool
        Of the strength: only an average rank is better when it is lower.
    low, high : array, shape (m,)
        Interval for other tasks like these: tasks are the sample.
    rank_low, rank_high : array of int, shape (m,)
        Ranks compatible with the data for other tasks, simultaneously for all systems.
    item_low, item_high : array, shape (m,)
        Interval for these tasks with other items: items are the sample; NaN where items are not known.
    item_rank_low, item_rank_high : array of int, shape (m,)
        Ranks compatible with the data for these tasks; from 1 to m where items are not known.
    rank, cluster : array of int, shape (m,)
    letters : tuple of str
        As in :class:`betterthan.Ranking`, for other tasks.
    tasks_won : array, shape (m,)
        Tasks on which the system is best; a tie is shared.
    others : dict of str to array, shape (m,)
        Strengths by the other methods; NaN where one does not exist.
    without : tuple of BoardWithout
        One per task.
    differences : tuple of TaskDifference
        For a board of two systems, one per task; otherwise empty.
    confidence : float
    test : str
        The test over tasks.
    undecidable : str
        Explanation if no pair could have been significant with so few tasks; otherwise empty.

    Examples
    --------
    >>> import betterthan as bt
    >>> board = bt.board({"A": [0.9, 0.7, 0.6], "B": [0.8, 0.6, 0.5], "C": [0.3, 0.4, 0.9]}, by="mean_win_rate")
    >>> board.systems, board["A"].strength.__round__(2), board["C"].tasks_won
    (('A', 'B', 'C'), 0.83, 1.0)
    """

    kind: ClassVar[str] = "board"
    row_type: ClassVar[type] = BoardSystem

    by: str
    systems: tuple[str, ...]
    tasks: tuple[str, ...]
    scores: FloatArray
    task_higher_is_better: tuple[bool, ...]
    items: IntArray
    strength: FloatArray
    higher_is_better: bool
    low: FloatArray
    high: FloatArray
    rank_low: IntArray
    rank_high: IntArray
    item_low: FloatArray
    item_high: FloatArray
    item_rank_low: IntArray
    item_rank_high: IntArray
    rank: IntArray
    cluster: IntArray
    letters: tuple[str, ...]
    tasks_won: FloatArray
    others: dict[str, FloatArray]
    without: tuple[BoardWithout, ...]
    differences: tuple[TaskDifference, ...]
    confidence: float
    test: str
    correction: str
    notes: tuple[str, ...]
    settings: Settings
    undecidable: str = ""

    @property
    def best(self) -> str:
        """The first system."""
        return best_name(self.systems, self.strength)

    @property
    def knows_items(self) -> bool:
        """Whether the items of every task are known."""
        return bool((self.items > 0).all())

    def task(self, name: str) -> dict[str, float]:
        """Return the score of each system on one task.

        Examples
        --------
        >>> import betterthan as bt
        >>> bt.board({"A": [0.75, 0.5], "B": [0.5, 0.25]}).task("2")
        {'A': 0.5, 'B': 0.25}
        """
        column = self.scores[:, index_of(name, self.tasks, "task")]
        return dict(zip(self.systems, column.tolist(), strict=True))

    def _row_names(self) -> tuple[str, ...]:
        return self.systems

    def _row(self, i: int) -> BoardSystem:
        return row_at(self, i, BoardSystem, system=self.systems[i])

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per system, with its score on every task."""
        names = ("strength", "low", "high", "item_low", "item_high", "rank_low", "rank_high", "cluster")
        numbers = {name: getattr(self, name).tolist() for name in names}
        tasks = {f"task:{task}": self.scores[:, t].tolist() for t, task in enumerate(self.tasks)}
        return {
            "rank": self.rank.tolist(),
            "system": self.systems,
            "method": [self.by] * len(self.systems),
            **numbers,
            "letters": self.letters,
            "tasks_won": self.tasks_won.tolist(),
            **{name: values.tolist() for name, values in self.others.items()},
            **tasks,
        }

    def __repr__(self) -> str:
        order = " > ".join(self.systems[:3]) + (" > …" if len(self.systems) > 3 else "")
        return f"Board(by {self.by}, {len(self.systems)} systems × {len(self.tasks)} tasks: {order})"
