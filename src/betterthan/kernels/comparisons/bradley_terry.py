"""Bradley–Terry strengths from a table of wins: Newton's method to machine precision, one table or many.

The solver serves all log-likelihoods of logistic type.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError, NotConverged, NotEstimable
from betterthan.kernels.comparisons.connectivity import is_connected
from betterthan.kernels.comparisons.wins import with_prior


def newton_steps(information: FloatArray, score: FloatArray) -> FloatArray:
    """Solve information · step = score for many tables; NaN where the information is singular.

    Parameters
    ----------
    information : array, shape (b, m, m)
    score : array, shape (b, m)

    Returns
    -------
    array, shape (b, m)

    Examples
    --------
    >>> newton_steps(np.array([[[2.0]], [[0.0]]]), np.array([[1.0], [1.0]]))
    array([[0.5],
           [nan]])
    """
    try:
        return np.asarray(np.linalg.solve(information, score[:, :, None])[:, :, 0], dtype=np.float64)
    except np.linalg.LinAlgError:
        if len(score) == 1:
            return np.full_like(score, np.nan)
        return np.concatenate([newton_steps(information[[b]], score[[b]]) for b in range(len(score))])


def damping(reach: float) -> float:
    r"""Share of a Newton step to take, so that the likelihood rises.

    With M the largest change that the full step brings to the log odds of an observed match, a share t of the step
    raises the log-likelihood by at least

    .. math:: \delta^2 \left( t - \frac{e^{tM} - 1 - tM}{M^2} \right),

    where δ is the Newton decrement. That is positive for t = 1 while M ≤ 1, and greatest for t = log(1 + M) / M.

    Parameters
    ----------
    reach : float
        M.

    Returns
    -------
    float

    References
    ----------
    .. [1] Sun and Tran-Dinh (2019), Generalized self-concordant functions: a recipe for Newton-type methods,
       Mathematical Programming 178; section 4, case ν = 2.

    Examples
    --------
    >>> damping(0.3), round(damping(10.0), 3)
    (1.0, 0.24)
    """
    return float(np.log1p(reach) / reach) if reach > 1 else 1.0


# Numbers of a batch that are processed at once: they stay in the cache.
_BATCH_NUMBERS = 2**17
# Newton's method is done after four iterations as a rule; later, rounding may be all that still moves. If that
# moves strengths by more than a millionth, they are not known.
_LATE = 6
_KNOWN = 1e-6
# Beside the most frequent pair, one with this share of its matches is lost in rounding: strengths would be known to
# a millionth at best.
_LOST = 1e-10


class Fit(NamedTuple):
    """Strengths of one table.

    Attributes
    ----------
    log_strength : array, shape (m,)
        Natural logarithms, with sum 0.
    iterations : int
    last_change : float
        The largest change of a log strength in the last iteration.
    """

    log_strength: FloatArray
    iterations: int
    last_change: float


class BatchFit(NamedTuple):
    """Strengths of many tables.

    Attributes
    ----------
    log_strength : array, shape (b, m)
        Each row has sum 0, or is NaN where strengths do not exist or were not found.
    exists : array of bool, shape (b,)
        Whether the wins determine strengths.
    iterations : array of int, shape (b,)
    last_change : array, shape (b,)
        NaN where strengths do not exist.
    """

    log_strength: FloatArray
    exists: BoolArray
    iterations: IntArray
    last_change: FloatArray


def bradley_terry(
    wins: FloatArray, *, prior: float = 0.0, tolerance: float = 1e-12, max_iterations: int = 100
) -> Fit:
    r"""Maximum-likelihood log strengths θ of the Bradley–Terry model.

    .. math:: P(i \text{ beats } j) = \frac{\lambda_i}{\lambda_i + \lambda_j}, \qquad \theta = \log\lambda,
              \qquad \ell(\theta) = \sum_{i,j} \omega_{ij} \log P(i \text{ beats } j)

    Parameters
    ----------
    wins : array, shape (m, m)
        ω, wins of the row over the column; any numbers that are not negative. The diagonal is ignored. Ties
        are the caller's: :func:`betterthan.kernels.comparisons.wins.with_ties`.
    prior : float, default 0
        Wins and losses of every system against a fictive one, whose strength is fitted too: the fit is the one
        of :func:`betterthan.kernels.comparisons.wins.with_prior`, without its last system. Any prior above 0 makes
        strengths exist.
    tolerance : float, default 1e-12
        Stop when no log strength changes by more, or when wins equal expected wins up to double precision.
    max_iterations : int, default 100

    Returns
    -------
    Fit

    Raises
    ------
    NotEstimable
        When the graph of wins is not strongly connected;
        :func:`betterthan.kernels.comparisons.connectivity.connectivity` says why.
    NotConverged
        After `max_iterations`.

    Notes
    -----
    Newton's method from log(wins / losses), stretched; four iterations of 2m³/3 operations as a rule, damped
    (:func:`betterthan.kernels.comparisons.bradley_terry.damping`) so that the likelihood never falls. Two systems have
    a closed form: the strengths are the wins ([1], section 2.2).

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL;
       appendix E, Eq. 1 and 2.
    .. [2] Bradley and Terry (1952), Rank analysis of incomplete block designs I, Biometrika 39.
    .. [3] Bishop (2006), Pattern Recognition and Machine Learning, Springer; the start.

    Examples
    --------
    The scores of [1]'s appendix F with C = 3, 1, 2: every pair ends two to one, in a circle.

    >>> fit = bradley_terry(np.array([[0.0, 1, 2], [2, 0, 1], [1, 2, 0]]))
    >>> np.exp(fit.log_strength).round(3)
    array([1., 1., 1.])
    >>> fit = bradley_terry(np.array([[0.0, 2], [1, 0]]))
    >>> round(float(np.exp(fit.log_strength[0] - fit.log_strength[1])), 12)
    2.0
    """
    batch = bradley_terry_batch(
        np.asarray(wins, dtype=np.float64)[None],
        prior=prior,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )
    if not batch.exists[0]:
        raise NotEstimable(
            "Bradley–Terry strengths do not exist here: some systems never beat any of the others. "
            "Rank by win rate, or give a prior above 0."
        )
    iterations, last_change = int(batch.iterations[0]), float(batch.last_change[0])
    if np.isnan(batch.log_strength[0]).any():
        raise NotConverged(
            f"Bradley–Terry strengths still changed by {last_change:.1e} after {iterations} iterations. "
            f"Some systems are linked by very few matches; leave them out or give a prior above 0.",
            iterations=iterations,
            last_change=last_change,
        )
    return Fit(batch.log_strength[0], iterations, last_change)


def bradley_terry_batch(
    wins: FloatArray, *, prior: float = 0.0, tolerance: float = 1e-12, max_iterations: int = 100
) -> BatchFit:
    """Fit many tables of wins at once, such as bootstrap resamples; see :func:`bradley_terry`.

    Parameters
    ----------
    wins : array, shape (b, m, m)
    prior, tolerance, max_iterations
        As in :func:`bradley_terry`.

    Returns
    -------
    BatchFit
        A table without strengths has a row of NaN, and so has one that was not solved in `max_iterations`;
        `exists` distinguishes them.

    Examples
    --------
    >>> batch = bradley_terry_batch(np.array([[[0.0, 3], [1, 0]], [[0, 4], [0, 0]]]))
    >>> batch.log_strength.round(4)
    array([[ 0.5493, -0.5493],
           [    nan,     nan]])
    >>> batch.exists
    array([ True, False])
    """
    wins = _checked_wins(wins)
    n_systems = wins.shape[-1]
    if prior != 0:
        played = bradley_terry_batch(
            with_prior(wins, prior), tolerance=tolerance, max_iterations=max_iterations
        )
        return played._replace(log_strength=_centred(played.log_strength[:, :n_systems]))
    exists = is_connected(wins)
    solve = _two_systems if n_systems <= 2 else _newton
    size = max(1, _BATCH_NUMBERS // n_systems**2)
    if len(wins) <= size and exists.all():
        log_strength, iterations, last_change = solve(wins, tolerance, max_iterations)
        return BatchFit(log_strength, exists, iterations, last_change)
    empty = np.full(wins.shape[:2], np.nan)
    batch = BatchFit(empty, exists, np.zeros(len(wins), np.int64), np.full(len(wins), np.nan))
    solvable = np.flatnonzero(exists)
    for start in range(0, solvable.size, size):
        rows = solvable[start : start + size]
        solved = solve(wins[rows], tolerance, max_iterations)
        batch.log_strength[rows], batch.iterations[rows], batch.last_change[rows] = solved
    return batch


_Solved = tuple[FloatArray, IntArray, FloatArray]


def _two_systems(wins: FloatArray, tolerance: float, max_iterations: int) -> _Solved:  # noqa: ARG001
    """Strengths are the numbers of wins ([1], section 2.2); one system alone has strength 1."""
    log_strength = _centred(np.log(wins.sum(axis=2))) if wins.shape[1] == 2 else np.zeros(wins.shape[:2])
    return log_strength, np.zeros(len(wins), np.int64), np.zeros(len(wins))


def _newton(wins: FloatArray, tolerance: float, max_iterations: int) -> _Solved:
    """Solve tables of shape (b, m, m), each until convergence."""
    tables, theta = wins, _start(wins)
    result = np.full_like(theta, np.nan)
    iterations, last_change = np.zeros((2, len(wins)))
    rows: slice | IntArray = slice(None)  # those still moving
    for iteration in range(1, max_iterations + 1):
        up, down, information = _pulls_and_information(wins, theta)
        score = up - down
        step = newton_steps(information, score)
        change = np.maximum.reduce(np.abs(step), axis=1)
        if (
            not np.maximum.reduce(change) <= 0.5
        ):  # or NaN; two log strengths may then move apart by more than 1
            step = _damped(step, wins)
            change = np.abs(step).max(axis=1)
        theta = theta + step
        going = change > tolerance  # false for NaN, too
        if iteration > _LATE:
            going &= (change > _KNOWN) | (np.abs(score) > _rounding(theta) * (up + down)).any(axis=1)
        if iteration < max_iterations and np.logical_and.reduce(going):
            continue
        iterations[rows], last_change[rows] = iteration, change
        if not np.logical_or.reduce(going):
            result[rows] = _centred(theta)
            break
        numbers = np.arange(len(tables))[rows]
        result[numbers[~going]] = _centred(theta[~going])
        rows, theta, wins = numbers[going], theta[going], wins[going]
    result[_hang_on_lost_links(tables)] = np.nan
    return result, iterations.astype(np.int64), last_change


def _hang_on_lost_links(wins: FloatArray) -> BoolArray:
    """Whether systems are linked to the others only by pairs that rounding swallows, shape (b,)."""
    rarest = np.minimum.reduce(wins, axis=None, where=wins > 0, initial=np.inf)
    if rarest > _LOST * np.maximum.reduce(wins, axis=None):  # as good as always
        return np.zeros(len(wins), dtype=bool)
    met = wins + wins.swapaxes(1, 2)
    kept = met > _LOST * met.max(axis=(1, 2), keepdims=True)
    hanging: BoolArray = ~is_connected(wins * kept)
    return hanging


def _start(wins: FloatArray) -> FloatArray:
    r"""Return log strengths (b, m) near the solution where all pairs have met about equally often.

    The share of wins of a system averages σ(θ − θ') over its opponents. Were these normal with variance v, the average
    would be about :math:`\sigma(\theta / \sqrt{1 + \pi v / 8})` ([3], Eq. 4.152–4.153), so the log odds are stretched
    by that root; v follows from their own variance.
    """
    n_systems = wins.shape[1]
    won, lost = np.add.reduce(wins, axis=2), np.add.reduce(wins, axis=1)
    # A prior or weight may be so small that odds would leave the range.
    log_odds = _centred(np.log(np.maximum(won, 1e-300 * lost) / np.maximum(lost, 1e-300 * won)))
    spread = np.pi / 8 * np.add.reduce(log_odds * log_odds, axis=1) / (n_systems - 1)
    # 1 + πv/8 = 1 / (1 − spread); bounded, because the approximation ends where spread nears 1
    stretch = (n_systems - 1) / n_systems / np.sqrt(np.maximum(1 - spread, 0.2))
    start: FloatArray = log_odds * stretch[:, None]
    return start


def _pulls_and_information(wins: FloatArray, theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the two sums (b, m) whose difference is the score, and the information (b, m, m)."""
    n_systems = theta.shape[1]
    upset = _upset_probability(theta)
    pull = wins * upset  # the score of θ_i is the sum over j of ω_ij P(j beats i) − ω_ji P(i beats j)
    up, down = np.add.reduce(pull, axis=2), np.add.reduce(pull, axis=1)
    pull *= upset.swapaxes(1, 2)
    information = pull + pull.swapaxes(1, 2)
    curvature = np.add.reduce(information, axis=2)
    # Strengths are determined up to a shift: adding a constant to all cells picks the one with sum 0.
    level = np.add.reduce(curvature, axis=1) / n_systems**2
    np.subtract(level[:, None, None], information, out=information)
    information.reshape(len(theta), -1)[:, :: n_systems + 1] += curvature
    return up, down, information


def _rounding(theta: FloatArray) -> FloatArray:
    """Return the relative error of a sum over m terms at these log strengths, shape (b, 1)."""
    spread = np.ptp(theta, axis=1, keepdims=True)
    rounding: FloatArray = 4 * np.finfo(np.float64).eps * np.sqrt(theta.shape[1]) * (1 + spread)
    return rounding


def _upset_probability(theta: FloatArray) -> FloatArray:
    """Return P(column beats row), shape (b, m, m)."""
    if np.maximum.reduce(np.abs(theta), axis=None) < 300:
        strength = np.exp(theta)
        upset: FloatArray = strength[:, None, :] / (strength[:, :, None] + strength[:, None, :])  # [1] Eq. 1
        return upset
    return np.exp(-np.logaddexp(0, theta[:, :, None] - theta[:, None, :]))


def _damped(step: FloatArray, wins: FloatArray) -> FloatArray:
    """Shorten each step so that its likelihood rises; only pairs that met are observed."""
    for row in np.flatnonzero(step.max(axis=1) - step.min(axis=1) > 1):
        met = (wins[row] + wins[row].T) > 0
        step[row] *= damping(np.abs(step[row][:, None] - step[row])[met].max())
    return step


def _centred(log_strength: FloatArray) -> FloatArray:
    mean = np.add.reduce(log_strength, axis=-1, keepdims=True) / log_strength.shape[-1]
    centred: FloatArray = log_strength - mean
    return centred


def _checked_wins(wins: FloatArray) -> FloatArray:
    """Return a copy with zeros on the diagonal."""
    # The reductions are called as functions here and above: the methods cost a microsecond more, each time.
    wins = np.array(wins, dtype=np.float64)
    if wins.ndim != 3 or wins.shape[1] != wins.shape[2] or wins.shape[1] == 0:
        raise BetterThanError(f"wins must be systems × systems; the shape is {wins.shape[-2:]}.")
    wins.reshape(len(wins), -1)[:, :: wins.shape[1] + 1] = 0
    if not (
        np.minimum.reduce(wins, axis=None) >= 0 and np.maximum.reduce(wins, axis=None) < np.inf
    ):  # or NaN
        raise BetterThanError("wins must be 0 or more and finite.")
    return wins
