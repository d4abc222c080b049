"""Cells of models that are fitted to battles and answers: Elo, TrueSkill, Rao–Kupper and item response."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from scipy.special import expit
from tests.calibration.cells import Cell
from tests.calibration.simulate import names, numbers, rank, scores_of

import betterthan as bt
from betterthan.kernels.comparisons.davidson import davidson
from betterthan.kernels.comparisons.rao_kupper import rao_kupper

KEEPS, COVERS, HOLDS = (0.0, 0.06), (0.93, 0.97), (0.94, 1.0)
TASTE = 0.5  # standard deviation of what a judge thinks of a system, on the log scale
THRESHOLD = 0.5  # equal systems tie in a quarter of the battles
TIE_STRENGTH = 2 / 3  # the same share under Davidson's model
BATTLES = {"Elo": {"by": "elo"}, "TrueSkill": {"by": "trueskill"}, "Rao–Kupper": {"ties": "rao_kupper"}}
SECONDS = {"Elo": 0.004, "TrueSkill": 0.008, "Rao–Kupper": 0.002}  # of one table, for each system
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


def modeled_outcomes(rng, ahead, ties):
    """Outcomes of battles with these leads, under either model of ties."""
    win, loss = chances(ahead, ties)
    draw = rng.random(ahead.size)
    return np.where(draw < win, 1.0, np.where(draw > 1 - loss, 0.0, 0.5))


def chances(ahead, ties):
    """Probabilities that the side ahead wins and loses."""
    if ties == "rao_kupper":
        return expit(ahead - THRESHOLD), expit(-ahead - THRESHOLD)
    total = np.exp(ahead / 2) + np.exp(-ahead / 2) + TIE_STRENGTH
    return np.exp(ahead / 2) / total, np.exp(-ahead / 2) / total


def battles_of_questions(rng, theta, n, n_judges, ties, orders):
    """Battles of n questions, or both orders of n / 2; questions favor systems, as judges do."""
    m = theta.size
    question = np.arange(n // orders)
    left = rng.integers(0, m, size=question.size)
    right = (left + rng.integers(1, m, size=question.size)) % m
    if orders == 2:
        left, right, question = np.append(left, right), np.append(right, left), np.tile(question, 2)
    units, judge = ([question] if orders == 2 else []), None
    if n_judges is not None:
        judge = rng.integers(0, n_judges, size=left.size)
        units.append(judge)
    ahead = theta[left] - theta[right]
    for unit in units:
        taste = TASTE * rng.normal(size=(unit.max() + 1, m))
        ahead = ahead + taste[unit, left] - taste[unit, right]
    return bt.Matches(
        systems=names(m),
        left=left,
        right=right,
        outcome=modeled_outcomes(rng, ahead, ties),
        group=judge,
        segment=question if orders == 2 else None,
    )


@cache
def endless(m, ties, n_tastes):
    """Log strengths that the model finds in endless battles of all pairs, by so many kinds of units with tastes."""
    theta = ladder(m)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    ahead = theta[:, None, None] - theta[None, :, None] + np.sqrt(2 * n_tastes) * TASTE * nodes
    weights = weights / weights.sum()
    wins, losses = (side @ weights for side in chances(ahead, ties))
    np.fill_diagonal(wins, 0.0)
    tied = 1 - wins - losses
    tied = (tied + tied.T) / 2
    np.fill_diagonal(tied, 0.0)
    return {"rao_kupper": rao_kupper, "davidson": davidson}[ties](wins, tied).log_strength


def battles_claimed(rng, *, method, m, n, n_judges):
    """Whether any of m equal systems is said to differ from another."""
    found = estimable(lambda: battles(rng, np.zeros(m), n, n_judges), **BATTLES[method])
    return float(found.cluster.max() > 1 or len(set(found.letters)) > 1)


def battles_ranged(rng, *, method, m, n, n_judges):
    """Whether the rank ranges hold at once."""
    found = estimable(lambda: battles(rng, ladder(m), n, n_judges), **BATTLES[method])
    return ranges_hold(found, ladder(m))


def strengths_covered(rng, *, ties, orders, m, n, n_judges):
    """Share of the log strengths of a model of ties in their intervals."""
    found = estimable(
        lambda: battles_of_questions(rng, ladder(m), n, n_judges, ties, orders), ties=ties, scale="log"
    )
    return covers(found, endless(m, ties, (n_judges is not None) + (orders == 2)))


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


TWO_WAYS = (
    "Judges and questions at once: the larger error and the fewer degrees of freedom, which is more than enough with "
    "few judges. In such battles of two systems with five judges, ties as half a win have 97.8% and 98.7%."
)


def _battle_cells():
    cells = []
    for method, m, (column, n_judges) in (
        (method, m, judges) for method in BATTLES for m in (2, 5, 10) for judges in JUDGES.items()
    ):
        design = {"m": m, "n": 60 * m, "n_judges": n_judges}
        trials = [
            ("rank-battles/size", partial(battles_claimed, method=method, **design), KEEPS),
            ("rank-battles/rank ranges", partial(battles_ranged, method=method, **design), HOLDS),
        ]
        cells += [
            Cell(
                table=table,
                row=f"{method}, {m} systems",
                column=column,
                trial=trial,
                low=band[0],
                high=band[1],
                tables=500,
                seconds=SECONDS[method] * m,
            )
            for table, trial, band in trials
        ]
    return cells


def _coverage_cells():
    models = {"Rao–Kupper": "rao_kupper", "Davidson": "davidson"}
    shown = {1: "", 2: ", both orders"}
    return [
        Cell(
            table="rank-battles/coverage",
            row=f"{model}, {m} systems{shown[orders]}",
            column=column,
            trial=partial(
                strengths_covered, ties=models[model], orders=orders, m=m, n=60 * m, n_judges=n_judges
            ),
            low=COVERS[0],
            high=COVERS[1],
            tables=500,
            seconds=0.003 * m * orders,
            limit=TWO_WAYS if orders == 2 and n_judges is not None else "",
        )
        for model in models
        for orders in shown
        for m in (2, 5, 10)
        for column, n_judges in JUDGES.items()
    ]


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


CELLS = [*_battle_cells(), *_coverage_cells(), *_answer_cells()]
