"""What is written and read back is the same table, whatever the container."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.everyday import examples
from tests.strategies import ratings, scores, tags, texts

from betterthan.errors import BetterThanError, TableError, UnknownName
from betterthan.read.formats.tables.long_table import read_grid
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import Options
from betterthan.read.scores import read_metrics, read_ratings, read_scores
from betterthan.read.sniff import read_any
from betterthan.read.source.source import open_source
from betterthan.read.write.write import write_table
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.scores import Scores

TEXT = (".csv", ".tsv", ".jsonl", ".csv.gz", ".jsonl.gz")
few = settings(suppress_health_check=[HealthCheck.too_slow])
fewer = settings(max_examples=examples(12), suppress_health_check=[HealthCheck.too_slow])


def there_and_back(table, suffix):
    """Write a table and read the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        write_table(table, path)
        return read_any(path)


def is_same(reading, table):
    """Whether a table was read back; notes may tell of cells that span lines and of names that look alike."""
    (found,) = reading.tables
    return type(found) is type(table) and found.digest == table.digest


@few
@given(scores(), st.sampled_from(TEXT))
def test_scores_survive_text(table, suffix):
    """Scores written as text are read back equal, notes and all."""
    reading = there_and_back(table, suffix)
    assert is_same(reading, table)
    assert reading.rows_read == reading.rows_kept == table.values.size


@fewer
@given(scores())
def test_scores_survive_parquet(table):
    """Scores written as Parquet are read back equal."""
    assert is_same(there_and_back(table, ".parquet"), table)


@few
@given(ratings(), st.sampled_from(TEXT))
def test_ratings_survive_text(table, suffix):
    """Ratings written as text are read back equal."""
    assert is_same(there_and_back(table, suffix), table)


@few
@given(tags(), st.sampled_from(TEXT))
def test_tags_survive_text(table, suffix):
    """Word tags written as text are read back equal."""
    assert is_same(there_and_back(table, suffix), table)


@few
@given(texts(), st.sampled_from(TEXT))
def test_texts_survive_text(table, suffix):
    """Texts written as text are read back equal, empty texts among them."""
    assert is_same(there_and_back(table, suffix), table)


@fewer
@given(scores(), st.sampled_from([".csv", ".tsv", ".jsonl", ".csv.gz", ".jsonl.gz"]))
def test_the_engine_and_the_parser_agree(table, suffix):
    """A large file, read in DuckDB, gives the same table as the parser for small ones."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        write_table(table, path)
        with open_grid(open_source(path), small=1) as grid:
            assert is_same(read_grid(grid, Options(), stem="table", because=""), table)


def test_several_metrics_share_a_file(tmp_path):
    """A list of scores goes into one file, and each metric keeps its direction."""
    tables = [
        Scores(name=name, systems=("A", "B"), segments=("1", "2"), values=np.eye(2), higher_is_better=up)
        for name, up in (("x", True), ("y", False))
    ]
    write_table(tables, tmp_path / "both.csv")
    assert list(read_metrics(tmp_path / "both.csv").values()) == tables


def test_canonical_columns(tmp_path):
    """The columns of a written table are the canonical ones."""
    table = Scores(name="m", systems=("A",), segments=("1", "2"), values=[[0.5, np.nan]], groups=("d", "d"))
    write_table(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == (
        "item,system,score,metric,doc,higher_is_better\n1,A,0.5,m,d,true\n2,A,,m,d,true\n"
    )


def test_a_missing_output_stays_missing(tmp_path):
    """An output that is None is not written, so that it is not read as an empty text."""
    from betterthan.tables.texts import Texts

    table = Texts(
        systems=("A", "B"), segments=("1", "2"), outputs=(("a", None), ("c", "")), references=(("r", "s"),)
    )
    write_table(table, tmp_path / "t.csv")
    assert read_any(tmp_path / "t.csv").tables == (table,)


def test_what_cannot_be_written_says_so(tmp_path):
    """An unknown suffix, a missing folder and counts are refused with a reason."""
    table = read_scores({"A": [1, 2], "B": [2, 3]})
    with pytest.raises(UnknownName, match=r'Unknown suffix of a table ".xlsx"'):
        write_table(table, tmp_path / "t.xlsx")
    with pytest.raises(BetterThanError, match=r"cannot be written \(No such file or directory\)"):
        write_table(table, tmp_path / "no" / "t.csv")
    with pytest.raises(BetterThanError, match="cannot be written"):
        write_table(table, tmp_path / "no" / "t.parquet")
    formula = Formula(name="mean", pooled=lambda sums: sums[..., 0])
    counts = Counts(
        name="c", systems=("A",), segments=("1",), columns=("n",), values=[[[1]]], formula=formula
    )
    with pytest.raises(TableError, match="Counts cannot be written as plain rows"):
        write_table(counts, tmp_path / "t.csv")
    with pytest.raises(TableError, match="There is no table to write"):
        write_table([], tmp_path / "t.csv")


def test_ratings_are_averaged_when_scores_are_asked_for(tmp_path):
    """A table with judges gives scores too, with a note."""
    path = tmp_path / "da.csv"
    path.write_text("item,system,rater,score\n1,A,x,70\n1,A,y,90\n1,B,x,40\n2,A,x,\n", encoding="utf-8")
    averaged = read_scores(path)
    assert averaged.values.tolist() == [[80.0], [40.0]]
    assert averaged.notes[0] == "1 rows were left out: no score."
    assert averaged.notes[1].startswith("A segment of a system has 1.5 judgments (median).")
    assert averaged.notes[2] == "3 judgments by 2 judges were averaged."
    assert read_ratings(path).n_judgements == 3
