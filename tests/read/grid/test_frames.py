"""Data frames and dicts are read by the same rules as files."""

# ruff: noqa: PD011  (the values are those of our tables)

from __future__ import annotations

import io
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.everyday import examples

from betterthan.errors import BetterThanError, ReadError, TableError
from betterthan.read.check import check
from betterthan.read.protocol import Options
from betterthan.read.scores import read_metrics, read_ratings, read_scores
from betterthan.read.sniff import read_any

MAKERS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "dict": dict,
    "lazy": pl.LazyFrame,
}
cell = st.one_of(st.none(), st.floats(-1e6, 1e6))


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
@settings(max_examples=examples(15))
@given(st.lists(st.tuples(cell, cell), min_size=2, max_size=4))  # with more rows, values alone raise doubts
def test_frames_equal_csv(maker, rows):
    """Wide and long frames give the table that the CSV of the same numbers gives."""
    first, second = ([row[i] for row in rows] for i in (0, 1))
    if all(value is None for value in first + second):
        first[0] = 1.0
    ids = [f"s{i}" for i in range(len(rows))]
    wide = {"id": ids, "A": first, "B": second}
    long = {"item": ids * 2, "system": ["A"] * len(ids) + ["B"] * len(ids), "score": first + second}
    lines = [
        ",".join("" if cell is None else str(cell) for cell in row) + "\n"
        for row in zip(*wide.values(), strict=True)
    ]
    expected = read_scores(io.StringIO("id,A,B\n" + "".join(lines)))
    assert read_scores(maker(wide)) == expected
    assert read_scores(maker(long)) == expected


def test_a_dict_of_lists_is_wide():
    """Keys are systems; arrays, tuples and integers will do."""
    found = read_scores({"A": np.array([1, 2]), "B": (3, None)})
    assert found.systems == ("A", "B")
    assert math.isnan(found.values[1, 1])


def test_missing_values_of_every_library():
    """None, NaN, NA and NaT are all missing."""
    frame = pd.DataFrame({"A": [1.0, float("nan"), 2], "B": pd.array([1, pd.NA, 3], dtype="Int64")})
    assert np.isnan(read_scores(frame).values[:, 1]).all()
    frame = pd.DataFrame({"A": [None, "3", "x"], "B": [1, 2, 3]})
    with pytest.raises(ReadError, match=r'data frame: Row 3: "x" is not a number \(column "A"\)'):
        read_scores(frame)


def test_categories_booleans_and_dates_are_fine():
    """Categorical systems, boolean scores and dates as ids are read."""
    frame = pd.DataFrame(
        {
            "item": pd.to_datetime(["2024-01-01", "2024-01-02"] * 2),
            "system": pd.Categorical(["A", "A", "B", "B"]),
            "correct": [True, False, True, True],
        }
    )
    found = read_scores(frame)
    assert (found.name, found.systems) == ("correct", ("A", "B"))
    assert found.values.tolist() == [[1.0, 0.0], [1.0, 1.0]]


def test_metrics_and_ratings_from_frames():
    """The other readers take frames too."""
    frame = pl.DataFrame({"item": [1, 2], "system": ["A", "A"], "BLEU": [1.0, 2.0], "TER": [3.0, 4.0]})
    assert list(read_metrics(frame)) == ["BLEU", "TER"]
    judged = pl.DataFrame({"item": [1, 2], "system": ["A", "A"], "rater": ["x", "y"], "score": [3.0, 4.0]})
    assert read_ratings(judged).judges == ("x", "y")
    assert read_any(judged).format.name == "ratings"
    assert read_any(frame, Options(columns={"score": "TER"})).tables[0].values.tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"A": [1, 2], "B": [1]}, '"A" has 2 values and "B" has 1; the columns of a table must have equal lengths'),
        ({"A": "xyz"}, '"A" holds str, not a list of scores'),
        ({"A": 3}, '"A" holds int, not a list of scores'),
        ({"A": np.zeros((2, 2))}, '"A" has 2 axes where a list of scores is needed'),
        ({}, "There is a header but no row below it"),
        ({"A": [], "B": []}, "There is a header but no row below it"),
        ({"A": [1, 2], "B": ["x", "y"]}, '"x" is not a number'),
        ({"A": [[1], 2], "B": [1, 2]}, r'Row 1: "\[1\]" is not a number'),
        ({"item": [[1], 2], "A": [1, 2], "B": [1, 2]}, r'Row 1: "\[1\]" is not a name'),
        ({"item": ["a", "a"], "A": [1, 2], "B": [1, 2]}, 'Segment "a" of system "A" was already given in row 1'),
        (pd.Series([1, 2]), "A Series is not a table"),
        (17, "A path or an open file"),
        (None, "A path or an open file"),
        ([1, 2], "A path or an open file"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused(given, message):
    """Every refusal is one of our errors and says what is wrong."""
    with pytest.raises(BetterThanError, match=message):
        read_scores(given)


def test_an_unknown_layout_is_named():
    """A data frame can be any table, but no layout of files."""
    with pytest.raises(BetterThanError, match='Unknown layout of a data frame "mqm"'):
        read_any({"A": [1, 2]}, format="mqm")
    with pytest.raises(TableError):
        read_scores({"A": [1, 2], "B": 3})


FRAMES = {
    "long": ("item,system,score", "1,A,0.5 1,B,0.25 2,A,0.75 2,B,1.0"),
    "wide": ("id,A,B", "x,0.5,0.25 y,0.75,1.0"),
    "ratings": ("item,system,rater,score", "1,A,x,0.5 1,B,x,0.25 1,A,y,0.75 1,B,y,1.0"),
    "battles": ("model_a,model_b,winner,judge", "A,B,model_a,x B,C,tie,y A,C,model_b,x"),
    "rankings": (
        "judgeId,srcIndex,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank",
        "x,7,A,1,B,2,C,2 y,8,B,1,C,3,A,2",
    ),
    "tags_table": ("item,system,position,tag", "1,@gold,0,OK 1,@gold,1,BAD 1,A,0,OK 1,A,1,OK"),
    "texts_table": ("item,system,text", "1,A,one 2,A,two 1,@ref,eins 2,@ref,zwei"),
}


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_is_checked_as_its_file_is(name, maker, tmp_path):
    """Layout, tables, rows, problems and preview of the CSV with the same cells."""
    header, rows = FRAMES[name]
    path = tmp_path / "score.csv"
    path.write_text(header + "\n" + "".join(f"{row}\n" for row in rows.split()))
    columns = list(zip(*(row.split(",") for row in rows.split()), strict=True))
    by_file = check(path)
    by_frame = check(maker(dict(zip(header.split(","), map(list, columns), strict=True))))
    for field in ("format", "because", "contents", "rows_read", "rows_kept", "preview", "preview_columns"):
        assert getattr(by_frame, field) == getattr(by_file, field), field
    assert by_frame.format == name
    assert [problem.code for problem in by_frame.problems] == [problem.code for problem in by_file.problems]
    assert by_frame.exit_code == by_file.exit_code == 0


def test_columns_of_a_frame_of_battles_may_be_named():
    """Also rows that are chosen, and a reading of scores that says what it found."""
    frame = pd.DataFrame({"erstes": ["A", "B"], "zweites": ["B", "C"], "winner": ["left", "tie"]})
    named = Options(columns={"left": "erstes", "right": "zweites"})
    assert check(frame, options=named).contents == ("battles: 2 between 3 systems, 1 of them ties",)
    with pytest.raises(ReadError, match="These are battles, not scores"):
        read_scores({"left": ["A"], "right": ["B"], "winner": ["left"]})
