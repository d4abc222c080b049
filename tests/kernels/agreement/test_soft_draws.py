from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from betterthan.kernels.agreement import soft_pairwise as module
from betterthan.kernels.agreement.soft_pairwise import soft_draws


def tables_of(n, kind, rng, k=3, m=6):
    """Human scores and k metrics of m systems."""
    noise = {
        "normal": lambda: rng.normal(size=(1 + k, m, n)),
        "heavy": lambda: rng.standard_t(3, size=(1 + k, m, n)),
        "right or wrong": lambda: (rng.random((1 + k, m, n)) < 0.6).astype(float),
    }[kind]()
    return noise + (kind != "right or wrong") * rng.normal(size=(m, 1)) / np.sqrt(n) * 2


def literal(tables, weights):
    """One sample after the other, every segment repeated as often as it was drawn."""
    first, second = np.triu_indices(tables.shape[1], 1)
    result = np.empty((len(weights), len(tables) - 1))
    for r, row in enumerate(weights):
        drawn = tables[:, :, np.repeat(np.arange(row.size), row.astype(int))]
        gap = drawn[:, first] - drawn[:, second]
        there = ~np.isnan(gap).all(axis=(0, 2))
        power = np.nansum(gap**2, axis=2)
        z = np.where(power > 0, np.nansum(gap, axis=2) / np.sqrt(np.where(power > 0, power, 1)), 0.0)
        p = special.ndtr(-z)[:, there]
        result[r] = 1 - np.abs(p[1:] - p[0]).mean(axis=1)
    return result


def drawn(n, rng, b=400):
    """How often each segment is drawn."""
    return rng.multinomial(n, np.full(n, 1 / n), size=b).astype(float)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_few_segments_have_the_sums_of_squares_of_each_sample(missing):
    """As computed on the drawn segments themselves; cells without a human score are missing for all."""
    rng = np.random.default_rng(2)
    tables = tables_of(60, "normal", rng)
    tables[:, rng.random(tables.shape[1:]) < missing] = np.nan
    weights = drawn(60, rng, 20)
    np.testing.assert_allclose(soft_draws(tables, weights), literal(tables, weights), atol=1e-12)


def test_many_segments_with_gaps_are_exact_too():
    """Which cells are missing differs from pair to pair."""
    rng = np.random.default_rng(3)
    tables = tables_of(module.MANY_SEGMENTS, "normal", rng)
    tables[:, 0, :100] = np.nan
    weights = drawn(module.MANY_SEGMENTS, rng, 5)
    np.testing.assert_allclose(soft_draws(tables, weights), literal(tables, weights), atol=1e-12)


@pytest.mark.parametrize("kind", ["normal", "heavy", "right or wrong"])
def test_many_segments_hardly_differ_from_their_own_sums_of_squares(kind):
    """Limits of intervals move by far less than the choice of 400 samples moves them (0.13 standard deviations)."""
    rng = np.random.default_rng(4)
    n = module.MANY_SEGMENTS
    tables = tables_of(n, kind, rng)
    weights = drawn(n, rng)
    quick, exact = soft_draws(tables, weights), literal(tables, weights)
    assert not np.array_equal(quick, exact)
    spread = exact.std(axis=0)
    ends = [np.quantile(found, [0.025, 0.975], axis=0) - found.mean(axis=0) for found in (quick, exact)]
    assert (np.abs(ends[0] - ends[1]) < 0.12 * spread).all()
    assert (np.abs(quick.std(axis=0) / spread - 1) < 0.03).all()


def test_systems_that_are_identical_have_one_half():
    """In every sample, with few segments and with many."""
    rng = np.random.default_rng(5)
    for n in (40, module.MANY_SEGMENTS):
        tables = tables_of(n, "normal", rng, m=2)
        tables[1, 1] = tables[1, 0]
        weights = drawn(n, rng, 3)
        human = 1 - np.abs(0.5 - normal_p(tables[0], weights, n))
        np.testing.assert_allclose(soft_draws(tables, weights)[:, 0], human, atol=1e-6)


def normal_p(scores, weights, n):
    """P-value of the one pair, with its second moment of each sample or of the table."""
    gap = scores[0] - scores[1]
    power = weights @ gap**2 if n < module.MANY_SEGMENTS else (gap**2).sum()
    return special.ndtr(-(weights @ gap) / np.sqrt(power))
