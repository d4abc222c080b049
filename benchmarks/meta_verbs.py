"""Call `meta_evaluate` as users do: soft pairwise accuracy of 25 metrics, 14 systems and 1,300 segments.

Usage: python benchmarks/meta_verbs.py [--quick]

Processor time of the whole call with one worker, the least of some repeats. The peer is the algorithm as published,
written by us: it gives values alone, without intervals, and draws and judges again in every call. `~` marks what was
extrapolated from its values of all metrics to both metrics of all 300 pairs in 1,000 swaps. Analytic values must equal
those of the kernels; Monte Carlo ones, and the peer's, must lie within 0.015 of them. A difference ends with exit code
1. The time that is wanted is printed beside the time measured.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from metric_significance import published_soft, seconds
from threadpoolctl import threadpool_limits

import betterthan as bt
from betterthan.kernels.agreement.soft_pairwise import pvalues_of_tables, soft_pairwise_accuracy

METRICS, SYSTEMS, SEGMENTS = 25, 14, 1300


def campaign() -> tuple[list[bt.Scores], bt.Scores]:
    """Metrics that see quality more and less well, and human scores."""
    rng = np.random.default_rng(19)
    quality = 2 / np.sqrt(SEGMENTS) * rng.normal(size=(SYSTEMS, 1))
    systems = [f"system {i}" for i in range(SYSTEMS)]
    segments = [str(i) for i in range(SEGMENTS)]

    def table(name: str, noise: float) -> bt.Scores:
        values = quality + noise * rng.normal(size=(SYSTEMS, SEGMENTS))
        return bt.Scores(name=name, systems=systems, segments=segments, values=values)

    noises = np.linspace(1.0, 3.0, METRICS)
    return [table(f"metric {i}", noise) for i, noise in enumerate(noises)], table("human", 1.0)


def measured(
    work: Callable[[list[bt.Scores], bt.Scores], bt.MetaEvaluation], repeats: int
) -> tuple[float, bt.MetaEvaluation]:
    """Processor seconds, the least of some repeats, and the result; a table keeps its digest, so each gets new ones."""
    least = np.inf
    for _ in range(repeats):
        metrics, human = campaign()
        start = time.process_time()
        result = work(metrics, human)
        least = min(least, time.process_time() - start)
    return float(least), result


def row(work: str, ours: float, wanted: float, peer: float, mark: str, *, equal: bool) -> bool:
    """Print one line of the table; True when the numbers are as they must be."""
    theirs = f"{mark}{peer:,.2f} s"
    ratio = f"{mark}{peer / ours:,.1f}x"
    verdict = "yes" if equal else "NO"
    print(f"{work:<42} {ours:>9.3f} s {wanted:>8.1f} s {theirs:>13} {ratio:>9}  {verdict}", flush=True)
    return equal


def published(metrics: list[bt.Scores], human: bt.Scores) -> tuple[float, float, dict[str, float]]:
    """Seconds of the peer for all values, and for 1,000 swaps of all pairs of metrics, and the values."""
    with threadpool_limits(1):
        values = {one.name: published_soft(one.goodness, human.goodness) for one in metrics}
        alone = seconds(lambda: [published_soft(one.goodness, human.goodness) for one in metrics], 2)
    n_pairs = len(metrics) * (len(metrics) - 1) // 2
    return alone, 1000 * n_pairs * 2 * alone / len(metrics), values


def main() -> int:
    """Print the table; 1 when numbers that must be equal are not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the Monte Carlo comparisons")
    quick = parser.parse_args().quick
    metrics, human = campaign()
    human_p, *metric_p = pvalues_of_tables([one.goodness for one in (human, *metrics)], "analytic")
    names = [one.name for one in metrics]
    literal = dict(zip(names, soft_pairwise_accuracy(np.stack(metric_p), human_p).tolist(), strict=True))

    def is_near(result: bt.MetaEvaluation, tolerance: float) -> bool:
        found = dict(zip(result.metrics, np.asarray(result.value).tolist(), strict=True))
        return all(abs(found[name] - literal[name]) <= tolerance for name in names)

    alone, swapped, theirs = published(metrics, human)
    print(f"{'work':<42} {'measured':>11} {'wanted':>10} {'peer':>13} {'ratio':>9}  equal?")
    cases = [
        ("intervals, Monte Carlo p-values", 0.1, 9, 0.015, {"significance": "none"}),
        ("intervals, analytic p-values", 0.1, 9, 1e-12, {"significance": "none", "p_values": "analytic"}),
        (
            "300 comparisons, analytic",
            2.0,
            2,
            1e-12,
            {"significance": "perm_inputs", "p_values": "analytic"},
        ),
        ("300 comparisons, Monte Carlo", 15.0, 1, 0.015, {"significance": "perm_inputs"}),
    ]
    good = [all(abs(theirs[name] - literal[name]) <= 0.015 for name in names)]
    for work, wanted, repeats, tolerance, options in cases[: 3 if quick else 4]:
        ours, result = measured(partial(bt.meta_evaluate, workers=1, **options), repeats)
        peer, mark = (alone, "") if options["significance"] == "none" else (swapped, "~")
        good.append(row(work, ours, wanted, peer, mark, equal=is_near(result, tolerance)))
    if not all(good):
        print("Numbers that must be equal are not.", file=sys.stderr)
    return int(not all(good))


if __name__ == "__main__":
    raise SystemExit(main())
