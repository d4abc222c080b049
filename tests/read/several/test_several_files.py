"""Folders, patterns, lists and NAME=path: several files read together, and what is refused."""

from __future__ import annotations

import gzip
import io
import os

import duckdb
import numpy as np
import pytest

import betterthan as bt
from betterthan import scratch
from betterthan.errors import ReadError
from betterthan.read.protocol import Options
from betterthan.read.several.files import FORMAT
from betterthan.read.sniff import read_any, sniff
from betterthan.read.source.source import open_source
from betterthan.report.compose import compose

LONG = "item,system,score\n"
HEAD = "model_a,model_b,winner,judge\n"


@pytest.fixture
def put(tmp_path):
    """Write a file and return its path."""

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def rows(system, values, start=1):
    """Rows of a long table."""
    return "".join(f"s{i},{system},{value}\n" for i, value in enumerate(values, start))


def refusal(given, code):
    """The message of the error that reading raises."""
    with pytest.raises(ReadError) as caught:
        read_any(given)
    assert caught.value.code == code, caught.value
    assert len(str(caught.value)) <= 600
    return str(caught.value)


def test_systems_of_several_files_stand_side_by_side(put, tmp_path):
    """Joined by segment, whatever the order of the rows; a segment that one file lacks is missing."""
    put("runs/a.csv", LONG.replace("score", "BLEU") + rows("A", [1, 2, 3]))
    put("runs/b.csv.gz", gzip.compress((LONG.replace("score", "BLEU") + "s3,B,6\ns1,B,4\n").encode()))
    scores = bt.read_scores(tmp_path / "runs")
    assert (scores.name, scores.systems, scores.segments) == ("BLEU", ("A", "B"), ("s1", "s2", "s3"))
    assert np.array_equal(scores.values, [[1, 2, 3], [4, np.nan, 6]], equal_nan=True)
    reading = read_any(tmp_path / "runs")
    assert (reading.format.name, reading.rows_read, reading.rows_kept) == ("several", 5, 5)
    assert [problem.code for problem in reading.problems] == ["BT102"]  # and no longer "only one system"


@pytest.mark.parametrize("what", ["folder", "pattern", "list", "streams"])
def test_a_folder_a_pattern_and_a_list_are_the_same(put, tmp_path, what):
    """However the files are named."""
    one = put("runs/a.csv", LONG + rows("A", [1, 2, 3]))
    two = put("runs/b.csv", LONG + rows("B", [4, 5, 6]))
    given = {
        "folder": tmp_path / "runs",
        "pattern": str(tmp_path / "runs" / "*.csv"),
        "list": [one, two],
        "streams": [
            io.BytesIO((LONG + rows("A", [1, 2, 3])).encode()),
            io.StringIO(LONG + rows("B", [4, 5, 6])),
        ],
    }[what]
    reading = read_any(given)
    assert reading.format.name == FORMAT.name
    tables = {table.name: table for table in reading.tables}
    assert {system for table in tables.values() for system in table.systems} == {"A", "B"}
    assert reading.rows_kept == 6


def test_each_wide_table_is_a_metric(put, tmp_path):
    """Named by its file, or by the user."""
    put("m/BLEU.csv", "id,A,B\n1,1,2\n2,3,4\n")
    put("m/TER.csv", "id,A,B\n1,9,8\n2,7,6\n")
    tables = bt.read_metrics(tmp_path / "m")
    assert {name: table.higher_is_better for name, table in tables.items()} == {"BLEU": True, "TER": False}
    assert bt.read_scores(f"chrF={tmp_path}/m/BLEU.csv").name == "chrF"


def test_a_score_in_two_files_is_refused(put, tmp_path):
    """Never one over the other."""
    put("r/a.csv", LONG.replace("score", "BLEU") + rows("A", [1, 2, 3]))
    put("r/b.csv", LONG.replace("score", "BLEU") + rows("A", [9, 8], start=3))
    assert '"A" has a score of "BLEU" for segment "s3" here and in' in refusal(tmp_path / "r", "BT331")


