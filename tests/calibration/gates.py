"""False passes, false failures and power of bt.gate at its defaults, and verdicts on two runs of one system."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from tests.calibration.cells import Cell
from tests.calibration.runs import drawn, table_of
from tests.calibration.simulate import Array, Rng, scores_of

import betterthan as bt

# The nominal level of each error is 2.5%.
HIGH = 0.03
SIZES = (20, 50, 100, 200, 1000)
CHANGED = (0.02, 0.05, 0.1, 0.2, 0.3)
SHIFTED: dict[str, tuple[float, Callable[[Rng, int], Array]]] = {
    # The margin, and differences of mean 0.
    "normal": (0.3, lambda rng, n: rng.normal(size=n)),
    "grades, half of them equal": (0.2, lambda rng, n: rng.choice([-2.0, -1.0, 0.0, 1.0, 2.0], n, p=GRADES)),
    "heavy tails (t₃)": (0.3, lambda rng, n: rng.standard_t(3, size=n)),
    "exponential losses": (0.3, lambda rng, n: 1 - rng.exponential(size=n)),
    "log-normal losses": (0.3, lambda rng, n: np.exp(0.5) - np.exp(rng.normal(size=n))),
    "exponential gains": (0.3, lambda rng, n: rng.exponential(size=n) - 1),
}
GRADES = (0.1, 0.15, 0.5, 0.15, 0.1)
SKEWED = "exponential gains"


def right_wrong(rng: Rng, n: int, changed: float, difference: float) -> Array:
    """Answers of baseline and candidate, of which a share changes, with this difference of accuracies."""
    draw, right = rng.random(n), rng.random(n) < 0.7
    gained, lost = draw < (changed + difference) / 2, draw >= 1 - (changed - difference) / 2
    return np.stack([(right & ~gained) | lost, (right & ~lost) | gained]).astype(float)


def scored(rng: Rng, n: int, kind: str, difference: float) -> Array:
    """Scores of baseline and candidate, whose differences have this mean."""
    item = rng.normal(size=n)
    return np.stack([item, item + SHIFTED[kind][1](rng, n) + difference])


def documents(rng: Rng, n: int, difference: float) -> bt.Scores:
    """N documents of 2 to 12 segments, whose differences share half of their variance."""
    groups = np.repeat(np.arange(n), rng.integers(2, 13, n))
    gaps = rng.normal(size=n)[groups] + rng.normal(size=groups.size)
    return scores_of(np.stack([np.zeros(groups.size), gaps + difference]), groups)


def repeated(rng: Rng, n: int, runs: int, difference: float) -> bt.Runs:
    """N items in several runs of both systems, with runs that differ."""
    values = drawn(rng, "normal", 2, n, runs, 0.1)
    values[1] += difference
    return table_of(values)


def exit_code(table: object, margin: float) -> int:
    """The exit code of the gate of the second system against the first."""
    return bt.gate(table, margin=margin).exit_code


def share_event(n: int, changed: float, margin: float, difference: float, code: int, rng: Rng) -> float:
    """Whether the gate of right and wrong answers ends with this exit code."""
    return float(exit_code(scores_of(right_wrong(rng, n, changed, difference)), margin) == code)


def score_event(n: int, kind: str, difference: float, code: int, rng: Rng) -> float:
    """The same for scores; the difference is in margins."""
    margin = SHIFTED[kind][0]
    return float(exit_code(scores_of(scored(rng, n, kind, difference * margin)), margin) == code)


def document_event(n: int, difference: float, code: int, rng: Rng) -> float:
    """The same by documents."""
    return float(exit_code(documents(rng, n, 0.3 * difference), 0.3) == code)


def run_event(n: int, runs: int, difference: float, code: int, rng: Rng) -> float:
    """The same for repeated runs."""
    return float(exit_code(repeated(rng, n, runs, 0.3 * difference), 0.3) == code)


def same_system(n: int, kind: str, rng: Rng) -> float:
    """Whether two exchangeable sets of scores are called better or worse."""
    values = right_wrong(rng, n, 0.1, 0.0) if kind == "right or wrong" else rng.normal(size=(2, n))
    if kind == "penalties":
        values = -np.round(np.exp(values))
    return float(bt.gate(scores_of(values), margin=0.02).verdict in ("better", "fail"))


SMALL = "20 log-normal losses often lack the largest ones, and no method sees from the sample that they are missing."
LIMITS = {("log-normal losses", 20): SMALL}
# Power of the exact test with the score statistic at its best, summed over all tables, less 3 points.
POWER = {
    ("2% change, margin 0.02", 500): (0.02, 0.02, 0.795),
    ("5% change, margin 0.05", 200): (0.05, 0.05, 0.794),
    ("10% change, margin 0.05", 200): (0.1, 0.05, 0.560),
    ("10% change, margin 0.02", 1000): (0.1, 0.02, 0.506),
    ("20% change, margin 0.05", 500): (0.2, 0.05, 0.697),
}

_pass = partial(Cell, table="gate/false-passes", low=0.0, high=HIGH, tables=2000, seconds=0.01)
_fail = partial(Cell, table="gate/false-failures", low=0.0, high=HIGH, tables=2000, seconds=0.01)
CELLS = [
    *(
        _pass(
            row=f"right or wrong, {100 * changed:g}% change",
            column=f"n = {n}",
            trial=partial(share_event, n, changed, 0.02, -0.02, 0),
        )
        for changed in CHANGED
        for n in SIZES
    ),
    *(
        _pass(
            row=kind,
            column=f"n = {n}",
            trial=partial(score_event, n, kind, -1.0, 0),
            limit=LIMITS.get((kind, n), ""),
        )
        for kind in SHIFTED
        for n in SIZES
    ),
    *(
        _pass(
            row="documents of 2 to 12",
            column=f"n = {n}",
            trial=partial(document_event, n, -1.0, 0),
            seconds=0.03,
        )
        for n in (20, 50, 100, 200)
    ),
    *(
        _pass(row=f"{runs} runs", column=f"n = {n}", trial=partial(run_event, n, runs, -1.0, 0), seconds=0.03)
        for runs in (3, 5)
        for n in (20, 50, 100, 200)
    ),
    *(
        _fail(
            row=f"right or wrong, {100 * changed:g}% change",
            column=f"n = {n}",
            trial=partial(share_event, n, changed, 0.02, 0.0, 1),
        )
        for changed in (0.05, 0.2)
        for n in (50, 200, 1000)
    ),
    *(
        _fail(row=kind, column=f"n = {n}", trial=partial(score_event, n, kind, 0.0, 1))
        for kind in SHIFTED
        for n in ((20, 50, 200, 1000) if kind == SKEWED else (50, 200, 1000))
    ),
    *(
        _fail(
            row="documents of 2 to 12",
            column=f"n = {n}",
            trial=partial(document_event, n, 0.0, 1),
            seconds=0.03,
        )
        for n in (50, 200)
    ),
    *(
        Cell(
            table="gate/same-system",
            row=kind,
            column=f"n = {n}",
            trial=partial(same_system, n, kind),
            low=0.0,
            high=0.055,
            seconds=0.01,
        )
        for kind in ("right or wrong", "normal", "penalties")
        for n in (20, 100, 1000)
    ),
    *(
        Cell(
            table="gate/power",
            row=row,
            column=f"n = {n}",
            trial=partial(share_event, n, changed, margin, 0.0, 0),
            low=power - 0.03,
            high=1.0,
            seconds=0.01,
        )
        for (row, n), (changed, margin, power) in POWER.items()
    ),
]
