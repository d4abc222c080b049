"""Intervals of mean differences for all pairs of systems, whatever the scores look like.

Intervals for a median between order statistics: exact, or interpolated to the requested confidence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import bdtrik, stdtrit

from betterthan.arrays import FloatArray, IntArray, pairs_where
from betterthan.kernels.comparisons.tied_ranks import row_medians
from betterthan.kernels.comparisons.wins import WinCounts, win_counts
from betterthan.kernels.intervals.intervals import skewness_interval, skewness_of_sums
from betterthan.kernels.intervals.proportions import paired_shares_interval
from betterthan.kernels.sign_flips.limits import Limits
from betterthan.kernels.significance.paired import Differences, differences
from betterthan.kernels.significance.rank_tests import at_least


class MedianInterval(NamedTuple):
    """Medians with exact intervals."""

    median: FloatArray
    """(k,)"""
    low: FloatArray
    """(k,); −inf when there are too few segments for the requested confidence."""
    high: FloatArray
    """(k,); inf likewise."""
    coverage: FloatArray
    """(k,); the coverage reached, at least the requested one when the interval is finite."""


def median_interval(values: FloatArray, *, confidence: float) -> MedianInterval:
    r"""Median of each row with an exact interval between two order statistics.

    The interval :math:`[x_{(j+1)}, x_{(n-j)}]` misses the median with probability
    :math:`2 P(K \le j)`, :math:`K \sim \mathrm{Bin}(n, \tfrac12)`; j is the largest that keeps this within
    1 − confidence. It is the inverted sign test: for differences of a pair, the interval for the quantity
    that decides Bradley–Terry between two systems.

    Parameters
    ----------
    values : array, shape (k, n)
        Differences of k pairs (or scores of k systems); NaN is missing.
    confidence : float

    References
    ----------
    .. [1] Conover (1999), Practical nonparametric statistics, §3.2.

    Examples
    --------
    >>> found = median_interval(np.array([[1.0, 2, 3, 4, 5, 6]]), confidence=0.95)
    >>> found.low, found.high, found.coverage
    (array([1.]), array([6.]), array([0.96875]))
    """
    n = np.count_nonzero(~np.isnan(values), axis=1)
    reach = _misses_allowed(n, (1 - confidence) / 2)
    in_order = np.sort(values, axis=1)
    possible = reach >= 0
    rows = np.nonzero(possible)[0]
    low, high = np.full(len(values), -np.inf), np.full(len(values), np.inf)
    low[rows] = in_order[rows, reach[rows]]
    high[rows] = in_order[rows, n[rows] - 1 - reach[rows]]
    coverage = np.where(possible, 1 - 2 * at_least(n - reach, n), 1.0)
    nothing = n == 0
    for column in (low, high, coverage):
        column[nothing] = np.nan
    return MedianInterval(row_medians(values), low, high, coverage)


def interpolated_median_interval(values: FloatArray, *, confidence: float) -> tuple[FloatArray, FloatArray]:
    r"""Interval of each row's median that covers nearly `confidence`, not at least.

    Between the exact interval of the d-th order statistics, which covers :math:`\gamma_d` or more, and the next one
    inside, which covers less, with [1]_

    .. math:: I = \frac{\gamma_d - \gamma}{\gamma_d - \gamma_{d+1}}, \qquad
              \lambda = \frac{(n - d) I}{d + (n - 2 d) I}, \qquad
              \text{low} = (1 - \lambda) x_{(d)} + \lambda x_{(d+1)} .

    Parameters
    ----------
    values : array, shape (k, n)
        Without gaps.
    confidence : float

    Returns
    -------
    low, high : array, shape (k,)
        From the least to the greatest value where n is too small for the requested confidence (5 or fewer for 95%).

    References
    ----------
    .. [1] Hettmansperger and Sheather (1986), Confidence intervals based on interpolated order statistics, Statistics
       and Probability Letters 4.

    Examples
    --------
    >>> interpolated_median_interval(np.array([[1.0, 2, 3, 4, 5, 6, 7, 8]]), confidence=0.95)
    (array([1.93564356]), array([7.06435644]))
    """
    n = values.shape[1]
    in_order = np.sort(values, axis=1)
    misses = int(_misses_allowed(np.array([n]), (1 - confidence) / 2)[0])
    if misses < 0 or n < 2:
        return in_order[:, 0], in_order[:, -1]
    outer, inner = (
        float(1 - 2 * at_least(np.array([n - j]), np.array([n]))[0]) for j in (misses, misses + 1)
    )
    d = misses + 1
    share = (outer - confidence) / (outer - inner)
    weight = (n - d) * share / (d + (n - 2 * d) * share)
    low = (1 - weight) * in_order[:, d - 1] + weight * in_order[:, d]
    high = (1 - weight) * in_order[:, n - d] + weight * in_order[:, n - d - 1]
    return low, high


def _misses_allowed(n: np.ndarray, tail: float) -> np.ndarray:
    """Largest j with P(K ≤ j) ≤ tail, −1 if there is none."""
    # The continuous inverse can be one off, so its neighbors are asked too.
    guess = np.where(n > 0, np.floor(np.nan_to_num(bdtrik(tail, np.maximum(n, 1), 0.5))), 0).astype(np.int64)
    best = np.full(n.shape, -1, dtype=np.int64)
    for j in (guess - 2, guess - 1, guess, guess + 1):
        fits = (j >= 0) & (at_least(n - j, n) <= tail) & (n > 0)
        best = np.where(fits, j, best)
    return best


# Where at most a third of the segments changed, and no more than these, what is rare may not have been seen.
_FEW_SHARE, _FEW = 1 / 3, 30
_PAIR_NUMBERS = 2**20


def mean_difference_interval(
    goodness: FloatArray,
    *,
    confidence: float,
    moments: Differences | None = None,
    counts: WinCounts | None = None,
) -> Limits:
    r"""Interval of the mean difference of each pair of systems on the segments both have.

    * Scores of two values only, such as right and wrong: the difference of two paired shares
      (:func:`betterthan.kernels.intervals.proportions.paired_shares_interval`).
    * All others: Student's interval, widened for skewness
    (:func:`betterthan.kernels.intervals.intervals.skewness_interval`).
    * Where at most a third of the segments changed, and no more than 30: wide enough also for two imagined
      segments, one for either system, with the largest change :math:`r` that was seen,

      .. math:: \frac{\sum_i d_i}{n + 2} \pm t_{n-1} \sqrt{\frac{v}{n + 2}}, \qquad
                v = \frac{\sum_i d_i^2 + 2 r^2}{n + 2} - \Big(\frac{\sum_i d_i}{n + 2}\Big)^2 ,

      which is what Bonett and Price do for shares.
    * Where all differences are equal, also all 0: the same with r the range of all scores, about that difference. n
      equal differences do not show that no other will come.

    Parameters
    ----------
    goodness : array, shape (m, n)
        NaN is missing.
    confidence : float
    moments : Differences, optional
        With cubes, where they were computed before.
    counts : WinCounts, optional
        Where they were counted before.

    Returns
    -------
    low, high : array, shape (m, m)
        NaN where fewer than two segments are shared, and where the table holds one value only.

    Examples
    --------
    >>> values = np.zeros((2, 50))
    >>> values[0, 0] = 1.0
    >>> low, high = mean_difference_interval(values, confidence=0.95)
    >>> low[0, 1].round(3), high[0, 1].round(3)
    (np.float64(-0.047), np.float64(0.086))
    """
    least, most = _range(goodness)
    counts = win_counts(goodness) if counts is None else counts
    moments = differences(goodness, cubes=True) if moments is None else moments
    if is_two_valued(goodness):
        scale = most - least if most > least else 1.0
        n = moments.n.astype(np.float64)
        low, high = paired_shares_interval(counts.wins, counts.wins.T, n, confidence=confidence)
        return _without_diagonal(scale * low, scale * high)
    n = moments.n.max(keepdims=True)  # one quantile is enough where all pairs share the same segments
    low, high = skewness_interval(
        moments.mean,
        moments.standard_error,
        pair_skewness(goodness, moments),
        n if moments.n.min() == n else moments.n,
        confidence=confidence,
    )
    changed = counts.wins + counts.wins.T
    few = (changed <= np.minimum(_FEW_SHARE * moments.n, _FEW)) | (moments.squares == 0)
    left, right = pairs_where(few & (moments.n > 1))
    ends = _with_two_more(goodness, moments, (left, right), most - least, confidence)
    low[left, right] = np.fmin(low[left, right], ends[0])
    high[left, right] = np.fmax(high[left, right], ends[1])
    low[right, left], high[right, left] = -high[left, right], -low[left, right]
    return _without_diagonal(low, high)


def pair_skewness(goodness: FloatArray, moments: Differences | None = None) -> FloatArray:
    r"""Skewness of the differences of all pairs, shape (m, m), antisymmetric.

    Examples
    --------
    >>> pair_skewness(np.array([[0.0, 0, 0, 4], [0, 0, 0, 0]])).round(6)
    array([[ 0.,  2.],
           [-2.,  0.]])
    """
    if moments is None or moments.cubes is None:
        moments = differences(goodness, cubes=True)
    return skewness_of_sums(moments.squares, np.asarray(moments.cubes), moments.n)


def is_two_valued(values: FloatArray) -> bool:
    """Whether a table of scores (m, n) is of right and wrong: two values in all, and not by chance.

    That is when some system has both values, or the values are 0 and 1 or 100, also negated, or one of these alone.
    NaN is missing.

    Examples
    --------
    >>> is_two_valued(np.array([[0.0, 5.0, 0.0]])), is_two_valued(np.array([[0.3, 0.3], [0.1, 0.1]]))
    (True, False)
    """
    least, most = _range(values)
    # Most tables show in the first scores of each system that they have other values.
    for some in (values[..., :16], values):
        if not ((some == least) | (some == most) | np.isnan(some)).all():
            return False
    both = ((values == least).any(axis=-1) & (values == most).any(axis=-1)).any()
    return bool(
        (both and least < most) or {abs(least), abs(most)} in ({0.0, 1.0}, {0.0, 100.0}, {0.0}, {1.0})
    )


def _range(values: FloatArray) -> tuple[float, float]:
    if values.size and not np.isnan(least := values.min()):  # NaN would come out: nothing is missing
        return float(least), float(values.max())
    present = ~np.isnan(values)
    if not present.any():
        return np.nan, np.nan
    return (
        float(values.min(initial=np.inf, where=present)),
        float(values.max(initial=-np.inf, where=present)),
    )


def _with_two_more(
    goodness: FloatArray,
    moments: Differences,
    pairs: tuple[IntArray, IntArray],
    score_range: float,
    confidence: float,
) -> Limits:
    """Limits with two imagined segments, for the pairs chosen."""
    n, mean, squares = (part[pairs] for part in (moments.n, moments.mean, moments.squares))
    largest = _largest(goodness, pairs)
    flat = squares == 0
    # About the common difference where there is one, about 0 elsewhere.
    centre = np.where(flat, mean, 0.0)
    change = np.where(flat, score_range if score_range > 0 else np.nan, largest)
    total = n * (mean - centre)
    size = n + 2.0
    middle = total / size
    variance = (squares + n * (mean - centre) ** 2 + 2 * change**2) / size - middle**2
    reach = -stdtrit(n - 1.0, (1 - confidence) / 2) * np.sqrt(variance / size)
    return centre + middle - reach, centre + middle + reach


def _largest(goodness: FloatArray, pairs: tuple[IntArray, IntArray]) -> FloatArray:
    """Largest absolute difference of each pair."""
    left, right = pairs
    step = max(1, _PAIR_NUMBERS // max(goodness.shape[1], 1))
    parts = [
        np.nanmax(np.abs(goodness[left[k : k + step]] - goodness[right[k : k + step]]), axis=1)
        for k in range(0, left.size, step)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _without_diagonal(low: FloatArray, high: FloatArray) -> Limits:
    """The difference of a system from itself is exactly 0."""
    for ends in (low, high):
        np.fill_diagonal(ends, np.where(np.isnan(np.diag(ends)), np.nan, 0.0))
    return low, high
