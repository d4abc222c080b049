"""Numbers in JSON lines as names and in messages: one spelling, whatever the size of the file."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from tests.fuzz.alike import large

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.source.source import open_source

SPELLED = {
    # What is not finite stands as in the file: "inf" would be one name for many ids.
    "Infinity": "Infinity",
    "-Infinity": "-Infinity",
    "1e9991": "1e9991",
    "-1E400": "-1E400",
    # Other numbers as JavaScript and the engine write them.
    "1e-7": "1e-7",
    "0.00001": "0.00001",
    "-1.5e-6": "-0.0000015",
    "1e16": "10000000000000000.0",
    "1.5E+20": "150000000000000000000.0",
    "1e21": "1e21",
    "-2.5e-310": "-2.5e-310",
    "1.7976931348623157e308": "1.7976931348623157e308",
    "1.50": "1.5",
    "-0.0": "-0.0",
    "1e5": "100000.0",
    "12345678901234567890123": "12345678901234567890123",
}
SIZES = pytest.mark.parametrize("size", [nullcontext, large], ids=["small", "large"])


def written(folder, values):
    """A file with these values as ids."""
    path = folder / "a.jsonl"
    path.write_text("".join(f'{{"id": {value}, "A": 0.5, "B": 1}}\n' for value in values), encoding="utf-8")
    return path


@SIZES
def test_a_number_has_one_spelling(tmp_path, size):
    """As a name, as a text and in messages."""
    path = written(tmp_path, SPELLED)
    with size(), open_grid(open_source(path)) as grid:
        assert dict(zip(SPELLED, grid.labels(0).names, strict=True)) == SPELLED
        assert grid.texts(0) == list(SPELLED.values())
        assert [grid.cell(row, 0) for row in range(grid.n_rows)] == list(SPELLED.values())
        numbers = grid.numbers([0])[0]
    expected = np.array([float(value) for value in SPELLED])
    np.testing.assert_array_equal(numbers, np.where(np.abs(expected) > 1e30, np.inf, expected))


@SIZES
@pytest.mark.parametrize("value", ["[1e400,-Infinity,NaN,1e-7]", '{"é":[1e400,"1e400"]}'])
def test_a_number_in_a_list_has_the_same_spelling(tmp_path, size, value):
    """And it is told from a text."""
    path = written(tmp_path, ["1", value])
    with size(), open_grid(open_source(path)) as grid:
        assert grid.texts(0) == ["1", value]
        with pytest.raises(ReadError, match=r"is not a name") as error:
            grid.labels(0)
    assert error.value.line == 2


def test_lists_as_deep_as_the_parser_takes_are_shown(tmp_path):
    """Or refused, with the place."""
    for depth in (100, 400, 900):
        path = written(tmp_path, ["[" * depth + "]" * depth, "2"])
        with pytest.raises(ReadError):
            bt.read_scores(path)


@SIZES
@pytest.mark.parametrize("value", ["Infinity", "1e9991"])
def test_an_infinite_score_is_quoted_as_written(tmp_path, size, value):
    """Not as Python would write it."""
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"id": 1, "A": 0.5, "B": 1}}\n{{"id": 2, "A": {value}, "B": 1}}\n', encoding="utf-8")
    with size(), pytest.raises(ReadError, match=f'line 2: "{value}" is infinite') as error:
        bt.read_scores(path)
    assert error.value.code == "BT014"


def test_rows_are_chosen_by_the_same_spelling(tmp_path):
    """And what is kept is kept as it is."""
    path = written(tmp_path, ["1e9991", "1e-7", "2", "Infinity"])
    chosen = ("1e9991", "1e-7", "Infinity")
    assert bt.read_scores(path, where={"id": chosen}, item="id").segments == chosen
