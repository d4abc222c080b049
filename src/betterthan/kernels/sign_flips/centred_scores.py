"""Scores made ready for sign flips of all pairs: centred, in whole units, with bounds on rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.sign_flips.exact import TIE_TOLERANCE
from betterthan.kernels.sign_flips.unit import in_units, natural_unit

Floating = TypeVar("Floating", np.float32, np.float64)
Float32Array = npt.NDArray[np.float32]

WHOLE_IN_FLOAT32 = 2**22  # sums of whole numbers up to here, and halves, are exact in float32
HALF_UNIT_OF_FLOAT32 = 2.0**-24
LOPSIDED = 1e-8
SAFETY = 6.0  # the largest error seen, sums of 200 taken one by one, was 2.4


@dataclass(frozen=True, slots=True)
class CentredScores:
    """Scores made ready for sign flips, once for all blocks; see :func:`centred_scores`.

    Parameters
    ----------
    values : array, shape (m, n)
        Scores minus a segment's centre, in natural units if there are any; missing cells are 0.
    patterns : array of bool, shape (k, n)
        The distinct rows of "this cell is there".
    pattern : array of int, shape (m,)
        Which of them belongs to each system.
    totals : array, shape (m, m)
        Observed sum of differences over the segments both systems have.
    slack : array, shape (m, m)
        Sums closer than this are ties.
    doubt : array, shape (m, m)
        What float32 may be wrong by; closer calls are decided in float64.
    is_whole : bool
        Values are whole numbers so small that float32 makes no error.
    """

    values: FloatArray
    patterns: BoolArray
    pattern: IntArray
    totals: FloatArray
    slack: FloatArray
    doubt: FloatArray
    is_whole: bool


def centred_scores(goodness: FloatArray) -> CentredScores:
    r"""Subtract each segment's mean over systems, find ties' unit and rounding bounds.

    Differences of systems do not change, and the sums become small enough for float32. Where some scores are very much
    larger than most, it is the median, for a mean would swallow the differences of the others.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better. NaN is missing: a pair is compared on the segments that both systems have.

    Notes
    -----
    Whole multiples of a natural unit are turned into integers, whose sums are exact. For other scores the
    error of a float32 sum with random signs behaves as a random walk [1]_; we allow
    :math:`6 u \sqrt{n (\lVert x_a \rVert^2 + \lVert x_b \rVert^2)}` with :math:`u = 2^{-24}`, twelve standard
    deviations even where a sum is taken one by one, as a product of short rows does on one thread.

    References
    ----------
    .. [1] Higham and Mary (2020), Sharper probabilistic backward error analysis for basic linear algebra
       kernels with random data, SIAM J. Sci. Comput. 42, theorem 3.4.

    Examples
    --------
    >>> centred_scores(np.array([[0.3, 0.1], [0.1, 0.0]])).totals
    array([[ 0.,  3.],
           [-3.,  0.]])
    """
    unit = natural_unit(goodness)
    values = goodness if unit is None else in_units(goodness, unit)
    centre = values.mean(axis=0)
    complete = bool(np.isfinite(centre).all())
    if complete:
        there = np.ones((1, goodness.shape[1]), dtype=bool)
        patterns, pattern = there, np.zeros(len(goodness), dtype=np.int64)
    else:
        there = np.isfinite(goodness)
        centre = np.where(there, values, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        patterns, pattern = np.unique(there, axis=0, return_inverse=True)
        pattern = pattern.reshape(-1).astype(np.int64)
    if _is_lopsided(values):
        centre = _medians(values)
    values = values - (centre if unit is None else np.rint(centre))
    values = _of_moderate_size(values if complete else np.where(there, values, 0.0))
    sums = values.sum(axis=1)[:, None] if complete else values @ patterns.T
    totals = sums[:, pattern] - sums[:, pattern].T
    return _with_bounds(values, patterns, pattern, totals, is_unit=unit is not None)


def _is_lopsided(values: FloatArray) -> bool:
    """Whether some scores are so large that a mean with them would swallow the differences of the others."""
    size = np.abs(values)
    n_large = np.count_nonzero(size > LOPSIDED * np.nanmax(size, initial=0.0))
    return bool(n_large < np.count_nonzero(size > 0) / 2)


def _medians(values: FloatArray) -> FloatArray:
    """Median of each column that has a value, else 0."""
    is_empty = np.isnan(values).all(axis=0)
    return np.asarray(np.nanmedian(np.where(is_empty, 0.0, values), axis=0))


def _of_moderate_size(values: FloatArray) -> FloatArray:
    """Multiply by a power of two, which changes no comparison, if float32 could not hold the squares."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if 1e-12 < largest < 1e12 or largest == 0:
        return values
    return np.ldexp(values, -int(np.frexp(largest)[1]))


def _with_bounds(
    values: FloatArray, patterns: BoolArray, pattern: IntArray, totals: FloatArray, *, is_unit: bool
) -> CentredScores:
    square = np.einsum("ij,ij->i", values, values)
    size = np.sqrt(values.shape[1] * square)  # Cauchy and Schwarz: at least the sum of absolute values
    u = HALF_UNIT_OF_FLOAT32
    walk = SAFETY * u * np.sqrt(values.shape[1] * (square[:, None] + square))
    is_whole = is_unit and bool(2 * size.max(initial=0.0) < WHOLE_IN_FLOAT32)
    slack = np.full(totals.shape, 1e-6) if is_unit else TIE_TOLERANCE * (size[:, None] + size)
    doubt = np.full(totals.shape, 0.5) if is_whole else walk + 4 * u * np.abs(totals) + slack
    return CentredScores(values, patterns, pattern, totals, slack, doubt, is_whole)


def partial_sums(
    values: npt.NDArray[Floating], patterns: BoolArray, signs: npt.NDArray[Floating]
) -> npt.NDArray[Floating]:
    """Flipped sums of each system over the segments of each pattern: shape (k, m, n_resamples)."""
    whole = values @ signs.T
    gaps = [np.flatnonzero(~present) for present in patterns]
    if not any(gap.size for gap in gaps):
        return whole[None]
    return np.stack([whole - values[:, gap] @ signs[:, gap].T for gap in gaps])


def flipped_differences(
    sums: npt.NDArray[Floating], pattern: IntArray, a: int, *, out: npt.NDArray[Floating]
) -> npt.NDArray[Floating]:
    """T of system a against each later system, over the segments both have: shape (m - a - 1, n_resamples)."""
    if len(sums) == 1:
        return np.asarray(np.subtract(sums[0, a], sums[0, a + 1 :], out=out))
    return np.asarray(np.subtract(sums[pattern[a + 1 :], a], sums[pattern[a], a + 1 :], out=out))


def pair_differences(scores: CentredScores, a: int | IntArray, b: int | IntArray) -> FloatArray:
    """Differences of two systems on all segments, 0 where one is missing: shape (n,), or (pairs, n) of several."""
    difference = scores.values[a] - scores.values[b]
    if len(scores.patterns) > 1:
        difference *= scores.patterns[scores.pattern[a]] & scores.patterns[scores.pattern[b]]
    return np.asarray(difference)
