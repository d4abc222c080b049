"""Bradley–Terry with a threshold below which a difference is a tie: the model of Rao and Kupper."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import NotConverged, NotEstimable
from betterthan.kernels.comparisons.bradley_terry import bradley_terry, bradley_terry_batch
from betterthan.kernels.comparisons.davidson import (
    checked_counts,
    davidson_exists,
    newton_start,
)

# Numbers of a stack of tables that are processed at once: they stay in the cache.
_BLOCK = 2**15


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
            "Let ties count as half a win."
        )
    found = _newton(wins[None], ties[None], tolerance, max_iterations)
    iterations, change = int(found.iterations[0]), float(found.last_change[0])
    if np.isnan(found.parameters).any():
        raise NotConverged(
            f"Strengths by Rao and Kupper still changed by {change:.1e} after {iterations} iterations. "
            f"Some systems are linked by very few matches; leave them out or let ties count as half a win.",
            iterations=iterations,
            last_change=change,
        )
    return RaoKupperFit(found.parameters[0, :-1], float(found.parameters[0, -1]), iterations, change)


def rao_kupper_batch(
    wins: FloatArray, ties: FloatArray, *, tolerance: float = 1e-12, max_iterations: int = 100
) -> FloatArray:
    """Log strengths (r, m) of r tables, such as bootstrap samples; NaN where :func:`rao_kupper` would raise.

    Parameters
    ----------
    wins, ties : array, shape (r, m, m)
    tolerance : float, default 1e-12
    max_iterations : int, default 100

    Examples
    --------
    >>> wins = np.array([[[0.0, 4], [1, 0]], [[0, 4], [0, 0]]])
    >>> ties = np.array([[[0.0, 2], [2, 0]], [[0, 2], [2, 0]]])
    >>> np.exp(2 * rao_kupper_batch(wins, ties)[:, 0]).round(6)
    array([2.828427,      nan])
    """
    m = wins.shape[-1]
    off = 1 - np.eye(m)
    wins, ties = wins * off, ties * off
    strengths = np.full(wins.shape[:2], np.nan)
    tied = ties.any(axis=(1, 2))
    if not tied.all():
        strengths[~tied] = bradley_terry_batch(wins[~tied]).log_strength
    pairs = zip(wins[tied], ties[tied], strict=True)
    rows = np.flatnonzero(tied)[np.array([davidson_exists(w, t) for w, t in pairs], dtype=bool)]
    step = max(1, _BLOCK // (m + 1) ** 2)
    for at in range(0, rows.size, step):
        part = rows[at : at + step]
        strengths[part] = _newton(wins[part], ties[part], tolerance, max_iterations).parameters[:, :-1]
    return strengths


class _Solved(NamedTuple):
    """Log strengths and δ of each table, (r, m + 1), NaN where iterations ended before the changes did."""

    parameters: FloatArray
    iterations: IntArray
    last_change: FloatArray


def _newton(wins: FloatArray, ties: FloatArray, tolerance: float, max_iterations: int) -> _Solved:
    """Solve each table of a stack; what becomes of one does not depend on the others."""
    m = wins.shape[-1]
    scored, n_ties = wins + ties, _total(ties) / 2
    share = n_ties / (n_ties + _total(wins))
    start = np.array([newton_start(w, t) for w, t in zip(wins, ties, strict=True)])
    parameters = np.column_stack([start, np.log((1 + share) / (1 - share))])
    iterations, last = np.zeros(len(wins), np.int64), np.full(len(wins), np.inf)
    rows = np.arange(len(wins))
    for _ in range(max_iterations):
        here, of, many = parameters[rows], scored[rows], n_ties[rows]
        score, information = _score_and_information(here, of, many)
        step = np.asarray(np.linalg.solve(information, score[..., None])[..., 0], dtype=np.float64)
        step = _shortened(step, here, of, many)
        parameters[rows] = here + step
        iterations[rows] += 1
        last[rows] = np.abs(step).max(axis=1)
        near = tolerance * np.maximum(1.0, np.abs(parameters[rows]).max(axis=1))
        rows = rows[~(last[rows] <= near)]
        if not rows.size:
            break
    parameters[rows] = np.nan
    parameters[:, :m] -= parameters[:, :m].mean(axis=1, keepdims=True)
    return _Solved(parameters, iterations, last)


def _shortened(
    step: FloatArray, parameters: FloatArray, scored: FloatArray, n_ties: FloatArray
) -> FloatArray:
    """Halve each step until it does not lower the likelihood."""
    value = _log_likelihood(parameters, scored, n_ties)
    step, rows = step.copy(), np.arange(len(step))
    for _ in range(60):
        new = _log_likelihood(parameters[rows] + step[rows], scored[rows], n_ties[rows])
        rows = rows[~(new >= value[rows] - 1e-12 * np.abs(value[rows]))]
        if not rows.size:
            break
        step[rows] /= 2
    return step


def _total(tables: FloatArray) -> FloatArray:
    """Sum of each table (r, m, m)."""
    return np.asarray(tables.reshape(len(tables), -1).sum(axis=1))


def _log_likelihood(parameters: FloatArray, scored: FloatArray, n_ties: FloatArray) -> FloatArray:
    theta, delta = parameters[:, :-1], parameters[:, -1]
    ahead = theta[:, :, None] - theta[:, None, :] - delta[:, None, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        of_ties = n_ties * np.log(np.expm1(2 * delta))
    return np.where(delta > 0, of_ties - _total(scored * np.logaddexp(0, -ahead)), -np.inf)


def _score_and_information(
    parameters: FloatArray, scored: FloatArray, n_ties: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the scores (r, m + 1) and the observed information (r, m + 1, m + 1) of the log strengths and δ."""
    theta, delta = parameters[:, :-1], parameters[:, -1]
    m = theta.shape[1]
    win = expit(theta[:, :, None] - theta[:, None, :] - delta[:, None, None])
    missed, weight = scored * (1 - win), scored * win * (1 - win)
    grown = np.expm1(2 * delta)
    of_delta = 2 * n_ties * (1 + 1 / grown) - _total(missed)
    score = np.column_stack([(missed - missed.swapaxes(1, 2)).sum(axis=2), of_delta])
    both = weight + weight.swapaxes(1, 2)
    information = np.empty((len(theta), m + 1, m + 1))
    information[:, :m, :m] = _total(both)[:, None, None] / m**2 - both  # picks the strengths with sum 0
    information[:, range(m), range(m)] += both.sum(axis=2)
    information[:, :m, m] = information[:, m, :m] = (weight.swapaxes(1, 2) - weight).sum(axis=2)
    information[:, m, m] = _total(weight) + 4 * n_ties * (1 + 1 / grown) / grown
    return score, information
