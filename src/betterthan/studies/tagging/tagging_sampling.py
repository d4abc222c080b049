"""Section 3.2 and table 2 of the paper on word tags: which measure sees a small difference with fewest samples?

Tags with a chosen share of errors are drawn from the outputs of real systems.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from betterthan.analysis.tags.audition import DEFAULT_MEASURES
from betterthan.analysis.tags.tag_counts import MEASURES
from betterthan.analysis.wording import counted, listing
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.engine.blocks import even_parts
from betterthan.errors import BetterThanError
from betterthan.kernels.compiled import load_compiler
from betterthan.kernels.tags import spans
from betterthan.kernels.tags.confusion import segment_sums
from betterthan.messages import Message, Option
from betterthan.results.study import Entry, Study, StudyChart, StudyTable
from betterthan.studies.request import StudyRequest
from betterthan.studies.tagging.tagged import Tagged, answered, read_tagged, tagged_digest, tagged_or_demo
from betterthan.studies.tagging.tagging_draws import WORTH_COMPILING, Drawn, Options, drawn_sentences
from betterthan.tables.tags import WordTags

LITERAL = {
    "phrase_f1_bad": spans.phrase_f1_bad_as_published,
    "phrase_f1_mult": spans.phrase_f1_mult_as_published,
}
"""Formulas by the words of the paper, on the same counts."""
_WORDS_AT_ONCE = 2**22
_BITS = 52  # of a float64: sums of whole numbers below 2 to this power are exact


class Pool(NamedTuple):
    r"""What data sets are drawn from; k columns of counts, c of which are enough to know the others.

    Credits of spans are fractions. They are rounded to multiples of a power of two so small (about 10⁻¹¹) and sums so
    short that everything adds up exactly, whatever the order.

    Attributes
    ----------
    n_words : int
    options : Options
        Sentences in which some system is wrong, as each of these systems has them.
    start : array of int, shape (r,)
        Where the forms of a row with fewer errors begin in `partial`: with the first error only, the first two, ….
    partial : array of int, shape (p, c)
        What these forms change in the sums.
    right : array, shape (k,)
        Counts of gold tags held against themselves.
    expand : array, shape (c, k)
        From changes to counts: plus or minus the unit.
    places : dict of str to slice
        Columns of each measure.
    """

    n_words: int
    options: Options
    start: IntArray
    partial: IntArray
    right: FloatArray
    expand: FloatArray
    places: dict[str, slice]


def pool_of(tags: WordTags, measures: tuple[str, ...]) -> Pool:
    """Count everything once: sums over sentences are all that a drawn data set needs."""
    kinds, places = _columns(measures)
    right = _counts(kinds, tags.gold, tags.gold[None], tags.offsets)[0]
    errors = np.stack([segment_sums(one != tags.gold, tags.offsets) for one in tags.predicted])
    sentence, system = np.nonzero(errors.T)
    _, first, n_options = np.unique(sentence, return_index=True, return_counts=True)
    whole = _counts(kinds, tags.gold, tags.predicted, tags.offsets)[system, sentence] - right[sentence]
    parts = [*_partial(kinds, tags, system, sentence), np.empty((0, right.shape[1]))]
    partial = np.concatenate(parts)
    own = errors[system, sentence]
    basis, signs = _basis(np.concatenate([whole, partial]))
    unit = _unit(whole, first)
    return Pool(
        n_words=tags.n_words,
        options=Options(first, n_options, own, _in_units(whole[:, basis], unit)),
        start=np.cumsum(own - 1) - (own - 1),
        partial=_in_units(partial[:, basis], unit),
        right=right.sum(axis=0),
        expand=signs * unit,
        places=places,
    )


def _columns(measures: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, slice]]:
    """A measure of each kind of count, and where the columns of every measure stand when kinds stand side by side."""
    kinds = {MEASURES[name][0].columns: name for name in reversed(measures)}
    ends = np.cumsum([0, *map(len, kinds)]).tolist()
    found = dict(zip(kinds, (slice(a, b) for a, b in pairwise(ends)), strict=True))
    return tuple(kinds.values()), {name: found[MEASURES[name][0].columns] for name in measures}


def _counts(kinds: tuple[str, ...], gold: BoolArray, predicted: BoolArray, offsets: IntArray) -> FloatArray:
    """Counts of all kinds side by side; shape (m, n, k)."""
    return np.concatenate([MEASURES[kind][0].count(gold, predicted, offsets) for kind in kinds], axis=2)


def _partial(
    kinds: tuple[str, ...], tags: WordTags, system: IntArray, sentence: IntArray
) -> Iterator[FloatArray]:
    """What rows change that keep their first error, their first two, and so on, but not all; shape (p, k) in parts."""
    held: list[tuple[BoolArray, BoolArray]] = []
    n_held = 0
    for one, j in zip(system.tolist(), sentence.tolist(), strict=True):
        words = slice(tags.offsets[j], tags.offsets[j + 1])
        held.append(_forms(tags.gold[words], tags.predicted[one, words]))
        n_held += held[-1][1].size
        if n_held >= _WORDS_AT_ONCE:
            yield _changes(kinds, held)
            held, n_held = [], 0
    if held:
        yield _changes(kinds, held)


def _forms(gold: BoolArray, own: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Gold tags of a sentence, and a system's with one error, two, …, all but one; the hindmost are put right first."""
    is_wrong = own != gold
    place = np.cumsum(is_wrong)
    kept = np.arange(1, place[-1])[:, None]
    return gold, np.where(is_wrong & (place <= kept), own, gold)


