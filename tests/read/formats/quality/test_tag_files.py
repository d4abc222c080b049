"""OK and BAD, one sentence a line."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from betterthan.errors import ReadError
from betterthan.read.formats.quality.tag_files import read_file, read_tags, sniff_file
from betterthan.read.protocol import Options
from betterthan.read.source.source import open_source


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def writer(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return writer


def test_gold_and_predictions_become_a_table(write):
    """True is BAD."""
    gold = write("gold.tags", "OK BAD\nOK\n")
    tags = read_tags(gold, [write("ours.tags", "OK OK\r\nBAD"), f"base={gold}"])
    assert tags.systems == ("ours", "base")
    assert tags.gold.tolist() == [False, True, False]
    assert tags.predicted.tolist() == [[False, False, True], [False, True, False]]
    assert tags.offsets.tolist() == [0, 2, 3]
    assert tags.notes == ()


def test_case_blanks_gzip_and_good_are_tolerated_and_told(write):
    """GOOD is OK, with a note."""
    gold = write("gold.tags", "ok  Bad\tOK \n\n")
    good = write("a.tags.gz", gzip.compress(b"GOOD BAD good\n\n"))
    tags = read_tags(gold, {"a": good})
    assert tags.predicted.tolist() == [tags.gold.tolist()]
    assert tags.notes == (
        f"{gold}: lines without a tag, kept as empty sentences: 1.",
        f"{good}: GOOD was read as OK (2 times).",
        f"{good}: lines without a tag, kept as empty sentences: 1.",
    )


@pytest.mark.parametrize("word", ["BAAD", "1", "OK,BAD", "OK\u2028BAD", "x" * 100])
def test_a_word_that_is_no_tag_is_placed(write, word):
    """File, line and position."""
    gold = write("gold.tags", f"OK\nBAD {word}\n")
    with pytest.raises(ReadError) as caught:
        read_tags(gold, [gold])
    assert caught.value.code == "BT140"
    assert str(caught.value).startswith(f'{gold}, line 2: Word 2 is "{word[:40]}')
    assert "but every word must be OK or BAD" in str(caught.value)


def test_unequal_numbers_of_lines_name_both_files(write):
    """Both counts too."""
    gold, ours = write("gold.tags", "OK\nOK\n"), write("ours.tags", "OK\n")
    with pytest.raises(ReadError) as caught:
        read_tags(gold, ours)
    assert caught.value.code == "BT141"
    assert str(caught.value).startswith(f"{ours}: This file has 1 lines, but {gold} has 2.")


@pytest.mark.parametrize(
    ("line", "cure"),
    [
        ("OK OK OK", "Tag the same words in both."),
        ("OK OK OK OK OK", "The longer one seems to have gap tags (2N + 1); keep every second tag."),
    ],
)
def test_unequal_numbers_of_tags_name_both_files_and_the_line(write, line, cure):
    """Gap tags are the usual cause."""
    gold, ours = write("gold.tags", "OK\nOK BAD\n"), write("ours.tags", f"OK\n{line}\n")
    with pytest.raises(ReadError) as caught:
        read_tags(gold, ours)
    assert caught.value.code == "BT142"
    assert str(caught.value) == (
        f"{ours}, line 2: This line has {len(line.split())} tags, but the same line of {gold} has 2. {cure}"
    )


def test_names_and_files_are_checked(write):
    """As for texts."""
    gold = write("gold.tags", "OK\n")
    with pytest.raises(ReadError, match='are both called "gold"'):
        read_tags(gold, [gold, gold])
    with pytest.raises(ReadError, match="No prediction was given"):
        read_tags(gold, [])
    with pytest.raises(ReadError, match="There is no such file"):
        read_tags("no.tags", [gold])


def test_a_lone_file_is_counted_but_is_no_table(write):
    """There is nothing to compare it with, and nothing is made up."""
    reading = read_file(open_source(write("a.tags", "OK BAD OK\n" * 5)), Options())
    assert reading.tables == ()
    assert reading.rows_read == 5
    assert reading.notes == (
        "Sentences: 5; tags: 15; BAD: 33.3%.",
        "Every line has an odd number of tags, so gap tags (2N + 1) may be among them.",
        "One file of tags does not evaluate a system; read it together with the gold tags: GOLD PREDICTION.",
    )


@pytest.mark.parametrize(
    ("name", "text", "confidence"),
    [
        ("a.tags", "OK BAD\n", 0.98),
        ("a.source_tags", "OK BAD\n", 0.98),
        ("a.txt", "OK BAD\nbad\n", 0.9),
        ("a.txt", "OK BAD\n" * 20_000, 0.9),
        ("a.tags", "OK BAAD\n", 0.5),
        ("a.txt", "OK then\n", None),
    ],
)
def test_tags_are_recognised_by_their_words_or_name(write, name, text, confidence):
    """A misspelt .tags file is still one, so that its mistake is placed."""
    guess = sniff_file(open_source(write(name, text)))
    assert (guess and guess.confidence) == confidence


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sentences=st.lists(st.lists(st.booleans()), min_size=1).filter(any))
def test_what_was_written_is_read_back(write, sentences):
    """Tags → file → tags."""
    text = "".join(" ".join("BAD" if bad else "OK" for bad in row) + "\n" for row in sentences)
    path = write("a.tags", text)
    tags = read_tags(path, [path])
    assert tags.gold.tolist() == tags.predicted[0].tolist() == [bad for row in sentences for bad in row]
    assert np.diff(tags.offsets).tolist() == [len(row) for row in sentences]
