"""Battles under the models of ties: intervals and tests are from one fit, and know judges and questions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.made import by_system, drawn_matches

import betterthan as bt

both_models = pytest.mark.parametrize("ties", ["davidson", "rao_kupper"])


def judged(seed, *, m=2, n=120, n_judges=5, orders=1, taste=0.8, lead=0.0):
    """Battles with a fifth of ties; judges favor systems, and so do questions that are asked in both orders.

    The first system leads the others.
    """
    rng = np.random.default_rng(seed)
    left = rng.integers(0, m, n)
    right = (left + rng.integers(1, m, n)) % m
    question = np.tile(np.arange(n), orders)
    if orders == 2:
        left, right = np.append(left, right), np.append(right, left)
    judge = rng.integers(0, n_judges, left.size)
    likes, favors = taste * rng.normal(size=(n_judges, m)), taste * rng.normal(size=(n, m))
    likes[:, 0] += lead
    ahead = likes[judge, left] - likes[judge, right]
    if orders == 2:
        ahead = ahead + favors[question, left] - favors[question, right]
    win, loss, draw = 0.8 / (1 + np.exp(-ahead)), 0.8 / (1 + np.exp(ahead)), rng.random(left.size)
    outcome = np.where(draw < win, 1.0, np.where(draw > 1 - loss, 0.0, 0.5))
    return bt.Matches(
        systems=[f"S{i}" for i in range(m)],
        left=left,
        right=right,
        outcome=outcome,
        group=judge,
        segment=question if orders == 2 else None,
    )


def half_widths(found):
    """Half of the width of each interval."""
    return (found.high - found.low) / 2


@both_models
def test_judges_who_differ_widen_intervals_as_with_ties_as_half(ties):
    """Student's t with the degrees of freedom of five judges, and errors of the same size."""
    for seed in range(5):
        matches = judged(seed)
        modeled = half_widths(bt.rank(matches, ties=ties, scale="log"))
        half = half_widths(bt.rank(matches, ties="half", scale="log"))
        strengths = [np.abs(bt.rank(matches, ties=t, scale="log").strength).max() for t in (ties, "half")]
        scale = strengths[0] / strengths[1]  # the models stretch the strengths differently

        np.testing.assert_allclose(modeled, scale * half, rtol=0.05)


@both_models
def test_default_intervals_need_no_resampling(ties):
    """They are said to be clustered or robust; percentiles can still be chosen."""
    matches = judged(1, m=3)
    alone = dataclasses.replace(matches, group=None)
    drawn = bt.rank(matches, ties=ties, interval="percentile", n_resamples=50)

    assert "|ci:95,clustered|" in bt.rank(matches, ties=ties).settings.signature
    assert "|ci:95,robust|" in bt.rank(alone, ties=ties).settings.signature
    assert "|ci:95,percentile,50|" in drawn.settings.signature
    assert bt.rank(matches, ties=ties).settings.seed is None
    np.testing.assert_array_equal(drawn.strength, bt.rank(matches, ties=ties).strength)


@both_models
@pytest.mark.parametrize("orders", [1, 2])
def test_verdicts_and_intervals_of_two_systems_agree(ties, orders):
    """The interval of the difference excludes 0 exactly where the systems are told apart."""
    verdicts = []
    for seed in range(20):
        matches = judged(seed, orders=orders, taste=0.4, lead=0.8)
        found = bt.rank(matches, ties=ties, scale="log")
        verdicts.append(bool(found.differs_from_next[0]))
        assert verdicts[-1] == (found.low[0] > 0)
        pair = bt.compare(matches, ties=ties).pair(*found.systems)
        assert pair.size == pytest.approx(2 * found.strength[0])
        assert (pair.pvalue <= 0.05) == verdicts[-1]

    assert 0 < sum(verdicts) < 20


@both_models
def test_both_orders_of_a_question_are_not_two_battles(ties):
    """If the second order always ends like the first, the errors are those of half as many battles."""
    once = dataclasses.replace(judged(3, m=3, n=300), group=None)
    twice = bt.Matches(
        systems=once.systems,
        left=np.append(once.left, once.right),
        right=np.append(once.right, once.left),
        outcome=np.append(once.outcome, 1 - once.outcome),
        segment=np.tile(np.arange(300), 2),
    )
    single, double = (bt.rank(matches, ties=ties, scale="log") for matches in (once, twice))

    np.testing.assert_allclose(double.strength, single.strength, atol=1e-9)
    np.testing.assert_allclose(half_widths(double), half_widths(single), rtol=0.02)


