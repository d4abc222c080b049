"""A study that was killed goes on where it stopped, and says what it would have said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

RUNS = {
    "tagging-sampling": ("--set", "rounds=200", "--set", "samples=500"),
    "tagging-synthetic": ("--set", "permutations=999999"),
    "aggregation-grid": ("--as-published", "--set", "turned_corpora=20", "--set", "turned_size=60"),
    "aggregation-human": ("--as-published", "--set", "turned_corpora=20", "--set", "turned_size=60"),
    "aggregation-robustness": ("--set", "repeats=1500"),
}
"""Each in a form that takes some seconds on the demo campaign."""


def start(name, cache):
    """The command in a process of its own."""
    entry = "from betterthan.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", entry, "study", name, "--quick", "-f", "json", "--workers", "1", *RUNS[name]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "BETTERTHAN_CACHE": str(cache)},
    )


def wait_for_a_checkpoint(folder, process):
    """Return when the first finished part is on disk."""
    end = time.monotonic() + 120
    while not any(path.suffix == ".checkpoint" for path in folder.rglob("*")):
        assert process.poll() is None, (
            f"the run ended before its first checkpoint: {process.communicate()[1]}"
        )
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    "name",
    [name if name == "tagging-sampling" else pytest.param(name, marks=pytest.mark.slow) for name in RUNS],
)
@pytest.mark.slow
def test_a_killed_study_goes_on_and_gives_the_same_bytes(name, tmp_path):
    """Killed in the middle, run again, and run at once elsewhere: the same answer to the byte."""
    stopped = start(name, tmp_path / "killed")
    wait_for_a_checkpoint(tmp_path / "killed", stopped)
    stopped.send_signal(signal.SIGKILL)
    out, _ = stopped.communicate(timeout=60)
    assert (out, stopped.returncode) == (b"", -signal.SIGKILL)
    kept = {path.name for path in (tmp_path / "killed").rglob("*.checkpoint")}
    answers = [start(name, tmp_path / folder).communicate() for folder in ("killed", "fresh")]
    assert answers[0][0] == answers[1][0]
    assert answers[0][0].startswith(b"{"), answers[0][1]
    # What was kept is still there, beside what was added.
    assert kept < {path.name for path in (tmp_path / "killed").rglob("*.checkpoint")}
