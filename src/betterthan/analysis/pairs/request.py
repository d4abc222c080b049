"""What a significance test of all pairs needs, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from betterthan.analysis.resampling import Resampling
from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.sign_flips.exact import Alternative

TestTies = Literal["drop", "half", "as_published"]
PermutationMethod = Literal["auto", "exact", "bracket", "monte_carlo", "analytic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRequest:
    """All pairs of systems, and how to test them.

    Attributes
    ----------
    goodness : array, shape (m, n)
        Higher is better; NaN where a score is missing.
    resampling : Resampling
        With the units that are permuted or drawn as one; seed and number are for the tests that draw.
    alternative : {"two-sided", "greater", "less"}
    ties : {"drop", "half", "as_published"}
        For the sign test.
    method : {"auto", "exact", "bracket", "monte_carlo", "analytic"}
        For the permutation test.
    alpha : float
    correction : str
        What the verdicts will rest on: p-values near that decision are found more precisely.
    """

    goodness: FloatArray
    resampling: Resampling
    alternative: Alternative
    ties: TestTies
    method: PermutationMethod
    alpha: float = 0.05
    correction: str = "none"

    @property
    def units(self) -> Units:
        """What is permuted or drawn as one."""
        return self.resampling.units

    @property
    def n_resamples(self) -> int:
        """Number of draws, for the tests that draw."""
        return self.resampling.n_resamples


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPValues:
    """p-values of all pairs, what is certain about them, and how they came about.

    Attributes
    ----------
    pvalue : array, shape (m, m)
        NaN on the diagonal.
    p_low, p_high : array, shape (m, m), optional
        What the exact p-value lies between; the p-value itself by default.
    p_method : array of int, shape (m, m), optional
        How each p-value was found, an index into :data:`betterthan.results.pairwise.P_METHODS`; by formula by default.
    stepped : array, shape (m, m), optional
        p-values adjusted by the test itself (maximum statistic).
    how : str
        For the signature: "exact", "bracket", "9999" …
    drew : bool
        Whether random numbers were used.
    notes : tuple of str
    """

    pvalue: FloatArray
    p_low: FloatArray | None = None
    p_high: FloatArray | None = None
    p_method: IntArray | None = None
    stepped: FloatArray | None = None
    how: str = "exact"
    drew: bool = False
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceTest:
    """A significance test for all pairs, and what it speaks about.

    Attributes
    ----------
    name : str
    run : callable
        From a PairRequest to PairPValues.
    effect : str
        Key of the effect that the test is about, in :data:`betterthan.analysis.pairs.effects.EFFECTS`.
    takes_groups : bool
        Whether documents can be its units.
    is_resampled : bool
        Whether its p-values have a floor of one in so many resamples, so that Holm's correction could erase them all.
    """

    name: str
    run: Callable[[PairRequest], PairPValues]
    effect: str
    takes_groups: bool = False
    is_resampled: bool = False
