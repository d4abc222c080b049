"""Draws of true means of tasks: the likelihood of the interaction, and what is drawn, against literal formulas."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from betterthan.kernels.comparisons.task_truths import interaction, noise_factor, truth_draws


def drawn(seed, m=4, n_tasks=6, tau=0.2, *, gaps=False):
    """Observed means and the variances of their noise."""
    rng = np.random.default_rng(seed)
    noise = rng.uniform(0.005, 0.03, n_tasks)
    means = (
        np.linspace(0, 0.3, m)[:, None] + rng.normal(size=n_tasks) + tau * rng.standard_normal((m, n_tasks))
    )
    means = means + np.sqrt(noise) * rng.standard_normal((m, n_tasks))
    if gaps:
        means[0, 1] = means[2, 3] = means[3, 3] = np.nan
    return means, noise


def literal_restricted_likelihood(means, noise, variance):
    """Of the contrasts that are free of the effects of systems and tasks, written out as one multivariate normal."""
    m, n_tasks = means.shape
    here = ~np.isnan(means)
    rows, columns = np.nonzero(here)
    design = np.concatenate([np.eye(m)[rows], np.eye(n_tasks)[columns]], axis=1)
    left, size, _ = np.linalg.svd(design)
    rank = int((size > 1e-9).sum())
    contrasts = left[:, rank:].T
    covariance = contrasts @ np.diag(variance + noise[columns]) @ contrasts.T
    return multivariate_normal(cov=covariance).logpdf(contrasts @ means[here])


@pytest.mark.parametrize("gaps", [False, True])
def test_the_posterior_is_the_prior_times_the_restricted_likelihood(gaps):
    """Prior probabilities come from data in which the likelihood is flat: its noise is overwhelming."""
    means, noise = drawn(1, gaps=gaps)
    found = interaction(means, noise)
    literal = np.array(
        [literal_restricted_likelihood(means, noise, variance) for variance in found.variance.tolist()]
    )
    prior = found.chance / np.exp(literal - literal.max())
    prior /= prior.sum()
    assert prior[0] == pytest.approx(0.5, abs=0.02)
    error = np.sqrt(noise.mean())
    density = np.gradient(np.sqrt(found.variance)) / (1 + found.variance / error**2)
    np.testing.assert_allclose(prior[1:] / prior[1], density[1:] / density[1], rtol=1e-6)


@pytest.mark.parametrize("gaps", [False, True])
def test_leads_are_weighted_least_squares(gaps):
    """Against the dummy regression, with its covariance, up to a constant."""
    means, noise = drawn(2, gaps=gaps)
    m, n_tasks = means.shape
    found = interaction(means, noise)
    rows, columns = np.nonzero(~np.isnan(means))
    design = np.concatenate([np.eye(m)[rows], np.eye(n_tasks)[columns]], axis=1)
    contrast = np.concatenate([np.eye(m)[0] - np.eye(m)[1], np.zeros(n_tasks)])
    for k in (0, 10, 20):
        weight = np.diag(1 / (found.variance[k] + noise[columns]))
        inverse = np.linalg.pinv(design.T @ weight @ design)
        fit = inverse @ design.T @ weight @ means[rows, columns]
        assert found.lead[k, 0] - found.lead[k, 1] == pytest.approx(fit[0] - fit[1])
        root = found.root[k] if found.root.shape[-1] > 1 else found.root[k, 0, 0] * np.eye(m)
        gap = root[0] - root[1]
        assert gap @ gap == pytest.approx(contrast @ inverse @ contrast)


@pytest.mark.parametrize("n", [3, 50])
def test_factors_have_the_covariance_of_means(n):
    """For fewer and for more units than systems."""
    values = np.random.default_rng(5).normal(size=(4, n))
    deviations = (values - values.mean(axis=1)[:, None]) / n
    factor = noise_factor(deviations)
    assert factor.shape == (min(n, 4), 4)
    np.testing.assert_allclose(factor.T @ factor, np.cov(values) / n, atol=1e-12)


def test_draws_have_the_moments_of_the_posterior():
    """With one value of the interaction: means, and the covariance of noise and leads."""
    means, noise = drawn(3, m=2, n_tasks=3)
    found = interaction(means, noise)
    k = 15
    one = found._replace(
        variance=found.variance[k : k + 1],
        chance=np.ones(1),
        lead=found.lead[k : k + 1],
        root=found.root[k : k + 1],
    )
    factors = [np.sqrt(each) * np.eye(2) for each in noise]
    alone, together = truth_draws(
        means, factors, np.full(3, 1e9), one, noise, 40_000, np.random.default_rng(8)
    )
    keep = one.variance[0] / (one.variance[0] + noise)
    gaps, seen = (np.diff(each, axis=-2)[..., 0, :] for each in (together, means[None]))
    lead = one.lead[0, 1] - one.lead[0, 0]
    np.testing.assert_allclose(gaps.mean(axis=0), (1 - keep) * lead + keep * seen[0], atol=0.005)
    variance = 2 * keep * noise + (1 - keep) ** 2 * 2 * one.root[0, 0, 0] ** 2
    np.testing.assert_allclose(gaps.var(axis=0), variance, rtol=0.05)
    np.testing.assert_allclose(np.diff(alone, axis=1)[:, 0].var(axis=0), 2 * noise, rtol=0.05)
