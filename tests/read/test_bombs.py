"""Small files that would fill the memory or the disk: each ends in one sentence, in a budget of 256 MB."""

from __future__ import annotations

import gzip
import io
import json

import pytest

import betterthan as bt
from betterthan import budget, scratch
from betterthan.errors import ReadError
from betterthan.read.grid.grid import MemoryGrid
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.source import packed
from betterthan.read.source.source import open_source

WIDE = "id,A,B\n1,0.5,0.25\n2,0.5,0.125\n"


@pytest.fixture(autouse=True)
def small():
    """The least budget."""
    budget.limit_memory(budget.LEAST)
    yield
    budget.limit_memory(None)


def refusal(given) -> ReadError:
    """The error that reading ends in."""
    with pytest.raises(ReadError) as caught:
        bt.read_scores(given)
    assert "\n" not in str(caught.value)
    return caught.value


def parquet(path, query):
    """Write the rows of a query as Parquet."""
    duckdb = pytest.importorskip("duckdb")
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    return path


@pytest.mark.slow
def test_equal_rows_without_end_in_parquet(tmp_path):
    """Forty columns of four million equal numbers take a few kilobytes, and 1.2 GB as a table."""
    columns = ", ".join(f"0.5 AS s{i}" for i in range(40))
    path = parquet(tmp_path / "a.parquet", f"SELECT 1 AS id, {columns} FROM range(4000000)")  # noqa: S608
    assert path.stat().st_size < 1 << 20
    error = refusal(path)
    assert error.code == "BT250"
    assert "Reading 40 columns of numbers with 4,000,000 rows needs about 2.4 GB of memory" in str(error)
    assert "the budget of 256 MB" in str(error)
    assert "BETTERTHAN_MEMORY" in str(error)
    assert [problem.code for problem in bt.check(path).problems] == ["BT250"]


def test_many_rows_are_refused_before_the_first_column_is_fetched(tmp_path):
    """Each column of five million rows would fit into the budget, the table that is made of them would not."""
    path = parquet(tmp_path / "a.parquet", "SELECT 1 AS id, 0.5 AS a, 0.25 AS b FROM range(5000000)")
    assert "Reading a table with 5,000,000 rows needs about 306 MB of memory" in str(refusal(path))


def test_one_long_text_in_every_row_of_parquet(tmp_path):
    """It is stored once, and would be held a thousand times."""
    path = parquet(tmp_path / "a.parquet", "SELECT repeat('x', 1000000) AS text FROM range(1000)")
    with (
        open_grid(open_source(path)) as grid,
        pytest.raises(ReadError, match="a column of texts with 1,000 rows"),
    ):
        grid.texts(0)


@pytest.mark.parametrize("size", ["held", "large"])
def test_a_new_key_in_every_row(tmp_path, size):
    """Each would be a column: 30,000 rows of 60 bytes are 900 million cells."""
    pad = "x" * (200 if size == "large" else 1)
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": f"{i}{pad}", f"k{i}": i}) + "\n" for i in range(30_000)))
    error = refusal(path)
    assert error.code == "BT251"
    assert "more than 20,000 different keys" in str(error)


def test_many_keys_and_many_rows(tmp_path):
    """Fewer keys than the limit, but more cells than the budget holds."""
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": i, f"k{i % 15_000}": i}) + "\n" for i in range(45_000)))
    with pytest.raises(
        bt.BetterThanError, match=r"a\.jsonl: A table of 45,000 rows × 15,001 keys needs about 5\.0 GB"
    ):
        bt.read_scores(path)


def test_gzip_that_grows_without_end(tmp_path, monkeypatch):
    """A thousandth of what it unpacks to."""
    monkeypatch.setattr(budget, "most_unpacked", lambda: 1 << 25)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(WIDE.encode() + b"3,0.5,0.5\n" * (1 << 22)))
    error = refusal(path)
    assert error.code == "BT336"
    assert "The decompressed file has more than 32 MB" in str(error)
    path.write_bytes(gzip.compress(WIDE.encode()))
    assert bt.read_scores(path).n_segments == 2


@pytest.mark.parametrize(
    "stream", [io.BytesIO(b"1,2\n" * 10_000), io.StringIO("1,2\n" * 10_000)], ids=["bytes", "text"]
)
def test_streams_that_do_not_end(monkeypatch, stream):
    """What was copied so far is removed."""
    before = set(scratch.folder().iterdir())
    monkeypatch.setattr(packed, "_CHUNK", 1000)
    monkeypatch.setattr(budget, "most_unpacked", lambda: 20_000)
    error = refusal(stream)
    assert error.code == "BT252"
    assert set(scratch.folder().iterdir()) <= before


def test_the_engine_stays_below_its_share(tmp_path):
    """What it may hold follows the budget."""
    path = parquet(tmp_path / "a.parquet", "SELECT i AS id, i AS a, i AS b FROM range(10) t(i)")
    with open_grid(open_source(path)) as grid:
        assert not isinstance(grid, MemoryGrid)
        found = grid.fetch("SELECT current_setting('memory_limit')").fetchone()
        assert found == ("128.0 MiB",)
