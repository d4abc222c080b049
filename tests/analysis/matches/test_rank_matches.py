"""Ranking and comparing matches through the verbs: intervals, priors, gaps in the graph."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.made import by_pair, by_system, drawn_matches, matches_of, same_after_json

import betterthan as bt

ROUND = [("A", "B", 1), ("B", "C", 1), ("C", "A", 1), ("A", "C", 1), ("B", "A", 1), ("C", "B", 1)]


def record(wins, losses, ties=0):
    """A and B met so often with this result."""
    return matches_of([("A", "B", 1)] * wins + [("A", "B", 0)] * losses + [("A", "B", 0.5)] * ties)


@pytest.mark.parametrize(("wins", "losses"), [(7, 3), (60, 40), (9, 1)])
def test_two_systems_have_the_odds_of_their_record(wins, losses):
    """log(w / l), with the textbook's variance 1/w + 1/l (times n / (n − 1))."""
    found = bt.compare(record(wins, losses)).pair("A", "B")
    n = wins + losses
    z = np.log(wins / losses) / np.sqrt((1 / wins + 1 / losses) * n / (n - 1))

    assert found.size == pytest.approx(np.log(wins / losses))
    assert found.effect == pytest.approx(wins / n)
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(abs(z)))


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_p_is_half_of_the_two_sided_on_the_right_side(alternative):
    """The Wald test is symmetric."""
    both = bt.compare(record(30, 20)).pair("A", "B").pvalue
    one = bt.compare(record(30, 20), alternative=alternative).pair("A", "B").pvalue

    assert one == pytest.approx(both / 2 if alternative == "greater" else 1 - both / 2)


def test_scales_are_three_ways_to_say_the_same():
    """Shares, natural logarithms, Elo points; intervals go along."""
    table = drawn_matches()
    share, log, elo = (bt.rank(table, scale=scale) for scale in ("share", "log", "elo"))

    assert share.systems == log.systems == elo.systems
    np.testing.assert_allclose(share.strength, np.exp(log.strength) / np.exp(log.strength).sum())
    np.testing.assert_allclose(np.diff(elo.strength), np.diff(log.strength) * 400 / np.log(10))
    np.testing.assert_allclose(elo.high - elo.strength, (log.high - log.strength) * 400 / np.log(10))


@pytest.mark.parametrize(("wins", "told_apart"), [(3, False), (5, False), (10, True), (50, True)])
def test_a_perfect_record_is_not_certainty(wins, told_apart):
    """With a prior, 5 : 0 is not enough and 10 : 0 is; the exact sign test has p = 0.06 and 0.002.

    Robust errors would be tiny here, because a perfect record leaves no residuals: 3 : 0 would have p = 0.00003.
    """
    found = bt.rank(record(wins, 0), prior=0.5)

    assert bool(found.differs_from_next[0]) == told_apart
    assert told_apart == (stats.binomtest(wins, wins).pvalue <= 0.05)
    assert "|ci:95,model|" in found.settings.signature


def test_many_matches_make_the_prior_and_its_errors_unimportant():
    """Errors of the model and robust ones agree when the model holds."""
    table = drawn_matches(4, 5000, ties=0.0)
    plain, helped = bt.rank(table, scale="log"), bt.rank(table, scale="log", prior=0.5)

    np.testing.assert_allclose(plain.strength, helped.strength, atol=0.01)
    np.testing.assert_allclose(plain.high - plain.low, helped.high - helped.low, rtol=0.1)


def test_systems_that_meet_only_through_others_are_compared():
    """A and D never met; the model bridges, and the share of wins between them is missing."""
    rows = [("A", "B", 1), ("A", "B", 0), ("B", "C", 1), ("B", "C", 0), ("C", "D", 1), ("C", "D", 0)] * 3
    found = bt.compare(matches_of(rows)).pair("A", "D")

    assert (found.wins, found.losses) == (0, 0)
    assert found.effect == pytest.approx(0.5)
    assert found.pvalue == pytest.approx(1)
    alone = bt.compare(matches_of(rows), systems=("A", "D"))
    assert alone.unmet.startswith("A and D never met: their comparison relies on the model")
    assert not bt.compare(matches_of(rows), systems=("A", "B")).unmet


