"""How averaged ratings respond to outcomes, against playing with outcomes that differ."""

from __future__ import annotations

import numpy as np
import pytest
from tests.everyday import few

from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.sandwich import clustered_fit
from betterthan.kernels.ratings.elo import shuffled_elo
from betterthan.kernels.ratings.match_play import MatchList
from betterthan.kernels.ratings.response import elo_response, rating_covariance, trueskill_response
from betterthan.kernels.ratings.trueskill import BETA, DRAW_PROBABILITY, SIGMA, TAU, shuffled_trueskill

USUAL = {"sigma": SIGMA, "beta": BETA, "tau": TAU, "draw_probability": DRAW_PROBABILITY}


def season(n, m=3, *, ties=0.15, seed=1):
    """Matches of systems that differ a little."""
    rng = np.random.default_rng(seed)
    left = rng.integers(0, m, n)
    right = (left + rng.integers(1, m, n)) % m
    outcome = (rng.random(n) < 1 / (1 + np.exp(0.5 * (left - right)))).astype(float)
    return MatchList(left, right, np.where(rng.random(n) < ties, 0.5, outcome))


def played(by, matches, n_shuffles=4000):
    """Ratings after many orders of the same matches, and the variances of TrueSkill's beliefs."""
    options = {"n_systems": 3, "n_shuffles": n_shuffles, "rng": np.random.default_rng(0)}
    if by == "elo":
        return shuffled_elo(*matches[:3], **options), None
    found = shuffled_trueskill(*matches[:3], **options)
    return found.mu, (found.sigma**2).mean(axis=0)


@pytest.mark.parametrize("n", few([60, 400], 1))
@pytest.mark.parametrize("by", ["elo", "trueskill"])
def test_losing_instead_of_winning(by, n):
    """Turn every twelfth win of the first system into a loss: the mean over orders moves as predicted."""
    matches = season(n)
    ratings, variance = played(by, matches)
    mu = ratings.mean(axis=0)
    response = elo_response(ratings, matches) if by == "elo" else None
    response = response or trueskill_response(mu, variance, matches, **USUAL)
    own = np.flatnonzero((matches.left == 0) & (matches.outcome == 1))[::4]
    outcome = matches.outcome.copy()
    outcome[own] = 0.0
    surprise = np.zeros(3)
    for other in matches.right[own]:
        change = -response.win[0, other] - response.win[other, 0]
        surprise[0] += change
        surprise[other] -= change
    moved = played(by, matches._replace(outcome=outcome))[0].mean(axis=0) - mu

    assert response.gain @ surprise == pytest.approx(moved, rel=0.15, abs=0.02 * np.abs(moved).max())


def test_long_lists_of_elo_have_the_errors_of_bradley_terry():
    """The response becomes the inverse information of the model with ties half."""
    matches = season(20_000, ties=0.2)
    wins = np.zeros((3, 3))
    np.add.at(wins, (matches.left, matches.right), matches.outcome)
    np.add.at(wins, (matches.right, matches.left), 1 - matches.outcome)
    theta = bradley_terry(wins).log_strength
    p = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
    information = -(wins + wins.T) * p * (1 - p)
    np.fill_diagonal(information, 0.0)
    np.fill_diagonal(information, -information.sum(axis=1))
    scale = 400 / np.log(10)
    inverse = np.linalg.pinv(information) * scale
    gain = elo_response((1500 + scale * theta)[None], matches).gain
    contrast = np.array([[1.0, -1, 0], [0, 1, -1]])

    assert contrast @ gain @ contrast.T == pytest.approx(contrast @ inverse @ contrast.T, rel=1e-6)


def test_units_are_summed_before_they_are_squared():
    """Every match twice in its unit: four times the variance of a match, at the same number of units."""
    matches = season(200)
    twice = MatchList(*(np.repeat(column, 2) for column in matches[:3]))
    response = elo_response(np.array([[1500.0, 1500.0, 1500.0]]), matches)
    once = rating_covariance(response, matches, np.arange(200), 200)
    doubled = rating_covariance(response, twice, np.repeat(np.arange(200), 2), 200)

    assert doubled.covariance == pytest.approx(4 * once.covariance)
    assert doubled.df == pytest.approx(once.df, rel=0.01)


def test_uneven_judges_have_the_bias_reduced_covariance_of_the_model_that_elo_approaches():
    """In a long list Elo estimates Bradley–Terry strengths, whose clustered covariance equals clubSandwich's."""
    matches, rng = season(20_000), np.random.default_rng(5)
    judge = np.searchsorted(np.cumsum([0.5, 0.2, 0.1, 0.1, 0.05]), rng.random(20_000))
    wins = np.zeros((3, 3))
    np.add.at(wins, (matches.left, matches.right), matches.outcome)
    np.add.at(wins, (matches.right, matches.left), 1 - matches.outcome)
    theta, scale = bradley_terry(wins).log_strength, 400 / np.log(10)
    expected = clustered_fit(theta, *matches[:3], np.ones(20_000), judge)
    found = rating_covariance(elo_response((1500 + scale * theta)[None], matches), matches, judge, 6)

    assert found.covariance == pytest.approx(expected.covariance * scale**2, rel=1e-6)
    off = ~np.eye(3, dtype=bool)
    assert found.pair_df[off] == pytest.approx(expected.degrees_of_pairs(3)[off], rel=1e-6)
    assert (found.pair_df[off] < 3.5).all()


def test_chunks_of_units_give_the_same_sums(monkeypatch):
    """A few units at a time, in any order of the matches."""
    matches, unit = season(300), np.random.default_rng(3).integers(0, 40, 300)
    response = elo_response(np.array([[1500.0, 1520.0, 1480.0]]), matches)
    whole = rating_covariance(response, matches, unit, 40)
    monkeypatch.setattr("betterthan.kernels.ratings.response._CELLS_AT_ONCE", 20)

    assert rating_covariance(response, matches, unit, 40).covariance == pytest.approx(whole.covariance)
