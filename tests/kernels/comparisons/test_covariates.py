from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from betterthan.errors import BetterThanError, NotConverged, NotEstimable
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.covariates import bradley_terry_covariates, covariate_covariance
from betterthan.kernels.comparisons.match_counts import match_counts
from betterthan.kernels.comparisons.sandwich import model_covariance, robust_covariance
from betterthan.kernels.comparisons.wins import with_ties


def simulated(seed, n_matches=1500, n_systems=5, coefficients=(0.8, -0.3)):
    """Draw matches with two covariates of very different units."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, n_systems, n_matches)
    right = (left + rng.integers(1, n_systems, n_matches)) % n_systems
    covariates = rng.normal(size=(n_matches, len(coefficients))) * [1.0, 250.0]
    theta = np.linspace(-1, 1, n_systems)
    ahead = theta[left] - theta[right] + covariates @ (np.array(coefficients) / [1.0, 250.0])
    outcome = (rng.random(n_matches) < 1 / (1 + np.exp(-ahead))).astype(np.float64)
    outcome[rng.random(n_matches) < 0.15] = 0.5
    return left, right, outcome, covariates


def test_strengths_and_coefficients_are_those_of_a_general_optimiser():
    """The likelihood, written out, has its maximum there."""
    left, right, outcome, covariates = simulated(1)
    fit = bradley_terry_covariates(left, right, outcome, covariates, n_systems=5)

    def loss(x):
        ahead = x[left] - x[right] + covariates @ (x[5:] / [1.0, 250.0])
        return (outcome * np.logaddexp(0, -ahead) + (1 - outcome) * np.logaddexp(0, ahead)).sum()

    found = minimize(loss, np.zeros(7), method="BFGS", options={"gtol": 1e-4}).x
    np.testing.assert_allclose(fit.log_strength, found[:5] - found[:5].mean(), atol=1e-5)
    np.testing.assert_allclose(fit.coefficients * [1.0, 250.0], found[5:], atol=1e-5)


def test_the_score_is_zero_at_the_solution():
    """Observed and expected sums of the covariates agree, whatever their unit."""
    left, right, outcome, covariates = simulated(2)
    for unit in (1e-8, 1.0, 1e8):
        fit = bradley_terry_covariates(left, right, outcome, unit * covariates, n_systems=5)
        ahead = fit.log_strength[left] - fit.log_strength[right] + unit * covariates @ fit.coefficients
        residual = outcome - 1 / (1 + np.exp(-ahead))
        np.testing.assert_allclose(residual @ covariates / [1.0, 250.0], 0, atol=1e-9)


def test_without_covariates_it_is_bradley_terry():
    """Strengths and both covariances are the same."""
    left, right, outcome, covariates = simulated(3)
    none = covariates[:, :0]
    counts = match_counts(left, right, outcome, n_systems=5)
    wins = with_ties(counts.wins, counts.ties, "half")
    fit = bradley_terry_covariates(left, right, outcome, none, n_systems=5)
    np.testing.assert_allclose(fit.log_strength, bradley_terry(wins).log_strength, atol=1e-11)
    rows = left, right, outcome
    np.testing.assert_allclose(
        covariate_covariance(fit, *rows, none, robust=False),
        model_covariance(wins, fit.log_strength),
        atol=1e-12,
    )
    cluster = np.arange(len(left)) // 10
    np.testing.assert_allclose(
        covariate_covariance(fit, *rows, none, cluster=cluster),
        robust_covariance(fit.log_strength, *rows, cluster=cluster),
        atol=1e-12,
    )


def test_weights_count_rows():
    """A row of weight 3 is three rows; one of weight 0 is none."""
    left, right, outcome, covariates = simulated(4, n_matches=300)
    weight = np.random.default_rng(5).integers(0, 4, 300)
    repeated = [np.repeat(part, weight, axis=0) for part in (left, right, outcome, covariates)]
    fit = bradley_terry_covariates(left, right, outcome, covariates, n_systems=5, weight=weight.astype(float))
    again = bradley_terry_covariates(*repeated, n_systems=5)
    np.testing.assert_allclose(fit.log_strength, again.log_strength, atol=1e-11)
    np.testing.assert_allclose(
        covariate_covariance(fit, left, right, outcome, covariates, weight=weight.astype(float)),
        covariate_covariance(again, *repeated),
        rtol=1e-8,
        atol=1e-15,
    )


def test_exchanging_sides_changes_nothing():
    """With the covariates' signs and outcomes exchanged too."""
    left, right, outcome, covariates = simulated(6)
    fit = bradley_terry_covariates(left, right, outcome, covariates, n_systems=5)
    again = bradley_terry_covariates(right, left, 1 - outcome, -covariates, n_systems=5)
    np.testing.assert_allclose(fit.log_strength, again.log_strength, atol=1e-12)
    np.testing.assert_allclose(fit.coefficients, again.coefficients, atol=1e-12)


def test_robust_errors_are_those_of_the_bootstrap():
    """Of strengths and coefficients alike."""
    left, right, outcome, covariates = simulated(7)
    fit = bradley_terry_covariates(left, right, outcome, covariates, n_systems=5)
    errors = np.sqrt(np.diag(covariate_covariance(fit, left, right, outcome, covariates)))
    rng, drawn = np.random.default_rng(8), []
    for _ in range(300):
        some = rng.integers(0, len(left), len(left))
        again = bradley_terry_covariates(
            left[some], right[some], outcome[some], covariates[some], n_systems=5
        )
        drawn.append(np.append(again.log_strength, again.coefficients))
    np.testing.assert_allclose(errors, np.std(drawn, axis=0), rtol=0.15)


def test_what_cannot_be_told_apart_is_refused():
    """A covariate that only says which systems met, one twice, one that is always 0, a winless system."""
    left, right, outcome, covariates = simulated(9)
    by_system = (np.arange(5.0) ** 2)[:, None]
    doubles = [by_system[left] - by_system[right], covariates[:, [0, 0]], 0 * covariates]
    for column in doubles:
        with pytest.raises(NotEstimable, match="covariates repeat each other"):
            bradley_terry_covariates(left, right, outcome, column, n_systems=5)
    with pytest.raises(NotEstimable, match="never beat any"):
        bradley_terry_covariates(left, right, outcome, covariates, n_systems=6)


@pytest.mark.parametrize("winner_left", [False, True])
def test_a_covariate_that_foretells_everything_is_refused(winner_left):
    """Its coefficient would grow for ever, until the arithmetic ends or the patience does."""
    left, right, outcome, _ = simulated(10)
    if winner_left:
        left, right = np.where(outcome == 0, right, left), np.where(outcome == 0, left, right)
        outcome = np.maximum(outcome, 1 - outcome)
    with pytest.raises(NotConverged, match="foretell every outcome"):
        bradley_terry_covariates(left, right, outcome, outcome[:, None] - 0.5, n_systems=5)


def test_covariates_are_checked():
    """One row a match, finite numbers."""
    left, right, outcome, covariates = simulated(11)
    with pytest.raises(BetterThanError, match="matches × covariates with 1500 rows"):
        bradley_terry_covariates(left, right, outcome, covariates[:, 0], n_systems=5)
    covariates[3, 1] = np.nan
    with pytest.raises(BetterThanError, match="finite numbers"):
        bradley_terry_covariates(left, right, outcome, covariates, n_systems=5)
