"""Plan: how much data is enough. Gate: may a candidate ship. Watch: evidence that may be looked at any time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import Result, Rows, row_at
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedDifference:
    """One difference of a plan; its fields are those of :class:`Plan`."""

    difference: float
    needed: float
    low: float
    high: float
    power_here: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Plan(Rows[PlannedDifference], Result):
    """How much data is needed to show each of several true differences between two systems.

    Attributes
    ----------
    comparison : str
        What is compared: "scores", "right or wrong", "corpus scores", "runs", "judgments", "battles" or "human labels
        beside a judge".
    unit : str
        What is counted, in the plural: "items", "documents", "battles", …
    unit_size : float
        Segments of a document; otherwise 1.
    difference : array, shape (k,)
        True differences, ascending. For battles the probability of a win less one half.
    needed : array, shape (k,)
        Units with which each is significant with probability `power`; infinite where no number is enough.
    low, high : array, shape (k,)
        What the uncertainty of the pilot leaves possible; NaN without a pilot.
    number : int or None
        The units that there are, or those of the pilot.
    power_here : array, shape (k,)
        Power of `number` units; NaN without a number.
    least, least_low, least_high : float
        The least difference that `number` units show with probability `power`, and its range; NaN where there is none.
    power, alpha : float
    alternative : str
    n_systems : int
        Systems that are compared; p-values of all their pairs are corrected.
    level : float
        The level of a single test after correction.
    assumptions : dict of str to float
        What the power depends on, given or estimated.
    pilot_number : int or None
        Units of the pilot; None without one.
    measured : str
        The metric of the pilot and its direction; empty without one.
    pair : tuple of str
        The two systems of the pilot that are planned for; empty for typical ones.
    confidence : float
        Of the ranges.
    curve_number : array of int, shape (c,)
        Numbers of units, ascending, for a chart.
    curve_power : array, shape (k, c)
        Power of each difference.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan(discordance=0.1, difference=[0.01, 0.05])
    >>> [(row.difference, row.needed) for row in found]
    [(0.01, 8032.0), (0.05, 337.0)]
    """

    kind: ClassVar[str] = "plan"
    row_type: ClassVar[type] = PlannedDifference

    comparison: str
    unit: str
    unit_size: float
    difference: FloatArray
    needed: FloatArray
    low: FloatArray
    high: FloatArray
    number: int | None
    power_here: FloatArray
    least: float
    least_low: float
    least_high: float
    power: float
    alpha: float
    alternative: str
    n_systems: int
    level: float
    assumptions: dict[str, float]
    pilot_number: int | None
    measured: str
    pair: tuple[str, ...]
    confidence: float
    curve_number: IntArray
    curve_power: FloatArray
    notes: tuple[str, ...]
    settings: Settings

    @property
    def has_pilot(self) -> bool:
        """Whether the numbers come from a pilot and have ranges."""
        return self.pilot_number is not None

    @property
    def n_pairs(self) -> int:
        """Number of pairs of systems."""
        return math.comb(self.n_systems, 2)

    def __len__(self) -> int:
        return len(self.difference)

    def _row(self, i: int) -> PlannedDifference:
        return row_at(self, i, PlannedDifference)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the differences, one row each."""
        names = ("difference", "needed", "low", "high", "power_here")
        return {name: getattr(self, name).tolist() for name in names}

    def __repr__(self) -> str:
        return f"Plan({self.comparison}, {len(self)} differences)"


