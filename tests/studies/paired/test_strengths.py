"""Five mechanisms as the studies use them, against the verbs and against literal loops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import betterthan as bt
from betterthan.studies.paired.paired_disagreement import disagreement
from betterthan.studies.paired.strengths import played_strengths, three_strengths


def table(seed, m=5, n=12):
    """Scores with ties."""
    return np.random.default_rng(seed).normal(size=(m, n)).round(1)


def literal_fixed_point(scores, epsilon=1e-9):
    """Appendix E read line by line, ties to the later system."""
    m, n = scores.shape
    wins = np.zeros((m, m))
    for i in range(m):
        for j in range(i + 1, m):
            wins[i, j] = sum(scores[i, s] > scores[j, s] for s in range(n))
            wins[j, i] = n - wins[i, j]
    strength = np.full(m, 1 / m)
    while True:
        new = np.empty(m)
        for i in range(m):
            new[i] = wins[i].sum() / sum(n / (strength[i] + strength[j]) for j in range(m) if j != i)
        new /= new.sum()
        if ((new - strength) ** 2).sum() < epsilon:
            return new
        strength = new


@pytest.mark.parametrize("seed", range(4))
def test_strengths_are_those_of_the_verbs(seed):
    """Mean, median and Bradley–Terry of a table are what rank says of it."""
    scores = table(seed)
    found = three_strengths([scores, scores[:, :9]], as_published=False)
    assert found.n_regularized == 0
    verb = bt.Scores(name="x", systems=tuple("ABCDE"), segments=map(str, range(12)), values=scores)
    for place, by in enumerate(("mean", "median", "bradley_terry")):
        scale = {"scale": "log"} if by == "bradley_terry" else {}
        ranking = bt.rank(verb, by=by, n_resamples=10, **scale)
        expected = dict(zip(ranking.systems, ranking.strength.tolist(), strict=True))
        np.testing.assert_allclose(found.values[0, place], [expected[s] for s in "ABCDE"], atol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_published_strengths_are_those_of_the_literal_iteration(seed):
    """Ties to the later system, stopped when the squared change is small."""
    scores = table(seed)
    found = three_strengths([scores], as_published=True).values[0, 2]
    np.testing.assert_allclose(found, literal_fixed_point(scores), rtol=1e-12)


def test_where_strengths_do_not_exist_a_prior_is_used_and_counted():
    """A system that always loses gets a number, and the count says that it was needed."""
    scores = np.array([[3.0, 3, 3], [2, 1, 2], [1, 2, 1]])
    found = three_strengths([scores], as_published=False)
    assert found.n_regularized == 1
    assert np.isfinite(found.values).all()
    assert found.values[0, 2].argmax() == 0


def test_published_play_is_the_published_order_of_the_verb():
    """Elo and TrueSkill without shuffles."""
    scores = table(3)
    found = played_strengths(scores, as_published=True, orders=1, seed=1, label="x")
    verb = bt.Scores(name="x", systems=tuple("ABCDE"), segments=map(str, range(12)), values=scores)
    for own, by in zip(found, ("elo", "trueskill"), strict=True):
        ranking = bt.rank(verb, by=by, order="as_published", n_resamples=2)
        expected = dict(zip(ranking.systems, ranking.strength.tolist(), strict=True))
        np.testing.assert_allclose(own, [expected[s] for s in "ABCDE"], rtol=1e-12)


def test_shuffled_play_belongs_to_seed_and_label():
    """The same label gives the same orders, another label others."""
    scores = table(3)
    first, again, other = (
        played_strengths(scores, as_published=False, orders=3, seed=1, label=label) for label in "aab"
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("seed", range(6))
def test_disagreement_counts_flipped_pairs_or_rescales_tau(seed):
    """Counted pair by pair here, by scipy's tau as published."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, size=(2, 7)).astype(float)
    pairs = [(i, j) for i in range(7) for j in range(i)]
    flipped = np.mean([(x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in pairs])
    assert disagreement(x, y, as_published=False)[0] == pytest.approx(flipped)
    assert disagreement(x, y, as_published=True)[0] == pytest.approx((1 - stats.kendalltau(x, y)[0]) / 2)
    np.testing.assert_array_equal(
        disagreement(x, y, as_published=False), disagreement(y, x, as_published=False)
    )


def test_ties_at_the_top_are_sets_in_the_text_and_columns_as_published():
    """Two best against one best: another best as sets, the same by the order of columns."""
    x, y = np.array([3.0, 3.0, 1.0, 0.0]), np.array([3.0, 2.0, 1.0, 0.0])
    assert disagreement(x, y, as_published=False)[1] == 1
    assert disagreement(x, y, as_published=True)[1] == 0


def test_a_constant_ranking_has_no_published_disagreement():
    """Undefined is NaN, never 0."""
    assert np.isnan(disagreement(np.ones(4), np.arange(4.0), as_published=True)[0])