def _changes(kinds: tuple[str, ...], held: list[tuple[BoolArray, BoolArray]]) -> FloatArray:
    gold = np.concatenate([np.tile(right, len(forms)) for right, forms in held])
    tags = np.concatenate([forms.ravel() for _, forms in held])
    lengths = np.concatenate([np.full(len(forms), right.size) for right, forms in held])
    offsets = np.cumsum([0, *lengths.tolist()])
    # Gold against gold again, so that a form is counted beside its own sentence.
    both = _counts(kinds, gold, np.stack([tags, gold]), offsets)
    return np.asarray(both[0] - both[1])


def _basis(changes: FloatArray) -> tuple[list[int], FloatArray]:
    """Columns that are not nothing, nor another one or its opposite; and all columns as plus or minus these."""
    basis: list[int] = []
    found: list[tuple[int, int, int]] = []
    for column in range(changes.shape[1]):
        own = changes[:, column]
        if not own.any():
            continue
        same = (
            (place, sign)
            for place, other in enumerate(basis)
            for sign in (1, -1)
            if np.array_equal(own, sign * changes[:, other])
        )
        place, sign = next(same, (len(basis), 1))
        if place == len(basis):
            basis.append(column)
        found.append((place, column, sign))
    signs = np.zeros((len(basis), changes.shape[1]))
    for place, column, sign in found:
        signs[place, column] = sign
    return basis, signs


def _unit(whole: FloatArray, first: IntArray) -> float:
    """The smallest power of two in which no sum over sentences comes to 2 to the power of 52."""
    if not len(first):
        return 1.0
    most = np.maximum.reduceat(np.abs(whole).max(axis=1), first).sum()
    return float(2.0 ** (np.ceil(np.log2(most + 1)) + 1 - _BITS))


def _in_units(values: FloatArray, unit: float) -> IntArray:
    return np.ascontiguousarray(np.rint(values / unit), dtype=np.int64)


def sampled_scores(
    pool: Pool,
    measures: tuple[str, ...],
    n_errors: int,
    n_samples: int,
    rng: np.random.Generator,
    *,
    as_published: bool = False,
) -> FloatArray:
    """Draw data sets with exactly so many wrong tags, and score them; shape (n_samples, measures).

    Whole sentences with errors are drawn, each sentence once, from one of the systems that are wrong there, until there
    are errors enough; surplus errors of the last sentence are put right, the hindmost first. All other sentences have
    gold tags. As published, the last sentence stays as it is, and phrases have the formulas of the paper's words.

    Raises
    ------
    BetterThanError
        When the systems do not make as many errors.
    """
    drawn = drawn_sentences(pool.options, n_errors, n_samples, rng)
    _check_enough(pool, drawn, n_errors)
    is_short = drawn.needed > 0
    row, sums = drawn.last[is_short], drawn.sums
    if as_published:
        sums[is_short] += pool.options.changes[row]
    else:
        sums[is_short] += pool.partial[pool.start[row] + drawn.needed[is_short] - 1]
    counts = pool.right + sums.astype(np.float64) @ pool.expand
    formulas = LITERAL if as_published else {}
    return np.stack(
        [formulas.get(name, MEASURES[name][1])(counts[:, pool.places[name]]) for name in measures], axis=1
    )


