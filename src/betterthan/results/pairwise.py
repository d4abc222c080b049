"""PairwiseTable: every pair of systems, its effect, and how sure we are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import unknown_name
from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One pair of systems, seen from `a`.

    Attributes
    ----------
    a, b : str
    effect, low, high : float
        How much better a is than b, with its interval; NaN limits where no interval is known.
    size : float
        Standardised effect.
    wins, ties, losses : float
        Segments (or matches) in which a is better, equal, worse.
    pvalue, adjusted : float
        Before and after the correction for many comparisons.
    p_low, p_high : float
        What the p-value surely lies between; equal to it when it is exact or not bracketed.
    verdict : str or None
        The better system when the adjusted p-value is at most alpha, else None: inconclusive.
    """

    a: str
    b: str
    effect: float
    low: float
    high: float
    size: float
    wins: float
    ties: float
    losses: float
    pvalue: float
    adjusted: float
    p_low: float
    p_high: float
    verdict: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PairwiseTable(Result):
    """All pairs at once; matrices are systems × systems and entry [a, b] speaks of a against b.

    Attributes
    ----------
    systems : tuple of str
        Best first.
    test, alternative, correction : str
    effect_name, size_name : str
    effect, low, high, size : array, shape (m, m)
        ``effect[a, b] == -effect[b, a]``, or for probabilities the two sum to 1.
    wins, ties, losses : array, shape (m, m)
    pvalue, adjusted, p_low, p_high : array, shape (m, m)
        NaN on the diagonal.
    alpha : float
        Level of the decisions.
    confidence : float
        Coverage of the intervals of the effects.
    """

    kind: ClassVar[str] = "pairwise"

    systems: tuple[str, ...]
    test: str
    alternative: str
    correction: str
    effect_name: str
    size_name: str
    effect: FloatArray
    low: FloatArray
    high: FloatArray
    size: FloatArray
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray
    pvalue: FloatArray
    adjusted: FloatArray
    p_low: FloatArray
    p_high: FloatArray
    alpha: float
    confidence: float
    notes: tuple[str, ...]
    settings: Settings

    def pair(self, a: str, b: str) -> Pair:
        """Return the comparison of `a` with `b`, seen from `a`."""
        i, j = self._index(a), self._index(b)
        fields = (
            "effect",
            "low",
            "high",
            "size",
            "wins",
            "ties",
            "losses",
            "pvalue",
            "adjusted",
            "p_low",
            "p_high",
        )
        numbers = {name: float(getattr(self, name)[i, j]) for name in fields}
        return Pair(a=a, b=b, **numbers, verdict=self._verdict(i, j))

    def pairs(self) -> list[Pair]:
        """Return every pair once, the better-placed system first."""
        m = len(self.systems)
        return [self.pair(self.systems[i], self.systems[j]) for i in range(m) for j in range(i + 1, m)]

    @property
    def n_different(self) -> int:
        """How many pairs are told apart at alpha after the correction."""
        return sum(pair.verdict is not None for pair in self.pairs())

    def _index(self, name: str) -> int:
        if name not in self.systems:
            raise unknown_name("system", name, self.systems)
        return self.systems.index(name)

    def _verdict(self, i: int, j: int) -> str | None:
        if i == j or not self.adjusted[i, j] <= self.alpha:
            return None
        gain = self._gain(i, j)
        return None if gain == 0 else self.systems[i if gain > 0 else j]

    def _gain(self, i: int, j: int) -> float:
        """Positive where a significant test speaks for system i."""
        if self.alternative != "two-sided":
            return 1.0 if self.alternative == "greater" else -1.0
        if self.test == "wilcoxon":  # ranks decide; the median of differences may be 0 or point the other way
            return float(self.size[i, j])
        neutral = 0.5 if self.effect_name.startswith("P(") else 0.0
        return float(self.effect[i, j]) - neutral

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a pair, the better-placed system first."""
        pairs = self.pairs()
        names = [name for name in Pair.__dataclass_fields__ if name != "verdict"]
        table: dict[str, Sequence[Any]] = {name: [getattr(pair, name) for pair in pairs] for name in names}
        return {**table, "verdict": [pair.verdict or "" for pair in pairs]}

    def __repr__(self) -> str:
        m = len(self.systems)
        told = f"{self.n_different} of {m * (m - 1) // 2} pairs told apart at {self.alpha:g}"
        return f"PairwiseTable({self.test} test, {self.correction}, {told})"


def with_diagonal(matrix: FloatArray, value: float) -> FloatArray:
    """Return a copy of `matrix` with `value` on its diagonal."""
    result = np.array(matrix, dtype=np.float64)
    np.fill_diagonal(result, value)
    return result
