"""Watching while data grow: false verdicts at any look, and how soon true differences are found."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from tests.calibration.cells import Cell

import betterthan as bt

MOST = 4000
"""Units after each of which one may look."""
RATIO = 1.25


def gaps(rng, design, n):
    """Differences of two systems with mean 0."""
    draws = {
        "normal": lambda: rng.standard_normal(n),
        "heavy tails (t, 3 degrees)": lambda: rng.standard_t(3, n),
        "skewed (exponential)": lambda: rng.exponential(size=n) - 1,
        "skewed the other way": lambda: 1 - rng.exponential(size=n),
        "very skewed (log-normal)": lambda: np.exp(rng.standard_normal(n)) - np.exp(0.5),
        "difference of MQM scores": lambda: mqm(rng, n) - mqm(rng, n),
    }
    return draws[design]()


def mqm(rng, n):
    """Error points that are mostly 0."""
    return -1.0 * (rng.random(n) < 0.15) * rng.choice([1.0, 1.0, 1.0, 5.0, 5.0, 25.0], n)


def scores_of(first, second, **more):
    """A table of two systems."""
    names = [str(i) for i in range(len(first))]
    return bt.Scores(name="m", systems=["A", "B"], segments=names, values=[first, second], **more)


def discordant(rng, n, share, lead=0.0):
    """Right and wrong answers: on this share of the items only one is right, more often the first."""
    draw, base = rng.random(n), (rng.random(n) < 0.6).astype(float)
    first = np.where(draw < (share + lead) / 2, 1.0, np.where(draw < share, 0.0, base))
    second = np.where(draw < (share + lead) / 2, 0.0, np.where(draw < share, 1.0, base))
    return scores_of(first, second)


def votes(rng, n, ties, lead=0.0, m=2):
    """Battles of m systems in random pairs, of which the first of two wins more often."""
    left = rng.integers(0, m, n)
    right = (left + rng.integers(1, m, n)) % m
    is_tie, chance = rng.random(n) < ties, 0.5 + lead / (1 - ties)
    won = (rng.random(n) < chance) == (left < right)
    outcome = np.where(is_tie, 0.5, won.astype(float))
    return bt.Matches(systems=[f"s{i}" for i in range(m)], left=left, right=right, outcome=outcome)


def documents(rng, n, size, icc, lead=0.0):
    """Documents of this size; their segments are correlated."""
    groups = np.repeat(np.arange(n // size), size)
    noise = np.sqrt(icc) * rng.standard_normal(n // size)[groups] + np.sqrt(1 - icc) * rng.standard_normal(
        groups.size
    )
    return scores_of(noise + lead, np.zeros(groups.size), groups=[str(g) for g in groups])


def judged(rng, n, size):
    """Battles in sessions of one judge, who prefers one of the two systems."""
    taste = np.clip(0.5 + 0.3 * rng.standard_normal(n // size), 0, 1)
    group = np.repeat(np.arange(n // size), size)
    outcome = (rng.random(group.size) < taste[group]).astype(float)
    zeros = np.zeros(group.size, dtype=int)
    # A clipped normal number around one half is symmetric, so both systems win equally often.
    return bt.Matches(systems=["A", "B"], left=zeros, right=zeros + 1, outcome=outcome, group=group)


def null(design, rng):
    """A table without a difference."""
    made = {
        "right or wrong, discordance 2%": lambda: discordant(rng, MOST, 0.02),
        "right or wrong, discordance 30%": lambda: discordant(rng, MOST, 0.3),
        "battles, 25% ties": lambda: votes(rng, MOST, 0.25),
        "documents of 10 segments": lambda: documents(rng, MOST, 10, 0.3),
        "judges with 10 battles each": lambda: judged(rng, MOST, 10),
        "battles of 8 systems": lambda: votes(rng, MOST, 0.25, m=8),
        "scores of 5 systems": lambda: {f"s{i}": mqm(rng, 1000) for i in range(5)},
    }
    if design in made:
        return made[design]()
    return scores_of(gaps(rng, design, MOST), np.zeros(MOST))


def false_verdict(design, planned, rng):
    """Whether any pair gets a verdict at any of the looks."""
    found = bt.watch(null(design, rng), horizon=400 if planned else None)
    return float(found.n_decided > 0)


def rare_with_bounds(rng):
    """The same for a rare large loss, which no method survives without bounds."""
    rare = np.where(rng.random(MOST) < 0.01, -25.0, 0.0)
    constant = np.full(MOST, -0.25)
    return float(bt.watch(scores_of(rare, constant), bounds=(-25, 0)).n_decided > 0)


def false_pass(rng):
    """Whether a candidate that is worse by exactly the margin passes at any look."""
    table = discordant(rng, MOST, 0.1, lead=0.02)
    return float("not worse" in bt.watch(table, margin=0.02, systems=["A", "B"]).verdict)


def holds(design, rng):
    """Whether the interval at the last look holds the mean 0; at all looks together at least 95% do."""
    row = bt.watch(null(design, rng))[0]
    return float(row.low <= 0 <= row.high)


DIFFERENCES = {
    "scores, 0.2 standard deviations": (
        {"sd": 1.0, "difference": 0.2},
        lambda rng, n: scores_of(rng.standard_normal(n) + 0.2, np.zeros(n)),
    ),
    "skewed scores, 0.2 standard deviations": (
        {"sd": 1.0, "difference": 0.2},
        lambda rng, n: scores_of(rng.exponential(size=n) - 0.8, np.zeros(n)),
    ),
    "scores, 0.07 standard deviations": (
        {"sd": 1.0, "difference": 0.07},
        lambda rng, n: scores_of(rng.standard_normal(n) + 0.07, np.zeros(n)),
    ),
    "right or wrong, 5 points, discordance 20%": (
        {"discordance": 0.2, "difference": 0.05},
        lambda rng, n: discordant(rng, n, 0.2, 0.05),
    ),
    "right or wrong, 2 points, discordance 5%": (
        {"discordance": 0.05, "difference": 0.02},
        lambda rng, n: discordant(rng, n, 0.05, 0.02),
    ),
    "battles, win probability 0.55, 25% ties": (
        {"ties": 0.25, "difference": 0.05},
        lambda rng, n: votes(rng, n, 0.25, 0.05),
    ),
    "documents of 10 segments, 0.15 standard deviations": (
        {"sd": 1.0, "document_size": 10, "icc": 0.3, "difference": 0.15},
        lambda rng, n: documents(rng, 10 * n, 10, 0.3, 0.15),
    ),
}
"""The assumptions of the plan, and tables with so many units for which they are true."""


def stops_in_time(design, given, factor, rng):
    """Whether the better system is named within 1.25 times the planned number, or the factor times it."""
    assumptions, table = DIFFERENCES[design]
    needed = bt.plan(**assumptions)[0].needed
    options = {
        "no plan": {},
        "horizon": {"horizon": int(needed)},
        "expected": {"expected": assumptions["difference"]},
        "horizon 4 times too long": {"horizon": int(4 * needed)},
        "horizon 3 times too short": {"horizon": int(needed / 3)},
    }[given]
    found = bt.watch(table(rng, int(factor * needed)), **options)
    return float(found[0].verdict == found[0].a)


SYMMETRIC = ("normal", "heavy tails (t, 3 degrees)", "difference of MQM scores")
SKEWED = ("skewed (exponential)", "skewed the other way", "very skewed (log-normal)")
OTHERS = (
    "right or wrong, discordance 2%",
    "right or wrong, discordance 30%",
    "battles, 25% ties",
    "documents of 10 segments",
    "judges with 10 battles each",
)
CELLS = [
    *(
        Cell(
            table="watch/false verdicts",
            row=design,
            column="horizon 400" if planned else "no plan",
            trial=partial(false_verdict, design, planned),
            low=0.0,
            high=0.05,
            tables=1000,
            seconds=0.04,
        )
        for design, planned in product((*SYMMETRIC, *SKEWED, *OTHERS), (False, True))
    ),
    *(
        Cell(
            table="watch/false verdicts",
            row=design,
            column="no plan",
            trial=partial(false_verdict, design, False),
            low=0.0,
            high=0.05,
            tables=500,
            seconds=0.15,
        )
        for design in ("battles of 8 systems", "scores of 5 systems")
    ),
    Cell(
        table="watch/false verdicts",
        row="rare loss of 25 points, with bounds",
        column="no plan",
        trial=rare_with_bounds,
        low=0.0,
        high=0.05,
        tables=1000,
        seconds=0.04,
    ),
    Cell(
        table="watch/false verdicts",
        row="worse by exactly the margin",
        column="no plan",
        trial=false_pass,
        low=0.0,
        high=0.05,
        tables=1000,
        seconds=0.04,
    ),
    *(
        Cell(
            table="watch/coverage at the last look",
            row=design,
            column="any look",
            trial=partial(holds, design),
            low=0.95,
            high=1.0,
            tables=500,
            seconds=0.04,
        )
        for design in (
            "normal",
            "skewed (exponential)",
            "right or wrong, discordance 30%",
            "documents of 10 segments",
        )
    ),
    *(
        Cell(
            table="watch/found within 1.25 times the planned number",
            row=design,
            column=given,
            trial=partial(stops_in_time, design, given, RATIO),
            low=0.5,
            high=1.0,
            tables=500,
            seconds=0.04,
        )
        for design, given in product(
            DIFFERENCES,
            ("no plan", "horizon", "expected", "horizon 4 times too long", "horizon 3 times too short"),
        )
    ),
    *(
        Cell(
            table="watch/found within the planned number",
            row=design,
            column=given,
            trial=partial(stops_in_time, design, given, 1.0),
            low=0.0,
            high=1.0,
            tables=500,
            seconds=0.04,
        )
        for design, given in product(DIFFERENCES, ("no plan", "horizon", "expected"))
    ),
]
