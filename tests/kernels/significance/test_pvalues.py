"""P-values of pairs and families."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.errors import UnknownName
from betterthan.kernels.significance.pvalues import adjusted, adjusted_pairs, pairwise_pvalues

CORRECTIONS = ("none", "bonferroni", "holm", "benjamini_hochberg")
probabilities = st.floats(0, 1) | st.just(np.nan)
vectors = hnp.arrays(np.float64, st.integers(0, 12), elements=probabilities)
matrices = st.integers(1, 6).flatmap(lambda m: hnp.arrays(np.float64, (m, m), elements=probabilities))


@given(vectors, st.sampled_from(CORRECTIONS))
def test_an_adjusted_p_is_never_smaller_and_never_above_one(pvalues, correction):
    """NaN stays NaN and does not count."""
    result = adjusted(pvalues, correction=correction)
    known = ~np.isnan(pvalues)

    assert np.array_equal(np.isnan(result), ~known)
    assert (result[known] >= pvalues[known]).all()
    assert (result[known] <= 1).all()


@given(vectors)
def test_holm_is_never_worse_than_bonferroni_and_false_discovery_never_worse_than_holm(pvalues):
    """The order of the three."""
    known = ~np.isnan(pvalues)
    bonferroni, holm, discovery = (adjusted(pvalues, correction=name)[known] for name in CORRECTIONS[1:])

    assert (holm <= bonferroni).all()
    assert (discovery <= holm * (1 + 1e-12)).all()


@given(vectors, st.sampled_from(CORRECTIONS))
def test_adjusting_keeps_the_order(pvalues, correction):
    """A smaller p is never adjusted past a larger one."""
    known = ~np.isnan(pvalues)
    order = np.argsort(pvalues[known], kind="stable")

    assert (np.diff(adjusted(pvalues, correction=correction)[known][order]) >= 0).all()


@given(matrices)
def test_tails_become_consistent_p_values(upper):
    """Two-sided is symmetric; greater is the transpose of less; all in (0, 1]."""
    two, greater, less = (
        pairwise_pvalues(upper, alternative=name) for name in ("two-sided", "greater", "less")
    )

    np.testing.assert_array_equal(two, two.T)
    np.testing.assert_array_equal(greater, less.T)
    for pvalues in (two, greater, less):
        assert np.isnan(np.diag(pvalues)).all()
        known = pvalues[~np.isnan(pvalues)]
        assert ((known > 0) & (known <= 1)).all()


@given(matrices, st.sampled_from(CORRECTIONS))
def test_symmetric_matrices_stay_symmetric(upper, correction):
    """One answer for a pair."""
    result = adjusted_pairs(pairwise_pvalues(upper), correction=correction)

    np.testing.assert_array_equal(result, result.T)


@given(matrices)
def test_both_directions_are_a_family_of_twice_the_size(upper):
    """Bonferroni shows the count."""
    pvalues = pairwise_pvalues(upper, alternative="greater")
    questions = int((~np.isnan(pvalues)).sum())
    result = adjusted_pairs(pvalues, correction="bonferroni", family="directions")

    np.testing.assert_allclose(result, np.minimum(1, questions * pvalues))


def test_unknown_names_are_refused():
    """With the choices."""
    matrix = np.full((2, 2), 0.5)
    with pytest.raises(UnknownName, match='Unknown alternative "two_sided"'):
        pairwise_pvalues(matrix, alternative="two_sided")
    with pytest.raises(UnknownName, match='Unknown correction "holms"'):
        adjusted_pairs(matrix, correction="holms")
    with pytest.raises(UnknownName, match='Unknown family "pair"'):
        adjusted_pairs(matrix, family="pair")
