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
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from betterthan.arrays import FloatArray
from betterthan.kernels.runs.moments import RunMoments

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
