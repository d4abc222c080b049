"""Minimum detectable difference, sample size for the observed difference, and stability on smaller test sets."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from betterthan.analysis.resampling import Rng, seed_of
from betterthan.arrays import FloatArray, IntArray
from betterthan.budget import check_share
from betterthan.engine.blocks import stream
from betterthan.kernels.agreement.kendall import concordant_pairs
from betterthan.kernels.significance.paired import in_range
from betterthan.kernels.significance.power import MOST, least_difference, least_number, power_of_means
from betterthan.tables.scores import Scores

_ROUNDING = 1e-13  # of the largest score: a lead or standard deviation below it is rounding error


class Detectable(NamedTuple):
    """Power of a paired comparison of means.

    Attributes
    ----------
    difference : float
        Mean observed difference.
    smallest : float
        Minimum detectable difference: the true difference that is significant with probability `power`; NaN where no
        difference is, because there are fewer than two segments or too few for the level.
    n_needed : int or None
        Segments needed to detect a true difference of the observed size; None when it is 0 or has no variance.
    n_segments : int
    """

    difference: float
    smallest: float
    n_needed: int | None
    n_segments: int


def detectable(differences: FloatArray, *, alpha: float = 0.05, power: float = 0.8) -> Detectable:
    """Return the minimum detectable difference, and the number of segments needed to detect the observed one.

    Both as :func:`betterthan.plan` computes them
    (:func:`~betterthan.kernels.significance.power.power_of_means`), with the standard deviation of these differences,
    two-sided at level `alpha`.

    Parameters
    ----------
    differences : array, shape (n,)
        Difference in goodness between the two systems, by segment.
    alpha, power : float

    Notes
    -----
    This is not "observed power", which is a function of the p-value alone, but a property of the design.

    References
    ----------
    .. [1] Card, Henderson, Khandelwal, Jia, Mahowald and Jurafsky (2020), With little power comes great
       responsibility, EMNLP.

    Examples
    --------
    >>> found = detectable(np.array([1.0, -1.0, 2.0, -2.0, 1.0, 0.0]))
    >>> round(found.smallest, 3), found.n_needed
    (2.112, 615)
    """
    check_share("alpha", alpha)
    check_share("power", power)
    n = differences.size
    mean = math.fsum(differences.tolist()) / n if n else math.nan
    if n < 2:
        return Detectable(mean, math.nan, None, n)
    deviation = float(np.std(differences, ddof=1))
    smallest = least_difference(lambda effect: power_of_means(effect, n, level=alpha), power) * deviation
    needed = None
    if mean != 0 and deviation > 0:
        needed = _number_for(abs(mean) / deviation, alpha, power)
    return Detectable(mean, smallest, needed, n)


def _number_for(effect: float, level: float, power: float) -> int | None:
    guess = ((float(ndtri(power)) - float(ndtri(level / 2))) / effect) ** 2
    start = max(2, math.ceil(min(guess, MOST)))
    return least_number(lambda n: power_of_means(effect, n, level=level), power, start=start)


def segments_needed(goodness: FloatArray, *, alpha: float = 0.05, power: float = 0.8) -> FloatArray:
    r"""Return the number of segments needed to detect each lead over the next system, Holm-corrected over all pairs.

    With :math:`z_l = |\bar d_l| / s_l` the standardized difference of pair l, n segments detect pair j with the desired
    power when

    .. math:: \sqrt n\, z_j = z_{1 - \alpha / 2(k - r)} + z_\text{power}, \qquad
              r = \sum_{l \ne j} \Phi\big(\sqrt n (z_l - z_j)\big),

    because Holm tests a pair at :math:`\alpha / (k - r)` once the r pairs with smaller p-values are rejected; k is the
    number of pairs. The number is then the one that a single pair would need at this level, as
    :func:`betterthan.plan` computes it. Where several leads are equal it is conservative, with a power of up to 0.87
    instead of 0.8.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Systems in the order of their ranks.
    alpha, power : float

    Returns
    -------
    array, shape (m - 1,)
        NaN where the lead is 0 or never varies.

    Examples
    --------
    >>> segments_needed(np.array([[1.0, -1.0, 2.0, -2.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0]]))
    array([532.])
    """
    m = len(goodness)
    above = np.triu_indices(m, 1)
    goodness, _ = in_range(goodness)
    mean, deviation = _gaps(goodness)
    noise = _ROUNDING * np.max(np.abs(goodness), initial=0.0)
    mean[np.abs(mean) <= noise] = 0.0
    deviation[deviation <= noise] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = np.abs(mean) / deviation
    others = np.sort(np.nan_to_num(effect[above], nan=0.0, posinf=np.inf))
    k = others.size
    reach_power = float(ndtri(power))
    result = np.full(m - 1, np.nan)
    for a in range(m - 1):
        own = effect[a, a + 1]
        if not np.isfinite(own) or own == 0:
            continue
        smaller, n, before = float(np.count_nonzero(others > own)), 0.0, math.inf
        for _ in range(20):
            reach = float(-ndtri(alpha / 2 / max(1.0, k - smaller)))
            n = ((reach + reach_power) / own) ** 2 + reach**2 / 2
            if abs(n - before) <= 1e-4 * n:
                break
            # The pair's own term of ½ in this sum is subtracted.
            smaller, before = _expected_above(others, own, math.sqrt(n)) - 0.5, n
        found = _number_for(float(own), alpha / max(1.0, k - smaller), power)
        result[a] = math.nan if found is None else found
    return result


def _expected_above(ascending: FloatArray, own: float, root: float) -> float:
    """Σ Φ(root (other - own)); beyond nine standard errors the terms are 0 or 1."""
    low, high = np.searchsorted(ascending, [own - 9 / root, own + 9 / root])
    return float(ndtr(root * (ascending[low:high] - own)).sum()) + ascending.size - int(high)


def _gaps(goodness: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of the differences of all pairs, both of shape (m, m)."""
    centre = goodness.mean(axis=1)
    centred = goodness - centre[:, None]
    products = centred @ centred.T / (goodness.shape[1] - 1)
    own = np.diag(products)
    variance = own[:, None] + own - 2 * products
    # Under cancellation (one system is nearly the other plus a constant) the products lose too many digits.
    for a, b in np.argwhere(variance <= 1e-8 * (own[:, None] + own)):
        variance[a, b] = np.var(goodness[a] - goodness[b], ddof=1)
    return centre[:, None] - centre, np.sqrt(variance)


