"""Elo against evalica, TrueSkill against the package trueskill."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from tests.everyday import few

import betterthan as bt
from betterthan.kernels.ratings.elo import elo
from betterthan.kernels.ratings.trueskill import trueskill

# The package's own normal distribution is good to 1e-7; it accepts a better one.
EXACT_NORMAL = (
    lambda x: float(ndtr(x)),
    lambda x: math.exp(-x * x / 2) / math.sqrt(2 * math.pi),
    lambda p: float(ndtri(p)),
)


def season(n_systems, n_matches, *, seed, ties):
    """Matches between systems of different strength; a difference below `ties` is a tie."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=n_systems)
    left = rng.integers(0, n_systems, n_matches)
    right = (left + rng.integers(1, n_systems, n_matches)) % n_systems
    difference = strength[left] - strength[right] + rng.normal(size=n_matches)
    return left, right, np.where(np.abs(difference) < ties, 0.5, (difference > 0).astype(float))


def rated_by_package(left, right, outcome, n_systems, **settings):
    """Mean and standard deviation of each system, by the package."""
    package = pytest.importorskip("trueskill")
    environment = package.TrueSkill(**settings)
    ratings = [environment.create_rating() for _ in range(n_systems)]
    for a, b, score in zip(left, right, outcome, strict=True):
        first, second = (b, a) if score == 0 else (a, b)
        ratings[first], ratings[second] = package.rate_1vs1(
            ratings[first], ratings[second], drawn=score == 0.5, env=environment
        )
    return np.array([[rating.mu, rating.sigma] for rating in ratings]).T


@pytest.mark.parametrize("outcome", [1.0, 0.5, 0.0])
def test_trueskill_of_one_match(outcome):
    """A win, a tie and a loss of newcomers."""
    match = np.array([0]), np.array([1]), np.array([outcome])
    expected = rated_by_package(*match, 2, backend=EXACT_NORMAL)
    assert np.array(trueskill(*match, n_systems=2)) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(
    "settings",
    few(
        [
            {},
            {"tau": 0.0},
            {"draw_probability": 0.4},
            {"mu": 0.0, "sigma": 1.0, "beta": 2.0, "tau": 0.05, "draw_probability": 0.02},
        ],
        2,
    ),
)
def test_trueskill_of_a_season(settings):
    """5000 matches with ties, default and other parameters, to 1e-9."""
    matches = season(20, 5000, seed=3, ties=0.15)
    assert (matches[2] == 0.5).sum() > 200
    expected = rated_by_package(*matches, 20, backend=EXACT_NORMAL, **settings)
    assert np.array(trueskill(*matches, n_systems=20, **settings)) == pytest.approx(expected, abs=1e-9)


def test_trueskill_of_a_season_with_the_packages_own_normal_distribution():
    """As everybody has it installed: to one part in a million."""
    matches = season(20, 5000, seed=4, ties=0.15)
    expected = rated_by_package(*matches, 20)
    assert np.array(trueskill(*matches, n_systems=20)) == pytest.approx(expected, rel=1e-6)


def published_order(goodness):
    """Pair after pair, in each all segments: left, right, and the outcome of the left one, ties as draws."""
    m, n = goodness.shape
    return zip(
        *(
            (a, b, 0.5 + 0.5 * float(np.sign(goodness[a, i] - goodness[b, i])))
            for a in range(m)
            for b in range(a + 1, m)
            for i in range(n)
        ),
        strict=True,
    )


def test_trueskill_in_the_published_order_plays_ties_as_draws():
    """As the package rates the same matches pair by pair; grades of 0 to 3 tie often."""
    goodness = np.random.default_rng(8).integers(0, 4, size=(5, 40)).astype(float)
    scores = bt.Scores(
        name="grade", systems=list("ABCDE"), segments=[str(i) for i in range(40)], values=goodness
    )
    expected = rated_by_package(*published_order(goodness), 5, backend=EXACT_NORMAL)[0]
    found = bt.rank(scores, by="trueskill", order="as_published", n_resamples=2)
    ours = dict(zip(found.systems, found.strength.tolist(), strict=True))
    assert [ours[name] for name in "ABCDE"] == pytest.approx(expected, abs=1e-9)


def test_elo_in_the_published_order_gives_ties_to_the_second_system():
    """The literal loop of the released program: 1 for a strict win of the first, else 0."""
    goodness = np.random.default_rng(9).integers(0, 4, size=(4, 30)).astype(float)
    rating = [1500.0] * 4
    for a, b, outcome in zip(*published_order(goodness), strict=True):
        step = 20 * (float(outcome == 1) - 1 / (1 + 10 ** ((rating[b] - rating[a]) / 400)))
        rating[a] += step
        rating[b] -= step
    scores = bt.Scores(
        name="grade", systems=list("ABCD"), segments=[str(i) for i in range(30)], values=goodness
    )
    found = bt.rank(scores, by="elo", order="as_published", n_resamples=2)
    ours = dict(zip(found.systems, found.strength.tolist(), strict=True))
    assert [ours[name] for name in "ABCD"] == pytest.approx(rating, abs=1e-9)


def test_trueskill_of_a_season_without_ties():
    """The package accepts draw_probability 0 as long as nobody ties; so do we."""
    matches = season(5, 1000, seed=5, ties=0.0)
    expected = rated_by_package(*matches, 5, backend=EXACT_NORMAL, draw_probability=0.0)
    assert np.array(trueskill(*matches, n_systems=5, draw_probability=0.0)) == pytest.approx(
        expected, abs=1e-9
    )


@pytest.mark.parametrize("settings", [{}, {"k": 4.0, "start": 1000.0}, {"k": 60.0, "scale": 100.0}])
def test_elo_of_a_season(settings):
    """evalica, which says `initial` for `start`, to 1e-8."""
    evalica = pytest.importorskip("evalica")
    left, right, outcome = season(20, 5000, seed=6, ties=0.3)
    winner = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    chosen = {"k": 20.0, "start": 1500.0, "scale": 400.0} | settings
    result = evalica.elo(
        left.tolist(),
        right.tolist(),
        [winner[score] for score in outcome],
        initial=chosen["start"],
        k=chosen["k"],
        scale=chosen["scale"],
        base=10.0,
    )
    found = elo(left, right, outcome, n_systems=20, **settings)
    assert found == pytest.approx(result.scores.sort_index().to_numpy(), abs=1e-8)
