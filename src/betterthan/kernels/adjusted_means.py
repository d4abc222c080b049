"""Means of systems that were not all judged on the same segments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.connectivity import connectivity


class AdjustedMeans(NamedTuple):
    """Means of m systems with the covariance of their errors."""

    mean: FloatArray
    """(m,); NaN for a system without a score."""
    covariance: FloatArray
    """(m, m); robust, units drawn as a whole."""
    n_units: int
    """Units with a score."""


def adjusted_means(values: FloatArray, unit: IntArray) -> AdjustedMeans:
    r"""Means as if every system had been judged on every segment: additive in systems and segments.

    .. math:: x_{as} = \theta_a + \beta_s + \varepsilon_{as}, \qquad
       \text{mean}_a = \hat\theta_a + \tfrac1n \textstyle\sum_s \hat\beta_s

    by least squares over the cells that are there. A system that was judged on difficult segments is not blamed for
    them. Errors come from what each unit contributes, as in the sandwich covariance, with the small-sample factor
    G / (G − 1).

    Parameters
    ----------
    values : array, shape (m, n)
        Systems × segments; NaN is missing.
    unit : array of int, shape (n,)
        What was drawn as one: each segment, or its document.

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
        return _nothing(len(values))
    normal = np.diag(present.sum(axis=1)) - (present / k) @ present.T
    inverse = _pseudo_inverse(normal)
    theta = inverse @ (present * (scores - scores.sum(axis=0) / k)).sum(axis=1)
    beta = (scores - present * theta[:, None]).sum(axis=0) / k
    rest = present * (scores - theta[:, None] - beta)
    # The level is the mean of the β, which move against the θ of the systems seen on each segment.
    drag = np.eye(len(values)) - (present / k).mean(axis=1)[None, :]
    influence = drag @ inverse @ rest + (beta - beta.mean()) / n
    return AdjustedMeans(theta + beta.mean(), *_spread(influence, unit[used]))


def available_means(values: FloatArray, unit: IntArray) -> AdjustedMeans:
    r"""Plain means of what each system has, whatever the segments.

    .. math:: \bar x_a = \frac{1}{n_a} \sum_{s \in a} x_{as}

    Segments that two systems share still count as shared in the covariance.

    Examples
    --------
    >>> available_means(np.array([[9.0, 3.0, 3.0], [np.nan, 4.0, 4.0]]), np.arange(3)).mean
    array([5., 4.])
    """
    here = ~np.isnan(values)
    used = here.any(axis=0)
    n = here.sum(axis=1, keepdims=True)
    count = np.where(n > 0, n, np.nan)
    mean = np.where(here, values, 0.0).sum(axis=1, keepdims=True) / count
    influence = np.where(here, (values - mean) / count, 0.0)[:, used]
    if not used.any():
        return _nothing(len(values))
    return AdjustedMeans(mean[:, 0], *_spread(influence, unit[used]))


def _nothing(m: int) -> AdjustedMeans:
    return AdjustedMeans(np.full(m, np.nan), np.full((m, m), np.nan), 0)


def _pseudo_inverse(normal: FloatArray) -> FloatArray:
    """Invert on the systems' contrasts: their common level belongs to the segments."""
    m = len(normal)
    level = np.full((m, m), 1.0 / m)
    scale = np.trace(normal) / m or 1.0
    return np.asarray(np.linalg.inv(normal + scale * level) - level / scale)


def _spread(influence: FloatArray, unit: IntArray) -> tuple[FloatArray, int]:
    """Covariance of sums of influences, units drawn as a whole, and the number of units."""
    _, code = np.unique(unit, return_inverse=True)
    units = int(code.max()) + 1
    sums = np.stack([np.bincount(code, weights=row, minlength=units) for row in influence])
    factor = units / (units - 1) if units > 1 else np.nan
    return np.asarray(factor * sums @ sums.T), units
