"""Scores of sentences: rows of the task, training data, one number a line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import betterthan as bt
from betterthan.cli.main import main
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any, sniff

# Gold labels of 2023, in which planted sentences have no score; and a submission with its three facts.
GOLD = (
    "lp\tgold\tsid\tscore\nen-de\tgold\t1\t0.5\nen-de\tgold\t0\t-1.25\n"
    "en-de\tgold\t2\thallucination\nzh-en\tgold\t0\t2\n"
)
OURS = "2277430715\n569330715\n1\nEN-DE\tours\t0\t0.25\nen-de\tours\t1\t4.4e-05\nen-de\tours\t2\t1\nen-de\tours\t9\t3\n"
TRAINING = (
    "index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\n"
    "7\tSo far.\tBis jetzt.\t[100, 90, 80]\t90.0\t[1.5, 0.5, -0.5]\t0.5\n"
    '9\t"He said\tEr sagte "nein".\t[50, 55]\t60\t[-1.0, -2.0]\t-1.5\n'
)


def run(*words):
    """Run the command line and return its exit code."""
    with pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return caught.value.code


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def writer(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writer


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.tsv", GOLD, "sentence_scores"),
        ("predictions.txt", OURS, "sentence_scores"),
        ("a.txt", OURS.split("\n", 3)[3], "sentence_scores"),
        ("train.df.short.tsv", TRAINING, "sentence_training"),
        ("test.hter", "0.1\n\n0.3\n", "numbers"),
        ("scores.txt", "0.1\n0.2\n0.3\n", "numbers"),
        ("test.hter", "0.1\nx\n", "numbers"),
    ],
)
def test_layouts_are_recognised(write, name, text, expected):
    """With and without header, facts or suffix."""
    assert sniff(write(name, text)).format == expected


def test_rows_become_scores(write):
    """One table a language pair; a planted sentence is missing and counted."""
    reading = read_any(write("gold.tsv", GOLD))
    assert [table.name for table in reading.tables] == ["quality en-de", "quality zh-en"]
    first = reading.tables[0]
    assert (first.systems, first.segments) == (("gold",), ("1", "0", "2"))
    assert np.array_equal(first.values, [[0.5, -1.25, np.nan]], equal_nan=True)
    assert (reading.rows_read, reading.rows_kept, reading.dropped) == (4, 3, {"hallucination": 1})
    assert bt.read_scores(write("gold.tsv", GOLD), metric="quality zh-en").values.tolist() == [[2]]
    one = read_any(write("gold.tsv", GOLD), Options(language_pair="zh-en"))
    assert (one.tables[0].name, one.dropped) == ("quality", {"another language pair": 3})


def test_truth_and_predictions_are_paired_by_id(write):
    """Not by line; the language pair that both have is taken, and what is left out is told."""
    truth, predicted = bt.read_sentence_scores(write("gold.tsv", GOLD), write("predictions.txt", OURS))
    assert (truth.systems, predicted.systems, truth.segments) == (("gold",), ("ours",), ("1", "0", "2"))
    assert predicted.values.tolist() == [[4.4e-05, 0.25, 1]]
    assert any("without a true score, left out: 1" in note for note in predicted.notes)
    assert any("rows without a score (hallucination): 1" in note for note in truth.notes)
    found = bt.sentence_quality(predicted, truth, missing="drop", n_resamples=99)
    assert found.pearson[0] == pytest.approx(-1)


def test_a_sentence_that_was_not_scored_is_missing(write):
    """NaN and a note, never 0."""
    short = write("short.txt", "".join(OURS.splitlines(keepends=True)[:4]))
    _, predicted = bt.read_sentence_scores(write("gold.tsv", GOLD), {"short": short})
    assert predicted.systems == ("short",)
    assert np.array_equal(predicted.values, [[np.nan, 0.25, np.nan]], equal_nan=True)
    assert any('"short" did not score, missing: 2' in note for note in predicted.notes)


def test_one_number_a_line_goes_with_counted_sentences(write):
    """Line 1 is number 0; other ids are refused."""
    gold = write("gold.tsv", GOLD.replace("zh-en\tgold\t0\t2\n", ""))
    lines = write("ours.hter", "10\n11\n12\n")
    assert bt.read_sentence_scores(gold, lines)[1].values.tolist() == [[11, 10, 12]]
    assert bt.read_sentence_scores(lines, gold)[1].values[0, :2].tolist() == [-1.25, 0.5]
    with pytest.raises(bt.ReadError, match="must be numbered 0, 1, 2, …") as caught:
        bt.read_sentence_scores(
            lines, write("odd.tsv", GOLD.replace("gold\t2", "gold\t5").replace("zh-en\tgold\t0\t2\n", ""))
        )
    assert caught.value.code == "BT304"
    with pytest.raises(bt.ReadError, match="This file has 1 lines"):
        bt.read_sentence_scores(gold, write("one.hter", "1\n"))


def test_training_data(write):
    """Both means, quotation marks as text; a mean that is not that of its list is told and read as it stands."""
    path = write("train.tsv", TRAINING)
    reading = read_any(path)
    assert [(table.name, table.values.tolist()) for table in reading.tables] == [
        ("DA", [[90, 60]]),
        ("DA z", [[0.5, -1.5]]),
    ]
    assert reading.tables[0].segments == ("7", "9")
    assert "assessments of a translation: 2 (1 times), 3 (1 times)" in reading.notes[0]
    assert "differ from the mean of their list, used as they are: 1" in reading.notes[1]
    truth, predicted = bt.read_sentence_scores(
        path, {"ours": write("p.tsv", "en-de\tx\t9\t1\nen-de\tx\t7\t2\n")}
    )
    assert (truth.values.tolist(), predicted.values.tolist()) == ([[0.5, -1.5]], [[2, 1]])


def test_hter_is_lower_is_better(write):
    """By its suffix; another name has no direction of its own; an empty line is missing."""
    reading = read_any(write("base.hter", "0.1\n\n0.3\n"))
    (table,) = reading.tables
    assert (table.name, table.systems, table.higher_is_better) == ("HTER", ("base",), False)
    assert np.array_equal(table.values, [[0.1, np.nan, 0.3]], equal_nan=True)
    assert (reading.rows_read, reading.rows_kept, reading.dropped) == (3, 2, {"no number": 1})
    assert bt.read_scores(write("base.txt", "0.1\n0.3\n")).higher_is_better


def test_another_table_of_scores_will_do(write):
    """Ids, systems and scores as everywhere else."""
    table = write("p.csv", "item,system,score\n0,A,1\n1,A,2\n0,B,3\n1,B,4\n")
    _, predicted = bt.read_sentence_scores(write("gold.tsv", GOLD), table, language_pair="en-de")
    assert predicted.systems == ("A", "B")
    assert np.array_equal(predicted.values, [[2, 1, np.nan], [4, 3, np.nan]], equal_nan=True)


@pytest.mark.parametrize(("duplicates", "expected"), [("first", 1), ("last", 4), ("mean", 2.5)])
def test_a_sentence_scored_twice(write, duplicates, expected):
    """Refused, unless the user says which counts; a missing score does not count in a mean."""
    path = write("a.tsv", "en-de\tx\t0\t1\nen-de\tx\t0\t\nen-de\tx\t0\t4\n")
    with pytest.raises(bt.ReadError, match=r'line 2: Segment 0 of "x" \(en-de\) already has a score'):
        read_any(path)
    (table,) = read_any(path, Options(duplicates=duplicates)).tables
    assert table.values.tolist() == [[expected]]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (GOLD.replace("0.5", "half"), "BT013", 'line 2: "half" is not a number'),
        (GOLD.replace("0.5", "1e999"), "BT014", 'line 2: "1e999" is infinite'),
        (GOLD.replace("\t0.5", ""), "BT012", "line 2: The row has 3 cells, but 4 are needed"),
        (GOLD.replace("gold\t1", "\t1"), "BT105", "line 2: The row names no system"),
        ("lp\tname\tsid\tscore\n", "BT011", "There is no row"),
        (TRAINING.replace("[50, 55]", "50, 55"), "BT013", 'line 3: "50, 55" is not a list of numbers'),
        (TRAINING.replace("[50, 55]", "[50, x]"), "BT013", "is not a list of numbers"),
        (TRAINING.replace("9\t", "7\t"), "BT101", 'line 3: Segment "7" of system "damaged" already has a score'),
        (TRAINING.replace("9\t", "\t"), "BT105", "line 3: The row names no index"),
        (TRAINING.replace("\t60", ""), "BT012", "line 3: The row has 6 cells between tabs where the header has 7"),
        (TRAINING.replace("\t60", "\tsixty"), "BT013", 'line 3: "sixty" is not a number'),
        (TRAINING.split("\n", maxsplit=1)[0] + "\n", "BT011", "There are no rows below the header"),
    ],
)  # fmt: skip
def test_damage_is_placed(write, text, code, message):
    """File, line and cure; the command line ends with 2, and check shows the same."""
    path = write("damaged.tsv", text)
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(path)
    assert caught.value.code == code
    assert [problem.code for problem in bt.check(path).problems] == [code]
    assert run("quality", path, path) == 2


def test_several_pairs_must_be_chosen(write):
    """They are not one truth."""
    path = write("gold.tsv", GOLD)
    with pytest.raises(bt.ReadError, match=r"several language pairs \(en-de, zh-en\)"):
        bt.read_sentence_scores(path, path)
    assert bt.read_sentence_scores(path, path, language_pair="zh-en")[0].values.tolist() == [[2]]
    two = write("two.tsv", "en-de\ta\t0\t1\nen-de\tb\t0\t2\n")
    with pytest.raises(
        bt.ReadError, match="The gold labels must come from one source, but there are 2: a, b"
    ):
        bt.read_sentence_scores(two, two)


def test_from_the_command_line(write, capsys):
    """Without a flag."""
    gold = write("gold.tsv", "".join(f"en-de\tgold\t{i}\t{i % 7}\n" for i in range(40)))
    ours = write("ours.txt", "1\n2\n" + "".join(f"en-de\tours\t{i}\t{i % 5}\n" for i in reversed(range(40))))
    assert run("quality", gold, ours, "--json") == 0
    expected = np.corrcoef([i % 7 for i in range(40)], [i % 5 for i in range(40)])[0, 1]
    assert json.loads(capsys.readouterr().out)["pearson"] == [pytest.approx(expected, abs=1e-12)]
    assert run("convert", gold, "-o", gold.parent / "tidy.csv") == 0
    assert bt.read_scores(gold.parent / "tidy.csv").values.tolist() == [[i % 7 for i in range(40)]]


def test_a_table_with_a_header_of_its_own_is_another_one(write):
    """Four columns of which the first names language pairs are not ours by that alone."""
    path = write(
        "mqm_seg.tsv", "lp\tsystem\tseg_id\tmqm\n" + "".join(f"en-de\tA\t{i}\t-{i}\n" for i in range(30))
    )
    assert sniff(path).format == "long"
