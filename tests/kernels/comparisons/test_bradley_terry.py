from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.errors import BetterThanError, NotConverged, NotEstimable, UnknownName
from betterthan.kernels.comparisons.bradley_terry import bradley_terry, bradley_terry_batch
from betterthan.kernels.comparisons.connectivity import is_connected
from betterthan.kernels.comparisons.fixed_point import fixed_point
from betterthan.kernels.comparisons.match_counts import match_counts, resampled_cells, resampled_match_counts
from betterthan.kernels.comparisons.strengths import to_elo, to_shares, win_probability
from betterthan.kernels.comparisons.wins import win_counts, with_prior, with_ties

TABLES = st.integers(2, 7).flatmap(
    lambda m: hnp.arrays(np.float64, (m, m), elements=st.integers(0, 30).map(float))
)
A, B = [1.0, 2, 3], [2.0, 3, 1]


def connected(wins):
    """Clear the diagonal, and draw again when strengths do not exist."""
    wins = wins.copy()
    np.fill_diagonal(wins, 0)
    assume(is_connected(wins))
    return wins


def expected_wins(wins, log_strength):
    """Wins that the model expects of each system."""
    return ((wins + wins.T) * win_probability(log_strength)).sum(axis=1)


def random_wins(n_systems, seed, matches=50):
    """About `matches` wins in each cell."""
    rng = np.random.default_rng(seed)
    wins = rng.poisson(matches, size=(n_systems, n_systems)).astype(np.float64)
    np.fill_diagonal(wins, 0)
    return wins


@given(TABLES)
def test_observed_wins_are_expected_wins(wins):
    """The score equations hold at the solution, which has sum 0."""
    wins = connected(wins)
    fit = bradley_terry(wins)
    np.testing.assert_allclose(expected_wins(wins, fit.log_strength), wins.sum(axis=1), atol=1e-9)
    assert abs(fit.log_strength.sum()) < 1e-12
    assert fit.last_change <= 1e-12


@given(TABLES, st.randoms(use_true_random=False))
def test_renaming_systems_permutes_strengths(wins, random):
    """No system is special."""
    wins = connected(wins)
    order = list(range(len(wins)))
    random.shuffle(order)
    renamed = bradley_terry(wins[np.ix_(order, order)]).log_strength
    np.testing.assert_allclose(renamed, bradley_terry(wins).log_strength[order], atol=1e-10)


@given(TABLES, st.sampled_from([1e-12, 0.1, 3.0, 1e9]))
def test_scaling_all_counts_changes_nothing(wins, factor):
    """Strengths depend on shares of wins, from tiny weights to huge counts."""
    wins = connected(wins)
    np.testing.assert_allclose(
        bradley_terry(factor * wins).log_strength, bradley_terry(wins).log_strength, atol=1e-10
    )


@given(TABLES)
def test_exchanging_wins_and_losses_negates(wins):
    """Who loses most is worst by as much."""
    wins = connected(wins)
    np.testing.assert_allclose(
        bradley_terry(wins.T).log_strength, -bradley_terry(wins).log_strength, atol=1e-10
    )


@given(TABLES)
def test_a_system_without_matches_has_no_strength(wins):
    """Adding it to a table that could be fitted makes strengths not exist."""
    wins = connected(wins)
    with pytest.raises(NotEstimable, match="do not exist here"):
        bradley_terry(np.pad(wins, (0, 1)))


@given(st.integers(1, 6), st.integers(2, 6), st.integers(0, 2**32), st.sampled_from([0.0, 0.5]))
def test_a_batch_is_fitted_one_by_one(n_tables, n_systems, seed, prior):
    """Each table has the strengths it has alone, and NaN where it has none."""
    wins = np.random.default_rng(seed).integers(0, 4, size=(n_tables, n_systems, n_systems)).astype(float)
    batch = bradley_terry_batch(wins, prior=prior)
    for table, strengths, exists in zip(wins, batch.log_strength, batch.exists, strict=True):
        if exists:
            np.testing.assert_allclose(strengths, bradley_terry(table, prior=prior).log_strength, atol=1e-11)
        else:
            assert np.isnan(strengths).all()
            with pytest.raises(NotEstimable):
                bradley_terry(table)


