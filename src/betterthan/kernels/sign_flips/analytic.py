r"""Sign-flip p-values of all pairs with no resampling, from sums and Gram matrices.

Under random signs the sum of differences has mean 0, variance :math:`\sum d^2` and fourth cumulant
:math:`-2 \sum d^4`; odd cumulants vanish. For all pairs these power sums are differences of products of
matrices, so m systems cost a few matrix products.

Upper tail of the normal distribution for millions of statistics at once.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from betterthan.arrays import BoolArray, FloatArray
from betterthan.kernels.sign_flips.exact import Alternative

SCALE = 4.0  # of the change of variable; of those tried, the one with the smallest error
DEGREE = 18
AT_ONCE = 2**14  # numbers: three such arrays stay next to the processor


def normal_tails(z: FloatArray) -> FloatArray:
    r"""Replace each z in place by :math:`P(Z \ge z)`; the error is below 10⁻¹³.

    .. math:: P(Z \ge z) = e^{-z^2/2} \, q\Big(\frac{2s}{z + s} - 1\Big), \qquad z \ge 0,

    where q is the Chebyshev approximation [1]_ of the scaled complementary error function, and s = 4.

    Parameters
    ----------
    z : array
        Of any shape. NaN stays.

    Notes
    -----
    A polynomial and one exponential of whole arrays take less than half the time of ``scipy.special.ndtr``, which is
    called once for each number.

    References
    ----------
    .. [1] Schonfelder (1978), Chebyshev expansions for the error and related functions, Mathematics of Computation 32.

    Examples
    --------
    >>> normal_tails(np.array([0.0, 1.96, -40.0])).round(4)
    array([0.5  , 0.025, 1.   ])
    """
    flat = z.reshape(-1)
    for start in range(0, flat.size, AT_ONCE):
        _replace(flat[start : start + AT_ONCE])
    return flat.reshape(z.shape)


def _replace(z: FloatArray) -> None:
    size = np.abs(z)
    place = 2 * SCALE / (size + SCALE)
    place -= 1
    highest, *others = _coefficients()
    tail = place * highest
    for coefficient in others[:-1]:
        tail += coefficient
        tail *= place
    tail += others[-1]
    np.multiply(size, size, out=size)
    size *= -0.5
    np.exp(size, out=size)
    tail *= size
    # P(Z ≥ -z) = 1 - P(Z ≥ z): measured from ½, the two are one number with two signs.
    np.subtract(0.5, tail, out=tail)
    np.copysign(tail, z, out=tail)
    np.subtract(0.5, tail, out=z)


@cache
def _coefficients() -> tuple[float, ...]:
    """Coefficients of the polynomial q, highest first, from values at Chebyshev nodes."""
    n_nodes = 200
    nodes = np.cos(np.pi * (np.arange(n_nodes) + 0.5) / n_nodes)
    sizes = 2 * SCALE / (nodes + 1) - SCALE
    values = special.erfcx(sizes / np.sqrt(2)) / 2
    series = np.polynomial.chebyshev.chebfit(nodes, values, DEGREE)
    *others, _ = np.polynomial.chebyshev.cheb2poly(series)[::-1].tolist()
    at_zero = 0.0  # where the place is 1
    for coefficient in others:
        at_zero += coefficient
    return (*others, 0.5 - at_zero)  # so that zero has a tail of ½ exactly


CANCELLED = 1e-4  # share of the second moment below which a pair is computed from its differences


class PairMoments(NamedTuple):
    """Power sums of the paired differences: Σd, Σd², Σd⁴, each of shape (m, m)."""

    total: FloatArray
    second: FloatArray
    fourth: FloatArray


def pair_moments(goodness: FloatArray, *, order: Literal[2, 4] = 4) -> PairMoments:
    r"""Σd, Σd² and Σd⁴ of every pair of systems.

    .. math:: \sum (x_a - x_b)^4 = \sum x_a^4 - 4 \sum x_a^3 x_b + 6 \sum x_a^2 x_b^2 - 4 \sum x_a x_b^3
              + \sum x_b^4

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better. NaN is missing: a pair is compared on the segments that both systems have.
    order : {2, 4}
        With 2 the fourth moments are left out (NaN), a third of the work.

    Returns
    -------
    PairMoments

    Notes
    -----
    Segment means are subtracted first. Pairs so much alike that the terms nearly cancel (Σd² below 10⁻⁴ of
    its terms) are computed from their differences. Cost: three products of m × n with n × m.

    Examples
    --------
    >>> pair_moments(np.array([[3.0, 1.0], [1.0, 2.0]])).second
    array([[0., 5.],
           [5., 0.]])
    """
    centre = goodness.mean(axis=0)
    there = None if bool(np.isfinite(centre).all()) else np.isfinite(goodness)
    x = goodness - centre if there is None else _centred(goodness, there)
    total = x.sum(axis=1)[:, None] if there is None else _over_both(x, there)
    gram = x @ x.T
    own = np.diag(gram)[:, None] if there is None else _over_both(x**2, there)
    scale = own + own.T
    fourth = _fourth(x, there) if order == 4 else np.full_like(gram, np.nan)
    moments = PairMoments(total - total.T, np.maximum(scale - 2 * gram, 0.0), fourth)
    _mend(moments, x, there, np.argwhere(np.triu(moments.second <= CANCELLED * scale, 1)))
    return moments


def _fourth(x: FloatArray, there: BoolArray | None) -> FloatArray:
    square = x * x
    gram, mixed = square @ square.T, (square * x) @ x.T
    own = np.diag(gram)[:, None] if there is None else _over_both(square**2, there)
    return np.asarray(np.maximum(own + own.T - 4 * (mixed + mixed.T) + 6 * gram, 0.0))


def _centred(goodness: FloatArray, there: BoolArray) -> FloatArray:
    filled = np.where(there, goodness, 0.0)
    return np.asarray((filled - filled.sum(axis=0) / np.maximum(there.sum(axis=0), 1)) * there)


def _over_both(values: FloatArray, there: BoolArray) -> FloatArray:
    """Sum of the left system's values over the segments that both have."""
    return np.asarray(values @ there.T.astype(np.float64))


