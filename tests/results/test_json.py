"""Results survive JSON and back, whatever numbers they hold."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import types
import typing

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tests.everyday import examples
from tests.made import a_ranking

import betterthan as bt
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import decode, encode
from betterthan.results.registry import RESULT_KINDS, load
from betterthan.results.study import KINDS as STUDY_CHART_KINDS
from betterthan.results.study import StudyChart, StudyTable


def ranking(strength=(2.0, 1.0), low=(1.5, np.nan), notes=("a note",)):
    """A small ranking."""
    names = tuple(f"S{i}" for i in range(len(strength)))
    how = bt.Settings(method="mean", options={"ci": "95"}, seed=1, data="abc")
    return a_ranking(names, strength=strength, low=low, notes=notes, settings=how)


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
    """No module of a kind need have been imported before: the registry is complete."""
    code = (
        "from betterthan.results.base import Result\n"
        "from betterthan.results.registry import RESULT_KINDS\n"
        "from betterthan.errors import BetterThanError\n"
        "for kind in RESULT_KINDS:\n"
        "    try:\n"
        "        Result.from_dict({'schema': 'betterthan.result/1', 'kind': kind})\n"
        "    except BetterThanError as error:\n"
        "        assert 'cannot be read: ' in str(error), error\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


WORDS = st.text(max_size=4)
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
SHAPES = array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3)
STUDY_CELLS = st.one_of(
    st.none(), WORDS, st.integers(-9, 9), st.floats(allow_nan=False, allow_infinity=False)
)
PLAIN = {
    float: NUMBERS,
    int: st.integers(-(2**53), 2**53),
    bool: st.booleans(),
    str: WORDS,
    FloatArray: arrays(np.float64, SHAPES, elements=NUMBERS),
    IntArray: arrays(np.int64, SHAPES),
    BoolArray: arrays(np.bool_, SHAPES),
    type(None): st.none(),
    StudyTable: st.builds(
        StudyTable,
        name=WORDS,
        title=WORDS,
        columns=st.just(("a", "b")),
        rows=st.lists(st.tuples(STUDY_CELLS, STUDY_CELLS), max_size=2).map(tuple),
    ),
    StudyChart: st.builds(
        StudyChart,
        name=WORDS,
        title=WORDS,
        kind=st.sampled_from(STUDY_CHART_KINDS),
        x=WORDS,
        y=WORDS,
        columns=st.dictionaries(WORDS, st.tuples(STUDY_CELLS, STUDY_CELLS), max_size=2),
    ),
    bt.Settings: st.builds(
        bt.Settings,
        method=WORDS,
        options=st.dictionaries(WORDS, st.one_of(WORDS, st.booleans(), st.integers(-9, 9)), max_size=2),
        data=WORDS,
        seed=st.none() | st.integers(0, 9),
    ),
}


def values_of(hint):
    """Anything of this type."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin is types.UnionType or origin is typing.Union:
        return st.one_of(*map(values_of, inner))
    if origin is tuple:
        if inner[-1] is Ellipsis:
            return st.lists(values_of(inner[0]), max_size=2).map(tuple)
        return st.tuples(*map(values_of, inner))
    if origin is dict:
        return st.dictionaries(values_of(inner[0]), values_of(inner[1]), max_size=2)
    hints = typing.get_type_hints(hint)
    return st.builds(hint, **{field.name: values_of(hints[field.name]) for field in dataclasses.fields(hint)})


def assert_identical(one, other):
    """The same types, shapes and bits all the way down; NaN is the same as NaN."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, strict=True)
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            assert_identical(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, tuple):
        assert len(one) == len(other)
        for each, its_copy in zip(one, other, strict=True):
            assert_identical(each, its_copy)
    elif isinstance(one, dict):
        assert list(one) == list(other)
        assert_identical(tuple(one.values()), tuple(other.values()))
    else:
        assert one == other or (one != one and other != other)  # noqa: PLR0124  (NaN)


@pytest.mark.parametrize("kind", RESULT_KINDS)
@settings(max_examples=examples(15), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_kind_survives_json_exactly(kind, data):
    """Whatever its fields hold: missing and infinite numbers, any text, empty tuples."""
    result = data.draw(values_of(load(RESULT_KINDS[kind].result)))
    back = bt.Result.from_json(result.to_json())

    assert_identical(back, result)
    assert back.to_json() == result.to_json()
    assert back == result


def test_a_file_is_read_by_its_path_and_text_as_text(tmp_path):
    """A str is always text; the error says how to read a file."""
    path = tmp_path / "ranking.json"
    path.write_text(ranking().to_json(), encoding="utf-8")

    assert bt.Result.from_json(path) == ranking()
    assert bt.Result.from_json(path.read_bytes()) == ranking()
    assert bt.Ranking.from_json(path) == ranking()
    with pytest.raises(bt.BetterThanError, match=r"This is not JSON .*from_json\(Path\(\.\.\.\)\)"):
        bt.Result.from_json(str(path))


def test_a_class_reads_only_its_own_kind():
    """And names the kind that it found."""
    with pytest.raises(bt.BetterThanError, match="This is a Ranking, not a PairwiseTable"):
        bt.PairwiseTable.from_json(ranking().to_json())


@pytest.mark.parametrize("text", ["[]", "3", "null", "{}", '"betterthan.result/1"'])
def test_other_json_is_not_taken_for_a_result(text):
    """JSON that is no object at all has no schema either."""
    with pytest.raises(bt.BetterThanError, match="its schema is None"):
        bt.Result.from_json(text)


@pytest.mark.parametrize(
    "change", [{"strength": "x"}, {"rank": [None]}, {"settings": 3}, {"confidence": "high"}, {"letters": 1}]
)
def test_a_damaged_result_is_an_error_that_says_so(change):
    """Not whatever Python makes of it."""
    with pytest.raises(bt.BetterThanError, match="This Ranking cannot be read: "):
        bt.Result.from_dict({**ranking().to_dict(), **change})
