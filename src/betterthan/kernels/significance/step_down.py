r"""Adjusted p-values from the resampled maximum statistic, stepping down.

Holm's correction multiplies p-values, and a resampled p-value is bounded below by one over the number of resamples:
with many pairs nothing could be significant. The maximum over pairs has no such bound, and accounts for the correlation
between pairs.
"""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray, IntArray


def successive_maxima(statistics: FloatArray, observed: FloatArray) -> IntArray:
    r"""Count, for each hypothesis, the resamples whose maximum over it and all less significant ones reaches it.

    With the observed statistics in falling order, :math:`s_1 \ge s_2 \ge \dots`, the count of hypothesis k is

    .. math:: \#\{r : \max_{l \ge k} s^{(r)}_l \ge s_k\} .

    Parameters
    ----------
    statistics : array, shape (hypotheses, resamples)
        Under the null hypothesis. It is overwritten.
    observed : array, shape (hypotheses,)

    Returns
    -------
    array of int, shape (hypotheses,)
        Counts of several blocks of resamples add up; :func:`stepped_pvalues` turns them into p-values.

    References
    ----------
    .. [1] Westfall and Young (1993), Resampling-based multiple testing, Wiley, algorithm 4.1.
    .. [2] Romano and Wolf (2005), Exact and approximate stepdown methods for multiple hypothesis testing, JASA 100.

    Examples
    --------
    >>> successive_maxima(np.array([[1.0, 5.0], [3.0, 0.0]]), np.array([4.0, 2.0]))
    array([1, 1])
    """
    order = np.argsort(-observed, kind="stable")[::-1]
    ascending = statistics[order]
    np.maximum.accumulate(ascending, axis=0, out=ascending)
    counts = np.empty(observed.size, dtype=np.int64)
    counts[order] = np.count_nonzero(ascending >= observed[order][:, None], axis=1)
    return counts


def stepped_pvalues(counts: IntArray, observed: FloatArray, n_resamples: int) -> FloatArray:
    """Adjusted p-values (b + 1) / (B + 1), made monotone in the order of the observed statistics.

    Rejecting where they are at most α keeps the chance of any false rejection at α.

    Examples
    --------
    >>> stepped_pvalues(np.array([4, 2, 44]), np.array([3.0, 2.0, 1.0]), 99)
    array([0.05, 0.05, 0.45])
    """
    order = np.argsort(-observed, kind="stable")
    adjusted = np.empty(observed.size)
    adjusted[order] = np.maximum.accumulate((counts[order] + 1.0) / (n_resamples + 1.0))
    return adjusted


def step_down(reached: IntArray, statistics: FloatArray, n_resamples: int) -> FloatArray:
    """Adjusted p-values of all pairs: (b + 1) / (B + 1), made monotone in the order of the statistics.

    Parameters
    ----------
    reached : array of int, shape (m, m)
        How many resamples have a maximum that reaches the pair, over all blocks.
    statistics : array, shape (m, m)
        Observed.
    n_resamples : int
        Resamples in all blocks together.

    Returns
    -------
    array, shape (m, m)
        Rejecting where it is at most α keeps the chance of any false rejection at α.

    Notes
    -----
    Control is strong under the assumption that, for true null pairs, the vector of differences keeps its
    joint distribution when all signs on a segment flip together.

    Examples
    --------
    >>> statistics = np.array([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    >>> reached = np.array([[99, 4, 44], [4, 99, 2], [44, 2, 99]])
    >>> step_down(reached, statistics, 99)
    array([[1.  , 0.05, 0.45],
           [0.05, 1.  , 0.05],
           [0.45, 0.05, 1.  ]])
    """
    left, right = np.triu_indices(len(reached), 1)
    adjusted = np.ones(reached.shape)
    adjusted[left, right] = stepped_pvalues(reached[left, right], statistics[left, right], n_resamples)
    adjusted[right, left] = adjusted[left, right]
    return adjusted
