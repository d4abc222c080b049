"""TER beside sacreBLEU: 14 systems on 1976 segments, the size of WMT23 Chinese to English.

The texts are those of WMT23 when the environment variable BETTERTHAN_DATA leads to them, else made here. Times are
CPU time of one thread, texts in and statistics out; ``~`` is extrapolated from part of the work, evenly spread. The
program ends with status 1 when numbers that are compared are not equal.

Run it with ``python benchmarks/ter.py``.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import betterthan as bt
from betterthan.arrays import FloatArray

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data")) / "wmt23-general-text"
N_SYSTEMS = 14
N_SEGMENTS = 1976
EVERY = 131  # sacreBLEU, and we without numba, do one of so many segments
PROMISED = 20

Texts = tuple[dict[str, list[str]], list[str]]


def real_texts(pair: str) -> Texts:
    """Outputs and reference A of a language pair."""

    def lines(path: Path) -> list[str]:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            return [line.rstrip("\n") for line in file]

    systems = sorted((FOLDER / pair / "sys").iterdir())[:N_SYSTEMS]
    return {path.name: lines(path) for path in systems}, lines(next((FOLDER / pair).glob("refA*")))


def made_texts() -> Texts:
    """Sentences of words as frequent as in English, and outputs with words exchanged, lost and moved."""
    rng = np.random.default_rng(0)
    lengths = np.maximum(1, rng.gamma(2.0, 12.0, size=N_SEGMENTS)).astype(int)
    references = [np.minimum(rng.zipf(1.3, size=length), 50_000) for length in lengths]

    def disturbed(words: np.ndarray) -> str:
        kept = words[rng.random(len(words)) > 0.1]
        changed = np.where(
            rng.random(len(kept)) < 0.3, np.minimum(rng.zipf(1.3, size=len(kept)), 50_000), kept
        )
        cuts = np.sort(rng.integers(len(kept) + 1, size=3))
        first, second, third, last = np.split(changed, cuts)
        return " ".join(map(str, np.concatenate([first, third, second, last])))

    outputs = {f"system {s + 1}": [disturbed(words) for words in references] for s in range(N_SYSTEMS)}
    return outputs, [" ".join(map(str, words)) for words in references]


def part_of(texts: Texts) -> Texts:
    """One of so many segments."""
    outputs, references = texts
    return {name: lines[::EVERY] for name, lines in outputs.items()}, references[::EVERY]


def by_sacrebleu(texts: Texts) -> tuple[FloatArray, FloatArray, float]:
    """Corpus and sentence scores, and CPU seconds for one of the two."""
    from sacrebleu.metrics import TER

    outputs, references = texts
    metric = TER()
    begin = time.process_time()
    scores = [
        [metric.sentence_score(line, [reference]) for line, reference in zip(lines, references, strict=True)]
        for lines in outputs.values()
    ]
    seconds = time.process_time() - begin
    corpus = [
        100 * sum(score.num_edits for score in row) / sum(score.ref_length for score in row) for row in scores
    ]
    return np.array(corpus), np.array([[score.score for score in row] for row in scores]), seconds


def timed(texts: Texts) -> tuple[bt.Counts, float]:
    """Our counts, and CPU seconds of one thread."""
    begin = time.process_time()
    counts = bt.ter(*texts, workers=1)
    return counts, time.process_time() - begin


def without_numba(texts: str) -> int:
    """Count in a process that may not compile; print the seconds, and a digest of the counts."""
    sys.modules["numba"] = None  # type: ignore[assignment]
    bt.ter({"A": ["a"]}, ["a"])  # what is loaded once is not counted
    counts, seconds = timed(part_of(real_texts(texts) if texts != "made" else made_texts()))
    print(seconds, counts.digest)
    return 0


def row(name: str) -> tuple[list[str], bool]:
    """One line of the table, and whether all numbers agree."""
    texts = made_texts() if name == "made" else real_texts(name)
    part = part_of(texts)
    share = len(part[1]) / len(texts[1])
    corpus, sentences, peer_seconds = by_sacrebleu(part)
    bt.ter(*part, workers=1)  # compiling is not counted
    counts, seconds = timed(texts)
    ours = bt.ter(*part, workers=1)
    done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=True)
    slow_seconds, slow_digest = done.stdout.split()
    difference = max(
        np.abs(ours.pooled() - corpus).max(),
        np.abs(ours.per_segment().values - sentences).max(),
        np.abs(counts.per_segment().values[:, ::EVERY] - sentences).max(),
    )
    is_equal = bool(difference <= 1e-9) and slow_digest == ours.digest
    ratio = peer_seconds / share / seconds
    cells = [
        f"{name}, {counts.n_systems} × {counts.n_segments:,}",
        f"{seconds:.2f} s",
        f"~{float(slow_seconds) / share:.0f} s",
        f"~{peer_seconds / share:.0f} s",
        f"{ratio:.0f}×" + ("" if ratio >= PROMISED else f" (promised {PROMISED}×)"),
        f"yes, {difference:.0e}" if is_equal else f"NO, {difference:.0e}",
    ]
    return cells, is_equal and ratio >= PROMISED


def main() -> int:
    """Print the table; 1 if any numbers differ or the promise is broken, 2 without numba."""
    if len(sys.argv) > 1:
        return without_numba(sys.argv[1])
    if find_spec("numba") is None:
        print("This benchmark needs numba: pip install 'betterthan[fast]' brings it.", file=sys.stderr)
        return 2
    names = ["zh-en"] if FOLDER.exists() else ["made"]
    rows = [row(name) for name in names]
    table = [
        ["texts", "compiled", "without numba", "sacreBLEU", "ratio", "equal?"],
        *(cells for cells, _ in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    return 0 if all(holds for _, holds in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
