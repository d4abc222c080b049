"""Bradley–Terry strengths in several categories at once, shrunk toward what is typical of all categories.

Errors of strengths by category when battles of one judge, or over one question, are not independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray, numbered
from betterthan.errors import NotConverged
from betterthan.kernels.comparisons.bradley_terry import damping

_SPREADS = np.geomspace(0.01, 3.0, 17)  # standard deviations between categories: 2 Elo points, and 520
_PRIOR = 0.5  # scale of the half-normal prior of τ: 87 Elo points
_NEGLIGIBLE = 1e-3  # share of the posterior probability
_HOPELESS = 15.0  # log-likelihood below the best


class CategoryFit(NamedTuple):
    """Strengths by category.

    Attributes
    ----------
    log_strength : array, shape (k, m)
        Posterior means; each row has sum 0.
    covariance : array, shape (k, m, m)
        Of each row, with the uncertainty of the typical strengths and of τ.
    typical : array, shape (m,)
        The mean over categories, which is also the estimate of what they vary around.
    deviation_variance : array, shape (k, m)
        Variance of each strength less the mean over categories.
    spread : float
        τ, the standard deviation of a system's log strength between categories: posterior mean.
    own_weight : array, shape (k,)
        How much a category's own battles count, between 0 and 1.
    """

    log_strength: FloatArray
    covariance: FloatArray
    typical: FloatArray
    deviation_variance: FloatArray
    spread: float
    own_weight: FloatArray


class CategoryInfluence(NamedTuple):
    """How scores move strengths, at the estimated τ.

    Attributes
    ----------
    inverse : array, shape (k, m, m)
        A, of which :math:`A_c s_c` is the move that a score causes in its own category.
    follows : array, shape (k, m, m)
        How strengths follow the sum over categories of :math:`A_c s_c / τ^2`.
    precision : float
        1 / τ².
    own : array, shape (k, m)
        How much a system's own battles of a category count.
    noise : array, shape (k, m, m)
        The part of the covariance that is due to independent battles.
    deviation_noise : array, shape (k, m)
        The same of deviations from the mean over categories.
    """

    inverse: FloatArray
    follows: FloatArray
    precision: float
    own: FloatArray
    noise: FloatArray
    deviation_noise: FloatArray


class _State(NamedTuple):
    theta: FloatArray
    typical: FloatArray
    inverse: FloatArray  # (information + 1 / τ²)⁻¹ of each category
    information: FloatArray
    schur: FloatArray
    log_likelihood: float


def category_strengths(wins: FloatArray, start: FloatArray, *, dispersion: float = 1.0) -> CategoryFit:
    r"""Fit log strengths of every category, which vary between categories with a common variance.

    .. math:: P(i \text{ beats } j \text{ in } c) = \sigma(\theta_{ci} - \theta_{cj}), \qquad
              \theta_{ci} \sim N(\mu_i, \tau^2)

    The posterior is averaged over τ, whose prior is half-normal with scale 0.5 [2]_. Its likelihood is the restricted
    one, with Laplace's approximation of the integral over θ,

    .. math:: \sum_c \Big[ \tfrac{1}{\phi} \ell_c(\theta_c) - \tfrac{1}{2 \tau^2} \lVert \theta_c - \mu \rVert^2
              - \tfrac12 \log\det(I + \tau^2 H_c) \Big] - \tfrac12 \log\det S, \qquad
              S = \sum_c \big( \tau^2 I + H_c^{+} \big)^{-1}

    with H the information of a category and S that of μ [1]_. The solution exists whenever all categories together
    connect the systems, also where a category does not.

    Parameters
    ----------
    wins : array, shape (k, m, m)
        Wins of the row over the column in each category, ties as half a win.
    start : array, shape (m,)
        Log strengths of all categories together.
    dispersion : float, default 1
        φ, how many times larger variances are than independent battles imply.

    Returns
    -------
    CategoryFit

    Raises
    ------
    NotConverged
        When Newton's method does not converge.

    References
    ----------
    .. [1] Breslow and Clayton (1993), Approximate inference in generalized linear mixed models, JASA 88.
    .. [2] Gelman (2006), Prior distributions for variance parameters in hierarchical models, Bayesian Analysis 1.

    Examples
    --------
    The second category has two battles, both lost by the first system, and so moves little from what is typical:

    >>> wins = np.array([[[0.0, 30], [10, 0]], [[0, 0], [2, 0]], [[0, 33], [12, 0]]])
    >>> fit = category_strengths(wins, np.log([3.0, 1.0]) - np.log(3) / 2)
    >>> np.diff(fit.log_strength).ravel().round(1)
    array([-1. , -0.4, -1. ])
    """
    scaled = np.asarray(wins, dtype=np.float64) / dispersion
    theta, typical = np.tile(start, (len(scaled), 1)), np.asarray(start, dtype=np.float64)
    modes: list[tuple[FloatArray, FloatArray]] = []
    likelihood: list[float] = []
    for spread in _SPREADS.tolist():
        state = _solved(scaled, typical, theta, spread)
        theta, typical = state.theta, state.typical
        modes.append((theta, typical))
        likelihood.append(_restricted(state, spread))
        if likelihood[-1] < max(likelihood) - _HOPELESS:
            break
    # Equal steps of log τ, so a density of τ gives each a weight in proportion to τ.
    spreads = _SPREADS[: len(likelihood)]
    found = np.array(likelihood) + np.log(spreads) - (spreads / _PRIOR) ** 2 / 2
    weight = np.exp(found - found.max())
    return _averaged(scaled, modes, weight / weight.sum())


def category_influence(wins: FloatArray, fit: CategoryFit, *, dispersion: float = 1.0) -> CategoryInfluence:
    """Return how scores of battles, divided by the dispersion, move the strengths of a fit to first order.

    Examples
    --------
    >>> wins = np.array([[[0.0, 30], [10, 0]], [[0, 33], [12, 0]]])
    >>> influence = category_influence(wins, category_strengths(wins, np.log([3.0, 1.0]) - np.log(3) / 2))
    >>> influence.noise.shape, influence.deviation_noise.shape
    ((2, 2, 2), (2, 2))
    """
    spread, precision = fit.spread, 1 / fit.spread**2
    state = _solved(np.asarray(wins, dtype=np.float64) / dispersion, fit.typical, fit.log_strength, spread)
    k, m = state.theta.shape
    centre, scale = np.eye(m) - 1 / m, float(np.trace(state.schur)) / m
    of_typical = centre @ np.linalg.inv(state.schur + scale / m) @ centre
    follow = precision * (centre @ state.inverse)
    # Of A s, its covariance with their sum over categories, and the covariance of that sum.
    own = centre @ state.inverse @ state.information @ state.inverse @ centre
    along, total = precision * own, precision**2 * own.sum(axis=0)
    follows = follow @ of_typical
    turned = follows.swapaxes(1, 2)
    crossed = along @ turned
    noise = own + crossed + crossed.swapaxes(1, 2) + follows @ total @ turned
    away = follows - follows.mean(axis=0)
    crossed = (along - along.mean(axis=0)) @ away.swapaxes(1, 2)
    deviation = (1 - 2 / k) * own + own.mean(axis=0) / k + crossed + crossed.swapaxes(1, 2)
    deviation = deviation + away @ total @ away.swapaxes(1, 2)
    return CategoryInfluence(
        inverse=state.inverse,
        follows=follows,
        precision=precision,
        own=np.clip(1 - precision * np.diagonal(state.inverse, axis1=1, axis2=2), 0, 1),
        noise=noise,
        deviation_noise=np.diagonal(deviation, axis1=1, axis2=2).copy(),
    )


def _averaged(
    wins: FloatArray, modes: list[tuple[FloatArray, FloatArray]], weight: FloatArray
) -> CategoryFit:
    """Mean and variance of the mixture over τ."""
    used = np.flatnonzero(weight > _NEGLIGIBLE).tolist()
    total = weight[used].sum()
    parts = []
    for i in used:
        theta, typical = modes[i]
        spread = float(_SPREADS[i])
        parts.append((weight[i] / total, _given(_solved(wins, typical, theta, spread), spread)))
    theta = np.sum([w * part.log_strength for w, part in parts], axis=0)
    typical = np.sum([w * part.typical for w, part in parts], axis=0)
    covariance, deviation = np.zeros_like(wins), np.zeros_like(theta)
    for w, part in parts:
        moved = part.log_strength - theta
        covariance += w * (part.covariance + moved[:, :, None] * moved[:, None, :])
        deviation += w * (part.deviation_variance + (moved - part.typical + typical) ** 2)
    return CategoryFit(
        log_strength=theta,
        covariance=covariance,
        typical=typical,
        deviation_variance=deviation,
        spread=float(np.sum([w * part.spread for w, part in parts])),
        own_weight=np.sum([w * part.own_weight for w, part in parts], axis=0),
    )


def _solved(wins: FloatArray, typical: FloatArray, theta: FloatArray, spread: float) -> _State:
    """Newton's method for all categories and the typical strengths together."""
    precision, m = 1 / spread**2, wins.shape[1]
    eye, level = np.eye(m), np.full((m, m), 1 / m)
    for _ in range(100):
        chance, information = _chances(wins, theta)
        score = (wins - (wins + wins.swapaxes(1, 2)) * chance).sum(axis=2)
        inverse = np.linalg.inv(information + precision * eye)
        # Elimination of the categories leaves the typical strengths, whose sum is 0.
        schur = precision * len(wins) * eye - precision**2 * inverse.sum(axis=0)
        pull = score - precision * (theta - typical)
        own = np.einsum("kab,kb->ka", inverse, pull)
        rest = precision * (theta - typical + own).sum(axis=0)
        scale = float(np.trace(schur)) / m
        move = np.linalg.solve(schur + scale * level, rest - rest.mean())
        step = own + precision * np.einsum("kab,b->ka", inverse, move)
        reach = float(np.ptp(step, axis=1).max())
        size = damping(reach)
        theta, typical = theta + size * step, typical + size * move
        if reach < 1e-9:
            break
    else:
        raise NotConverged(
            f"Strengths by category still changed by {reach:.1e} after 100 iterations.",
            iterations=100,
            last_change=reach,
        )
    return _State(
        theta,
        typical,
        np.asarray(inverse, dtype=np.float64),
        information,
        schur,
        _log_likelihood(wins, theta),
    )


