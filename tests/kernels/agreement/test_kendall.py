"""Kendall's tau-b and its parts (scipy is asked among the oracles)."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.kernels.agreement import kendall
from betterthan.kernels.agreement.kendall import concordant_pairs, inversions, kendall_b, kendall_b_matrix

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(0, 9)),
    elements=st.integers(0, 5).map(float) | st.just(np.nan),
)


@given(st.lists(st.integers(0, 8), max_size=9))
def test_inversions_are_counted_one_by_one(values):
    """Against the double loop."""
    ranks = np.minimum(np.array(values, dtype=np.int64), max(0, len(values) - 1))
    expected = sum(a > b for a, b in itertools.combinations(ranks.tolist(), 2))

    assert inversions(ranks) == expected


@given(tables)
def test_tau_is_symmetric_and_bounded(scores):
    """And turns with the sign."""
    tau = kendall_b_matrix(scores)

    np.testing.assert_array_equal(tau, tau.T)
    assert (np.abs(tau[~np.isnan(tau)]) <= 1).all()
    if len(scores) > 1:
        np.testing.assert_allclose(kendall_b(scores[0], -scores[1]), -kendall_b(scores[0], scores[1]))


def test_many_segments_go_pair_by_pair_and_blocks_change_nothing(monkeypatch):
    """The three ways agree."""
    scores = np.random.default_rng(0).integers(0, 20, size=(3, 200)).astype(float)
    scores[0, 5] = np.nan
    whole = kendall_b_matrix(scores)
    monkeypatch.setattr(kendall, "_BLOCK", 1)
    np.testing.assert_array_equal(kendall_b_matrix(scores), whole)
    monkeypatch.setattr(kendall, "_BY_PRODUCT_UP_TO", 10)
    np.testing.assert_allclose(kendall_b_matrix(scores), whole, rtol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_concordant_pairs_are_counted_alike_by_pairs_and_by_merging(values):
    """Against the double loop."""
    x, y = np.array(values, dtype=np.float64).reshape(-1, 2).T
    expected = sum((a - c) * (b - d) > 0 for (a, b), (c, d) in itertools.combinations(values, 2))

    assert concordant_pairs(x, y) == expected
    assert kendall._ordered_pairs(kendall.tied_ranks(x).low, kendall.tied_ranks(y).low)[0] == expected
