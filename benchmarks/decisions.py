"""Decisions about language models: gates, looks while data arrive, corrected judges and arenas, beside four peers.

Usage: python benchmarks/decisions.py [TABLES]

Each peer that is installed (statgate, evalsig, truescore, arena-rank) decides on the same simulated tables as we do, at
its defaults and the same nominal level; one that is not is skipped. Printed are the share of wrong decisions with its
standard error, the share of right ones, and the processor time of one table. Nothing here is a promise but one: ours
passes releases that are worse by the margin, and stops under the null, at most as often as its level says, within
three standard errors. Otherwise the exit code is 1.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

import betterthan as bt

TABLES = int(sys.argv[1]) if len(sys.argv) > 1 else 100
MARGIN = 0.05
BATTLES, MODELS = 100_000, 30

Array = np.ndarray


def measured(name: str, decide: Callable[[int], bool], level: float | None = None) -> bool:
    """Print the share of tables on which a decision is made, and its time; return whether it holds the level."""
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        share = float(np.mean([decide(k) for k in range(TABLES)]))
    took = 1000 * (time.process_time() - start) / TABLES
    error = (share * (1 - share) / TABLES) ** 0.5
    print(f"    {name:12} {100 * share:5.1f}% ± {100 * error:.1f}  {took:7.1f} ms")
    least = (level * (1 - level) / TABLES) ** 0.5 if level else 0.0
    return level is None or share <= level + 3 * max(error, least)


# ---- gates


def right_and_wrong(k: int, n: int, changed: float, loss: float) -> tuple[Array, Array]:
    """Answers of two releases of which few differ; the second is worse by `loss` on average."""
    rng = np.random.default_rng((1, k, n))
    base = (rng.random(n) < 0.7).astype(float)
    worse, better = (changed + loss) / 2 / 0.7, (changed - loss) / 2 / 0.3
    turned = rng.random(n) < np.where(base == 1, worse, better)
    return base, np.where(turned, 1 - base, base)


def our_gate(base: Array, new: Array) -> bool:
    """Whether we let it pass."""
    return bt.gate(base.tolist(), new.tolist(), margin=MARGIN).verdict in ("pass", "better", "equivalent")


def gate_of_statgate(base: Array, new: Array) -> bool:
    """Whether statgate ships it."""
    import statgate

    settings = statgate.GateSettings(margin=MARGIN, seed=1, resamples=2000, permutations=100)
    records = [
        [statgate.EvalRecord(case_id=str(i), score=float(x)) for i, x in enumerate(scores)]
        for scores in (base, new)
    ]
    return str(statgate.evaluate_gate(*records, settings).verdict) == "SHIP"


def gate_of_evalsig(base: Array, new: Array) -> bool:
    """Whether the lower limit of evalsig's two-sided interval is above the margin: it has no rule for margins."""
    import evalsig

    frames = [
        evalsig.RunFrame(
            name, name, "task", "score", [evalsig.ItemResult(str(i), x) for i, x in enumerate(scores)]
        )
        for name, scores in (("a", base), ("b", new))
    ]
    return bool(evalsig.compare(*frames, n_resamples=2000).ci[0] > -MARGIN)


def gates() -> bool:
    """Print how often a release that is worse by the margin passes, and one that is equally good."""
    rules = {"ours": our_gate, "statgate": gate_of_statgate, "evalsig": gate_of_evalsig}
    holds = True
    for n, changed in ((50, 0.06), (100, 0.06), (400, 0.10)):
        for what, loss, level in (
            ("worse by the margin, nominal 2.5%", MARGIN, 0.025),
            ("equally good", 0.0, None),
        ):
            print(f"  Passed: {n} answers, {100 * changed:.0f}% changed, {what}")
            for name, rule in installed(rules).items():
                fine = measured(
                    name, lambda k, r=rule, c=changed, n=n, x=loss: r(*right_and_wrong(k, n, c, x)), level
                )
                holds &= fine or name != "ours"
    return holds


# ---- looks


def skewed(k: int, lead: float, n: int = 500) -> tuple[Array, Array]:
    """Scores from 0 to 1: the second system is usually a little better and rarely much worse; equal if lead is 0."""
    rng = np.random.default_rng((2, k))
    base = 0.5 + 0.4 * rng.random(n)
    rare = rng.random(n) < 0.1
    return base, base + np.where(rare, -0.45, 0.05 + lead)


def our_watch(base: Array, new: Array) -> bool:
    """Whether we ever stop."""
    (pair,) = bt.watch({"A": base.tolist(), "B": new.tolist()}, bounds=(0, 1))
    return pair.decided_at > 0


def watch_of_statgate(base: Array, new: Array) -> bool:
    """Whether its sequential test rejects at any look after each item."""
    from statgate.core.sequential import MixtureSPRT

    test = MixtureSPRT()
    return any(test.update([d]).decided for d in (new - base).tolist())


def watch_of_evalsig(base: Array, new: Array) -> bool:
    """Whether its sequence of intervals excludes 0 at any look."""
    import evalsig

    return bool(evalsig.sequential_gate((new - base).tolist(), alternative="two-sided").stopped)


