r"""Three ways to the permutation p-values of all pairs of systems, written out, and what each costs.

For k tables of m systems on n segments, and B permutations ([1]_ section 3.3):

* *own*: every pair of every table draws its own permutations;
* *batch*: B are drawn once, and flip the differences of every pair;
* *sums*: the same batch, but what a system adds to the sums is formed once a system, because
  :math:`\sum_s r_s (x_{is} - x_{js}) = \sum_s r_s x_{is} - \sum_s r_s x_{js}`: linear in m, not square.

References
----------
.. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), WMT.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.engine.blocks import block_ranges
from betterthan.kernels.permutation import random_signs

_MOMENT_PRODUCTS = 4
"""Sums over segments of x y, x² y, x³ y and x² y² for all pairs: what fourth moments of differences are made of."""


class Cost(NamedTuple):
    """What all p-values take: random signs drawn, products added up, and sums compared."""

    drawn: int
    added: int
    compared: int


def costs(k: int, m: int, n: int, n_permutations: int) -> dict[str, Cost]:
    """Return what each way costs, in operations; "analytic" is ours without permutations.

    Examples
    --------
    15 systems, people and 21 metrics, as in the second row of the paper's table 1, on 1,300 segments:

    >>> one = costs(22, 15, 1300, 1000)
    >>> one["own"].drawn // one["sums"].drawn, one["own"].added / one["sums"].added
    (2310, 7.0)
    """
    pairs = m * (m - 1) // 2
    compared = k * pairs * n_permutations
    return {
        "own": Cost(compared * n, compared * n, compared),
        "batch": Cost(n_permutations * n, compared * n, compared),
        "sums": Cost(n_permutations * n, k * m * n_permutations * n, compared),
        "analytic": Cost(0, _MOMENT_PRODUCTS * k * m * m * n, 0),
    }


def own_pvalues(goodness: FloatArray, n_permutations: int, rng: np.random.Generator) -> FloatArray:
    """P-values that i is better than j, each pair of each table with its own permutations.

    Parameters
    ----------
    goodness : array, shape (k, m, n)
        Without gaps.
    n_permutations : int
    rng : numpy.random.Generator

    Returns
    -------
    array, shape (k, m, m)
        The share of permutations whose difference is at least the observed one; NaN where not i < j.

    Examples
    --------
    >>> scores = np.array([[[3.0, 4.0, 5.0, 4.0], [1.0, 4.0, 2.0, 3.0]]])
    >>> float(own_pvalues(scores, 4000, np.random.default_rng(0))[0, 0, 1].round(2))  # exactly 1 / 8
    0.13
    """
    counts = _zeros_above(goodness)
    slack = _slack(goodness)
    for t, i, j in _pairs(goodness):
        gap = goodness[t, i] - goodness[t, j]
        for signs in _batches(n_permutations, gap.size, rng):
            counts[t, i, j] += np.count_nonzero(signs @ gap >= gap.sum() - slack[t])
    return counts / n_permutations


def batch_pvalues(goodness: FloatArray, n_permutations: int, rng: np.random.Generator) -> FloatArray:
    """Return the same with one batch of permutations for all pairs and tables; see :func:`own_pvalues`."""
    counts = _zeros_above(goodness)
    slack = _slack(goodness)
    for signs in _batches(n_permutations, goodness.shape[-1], rng):
        for t, i, j in _pairs(goodness):
            gap = goodness[t, i] - goodness[t, j]
            counts[t, i, j] += np.count_nonzero(signs @ gap >= gap.sum() - slack[t])
    return counts / n_permutations


def sums_pvalues(goodness: FloatArray, n_permutations: int, rng: np.random.Generator) -> FloatArray:
    """Return the same as :func:`batch_pvalues`, from sums that are formed once a system."""
    counts = _zeros_above(goodness)
    slack, totals = _slack(goodness), goodness.sum(axis=-1)
    for signs in _batches(n_permutations, goodness.shape[-1], rng):
        sums = goodness @ signs.T
        for t, i, j in _pairs(goodness):
            least = totals[t, i] - totals[t, j] - slack[t]
            counts[t, i, j] += np.count_nonzero(sums[t, i] - sums[t, j] >= least)
    return counts / n_permutations


def _zeros_above(goodness: FloatArray) -> FloatArray:
    k, m, _ = goodness.shape
    return np.where(np.triu(np.ones((k, m, m), dtype=bool), 1), 0.0, np.nan)


def _pairs(goodness: FloatArray) -> Iterator[tuple[int, int, int]]:
    k, m, _ = goodness.shape
    return ((t, i, j) for t in range(k) for i, j in combinations(range(m), 2))


def _batches(n_permutations: int, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Draw the signs of all permutations, some 16 MB at a time; how they are cut does not change them."""
    for some in block_ranges(n_permutations, 8 * n, budget=2**24):
        yield random_signs(len(some), n, rng).astype(np.float64)


def _slack(goodness: FloatArray) -> FloatArray:
    """Return by how much two sums may differ that are equal but for rounding, for each table."""
    return np.asarray(4 * np.finfo(np.float64).eps * np.abs(goodness).sum(axis=-1).max(axis=-1))
