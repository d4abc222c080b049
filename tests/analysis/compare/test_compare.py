"""Comparing pairs: what is refused, what is said, and what happens at the edges."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.made import (
    by_pair,
    by_system,
    drawn_counts,
    drawn_matches,
    drawn_scores,
    same_after_json,
    scores_of,
)

import betterthan as bt

TESTS = ("t", "sign", "wilcoxon", "mood", "permutation", "bootstrap")
each_test = pytest.mark.parametrize("test", TESTS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "wilcoxn"}, 'Unknown test "wilcoxn". Did you mean "wilcoxon"'),
        ({"by": "medain"}, 'Unknown method "medain". Did you mean "median"'),
        ({"method": "exat"}, 'Unknown method "exat". Did you mean "exact"'),
        ({"test": "sign", "ties": "hlf"}, 'Unknown ties "hlf". Did you mean "half"'),
        ({"missing": "pair"}, 'Unknown missing "pair". Did you mean "pairwise"'),
        ({"correction": "hollm"}, 'Unknown correction "hollm". Did you mean "holm"'),
        ({"alternative": "great"}, 'Unknown alternative "great". Did you mean "greater"'),
        ({"units": "group"}, 'Unknown units "group". Did you mean "groups"'),
    ],
)
def test_a_slip_in_a_name_gets_a_suggestion(options, message):
    """Every option that takes a name."""
    with pytest.raises(bt.UnknownName, match=message):
        bt.compare(drawn_scores(), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 5}, "alpha must lie between 0 and 1, such as 0.05; it is 5"),
        ({"confidence": 1}, "confidence must lie between 0 and 1"),
        ({"n_resamples": 0}, "n_resamples must be 1 or more"),
        ({"units": "groups"}, "has no groups"),
        ({"test": "t", "correction": "max_statistic"}, "is for tests that resample"),
        ({"correction": "max_statistic", "alternative": "less"}, "needs two-sided tests"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    """Each with what is wrong and what to do."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.compare(drawn_scores(), **options)


def few_draws(test, n):
    """So many resamples, where the test draws."""
    return {"n_resamples": n} if test == "bootstrap" else {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "median", "test": "sign"}, 'by="median" has no effect with test="sign"'),
        ({"by": "win_rate", "test": "permutation"}, 'by="win_rate" has no effect with test="permutation"'),
        ({"by": np.median, "test": "t"}, 'by="median" has no effect with test="t"'),
        ({"method": "exact", "test": "t"}, 'method="exact" belongs to the permutation test'),
        ({"method": "exact", "by": "median"}, 'method="exact" belongs to the permutation test'),
        ({"ties": "half"}, 'ties="half" has no effect with test="permutation"'),
        ({"ties": "half", "by": "median"}, 'ties="half" has no effect with test="strengths"'),
        ({"n_resamples": 99, "test": "sign"}, 'n_resamples=99 has no effect with test="sign"'),
        ({"n_resamples": 99, "correction": "holm"}, 'n_resamples=99 has no effect with test="permutation"'),
        ({"n_resamples": 99, "by": "bradley_terry"}, 'n_resamples=99 has no effect with test="strengths"'),
    ],
)
def test_what_would_change_nothing_is_refused(options, message):
    """An option that is given and has no effect is an error, with the way out."""
    with pytest.raises(bt.BetterThanError, match=f"{message}.*(Leave|use)"):
        bt.compare(drawn_scores(), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"by": "mean", "test": "sign"},
        {"by": "median", "test": "strengths"},
        {"ties": "half", "test": "sign"},
        {"ties": "half", "by": "bradley_terry"},
        {"method": "exact", "by": "win_rate"},
        {"n_resamples": 99},
        {"n_resamples": 99, "by": "median"},
        {"n_resamples": 99, "method": "monte_carlo", "correction": "holm"},
    ],
)
def test_what_may_change_something_is_taken(options):
    """Also draws that only few units would make: whether these are few is for the data to say."""
    assert bt.compare(drawn_scores(), **options).systems


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (
            drawn_counts(),
            {"by": "median"},
            'Pooled scores are compared by permuting the counts of segments, not with by="median"',
        ),
        (drawn_counts(), {"ties": "half"}, 'not with ties="half"'),
        (
            drawn_matches(),
            {"by": "median"},
            'Battles are compared by the Bradley–Terry model, not with by="median"',
        ),
        (drawn_matches(), {"by": "elo", "ties": "drop"}, 'ties="drop" has no effect with by="elo"'),
        (drawn_matches(), {"by": "elo", "prior": 0.5}, 'prior=0.5 has no effect with by="elo"'),
        (drawn_matches(), {"method": "exact"}, 'not with method="exact"'),
        (drawn_matches(), {"n_resamples": 9}, "n_resamples=9 has no effect on matches"),
    ],
)
def test_what_would_change_nothing_in_counts_or_matches_is_refused(table, options, message):
    """They have one test each."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.compare(table, **options)


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "mood"])
def test_tests_of_single_segments_refuse_documents(test):
    """And name those that can."""
    scores = drawn_scores(2, 8, groups=list("aabbccdd"))
    with pytest.raises(
        bt.BetterThanError,
        match=f'test="{test}" tests single.*Use test="t" or test="permutation" or test="bootstrap"',
    ):
        bt.compare(scores, test=test, units="groups")


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (drawn_counts(), {"test": "t"}, 'Pooled scores are compared by permuting.*not with test="t"'),
        (drawn_counts(), {"method": "exact"}, 'not with method="exact".*method="monte_carlo"'),
        (drawn_counts(), {"units": "groups"}, "has no groups"),
        (
            drawn_matches(),
            {"test": "sign"},
            'Battles are compared by the Bradley–Terry model, not with test="sign"',
        ),
    ],
)
def test_a_test_that_does_not_fit_the_table_is_refused_and_not_replaced(table, options, message):
    """No silent change of the question."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.compare(table, **options)


