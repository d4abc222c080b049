"""Power of the tests of two systems, against R, statsmodels, literal sums and simulated tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

import betterthan as bt
from betterthan.kernels.significance.power import (
    least_difference,
    least_number,
    power_of_battles,
    power_of_means,
    power_of_normal,
    power_of_right_wrong,
)


@pytest.mark.parametrize(
    ("n", "effect", "level", "known"),
    [
        # R 4.2: power.t.test(n, effect, sig.level = level, type = "paired")$power
        (34, 0.5, 0.05, 0.8077766855),
        (20, 0.9, 0.01, 0.8622828867),
    ],
)
def test_means_have_the_power_that_other_programs_give(n, effect, level, known):
    """R, and statsmodels, whose two-sided power adds the wrong direction, 1e-6 here."""
    assert power_of_means(effect, n, level=level) == pytest.approx(known, abs=1e-9)
    assert power_of_means(effect, n, level=level) == pytest.approx(
        TTestPower().power(effect, n, level), abs=2e-6
    )
    larger = TTestPower().power(effect, n, level, alternative="larger")
    assert power_of_means(effect, n, level=level, alternative="greater") == pytest.approx(larger, abs=1e-6)


@pytest.mark.parametrize(
    ("effect", "level", "power"), [(0.5, 0.05, 0.8), (0.05, 0.05, 0.9), (0.2, 0.001, 0.8)]
)
def test_the_least_number_is_that_of_statsmodels(effect, level, power):
    """From any start."""
    known = math.ceil(TTestPower().solve_power(effect_size=effect, alpha=level, power=power))
    for start in (1, 2, known - 1, known, known + 1, 3 * known):
        assert least_number(lambda n: power_of_means(effect, n, level=level), power, start=start) == known


def literal_right_wrong(difference, discordance, n, level, sides):
    """The double sum, with SciPy's binomial test of every outcome."""
    total = 0.0
    for k in range(n + 1):
        for wins in range(k + 1):
            alternative = "two-sided" if sides == 2 else "greater"
            pvalue = stats.binomtest(wins, k, 0.5, alternative=alternative).pvalue if k else 1.0
            if pvalue <= level and 2 * wins > k:
                own = stats.binom.pmf(wins, k, (1 + difference / discordance) / 2)
                total += stats.binom.pmf(k, n, discordance) * own
    return total


@pytest.mark.parametrize(
    ("difference", "discordance", "n"), [(0.2, 0.3, 40), (0.1, 0.1, 30), (0.5, 1.0, 12), (0.3, 0.5, 5)]
)
@pytest.mark.parametrize("level", [0.05, 0.01])
def test_right_and_wrong_is_the_sum_over_all_outcomes(difference, discordance, n, level):
    """Discordance of 1, only wins, and too few items to show anything included."""
    for sides, alternative in ((2, "two-sided"), (1, "greater")):
        known = literal_right_wrong(difference, discordance, n, level, sides)
        found = power_of_right_wrong(difference, discordance, n, level=level, alternative=alternative)
        assert found == pytest.approx(known, abs=1e-10)


def test_known_numbers_of_items():
    """34 items for half a standard deviation; 8,032 for one point of accuracy with 10% discordance."""
    assert least_number(lambda n: power_of_means(0.5, n)) == 34
    assert least_number(lambda n: power_of_right_wrong(0.01, 0.1, n)) == 8032
    # The usual formula for McNemar's test is a little less, because the exact test is conservative.
    z = stats.norm.isf([0.025, 0.2])
    formula = ((z[0] * math.sqrt(0.1) + z[1] * math.sqrt(0.1 - 0.01**2)) / 0.01) ** 2
    assert 1.0 < 8032 / formula < 1.03


