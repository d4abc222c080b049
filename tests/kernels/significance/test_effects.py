"""Effect sizes of all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from betterthan.kernels.significance import effects
from betterthan.kernels.significance.effects import (
    cliffs_delta,
    dominance,
    median_differences,
    medians_of_differences,
    rank_biserial,
    standardised,
    win_probabilities,
)
from betterthan.kernels.significance.paired import differences


def mean_differences(goodness):
    """The difference of means of every pair."""
    return differences(goodness).mean


ANTISYMMETRIC = (
    mean_differences,
    median_differences,
    medians_of_differences,
    dominance,
    cliffs_delta,
    rank_biserial,
)
COMPLEMENTARY = (win_probabilities,)
FIGURE_ONE = np.array([[1.0, 5, 11, 12, 17], [2.0, 6, 7, 13, 18], [5.0, 11, 12, 17, 1]])

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(1, 8)),
    elements=st.integers(-20, 20).map(lambda k: k / 10) | st.just(np.nan),
)


@pytest.mark.parametrize("effect", ANTISYMMETRIC)
@given(scores=tables)
def test_swapping_systems_changes_the_sign_and_nothing_else(effect, scores):
    """Bit by bit."""
    result = effect(scores)

    np.testing.assert_array_equal(result, -result.T)


@pytest.mark.parametrize("probability", COMPLEMENTARY)
@given(scores=tables)
def test_probabilities_of_a_pair_sum_to_one(probability, scores):
    """Exactly."""
    result = probability(scores)
    sums = (result + result.T)[~np.isnan(result)]

    assert (sums == 1).all()
    assert (np.diag(result) == 0.5).all()


@given(tables)
def test_each_entry_is_what_two_systems_alone_give(scores):
    """Pairwise complete: a third system's gaps do not matter. Checked against the literal definitions."""
    found = {effect: effect(scores) for effect in ANTISYMMETRIC + COMPLEMENTARY}
    for a, b in np.ndindex(len(scores), len(scores)):
        both = ~np.isnan(scores[a] + scores[b])
        x, y = scores[a, both], scores[b, both]
        if a == b:
            continue
        if x.size == 0:
            assert all(np.isnan(values[a, b]) for values in found.values())
            continue
        signs, across = np.sign(x - y), np.sign(x[:, None] - y[None, :])
        expected = {
            mean_differences: np.mean(x - y),
            median_differences: np.median(x) - np.median(y),
            medians_of_differences: np.median(x - y),
            dominance: signs.mean(),
            cliffs_delta: across.mean(),
            win_probabilities: (signs.mean() + 1) / 2,
        }
        for effect, value in expected.items():
            assert found[effect][a, b] == pytest.approx(value, abs=1e-12)


def test_standardised_sizes_by_hand():
    """Cohen's d_z is t over the root of n; the rank-biserial correlation comes from scipy's rank sums."""
    scores = np.random.default_rng(0).normal(size=(2, 30))
    t = stats.ttest_rel(scores[0], scores[1]).statistic
    plus = stats.wilcoxon(scores[0], scores[1], alternative="greater").statistic

    assert standardised(differences(scores))[0, 1] == pytest.approx(t / np.sqrt(30))
    assert rank_biserial(scores)[0, 1] == pytest.approx((2 * plus - 465) / 465)


def test_figure_one_of_the_paired_evaluation_paper():
    """Equal means, medians 11, 7 and 11, and C beats B on four of five segments."""
    np.testing.assert_allclose(mean_differences(FIGURE_ONE), 0, atol=1e-14)
    np.testing.assert_array_equal(median_differences(FIGURE_ONE)[0], [0, 4, 0])
    assert win_probabilities(FIGURE_ONE)[2, 1] == 0.8
    assert medians_of_differences(FIGURE_ONE)[2, 1] == 4
    # A and C have the same scores in another order: only pairing tells them apart.
    assert cliffs_delta(FIGURE_ONE)[0, 2] == 0
    assert dominance(FIGURE_ONE)[2, 0] == pytest.approx(0.6)


def test_sizes_without_noise():
    """A constant difference is infinitely many deviations; none at all is undefined."""
    sizes = standardised(differences(np.array([[2.0, 3, 4], [1.0, 2, 3], [1.0, 2, 3]])))

    assert sizes[0, 1] == np.inf
    assert np.isnan(sizes[1, 2])
    assert rank_biserial(np.ones((2, 3)))[0, 1] == 0


def test_blocks_do_not_change_the_answer(monkeypatch):
    """Pairs are ranked a block at a time."""
    scores = np.random.default_rng(0).normal(size=(5, 11))
    whole = rank_biserial(scores)
    monkeypatch.setattr(effects, "_BLOCK", 1)
    np.testing.assert_array_equal(rank_biserial(scores), whole)
