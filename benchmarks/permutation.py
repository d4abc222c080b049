"""All-pairs permutation p-values and the same without resampling, side by side with the peers.

Usage: python benchmarks/permutation.py [--quick]

Processor time of one thread, the least of several repeats, ours and the peer in turn. `~` marks what was
extrapolated from a part of the job. The peer named mt-metrics-eval is a literal implementation of its published
algorithm, written by us: float32 signs from uniform numbers, one product, a loop over pairs. Numbers are
compared; a difference ends with exit code 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import combinations, islice

import numpy as np
from threadpoolctl import threadpool_limits

from betterthan.arrays import FloatArray
from betterthan.kernels.compiled import load_compiler
from betterthan.kernels.sign_flips.analytic import edgeworth_pvalues, pair_moments
from betterthan.kernels.sign_flips.bracket import sign_flip_bracket
from betterthan.kernels.sign_flips.permutation import (
    CentredScores,
    Float32Array,
    centred_scores,
    permutation_block,
    random_signs,
)

N_RESAMPLES = 1000
SIZES = ((14, 1300), (60, 2000), (200, 10_000))
HEADER = ("work", "ours", "peer", "ratio", "wanted", "equal?")


def published_signs(n: int, seed: int = 4) -> Float32Array:
    """Random signs as mt-metrics-eval makes them: uniform numbers, rounded, stretched and shifted."""
    signs = np.random.default_rng(seed).random((N_RESAMPLES, n), dtype=np.float32)
    np.rint(signs, out=signs)
    signs *= 2
    signs -= 1
    return signs


def published_pvalues(goodness: FloatArray, signs: Float32Array) -> FloatArray:
    """One-sided p-values as mt-metrics-eval publishes them, above the diagonal."""
    m = len(goodness)
    single = goodness.astype(np.float32)
    totals = single.sum(axis=1)
    sums = signs @ single.T
    pvalues = np.full((m, m), np.nan)
    for a in range(m):
        for b in range(a + 1, m):
            pvalues[a, b] = np.sum(sums[:, a] - sums[:, b] >= totals[a] - totals[b]) / N_RESAMPLES
    return pvalues


def scipy_pvalue(a: FloatArray, b: FloatArray) -> float:
    """The same question for one pair, as scipy.stats asks to have it put."""
    from scipy.stats import permutation_test

    def statistic(x: FloatArray, y: FloatArray, axis: int) -> FloatArray:
        return np.asarray(np.mean(x - y, axis=axis))

    found = permutation_test(
        (a, b),
        statistic,
        permutation_type="samples",
        n_resamples=N_RESAMPLES,
        alternative="greater",
        vectorized=True,
        batch=100,
    )
    return float(found.pvalue)


def one_sided(goodness: FloatArray | CentredScores) -> FloatArray:
    """Our Monte Carlo p-values in the published convention, b / B."""
    found = permutation_block(goodness, N_RESAMPLES, np.random.default_rng(4), alternative="greater")
    return (found.greater + found.equal) / N_RESAMPLES


def normal(goodness: FloatArray) -> FloatArray:
    """Our p-values without resampling, second moments only."""
    moments = pair_moments(goodness, order=2)
    return edgeworth_pvalues(moments.total, moments.second, None, alternative="greater")


def edgeworth(goodness: FloatArray) -> FloatArray:
    """Our p-values without resampling, fourth moments too."""
    return edgeworth_pvalues(*pair_moments(goodness), alternative="greater")


def least_times(works: list[Callable[[], object]], repeats: int) -> list[float]:
    """Processor seconds of each work, the least of so many rounds in which each is done three times in a row."""
    least = [np.inf] * len(works)
    for _ in range(repeats):
        for i, work in [(i, work) for i, work in enumerate(works) for _ in range(3)]:
            start = time.process_time()
            work()
            least[i] = min(least[i], time.process_time() - start)
    return least


def example(m: int, n: int) -> FloatArray:
    """Scores of systems of slightly different quality on segments of different difficulty."""
    rng = np.random.default_rng(m)
    quality = 2 / np.sqrt(n) * rng.normal(size=(m, 1))
    return np.asarray(rng.normal(size=(m, n)) + rng.normal(size=n) + quality)


def same_tallies(goodness: FloatArray) -> bool:
    """Given the same signs, the published algorithm and ours find the same p-values, but for float32."""
    signs = random_signs(N_RESAMPLES, goodness.shape[1], np.random.default_rng(4))
    upper = np.triu_indices(len(goodness), 1)
    far = np.abs(one_sided(goodness) - published_pvalues(goodness, signs))[upper]
    # The peer compares uncentred float32 sums, so one resample in a thousand may fall on the other side.
    return bool(far.max() <= 2.5 / N_RESAMPLES and np.mean(far > 0) < 0.02)


def near_truth(goodness: FloatArray, pvalues: FloatArray, tolerance: float, n_pairs: int = 10) -> bool:
    """Within a tolerance of the certified bracket, on the first pairs."""
    for a, b in islice(combinations(range(len(goodness)), 2), n_pairs):
        low, high, _ = sign_flip_bracket(goodness[a] - goodness[b], alternative="greater", n_frequencies=2048)
        if not low - tolerance <= pvalues[a, b] <= high + tolerance:
            return False
    return True


def measure(m: int, n: int, repeats: int) -> list[tuple[str, float, float, str, float, bool]]:
    """Rows of the table for one size."""
    goodness = example(m, n)
    n_pairs = m * (m - 1) // 2
    ours, quick, fine, peer = least_times(
        [
            lambda: one_sided(goodness),
            lambda: normal(goodness),
            lambda: edgeworth(goodness),
            lambda: published_pvalues(goodness, published_signs(n)),
        ],
        repeats,
    )
    (single,) = least_times([lambda: scipy_pvalue(goodness[0], goodness[1])], 2)
    scores = centred_scores(goodness)
    agreed = same_tallies(goodness) and np.array_equal(one_sided(scores), one_sided(goodness))
    error = 4.5 * 0.5 / np.sqrt(N_RESAMPLES)
    sampled = near_truth(goodness, one_sided(goodness), error)
    its = abs(scipy_pvalue(goodness[0], goodness[1]) - one_sided(goodness)[0, 1]) <= 2 * error
    size = f"{m} x {n}"
    return [
        (f"{size}, mt-metrics-eval's algorithm", ours, peer, "", 3, agreed and sampled),
        (f"{size}, scipy.stats.permutation_test", ours, n_pairs * single, "~", 1000, its),
        (
            f"{size}, normal, against the first",
            quick,
            peer,
            "",
            10,
            near_truth(goodness, normal(goodness), 3e-3),
        ),
        (
            f"{size}, Edgeworth, against the first",
            fine,
            peer,
            "",
            10,
            near_truth(goodness, edgeworth(goodness), 3e-4),
        ),
    ]


def shown(seconds: float) -> str:
    """Seconds in a unit that keeps the number readable."""
    return f"{1e3 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.1f} s"


def main() -> int:
    """Print the table; 1 when numbers that must be equal are not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the largest size")
    sizes = SIZES[:-1] if parser.parse_args().quick else SIZES
    print(f"{HEADER[0]:<46} {HEADER[1]:>10} {HEADER[2]:>11} {HEADER[3]:>9} {HEADER[4]:>8}  {HEADER[5]}")
    wrong = False
    load_compiler()
    with threadpool_limits(1):
        for m, n in sizes:
            for work, ours, peer, mark, wanted, is_equal in measure(m, n, repeats=4 if n > 5000 else 25):
                verdict = "yes" if is_equal else "NO"
                print(
                    f"{work:<46} {shown(ours):>10} {mark + shown(peer):>11} {mark + format(peer / ours, '.1f'):>8}x"
                    f" {f'>={wanted:g}':>8}  {verdict}",
                    flush=True,
                )
                wrong = wrong or not is_equal
    if wrong:
        print("Numbers that must be equal are not.", file=sys.stderr)
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
