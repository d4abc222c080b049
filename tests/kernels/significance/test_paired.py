"""The paired t-test of all pairs: laws and edges (the numbers are checked against scipy among the oracles)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.kernels.significance.paired import differences, paired_t

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(0, 8)),
    elements=st.integers(-40, 40).map(lambda k: k / 8) | st.just(np.nan),
)


@given(tables)
def test_signs_swap_with_the_systems(scores):
    """Antisymmetric bit by bit, whatever is missing."""
    result = paired_t(scores)

    np.testing.assert_array_equal(result.mean, -result.mean.T)
    np.testing.assert_array_equal(result.standard_error, result.standard_error.T)
    np.testing.assert_array_equal(result.pvalue, result.pvalue.T)
    off = ~np.eye(len(scores), dtype=bool)
    np.testing.assert_array_equal(result.statistic[off], -result.statistic.T[off])


@given(tables)
def test_greater_is_less_the_other_way_round(scores):
    """And the two tails of a pair that varies sum to one."""
    greater, less = (paired_t(scores, alternative=name) for name in ("greater", "less"))

    np.testing.assert_array_equal(greater.pvalue, less.pvalue.T)
    sums = (greater.pvalue + less.pvalue)[np.isfinite(greater.statistic)]
    np.testing.assert_allclose(sums[~np.isnan(sums)], 1)


@given(tables, st.integers(-3, 3))
def test_difficulty_and_level_do_not_matter(scores, shift):
    """Adding a number to each segment changes no difference."""
    moved = scores + shift * np.arange(scores.shape[1])

    np.testing.assert_allclose(paired_t(moved).pvalue, paired_t(scores).pvalue, rtol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 0.1, 1e-3])
def test_equal_differences_are_no_proof(scale):
    """Without noise t is infinite and p is the sign test's, not 0; decimals that round count as equal."""
    base = scale * np.array([1.0, 2, 3, 4, 5, 6])
    result = paired_t(np.array([base + scale, base]))

    assert result.statistic[0, 1] == np.inf
    assert result.statistic[1, 0] == -np.inf
    assert result.pvalue[0, 1] == 2.0**-5
    assert paired_t(np.array([base + scale, base]), alternative="greater").pvalue[0, 1] == 2.0**-6
    assert paired_t(np.array([base + scale, base]), alternative="less").pvalue[0, 1] == 1


def test_identical_systems_have_p_one():
    """And an undefined statistic."""
    result = paired_t(np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [3.0, 1.0, 2.0]]))

    assert result.pvalue[0, 1] == 1
    assert np.isnan(result.statistic[0, 1])
    assert result.mean[0, 1] == 0


def test_too_few_segments_give_no_answer():
    """One shared segment has no variance, none has no mean."""
    result = paired_t(np.array([[1.0, 2.0, np.nan], [3.0, np.nan, 1.0], [np.nan, 1.0, np.nan]]))

    assert result.n.tolist() == [[2, 1, 1], [1, 2, 0], [1, 0, 1]]
    assert np.isnan(result.pvalue).all()
    assert result.mean[0, 1] == -2
    assert np.isnan(result.mean[1, 2])


def test_a_certain_difference_still_has_a_positive_p():
    """It underflows, and is not 0."""
    noise = np.tile([1.0, -1.0], 2000)
    assert 0 < paired_t(np.array([100 + noise, 0 * noise])).pvalue[0, 1] < 1e-300


def test_figure_one_means_are_equal():
    """The three systems of the paired-evaluation paper: means 9.2, so t is 0."""
    scores = np.array([[1.0, 5, 11, 12, 17], [2.0, 6, 7, 13, 18], [5.0, 11, 12, 17, 1]])
    np.testing.assert_allclose(scores.mean(axis=1), 9.2)
    np.testing.assert_allclose(differences(scores).mean, 0, atol=1e-14)
