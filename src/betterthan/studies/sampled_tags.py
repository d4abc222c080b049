"""Word tags with a chosen share of errors, drawn from the outputs of real systems."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from betterthan.analysis.tag_counts import MEASURES
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.kernels import spans
from betterthan.kernels.confusion import segment_sums
from betterthan.studies.tagging_draws import Drawn, Options, drawn_sentences
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
            f"{n_errors} of {pool.n_words} tags are to be wrong, but drawn sentences of these systems have as few as "
            f"{least} errors. Choose a lower level, such as --set level={80 * least / pool.n_words:.2g}."
        )
