"""Soft pairwise accuracy, and which of two metrics is better by it, side by side with the literal way.

Usage: python benchmarks/metric_significance.py [--quick]

Processor time of one thread. `~` marks what was extrapolated from a part of the job. The peer is a literal
implementation, written by us, of the algorithm published with soft pairwise accuracy: float32 signs, one product a
metric, a loop over pairs of systems; for metrics against metrics both are formed and judged again in every resample.
It is timed as mt-metrics-eval works, drawing the signs and judging people again in every call, and as the paper
advises ("thrifty"), keeping both.
Numbers are compared on the same signs and masks; a difference ends with exit code 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, islice

import numpy as np
from threadpoolctl import threadpool_limits

from betterthan.arrays import BoolArray, FloatArray
from betterthan.kernels.agreement.correlation import pearson
from betterthan.kernels.agreement.soft_pairwise import (
    one_sided_pvalues,
    pvalues_of_tables,
    soft_pairwise_accuracy,
)
from betterthan.kernels.agreement.system_means import kendall_of_means, pairs_of
from betterthan.kernels.compiled import load_compiler
from betterthan.kernels.metric_swaps.masks import SwapScheme, draw_masks, leads_of_values
from betterthan.kernels.metric_swaps.means import VALUE_TOLERANCE, means_values, standardised
from betterthan.kernels.metric_swaps.soft import monte_carlo_values, packed_flips, soft_values
from betterthan.kernels.sign_flips.permutation import Float32Array, random_signs

METRICS, SYSTEMS, SEGMENTS = 25, 14, 1300
N_PERMUTATIONS = 1000
N_RESAMPLES = 1000
N_PAIRS = METRICS * (METRICS - 1) // 2
SEED = 4

Values = tuple[FloatArray, Iterator[FloatArray]]


def campaign(k: int, m: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Human scores (m, n) and standardized metrics (k, m, n) that see quality more and less well."""
    rng = np.random.default_rng(k * m * n)
    quality = 2 / np.sqrt(n) * rng.normal(size=(m, 1))
    human = quality + rng.normal(size=(m, n))
    noise = rng.normal(size=(k, m, n)) * np.linspace(0.3, 3, k)[:, None, None]
    return human, standardised(quality + rng.normal(size=(m, n)) + noise)


def published_signs(n: int) -> Float32Array:
    """Signs as mt-metrics-eval makes them in every call."""
    signs = np.random.default_rng(SEED).random((N_PERMUTATIONS, n), dtype=np.float32)
    np.rint(signs, out=signs)
    signs *= 2
    signs -= 1
    return signs


def published_pvalues(goodness: FloatArray, signs: Float32Array | None) -> FloatArray:
    """One-sided p-values as published, above the diagonal."""
    if signs is None:
        signs = published_signs(goodness.shape[1])
    m = len(goodness)
    single = goodness.astype(np.float32)
    totals = single.sum(axis=1)
    sums = signs @ single.T
    pvalues = np.full((m, m), np.nan)
    for a, b in combinations(range(m), 2):
        pvalues[a, b] = np.sum(sums[:, a] - sums[:, b] >= totals[a] - totals[b]) / len(signs)
    return pvalues


def published_soft(metric: FloatArray, human: FloatArray) -> float:
    """Soft pairwise accuracy as published: signs drawn and people judged again in every call."""
    gaps = np.abs(published_pvalues(human, None) - published_pvalues(metric, None))
    return 1.0 - float(np.nanmean(gaps))


def thrifty_soft(metric: FloatArray, human_p: FloatArray, signs: Float32Array) -> float:
    """The same with signs and human p-values kept."""
    return 1.0 - float(np.nanmean(np.abs(human_p - published_pvalues(metric, signs))))


def swapped_values(
    first: FloatArray, second: FloatArray, cells: BoolArray, value: Callable[[FloatArray], float]
) -> tuple[float, float]:
    """Values of two metrics after a swap, formed and judged again."""
    return value(np.where(cells, second, first)), value(np.where(cells, first, second))


def our_values(human: FloatArray, metrics: FloatArray) -> FloatArray:
    """Soft pairwise accuracy of all metrics, Monte Carlo, people once."""
    rng = np.random.default_rng(SEED)
    human_p, *metric_p = pvalues_of_tables(
        [human, *metrics], "monte_carlo", n_resamples=N_PERMUTATIONS, rng=rng
    )
    return soft_pairwise_accuracy(np.stack(metric_p), human_p)


