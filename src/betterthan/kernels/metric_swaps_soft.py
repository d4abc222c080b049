r"""Is metric M better than metric N by soft pairwise accuracy? All pairs of metrics by swapping their scores.

Every swap changes the metrics' p-values of all pairs of systems; the human p-values stay. Let c be the mask of a
resample, :math:`U_M = (1 - c) \circ M` what metric M keeps and :math:`V_M = c \circ M` what it gives away. After the
swap M has :math:`U_M + V_N`: all that is needed is computed from U and V, once a metric, not once a pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, NotEstimable, unknown_name
from betterthan.kernels.metric_swaps import check_metrics, tallies_of_values
from betterthan.kernels.metric_swaps_analytic import analytic_bytes, analytic_values
from betterthan.kernels.metric_swaps_monte_carlo import monte_carlo_bytes, monte_carlo_values, packed_flips
from betterthan.kernels.metric_swaps_statistics import Pairs, pairs_of
from betterthan.kernels.metric_swaps_systems import (
    analytic_table,
    fits_in_table,
    monte_carlo_table,
    swapped_system_values,
    system_distances,
)
from betterthan.kernels.permutation import portions
from betterthan.kernels.swap_masks import SwapMasks, SwapScheme, draw_masks


def swap_soft_block(
    metrics: FloatArray,
    human_p: FloatArray,
    scheme: SwapScheme,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    p_values: Literal["analytic", "monte_carlo"] = "analytic",
    n_permutations: int = 1000,
    signs_rng: np.random.Generator | None = None,
) -> IntArray:
    r"""Tally one block of swaps for soft pairwise accuracy.

    .. math:: b_{MN} = \#\{r : \mathrm{SPA}(M'_r) - \mathrm{SPA}(N'_r) \ge \mathrm{SPA}(M) - \mathrm{SPA}(N)\}

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        Scores :func:`~betterthan.kernels.metric_swaps.standardised`, complete. When units of several segments are
        swapped, their sums.
    human_p : array, shape (m, m)
        One-sided p-values of people; pairs i < j that are NaN are left out.
    scheme : {"perm_inputs", "perm_systems", "perm_both", "perm_cells"}
        What is swapped; see :func:`betterthan.kernels.swap_masks.draw_masks`.
    n_resamples : int
        Resamples in this block.
    rng : numpy.random.Generator
        For the masks.
    p_values : {"analytic", "monte_carlo"}
        * "analytic": normal tails of the sign-flip distribution.
        * "monte_carlo": the share b / B of `n_permutations` random permutations of each pair of systems, as published,
          the same permutations for every swap.
    n_permutations : int, default 1000
    signs_rng : numpy.random.Generator
        For the permutations of "monte_carlo". Every block must get it in the same state, that of the human
        p-values and of the metrics' own.

    Returns
    -------
    array of int, shape (k, k)
        One-sided in favour of the row; `n_resamples` on the diagonal. Tallies of blocks add up.

    Raises
    ------
    NotEstimable
        When no pair of systems has a human p-value.

    Notes
    -----
    The test is exact for any statistic, so the normal tails serve although
    :func:`betterthan.kernels.soft_pairwise.one_sided_pvalues` goes one term farther for the value shown (0.003 apart at
    most for 20 segments or more). Monte Carlo sums within rounding of the observed one are ties and count.

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
    >>> from betterthan.kernels.metric_swaps import standardised
    >>> from betterthan.kernels.soft_pairwise import one_sided_pvalues
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(6.0)[:, None] / 4 + rng.normal(size=(6, 40))
    >>> metrics = standardised(np.stack([human + rng.normal(size=(6, 40)), rng.normal(size=(6, 40))]))
    >>> swap_soft_block(metrics, one_sided_pvalues(human, "analytic"), "perm_inputs", 999, rng)
    array([[999,   6],
           [993, 999]])
    """
    observed, portions_of_values = soft_values(
        metrics,
        human_p,
        scheme,
        n_resamples,
        rng,
        p_values=p_values,
        n_permutations=n_permutations,
        signs_rng=signs_rng,
    )
    tallies = np.zeros((len(metrics), len(metrics)), dtype=np.int64)
    for values in portions_of_values:
        tallies += tallies_of_values(values, observed)
    return tallies


def soft_values(
    metrics: FloatArray,
    human_p: FloatArray,
    scheme: SwapScheme,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    p_values: Literal["analytic", "monte_carlo"] = "analytic",
    n_permutations: int = 1000,
    signs_rng: np.random.Generator | None = None,
) -> tuple[FloatArray, Iterator[FloatArray]]:
    """Observed values (k,), and the swapped values (b, k, k) themselves, portion by portion.

    ``values[r, M, N]`` is the value of M after swapping with N in resample r. The arguments are those of
    :func:`swap_soft_block`.
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
        work = float(n_resamples) * n_permutations * human.size * k * k
        values_of = partial(monte_carlo_values, metrics, human, pairs, flips, work)
        each = monte_carlo_bytes(metrics.shape, pairs)
    else:
        raise unknown_name("kind of p-values", p_values, ("analytic", "monte_carlo"))
    # Swapping nothing goes the same way as swapping something, so that ties stay ties.
    observed = values_of(SwapMasks(np.zeros((1, n), dtype=bool), None, None, (m, n)))[0].diagonal()
    sizes = portions(n_resamples, each + (m * n if scheme == "perm_cells" else m + n))
    return observed, (values_of(draw_masks(scheme, size, (m, n), rng)) for size in sizes)


def _known_pairs(human_p: FloatArray) -> tuple[Pairs, FloatArray]:
    """Pairs of systems that people's p-values exist for, and these p-values."""
    pairs = pairs_of(len(human_p))
    human = human_p[pairs.first, pairs.second]
    known = ~np.isnan(human)
    if not known.any():
        raise NotEstimable(
            f"Soft pairwise accuracy of {len(human_p)} systems does not exist: no pair has a human p-value. "
            "Two systems that people judged on the same segments are needed."
        )
    return Pairs(pairs.first[known], pairs.second[known]), human[known]


def _required(signs_rng: np.random.Generator | None) -> np.random.Generator:
    if signs_rng is None:
        raise BetterThanError(
            'p_values="monte_carlo" permutes systems at random and got no random numbers. '
            'Pass signs_rng=numpy.random.default_rng(seed), or use p_values="analytic".'
        )
    return signs_rng
