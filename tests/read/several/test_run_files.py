"""Files that each are the run of one system: what the columns are, what the systems are called, large files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.protocol import Options
from betterthan.read.several.runs import meaning_of_names, short_names
from betterthan.read.sniff import read_any
from betterthan.read.source.source import SMALL

FIRST, SECOND = (0.5, 0.25, 1.0, 0.75), (0.25, 0.5, 0.75, 0.5)


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Write a file into the working folder and return its name."""
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    return write


def table(values, header="id,score", ids=(1, 2, 3, 4)):
    """A run with one metric."""
    return f"{header}\n" + "".join(f"{k},{x}\n" for k, x in zip(ids, values, strict=True))


def refusal(files, code, **options):
    """The message of the error that reading raises."""
    with pytest.raises(ReadError) as caught:
        bt.read_scores(files, **options)
    assert caught.value.code == code, caught.value
    return str(caught.value)


@pytest.mark.parametrize(
    ("files", "systems", "shared"),
    [
        (["GPT", "Llama"], ("GPT", "Llama"), ""),
        (["newstest2016.GPT.de", "newstest2016.Llama.de"], ("GPT", "Llama"), "newstest2016 de"),
        (["results_gpt-4o", "results_gpt-4"], ("gpt-4o", "gpt-4"), "results"),
        (["GPT.scores", "Llama.scores"], ("GPT", "Llama"), "scores"),
        (["llama_7b", "llama_13b"], ("llama_7b", "llama_13b"), ""),  # 7b is not a name
        (["run.A.de", "run.B.de"], ("run.A", "run.B"), "de"),
        (["a.b", "a.b.c"], ("a.b", "a.b.c"), ""),  # nothing would be left
        (["GPT"], ("GPT",), ""),
        ([], (), ""),
    ],
)
def test_what_all_names_share_is_left_out(files, systems, shared):
    """Never so much that a name is empty, a number, or the same as another."""
    assert short_names(files) == (systems, shared)


@pytest.mark.parametrize(
    ("names", "meaning"),
    [
        (["BLEU", "COMET"], "metrics"),
        (["GPT", "accuracy"], "metrics"),
        (["en-de", "en-fr"], "language pairs"),
        (["de", "fr"], "languages"),
        (["dev", "test"], "test sets"),
        (["GPT", "test"], ""),
        (["v1", "v2"], ""),
        (["gpt-neo", "gpt-two"], ""),
    ],
)
def test_names_that_are_not_of_systems(names, meaning):
    """A metric or a language must not win over another."""
    assert meaning_of_names(names, [f"{name}.csv" for name in names]) == meaning


def test_a_run_is_joined_by_id_and_keeps_its_documents(put):
    """Identity goes before order; a segment that one lacks is missing."""
    put("A.csv", "id,doc,score\n1,x,0.5\n2,x,0.25\n3,y,1\n")
    put("B.csv", "id,doc,score\n3,y,0.75\n1,x,0.25\n")
    scores = bt.read_scores(["A.csv", "B.csv"])
    assert (scores.name, scores.systems, scores.segments) == ("score", ("A", "B"), ("1", "2", "3"))
    assert scores.groups == ("x", "x", "y")
    assert np.array_equal(scores.values, [[0.5, 0.25, 1], [0.25, np.nan, 0.75]], equal_nan=True)


def test_every_metric_of_the_runs(put):
    """As a mapping, and one of them by its name; directions are those of the metrics."""
    for name, values in (("A", FIRST), ("B", SECOND)):
        rows = "".join(f"{k},{x},{1000 * x}\n" for k, x in enumerate(values))
        put(f"{name}.csv", f"id,accuracy,latency_ms\n{rows}")
    found = bt.read_metrics(["A.csv", "B.csv"])
    assert {name: one.higher_is_better for name, one in found.items()} == {
        "accuracy": True,
        "latency_ms": False,
    }
    assert all(one.systems == ("A", "B") for one in found.values())
    one = bt.read_scores(["A.csv", "B.csv"], metric="latency_ms")
    assert np.array_equal(one.values, found["latency_ms"].values)
    assert 'metric="accuracy"' in refusal(["A.csv", "B.csv"], "BT023")


def test_folders_name_files_of_one_name(put):
    """And two files that nothing tells apart need names."""
    for folder, values in (("v1", FIRST), ("v2", SECOND)):
        put(f"{folder}/scores.csv", table(values))
    assert bt.read_scores(["v1/scores.csv", "v2/scores.csv"]).systems == ("v1", "v2")
    assert bt.read_scores(["old=v1/scores.csv", "new=v2/scores.csv"]).systems == ("old", "new")
    assert "NAME=v1/scores.csv" in refusal(["v1/scores.csv", "v1/scores.csv"], "BT131")


