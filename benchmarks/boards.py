"""Boards of many systems and tasks, and autorank and evalstats beside us with their answers.

Usage: python benchmarks/boards.py

Processor time of one thread. First a board of 332 systems and 41 tasks by every method that ranks them; more than
0.6 seconds by the mean end with exit code 1. Then, where autorank is installed, how often it and `board` call equal
algorithms different (level 5%), and find one that is better than all others, over 20 data sets. Last, where evalstats
is installed, the interval of the difference of two systems that were each run once, with how often it holds the truth.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import betterthan as bt

MOST_SECONDS = 0.6
TABLES = 200
DATA_SETS, ALGORITHMS = 20, 5
LEAD = 1.0
"""How much the better algorithm is ahead, in standard deviations of its score on a data set."""


def large_board() -> bt.Scores:
    """332 models on 41 tasks, some of them at the limit of the scale."""
    rng = np.random.default_rng(0)
    values = rng.normal(0, 0.05, (332, 1)) + rng.uniform(0.3, 0.8, 41) + rng.normal(0, 0.04, (332, 41))
    return table_of(np.clip(values, 0, 1))


def table_of(values: np.ndarray) -> bt.Scores:
    """A data set in each column."""
    return bt.Scores(
        name="score",
        systems=[f"s{i}" for i in range(len(values))],
        segments=[f"t{i}" for i in range(values.shape[1])],
        values=values,
    )


def speed() -> bool:
    """Print times of the large board, and whether the promise holds."""
    table = large_board()
    bt.board(table)  # everything is loaded
    print("332 systems × 41 tasks")
    times = {}
    for by in ("mean", "mean_win_rate", "borda", "average_rank", "bradley_terry"):
        took = []
        for _ in range(5):
            start = time.process_time()
            bt.board(table, by=by)  # type: ignore[arg-type]
            took.append(time.process_time() - start)
        times[by] = min(took)
        print(f"  {by.replace('_', ' '):15} {times[by]:6.2f} s")
    return times["mean"] <= MOST_SECONDS


def drawn(rng: np.random.Generator, shape: str, lead: float) -> np.ndarray:
    """Scores of algorithms on data sets of different difficulty; the first is ahead by `lead`."""
    size = (ALGORITHMS, DATA_SETS)
    noise = rng.normal(size=size) if shape == "normal" else rng.exponential(size=size) - 1
    noise[0] += lead
    return 3 * rng.normal(size=DATA_SETS) + noise


Verdicts = np.ndarray
"""Entry [a, b]: a is called better than b."""


def ours(values: np.ndarray, by: str) -> Verdicts:
    """Pairs that share no letter, which is how a board names significant differences."""
    board = bt.board(table_of(values), by=by)  # type: ignore[arg-type]
    place = [board.systems.index(f"s{i}") for i in range(ALGORITHMS)]
    letters = [set(board.letters[i]) for i in place]
    strength = (board.strength if board.higher_is_better else -board.strength)[place]
    apart = np.array([[not (a & b) for b in letters] for a in letters])
    return apart & (strength[:, None] > strength[None, :])


def theirs(values: np.ndarray) -> Verdicts:
    """What autorank's report says: nothing after an omnibus test that is not significant, else its post-hoc test."""
    from autorank import autorank

    frame = pd.DataFrame(values.T, columns=[f"s{i}" for i in range(ALGORITHMS)])
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        found = autorank(frame, alpha=0.05, verbose=False)
    if found.pvalue >= found.alpha:
        return np.zeros((ALGORITHMS, ALGORITHMS), dtype=bool)
    table = found.rankdf.loc[list(frame.columns)]
    if found.posthoc == "nemenyi":
        rank = table["meanrank"].to_numpy()
        return (rank[None, :] - rank[:, None]) > found.cd
    low, high = table["ci_lower"].to_numpy(), table["ci_upper"].to_numpy()
    return low[:, None] > high[None, :]


def beside_autorank() -> None:
    """Print error rates, power and times of both."""
    methods: dict[str, Callable[[np.ndarray], Verdicts]] = {
        "board, mean": lambda values: ours(values, "mean"),
        "board, average rank": lambda values: ours(values, "average_rank"),
        "autorank": theirs,
    }
    print(
        f"\n{ALGORITHMS} algorithms × {DATA_SETS} data sets, {TABLES} tables: any false difference among equal ones; "
        f"one that is ahead found better than all others; time of one"
    )
    for shape in ("normal", "exponential"):
        for name, verdicts in methods.items():
            false, found = [], []
            start = time.process_time()
            for k in range(TABLES):
                false.append(verdicts(drawn(np.random.default_rng(k), shape, 0.0)).any())
                found.append(verdicts(drawn(np.random.default_rng(k), shape, LEAD))[0, 1:].all())
            took = (time.process_time() - start) / TABLES / 2
            shares = f"{100 * np.mean(false):5.1f}%  {100 * np.mean(found):5.1f}%"
            print(f"  {shape:12} {name:20} {shares}  {1000 * took:6.0f} ms")


def two_runs(rng: np.random.Generator, n: int, lead: float) -> np.ndarray:
    """Right and wrong answers of two systems to the same items; the second is right more often."""
    difficulty = 1.5 * rng.normal(size=n)
    logit = np.array([[0.0], [lead]]) + 1 - difficulty + 0.7 * rng.normal(size=(2, n))
    return (rng.random((2, n)) < 1 / (1 + np.exp(-logit))).astype(float)


def beside_evalstats() -> None:
    """Print coverage, width and time of the interval of a difference, by both at their defaults."""
    import evalstats

    truth = float(np.diff(two_runs(np.random.default_rng(9), 1_000_000, 0.5).mean(axis=1))[0])

    def by_evalstats(values: np.ndarray) -> tuple[float, float]:
        item, model = np.meshgrid(np.arange(values.shape[1]), ["m0", "m1"])
        rows = pd.DataFrame({"item": item.ravel(), "model": model.ravel(), "score": values.ravel()})
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = evalstats.load_from(rows, metric_cols={"score": "binary"})
            pair: Any = evalstats.compare(data, factors="model").pairwise.results["m0", "m1"]
        return -pair.ci_high, -pair.ci_low

    def by_us(values: np.ndarray) -> tuple[float, float]:
        pair = bt.compare({"m0": values[0], "m1": values[1]})["m1", "m0"]
        return pair.low, pair.high

    print(
        f"\nTwo runs, right and wrong, {TABLES} tables: share of 95% intervals that hold the difference; width; time"
    )
    for n in (30, 200):
        for name, interval in (("ours", by_us), ("evalstats", by_evalstats)):
            held, width = [], []
            start = time.process_time()
            for k in range(TABLES):
                low, high = interval(two_runs(np.random.default_rng(k), n, 0.5))
                held.append(low <= truth <= high)
                width.append(high - low)
            took = (time.process_time() - start) / TABLES
            print(
                f"  {n:4} items  {name:10} {100 * np.mean(held):5.1f}%  {np.mean(width):.3f}  {1000 * took:5.0f} ms"
            )


def main() -> int:
    """Measure, and say whether the promise holds."""
    holds = speed()
    for name, beside in (("autorank", beside_autorank), ("evalstats", beside_evalstats)):
        try:
            __import__(name)
        except ImportError:
            print(f"\n{name} is not installed; pip install {name} to see it beside ours.")
        else:
            beside()
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
