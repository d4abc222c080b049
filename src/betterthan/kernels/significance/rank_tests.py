"""Tests by signs and ranks: the sign test, Wilcoxon's signed-rank test, Mood's median test.

The first two are exact wherever they can be, also with ties. Mood's ignores the pairing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.special import betainc, gammaln, ndtr

from betterthan.arrays import BoolArray, FloatArray, IntArray, read_only
from betterthan.errors import unknown_name
from betterthan.kernels.comparisons.tied_ranks import groups_of_equals, row_medians
from betterthan.kernels.comparisons.wins import TIES_POLICIES, TiesPolicy, WinCounts
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.kernels.significance.pvalues import pairwise_pvalues


class SignTest(NamedTuple):
    """The sign test of all pairs."""

    wins: IntArray
    """(m, m); wins of the row that the test counted."""
    n: IntArray
    """(m, m); segments that the test counted."""
    pvalue: FloatArray
    """(m, m); NaN on the diagonal and where no segment is shared."""


def at_least(successes: FloatArray | IntArray, n: FloatArray | IntArray) -> FloatArray:
    r"""Probability of at least this many heads in n fair tosses, exact for any n.

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
        Whole numbers, from :func:`betterthan.kernels.comparisons.wins.win_counts`.
    ties : {"drop", "half", "as_published"}, default "drop"
        * "drop": leave tied segments out (the classical test).
        * "half": give each system half of them, and leave one out when their number is odd [2]_.
        * "as_published": the code released with [1]_: strict wins of the leader out of *all* segments, so that
          ties count against the leader; two-sided, it can call many ties significant. One-sided, wins of the
          row out of all segments.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" tests whether a (the row) is better than b (the column).

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


Zeros = Literal["wilcox", "pratt"]
WilcoxonMethod = Literal["auto", "exact", "asymptotic"]

_EXACT_UP_TO = 50
_ROUNDING = 4 * float(np.finfo(np.float64).eps)
_BLOCK = 1 << 19


class SignedRanks(NamedTuple):
    """The ranks of |differences| of pairs of systems, k rows of n segments, smallest difference first."""

    ranks: FloatArray
    """(k, n); midranks, 0 for what does not count (missing cells and zero differences)."""
    plus: FloatArray
    """(k,); sum of the ranks of the first system's wins."""
    minus: FloatArray
    """(k,); sum of the ranks of its losses."""


class Wilcoxon(NamedTuple):
    """The signed-rank test of all pairs."""

    n: IntArray
    """(m, m); segments with a difference other than zero."""
    statistic: FloatArray
    """(m, m); sum of the ranks of the row's wins."""
    pvalue: FloatArray
    """(m, m); NaN on the diagonal and where no segment is shared."""
    is_exact: BoolArray
    """(m, m); whether the p-value comes from the exact null distribution."""


def signed_ranks(first: FloatArray, second: FloatArray, *, zeros: Zeros = "wilcox") -> SignedRanks:
    """Rank the absolute differences of k pairs of systems, row by row.

    Differences that agree up to the rounding of the scores they come from are tied: 0.3 − 0.2 and 0.2 − 0.1 are
    the same size, whatever the last bit says.

    Parameters
    ----------
    first, second : array, shape (k, n)
        NaN is missing.
    zeros : {"wilcox", "pratt"}, default "wilcox"
        * "wilcox": zero differences are dropped before ranking.
        * "pratt": they are ranked with the others and then dropped.

    Examples
    --------
    >>> found = signed_ranks(np.array([[5.0, 7, 9, 4]]), np.array([[4.0, 5, 9, 5]]))
    >>> found.ranks, found.plus, found.minus
    (array([[1.5, 1.5, 3. , 0. ]]), array([4.5]), array([1.5]))
    """
    gaps = first - second
    missing = np.isnan(gaps)
    counted = ~missing & ((gaps != 0) | (zeros == "pratt"))
    size = np.where(counted, np.abs(gaps), np.inf)
    order = np.argsort(size, axis=1, kind="stable")
    in_order = np.take_along_axis(size, order, axis=1)
    blur = _ROUNDING * np.take_along_axis(np.maximum(np.abs(first), np.abs(second)), order, axis=1)
    starts = np.ones(size.shape, dtype=np.bool_)
    with np.errstate(invalid="ignore"):  # inf − inf between cells that do not count
        apart = np.diff(in_order, axis=1) > np.fmax(blur[:, 1:], blur[:, :-1])
    # A zero difference is exact: nothing else is tied with it.
    starts[:, 1:] = apart | ((in_order[:, 1:] > 0) & (in_order[:, :-1] == 0))
    sign = np.take_along_axis(np.where(counted, np.sign(gaps), 0.0), order, axis=1)
    ranks = np.where(sign != 0, groups_of_equals(starts).middle, 0.0)
    return SignedRanks(ranks, (ranks * (sign > 0)).sum(axis=1), (ranks * (sign < 0)).sum(axis=1))


