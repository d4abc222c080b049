from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from betterthan.errors import BetterThanError, NotConverged, NotEstimable
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.davidson import davidson, davidson_exists, davidson_probabilities


def random_tables(n_systems, seed, high=12):
    """Draw wins and symmetric ties."""
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, high, size=(n_systems, n_systems)).astype(np.float64)
    ties = np.triu(rng.integers(0, high, size=(n_systems, n_systems)), 1).astype(np.float64)
    np.fill_diagonal(wins, 0)
    return wins, ties + ties.T


def log_likelihood(parameters, wins, ties):
    """By the definition, from log strengths and log ν."""
    chances = davidson_probabilities(parameters[:-1], np.exp(parameters[-1]))
    return (wins * np.log(chances.win)).sum() + (np.triu(ties, 1) * np.log(chances.tie)).sum()


def exists_by_linear_programme(wins, ties):
    """No direction keeps every observed result a likeliest one, except the shift (by its definition)."""
    m = len(wins)
    rows = []
    for i, j in np.argwhere(wins > 0):
        win_over_loss, win_over_tie = np.zeros(m + 1), np.zeros(m + 1)
        win_over_loss[[i, j]] = [1, -1]
        win_over_tie[[i, j, m]] = [0.5, -0.5, -1]
        rows += [win_over_loss, win_over_tie]
    for i, j in np.argwhere(np.triu(ties) > 0):
        for sign in (0.5, -0.5):
            tie_over_other = np.zeros(m + 1)
            tie_over_other[[i, j, m]] = [-sign, sign, 1]
            rows.append(tie_over_other)
    gains = np.array(rows).reshape(-1, m + 1)
    # A direction in the cone gains >= 0 with a positive total gain, or is a null direction beyond the shift.
    total = linprog(-gains.sum(axis=0), A_ub=-gains, b_ub=np.zeros(len(gains)), bounds=[(-1, 1)] * (m + 1))
    return bool(-total.fun < 1e-9 and np.linalg.matrix_rank(gains) == m)


@given(st.integers(2, 6), st.integers(0, 2**32))
def test_observed_points_and_ties_are_expected_ones(n_systems, seed):
    """The score equations hold at the solution."""
    wins, ties = random_tables(n_systems, seed)
    assume(ties.any() and davidson_exists(wins, ties))
    fit = davidson(wins, ties)
    chances = davidson_probabilities(fit.log_strength, fit.tie_strength)
    matches = wins + wins.T + ties
    points = (matches * (chances.win + chances.tie / 2)).sum(axis=1)
    np.testing.assert_allclose(points, (wins + ties / 2).sum(axis=1), atol=1e-9)
    np.testing.assert_allclose((matches * chances.tie).sum(), ties.sum(), atol=1e-9)
    assert abs(fit.log_strength.sum()) < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_strengths_are_those_of_a_general_optimiser(seed):
    """A direct search on the likelihood finds the same place, and nowhere is better."""
    wins, ties = random_tables(5, seed)
    fit = davidson(wins, ties)
    found = minimize(
        lambda x: -log_likelihood(x, wins, ties), np.zeros(6), method="BFGS", options={"gtol": 1e-6}
    )
    theta = found.x[:5] - found.x[:5].mean()
    np.testing.assert_allclose(fit.log_strength, theta, atol=1e-5)
    assert fit.tie_strength == pytest.approx(np.exp(found.x[5]), abs=1e-5)
    ours = log_likelihood(np.append(fit.log_strength, np.log(fit.tie_strength)), wins, ties)
    assert ours >= -found.fun - 1e-10


@given(st.integers(2, 4), st.integers(0, 2**32))
def test_existence_is_what_the_definition_says(n_systems, seed):
    """Checked with a linear programme over all directions, on tables with many zeros."""
    rng = np.random.default_rng(seed)
    wins = (rng.random((n_systems, n_systems)) < 0.3) * (1.0 - np.eye(n_systems))
    ties = np.triu(rng.random((n_systems, n_systems)) < 0.3, 1).astype(np.float64)
    ties += ties.T
    assume(ties.any())
    assert davidson_exists(wins, ties) == exists_by_linear_programme(wins, ties)


