"""Effect sizes of all pairs, exactly antisymmetric."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.kernels.comparisons.tied_ranks import row_medians
from betterthan.kernels.comparisons.wins import TiesPolicy, WinCounts, win_counts, with_ties
from betterthan.kernels.significance.paired import Differences
from betterthan.kernels.significance.rank_tests import Zeros, signed_ranks

_BLOCK = 1 << 19


def median_differences(goodness: FloatArray) -> FloatArray:
    r"""Difference of medians, :math:`M_A - M_B` of Proposition 1: of the marginals, pairing ignored.

    Examples
    --------
    >>> median_differences(np.array([[1.0, 5, 11, 12, 17], [2.0, 6, 7, 13, 18]]))
    array([[ 0.,  4.],
           [-4.,  0.]])
    """
    if not np.isnan(goodness).any():
        medians = row_medians(goodness)
        return np.asarray(medians[:, None] - medians[None, :])
    m = len(goodness)
    result = np.zeros((m, m))
    for a in range(m):
        missing = np.isnan(goodness[a] + goodness[a:])
        own = row_medians(np.where(missing, np.nan, goodness[a]))
        others = row_medians(np.where(missing, np.nan, goodness[a:]))
        result[a, a:], result[a:, a] = own - others, others - own
    return result


def medians_of_differences(goodness: FloatArray) -> FloatArray:
    r"""Median of the paired differences, :math:`M_{A-B}` of Proposition 1: what decides Bradley–Terry for two.

    Examples
    --------
    >>> medians_of_differences(np.array([[2.0, 6, 7, 13, 18], [5.0, 11, 12, 17, 1]]))
    array([[ 0., -4.],
           [ 4.,  0.]])
    """
    m = len(goodness)
    result = np.zeros((m, m))
    for a in range(m):
        result[a, a:] = row_medians(goodness[a] - goodness[a:])
        result[a:, a] = -result[a, a:]
    return result + 0.0


def win_probabilities(
    goodness: FloatArray, ties: TiesPolicy = "half", counts: WinCounts | None = None
) -> FloatArray:
    r"""Share of segments on which a beats b; of two systems, what Bradley–Terry makes of them ([1]_ Eq. 1).

    .. math:: P_{ab} = \frac{\omega_{ab}}{\omega_{ab} + \omega_{ba}}

    with ties shared or left out, see :func:`shared_wins`; half a win for both makes
    :math:`P_{ab} = (w_{ab} + \tfrac12 t_{ab}) / n_{ab}`. :math:`P_{ab} + P_{ba} = 1` exactly; the diagonal is ½.

    Parameters
    ----------
    goodness : array, shape (m, n)
    ties : {"half", "drop", "as_published"}, default "half"
    counts : WinCounts, optional
        Where they were counted before.

    Returns
    -------
    array, shape (m, m)
        NaN also where ties are left out and nothing else is there.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, §2.2.

    Examples
    --------
    >>> win_probabilities(np.array([[2.0, 6, 7, 13, 18], [5.0, 11, 12, 17, 1]]))
    array([[0.5, 0.2],
           [0.8, 0.5]])
    >>> win_probabilities(np.array([[3.0, 6, 7, 7], [1.0, 2, 7, 8]]), "drop")[0, 1].round(3)
    np.float64(0.667)
    """
    won = shared_wins(win_counts(goodness) if counts is None else counts, ties)
    met = won + won.T
    return _complementary(won / np.where(met > 0, met, np.nan))


def shared_wins(counts: WinCounts, ties: TiesPolicy) -> FloatArray:
    """Wins of the row over the column (m, m) once ties are left out, halved or counted against the leader.

    The last is what "as_published" means in a test of two systems: the order of systems must not decide it.

    Examples
    --------
    >>> three_to_one = WinCounts(np.array([[0.0, 3], [1, 0]]), np.array([[0.0, 2], [2, 0]]))
    >>> shared_wins(three_to_one, "as_published")
    array([[0., 3.],
           [3., 0.]])
    """
    wins, tied = counts
    if ties != "as_published":
        return with_ties(wins, tied, ties)
    return np.asarray(wins + np.where(wins < wins.T, tied, np.where(wins == wins.T, tied / 2, 0.0)))


def dominance(goodness: FloatArray, counts: WinCounts | None = None) -> FloatArray:
    r"""Wins minus losses over segments, :math:`(w_{ab} - w_{ba}) / n_{ab}`: Cliff's delta within segments.

    From −1 to 1, and 2 P − 1 with P of :func:`win_probabilities`.

    References
    ----------
    .. [1] Cliff (1993), Dominance statistics: ordinal analyses to answer ordinal questions, Psych. Bulletin 114.

    Examples
    --------
    >>> dominance(np.array([[2.0, 6, 7, 13, 18], [5.0, 11, 12, 17, 1]]))
    array([[ 0. , -0.6],
           [ 0.6,  0. ]])
    """
    wins, ties = win_counts(goodness) if counts is None else counts
    met = wins + wins.T + ties
    result = (wins - wins.T) / np.where(met > 0, met, np.nan)
    np.fill_diagonal(result, 0.0)
    return np.asarray(result)


def cliffs_delta(goodness: FloatArray) -> FloatArray:
    r"""Cliff's delta between the marginals, pairing ignored.

    .. math:: \delta_{ab} = \frac{\#\{(i, j): x_{ai} > x_{bj}\} - \#\{(i, j): x_{ai} < x_{bj}\}}{n^2}

    Its distance from :func:`dominance` is what pairing brings to light.

    Examples
    --------
    >>> cliffs_delta(np.array([[2.0, 6, 7, 13, 18], [5.0, 11, 12, 17, 1]]))
    array([[ 0.  ,  0.12],
           [-0.12,  0.  ]])
    """
    m = len(goodness)
    delta = np.full((m, m), np.nan)
    whole = not np.isnan(goodness).any()
    rows = np.sort(goodness, axis=1) if whole else goodness
    for a in range(m):
        for b in range(a, m):
            both = slice(None) if whole else ~np.isnan(goodness[a] + goodness[b])
            mine, theirs = rows[a, both], rows[b, both] if whole else np.sort(rows[b, both])
            if mine.size:
                below, upto = (np.searchsorted(theirs, mine, side=side) for side in ("left", "right"))
                excess = int((below + upto - mine.size).sum())
                delta[a, b], delta[b, a] = excess / mine.size**2, -excess / mine.size**2
    return delta + 0.0


def standardised(found: Differences) -> FloatArray:
    r"""Mean difference in standard deviations of the differences, :math:`d_z = \bar d / s_d`.

    ±inf where all differences are equal and not zero, NaN where all are zero or there are fewer than two.

    References
    ----------
    .. [1] Lakens (2013), Calculating and reporting effect sizes, Frontiers in Psychology 4, Eq. 6.

    Examples
    --------
    >>> from betterthan.kernels.significance.paired import differences
    >>> standardised(differences(np.array([[3.0, 5, 6, 8], [2.0, 3, 5, 4]])))[0, 1].round(4)
    np.float64(1.4142)
    """
    varies = found.squares > 0
    sizes = found.mean / np.where(varies, found.deviation, 1.0)
    equal = np.where(found.mean == 0, np.nan, np.copysign(np.inf, found.mean))
    result = np.where(varies, sizes, np.where(found.n > 1, equal, np.nan))
    np.fill_diagonal(result, 0.0)
    return result


def rank_biserial(goodness: FloatArray, *, zeros: Zeros = "wilcox") -> FloatArray:
    r"""Matched-pairs rank-biserial correlation, :math:`(W^+ - W^-) / (W^+ + W^-)`, from −1 to 1.

    The effect size of the Wilcoxon signed-rank test; 0 where all differences are zero.

    Parameters
    ----------
    goodness : array, shape (m, n)
    zeros : {"wilcox", "pratt"}, default "wilcox"
        See :func:`betterthan.kernels.significance.rank_tests.signed_ranks`.

    References
    ----------
    .. [1] Kerby (2014), The simple difference formula, Comprehensive Psychology 3.

    Examples
    --------
    >>> rank_biserial(np.array([[2.0, 6, 7, 13, 18], [5.0, 11, 12, 17, 1]]))[0, 1].round(4)
    np.float64(-0.3333)
    """
    m, n = goodness.shape
    result = np.zeros((m, m))
    first, second = np.triu_indices(m, 1)
    step = max(1, _BLOCK // max(1, n))
    for start in range(0, first.size, step):
        a, b = first[start : start + step], second[start : start + step]
        found = signed_ranks(goodness[a], goodness[b], zeros=zeros)
        total = found.plus + found.minus
        size = (found.plus - found.minus) / np.where(total > 0, total, 1.0)
        size[np.isnan(goodness[a] + goodness[b]).all(axis=1)] = np.nan
        result[a, b], result[b, a] = size, -size
    return result + 0.0


def _complementary(share: FloatArray) -> FloatArray:
    """Make [a, b] and [b, a] sum to 1 in floating point too."""
    upper = np.triu(share, 1)
    result = np.asarray(upper + np.tril(1 - share.T, -1))
    np.fill_diagonal(result, 0.5)
    return result
