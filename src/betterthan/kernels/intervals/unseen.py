"""An interval of a mean that allows for one more value in the long tail of skewed values."""

from __future__ import annotations

import math

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.kernels.intervals.intervals import skewness_interval, skewness_of_sums

_FEW = 20.0  # up to which number of values the imagined one counts in full
_CLEARLY = 2.0  # standard errors beyond which skewness is not taken for noise


def interval_with_unseen(values: FloatArray, *, confidence: float) -> tuple[float, float]:
    r"""Interval of a mean, widened toward the tail of skewed values by one imagined value as far out as the farthest.

    The mean of a few values with a long tail is estimated from a sample that often lacks the tail. Where the skewness
    is more than two of its standard errors from 0, the end on the side of the tail is the outer one of
    :func:`betterthan.kernels.intervals.intervals.skewness_interval` with and without one more value at the distance of
    the farthest on that side, which counts :math:`\min(1, \sqrt{20 / n})`.

    One-sided errors at 2.5% for log-normal losses, 20 to 1,000 values: 5.3%, 3.2%, 3.1%, 2.5% and 2.4% instead of 6.9%,
    5.1%, 4.4%, 3.3% and 2.7%; for exponential losses of 20 values 2.8% instead of 3.5%.

    Parameters
    ----------
    values : array, shape (n,)
        Without NaN.
    confidence : float

    Returns
    -------
    low, high : float
        NaN for fewer than three values.

    Examples
    --------
    >>> low, high = interval_with_unseen(np.array([0.0] * 6 + [1.0] * 6 + [-7.0]), confidence=0.95)
    >>> round(low, 2), round(high, 2)
    (-3.69, 1.22)
    """
    n = values.size
    if n < 3:
        return math.nan, math.nan
    mean = float(values.mean())
    centred = values - mean
    squares, cubes = float((centred**2).sum()), float((centred**3).sum())
    low, high, skewness = _limits(mean, squares, cubes, n, n, confidence)
    if abs(skewness) <= clear_skewness(n):
        return low, high
    weight = min(1.0, math.sqrt(_FEW / n))
    far = float(centred.min() if skewness < 0 else centred.max())
    total = n + weight
    shift = weight * far / total
    second = squares + weight * far**2
    third = cubes + weight * far**3 - 3 * shift * second + 3 * shift**2 * weight * far - total * shift**3
    wider = _limits(mean + shift, second - total * shift**2, third, total, n + 1, confidence)
    return (min(low, wider[0]), high) if skewness < 0 else (low, max(high, wider[1]))


def clear_skewness(n: int) -> float:
    """Return the skewness of n values, three or more, that is not taken for noise: two standard errors.

    Examples
    --------
    >>> round(clear_skewness(24), 2)
    0.94
    """
    return _CLEARLY * math.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))


def _limits(
    mean: float, squares: float, cubes: float, total: float, n: int, confidence: float
) -> tuple[float, float, float]:
    """Limits and skewness from sums of powers about the mean."""
    count = np.array([n])
    skewness = skewness_of_sums(np.array([squares]), np.array([cubes]), count)
    error = np.array([math.sqrt(max(squares, 0.0) / (total - 1) / total)])
    low, high = skewness_interval(np.array([mean]), error, skewness, count, confidence=confidence)
    return float(low[0]), float(high[0]), float(skewness[0])
