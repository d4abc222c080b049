"""Algorithm 1 of the paper on word tags: more and more samples, until exactly one of two measures sees a difference."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from betterthan.analysis.tags.audition import DEFAULT_MEASURES
from betterthan.analysis.wording import counted, listing
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.engine.blocks import even_parts
from betterthan.errors import BetterThanError
from betterthan.kernels.compiled import load_compiler
from betterthan.present.tables.metrics import tag_measure_name
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.reporting import Claim, Mark, figure, holds_in
from betterthan.studies.request import StudyRequest
from betterthan.studies.tagging.tagged import Tagged, read_tagged, tagged_digest, tagged_or_demo, with_tags
from betterthan.studies.tagging.tagging_sampling import (
    PRINTED,
    WORTH_COMPILING,
    Pool,
    pool_of,
    sampled_scores,
    unpaired_pvalues,
)

read = read_tagged
_PAIRS = tuple(combinations(range(len(DEFAULT_MEASURES)), 2))
FIRST, SECOND, BOTH, NEITHER = range(4)
"""Outcomes of a duel: the first measure sees the difference first, the second, both at once, neither at all."""


class _Duels(NamedTuple):
    """What one round needs."""

    pool: Pool
    errors: tuple[int, int]
    sizes: tuple[int, ...]
    alpha: float
    as_published: bool
    is_large: bool


def run(request: StudyRequest, tagged: tuple[Tagged, ...] | None = None) -> Study:
    """Let all pairs of measures compete on data sets with two levels of errors, round by round."""
    used = tagged_or_demo(request, tagged)[:1]
    work = _work(request, used[0])
    blocks = request.run(
        "duels",
        work,
        _round,
        parts=even_parts(request.number("rounds")),
        key=(tagged_digest(used), work.errors, work.sizes),
        uses="processes",
    )
    outcomes, sizes = np.stack(blocks, axis=1)
    answer = request.answer(
        tables=[_table(outcomes, sizes, float(request.options["gap"]))],
        claims=_claims(outcomes),
        charts=[_chart(outcomes)],
        sentences=_sentences(outcomes, work, used[0]),
        differences=_DIFFERENCES,
    )
    return with_tags(answer, used, is_demo=tagged is None)


_DIFFERENCES = (
    (
        "Algorithm 1 draws new samples each time that their number grows; here the samples of a round are added to, so "
        "that a larger number contains the smaller. It names one winner; here it is run many times, and the rounds "
        "that each measure wins are counted."
    ),
    "One pair of levels is tested, so Bonferroni's factor is 1. Two measures that see the difference at once tie.",
)


def _work(request: StudyRequest, one: Tagged) -> _Duels:
    level, gap = float(request.options["level"]), float(request.options["gap"])
    low, high = (round(percent / 100 * one.tags.n_words) for percent in (level, level + gap))
    if low == high:
        raise BetterThanError(
            f"A gap of {gap:g} percentage points is less than one of {one.tags.n_words:,} tags. Choose a larger gap."
        )
    step, most = request.number("step"), request.number("samples")
    sizes = tuple(n for n in range(step, most + 1, step) if n > 1)
    if not sizes:
        raise BetterThanError(f"With a step of {step} and at most {most} samples there is nothing to test.")
    pool = pool_of(one.tags, DEFAULT_MEASURES)
    n_drawn = request.number("rounds") * sizes[-1] * 2 * len(pool.options.first)
    alpha = float(request.options["alpha"])
    return _Duels(pool, (low, high), sizes, alpha, request.as_published, n_drawn >= WORTH_COMPILING)


def _round(work: _Duels, _part: range, rng: np.random.Generator) -> IntArray:
    """Outcome of each pair of measures, and the number of samples that decided it; shape (2, pairs)."""
    if work.is_large:
        load_compiler()
    levels = [
        sampled_scores(
            work.pool, DEFAULT_MEASURES, n_errors, work.sizes[-1], rng, as_published=work.as_published
        )
        for n_errors in work.errors
    ]
    return np.stack(duels(growing_pvalues(levels[0], levels[1], work.sizes) < work.alpha, work.sizes))


def growing_pvalues(first: FloatArray, second: FloatArray, sizes: tuple[int, ...]) -> FloatArray:
    """Return p-values of unpaired t-tests of the first so many rows; shape (sizes, columns).

    Examples
    --------
    >>> growing_pvalues(np.array([[1.0], [2], [3]]), np.array([[2.0], [4], [6]]), (3,)).round(4)
    array([[0.1963]])
    """
    n = np.array(sizes)[:, None]
    (mean_x, variance_x), (mean_y, variance_y) = (_moments(scores, n) for scores in (first, second))
    return unpaired_pvalues(mean_x, variance_x, mean_y, variance_y, n)


def _moments(scores: FloatArray, n: IntArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the first n rows, n being a column of numbers."""
    # Deviations from a fixed value, so that no digits are lost in the difference of sums.
    away = scores - scores[0]
    total, squares = (np.cumsum(away**power, axis=0)[n[:, 0] - 1] for power in (1, 2))
    return scores[0] + total / n, np.maximum(squares - total**2 / n, 0.0) / (n - 1)


