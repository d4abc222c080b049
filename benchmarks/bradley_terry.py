"""Bradley–Terry beside its peers: from scores, from battles, bootstrap of battles.

    python benchmarks/bradley_terry.py           about a minute
    python benchmarks/bradley_terry.py --full    the sizes of the requirements; several minutes, 3 GB

CPU time, the least of a few repeats. "~" marks a time extrapolated from a part of the job. Every line
compares numbers too; the exit code is 1 if any differ.

"Literal" is the published algorithm of the paired-evaluation paper (appendix E) written out by us in plain
Python over NumPy arrays, ties dropped as Pairformance does: a loop over pairs and segments, then Eq. 3 and 4
until the squared change is below 1e-9. Where the Pairformance package itself can be imported it is the peer
for the two smaller sizes (`make bench` installs it without the old libraries it pins).
"""

from __future__ import annotations

import argparse
import gc
import itertools
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from betterthan.kernels.comparisons.bradley_terry import Fit, bradley_terry, bradley_terry_batch
from betterthan.kernels.comparisons.fixed_point import fixed_point
from betterthan.kernels.comparisons.match_counts import match_counts, resampled_match_counts
from betterthan.kernels.comparisons.strengths import to_shares
from betterthan.kernels.comparisons.wins import WinCounts, win_counts, with_ties
from betterthan.kernels.compiled import load_compiler


@dataclass(frozen=True)
class Line:
    """One comparison."""

    work: str
    ours: float
    peer: str
    theirs: float
    equal: bool
    estimated: bool = False
    memory: str = ""

    def cells(self) -> list[str]:
        """Return the line as text."""
        ratio = (
            f"{self.theirs / self.ours:,.0f}×"
            if self.theirs > 10 * self.ours
            else f"{self.theirs / self.ours:.1f}×"
        )
        about = "~" if self.estimated else ""
        return [
            self.work,
            shown(self.ours),
            self.peer,
            about + shown(self.theirs),
            about + ratio,
            "yes" if self.equal else "NO",
            self.memory,
        ]


def shown(seconds: float) -> str:
    """Return a time with three digits and a unit."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def timed(work: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the least CPU time of a few repeats, and the last result."""
    least, result = float("inf"), None
    gc.collect()
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        least = min(least, time.process_time() - start)
    return least, result


def extra_memory(work: Callable[[], Any]) -> float:
    """Return by how many megabytes the process grows at most while it works (Linux; NaN elsewhere)."""
    reset, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    if not reset.exists():
        return float("nan")
    gc.collect()
    reset.write_text("5")
    before = _status(status, "VmRSS")
    work()
    return (_status(status, "VmHWM") - before) / 1024


def _status(path: Path, key: str) -> float:
    return next(float(line.split()[1]) for line in path.read_text().splitlines() if line.startswith(key))


