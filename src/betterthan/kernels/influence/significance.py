"""On how few segments does significance depend?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.influence.influence import Removal, no_removal, removal
from betterthan.kernels.significance.rank_tests import at_least

TailFunction = Callable[[FloatArray, FloatArray, int], FloatArray]


def undoes_sign_test(differences: FloatArray, *, alpha: float) -> Removal:
    """The fewest segments without which the sign test is not significant; exact, by counting.

    Removing a win of the leader raises the p-value, removing a loss lowers it, removing a tie does nothing (ties
    are dropped by the test). The largest wins are named.

    Parameters
    ----------
    differences : array, shape (n,)
        a − b by segment; NaN is missing.
    alpha : float
        Two-sided; p ≤ alpha is significant.

    Returns
    -------
    Removal
        Not possible when the test is not significant to begin with.

    Examples
    --------
    >>> undoes_sign_test(np.array([1.0, 2, 3, 4, 5, 6, 7]), alpha=0.05).indices
    array([6, 5])
    """
    order, gaps = _leader_first(differences, float(np.nansum(np.sign(differences))))
    wins, losses = np.count_nonzero(gaps > 0), np.count_nonzero(gaps < 0)
    left = wins - np.arange(wins)
    pvalues = np.minimum(1, 2 * at_least(left, left + losses))
    return _first(order, pvalues > alpha)


def undoes_sign_flips(differences: FloatArray, *, alpha: float) -> Removal:
    r"""Few segments without which the sign-flip permutation test is not significant.

    By the normal approximation of the permutation p-value, :math:`p = 2 \Phi(-|S| / \sqrt{Q})`, with S the sum and Q
    the sum of squares of what remains. It rises as :math:`S^2 / Q` falls, so the segments to take out are those with a
    difference about Q / S: favorable, but not so large that their going would also take away noise. So runs of
    neighbors in the order of differences are tried, all of one length at once.

    Parameters
    ----------
    differences : array, shape (n,)
        a − b by segment; NaN is missing.
    alpha : float
        Two-sided; p ≤ alpha is significant.

    Returns
    -------
    Removal
        An upper bound: fewer segments, not neighbors in size, may do. `is_exact` only when it is one segment.
        Not possible when the test is not significant to begin with, or stays so.

    Examples
    --------
    >>> undoes_sign_flips(np.array([1.0, 2, 3, -0.5, 1.5, 2.5]), alpha=0.05).n_removed
    1
    """
    return _shortest_run(differences, _sign_flip_tail, alpha, fewest_left=1)


def _sign_flip_tail(total: FloatArray, squares: FloatArray, _: int) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.abs(total) / np.sqrt(squares)
    return np.where(total == 0, 1.0, 2 * ndtr(-statistic))


def _shortest_run(differences: FloatArray, tail: TailFunction, alpha: float, *, fewest_left: int) -> Removal:
    order, gaps = _leader_first(differences, float(np.nansum(differences)))
    longest = gaps.size - fewest_left
    if longest < 0 or _best_run(gaps, 0, tail, alpha) is not None:
        return no_removal()
    # Double the length until a run suffices, then bisect.
    short, long = 0, 1
    while long < longest and _best_run(gaps, long, tail, alpha) is None:
        short, long = long, min(2 * long, longest)
    while long - short > 1:
        middle = (short + long) // 2
        found = _best_run(gaps, middle, tail, alpha) is not None
        short, long = (short, middle) if found else (middle, long)
    start = _best_run(gaps, long, tail, alpha) if long <= longest else None
    if start is None:
        return no_removal(is_exact=False)
    return removal(order[start : start + long], is_exact=long == 1)


def _best_run(gaps: FloatArray, length: int, tail: TailFunction, alpha: float) -> int | None:
    """Where the run of this length starts whose removal gives the largest p-value, if that exceeds alpha."""
    # Values before and after the run are summed, never subtracted from the whole.
    total, squares = (_without_runs(powers, length) for powers in (gaps, gaps**2))
    pvalues = tail(total, squares, gaps.size - length)
    best = int(pvalues.argmax())
    return best if pvalues[best] > alpha else None


def _without_runs(values: FloatArray, length: int) -> FloatArray:
    before = np.concatenate([[0.0], values.cumsum()])
    after = np.concatenate([values[::-1].cumsum()[::-1], [0.0]])
    return np.asarray(before[: before.size - length] + after[length:])


def _leader_first(differences: FloatArray, lead: float) -> tuple[IntArray, FloatArray]:
    known = np.nonzero(~np.isnan(differences))[0]
    gaps = differences[known] * (np.sign(lead) or 1.0)
    order = np.argsort(-gaps, kind="stable")
    return known[order], gaps[order]


def _first(order: IntArray, turned: np.ndarray) -> Removal:
    place = int(turned.argmax()) if turned.any() else 0
    return removal(order[:place]) if place else no_removal()