def test_rows_are_chosen_in_every_run(put):
    """With --where and --ignore, as in other tables."""
    for name, values in (("A", FIRST), ("B", SECOND)):
        rows = "".join(f"{k},{'xy'[k % 2]},{x},{k}\n" for k, x in enumerate(values))
        put(f"{name}.csv", f"id,domain,score,tokens\n{rows}")
    scores = bt.read_scores(["A.csv", "B.csv"], where={"domain": "x"}, ignore=["tokens"])
    assert scores.segments == ("0", "2")
    assert scores.values.tolist() == [[0.5, 1.0], [0.25, 0.75]]


def test_a_column_that_one_run_lacks_is_left_out_with_a_note(put):
    """What only some systems have cannot be compared."""
    put("A.csv", "id,score,tokens\n1,0.5,9\n2,0.25,7\n")
    put("B.csv", "id,score\n1,0.25\n2,0.5\n")
    scores = bt.read_scores(["A.csv", "B.csv"])
    assert scores.name == "score"
    assert 'A.csv: columns that other files lack were left out: "tokens".' in scores.notes


def test_systems_in_two_tables_stay_systems(put):
    """Columns that are named like systems are not metrics, unless the user says so."""
    put("en.csv", "id,GPT,Llama\n1,0.5,0.25\n2,0.25,0.5\n")
    put("xy.csv", "id,GPT,Llama\n1,0.5,0.5\n2,0.75,0.5\n")
    assert list(bt.read_metrics(["en.csv", "xy.csv"])) == ["en", "xy"]
    assert "score=COLUMN" in refusal(["en.csv", "xy.csv"], "BT023")
    assert bt.read_scores(["en.csv", "xy.csv"], score="GPT").systems == ("en", "xy")


def test_percent_beside_shares_is_refused_until_it_is_kept(put):
    """A system would win by its unit."""
    put("A.csv", table([50, 25, 100, 75, 40, 80], ids=range(6)))
    put("B.csv", table([*SECOND, 0.4, 0.8], ids=range(6)))
    assert "on another scale" in refusal(["A.csv", "B.csv"], "BT268")
    assert bt.read_scores(["A.csv", "B.csv"], keep=["score"]).n_systems == 2


@pytest.mark.parametrize(
    "percent", [[0, 100, 100, 0, 100, 0, 100, 100, 0, 100], [0, 40, 62.5, 0, 88, 0, 95, 31, 0, 77]]
)
def test_percent_with_zeros_is_on_another_scale_too(put, percent):
    """A gate would call 0/100 better than 0/1: zero is a value on every scale and hides nothing."""
    put("A.csv", table([0, 1, 1, 0, 1, 1, 1, 0, 1, 1], ids=range(10)))
    put("B.csv", table(percent, ids=range(10)))
    assert "on another scale" in refusal(["A.csv", "B.csv"], "BT268")
    with pytest.raises(ReadError, match="on another scale"):
        bt.gate("A.csv", "B.csv", margin=0.05)


def test_rare_large_counts_are_on_the_same_scale(put):
    """Penalties of 1 and of 25 occur together, and so do few of them."""
    put("A.csv", "id,penalty\n" + "".join(f"{k},{x}\n" for k, x in enumerate([0, 1, 0, 1, 5, 0, 1, 0, 1, 0])))
    put(
        "B.csv",
        "id,penalty\n" + "".join(f"{k},{x}\n" for k, x in enumerate([0, 25, 0, 5, 5, 0, 1, 0, 25, 0])),
    )
    assert bt.read_scores(["A.csv", "B.csv"]).n_systems == 2


def test_errors_beside_the_scores_are_remarks(put):
    """A column of errors is empty but for "timeout", which is no outcome; the score of that row is missing."""
    rows = [
        {"id": i, "correct": None if i == 3 else i % 2, "error": "timeout" if i == 3 else None}
        for i in range(9)
    ]
    for name in ("A.jsonl", "B.jsonl"):
        put(name, "".join(json.dumps(row) + "\n" for row in rows))
    scores = bt.read_scores(["A.jsonl", "B.jsonl"])
    assert scores.n_missing == 2
    assert any('left out: "error"' in note for note in scores.notes)


