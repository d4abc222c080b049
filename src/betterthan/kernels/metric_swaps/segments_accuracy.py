r"""Is one metric's accuracy with calibrated ties higher than another's? Pairs, inputs, systems or cells are swapped.

The accuracy is the share of pairs that metric and human judges order alike or both call a tie, where the metric
ties whatever differs by no more than a threshold, and the threshold is the one that serves the metric best [1]_.

Swapping whole pairs of systems at fixed thresholds is a sign test and needs no resampling
(:func:`pair_swap_pvalues`). Swapping scores mixes the two metrics, so the threshold has to be found anew for every
resample (:func:`accuracy_swap_tallies`): a pair of scores that may each come from either metric has four possible
gaps, all gaps are sorted once, and a resample only chooses among them.

References
----------
.. [1] Deutsch, Foster, Freitag (2023), Ties matter: meta-evaluating modern metrics with pairwise accuracy and tie
   calibration, EMNLP.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.tie_calibration import calibrated_accuracy
from betterthan.kernels.metric_swaps.masks import Leads, SwapScheme, draw_masks, joined_leads
from betterthan.kernels.metric_swaps.segments import (
    TIE_TOLERANCE,
    WHOLE_GROUPS,
    SwapLevel,
    arranged,
    both_sides,
    judged_human,
)
from betterthan.kernels.sign_flips.permutation import portions
from betterthan.kernels.significance.rank_tests import at_least

MOST_PAIRS = 5_000_000  # listed at a time; sorting their gaps takes about 120 bytes each
VERDICTS = 6_000_000  # of all metrics about pairs, looked at together
OrderCodes = npt.NDArray[np.uint8]


class SegmentPairs(NamedTuple):
    """All pairs of judged cells of a group: where they are, which way the human judges went, what they weigh."""

    left: IntArray
    """(p,); places in the flattened (groups, size) cells."""
    right: IntArray
    human: npt.NDArray[np.int8]
    """(p,); sign of left minus right."""
    weight: IntArray | FloatArray
    """(p,); whole numbers in proportion to one over the pairs of the group, where these do not overflow."""
    is_equal: bool
    """Whether all weights are 1."""


class Candidates(NamedTuple):
    """The gaps that a swapped metric can have, by size, without those that change nothing."""

    pair: IntArray
    """(t,); to which pair each belongs."""
    code: OrderCodes
    """(t,); which of the pair's two cells were swapped: 0 none, 1 the right, 2 the left, 3 both."""
    gain: npt.NDArray[np.signedinteger] | FloatArray
    """(t,); what the accuracy gains when this gap becomes a tie."""
    tied: float
    """Weight of all pairs that the human judges tie."""


def pairs_of(human: FloatArray) -> SegmentPairs:
    """List the pairs of judged cells within every group, of a human array (groups, size) with NaN.

    Examples
    --------
    >>> pairs = pairs_of(np.array([[1.0, 3.0, np.nan], [2.0, 2.0, 1.0]]))
    >>> pairs.human.tolist(), pairs.weight.tolist()
    ([-1, 0, 1, 1], [3, 1, 1, 1])
    """
    size = human.shape[1]
    judged = ~np.isnan(human)
    n_pairs = _n_pairs(human)
    if n_pairs.sum() > MOST_PAIRS:
        raise BetterThanError(
            f"{n_pairs.sum():,} pairs are too many to keep sorted (at most {MOST_PAIRS:,}). "
            "Use pairs of systems on the same segment, fewer segments, or the test that swaps pairs."
        )
    first, second = np.triu_indices(size, 1)
    kept = judged[:, first] & judged[:, second]
    group, place = np.nonzero(kept)
    left, right = group * size + first[place], group * size + second[place]
    flat = human.ravel()
    weight = _weights(n_pairs)[group]
    sign = np.sign(flat[left] - flat[right]).astype(np.int8)
    return SegmentPairs(left, right, sign, weight, bool(np.all(weight == 1)))


