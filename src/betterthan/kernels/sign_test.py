"""The exact sign test on win and tie counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betainc

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import unknown_name
from betterthan.kernels.pvalues import Alternative, pairwise_pvalues
from betterthan.kernels.wins import TIES_POLICIES, TiesPolicy, WinCounts


class SignTest(NamedTuple):
    """The sign test of all pairs."""

    wins: IntArray
    """(m, m); wins of the row that the test counted."""
    n: IntArray
    """(m, m); segments that the test counted."""
    pvalue: FloatArray
    """(m, m); NaN on the diagonal and where no segment is shared."""


def at_least(successes: FloatArray | IntArray, n: FloatArray | IntArray) -> FloatArray:
    r"""Chance of at least so many heads in n fair tosses, exact for any n.

    .. math:: P(K \ge k) = I_{1/2}(k, n - k + 1)

    Examples
    --------
    >>> at_least(np.array([0, 4, 5]), np.array([5, 5, 5]))
    array([1.     , 0.1875 , 0.03125])
    """
    k = np.maximum(successes, 1)
    tail = betainc(k.astype(np.float64), np.maximum(n - k + 1, 1).astype(np.float64), 0.5)
    return np.where(successes <= 0, 1.0, np.where(successes > n, 0.0, tail))


def sign_test(
    counts: WinCounts, *, ties: TiesPolicy = "drop", alternative: Alternative = "two-sided"
) -> SignTest:
    r"""Test whether a beats b on more segments than b beats a, for all pairs.

    The exact binomial test on the signs of the differences: the test that belongs to Bradley–Terry, to win rates
    and to the median of the differences [1]_.

    Parameters
    ----------
    counts : WinCounts
        Whole numbers, from :func:`betterthan.kernels.wins.win_counts`.
    ties : {"drop", "half", "as_published"}, default "drop"
        * "drop": leave tied segments out (the classical test).
        * "half": give each system half of them, and leave one out when their number is odd [2]_.
        * "as_published": the code released with [1]_: strict wins of the leader out of *all* segments, so that
          ties count against the leader; two-sided, it can call many ties significant. One-sided, wins of the
          row out of all segments.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" asks whether a (the row) is better than b (the column).

    Returns
    -------
    SignTest
        p = 1 where the systems share segments but none is left to count.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, §3.2.
    .. [2] Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7, §3.1.4.

    Examples
    --------
    One system wins four of five segments:

    >>> counts = WinCounts(np.array([[0.0, 1.0], [4.0, 0.0]]), np.zeros((2, 2)))
    >>> sign_test(counts, alternative="greater").pvalue
    array([[    nan, 0.96875],
           [0.1875 ,     nan]])
    """
    if ties not in TIES_POLICIES:
        raise unknown_name("ties", ties, TIES_POLICIES)
    wins, n = _counted(counts, ties)
    if ties == "as_published" and alternative == "two-sided":
        led = np.maximum(wins, wins.T)
        upper = np.where(np.tri(len(n), dtype=np.bool_), at_least(led, n), at_least(n - led, n))
    else:
        upper = at_least(wins, n)
    shared = counts.wins + counts.wins.T + counts.ties > 0
    pvalue = pairwise_pvalues(np.where(shared, upper, np.nan), alternative=alternative)
    return SignTest(wins, n, pvalue)


def _counted(counts: WinCounts, ties: TiesPolicy) -> tuple[IntArray, IntArray]:
    wins, tied = (np.rint(count).astype(np.int64) for count in counts)
    decided = wins + wins.T
    if ties == "as_published":
        return wins, decided + tied
    half = tied // 2 if ties == "half" else np.zeros_like(tied)
    return wins + half, decided + 2 * half
