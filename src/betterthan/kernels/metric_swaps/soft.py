r"""Is metric M better than metric N by soft pairwise accuracy? All pairs of metrics by swapping their scores.

Every swap changes the metrics' p-values of all pairs of systems; the human p-values stay. Let c be the mask of a
resample, :math:`U_M = (1 - c) \circ M` what metric M keeps and :math:`V_M = c \circ M` what it gives away. After the
swap M has :math:`U_M + V_N`: all that is needed is computed from U and V, once a metric, not once a pair.

Where human scores are incomplete, a pair of systems is compared on the segments that both have. Its difference
and the sum of its squares are linear in the mask of swapped segments, so each is one product per metric; p-values are
the normal tails of the sign-flip distribution.

Where whole systems are swapped, each of two systems i and j gets the scores of M or of N, so that the p-value of the
pair is one of four. All of them are in one table, computed once; a resample is a choice of one in four for each pair of
systems: a product with a matrix of zeros and ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Literal

import numpy as np
from scipy import special

from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError, NotEstimable, unknown_name
from betterthan.kernels.agreement.system_means import MeanPairs, pairs_of
from betterthan.kernels.metric_swaps.masks import Streams, SwapMasks, SwapScheme, masks_in_portions
from betterthan.kernels.metric_swaps.means import check_metrics
from betterthan.kernels.metric_swaps.soft_analytic import ALL_CANCELLED, analytic_bytes, analytic_values
from betterthan.kernels.metric_swaps.soft_monte_carlo import (
    PackedFlips,
    monte_carlo_bytes,
    monte_carlo_values,
    packed_flips,
    unpacked,
)
from betterthan.kernels.sign_flips.exact import TIE_TOLERANCE


def soft_values_with_gaps(
    metrics: FloatArray, human_p: FloatArray, streams: Streams
) -> tuple[FloatArray, Iterator[FloatArray]]:
    r"""Observed values (k,), and the values (b, k, k) after swaps of whole segments, portion by portion.

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        Standardized scores; NaN in cells without a human score, the same for all metrics.
    human_p : array, shape (m, m)
        One-sided p-values of human scores; pairs that are NaN are left out.
    streams : sequence of (int, numpy.random.Generator)
        How many masks to draw from which generators; they are those of
        :func:`betterthan.kernels.metric_swaps.masks.draw_masks`, "perm_inputs".

    Returns
    -------
    observed : array, shape (k,)
    values : iterator of arrays, shape (b, k, k)
        ``values[r, M, N]`` is the value of M after swapping with N in resample r.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(4.0)[:, None] / 3 + rng.normal(size=(4, 30))
    >>> metrics = np.stack([human + rng.normal(size=(4, 30)), rng.normal(size=(4, 30))])
    >>> metrics[:, 0, :10] = np.nan
    >>> human_p = np.full((4, 4), 0.1)
    >>> observed, values = soft_values_with_gaps(metrics, human_p, [(5, rng)])
    >>> observed.shape, next(values).shape
    ((2,), (5, 2, 2))
    """
    k, m, n = metrics.shape
    first, second = np.triu_indices(m, 1)
    known = ~np.isnan(human_p[first, second])
    if not known.any():
        raise NotEstimable(
            "Soft pairwise accuracy does not exist: no two systems were judged on the same segments."
        )
    human = human_p[first, second][known]
    gap = np.nan_to_num(metrics[:, first[known]] - metrics[:, second[known]])  # (k, pairs, n); 0 adds nothing
    square = gap**2
    total, power = gap.sum(axis=2), square.sum(axis=2)
    observed = _accuracy(total, power, human)

    def values() -> Iterator[FloatArray]:
        for masks in masks_in_portions("perm_inputs", streams, (m, n), 8 * (n + 5 * k * human.size)):
            mask = np.asarray(masks.segments, dtype=np.float64)
            moved, moved_power = (
                mask @ gap.transpose(0, 2, 1),
                mask @ square.transpose(0, 2, 1),
            )  # (k, b, pairs)
            found = np.empty((len(mask), k, k))
            for i in range(k):
                kept = total[i] - moved[i] + moved
                found[:, i] = _accuracy(kept, power[i] - moved_power[i] + moved_power, human).T
            yield found

    return observed, values()


def _accuracy(total: FloatArray, power: FloatArray, human: FloatArray) -> FloatArray:
    """Mean of 1 − |p − human| over pairs, the last axis; a pair without differences has p = ½."""
    flat = power <= 1e-12 * np.abs(power).max(initial=0.0)
    z = np.where(flat, 0.0, total / np.sqrt(np.where(flat, 1.0, power)))
    return np.asarray(1 - np.abs(special.ndtr(-z) - human).mean(axis=-1))


MOST_BYTES = 256 * 2**20
PairTable = Callable[[int, int], FloatArray]


def fits_in_table(k: int, n_pairs: int) -> bool:
    """Whether the distances of all pairs of metrics and systems are few enough to be kept."""
    return 32 * n_pairs * k * k <= MOST_BYTES


def swapped_system_values(distances: FloatArray, pairs: MeanPairs, masks: SwapMasks) -> FloatArray:
    """Soft pairwise accuracy of every metric after swapping with every other: shape (b, k, k).

    Parameters
    ----------
    distances : array, shape (4, P, k, k)
        From :func:`system_distances`.
    pairs : MeanPairs
    masks : SwapMasks
        b swaps of whole systems, or of nothing.
    """
    _, n_pairs, k, _ = distances.shape
    swapped = (
        np.zeros((masks.n_resamples, masks.shape[0]), dtype=bool) if masks.systems is None else masks.systems
    )
    code = 2 * swapped[:, pairs.first] + swapped[:, pairs.second]
    chosen = (code[:, None, :] == np.arange(4)[:, None]).astype(np.float64)
    total = chosen.reshape(len(code), -1) @ distances.reshape(4 * n_pairs, k * k)
    return np.asarray(1.0 - total.reshape(-1, k, k) / n_pairs)


def system_distances(table: PairTable, human: FloatArray, pairs: MeanPairs, k: int) -> FloatArray:
    """Distance to the human p-value for each of the four ways in which a pair of systems is scored: (4, P, k, k).

    Parameters
    ----------
    table : callable
        ``table(i, j)[A, B]`` is the p-value that system i, scored by A, is better than system j, scored by B.
    human : array, shape (P,)
    pairs : MeanPairs
    k : int

    Returns
    -------
    array, shape (4, P, k, k)
        ``[c, p, M, N]``: of metric M after swapping with N; c is 0 when neither system was swapped, 1 the second, 2 the
        first, 3 both.
    """
    distances = np.empty((4, human.size, k, k))
    for p, (i, j) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        pvalues = table(i, j)
        own = pvalues.diagonal()
        distances[0, p], distances[3, p] = own[:, None], own[None, :]
        distances[1, p], distances[2, p] = pvalues, pvalues.T
        np.abs(distances[:, p] - human[p], out=distances[:, p])
    return distances


def analytic_table(metrics: FloatArray) -> PairTable:
    r"""P-values from sums and second moments, :math:`\bar\Phi(\sum d / \sqrt{\sum d^2})`."""
    total = metrics.sum(axis=2)
    square = (metrics**2).sum(axis=2)

    def pvalues(i: int, j: int) -> FloatArray:
        both = square[:, i, None] + square[:, j]
        second = both - 2.0 * (metrics[:, i] @ metrics[:, j].T)
        second[second <= ALL_CANCELLED * both] = np.inf  # no difference at all: z = 0
        return np.asarray(special.ndtr((total[:, j] - total[:, i, None]) / np.sqrt(second)))

    return pvalues


def monte_carlo_table(metrics: FloatArray, flips: PackedFlips) -> PairTable:
    """P-values as shares of permutations that reach the observed difference."""
    k, m, n = metrics.shape
    by_segment = metrics.reshape(k * m, n)
    sums = np.concatenate([by_segment @ chosen for chosen in unpacked(flips)], axis=1).reshape(k, m, -1)
    slack = 2 * TIE_TOLERANCE * np.abs(metrics).sum(axis=2)

    def pvalues(i: int, j: int) -> FloatArray:
        first = sums[:, i] - slack[:, i, None]
        second = sums[:, j] + slack[:, j, None]
        counts = [np.count_nonzero(row <= second, axis=1) for row in first]
        return np.stack(counts) / sums.shape[2]

    return pvalues


def soft_values(
    metrics: FloatArray,
    human_p: FloatArray,
    scheme: SwapScheme,
    streams: Streams,
    *,
    p_values: Literal["analytic", "monte_carlo"] = "analytic",
    n_permutations: int = 1000,
    signs_rng: np.random.Generator | None = None,
    n_in_job: int = 0,
) -> tuple[FloatArray, Iterator[FloatArray]]:
    r"""Observed soft pairwise accuracies (k,), and those after swaps (b, k, k), portion by portion.

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        Scores :func:`~betterthan.kernels.metric_swaps.means.standardised`, complete. When units of several segments are
        swapped, their sums.
    human_p : array, shape (m, m)
        One-sided p-values of human scores; pairs i < j that are NaN are left out.
    scheme : {"perm_inputs", "perm_systems", "perm_both", "perm_cells"}
        What is swapped; see :func:`betterthan.kernels.metric_swaps.masks.draw_masks`.
    streams : sequence of (int, numpy.random.Generator)
        How many masks to draw from which generators, one after the other.
    p_values : {"analytic", "monte_carlo"}
        * "analytic": normal tails of the sign-flip distribution.
        * "monte_carlo": the share b / B of `n_permutations` random permutations of each pair of systems, as published,
          the same permutations for every swap.
    n_permutations : int, default 1000
    signs_rng : numpy.random.Generator
        For the permutations of "monte_carlo". Every block must get it in the same state, that of the human
        p-values and of the metrics' own.
    n_in_job : int
        Number of resamples in the whole job where these are a part of it.

    Returns
    -------
    observed : array, shape (k,)
    values : iterator of arrays, shape (b, k, k)
        ``values[r, M, N]`` is the value of M after swapping with N in resample r.

    Raises
    ------
    NotEstimable
        When no pair of systems has a human p-value.

    Notes
    -----
    The test is exact for any statistic, so the normal tails serve although
    :func:`betterthan.kernels.agreement.soft_pairwise.one_sided_pvalues` goes one term farther for the value shown
    (0.003 apart at most for 20 segments or more). Monte Carlo sums within rounding of the observed one are ties and
    count.

    Where whole systems are swapped, the k² m² / 2 p-values that can occur are made once, and a resample is one product
    of 2 k² m² terms. Cost a resample of the other schemes, for k metrics, m systems, n segments and q permutations:
    "analytic" k² m² / 2 normal tails, and k m² n multiplications for "perm_inputs", k² m² n for the others;
    "monte_carlo" k m n q multiplications (half of them where whole segments are swapped) and k² m² q / 2 comparisons.
    Both in portions of at most about 64 MB; the cut changes nothing.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation
       of automatic metrics via soft pairwise accuracy, WMT, sections 3.3 and 4.4.

    Examples
    --------
    >>> from betterthan.kernels.metric_swaps.means import standardised
    >>> from betterthan.kernels.agreement.soft_pairwise import one_sided_pvalues
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(6.0)[:, None] / 4 + rng.normal(size=(6, 40))
    >>> metrics = standardised(np.stack([human + rng.normal(size=(6, 40)), rng.normal(size=(6, 40))]))
    >>> human_p = one_sided_pvalues(human, "analytic")
    >>> observed, portions = soft_values(metrics, human_p, "perm_inputs", [(999, rng)])
    >>> values = np.concatenate(list(portions))
    >>> lead = values[:, 0, 1] - values[:, 1, 0]
    >>> int(np.sum(lead >= observed[0] - observed[1]))
    6
    """
    check_metrics(metrics, len(human_p))
    pairs, human = _known_pairs(human_p)
    k, m, n = metrics.shape
    values_of: Callable[[SwapMasks], FloatArray]
    in_table = scheme == "perm_systems" and fits_in_table(k, human.size)
    if in_table and p_values in {"analytic", "monte_carlo"}:
        table = (
            analytic_table(metrics)
            if p_values == "analytic"
            else monte_carlo_table(metrics, packed_flips(n_permutations, n, _required(signs_rng)))
        )
        values_of = partial(swapped_system_values, system_distances(table, human, pairs, k), pairs)
        each = 32 * human.size + 8 * k * k
    elif p_values == "analytic":
        values_of = partial(analytic_values, metrics, human, pairs)
        each = analytic_bytes(metrics.shape, pairs)
    elif p_values == "monte_carlo":
        flips = packed_flips(n_permutations, n, _required(signs_rng))
        n_resamples = max(n_in_job, sum(size for size, _ in streams))
        work = float(n_resamples) * n_permutations * human.size * k * k
        values_of = partial(monte_carlo_values, metrics, human, pairs, flips, work)
        each = monte_carlo_bytes(metrics.shape, pairs)
    else:
        raise unknown_name("kind of p-values", p_values, ("analytic", "monte_carlo"))
    masks = masks_in_portions(scheme, streams, (m, n), each + (m * n if scheme == "perm_cells" else m + n))
    # Swapping nothing goes the same way as swapping something, so that ties stay ties.
    first = values_of(next(masks).with_none_first())
    return first[0].diagonal(), chain([first[1:]], map(values_of, masks))


def _known_pairs(human_p: FloatArray) -> tuple[MeanPairs, FloatArray]:
    """Pairs of systems with human p-values, and these p-values."""
    pairs = pairs_of(len(human_p))
    human = human_p[pairs.first, pairs.second]
    known = ~np.isnan(human)
    if not known.any():
        raise NotEstimable(
            f"Soft pairwise accuracy of {len(human_p)} systems does not exist: no pair has a human p-value. "
            "Two systems with human scores on the same segments are needed."
        )
    return MeanPairs(pairs.first[known], pairs.second[known]), human[known]


def _required(signs_rng: np.random.Generator | None) -> np.random.Generator:
    if signs_rng is None:
        raise BetterThanError(
            "Monte Carlo p-values need a random generator, and signs_rng is None. Pass numpy.random.default_rng(seed)."
        )
    return signs_rng