def test_segments_without_ids_need_equal_numbers(put, tmp_path):
    """Row k is segment k only when all have as many."""
    for name, n in (("a", 3), ("b", 2)):
        put(f"{name}/x.csv", f"S{name}\n" + "".join(f"{i}.5\n" for i in range(n)))
    message = refusal([f"{tmp_path}/a/x.csv", f"{tmp_path}/b/x.csv"], "BT332")
    assert f'"{tmp_path}/b/x.csv" has 2 rows, but "{tmp_path}/a/x.csv" has 3' in message


def test_files_that_disagree_on_the_direction_are_refused(put, tmp_path):
    """It is data."""
    for name, way in (("a", "true"), ("b", "false")):
        body = "".join(f"s{i},{name},{i},M,{way}\n" for i in range(3))
        put(f"r/{name}.csv", "item,system,score,metric,higher_is_better\n" + body)
    refusal(tmp_path / "r", "BT106")


def test_documents_are_kept_when_all_files_know_them(put, tmp_path):
    """And given up, not guessed, when one does not."""
    put("r/a.csv", "item,system,M,doc\ns1,A,1,d1\ns2,A,2,d2\n")
    put("r/b.csv", "item,system,M,doc\ns1,B,1,d1\ns2,B,2,d2\n")
    assert bt.read_scores(tmp_path / "r").groups == ("d1", "d2")
    put("r/c.csv", "item,system,M\ns1,C,1\ns3,C,2\n")
    assert bt.read_scores(tmp_path / "r").groups is None


def test_documents_on_which_files_disagree_are_left_out_with_a_note(put, tmp_path):
    """Otherwise segments would silently become the units."""
    put("r/a.csv", "item,system,M,doc\ns1,A,1,d1\ns2,A,2,d2\n")
    put("r/b.csv", "item,system,M,doc\ns1,B,1,d1\ns2,B,2,d3\n")
    found = bt.read_scores(tmp_path / "r")
    assert found.groups is None
    note = next(note for note in found.notes if "disagree" in note)
    assert '1 of 2 segments: "s2" belongs to "d2" in one and to "d3" in another' in note


def test_judgements_of_several_files(put, tmp_path):
    """A judge of the same name is the same judge."""
    for name in "ab":
        body = "".join(f"s{i},{name},j{i % 2},{10 * i}\n" for i in range(4))
        put(f"r/{name}.csv", "item,system,rater,score\n" + body)
    (table,) = [
        table for table in read_any(sorted(map(str, (tmp_path / "r").iterdir()))).tables if table.name == "a"
    ]
    assert table.n_judgements == 4
    same = "".join(f"s{i},X,j{i % 2},{10 * i},DA\n" for i in range(4))
    more = "".join(f"s{i},Y,j{i % 2},{20 * i},DA\n" for i in range(4))
    for name, body in (("c", same), ("d", more)):
        put(f"q/{name}.csv", "item,system,rater,score,metric\n" + body)
    (ratings,) = read_any(tmp_path / "q").tables
    assert (ratings.judges, ratings.n_judgements, ratings.systems) == (("j0", "j1"), 8, ("X", "Y"))
    assert ratings.to_scores().values.tolist() == [[0, 10, 20, 30], [0, 20, 40, 60]]


def test_battles_of_several_files_are_one_table(put, tmp_path):
    """So that a judge with votes in two files is one cluster; as if the rows had stood in one file."""
    first, second = "A,B,model_a,j1\nB,C,tie,j2\n", "A,C,model_b,j1\nA,B,model_a,j3\n"
    put("b/1.csv", HEAD + first)
    put("b/2.csv.gz", gzip.compress((HEAD + second).encode()))
    whole = put("whole.csv", HEAD + first + second)
    options = Options(columns={"judge": "judge"})
    (apart,), (together,) = read_any(tmp_path / "b", options).tables, read_any(whole, options).tables
    assert together == apart
    assert len(set(apart.group.tolist())) == 3


def test_a_fault_in_battles_names_file_and_line(put, tmp_path):
    """Although the files were put together."""
    put("b/1.csv", HEAD + "A,B,model_a,j1\nB,C,tie,j2\n")
    put("b/2.csv", HEAD + "A,C,model_b,j1\nA,B\n")
    message = refusal(tmp_path / "b", "BT012")
    assert f"{tmp_path}/b/2.csv, line 3" in message


def test_battles_with_other_headers_are_refused(put, tmp_path):
    """They are not pieces of one table."""
    put("b/1.csv", HEAD + "A,B,model_a,j1\n")
    put("b/2.csv", "left,right,winner\nA,B,left\n")
    assert "The header differs from that of" in refusal(tmp_path / "b", "BT333")


