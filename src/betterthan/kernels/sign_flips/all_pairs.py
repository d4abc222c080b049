r"""Sign-flip p-values of all pairs of systems: exact where that is quick, inverted elsewhere, certified on request.

The p-value of a pair depends on the scores of the two systems alone, not on which other pairs are asked about, nor on
how the work is cut: one question has one answer in every verb.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.sign_flips.bracket import sign_flip_bracket
from betterthan.kernels.sign_flips.exact import FEW_ENUMERATED, enumerated_tails, exact_sign_flip, upper_tails
from betterthan.kernels.sign_flips.fine_lattice import fine_lattice_tails
from betterthan.kernels.sign_flips.inversion import (
    CONVERGED,
    REACH,
    Tails,
    is_clumped,
    lattice_tails,
    split_tails,
)
from betterthan.kernels.sign_flips.unit import in_units, natural_unit

CHUNK = 1 << 16  # differences in work at once, so that they stay in the cache
FEW = 12  # nonzero differences: all sign vectors are counted
SUMS_AT_ONCE = 1 << 15  # of halves of differences, so that they stay in the cache
MOST_ENUMERATED = 34  # by a referee: two halves of 2**17 sums each
EXACT_ADDITIONS = 3e7  # of a convolution by a referee: some 30 ms
SAFE_EXPONENT = 100  # of two: eighth powers of such numbers, and sums of them, are far from overflow
DIGITS = 10  # of p-values: more would be noise of rounding, and depend on the order of segments
SHOWN_FROM = 1e-4  # smaller p-values are shown as such, so their second digit decides nothing

BOUND, INVERSION, EXACT, CERTIFIED, PERMUTATIONS = range(5)
METHODS = ("bound", "inversion", "exact", "certified", "permutations")


class PairTails(NamedTuple):
    """Two-sided p-values of some pairs, their bounds, and their methods.

    Attributes
    ----------
    pvalue, low, high : array, shape (pairs,)
    method : array of int, shape (pairs,)
        Index into :data:`METHODS`.

        * bound: Hoeffding's inequality gives less than 10⁻¹²; the p-value shown is that bound.
        * inversion: by :func:`~betterthan.kernels.sign_flips.inversion.inverted_tails`; `low` and `high` are the
          p-value less and plus its estimated error.
        * exact: every sign vector was counted.
        * certified: the exact p-value certainly lies between `low` and `high`.
    """

    pvalue: FloatArray
    low: FloatArray
    high: FloatArray
    method: IntArray


def lattice_unit(goodness: FloatArray) -> float:
    """Return the largest step between scores, whatever they are counted from; 0 where there is none.

    Only differences of scores matter, so an offset that all share (scores near 100 that differ in the eighth decimal
    place) must not hide their step, nor be taken for it.

    Examples
    --------
    >>> lattice_unit(np.array([[100.5, 101.0], [103.0, 100.5]]))
    0.5
    >>> lattice_unit(np.array([[0.1234567891, 0.5], [0.2, 0.9876543]]))
    0.0
    """
    known = goodness[np.isfinite(goodness)]
    if not known.size:
        return 0.0
    return natural_unit(known - known.min()) or 0.0


def pair_tails(
    goodness: FloatArray,
    left: IntArray,
    right: IntArray,
    *,
    unit: float,
    strict: bool = False,
    bounded: bool = True,
) -> PairTails:
    r"""Two-sided sign-flip p-values of pairs of systems, without a referee.

    .. math:: p = P\Big(\Big|\sum_i \varepsilon_i d_i\Big| \ge \Big|\sum_i d_i\Big|\Big), \qquad d_i = x_{ai} - x_{bi}

    Parameters
    ----------
    goodness : array, shape (m, n)
        NaN is missing: a pair is compared on what both have.
    left, right : array of int, shape (pairs,)
    unit : float
        From :func:`lattice_unit`.
    strict : bool, default False
        Whether sums as large as the observed one do not count: :math:`P(|T| > |t|)`, for one-sided questions.
    bounded : bool, default True
        Whether all frequencies of a fine lattice are summed where a few give no error bound. Thousands of simulated
        tables do without, because their shares need no more than three digits.

    Examples
    --------
    >>> scores = np.array([[3.0, 5, 4, 6, 5, 7], [2.0, 3, 3, 3, 4, 5]])
    >>> pair_tails(scores, np.array([0]), np.array([1]), unit=1.0).pvalue
    array([0.03125])
    """
    rows = max(1, CHUNK // max(1, goodness.shape[1]))
    parts = [
        _tails(
            goodness[left[start : start + rows]] - goodness[right[start : start + rows]],
            unit,
            strict,
            bounded,
        )
        for start in range(0, left.size, rows)
    ]
    if not parts:
        nothing = np.empty(0)
        return PairTails(nothing, nothing, nothing, np.empty(0, dtype=np.int64))
    return PairTails(
        np.concatenate([part.pvalue for part in parts]),
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        np.concatenate([part.method for part in parts]),
    )


def _tails(differences: FloatArray, unit: float, strict: bool, bounded: bool) -> PairTails:  # noqa: FBT001
    d = _whole(differences, unit) if unit else _rescaled(_known(differences))
    sizes, edge = np.abs(d), np.abs(d.sum(axis=1))
    whole = sizes.sum(axis=1)
    edge[edge <= 1e-12 * whole] = 0.0
    second = (sizes * sizes).sum(axis=1)
    n_pairs = len(d)
    p, low, high = np.full((3, n_pairs), 0.0 if strict else 1.0)
    method = np.full(n_pairs, EXACT, dtype=np.int64)
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.where(second > 0, 2 * np.exp(-(edge**2) / (2 * second)), 1.0)
    n_nonzero = np.count_nonzero(sizes, axis=1)
    far = (edge > REACH * np.sqrt(second)) & (edge > 0)
    p[far] = high[far] = bound[far]
    low[far] = np.minimum(bound[far], np.ldexp(2.0, -np.minimum(n_nonzero[far], 1070)))
    method[far] = BOUND
    rest = ~far & ((edge > 0) | strict) & (n_nonzero > 0)
    if unit:
        rest = _by_binomial(sizes, edge + 2 * strict * sizes.max(axis=1, initial=0.0), rest, p, low, high)
    few = rest & (n_nonzero <= FEW)
    p[few] = low[few] = high[few] = _enumerated(d[few], strict)
    rest &= ~few
    if rest.any():
        tails = _inverted(sizes[rest], edge[rest], unit, strict, bounded)
        error = tails.error
        floor = np.ldexp(2.0, -np.minimum(n_nonzero[rest], 1070))
        floor = 0.0 * floor if strict else floor
        p[rest] = np.clip(tails.pvalue, floor, 1.0)
        low[rest] = np.clip(p[rest] - error, floor, 1.0)
        high[rest] = np.minimum(np.minimum(p[rest] + error, bound[rest]), 1.0)
        method[rest] = INVERSION
    return PairTails(_significant_digits(p), _significant_digits(low), _significant_digits(high), method)


def _inverted(
    sizes: FloatArray,
    edge: FloatArray,
    unit: float,
    strict: bool,  # noqa: FBT001
    bounded: bool,  # noqa: FBT001
) -> Tails:
    """By inversion: of the lowest frequencies, or of all those of a lattice where these do not suffice."""
    step = _steps(sizes) if unit else np.zeros(len(sizes))
    edge = edge + 2 * strict * step
    if unit:
        pvalue, error = lattice_tails(sizes, edge, step)
        rest = np.flatnonzero(np.isinf(error))
    else:
        pvalue, error = np.ones((2, len(sizes)))
        rest = np.arange(len(sizes))
    if rest.size:
        # A referee enumerates few differences sooner than they could be split.
        is_long = np.count_nonzero(sizes[rest], axis=1) > MOST_ENUMERATED
        fine = split_tails(sizes[rest], edge[rest], step[rest], is_long)
        pvalue[rest], error[rest] = fine.pvalue, np.where(is_clumped(sizes[rest]), np.inf, fine.error)
        left = rest[is_long & (error[rest] > CONVERGED)]
        if unit and bounded and left.size:
            found = fine_lattice_tails(sizes[left], edge[left], step[left])
            better = found.error < error[left]
            pvalue[left[better]], error[left[better]] = found.pvalue[better], found.error[better]
    return Tails(pvalue, error)


def _rescaled(differences: FloatArray) -> FloatArray:
    """Divide each row by a power of two where powers of differences might overflow or vanish."""
    _, exponent = np.frexp(
        np.maximum(differences.max(axis=1, initial=0.0), -differences.min(axis=1, initial=0.0))
    )
    if np.abs(exponent).max(initial=0) < SAFE_EXPONENT:
        return differences
    half = exponent // 2  # in two steps, because the whole power may not be a number
    return np.asarray(differences * np.ldexp(1.0, -half)[:, None] * np.ldexp(1.0, half - exponent)[:, None])


def _known(differences: FloatArray) -> FloatArray:
    """The differences, with 0 for those that are missing."""
    if math.isfinite(float(differences.sum())):  # one pass instead of three, and one missing value would show
        return differences
    return np.where(np.isfinite(differences), differences, 0.0)


def _whole(differences: FloatArray, unit: float) -> FloatArray:
    return in_units(_known(differences), unit)


def _by_binomial(
    sizes: FloatArray, edge: FloatArray, rest: BoolArray, p: FloatArray, low: FloatArray, high: FloatArray
) -> BoolArray:
    """Fill in pairs whose nonzero differences are all of one size: right or wrong, which is McNemar's exact test."""
    # The sum k of k equal sizes has the probability of at least (k + t) / 2 heads; none is more than all of them.
    largest = sizes.max(axis=1, initial=0.0)
    k = np.count_nonzero(sizes, axis=1)
    equal = rest & (sizes.sum(axis=1) == k * largest)
    if equal.any():
        n, won = k[equal], (k[equal] + edge[equal] / largest[equal]) / 2
        tail = special.bdtrc(np.rint(won).astype(np.int64) - 1, n, 0.5)
        p[equal] = low[equal] = high[equal] = np.minimum(1.0, 2 * tail)
    return np.asarray(rest & ~equal)


