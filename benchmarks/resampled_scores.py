"""Bootstrap-resampled BLEU and chrF: 1000 corpora of 1000 segments for 14 systems, beside sacreBLEU.

Usage: python benchmarks/resampled_scores.py

Processor time of one process, texts to means: ours with the counting of n-grams, the peer as the paper does it, one
call of ``corpus_score`` for every corpus and system. `~` marks what was extrapolated from a few calls. The scores of
one drawn corpus are compared for all systems; a difference, or less than 1000 times the speed, ends with exit code 1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from threadpoolctl import threadpool_limits

import betterthan as bt
from betterthan.analysis.rank.bootstrap_mean import STREAM, BootstrapMean, bootstrap_mean
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.engine.blocks import stream

N_SYSTEMS, N_SEGMENTS, N_CORPORA, SIZE = 14, 1976, 1000, 1000
SEED = 12345
CALLS = 6  # of the peer, timed
WANTED = 1000


class Work(NamedTuple):
    """A metric, ours and the peer's."""

    name: str
    counted: Callable[[dict[str, list[str]], list[str]], bt.Counts]
    peer: BLEU | CHRF


WORKS = (
    Work("x-BLEU", lambda outputs, reference: bt.bleu(outputs, reference, workers=1), BLEU()),
    Work("x-chrF", lambda outputs, reference: bt.chrf(outputs, reference, workers=1), CHRF()),
)


def example() -> tuple[dict[str, list[str]], list[str]]:
    """Sentences of 3 to 60 made-up words, common and rare, and systems that get more or fewer of them right."""
    rng = np.random.default_rng(3)
    letters = np.array(list("etaoinshrdlucmfwygpbvk"))
    words = ["".join(rng.choice(letters, rng.integers(1, 11))) for _ in range(20_000)]
    chance = 1 / np.arange(1, 20_001)
    chance /= chance.sum()
    ends = [",", ".", "?", "", "", ""]

    def sentence(n: int) -> list[str]:
        return [words[i] + ends[rng.integers(6)] for i in rng.choice(20_000, n, p=chance)]

    reference = [sentence(n) for n in rng.integers(3, 61, N_SEGMENTS)]
    outputs = {}
    for s in range(N_SYSTEMS):
        kept = 0.5 + 0.03 * s
        lines = []
        for right in reference:
            other = sentence(len(right))
            lines.append(
                " ".join(
                    a if is_kept else b
                    for a, b, is_kept in zip(right, other, rng.random(len(right)) < kept, strict=True)
                )
            )
        outputs[f"S{s:02}"] = lines
    return outputs, [" ".join(line) for line in reference]


def ours(work: Work, outputs: dict[str, list[str]], reference: list[str]) -> BootstrapMean:
    """Texts to means."""
    resampling = Resampling.of(SEED, N_CORPORA, workers=1)
    return bootstrap_mean(work.counted(outputs, reference), RankOptions(size=SIZE), resampling)


def first_corpus() -> list[int]:
    """The segments of the first corpus that is drawn."""
    drawn = stream(SEED, STREAM, 0).integers(0, N_SEGMENTS, size=(1, SIZE))
    return [int(i) for i in drawn[0]]


def peer_scores(work: Work, outputs: dict[str, list[str]], reference: list[str]) -> tuple[list[float], float]:
    """The peer's scores of the first corpus, and its processor seconds a call."""
    rows = first_corpus()
    drawn = [reference[i] for i in rows]
    scores, least = [], np.inf
    for k, lines in enumerate(outputs.values()):
        some = [lines[i] for i in rows]
        start = time.process_time()
        scores.append(work.peer.corpus_score(some, [drawn]).score)
        if k < CALLS:
            least = min(least, time.process_time() - start)
    return scores, least


def shown(seconds: float) -> str:
    """Seconds in a unit that keeps the number readable."""
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.2f} s"


def main() -> int:
    """Print the table; 1 when numbers that must be equal are not, or the promised ratio is not reached."""
    outputs, reference = example()
    print(f"{'work':<10} {'ours':>10} {'sacreBLEU':>12} {'ratio':>9} {'wanted':>8}  equal?")
    wrong = False
    with threadpool_limits(1):
        for work in WORKS:
            start = time.process_time()
            found = ours(work, outputs, reference)
            seconds = time.process_time() - start
            theirs, call = peer_scores(work, outputs, reference)
            is_equal = bool(np.abs(found.scores[0] - theirs).max() < 1e-9)
            whole = call * N_CORPORA * N_SYSTEMS
            print(
                f"{work.name:<10} {shown(seconds):>10} {'~' + shown(whole):>12} {f'~{whole / seconds:.0f}x':>9} "
                f"{f'>={WANTED}':>8}  {'yes' if is_equal else 'NO'}",
                flush=True,
            )
            wrong = wrong or not is_equal or whole / seconds < WANTED
    if wrong:
        print("Numbers differ, or the promised ratio is not reached.", file=sys.stderr)
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
