"""Where bytes come from: paths, gzip, standard input, open files; and what is refused before reading."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from betterthan import scratch
from betterthan.errors import ReadError
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.scores import read_scores
from betterthan.read.sniff import read_any
from betterthan.read.source import source as source_module
from betterthan.read.source import source as text
from betterthan.read.source.source import HEAD_BYTES, open_source

WIDE = "id,A,B\n1,0.5,0.25\n2,0.5,0.125\n"


def refusal(given):
    """Return the error that reading raises."""
    with pytest.raises(ReadError) as caught:
        read_any(given)
    assert len(str(caught.value)) <= 400
    return caught.value


def put(folder, name, data):
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"", "BT003", "The file is empty. Check the program that wrote it."),
        (b" \n\t\n", "BT003", "The file is empty. Check the program that wrote it."),
        (b"\xef\xbb\xbf\n", "BT003", "The file is empty. Check the program that wrote it."),
        (gzip.compress(WIDE.encode(), mtime=0)[:-9], "BT004", "The gzip stream is truncated or damaged."),
        ("id,A,B\n1,\xe9,2\n".encode("latin-1"), "BT005", "The byte 0xe9 is not UTF-8."),
        (WIDE.encode("utf-16"), "BT005", "The file is UTF-16, not UTF-8."),
        (b"id,A,B\n1,\x00,2\n", "BT006", "The line contains a NUL byte"),
        (b"\x80\x04\x95junk", "BT008", "Opening pickled data can run arbitrary code"),
        (b"PAR1 and no more", "BT024", "The Parquet file is truncated or damaged"),
        (gzip.compress(b"PAR1 and no more", mtime=0), "BT024", "Parquet inside gzip cannot be read."),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path, data, code, message):
    """Each is named by its code, its place and its cure."""
    error = refusal(put(tmp_path, "x.csv", data))
    assert error.code == code
    assert message in str(error)


def test_paths_that_lead_nowhere_are_refused(tmp_path):
    """A missing file, a folder and a name with a NUL each say so."""
    assert refusal(str(tmp_path / "no.csv")).code == "BT001"
    assert refusal(str(tmp_path)).code == "BT002"
    assert refusal("a\x00b").code == "BT001"
    with pytest.raises(ReadError, match="File name too long"):
        read_any(str(tmp_path / ("x" * 5000)))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_refused(tmp_path):
    """Without permission there is a reason, not a traceback."""
    path = put(tmp_path, "x.csv", WIDE)
    Path(path).chmod(0)
    assert refusal(path).code == "BT002"


def test_gzip_cut_beyond_the_head_is_refused(tmp_path):
    """A stream that breaks late is found although its beginning reads well."""
    rng = np.random.default_rng(1)
    rows = "".join(f"{i},{a},{b}\n" for i, (a, b) in enumerate(rng.random((20_000, 2))))
    packed = gzip.compress(("id,A,B\n" + rows).encode())
    error = refusal(put(tmp_path, "x.csv.gz", packed[: len(packed) * 3 // 4]))
    assert error.code == "BT004"
    assert error.line is not None
    assert error.line * 20 > HEAD_BYTES


def test_gzip_in_several_members_is_read_whole(tmp_path):
    """Concatenated gzip files are one file, for the parser and for the engine."""
    packed = gzip.compress(WIDE.encode()) + gzip.compress(b"3,1,2\n")
    path = put(tmp_path, "x.csv.gz", packed)
    assert read_scores(path).n_segments == 3
    with open_grid(open_source(path), small=1) as grid:
        assert grid.n_rows == 3


def test_a_huge_line_is_refused_without_reading_it_all(tmp_path):
    """100 MB without a line end do not end up in memory."""
    path = tmp_path / "x.csv"
    with path.open("wb") as file:
        file.write(b"id,A,B\n1,2,3\n")
        for _ in range(100):
            file.write(b"7" * (1 << 20))
    error = refusal(str(path))
    assert (error.code, error.line) == ("BT007", 3)


def test_faults_far_into_a_large_file_are_found(tmp_path, monkeypatch):
    """The check of files too large to hold sees every byte, and names the line."""
    monkeypatch.setattr(text, "_CHUNK", 1 << 10)
    rows = "".join(f"{i},1,2\n" for i in range(3000)).encode()
    for bad, code in ((b"\x00", "BT006"), (b"\xff", "BT005")):
        source = open_source(put(tmp_path, "x.csv", b"id,A,B\n" + rows + bad + b",1,2\n"))
        with pytest.raises(ReadError) as caught:
            text.small_text(source, limit=100)
        assert (caught.value.code, caught.value.line) == (code, 3002)
    fine = open_source(put(tmp_path, "y.csv", b"id,A,B\n" + rows))
    assert text.small_text(fine, limit=100) is None


@pytest.mark.parametrize(
    "stream",
    [io.StringIO(WIDE), io.BytesIO(WIDE.encode()), io.BytesIO(gzip.compress(WIDE.encode(), mtime=0))],
)
def test_open_files_are_read(stream):
    """Text, bytes and compressed bytes give the same scores."""
    assert read_scores(stream).values.tolist() == [[0.5, 0.5], [0.25, 0.125]]


def test_streams_leave_nothing_behind():
    """The temporary copy of a stream and the engine's folder are gone afterwards."""
    before = set(scratch.folder().iterdir())
    read_scores(io.StringIO(WIDE))
    source = open_source(io.StringIO(WIDE))
    with open_grid(source, small=1) as grid:
        assert grid.n_rows == 2
    del grid, source
    assert set(scratch.folder().iterdir()) <= before