def watch_of_truescore(base: Array, new: Array) -> bool:
    """Whether its empirical Bernstein sequence excludes 0 at any look."""
    from truescore.sequential import first_exclusion

    return first_exclusion(new - base, 0.0, bounds=(-1.0, 1.0)) is not None


def looks() -> bool:
    """Print how often equal systems are called different at any look, and how often a real lead is found."""
    rules = {
        "ours": our_watch,
        "statgate": watch_of_statgate,
        "evalsig": watch_of_evalsig,
        "truescore": watch_of_truescore,
    }
    holds = True
    for what, lead, level in (("equal means, nominal 5%", 0.0, 0.05), ("a lead of 0.04", 0.045, None)):
        print(f"  Stopped at a look at up to 500 skewed scores: {what}")
        for name, rule in installed(rules).items():
            fine = measured(name, lambda k, r=rule, x=lead: r(*skewed(k, x)), level)
            holds &= fine or name != "ours"
    return holds


# ---- judges


def judged(k: int) -> tuple[Array, Array, Array]:
    """Verdicts of a judge that is kind to the second system, on 1000 answers, and what people say about them."""
    rng = np.random.default_rng((3, k))
    true = (rng.random((2, 1000)) < np.array([[0.6], [0.6]])).astype(float)
    kind = rng.random((2, 1000)) < np.array([[0.1], [0.3]])
    return np.where(kind, 1.0, true), true, rng.permutation(1000)[:100]


def our_interval(judge: Array, true: Array, labeled: Array) -> tuple[float, float]:
    """Interval of the corrected difference."""
    segments = [str(i) for i in range(judge.shape[1])]
    seen = np.full(true.shape, np.nan)
    seen[:, labeled] = true[:, labeled]
    tables = (
        bt.Scores(name="correct", systems=["A", "B"], segments=segments, values=v) for v in (judge, seen)
    )
    pair = bt.compare(bt.correct(*tables))["A", "B"]
    return pair.low, pair.high


def interval_of_truescore(judge: Array, true: Array, labeled: Array) -> tuple[float, float]:
    """Interval of its prediction-powered comparison."""
    import truescore

    found = truescore.ppi_compare(judge[0], judge[1], true[0, labeled], true[1, labeled], labeled)
    return found.low, found.high


def judges() -> bool:
    """Print how often the interval of a difference of 0 misses it, and its mean width."""
    rules = {"ours": our_interval, "truescore": interval_of_truescore}
    print("  Difference of two equal systems missed, biased judge, 100 labels, nominal 5%")
    holds = True
    for name, rule in installed(rules).items():
        widths = []

        def misses(k: int, r: Callable[..., tuple[float, float]] = rule, seen: list[float] = widths) -> bool:
            low, high = r(*judged(k))
            seen.append(high - low)
            return not low <= 0 <= high

        fine = measured(name, misses, 0.05)
        print(f"    {'':12} mean width {np.mean(widths):.3f}")
        holds &= fine or name != "ours"
    return holds


# ---- arenas


def arenas() -> bool:
    """Print the time of a board with intervals, and the largest difference of the ratings from arena-rank's."""
    rng = np.random.default_rng(4)
    strength = rng.normal(0, 0.5, MODELS)
    left = rng.integers(0, MODELS, BATTLES)
    right = (left + rng.integers(1, MODELS, BATTLES)) % MODELS
    won = rng.random(BATTLES) < 1 / (1 + np.exp(strength[right] - strength[left]))
    names = np.array([f"m{i:02}" for i in range(MODELS)])
    frame = {"model_a": names[left], "model_b": names[right], "winner": np.where(won, "model_a", "model_b")}
    columns = {key: value.tolist() for key, value in frame.items()}
    start = time.process_time()
    board = bt.rank(columns, scale="elo")
    print(f"  {BATTLES:,} battles of {MODELS} models, ratings with intervals")
    print(f"    {'ours':12} {time.process_time() - start:.2f} s")
    if find_spec("arena_rank") is None or find_spec("jax") is None:
        return True
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    start = time.process_time()
    data = PairDataset.from_pandas(pd.DataFrame(frame))
    theirs = BradleyTerry(n_competitors=MODELS).compute_ratings_and_cis(data)
    print(f"    {'arena-rank':12} {time.process_time() - start:.2f} s")
    ratings = dict(zip(theirs["competitors"], np.asarray(theirs["ratings"]), strict=True))
    gaps = np.array([ratings[name] for name in board.systems]) - board.strength
    print(f"    largest difference of the ratings, but for a constant: {np.ptp(gaps):.3f} points")
    return True


def installed(rules: dict[str, Callable[..., object]]) -> dict[str, Callable[..., object]]:
    """Return ours and the rules of the peers that are installed."""
    return {name: rule for name, rule in rules.items() if name == "ours" or find_spec(name) is not None}


def main() -> int:
    """Run all parts; name the peers that are not there."""
    absent = [
        name for name in ("statgate", "evalsig", "truescore", "arena_rank", "jax") if find_spec(name) is None
    ]
    if absent:
        print(f"Not installed, so left out: {', '.join(absent)}.")
    holds = True
    for title, part in (("Gates", gates), ("Looks", looks), ("Judges", judges), ("Arenas", arenas)):
        print(f"{title}, {TABLES} tables" if title != "Arenas" else title, flush=True)
        holds &= part()
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
