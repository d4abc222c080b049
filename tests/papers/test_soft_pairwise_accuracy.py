"""The soft-pairwise-accuracy paper (Thompson, Mathur, Deutsch, Khayrallah, WMT 2024): its equations and claims.

Its tables need the shared tasks' data; what is here holds for any data, or is shown on data made by the test.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.kernels.metric_swaps.tallying import swap_means, swap_soft

from betterthan.kernels.agreement.soft_pairwise import (
    one_sided_pvalues,
    pairwise_accuracy,
    soft_pairwise_accuracy,
    standard_error_of_monte_carlo,
)
from betterthan.kernels.metric_swaps.means import standardised
from betterthan.kernels.sign_flips.permutation import add_one, permutation_block, share

SYSTEMS, SEGMENTS = 14, 1300  # WMT 2022 English–German has 14 systems and about 1300 segments


def campaign(n_metrics, *, n_systems=SYSTEMS, n_segments=SEGMENTS, seed=0):
    """Human scores (m, n) and metrics (k, m, n): quality, segments' difficulty and noise; later metrics see less."""
    rng = np.random.default_rng(seed)
    quality = 2.0 / np.sqrt(n_segments) * rng.normal(size=(n_systems, 1))
    difficulty = rng.normal(size=n_segments)
    human = quality + difficulty + rng.normal(size=(n_systems, n_segments))
    own_view = 2.0 / np.sqrt(n_segments) * rng.normal(size=(n_metrics, n_systems, 1))
    error = np.linspace(0.2, 1.0, n_metrics)[:, None, None]
    metrics = quality + error * own_view + difficulty + rng.normal(size=(n_metrics, n_systems, n_segments))
    return human, metrics


def pvalues(goodness, n_resamples=1000, seed=4):
    """As published: 1000 permutations shared by all."""
    return one_sided_pvalues(
        goodness, "monte_carlo", n_resamples=n_resamples, rng=np.random.default_rng(seed)
    )


def test_a_pvalue_says_who_is_better():
    """Section 2: near 0 when i is surely better, near 1 when j is, about ½ when they cannot be told apart."""
    rng = np.random.default_rng(1)
    better, worse, like_worse = np.array([[0.5], [0.0], [0.0]]) + rng.normal(size=(3, 500))
    p = pvalues(np.stack([better, worse, like_worse]))
    assert p[0, 1] < 0.01
    assert p[1, 0] > 0.99
    assert 0.1 < p[1, 2] < 0.9


@pytest.mark.parametrize("seed", range(5))
def test_rounded_pvalues_give_pairwise_accuracy(seed):
    """Eq. 3 equals Eq. 2 when nothing is tied (A45): p < ½ exactly when the difference of means is positive."""
    human, metrics = campaign(8, n_segments=100, seed=seed)
    human_p = one_sided_pvalues(human, "analytic")
    metric_p = np.stack([one_sided_pvalues(metric, "analytic") for metric in metrics])
    by_means = pairwise_accuracy(metrics.mean(axis=2), human.mean(axis=1))
    rounded = [soft_pairwise_accuracy(np.round(one), np.round(human_p)) for one in metric_p]
    np.testing.assert_allclose(rounded, by_means, atol=1e-14)
    assert 0 < by_means.min() < by_means.max() < 1


def test_the_two_cases_in_which_soft_differs_from_plain():
    """Section 2.1: sure people and an unsure metric, and unsure people and a sure metric, both of the same opinion."""
    rng = np.random.default_rng(2)
    noise = rng.normal(size=(2, 400))
    noise -= noise.mean(axis=1, keepdims=True)
    sure, unsure = (noise + np.array([[lead], [0.0]]) for lead in (0.4, 0.02))
    p_sure, p_unsure = one_sided_pvalues(sure, "analytic"), one_sided_pvalues(unsure, "analytic")
    for metric_p, human_p, is_alike in (
        (p_unsure, p_sure, False),
        (p_sure, p_unsure, False),
        (p_sure, p_sure, True),
    ):
        assert soft_pairwise_accuracy(np.round(metric_p), np.round(human_p)) == 1
        assert (soft_pairwise_accuracy(metric_p, human_p) > 0.7) == is_alike


def test_pairwise_accuracy_has_few_values_and_soft_has_one_a_metric():
    """Sections 2.2 and 4.3: at most 92 values for 14 systems; hundreds of metrics tie, and soft accuracy tells all."""
    human, metrics = campaign(300, n_segments=200)
    plain = pairwise_accuracy(metrics.mean(axis=2), human.mean(axis=1))
    human_p = one_sided_pvalues(human, "analytic")
    soft = [float(soft_pairwise_accuracy(one_sided_pvalues(x, "analytic"), human_p)) for x in metrics]
    steps = plain * 91
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-9)
    assert len(set(np.rint(steps))) <= 92
    assert len(set(soft)) == 300


def test_one_pvalue_is_that_of_scipy_as_in_footnote_4():
    """permutation_type "samples", 1000 resamples, one-sided; two independent draws, five standard errors."""
    human, _ = campaign(1, n_systems=2, n_segments=200, seed=2)
    found = stats.permutation_test(
        tuple(human),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        permutation_type="samples",
        n_resamples=1000,
        alternative="greater",
        vectorized=True,
        random_state=np.random.default_rng(0),
    ).pvalue
    ours = pvalues(human)[0, 1]
    assert 0.02 < ours < 0.98
    assert abs(found - ours) < 5 * np.sqrt(2 * ours * (1 - ours) / 1000)


