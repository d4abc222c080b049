"""Means of systems that were not all judged on the same segments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.comparisons.connectivity import connectivity
from betterthan.kernels.resampling.clustered import (
    ClusterTerm,
    FewClusters,
    ManyClusters,
    few_clusters,
    is_affordable,
    many_clusters,
)
from betterthan.kernels.resampling.resample import unit_sums


class AdjustedMeans(NamedTuple):
    """Means of m systems with the covariance of their errors."""

    mean: FloatArray
    """(m,); NaN for a system without a score."""
    covariance: FloatArray
    """(m, m); robust, units drawn as a whole."""
    degrees: FloatArray
    """(m,); of freedom of the errors of the means."""
    pair_degrees: FloatArray
    """(m, m); of freedom of the errors of differences; NaN where one unit alone connects two systems."""
    n_units: int
    """Units with a score."""


def adjusted_means(values: FloatArray, unit: IntArray) -> AdjustedMeans:
    r"""Means as if every system had been judged on every segment: additive in systems and segments.

    .. math:: x_{as} = \theta_a + \beta_s + \varepsilon_{as}, \qquad
       \text{mean}_a = \hat\theta_a + \tfrac1n \textstyle\sum_s \hat\beta_s

    by least squares over the cells that are there. A system that was judged on difficult segments is not blamed for
    them. Errors come from what each unit contributes, made up for its pull on the fit, and have the degrees of freedom
    that the units which inform a contrast give it (CR2 and Satterthwaite,
    :mod:`betterthan.kernels.resampling.clustered`). Those of a mean are between those of the system's distance from the
    others and those of the general level, by their shares in the variance.

    Parameters
    ----------
    values : array, shape (m, n)
        Systems × segments; NaN is missing.
    unit : array of int, shape (n,)
        The unit that was resampled: each segment, or its document.

    Returns
    -------
    AdjustedMeans
        All NaN when systems cannot be compared through shared segments.

    Notes
    -----
    Without gaps these are the plain means, and the errors are those of plain means.

    References
    ----------
    .. [1] Searle (1987), Linear models for unbalanced data, Wiley; least-squares means.
    .. [2] Liang and Zeger (1986), Longitudinal data analysis using generalized linear models, Biometrika 73.

    Examples
    --------
    B missed the easy segment: its plain mean is 4, but on what both did it is better by 1.

    >>> found = adjusted_means(np.array([[9.0, 3.0, 3.0], [np.nan, 4.0, 4.0]]), np.arange(3))
    >>> found.mean
    array([5., 6.])
    """
    here = ~np.isnan(values)
    used = here.any(axis=0)
    present, scores = here[:, used].astype(np.float64), np.where(here, values, 0.0)[:, used]
    k, n = present.sum(axis=0), int(used.sum())
    if n == 0 or connectivity(present @ present.T).n_islands > 1:
        return _without_errors(np.full(len(values), np.nan), 0)
    normal = np.diag(present.sum(axis=1)) - (present / k) @ present.T
    inverse = _pseudo_inverse(normal)
    theta = inverse @ (present * (scores - scores.sum(axis=0) / k)).sum(axis=1)
    beta = (scores - present * theta[:, None]).sum(axis=0) / k
    rest = present * (scores - theta[:, None] - beta)
    # The level is the mean of the β, which move against the θ of the systems seen on each segment.
    drag = np.eye(len(values)) - (present / k).mean(axis=1)[None, :]
    code = np.unique(unit[used], return_inverse=True)[1].reshape(-1)
    units = int(code.max()) + 1
    if units < 2:
        return _without_errors(theta + beta.mean(), units)
    fit = _clustered(inverse, present, rest, code)
    above = beta - beta.mean()
    level = many_clusters(code, np.zeros_like(code), np.ones(n), above, n_parameters=1)
    # Systems and level move together as far as a unit pulls both.
    pulls = unit_sums(drag @ inverse @ rest, code, units)
    swings = np.bincount(code, above) / n / (1 - np.bincount(code) / n)
    apart, together = drag @ fit.covariance @ drag.T, pulls @ swings
    own, common = np.diagonal(apart), level.covariance[0, 0]
    covariance = apart + common + together[:, None] + together[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse_degrees = own / fit.degrees(drag) + common / level.degrees(np.ones((1, 1)))
        degrees = np.where(own + common > 0, (own + common) / inverse_degrees, units - 1.0)
    return AdjustedMeans(theta + beta.mean(), covariance, degrees, fit.degrees_of_pairs(len(values)), units)


def _clustered(
    inverse: FloatArray, present: FloatArray, rest: FloatArray, code: IntArray
) -> FewClusters | ManyClusters:
    """Covariance and degrees of freedom of the θ: a segment's design is the indicator of its systems minus its mean."""
    m, shared = (
        len(present),
        present.sum(axis=0) > 1,
    )  # a segment with one system says nothing about differences
    present, rest, code = present[:, shared], rest[:, shared], code[shared]
    code = np.unique(code, return_inverse=True)[1].reshape(-1)
    k = present.sum(axis=0)
    if not is_affordable(np.minimum(np.bincount(code, k), m), m):
        system, segment = np.nonzero(present)
        return many_clusters(
            code[segment], system, 1 - 1 / k[segment], rest[system, segment], n_parameters=m, bread=inverse
        )
    order, ends = np.argsort(code, kind="stable"), np.cumsum(np.bincount(code)).tolist()

    def one(begin: int, end: int) -> ClusterTerm:
        here = order[begin:end]
        seen = present[:, here]
        values, vectors = np.linalg.eigh(np.diag(seen.sum(axis=1)) - (seen / k[here]) @ seen.T)
        return ClusterTerm((vectors * np.sqrt(np.maximum(values, 0))).T, rest[:, here].sum(axis=1))

    return few_clusters(inverse, (one(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)))


