"""What changed between two snapshots of a board, and is it more than chance?"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.special import log_ndtr

from betterthan.analysis.matches.matches import (
    MatchFit,
    added_up,
    critical_values,
    fit_matches,
    upper_tail,
)
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.arrays import FloatArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.kernels.comparisons.sandwich import model_covariance
from betterthan.kernels.comparisons.wins import with_ties
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.messages import Message, Option, method_note
from betterthan.results.battles import BoardDiff
from betterthan.results.settings import Settings
from betterthan.tables.matches import Matches

Overlap = Literal["auto", "included", "none"]
_HARDLY = 1e-3
_POINTS = 400 / np.log(10)


class _Snapshot(NamedTuple):
    """A board: its battles, their fit, and the inverse information."""

    matches: Matches
    fit: MatchFit
    bread: FloatArray

    def contrasts(self, common: tuple[str, ...]) -> FloatArray:
        """Each common system less the mean of them."""
        at = [self.matches.systems.index(name) for name in common]
        found = np.zeros((len(common), self.matches.n_systems))
        found[:, at] = np.eye(len(common)) - 1 / len(common)
        return found

    @property
    def meat(self) -> FloatArray:
        """The covariance of the score, from that of the strengths."""
        information = np.linalg.pinv(self.bread, hermitian=True)
        return np.asarray(information @ self.fit.covariance @ information)

    @property
    def votes(self) -> FloatArray:
        """Battles of each system."""
        counts = self.fit.counts
        return np.asarray((counts.wins + counts.wins.T + counts.ties).sum(axis=1))


@with_one_blas_thread
def board_diff(
    old: AnyData,
    new: AnyData,
    *,
    overlap: Overlap = "auto",
    ties: Literal["half", "drop"] = "half",
    confidence: float = 0.95,
) -> BoardDiff:
    r"""Compare two snapshots of a board of battles: which strengths changed, and which systems entered or left.

    Strengths are compared among the systems on both boards, whose average is fixed. With the inverse information J⁺,
    the covariance M of the score and the contrasts C of each board, the variance of the change is

    .. math:: C_1 J_1^{+} M_1 J_1^{+} C_1^{\mathsf T} + C_0 J_0^{+} M_0 J_0^{+} C_0^{\mathsf T}

    for battles of two different periods. Where the new battles include the old ones, these count in both fits and

    .. math:: D M_0 D^{\mathsf T} + C_1 J_1^{+} (M_1 - M_0) J_1^{+} C_1^{\mathsf T}, \qquad
              D = C_1 J_1^{+} - C_0 J_0^{+}.

    Parameters
    ----------
    old, new : Matches, or what they are read from
        Battles of each snapshot: those of two periods, or all until two dates.
    overlap : {"auto", "included", "none"}, default "auto"
        Whether the new battles include the old ones. "auto" assumes it where no outcome of two systems became rarer,
        and that would hardly happen by chance (probability below 0.001).
    ties : {"half", "drop"}, default "half"
    confidence : float, default 0.95

    Returns
    -------
    BoardDiff
        P-values are Holm-adjusted for all systems on both boards.

    Raises
    ------
    TableError
        When fewer than two systems are on both boards, or the new battles cannot include the old ones.
    NotEstimable
        When strengths of a board do not exist.

    References
    ----------
    .. [1] Hausman (1978), Specification tests in econometrics, Econometrica 46, for nested estimates.

    Examples
    --------
    >>> import betterthan as bt
    >>> old = {"left": ["X"] * 40, "right": ["Y"] * 40, "winner": ["left"] * 30 + ["right"] * 10}
    >>> new = {"left": ["X"] * 40, "right": ["Y"] * 40, "winner": ["left"] * 10 + ["right"] * 30}
    >>> found = bt.board_diff(old, new)
    >>> [(row.system, round(row.change), row.adjusted < 0.001) for row in found]
    [('Y', 191, True), ('X', -191, True)]
    """
    check_share("confidence", confidence)
    if ties not in ("half", "drop"):
        raise unknown_name("ties", ties, ("half", "drop"))
    before, after = (_snapshot(data, ties) for data in (old, new))
    common = tuple(name for name in after.matches.systems if name in before.matches.systems)
    if len(common) < 2:
        raise TableError(
            f"{len(common) or 'No'} system is on both boards, and changes are measured among two or more."
        )
    is_cumulative, may_include = _overlap(after.matches, before.matches, overlap)
    was, now, reach, p = _changes(before, after, common, is_cumulative=is_cumulative, confidence=confidence)
    order = np.argsort(-now, kind="stable")
    return BoardDiff(
        systems=tuple(common[i] for i in order.tolist()),
        entered=_others(after, common),
        left=_others(before, common),
        old_first=_first(before),
        new_first=_first(after),
        old_rank=_ranks(was)[order],
        new_rank=_ranks(now)[order],
        old=1500 + _POINTS * was[order],
        new=1500 + _POINTS * now[order],
        change=_POINTS * (now - was)[order],
        low=_POINTS * (now - was - reach)[order],
        high=_POINTS * (now - was + reach)[order],
        pvalue=p[order],
        adjusted=adjusted(p)[order],
        old_votes=_votes(before, common)[order],
        new_votes=_votes(after, common)[order],
        old_battles=round(before.matches.n_matches),
        new_battles=round(after.matches.n_matches),
        is_cumulative=is_cumulative,
        confidence=confidence,
        notes=_notes(before, after, is_cumulative=is_cumulative, may_include=may_include),
        settings=Settings(
            method="board_diff",
            options={
                "old": before.matches.digest,
                "ties": ties,
                "cumulative": is_cumulative,
                "ci": f"{100 * confidence:g}",
            },
            data=after.matches.digest,
            n_systems=len(common),
        ),
    )


def _changes(
    before: _Snapshot, after: _Snapshot, common: tuple[str, ...], *, is_cumulative: bool, confidence: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Log strengths before and after, half-widths of the intervals of their differences, and p-values."""
    first, second = before.contrasts(common), after.contrasts(common)
    covariance = _covariance(before, after, first, second, is_cumulative=is_cumulative)
    degrees = np.minimum(before.fit.sureness(first)[1], after.fit.sureness(second)[1])
    was, now = first @ before.fit.log_strength, second @ after.fit.log_strength
    error = np.sqrt(np.maximum(np.diagonal(covariance), 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(error > 0, np.abs(now - was) / error, 0.0)
    p = np.minimum(2 * upper_tail(z, degrees), 1.0)
    reach = critical_values(confidence, degrees) * error
    return was, now, reach, p


def _snapshot(data: AnyData, ties: Literal["half", "drop"]) -> _Snapshot:
    matches = as_table(data, kinds=(Matches,), verb="board_diff")
    if matches.covariates is not None:
        raise BetterThanError("Covariates are not supported here. Leave them out.")
    matches = added_up(matches)
    fit = fit_matches(matches, ties=ties)
    wins = with_ties(fit.counts.wins, fit.counts.ties, ties)
    return _Snapshot(matches, fit, model_covariance(wins, fit.log_strength))


def _overlap(after: Matches, before: Matches, overlap: Overlap) -> tuple[bool, bool]:
    """Return whether the new battles include the old ones, and whether they may although that is not assumed."""
    if overlap not in get_args(Overlap):
        raise unknown_name("overlap", overlap, get_args(Overlap))
    chance = _chance_of_including(after, before)
    if overlap == "included" and not chance:
        raise TableError(
            Message(
                "The new battles do not include the old ones: some outcomes of two systems are rarer. Use {overlap}.",
                overlap=Option("overlap", "none"),
            )
        )
    return overlap == "included" or (
        overlap == "auto" and 0 < chance < _HARDLY
    ), overlap == "auto" and chance > 0


def _chance_of_including(after: Matches, before: Matches) -> float:
    """Return 0 if the later battles cannot include the earlier ones; else the probability that others look like it."""
    if set(before.systems) - set(after.systems) or after.n_matches <= before.n_matches:
        return 0.0
    tables = []
    for matches in (after, before):
        at = [after.systems.index(name) for name in matches.systems]
        wins, ties = np.zeros((2, after.n_systems, after.n_systems))
        wins[np.ix_(at, at)], ties[np.ix_(at, at)] = matches.wins(), np.triu(matches.ties())
        tables.append(np.concatenate([wins, ties]).ravel())
    late, early = tables
    if (late < early - 1e-9).any():
        return 0.0
    total = late + early
    # In separate periods, counts of both are about Poisson with means in proportion to the numbers of battles.
    share = (after.n_matches - before.n_matches) / (after.n_matches + before.n_matches)
    here = total > 0
    z = (share * total[here] + 0.5) / np.sqrt(total[here])
    return max(float(np.exp(log_ndtr(z).sum())), 1e-300)


def _covariance(
    before: _Snapshot, after: _Snapshot, first: FloatArray, second: FloatArray, *, is_cumulative: bool
) -> FloatArray:
    if not is_cumulative:
        return np.asarray(first @ before.fit.covariance @ first.T + second @ after.fit.covariance @ second.T)
    place = np.zeros((after.matches.n_systems, before.matches.n_systems))
    for i, name in enumerate(before.matches.systems):
        place[after.matches.systems.index(name), i] = 1.0
    shared = before.meat
    rest = after.meat - place @ shared @ place.T
    values, vectors = np.linalg.eigh((rest + rest.T) / 2)
    rest = (vectors * np.maximum(values, 0)) @ vectors.T
    both = second @ after.bread @ place - first @ before.bread
    return np.asarray(both @ shared @ both.T + second @ after.bread @ rest @ after.bread @ second.T)


def _others(board: _Snapshot, common: tuple[str, ...]) -> tuple[str, ...]:
    order = np.argsort(-board.fit.log_strength, kind="stable").tolist()
    return tuple(name for i in order if (name := board.matches.systems[i]) not in common)


def _first(board: _Snapshot) -> str:
    return board.matches.systems[int(np.argmax(board.fit.log_strength))]


def _ranks(strength: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    ranks = np.empty(strength.size, dtype=np.int64)
    ranks[np.argsort(-strength, kind="stable")] = np.arange(1, strength.size + 1)
    return ranks


def _votes(board: _Snapshot, common: tuple[str, ...]) -> FloatArray:
    votes = board.votes
    return np.array([votes[board.matches.systems.index(name)] for name in common])


def _notes(before: _Snapshot, after: _Snapshot, *, is_cumulative: bool, may_include: bool) -> tuple[str, ...]:
    if before.matches.digest == after.matches.digest:
        same = Message(
            "Both snapshots have the same battles, so nothing can have changed. Compare two different ones."
        )
        return (same, *after.matches.notes)
    if is_cumulative:
        added = round(after.matches.n_matches - before.matches.n_matches)
        text = (
            "The new battles include all old ones, so {added:,} were added; errors account for the overlap."
        )
        return (*after.matches.notes, method_note(text, added=added))
    if may_include:
        text = (
            "The new battles may include the old ones, and are treated as others. If they do, use {overlap}."
        )
        return (*after.matches.notes, Message(text, overlap=Option("overlap", "included")))
    return after.matches.notes
