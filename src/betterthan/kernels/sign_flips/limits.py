r"""Intervals of mean differences by documents: all values that the sign-flip test of whole documents does not reject.

With :math:`D_g` the sum of the differences in document g and :math:`n_g` its number of segments, the hypothesis "the
mean difference per segment is :math:`\delta`" makes the signs of :math:`D_g - \delta n_g` a toss-up. A sum under
random signs is at least as large as the observed one where the documents S whose signs turned have
:math:`\sum_S (D_g - \delta n_g) \le 0`, so

.. math:: p(\delta) = \frac{2}{2^G} \, \#\Big\{ S : S = \emptyset \text{ or }
          \frac{\sum_S D_g}{\sum_S n_g} \le \delta \Big\} \qquad \text{for } \delta \text{ below the mean,}

which only grows with :math:`\delta`: the limits are order statistics of the means over all sets of documents
(Hartigan 1969). Nothing is drawn, and the limits of a pair depend on the scores of that pair alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.sign_flips.all_pairs import MOST_ENUMERATED, certain_tails
from betterthan.kernels.sign_flips.inversion import REACH, inverted_tails, is_clumped
from betterthan.kernels.sign_flips.unit import in_units, natural_unit

Limits = tuple[FloatArray, FloatArray]
PValues = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
MOST_LISTED = 16  # documents whose sets are listed one by one: 65,536 means, less than a millisecond a pair
MOST_ADDITIONS = (
    1 << 20
)  # to sort all sets by size and sum, 3 ms a pair; beyond, jumps move limits by 1% at most
MOST_SORTED = 500  # documents whose sets can be counted in a float
MEANS_AT_ONCE = 1 << 16  # so that they stay in the cache
ROWS_AT_ONCE = 1 << 16  # differences in work at once
TIED = 0.5e-12  # share of the sum of |D| below which a sum is 0, as in the test itself
CLOSE = 1e-5  # relative step of the secant method that is the last: the next one would be of its square
SETTLED = 1e-3  # and the quantile of its p-value is so near
TIGHT = 1e-8  # relative width of a bracket in which p jumps past alpha
PATIENCE = 8  # steps, after which every other one halves the bracket
MOST_STEPS = 80
LARGEST = 4  # differences whose signs are all tried where they outweigh the others
DOUBT = 0.01  # share of the half-width by which the error of a p-value may move a limit


def sign_flip_limits(
    sums: FloatArray, sizes: FloatArray, *, confidence: float, start: Limits, pairs: tuple[IntArray, IntArray]
) -> Limits:
    r"""Return the limits between which the two-sided sign-flip test of documents rejects no mean difference.

    Up to 16 documents all :math:`2^G - 1` means are listed [1]_. For more, :math:`p(\delta) = \alpha` is solved for
    each limit [2]_, with p-values by inversion of their characteristic function
    (:func:`betterthan.kernels.sign_flips.inversion.inverted_tails`). Where these might move a limit by more than one
    percent of the half-width (17 documents, or one that outweighs all others), the signs of all or of the four largest
    documents are tried one by one. Where many documents are equal, as with right and wrong, see :func:`sorted_limits`.

    Parameters
    ----------
    sums : array, shape (m, G)
        Sums of scores by document, none missing.
    sizes : array, shape (G,)
        Segments in each document.
    confidence : float
    start : tuple of array, shape (pairs,)
        About where the limits are; only the speed depends on it.
    pairs : tuple of array of int, shape (pairs,)
        Which systems are compared. Their differences must not be the same on all segments.

    Returns
    -------
    low, high : array, shape (pairs,)
        Both ends belong to the interval. Infinite where so few documents reject nothing, see :func:`has_limits`.

    References
    ----------
    .. [1] Hartigan (1969), Using subsample values as typical values, J. American Statistical Association 64.
    .. [2] Tritchler (1984), On inverting permutation tests, J. American Statistical Association 79.

    Examples
    --------
    Six documents of one segment: only one sign vector on either side is as extreme, so the limits are the smallest
    and the largest difference.

    >>> sums = np.array([[3.0, 5, 4, 6, 5, 7], [2.0, 3, 3, 3, 4, 5]])
    >>> where = np.array([0]), np.array([1])
    >>> about = np.array([0.9]), np.array([2.5])
    >>> sign_flip_limits(sums, np.ones(6), confidence=0.95, start=about, pairs=where)
    (array([1.]), array([3.]))
    """
    left, right = pairs
    low, high = np.full(left.size, -np.inf), np.full(left.size, np.inf)
    if not has_limits(sizes.size, confidence):
        return low, high
    step = max(1, ROWS_AT_ONCE // sizes.size)
    for first in range(0, left.size, step):
        here = slice(first, first + step)
        differences = sums[left[here]] - sums[right[here]]
        low[here], high[here] = _limits(differences, sizes, confidence, (start[0][here], start[1][here]))
    return low, high


def has_limits(n_documents: int, confidence: float) -> bool:
    """Whether this many documents can reject anything at all.

    The smallest one-sided p-value is that of one of 2**G sign vectors.

    Examples
    --------
    >>> has_limits(5, 0.95), has_limits(6, 0.95)
    (False, True)
    """
    return _rank(n_documents, confidence) >= 1


def without_zero(low: FloatArray, high: FloatArray, *, where: BoolArray) -> Limits:
    """Move the nearer limit past 0 in the intervals chosen, by a millionth of their width.

    For differences that the test rejects by a hair, where the last step of a solver or a jump of p ends at 0 or on its
    other side.

    Examples
    --------
    >>> without_zero(np.array([0.0, -1.0]), np.array([2.0, 1.0]), where=np.array([True, False]))
    (array([ 2.e-06, -1.e+00]), array([2., 1.]))
    """
    hair = 1e-6 * (high - low)
    is_above = low + high > 0
    return (
        np.where(where & is_above, np.maximum(low, hair), low),
        np.where(where & ~is_above, np.minimum(high, -hair), high),
    )


def _rank(n_documents: int, confidence: float) -> float:
    """Which of the means in order is the limit: the largest k with 2k / 2**G of at most 1 - confidence."""
    # 1 - 0.95 is not 0.05 to the last bit.
    return math.floor((1 - confidence) * (1 + 1e-12) * math.ldexp(1.0, min(n_documents, 1000) - 1))


def _limits(differences: FloatArray, sizes: FloatArray, confidence: float, start: Limits) -> Limits:
    if sizes.size <= MOST_LISTED:
        return listed_limits(differences, sizes, confidence=confidence)
    total = float(sizes.sum())
    mean = differences.sum(axis=1) / total
    rest = differences - mean[:, None] * sizes
    low, high = np.full((2, len(mean)), np.nan)
    for row in np.flatnonzero(is_clumped(np.abs(rest))):
        ends = sorted_limits(differences[row], sizes, confidence=confidence)
        low[row], high[row] = (np.nan, np.nan) if ends is None else ends
    smooth = np.flatnonzero(np.isnan(low))
    mean, rest = mean[smooth], rest[smooth]
    scale = np.sqrt((rest * rest).sum(axis=1))
    # The upper limit is the negated lower one of the negated differences: one solver for both.
    rows = np.concatenate([rest, -rest]) / np.tile(scale, 2)[:, None]
    about = np.concatenate([mean - start[0][smooth], start[1][smooth] - mean]) * total / np.tile(scale, 2)
    reach = _distances(rows, sizes / total, 1 - confidence, about).reshape(2, -1) * scale / total
    low[smooth], high[smooth] = mean - reach[0], mean + reach[1]
    return low, high


def listed_limits(differences: FloatArray, sizes: FloatArray, *, confidence: float) -> Limits:
    """Return the limits by listing the means over all sets of documents, 2**G of them for each pair.

    Parameters
    ----------
    differences : array, shape (pairs, G)
        Of sums over documents.
    sizes : array, shape (G,)
    confidence : float

    Examples
    --------
    >>> listed_limits(np.array([[1.0, 4.0, 1.0]]), np.array([1.0, 2.0, 2.0]), confidence=0.75)
    (array([0.5]), array([2.]))
    """
    k = int(_rank(sizes.size, confidence))
    weight = _sums_of_sets(sizes[None])[0, 1:]
    low, high = np.empty((2, len(differences)))
    step = max(1, MEANS_AT_ONCE >> sizes.size)
    for first in range(0, len(differences), step):
        here = differences[first : first + step]
        means = _sums_of_sets(here)[:, 1:]
        means[np.abs(means) <= TIED * np.abs(here).sum(axis=1, keepdims=True)] = 0.0
        means /= weight
        means.partition((k - 1, weight.size - k), axis=1)
        low[first : first + step], high[first : first + step] = means[:, k - 1], means[:, -k]
    return low, high


def sorted_limits(
    differences: FloatArray, sizes: FloatArray, *, confidence: float
) -> tuple[float, float] | None:
    """Return the limits of one pair by counting the sets of documents of each size and sum; None where these are many.

    With whole-number scores p jumps where many sets have the same mean, and an inversion would smooth the jump.

    Parameters
    ----------
    differences, sizes : array, shape (G,)
    confidence : float

    Examples
    --------
    >>> sorted_limits(np.array([1.0, 4.0, 1.0]), np.array([1.0, 2.0, 2.0]), confidence=0.75)
    (0.5, 2.0)
    """
    unit = natural_unit(differences)
    if unit is None or sizes.size > MOST_SORTED:
        return None
    d, n = in_units(differences, unit).astype(np.int64), sizes.astype(np.int64)
    n_sums = int(np.abs(d).sum()) + 1
    if (int(n.sum()) + 1) * n_sums * n.size > MOST_ADDITIONS:
        return None
    zero = -int(d[d < 0].sum())
    ways = np.zeros((int(n.sum()) + 1, n_sums))
    ways[0, zero] = 1.0
    for size, step in zip(n.tolist(), d.tolist(), strict=True):
        up, down = max(step, 0), max(-step, 0)
        ways[size:, up : n_sums - down] += ways[:-size, down : n_sums - up].copy()
    ways[0, zero] = 0.0
    segments, sums = np.nonzero(ways)
    means, times = (sums - zero) / segments, ways[segments, sums]
    order = np.argsort(means, kind="stable")
    k = _rank(sizes.size, confidence)
    low, high = (
        order[turn][np.searchsorted(times[order[turn]].cumsum(), k)]
        for turn in (slice(None), slice(None, None, -1))
    )
    return float(unit * means[low]), float(unit * means[high])


def _sums_of_sets(values: FloatArray) -> FloatArray:
    """Sums of each row over all sets of columns, the empty one first; shape (rows, 2**G)."""
    sums = np.zeros((len(values), 1 << values.shape[1]))
    for i in range(values.shape[1]):
        np.add(sums[:, : 1 << i], values[:, i, None], out=sums[:, 1 << i : 2 << i])
    return sums


def _distances(rest: FloatArray, share: FloatArray, alpha: float, about: FloatArray) -> FloatArray:
    """How far below the mean p is alpha, in units of the scale of `rest`.

    Parameters
    ----------
    rest : array, shape (rows, G)
        What documents differ by from the mean; of sum 0 and length 1.
    share : array, shape (G,)
        Of documents in all segments.
    alpha : float
    about : array, shape (rows,)
        Where to start.
    """
    quantile = -ndtri(alpha / 2)
    density = math.exp(-(quantile**2) / 2) / math.sqrt(2 * math.pi)
    distance, error = _solved(_by_inversion, rest, share, quantile, about)
    in_doubt = error > 2 * density * DOUBT * quantile
    counted = _by_counting if share.size <= MOST_ENUMERATED else _by_largest
    distance[in_doubt], _ = _solved(counted, rest[in_doubt], share, quantile, distance[in_doubt])
    return distance


def _by_inversion(differences: FloatArray, edge: FloatArray) -> tuple[FloatArray, FloatArray]:
    return inverted_tails(np.abs(differences), edge, np.zeros(len(edge)))


def _by_counting(differences: FloatArray, edge: FloatArray) -> tuple[FloatArray, FloatArray]:
    return certain_tails(differences, unit=0.0)[:, 1], 0.0 * edge


def _by_largest(differences: FloatArray, edge: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Average, over all signs of the largest differences, the tails of the others, which none outweighs any more."""
    sizes = np.sort(np.abs(differences), axis=1)
    others, largest = np.split(sizes, [-LARGEST], axis=1)
    ahead = edge[:, None] - 2 * _sums_of_sets(largest) + largest.sum(axis=1, keepdims=True)
    farthest = REACH * np.sqrt(
        (others * others).sum(axis=1, keepdims=True)
    )  # beyond which nothing is left to add
    edges = np.minimum(np.abs(ahead), farthest).ravel()
    both = inverted_tails(np.repeat(others, ahead.shape[1], axis=0), edges, np.zeros(edges.size))
    tail, error = both.pvalue.reshape(ahead.shape) / 2, both.error.reshape(ahead.shape) / 2
    return 2 * np.where(ahead > 0, tail, 1 - tail).mean(axis=1), 2 * error.mean(axis=1)