def _n_pairs(human: FloatArray) -> IntArray:
    """Pairs of judged cells in every group."""
    n_judged = np.count_nonzero(~np.isnan(human), axis=1).astype(np.int64)
    return np.asarray(n_judged * (n_judged - 1) // 2)


def _weights(n_pairs: IntArray) -> IntArray | FloatArray:
    """One over the number of pairs, in the largest unit that makes whole numbers, else as real numbers."""
    sizes = np.unique(n_pairs[n_pairs > 0]).tolist()
    unit = math.lcm(*sizes) if sizes else 1
    safe = np.maximum(n_pairs, 1)
    if unit * n_pairs.size < 2**53:
        return np.asarray(unit // safe * (n_pairs > 0))
    return np.asarray((n_pairs > 0) / safe)


def candidates(
    first: FloatArray, second: FloatArray, pairs: SegmentPairs, codes: tuple[int, ...] = (0, 1, 2, 3)
) -> Candidates:
    r"""Sort the gaps that two metrics' scores can have when each may come from either metric.

    With the threshold raised over a gap, a pair that the human judges tie is won (+w), one that was ordered
    rightly is lost (-w), one ordered wrongly stays wrong and is left out.

    Parameters
    ----------
    first, second : array, shape (groups · size,)
    pairs : SegmentPairs
    codes : tuple of int
        Swaps that can happen; 0 and 3 suffice when whole groups are swapped.
    """
    weight = pairs.weight.astype(np.int8) if pairs.is_equal else pairs.weight
    gaps, gains = [], []
    for code in codes:
        gap = (second if code & 2 else first)[pairs.left] - (second if code & 1 else first)[pairs.right]
        right_order = (np.sign(gap) == pairs.human) & (pairs.human != 0)
        gaps.append(np.abs(gap))
        gains.append(((pairs.human == 0).astype(np.int8) - right_order) * weight)
    size, gain = np.concatenate(gaps), np.concatenate(gains)
    kept = np.flatnonzero(gain)
    # Of equal gaps the losses come first: then no prefix that ends among them exceeds both ends.
    order = kept[np.lexsort((gain[kept], size[kept]))]
    code_of, pair_of = np.divmod(order, max(1, pairs.left.size))
    tied = pairs.weight[pairs.human == 0].sum().item()
    return Candidates(pair_of, np.array(codes, dtype=np.uint8)[code_of], gain[order], tied)


def best_accuracies(choices: Candidates, codes: OrderCodes) -> tuple[float, float]:
    r"""Weight of the pairs won at the best threshold, by the swapped first metric and by the swapped second.

    .. math:: \max_\varepsilon \Big[ \sum_{\text{human ties}} w + \sum_{\text{right order}} w
              + \dots \Big] = W_{\text{ties}} - G_{\text{all}} + \max_{t \ge 0} G_t

    with :math:`G_t` the sum of the first t gains chosen: at threshold 0 all that are ordered rightly are won.

    Parameters
    ----------
    choices : Candidates
    codes : array of uint8, shape (p,)
        Which of the two cells of every pair are swapped.
    """
    code = codes.take(choices.pair, mode="clip")
    return _best(choices, code == choices.code), _best(choices, code == 3 - choices.code)


def _best(choices: Candidates, chosen: BoolArray) -> float:
    wide = np.int64 if choices.gain.dtype.kind == "i" else np.float64
    sums = np.cumsum(chosen.view(np.int8) * choices.gain, dtype=wide)
    if not sums.size:
        return choices.tied
    return float(choices.tied - sums[-1] + max(0, sums.max()))


def accuracy_leads_block(
    metrics: FloatArray,
    human: FloatArray,
    scheme: SwapScheme,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    level: SwapLevel = "segment",
) -> Leads:
    r"""Leads, in pairs won, of one block of swaps; each swapped metric has a threshold of its own.

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        Higher is better. A threshold is shared by scores of both metrics, so standardize them first.
    human : array, shape (m, n)
        NaN: not judged. Such cells, and cells that any metric lacks, are left out for all.
    scheme : {"perm_inputs", "perm_systems", "perm_both", "perm_cells"}
    n_resamples : int
        Resamples in this block.
    rng : numpy.random.Generator
    level : {"segment", "within_system", "global"}
        Pairs of systems on a segment, of segments of a system, or of any two cells. At most 12.5 million pairs.

    Returns
    -------
    Leads

    Notes
    -----
    Pairs are counted in whole numbers (in units of the least common multiple of the groups' sizes), so ties between
    thresholds and between resamples are decided exactly. Cost for p pairs: a sort of at most 4 p gaps for every
    pair of metrics, and two cumulative sums of them a resample; half of that for "perm_inputs" at level "segment".
    14 systems on 1300 segments take about 1 ms a resample and pair of metrics.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> human = rng.integers(0, 4, size=(5, 30)).astype(float)
    >>> metrics = human + rng.normal(size=(2, 5, 30)) * np.array([0.4, 2.0])[:, None, None]
    >>> accuracy_leads_block(metrics, human, "perm_both", 99, rng).tallies()
    array([[99,  0],
           [99, 99]])
    """
    whole = (scheme, level) in WHOLE_GROUPS
    parts = []
    for size in portions(n_resamples, 2 * human.size):
        cells = draw_masks(scheme, size, human.shape, rng).cells()
        parts.append(accuracy_leads_of_masks(metrics, human, cells, level=level, whole_groups=whole))
    return joined_leads(parts)


def accuracy_leads_of_masks(
    metrics: FloatArray,
    human: FloatArray,
    cells: BoolArray,
    *,
    level: SwapLevel = "segment",
    whole_groups: bool = False,
) -> Leads:
    """Leads after given swaps (b, m, n); see :func:`accuracy_leads_block`.

    `whole_groups` promises that each mask swaps a group wholly or not at all, which halves the work.

    Examples
    --------
    >>> human = np.array([[1.0, 2.0], [2.0, 2.0]])
    >>> metrics = np.array([[[1.0, 3.0], [5.0, 3.0]], [[5.0, 3.0], [1.0, 7.0]]])
    >>> both = np.ones((3, 2, 2), dtype=bool)
    >>> accuracy_leads_of_masks(metrics, human, both).tallies().tolist()
    [[3, 0], [3, 3]]
    """
    pairs = pairs_of(arranged(judged_human(metrics, human), level))
    scores = arranged(metrics, level).reshape(len(metrics), -1)
    swapped = arranged(cells, level).reshape(len(cells), -1).astype(np.uint8)
    both = list(combinations(range(len(metrics)), 2))
    observed, leads = np.zeros(len(both)), np.zeros((len(cells), len(both)))
    slack = 0.0 if pairs.weight.dtype.kind == "i" else TIE_TOLERANCE * float(pairs.weight.sum())
    for i, (a, b) in enumerate(both):
        choices = candidates(scores[a], scores[b], pairs, (0, 3) if whole_groups else (0, 1, 2, 3))
        nothing = best_accuracies(choices, np.zeros(pairs.left.size, dtype=np.uint8))
        observed[i] = nothing[0] - nothing[1]
        for r, mask in enumerate(swapped):
            first, second = best_accuracies(choices, 2 * mask.take(pairs.left) + mask.take(pairs.right))
            leads[r, i] = first - second
    return Leads(observed, leads, np.full(len(both), slack), len(metrics))


def pair_swap_pvalues(
    metrics: FloatArray,
    human: FloatArray,
    *,
    level: SwapLevel = "segment",
    thresholds: FloatArray | None = None,
) -> FloatArray:
    r"""One-sided p-values of all pairs of metrics when every pair of systems is swapped independently; no resampling.

    Each metric keeps its own calibrated threshold, so it is either right or wrong about a pair, and swapping the
    pair exchanges these verdicts. Of the pairs on which just one of the two metrics is right, the row's share is
    binomial with ½: with b won and c lost,

    .. math:: p = P\Big(\text{Bin}(b + c, \tfrac12) \ge b\Big).

    Parameters
    ----------
    metrics : array, shape (k, m, n)
        Higher is better; no common scale is needed.
    human : array, shape (m, n)
        NaN: not judged. Such cells, and cells that any metric lacks, are left out for all.
    level : {"segment", "within_system", "global"}
    thresholds : array, shape (k,), optional
        By default those that :func:`betterthan.kernels.agreement.tie_calibration.calibrated_accuracy` finds best.

    Returns
    -------
    array, shape (k, k)
        p that the row's metric is the better one; 1 on the diagonal; NaN when there is no pair at all. Groups with
        different numbers of pairs weigh their pairs differently: then a weighted sign-flip test, exact where that
        is within reach and else the upper end of a certified bracket.

    Notes
    -----
    The pairs of a segment share scores and are not independent, so that swapping them one by one takes the data for
    more than they are: the type I error rate for two metrics with the same distribution, 14 systems on 100 segments,
    was 15% at the 5% level. The test is offered because it is published. For claims, swap whole segments:
    :func:`accuracy_leads_block` with "perm_inputs", or, at fixed thresholds and without resampling, the
    :func:`~betterthan.kernels.metric_swaps.segments.closed_form` of the segments' accuracies (4% in the same
    simulation).

    Examples
    --------
    >>> human = np.array([[1.0, 2.0, 3.0, 1.0]] * 2) + np.array([[0.0], [1.0]])
    >>> pair_swap_pvalues(np.stack([human, -human]), human)
    array([[1.    , 0.0625],
           [1.    , 1.    ]])
    """
    shared = judged_human(metrics, human)
    if thresholds is None:
        thresholds = np.array([calibrated_accuracy(metric, shared, level).threshold for metric in metrics])
    grouped, scores = arranged(shared, level), arranged(metrics, level)
    n_pairs = _n_pairs(grouped)
    sizes, place = np.unique(n_pairs[n_pairs > 0], return_index=True)
    if not sizes.size:
        return np.full((len(metrics), len(metrics)), np.nan)
    won = np.stack([_won(scores[:, n_pairs == s], grouped[n_pairs == s], thresholds) for s in sizes])
    if sizes.size == 1:
        return at_least(won[0], won[0] + won[0].T)
    weight = _weights(n_pairs)[n_pairs > 0][place]
    pvalues = np.ones((len(metrics), len(metrics)))
    for a, b in combinations(range(len(metrics)), 2):
        counts = np.concatenate([won[:, a, b], won[:, b, a]]).astype(np.int64)
        differences = np.repeat(np.concatenate([weight, -weight]).astype(np.float64), counts)
        # A zero changes nothing, and lets metrics that never differ have p = 1.
        pvalues[a, b], pvalues[b, a] = both_sides(np.append(differences, 0.0))
    return pvalues


def _won(scores: FloatArray, human: FloatArray, thresholds: FloatArray) -> FloatArray:
    """Count the pairs about which the row's metric is right and the column's wrong: (k, k)."""
    k, groups, size = scores.shape
    won = np.zeros((k, k))
    step = max(1, 2 * VERDICTS // max(1, k * size * size))
    for start in range(0, groups, step):
        part = slice(start, start + step)
        right, wrong = (said.reshape(k, -1) for said in verdicts(scores[:, part], human[part], thresholds))
        # float32 counts exactly up to 2²⁴, more than the pairs of a part.
        won += right.astype(np.float32) @ wrong.T.astype(np.float32)
    return won


def verdicts(scores: FloatArray, human: FloatArray, thresholds: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Whether metric and human judges agree on a pair (same order or both tied), and whether they disagree.

    Parameters
    ----------
    scores : array, shape (k, g, s)
    human : array, shape (g, s)
        A pair that was not judged is neither right nor wrong.
    thresholds : array, shape (k,)

    Returns
    -------
    right, wrong : array of bool, shape (k, s (s - 1) / 2, g)

    Examples
    --------
    >>> right, wrong = verdicts(np.array([[[1.0, 1.5, 4.0]]]), np.array([[1.0, 3.0, 3.0]]), np.array([0.5]))
    >>> right[0, :, 0].tolist(), wrong[0, :, 0].tolist()
    ([False, True, False], [True, False, True])
    """
    first, second = np.triu_indices(human.shape[1], 1)
    columns = np.ascontiguousarray(human.T)
    gold = np.sign(columns[first] - columns[second])
    tied, known = gold == 0, ~np.isnan(gold)
    right = np.empty((len(scores), *gold.shape), dtype=np.bool_)
    for a, threshold in enumerate(thresholds.tolist()):
        columns = np.ascontiguousarray(scores[a].T)
        gap = columns[first] - columns[second]
        right[a] = (gold * gap > threshold) | (tied & (np.abs(gap) <= threshold))
    return right, ~right & known
