"""betterthan tradeoffs, and rank and compare of several metrics: one answer, formats, receipts, refusals."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import betterthan as bt


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Two runs with a grade and a latency each, in files and in folders."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    level = rng.normal(size=50)
    for name, lead in (("base", 0.0), ("new", 1.0)):
        grades, times = level + lead + rng.normal(size=50), 3 + 2 * lead + rng.normal(size=50)
        rows = [
            {"id": f"q{i}", "grade": float(g), "latency": float(t)}
            for i, (g, t) in enumerate(zip(grades, times, strict=True))
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        for place in (tmp_path / f"{name}.jsonl", tmp_path / name / "results.jsonl"):
            place.parent.mkdir(exist_ok=True)
            place.write_text(text, encoding="utf-8")
    return tmp_path


def test_compare_rank_and_tradeoffs_give_the_same_answer(betterthan, runs):
    """Of all metrics where none is named, and of those named."""
    files = (runs / "base.jsonl", runs / "new.jsonl")
    results = [
        json.loads(betterthan(*words, "--json").out)
        for words in (
            ("compare", *files),
            ("rank", *files),
            ("tradeoffs", *files),
            ("compare", *files, "--metric", "grade", "--metric", "lat"),
        )
    ]
    for result in results:
        assert (result["kind"], result["metrics"]) == ("tradeoffs", ["grade", "latency"])
        del result["command"]
    assert results[0] == results[1] == results[2] == results[3]
    assert results[0]["adjusted"] == bt.tradeoffs(*map(str, files)).to_dict()["adjusted"]


def test_what_it_says(betterthan, runs):
    """A row per metric, with the direction where lower is better."""
    said = betterthan("compare", runs / "base.jsonl", runs / "new.jsonl")
    assert said.code == 0, said.err
    words = " ".join(said.out.split())
    assert "latency (lower is better)" in words
    assert "By grade: new is significantly better than base" in words
    assert "By latency: new is significantly worse than base" in words
    assert "Each of the two has the better score by some metric. Both have significant leads." in words


def test_folders_of_runs_with_metrics_of_the_same_items(betterthan, runs):
    """They are metrics, not tasks."""
    said = betterthan("compare", runs / "base", runs / "new", "--json")
    assert json.loads(said.out)["kind"] == "tradeoffs", said.err


@pytest.mark.parametrize("form", ["csv", "markdown", "latex", "html"])
def test_formats(betterthan, runs, form):
    """CSV has a row per metric and system."""
    said = betterthan("tradeoffs", runs / "base.jsonl", runs / "new.jsonl", "--format", form)
    assert said.code == 0, said.err
    if form == "csv":
        rows = list(csv.DictReader(said.out.splitlines()))
        assert len(rows) == 4
        assert {row["metric"] for row in rows} == {"grade", "latency"}


def test_options_of_one_metric(betterthan, runs):
    """With several named they are refused by name; with none named, one is to be chosen."""
    files = (runs / "base.jsonl", runs / "new.jsonl")
    said = betterthan("compare", *files, "--metric", "grade", "--metric", "latency", "--test", "sign")
    assert (said.code, "--test is for a single metric, and 2 are named" in said.err) == (2, True)
    said = betterthan("rank", *files, "--by", "median")
    assert (said.code, "2 metrics where one is needed" in said.err) == (2, True)
    assert betterthan("rank", *files, "--by", "median", "--metric", "grade").code == 0
    said = betterthan("tradeoffs", *files, "--metric", "grade")
    assert (said.code, "two metrics or more" in said.err) == (2, True)
    said = betterthan("tradeoffs", *files, "--resamples", "99")
    assert (said.code, "--resamples 99 is for corpus scores" in said.err) == (2, True)


def test_a_result_can_be_verified(betterthan, runs):
    """By the command that made it, whichever of the three."""
    files = (runs / "base.jsonl", runs / "new.jsonl")
    for verb in ("tradeoffs", "rank", "compare"):
        out = runs / f"{verb}.json"
        assert betterthan(verb, *files, "-o", out).code == 0
        said = betterthan("verify", out, *files)
        assert said.code == 0, said.err + said.out
