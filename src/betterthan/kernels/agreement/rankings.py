"""Agreement of two rankings, or of two tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray
from betterthan.kernels.agreement.kendall import kendall_b
from betterthan.kernels.comparisons.tied_ranks import tied_ranks

# Strengths that agree to twelve digits differ by rounding.
_TOLERANCE = 1e-12


class OrderAgreement(NamedTuple):
    """How two rankings of the same systems order their pairs; the five counts sum to `n_pairs`."""

    n_pairs: int
    alike: int
    """Ordered the same way by both."""
    flipped: int
    """Ordered one way by one and the other way by the other."""
    tied_in_first: int
    """Tied in the first only."""
    tied_in_second: int
    """Tied in the second only."""
    tied_in_both: int
    kendall_b: float
    """Tau-b; NaN when one ranking ties all systems."""

    @property
    def share_flipped(self) -> float:
        """Flipped pairs over all pairs; without ties this is (1 − tau) / 2."""
        return self.flipped / self.n_pairs if self.n_pairs else np.nan

    @property
    def share_alike(self) -> float:
        """Share of pairs ordered in the same way or tied in both."""
        return (self.alike + self.tied_in_both) / self.n_pairs if self.n_pairs else np.nan


def order_agreement(
    first: FloatArray, second: FloatArray, *, tolerance: float = _TOLERANCE
) -> OrderAgreement:
    """Compare how two rankings order all pairs of systems.

    Parameters
    ----------
    first, second : array, shape (m,)
        Strengths of the same systems, in any units; systems that are NaN in either are left out.
    tolerance : float, default 1e-12
        Strengths whose gap is at most this share of the largest are tied.

    Notes
    -----
    The share of pairs ordered differently is counted, not computed from tau: with ties the two are not the
    same thing.

    Examples
    --------
    Means against wins for the three systems of figure 1 of the paired-evaluation paper: the means are equal.

    >>> order_agreement(np.array([9.2, 9.2, 9.2]), np.array([0.0, 1.0, 2.0])).tied_in_first
    3
    """
    both = ~np.isnan(first + second)
    x, y = (tied_ranks(values[both], tolerance=tolerance).low for values in (first, second))
    a, b = np.triu_indices(x.size, 1)
    step_x, step_y = np.sign(x[a] - x[b]), np.sign(y[a] - y[b])
    product = step_x * step_y
    return OrderAgreement(
        n_pairs=a.size,
        alike=int(np.count_nonzero(product > 0)),
        flipped=int(np.count_nonzero(product < 0)),
        tied_in_first=int(np.count_nonzero((step_x == 0) & (step_y != 0))),
        tied_in_second=int(np.count_nonzero((step_x != 0) & (step_y == 0))),
        tied_in_both=int(np.count_nonzero((step_x == 0) & (step_y == 0))),
        kendall_b=kendall_b(x.astype(np.float64), y.astype(np.float64)),
    )


def top_set(strength: FloatArray, k: int, *, tolerance: float = _TOLERANCE) -> BoolArray:
    """Which systems are among the best k, ties included.

    A system belongs when fewer than k systems are strictly better, so a tie across the border brings all of its
    members in and no order of columns decides.

    Parameters
    ----------
    strength : array, shape (m,)
        NaN is never in.
    k : int
        1 for the best.
    tolerance : float, default 1e-12
        Strengths whose gap is at most this share of the largest are tied.

    Examples
    --------
    >>> top_set(np.array([3.0, 2.0, 2.0, 1.0]), 2)
    array([ True,  True,  True, False])
    """
    known = ~np.isnan(strength)
    inside = np.zeros(strength.shape, dtype=np.bool_)
    inside[known] = tied_ranks(-strength[known], tolerance=tolerance).low <= k
    return inside


def same_top(first: FloatArray, second: FloatArray, k: int, *, tolerance: float = _TOLERANCE) -> bool:
    """Do two rankings have the same best k systems, as tie-aware sets?

    Examples
    --------
    >>> same_top(np.array([3.0, 2.0, 1.0]), np.array([3.0, 3.0, 1.0]), 1)
    False
    """
    return bool(
        np.array_equal(top_set(first, k, tolerance=tolerance), top_set(second, k, tolerance=tolerance))
    )


def significance_overlap(significant: BoolArray) -> FloatArray:
    """When test i is significant, how often is test j? The 4 × 4 matrix of the paired-evaluation paper [1]_.

    Parameters
    ----------
    significant : array of bool, shape (k, n_pairs)
        Whether each of k tests finds each pair of systems different.

    Returns
    -------
    array, shape (k, k)
        Entry [i, j]: of the pairs significant under i, the share significant under j; NaN if there are none.
        The diagonal holds the overall share significant under i. Not symmetric.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, Fig. 6.

    Examples
    --------
    >>> significance_overlap(np.array([[1, 1, 0, 0], [1, 0, 0, 0]], dtype=bool))
    array([[0.5 , 0.5 ],
           [1.  , 0.25]])
    """
    counts = significant.astype(np.float64)
    found = counts.sum(axis=1)
    overlap = (counts @ counts.T) / np.where(found > 0, found, np.nan)[:, None]
    np.fill_diagonal(overlap, found / max(1, counts.shape[1]))
    return np.asarray(overlap)
