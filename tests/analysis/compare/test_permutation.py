"""How permutation p-values are found: by inversion, exactly, certified, sampled."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import by_pair, drawn_scores, scores_of

import betterthan as bt
from betterthan.kernels.significance.pvalues import adjusted


def how(scores, **options):
    """How the p-values were found, as the signature says."""
    return bt.compare(scores, **options).settings.options["p"]


def test_auto_is_exact_where_that_is_possible():
    """Few segments by enumeration, right or wrong by the binomial, the rest by inversion with a stated error."""
    answers = scores_of(np.random.default_rng(0).integers(0, 2, (2, 500)))

    assert how(drawn_scores(2, 12)) == "exact"
    assert how(answers) == "exact"
    assert how(drawn_scores(2, 500, gap=0.02)) == "inversion"
    assert how(drawn_scores(2, 500, gap=5.0)) == "bound"


def test_every_pair_says_how_its_p_value_was_found_and_how_far_off_it_may_be():
    """A bracket is certified; an inversion has an estimated error far below what is shown."""
    scores = drawn_scores(2, 500, gap=0.1)
    inverted = bt.compare(scores).pair("A", "B")
    certified = bt.compare(scores, method="bracket").pair("A", "B")

    assert (inverted.p_method, certified.p_method) == ("inversion", "certified")
    assert inverted.p_low <= inverted.pvalue <= inverted.p_high
    assert inverted.p_high - inverted.p_low < 1e-8
    assert certified.p_low <= inverted.pvalue <= certified.p_high == certified.pvalue


def test_a_pair_has_one_p_value_whatever_is_compared_beside_it():
    """In a table of twelve, alone, by rank's decisions and in an explanation: the same digits."""
    rng = np.random.default_rng(4)
    for n in (15, 40, 300):
        scores = scores_of(rng.standard_t(3, size=(12, n)) + rng.normal(size=n))
        for a, b in (("A", "B"), ("C", "K")):
            p = bt.compare(scores).pair(a, b)
            alone = bt.compare(scores, systems=(a, b)).pair(a, b)
            explained = bt.explain(scores, a, b)
            assert p.pvalue == alone.pvalue == explained.mechanism("mean").pvalue
            for other in (alone, explained):
                assert (other.low, other.high) == pytest.approx((p.low, p.high), rel=1e-10)


def test_verdicts_near_the_corrected_level_are_certain():
    """Where the error of the inversion could turn a verdict, the p-value is exact or certified."""
    rng = np.random.default_rng(5)
    for seed in range(4):
        scores = scores_of(np.random.default_rng(seed).normal(size=(30, 22)) + rng.normal(size=(30, 1)) / 2)
        found = bt.compare(scores)
        above = np.triu_indices(30, 1)
        low, high = (np.asarray(bounds)[above] for bounds in (found.p_low, found.p_high))
        ends = [adjusted(bounds, correction="holm") <= 0.05 for bounds in (low, high)]
        np.testing.assert_array_equal(*ends)


def test_many_systems_get_the_p_values_of_few():
    """Fifty systems are 1,225 pairs; nothing switches to a cruder method."""
    scores = scores_of(np.random.default_rng(6).standard_t(3, size=(50, 30)))
    many = bt.compare(scores).pair(scores.systems[0], scores.systems[49])
    exact = bt.compare(scores, systems=(scores.systems[0], scores.systems[49]), method="exact")

    assert many.pvalue == pytest.approx(exact.pair(scores.systems[0], scores.systems[49]).pvalue, rel=2e-2)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
def test_an_offset_that_all_scores_share_changes_nothing(offset):
    """Only differences matter; a large level must not be taken for the step of the scores."""
    values = np.random.default_rng(7).integers(0, 6, size=(2, 60)) * 2.0**-10
    one, other = (bt.compare(scores_of(table)).pair("A", "B").pvalue for table in (values, values + offset))

    assert other == pytest.approx(one, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-162, 1e154, 1e300])
def test_extreme_scales_change_no_p_value(scale):
    """Squares of such scores vanish or overflow; the differences are rescaled first."""
    values = np.random.default_rng(8).normal(size=(2, 40))
    one, other = (bt.compare(scores_of(table)).pair("A", "B").pvalue for table in (values, values * scale))

    assert other == pytest.approx(one, rel=1e-9)


def test_sampled_p_values_say_that_they_hang_together():
    """All pairs share the same signs."""
    found = bt.compare(drawn_scores(3, 30), method="monte_carlo", n_resamples=99)

    assert any("share the same permutations" in note for note in found.notes)
    assert min(by_pair(found, "pvalue").values()) >= 1 / 100


def test_a_whole_number_of_segments_by_convolution_is_the_exact_test():
    """Against all 2^12 flips."""
    d = np.random.default_rng(1).integers(-5, 9, 12)
    flips = np.array(np.meshgrid(*[[-1, 1]] * 12)).reshape(12, -1)
    expected = np.mean(np.abs(d @ flips) >= abs(d.sum()))
    found = bt.compare(scores_of([d, np.zeros(12)])).pair("A", "B").pvalue

    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1e-80, 1e80, 1e150])
def test_analytic_p_values_know_no_unit(scale):
    """Fourth powers would overflow or vanish."""
    scores = drawn_scores(3, 40)
    one, other = (
        by_pair(bt.compare(table, method="analytic"), "pvalue")
        for table in (scores, scores_of(scores.values * scale))
    )

    assert other == pytest.approx(one, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "monte_carlo", "analytic"])
def test_p_values_of_equal_systems_are_uniform(method):
    """600 tables under the null: shares below 0.01, 0.05 and 0.2 are what they say."""
    p = np.array(
        [
            bt.compare(drawn_scores(2, 30, seed=s, gap=0.0), method=method, n_resamples=999)
            .pair("A", "B")
            .pvalue
            for s in range(600)
        ]
    )
    for level in (0.01, 0.05, 0.2):
        assert np.mean(p <= level) == pytest.approx(level, abs=3.5 * np.sqrt(level * (1 - level) / 600))


@pytest.mark.slow
def test_the_maximum_statistic_is_at_least_as_powerful_as_bonferroni():
    """On average over tables with one better system, it finds no fewer differences."""
    found = {"bonferroni": 0, "max_statistic": 0}
    for seed in range(60):
        scores = drawn_scores(4, 18, seed=seed, gap=0.4)
        found["bonferroni"] += bt.compare(scores, correction="bonferroni").n_different
        found["max_statistic"] += bt.compare(scores, correction="max_statistic", n_resamples=999).n_different

    assert found["max_statistic"] >= found["bonferroni"]


def test_fine_scores_of_many_systems_are_inverted_and_the_error_holds():
    """Exact p-values of all pairs would take minutes; where they were asked for, they lie within the error."""
    rng = np.random.default_rng(8)
    values = (50 + 20 * rng.normal(size=(12, 400)) + rng.normal(size=(12, 1))).round(2)
    scores = scores_of(values)
    quick = bt.compare(scores)
    assert "inversion" in quick.settings.options["p"]
    exact = bt.compare(scores.select(systems=["A", "B"]), method="exact").pair("A", "B")
    pair = quick.pair("A", "B")
    assert pair.p_low * (1 - 1e-9) <= exact.pvalue <= pair.p_high * (1 + 1e-9)
    assert pair.p_high - pair.p_low < 1e-6
