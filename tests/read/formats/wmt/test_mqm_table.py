"""MQM annotations: weights, columns of all years, and what is refused."""

import csv
import gzip
import io
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.read.formats.wmt.mqm import Weights, read_mqm
from betterthan.read.sniff import read_any, sniff

NEW = [
    *("system", "doc", "docSegId", "globalSegId", "rater"),
    *("source", "target", "category", "severity", "metadata"),
]
OLD = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
CHINESE = [
    *("year", "source_lang", "target_lang", "document_id", "doc_segment_id", "system_id", "rater_id"),
    *("source", "reference", "candidate", "category", "severity"),
]


def lines(*rows, header=NEW):
    """Tab-separated text without quoting."""
    return io.StringIO(
        "\n".join("\t".join(map(str, row)) for row in ([header, *rows] if header else rows)) + "\n"
    )


def error(system, segment, rater, category, severity, *, doc="d1", target='he said "<v>x</v>'):
    """A row of 2023; the target has a quotation mark that is never closed."""
    return [system, doc, segment, segment, rater, "source", target, category, severity, "{}"]


# By hand with the weights of Freitag et al. (2021): 5 + 1 + 0.1 = 6.1; 25; nothing; 1 + 0.
ROWS = [
    error("A", 1, "r1", "Accuracy/Mistranslation", "Major"),
    error("A", 1, "r1", "Fluency/Grammar", "minor"),
    error("A", 1, "r1", "Fluency/Punctuation", "Minor"),
    error("B", 1, "r1", "Non-translation!", "Major"),
    error("A", 1, "r2", "No-error", "No-error"),
    error("B", 2, "r2", "Style/Awkward", "Minor", doc="d2"),
    error("B", 2, "r2", "Source error", "Major", doc="d2"),
    error("B", 2, "r2", "Accuracy/Omission", "Neutral", doc="d2"),
]
BY_HAND = {("A", "1", "r1"): -6.1, ("B", "1", "r1"): -25, ("A", "1", "r2"): 0, ("B", "2", "r2"): -1}


def scores_of(ratings):
    """Score by system, segment and judge."""
    return {
        (ratings.systems[a], ratings.segments[s], ratings.judges[j]): score
        for a, s, j, score in zip(
            ratings.system, ratings.segment, ratings.judge, ratings.score.tolist(), strict=True
        )
    }


def test_errors_are_weighed_and_summed():
    """As counted by hand; 0 is best, so higher is better; quotation marks are text."""
    ratings = read_mqm(lines(*ROWS))
    assert scores_of(ratings) == pytest.approx(BY_HAND)
    assert ratings.higher_is_better
    assert ratings.groups == ("d1", "d2")
    assert ratings.name == "MQM"
    assert not np.signbit(ratings.score[ratings.score == 0]).any()
    assert ratings.notes == ("MQM: 8 rows of score became 4 ratings.",)


def test_the_layout_is_recognised():
    """With a header by its columns, without one by nine columns that end with a severity."""
    found = sniff(lines(*ROWS))
    assert (found.format, found.kind) == ("mqm", "ratings")
    headless = sniff(lines(*[row[:9] for row in ROWS], header=None))
    assert (headless.format, headless.because) == ("mqm", "nine columns that end with category and severity")
    ratings = "item\tsystem\trater\tscore\n1\tA\tr\t5\n1\tB\tr\t7\n"
    assert sniff(io.StringIO(ratings)).format == "ratings"


def test_files_of_all_years_are_the_same():
    """2020 to 2022, 2022 Chinese, and without a header."""
    expected = scores_of(read_mqm(lines(*ROWS)))
    assert scores_of(read_mqm(lines(*[row[:9] for row in ROWS], header=OLD))) == expected
    assert scores_of(read_mqm(lines(*[row[:9] for row in ROWS], header=None))) == expected
    chinese = [
        [2022, "en", "zh", row[1], row[2], row[0], row[4], "s", "r", row[6], row[7], row[8]] for row in ROWS
    ]
    found = read_mqm(lines(*chinese, header=CHINESE))
    assert found.segments == ("d1:1", "d2:2")
    assert {(a, s[-1], j): score for (a, s, j), score in scores_of(found).items()} == expected


