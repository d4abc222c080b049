"""Reading large Parquet files, side by side with polars: wall time, processor time and peak memory.

Usage: python benchmarks/battles_reading.py [--rows 5000000] [--score-rows 10000000]

Every measurement is a fresh process, imports included. The counts of both sides are compared; a difference
ends with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

BLOCK = 1_000_000
REPEATS = 3
WHO = ("our", "peer")

Account = Callable[[], dict[str, float]]
"""What was read, as numbers to compare; worked out when the clock has stopped."""


def write_battles(path: Path, n_rows: int, n_models: int = 100) -> None:
    """Write battles of `n_models` systems as dictionary-encoded strings."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    models = pa.array([f"vendor-{i % 17}/model-{i:03d}-instruct" for i in range(n_models)])
    labels = pa.array(["model_a", "model_b", "tie", "both_bad"])
    schema = pa.schema([(name, pa.string()) for name in ("model_a", "model_b", "winner")])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, BLOCK):
            n = min(BLOCK, n_rows - start)
            left = rng.integers(0, n_models, n)
            right = (left + rng.integers(1, n_models, n)) % n_models
            winner = rng.choice(4, n, p=[0.35, 0.35, 0.18, 0.12])
            columns = [
                models.take(pa.array(left)),
                models.take(pa.array(right)),
                labels.take(pa.array(winner)),
            ]
            writer.write_table(pa.table(columns, schema=schema))


def write_scores(path: Path, n_rows: int, n_systems: int = 20) -> None:
    """Write scores in long form: every system on every item."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(2)
    systems = pa.array([f"system-{i:02d}" for i in range(n_systems)])
    schema = pa.schema([("item", pa.string()), ("system", pa.string()), ("score", pa.float64())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, BLOCK):
            row = np.arange(start, min(start + BLOCK, n_rows))
            items = pa.array([f"item-{i:07d}" for i in range(row[0] // n_systems, row[-1] // n_systems + 1)])
            columns = [
                items.take(pa.array(row // n_systems - row[0] // n_systems)),
                systems.take(pa.array(row % n_systems)),
                pa.array(rng.normal(50, 10, row.size)),
            ]
            writer.write_table(pa.table(columns, schema=schema))


def our_battles(path: str) -> Account:
    """Read battles with betterthan."""
    from betterthan.read.formats.battles.battles import read_matches

    matches = read_matches(path)

    def account() -> dict[str, float]:
        words = {1.0: "model_a", 0.5: "tie", 0.0: "model_b"}
        names = matches.systems
        rows = zip(
            matches.left, matches.right, matches.outcome.tolist(), matches.weight.tolist(), strict=True
        )
        return {f"{names[i]}|{names[j]}|{words[outcome]}": weight for i, j, outcome, weight in rows}

    return account


def peer_battles(path: str) -> Account:
    """Count battles with a bare polars group-by."""
    import polars as pl

    counts = pl.scan_parquet(path).group_by(["model_a", "model_b", "winner"]).len().collect()

    def account() -> dict[str, float]:
        totals: dict[str, float] = {}
        for left, right, winner, n in counts.iter_rows():
            key = f"{left}|{right}|{'tie' if winner == 'both_bad' else winner}"
            totals[key] = totals.get(key, 0) + n
        return totals

    return account


def our_scores(path: str) -> Account:
    """Read scores with betterthan."""
    from betterthan.read.scores import read_scores

    scores = read_scores(path)
    return lambda: dict(zip(scores.systems, scores.values.mean(axis=1).tolist(), strict=True))


def peer_scores(path: str) -> Account:
    """Pivot scores with polars to an items × systems array."""
    import polars as pl

    wide = pl.read_parquet(path).pivot(on="system", index="item", values="score")
    systems = [name for name in wide.columns if name != "item"]
    values = wide.select(systems).to_numpy()
    return lambda: dict(zip(systems, values.mean(axis=0).tolist(), strict=True))


READ: dict[str, Callable[[str], Account]] = {
    "our_battles": our_battles,
    "peer_battles": peer_battles,
    "our_scores": our_scores,
    "peer_scores": peer_scores,
}
WRITE: dict[str, Callable[[Path, int], None]] = {"battles": write_battles, "scores": write_scores}


def run_job(name: str, path: str) -> None:
    """Do one reading in this process and print what it cost and, found after that, what was read."""
    start = time.perf_counter()
    account = READ[name](path)
    wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    cost = {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss / 1024}
    print(json.dumps({**cost, "found": account()}))


def in_own_process(*arguments: str) -> str:
    """Run this file with arguments and return what it prints."""
    command = [sys.executable, __file__, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def best(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the fastest run, with the largest memory of all."""
    fastest = min(runs, key=lambda run: run["wall"])
    return {**fastest, "mb": max(run["mb"] for run in runs)}