def _check_enough(pool: Pool, drawn: Drawn, n_errors: int) -> None:
    is_out = (drawn.last < 0) & (drawn.needed > 0)
    if is_out.any():
        least = n_errors - int(drawn.needed[is_out].max())
        raise BetterThanError(
            Message(
                "{errors} of {words} tags must be wrong, but drawn sentences of these systems have as few "
                "as {least} errors. Choose a lower level, such as {level}.",
                errors=n_errors,
                words=pool.n_words,
                least=least,
                level=Option("set", {"level": float(f"{80 * least / pool.n_words:.2g}")}),
            )
        )


read = read_tagged
SCHEDULE = (100, 200, 500, 1000, 2000, 5000, 10_000)
STEPS = (0, 1, 5, 10, 20)
"""Levels of errors above the lowest, in units; the paper's are 30, 30.01, 30.05, 30.1 and 30.2 percent."""
_PAIRS = tuple(combinations(range(len(STEPS)), 2))
_GAPS = tuple(sorted({STEPS[b] - STEPS[a] for a, b in _PAIRS}))
# Table 2: smallest number of samples for gaps of 0.01, 0.04, 0.05, 0.1, 0.15 and 0.2 points.
PRINTED: dict[str, dict[int, int]] = {
    "f1_mult": {1: 10_000, 4: 2000, 5: 2000, 10: 500, 15: 200, 20: 100},
    "mcc": {1: 10_000, 4: 2000, 5: 2000, 10: 500, 15: 200, 20: 100},
    "f1_bad": {1: 10_000, 4: 5000, 5: 2000, 10: 1000, 15: 500, 20: 200},
    "phrase_f1_mult": {1: 10_000, 4: 5000, 5: 5000, 10: 1000, 15: 500, 20: 200},
    "sequence_correlation": {1: 10_000, 4: 5000, 5: 5000, 10: 1000, 15: 500, 20: 500},
    "phrase_f1_bad": {1: 10_000, 4: 10_000, 5: 5000, 10: 1000, 15: 500, 20: 500},
}


class _SamplingPlan(NamedTuple):
    """What one round needs."""

    pool: Pool
    errors: tuple[int, ...]
    schedule: tuple[int, ...]
    as_published: bool
    is_large: bool


def run(request: StudyRequest, tagged: tuple[Tagged, ...] | None = None) -> Study:
    """Draw data sets at five levels of errors, round by round, and test each pair of levels with more and more."""
    used = tagged_or_demo(request, tagged)[:1]
    work = _work(request, used[0])
    blocks = request.run(
        "repeated sampling",
        work,
        _round,
        parts=even_parts(request.number("rounds")),
        key=(tagged_digest(used), work.errors, work.schedule),
        uses="processes",
    )
    pvalue = np.mean(np.stack(blocks), axis=0)
    alpha = float(request.options["alpha"])
    needed = _needed(pvalue, work.schedule, alpha)
    answer = request.answer(
        tables=[
            _table_2(needed, float(request.options["unit"]), as_published=request.as_published),
            _pvalues(pvalue, work),
        ],
        charts=[_chart(pvalue, work, float(request.options["unit"]), alpha / len(_PAIRS))],
        sentences=_sentences(needed, work, request.number("rounds")),
        differences=_DIFFERENCES[request.as_published],
        notes=_notes(work, used[0]),
    )
    return answered(answer, used, is_demo=tagged is None)


