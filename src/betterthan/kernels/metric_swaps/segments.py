"""Is one metric's segment-level correlation with the human scores higher than another's?

Under the null hypothesis the two metrics are exchangeable, so their scores may be swapped: on whole segments, for
whole systems, both, or cell by cell [1]_. What is compared is a coefficient within groups of cells, averaged over
the groups: across systems for every segment, across segments for every system, or over all cells at once.

* Where a swap moves whole groups, each group's coefficient is one metric's or the other's: a sign-flip test of
  differences that needs no resampling (:func:`closed_form`).
* Pearson's coefficient is a formula of three sums that are linear in the mask: they are formed once a metric, and
  a pair of metrics only adds them up.
* A value of pooled counts, such as a tau of pair tables, is a formula of sums over segments.
* Any other coefficient is recomputed for every resample and pair of metrics.

References
----------
.. [1] Deutsch, Dror, Roth (2021), A statistical analysis of summarization evaluation metrics using resampling
   methods, TACL 9.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray, Scalar
from betterthan.errors import TableError, unknown_name
from betterthan.kernels.agreement.correlation import kendall_b_rows, pearson, spearman
from betterthan.kernels.metric_swaps.masks import Leads, SwapScheme, collected_leads, draw_masks, joined_leads
from betterthan.kernels.resampling.bootstrap_mean import CountsFormula
from betterthan.kernels.sign_flips.bracket import sign_flip_bracket
from betterthan.kernels.sign_flips.exact import exact_sign_flip
from betterthan.kernels.sign_flips.permutation import portions

SwapLevel = Literal["segment", "within_system", "global"]
RowCoefficient = Callable[[FloatArray, FloatArray], FloatArray]
SwapCoefficient = Literal["pearson", "spearman", "kendall_b"] | RowCoefficient

LEVELS = ("segment", "within_system", "global")
COEFFICIENTS: dict[str, RowCoefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall_b": kendall_b_rows,
}
WHOLE_GROUPS = {("perm_inputs", "segment"), ("perm_systems", "within_system")}
TIE_TOLERANCE = 1e-11  # differences of values closer than this are ties; values beyond ±1 in proportion
IN_CACHE = 32_768  # coefficients of groups worked on together
CANCELLED = 1e-4  # share of the sum of squares below which a variance is computed from its cells


class Sums(NamedTuple):
    """What Pearson's coefficient needs of every group: sums over its judged cells, linear in the swaps."""

    features: FloatArray
    """(groups, 3 k, members); x, x² and x h of every metric, 0 where not judged; h has mean 0 and length 1."""
    size: FloatArray
    """(groups, 1); judged cells."""


def arranged(values: npt.NDArray[Scalar], level: SwapLevel) -> npt.NDArray[Scalar]:
    """Lay cells (..., systems, segments) out as (..., groups, members of a group).

    Examples
    --------
    >>> [arranged(np.zeros((2, 3, 5)), level).shape for level in LEVELS]
    [(2, 5, 3), (2, 3, 5), (2, 1, 15)]
    """
    if level == "segment":
        return np.swapaxes(values, -1, -2)
    if level == "within_system":
        return values
    if level == "global":
        return values.reshape(*values.shape[:-2], 1, -1)
    raise unknown_name("level", level, LEVELS)


def judged_human(metrics: FloatArray, human: FloatArray) -> FloatArray:
    """Human scores (m, n) with NaN also where any of the metrics (k, m, n) lacks a score: left out for all.

    Examples
    --------
    >>> judged_human(np.array([[[1.0, np.nan]]]), np.array([[3.0, 4.0]]))
    array([[ 3., nan]])
    """
    if metrics.ndim != 3 or metrics.shape[1:] != human.shape:
        raise TableError(
            f"Metrics of shape {metrics.shape} do not belong to human scores of shape {human.shape}. "
            "Give metrics as (metrics, systems, segments) and human scores as (systems, segments)."
        )
    return np.where(np.isnan(metrics).any(axis=0), np.nan, human)


def group_values(
    metrics: FloatArray, human: FloatArray, coefficient: SwapCoefficient, level: SwapLevel
) -> FloatArray:
    """Coefficient of every metric in every group of cells: (k, groups), NaN where it is undefined.

    Examples
    --------
    >>> human = np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    >>> group_values(human[None] ** 2, human, "spearman", "segment")
    array([[ 1., nan]])
    """
    shared = arranged(judged_human(metrics, human), level)
    return np.stack([_rows(coefficient)(arranged(metric, level), shared) for metric in metrics])


