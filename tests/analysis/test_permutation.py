"""How permutation p-values are found: exact, bracketed, sampled, analytic."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import by_pair, drawn_scores, scores_of

import betterthan as bt


def how(scores, **options):
    """How the p-values were found, as the signature says."""
    return bt.compare(scores, **options).settings.options["p"]


def test_auto_is_exact_where_that_is_possible():
    """Few segments by enumeration, many whole numbers by convolution, the rest by a certain bracket."""
    whole = scores_of(np.random.default_rng(0).integers(0, 100, (2, 500)))

    assert how(drawn_scores(2, 15)) == "exact"
    assert how(whole) == "exact"
    assert how(drawn_scores(2, 500)) == "bracket"


def test_a_bracket_says_what_it_is():
    """The note tells that p is the upper end."""
    found = bt.compare(drawn_scores(2, 500))

    assert any("certain to hold the exact permutation p-value" in note for note in found.notes)
    assert found.pair("A", "B").p_low <= found.pair("A", "B").pvalue


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
        for correction in found:
            found[correction] += bt.compare(scores, correction=correction, n_resamples=999).n_different

    assert found["max_statistic"] >= found["bonferroni"]


def test_fine_scores_of_many_systems_are_bracketed_and_the_bracket_holds():
    """Exact p-values of all pairs would take minutes; where they were asked for, they lie in the bracket."""
    rng = np.random.default_rng(8)
    values = (50 + 20 * rng.normal(size=(12, 400)) + rng.normal(size=(12, 1))).round(2)
    scores = scores_of(values)
    quick = bt.compare(scores)
    assert quick.settings.options["p"] == "bracket"
    exact = bt.compare(scores.select(systems=["A", "B"]), method="exact").pair("A", "B")
    pair = quick.pair("A", "B")
    assert pair.p_low <= exact.pvalue <= pair.p_high
    assert pair.p_high - pair.p_low < 1e-3
