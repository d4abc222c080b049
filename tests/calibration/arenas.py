"""Cells of arenas: boards by category, changes between two snapshots, and voters who deviate."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import expit
from tests.calibration.cells import Cell
from tests.calibration.simulate import names

import betterthan as bt
from betterthan.kernels.comparisons.bradley_terry import bradley_terry_batch

TASTE = 0.4  # standard deviation of what a judge thinks of a system, on the log scale: 70 Elo points
BETWEEN = 0.3  # standard deviation of a system's log strength between categories
CATEGORIES = 6


def drawn(rng, theta, n, n_judges=None, *, category=None, is_nested=False):
    """Battles of log strengths (k, m), with judges who have tastes."""
    k, m = theta.shape
    place = np.zeros(n, dtype=np.int64) if category is None else category
    left = rng.integers(0, m, size=n)
    right = (left + rng.integers(1, m, size=n)) % m
    ahead, judge = theta[place, left] - theta[place, right], None
    if n_judges is not None:
        judge = rng.integers(0, n_judges, size=n) + n_judges * place * is_nested
        taste = TASTE * rng.normal(size=(n_judges * (k if is_nested else 1), m))
        ahead = ahead + taste[judge, left] - taste[judge, right]
    parts = {} if category is None else {"category": place, "categories": names(k)}
    won = (rng.random(n) < expit(ahead)).astype(float)
    return bt.Matches(systems=names(m), left=left, right=right, outcome=won, group=judge, **parts)


def population(theta, *, is_judged):
    """Log strengths (k, m) that Bradley–Terry finds in endless battles of endless judges."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(30)
    ahead = theta[:, :, None, None] - theta[:, None, :, None] + np.sqrt(2) * TASTE * is_judged * nodes
    wins = expit(ahead) @ (weights / weights.sum())
    wins[:, np.arange(theta.shape[1]), np.arange(theta.shape[1])] = 0.0
    return bradley_terry_batch(wins).log_strength


def boards_cover(rng, *, n_judges, is_nested, n):
    """Share of the strengths of all systems in all categories that are in their intervals."""
    m = 8
    theta = np.linspace(0.8, -0.8, m) + BETWEEN * rng.normal(size=(CATEGORIES, m))
    theta -= theta.mean(axis=1, keepdims=True)
    size = np.arange(1, CATEGORIES + 1)
    category = rng.choice(CATEGORIES, n, p=size / size.sum())
    boards = bt.boards(drawn(rng, theta, n, n_judges, category=category, is_nested=is_nested))
    rows = [names(CATEGORIES).index(name) for name in boards.categories]
    columns = [names(m).index(name) for name in boards.systems]
    true = population(theta, is_judged=n_judges is not None)[np.ix_(rows, columns)]
    points = 1500 + 400 / np.log(10) * true
    return float(np.mean((boards.low <= points) & (points <= boards.high)))


def category_is_claimed(rng, *, n_judges, n):
    """Whether any system is said to differ in a category, where all categories are alike."""
    m = 8
    theta = np.tile(np.linspace(0.8, -0.8, m), (CATEGORIES, 1))
    category = rng.integers(0, CATEGORIES, n)
    return float(bt.boards(drawn(rng, theta, n, n_judges, category=category)).adjusted.min() <= 0.05)


def change_is_claimed(rng, *, n_judges, old, new, is_cumulative):
    """Whether any system is said to have changed, where none has."""
    theta = np.linspace(0.8, -0.8, 6)[None]
    before, after = (drawn(rng, theta, n, n_judges) for n in (old, new))
    if is_cumulative:
        parts = ("left", "right", "outcome")
        rows = {name: np.concatenate([getattr(before, name), getattr(after, name)]) for name in parts}
        after = bt.Matches(systems=before.systems, **rows)
    found = bt.board_diff(before, after, overlap="included" if is_cumulative else "none")
    return float(found.adjusted.min() <= 0.05)


def voter_is_accused(rng, *, n_voters, each):
    """Whether any of the voters is said to deviate, where all vote by the same probabilities."""
    n = n_voters * each
    theta = np.tile(np.linspace(0.8, -0.8, 6), (n_voters, 1))
    voter = np.repeat(np.arange(n_voters), each)
    return float(len(bt.voters(drawn(rng, theta, n, category=voter)).deviating) > 0)


CELLS = [
    *(
        Cell(
            table="boards/coverage",
            row=row,
            column=f"{n:,} battles",
            trial=partial(boards_cover, n_judges=n_judges, is_nested=is_nested, n=n),
            low=0.93,
            high=0.98,
            tables=500,
            seconds=0.05,
        )
        for row, n_judges, is_nested in (
            ("no judges", None, False),
            ("5 judges", 5, False),
            ("12 judges", 12, False),
            ("50 judges", 50, False),
            ("5 judges in each category", 5, True),
        )
        for n in (1000, 3000)
    ),
    *(
        Cell(
            table="boards/false claims",
            row=row,
            column="3,000 battles",
            trial=partial(category_is_claimed, n_judges=n_judges, n=3000),
            low=0.0,
            high=0.06,
            tables=500,
            seconds=0.05,
        )
        for row, n_judges in (("no judges", None), ("5 judges", 5), ("50 judges", 50))
    ),
    *(
        Cell(
            table="board-diff/false claims",
            row=row,
            column=f"{old:,} and {new:,} battles",
            trial=partial(
                change_is_claimed, n_judges=n_judges, old=old, new=new, is_cumulative=is_cumulative
            ),
            low=0.0,
            high=0.06,
            tables=500,
            seconds=0.01,
        )
        for row, n_judges, is_cumulative in (
            ("separate periods", None, False),
            ("separate periods, 20 judges in each", 20, False),
            ("the new battles include the old ones", None, True),
        )
        for old, new in ((300, 300), (2000, 500))
    ),
    *(
        Cell(
            table="voters/false accusations",
            row=f"{n_voters} voters",
            column=f"{each} votes each",
            trial=partial(voter_is_accused, n_voters=n_voters, each=each),
            low=0.0,
            high=0.06,
            tables=500,
            seconds=0.02,
        )
        for n_voters in (20, 100)
        for each in (20, 100)
    ),
]
