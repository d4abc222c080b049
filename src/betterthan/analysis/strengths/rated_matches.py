"""Elo and TrueSkill ratings of matches: single matches in order, and the units that are resampled."""

from __future__ import annotations

import numpy as np

from betterthan.analysis.matches.match_units import MatchUnit, units_of_matches
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.ordered import Play, in_order, numbered, refuse_too_many
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.strengths.strengths import Estimated, estimated_ratings
from betterthan.errors import BetterThanError, TableError
from betterthan.kernels.ratings.match_play import MatchList
from betterthan.messages import COLUMN, Message, Option
from betterthan.tables.matches import Matches


def rate_matches(matches: Matches, by: str, options: RankOptions, resampling: Resampling) -> Estimated:
    """Return the ratings of matches."""
    refuse_too_many(by, matches.n_matches)
    listed = in_order(_listed(matches, options.order), options.order)
    times = np.rint(matches.weight).astype(np.int64)
    units = rating_units(matches, options.order)
    codes = [numbered(np.repeat(unit.code, times)) for unit in units] or [np.arange(listed.left.size)]
    play = Play(
        by=by,
        matches=listed,
        unit_of_match=codes[0],
        other_unit=codes[1] if len(codes) > 1 else None,
        n_systems=matches.n_systems,
        n_units=int(codes[0].max()) + 1,
        order=options.order,
        n_orders=options.n_orders,
        rating=options.rating,
    )
    return estimated_ratings(play, resampling)


def rating_units(matches: Matches, order: str) -> tuple[MatchUnit, ...]:
    """Return what is independent: judges or sessions, questions, or both; empty for single matches.

    A fixed order is resampled match by match, because whole judges have no place in it.
    """
    return units_of_matches(matches) if order == "shuffled" else ()


def _listed(matches: Matches, order: str) -> MatchList:
    """Single matches; an aggregated row is repeated as often as its weight."""
    times = np.rint(matches.weight).astype(np.int64)
    if not np.allclose(times, matches.weight):
        raise BetterThanError("Elo and TrueSkill need whole matches, and these have non-integer weights.")
    if order == "listed" and (times > 1).any():
        raise BetterThanError(
            Message(
                "The matches were aggregated, so the order of play is not known. Name the column of the item with "
                "{item}, which keeps every row in its order, or use {order}.",
                item=Option("item", COLUMN),
                order=Option("order", "shuffled"),
            )
        )
    if order == "segments" and matches.segment is None:
        raise TableError(
            Message(
                "The matches have no segments, so they cannot be played segment by segment. "
                "Name the column of the segment with {item}, or use {order}.",
                item=Option("item", COLUMN),
                order=Option("order", "shuffled"),
            )
        )
    segment = None if matches.segment is None else np.repeat(matches.segment, times)
    return MatchList(
        np.repeat(matches.left, times),
        np.repeat(matches.right, times),
        np.repeat(matches.outcome, times),
        segment,
    )
