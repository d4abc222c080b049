"""Diagnostics of a table of scores."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.influence.diagnosis import majority_cycles, outlier_shares, pairing, spread, tie_share

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(1, 9)),
    elements=st.integers(0, 40).map(lambda k: k / 8),
)


@given(tables.filter(lambda scores: min(scores.shape) > 1))
def test_spreads_are_those_of_pairformance(scores):
    """Its one-liners on data frames, systems in columns."""
    frame = pd.DataFrame(scores.T)
    found = spread(scores)

    assert found.across_systems == pytest.approx(frame.std(axis=1).mean(), abs=1e-12)
    np.testing.assert_allclose(found.of_ranks, frame.rank(axis=1).std(axis=0), atol=1e-12)
    assert found.of_difficulty == pytest.approx(frame.mean(axis=1).std(), abs=1e-12)


def test_spread_of_gappy_and_tiny_tables():
    """What is there is used; one system or one segment has no spread."""
    found = spread(np.array([[1.0, np.nan, 3.0, 5.0], [2.0, 4.0, 1.0, np.nan]]))
    assert found.of_ranks.tolist() == pytest.approx([np.sqrt(0.5)] * 2)
    assert found.across_systems == pytest.approx((np.sqrt(0.5) + np.sqrt(2)) / 2)
    assert found.of_difficulty == pytest.approx(np.std([1.5, 4, 2, 5], ddof=1))
    assert np.isnan(spread(np.ones((1, 1))).across_systems)


@given(tables)
def test_outliers_lie_beyond_the_fences(scores):
    """One by one."""
    overall, by_system = outlier_shares(scores)

    for share, values in zip([overall, *by_system], [scores.ravel(), *scores], strict=True):
        first, third = np.percentile(values, [25, 75])
        outside = [v < first - 1.5 * (third - first) or v > third + 1.5 * (third - first) for v in values]
        assert share == pytest.approx(np.mean(outside))


def test_outliers_of_nothing_are_unknown():
    """NaN is left out, and all NaN is no share."""
    overall, by_system = outlier_shares(np.array([[1.0, np.nan], [np.nan, np.nan]]))
    assert overall == 0
    np.testing.assert_array_equal(by_system, [0, np.nan])


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.2]))
def test_pairing_is_correlation_and_variance(seed, missing):
    """Pairwise complete, against NumPy."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=20) + rng.normal(size=(3, 20)) * np.array([[1.0], [5.0], [0.2]])
    scores[rng.random((3, 20)) < missing] = np.nan
    found = pairing(scores)
    for a, b in itertools.permutations(range(3), 2):
        both = ~np.isnan(scores[a] + scores[b])
        x, y = scores[a, both], scores[b, both]
        removed = 1 - np.var(x - y) / (np.var(x) + np.var(y))
        assert found.correlation[a, b] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-10)
        assert found.variance_removed[a, b] == pytest.approx(removed, abs=1e-10)


def test_constant_scores_have_no_correlation():
    """And nothing to remove when both are constant."""
    found = pairing(np.array([[0.1, 0.1, 0.1], [1.0, 2, 3], [0.7, 0.7, 0.7]]))

    assert np.isnan(found.correlation[0, 1])
    assert np.isnan(found.variance_removed[0, 2])
    assert found.variance_removed[0, 1] == pytest.approx(0, abs=1e-12)


@given(tables)
def test_ties_are_counted_over_all_pairs_and_segments(scores):
    """NaN when there is no pair."""
    tied = [x == y for a, b in itertools.combinations(scores, 2) for x, y in zip(a, b, strict=True)]
    share = tie_share(win_counts(scores))

    assert share == pytest.approx(np.mean(tied)) if tied else np.isnan(share)


@given(st.integers(0, 6).flatmap(lambda m: hnp.arrays(np.int64, (m, m), elements=st.integers(0, 3))))
def test_all_cycles_are_found_once(wins):
    """Against all triples in both directions."""
    beats = wins > wins.T
    expected = [
        list(triple)
        for triple in itertools.permutations(range(len(wins)), 3)
        if triple[0] == min(triple)
        and beats[triple[0], triple[1]]
        and beats[triple[1], triple[2]]
        and beats[triple[2], triple[0]]
    ]

    assert majority_cycles(wins).tolist() == sorted(expected)


def test_appendix_f_scores_without_a_cycle_and_with_one():
    """With C = 3, 1, 2 the three systems go in a circle; with the printed 3, 2, 1 they do not."""
    circle = np.array([[1.0, 2, 3], [2.0, 3, 1], [3.0, 1, 2]])
    printed = np.array([[1.0, 2, 3], [2.0, 3, 1], [3.0, 2, 1]])

    assert majority_cycles(win_counts(circle).wins).tolist() == [[0, 2, 1]]
    assert majority_cycles(win_counts(printed).wins).tolist() == []
