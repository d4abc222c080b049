"""The checks that every table makes, and their messages."""

import enum
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

import betterthan as bt
from betterthan.errors import TableError, UnknownName
from betterthan.tables.checks import (
    at,
    bool_array,
    check_shape,
    flag,
    float_array,
    group_labels,
    index_array,
    labels,
    note_texts,
    positions,
    text,
)


class Colour(str, enum.Enum):  # noqa: UP042  (the older way, whose text is not its value)
    RED = "red"


@pytest.mark.parametrize(
    "names",
    [
        ["A", "B"],
        ("A", "B"),
        (name for name in "AB"),
        {"A": 1, "B": 2},
        {"A": 1, "B": 2}.keys(),
        np.array(["A", "B"]),
        np.array(["A", "B"], dtype=object),
        pd.Series(["A", "B"]),
        pd.Index(["A", "B"]),
        pd.Categorical(["A", "B"]),
        pl.Series(["A", "B"]),
    ],
    ids=lambda names: type(names).__name__,
)
def test_anything_ordered_that_yields_texts_gives_labels(names):
    """They are plain strings whatever they came in."""
    found = labels(names, what="system")

    assert found == ("A", "B")
    assert {type(name) for name in found} == {str}


def test_text_of_a_subclass_becomes_plain_text():
    """An enumeration member gives its value, not its own name."""
    assert repr(labels([Colour.RED, np.str_("b")], what="system")) == "('red', 'b')"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("AB", "systems must be a list of texts, not the single text 'AB'."),
        (b"AB", "systems must be a list of texts, not the single text b'AB'."),
        (7, r"systems must be a list of texts, not int \(7\)."),
        (None, "systems must be a list of texts, not NoneType"),
        ({"A", "B"}, "systems must be in order, and a set has none. Pass a list"),
        (frozenset("A"), "a set has none"),
        ([], "The table has 0 systems; at least 1 system needed."),
        (["A", 1], r"A system name must be text, not int \(1\). Use str\(name\)."),
        (["A", None], "must be text, not NoneType"),
        (pd.Series(["A", None]), "must be text, not "),
        (["A", " \t"], "A system has an empty name. Give every system a name."),
        (["A", ""], "A system has an empty name."),
        (["A", "B", "A", "B", "C"], "these occur more often: A, B. Rename or merge"),
        (
            ["A\udc80"],
            r"The system name 'A\\udc80' contains an unpaired surrogate. Decode the file as UTF-8.",
        ),
    ],
)
def test_what_cannot_be_labels_is_refused(names, message):
    """The message quotes the offending thing."""
    with pytest.raises(TableError, match=message):
        labels(names, what="system")


def test_a_plural_is_asked_for_in_the_plural():
    """At least two systems."""
    with pytest.raises(TableError, match="The table has 1 systems; at least 2 systems needed"):
        labels(["A"], what="system", at_least=2)


def test_labels_are_kept_to_the_letter():
    """Spaces, newlines and composed or decomposed accents are the user's own and are not touched."""
    names = (" A", "A", "a\nb", "é", "e\u0301", "\0")

    assert labels(names, what="segment") == names
    assert text(" A", what="system") == " A"


def test_groups_may_repeat_and_may_be_absent():
    """One label a segment."""
    assert group_labels(None, n_segments=3) is None
    assert group_labels(np.array(["d", "d", "e"]), n_segments=3) == ("d", "d", "e")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["d"], "There are 1 groups for 3 segments; one group per segment is needed."),
        ("doc", "groups must be a list of texts, not the single text 'doc'."),
        ([1, 1, 2], "A group name must be text, not int"),
        (["d", "", "e"], "A group has an empty name."),
    ],
)
def test_groups_that_do_not_fit_are_refused(groups, message):
    """A document name as long as there are segments is not taken for its letters."""
    with pytest.raises(TableError, match=message):
        group_labels(groups, n_segments=3)


def test_notes_are_texts():
    """Any number of them."""
    assert note_texts(note for note in [np.str_("One."), "Two."]) == ("One.", "Two.")


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_a_flag_becomes_a_plain_bool(value):
    """NumPy's own truths cannot be written as JSON."""
    assert flag(value, what="higher_is_better") is bool(value)


@pytest.mark.parametrize("value", [1, 0, "no", None, np.array([True])])
def test_a_flag_is_nothing_but_true_or_false(value):
    """The text "no" would be true."""
    with pytest.raises(TableError, match="higher_is_better must be True or False, not "):
        flag(value, what="higher_is_better")


