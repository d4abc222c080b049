"""What is packed, piped or archived: read where it can be bounded, refused with the cure where it cannot."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import sys
import tarfile
import zipfile

import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan import budget, scratch
from betterthan.errors import MissingExtra, ReadError
from betterthan.read.problems import PROBLEMS
from betterthan.read.sniff import read_any, sniff
from betterthan.read.source import packed

WIDE = b"id,A,B\n" + b"".join(b"%d,%d,%d\n" % (i, i % 7, i % 5) for i in range(500))


def refusal(given, code):
    """The message of the error that reading raises."""
    with pytest.raises(ReadError) as caught:
        read_any(given)
    assert caught.value.code == code, caught.value
    return str(caught.value)


@pytest.fixture(scope="module")
def zstandard():
    """The optional package."""
    return pytest.importorskip("zstandard", reason="the extra `logs` is not installed")


@pytest.mark.parametrize("form", ["path", "stream", "two frames", "in a folder"])
def test_zstandard_is_read_like_gzip(zstandard, tmp_path, form):
    """The same scores, named without .zst."""
    pack = zstandard.ZstdCompressor().compress
    data = pack(WIDE) if form != "two frames" else pack(WIDE[:100]) + pack(WIDE[100:])
    path = tmp_path / "BLEU.csv.zst"
    path.write_bytes(data)
    expected = bt.read_scores(io.BytesIO(WIDE), name="BLEU")
    given = {"stream": io.BytesIO(data), "in a folder": tmp_path}.get(form, path)
    scores = bt.read_scores(given, name="BLEU" if form == "stream" else None)
    assert scores == expected


def test_large_zstandard_reaches_the_engine(zstandard, tmp_path):
    """DuckDB reads what was unpacked; texts and folders of texts too."""
    rows = "".join(f"{i},A,{i % 9},s\n{i},B,{i % 4},s\n" for i in range(200_000))
    path = tmp_path / "big.csv.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(b"item,system,score,doc\n" + rows.encode()))
    assert bt.read_scores(path).n_segments == 200_000
    (tmp_path / "a.txt.zst").write_bytes(zstandard.ZstdCompressor().compress(b"x y\nz\n"))
    assert bt.read_texts(tmp_path / "a.txt.zst").systems == ("a",)


def test_zstandard_leaves_nothing_behind(zstandard, tmp_path):
    """Neither when it is read nor when it is damaged."""
    path = tmp_path / "BLEU.csv.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(WIDE))
    before = set(scratch.folder().iterdir())
    bt.read_scores(f"ours={path}")
    path.write_bytes(path.read_bytes()[:-20])
    assert "The Zstandard stream is truncated or damaged" in refusal(path, "BT004")
    assert set(scratch.folder().iterdir()) <= before


def test_what_grows_without_end_is_refused(zstandard, tmp_path, monkeypatch):
    """A few bytes that unpack to more than is allowed, a piece at a time."""
    monkeypatch.setattr(budget, "most_unpacked", lambda: 1 << 26)
    path = tmp_path / "bomb.csv.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(b"0" * (1 << 28)))
    assert path.stat().st_size < 1 << 16
    message = refusal(path, "BT336")
    assert "more than 64 MB" in message
    assert "BETTERTHAN_MEMORY" in message


def test_without_the_package_the_cure_is_told(tmp_path, monkeypatch):
    """And no traceback."""
    path = tmp_path / "x.csv.zst"
    path.write_bytes(packed.ZSTANDARD + b"junk")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtra, match=r"pip install 'betterthan\[logs\]'"):
        read_any(path)


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_damaged_zstandard_gives_a_table_or_our_error(zstandard, trials):
    """No foreign exception escapes."""
    rng = random.Random(f"zstandard {trials}")  # noqa: S311  (not for secrets)
    good = zstandard.ZstdCompressor(write_checksum=True).compress(WIDE)
    seen = {outcome(read_any, io.BytesIO(damaged(good, rng))) for _ in range(trials)}
    assert {"BT004"} < seen


def zipped(*names):
    """A ZIP file with these members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    return stream.getvalue()


def tarred():
    """A tape archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        info = tarfile.TarInfo("../../evil.csv")
        info.size = len(WIDE)
        archive.addfile(info, io.BytesIO(WIDE))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "cure"),
    [
        (zipped("scores.csv"), "unzip FILE"),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "Save the sheet as CSV"),
        (tarred(), "tar xf FILE"),
        (gzip.compress(tarred(), mtime=0), "tar xf FILE"),
        (bz2.compress(WIDE), "bunzip2 FILE"),
        (lzma.compress(WIDE), "unxz FILE"),
    ],
)
def test_archives_are_refused_with_the_cure(data, cure):
    """They may hold anything."""
    assert cure in refusal(io.BytesIO(data), "BT338")


@pytest.mark.parametrize("evil", ["../evil.json", "/etc/passwd", "a/../../b", "C:\\evil.json", "..\\evil"])
def test_paths_that_lead_out_of_an_archive_are_refused(tmp_path, evil):
    """A log of Inspect that would write elsewhere, if somebody unpacked it."""
    path = tmp_path / "log.eval"
    path.write_bytes(zipped("header.json", "summaries.json", evil))
    assert "a path outside the archive" in refusal(path, "BT340")


def test_pipes_and_devices_are_refused(tmp_path):
    """They would wait for ever, or never end."""
    os.mkfifo(tmp_path / "pipe.csv")
    assert "Send it through standard input" in refusal(tmp_path / "pipe.csv", "BT337")
    refusal("/dev/zero", "BT337")
    refusal("/dev/null", "BT337")


def test_links_in_a_circle_are_refused(tmp_path):
    """With a reason."""
    (tmp_path / "a.csv").symlink_to(tmp_path / "b.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    refusal(tmp_path / "a.csv", "BT001")


def test_every_code_is_explained():
    """What is raised can be looked up."""
    assert {
        *(f"BT{i}" for i in range(230, 238)),
        "BT240",
        *(f"BT{i}" for i in range(330, 342)),
    } <= PROBLEMS.keys()


def test_a_gzip_of_a_table_is_still_a_table():
    """Archives are told by their contents, not by their packing."""
    assert sniff(io.BytesIO(gzip.compress(WIDE))).format == "wide"