def wilcoxon(
    goodness: FloatArray,
    *,
    zeros: Zeros = "wilcox",
    method: WilcoxonMethod = "auto",
    continuity: bool = True,
    alternative: Alternative = "two-sided",
) -> Wilcoxon:
    r"""Test whether the differences are symmetric about zero, for all pairs.

    .. math:: W^+ = \sum_{i: d_i > 0} \operatorname{rank} |d_i|

    More powerful than the sign test when differences are symmetric; it can reject for their asymmetry alone [1]_.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better; NaN is missing, and a pair uses the segments both systems have.
    zeros : {"wilcox", "pratt"}, default "wilcox"
        See :func:`signed_ranks`.
    method : {"auto", "exact", "asymptotic"}, default "auto"
        * "exact": the distribution over all 2^n signs by convolution, with ties as they are; cost n³ a pair.
        * "asymptotic": normal, with tie correction.
        * "auto": exact up to 50 differences other than zero.
    continuity : bool, default True
        Move the statistic half a rank toward its mean in the normal approximation.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" tests whether a (the row) is better than b (the column).

    Notes
    -----
    Differences that are all zero give p = 1. scipy.stats.wilcoxon is exact without ties only (and by
    permutation up to 13 segments); the normal approximation is the same.

    References
    ----------
    .. [1] Divine, Norton, Barón, Juarez-Colunga (2018), The Wilcoxon–Mann–Whitney procedure fails as a test of
       medians, The American Statistician 72.
    .. [2] Pratt (1959), Remarks on zeros and ties in the Wilcoxon signed rank procedures, JASA 54.
    .. [3] Cureton (1967), The normal approximation to the signed-rank sampling distribution when zero
       differences are present, JASA 62.

    Examples
    --------
    >>> scores = np.array([[2.0, 6, 7, 13, 18], [5.0, 11, 12, 17, 1]])
    >>> result = wilcoxon(scores)
    >>> result.statistic[0, 1], result.pvalue[0, 1]
    (np.float64(5.0), np.float64(0.5625))
    """
    for kind, given, choices in (("zeros", zeros, Zeros), ("method", method, WilcoxonMethod)):
        if given not in get_args(choices):
            raise unknown_name(kind, given, get_args(choices))
    m, n_segments = goodness.shape
    n, is_exact = np.zeros((m, m), dtype=np.int64), np.zeros((m, m), dtype=np.bool_)
    plus, upper = np.zeros((m, m)), np.full((m, m), np.nan)
    first, second = np.triu_indices(m, 1)
    step = max(1, _BLOCK // max(1, n_segments))
    for start in range(0, first.size, step):
        a, b = first[start : start + step], second[start : start + step]
        found = signed_ranks(goodness[a], goodness[b], zeros=zeros)
        n[a, b] = n[b, a] = np.count_nonzero(found.ranks, axis=1)
        plus[a, b], plus[b, a] = found.plus, found.minus
        exact = (n[a, b] <= _EXACT_UP_TO) if method == "auto" else np.full(a.size, method == "exact")
        is_exact[a, b] = is_exact[b, a] = exact
        upper[a, b], upper[b, a] = _tails(found, exact, continuity=continuity)
        nothing = np.isnan(goodness[a] + goodness[b]).all(axis=1)
        upper[a[nothing], b[nothing]] = upper[b[nothing], a[nothing]] = np.nan
    return Wilcoxon(n, plus, pairwise_pvalues(upper, alternative=alternative), is_exact)


def _tails(found: SignedRanks, exact: BoolArray, *, continuity: bool) -> tuple[FloatArray, FloatArray]:
    """Probability of a rank sum at least as large as that of the wins, and as that of the losses."""
    upper, lower = _normal_tails(found, continuity=continuity)
    for row in np.nonzero(exact)[0]:
        ranks = found.ranks[row][found.ranks[row] > 0]
        tail = null_tail(np.rint(2 * ranks).astype(np.int64))
        upper[row] = tail[round(2 * found.plus[row])]
        lower[row] = tail[round(2 * found.minus[row])]
    return upper, lower


def _normal_tails(found: SignedRanks, *, continuity: bool) -> tuple[FloatArray, FloatArray]:
    # Given the ranks, W⁺ is a sum of independent rank × coin: mean Σr/2, variance Σr²/4, ties and zeros included.
    centre = found.ranks.sum(axis=1) / 2
    spread = np.sqrt((found.ranks**2).sum(axis=1)) / 2
    spread = np.where(spread > 0, spread, np.inf)
    half = 0.5 if continuity else 0.0
    upper = ndtr(-(found.plus - centre - half) / spread)
    lower = ndtr(-(found.minus - centre - half) / spread)
    nothing = np.isinf(spread)
    return np.where(nothing, 1.0, upper), np.where(nothing, 1.0, lower)


def null_tail(doubled_ranks: IntArray) -> FloatArray:
    r"""Exact tail of the doubled signed-rank sum over all equally likely signs.

    Ranks one after another: :math:`f_{j}(w) = \tfrac12 f_{j-1}(w) + \tfrac12 f_{j-1}(w - 2 r_j)`. Doubling makes
    midranks whole.

    Parameters
    ----------
    doubled_ranks : array of int, shape (n,)

    Returns
    -------
    array, shape (sum of doubled_ranks + 1,)
        Entry w: probability that the doubled sum is w or more.

    Examples
    --------
    >>> null_tail(np.array([2, 4]))[[0, 2, 4, 6]]
    array([1.  , 0.75, 0.5 , 0.25])
    """
    n = doubled_ranks.size
    if np.array_equal(doubled_ranks, np.arange(2, 2 * n + 1, 2)):
        return _tail_without_ties(n)
    return _tail(doubled_ranks)


@lru_cache(maxsize=64)
def _tail_without_ties(n: int) -> FloatArray:
    return read_only(_tail(np.arange(2, 2 * n + 1, 2)))


def _tail(doubled_ranks: IntArray) -> FloatArray:
    mass = np.zeros(int(doubled_ranks.sum()) + 1)
    mass[0] = 1.0
    reached = 0
    for rank in doubled_ranks.tolist():
        reached += rank
        mass[: reached + 1] *= 0.5
        mass[rank : reached + 1] += mass[: reached + 1 - rank].copy()
    return np.asarray(np.minimum(mass[::-1].cumsum()[::-1], 1.0))


Ties = Literal["below", "above", "ignore"]
MoodMethod = Literal["chi_square", "fisher"]


class Mood(NamedTuple):
    """Mood's median test of all pairs."""

    above: IntArray
    """(m, m); entry [a, b]: scores of a above the median of a and b together."""
    n: IntArray
    """(m, m); entry [a, b]: scores of a that were counted."""
    statistic: FloatArray
    """(m, m), symmetric; chi-square with one degree of freedom, with the optional correction."""
    pvalue: FloatArray
    """(m, m); NaN on the diagonal and where all scores fall on one side."""


def mood_median(
    goodness: FloatArray,
    *,
    ties: Ties = "below",
    method: MoodMethod = "chi_square",
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
        "greater" tests whether a (the row) is better than b (the column); for the chi-square this is the tail of
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
    for kind, given, choices in (("ties", ties, Ties), ("method", method, MoodMethod)):
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
    """Probability that a has at least this many of the scores above, all divisions being equally likely."""
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