def test_a_metric_of_two_names_is_named_in_both_files(put):
    """Correct in one file and is_correct in the other."""
    put("A.csv", "id,correct\n1,0\n2,1\n3,1\n")
    put("B.csv", "id,is_correct\n1,1\n2,1\n3,0\n")
    assert 'here are "is_correct", in A.csv "correct"' in refusal(["A.csv", "B.csv"], "BT266")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"id": 1, "correct": "yes"}\n{"id": 2, "correct": "no"}\n',
            'Column "correct" holds "no" and "yes"',
        ),
        ('{"model": "m", "results": [{"id": 1, "correct": 1}]}', 'The rows seem to be in the list "results"'),
        ('{"id": {"0": "q", "1": "r"}, "correct": {"0": 1, "1": 0}}', '"id" holds a whole column'),
        ('{"id": 1, "verdict": {"ok": 1}}\n{"id": 2, "verdict": {"ok": 0}}\n', 'inside "verdict"'),
    ],
    ids=["words", "wrapped", "columns", "nested"],
)
def test_json_that_is_no_table_is_refused_with_what_to_change(put, text, said):
    """Verdicts in words, rows in a list, columns of pandas, numbers in objects."""
    put("A.json", text)
    with pytest.raises(ReadError) as caught:
        bt.read_scores("A.json")
    assert caught.value.code == "BT009"
    assert said in str(caught.value)


def test_check_says_what_a_folder_of_runs_is_together(put, tmp_path):
    """One table, although each file alone holds one system."""
    put("runs/A.csv", table(FIRST))
    put("runs/B.csv", table(SECOND))
    found = bt.check(tmp_path / "runs")
    assert found.problems == ()
    assert found.contents[0] == 'together: scores "score": 2 systems × 4 segments, higher is better'
    put("runs/B.csv", table(SECOND, header="id,f1"))
    assert [problem.code for problem in bt.check(tmp_path / "runs").problems] == ["BT266"]


@pytest.mark.parametrize("suffix", ["csv", pytest.param("jsonl", marks=pytest.mark.slow)])
def test_large_runs_give_the_same_table(put, suffix):
    """Text above a few megabytes is read by the engine; the other run may be small."""
    n = SMALL // 45
    rng = np.random.default_rng(1)
    expected = np.round(rng.random((2, n)), 6)
    for name, row, order in (("A", 0, np.arange(n)), ("B", 1, rng.permutation(n))):
        cells = [(f"a segment with a long name {k:08d}", expected[row, k]) for k in order.tolist()]
        lines = [f"{k},{x}\n" for k, x in cells]
        if suffix == "jsonl":
            lines = [json.dumps({"qid": k, "score": x}) + "\n" for k, x in cells]
        put(f"{name}.{suffix}", "".join([*(["qid,score\n"] if suffix == "csv" else []), *lines]))
    scores = bt.read_scores([f"A.{suffix}", f"B.{suffix}"])
    assert scores.segments == tuple(f"a segment with a long name {k:08d}" for k in range(n))
    assert np.array_equal(scores.values, expected)


def test_three_runs_that_share_metrics_only_in_pairs_are_refused(put):
    """There is nothing to compare all of them by."""
    for name, columns in (("A", "accuracy,f1"), ("B", "accuracy,recall"), ("C", "f1,recall")):
        put(f"{name}.csv", f"id,{columns}\n1,0.5,0.25\n2,0.75,0.5\n")
    assert '"f1", "recall"' in refusal(["A.csv", "B.csv", "C.csv"], "BT266")


def test_long_tables_of_one_system_each_are_one_metric(put):
    """Whose direction the user may give; a name given to a file is its system's, and settles who is who."""
    for name, values in (("a", FIRST), ("b", SECOND)):
        rows = "".join(f"{k},gpt-{name},{x}\n" for k, x in enumerate(values))
        put(f"{name}.csv", f"item,model,score\n{rows}")
        put(f"same_{name}.csv", f"item,model,score\n{rows}".replace(f"gpt-{name}", "gpt"))
    scores = bt.read_scores(["a.csv", "b.csv"])
    assert (scores.name, scores.systems, scores.higher_is_better) == ("score", ("gpt-a", "gpt-b"), True)
    lower = read_any(["a.csv", "b.csv"], Options(lower_is_better=frozenset({"score"}))).tables[0]
    assert not lower.higher_is_better
    assert "NAME=path" in refusal(["same_a.csv", "same_b.csv"], "BT023")
    assert bt.read_scores(["old=same_a.csv", "new=same_b.csv"]).systems == ("old", "new")


def test_lines_of_numbers_on_other_scales_are_refused(put):
    """There is no column to keep, so the message does not say so."""
    put("A.txt", "50\n25\n100\n75\n40\n80\n")
    put("B.txt", "0.5\n0.25\n1\n0.75\n0.4\n0.8\n")
    assert "--keep" not in refusal(["A.txt", "B.txt"], "BT268")


def test_several_metrics_name_the_verb_for_all_of_them(put):
    """A ranking is by one metric; the way to all of them is said."""
    for name in ("A.csv", "B.csv"):
        put(name, "id,accuracy,f1\n1,0,0.5\n2,1,0.25\n3,1,0.75\n")
    with pytest.raises(ReadError, match="To compare by all of them, use tradeoffs") as caught:
        bt.rank("A.csv", "B.csv")
    assert caught.value.code == "BT023"
