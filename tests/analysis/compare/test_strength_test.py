"""Differences of strengths tested by their own joint distribution."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats
from tests.made import by_pair, drawn_scores, scores_of

import betterthan as bt
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.strengths.strengths import estimate
from betterthan.analysis.units import units_of
from betterthan.errors import NotEstimable


def few_draws(by, n):
    """So many resamples, where strengths are drawn."""
    return {} if by == "bradley_terry" else {"n_resamples": n}


def strengths_of(scores, by, n_resamples):
    """Strengths and their draws, as the verbs have them."""
    resampling = Resampling(seed=12345, n_resamples=n_resamples)
    return estimate(scores, by, units_of(scores, "auto"), RankOptions(by=by), resampling)


def upper_quantile(goodness):
    """A strength of the caller's."""
    return np.quantile(goodness, 0.8, axis=1)


@pytest.mark.parametrize("by", ["median", upper_quantile])
@pytest.mark.parametrize("groups", [None, list("abcdefgh" * 5)])
def test_p_values_of_draws_are_those_of_a_literal_loop(by, groups):
    """Differences over their spread on the side of 0, against drawn ones; the maximum over pairs not above."""
    scores = drawn_scores(4, 40, gap=0.5, seed=1, groups=groups)
    n = 40 if groups is None else 8
    found = bt.compare(scores, by=by, **few_draws(by, 300))
    known = strengths_of(scores, by, 300)
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    z, statistics, holm = {}, {}, {}
    for a, b in pairs:
        drawn = known.draws[:, a] - known.draws[:, b]
        observed = known.strength[a] - known.strength[b]
        gaps = drawn - observed
        whole = np.sqrt(np.mean(gaps**2))
        below = max(np.sqrt(2 * np.mean(np.minimum(gaps, 0) ** 2)), whole / 2)
        above = max(np.sqrt(2 * np.mean(np.maximum(gaps, 0) ** 2)), whole / 2)
        t = abs(observed) / ((below if observed > 0 else above) * np.sqrt(n / (n - 1)))
        z[a, b] = stats.norm.isf(stats.t.sf(t, n - 1))
        holm[a, b] = 2 * stats.t.sf(t, n - 1)
        statistics[a, b] = np.abs(gaps) / np.where(gaps < 0, below, above)
    stepped, by_holm = 0.0, 0.0
    for k, pair in enumerate(sorted(pairs, key=z.get, reverse=True)):
        rest = sorted(pairs, key=z.get, reverse=True)[k:]
        largest = np.max([statistics[other] for other in rest], axis=0)
        raw = (1 + np.count_nonzero(statistics[pair] >= z[pair])) / 301
        stepped = max(stepped, (1 + np.count_nonzero(largest >= z[pair])) / 301)
        by_holm = max(by_holm, min(1.0, len(rest) * holm[pair]))
        ours = found.pair(*(scores.systems[i] for i in pair))
        assert ours.pvalue == pytest.approx(max(raw, holm[pair], 2.0 ** (1 - n)))
        assert ours.adjusted == pytest.approx(max(stepped, by_holm, ours.pvalue), rel=1e-9)
        assert ours.p_method == "bootstrap"


@pytest.mark.parametrize("by", ["median", upper_quantile])
def test_an_interval_of_draws_excludes_zero_when_the_pair_alone_is_significant(by):
    """One question, one answer: the interval is what the test does not reject."""
    outcomes = set()
    for seed in range(20):
        found = bt.compare(drawn_scores(5, 30, gap=0.3, seed=seed), by=by, **few_draws(by, 300))
        for pair in found.pairs():
            is_significant = pair.pvalue <= 0.05
            assert is_significant == (pair.low > 0 or pair.high < 0)
            outcomes.add(is_significant)
    assert outcomes == {True, False}


def test_two_bradley_terry_strengths_are_tested_by_the_log_odds_of_wins():
    """log(W / L) over its standard error by the delta method, Student's t with n - 1 degrees of freedom."""
    scores = drawn_scores(2, 40, gap=0.8, seed=5)
    won = int((scores.values[1] > scores.values[0]).sum())
    error = np.sqrt(40 / 39 * (1 / won + 1 / (40 - won)))
    expected = 2 * stats.t.sf(abs(np.log(won / (40 - won))) / error, 39)
    pair = bt.compare(scores, by="bradley_terry").pair("B", "A")
    reach = stats.t.ppf(0.975, 39) * error

    assert pair.pvalue == pytest.approx(expected, rel=1e-9)
    assert pair.p_method == "formula"
    assert pair.effect == pytest.approx(won / 40)
    limits = 1 / (1 + np.exp(-(np.log(won / (40 - won)) + np.array([-reach, reach]))))
    assert (pair.low, pair.high) == pytest.approx(tuple(limits), rel=1e-9)


