"""Standard output that is full, closed, or read only to its first line; and files of another kind than expected."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.everyday import few

RUN = "from betterthan.cli.main import main; main()"
COMMANDS = [("rank", "s.csv"), ("--help",), ("study", "--list"), ("check", "s.csv", "--json")]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Stand in a folder with scores."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BETTERTHAN_CACHE", str(tmp_path / "cache"))
    rows = "".join(f"{i},{i % 5}.5,{i % 3}.25\n" for i in range(12))
    Path("s.csv").write_text(f"id,A,B\n{rows}", encoding="utf-8")


@pytest.mark.parametrize("command", few(COMMANDS, 2), ids=" ".join)
def test_a_reader_that_has_seen_enough_is_no_error(command):
    """As in ``betterthan rank scores.csv | head -1``."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", RUN, *command], stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("command", few(COMMANDS, 2), ids=" ".join)
def test_a_full_disk_is_no_fault_of_ours(command):
    """One line, exit code 2."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", RUN, *command],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"(No space left on device)" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="a shell that can close streams")
def test_a_closed_standard_output_is_said(tmp_path):
    """An answer that nobody gets is no success; one in a file is."""
    shell = f'"{sys.executable}" -c "{RUN}" rank s.csv'
    done = subprocess.run(f"{shell} >&-", shell=True, capture_output=True, check=False, timeout=60)  # noqa: S602
    assert (done.returncode, b"Standard output is closed" in done.stderr) == (2, True)
    done = subprocess.run(f"{shell} -o r.json >&-", shell=True, capture_output=True, check=False, timeout=60)  # noqa: S602
    assert done.returncode == 0
    assert (tmp_path / "r.json").read_text(encoding="utf-8").startswith("{")


def test_the_demo_says_where_it_cannot_write(betterthan):
    """In one line."""
    Path("file").write_text("x", encoding="utf-8")
    said = betterthan("demo", "--output", "file/demo")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "cannot be made (Not a directory)" in said.err


def test_rankings_are_not_looked_for_in_tags(betterthan):
    """A file that gives no table gives no ranking."""
    Path("x.tags").write_text("OK BAD\nOK\n", encoding="utf-8")
    said = betterthan("human", "rr", "x.tags")
    assert (said.code, "x.tags holds no rankings" in said.err) == (2, True)


@pytest.mark.parametrize("rows", ["1,2,1\n2,1,2\n", "1,2,2\n2,1,1\n3,4,4\n"])
def test_a_study_of_triples_without_a_changed_pair(betterthan, rows):
    """Two systems have no triple, and systems that tie have no order to change."""
    Path("few.csv").write_text(f"id,A,B\n{rows}", encoding="utf-8")
    said = betterthan("study", "independence", "--data", "few.csv", "--quick")
    assert said.code == 0, said.err
    assert "changes the order of a pair 0 times" in " ".join(said.out.split())
