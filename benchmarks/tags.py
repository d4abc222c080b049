"""Randomisation tests of word tags beside scikit-learn: 190 pairs of systems, 500,000 tags, 1000 swaps.

Times are CPU time of one thread, the least of several runs; ``~`` is extrapolated from part of the work. The program
ends with status 1 when p-values that are compared are not equal, or when it is not ten thousand times as fast.

Run it with ``python benchmarks/tags.py``.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable

import numpy as np

from betterthan.analysis.tags.tag_counts import tag_counts
from betterthan.arrays import FloatArray
from betterthan.kernels.sign_flips.permutation import add_one, random_signs
from betterthan.kernels.significance.counts_permutation import counts_permutation_block
from betterthan.kernels.tags.confusion import confusion_counts, f1_mult, matthews
from betterthan.tables.tags import WordTags

N_SYSTEMS, N_WORDS, N_SEGMENTS, N_RESAMPLES = 20, 500_000, 25_000, 1000
PROMISED = 10_000
FORMULAS = {"mcc": matthews, "f1_mult": f1_mult}
Score = Callable[[np.ndarray, np.ndarray], float]


def made(m: int, n_words: int, n_segments: int) -> WordTags:
    """Tags of systems that find more and more of the errors."""
    rng = np.random.default_rng(0)
    gold = rng.random(n_words) < 0.18
    finds = np.linspace(0.3, 0.5, m)[:, None]
    predicted = np.where(gold, rng.random((m, n_words)) < finds, rng.random((m, n_words)) < 0.08)
    return WordTags(
        systems=[f"S{i}" for i in range(m)],
        segments=[str(i) for i in range(n_segments)],
        gold=gold,
        predicted=predicted,
        offsets=np.linspace(0, n_words, n_segments + 1).astype(np.int64),
    )


def peers() -> dict[str, Score]:
    """The same scores by scikit-learn, from labels."""
    from sklearn.metrics import f1_score, matthews_corrcoef

    def product(gold: np.ndarray, tags: np.ndarray) -> float:
        bad, ok = f1_score(gold, tags, labels=[True, False], average=None)
        return float(bad * ok)

    return {"mcc": matthews_corrcoef, "f1_mult": product}


def pvalues(tags: WordTags, name: str, n_resamples: int) -> FloatArray:
    """From tags to p-values of all pairs."""
    counts = confusion_counts(tags.gold, tags.predicted, tags.offsets)
    found = counts_permutation_block(counts, n_resamples, np.random.default_rng(1), formula=FORMULAS[name])
    return add_one(found.greater + found.equal, n_resamples)


def by_peer(tags: WordTags, score: Score, n_resamples: int) -> FloatArray:
    """Swap the tags of segments, pair by pair and resample by resample, and score both sides."""
    signs = random_signs(n_resamples, len(tags.segments), np.random.default_rng(1))
    m = len(tags.systems)
    result = np.full((m, m), np.nan)
    lengths = np.diff(tags.offsets)
    for a, b in itertools.combinations(range(m), 2):
        one, other = tags.predicted[a], tags.predicted[b]
        seen = abs(score(tags.gold, one) - score(tags.gold, other))
        far = 0
        for row in signs:
            swap = np.repeat(row < 0, lengths)
            left, right = np.where(swap, other, one), np.where(swap, one, other)
            far += abs(score(tags.gold, left) - score(tags.gold, right)) >= seen - 1e-12
        result[a, b] = result[b, a] = (far + 1) / (n_resamples + 1)
    return result


def least(function: Callable[[], object], repeats: int) -> float:
    """CPU seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        function()
        times.append(time.process_time() - begin)
    return min(times)


def main() -> int:
    """Print one line a measure and say whether all of it held."""
    small, large = made(3, 600, 40), made(N_SYSTEMS, N_WORDS, N_SEGMENTS)
    n_pairs = N_SYSTEMS * (N_SYSTEMS - 1) // 2
    print(f"{n_pairs} pairs of systems, {N_WORDS:,} tags, {N_RESAMPLES:,} randomisations; CPU seconds")
    held = True
    for name, score in peers().items():
        ours, theirs = pvalues(small, name, 40), by_peer(small, score, 40)
        above = np.triu_indices(3, 1)
        is_equal = bool(np.array_equal(ours[above], theirs[above]))
        whole = least(lambda name=name: pvalues(large, name, N_RESAMPLES), 3)
        counting = least(lambda name=name: tag_counts(large, by=name), 3)
        # One swap of one pair costs two scores and the swapping itself.
        pair = WordTags(
            systems=large.systems[:2],
            segments=large.segments,
            gold=large.gold,
            predicted=large.predicted[:2],
            offsets=large.offsets,
        )
        swap = least(lambda pair=pair, score=score: by_peer(pair, score, 1), 3)
        plain = least(lambda pair=pair, score=score: score(pair.gold, pair.predicted[0]), 3)
        peer = (swap - 2 * plain) * n_pairs * N_RESAMPLES
        held = held and is_equal and peer / whole >= PROMISED
        print(
            f"  {name:8} {whole:8.3f} (counting {counting:.3f})   scikit-learn ~{peer / 3600:.1f} h   "
            f"~{peer / whole:,.0f} times   p-values on a small case {'equal' if is_equal else 'DIFFER'}"
        )
    print("held" if held else "NOT held")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
