"""Board: systems ranked over many tasks. Tradeoffs: the same systems by several metrics, and the Pareto front.

Variation and Factors: where the variation of repeated runs comes from, and what each factor does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import NamedRows, Result, Rows, best_name, index_of, row_at
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricScore:
    """One system by one metric.

    Attributes
    ----------
    metric, system : str
    score, low, high : float
        Mean or corpus score with its confidence interval, in the direction of the metric.
    rank : int
        By this metric; tied systems share a rank.
    on_front : bool
        Whether the system is on the Pareto front of all metrics.
    may_be_on_front : bool
        False where another system is significantly better by every metric.
    difference, difference_low, difference_high : float or None
        Score minus that of the baseline, with its interval; None without a baseline, and for the baseline itself.
    pvalue, adjusted : float or None
        Of that difference; adjusted for all metrics and all comparisons with the baseline.
    verdict : str or None
        The better of the two where they differ significantly.
    """

    metric: str
    system: str
    score: float
    low: float
    high: float
    rank: int
    on_front: bool
    may_be_on_front: bool
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    pvalue: float | None
    adjusted: float | None
    verdict: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPair:
    """Two systems by one metric, seen from the first; a positive effect means that the first is better."""

    metric: str
    a: str
    b: str
    effect: float
    low: float
    high: float
    pvalue: float
    adjusted: float
    verdict: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Tradeoffs(Rows[MetricScore], Result):
    """Systems by several metrics, each tested, and the systems that no other one dominates.

    Rows are systems by metrics, all systems of the first metric first.

    Attributes
    ----------
    systems : tuple of str
        Best by the first metric first.
    metrics : tuple of str
    higher_is_better : tuple of bool
        Of each metric.
    segments : array of int, shape (k,)
        Of each metric.
    score, low, high : array, shape (k, m)
        In the direction of the metric.
    rank : array of int, shape (k, m)
    rank_low, rank_high : array of int, shape (k, m)
        Ranks compatible with the data, simultaneously for all systems and metrics; with a baseline from 1 to m.
    letters : tuple of tuple of str
        For each metric the groups of systems that do not differ significantly; empty with a baseline.
    effect, effect_low, effect_high : array, shape (k, m, m)
        Entry [metric, a, b] is positive where a is better than b.
    pvalue, adjusted : array, shape (k, m, m)
        Before and after Holm's correction for all `n_tests` comparisons of all metrics.
    n_tests : int
        Metrics times pairs, or times comparisons with the baseline.
    dominance : array, shape (m, m)
        P-value of "a is better than b by every metric": the largest over the metrics, Holm-adjusted for the pairs; 1
        where a is not better by every one.
    on_front, may_be_on_front : array of bool, shape (m,)
        Whether no other system is as good by all metrics and better by one; whether none is significantly better by
        every metric.
    baseline : str
        The system that the others are compared with; empty where all pairs are.
    alpha, confidence : float
    units : {"segments", "groups"}
    unit_note : str
    undecidable : str
        Explanation if no pair could have been significant by any metric; otherwise empty.

    Examples
    --------
    >>> import betterthan as bt
    >>> accuracy = bt.read_scores({"A": [5, 6, 7, 6, 8, 7], "B": [4, 5, 5, 5, 6, 5], "C": [3, 4, 4, 4, 5, 4]})
    >>> cost = bt.read_scores({"A": [9, 8, 9, 9, 8, 9], "B": [3, 2, 3, 2, 3, 2], "C": [4, 4, 5, 4, 5, 5]},
    ...                       lower_is_better=True)
    >>> result = bt.tradeoffs({"accuracy": accuracy, "cost": cost})
    >>> result.front, result.pair("cost", "B", "A").verdict
    (('A', 'B'), None)
    """

    kind: ClassVar[str] = "tradeoffs"
    row_type: ClassVar[type] = MetricScore

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    higher_is_better: tuple[bool, ...]
    segments: IntArray
    score: FloatArray
    low: FloatArray
    high: FloatArray
    rank: IntArray
    rank_low: IntArray
    rank_high: IntArray
    letters: tuple[tuple[str, ...], ...]
    effect: FloatArray
    effect_low: FloatArray
    effect_high: FloatArray
    pvalue: FloatArray
    adjusted: FloatArray
    n_tests: int
    dominance: FloatArray
    on_front: BoolArray
    may_be_on_front: BoolArray
    baseline: str
    alpha: float
    confidence: float
    notes: tuple[str, ...]
    settings: Settings
    units: str = "segments"
    unit_note: str = ""
    undecidable: str = ""

    @property
    def front(self) -> tuple[str, ...]:
        """The systems on the Pareto front."""
        return tuple(name for name, is_on in zip(self.systems, self.on_front, strict=True) if is_on)

    def better(self, metric: str) -> BoolArray:
        """Return systems × systems, entry [a, b] whether a is significantly better than b by this metric."""
        k = index_of(metric, self.metrics, "metric")
        return np.asarray((self.adjusted[k] <= self.alpha) & (self.effect[k] > 0))

    def dominated_by(self, system: str) -> tuple[str, ...]:
        """Return the systems that are as good by all metrics and better by one.

        Examples
        --------
        >>> import betterthan as bt
        >>> tables = {name: bt.read_scores({"A": [2, 3], "B": [1, 2]}) for name in ("clear", "correct")}
        >>> bt.tradeoffs(tables).dominated_by("B")
        ('A',)
        """
        at = index_of(system, self.systems, "system")
        lead = self.effect[:, :, at]
        over: BoolArray = np.asarray((lead >= 0).all(axis=0) & (lead > 0).any(axis=0))
        return tuple(name for name, is_over in zip(self.systems, over, strict=True) if is_over)

    def pair(self, metric: str, a: str, b: str) -> MetricPair:
        """Return the comparison of `a` with `b` by one metric."""
        k = index_of(metric, self.metrics, "metric")
        i, j = (index_of(name, self.systems, "system") for name in (a, b))
        return MetricPair(
            metric=metric,
            a=a,
            b=b,
            effect=float(self.effect[k, i, j]),
            low=float(self.effect_low[k, i, j]),
            high=float(self.effect_high[k, i, j]),
            pvalue=float(self.pvalue[k, i, j]),
            adjusted=float(self.adjusted[k, i, j]),
            verdict=self._winner(k, i, j),
        )

    def _winner(self, k: int, i: int, j: int) -> str | None:
        effect = self.effect[k, i, j]
        is_sure = bool(self.adjusted[k, i, j] <= self.alpha) and effect != 0
        return self.systems[i if effect > 0 else j] if is_sure else None

    def __len__(self) -> int:
        return len(self.metrics) * len(self.systems)

    def _row(self, i: int) -> MetricScore:
        k, s = divmod(i, len(self.systems))
        return MetricScore(
            metric=self.metrics[k],
            system=self.systems[s],
            score=float(self.score[k, s]),
            low=float(self.low[k, s]),
            high=float(self.high[k, s]),
            rank=int(self.rank[k, s]),
            on_front=bool(self.on_front[s]),
            may_be_on_front=bool(self.may_be_on_front[s]),
            **self._from_baseline(k, s),
        )

    def _from_baseline(self, k: int, s: int) -> dict[str, Any]:
        if not self.baseline or self.systems[s] == self.baseline:
            return dict.fromkeys(_OF_DIFFERENCE)
        base = self.systems.index(self.baseline)
        side = 1.0 if self.higher_is_better[k] else -1.0
        ends = sorted((side * self.effect_low[k, s, base], side * self.effect_high[k, s, base]))
        values = (side * self.effect[k, s, base], *ends, self.pvalue[k, s, base], self.adjusted[k, s, base])
        numbers = map(float, values)
        return dict(zip(_OF_DIFFERENCE, (*numbers, self._winner(k, s, base)), strict=True))

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per metric and system; differences are from the baseline."""
        rows = list(self)
        return {name: [getattr(row, name) for row in rows] for name in MetricScore.__slots__}

    def __repr__(self) -> str:
        metrics = ", ".join(self.metrics[:3]) + (", …" if len(self.metrics) > 3 else "")
        return f"Tradeoffs({len(self.systems)} systems by {metrics}; front: {', '.join(self.front[:3])})"


