"""PairwiseTable: every pair of systems with its effect, interval and p-value, and what moves votes besides the systems.

P-values are written in tables with four decimals, in sentences with their sign of equality, never as 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import Result, Rows, index_of, place_of
from betterthan.results.settings import Settings, undecidable_sentence, unit_line

SMALLEST_P = 1e-4


def pvalue(value: float | None, smallest: float = SMALLEST_P) -> str:
    """Return a p-value with four decimals, never as 0.

    Examples
    --------
    >>> pvalue(0.03127), pvalue(3e-9), pvalue(1.0)
    ('0.0313', '<0.0001', '1.0000')
    """
    if value is None or math.isnan(value):
        return "–"
    return f"<{smallest:.4f}" if value < smallest else f"{value:.4f}"


def equals_p(p: float) -> str:
    """Return a p-value as it stands in a sentence.

    Examples
    --------
    >>> equals_p(0.0312), equals_p(1e-9), equals_p(1.0)
    ('p = 0.0312', 'p < 0.0001', 'p = 1')
    """
    if p < SMALLEST_P:
        return f"p < {SMALLEST_P:.4f}"
    return "p = 1" if round(p, 4) == 1 else f"p = {p:.4f}"


def small_pvalue(p: float) -> str:
    """Write a p-value in a small cell, and never as 0 or 1 when it is neither.

    Examples
    --------
    >>> small_pvalue(0.0004), small_pvalue(0.004), small_pvalue(0.13), small_pvalue(0.998), small_pvalue(1.0)
    ('<.001', '.004', '.13', '>.99', '1')
    """
    if p < 0.001:
        return "<.001"
    if 0.995 <= p < 1:
        return ">.99"
    return "1" if p >= 1 else f"{p:.{3 if p < 0.01 else 2}f}".removeprefix("0")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Effects:
    """Effects of covariates on the odds that the left system wins.

    Attributes
    ----------
    names : tuple of str
    log_odds, low, high : array, shape (c,)
        Change of the log odds per standard deviation of the covariate, with its interval.
    pvalue : array, shape (c,)
        Two-sided, of no effect.

    Examples
    --------
    >>> import betterthan as bt
    >>> battles = {"left": ["X", "Y"] * 8, "right": ["Y", "X"] * 8, "winner": ["X", "Y", "Y", "X"] * 4,
    ...            "longer": [2, 1, -1, -2, -1, 2, 1, -1] * 2}
    >>> effects = bt.rank(bt.read_matches(battles, covariates=["longer"])).effects
    >>> effects.names, bool(effects.log_odds[0] > effects.low[0])
    (('longer',), True)
    """

    names: tuple[str, ...]
    log_odds: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per covariate."""
        numbers = {name: getattr(self, name).tolist() for name in ("log_odds", "low", "high", "pvalue")}
        return {"covariate": self.names, **numbers}


@dataclass(frozen=True, slots=True, kw_only=True)
class SideEffect:
    """Whether being shown on the left changes the odds of winning.

    Attributes
    ----------
    left_wins, right_wins : float
        Decided battles.
    log_odds, low, high : float
        Change of the log odds for the system on the left, with its interval.
    pvalue : float
        Two-sided, of no effect.

    Examples
    --------
    >>> import betterthan as bt
    >>> battles = {"left": ["A", "B"] * 30, "right": ["B", "A"] * 30, "winner": ["left"] * 40 + ["right"] * 20}
    >>> side = bt.rank(battles).side
    >>> side.left_wins, round(side.log_odds, 2), side.pvalue < 0.05
    (40.0, 0.67, True)
    """

    left_wins: float
    right_wins: float
    log_odds: float
    low: float
    high: float
    pvalue: float


