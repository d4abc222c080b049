"""The sandwich of the models of ties: against derivatives, matrix roots and the jackknife, all written down anew."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.special import expit

from betterthan.errors import NotEstimable
from betterthan.kernels.comparisons import tie_models
from betterthan.kernels.comparisons.davidson import davidson
from betterthan.kernels.comparisons.match_counts import match_counts
from betterthan.kernels.comparisons.rao_kupper import rao_kupper
from betterthan.kernels.comparisons.tie_models import clustered_tie_fit, tie_covariance, tie_terms

FITS = {"davidson": davidson, "rao_kupper": rao_kupper}
both_models = pytest.mark.parametrize("ties", FITS)


def drawn(seed, *, m=4, n=120, n_judges=6):
    """Rows of battles with ties, by judges with tastes; some rows count twice."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, m, n)
    right = (left + rng.integers(1, m, n)) % m
    judge = rng.integers(0, n_judges, n)
    taste = np.linspace(0.6, -0.6, m) + 0.5 * rng.normal(size=(n_judges, m))
    ahead = taste[judge, left] - taste[judge, right]
    draw = rng.random(n)
    outcome = np.where(draw < expit(ahead - 0.5), 1.0, np.where(draw > expit(ahead + 0.5), 0.0, 0.5))
    return (left, right, outcome, 1.0 + (rng.random(n) < 0.2)), judge


def fit_of(ties, rows, m=4):
    """The model fitted to these rows."""
    counts = match_counts(*rows, n_systems=m)
    return FITS[ties](counts.wins, counts.ties)


def parameters_of(fit):
    """Log strengths, and log ν or the threshold."""
    other = np.log(fit.tie_strength) if hasattr(fit, "tie_strength") else fit.threshold
    return np.append(fit.log_strength, other)


def log_likelihood(ties, parameters, left, right, outcome):
    """Of one match, from the probabilities of its three outcomes."""
    ahead, other = parameters[left] - parameters[right], parameters[-1]
    if ties == "rao_kupper":
        win, loss = expit(ahead - other), expit(-ahead - other)
    else:
        total = np.exp(ahead / 2) + np.exp(-ahead / 2) + np.exp(other)
        win, loss = np.exp(ahead / 2) / total, np.exp(-ahead / 2) / total
    return np.log({1.0: win, 0.0: loss, 0.5: 1 - win - loss}[outcome])


def score_and_information(ties, parameters, row, *, step=1e-4):
    """Gradient and negative Hessian of one match by central differences."""
    eye = step * np.eye(parameters.size)

    def value(shift):
        return log_likelihood(ties, parameters + shift, *row)

    score = np.array([value(e) - value(-e) for e in eye]) / (2 * step)
    second = [
        [(value(e + f) - value(e - f) - value(f - e) + value(-e - f)) / (4 * step**2) for f in eye]
        for e in eye
    ]
    return score, -np.array(second)


def each_match(ties, fit, rows):
    """Scores (t, m + 1) and information (t, m + 1, m + 1) of all rows, by differences."""
    found = [
        score_and_information(ties, parameters_of(fit), row)
        for row in zip(*(column.tolist() for column in rows[:3]), strict=True)
    ]
    return np.array([score for score, _ in found]), np.array([information for _, information in found])


def reference(ties, fit, rows, cluster, *, small_sample=True):
    """The sandwich by its formula, with roots of matrices; rows are their own clusters where there are none."""
    scores, informations = each_match(ties, fit, rows)
    weight, width = rows[3], scores.shape[1]
    bread = np.linalg.pinv(np.einsum("t,tab->ab", weight, informations), rcond=1e-6)
    middle = np.zeros((width, width))
    alone = np.repeat(np.arange(weight.size), weight.astype(int))
    for code in np.unique(cluster) if cluster is not None else alone:
        inside = cluster == code if cluster is not None else np.arange(weight.size) == code
        by = weight[inside] if cluster is not None else np.ones(1)
        score = by @ scores[inside]
        if small_sample:
            pull = np.einsum("t,tab->ab", by, informations[inside]) @ bread
            score = np.real(np.linalg.inv(sqrtm(np.eye(width) - pull)) @ score)
        middle += np.outer(score, score)
    return bread @ middle @ bread


def only_differences(covariance):
    """The covariance under sum 0, which is the only part that is determined."""
    turn = np.eye(len(covariance))
    turn[:-1, :-1] -= 1 / (len(covariance) - 1)
    return turn @ covariance @ turn.T


@both_models
def test_terms_are_derivatives(ties):
    """Of the log-likelihood of each match, by its lead and by the parameter of ties."""
    rows, _ = drawn(1)
    fit = fit_of(ties, rows)
    terms = tie_terms(fit, *rows[:3])
    scores, informations = each_match(ties, fit, rows)
    line = np.arange(rows[0].size)

    np.testing.assert_allclose(terms.lead, scores[line, rows[0]], atol=1e-7)
    np.testing.assert_allclose(terms.lead, -scores[line, rows[1]], atol=1e-7)
    np.testing.assert_allclose(terms.tie, scores[:, -1], atol=1e-7)
    np.testing.assert_allclose(terms.of_lead, informations[line, rows[0], rows[0]], atol=1e-6)
    np.testing.assert_allclose(terms.crossed, informations[line, rows[0], -1], atol=1e-6)
    np.testing.assert_allclose(terms.of_tie, informations[:, -1, -1], atol=1e-6)
    assert rows[3] @ terms.tie == pytest.approx(0, abs=1e-9)


