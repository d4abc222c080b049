"""Elo: hand-made numbers, laws, and what happens far out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.errors import BetterThanError
from betterthan.kernels.ratings.elo import elo, powers_table, shuffled_elo
from betterthan.kernels.ratings.loops import power_of_two, powers_of_two
from betterthan.kernels.ratings.match_play import as_published, score_matches, ties_to_second

FIGURE_ONE = np.array(
    [[1.0, 5.0, 11.0, 12.0, 17.0], [2.0, 6.0, 7.0, 13.0, 18.0], [5.0, 11.0, 12.0, 17.0, 1.0]]
)
# left, right, outcome of up to 40 matches between four systems
MATCHES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([0.0, 0.5, 1.0])), max_size=40
).map(
    lambda rows: (
        np.array([a for a, _, _ in rows], dtype=np.int64),
        np.array([(a + b) % 4 for a, b, _ in rows], dtype=np.int64),
        np.array([o for _, _, o in rows]),
    )
)


def literal(left, right, outcome, *, n_systems, k=20.0, start=1500.0, scale=400.0):
    """The formula, with Q = 10^(R / scale)."""
    rating = [start] * n_systems
    for i, j, s in zip(left, right, outcome, strict=True):
        q_i, q_j = 10 ** (rating[i] / scale), 10 ** (rating[j] / scale)
        expected = q_i / (q_i + q_j)
        rating[i] += k * (s - expected)
        rating[j] -= k * (s - expected)
    return rating


def test_the_first_match_moves_half_of_k():
    """Equals expect a half: the winner gains k / 2, a tie moves nobody."""
    left, right = np.array([0]), np.array([1])
    assert elo(left, right, np.array([1.0]), n_systems=2).tolist() == [1510.0, 1490.0]
    assert elo(left, right, np.array([0.5]), n_systems=2).tolist() == [1500.0, 1500.0]
    assert elo(left, right, np.array([0.0]), n_systems=2, k=32, start=0).tolist() == [-16.0, 16.0]


def test_a_lead_of_one_scale_is_ten_to_one():
    """After wins to a lead near 400 the favourite gains about k / 11."""
    left, right = np.zeros(2, dtype=int), np.ones(2, dtype=int)
    first, second = (elo(left[:n], right[:n], np.ones(n), n_systems=2, k=400.0) for n in (1, 2))
    assert first[0] - first[1] == 400
    assert second[0] - first[0] == pytest.approx(400 / 11, rel=1e-14)


@given(MATCHES, st.floats(0.1, 300), st.floats(20, 800))
def test_the_ratings_are_those_of_the_formula(matches, k, scale):
    """The literal loop agrees."""
    expected = literal(*matches, n_systems=4, k=k, scale=scale)
    assert elo(*matches, n_systems=4, k=k, scale=scale) == pytest.approx(expected, abs=1e-8)


@given(MATCHES)
def test_what_one_gains_another_loses(matches):
    """The sum of the ratings is constant."""
    assert elo(*matches, n_systems=4).sum() == pytest.approx(6000, abs=1e-9)


@given(MATCHES)
def test_it_does_not_matter_who_stands_left(matches):
    """Swapping sides and turning the outcome over is the same match."""
    left, right, outcome = matches
    turned = elo(right, left, 1 - outcome, n_systems=4)
    assert turned == pytest.approx(elo(left, right, outcome, n_systems=4), abs=1e-9)


@given(MATCHES, st.permutations(range(4)))
def test_renaming_permutes(matches, names):
    """Systems have no privileges, to the last bit."""
    left, right, outcome = matches
    names = np.array(names)
    renamed = elo(names[left], names[right], outcome, n_systems=4)
    assert np.array_equal(renamed[names], elo(left, right, outcome, n_systems=4))


@given(MATCHES, st.floats(-3000, 3000))
def test_only_differences_count(matches, start):
    """Another start moves all ratings by the same."""
    moved = elo(*matches, n_systems=4, start=start) - start
    assert moved == pytest.approx(elo(*matches, n_systems=4, start=0.0), abs=1e-8)


def test_figure_one_as_published():
    """Equal means, but C above B above A; golden numbers of the literal loop over pairs, then segments."""
    rating = [1500.0] * 3
    for i, j in ((0, 1), (0, 2), (1, 2)):
        for a, b in zip(FIGURE_ONE[i], FIGURE_ONE[j], strict=True):
            q_i, q_j = 10 ** (rating[i] / 400), 10 ** (rating[j] / 400)
            step = 20 * ((1.0 if a > b else 0.0) - q_i / (q_i + q_j))
            rating[i] += step
            rating[j] -= step
    found = elo(*ties_to_second(as_published(score_matches(FIGURE_ONE)))[:3], n_systems=3)
    assert found == pytest.approx(rating, abs=1e-9)
    assert found == pytest.approx([1451.9368652081544, 1501.4929559643733, 1546.5701788274723], abs=1e-9)


def test_the_published_order_depends_on_how_systems_are_listed_and_the_mean_of_shuffles_does_not():
    """Why shuffles are the default: figure 1 twenty times over, its systems listed in another order."""
    listing = np.array([1, 2, 0])
    tables = np.tile(FIGURE_ONE, 20), np.tile(FIGURE_ONE, 20)[listing]
    a, b = (elo(*as_published(score_matches(table))[:3], n_systems=3) for table in tables)
    assert np.abs(a[listing] - b).max() > 100
    a, b = (
        shuffled_elo(
            *score_matches(table)[:3], n_systems=3, n_shuffles=1000, rng=np.random.default_rng(5)
        ).mean(axis=0)
        for table in tables
    )
    assert np.abs(a[listing] - b).max() < 5
    assert (np.diff(a) > 100).all()


@pytest.mark.parametrize("n_orders", [1, 40])
def test_extreme_leads_neither_overflow_nor_warn(n_orders):
    """A lead of millions of scales: the favourite gains nothing, the underdog everything."""
    left, right = np.zeros(3, dtype=int), np.ones(3, dtype=int)
    order = np.tile([0, 1, 2], (n_orders, 1))
    found = elo(
        left, right, np.array([1.0, 1.0, 0.0]), n_systems=2, k=1e6, scale=1e-3, start=0.0, order=order
    )
    assert found[0] == pytest.approx([-5e5, 5e5])
    assert elo(left, right, np.ones(3), n_systems=2, k=1e300, start=0.0).tolist() == [5e299, -5e299]


def test_thousands_of_ties_bring_two_systems_together():
    """Ties pull towards each other, never past."""
    outcome = np.full(5000, 0.5)
    outcome[0] = 1.0
    left, right = np.zeros(5000, dtype=int), np.ones(5000, dtype=int)
    found = elo(left, right, outcome, n_systems=2)
    assert 0 <= found[0] - found[1] < 1e-6


def test_a_system_that_never_plays_stays_at_the_start():
    """Nothing is known of it."""
    assert elo(np.array([0]), np.array([2]), np.array([1.0]), n_systems=4)[[1, 3]].tolist() == [
        1500.0,
        1500.0,
    ]


def test_powers_of_two_are_right_to_the_last_digits():
    """Within two units in the last place of the exact power, and constant far out."""
    x = np.linspace(-3000.3, 3000.3, 5003)
    table = powers_table()
    assert np.abs(powers_of_two(x, table) / np.exp2(x / 64) - 1).max() < 5e-16
    assert [power_of_two(value, table) for value in x] == powers_of_two(x, table).tolist()
    for far in (5000.0, math.inf):
        assert power_of_two(far, table) == power_of_two(4095.0, table)
        assert power_of_two(-far, table) == power_of_two(-4095.0, table)


@pytest.mark.parametrize(
    "options", [{"k": 0}, {"k": -1}, {"k": np.nan}, {"scale": 0}, {"scale": np.inf}, {"start": np.nan}]
)
def test_settings_that_make_no_sense_are_refused(options):
    """The message repeats them."""
    with pytest.raises(BetterThanError, match="k and scale must be positive and start finite; they are"):
        elo(np.array([0]), np.array([1]), np.array([1.0]), n_systems=2, **options)
