"""Lists of segments: recognized and counted; they hold nothing to compare."""

from __future__ import annotations

import io
import random

import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.read.sniff import read_any, sniff

TEXT = "lp\tseg_id\tdoc\tdoc_seg_id\nen-de\t1\td1\t1\nen-de\t2\td1\t2\nen-de\t3\td2\t1\nzh-en\t1\te1\t1\n"


def test_segments_are_counted_by_language_pair(tmp_path):
    """And check has no fault to find."""
    path = tmp_path / "segments.tsv"
    path.write_text(TEXT, encoding="utf-8")
    found = bt.check(path)
    assert (found.format, found.exit_code, found.rows_read, found.rows_kept) == ("segments", 0, 4, 4)
    assert found.notes[0] == "en-de: 3 segments in 2 documents, zh-en: 1 segments in 1 documents."


def test_there_are_no_scores_in_it():
    """It says so."""
    with pytest.raises(bt.ReadError, match="There are no scores in it") as caught:
        bt.read_scores(io.StringIO(TEXT))
    assert caught.value.code == "BT022"


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("id,doc,A,B\n1,d,1,2\n2,d,3,4\n", "wide"),
        ("id,doc,system,score\n1,d,A,1\n1,d,B,2\n", "long"),
        ("id,system,text\n1,A,x\n", "texts_table"),
    ],
)
def test_tables_with_anything_else_are_something_else(text, format):  # noqa: A002
    """Scores and texts go first."""
    assert sniff(io.StringIO(text)).format == format


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (TEXT + "zh-en\t1\te1\t1\n", "BT101", 'line 6: Segment "1" occurs twice in the list'),
        (TEXT + "zh-en\t\te1\t1\n", "BT105", "line 6: The row names no segment"),
        ("lp\tdoc\na\tb\n", "BT021", "No column names the item"),
    ],
)
def test_damage(text, code, message):
    """Every damage has its place and its cure."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="segments")
    assert caught.value.code == code


def fuzz(trials):
    """Damaged in many ways."""
    rng = random.Random(f"segments {trials}")  # noqa: S311  (not for secrets)
    return {
        outcome(lambda data: read_any(data, format="segments"), io.BytesIO(damaged(TEXT.encode(), rng)))
        for _ in range(trials)
    }


def test_damaged_files_are_counted_or_refused():
    """Never a foreign exception."""
    assert {"table", "BT012", "BT101"} <= fuzz(100)


@pytest.mark.slow
def test_many_damaged_files_are_counted_or_refused():
    """The same, often."""
    assert {"table", "BT012", "BT101"} <= fuzz(600)
