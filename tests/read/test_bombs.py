"""Small files that would fill the memory or the disk: each ends in one sentence, in a budget of 256 MB."""

from __future__ import annotations

import gzip
import io
import json
import re

import pytest

import betterthan as bt
from betterthan import budget, scratch
from betterthan.errors import ReadError
from betterthan.read.grid import open_grid as open_grid_module
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
    path = parquet(tmp_path / "a.parquet", f"SELECT i AS id, {columns} FROM range(4000000) t(i)")  # noqa: S608
    assert path.stat().st_size < 1 << 25
    error = refusal(path)
    assert error.code == "BT250"
    assert "Reading 40 columns of numbers with 4,000,000 rows needs about 2.4 GB of memory" in str(error)
    assert "the budget of 256 MB" in str(error)
    assert "BETTERTHAN_MEMORY" in str(error)
    assert [problem.code for problem in bt.check(path).problems] == ["BT250"]


def test_rows_of_less_than_a_bit_are_refused_before_one_is_read(tmp_path):
    """The table would fit into the budget, but it would be a minute of work on one repeated row."""
    path = parquet(tmp_path / "a.parquet", "SELECT 1 AS id, 0.5 AS a, 0.25 AS b FROM range(2000000)")
    error = refusal(path)
    assert error.code == "BT336"
    assert "The file claims 2,000,000 rows in 1 MB" in str(error)
    assert "BETTERTHAN_MEMORY" in str(error)
    assert [problem.code for problem in bt.check(path).problems] == ["BT336"]


def test_battles_of_less_than_a_bit_are_counted(tmp_path):
    """They are added up where they are, and take no memory."""
    path = parquet(
        tmp_path / "a.parquet",
        "SELECT 'A' AS model_a, 'B' AS model_b, 'tie' AS winner FROM range(5000000)",
    )
    assert bt.read_matches(path).ties().sum() == 10_000_000


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_the_size_of_a_text_and_its_first_lines_announce_what_does_not_fit(tmp_path, monkeypatch, name):
    """So it is refused before it is read."""
    lines = WIDE.encode() + b"3,0.5,0.5\n" * 18_000_000
    path = tmp_path / name
    path.write_bytes(gzip.compress(lines, 1) if name.endswith("gz") else lines)
    monkeypatch.setattr(open_grid_module, "small_text", None)
    assert re.search("Reading a table with 1[789],000,000 rows needs about 1.1 GB", str(refusal(path)))


def test_lines_are_counted_where_the_first_ones_are_longer(tmp_path):
    """The beginning announces a thousand rows; the count ends the reading at four million."""
    path = tmp_path / "a.csv"
    with path.open("wb") as file:
        file.write(b"id,text,A,B\n" + b"".join(b"%d,%s,1,2\n" % (i, b"x" * 60_000) for i in range(2)))
        file.write(b"3,x,0.5,0.5\n" * 5_000_000)
    assert re.search(
        "Reading a table with 4,[23][0-9]{2},[0-9]{3} rows needs about 26[0-4] MB", str(refusal(path))
    )


def test_many_rows_are_refused_before_the_first_column_is_fetched(tmp_path):
    """Each column of five million rows would fit into the budget, the table that is made of them would not."""
    path = parquet(tmp_path / "a.parquet", "SELECT i AS id, i % 7 AS a, 0.25 AS b FROM range(5000000) t(i)")
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


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.zst"])
def test_what_grows_as_no_data_do_is_refused_before_it_is_unpacked(tmp_path, monkeypatch, name):
    """More than five hundred times, and beyond the budget."""
    line = WIDE.encode() + b"3,0.5,0.5\n" * (1 << 25)
    if name.endswith("gz"):
        data = gzip.compress(line)
    else:
        data = pytest.importorskip("zstandard").ZstdCompressor().compress(line)
    path = tmp_path / name
    path.write_bytes(data)
    monkeypatch.setattr(packed, "_unpack", None)
    error = refusal(path)
    assert error.code == "BT336"
    assert "The decompressed file has more than 256 MB" in str(error)


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