def test_weights_can_be_given():
    """By severity, by category, and for any severity; the others stay."""
    given = read_mqm(lines(*ROWS), weights={"major": 10, "Style/*": 3, "accuracy/omission/neutral": 0.5})
    expected = {**BY_HAND, ("A", "1", "r1"): -11.1, ("B", "2", "r2"): -3.5}
    assert scores_of(given) == pytest.approx(expected)
    reading = read_any(lines(*ROWS), bt.Options(mqm_weights={"major": 10}))
    assert scores_of(reading.tables[0])["A", "1", "r1"] == pytest.approx(-11.1)


def test_unknown_severities_are_listed_and_refused():
    """All of them, with their counts; a weight settles it."""
    typo = error("A", 2, "r1", "Accuracy", "maior", doc="d2")
    rows = [*ROWS, error("A", 2, "r1", "Style", "Critical", doc="d2"), typo, typo]
    with pytest.raises(bt.ReadError, match=r"maior \(Accuracy\): 2, Critical \(Style\): 1\.") as raised:
        read_mqm(lines(*rows))
    assert raised.value.code == "BT150"
    found = read_mqm(lines(*rows), weights={"Critical": 10, "maior": 5})
    assert scores_of(found)["A", "2", "r1"] == -20


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf"), "5", True])
def test_a_weight_is_a_number(weight):
    """Of 0 or more."""
    with pytest.raises(bt.BetterThanError, match='The weight of "Major" must be a non-negative number'):
        read_mqm(lines(*ROWS), weights={"Major": weight})


@pytest.mark.parametrize("key", ["", "*", "/Major", "Fluency/", "Fluency//Minor"])
def test_a_key_names_a_severity(key):
    """With or without a category."""
    with pytest.raises(bt.BetterThanError, match="is not a key of a weight"):
        Weights({key: 1})


