"""Significance of the difference between two metrics' accuracies with calibrated ties, beside the peer.

Usage: python benchmarks/accuracy_significance.py

Processor time of one thread, ours the least of several repeats. The peer named mt-metrics-eval is a literal
implementation of its published algorithm, written by us: a loop over segments for every resample of swapped pairs,
and a sweep over all thresholds for both metrics of every resample of swapped scores. `~` marks what was extrapolated
from a few resamples to 1000. Numbers are compared on the same masks; a difference ends with exit code 1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits
from tie_calibration import published

from betterthan.arrays import BoolArray, FloatArray
from betterthan.kernels.metric_swaps.masks import draw_masks
from betterthan.kernels.metric_swaps.segments_accuracy import (
    accuracy_leads_block,
    accuracy_leads_of_masks,
    best_accuracies,
    candidates,
    pair_swap_pvalues,
    pairs_of,
)

SYSTEMS, SEGMENTS, N_RESAMPLES = 14, 1300, 1000
PAIR_RESAMPLES = 10  # of the peer
SCORE_RESAMPLES = 2  # of the peer
TOLERANCE = 1e-12


def example(m: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Error counts with many ties, as human judges give them, and two metrics on a fine scale that follow them."""
    rng = np.random.default_rng(m)
    quality = rng.normal(size=(m, n)) + rng.normal(size=n)
    noise = rng.normal(size=(2, m, n)) * np.array([0.7, 0.71])[:, None, None]
    return quality + noise, np.round(2 * np.minimum(0, quality - 0.5))


def verdicts(metric: FloatArray, human: FloatArray, threshold: float) -> BoolArray:
    """Whether the metric is right about every pair of systems on every segment: (n, pairs)."""
    first, second = np.triu_indices(len(human), 1)
    gap, gold = (table[first] - table[second] for table in (metric, human))
    return (np.where(np.abs(gap) <= threshold, 0, np.sign(gap)) == np.sign(gold)).T


def published_pair_swaps(right: tuple[BoolArray, ...], masks: BoolArray) -> FloatArray:
    """Difference of the two accuracies for every mask (b, n, pairs), segment by segment."""
    found = []
    for mask in masks:
        first, second = [], []
        for one, other, swapped in zip(*right, mask, strict=True):
            first.append(np.where(swapped, other, one).mean())
            second.append(np.where(swapped, one, other).mean())
        found.append(np.mean(first) - np.mean(second))
    return np.array(found)


def published_score_swaps(metrics: FloatArray, human: FloatArray, cells: BoolArray) -> FloatArray:
    """Accuracies of both swapped metrics for every mask (b, m, n), each with the best of all thresholds."""
    return np.array(
        [
            [published(np.where(mask, other, one), human)[0] for one, other in (metrics, metrics[::-1])]
            for mask in cells
        ]
    )


def our_score_swaps(metrics: FloatArray, human: FloatArray, cells: BoolArray) -> FloatArray:
    """Same from gaps sorted once."""
    pairs = pairs_of(human.T)
    choices = candidates(metrics[0].T.ravel(), metrics[1].T.ravel(), pairs)
    flat = cells.transpose(0, 2, 1).reshape(len(cells), -1).astype(np.uint8)
    won = [best_accuracies(choices, 2 * mask[pairs.left] + mask[pairs.right]) for mask in flat]
    return np.array(won) / pairs.weight.sum()


def timed(work: Callable[[], object], repeats: int = 1) -> float:
    """Processor seconds, the least of so many."""
    least = np.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return least


def same_pair_swaps(metrics: FloatArray, human: FloatArray, right: tuple[BoolArray, ...]) -> bool:
    """The peer's differences are flips of ours, and 10 000 flips find the closed form within their error."""
    rng = np.random.default_rng(6)
    masks = rng.random((3, *right[0].shape)) < 0.5
    difference = right[0].astype(np.float64) - right[1]
    flips = np.where(masks, -difference, difference).mean(axis=(1, 2))
    equal = np.allclose(published_pair_swaps(right, masks), flips, rtol=0, atol=TOLERANCE)
    discordant = difference[difference != 0]
    signs = [rng.choice([-1.0, 1.0], size=(1000, discordant.size)) @ discordant for _ in range(10)]
    share = np.mean(np.concatenate(signs) >= discordant.sum())
    near = abs(share - pair_swap_pvalues(metrics, human)[0, 1]) < 4.5 * 0.5 / np.sqrt(10_000)
    return bool(equal and near)


