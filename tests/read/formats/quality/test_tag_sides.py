"""Words and gaps: which tag belongs to what."""

from __future__ import annotations

import pytest

from betterthan.errors import BetterThanError, ReadError
from betterthan.read.formats.quality.tag_files import read_tags

WITH_GAPS = "OK BAD OK OK BAD\nBAD OK OK\n"  # gap word gap word gap; gap word gap


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def writer(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writer


def test_words_and_gaps_take_turns(write):
    """Gaps stand at even places, from 0."""
    gold = write("gold.tags", WITH_GAPS)
    words, gaps = (read_tags(gold, [gold], side=side) for side in ("mt", "gap"))
    assert words.gold.tolist() == [True, False, False]
    assert words.offsets.tolist() == [0, 2, 3]
    assert gaps.gold.tolist() == [False, False, True, True, False]
    assert gaps.predicted.tolist() == [gaps.gold.tolist()]
    assert gaps.offsets.tolist() == [0, 3, 5]


def test_the_translations_tell_that_there_are_gaps(write):
    """Words are taken then, with a note; gaps on request."""
    gold, mt = write("gold.tags", WITH_GAPS), write("test.mt", "das Haus\nHaus\n")
    words = read_tags(gold, [gold], mt=mt)
    assert words.gold.tolist() == [True, False, False]
    assert words.notes == (
        'Gap tags are present (2N + 1); words and gaps are scored separately, gaps with side="gap".',
    )
    gaps = read_tags(gold, [gold], mt=mt, side="gap")
    assert gaps.gold.size == 5
    assert gaps.notes == ()


@pytest.mark.parametrize(
    ("mt", "notes"), [("a b\nc\n", 0), ("a\n\n", 1)], ids=["a tag a word", "and the end"]
)
def test_tags_without_gaps_are_kept_as_they_are(write, mt, notes):
    """N tags, or one more for the end of the sentence, which is told."""
    gold = write("gold.tags", "OK BAD\nOK\n")
    tags = read_tags(gold, [gold], mt=write("test.mt", mt))
    assert tags.gold.tolist() == [False, True, False]
    assert len(tags.notes) == notes
    assert all("<EOS>" in note for note in tags.notes)


def test_gaps_that_are_not_there_are_refused(write):
    """By the translations, or by an even number of tags."""
    gold, mt = write("gold.tags", "OK BAD\nOK\n"), write("test.mt", "a b\nc\n")
    with pytest.raises(BetterThanError, match=r"There are no gap tags: every word of .* has one tag"):
        read_tags(gold, [gold], mt=mt, side="gap")
    with pytest.raises(BetterThanError, match=r"Segment 1 has 2 tags; .* odd number \(2N \+ 1\)"):
        read_tags(gold, [gold], side="gap")
    with pytest.raises(BetterThanError, match='Unknown side "gapp"'):
        read_tags(gold, [gold], side="gapp")


def test_a_line_that_does_not_fit_is_placed(write):
    """The one that differs from the rest, with both numbers."""
    gold = write("gold.tags", "OK BAD\nOK\nOK OK OK\n")
    with pytest.raises(ReadError, match="This line has 4 tokens, but 1 tags") as caught:
        read_tags(gold, [gold], mt=write("test.mt", "a b\nc d e f\ng h i\n"))
    assert (caught.value.line, caught.value.code) == (2, "BT142")
    with pytest.raises(ReadError, match="This file has 1 lines, but there are 3 lines of tags") as caught:
        read_tags(gold, [gold], mt=write("test.mt", "a b\n"))
    assert caught.value.code == "BT141"
