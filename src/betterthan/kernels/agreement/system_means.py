r"""How well system means follow human means, for a batch of many sets of means at once.

Each function takes means of shape (..., m) and human means of shape (m,), and gives values of shape (...). They
need nothing of a set of means but its order and distances, so sums may stand for means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import FloatArray, IntArray

MEAN_TOLERANCE = (
    1e-12  # share of the largest mean within which two means are equal: float64 sums are no finer
)
SignArray = npt.NDArray[np.int8]
MeansStatistic = Callable[[FloatArray, FloatArray], FloatArray]


class MeanPairs(NamedTuple):
    """The pairs of systems i < j, in the order of the upper triangle: two arrays of shape (P,)."""

    first: IntArray
    second: IntArray


def pairs_of(n_systems: int) -> MeanPairs:
    """All pairs i < j.

    Examples
    --------
    >>> pairs_of(3)
    MeanPairs(first=array([0, 0, 1]), second=array([1, 2, 2]))
    """
    first, second = np.triu_indices(n_systems, 1)
    return MeanPairs(first.astype(np.int64), second.astype(np.int64))


def pair_signs(means: FloatArray) -> SignArray:
    """Sign of the difference of every pair i < j, 0 when equal but for rounding: (..., m) to (..., P).

    Equal means within 10⁻¹² of the largest mean in size; what is compared with NaN has sign 0.

    Examples
    --------
    >>> pair_signs(np.array([0.1 + 0.2, 0.3, 0.1]))
    array([0, 1, 1], dtype=int8)
    """
    pairs = pairs_of(means.shape[-1])
    difference = means[..., pairs.first] - means[..., pairs.second]
    largest = np.max(np.abs(means), axis=-1, keepdims=True, initial=0.0, where=np.isfinite(means))
    tolerance = MEAN_TOLERANCE * largest
    return np.asarray(
        (difference > tolerance).astype(np.int8) - (difference < -tolerance).astype(np.int8), dtype=np.int8
    )


def pearson_of_means(means: FloatArray, human: FloatArray) -> FloatArray:
    r"""Pearson's correlation of each set of means with the human means; NaN when either is constant.

    .. math:: r = \frac{\sum_i (x_i - \bar x)(h_i - \bar h)}
                       {\sqrt{\sum_i (x_i - \bar x)^2 \sum_i (h_i - \bar h)^2}}

    Examples
    --------
    >>> pearson_of_means(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), np.array([1.0, 2.0, 4.0])).round(4)
    array([0.982,   nan])
    """
    x, own = _centred(means)
    h, others = _centred(human)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.clip(x @ h / (own * others), -1.0, 1.0))


def _centred(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Deviations from the mean and their length, NaN when there is nothing but rounding."""
    if not values.shape[-1]:
        return values, np.full(values.shape[:-1], np.nan)
    deviations = values - values.mean(axis=-1, keepdims=True)
    spread = np.abs(deviations).max(axis=-1)
    is_constant = spread <= MEAN_TOLERANCE * np.abs(values).max(axis=-1)
    return deviations, np.where(is_constant, np.nan, np.sqrt(np.sum(deviations**2, axis=-1)))


def spearman_of_means(means: FloatArray, human: FloatArray) -> FloatArray:
    r"""Spearman's correlation: Pearson's of the ranks, equal means sharing the mean of their ranks.

    The rank of a system is, but for a constant, half the sum of its signs against all others.

    Examples
    --------
    >>> spearman_of_means(np.array([[1.0, 2.0, 30.0], [2.0, 1.0, 3.0]]), np.array([1.0, 2.0, 4.0]))
    array([1. , 0.5])
    """
    return pearson_of_means(_doubled_ranks(means), _doubled_ranks(human))


def _doubled_ranks(means: FloatArray) -> FloatArray:
    pairs = pairs_of(means.shape[-1])
    each = np.arange(means.shape[-1])
    won = (pairs.first[:, None] == each).astype(np.float64) - (pairs.second[:, None] == each)
    return np.asarray(pair_signs(means) @ won)


def kendall_of_means(means: FloatArray, human: FloatArray) -> FloatArray:
    r"""Kendall's :math:`\tau_b` of each set of means with the human means; NaN when either is constant.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(C + D + T_x)(C + D + T_h)}}

    with C concordant and D discordant pairs, :math:`T_x` and :math:`T_h` pairs tied in one only.

    Examples
    --------
    >>> kendall_of_means(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 2.0]]), np.array([1.0, 2.0, 4.0])).round(4)
    array([1.    , 0.8165])
    """
    x, h = pair_signs(means), pair_signs(human)
    agreement = x @ h.astype(np.float64)
    untied = np.count_nonzero(x, axis=-1) * float(np.count_nonzero(h))
    with np.errstate(invalid="ignore"):
        return np.asarray(agreement / np.sqrt(np.where(untied > 0, untied, np.nan)))
