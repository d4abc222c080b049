r"""Sign-flip p-values of differences on a lattice of many points: percentages, grades from 0 to 100, shares of wins.

On a lattice finitely many frequencies say everything about the null distribution. Where they are thousands, most of
them add nothing: the product of cosines is negligible there after a few factors. So the sizes are taken one after the
other, the most frequent first, and a frequency is left out once its product cannot be seen.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.sign_flips.inversion import REACH, ROUNDING, Tails

MOST_FREQUENCIES = 1 << 17  # then a referee takes no longer
NEGLIGIBLE = -50.0  # logarithm of a product of cosines; what is left out adds up to less than 1e-20
FEW_FREQUENCIES = 512  # are multiplied by all cosines at once
ZERO = -1e4  # stands for the logarithm of 0
FrequencyArray = npt.NDArray[np.uint32]


def fine_lattice_tails(sizes: FloatArray, edge: FloatArray, step: FloatArray) -> Tails:
    r"""Return P(|T| ≥ edge) of pairs whose differences are multiples of a step, by the frequencies that count.

    The formula is that of :func:`~betterthan.kernels.sign_flips.inversion.lattice_tails`. A pair needs
    :math:`J \approx 2\sqrt{\sum d^2}` frequencies, in units of the step, and some 5 J cosines, read from a table.

    Parameters
    ----------
    sizes, edge, step
        As for :func:`~betterthan.kernels.sign_flips.inversion.inverted_tails`, with positive steps.

    Returns
    -------
    Tails
        The error is infinite where J would have to be more than 131,072, and otherwise that of rounding and of what
        wraps around the circle.

    Examples
    --------
    >>> d = np.array([[5.0, 5, 10, -1, 5, 1, 10, -5, 5, 1]])
    >>> tails = fine_lattice_tails(np.abs(d), np.abs(d.sum(axis=1)), np.ones(1))
    >>> round(float(tails.pvalue[0]) * 1024, 6)
    56.0
    """
    whole, middle = np.rint(sizes / step[:, None]), np.rint(edge / step).astype(np.int64) - 1
    need = (middle + REACH * np.sqrt((whole * whole).sum(axis=1))) / 4
    pvalue, error = np.ones(len(sizes)), np.full(len(sizes), np.inf)
    for row in np.flatnonzero(need <= MOST_FREQUENCIES).tolist():
        n_frequencies = 1 << max(6, math.ceil(math.log2(need[row])))
        pvalue[row] = 1 - _inside(whole[row].astype(np.int64), int(middle[row]), n_frequencies)
        error[row] = ROUNDING + 2 * math.exp(-(REACH**2) / 2)
    return Tails(np.clip(pvalue, 0.0, 1.0), error)


def _inside(whole: IntArray, middle: int, n_frequencies: int) -> float:
    """P(|T| ≤ middle) of one pair, by J frequencies, a power of two."""
    counts = np.bincount(whole)
    counts[0] = 0
    by_count = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    alive, level, is_negative = _products(by_count, counts[by_count], n_frequencies)
    turn = np.uint32(4 * n_frequencies - 1)
    # sin(ω k), from the remainder of j k after a full turn, so that a large argument loses no digits.
    angle = (alive * np.uint32(middle & int(turn)) & turn) * (np.pi / (2 * n_frequencies))
    kernel = np.sin(angle) / (n_frequencies * np.sin(alive * (np.pi / (2 * n_frequencies))))
    kernel[alive == n_frequencies] /= 2  # the highest frequency is its own mirror image
    size = np.exp(level)
    return float(middle / (2 * n_frequencies) + (kernel * np.where(is_negative, -size, size)).sum())


def _products(
    sizes: IntArray, counts: IntArray, n_frequencies: int
) -> tuple[FrequencyArray, FloatArray, npt.NDArray[np.bool_]]:
    """Frequencies whose product of cosines counts: their numbers, logarithms of the products, and whether negative."""
    logarithm, turn = _log_cosines(n_frequencies), np.uint32(4 * n_frequencies - 1)
    alive = np.arange(1, n_frequencies + 1, dtype=np.uint32)
    level, n_negative = np.zeros(n_frequencies), np.zeros(n_frequencies, dtype=np.int64)
    done = 0
    while done < sizes.size:
        # One at a time while there are many frequencies; products of whole numbers wrap around at a multiple of a turn.
        some = slice(done, sizes.size if alive.size <= FEW_FREQUENCIES else done + 1)
        place = alive * sizes[some, None].astype(np.uint32) & turn
        is_turned = (place > n_frequencies) & (place < 3 * n_frequencies)
        level += counts[some] @ logarithm[place & (turn >> np.uint32(1))]
        n_negative += counts[some] @ is_turned
        is_alive = level > NEGLIGIBLE
        alive, level, n_negative = alive[is_alive], level[is_alive], n_negative[is_alive]
        done = int(some.stop)
    return alive, level, n_negative % 2 == 1


@lru_cache(maxsize=2)
def _log_cosines(n_frequencies: int) -> FloatArray:
    """Logarithms of |cos(π k / 2J)| for k = 0, …, 2J - 1, a period."""
    cosine = np.abs(np.cos(np.pi / (2 * n_frequencies) * np.arange(2 * n_frequencies)))
    cosine[n_frequencies] = 0.0
    table = np.full(cosine.size, ZERO)
    np.log(cosine, out=table, where=cosine > 0)
    return table
