"""Test runs of DeepEval: the fixtures were written by DeepEval 4.3.1 with metrics that need no model."""

from __future__ import annotations

import copy
import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any, sniff

HERE = Path(__file__).parent / "fixtures"
BASE, CANDIDATE = HERE / "deepeval_base.json", HERE / "deepeval_candidate.json"
WHOLE = json.loads(BASE.read_text(encoding="utf-8"))


def changed(change):
    """The base run with a change."""
    whole = copy.deepcopy(WHOLE)
    change(whole)
    return json.dumps(whole)


def folder_of(tmp_path, runs):
    """A results folder as DeepEval writes it."""
    for number, run in enumerate(runs):
        (tmp_path / f"test_run_20261119_01020{number}.json").write_text(json.dumps(run), encoding="utf-8")
    return tmp_path


def test_scores_of_the_tool_against_its_own_summary():
    """The file lists the scores of each metric a second time; a judge that failed has no score."""
    found = sniff(BASE)
    assert (found.format, found.confidence) == ("deepeval", 0.98)
    tables = bt.read_metrics(BASE)
    assert list(tables) == ["Exact Match", "Similarity"]
    for summary in WHOLE["metricsScores"]:
        table = tables[summary["metric"]]
        assert table.systems == ("base",)
        assert table.values[0][~np.isnan(table.values[0])].tolist() == summary["scores"]
        assert np.isnan(table.values).sum() == summary["errors"]


def test_a_failed_judge_is_counted():
    """It is a problem of the file, and a note of every result."""
    reading = read_any(BASE)
    assert (reading.rows_read, reading.rows_kept) == (12, 12)
    assert "BT199" in [problem.code for problem in reading.problems]
    assert any('1 of 6 answers of "base" or their scores ended in an error' in note for note in reading.notes)


def test_the_identifier_is_the_system_unless_the_user_names_it(tmp_path):
    """Then the file or its folder."""
    assert bt.compare(BASE, CANDIDATE, metric="Exact").systems == ("candidate", "base")
    assert bt.compare({"old": BASE, "new": CANDIDATE}, metric="Exact").systems == ("new", "old")
    unnamed = json.dumps({key: value for key, value in WHOLE.items() if key != "identifier"})
    for name in ("v1", "v2"):
        (tmp_path / name / ".deepeval").mkdir(parents=True)
        (tmp_path / name / ".deepeval" / ".latest_run_full.json").write_text(unnamed, encoding="utf-8")
    table = bt.read_metrics(tmp_path / "v1" / ".deepeval" / ".latest_run_full.json")["Exact Match"]
    assert table.systems == ("v1",)


def test_a_folder_holds_several_systems_or_several_runs(tmp_path):
    """Files of one identifier are runs of all cases, told apart by their time."""
    candidate = json.loads(CANDIDATE.read_text(encoding="utf-8"))
    (tmp_path / "two").mkdir()
    two = bt.read_metrics(folder_of(tmp_path / "two", [WHOLE, candidate]))["Exact Match"]
    assert two.systems == ("base", "candidate")
    assert two.values.tolist() == [[1, 0, 1, 0, 1, 0], [1, 1, 1, 1, 0, 1]]
    (tmp_path / "runs").mkdir()
    folder = folder_of(tmp_path / "runs", [WHOLE, {**candidate, "identifier": "base"}])
    runs = next(table for table in read_any(folder).tables if table.name == "Exact Match")
    assert isinstance(runs, bt.Runs)
    assert not runs.independent
    assert runs.to_scores().values.tolist() == [[1, 0.5, 1, 0.5, 0.5, 0.5]]


def test_the_order_and_names_of_cases_do_not_matter():
    """Cases finish in any order, and their names count them."""

    def turn(whole):
        whole["testCases"].reverse()
        for number, case in enumerate(whole["testCases"]):
            case["name"] = f"test_case_{number}"

    turned = bt.read_metrics(io.StringIO(changed(turn)))["Exact Match"]
    plain = bt.read_metrics(BASE)["Exact Match"]
    assert dict(zip(turned.segments, turned.values[0], strict=True)) == dict(
        zip(plain.segments, plain.values[0], strict=True)
    )


def test_conversations_and_the_wrapped_file():
    """A conversation is identified by its scenario; the cache of the last run wraps the same object."""
    case = {
        "name": "conversation_0",
        "success": True,
        "metricsData": [{"name": "Relevancy", "score": 0.5, "success": True}],
        "turns": [{"role": "user", "content": "hello", "order": 0}],
    }
    for more in ({}, {"scenario": "a greeting"}):
        whole = {
            "testCases": [],
            "conversationalTestCases": [{**case, **more}, {**case, **more, "name": "b"}],
        }
        whole["conversationalTestCases"][1]["turns"] = [{"role": "user", "content": "bye", "order": 0}]
        whole["conversationalTestCases"][1] |= {"scenario": "a farewell"} if more else {}
        for written in (whole, {"testRunData": whole}):
            table = bt.read_metrics(io.StringIO(json.dumps(written)))["Relevancy"]
            assert table.values.tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (changed(lambda w: w["testCases"][0]["metricsData"][0].update(score="high")), "BT013", '"high"'),
        (changed(lambda w: w["testCases"][0]["metricsData"][0].update(name=None)), "BT190", "has no name"),
        (changed(lambda w: w["testCases"][0].update(metricsData=3)), "BT190", "list of metricsData"),
        (changed(lambda w: w["testCases"][0].pop("input")), "BT190", "neither an input nor turns"),
        (changed(lambda w: w.update(testCases=[7])), "BT190", "not an object"),
        (changed(lambda w: w.update(testCases={"a": 1})), "BT190", "not a list"),
        (changed(lambda w: w.update(testCases=[])), "BT011", "The file has no scores"),
        ("[1]", "BT190", "an object with a list of testCases"),
        (json.dumps(WHOLE)[:-30], "BT016", "The file is not JSON"),
    ],
)
def test_damage(text, code, message):
    """Every damage has its cure."""
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="deepeval")
    assert caught.value.code == code


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_damaged_files_give_a_table_or_our_error(trials):
    """Recognised or named, no foreign exception escapes."""
    rng = random.Random(f"deepeval {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(BASE.read_bytes(), rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="deepeval"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 1
