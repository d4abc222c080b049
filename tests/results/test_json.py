"""Results survive JSON and back, whatever numbers they hold."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.made import a_ranking

import betterthan as bt
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import decode, encode


def ranking(strength=(2.0, 1.0), low=(1.5, np.nan), notes=("a note",)):
    """A small ranking."""
    names = tuple(f"S{i}" for i in range(len(strength)))
    settings = bt.Settings(method="mean", options={"ci": "95"}, seed=1, data="abc")
    return a_ranking(names, strength=strength, low=low, notes=notes, settings=settings)


def test_a_result_survives_json_and_back():
    """Missing numbers are null in JSON and NaN again afterwards."""
    result = ranking()
    text = result.to_json()
    back = bt.Result.from_dict(json.loads(text))

    assert "NaN" not in text
    assert back == result
    assert hash(back) == hash(result)
    assert np.isnan(back.low[1])
    assert isinstance(back, bt.Ranking)


def test_the_json_names_schema_kind_method_and_signature():
    """One schema, versioned; numbers are numbers."""
    data = ranking().to_dict()

    assert list(data)[:3] == ["schema", "kind", "method"]
    assert data["schema"] == "betterthan.result/1"
    assert data["kind"] == "ranking"
    assert data["strength"] == [2.0, 1.0]
    assert data["low"] == [1.5, None]
    assert data["signature"].startswith("betterthan|mean|")


def test_arrays_of_a_result_cannot_be_changed():
    """What was found stays as it was found."""
    with pytest.raises(ValueError, match="read-only"):
        ranking().strength[0] = 9
    with pytest.raises(dataclasses.FrozenInstanceError):
        ranking().unit = "x"


def test_something_else_is_not_taken_for_a_result():
    """A wrong schema or kind is named."""
    with pytest.raises(bt.BetterThanError, match="its schema is None"):
        bt.Result.from_dict({})
    with pytest.raises(bt.UnknownName, match='Did you mean "ranking"'):
        bt.Result.from_dict({"schema": "betterthan.result/1", "kind": "rankin"})


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_result_becomes_a_frame_of_any_library(backend):
    """The columns are the tidy ones."""
    frame = ranking().to_frame(backend)
    names = list(frame.column_names if backend == "pyarrow" else frame.columns)

    assert names == [
        *("rank", "system", "strength", "low", "high", "rank_low", "rank_high", "cluster", "letters"),
    ]
    assert len(frame) == 2


@dataclasses.dataclass(frozen=True)
class Inner:
    """A nested part."""

    name: str
    share: float


@dataclasses.dataclass(frozen=True)
class Sample:
    """Every type a result may have."""

    floats: FloatArray
    integers: IntArray
    flags: BoolArray
    maybe: FloatArray | None
    pairs: tuple[tuple[str, int], ...]
    inner: tuple[Inner, ...]
    named: dict[str, float]
    number: float


@given(
    floats=arrays(np.float64, (2, 3), elements=st.floats(allow_infinity=False)),
    integers=arrays(np.int64, 3),
    flags=arrays(np.bool_, 2),
    number=st.floats(allow_infinity=False),
    names=st.lists(st.text(max_size=3), max_size=3),
)
def test_every_type_of_field_survives_encoding(floats, integers, flags, number, names):
    """Encoding and decoding are inverse for all types that results use."""
    sample = Sample(
        floats=floats,
        integers=integers,
        flags=flags,
        maybe=None,
        pairs=tuple((name, i) for i, name in enumerate(names)),
        inner=tuple(Inner(name=name, share=number) for name in names),
        named=dict.fromkeys(names, number),
        number=number,
    )
    back = decode(json.loads(json.dumps(encode(sample), allow_nan=False)), Sample)

    np.testing.assert_array_equal(back.floats, floats)
    np.testing.assert_array_equal(back.integers, integers)
    np.testing.assert_array_equal(back.flags, flags)
    assert back.flags.dtype == np.bool_
    assert encode(back) == encode(sample)


def test_every_kind_is_read_back_in_a_fresh_process():
    """No module of a kind need have been imported before: the homes are complete."""
    code = (
        "from betterthan.results.base import _HOMES, _KINDS, Result\n"
        "from betterthan.errors import BetterThanError\n"
        "for kind in _HOMES:\n"
        "    try:\n"
        "        Result.from_dict({'schema': 'betterthan.result/1', 'kind': kind})\n"
        "    except TypeError:\n"
        "        pass\n"
        "assert set(_KINDS) == set(_HOMES), (_KINDS, _HOMES)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
