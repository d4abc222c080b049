r"""Swaps of whole segments for soft pairwise accuracy when people did not judge every output.

A pair of systems is compared on the segments that both have. Its difference and the sum of its squares are linear in
the mask of swapped segments, so each is one product a metric; p-values are the normal tails of the sign-flip
distribution.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import special

from betterthan.arrays import FloatArray
from betterthan.errors import NotEstimable
from betterthan.kernels.permutation import portions
from betterthan.kernels.swap_masks import draw_masks


def soft_values_with_gaps(
    metrics: FloatArray, human_p: FloatArray, n_resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, Iterator[FloatArray]]:
    r"""Observed values (k,), and the values (b, k, k) after swaps of whole segments, portion by portion.

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        Standardised scores; NaN in the cells that nobody judged, the same for all metrics.
    human_p : array, shape (m, m)
        One-sided p-values of people; pairs that are NaN are left out.
    n_resamples : int
    rng : numpy.random.Generator
        The masks are those of :func:`betterthan.kernels.swap_masks.draw_masks`, "perm_inputs".

    Returns
    -------
    observed : array, shape (k,)
    values : iterator of arrays, shape (b, k, k)
        ``values[r, M, N]`` is the value of M after swapping with N in resample r.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(4.0)[:, None] / 3 + rng.normal(size=(4, 30))
    >>> metrics = np.stack([human + rng.normal(size=(4, 30)), rng.normal(size=(4, 30))])
    >>> metrics[:, 0, :10] = np.nan
    >>> human_p = np.full((4, 4), 0.1)
    >>> observed, values = soft_values_with_gaps(metrics, human_p, 5, rng)
    >>> observed.shape, next(values).shape
    ((2,), (5, 2, 2))
    """
    k, m, n = metrics.shape
    first, second = np.triu_indices(m, 1)
    known = ~np.isnan(human_p[first, second])
    if not known.any():
        raise NotEstimable(
            "Soft pairwise accuracy does not exist: no two systems were judged on the same segments."
        )
    human = human_p[first, second][known]
    gap = np.nan_to_num(metrics[:, first[known]] - metrics[:, second[known]])  # (k, pairs, n); 0 adds nothing
    square = gap**2
    total, power = gap.sum(axis=2), square.sum(axis=2)
    observed = _accuracy(total, power, human)

    def values() -> Iterator[FloatArray]:
        for size in portions(n_resamples, 8 * (n + 5 * k * human.size)):
            segments = draw_masks("perm_inputs", size, (m, n), rng).segments
            mask = np.asarray(segments, dtype=np.float64)
            moved, moved_power = (
                mask @ gap.transpose(0, 2, 1),
                mask @ square.transpose(0, 2, 1),
            )  # (k, b, pairs)
            found = np.empty((size, k, k))
            for i in range(k):
                kept = total[i] - moved[i] + moved
                found[:, i] = _accuracy(kept, power[i] - moved_power[i] + moved_power, human).T
            yield found

    return observed, values()


def _accuracy(total: FloatArray, power: FloatArray, human: FloatArray) -> FloatArray:
    """Mean of 1 − |p − human| over pairs, the last axis; a pair without differences has p = ½."""
    flat = power <= 1e-12 * np.abs(power).max(initial=0.0)
    z = np.where(flat, 0.0, total / np.sqrt(np.where(flat, 1.0, power)))
    return np.asarray(1 - np.abs(special.ndtr(-z) - human).mean(axis=-1))
