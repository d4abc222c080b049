"""Scores of Langfuse: tables with the columns that its exporter writes (release of August 2026), and items of runs."""

from __future__ import annotations

import csv
import io
import json
import random

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome
from tests.read.seeds import LANGFUSE_SCORES, langfuse_items, langfuse_scores

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any, sniff


def snake(name):
    """A column as blob storage spells it."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def as_csv(rows):
    """Every cell in quotation marks, as Langfuse writes them."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


@pytest.fixture
def exports(tmp_path):
    """The scores of two runs in one table, and the items of each run in a file."""
    folder = tmp_path / "exports"
    folder.mkdir()
    rows = langfuse_scores("base", [1, 0, 1, 0]) + langfuse_scores("new", [1, 1, 1, 0])
    (folder / "scores.csv").write_text(as_csv(rows), encoding="utf-8")
    for run in ("base", "new"):
        (folder / f"{run}.csv").write_text(as_csv(langfuse_items(run, 4)), encoding="utf-8")
    return folder


@pytest.mark.parametrize("how", ["csv", "json", "lines", "blob storage"])
def test_a_table_of_scores_alone(how):
    """Items are traces; categories and scores of whole runs are no numbers of items, and are counted."""
    rows = langfuse_scores("base", [1, 0, 1, 0])
    text = {
        "csv": as_csv(rows),
        "json": json.dumps(rows),
        "lines": "".join(json.dumps(row) + "\n" for row in rows),
        "blob storage": "".join(
            json.dumps({snake(name): value for name, value in row.items()}) + "\n" for row in rows
        ),
    }[how]
    assert sniff(io.StringIO(text)).format == "langfuse"
    reading = read_any(io.StringIO(text))
    assert {table.name for table in reading.tables} == {"correct", "relevance"}
    table = next(table for table in reading.tables if table.name == "correct")
    assert table.values.tolist() == [[1, 0, 1, 0]]
    assert table.segments[0] == "base-trace-0"
    assert reading.dropped == {"not a number": 1, "score of a whole run or session": 1}
    assert any("Items are traces" in note for note in reading.notes)


def test_items_of_runs_pair_the_systems(exports):
    """In a folder or a list; systems are named after the files of the runs or by the user."""
    table = bt.read_metrics(exports)["correct"]
    assert table.systems == ("base", "new")
    assert table.segments == ("item-0", "item-1", "item-2", "item-3")
    assert table.values.tolist() == [[1, 0, 1, 0], [1, 1, 1, 0]]
    files = [str(exports / "scores.csv"), f"old={exports / 'base.csv'}", f"new={exports / 'new.csv'}"]
    assert bt.compare(*files, metric="correct").systems == ("new", "old")


def test_scores_of_other_traces_are_counted(exports):
    """A run that was not exported."""
    (exports / "new.csv").unlink()
    reading = read_any(exports)
    assert reading.dropped["trace of no exported run"] == 8
    assert "BT193" in [problem.code for problem in reading.problems]
    assert reading.tables[0].systems == ("base",)


def test_people_and_judges_are_two_metrics_and_repeats_are_runs():
    """One name by two origins is two metrics; several scores of one are repeats."""
    rows = langfuse_scores("base", [1, 0, 1, 0])
    people = [{**row, "source": "ANNOTATION"} for row in rows if row["name"] == "correct"]
    tables = bt.read_metrics(io.StringIO(as_csv([*rows, *people])))
    assert {"correct [EVAL]", "correct [ANNOTATION]"} <= set(tables)
    again = [{**row, "value": 0} for row in rows if row["name"] == "correct"]
    found = read_any(io.StringIO(as_csv([*rows, *again])))
    table = next(table for table in found.tables if table.name == "correct")
    assert isinstance(table, bt.Runs)
    assert table.to_scores().values.tolist() == [[0.5, 0, 0.5, 0]]


def test_missing_values_stay_missing():
    """An evaluator that failed leaves the cell empty."""
    rows = langfuse_scores("base", [1, 0, 1, 0])
    rows[0]["value"] = ""
    table = bt.read_metrics(io.StringIO(as_csv(rows)))["correct"]
    assert np.isnan(table.values).tolist() == [[True, False, False, False]]


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"value": "high"}, "BT013", '"correct" is not a number: "high"'),
        ({"name": ""}, "BT105", "The score has no name"),
    ],
)
def test_damage(change, code, message):
    """Every damage has its cure."""
    rows = langfuse_scores("base", [1, 0, 1, 0])
    rows[0] |= change
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(as_csv(rows)), format="langfuse")
    assert caught.value.code == code


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_damaged_files_give_a_table_or_our_error(trials):
    """Recognised or named, no foreign exception escapes."""
    rng = random.Random(f"langfuse {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(LANGFUSE_SCORES, rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="langfuse"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 1
