"""Bradley–Terry with a threshold below which a difference is a tie: the model of Rao and Kupper."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from betterthan.arrays import FloatArray
from betterthan.errors import NotConverged, NotEstimable
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.davidson import (
    OutcomeProbabilities,
    checked_counts,
    davidson_exists,
    newton_start,
)


class RaoKupperFit(NamedTuple):
    """Strengths and the threshold.

    Attributes
    ----------
    log_strength : array, shape (m,)
        Natural logarithms, with sum 0.
    threshold : float
        log θ ≥ 0: two systems of equal strength tie with probability (θ − 1) / (θ + 1); 0 when nothing tied.
    iterations : int
    last_change : float
        The largest change of a log strength or of the threshold in the last iteration.
    """

    log_strength: FloatArray
    threshold: float
    iterations: int
    last_change: float


def rao_kupper(
    wins: FloatArray, ties: FloatArray, *, tolerance: float = 1e-12, max_iterations: int = 100
) -> RaoKupperFit:
    r"""Maximum-likelihood strengths where a system wins if it is ahead by more than a threshold.

    .. math:: P(i \text{ beats } j) = \frac{\lambda_i}{\lambda_i + \theta \lambda_j}, \qquad
              P(\text{tie}) = \frac{(\theta^2 - 1) \lambda_i \lambda_j}
              {(\lambda_i + \theta \lambda_j)(\theta \lambda_i + \lambda_j)}, \qquad \theta \ge 1

    Parameters
    ----------
    wins : array, shape (m, m)
        Wins of the row over the column; the diagonal is ignored.
    ties : array, shape (m, m)
        Symmetric: each tie is in both triangles. The diagonal is ignored.
    tolerance : float, default 1e-12
    max_iterations : int, default 100

    Returns
    -------
    RaoKupperFit

    Raises
    ------
    NotEstimable
        When :func:`betterthan.kernels.comparisons.davidson.davidson_exists` says no; the condition is the same.
    NotConverged
        After `max_iterations`.

    Notes
    -----
    With :math:`\delta = \log \theta` a tie counts as a win of each side, so that the log-likelihood is concave in the
    log strengths and :math:`\delta`,

    .. math:: \sum_{i \ne j} (w_{ij} + t_{ij}) \log \sigma(\log \lambda_i - \log \lambda_j - \delta)
              + T \log (e^{2 \delta} - 1),

    with T the number of ties. It is solved by Newton's method; a step that would lower it is halved.

    References
    ----------
    .. [1] Rao and Kupper (1967), Ties in paired-comparison experiments: a generalization of the Bradley–Terry model,
       Journal of the American Statistical Association 62.

    Examples
    --------
    Two systems, 4 wins to 1 and 2 ties: λ₁ / (λ₁ + θλ₂) = 4/7 and λ₂ / (λ₂ + θλ₁) = 1/7, so (λ₁/λ₂)² = 8.

    >>> fit = rao_kupper(np.array([[0.0, 4], [1, 0]]), np.array([[0.0, 2], [2, 0]]))
    >>> round(float(np.exp(2 * (fit.log_strength[0] - fit.log_strength[1]))), 9)
    8.0
    """
    wins, ties = checked_counts(wins, ties)
    if not ties.any():
        fit = bradley_terry(wins, tolerance=tolerance, max_iterations=max_iterations)
        return RaoKupperFit(fit.log_strength, 0.0, fit.iterations, fit.last_change)
    if not davidson_exists(wins, ties):
        raise NotEstimable(
            "Strengths by Rao and Kupper do not exist here: there are too few wins against the order, or only ties. "
            "Let ties count half."
        )
    return _newton(wins, ties, tolerance, max_iterations)


def rao_kupper_probabilities(log_strength: FloatArray, threshold: float) -> OutcomeProbabilities:
    """Probabilities of winning and of a tie.

    Parameters
    ----------
    log_strength : array, shape (m,)
    threshold : float

    Returns
    -------
    OutcomeProbabilities

    Examples
    --------
    Equal systems with θ = 2 tie in a third of their matches:

    >>> chances = rao_kupper_probabilities(np.zeros(2), np.log(2.0))
    >>> chances.win[0, 1].round(9), chances.tie[0, 1].round(9)
    (np.float64(0.333333333), np.float64(0.333333333))
    """
    win = expit(log_strength[:, None] - log_strength[None, :] - threshold)
    return OutcomeProbabilities(win, 1 - (win + win.T))


def _newton(wins: FloatArray, ties: FloatArray, tolerance: float, max_iterations: int) -> RaoKupperFit:
    m = len(wins)
    scored, n_ties = wins + ties, float(ties.sum()) / 2
    share = n_ties / (n_ties + wins.sum())
    parameters = np.append(newton_start(wins, ties), np.log((1 + share) / (1 - share)))
    value, change, iteration = _log_likelihood(parameters, scored, n_ties), np.inf, 0
    for iteration in range(1, max_iterations + 1):
        score, information = _score_and_information(parameters, scored, n_ties)
        step = np.linalg.solve(information, score)
        for _ in range(60):
            reached = parameters + step
            new = _log_likelihood(reached, scored, n_ties)
            if new >= value - 1e-12 * abs(value):
                break
            step = step / 2
        parameters, value = reached, new
        change = float(np.abs(step).max())
        if change <= tolerance * max(1.0, float(np.abs(parameters).max())):
            theta = parameters[:m] - parameters[:m].mean()
            return RaoKupperFit(theta, float(parameters[m]), iteration, change)
    raise NotConverged(
        f"Strengths by Rao and Kupper still changed by {change:.1e} after {iteration} iterations. "
        f"Some systems are linked by very few matches; leave them out or let ties count half.",
        iterations=iteration,
        last_change=change,
    )


def _log_likelihood(parameters: FloatArray, scored: FloatArray, n_ties: float) -> float:
    theta, delta = parameters[:-1], float(parameters[-1])
    if delta <= 0:
        return -np.inf
    ahead = theta[:, None] - theta[None, :] - delta
    return float(n_ties * np.log(np.expm1(2 * delta)) - (scored * np.logaddexp(0, -ahead)).sum())


def _score_and_information(
    parameters: FloatArray, scored: FloatArray, n_ties: float
) -> tuple[FloatArray, FloatArray]:
    """Return the score (m + 1,) and the observed information (m + 1, m + 1) of the log strengths and δ."""
    theta, delta = parameters[:-1], float(parameters[-1])
    m = theta.size
    win = expit(theta[:, None] - theta[None, :] - delta)
    missed, weight = scored * (1 - win), scored * win * (1 - win)
    grown = np.expm1(2 * delta)
    of_delta = 2 * n_ties * (1 + 1 / grown) - missed.sum()
    score = np.append((missed - missed.T).sum(axis=1), of_delta)
    both = weight + weight.T
    information = np.empty((m + 1, m + 1))
    information[:m, :m] = (
        np.diag(both.sum(axis=1)) - both + both.sum() / m**2
    )  # picks the strengths with sum 0
    information[:m, m] = information[m, :m] = (weight.T - weight).sum(axis=1)
    information[m, m] = weight.sum() + 4 * n_ties * (1 + 1 / grown) / grown
    return score, information
