r"""Judges who differ from the others by more than chance, with one error level for the whole campaign.

Judgments of an output are exchangeable between judges who are equally good: it was chance who of them gave which. So
the scores of each output are dealt out anew among its judges, everything is recomputed, and the largest departure of
any judge is noted. A judge is singled out when no more than a share α of these largest departures reaches theirs.

Quality of each judge: compared with peers, on control items, and on repeated items.

Judgments come as rows: unit (an output of a system for a segment), judge, value. Judges are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.significance.paired import geometric_mean
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.kernels.significance.rank_tests import wilcoxon

# A sum of squares below this share of the values' own is rounding.
_NOISE = 1e-26


class JudgedItems(NamedTuple):
    """At most one row for each unit and judge."""

    unit: IntArray
    judge: IntArray
    value: FloatArray


class PeerAgreement(NamedTuple):
    """Comparison of each of j judges with the mean of the others on the same units."""

    n_shared: IntArray
    """(j,); units that others judged too."""
    correlation: FloatArray
    """(j,); Pearson's, with the mean of the others; NaN with fewer than two shared units or without spread."""
    bias: FloatArray
    """(j,); mean of the judge's value minus the mean of the others."""
    variance: FloatArray
    """(j,); of these differences about the bias, freed of the others' share; NaN with fewer than two."""


class Repeats(NamedTuple):
    """Consistency of each of j judges on repeated units."""

    n: IntArray
    """(j,); judgments beyond the first of a unit."""
    deviation: FloatArray
    """(j,); standard deviation of a judge's judgments of the same unit; NaN without repeats."""


class Controls(NamedTuple):
    """Whether each of j judges sees that a degraded output is worse."""

    n: IntArray
    """(j,); pairs of a genuine and a degraded output."""
    right: FloatArray
    """(j,); pairs in which the degraded output is scored lower, and half of those scored alike."""
    difference: FloatArray
    """(j,); mean of genuine less degraded; NaN without pairs."""
    pvalue: FloatArray
    """(j,); one-sided Wilcoxon signed-rank test; NaN without pairs."""