def _steps(sizes: FloatArray) -> FloatArray:
    """Greatest common divisor of the whole numbers in each row."""
    whole = sizes.astype(np.int64)
    step = np.gcd.reduce(whole[:, :64], axis=1)
    unsure = step != 1
    if unsure.any() and whole.shape[1] > 64:
        step[unsure] = np.gcd(step[unsure], np.gcd.reduce(whole[unsure, 64:], axis=1))
    return np.asarray(step, dtype=np.float64)


def _significant_digits(values: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log10(values, where=values > 0, out=np.zeros_like(values)))
    scale = 10.0 ** np.clip(DIGITS - 1 - exponent, -300, 300)
    return np.where(values > 1e-280, np.rint(values * scale) / scale, values)


def needs_referee(tails: PairTails) -> BoolArray:
    """Whether the second significant digit of a p-value that is shown is not settled; depends on the pair alone.

    Examples
    --------
    >>> one = np.array([0.0345])
    >>> needs_referee(PairTails(one, one - 2e-4, one + 2e-4, np.array([INVERSION])))
    array([ True])
    """
    open_ = (tails.method == INVERSION) & (tails.pvalue >= SHOWN_FROM)
    return np.asarray(open_ & (_two_digits(tails.low) != _two_digits(tails.high)))


def _two_digits(values: FloatArray) -> FloatArray:
    exponent = np.floor(np.log10(np.maximum(values, 1e-300)))
    scale = 10.0 ** (1 - exponent)
    return np.asarray(np.rint(values * scale) / scale)


