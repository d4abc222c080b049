"""The paired bootstrap test of all pairs, studentized."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.sign_flips.exact import TIE_TOLERANCE, Alternative
from betterthan.kernels.significance.step_down import successive_maxima


def bootstrap_t_tallies(
    weights: FloatArray, sums: FloatArray, sizes: FloatArray, *, alternative: Alternative = "two-sided"
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
    for a, (shifted, observed) in enumerate(_studentised(weights, sums, sizes)):
        forward, backward = _beyond(shifted, observed, alternative)
        tallies[a, a + 1 :], tallies[a + 1 :, a] = forward, backward
    return tallies


def bootstrap_t_maxima(
    weights: FloatArray, sums: FloatArray, sizes: FloatArray
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
    parts = list(_studentised(weights, sums, sizes))
    statistics = np.concatenate([np.abs(shifted).T for shifted, _ in parts])
    observed = np.concatenate([np.abs(t) for _, t in parts])
    statistics[np.isinf(statistics)] = 0.0
    return successive_maxima(statistics, observed * (1 - TIE_TOLERANCE)), observed


def _studentised(
    weights: FloatArray, sums: FloatArray, sizes: FloatArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Student's t of each sample about the observed mean, and the observed t, of each system against all later ones."""
    size, size_squared = weights @ sizes, weights @ sizes**2
    for a in range(len(sums) - 1):
        difference = sums[a] - sums[a + 1 :]
        mean = difference.sum(axis=1) / sizes.sum()
        drawn = (weights @ difference.T) / size[:, None]
        spread = (
            weights @ (difference**2).T
            - 2 * drawn * (weights @ (difference * sizes).T)
            + drawn**2 * size_squared[:, None]
        )
        floor = TIE_TOLERANCE * (difference**2).sum(axis=1)  # below this, spread is rounding
        shifted = _in_errors((drawn - mean) * size[:, None], spread, floor)
        residual = ((difference - mean[:, None] * sizes) ** 2).sum(axis=1)
        yield shifted, _in_errors(mean * sizes.sum(), residual, floor)


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