def mean_of_repeats(unit: IntArray, judge: IntArray, value: FloatArray) -> JudgedItems:
    """Average a judge's repeated judgments of the same unit.

    Examples
    --------
    >>> mean_of_repeats(np.array([5, 5, 5]), np.array([0, 1, 0]), np.array([1.0, 9.0, 2.0]))
    JudgedItems(unit=array([5, 5]), judge=array([0, 1]), value=array([1.5, 9. ]))
    """
    n_judges = int(judge.max(initial=0)) + 1
    cell, row, count = np.unique(unit * n_judges + judge, return_inverse=True, return_counts=True)
    value = np.bincount(row, weights=value, minlength=cell.size) / np.maximum(count, 1)
    return JudgedItems(cell // n_judges, cell % n_judges, np.asarray(value, dtype=np.float64))


def peer_agreement(judged: JudgedItems, *, n_judges: int) -> PeerAgreement:
    r"""Compare each judge with the mean of all others on the units they share.

    With :math:`\bar x_{-j}` the mean of the m − 1 others on a unit, and equal error variances σ² of all judges, the
    difference :math:`x_j - \bar x_{-j}` has variance σ² m / (m − 1). It is therefore scaled by
    :math:`\sqrt{(m - 1) / m}`, so that judges with few and with many peers can be compared:

    .. math:: s_j^2 = \frac{1}{n_j - 1} \sum_u (d_{ju} - \bar d_j)^2, \qquad
       d_{ju} = \sqrt{\tfrac{m_u - 1}{m_u}} \, (x_{ju} - \bar x_{-j,u})

    Parameters
    ----------
    judged : JudgedItems
        At most one row for each unit and judge.
    n_judges : int

    References
    ----------
    .. [1] Graham, Baldwin, Moffat and Zobel (2017), Can machine translation systems be evaluated by the crowd alone,
       Natural Language Engineering 23.

    Examples
    --------
    The third judge turns the scale around.

    >>> unit, judge = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    >>> found = peer_agreement(JudgedItems(unit, judge, np.array([1.0, 1, 3, 2, 2, 2, 3, 3, 1])), n_judges=3)
    >>> found.correlation[2].round(12), found.variance.round(3)
    (np.float64(-1.0), array([0.667, 0.667, 2.667]))
    """
    _, group, size = np.unique(judged.unit, return_inverse=True, return_counts=True)
    m = size[group]
    shared = m > 1
    total = np.bincount(group, weights=judged.value, minlength=size.size)[group]
    judge, own, m = judged.judge[shared], judged.value[shared], m[shared]
    others = (total[shared] - own) / (m - 1)
    n, bias, _ = _moments(judge, own - others, n_judges)
    _, _, squares = _moments(judge, np.sqrt((m - 1) / m) * (own - others), n_judges)
    variance = np.asarray(squares / np.where(n > 1, n - 1, np.nan))
    return PeerAgreement(n, _correlations(judge, own, others, n_judges), bias, variance)


def _moments(judge: IntArray, value: FloatArray, n_judges: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Number, mean and sum of squares about the mean for each judge; rounding is 0."""
    n = np.bincount(judge, minlength=n_judges)
    mean = np.bincount(judge, weights=value, minlength=n_judges) / np.where(n > 0, n, np.nan)
    squares = np.bincount(judge, weights=(value - mean[judge]) ** 2, minlength=n_judges)
    size = np.bincount(judge, weights=value**2, minlength=n_judges)
    return n, mean, np.where(squares > _NOISE * size, squares, 0.0)


def _correlations(judge: IntArray, x: FloatArray, y: FloatArray, n_judges: int) -> FloatArray:
    (_, mean_x, xx), (_, mean_y, yy) = (_moments(judge, v, n_judges) for v in (x, y))
    cross = np.bincount(judge, weights=(x - mean_x[judge]) * (y - mean_y[judge]), minlength=n_judges)
    return np.clip(cross / geometric_mean(xx, yy), -1, 1)


def repeat_consistency(unit: IntArray, judge: IntArray, value: FloatArray, *, n_judges: int) -> Repeats:
    r"""Pooled standard deviation of a judge's repeated judgments within units.

    .. math:: s_j = \sqrt{\frac{\sum_u \sum_i (x_{jui} - \bar x_{ju})^2}{\sum_u (m_{ju} - 1)}}

    Examples
    --------
    >>> repeat_consistency(np.array([0, 0, 1]), np.array([0, 0, 0]), np.array([1.0, 3.0, 9.0]), n_judges=1)
    Repeats(n=array([1]), deviation=array([1.41421356]))
    """
    _, cell, size = np.unique(unit * n_judges + judge, return_inverse=True, return_counts=True)
    mean = np.bincount(cell, weights=value, minlength=size.size) / np.maximum(size, 1)
    squares = np.bincount(judge, weights=(value - mean[cell]) ** 2, minlength=n_judges)
    n = np.bincount(judge, minlength=n_judges) - np.bincount(
        judge[np.unique(cell, return_index=True)[1]], minlength=n_judges
    )
    return Repeats(n, np.sqrt(squares / np.where(n > 0, n, np.nan)))


def control_test(judge: IntArray, genuine: FloatArray, degraded: FloatArray, *, n_judges: int) -> Controls:
    """Test for each judge whether degraded outputs are scored lower than what they were made from.

    Parameters
    ----------
    judge : array of int, shape (p,)
    genuine, degraded : array, shape (p,)
        Higher is better; the same judge's scores of both.
    n_judges : int

    Notes
    -----
    The Wilcoxon signed-rank test, exact up to 50 pairs with a difference. Fewer than five pairs cannot reach 0.05.

    References
    ----------
    .. [1] Graham, Baldwin, Moffat and Zobel (2017), Can machine translation systems be evaluated by the crowd alone,
       Natural Language Engineering 23.

    Examples
    --------
    >>> good = np.array([80.0, 75, 90, 60, 70])
    >>> control_test(np.zeros(5, int), good, good - [30, 20, 40, 10, 15], n_judges=1).pvalue
    array([0.03125])
    """
    n, difference, _ = _moments(judge, genuine - degraded, n_judges)
    halves = (1 + np.sign(genuine - degraded)) / 2
    right = np.asarray(np.bincount(judge, weights=halves, minlength=n_judges), dtype=np.float64)
    pvalue = np.full(n_judges, np.nan)
    for one in np.flatnonzero(n).tolist():
        pair = np.stack([genuine[judge == one], degraded[judge == one]])
        pvalue[one] = wilcoxon(pair, alternative="greater").pvalue[0, 1]
    return Controls(n, right, difference, pvalue)


Generators = Callable[[str, int], np.random.Generator]

RESAMPLES = 999
_FEWEST_RESAMPLES = 199
_MOST_NUMBERS = (
    20_000_000  # judgments times resamples; larger campaigns need fewer resamples for the same verdict
)
_BLOCK_NUMBERS = 1_000_000
_SHUFFLES = 40
_RESAMPLES_OF_SHUFFLES = 39
_MOST_FOR_POWER = 2000  # judgments; with more, power is seldom a question, and costs time
_FEWEST_JUDGES = 3  # of two who disagree, neither can be said to be the worse one


class _Layout(NamedTuple):
    """Rows of judgments, unit by unit, of the units that two or more judge."""

    unit_start: IntArray
    size: IntArray
    """(t,); judges of the row's unit."""
    by_judge: IntArray
    """Rows judge by judge."""
    back: IntArray
    judge_start: IntArray
    judges: IntArray
    """Those who have rows, rising."""
    n: IntArray
    """Rows of each of them."""


def screen_by_peers(
    judged: JudgedItems,
    *,
    candidates: BoolArray,
    tested: BoolArray,
    alpha: float,
    standardize: bool,
    generator: Generators,
) -> FloatArray:
    r"""Test which judges differ from the others more than equally good judges would.

    Within each judge scores are replaced by their ranks (mid-ranks, scaled to variance 1), so that neither severity nor
    use of the scale nor a single odd score counts. With :math:`d_{ju}` the judge's distance from the others on output u
    as in :func:`~betterthan.kernels.judges.judge_screening.peer_agreement`, the statistic is

    .. math:: T_j = \frac{s_j^{2/3} - \mu_j}{\sigma_j}, \qquad s_j^2 = \frac{1}{n_j - 1} \sum_u (d_{ju} - \bar d_j)^2

    (the cube root of a variance is nearly normal), with mean and standard deviation over the resamples. The p-value of
    the most extreme candidate is the share of resamples whose *largest* T reaches it. Where it is at most α the
    judge's rows are taken away, and the others are tested anew.

    Parameters
    ----------
    judged : JudgedItems
        At most one row for each unit and judge, unit by unit.
    candidates : array of bool, shape (j,)
        Who may be singled out.
    tested : array of bool, shape (j,)
        Whose departures count for the largest one; includes the candidates.
    alpha : float
        The chance that any of equally good judges is singled out.
    standardize : bool
        Without it scores are centred within each judge, not ranked.
    generator : callable
        From a name and a number to a random generator of its own.

    Returns
    -------
    array, shape (j,)
        P-values, adjusted for all judges; NaN for those who are not candidates.

    Notes
    -----
    Outputs of two judges show only that the two differ. These pairs of scores are therefore also exchanged between
    outputs: a judge who is far from every partner then stands out.

    References
    ----------
    .. [1] Westfall and Young (1993), Resampling-based multiple testing, Wiley.

    Examples
    --------
    The last of five judges turns the scale around:

    >>> rng = np.random.default_rng(1)
    >>> score = rng.normal(size=30)[:, None] + 0.5 * rng.normal(size=(30, 5))
    >>> score[:, 4] *= -1
    >>> rows = JudgedItems(np.repeat(np.arange(30), 5), np.tile(np.arange(5), 30), score.ravel())
    >>> everybody = np.full(5, True)
    >>> screen_by_peers(rows, candidates=everybody, tested=everybody, alpha=0.05, standardize=True,
    ...                 generator=lambda name, number: np.random.default_rng(number)) <= 0.05
    array([False, False, False, False,  True])
    """
    pvalue = np.full(tested.size, np.nan)
    left, floor, step, rows = candidates.copy(), 0.0, 0, judged
    while left.any():
        rows = _of_several(rows)
        layout = _layout(rows)
        eligible = np.isin(layout.judges, np.flatnonzero(tested)) & (layout.n > 1)
        if layout.judges.size < _FEWEST_JUDGES or not eligible.any():
            break
        rng = generator("screening of judges", step)
        n_resamples = min(RESAMPLES, max(_FEWEST_RESAMPLES, _MOST_NUMBERS // rows.value.size))
        statistic, maxima = _departures(
            rows, layout, eligible, rng, n_resamples=n_resamples, standardize=standardize
        )
        mine = np.isin(layout.judges, np.flatnonzero(left)) & eligible
        if not mine.any():
            break
        shares = (1 + (maxima[:, None] >= statistic[mine]).sum(axis=0)) / (maxima.size + 1)
        pvalue[layout.judges[mine]] = np.maximum(shares, floor)
        worst = layout.judges[mine][np.argmax(statistic[mine])]
        floor = float(pvalue[worst])
        if floor > alpha:
            break
        left[worst] = False
        others = rows.judge != worst
        rows = JudgedItems(rows.unit[others], rows.judge[others], rows.value[others])
        step += 1
    return pvalue


def _of_several(rows: JudgedItems) -> JudgedItems:
    """The rows of units that two or more judge."""
    _, group, size = np.unique(rows.unit, return_inverse=True, return_counts=True)
    shared = size[group] > 1
    return JudgedItems(rows.unit[shared], rows.judge[shared], rows.value[shared])


def _layout(rows: JudgedItems) -> _Layout:
    _, start, size = np.unique(rows.unit, return_index=True, return_counts=True)
    by_judge = np.argsort(rows.judge, kind="stable")
    judges, judge_start, n = np.unique(rows.judge[by_judge], return_index=True, return_counts=True)
    return _Layout(start, np.repeat(size, size), by_judge, np.argsort(by_judge), judge_start, judges, n)


def _departures(
    rows: JudgedItems,
    layout: _Layout,
    eligible: BoolArray,
    rng: np.random.Generator,
    *,
    n_resamples: int,
    standardize: bool,
) -> tuple[FloatArray, FloatArray]:
    """T of each judge, and the largest T of each resample."""
    values = _prepared(_coded(rows.value, standardize=standardize)[None], layout, standardize=standardize)
    observed = _spread(values, layout)[0]
    # Ranks that are equal up to rounding are equal.
    coded = _coded(values[0].round(12) if standardize else values[0], standardize=standardize)
    portion = max(1, _BLOCK_NUMBERS // rows.value.size)
    drawn = []
    for start in range(0, n_resamples, portion):
        dealt = coded[_dealt(min(portion, n_resamples - start), layout, rng)]
        drawn.append(_spread(_prepared(dealt, layout, standardize=standardize), layout))
    resampled = np.concatenate(drawn)
    mean, deviation = resampled.mean(axis=0), resampled.std(axis=0, ddof=1)
    maxima = _scaled(resampled, mean, deviation)[:, eligible].max(axis=1)
    return _scaled(observed, mean, deviation), maxima


def _scaled(spread: FloatArray, mean: FloatArray, deviation: FloatArray) -> FloatArray:
    # Where no resample differs from another, no judge can be an outlier.
    constant = deviation <= 1e-12 * np.maximum(mean, 1e-300)
    return np.asarray(np.where(constant, -np.inf, (spread - mean) / np.where(constant, 1.0, deviation)))


def _prepared(values: FloatArray, layout: _Layout, *, standardize: bool) -> FloatArray:
    """Coded values (b, t) made comparable between judges: ranks of variance 1 within each, or centred values."""
    ordered = values[:, layout.by_judge]
    if standardize:
        ordered = _midranks(ordered, layout)
    centred = ordered - np.repeat(
        np.add.reduceat(ordered, layout.judge_start, axis=1) / layout.n, layout.n, axis=1
    )
    if standardize:
        squares = np.add.reduceat(centred**2, layout.judge_start, axis=1) / layout.n
        centred /= np.repeat(np.sqrt(np.where(squares > 0, squares, 1.0)), layout.n, axis=1)
    return centred[:, layout.back]


def _coded(values: FloatArray, *, standardize: bool) -> FloatArray:
    """Whole numbers in the order of the values where only order counts."""
    return np.unique(values, return_inverse=True)[1].astype(np.float64) if standardize else values


def _midranks(ordered: FloatArray, layout: _Layout) -> FloatArray:
    """Ranks of (b, t) within the run of each judge; equal values share the mean of their ranks."""
    key = ordered + np.repeat(np.arange(layout.n.size), layout.n) * (ordered.max() + 1)
    order = np.argsort(key, axis=1)
    ascending = np.take_along_axis(key, order, axis=1)
    place = np.arange(key.shape[1])
    is_new = np.concatenate([np.full((len(key), 1), True), ascending[:, 1:] != ascending[:, :-1]], axis=1)
    first = np.maximum.accumulate(np.where(is_new, place, 0), axis=1)
    ends = np.concatenate([is_new[:, 1:], np.full((len(key), 1), True)], axis=1)
    last = np.minimum.accumulate(np.where(ends, place, place.size)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(ordered.shape)
    np.put_along_axis(ranks, order, (first + last) / 2, axis=1)
    return ranks


def _spread(values: FloatArray, layout: _Layout) -> FloatArray:
    """Cube root of the variance of each judge's distances from the others, (b, t) to (b, judges)."""
    sums = np.add.reduceat(values, layout.unit_start, axis=1)
    size = layout.size[layout.unit_start]
    distance = np.sqrt(layout.size / (layout.size - 1)) * (values - np.repeat(sums / size, size, axis=1))
    ordered = distance[:, layout.by_judge]
    total, squares = (np.add.reduceat(power, layout.judge_start, axis=1) for power in (ordered, ordered**2))
    variance = (squares - total**2 / layout.n) / np.maximum(layout.n - 1, 1)
    return np.asarray(np.cbrt(np.maximum(variance, 0.0)))


def _dealt(n_resamples: int, layout: _Layout, rng: np.random.Generator) -> IntArray:
    """Which row's value each row receives, (n_resamples, t): dealt out anew within every unit."""
    source = np.empty((n_resamples, layout.size.size), dtype=np.int64)
    sizes = layout.size[layout.unit_start]
    for size in np.unique(sizes).tolist():
        rows = layout.unit_start[sizes == size][:, None] + np.arange(size)
        order = np.argsort(rng.random((n_resamples, *rows.shape)), axis=2)
        dealt = np.take_along_axis(np.broadcast_to(rows, order.shape), order, axis=2)
        if size == 2:
            units = np.argsort(rng.random((n_resamples, len(rows))), axis=1)
            dealt = np.take_along_axis(dealt, units[:, :, None], axis=1)
        source[:, rows.ravel()] = dealt.reshape(n_resamples, -1)
    return source


def power_by_peers(
    judged: JudgedItems,
    *,
    tested: BoolArray,
    max_variance_ratio: float,
    alpha: float,
    standardize: bool,
    generator: Generators,
) -> float:
    """Power to detect one judge who answers at random.

    The scores of one judge after the other are shuffled over that judge's outputs, and screened with few resamples;
    the standard error of the answer is about 0.07.

    Returns
    -------
    float
        NaN with fewer than three judges, and for large campaigns, where it would take long and is close to 1.
    """
    rows = _of_several(judged)
    layout = _layout(rows)
    members = np.flatnonzero(np.isin(layout.judges, np.flatnonzero(tested)) & (layout.n > 1))
    if layout.judges.size < _FEWEST_JUDGES or not members.size or rows.value.size > _MOST_FOR_POWER:
        return np.nan
    eligible = np.isin(np.arange(layout.judges.size), members)
    shown = 0
    for shuffle in range(_SHUFFLES):
        rng = generator("judges who answer at random", shuffle)
        who = members[shuffle % members.size]
        own = rows.judge == layout.judges[who]
        value = rows.value.copy()
        value[own] = rng.permutation(value[own])
        random = JudgedItems(rows.unit, rows.judge, value)
        variance = peer_agreement(random, n_judges=tested.size).variance[layout.judges]
        if not variance[who] > max_variance_ratio * np.median(variance[eligible]):
            continue
        statistic, maxima = _departures(
            random, layout, eligible, rng, n_resamples=_RESAMPLES_OF_SHUFFLES, standardize=standardize
        )
        shown += bool((1 + np.count_nonzero(maxima >= statistic[who])) / (maxima.size + 1) <= alpha)
    return float(shown / _SHUFFLES)


def careless_pvalues(right: FloatArray, n: IntArray, *, accuracy: float) -> FloatArray:
    r"""Holm-adjusted p-values that judges order control pairs rightly less often than careful ones do.

    .. math:: p_j = P(X \le r_j), \qquad X \sim \operatorname{Binomial}(n_j, \pi)

    Parameters
    ----------
    right : array, shape (j,)
        Pairs in which the degraded output is scored lower, ties as halves; a half is counted in favor of the judge.
    n : array of int, shape (j,)
        Pairs; judges without any take no part.
    accuracy : float
        π, how often a careful judge is right.

    Examples
    --------
    >>> careless_pvalues(np.array([5.0, 1.0]), np.array([5, 5]), accuracy=0.9).round(5)
    array([1.0e+00, 9.2e-04])
    """
    pvalue = np.full(n.size, np.nan)
    has = n > 0
    if has.any():
        pvalue[has] = adjusted(bdtr(np.ceil(right[has]), n[has], accuracy), correction="holm")
    return pvalue


def power_of_controls(n: int, n_judges: int, *, accuracy: float, alpha: float) -> float:
    """Power to detect a judge who answers at random, right in half of n pairs, among n_judges.

    Examples
    --------
    >>> [round(power_of_controls(n, 12, accuracy=0.9, alpha=0.05), 2) for n in (3, 5, 10, 30)]
    [0.12, 0.19, 0.62, 0.99]
    """
    chance = bdtr(np.arange(n + 1), n, accuracy)
    most = int(np.searchsorted(chance, alpha / n_judges, side="right")) - 1
    return float(bdtr(most, n, 0.5)) if most >= 0 else 0.0