_GAPS_SHOWN = (
    "Five levels have ten pairs and eight different gaps, of which table 2 shows six; here all are shown, and "
    "p-values of pairs with the same gap are averaged. Bonferroni's factor is the number of pairs of levels."
)
_NESTED = "A round tests its first 100, 200, … samples, which saves draws and changes no mean p-value."
_DIFFERENCES = {
    False: (
        _GAPS_SHOWN,
        (
            "In the paper one sentence could be drawn from two systems, and the last one overshoots the level; here "
            "every sentence is drawn once, and surplus errors of the last are put right, so that levels are exact."
        ),
        _NESTED,
    ),
    True: (
        _GAPS_SHOWN,
        (
            "The last sentence overshoots the level, and phrases are scored by the words of the paper. One sentence is "
            "still drawn once, because the paper does not say what becomes of two versions of it."
        ),
        _NESTED,
    ),
}


def _work(request: StudyRequest, one: Tagged) -> _SamplingPlan:
    level, unit = float(request.options["level"]), float(request.options["unit"])
    errors = tuple(round((level + unit * step) / 100 * one.tags.n_words) for step in STEPS)
    most = request.number("samples")
    schedule = tuple(n for n in SCHEDULE if n <= most) or (most,)
    pool = pool_of(one.tags, DEFAULT_MEASURES)
    n_drawn = request.number("rounds") * schedule[-1] * len(STEPS) * len(pool.options.first)
    return _SamplingPlan(pool, errors, schedule, request.as_published, n_drawn >= WORTH_COMPILING)


def _round(work: _SamplingPlan, _part: range, rng: np.random.Generator) -> FloatArray:
    """p-values of one round; shape (schedule, pairs of levels, measures)."""
    if work.is_large:
        load_compiler()
    mean, variance = np.stack(
        [_moments(_scores(work, n_errors, rng), work.schedule) for n_errors in work.errors], axis=1
    )
    size = np.array(work.schedule)[:, None]
    tests = [unpaired_pvalues(mean[a], variance[a], mean[b], variance[b], size) for a, b in _PAIRS]
    return np.stack(tests, axis=1)


def _scores(work: _SamplingPlan, n_errors: int, rng: np.random.Generator) -> FloatArray:
    most = work.schedule[-1]
    return sampled_scores(work.pool, DEFAULT_MEASURES, n_errors, most, rng, as_published=work.as_published)


def _moments(scores: FloatArray, schedule: tuple[int, ...]) -> FloatArray:
    """Mean and variance of the first 100, 200, … samples; shape (2, schedule, measures)."""
    firsts = [scores[:n] for n in schedule]
    return np.array([[x.mean(axis=0) for x in firsts], [x.var(axis=0, ddof=1) for x in firsts]])


def unpaired_pvalues(
    mean_x: FloatArray, variance_x: FloatArray, mean_y: FloatArray, variance_y: FloatArray, n: IntArray | int
) -> FloatArray:
    r"""Two-sided p-values of Student's unpaired t-test of two samples of n, from their means and variances.

    .. math:: t = (\bar x - \bar y) \Big/ \sqrt{\frac{s_x^2 + s_y^2}{n}}, \qquad 2n - 2 \text{ degrees of freedom}

    Parameters
    ----------
    mean_x, variance_x, mean_y, variance_y : array
        Variances with n - 1 below.
    n : int or array

    Returns
    -------
    array
        NaN where nothing varies.

    Examples
    --------
    Of 1, 2, 3 and 2, 4, 6:

    >>> unpaired_pvalues(np.array([2.0]), np.array([1.0]), np.array([4.0]), np.array([4.0]), 3).round(4)
    array([0.1963])
    """
    spread = np.sqrt((variance_x + variance_y) / n)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(spread > 0, (mean_x - mean_y) / spread, np.nan)
    return np.asarray(2 * stdtr(2 * n - 2, -np.abs(t)))


def _by_gap(pvalue: FloatArray) -> FloatArray:
    """Averages over the pairs of each gap; shape (schedule, gaps, measures)."""
    places = [[i for i, (a, b) in enumerate(_PAIRS) if STEPS[b] - STEPS[a] == gap] for gap in _GAPS]
    return np.stack([pvalue[:, some].mean(axis=1) for some in places], axis=1)


