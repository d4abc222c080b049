"""Plan: how much data a comparison needs, and what a given amount can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.rows import Rows, row_at
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
