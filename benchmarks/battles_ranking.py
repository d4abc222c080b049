"""A hundred million battles from Parquet to a ranking: wall time, processor time and peak memory.

Usage: python benchmarks/battles_ranking.py [--rows 20000000] [--full] [--systems 100] [--judges 0]

`--full` is 100 million battles, and must end within a minute and 2 GB (with judges it is only a figure). The file is
written by DuckDB in another process, into a temporary folder that goes afterwards; a hundred million battles take a
few hundred MB there. The reading and the ranking are one fresh process, imports included. A plain count of the wins by
DuckDB and Newton's method on them must give the same strengths; a difference, or a broken bound, ends with exit code 1.
"""

# ruff: noqa: S608  (the numbers and the path in the SQL are our own)

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FULL = 100_000_000
BYTES_A_ROW = 20  # with room to spare
MOST_SECONDS, MOST_MB = 60.0, 2048.0
TOLERANCE = 1e-9


def write_battles(path: str, n_rows: int, n_systems: int, n_judges: int) -> None:
    """Write battles of systems whose strengths rise evenly; a fifth of them are ties."""
    import duckdb

    judge = f", 'judge-' || (hash(i + 4) % {n_judges}) AS judge" if n_judges else ""
    draw = f"""
        SELECT i, (hash(i) % {n_systems})::BIGINT AS a, (hash(i + 1) % {n_systems - 1})::BIGINT AS step,
               hash(i + 2) / 18446744073709551616.0 AS u, hash(i + 3) % 5 = 0 AS tied
        FROM range({n_rows}) AS t(i)
    """
    battle = f"""
        SELECT *, (a + 1 + step) % {n_systems} AS b, 2.0 * (a - (a + 1 + step) % {n_systems}) / {n_systems} AS ahead
        FROM ({draw})
    """
    rows = f"""
        SELECT printf('vendor-%d/model-%04d', a % 17, a) AS model_a,
               printf('vendor-%d/model-%04d', b % 17, b) AS model_b,
               CASE WHEN tied THEN 'tie' WHEN u < 1 / (1 + exp(-ahead)) THEN 'model_a' ELSE 'model_b' END AS winner
               {judge}
        FROM ({battle})
    """
    connection = duckdb.connect(config={"memory_limit": "2GB", "threads": "2"})
    connection.execute("SET preserve_insertion_order = false")
    connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")


def rank_battles(path: str) -> None:
    """Read, rank and print what it cost and what came out."""
    start = time.perf_counter()
    import betterthan as bt

    judged = "judge" in _columns(path)
    matches = bt.read_matches(path, keep=("judge",) if judged else ())
    read = time.perf_counter() - start
    ranking = bt.rank(matches, by="bradley_terry", scale="log")
    wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    cost = {
        "read": read,
        "wall": wall,
        "cpu": used.ru_utime + used.ru_stime,
        "mb": used.ru_maxrss / 1024,
        "rows": matches.n_matches,
    }
    found = dict(zip(ranking.systems, ranking.strength.tolist(), strict=True))
    print(json.dumps({**cost, "kind": ranking.settings.options["ci"], "found": found}))


def _columns(path: str) -> list[str]:
    from betterthan.read.formats.battles.battle_query import column_names
    from betterthan.read.source.source import open_source

    return column_names(open_source(path))


def plain_strengths(path: str) -> None:
    """Count wins with one plain query, fit them with our kernel alone, and print the strengths."""
    import duckdb
    import numpy as np

    from betterthan.kernels.comparisons.bradley_terry import bradley_terry

    sql = f"SELECT model_a, model_b, winner, count(*) FROM '{path}' GROUP BY ALL"
    rows = duckdb.connect(config={"memory_limit": "1GB"}).execute(sql).fetchall()
    names = sorted({name for row in rows for name in row[:2]})
    index = {name: i for i, name in enumerate(names)}
    wins = np.zeros((len(names), len(names)))
    share = {"model_a": 1.0, "tie": 0.5, "model_b": 0.0}
    for left, right, winner, n in rows:
        wins[index[left], index[right]] += n * share[winner]
        wins[index[right], index[left]] += n * (1 - share[winner])
    strengths = bradley_terry(wins).log_strength
    print(json.dumps(dict(zip(names, strengths.tolist(), strict=True))))


def in_own_process(*arguments: str) -> str:
    """Run this file with arguments and return what it prints."""
    command = [sys.executable, __file__, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def agree(ours: dict[str, float], plain: dict[str, float]) -> bool:
    """Say whether both fits give the same strengths, aloud if not."""
    same = ours.keys() == plain.keys() and all(abs(ours[name] - plain[name]) < TOLERANCE for name in plain)
    if not same:
        print("our strengths and those of a plain count differ", file=sys.stderr)
    return same


def within_bounds(cost: dict[str, float]) -> bool:
    """Say whether the full size kept its promise, aloud if not."""
    fine = cost["wall"] <= MOST_SECONDS and cost["mb"] <= MOST_MB
    if not fine:
        print(f"more than {MOST_SECONDS:.0f} s or {MOST_MB:.0f} MB", file=sys.stderr)
    return fine


def measure(folder: str, n_rows: int, n_systems: int, n_judges: int) -> bool:
    """Write a file, rank it, print a line, and say whether all is well."""
    free = shutil.disk_usage(folder).free
    if free < BYTES_A_ROW * n_rows:
        print(f"{free / 1e9:.1f} GB are free in {folder}; {BYTES_A_ROW * n_rows / 1e9:.1f} are needed")
        return False
    path = str(Path(folder) / "battles.parquet")
    # A process inherits its parent's peak memory, so even the writing is done in another one.
    in_own_process("--write", path, str(n_rows), str(n_systems), str(n_judges))
    cost = json.loads(in_own_process("--rank", path))
    size = Path(path).stat().st_size / 1e6
    print(
        f"{'battles':>12}{'systems':>9}{'judges':>11}{'file MB':>9}{'read s':>8}{'wall s':>8}{'cpu s':>7}{'MB':>7}"
    )
    cells = (
        f"{n_rows:>12,}{n_systems:>9,}{n_judges:>11,}{size:>9,.0f}{cost['read']:>8.1f}{cost['wall']:>8.1f}"
    )
    print(f"{cells}{cost['cpu']:>7.1f}{cost['mb']:>7.0f}   intervals: {cost['kind']}", flush=True)
    fine = agree(cost["found"], json.loads(in_own_process("--plain", path))) and cost["rows"] == n_rows
    return fine and (n_rows < FULL or bool(n_judges) or within_bounds(cost))


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="From a Parquet file of battles to a ranking.")
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--full", action="store_true", help=f"{FULL:,} battles, within a minute and 2 GB")
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--judges", type=int, default=0, help="cluster by so many judges; 0: no such column")
    parser.add_argument("--write", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--rank", help=argparse.SUPPRESS)
    parser.add_argument("--plain", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write:
        path, *numbers = arguments.write
        write_battles(path, *map(int, numbers))
    elif arguments.rank:
        rank_battles(arguments.rank)
    elif arguments.plain:
        plain_strengths(arguments.plain)
    else:
        n_rows = FULL if arguments.full else arguments.rows
        with tempfile.TemporaryDirectory() as folder:
            return 0 if measure(folder, n_rows, arguments.systems, arguments.judges) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
