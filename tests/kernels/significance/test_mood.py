"""Mood's median test of all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.errors import UnknownName
from betterthan.kernels.significance.rank_tests import mood_median

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(1, 9)),
    elements=st.integers(0, 9).map(float) | st.just(np.nan),
)


@given(tables, st.sampled_from(["below", "above", "ignore"]), st.sampled_from(["chi_square", "fisher"]))
def test_pairs_are_consistent(scores, ties, method):
    """Symmetric two-sided, transposed one-sided."""
    two, greater, less = (
        mood_median(scores, ties=ties, method=method, alternative=name).pvalue
        for name in ("two-sided", "greater", "less")
    )

    np.testing.assert_array_equal(two, two.T)
    np.testing.assert_array_equal(greater, less.T)
    known = two[~np.isnan(two)]
    assert ((known > 0) & (known <= 1)).all()


@given(st.permutations(range(9)))
def test_pairing_plays_no_part(order):
    """Shuffling one system's segments changes nothing."""
    scores = np.random.default_rng(0).normal(size=(2, 9))
    shuffled = np.array([scores[0], scores[1, list(order)]])

    np.testing.assert_array_equal(mood_median(scores).pvalue, mood_median(shuffled).pvalue)


def test_one_sided_speaks_of_the_row():
    """The better system's row has the small p under "greater"."""
    scores = np.array([np.arange(20.0) + 15, np.arange(20.0)])

    for method in ("chi_square", "fisher"):
        greater = mood_median(scores, method=method, alternative="greater").pvalue
        assert greater[0, 1] < 0.01
        assert greater[1, 0] > 0.99


def test_mostly_right_answers_say_nothing():
    """When the common median is the highest score nothing lies above it."""
    assert np.isnan(mood_median(np.array([[1.0, 1, 1, 0], [1.0, 1, 1, 1]])).pvalue).all()


def test_unknown_names_are_refused():
    """With the choices."""
    with pytest.raises(UnknownName, match='Unknown ties "drop"'):
        mood_median(np.eye(2), ties="drop")
    with pytest.raises(UnknownName, match='Unknown method "exact"'):
        mood_median(np.eye(2), method="exact")
