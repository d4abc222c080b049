"""Rows of JSON that hold their scores in an object: own scripts, arrays and lines, reasons, errors, epochs."""

import io
import json
import random

import pytest
from tests.cli.conftest import betterthan  # noqa: F401  (a fixture)
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any

ROWS = [
    {"id": f"q{i}", "scores": {"correct": i % 2, "style": {"score": i / 10, "reason": "x"}}} for i in range(8)
]


@pytest.fixture
def put(tmp_path):
    """Write rows as JSON lines, or as an array where the file is called so."""

    def write(name, rows):
        text = json.dumps(rows) if name.endswith(".json") else "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


def test_every_metric_of_the_object_is_read(put):
    """Lines and an array, with reasons beside the scores; the system is named by the file."""
    for name in ("run.jsonl", "run.json"):
        found = bt.read_metrics(put(name, ROWS))
        assert {key: table.values.tolist() for key, table in found.items()} == {
            "correct": [[i % 2 for i in range(8)]],
            "style": [[i / 10 for i in range(8)]],
        }
        assert found["correct"].systems == ("run",)
        assert found["correct"].segments == tuple(f"q{i}" for i in range(8))


def test_two_files_are_two_systems_joined_by_id(put, betterthan):  # noqa: F811
    """Rows in another order; the command shows all metrics although their names are not known."""
    other = [{"id": row["id"], "scores": {"tone": i % 3, "depth": 1}} for i, row in enumerate(ROWS)]
    files = put("a.jsonl", other), put("b.jsonl", other[::-1])
    assert bt.compare(*files, metric="tone").pairs()[0].effect == 0
    shown = betterthan("compare", *files)
    assert shown.code == 0
    assert "tone" in shown.out
    assert "depth" in shown.out


def test_an_error_is_missing_and_never_0(put):
    """A row without its object has no scores, which is said."""
    rows = [*ROWS[:-1], {"id": "q7", "error": "timeout", "scores": None}]
    scores = bt.read_metrics(put("run.jsonl", rows))["correct"]
    assert scores.n_missing == 1


def test_questions_identify_items_and_epochs_are_runs(put):
    """Without ids the text of the question does; repeated rows with an epoch are runs of a named system."""
    rows = [
        {"model": model, "question": f"Why {i}?", "epoch": epoch, "metrics": {"acc": (i + epoch) % 2}}
        for model in "ab"
        for i in range(6)
        for epoch in range(3)
    ]
    runs = bt.read_runs(put("run.jsonl", rows))
    assert (runs.systems, runs.n_segments, len(runs.runs)) == (("a", "b"), 6, 3)


@pytest.mark.parametrize(
    ("rows", "code", "match"),
    [
        ([{"scores": {"acc": 1}}] * 3, "BT021", "No key identifies the items"),
        ([{"id": "", "scores": {"acc": 1}}], "BT105", "names no segment"),
        ([*ROWS, ROWS[3]], "BT101", "q3"),
        ([{"id": "q1", "scores": {"GPT": 0.5, "Llama": 0.25}}], "BT212", "may be systems or metrics"),
    ],
    ids=["no id", "empty id", "twice", "systems"],
)
def test_what_cannot_be_paired_is_refused(put, rows, code, match):
    """With the place and what to do."""
    with pytest.raises(ReadError, match=match) as caught:
        bt.read_metrics(put("run.jsonl", rows))
    assert caught.value.code == code


def test_texts_are_left_out_with_a_note(put):
    """A verdict in words beside the numbers."""
    rows = [{"id": str(i), "scores": {"acc": i % 2, "label": "good"}} for i in range(4)]
    (table,) = bt.read_metrics(put("run.jsonl", rows)).values()
    assert any('"label"' in note for note in table.notes)


def test_other_tables_are_not_taken(put):
    """A row with a score of its own, or without numbers in the object, is another format."""
    own = [{"id": str(i), "score": i % 2, "metrics": {"tokens": 5}} for i in range(4)]
    assert bt.sniff(put("own.jsonl", own)).format != "nested_scores"
    texts = [{"id": str(i), "acc": i % 2, "metrics": {"model": "x"}} for i in range(4)]
    assert bt.sniff(put("texts.jsonl", texts)).format != "nested_scores"


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_damaged_files_give_a_table_or_our_error(trials):
    """Recognized or named, no foreign exception escapes."""
    rng = random.Random(f"nested {trials}")  # noqa: S311  (not for secrets)
    whole = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    seen = set()
    for _ in range(trials):
        data = damaged(whole, rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="nested_scores"), io.BytesIO(data)))
    assert len(seen) > 1
