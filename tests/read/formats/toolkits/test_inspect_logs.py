"""Logs of Inspect 0.3.285, written by it and shortened (fixtures/*.eval), and the same packed by ourselves.

Three samples, two epochs, the scorers `includes` (C or I) and `both` (two values); the third sample raises an error.
"""

from __future__ import annotations

import copy
import io
import json
import random
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.errors import MissingExtra, ReadError
from betterthan.read.sniff import read_any, sniff

FIXTURES = Path(__file__).parent / "fixtures" / "inspect"


def sample(number, epoch, value, **more):
    """A sample as summaries and JSON logs have it."""
    scores = {"includes": {"value": value, "answer": "x"}} if value is not None else {}
    return {
        "id": number,
        "epoch": epoch,
        "input": "q",
        "target": "t",
        "scores": scores,
        "completed": True,
        **more,
    }


SAMPLES = [
    sample(1, 1, "C"),
    sample(2, 1, "I"),
    sample(3, 1, "P"),
    sample(4, 1, None, error="RuntimeError('boom')"),
]
EVAL = {"task": "toy", "task_id": "abc", "model": "mock/one", "task_args": {}}
LOG = {"version": 2, "status": "success", "eval": EVAL, "samples": SAMPLES}


def changed(log=LOG, /, **eval_parts):
    """A log with other facts about its evaluation."""
    return {**log, "eval": {**log["eval"], **eval_parts}}


def packed(log, *, leave_out=()):
    """An archive packed as older versions did."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        parts = {
            "header.json": {k: v for k, v in log.items() if k != "samples"},
            "summaries.json": log["samples"],
        }
        for name, part in parts.items():
            if name not in leave_out:
                archive.writestr(name, json.dumps(part))
    return stream.getvalue()


def write(folder, name, log):
    """A log in a folder, in the format that its name says."""
    path = folder / name
    path.write_bytes(packed(log) if path.suffix == ".eval" else json.dumps(log, indent=2).encode())
    return path


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_grades_become_numbers_and_a_failed_sample_is_missing(name, tmp_path):
    """C, P, I are 1, a half and 0; an error is no zero, and it is said aloud."""
    path = write(tmp_path, name, LOG)
    scores = bt.read_scores(path)
    assert (scores.name, scores.systems, scores.segments) == ("includes", ("mock/one",), ("1", "2", "3", "4"))
    assert np.array_equal(scores.values, [[1, 0, 0.5, np.nan]], equal_nan=True)
    assert any("1 of 4 samples" in note and "not 0" in note for note in scores.notes)
    assert next(problem.code for problem in bt.check(path).problems) == "BT199"


def test_a_log_that_inspect_wrote():
    """Packed with Zstandard: expected values from Inspect's own results (includes 0.5, both/a 0.5, both/b 22.5)."""
    pytest.importorskip("zstandard", reason="the extra `logs` is not installed")
    tables = bt.read_metrics(FIXTURES)
    assert list(tables) == ["includes", "both/a", "both/b"]
    assert {name: float(np.nanmean(table.values)) for name, table in tables.items()} == {
        "includes": 0.5, "both/a": 0.5, "both/b": 22.5}  # fmt: skip
    assert tables["includes"].systems == ("mockllm/alpha", "mockllm/beta")
    assert np.isnan(tables["includes"].values[:, 2]).all()
    assert any("2 runs each" in note for note in tables["both/b"].notes)


def test_without_the_package_the_extra_is_named(monkeypatch):
    """Recognised all the same."""
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = FIXTURES / "alpha.eval"
    assert sniff(path).format == "inspect"
    with pytest.raises(MissingExtra, match=r"betterthan\[logs\]"):
        bt.read_metrics(path)


def test_a_folder_pairs_models_by_sample(tmp_path):
    """Whatever the order of the samples; a failed run has its samples, without scores."""
    write(tmp_path, "1.eval", LOG)
    write(
        tmp_path, "2.json", {**changed(model="mock/two"), "samples": [sample(3, 1, "C"), sample(1, 1, "I")]}
    )
    write(tmp_path, "3.json", {**changed(model="mock/three"), "samples": [sample(2, 1, None, error="x")]})
    (tmp_path / "other.json").write_text("{}")
    scores = bt.read_scores(tmp_path).select(["mock/one", "mock/two", "mock/three"], ["1", "2", "3", "4"])
    n = np.nan
    assert np.array_equal(scores.values, [[1, 0, 0.5, n], [0, n, 1, n], [n, n, n, n]], equal_nan=True)


def test_epochs_are_averaged_by_a_literal_loop(tmp_path):
    """Over those that have a score; NaN is unscored."""
    values = {"a": [1, 0, 1], "b": [0.25, float("nan"), 0.5], "c": [True, False]}
    samples = [sample(name, epoch, x) for name, xs in values.items() for epoch, x in enumerate(xs, 1)]
    scores = bt.read_scores(write(tmp_path, "log.json", {**LOG, "samples": samples}))
    literal = [[np.nanmean(xs) for xs in values.values()]]
    assert scores.values.tolist() == literal
    random.Random(1).shuffle(samples)  # noqa: S311
    again = bt.read_scores(write(tmp_path, "mixed.json", {**LOG, "samples": samples}))
    assert again.select(segments=scores.segments).values.tolist() == literal


