"""The studies of soft pairwise accuracy: values, ties and significance, held against SciPy and literal loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from tests.everyday import few

import betterthan as bt
from betterthan.errors import BetterThanError, UnknownName
from betterthan.present.charts.metrics import metrics_chart, soft_pairwise_chart
from betterthan.present.charts.save import chart_bytes
from betterthan.present.charts.study import study_chart
from betterthan.present.charts.theme import THEMES
from betterthan.studies.human_panels import panels_of
from betterthan.studies.reporting import Mark, figure
from betterthan.studies.setups import Setup
from betterthan.studies.soft_pairwise.spa_segments import _Tables, _values
from betterthan.studies.soft_pairwise.spa_significance import TABLE_1, mean_gain
from betterthan.studies.study import study


def table(name, values, **more):
    """Scores of systems S0, S1, … on as many segments as there are columns."""
    values = np.asarray(values, dtype=float)
    systems = tuple(f"S{i}" for i in range(len(values)))
    return bt.Scores(
        name=name, systems=systems, segments=tuple(map(str, range(values.shape[1]))), values=values, **more
    )


def campaign(k=5, m=5, n=30, seed=0):
    """People, and k metrics that follow them less and less; the last is the first under another name."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(m, n)) + np.linspace(0, 1, m)[:, None]
    found = {"human": table("human", truth)}
    for i in range(k - 1):
        found[f"metric-{i}"] = table(f"metric-{i}", truth + (0.5 + i) * rng.normal(size=(m, n)))
    found["again"] = table("again", found["metric-0"].values)
    return found


def agreeing_pairs(human, metric):
    """Pairwise accuracy by a loop."""
    means = [(a.values.mean(axis=1)) for a in (human, metric)]
    pairs = list(combinations(range(len(means[0])), 2))
    return sum((means[0][i] > means[0][j]) == (means[1][i] > means[1][j]) for i, j in pairs) / len(pairs)


def greedy(order, better):
    """Clusters as section 4.4 says it, inside the current cluster."""
    clusters = [[order[0]]]
    for name in order[1:]:
        if any((other, name) in better for other in clusters[-1]):
            clusters.append([])
        clusters[-1].append(name)
    return len(clusters)


def test_values_are_those_of_a_loop_and_of_scipy():
    """Pairwise accuracy exactly; soft pairwise accuracy within the noise of 1000 permutations."""
    tables = campaign(n=10)
    found = study("spa-significance", tables, options={"permutations": 1000}, workers=1)
    rows = {row[0]: row for row in found.table("metrics-data").rows}
    human = tables["human"]

    def p_values(scores):
        """Exact, by SciPy: all 1024 exchanges."""
        return {
            (i, j): stats.permutation_test(
                (scores.values[i], scores.values[j]),
                lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
                permutation_type="samples",
                alternative="greater",
                n_resamples=np.inf,
                vectorized=True,
            ).pvalue
            for i, j in combinations(range(scores.n_systems), 2)
        }

    people = p_values(human)
    for name in ("metric-0", "metric-3"):
        theirs = p_values(tables[name])
        soft = np.mean([1 - abs(people[pair] - theirs[pair]) for pair in people])
        assert rows[name][1] == pytest.approx(soft, abs=0.03)
        assert rows[name][3] == pytest.approx(agreeing_pairs(human, tables[name]))


def test_counts_of_table_1_are_those_of_the_matrix():
    """Significant pairs and greedy clusters counted again from the p-values that figure 4 shows."""
    found = study("spa-significance", campaign(), quick=True, workers=1)
    row = dict(zip(found.tables[0].columns, found.tables[0].rows[0], strict=True))
    for label in ("PA", "SPA"):
        shown = found.chart(f"figure-4-{label}-data").result
        order, p = list(shown.metrics), shown.comparisons.pvalue
        better = {(order[i], order[j]) for i, j in zip(*np.nonzero(np.triu(p <= 0.05, 1)), strict=True)}
        assert row[f"significant {label}"] == len(better)
        assert row[f"clusters {label}"] == greedy(order, better)


def test_a_metric_under_two_names_counts_once_at_most():
    """Five metrics, four different: the most that can be reached is 4 values and 6 pairs (note of table 1)."""
    found = study("spa-significance", campaign(), quick=True, workers=1)
    row = dict(zip(found.tables[0].columns, found.tables[0].rows[0], strict=True))
    assert (row["metrics"], row["distinct SPA"], row["distinct most"]) == (5, 4, 4)
    assert (row["significant most"], row["clusters most"]) == (6, 4)


def test_the_printed_table_gives_the_printed_means():
    """Section 4.4: 31 % more significant comparisons, 40 % more clusters."""
    assert round(mean_gain(TABLE_1.rows, 6), 2) == 0.31
    assert round(mean_gain(TABLE_1.rows, 9), 2) == 0.40
    gains = study("spa-significance", campaign(), quick=True, workers=1).table("gains")
    assert [round(row[1], 2) for row in gains.printed] == [1.00, 0.31, 0.40]
    assert np.isnan(mean_gain([("x", 0, 3)], 1))


