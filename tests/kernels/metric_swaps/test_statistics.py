"""Statistics of batches of system means against SciPy, one set of means at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from betterthan.kernels.agreement.soft_pairwise import pairwise_accuracy
from betterthan.kernels.agreement.system_means import (
    kendall_of_means,
    pair_signs,
    pearson_of_means,
    spearman_of_means,
)

ORACLES = {
    pearson_of_means: lambda x, h: stats.pearsonr(x, h).statistic,
    spearman_of_means: lambda x, h: stats.spearmanr(x, h).statistic,
    kendall_of_means: lambda x, h: stats.kendalltau(x, h).statistic,
}
STATISTICS = [*ORACLES, pairwise_accuracy]


@given(st.integers(0, 2**32), st.integers(3, 9), st.booleans())
def test_a_batch_is_what_scipy_says_one_by_one(seed, m, discrete):
    """Pearson, Spearman and Kendall's τ_b, with ties and without, along the last axis."""
    rng = np.random.default_rng(seed)
    batch, human = rng.normal(size=(2, 3, m)), rng.normal(size=m)
    if discrete:
        batch, human = np.rint(batch), np.rint(human)
    human[:2] = 0.0, 1.0
    batch[..., :2] = 0.0, 1.0
    for statistic, oracle in ORACLES.items():
        wanted = np.apply_along_axis(oracle, -1, batch, human)
        np.testing.assert_allclose(statistic(batch, human), wanted, atol=1e-12)
    signs = [np.sign(human[:, None] - human)] + [np.sign(x[:, None] - x) for x in batch.reshape(-1, m)]
    above = np.triu_indices(m, 1)
    wanted = [np.mean(of_metric[above] == signs[0][above]) for of_metric in signs[1:]]
    np.testing.assert_allclose(pairwise_accuracy(batch, human).ravel(), wanted, atol=1e-12)


@pytest.mark.parametrize("statistic", ORACLES)
def test_constant_means_have_no_correlation(statistic):
    """NaN on either side; sums that differ by rounding only are constant."""
    slope, flat = np.arange(4.0), np.full(4, 0.3) + np.array([0.0, 5e-17, 0.0, -5e-17])
    found = statistic(np.stack([slope, flat]), slope)
    assert found[0] == pytest.approx(1.0)
    assert np.isnan(found[1])
    assert np.isnan(statistic(slope, flat))


@pytest.mark.parametrize("statistic", STATISTICS)
def test_laws_of_all_statistics(statistic):
    """Sums serve as well as means, systems in another order too, and people agree with themselves."""
    rng = np.random.default_rng(2)
    batch, human = rng.normal(size=(5, 8)), rng.normal(size=8)
    found, order = statistic(batch, human), rng.permutation(8)
    np.testing.assert_allclose(statistic(1300 * batch + 5, human), found, atol=1e-12)
    np.testing.assert_allclose(statistic(batch[:, order], human[order]), found, atol=1e-12)
    assert statistic(human, human) == pytest.approx(1.0)
    turned = 1 - found if statistic is pairwise_accuracy else -found
    np.testing.assert_allclose(statistic(-batch, human), turned, atol=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("m", [0, 1])
def test_without_two_systems_nothing_is_defined(statistic, m):
    """NaN for each set of means."""
    assert np.isnan(statistic(np.zeros((3, m)), np.zeros(m))).tolist() == [True] * 3


def test_signs_of_unknown_means_are_zero():
    """What is compared with NaN is neither more nor less; the tolerance looks at the others."""
    assert pair_signs(np.array([1.0, np.nan, 2.0])).tolist() == [0, -1, 0]
