"""The study of shared permutations: p-values held against all flips, costs against loops, no clock in results."""

from __future__ import annotations

import json
import statistics
from itertools import combinations, product

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats
from tests.studies.test_soft_pairwise_studies import campaign, table

import betterthan as bt
from betterthan.cli.main import cli
from betterthan.errors import BetterThanError
from betterthan.kernels.agreement.soft_pairwise import pvalues_of_tables
from betterthan.studies.soft_pairwise import spa_speed
from betterthan.studies.soft_pairwise.spa_speed import (
    PRINTED_MILLISECONDS,
    PRINTED_SPEEDUP,
    GoodnessTables,
    _Spread,
    batch_pvalues,
    costs,
    separate_pvalues,
    sums_pvalues,
)
from betterthan.studies.study import measured, study

WAYS = {"own": separate_pvalues, "batch": batch_pvalues, "sums": sums_pvalues}


def goodness(k=2, m=4, n=9, seed=0, digits=1):
    """Scores with ties."""
    return np.random.default_rng(seed).normal(size=(k, m, n)).round(digits)


def exact(x, y):
    """The share of all flips that reach the observed difference, by a loop."""
    gaps = x - y
    reached = [
        sum(s * d for s, d in zip(signs, gaps, strict=True)) for signs in product((1, -1), repeat=len(x))
    ]
    return float(np.mean(np.array(reached) >= gaps.sum() - 1e-9))


@pytest.mark.parametrize("way", WAYS)
def test_p_values_are_those_of_all_flips(way):
    """512 flips counted by a loop, and SciPy, which says the same; 4,000 permutations lie within their noise."""
    tables = goodness()
    found = WAYS[way](tables, 4000, np.random.default_rng(1))
    for t, (i, j) in product(range(2), combinations(range(4), 2)):
        expected = exact(tables[t, i], tables[t, j])
        assert abs(found[t, i, j] - expected) < 4.5 * 0.5 / np.sqrt(4000)
    theirs = stats.permutation_test(
        (tables[0, 0], tables[0, 1]),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
    )
    assert theirs.pvalue == pytest.approx(exact(tables[0, 0], tables[0, 1]))
    assert np.isnan(found[:, np.tril_indices(4)[0], np.tril_indices(4)[1]]).all()


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_from_the_same_numbers_both_shared_ways_and_the_kernel_say_the_same(digits):
    """To the last bit, ties included: the shortcut is one of speed only."""
    tables = goodness(k=3, m=5, n=70, digits=digits)
    batch, sums = (way(tables, 300, np.random.default_rng(7)) for way in (batch_pvalues, sums_pvalues))
    kernel = pvalues_of_tables(list(tables), "monte_carlo", n_resamples=300, rng=np.random.default_rng(7))
    np.testing.assert_array_equal(batch, sums)
    above = np.triu_indices(5, 1)
    np.testing.assert_array_equal(sums[:, *above], np.stack(kernel)[:, *above])


def test_how_the_batch_is_cut_does_not_change_it():
    """More segments than a portion of memory holds, against the kernel, which cuts otherwise."""
    tables = goodness(k=1, m=2, n=30_000, digits=3)
    found = sums_pvalues(tables, 150, np.random.default_rng(3))
    kernel = pvalues_of_tables(list(tables), "monte_carlo", n_resamples=150, rng=np.random.default_rng(3))
    assert found[0, 0, 1] == kernel[0][0, 1]


def test_costs_are_those_of_counting_loops():
    """Every draw, product and comparison counted one by one; 3 tables, 4 systems, 5 segments, 6 permutations."""
    k, m, n, b = 3, 4, 5, 6
    drawn = {"own": 0, "batch": b * n, "sums": b * n}
    added = dict.fromkeys(drawn, 0)
    compared = 0
    for _ in range(k):
        for _ in combinations(range(m), 2):
            for _ in range(b):
                compared += 1
                for _ in range(n):
                    drawn["own"] += 1
                    added["own"] += 1
                    added["batch"] += 1
        for _ in product(range(m), range(b), range(n)):
            added["sums"] += 1
    for way, cost in costs(k, m, n, b).items():
        if way != "analytic":
            assert cost == (drawn[way], added[way], compared)
    assert costs(k, m, n, b)["analytic"] == (0, 4 * k * m * m * n, 0)


