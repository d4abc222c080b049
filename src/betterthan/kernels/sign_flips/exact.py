r"""Exact sign-flip p-values: every way of swapping A and B is counted, none is drawn.

Under the null hypothesis each paired difference is as likely to be :math:`d_i` as :math:`-d_i`. The statistic
is the sum :math:`T = \sum_i \varepsilon_i d_i` with independent fair signs, and the observed one is
:math:`t = \sum_i d_i`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.compiled import compiled, is_loaded
from betterthan.kernels.sign_flips.unit import in_units, natural_unit

ComplexArray = npt.NDArray[np.complex128]
Alternative = Literal["two-sided", "greater", "less"]

TIE_TOLERANCE = 1e-12  # sums closer than this share of the sum of |d| are ties
MOST_ENUMERATED = 40  # nonzero differences; two halves of 2**20 sums each
FEW_ENUMERATED = 20  # below this, enumeration is quicker than any convolution
PLAIN_ADDITIONS = 4e6  # of the plain convolution where a transform of ten milliseconds would do as well
MOST_ADDITIONS = 2e8  # of the plain convolution
MOST_LATTICE_POINTS = 4_000_000  # of the tilted one
TILTED_ADDITIONS = (
    700  # a point of the tilted convolution takes as long as so many additions of the plain one
)
NEGLIGIBLE = 1e-20


class Tail(NamedTuple):
    """Null probability of a statistic beyond the observed one, and of one equal to it.

    Examples
    --------
    >>> Tail(beyond=0.25, tied=0.5).pvalue
    0.75
    """

    beyond: float
    tied: float

    @property
    def pvalue(self) -> float:
        """Probability of a statistic at least as extreme as the observed one."""
        return min(1.0, self.beyond + self.tied)


def exact_sign_flip(
    differences: FloatArray,
    *,
    alternative: Alternative = "two-sided",
    most_additions: float = math.inf,
    most_enumerated: int = MOST_ENUMERATED,
) -> Tail | None:
    r"""Exact tail of the sign-flip test, or None when it is out of reach.

    .. math:: p = P(|T| \ge |t|), \qquad P(T \ge t) \text{ for "greater"}, \qquad P(T \le t) \text{ for "less"}

    Parameters
    ----------
    differences : array, shape (n,)
        Paired differences of segments, or of groups summed as units. Zeros change nothing; NaN is left out.
    alternative : {"two-sided", "greater", "less"}
    most_additions : float, optional
        What a convolution may cost; a second has about 10⁹ of them.
    most_enumerated : int, default 40
        Nonzero differences up to which all sums are listed; 40 take a third of a second, 30 a hundredth of that.

    Returns
    -------
    Tail or None
        None if there are more than 40 nonzero differences and they share no unit, or one so small that the
        sums spread over more than 4 million values or cost too much: then a bracket
        (:func:`betterthan.kernels.sign_flips.bracket.sign_flip_bracket`) answers.

    Notes
    -----
    Differences that are multiples of a :func:`~betterthan.kernels.sign_flips.unit.natural_unit` are counted
    in whole units, hence ties are exact. Other sums are tied when they differ by less than 1e-12 of
    :math:`\sum |d_i|`. Cost: :math:`2^{n/2}` by enumeration; at most 2·10⁸ additions, or a Fourier transform
    over the possible sums, by convolution.

    Examples
    --------
    Six wins out of six, 2 of 64 sign vectors are as extreme:

    >>> exact_sign_flip(np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0])).pvalue
    0.03125
    """
    nonzero = differences[np.isfinite(differences) & (differences != 0)]
    unit = natural_unit(nonzero)
    values = nonzero if unit is None else in_units(nonzero, unit)
    if nonzero.size <= FEW_ENUMERATED:
        upper = enumerated_tail(values)
    elif unit is not None and _additions(values) <= most_additions:
        upper = convolution_tail(values.astype(np.int64))
    elif nonzero.size <= most_enumerated:
        upper = enumerated_tail(values)
    else:
        return None
    return _turned(upper, observed=math.fsum(values), scale=float(np.abs(values).sum()), side=alternative)


def _additions(values: FloatArray) -> float:
    """Cost of the convolution of whole numbers, infinite where it is out of reach."""
    whole = float(np.abs(values).sum())
    if whole > MOST_LATTICE_POINTS:
        return math.inf
    plain = values.size * whole / 2
    return plain if plain <= MOST_ADDITIONS else TILTED_ADDITIONS * whole


def _turned(upper: Tail, *, observed: float, scale: float, side: Alternative) -> Tail:
    """Turn the tail above |t| into the tail the alternative asks for, by the symmetry of T."""
    rest = max(0.0, 1 - upper.beyond - upper.tied)
    if abs(observed) <= TIE_TOLERANCE * scale:
        beyond = 1 - upper.tied
        return Tail(beyond if side == "two-sided" else beyond / 2, upper.tied)
    if side == "two-sided":
        return Tail(2 * upper.beyond, 2 * upper.tied)
    return upper if (observed > 0) == (side == "greater") else Tail(rest, upper.tied)


def enumerated_tail(differences: FloatArray) -> Tail:
    r"""P(T > |t|) and P(T = |t|) by meeting in the middle.

    The signed sums of either half of the differences are listed and sorted; for each left sum the right sums
    that reach :math:`|t|` are counted by bisection: :math:`2^{n/2}` steps instead of :math:`2^n` [1]_.

    Parameters
    ----------
    differences : array, shape (n,)
        At most about 40.

    References
    ----------
    .. [1] Horowitz and Sahni (1974), Computing partitions with applications to the knapsack problem, J. ACM 21.

    Examples
    --------
    >>> enumerated_tail(np.array([1.0, 2.0, 3.0]))
    Tail(beyond=0.0, tied=0.125)
    """
    reached = float(enumerated_tails(differences[None])[0])
    beyond = float(enumerated_tails(differences[None], strict=True)[0])
    return Tail(beyond, reached - beyond)


def enumerated_tails(differences: FloatArray, *, strict: bool = False) -> FloatArray:
    """P(T ≥ |t|) of many pairs, one per row, or P(T > |t|) with `strict`; zeros change nothing.

    Examples
    --------
    >>> enumerated_tails(np.array([[1.0, 2.0, 3.0], [1.0, 0.0, 1.0]]))
    array([0.125, 0.25 ])
    """
    sizes = np.abs(differences)
    observed = np.array([abs(math.fsum(row)) for row in differences.tolist()])
    slack = TIE_TOLERANCE * sizes.sum(axis=1)
    edge = observed + slack if strict else observed - slack
    left, right = sizes[:, ::2], sizes[:, 1::2]
    n_sums = math.ldexp(1.0, sizes.shape[1])
    if is_loaded() and (count := compiled(reaching_loop, merged_sums)) is not None:
        found = count(np.ascontiguousarray(left), np.ascontiguousarray(right), edge, strict)
        return np.asarray(found / n_sums)
    sums, others = _signed_sums(right), edge[:, None] - _signed_sums(left)
    side: Literal["left", "right"] = "right" if strict else "left"
    missed = [int(row.searchsorted(other, side).sum()) for row, other in zip(sums, others, strict=True)]
    return (n_sums - np.array(missed, dtype=np.float64)) / n_sums


def reaching_loop(left: FloatArray, right: FloatArray, edge: FloatArray, strict: bool) -> FloatArray:  # noqa: FBT001
    """Count, for each row, the sums of a left and a right half that reach the edge, or exceed it with `strict`."""
    found = np.zeros(edge.size)
    for row in range(edge.size):
        low, high = merged_sums(left[row]), merged_sums(right[row])
        n_reaching, place = 0, high.size
        for i in range(low.size):  # the larger the left half, the smaller the right one may be
            limit = edge[row] - low[i]
            while place > 0 and (high[place - 1] > limit if strict else high[place - 1] >= limit):
                place -= 1
            n_reaching += high.size - place
        found[row] = n_reaching
    return found


def merged_sums(sizes: FloatArray) -> FloatArray:
    """Sums under all signs, in order: each size merges what there is with itself moved up by twice the size."""
    sums = np.empty(1 << sizes.size)
    sums[0] = -sizes.sum()
    before = np.empty(1 << sizes.size)
    n = 1
    for size in sizes:
        before[:n] = sums[:n]
        step = 2 * size
        # From both ends at once and without a jump: which of the two sums comes next is as good as random, so that a
        # processor would guess every other jump wrongly, and it can work on one end while it waits for the other.
        low, low_moved, high, high_moved = 0, 0, n - 1, n - 1
        for place in range(n):
            same, moved = before[low], before[low_moved] + step
            is_same = same <= moved
            sums[place] = same if is_same else moved
            low += is_same
            low_moved += not is_same
            same, moved = before[high], before[high_moved] + step
            is_same = same > moved
            sums[2 * n - 1 - place] = same if is_same else moved
            high -= is_same
            high_moved -= not is_same
        n *= 2
    return sums


def _signed_sums(sizes: FloatArray) -> FloatArray:
    """Sums of each row under all signs, in order; shape (rows, 2**n)."""
    sums = np.empty((len(sizes), 1 << sizes.shape[1]))
    sums[:, 0] = -sizes.sum(axis=1)
    for i in range(sizes.shape[1]):
        np.add(sums[:, : 1 << i], 2 * sizes[:, i, None], out=sums[:, 1 << i : 2 << i])
    sums.sort(axis=1)
    return sums


def convolution_tail(differences: IntArray) -> Tail:
    r"""P(T > |t|) and P(T = |t|) for whole-number differences, by convolving their null distributions.

    With :math:`K = \sum |d_i|` and fair bits :math:`B_i`, :math:`T = 2Y - K` where
    :math:`Y = \sum B_i |d_i|`, so the tail is :math:`P(Y \ge (K + |t|)/2)`.

    Parameters
    ----------
    differences : array of int, shape (n,)

    Notes
    -----
    All terms are nonnegative, so the plain convolution keeps a relative accuracy of about n·10⁻¹⁶ however
    small the tail. Beyond 2·10⁸ additions the same tail is computed by :func:`tilted_tail`.

    Examples
    --------
    Binary scores give the sign test; 8 wins and 2 losses:

    >>> tail = convolution_tail(np.array([1] * 8 + [-1] * 2))
    >>> 1024 * tail.beyond, 1024 * tail.tied
    (11.0, 45.0)
    """
    sizes = np.sort(np.abs(differences))
    whole = int(sizes.sum())
    threshold = (whole + abs(int(differences.sum()))) // 2
    if threshold == whole:
        return Tail(0.0, 0.5 ** int(np.count_nonzero(sizes)))
    if sizes.size * whole / 2 > MOST_ADDITIONS:
        return tilted_tail(sizes, threshold)
    chances = _subset_sums(sizes)
    return Tail(float(chances[threshold + 1 :].sum()), float(chances[threshold]))


def _subset_sums(sizes: IntArray) -> FloatArray:
    """P(Y = y) for y = 0 … K; sizes ascend so that the short convolutions come first."""
    chances = np.zeros(int(sizes.sum()) + 1)
    chances[0] = 1.0
    reach = 0
    for done, size in enumerate(sizes.tolist(), start=1):
        # 2 P(Y + B s = y) = P(Y = y) + P(Y = y - s); the factor ½ is applied in bulk, exactly.
        chances[size : reach + size + 1] += chances[: reach + 1].copy()
        reach += size
        if done % 512 == 0:
            chances[: reach + 1] *= 2.0**-512
    return np.ldexp(chances, -(sizes.size % 512))


def upper_tails(sizes: IntArray, thresholds: Sequence[int]) -> list[float]:
    """P(Y ≥ y) for several thresholds: by one plain convolution where that is cheap, else by a transform for each.

    Parameters
    ----------
    sizes : array of int, shape (n,)
    thresholds : sequence of int
        Each at least half of the sum of sizes and less than all of it.

    Examples
    --------
    >>> [round(1024 * tail, 9) for tail in upper_tails(np.ones(10, dtype=np.int64), (8, 9))]
    [56.0, 11.0]
    """
    if sizes.size * int(sizes.sum()) / 2 > PLAIN_ADDITIONS:
        tails = [tilted_tail(sizes, threshold) for threshold in thresholds]
        return [tail.beyond + tail.tied for tail in tails]
    chances = _subset_sums(np.sort(sizes))
    return [float(chances[threshold:].sum()) for threshold in thresholds]


def tilted_tail(sizes: IntArray, threshold: int) -> Tail:
    r"""P(Y > y) and P(Y = y) for a sum of whole numbers each taken with probability ½, by one Fourier transform.

    A plain Fourier transform has an absolute error of 10⁻¹⁶, useless for small tails. Tilting the
    distribution by :math:`e^{s Y}` moves its centre to the threshold :math:`y` [1]_, where that error is
    small beside the probabilities; the tilt is undone afterwards:

    .. math:: P(Y = j) = e^{\kappa(s) - s j} \, Q_s(Y = j), \quad
              \kappa(s) = \sum_i \log\frac{1 + e^{s k_i}}{2}, \quad \kappa'(s) = y.

    Parameters
    ----------
    sizes : array of int, shape (n,)
        The :math:`k_i \ge 0`.
    threshold : int
        The :math:`y`, at least half of the sum of sizes and less than all of it.

    References
    ----------
    .. [1] Daniels (1954), Saddlepoint approximations in statistics, Ann. Math. Statist. 25, section 2.

    Examples
    --------
    >>> tail = tilted_tail(np.ones(10, dtype=np.int64), 8)
    >>> round(1024 * tail.beyond, 9), round(1024 * tail.tied, 9)
    (11.0, 45.0)
    """
    size, repeats = np.unique(sizes[sizes > 0], return_counts=True)
    tilt = _tilt(size, repeats, threshold)
    n_points = fast_length(int(size @ repeats) + 1)
    chances = np.fft.irfft(_tilted_transform(size, repeats, tilt, n_points), n_points)
    steps = np.arange(int(size @ repeats) + 1 - threshold)
    # log (1 + e^x)/2 = x/2 + log cosh(x/2), written for large x
    level = float(repeats @ (np.logaddexp(0.0, tilt * size) - math.log(2))) - tilt * threshold
    terms = np.maximum(chances[threshold : threshold + steps.size], 0.0) * np.exp(level - tilt * steps)
    return Tail(float(terms[1:].sum()), float(terms[0]))


def _tilt(size: IntArray, repeats: IntArray, threshold: int) -> float:
    """Solve κ'(s) = y by bisection."""
    high = 1.0 / float(size.max())
    while repeats @ (size * special.expit(high * size)) < threshold and high < 1e6:
        high *= 2
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        if repeats @ (size * special.expit(middle * size)) < threshold:
            low = middle
        else:
            high = middle
    return high


