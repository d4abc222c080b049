"""The model of Rao and Kupper: against R, a general optimizer, and its own laws."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from scipy import optimize
from scipy.special import expit

import betterthan as bt
from betterthan.errors import NotEstimable
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.davidson import OutcomeProbabilities, davidson
from betterthan.kernels.comparisons.rao_kupper import rao_kupper, rao_kupper_batch

WINS = np.array([[0.0, 7, 9], [4, 0, 6], [2, 5, 0]])
TIES = np.array([[0.0, 3, 2], [3, 0, 4], [2, 4, 0]])
# R 4.2.2, VGAM 1.1.7: vglm(Y ~ x2 + x3, cumulative, thresholds constrained to -d and d); θ₁ = 0.
VGAM = {"threshold": 0.488415, "second": -0.683515, "third": -1.009143}


def rao_kupper_probabilities(log_strength, threshold):
    """Chances of the row against the column, by the formula of the paper."""
    win = expit(log_strength[:, None] - log_strength[None, :] - threshold)
    return OutcomeProbabilities(win, 1 - (win + win.T))


def drawn(m, seed, *, n=60):
    """Counts under the model."""
    rng = np.random.default_rng(seed)
    chances = rao_kupper_probabilities(rng.normal(0, 0.6, m), 0.4)
    wins, ties = np.zeros((2, m, m))
    for i in range(m):
        for j in range(i + 1, m):
            row = [chances.win[i, j], chances.tie[i, j], chances.win[j, i]]
            wins[i, j], ties[i, j], wins[j, i] = rng.multinomial(n, np.array(row) / sum(row))
            ties[j, i] = ties[i, j]
    return wins, ties


def log_likelihood(parameters, wins, ties):
    """Written down from the probabilities of the three outcomes, pair by pair."""
    theta, delta = np.append(0.0, parameters[:-1]), np.exp(parameters[-1])
    total = 0.0
    for i in range(len(wins)):
        for j in range(i + 1, len(wins)):
            ahead, behind = expit(theta[i] - theta[j] - delta), expit(theta[j] - theta[i] - delta)
            total += wins[i, j] * np.log(ahead) + wins[j, i] * np.log(behind)
            total += ties[i, j] * np.log(1 - ahead - behind)
    return total


def test_the_fit_is_that_of_vglm():
    """A cumulative logit model with symmetric thresholds is the same model."""
    fit = rao_kupper(WINS, TIES)

    assert fit.threshold == pytest.approx(VGAM["threshold"], abs=1e-6)
    assert fit.log_strength[1] - fit.log_strength[0] == pytest.approx(VGAM["second"], abs=1e-6)
    assert fit.log_strength[2] - fit.log_strength[0] == pytest.approx(VGAM["third"], abs=1e-6)


@pytest.mark.parametrize(("m", "seed"), [(2, 0), (3, 1), (6, 2), (9, 3)])
def test_a_general_optimizer_finds_the_same_maximum(m, seed):
    """Nelder–Mead and BFGS know nothing of the trick with a win for each side."""
    wins, ties = drawn(m, seed)
    fit = rao_kupper(wins, ties)
    found = optimize.minimize(
        lambda parameters: -log_likelihood(parameters, wins, ties), np.zeros(m), options={"gtol": 1e-8}
    )
    own = np.append(fit.log_strength[1:] - fit.log_strength[0], np.log(fit.threshold))

    np.testing.assert_allclose(own, found.x, atol=2e-5)
    assert log_likelihood(own, wins, ties) >= -found.fun - 1e-9
    assert fit.log_strength.sum() == pytest.approx(0, abs=1e-12)


def test_without_ties_it_is_bradley_terry():
    """Nothing to model."""
    fit = rao_kupper(WINS, np.zeros((3, 3)))

    assert fit.threshold == 0.0
    np.testing.assert_allclose(fit.log_strength, bradley_terry(WINS).log_strength, atol=1e-12)


def test_expected_ties_are_those_observed():
    """The score equation of the threshold, in terms of counts."""
    wins, ties = drawn(5, 4)
    fit = rao_kupper(wins, ties)
    chances = rao_kupper_probabilities(fit.log_strength, fit.threshold)
    scored = wins + ties
    grown = 1 - np.exp(-2 * fit.threshold)

    np.testing.assert_allclose(chances.win + chances.win.T + chances.tie, 1.0)
    assert (scored * (1 - chances.win)).sum() == pytest.approx(ties.sum() / grown)


def test_it_exists_where_davidson_does():
    """A win and a tie do not keep two systems together."""
    with pytest.raises(bt.NotEstimable, match="Rao and Kupper"):
        rao_kupper(np.array([[0.0, 1], [0, 0]]), np.array([[0.0, 1], [1, 0]]))
    wins, ties = np.array([[0.0, 2], [1, 0]]), np.array([[0.0, 99], [99, 0]])
    assert np.isfinite(rao_kupper(wins, ties).log_strength).all()
    assert np.isfinite(davidson(wins, ties).log_strength).all()


def test_rank_takes_it_for_scores_and_battles():
    """Through the verb: strengths, joint draws and a note."""
    scores = bt.read_scores({"A": [3, 2, 2, 4, 1, 2], "B": [2, 2, 3, 1, 1, 4], "C": [1, 2, 2, 2, 3, 1]})
    found = bt.rank(scores, by="bradley_terry", ties="rao_kupper", scale="log", n_resamples=50)
    left, right, outcome = (
        np.array([0, 0, 1, 1, 0, 1]),
        np.array([1, 1, 0, 0, 1, 0]),
        [1, 0.5, 0, 1, 0.5, 0.5],
    )
    battles = bt.Matches(systems=["A", "B"], left=left, right=right, outcome=np.array(outcome))
    ranked = bt.rank(battles, ties="rao_kupper", scale="log", n_resamples=50)

    assert "ties:rao_kupper" in found.settings.signature
    assert any("Rao and Kupper" in note for note in found.notes)
    fit = rao_kupper(np.array([[0.0, 2], [1, 0]]), np.array([[0.0, 3], [3, 0]]))
    assert ranked["A"].strength == pytest.approx(fit.log_strength[0])
    with pytest.raises(bt.BetterThanError, match="cannot be combined with prior"):
        bt.rank(scores, by="bradley_terry", ties="rao_kupper", prior=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["davidson", "rao_kupper"])
def test_intervals_of_models_with_ties_hold_the_truth(ties):
    """Log strengths of four systems in 240 battles: 95% intervals hold the truth in 92% to 98% of 150 sets."""
    theta = np.array([0.6, 0.2, -0.2, -0.6])
    chances = rao_kupper_probabilities(theta, 0.35)
    held = []
    for trial in range(150):
        rng = np.random.default_rng(trial)
        left = rng.integers(0, 4, 240)
        right = (left + rng.integers(1, 4, 240)) % 4
        draw = rng.random(240)
        won = chances.win[left, right]
        outcome = np.where(draw < won, 1.0, np.where(draw < won + chances.tie[left, right], 0.5, 0.0))
        table = bt.Matches(systems=list("ABCD"), left=left, right=right, outcome=outcome)
        found = bt.rank(table, ties=ties, scale="log", n_resamples=400, rng=trial, workers=1)
        true = theta[["ABCD".index(name) for name in found.systems]]
        scale = 1.0 if ties == "rao_kupper" else davidson_scale(chances)
        held.append(((found.low <= scale * true) & (scale * true <= found.high)).mean())

    assert 0.92 <= np.mean(held) <= 0.98


def davidson_scale(chances):
    """The factor between the strengths of the two models, for counts without error."""
    strengths = [fit(chances.win, chances.tie).log_strength for fit in (davidson, rao_kupper)]
    return float(strengths[0] @ strengths[1] / (strengths[1] @ strengths[1]))


@pytest.mark.parametrize(("m", "filled"), [(2, 0.7), (3, 0.5), (6, 0.25)])
def test_a_stack_of_tables_is_solved_like_each_alone(m, filled):
    """To the last bit, and NaN exactly where one table alone has no strengths."""
    rng = np.random.default_rng(m)
    wins = rng.poisson(3, (60, m, m)) * (rng.random((60, m, m)) < filled).astype(float)
    ties = np.triu(rng.poisson(1, (60, m, m)), 1).astype(float)
    ties = ties + ties.swapaxes(1, 2)
    alone = np.full((60, m), np.nan)
    for row, (won, tied) in enumerate(zip(wins, ties, strict=True)):
        with contextlib.suppress(NotEstimable):
            alone[row] = rao_kupper(won, tied).log_strength

    assert 0 < np.isnan(alone).any(axis=1).sum() < 60
    np.testing.assert_array_equal(rao_kupper_batch(wins, ties), alone)
