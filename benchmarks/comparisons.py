"""Verbs that compare all pairs of systems, end to end at their defaults, beside the peer's bare p-values.

Usage: python benchmarks/comparisons.py [--quick]

Processor time of one thread, the least of several repeats, ours and the peer in turn, with one BLAS thread for both.
Ours includes effects, intervals, correction and verdicts; the peer, a literal implementation of the published algorithm
of mt-metrics-eval written by us, draws its signs as the published function does, and gives one-sided p-values and
nothing else. Our p-values are compared with certified brackets of some pairs, those of 999 permutations within what
chance allows; one that lies outside ends with exit code 1. Comparisons by win rate have no peer.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable

import numpy as np
from permutation import example, least_times, published_pvalues, published_signs
from threadpoolctl import threadpool_limits

import betterthan as bt
from betterthan.arrays import FloatArray
from betterthan.kernels.comparisons.strengths import segment_win_rates
from betterthan.kernels.sign_flips.bracket import sign_flip_bracket

SIZES = ((14, 1300, 0.15), (60, 2000, 0.7), (200, 10_000, 10.0))
N_RESAMPLES = 999
CHANCE = 4.5 * 0.5 / np.sqrt(N_RESAMPLES)


def scores_of(goodness: FloatArray) -> bt.Scores:
    """A table of systems S0, S1, … and segments 0, 1, …"""
    m, n = goodness.shape
    return bt.Scores(
        name="score",
        systems=[f"S{i}" for i in range(m)],
        segments=[str(i) for i in range(n)],
        values=goodness,
    )


def inside_brackets(
    goodness: FloatArray, found: bt.PairwiseTable, *, chance: float = 0.0, n_pairs: int = 12
) -> bool:
    """Whether p-values of some pairs lie within certified brackets, as far as those see, but for chance."""
    rng = np.random.default_rng(0)
    for _ in range(n_pairs):
        a, b = rng.choice(len(goodness), 2, replace=False).tolist()
        bracket, p = sign_flip_bracket(goodness[a] - goodness[b]), found.pair(f"S{a}", f"S{b}").pvalue
        if not (
            bracket.low * (1 - 1e-9) - chance <= p <= bracket.high * (1 + 1e-9) + chance
            or (bracket.low < 1e-8 and p < 1e-8)
        ):
            return False
    return True


def main() -> int:
    """Print the figures; 1 when a p-value is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="leave out the largest table")
    sizes = SIZES[:-1] if parser.parse_args().quick else SIZES
    good = True
    print(
        f"{'systems x segments':>20}  {'compare':>9}  {'wanted':>7}  {'sampled':>9}  {'peer':>9}  {'ratio':>6}  "
        f"{'wanted':>6}  equal?"
    )
    for m, n, wanted in sizes:
        goodness = example(m, n)
        scores = scores_of(goodness)
        rounds = 1 if m == 200 else 25  # a few milliseconds are only found out by many
        # A table keeps its digest, so every call gets a table of its own.
        tables = iter([scores_of(goodness) for _ in range(6 * rounds + 1)])

        def drawn() -> bt.PairwiseTable:
            return bt.compare(next(tables), method="monte_carlo", n_resamples=N_RESAMPLES)  # noqa: B023

        equal = inside_brackets(goodness, bt.compare(scores))
        equal &= inside_brackets(goodness, drawn(), chance=CHANCE)
        good &= equal
        with threadpool_limits(1):  # for the peer; our verbs see to it themselves
            ours, sampled, peer = least_times(
                [
                    lambda: bt.compare(next(tables)),  # noqa: B023
                    drawn,
                    lambda: published_pvalues(goodness, published_signs(n)),  # noqa: B023
                ],
                repeats=rounds,
            )
        print(
            f"{f'{m} x {n}':>20}  {ours:8.3f}s  {wanted:6.2f}s  {sampled:8.3f}s  {peer:8.3f}s  {peer / sampled:5.2f}x  "
            f"{'>=2x':>6}  {'yes' if equal else 'NO'}"
        )
    return 0 if good and by_win_rate(sizes) else 1


def by_win_rate(sizes: Iterable[tuple[int, int, float]]) -> bool:
    """Print the times of comparisons of win rates, whose differences lie on a fine lattice; False when p is wrong."""
    good = True
    print(f"\n{'systems x segments':>20}  {'by win rate':>11}  equal?")
    for m, n, _ in sizes:
        goodness = example(m, n)
        start = time.process_time()
        found = bt.compare(scores_of(goodness), by="win_rate")
        took = time.process_time() - start
        equal = inside_brackets(segment_win_rates(goodness).T, found, n_pairs=4)
        good &= equal
        print(f"{f'{m} x {n}':>20}  {took:10.3f}s  {'yes' if equal else 'NO'}", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main())
