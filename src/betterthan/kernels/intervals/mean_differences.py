"""Intervals of mean differences for all pairs of systems, whatever the scores look like."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from betterthan.arrays import FloatArray, IntArray, pairs_where
from betterthan.kernels.comparisons.wins import WinCounts, win_counts
from betterthan.kernels.intervals.intervals import skewness_interval, skewness_of_sums
from betterthan.kernels.intervals.proportions import paired_shares_interval
from betterthan.kernels.sign_flips.limits import Limits
from betterthan.kernels.significance.paired import Differences, differences

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
