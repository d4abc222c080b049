"""Confidence sequences and forecasts."""

import math

import numpy as np
import pytest

from betterthan.kernels.sequential.betting import (
    bets_for,
    evidence,
    final_capital,
    growth,
    limits,
    more_units,
)


def test_at_its_limits_the_evidence_is_just_enough():
    """Each side by itself at twice the threshold."""
    values = np.random.default_rng(0).normal(size=200) + 0.3
    ones, bets, threshold = np.ones(200), bets_for(bounded=False), math.log(20)
    low, high = limits(values, ones, bets, threshold=threshold)
    assert low < values.mean() < high
    for mean, sign in ((low, 1.0), (high, -1.0)):
        capital = final_capital(sign * (values - mean), ones, bets)
        assert capital == pytest.approx(threshold + math.log(2), abs=0.01)


def test_limits_stay_within_the_bounds():
    """Nothing is known after one battle."""
    low, high = limits(np.array([0.5]), np.ones(1), bets_for(bounded=True), bound=0.5, threshold=math.log(20))
    assert (low, high) == (pytest.approx(-0.5), pytest.approx(0.5))
    assert limits(np.zeros(0), np.ones(0), bets_for(bounded=True), bound=0.5, threshold=3.0) == (-0.5, 0.5)


def test_a_forecast_comes_true_when_the_units_repeat():
    """Within a tenth."""
    block = np.tile([1.0, -1.0, 1.0, 0.5, -0.75], 20)
    bets, threshold = bets_for(bounded=False), math.log(20)
    found, rates = evidence(block, np.ones(100), bets), growth(block, np.ones(100), bets)
    ahead = more_units(np.r_[found.up, found.down], np.concatenate(rates), threshold + math.log(2))
    long = np.tile(block, 10)
    reached = int(np.argmax(evidence(long, np.ones(1000), bets).log_both >= threshold)) + 1
    assert 100 + ahead == pytest.approx(reached, rel=0.1)


def test_no_end_in_sight_without_a_difference():
    """Equal wins and losses."""
    rates = growth(np.tile([0.5, -0.5], 40), np.ones(80), bets_for(bounded=True), bound=0.5)
    assert math.isinf(more_units(np.full(34, -math.log(34)), np.concatenate(rates), math.log(20)))
