"""Files are written whole or not at all, and only where they should be."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import betterthan as bt
from betterthan.errors import BetterThanError
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign
from betterthan.read.write.write import write_table
from betterthan.writing import whole_file, write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and modes of POSIX")


def test_an_error_leaves_what_was_there_and_nothing_else(tmp_path):
    """No half of a file, no empty one, no scrap beside it."""
    place = tmp_path / "a.txt"
    place.write_text("before", encoding="utf-8")

    def interrupted(name):
        with whole_file(tmp_path / name) as part:
            part.write_text("half", encoding="utf-8")
            raise KeyboardInterrupt

    for name in ("a.txt", "new.txt"):
        with pytest.raises(KeyboardInterrupt):
            interrupted(name)
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]
    assert place.read_text(encoding="utf-8") == "before"


def test_a_full_disk_is_said_in_one_line_and_leaves_nothing(tmp_path, monkeypatch):
    """For every kind of file that is written."""

    def full(self, data):  # noqa: ARG001
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(BetterThanError, match=r"x\.md cannot be written \(No space left on device\)"):
        write_whole(tmp_path / "x.md", "text")
    with pytest.raises(BetterThanError, match="No space left on device"):
        write_campaign(tmp_path / "demo", campaign())
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


@posix
def test_a_planted_link_is_not_followed(tmp_path):
    """Neither one of the name that is wished for nor one that could be guessed."""
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    for name in ("r.csv", ".r.csv.part", ".part-r.csv", f".r.csv.{os.getpid()}.part"):
        (tmp_path / name).symlink_to(victim)
    scores = bt.read_scores({"A": [1.0, 2.0], "B": [2.0, 3.0]})
    write_table(scores, tmp_path / "r.csv")
    write_whole(tmp_path / "r.csv", "text")
    assert victim.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "r.csv").is_symlink()


@posix
def test_a_device_is_written_and_not_replaced(tmp_path):
    """Renaming a file over /dev/null would break the machine of an administrator."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@posix
def test_others_may_read_a_file_as_far_as_the_umask_says(tmp_path):
    """As any file that a program writes."""
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "a.txt", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640
