"""How unequal weights are: how many equal ones they amount to, and who carries how much."""

from __future__ import annotations

import math

import numpy as np

from betterthan.arrays import FloatArray


def effective_number(weights: FloatArray) -> FloatArray:
    r"""How many equal weights would be as concentrated as these, (…, n) to (…).

    .. math:: n_e = \frac{(\sum_i w_i)^2}{\sum_i w_i^2}

    References
    ----------
    .. [1] Kish (1965), Survey sampling, §11.7.

    Examples
    --------
    >>> effective_number(np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]]))
    array([4., 1.])
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(weights.sum(axis=-1) ** 2 / (weights**2).sum(axis=-1))


def gini(weights: FloatArray) -> FloatArray:
    r"""Gini's coefficient of weights, 0 when all are equal, (…, n) to (…).

    .. math:: G = \frac{\sum_i \sum_j |w_i - w_j|}{2 n \sum_i w_i} = \frac{\sum_i (2 i - n - 1) w_{(i)}}{n \sum_i w_i}

    Examples
    --------
    >>> gini(np.array([1.0, 1.0, 1.0])), gini(np.array([0.0, 0.0, 0.0, 1.0]))
    (array(0.), array(0.75))
    """
    n = weights.shape[-1]
    ranks = 2 * np.arange(1, n + 1) - n - 1
    with np.errstate(invalid="ignore"):
        return np.asarray((np.sort(weights, axis=-1) @ ranks) / (n * weights.sum(axis=-1)))


def share_of_largest(weights: FloatArray, part: float = 0.1) -> FloatArray:
    """Share of the sum that the largest `part` of the weights carries, (…, n) to (…); at least one weight.

    Examples
    --------
    >>> share_of_largest(np.array([1.0] * 9 + [11.0]))
    array(0.55)
    """
    many = n_largest(weights.shape[-1], part)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sort(weights, axis=-1)[..., -many:].sum(axis=-1) / weights.sum(axis=-1))


def n_largest(n: int, part: float) -> int:
    """How many of n are the largest part, rounded up.

    Examples
    --------
    >>> n_largest(100, 0.1), n_largest(11, 0.1), n_largest(3, 0.1)
    (10, 2, 1)
    """
    return max(1, math.ceil(round(n * part, 9)))