def test_right_and_wrong_as_in_r():
    """R 4.2, with c = qbinom(0.025, 0:n, 0.5, lower.tail = FALSE) + 1 and wins of p = (1 + d / psi) / 2.

    sum(dbinom(0:n, n, psi) * pbinom(c - 1, 0:n, p, lower.tail = FALSE))
    """
    for difference, n, known in (
        (0.01, 8031, 0.7999820106),
        (0.01, 8032, 0.8000322160),
        (0.05, 400, 0.8739895715),
    ):
        assert power_of_right_wrong(difference, 0.1, n) == pytest.approx(known, abs=1e-9)


def test_too_few_items_show_nothing():
    """Five sign flips reach no p-value below 1/16; at 0.001 that takes eleven."""
    for size in range(1, 6):
        assert power_of_means(100.0, size) == power_of_right_wrong(1.0, 1.0, size) == 0.0
    assert power_of_means(100.0, 6) == power_of_right_wrong(1.0, 1.0, 6) == pytest.approx(1.0)
    assert least_number(lambda n: power_of_means(100.0, n, level=0.001)) == 11
    assert math.isnan(least_difference(lambda d: power_of_right_wrong(d, 0.1, 10), most=0.1))


def test_differences_and_numbers_are_inverses():
    """The least difference of n items needs n items."""
    for n in (8, 50, 2000):
        effect = least_difference(lambda d, n=n: power_of_means(d, n), 0.9)
        assert power_of_means(effect, n) == pytest.approx(0.9, abs=1e-9)
        assert least_number(lambda k, e=effect: power_of_means(e * (1 + 1e-9), k), 0.9) == n
        difference = least_difference(lambda d, n=n: power_of_right_wrong(d, 0.9, n), 0.9, most=0.9)
        assert power_of_right_wrong(difference, 0.9, n) == pytest.approx(0.9, abs=1e-9)


def test_normal_statistics():
    """Against SciPy's normal distribution."""
    for alternative, sides in (("two-sided", 2), ("greater", 1)):
        known = stats.norm.sf(stats.norm.isf(0.01 / sides) - 2.5)
        assert power_of_normal(5.0, 2.0, level=0.01, alternative=alternative) == pytest.approx(known)


def test_simulated_sign_flips_have_the_power():
    """2,000 sets of 12 normal differences; every one of the 4,096 sign flips counted."""
    rng = np.random.default_rng(4)
    signs = 1.0 - 2.0 * ((np.arange(2**12)[:, None] >> np.arange(12)) & 1)
    shown = 0
    for _ in range(2000):
        d = rng.normal(0.8, 1.0, 12)
        sums = np.abs(signs @ d)
        shown += d.sum() > 0 and np.mean(sums >= abs(d.sum()) - 1e-12) <= 0.05
    power = power_of_means(0.8, 12)
    assert shown / 2000 == pytest.approx(power, abs=3.5 * math.sqrt(power * (1 - power) / 2000))


@pytest.mark.parametrize(("n", "ties", "difference"), [(12, 0.2, 0.25), (15, 0.0, 0.3), (9, 0.4, 0.29)])
def test_battles_are_added_up_as_compare_decides_them(n, ties, difference):
    """Every number of wins and ties, compared by the verb itself; where no strengths exist, nothing is significant."""
    win, total = 0.5 + difference - ties / 2, 0.0
    for wins in range(n + 1):
        for tied in range(n + 1 - wins):
            lost = n - wins - tied
            chance = stats.multinomial.pmf([wins, tied, lost], n, [win, ties, 1 - win - ties])
            if wins <= lost or wins == n or chance == 0:
                continue
            outcome = np.repeat([1.0, 0.5, 0.0], [wins, tied, lost])
            matches = bt.Matches(
                systems=["a", "b"], left=np.zeros(n, dtype=int), right=np.ones(n, dtype=int), outcome=outcome
            )
            total += chance * (bt.compare(matches).pair("a", "b").pvalue <= 0.05)
    assert power_of_battles(difference, ties, n) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("effect", [1e8, 1e100, float("inf")])
def test_huge_effects_are_shown_for_sure(effect):
    """Not with the power NaN."""
    assert [power_of_means(effect, n) for n in (3, 10, 1000)] == [0.0, 1.0, 1.0]
