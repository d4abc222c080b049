"""Soft pairwise accuracy against literal loops, SciPy and hand calculation, with its laws."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.everyday import examples

from betterthan.errors import BetterThanError, UnknownName
from betterthan.kernels.agreement.soft_pairwise import (
    one_sided_pvalues,
    pairwise_accuracy,
    soft_pairwise_accuracy,
    standard_error_of_monte_carlo,
)
from betterthan.kernels.sign_flips.permutation import random_signs


def literal_soft(metric_p, human_p):
    """Eq. 1 as a double loop."""
    terms = [
        1 - abs(human_p[i, j] - metric_p[i, j])
        for i, j in combinations(range(len(human_p)), 2)
        if not np.isnan(human_p[i, j] + metric_p[i, j])
    ]
    return np.mean(terms) if terms else np.nan


def literal_accuracy(metric, human):
    """Eq. 2 as a double loop."""
    terms = [
        np.sign(metric[i] - metric[j]) == np.sign(human[i] - human[j])
        for i, j in combinations(range(len(human)), 2)
        if not np.isnan(metric[i] + metric[j] + human[i] + human[j])
    ]
    return np.mean(terms) if terms else np.nan


@st.composite
def p_tables(draw):
    """A batch of metric p-values and human ones, with ½ and NaN among them."""
    m, batch = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    metric, human = rng.random((batch, m, m)), rng.random((m, m))
    for table in (metric, human):
        table[rng.random(table.shape) < 0.2] = 0.5
        table[rng.random(table.shape) < 0.1] = np.nan
    return metric, human


@given(p_tables())
@settings(max_examples=examples(100))
def test_soft_pairwise_accuracy_is_that_of_the_literal_loop(tables):
    """Batched, with NaN pairs left out; NaN when nothing is left."""
    metric, human = tables
    wanted = [literal_soft(one, human) for one in metric]
    np.testing.assert_allclose(soft_pairwise_accuracy(metric, human), wanted, rtol=1e-13)


@given(st.integers(0, 2**32), st.integers(1, 7))
@settings(max_examples=examples(100))
def test_pairwise_accuracy_is_that_of_the_literal_loop(seed, m):
    """With ties and missing means."""
    rng = np.random.default_rng(seed)
    metric, human = rng.integers(0, 4, (3, m)).astype(float), rng.integers(0, 4, m).astype(float)
    metric[rng.random((3, m)) < 0.1] = np.nan
    np.testing.assert_allclose(
        pairwise_accuracy(metric, human), [literal_accuracy(one, human) for one in metric], rtol=1e-13
    )


def test_pairwise_accuracy_without_ties_is_kendalls_tau():
    """(τ + 1) / 2, by SciPy."""
    rng = np.random.default_rng(1)
    metric, human = rng.normal(size=(2, 12))
    tau = stats.kendalltau(metric, human).statistic
    assert pairwise_accuracy(metric, human) == pytest.approx((tau + 1) / 2, abs=1e-14)


def test_a_rounding_error_is_no_difference():
    """0.1 + 0.2 and 0.3 tie, in the metric as with people."""
    assert pairwise_accuracy(np.array([0.1 + 0.2, 0.3]), np.array([1.0, 1.0])) == 1
    assert pairwise_accuracy(np.array([0.1 + 0.2, 0.3]), np.array([1.0, 2.0])) == 0
    assert pairwise_accuracy(np.array([0.3 + 1e-9, 0.3]), np.array([2.0, 1.0])) == 1


def test_golden_number_by_hand():
    """Three systems: (1 - 0.39) + (1 - 0.10) + (1 - 0.98) = 1.53, a third of it 0.51."""
    human = np.array([[np.nan, 0.01, 0.50], [np.nan, np.nan, 0.99], [np.nan] * 3])
    metric = np.array([[np.nan, 0.40, 0.60], [np.nan, np.nan, 0.01], [np.nan] * 3])
    assert soft_pairwise_accuracy(metric, human) == pytest.approx(0.51, abs=1e-15)


def literal_pvalues(goodness, n_resamples, seed, weight_of_ties):
    """Loop over permutations and pairs, in float64."""
    signs = random_signs(n_resamples, goodness.shape[1], np.random.default_rng(seed)).astype(float)
    m = len(goodness)
    p = np.full((m, m), np.nan)
    for i, j in product(range(m), repeat=2):
        d = goodness[i] - goodness[j]
        if np.isnan(d).all():
            continue
        far = [np.nansum(row * d) - np.nansum(d) for row in signs]
        slack = 1e-11 * np.nansum(np.abs(d))
        p[i, j] = np.mean([1.0 if x > slack else weight_of_ties if x >= -slack else 0.0 for x in far])
    return p


@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_monte_carlo_pvalues_are_those_of_the_literal_loop(seed, mid_p, discrete):
    """Section 3.2: the share of permutations with a difference at least the observed one; missing cells and all."""
    rng = np.random.default_rng(seed)
    goodness = rng.integers(0, 3, (4, 9)).astype(float) if discrete else rng.normal(size=(4, 9))
    goodness[rng.random(goodness.shape) < 0.2] = np.nan
    found = one_sided_pvalues(
        goodness, "monte_carlo", n_resamples=50, rng=np.random.default_rng(6), mid_p=mid_p
    )
    np.testing.assert_allclose(found, literal_pvalues(goodness, 50, 6, 0.5 if mid_p else 1.0), atol=1e-14)


def test_monte_carlo_pvalue_agrees_with_scipy():
    """scipy.stats.permutation_test, one-sided, exact by enumeration; five standard errors."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.4, 1, 12), rng.normal(size=12)
    exact = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples", alternative="greater",
        n_resamples=np.inf,
    ).pvalue  # fmt: skip
    found = one_sided_pvalues(np.stack([a, b]), "monte_carlo", n_resamples=40_000, rng=rng)[0, 1]
    assert abs(found - exact) < 5 * np.sqrt(exact * (1 - exact) / 40_000)
    assert abs(one_sided_pvalues(np.stack([a, b]), "analytic")[0, 1] - exact) < 0.01


