r"""Is metric M better than metric N at the system level? All pairs of metrics by swapping their scores.

The scores of M and N are swapped where a random mask says so, and the difference of their values is computed again.
The p-value in favor of M is the share of resamples in which the difference is at least the observed one. All pairs
of metrics share the masks, so what a mask does to a metric is computed once a metric and not once a pair. The p-values
of different pairs are therefore dependent; each by itself is as good as any.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import MissingScores, TableError
from betterthan.kernels.agreement.system_means import MEAN_TOLERANCE, MeansStatistic
from betterthan.kernels.metric_swaps.masks import Streams, SwapScheme, masked_sums, masks_in_portions

VALUE_TOLERANCE = 1e-10  # values of metrics lie between -1 and 1; differences closer than this are ties


def standardised(metrics: FloatArray, *, where: BoolArray | None = None) -> FloatArray:
    r"""Z-scores of each metric over its cells, so that scores of different metrics can be swapped.

    .. math:: z_{is} = (x_{is} - \bar x) / \sqrt{\overline{(x - \bar x)^2}}

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        Higher is better.
    where : array of bool, shape (m, n), optional
        The cells that are used, such as those with human scores; all by default.

    Returns
    -------
    array, shape (k, m, n)
        NaN outside `where`, and for a metric that is constant or lacks a score there: it has no scale to be
        swapped on.

    References
    ----------
    .. [1] Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using
       resampling methods, TACL 9.

    Examples
    --------
    >>> standardised(np.array([[[0.0, 100.0], [100.0, 0.0]]]))
    array([[[-1.,  1.],
            [ 1., -1.]]])
    """
    counted = np.broadcast_to(True if where is None else where, metrics.shape)
    deviations = metrics - metrics.mean(axis=(1, 2), keepdims=True, where=counted)
    spread = np.sqrt(np.mean(deviations**2, axis=(1, 2), keepdims=True, where=counted))
    largest = np.abs(metrics).max(axis=(1, 2), keepdims=True, where=counted, initial=0.0)
    scale = np.where(spread > MEAN_TOLERANCE * largest, spread, np.nan)
    return np.where(counted, deviations / scale, np.nan)


def check_metrics(metrics: FloatArray, n_systems: int) -> None:
    """Raise when scores cannot be swapped.

    Raises
    ------
    TableError
        When the numbers of systems with metric and human scores differ.
    MissingScores
        When a score is NaN.
    """
    if metrics.shape[1] != n_systems:
        raise TableError(
            f"The metrics score {metrics.shape[1]} systems and the human scores {n_systems}. "
            "Keep the systems that both have."
        )
    gaps = np.flatnonzero(~np.isfinite(metrics).all(axis=(1, 2)))
    if gaps.size:
        raise MissingScores(
            f"{gaps.size} of {len(metrics)} metrics cannot be swapped, the first is number {gaps[0] + 1}: a score is "
            "missing, or all its scores are equal. Leave out the metric or the incomplete segments."
        )


def means_values(
    metrics: FloatArray,
    human_means: FloatArray,
    statistic: MeansStatistic,
    scheme: SwapScheme,
    streams: Streams,
    *,
    n_segments: int | None = None,
) -> tuple[FloatArray, Iterator[FloatArray]]:
    r"""Observed values (k,), and the values (b, k, k) after swaps, portion by portion, of a statistic of system means.

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        :func:`standardised` scores. When units of several segments are swapped, their sums.
    human_means : array, shape (m,)
    statistic : callable
        ``statistic(means (..., m), human_means (m,)) -> (...)``, such as those of
        :mod:`betterthan.kernels.agreement.correlation`.
    scheme : {"perm_inputs", "perm_systems", "perm_both", "perm_cells"}
        What is swapped; see :func:`betterthan.kernels.metric_swaps.masks.draw_masks`.
    streams : sequence of (int, numpy.random.Generator)
        How many masks to draw from which generators, one after the other.
    n_segments : int, optional
        What sums are divided by to become means: the number of segments in all units. Default n. It matters only
        to a statistic that depends on the scale.

    Returns
    -------
    observed : array, shape (k,)
    values : iterator of arrays, shape (b, k, k)
        ``values[r, M, N]`` is the value of M after swapping with N in resample r.

    Notes
    -----
    Cost a resample: k m n multiplications and k² statistics of m means.

    References
    ----------
    .. [1] Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using
       resampling methods, TACL 9: PERM-SYSTEMS, PERM-INPUTS and PERM-BOTH.

    Examples
    --------
    >>> from betterthan.kernels.agreement.correlation import pearson
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(6.0)[:, None] + rng.normal(size=(6, 40))
    >>> metrics = standardised(np.stack([human + rng.normal(size=(6, 40)), rng.normal(size=(6, 40))]))
    >>> observed, portions = means_values(metrics, human.mean(axis=1), pearson, "perm_inputs", [(999, rng)])
    >>> values = np.concatenate(list(portions))
    >>> lead = values[:, 0, 1] - values[:, 1, 0]
    >>> int(np.sum(lead >= observed[0] - observed[1]))
    0
    """
    check_metrics(metrics, human_means.size)
    k, m, n = metrics.shape
    scale = 1.0 / (n if n_segments is None else n_segments)
    totals = metrics.sum(axis=2)
    mask_bytes = 9 * n * (m if scheme == "perm_cells" else 1)

    def values() -> Iterator[FloatArray]:
        for masks in masks_in_portions(scheme, streams, (m, n), mask_bytes + 8 * k * k + 24 * k * m * m):
            swapped = masked_sums(metrics, masks)
            found = np.empty((len(swapped), k, k))
            for i in range(k):
                found[:, i] = statistic((totals[i] - swapped[:, i, None] + swapped) * scale, human_means)
            yield found

    return statistic(totals * scale, human_means), values()
