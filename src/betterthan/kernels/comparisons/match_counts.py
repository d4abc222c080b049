"""Matches as counts: from rows to tables of wins and ties, and bootstrap draws of those counts."""

from __future__ import annotations

from typing import Literal

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.comparisons.wins import WinCounts

_BLOCK_ROWS = 2**20


def match_counts(
    left: IntArray,
    right: IntArray,
    outcome: FloatArray,
    weight: FloatArray | None = None,
    *,
    n_systems: int,
) -> WinCounts:
    """Count wins and ties of matches.

    Parameters
    ----------
    left, right : array of int, shape (t,)
        Systems, from 0 to m − 1.
    outcome : array, shape (t,)
        1 when left wins, ½ for a tie, 0 when right wins.
    weight : array, shape (t,), optional
        How often each row occurred; 1 by default.
    n_systems : int
        m.

    Returns
    -------
    WinCounts
        Two arrays of shape (m, m).

    Notes
    -----
    One pass over the rows in blocks; ten million take about a quarter of a second.

    Examples
    --------
    >>> counts = match_counts(np.array([0, 0, 1]), np.array([1, 1, 0]), np.array([1, 0.5, 0]), n_systems=2)
    >>> counts.wins
    array([[0., 2.],
           [0., 0.]])
    >>> counts.ties
    array([[0., 1.],
           [1., 0.]])
    """
    n_cells = 3 * n_systems * n_systems
    cells = np.zeros(n_cells)
    step = max(_BLOCK_ROWS, n_cells)
    for start in range(0, len(left), step):
        rows = slice(start, start + step)
        # A cell is a pair and twice the outcome: 0 lost, 1 tied, 2 won.
        code = (2 * outcome[rows]).astype(np.int64)
        code += 3 * (np.multiply(left[rows], n_systems, dtype=np.int64) + right[rows])
        cells += np.bincount(code, None if weight is None else weight[rows], minlength=n_cells)
    lost, tied, won = cells.reshape(n_systems, n_systems, 3).transpose(2, 0, 1)
    return WinCounts(won + lost.T, tied + tied.T)


def resampled_cells(
    weight: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    draw: Literal["multinomial", "poisson"] = "multinomial",
) -> FloatArray:
    """Draw bootstrap counts of aggregated matches.

    Parameters
    ----------
    weight : array, shape (k,)
        How often each cell, a kind of match, occurred; whole numbers.
    n_resamples : int
    rng : numpy.random.Generator
    draw : {"multinomial", "poisson"}, default "multinomial"
        * "multinomial": what drawing as many matches with replacement gives, exactly.
        * "poisson": every cell by itself; the number of matches varies by its square root. Good when the rows
          of several machines are drawn apart.

    Returns
    -------
    array, shape (n_resamples, k)

    Examples
    --------
    >>> resampled_cells(np.array([5.0, 0, 3]), 4, np.random.default_rng(0)).sum(axis=1)
    array([8., 8., 8., 8.])
    """
    weight = np.asarray(weight, dtype=np.float64)
    if not (np.isfinite(weight).all() and bool((weight == np.floor(weight)).all()) and (weight >= 0).all()):
        raise BetterThanError(
            "Counts to be resampled must be whole numbers, 0 or more. Resample the rows if matches have weights."
        )
    if draw == "poisson":
        return rng.poisson(weight, size=(n_resamples, weight.size)).astype(np.float64)
    if draw != "multinomial":
        raise unknown_name("draw", draw, ("multinomial", "poisson"))
    total = weight.sum()
    if not total:
        return np.zeros((n_resamples, weight.size))
    return rng.multinomial(int(total), weight / total, size=n_resamples).astype(np.float64)


def resampled_match_counts(
    wins: FloatArray,
    ties: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    draw: Literal["multinomial", "poisson"] = "multinomial",
) -> WinCounts:
    """Tables of wins and ties in many bootstrap samples of the matches.

    The tables are all that is needed: a resample of ten million matches is a draw of one number a cell.

    Parameters
    ----------
    wins, ties : array, shape (m, m)
        Whole numbers; see :func:`match_counts`.
    n_resamples, rng, draw
        As in :func:`resampled_cells`.

    Returns
    -------
    WinCounts
        Two arrays of shape (n_resamples, m, m).

    Examples
    --------
    >>> wins, ties = np.array([[0.0, 3], [2, 0]]), np.array([[0.0, 4], [4, 0]])
    >>> drawn = resampled_match_counts(wins, ties, 2, np.random.default_rng(0))
    >>> drawn.wins.sum(axis=(1, 2)) + drawn.ties[:, 0, 1]
    array([9., 9.])
    """
    won, tied = np.nonzero(wins), np.nonzero(np.triu(ties, 1))
    drawn = resampled_cells(np.concatenate([wins[won], ties[tied]]), n_resamples, rng, draw=draw)
    many_wins, many_ties = np.zeros((2, n_resamples, *wins.shape))
    many_wins[:, won[0], won[1]] = drawn[:, : won[0].size]
    many_ties[:, tied[0], tied[1]] = many_ties[:, tied[1], tied[0]] = drawn[:, won[0].size :]
    return WinCounts(many_wins, many_ties)
