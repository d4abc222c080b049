"""OK/BAD labels of words, gold and predicted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.errors import TableError
from betterthan.tables.tags import WordTags


def tagged(lengths, **more):
    """A table of one system with segments of these lengths, all words OK."""
    words = sum(lengths)
    fits = {
        "systems": ["A"],
        "segments": [str(i) for i in range(len(lengths))],
        "gold": np.zeros(words, dtype=bool),
        "predicted": np.zeros((1, words), dtype=bool),
        "offsets": np.cumsum([0, *lengths]),
    }
    return WordTags(**{**fits, **more})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold": [0, 1, 0]}, "Gold tags must be True or False, not int64"),
        ({"gold": [[True]]}, "Gold tags must have the shape any, but have 1 × 1"),
        ({"predicted": [[True, False]]}, r"Predicted tags \(systems × words\) must have the shape 1 × 3"),
        ({"predicted": [True, False, True]}, "must have the shape 1 × 3, but have 3"),
        ({"predicted": [["OK", "OK", "BAD"]]}, "must be True or False, not text"),
        ({"offsets": [0, 3]}, "offsets must have the shape 3, but have 2"),
        ({"offsets": [0, 4, 3]}, "offsets must lie between 0 and 3; found 0 to 4"),
        ({"offsets": [1, 2, 3]}, "offsets must increase from 0 to the number of words, 3."),
        ({"offsets": [0, 1, 2]}, "offsets must increase from 0 to the number of words, 3."),
        ({"offsets": [0.0, 2.0, 3.0]}, r"offsets must be whole numbers \(indices\), not float64"),
        ({"groups": ["d"]}, "There are 1 groups for 2 segments"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    """A tag is never guessed from a number or a text."""
    with pytest.raises(TableError, match=message):
        tagged([2, 1], **change)


def test_offsets_never_fall():
    """Even if they end in the right place."""
    with pytest.raises(TableError, match="offsets must increase from 0"):
        tagged([1, 1, 1], offsets=[0, 2, 1, 3])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_each_word_belongs_to_its_segment(lengths):
    """Also between and behind segments without a word."""
    tags = tagged(lengths)
    expected = [segment for segment, length in enumerate(lengths) for _ in range(length)]

    assert tags.segment_of_word.tolist() == expected
    assert tags.n_words == sum(lengths)
    for segment, length in enumerate(lengths):
        assert tags.offsets[segment + 1] - tags.offsets[segment] == length


def test_a_table_without_words_survives_json():
    """Segments may be empty, all of them."""
    empty = tagged([0, 0])

    assert WordTags.from_dict(empty.to_dict()) == empty
    assert repr(empty) == "WordTags(1 systems, 2 segments, 0 words)"


def test_tags_of_a_dictionary_are_not_guessed():
    """The text "OK" would be true."""
    with pytest.raises(TableError, match="Gold tags must be True or False, not text"):
        WordTags.from_dict({**tagged([1]).to_dict(), "gold": ["OK"]})


def test_the_text_says_the_share_of_bad_words():
    """In percent."""
    shown = repr(tagged([3], gold=[True, False, False]))

    assert shown == "WordTags(1 systems, 1 segments, 3 words, 33.3% BAD)"
