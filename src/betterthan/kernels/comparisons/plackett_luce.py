"""Plackett–Luce strengths from rankings of several systems, with ties and partial rankings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import NotConverged
from betterthan.kernels.comparisons.bradley_terry import damping

_BLOCK_NUMBERS = 2**22


class Stages(NamedTuple):
    """Choices of the best from those that are left, the stages of rankings.

    Attributes
    ----------
    available : array of bool, shape (b, m)
        The systems to choose from.
    chosen : array of bool, shape (b, m)
        Those that were chosen: one, or several that are tied.
    """

    available: BoolArray
    chosen: BoolArray


class PlackettLuceFit(NamedTuple):
    """Strengths of the Plackett–Luce model.

    Attributes
    ----------
    log_strength : array, shape (m,)
        With sum 0.
    orders : tuple of int
        The sizes of ties that occur, from 2.
    log_prevalence : array, shape (d,)
        log δ of each size.
    inverse : array, shape (m + d, m + d)
        Inverse information of log strengths and log prevalences.
    score : array, shape (b, m + d)
        Of each stage, at the fit.
    information : array, shape (b, m + d)
        Diagonal of the information of each stage.
    log_likelihood : float
    """

    log_strength: FloatArray
    orders: tuple[int, ...]
    log_prevalence: FloatArray
    inverse: FloatArray
    score: FloatArray
    information: FloatArray
    log_likelihood: float


def plackett_luce(
    stages: Stages, weight: FloatArray, *, tolerance: float = 1e-10, max_iterations: int = 200
) -> PlackettLuceFit:
    r"""Maximum-likelihood log strengths of the Plackett–Luce model, with ties of any size [1]_.

    A ranking is a sequence of choices. From the available systems A, the set C is chosen with probability

    .. math:: P(C \mid A) = \frac{f(C)}{\sum_{S \subseteq A,\ |S| \le D} f(S)}, \qquad
              f(S) = \delta_{|S|} \Big(\prod_{i \in S} \lambda_i\Big)^{1 / |S|}, \qquad \delta_1 = 1,

    where D is the largest tie that occurs. Without ties it is :math:`\lambda_i / \sum_{j \in A} \lambda_j` [2]_, and
    of two systems the model is Bradley–Terry, or Davidson's with ties.

    Parameters
    ----------
    stages : Stages
    weight : array, shape (b,)
        How often each stage occurred.
    tolerance : float, default 1e-10
        Stop when no parameter changes by more.
    max_iterations : int, default 200

    Returns
    -------
    PlackettLuceFit

    Raises
    ------
    NotConverged
        Also when strengths do not exist.

    Notes
    -----
    The sum over sets of size k is an elementary symmetric polynomial of :math:`\lambda^{1/k}`, so it takes m k
    operations. Newton's method.

    References
    ----------
    .. [1] Turner, van Etten, Firth and Kosmidis (2020), on the PlackettLuce package of R, Computational Statistics 35.
    .. [2] Luce (1959), Individual choice behavior; Plackett (1975), The analysis of permutations, Applied
       Statistics 24.

    Examples
    --------
    Three systems, of which the first was chosen twice and the others once each:

    >>> every = np.ones((3, 3), dtype=bool)
    >>> fit = plackett_luce(Stages(every, np.eye(3, dtype=bool)), np.array([2.0, 1.0, 1.0]))
    >>> (np.exp(fit.log_strength) / np.exp(fit.log_strength).sum()).round(3)
    array([0.5 , 0.25, 0.25])
    """
    size = stages.chosen.sum(axis=1)
    orders = tuple(int(k) for k in np.unique(size[weight > 0]) if k > 1)
    m, d = stages.available.shape[1], len(orders)
    target = _statistics(stages, size, orders)
    sets, of_set = np.unique(stages.available, axis=0, return_inverse=True)
    of_set = of_set.reshape(-1)
    times = np.bincount(of_set, weight, len(sets)).astype(np.float64)
    total = weight @ target
    start = np.log(np.bincount(np.searchsorted([1, *orders], size), weight, 1 + d)[1:] / weight.sum() + 1e-9)
    found = np.concatenate([np.zeros(m), start])
    likelihood = -np.inf
    for _ in range(max_iterations):
        mean, information, log_sum = _moments(sets, times, found, orders)
        now = float(total @ found - times @ log_sum)
        gradient = total - times @ mean
        information[:m, :m] += np.trace(information) / m**2
        step = np.linalg.solve(information, gradient)
        if not np.isfinite(step).all() or np.abs(found).max() > 300:
            break
        change = float(np.abs(step).max())
        found = found + damping(2 * change) * step
        if change < tolerance or (change < 1e-6 and now <= likelihood):
            return _result(found, sets, times, of_set, target, orders, now)
        likelihood = now
    raise NotConverged(
        "The Plackett–Luce fit did not converge; finite strengths may not exist. Leave out systems with few rankings.",
        iterations=max_iterations,
        last_change=float("nan"),
    )


def _result(
    found: FloatArray,
    sets: BoolArray,
    times: FloatArray,
    of_set: IntArray,
    target: FloatArray,
    orders: tuple[int, ...],
    log_likelihood: float,
) -> PlackettLuceFit:
    m = sets.shape[1]
    mean, information, _ = _moments(sets, times, found, orders)
    diagonal = _diagonal(sets, found, orders) - mean**2
    level = np.trace(information) / m**2
    information[:m, :m] += level
    inverse = np.linalg.inv(information)
    inverse[:m, :m] -= 1 / (level * m**2)
    theta = found[:m] - found[:m].mean()
    return PlackettLuceFit(
        log_strength=theta,
        orders=orders,
        log_prevalence=found[m:],
        inverse=np.asarray(inverse, dtype=np.float64),
        score=target - mean[of_set],
        information=np.maximum(diagonal[of_set], 0.0),
        log_likelihood=log_likelihood,
    )


def _statistics(stages: Stages, size: IntArray, orders: tuple[int, ...]) -> FloatArray:
    """Sufficient statistics of each stage: 1 / |C| of the chosen systems, and which size of tie it is."""
    shares = stages.chosen / size[:, None]
    return np.column_stack([shares, *(size == k for k in orders)]).astype(np.float64)


def _powers(sets: BoolArray, theta: FloatArray, order: int) -> FloatArray:
    """λ^(1/k) of the available systems, the largest of a set being 1; others 0."""
    inside = np.where(sets, theta, -np.inf)
    return np.asarray(np.exp((inside - inside.max(axis=1, keepdims=True)) / order))


def _symmetric(powers: FloatArray, order: int) -> FloatArray:
    """Elementary symmetric polynomials of degree 0 to k, shape (k + 1, b)."""
    sums = np.zeros((order + 1, len(powers)))
    sums[0] = 1.0
    for column in powers.T:
        sums[1:] = sums[1:] + column * sums[:-1]
    return sums


def _without(sums: FloatArray, powers: FloatArray) -> FloatArray:
    """The polynomials of all but one variable, for each variable: (k + 1, b, m) from (k + 1, b)."""
    left = np.empty((len(sums), *powers.shape))
    left[0] = 1.0
    for k in range(1, len(sums)):
        left[k] = sums[k][:, None] - powers * left[k - 1]
    return np.maximum(left, 0.0)


def _moments(
    sets: BoolArray, times: FloatArray, found: FloatArray, orders: tuple[int, ...]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean of the statistics in each set (b, m + d), their total covariance, and the log of the sum over subsets."""
    m, d = sets.shape[1], len(orders)
    information = np.zeros((m + d, m + d))
    mean, log_sum = np.empty((len(sets), m + d)), np.empty(len(sets))
    step = max(1, _BLOCK_NUMBERS // (m * m * (1 if not orders else max(orders))))
    for at in range(0, len(sets), step):
        part = slice(at, at + step)
        mean[part], second, log_sum[part] = _of_sets(sets[part], found, orders, times[part])
        information += second
    information -= np.einsum("b,bi,bj->ij", times, mean, mean, optimize=True)
    return mean, information, log_sum


def _of_sets(
    sets: BoolArray, found: FloatArray, orders: tuple[int, ...], times: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    m, d = sets.shape[1], len(orders)
    theta, sums, firsts, pieces = found[:m], [], [], []
    for k, prevalence in zip((1, *orders), (0.0, *found[m:].tolist()), strict=True):
        powers = _powers(sets, theta, k)
        symmetric = _symmetric(powers, k)
        factor = np.exp(prevalence)
        rest = _without(symmetric[:k], powers)
        sums.append(factor * symmetric[k])
        firsts.append(factor / k * powers * rest[k - 1])
        pieces.append((k, factor, powers, rest))
    total = np.sum(sums, axis=0)
    chance = [first / total[:, None] for first in firsts]
    sizes = [one / total for one in sums[1:]]
    mean = np.column_stack([np.sum(chance, axis=0), *sizes])
    second = np.zeros((m + d, m + d))
    diagonal = np.arange(m)
    second[diagonal, diagonal] = sum(times @ (one / k) for k, one in zip((1, *orders), chance, strict=True))
    for k, factor, powers, rest in pieces:
        if k > 1:
            second[:m, :m] += _of_pairs(k, factor, powers, rest, times / total)
    for i, size in enumerate(sizes):
        second[:m, m + i] = second[m + i, :m] = times @ chance[i + 1]
        second[m + i, m + i] = times @ size
    inside = np.where(sets, theta, -np.inf)
    return mean, second, np.log(total) + inside.max(axis=1)


def _of_pairs(
    order: int, factor: float, powers: FloatArray, rest: FloatArray, weight: FloatArray
) -> FloatArray:
    """Sum over sets of weight · E[T_i T_j · total] for i ≠ j that are chosen together."""
    left = np.ones((len(powers), powers.shape[1], powers.shape[1]))
    for k in range(1, order - 1):
        left = np.maximum(rest[k][:, :, None] - powers[:, None, :] * left, 0.0)
    both = powers[:, :, None] * powers[:, None, :] * left
    found = factor / order**2 * np.einsum("b,bij->ij", weight, both)
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


def _diagonal(sets: BoolArray, found: FloatArray, orders: tuple[int, ...]) -> FloatArray:
    """E[T_i²] of each set, and the chances of the sizes of ties."""
    m = sets.shape[1]
    sums, squares = [], []
    for k, prevalence in zip((1, *orders), (0.0, *found[m:].tolist()), strict=True):
        powers = _powers(sets, found[:m], k)
        symmetric = _symmetric(powers, k)
        rest = _without(symmetric[:k], powers)
        sums.append(np.exp(prevalence) * symmetric[k])
        squares.append(np.exp(prevalence) / k**2 * powers * rest[k - 1])
    total = np.sum(sums, axis=0)
    return np.column_stack([np.sum(squares, axis=0) / total[:, None], *(one / total for one in sums[1:])])