@both_models
@pytest.mark.parametrize("small_sample", [False, True])
def test_single_matches_have_the_sandwich_of_the_formula(ties, small_sample):
    """From numeric derivatives, and with roots of matrices for what each match pulls."""
    rows, _ = drawn(2)
    fit = fit_of(ties, rows)
    found = tie_covariance(fit, *rows, small_sample=small_sample)
    expected = reference(ties, fit, rows, None, small_sample=small_sample)

    np.testing.assert_allclose(found, only_differences(expected), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found[:4].sum(axis=0), 0, atol=1e-12)


@both_models
def test_single_matches_vary_as_in_the_jackknife(ties):
    """Leaving out one match at a time; the jackknife is slightly wider."""
    rows, _ = drawn(3, n=200)
    rows = (*rows[:3], np.ones(200))
    fit = fit_of(ties, rows)
    kept = ~np.eye(200, dtype=bool)
    left_out = np.array([fit_of(ties, [column[k] for column in rows]).log_strength for k in kept])
    apart = left_out - left_out.mean(axis=0)
    ratio = np.diagonal(apart.T @ apart) * 199 / 200 / np.diagonal(tie_covariance(fit, *rows))[:4]

    assert (ratio > 0.99).all()
    assert (ratio < 1.04).all()


@both_models
def test_judges_have_the_bias_reduced_sandwich_of_the_formula(ties):
    """CR2 from numeric derivatives."""
    rows, judge = drawn(4)
    fit = fit_of(ties, rows)
    found = clustered_tie_fit(fit, *rows, judge)

    expected = only_differences(reference(ties, fit, rows, judge))
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-4, atol=1e-6)


@both_models
def test_two_systems_and_even_judges_leave_one_degree_fewer(ties):
    """Five judges with the same battles have four degrees of freedom."""
    rows = (
        np.zeros(30, int),
        np.ones(30, int),
        np.tile([1.0, 1, 1, 0, 0.5, 0.5], 5),
        np.ones(30),
    )
    found = clustered_tie_fit(fit_of(ties, rows, 2), *rows, np.repeat(np.arange(5), 6))

    assert found.degrees_of_pairs(2)[0, 1] == pytest.approx(4)
    assert found.degrees(np.array([[0.5, -0.5, 0.0]])) == pytest.approx(4)


@both_models
def test_sides_and_repeats_make_no_difference(ties):
    """A match told from the other side is the same match, and a row of weight two is two rows."""
    rows, judge = drawn(5)
    fit = fit_of(ties, rows)
    turned = rows[1], rows[0], 1 - rows[2], rows[3]
    twice = np.repeat(np.arange(judge.size), rows[3].astype(int))
    apart = (*(column[twice] for column in rows[:3]), np.ones(twice.size))

    for other, code in ((turned, judge), (apart, judge[twice])):
        np.testing.assert_allclose(tie_covariance(fit, *other), tie_covariance(fit, *rows), atol=1e-12)
        once, again = clustered_tie_fit(fit, *rows, judge), clustered_tie_fit(fit, *other, code)
        np.testing.assert_allclose(again.covariance, once.covariance, atol=1e-12)
        np.testing.assert_allclose(again.degrees_of_pairs(4), once.degrees_of_pairs(4), rtol=1e-9)


@both_models
def test_many_judges_have_nearly_the_same_errors_by_the_shorter_way(ties, monkeypatch):
    """The approximation for very many clusters."""
    rows, judge = drawn(6, n=3000, n_judges=150)
    fit = fit_of(ties, rows)
    exact = clustered_tie_fit(fit, *rows, judge)
    monkeypatch.setattr(tie_models, "MOST_CLUSTERS", 10)
    near = clustered_tie_fit(fit, *rows, judge)

    assert type(near) is not type(exact)
    np.testing.assert_allclose(np.diagonal(near.covariance)[:4], np.diagonal(exact.covariance)[:4], rtol=0.01)


@both_models
def test_one_judge_has_no_error(ties):
    """Nothing to compare with."""
    rows, judge = drawn(7)
    with pytest.raises(NotEstimable, match="one cluster"):
        clustered_tie_fit(fit_of(ties, rows), *rows, 0 * judge)


@both_models
def test_matches_of_no_weight_change_nothing(ties):
    """They may be of judges who judged nothing else."""
    rows, judge = drawn(8)
    fit = fit_of(ties, rows)
    idle = tuple(np.append(column, value) for column, value in zip(rows, (0, 1, 0.5, 0.0), strict=True))
    found = clustered_tie_fit(fit, *idle, np.append(judge, 99))

    np.testing.assert_allclose(found.covariance, clustered_tie_fit(fit, *rows, judge).covariance, atol=1e-12)
    np.testing.assert_allclose(tie_covariance(fit, *idle), tie_covariance(fit, *rows), atol=1e-12)