def certain_tail(
    differences: FloatArray, *, unit: float, strict: bool = False, thorough: bool = False
) -> tuple[float, float, int]:
    """Return what the two-sided p-value of one pair certainly lies between, and the method that says so.

    Exact by enumeration or convolution where that takes milliseconds, otherwise the intersection of two certified
    brackets: one with a small width for ordinary p-values, one with a small relative width far in the tail. With
    `thorough`, exact wherever that is possible at all.
    """
    d = _in_order(differences[None], unit)[0]
    d = d[d != 0]
    if d.size == 0:
        return (0.0, 0.0, EXACT) if strict else (1.0, 1.0, EXACT)
    limits: dict[str, Any] = {"most_additions": EXACT_ADDITIONS, "most_enumerated": MOST_ENUMERATED}
    tail = exact_sign_flip(d, **({} if thorough else limits))
    if tail is not None:
        exact = min(1.0, tail.beyond) if strict else tail.pvalue
        return exact, exact, EXACT
    near = sign_flip_bracket(d)  # both of P(|T| ≥ |t|) and of P(|T| > |t|)
    low, high = _grid_bracket(np.abs(d), abs(math.fsum(d)))
    low, high = max(low, near.low), min(high, near.high)
    return low, max(low, high), CERTIFIED


def certain_tails(
    differences: FloatArray, *, unit: float, strict: bool = False, thorough: bool = False
) -> FloatArray:
    """The same for many pairs, one per row: low, high and method, shape (pairs, 3)."""
    d = _in_order(differences, unit)
    few = np.count_nonzero(d, axis=1) <= (FEW_ENUMERATED if unit else MOST_ENUMERATED)
    result = np.empty((len(d), 3))
    result[few, 0] = result[few, 1] = _enumerated(d[few], strict)
    result[few, 2] = EXACT
    for row in np.flatnonzero(~few):
        result[row] = certain_tail(differences[row], unit=unit, strict=strict, thorough=thorough)
    return result