def same_tallies() -> bool:
    """On a small campaign the peer's tallies of 60 masks are ours, for every scheme."""
    metrics, human = example(6, 30)
    observed = published_score_swaps(metrics, human, np.zeros((1, 6, 30), dtype=bool))[0]
    for scheme in ("perm_inputs", "perm_systems", "perm_both", "perm_cells"):
        cells = draw_masks(scheme, 60, human.shape, np.random.default_rng(7)).cells()
        gain = np.diff(published_score_swaps(metrics, human, cells))[:, 0] - np.diff(observed)
        peer = np.count_nonzero(gain <= 1e-9), np.count_nonzero(gain >= -1e-9)
        ours = accuracy_leads_of_masks(metrics, human, cells).tallies()
        if peer != (ours[0, 1], ours[1, 0]):
            print(f"{scheme}: ours {ours.tolist()}, the peer's {peer}", file=sys.stderr)
            return False
    return True


def pair_swaps() -> tuple[float, float, bool]:
    """Seconds of ours and of the peer, and whether they agree, for swapped pairs."""
    metrics, human = example(SYSTEMS, SEGMENTS)
    ours = timed(lambda: pair_swap_pvalues(metrics, human), repeats=15)
    start = time.process_time()
    right = tuple(verdicts(metric, human, published(metric, human)[1]) for metric in metrics)
    calibrated = time.process_time() - start

    def resampled() -> FloatArray:
        masks = np.random.default_rng(5).random((PAIR_RESAMPLES, *right[0].shape)) < 0.5
        return published_pair_swaps(right, masks)

    peer = calibrated + timed(resampled) * N_RESAMPLES / PAIR_RESAMPLES
    return ours, peer, same_pair_swaps(metrics, human, right)


def score_swaps() -> tuple[float, float, bool]:
    """Seconds of ours and of the peer, and whether they agree, for swapped scores."""
    metrics, human = example(SYSTEMS, SEGMENTS)
    rng = np.random.default_rng(8)
    ours = timed(lambda: accuracy_leads_block(metrics, human, "perm_both", N_RESAMPLES, rng), repeats=2)
    cells = draw_masks("perm_both", SCORE_RESAMPLES, human.shape, rng).cells()
    start = time.process_time()
    expected = published_score_swaps(metrics, human, cells)
    peer = (time.process_time() - start) * N_RESAMPLES / SCORE_RESAMPLES
    equal = np.allclose(our_score_swaps(metrics, human, cells), expected, rtol=0, atol=1e-10)
    return ours, peer, bool(equal and same_tallies())


def shown(seconds: float) -> str:
    """Seconds in a unit that keeps the number readable."""
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def main() -> int:
    """Print the table; 1 when numbers that must be equal are not."""
    print(f"One pair of metrics, {SYSTEMS} systems x {SEGMENTS} segments, {N_RESAMPLES} resamples")
    print(f"{'work':<42} {'ours':>10} {'peer':>11} {'ratio':>9} {'wanted':>8}  equal?")
    wrong = False
    with threadpool_limits(1):
        for work, measure, wanted in [
            ("pairs swapped: closed form", pair_swaps, 1000),
            ("PERM-BOTH, thresholds found anew", score_swaps, 300),
        ]:
            ours, peer, is_equal = measure()
            print(
                f"{work:<42} {shown(ours):>10} {'~' + shown(peer):>11} {'~' + format(peer / ours, '.0f'):>8}x"
                f" {f'>={wanted}':>8}  {'yes' if is_equal else 'NO'}",
                flush=True,
            )
            wrong = wrong or not is_equal
    if wrong:
        print("Numbers that must be equal are not.", file=sys.stderr)
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
