"""Experiments of Braintrust: the fixtures are the rows that braintrust 0.48.1 logs for ``Eval``, without contexts."""

from __future__ import annotations

import copy
import csv
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
BASE, CANDIDATE = HERE / "braintrust_base.json", HERE / "braintrust_candidate.json"
ROWS = json.loads(BASE.read_text(encoding="utf-8"))
EXACT = [1, 0, 1, 0, 1, 0]


def joined():
    """The cases as the app exports them: the scores of a trace in its root."""
    cases = []
    for row in ROWS:
        if row["span_parents"]:
            continue
        scores = {}
        for other in ROWS:
            if other["root_span_id"] == row["root_span_id"]:
                scores |= other.get("scores") or {}
        cases.append({**row, "scores": scores})
    return cases


def test_scores_of_a_trace_are_joined_at_its_root():
    """Scorers log rows of their own, whose input is not that of the case; one of them failed."""
    found = sniff(BASE)
    assert (found.format, found.confidence) == ("braintrust", 0.97)
    tables = bt.read_metrics(BASE)
    assert set(tables) == {"exact_match", "similarity"}
    assert tables["exact_match"].values.tolist() == [EXACT]
    assert np.isnan(tables["similarity"].values).tolist() == [[False] * 5 + [True]]
    assert tables["exact_match"].segments[2] == "2+2? [07932e845657]"
    reading = read_any(BASE)
    assert "BT199" in [problem.code for problem in reading.problems]
    assert any("1 of 6 answers" in note for note in reading.notes)


def as_csv(rows):
    """A table with objects as JSON in its cells."""
    text = io.StringIO()
    names = ["id", "input", "expected", "output", "scores", "root_span_id"]
    writer = csv.writer(text)
    writer.writerow(names)
    writer.writerows([json.dumps(row[n]) if n == "scores" else row[n] for n in names] for row in rows)
    return text.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(joined()),
        json.dumps({"events": joined(), "cursor": None}),
        json.dumps({"data": ROWS, "schema": {}}),
        "".join(json.dumps(row) + "\n" for row in joined()),
        as_csv(joined()),
    ],
    ids=["export", "fetch", "query", "lines", "csv"],
)
def test_every_form_of_the_rows_holds_the_same(text):
    """The export of the app, both responses of the API, JSON lines, and cells of a table."""
    assert sniff(io.StringIO(text)).format == "braintrust"
    table = bt.read_metrics(io.StringIO(text))["exact_match"]
    assert table.values.tolist() == [EXACT]
    assert table.segments == bt.read_metrics(BASE)["exact_match"].segments


def test_results_of_eval_in_memory():
    """``[result.as_dict() for result in Eval(...).results]`` has no spans."""
    keys = ("input", "output", "scores", "expected", "error")
    results = [{**{key: case.get(key) for key in keys}, "exc_info": None} for case in joined()]
    assert bt.read_metrics(io.StringIO(json.dumps(results)))["exact_match"].values.tolist() == [EXACT]


def test_two_experiments_are_two_systems_and_trials_are_runs():
    """Systems are named by their files; an input that occurs several times is a trial."""
    assert bt.compare(BASE, CANDIDATE, metric="exact_match").systems == ("candidate", "base")
    again = [
        {**case, "root_span_id": case["root_span_id"] + "x", "scores": {"exact_match": 1}}
        for case in joined()
    ]
    trials = next(
        t for t in read_any(io.StringIO(json.dumps([*joined(), *again]))).tables if t.name == "exact_match"
    )
    assert isinstance(trials, bt.Runs)
    assert trials.independent
    assert trials.to_scores().values.tolist() == [[1, 0.5, 1, 0.5, 1, 0.5]]


def test_a_query_over_several_experiments():
    """Then the experiment is part of the name of the system."""
    rows = joined() + [
        {**case, "experiment_id": "candidate", "root_span_id": case["root_span_id"] + "x"}
        for case in joined()
    ]
    table = bt.read_metrics(io.StringIO(json.dumps(rows)))["exact_match"]
    assert table.systems == ("score base", "score candidate")


def changed(change):
    """The joined rows with a change of the first."""
    rows = copy.deepcopy(joined())
    change(rows[0])
    return json.dumps(rows)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (changed(lambda row: row["scores"].update(exact_match="high")), "BT013", '"high"'),
        (changed(lambda row: row.update(scores=[1])), "BT190", "not an object"),
        (changed(lambda row: row.pop("input")), "BT190", "A row has no input"),
        (json.dumps({"events": 3}), "BT190", "no list of rows"),
        (json.dumps([]), "BT011", "The file has no scores"),
        (json.dumps(joined())[:-30], "BT016", "The file is not JSON"),
    ],
)
def test_damage(text, code, message):
    """Every damage has its cure."""
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="braintrust")
    assert caught.value.code == code


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("text", [json.dumps(ROWS), as_csv(joined())], ids=["json", "csv"])
def test_damaged_files_give_a_table_or_our_error(text, trials):
    """Recognised or named, no foreign exception escapes."""
    rng = random.Random(f"braintrust {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(text.encode(), rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="braintrust"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 1
