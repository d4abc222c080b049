"""BLEU and chrF beside sacreBLEU: all segments of 14 systems, 1000 resampled corpora, growth.

    python benchmarks/text_metrics.py            about a minute
    python benchmarks/text_metrics.py --quick    a quarter of the segments

CPU time, the least of a few repeats for ours (the first loads numba, if installed, and reads its machine code from
disk), one run for sacreBLEU; "~" marks a time extrapolated from a part of the job. The texts are 14 outputs of WMT23
Chinese–English where ``BETTERTHAN_DATA`` has them, and made ones of the same size otherwise. The exit code is 1 if any
number differs by more than 1e-9, or if chrF (with numba) is less than 20 times, BLEU less than 4 times, or resampling
less than 1000 times as fast as sacreBLEU.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sacrebleu.metrics import BLEU, CHRF

import betterthan as bt

ROOT = Path(__file__).parents[1]
DATA = (
    Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data")) / "wmt23-general-text" / "zh-en"
)
N_SYSTEMS, N_SEGMENTS = 14, 1976
N_RESAMPLES, SIZE = 1000, 1000
SAME = 1e-9


class Texts(NamedTuple):
    """Outputs of systems and one reference."""

    outputs: dict[str, list[str]]
    reference: list[str]

    def first(self, n: int) -> Texts:
        """Return the first n segments, from the beginning again when there are not so many."""
        times = -(-n // len(self.reference))
        return Texts(
            {name: (times * lines)[:n] for name, lines in self.outputs.items()}, (times * self.reference)[:n]
        )


class Line(NamedTuple):
    """One comparison; the bound is the least ratio that we promise."""

    work: str
    ours: float
    theirs: float
    difference: float
    bound: float = 0.0
    estimated: bool = False

    @property
    def holds(self) -> bool:
        """Whether numbers and bound do."""
        return self.difference <= SAME and self.theirs >= self.bound * self.ours

    def cells(self) -> list[str]:
        """Return the line as text."""
        about = "~" if self.estimated else ""
        bound = f"{self.bound:,.0f}×" if self.bound else ""
        return [
            self.work,
            f"{self.ours:.3g} s",
            f"{about}{self.theirs:,.3g} s",
            f"{about}{self.theirs / self.ours:,.0f}×",
            bound,
            f"{self.difference:.1e}",
            "yes" if self.holds else "NO",
        ]


def timed(work: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """Return the least CPU time of a few repeats, and the last result."""
    least, result = float("inf"), None
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        least = min(least, time.process_time() - start)
    return least, result


def texts() -> Texts:
    """Return real texts, or made ones."""
    if DATA.exists():
        paths = sorted((DATA / "sys").iterdir())[:N_SYSTEMS]
        return Texts({path.name: _lines(path) for path in paths}, _lines(DATA / "refA.en.txt.gz"))
    rng = np.random.default_rng(1)
    words = np.array(["".join(rng.choice(list("etaoinshrdlu"), rng.integers(1, 9))) for _ in range(5000)])
    drawn = [np.minimum(rng.zipf(1.3, rng.integers(5, 45)), 5000) - 1 for _ in range(N_SEGMENTS)]

    def rewritten() -> list[str]:
        changed = [
            np.where(rng.random(len(line)) < 0.4, rng.integers(0, 5000, len(line)), line) for line in drawn
        ]
        return [" ".join(words[line]) + "." for line in changed]

    return Texts(
        {f"S{i}": rewritten() for i in range(N_SYSTEMS)}, [" ".join(words[line]) + "." for line in drawn]
    )


def _lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8-sig", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def segments_and_corpora(given: Texts) -> list[Line]:
    """What sacreBLEU computes for all systems, one by one and all together."""
    outputs, reference = given
    size = f"{len(outputs)} × {len(reference):,}"
    compiled = importlib.util.find_spec("numba") is not None
    lines = []
    for name, options in (("chrF", {}), ("chrF++", {"word_order": 2})):
        ours, counts = timed(lambda options=options: bt.chrf(outputs, reference, workers=1, **options), 4)
        metric = CHRF(**options)
        theirs, each = timed(lambda metric=metric: _sentences(metric, given))
        bound = 20 if compiled and not options else 0
        difference = np.abs(counts.per_segment().values - each).max()
        lines.append(Line(f"sentence {name} {size}", ours, theirs, difference, bound))
        cached = CHRF(**options, references=[reference])
        theirs, corpus = timed(lambda cached=cached: _corpora(cached, given, None))
        lines.append(Line(f"corpus {name} {size}", ours, theirs, np.abs(counts.pooled() - corpus).max()))
    ours, counts = timed(lambda: bt.bleu(outputs, reference, workers=1), 4)
    theirs, corpus = timed(lambda: _corpora(BLEU(force=True), given, [reference]))
    lines.append(Line(f"corpus BLEU {size}", ours, theirs, np.abs(counts.pooled() - corpus).max(), 4))
    sentence = BLEU(force=True, effective_order=True)
    theirs, each = timed(lambda: _sentences(sentence, given))
    difference = np.abs(counts.per_segment().values - each).max()
    lines.append(Line(f"sentence BLEU {size} (they tokenise from memory)", ours, theirs, difference))
    return lines


def _sentences(metric: Any, given: Texts) -> list[list[float]]:  # noqa: ANN401
    return [
        [metric.sentence_score(o, [r]).score for o, r in zip(lines, given.reference, strict=True)]
        for lines in given.outputs.values()
    ]


def _corpora(metric: Any, given: Texts, references: Any) -> list[float]:  # noqa: ANN401
    return [metric.corpus_score(lines, references).score for lines in given.outputs.values()]


def resampled(given: Texts) -> list[Line]:
    """1000 resamples of 1000 segments, each scored as a corpus; two of them by sacreBLEU."""
    outputs, reference = given
    n = len(reference)
    draws = np.random.default_rng(1).integers(0, n, (N_RESAMPLES, SIZE))
    lines = []
    for name, metric, theirs in (("BLEU", bt.bleu, BLEU(force=True)), ("chrF", bt.chrf, CHRF())):

        def ours(metric: Callable[..., bt.Counts] = metric) -> Any:  # noqa: ANN401
            counts = metric(outputs, reference, workers=1)
            weights = np.stack([np.bincount(draw, minlength=n) for draw in draws]).astype(np.float64)
            return np.stack([counts.formula.pooled(weights @ values) for values in counts.values])

        seconds, scores = timed(ours, 2)
        expected, clock = [], 0.0
        for draw in draws[:2]:
            some = Texts({k: [v[i] for i in draw] for k, v in outputs.items()}, [reference[i] for i in draw])
            spent, corpus = timed(lambda some=some, theirs=theirs: _corpora(theirs, some, [some.reference]))
            expected.append(corpus)
            clock += spent
        difference = np.abs(scores[:, :2].T - expected).max()
        work = f"{name}, {N_RESAMPLES} corpora of {SIZE}, {len(outputs)} systems"
        lines.append(Line(work, seconds, clock / 2 * N_RESAMPLES, difference, 1000, estimated=True))
    return lines


def growth(given: Texts) -> list[str]:
    """ChrF with twice and four times the segments, and with segments joined four by four."""
    n = len(given.reference)
    longer = {name: _joined(lines) for name, lines in given.outputs.items()}
    cases = {
        f"{n:,} segments": given,
        f"{2 * n:,} segments": given.first(2 * n),
        f"{4 * n:,} segments": given.first(4 * n),
        f"{n // 4:,} segments, four times as long": Texts(longer, _joined(given.reference)),
    }
    least = [timed(lambda case=case: bt.chrf(*case, workers=1), 3)[0] for case in cases.values()]
    return [
        f"chrF, {name}: {seconds:.3g} s, {seconds / least[0]:.1f} times the first"
        for name, seconds in zip(cases, least, strict=True)
    ]


def _joined(lines: list[str]) -> list[str]:
    return [" ".join(lines[i : i + 4]) for i in range(0, len(lines) // 4 * 4, 4)]


def main() -> int:
    """Run all comparisons; 1 if one does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a quarter of the segments")
    given = texts()
    if parser.parse_args().quick:
        given = given.first(len(given.reference) // 4)
    lines = [*segments_and_corpora(given), *resampled(given)]
    titles = ["work", "ours", "sacreBLEU", "ratio", "promised", "difference", "holds"]
    rows = [titles, *(line.cells() for line in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print(*growth(given), sep="\n")
    if all(line.holds for line in lines):
        return 0
    print("Some lines do not hold.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