def test_epochs_are_runs_that_were_drawn_independently(tmp_path):
    """Each with its number; a sample without a score in any epoch stays a segment."""
    samples = [sample("a", 1, 1), sample("a", 2, 0), sample("b", 2, 1), sample("c", 1, None, error="x")]
    (runs,) = read_any(write(tmp_path, "log.json", {**LOG, "samples": samples})).tables
    assert isinstance(runs, bt.Runs)
    assert runs.independent
    assert runs.segments == ("a", "b", "c")
    rows = zip(runs.segment.tolist(), [runs.runs[r] for r in runs.run], runs.score.tolist(), strict=True)
    assert sorted(rows) == [(0, "1", 1.0), (0, "2", 0.0), (1, "2", 1.0)]


def test_several_values_are_several_metrics(tmp_path):
    """By key or by number."""
    samples = [sample(k, 1, {"f1": k / 4, "ok": "C"}) for k in (1, 2)] + [sample(3, 1, [1, 0])]
    tables = bt.read_metrics(write(tmp_path, "log.json", {**LOG, "samples": samples}))
    assert list(tables) == ["includes/f1", "includes/ok", "includes/1", "includes/2"]
    assert tables["includes/f1"].values[0, :2].tolist() == [0.25, 0.5]
    assert tables["includes/f1"].n_missing == 1


def test_one_model_with_several_arguments_and_several_tasks(tmp_path):
    """Arguments tell the runs apart; tasks are not pooled; two equal runs are refused."""
    write(tmp_path, "1.eval", changed(task_args={"shots": 0}))
    write(tmp_path, "2.eval", changed(task_args={"shots": 5}))
    assert bt.read_scores(tmp_path).systems == ('mock/one {"shots": 0}', 'mock/one {"shots": 5}')
    write(tmp_path, "3.eval", changed(task="other"))
    assert list(bt.read_metrics(tmp_path)) == ["toy: includes", "other: includes"]
    write(tmp_path, "4.eval", changed(task="other"))
    with pytest.raises(ReadError, match=r'"mock/one" ran "other" in 3\.eval and in 4\.eval') as caught:
        bt.read_metrics(tmp_path)
    assert caught.value.code == "BT198"


def test_the_status_is_checked(tmp_path):
    """A cancelled run is read, with a warning."""
    codes = [p.code for p in bt.check(write(tmp_path, "log.json", {**LOG, "status": "cancelled"})).problems]
    assert codes[:2] == ["BT196", "BT199"]


def lying_archive():
    """An archive in which a member's check sum is wrong."""
    data = bytearray(packed(LOG))
    at = data.rindex(b"PK\x01\x02") + 16
    data[at] ^= 255
    return bytes(data)


def with_sample(**parts):
    """The JSON log with its first sample changed."""
    log = copy.deepcopy(LOG)
    log["samples"][0].update(parts)
    return json.dumps(log).encode()


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (packed(LOG)[:-40], "BT195", "truncated or damaged"),
        (lying_archive(), "BT195", "damaged"),
        (packed(LOG, leave_out=["header.json"]), "BT196", "the run has not finished"),
        (packed({**LOG, "samples": 3}), "BT190", "no evaluation or no samples"),
        (json.dumps(changed(model=None)).encode(), "BT190", "names no model"),
        (with_sample(id=None), "BT190", "A sample has no id"),
        (with_sample(scores=[1]), "BT190", "its scores are not an object"),
        (with_sample(scores={"m": {"value": "B+"}}), "BT197", r'the grades C, P, I, N: "B\+": 1'),
        (json.dumps({**LOG, "samples": []}).encode(), "BT011", "The file has no scores"),
        (json.dumps(LOG).encode()[:-20], "BT016", "The file is not JSON"),
    ],
)
def test_damage(data, code, message):
    """Every damage has its cure."""
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.BytesIO(data), format="inspect")
    assert caught.value.code == code


def test_other_archives_are_not_taken():
    """A spreadsheet is a ZIP file too."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(ReadError) as caught:
        read_any(io.BytesIO(stream.getvalue()))
    assert caught.value.code == "BT338"
    assert "Save the sheet as CSV" in str(caught.value)


@pytest.mark.parametrize("trials", [80, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["json", "deflated", "zstandard"])
def test_damaged_logs_give_a_table_or_our_error(name, trials):
    """Recognised or named, no foreign exception escapes."""
    if name == "zstandard":
        pytest.importorskip("zstandard", reason="the extra `logs` is not installed")
    good = {
        "json": json.dumps(LOG, indent=2).encode(),
        "deflated": packed(LOG),
        "zstandard": (FIXTURES / "alpha.eval").read_bytes(),
    }[name]
    rng = random.Random(f"{name} {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(good, rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="inspect"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 2
