r"""By how much is one metric ahead of another after their scores were swapped at random, and what follows from it.

All pairs of metrics share the swaps. Their leads are therefore draws from one joint distribution, and the largest of
them says how large a lead can be by chance when many pairs are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.significance.step_down import stepped_pvalues, successive_maxima


class Leads(NamedTuple):
    """Leads of the first over the second metric, for the pairs a < b in the order of the upper triangle.

    Parameters
    ----------
    observed : array, shape (P,)
    swapped : array, shape (b, P)
        After each random swap; NaN where a value is undefined, which counts against every claim.
    slack : array, shape (P,)
        Leads closer than this are equal.
    n_metrics : int
    """

    observed: FloatArray
    swapped: FloatArray
    slack: FloatArray
    n_metrics: int

    @property
    def n_resamples(self) -> int:
        """Number of swaps."""
        return len(self.swapped)

    def tallies(self) -> IntArray:
        """Count swaps that put the row at least as far ahead of the column as observed: (k, k)."""
        k = self.n_metrics
        counts = np.full((k, k), self.n_resamples, dtype=np.int64)
        first, second = np.triu_indices(k, 1)
        gain = self.swapped - self.observed
        # Written so that NaN counts.
        counts[first, second] = np.count_nonzero(~(gain < -self.slack), axis=0)
        counts[second, first] = np.count_nonzero(~(gain > self.slack), axis=0)
        return counts


def leads_of_values(values: FloatArray, observed: FloatArray, tolerance: float) -> Leads:
    """Leads from values (b, k, k), where ``values[r, M, N]`` is the value of M after swapping with N.

    Examples
    --------
    >>> leads_of_values(np.array([[[0.5, 0.4], [0.65, 0.7]]]), np.array([0.5, 0.7]), 1e-10).tallies()
    array([[1, 0],
           [1, 1]])
    """
    k = observed.size
    first, second = np.triu_indices(k, 1)
    swapped = values[:, first, second] - values[:, second, first]
    return Leads(observed[first] - observed[second], swapped, np.full(first.size, tolerance), k)


def collected_leads(
    observed: FloatArray,
    values: Iterator[tuple[int, int, FloatArray, FloatArray]],
    n_resamples: int,
    tolerance: float,
) -> Leads:
    """Leads from portions (a, b, values of a after the swaps, values of b) of every pair a < b.

    `tolerance` grows with values beyond ±1.
    """
    k = observed.size
    first, second = np.triu_indices(k, 1)
    place = {(a, b): i for i, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True))}
    swapped = np.empty((n_resamples, first.size))
    filled = np.zeros(first.size, dtype=np.int64)
    for a, b, ahead, behind in values:
        pair = place[a, b]
        swapped[filled[pair] : filled[pair] + ahead.size, pair] = ahead - behind
        filled[pair] += ahead.size
    size = np.fmax(1.0, np.fmax(np.abs(observed[first]), np.abs(observed[second])))
    return Leads(observed[first] - observed[second], swapped, tolerance * size, k)


def joined_leads(parts: Sequence[Leads]) -> Leads:
    """Leads of several blocks of swaps as one."""
    return parts[0]._replace(swapped=np.concatenate([part.swapped for part in parts]))


def two_sided_pvalues(leads: Leads) -> FloatArray:
    r"""P-values that two metrics differ, whichever is ahead: shape (k, k), symmetric, 1 on the diagonal.

    .. math:: p = \frac{1 + \#\{r : |\ell_r| \ge |\ell|\}}{1 + B}

    The null distribution is symmetric, because swapping everything but the mask turns a lead round, so that nothing is
    lost against twice the smaller tail, and the direction is not chosen by the data.

    Examples
    --------
    >>> leads = Leads(np.array([0.3]), np.array([[0.1], [-0.3], [0.2]]), np.array([1e-10]), 2)
    >>> two_sided_pvalues(leads)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    at_least = ~(np.abs(leads.swapped) < np.abs(leads.observed) - leads.slack)
    return _square((np.count_nonzero(at_least, axis=0) + 1) / (leads.n_resamples + 1), leads.n_metrics)


def step_down_pvalues(leads: Leads) -> FloatArray:
    r"""Two-sided p-values adjusted for all pairs of metrics by the largest lead, stepping down: shape (k, k).

    Leads are divided by their root mean square over the swaps and the observed one, which is one of them when metrics
    are equal. With the pairs in the order of their observed leads,
    :math:`s_1 \ge s_2 \ge \dots`,

    .. math:: p_i = \max_{j \le i} \frac{1 + \#\{r : \max_{l \ge j} s^{(r)}_l \ge s_j\}}{1 + B},

    the successive maxima of [1]_. The smallest p-value is 1 / (B + 1) whatever the number of pairs, where Holm's
    correction would multiply it by that number.

    References
    ----------
    .. [1] Westfall and Young (1993), Resampling-based multiple testing, Wiley, algorithm 2.8.

    Examples
    --------
    >>> swapped = np.array([[0.1, 0.2, 0.1], [-0.2, -0.1, 0.1], [0.2, 0.1, -0.1]])
    >>> leads = Leads(np.array([0.9, 0.8, -0.1]), swapped, np.full(3, 1e-10), 3)
    >>> step_down_pvalues(leads)
    array([[1.  , 0.25, 0.25],
           [0.25, 1.  , 1.  ],
           [0.25, 1.  , 1.  ]])
    """
    if not leads.observed.size:
        return np.ones((leads.n_metrics, leads.n_metrics))
    size = np.abs(leads.swapped)
    together = np.vstack([np.abs(leads.observed), size])
    together[:, np.isnan(together).all(axis=0)] = 0.0
    scale = np.sqrt(np.nanmean(together**2, axis=0))
    scale = np.where(scale > leads.slack, scale, 1.0)
    known = ~np.isnan(leads.observed)
    statistic = np.where(known, np.maximum(np.abs(leads.observed) - leads.slack, 0.0) / scale, 0.0)
    # A pair without a value is no claim and must not make the claims about others harder.
    draws = np.where(known, np.where(np.isnan(size), np.inf, size / scale), 0.0)
    counts = successive_maxima(np.ascontiguousarray(draws.T), statistic)
    pvalues = stepped_pvalues(counts, statistic, leads.n_resamples)
    return _square(pvalues, leads.n_metrics)


def _square(upper: FloatArray, k: int) -> FloatArray:
    square = np.ones((k, k))
    first, second = np.triu_indices(k, 1)
    square[first, second] = square[second, first] = upper
    return square