def shards(folder, split, n, *, of=None, rows=4):
    """Battles as Hugging Face stores them."""
    folder.mkdir(parents=True, exist_ok=True)
    for k in range(n):
        query = (
            f"SELECT 'A' AS model_a, 'B' AS model_b, CASE WHEN i % 2 = 0 THEN 'model_a' ELSE 'tie' END AS winner, "  # noqa: S608
            f"'j' || (i + {k}) AS judge FROM range({rows}) t(i)"
        )
        duckdb.sql(f"COPY ({query}) TO '{folder}/{split}-{k:05}-of-{of or n:05}.parquet' (FORMAT parquet)")


def test_a_data_set_of_hugging_face_is_one_table(tmp_path):
    """Its shards together; the description beside them is no data."""
    shards(tmp_path / "data", "train", 3)
    (tmp_path / "dataset_info.json").write_text('{"splits": {}}')
    (tmp_path / "README.md").write_text("about")
    reading = read_any(tmp_path)
    assert (reading.format.name, reading.rows_read) == ("battles", 12)
    assert reading.tables[0].n_matches == 12
    assert bt.check(tmp_path).exit_code == 0
    (by_pattern,) = read_any(f"{tmp_path}/data/train-*.parquet").tables
    assert by_pattern == reading.tables[0]


def test_splits_and_missing_shards_are_refused(tmp_path):
    """Training and test data are not pooled, and a part is not taken for the whole."""
    shards(tmp_path / "data", "train", 2)
    shards(tmp_path / "data", "test", 1)
    assert 'There are 2 splits, which are not read as one: "test", "train"' in refusal(tmp_path, "BT334")
    shards(tmp_path / "part", "train", 2, of=3)
    assert "1 of 3 shards are missing (the first is 2)" in refusal(tmp_path / "part", "BT334")


def test_a_long_table_in_shards(tmp_path):
    """Whatever the shards hold."""
    for k in range(2):
        query = f"SELECT 's' || (i + {2 * k}) AS item, s AS system, i + 0.5 AS score FROM range(2) t(i), (VALUES ('A'), ('B')) v(s)"  # noqa: S608, E501
        duckdb.sql(f"COPY ({query}) TO '{tmp_path}/train-{k:05}-of-00002.parquet' (FORMAT parquet)")
    (scores,) = read_any(tmp_path).tables
    assert (scores.n_systems, scores.n_segments, scores.n_missing) == (2, 4, 0)


def test_texts_of_a_folder(put, tmp_path):
    """Source, references and outputs by their names; the language is no part of them."""
    for name in ("src.en", "refA.de", "refB.de", "sys/ours.de", "sys/Online-B.de"):
        put(f"en-de/{name}.txt", f"one by {name}\ntwo, by it\n")
    texts = bt.read_texts(tmp_path / "en-de")
    assert (texts.systems, texts.reference_names) == (("Online-B", "ours"), ("refA", "refB"))
    assert texts.sources == ("one by src.en", "two, by it")
    outputs = bt.read_texts(tmp_path / "en-de" / "sys", references=f"{tmp_path}/en-de/ref*")
    assert (len(outputs.systems), len(outputs.references)) == (2, 2)
    put("en-de/sys/short.de.txt", "one\n")
    assert "This file has 1 lines, but" in refusal(tmp_path / "en-de", "BT130")


def test_sets_of_texts_and_language_pairs_are_not_mixed(put, tmp_path):
    """They have nothing to do with each other."""
    for pair in ("en-de", "zh-en"):
        for name in ("ref", "sys/a", "sys/b"):
            put(f"wmt/{pair}/{name}.txt", "x y\nz\n")
    message = refusal(tmp_path / "wmt", "BT334")
    assert "2 language pairs (en-de, zh-en)" in message
    assert "Name one: " in message
    for place in ("one", "two"):
        put(f"sets/{place}/a.txt", "x y\nz\n")
    assert "These texts are of 2 sets" in refusal(tmp_path / "sets", "BT334")