def from_scores(n_systems: int, n_segments: int, *, all_pairs: bool) -> Line:
    """A score matrix, win counts and fit."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(n_systems, n_segments)) + rng.normal(size=(n_systems, 1)) / 3

    def ours() -> tuple[WinCounts, Fit]:
        counts = win_counts(scores)
        return counts, bradley_terry(counts.wins)

    load_compiler()  # as a run of a verb with the extra `fast` would have done
    seconds, (counts, fit) = timed(ours, 200 if n_systems * n_segments < 1e6 else 2)
    pairs = list(itertools.combinations(range(n_systems), 2))
    some = pairs if all_pairs else pairs[:: len(pairs) // 20]
    counting, wins = timed(lambda: literal_counts(scores, some), 1)
    equal = all((wins[i, j], wins[j, i]) == (counts.wins[i, j], counts.wins[j, i]) for i, j in some)
    fitting, shares = timed(lambda: literal_fixed_point(counts.wins), 1)
    polished = fixed_point(counts.wins, start=shares, tolerance=1e-28, max_iterations=10**6).shares
    equal &= np.allclose(to_shares(fit.log_strength), polished, rtol=1e-8, atol=0)
    theirs = counting * len(pairs) / len(some) + fitting
    work = f"scores {n_systems} × {n_segments}"
    released = pairformance() if all_pairs else None
    if released is None:
        return Line(work, seconds, "literal", theirs, bool(equal), estimated=len(some) < len(pairs))
    theirs, shares = released(scores)
    # Its stopping rule leaves about 1e-5; polished from there, it ends where ours is.
    polished = fixed_point(counts.wins, start=shares, tolerance=1e-28, max_iterations=10**6).shares
    equal &= np.allclose(to_shares(fit.log_strength), polished, rtol=1e-8, atol=0)
    return Line(work, seconds, "Pairformance", theirs, bool(equal))


def pairformance() -> Callable[[Any], tuple[float, Any]] | None:
    """Return the released Bradley–Terry function with a clock around it, if it is installed."""
    try:
        import pandas as pd
        from pairformance.bt import BT
    except ImportError:
        return None

    def fit(scores: Any) -> tuple[float, Any]:  # noqa: ANN401
        seconds, shares = timed(lambda: BT(pd.DataFrame(scores.T)), 2)
        return seconds, np.asarray(shares, dtype=np.float64)

    return fit


def literal_counts(scores: Any, pairs: list[tuple[int, int]]) -> Any:  # noqa: ANN401
    """Count wins with a loop over pairs and segments."""
    wins = np.zeros((len(scores), len(scores)))
    for i, j in pairs:
        for own, other in zip(scores[i], scores[j], strict=True):
            if own > other:
                wins[i, j] += 1
            elif own < other:
                wins[j, i] += 1
    return wins


def literal_fixed_point(wins: Any) -> Any:  # noqa: ANN401
    """Iterate Eq. 3 and 4 with loops over systems."""
    n_systems = len(wins)
    shares = np.full(n_systems, 1 / n_systems)
    while True:
        updated = np.zeros(n_systems)
        for i in range(n_systems):
            expected = 0.0
            for j in range(n_systems):
                if i != j:
                    expected += (wins[i, j] + wins[j, i]) / (shares[i] + shares[j])
            updated[i] = wins[i].sum() / expected
        updated /= updated.sum()
        if np.sum((updated - shares) ** 2) < 1e-9:
            return updated
        shares = updated


@dataclass(frozen=True)
class Battles:
    """Labels as lists of str, outcomes as the peers want them."""

    n_systems: int
    left: list[str]
    right: list[str]
    outcome: Any
    winners: list[Any]

    @classmethod
    def drawn(cls, n_systems: int, n_matches: int) -> Battles:
        """Draw battles with a fifth of ties."""
        import evalica

        rng = np.random.default_rng(2)
        left = rng.integers(0, n_systems, n_matches)
        right = (left + rng.integers(1, n_systems, n_matches)) % n_systems
        theta = rng.normal(size=n_systems)
        outcome = (rng.random(n_matches) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(np.float64)
        outcome[rng.random(n_matches) < 0.2] = 0.5
        names = [f"system-{i:04d}" for i in range(n_systems)]
        kinds = [evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X]
        winners = [kinds[k] for k in (2 * outcome).astype(int).tolist()]
        return cls(
            n_systems, [names[i] for i in left.tolist()], [names[i] for i in right.tolist()], outcome, winners
        )

    def encoded(self) -> tuple[dict[str, int], Any, Any]:
        """Number the labels in order of appearance."""
        number: defaultdict[str, int] = defaultdict(itertools.count().__next__)
        left = np.fromiter(map(number.__getitem__, self.left), np.int32, len(self.left))
        right = np.fromiter(map(number.__getitem__, self.right), np.int32, len(self.right))
        return number, left, right

    def counts(self) -> tuple[dict[str, int], WinCounts]:
        """Return the labels' numbers, and wins and ties."""
        number, left, right = self.encoded()
        return number, match_counts(left, right, self.outcome, n_systems=self.n_systems)

    def ours(self, ties: Any = "half") -> dict[str, float]:  # noqa: ANN401
        """Labels in, log strengths out."""
        number, counts = self.counts()
        fit = bradley_terry(with_ties(counts.wins, counts.ties, ties))
        return dict(zip(number, fit.log_strength.tolist(), strict=True))

    def evalica(self, **options: Any) -> Any:  # noqa: ANN401
        """Labels in, scores out, as its documentation does it."""
        import evalica

        return evalica.bradley_terry(self.left, self.right, self.winners, **options).scores


def same(ours: dict[str, float], theirs: dict[str, float]) -> bool:
    """Whether log strengths agree to 1e-8, up to a shift."""
    difference = np.array([ours[name] - theirs[name] for name in ours])
    return bool(np.ptp(difference) < 1e-8)


def from_battles(n_systems: int, n_matches: int) -> Line:
    """Labels in, strengths out, beside evalica."""
    battles = Battles.drawn(n_systems, n_matches)
    our_memory = extra_memory(battles.ours)
    their_memory = extra_memory(battles.evalica)
    repeats = 3 if n_matches <= 1_000_000 else 1
    seconds, strengths = timed(battles.ours, repeats)
    theirs, _ = timed(battles.evalica, repeats)
    exact = battles.evalica(tolerance=1e-12, limit=100_000)
    equal = same(strengths, dict(zip(exact.index, np.log(exact), strict=True)))
    memory = f"{our_memory:,.0f} MB : {their_memory:,.0f} MB"
    work = f"battles {n_matches:,}, {n_systems} systems"
    return Line(work, seconds, "evalica", theirs, equal, memory=memory)


