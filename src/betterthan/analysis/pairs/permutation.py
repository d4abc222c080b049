"""The paired permutation test of all pairs, with an exact or certified p-value where the verdict depends on it.

Input and output of a significance test of all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from betterthan.analysis.resampling import Resampling
from betterthan.analysis.units import Units
from betterthan.arrays import BoolArray, FloatArray, IntArray, digest
from betterthan.engine.blocks import even_parts
from betterthan.errors import BetterThanError
from betterthan.kernels.compiled import load_compiler
from betterthan.kernels.sign_flips.all_pairs import (
    BOUND,
    CERTIFIED,
    EXACT,
    METHODS,
    MOST_ENUMERATED,
    PairTails,
    certain_tails,
    lattice_unit,
    needs_referee,
    pair_tails,
)
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.kernels.sign_flips.permutation import WORTH_COMPILING, add_one, permutation_block
from betterthan.kernels.sign_flips.screening import (
    MANY_FREQUENCIES,
    moment_ranges,
    saddlepoint_ranges,
    tilted_ranges,
)
from betterthan.kernels.sign_flips.step_down import StepDownFamily, family_of, max_statistic_block
from betterthan.kernels.significance.pvalues import pairs_matrix, rejected, step_down
from betterthan.messages import Message, Option

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


DIFFERENCES_IN_A_BLOCK = 1 << 24
REFEREED_IN_A_BLOCK = 64
WORTH_ENUMERATING_COMPILED = (
    1 << 23
)  # number of sums over half of the differences; with fewer, loading numba takes longer than the work
WORTH_SCREENING = 1000  # pairs
MOST_FOR_SADDLEPOINT = 256  # units; with more, an inversion takes no longer
PermutedData = TypeVar("PermutedData", FloatArray, StepDownFamily)


def permutation(request: PairRequest) -> PairPValues:
    """Test all pairs by the method that the request names.

    * "auto": every pair by :func:`~betterthan.kernels.sign_flips.all_pairs.pair_tails`; pairs whose second digit, or
      whose verdict after correction, is not settled by that are passed to an exact or certified method, the referee.
    * "analytic": the same without a referee.
    * "exact" and "bracket": every pair by the referee; "exact" raises where neither enumeration nor convolution is
      feasible.
    * "monte_carlo": random permutations, shared by all pairs.

    Where only verdicts are asked for, "auto" computes the p-values of those pairs only whose verdict after correction
    does not follow from the ranges of :mod:`betterthan.kernels.sign_flips.screening`; the verdicts are the same.
    """
    if request.method == "monte_carlo":
        return _sampled(request)
    goodness = request.units.summed(request.goodness)
    pairs = _SystemPairs.of(goodness)
    tails = _screened(pairs, request) if _can_be_screened(pairs, request) else _directed(pairs, request)
    return _answer(len(goodness), tails)


class _SystemPairs(NamedTuple):
    """Scores by unit, the pairs a < b, and the step of the scores."""

    goodness: FloatArray
    left: IntArray
    right: IntArray
    unit: float

    @classmethod
    def of(cls, goodness: FloatArray) -> _SystemPairs:
        left, right = np.triu_indices(len(goodness), 1)
        return cls(goodness, left, right, lattice_unit(goodness))


def _can_be_screened(pairs: _SystemPairs, request: PairRequest) -> bool:
    is_plain = request.method == "auto" and request.alternative == "two-sided"
    return (
        request.only_verdicts
        and is_plain
        and request.correction != "max_statistic"
        and pairs.left.size >= WORTH_SCREENING
    )


def _screened(pairs: _SystemPairs, request: PairRequest) -> _Directed:
    """Narrow the ranges of p-values until each verdict follows from them; each step is slower and more precise."""
    goodness, left, right, unit = pairs
    tails = moment_ranges(goodness, left, right)
    narrower: list[Callable[[FloatArray, IntArray, IntArray], PairTails]] = [saddlepoint_ranges]
    if unit == 0:
        narrower += [tilted_ranges, partial(tilted_ranges, frequencies=MANY_FREQUENCIES)]
    if goodness.shape[1] <= MOST_FOR_SADDLEPOINT:
        for ranges in narrower:
            rows = np.flatnonzero(_unsettled(tails, request))
            tails = _narrowed(tails, rows, ranges(goodness, left[rows], right[rows]))
    rows = np.flatnonzero(_unsettled(tails, request) & (tails.method == BOUND))
    if rows.size:
        some = _SystemPairs(goodness, left[rows], right[rows], unit)
        tails = _narrowed(tails, rows, _fast(some, request, strict=False))
    tails = _settled(pairs, tails, request)
    return _Directed(tails, tails)


def _unsettled(tails: PairTails, request: PairRequest) -> BoolArray:
    """Whether the verdict after correction depends on where in its range the p-value lies."""
    if request.correction == "max_statistic":
        return np.asarray((tails.low <= request.alpha) & (tails.high > request.alpha))
    low, high = (
        rejected(end, correction=request.correction, alpha=request.alpha)  # type: ignore[arg-type]
        for end in (tails.low, tails.high)
    )
    return np.asarray(low & ~high)


def _narrowed(tails: PairTails, rows: IntArray, found: PairTails) -> PairTails:
    """Replace the ranges of some pairs by their intersections with others, or by those where the two are apart."""
    low, high = np.maximum(tails.low[rows], found.low), np.minimum(tails.high[rows], found.high)
    is_apart = low > high
    low, high = np.where(is_apart, found.low, low), np.where(is_apart, found.high, high)
    p, lows, highs, method = tails.pvalue.copy(), tails.low.copy(), tails.high.copy(), tails.method.copy()
    p[rows], lows[rows], highs[rows], method[rows] = np.clip(found.pvalue, low, high), low, high, found.method
    return PairTails(p, lows, highs, method)


class _Directed(NamedTuple):
    """Tails of a against b, and of b against a."""

    forward: PairTails
    backward: PairTails


def _directed(pairs: _SystemPairs, request: PairRequest) -> _Directed:
    reached = _refereed(pairs, _fast(pairs, request, strict=False), request, strict=False)
    if request.alternative == "two-sided":
        tails = _settled(pairs, reached, request)
        return _Directed(tails, tails)
    # P(T ≥ t) is half of P(|T| ≥ |t|) where t is positive, and 1 minus half of P(|T| > |t|) where it is negative.
    beyond = _refereed(pairs, _fast(pairs, request, strict=True), request, strict=True)
    total = _totals(pairs)
    toward, away = _half(reached), _half(beyond, turned=True)
    greater, less = _chosen(total > 0, toward, away), _chosen(total < 0, toward, away)
    return _Directed(greater, less) if request.alternative == "greater" else _Directed(less, greater)


def _chosen(first: BoolArray, one: PairTails, other: PairTails) -> PairTails:
    return PairTails(
        np.where(first, one.pvalue, other.pvalue),
        np.where(first, one.low, other.low),
        np.where(first, one.high, other.high),
        np.where(first, one.method, other.method),
    )


def _totals(pairs: _SystemPairs) -> FloatArray:
    d = pairs.goodness[pairs.left] - pairs.goodness[pairs.right]
    total = np.nansum(d, axis=1)
    return np.where(np.abs(total) <= 1e-12 * np.nansum(np.abs(d), axis=1), 0.0, total)


def _half(tails: PairTails, *, turned: bool = False) -> PairTails:
    if turned:
        return PairTails(1 - tails.pvalue / 2, 1 - tails.high / 2, 1 - tails.low / 2, tails.method)
    return PairTails(tails.pvalue / 2, tails.low / 2, tails.high / 2, tails.method)


def _fast(pairs: _SystemPairs, request: PairRequest, *, strict: bool) -> PairTails:
    if request.method in ("exact", "bracket"):  # the referee computes every pair
        nothing = np.zeros(pairs.left.size)
        return PairTails(nothing + 1, nothing, nothing + 1, nothing.astype(np.int64))
    n_here = max(1, DIFFERENCES_IN_A_BLOCK // max(1, pairs.goodness.shape[1]))
    blocks = request.resampling.run(
        "permutation tests",
        (pairs, strict),
        _fast_block,
        parts=even_parts(pairs.left.size, n_here),
        key=f"{strict} {request.method} {digest(pairs.left, pairs.right)}",
        label="permutation tests",
    )
    rows = np.concatenate(blocks, axis=1)
    return PairTails(rows[0], rows[1], rows[2], rows[3].astype(np.int64))


def _fast_block(payload: tuple[_SystemPairs, bool], part: range, _rng: np.random.Generator) -> FloatArray:
    pairs, strict = payload
    here = slice(part.start, part.stop)
    return np.stack(
        pair_tails(pairs.goodness, pairs.left[here], pairs.right[here], unit=pairs.unit, strict=strict)
    ).astype(np.float64)


def _refereed(pairs: _SystemPairs, tails: PairTails, request: PairRequest, *, strict: bool) -> PairTails:
    """Pass pairs to the referee whose second digit is uncertain; that depends on the pair alone."""
    if request.method == "analytic":
        return tails
    everyone = np.ones(pairs.left.size, dtype=bool)
    is_open = needs_referee(tails) if request.method == "auto" else everyone
    return _judged(pairs, tails, is_open, request, strict=strict)


def _settled(pairs: _SystemPairs, tails: PairTails, request: PairRequest) -> PairTails:
    """Pass pairs to the referee whose verdict after correction is uncertain, until none is left."""
    if request.method != "auto":
        return tails
    for _ in range(3):
        is_open = _unsettled(tails, request) & (tails.method != EXACT) & (tails.method != CERTIFIED)
        if not is_open.any():
            break
        tails = _judged(pairs, tails, is_open, request, strict=False)
    return tails


def _judged(
    pairs: _SystemPairs, tails: PairTails, chosen: BoolArray, request: PairRequest, *, strict: bool
) -> PairTails:
    rows = np.flatnonzero(chosen)
    if not rows.size:
        return tails
    if rows.size << (min(pairs.goodness.shape[1], MOST_ENUMERATED) // 2) >= WORTH_ENUMERATING_COMPILED:
        load_compiler()
    blocks = request.resampling.run(
        "referee",
        (pairs, rows, strict, request.method == "exact"),
        _judged_block,
        parts=even_parts(rows.size, REFEREED_IN_A_BLOCK),
        key=f"{strict} {request.method} {rows.tolist()}",
        label=f"permutation tests, {rows.size:,} close ones",
    )
    low, high, codes = np.concatenate(blocks).T
    method = codes.astype(np.int64)
    if request.method == "exact" and (method != EXACT).any():
        raise BetterThanError(
            Message(
                "There are too many scores with too many distinct values for an exact permutation test. Use {auto}, "
                "whose verdicts are certified, or {sampled}.",
                auto=Option("method", "auto"),
                sampled=Option("method", "monte_carlo"),
            )
        )
    p, lows, highs, methods = tails.pvalue.copy(), tails.low.copy(), tails.high.copy(), tails.method.copy()
    if request.method == "bracket":
        p[rows] = high
    else:  # an estimate within its certified bounds is kept, so that its digits do not depend on the method
        p[rows] = np.where(method == EXACT, high, np.clip(p[rows], low, high))
    lows[rows], highs[rows], methods[rows] = low, high, method
    return PairTails(p, lows, highs, methods)


def _judged_block(
    payload: tuple[_SystemPairs, IntArray, bool, bool], part: range, _rng: np.random.Generator
) -> FloatArray:
    pairs, rows, strict, thorough = payload
    here = rows[part.start : part.stop]
    differences = pairs.goodness[pairs.left[here]] - pairs.goodness[pairs.right[here]]
    return certain_tails(differences, unit=pairs.unit, strict=strict, thorough=thorough)


def _answer(m: int, tails: _Directed) -> PairPValues:
    codes = np.full((m, m), EXACT, dtype=np.int64)
    above = np.triu_indices(m, 1)
    codes[above], codes.T[above] = tails.forward.method, tails.backward.method
    used = [name for code, name in enumerate(METHODS) if code in tails.forward.method]
    return PairPValues(
        pvalue=pairs_matrix(m, tails.forward.pvalue, tails.backward.pvalue),
        p_low=pairs_matrix(m, tails.forward.low, tails.backward.low),
        p_high=pairs_matrix(m, tails.forward.high, tails.backward.high),
        p_method=codes,
        how="+".join(used),
    )


def _sampled(request: PairRequest) -> PairPValues:
    """Count random permutations; the maximum statistic, if needed, uses the same ones."""
    if request.correction == "max_statistic":
        alone, stepped = _stepped(request, "permutation")
    else:
        goodness = request.units.summed(request.goodness)
        if len(goodness) ** 2 * request.n_resamples >= WORTH_COMPILING:
            load_compiler()
        alone, stepped = _tallied(request, goodness, _permutation_part, "permutation"), None
    p = add_one(alone, request.n_resamples)
    np.fill_diagonal(p, np.nan)
    note = "All pairs share the same permutations, so their p-values are not independent of each other."
    return PairPValues(
        pvalue=p,
        p_method=np.full(p.shape, METHODS.index("permutations")),
        stepped=stepped,
        how=str(request.n_resamples),
        drew=True,
        notes=(note,),
    )


def stepped_down(request: PairRequest) -> FloatArray:
    """p-values adjusted by the maximum statistic over all pairs, stepping down; two-sided."""
    return _stepped(request, "maximum statistic")[1]


def _stepped(request: PairRequest, name: str) -> tuple[IntArray, FloatArray]:
    """Number of permutations that reach each pair's statistic, and p-values adjusted by the maximum."""
    if request.alternative != "two-sided":
        raise BetterThanError(
            Message(
                "{correction} needs two-sided tests. Use {alternative}.",
                correction=Option("correction", "max_statistic"),
                alternative=Option("alternative", "two-sided"),
            )
        )
    family = family_of(request.units.summed(request.goodness))
    alone, together = _tallied(request, family, _max_part, name)
    return alone, step_down(together, family.statistics, request.n_resamples)


def _tallied(
    request: PairRequest,
    data: PermutedData,
    block: Callable[[tuple[PermutedData, Alternative], range, np.random.Generator], IntArray],
    name: str,
) -> IntArray:
    first, *others = request.resampling.run(
        name,
        (data, request.alternative),
        block,
        # Memory of one resample: signs and sums in single precision, and the differences of a pair.
        bytes_each=4 * request.units.n_units + 24 * len(request.goodness),
        key=f"{request.alternative} {request.method} {request.correction}",
    )
    return np.asarray(sum(others, start=first))


def _permutation_part(
    payload: tuple[FloatArray, Alternative], part: range, rng: np.random.Generator
) -> IntArray:
    goodness, alternative = payload
    tallies = permutation_block(goodness, len(part), rng, alternative=alternative)
    return np.asarray(tallies.greater + tallies.equal)


def _max_part(payload: tuple[StepDownFamily, Alternative], part: range, rng: np.random.Generator) -> IntArray:
    return np.stack(max_statistic_block(payload[0], len(part), rng))
