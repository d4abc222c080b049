"""TrueSkill: the two moments it rests on, laws, and what happens far out."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr

from betterthan.errors import BetterThanError
from betterthan.kernels.ratings.elo import powers_table
from betterthan.kernels.ratings.loops import (
    draw_update,
    draw_updates,
    excess,
    excesses,
    win_update,
    win_updates,
)
from betterthan.kernels.ratings.match_play import as_published, score_matches
from betterthan.kernels.ratings.trueskill import draw_margin, tails_table, trueskill

TABLES = (powers_table(), tails_table())
FIGURE_ONE = np.array(
    [[1.0, 5.0, 11.0, 12.0, 17.0], [2.0, 6.0, 7.0, 13.0, 18.0], [5.0, 11.0, 12.0, 17.0, 1.0]]
)
MATCHES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([0.0, 0.5, 1.0])), max_size=40
).map(
    lambda rows: (
        np.array([a for a, _, _ in rows], dtype=np.int64),
        np.array([(a + b) % 4 for a, b, _ in rows], dtype=np.int64),
        np.array([o for _, _, o in rows]),
    )
)


@cache
def quadrature():
    """Gauss–Legendre nodes and weights on (-1, 1)."""
    return np.polynomial.legendre.leggauss(400)


def confined(d: float, e: float) -> tuple[float, float]:
    """Mean, and one less the variance, of a normal deviate on (d - e, d + e), by quadrature."""
    node, weight = quadrature()
    weight = weight * np.exp(-e * node * d - (e * node) ** 2 / 2)
    weight /= weight.sum()
    mean = weight @ node
    return d + e * mean, 1 - e * e * (weight @ (node - mean) ** 2)


def test_the_excess_of_the_inverse_mills_ratio():
    """φ(z) / Φ(−z) − z: 0.798 at 0, 1/z − 2/z³ + 10/z⁵ far out, and log_ndtr between."""
    z = np.linspace(0, 6, 5001)
    direct = np.exp(-z * z / 2 - log_ndtr(-z)) / math.sqrt(2 * math.pi) - z
    assert excesses(z, TABLES[1]) == pytest.approx(direct, rel=1e-12)
    assert excess(0.0, TABLES[1]) == pytest.approx(math.sqrt(2 / math.pi), rel=1e-14)
    far = np.geomspace(1e3, 1e12, 50)
    assert excesses(far, TABLES[1]) == pytest.approx(1 / far - 2 / far**3 + 10 / far**5, rel=4e-15)


def test_an_upset_of_any_size_has_moments():
    """V tends to −x and w to 1, where the quotient of tails has long become 0 / 0."""
    for x in (-40.0, -1e3, -1e8):
        v, w = win_update(x, *TABLES)
        assert v == pytest.approx(-x - 1 / x, rel=1e-5)
        assert 1 - w == pytest.approx(1 / x**2, rel=2e-2, abs=3e-16)
    assert win_update(50.0, *TABLES) == pytest.approx((0, 0), abs=1e-17)


@given(st.floats(-30, 9))
def test_moments_of_a_win(x):
    """V = φ / Φ and w = v (v + x), against log_ndtr."""
    v, w = win_update(x, *TABLES)
    direct = math.exp(-x * x / 2 - log_ndtr(x)) / math.sqrt(2 * math.pi)
    assert v == pytest.approx(direct, rel=1e-12)
    assert w == pytest.approx(direct * (direct + x), abs=1e-9)
    assert 0 < w < 1


@given(st.floats(0, 8), st.floats(-12, 1.5).map(lambda exponent: 10**exponent))
def test_moments_of_a_draw(d, e):
    """They are those of a confined normal deviate, for margins from a hair to a house."""
    v, w = draw_update(d, e, *TABLES)
    mean, one_less_variance = confined(d, e)
    assert v == pytest.approx(mean, abs=1e-12)
    assert w == pytest.approx(one_less_variance, abs=1e-12)


def test_a_draw_against_all_odds_has_moments():
    """Far outside the margin a draw says: the difference is just inside."""
    v, w = draw_update(1e4, 0.05, *TABLES)
    assert v == pytest.approx(1e4 - 0.05 + 1e-4, rel=1e-12)
    assert 1 - w == pytest.approx(1e-8, rel=1e-3)


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(1e-12, 50)), min_size=1, max_size=30))
def test_vectors_and_numbers_agree_to_the_last_bit(rows):
    """The lockstep is the loop."""
    x, e = np.array(rows).T
    wins = [win_update(value, *TABLES) for value in x]
    draws = [draw_update(abs(value), margin, *TABLES) for value, margin in zip(x, e, strict=True)]
    assert np.array_equal(win_updates(x, *TABLES), np.transpose(wins))
    assert np.array_equal(draw_updates(np.abs(x), e, *TABLES), np.transpose(draws))


def test_the_published_example_of_a_first_match():
    """Two newcomers: 29.396, 7.171 and 20.604, 7.171, as in the documentation of the package trueskill 0.4.5."""
    found = trueskill(np.array([0]), np.array([1]), np.array([1.0]), n_systems=2)
    assert found.mu.round(3).tolist() == [29.396, 20.604]
    assert found.sigma.round(3).tolist() == [7.171, 7.171]


def test_a_first_tie_teaches_only_that_they_are_near():
    """Means stay, beliefs sharpen."""
    found = trueskill(np.array([0]), np.array([1]), np.array([0.5]), n_systems=2)
    assert found.mu.tolist() == [25.0, 25.0]
    assert found.sigma.round(3).tolist() == [6.458, 6.458]


def test_figure_one_as_published():
    """C above B above A; golden numbers of the package trueskill 0.4.5 in the same order."""
    found = trueskill(*as_published(score_matches(FIGURE_ONE))[:3], n_systems=3)
    assert found.mu == pytest.approx([22.075, 25.713, 28.661], abs=6e-4)
    assert found.sigma == pytest.approx([3.538, 3.061, 3.049], abs=6e-4)


@given(MATCHES)
def test_without_drift_beliefs_only_get_sharper(matches):
    """With tau = 0 every match lowers the sigma of its two systems and of nobody else."""
    left, right, outcome = matches
    before = np.full(4, 25 / 3)
    for n in range(1, left.size + 1):
        after = trueskill(left[:n], right[:n], outcome[:n], n_systems=4, tau=0.0).sigma
        played = [left[n - 1], right[n - 1]]
        assert (after[played] < before[played]).all()
        assert np.delete(after, played) == pytest.approx(np.delete(before, played), rel=1e-15)
        before = after


@given(MATCHES)
def test_it_does_not_matter_who_stands_left(matches):
    """Swapping sides and turning the outcome over is the same match."""
    left, right, outcome = matches
    a, b = trueskill(left, right, outcome, n_systems=4), trueskill(right, left, 1 - outcome, n_systems=4)
    assert a.mu == pytest.approx(b.mu, abs=1e-12)
    assert a.sigma == pytest.approx(b.sigma, abs=1e-12)


@given(MATCHES, st.permutations(range(4)))
def test_renaming_permutes(matches, names):
    """Systems have no privileges, to the last bit."""
    left, right, outcome = matches
    names = np.array(names)
    a = trueskill(left, right, outcome, n_systems=4)
    b = trueskill(names[left], names[right], outcome, n_systems=4)
    assert np.array_equal(b.mu[names], a.mu)
    assert np.array_equal(b.sigma[names], a.sigma)


@given(MATCHES, st.floats(0.01, 100))
def test_units_do_not_matter(matches, unit):
    """Scaling mu, sigma, beta and tau scales the result: all parameters are applied."""
    a = trueskill(*matches, n_systems=4)
    scaled = {"mu": 25 * unit, "sigma": 25 / 3 * unit, "beta": 25 / 6 * unit, "tau": 25 / 300 * unit}
    b = trueskill(*matches, n_systems=4, **scaled)
    assert b.mu / unit == pytest.approx(a.mu, rel=1e-9)
    assert b.sigma / unit == pytest.approx(a.sigma, rel=1e-9)


def test_drift_keeps_beliefs_open():
    """A larger tau leaves a larger sigma after the same matches."""
    left, right = np.zeros(500, dtype=int), np.ones(500, dtype=int)
    outcome = np.tile([1.0, 0.0], 250)
    sharp, open_ = (trueskill(left, right, outcome, n_systems=2, tau=tau).sigma for tau in (0.0, 1.0))
    assert (open_ > 2 * sharp).all()


def test_the_margin_makes_ties_as_likely_as_stated():
    """Equal systems tie with the draw probability."""
    margin = draw_margin(0.3, 2.0)
    assert math.erf(margin / (math.sqrt(2) * 2.0) / math.sqrt(2)) == pytest.approx(0.3, rel=1e-14)
    assert draw_margin(0.0, 2.0) == 0


@pytest.mark.parametrize("outcome", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("n_orders", [1, 130])
def test_extreme_gaps_neither_overflow_nor_warn(outcome, n_orders):
    """Thousands of wins, then the opposite or a tie, with almost no noise."""
    left, right = np.zeros(3001, dtype=int), np.ones(3001, dtype=int)
    outcomes = np.append(np.ones(3000), outcome)
    order = np.tile(np.arange(3001), (n_orders, 1))[:, -200 if n_orders > 1 else 0 :]
    options = {"beta": 1e-4, "tau": 50.0, "draw_probability": 0.2}
    found = trueskill(left, right, outcomes, n_systems=2, order=order, **options)
    assert np.isfinite(found).all()
    assert (found.sigma > 0).all()


def test_thousands_of_ties_bring_two_systems_together():
    """Ties pull towards each other, never past."""
    outcome = np.full(5000, 0.5)
    outcome[0] = 1.0
    found = trueskill(np.zeros(5000, dtype=int), np.ones(5000, dtype=int), outcome, n_systems=2)
    assert 0 <= found.mu[0] - found.mu[1] < 1e-3
    assert (found.sigma > 0).all()


def test_a_hair_thin_margin_is_a_difference_of_nothing():
    """As the draw probability vanishes a tie says "exactly equal"; areas of 1e-15 do no harm."""
    data = np.array([0, 0]), np.array([1, 1]), np.array([1.0, 0.5])
    options = {"n_systems": 2, "tau": 0.0}
    thin, thinner = (trueskill(*data, **options, draw_probability=p) for p in (1e-7, 1e-14))
    assert thin.mu == pytest.approx(thinner.mu, abs=1e-6)
    assert thin.mu[0] == pytest.approx(thin.mu[1], abs=3)
    assert thin.sigma == pytest.approx(thinner.sigma, abs=1e-6)


def test_impossible_ties_are_refused():
    """With draw_probability 0 a tie contradicts the settings; wins are fine."""
    left, right = np.array([0]), np.array([1])
    with pytest.raises(
        BetterThanError, match=r"but draw_probability is 0, which makes ties impossible\. Set it"
    ):
        trueskill(left, right, np.array([0.5]), n_systems=2, draw_probability=0)
    assert trueskill(left, right, np.array([1.0]), n_systems=2, draw_probability=0).mu[0] > 25


@pytest.mark.parametrize(
    "options", [{"sigma": 0}, {"beta": 0}, {"tau": -1}, {"mu": np.nan}, {"beta": np.inf}]
)
def test_settings_that_make_no_sense_are_refused(options):
    """The message repeats them."""
    with pytest.raises(BetterThanError, match="sigma and beta must be positive, tau 0 or more"):
        trueskill(np.array([0]), np.array([1]), np.array([1.0]), n_systems=2, **options)


@pytest.mark.parametrize("draw_probability", [-0.1, 1.0])
def test_draw_probability_is_a_probability(draw_probability):
    """One would leave no room for a winner."""
    with pytest.raises(BetterThanError, match="must be at least 0 and below 1"):
        trueskill(
            np.array([0]), np.array([1]), np.array([1.0]), n_systems=2, draw_probability=draw_probability
        )
