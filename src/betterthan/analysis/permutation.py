"""The paired permutation test for all pairs: exact where possible, certain where not, sampled when asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from betterthan import __version__
from betterthan.analysis.question import Answer, Question
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import Job, block_ranges
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError
from betterthan.kernels.compiled import load_compiler
from betterthan.kernels.exact import exact_sign_flip
from betterthan.kernels.permutation import WORTH_COMPILING, add_one, permutation_block
from betterthan.kernels.pvalues import Alternative
from betterthan.kernels.sign_flip_analytic import edgeworth_pvalues, pair_moments
from betterthan.kernels.sign_flip_bracket import sign_flip_bracket
from betterthan.kernels.sign_flip_step_down import max_statistic_block, pair_statistics, step_down

PAIRS_IN_A_BLOCK = 16
# What exact tests may cost before a bracket, which takes a twentieth of a second a pair, answers instead: additions, of
# which a second has about a billion; all pairs together, and each pair at least.
EXACT_ADDITIONS = 3e9
EXACT_ADDITIONS_OF_A_PAIR = 3e7
_Part = tuple[FloatArray, Alternative, int, str, tuple[range, ...]]
_ANALYTIC_NOTE = (
    "p-values are analytic (Edgeworth): off by about 0.0002 with 100 segments of ordinary scores, by up to 0.03 when "
    "a few differences outweigh the rest."
)


def permutation(question: Question) -> Answer:
    """Answer by the method that the question names; "auto" is exact where possible and bracketed elsewhere."""
    if question.method == "monte_carlo":
        return _sampled(question)
    if question.method == "analytic":
        return _analytic(question)
    return _certain(question)


def _certain(question: Question) -> Answer:
    goodness = question.units.summed(question.goodness)
    m = len(goodness)
    pairs = [(a, b) for a in range(m) for b in range(a + 1, m)]
    n_blocks = -(-len(pairs) // PAIRS_IN_A_BLOCK)
    job = Job(
        name="permutation tests",
        function=_certain_block,
        payload=(
            goodness,
            pairs,
            question.alternative,
            question.method,
            _most_additions(question.method, len(pairs)),
        ),
        n_blocks=n_blocks,
        digest=_digest(question, "certain"),
    )
    rows = np.concatenate(question.computing.run(job))
    low, high, exact = _square(m, pairs, rows[:, 0::3]), _square(m, pairs, rows[:, 1::3]), rows[:, 2] == 1
    return Answer(pvalue=high, p_low=low, p_high=high, how=_how(exact), notes=_certain_notes(exact))


def _certain_block(
    payload: tuple[FloatArray, list[tuple[int, int]], Alternative, str, float], block: int
) -> FloatArray:
    """Rows (low, high, is exact) of one direction and then of the other, for the pairs of a block."""
    goodness, pairs, alternative, method, most = payload
    mine = pairs[block * PAIRS_IN_A_BLOCK : (block + 1) * PAIRS_IN_A_BLOCK]
    one = partial(_bounded, alternative=alternative, method=method, most_additions=most)
    rows = []
    for a, b in mine:
        forward = one(goodness[a] - goodness[b])
        backward = forward if alternative == "two-sided" else one(goodness[b] - goodness[a])
        rows.append((*forward, *backward))
    return np.array(rows, dtype=np.float64)


def _most_additions(method: str, n_pairs: int) -> float:
    """Without a limit when exact p-values are asked for; else such that the whole table takes seconds."""
    return (
        math.inf if method == "exact" else max(EXACT_ADDITIONS_OF_A_PAIR, EXACT_ADDITIONS / max(1, n_pairs))
    )


def _bounded(
    differences: FloatArray, *, alternative: Alternative, method: str, most_additions: float
) -> tuple[float, float, float]:
    tail = (
        None
        if method == "bracket"
        else exact_sign_flip(differences, alternative=alternative, most_additions=most_additions)
    )
    if tail is not None:
        return tail.pvalue, tail.pvalue, 1.0
    if method == "exact":
        raise BetterThanError(
            'These scores are too many and too fine for an exact permutation test. Use method="bracket", '
            'which is certain to a few digits, or method="monte_carlo".'
        )
    bracket = sign_flip_bracket(differences, alternative=alternative)
    return bracket.low, bracket.high, 0.0


def _square(m: int, pairs: list[tuple[int, int]], directions: FloatArray) -> FloatArray:
    matrix = np.full((m, m), np.nan)
    for (a, b), (forward, backward) in zip(pairs, directions, strict=True):
        matrix[a, b], matrix[b, a] = forward, backward
    return matrix


def _how(exact: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    return "exact" if exact.all() else "bracket" if not exact.any() else "exact+bracket"


def _certain_notes(exact: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[str, ...]:
    if exact.all():
        return ()
    return ("p is the upper end of an interval that is certain to hold the exact permutation p-value.",)


def _analytic(question: Question) -> Answer:
    moments = pair_moments(_within_range(question.units.summed(question.goodness)))
    p = edgeworth_pvalues(moments.total, moments.second, moments.fourth, alternative=question.alternative)
    np.fill_diagonal(p, np.nan)
    return Answer(pvalue=p, how="edgeworth", notes=(_ANALYTIC_NOTE,))


def _within_range(goodness: FloatArray) -> FloatArray:
    """Scores times a power of two, so that fourth powers neither overflow nor vanish; p does not change."""
    _, exponent = np.frexp(np.nanmax(np.abs(goodness), initial=0.0))
    return np.asarray(np.ldexp(goodness, -exponent))


def _sampled(question: Question) -> Answer:
    goodness = question.units.summed(question.goodness)
    if len(goodness) ** 2 * question.n_resamples >= WORTH_COMPILING:
        load_compiler()
    tallies = _tallied(question, goodness, _permutation_part, "permutation").astype(np.int64)
    p = add_one(tallies, question.n_resamples)
    np.fill_diagonal(p, np.nan)
    note = "All pairs share the same permutations, so their p-values are not independent of each other."
    return Answer(pvalue=p, how=str(question.n_resamples), drew=True, notes=(note,))


def stepped_down(question: Question) -> FloatArray:
    """p-values adjusted by the maximum statistic over all pairs, stepping down; two-sided."""
    if question.alternative != "two-sided":
        raise BetterThanError(
            'correction="max_statistic" asks a two-sided question. Use alternative="two-sided".'
        )
    goodness = question.units.summed(question.goodness)
    counts = _tallied(question, goodness, _max_part, "maximum statistic")
    return step_down(counts, pair_statistics(goodness), question.n_resamples)


def _tallied(
    question: Question, goodness: FloatArray, part: Callable[[_Part, int], IntArray], name: str
) -> IntArray:
    # One resample needs its signs and its sums in single precision, and the differences of a pair.
    bytes_each = 4 * goodness.shape[1] + 24 * len(goodness)
    blocks = block_ranges(question.n_resamples, bytes_each)
    job = Job(
        name=f"{name} ({question.n_resamples:,} resamples)",
        function=part,
        payload=(goodness, question.alternative, question.seed, name, blocks),
        n_blocks=len(blocks),
        digest=_digest(question, f"{name} {question.n_resamples} {question.seed}"),
    )
    return np.asarray(np.sum(np.stack(question.computing.run(job)), axis=0))


def _permutation_part(payload: _Part, block: int) -> IntArray:
    goodness, alternative, seed, name, blocks = payload
    rng = stream(seed, name, block)
    tallies = permutation_block(goodness, len(blocks[block]), rng, alternative=alternative)
    return np.asarray(tallies.greater + tallies.equal)


def _max_part(payload: _Part, block: int) -> IntArray:
    goodness, _, seed, name, blocks = payload
    return max_statistic_block(goodness, len(blocks[block]), stream(seed, name, block))


def _digest(question: Question, what: str) -> str:
    units = "segments" if question.units.are_segments else "groups"
    return f"{question.digest} {what} {question.alternative} {question.method} {units} {__version__}"
