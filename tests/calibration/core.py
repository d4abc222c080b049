"""Cells of `rank` and `compare` for scores and counts: false claims, power, ranges of ranks, planning."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from itertools import product

import numpy as np
from scipy.special import logit
from tests.calibration import simulate
from tests.calibration.cells import Cell
from tests.calibration.simulate import Array, Rng, compare, rank

import betterthan as bt

LEVEL = {"low": 0.0, "high": 0.06}


# --- Any false claim among equal systems ------------------------------------------------------------------------


def claims_of(ranking: bt.Ranking) -> Array:
    """Pairs that a ranking calls different, by number of system: those that share no letter."""
    letters = [frozenset(re.findall(r"[a-zA-Z]\d*", label)) for label in ranking.letters]
    different = np.array([[not one & other for other in letters] for one in letters])
    return in_table_order(different, ranking.systems)


def in_table_order(matrix: Array, systems: tuple[str, ...]) -> Array:
    """A systems × systems matrix, best first, in the order of the table."""
    place = np.argsort(simulate.numbers(systems))
    return matrix[np.ix_(place, place)]


def any_claim(rng: Rng, table: bt.Scores | bt.Counts, checked: float = 1.0, **options: str) -> float:
    """Whether `rank` calls any pair different; on a share of the tables, that `compare` claims the same pairs."""
    ranking = rank(table, workers=1, **options)
    if rng.random() < checked:
        pairs = compare(table, workers=1, **options)
        better = in_table_order(pairs.better(), pairs.systems)
        assert np.array_equal(claims_of(ranking), better | better.T), "rank and compare disagree"
    return float(ranking.cluster.max() > 1)


def equal_scores(rng: Rng, *, shape: str, m: int, n: int) -> float:
    """Equal systems; `compare` is checked on every tenth table where there are many."""
    table = simulate.scores_of(simulate.EQUAL[shape](rng, m, n))
    return any_claim(rng, table, checked=1.0 if m <= 10 else 0.1)


def equal_medians(rng: Rng, *, shape: str, m: int, n: int) -> float:
    """Equal systems, ranked and compared by their medians."""
    return any_claim(rng, simulate.scores_of(simulate.EQUAL[shape](rng, m, n)), checked=0.2, by="median")


def equal_documents(rng: Rng, *, m: int, n_documents: int) -> float:
    """Equal systems with good and bad documents, tested by documents."""
    groups = simulate.documents(rng, n_documents)
    return any_claim(rng, simulate.scores_of(simulate.by_documents(rng, m, groups), groups), units="groups")


def equal_counts(rng: Rng, *, formula: str, m: int, n: int) -> float:
    """Equal systems whose score is a formula of summed counts."""
    return any_claim(rng, simulate.COUNTS[formula](rng, m, n), checked=1.0 if m <= 10 else 0.1)


def _sizes() -> list[Cell]:
    seconds = {2: 0.01, 10: 0.015, 46: 0.08, 100: 0.35, 200: 1.2}  # of one table
    cells = []
    for m, shape, n in product(seconds, simulate.EQUAL, (20, 30, 80, 1000)):
        cells.append(
            Cell(
                table="rank-scores/size",
                row=f"{m} systems, {shape}",
                column=f"n = {n}",
                trial=partial(equal_scores, shape=shape, m=m, n=n),
                **LEVEL,
                tables=2000 if m <= 46 else 500,
                seconds=seconds[m] / (8 if shape == "binary" else 1),
            )
        )
    for m, shape, n in product((2, 6, 20), simulate.EQUAL, (20, 80, 300)):
        if shape != "binary":  # medians of right and wrong are right or wrong
            cells.append(
                Cell(
                    table="rank-medians/size",
                    row=f"{m} systems, {shape}",
                    column=f"n = {n}",
                    trial=partial(equal_medians, shape=shape, m=m, n=n),
                    **LEVEL,
                    tables=2000 if m * n <= 600 else 500,
                    seconds=0.02,
                )
            )
    for m, n_documents in product((2, 10), (10, 20, 60)):
        cells.append(
            Cell(
                table="rank-documents/size",
                row=f"{m} systems",
                column=f"{n_documents} documents",
                trial=partial(equal_documents, m=m, n_documents=n_documents),
                **LEVEL,
                tables=2000,
                seconds=0.02,
            )
        )
    designs = product(simulate.COUNTS, (2, 10, 40), (30, 100))
    for formula, m, n in (design for design in designs if design != ("BLEU-like", 40, 100)):
        cells.append(
            Cell(
                table="rank-counts/size",
                row=f"{formula}, {m} systems",
                column=f"n = {n}",
                trial=partial(equal_counts, formula=formula, m=m, n=n),
                **LEVEL,
                tables=2000 if m == 2 else 500,
                seconds={2: 0.02, 10: 0.15, 40: 1.5}[m],
            )
        )
    return cells


# --- Equal means without exchangeability ------------------------------------------------------------------------


def equal_means(rng: Rng, *, draw: Callable[[Rng, int], Array], n: int) -> float:
    """Two systems whose means are equal and whose scores cannot be swapped."""
    return any_claim(rng, simulate.scores_of(draw(rng, n)))


SKEWED = (
    "When the differences are skewed and there are few segments, the permutation test calls systems with equal means "
    "different too often. It tests whether the two scores of a segment could be swapped, and here they could not."
)
DISASTER = (
    "One system always loses a point; the other is perfect except that it loses 25 points on 4% of the segments. "
    "With few segments the disasters are often missing from the test set, and no test of the means can know of them."
)


def _unexchangeable() -> list[Cell]:
    designs_and_limits = {
        "exponential differences": (simulate.exponential_difference, SKEWED),
        "log-normal differences": (simulate.lognormal_difference, SKEWED),
        "rare disasters": (simulate.rare_disaster, DISASTER),
    }
    return [
        Cell(
            table="rank-scores/equal-means",
            row=row,
            column=f"n = {n}",
            trial=partial(equal_means, draw=draw, n=n),
            **LEVEL,
            seconds=0.02,
            limit=limit,
        )
        for (row, (draw, limit)), n in product(designs_and_limits.items(), (8, 12, 20, 80, 300))
    ]


# --- The tests of `compare` -------------------------------------------------------------------------------------

TESTS: dict[str, dict[str, str]] = {
    "t": {"test": "t"},
    "sign": {"test": "sign"},
    "Wilcoxon": {"test": "wilcoxon"},
    "Mood": {"test": "mood"},
    "bootstrap": {"test": "bootstrap"},
    "permutation, Monte Carlo": {"test": "permutation", "method": "monte_carlo"},
}


def equal_by_test(rng: Rng, *, name: str, shape: str, m: int, n: int, alpha: float) -> float:
    """Whether a test of `compare` calls any of m equal systems different."""
    table = simulate.scores_of(simulate.EQUAL[shape](rng, m, n))
    return float(compare(table, **TESTS[name], alpha=alpha, workers=1).n_different > 0)


def _tests() -> list[Cell]:
    normal = product(TESTS, ["normal"], (2, 6), (20, 80, 300), (0.05, 0.01))
    skewed = product(TESTS, ["MQM-like"], (2, 6), (20, 80, 300), (0.05,))
    return [
        Cell(
            table="compare-tests/size",
            row=f"{name}, {shape}, {m} systems",
            column=f"{alpha}, n = {n}",
            trial=partial(equal_by_test, name=name, shape=shape, m=m, n=n, alpha=alpha),
            low=0.0,
            high=1.2 * alpha if alpha == 0.05 else 0.014,
            tables=500 if name == "bootstrap" and n == 300 else 2000,
            seconds={"Mood": 0.08, "bootstrap": n / 3000, "permutation, Monte Carlo": n / 3000}.get(
                name, 0.01
            ),
        )
        for name, shape, m, n, alpha in (*normal, *skewed)
    ]


# --- Power ----------------------------------------------------------------------------------------------------

LADDER = np.linspace(0.05, 0.95, 40)


def mean_of_rows(goodness: Array) -> Array:
    """The user's own function: a mean that we do not know to be one."""
    return goodness.mean(axis=-1)


