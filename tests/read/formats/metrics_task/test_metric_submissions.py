"""Files of the metrics task: the fields of all years, what differs in the names, and what is refused."""

from __future__ import annotations

import gzip
import io
import random

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.read.sniff import read_any, sniff

# As the task pages of 2019 and 2023 describe them.
SEG19 = """chrF de-en newstest2019 online-A.0 1 0.5 non-ensemble no
chrF de-en newstest2019 online-A.0 2 0.25 non-ensemble no
chrF de-en newstest2019 MSRA.7 2 0.75 non-ensemble no
chrF de-en newstest2019 MSRA.7 1 NaN non-ensemble no
"""
SYS19 = "BLEU\tde-en\tnewstest2019\tA.0\t30.5\tnon-ensemble\tno\nBLEU\tde-en\tnewstest2019\tB.7\t31\tensemble\tno\n"
SYS23 = """COMET\ten-de\tgeneraltest2023\tall\trefA\tA\t0.8
COMET\ten-de\tgeneraltest2023\tall\trefA\tB\t0.75
COMET\ten-de\tgeneraltest2023\tnews\trefA\tA\t0.9
COMET\ten-de\tgeneraltest2023\tnews\trefA\tB\t0.7
"""
SEG23 = """COMET\ten-de\tgeneraltest2023\tnews\trefA\tA\td1\t1\t0.5
COMET\ten-de\tgeneraltest2023\tnews\trefA\tB\td1\t1\t0.25
COMET\ten-de\tgeneraltest2023\tnews\trefA\tA\td2\t2\t0.75
COMET\ten-de\tgeneraltest2023\tnews\trefA\tB\td2\t2\tNone
"""
SEG22 = SEG23.replace("\td1", "").replace("\td2", "")
FILES = {"seg19": SEG19, "sys19": SYS19, "sys23": SYS23, "seg23": SEG23, "seg22": SEG22}


def read(text, **options):
    """Read a text."""
    return read_any(io.StringIO(text), bt.Options(**options))


@pytest.mark.parametrize("name", FILES)
def test_every_year_is_recognised(name, tmp_path):
    """By its fields; a name such as METRIC.seg.score, which has another meaning elsewhere, does not mislead."""
    path = tmp_path / "chrF.seg.score.gz"
    path.write_bytes(gzip.compress(FILES[name].encode()))
    found = bt.check(path)
    assert (found.format, found.rows_read) == ("submission", 4 if name != "sys19" else 2)
    assert found.because.startswith("each line is METRIC LP TESTSET")


def test_segments_of_2019_go_by_their_number():
    """Not by their order; NaN is missing, and never 0."""
    (table,) = read(SEG19).tables
    assert (table.name, table.systems, table.segments) == ("chrF", ("online-A.0", "MSRA.7"), ("1", "2"))
    assert np.array_equal(table.values, [[0.5, 0.25], [np.nan, 0.75]], equal_nan=True)
    lines = SEG19.splitlines(keepends=True)
    (again,) = read("".join(reversed(lines))).tables
    assert again.values[again.systems.index("MSRA.7"), again.segments.index("2")] == 0.75


def test_segments_of_2023_know_their_documents():
    """With or without documents; with one, they are the groups."""
    (table,) = read(SEG23).tables
    assert (table.segments, table.groups) == (("1", "2"), ("d1", "d2"))
    assert np.array_equal(table.values, [[0.5, 0.75], [0.25, np.nan]], equal_nan=True)
    (other,) = read(SEG22).tables
    assert other.groups is None
    assert np.array_equal(other.values, table.values, equal_nan=True)


def test_numbers_counted_anew_in_each_document():
    """Then the document is part of the segment's name."""
    (table,) = read(SEG23.replace("\td2\t2\t", "\td2\t1\t")).tables
    assert table.segments == ("d1:1", "d2:1")


