"""Agreement of rankings and of tests."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.kernels.agreement.rankings import order_agreement, same_top, significance_overlap, top_set

rankings = st.integers(0, 7).flatmap(
    lambda m: hnp.arrays(np.float64, (2, m), elements=st.integers(0, 4).map(float))
)


@given(rankings)
def test_every_pair_is_counted_once(strengths):
    """Against the double loop."""
    found = order_agreement(*strengths)
    expected = dict.fromkeys(("alike", "flipped", "tied_in_first", "tied_in_second", "tied_in_both"), 0)
    for a, b in itertools.combinations(range(strengths.shape[1]), 2):
        x, y = np.sign(strengths[:, a] - strengths[:, b])
        kind = (
            "tied_in_both"
            if x == y == 0
            else "tied_in_first"
            if x == 0
            else "tied_in_second"
            if y == 0
            else None
        )
        expected[kind or ("alike" if x == y else "flipped")] += 1

    assert {name: getattr(found, name) for name in expected} == expected
    assert found.n_pairs == sum(expected.values())


@given(st.permutations(range(6)))
def test_without_ties_the_flipped_share_is_kendalls(order):
    """The rescaled tau of the paper."""
    found = order_agreement(np.arange(6.0), np.array(order, dtype=float))

    assert found.share_flipped == pytest.approx((1 - found.kendall_b) / 2)
    assert found.share_alike == pytest.approx(1 - found.share_flipped)


def test_a_tie_is_not_half_a_flip():
    """With ties the two part: tau-b is about 0.82 and nothing is flipped."""
    found = order_agreement(np.array([3.0, 2.0, 1.0]), np.array([2.0, 2.0, 1.0]))

    assert found.flipped == 0
    assert found.share_flipped == 0
    assert (1 - found.kendall_b) / 2 > 0.09


@given(rankings, st.integers(1, 4))
def test_the_best_are_those_with_few_better_ones(strengths, k):
    """Column order never decides."""
    for strength in strengths:
        better = (strength[None, :] > strength[:, None]).sum(axis=1)
        np.testing.assert_array_equal(top_set(strength, k), better < k)


def test_same_best_compares_sets():
    """Two leaders are not one leader; means equal up to rounding are."""
    assert same_top(np.array([1.0, 3.0, 2.0]), np.array([0.0, 9.0, 1.0]), 1)
    assert not same_top(np.array([1.0, 3.0, 3.0]), np.array([0.0, 9.0, 1.0]), 1)
    assert same_top(np.array([0.1 + 0.2, 0.3, 0.0]), np.array([5.0, 5.0, 1.0]), 1)


def test_systems_without_a_strength_are_left_out():
    """And never among the best."""
    found = order_agreement(np.array([1.0, np.nan, 2.0]), np.array([1.0, 5.0, 2.0]))

    assert (found.n_pairs, found.alike) == (1, 1)
    assert top_set(np.array([np.nan, 1.0]), 2).tolist() == [False, True]
    assert np.isnan(order_agreement(np.array([1.0]), np.array([1.0])).share_alike)
    assert np.isnan(order_agreement(np.array([1.0]), np.array([1.0])).share_flipped)


@given(hnp.arrays(np.bool_, st.tuples(st.integers(1, 4), st.integers(1, 9))))
def test_overlap_is_a_conditional_share(significant):
    """Counted pair by pair; a test that finds nothing has no row."""
    overlap = significance_overlap(significant)
    for i, j in np.ndindex(overlap.shape):
        if i == j:
            assert overlap[i, i] == pytest.approx(significant[i].mean())
        elif significant[i].any():
            assert overlap[i, j] == pytest.approx(significant[j][significant[i]].mean())
        else:
            assert np.isnan(overlap[i, j])