def test_ties_are_those_of_a_loop():
    """Distinct values and the largest group of equals, counted with a dictionary; 5 systems have 11 possible values."""
    tables = campaign(k=12)
    found = study("spa-ties", tables, workers=1)
    values = {}
    for name, scores in tables.items():
        if name != "human":
            values.setdefault(round(agreeing_pairs(tables["human"], scores), 9), []).append(name)
    row = dict(zip(found.tables[0].columns, found.tables[0].rows[0], strict=True))
    assert row["possible PA"] == 11
    assert row["distinct PA"] == len(values)
    assert row["largest tie PA"] == max(map(len, values.values()))
    groups = {tuple(sorted(group[4].split(", "))) for group in found.table("ties").rows if group[1] == "PA"}
    assert groups == {tuple(sorted(names)) for names in values.values() if len(names) > 1}
    assert [group[4] for group in found.table("ties").rows if group[1] == "SPA"] == ["again, metric-0"]


def test_names_and_order_of_systems_do_not_matter():
    """Pairwise accuracy of shuffled systems under other names."""
    tables = campaign()
    order = [3, 0, 4, 1, 2]
    shuffled = {
        name: bt.Scores(
            name=name, systems=tuple("VWXYZ"), segments=scores.segments, values=scores.values[order]
        )
        for name, scores in tables.items()
    }
    ours, other = (
        study("spa-ties", data, quick=True, workers=1).tables[0].rows[0] for data in (tables, shuffled)
    )
    assert ours == other


def test_less_may_be_better():
    """A metric and its negative with the direction turned are worth the same."""
    tables = campaign()
    turned = tables | {"metric-1": table("metric-1", -tables["metric-1"].values, higher_is_better=False)}
    one, other = (study("spa-significance", data, quick=True, workers=1) for data in (tables, turned))
    assert one.tables[0].rows == other.tables[0].rows


def test_human_scores_are_found_by_name_and_one_serves_all():
    """A lone table of people serves the data sets without their own; a metric called after people is a metric."""
    scores = campaign()["human"]
    lone = [Setup("human", "scores", scores), Setup("x", "BLEU", scores), Setup("y", "COMET-MQM", scores)]
    found = panels_of(lone).each
    assert [(panel.dataset, list(panel.metrics)) for panel in found] == [
        ("x", ["BLEU"]),
        ("y", ["COMET-MQM"]),
    ]
    own = panels_of([Setup("x", "BLEU", scores), Setup("x", "MQM", scores)]).each
    assert list(own[0].metrics) == ["BLEU"]


def test_the_first_table_stands_for_people_only_if_that_is_said():
    """And people without metrics are refused."""
    scores = campaign()["human"]
    found = panels_of([Setup("x", "m", scores), Setup("x", "k", scores)])
    assert list(found.each[0].metrics) == ["k"]
    assert "is taken as human scores" in found.notes[0]
    with pytest.raises(BetterThanError, match=r"no metrics beside human scores"):
        panels_of([Setup("x", "human", scores)])


@pytest.mark.parametrize(
    "name", few(["spa-significance", "spa-ties", "spa-systems", "spa-segments", "spa-speed"], 2)
)
def test_bytes_do_not_depend_on_workers_and_both_readings_are_one(name):
    """One worker or two; the released programs do what the text says."""
    tables = campaign()
    one = study(name, tables, quick=True, workers=1)
    assert one.to_json() == study(name, tables, quick=True, workers=2).to_json()
    assert study(name, tables, quick=True, workers=1, as_published=True).tables == one.tables


def test_subsets_of_systems_are_those_of_the_verb():
    """Every subset of four of five systems, evaluated anew by the verb and correlated by SciPy."""
    tables = campaign(k=6)
    found = study("spa-systems", tables, options={"permutations": 500}, workers=1)
    names = [name for name in tables if name != "human"]

    def values(by, systems):
        """Of all metrics on some systems."""
        some = {name: scores.select(systems=systems) for name, scores in tables.items()}
        metrics = {name: some[name] for name in names}
        one = bt.meta_evaluate(
            metrics, some["human"], by=by, significance="none", confidence=None, n_resamples=500
        )
        return [one.value[one.metrics.index(name)] for name in names]

    row = next(row for row in found.tables[0].rows if row[1:4] == (4, 5, "Pearson"))
    for by, mean in (("pairwise_accuracy", row[4]), ("soft_pairwise_accuracy", row[7])):
        full = values(by, tables["human"].systems)
        subsets = combinations(tables["human"].systems, 4)
        each = [stats.pearsonr(values(by, some), full).statistic for some in subsets]
        assert mean == pytest.approx(np.mean(each), abs=1e-9)


def test_a_ranking_of_two_systems_cannot_lose_one():
    """Three are needed, and two metrics."""
    tables = campaign(m=2)
    with pytest.raises(BetterThanError, match=r"left out of three or more"):
        study("spa-systems", tables, quick=True, workers=1)