@pytest.mark.parametrize("mid_p", [False, True])
def test_ties_and_identical_systems(mid_p):
    """E20: literal p-values of tied systems add up to more than 1, and identical systems have 1; mid-p mends both."""
    rng = np.random.default_rng(0)
    binary = rng.integers(0, 2, (3, 40)).astype(float)
    binary[2] = binary[0]
    p = one_sided_pvalues(binary, "monte_carlo", rng=np.random.default_rng(1), mid_p=mid_p)
    assert p[0, 2] == p[2, 0] == (0.5 if mid_p else 1.0)
    assert (p[0, 1] + p[1, 0] == 1.0) if mid_p else (p[0, 1] + p[1, 0] > 1.02)


@pytest.mark.parametrize(("mid_p", "depends"), [(False, True), (True, False)])
def test_the_order_of_systems_matters_to_literal_pvalues_only(mid_p, depends):
    """E20: turning the list of systems round changes soft pairwise accuracy when ties count whole."""
    rng = np.random.default_rng(3)
    human, metric = (rng.normal(size=(2, 6, 30)) + 0.3 * np.arange(6)[:, None] > 0.5).astype(float)

    def value(order):
        p = [
            one_sided_pvalues(x[order], "monte_carlo", rng=np.random.default_rng(1), mid_p=mid_p)
            for x in (metric, human)
        ]
        return float(soft_pairwise_accuracy(*p))

    forwards, backwards = value(np.arange(6)), value(np.arange(6)[::-1])
    assert (abs(forwards - backwards) > 1e-3) == depends
    if not depends:
        assert forwards == pytest.approx(backwards, abs=1e-12)


