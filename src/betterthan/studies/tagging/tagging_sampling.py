"""Section 3.2 and table 2 of the paper on word tags: which measure sees a small difference with fewest samples?

Tags with a chosen share of errors are drawn from the outputs of real systems: sentences one after the other until there
are errors enough, as a loop for numba, or without it for many samples in step. Both do the same with whole numbers, so
that their results are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from betterthan.analysis.tags.audition import DEFAULT_MEASURES
from betterthan.analysis.tags.tag_counts import MEASURES
from betterthan.analysis.wording import counted, listing
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.engine.blocks import even_parts
from betterthan.errors import BetterThanError
from betterthan.kernels.compiled import compiled, is_loaded, load_compiler
from betterthan.kernels.tags import spans
from betterthan.kernels.tags.confusion import segment_sums
from betterthan.messages import Message, Option
from betterthan.present.tables.metrics import tag_measure_name
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.reporting import IN_PART, UNKNOWN, Claim, Mark, figure, printed_table
from betterthan.studies.request import StudyRequest
from betterthan.studies.tagging.tagged import Tagged, read_tagged, tagged_digest, tagged_or_demo, with_tags
from betterthan.tables.tags import WordTags

IntegerBuffer = npt.NDArray[Any]
_HALF = 32
_LOWER = 2**32 - 1
# Random numbers of a batch: few enough to stay in a cache, or many enough to pay for the steps.
_AT_ONCE, _AT_ONCE_IN_STEP = 2**18, 2**22
WORTH_COMPILING = 10_000_000
"""Sentences to be drawn that take longer in step than loading the compiler does."""


class ErrorRows(NamedTuple):
    """What can be drawn; e sentences with errors, r rows: a row is a sentence as one of the systems has it.

    Attributes
    ----------
    first, n_options : array of int, shape (e,)
        Rows of sentence i are ``first[i]`` and those behind it.
    errors : array of int, shape (r,)
        Wrong tags of each row.
    changes : array of int, shape (r, c)
        What a row changes in the sums.
    """

    first: IntArray
    n_options: IntArray
    errors: IntArray
    changes: IntArray


class Drawn(NamedTuple):
    """Samples of sentences; s samples.

    Attributes
    ----------
    sums : array of int, shape (s, c)
        Changes of the sentences that are taken whole.
    last : array of int, shape (s,)
        Row of the first sentence that is too much; -1 where all were taken.
    needed : array of int, shape (s,)
        Errors that are still to come, fewer than those of `last`.
    """

    sums: IntArray
    last: IntArray
    needed: IntArray


def drawn_sentences(options: ErrorRows, target: int, n_samples: int, rng: np.random.Generator) -> Drawn:
    """Draw sentences without replacement, each from one of its systems, while they have no more errors than wanted.

    A sample has its own strip of random numbers, whatever it is drawn together with. One 32-bit number chooses the
    sentence by its upper part and the system by what is left over; probabilities are off by less than r / 2³².

    Parameters
    ----------
    options : ErrorRows
    target : int
        Errors wanted.
    n_samples : int
    rng : numpy.random.Generator

    Returns
    -------
    Drawn

    Examples
    --------
    Three sentences with two errors each, five wanted: two sentences, and one error of the third.

    >>> one = np.ones(3, dtype=np.int64)
    >>> options = ErrorRows(first=np.arange(3), n_options=one, errors=2 * one, changes=one[:, None])
    >>> found = drawn_sentences(options, 5, 4, np.random.default_rng(1))
    >>> found.sums.ravel(), found.needed
    (array([2, 2, 2, 2]), array([1, 1, 1, 1]))
    """
    n = len(options.first)
    width = -(-n // 2)
    is_worth_it = is_loaded() or n_samples * n >= WORTH_COMPILING
    loop = compiled(draw_loop) if is_worth_it else None
    at_once = max(1, (_AT_ONCE_IN_STEP if loop is None else _AT_ONCE) // max(1, n))
    drawn = Drawn(
        sums=np.zeros((n_samples, options.changes.shape[1]), dtype=np.int64),
        last=np.full(n_samples, -1, dtype=np.int64),
        needed=np.full(n_samples, target, dtype=np.int64),
    )
    for start in range(0, n_samples, at_once):
        some = Drawn(*(part[start : start + at_once] for part in drawn))
        raw = rng.bit_generator.random_raw(len(some.last) * width)
        strips = raw.astype("<u8", copy=False).view("<u4").reshape(len(some.last), 2 * width)
        (loop or draw_in_step)(strips, *options, *some)
    return drawn


def draw_loop(
    strips: IntegerBuffer,
    first: IntegerBuffer,
    n_options: IntegerBuffer,
    errors: IntegerBuffer,
    changes: IntegerBuffer,
    sums: IntegerBuffer,
    last: IntegerBuffer,
    needed: IntegerBuffer,
) -> None:
    """Draw sample by sample; `sums`, `last` and `needed` are changed, and are as in :class:`Drawn`.

    `strips` has the random numbers, shape (s, e) or wider; the rest is as in :class:`ErrorRows`. The order is made as
    by Fisher and Yates, and only as far as it is needed.
    """
    n, n_columns = len(first), changes.shape[1]
    order = np.empty(n, dtype=np.int64)
    for sample in range(len(last)):
        for i in range(n):
            order[i] = i
        for i in range(n):
            scaled = np.int64(strips[sample, i]) * (n - i)
            place = i + (scaled >> _HALF)
            sentence = order[place]
            order[place] = order[i]
            row = first[sentence] + (((scaled & _LOWER) * n_options[sentence]) >> _HALF)
            if errors[row] > needed[sample]:
                last[sample] = row
                break
            needed[sample] -= errors[row]
            for column in range(n_columns):
                sums[sample, column] += changes[row, column]


def draw_in_step(
    strips: IntegerBuffer,
    first: IntegerBuffer,
    n_options: IntegerBuffer,
    errors: IntegerBuffer,
    changes: IntegerBuffer,
    sums: IntegerBuffer,
    last: IntegerBuffer,
    needed: IntegerBuffer,
) -> None:
    """Do what :func:`draw_loop` does, for all samples at once."""
    n, samples = len(first), np.arange(len(last))
    order = np.repeat(np.arange(n, dtype=np.int32)[:, None], len(samples), axis=1)
    is_open = np.ones(len(samples), dtype=np.bool_)
    for i in range(n):
        scaled = strips[:, i].astype(np.int64) * (n - i)
        place = i + (scaled >> _HALF)
        sentence = order[place, samples]
        order[place, samples] = order[i]
        row = first[sentence] + (((scaled & _LOWER) * n_options[sentence]) >> _HALF)
        fits = is_open & (errors[row] <= needed)
        last[is_open & ~fits] = row[is_open & ~fits]
        needed -= np.where(fits, errors[row], 0)
        sums += np.where(fits[:, None], changes[row], 0)
        is_open = fits
        if not is_open.any():
            break


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
    options : ErrorRows
        Sentences in which some system is wrong, as each of these systems has them.
    start : array of int, shape (r,)
        Where the forms of a row with fewer errors begin in `partial`: with the first error only, the first two, ….
    partial : array of int, shape (p, c)
        What these forms change in the sums.
    right : array, shape (k,)
        Counts of gold tags compared with themselves.
    expand : array, shape (c, k)
        From changes to counts: plus or minus the unit.
    places : dict of str to slice
        Columns of each measure.
    """

    n_words: int
    options: ErrorRows
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
    n_errors = errors[system, sentence]
    basis, signs = _basis(np.concatenate([whole, partial]))
    unit = _unit(whole, first)
    return Pool(
        n_words=tags.n_words,
        options=ErrorRows(first, n_options, n_errors, _in_units(whole[:, basis], unit)),
        start=np.cumsum(n_errors - 1) - (n_errors - 1),
        partial=_in_units(partial[:, basis], unit),
        right=right.sum(axis=0),
        expand=signs * unit,
        places=places,
    )


