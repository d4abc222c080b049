"""What holds for every table: enrol a new one in TABLES, with a change for each of its fields."""

import copy
import dataclasses
import json
import pickle

import numpy as np
import pytest

from betterthan.errors import BetterThanError, TableError
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts


def _share(sums):
    return sums[..., 0] / sums[..., 1]


ACCURACY = Formula(name="accuracy", pooled=_share)

TABLES = {
    "scores": Scores(
        name="TER",
        systems=["A", "B"],
        segments=["1", "2", "3"],
        values=[[1, 2, np.nan], [4, 5.5, -6]],
        higher_is_better=False,
        groups=["d", "d", "e"],
        notes=["Read."],
    ),
    "counts": Counts(
        name="accuracy",
        systems=["A", "B"],
        segments=["1", "2"],
        values=[[[1, 2], [3, 4]], [[0, 2], [1, 4]]],
        columns=["right", "words"],
        formula=ACCURACY,
        groups=["d", "e"],
        notes=["Read."],
    ),
    "matches": Matches(
        systems=["A", "B", "C"],
        left=[0, 1, 0],
        right=[1, 2, 2],
        outcome=[1, 0.5, 0],
        weight=[1, 2, 0.5],
        segment=[0, 0, 1],
        group=[3, 4, 3],
        covariates=[[0.5], [0], [-2]],
        covariate_names=["length"],
        category=[0, 1, 0],
        categories=["x", "y"],
        notes=["Read."],
    ),
    "ratings": Ratings(
        name="DA",
        systems=["A", "B"],
        segments=["1", "2"],
        judges=["x", "y"],
        system=[0, 1, 0],
        segment=[0, 0, 1],
        judge=[0, 0, 1],
        score=[70, 40, 90],
        groups=["d", "e"],
        notes=["Read."],
    ),
    "word_tags": WordTags(
        systems=["A"],
        segments=["1", "2"],
        gold=[True, False, False],
        predicted=[[True, True, False]],
        offsets=[0, 2, 3],
        groups=["d", "e"],
        notes=["Read."],
    ),
    "texts": Texts(
        systems=["A", "B"],
        segments=["1", "2"],
        outputs=[["a b", "c"], ["x", None]],
        references=[["a b", "d"], ["a", "b"]],
        reference_names=["r", "s"],
        sources=["q", "p"],
        groups=["d", "e"],
        notes=["Read."],
    ),
}

CHANGES = {
    "scores": {
        "name": "BLEU",
        "systems": ["A", "C"],
        "segments": ["1", "2", "4"],
        "values": [[1, 2, 3], [4, 5.5, -6]],
        "higher_is_better": True,
        "groups": None,
    },
    "counts": {
        "name": "right",
        "systems": ["B", "A"],
        "segments": ["1", "3"],
        "values": [[[1, 2], [3, 4]], [[0, 2], [1, 5]]],
        "columns": ["words", "right"],
        "formula": Formula(name="share", pooled=_share),
        "higher_is_better": False,
        "groups": ["d", "d"],
    },
    "matches": {
        "systems": ["A", "B", "D"],
        "left": [0, 1, 1],
        "right": [2, 2, 2],
        "outcome": [0, 0.5, 0],
        "weight": [1, 1, 1],
        "segment": None,
        "group": [3, 4, 4],
        "covariates": [[0.5], [0], [2]],
        "covariate_names": ["lists"],
        "segments": ["s1", "s2"],
        "category": [0, 1, 1],
        "categories": ["x", "z"],
    },
    "ratings": {
        "name": "MQM",
        "systems": ["A", "C"],
        "segments": ["1", "3"],
        "judges": ["x", "z"],
        "system": [0, 1, 1],
        "segment": [0, 0, 0],
        "judge": [0, 1, 1],
        "score": [70, 40, 91],
        "higher_is_better": False,
        "groups": None,
    },
    "word_tags": {
        "systems": ["B"],
        "segments": ["1", "3"],
        "gold": [True, False, True],
        "predicted": [[True, True, True]],
        "offsets": [0, 1, 3],
        "groups": ["d", "d"],
    },
    "texts": {
        "systems": ["A", "C"],
        "segments": ["2", "1"],
        "outputs": [["a b", "c"], ["x", "None"]],
        "references": [["a b", "d"], ["a", "c"]],
        "reference_names": ["r", "t"],
        "sources": None,
        "groups": ["d", "d"],
    },
}

