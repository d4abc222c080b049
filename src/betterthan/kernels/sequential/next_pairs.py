r"""Which pairs of systems should meet next, so that the best ones are soon known.

Strengths are estimated by the Bradley–Terry model with their covariance. Let :math:`z_{ij}` be the lead of system i,
which is among the k best so far, over j, which is not, in standard errors. The expected number of wrongly placed pairs
is about :math:`\sum_{i, j} \Phi(-z_{ij})`. Each further battle of two systems adds information in a known direction, so
that its effect on all :math:`z_{ij}` is known before it takes place; battles are chosen one after the other to reduce
the sum most.

Evidence about a pair is valid whatever the rule by which its battles were chosen, as long as the choice depends on
earlier battles only.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.sandwich import model_covariance

_PRIOR = 0.5
_STEPS = 24
"""Portions in which battles are handed out."""


def top_error(wins: FloatArray, top: int) -> float:
    """Return the expected number of pairs of systems that are wrongly placed on the two sides of rank `top`.

    Parameters
    ----------
    wins : array, shape (m, m)
        Wins of the row over the column, a tie as half of one for both.
    top : int

    Examples
    --------
    >>> round(top_error(np.array([[0.0, 6.0, 7.0], [4.0, 0.0, 6.0], [3.0, 4.0, 0.0]]), 1), 2)
    0.29
    """
    strength, covariance = _estimates(wins)
    inside, outside = _sides(strength, top)
    return float(ndtr(-_leads(strength, covariance, inside, outside)).sum())


def best_systems(wins: FloatArray, top: int) -> IntArray:
    """Return the indices of the systems with the greatest strengths, the best first.

    Examples
    --------
    >>> best_systems(np.array([[0.0, 4.0, 7.0], [6.0, 0.0, 6.0], [3.0, 4.0, 0.0]]), 2)
    array([1, 0])
    """
    return _sides(_estimates(wins)[0], top)[0]


def next_pairs(wins: FloatArray, top: int, n: int) -> IntArray:
    """Return how many of the next n battles each pair of systems should have.

    Parameters
    ----------
    wins : array, shape (m, m)
        Wins of the row over the column, a tie as half of one for both.
    top : int
        How many of the best systems are wanted, at least 1 and less than m.
    n : int

    Returns
    -------
    array of int, shape (m, m)
        Symmetric.

    Examples
    --------
    >>> next_pairs(np.array([[0.0, 9.0, 9.0], [1.0, 0.0, 6.0], [1.0, 4.0, 0.0]]), 2, 10)
    array([[ 0,  0,  0],
           [ 0,  0, 10],
           [ 0, 10,  0]])
    """
    strength, covariance = _estimates(wins)
    inside, outside = _sides(strength, top)
    first, second = np.triu_indices(len(wins), 1)
    gaps = strength[first] - strength[second]
    chance = 1 / (1 + np.exp(-gaps))
    information = chance * (1 - chance)
    counts = np.zeros(wins.shape, dtype=np.int64)
    left = n
    while left:
        portion = min(left, max(1, math.ceil(n / _STEPS)))
        best = _most_useful(strength, covariance, (inside, outside), (first, second), portion * information)
        i, j = int(first[best]), int(second[best])
        counts[i, j] += portion
        counts[j, i] += portion
        direction = covariance[:, i] - covariance[:, j]
        weight = portion * information[best]
        covariance = covariance - weight * np.outer(direction, direction) / (
            1 + weight * (direction[i] - direction[j])
        )
        left -= portion
    return counts


def _estimates(wins: FloatArray) -> tuple[FloatArray, FloatArray]:
    strength = bradley_terry(wins, prior=_PRIOR).log_strength
    return strength, model_covariance(wins, strength, prior=_PRIOR)


def _sides(strength: FloatArray, top: int) -> tuple[IntArray, IntArray]:
    order = np.argsort(-strength, kind="stable")
    return order[:top], order[top:]


def _leads(strength: FloatArray, covariance: FloatArray, inside: IntArray, outside: IntArray) -> FloatArray:
    """Return the leads of systems inside over those outside in standard errors."""
    own = np.diag(covariance)
    variance = own[inside][:, None] + own[outside][None, :] - 2 * covariance[np.ix_(inside, outside)]
    leads = strength[inside][:, None] - strength[outside][None, :]
    return np.asarray(leads / np.sqrt(np.maximum(variance, 1e-12)))


def _most_useful(
    strength: FloatArray,
    covariance: FloatArray,
    sides: tuple[IntArray, IntArray],
    pairs: tuple[IntArray, IntArray],
    weight: FloatArray,
) -> int:
    """Return the pair whose battles leave the least expected number of wrongly placed pairs."""
    inside, outside = sides
    first, second = pairs
    directions = covariance[:, first] - covariance[:, second]
    shrink = weight / (
        1 + weight * (directions[first, np.arange(first.size)] - directions[second, np.arange(first.size)])
    )
    own = np.diag(covariance)
    variance = own[inside][:, None] + own[outside][None, :] - 2 * covariance[np.ix_(inside, outside)]
    change = directions[inside][:, None, :] - directions[outside][None, :, :]
    variance = np.maximum(variance[:, :, None] - shrink * change**2, 1e-12)
    leads = (strength[inside][:, None] - strength[outside][None, :])[:, :, None]
    return int(np.argmin(ndtr(-leads / np.sqrt(variance)).sum(axis=(0, 1))))
