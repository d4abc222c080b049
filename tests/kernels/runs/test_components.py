"""Variance components: lme4's and statsmodels' numbers, literal mean squares, and incomplete tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.made import runs_of

from betterthan.errors import NotEstimable
from betterthan.kernels.runs.components import component_draws, components, needed_for_half

GOLDEN = Path(__file__).parents[2] / "golden" / "variance_components.json"


def components_of(table):
    """Components of systems × items × runs, NaN for a missing row."""
    runs = runs_of(table)
    return components(runs.system, runs.segment, runs.run, runs.score, shape=np.shape(table))


def test_they_are_those_of_lme4():
    """Restricted maximum likelihood by R's lme4, for a complete table whose estimates are positive."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    found = components_of(golden["input"]["scores"])
    for source, variance in zip(found.sources, found.variance, strict=True):
        assert variance == pytest.approx(golden["expected"][source], rel=golden["tolerance"]), source


def test_they_are_those_of_mean_squares():
    """Expected mean squares of the balanced design, solved by hand."""
    rng = np.random.default_rng(8)
    m, n, runs = 4, 6, 3
    table = rng.normal(size=(m, 1, 1)) + rng.normal(size=(1, n, 1)) + rng.normal(size=(m, n, runs))
    cell, by_run = table.mean(axis=2), table.mean(axis=1)
    system, item, mean = table.mean(axis=(1, 2)), table.mean(axis=(0, 2)), table.mean()
    rest = table - cell[:, :, None] - by_run[:, None, :] + system[:, None, None]
    ms = {
        "residual": (rest**2).sum() / (m * (n - 1) * (runs - 1)),
        "run": n * ((by_run - system[:, None]) ** 2).sum() / (m * (runs - 1)),
        "own": runs * ((cell - system[:, None] - item + mean) ** 2).sum() / ((m - 1) * (n - 1)),
        "item": m * runs * ((item - mean) ** 2).sum() / (n - 1),
        "system": n * runs * ((system - mean) ** 2).sum() / (m - 1),
    }
    own, run = (ms["own"] - ms["residual"]) / runs, (ms["run"] - ms["residual"]) / n
    expected = [
        (ms["system"] - ms["residual"] - runs * own - n * run) / (n * runs),
        (ms["item"] - ms["own"]) / (m * runs),
        own,
        run,
        ms["residual"],
    ]
    assert np.allclose(components_of(table).variance, expected)


@pytest.mark.slow
def test_they_are_those_of_statsmodels():
    """MixedLM with crossed effects, which maximizes the same likelihood by another program."""
    pandas = pytest.importorskip("pandas")
    models = pytest.importorskip("statsmodels.formula.api")
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    table = np.array(golden["input"]["scores"])
    system, item, run = (index.ravel() for index in np.indices(table.shape))
    data = pandas.DataFrame({"score": table.ravel(), "system": system, "item": item, "run": run, "all": 1})
    parts = {
        "system": "0 + C(system)",
        "item": "0 + C(item)",
        "own": "0 + C(system):C(item)",
        "run": "0 + C(system):C(run)",
    }
    fit = models.mixedlm("score ~ 1", data, groups="all", vc_formula=parts, re_formula="0").fit(reml=True)
    found = dict(zip(("system", "item", "own", "run"), components_of(table).variance[:4], strict=True))
    for name, variance in zip(fit.model.exog_vc.names, fit.vcomp, strict=True):
        assert found[name] == pytest.approx(variance, rel=0.02), name


def test_incomplete_tables_are_unbiased():
    """Averages of 1,000 tables with three of ten scores missing."""
    truth = np.array([0.6, 1.0, 0.4, 0.3, 1.0])
    rng = np.random.default_rng(11)
    found = []
    for _ in range(1000):
        parts = [rng.normal(size=size) for size in ((5, 1, 1), (1, 8, 1), (5, 8, 1), (5, 1, 3), (5, 8, 3))]
        table = sum(np.sqrt(v) * part for v, part in zip(truth, parts, strict=True))
        table = np.where(rng.random(table.shape) < 0.3, np.nan, table)
        if not np.isnan(table).all(axis=2).any():
            found.append(components_of(table).variance)
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - truth) < 4 * error).all()


def test_without_repeats_runs_are_not_named():
    """System, item and the rest, as in a two-way table."""
    table = np.random.default_rng(3).normal(size=(3, 7))
    found = components_of(table[:, :, None])
    rest = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    assert found.sources == ("system", "item", "residual")
    assert found.variance[2] == pytest.approx((rest**2).sum() / (2 * 6))


def test_draws_surround_the_estimates():
    """With many degrees of freedom their mean is the estimate."""
    rng = np.random.default_rng(7)
    table = rng.normal(size=(20, 1, 1)) + rng.normal(size=(1, 200, 1)) + rng.normal(size=(20, 200, 5))
    found = components_of(table)
    drawn = component_draws(found, 4000, np.random.default_rng(0))
    assert drawn.shape == (4000, 5)
    assert (drawn >= 0).all()
    assert drawn[:, 4].mean() == pytest.approx(found.variance[4], rel=0.01)


def test_halving_needs_four_times_as_many_runs_where_only_runs_vary():
    """And no number of runs where items alone vary."""
    runs, items = needed_for_half(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), 50, 3)
    assert runs.tolist() == [12.0, np.inf, 12.0]
    assert items.tolist() == pytest.approx([np.inf, 200.0, 200.0])


@pytest.mark.parametrize(
    "rows",
    [
        [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)],  # one item
        [(0, 0, 0), (0, 1, 0), (0, 1, 1)],  # one system
        [(0, 0, 0), (1, 1, 0)],  # no item in common
        [(0, 0, 0), (1, 0, 0), (1, 0, 1)],
    ],
)
def test_what_a_table_does_not_separate_is_said(rows):
    """No division by what is not there."""
    system, item, run = np.transpose(rows)
    with pytest.raises(NotEstimable, match="cannot be separated: too few of them were combined"):
        components(system, item, run, np.arange(float(len(rows))), shape=(2, 2, 2))