@pytest.mark.parametrize(
    "values",
    [
        [[1, 2], [3, np.nan]],
        [[1, 2], [3, None]],
        np.array([[1, 2], [3, np.nan]], dtype=np.float32),
        np.array([[1, 2], [3, np.nan]], dtype=">f8"),
        np.array([[1, 2], [3, np.nan]], dtype=np.longdouble),
        np.asfortranarray([[1, 2], [3, np.nan]]),
        np.array([[Decimal(1), Fraction(2)], [3, None]], dtype=object),
        np.ma.array([[1, 2], [3, 4]], mask=[[False, False], [False, True]]),
        np.ma.array([[1, 2], [3, np.inf]], mask=[[False, False], [False, True]]),
        pd.DataFrame([[1, 2], [3, None]]),
        pl.DataFrame({"a": [1, 3], "b": [2, None]}),
        (row for row in ([1, 2], [3, None])),
    ],
    ids=lambda values: f"{type(values).__name__} {getattr(values, 'dtype', '')}",
)
def test_numbers_come_in_many_shapes_and_missing_ones_too(values):
    """None, NaN, null and masked cells are missing; the array is ours, float64, row by row and read-only."""
    found = float_array(values, shape=(2, 2), what="Scores")

    np.testing.assert_array_equal(found, [[1, 2], [3, np.nan]])
    assert type(found) is np.ndarray
    assert found.dtype == np.float64
    assert found.dtype.isnative
    assert found.flags.c_contiguous
    assert not found.flags.writeable


def test_right_and_wrong_are_one_and_zero():
    """Binary scores are scores."""
    assert float_array([True, False], shape=(2,), what="Scores").tolist() == [1.0, 0.0]


def test_large_whole_numbers_are_rounded_to_a_float():
    """As everywhere in Python."""
    assert float_array([2**70, -(2**64)], shape=(None,), what="Scores").tolist() == [2.0**70, -(2.0**64)]


@pytest.mark.parametrize("values", [[2**60 + 3, 1], np.array([2**53 + 1, 0]), [None, 2**70 + 1]])
def test_whole_numbers_that_would_lose_digits_are_refused(values):
    """Two systems that differ in the last digit must not become equal."""
    with pytest.raises(TableError, match="too large to keep their last digits"):
        float_array(values, shape=(None,), what="Scores")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1.0", "2.0"], "Scores must be numbers, not text. Convert them with float()"),
        ([1.0, "2.0"], "Scores must be numbers, not text"),
        (np.array([1.0, "2.0"], dtype=object), "Scores must be numbers, not text"),
        ([b"1", b"2"], "Scores must be numbers, not text"),
        (np.ma.array(["1", "2"], mask=[True, False]), "Scores must be numbers, not text"),
        ([1j, 2], "Scores must be numbers, not complex128"),
        (np.array(["2024-01-01", "2024-01-02"], dtype="M8[D]"), r"not datetime64\[D\]"),
        (np.array([1, 2], dtype="m8[s]"), r"not timedelta64\[s\]"),
        (np.array([1, np.datetime64("2024-01-01")], dtype=object), "Scores must be numbers, not datetime64"),
        ([pd.Timestamp("2024-01-01"), 1], "numbers in a rectangle, with NaN for missing ones"),
        ([[1, 2], [3]], "must form a rectangle, every row of the same length"),
        (np.array([[1, 2], [3]], dtype=object), "numbers in a rectangle"),
        ({"A": 1}, "numbers in a rectangle"),
        ([10**400, 1], "numbers in a rectangle"),
        ([1, 2, 3], "must have the shape 2, but have 3."),
        ([[1, 2]], "must have the shape 2, but have 1 × 2."),
        (5.0, "must have the shape 2, but have a single number."),
        ([1, np.inf], r"contain an infinite number at \(1,\); every number must be finite."),
        (np.array([1, "1e400"], dtype=np.longdouble), "contain an infinite number"),
    ],
)
def test_what_is_not_numbers_is_refused(values, message):
    """Text that spells a number is still text, and a date is no number of days."""
    with pytest.raises(TableError, match=message):
        float_array(values, shape=(2,), what="Scores")


def test_a_transposed_table_is_recognised():
    """The cure is one word."""
    with pytest.raises(TableError, match=r"must have the shape 2 × 3, but have 3 × 2\. Transpose them\."):
        check_shape(np.zeros((3, 2)), shape=(2, 3), what="Scores")
    with pytest.raises(TableError, match=r"must have the shape any × 2, but have 3\.$"):
        check_shape(np.zeros(3), shape=(None, 2), what="Scores")


def test_a_read_only_array_is_shared_and_a_view_is_not():
    """Somebody may still write through the array behind a view."""
    locked = np.zeros(3)
    locked.flags.writeable = False
    behind = np.zeros(3)
    view = behind[:]
    view.flags.writeable = False

    assert float_array(locked, shape=(3,), what="Scores") is locked
    copied = float_array(view, shape=(3,), what="Scores")
    behind[0] = 1
    assert copied[0] == 0


