"""Elo and TrueSkill through `rank`: orders of play, their spread, their bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import by_system, drawn_matches, drawn_scores, scores_of

import betterthan as bt
from betterthan.analysis import ordered

both = pytest.mark.parametrize("by", ["elo", "trueskill"])


@both
def test_a_fixed_order_has_no_spread_and_needs_no_orders(by):
    """Nothing is shuffled, so nothing of it is shown or signed."""
    found = bt.rank(drawn_scores(3, 20), by=by, order="segments", n_resamples=5)

    assert found.order_spread is None
    assert "orders:" not in found.settings.signature
    assert "|order:segments|" in found.settings.signature


@both
def test_more_orders_bring_two_seeds_together(by):
    """The mean over orders settles."""
    scores = drawn_scores(3, 20)
    gaps = []
    for n_orders in (4, 400):
        one, other = (
            by_system(bt.rank(scores, by=by, n_orders=n_orders, n_resamples=2, rng=seed)) for seed in (1, 2)
        )
        gaps.append(max(abs(one[name] - other[name]) for name in one))

    assert gaps[1] < gaps[0] / 2


@both
def test_the_interval_is_about_segments_and_not_about_orders(by):
    """The same segments a hundred times over: hardly any uncertainty is left, though orders still matter."""
    base = drawn_scores(2, 20, gap=0.3).values
    few = bt.rank(scores_of(base), by=by, n_resamples=60)
    documents = [str(i) for i in range(20)] * 10
    same = bt.rank(scores_of(np.tile(base, 10), groups=documents), by=by, n_resamples=60, units="groups")

    # Drawn by document the ten copies count as one segment: about as uncertain as the twenty were.
    assert np.all(same.high - same.low > 0.3 * (few.high - few.low))


@both
def test_the_sum_of_elo_points_is_kept(by):
    """What one wins another loses; TrueSkill has no such law."""
    found = bt.rank(drawn_scores(4, 30), by=by, n_orders=10, n_resamples=3)
    if by == "elo":
        assert found.strength.sum() == pytest.approx(4 * 1500)


@both
def test_too_many_matches_are_refused_before_they_are_listed(by, monkeypatch):
    """With the mechanism that needs only counts as the cure."""
    monkeypatch.setattr(ordered, "MOST_MATCHES", 50)
    with pytest.raises(bt.BetterThanError, match=r'would play 60 matches.*Rank by="bradley_terry"'):
        bt.rank(drawn_scores(3, 20), by=by)
    with pytest.raises(bt.BetterThanError, match="would play 300 matches"):
        bt.rank(drawn_matches(), by=by)


def test_long_lists_are_resampled_less_often(monkeypatch):
    """Within a budget of plays, but never fewer than twenty times; the number is in the signature."""
    monkeypatch.setattr(ordered, "MOST_PLAYS", 30_000)

    assert "|ci:95,percentile,50|" in bt.rank(drawn_scores(3, 20), by="elo", n_orders=2).settings.signature
    assert "|ci:95,percentile,20|" in bt.rank(drawn_scores(3, 100), by="elo", n_orders=2).settings.signature


@both
def test_matches_are_played_as_often_as_their_weight_says(by):
    """A row of weight 3 is three matches, in the published order too."""
    rows = drawn_matches(3, 12, seed=2)
    weight = np.tile([1.0, 3.0], 6)
    times = weight.astype(int)
    once = bt.Matches(
        systems=rows.systems, left=rows.left, right=rows.right, outcome=rows.outcome, weight=weight
    )
    repeated = bt.Matches(
        systems=rows.systems, **{n: np.repeat(getattr(rows, n), times) for n in ("left", "right", "outcome")}
    )
    one, other = (
        bt.rank(table, by=by, order="as_published", n_resamples=2, prior=0.5) for table in (once, repeated)
    )

    assert by_system(one) == by_system(other)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["elo", "trueskill"])
def test_intervals_of_ratings_cover_the_mean_rating_of_new_test_sets(by):
    """100 test sets of 40 segments: the interval of each holds the mean over all sets in about 95 of 100."""
    found = [
        bt.rank(drawn_scores(3, 40, seed=seed), by=by, n_resamples=100, n_orders=60) for seed in range(100)
    ]
    centre = {name: np.mean([by_system(result)[name] for result in found]) for name in "ABC"}
    inside = [
        by_system(result, "low")[name] <= centre[name] <= by_system(result, "high")[name]
        for result in found
        for name in "ABC"
    ]

    assert 0.88 <= np.mean(inside) <= 0.99
