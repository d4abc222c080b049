"""Calibration: which tests and intervals hold on tables like the user's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray
from betterthan.results.base import Result
from betterthan.results.rows import NamedRows, row_at
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
