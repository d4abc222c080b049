"""Arrow's criteria on the user's scores: which aggregation misses which, and how often."""

from __future__ import annotations

import numpy as np

from betterthan.analysis.wording import amount, counted
from betterthan.kernels.influence.arrow import arrow_counts
from betterthan.results.checkup import ArrowCheck, Diagnosis
from betterthan.tables.scores import Scores

AGGREGATIONS = ("mean", "median", "win_rate", "bradley_terry")
_NAMES = {
    "mean": "the mean",
    "median": "the median",
    "win_rate": "the win rate",
    "bradley_terry": "Bradley–Terry",
}
MOST_WORK = 4e8  # segments × systems squared, times the steps of a fit: some seconds


def arrow_checks(scores: Scores) -> tuple[ArrowCheck, ...]:
    """Count how often each aggregation misses a criterion, on the complete segments; empty where there is no question.

    That is with fewer than two complete segments, and for tables on which the search would take minutes.
    """
    complete = scores.goodness[:, ~np.isnan(scores.goodness).any(axis=0)]
    m, n = complete.shape
    if n < 2 or n * m**2 > MOST_WORK:
        return ()
    return tuple(
        ArrowCheck(aggregation=name, **arrow_counts(complete, name)._asdict()) for name in AGGREGATIONS
    )


def arrow_sentence(found: Diagnosis) -> str:
    """Say how each criterion fares, in plain words."""
    checks = found.arrow
    if not checks or len(found.systems) < 2:
        return ""
    m = len(found.systems)
    n_pairs = m * (m - 1) // 2
    return " ".join(
        part
        for part in (_monotonicity(checks), _independence(checks, m), _dictators(checks, n_pairs))
        if part
    )


def _monotonicity(checks: tuple[ArrowCheck, ...]) -> str:
    unanimous = checks[0].unanimous
    if not unanimous:
        return "Arrow's criteria: no system is better than another on every segment, so monotonicity cannot be tested."
    against = [f"{amount(one.violated, 0)} by {_NAMES[one.aggregation]}" for one in checks if one.violated]
    pairs = counted(unanimous, "pair")
    if not against:
        return (
            f"Arrow's criteria: in {pairs}, one system is better on every segment, and every aggregation method "
            "agrees."
        )
    return (
        f"Arrow's criteria: in {pairs}, one system is better on every segment, but some of these pairs are ordered "
        f"the other way: {', '.join(against)}."
    )


def _independence(checks: tuple[ArrowCheck, ...], m: int) -> str:
    if m < 3:
        return ""
    changed = [
        f"{counted(one.dependent, 'pair')} by {_NAMES[one.aggregation]}" for one in checks if one.dependent
    ]
    if not changed:
        return "Leaving out a third system does not change the order of any pair (independence)."
    return (
        f"Leaving out a third system changes the order of {' and '.join(changed)}; it cannot change the order by mean "
        "or median."
    )


def _dictators(checks: tuple[ArrowCheck, ...], n_pairs: int) -> str:
    decided = [f"{amount(one.decided, 0)} by {_NAMES[one.aggregation]}" for one in checks if one.decided]
    if not decided:
        return "No single segment decides the order of a pair (no dictator)."
    return (
        f"A single segment decides the order of a pair, which is reversed without it: {' and '.join(decided)}, of "
        f"{counted(n_pairs, 'pair')}."
    )