def _chances(wins: FloatArray, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Probabilities that the row wins, and the information, both (k, m, m)."""
    chance = 1 / (1 + np.exp(np.clip(theta[:, None, :] - theta[:, :, None], -700, 700)))
    weight = (wins + wins.swapaxes(1, 2)) * chance * (1 - chance)
    diagonal = np.arange(wins.shape[1])
    weight[:, diagonal, diagonal] = 0.0
    information = -weight
    information[:, diagonal, diagonal] = weight.sum(axis=2)
    return chance, information


def _log_likelihood(wins: FloatArray, theta: FloatArray) -> float:
    ahead = theta[:, :, None] - theta[:, None, :]
    return float(-(wins * np.logaddexp(0, -ahead))[wins > 0].sum())


def _restricted(state: _State, spread: float) -> float:
    variance, m = spread**2, state.typical.size
    apart = float(((state.theta - state.typical) ** 2).sum())
    volume = np.linalg.slogdet(np.eye(m) + variance * state.information)[1].sum()
    scale = float(np.trace(state.schur)) / m
    typical = np.linalg.slogdet(state.schur / scale + 1 / m)[1] + (m - 1) * np.log(scale)
    return float(state.log_likelihood - apart / (2 * variance) - volume / 2 - typical / 2)


def _given(state: _State, spread: float) -> CategoryFit:
    precision, (k, m) = 1 / spread**2, state.theta.shape
    centre = np.eye(m) - 1 / m
    scale = float(np.trace(state.schur)) / m
    of_typical = centre @ np.linalg.inv(state.schur + scale / m) @ centre
    follows = precision * (centre @ state.inverse)
    given = centre @ state.inverse @ centre
    turned = follows.swapaxes(1, 2)
    covariance = given + follows @ of_typical @ turned
    # Of the difference from the mean over categories, whose members are independent given the typical strengths.
    away = follows - follows.mean(axis=0)
    deviation = (1 - 2 / k) * given + given.mean(axis=0) / k + away @ of_typical @ away.swapaxes(1, 2)
    own = 1 - np.trace(given, axis1=1, axis2=2) * precision / max(m - 1, 1)
    theta = state.theta - state.theta.mean(axis=1, keepdims=True)
    return CategoryFit(
        log_strength=theta,
        covariance=covariance,
        typical=state.typical - state.typical.mean(),
        deviation_variance=np.diagonal(deviation, axis1=1, axis2=2).copy(),
        spread=spread,
        own_weight=np.clip(own, 0.0, 1.0).reshape(k),
    )


MOST_UNITS = 2000
_MOST_NUMBERS = 2e7
_LEAST_UNITS = 50
_ALONE = 1e-9


class UnitScores(NamedTuple):
    """What each unit (judge, question) adds to the likelihood, by category and system, all (g, k, m)."""

    score: FloatArray
    information: FloatArray


class CategoryErrors(NamedTuple):
    """Errors that account for units.

    Attributes
    ----------
    covariance : array, shape (k, m, m)
    degrees : array, shape (k, m)
        Degrees of freedom of the variances on the diagonal.
    deviation_variance, deviation_degrees : array, shape (k, m)
        Of each strength less the mean over categories.
    dispersion : float
        How many times larger the variance of deviations is than the fit assumed.
    """

    covariance: FloatArray
    degrees: FloatArray
    deviation_variance: FloatArray
    deviation_degrees: FloatArray
    dispersion: float


def unit_scores(
    unit: IntArray,
    category: IntArray,
    sides: Sequence[IntArray],
    rows: Sequence[FloatArray],
    shape: tuple[int, int],
) -> UnitScores:
    """Add up residuals and weights of battles by unit, category and system.

    Parameters
    ----------
    unit, category : array of int, shape (t,)
        Above 2,000 units, or fewer where there are many categories and systems, several count as one. That is still
        right, because they are independent.
    sides : tuple of arrays of int, shape (t,)
        The left and the right system.
    rows : tuple of arrays, shape (t,)
        Residuals, weight · (outcome − p), and information, weight · p (1 − p).
    shape : tuple of int
        The numbers of categories and systems.

    Examples
    --------
    >>> zero, one = np.array([0]), np.array([1])
    >>> unit_scores(zero, zero, (zero, one), (np.array([0.5]), np.array([0.25])), (1, 2)).score
    array([[[ 0.5, -0.5]]])
    """
    k, m = shape
    number, _ = numbered(unit)
    most = int(min(MOST_UNITS, max(_LEAST_UNITS, _MOST_NUMBERS / (k * m))))
    number %= most
    g = int(number.max(initial=-1)) + 1
    cells = [(number * k + category) * m + side for side in sides]
    size = g * k * m
    score = np.asarray(
        np.bincount(cells[0], rows[0], size) - np.bincount(cells[1], rows[0], size), dtype=np.float64
    )
    information = np.bincount(cells[0], rows[1], size) + np.bincount(cells[1], rows[1], size)
    return UnitScores(score.reshape(g, k, m), np.asarray(information, dtype=np.float64).reshape(g, k, m))


def category_errors(
    wins: FloatArray, fit: CategoryFit, units: Sequence[UnitScores], *, dispersion: float = 1.0
) -> CategoryErrors:
    r"""Return errors of the strengths of :func:`category_strengths` that hold when battles of a unit are correlated.

    Strengths are linear in the scores :math:`s_{jc}` of units to first order. With the information H and P = 1/τ²,

    .. math:: u_{jc} = A_c s_{jc} + P A_c S^{+} \sum_d P A_d s_{jd}, \qquad A_c = (H_c + P I)^{-1}, \qquad
              V_c = \sum_j \frac{u_{jc} u_{jc}^{\mathsf T}}{1 - h_{jc}}

    replaces the part of the posterior covariance that is due to independent battles; the part that is due to shrinkage
    stays. The leverage h is the share of a unit in what is known about a strength: that in the category, and that in
    all categories, averaged by how much the category's own battles count. Degrees of freedom follow from these shares
    [1]_; those of the part that is due to shrinkage would be more, so intervals are conservative where it is large.

    Parameters
    ----------
    wins : array, shape (k, m, m)
    fit : CategoryFit
        Of these wins.
    units : sequence of UnitScores
        One or two kinds.
    dispersion : float, default 1
        The one of the fit.

    References
    ----------
    .. [1] Bell, McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage samples,
       Survey Methodology 28.

    Examples
    --------
    Two judges who disagree, in two categories:

    >>> from betterthan.kernels.comparisons.categories import category_strengths
    >>> wins = np.array([[[0.0, 10], [10, 0]], [[0, 10], [10, 0]]])
    >>> fit = category_strengths(wins, np.zeros(2))
    >>> score = np.array([[[4.0, -4], [4, -4]], [[-4, 4], [-4, 4]]])
    >>> errors = category_errors(wins, fit, [UnitScores(score, np.full((2, 2, 2), 2.5))])
    >>> bool(errors.covariance[0, 0, 0] > 3 * fit.covariance[0, 0, 0]), errors.degrees[0].round(1)
    (True, array([1., 1.]))
    """
    influence = category_influence(wins, fit, dispersion=dispersion)
    shrunk = _nonnegative(fit.covariance - influence.noise)
    shrunk_deviation = np.maximum(fit.deviation_variance - influence.deviation_noise, 0)
    found = [_noise(UnitScores(*(part / dispersion for part in one)), influence) for one in units]
    noise, of_deviation = found[0].noise, found[0].deviation
    degrees, fewest = found[0].degrees, np.min([one.degrees for one in found], axis=0)
    if len(found) == 2:
        both = found[0].noise + found[1].noise - influence.noise / dispersion
        of_deviation = np.maximum(found[0].deviation, found[1].deviation)
        of_deviation = np.maximum(
            found[0].deviation + found[1].deviation - influence.deviation_noise / dispersion, of_deviation
        )
        tables = [_nonnegative(both), found[0].noise, found[1].noise]
        which = np.argmax([np.trace(table, axis1=1, axis2=2) for table in tables], axis=0)
        noise = np.stack(tables)[which, np.arange(len(which))]
        degrees = np.stack([fewest, found[0].degrees, found[1].degrees])[which, np.arange(len(which))]
    covariance = noise + shrunk
    return CategoryErrors(
        covariance=covariance,
        degrees=degrees,
        deviation_variance=of_deviation + shrunk_deviation,
        deviation_degrees=fewest,
        dispersion=float(
            dispersion * of_deviation.sum() / max(float(influence.deviation_noise.sum()), 1e-300)
        ),
    )


class _Noise(NamedTuple):
    noise: FloatArray  # (k, m, m)
    deviation: FloatArray  # (k, m)
    degrees: FloatArray  # (k, m)


def _noise(unit: UnitScores, influence: CategoryInfluence) -> _Noise:
    k = unit.score.shape[1]
    share, degrees = _leverage(unit.information, influence.own)
    left = 1 / np.sqrt(np.maximum(1 - share, _ALONE))
    own = np.stack([unit.score[:, c] @ influence.inverse[c] for c in range(k)], axis=1)
    typical = influence.precision * own.sum(axis=1)
    moves = own
    for c in range(k):
        moves[:, c] += typical @ influence.follows[c].T
    moves -= moves.mean(axis=2, keepdims=True)
    deviation = (((moves - moves.mean(axis=1, keepdims=True)) * left) ** 2).sum(axis=0)
    moves *= left
    noise = np.stack([moves[:, c].T @ moves[:, c] for c in range(k)])
    return _Noise(noise, deviation, degrees)


def _leverage(information: FloatArray, own: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Share of each unit in what is known about each strength, (g, k, m), and degrees of freedom, (k, m)."""
    here, everywhere = information.sum(axis=0), information.sum(axis=(0, 1))
    common = information.sum(axis=1) / np.maximum(everywhere, 1e-300)
    weight, total = np.where(here > 0, own, 0.0), np.where(here > 0, here, 1.0)
    share, degrees = np.empty_like(information), np.empty_like(here)
    # One category at a time, which stays in the cache.
    for c in range(len(here)):
        part = weight[c] * information[:, c]
        part /= total[c]
        part += (1 - weight[c]) * common
        np.minimum(part, 1.0, out=part)
        share[:, c] = part
        square = part**2
        pull = square / np.maximum(1 - part, _ALONE)
        with np.errstate(divide="ignore"):
            degrees[c] = 1 / (square.sum(axis=0) + pull.sum(axis=0) ** 2 - (pull**2).sum(axis=0))
    return share, np.maximum(np.nan_to_num(degrees, posinf=1.0), 1.0)


def _nonnegative(tables: FloatArray) -> FloatArray:
    """Set negative eigenvalues to 0."""
    values, vectors = np.linalg.eigh((tables + tables.swapaxes(1, 2)) / 2)
    return np.asarray((vectors * np.maximum(values, 0)[:, None, :]) @ vectors.swapaxes(1, 2))
