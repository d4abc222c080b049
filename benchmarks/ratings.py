"""Elo beside evalica, TrueSkill beside the package trueskill: one million matches between 100 systems.

Times are CPU time of one thread, the least of several runs; ``~`` is extrapolated from part of the work. The
program ends with status 1 when numbers that are compared are not equal.

Run it with ``python benchmarks/ratings.py``.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.ratings import match_play
from betterthan.kernels.ratings.elo import elo, shuffled_elo
from betterthan.kernels.ratings.trueskill import shuffled_trueskill, trueskill

N_SYSTEMS = 100
N_MATCHES = 1_000_000
PART = 10_000
N_SHUFFLES = 200
SHUFFLED_MATCHES = 10_000


class Row(NamedTuple):
    """One line of the table; times in seconds for the whole work."""

    work: str
    compiled: float
    without: float
    peer: str
    peer_time: float
    is_part: bool
    difference: float
    tolerance: float

    @property
    def is_equal(self) -> bool:
        """Whether compiled, without numba and peer agree."""
        return self.difference <= self.tolerance


def least(function: Callable[[], object], repeats: int) -> float:
    """CPU seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        function()
        times.append(time.process_time() - begin)
    return min(times)


def without_numba(function: Callable[[], FloatArray]) -> tuple[FloatArray, float]:
    """Result and CPU seconds of one run that may not compile."""
    worth, match_play.WORTH_COMPILING = match_play.WORTH_COMPILING, sys.maxsize
    loaded, match_play.is_loaded = match_play.is_loaded, lambda: False
    begin = time.process_time()
    result = function()
    seconds = time.process_time() - begin
    match_play.WORTH_COMPILING, match_play.is_loaded = worth, loaded
    return result, seconds


def season(n_matches: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Matches between systems of different strength, about one in ten a tie."""
    rng = np.random.default_rng(0)
    strength = rng.normal(size=N_SYSTEMS)
    left = rng.integers(0, N_SYSTEMS, n_matches)
    right = (left + rng.integers(1, N_SYSTEMS, n_matches)) % N_SYSTEMS
    difference = strength[left] - strength[right] + rng.normal(size=n_matches)
    return left, right, np.where(np.abs(difference) < 0.2, 0.5, (difference > 0).astype(float))


def elo_row() -> Row:
    """Elo beside evalica's compiled solver, which is given integers and its own winners."""
    import evalica

    matches = season(N_MATCHES)
    winners = [evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X]
    given = matches[0].tolist(), matches[1].tolist(), [winners[i] for i in (2 * matches[2]).astype(int)]
    result = evalica.elo(*given, initial=1500.0, k=20.0)
    ours = elo(*matches, n_systems=N_SYSTEMS)
    slow, slow_time = without_numba(lambda: elo(*matches, n_systems=N_SYSTEMS))
    peer = result.scores.sort_index().to_numpy()
    return Row(
        "Elo, 1M matches",
        least(lambda: elo(*matches, n_systems=N_SYSTEMS), 7),
        slow_time,
        "evalica",
        least(lambda: evalica.elo(*given, initial=1500.0, k=20.0), 3),
        is_part=False,
        difference=max(float(np.abs(ours - peer).max()), 0.0 if np.array_equal(ours, slow) else math.inf),
        tolerance=1e-8,
    )


def by_package(matches: tuple[IntArray, IntArray, FloatArray]) -> FloatArray:
    """Mean and standard deviation by the package trueskill, as it comes."""
    import trueskill as package

    environment = package.TrueSkill()
    ratings = [environment.create_rating() for _ in range(N_SYSTEMS)]
    for a, b, score in zip(*(column.tolist() for column in matches), strict=True):
        first, second = (b, a) if score == 0 else (a, b)
        ratings[first], ratings[second] = package.rate_1vs1(
            ratings[first], ratings[second], drawn=score == 0.5, env=environment
        )
    return np.array([[rating.mu, rating.sigma] for rating in ratings]).T


def trueskill_row() -> Row:
    """TrueSkill beside the package trueskill, which plays the first part of the matches."""
    matches = season(N_MATCHES)
    part = matches[0][:PART], matches[1][:PART], matches[2][:PART]
    peer: list[FloatArray] = []
    peer_time = least(lambda: peer.append(by_package(part)), 1) * N_MATCHES / PART
    ours = np.array(trueskill(*matches, n_systems=N_SYSTEMS))
    slow, slow_time = without_numba(lambda: np.array(trueskill(*matches, n_systems=N_SYSTEMS)))
    difference = float(np.abs(np.array(trueskill(*part, n_systems=N_SYSTEMS)) - peer[0]).max())
    return Row(
        "TrueSkill, 1M matches",
        least(lambda: trueskill(*matches, n_systems=N_SYSTEMS), 5),
        slow_time,
        "trueskill",
        peer_time,
        is_part=True,
        difference=max(difference, 0.0 if np.array_equal(ours, slow) else math.inf),
        tolerance=1e-5,  # the package's normal distribution is good to seven digits
    )


def shuffles_row(work: str, shuffled: Callable[..., object]) -> Row:
    """Many shuffles of a short list, compiled and in lockstep; no peer does this."""
    matches = season(SHUFFLED_MATCHES)

    def run() -> FloatArray:
        rng = np.random.default_rng(1)
        return np.array(shuffled(*matches, n_systems=N_SYSTEMS, n_shuffles=N_SHUFFLES, rng=rng))

    ours = run()
    slow, slow_time = without_numba(run)
    difference = 0.0 if np.array_equal(ours, slow) else math.inf
    return Row(
        work, least(run, 3), slow_time, "", math.nan, is_part=False, difference=difference, tolerance=0.0
    )


def shown(seconds: float, *, is_part: bool = False) -> str:
    """Seconds or milliseconds, or a dash."""
    if math.isnan(seconds):
        return "–"
    text = f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"
    return f"~{text}" if is_part else text


def cells(row: Row) -> list[str]:
    """One line of text cells."""
    ratio = "–" if math.isnan(row.peer_time) else f"{row.peer_time / row.compiled:,.0f}×"
    equal = (
        f"yes, {row.difference:.0e}" if row.is_equal else f"NO, {row.difference:.0e} > {row.tolerance:.0e}"
    )
    peer = f"{row.peer} {shown(row.peer_time, is_part=row.is_part)}".strip()
    return [row.work, shown(row.compiled), shown(row.without), peer, ratio, equal]


def main() -> int:
    """Print the table; 1 if any numbers differ, 2 without numba."""
    if find_spec("numba") is None:
        print("This benchmark needs numba: pip install 'betterthan[fast]' brings it.", file=sys.stderr)
        return 2
    rows = [
        elo_row(),
        trueskill_row(),
        shuffles_row(f"Elo, {N_SHUFFLES} shuffles of 10k", shuffled_elo),
        shuffles_row(f"TrueSkill, {N_SHUFFLES} shuffles of 10k", shuffled_trueskill),
    ]
    table = [["work", "compiled", "without numba", "peer", "ratio", "equal?"], *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    unequal = [row.work for row in rows if not row.is_equal]
    if unequal:
        print(f"NOT EQUAL: {'; '.join(unequal)}", file=sys.stderr)
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())
