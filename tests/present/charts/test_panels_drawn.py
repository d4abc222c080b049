"""What charts of tags, predicted quality, judges and diagnoses show, against the numbers of the result."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.made import drawn_scores
from tests.present.charts.pictures import SYSTEMS, Picture, judged, made, subject, values

import betterthan as bt
from betterthan.present.charts.chart import chart
from betterthan.present.charts.ranking import with_others


def panels(drawn):
    """The table of dots of each panel, from left to right."""
    spec = drawn.to_dict()
    kept = spec.get("datasets", {})

    def tables(part):
        if isinstance(part, dict):
            data = part.get("data", {})
            if "values" in data or data.get("name") in kept:
                yield data["values"] if "values" in data else kept[data["name"]]
            for each in part.values():
                yield from tables(each)
        elif isinstance(part, list):
            for each in part:
                yield from tables(each)

    return [next(table for table in tables(panel) if "label" in table[0]) for panel in spec["hconcat"]]


def column(table, field):
    """A field by the name of the row."""
    return {row["label"]: row[field] for row in table}


def test_a_panel_a_measure_of_tags():
    """Values and intervals are those of the ranking; what knows next to nothing stands in brackets."""
    result = subject("tags")
    found = panels(made("tags"))
    assert len(found) == len(result.measures) == 3
    shown = [f"[{n}]" if s else n for n, s in zip(result.systems, result.is_synthetic, strict=True)]
    for k, table in enumerate(found):
        for field in ("value", "low", "high"):
            expected = dict(zip(shown, getattr(result, field)[:, k].tolist(), strict=True))
            drawn = {
                name: math.nan if number is None else number for name, number in column(table, field).items()
            }
            assert drawn == pytest.approx(expected, rel=1e-9, nan_ok=True)
    groups = column(found[0], "group")
    assert {n for n, g in groups.items() if g == "[trivial labeling]"} == {n for n in shown if n[0] == "["}


def test_quality_stands_beside_the_constant():
    """Two lines: the errors of always predicting the mean."""
    result, drawn = subject("quality"), made("quality")
    measured = (result.pearson, result.spearman, result.mae, result.rmse)
    for table, measure in zip(panels(drawn), measured, strict=True):
        assert column(table, "value") == pytest.approx(
            dict(zip(result.systems, measure.tolist(), strict=True))
        )
    lines = [table[0]["at"] for table in values(drawn) if "at" in table[0]]
    assert sorted(lines) == pytest.approx(sorted([result.constant_mae, result.constant_rmse]))


def test_judges_who_are_not_kept_come_first():
    """Then by how far they depart; the severe one has a bias below nought, the careless one is excluded."""
    result = subject("judges")
    bias, correlation, ratio = panels(made("judges"))
    assert next(row["label"] for row in bias) == SYSTEMS[-1]
    assert column(bias, "group") == {
        name: "excluded" if name in result.dropped else "kept" for name in SYSTEMS
    }
    assert result.dropped == (SYSTEMS[-1],)
    assert min(column(bias, "value"), key=column(bias, "value").get) == SYSTEMS[1]
    for table, measure in ((correlation, result.correlation), (ratio, result.variance_ratio)):
        assert column(table, "value") == pytest.approx(dict(zip(SYSTEMS, measure.tolist(), strict=True)))


def test_renaming_judges_renames_the_rows():
    """And changes no number."""
    others = ("w", "x", "y", "z")
    one, other = panels(made("judges")), panels(chart(bt.judges(judged(others))))
    for a, b in zip(one, other, strict=True):
        assert [row["value"] for row in a] == [row["value"] for row in b]
        assert [others[SYSTEMS.index(row["label"])] for row in a] == [row["label"] for row in b]


def test_a_judge_who_shares_nothing_is_said_and_not_drawn():
    """Undefined is not nought."""
    whole = judged(SYSTEMS)
    alone = replace(whole, judge=np.where(np.arange(120) < 30, 0, np.where(np.arange(120) < 60, 1, 2)))
    table = replace(
        alone,
        judges=("a", "b", "c"),
        segments=tuple(map(str, range(30))),
        segment=whole.segment + np.where(alone.judge == 2, 10, 0),
    )
    drawn = chart(bt.judges(table))
    assert column(panels(drawn)[0], "value")["c"] is None
    picture = Picture(drawn)
    assert any("1 of 3 judges shares too few outputs with others." in words for words in picture.words)
    assert len(picture.marks("symbol")) < 9


def test_agreement_with_others_is_the_mean_of_the_row():
    """A literal loop; undefined pairs are left out."""
    result = bt.diagnose(drawn_scores(5, 30))
    kendall = result.kendall.copy()
    kendall[0, 1] = kendall[1, 0] = np.nan
    expected = [
        np.mean([kendall[i, j] for j in range(5) if j != i and not np.isnan(kendall[i, j])]) for i in range(5)
    ]
    assert with_others(kendall) == pytest.approx(expected)
    assert np.isnan(with_others(np.full((2, 2), np.nan))).all()
    outliers, spread, _ = panels(chart(result))
    assert [row["value"] for row in outliers] == pytest.approx(
        (100 * result.outlier_share_by_system).tolist()
    )
    assert [row["value"] for row in spread] == pytest.approx(result.rank_spread_by_system.tolist())


def test_of_many_rows_the_first_hundred_are_drawn():
    """And the words say so."""
    picture = Picture(chart(bt.diagnose(drawn_scores(103, 6))))
    assert len(picture.marks("symbol")) <= 3 * 100
    assert any("The first 100 of 103 systems are shown." in words for words in picture.words)