def _columns(measures: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, slice]]:
    """A measure of each kind of count, and where the columns of every measure stand when kinds stand side by side."""
    kinds = {MEASURES[name][0].columns: name for name in reversed(measures)}
    ends = np.cumsum([0, *map(len, kinds)]).tolist()
    slices = dict(zip(kinds, (slice(a, b) for a, b in pairwise(ends)), strict=True))
    return tuple(kinds.values()), {name: slices[MEASURES[name][0].columns] for name in measures}


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


def _forms(gold: BoolArray, predicted: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Gold tags of a sentence, and a system's with one error, two, …, all but one; the hindmost are put right first."""
    is_wrong = predicted != gold
    place = np.cumsum(is_wrong)
    n_errors = np.arange(1, place[-1])[:, None]
    return gold, np.where(is_wrong & (place <= n_errors), predicted, gold)


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
    placed: list[tuple[int, int, int]] = []
    for column in range(changes.shape[1]):
        values = changes[:, column]
        if not values.any():
            continue
        same = (
            (place, sign)
            for place, other in enumerate(basis)
            for sign in (1, -1)
            if np.array_equal(values, sign * changes[:, other])
        )
        place, sign = next(same, (len(basis), 1))
        if place == len(basis):
            basis.append(column)
        placed.append((place, column, sign))
    signs = np.zeros((len(basis), changes.shape[1]))
    for place, column, sign in placed:
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
_TABLE_2 = printed_table("tagging", "table_2")
PRINTED: dict[StudyCell, dict[int, int]] = {
    measure: {int(gap): n for gap, n in zip(_TABLE_2.columns[1:], samples, strict=True)}
    for (measure,), samples in _TABLE_2.values().items()
}
"""Smallest number of samples of each measure, by the gap in hundredths of a percentage point."""


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
        claims=_claims(needed),
        charts=[_chart(pvalue, work, float(request.options["unit"]), alpha / len(_PAIRS))],
        sentences=_sentences(needed, work, request.number("rounds")),
        differences=_DIFFERENCES[request.as_published],
        notes=_notes(work, used[0]),
    )
    return with_tags(answer, used, is_demo=tagged is None)


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
    schedule = tuple(n for n in _scheduled(request) if n <= most) or (most,)
    pool = pool_of(one.tags, DEFAULT_MEASURES)
    n_drawn = request.number("rounds") * schedule[-1] * len(STEPS) * len(pool.options.first)
    return _SamplingPlan(pool, errors, schedule, request.as_published, n_drawn >= WORTH_COMPILING)


