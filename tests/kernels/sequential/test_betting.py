"""Betting: what the capital is, that it is fair, and that it does not depend on what follows."""

import math

import numpy as np
import pytest

from betterthan.kernels.sequential.betting import bets_for, evidence, final_capital

FAIR = [(1.0, -1.0), (1.0, -0.25, -0.25, -0.25, -0.25), (0.5, 0.0, 0.0, -0.5)]


def test_capital_by_hand():
    """A single relative bet on battles: the bet is a share of the scale of what came before."""
    values = np.array([0.5, 0.5, -0.5])
    bets = bets_for(bounded=True)
    found = evidence(values, np.ones(3), bets, bound=0.5)
    capital = np.zeros(bets.weight.size)
    for k, bet in enumerate(bets.relative):
        scales = [0.5, 0.5 * math.sqrt(2), 0.5 * math.sqrt(1.5)]
        capital[k] = np.prod([1 + bet / scale * value for scale, value in zip(scales, values, strict=True)])
    assert math.exp(found.log_up[-1]) == pytest.approx(bets.weight @ capital)
    assert final_capital(values, np.ones(3), bets, bound=0.5) == pytest.approx(found.log_up[-1])


@pytest.mark.parametrize("outcomes", FAIR)
def test_the_expected_capital_is_what_was_put_in(outcomes):
    """Over every sequence of four values with mean 0 and known bounds, in both directions."""
    bets = bets_for(bounded=True, horizon=4, difference=0.3)
    sums = np.zeros(2)
    paths = np.stack(np.meshgrid(*[outcomes] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    for values in paths:
        found = evidence(values, np.ones(4), bets, bound=1.0)
        sums += np.exp([found.log_up[-1], found.log_down[-1]])
    assert sums / len(paths) == pytest.approx(1)


def test_symmetric_differences_of_any_size_are_fair_without_bounds():
    """Every pattern of signs of sizes that grow tenfold."""
    sizes = np.array([1.0, 10.0, 100.0, 1000.0, 0.1])
    total = 0.0
    for signs in np.stack(np.meshgrid(*[[-1.0, 1.0]] * 5, indexing="ij"), axis=-1).reshape(-1, 5):
        total += math.exp(evidence(signs * sizes, np.ones(5), bets_for(bounded=False)).log_up[-1])
    assert total / 32 == pytest.approx(1)


def test_evidence_does_not_depend_on_what_follows():
    """To the last bit, so that a watch that is resumed gives the same numbers."""
    values = np.random.default_rng(1).normal(size=5000)
    whole = evidence(values, np.ones(5000), bets_for(bounded=False, horizon=800))
    for n in (1, 7, 64, 1001, 4096):
        part = evidence(values[:n], np.ones(n), bets_for(bounded=False, horizon=800))
        assert (part.log_up == whole.log_up[:n]).all()


def test_scores_times_a_constant_give_the_same_evidence():
    """The unit of the metric does not matter."""
    values = np.random.default_rng(2).normal(size=300)
    one, other = (evidence(c * values, np.ones(300), bets_for(bounded=False)).log_up for c in (1.0, 1024.0))
    assert (one == other).all()
