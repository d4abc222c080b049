"""Trade-offs: the same systems by several metrics, and the Pareto front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.rows import Rows, index_of
from betterthan.results.settings import Settings


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
