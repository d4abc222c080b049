from __future__ import annotations

import numpy as np
import pytest

from betterthan.errors import BetterThanError, NotEstimable
from betterthan.kernels.comparisons.bradley_terry import bradley_terry, bradley_terry_batch
from betterthan.kernels.comparisons.match_counts import (
    match_counts,
    resampled_match_counts,
    squares_of_clusters,
)
from betterthan.kernels.comparisons.sandwich import difference_errors, model_covariance, robust_covariance
from betterthan.kernels.comparisons.wins import with_prior, with_ties


def simulated(n_matches, n_systems, seed, *, n_clusters=1, spread=0.0, tie_share=0.2):
    """Draw matches whose judges each have their own taste, of size `spread`."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, n_systems, n_matches)
    right = (left + rng.integers(1, n_systems, n_matches)) % n_systems
    cluster = rng.integers(0, n_clusters, n_matches)
    taste = np.linspace(-1, 1, n_systems) + spread * rng.normal(size=(n_clusters, n_systems))
    ahead = taste[cluster, left] - taste[cluster, right]
    outcome = (rng.random(n_matches) < 1 / (1 + np.exp(-ahead))).astype(np.float64)
    outcome[rng.random(n_matches) < tie_share] = 0.5
    return left, right, outcome, cluster


def fitted(left, right, outcome, n_systems, weight=None):
    """Wins with half ties, counts, and log strengths."""
    counts = match_counts(left, right, outcome, weight, n_systems=n_systems)
    wins = with_ties(counts.wins, counts.ties, "half")
    return wins, counts, bradley_terry(wins).log_strength


def test_the_model_covariance_is_the_pseudo_inverse_of_the_information():
    """Built here from the definition, one match at a time."""
    left, right, outcome, _ = simulated(300, 4, seed=1)
    wins, _, theta = fitted(left, right, outcome, 4)
    information = np.zeros((4, 4))
    for i, j in zip(left, right, strict=True):
        p = 1 / (1 + np.exp(theta[j] - theta[i]))
        design = np.eye(4)[i] - np.eye(4)[j]
        information += p * (1 - p) * np.outer(design, design)
    np.testing.assert_allclose(model_covariance(wins, theta), np.linalg.pinv(information), atol=1e-12)


@pytest.mark.parametrize("clustered", [False, True])
def test_the_robust_covariance_is_its_definition(clustered):
    """Scores of matches or clusters, squared and put between two inverse informations."""
    left, right, outcome, cluster = simulated(300, 4, seed=2, n_clusters=9, spread=0.5)
    wins, _, theta = fitted(left, right, outcome, 4)
    designs = np.eye(4)[left] - np.eye(4)[right]
    residual = outcome - 1 / (1 + np.exp(-(designs @ theta)))
    scores = designs * residual[:, None]
    if clustered:
        scores = np.array([scores[cluster == c].sum(axis=0) for c in range(9)])
    bread = model_covariance(wins, theta)
    factor = len(scores) / (len(scores) - 1)
    if not clustered:  # each match by what its own pull leaves: 1 − h
        chance = 1 / (1 + np.exp(-(designs @ theta)))
        factor = 1 / (1 - chance * (1 - chance) * np.einsum("ra,ab,rb->r", designs, bread, designs))
    expected = bread @ (scores.T * factor) @ scores @ bread
    covariance = robust_covariance(
        theta, left, right, outcome, cluster=1000 - 7 * cluster if clustered else None
    )
    np.testing.assert_allclose(covariance, expected, atol=1e-13)
    np.testing.assert_allclose(covariance.sum(axis=0), 0, atol=1e-14)


def test_equal_rows_may_be_added_up():
    """Cells (left, right, outcome) with weights give what single matches give, with clusters too."""
    left, right, outcome, cluster = simulated(2000, 3, seed=3, n_clusters=5)
    _, _, theta = fitted(left, right, outcome, 3)
    for groups in (None, cluster):
        rows = np.column_stack([left, right, 2 * outcome, cluster if groups is not None else 0 * cluster])
        cells, weight = np.unique(rows, axis=0, return_counts=True)
        a, b, c = cells[:, 0].astype(int), cells[:, 1].astype(int), cells[:, 3].astype(int)
        whole = robust_covariance(theta, left, right, outcome, cluster=groups)
        added = robust_covariance(
            theta, a, b, cells[:, 2] / 2, weight.astype(float), cluster=None if groups is None else c
        )
        np.testing.assert_allclose(added, whole, rtol=1e-10, atol=1e-15)


def test_codes_of_small_integer_types_do_not_overflow():
    """Twenty systems as int8: pairs need more than that."""
    left, right, outcome, cluster = simulated(3000, 20, seed=12, n_clusters=5)
    _, _, theta = fitted(left, right, outcome, 20)
    small = left.astype(np.int8), right.astype(np.int8), outcome
    for groups in (None, cluster):
        np.testing.assert_array_equal(
            robust_covariance(theta, *small, cluster=groups),
            robust_covariance(theta, left, right, outcome, cluster=groups),
        )


def test_robust_errors_are_those_of_the_bootstrap():
    """Half ties make the model too cautious; the sandwich and the bootstrap agree."""
    left, right, outcome, _ = simulated(4000, 5, seed=4, tie_share=0.5)
    wins, counts, theta = fitted(left, right, outcome, 5)
    robust = np.sqrt(np.diag(robust_covariance(theta, left, right, outcome)))
    drawn = resampled_match_counts(counts.wins, counts.ties, 4000, np.random.default_rng(5))
    spread = bradley_terry_batch(with_ties(drawn.wins, drawn.ties, "half")).log_strength.std(axis=0)
    np.testing.assert_allclose(robust, spread, rtol=0.05)
    assert (np.sqrt(np.diag(model_covariance(wins, theta))) > 1.2 * spread).all()


def test_clustered_errors_are_those_of_the_cluster_bootstrap():
    """Judges with tastes of their own: whole judges are drawn, and errors grow."""
    n_judges = 80
    left, right, outcome, judge = simulated(8000, 4, seed=6, n_clusters=n_judges, spread=1.0)
    _, _, theta = fitted(left, right, outcome, 4)
    plain = np.sqrt(np.diag(robust_covariance(theta, left, right, outcome)))
    clustered = np.sqrt(np.diag(robust_covariance(theta, left, right, outcome, cluster=judge)))
    rng = np.random.default_rng(7)
    tables = []
    for _ in range(500):
        weight = np.bincount(rng.integers(0, n_judges, n_judges), minlength=n_judges)[judge].astype(float)
        counts = match_counts(left, right, outcome, weight, n_systems=4)
        tables.append(with_ties(counts.wins, counts.ties, "half"))
    spread = bradley_terry_batch(np.array(tables)).log_strength.std(axis=0)
    np.testing.assert_allclose(clustered, spread, rtol=0.12)
    assert (clustered > 1.5 * plain).all()


def test_with_a_prior_the_fictive_system_is_a_nuisance():
    """The covariance is the block of the widened table's, centred again."""
    left, right, outcome, cluster = simulated(200, 4, seed=8, n_clusters=6)
    wins, _, _ = fitted(left, right, outcome, 4)
    wide = bradley_terry(with_prior(wins, 2.0)).log_strength
    theta = bradley_terry(wins, prior=2.0).log_strength
    centre = np.eye(4) - 0.25
    bread = model_covariance(with_prior(wins, 2.0), wide)[:4, :4]
    np.testing.assert_allclose(model_covariance(wins, theta, prior=2.0), centre @ bread @ centre, atol=1e-12)
    robust = robust_covariance(theta, left, right, outcome, cluster=cluster, prior=2.0)
    assert (np.diag(robust) < np.diag(robust_covariance(theta, left, right, outcome, cluster=cluster))).all()