def beside_choix(n_systems: int, n_matches: int) -> Line:
    """Numbers in, ties dropped, beside choix."""
    import choix

    battles = Battles.drawn(n_systems, n_matches)
    number, left, right = battles.encoded()
    rows = zip(left.tolist(), right.tolist(), battles.outcome.tolist(), strict=True)
    pairs = [(i, j) if y == 1 else (j, i) for i, j, y in rows if y != 0.5]
    seconds, strengths = timed(lambda: battles.ours("drop"), 3)
    theirs, _ = timed(lambda: choix.ilsr_pairwise(n_systems, pairs), 1)
    counts = match_counts(left, right, battles.outcome, n_systems=n_systems)
    exact = choix.ilsr_pairwise_dense(counts.wins, tol=1e-12)
    equal = same(strengths, dict(zip(number, exact, strict=True)))
    work = f"the same, ties dropped, {n_matches:,}"
    return Line(work, seconds, "choix (codes in)", theirs, equal)


def bootstrap(n_systems: int, n_matches: int, n_resamples: int = 100) -> Line:
    """Bootstrap rounds from labels, beside evalica's."""
    import evalica

    battles = Battles.drawn(n_systems, n_matches)

    def ours() -> tuple[dict[str, int], WinCounts, Any]:
        number, counts = battles.counts()
        drawn = resampled_match_counts(counts.wins, counts.ties, n_resamples, np.random.default_rng(3))
        return number, drawn, bradley_terry_batch(with_ties(drawn.wins, drawn.ties, "half"))

    def theirs(rounds: int) -> Any:  # noqa: ANN401
        return evalica.bootstrap(
            evalica.bradley_terry,
            battles.left,
            battles.right,
            battles.winners,
            n_resamples=rounds,
            bootstrap_method="percentile",
            random_state=3,
        )

    seconds, (number, drawn, batch) = timed(ours, 2)
    few, more = timed(lambda: theirs(2), 1)[0], timed(lambda: theirs(4), 1)[0]
    equal = same_round(list(number), drawn.wins[0], drawn.ties[0], batch.log_strength[0])
    estimate = few + (n_resamples - 2) * (more - few) / 2
    work = f"{n_resamples} rounds of {n_matches:,}, {n_systems} systems"
    return Line(work, seconds, "evalica", estimate, equal, estimated=True)


def same_round(names: list[str], wins: Any, ties: Any, log_strength: Any) -> bool:  # noqa: ANN401
    """Whether evalica finds our strengths in our first resample, given as weighted battles."""
    import evalica

    cells = [(i, j, evalica.Winner.X, wins[i, j]) for i, j in np.argwhere(wins > 0)]
    cells += [(i, j, evalica.Winner.Draw, ties[i, j]) for i, j in np.argwhere(np.triu(ties) > 0)]
    left, right, winners, weights = zip(*cells, strict=True)
    scores = evalica.bradley_terry(
        [names[i] for i in left],
        [names[j] for j in right],
        list(winners),
        weights=list(weights),
        tolerance=1e-12,
        limit=100_000,
    ).scores
    ours = dict(zip(names, log_strength.tolist(), strict=True))
    return same(ours, dict(zip(scores.index, np.log(scores), strict=True)))


def print_lines(lines: list[Line]) -> None:
    """Print an aligned table."""
    titles = ["work", "ours", "peer", "theirs", "ratio", "equal", "memory ours : theirs"]
    rows = [titles, *(line.cells() for line in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def main() -> int:
    """Run all comparisons; 1 if any numbers differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--full", action="store_true", help="the sizes of the requirements")
    full = parser.parse_args().full
    lines = [
        from_scores(58, 48, all_pairs=True),
        from_scores(12, 11_432, all_pairs=True),
        from_scores(200, 100_000 if full else 5_000, all_pairs=False),
    ]
    sizes = [(100, 1_000_000), (100, 10_000_000), (1000, 10_000_000)] if full else [(100, 1_000_000)]
    lines += [from_battles(*size) for size in sizes]
    lines.append(beside_choix(*sizes[0]))
    lines.append(bootstrap(*sizes[0]))
    print_lines(lines)
    if all(line.equal for line in lines):
        return 0
    print("The numbers of some lines differ.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
