"""Whose votes deviate from the board more than chance allows?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit

from betterthan.analysis.matches.matches import check_connected, refuse_unmet
from betterthan.analysis.table_argument import AnyData, as_divided_battles
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.kernels.comparisons.bradley_terry import bradley_terry, bradley_terry_batch
from betterthan.kernels.comparisons.wins import WinCounts
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.results.battles import Voters
from betterthan.results.settings import Settings
from betterthan.tables.matches import Matches

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
