"""Exact tests of two paired shares against a margin: enumeration, published statistics, size and order."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from betterthan.kernels.significance.paired_shares import score_statistic, shares_exceed


def statistic(better, worse, n, difference):
    """The statistic of one table."""
    return float(score_statistic(np.array([float(better)]), np.array([float(worse)]), n, difference)[0])


def test_at_no_difference_it_is_mcnemars_statistic():
    """(b − c) / √(b + c), and 0 without changes."""
    assert statistic(8, 1, 50, 0.0) == pytest.approx(7 / 3)
    assert statistic(0, 0, 50, 0.0) == 0.0


@pytest.mark.parametrize(("better", "worse", "n"), [(1, 0, 44), (8, 3, 60), (2, 9, 30)])
@pytest.mark.parametrize("difference", [-0.2, -0.02, 0.05])
def test_the_unknown_share_is_that_of_largest_likelihood(better, worse, n, difference):
    """The statistic with a share found by a search is the same."""

    def minus_log_likelihood(share):
        chances = np.array([share + difference, share, 1 - 2 * share - difference])
        return -stats.multinomial.logpmf([better, worse, n - better - worse], n, np.maximum(chances, 1e-300))

    bounds = (max(0.0, -difference), (1 - difference) / 2)
    share = optimize.minimize_scalar(
        minus_log_likelihood, bounds=bounds, method="bounded", options={"xatol": 1e-10}
    ).x
    variance = n * (2 * share + difference * (1 - difference))
    known = (better - worse - n * difference) / math.sqrt(variance)
    assert statistic(better, worse, n, difference) == pytest.approx(known, rel=1e-3)


def enumerated(better, worse, n, difference, points=100):
    """The largest tail probability over a grid of q, by the multinomial distribution of all tables."""
    observed = statistic(better, worse, n, difference)
    low, high = max(0.0, -difference), (1 - difference) / 2
    tables = [
        (b, c)
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if statistic(b, c, n, difference) >= observed - 1e-9
    ]
    best = 0.0
    for q in np.linspace(low, high, points):
        chance = [max(q + difference, 0.0), q, max(1 - 2 * q - difference, 0.0)]
        best = max(best, sum(stats.multinomial.pmf([b, c, n - b - c], n, chance) for b, c in tables))
    return best


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (3, 1), (1, 2), (4, 4), (0, 3)])
@pytest.mark.parametrize("difference", [-0.1, 0.1])
def test_enumeration_agrees(better, worse, difference):
    """Within what a coarser grid of q can differ by."""
    assert shares_exceed(better, worse, 12, difference) == pytest.approx(
        enumerated(better, worse, 12, difference), abs=0.004
    )


def test_no_change_on_few_items_shows_little():
    """Only losses with probability 0.02 leave 50 items unchanged in 36% of samples."""
    assert shares_exceed(0, 0, 50, -0.02) == pytest.approx(0.98**50, rel=1e-3)
    assert shares_exceed(0, 0, 400, -0.02) < 0.01


def test_size_is_at_most_the_level():
    """False passes, summed exactly over all tables, at the margin and for any share of changes."""
    n, margin, level = 60, 0.05, 0.025
    small = [
        (b, c)
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if abs(b - c) < 20 and b + c < 40 and shares_exceed(b, c, n, -margin) <= level
    ]
    for changed in (0.05, 0.1, 0.2, 0.3):
        chance = [(changed - margin) / 2, (changed + margin) / 2, 1 - changed]
        size = sum(stats.multinomial.pmf([b, c, n - b - c], n, chance) for b, c in small)
        assert size <= level


def test_order_in_wins_losses_and_margin():
    """More wins, fewer losses and a larger margin never raise the p-value."""
    for n in (20, 100, 1000):
        wins = [shares_exceed(b, 5, n, -0.05) for b in range(8)]
        losses = [shares_exceed(3, c, n, -0.05) for c in range(8)]
        margins = [shares_exceed(3, 4, n, -m) for m in (0.05, 0.1, 0.15, 0.2)]
        assert wins == sorted(wins, reverse=True)
        assert losses == sorted(losses)
        assert margins == sorted(margins, reverse=True)


def test_impossible_differences():
    """A difference of 1 or more is never exceeded, and one of −1 or less always."""
    assert shares_exceed(0, 0, 10, 1.0) == 1.0
    assert shares_exceed(0, 10, 10, -1.0) == 0.0
    assert math.isfinite(shares_exceed(0, 10, 10, -0.999))
