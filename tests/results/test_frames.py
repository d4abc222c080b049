"""Data frames of results have the types of their columns in every library."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.made import a_ranking
from tests.results.every_kind import result_of

import betterthan as bt
from betterthan.results.base import frame_of, type_of_column
from betterthan.results.registry import RESULT_KINDS


def types_in(frame):
    """The type of each column, in Python's words."""
    if isinstance(frame, pd.DataFrame):
        kinds = {"b": bool, "i": int, "f": float}
        return {name: kinds.get(frame[name].dtype.kind, str) for name in frame.columns}
    if isinstance(frame, pl.DataFrame):
        kinds = {pl.Boolean: bool, pl.Int64: int, pl.Float64: float, pl.String: str}
        return {name: kinds[kind] for name, kind in frame.schema.items()}
    kinds = {pa.bool_(): bool, pa.int64(): int, pa.float64(): float, pa.string(): str}
    return {field.name: kinds[field.type] for field in frame.schema}


def cells_of(frame):
    """All cells by column, missing ones as None."""
    if isinstance(frame, pd.DataFrame):
        return {
            name: [None if pd.isna(cell) else cell for cell in frame[name].tolist()] for name in frame.columns
        }
    return frame.to_dict(as_series=False) if isinstance(frame, pl.DataFrame) else frame.to_pydict()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("kind", RESULT_KINDS)
def test_every_kind_has_typed_columns(kind, backend):
    """Numbers as numbers, truth values as such, missing as missing; the cells are those of columns()."""
    result = result_of(kind)
    frame = result.to_frame(backend)

    assert types_in(frame) == result.column_types()
    assert set(result.column_types()) == set(result.columns())
    cells = cells_of(frame)
    for name, values in result.columns().items():
        assert cells[name] == [None if value != value else value for value in values]  # noqa: PLR0124  (NaN)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_columns_of_a_ranking_have_these_types(backend):
    """The ones that a user would expect."""
    types = types_in(result_of("ranking").to_frame(backend))

    assert types["rank"] is types["rank_low"] is types["cluster"] is int
    assert types["strength"] is types["low"] is float
    assert types["system"] is types["letters"] is str
    assert types_in(result_of("judges").to_frame(backend))["keep"] is bool
    assert types_in(result_of("agreement").to_frame(backend))["same_best"] is bool


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_columns_without_values_keep_their_types(backend):
    """No identical output, no verdict, nothing printed: the types are those of a full table."""
    full = result_of("identical_outputs")
    empty = replace(full, identical_pairs=())
    assert types_in(empty.to_frame(backend)) == full.column_types()

    pairs = replace(result_of("pairwise"), alpha=0.0)
    assert pairs.columns()["verdict"] == [None] * 6
    assert types_in(pairs.to_frame(backend))["verdict"] is str
    assert cells_of(pairs.to_frame(backend))["verdict"] == [None] * 6

    study = result_of("study")
    bare = replace(study, tables=tuple(replace(table, printed=None) for table in study.tables))
    assert types_in(bare.to_frame(backend)) == types_in(study.to_frame(backend))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_missing_number_is_missing_in_the_librarys_own_way(backend):
    """NaN in pandas; null in polars and pyarrow, whose means would be NaN otherwise."""
    frame = a_ranking(low=[1.5, np.nan]).to_frame(backend)
    if backend == "pandas":
        assert frame["low"].isna().tolist() == [False, True]
    else:
        assert cells_of(frame)["low"] == [1.5, None]
    if backend == "polars":
        assert frame["low"].mean() == 1.5


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_whole_numbers_and_truth_values_may_be_missing(backend):
    """They stay what they are."""
    columns = {"n": [1, None], "is_so": [None, True]}
    frame = frame_of(columns, {name: type_of_column(values) for name, values in columns.items()}, backend)

    assert types_in(frame) == {"n": int, "is_so": bool}
    assert cells_of(frame) == columns


def test_an_unknown_library_is_named():
    """With the ones there are."""
    with pytest.raises(bt.UnknownName, match='Unknown library of data frames "panda"'):
        a_ranking().to_frame("panda")


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    """And what to do."""
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(
        bt.BetterThanError, match="A data frame of polars needs polars, which is not installed"
    ):
        a_ranking().to_frame("polars")