@given(TABLES)
def test_two_systems_have_their_wins_as_strengths(wins):
    """The closed form of section 2.2."""
    wins = connected(wins)[:2, :2]
    assume(is_connected(wins))
    np.testing.assert_allclose(
        to_shares(bradley_terry(wins).log_strength), [wins[0, 1], wins[1, 0]] / wins.sum(), rtol=1e-12
    )


@given(TABLES)
def test_the_published_iteration_comes_close(wins):
    """It stops at a squared change of 1e-9; from the solution it does not move."""
    wins = connected(wins)
    shares = to_shares(bradley_terry(wins).log_strength)
    again = fixed_point(wins, start=shares)
    np.testing.assert_allclose(again.shares, shares, atol=1e-9)
    assert again.iterations == 1
    near = fixed_point(wins, tolerance=1e-26, max_iterations=200_000)
    np.testing.assert_allclose(near.shares, shares, atol=1e-6)


def test_appendix_f_with_two_systems():
    """B is better with a strength of two thirds."""
    wins = win_counts(np.array([A, B])).wins
    np.testing.assert_allclose(to_shares(bradley_terry(wins).log_strength), [1 / 3, 2 / 3], rtol=1e-14)


@pytest.mark.parametrize(
    ("third", "shares"),
    [([3.0, 2, 1], [0.253, 0.421, 0.326]), ([3.0, 1, 2], [1 / 3, 1 / 3, 1 / 3])],
    ids=["as printed", "as meant"],
)
def test_appendix_f_with_three_systems(third, shares):
    """As printed the strengths differ; with C = 3, 1, 2 they are equal, as the text says."""
    wins = win_counts(np.array([A, B, third])).wins
    np.testing.assert_allclose(to_shares(bradley_terry(wins).log_strength), shares, atol=5e-4)
    np.testing.assert_allclose(fixed_point(wins).shares, shares, atol=5e-4)


def test_figure_one_has_equal_means_and_unequal_strengths():
    """C is best and A worst, by an exact solution of the score equations."""
    wins = win_counts(np.array([[1.0, 5, 11, 12, 17], [2, 6, 7, 13, 18], [5, 11, 12, 17, 1]])).wins
    fit = bradley_terry(wins)
    assert np.argsort(fit.log_strength).tolist() == [0, 1, 2]
    np.testing.assert_allclose(expected_wins(wins, fit.log_strength), [2, 5, 8], rtol=1e-12)


def test_nearly_separable_matches_are_fitted():
    """One system wins 9999 of 10 000 against each of five others."""
    wins = random_wins(6, seed=4)
    wins[0, 1:], wins[1:, 0] = 9999, 1
    fit = bradley_terry(wins)
    np.testing.assert_allclose(expected_wins(wins, fit.log_strength), wins.sum(axis=1), rtol=1e-12)
    assert fit.iterations <= 15


def test_huge_counts_with_a_thin_link_are_fitted():
    """Two groups with a billion matches inside and one win each way between them."""
    wins = np.zeros((6, 6))
    wins[:3, :3] = wins[3:, 3:] = random_wins(3, seed=5, matches=1_000_000_000)
    wins[0, 3], wins[4, 1] = 1, 1
    fit = bradley_terry(wins)
    np.testing.assert_allclose(expected_wins(wins, fit.log_strength), wins.sum(axis=1), rtol=1e-14)


def test_a_link_below_rounding_is_refused():
    """What a hundred millionth of a match says is lost beside billions."""
    wins = np.zeros((6, 6))
    wins[:3, :3] = wins[3:, 3:] = random_wins(3, seed=5, matches=1_000_000_000)
    wins[0, 3], wins[4, 1] = 1e-8, 3e-8
    with pytest.raises(NotConverged, match="very few matches"):
        bradley_terry(wins)


def test_a_long_chain_of_lopsided_pairs_is_fitted():
    """400 systems, each wins 999 999 of a million against the next: strengths span 5000 natural logarithms."""
    wins = 999_999 * np.eye(400, k=1) + np.eye(400, k=-1)
    fit = bradley_terry(wins)
    np.testing.assert_allclose(np.diff(fit.log_strength), -np.log(999_999), rtol=1e-10)


def test_a_thousand_systems_are_fitted():
    """Also when each met only a few others."""
    rng = np.random.default_rng(6)
    wins = np.where(rng.random((1000, 1000)) < 0.01, rng.poisson(2, (1000, 1000)), 0).astype(np.float64)
    wins += np.roll(np.eye(1000), 1, axis=1)
    np.fill_diagonal(wins, 0)
    fit = bradley_terry(wins)
    np.testing.assert_allclose(expected_wins(wins, fit.log_strength), wins.sum(axis=1), atol=1e-9)
    assert fit.iterations <= 15


