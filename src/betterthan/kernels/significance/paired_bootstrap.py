"""The paired bootstrap test of all pairs, studentized."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.sign_flips.exact import TIE_TOLERANCE, Alternative
from betterthan.kernels.significance.pvalues import successive_maxima

StudentizedPairs: TypeAlias = list[tuple[FloatArray, FloatArray]]


def bootstrap_t_tallies(
    weights: FloatArray,
    sums: FloatArray,
    sizes: FloatArray,
    *,
    alternative: Alternative = "two-sided",
    pairs: StudentizedPairs | None = None,
) -> IntArray:
    r"""Count the bootstrap samples whose difference of means is as extreme as the observed one, in standard errors.

    With :math:`D_u` the difference summed over unit u of :math:`S_u` segments, and :math:`w` how often u was drawn,

    .. math:: \bar d^* = \frac{\sum w_u D_u}{\sum w_u S_u}, \qquad
              t^* = \frac{(\bar d^* - \bar d) \sum w_u S_u}{\sqrt{\sum w_u (D_u - \bar d^* S_u)^2}},

    and :math:`t^*` is compared with :math:`t`, the same with all weights 1 and :math:`\bar d` for the numerator's
    difference. Dividing by the sample's own standard error is what keeps the level with few units [1]_: the shifted
    mean alone calls equal systems different too often, as samples vary less than the population.

    Parameters
    ----------
    weights : array, shape (b, u)
    sums : array, shape (m, u)
        Scores summed over each unit.
    sizes : array, shape (u,)
        Segments of each unit.
    alternative : {"two-sided", "greater", "less"}
    pairs : list, optional
        From :func:`studentized_pairs`, where they are needed twice.

    Returns
    -------
    array of int, shape (m, m)
        Entry [a, b] for the claim about a against b; b on the diagonal.

    Notes
    -----
    A sample without spread has an infinite t, which counts as extreme unless its mean is the observed one.
    Cost: two products of (b, u) with (u, m) for each system.

    References
    ----------
    .. [1] Efron and Tibshirani (1993), An introduction to the bootstrap, sections 12.5 and 16.4.

    Examples
    --------
    >>> scores = np.array([[3.0, 4.0, 5.0, 4.0], [1.0, 4.0, 2.0, 3.0]])
    >>> bootstrap_t_tallies(np.array([[1.0, 1, 1, 1], [2, 0, 2, 0]]), scores, np.ones(4))
    array([[2, 1],
           [1, 2]])
    """
    m = len(sums)
    tallies = np.zeros((m, m), dtype=np.int64)
    np.fill_diagonal(tallies, len(weights))
    for a, (shifted, observed) in enumerate(_studentised(weights, sums, sizes) if pairs is None else pairs):
        forward, backward = _beyond(shifted, observed, alternative)
        tallies[a, a + 1 :], tallies[a + 1 :, a] = forward, backward
    return tallies


def bootstrap_t_maxima(
    weights: FloatArray, sums: FloatArray, sizes: FloatArray, *, pairs: StudentizedPairs | None = None
) -> tuple[IntArray, FloatArray]:
    """Count the samples whose maximum over pairs, stepping down, reaches the t of each pair; two-sided.

    A sample in which a pair does not vary has no t; it counts in the pair's own p-value
    (:func:`bootstrap_t_tallies`), not in the maximum, which it would otherwise drive to infinity for all pairs.

    Returns
    -------
    counts : array of int, shape (pairs,)
        For the pairs a < b row by row.
    observed : array, shape (pairs,)
    """
    parts = studentized_pairs(weights, sums, sizes) if pairs is None else pairs
    statistics = np.concatenate([np.abs(shifted).T for shifted, _ in parts])
    observed = np.concatenate([np.abs(t) for _, t in parts])
    statistics[np.isinf(statistics)] = 0.0
    return successive_maxima(statistics, observed * (1 - TIE_TOLERANCE)), observed


def studentized_pairs(weights: FloatArray, sums: FloatArray, sizes: FloatArray) -> StudentizedPairs:
    """Return Student's t of each sample about the observed mean, and the observed t, of each system against all later.

    Examples
    --------
    >>> scores = np.array([[3.0, 4.0, 5.0, 4.0], [1.0, 4.0, 2.0, 3.0]])
    >>> pairs = studentized_pairs(np.array([[2.0, 0, 2, 0]]), scores, np.ones(4))
    >>> [(shifted.round(3).tolist(), observed.round(3).tolist()) for shifted, observed in pairs]
    [([[4.0]], [2.683])]
    """
    return list(_studentised(weights, sums, sizes))


class StudentizedDraws(NamedTuple):
    """Bootstrap samples of differences of means, plain and in their own standard errors."""

    drawn: FloatArray
    """(b, rows); the difference in each sample."""
    shifted: FloatArray
    """(b, rows); its t about the observed difference."""
    mean: FloatArray
    """(rows,); the observed difference."""
    observed: FloatArray
    """(rows,); its t about 0."""
    error: FloatArray
    """(rows,); its standard error."""


def studentized_draws(weights: FloatArray, difference: FloatArray, sizes: FloatArray) -> StudentizedDraws:
    r"""Return the differences of means in bootstrap samples with their t, as :func:`bootstrap_t_tallies` defines it.

    Parameters
    ----------
    weights : array, shape (b, u)
        How often each unit was drawn.
    difference : array, shape (rows, u)
        Differences summed over each unit.
    sizes : array, shape (u,) or (rows, u)
        Segments of each unit.

    Examples
    --------
    >>> found = studentized_draws(np.array([[2.0, 1.0, 0.0]]), np.array([[1.0, 2.0, 6.0]]), np.ones(3))
    >>> found.drawn.round(3), found.mean, found.error.round(3)
    (array([[1.333]]), array([3.]), array([1.247]))
    """
    sizes = np.atleast_2d(sizes)
    size, size_squared, total = weights @ sizes.T, weights @ (sizes**2).T, sizes.sum(axis=1)
    mean = difference.sum(axis=1) / total
    sums = weights @ difference.T
    by_size = sums if (sizes == 1).all() else weights @ (difference * sizes).T
    drawn = sums / size
    spread = weights @ (difference**2).T - 2 * drawn * by_size + drawn**2 * size_squared
    floor = TIE_TOLERANCE * (difference**2).sum(axis=1)  # below this, spread is rounding
    shifted = _in_errors((drawn - mean) * size, spread, floor)
    residual = ((difference - mean[:, None] * sizes) ** 2).sum(axis=1)
    observed = _in_errors(mean * total, residual, floor)
    return StudentizedDraws(
        drawn, shifted, mean, observed, np.sqrt(np.where(residual > floor, residual, 0)) / total
    )


def bootstrap_t_counts(draws: StudentizedDraws) -> IntArray:
    """Count for each row the samples whose t is at least as far from 0 as the observed one, two-sided.

    Examples
    --------
    >>> weights = np.array([[1.0, 1, 1, 1], [2, 0, 2, 0]])
    >>> bootstrap_t_counts(studentized_draws(weights, np.array([[2.0, 0.0, 3.0, 1.0]]), np.ones(4)))
    array([1])
    """
    return _beyond(draws.shifted, draws.observed, "two-sided")[0]


def shifted_absolute_pvalues(drawn: FloatArray, observed: FloatArray) -> FloatArray:
    r"""Return the p-values of the paired bootstrap as sacreBLEU computes it; they are too small.

    With :math:`\Delta` the observed difference and :math:`\Delta^*` that of each of B samples,

    .. math:: p = \frac{1 + \#\{ |\Delta^*| - \overline{|\Delta^*|} > |\Delta| \}}{B + 1}

    Absolute values are taken before they are centered, so that only samples on one side of the observed difference can
    count [1]_: systems that do not differ are called different at the 5% level in about 12% of cases.
    :func:`bootstrap_t_tallies` is the test to use; this one is here to be examined.

    Parameters
    ----------
    drawn : array, shape (b, rows)
    observed : array, shape (rows,)

    References
    ----------
    .. [1] Post (2018), A call for clarity in reporting BLEU scores, WMT; the paired bootstrap test of sacreBLEU 2.

    Examples
    --------
    >>> shifted_absolute_pvalues(np.array([[1.0], [3.0], [-2.0]]), np.array([0.5]))
    array([0.5])
    """
    size = np.abs(drawn)
    count = (size - size.mean(axis=0) > np.abs(observed)).sum(axis=0)
    return np.asarray((count + 1) / (len(drawn) + 1))


def _studentised(
    weights: FloatArray, sums: FloatArray, sizes: FloatArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Student's t of each sample about the observed mean, and the observed t, of each system against all later ones."""
    for a in range(len(sums) - 1):
        draws = studentized_draws(weights, sums[a] - sums[a + 1 :], sizes)
        yield draws.shifted, draws.observed


def _in_errors(numerator: FloatArray, spread: FloatArray, floor: FloatArray) -> FloatArray:
    """t, infinite where nothing spreads, and 0 where there is no difference either."""
    flat = spread <= floor
    t = np.where(flat, np.copysign(np.inf, numerator), numerator / np.sqrt(np.where(flat, 1.0, spread)))
    return np.where(flat & (np.abs(numerator) <= np.sqrt(floor)), 0.0, t)


def _beyond(shifted: FloatArray, observed: FloatArray, alternative: Alternative) -> tuple[IntArray, IntArray]:
    if alternative == "two-sided":
        count = (np.abs(shifted) >= np.abs(observed) * (1 - TIE_TOLERANCE)).sum(axis=0)
        return count, count
    slack = TIE_TOLERANCE * np.where(np.isinf(observed), 0.0, np.abs(observed))
    above = (shifted >= observed - slack).sum(axis=0)
    below = (shifted <= observed + slack).sum(axis=0)
    return (above, below) if alternative == "greater" else (below, above)