def _needed(pvalue: FloatArray, schedule: tuple[int, ...], alpha: float) -> dict[str, list[int | None]]:
    """Smallest number of samples by measure and gap, from which on every larger one suffices too; None if none does."""
    with np.errstate(invalid="ignore"):
        enough = _by_gap(pvalue) * len(_PAIRS) < alpha
    lasting = np.flip(np.logical_and.accumulate(np.flip(enough, axis=0), axis=0), axis=0)
    return {
        name: [
            schedule[int(lasting[:, g, k].argmax())] if lasting[:, g, k].any() else None
            for g in range(len(_GAPS))
        ]
        for k, name in enumerate(DEFAULT_MEASURES)
    }


def _order(needed: dict[str, list[int | None]]) -> list[str]:
    """Measures by discriminative power: those that need fewer samples, summed in ranks of the schedule, first."""
    worst = len(SCHEDULE) + 1
    rank = {n: i for i, n in enumerate(SCHEDULE)}
    return sorted(needed, key=lambda name: sum(worst if n is None else rank.get(n, 0) for n in needed[name]))


def _table_2(needed: dict[str, list[int | None]], unit: float, *, as_published: bool) -> StudyTable:
    order = _order(needed)
    literal = LITERAL if as_published else {}
    return StudyTable(
        name="table-2",
        title="Fewest samples that tell two levels of errors apart, by the gap in percentage points",
        columns=("measure", *(f"{gap * unit:g}" for gap in _GAPS)),
        rows=tuple((f"{name}_as_published" if name in literal else name, *needed[name]) for name in order),
        printed=tuple((None, *(PRINTED[name].get(gap) for gap in _GAPS)) for name in order),
        notes=(
            (
                "The paper's gaps are 0.01 points a unit, at 30 percent of errors, on other data. A dash: not with as "
                "many samples as were drawn."
            ),
        ),
    )


def _pvalues(pvalue: FloatArray, work: _SamplingPlan) -> StudyTable:
    rows: tuple[tuple[Entry, ...], ...] = tuple(
        (n, work.errors[a], work.errors[b], *(float(p) for p in pvalue[i, j]))
        for i, n in enumerate(work.schedule)
        for j, (a, b) in enumerate(_PAIRS)
    )
    return StudyTable(
        name="p-values",
        title="Mean p-values over rounds, before correction",
        columns=("samples", "wrong tags", "against", *DEFAULT_MEASURES),
        rows=rows,
        digits=4,
        is_detail=True,
    )


def _chart(pvalue: FloatArray, work: _SamplingPlan, unit: float, enough: float) -> StudyChart:
    means = _by_gap(pvalue)
    marks = [
        (f"gap {gap * unit:g}", name, float(np.log10(n)), float(means[i, g, k]))
        for g, gap in enumerate(_GAPS)
        for k, name in enumerate(DEFAULT_MEASURES)
        for i, n in enumerate(work.schedule)
    ]
    return StudyChart(
        name="p-values",
        title=f"Mean p-value of two levels of errors, by number of samples; enough is below {enough:g}",
        kind="lines",
        x="samples, as a power of ten",
        y="mean p-value",
        columns={
            "panel": tuple(mark[0] for mark in marks),
            "series": tuple(mark[1] for mark in marks),
            "x": tuple(mark[2] for mark in marks),
            "y": tuple(mark[3] for mark in marks),
            "low": (None,) * len(marks),
            "high": (None,) * len(marks),
        },
    )


def _sentences(needed: dict[str, list[int | None]], work: _SamplingPlan, rounds: int) -> tuple[str, ...]:
    return (
        f"From the most to the least discriminating: {listing(_order(needed))}.",
        (
            f"{counted(rounds, 'round')} of up to {counted(work.schedule[-1], 'sample')} at each of {len(STEPS)} "
            f"levels of {listing([str(n) for n in work.errors])} wrong tags."
        ),
    )


def _notes(work: _SamplingPlan, one: Tagged) -> tuple[str, ...]:
    same = sum(work.errors[a] == work.errors[b] for a, b in _PAIRS)
    return (
        f"Drawn from {one.dataset}: {counted(len(one.tags.segments), 'sentence')}, {len(one.tags.systems)} systems.",
        *(
            [f"{same} of {len(_PAIRS)} pairs of levels are the same number of tags; choose a larger unit."]
            if same
            else []
        ),
    )