def _rows(coefficient: SwapCoefficient) -> RowCoefficient:
    if callable(coefficient):
        return coefficient
    if coefficient not in COEFFICIENTS:
        raise unknown_name("coefficient", coefficient, COEFFICIENTS)
    return COEFFICIENTS[coefficient]


def closed_form(per_group: FloatArray) -> FloatArray:
    r"""One-sided p-values of all pairs of metrics when whole groups are swapped, without resampling.

    Swapping a whole group exchanges the two metrics' coefficients :math:`r_{Mg}` and :math:`r_{Ng}`, so the
    difference of the averages is :math:`\sum_g \pm (r_{Mg} - r_{Ng})`: the paired sign-flip test.

    Parameters
    ----------
    per_group : array, shape (k, g)
        Each metric's coefficient in every group, from :func:`group_values`. It belongs to "perm_inputs" at level
        "segment", and to "perm_systems" at level "within_system".

    Returns
    -------
    array, shape (k, k)
        p that the row's metric is the better one: exact where that is within reach, elsewhere the upper end of a
        certified bracket, some 10⁻⁴ wide, or 10⁻³ where p exceeds ½. 1 on the diagonal. NaN where no group is
        defined for both.

    Notes
    -----
    Groups where either metric is undefined are left out of the pair. :func:`segment_leads_block` cannot do so, as
    other schemes create and remove undefined groups by swapping; without such groups the two agree.

    Examples
    --------
    >>> closed_form(np.array([[0.5, 0.6, 0.9, 0.4], [0.1, 0.2, 0.3, 0.3]]))
    array([[1.    , 0.0625],
           [1.    , 1.    ]])
    """
    pvalues = np.where(np.isnan(per_group).all(axis=1), np.nan, np.ones((len(per_group), len(per_group))))
    for a, b in combinations(range(len(per_group)), 2):
        difference = per_group[a] - per_group[b]
        pvalues[a, b], pvalues[b, a] = both_sides(difference[~np.isnan(difference)])
    return pvalues


def both_sides(differences: FloatArray) -> tuple[float, float]:
    """P-values that the differences are positive and that they are negative; NaN when there are none.

    Examples
    --------
    >>> both_sides(np.array([1.0, 1.0, 1.0, -1.0]))
    (0.3125, 0.9375)
    """
    if not differences.size:
        return np.nan, np.nan
    return _one_side(differences), _one_side(-differences)


def _one_side(differences: FloatArray) -> float:
    tail = exact_sign_flip(differences, alternative="greater")
    if tail is not None:
        return tail.pvalue
    # Large p-values need no precision: the losing side is bracketed less closely.
    n_frequencies = 16384 if differences.sum() > 0 else 2048
    return sign_flip_bracket(differences, alternative="greater", n_frequencies=n_frequencies).high


def segment_leads_block(
    metrics: FloatArray,
    human: FloatArray,
    coefficient: SwapCoefficient,
    level: SwapLevel,
    scheme: SwapScheme,
    n_resamples: int,
    rng: np.random.Generator,
) -> Leads:
    r"""Leads of one block of swaps for all pairs of metrics.

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        Higher is better. Scores of different metrics are mixed, so they must be on a common scale: standardize them
        first.
    human : array, shape (m, n)
        NaN: not judged. Such cells, and cells that any metric lacks, are left out for all.
    coefficient : {"pearson", "spearman", "kendall_b"} or callable
        A callable takes (..., s) scores and (..., s) human scores with NaN and gives (...).
    level : {"segment", "within_system", "global"}
        Coefficient across systems for every segment, averaged; across segments for every system, averaged; or of
        all cells at once. Groups where it is undefined are left out of the average.
    scheme : {"perm_inputs", "perm_systems", "perm_both", "perm_cells"}
    n_resamples : int
        Resamples in this block.
    rng : numpy.random.Generator

    Returns
    -------
    Leads
        A resample, or observed value, that is undefined is NaN and counts against every claim.

    Notes
    -----
    All pairs of metrics share the masks. Cost a resample, for c = m n cells: where whole groups are swapped, k
    times the groups, whatever the coefficient; Pearson's 3 k c multiplications and some 30 k² operations a group;
    otherwise k² times c log c for Spearman's, k² times c times the group size for Kendall's.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(6, 40))
    >>> noise = rng.normal(size=(2, 6, 40)) * np.array([0.5, 1.5])[:, None, None]
    >>> segment_leads_block(human + noise, human, "pearson", "segment", "perm_both", 99, rng).tallies()
    array([[99,  0],
           [99, 99]])
    """
    whole = (scheme, level) in WHOLE_GROUPS
    parts = []
    for size in portions(n_resamples, human.size):
        cells = draw_masks(scheme, size, human.shape, rng).cells()
        parts.append(leads_of_masks(metrics, human, coefficient, level, cells, whole_groups=whole))
    return joined_leads(parts)