def _scheduled(request: StudyRequest) -> tuple[int, ...]:
    """The numbers of samples that are tried, as the option lists them."""
    text = str(request.options["schedule"])
    parts = text.replace(",", " ").split()
    numbers = [int(part) for part in parts if part.isdecimal()]
    if (
        len(numbers) < len(parts)
        or not numbers
        or numbers != sorted(set(numbers))
        or numbers[0] < _LEAST_SAMPLES
    ):
        raise BetterThanError(
            f'The schedule is "{text}", but must be rising numbers of samples from {_LEAST_SAMPLES} on, separated by '
            "commas."
        )
    return tuple(numbers)


_LEAST_SAMPLES = 2
"""A t-test needs a variance."""


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
    """Measures by discriminative power: those that need fewer samples, summed in ranks of what occurs, first."""
    known = sorted({n for numbers in needed.values() for n in numbers if n is not None})
    rank = {n: i for i, n in enumerate(known)}
    return sorted(needed, key=lambda name: sum(len(rank) if n is None else rank[n] for n in needed[name]))


def printed_at(measure: str, gap: float) -> int | None:
    """Return what table 2 prints for two levels so many percentage points apart; None where it has no such gap.

    Examples
    --------
    >>> printed_at("f1_mult", 0.05), printed_at("f1_mult", 0.25)
    (2000, None)
    """
    hundredths = round(100 * gap, 6)
    return PRINTED[measure].get(int(hundredths)) if hundredths == int(hundredths) else None


