"""Direct assessments of a crowd: single judgments, and means of segments."""

import io
import random

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.read.sniff import read_any, sniff

HEADER = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"


def row(worker, system, kind, segment, score, *, target="deu"):
    """A row, with tabs although the header has blanks."""
    return f"h1\t{worker}\teng\t{target}\t7\t1\t{system}\tr\t{kind}\t{segment}\t{score}\t12.5"


JUDGED = "\n".join(
    [
        HEADER,
        row("w1", "A.7", "SYSTEM", "1", "0.5"),
        row("w1", "B.9", "SYSTEM", "1", "-1.25"),
        row("w1", "B.9", "REPEAT", "1", "-1"),
        row("w2", "A.7", "BAD_REF", "2", "-2"),
        row("w2", "A.7", "REF", "2", "2"),
        row("w2", "A.7", "SYSTEM", "2", "0"),
        row("w2", "A.7", "SYSTEM", "2", "0.75"),
        row("w2", "B.9", "SYSTEM", "2", "NA"),
        "",
    ]
)
MEANS = """\
SYS SID RAW.SCR Z.SCR N
A.7 1 80 0.5 2
A.7 2 60.5 -0.25 1
B.9 1 70 0.125 3
B.9 3 NA NA 0
""".replace("\n", " \n")


def test_judgements_of_systems_are_kept_and_the_rest_is_counted():
    """By type; the last of two judgments by one worker counts; NA is missing."""
    reading = read_any(io.StringIO(JUDGED))
    (ratings,) = reading.tables
    got = zip(ratings.system, ratings.segment, ratings.judge, ratings.score.tolist(), strict=True)
    named = {(ratings.systems[a], ratings.segments[s], ratings.judges[j]): score for a, s, j, score in got}
    assert named == {("A.7", "1", "w1"): 0.5, ("B.9", "1", "w1"): -1.25, ("A.7", "2", "w2"): 0.75}
    assert reading.dropped == {
        "quality control (REPEAT)": 1,
        "quality control (BAD_REF)": 1,
        "quality control (REF)": 1,
        "no score": 1,
        "judged again by the same judge": 1,
    }
    assert (reading.rows_read, reading.rows_kept) == (8, 3)
    assert (ratings.name, ratings.higher_is_better) == ("DA z", True)


def test_means_become_two_metrics():
    """Raw and standardized, by name and not by order; what is not there is missing."""
    tables = bt.read_metrics(io.StringIO(MEANS))
    raw, z = tables["RAW.SCR"], tables["Z.SCR"]
    nan = np.nan
    assert (raw.systems, raw.segments) == (("A.7", "B.9"), ("1", "2", "3"))
    assert np.array_equal(raw.values, [[80, 60.5, nan], [70, nan, nan]], equal_nan=True)
    assert np.array_equal(z.values, [[0.5, -0.25, nan], [0.125, nan, nan]], equal_nan=True)
    assert raw.notes[0] == "A segment of a system has 1.5 judgments (median)."
    shuffled = "\n".join([MEANS.split("\n")[0], *reversed(MEANS.split("\n")[1:])])
    again = bt.read_scores(io.StringIO(shuffled), metric="Z.SCR")
    assert again.values[again.systems.index("B.9"), again.segments.index("1")] == 0.125
    assert not bt.read_scores(io.StringIO(MEANS), metric="Z.SCR", lower_is_better=True).higher_is_better


def test_the_layouts_are_recognised():
    """By their headers."""
    assert sniff(io.StringIO(JUDGED)).format == "crowd_da"
    assert sniff(io.StringIO(MEANS)).format == "crowd_scores"
    assert sniff(io.StringIO("system\tscore\nA\t1\nA\t2\n")).format == "long"


def test_language_pairs_are_tables_of_their_own():
    """Named after the pair."""
    text = JUDGED + row("w3", "C.1", "SYSTEM", "1", "1", target="fra") + "\n"
    assert [table.name for table in read_any(io.StringIO(text)).tables] == ["DA z eng-deu", "DA z eng-fra"]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (JUDGED.replace("\tSYSTEM\t1\t0.5", "\tSYS\t1\t0.5"), "BT174", 'Unknown types of items: "SYS": 1'),
        (JUDGED.replace("\t0.5\t", "\tx\t"), "BT013", 'line 2: "x" is not a number'),
        (JUDGED.replace("\t0.5\t", "\t"), "BT012", "line 2: The row has 11 cells between tabs"),
        (JUDGED.replace("\tw1\t", "\t\t", 1), "BT105", "line 2: The cell WorkerId is empty"),
        (JUDGED.replace("sys_id", "system"), "BT021", "No column is called sys_id"),
        (JUDGED.replace("rid", "sid"), "BT017", "Two columns have the same name"),
        (HEADER + "\n", "BT011", "There are no rows below the header"),
    ],
)
def test_damaged_judgements(text, code, message):
    """Every damage has its place and its cure."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="crowd_da")
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (MEANS + "A.7 1 80 0.5 2\n", "BT101", 'line 6: Segment "1" of system "A.7" already has a score'),
        (MEANS.replace("60.5", "6o.5"), "BT013", 'line 3: "6o.5" is not a number'),
        (MEANS.replace("60.5", "1e999"), "BT014", 'line 3: "1e999" is infinite'),
        (MEANS.replace("60.5 ", ""), "BT177", "line 3: The line has 4 fields"),
        ("SYS SID RAW.SCR Z.SCR N\n", "BT011", "There are no rows below the header"),
    ],
)
def test_damaged_means(text, code, message):
    """Every damage has its place and its cure."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="crowd_scores")
    assert caught.value.code == code


def fuzz(name, text, trials):
    """Damaged in many ways."""
    rng = random.Random(f"{name} {trials}")  # noqa: S311  (not for secrets)
    return {
        outcome(lambda data: read_any(data, format=name), io.BytesIO(damaged(text.encode(), rng)))
        for _ in range(trials)
    }


CASES = [("crowd_da", JUDGED, "BT012"), ("crowd_scores", MEANS, "BT177")]


@pytest.mark.parametrize(("name", "text", "code"), CASES)
def test_damaged_files_give_a_table_or_our_error(name, text, code):
    """Never a foreign exception."""
    assert {"table", code} <= fuzz(name, text, 100)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text", "code"), CASES)
def test_many_damaged_files_give_a_table_or_our_error(name, text, code):
    """The same, often."""
    assert {"table", code} <= fuzz(name, text, 600)