WIN_PROBABILITY = "P(row beats column)"
"""The name of the effect where effects are probabilities of winning."""
MEAN_DIFFERENCE = "difference of means"
"""The name of the effect where effects are differences of means."""
P_METHODS = (
    "bound",
    "inversion",
    "exact",
    "certified",
    "permutations",
    "bootstrap",
    "formula",
    "extrapolation",
)
NUMBERS = ("effect", "low", "high", "size", "wins", "ties", "losses", "pvalue", "adjusted", "p_low", "p_high")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One pair of systems, seen from `a`.

    Attributes
    ----------
    a, b : str
    effect, low, high : float
        How much better a is than b, with its confidence interval; NaN where there is none.
    size : float
        Standardized effect.
    wins, ties, losses : float
        Segments (or matches) in which a is better, equal, worse.
    pvalue, adjusted : float
        Before and after the correction for multiple comparisons.
    p_low, p_high : float
        Bounds of the p-value; equal to it when it is exact, or when its error is unknown. For resampling this is the
        95% confidence interval of the p-value over all resamples.
    p_method : str
        How the p-value was computed:

        * "exact": every outcome was counted.
        * "certified": the exact p-value certainly lies between `p_low` and `p_high`.
        * "inversion": numerically, with the estimated error given by `p_low` and `p_high`.
        * "bound": so small that only an upper bound is given.
        * "permutations", "bootstrap": by resampling.
        * "extrapolation": smaller than resampling can resolve; from the linearized score, within a factor of about two.
        * "formula": from a reference distribution such as Student's t.
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
    p_method: str
    verdict: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PairwiseTable(Rows[Pair], Result):
    """All pairs; matrices are systems × systems and entry [a, b] compares a with b.

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
    p_method : array of int, shape (m, m)
        How each p-value was computed: an index into ``P_METHODS``, see :class:`Pair`.
    units : {"segments", "groups", "matches", "clusters"}
        The unit of the test.
    n_units : int
    unit_note : str
        Note on the unit, where documents, judges or questions are known; otherwise empty.
    least : float
        The smallest adjusted p-value that the design could have given; above `alpha` no pair could be significant.
    alpha : float
        Significance level.
    confidence : float
        Confidence level of the intervals.
    measured : str
        The metric and its direction, such as "COMET, higher is better"; empty for battles.
    simultaneous : bool
        Whether the intervals are simultaneous; otherwise pointwise.
    both_right : array, shape (m, m), or None
        For scores of 0 and 1 only: number of segments on which both systems are right; on all other ties both are
        wrong. None for other scores.
    tie_policy : {"", "drop", "half", "davidson", "rao_kupper", "as_published"}
        How ties enter probabilities of winning; empty for other effects.

    Examples
    --------
    >>> import betterthan as bt
    >>> pairs = bt.compare(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0], "C": [0.0, 1.0, 0.0]}))
    >>> round(pairs["B", "A"].effect, 2), [(pair.a, pair.b) for pair in pairs]
    (-1.0, [('A', 'B'), ('A', 'C'), ('B', 'C')])
    >>> [pair.b for pair in pairs["B"]], "C" in pairs, ("A", "D") in pairs
    (['A', 'C'], True, False)
    """

    kind: ClassVar[str] = "pairwise"
    row_type: ClassVar[type] = Pair

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
    p_method: IntArray
    units: str = "segments"
    n_units: int = 0
    unit_note: str = ""
    least: float = 0.0
    simultaneous: bool = False
    measured: str = ""
    both_right: FloatArray | None = None
    tie_policy: str = ""

    def pair(self, a: str, b: str) -> Pair:
        """Return the comparison of `a` with `b`, seen from `a`."""
        i, j = self._index(a), self._index(b)
        numbers = {name: float(getattr(self, name)[i, j]) for name in NUMBERS}
        sign = 0.0 if i == j else float(self._verdicts((i, j)))
        verdict = None if sign == 0 else self.systems[i if sign > 0 else j]
        return Pair(a=a, b=b, **numbers, p_method=P_METHODS[self.p_method[i, j]], verdict=verdict)

    def pairs(self, most: int | None = None) -> list[Pair]:
        """Return every pair once, the better-placed system first; at most `most` pairs, of the best systems."""
        rows, columns = np.triu_indices(len(self.systems), k=1)
        return list(self._pairs_at(rows[:most], columns[:most]))

    def __len__(self) -> int:
        return len(self.systems) * (len(self.systems) - 1) // 2

    def __iter__(self) -> Iterator[Pair]:
        m = len(self.systems)
        for i in range(m):  # row by row: 3,000 systems have millions of pairs
            yield from self._pairs_at(np.full(m - i - 1, i), np.arange(i + 1, m))

    def _row(self, i: int) -> Pair:
        rows, columns = np.triu_indices(len(self.systems), k=1)
        return self.pair(self.systems[rows[i]], self.systems[columns[i]])

    def __contains__(self, names: object) -> bool:
        if isinstance(names, tuple):
            return len(names) == 2 and names[0] != names[1] and all(name in self.systems for name in names)
        return isinstance(names, str) and names in self.systems

    @overload
    def __getitem__(self, key: int | tuple[str, str]) -> Pair: ...

    @overload
    def __getitem__(self, key: str) -> tuple[Pair, ...]: ...

    def __getitem__(self, key: int | str | tuple[str, str]) -> Pair | tuple[Pair, ...]:
        """Return a pair by the names of its systems or by its position; by one name, all pairs of that system."""
        if isinstance(key, tuple):
            return self.pair(*key)
        if isinstance(key, str):
            i, others = self._index(key), np.arange(len(self.systems))
            return tuple(self._pairs_at(np.full(len(others) - 1, i), others[others != i]))
        return self._row(place_of(key, len(self)))

    def _pairs_at(self, rows: IntArray, columns: IntArray) -> Iterator[Pair]:
        table = self._columns((rows, columns))
        return (Pair(**dict(zip(table, cells, strict=True))) for cells in zip(*table.values(), strict=True))

    def better(self) -> BoolArray:
        """Return systems × systems, entry [a, b] whether the pair's verdict is that a is better than b."""
        speaks = np.triu(self._verdicts(), 1)
        return np.asarray((speaks > 0) | (speaks.T < 0))

    @property
    def is_decidable(self) -> bool:
        """Whether any outcome of this design could have been significant at alpha after the correction."""
        return self.least <= self.alpha

    @property
    def unit_line(self) -> str:
        """Note on the unit and how to change it; empty where there is no choice."""
        missing = self.settings.options.get("missing")
        return unit_line(self.unit_note, self.units, test=self.test, missing=missing)

    @property
    def is_probability(self) -> bool:
        """Whether effects are probabilities of winning, with 0.5 for no difference."""
        return self.effect_name == WIN_PROBABILITY

    @property
    def is_mean_difference(self) -> bool:
        """Whether effects are differences of means."""
        return self.effect_name == MEAN_DIFFERENCE

    @property
    def undecidable(self) -> str:
        """Explanation if no pair could have been significant; otherwise empty."""
        return undecidable_sentence(self.alpha, self.units, self.n_units, self.least)

    @property
    def unmet(self) -> str:
        """Note on pairs of systems that never met; otherwise empty."""
        if self.units not in ("matches", "clusters"):
            return ""
        never = np.argwhere(np.triu(self.wins + self.ties + self.losses == 0, 1))
        if not never.size:
            return ""
        first, second = (self.systems[int(i)] for i in never[0])
        who = f"{first} and {second} never met"
        if len(never) > 1:
            total = len(self.systems) * (len(self.systems) - 1) // 2
            who = f"{len(never):,} of {total:,} pairs never met, such as {first} and {second}"
        return f"{who}: their comparison relies on the model and on common opponents, direct or indirect."

    @property
    def n_different(self) -> int:
        """Number of pairs that are significantly different at alpha after the correction."""
        return int(np.count_nonzero(np.triu(self._verdicts(), 1)))

    def _index(self, name: str) -> int:
        return index_of(name, self.systems, "system")

    def _verdicts(self, at: Any = ...) -> FloatArray:  # noqa: ANN401  (any index of a matrix)
        """Return, for all pairs or those `at`, 1 where a significant test favors the row, -1 the column, else 0."""
        if self.alternative != "two-sided":
            gain = np.full(self.effect[at].shape, 1.0 if self.alternative == "greater" else -1.0)
        elif self.test == "wilcoxon":
            gain = self.size[
                at
            ]  # the test is by ranks; the median difference may be 0 or have the other sign
        else:
            gain = self.effect[at] - (0.5 if self.is_probability else 0.0)
        with np.errstate(invalid="ignore"):
            return np.where(self.adjusted[at] <= self.alpha, np.sign(gain), 0.0)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per pair, the better-placed system first."""
        return self._columns(np.triu_indices(len(self.systems), k=1))

    def _columns(self, at: tuple[IntArray, IntArray]) -> dict[str, Sequence[Any]]:
        first, second = (places.tolist() for places in at)
        named = zip(self._verdicts(at).tolist(), first, second, strict=True)
        return {
            "a": [self.systems[i] for i in first],
            "b": [self.systems[j] for j in second],
            **{name: getattr(self, name)[at].tolist() for name in NUMBERS},
            "p_method": [P_METHODS[code] for code in self.p_method[at].tolist()],
            "verdict": [None if sign == 0 else self.systems[i if sign > 0 else j] for sign, i, j in named],
        }

    def __repr__(self) -> str:
        m = len(self.systems)
        different = (
            f"{self.n_different:,} of {m * (m - 1) // 2:,} pairs significantly different at {self.alpha:g}"
        )
        return f"PairwiseTable({self.test} test, {self.correction}, {different})"
