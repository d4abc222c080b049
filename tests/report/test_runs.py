"""The report on repeated runs: sections, the same numbers as the verbs, and means elsewhere."""

from __future__ import annotations

import numpy as np
from tests.made import drawn_runs, runs_of

import betterthan as bt
from betterthan.report.compose import compose
from betterthan.report.page import page


def test_it_shows_what_the_verbs_say():
    """Ranking, pairs, factors and variation, from a table or a file."""
    runs = drawn_runs(25, 4)
    report = compose(runs)
    assert report.kind == "runs"
    assert [section.key for section in report.sections][:4] == ["ranking", "pairs", "factors", "variation"]
    assert report.results["ranking-mean"] == bt.rank(runs, units="segments")
    assert report.results["pairs"] == bt.compare(runs, units="segments")
    assert report.results["variation"] == bt.variation(runs)
    assert report.results["factors"] == bt.factors(runs, units="segments")
    text = page(report)
    assert "More runs or more items?" in text
    assert "25 items, 4 runs each" in text


def test_a_file_gives_the_same_page(tmp_path):
    """Written and read back."""
    runs = drawn_runs(12, 3)
    bt.write_table(runs, tmp_path / "runs.csv")
    report = compose(tmp_path / "runs.csv")
    assert (
        report.results["pairs"].effect.tolist()[0][1:]
        == compose(runs).results["pairs"].effect.tolist()[0][1:]
    )
    assert report.command.startswith("betterthan report")


def test_right_and_wrong_get_pass_at_k():
    """With as many runs as every item has."""
    values = (np.random.default_rng(2).random((2, 20, 3)) < 0.6).astype(float)
    report = compose(runs_of(values))
    assert {"ranking-mean", "ranking-pass@3", "ranking-pass^3"} <= set(report.results)
    assert "factors" not in report.results


def test_systems_can_be_left_out():
    """Their runs go too."""
    runs = drawn_runs(10, 2)
    report = compose(runs, leave_out=["*short"])
    assert (
        report.results["ranking-mean"].systems
        == bt.rank(runs.select([runs.systems[0], runs.systems[2]])).systems
    )