@both_models
def test_two_ways_have_the_largest_error_and_the_fewest_degrees(ties):
    """Of judges, of questions, and of both combined."""
    from betterthan.analysis.matches.matches import fit_matches

    matches = judged(4, m=3, orders=2)
    both = fit_matches(matches, ties=ties)
    ways = [
        fit_matches(dataclasses.replace(matches, **{name: None}), ties=ties) for name in ("group", "segment")
    ]
    off = ~np.eye(3, dtype=bool)

    for way in ways:
        assert (both.pair_errors >= way.pair_errors)[off].all()
    np.testing.assert_allclose(both.pair_degrees[off], np.minimum(*(way.pair_degrees for way in ways))[off])


@both_models
def test_scales_are_of_one_fit(ties):
    """Elo points are log strengths in other units; a share lies where its log odds do."""
    matches = judged(5, m=2)
    share, log, elo = (bt.rank(matches, ties=ties, scale=scale) for scale in ("share", "log", "elo"))

    np.testing.assert_allclose(half_widths(elo), half_widths(log) * 400 / np.log(10))
    np.testing.assert_allclose(share.low, 1 / (1 + np.exp(-2 * log.low)))


@both_models
@pytest.mark.parametrize("group", [None, np.arange(200) % 7])
def test_without_a_tie_nothing_is_modeled(ties, group):
    """The fit is Bradley–Terry's, errors included."""
    matches = dataclasses.replace(drawn_matches(3, 200, seed=4), group=group)
    decided = dataclasses.replace(matches, outcome=np.round(matches.outcome + 0.1))
    modeled, half = (bt.rank(decided, ties=t, scale="log") for t in (ties, "half"))

    np.testing.assert_allclose(modeled.strength, half.strength, atol=1e-9)
    np.testing.assert_allclose(modeled.low, half.low, atol=1e-9)


@both_models
def test_rank_and_compare_agree_about_every_pair(ties):
    """Both verbs ask the same fit."""
    matches = judged(6, m=4, n=400)
    pairs, found = bt.compare(matches, ties=ties), bt.rank(matches, ties=ties)
    letters = dict(zip(found.systems, found.letters, strict=True))

    assert f"ties:{ties}" in pairs.settings.signature
    assert len(list(pairs.pairs())) == 6
    for pair in pairs.pairs():
        assert (pair.verdict is None) == bool(set(letters[pair.a]) & set(letters[pair.b]))


@both_models
def test_a_position_effect_is_that_of_ties_as_half(ties):
    """Which side wins does not depend on how ties are modeled."""
    matches = judged(7, m=3, n=300)
    found, half = (bt.rank(matches, ties=t).side for t in (ties, "half"))

    assert found is not None
    assert found.log_odds == pytest.approx(half.log_odds)
    assert found.pvalue == pytest.approx(half.pvalue)


@both_models
def test_a_prior_is_refused_by_both_verbs(ties):
    """The models have none."""
    for verb in (bt.rank, bt.compare):
        with pytest.raises(bt.BetterThanError, match=f'ties="{ties}" cannot be combined with prior=0.5'):
            verb(judged(8), ties=ties, prior=0.5)


@both_models
def test_a_system_of_one_judge_has_no_interval(ties):
    """Its strength is confounded with what the judge prefers, and a note says so."""
    matches = judged(9, m=3, n=400)
    kept = (matches.group == 0) | ((matches.left != 2) & (matches.right != 2))
    thin = bt.Matches(
        systems=matches.systems,
        left=matches.left[kept],
        right=matches.right[kept],
        outcome=matches.outcome[kept],
        group=matches.group[kept],
    )
    found = bt.rank(thin, ties=ties)

    assert np.isnan(by_system(found, "low")["S2"])
    assert any("All matches of S2 belong to one group" in note for note in found.notes)
