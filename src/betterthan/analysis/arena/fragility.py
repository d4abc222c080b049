"""On how few battles does the first place of a board depend?"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from betterthan.analysis.matches.matches import check_connected, refuse_unmet
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.arrays import FloatArray
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.wins import WinCounts, with_ties
from betterthan.kernels.influence.first_place import Change, Turned, turns_first
from betterthan.results.battles import ChangedVotes, Fragility, TurnedBoard
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