def test_a_share_is_as_sure_as_all_strengths_together():
    """Of two systems it is the chance to win, so its interval is that of the log odds."""
    found = bt.rank(record(30, 20))
    n, odds = 50, np.log(30 / 20)
    reach = 1.959963984540054 * np.sqrt((1 / 30 + 1 / 20) * n / (n - 1))

    assert found.low[0] == pytest.approx(1 / (1 + np.exp(-(odds - reach))))
    assert found.high[0] == pytest.approx(1 / (1 + np.exp(-(odds + reach))))
    np.testing.assert_allclose(found.low, 1 - found.high[::-1])


def test_shares_have_the_errors_of_their_log_odds():
    """The delta method with a numerical gradient."""
    from betterthan.analysis.matches.matches import fit_matches

    table = drawn_matches(4, 300, seed=2)
    fit, found = fit_matches(table), bt.rank(table)
    share = np.exp(fit.log_strength) / np.exp(fit.log_strength).sum()

    def log_odds(theta, a):
        part = np.exp(theta) / np.exp(theta).sum()
        return np.log(part[a] / (1 - part[a]))

    for a, name in enumerate(table.systems):
        steps = 1e-6 * np.eye(4)
        up, down = ([log_odds(fit.log_strength + sign * step, a) for step in steps] for sign in (1, -1))
        slope = (np.array(up) - np.array(down)) / 2e-6
        reach = 1.959963984540054 * np.sqrt(slope @ fit.covariance @ slope)
        high = np.log(share[a] / (1 - share[a])) + reach
        assert by_system(found, "high")[name] == pytest.approx(1 / (1 + np.exp(-high)), rel=1e-6)


@pytest.mark.parametrize("by", ["win_rate", "elo", "trueskill"])
def test_what_needs_no_strengths_ranks_also_where_there_are_none(by):
    """Two islands: nothing is claimed across the water, and a note says why ratings are not compared there."""
    rows = [("A", "B", 1)] * 30 + [("A", "B", 0)] * 10 + [("C", "D", 1)] * 20 + [("C", "D", 0)] * 20
    matches = matches_of(rows)
    with pytest.raises(bt.NotEstimable, match="A, B"):
        bt.rank(matches)
    found = bt.rank(matches, by=by, n_resamples=10, n_orders=5)
    letters = dict(zip(found.systems, found.letters, strict=True))

    pairs = bt.compare(matches, by=by)
    assert any("no match connects them" in note for note in pairs.notes) == (by != "win_rate")
    assert np.isnan(pairs["A", "C"].pvalue) == (by != "win_rate")
    assert set(letters["A"]) & set(letters["C"])
    assert set(letters["A"]) & set(letters["D"])
    assert same_after_json(found)


def test_wins_may_have_weights_that_are_not_whole():
    """Bradley–Terry takes them; what plays or draws whole matches says that it cannot."""
    table = matches_of(ROUND, weight=np.linspace(0.5, 1.5, 6))

    assert np.isfinite(bt.rank(table).strength).all()
    for options in ({"by": "elo"}, {"by": "trueskill"}, {"interval": "percentile"}):
        with pytest.raises(bt.BetterThanError, match="whole"):
            bt.rank(table, **options)


def test_a_weight_is_as_good_as_a_repetition():
    """Aggregated rows give the same strengths, errors and tests."""
    once = matches_of(ROUND, weight=np.array([3.0, 2, 4, 1, 5, 2]))
    rows = [row for row, times in zip(ROUND, (3, 2, 4, 1, 5, 2), strict=True) for _ in range(times)]

    for field in ("strength", "low", "high"):
        assert by_system(bt.rank(once), field) == pytest.approx(by_system(bt.rank(matches_of(rows)), field))
    assert by_pair(bt.compare(once), "pvalue") == pytest.approx(
        by_pair(bt.compare(matches_of(rows)), "pvalue")
    )