def _solved(
    pvalues: PValues, rest: FloatArray, share: FloatArray, quantile: float, about: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Where the two-sided p-value has this normal quantile, and the error of the last p-value.

    The quantile of p is 0 at the mean and grows nearly in proportion to the distance from it, so the secant method
    needs three or four p-values a limit; steps that leave the bracket are halved.
    """
    least = max(math.ldexp(1.0, -share.size), 1e-15)
    inner, outer = np.zeros(len(rest)), (-rest / share).max(axis=1)  # beyond, all differences have one sign
    before, z_before = np.zeros(len(rest)), np.zeros(len(rest))
    now, error = np.where((about > 0) & (about < outer), about, outer / 2), np.zeros(len(rest))
    open_ = np.arange(len(rest))
    for step in range(MOST_STEPS):
        h = now[open_]
        p, error[open_] = pvalues(rest[open_] + h[:, None] * share, h)
        z = -ndtri(np.clip(p / 2, least, 0.5))
        low, high = np.where(z < quantile, (h, outer[open_]), (inner[open_], h))
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = h + (quantile - z) * (h - before[open_]) / (z - z_before[open_])
        good = (guess >= low) & (guess <= high) & (step < PATIENCE or step % 2 == 0)
        guess = np.where(good, guess, (low + high) / 2)
        before[open_], z_before[open_], now[open_], inner[open_], outer[open_] = h, z, guess, low, high
        is_near = (np.abs(guess - h) <= CLOSE * h) & (np.abs(z - quantile) <= SETTLED)
        open_ = open_[~is_near & (high - low > TIGHT * h)]
        if not open_.size:
            break
    return now, error