def _in_order(differences: FloatArray, unit: float) -> FloatArray:
    """Differences by size, in units, so that the order of segments does not move the last bit of a sum."""
    d = _whole(differences, unit) if unit else _rescaled(_known(differences))
    return np.take_along_axis(d, np.argsort(np.abs(d), axis=1, kind="stable"), axis=1)


def _enumerated(d: FloatArray, strict: bool) -> FloatArray:  # noqa: FBT001
    """Two-sided p-values of pairs with few nonzero differences."""
    most = int(np.count_nonzero(d, axis=1).max(initial=0))
    d = np.take_along_axis(d, np.argsort(np.abs(d), axis=1, kind="stable"), axis=1)[:, d.shape[1] - most :]
    at_once = max(1, SUMS_AT_ONCE >> (most + 1) // 2)
    parts = [np.empty(0)]
    for start in range(0, len(d), at_once):
        tails = enumerated_tails(d[start : start + at_once], strict=strict)
        parts.append(np.minimum(1.0, 2 * tails))
    return np.concatenate(parts)


def _grid_bracket(sizes: FloatArray, edge: float) -> tuple[float, float]:
    r"""Bracket P(|T| ≥ edge) by rounding the differences to a grid on which the tail can be convolved exactly.

    With :math:`\delta_i` the rounding errors, :math:`\sum \varepsilon_i \delta_i` exceeds :math:`y` with probability
    at most :math:`2\exp(-y^2 / 2\sum\delta_i^2)` (Hoeffding), so the tails of the rounded sum at
    :math:`t \pm y` bracket the one that is asked for.
    """
    # Fine enough for a relative width of about one percent at four standard deviations.
    step = float(sizes.sum()) / min(max(700 * sizes.size, 1 << 14), 1 << 18)
    whole = np.rint(sizes / step).astype(np.int64)
    slip = sizes - step * whole
    reach = REACH * math.sqrt(float(slip @ slip)) + 1e-12 * float(sizes.sum())
    missed = 2 * math.exp(-(REACH**2) / 2)
    total = int(whole.sum())
    ends, asked = [1.0, 1.0], {}
    for at, shifted in enumerate((edge + reach, edge - reach)):
        threshold = math.ceil((total + shifted / step) / 2)
        if shifted > 0 and threshold >= total:
            ends[at] = 0.0
        elif shifted > 0:
            asked[at] = threshold
    for at, tail in zip(asked, upper_tails(whole, tuple(asked.values())), strict=True):
        ends[at] = 2 * tail
    return max(0.0, ends[0] - missed), min(1.0, ends[1] + missed)
