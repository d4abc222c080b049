"""Rasch's model (1PL): abilities by conditional maximum likelihood, whatever the difficulties of the items."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import NotConverged

_STEP = 1e-5
_TOLERANCE = 1e-9


class Abilities(NamedTuple):
    """Abilities of systems, and the influence of each item on them.

    Attributes
    ----------
    ability : array, shape (m,)
        In log odds, with sum 0.
    influence : array, shape (n, m)
        Of the items; the variance of the abilities is the sum of squared influences over n².
    """

    ability: FloatArray
    influence: FloatArray


def conditional_abilities(right: BoolArray) -> Abilities:
    r"""Abilities of systems given how many systems were right on each item.

    .. math:: P(x_{si} = 1) = \frac{1}{1 + e^{-(\theta_s - b_i)}}

    Given the number :math:`r_i` of right answers to an item, its answers do not depend on its difficulty :math:`b_i`:

    .. math:: P(x_{\cdot i} \mid r_i) = \frac{\exp \sum_s x_{si} \theta_s}
              {\gamma_{r_i}(e^{\theta_1}, \dots, e^{\theta_m})},

    with :math:`\gamma_r` the elementary symmetric function of order r. Its maximum is consistent for a growing number
    of items. The joint maximum over abilities and difficulties is not, because each item adds a parameter [1]_: for two
    systems it doubles the difference of their abilities.

    Parameters
    ----------
    right : array of bool, shape (m, n)
        Whether each system is right on each item. Finite abilities exist where the graph of "right where the other is
        wrong" is strongly connected (:func:`betterthan.kernels.comparisons.connectivity.is_connected`).

    Returns
    -------
    Abilities

    Raises
    ------
    NotConverged

    Notes
    -----
    For two systems this is the Bradley–Terry model of the items on which exactly one is right.

    References
    ----------
    .. [1] Andersen (1973), Conditional inference and models for measuring, Mentalhygiejnisk Forlag; Neyman and Scott
       (1948), Consistent estimates based on partially consistent observations, Econometrica 16.

    Examples
    --------
    A alone is right on three items, B alone on one:

    >>> right = np.array([[1, 1, 1, 0, 1, 0], [0, 0, 0, 1, 1, 0]], dtype=bool)
    >>> (2 * conditional_abilities(right).ability).round(6), round(float(np.log(3)), 6)
    (array([ 1.098612, -1.098612]), 1.098612)
    """
    m, n = right.shape
    answers = right.astype(np.float64)
    n_right = right.sum(axis=0)
    items_of = np.bincount(n_right, minlength=m + 1)[1:m].astype(np.float64)
    informative = (n_right > 0) & (n_right < m)
    totals = answers[:, informative].sum(axis=1)

    def negative_score(ability: FloatArray) -> FloatArray:
        return np.asarray(items_of @ chances_of_right(ability)[1:m] - totals)

    found = minimize(
        lambda ability: (-_log_likelihood(ability, totals, items_of), negative_score(ability)),
        _start(totals, informative.sum()),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-6 * max(1.0, float(informative.sum()))},
    )
    ability, information = found.x - found.x.mean(), np.eye(m)
    for _ in range(20):
        information = _derivative(negative_score, ability)
        step = np.linalg.solve(information + np.ones((m, m)), -negative_score(ability))
        ability = ability + step - step.mean()
        if np.abs(step).max() <= _TOLERANCE:
            break
    else:
        raise NotConverged(
            "Abilities did not converge. A system is nearly always right or wrong; leave it out.",
            iterations=20,
            last_change=float(np.abs(step).max()),
        )
    residual = answers - chances_of_right(ability)[n_right].T
    influence = n * np.linalg.solve(information + np.ones((m, m)), residual).T
    return Abilities(ability, influence - influence.mean(axis=1, keepdims=True))


def chances_of_right(ability: FloatArray) -> FloatArray:
    """Probability (m + 1, m) that each system is right on an item on which r = 0 … m systems are.

    Examples
    --------
    >>> chances_of_right(np.zeros(2))
    array([[0. , 0. ],
           [0.5, 0.5],
           [1. , 1. ]])
    """
    m = ability.size
    centred = ability - ability.mean()
    chance = expit(centred)
    without = _number_right(chance, leave_each_out=True)
    whole = _number_right(chance)[0]
    chances = np.zeros((m + 1, m))
    chances[1:] = (chance[:, None] * without[:, :m] / np.maximum(whole[1:], np.finfo(np.float64).tiny)).T
    return chances


def _number_right(chance: FloatArray, *, leave_each_out: bool = False) -> FloatArray:
    """Distribution of the number of right answers, shape (1, m + 1), or without each system, (m, m + 1)."""
    m = chance.size
    rows = m if leave_each_out else 1
    found = np.zeros((rows, m + 1))
    found[:, 0] = 1.0
    for s, p in enumerate(chance.tolist()):
        moved = found * (1 - p)
        moved[:, 1:] += found[:, :-1] * p
        if leave_each_out:
            moved[s] = found[s]
        found = moved
    return found


def _log_likelihood(ability: FloatArray, totals: FloatArray, items_of: FloatArray) -> float:
    centred = ability - ability.mean()
    m = ability.size
    # γ_r = P(r right) Π (1 + e^θ)
    log_gamma = (
        np.log(np.maximum(_number_right(expit(centred))[0, 1:m], np.finfo(np.float64).tiny))
        + np.logaddexp(0, centred).sum()
    )
    return float(totals @ centred - items_of @ log_gamma)


def _start(totals: FloatArray, n: float) -> FloatArray:
    odds = (totals + 0.5) / (n - totals + 0.5)
    return np.asarray(np.log(odds) - np.log(odds).mean())


def _derivative(function: Callable[[FloatArray], FloatArray], at: FloatArray) -> FloatArray:
    steps = _STEP * np.eye(at.size)
    columns = [(function(at + step) - function(at - step)) / (2 * _STEP) for step in steps]
    found = np.stack(columns, axis=1)
    return np.asarray((found + found.T) / 2)
