"""From pairwise decisions to ranks, rank intervals, clusters and letters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.made import drawn_scores, scores_of

import betterthan as bt
from betterthan.analysis.pairs.pairwise import decisions, shared_ranks, standing


@pytest.mark.parametrize(
    ("goodness", "expected"),
    [
        ([3.0, 2.0, 1.0], [1, 2, 3]),
        ([2.0, 2.0, 2.0], [1, 1, 1]),
        ([1.0, 3.0, 3.0, 2.0], [4, 1, 1, 3]),
        ([0.1 + 0.2, 0.3, 0.2], [1, 1, 3]),
        ([np.nan, 1.0, 2.0], [3, 2, 1]),
        ([np.nan, np.nan], [1, 1]),
        ([-1e-300, 0.0], [2, 1]),
    ],
)
def test_equal_values_share_the_best_rank_of_the_tie(goodness, expected):
    """Up to rounding; what is undefined comes last."""
    assert shared_ranks(np.array(goodness)).tolist() == expected


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_ranks_count_who_is_better(goodness):
    """One more than the number of better ones."""
    ranks = shared_ranks(np.array(goodness, dtype=np.float64))

    assert ranks.tolist() == [1 + sum(other > own for other in goodness) for own in goodness]


def test_decisions_follow_the_order_asked_for():
    """Entry [a, b] says that a is better, whatever the order of the table."""
    pairs = bt.compare(drawn_scores(3, 40, gap=2))
    names = ("A", "C", "B")

    assert pairs.n_different == 3
    assert decisions(names, pairs).tolist() == [
        [False, False, False],
        [True, False, True],
        [True, False, False],
    ]


def test_a_clear_field_has_a_rank_a_cluster_and_a_letter_each():
    """Everybody is told apart: spreads are points."""
    scores = drawn_scores(4, 60, gap=2)
    pairs = bt.compare(scores)
    stand = standing(pairs.systems, np.array([4.0, 3.0, 2.0, 1.0]), pairs)

    assert stand.rank.tolist() == stand.rank_low.tolist() == stand.rank_high.tolist() == [1, 2, 3, 4]
    assert stand.cluster.tolist() == [1, 2, 3, 4]
    assert stand.letters == ("a", "b", "c", "d")
    assert stand.differs_from_next.tolist() == [True, True, True, False]


def test_the_share_of_wins_over_the_next_counts_ties_half():
    """Two wins, one tie, one loss: 2.5 of 4."""
    found = bt.rank(scores_of({"A": [3, 3, 2, 1], "B": [1, 1, 2, 2]}), n_resamples=5)

    assert found.systems == ("A", "B")
    assert found.beats_next[0] == 2.5 / 4


@pytest.mark.slow
@pytest.mark.parametrize("by", ["mean", "bradley_terry"])
def test_rank_intervals_hold_all_true_ranks_at_once(by):
    """300 tables of 5 systems: in at least 95 of 100 every true rank lies in its interval."""
    inside = []
    for seed in range(300):
        found = bt.rank(drawn_scores(5, 18, seed=seed, gap=0.3), by=by, n_resamples=20)
        true = np.array([5 - "ABCDE".index(name) for name in found.systems])
        inside.append(bool(np.all((found.rank_low <= true) & (true <= found.rank_high))))

    assert np.mean(inside) >= 0.93