_SHARES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0)
_FEWEST = 5
_WORK = 200_000_000


class Stability(NamedTuple):
    """Stability of the ranking on smaller test sets.

    Attributes
    ----------
    sizes : array of int, shape (k,)
        Numbers of segments, ascending; the last is all of them.
    first : array, shape (k, m)
        Share of drawn test sets of that size in which each system has the best mean; ties are split.
    alike : array, shape (k,)
        Share of pairs of systems that a drawn test set orders like the full test set; NaN when all pairs tie.
    n_draws : int
    """

    sizes: IntArray
    first: FloatArray
    alike: FloatArray
    n_draws: int


def stability(scores: Scores, *, n_draws: int = 200, rng: Rng = 12345) -> Stability:
    r"""Draw smaller test sets from the segments, and measure how often they agree with the full one.

    Each draw shuffles the segments and uses the means of the first :math:`n' < n` of them, so that a larger set
    contains the smaller one. A curve that still rises at its end suggests that more segments could change the order; a
    flat one does not prove the opposite, because the draws come from the same segments.

    Parameters
    ----------
    scores : Scores
        Complete scores.
    n_draws : int, default 200
        Fewer for very large tables.
    rng : int or Generator, default 12345

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=[str(i) for i in range(20)],
    ...                 values=[[1.0] * 20, [0.0] * 20])
    >>> found = stability(scores)
    >>> found.sizes, found.first[:, 0], found.alike
    (array([ 5,  7, 10, 14, 17, 20]), array([1., 1., 1., 1., 1., 1.]), array([1., 1., 1., 1., 1., 1.]))
    """
    goodness = scores.goodness
    m, n = goodness.shape
    draws = max(20, min(n_draws, _WORK // (m * n)))
    sizes = np.unique([max(min(_FEWEST, n), round(share * n)) for share in _SHARES]).astype(np.int64)
    starts = np.concatenate([[0], sizes[:-1]])
    target = goodness.mean(axis=1)
    n_ordered = concordant_pairs(target, target)
    first, alike = np.zeros((sizes.size, m)), np.zeros(sizes.size)
    seed, name = seed_of(rng), f"stability {scores.digest}"
    for draw in range(draws):
        order = stream(seed, name, draw).permutation(n)
        sums = np.add.reduceat(goodness[:, order], starts, axis=1).cumsum(axis=1)
        means = sums.T / sizes[:, None]
        # The full set is the same in every draw; its sum must not depend on the order of summation.
        means[-1] = target
        best = means == means.max(axis=1, keepdims=True)
        first += best / best.sum(axis=1, keepdims=True)
        for k, row in enumerate(means):
            alike[k] += concordant_pairs(target, row)
    shares = alike / (draws * n_ordered) if n_ordered else np.full(sizes.size, np.nan)
    return Stability(sizes, first / draws, shares, draws)