def side_by_side(what: str, folder: Path, n_rows: int, *, limit_mb: float) -> bool:
    """Measure ours and the peer's, print a line, and say whether they agree within our memory limit."""
    path = str(folder / f"{what}.parquet")
    # A process inherits its parent's peak memory, so even the writing is done in another one.
    in_own_process("--write", what, path, str(n_rows))
    # In turns, so that other work on the machine disturbs both alike.
    turns = [
        [json.loads(in_own_process("--job", f"{who}_{what}", path)) for who in WHO] for _ in range(REPEATS)
    ]
    ours, peer = (best([turn[i] for turn in turns]) for i in range(len(WHO)))
    cells = [f"{ours['wall']:.2f}", f"{peer['wall']:.2f}", f"{ours['wall'] / peer['wall']:.2f}"]
    cells += [f"{ours['cpu']:.2f}", f"{peer['cpu']:.2f}", f"{ours['mb']:.0f}", f"{peer['mb']:.0f}"]
    print(line(f"{n_rows:,} {what}", cells), flush=True)
    return agree(what, ours["found"], peer["found"]) and small(what, ours["mb"], limit_mb)


def line(what: str, cells: Sequence[str]) -> str:
    """Return a line of the table."""
    return f"{what:<22}" + "".join(f"{cell:>13}" for cell in cells)


def agree(what: str, ours: dict[str, float], peer: dict[str, float]) -> bool:
    """Say whether both read the same numbers, aloud if not."""
    same = ours.keys() == peer.keys() and all(
        abs(ours[key] - value) <= 1e-9 * abs(value) for key, value in peer.items()
    )
    if not same:
        print(f"{what}: our numbers and the peer's differ", file=sys.stderr)
    return same


def small(what: str, mb: float, limit_mb: float) -> bool:
    """Say whether our memory is within its limit, aloud if not."""
    if mb > limit_mb:
        print(f"{what}: {mb:.0f} MB is more than {limit_mb:.0f} MB", file=sys.stderr)
    return mb <= limit_mb


def battles_reading(folder: Path, n_rows: int) -> bool:
    """Measure the reading of battles."""
    return side_by_side("battles", folder, n_rows, limit_mb=300)


def scores_reading(folder: Path, n_rows: int) -> bool:
    """Measure the reading of scores in long form."""
    return side_by_side("scores", folder, n_rows, limit_mb=3000)


def main() -> int:
    """Run both benchmarks and return the exit code."""
    parser = argparse.ArgumentParser(description="Reading large Parquet files, side by side with polars.")
    parser.add_argument("--rows", type=int, default=5_000_000, help="battles; 0 leaves them out")
    parser.add_argument("--score-rows", type=int, default=10_000_000, help="scores; 0 leaves them out")
    parser.add_argument("--job", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--write", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job:
        run_job(*arguments.job)
        return 0
    if arguments.write:
        what, path, n_rows = arguments.write
        WRITE[what](Path(path), int(n_rows))
        return 0
    titles = ["ours s", "polars s", "ratio", "ours cpu s", "polars cpu s", "ours MB", "polars MB"]
    print(line("what", titles), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        tasks = [(battles_reading, arguments.rows), (scores_reading, arguments.score_rows)]
        fine = [measure(Path(folder), n_rows) for measure, n_rows in tasks if n_rows]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
