"""Mood's median test: do two systems have the same median, pairing ignored?"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.special import gammaln, ndtr

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import unknown_name
from betterthan.kernels.pvalues import Alternative, pairwise_pvalues
from betterthan.kernels.tied_ranks import row_medians

Ties = Literal["below", "above", "ignore"]
Method = Literal["chi_square", "fisher"]


class Mood(NamedTuple):
    """Mood's median test of all pairs."""

    above: IntArray
    """(m, m); entry [a, b]: scores of a above the median of a and b together."""
    n: IntArray
    """(m, m); entry [a, b]: scores of a that were counted."""
    statistic: FloatArray
    """(m, m), symmetric; chi-square with one degree of freedom, with the correction if asked for."""
    pvalue: FloatArray
    """(m, m); NaN on the diagonal and where all scores fall on one side."""


def mood_median(
    goodness: FloatArray,
    *,
    ties: Ties = "below",
    method: Method = "chi_square",
    continuity: bool = True,
    alternative: Alternative = "two-sided",
) -> Mood:
    r"""Test whether two systems have equal medians, for all pairs, as if unpaired.

    All scores of the pair are split at their common median, and the 2 × 2 table of system and side is tested:

    .. math:: \chi^2 = \sum_{\text{cells}} \frac{(|O - E| - \tfrac12)^2}{E}

    The test belongs to the median as an aggregate [1]_ and shares its weakness: which segment a score came from
    plays no part, so it is the least powerful of the tests offered.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better; NaN is missing, and a pair uses the segments both systems have.
    ties : {"below", "above", "ignore"}, default "below"
        Where scores equal to the common median are counted.
    method : {"chi_square", "fisher"}, default "chi_square"
        * "chi_square": as scipy.stats.median_test.
        * "fisher": Fisher's exact test of the same table.
    continuity : bool, default True
        Yates' correction of the chi-square (by at most what |O − E| is).
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" asks whether a (the row) is better than b (the column); for the chi-square this is the tail of
        its signed root.

    Notes
    -----
    When all scores fall on one side of the common median (right or wrong answers, mostly right) the table says
    nothing and p is NaN.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, App. D.
    .. [2] Mood (1950), Introduction to the theory of statistics, pp. 394–399.

    Examples
    --------
    >>> scores = np.array([[1.0, 5, 11, 12, 17], [2.0, 6, 7, 13, 18]])
    >>> result = mood_median(scores)
    >>> result.above[0, 1], result.above[1, 0], result.pvalue[0, 1]
    (np.int64(3), np.int64(2), np.float64(1.0))
    """
    for kind, given, choices in (("ties", ties, Ties), ("method", method, Method)):
        if given not in get_args(choices):
            raise unknown_name(kind, given, get_args(choices))
    above, n = _split(goodness, ties)
    root = _signed_root(above, n, continuity=continuity)
    upper = ndtr(-root) if method == "chi_square" else _fisher_tail(above, n)
    upper = np.where(np.isnan(root), np.nan, upper)
    return Mood(above, n, root**2, pairwise_pvalues(upper, alternative=alternative))


def _split(goodness: FloatArray, ties: Ties) -> tuple[IntArray, IntArray]:
    m = len(goodness)
    above, n = np.zeros((m, m), dtype=np.int64), np.zeros((m, m), dtype=np.int64)
    for a in range(m - 1):
        second = goodness[a + 1 :]
        missing = np.isnan(goodness[a] + second)
        second = np.where(missing, np.nan, second)
        first = np.where(missing, np.nan, goodness[a])
        median = row_medians(np.concatenate([first, second], axis=1))[:, None]
        for values, at in ((first, (a, slice(a + 1, m))), (second, (slice(a + 1, m), a))):
            higher, equal = (np.count_nonzero(found, axis=1) for found in (values > median, values == median))
            above[at] = higher + equal if ties == "above" else higher
            n[at] = np.count_nonzero(~missing, axis=1) - (equal if ties == "ignore" else 0)
    return above, n


def _signed_root(above: IntArray, n: IntArray, *, continuity: bool) -> FloatArray:
    """Root of the chi-square, positive where a has more scores above than expected; NaN if undefined."""
    total, above_all = (n + n.T).astype(np.float64), above + above.T
    below_all = total - above_all
    defined = (n > 0) & (n.T > 0) & (above_all > 0) & (below_all > 0)
    safe = np.where(defined, total, np.nan)
    excess = above - n * above_all / safe
    size = np.abs(excess) - (np.minimum(0.5, np.abs(excess)) if continuity else 0.0)
    # Σ 1/E over the four cells of the table.
    inverse = safe**3 / np.where(defined, n * n.T * above_all * below_all, 1)
    return np.asarray(np.sign(excess) * size * np.sqrt(inverse))


def _fisher_tail(above: IntArray, n: IntArray) -> FloatArray:
    """Chance that a has at least so many of the scores above, all divisions being equally likely."""
    tail = np.ones(above.shape)
    k = np.arange(int((above + above.T).max(initial=0)) + 1)[:, None]
    for a in range(len(above)):
        drawn, size, other = above[a] + above[:, a], n[a], n[:, a]
        logs = _log_choose(size, k) + _log_choose(other, drawn - k) - _log_choose(size + other, drawn)
        tail[a] = np.exp(np.where(k >= above[a], logs, -np.inf)).sum(axis=0)
    return tail


def _log_choose(n: IntArray, k: IntArray) -> FloatArray:
    possible = (k >= 0) & (k <= n)
    safe = np.where(possible, k, 0)
    return np.where(possible, gammaln(n + 1.0) - gammaln(safe + 1.0) - gammaln(n - safe + 1.0), -np.inf)