SINGLE_CHANGES = [(kind, name) for kind, changes in CHANGES.items() for name in changes]
GOLDEN = {
    "scores": "230fdf73",
    "counts": "65dc3dde",
    "matches": "9e5ec5db",
    "ratings": "8ea66851",
    "word_tags": "dd380d5f",
    "texts": "289839fe",
}

every_table = pytest.mark.parametrize("kind", TABLES)


def from_dict(table, data):
    """Make a table of the same type; only counts must be told their formula."""
    more = {"formula": table.formula} if isinstance(table, Counts) else {}
    return type(table).from_dict(data, **more)


def arrays_of(table):
    """The arrays among the fields."""
    values = [getattr(table, field.name) for field in dataclasses.fields(table)]
    return [value for value in values if isinstance(value, np.ndarray)]


@every_table
def test_json_and_back_is_the_same_table(kind):
    """What `to_dict` gives is JSON without NaN, and nothing is lost on the way."""
    table = TABLES[kind]
    text = json.dumps(table.to_dict(), allow_nan=False)
    back = from_dict(table, json.loads(text))

    assert back == table
    assert hash(back) == hash(table)
    assert back.to_dict() == table.to_dict()
    assert json.loads(text)["kind"] == kind
    assert set(table.to_dict()) == {"kind"} | {field.name for field in dataclasses.fields(table)}


@every_table
@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, *(lambda t, p=p: pickle.loads(pickle.dumps(t, p)) for p in range(2, 6))],  # noqa: S301  (our own bytes)
)
def test_a_copy_is_equal_and_as_read_only(kind, copied):
    """Tables go to worker processes and come back as they were."""
    table = TABLES[kind]
    twin = copied(table)

    assert type(twin) is type(table)
    assert twin == table
    assert twin.digest == table.digest
    assert not any(array.flags.writeable for array in arrays_of(twin))


@every_table
def test_no_field_can_be_set_and_no_array_written_to(kind):
    """A table cannot change after it was checked."""
    table = TABLES[kind]

    for field in dataclasses.fields(table):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(table, field.name, None)
    for array in arrays_of(table):
        with pytest.raises(ValueError, match="read-only"):
            array.flat[0] = array.flat[0]
    with pytest.raises((AttributeError, TypeError)):
        table.another = 1
    assert not hasattr(table, "__dict__")


@every_table
def test_the_callers_arrays_are_copied(kind):
    """What the caller does to his arrays later does not reach the table, and they stay writable."""
    table = TABLES[kind]
    mine = {
        field.name: np.array(getattr(table, field.name))
        for field in dataclasses.fields(table)
        if isinstance(getattr(table, field.name), np.ndarray)
    }
    made = dataclasses.replace(table, **mine)
    for array in mine.values():
        array[...] = 0

    assert made == table


@every_table
def test_replacing_nothing_changes_nothing_and_copies_no_array(kind):
    """A table made from a table shares its arrays, because nobody can write to them."""
    table = TABLES[kind]
    same = dataclasses.replace(table, notes=["Other."])

    assert same != table
    assert same.digest == table.digest
    assert dataclasses.replace(same, notes=table.notes) == table
    assert all(one is other for one, other in zip(arrays_of(table), arrays_of(same), strict=True))


@pytest.mark.parametrize(("kind", "name"), SINGLE_CHANGES)
def test_equality_and_digest_change_with_every_field(kind, name):
    """No label, value or direction can change unnoticed."""
    table = TABLES[kind]
    changed = dataclasses.replace(table, **{name: CHANGES[kind][name]})

    assert changed != table
    assert changed.digest != table.digest