def ladder_ranking(rng: Rng, kind: str) -> bt.Ranking:
    """A ranking of 40 systems whose accuracies go from 5% to 95%."""
    if kind == "matches":
        return rank(simulate.Arena(40_000).matches(rng, logit(LADDER)), workers=1)
    if kind == "counts":
        return rank(simulate.accuracy_counts(rng, LADDER.size, 500, logit(LADDER)), workers=1)
    if kind == "documents":
        groups = simulate.documents(rng, 100)
        table = simulate.scores_of(simulate.ladder_items(rng, LADDER, groups.size), groups)
        return rank(table, units="groups", workers=1)
    table = simulate.scores_of(simulate.ladder_items(rng, LADDER, 600))
    return rank(table, by=mean_of_rows if kind == "a function of the user's" else None, workers=1)


def ten_groups(rng: Rng, *, kind: str) -> float:
    """Whether 40 systems from very bad to very good fall into ten groups or more."""
    return float(ladder_ranking(rng, kind).cluster.max() >= 10)


def _power() -> list[Cell]:
    return [
        Cell(
            table="rank/power",
            row=kind,
            column="10 groups or more",
            trial=partial(ten_groups, kind=kind),
            low=0.95,
            high=1.0,
            tables=500 if kind in ("counts", "a function of the user's") else 2000,
            seconds=0.4,
        )
        for kind in ("scores", "counts", "a function of the user's", "documents", "matches")
    ]


