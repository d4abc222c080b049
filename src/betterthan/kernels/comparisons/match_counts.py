"""Matches as counts: from rows to tables of wins and ties, and bootstrap draws of those counts.

Sums over matches of their design vectors z = (e_left − e_right, covariates) and of the squares z zᵀ.
"""

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


_BLOCK_NUMBERS = 2**22
_MANY_CLUSTERS = 10_000
_SPARSE = 4  # a multiplication of sparse numbers takes several times as long as one of a full table


def laplacian(weights: FloatArray) -> FloatArray:
    """Σ over pairs of weight · z zᵀ, from a symmetric table of weights (m, m).

    Examples
    --------
    >>> laplacian(np.array([[0.0, 2.0], [2.0, 0.0]]))
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    squares: FloatArray = np.diag(weights.sum(axis=1)) - weights
    return squares


def squares_of_designs(
    value: FloatArray,
    left: IntArray,
    right: IntArray,
    covariates: FloatArray | None = None,
    *,
    n_systems: int,
) -> FloatArray:
    r"""Add up value · z zᵀ over rows, with z = (e_left − e_right, covariates).

    Parameters
    ----------
    value : array, shape (t,)
    left, right : array of int, shape (t,)
    covariates : array, shape (t, k), optional
    n_systems : int
        m.

    Returns
    -------
    array, shape (m + k, m + k)

    Examples
    --------
    >>> squares_of_designs(np.array([2.0]), np.array([0]), np.array([1]), n_systems=2)
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    pair = np.multiply(left, n_systems, dtype=np.int64) + right
    pairs: FloatArray = np.bincount(pair, value, minlength=n_systems**2).astype(np.float64)
    square = pairs.reshape(n_systems, n_systems)
    systems = laplacian(square + square.T)
    if covariates is None:
        return systems
    weighted = value[:, None] * covariates
    crossed = signed_sums(weighted, left, right, n_systems=n_systems)
    return np.block([[systems, crossed], [crossed.T, weighted.T @ covariates]])


def squares_of_clusters(
    value: FloatArray,
    left: IntArray,
    right: IntArray,
    cluster: IntArray,
    covariates: FloatArray | None = None,
    *,
    n_systems: int,
) -> FloatArray:
    """Add up s sᵀ over clusters, with s the sum of value · z over the rows of a cluster.

    Parameters
    ----------
    value : array, shape (t,)
    left, right, cluster : array of int, shape (t,)
    covariates : array, shape (t, k), optional
    n_systems : int
        m.

    Returns
    -------
    array, shape (m + k, m + k)

    Notes
    -----
    g (m + k)² operations for g clusters, in blocks of clusters; many small clusters (sessions of a few matches) cost
    the square of their size each instead.

    Examples
    --------
    >>> rows = np.array([0, 0]), np.array([1, 1]), np.array([7, 7])
    >>> squares_of_clusters(np.array([2.0, -1.0]), *rows, n_systems=2)
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    extra = np.zeros((len(left), 0)) if covariates is None else covariates
    order = np.argsort(cluster, kind="stable")
    numbered = np.unique(cluster[order], return_inverse=True)[1].reshape(-1)
    n_clusters, width = int(numbered[-1]) + 1 if len(left) else 0, n_systems + extra.shape[1]
    if n_clusters > _MANY_CLUSTERS and len(left) * _SPARSE < n_clusters * width:
        return _sparse_squares(value[order], left[order], right[order], extra[order], numbered, n_systems)
    squares, step = np.zeros((width, width)), max(1, _BLOCK_NUMBERS // width)
    for start in range(0, n_clusters, step):
        begin, end = np.searchsorted(numbered, [start, start + step])
        rows, place = order[begin:end], numbered[begin:end] - start
        sums = _cluster_sums(value[rows], left[rows], right[rows], extra[rows], place, n_systems)
        squares += sums.T @ sums
    return squares


def _sparse_squares(
    value: FloatArray, left: IntArray, right: IntArray, extra: FloatArray, number: IntArray, n_systems: int
) -> FloatArray:
    """Add up s sᵀ over clusters numbered by `number`, most entries of each s being 0."""
    from scipy.sparse import csr_array  # noqa: PLC0415  (takes a while to load, and is seldom needed)

    n_extra = extra.shape[1]
    columns = [left, right, *(np.full(left.size, n_systems + i) for i in range(n_extra))]
    numbers = [value, -value, *(value * column for column in extra.T)]
    entries = np.concatenate(numbers), (np.tile(number, 2 + n_extra), np.concatenate(columns))
    sums = csr_array(entries, shape=(int(number[-1]) + 1, n_systems + n_extra))
    return np.asarray((sums.T @ sums).toarray(), dtype=np.float64)


def signed_sums(values: FloatArray, left: IntArray, right: IntArray, *, n_systems: int) -> FloatArray:
    """Sums of values (t, k) over the rows in which a system is left minus those in which it is right: (m, k).

    Examples
    --------
    >>> signed_sums(np.array([[2.0], [3.0]]), np.array([0, 1]), np.array([1, 0]), n_systems=2)
    array([[-1.],
           [ 1.]])
    """
    sums = np.empty((n_systems, values.shape[1]))
    for column, value in enumerate(values.T):
        sums[:, column] = np.bincount(left, value, n_systems) - np.bincount(right, value, n_systems)
    return sums


def _cluster_sums(
    value: FloatArray, left: IntArray, right: IntArray, extra: FloatArray, place: IntArray, n_systems: int
) -> FloatArray:
    n_clusters = int(place[-1]) + 1
    size = n_clusters * n_systems
    systems = np.bincount(place * n_systems + left, value, size)
    systems -= np.bincount(place * n_systems + right, value, size)
    covariates = [np.bincount(place, value * column, n_clusters) for column in extra.T]
    return np.column_stack([systems.reshape(n_clusters, n_systems), *covariates])
