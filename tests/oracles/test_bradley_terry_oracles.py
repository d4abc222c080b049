"""Bradley–Terry against choix, evalica and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest

from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.covariates import bradley_terry_covariates, covariate_covariance
from betterthan.kernels.comparisons.match_counts import match_counts
from betterthan.kernels.comparisons.sandwich import model_covariance, robust_covariance
from betterthan.kernels.comparisons.wins import with_ties


def battles(seed, n_systems=8, n_matches=4000, tie_share=0.25):
    """Draw left, right and outcome of matches between unequal systems."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, n_systems, n_matches)
    right = (left + rng.integers(1, n_systems, n_matches)) % n_systems
    theta = rng.normal(size=n_systems)
    outcome = (rng.random(n_matches) < 1 / (1 + np.exp(theta[right] - theta[left]))).astype(np.float64)
    outcome[rng.random(n_matches) < tie_share] = 0.5
    return left, right, outcome


def fitted(left, right, outcome, ties, n_systems=8):
    """Wins after the ties policy, and log strengths."""
    counts = match_counts(left, right, outcome, n_systems=n_systems)
    wins = with_ties(counts.wins, counts.ties, ties)
    return wins, bradley_terry(wins).log_strength


def reduced(left, right, n_systems=8):
    """Design without the last system, and the map from its coefficients to centred log strengths."""
    design = np.eye(n_systems)[left] - np.eye(n_systems)[right]
    return design[:, :-1], (np.eye(n_systems) - 1 / n_systems)[:, :-1]


def test_the_encyclopaedia_example():
    """Wikipedia, "Bradley–Terry model", worked example: strengths with geometric mean 1."""
    wins = np.array([[0.0, 2, 0, 1], [3, 0, 5, 0], [0, 3, 0, 1], [4, 0, 3, 0]])
    np.testing.assert_allclose(
        np.exp(bradley_terry(wins).log_strength), [0.640, 1.043, 0.660, 2.270], atol=5e-4
    )


@pytest.mark.parametrize("ties", ["drop", "half"])
@pytest.mark.parametrize("seed", range(3))
def test_strengths_are_those_of_choix(seed, ties):
    """Iterated Luce spectral ranking on the matrix of wins."""
    choix = pytest.importorskip("choix")
    wins, theta = fitted(*battles(seed), ties)
    theirs = choix.ilsr_pairwise_dense(wins, tol=1e-12, max_iter=1000)
    np.testing.assert_allclose(theta, theirs - theirs.mean(), atol=1e-8)


def test_strengths_are_those_of_choix_by_optimisation():
    """Newton's conjugate gradients on the list of decided matches."""
    choix = pytest.importorskip("choix")
    left, right, outcome = battles(4)
    _, theta = fitted(left, right, outcome, "drop")
    pairs = [(i, j) if y == 1 else (j, i) for i, j, y in zip(left, right, outcome, strict=True) if y != 0.5]
    theirs = choix.opt_pairwise(8, pairs, alpha=0.0, tol=1e-14)
    np.testing.assert_allclose(theta, theirs - theirs.mean(), atol=1e-8)


@pytest.mark.parametrize(("ties", "tie_weight"), [("drop", 0.0), ("half", 0.5)])
@pytest.mark.parametrize("seed", range(3))
def test_strengths_are_those_of_evalica(seed, ties, tie_weight):
    """Its ties add `tie_weight` wins to both sides, and its scores have geometric mean 1."""
    evalica = pytest.importorskip("evalica")
    left, right, outcome = battles(seed)
    winners = [{1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}[y] for y in outcome]
    result = evalica.bradley_terry(
        left.tolist(), right.tolist(), winners, tie_weight=tie_weight, tolerance=1e-13, limit=100_000
    )
    theirs = np.log(result.scores.sort_index().to_numpy())
    _, theta = fitted(left, right, outcome, ties)
    np.testing.assert_allclose(theta, theirs - theirs.mean(), atol=1e-8)


def test_covariances_are_those_of_statsmodels():
    """A logistic regression without intercept on e_left − e_right: model, HC0, clusters."""
    api = pytest.importorskip("statsmodels.api")
    left, right, outcome = battles(5, tie_share=0.0)
    design, back = reduced(left, right)
    wins, theta = fitted(left, right, outcome, "drop")
    cluster = np.random.default_rng(6).integers(0, 40, left.size)
    logit = api.Logit(outcome, design)
    options = {"disp": 0, "tol": 1e-14, "maxiter": 100}
    plain, white = logit.fit(**options), logit.fit(cov_type="HC0", **options)
    kwds = {"groups": cluster, "use_correction": False}
    grouped = logit.fit(cov_type="cluster", cov_kwds=kwds, **options)
    np.testing.assert_allclose(theta, back @ plain.params, atol=1e-9)
    ours = model_covariance(wins, theta)
    np.testing.assert_allclose(ours, back @ plain.cov_params() @ back.T, atol=1e-10)
    ours = robust_covariance(theta, left, right, outcome, small_sample=False)
    np.testing.assert_allclose(ours, back @ white.cov_params() @ back.T, atol=1e-10)
    ours = robust_covariance(theta, left, right, outcome, cluster=cluster, small_sample=False)
    np.testing.assert_allclose(ours, back @ grouped.cov_params() @ back.T, atol=1e-10)


def test_covariates_are_those_of_statsmodels():
    """A binomial model with fractional outcomes, where a tie is one half."""
    api = pytest.importorskip("statsmodels.api")
    left, right, outcome = battles(7)
    rng = np.random.default_rng(8)
    covariates = np.column_stack([rng.normal(size=left.size), np.ones(left.size)])
    fit = bradley_terry_covariates(left, right, outcome, covariates, n_systems=8)
    design, back = reduced(left, right)
    design = np.column_stack([design, covariates])
    back = np.block([[back, np.zeros((8, 2))], [np.zeros((2, 7)), np.eye(2)]])
    model = api.GLM(outcome, design, family=api.families.Binomial())
    theirs = model.fit(tol=1e-15, maxiter=100, cov_type="HC0")
    expected = back @ theirs.params
    np.testing.assert_allclose(np.append(fit.log_strength, fit.coefficients), expected, atol=1e-9)
    ours = covariate_covariance(fit, left, right, outcome, covariates, small_sample=False)
    np.testing.assert_allclose(ours, back @ theirs.cov_params() @ back.T, atol=1e-10)
