"""Random samples of a fixed size with known, unequal probabilities."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray

_SAFE = 0.5
"""Share of the probability that is the same for all, so that no weight is more than twice a uniform one."""


def inclusion_probabilities(size: FloatArray, n: int) -> FloatArray:
    r"""Probabilities proportional to a size, each at most 1, that add up to n.

    .. math:: \pi_i = \min(1, c\, x_i), \qquad \sum_i \pi_i = n

    Parameters
    ----------
    size : array, shape (N,)
        Positive.
    n : int
        At most N.

    Examples
    --------
    >>> inclusion_probabilities(np.array([1.0, 1.0, 2.0, 8.0]), 2)
    array([0.25, 0.25, 0.5 , 1.  ])
    """
    probability = np.zeros(size.size)
    certain = np.zeros(size.size, dtype=np.bool_)
    while True:
        rest = ~certain
        probability[certain] = 1.0
        left = n - int(certain.sum())
        if left <= 0 or not rest.any():
            break
        probability[rest] = left * size[rest] / size[rest].sum()
        over = probability > 1
        if not over.any():
            break
        certain |= over
    return np.minimum(probability, 1.0)


def mixed_with_uniform(size: FloatArray) -> FloatArray:
    """Return sizes of which half the total is shared equally; all equal where there is none.

    Examples
    --------
    >>> mixed_with_uniform(np.array([0.0, 1.0, 3.0])).round(3)
    array([0.167, 0.292, 0.542])
    """
    total = float(size.sum())
    share = size / total if total > 0 else np.full(size.size, 1 / size.size)
    return np.asarray(_SAFE / size.size + (1 - _SAFE) * share)


def systematic_sample(probability: FloatArray, strata: IntArray, rng: np.random.Generator) -> BoolArray:
    r"""Draw a sample of fixed size in which every unit is included with its probability.

    Units are put in the order of their strata, in random order within each, and a comb with steps of one is laid over
    the cumulated probabilities. So each stratum has its expected number of units, up to one; with a single stratum and
    equal probabilities this is a simple random sample.

    Parameters
    ----------
    probability : array, shape (N,)
        Their sum is a whole number.
    strata : array of int, shape (N,)
    rng : numpy.random.Generator

    References
    ----------
    .. [1] Madow (1949), On the theory of systematic sampling, II, Annals of Mathematical Statistics 20.

    Examples
    --------
    >>> chosen = systematic_sample(np.full(6, 0.5), np.array([0, 0, 0, 0, 1, 1]), np.random.default_rng(1))
    >>> int(chosen[:4].sum()), int(chosen[4:].sum())
    (2, 1)
    """
    order = np.lexsort((rng.random(probability.size), strata))
    ends = np.cumsum(probability[order])
    ends[-1] = round(float(ends[-1]))
    teeth = np.ceil(ends - rng.random()).astype(np.int64)
    chosen = np.zeros(probability.size, dtype=np.bool_)
    chosen[order] = np.diff(teeth, prepend=0) > 0
    return chosen
