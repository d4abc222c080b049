"""The table Runs: what it holds, what it refuses, and how it is written."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from tests.made import drawn_runs, runs_of

import betterthan as bt
from betterthan.errors import ReadError, TableError
from betterthan.read.sniff import read_any

GAPS = [[[1, 0], [0, np.nan]], [[1, 1], [np.nan, np.nan]]]


def test_means_over_runs_are_literal_means():
    """NaN where no run has a score."""
    runs = runs_of(GAPS)
    assert np.array_equal(runs.to_scores().values, [[0.5, 0], [1, np.nan]], equal_nan=True)
    assert runs.runs_of_systems.tolist() == [2, 2]
    assert not runs.is_balanced
    assert runs.is_binary


def test_it_survives_json_and_pickle():
    """With factors, levels and groups."""
    runs = drawn_runs(groups=[f"d{i // 4}" for i in range(20)], independent=True)
    again = bt.Runs.from_dict(json.loads(json.dumps(runs.to_dict())))
    assert again == runs == pickle.loads(pickle.dumps(runs))  # noqa: S301
    assert again.digest == runs.digest


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
@pytest.mark.parametrize("independent", [False, True])
def test_it_is_written_and_read_back(tmp_path, suffix, independent):
    """Every column and factor; the name of the column of runs says what they are."""
    runs = drawn_runs(6, 2, groups=list("aabbcc"), independent=independent)
    bt.write_table(runs, tmp_path / f"runs.{suffix}")
    (again,) = read_any(tmp_path / f"runs.{suffix}").tables
    assert again == runs


def test_every_field_changes_the_digest():
    """Notes do not."""
    runs = drawn_runs(4, 2)
    changes = [
        {"name": "other"},
        {"higher_is_better": False},
        {"independent": True},
        {"factors": ("model", "temperature")},
        {"score": runs.score + 1},
    ]
    assert len({replace(runs, **change).digest for change in changes} | {runs.digest}) == len(changes) + 1
    assert replace(runs, notes=("seen",)).digest == runs.digest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"run": [0, 0, 0]}, "occurs twice in run"),
        ({"score": [1, 2, np.nan]}, "Row 3 has no score"),
        ({"system": [0, 0, 2]}, "must lie between 0 and 1"),
        ({"factors": ("model",)}, "one level of each factor"),
        ({"factors": ("model",), "levels": [["x"], ["x"]]}, "same level of every factor"),
        ({"groups": ["d"]}, "one group per segment"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    """With the reason."""
    fields = {
        "name": "m", "systems": ["A", "B"], "segments": ["1", "2"], "runs": ["1", "2"], "system": [0, 0, 1],
        "segment": [0, 0, 1], "run": [0, 1, 0], "score": [1.0, 2.0, 3.0],
    }  # fmt: skip
    with pytest.raises(TableError, match=message):
        bt.Runs(**{**fields, **options})


def test_lower_can_be_better_and_unclear():
    """Goodness turns the scores; an unclear direction is an error where it matters."""
    runs = runs_of(GAPS, higher_is_better=False)
    assert runs.goodness.tolist() == (0 - runs.score).tolist()
    with pytest.raises(ReadError, match="Which way"):
        _ = runs_of(GAPS, direction_doubt="Which way?").goodness


def test_systems_can_be_chosen():
    """In another order, with their levels; segments that only others have stay."""
    runs = drawn_runs(5, 2)
    chosen = runs.select([runs.systems[2], runs.systems[0]])
    assert chosen.levels == (runs.levels[2], runs.levels[0])
    assert np.array_equal(chosen.to_scores().values, runs.to_scores().values[[2, 0]])
