r"""From tails to p-values, and adjustment for families of tests.

Adjusted p-values from the resampled maximum statistic, stepping down.

Holm's correction multiplies p-values, and a resampled p-value is bounded below by one over the number of resamples:
with many pairs nothing could be significant. The maximum over pairs has no such bound, and accounts for the correlation
between pairs.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from scipy.special import betaincinv

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import unknown_name
from betterthan.kernels.sign_flips.exact import Alternative


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


Correction = Literal["none", "bonferroni", "holm", "benjamini_hochberg"]
CorrectionFamily = Literal["pairs", "directions"]

_SMALLEST = float(np.finfo(np.float64).tiny)


def pairwise_pvalues(upper: FloatArray, *, alternative: Alternative = "two-sided") -> FloatArray:
    r"""P-values of all pairs from the upper tail probability of a against b.

    .. math:: p_{ab} = \min(1, 2 \min(u_{ab}, u_{ba}))

    for the two-sided question; :math:`u_{ab}` for "greater" (a is better than b) and :math:`u_{ba}` for "less".

    Parameters
    ----------
    upper : array, shape (m, m)
        Entry [a, b]: probability, when the two are equally good, of a result at least as favorable to a.
        NaN where the test is undefined.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" tests whether a (the row) is better than b (the column).

    Returns
    -------
    array, shape (m, m)
        In (0, 1], NaN on the diagonal. Symmetric when two-sided; "greater" is the transpose of "less". What
        underflows becomes the smallest normal number, because no finite data give certainty.

    Examples
    --------
    >>> pairwise_pvalues(np.array([[0.6, 0.03], [0.98, 0.6]])).round(3)
    array([[ nan, 0.06],
           [0.06,  nan]])
    """
    if alternative not in get_args(Alternative):
        raise unknown_name("alternative", alternative, get_args(Alternative))
    if alternative == "two-sided":
        pvalues = 2 * np.minimum(upper, upper.T)
    else:
        pvalues = (upper if alternative == "greater" else upper.T).copy()
    pvalues = np.asarray(np.clip(pvalues, _SMALLEST, 1))
    np.fill_diagonal(pvalues, np.nan)
    return pvalues


def adjusted(pvalues: FloatArray, *, correction: Correction = "holm") -> FloatArray:
    r"""P-values adjusted for multiple comparisons.

    With :math:`p_{(1)} \le \dots \le p_{(k)}`:

    * "bonferroni" :math:`\min(1, k p)`;
    * "holm" [1]_ :math:`\max_{j \le i} \min(1, (k - j + 1) p_{(j)})`, never worse than Bonferroni;
    * "benjamini_hochberg" [2]_ :math:`\min_{j \ge i} \min(1, k p_{(j)} / j)`.

    The first two bound the chance of *any* false claim, the third the expected share of false claims.

    Parameters
    ----------
    pvalues : array, shape (k,)
        NaN is no question asked: it stays NaN and does not count in k.
    correction : {"none", "bonferroni", "holm", "benjamini_hochberg"}, default "holm"

    Returns
    -------
    array, shape (k,)

    References
    ----------
    .. [1] Holm (1979), A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6.
    .. [2] Benjamini, Hochberg (1995), Controlling the false discovery rate, J. R. Statist. Soc. B 57.

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.04, 0.03, np.nan]), correction="holm")
    array([0.03, 0.06, 0.06,  nan])
    """
    if correction not in get_args(Correction):
        raise unknown_name("correction", correction, get_args(Correction))
    asked = ~np.isnan(pvalues)
    result = pvalues.copy()
    if correction != "none":
        result[asked] = _adjusted_complete(pvalues[asked], correction)
    return result


def _adjusted_complete(pvalues: FloatArray, correction: Correction) -> FloatArray:
    k = pvalues.size
    if correction == "bonferroni":
        return np.minimum(1, k * pvalues)
    order = np.argsort(pvalues, kind="stable")
    place = np.arange(1, k + 1)
    if correction == "holm":
        in_order = np.maximum.accumulate((k - place + 1) * pvalues[order])
    else:
        in_order = np.minimum.accumulate((k / place * pvalues[order])[::-1])[::-1]
    result = np.empty(k)
    result[order] = np.minimum(1, in_order)
    return result


def rejected(pvalues: FloatArray, *, correction: Correction = "holm", alpha: float = 0.05) -> BoolArray:
    """Whether each p-value is significant after the correction; what :func:`adjusted` says, several times as fast.

    Parameters
    ----------
    pvalues : array, shape (k,)
        Without NaN.
    correction : {"none", "bonferroni", "holm", "benjamini_hochberg"}, default "holm"
    alpha : float, default 0.05

    Examples
    --------
    >>> rejected(np.array([0.01, 0.04, 0.03]))
    array([ True, False, False])
    """
    if correction != "holm":
        return np.asarray(adjusted(pvalues, correction=correction) <= alpha)
    in_order = np.sort(pvalues)
    is_small = np.arange(in_order.size, 0, -1) * in_order <= alpha
    n_rejected = in_order.size if is_small.all() else int(is_small.argmin())
    return (
        np.asarray(pvalues <= in_order[n_rejected - 1]) if n_rejected else np.zeros(pvalues.shape, dtype=bool)
    )


def adjusted_pairs(
    pvalues: FloatArray, *, correction: Correction = "holm", family: CorrectionFamily = "pairs"
) -> FloatArray:
    """Adjusted p-values of all pairs of systems.

    Parameters
    ----------
    pvalues : array, shape (m, m)
        The diagonal is ignored.
    correction : {"none", "bonferroni", "holm", "benjamini_hochberg"}, default "holm"
    family : {"pairs", "directions"}, default "pairs"
        What was asked at once.

        * "pairs": each of the m(m−1)/2 pairs was asked once. Right for two-sided tests, and for one-sided ones
          when the direction was fixed beforehand (each triangle is then a family of its own).
        * "directions": both directions of each pair, m(m−1) questions. Right when a claim will be made from
          either triangle of a one-sided matrix.

    Returns
    -------
    array, shape (m, m)
        Symmetric when `pvalues` is; NaN on the diagonal and where `pvalues` is NaN.

    Examples
    --------
    >>> p = np.array([[np.nan, 0.01, 0.04], [0.01, np.nan, 0.03], [0.04, 0.03, np.nan]])
    >>> adjusted_pairs(p, correction="bonferroni")
    array([[ nan, 0.03, 0.12],
           [0.03,  nan, 0.09],
           [0.12, 0.09,  nan]])
    """
    if family not in get_args(CorrectionFamily):
        raise unknown_name("family", family, get_args(CorrectionFamily))
    m = len(pvalues)
    above, below = np.triu_indices(m, 1)
    result = np.full((m, m), np.nan)
    upper, lower = pvalues[above, below], pvalues[below, above]
    if family == "directions":
        both = adjusted(np.concatenate([upper, lower]), correction=correction)
        result[above, below], result[below, above] = both[: above.size], both[above.size :]
    else:
        result[above, below] = adjusted(upper, correction=correction)
        result[below, above] = adjusted(lower, correction=correction)
    return result


def pairs_matrix(m: int, forward: FloatArray, backward: FloatArray) -> FloatArray:
    """Return systems × systems from values of the pairs a < b, row by row, and of b against a; NaN on the diagonal.

    Examples
    --------
    >>> pairs_matrix(2, np.array([1.0]), np.array([-1.0]))
    array([[nan,  1.],
           [-1., nan]])
    """
    matrix = np.full((m, m), np.nan)
    above, below = np.triu_indices(m, 1)
    matrix[above, below], matrix[below, above] = forward, backward
    return matrix


def monte_carlo_limits(reached: FloatArray, n_resamples: int) -> tuple[FloatArray, FloatArray]:
    """Return Clopper and Pearson's 95% interval of the p-value that all resamples would give.

    Parameters
    ----------
    reached : array
        Resamples as extreme as the data, of each p-value.
    n_resamples : int

    Examples
    --------
    >>> low, high = monte_carlo_limits(np.array([0.0, 50.0]), 999)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.0374], [0.0037, 0.0655])
    """
    # Many pairs have the same count, and the inverse of the beta function takes microseconds.
    count, place = np.unique(np.clip(reached, 0.0, n_resamples), return_inverse=True)
    others = n_resamples - count
    low = np.where(count > 0, betaincinv(np.maximum(count, 1e-9), others + 1, 0.025), 0.0)
    high = np.where(others > 0, betaincinv(count + 1, np.maximum(others, 1e-9), 0.975), 1.0)
    place = place.reshape(reached.shape)
    return low[place], high[place]