def available_means(values: FloatArray, unit: IntArray) -> AdjustedMeans:
    r"""Unadjusted means of each system over its segments.

    .. math:: \bar x_a = \frac{1}{n_a} \sum_{s \in a} x_{as}

    Segments that two systems share still count as shared in the covariance.

    Examples
    --------
    >>> available_means(np.array([[9.0, 3.0, 3.0], [np.nan, 4.0, 4.0]]), np.arange(3)).mean
    array([5., 4.])
    """
    here = ~np.isnan(values)
    count = here.sum(axis=1)
    with np.errstate(invalid="ignore"):
        mean = np.where(here, values, 0.0).sum(axis=1) / np.where(count > 0, count, np.nan)
    system, segment = np.nonzero(here)
    code = np.unique(unit[segment], return_inverse=True)[1].reshape(-1)
    units = int(code.max(initial=-1)) + 1
    if units < 2:
        return _without_errors(mean, units)
    excess = values[system, segment] - mean[system]
    found = many_clusters(code, system, np.ones(code.size), excess, n_parameters=len(values))
    unknown = np.isnan(mean) | (found.alone > 0)
    covariance = np.where(unknown[:, None] | unknown[None, :], np.nan, found.covariance)
    degrees = found.degrees(np.eye(len(values)))
    return AdjustedMeans(mean, covariance, degrees, found.degrees_of_pairs(len(values)), units)


def _without_errors(mean: FloatArray, units: int) -> AdjustedMeans:
    unknown = np.full((mean.size, mean.size), np.nan)
    return AdjustedMeans(mean, unknown, unknown[0], unknown, units)


def _pseudo_inverse(normal: FloatArray) -> FloatArray:
    """Invert on the systems' contrasts: their common level belongs to the segments."""
    m = len(normal)
    level = np.full((m, m), 1.0 / m)
    scale = np.trace(normal) / m or 1.0
    return np.asarray(np.linalg.inv(normal + scale * level) - level / scale)
