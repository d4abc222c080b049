"""The sign test of all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from betterthan.errors import UnknownName
from betterthan.kernels.comparisons.wins import WinCounts, win_counts
from betterthan.kernels.significance.rank_tests import at_least, sign_test

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(1, 8)),
    elements=st.integers(0, 3).map(float) | st.just(np.nan),
)
policies = st.sampled_from(["drop", "half", "as_published"])


@given(tables, policies)
def test_pairs_are_consistent(scores, ties):
    """Symmetric two-sided, transposed one-sided, in (0, 1]."""
    two, greater, less = (
        sign_test(win_counts(scores), ties=ties, alternative=name).pvalue
        for name in ("two-sided", "greater", "less")
    )

    np.testing.assert_array_equal(two, two.T)
    np.testing.assert_array_equal(greater, less.T)
    known = two[~np.isnan(two)]
    assert ((known > 0) & (known <= 1)).all()


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 20))
def test_half_gives_each_side_half_of_the_ties(wins, losses, tied):
    """An odd tie is left out, so the counts stay whole."""
    counts = WinCounts(np.array([[0.0, wins], [losses, 0.0]]), np.array([[0.0, tied], [tied, 0.0]]))
    result = sign_test(counts, ties="half")
    half = tied // 2
    n = wins + losses + 2 * half

    assert (result.wins[0, 1], result.n[0, 1]) == (wins + half, n)
    if n:
        assert result.pvalue[0, 1] == pytest.approx(stats.binomtest(wins + half, n).pvalue, rel=1e-9)


@given(st.integers(0, 400), st.data())
def test_tails_of_a_fair_coin(n, data):
    """From none to all."""
    k = data.draw(st.integers(0, n + 1))
    assert at_least(np.array([k]), np.array([n]))[0] == pytest.approx(stats.binom.sf(k - 1, n, 0.5), rel=1e-9)


def test_figure_one():
    """C beats B on four of five segments: p = 0.375."""
    scores = np.array([[2.0, 6, 7, 13, 18], [5.0, 11, 12, 17, 1]])

    assert sign_test(win_counts(scores)).pvalue[0, 1] == pytest.approx(0.375)


def test_the_published_code_can_find_ties_significant():
    """Ten wins each and eighty ties: nothing to tell apart, and yet."""
    counts = WinCounts(np.array([[0.0, 10], [10, 0.0]]), np.array([[0.0, 80], [80, 0.0]]))

    assert sign_test(counts).pvalue[0, 1] == 1
    assert sign_test(counts, ties="half").pvalue[0, 1] == 1
    assert sign_test(counts, ties="as_published").pvalue[0, 1] < 1e-15


def test_only_ties_give_p_one_and_no_segments_no_answer():
    """Nothing to count is not the same as nothing shared."""
    result = sign_test(win_counts(np.array([[1.0, 1.0, np.nan], [1.0, 1.0, np.nan], [np.nan, np.nan, 2.0]])))

    assert result.pvalue[0, 1] == 1
    assert np.isnan(result.pvalue[0, 2])


def test_unknown_ties_are_refused():
    """With the choices."""
    with pytest.raises(UnknownName, match='Unknown ties "split"'):
        sign_test(win_counts(np.eye(2)), ties="split")