def fast_length(at_least: int) -> int:
    """Return the smallest product of 2, 3 and 5 that is large enough; Fourier transforms of it are fast.

    Examples
    --------
    >>> fast_length(4097), fast_length(1)
    (4320, 1)
    """
    best = 1 << max(at_least - 1, 0).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            rest = -(-at_least // three)
            best = min(best, three << max(rest - 1, 0).bit_length())
            three *= 3
        five *= 5
    return best


def _tilted_transform(size: IntArray, repeats: IntArray, tilt: float, n_points: int) -> ComplexArray:
    """Fourier transform of Q; frequencies are dropped once their product is negligible."""
    values = np.ones(n_points // 2 + 1, dtype=np.complex128)
    roots = np.exp(-2j * np.pi / n_points * np.arange(n_points))
    alive = np.arange(values.size)
    for k, count in sorted(zip(size.tolist(), repeats.tolist(), strict=True), key=lambda pair: -pair[1]):
        taken = special.expit(tilt * k)
        factors = taken * roots[alive * k % n_points]
        factors += 1 - taken
        values[alive] *= factors if count == 1 else factors**count
        faded = np.abs(values[alive]) < NEGLIGIBLE
        if faded.any():
            values[alive[faded]] = 0.0
            alive = alive[~faded]
    return values