def test_scores_of_systems_have_one_segment_and_are_not_paired():
    """Domains are tables of their own; read_scores refuses, read_metrics gives them."""
    tables = read(SYS23).tables
    assert [table.name for table in tables] == ["COMET all", "COMET news"]
    assert [table.values.tolist() for table in tables] == [[[0.8], [0.75]], [[0.9], [0.7]]]
    with pytest.raises(bt.ReadError) as caught:
        bt.read_scores(io.StringIO(SYS19))
    assert caught.value.code == "BT103"
    assert bt.read_metrics(io.StringIO(SYS19))["BLEU"].segments == ("system",)


def test_what_differs_is_in_the_names():
    """Language pairs before, references behind."""
    text = SEG23 + SEG23.replace("refA", "refB") + SEG23.replace("en-de", "zh-en")
    names = ["en-de COMET refA", "en-de COMET refB", "zh-en COMET refA"]
    assert [table.name for table in read(text).tables] == names
    assert bt.read_scores(io.StringIO(text), metric="en-de COMET refB").n_segments == 2


def test_direction_is_that_of_the_task():
    """More is better, unless the name says otherwise and no score is negated."""
    assert not read(SEG19.replace("chrF", "TER")).tables[0].higher_is_better
    assert read(SEG19.replace("chrF", "TER").replace(" 0.", " -0.")).tables[0].higher_is_better
    told = bt.read_scores(io.StringIO(SEG19), lower_is_better=True)
    assert not told.higher_is_better


@pytest.mark.parametrize(("keep", "expected"), [("first", 0.5), ("last", 9.0), ("mean", 4.75)])
def test_duplicates_as_asked(keep, expected):
    """Refused unless the user says which counts."""
    text = SEG19 + "chrF de-en newstest2019 online-A.0 1 9 non-ensemble no\n"
    with pytest.raises(
        bt.ReadError, match=r'line 5: Segment "1" of system "online-A\.0" already has a score'
    ) as caught:
        read(text)
    assert caught.value.code == "BT101"
    reading = read(text, duplicates=keep)
    assert reading.tables[0].values[0, 0] == expected
    assert (reading.rows_read, reading.rows_kept, reading.dropped) == (5, 4, {"duplicate": 1})


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("A 1\nA 2\nB 1\nB 2\n", "score_file"),
        ("metric\tlp\ttestset\tsystem\tseg_id\tscore\nx\ten-de\tt\tA\t1\t5\nx\ten-de\tt\tB\t1\t6\n", "long"),
        ("LP DATA SID BETTER WORSE\nde-en newstest 1 A B\n", "better_worse"),
    ],
)
def test_other_layouts_are_left_alone(text, format):  # noqa: A002
    """A header, or other fields."""
    assert sniff(io.StringIO(text)).format == format


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (SEG19 * 20 + "chrF de-en newstest2019 x\n", "BT181", "line 81: A field before the score is missing"),
        (
            SEG19 * 20 + "chrF de-en newstest2019 A 9 x\n",
            "BT013",
            'line 81: "x" is not a number',
        ),
        (
            SEG19 * 20 + "chrF de-en newstest2019 A 9 1e999\n",
            "BT014",
            'line 81: "1e999" is infinite',
        ),
        ("x y z\n", "BT181", "The lines are not METRIC LP TESTSET"),
        ("m de-en t 1 2 0.5\n", "BT181", "The lines are not METRIC LP TESTSET"),
    ],
)
def test_damage(text, code, message):
    """Every damage has its place and its cure."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(io.StringIO(text), bt.Options(duplicates="last"), format="submission")
    assert caught.value.code == code


def fuzz(name, trials):
    """Damaged in many ways."""
    rng = random.Random(f"{name} {trials}")  # noqa: S311  (not for secrets)
    given = FILES[name].encode()
    return {
        outcome(lambda data: read_any(data, format="submission"), io.BytesIO(damaged(given, rng)))
        for _ in range(trials)
    }


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_give_a_table_or_our_error(name):
    """Never a foreign exception."""
    assert {"table", "BT181"} <= fuzz(name, 60)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_many_damaged_files_give_a_table_or_our_error(name):
    """The same, often."""
    assert {"table", "BT181"} <= fuzz(name, 500)