def test_sharing_flatters_a_metric_that_says_what_people_say():
    """With shared permutations the same scores have the same p-values and the value 1; with own ones they differ."""
    tables = campaign(n=12)
    tables = {"human": tables["human"], "same": table("same", tables["human"].values)}
    found = study("spa-speed", tables, options={"permutations": 100, "repeats": 5}, workers=1)
    row = dict(zip(found.table("sharing").columns, found.table("sharing").rows[0], strict=True))
    assert row["deviation shared"] == 0
    assert row["deviation own"] > 0
    assert row["shared − own"] > 4 * row["standard error"]
    assert f"shared minus own is {row['shared − own']:.5f}" in found.sentences[2]


def test_spreads_are_those_of_the_statistics_module():
    """Root mean square over metrics of deviations; the shift with the standard error of its mean."""
    value = np.random.default_rng(5).normal(size=(6, 2, 3))
    one = _Spread(GoodnessTables("x", ("a", "b", "c"), np.empty((4, 2, 1))), value)
    for way in range(2):
        squares = [statistics.variance(value[:, way, metric].tolist()) for metric in range(3)]
        assert one.deviation[way] == pytest.approx(statistics.mean(squares) ** 0.5)
    shifts = [float(np.mean(value[r, 1] - value[r, 0])) for r in range(6)]
    assert one.shift == pytest.approx((statistics.mean(shifts), statistics.stdev(shifts) / 6**0.5))


def test_names_and_direction_do_not_matter():
    """Other names, and a metric turned round with its direction: the same numbers."""
    tables = campaign(n=12)
    turned = tables | {"metric-1": table("metric-1", -tables["metric-1"].values, higher_is_better=False)}
    renamed = {
        name: bt.Scores(name=name, systems=tuple("VWXYZ"), segments=one.segments, values=one.values)
        for name, one in tables.items()
    }
    options = {"permutations": 50, "repeats": 2}
    first, *others = (
        study("spa-speed", data, options=options, workers=1).tables for data in (tables, turned, renamed)
    )
    assert all(other == first for other in others)


def test_segments_that_somebody_lacks_are_left_out_for_all_ways():
    """A gap of people: one segment fewer."""
    tables = campaign(n=12)
    values = tables["human"].values.copy()
    values[0, 3] = np.nan
    found = study(
        "spa-speed",
        tables | {"human": table("human", values)},
        options={"permutations": 20, "repeats": 2},
        workers=1,
    )
    assert found.table("operations").rows[0][:4] == ("data", 5, 11, 6 * 10)


def test_one_repeat_and_scores_of_systems_are_refused():
    """Nothing spreads, nothing can be exchanged."""
    with pytest.raises(BetterThanError, match=r"Set repeats to 2 or more"):
        study("spa-speed", campaign(), options={"repeats": 1}, workers=1)
    whole = {
        name: bt.Scores(name=name, systems=one.systems, segments=("system",), values=one.values[:, :1])
        for name, one in campaign().items()
    }
    with pytest.raises(BetterThanError, match=r"Name scores of segments"):
        study("spa-speed", whole, quick=True, workers=1)


@pytest.mark.slow
def test_times_stand_beside_the_printed_ones_and_nowhere_in_the_result(tmp_path):
    """40 ms and 1,000 times are printed; of two folders all files are the same but those of the clock."""
    options = {"permutations": 50, "repeats": 2}
    (times,) = measured("spa-speed", campaign(), options=options)
    assert all(row[1] > 0 for row in times.rows)
    assert times.rows[0][2] == 1
    assert [row[2] for row in times.rows] == pytest.approx([times.rows[0][1] / row[1] for row in times.rows])
    assert [row[1] for row in times.printed] == [PRINTED_MILLISECONDS] + [None] * (len(times.rows) - 1)
    speedups = {row[0]: printed[2] for row, printed in zip(times.rows, times.printed, strict=True)}
    assert speedups[spa_speed.WAYS["sums"]] == PRINTED_SPEEDUP
    assert speedups[times.rows[0][0]] is None
    assert measured("spa-ties", campaign()) == ()
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        done = CliRunner().invoke(
            cli,
            [
                "study",
                "spa-speed",
                "--quick",
                "--set",
                "repeats=2",
                "--no-cache",
                "-f",
                "json",
                "-o",
                str(folder),
            ],
            catch_exceptions=False,
        )
        assert "no part of the result" in done.stderr
        assert "measured" not in [each["name"] for each in json.loads(done.stdout)["tables"]]
    names = [sorted(path.name for path in folder.iterdir()) for folder in folders]
    assert names[0] == names[1]
    assert {name for name in names[0] if name.startswith("measured")} == {
        f"measured.{suffix}" for suffix in ("csv", "md", "tex")
    }
    for name in names[0]:
        if not name.startswith("measured"):
            assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name
