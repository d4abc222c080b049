"""Results of Ragas: the fixtures are ``evaluate(...).to_pandas()`` of Ragas 0.4.3 with metrics that need no model."""

from __future__ import annotations

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
BASE, CANDIDATE = HERE / "ragas_base.csv", HERE / "ragas_candidate.csv"
ROWS = [json.loads(line) for line in (HERE / "ragas_base.jsonl").read_text().splitlines()]
METRICS = ("non_llm_string_similarity", "exact_match", "rouge_score(mode=fmeasure)")


def as_lines(rows):
    """What ``to_json(orient="records", lines=True)`` writes."""
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["ragas_base.csv", "ragas_base.jsonl", "ragas_base.parquet"])
def test_each_container_holds_the_same_scores(name):
    """Against the numbers of the JSON lines, read with the standard library."""
    found = sniff(HERE / name)
    assert (found.format, found.confidence) == ("ragas", 0.97)
    tables = bt.read_metrics(HERE / name)
    assert tuple(tables) == METRICS
    for metric, table in tables.items():
        assert table.systems == ("ragas_base",)
        assert table.values[0].tolist() == pytest.approx([row[metric] for row in ROWS], abs=1e-9)
    assert tables["exact_match"].segments[2] == "2+2? [07932e845657]"


def test_two_files_are_two_systems_with_several_metrics():
    """Named by the part of the file names that differs, or by the user; questions are matched by content."""
    table = bt.read_scores([BASE, CANDIDATE], metric="exact_match")
    assert table.systems == ("base", "candidate")
    assert table.values.tolist() == [[0, 0, 1, 0, 0, 0], [1, 0, 1, 1, 0, 1]]
    named = bt.compare({"old": BASE, "new": CANDIDATE}, metric="exact")
    assert named.systems == ("new", "old")
    with pytest.raises(ReadError, match="3 metrics where one is needed"):
        bt.rank(BASE, CANDIDATE)


def test_the_order_of_rows_does_not_matter():
    """Samples have no ids, so they are identified by what was asked."""
    turned = bt.read_metrics(io.StringIO(as_lines(ROWS[::-1])))["exact_match"]
    plain = bt.read_metrics(BASE)["exact_match"]
    assert dict(zip(turned.segments, turned.values[0], strict=True)) == dict(
        zip(plain.segments, plain.values[0], strict=True)
    )


def test_an_index_and_columns_of_text_are_no_metrics():
    """``to_csv`` writes the index unless told otherwise; a discrete metric is a text."""
    rows = list(csv.reader(io.StringIO(BASE.read_text(encoding="utf-8"), newline="")))
    with_index = [[str(i - 1) if i else "", *row, "pass" if i else "verdict"] for i, row in enumerate(rows)]
    text = io.StringIO()
    csv.writer(text).writerows(with_index)
    reading = read_any(io.StringIO(text.getvalue()))
    assert [table.name for table in reading.tables] == list(METRICS)
    assert any('Columns of text were left out: "verdict"' in note for note in reading.notes)


def test_missing_scores_stay_missing():
    """A judge that timed out gives NaN; a metric without any number is left out and counted."""
    rows = [
        {**row, "exact_match": None if i == 1 else 1.0, "faithfulness": None} for i, row in enumerate(ROWS)
    ]
    reading = read_any(io.StringIO(as_lines(rows)))
    table = next(table for table in reading.tables if table.name == "exact_match")
    assert np.isnan(table.values).tolist() == [[False, True, False, False, False, False]]
    assert reading.dropped == {"metric without any score": 6}
    assert "BT102" in [problem.code for problem in reading.problems]


def test_questions_asked_several_times_are_runs():
    """Each of them twice: repeated answers. One of them twice: two items."""
    again = [{**row, "exact_match": 1 - row["exact_match"]} for row in ROWS]
    repeated = next(
        t for t in read_any(io.StringIO(as_lines([*ROWS, *again]))).tables if t.name == "exact_match"
    )
    assert isinstance(repeated, bt.Runs)
    assert repeated.independent
    assert repeated.to_scores().values.tolist() == [[0.5] * 6]
    twin = bt.read_metrics(io.StringIO(as_lines([*ROWS, again[0]])))["exact_match"]
    assert twin.segments[6] == twin.segments[0] + " #2"


def test_columns_of_older_versions():
    """Before 0.2 they were question, contexts, answer and ground_truth."""
    rows = [
        {
            "question": row["user_input"],
            "contexts": row["retrieved_contexts"],
            "answer": row["response"],
            "ground_truth": row["reference"],
            "faithfulness": row["exact_match"],
        }
        for row in ROWS
    ]
    assert sniff(io.StringIO(as_lines(rows))).format == "ragas"
    table = bt.read_metrics(io.StringIO(as_lines(rows)))["faithfulness"]
    assert table.segments == bt.read_metrics(BASE)["exact_match"].segments


def test_conversations_are_matched_by_position():
    """Their turns contain the system's own answers, so their content differs between systems."""
    rows = [{**row, "user_input": [{"content": row["response"], "type": "ai"}]} for row in ROWS]
    table = bt.read_metrics(io.StringIO(as_lines(rows)))["exact_match"]
    assert table.segments == ("1", "2", "3", "4", "5", "6")


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (lambda row: row.update(exact_match="hihg"), "BT013", '"hihg" is not a number'),
        (lambda row: row.update(exact_match=1e300), "BT014", "exact_match"),
    ],
)
def test_damage(change, code, message):
    """A cell that is no number is named with its line."""
    rows = [dict(row) for row in ROWS]
    change(rows[3])
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(as_lines(rows)), format="ragas")
    assert (caught.value.code, caught.value.line) == (code, 4)


def test_another_table_is_no_result():
    """Named as Ragas, it has no question; unnamed, tables of questions and answers stay what they were."""
    with pytest.raises(ReadError, match="No column is called user_input or question"):
        read_any(io.StringIO("id,A,B\n1,0.5,0.25\n2,0.75,0.5\n"), format="ragas")
    assert sniff(io.StringIO("question,system,score\nq1,A,0.5\nq1,B,0.25\n")).format == "long"


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["ragas_base.csv", "ragas_base.jsonl"])
def test_damaged_files_give_a_table_or_our_error(name, trials):
    """Recognised or named, no foreign exception escapes."""
    rng = random.Random(f"ragas {name} {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged((HERE / name).read_bytes(), rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="ragas"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 1
