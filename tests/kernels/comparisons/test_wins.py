from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.everyday import few

from betterthan.errors import BetterThanError, UnknownName
from betterthan.kernels.comparisons.wins import (
    resampled_win_counts,
    segment_ranks,
    win_counts,
    with_prior,
    with_ties,
)

AWKWARD = st.sampled_from(
    [0.0, -0.0, 1.0, 1.0 + 2**-52, -1.0, np.nan, np.inf, -np.inf, 5e-324, -5e-324, 1e308]
)
FIGURE_ONE = np.array([[1.0, 5, 11, 12, 17], [2, 6, 7, 13, 18], [5, 11, 12, 17, 1]])


def score_tables(max_systems: int = 6, max_segments: int = 9):
    """Tables of awkward scores."""
    shapes = st.tuples(st.integers(1, max_systems), st.integers(0, max_segments))
    return shapes.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=AWKWARD))


def literal_counts(goodness, weights=None):
    """Two loops over systems and one over segments."""
    m, n = goodness.shape
    wins, ties = np.zeros((m, m)), np.zeros((m, m))
    for i in range(m):
        for j in range(m):
            for s in range(n):
                weight = 1.0 if weights is None else weights[s]
                if i != j and goodness[i, s] > goodness[j, s]:
                    wins[i, j] += weight
                if i != j and goodness[i, s] == goodness[j, s]:
                    ties[i, j] += weight
    return wins, ties


def pairwise_counts(goodness):
    """One comparison of long rows a system."""
    wins = np.array([(own > goodness).sum(axis=1) for own in goodness])
    ties = np.array([(own == goodness).sum(axis=1) for own in goodness])
    np.fill_diagonal(ties, 0)
    return wins, ties


@given(score_tables())
def test_counts_are_those_of_three_loops(goodness):
    """Also with signed zeros, infinities, missing scores and neighbors in floating point."""
    wins, ties = literal_counts(goodness)
    counts = win_counts(goodness)
    np.testing.assert_array_equal(counts.wins, wins)
    np.testing.assert_array_equal(counts.ties, ties)


@given(score_tables(), st.randoms(use_true_random=False))
def test_weighted_counts_are_those_of_three_loops(goodness, random):
    """A weight of k counts as k segments."""
    weights = np.array([random.choice([0.0, 0.5, 1.0, 3.0]) for _ in range(goodness.shape[1])])
    wins, ties = literal_counts(goodness, weights)
    counts = win_counts(goodness, weights=weights)
    np.testing.assert_allclose(counts.wins, wins, rtol=1e-15)
    np.testing.assert_allclose(counts.ties, ties, rtol=1e-15)


@pytest.mark.parametrize(
    "shape", few([(2, 5000), (12, 3000), (127, 40), (128, 5000), (200, 31), (253, 9), (254, 9)], 3)
)
@pytest.mark.parametrize("data", ["distinct", "tied", "missing", "last bits"])
def test_every_way_of_counting_gives_the_same(shape, data):
    """Few or many systems and segments take different ways; all are exact."""
    rng = np.random.default_rng(1)
    goodness = rng.normal(size=shape)
    if data == "tied":
        goodness = goodness.round(1)
    if data == "missing":
        goodness[rng.random(shape) < 0.1] = np.nan
    if data == "last bits":
        goodness = 1.0 + rng.integers(0, 300, size=shape) * 2.0**-52
    wins, ties = pairwise_counts(goodness)
    counts = win_counts(goodness)
    np.testing.assert_array_equal(counts.wins, wins)
    np.testing.assert_array_equal(counts.ties, ties)