@given(
    st.lists(
        st.tuples(
            st.sampled_from("AB"),
            st.sampled_from("12"),
            st.sampled_from(["r1", "r2"]),
            st.sampled_from(
                ["Accuracy/Addition", "Fluency/Punctuation", "Fluency/Punctuation/Comma", "Non-translation"]
            ),
            st.sampled_from(["Major", "Minor", "MINOR", "neutral"]),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_sums_are_those_of_a_plain_loop(rows):
    """Weights looked up by plain rules."""
    expected = {}
    for system, segment, rater, category, severity in rows:
        weight = {"major": 5, "minor": 1, "neutral": 0}[severity.lower()]
        if category.startswith("Fluency/Punctuation") and severity.lower() == "minor":
            weight = 0.1
        if category == "Non-translation":
            weight = 25
        key = (system, segment, rater)
        expected[key] = expected.get(key, 0) - weight
    assert scores_of(read_mqm(lines(*[error(*row) for row in rows]))) == pytest.approx(expected)


def test_short_rows_are_left_out_and_counted():
    """With their lines, as a problem and in the notes."""
    reading = read_any(lines(ROWS[0], ["A", "d1", "1"], *ROWS[1:]))
    assert reading.dropped == {"too few cells": 1}
    assert (reading.rows_read, reading.rows_kept) == (9, 8)
    assert reading.problems[0].code == "BT012"
    assert reading.problems[0].place.endswith("line 3")
    assert "1 rows were left out: too few cells (lines 3)." in reading.notes
    assert scores_of(reading.tables[0]) == pytest.approx(BY_HAND)


def test_attention_checks_weigh_nothing():
    """They are counted in a note."""
    ratings = read_mqm(lines(*ROWS, error("A", 1, "r2", "Found", "HOTW-test")))
    assert scores_of(ratings) == pytest.approx(BY_HAND)
    assert ratings.notes[-1] == "1 attention checks (HOTW-test) have weight 0."


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (
            "a\tb\n1\t2\n",
            "BT021",
            "This is not an MQM annotation file: it needs the columns system, rater, category and severity",
        ),
        ("system\trater\tcategory\tseverity\nA\tr\tx\tMajor\n", "BT021", "No column numbers the segments"),
        (
            "system\tseg_id\trater\tcategory\tseverity\n\t1\tr\tx\tMajor\n",
            "BT105",
            "line 2: The row names no system",
        ),
        ("system\tseg_id\trater\tcategory\tseverity\nA\t1\n", "BT011", "no complete rows"),
    ],
)
def test_what_is_no_annotation_is_refused(text, code, message):
    """With its place."""
    with pytest.raises(bt.ReadError, match=message) as raised:
        read_mqm(io.StringIO(text))
    assert raised.value.code == code


def test_documents_are_optional():
    """No document, no groups."""
    found = read_mqm(
        io.StringIO("system\tseg_id\trater\tcategory\tseverity\nA\t1\tr\tx\tMajor\nB\t1\tr\tx\tMinor\n")
    )
    assert found.groups is None
    assert scores_of(found) == {("A", "1", "r"): -5, ("B", "1", "r"): -1}


def test_a_gzipped_file_is_read(tmp_path):
    """From disk, recognized or by the name of the format."""
    path = tmp_path / "mqm.tsv.gz"
    path.write_bytes(gzip.compress(lines(*ROWS).getvalue().encode()))
    assert scores_of(read_mqm(path)) == pytest.approx(BY_HAND)
    for reading in (read_any(path), read_any(path, format="mqm")):
        assert reading.format.name == "mqm"
        assert reading.notes == ("MQM: 8 rows of mqm became 4 ratings.",)


def test_quotes_of_csv_are_read_where_they_explain_the_row():
    """A cell with a tab or a line end, quoted as CSV quotes it; the line numbers stay those of the file."""
    told = [
        error("A", 1, "r1", "Accuracy/Mistranslation", "Major", target='one\ttwo "three"'),
        error("A", 1, "r1", "Fluency/Grammar", "Minor", target="first\nsecond\nthird"),
        error("B", 1, "r1", "No-error", "No-error"),
    ]
    stream = io.StringIO()
    csv.writer(stream, delimiter="\t", lineterminator="\n").writerows([NEW, *told])
    reading = read_any(io.StringIO(stream.getvalue() + "A\td1\n"))
    assert scores_of(reading.tables[0]) == {("A", "1", "r1"): -6, ("B", "1", "r1"): 0}
    assert (reading.rows_read, reading.rows_kept) == (4, 3)
    assert reading.problems[0].place.endswith("line 7")


def test_every_cell_may_be_quoted():
    """As some exports do; severities are still severities."""
    stream = io.StringIO()
    csv.writer(stream, delimiter="\t", quoting=csv.QUOTE_ALL).writerows([NEW, *ROWS])
    assert scores_of(read_mqm(io.StringIO(stream.getvalue()))) == pytest.approx(BY_HAND)


def test_a_stray_quotation_mark_takes_only_its_own_row():
    """The rows below a short row with an open quote are not swallowed."""
    short = ["A", "d1", "1", "1", "r1", '"open']
    reading = read_any(lines(short, *ROWS))
    assert reading.dropped == {"too few cells": 1}
    assert scores_of(reading.tables[0]) == pytest.approx(BY_HAND)


def test_a_constant_number_does_not_join_segments():
    """Who has no numbers through the test set writes 0 everywhere: then document and place name the segment."""
    rows = [[*row[:3], 0, *row[4:]] for row in ROWS]
    found = read_mqm(lines(*rows))
    assert found.segments == ("d1:1", "d2:2")
    assert {(a, s[-1], j): score for (a, s, j), score in scores_of(found).items()} == pytest.approx(BY_HAND)
    assert found.notes[-1] == "1 numbers denote 2 segments, so a segment is named document:number."


def test_annotations_are_read_by_every_door(tmp_path):
    """read_ratings recognises the layout; read_scores averages over raters."""
    path = tmp_path / "mqm.tsv"
    path.write_text(lines(*ROWS).getvalue(), encoding="utf-8")
    assert scores_of(bt.read_ratings(path)) == pytest.approx(BY_HAND)
    scores = bt.read_scores(path)
    assert scores.values[scores.systems.index("A"), 0] == pytest.approx(-6.1 / 2)


def fuzz(text, trials):
    """Damaged in many ways."""
    rng = random.Random(f"mqm {trials}")  # noqa: S311  (not for secrets)
    return {
        outcome(lambda data: read_any(data, format="mqm"), io.BytesIO(damaged(text.encode(), rng)))
        for _ in range(trials)
    }


def test_damaged_files_give_a_table_or_our_error():
    """Never a foreign exception."""
    assert {"table", "BT150", "BT021"} <= fuzz(lines(*ROWS).getvalue(), 100)


@pytest.mark.slow
def test_many_damaged_files_give_a_table_or_our_error():
    """The same, often."""
    assert {"table", "BT150", "BT021", "BT105"} <= fuzz(lines(*ROWS).getvalue(), 600)
