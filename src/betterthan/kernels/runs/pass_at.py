"""pass@k and pass^k: chances that one of k runs, or that all of k runs, solve an item."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray, IntArray


def pass_at(right: IntArray, runs: IntArray, k: int) -> FloatArray:
    r"""Unbiased estimate of the chance that at least one of k runs is right.

    .. math:: \text{pass@}k = 1 - \binom{n - c}{k} \Big/ \binom{n}{k}

    Parameters
    ----------
    right, runs : array of int
        For each item, c right runs of n.
    k : int

    Returns
    -------
    array
        NaN where an item has fewer than k runs.

    References
    ----------
    Chen et al. (2021), Evaluating large language models trained on code, equation 1.

    Examples
    --------
    >>> pass_at(np.array([0, 1, 5]), np.array([5, 5, 5]), 2)
    array([0. , 0.4, 1. ])
    """
    return 1.0 - all_of(np.asarray(runs) - right, runs, k)


def all_of(right: IntArray, runs: IntArray, k: int) -> FloatArray:
    r"""Unbiased estimate of the chance that all of k runs are right, pass^k.

    .. math:: \text{pass}^\wedge k = \binom{c}{k} \Big/ \binom{n}{k} = \prod_{j=0}^{k-1} \frac{c - j}{n - j}

    References
    ----------
    Yao, Shinn, Razavi and Narasimhan (2024), τ-bench: a benchmark for tool-agent-user interaction in real-world
    domains.

    Examples
    --------
    >>> all_of(np.array([0, 3, 5]), np.array([5, 5, 5]), 2)
    array([0. , 0.3, 1. ])
    """
    right, runs = np.asarray(right, dtype=np.float64), np.asarray(runs, dtype=np.float64)
    chance = np.ones(np.broadcast(right, runs).shape)
    for j in range(k):
        with np.errstate(invalid="ignore", divide="ignore"):
            chance = chance * np.maximum(right - j, 0.0) / (runs - j)
    return np.where(runs >= k, chance, np.nan)
