"""Cells of models that are fitted to battles and answers: Elo, TrueSkill, Rao–Kupper and item response."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from scipy.special import expit
from tests.calibration.cells import Cell
from tests.calibration.simulate import names, numbers, rank, scores_of

import betterthan as bt
from betterthan.kernels.comparisons.rao_kupper import rao_kupper

KEEPS, COVERS, HOLDS = (0.0, 0.06), (0.93, 0.97), (0.94, 1.0)
TASTE = 0.5  # standard deviation of what a judge thinks of a system, on the log scale
THRESHOLD = 0.5  # equal systems tie in a quarter of the battles
BATTLES = {"Elo": {"by": "elo"}, "TrueSkill": {"by": "trueskill"}, "Rao–Kupper": {"ties": "rao_kupper"}}
SECONDS = {"Elo": 0.004, "TrueSkill": 0.008, "Rao–Kupper": 0.02}  # of one table, for each system
JUDGES = {"no judges": None, "5 judges": 5, "20 judges": 20}


def ladder(m, spread=0.8):
    """Log strengths from best to worst; the first two are equal if there are more than two."""
    rungs = np.linspace(spread, -spread, m)
    if m > 2:
        rungs[1] = rungs[0]
    return rungs - rungs.mean()


def covers(found, truth):
    """Share of the systems whose interval holds the truth."""
    true = truth[numbers(found.systems)]
    return float(((found.low <= true) & (true <= found.high)).mean())


def ranges_hold(found, truth):
    """Whether the range of every system holds all its true ranks; equal systems share theirs."""
    true = truth[numbers(found.systems)]
    best = 1 + (truth[None] > true[:, None] + 1e-9).sum(axis=1)
    worst = (truth[None] >= true[:, None] - 1e-9).sum(axis=1)
    return float((found.rank_low <= best).all() and (found.rank_high >= worst).all())


def estimable(draw, **options):
    """Rank the first table in which the strengths exist."""
    while True:
        table = draw()
        try:
            return rank(table, workers=1, **options)
        except bt.NotEstimable:
            continue


# --- Battles --------------------------------------------------------------------------------------------------


def battles(rng, theta, n, n_judges):
    """Battles with ties as Rao and Kupper model them, and judges with tastes of their own."""
    m = theta.size
    left = rng.integers(0, m, size=n)
    right = (left + rng.integers(1, m, size=n)) % m
    ahead, judge = theta[left] - theta[right], None
    if n_judges is not None:
        judge = rng.integers(0, n_judges, size=n)
        taste = TASTE * rng.normal(size=(n_judges, m))
        ahead = ahead + taste[judge, left] - taste[judge, right]
    wins, draw = expit(ahead - THRESHOLD), rng.random(n)
    outcome = np.where(draw < wins, 1.0, np.where(draw > expit(ahead + THRESHOLD), 0.0, 0.5))
    return bt.Matches(systems=names(m), left=left, right=right, outcome=outcome, group=judge)


@cache
def endless(m, is_judged):
    """Log strengths that Rao–Kupper finds in endless battles of all pairs."""
    theta = ladder(m)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    ahead = theta[:, None, None] - theta[None, :, None] + np.sqrt(2) * TASTE * is_judged * nodes
    weights = weights / weights.sum()
    wins, losses = expit(ahead - THRESHOLD) @ weights, expit(-ahead - THRESHOLD) @ weights
    np.fill_diagonal(wins, 0.0)
    ties = 1 - wins - losses
    ties = (ties + ties.T) / 2
    np.fill_diagonal(ties, 0.0)
    return rao_kupper(wins, ties).log_strength


def battles_claimed(rng, *, method, m, n, n_judges):
    """Whether any of m equal systems is said to differ from another."""
    found = estimable(lambda: battles(rng, np.zeros(m), n, n_judges), **BATTLES[method])
    return float(found.cluster.max() > 1 or len(set(found.letters)) > 1)


def battles_ranged(rng, *, method, m, n, n_judges):
    """Whether the rank ranges hold at once."""
    found = estimable(lambda: battles(rng, ladder(m), n, n_judges), **BATTLES[method])
    return ranges_hold(found, ladder(m))


def thresholds_covered(rng, *, m, n, n_judges):
    """Share of the log strengths of Rao–Kupper in their intervals."""
    found = estimable(lambda: battles(rng, ladder(m), n, n_judges), ties="rao_kupper", scale="log")
    return covers(found, endless(m, n_judges is not None))


# --- Right and wrong answers ----------------------------------------------------------------------------------


def answers(rng, theta, n, by):
    """Answers to items of different difficulty, and for 2PL of different discrimination."""
    difficulty = rng.normal(size=n)
    slope = np.exp(0.4 * rng.normal(size=n)) if by == "irt_2pl" else 1.0
    return scores_of(
        (rng.random((theta.size, n)) < expit(slope * (theta[:, None] - difficulty))).astype(float)
    )


def answers_claimed(rng, *, by, m, n):
    """Whether any of m equal systems is said to differ from another."""
    found = estimable(lambda: answers(rng, np.zeros(m), n, by), by=by)
    return float(found.cluster.max() > 1 or len(set(found.letters)) > 1)


def answers_ranged(rng, *, by, m, n):
    """Whether the rank ranges hold at once."""
    return ranges_hold(estimable(lambda: answers(rng, ladder(m), n, by), by=by), ladder(m))


def abilities_covered(rng, *, by, m, n):
    """Share of the abilities in their intervals."""
    return covers(estimable(lambda: answers(rng, ladder(m), n, by), by=by), ladder(m))


FIVE_DRAWN = (
    "The limits are percentiles of drawn judges, and five are too few to draw from: 86% for two systems. Ties as half "
    "a win have intervals that hold."
)


def _battle_cells():
    cells = []
    for method, m, (column, n_judges) in (
        (method, m, judges) for method in BATTLES for m in (2, 5, 10) for judges in JUDGES.items()
    ):
        n = 60 * m
        design = {"m": m, "n": n, "n_judges": n_judges}
        named = {
            "row": f"{method}, {m} systems",
            "column": column,
            "tables": 500,
            "seconds": SECONDS[method] * m,
        }
        is_narrow = method == "Rao–Kupper" and n_judges == 5
        trials = [
            ("rank-battles/size", partial(battles_claimed, method=method, **design), KEEPS),
            ("rank-battles/rank ranges", partial(battles_ranged, method=method, **design), HOLDS),
        ]
        if method == "Rao–Kupper":
            trials.append(("rank-battles/coverage", partial(thresholds_covered, **design), COVERS))
        cells += [
            Cell(
                table=table,
                trial=trial,
                low=band[0],
                high=band[1],
                limit=FIVE_DRAWN if is_narrow and band == COVERS else "",
                **named,
            )
            for table, trial, band in trials
        ]
    return cells


def _answer_cells():
    names_of = {"irt": "1PL", "irt_2pl": "2PL"}
    trials = [
        ("rank-answers/size", answers_claimed, KEEPS),
        ("rank-answers/rank ranges", answers_ranged, HOLDS),
        ("rank-answers/coverage", abilities_covered, COVERS),
    ]
    return [
        Cell(
            table=table,
            row=f"{names_of[by]}, {m} systems",
            column=f"{n} items",
            trial=partial(trial, by=by, m=m, n=n),
            low=band[0],
            high=band[1],
            tables=500,
            seconds=0.01 if by == "irt" else 0.001 * m * np.sqrt(n),
        )
        for by in names_of
        for m in (2, 5, 10)
        for n in (50, 200)
        for table, trial, band in trials
        if (by, m) != ("irt_2pl", 2)  # two systems do not determine how items differ
    ]


CELLS = [*_battle_cells(), *_answer_cells()]
