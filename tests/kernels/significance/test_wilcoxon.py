"""The signed-rank test of all pairs."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.errors import UnknownName
from betterthan.kernels.significance import rank_tests as module
from betterthan.kernels.significance.rank_tests import null_tail, signed_ranks, wilcoxon

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(1, 8)),
    elements=st.integers(0, 12).map(lambda k: k / 8) | st.just(np.nan),
)
zero_methods = st.sampled_from(["wilcox", "pratt"])


@given(tables, zero_methods, st.sampled_from(["auto", "asymptotic"]))
def test_pairs_are_consistent(scores, zeros, method):
    """Symmetric two-sided, transposed one-sided, in (0, 1]."""
    two, greater, less = (
        wilcoxon(scores, zeros=zeros, method=method, alternative=name).pvalue
        for name in ("two-sided", "greater", "less")
    )

    np.testing.assert_array_equal(two, two.T)
    np.testing.assert_array_equal(greater, less.T)
    known = two[~np.isnan(two)]
    assert ((known > 0) & (known <= 1)).all()


@given(st.lists(st.integers(1, 12), min_size=1, max_size=9))
def test_the_convolution_counts_all_signs(doubled):
    """Against writing them all down."""
    sums = [
        sum(r for r, sign in zip(doubled, signs, strict=True) if sign)
        for signs in itertools.product([0, 1], repeat=len(doubled))
    ]
    expected = [np.mean(np.array(sums) >= w) for w in range(sum(doubled) + 1)]

    np.testing.assert_allclose(null_tail(np.array(doubled)), expected, rtol=1e-12)


def test_differences_equal_up_to_rounding_are_tied():
    """0.3 − 0.2, 0.2 − 0.1 and 1.1 − 1.0 are all a tenth."""
    first, second = np.array([[0.3, 0.2, 1.1, 0.5]]), np.array([[0.2, 0.1, 1.0, 0.0]])

    assert np.unique(first - second).size > 2
    np.testing.assert_array_equal(signed_ranks(first, second).ranks, [[2, 2, 2, 4]])


def test_pratt_ranks_zeros_and_drops_them():
    """Two zeros push the others up by two."""
    ranks = signed_ranks(
        np.array([[1.0, 1.0, 2.0, 4.0]]), np.array([[1.0, 1.0, 1.0, 1.0]]), zeros="pratt"
    ).ranks

    np.testing.assert_array_equal(ranks, [[0, 0, 3, 4]])


def test_automatic_choice_is_exact_up_to_fifty():
    """With ties too; and says which it was."""
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 30, size=(2, 51)).astype(float)
    scores[1, scores[0] == scores[1]] += 1
    assert wilcoxon(scores[:, :50]).is_exact[0, 1]
    assert not wilcoxon(scores).is_exact[0, 1]
    assert wilcoxon(scores, method="exact").pvalue[0, 1] == pytest.approx(
        wilcoxon(scores).pvalue[0, 1], abs=2e-3
    )


def test_blocks_do_not_change_the_answer(monkeypatch):
    """Pairs are ranked a block at a time."""
    scores = np.random.default_rng(0).integers(0, 9, size=(6, 20)).astype(float)
    whole = wilcoxon(scores)
    monkeypatch.setattr(module, "_BLOCK", 1)

    for one, other in zip(whole, wilcoxon(scores), strict=True):
        np.testing.assert_array_equal(one, other)


def test_identical_systems_have_p_one_and_strangers_none():
    """All differences zero, and no shared segment."""
    result = wilcoxon(np.array([[1.0, 2.0, np.nan], [1.0, 2.0, np.nan], [np.nan, np.nan, 1.0]]))

    assert result.pvalue[0, 1] == 1
    assert np.isnan(result.pvalue[0, 2])
    assert wilcoxon(np.ones((2, 3)), method="asymptotic").pvalue[0, 1] == 1


def test_unknown_names_are_refused():
    """With the choices."""
    with pytest.raises(UnknownName, match='Unknown zeros "zsplit"'):
        wilcoxon(np.eye(2), zeros="zsplit")
    with pytest.raises(UnknownName, match='Unknown method "approx"'):
        wilcoxon(np.eye(2), method="approx")
