"""Bradley–Terry strengths by the fixed-point iteration of the paired-evaluation paper, as published."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError, NotConverged, NotEstimable


class FixedPoint(NamedTuple):
    """Where the iteration stopped.

    Attributes
    ----------
    shares : array, shape (m,)
        Strengths λ with sum 1; 0 for a system that never won.
    iterations : int
    squared_change : float
        Squared norm of the last change of λ.
    """

    shares: FloatArray
    iterations: int
    squared_change: float


def fixed_point(
    wins: FloatArray,
    *,
    start: FloatArray | None = None,
    tolerance: float = 1e-9,
    max_iterations: int = 10_000,
) -> FixedPoint:
    r"""Strengths λ by the two updates of [1], stopped as in [1].

    .. math:: \hat\lambda_i = W_i \Big/ \sum_{j \ne i} \frac{\omega_{ij} + \omega_{ji}}{\lambda_i + \lambda_j},
              \qquad \lambda_i \leftarrow \hat\lambda_i \Big/ \sum_k \hat\lambda_k

    For comparison with published numbers; :func:`betterthan.kernels.comparisons.bradley_terry.bradley_terry` is exact.

    Parameters
    ----------
    wins : array, shape (m, m)
        ω, wins of the row over the column; the diagonal is ignored.
    start : array, shape (m,), optional
        Any positive strengths; equal ones by default.
    tolerance : float, default 1e-9
        On the *squared* norm of the change, as in [1]: a norm of about 3e-5.
    max_iterations : int, default 10000

    Returns
    -------
    FixedPoint

    Raises
    ------
    NotEstimable
        When a system has no matches, which makes its update 0/0.
    NotConverged
        After `max_iterations`.

    Notes
    -----
    A pair that never met contributes nothing, also when both strengths are 0; in the code released with [1] it
    contributes 0/0 and the loop does not end.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average, ACL; appendix E, Eq. 3 and 4.

    Examples
    --------
    Appendix F as printed, C = 3, 2, 1, ties dropped:

    >>> fixed_point(np.array([[0.0, 1, 1], [2, 0, 1], [1, 1, 0]])).shares.round(3)
    array([0.253, 0.421, 0.326])
    """
    wins = _checked(wins)
    matches, total_wins = wins + wins.T, wins.sum(axis=1)
    shares = np.full(len(wins), 1 / len(wins)) if start is None else np.asarray(start) / np.sum(start)
    squared_change = np.inf
    for iteration in range(1, max_iterations + 1):
        previous, shares = shares, _updated(shares, matches, total_wins)
        squared_change = float(np.sum((shares - previous) ** 2))
        if squared_change < tolerance:
            return FixedPoint(shares, iteration, squared_change)
    raise NotConverged(
        f"The fixed-point iteration still changed by {squared_change:.1e} after {max_iterations} iterations.",
        iterations=max_iterations,
        last_change=squared_change,
    )


def _updated(shares: FloatArray, matches: FloatArray, total_wins: FloatArray) -> FloatArray:
    sums = shares[:, None] + shares[None, :]
    expected = np.divide(matches, sums, out=np.zeros_like(matches), where=matches > 0)
    unscaled = total_wins / expected.sum(axis=1)  # [1] Eq. 3
    updated: FloatArray = unscaled / unscaled.sum()  # [1] Eq. 4
    return updated


def _checked(wins: FloatArray) -> FloatArray:
    wins = np.array(wins, dtype=np.float64)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1]:
        raise BetterThanError(f"wins must be systems × systems; the shape is {wins.shape}.")
    np.fill_diagonal(wins, 0)
    if not (wins + wins.T).any(axis=1).all():
        raise NotEstimable("Bradley–Terry strengths do not exist here: a system has no matches.")
    return wins