def test_intervals_shrink_with_more_segments_and_hold_the_value():
    """Means on drawn test sets of all segments lie near the value; intervals of few segments are wider."""
    tables = campaign(n=80)
    found = study("spa-segments", tables, quick=True, workers=1)
    shown = found.table("figure-3")
    rows = [dict(zip(shown.columns, row, strict=True)) for row in shown.rows]
    best = [row for row in rows if row["metric"] == rows[0]["metric"]]
    assert [row["segments"] for row in best] == [5, 10, 20, 40, 80]
    assert best[-1]["SPA width"] < best[0]["SPA width"]
    for row in rows:
        assert row["PA low"] <= row["PA"] <= row["PA high"]
        assert row["SPA width"] == pytest.approx(row["SPA high"] - row["SPA low"])
    halves = [
        [row[f"{measure} width"] for row in rows if row["segments"] in (40, 80)] for measure in ("PA", "SPA")
    ]
    ratios = [
        np.mean([half / full for half, full in zip(each[::2], each[1::2], strict=True)]) for each in halves
    ]
    assert f"are {ratios[0]:.2f} times as wide as with all" in found.sentences[2]
    assert f"soft measure {ratios[1]:.2f} times" in found.sentences[2]
    assert found.chart("figure-3-widths").columns["y"][:2] == (rows[0]["PA width"], rows[0]["SPA width"])
    value = agreeing_pairs(tables["human"], tables[rows[0]["metric"]])
    assert best[-1]["PA low"] <= value <= best[-1]["PA high"]


def test_drawn_values_are_those_of_a_loop():
    """Pairwise accuracy of one drawn test set, counted pair by pair; gaps are left out."""
    rng = np.random.default_rng(3)
    human, scores = rng.normal(size=(4, 30)), rng.normal(size=(2, 4, 30))
    human[1, 3] = np.nan
    some = rng.integers(0, 30, 12)
    hard, _ = _values(_Tables("x", ("a", "b"), human, scores), some)
    for k in range(2):
        drawn = table("h", np.nanmean(human[:, some], axis=1, keepdims=True)), table("m", scores[k][:, some])
        assert hard[k] == pytest.approx(agreeing_pairs(*drawn))


def test_a_gap_takes_away_a_cell_and_not_a_segment():
    """Systems are compared on the segments that both have: the mean of the others keeps all of theirs."""
    tables = campaign(k=4, n=12)
    values = tables["human"].values.copy()
    values[0, 3] = np.nan
    gappy = tables | {"human": table("human", values)}
    found = study("spa-significance", gappy, quick=True, workers=1)
    rows = {row[0]: row for row in found.table("metrics-data").rows}
    for name in ("metric-0", "metric-2"):
        scores = np.where(np.isnan(values), np.nan, tables[name].values)
        means = [table("x", np.nanmean(one, axis=1, keepdims=True)) for one in (values, scores)]
        assert rows[name][3] == pytest.approx(agreeing_pairs(*means))
    assert any("Human scores cover 59 of 60 cells" in note for note in found.notes)


def test_lines_have_no_mark_where_nothing_is_defined():
    """All systems but one leave pairs of two, on which all metrics may have one value; no mark stands there."""
    marks = [Mark("x", "PA", 2, float("nan")), Mark("x", "PA", 3, 0.5, 0.4, 0.6), Mark("x", "SPA", 2, 0.1)]
    chart = figure(marks, name="n", title="t", x="a", y="b")
    assert (chart.kind, chart.x, chart.y) == ("lines", "a", "b")
    assert chart.columns == {
        "panel": ("x", "x"),
        "series": ("PA", "SPA"),
        "x": (3, 2),
        "y": (0.5, 0.1),
        "low": (0.4, None),
        "high": (0.6, None),
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_of_metrics_are_those_of_the_verb(theme):
    """Figures 1 and 4 of a study are drawn by the charts of a result, with the title of the study."""
    found = study("spa-significance", campaign(), quick=True, workers=1)
    colors = THEMES[theme]
    for label, draw in (("figure-4-SPA-data", metrics_chart), ("figure-1-data", soft_pairwise_chart)):
        shown = found.chart(label)
        picture = chart_bytes(study_chart(found, colors, figure=label), "svg")
        assert picture == chart_bytes(draw(shown.result, colors, title=shown.title), "svg")
    significant = int(found.chart("figure-4-SPA-data").result.comparisons.better.sum())
    assert significant > 0
    picture = chart_bytes(study_chart(found, colors, figure="figure-4-SPA-data"), "svg").decode()
    # One more in the legend.
    assert picture.count(f'fill="{colors.good}"') == significant + 1


def test_metrics_are_chosen_by_name():
    """Figure 1 of a metric that is named; figure 3 of two; a name that no data set has is refused."""
    tables = campaign()
    names = [name for name in tables if name != "human"]
    found = study("spa-significance", tables, quick=True, workers=1, options={"metric": names[2]})
    assert found.chart("figure-1-data").metric == names[2]
    wanted = ",".join(names[1:3])
    found = study("spa-segments", tables, quick=True, workers=1, options={"metrics": wanted})
    assert set(found.table("figure-3").column("metric")) == set(names[1:3])
    with pytest.raises(UnknownName, match='Unknown metric "Prisma"'):
        study("spa-segments", tables, quick=True, workers=1, options={"metrics": "Prisma"})
