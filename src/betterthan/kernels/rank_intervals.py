"""How sure is a rank? From tests that hold together."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, IntArray


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