def test_one_system_cannot_be_compared():
    """Its name is said."""
    with pytest.raises(bt.TableError, match="only one system, A"):
        bt.compare(scores_of([[1, 2, 3]]))


@each_test
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_segments_support_no_claim(test, n):
    """P is never below what so few signs can say; where a test is undefined, p is missing and nobody is better."""
    scores = scores_of([np.arange(1.0, n + 1), np.arange(2.0, n + 2) * 1.5])
    found = bt.compare(scores, test=test, **few_draws(test, 199))
    pair = found.pair("B", "A")

    assert pair.verdict is None or test == "t"
    assert np.isnan(pair.pvalue) or pair.pvalue > 0
    if test in ("sign", "wilcoxon", "permutation"):
        assert pair.pvalue == 2 ** (1 - n)
    assert same_after_json(found)


@each_test
def test_identical_systems_are_not_told_apart(test):
    """All ties: p is 1, or missing where the test has nothing to go by; effects are neutral."""
    found = bt.compare(scores_of(np.ones((3, 8))), test=test, **few_draws(test, 99))

    assert np.isin(list(by_pair(found, "pvalue").values()), [1.0]).all() or test == "mood"
    assert found.n_different == 0
    assert same_after_json(found)


@each_test
@pytest.mark.parametrize("units", ["segments", "groups"])
def test_a_constant_lead_is_certain_only_as_far_as_the_number_of_units_goes(test, units):
    """B is 0.1 better everywhere: no spread to measure by, yet p is not 0."""
    a = np.linspace(0, 1, 8) / 3
    scores = scores_of({"A": a, "B": a + 0.1}, groups=list("aabbccdd"))
    if units == "groups" and test in ("sign", "wilcoxon", "mood"):
        return
    pair = bt.compare(scores, test=test, units=units, **few_draws(test, 999)).pair("B", "A")
    least = 2.0 ** (1 - (8 if units == "segments" else 4))

    if test in ("t", "sign", "wilcoxon", "permutation"):
        assert pair.pvalue == pytest.approx(least)
    elif test == "bootstrap":
        assert pair.pvalue == max(1 / 1000, least)
    assert np.isnan(pair.size) or abs(pair.size) < 1e12


@each_test
def test_a_system_without_scores_takes_part_in_no_comparison(test):
    """All empty, pair by pair: missing numbers for its pairs, the same numbers for the others."""
    values = drawn_scores(3, 15).values.copy()
    values[1] = np.nan
    if test == "bootstrap":
        with pytest.raises(bt.BetterThanError, match='missing="drop"'):
            bt.compare(scores_of(values), test=test, missing="pairwise")
        return
    found = bt.compare(scores_of(values), test=test, missing="pairwise", correction="none")
    alone = bt.compare(scores_of({"A": values[0], "C": values[2]}), test=test)

    assert found.systems[-1] == "B"
    assert found.pair("A", "C").pvalue == pytest.approx(alone.pair("A", "C").pvalue)
    for other in "AC":
        pair = found.pair("B", other)
        assert pair.verdict is None
        assert pair.wins == pair.losses == pair.ties == 0
    assert same_after_json(found)