@given(st.integers(0, 2**32))
def test_what_exists_is_found(seed):
    """Also when only a long way round keeps the strengths together."""
    rng = np.random.default_rng(seed)
    wins = (rng.random((4, 4)) < 0.4) * (1.0 - np.eye(4))
    ties = np.triu(rng.random((4, 4)) < 0.3, 1).astype(np.float64)
    ties += ties.T
    assume(davidson_exists(wins, ties))
    assert np.isfinite(davidson(wins, ties).log_strength).all()


def test_two_systems_in_closed_form():
    """λ₁/λ₂ is the ratio of wins and ν is ties over their geometric mean."""
    fit = davidson(np.array([[0.0, 9], [4, 0]]), np.array([[0.0, 5], [5, 0]]))
    assert fit.log_strength[0] - fit.log_strength[1] == pytest.approx(np.log(9 / 4), abs=1e-12)
    assert fit.tie_strength == pytest.approx(5 / 6, abs=1e-12)


def test_without_ties_it_is_bradley_terry():
    """ν is 0, and the same tables have strengths."""
    wins, ties = random_tables(4, seed=3)
    fit = davidson(wins, 0 * ties)
    assert fit.tie_strength == 0
    np.testing.assert_array_equal(fit.log_strength, bradley_terry(wins).log_strength)
    assert davidson_exists(wins, 0 * ties)
    assert not davidson_exists(np.triu(wins), 0 * ties)


def test_extreme_tables_are_fitted():
    """One tie among ten thousand lopsided matches; billions of matches."""
    rare = davidson(np.array([[0.0, 9999], [1, 0]]), np.array([[0.0, 1], [1, 0]]))
    assert rare.tie_strength == pytest.approx(1 / np.sqrt(9999), rel=1e-10)
    wins, ties = random_tables(5, seed=4)
    np.testing.assert_allclose(
        davidson(1e9 * wins, 1e9 * ties).log_strength, davidson(wins, ties).log_strength, atol=1e-10
    )


def test_chances_sum_to_one():
    """Also far apart."""
    chances = davidson_probabilities(np.array([0.0, 3.0, 2000.0]), 0.7)
    np.testing.assert_allclose(chances.win + chances.win.T + chances.tie, 1, rtol=1e-15)


def test_what_does_not_exist_is_refused():
    """Only ties, or no win against the order."""
    ties = np.array([[0.0, 2], [2, 0]])
    for wins in (np.zeros((2, 2)), np.array([[0.0, 3], [0, 0]])):
        with pytest.raises(NotEstimable, match="Davidson's strengths do not exist here"):
            davidson(wins, ties)


def test_an_unfinished_fit_is_not_returned():
    """The error carries the number of iterations."""
    with pytest.raises(NotConverged, match="after 1 iterations") as caught:
        davidson(*random_tables(4, seed=5), max_iterations=1)
    assert caught.value.iterations == 1


def test_links_too_thin_for_the_arithmetic_are_refused():
    """The step would divide by zero."""
    wins, ties = random_tables(4, seed=6)
    wins[:2, 2:] = wins[2:, :2] = ties[:2, 2:] = ties[2:, :2] = 1e-310
    with pytest.raises(NotConverged, match="very few matches"):
        davidson(wins, ties)


@pytest.mark.parametrize(
    ("wins", "ties", "message"),
    [
        (np.zeros((2, 3)), np.zeros((2, 3)), "systems × systems"),
        (np.zeros((2, 2)), np.zeros((3, 3)), "systems × systems"),
        (np.array([[0, -1.0], [1, 0]]), np.zeros((2, 2)), "0 or more and finite"),
        (np.zeros((2, 2)), np.array([[0, 1.0], [0, 0]]), "each tie is in both triangles"),
    ],
)
def test_tables_are_checked(wins, ties, message):
    """The message tells what is wrong."""
    with pytest.raises(BetterThanError, match=message):
        davidson(wins, ties)