def our_analytic_values(human: FloatArray, metrics: FloatArray) -> FloatArray:
    """The same without resampling."""
    metric_p = np.stack([one_sided_pvalues(one, "analytic") for one in metrics])
    return soft_pairwise_accuracy(metric_p, one_sided_pvalues(human, "analytic"))


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """Processor seconds of a work, the least of some repeats."""
    least = np.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return float(least)


def shown(value: float) -> str:
    """Seconds in a unit that keeps the number readable."""
    if value >= 600:
        return f"{value / 3600:.2f} h"
    return f"{1e3 * value:.1f} ms" if value < 1 else f"{value:.1f} s"


def line(work: str, ours: str, peer: str, ratio: str, wanted: str, verdict: str) -> None:
    """One row of the table."""
    print(f"{work:<58} {ours:>10} {peer:>10} {ratio:>9} {wanted:>7}  {verdict}", flush=True)


def row(work: str, ours: float, peer: float, wanted: float | None, *, mark: str = "", equal: bool) -> bool:
    """Print a comparison; True when the numbers are as they must be."""
    line(
        work,
        shown(ours),
        "~" + shown(peer) if mark else shown(peer),
        f"{mark}{peer / ours:.0f}x",
        f">={wanted:g}" if wanted else "",
        "yes" if equal else "NO",
    )
    return equal


def measure_values(human: FloatArray, metrics: FloatArray) -> bool:
    """Soft pairwise accuracy itself."""
    signs = random_signs(N_PERMUTATIONS, SEGMENTS, np.random.default_rng(SEED))

    def thrifty() -> list[float]:
        human_p = published_pvalues(human, signs)
        return [thrifty_soft(one, human_p, signs) for one in metrics]

    found = our_values(human, metrics)
    # float32 sums put a permutation or two of 91 000 on the other side.
    equal = bool(np.abs(found - thrifty()).max() < 1e-4)
    near = bool(np.abs(our_analytic_values(human, metrics) - found).max() < 0.015)
    literal = seconds(lambda: [published_soft(one, human) for one in metrics], 3)
    kept = seconds(thrifty, 3)
    sampled = seconds(lambda: our_values(human, metrics), 5)
    smooth = seconds(lambda: our_analytic_values(human, metrics), 5)
    size = f"{METRICS} x {SYSTEMS} x {SEGMENTS}"
    good = [
        row(f"{size}, Monte Carlo, peer as published", sampled, literal, 10, equal=equal),
        row(f"{size}, Monte Carlo, thrifty peer", sampled, kept, None, equal=equal),
        row(f"{size}, analytic, peer as published", smooth, literal, 10, equal=near),
    ]
    return all(good)


def same_swaps(metrics: FloatArray, human: FloatArray, scheme: SwapScheme) -> bool:
    """Given the same masks and signs, the literal way finds our values of swapped metrics."""
    masks = draw_masks(scheme, 1, human.shape, np.random.default_rng(1))
    signs = random_signs(N_PERMUTATIONS, SEGMENTS, np.random.default_rng(SEED))
    human_p = published_pvalues(human, signs)
    pairs = pairs_of(SYSTEMS)
    flips = packed_flips(N_PERMUTATIONS, SEGMENTS, np.random.default_rng(SEED))
    ours = monte_carlo_values(metrics, human_p[pairs.first, pairs.second], pairs, flips, 0, masks)[0]
    value = partial(thrifty_soft, human_p=human_p, signs=signs)
    for a, b in islice(combinations(range(METRICS), 2), 12):
        theirs = swapped_values(metrics[a], metrics[b], masks.cells()[0], value)
        if np.abs(np.subtract(theirs, (ours[a, b], ours[b, a]))).max() > 1e-4:
            return False
    return True


