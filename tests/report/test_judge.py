"""Reports on a judge of all items and human labels of some: corrected means and an audit."""

from dataclasses import replace

import numpy as np
import pytest

import betterthan as bt
from betterthan.report.compose import compose, write_report


def tables(n=120, labels=40, m=3):
    """A judge that favors the last system, and labels of some items, all from one seed."""
    rng = np.random.default_rng(1)
    quality = rng.normal(size=n) + 0.6 * rng.normal(size=(m, n)) - 0.5 * np.arange(m)[:, None]
    judge = quality + 0.4 * rng.normal(size=(m, n)) + np.where(np.arange(m) == m - 1, 2.0, 0.0)[:, None]
    human = np.where(np.arange(n) < labels, quality, np.nan)
    names = {"systems": [f"s{k}" for k in range(m)], "segments": [f"q{i}" for i in range(n)]}
    return bt.Scores(name="judge", values=judge, **names), bt.Scores(name="human", values=human, **names)


def test_the_report_corrects_and_audits_the_judge(tmp_path):
    """The sections have the numbers of the verbs, and the headline is about people, not about the judge."""
    judge, human = tables()
    report = compose(judge, human=human)
    assert [section.key for section in report.sections][:3] == ["ranking", "corrected", "audit"]
    assert report.results["corrected"] == bt.correct(judge, human)
    assert report.results["audit"] == bt.audit_judge(judge, human)
    assert report.headline == "s0 is the best of 3 systems by human judgment."
    assert report.verdict.startswith("s0 is significantly better than both others")
    page = write_report(tmp_path / "report.html", judge, human=human)
    text = (tmp_path / "report.html").read_text()
    assert str(page).endswith("report.html")
    assert "Can judge be trusted?" in text
    assert "The judge alone would put s2 first." in text


def test_labels_of_everything_need_no_correction():
    """Nor is a choice of several metrics made for the reader."""
    judge, human = tables(labels=120)
    keys = [section.key for section in compose(judge, human=human).sections]
    assert "corrected" not in keys
    _, part = tables()
    several = compose([judge, replace(judge, name="other", values=-judge.values)], human=part)
    assert "corrected" not in [section.key for section in several.sections]


def test_weights_of_the_labels_are_used(tmp_path):
    """As the sheet of bt.sample has them, in a column "weight"."""
    judge, human = tables()
    rows = ["system,item,label,weight"]
    rows += [
        f"{system},{item},{human.values[k, i]},{1 + i % 3}"
        for k, system in enumerate(human.systems)
        for i, item in enumerate(human.segments[:40])
    ]
    (tmp_path / "labels.csv").write_text("\n".join(rows))
    found = compose(judge, human=tmp_path / "labels.csv")
    expected = bt.correct(judge, tmp_path / "labels.csv", human_score="label")
    assert expected.is_weighted
    assert found.results["corrected"].mean == pytest.approx(expected.mean)
