"""Single grades of MT-bench: turns of questions as segments, failed answers missing, damage named."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from tests.read.test_damage_battles import check_message, damaged

import betterthan as bt
from betterthan.errors import BetterThanError, ReadError
from betterthan.read.sniff import read_any, sniff

GRADES = {
    "Kea": {(81, 1): 9, (81, 2): 7.5, (82, 1): 8, (82, 2): -1},
    "Tui": {(81, 1): 4, (81, 2): 5, (82, 1): -1, (82, 2): 6},
}
ROWS = [
    {
        "question_id": question,
        "model": model,
        "judge": ["gpt-4", "single-v1"],
        "user_prompt": "[Question]\nSay\u2028hi.",
        "judgment": f"Rating: [[{grade}]]",
        "score": grade,
        "turn": turn,
        "tstamp": 1687222831.5,
    }
    for model, grades in GRADES.items()
    for (question, turn), grade in grades.items()
]


def written(tmp_path, rows=ROWS, name="gpt-4_single.jsonl"):
    """Write rows as JSON lines."""
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_grades_are_models_by_turns_of_questions(tmp_path):
    """Named after the file; the document is the question; −1 is missing and counted."""
    path = written(tmp_path)
    assert (sniff(path).format, sniff(path).kind) == ("mt_bench", "scores")
    scores = bt.read_scores(path)
    assert (scores.name, scores.systems) == ("gpt-4_single", ("Kea", "Tui"))
    assert scores.segments == ("81:1", "81:2", "82:1", "82:2")
    assert scores.groups == ("81", "81", "82", "82")
    nan = np.nan
    np.testing.assert_array_equal(scores.values, [[9, 7.5, 8, nan], [4, 5, nan, 6]])
    assert scores.higher_is_better
    checkup = bt.check(path)
    assert (checkup.format, checkup.rows_read, checkup.rows_kept) == ("mt_bench", 8, 6)
    assert checkup.dropped == {"no grade": 2}
    assert "2 answers of the judge had no grade (−1); these scores are missing." in checkup.notes


def test_means_are_those_of_the_benchmark(tmp_path):
    """The average over both turns without failed answers, as FastChat's table of results has it."""
    scores = bt.read_scores(written(tmp_path))
    for system, values in zip(scores.systems, scores.values, strict=True):
        good = [grade for grade in GRADES[system].values() if grade != -1]
        assert np.nanmean(values) == pytest.approx(sum(good) / len(good))


def test_the_order_of_rows_does_not_matter(tmp_path):
    """Segments are found by question and turn."""
    first, second = (bt.read_scores(written(tmp_path, rows)) for rows in (ROWS, ROWS[::-1]))
    for system in first.systems:
        for segment in first.segments:
            one, other = (
                table.values[table.systems.index(system), table.segments.index(segment)]
                for table in (first, second)
            )
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"turn": 0}, "BT313", '"0" is not a turn'),
        ({"turn": 1.5}, "BT313", '"1.5" is not a turn'),
        ({"turn": None}, "BT313", "is not a turn"),
        ({"turn": 1e300}, "BT313", "is not a turn"),
        ({"score": -2}, "BT313", '"-2" is not a grade'),
        ({"score": "nine"}, "BT013", "is not a number"),
        ({"score": 1e400}, "BT014", "infinite"),
        ({"model": ""}, "BT105", 'The row names no "model"'),
        ({"model": {"a": 1}}, "BT025", "is not a name"),
        ({"question_id": None}, "BT105", 'The row names no "question_id"'),
        ({}, "BT101", 'Segment "81:1" of system "Kea" was already given in line 1'),
    ],
)
def test_a_damaged_row_is_named_with_its_line(tmp_path, change, code, message):
    """Also a grade that was given twice."""
    path = written(tmp_path, [*ROWS, {**ROWS[0], **change}])
    with pytest.raises(ReadError) as caught:
        read_any(path, format="mt_bench")
    assert (caught.value.code, caught.value.line) == (code, 9)
    assert message in str(caught.value)


def test_a_grade_given_twice_may_be_the_last(tmp_path):
    """And the account of rows stays whole, also when the repeated one has no grade."""
    path = written(tmp_path, [*ROWS, {**ROWS[0], "score": 2}, ROWS[-2]])
    scores = bt.read_scores(path, duplicates="last")
    assert scores.values[0, 0] == 2
    reading = read_any(path, bt.read.protocol.Options(duplicates="last"))
    assert reading.rows_read == reading.rows_kept + sum(reading.dropped.values()) == 10


def test_other_tables_are_left_to_their_readers(tmp_path):
    """Without turns it is a long table, and so it is when the columns are named."""
    rows = [{"question_id": i, "model": m, "score": i} for i in (1, 2) for m in "AB"]
    assert sniff(written(tmp_path, rows)).format == "long"
    named = [{**row, "turn": "first"} for row in rows]
    assert sniff(written(tmp_path, named)).format == "long"
    with pytest.raises(ReadError, match="Columns question_id, model, score and turn are needed") as caught:
        read_any(written(tmp_path, rows), format="mt_bench")
    assert caught.value.code == "BT312"


WHOLE = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
DEEP = b'{"question_id": ' + b"[" * 100_000 + b"]" * 100_000 + b', "model": "A", "score": 1, "turn": 1}\n'


def outcome(path, data):
    """Read damaged bytes; return the code of our error, or "table"."""
    path.write_bytes(data)
    try:
        read_any(path)
        read_any(path, format="mt_bench")
    except BetterThanError as error:
        check_message(error, str(path))
        return getattr(error, "code", None) or type(error).__name__
    return "table"


@pytest.mark.parametrize("trials", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_damage_never_gives_a_foreign_exception(tmp_path, trials):
    """Cut, flipped, doubled, with NUL bytes and foreign encodings."""
    rng = random.Random(f"mt_bench {trials}")  # noqa: S311
    seen = {outcome(tmp_path / "gpt-4_single.jsonl", damaged(WHOLE, rng)) for _ in range(trials)}
    assert "table" in seen
    assert len(seen) > 3


@pytest.mark.parametrize("data", [DEEP, DEEP + WHOLE, WHOLE.replace(b": 9,", b": 1" + b"0" * 5000 + b",")])
def test_deep_and_huge_values_are_refused(tmp_path, data):
    """Nested a hundred thousand times, and a number of five thousand digits."""
    assert outcome(tmp_path / "a.jsonl", data).startswith("BT")