# --- Segments needed --------------------------------------------------------------------------------------------

LEAD = 0.4


@cache
def segments_for(m: int) -> int:
    """The `segments_needed` of a leader, from a large test set in which its lead is the true one."""
    values = simulate.one_leader(np.random.default_rng(m), m, 2000, LEAD)
    values[0] += LEAD - (values[0].mean() - values[1:].mean(axis=1).max())
    needed = rank(simulate.scores_of(values), workers=1).segments_needed
    assert needed is not None
    return int(needed[0])


def lead_shown(rng: Rng, *, m: int) -> float:
    """Whether a test set of that size shows the lead over the second system."""
    table = simulate.scores_of(simulate.one_leader(rng, m, segments_for(m), LEAD))
    return float(compare(table, workers=1).pair("S0", "S1").verdict == "S0")


def _planning() -> list[Cell]:
    return [
        Cell(
            table="rank/segments-needed",
            row="the lead is significant",
            column=f"{m} systems",
            trial=partial(lead_shown, m=m),
            low=0.75,
            high=0.85,
            seconds=0.02 + 0.005 * m,
        )
        for m in (2, 6, 10, 15)
    ]


# --- Ranges of ranks --------------------------------------------------------------------------------------------

MECHANISMS = ("mean", "median", "win_rate", "bradley_terry", "elo", "trueskill")


def ranges_design(rng: Rng, design: str, m: int, n: int) -> Array:
    """Scores of the systems of a design."""
    if design == "all equal":
        return simulate.normal(rng, m, n)
    if design == "one leader":
        return simulate.one_leader(rng, m, n, 0.3)
    return simulate.wins_without_mean(rng, m, n)


def ranks_covered(rng: Rng, *, by: str, design: str, m: int, n: int) -> float:
    """Whether the range of every system holds all its true ranks; equal systems share theirs."""
    ranking = rank(simulate.scores_of(ranges_design(rng, design, m, n)), by=by, workers=1)
    leads = design == "one leader" or (design == "wins, not mean" and by != "mean")
    place = simulate.numbers(ranking.systems)
    best, worst = np.ones(m), np.full(m, m)
    if leads:
        worst[0], best[1:] = 1, 2
    return float((ranking.rank_low <= best[place]).all() and (ranking.rank_high >= worst[place]).all())


def _ranges() -> list[Cell]:
    seconds = {"elo": 0.4, "trueskill": 0.7, "median": 0.25}
    return [
        Cell(
            table="rank-ranges/coverage",
            row=f"{by}, {m} systems, n = {n}",
            column=design,
            trial=partial(ranks_covered, by=by, design=design, m=m, n=n),
            low=0.94,
            high=1.0,
            seconds=seconds.get(by, 0.03) * m / 4,
        )
        for by, (m, n), design in product(
            MECHANISMS, ((4, 30), (10, 100)), ("all equal", "one leader", "wins, not mean")
        )
        if m == 4 or by not in {"elo", "trueskill"}
    ]


CELLS = [*_sizes(), *_unexchangeable(), *_tests(), *_power(), *_planning(), *_ranges()]
