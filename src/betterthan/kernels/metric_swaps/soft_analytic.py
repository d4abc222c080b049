r"""Soft pairwise accuracy of all pairs of swapped metrics, with p-values from sums and second moments.

The normal tail of a pair of systems needs :math:`\sum d` and :math:`\sum d^2`. Where whole segments are swapped both
are linear in the mask: one product with d² of each metric serves all pairs of metrics. Other masks mix two metrics
within a segment; their second moments come from products of what is kept with what is given away.
"""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.kernels.agreement.system_means import MeanPairs
from betterthan.kernels.metric_swaps.masks import SwapMasks, masked_sums
from betterthan.kernels.sign_flips.normal_tail import normal_tails

SQUARES_BYTES = 24 * 2**20
AT_ONCE = 128  # resamples whose k × k tables are worked on together, so that they stay near the processor
ALL_CANCELLED = 1e-12  # a second moment below this share of its terms is 0


def analytic_bytes(shape: tuple[int, ...], pairs: MeanPairs) -> int:
    """Memory that a resample needs."""
    k, m, n = shape
    return 8 * (k * (k + m + min(pairs.first.size, _pairs_at_once(shape))) + n)


def _pairs_at_once(shape: tuple[int, ...]) -> int:
    return max(1, SQUARES_BYTES // max(1, 8 * shape[0] * shape[2]))


def analytic_values(metrics: FloatArray, human: FloatArray, pairs: MeanPairs, masks: SwapMasks) -> FloatArray:
    r"""Soft pairwise accuracy of every metric after swapping with every other: shape (b, k, k).

    .. math:: p_{ij} = \bar\Phi\Bigl(\sum d / \sqrt{\textstyle\sum d^2}\Bigr)

    Parameters
    ----------
    metrics : array, shape (k, m, n)
    human : array, shape (P,)
        Human p-values of the pairs of systems.
    pairs : MeanPairs
    masks : SwapMasks
        b swaps of metrics.

    Returns
    -------
    array, shape (b, k, k)
        ``[r, M, N]`` is the value of M after swapping with N. Systems without any difference have p = ½.
    """
    if masks.systems is None and masks.single is None:
        return _by_segments(metrics, human, pairs, masks)
    values = [_by_cells(metrics, human, pairs, masks.of(r)) for r in range(masks.n_resamples)]
    return np.stack(values)


def _by_segments(metrics: FloatArray, human: FloatArray, pairs: MeanPairs, masks: SwapMasks) -> FloatArray:
    """Masks of whole segments. Resamples are the last axis, so that every step runs along them."""
    k, _, n = metrics.shape
    given = np.ascontiguousarray(masked_sums(metrics, masks).T)  # (m, k, b)
    by_mask = np.asarray(masks.segments, dtype=np.float64).T
    distance = np.zeros((k, k, masks.n_resamples))
    space = np.empty((2, k, k, min(AT_ONCE, masks.n_resamples)))
    step = _pairs_at_once(metrics.shape)
    for start in range(0, human.size, step):
        first, second = pairs.first[start : start + step], pairs.second[start : start + step]
        difference = np.ascontiguousarray((metrics[:, first] - metrics[:, second]).transpose(1, 0, 2))
        total = difference.sum(axis=2)
        difference **= 2
        power = difference.sum(axis=2)
        moved_power = (difference.reshape(-1, n) @ by_mask).reshape(first.size, k, -1)
        for p in range(first.size):
            moved = given[first[p]] - given[second[p]]
            nothing = ALL_CANCELLED * (power[p, :, None] + power[p])[:, :, None]
            for some in (slice(r, r + AT_ONCE) for r in range(0, masks.n_resamples, AT_ONCE)):
                v, w = moved[:, some], moved_power[p][:, some]
                now = space[:, :, :, : v.shape[1]]
                np.add((total[p, :, None] - v)[:, None], v, out=now[0])
                np.add((power[p, :, None] - w)[:, None], w, out=now[1])
                distance[:, :, some] += _distances(now[0], now[1], nothing, human[start + p])
    return np.ascontiguousarray((1.0 - distance / human.size).transpose(2, 0, 1))


def _distances(
    total: FloatArray, second: FloatArray, nothing: FloatArray, human: float | FloatArray
) -> FloatArray:
    """Distance of normal tails to human p-values; `total` and `second` are used up."""
    if second.min() <= nothing.max():
        second[second <= nothing] = np.inf  # no difference at all: z = 0
    np.sqrt(second, out=second)
    np.divide(total, second, out=total)
    total = normal_tails(total)
    total -= human
    return np.abs(total, out=total)


def _by_cells(metrics: FloatArray, human: FloatArray, pairs: MeanPairs, mask: SwapMasks) -> FloatArray:
    r"""Any one mask: Σ M'ᵢM'ⱼ has four terms, of which kept × given is one product for all pairs of metrics."""
    k, m, n = metrics.shape
    i, j = pairs
    given = metrics * mask.cells()
    kept = metrics - given
    mixed = (kept.reshape(k * m, n) @ given.reshape(k * m, n).T).reshape(k, m, k, m)
    kept_gram, given_gram = (x @ x.transpose(0, 2, 1) for x in (kept, given))
    # Arrays of shape (P, M, N): what M keeps depends on M, what it is given on N.
    own = _pair_sum(
        np.diagonal(kept_gram, axis1=1, axis2=2), np.diagonal(given_gram, axis1=1, axis2=2), pairs
    )
    cross = mixed[:, i, :, j] + mixed[:, j, :, i]
    cross += kept_gram[:, i, j].T[:, :, None]
    cross += given_gram[:, i, j].T[:, None, :]
    kept_sum, given_sum = kept.sum(axis=2), given.sum(axis=2)
    total = (kept_sum[:, i] - kept_sum[:, j]).T[:, :, None] + (given_sum[:, i] - given_sum[:, j]).T[
        :, None, :
    ]
    distance = _distances(total, own - 2.0 * cross, ALL_CANCELLED * own, human[:, None, None])
    return np.asarray(1.0 - distance.mean(axis=0))


def _pair_sum(kept: FloatArray, given: FloatArray, pairs: MeanPairs) -> FloatArray:
    """Squares of both systems of a pair: (k, m) twice to (P, k, k)."""
    from_own = (kept[:, pairs.first] + kept[:, pairs.second]).T
    from_other = (given[:, pairs.first] + given[:, pairs.second]).T
    return np.asarray(from_own[:, :, None] + from_other[:, None, :])