def duels(is_seen: BoolArray, sizes: tuple[int, ...]) -> tuple[IntArray, IntArray]:
    """Return who sees the difference first in each pair of measures, and with how many samples.

    Parameters
    ----------
    is_seen : array of bool, shape (sizes, measures)
    sizes : tuple of int

    Examples
    --------
    >>> outcome, size = duels(np.array([[0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]], dtype=bool), (100, 200))
    >>> outcome[:3], size[:3]
    (array([0, 2, 0]), array([200, 200, 200]))
    """
    outcome, decided = [], []
    for a, b in _PAIRS:
        either = is_seen[:, a] | is_seen[:, b]
        at = int(either.argmax())
        both = is_seen[at, a] and is_seen[at, b]
        outcome.append(NEITHER if not either.any() else BOTH if both else FIRST if is_seen[at, a] else SECOND)
        decided.append(sizes[at] if either.any() else 0)
    return np.array(outcome), np.array(decided)


def _table(outcomes: IntArray, sizes: IntArray, gap: float) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = []
    for k, (a, b) in enumerate(_PAIRS):
        counts = [int((outcomes[:, k] == each).sum()) for each in (FIRST, SECOND, BOTH, NEITHER)]
        decided = sizes[outcomes[:, k] != NEITHER, k]
        median = float(np.median(decided)) if decided.size else None
        rows.append(
            (*(tag_measure_name(DEFAULT_MEASURES[i]) for i in (a, b)), *counts, median, _winner(counts, a, b))
        )
    return StudyTable(
        name="duels",
        title=f"Rounds in which a measure sees a difference of {gap:g} percentage points first",
        columns=(
            *("first", "second", "first wins", "second wins", "both at once", "neither"),
            *("median samples", "winner"),
        ),
        rows=tuple(rows),
        digits=0,
    )


def _winner(counts: list[int], a: int, b: int) -> str:
    if counts[FIRST] == counts[SECOND]:
        return "neither"
    return tag_measure_name(DEFAULT_MEASURES[a if counts[FIRST] > counts[SECOND] else b])


def _claims(outcomes: IntArray) -> list[Claim]:
    """The order of table 2: a measure that needs fewer samples at more gaps should win."""
    right: list[str] = []
    wrong: list[str] = []
    for k, (a, b) in enumerate(_PAIRS):
        first, second = (DEFAULT_MEASURES[i] for i in (a, b))
        fewer = [np.sign(PRINTED[second][gap] - PRINTED[first][gap]) for gap in PRINTED[first]]
        lead = int((outcomes[:, k] == FIRST).sum()) - int((outcomes[:, k] == SECOND).sum())
        if sum(fewer) and lead:
            pair = f"{tag_measure_name(first)} and {tag_measure_name(second)}"
            (right if np.sign(sum(fewer)) == np.sign(lead) else wrong).append(pair)
    seen = f"in {len(right)} of {len(right) + len(wrong)} pairs"
    return [
        Claim(
            "the measure that needs fewer samples in table 2 wins the duel",
            "section 3.2, algorithm 1 and table 2",
            holds_in(len(right), len(right) + len(wrong)),
            f"{seen}; not {', '.join(wrong)}" if wrong else seen,
        )
    ]


def _chart(outcomes: IntArray) -> StudyChart:
    marks = []
    n = len(outcomes)
    for i, row in enumerate(DEFAULT_MEASURES):
        for j, column in enumerate(DEFAULT_MEASURES):
            if i != j:
                k = _PAIRS.index((min(i, j), max(i, j)))
                wins = int((outcomes[:, k] == (FIRST if i < j else SECOND)).sum())
                marks.append(Mark("", tag_measure_name(row), tag_measure_name(column), wins / n))
    return figure(
        marks,
        name="algorithm-1",
        title="Algorithm 1: share of rounds in which the row sees the difference before the column",
        kind="matrix",
        x="measure that sees it later, or not at all",
        y="measure that sees it first",
    )


def _sentences(outcomes: IntArray, work: _Duels, one: Tagged) -> tuple[str, ...]:
    wins = [
        sum(
            int((outcomes[:, k] == (FIRST if i == a else SECOND)).sum())
            for k, (a, b) in enumerate(_PAIRS)
            if i in (a, b)
        )
        for i in range(len(DEFAULT_MEASURES))
    ]
    order = [tag_measure_name(DEFAULT_MEASURES[i]) for i in np.argsort(-np.array(wins), kind="stable")]
    low, high = work.errors
    return (
        f"By rounds won against all others, from the most: {listing(order)}.",
        (
            f"{counted(len(outcomes), 'round')} with {low:,} and {high:,} wrong tags of {one.tags.n_words:,} "
            f"({one.dataset}), {work.sizes[0]} samples at first and up to {work.sizes[-1]:,}."
        ),
    )