def test_one_system_alone_has_log_strength_zero():
    """There is nothing to compare."""
    assert bradley_terry(np.zeros((1, 1))).log_strength.tolist() == [0.0]
    assert bradley_terry(np.zeros((1, 1)), prior=1.0).log_strength.tolist() == [0.0]


def test_the_prior_is_a_fictive_opponent():
    """Strengths are those of the table with one more system; a winless system gets one."""
    wins = np.array([[0.0, 4, 2], [1, 0, 3], [0, 0, 0]])
    wide = bradley_terry(with_prior(wins, 0.5)).log_strength[:3]
    np.testing.assert_allclose(bradley_terry(wins, prior=0.5).log_strength, wide - wide.mean(), atol=1e-12)
    small = bradley_terry(wins, prior=1e-3).log_strength
    assert small.argmin() == 2
    assert small[2] < bradley_terry(wins, prior=0.5).log_strength[2]


def test_small_batches_in_blocks_change_nothing(monkeypatch):
    """A batch is worked on in pieces that fit in the cache."""
    wins = np.stack([random_wins(5, seed) for seed in range(9)])
    whole = bradley_terry_batch(wins)
    monkeypatch.setattr("betterthan.kernels.comparisons.bradley_terry._BATCH_NUMBERS", 50)
    np.testing.assert_allclose(bradley_terry_batch(wins).log_strength, whole.log_strength, atol=1e-13)


def test_an_unfinished_fit_is_not_returned():
    """The error carries iterations and last change; in a batch the row is NaN though strengths exist."""
    wins = random_wins(5, seed=7) ** 2
    with pytest.raises(NotConverged, match="after 1 iterations") as caught:
        bradley_terry(wins, max_iterations=1)
    assert caught.value.iterations == 1
    assert caught.value.last_change > 0
    batch = bradley_terry_batch(wins[None], max_iterations=1)
    assert batch.exists[0]
    assert np.isnan(batch.log_strength).all()


def test_a_singular_step_ends_the_fit():
    """Links too thin for double precision are refused, and spoil no other table of the batch."""
    thin = random_wins(4, seed=8)
    thin[:2, 2:] = thin[2:, :2] = 1e-310
    with pytest.raises(NotConverged, match="very few matches"):
        bradley_terry(thin)
    batch = bradley_terry_batch(np.stack([random_wins(4, seed=9), thin]))
    assert np.isfinite(batch.log_strength[0]).all()
    assert np.isnan(batch.log_strength[1]).all()


@pytest.mark.parametrize("wins", [np.zeros((2, 3)), np.zeros(4), np.zeros((0, 0))])
def test_wins_must_be_a_square(wins):
    """The message tells the shape."""
    with pytest.raises(BetterThanError, match="wins must be systems × systems"):
        bradley_terry(wins)


@pytest.mark.parametrize("cell", [-1.0, np.nan, np.inf])
def test_wins_must_be_counts(cell):
    """Neither negative nor missing."""
    with pytest.raises(BetterThanError, match="0 or more and finite"):
        bradley_terry(np.array([[0.0, cell], [1.0, 0.0]]))