def test_differences_have_the_errors_of_contrasts():
    """Square roots of c'Cc."""
    left, right, outcome, _ = simulated(500, 3, seed=9)
    _, _, theta = fitted(left, right, outcome, 3)
    covariance = robust_covariance(theta, left, right, outcome)
    contrast = np.array([1.0, 0.0, -1.0])
    assert difference_errors(covariance)[0, 2] == pytest.approx(np.sqrt(contrast @ covariance @ contrast))
    assert (np.diag(difference_errors(covariance)) == 0).all()


def test_clusters_in_blocks_add_up(monkeypatch):
    """Many clusters are worked on in pieces."""
    left, right, outcome, cluster = simulated(500, 3, seed=10, n_clusters=50)
    whole = squares_of_clusters(outcome, left, right, cluster, n_systems=3)
    monkeypatch.setattr("betterthan.kernels.comparisons.match_counts._BLOCK_NUMBERS", 12)
    np.testing.assert_allclose(squares_of_clusters(outcome, left, right, cluster, n_systems=3), whole)
    none = np.zeros(0, np.int64)
    assert not squares_of_clusters(np.zeros(0), none, none, none, n_systems=2).any()


def test_what_has_no_error_is_refused():
    """One cluster, systems that never met, a negative prior."""
    rows = np.array([0, 0]), np.array([1, 1]), np.array([1.0, 0.0])
    with pytest.raises(NotEstimable, match="belong to one cluster"):
        robust_covariance(np.zeros(2), *rows, cluster=np.array([3, 3]))
    with pytest.raises(NotEstimable, match="do not connect all systems"):
        robust_covariance(np.zeros(3), *rows)
    with pytest.raises(BetterThanError, match="prior must be 0 or more"):
        model_covariance(np.ones((2, 2)), np.zeros(2), prior=-1.0)


@pytest.mark.slow
def test_robust_intervals_cover():
    """Of a thousand 95 % intervals for each difference, about 950 hold the truth."""
    truth = np.linspace(-1, 1, 4)
    inside = []
    for seed in range(1000):
        left, right, outcome, _ = simulated(800, 4, seed=10_000 + seed, tie_share=0.0)
        _, _, theta = fitted(left, right, outcome, 4)
        errors = difference_errors(robust_covariance(theta, left, right, outcome))
        off = np.abs((theta[:, None] - theta) - (truth[:, None] - truth))
        inside.append((off <= 1.959964 * errors)[np.triu_indices(4, 1)])
    assert np.mean(inside, axis=0) == pytest.approx([0.95] * 6, abs=0.025)
