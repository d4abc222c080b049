"""Intervals for a share: edges and coverage (scipy is asked among the oracles)."""

import numpy as np
import pytest
from scipy import stats

from betterthan.kernels.intervals.proportions import (
    agresti_coull_interval,
    paired_shares_interval,
)


def test_agresti_and_coull_are_those_of_statsmodels():
    """Golden: proportion_confint(method="agresti_coull"), clipped."""
    low, high = agresti_coull_interval(np.array([20.0, 3.0]), np.array([20.0, 40.0]), confidence=0.95)

    np.testing.assert_allclose(low, [0.8101904394575112, 0.018800688000089202], rtol=1e-9)
    np.testing.assert_allclose(high, [1.0, 0.20567767301760448], rtol=1e-9)


@pytest.mark.parametrize(
    ("better", "worse", "n", "confidence", "low", "high"),
    [
        (8, 1, 50, 0.95, 0.0120550044242, 0.2571757648066),
        (0, 0, 50, 0.95, -0.0546532414415, 0.0546532414415),
        (12, 3, 200, 0.99, -0.00790092433062, 0.09700983522171),
    ],
)
def test_paired_shares_are_those_of_bonett_and_price(better, worse, n, confidence, low, high):
    """Golden: the published formula in R, with Student's quantile."""
    found = paired_shares_interval(
        np.array([better]), np.array([worse]), np.array([n]), confidence=confidence
    )

    assert [float(end[0]) for end in found] == pytest.approx([low, high], rel=1e-10)


@pytest.mark.parametrize("n", [20, 50, 100])
@pytest.mark.parametrize("changed", [0.02, 0.06, 0.2])
@pytest.mark.parametrize("ratio", [1 / 2, 2 / 3])
def test_rare_changes_are_covered(n, changed, ratio):
    """Exactly, by summing over all tables: Student's interval covers 64% of fifty segments with 2% changes."""
    b, c = (count.ravel() for count in np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0)))
    b, c = b[b + c <= n], c[b + c <= n]
    gain, loss = changed * ratio, changed * (1 - ratio)
    chance = stats.multinomial.pmf(np.stack([b, c, n - b - c], axis=1), n, [gain, loss, 1 - changed])
    low, high = paired_shares_interval(b, c, np.full(b.shape, n), confidence=0.95)

    assert chance[(low <= gain - loss + 1e-12) & (gain - loss - 1e-12 <= high)].sum() >= 0.95


def test_paired_shares_hold_zero_exactly_when_the_sign_test_does():
    """For every table of up to forty changes among 500."""
    b, c = (count.ravel() for count in np.meshgrid(np.arange(41.0), np.arange(41.0)))
    low, high = paired_shares_interval(b, c, np.full(b.shape, 500.0), confidence=0.95)
    tested = np.array(
        [stats.binomtest(int(x), int(x + y)).pvalue if x + y else 1.0 for x, y in zip(b, c, strict=True)]
    )

    np.testing.assert_array_equal((low <= 0) & (high >= 0), tested > 0.05)
