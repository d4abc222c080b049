"""TrueSkill for matches of two systems: a normal belief about each, updated by every match."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.kernels.ratings.elo import powers_table
from betterthan.kernels.ratings.loops import (
    BEND,
    CELLS,
    COEFFICIENTS,
    draw_update,
    excess,
    power_of_two,
    trueskill_lockstep,
    trueskill_loop,
    win_update,
)
from betterthan.kernels.ratings.match_play import (
    PlayOrders,
    Rules,
    has_ties,
    in_orders,
    in_shuffles,
    packed,
    play,
)

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
TAU = SIGMA / 100
DRAW_PROBABILITY = 0.10
WORTH_LOCKSTEP = 128


class TrueSkillRatings(NamedTuple):
    """Beliefs about the systems.

    Attributes
    ----------
    mu, sigma : array, shape (m,) or (S, m)
        Mean and standard deviation of the belief about each system.
    """

    mu: FloatArray
    sigma: FloatArray


def trueskill(
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    *,
    n_systems: int,
    mu: float = MU,
    sigma: float = SIGMA,
    beta: float = BETA,
    tau: float = TAU,
    draw_probability: float = DRAW_PROBABILITY,
    order: IntArray | None = None,
) -> TrueSkillRatings:
    r"""TrueSkill ratings after a list of matches, played in turn.

    Each belief is first widened, :math:`\sigma^2 \leftarrow \sigma^2 + \tau^2`; then, when i beats j, with
    :math:`c^2 = 2\beta^2 + \sigma_i^2 + \sigma_j^2` and :math:`\varepsilon` the draw margin,

    .. math::

        \mu_i \leftarrow \mu_i + \frac{\sigma_i^2}{c} v, \qquad \mu_j \leftarrow \mu_j - \frac{\sigma_j^2}{c} v,
        \qquad \sigma_\cdot^2 \leftarrow \sigma_\cdot^2 \left(1 - \frac{\sigma_\cdot^2}{c^2} w\right)

        v = \frac{\varphi(x)}{\Phi(x)}, \qquad w = v (v + x), \qquad x = \frac{\mu_i - \mu_j - \varepsilon}{c}

    and for a tie v and w are those of a difference confined to :math:`(-\varepsilon, \varepsilon)`. The margin
    makes `draw_probability` the chance of a tie between equal systems:
    :math:`\varepsilon = \sqrt{2}\,\beta\,\Phi^{-1}((1 + p) / 2)`.

    Parameters
    ----------
    left, right : array of int, shape (t,)
        Systems, from 0 to n_systems − 1.
    outcome : array, shape (t,)
        1 when left wins, 0.5 for a tie, 0 when right wins.
    n_systems : int
        m; systems without a match keep `mu` and `sigma`.
    mu, sigma : float, default 25 and 25/3
        Belief about a system before its first match.
    beta : float, default 25/6
        Standard deviation of what a system shows in one match.
    tau : float, default 25/300
        How much a system may change between two of its matches; with 0 beliefs only get sharper.
    draw_probability : float, default 0.10
        Chance of a tie between equal systems, from 0 (then no match may be a tie) to below 1.
    order : array of int, shape (t',) or (S, t'), optional
        Indices of matches in the order of play; several rows are several independent orders. As listed by
        default.

    Returns
    -------
    TrueSkillRatings
        mu and sigma, shape (m,), or (S, m) for `order` with S rows.

    Raises
    ------
    BetterThanError
        When a match is a tie and `draw_probability` is 0.

    Notes
    -----
    The defaults are those of the Python package ``trueskill``, which gives the same numbers. Upsets of any size
    are computed without loss: v and w come from the inverse Mills ratio, never from a quotient of two vanishing
    tails. About 50 ns a match with numba (the extra ``fast``), 2 microseconds without; the numbers are the same
    to the last bit.

    References
    ----------
    .. [1] Herbrich, Minka, Graepel (2007), TrueSkill: a Bayesian skill rating system, NIPS 19.
    .. [2] Peyrard, Zhao, Eger, West (2021), Better than Average: Paired Evaluation of NLP Systems, ACL.
       Appendix G.2.

    Examples
    --------
    A beats B, then B and C tie.

    >>> left, right, outcome = np.array([0, 1]), np.array([1, 2]), np.array([1.0, 0.5])
    >>> ratings = trueskill(left, right, outcome, n_systems=3)
    >>> ratings.mu.round(2)
    array([29.4 , 22.06, 23.04])
    >>> ratings.sigma.round(2)
    array([7.17, 5.87, 6.2 ])
    """
    codes = packed(left, right, outcome, n_systems=n_systems)
    rules = _rules(codes, (mu, sigma, beta, tau, draw_probability))
    return _played(rules, in_orders(codes, order), mu, sigma, n_systems)


def shuffled_trueskill(
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    *,
    n_systems: int,
    n_shuffles: int,
    rng: np.random.Generator,
    mu: float = MU,
    sigma: float = SIGMA,
    beta: float = BETA,
    tau: float = TAU,
    draw_probability: float = DRAW_PROBABILITY,
) -> TrueSkillRatings:
    """TrueSkill ratings after each of many random orders of the same matches.

    The same as :func:`trueskill` with orders drawn by ``rng.permutation``, without holding all of them at once.

    Parameters
    ----------
    left, right, outcome, n_systems, mu, sigma, beta, tau, draw_probability
        As in :func:`trueskill`.
    n_shuffles : int
        S, 1 or more.
    rng : numpy.random.Generator

    Returns
    -------
    TrueSkillRatings
        mu and sigma, shape (S, m).

    Examples
    --------
    >>> left, right, outcome = np.array([0, 1]), np.array([1, 2]), np.array([1.0, 0.5])
    >>> rng = np.random.default_rng(2)
    >>> shuffled_trueskill(left, right, outcome, n_systems=3, n_shuffles=2, rng=rng).mu.round(2)
    array([[29.4 , 22.06, 23.04],
           [29.81, 22.11, 25.  ]])
    """
    codes = packed(left, right, outcome, n_systems=n_systems)
    rules = _rules(codes, (mu, sigma, beta, tau, draw_probability))
    return _played(rules, in_shuffles(codes, n_shuffles, rng), mu, sigma, n_systems)


def _played(rules: Rules, orders: PlayOrders, mu: float, sigma: float, n_systems: int) -> TrueSkillRatings:
    means, variances = orders.initial(mu, n_systems), orders.initial(sigma * sigma, n_systems)
    play(rules, orders, means, variances)
    return TrueSkillRatings(means, np.sqrt(variances))


def draw_margin(draw_probability: float, beta: float) -> float:
    """The difference below which a match is a tie, if equal systems tie with `draw_probability`.

    Examples
    --------
    >>> round(draw_margin(0.10, 25 / 6), 6)
    0.740467
    """
    from scipy.special import ndtri  # noqa: PLC0415  (keeps Elo free of SciPy's loading time)

    return float(ndtri((1 + draw_probability) / 2)) * math.sqrt(2) * beta


def _rules(codes: IntArray, settings: tuple[float, float, float, float, float]) -> Rules:
    mu, sigma, beta, tau, draw_probability = settings
    if not all(map(math.isfinite, settings)) or sigma <= 0 or beta <= 0 or tau < 0:
        raise BetterThanError(
            f"sigma and beta must be positive, tau 0 or more, and all of them and mu finite; mu is {mu}, sigma "
            f"{sigma}, beta {beta}, tau {tau}."
        )
    if not 0 <= draw_probability < 1:
        raise BetterThanError(f"draw_probability is {draw_probability}; it must be at least 0 and below 1.")
    if draw_probability == 0 and has_ties(codes):
        raise BetterThanError(
            "Some matches are ties, but draw_probability is 0, which makes ties impossible. Set it to the share of "
            "ties you expect between equal systems, such as 0.1, or leave the ties out."
        )
    helpers = (power_of_two, excess, win_update, draw_update)
    constants = (2 * beta * beta, float(tau) * tau, draw_margin(draw_probability, beta))
    tables = (powers_table(), tails_table())
    return Rules(trueskill_loop, helpers, trueskill_lockstep, WORTH_LOCKSTEP, constants, tables)


@cache
def tails_table() -> FloatArray:
    r"""Polynomials for the excess of the inverse Mills ratio, :math:`u(z) = \varphi(z) / \Phi(-z) - z`.

    In :math:`y = 4 / (4 + z)`, which maps 0 … ∞ to 1 … 0, the quotient u / y is smooth and never near zero. Each
    128th of y has the polynomial of degree 6 through the Chebyshev nodes of its cell; the relative error is
    below 3 · 10⁻¹⁵.

    Returns
    -------
    array, shape (129 · 7,)
        Cell by cell, coefficients of rising powers of (place in the cell − ½).

    Examples
    --------
    >>> tails_table().shape
    (903,)
    """
    nodes = np.cos(np.pi * (np.arange(COEFFICIENTS) + 0.5) / COEFFICIENTS)
    y = (np.arange(CELLS + 1)[:, None] + 0.5 + nodes / 2) / CELLS
    values = _excess_directly(BEND * (1 - y) / y) / y
    coefficients = np.linalg.solve(np.vander(nodes, increasing=True), values.T).T
    return np.ascontiguousarray(coefficients * 2.0 ** np.arange(COEFFICIENTS)).reshape(-1)


def _excess_directly(z: FloatArray) -> FloatArray:
    """u(z), slowly: Laplace's continued fraction 1/(z + 2/(z + 3/(z + …))), or erfcx below 1."""
    from scipy.special import erfcx  # noqa: PLC0415

    far = np.maximum(z, 1.0)
    tail = far
    for n in range(400, 1, -1):
        tail = far + n / tail
    near = np.minimum(z, 1.0)
    return np.where(z >= 1.0, 1.0 / tail, math.sqrt(2 / math.pi) / erfcx(near / math.sqrt(2)) - near)
