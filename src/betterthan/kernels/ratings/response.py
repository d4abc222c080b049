r"""Covariance of Elo and TrueSkill ratings that are averaged over orders of play, without playing again.

Averaged over all orders, a rating is a smooth function of the win counts. Each match is at a uniformly random position
of the order; there it moves two ratings by its surprise, and the matches behind it wear that move down. With
:math:`g(s)` the size of a step and :math:`A(s)` the rate of wear at the place s, from 0 to 1, of the order,

.. math:: G = \int_0^1 \Phi(s)\, g(s)\, ds, \qquad \Phi'(s) = \Phi(s) A(s), \quad \Phi(1) = I

is the expected response of all ratings to one point of surprise. The surprises of a unit (segment, document, judge)
summed and multiplied by G are that unit's influence, and the sum of the outer products of the influences is the
covariance of the ratings: the infinitesimal jackknife of [1]_, which has the form of the robust covariance of [2]_.

References
----------
.. [1] Efron (1982), The jackknife, the bootstrap and other resampling plans, SIAM; chapter 6.
.. [2] White (1982), Maximum likelihood estimation of misspecified models, Econometrica 50.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.comparisons.match_counts import squares_of_designs
from betterthan.kernels.comparisons.sandwich import clustered_rows
from betterthan.kernels.ratings.elo import powers_table
from betterthan.kernels.ratings.loops import draw_updates, win_updates
from betterthan.kernels.ratings.match_play import MatchList
from betterthan.kernels.ratings.trueskill import draw_margin, tails_table

_CELLS_AT_ONCE = 2**22
_STEP = 0.3  # of the time in which a rating forgets; halving it changes a standard error by less than 1%
_MOST_STEPS, _MOST_WORK = 500, 4e9  # of systems cubed, a few seconds
_ALONE = 1e-9  # 1 − leverage of a match that alone connects two systems
_NOTHING = 1e-12  # of the variance by the model: rounding


class Response(NamedTuple):
    """How averaged ratings respond to matches.

    Attributes
    ----------
    gain : array, shape (m, m)
        Change of the row's rating for one point of surprise of the column.
    win, tie : array, shape (m, m)
        Surprise of the row when it beats, or ties with, the column. Its loss is the column's win negated.
    variance : array, shape (m, m)
        Of the surprise of one match of row and column, by the ratings' own prediction.
    """

    gain: FloatArray
    win: FloatArray
    tie: FloatArray
    variance: FloatArray


class Covariance(NamedTuple):
    """Of ratings, over new units.

    Attributes
    ----------
    covariance : array, shape (m, m)
    df : array, shape (m,)
        Degrees of freedom: one less than the units in which the system plays, fewer where these are uneven, at least 1.
    pair_df : array, shape (m, m)
        The same of the difference of two systems.
    """

    covariance: FloatArray
    df: FloatArray
    pair_df: FloatArray


def pair_sums(matches: MatchList, values: FloatArray | None, n_systems: int) -> FloatArray:
    """Sum of `values` (or number) of the matches of each two systems, symmetric.

    Examples
    --------
    >>> pair_sums(MatchList(np.array([0, 1]), np.array([1, 0]), np.array([1.0, 0.5])), None, 2)
    array([[0., 2.],
           [2., 0.]])
    """
    m = n_systems
    sums = np.bincount(matches.left * m + matches.right, values, minlength=m * m).reshape(m, m)
    return np.asarray(sums + sums.T, dtype=np.float64)


def playing_units(matches: MatchList, unit: IntArray, n_systems: int) -> FloatArray:
    """Number of units in which each system plays.

    Examples
    --------
    >>> matches = MatchList(np.array([0, 1]), np.array([1, 2]), np.array([1.0, 0.5]))
    >>> playing_units(matches, np.array([0, 1]), 3)
    array([1., 2., 1.])
    """
    cells = np.unique(np.concatenate([unit * n_systems + matches.left, unit * n_systems + matches.right]))
    return np.bincount(cells % n_systems, minlength=n_systems).astype(np.float64)


def elo_response(
    ratings: FloatArray, matches: MatchList, *, k: float = 20.0, scale: float = 400.0
) -> Response:
    r"""Response of Elo ratings.

    The step is K throughout, and with :math:`L` the Laplacian of the matches, each weighted by the slope
    :math:`\frac{\ln 10}{\text{scale}} p (1 - p)` of its expectation,

    .. math:: G = L^{+} (I - e^{-K L})

    In a long list this is the inverse information of Bradley–Terry, which is what averaged Elo ratings estimate then.

    Parameters
    ----------
    ratings : array, shape (S, m)
        After each of S orders; expectations are averaged over them.
    matches : MatchList
    k, scale : float
    """
    m = ratings.shape[1]
    unit = math.log(10) / scale
    expected, variance = np.zeros((m, m)), np.zeros((m, m))
    for row in ratings:
        with np.errstate(over="ignore"):
            p = 1 / (1 + np.exp(unit * (row[None, :] - row[:, None])))
        expected += p / len(ratings)
        variance += p * (1 - p) / len(ratings)
    values, vectors = np.linalg.eigh(_laplacian(pair_sums(matches, None, m) * variance * unit))
    worn = k * np.maximum(values, 0.0)
    gains = np.where(worn > _NOTHING, -np.expm1(-worn) / np.maximum(worn, _NOTHING), 1.0) * k
    return Response(np.asarray((vectors * gains) @ vectors.T), 1 - expected, 0.5 - expected, variance)


def trueskill_response(
    mu: FloatArray,
    variance: FloatArray,
    matches: MatchList,
    *,
    sigma: float,
    beta: float,
    tau: float,
    draw_probability: float,
) -> Response:
    r"""Response of TrueSkill means.

    A step is :math:`\sigma_i^2(s) / c`, and :math:`\sigma^2` itself follows the expected course

    .. math:: \frac{d \sigma_i^2}{ds} = n_i \tau^2 - \sigma_i^4 \sum_j \frac{w_{ij}}{c_{ij}^2}

    from the prior to where drift and learning balance; the response is integrated along that course.

    Parameters
    ----------
    mu, variance : array, shape (m,)
        Beliefs after the last match, averaged over orders.
    matches : MatchList
    sigma, beta, tau, draw_probability : float
    """
    m = mu.size
    noise, margin = 2 * beta * beta, draw_margin(draw_probability, beta)
    last = np.sqrt(noise + variance[:, None] + variance[None, :])
    gap, narrow = (mu[:, None] - mu[None, :]) / last, margin / last
    win, win_weight = win_updates(gap - narrow, powers_table(), tails_table())
    tie, tie_weight = np.zeros((m, m)), np.zeros((m, m))
    is_tie = matches.outcome == 0.5
    if margin > 0:
        tie, tie_weight = draw_updates(np.abs(gap), narrow, powers_table(), tails_table())
        tie = np.where(gap > 0, -tie, tie)
    winner = np.where(matches.outcome == 0, matches.right, matches.left)
    loser = np.where(matches.outcome == 0, matches.left, matches.right)
    weight = np.where(is_tie, tie_weight[winner, loser], win_weight[winner, loser])
    weights, played = pair_sums(matches, weight, m), pair_sums(matches, None, m).sum(axis=1)
    chance = 1 / (1 + np.exp(-1.7 * gap))  # the normal distribution function, near enough for a weight
    model = (chance * win**2 + (1 - chance) * win.T**2) / last**2
    gain = _trueskill_gain(weights, played, variance, sigma * sigma, noise, tau * tau)
    return Response(gain, win / last, tie / last, model)


def _trueskill_gain(
    weights: FloatArray, played: FloatArray, end: FloatArray, start: float, noise: float, drift: float
) -> FloatArray:
    m = played.size
    least_step = 1 / min(_MOST_STEPS, max(30, int(_MOST_WORK / m**3)))
    belief, gain, one, place = np.full(m, start), np.zeros((m, m)), np.eye(m), 0.0
    while place < 1:
        learnt = (weights / (noise + belief[:, None] + belief[None, :])).sum(axis=1)
        rate = float((belief * learnt).max())
        step = min(1 - place, max(_STEP / max(rate, _STEP), least_step))
        following = (belief + step * played * drift) / (1 + step * belief * learnt)
        middle = np.sqrt(belief * following)
        wear = middle[:, None] * _laplacian(weights / (noise + middle[:, None] + middle[None, :]))
        # Crank–Nicolson; where even the least step is long, implicit Euler, which does not swing.
        ahead = 0.5 if step * rate <= 1 else 1.0
        moved = middle * np.sqrt((noise + 2 * end) / (noise + 2 * middle))  # surprises are per c of the end
        behind = gain - (1 - ahead) * step * (wear @ gain)
        gain = np.linalg.solve(one + ahead * step * wear, behind + step * np.diag(moved))
        belief, place = following, place + step
    return gain


def _laplacian(weights: FloatArray) -> FloatArray:
    off = weights - np.diag(np.diag(weights))
    return np.asarray(np.diag(off.sum(axis=1)) - off)


def rating_covariance(response: Response, matches: MatchList, unit: IntArray, n_units: int) -> Covariance:
    r"""Covariance of averaged ratings over new units.

    .. math:: \Sigma = D\, G \Big(\sum_u (r_u - \bar r)(r_u - \bar r)^T\Big) G^T D

    with :math:`r_u` the surprises of unit u and D the factors :math:`\sqrt{k_i / (k_i - 1)}` for a system that plays in
    :math:`k_i` units. Where units differ in their matches, as judges do, the sum in brackets and the degrees of freedom
    are those of :mod:`betterthan.kernels.resampling.clustered`. Where the units of a system do not vary, and where
    there is only one unit, the variance that the ratings themselves predict takes the place.

    Parameters
    ----------
    response : Response
    matches : MatchList
    unit : array of int, shape (t,)
    n_units : int

    Examples
    --------
    Two systems, ten segments, three of them won by the second: standard errors in Elo points.

    >>> outcome = np.array([1.0] * 7 + [0.0] * 3)
    >>> matches = MatchList(np.zeros(10, dtype=np.int64), np.ones(10, dtype=np.int64), outcome)
    >>> response = elo_response(np.array([[1520.0, 1480.0]]), matches)
    >>> found = rating_covariance(response, matches, np.arange(10), 10)
    >>> np.sqrt(np.diag(found.covariance)).round(1), found.df
    (array([23.3, 23.3]), array([9., 9.]))
    """
    m = len(response.gain)
    left, right, outcome = matches[:3]
    win, tie = response.win, response.tie
    decided = np.where(outcome == 1, win[left, right], -win[right, left])
    surprise = np.where(outcome == 0.5, tie[left, right], decided)
    information = _laplacian(pair_sums(matches, None, m) * response.variance)
    if n_units < 2 or _is_even(matches, unit, n_units, m):
        scatter, n_playing = _scatter(left, right, surprise, unit, n_units, m)
        factor = np.sqrt(n_playing / np.maximum(n_playing - 1, 1))
        degrees = np.maximum(n_playing - 1, 1.0)
        pair_degrees = np.minimum(degrees[:, None], degrees[None, :])
    else:
        n_playing, factor = playing_units(matches, unit, m), np.ones(m)
        rows = _rows(response, matches, surprise, information)
        if n_units == unit.size:
            scatter = _scatter_of_matches(rows, left, right, m)
            degrees = np.maximum(n_playing - 1, 1.0)
            pair_degrees = np.minimum(degrees[:, None], degrees[None, :])
        else:
            scatter, degrees, pair_degrees = _scatter_of_clusters(rows, left, right, unit, information)
    covariance = response.gain @ scatter @ response.gain.T * factor[:, None] * factor[None, :]
    model = response.gain @ information @ response.gain.T
    still = (np.diag(covariance) <= _NOTHING * np.diag(model)) | (n_playing < 2)
    covariance = covariance + model * (still[:, None] & still[None, :])
    return Covariance(np.asarray((covariance + covariance.T) / 2), degrees, pair_degrees)


def _is_even(matches: MatchList, unit: IntArray, n_units: int, m: int) -> bool:
    """Whether all units hold the same matches, as segments do."""
    sizes, met = np.bincount(unit, minlength=n_units), pair_sums(matches, None, m)
    each = met[np.triu_indices(m, 1)]
    return bool((sizes == sizes[0]).all() and (each == each[0]).all() and sizes[0] % each.size == 0)


class _MatchRows(NamedTuple):
    """Matches as rows of a fit: inverse information (m, m), and information and residual of each match."""

    bread: FloatArray
    curvature: FloatArray
    residual: FloatArray


def _rows(
    response: Response, matches: MatchList, surprise: FloatArray, information: FloatArray
) -> _MatchRows:
    """Return the rows of a fit whose information is the variance of the surprises.

    The residuals are the surprises after one step of Newton to where they add up to 0: ratings of a short list have not
    come as far.
    """
    left, right = matches[:2]
    m, bread = len(information), np.linalg.pinv(information, hermitian=True)
    step = bread @ (np.bincount(left, surprise, m) - np.bincount(right, surprise, m))
    curvature = response.variance[left, right]
    return _MatchRows(
        np.asarray(bread, dtype=np.float64), curvature, surprise - curvature * (step[left] - step[right])
    )


def _scatter_of_matches(rows: _MatchRows, left: IntArray, right: IntArray, m: int) -> FloatArray:
    """Scatter of single matches; each pulled the fit toward itself by its leverage (HC2)."""
    variance = np.diag(rows.bread)
    leverage = rows.curvature * (variance[left] + variance[right] - 2 * rows.bread[left, right])
    square = rows.residual**2 / np.maximum(1 - leverage, _ALONE)
    return squares_of_designs(square, left, right, n_systems=m)


def _scatter_of_clusters(
    rows: _MatchRows, left: IntArray, right: IntArray, unit: IntArray, information: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Bias-reduced scatter of units, and the degrees of freedom of systems and of pairs.

    With I the information, and V the covariance of the fit by :mod:`betterthan.kernels.resampling.clustered`, the
    scatter is :math:`I V I`.
    """
    m = len(information)
    fit = clustered_rows(*rows, left, right, unit)
    degrees = np.maximum(np.nan_to_num(fit.degrees(np.eye(m) - 1 / m), nan=1.0), 1.0)
    pair_degrees = np.maximum(np.nan_to_num(fit.degrees_of_pairs(m), nan=1.0), 1.0)
    return np.asarray(information @ fit.covariance @ information), degrees, pair_degrees


def _scatter(
    left: IntArray, right: IntArray, surprise: FloatArray, unit: IntArray, n_units: int, m: int
) -> tuple[FloatArray, FloatArray]:
    """Scatter matrix of the units' summed surprises, and the number of units in which each system plays."""
    order = np.argsort(unit, kind="stable")
    ends = np.searchsorted(unit[order], np.arange(n_units + 1))
    products, total, n_playing = np.zeros((m, m)), np.zeros(m), np.zeros(m)
    at_once = max(1, _CELLS_AT_ONCE // m)
    for begin in range(0, n_units, at_once):
        end = min(begin + at_once, n_units)
        here = order[ends[begin] : ends[end]]
        row = (unit[here] - begin) * m
        cells = np.concatenate([row + left[here], row + right[here]])
        moves = np.concatenate([surprise[here], -surprise[here]])
        sums = np.bincount(cells, moves, minlength=(end - begin) * m).reshape(-1, m)
        products += sums.T @ sums
        total += sums.sum(axis=0)
        n_playing += (np.bincount(cells, minlength=(end - begin) * m).reshape(-1, m) > 0).sum(axis=0)
    return products - np.outer(total, total) / n_units, n_playing
