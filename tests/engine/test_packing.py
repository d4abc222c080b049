import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.engine.cache import name_of, pack, unpack

kinds = [hnp.boolean_dtypes(), hnp.integer_dtypes(), hnp.floating_dtypes(), hnp.unicode_string_dtypes()]
arrays = hnp.arrays(dtype=st.one_of(kinds), shape=hnp.array_shapes(min_dims=0, min_side=0, max_side=4))
results = st.one_of(arrays, st.dictionaries(st.text(max_size=5), arrays, max_size=3))

PACKED = pack({0: {"a": np.arange(6.0)}, 4: np.arange(3)}, job="job")


@given(st.dictionaries(st.integers(0, 2**40), results, max_size=3))
def test_results_survive_packing_to_the_byte(results):
    """Blocks, names, order, types, shapes and bytes come back."""
    packed = pack(results, job="job")
    assert bare(unpack(packed, job="job", name=name_of(packed))) == bare(results)


@given(st.integers(0, len(PACKED) - 1), st.integers(1, 255))
def test_one_changed_byte_is_noticed(place, change):
    """Wherever it is."""
    changed = bytearray(PACKED)
    changed[place] ^= change
    assert unpack(bytes(changed), job="job", name=name_of(PACKED)) == {}


@given(st.integers(0, len(PACKED) - 1))
def test_bytes_cut_short_are_noticed(length):
    """At whatever length, nothing at all included."""
    assert unpack(PACKED[:length], job="job", name=name_of(PACKED)) == {}


@pytest.mark.parametrize(
    "foreign", [b"", b"Dear diary,\n\ntoday", PACKED.replace(b"checkpoint 1", b"checkpoint 2")]
)
def test_what_we_did_not_pack_does_not_open(foreign):
    """Even under its right name."""
    assert unpack(foreign, job="job", name=name_of(foreign)) == {}


def test_results_of_another_job_do_not_open():
    """Even under their right name."""
    assert unpack(PACKED, job="other", name=name_of(PACKED)) == {}


def test_objects_are_not_packed():
    """There is no pickle in a checkpoint."""
    with pytest.raises(ValueError, match="allow_pickle=False"):
        pack({0: np.array([print])}, job="job")


def bare(results):
    """Results as plain values that can be compared."""
    return [
        (
            block,
            [(name, *facts(array)) for name, array in result.items()]
            if isinstance(result, dict)
            else facts(result),
        )
        for block, result in results.items()
    ]


def facts(array):
    """All there is to an array."""
    return (array.dtype, array.shape, array.tobytes())
