"""Verbs and commands as users call them, beside the peers in one run.

Usage: python benchmarks/verbs.py [--quick]

Processor time of one thread, the least of several repeats; of commands, user and system time of the whole process with
its imports. Ours includes intervals, ranks and groups, or effects and verdicts; the peer's time is that of
strengths or p-values alone. A target that is missed is only shown, for it depends on the machine; numbers that are not
equal to the peer's end with exit code 1.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from bradley_terry import Battles, literal_counts, literal_fixed_point, same, timed
from comparisons import scores_of
from permutation import example
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest
from text_metrics import texts

import betterthan as bt
from betterthan.arrays import FloatArray
from betterthan.kernels.comparisons.fixed_point import fixed_point

TRIALS = 1000  # of sacreBLEU; ours has the number of swaps that it has by default
CHANCE = 4.5 * 0.5 / np.sqrt(TRIALS)
ROW = "{:<38} {:>9} {:>10} {:>6}  {:<15} {:>9} {:>8}  {}"


class Line(NamedTuple):
    """What a call took, beside the peer; the target is in seconds, or how many times faster than the peer."""

    work: str
    ours: float
    peer: str
    theirs: float
    target: str
    holds: bool
    equal: bool | None  # None where there are no numbers to compare

    def cells(self) -> list[str]:
        """Return the line as text."""
        has_peer = np.isfinite(self.theirs)
        return [
            self.work,
            f"{1000 * self.ours:.0f} ms",
            self.target,
            "yes" if self.holds else "no",
            self.peer,
            f"{1000 * self.theirs:.0f} ms" if has_peer else "",
            f"{self.theirs / self.ours:.1f}x" if has_peer else "",
            {None: "", True: "yes", False: "NO"}[self.equal],
        ]


def strengths_of_scores(n_systems: int, n_segments: int, most: float) -> Line:
    """Bradley–Terry from scores, beside the published algorithm written out."""
    goodness = example(n_systems, n_segments)
    scores = scores_of(goodness)
    ours, ranking = timed(lambda: bt.rank(scores, by="bradley_terry"), 7)
    pairs = [(a, b) for a in range(n_systems) for b in range(a + 1, n_systems)]

    def published() -> tuple[FloatArray, FloatArray]:
        wins = literal_counts(goodness, pairs)
        return wins, literal_fixed_point(wins)

    theirs, (wins, shares) = timed(published, 1)
    # Its stopping rule leaves about 1e-5; polished from there, it ends where ours is.
    polished = fixed_point(wins, start=shares, tolerance=1e-28, max_iterations=10**6).shares
    own = dict(zip(ranking.systems, np.log(ranking.strength).tolist(), strict=True))
    equal = same(own, dict(zip(scores.systems, np.log(polished).tolist(), strict=True)))
    work = f"rank by Bradley–Terry {n_systems} x {n_segments}"
    return Line(work, ours, "literal fit", theirs, f"<= {1000 * most:.0f} ms", ours <= most, equal)


def strengths_of_battles(n_matches: int, most: float) -> Line:
    """Battles of a hundred systems, beside the point fit of evalica."""
    battles = Battles.drawn(100, n_matches)
    number, left, right = battles.encoded()
    matches = bt.Matches(systems=tuple(number), left=left, right=right, outcome=battles.outcome)
    ours, ranking = timed(lambda: bt.rank(matches), 5)
    theirs, _ = timed(battles.evalica, 2)
    exact = battles.evalica(tolerance=1e-12, limit=100_000)
    own = dict(zip(ranking.systems, np.log(ranking.strength).tolist(), strict=True))
    equal = same(own, dict(zip(exact.index, np.log(exact), strict=True)))
    work = f"rank of {n_matches:,} battles"
    return Line(work, ours, "evalica fit", theirs, f"<= {1000 * most:.0f} ms", ours <= most, equal)


def two_systems(n_segments: int) -> Line:
    """BLEU of two systems and the test of their difference, beside sacreBLEU's approximate randomisation."""
    outputs, reference = texts().first(n_segments)
    names = list(outputs)[:2]
    pair = {name: outputs[name] for name in names}
    ours, (scores, table) = timed(lambda: compared_bleu(pair, reference), 5)
    theirs, (_, results) = timed(lambda: paired_test(pair, reference), 2)
    (theirs_of,) = [column for name, column in results.items() if name != "System"]
    equal = np.allclose(scores, [result.score for result in theirs_of], atol=1e-9)
    # Theirs is (b + 1) / (B + 1) with few trials, so that the two differ by chance.
    equal &= abs(table.pair(*names).pvalue - theirs_of[1].p_value) <= CHANCE
    work = f"bleu and compare, 2 x {n_segments:,}"
    return Line(work, ours, f"sacreBLEU {TRIALS}", theirs, ">= 5x", theirs >= 5 * ours, bool(equal))


def compared_bleu(pair: dict[str, list[str]], reference: list[str]) -> tuple[FloatArray, bt.PairwiseTable]:
    """Both corpus scores, and the comparison at its defaults."""
    counts = bt.bleu(pair, reference, workers=1)
    return counts.pooled(), bt.compare(counts, workers=1)


def paired_test(pair: dict[str, list[str]], reference: list[str]) -> Any:  # noqa: ANN401
    """What ``sacrebleu --paired-ar`` computes."""
    return PairedTest(list(pair.items()), {"BLEU": BLEU()}, [reference], "ar", n_samples=TRIALS)()


def commands(repeats: int) -> list[Line]:
    """The command line on the files of the demo."""
    with tempfile.TemporaryDirectory() as folder:
        run_command("demo", "--output", folder, "--overwrite")
        human, metrics = str(Path(folder) / "human.csv"), str(Path(folder) / "metrics.tsv")
        wanted = (
            (0.7, "rank", human),
            (0.7, "compare", human),
            (1.5, "meta", metrics, "--human", human),
        )
        return [command_line(most, arguments, repeats) for most, *arguments in wanted]


def command_line(most: float, arguments: list[str], repeats: int) -> Line:
    """One command; the peer is a Python that imports nothing but NumPy."""
    ours = min(run_command(*arguments) for _ in range(repeats))
    bare = min(run_python("-c", "import numpy") for _ in range(repeats))
    return Line(
        f"betterthan {arguments[0]}",
        ours,
        "import numpy",
        bare,
        f"<= {1000 * most:.0f} ms",
        ours <= most,
        None,
    )


def run_command(*arguments: str) -> float:
    """User and system time of a command."""
    return run_python("-m", "betterthan", *arguments)


def run_python(*arguments: str) -> float:
    """User and system time of a Python process, which may keep its byte code as an installed one does."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, env=environment, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print the figures; 1 when numbers differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the battles, fewer repeats")
    quick = parser.parse_args().quick
    works: list[Callable[[], list[Line]]] = [
        lambda: [strengths_of_scores(58, 48, 0.15)],
        lambda: [strengths_of_scores(12, 2000, 0.05)],
        lambda: [strengths_of_battles(10**5 if quick else 10**6, 0.15)],
        lambda: [two_systems(1000 if quick else 1976)],
        lambda: commands(2 if quick else 5),
    ]
    print(ROW.format("work", "ours", "wanted", "holds", "peer", "peer's", "ratio", "equal?"))
    lines = []
    for work in works:
        for line in work():
            print(ROW.format(*line.cells()), flush=True)
            lines.append(line)
    return 0 if all(line.equal is not False for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