_OF_DIFFERENCE = ("difference", "difference_low", "difference_high", "pvalue", "adjusted", "verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceSource:
    """One source of variation; its fields are those of :class:`Variation`."""

    source: str
    variance: float
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """How many more runs or items would halve the interval of a difference, with a range; infinite where none would.

    Attributes
    ----------
    more, low, high : float
        The estimate, and the range in which it lies with 80% confidence.
    """

    more: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Variation(NamedRows[VarianceSource], Result):
    """How much systems, items and runs contribute to the variance of a single score.

    Attributes
    ----------
    sources : tuple of str
        "system", "item", "item × system", "run", "residual"; without repeats "system", "item", "residual".
    variance : array, shape (k,)
        Estimates, which may be negative.
    share : array, shape (k,)
        Of the sum of the variances, negative ones counted as 0.
    low, high : array, shape (k,)
        Confidence interval of each share.
    confidence : float
    more_runs, more_items : Needed or None
        To halve the interval of a difference of two systems; None without repeats.
    n_items : int
    n_runs : float
        Typical number of runs of an item.
    measured : str
        The metric and its direction.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> runs = {"item": [1, 1, 2, 2, 3, 3] * 2, "system": ["A"] * 6 + ["B"] * 6, "seed": [1, 2] * 6,
    ...         "score": [3, 4, 5, 6, 4, 5, 2, 2, 3, 5, 3, 2]}
    >>> found = bt.variation(runs, run="seed")
    >>> round(found["item"].variance, 3), [row.source for row in found]
    (1.0, ['system', 'item', 'item × system', 'run', 'residual'])
    """

    kind: ClassVar[str] = "variation"
    row_type: ClassVar[type] = VarianceSource
    row_noun: ClassVar[str] = "source"

    sources: tuple[str, ...]
    variance: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    more_runs: Needed | None
    more_items: Needed | None
    n_items: int
    n_runs: float
    measured: str
    notes: tuple[str, ...]
    settings: Settings

    @property
    def times_both(self) -> float:
        r"""How many times as many runs and items together halve the interval of a difference; NaN without repeats.

        The root f of :math:`(\sigma^2_c / n + \sigma^2_b / R) / f + \sigma^2_e / (nR f^2) = h / 4`, with h the left
        side for f = 1.
        """
        if self.more_runs is None:
            return math.nan
        own, run, rest = (max(float(part), 0.0) for part in self.variance[2:])
        single = own / self.n_items + run / self.n_runs
        both = rest / (self.n_items * self.n_runs)
        quarter = (single + both) / 4
        return (single + math.sqrt(single**2 + 4 * quarter * both)) / (2 * quarter) if quarter else math.nan

    def _row_names(self) -> tuple[str, ...]:
        return self.sources

    def _row(self, i: int) -> VarianceSource:
        return row_at(self, i, VarianceSource, source=self.sources[i])

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return source, variance, share and its interval, one row per source."""
        names = ("variance", "share", "low", "high")
        return {"source": self.sources, **{name: getattr(self, name).tolist() for name in names}}

    def __repr__(self) -> str:
        return f"Variation({self.measured!r}, {len(self.sources)} sources)"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorEffect:
    """One effect; its fields are those of :class:`Factors`."""

    term: str
    level: str
    effect: float
    low: float
    high: float
    pvalue: float
    adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Factors(Rows[FactorEffect], Result):
    """Effects of the factors that make up the systems, such as model and prompt, and of their interactions.

    Attributes
    ----------
    terms : tuple of str
        The factors, then their interactions of two, such as "model × prompt".
    term : tuple of str
        The term of each effect, one per row.
    level : tuple of str
        What the effect is of. With two levels the difference, "A − B"; with more the level against the average of all
        levels. Of an interaction: by how much the difference changes, or the deviation from the sum of both effects.
    effect, low, high : array, shape (k,)
        Higher is better, whatever the direction of the metric.
    pvalue, adjusted : array, shape (k,)
        Before and after Holm's correction over the effects of the term.
    alpha, confidence : float
    measured : str
        The metric and its direction.
    unit_note : str
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> table = {"item": [1, 2, 3] * 4, "model": list("AAAAAABBBBBB"), "prompt": list("xxxyyyxxxyyy"),
    ...          "score": [3, 5, 4, 4, 6, 5, 1, 3, 3, 2, 3, 4]}
    >>> found = bt.factors(table, system=["model", "prompt"])
    >>> [(row.term, row.level, round(row.effect, 2)) for row in found]
    [('model', 'A − B', 1.83), ('prompt', 'x − y', -0.83), ('model × prompt', 'A − B, x − y', -0.33)]
    """

    kind: ClassVar[str] = "factors"
    row_type: ClassVar[type] = FactorEffect

    terms: tuple[str, ...]
    term: tuple[str, ...]
    level: tuple[str, ...]
    effect: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray
    adjusted: FloatArray
    alpha: float
    confidence: float
    measured: str
    unit_note: str
    notes: tuple[str, ...]
    settings: Settings

    def pvalue_of(self, term: str) -> float:
        """Return the p-value of a term: the smallest corrected p-value of its effects."""
        return float(
            min(p for name, p in zip(self.term, self.adjusted.tolist(), strict=True) if name == term)
        )

    def __len__(self) -> int:
        return len(self.term)

    def _row(self, i: int) -> FactorEffect:
        return row_at(self, i, FactorEffect)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the effects, one row each."""
        names = ("effect", "low", "high", "pvalue", "adjusted")
        numbers = {name: getattr(self, name).tolist() for name in names}
        return {"term": self.term, "level": self.level, **numbers}

    def __repr__(self) -> str:
        return f"Factors({self.measured!r}, {', '.join(self.terms)})"
