r"""Intervals and p-values of means over items and runs.

An estimate varies with the items and with the runs. Its interval joins the interval for other items, whatever method
that one uses, with a term for other runs:

.. math:: \Big[\, d - \sqrt{(d - l)^2 + t_\nu^2 Q},\;\; d + \sqrt{(u - d)^2 + t_\nu^2 Q}\, \Big]

with l and u the limits for other items, Q the variance due to runs, and ν its degrees of freedom (the method of
variance estimates recovery [1]_). The p-value is the largest level at which 0 lies within.

The variance of item means already holds the residual variance, :math:`c = \hat\sigma^2_e / (nR)`, and the variance of
run means holds it again. Subtracting all of it, :math:`Q = \hat\sigma^2_b / R`, truncated at 0, covers 91% with two
runs that differ; subtracting nothing covers 99% where runs do not differ. Half of it,
:math:`Q = \max(\hat\sigma^2_b / R + c / 2, 0)`, covers at least 93% in all designs of the page on calibration and at
most 98% where systems differ from item to item by more than chance.

References
----------
.. [1] Zou and Donner (2008), Construction of confidence limits about effect measures, Statistics in Medicine 27.

Item means of repeated runs, and how much they vary between runs and within.

The score of item i in run r of system s is

.. math:: y_{sir} = \mu_s + a_{si} + b_{sr} + e_{sir}

with an item effect a, a run effect b shared by all items of the run, and a residual e.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc, stdtr, stdtrit

from betterthan.arrays import FloatArray, IntArray


class RunMoments(NamedTuple):
    r"""Means and variances of each system; arrays (m,) unless noted.

    Attributes
    ----------
    item_means : array, shape (m, n)
        NaN where an item has no score.
    n_runs : array of int
    between : array
        Estimate of the variance of the run effect, which may be negative; NaN where a system has no repeats.
    residual : array
        Estimate of the residual variance; NaN where a system has no repeats.
    run_weight : array
        :math:`\sum_r w_r^2`, with :math:`w_r` the weight of a run in the mean of item means: 1 / R when balanced.
    net_weight : array
        The same less what the variance of the item means already holds: equal to it when balanced.
    residual_weight : array
        :math:`\sum w^2` over rows: 1 / (nR) when balanced.
    n_rows : array of int
    """

    item_means: FloatArray
    n_runs: IntArray
    between: FloatArray
    residual: FloatArray
    run_weight: FloatArray
    net_weight: FloatArray
    residual_weight: FloatArray
    n_rows: IntArray


def run_moments(
    system: IntArray, item: IntArray, run: IntArray, score: FloatArray, *, shape: tuple[int, int, int]
) -> RunMoments:
    r"""Moments of each system; balanced or not.

    Parameters
    ----------
    system, item, run : array of int, shape (t,)
        Indices.
    score : array, shape (t,)
    shape : (m, n, number of names of runs)

    Notes
    -----
    The variances solve the three equations in which the sums of squares around item means, run means, and of item
    means around the mean equal their expectations (Henderson's first method). With a score of every item in every run
    this is the analysis of variance: the residual mean square, and for the run effect the variance of the run means
    less the residual mean square over n.

    References
    ----------
    Henderson (1953), Estimation of variance and covariance components, Biometrics 9; Gao and Owen (2017), Efficient
    moment calculations for variance components in large unbalanced crossed random effects models, EJS 11.

    Examples
    --------
    >>> table = np.array([[1.0, 3.0], [2.0, 5.0], [4.0, 5.0]])  # items × runs of one system
    >>> item, run = (index.ravel() for index in np.indices(table.shape))
    >>> found = run_moments(0 * item, item, run, table.ravel(), shape=(1, 3, 2))
    >>> found.between.round(3), found.residual.round(3)  # 2 - 0.5 / 3, and 0.5
    (array([1.833]), array([0.5]))
    """
    m, n, names = shape
    cell, own_run = system * n + item, system * names + run
    count = np.bincount(cell, minlength=m * n).reshape(m, n)
    in_run = np.bincount(own_run, minlength=m * names).reshape(m, names)
    rows = np.bincount(system, minlength=m)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.bincount(system, weights=score, minlength=m) / rows
        level = score - centre[system]  # around the mean of the system, where sums of squares are exact
        means = np.bincount(cell, weights=level, minlength=m * n).reshape(m, n) / count
        run_means = np.bincount(own_run, weights=level, minlength=m * names).reshape(m, names) / in_run
        weight = 1.0 / count
    n_items, n_runs = (count > 0).sum(axis=1), (in_run > 0).sum(axis=1)
    # Residual degrees within items and runs are counted from sums of squares around both kinds of means.
    around_items = np.bincount(system, weights=(level - means.ravel()[cell]) ** 2, minlength=m)
    around_runs = np.bincount(system, weights=(level - run_means.ravel()[own_run]) ** 2, minlength=m)
    of_items = np.nansum(count * means**2, axis=1)
    between, residual = _solved(
        rows, n_items, n_runs, count, in_run, squares=np.stack([around_items, around_runs, of_items])
    )
    share = np.bincount(own_run, weights=weight.ravel()[cell], minlength=m * names).reshape(m, names)
    run_weight = ((share / n_items[:, None]) ** 2).sum(axis=1)
    inverse = np.where(count > 0, weight, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        within = (inverse - n_items * run_weight) / (n_items * (n_items - 1.0))
    return RunMoments(
        item_means=centre[:, None] + means,
        n_runs=n_runs,
        between=between,
        residual=residual,
        run_weight=run_weight,
        net_weight=run_weight - np.nan_to_num(within),
        residual_weight=inverse / n_items**2,
        n_rows=rows,
    )


def _solved(
    rows: IntArray,
    n_items: IntArray,
    n_runs: IntArray,
    count: IntArray,
    in_run: IntArray,
    *,
    squares: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Run and residual variance of each system; NaN where they cannot be separated."""
    m = rows.size
    between, residual = np.full(m, np.nan), np.full(m, np.nan)
    for s in np.flatnonzero((rows > n_items) & (n_runs > 1)):
        total = float(rows[s])
        unequal = [float((part[s] ** 2).sum()) / total for part in (count, in_run)]
        # Unknown: the variances of items, runs and residuals.
        expected = np.array(
            [
                [0.0, total - n_items[s], total - n_items[s]],
                [total - n_runs[s], 0.0, total - n_runs[s]],
                [total - unequal[0], n_items[s] - unequal[1], n_items[s] - 1.0],
            ]
        )
        if np.linalg.cond(expected) > 1e10:  # such as runs that share no item
            continue
        _, between[s], residual[s] = np.linalg.solve(expected, squares[:, s])
    return between, residual


def run_effect_pvalue(moments: RunMoments) -> float:
    r"""P-value of the F-test that no run shifts its scores as a whole; NaN without repeats.

    .. math:: F = \frac{\sum_s (R_s - 1)\, (\hat\sigma^2_b + h_s \hat\sigma^2_e)}{\sum_s (R_s - 1)\, h_s \hat\sigma^2_e}

    with :math:`h_s` the share of the residual variance in the variance of a run mean, 1 / n when balanced.

    Examples
    --------
    >>> table = np.array([[1.0, 3.0], [2.0, 5.0], [4.0, 5.0]])
    >>> item, run = (index.ravel() for index in np.indices(table.shape))
    >>> round(run_effect_pvalue(run_moments(0 * item, item, run, table.ravel(), shape=(1, 3, 2))), 3)
    0.074
    """
    known = ~np.isnan(moments.between)
    if not known.any():
        return float("nan")
    free = moments.n_runs[known] - 1.0
    within = moments.residual[known] * moments.residual_weight[known] / moments.run_weight[known]
    top, bottom = float(free @ (moments.between[known] + within)), float(free @ within)
    if bottom <= 0:
        return float("nan") if top <= 0 else 0.0
    left = float((moments.n_rows[known] - moments.item_means.shape[1] - free).sum())
    return float(fdtrc(free.sum(), max(left, 1.0), max(top, 0.0) / bottom))


_HALF = 0.5
_STEPS = 60
_SMALLEST = 1e-12


class RunVariance(NamedTuple):
    """The variance of an estimate that is due to runs, and its degrees of freedom."""

    variance: FloatArray
    degrees: FloatArray


def run_variance(
    moments: RunMoments, weights: FloatArray, *, fixed_items: bool = False, is_pooled: bool = False
) -> RunVariance:
    r"""Variance due to runs of weighted sums of system means.

    Parameters
    ----------
    moments : RunMoments
    weights : array, shape (k, m)
        Each row is an estimate: 1 and −1 for a difference of two systems.
    fixed_items : bool, default False
        Whether only runs vary: then the residual variance belongs to the runs alone.
    is_pooled : bool, default False
        Whether all systems are taken to have the same variances.

    Notes
    -----
    A system without repeats is given the variances of the others. The degrees of freedom are Satterthwaite's for equal
    variances, :math:`\nu = (\sum_s q_s)^2 / \sum_s q_s^2 / (R_s - 1)`, so R − 1 for a single system and 2(R − 1) for a
    pair.
    """
    parts = _parts(moments, fixed_items=fixed_items, is_pooled=is_pooled)
    squared = weights**2
    return _combined(squared @ parts.variance, squared @ parts.scale, squared**2 @ parts.noise, parts)


def pair_run_variance(moments: RunMoments, *, fixed_items: bool = False) -> RunVariance:
    """Variance due to runs of the differences of all pairs, both (m, m); see :func:`run_variance`."""
    parts = _parts(moments, fixed_items=fixed_items)
    variance, scale, noise = (part[:, None] + part[None, :] for part in parts[:3])
    return _combined(variance, scale, noise, parts)


class _Parts(NamedTuple):
    """What each system adds: variance, and numerator and denominator of Satterthwaite's degrees of freedom."""

    variance: FloatArray
    scale: FloatArray
    noise: FloatArray
    total: float


def _parts(moments: RunMoments, *, fixed_items: bool, is_pooled: bool = False) -> _Parts:
    known = ~np.isnan(moments.between)
    free = np.where(known, moments.n_runs - 1.0, 0.0)
    between, residual = (
        np.where(known & (not is_pooled), part, np.average(part[known], weights=free[known]))
        for part in (moments.between, moments.residual)
    )
    residual = np.maximum(residual, 0.0)
    share = 1.0 if fixed_items else _HALF
    run_weight = moments.run_weight if fixed_items else moments.net_weight
    own = between * run_weight + share * residual * moments.residual_weight
    # Runs of a system without repeats say nothing on the variance, so its share adds no degrees of freedom.
    scale = np.where(known & (not is_pooled), moments.run_weight, 0.0)
    return _Parts(own, scale, scale**2 / np.where(known, free, 1.0), float(free.sum()))


def _combined(variance: FloatArray, scale: FloatArray, noise: FloatArray, parts: _Parts) -> RunVariance:
    with np.errstate(invalid="ignore", divide="ignore"):
        degrees = np.where(scale > 0, scale**2 / noise, parts.total)
    return RunVariance(np.maximum(variance, 0.0), degrees)


def joined_limits(
    effect: FloatArray, low: FloatArray, high: FloatArray, runs: RunVariance, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Limits for other items and other runs, from those for other items.

    Examples
    --------
    >>> runs = RunVariance(np.array([1.0]), np.array([4.0]))
    >>> low, high = joined_limits(np.array([0.0]), np.array([-3.0]), np.array([3.0]), runs, confidence=0.95)
    >>> high.round(3)
    array([4.088])
    """
    reach = stdtrit(runs.degrees, (1 - confidence) / 2) ** 2 * runs.variance
    return effect - np.sqrt((effect - low) ** 2 + reach), effect + np.sqrt((high - effect) ** 2 + reach)


def joined_pvalue(
    effect: FloatArray, item_error: FloatArray, item_degrees: float, runs: RunVariance
) -> FloatArray:
    """Two-sided p-values: the largest levels whose intervals contain 0.

    Parameters
    ----------
    effect : array
    item_error : array
        Standard error for other items, on the side that faces 0.
    item_degrees : float
    runs : RunVariance
        In the shape of the effects.

    Examples
    --------
    >>> runs = RunVariance(np.array([1.0, 0.0]), np.array([4.0, 4.0]))
    >>> joined_pvalue(np.array([4.0, 4.0]), np.array([1.5, 1.5]), 29.0, runs).round(4)
    array([0.0562, 0.0124])
    """
    size = np.abs(effect)
    item, other = item_error**2, runs.variance

    def reach(p: FloatArray) -> FloatArray:
        return np.asarray(
            stdtrit(item_degrees, p / 2) ** 2 * item + stdtrit(runs.degrees, p / 2) ** 2 * other
        )

    low, high = np.full(size.shape, np.log(_SMALLEST)), np.zeros(size.shape)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        is_inside = reach(np.exp(middle)) >= size**2
        low, high = np.where(is_inside, middle, low), np.where(is_inside, high, middle)
    found = np.exp((low + high) / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        alone = 2 * stdtr(item_degrees, -size / item_error)
        # Below the smallest level an upper bound: all variance with the fewer degrees of freedom.
        bound = 2 * stdtr(np.minimum(item_degrees, runs.degrees), -size / np.sqrt(item + other))
    tiny = reach(np.full(size.shape, _SMALLEST)) < size**2
    result = np.where(other > 0, np.where(tiny, bound, found), alone)
    return np.where(item + other > 0, np.where(size == 0, 1.0, result), np.where(size > 0, 0.0, 1.0))