def test_the_published_iteration_ends_where_the_released_code_does_not():
    """Two winless systems that never met decisively get 0; a system without matches is refused."""
    wins = np.array([[0.0, 2, 3, 3], [1, 0, 3, 3], [0, 0, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(fixed_point(wins).shares, [2 / 3, 1 / 3, 0, 0], atol=1e-3)
    with pytest.raises(NotEstimable, match="has no matches"):
        fixed_point(np.zeros((2, 2)))
    with pytest.raises(NotConverged, match="still changed"):
        fixed_point(random_wins(4, seed=1) ** 3, max_iterations=2)
    with pytest.raises(BetterThanError, match="systems × systems"):
        fixed_point(np.zeros((2, 3)))


def test_scales_agree_with_each_other():
    """400 points, ten to one and 10/11 are the same."""
    log_strength = np.log([10.0, 1.0])
    assert to_elo(log_strength).tolist() == pytest.approx([1900, 1500])
    assert to_shares(log_strength).tolist() == pytest.approx([10 / 11, 1 / 11])
    assert win_probability(log_strength)[0, 1] == pytest.approx(10 / 11)
    assert win_probability(np.array([800.0, 0.0]))[1, 0] == 0


@given(st.integers(2, 5), st.integers(0, 30), st.integers(0, 2**32), st.booleans())
def test_matches_are_counted_like_a_loop(n_systems, n_matches, seed, weighted):
    """Left or right makes no difference."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, n_systems, n_matches)
    right = (left + rng.integers(1, n_systems, n_matches)) % n_systems
    outcome = rng.choice([0.0, 0.5, 1.0], n_matches)
    weight = rng.integers(0, 4, n_matches).astype(np.float64) if weighted else None
    wins, ties = np.zeros((2, n_systems, n_systems))
    for row in range(n_matches):
        size = 1.0 if weight is None else weight[row]
        pair = (left[row], right[row]) if outcome[row] >= 0.5 else (right[row], left[row])
        if outcome[row] == 0.5:
            ties[pair] += size
            ties[pair[::-1]] += size
        else:
            wins[pair] += size
    counts = match_counts(left, right, outcome, weight, n_systems=n_systems)
    np.testing.assert_array_equal(counts.wins, wins)
    np.testing.assert_array_equal(counts.ties, ties)


def test_matches_in_blocks_add_up(monkeypatch):
    """More rows than a block, of small integer types."""
    rng = np.random.default_rng(10)
    left, outcome = rng.integers(0, 3, 100).astype(np.int8), rng.choice([0.0, 0.5, 1.0], 100)
    right = ((left + 1) % 3).astype(np.int8)
    whole = match_counts(left, right, outcome, n_systems=3)
    monkeypatch.setattr(
        "betterthan.kernels.comparisons.match_counts._BLOCK_ROWS", 7
    )  # 27 cells, so 27 rows at a time
    np.testing.assert_array_equal(match_counts(left, right, outcome, n_systems=3).wins, whole.wins)


@pytest.mark.parametrize("draw", ["multinomial", "poisson"])
def test_drawn_counts_have_the_moments_of_the_bootstrap(draw):
    """Means are the counts; the variance is count × (1 − share), or the count when drawn apart."""
    weight = np.array([30.0, 0.0, 50.0, 20.0])
    drawn = resampled_cells(weight, 20_000, np.random.default_rng(11), draw=draw)
    np.testing.assert_allclose(drawn.mean(axis=0), weight, atol=0.2)
    share = weight / weight.sum() if draw == "multinomial" else 0
    np.testing.assert_allclose(drawn.var(axis=0), weight * (1 - share), rtol=0.05, atol=1e-12)


def test_only_whole_counts_are_resampled():
    """Weights are no counts, and an unknown way to draw is refused."""
    rng = np.random.default_rng(0)
    with pytest.raises(BetterThanError, match="Resample the rows"):
        resampled_cells(np.array([0.5]), 2, rng)
    with pytest.raises(UnknownName, match='Did you mean "poisson"'):
        resampled_cells(np.array([1.0]), 2, rng, draw="poison")
    assert resampled_cells(np.zeros(3), 2, rng).tolist() == [[0.0] * 3] * 2


def test_bootstrap_of_counts_is_bootstrap_of_rows():
    """The spread of strengths is that of drawing single matches with replacement."""
    rng = np.random.default_rng(12)
    left = rng.integers(0, 4, 2000)
    right = (left + rng.integers(1, 4, 2000)) % 4
    outcome = rng.choice([0.0, 0.5, 1.0], 2000, p=[0.3, 0.3, 0.4])
    counts = match_counts(left, right, outcome, n_systems=4)
    drawn = resampled_match_counts(counts.wins, counts.ties, 2000, rng)
    fast = bradley_terry_batch(with_ties(drawn.wins, drawn.ties, "half")).log_strength
    slow = np.empty((400, 4))
    for row in range(400):
        some = rng.integers(0, 2000, 2000)
        again = match_counts(left[some], right[some], outcome[some], n_systems=4)
        slow[row] = bradley_terry(with_ties(again.wins, again.ties, "half")).log_strength
    np.testing.assert_allclose(fast.std(axis=0), slow.std(axis=0), rtol=0.12)
    np.testing.assert_array_equal(drawn.ties, drawn.ties.transpose(0, 2, 1))