def test_a_missing_pair_is_no_question_and_costs_nothing():
    """Holm counts only pairs that share segments."""
    values = drawn_scores(3, 20).values.copy()
    values[0, :10], values[1, 10:] = np.nan, np.nan
    found = bt.compare(scores_of(values), test="t", correction="bonferroni", missing="pairwise")

    assert np.isnan(found.pair("A", "B").pvalue)
    assert found.pair("A", "C").adjusted == pytest.approx(min(1, 2 * found.pair("A", "C").pvalue))


def test_wilcoxon_speaks_for_the_side_with_the_greater_ranks():
    """24 large gains and 26 tiny losses: the ranks favor A although the median difference is negative."""
    d = np.concatenate([np.linspace(5, 9, 24), -np.linspace(0.1, 0.5, 26)])
    pair = bt.compare(scores_of({"A": d, "B": np.zeros(50)}), test="wilcoxon").pair("A", "B")

    assert pair.effect < 0 < pair.size
    assert pair.adjusted < 0.05
    assert pair.verdict == "A"


def test_wilcoxon_gives_a_verdict_when_most_segments_tie():
    """The median of differences is 0 then, but all that differ speak for A."""
    d = np.concatenate([np.zeros(30), np.arange(1.0, 11.0)])
    pair = bt.compare(scores_of({"A": d, "B": np.zeros(40)}), test="wilcoxon").pair("A", "B")

    assert pair.effect == 0
    assert pair.verdict == "A"


def test_an_interval_that_cannot_be_had_is_missing_and_said():
    """Five differences never support an interval of the median that covers 95%; six do."""
    few, enough = (bt.compare(drawn_scores(2, n), test="wilcoxon") for n in (5, 6))

    assert np.isnan(few.pair("A", "B").low)
    assert any("too few segments for a confidence interval at 95%" in note for note in few.notes)
    assert np.isfinite(enough.pair("A", "B").low)


def test_an_exact_test_that_is_too_large_is_refused_with_alternatives():
    """400 real-valued differences cannot be enumerated; the bracket can be had."""
    scores = drawn_scores(2, 400)
    with pytest.raises(bt.BetterThanError, match=r'Use method="auto".*or method="monte_carlo"'):
        bt.compare(scores, method="exact")
    pair = bt.compare(scores).pair("A", "B")

    assert pair.p_low <= pair.pvalue <= pair.p_high
    assert pair.p_high - pair.p_low < 1e-6


def test_the_methods_of_the_permutation_test_agree():
    """Certain, sampled and analytic p-values are close to each other."""
    scores = drawn_scores(3, 80, gap=0.15)
    p = {
        m: by_pair(bt.compare(scores, method=m), "pvalue")
        for m in ("auto", "bracket", "monte_carlo", "analytic")
    }
    for method in ("bracket", "monte_carlo", "analytic"):
        assert p[method] == pytest.approx(p["auto"], abs=0.015)


def test_the_resamples_of_the_maximum_statistic_are_in_the_signature():
    """The p-values are exact, the adjustment is drawn: both are said."""
    found = bt.compare(drawn_scores(3, 10), correction="max_statistic", n_resamples=77)

    assert "|p:exact|" in found.settings.signature
    assert "|adjust:max_statistic,77|" in found.settings.signature
    assert "|seed:12345|" in found.settings.signature


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_single_pair_asked_in_one_direction_needs_no_correction(alternative):
    """The p-value is the answer; with three systems both directions count, six questions in all."""
    two, three = (
        bt.compare(drawn_scores(m, 12), test="t", alternative=alternative, correction="bonferroni")
        for m in (2, 3)
    )

    np.testing.assert_array_equal(two.adjusted, two.pvalue)
    np.testing.assert_allclose(three.adjusted, np.minimum(1, 6 * three.pvalue))


