"""Watch: evidence about pairs of systems that may be looked at after every unit."""

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
