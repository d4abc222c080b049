"""Input and output of a significance test of all pairs."""

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
    """Request to test all pairs of systems.

    Attributes
    ----------
    goodness : array, shape (m, n)
        Higher is better; NaN where a score is missing.
    resampling : Resampling
        With the units that are permuted or resampled; seed and number are for tests that resample.
    alternative : {"two-sided", "greater", "less"}
    ties : {"drop", "half", "as_published"}
        For the sign test.
    method : {"auto", "exact", "bracket", "monte_carlo", "analytic"}
        For the permutation test.
    alpha : float
    correction : str
        The rule for verdicts: p-values near that threshold are computed more precisely.
    only_verdicts : bool
        Whether only verdicts will be used: p-values far from any threshold may then be replaced by their bounds.
    """

    goodness: FloatArray
    resampling: Resampling
    alternative: Alternative
    ties: TestTies
    method: PermutationMethod
    alpha: float = 0.05
    correction: str = "none"
    only_verdicts: bool = False

    @property
    def units(self) -> Units:
        """The units that are permuted or resampled."""
        return self.resampling.units

    @property
    def n_resamples(self) -> int:
        """Number of resamples, for tests that resample."""
        return self.resampling.n_resamples


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPValues:
    """P-values of all pairs, their bounds, and the method of each.

    Attributes
    ----------
    pvalue : array, shape (m, m)
        NaN on the diagonal.
    p_low, p_high : array, shape (m, m), optional
        Bounds of the exact p-value; the p-value itself by default.
    p_method : array of int, shape (m, m), optional
        How each p-value was computed, an index into :data:`betterthan.results.pairwise.P_METHODS`; by formula by
        default.
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
    """A significance test for all pairs, and the effect that it tests.

    Attributes
    ----------
    name : str
    run : callable
        From a PairRequest to PairPValues.
    effect : str
        Key of the effect that is tested, in :data:`betterthan.analysis.pairs.effects.EFFECTS`.
    takes_groups : bool
        Whether it supports documents as units.
    is_resampled : bool
        Whether its p-values are bounded below by one over the number of resamples, so that none may survive Holm's
        correction.
    """

    name: str
    run: Callable[[PairRequest], PairPValues]
    effect: str
    takes_groups: bool = False
    is_resampled: bool = False
