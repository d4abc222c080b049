"""Bradley–Terry with ties as a third outcome: Davidson's model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError, NotConverged, NotEstimable
from betterthan.kernels.comparisons.bradley_terry import bradley_terry, damping, newton_steps
from betterthan.kernels.comparisons.connectivity import is_connected


class DavidsonFit(NamedTuple):
    """Strengths and the tie parameter.

    Attributes
    ----------
    log_strength : array, shape (m,)
        Natural logarithms, with sum 0.
    tie_strength : float
        ν: two systems of equal strength tie with probability ν / (2 + ν); 0 when nothing tied.
    iterations : int
    last_change : float
        The largest change of a log strength or of log ν in the last iteration.
    """

    log_strength: FloatArray
    tie_strength: float
    iterations: int
    last_change: float


class OutcomeProbabilities(NamedTuple):
    """Chances of the row against the column; `win`, its transpose and `tie` have sum 1.

    Attributes
    ----------
    win, tie : array, shape (m, m)
    """

    win: FloatArray
    tie: FloatArray


def davidson(
    wins: FloatArray, ties: FloatArray, *, tolerance: float = 1e-12, max_iterations: int = 100
) -> DavidsonFit:
    r"""Maximum-likelihood strengths with ties as a third outcome.

    .. math:: P(i \text{ beats } j) = \frac{\lambda_i}{\lambda_i + \lambda_j + \nu\sqrt{\lambda_i\lambda_j}},
              \qquad P(\text{tie}) = \frac{\nu\sqrt{\lambda_i\lambda_j}}{\lambda_i + \lambda_j +
              \nu\sqrt{\lambda_i\lambda_j}}

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
    DavidsonFit

    Raises
    ------
    NotEstimable
        When :func:`davidson_exists` says no.
    NotConverged
        After `max_iterations`.

    Notes
    -----
    Without ties ν is 0 and the strengths are Bradley–Terry's. When every pair met equally often, the *order*
    is that of wins plus half the ties ([1], section 3). The model is an exponential family in θ = log λ
    and η = log ν, solved by Newton's method with damping.

    References
    ----------
    .. [1] Davidson (1970), On extending the Bradley–Terry model to accommodate ties in paired comparison
       experiments, Journal of the American Statistical Association 65; Eq. 2.2.

    Examples
    --------
    Two systems: 4 wins to 1 and 2 ties, so λ₁/λ₂ = 4 and ν = 2/√(4 · 1).

    >>> fit = davidson(np.array([[0.0, 4], [1, 0]]), np.array([[0.0, 2], [2, 0]]))
    >>> round(float(np.exp(fit.log_strength[0] - fit.log_strength[1])), 12), round(fit.tie_strength, 12)
    (4.0, 1.0)
    """
    wins, ties = checked_counts(wins, ties)
    if not ties.any():
        fit = bradley_terry(wins, tolerance=tolerance, max_iterations=max_iterations)
        return DavidsonFit(fit.log_strength, 0.0, fit.iterations, fit.last_change)
    if not davidson_exists(wins, ties):
        raise NotEstimable(
            "Davidson's strengths do not exist here: there are too few wins against the order, or only ties. "
            "Let ties count as half."
        )
    return _newton(wins, ties, tolerance, max_iterations)


def davidson_exists(wins: FloatArray, ties: FloatArray) -> bool:
    """Whether wins and ties determine the strengths and ν; the same for the threshold of Rao and Kupper.

    They do if and only if the graph of wins, with ties as edges both ways, is strongly connected, something
    tied (else ν is 0 and the question is Bradley–Terry's), and some way round a circle of systems leads along
    more wins than ties. Otherwise strengths can be spread, and ν raised with them, indefinitely without making any
    observed result less likely.

    Parameters
    ----------
    wins, ties : array, shape (m, m)

    Returns
    -------
    bool

    Examples
    --------
    One win and one tie: losing is never observed, and nothing keeps the strengths together.

    >>> davidson_exists(np.array([[0.0, 1], [0, 0]]), np.array([[0.0, 1], [1, 0]]))
    False
    """
    wins, ties = checked_counts(wins, ties)
    if not ties.any():
        return bool(is_connected(wins))
    return bool(is_connected(wins + ties)) and _has_winning_circle(wins, ties)


def davidson_probabilities(log_strength: FloatArray, tie_strength: float) -> OutcomeProbabilities:
    """Probabilities of winning and of a tie.

    Parameters
    ----------
    log_strength : array, shape (m,)
    tie_strength : float
        ν.

    Returns
    -------
    OutcomeProbabilities

    Examples
    --------
    >>> chances = davidson_probabilities(np.log([4.0, 1.0]), 1.0)
    >>> (7 * chances.win[0]).round(9), (7 * chances.tie[0]).round(9)
    (array([2.33333333, 4.        ]), array([2.33333333, 2.        ]))
    """
    half = (log_strength[:, None] - log_strength[None, :]) / 2
    largest = np.abs(half)
    ahead, behind = np.exp(half - largest), np.exp(-half - largest)
    level = tie_strength * np.exp(-largest)
    total = ahead + behind + level
    return OutcomeProbabilities(ahead / total, level / total)


def _has_winning_circle(wins: FloatArray, ties: FloatArray) -> bool:
    """Whether some cycle has more wins than ties: a negative cycle with wins of length −1 and ties of 1."""
    if ((wins > 0) & (wins.T > 0)).any():
        return True
    length = np.where(wins > 0, -1.0, np.where(ties > 0, 1.0, np.inf))
    distance = np.zeros(len(wins))
    for _ in range(len(wins)):
        shorter = np.minimum(distance, (distance[:, None] + length).min(axis=0))
        if np.array_equal(shorter, distance):
            return False
        distance = shorter
    return True  # distances that still fall after m rounds fall indefinitely


def newton_start(wins: FloatArray, ties: FloatArray) -> FloatArray:
    """Log strengths to start from, with sum 0: the odds of points won, with ties counted half."""
    points = wins + ties / 2
    theta = np.log(points.sum(axis=1) / points.sum(axis=0))
    return np.asarray(theta - theta.mean())


def _newton(wins: FloatArray, ties: FloatArray, tolerance: float, max_iterations: int) -> DavidsonFit:
    n_systems = len(wins)
    parameters = np.append(newton_start(wins, ties), np.log(ties.sum() / wins.sum()))
    change, iteration = np.inf, 0
    for iteration in range(1, max_iterations + 1):
        score, information = _score_and_information(parameters, wins, ties)
        step = _damped(newton_steps(information[None], score[None])[0], wins + wins.T + ties)
        parameters = parameters + step
        change = float(np.abs(step).max())
        if np.isnan(change):
            break
        if change <= tolerance * max(1.0, float(np.abs(parameters).max())):
            theta = parameters[:n_systems] - parameters[:n_systems].mean()
            return DavidsonFit(theta, float(np.exp(parameters[n_systems])), iteration, change)
    raise NotConverged(
        f"Davidson's strengths still changed by {change:.1e} after {iteration} iterations. "
        f"Some systems are linked by very few matches; leave them out or let ties count as half.",
        iterations=iteration,
        last_change=change,
    )


def _score_and_information(
    parameters: FloatArray, wins: FloatArray, ties: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the score (m + 1,) and the information (m + 1, m + 1) of θ and η.

    For a pair with difference d = θ_i − θ_j, a match has the statistics x = ½ (win), −½ (loss), 0 (tie) for d
    and y = 1 (tie), 0 for η; their variances and covariance under the model make up the information.
    """
    n_systems = len(wins)
    matches = wins + wins.T + ties
    win, tie = davidson_probabilities(parameters[:n_systems], float(np.exp(parameters[n_systems])))
    lead = (win - win.T) / 2
    surplus = (wins - wins.T) / 2 - matches * lead
    curvature = matches * ((win + win.T) / 4 - lead**2)
    crossed = -matches * lead * tie
    score = np.append(surplus.sum(axis=1), (ties - matches * tie).sum() / 2)
    information = np.empty((n_systems + 1, n_systems + 1))
    information[:n_systems, :n_systems] = np.diag(curvature.sum(axis=1)) - curvature
    information[:n_systems, :n_systems] += curvature.sum() / n_systems**2  # picks the strengths with sum 0
    information[:n_systems, n_systems] = information[n_systems, :n_systems] = crossed.sum(axis=1)
    information[n_systems, n_systems] = (matches * tie * (1 - tie)).sum() / 2
    return score, information


def _damped(step: FloatArray, matches: FloatArray) -> FloatArray:
    """Shorten a step so that the likelihood rises: odds of win to loss change by d, of either to tie by η ± d/2."""
    apart = float(np.abs(step[:-1, None] - step[:-1])[matches > 0].max())
    return step * damping(max(apart, apart / 2 + abs(float(step[-1]))))


def checked_counts(wins: FloatArray, ties: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return wins and ties without their diagonals; raise when they are not counts."""
    wins, ties = np.array(wins, dtype=np.float64), np.array(ties, dtype=np.float64)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or wins.shape != ties.shape:
        raise BetterThanError(
            f"wins and ties must be systems × systems; the shapes are {wins.shape} and {ties.shape}."
        )
    np.fill_diagonal(wins, 0)
    np.fill_diagonal(ties, 0)
    if not all(np.isfinite(counts).all() and (counts >= 0).all() for counts in (wins, ties)):
        raise BetterThanError("wins and ties must be 0 or more and finite.")
    if not np.array_equal(ties, ties.T):
        raise BetterThanError("ties must be symmetric: each tie is in both triangles.")
    return wins, ties
