"""Moments of runs: the analysis of variance by literal sums, and what missing rows change."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import runs_of

from betterthan.kernels.runs.limits import run_effect_pvalue, run_moments


def moments_of(table):
    """Moments of systems × items × runs, NaN for a missing row."""
    runs = runs_of(table)
    shape = np.shape(table)
    return run_moments(runs.system, runs.segment, runs.run, runs.score, shape=shape)


@pytest.fixture
def table():
    """Three systems, eight items, four runs, with run effects."""
    rng = np.random.default_rng(5)
    return rng.normal(size=(1, 8, 1)) + rng.normal(size=(3, 1, 4)) + rng.normal(size=(3, 8, 4))


def test_a_complete_table_gives_the_analysis_of_variance(table):
    """Residual mean square, and the variance of run means less the residual mean square over n."""
    found = moments_of(table)
    for s, own in enumerate(table):
        rest = own - own.mean(axis=1, keepdims=True) - own.mean(axis=0) + own.mean()
        square = float((rest**2).sum()) / (7 * 3)
        assert found.residual[s] == pytest.approx(square, rel=1e-12)
        assert found.between[s] == pytest.approx(own.mean(axis=0).var(ddof=1) - square / 8, rel=1e-12)
    assert np.allclose(found.item_means, table.mean(axis=2))
    assert np.allclose(found.run_weight, 1 / 4)
    assert np.allclose(found.net_weight, 1 / 4)
    assert np.allclose(found.residual_weight, 1 / 32)


def test_the_f_test_is_that_of_the_analysis_of_variance(table):
    """Mean squares of runs and of residuals, pooled over systems."""
    rest = table - table.mean(axis=2, keepdims=True) - table.mean(axis=1, keepdims=True)
    rest += table.mean(axis=(1, 2), keepdims=True)
    between = 8 * table.mean(axis=1).var(axis=1, ddof=1).mean()
    within = float((rest**2).sum()) / (3 * 7 * 3)
    from scipy.stats import f

    assert run_effect_pvalue(moments_of(table)) == pytest.approx(f.sf(between / within, 9, 63), rel=1e-9)


def test_estimates_from_incomplete_tables_are_unbiased():
    """Runs with 0.5 and residuals with 1, four of ten scores missing; averages of 2,000 tables."""
    rng = np.random.default_rng(3)
    between, residual = [], []
    for _ in range(2000):
        table = (
            rng.normal(size=(1, 12, 1))
            + np.sqrt(0.5) * rng.normal(size=(1, 1, 4))
            + rng.normal(size=(1, 12, 4))
        )
        table[rng.random(table.shape) < 0.4] = np.nan
        table[0, :, 0] = np.where(np.isnan(table[0]).all(axis=1), 0.0, table[0, :, 0])
        if np.isnan(table[0, :, 0]).sum() < 8:
            found = moments_of(table)
            between.append(found.between[0])
            residual.append(found.residual[0])
    for values, truth in ((between, 0.5), (residual, 1.0)):
        assert abs(np.mean(values) - truth) < 4 * np.std(values) / np.sqrt(len(values)) + 0.02


def test_shifts_of_scores_change_no_variance(table):
    """Also where the mean is a million times the spread."""
    found, moved = moments_of(table), moments_of(table + 1e6)
    assert np.allclose(found.between, moved.between, atol=1e-8)
    assert np.allclose(found.residual, moved.residual, atol=1e-8)


def test_a_single_run_has_no_variance():
    """And neither have runs that share no item."""
    single = moments_of(np.arange(6.0).reshape(1, 6, 1))
    assert np.isnan(single.between).all()
    apart = np.full((1, 4, 2), np.nan)
    apart[0, :2, 0], apart[0, 2:, 1] = [1, 2], [3, 5]
    assert np.isnan(moments_of(apart).between).all()
    assert np.isnan(run_effect_pvalue(moments_of(apart)))