def test_judges_who_repeat_themselves_widen_the_interval():
    """Ten copies of each vote by the same judge: clustered errors do not believe them."""
    base = drawn_matches(3, 60, seed=1)
    copied = {name: np.repeat(getattr(base, name), 10) for name in ("left", "right", "outcome")}
    judge = np.repeat(np.arange(60), 10)
    alone = bt.Matches(systems=base.systems, **copied)
    clustered = bt.Matches(systems=base.systems, **copied, group=judge)
    wide, narrow, honest = (bt.rank(table, scale="log") for table in (clustered, alone, base))

    assert np.all(wide.high - wide.low > 2.5 * (narrow.high - narrow.low))
    np.testing.assert_allclose(wide.high - wide.low, honest.high - honest.low, rtol=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "mean"}, "Matches have no scores to average"),
        ({"by": lambda goodness: goodness[:, 0]}, "Matches have no scores to average"),
        ({"by": "bradley"}, 'Did you mean "bradley_terry"'),
        ({"interval": "bca"}, 'interval="bca" is for scores'),
        ({"units": "groups"}, "The matches have no groups"),
        ({"by": "elo", "order": "segments"}, 'or use order="shuffled"'),
    ],
)
def test_what_does_not_fit_matches_is_refused(options, message):
    """Each with what to do instead."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.rank(drawn_matches(), **options)


def test_matches_that_count_nothing_are_no_matches():
    """All weights are 0."""
    with pytest.raises(bt.BetterThanError, match=r"no matches|No match"):
        bt.rank(matches_of(ROUND, weight=np.zeros(6)), by="elo")


def test_only_ties_are_half_a_win_each():
    """All strengths are equal, and dropping the ties leaves nothing."""
    rows = [("A", "B", 0.5), ("B", "C", 0.5), ("A", "C", 0.5)] * 4

    assert bt.rank(matches_of(rows)).strength == pytest.approx([1 / 3] * 3)
    with pytest.raises(bt.NotEstimable):
        bt.rank(matches_of(rows), ties="drop")


def test_robust_and_bootstrap_intervals_agree():
    """Two ways to the same uncertainty, on the log scale."""
    table = drawn_matches(4, 2000, seed=5)
    robust, drawn = (bt.rank(table, scale="log", interval=kind) for kind in ("robust", "percentile"))

    np.testing.assert_allclose(robust.high - robust.low, drawn.high - drawn.low, rtol=0.12)
    np.testing.assert_array_equal(robust.strength, drawn.strength)


@pytest.mark.parametrize("by", ["elo", "trueskill", "win_rate"])
def test_rank_and_compare_reach_the_same_verdicts(by):
    """Both verbs test the ratings themselves, and some of the systems get the digits that they have among all."""
    table = drawn_matches(4, 300, seed=2)
    ranked, pairs = bt.rank(table, by=by), bt.compare(table, by=by)
    some = bt.compare(table, by=by, systems=ranked.systems[:2])

    assert ranked.systems == pairs.systems
    assert ranked.test == pairs.test
    better = pairs.better()
    assert ranked.rank_low.tolist() == (1 + better.sum(axis=0)).tolist()
    assert some.pair(*ranked.systems[:2]).effect == pairs.pair(*ranked.systems[:2]).effect
    assert some.pair(*ranked.systems[:2]).low == pytest.approx(pairs.pair(*ranked.systems[:2]).low)


def test_questions_beside_judges_widen_the_intervals_of_ratings():
    """Ten systems' battles over twenty questions, each with a favorite of its own."""
    rng = np.random.default_rng(3)
    question, judge = rng.integers(0, 20, 400), rng.integers(0, 40, 400)
    left, right = np.zeros(400, dtype=int), np.ones(400, dtype=int)
    outcome = (rng.random(400) < np.where(rng.random(20) < 0.5, 0.85, 0.15)[question]).astype(float)
    rows = {"systems": ["A", "B"], "left": left, "right": right, "outcome": outcome, "group": judge}
    both = bt.compare(bt.Matches(**rows, segment=question), by="elo").pair("A", "B")
    alone = bt.compare(bt.Matches(**rows), by="elo").pair("A", "B")

    assert both.effect == pytest.approx(alone.effect, abs=0.02)
    assert both.high - both.low > 1.5 * (alone.high - alone.low)