def leads_of_masks(
    metrics: FloatArray,
    human: FloatArray,
    coefficient: SwapCoefficient,
    level: SwapLevel,
    cells: BoolArray,
    *,
    whole_groups: bool = False,
) -> Leads:
    """Leads after given swaps (b, m, n); see :func:`segment_leads_block`.

    `whole_groups` promises that each mask swaps a group wholly or not at all.

    Examples
    --------
    >>> human = np.arange(6.0).reshape(3, 2)
    >>> nothing = np.zeros((4, 3, 2), dtype=bool)
    >>> leads_of_masks(np.stack([human, -human]), human, "kendall_b", "segment", nothing).tallies().tolist()
    [[4, 4], [4, 4]]
    """
    shared = arranged(judged_human(metrics, human), level)
    scores = arranged(metrics, level)
    rows = _rows(coefficient)
    observed = np.array([_mean_defined(rows(metric, shared)) for metric in scores])
    swapped = arranged(cells, level)
    if whole_groups:
        values = _whole_values(scores, shared, rows, swapped)
    elif coefficient == "pearson":
        values = _pearson_values(scores, shared, swapped)
    else:
        values = _plain_values(scores, shared, rows, swapped)
    return collected_leads(observed, values, len(cells), TIE_TOLERANCE)


def _mean_defined(per_group: FloatArray, axis: int = -1) -> FloatArray:
    defined = ~np.isnan(per_group)
    total = np.where(defined, per_group, 0.0).sum(axis=axis)
    n = defined.sum(axis=axis)
    return np.asarray(np.where(n > 0, total / np.maximum(n, 1), np.nan))


def _whole_values(
    scores: FloatArray, human: FloatArray, rows: RowCoefficient, swapped: BoolArray
) -> Iterator[tuple[int, int, FloatArray, FloatArray]]:
    """Each group brings its own coefficient or the other metric's, so sums and counts are linear in the mask."""
    per_group = np.stack([rows(metric, human) for metric in scores])
    defined = ~np.isnan(per_group)
    # (2 k, groups): what every metric adds to the sum, and to the number of groups.
    parts = np.vstack([np.where(defined, per_group, 0.0), defined])
    k, total = len(scores), parts.sum(axis=1)[:, None]
    moved = parts @ swapped[:, :, 0].T.astype(np.float64)
    for a, b in combinations(range(k), 2):
        change = moved[[b, k + b]] - moved[[a, k + a]]
        yield a, b, _ratio(*(total[[a, k + a]] + change)), _ratio(*(total[[b, k + b]] - change))


def _ratio(total: FloatArray, n: FloatArray) -> FloatArray:
    return np.asarray(np.where(n > 0.5, total / np.maximum(n, 1), np.nan))


def _plain_values(
    scores: FloatArray, human: FloatArray, rows: RowCoefficient, swapped: BoolArray
) -> Iterator[tuple[int, int, FloatArray, FloatArray]]:
    """Swap, and compute again."""
    for a, b in combinations(range(len(scores)), 2):
        start = 0
        for size in portions(len(swapped), 64 * human.size):
            mask = swapped[start : start + size]
            first = rows(np.where(mask, scores[b], scores[a]), human)
            second = rows(np.where(mask, scores[a], scores[b]), human)
            yield a, b, _mean_defined(first), _mean_defined(second)
            start += size


def _sums(scores: FloatArray, human: FloatArray) -> Sums:
    """Prepare the three sums; a centre that all metrics share keeps them small and cancels in the formula."""
    judged = ~np.isnan(human)
    size = judged.sum(axis=1, keepdims=True).astype(np.float64)
    centre = np.where(judged, scores, 0.0).sum(axis=(0, 2)) / (len(scores) * size[:, 0])
    x = np.where(judged, scores - centre[:, None], 0.0)
    h = np.where(judged, human - np.where(judged, human, 0.0).sum(axis=1, keepdims=True) / size, 0.0)
    h /= np.sqrt((h**2).sum(axis=1, keepdims=True))
    return Sums(np.ascontiguousarray(np.concatenate([x, x * x, x * h]).transpose(1, 0, 2)), size)