@every_table
def test_every_field_of_the_digest_has_a_change_above(kind):
    """A new field must be enrolled; notes, doubts, and where names of segments come from, change no result."""
    fields = {field.name for field in dataclasses.fields(TABLES[kind])}
    assert set(CHANGES[kind]) == fields - {"notes", "row_order", "direction_doubt"}


@every_table
def test_the_digest_stays_what_it_was(kind):
    """Computed once with hashlib by hand; results in the wild refer to their data by it."""
    assert TABLES[kind].digest == GOLDEN[kind]


@every_table
def test_a_table_equals_nothing_of_another_kind(kind):
    """Not even its own dictionary."""
    table = TABLES[kind]

    assert table != table.to_dict()
    assert all(table != other for name, other in TABLES.items() if name != kind)
    assert len({table, copy.copy(table)}) == 1


@every_table
def test_the_digest_is_that_of_plain_text(kind):
    """Names that are NumPy strings are stored as ordinary ones, so that nothing prints or hashes differently."""
    table = TABLES[kind]
    numpy_names = (
        dataclasses.replace(
            table, systems=np.array(table.systems), segments=list(map(np.str_, table.segments))
        )
        if kind != "matches"
        else dataclasses.replace(table, systems=np.array(table.systems))
    )

    assert numpy_names.digest == table.digest
    assert {type(name) for name in numpy_names.systems} == {str}


@every_table
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: [data], "is made from a dictionary, not list"),
        (lambda data: {**data, "kind": "other"}, 'is of kind "other", but "'),
        (lambda data: {**data, "colour": 1}, "has no field colour. Known: "),
        (lambda data: {"kind": data["kind"]}, "lacks "),
        (lambda data: {**data, "systems": 5}, "systems must be a list of texts, not int"),
        (lambda data: {**data, "systems": None}, "systems must be a list of texts, not NoneType"),
        (
            lambda data: {**data, "notes": "Read."},
            "notes must be a list of texts, not the single text 'Read.'",
        ),
        (lambda data: {**data, "notes": [5]}, r"A note must be text, not int \(5\)"),
    ],
)
def test_other_data_is_refused_with_a_reason(kind, change, message):
    """JSON may have been edited by hand."""
    table = TABLES[kind]

    with pytest.raises(TableError, match=message):
        from_dict(table, change(table.to_dict()))


@every_table
def test_data_without_the_optional_fields_is_enough(kind):
    """Kind, groups and notes may be left out."""
    table = TABLES[kind]
    data = {key: value for key, value in table.to_dict().items() if key not in {"kind", "groups", "notes"}}

    assert from_dict(table, data).systems == table.systems


AWKWARD = [
    None,
    5,
    "abc",
    b"abc",
    object(),
    {"A": 1},
    {1, 2},
    [],
    [[]],
    [[[]]],
    [None],
    [1, [2]],
    ["1.0", "2.0"],
    [1j, 2j],
    [10**400],
    [-1, 2**63],
    np.array([1, 2], dtype="M8[D]"),
    np.array([1, 2], dtype="m8[D]"),
    np.array([1j]),
    np.array([object(), 1], dtype=object),
    np.ma.array([1, 2], mask=[True, False]),
    np.zeros(2, dtype=[("a", "f8")]),
    np.array(3.0),
    float("nan"),
    [float("inf")] * 3,
    ["\udc80"],
    range(3),
]


@pytest.mark.parametrize(("kind", "name"), [*SINGLE_CHANGES, *((kind, "notes") for kind in TABLES)])
def test_whatever_is_passed_is_taken_or_refused_as_our_error(kind, name):
    """No field lets a bare TypeError, ValueError or IndexError through."""
    for awkward in AWKWARD:
        try:
            table = dataclasses.replace(TABLES[kind], **{name: awkward})
        except BetterThanError:
            continue
        json.dumps(table.to_dict(), allow_nan=False)


@every_table
def test_the_text_of_a_table_is_one_short_line(kind):
    """It names the type and the sizes, not the numbers."""
    shown = repr(TABLES[kind])

    assert shown.startswith(type(TABLES[kind]).__name__ + "(")
    assert len(shown) < 100
    assert "\n" not in shown
