"""Calibration: which tests and intervals hold on data like these. Multiverse: what every defensible analysis says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import NamedRows, Result, Rows, row_at
from betterthan.results.settings import Settings

NO_FAULT = "no fault found"
NOT_ABOUT_MEANS = "not a test of means"
NEVER = "never significant"
REJECTS = "rejects too often"
COVERS = "covers too little"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedMethod:
    """One method of a calibration; its fields are those of :class:`Calibration`."""

    method: str
    size_swapped: float
    size_equal: float
    power: float
    coverage_swapped: float
    coverage_equal: float
    coverage_effect: float
    width: float
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Calibration(NamedRows[CalibratedMethod], Result):
    """How often tests are significant and intervals contain the truth on simulated tables like the user's own.

    Attributes
    ----------
    methods : tuple of str
        * "permutation": the sign-flip test and the interval that :func:`betterthan.compare` uses by default.
        * "t": the paired t-test and Student's interval; by documents both clustered.
        * "bootstrap": the studentized bootstrap test and interval.
        * "bca", "percentile": bootstrap intervals.
        * "sacrebleu": the bootstrap p-value as sacreBLEU computes it.
        * "wilcoxon", "sign", "mood": tests of other hypotheses than equal means.
    size_swapped, size_equal : array, shape (k,)
        Share of tables in which the test is significant although the systems do not differ: because they were
        swapped at random, or because units were drawn so that both means are equal. NaN for what is no test.
    power : array, shape (k,)
        Share of tables with a true difference in which the test is significant in its direction.
    coverage_swapped, coverage_equal, coverage_effect : array, shape (k,)
        Share of tables whose interval contains the true difference. NaN for what has no interval.
    width : array, shape (k,)
        Median width of the intervals, with a true difference.
    verdict : tuple of str
        "no fault found" (in this number of tables), "not a test of means", or what fails: "never significant",
        "rejects too often", "covers too little".
    recommended_test, recommended_interval : str
        Methods; empty where none holds.
    n_swapped, n_equal, n_effect : int
        Number of tables of each kind; 0 where none can be made.
    difference : float
        True mean difference of the tables with one; the mean of the observed ones unless it was chosen.
    is_observed : bool
        Whether that is what was observed.
    systems : tuple of str
    n_pairs, n_pairs_equal : int
        Pairs that tables were made from, and those for which equal means are possible.
    alpha, confidence : float
    units : str
        "segments" or "groups".
    n_units, n_segments : int
    is_right_wrong : bool
        Whether the scores have two values only.
    measured : str
        The metric and its direction.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.calibrate({"A": [1, 4, 2, 6, 3, 8, 5, 9], "B": [2, 3, 1, 4, 3, 7, 6, 6]}, n_resamples=200)
    >>> found["permutation"].verdict
    'no fault found'
    """

    kind: ClassVar[str] = "calibration"
    row_type: ClassVar[type] = CalibratedMethod
    row_noun: ClassVar[str] = "method"
    row_field: ClassVar[str] = "methods"

    methods: tuple[str, ...]
    size_swapped: FloatArray
    size_equal: FloatArray
    power: FloatArray
    coverage_swapped: FloatArray
    coverage_equal: FloatArray
    coverage_effect: FloatArray
    width: FloatArray
    verdict: tuple[str, ...]
    recommended_test: str
    recommended_interval: str
    n_swapped: int
    n_equal: int
    n_effect: int
    difference: float
    is_observed: bool
    systems: tuple[str, ...]
    n_pairs: int
    n_pairs_equal: int
    alpha: float
    confidence: float
    units: str
    n_units: int
    n_segments: int
    is_right_wrong: bool
    measured: str
    notes: tuple[str, ...]
    settings: Settings

    @property
    def failing(self) -> tuple[str, ...]:
        """The methods that reject too often or cover too little."""
        fails = (REJECTS, COVERS)
        return tuple(
            method
            for method, verdict in zip(self.methods, self.verdict, strict=True)
            if any(each in verdict for each in fails)
        )

    def error(self, share: float, n: int) -> float:
        """Return the Monte Carlo standard error of a share of n tables."""
        return math.sqrt(share * (1 - share) / n) if n else math.nan

    def _row(self, i: int) -> CalibratedMethod:
        return row_at(self, i, CalibratedMethod, method=self.methods[i])

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the methods, one row each, with their shares."""
        names = (
            "size_swapped",
            "size_equal",
            "power",
            "coverage_swapped",
            "coverage_equal",
            "coverage_effect",
        )
        return {
            "method": list(self.methods),
            **{name: getattr(self, name).tolist() for name in (*names, "width")},
            "verdict": list(self.verdict),
        }

    def __repr__(self) -> str:
        return f"Calibration({len(self.methods)} methods, {len(self.failing)} fail)"


