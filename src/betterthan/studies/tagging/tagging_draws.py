"""Sentences drawn one after the other until there are errors enough: as a loop, and for many samples in step.

Both do the same with whole numbers, so that their results are the same to the bit. The loop is for numba; without it
the steps of all samples are taken together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import IntArray
from betterthan.kernels.compiled import compiled, is_loaded

Numbers = npt.NDArray[Any]
_HALF = 32
_LOWER = 2**32 - 1
# Random numbers of a batch: few enough to stay in a cache, or many enough to pay for the steps.
_AT_ONCE, _AT_ONCE_IN_STEP = 2**18, 2**22
WORTH_COMPILING = 10_000_000
"""Sentences to be drawn that take longer in step than loading the compiler does."""


class Options(NamedTuple):
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


def drawn_sentences(options: Options, target: int, n_samples: int, rng: np.random.Generator) -> Drawn:
    """Draw sentences without replacement, each from one of its systems, while they have no more errors than wanted.

    A sample has its own strip of random numbers, whatever it is drawn together with. One 32-bit number chooses the
    sentence by its upper part and the system by what is left over; probabilities are off by less than r / 2³².

    Parameters
    ----------
    options : Options
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
    >>> options = Options(first=np.arange(3), n_options=one, errors=2 * one, changes=one[:, None])
    >>> found = drawn_sentences(options, 5, 4, np.random.default_rng(1))
    >>> found.sums.ravel(), found.needed
    (array([2, 2, 2, 2]), array([1, 1, 1, 1]))
    """
    n = len(options.first)
    width = -(-n // 2)
    is_worth_it = is_loaded() or n_samples * n >= WORTH_COMPILING
    loop = compiled(draw_loop) if is_worth_it else None
    at_once = max(1, (_AT_ONCE_IN_STEP if loop is None else _AT_ONCE) // max(1, n))
    found = Drawn(
        sums=np.zeros((n_samples, options.changes.shape[1]), dtype=np.int64),
        last=np.full(n_samples, -1, dtype=np.int64),
        needed=np.full(n_samples, target, dtype=np.int64),
    )
    for start in range(0, n_samples, at_once):
        some = Drawn(*(part[start : start + at_once] for part in found))
        raw = rng.bit_generator.random_raw(len(some.last) * width)
        strips = raw.astype("<u8", copy=False).view("<u4").reshape(len(some.last), 2 * width)
        (loop or draw_in_step)(strips, *options, *some)
    return found


def draw_loop(
    strips: Numbers,
    first: Numbers,
    n_options: Numbers,
    errors: Numbers,
    changes: Numbers,
    sums: Numbers,
    last: Numbers,
    needed: Numbers,
) -> None:
    """Draw sample by sample; `sums`, `last` and `needed` are changed, and are as in :class:`Drawn`.

    `strips` has the random numbers, shape (s, e) or wider; the rest is as in :class:`Options`. The order is made as by
    Fisher and Yates, and only as far as it is needed.
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
    strips: Numbers,
    first: Numbers,
    n_options: Numbers,
    errors: Numbers,
    changes: Numbers,
    sums: Numbers,
    last: Numbers,
    needed: Numbers,
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
