r"""Soft pairwise accuracy: does a metric prefer the same systems as humans, with the same confidence?

The p-value :math:`p_{ij}` of "system i is better than system j" is near 0 when i is surely better, near 1 when j
is, and ½ when nothing can be said ([1]_ section 2). A metric is as good as its p-values are near the human ones.

References
----------
.. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation of
   automatic metrics via soft pairwise accuracy, WMT.

Soft pairwise accuracy in bootstrap samples of segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.agreement.system_means import pair_signs, pairs_of
from betterthan.kernels.sign_flips.analytic import CANCELLED, edgeworth_pvalues, normal_tails, pair_moments
from betterthan.kernels.sign_flips.permutation import mid_share, permutation_blocks, share

MANY_SEGMENTS = 500


def soft_draws(tables: FloatArray, weights: FloatArray, *, draw_metrics: bool = True) -> FloatArray:
    r"""Soft pairwise accuracy of each metric in bootstrap samples, from analytic p-values.

    .. math:: p_{ij} = \bar\Phi\Big(\frac{\sum_s w_s d_s}{\sqrt{\sum_s w_s d_s^2}}\Big), \qquad d = x_i - x_j

    Each drawn copy of a segment flips independently.

    Parameters
    ----------
    tables : array, shape (1 + k, m, n)
        Human scores, then those of the metrics; higher is better, NaN is missing.
    weights : array, shape (b, n)
        How often each segment is in each sample.
    draw_metrics : bool, default True
        Whether metrics are drawn with the human scores; otherwise they keep the p-values of all segments.

    Returns
    -------
    array, shape (b, k)
        NaN where no pair has a common segment.

    Notes
    -----
    From 500 segments on, complete tables use :math:`\sum d_s^2` of all segments in every sample. From sample to sample
    it varies by :math:`\sqrt{2/n}` (6% for 500 segments) around it, sums of squares of all pairs are nearly all of the
    work, and the limits of intervals do not notice: against those with the samples' own sums of squares they moved by
    0.01 standard deviations of the draws on average (normal, Student's t with 3 degrees of freedom, right or wrong, and
    MQM-like scores; 500 and 1,300 segments; also documents), when the choice of 1,000 samples alone moves them by 0.08.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(4.0)[:, None] / 3 + rng.normal(size=(4, 30))
    >>> soft_draws(np.stack([human, human + rng.normal(size=(4, 30))]), np.ones((2, 30))).round(3)
    array([[0.929],
           [0.929]])
    """
    is_large = tables.shape[2] >= MANY_SEGMENTS and not np.isnan(tables).any()
    pvalues = _pvalues_of_many if is_large else _pvalues
    if draw_metrics:
        human_p, *metric_p = pvalues(tables, weights)
    else:
        (human_p,) = pvalues(tables[:1], weights)
        whole = pvalues(tables[1:], np.ones((1, tables.shape[2])))
        metric_p = [np.repeat(one, len(weights), axis=1) for one in whole]
    return np.stack([_agreement(one, human_p) for one in metric_p], axis=1)


def _pvalues_of_many(tables: FloatArray, weights: FloatArray) -> list[FloatArray]:
    """P-values (pairs, b) of each table, with the second moments of all segments."""
    k, m, n = tables.shape
    first, second = pairs_of(m)
    centred = tables - tables.mean(axis=(1, 2), keepdims=True)
    # Single precision moves p-values by less than 10⁻⁵, and takes half the time.
    size = np.maximum(np.abs(centred).max(axis=(1, 2), keepdims=True), np.finfo(np.float64).tiny)
    single = (centred / size).astype(np.float32).reshape(k * m, n)
    sums = (single @ weights.astype(np.float32).T).astype(np.float64).reshape(k, m, -1)
    sums *= size
    found = []
    for own, power in zip(sums, _second_moments(tables), strict=True):
        # Systems without any difference have p = ½.
        scale = np.divide(1.0, np.sqrt(power), out=np.zeros_like(power), where=power > 0)
        z = own[first] - own[second]
        z *= scale[:, None]
        found.append(normal_tails(z))
    return found


def _second_moments(tables: FloatArray) -> FloatArray:
    """Sums of squared differences of the pairs of each table, shape (1 + k, pairs)."""
    first, second = pairs_of(tables.shape[1])
    x = tables - tables.mean(axis=1, keepdims=True)
    gram = x @ x.transpose(0, 2, 1)
    own = np.diagonal(gram, axis1=1, axis2=2)
    scale = own[:, first] + own[:, second]
    power = scale - 2 * gram[:, first, second]
    for k, pair in np.argwhere(power <= CANCELLED * scale):  # nearly identical systems
        power[k, pair] = ((tables[k, first[pair]] - tables[k, second[pair]]) ** 2).sum()
    return np.asarray(power)


def _pvalues(tables: FloatArray, weights: FloatArray) -> list[FloatArray]:
    """P-values (pairs, b) of each table."""
    first, second = pairs_of(tables.shape[1])
    found = []
    for values in tables:
        gap = values[first] - values[second]
        missing = np.isnan(gap)
        if missing.any():
            gap = np.nan_to_num(gap)
            total = gap @ weights.T
        else:
            sums = (values - values.mean()) @ weights.T
            total = sums[first] - sums[second]
        gap *= gap
        square = gap @ weights.T
        pvalue = normal_tails(np.divide(total, np.sqrt(square), out=np.zeros_like(total), where=square > 0))
        pvalue[missing.all(axis=1)] = np.nan
        found.append(pvalue)
    return found


def _agreement(metric_p: FloatArray, human_p: FloatArray) -> FloatArray:
    """1 minus the mean distance over the pairs that have p-values; `metric_p` is used up."""
    distance = np.abs(np.subtract(metric_p, human_p, out=metric_p), out=metric_p)
    known = ~np.isnan(distance[:, 0])
    if not known.all():
        distance = distance[known] if known.any() else np.full((1, distance.shape[1]), np.nan)
    return np.asarray(1.0 - distance.mean(axis=0))


PValueMethod = Literal["monte_carlo", "analytic"]


def soft_pairwise_accuracy(metric_p: FloatArray, human_p: FloatArray) -> FloatArray:
    r"""One minus the mean distance of metric and human p-values ([1]_ Eq. 1).

    .. math:: \mathrm{SPA} = \binom{m}{2}^{-1} \sum_{i < j} 1 - |p^h_{ij} - p^m_{ij}|

    Parameters
    ----------
    metric_p, human_p : array, shape (..., m, m)
        One-sided p-values that i is better than j; see :func:`one_sided_pvalues`. Only i < j is read. Pairs in
        which either is NaN are left out.

    Returns
    -------
    array, shape (...)
        NaN when no pair is left.

    Notes
    -----
    With the published p-values (b / B) ties count for both sides, :math:`p_{ij} + p_{ji} > 1`, and the value depends
    a little on the order of the systems; mid-p-values and analytic ones do not. p-values saturate at 0 and 1, so one
    system can move the value by at most 2 / m however far from the others it is.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), WMT.

    Examples
    --------
    Human scores clearly favor the first system, the metric is not:

    >>> human, metric = np.array([[0.5, 0.01], [0.99, 0.5]]), np.array([[0.5, 0.4], [0.6, 0.5]])
    >>> float(soft_pairwise_accuracy(metric, human).round(2))
    0.61
    """
    return _mean_of_pairs(1.0 - np.abs(human_p - metric_p))


def _mean_of_pairs(values: FloatArray) -> FloatArray:
    """Mean over i < j, ignoring NaN."""
    pairs = pairs_of(values.shape[-1])
    return _mean_of_known(values[..., pairs.first, pairs.second])


def _mean_of_known(values: FloatArray) -> FloatArray:
    known = ~np.isnan(values)
    n = np.count_nonzero(known, axis=-1)
    total = np.sum(values, axis=-1, where=known)
    return np.asarray(total / np.where(n > 0, n, np.nan))


def pairwise_accuracy(metric_means: FloatArray, human_means: FloatArray) -> FloatArray:
    r"""Share of pairs of systems that metric and human scores order in the same way ([1]_ Eq. 2).

    Parameters
    ----------
    metric_means, human_means : array, shape (..., m)
        Means of systems, higher is better. Pairs with a NaN are left out.

    Returns
    -------
    array, shape (...)
        NaN when no pair is left.

    Notes
    -----
    Means within 10⁻¹² of the largest mean in size are equal; pairs equal in both agree, pairs equal in one do not.
    There are at most m (m - 1) / 2 + 1 different values.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), WMT.

    Examples
    --------
    >>> float(pairwise_accuracy(np.array([0.7, 0.8, 0.9]), np.array([70.0, 90.0, 80.0])).round(4))
    0.6667
    """
    agree = np.where(pair_signs(metric_means) == pair_signs(human_means), 1.0, 0.0)
    pairs = pairs_of(metric_means.shape[-1])
    there = ~np.isnan(metric_means + human_means)
    return _mean_of_known(np.where(there[..., pairs.first] & there[..., pairs.second], agree, np.nan))


def one_sided_pvalues(
    goodness: FloatArray,
    method: PValueMethod,
    *,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
    mid_p: bool = False,
) -> FloatArray:
    r"""P-values that system i is better than system j, for all pairs: paired permutation test, one-sided.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better, NaN is missing: a pair is compared on the segments that both systems have. Documents
        permuted as units come as their sums.
    method : {"monte_carlo", "analytic"}
        * "monte_carlo": as published ([1]_ section 3.2), the share b / B of random swaps of the two systems' segments
          whose difference is at least the observed one. The swaps are shared by all pairs.
        * "analytic": no random numbers; Edgeworth approximation to the same distribution. It tends to the
          mid-p-value, :math:`p_{ij} + p_{ji} = 1`, and identical systems have ½.
    n_resamples : int, default 1000
        For "monte_carlo".
    rng : numpy.random.Generator
        For "monte_carlo". Human and metric scores share their swaps when both calls begin in the same state.
    mid_p : bool, default False
        For "monte_carlo": count ties as half. Published p-values count them whole, so that identical systems have 1.

    Returns
    -------
    array, shape (m, m)
        NaN for pairs without a common segment. On the diagonal what identical systems have.

    Notes
    -----
    Sharing makes the p-values of different pairs dependent: harmless in soft pairwise accuracy, not in claims about
    systems, which need (b + 1) / (B + 1) too.

    Analytic soft pairwise accuracy against 20,000 swaps with mid-p-values, 14 systems, the largest of six simulated
    tables, in which the Monte Carlo error is itself up to 0.002:

    ==================  =======  =======  =======  =========
    scores              n = 10   n = 20   n = 50   n ≥ 100
    ==================  =======  =======  =======  =========
    normal              0.0016   0.0006   0.0004   0.002
    Student's t, 3 df   0.0033   0.0027   0.0016   0.002
    grades 0-4          0.0027   0.0013   0.0006   0.002
    0 or 1              0.0208   0.0075   0.0026   0.002
    ==================  =======  =======  =======  =========

    The normal approximation is up to five times farther off below 50 segments (0.0027 for normal scores, n = 20) and as
    good from 100 on. Single p-values are off by at most 0.06 (n = 10), 0.014 (20) and 0.007 (50) for normal scores. The
    *published* p-values of discrete scores differ more, by half the share of ties: 0.02 of soft pairwise accuracy
    for scores of 0 or 1 at n = 20, 0.002 at n = 1300.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), WMT.

    Examples
    --------
    >>> scores = np.array([[3.0, 4.0, 5.0, 4.0], [1.0, 4.0, 2.0, 3.0]])
    >>> one_sided_pvalues(scores, "monte_carlo", rng=np.random.default_rng(0))[0, 1]  # exactly 1 / 8
    np.float64(0.121)
    >>> one_sided_pvalues(scores, "analytic").round(3)  # mid-p-value 1 / 16
    array([[0.5  , 0.058],
           [0.942, 0.5  ]])
    """
    return pvalues_of_tables([goodness], method, n_resamples=n_resamples, rng=rng, mid_p=mid_p)[0]


def pvalues_of_tables(
    tables: Sequence[FloatArray],
    method: PValueMethod,
    *,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
    mid_p: bool = False,
) -> list[FloatArray]:
    """P-values of several tables on the same segments, human and metric scores, with the same random swaps.

    Parameters
    ----------
    tables : sequence of array, shape (m, n)
    method, n_resamples, rng, mid_p
        As in :func:`one_sided_pvalues`.

    Examples
    --------
    >>> scores = np.array([[3.0, 4.0, 5.0, 4.0], [1.0, 4.0, 2.0, 3.0]])
    >>> [p[0, 1].round(3) for p in pvalues_of_tables([scores, 10 - scores], "analytic")]
    [np.float64(0.058), np.float64(0.942)]
    """
    if method == "analytic":
        found = [edgeworth_pvalues(*pair_moments(table), alternative="greater") for table in tables]
    elif method == "monte_carlo":
        found = _monte_carlo(tables, n_resamples, rng, mid_p=mid_p)
    else:
        raise unknown_name("method", method, ("monte_carlo", "analytic"))
    return [np.where(_share_a_segment(table), p, np.nan) for table, p in zip(tables, found, strict=True)]


def _monte_carlo(
    tables: Sequence[FloatArray], n_resamples: int, rng: np.random.Generator | None, *, mid_p: bool
) -> list[FloatArray]:
    if rng is None:
        raise BetterThanError(
            "Monte Carlo p-values need a random generator, and rng is None. Pass numpy.random.default_rng(seed)."
        )
    found = permutation_blocks(tables, n_resamples, rng, alternative="greater")
    if mid_p:
        return [mid_share(tallies, n_resamples) for tallies in found]
    return [share(tallies.greater + tallies.equal, n_resamples) for tallies in found]


def _share_a_segment(goodness: FloatArray) -> BoolArray:
    there = np.isfinite(goodness).astype(np.float64)
    return np.asarray(there @ there.T > 0)


def standard_error_of_monte_carlo(metric_p: FloatArray, human_p: FloatArray, n_resamples: int) -> float:
    r"""Upper bound of how far soft pairwise accuracy lies from its value without resampling error.

    .. math:: \sqrt{E(\widehat{\mathrm{SPA}} - \mathrm{SPA})^2} \le \binom{m}{2}^{-1} \sum_{i<j}
              \sqrt{p^h_{ij} (1 - p^h_{ij}) / B} + \sqrt{p^m_{ij} (1 - p^m_{ij}) / B}

    Parameters
    ----------
    metric_p, human_p : array, shape (m, m)
        As for :func:`soft_pairwise_accuracy`; NaN pairs are left out.
    n_resamples : int
        Swaps behind each p-value, B.

    Returns
    -------
    float
        Root mean square error, bias of the absolute value included, whatever the dependence between the pairs
        (triangle inequality: errors that all point the same way). For 14 systems
        it is seven to eleven times the standard deviation seen.

    Examples
    --------
    >>> p = np.full((3, 3), 0.5)
    >>> round(standard_error_of_monte_carlo(p, p, 1000), 4)
    0.0316
    """
    spread = np.sqrt(human_p * (1.0 - human_p)) + np.sqrt(metric_p * (1.0 - metric_p))
    return float(_mean_of_pairs(spread / np.sqrt(n_resamples)))