SUPPORTED, SAME, EQUAL, OPPOSITE, CONTRADICTED = (
    "supported",
    "same direction",
    "equal",
    "opposite direction",
    "contradicted",
)
CHOICES = ("metric", "items", "compared", "unit", "aggregation", "test", "ties", "correction")
"""What is chosen in an analysis, in the order in which it is chosen; names of the fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """One analysis of a multiverse; its fields are those of :class:`Multiverse`."""

    metric: str
    items: str
    compared: str
    unit: str
    aggregation: str
    test: str
    ties: str
    correction: str
    effect: float
    pvalue: float
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenOption:
    """All analyses with one option of one choice.

    Attributes
    ----------
    choice, option : str
    n : int
        Number of analyses.
    supported, ahead, behind, contradicted : float
        Shares of these.
    """

    choice: str
    option: str
    n: int
    supported: float
    ahead: float
    behind: float
    contradicted: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Multiverse(Rows[Analysis], Result):
    """Every defensible analysis of one claim, and whether it supports the claim.

    Attributes
    ----------
    claim : str
        Such as "A > B" or "A is best".
    system : str
        The one that is claimed to be better.
    others : tuple of str
        Than these.
    metric, items, compared, unit, aggregation, test, ties, correction : tuple of str
        What each analysis chose; see :func:`betterthan.multiverse`.
    effect : array, shape (k,)
        How much better the system is than the nearest of the others, in the unit of the aggregation; negative if worse.
    pvalue : array, shape (k,)
        Two-sided and corrected; of several others the largest.
    direction : array of int, shape (k,)
        1 where the system is better than all others, -1 where one of them is better, 0 where they are equal.
    outcome : tuple of str
        "supported" (better and significant), "same direction", "equal", "opposite direction" or "contradicted" (another
        system is significantly better).
    alpha : float
    n_impossible : int
        Analyses left out because they have no answer on these data.
    systems : tuple of str
    n_segments : int
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = {"A": [3, 5, 4, 6, 5, 7, 8, 5], "B": [2, 3, 3, 3, 4, 5, 6, 4]}
    >>> found = bt.multiverse("A > B", scores)
    >>> found.share("supported"), found[0].aggregation, found[0].test
    (0.9, 'mean', 'permutation')
    """

    kind: ClassVar[str] = "multiverse"
    row_type: ClassVar[type] = Analysis

    claim: str
    system: str
    others: tuple[str, ...]
    metric: tuple[str, ...]
    items: tuple[str, ...]
    compared: tuple[str, ...]
    unit: tuple[str, ...]
    aggregation: tuple[str, ...]
    test: tuple[str, ...]
    ties: tuple[str, ...]
    correction: tuple[str, ...]
    effect: FloatArray
    pvalue: FloatArray
    direction: IntArray
    outcome: tuple[str, ...]
    alpha: float
    n_impossible: int
    systems: tuple[str, ...]
    n_segments: int
    notes: tuple[str, ...]
    settings: Settings

    def __len__(self) -> int:
        return len(self.outcome)

    def share(self, *outcomes: str) -> float:
        """Return the share of analyses with one of these outcomes."""
        return sum(outcome in outcomes for outcome in self.outcome) / len(self)

    def options(self) -> tuple[ChosenOption, ...]:
        """Return what each option of each choice leads to, the most influential choice first.

        The influence of a choice is how much the share of supporting analyses varies between its options, then that of
        analyses in which the system is ahead. Choices with a single option are left out.
        """
        found = [options for choice in CHOICES if len(options := self._options_of(choice)) > 1]
        return tuple(option for options in sorted(found, key=influence, reverse=True) for option in options)

    def _options_of(self, choice: str) -> tuple[ChosenOption, ...]:
        values = getattr(self, choice)
        if choice == "test":  # a test belongs to an aggregation
            values = [f"{of}, {test}" for of, test in zip(self.aggregation, self.test, strict=True)]
        chosen = np.array(values)
        return tuple(
            self._of_option(choice, option, chosen == option)
            for option in dict.fromkeys(chosen.tolist())
            if option
        )

    def _of_option(self, choice: str, option: str, here: BoolArray) -> ChosenOption:
        outcome = np.array(self.outcome)[here]
        direction = self.direction[here]
        return ChosenOption(
            choice=choice,
            option=option,
            n=int(here.sum()),
            supported=float(np.mean(outcome == SUPPORTED)),
            ahead=float(np.mean(direction > 0)),
            behind=float(np.mean(direction < 0)),
            contradicted=float(np.mean(outcome == CONTRADICTED)),
        )

    def _row(self, i: int) -> Analysis:
        return row_at(self, i, Analysis)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the analyses, one row each."""
        columns: dict[str, Sequence[Any]] = {name: list(getattr(self, name)) for name in CHOICES}
        return {
            **columns,
            "effect": self.effect.tolist(),
            "pvalue": self.pvalue.tolist(),
            "outcome": list(self.outcome),
        }

    def __repr__(self) -> str:
        return (
            f"Multiverse({self.claim!r}, {len(self)} analyses, {100 * self.share(SUPPORTED):.0f}% support it)"
        )


def influence(options: Sequence[ChosenOption]) -> tuple[float, float]:
    """Return how much the options of a choice differ in support, and in direction."""
    supported, ahead = ([getattr(each, name) for each in options] for name in ("supported", "ahead"))
    return max(supported) - min(supported), max(ahead) - min(ahead)