def test_files_of_different_kinds_are_refused_with_the_cure(put, tmp_path):
    """And `check` lists them."""
    put("mixed/a.csv", LONG + rows("A", [1, 2]) + rows("B", [1, 2]))
    put("mixed/b.csv", HEAD + "A,B,model_a,j\n")
    put("mixed/notes.md", "# words\n")
    assert "1 of scores, 1 of matches" in refusal(tmp_path / "mixed", "BT330")
    found = bt.check(tmp_path / "mixed")
    assert (found.format, found.exit_code) == ("several", 0)
    assert found.contents == (
        'a.csv: long, scores "a": 2 systems × 2 segments, higher is better',
        "b.csv: battles, battles: 1 between 2 systems, 0 of them ties",
    )


def test_check_names_the_file_that_cannot_be_read(put, tmp_path):
    """The others are listed all the same, and the exit code says that something is wrong."""
    put("r/a.csv", LONG + rows("A", [1, 2]) + rows("B", [1, 2]))
    put("r/b.csv", LONG + "s1,A,x\ns2,A,3\n")
    put("r/c.csv", b"")
    found = bt.check(tmp_path / "r")
    assert found.exit_code == 1
    assert [(problem.code, problem.place) for problem in found.problems] == [
        ("BT013", f"{tmp_path}/r/b.csv, line 2"),
        ("BT003", f"{tmp_path}/r/c.csv"),
    ]
    assert found.contents[0].startswith("a.csv: long")


def test_where_reaches_every_file(put, tmp_path):
    """Conditions hold for each of them."""
    for name in "AB":
        put(
            f"r/{name}.csv",
            "item,system,M,lp\n" + "".join(f"s{i},{name},{i},{p}\n" for i in range(3) for p in "xy"),
        )
    scores = bt.read_scores(tmp_path / "r", where={"lp": "x"})
    assert (scores.systems, scores.n_segments) == (("A", "B"), 3)


def test_what_is_no_data_is_left_out(put, tmp_path):
    """Words about the data, programs, hidden files; nothing but these is no data."""
    for name in ("README", "LICENSE.txt", "run.py", ".hidden.csv", "dataset_info.json"):
        put(f"r/{name}", LONG + rows("A", [1, 2]))
    refusal(tmp_path / "r", "BT002")
    put("r/a.csv", LONG + rows("A", [1, 2]) + rows("B", [1, 2]))
    assert read_any(tmp_path / "r").rows_read == 4


def test_patterns_names_and_lists_that_lead_nowhere(put, tmp_path):
    """Each says so."""
    refusal(f"{tmp_path}/*.csv", "BT001")
    refusal([], "BT134")
    refusal("=x.csv", "BT134")
    put("a.csv", LONG + rows("A", [1, 2]))
    put("b.csv", LONG + rows("B", [1, 2]))
    assert "cannot all be called ours" in refusal(f"ours={tmp_path}/*.csv", "BT131")
    with pytest.raises(ReadError, match="One file is needed here, and there are 2") as caught:
        open_source(f"{tmp_path}/*.csv")
    assert caught.value.code == "BT339"


def test_odd_names_are_meant_as_they_stand(put):
    """A file that is really called so."""
    text = LONG + rows("A", [1, 2]) + rows("B", [1, 2])
    for name in ("a=b.csv", "[1].csv", "x*.csv", "a b.csv"):
        assert sniff(put(name, text)).format == "long"


def test_links_and_pipes_in_a_folder_are_refused(put, tmp_path):
    """A link out of the folder, one in a circle, a pipe that would wait for ever."""
    outside = put("outside.csv", LONG + rows("A", [1, 2]))
    put("r/a.csv", LONG + rows("A", [1, 2]) + rows("B", [1, 2]))
    (tmp_path / "r" / "again").symlink_to(tmp_path / "r")
    assert read_any(tmp_path / "r").rows_read == 4
    (tmp_path / "r" / "b.csv").symlink_to(outside)
    assert "leads out of the folder" in refusal(tmp_path / "r", "BT163")
    (tmp_path / "r" / "b.csv").unlink()
    (tmp_path / "r" / "b.csv").symlink_to("b.csv")
    refusal(tmp_path / "r", "BT163")
    (tmp_path / "r" / "b.csv").unlink()
    os.mkfifo(tmp_path / "r" / "b.csv")
    refusal(tmp_path / "r", "BT163")
    assert [problem.code for problem in bt.check(tmp_path / "r").problems] == ["BT163"]