def test_documents_of_a_bradley_terry_strength_are_as_good_as_their_copies():
    """Every segment four times in one document: the p-values are those of the segments once."""
    once = drawn_scores(3, 25, seed=2)
    copied = scores_of(np.repeat(once.values, 4, axis=1), groups=[str(i // 4) for i in range(100)])

    one, other = (bt.compare(table, by="bradley_terry") for table in (once, copied))
    np.testing.assert_allclose(other.pvalue, one.pvalue, rtol=1e-7)
    single = bt.compare(copied, by="bradley_terry", units="segments")
    assert np.nanmax(single.pvalue / one.pvalue) < 1


def test_a_mean_of_the_caller_is_tested_much_like_a_mean():
    """The bootstrap of a function that is the mean says what the permutation test says."""
    scores = drawn_scores(4, 60, gap=0.2, seed=3)
    own = by_pair(bt.compare(scores, by=lambda goodness: goodness.mean(axis=1), n_resamples=4000), "pvalue")
    mean = by_pair(bt.compare(scores), "pvalue")

    assert min(mean.values()) < 0.05
    for pair, p in mean.items():
        assert own[pair] == pytest.approx(p, rel=0.25, abs=0.01)


@pytest.mark.parametrize("by", ["median", "bradley_terry", "elo", "trueskill"])
def test_equal_strengths_do_not_differ(by):
    """Two systems with the same scores beside a worse one: p is 1, or large where the order of matches is drawn."""
    first = drawn_scores(1, 30).values[0]
    noise = np.random.default_rng(1).normal(size=30)
    found = bt.compare(scores_of([first, first, first - 0.4 + noise]), by=by, **few_draws(by, 200))
    pair = found.pair("A", "B")

    assert pair.pvalue == 1 if by in ("median", "bradley_terry") else pair.pvalue > 0.4
    assert pair.verdict is None
    assert pair.effect == pytest.approx(0.5 if found.effect_name.startswith("P(") else 0, abs=0.02)


@pytest.mark.parametrize("by", ["median", "bradley_terry", "elo", "trueskill", upper_quantile])
def test_both_directions_have_one_p_value(by):
    """Matrices are symmetric, p-values adjusted are not smaller, and none is below 2 to the power 1 - n."""
    found = bt.compare(drawn_scores(4, 14, gap=0.3, seed=7), by=by, **few_draws(by, 500))
    off = ~np.eye(4, dtype=bool)

    for matrix in (found.pvalue, found.adjusted):
        np.testing.assert_array_equal(matrix[off], matrix.T[off])
    assert (found.adjusted >= found.pvalue)[off].all()
    assert np.nanmin(found.pvalue) >= 2.0**-13


@pytest.mark.parametrize("by", ["median", "bradley_terry", "elo", upper_quantile])
def test_strengths_are_compared_two_sided(by):
    """A one-sided question is refused, with what can answer it."""
    with pytest.raises(bt.BetterThanError, match='test="sign"'):
        bt.compare(drawn_scores(), by=by, alternative="greater")


def test_the_effect_is_what_the_mechanism_speaks_of():
    """Medians differ by points, Elo ratings by the chance of a win, TrueSkill by its own means."""
    scores = drawn_scores(3, 30, seed=4)
    medians = np.median(scores.values, axis=1)
    by_median = bt.compare(scores, by="median").pair("B", "A")
    assert by_median.effect == pytest.approx(medians[1] - medians[0])
    assert by_median.low <= by_median.effect <= by_median.high

    elo = bt.rank(scores, by="elo")
    rating = dict(zip(elo.systems, elo.strength.tolist(), strict=True))
    chance = bt.compare(scores, by="elo").pair("B", "A").effect
    assert chance == pytest.approx(1 / (1 + 10 ** ((rating["A"] - rating["B"]) / 400)))


@pytest.mark.parametrize("scale", ["share", "log", "elo"])
def test_the_scale_of_bradley_terry_decides_nothing(scale):
    """Shares, log odds and Elo points show the same strengths: the same letters and ranges of ranks."""
    scores = drawn_scores(5, 40, gap=0.4, seed=6)
    found, plain = (bt.rank(scores, by="bradley_terry", scale=one) for one in (scale, "share"))

    assert found.letters == plain.letters
    np.testing.assert_array_equal(found.rank_low, plain.rank_low)
    np.testing.assert_array_equal(found.rank_high, plain.rank_high)


def test_uneven_documents_have_fewer_degrees_of_freedom():
    """Two systems: Bradley–Terry's difference is a log odds, whose error by documents is written out here."""
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(8), [20, 12, 4, 4, 3, 3, 2, 2])
    won = rng.random(groups.size) < 0.8
    table = scores_of([won, ~won], groups=[f"d{g}" for g in groups])
    pair = bt.compare(table, by="bradley_terry").pair("A", "B")

    p, n, share = won.mean(), groups.size, np.bincount(groups) / groups.size
    sums = np.bincount(groups, won - p)
    error = np.sqrt((sums**2 / (1 - share)).sum()) / n / (p * (1 - p))
    pull = share / np.sqrt(1 - share)
    crossed = np.multiply.outer(pull, pull) ** 2
    degrees = 1 / ((share**2).sum() + crossed.sum() - np.diagonal(crossed).sum())
    assert degrees < 4
    t = np.log(p / (1 - p)) / error
    assert pair.pvalue == pytest.approx(2 * stats.t.sf(t, degrees))
    low = np.log(p / (1 - p)) - stats.t.ppf(0.975, degrees) * error
    assert pair.low == pytest.approx(1 / (1 + np.exp(-low)))


def test_the_winning_probability_of_trueskill_is_that_of_its_beliefs():
    """The formula of the method, from the means and beliefs that `rank` shows."""
    scores = drawn_scores(3, 40)
    ranked, pairs = bt.rank(scores, by="trueskill"), bt.compare(scores, by="trueskill")
    a, b = ranked.systems[0], ranked.systems[2]
    beta = 25 / 6
    scale = np.sqrt(2 * beta**2 + ranked[a].sigma ** 2 + ranked[b].sigma ** 2)
    chance = NormalDist().cdf((ranked[a].strength - ranked[b].strength) / scale)

    assert pairs.pair(a, b).effect == pytest.approx(chance, abs=1e-12)
    assert pairs.pair(b, a).effect == pytest.approx(1 - chance, abs=1e-12)
    assert pairs.is_probability
    assert bt.rank(scores, by="elo").sigma is None


def test_two_systems_of_which_one_always_wins_have_the_strengths_one_and_zero():
    """The closed form of two systems: shares of decided comparisons, their exact test and an interval of a share."""
    scores = scores_of(np.array([[2.0, 3, 4, 5, 6, 7, 8, 9, 3], [1.0, 2, 3, 4, 5, 6, 7, 8, 3]]))
    ranked, pair = bt.rank(scores, by="bradley_terry"), bt.compare(scores, by="bradley_terry").pairs()[0]
    a, b = ranked.systems

    assert ranked.strength.tolist() == [1.0, 0.0]
    assert any("won every decided comparison" in note for note in ranked.notes)
    assert (pair.a, pair.effect, pair.verdict) == (a, 1.0, a)
    assert pair.pvalue == stats.binomtest(8, 8).pvalue == 2**-7
    assert (pair.low, pair.high) == (pytest.approx(ranked[a].low), 1.0)
    assert pair.low <= stats.binomtest(8, 8).proportion_ci().low
    assert "strength 1 and" in " ".join(bt.explain(scores, a, b).sentences)
    assert bt.agreement([ranked, bt.rank(scores)]).comparisons[0].alike == 1.0


@pytest.mark.parametrize("options", [{"scale": "log"}, {"scale": "elo"}, {"interval": "percentile"}])
def test_a_perfect_record_has_no_finite_log_strength(options):
    """Only shares exist there."""
    with pytest.raises(bt.NotEstimable, match="never lost"):
        bt.rank(scores_of(np.array([[2.0, 3], [1.0, 2]])), by="bradley_terry", **options)


def test_a_perfect_record_counts_documents_where_they_are_the_units():
    """Four documents of three segments: the smallest p-value is that of four."""
    values = np.array([np.arange(2.0, 14), np.arange(1.0, 13)])
    scores = scores_of(values, groups=[str(i // 3) for i in range(12)])

    assert bt.compare(scores, by="bradley_terry").pairs()[0].pvalue == 2**-3


def test_two_systems_have_the_shares_of_wins_as_strengths():
    """The closed form against the iteration that solves more systems."""
    scores = scores_of(np.array([[1.0, 2, 3, 4, 5], [2.0, 1, 2, 3, 4]]))

    assert bt.rank(scores, by="bradley_terry").strength == pytest.approx([0.8, 0.2], abs=1e-12)


@pytest.mark.parametrize("by", ["median", upper_quantile])
@pytest.mark.parametrize("verb", [bt.rank, bt.compare])
def test_one_sample_is_not_blamed_on_the_segments(verb, by):
    """Sixty segments are enough; what is missing are samples."""
    with pytest.raises(NotEstimable, match=r"One sample has no spread to test by\. Use n_resamples=2000\."):
        verb(drawn_scores(3, 60), by=by, n_resamples=1)
    assert np.isfinite(verb(drawn_scores(3, 60), by=by, n_resamples=2).low).any()