def _pearson_values(
    scores: FloatArray, human: FloatArray, swapped: BoolArray
) -> Iterator[tuple[int, int, FloatArray, FloatArray]]:
    r"""Pearson's coefficients from the sums of x, x² and x h that the swapped cells carry from one to the other."""
    varied = np.fmax.reduce(human, axis=1) > np.fmin.reduce(human, axis=1)
    scores, human, swapped = scores[:, varied], human[varied], swapped[:, varied]
    sums, k = _sums(scores, human), len(scores)
    total = sums.features.sum(axis=2).T.reshape(3, k, -1, 1)
    largest = max(8, IN_CACHE // max(1, len(human)))
    for start in range(0, len(swapped), largest):
        mask = swapped[start : start + largest]
        carried = sums.features @ mask.transpose(1, 2, 0).astype(np.float64)
        moved = np.ascontiguousarray(carried.transpose(1, 0, 2)).reshape(3, k, *carried.shape[::2])
        for a, b in combinations(range(k), 2):
            change = moved[:, b] - moved[:, a]
            first = _pearson_means(total[:, a] + change, sums, scores[[a, b]], human, mask)
            second = _pearson_means(total[:, b] - change, sums, scores[[b, a]], human, mask)
            yield a, b, first, second


def _pearson_means(
    three: FloatArray, sums: Sums, pair: FloatArray, human: FloatArray, mask: BoolArray
) -> FloatArray:
    """Mean coefficient over groups, from (3, groups, b) sums; what cancelled is computed from the cells."""
    x, squares, r = three
    variance = x * x
    variance /= -sums.size
    variance += squares
    squares *= CANCELLED
    cancelled = variance <= squares
    if not cancelled.any():
        r /= np.sqrt(variance)
        return np.asarray(r.mean(axis=0)) if len(r) else np.full(r.shape[1], np.nan)
    r /= np.sqrt(np.where(cancelled, 1.0, variance))
    group, resample = np.nonzero(cancelled)
    step = max(1, 1_000_000 // human.shape[1])
    for start in range(0, group.size, step):
        g, b = group[start : start + step], resample[start : start + step]
        r[g, b] = pearson(np.where(mask[b, g], pair[1, g], pair[0, g]), human[g])
    return _mean_defined(r, axis=0)


def pooled_leads_block(
    tables: IntArray, formula: CountsFormula, n_resamples: int, rng: np.random.Generator
) -> Leads:
    r"""Leads of one block of swaps of whole segments, for a value of pooled counts such as a tau of pair tables.

    .. math:: v(M') = f\Big(\sum_s (1 - c_s) T_{Ms} + c_s T_{Ns}\Big),

    linear in the mask c up to the formula f.

    Parameters
    ----------
    tables : array of int, shape (k, n, ...)
        Counts of every metric on every segment, e.g. (k, n, 3, 3) from
        :func:`betterthan.kernels.agreement.tau_tables.pair_tables_per_segment`.
    formula : callable
        From counts (..., 3, 3) to values (...), e.g. :func:`betterthan.kernels.agreement.tau_tables.tau` with its rule.
    n_resamples : int
    rng : numpy.random.Generator

    Returns
    -------
    Leads
        What is undefined is NaN and counts against every claim.

    Examples
    --------
    >>> tables = np.array([[[2, 1]] * 20, [[1, 2]] * 20])
    >>> pooled_leads_block(tables, lambda c: c[..., 0] / c.sum(axis=-1), 99, np.random.default_rng(0)).tallies()
    array([[99,  0],
           [99, 99]])
    """
    shape = tables.shape
    parts = []
    for size in portions(n_resamples, 8 * (shape[1] + len(tables) * math.prod(shape[2:]))):
        masks = draw_masks("perm_inputs", size, (1, shape[1]), rng).cells()[:, 0]
        parts.append(pooled_leads_of_masks(tables, formula, masks))
    return joined_leads(parts)


def pooled_leads_of_masks(tables: IntArray, formula: CountsFormula, masks: BoolArray) -> Leads:
    """Leads after the swaps of given masks (b, n); see :func:`pooled_leads_block`."""
    k, n, *rest = tables.shape
    flat = tables.reshape(k, n, -1).astype(np.float64)
    total = flat.sum(axis=1)
    moved = masks.astype(np.float64) @ flat
    observed = formula(total.reshape(k, *rest))

    def values() -> Iterator[tuple[int, int, FloatArray, FloatArray]]:
        for a, b in combinations(range(k), 2):
            change = moved[b] - moved[a]
            first, second = total[a] + change, total[b] - change
            yield a, b, formula(first.reshape(-1, *rest)), formula(second.reshape(-1, *rest))

    return collected_leads(observed, values(), len(masks), TIE_TOLERANCE)
