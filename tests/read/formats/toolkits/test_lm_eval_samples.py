"""Samples of the lm-evaluation-harness.

The fixtures were written by lm-eval 0.4.13 itself, with its dummy model; the others are laid out as they are.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.formats.toolkits.lm_eval_samples import _file_name
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any, sniff

FIXTURES = Path(__file__).parent / "fixtures"
DATE = "2026-08-01T10-00-00.123456"


def record(number, score, *, kind="none", prompt="p", content=None, **more):
    """A line: document `number` under a filter."""
    digest = hashlib.sha256(str(number if content is None else content).encode()).hexdigest()
    return {
        "doc_id": number, "doc": {"question": f"q{number}"}, "target": "x", "arguments": {}, "resps": [["x"]],
        "filtered_resps": ["x"], "filter": kind, "metrics": ["exact_match", *more], "doc_hash": digest,
        "prompt_hash": f"{prompt}{number}", "target_hash": "t", "exact_match": score, **more,
    }  # fmt: skip


def as_lines(records):
    """JSON lines."""
    return "".join(json.dumps(part) + "\n" for part in records)


def write(folder, model, records, task="gsm8k", date=DATE):
    """A file where the harness puts it."""
    (folder / model).mkdir(parents=True, exist_ok=True)
    path = folder / model / f"samples_{task}_{date}.jsonl"
    path.write_text(as_lines(records))
    return path


def test_files_of_several_dates_are_runs(tmp_path):
    """A model that ran a task twice has two runs, which may differ as a whole."""
    later = "2026-08-02T10-00-00.123456"
    for model in ("one", "two"):
        write(tmp_path, model, [record(k, float(k % 2)) for k in range(4)])
        write(tmp_path, model, [record(k, 1.0) for k in range(4)], date=later)
    (runs,) = read_any(tmp_path).tables
    assert isinstance(runs, bt.Runs)
    assert not runs.independent
    assert runs.runs == (DATE, later)
    assert runs.to_scores().values.mean(axis=1).tolist() == [0.75, 0.75]


def test_what_the_tool_wrote(tmp_path):
    """Two tasks of lm-eval's dummy model: the means are those that it printed, 0.25, 0.00 and 0.50."""
    for task in ("sums", "pick"):
        (tmp_path / "dummy").mkdir(exist_ok=True)
        shutil.copy(FIXTURES / f"lm_eval_{task}.jsonl", tmp_path / "dummy" / f"samples_{task}_{DATE}.jsonl")
    reading = read_any(tmp_path)
    means = {table.name: table.values.mean() for table in reading.tables}
    assert means == {
        "pick: acc": 0.5,
        "sums: exact_match [strict-match]": 0.25,
        "sums: exact_match [flexible-extract]": 0.0,
    }
    assert (reading.rows_read, reading.rows_kept) == (20, 12)
    assert reading.dropped == {"list, not a score": 8}  # BLEU, which the harness keeps as lists


def test_a_pattern_and_a_name(tmp_path):
    """Instead of the folder, its files; instead of the folder's name, one of our own."""
    for model in ("one", "two"):
        write(tmp_path, model, [record(n, float(n > 0)) for n in range(3)])
    by_pattern = bt.read_scores(f"{tmp_path}/*/samples_*.jsonl")
    assert by_pattern == bt.read_scores(tmp_path)
    path = next((tmp_path / "one").iterdir())
    assert bt.read_scores(f"ours={path}").systems == ("ours",)


def test_links_in_a_circle_are_not_followed(tmp_path):
    """A folder that holds itself."""
    write(tmp_path, "one", [record(n, 1.0) for n in range(3)])
    (tmp_path / "one" / "again").symlink_to(tmp_path)
    assert sniff(tmp_path).because == "a folder with 1 samples_*.jsonl"
    assert read_any(tmp_path).rows_read == 3


def test_a_folder_of_models_joined_by_content(tmp_path):
    """Numbers of documents differ between the runs; their contents decide."""
    write(tmp_path, "org__one", [record(0, 1.0, content="x"), record(1, 0.0, content="y")])
    write(
        tmp_path,
        "org__two",
        [record(0, 0.0, content="y"), record(1, 0.0, content="x"), record(2, 1, content="z")],
    )
    scores = bt.read_scores(tmp_path)
    assert (scores.name, scores.systems) == ("exact_match", ("org__one", "org__two"))
    assert all(segment.startswith("gsm8k:") for segment in scores.segments)
    assert np.array_equal(scores.values, [[1, 0, np.nan], [0, 0, 1]], equal_nan=True)
    assert sniff(tmp_path).because == "a folder with 2 samples_*.jsonl"


def test_filters_are_metrics_of_their_own(tmp_path):
    """One line for each filter of a document."""
    lines = [
        record(n, s, kind=kind)
        for n in range(3)
        for kind, s in (("strict-match", 0.0), ("flexible-extract", 1))
    ]
    tables = bt.read_metrics(write(tmp_path, "m", lines))
    assert list(tables) == ["exact_match [strict-match]", "exact_match [flexible-extract]"]
    assert [table.values.mean() for table in tables.values()] == [0.0, 1.0]
    assert tables["exact_match [strict-match]"].systems == ("m",)


def test_tasks_are_not_pooled(tmp_path):
    """The same metric on two tasks is two tables."""
    for model in ("a", "b"):
        write(tmp_path, model, [record(n, 1.0) for n in range(2)], task="arc_easy")
        write(tmp_path, model, [record(n, 0.0) for n in range(3)], task="mmlu")
    tables = bt.read_metrics(tmp_path)
    assert {name: table.values.shape for name, table in tables.items()} == {
        "arc_easy: exact_match": (2, 2), "mmlu: exact_match": (2, 3)}  # fmt: skip


