"""The order of matches, by hand on tables small enough to read."""

from __future__ import annotations

import numpy as np
import pytest

from betterthan.errors import TableError
from betterthan.kernels.ratings.match_play import (
    FIXED_ORDERS,
    MatchList,
    as_published,
    score_matches,
    segments_in_turn,
    ties_to_second,
)

# Three systems on two segments; B and C tie on the second.
GOODNESS = np.array([[3.0, 1.0], [2.0, 5.0], [4.0, 5.0]])


def rows(matches: MatchList) -> list[tuple[float, ...]]:
    """Each match as (left, right, outcome, segment)."""
    return list(zip(*(column.tolist() for column in matches if column is not None), strict=True))


def test_every_segment_lets_every_two_systems_meet_once():
    """Segment by segment, pairs in order, first system on the left."""
    assert rows(score_matches(GOODNESS)) == [
        (0, 1, 1.0, 0),
        (0, 2, 0.0, 0),
        (1, 2, 0.0, 0),
        (0, 1, 0.0, 1),
        (0, 2, 0.0, 1),
        (1, 2, 0.5, 1),
    ]


def test_a_missing_score_cancels_the_match():
    """Only pairs with both scores meet; the others on the segment still do."""
    goodness = GOODNESS.copy()
    goodness[1, 0] = np.nan
    assert rows(score_matches(goodness)) == [
        (0, 2, 0.0, 0),
        (0, 1, 0.0, 1),
        (0, 2, 0.0, 1),
        (1, 2, 0.5, 1),
    ]


@pytest.mark.parametrize("goodness", [np.empty((3, 0)), np.ones((1, 4)), np.full((2, 3), np.nan)])
def test_a_table_without_pairs_has_no_matches(goodness):
    """No segments, one system, or no scores at all."""
    matches = score_matches(goodness)
    assert [column.size for column in matches] == [0, 0, 0, 0]
    assert matches.left.dtype == np.int64
    assert matches.outcome.dtype == np.float64


def test_infinite_scores_are_compared_like_others():
    """Nothing is subtracted, so infinity ties with infinity."""
    assert score_matches(np.array([[np.inf, -np.inf], [np.inf, np.inf]])).outcome.tolist() == [0.5, 0.0]


def test_segments_in_turn_keeps_the_listing_within_a_segment():
    """A stable sort by segment."""
    matches = MatchList(
        np.array([0, 1, 2, 0]),
        np.array([1, 2, 0, 2]),
        np.array([1.0, 0.5, 0.0, 1.0]),
        np.array([9, 4, 9, 4]),
    )
    assert rows(segments_in_turn(matches)) == [(1, 2, 0.5, 4), (0, 2, 1.0, 4), (0, 1, 1.0, 9), (2, 0, 0.0, 9)]


def test_the_matches_of_a_table_are_segments_in_turn_already():
    """The list of a score table is segment-major."""
    matches = score_matches(GOODNESS)
    assert rows(segments_in_turn(matches)) == rows(matches)


def test_segments_in_turn_needs_segments():
    """Battles without prompts cannot be played prompt by prompt, and the message says what to do."""
    matches = score_matches(GOODNESS)._replace(segment=None)
    with pytest.raises(TableError, match="cannot be played segment by segment"):
        segments_in_turn(matches)


def test_as_published_plays_pair_after_pair():
    """All segments of (A, B), then of (A, C), then of (B, C); the tie of B and C stays a tie."""
    assert rows(as_published(score_matches(GOODNESS))) == [
        (0, 1, 1.0, 0),
        (0, 1, 0.0, 1),
        (0, 2, 0.0, 0),
        (0, 2, 0.0, 1),
        (1, 2, 0.0, 0),
        (1, 2, 0.5, 1),
    ]


def test_ties_go_to_the_second_system_whoever_stands_left():
    """The second system is the one listed later in the table, wherever it stands in the match."""
    matches = MatchList(np.array([2, 1, 0]), np.array([1, 0, 1]), np.array([0.5, 0.5, 0.5]))
    assert rows(ties_to_second(as_published(matches))) == [(1, 0, 1.0), (0, 1, 0.0), (2, 1, 1.0)]


def test_as_published_without_segments_keeps_the_listing_within_a_pair():
    """A stable sort by pair."""
    matches = MatchList(np.array([1, 0, 0]), np.array([2, 1, 1]), np.array([0.0, 1.0, 0.0]))
    assert rows(as_published(matches)) == [(0, 1, 1.0), (0, 1, 0.0), (1, 2, 0.0)]


def test_the_inputs_are_left_alone():
    """Orders return new arrays."""
    matches = score_matches(GOODNESS)
    before = [column.copy() for column in matches]
    for order in FIXED_ORDERS.values():
        order(matches)
    assert all(np.array_equal(a, b) for a, b in zip(matches, before, strict=True))