def test_blocks_of_segments_add_up():
    """A table longer than a block is counted like any other."""
    goodness = np.random.default_rng(2).integers(0, 9, size=(12, 2**23 // 12 + 50)).astype(np.float64)
    wins, ties = pairwise_counts(goodness)
    counts = win_counts(goodness)
    np.testing.assert_array_equal(counts.wins, wins)
    np.testing.assert_array_equal(counts.ties, ties)


@given(score_tables(max_systems=8))
def test_ranks_compare_like_scores(goodness):
    """The winner's rank exceeds the loser's exactly when the score does."""
    winner, loser = segment_ranks(goodness)
    np.testing.assert_array_equal(winner[:, None] > loser[None], goodness[:, None] > goodness[None])


def test_figure_one_in_corrected_letters():
    """A, B, C have equal means; B beats A on four of five, C beats B on four, and B beats C on the last."""
    wins = win_counts(FIGURE_ONE).wins
    assert FIGURE_ONE.mean(axis=1).tolist() == pytest.approx([9.2] * 3)
    np.testing.assert_array_equal(wins, [[0, 1, 1], [4, 0, 1], [4, 4, 0]])


def test_ties_policies_share_out_each_tie_once():
    """Half to both, nothing to anybody, or everything to the later system."""
    wins, ties = np.array([[0.0, 3], [1, 0]]), np.array([[0.0, 2], [2, 0]])
    assert with_ties(wins, ties, "drop").tolist() == [[0, 3], [1, 0]]
    assert with_ties(wins, ties, "half").tolist() == [[0, 4], [2, 0]]
    assert with_ties(wins, ties, "as_published").tolist() == [[0, 3], [3, 0]]
    with pytest.raises(UnknownName, match='Did you mean "half"'):
        with_ties(wins, ties, "hall")


@given(score_tables(), st.integers(0, 2**32))
def test_resampled_counts_are_counts_of_the_resamples(goodness, seed):
    """Drawing a segment twice is having it twice."""
    n_segments = goodness.shape[1]
    draws = np.random.default_rng(seed).integers(0, 3, size=(4, n_segments))
    resampled = resampled_win_counts(goodness, draws.astype(np.float64))
    for row, draw in enumerate(draws):
        counts = win_counts(np.repeat(goodness, draw, axis=1))
        np.testing.assert_array_equal(resampled.wins[row], counts.wins)
        np.testing.assert_array_equal(resampled.ties[row], counts.ties)


def test_resampled_counts_do_not_round():
    """Sums beyond what single precision holds, and broken weights, are multiplied in double precision."""
    goodness = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    large = np.array([[2.0**24, 1.0, 1.0], [2.0**24 + 1, 0.0, 0.0], [0.1, 0.2, 0.3]])
    resampled = resampled_win_counts(goodness, large)
    assert resampled.wins[:, 0, 1].tolist() == [2.0**24, 2.0**24 + 1, 0.1]
    assert resampled.ties[:, 0, 1].tolist() == [1.0, 0.0, 0.3]


def test_resampling_in_small_blocks_changes_nothing(monkeypatch):
    """Pairs are cut into blocks of bounded memory."""
    rng = np.random.default_rng(3)
    goodness, weights = rng.normal(size=(7, 20)), rng.poisson(1, size=(5, 20)).astype(np.float64)
    expected = resampled_win_counts(goodness, weights)
    monkeypatch.setattr("betterthan.kernels.comparisons.wins._BLOCK_BYTES", 300)
    np.testing.assert_array_equal(resampled_win_counts(goodness, weights).wins, expected.wins)


def test_prior_adds_a_fictive_system():
    """It wins and loses equally often against everybody, in every table of a batch."""
    widened = with_prior(np.zeros((2, 2, 2)), 0.5)
    assert widened.tolist() == [[[0, 0, 0.5], [0, 0, 0.5], [0.5, 0.5, 0]]] * 2
    for prior in (-1.0, np.nan, np.inf):
        with pytest.raises(BetterThanError, match="prior must be 0 or more"):
            with_prior(np.zeros((2, 2)), prior)


def test_shapes_and_weights_are_checked():
    """Scores are systems × segments, weights one number per segment, none negative."""
    goodness = np.zeros((2, 3))
    with pytest.raises(BetterThanError, match="goodness must be systems × segments; it has 1 axes"):
        win_counts(np.zeros(3))
    with pytest.raises(BetterThanError, match="one number per segment, 3"):
        win_counts(goodness, weights=np.ones(2))
    with pytest.raises(BetterThanError, match="0 or more and finite"):
        win_counts(goodness, weights=np.array([1.0, -1.0, 1.0]))


@pytest.mark.parametrize(("n_systems", "n_segments"), [(1, 3), (5, 0), (7, 1000), (140, 600)])
def test_machine_code_counts_the_same(monkeypatch, n_systems, n_segments):
    """Whole numbers, so equal to the last one: with numba, and as if it were not there."""
    pytest.importorskip("numba")
    rng = np.random.default_rng(n_systems)
    goodness = rng.integers(0, 9, (n_systems, n_segments)).astype(np.float64)
    goodness[rng.random(goodness.shape) < 0.1] = np.nan
    monkeypatch.setattr("betterthan.kernels.comparisons.wins._CACHED_NUMBERS", 64)
    with_machine_code = win_counts(goodness)
    monkeypatch.setattr("betterthan.kernels.comparisons.wins.compiled", lambda _: None)
    without = win_counts(goodness)
    np.testing.assert_array_equal(with_machine_code.wins, without.wins)
    np.testing.assert_array_equal(with_machine_code.ties, without.ties)


@pytest.mark.parametrize("close", [0.0, 0.01, 1.0])
def test_scores_that_differ_in_double_precision_only_are_not_tied(close):
    """Compared in single precision first; some or all pairs are equal there on some segment."""
    rng = np.random.default_rng(3)
    goodness = rng.normal(size=(9, 400))
    goodness[0, 5], goodness[3, 200:] = 1e300, np.nan
    alike = rng.random(400) < close
    alike[:50] = False
    goodness[4:, alike] = goodness[4, alike] + 1e-12 * rng.integers(0, 3, size=(5, alike.sum()))
    counts = win_counts(goodness)
    wins, ties = literal_counts(goodness)
    np.testing.assert_array_equal(counts.wins, wins)
    np.testing.assert_array_equal(counts.ties, ties)