PASSING = ("better", "equivalent", "pass")
EXIT_CODES = {"fail": 1, "undecided": 3}
"""Of verdicts; 0 for all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow:
    """One metric, or one slice of it; its fields are those of :class:`Gate`."""

    metric: str
    slice: str
    margin: float
    is_required: bool
    baseline_score: float
    candidate_score: float
    effect: float
    low: float
    high: float
    pvalue: float
    adjusted: float
    verdict: str
    n_units: int
    unit: str
    needed: float
    needed_if_equal: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstItem:
    """An item on which the candidate is much worse than the baseline.

    Attributes
    ----------
    metric, item : str
    baseline_score, candidate_score : float
    loss : float
        How much worse the candidate is.
    """

    metric: str
    item: str
    baseline_score: float
    candidate_score: float
    loss: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Gate(Rows[GateRow], Result):
    """Whether a candidate is shown not to be worse than a baseline by more than a margin.

    Attributes
    ----------
    baseline, candidate : str
        The two systems.
    verdict : {"better", "equivalent", "pass", "fail", "undecided"}
        Of all rows together; see :func:`betterthan.gate`.
    metric : tuple of str
        The metric of each row.
    slice : tuple of str
        Which part of the items, such as "topic = law"; empty for all items.
    margin : array, shape (k,)
        How much worse the candidate may be.
    is_required : array of bool, shape (k,)
        Whether the row must be shown to be within its margin; slices only must not fail.
    baseline_score, candidate_score : array, shape (k,)
        Means, corpus scores, or probabilities of a win between the two.
    effect, low, high : array, shape (k,)
        How much better the candidate is, with its confidence interval; negative where it is worse, also for metrics
        where lower is better.
    pvalue, adjusted : array, shape (k,)
        Of no difference, two-sided, before and after Holm's correction over all rows.
    verdicts : tuple of str
        Of each row.
    n_units : array of int, shape (k,)
        Items, documents or battles.
    unit : tuple of str
        What they are, in the plural.
    needed : array, shape (k,)
        Units with which an undecided row is decided with probability `power` if the difference is the observed one;
        infinite where no number is enough, NaN where that is unknown or nothing is open.
    needed_if_equal : array, shape (k,)
        The same if the two are equally good.
    worst : tuple of WorstItem
        Items with the largest losses of each metric, the largest first.
    measured : tuple of str
        Each metric and its direction.
    alpha : float
        Each error (a pass of a candidate that is worse by more than the margin, a failure of one that is not worse) has
        a probability of at most half of it.
    power : float
    undecided : {"", "pass", "fail"}
        What an undecided gate counts as; empty for neither.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.gate([5, 6, 5, 7, 6, 5, 6, 7], [6, 8, 6, 8, 7, 7, 7, 8], margin=0.5)
    >>> found.verdict, found.exit_code, found[0].verdict
    ('better', 0, 'better')
    """

    kind: ClassVar[str] = "gate"
    row_type: ClassVar[type] = GateRow

    baseline: str
    candidate: str
    verdict: str
    metric: tuple[str, ...]
    slice: tuple[str, ...]
    margin: FloatArray
    is_required: BoolArray
    baseline_score: FloatArray
    candidate_score: FloatArray
    effect: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray
    adjusted: FloatArray
    verdicts: tuple[str, ...]
    n_units: IntArray
    unit: tuple[str, ...]
    needed: FloatArray
    needed_if_equal: FloatArray
    worst: tuple[WorstItem, ...]
    measured: tuple[str, ...]
    alpha: float
    power: float
    undecided: str
    notes: tuple[str, ...]
    settings: Settings

    @property
    def passed(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """0 for a pass, 1 for a failure, 3 where it is undecided and neither `undecided` policy was chosen."""
        counted = (self.undecided or "undecided") if self.verdict == "undecided" else self.verdict
        return EXIT_CODES.get(counted, 0)

    @property
    def confidence(self) -> float:
        """Confidence level of the intervals."""
        return 1 - self.alpha

    def __len__(self) -> int:
        return len(self.metric)

    def _row(self, i: int) -> GateRow:
        return row_at(self, i, GateRow, verdict=self.verdicts[i])

    def more(self, i: int) -> float:
        """Return how many units more would decide row `i` if the difference is the observed one; NaN if unknown."""
        return math.nan if math.isnan(self.needed[i]) else max(1.0, float(self.needed[i] - self.n_units[i]))

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the rows, one for each metric and slice."""
        rows = list(self)
        return {name: [getattr(row, name) for row in rows] for name in GateRow.__dataclass_fields__}

    def __repr__(self) -> str:
        return f"Gate({self.candidate} against {self.baseline}: {self.verdict})"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedPair:
    """One pair of systems; its fields are those of :class:`Watch`."""

    a: str
    b: str
    n: int
    difference: float
    low: float
    high: float
    log_e: float
    adjusted_log_e: float
    verdict: str
    decided_at: int
    more: float
    more_low: float
    more_high: float
    ask: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Watch(Rows[WatchedPair], Result):
    """Whether the data are enough to decide, for every pair of systems, and about how many more would be.

    Attributes
    ----------
    a, b : tuple of str, length p
        The two systems of each pair.
    n : array of int, shape (p,)
        Units of each pair.
    difference : array, shape (p,)
        How much better a is than b: difference of means, or of battles the probability of a win less one half.
    low, high : array, shape (p,)
        Its confidence limits, which hold at all looks together; of each pair by itself.
    log_e : array, shape (p,)
        Natural logarithm of the e-value against no difference, or against the hypothesis of `alternative` and `margin`.
    adjusted_log_e : array, shape (p,)
        The same after adjustment for the number of pairs.
    verdict : tuple of str, length p
        The better system; with a margin "not worse" or "worse"; empty while undecided. A verdict that was reached
        at an earlier unit remains.
    decided_at : array of int, shape (p,)
        The unit, counted over all pairs, after which the verdict was reached; 0 while undecided.
    more, more_low, more_high : array, shape (p,)
        About how many more units of the pair would be enough if they are like those so far, and a range of 80%; 0 for
        decided pairs, infinite where there is no end in sight.
    systems : tuple of str
    unit : str
        What is counted, in the plural: "items", "documents", "battles" or "judges".
    n_units : int
        Units of all pairs together.
    comparison : str
        "scores", "right or wrong" or "battles".
    measured : str
        The metric and its direction; empty for battles.
    null : str
        Which hypothesis the e-values test: "mean" or "symmetric".
    alternative : str
    alpha : float
    margin : float
        The candidate may be worse by less than this; NaN without a margin.
    expected : float
        The difference the bets are tuned for; NaN where none was given.
    horizon : int or None
        The planned maximum number of units of a pair.
    ask : array of int, shape (p,)
        How many of the next battles each pair should have; 0 without `top`.
    top : tuple of str
        The systems that are best so far, where as many were wanted; otherwise empty.
    misplaced : float
        Expected number of pairs of systems on the wrong sides of the last of them; NaN without `top`.
    curve_unit : array of int, shape (c,)
        Numbers of units, ascending, for a chart.
    curve_log_e : array, shape (p, c)
        The logarithm of each pair's e-value after them.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.watch({"A": [1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1], "B": [0] * 12})
    >>> found[0].verdict, found.is_enough
    ('A', True)
    """

    kind: ClassVar[str] = "watch"
    row_type: ClassVar[type] = WatchedPair

    a: tuple[str, ...]
    b: tuple[str, ...]
    n: IntArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    log_e: FloatArray
    adjusted_log_e: FloatArray
    verdict: tuple[str, ...]
    decided_at: IntArray
    more: FloatArray
    more_low: FloatArray
    more_high: FloatArray
    systems: tuple[str, ...]
    unit: str
    n_units: int
    comparison: str
    measured: str
    null: str
    alternative: str
    alpha: float
    margin: float
    expected: float
    horizon: int | None
    ask: IntArray
    top: tuple[str, ...]
    misplaced: float
    curve_unit: IntArray
    curve_log_e: FloatArray
    notes: tuple[str, ...]
    settings: Settings

    @property
    def is_enough(self) -> bool:
        """Whether every pair is decided."""
        return all(self.verdict)

    @property
    def is_over(self) -> bool:
        """Whether every pair is decided or has reached the horizon."""
        done = [
            bool(verdict) or (self.horizon is not None and n >= self.horizon)
            for verdict, n in zip(self.verdict, self.n.tolist(), strict=True)
        ]
        return all(done)

    @property
    def has_margin(self) -> bool:
        """Whether a candidate is compared with a baseline less a margin."""
        return not math.isnan(self.margin)

    @property
    def n_decided(self) -> int:
        """Number of pairs with a verdict."""
        return sum(map(bool, self.verdict))

    def __len__(self) -> int:
        return len(self.a)

    def _row(self, i: int) -> WatchedPair:
        return row_at(self, i, WatchedPair)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the pairs, one row each."""
        names = ("n", "difference", "low", "high", "log_e", "adjusted_log_e")
        more = ("decided_at", "more", "more_low", "more_high", "ask")
        return {
            "a": list(self.a),
            "b": list(self.b),
            **{name: getattr(self, name).tolist() for name in names},
            "verdict": list(self.verdict),
            **{name: getattr(self, name).tolist() for name in more},
        }

    def __repr__(self) -> str:
        return f"Watch({self.n_decided} of {len(self)} pairs decided after {self.n_units:,} {self.unit})"