def test_sharing_permutations_makes_errors_of_pairs_dependent():
    """Section 3.3 (A50): the Monte Carlo errors of pairs with a common system are correlated."""
    human, _ = campaign(1, n_systems=3, n_segments=100, seed=5)
    found = np.array([pvalues(human, 200, seed)[[0, 0], [1, 2]] for seed in range(400)])
    assert stats.pearsonr(*found.T).statistic > 0.3


def test_literal_pvalues_can_be_zero():
    """E21: b / B inside soft pairwise accuracy, as published; (b + 1) / (B + 1) for claims about systems."""
    clear = np.array([[1.0], [0.0]]) + 0.01 * np.random.default_rng(0).normal(size=(2, 100))
    tallies = permutation_block(clear, 1000, np.random.default_rng(4), alternative="greater")
    reached = tallies.greater + tallies.equal
    assert pvalues(clear)[0, 1] == share(reached, 1000)[0, 1] == 0
    assert add_one(reached, 1000)[0, 1] == pytest.approx(1 / 1001)


@pytest.mark.parametrize("bad", [1e1, 1e3, 1e6])
def test_an_outlier_has_bounded_influence(bad):
    """Section 5.1 (A65): p-values saturate, so one system moves the value by at most 2 / m; Pearson goes to 1."""
    human, (metric,) = campaign(1, seed=7)
    rng = np.random.default_rng(1)
    unrelated = metric - metric.mean(axis=1, keepdims=True) + 0.05 * rng.normal(size=(SYSTEMS, 1))

    def values(worse):
        tables = [table.copy() for table in (unrelated, human)]
        for table in tables:
            table[-1] -= worse
        p = [one_sided_pvalues(table, "analytic") for table in tables]
        return (
            float(soft_pairwise_accuracy(*p)),
            stats.pearsonr(*(table.mean(axis=1) for table in tables)).statistic,
            p[1][-1, :-1],
        )

    soft, pearson, _ = values(0.0)
    soft_far, pearson_far, p_far = values(bad)
    np.testing.assert_allclose(p_far, 1.0, atol=1e-12)
    assert abs(soft_far - soft) <= 2 / SYSTEMS
    assert pearson < 0.6
    assert pearson_far > 0.99
    assert values(10 * bad)[0] == pytest.approx(soft_far, abs=1e-9)


@pytest.mark.parametrize("n_permutations", [6000, pytest.param(60_000, marks=pytest.mark.slow)])
def test_the_closed_form_is_what_many_permutations_give(n_permutations):
    """14 systems on 1300 segments: within the bound of the Monte Carlo error, and nearer than seeds of 1000 lie."""
    human, metrics = campaign(1, seed=11)
    sampled = [pvalues(table, n_permutations) for table in (metrics[0], human)]
    smooth = [one_sided_pvalues(table, "analytic") for table in (metrics[0], human)]
    apart = float(soft_pairwise_accuracy(*smooth) - soft_pairwise_accuracy(*sampled))
    assert abs(apart) < standard_error_of_monte_carlo(*smooth, n_permutations) / 2
    published = [
        float(soft_pairwise_accuracy(pvalues(metrics[0], seed=s), pvalues(human, seed=s))) for s in range(20)
    ]
    assert abs(apart) < np.std(published) < 0.01


@pytest.mark.parametrize(
    ("n_segments", "limit"),
    [pytest.param(n, limit, id=str(n)) for n, limit in ((10, 0.03), (20, 0.015), (50, 0.006))],
)
def test_the_closed_form_with_few_segments_and_scores_of_0_or_1(n_segments, limit):
    """How far it may be trusted: against mid-p-values, whose ties it shares out as it does."""
    human, metrics = campaign(6, n_segments=n_segments, seed=n_segments)
    human, metrics = (human > 0).astype(float), (metrics > 0).astype(float)
    for metric in metrics:
        sampled, smooth = (
            soft_pairwise_accuracy(*(f(table) for table in (metric, human)))
            for f in (
                lambda table: one_sided_pvalues(
                    table, "monte_carlo", n_resamples=20_000, rng=np.random.default_rng(4), mid_p=True
                ),
                lambda table: one_sided_pvalues(table, "analytic"),
            )
        )
        assert abs(sampled - smooth) < limit


def test_soft_pairwise_accuracy_finds_more_differences_between_metrics():
    """Section 4.4: more significant pairs of metrics by PERM-INPUTS than plain accuracy finds (31 % in table 1)."""
    found = np.zeros(2, dtype=int)
    for seed in range(4):
        human, metrics = campaign(8, seed=seed)
        scores = standardised(metrics)
        p_human = one_sided_pvalues(human, "analytic")
        soft = swap_soft(scores, p_human, "perm_inputs", 300, np.random.default_rng(1))
        plain = swap_means(
            scores,
            human.mean(axis=1),
            pairwise_accuracy,
            "perm_inputs",
            300,
            np.random.default_rng(1),
        )
        found += [np.count_nonzero(add_one(tallies, 300) <= 0.05) for tallies in (soft, plain)]
    assert found[0] > 1.1 * found[1] > 0