def test_lists_are_refused_with_the_reason(tmp_path):
    """BLEU keeps lists until the end; the other metrics of the file stay."""
    mixed = write(tmp_path, "m", [record(n, 1.0, bleu=["x", ["y"]]) for n in range(3)])
    reading = read_any(mixed)
    assert [table.name for table in reading.tables] == ["exact_match"]
    assert reading.dropped == {"list, not a score": 3}
    assert (reading.rows_read, reading.rows_kept) == (6, 3)
    assert [problem.code for problem in reading.problems] == ["BT193", "BT104"]
    with pytest.raises(
        ReadError, match=r"Not scores of single documents: \"exact_match\" \(2 lines\)"
    ) as caught:
        bt.read_scores(write(tmp_path, "n", [record(n, [1, 2]) for n in range(2)]))
    assert caught.value.code == "BT193"


def test_appended_lines(tmp_path):
    """The same line again counts once, and is said; another score for it needs a decision."""
    lines = [record(n, 1.0) for n in range(3)]
    reading = read_any(write(tmp_path, "m", [*lines, lines[1]]))
    assert (reading.rows_read, reading.rows_kept, reading.dropped) == (4, 3, {"written twice": 1})
    other = write(tmp_path, "n", [*lines, record(1, 0.0)])
    with pytest.raises(ReadError) as caught:
        bt.read_scores(other)
    assert caught.value.code == "BT101"
    assert bt.read_scores(other, duplicates="last").values.tolist() == [[1, 0, 1]]


def test_equal_documents_are_told_apart_by_their_numbers(tmp_path):
    """Data sets hold some questions twice."""
    scores = bt.read_scores(
        write(tmp_path, "m", [record(n, float(n == 2), content="same") for n in range(3)])
    )
    assert [segment.partition("#")[2] for segment in scores.segments] == ["", "2", "3"]
    assert scores.values.tolist() == [[0, 0, 1]]


def test_different_prompts_are_told(tmp_path):
    """They make systems incomparable."""
    write(tmp_path, "a", [record(n, 1.0) for n in range(3)])
    write(tmp_path, "b", [record(n, 0.0, prompt="q" if n else "p") for n in range(3)])
    codes = [problem.code for problem in bt.check(tmp_path).problems]
    assert codes == ["BT194"]
    assert any("different prompts on 2 documents" in note for note in bt.read_scores(tmp_path).notes)


def test_null_is_missing_and_perplexity_points_down(tmp_path):
    """Never 0."""
    tables = bt.read_metrics(
        write(tmp_path, "m", [record(n, None if n else 1.0, perplexity=3.5) for n in range(3)])
    )
    assert tables["exact_match"].n_missing == 2
    assert not tables["perplexity"].higher_is_better


@pytest.mark.parametrize(
    ("name", "task"),
    [
        (f"samples_gsm8k_{DATE}.jsonl", "gsm8k"),
        (f"samples_mmlu_high_school_{DATE}.jsonl.gz", "mmlu_high_school"),
        ("samples_arc_easy.jsonl", "arc_easy"),
        ("results.json", None),
    ],
)
def test_names(name, task):
    """The date is no part of the task."""
    match = _file_name(name)
    assert (match["task"] if match else None) == task


def test_links_out_of_the_folder_are_refused(tmp_path):
    """As in other folders."""
    write(tmp_path, "outside", [record(1, 1.0)])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "samples_x.jsonl").symlink_to(next((tmp_path / "outside").iterdir()))
    with pytest.raises(ReadError, match="leads out of the folder"):
        bt.read_metrics(tmp_path / "in")


GOOD = as_lines([record(n, n / 4, f1=0.5) for n in range(4)])


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (GOOD.replace("doc_hash", "dochash", 1), "BT190", "line 1: The line has no doc_hash"),
        (GOOD.replace('["exact_match", "f1"]', "3", 1), "BT190", '"metrics" is not a list'),
        (GOOD.replace('"none"', "3", 1), "BT190", '"filter" is not a name'),
        (GOOD.replace('"exact_match": 0.25', '"exact_match": "x"'), "BT013", '"x" is not a number'),
        (GOOD[:-10], "BT016", "line 4: The line is not JSON"),
        (GOOD + "[" * 100_000, "BT016", "line 5: The line is not JSON"),
    ],
)
def test_damage(text, code, message):
    """Every damage has its line and its cure."""
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="lm_eval")
    assert caught.value.code == code


@pytest.mark.parametrize("trials", [100, pytest.param(600, marks=pytest.mark.slow)])
def test_damaged_files_give_a_table_or_our_error(trials):
    """Recognised or named, no foreign exception escapes."""
    assert sniff(io.StringIO(GOOD)).format == "lm_eval"
    rng = random.Random(f"samples {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(GOOD.encode(), rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="lm_eval"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 3


@pytest.mark.parametrize("columns", [{"group": "nosuch"}, {"judge": "x"}, {"left": "a"}, {"item": "doc_id"}])
def test_columns_cannot_be_named(tmp_path, columns):
    """The roles of the keys are fixed, so an option that names one would be ignored."""
    for model in ("a", "b"):
        write(tmp_path, model, [record(i, 1.0) for i in range(3)])
    with pytest.raises(ReadError, match="cannot be applied here") as caught:
        read_any(tmp_path, Options(columns=columns))
    assert caught.value.code == "BT230"


def test_a_copied_file_names_its_model_by_the_folder_it_was_in(tmp_path):
    """A byte-order mark makes a copy elsewhere, whose folder is called otherwise every time."""
    path = tmp_path / "my-model" / f"samples_sums_{DATE}.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"\xef\xbb\xbf" + as_lines([record(1, 1.0), record(2, 0.0)]).encode())
    assert read_any(path).tables[0].systems == ("my-model",)