def test_streams_that_fail_leave_nothing_behind():
    """A closed file, a broken one and a cut gzip stream are refused, and their copies removed."""
    before = set(scratch.folder().iterdir())
    closed = io.StringIO(WIDE)
    closed.close()
    assert refusal(closed).code == "BT002"
    wrong = io.TextIOWrapper(io.BytesIO(b"\xff\xff\xff"), encoding="utf-8")
    assert refusal(wrong).code == "BT002"
    assert refusal(io.BytesIO(gzip.compress(WIDE.encode())[:-9])).code == "BT004"
    assert set(scratch.folder().iterdir()) <= before


def test_standard_input_elsewhere_in_another_language(tmp_path):
    """A pipe is read the same in any folder and locale."""
    program = "import betterthan.read.scores as r; s = r.read_scores('-'); print(ascii(s.systems), s.values.tolist())"
    text_in = "id,Ä,B\n1,0.5,0.25\n2,0.5,0.125\n".encode()
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        input=text_in, capture_output=True, cwd=tmp_path, env=environment, check=True,
    )  # fmt: skip
    assert done.stdout.decode().strip() == r"('\xc4', 'B') [[0.5, 0.5], [0.25, 0.125]]"
    assert list(tmp_path.iterdir()) == []


def test_reading_a_small_table_loads_no_engine():
    """Importing and reading a CSV of ordinary size need neither DuckDB nor narwhals nor a data frame library."""
    program = (
        "import io, sys; from betterthan.read.scores import read_scores; "
        f"read_scores(io.StringIO({WIDE!r})); "
        "print([m for m in ('duckdb', 'narwhals', 'pandas', 'polars', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_line_of_commas_is_looked_at_in_a_moment():
    """Twenty times as many cells are no table, and no reader is asked about each of them."""
    begun = time.process_time()
    assert read_any(io.StringIO("," * 200_000 + "\n1,2\n")).format.name == "text"
    assert time.process_time() - begun < 5


def test_ten_thousand_columns_are_read():
    """A very wide table is read in a moment."""
    m = 10_000
    header = ",".join(f"system-number-{i}" for i in range(m))
    rows = "".join(",".join(f"{(i * 7 + j) % 97 / 97:.6f}" for i in range(m)) + "\n" for j in range(3))
    scores = read_scores(io.StringIO(f"{header}\n{rows}"))
    assert scores.values.shape == (m, 3)


def test_the_beginning_of_a_file_is_read_once(tmp_path, monkeypatch):
    """Recognising and reading a table look at the same first bytes."""
    path = tmp_path / "scores.csv"
    path.write_text("item,A,B\n1,0.5,0.25\n2,0.75,0.5\n", encoding="utf-8")
    looks = []
    monkeypatch.setattr(
        "betterthan.read.source.source._first_bytes",
        lambda path, name, first=source_module._first_bytes: looks.append(name) or first(path, name),
    )
    assert read_any(path).tables[0].systems == ("A", "B")
    assert looks == [str(path)]
