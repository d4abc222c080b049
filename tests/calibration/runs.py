"""Coverage and false claims for repeated runs: bt.compare, bt.rank, bt.factors and bt.variation at their defaults."""

from __future__ import annotations

from functools import cache, partial
from itertools import product

import numpy as np
from scipy.special import expit
from tests.calibration.cells import Cell
from tests.calibration.simulate import Array, Rng, compare, names, rank

import betterthan as bt

OWN = 0.5  # what an item is for one system only, in standard deviations of the residual
RUN_EFFECTS = {"no": 0.0, "small": 0.1, "large": 0.3}
KINDS = ("normal", "right or wrong")
SIZES = ((30, 2), (30, 3), (30, 10), (100, 2), (100, 3), (100, 5), (300, 3), (500, 10))
# With few runs nobody can see whether they differ as a whole, and intervals allow for it.
LOW, HIGH = 0.93, 0.99


def drawn(rng: Rng, kind: str, m: int, n: int, runs: int, effect: float) -> Array:
    """Scores of equal systems, systems × items × runs, with items that are hard for all and runs that shift."""
    item = rng.normal(size=(1, n, 1))
    own = OWN * rng.normal(size=(m, n, 1))
    run = effect * rng.normal(size=(m, 1, runs))
    if kind == "normal":
        return item + own + run + rng.normal(size=(m, n, runs))
    chance = expit(1 + 1.5 * item + 2 * own + 2 * run)
    return (rng.random((m, n, runs)) < chance).astype(np.float64)


def table_of(values: Array, *, keep: Array | None = None, **options: object) -> bt.Runs:
    """A table of runs from systems × items × runs; of the scores to keep only."""
    m, n, runs = values.shape
    kept = np.nonzero(np.full(values.shape, fill_value=True) if keep is None else keep)
    return bt.Runs(
        name="score",
        systems=options.pop("systems", names(m)),
        segments=list(map(str, range(n))),
        runs=list(map(str, range(runs))),
        system=kept[0],
        segment=kept[1],
        run=kept[2],
        score=values[kept],
        **options,
    )


@cache
def true_mean(kind: str, effect: float) -> float:
    """The mean over all items and runs."""
    if kind == "normal":
        return 0.0
    item, own, run = np.random.default_rng(2_718_281).normal(size=(3, 1_000_000))
    return float(expit(1 + 1.5 * item + 2 * OWN * own + 2 * effect * run).mean())


def difference(kind: str, n: int, runs: int, effect: float, rng: Rng) -> float:
    """Whether the interval of the difference of two equal systems contains 0, as test and verdict say."""
    pairs = compare(table_of(drawn(rng, kind, 2, n, runs, effect)))
    (pair,) = pairs.pairs()
    holds = pair.low <= 0 <= pair.high
    assert holds == (pair.pvalue > 0.05) == (pair.verdict is None), "interval, test and verdict disagree"
    return float(holds)


def uneven_difference(kind: str, n: int, runs: int, effect: float, rng: Rng) -> float:
    """The same where three of ten scores are missing at random, but no item in all runs of a system."""
    values = drawn(rng, kind, 2, n, runs, effect)
    keep = rng.random(values.shape) < 0.7
    keep[..., 0] |= ~keep.any(axis=2)
    (pair,) = compare(table_of(values, keep=keep)).pairs()
    return float(pair.low <= 0 <= pair.high)


def mean(kind: str, n: int, runs: int, effect: float, rng: Rng) -> float:
    """The share of two unrelated systems whose interval of the mean contains the truth."""
    values = np.concatenate([drawn(rng, kind, 1, n, runs, effect) for _ in range(2)])
    found = rank(table_of(values))
    truth = true_mean(kind, effect)
    return float(np.mean((found.low <= truth) & (truth <= found.high)))


def samples(kind: str, n: int, runs: int, rng: Rng) -> float:
    """Independent draws for every item: several answers to each prompt."""
    table = table_of(drawn(rng, kind, 2, n, runs, 0.0), independent=True)
    (pair,) = compare(table).pairs()
    return float(pair.low <= 0 <= pair.high)


def passed(k: int, n: int, runs: int, rng: Rng) -> float:
    """The interval of pass@k of one of two unrelated systems."""
    chance = rng.beta(0.6, 1.2, size=(2, n, 1))
    values = (rng.random((2, n, runs)) < chance).astype(np.float64)
    found = rank(table_of(values, independent=True), by=f"pass@{k}")
    # E(1 − (1 − p)^k) for p from Beta(a, b): 1 − B(a, b + k) / B(a, b).
    truth = 1 - float(np.prod([(1.2 + j) / (1.8 + j) for j in range(k)]))
    return float(np.mean((found.low <= truth) & (truth <= found.high)))


