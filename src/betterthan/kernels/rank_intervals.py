"""How sure is a rank? From tests that hold together, and from resamples one system at a time."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.tied_ranks import tied_ranks

_BLOCK = 1 << 20


def significantly_better(adjusted: FloatArray, effect: FloatArray, *, alpha: float) -> BoolArray:
    """Which system is significantly better than which, from two-sided tests.

    Parameters
    ----------
    adjusted : array, shape (m, m)
        Two-sided p-values, adjusted or not; p ≤ alpha is significant and NaN is not.
    effect : array, shape (m, m)
        Positive where the row is better.
    alpha : float

    Examples
    --------
    >>> p, effect = np.array([[np.nan, 0.01], [0.01, np.nan]]), np.array([[0.0, -2.0], [2.0, 0.0]])
    >>> significantly_better(p, effect, alpha=0.05)
    array([[False, False],
           [ True, False]])
    """
    with np.errstate(invalid="ignore"):
        return np.asarray((adjusted <= alpha) & (effect > 0))


def simultaneous_rank_intervals(better: BoolArray) -> tuple[IntArray, IntArray]:
    r"""Rank intervals that all hold at once, from pairwise tests.

    .. math:: [\,1 + \#\{b : b \succ a\},\; m - \#\{b : a \succ b\}\,]

    If the tests are adjusted so that the chance of any false claim is at most alpha (Holm, Bonferroni, maximum of
    the statistic), then with probability 1 − alpha *every* true rank lies in its interval [1]_.

    Parameters
    ----------
    better : array of bool, shape (m, m)
        Entry [a, b]: a is significantly better than b.

    Returns
    -------
    low, high : array of int, shape (m,)
        Rank 1 is best.

    References
    ----------
    .. [1] Mohamad, Goeman, van Zwet (2022), Simultaneous confidence intervals for ranks with application to
       ranking institutions, Biometrics 78.

    Examples
    --------
    >>> better = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> simultaneous_rank_intervals(better)
    (array([1, 1, 2]), array([2, 3, 3]))
    """
    m = len(better)
    low = 1 + np.count_nonzero(better, axis=0)
    high = m - np.count_nonzero(better, axis=1)
    return low.astype(np.int64), high.astype(np.int64)


def resampled_rank_intervals(resampled: FloatArray, *, confidence: float) -> tuple[IntArray, IntArray]:
    """Rank intervals of each system alone, from resampled strengths.

    Each system's ranks over the resamples, cut at both tails. The interval is *marginal*: it covers for one
    system looked at alone, not for all at once (:func:`simultaneous_rank_intervals` does), and the bootstrap
    is too sure of ranks of systems that are nearly equal.

    Parameters
    ----------
    resampled : array, shape (n_resamples, m)
        Higher is better. Resamples with a NaN are left out; without any, a rank can be anything.
    confidence : float

    Returns
    -------
    low, high : array of int, shape (m,)
        Rank 1 is best. Systems that tie in a resample take the first of their places for `low` and the last for
        `high`.

    Examples
    --------
    >>> resampled_rank_intervals(np.array([[3.0, 2, 1], [3.0, 1, 2], [3.0, 2, 1]]), confidence=0.9)
    (array([1, 2, 2]), array([1, 3, 3]))
    """
    resampled = resampled[~np.isnan(resampled).any(axis=1)]
    n_resamples, m = resampled.shape
    if n_resamples == 0:
        return np.ones(m, dtype=np.int64), np.full(m, m, dtype=np.int64)
    lows, highs = np.empty((n_resamples, m), dtype=np.int64), np.empty((n_resamples, m), dtype=np.int64)
    step = max(1, _BLOCK // max(1, m))
    for start in range(0, n_resamples, step):
        at = slice(start, start + step)
        lows[at], highs[at] = tied_ranks(-resampled[at])
    tail = (1 - confidence) / 2
    low = np.quantile(lows, tail, axis=0, method="inverted_cdf")
    high = np.quantile(highs, 1 - tail, axis=0, method="inverted_cdf")
    return low.astype(np.int64), high.astype(np.int64)
