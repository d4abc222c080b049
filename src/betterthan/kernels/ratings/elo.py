"""Elo ratings: a logistic expectation, and a step toward what happened."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.kernels.ratings.loops import GREATEST, STEPS, elo_lockstep, elo_loop, power_of_two
from betterthan.kernels.ratings.match_play import PlayOrders, Rules, in_orders, in_shuffles, packed, play

WORTH_LOCKSTEP = 32


def elo(
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    *,
    n_systems: int,
    k: float = 20.0,
    start: float = 1500.0,
    scale: float = 400.0,
    order: IntArray | None = None,
) -> FloatArray:
    r"""Elo ratings after a list of matches, played in turn.

    .. math::

        R_i \leftarrow R_i + K \left(S_{ij} - \frac{Q_i}{Q_i + Q_j}\right), \qquad
        R_j \leftarrow R_j - K \left(S_{ij} - \frac{Q_i}{Q_i + Q_j}\right), \qquad Q = 10^{R / \text{scale}}

    where :math:`S_{ij}` is 1 when i wins, ½ for a tie and 0 when j wins. The sum of the ratings stays what it
    was. The last matches count most: ratings depend on the order, so average over shuffles
    (:func:`shuffled_elo`) unless time is what you study.

    Parameters
    ----------
    left, right : array of int, shape (t,)
        Systems, from 0 to n_systems − 1.
    outcome : array, shape (t,)
        1 when left wins, 0.5 for a tie, 0 when right wins.
    n_systems : int
        m; systems without a match keep `start`.
    k : float, default 20
        The largest step of a match.
    start : float, default 1500
        Rating of a system before its first match.
    scale : float, default 400
        A lead of so much is odds of ten to one.
    order : array of int, shape (t',) or (S, t'), optional
        Indices of matches in the order of play; several rows are several independent orders. As listed by
        default.

    Returns
    -------
    array, shape (m,), or (S, m) for `order` with S rows

    Notes
    -----
    Eq. 5 of [2]_ has a typo in an index and leaves the coding of the outcome open; this is the usual update
    of [1]_ with the logistic curve. About 8 ns a match with numba (the extra ``fast``), a microsecond without;
    the numbers are the same to the last bit.

    References
    ----------
    .. [1] Elo (1978), The rating of chessplayers, past and present, Arco.
    .. [2] Peyrard, Zhao, Eger, West (2021), Better than Average: Paired Evaluation of NLP Systems, ACL.
       Appendix G.1, eq. 5, K = 20.

    Examples
    --------
    A beats B, then B and C tie.

    >>> left, right, outcome = np.array([0, 1]), np.array([1, 2]), np.array([1.0, 0.5])
    >>> elo(left, right, outcome, n_systems=3).round(2)
    array([1510.  , 1490.29, 1499.71])
    """
    codes = packed(left, right, outcome, n_systems=n_systems)
    rules = _rules(k, start, scale)
    return _played(rules, in_orders(codes, order), start, n_systems)


def shuffled_elo(
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    *,
    n_systems: int,
    n_shuffles: int,
    rng: np.random.Generator,
    k: float = 20.0,
    start: float = 1500.0,
    scale: float = 400.0,
) -> FloatArray:
    """Elo ratings after each of many random orders of the same matches.

    The same as :func:`elo` with orders drawn by ``rng.permutation``, without holding all of them at once. The mean
    over shuffles does not depend on how the matches were listed; the spread shows how much a single order does.

    Parameters
    ----------
    left, right, outcome, n_systems, k, start, scale
        As in :func:`elo`.
    n_shuffles : int
        S, 1 or more.
    rng : numpy.random.Generator

    Returns
    -------
    array, shape (S, m)

    Examples
    --------
    >>> left, right, outcome = np.array([0, 1]), np.array([1, 2]), np.array([1.0, 0.5])
    >>> rng = np.random.default_rng(2)
    >>> shuffled_elo(left, right, outcome, n_systems=3, n_shuffles=2, rng=rng).round(2)
    array([[1510.  , 1490.29, 1499.71],
           [1510.  , 1490.  , 1500.  ]])
    """
    codes = packed(left, right, outcome, n_systems=n_systems)
    rules = _rules(k, start, scale)
    return _played(rules, in_shuffles(codes, n_shuffles, rng), start, n_systems)


def _played(rules: Rules, orders: PlayOrders, start: float, n_systems: int) -> FloatArray:
    ratings = orders.initial(start, n_systems)
    play(rules, orders, ratings)
    return ratings


def _rules(k: float, start: float, scale: float) -> Rules:
    if not (math.isfinite(k) and k > 0 and math.isfinite(scale) and scale > 0 and math.isfinite(start)):
        raise BetterThanError(
            f"k and scale must be positive and start finite; they are {k}, {scale} and {start}."
        )
    factor = STEPS * math.log2(10) / scale
    return Rules(
        elo_loop, (power_of_two,), elo_lockstep, WORTH_LOCKSTEP, (float(k), factor), (powers_table(),)
    )


@cache
def powers_table() -> FloatArray:
    """2^(i/64) for i from −4096 to 4096, from which all other powers are made.

    Examples
    --------
    >>> powers_table()[4096 + 64]
    np.float64(2.0)
    """
    return np.array([2.0 ** (i / STEPS) for i in range(-GREATEST, GREATEST + 1)])
