"""Temporary files go with their process, however it ends, and nobody removes those of a process that lives."""

from __future__ import annotations

import io
import os
import signal
import stat
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from tests.everyday import few

from betterthan import scratch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and locks of Unix")

COMMAND = "from betterthan.cli.main import main; main()"
ROW = b"id,A,B\n"


def temporary_files(place: Path) -> list[Path]:
    """Every file of ours under a temporary folder, without the locks."""
    return [path for path in place.glob("betterthan-*/**/*") if path.is_file() and path.name != "lock"]


def reading_for_ever(place: Path) -> subprocess.Popen[bytes]:
    """Start a command that waits for the rest of its standard input, with a copy of the first of it on disk."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "check", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(place)},
        preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_DFL),  # nohup would have it ignored  # noqa: PLW1509
    )
    assert process.stdin is not None
    process.stdin.write(ROW * (1 << 19))
    process.stdin.flush()
    while not any(path.stat().st_size for path in place.glob(f"betterthan-{process.pid}-*/spool-*")):
        assert process.poll() is None
        time.sleep(0.01)
    return process


@pytest.mark.parametrize(
    ("number", "code"), few([(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)], tuples=True)
)
def test_a_command_that_is_told_to_stop_leaves_nothing(tmp_path, number, code):
    """A copy of standard input above all, which may hold what nobody else should read."""
    process = reading_for_ever(tmp_path)
    process.send_signal(number)
    _, said = process.communicate()
    assert process.returncode == code, said
    assert list(tmp_path.iterdir()) == []
    assert b"Traceback" not in said


def test_what_a_killed_process_leaves_is_removed_by_the_next(tmp_path):
    """SIGKILL cannot be heard; the copy of its standard input goes at the next start of any command."""
    living, killed = reading_for_ever(tmp_path), None
    try:
        of_the_living = temporary_files(tmp_path)
        killed = reading_for_ever(tmp_path)
        killed.kill()
        killed.communicate()
        assert len(list(tmp_path.iterdir())) == 2
        subprocess.run(
            [sys.executable, "-c", COMMAND, "cache", "info"],
            env={**os.environ, "TMPDIR": str(tmp_path)},
            check=True,
            capture_output=True,
        )
        assert temporary_files(tmp_path) == of_the_living
    finally:
        living.terminate()
        living.communicate()
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_hears_nothing_is_ended_all_the_same(tmp_path):
    """While compiled code runs, Python hears no signal: a thread ends the process."""
    program = (
        "import signal, time\n"
        "from betterthan import scratch\n"
        "scratch.GRACE = 0.1\n"
        "scratch.stop_cleanly()\n"
        "scratch._stop = None\n"
        "signal.signal(signal.SIGTERM, lambda *_: None)\n"
        "(scratch.folder() / 'x').write_text('x')\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.terminate()
    assert process.wait() == 143
    process.stdout.close()
    assert list(tmp_path.iterdir()) == []


def test_an_exception_and_a_normal_end_leave_nothing(tmp_path):
    """Also in a program that uses the library."""
    program = "import sys; from betterthan import scratch; (scratch.folder() / 'x').write_text('x'); sys.exit(1 / {})"
    for divisor in (0, 1):
        subprocess.run(
            [sys.executable, "-c", program.format(divisor)],
            env={**os.environ, "TMPDIR": str(tmp_path)},
            check=False,
            capture_output=True,
        )
        assert list(tmp_path.iterdir()) == []


def test_a_forked_process_neither_shares_nor_removes_the_folder_of_its_parent():
    """As multiprocessing forks them."""
    mine = scratch.folder()
    child = os.fork()
    if child == 0:
        scratch.remove()
        os._exit(0 if mine.is_dir() and scratch.folder() != mine and not scratch.remove() else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert mine.is_dir()


def test_the_folder_is_its_owners_alone_and_names_its_process():
    """Copies of standard input may be private."""
    folder = scratch.folder()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folder.name.startswith(f"betterthan-{os.getpid()}-")


def test_what_is_not_ours_stays(tmp_path, monkeypatch):
    """A folder without a lock, a file and a link of that name are somebody else's."""
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))
    (tmp_path / "betterthan-1-1-abc").mkdir()
    (tmp_path / "betterthan-1-1-abd").write_text("")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "lock").write_text("")
    (tmp_path / "betterthan-1-1-abe").symlink_to(elsewhere)
    left = tmp_path / "betterthan-1-1-abf"
    left.mkdir()
    (left / "lock").write_text("")
    scratch.remove_leftovers()
    assert sorted(path.name[-3:] for path in tmp_path.glob("betterthan-*")) == ["abc", "abd", "abe"]
    assert (elsewhere / "lock").exists()


def test_a_stream_is_copied_into_the_folder():
    """No other place holds temporary files."""
    from betterthan.read.source.source import open_source

    source = open_source(io.BytesIO(b"id,A,B\n1,2,3\n"))
    assert source.path.parent == scratch.folder()
