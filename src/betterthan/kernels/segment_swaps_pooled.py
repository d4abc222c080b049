"""Is one metric's value of pooled counts, such as a tau of pair tables, higher than another's?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.permutation import portions
from betterthan.kernels.segment_swaps import TIE_TOLERANCE
from betterthan.kernels.swap_leads import Leads, collected_leads, joined_leads
from betterthan.kernels.swap_masks import draw_masks

Formula = Callable[[FloatArray], FloatArray]


def pooled_swaps_block(
    tables: IntArray, formula: Formula, n_resamples: int, rng: np.random.Generator
) -> IntArray:
    r"""Tally one block of swaps of whole segments for a value of pooled counts, such as a tau of pair tables.

    .. math:: v(M') = f\Big(\sum_s (1 - c_s) T_{Ms} + c_s T_{Ns}\Big),

    linear in the mask c up to the formula f.

    Parameters
    ----------
    tables : array of int, shape (k, n, ...)
        Counts of every metric on every segment, e.g. (k, n, 3, 3) from
        :func:`betterthan.kernels.tau_tables.pair_tables_per_segment`.
    formula : callable
        From counts (..., 3, 3) to values (...), e.g. :func:`betterthan.kernels.tau_tables.tau` with its rule.
    n_resamples : int
    rng : numpy.random.Generator

    Returns
    -------
    array of int, shape (k, k)
        ``at_least[M, N]``: in how many resamples M' exceeds N' by at least what M exceeds N. Tallies of blocks add up;
        the diagonal is `n_resamples`. What is undefined counts, so that p is never too small.

    Examples
    --------
    >>> tables = np.array([[[2, 1]] * 20, [[1, 2]] * 20])
    >>> pooled_swaps_block(tables, lambda c: c[..., 0] / c.sum(axis=-1), 99, np.random.default_rng(0))
    array([[99,  0],
           [99, 99]])
    """
    return pooled_leads_block(tables, formula, n_resamples, rng).tallies()


def pooled_leads_block(
    tables: IntArray, formula: Formula, n_resamples: int, rng: np.random.Generator
) -> Leads:
    """Leads of one block of swaps; the arguments are those of :func:`pooled_swaps_block`."""
    shape = tables.shape
    parts = []
    for size in portions(n_resamples, 8 * (shape[1] + len(tables) * math.prod(shape[2:]))):
        masks = draw_masks("perm_inputs", size, (1, shape[1]), rng).cells()[:, 0]
        parts.append(pooled_leads_of_masks(tables, formula, masks))
    return joined_leads(parts)


def pooled_tallies_of_masks(tables: IntArray, formula: Formula, masks: BoolArray) -> IntArray:
    """Tally given masks (b, n) of swapped segments; see :func:`pooled_swaps_block`."""
    return pooled_leads_of_masks(tables, formula, masks).tallies()


def pooled_leads_of_masks(tables: IntArray, formula: Formula, masks: BoolArray) -> Leads:
    """Leads after the swaps of given masks (b, n)."""
    k, n, *rest = tables.shape
    flat = tables.reshape(k, n, -1).astype(np.float64)
    total = flat.sum(axis=1)
    moved = masks.astype(np.float64) @ flat
    observed = formula(total.reshape(k, *rest))

    def values() -> Iterator[tuple[int, int, FloatArray, FloatArray]]:
        for a, b in combinations(range(k), 2):
            change = moved[b] - moved[a]
            first, second = total[a] + change, total[b] - change
            yield a, b, formula(first.reshape(-1, *rest)), formula(second.reshape(-1, *rest))

    return collected_leads(observed, values(), len(masks), TIE_TOLERANCE)