def test_documents_that_vary_widen_the_interval():
    """Segments of a document that go together are less than so many independent ones."""
    rng = np.random.default_rng(0)
    groups = [str(i // 5) for i in range(100)]
    shared = np.repeat(rng.normal(size=20), 5)
    scores = scores_of({"A": rng.normal(size=100) / 5, "B": shared + rng.normal(size=100) / 5}, groups=groups)
    alone, together = (bt.compare(scores, units=units).pair("A", "B") for units in ("segments", "groups"))

    assert together.high - together.low > 1.5 * (alone.high - alone.low)
    assert alone.effect == together.effect


def test_an_unknown_system_is_named_with_the_nearest():
    """A slip in the name of a pair."""
    with pytest.raises(bt.UnknownName, match=r'Unknown system "Asster"\. Did you mean "Aster"'):
        bt.compare(scores_of({"Aster": [1, 2], "Birch": [2, 3]})).pair("Asster", "Birch")


def test_a_cache_changes_no_byte(tmp_path):
    """Every test with one cache for all, cold and warm, gives what it gives without."""
    scores = drawn_scores(3, 24, groups=list("abcdefgh" * 3))
    cache = bt.Cache(tmp_path, patience=0)
    wishes = [
        {"test": test, "alternative": side} for test in TESTS for side in ("two-sided", "greater", "less")
    ]
    wishes += [{"units": "groups", "test": test} for test in ("t", "permutation", "bootstrap")]
    wishes += [{"method": method} for method in ("bracket", "monte_carlo", "analytic", "exact")]
    wishes += [{"correction": "max_statistic"}, {"method": "monte_carlo", "rng": 4}]
    for _ in range(2):
        for wish in wishes:
            kept = bt.compare(scores, **wish, cache=cache)
            assert kept.to_json() == bt.compare(scores, **wish).to_json()
    assert list(tmp_path.rglob("*.checkpoint"))


def test_some_systems_of_scores_are_compared_as_if_they_were_all():
    """Also the correction is over their pairs alone."""
    scores = drawn_scores(4, 30)
    names = scores.systems[:3]

    assert bt.compare(scores, systems=names) == bt.compare(scores.select(names))


def test_some_systems_of_matches_are_compared_with_the_strengths_that_all_matches_give():
    """The same effects and p-values as among all; fewer pairs to correct for."""
    matches = drawn_matches(4, 300)
    names = matches.systems[:3]
    every, some = bt.compare(matches), bt.compare(matches, systems=names)
    for a, b in combinations(names, 2):
        one, other = every.pair(a, b), some.pair(a, b)
        assert (one.effect, one.low, one.pvalue, one.wins) == (
            other.effect,
            other.low,
            other.pvalue,
            other.wins,
        )
        assert other.adjusted <= one.adjusted

    assert len(some.systems) == 3
    with pytest.raises(bt.BetterThanError, match="Unknown system"):
        bt.compare(matches, systems=["A", "nobody"])


def test_a_prior_helps_a_system_that_never_lost():
    """Without it the model refuses; with it the leader leads. Scores take none."""
    matches = bt.read_matches(
        {"left": ["A", "A", "B"], "right": ["B", "C", "C"], "winner": ["left", "left", "tie"]}
    )
    with pytest.raises(bt.NotEstimable):
        bt.compare(matches)
    assert bt.compare(matches, prior=0.5).pair("A", "B").effect > 0.5
    with pytest.raises(bt.BetterThanError, match=r"prior=0\.5 regularizes Bradley–Terry"):
        bt.compare(drawn_scores(3, 20), prior=0.5)


@pytest.mark.parametrize(("ties", "expected"), [("drop", 3 / 4), ("half", 5 / 8), ("as_published", 3 / 8)])
def test_the_chance_to_win_is_the_one_of_bradley_terry_under_the_same_ties(ties, expected):
    """Three wins, four ties and a loss; of two systems the model has this closed form."""
    scores = scores_of([[1, 1, 1, 1, 0, 2, 3, 3], [0, 0, 0, 1, 0, 2, 3, 4]])
    pair = bt.compare(scores, by="bradley_terry", ties=ties).pair("A", "B")
    ranked = bt.rank(scores, by="bradley_terry", ties=ties, n_resamples=20)

    assert pair.effect == pytest.approx(expected)
    assert by_system(ranked)["A"] == pytest.approx(expected)
    assert pair.low < expected < pair.high


def test_nothing_but_ties_leaves_no_chance_to_win_when_they_are_left_out():
    """Undefined, not a half."""
    scores = scores_of([[1.0, 2, 3], [1, 2, 3]])
    dropped, shared = (bt.compare(scores, test="sign", ties=ties).pair("A", "B") for ties in ("drop", "half"))
    assert (np.isnan(dropped.effect), dropped.pvalue, shared.effect) == (True, 1, 0.5)


@pytest.mark.parametrize("test", ["permutation", "t", "sign", "wilcoxon", "mood"])
def test_a_pair_without_a_common_segment_is_not_a_test(test):
    """It has no p-value, does not count in the correction, and is named."""
    values = np.random.default_rng(2).normal(size=(3, 12))
    values[2] += 1
    values[0, :6] = values[1, 6:] = np.nan
    found = bt.compare(scores_of(values), test=test, missing="pairwise")
    others = sorted(found.pair(*pair).pvalue for pair in (("A", "C"), ("B", "C")))

    assert np.isnan(found.pair("A", "B").pvalue)
    assert np.isnan(found.pair("A", "B").adjusted)
    assert min(found.pair(*pair).adjusted for pair in (("A", "C"), ("B", "C"))) == min(1, 2 * others[0])
    assert "Not compared, because they have no segment in common: A and B." in found.notes
