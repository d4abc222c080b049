"""Repeated runs: a million rows end to end, and evalstats beside us with its answers.

Usage: python benchmarks/runs.py

Processor time of one thread. First 10 systems × 20 runs × 5,000 items from a data frame, a Parquet file, a CSV file and
a table to all pairs with intervals and verdicts; more than 2 seconds for the frame end with exit code 1. Then, if
evalstats is installed, how often the 95% interval of each contains the true difference of two equal systems, 0, where
runs differ as a whole and where they do not.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import betterthan as bt

SYSTEMS, RUNS, ITEMS = 10, 20, 5000
MOST_SECONDS = 2.0
TABLES = 200
DESIGNS = ((100, 5, 0.0), (100, 5, 0.3), (300, 3, 0.3))
COLUMNS: dict[str, Any] = {"system": ["model", "prompt"], "run": "seed"}


def frame(values: np.ndarray, *, prompts: int = 1) -> pd.DataFrame:
    """Rows of systems × runs × items."""
    system, run, item = (index.ravel() for index in np.indices(values.shape))
    model, prompt = (np.array([f"{letter}{k}" for k in range(99)]) for letter in "mp")
    return pd.DataFrame(
        {
            "item": item,
            "model": model[system // prompts],
            "prompt": prompt[system % prompts],
            "seed": run,
            "score": values.ravel(),
        }
    )


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def million_rows() -> bool:
    """Print times of a million rows, and whether the promise holds."""
    rng = np.random.default_rng(1)
    rows = frame((rng.random((SYSTEMS, RUNS, ITEMS)) < 0.6).astype(float), prompts=2)
    table = bt.read_runs(rows, **COLUMNS)
    bt.compare(table)  # everything is loaded
    with tempfile.TemporaryDirectory() as folder:
        parquet, text = Path(folder) / "runs.parquet", Path(folder) / "runs.csv"
        rows.to_parquet(parquet)
        rows.to_csv(text, index=False)
        times = {
            "compare, from a data frame": seconds(lambda: bt.compare(rows, **COLUMNS)),
            "compare, from Parquet": seconds(lambda: bt.compare(parquet, **COLUMNS)),
            "compare, from CSV": seconds(lambda: bt.compare(text, **COLUMNS)),
            "compare, from a table": seconds(lambda: bt.compare(table)),
            "rank, from a table": seconds(lambda: bt.rank(table)),
            "factors, from a table": seconds(lambda: bt.factors(table)),
            "variation, from a table": seconds(lambda: bt.variation(table)),
        }
    print(f"{len(rows):,} rows: {SYSTEMS} systems × {RUNS} runs × {ITEMS:,} items")
    for name, took in times.items():
        print(f"  {name:28} {took:6.2f} s")
    return times["compare, from a data frame"] <= MOST_SECONDS


def drawn(rng: np.random.Generator, n: int, runs: int, effect: float) -> np.ndarray:
    """Right and wrong answers of two equal systems whose runs shift all of their answers."""
    logit = (
        1
        + 1.5 * rng.normal(size=(1, 1, n))
        + rng.normal(size=(2, 1, n))
        + 2 * effect * rng.normal(size=(2, runs, 1))
    )
    return (rng.random((2, runs, n)) < 1 / (1 + np.exp(-logit))).astype(float)


def ours(rows: pd.DataFrame) -> tuple[float, float]:
    """Interval of the first pair."""
    pair = bt.compare(rows[["item", "model", "seed", "score"]], system="model", run="seed").pair("m0", "m1")
    return pair.low, pair.high


def theirs(rows: pd.DataFrame) -> tuple[float, float]:
    """Interval of the first pair by evalstats at its defaults."""
    import evalstats

    named = rows[["item", "model", "seed", "score"]].rename(columns={"seed": "run"})
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evalstats.compare(
            evalstats.load_from(named, metric_cols={"score": "binary"}), factors="model"
        )
    pair = found.pairwise.results["m0", "m1"]
    return pair.ci_low, pair.ci_high


def beside_evalstats() -> None:
    """Print coverage and time of both."""
    print(
        f"\nTwo equal systems, right and wrong, {TABLES} tables: share of 95% intervals that contain 0; time of one"
    )
    for n, runs, effect in DESIGNS:
        held: dict[str, list[bool]] = {"ours": [], "evalstats": []}
        took = {"ours": 0.0, "evalstats": 0.0}
        for k in range(TABLES):
            rows = frame(drawn(np.random.default_rng(k), n, runs, effect))
            for name, interval in (("ours", ours), ("evalstats", theirs)):
                start = time.process_time()
                low, high = interval(rows)
                took[name] += time.process_time() - start
                held[name].append(low <= 0 <= high)
        shown = "; ".join(
            f"{name} {100 * np.mean(held[name]):.1f}%, {1000 * took[name] / TABLES:.0f} ms" for name in held
        )
        print(f"  {n} items × {runs} runs, run effect {effect}: {shown}")


def main() -> int:
    """Measure, and say whether the promise holds."""
    holds = million_rows()
    try:
        import evalstats  # noqa: F401
    except ImportError:
        print("\nevalstats is not installed; pip install evalstats to see it beside ours.")
    else:
        beside_evalstats()
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