def test_nothing_is_left_behind(put, tmp_path):
    """Neither shards put together nor joined battles."""
    shards(tmp_path / "data", "train", 2)
    put("b/1.csv", HEAD + "A,B,model_a,j1\n")
    put("b/2.csv", HEAD + "A,C,model_b,j1\n")
    before = set(scratch.folder().iterdir())
    read_any(tmp_path / "data")
    read_any(tmp_path / "b")
    assert set(scratch.folder().iterdir()) <= before


@pytest.mark.parametrize("gold", ["gold", "test.gold_labels", "refA", "Human", "ground-truth"])
def test_the_truth_is_not_ranked_beside_its_predictions(put, tmp_path, gold):
    """One number a line, a file a system: a file named like the truth is what the others are held against."""
    files = [put(f"qe/{name}.hter", "0.1\n0.5\n0.3\n") for name in (gold, "ours", "base")]
    for given in (files, tmp_path / "qe"):
        message = refusal(given, "BT231")
        assert f"betterthan quality {tmp_path}/qe/{gold}.hter FILE..." in message
        assert "give it another name: NAME=" in message
    assert [finding.code for finding in bt.check(tmp_path / "qe").problems] == ["BT231"]
    with pytest.raises(ReadError, match="named like gold labels"):
        compose(files[::-1])  # with the gold file first it is a report on predicted quality
    assert bt.read_scores([f"sys={files[0]}", *files[1:]]).systems == ("sys", "ours", "base")


def test_systems_with_similar_names_are_no_truth(put):
    """Part of a word says nothing, and a word that all names have says nothing either."""
    for names in (("goldfish", "refined"), ("ours.ref", "base.ref"), ("targeted", "humane")):
        assert len(bt.read_scores([put(f"{name}.hter", "0.1\n0.5\n") for name in names]).systems) == 2


def test_gold_among_the_rows_of_a_quality_file_is_no_system(put):
    """The name that stands for the truth in a column of systems, as `quality` reads it."""
    text = "".join(
        f"en-de\t{name}\t{i}\t0.{i}{k}\n" for k, name in enumerate(("gold", "ours")) for i in range(3)
    )
    path = put("scores.tsv", text)
    assert f"betterthan quality {path} {path}. If it is a system, rename it." in refusal(path, "BT231")
    assert bt.read_sentence_scores(path, path)[1].systems == ("ours",)


def test_rows_and_ids_are_not_put_side_by_side(put):
    """A file without ids beside one with ids 1 to n, in the same order or not."""
    one = put("a/x.csv", "id,A\n" + "".join(f"{i},{i}.5\n" for i in (2, 1, 3)))
    two = put("b/x.csv", "B\n0.1\n0.2\n0.3\n")
    message = refusal([one, two], "BT232")
    assert f'"{two}" has no segment ids' in message
    assert [finding.code for finding in bt.check([one, two]).problems] == ["BT232"]
    put("b/x.csv", "sentence_mark,B,C\n" + "".join(f"k{i},0.{i},1\n" for i in range(3)))
    put("a/x.csv", "A\n0.1\n0.2\n0.3\n")
    assert "sentence_mark" in refusal([one, two], "BT233")


def test_rows_put_side_by_side_are_announced(put):
    """Files of equal length belong together, and the note says how."""
    files = [put(f"{name}.hter", "0.1\n0.2\n0.3\n") for name in "ab"]
    assert bt.read_scores(files).notes[0].startswith("Rows were matched by their order")
    assert not any("order" in note for note in bt.read_scores(files[0]).notes)


def test_files_of_different_systems_must_share_segments(put):
    """Ids from 0 and from 1 are doubted, and files of two test sets are refused; parts of one set are not."""
    head = LONG.replace("score", "BLEU")
    a, b, c, d = (
        put(f"{name}.csv", head + "".join(f"{i},{system},{i}\n" for i in range(start, start + 6)))
        for name, system, start in (("a", "A", 0), ("b", "B", 1), ("c", "B", 5), ("d", "A", 6))
    )
    assert "counted from 0 and from 1" in refusal([a, b], "BT235")
    assert "share 1 of 6 segments" in refusal([a, c], "BT236")
    assert bt.read_scores([a, d]).n_segments == 12
