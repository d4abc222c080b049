"""Hybrids of two systems, and differences of metrics beside their p-values."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

import betterthan as bt
from betterthan.errors import BetterThanError
from betterthan.studies.soft_pairwise.hybrid_systems import drawn_hybrids, hybrid_covariance
from betterthan.studies.soft_pairwise.spa_speed import scipy_pvalue
from betterthan.studies.study import measured, study


def campaign(m=5, n=30, k=3, seed=1):
    """Human scores and metrics that follow them more and less closely."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(m, n)) + np.arange(m)[:, None] / 3
    noise = {"human": 0.0, **{f"metric-{i}": 0.5 + i for i in range(k)}}
    return {
        name: bt.Scores(
            name=name,
            systems=tuple("ABCDEFGH"[:m]),
            segments=tuple(map(str, range(n))),
            values=human + scale * rng.normal(size=(m, n)),
        )
        for name, scale in noise.items()
    }


def test_the_covariance_of_hybrids_is_that_of_all_of_them():
    """Every hybrid of every pair of three systems on four segments, one by one."""
    goodness = np.random.default_rng(3).normal(size=(2, 3, 4))
    means = [
        [float(np.mean([goodness[t, pair[choice], s] for s, choice in enumerate(choices)])) for t in range(2)]
        for pair in combinations(range(3), 2)
        for choices in product((0, 1), repeat=4)
    ]
    assert hybrid_covariance(goodness) == pytest.approx(np.cov(np.array(means).T, ddof=0))


def test_drawn_hybrids_have_this_covariance_and_take_pairs_in_turn():
    """Twenty thousand of them; each lies between what the two systems could have at least and at most."""
    goodness = np.random.default_rng(4).normal(size=(3, 4, 20))
    drawn = drawn_hybrids(goodness, 20_000, np.random.default_rng(5), first=2)
    assert np.cov(drawn, ddof=0) == pytest.approx(hybrid_covariance(goodness), rel=0.1, abs=0.01)
    pairs = list(combinations(range(4), 2))
    for h in range(12):
        two = goodness[:, list(pairs[(2 + h) % 6])]
        assert (two.min(axis=1).mean(axis=1) <= drawn[:, h]).all()
        assert (drawn[:, h] <= two.max(axis=1).mean(axis=1)).all()


def test_hybrids_find_more_differences_and_no_other_order():
    """Significant pairs grow with the number of hybrids; correlations are those of SciPy over the systems."""
    tables = campaign(m=6, n=200)
    found = study("hybrid-systems", tables, quick=True, workers=1)
    row = dict(zip(found.tables[0].columns, found.tables[0].rows[0], strict=True))
    assert row["significant, hybrid"] >= row["significant, real"]
    assert row["correlation of r"] > 0.9
    human = tables["human"].values.mean(axis=1)
    for _, name, real, drawn, limit in found.table("correlations").rows:
        assert real == pytest.approx(stats.pearsonr(tables[name].values.mean(axis=1), human).statistic)
        assert drawn == pytest.approx(limit, abs=0.1)
    told = "add no information" if row["correlation of r"] >= 0.99 else "order metrics otherwise"
    assert told in found.sentences[1]
    assert found.to_json() == study("hybrid-systems", tables, quick=True, workers=2).to_json()


def test_too_few_systems_make_no_hybrids():
    """Williams' test needs four."""
    with pytest.raises(BetterThanError, match="needs 4 or more"):
        study("hybrid-systems", campaign(m=3), quick=True, workers=1)


def test_differences_are_compared_with_their_p_values():
    """Counts and limits of one metric, pair by pair, with SciPy's paired t-test near the permutation test."""
    tables = campaign(m=8, n=60)
    found = study("metric-differences", tables, workers=1)
    rows = {row[1]: row[2:] for row in found.tables[0].rows}
    chart = found.chart("differences-data")
    assert chart.log_x
    assert chart.rule == 0.05
    for name, (pairs, significant, smallest, largest, reliable) in rows.items():
        values = tables[name].values
        gaps = {(i, j): abs(float((values[i] - values[j]).mean())) for i, j in combinations(range(8), 2)}
        assert pairs == 28
        tested = {pair: stats.ttest_rel(values[pair[0]], values[pair[1]]).pvalue for pair in gaps}
        assert significant == pytest.approx(sum(p < 0.05 for p in tested.values()), abs=1)
        assert smallest in [pytest.approx(gap) for gap in gaps.values()]
        beyond = [gap for gap in gaps.values() if gap > largest]
        assert len(beyond) <= significant
        assert np.isnan(reliable) or smallest <= reliable
        assert name in chart.columns["panel"]
    claims = found.table("claims").rows
    mixed = sum(smallest < largest for *_, smallest, largest, _ in rows.values())
    assert claims[0][3].startswith(f"for {mixed} of 4 metrics")


def test_times_are_taken_against_scipy_and_with_the_verb():
    """Seven ways, all positive; the first is SciPy's, whose p-value is that of all 16 permutations."""
    assert scipy_pvalue(np.array([3.0, 4, 5, 4]), np.array([1.0, 4, 2, 3]), 4000) == 0.125
    (table,) = measured("spa-speed", campaign(m=4, n=12), quick=True)
    assert len(table.rows) == 8
    assert table.rows[0][2] == 1.0
    assert all(ms > 0 for _, ms, _ in table.rows)
    verbs = [row for row in table.rows if row[0].startswith("the verb")]
    assert [told[2] for row, told in zip(table.rows, table.printed, strict=True) if row in verbs] == [
        1000.0,
        1000.0,
    ]
