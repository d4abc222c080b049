"""An automatic judge against human labels: agreement with intervals, adjusted effects, calibration, both orders."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betainc, stdtr, stdtrit

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.judges.left_out import left_out_interval, numbered
from betterthan.kernels.judges.prediction_powered import wilson_interval


class AuditEstimate(NamedTuple):
    """A number with its interval; the p-value is NaN where nothing is tested."""

    value: float
    low: float
    high: float
    pvalue: float = np.nan


_UNKNOWN = AuditEstimate(np.nan, np.nan, np.nan)


def confusion(first: FloatArray, second: FloatArray, categories: FloatArray) -> IntArray:
    """Count how often a value of `first` (rows) meets one of `second` (columns).

    Examples
    --------
    >>> confusion(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0])).tolist()
    [[1, 0], [1, 1]]
    """
    k = categories.size
    place = np.searchsorted(categories, first) * k + np.searchsorted(categories, second)
    return np.asarray(np.bincount(place, minlength=k * k).reshape(k, k), dtype=np.int64)


def nominal_kappa(
    first: FloatArray, second: FloatArray, cluster: IntArray, *, confidence: float
) -> AuditEstimate:
    r"""Cohen's kappa of categories, with an interval for other clusters of units.

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}

    Clusters are left out one at a time (:func:`~betterthan.kernels.judges.left_out.left_out_interval`).

    References
    ----------
    .. [1] Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20.

    Examples
    --------
    >>> x, y = np.array([0.0, 1, 1, 0, 1, 0]), np.array([0.0, 1, 0, 0, 1, 0])
    >>> found = nominal_kappa(x, y, np.arange(6), confidence=0.95)
    >>> round(found.value, 2), found.low < found.value < found.high
    (0.67, True)
    """
    categories = np.unique(np.concatenate([first, second]))
    k = categories.size
    member = numbered(cluster)
    place = np.searchsorted(categories, first) * k + np.searchsorted(categories, second)
    parts = np.zeros((int(member.max()) + 1, k * k))
    np.add.at(parts, (member, place), 1.0)
    whole = parts.sum(axis=0)
    value = float(_kappa_of(whole[None], k)[0])
    if np.isnan(value):
        return _UNKNOWN
    return AuditEstimate(value, *left_out_interval(value, _kappa_of(whole - parts, k), confidence=confidence))


def _kappa_of(tables: FloatArray, k: int) -> FloatArray:
    counts = tables.reshape(-1, k, k)
    n = counts.sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.trace(counts, axis1=1, axis2=2) / n
        expected = (counts.sum(axis=1) * counts.sum(axis=2)).sum(axis=1) / n**2
        return np.asarray(np.where(expected < 1, (observed - expected) / (1 - expected), np.nan))


def clustered_correlation(
    first: FloatArray, second: FloatArray, cluster: IntArray, *, confidence: float
) -> AuditEstimate:
    """Pearson's correlation, with an interval from leaving out one cluster at a time.

    Examples
    --------
    >>> x = np.arange(8.0)
    >>> round(clustered_correlation(x, x**2, np.arange(8), confidence=0.95).value, 3)
    0.962
    """
    member = numbered(cluster)
    x, y = first - first.mean(), second - second.mean()
    parts = np.stack([np.bincount(member, each) for each in (np.ones_like(x), x, y, x * x, y * y, x * y)])
    whole = parts.sum(axis=1, keepdims=True)
    value = float(_correlation_of(whole)[0])
    if np.isnan(value):
        return _UNKNOWN
    return AuditEstimate(
        value, *left_out_interval(value, _correlation_of(whole - parts), confidence=confidence)
    )


def _correlation_of(sums: FloatArray) -> FloatArray:
    n, x, y, xx, yy, xy = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = (xx - x * x / n) * (yy - y * y / n)
        return np.asarray(np.where(spread > 0, (xy - x * y / n) / np.sqrt(np.maximum(spread, 0.0)), np.nan))


def adjusted_effect(
    outcome: FloatArray, effect: FloatArray, others: FloatArray, cluster: IntArray, *, confidence: float
) -> AuditEstimate:
    r"""Coefficient of one variable in a linear regression with others, by the jackknife over clusters.

    .. math:: \widehat{\mathrm{Var}}(\hat\beta) = \frac{G - 1}{G} \sum_g
              \big( (Z^\top Z)^{-1} Z_g^\top (I - H_{gg})^{-1} e_g \big)^2

    with G clusters, and Student's distribution with G − 1 degrees of freedom [1]_. NaN where the variable is determined
    by the others, or there are fewer than four clusters.

    Parameters
    ----------
    outcome, effect : array, shape (n,)
    others : array, shape (n, c)
        Without the constant, which is added.
    cluster : array of int, shape (n,)
    confidence : float

    References
    ----------
    .. [1] Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage samples,
       Survey Methodology 28; the jackknife, CR3.

    Examples
    --------
    >>> x, z = np.arange(12.0), np.tile([0.0, 1.0], 6)
    >>> found = adjusted_effect(2 * x + z + np.cos(x), x, z[:, None], np.arange(12), confidence=0.95)
    >>> round(found.value, 1), found.pvalue < 0.001
    (1.9, True)
    """
    n = outcome.size
    columns = np.column_stack([np.ones(n), others, effect])
    member = numbered(cluster)
    n_clusters = int(member.max()) + 1
    basis, triangle = np.linalg.qr(columns)
    scale = np.abs(np.diag(triangle))
    if (
        n_clusters < 4
        or n <= columns.shape[1]
        or scale[-1] <= 1e-10 * np.sqrt(n) * max(float(np.ptp(effect)), 1e-300)
    ):
        return _UNKNOWN
    fitted = basis.T @ outcome
    residual = outcome - basis @ fitted
    value = float(fitted[-1] / triangle[-1, -1])
    changes = np.zeros(n_clusters)
    order = np.argsort(member, kind="stable")
    for g, rows in enumerate(np.split(order, np.flatnonzero(np.diff(member[order])) + 1)):
        part = basis[rows]
        inner = np.linalg.pinv(np.eye(rows.size) - part @ part.T, rcond=1e-10, hermitian=True)
        changes[g] = part[:, -1] @ (inner @ residual[rows]) / triangle[-1, -1]
    error = float(np.sqrt((n_clusters - 1) / n_clusters * (changes @ changes)))
    half = float(stdtrit(n_clusters - 1, 0.5 + confidence / 2)) * error
    p = 2 * float(stdtr(n_clusters - 1, -abs(value) / error)) if error > 0 else float(value == 0)
    return AuditEstimate(value, value - half, value + half, p)


class CalibrationBin(NamedTuple):
    """Outputs with similar scores of the judge: mean of the judge, and of people with its interval."""

    judge: float
    human: float
    low: float
    high: float
    n: int


def calibration_bins(
    judge: FloatArray, human: FloatArray, *, confidence: float, is_binary: bool, most: int = 10
) -> list[CalibrationBin]:
    """Group outputs by the judge's score: by its values where they are few, otherwise in equal parts.

    Examples
    --------
    >>> bins = calibration_bins(np.array([1.0, 1, 2, 2]), np.array([0.0, 0, 1, 0]), confidence=0.95, is_binary=True)
    >>> [(each.judge, each.human, each.n) for each in bins]
    [(1.0, 0.0, 2), (2.0, 0.5, 2)]
    """
    values = np.unique(judge)
    if values.size <= most:
        codes = np.searchsorted(values, judge)
    else:
        order = np.argsort(judge, kind="stable")
        codes = np.empty(judge.size, dtype=np.int64)
        codes[order] = np.arange(judge.size) * most // judge.size
    found = []
    for code in np.unique(codes):
        x, y = judge[codes == code], human[codes == code]
        n, mean = y.size, float(y.mean())
        if is_binary:
            low, high = wilson_interval(mean, n, float(stdtrit(np.inf, 0.5 + confidence / 2)))
        elif n > 1:
            half = float(stdtrit(n - 1, 0.5 + confidence / 2) * y.std(ddof=1) / np.sqrt(n))
            low, high = mean - half, mean + half
        else:
            low = high = np.nan
        found.append(CalibrationBin(float(x.mean()), mean, low, high, n))
    return found


def clustered_mean(values: FloatArray, cluster: IntArray, *, confidence: float) -> AuditEstimate:
    """Mean with Student's interval from the sums of clusters, and the p-value that it is 0; NaN for one cluster.

    Examples
    --------
    >>> found = clustered_mean(np.array([1.0, 2.0, 3.0]), np.arange(3), confidence=0.95)
    >>> round(found.low, 4), round(found.high, 4)
    (-0.4841, 4.4841)
    """
    mean = float(values.mean())
    member = numbered(cluster)
    k = int(member.max()) + 1
    if k < 2:
        return AuditEstimate(mean, np.nan, np.nan)
    sums = np.bincount(member, values - mean, minlength=k)
    error = float(np.sqrt(k / (k - 1) * (sums @ sums))) / values.size
    half = float(stdtrit(k - 1, 0.5 + confidence / 2)) * error
    p = 2 * float(stdtr(k - 1, -abs(mean) / error)) if error > 0 else float(mean == 0)
    return AuditEstimate(mean, mean - half, mean + half, p)


def clustered_share(hits: FloatArray, cluster: IntArray, *, confidence: float) -> AuditEstimate:
    """Share with Wilson's interval for as many independent units as the clusters are worth.

    Examples
    --------
    >>> found = clustered_share(np.ones(30), np.arange(30), confidence=0.95)
    >>> round(found.low, 2), round(found.high, 2)
    (0.89, 1.0)
    """
    share, n = float(hits.mean()), hits.size
    member = numbered(cluster)
    sums = np.bincount(member, hits - share)
    sizes = np.bincount(member)
    most = float((sizes**2).sum()) / n
    single = float(((hits - share) ** 2).sum())
    design = min(max(float(sums @ sums) / single, 1.0), most) if single > 0 else most
    reach = float(stdtrit(np.inf if design == 1 else max(sizes.size - 1, 1), 0.5 + confidence / 2))
    return AuditEstimate(share, *wilson_interval(share, n / design, reach))


class BothOrders(NamedTuple):
    """Pairs of systems that were judged on a question in both orders, one entry each.

    Attributes
    ----------
    question : array of int, shape (n,)
    kind : array of int, shape (n,)
        0: the same winner, or twice a tie. 1: twice the left, 2: twice the right system won. 3: a winner in one order
        and a tie in the other.
    """

    question: IntArray
    kind: IntArray


def both_orders(
    question: IntArray, left: IntArray, right: IntArray, outcome: FloatArray, *, n_systems: int
) -> BothOrders:
    """Compare the verdicts of a judge on the same two outputs in both orders; the first of each order counts.

    Parameters
    ----------
    question, left, right : array of int, shape (t,)
    outcome : array, shape (t,)
        1 when left wins, 0.5 for a tie, 0 when right wins.
    n_systems : int

    Examples
    --------
    >>> both_orders(np.array([0, 0]), np.array([0, 1]), np.array([1, 0]), np.array([1.0, 1.0]), n_systems=2).kind
    array([1])
    """
    key = (question * n_systems + left) * n_systems + right
    back = (question * n_systems + right) * n_systems + left
    first, place = np.unique(key, return_index=True)
    at = np.minimum(np.searchsorted(first, back[place]), first.size - 1)
    has_both = (first[at] == back[place]) & (left[place] < right[place])
    one, other = outcome[place][has_both], outcome[place[at]][has_both]
    kind = np.where(
        one == 1 - other, 0, np.where((one == 1) & (other == 1), 1, np.where((one == 0) & (other == 0), 2, 3))
    )
    return BothOrders(question[place][has_both], kind)


def sign_pvalue(wins: int, losses: int) -> float:
    """Return the two-sided p-value of the exact sign test.

    Examples
    --------
    >>> sign_pvalue(5, 0), sign_pvalue(3, 3)
    (0.0625, 1.0)
    """
    n, most = wins + losses, max(wins, losses)
    return 1.0 if n == 0 or 2 * most == n else min(1.0, 2 * float(betainc(most, n - most + 1, 0.5)))