@pytest.mark.parametrize(
    "values", [[0, 2], (0, 2), iter([0, 2]), np.array([0, 2], dtype=np.uint8), pd.Series([0, 2])]
)
def test_indices_become_int64(values):
    """Of any whole type."""
    found = index_array(values, length=2, below=3, what="left")

    assert found.tolist() == [0, 2]
    assert found.dtype == np.int64
    assert not found.flags.writeable


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.0, 1.0], r"left must be whole numbers \(indices\), not float64."),
        (["A", "B"], r"left must be whole numbers \(indices\), not text."),
        ([True, False], "not bool."),
        ([0, None], "not object."),
        ([0, "A", None], "must have the shape 2, but have 3."),
        (np.array([0, "A"], dtype=object), "not text."),
        ([0, -1], "left must lie between 0 and 2; found -1 to 0."),
        ([0, 3], "left must lie between 0 and 2; found 0 to 3."),
        (np.array([0, 2**63], dtype=np.uint64), "found 0 to 9223372036854775808."),
        ([0, [1]], "left must form a rectangle"),
        (None, "left must have the shape 2, but have a single number."),
        (np.ma.array([0, 1], mask=[False, True]), "left must not be masked. Leave out the rows"),
    ],
)
def test_what_is_not_an_index_is_refused(values, message):
    """Nothing wraps around, is cut off or read through a mask."""
    with pytest.raises(TableError, match=message):
        index_array(values, length=2, below=3, what="left")


def test_no_indices_and_no_tags_are_fine():
    """An empty list has no type to complain about."""
    assert index_array([], length=None, below=0, what="left").dtype == np.int64
    assert bool_array([], shape=(0,), what="Gold").dtype == np.bool_


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, 1], "Gold must be True or False, not int64."),
        (["OK", "BAD"], "Gold must be True or False, not text."),
        ([True], "Gold must have the shape 2, but have 1."),
        (np.ma.array([True, False], mask=[True, False]), "Gold must not be masked."),
    ],
)
def test_tags_are_nothing_but_true_or_false(values, message):
    """The text "OK" would be true."""
    with pytest.raises(TableError, match=message):
        bool_array(values, shape=(2,), what="Gold")


def test_positions_follow_the_order_asked_for():
    """All of them when nothing is asked for."""
    known = ("A", "B", "C")

    assert positions(["C", np.str_("A")], known, what="system").tolist() == [2, 0]
    assert positions((name for name in "B"), known, what="system").tolist() == [1]
    assert positions(None, known, what="system").tolist() == [0, 1, 2]
    assert positions([], known, what="system").dtype == np.int64
    assert at(np.array([2, 0]), known) == ("C", "A")


def test_an_unknown_label_is_answered_with_the_nearest():
    """With the kind of label."""
    with pytest.raises(UnknownName, match=r'Unknown system "sytem-B"\. Did you mean "system-B"\?'):
        positions(["sytem-B"], ["system-A", "system-B"], what="system")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [("AB", "single text 'AB'"), ([1], "not int"), ([["A"]], "not list"), (3, "not int")],
)
def test_labels_are_asked_for_by_name(wanted, message):
    """Neither by number, nor by a text that is taken for its letters."""
    with pytest.raises(TableError, match=message):
        positions(wanted, ["A", "B"], what="system")


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("Aster", "aster", '"Aster", "aster"'),
        ("Aster", "Aster ", '"Aster", "Aster "'),
        ("GPT-4", "GPT 4", '"GPT-4", "GPT 4"'),
        ("GPT-A", "GPT-\u0410", r'"GPT-A", "GPT-\u0410"'),
        ("Zo\u00eb", "Zoe\u0308", r'"Zo\xeb", "Zoe\u0308"'),
        ("A1", "\uff21\uff11", r'"A1", "\uff21\uff11"'),
        ("Aster", "As\u200bter", r'"Aster", "As\u200bter"'),
        ("A B", "A\u00a0B", r'"A B", "A\xa0B"'),
    ],
)
def test_names_that_look_alike_stay_apart_and_are_announced(one, other, shown):
    """Every table says so, once, and the note goes with it."""
    scores = bt.Scores(name="m", systems=[one, other, "Birch"], segments=["1", "2"], values=np.zeros((3, 2)))
    assert scores.systems == (one, other, "Birch")
    (note,) = scores.notes
    assert f"count as different: {shown}. " in note
    assert bt.Scores.from_dict(scores.to_dict()).notes == scores.notes
    assert scores.select([one, other]).notes == scores.notes
    assert note in bt.rank(scores, n_resamples=10).notes


def test_judges_that_look_alike_are_announced_and_other_names_are_not():
    """Punctuation makes another name, as in versions."""
    rows = [
        ("1", "A", "ann", 1.0),
        ("1", "A-2", "Ann", 2.0),
        ("1", "A.2", "bob", 2.0),
        ("1", "A2", "bob", 1.0),
    ]
    segments, systems, judges, values = zip(*rows, strict=True)
    ratings = bt.read_ratings({"item": segments, "system": systems, "judge": judges, "score": values})
    (note,) = [note for note in ratings.notes if "look alike" in note]
    assert note.startswith("These judge names ")
    assert 'count as different: "ann", "Ann". If they are the same judge, ' in note
