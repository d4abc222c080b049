"""Accuracy with calibrated ties, side by side with the peer's algorithm.

Usage: python benchmarks/tie_calibration.py [--quick]

Processor time of one thread, ours the least of many repeats. The peer named mt-metrics-eval is a literal
implementation of its published algorithm, written by us: an object for each pair, all pairs sorted by gap, and one
Python step a pair that takes it out of its group's sums, puts it back as a tie, and updates the mean. Numbers are
compared, also where cells are missing and at the other levels; a difference ends with exit code 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.kernels.agreement.correlation import CorrelationLevel, cells_by_group
from betterthan.kernels.agreement.tie_calibration import accuracy_at, calibrated_accuracy

SIZES = ((14, 1300), (40, 1300))
WANTED = 100
TOLERANCE = 1e-12


@dataclass
class Tally:
    """Sums of a group of pairs, from which the peer takes its accuracy; of a single pair, what it adds to them."""

    concordant: int = 0
    discordant: int = 0
    human_ties: int = 0
    metric_ties: int = 0
    both_tie: int = 0

    def add(self, other: Tally) -> None:
        """Count a pair in."""
        self.concordant += other.concordant
        self.discordant += other.discordant
        self.human_ties += other.human_ties
        self.metric_ties += other.metric_ties
        self.both_tie += other.both_tie

    def remove(self, other: Tally) -> None:
        """Count a pair out again."""
        self.concordant -= other.concordant
        self.discordant -= other.discordant
        self.human_ties -= other.human_ties
        self.metric_ties -= other.metric_ties
        self.both_tie -= other.both_tie

    def accuracy(self) -> float:
        """Share of pairs in which both agree."""
        n = self.concordant + self.discordant + self.human_ties + self.metric_ties + self.both_tie
        return (self.concordant + self.both_tie) / n


@dataclass
class Pair:
    """Two elements of a group: what they add as they are, and what if the metric tied them."""

    group: int
    gap: float
    plain: Tally
    tied: Tally


def pair_of(group: int, human: tuple[float, float], metric: tuple[float, float]) -> Pair:
    """Classify a pair."""
    (h, other_h), (x, other_x) = human, metric
    if h == other_h:
        plain = Tally(both_tie=1) if x == other_x else Tally(human_ties=1)
    elif x == other_x:
        plain = Tally(metric_ties=1)
    else:
        plain = Tally(concordant=1) if (h > other_h) == (x > other_x) else Tally(discordant=1)
    return Pair(group, abs(x - other_x), plain, Tally(both_tie=1) if h == other_h else Tally(metric_ties=1))


def all_pairs(metric: FloatArray, human: FloatArray) -> list[Pair]:
    """List the pairs of every group, rows of both arrays, that have all four scores."""
    pairs = []
    for group, (xs, hs) in enumerate(zip(metric.tolist(), human.tolist(), strict=True)):
        known = [(x, h) for x, h in zip(xs, hs, strict=True) if x == x and h == h]  # noqa: PLR0124  (not NaN)
        for i, (x, h) in enumerate(known):
            pairs += [pair_of(group, (h, other_h), (x, other_x)) for other_x, other_h in known[i + 1 :]]
    return pairs


def published(
    metric: FloatArray, human: FloatArray, level: CorrelationLevel = "segment"
) -> tuple[float, float]:
    """Best accuracy and threshold as mt-metrics-eval publishes them."""
    pairs = all_pairs(*cells_by_group(metric, human, level))
    tallies: dict[int, Tally] = {}
    for pair in pairs:
        tallies.setdefault(pair.group, Tally()).add(pair.plain)
    total = sum(tally.accuracy() for tally in tallies.values())
    thresholds, accuracies = [0.0], [total / len(tallies)]
    for pair in sorted(pairs, key=lambda pair: pair.gap):
        tally = tallies[pair.group]
        total -= tally.accuracy()
        tally.remove(pair.plain)
        tally.add(pair.tied)
        total += tally.accuracy()
        if thresholds[-1] == pair.gap:
            accuracies[-1] = total / len(tallies)
        else:
            thresholds.append(pair.gap)
            accuracies.append(total / len(tallies))
    best = int(np.argmax(accuracies))
    return accuracies[best], thresholds[best]


def example(m: int, n: int, *, missing: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Error counts with many ties, as a human gives them, and a metric on a fine scale that follows them."""
    rng = np.random.default_rng(m)
    quality = rng.normal(size=(m, n)) + rng.normal(size=n)
    human = np.round(2 * np.minimum(0, quality - 0.5))
    metric = quality + 0.7 * rng.normal(size=(m, n))
    metric[rng.random((m, n)) < missing] = np.nan
    return metric, human


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Processor seconds, the least of so many."""
    least = np.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return least


def agrees(metric: FloatArray, human: FloatArray, level: CorrelationLevel, peer: tuple[float, float]) -> bool:
    """Say whether both find the same, aloud if not.

    The peer's running mean gathers rounding errors, so among equally good thresholds it may take another one.
    """
    ours = calibrated_accuracy(metric, human, level)
    at_its_threshold = accuracy_at(metric, human, peer[1], level).accuracy
    same = abs(ours.accuracy - peer[0]) <= TOLERANCE and abs(ours.accuracy - at_its_threshold) <= TOLERANCE
    if not same:
        print(f"{level}: ours {ours.accuracy} at {ours.threshold}, the peer's {peer}", file=sys.stderr)
    return same


def main() -> int:
    """Print the table; 1 when numbers that must be equal are not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the largest size")
    sizes = SIZES[:-1] if parser.parse_args().quick else SIZES
    print(f"{'work':<34} {'ours':>10} {'peer':>10} {'ratio':>8} {'wanted':>8}  equal?")
    fine = True
    for m, n in sizes:
        for missing in (0.0, 0.05):
            metric, human = example(m, n, missing=missing)
            start = time.process_time()
            peer = published(metric, human)
            cost = time.process_time() - start
            ours = seconds(lambda x=metric, h=human: calibrated_accuracy(x, h), 25)
            same = agrees(metric, human, "segment", peer)
            fine = fine and same
            work = f"{m} x {n}" + (f", {missing:.0%} missing" if missing else "")
            print(
                f"{work:<34} {1e3 * ours:>7.1f} ms {1e3 * cost:>7.0f} ms {cost / ours:>7.0f}x {f'>={WANTED}':>8}"
                f"  {'yes' if same else 'NO'}",
                flush=True,
            )
    small = example(6, 40, missing=0.1)
    levels: tuple[CorrelationLevel, ...] = ("within_system", "global", "system")
    for level in levels:
        fine = agrees(*small, level, published(*small, level)) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