def any_claim(kind: str, m: int, n: int, runs: int, effect: float, rng: Rng) -> float:
    """Whether any pair of equal systems is called different, by `rank` and `compare` alike."""
    table = table_of(drawn(rng, kind, m, n, runs, effect))
    pairs = compare(table)
    claims = any(pair.verdict is not None for pair in pairs)
    assert claims == (rank(table).rank_high.min() < m), "rank and compare disagree"
    return float(claims)


def effects(kind: str, n: int, runs: int, effect: float, rng: Rng) -> float:
    """The share of the effects of two factors and of their interaction whose intervals contain the true 0."""
    levels = [(model, prompt) for model in "AB" for prompt in "xy"]
    design = {
        "factors": ("model", "prompt"),
        "levels": levels,
        "systems": [" + ".join(row) for row in levels],
    }
    found = bt.factors(table_of(drawn(rng, kind, 4, n, runs, effect), **design))
    return float(np.mean((found.low <= 0) & (found.high >= 0)))


def shares(n: int, runs: int, effect: float, rng: Rng) -> float:
    """The share of the variance shares of interaction, runs and residual whose intervals contain the truth."""
    found = bt.variation(table_of(drawn(rng, "normal", 4, n, runs, effect)))
    # Equal systems: their variance is 0, at the end of its interval, and not counted here.
    true = np.array([1.0, OWN**2, effect**2, 1.0])
    true /= true.sum()
    return float(np.mean((found.low[1:] <= true) & (true <= found.high[1:])))


def _differences():
    for kind, (n, runs), (called, effect) in product(KINDS, SIZES, RUN_EFFECTS.items()):
        yield Cell(
            table="runs/coverage of differences",
            row=f"{kind}, {called} run effect",
            column=f"{n} × {runs}",
            trial=partial(difference, kind, n, runs, effect),
            low=LOW,
            high=HIGH,
            tables=1000,
            seconds=0.01,
        )


def _others():
    common = {"low": LOW, "high": HIGH, "tables": 500, "seconds": 0.01}
    for kind, (n, runs), (called, effect) in product(
        KINDS, ((30, 3), (100, 5), (300, 3)), RUN_EFFECTS.items()
    ):
        row, column = f"{kind}, {called} run effect", f"{n} × {runs}"
        yield Cell(
            table="runs/coverage with missing scores",
            row=row,
            column=column,
            trial=partial(uneven_difference, kind, n, runs, effect),
            **common,
        )
        yield Cell(
            table="runs/coverage of means",
            row=row,
            column=column,
            trial=partial(mean, kind, n, runs, effect),
            **common,
        )
        yield Cell(
            table="runs/coverage of effects of factors",
            row=row,
            column=column,
            trial=partial(effects, kind, n, runs, effect),
            **common,
        )
        yield Cell(
            table="runs/size",
            row=f"5 systems, {row}",
            column=column,
            trial=partial(any_claim, kind, 5, n, runs, effect),
            low=0.0,
            high=0.06,
            tables=500,
            seconds=0.02,
        )


def _draws():
    for n, runs in ((30, 2), (30, 5), (100, 5), (500, 10)):
        for kind in KINDS:
            yield Cell(
                table="runs/coverage of differences, several answers to each prompt",
                row=kind,
                column=f"{n} × {runs}",
                trial=partial(samples, kind, n, runs),
                low=LOW,
                high=0.97,
                tables=500,
                seconds=0.01,
            )
    for k, n, runs in product((1, 3, 5), (30, 100, 300), (10,)):
        yield Cell(
            table="runs/coverage of pass@k",
            row=f"pass@{k} of {runs} runs",
            column=f"{n} items",
            trial=partial(passed, k, n, runs),
            low=LOW,
            high=0.97,
            tables=500,
            seconds=0.01,
        )
    for (n, runs), (called, effect) in product(((30, 3), (100, 5), (300, 10)), RUN_EFFECTS.items()):
        yield Cell(
            table="runs/coverage of variance shares",
            row=f"{called} run effect",
            column=f"{n} × {runs}",
            trial=partial(shares, n, runs, effect),
            low=LOW,
            high=0.985,
            tables=500,
            seconds=0.01,
        )


CELLS = [*_differences(), *_others(), *_draws()]
