"""Do 95% intervals of Elo and TrueSkill hold the rating that new test sets give on average? Are circles noise?"""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from tests.calibration.cells import Cell
from tests.calibration.simulate import Arena, gumbel_scores, rank, scores_of

from betterthan.analysis.explain.diagnose import diagnose
from betterthan.kernels.compiled import load_compiler
from betterthan.kernels.ratings.elo import elo
from betterthan.kernels.ratings.match_play import FIXED_ORDERS, score_matches, ties_to_second
from betterthan.kernels.ratings.trueskill import trueskill

SETS = (
    4000  # behind a true rating, each played in an order of its own: its error is a thirtieth of an interval
)
ARENAS = {
    "100 matches": Arena(100),
    "400 matches": Arena(400),
    "20 judges": Arena(400, n_judges=20, taste=0.7),
}
RATED = {"elo": elo, "trueskill": lambda *matches, **options: trueskill(*matches, **options).mu}


def strengths(m, spread=0.9):
    """Log strengths in equal steps: the best beats the worst in 86% of the segments."""
    return np.linspace(-spread, spread, m)


@cache
def true_ratings(by, draw, m):
    """Mean over test sets and orders of play."""
    load_compiler()
    rng = np.random.default_rng(577_215)
    total = np.zeros(m)
    for _ in range(SETS):
        left, right, outcome = draw(rng)
        total += RATED[by](left, right, outcome, n_systems=m, order=rng.permutation(left.size))
    return total / SETS


def score_list(m, n, rng):
    """The matches of a table of scores."""
    return score_matches(gumbel_scores(rng, strengths(m), n))[:3]


def match_list(arena, rng):
    """Matches of four systems."""
    matches = ARENAS[arena].matches(rng, strengths(4))
    return matches.left, matches.right, matches.outcome


score_lists = cache(lambda m, n: partial(score_list, m, n))
match_lists = cache(lambda arena: partial(match_list, arena))


def share_held(table, by, truth, rng, **options):
    """Share of the systems whose interval holds the truth."""
    found = rank(table, by=by, rng=int(rng.integers(2**32)), workers=1, **options)
    true = truth[[int(name[1:]) for name in found.systems]]
    return float(((found.low <= true) & (true <= found.high)).mean())


def scores_held(by, m, n, rng):
    """One table of scores, a fifth of its segments tied."""
    table = scores_of(gumbel_scores(rng, strengths(m), n))
    return share_held(table, by, true_ratings(by, score_lists(m, n), m), rng)


def matches_held(by, arena, rng):
    """One list of matches."""
    table = ARENAS[arena].matches(rng, strengths(4))
    return share_held(table, by, true_ratings(by, match_lists(arena), 4), rng)


@cache
def true_fixed_ratings(by, order, n):
    """Mean over test sets, each played in the fixed order."""
    rng = np.random.default_rng(577_215)
    total = np.zeros(4)
    for _ in range(SETS):
        matches = FIXED_ORDERS[order](score_matches(gumbel_scores(rng, strengths(4), n)))
        given_away = by == "elo" and order == "as_published"
        total += RATED[by](*(ties_to_second(matches) if given_away else matches)[:3], n_systems=4)
    return total / SETS


def fixed_held(by, order, n, rng):
    """One table of scores, played in a fixed order."""
    load_compiler()
    table = scores_of(gumbel_scores(rng, strengths(4), n))
    return share_held(table, by, true_fixed_ratings(by, order, n), rng, order=order)


def circle_claimed(m, n, rng):
    """Whether a circle is claimed of systems that are equally good."""
    table = scores_of(rng.normal(size=n) + rng.normal(size=(m, n)))
    return float(diagnose(table).count("cycle", alpha=0.05) > 0)


NAMES = {"elo": "Elo", "trueskill": "TrueSkill"}
BAND = {"low": 0.93, "high": 0.97}
CELLS = [
    *(
        Cell(
            table="rank-elo/coverage",
            row=f"{NAMES[by]}, {m} systems",
            column=f"{n} segments",
            trial=partial(scores_held, by, m, n),
            seconds=0.1,  # with the true ratings, which each process finds once
            **BAND,
        )
        for by in RATED
        for m in (4, 8)
        for n in (20, 40, 100)
    ),
    *(
        Cell(
            table="rank-elo/coverage",
            row=f"{NAMES[by]}, 4 systems",
            column=arena,
            trial=partial(matches_held, by, arena),
            seconds=0.1,  # with the true ratings, which each process finds once
            **BAND,
        )
        for by in RATED
        for arena in ARENAS
    ),
    *(
        Cell(
            table="rank-ratings/coverage",
            row=f"{NAMES[by]}, 4 systems, {'as published' if order == 'as_published' else 'segments in turn'}",
            column=f"{n} segments",
            trial=partial(fixed_held, by, order, n),
            tables=500,
            limit="Wider than needed: about 98% are held."
            if (by, order) == ("trueskill", "segments")
            else "",
            **BAND,
        )
        for by in RATED
        for order in ("segments", "as_published")
        for n in (20, 100)
    ),
    *(
        Cell(
            table="diagnose/circles",
            row=f"{m} equal systems",
            column=f"{n} segments",
            trial=partial(circle_claimed, m, n),
            low=0.0,
            high=0.06,
        )
        for m in (5, 20)
        for n in (20, 100)
    ),
]
