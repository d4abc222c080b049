"""The paired permutation test of all pairs: one p-value a pair, and a referee where a verdict hangs on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from betterthan import __version__
from betterthan.analysis.pairs.question import Answer, Question
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.compiled import load_compiler
from betterthan.kernels.sign_flips.all_pairs import (
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
from betterthan.kernels.sign_flips.permutation import WORTH_COMPILING, add_one, permutation_block
from betterthan.kernels.sign_flips.step_down import Family, family_of, max_statistic_block
from betterthan.kernels.significance.pvalues import Alternative, adjusted_pairs, pairs_matrix
from betterthan.kernels.significance.step_down import step_down

DIFFERENCES_IN_A_BLOCK = 1 << 24
REFEREED_IN_A_BLOCK = 64
WORTH_ENUMERATING_COMPILED = (
    1 << 23
)  # sums of half of the differences; fewer take less time than loading numba
Data = TypeVar("Data", FloatArray, Family)
_Part = tuple[Data, Alternative, int, str, tuple[range, ...]]


def permutation(question: Question) -> Answer:
    """Answer by the method that the question names.

    * "auto": every pair by :func:`~betterthan.kernels.sign_flips.all_pairs.pair_tails`; pairs whose second digit, or
    whose
      verdict after correction, is not settled by that go to a referee, exact or certified.
    * "analytic": the same without a referee.
    * "exact" and "bracket": every pair by the referee; "exact" refuses what cannot be enumerated or convolved.
    * "monte_carlo": random permutations, shared by all pairs.
    """
    if question.method == "monte_carlo":
        return _sampled(question)
    goodness = question.units.summed(question.goodness)
    tails = _directed(_Pairs.of(goodness), question)
    return _answer(len(goodness), tails)


class _Pairs(NamedTuple):
    """Scores by unit, the pairs a < b, and the step of the scores."""

    goodness: FloatArray
    left: IntArray
    right: IntArray
    unit: float

    @classmethod
    def of(cls, goodness: FloatArray) -> _Pairs:
        left, right = np.triu_indices(len(goodness), 1)
        return cls(goodness, left, right, lattice_unit(goodness))


class _Directed(NamedTuple):
    """Tails of a against b, and of b against a."""

    forward: PairTails
    backward: PairTails


def _directed(pairs: _Pairs, question: Question) -> _Directed:
    reached = _refereed(pairs, _fast(pairs, question, strict=False), question, strict=False)
    if question.alternative == "two-sided":
        tails = _settled(pairs, reached, question)
        return _Directed(tails, tails)
    # P(T ≥ t) is half of P(|T| ≥ |t|) where t is positive, and one less half of P(|T| > |t|) where it is negative.
    beyond = _refereed(pairs, _fast(pairs, question, strict=True), question, strict=True)
    total = _totals(pairs)
    toward, away = _half(reached), _half(beyond, turned=True)
    greater, less = _chosen(total > 0, toward, away), _chosen(total < 0, toward, away)
    return _Directed(greater, less) if question.alternative == "greater" else _Directed(less, greater)


def _chosen(first: BoolArray, one: PairTails, other: PairTails) -> PairTails:
    return PairTails(
        np.where(first, one.pvalue, other.pvalue),
        np.where(first, one.low, other.low),
        np.where(first, one.high, other.high),
        np.where(first, one.method, other.method),
    )


def _totals(pairs: _Pairs) -> FloatArray:
    d = pairs.goodness[pairs.left] - pairs.goodness[pairs.right]
    total = np.nansum(d, axis=1)
    return np.where(np.abs(total) <= 1e-12 * np.nansum(np.abs(d), axis=1), 0.0, total)


def _half(tails: PairTails, *, turned: bool = False) -> PairTails:
    if turned:
        return PairTails(1 - tails.pvalue / 2, 1 - tails.high / 2, 1 - tails.low / 2, tails.method)
    return PairTails(tails.pvalue / 2, tails.low / 2, tails.high / 2, tails.method)


def _fast(pairs: _Pairs, question: Question, *, strict: bool) -> PairTails:
    if question.method in ("exact", "bracket"):  # the referee answers for every pair
        nothing = np.zeros(pairs.left.size)
        return PairTails(nothing + 1, nothing, nothing + 1, nothing.astype(np.int64))
    n_here = max(1, DIFFERENCES_IN_A_BLOCK // max(1, pairs.goodness.shape[1]))
    blocks = [
        range(start, min(start + n_here, pairs.left.size)) for start in range(0, pairs.left.size, n_here)
    ]
    job = Job(
        name="permutation tests",
        function=_fast_block,
        payload=(pairs, strict, blocks),
        n_blocks=len(blocks),
        digest=_digest(question, f"inversion {strict}"),
    )
    parts = np.concatenate(question.computing.run(job), axis=1)
    return PairTails(parts[0], parts[1], parts[2], parts[3].astype(np.int64))


def _fast_block(payload: tuple[_Pairs, bool, list[range]], block: int) -> FloatArray:
    pairs, strict, blocks = payload
    here = slice(blocks[block].start, blocks[block].stop)
    return np.stack(
        pair_tails(pairs.goodness, pairs.left[here], pairs.right[here], unit=pairs.unit, strict=strict)
    ).astype(np.float64)


def _refereed(pairs: _Pairs, tails: PairTails, question: Question, *, strict: bool) -> PairTails:
    """Send pairs to the referee whose second digit is open; that depends on the pair alone."""
    if question.method == "analytic":
        return tails
    everyone = np.ones(pairs.left.size, dtype=bool)
    is_open = needs_referee(tails) if question.method == "auto" else everyone
    return _judged(pairs, tails, is_open, question, strict=strict)


def _settled(pairs: _Pairs, tails: PairTails, question: Question) -> PairTails:
    """Send pairs to the referee whose verdict after correction is open, until none is."""
    if question.method != "auto":
        return tails
    for _ in range(3):
        ends = [_corrected(pairs, end, question) for end in (tails.low, tails.high)]
        is_open = (ends[0] <= question.alpha) & (ends[1] > question.alpha)
        is_open &= (tails.method != EXACT) & (tails.method != CERTIFIED)
        if not is_open.any():
            break
        tails = _judged(pairs, tails, is_open, question, strict=False)
    return tails


def _corrected(pairs: _Pairs, pvalues: FloatArray, question: Question) -> FloatArray:
    if question.correction == "max_statistic":
        return pvalues
    m = len(pairs.goodness)
    square = pairs_matrix(m, pvalues, pvalues)
    return adjusted_pairs(square, correction=question.correction)[pairs.left, pairs.right]  # type: ignore[arg-type]


def _judged(
    pairs: _Pairs, tails: PairTails, chosen: BoolArray, question: Question, *, strict: bool
) -> PairTails:
    rows = np.flatnonzero(chosen)
    if not rows.size:
        return tails
    if rows.size << (min(pairs.goodness.shape[1], MOST_ENUMERATED) // 2) >= WORTH_ENUMERATING_COMPILED:
        load_compiler()
    n_blocks = -(-rows.size // REFEREED_IN_A_BLOCK)
    job = Job(
        name=f"permutation tests, {rows.size:,} close ones",
        function=_judged_block,
        payload=(pairs, rows, strict, question.method == "exact"),
        n_blocks=n_blocks,
        digest=_digest(question, f"referee {strict} {rows.tolist()}"),
    )
    found = np.concatenate(question.computing.run(job))
    low, high, method = found[:, 0], found[:, 1], found[:, 2].astype(np.int64)
    if question.method == "exact" and (method != EXACT).any():
        raise BetterThanError(
            'These scores are too many and too fine for an exact permutation test. Use method="auto", '
            'whose verdicts are certain, or method="monte_carlo".'
        )
    p, lows, highs, methods = tails.pvalue.copy(), tails.low.copy(), tails.high.copy(), tails.method.copy()
    if question.method == "bracket":
        p[rows] = high
    else:  # an estimate that the certificate allows stays, so that asking for more does not move its digits
        p[rows] = np.where(method == EXACT, high, np.clip(p[rows], low, high))
    lows[rows], highs[rows], methods[rows] = low, high, method
    return PairTails(p, lows, highs, methods)


def _judged_block(payload: tuple[_Pairs, IntArray, bool, bool], block: int) -> FloatArray:
    pairs, rows, strict, thorough = payload
    here = rows[block * REFEREED_IN_A_BLOCK : (block + 1) * REFEREED_IN_A_BLOCK]
    differences = pairs.goodness[pairs.left[here]] - pairs.goodness[pairs.right[here]]
    return certain_tails(differences, unit=pairs.unit, strict=strict, thorough=thorough)


def _answer(m: int, tails: _Directed) -> Answer:
    codes = np.full((m, m), EXACT, dtype=np.int64)
    above = np.triu_indices(m, 1)
    codes[above], codes.T[above] = tails.forward.method, tails.backward.method
    used = [name for code, name in enumerate(METHODS) if code in tails.forward.method]
    return Answer(
        pvalue=pairs_matrix(m, tails.forward.pvalue, tails.backward.pvalue),
        p_low=pairs_matrix(m, tails.forward.low, tails.backward.low),
        p_high=pairs_matrix(m, tails.forward.high, tails.backward.high),
        p_method=codes,
        how="+".join(used),
    )


def _sampled(question: Question) -> Answer:
    """Count random permutations; where the maximum statistic is wanted too, it comes from the same ones."""
    if question.correction == "max_statistic":
        alone, stepped = _stepped(question, "permutation")
    else:
        goodness = question.units.summed(question.goodness)
        if len(goodness) ** 2 * question.n_resamples >= WORTH_COMPILING:
            load_compiler()
        alone, stepped = _tallied(question, goodness, _permutation_part, "permutation"), None
    p = add_one(alone, question.n_resamples)
    np.fill_diagonal(p, np.nan)
    note = "All pairs share the same permutations, so their p-values are not independent of each other."
    return Answer(
        pvalue=p,
        p_method=np.full(p.shape, METHODS.index("permutations")),
        stepped=stepped,
        how=str(question.n_resamples),
        drew=True,
        notes=(note,),
    )


def stepped_down(question: Question) -> FloatArray:
    """p-values adjusted by the maximum statistic over all pairs, stepping down; two-sided."""
    return _stepped(question, "maximum statistic")[1]


def _stepped(question: Question, name: str) -> tuple[IntArray, FloatArray]:
    """How many permutations reach each pair by its own statistic, and p-values adjusted by the maximum."""
    if question.alternative != "two-sided":
        raise BetterThanError(
            'correction="max_statistic" asks a two-sided question. Use alternative="two-sided".'
        )
    family = family_of(question.units.summed(question.goodness))
    alone, together = _tallied(question, family, _max_part, name)
    return alone, step_down(together, family.statistics, question.n_resamples)


def _tallied(
    question: Question, data: Data, part: Callable[[_Part[Data], int], IntArray], name: str
) -> IntArray:
    # One resample needs its signs and its sums in single precision, and the differences of a pair.
    bytes_each = 4 * question.units.n_units + 24 * len(question.goodness)
    blocks = block_ranges(question.n_resamples, bytes_each)
    job = Job(
        name=f"{name} ({question.n_resamples:,} resamples)",
        function=part,
        payload=(data, question.alternative, question.seed, name, blocks),
        n_blocks=len(blocks),
        digest=_digest(question, f"{name} {question.correction} {question.n_resamples} {question.seed}"),
    )
    first, *others = question.computing.run(job)
    return np.asarray(sum(others, start=first))


def _permutation_part(payload: _Part[FloatArray], block: int) -> IntArray:
    goodness, alternative, seed, name, blocks = payload
    rng = stream(seed, name, block)
    tallies = permutation_block(goodness, len(blocks[block]), rng, alternative=alternative)
    return np.asarray(tallies.greater + tallies.equal)


def _max_part(payload: _Part[Family], block: int) -> IntArray:
    family, _, seed, name, blocks = payload
    return np.stack(max_statistic_block(family, len(blocks[block]), stream(seed, name, block)))


def _digest(question: Question, what: str) -> str:
    units = "segments" if question.units.are_segments else "groups"
    return f"{question.digest} {what} {question.alternative} {question.method} {units} {__version__}"
