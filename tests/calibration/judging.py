"""Judges, word tags, quality of sentences and aggregated counts: false claims, coverage and power by the verbs."""

from __future__ import annotations

from functools import partial

import numpy as np
from tests.calibration.cells import Cell

import betterthan as bt

# --- Judges ---------------------------------------------------------------------------------------------------


def campaign(rng, n_judges, n_outputs, shape="normal", bad=None):
    """Judge 0 is bad where a way to be so is named: "random" or "reversed"; all others are equally good."""
    size = (n_judges, n_outputs)
    if shape == "normal":  # a single judgement has the reliability 1/2
        score = rng.normal(size=n_outputs) + rng.normal(size=size)
    elif shape == "errors":  # counts of errors with weights 1 and 5, as in MQM
        rate = rng.gamma(0.7, 1.5, size=n_outputs)
        score = -1.0 * rng.poisson(rate, size=size) - 5.0 * rng.poisson(rate / 6, size=size)
    else:
        score = 1.2 * rng.normal(size=n_outputs) + 0.7 * rng.standard_t(3, size=size)
    if bad == "random":
        score[0] = rng.permutation(score[0])
    elif bad == "reversed":
        score[0] *= -1
    return score


def ratings_of(score):
    """Every judge of every output."""
    judge, output = np.indices(score.shape).reshape(2, -1)
    return bt.Ratings(
        name="quality",
        systems=["A"],
        segments=[str(i) for i in range(score.shape[1])],
        judges=[f"J{i}" for i in range(score.shape[0])],
        system=np.zeros(judge.size, dtype=int),
        segment=output,
        judge=judge,
        score=score.ravel(),
    )


def honest_judge_dropped(n_judges, n_outputs, shape, bad, rng):
    """Whether anybody but the bad judge is dropped."""
    dropped = bt.judges(ratings_of(campaign(rng, n_judges, n_outputs, shape, bad))).dropped
    return float(bool(set(dropped) - ({"J0"} if bad else set())))


def bad_judge_dropped(n_judges, n_outputs, shape, bad, rng):
    """Whether the bad judge is dropped."""
    return float("J0" in bt.judges(ratings_of(campaign(rng, n_judges, n_outputs, shape, bad))).dropped)


def controlled(rng, n_judges, n_controls, right):
    """Control items alone, which judge j sees with probability right[j]; judges share nothing else."""
    sees = rng.random((n_judges, n_controls)) < np.asarray(right)[:, None]
    judge, item = np.indices(sees.shape).reshape(2, -1)
    gap = np.where(sees, 1.0, -1.0).ravel() * (1 + rng.random(judge.size))
    n = judge.size
    segment = judge * n_controls + item
    return bt.Ratings(
        name="quality",
        systems=["A", "A#bad"],
        segments=[str(i) for i in range(n)],
        judges=[f"J{i}" for i in range(n_judges)],
        system=np.repeat([0, 1], n),
        segment=np.tile(segment, 2),
        judge=np.tile(judge, 2),
        score=np.concatenate([np.full(n, 50.0), 50 - gap]),
    )


def careful_judge_dropped(n_judges, n_controls, rng):
    """Whether any judge is dropped who is right on nine of ten control items in the long run."""
    table = controlled(rng, n_judges, n_controls, [0.9] * n_judges)
    return float(bool(bt.judges(table, controls={"A#bad": "A"}).dropped))


def careless_judge_dropped(n_judges, n_controls, rng):
    """Whether the one is dropped who is right on half."""
    table = controlled(rng, n_judges, n_controls, [0.5] + [0.9] * (n_judges - 1))
    return float("J0" in bt.judges(table, controls={"A#bad": "A"}).dropped)


SIZES = (5, 12, 50)
SHARED = (10, 30, 100)
JUDGE_CELLS = [
    Cell(
        table=f"judges/{'honest judge dropped' if event is honest_judge_dropped else 'bad judge dropped'}",
        row=f"{n_judges} judges, {shape}, {bad or 'all honest'}",
        column=f"{n_outputs} outputs",
        trial=partial(event, n_judges, n_outputs, shape, bad),
        low=0.0,
        high=0.06 if event is honest_judge_dropped else 1.0,
        tables=500,
    )
    for event, bads in ((honest_judge_dropped, (None, "random")), (bad_judge_dropped, ("random", "reversed")))
    for bad in bads
    for shape in ("normal", "errors", "heavy tails")
    for n_judges in SIZES
    for n_outputs in SHARED
    if n_judges * n_outputs <= 1500 or shape == "normal"
]
CONTROL_CELLS = [
    Cell(
        table=f"judges/{'careful judge dropped' if event is careful_judge_dropped else 'careless judge dropped'}",
        row=f"{n_judges} judges",
        column=f"{n_controls} controls",
        trial=partial(event, n_judges, n_controls),
        low=0.0,
        high=0.05 if event is careful_judge_dropped else 1.0,
        tables=2000,
    )
    for event in (careful_judge_dropped, careless_judge_dropped)
    for n_judges in SIZES
    for n_controls in (5, 10, 30)
]

CELLS: list[Cell] = [*JUDGE_CELLS, *CONTROL_CELLS]
