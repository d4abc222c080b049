"""Item response models: against R, brute force, and tables whose truth is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

from betterthan.kernels.item_response.conditional import chances_of_right, conditional_abilities
from betterthan.kernels.item_response.marginal import item_population

# Five systems, sixty items, by a rule that anyone can repeat.
RIGHT = np.array(
    [[(7 * i * i + 3 * s * i + 5 * s * s + i // 4) % 11 < 4 + s for i in range(60)] for s in range(5)]
)
# R 4.2.2, psychotools 0.7-2: -itempar(raschmodel(t(X)), ref = 1:5); eRm 1.0-2: RM(t(X))$betapar has the same to 1e-5.
CONDITIONAL = (-0.6335344576, -0.6335344673, 0.1930565323, 0.4153948381, 0.6586175545)
# R 4.2.2, lme4 1.1-31: glmer(x ~ 0 + s + (1 | i), family = binomial, nAGQ = 25), fixed effects less their mean.
MARGINAL = (-0.63246508, -0.63246509, 0.19040579, 0.41501577, 0.65950862)
SPREAD = 0.20173968


def answers(rng, ability, n, *, spread=1.2, slopes=0.0):
    """Whether systems are right on items drawn from a population."""
    difficulty, slope = rng.normal(0, spread, n), np.exp(rng.normal(0, slopes, n)) if slopes else np.ones(n)
    return rng.random((len(ability), n)) < expit(slope * (np.asarray(ability)[:, None] - difficulty))


def test_abilities_are_those_of_two_r_packages():
    """With the roles exchanged: what psychometrics calls items are our systems."""
    np.testing.assert_allclose(conditional_abilities(RIGHT).ability, CONDITIONAL, atol=2e-7)


def test_marginal_abilities_are_those_of_glmer():
    """A logistic regression with random items, which all discriminate alike."""
    found = item_population(RIGHT, discriminates=False)

    np.testing.assert_allclose(found.ability, MARGINAL, atol=1e-6)
    assert found.difficulty_spread == pytest.approx(SPREAD, abs=1e-5)
    assert (found.discrimination == 1).all()


def test_chances_given_the_number_right_are_those_of_all_outcomes():
    """Counted one by one for five systems."""
    ability = np.array([-1.0, 0.3, 0.0, 2.0, -0.4])
    found = chances_of_right(ability)
    for r in range(6):
        sets = [list(chosen) for chosen in combinations(range(5), r)]
        weight = np.array([np.exp(ability[chosen].sum()) for chosen in sets])
        expected = [
            sum(w for w, chosen in zip(weight, sets, strict=True) if s in chosen) / weight.sum()
            for s in range(5)
        ]
        np.testing.assert_allclose(found[r], expected, atol=1e-12)


def test_two_systems_are_compared_by_the_items_on_which_they_differ():
    """Bradley–Terry of the discordant items."""
    right = np.array([[1, 1, 1, 1, 0, 1, 0], [0, 0, 0, 0, 1, 1, 0]], dtype=bool)
    ability = conditional_abilities(right).ability

    assert ability[0] - ability[1] == pytest.approx(np.log(4.0), abs=1e-8)


def test_two_parameters_are_those_of_brute_force():
    """The likelihood by a product of Gauss–Hermite rules, maximized without its gradient."""
    rng = np.random.default_rng(4)
    right = answers(rng, [-0.8, -0.2, 0.2, 0.8], 250, slopes=0.6)
    z, weight = hermegauss(41)
    b, u = np.meshgrid(z, z, indexing="ij")
    log_weight = np.log(np.multiply.outer(weight, weight) / weight.sum() ** 2).reshape(-1)

    def minus(x):
        slope = np.exp(np.exp(x[5]) * u.reshape(-1))
        log_odds = slope * (x[:4, None] - np.exp(x[4]) * b.reshape(-1))
        each = right.T @ log_odds - np.logaddexp(0, log_odds).sum(axis=0) + log_weight
        return -logsumexp(each, axis=1).sum()

    found = item_population(right)
    best = minimize(minus, np.array([-0.7, -0.2, 0.2, 0.7, 0.1, -0.6]), method="BFGS", options={"gtol": 1e-4})
    np.testing.assert_allclose(found.ability, best.x[:4] - best.x[:4].mean(), atol=2e-3)
    assert found.difficulty_spread == pytest.approx(np.exp(best.x[4]), rel=5e-3)
    assert found.discrimination_spread == pytest.approx(np.exp(best.x[5]), rel=2e-2)


def test_items_are_found_again():
    """Difficulties, and which items separate the systems, of fifteen systems."""
    rng = np.random.default_rng(2)
    ability, n = np.linspace(-2, 2, 15), 400
    difficulty, slope = rng.normal(0, 1, n), np.exp(rng.normal(0, 0.6, n))
    right = rng.random((15, n)) < expit(slope * (ability[:, None] - difficulty))
    found = item_population(right)

    assert np.corrcoef(found.difficulty, difficulty)[0, 1] > 0.8
    assert np.corrcoef(np.log(found.discrimination), np.log(slope))[0, 1] > 0.5
    assert found.discrimination_spread == pytest.approx(0.6, abs=0.15)
    known = item_population(right, ability=conditional_abilities(right).ability, discriminates=False)
    assert np.corrcoef(known.difficulty, right.mean(axis=0))[0, 1] < -0.97


@pytest.mark.parametrize("model", ["conditional", "marginal"])
def test_renaming_systems_and_reversing_answers_is_no_news(model):
    """Permuted rows permute the abilities, and right for wrong turns their signs."""
    right = answers(np.random.default_rng(1), [-1.0, 0.0, 0.4, 0.6], 120)
    fit = conditional_abilities if model == "conditional" else item_population
    order = [2, 0, 3, 1]

    np.testing.assert_allclose(fit(right[order]).ability, fit(right).ability[order], atol=1e-5)
    np.testing.assert_allclose(fit(~right).ability, -fit(right).ability, atol=1e-5)


@pytest.mark.parametrize("slopes", [0.0, pytest.param(0.6, marks=pytest.mark.slow)])
def test_influence_gives_the_standard_errors_of_many_tables(slopes):
    """The root of the sum of squares over n against the spread over drawn tables; 120 of them are off by 6%."""
    ability = np.array([-0.8, -0.2, 0.2, 0.8])
    fit = item_population if slopes else conditional_abilities
    rng = np.random.default_rng(3)
    found = [fit(answers(rng, ability, 200, slopes=slopes)) for _ in range(120)]
    spread = np.std([one.ability for one in found], axis=0, ddof=1)
    errors = np.mean([np.sqrt((one.influence**2).sum(axis=0)) / 200 for one in found], axis=0)

    np.testing.assert_allclose(errors, spread, rtol=0.2)
    np.testing.assert_allclose(found[0].influence.sum(axis=0), 0, atol=1e-3 * 200)
    np.testing.assert_allclose(np.mean([one.ability for one in found], axis=0), ability, atol=0.06)
