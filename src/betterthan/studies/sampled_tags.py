"""Word tags with a chosen share of errors, drawn from the outputs of real systems."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.tag_counts import MEASURES
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.tables.tags import WordTags

_SAMPLES_AT_ONCE = 100


class Pool(NamedTuple):
    """What data sets are drawn from; m systems, n sentences, w words.

    Attributes
    ----------
    gold : array of bool, shape (w,)
    predicted : array of bool, shape (m, w)
    offsets : array of int, shape (n + 1,)
    errors : array of int, shape (m, n)
        Wrong tags of each system in each sentence.
    eligible : array of int, shape (E,)
        Sentences in which some system is wrong.
    options : array of int, shape (E, m)
        The systems that are wrong there, the others behind them.
    n_options : array of int, shape (E,)
    kinds : tuple of str
        A measure of each kind of count.
    right : tuple of arrays, shape (n, k)
        Counts of gold tags held against themselves, kind by kind.
    wrong : tuple of arrays, shape (m, n, k)
        What a system's sentence changes in them.
    """

    gold: BoolArray
    predicted: BoolArray
    offsets: IntArray
    errors: IntArray
    eligible: IntArray
    options: IntArray
    n_options: IntArray
    kinds: tuple[str, ...]
    right: tuple[FloatArray, ...]
    wrong: tuple[FloatArray, ...]


def pool_of(tags: WordTags, measures: tuple[str, ...]) -> Pool:
    """Count everything once: sums over sentences are all that a drawn data set needs."""
    counters = {MEASURES[name][0].columns: name for name in reversed(measures)}
    kinds = tuple(counters.values())
    right = tuple(_counts(kind, tags.gold, tags.gold[None], tags.offsets)[0] for kind in kinds)
    found = (_counts(kind, tags.gold, tags.predicted, tags.offsets) for kind in kinds)
    is_wrong = tags.predicted != tags.gold
    errors = np.add.reduceat(is_wrong.astype(np.int64), tags.offsets[:-1], axis=1) * (
        np.diff(tags.offsets) > 0
    )
    eligible = np.flatnonzero(errors.any(axis=0))
    has = errors[:, eligible].T > 0
    return Pool(
        gold=tags.gold,
        predicted=tags.predicted,
        offsets=tags.offsets,
        errors=errors,
        eligible=eligible,
        options=np.argsort(~has, axis=1, kind="stable"),
        n_options=has.sum(axis=1),
        kinds=kinds,
        right=right,
        wrong=tuple(each - own for each, own in zip(found, right, strict=True)),
    )


def _counts(measure: str, gold: BoolArray, predicted: BoolArray, offsets: IntArray) -> FloatArray:
    return MEASURES[measure][0].count(gold, predicted, offsets)


def sampled_scores(
    pool: Pool, measures: tuple[str, ...], n_errors: int, n_samples: int, rng: np.random.Generator
) -> FloatArray:
    """Draw data sets with exactly so many wrong tags, and score them; shape (n_samples, measures).

    Whole sentences with errors are drawn, each sentence once, from one of the systems that are wrong there, until there
    are errors enough; surplus errors of the last sentence are put right, the hindmost first. All other sentences have
    gold tags.

    Raises
    ------
    BetterThanError
        When the systems do not make as many errors.
    """
    parts = [
        _sampled(pool, measures, n_errors, min(_SAMPLES_AT_ONCE, n_samples - start), rng)
        for start in range(0, n_samples, _SAMPLES_AT_ONCE)
    ]
    return np.concatenate(parts)


def _sampled(
    pool: Pool, measures: tuple[str, ...], n_errors: int, size: int, rng: np.random.Generator
) -> FloatArray:
    order = np.argsort(rng.random((size, pool.eligible.size)), axis=1)
    choice = np.floor(rng.random(order.shape) * pool.n_options[order]).astype(np.int64)
    system, sentence = pool.options[order, choice], pool.eligible[order]
    total = np.cumsum(pool.errors[system, sentence], axis=1)
    if n_errors > 0 and (not total.shape[1] or (total[:, -1] < n_errors).any()):
        least = int(total[:, -1].min()) if total.shape[1] else 0
        raise BetterThanError(
            f"{n_errors} of {pool.gold.size} tags are to be wrong, but drawn sentences of these systems have as few as "
            f"{least} errors. Choose a lower level, such as --set level={80 * least / pool.gold.size:.2g}."
        )
    whole = total <= n_errors
    last = whole.sum(axis=1)
    kept = np.where(last > 0, total[np.arange(size), np.maximum(last - 1, 0)], 0)
    needed = n_errors - kept
    trimmed = _trimmed(pool, system, sentence, last, needed)
    sums = {
        kind: pool.right[i].sum(axis=0)
        + np.where(whole[:, :, None], pool.wrong[i][system, sentence], 0.0).sum(axis=1)
        + trimmed[i]
        for i, kind in enumerate(pool.kinds)
    }
    by_columns = {MEASURES[kind][0].columns: values for kind, values in sums.items()}
    return np.stack([MEASURES[name][1](by_columns[MEASURES[name][0].columns]) for name in measures], axis=1)


def _trimmed(
    pool: Pool, system: IntArray, sentence: IntArray, last: IntArray, needed: IntArray
) -> list[FloatArray]:
    """What the last sentence of each sample changes, with as many errors as are still needed; (samples, k) by kind."""
    size = len(last)
    rows = np.flatnonzero(needed > 0)
    changed = [np.zeros((size, right.shape[1])) for right in pool.right]
    if not rows.size:
        return changed
    gold, tags, sentences = [], [], sentence[rows, last[rows]]
    for row, j in zip(rows.tolist(), sentences.tolist(), strict=True):
        words = slice(pool.offsets[j], pool.offsets[j + 1])
        own = pool.predicted[system[row, last[row]], words].copy()
        surplus = np.flatnonzero(own != pool.gold[words])[needed[row] :]
        own[surplus] = pool.gold[words][surplus]
        gold.append(pool.gold[words])
        tags.append(own)
    offsets = np.cumsum([0, *(len(one) for one in gold)])
    for i, kind in enumerate(pool.kinds):
        counts = _counts(kind, np.concatenate(gold), np.concatenate(tags)[None], offsets)[0]
        changed[i][rows] = counts - pool.right[i][sentences]
    return changed