def _table_2(needed: dict[str, list[int | None]], unit: float, *, as_published: bool) -> StudyTable:
    order = _order(needed)
    literal = LITERAL if as_published else {}
    return StudyTable(
        name="table-2",
        title="Fewest samples for which two levels of errors differ significantly, by their gap in percentage points",
        columns=("measure", *(f"{gap * unit:g}" for gap in _GAPS)),
        rows=tuple((f"{name}_as_published" if name in literal else name, *needed[name]) for name in order),
        printed=tuple((None, *(printed_at(name, gap * unit) for gap in _GAPS)) for name in order),
        notes=(
            (
                "The paper's numbers are shown where the gap is the same; they are of levels from 30 percent on, on "
                "other data. A dash: not with as many samples as were drawn."
            ),
        ),
    )


def _pvalues(pvalue: FloatArray, work: _SamplingPlan) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
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
    return figure(
        (
            Mark(
                f"{gap * unit:g} point{'s' * (gap * unit != 1)} apart",
                tag_measure_name(name),
                n,
                float(means[i, g, k]),
            )
            for g, gap in enumerate(_GAPS)
            for k, name in enumerate(DEFAULT_MEASURES)
            for i, n in enumerate(work.schedule)
        ),
        name="p-values",
        title="Mean p-value of two levels of errors, by number of samples",
        x="samples (logarithmic)",
        y="mean p-value (logarithmic)",
        log_x=True,
        log_y=True,
        rule=enough,
        note=(
            "Panels: levels so many percentage points apart. "
            f"Dashed: {enough:g}, the significance level after Bonferroni's correction."
        ),
    )


_PHRASES = ("phrase_f1_mult", "sequence_correlation", "phrase_f1_bad")


def _claims(needed: dict[str, list[int | None]]) -> list[Claim]:
    """What section 3.2 concludes from table 2, by the samples that each measure needs, gap by gap."""

    def pairs(first: str, second: str) -> list[tuple[float, float]]:
        both = zip(needed[first], needed[second], strict=True)
        return [(a or np.inf, b or np.inf) for a, b in both if (a, b) != (None, None)]

    def fewer(firsts: Sequence[str], others: Sequence[str]) -> tuple[int, int, int]:
        """Comparisons in which the first needs fewer samples, as many, and more."""
        every = [pair for first in firsts for other in others for pair in pairs(first, other)]
        return (
            sum(a < b for a, b in every),
            sum(a == b for a, b in every),
            sum(a > b for a, b in every),
        )

    def claim(text: str, firsts: Sequence[str], others: Sequence[str], *, at_least: bool = False) -> Claim:
        """Whether the first need fewer samples than the others, or at least not more."""
        less, same, more = fewer(firsts, others)
        good = less + same if at_least else less
        holds = UNKNOWN if not less + same + more else IN_PART if good and more else bool(good)
        seen = f"fewer samples in {less}, as many in {same}, more in {more} comparisons"
        return Claim(text, "section 3.2, table 2", holds, seen)

    words = ("f1_mult", "mcc", "f1_bad")
    return [
        claim("F1-mult needs the fewest samples", ["f1_mult"], ["mcc", "f1_bad", *_PHRASES]),
        claim("MCC performs as well as F1-mult", ["mcc"], ["f1_mult"], at_least=True),
        claim("F1-mult needs fewer samples than F1-BAD", ["f1_mult"], ["f1_bad"]),
        claim("measures of words need fewer samples than those of phrases", words, _PHRASES),
    ]


def _sentences(needed: dict[str, list[int | None]], work: _SamplingPlan, rounds: int) -> tuple[str, ...]:
    return (
        f"From the most to the least discriminating: {listing([tag_measure_name(name) for name in _order(needed)])}.",
        (
            f"{counted(rounds, 'round')} of up to {counted(work.schedule[-1], 'sample')} at each of {len(STEPS)} "
            f"levels of {listing([f'{n:,}' for n in work.errors])} wrong tags."
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
