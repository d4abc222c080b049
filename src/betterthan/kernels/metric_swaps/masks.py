r"""Random swaps for the comparison of two metrics by permutation.

Under the null hypothesis metrics M and N are interchangeable, so their (standardized) scores may be swapped: of
whole segments, of whole systems, of both, or cell by cell. A mask says which cells (system, segment) are swapped
in one resample, and is shared by all pairs of metrics.

By how much is one metric ahead of another after their scores were swapped at random, and what follows from it.

All pairs of metrics share the swaps. Their leads are therefore draws from one joint distribution, and the largest of
them says how large a lead can be by chance when many pairs are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import unknown_name
from betterthan.kernels.sign_flips.permutation import portions
from betterthan.kernels.significance.pvalues import stepped_pvalues, successive_maxima

SwapScheme = Literal["perm_inputs", "perm_systems", "perm_both", "perm_cells"]
SWAP_SCHEMES: tuple[SwapScheme, ...] = ("perm_inputs", "perm_systems", "perm_both", "perm_cells")
# How many masks to draw, and from which generator; one after the other.
Streams = Sequence[tuple[int, np.random.Generator]]


class SwapMasks(NamedTuple):
    """Masks of several resamples in compact parts; a cell is swapped when an odd number of its parts say so.

    Parameters
    ----------
    segments : array of bool, shape (b, n), or None
        Segments that are swapped for all systems.
    systems : array of bool, shape (b, m), or None
        Systems that are swapped on all segments.
    single : array of bool, shape (b, m, n), or None
        Cells that are swapped by themselves.
    shape : tuple of int
        (m, n).
    """

    segments: BoolArray | None
    systems: BoolArray | None
    single: BoolArray | None
    shape: tuple[int, int]

    @property
    def n_resamples(self) -> int:
        """Number of masks."""
        return next(len(part) for part in (self.segments, self.systems, self.single) if part is not None)

    def cells(self) -> BoolArray:
        """Every cell of every resample: shape (b, m, n), b m n bytes."""
        cells = np.zeros((self.n_resamples, *self.shape), dtype=bool)
        if self.segments is not None:
            cells ^= self.segments[:, None, :]
        if self.systems is not None:
            cells ^= self.systems[:, :, None]
        if self.single is not None:
            cells ^= self.single
        return cells

    def of(self, resample: int) -> SwapMasks:
        """The mask of one resample, as masks of which there is one."""
        parts = (self.segments, self.systems, self.single)
        segments, systems, single = (None if x is None else x[resample : resample + 1] for x in parts)
        return SwapMasks(segments, systems, single, self.shape)

    def with_none_first(self) -> SwapMasks:
        """The same masks after one that swaps nothing."""
        parts = (self.segments, self.systems, self.single)
        segments, systems, single = (
            None if x is None else np.concatenate([np.zeros_like(x[:1]), x]) for x in parts
        )
        return SwapMasks(segments, systems, single, self.shape)


def draw_masks(
    scheme: SwapScheme, n_resamples: int, shape: tuple[int, int], rng: np.random.Generator
) -> SwapMasks:
    """Draw fair masks, one random bit per unit.

    Parameters
    ----------
    scheme : {"perm_inputs", "perm_systems", "perm_both", "perm_cells"}
        * "perm_inputs": whole segments ([1]_; [2]_ section 4.4).
        * "perm_systems": whole systems ([1]_); 2ᵐ different masks only.
        * "perm_both": a cell is swapped when its segment or its system is, but not both ([1]_).
        * "perm_cells": each cell by itself, as mt-metrics-eval does under the name of PERM-BOTH.
    n_resamples : int
    shape : tuple of int
        Systems and segments, (m, n).
    rng : numpy.random.Generator

    Returns
    -------
    SwapMasks

    Notes
    -----
    A resample uses whole 64-bit words, so resamples drawn in portions are those drawn at once.

    When documents or other units are swapped, n is the number of units: standardize the scores of segments, add
    them up within units, and let the units take the place of segments. Sums over units are sums over segments.

    References
    ----------
    .. [1] Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using
       resampling methods, TACL 9.
    .. [2] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation
       of automatic metrics via soft pairwise accuracy, WMT.

    Examples
    --------
    >>> draw_masks("perm_both", 1, (2, 5), np.random.default_rng(3)).cells()[0].astype(int)
    array([[1, 1, 1, 0, 0],
           [0, 0, 0, 1, 1]])
    """
    m, n = shape
    if scheme == "perm_inputs":
        return SwapMasks(_random_bits(n_resamples, (n,), rng)[0], None, None, shape)
    if scheme == "perm_systems":
        return SwapMasks(None, _random_bits(n_resamples, (m,), rng)[0], None, shape)
    if scheme == "perm_both":
        segments, systems = _random_bits(n_resamples, (n, m), rng)
        return SwapMasks(segments, systems, None, shape)
    if scheme == "perm_cells":
        (bits,) = _random_bits(n_resamples, (m * n,), rng)
        return SwapMasks(None, None, bits.reshape(n_resamples, m, n), shape)
    raise unknown_name("scheme", scheme, SWAP_SCHEMES)


def masks_in_portions(
    scheme: SwapScheme, streams: Streams, shape: tuple[int, int], bytes_each: int
) -> Iterator[SwapMasks]:
    """Draw the masks of several generators, as many at once as the memory allows.

    The random numbers of a resample depend on its generator alone, and the work that resamples share is done once a
    portion: so a portion may hold the resamples of many generators.

    Examples
    --------
    >>> streams = [(3, np.random.default_rng(0)), (4, np.random.default_rng(1))]
    >>> [masks.n_resamples for masks in masks_in_portions("perm_inputs", streams, (2, 5), 10)]
    [7]
    """
    waiting = [(left, rng) for left, rng in streams if left]
    for size in portions(sum(left for left, _ in waiting), bytes_each):
        parts, missing = [], size
        while missing:
            left, rng = waiting.pop(0)
            drawn = min(missing, left)
            parts.append(draw_masks(scheme, drawn, shape, rng))
            missing -= drawn
            if left > drawn:
                waiting.insert(0, (left - drawn, rng))
        yield _joined(parts)


def _joined(parts: Sequence[SwapMasks]) -> SwapMasks:
    if len(parts) == 1:
        return parts[0]
    together = zip(*[part[:3] for part in parts], strict=True)
    segments, systems, single = (None if some[0] is None else np.concatenate(some) for some in together)
    return SwapMasks(segments, systems, single, parts[0].shape)


def _random_bits(n_resamples: int, sizes: tuple[int, ...], rng: np.random.Generator) -> list[BoolArray]:
    """Bits of shape (n_resamples, size) for each size, each beginning with a new word."""
    words = [-(-size // 64) for size in sizes]
    drawn = rng.integers(0, 2**64 - 1, size=(n_resamples, sum(words)), dtype=np.uint64, endpoint=True)
    bytes_ = drawn.astype("<u8", copy=False).view(np.uint8).reshape(n_resamples, 8 * sum(words))
    starts = np.cumsum([0, *words])
    return [
        np.unpackbits(
            bytes_[:, 8 * start : 8 * (start + count)], axis=1, count=size, bitorder="little"
        ).astype(bool)
        for start, count, size in zip(starts, words, sizes, strict=False)
    ]


def masked_sums(metrics: FloatArray, masks: SwapMasks) -> FloatArray:
    r"""Sum of each system's scores over its swapped segments: (k, m, n) to (b, k, m).

    .. math:: P^{(r)}_{Mi} = \sum_s c^{(r)}_{is} M_{is}

    The sums of M after swapping with N are :math:`T_M - P_M + P_N` for every N, so k products serve all pairs.

    Examples
    --------
    >>> masks = draw_masks("perm_both", 1, (2, 5), np.random.default_rng(3))
    >>> masked_sums(np.arange(10.0).reshape(1, 2, 5), masks)
    array([[[ 3., 17.]]])
    """
    k, m, n = metrics.shape
    if masks.single is not None:
        by_system = np.matmul(masks.single.transpose(1, 0, 2).astype(np.float64), metrics.transpose(1, 2, 0))
        return np.ascontiguousarray(by_system.transpose(1, 2, 0))
    totals = metrics.sum(axis=2)
    if masks.segments is None:
        sums = np.zeros((masks.n_resamples, k, m))
    else:
        sums = (masks.segments.astype(np.float64) @ metrics.reshape(k * m, n).T).reshape(-1, k, m)
    if masks.systems is None:
        return sums
    return np.where(masks.systems[:, None, :], totals - sums, sums)


class Leads(NamedTuple):
    """Leads of the first over the second metric, for the pairs a < b in the order of the upper triangle.

    Parameters
    ----------
    observed : array, shape (P,)
    swapped : array, shape (b, P)
        After each random swap; NaN where a value is undefined, which counts against every claim.
    slack : array, shape (P,)
        Leads closer than this are equal.
    n_metrics : int
    """

    observed: FloatArray
    swapped: FloatArray
    slack: FloatArray
    n_metrics: int

    @property
    def n_resamples(self) -> int:
        """Number of swaps."""
        return len(self.swapped)

    def tallies(self) -> IntArray:
        """Count swaps that put the row at least as far ahead of the column as observed: (k, k)."""
        k = self.n_metrics
        counts = np.full((k, k), self.n_resamples, dtype=np.int64)
        first, second = np.triu_indices(k, 1)
        gain = self.swapped - self.observed
        # Written so that NaN counts.
        counts[first, second] = np.count_nonzero(~(gain < -self.slack), axis=0)
        counts[second, first] = np.count_nonzero(~(gain > self.slack), axis=0)
        return counts


def leads_of_values(values: FloatArray, observed: FloatArray, tolerance: float) -> Leads:
    """Leads from values (b, k, k), where ``values[r, M, N]`` is the value of M after swapping with N.

    Examples
    --------
    >>> leads_of_values(np.array([[[0.5, 0.4], [0.65, 0.7]]]), np.array([0.5, 0.7]), 1e-10).tallies()
    array([[1, 0],
           [1, 1]])
    """
    k = observed.size
    first, second = np.triu_indices(k, 1)
    swapped = values[:, first, second] - values[:, second, first]
    return Leads(observed[first] - observed[second], swapped, np.full(first.size, tolerance), k)


def collected_leads(
    observed: FloatArray,
    values: Iterator[tuple[int, int, FloatArray, FloatArray]],
    n_resamples: int,
    tolerance: float,
) -> Leads:
    """Leads from portions (a, b, values of a after the swaps, values of b) of every pair a < b.

    `tolerance` grows with values beyond ±1.
    """
    k = observed.size
    first, second = np.triu_indices(k, 1)
    place = {(a, b): i for i, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True))}
    swapped = np.empty((n_resamples, first.size))
    filled = np.zeros(first.size, dtype=np.int64)
    for a, b, ahead, behind in values:
        pair = place[a, b]
        swapped[filled[pair] : filled[pair] + ahead.size, pair] = ahead - behind
        filled[pair] += ahead.size
    size = np.fmax(1.0, np.fmax(np.abs(observed[first]), np.abs(observed[second])))
    return Leads(observed[first] - observed[second], swapped, tolerance * size, k)


def joined_leads(parts: Sequence[Leads]) -> Leads:
    """Leads of several blocks of swaps as one."""
    return parts[0]._replace(swapped=np.concatenate([part.swapped for part in parts]))


def two_sided_pvalues(leads: Leads) -> FloatArray:
    r"""P-values that two metrics differ, whichever is ahead: shape (k, k), symmetric, 1 on the diagonal.

    .. math:: p = \frac{1 + \#\{r : |\ell_r| \ge |\ell|\}}{1 + B}

    The null distribution is symmetric, because swapping everything but the mask turns a lead round, so that nothing is
    lost against twice the smaller tail, and the direction is not chosen by the data.

    Examples
    --------
    >>> leads = Leads(np.array([0.3]), np.array([[0.1], [-0.3], [0.2]]), np.array([1e-10]), 2)
    >>> two_sided_pvalues(leads)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    at_least = ~(np.abs(leads.swapped) < np.abs(leads.observed) - leads.slack)
    return _square((np.count_nonzero(at_least, axis=0) + 1) / (leads.n_resamples + 1), leads.n_metrics)


def step_down_pvalues(leads: Leads) -> FloatArray:
    r"""Two-sided p-values adjusted for all pairs of metrics by the largest lead, stepping down: shape (k, k).

    Leads are divided by their root mean square over the swaps and the observed one, which is one of them when metrics
    are equal. With the pairs in the order of their observed leads,
    :math:`s_1 \ge s_2 \ge \dots`,

    .. math:: p_i = \max_{j \le i} \frac{1 + \#\{r : \max_{l \ge j} s^{(r)}_l \ge s_j\}}{1 + B},

    the successive maxima of [1]_. The smallest p-value is 1 / (B + 1) whatever the number of pairs, where Holm's
    correction would multiply it by that number.

    References
    ----------
    .. [1] Westfall and Young (1993), Resampling-based multiple testing, Wiley, algorithm 2.8.

    Examples
    --------
    >>> swapped = np.array([[0.1, 0.2, 0.1], [-0.2, -0.1, 0.1], [0.2, 0.1, -0.1]])
    >>> leads = Leads(np.array([0.9, 0.8, -0.1]), swapped, np.full(3, 1e-10), 3)
    >>> step_down_pvalues(leads)
    array([[1.  , 0.25, 0.25],
           [0.25, 1.  , 1.  ],
           [0.25, 1.  , 1.  ]])
    """
    if not leads.observed.size:
        return np.ones((leads.n_metrics, leads.n_metrics))
    size = np.abs(leads.swapped)
    together = np.vstack([np.abs(leads.observed), size])
    together[:, np.isnan(together).all(axis=0)] = 0.0
    scale = np.sqrt(np.nanmean(together**2, axis=0))
    scale = np.where(scale > leads.slack, scale, 1.0)
    known = ~np.isnan(leads.observed)
    statistic = np.where(known, np.maximum(np.abs(leads.observed) - leads.slack, 0.0) / scale, 0.0)
    # A pair without a value is no claim and must not make the claims about others harder.
    draws = np.where(known, np.where(np.isnan(size), np.inf, size / scale), 0.0)
    counts = successive_maxima(np.ascontiguousarray(draws.T), statistic)
    pvalues = stepped_pvalues(counts, statistic, leads.n_resamples)
    return _square(pvalues, leads.n_metrics)


def _square(upper: FloatArray, k: int) -> FloatArray:
    square = np.ones((k, k))
    first, second = np.triu_indices(k, 1)
    square[first, second] = square[second, first] = upper
    return square
