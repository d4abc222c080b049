"""Exact tests of two paired shares against a margin: enumeration, published statistics, size and order."""

import math
from functools import cache

import numpy as np
import pytest
from scipy import optimize, stats

from betterthan.kernels.significance.paired_shares import likeliest_share, score_statistic, shares_exceed


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


def tables_of(n):
    """All tables of n items."""
    return np.array([(b, c, n - b - c) for b in range(n + 1) for c in range(n + 1 - b)])


def probabilities(tables, share, difference):
    """Of all tables, by the multinomial distribution."""
    chance = [max(share + difference, 0.0), share, max(1 - 2 * share - difference, 0.0)]
    return stats.multinomial.pmf(tables, tables[0].sum(), np.array(chance) / sum(chance))


def largest(tail, tables, difference, points=200):
    """The largest probability of a set of tables over a grid of q."""
    grid = np.linspace(max(0.0, -difference), (1 - difference) / 2, points)
    return max(probabilities(tables[tail], share, difference).sum() for share in grid)


@cache
def estimates_of(n, difference):
    """The tail probability of each table at its own likeliest q."""
    tables = tables_of(n)
    wins, losses = tables[:, 0] * 1.0, tables[:, 1] * 1.0
    z = score_statistic(wins, losses, n, difference)
    shares = likeliest_share(wins, losses, n, difference)
    return np.array(
        [
            probabilities(tables[z >= own - 1e-9], share, difference).sum()
            for own, share in zip(z.tolist(), shares.tolist(), strict=True)
        ]
    )


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (3, 1), (1, 2), (4, 4), (0, 3), (5, 3), (2, 9)])
@pytest.mark.parametrize("difference", [-0.1, 0.1])
@pytest.mark.parametrize("n", [12, 70])
def test_enumeration_of_all_tables_agrees(better, worse, n, difference):
    """Of all tables with a smaller tail probability at their own likeliest q, the largest probability over q."""
    tables, estimates = tables_of(n), estimates_of(n, difference)
    observed = estimates[(tables[:, 0] == better) & (tables[:, 1] == worse)][0]
    known = largest(estimates <= observed + 1e-9, tables, difference)
    assert shares_exceed(better, worse, n, difference) == pytest.approx(known, abs=0.002)


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (5, 3), (2, 9)])
@pytest.mark.parametrize("difference", [-0.05, 0.05])
def test_p_values_far_from_the_level_are_those_of_the_score_statistic(better, worse, difference):
    """All tables with a statistic as large; near the level the other order decides."""
    tables = tables_of(70)
    z = score_statistic(tables[:, 0] * 1.0, tables[:, 1] * 1.0, 70, difference)
    known = largest(z >= statistic(better, worse, 70, difference) - 1e-9, tables, difference)
    assert shares_exceed(better, worse, 70, difference, level=1e-9) == pytest.approx(known, abs=0.002)
    assert shares_exceed(better, worse, 70, difference, level=known) == shares_exceed(
        better, worse, 70, difference
    )


def test_no_change_on_few_items_shows_little():
    """Only losses with probability 0.02 leave 50 items unchanged in 36% of samples."""
    assert shares_exceed(0, 0, 50, -0.02) == pytest.approx(0.98**50, abs=0.01)
    assert shares_exceed(0, 0, 400, -0.02) < 0.01


@pytest.mark.parametrize("n", [25, 80])
def test_size_is_at_most_the_level(n):
    """False passes, summed over all tables, at the margin and for any share of changes."""
    margin, level = 0.05, 0.025
    tables = tables_of(n)
    likely = tables[(tables[:, 0] + tables[:, 1] < n / 2) & (tables[:, 0] >= tables[:, 1] - 3)]
    passes = likely[[shares_exceed(int(b), int(c), n, -margin, level=level) <= level for b, c, _ in likely]]
    for changed in (0.06, 0.1, 0.2, 0.3):
        assert probabilities(passes, (changed + margin) / 2, -margin).sum() <= level


def test_power_where_few_items_change():
    """Lloyd and Moldovan's order passes 22% of equal systems of which 5% of 50 answers change; Tango's passes 12%."""
    tables = tables_of(50)
    likely = tables[(tables[:, 0] + tables[:, 1] < 10) & (tables[:, 0] >= tables[:, 1])]
    passes = likely[[shares_exceed(int(b), int(c), 50, -0.05) <= 0.025 for b, c, _ in likely]]
    assert probabilities(passes, 0.025, 0.0).sum() == pytest.approx(0.219, abs=0.002)


def test_power_beyond_the_tables_that_are_listed():
    """Of 70 answers 5% change: by the score statistic 23.1% of equal systems pass at a margin of 0.05."""
    tables = tables_of(70)
    likely = tables[(tables[:, 0] + tables[:, 1] < 13) & (tables[:, 0] >= tables[:, 1] - 1)]
    passes = likely[[shares_exceed(int(b), int(c), 70, -0.05, level=0.025) <= 0.025 for b, c, _ in likely]]
    assert probabilities(passes, 0.025, 0.0).sum() == pytest.approx(0.314, abs=0.003)


@pytest.mark.parametrize(
    ("n", "better", "worse", "margin"), [(10, 1, 4, 0.44), (10, 1, 3, 0.34), (8, 1, 6, 0.14)]
)
def test_a_larger_margin_is_never_harder_to_show(n, better, worse, margin):
    """Tables for which the probability at one margin alone is larger at the next ones, where a verdict is possible."""
    p = [round(shares_exceed(better, worse, n, -m), 9) for m in (margin, margin + 0.02, margin + 0.04)]
    assert p == sorted(p, reverse=True) or min(p) > 0.5


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