def measure_swaps(human: FloatArray, metrics: FloatArray, scheme: SwapScheme, part: int) -> bool:
    """Ours on `part` resamples and the peer on some pairs of metrics in one."""
    signs = random_signs(N_PERMUTATIONS, SEGMENTS, np.random.default_rng(SEED))
    human_p = published_pvalues(human, signs)
    cells = draw_masks(scheme, 1, human.shape, np.random.default_rng(1)).cells()[0]
    chosen = list(islice(combinations(metrics, 2), 12))
    ways = partial(published_soft, human=human), partial(thrifty_soft, human_p=human_p, signs=signs)
    literal, kept = (
        N_RESAMPLES
        * N_PAIRS
        / len(chosen)
        * seconds(lambda way=way: [swapped_values(a, b, cells, way) for a, b in chosen], 2)
        for way in ways
    )

    def ours(kind: str, n_resamples: int) -> float:
        block = partial(
            swapped, soft_values, metrics, human_p, scheme, [(n_resamples, np.random.default_rng(1))]
        )
        work = partial(block, p_values=kind, signs_rng=np.random.default_rng(SEED))
        return N_RESAMPLES / n_resamples * seconds(work)

    equal = same_swaps(metrics, human, scheme)
    sampled = ours("monte_carlo", part)
    smooth = ours("analytic", N_RESAMPLES if scheme == "perm_inputs" else 2 * part)
    good = [
        row(f"{scheme}, Monte Carlo, peer as published", sampled, literal, 200, mark="~", equal=equal),
        row(f"{scheme}, Monte Carlo, thrifty peer", sampled, kept, None, mark="~", equal=equal),
        row(f"{scheme}, analytic, peer as published", smooth, literal, 200, mark="~", equal=equal),
    ]
    return all(good)


def swapped(values: Callable[..., Values], *arguments: object, **options: object) -> None:
    """Count what a comparison of metrics counts."""
    observed, portions = values(*arguments, **options)
    for portion in portions:
        leads_of_values(portion, observed, VALUE_TOLERANCE).tallies()


def show_growth() -> None:
    """How our cost of 1000 resamples grows."""
    print(
        f"\n{'all pairs of metrics, 1000 resamples, perm_inputs':<50} {'pearson':>9} {'kendall':>9} {'analytic':>9} "
        f"{'Monte Carlo':>12}"
    )
    for k, m, n in ((25, 14, 1300), (50, 14, 1300), (25, 28, 1300), (25, 14, 2600)):
        human, metrics = campaign(k, m, n)
        human_p = one_sided_pvalues(human, "analytic")
        rng = np.random.default_rng(1)
        means = [
            20
            * seconds(
                partial(swapped, means_values, metrics, human.mean(axis=1), s, "perm_inputs", [(50, rng)])
            )
            for s in (pearson, kendall_of_means)
        ]
        analytic = 10 * seconds(partial(swapped, soft_values, metrics, human_p, "perm_inputs", [(100, rng)]))
        block = partial(swapped, soft_values, metrics, human_p, "perm_inputs", [(10, rng)])
        sampled = 100 * seconds(partial(block, p_values="monte_carlo", signs_rng=np.random.default_rng(SEED)))
        times = [f"~{shown(x)}" for x in (*means, analytic, sampled)]
        size = f"{k} metrics x {m} systems x {n} segments"
        print(f"{size:<50} {times[0]:>9} {times[1]:>9} {times[2]:>9} {times[3]:>12}", flush=True)


def main() -> int:
    """Print the tables; 1 when numbers that must be equal are not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out how the cost grows")
    quick = parser.parse_args().quick
    human, metrics = campaign(METRICS, SYSTEMS, SEGMENTS)
    has_compiler = load_compiler()
    print("Counting in machine code." if has_compiler else "Counting without machine code (no numba).")
    line("work", "ours", "peer", "ratio", "wanted", "equal?")
    with threadpool_limits(1):
        human_p, streams = one_sided_pvalues(human, "analytic"), [(1, np.random.default_rng(0))]
        warm = partial(swapped, soft_values, metrics[:2], human_p, "perm_inputs", streams)
        warm(p_values="monte_carlo", signs_rng=np.random.default_rng(0))
        good = [measure_values(human, metrics)]
        good += [measure_swaps(human, metrics, scheme, 100) for scheme in ("perm_inputs", "perm_both")]
        if not quick:
            show_growth()
    if not all(good):
        print("Numbers that must be equal are not.", file=sys.stderr)
    return int(not all(good))


if __name__ == "__main__":
    raise SystemExit(main())
