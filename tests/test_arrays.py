"""How arrays become JSON and digests."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.arrays import digest, from_json_array, read_only, to_json_array

floats = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=1, max_dims=3, max_side=4),
    elements=st.floats(allow_infinity=False, width=64),
)


def test_read_only_returns_the_same_array_locked():
    """No copy is made."""
    array = np.zeros(3)

    assert read_only(array) is array
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


@given(floats)
def test_json_and_back_is_the_same_array(array):
    """NaN travels as null, and every other bit arrives."""
    text = json.dumps(to_json_array(array), allow_nan=False)

    np.testing.assert_array_equal(from_json_array(json.loads(text), ndim=array.ndim), array)


@pytest.mark.parametrize("array", [np.array([1, 2]), np.array([[True]]), np.array(1.5), np.array(np.nan)])
def test_whole_numbers_truths_and_single_numbers_become_json(array):
    """Only floats can be missing."""
    plain = json.loads(json.dumps(to_json_array(array), allow_nan=False))

    assert plain == (None if np.isnan(array).any() else array.tolist())


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_an_empty_list_gets_the_axes_asked_for(ndim):
    """JSON cannot say how many axes nothing has."""
    assert from_json_array([], ndim=ndim).shape == (0,) * ndim


@pytest.mark.parametrize("values", [[[1, 2], [3]], ["a"], {"a": 1}, [10**400]])
def test_what_is_no_rectangle_of_numbers_is_refused(values):
    """The message says what JSON data must look like."""
    with pytest.raises(ValueError, match="must be numbers or null in a rectangle"):
        from_json_array(values)


def test_a_wrong_number_of_axes_is_refused():
    """One row is not a table."""
    with pytest.raises(ValueError, match="numbers or null in 2 axes"):
        from_json_array([1.0, 2.0], ndim=2)


@given(floats)
def test_a_digest_depends_on_numbers_and_not_on_how_they_are_stored(array):
    """Memory order, byte order, the sign of zero and the bits of NaN make no difference."""
    other_nan = np.array(0xFFF8_0000_0000_0BAD, dtype=np.uint64).view(np.float64)
    stored_otherwise = [
        np.asfortranarray(array),
        array.astype(">f8"),
        np.repeat(array, 2, axis=0)[::2],
        np.where(np.isnan(array), other_nan, array),
        np.where(array == 0, -0.0, array),
    ]

    assert {digest(other) for other in stored_otherwise} == {digest(array)}


def test_a_signalling_nan_is_hashed_in_silence():
    """NumPy warns when it computes with one."""
    loud = np.array([0x7FF0_0000_0000_0001], dtype=np.uint64).view(np.float64)

    assert digest(loud) == digest(np.array([np.nan]))


@given(floats, st.data())
def test_a_digest_changes_with_any_number(array, data):
    """One cell is enough."""
    changed = array.copy()
    place = data.draw(st.integers(0, array.size - 1))
    changed.flat[place] = 1.0 if np.isnan(array.flat[place]) else np.nan

    assert digest(changed) != digest(array)


def test_a_digest_leaves_the_array_alone():
    """Neither the values nor the lock change."""
    array = np.array([-0.0, 1.0])
    digest(array)

    assert np.signbit(array[0])
    assert array.flags.writeable


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((), "e3b0c442"),
        ((("A", "B"), np.zeros((2, 3))), "98c49616"),
        ((np.array([True, False]), np.arange(3, dtype=np.int64)), "15658930"),
        ((("é", "\U0001fae8", "\n", "\udc80"),), "2eeb4e1c"),
        ((np.zeros((0, 3)), np.array(2.5)), "4d3b3093"),
    ],
)
def test_a_digest_is_the_same_on_every_machine(parts, expected):
    """Fixed values, also for characters that only newer Pythons can print, and for empty arrays."""
    assert digest(*parts) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((("A", "B"),), (("A",), ("B",))),
        ((("AB",),), (("A", "B"),)),
        ((np.zeros((2, 3)),), (np.zeros((3, 2)),)),
        ((np.zeros(2),), (np.zeros(2, dtype=np.int64),)),
        ((None,), ("None",)),
    ],
)
def test_a_digest_sees_where_one_part_ends(one, other):
    """Labels cannot run into each other, nor arrays of another shape or type be taken for the same."""
    assert digest(*one) != digest(*other)
