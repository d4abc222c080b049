"""Whose votes deviate from the board more than chance allows?

On how few battles does the first place of a board depend?
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from scipy.special import expit

from betterthan.analysis.matches.matches import check_connected, refuse_unmet
from betterthan.analysis.table_argument import AnyData, as_divided_battles, as_table
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.kernels.comparisons.bradley_terry import bradley_terry, bradley_terry_batch
from betterthan.kernels.comparisons.wins import WinCounts, with_ties
from betterthan.kernels.influence.first_place import Change, Turned, turns_first
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.results.battles import ChangedVotes, Fragility, TurnedBoard, Voters
from betterthan.results.settings import Settings
from betterthan.tables.matches import Matches

_POINTS = 400 / np.log(10)


@with_one_blas_thread
def fragility(data: AnyData, *, ties: Literal["half", "drop"] = "half") -> Fragility:
    r"""Find the fewest battles whose removal, or reversal, puts another system first by Bradley–Terry.

    To first order, removing a win of i over j lowers the lead of the first system f over a challenger c by

    .. math:: (1 - p_{ij}) (v_i - v_j), \qquad v = H^{+} (e_f - e_c),

    with H the information of the fit [1]_, and reversing it by :math:`v_i - v_j`. The battles of the largest effect
    are taken, the model is refitted without them, and effects are computed anew until the set no longer changes; the
    number of battles is found by bisection over refits. So every number reported is confirmed by a refit.

    Parameters
    ----------
    data : Matches, or what they are read from
    ties : {"half", "drop"}, default "half"
        How ties count. A tie can be removed; reversing concerns decided battles only.

    Returns
    -------
    Fragility
        Upper bounds of the fewest battles. On small boards they were compared with all subsets: reversals agreed
        always, removals in 99% of the boards.

    Raises
    ------
    NotEstimable
        When strengths do not exist.
    TableError
        When battles have weights that are not whole numbers, or covariates.

    Notes
    -----
    The time depends on the number of systems, not on the number of battles. Battles of the same two systems with the
    same outcome are interchangeable.

    References
    ----------
    .. [1] Broderick, Giordano and Meager (2020), An automatic finite-sample robustness metric: when can dropping a
       little data make a big difference?, arXiv:2011.14999.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.fragility({"left": ["A"] * 5, "right": ["B"] * 5, "winner": ["left"] * 3 + ["right"] * 2})
    >>> found.removal.votes, found.removal.new_first, found.reversal.votes
    (2, 'B', 1)
    """
    if ties not in ("half", "drop"):
        raise unknown_name("ties", ties, ("half", "drop"))
    matches = as_table(data, kinds=(Matches,), verb="fragility")
    _check(matches)
    counts = WinCounts(np.asarray(matches.wins()), np.asarray(matches.ties()))
    refuse_unmet(counts, matches.systems)
    wins = with_ties(counts.wins, counts.ties, ties)
    check_connected(wins, matches.systems, hint="Leave out these systems, or include more battles.")
    theta = bradley_terry(wins).log_strength
    order = np.argsort(-theta, kind="stable")
    found = {
        change: turns_first(counts.wins, counts.ties, change=change, policy=ties)
        for change in get_args(Change)
    }
    return Fragility(
        first=matches.systems[order[0]],
        second=matches.systems[order[1]],
        lead=float(_POINTS * (theta[order[0]] - theta[order[1]])),
        battles=round(matches.n_matches),
        removal=_turned("removal", found["removal"], matches),
        reversal=_turned("reversal", found["reversal"], matches),
        changed=tuple(row for change, one in found.items() for row in _changed(change, one, counts, matches)),
        notes=matches.notes,
        settings=Settings(
            method="fragility",
            options={"matches": round(matches.n_matches), "ties": ties},
            data=matches.digest,
            n_systems=matches.n_systems,
        ),
    )


def _check(matches: Matches) -> None:
    if matches.n_systems < 2:
        raise TableError("There is only one system, so there is no other that could be first.")
    if matches.covariates is not None:
        raise BetterThanError("Covariates are not supported here. Leave them out.")
    summed = matches.aggregated()
    if (summed.weight != np.round(summed.weight)).any():
        raise TableError(
            "Some battles have weights that are not whole numbers, so they cannot be counted. Leave out the weights."
        )


def _turned(change: str, found: Turned, matches: Matches) -> TurnedBoard:
    if not found.n_battles:
        return TurnedBoard(change=change, votes=None, new_first=None, lead=float("nan"))
    return TurnedBoard(
        change=change,
        votes=found.n_battles,
        new_first=matches.systems[found.challenger],
        lead=float(_POINTS * found.lead),
    )


def _changed(change: str, found: Turned, counts: WinCounts, matches: Matches) -> list[ChangedVotes]:
    rows = []
    tables: tuple[tuple[bool, FloatArray, FloatArray], ...] = (
        (False, found.wins.astype(np.float64), counts.wins),
        (True, found.ties.astype(np.float64), counts.ties),
    )
    for is_tie, taken, of in tables:
        for i, j in np.argwhere(taken > 0).tolist():
            row = ChangedVotes(
                change=change,
                winner=matches.systems[i],
                loser=matches.systems[j],
                is_tie=is_tie,
                votes=int(taken[i, j]),
                votes_of_kind=round(float(of[i, j])),
            )
            rows.append(row)
    return sorted(rows, key=lambda row: -row.votes)


_REASONS = ("against the board", "prefers the left", "prefers the right")


@with_one_blas_thread
def voters(data: AnyData, *, by: str | None = None, confidence: float = 0.95) -> Voters:
    r"""Find voters who vote against the board, for a side, or for or against a system, more than chance allows.

    With the probabilities p of the Bradley–Terry model of all battles, and x the lead in log strength of the left
    system (votes against the board), 1 (sides) or ±1 for the battles of a system, the deviation of a voter is
    :math:`S = \sum_r x_r (y_r - p_r)`, and Bennett's inequality bounds its p-value without any approximation [1]_:

    .. math:: P(S \ge t) \le \exp\Big(-\frac{v}{b^2}\, h\Big(\frac{b t}{v}\Big)\Big), \qquad
              h(u) = (1 + u) \log(1 + u) - u, \qquad v = \sum_r x_r^2 p_r (1 - p_r), \quad b = \max_r |x_r|

    The p-value of a voter is the smallest over all kinds of deviation and systems times their number.

    Parameters
    ----------
    data : Matches, or what they are read from
    by : str, optional
        The column of voters, such as "judge"; needed unless `data` are :class:`Matches` with categories.
    confidence : float, default 0.95
        1 minus the level of the tests.

    Returns
    -------
    Voters
        P-values are Holm-adjusted for all voters, and conservative.

    Raises
    ------
    NotEstimable
        When strengths do not exist.

    References
    ----------
    .. [1] Bennett (1962), Probability inequalities for the sum of independent random variables, JASA 57.

    Examples
    --------
    >>> import betterthan as bt
    >>> battles = {"left": ["X", "Y"] * 80, "right": ["Y", "X"] * 80, "winner": ["left"] * 40 + ["X", "X", "Y"] * 40,
    ...            "judge": ["a"] * 40 + ["b"] * 120}
    >>> found = bt.voters(battles, by="judge")
    >>> found.deviating, found["a"].reason
    (('a',), 'prefers the left')
    """
    check_share("confidence", confidence)
    matches = replace(as_divided_battles(data, by, verb="voters"), covariates=None, covariate_names=())
    theta = _strengths(matches)
    p, which = _pvalues(matches, theta)
    corrected = adjusted(p)
    order = np.lexsort((np.arange(p.size), p))
    agreement, expected, votes = _agreement(matches, theta)
    remaining = _strengths_without(matches, corrected <= 1 - confidence)
    first = matches.systems[int(np.argmax(theta))]
    return Voters(
        by=by or "category",
        voters=tuple(matches.categories[i] for i in order.tolist()),
        votes=votes[order],
        agreement=agreement[order],
        expected=expected[order],
        reason=tuple(_reason(int(which[i]), matches) for i in order.tolist()),
        pvalue=p[order],
        adjusted=corrected[order],
        first=first,
        first_without=first if remaining is None else matches.systems[int(np.argmax(remaining))],
        confidence=confidence,
        notes=matches.notes,
        settings=Settings(
            method="voters",
            options={"by": by or "category", "matches": round(matches.n_matches), "voters": p.size},
            data=matches.digest,
            n_systems=matches.n_systems,
        ),
    )


def _strengths(matches: Matches) -> FloatArray:
    counts = WinCounts(np.asarray(matches.wins()), np.asarray(matches.ties()))
    refuse_unmet(counts, matches.systems)
    wins = counts.wins + counts.ties / 2
    check_connected(wins, matches.systems, hint="Leave out these systems, or include more battles.")
    return bradley_terry(wins).log_strength


def _strengths_without(matches: Matches, deviates: BoolArray) -> FloatArray | None:
    """Strengths without these voters; None where there are none, or strengths do not exist."""
    if not deviates.any():
        return None
    kept = replace(matches, weight=np.where(deviates[np.asarray(matches.category)], 0.0, matches.weight))
    found = bradley_terry_batch((kept.wins() + kept.ties() / 2)[None]).log_strength[0]
    return None if np.isnan(found).any() else found


def _bound(deviation: FloatArray, variance: FloatArray, largest: FloatArray) -> FloatArray:
    """Bennett's bound of the upper tail."""
    with np.errstate(divide="ignore", invalid="ignore"):
        u = largest * np.maximum(deviation, 0) / variance
        bound = np.exp(-variance / largest**2 * ((1 + u) * np.log1p(u) - u))
    return np.where((deviation > 0) & (variance > 0) & (largest > 0), bound, 1.0)


