"""Williams' test against printed numbers, exact arithmetic, SciPy's distributions and simulation."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from betterthan.kernels.agreement.correlation import williams, williams_all_pairs

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "williams.json").read_text(encoding="utf-8"))


def literal(r_12: Fraction, r_13: Fraction, r_23: Fraction, n: int) -> float:
    """The square of the statistic in fractions, as Steiger (1980) writes it, with the sign put back."""
    determinant = 1 - r_12**2 - r_13**2 - r_23**2 + 2 * r_12 * r_13 * r_23
    mean = (r_12 + r_13) / 2
    below = 2 * determinant * Fraction(n - 1, n - 3) + mean**2 * (1 - r_23) ** 3
    square = (r_12 - r_13) ** 2 * (n - 1) * (1 + r_23) / below
    return float(np.sign(float(r_12 - r_13)) * np.sqrt(float(square)))


def correlated(k: int, m: int, seed: int, strength: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Metrics that see the same human scores through noise of their own."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=m)
    return strength * human + rng.normal(size=(k, m)), human


def test_the_printed_statistic():
    """The number of another program."""
    found = williams(**GOLDEN["input"])
    assert float(found.statistic) == pytest.approx(GOLDEN["expected"]["statistic"], abs=GOLDEN["tolerance"])


def test_printed_two_sided_pvalue():
    """R's cocor prints t = -2.8114, df = 67, p = 0.0065 for r = .5447, .8, .0729, n = 70.

    Source: a public analysis notebook that prints cocor's williams1959 output; correlations have four decimals.
    """
    found = williams(0.5447, 0.8, 0.0729, 70)
    assert float(found.statistic) == pytest.approx(-2.8114, abs=5e-4)
    assert 2 * (1 - float(found.pvalue)) == pytest.approx(0.0065, abs=5e-5)


@given(
    st.tuples(*[st.integers(-95, 95)] * 3),
    st.integers(4, 500),
)
def test_the_formula_in_exact_arithmetic(hundredths, n):
    """Fractions and SciPy's t distribution say the same; impossible correlations are undefined."""
    r = [Fraction(value, 100) for value in hundredths]
    found = williams(*[value / 100 for value in hundredths], n)
    determinant = 1 - sum(value**2 for value in r) + 2 * r[0] * r[1] * r[2]
    if determinant < 0:
        assert np.isnan(found.statistic)
        assert np.isnan(found.pvalue)
    else:
        expected = literal(*r, n)
        assert float(found.statistic) == pytest.approx(expected, rel=1e-7, abs=1e-12)
        assert float(found.pvalue) == pytest.approx(stats.t.sf(float(found.statistic), n - 3), rel=1e-9)


def test_undefined_is_nan():
    """Too few observations, a perfect correlation, a missing one."""
    for given_values in [(0.5, 0.4, 0.3, 3), (1.0, 0.4, 0.3, 9), (0.5, 0.4, -1.0, 9), (np.nan, 0.4, 0.3, 9)]:
        found = williams(*given_values)
        assert np.isnan(found.statistic)
        assert np.isnan(found.pvalue)


def test_arguments_are_broadcast():
    """A table of correlations against a row of sizes."""
    found = williams(np.array([[0.6], [0.7]]), 0.5, 0.4, np.array([5, 50, 500]))
    assert found.pvalue.shape == (2, 3)
    assert np.all(np.diff(found.pvalue, axis=1) < 0)
    assert np.all(found.pvalue[1] < found.pvalue[0])


def test_all_pairs_against_a_loop_over_scipy():
    """Every pair by itself, with pearsonr."""
    metrics, human = correlated(5, 12, 1)
    found = williams_all_pairs(metrics, human)
    for a in range(5):
        for b in range(5):
            if a == b:
                assert np.isnan(found[a, b])
                continue
            r = [
                stats.pearsonr(x, y)[0]
                for x, y in [(human, metrics[a]), (human, metrics[b]), (metrics[a], metrics[b])]
            ]
            expected = stats.t.sf(literal(*map(Fraction, r), 12), 9)
            assert found[a, b] == pytest.approx(expected, rel=1e-9)


def test_laws_of_all_pairs():
    """Renaming metrics permutes, reordering systems and straight lines change nothing, both directions add to 1."""
    metrics, human = correlated(4, 15, 2)
    found = williams_all_pairs(metrics, human)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose((found + found.T)[off], 1, atol=1e-12)
    order, systems = np.array([2, 0, 3, 1]), np.random.default_rng(3).permutation(15)
    np.testing.assert_allclose(
        williams_all_pairs(metrics[order][:, systems], human[systems]),
        found[np.ix_(order, order)],
        atol=1e-12,
    )
    np.testing.assert_allclose(williams_all_pairs(7 * metrics - 3, human / 9 + 1), found, atol=1e-12)


def test_missing_systems_are_left_out_of_their_pairs_only():
    """The pair without a gap keeps its p-value; the others are those of the shorter rows."""
    metrics, human = correlated(3, 12, 4)
    holed = metrics.copy()
    holed[2, 5] = np.nan
    found = williams_all_pairs(holed, human)
    assert found[0, 1] == pytest.approx(williams_all_pairs(metrics, human)[0, 1], rel=1e-12)
    shorter = williams_all_pairs(np.delete(metrics, 5, axis=1), np.delete(human, 5))
    assert found[0, 2] == pytest.approx(shorter[0, 2], rel=1e-12)
    assert found[2, 1] == pytest.approx(shorter[2, 1], rel=1e-12)
    unjudged = np.where(np.arange(12) < 3, human, np.nan)
    assert np.isnan(williams_all_pairs(metrics, unjudged)).all()


def test_lines_and_constants_are_undefined():
    """A constant metric has no correlation; a copy on another scale correlates perfectly with the original."""
    metrics, human = correlated(2, 10, 5)
    rows = np.vstack([metrics, np.full(10, 0.1), 3 * metrics[0] + 0.7])
    found = williams_all_pairs(rows, human)
    assert np.isnan(found[2]).all()
    assert np.isnan(found[0, 3])
    assert not np.isnan(found[[0, 1, 3], [1, 3, 1]]).any()
    assert np.isnan(williams_all_pairs(metrics, np.ones(10))).all()


@pytest.mark.slow
def test_pvalues_of_equally_good_metrics_are_uniform():
    """Normal scores and two metrics of equal quality: 20 000 tests by Kolmogorov and Smirnov."""
    rng = np.random.default_rng(6)
    trials, m = 20_000, 14
    human = rng.normal(size=(trials, m))
    shared = rng.normal(size=(trials, m))
    first, second = (human + shared + rng.normal(size=(trials, m)) for _ in range(2))

    def correlation(x, y):
        x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
        return (x * y).sum(axis=1) / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))

    found = williams(
        correlation(human, first), correlation(human, second), correlation(first, second), np.full(trials, m)
    )
    # The distribution is approximate; 0.02 is twice what the Monte Carlo error alone allows.
    assert stats.kstest(found.pvalue, "uniform").statistic < 0.02
    assert np.mean(found.pvalue <= 0.05) == pytest.approx(0.05, abs=0.006)