def test_analytic_pvalues_are_symmetric_and_half_for_identical_systems():
    """p_ij + p_ji = 1; reordering systems reorders p-values; reordering segments changes nothing."""
    rng = np.random.default_rng(4)
    goodness = rng.normal(size=(5, 60))
    goodness[4] = goodness[1]
    p = one_sided_pvalues(goodness, "analytic")
    np.testing.assert_allclose(p + p.T, 1.0, atol=1e-12)
    assert p[1, 4] == 0.5
    order = rng.permutation(5)
    np.testing.assert_allclose(
        one_sided_pvalues(goodness[order], "analytic"), p[np.ix_(order, order)], atol=1e-10
    )
    shuffled = goodness[:, rng.permutation(60)]
    np.testing.assert_allclose(one_sided_pvalues(shuffled, "analytic"), p, atol=1e-10)


@pytest.mark.parametrize("method", ["monte_carlo", "analytic"])
def test_pairs_without_a_common_segment_are_undefined_and_left_out(method):
    """NaN, not ½ and not 1; the others are compared on what both have."""
    goodness = np.array([[1.0, 2.0, np.nan, np.nan], [np.nan, np.nan, 1.0, 2.0], [0.5, 1.0, 0.0, 3.0]])
    p = one_sided_pvalues(goodness, method, rng=np.random.default_rng(0))
    assert np.isnan(p[0, 1])
    assert np.isfinite(p[0, 2])
    both = one_sided_pvalues(goodness[[0, 2], :2], "analytic")[0, 1]
    if method == "analytic":
        assert p[0, 2] == pytest.approx(both, abs=1e-12)
    assert np.isfinite(soft_pairwise_accuracy(p, p[::-1, ::-1]))


def test_human_and_metric_share_their_permutations():
    """The same state of rng gives a metric equal to people the same p-values, so the value 1."""
    human = np.random.default_rng(1).normal(size=(5, 50))
    p = [one_sided_pvalues(x, "monte_carlo", rng=np.random.default_rng(4)) for x in (human, 100 + 7 * human)]
    assert soft_pairwise_accuracy(*p) == 1


def test_the_standard_error_bounds_what_is_seen():
    """Root mean square error over 60 seeds against the value of 100 000 permutations; a bound, and not a wild one."""
    rng = np.random.default_rng(7)
    quality = 0.1 * rng.normal(size=(8, 1))
    human, metric = quality + rng.normal(size=(2, 8, 200))

    def pvalues(n_resamples, seed):
        return [
            one_sided_pvalues(x, "monte_carlo", n_resamples=n_resamples, rng=np.random.default_rng(seed))
            for x in (metric, human)
        ]

    truth = pvalues(100_000, 0)
    errors = [
        soft_pairwise_accuracy(*pvalues(500, seed)) - soft_pairwise_accuracy(*truth) for seed in range(60)
    ]
    seen = np.sqrt(np.mean(np.square(errors)))
    bound = standard_error_of_monte_carlo(*truth, 500)
    assert bound / 20 < seen < bound
    assert standard_error_of_monte_carlo(*truth, 2000) == pytest.approx(bound / 2)


def test_refusals_say_what_to_do():
    """No random numbers, and a method that does not exist."""
    scores = np.zeros((2, 3))
    with pytest.raises(BetterThanError, match=r"need a random generator, and rng is None. Pass"):
        one_sided_pvalues(scores, "monte_carlo")
    with pytest.raises(UnknownName, match=r'Unknown method "analytical"\. Did you mean "analytic"'):
        one_sided_pvalues(scores, "analytical")


@pytest.mark.parametrize("m", [0, 1])
def test_without_a_pair_there_is_no_value(m):
    """NaN, not 0 and not 1."""
    table = np.zeros((m, m))
    assert np.isnan(soft_pairwise_accuracy(table, table))
    assert np.isnan(pairwise_accuracy(np.zeros(m), np.zeros(m)))
    assert np.isnan(standard_error_of_monte_carlo(table, table, 10))