def _pvalues(matches: Matches, theta: FloatArray) -> tuple[FloatArray, IntArray]:
    """P-values of voters, and which kind of deviation is the largest."""
    voter, k, m = np.asarray(matches.category), len(matches.categories), matches.n_systems
    lead = theta[matches.left] - theta[matches.right]
    chance = expit(lead)
    rest = matches.weight * (matches.outcome - chance)
    spread = matches.weight * chance * (1 - chance)
    # A vote of more weight moves a sum by more.
    size = np.zeros(k)
    np.maximum.at(size, voter, matches.weight * (matches.weight > 0))
    heaviest = np.maximum(size, 1.0)
    steepest = np.zeros(k)
    np.maximum.at(steepest, voter, np.abs(lead))

    def summed(values: FloatArray) -> FloatArray:
        return np.bincount(voter, values, k).astype(np.float64)

    # Rows of whole weights stand for as many votes, which are independent.
    heaviest = np.where(summed(np.abs(matches.weight - np.round(matches.weight))) > 0, heaviest, 1.0)
    side, variance = summed(rest), summed(spread)
    kinds = [
        _bound(-summed(rest * lead), summed(spread * lead**2), steepest * heaviest),
        _bound(side, variance, heaviest),
        _bound(-side, variance, heaviest),
    ]
    cell = np.concatenate([voter * m + matches.left, voter * m + matches.right])
    for_system = np.bincount(cell, np.concatenate([rest, -rest]), k * m).reshape(k, m).astype(float)
    of_system = np.bincount(cell, np.concatenate([spread, spread]), k * m).reshape(k, m).astype(float)
    both = [_bound(sign * for_system, of_system, heaviest[:, None]) for sign in (1.0, -1.0)]
    table = np.column_stack([*kinds, *both])
    tests = 3 + 2 * (of_system > 0).sum(axis=1)
    which = np.argmin(table, axis=1)
    return np.minimum(tests * table[np.arange(k), which], 1.0), which


def _reason(which: int, matches: Matches) -> str:
    if which < len(_REASONS):
        return _REASONS[which]
    sign, system = divmod(which - len(_REASONS), matches.n_systems)
    return f"{'against' if sign else 'for'} {matches.systems[system]}"


def _agreement(matches: Matches, theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Share of decided votes for the stronger system, its expectation, and the votes of each voter."""
    voter, k = np.asarray(matches.category), len(matches.categories)
    lead = theta[matches.left] - theta[matches.right]
    decided = (matches.outcome != 0.5) & (lead != 0)
    weight = np.where(decided, matches.weight, 0.0)
    with_board = weight * ((matches.outcome == 1) == (lead > 0))
    total = np.bincount(voter, weight, k)
    with np.errstate(divide="ignore", invalid="ignore"):
        agreement = np.bincount(voter, with_board, k) / total
        expected = np.bincount(voter, weight * expit(np.abs(lead)), k) / total
    votes = np.bincount(voter, matches.weight, k).astype(np.float64)
    return agreement, expected, votes
