"""Logs of OpenAI Evals: the fixtures were recorded by evals 3.0.1 (its ``LocalRecorder``) with answers of ours."""

from __future__ import annotations

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
BASE, CANDIDATE = HERE / "openai_evals_base.jsonl", HERE / "openai_evals_candidate.jsonl"
EVENTS = [json.loads(line) for line in BASE.read_text(encoding="utf-8").splitlines()]


def as_lines(events):
    """A log."""
    return "".join(json.dumps(event) + "\n" for event in events)


def test_scores_of_the_tool_against_its_own_report():
    """The final report has the accuracy; the items are samples, in order of their numbers."""
    found = sniff(BASE)
    assert (found.format, found.confidence) == ("openai_evals", 0.98)
    for file, name in ((BASE, "base"), (CANDIDATE, "candidate")):
        report = next(json.loads(line) for line in file.read_text().splitlines() if "final_report" in line)[
            "final_report"
        ]
        tables = bt.read_metrics(file)
        assert list(tables) == ["match", "length", "score"]
        assert tables["match"].systems == (name,)
        assert tables["match"].segments == tuple(f"capitals.dev.{i}" for i in range(6))
        assert tables["match"].values.mean() == pytest.approx(report["accuracy"])


def test_texts_and_missing_values_are_counted():
    """A choice is no number, and a judge without an answer gives null."""
    reading = read_any(BASE)
    assert reading.dropped == {"text, not a number": 6}
    assert (reading.rows_read, reading.rows_kept) == (24, 18)
    score = next(table for table in reading.tables if table.name == "score")
    assert np.isnan(score.values).tolist() == [[False] * 5 + [True]]


def test_a_folder_holds_models_evals_or_runs(tmp_path):
    """Two models are compared; two logs of one model are runs; the name of the eval parts several evals."""
    for file in (BASE, CANDIDATE):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    assert bt.compare(tmp_path, metric="match").systems == ("candidate", "base")
    other = CANDIDATE.read_text(encoding="utf-8").replace('["candidate"]', '["base"]')
    (tmp_path / CANDIDATE.name).write_text(other, encoding="utf-8")
    runs = next(table for table in read_any(tmp_path).tables if table.name == "match")
    assert isinstance(runs, bt.Runs)
    assert not runs.independent
    assert runs.to_scores().values.tolist() == [[1, 0.5, 1, 0.5, 0.5, 0.5]]
    (tmp_path / CANDIDATE.name).write_text(other.replace("capitals.dev", "rivers.dev"), encoding="utf-8")
    assert "rivers.dev.v0: match" in bt.read_metrics(tmp_path)


def test_an_unfinished_run_and_errors_are_reported():
    """Without a final report samples may be missing; a sample with an error has no score."""
    events = [event for event in EVENTS if "final_report" not in event]
    failed = {**events[1], "sample_id": "capitals.dev.9", "type": "error", "data": {"error": "boom"}}
    reading = read_any(io.StringIO(as_lines([*events, failed])))
    codes = [problem.code for problem in reading.problems]
    assert {"BT196", "BT199"} <= set(codes)
    table = next(table for table in reading.tables if table.name == "match")
    assert np.isnan(table.values[0, table.segments.index("capitals.dev.9")])


def test_several_verdicts_of_a_sample_are_repeats():
    """An eval may record more than one for each sample."""
    again = [{**e, "data": {**e["data"], "correct": True}} for e in EVENTS if e.get("type") == "match"]
    table = next(t for t in read_any(io.StringIO(as_lines([*EVENTS, *again]))).tables if t.name == "match")
    assert isinstance(table, bt.Runs)
    assert table.to_scores().values.tolist() == [[1, 0.5, 1, 0.5, 1, 0.5]]


def with_event(**change):
    """The log with a changed event that has a verdict."""
    place = next(i for i, event in enumerate(EVENTS) if event.get("type") == "match")
    return as_lines([{**e, **change} if i == place else e for i, e in enumerate(EVENTS)])


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (with_event(data={"correct": "perhaps"}), "BT013", '"match" is not a number: "perhaps"'),
        (with_event(data={}), "BT190", "has no data of its kind"),
        (with_event(sample_id=None), "BT190", "no type or no sample_id"),
        (as_lines([{"spec": {"completion_fns": []}}]), "BT190", "not a spec with completion_fns"),
        (as_lines(EVENTS[:2]), "BT011", "The file has no scores"),
        (as_lines(EVENTS)[:-30], "BT016", "."),
    ],
)
def test_damage(text, code, message):
    """Every damage has its cure."""
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="openai_evals")
    assert caught.value.code == code


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_damaged_files_give_a_table_or_our_error(trials):
    """Recognised or named, no foreign exception escapes."""
    rng = random.Random(f"openai_evals {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(BASE.read_bytes(), rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="openai_evals"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 1