def _mend(
    moments: PairMoments, x: FloatArray, there: BoolArray | None, pairs: npt.NDArray[np.signedinteger]
) -> None:
    for a, b in pairs.tolist():
        square = (x[a] - x[b]) ** 2 * (1.0 if there is None else there[a] & there[b])
        moments.second[a, b] = moments.second[b, a] = square.sum()
        moments.fourth[a, b] = moments.fourth[b, a] = square @ square
    for moment in (moments.second, moments.fourth):
        np.fill_diagonal(moment, 0.0)


def edgeworth_pvalues(
    total: FloatArray,
    second: FloatArray,
    fourth: FloatArray | None,
    *,
    alternative: Alternative = "two-sided",
    unit: float = 0.0,
) -> FloatArray:
    r"""Edgeworth approximation to sign-flip p-values, of any shape.

    .. math:: P(T \ge t) \approx \bar\Phi(z) + \varphi(z) \frac{\kappa_4}{24 \kappa_2^2} (z^3 - 3z), \quad
              \kappa_2 = \textstyle\sum d^2 - \frac{u^2}{3}, \quad
              \kappa_4 = -2 \textstyle\sum d^4 + \frac{2 u^4}{15}

    Parameters
    ----------
    total, second, fourth : array
        Σd, Σd² and Σd⁴; see :func:`pair_moments`. Without `fourth` the normal approximation.
    alternative : {"two-sided", "greater", "less"}
    unit : float, default 0
        The step u of the scores: T moves in steps of 2u. The terms in u are Sheppard's corrections for
        steps of 2u.

    Returns
    -------
    array
        Never below 10⁻³⁰⁰ nor above 1. Far in the tail the correction overshoots, and the normal tail stands in for it;
        :func:`betterthan.kernels.sign_flips.all_pairs.pair_tails` is right there.

    References
    ----------
    .. [1] Feller (1971), An introduction to probability theory and its applications II, XVI.4, Eq. 4.1.

    Examples
    --------
    Ten differences of 1, all of one sign but two; exactly 112 / 1024 = 0.109375:

    >>> edgeworth_pvalues(np.array([6.0]), np.array([10.0]), np.array([10.0]), unit=1.0).round(4)
    array([0.1091])
    """
    toward = {"two-sided": np.abs(total), "greater": total, "less": -total}[alternative] - unit
    variance = second - unit**2 / 3
    known = (second > 0) & (variance > 0)
    scale = np.where(known, variance, 1.0)
    z = np.where(known, toward, 0.0) / np.sqrt(scale)
    tail = special.ndtr(-z)
    if fourth is not None:
        # [1] Eq. 4.1: without skewness the first term left is κ₄ He₃ / 24.
        excess = (-2 * fourth + 2 * unit**4 / 15) / scale**2
        far = np.abs(z)
        outer = special.ndtr(-far)
        corrected = outer + excess / 24 * (far**3 - 3 * far) * np.exp(-(far**2) / 2) / math.sqrt(2 * math.pi)
        # Far out the correction overshoots, below zero and past any use; the normal tail errs on the safe side there,
        # because signs vary less than the normal distribution. Both sides are treated alike, so that they sum to 1.
        outer = np.where(corrected > outer / 4, corrected, outer)
        tail = np.where(z >= 0, outer, 1 - outer)
    tail = np.where(known, tail, 1.0 if unit else 0.5)
    return np.asarray(np.clip(tail * (2 if alternative == "two-sided" else 1), 1e-300, 1.0))
