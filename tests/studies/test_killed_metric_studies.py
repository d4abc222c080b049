"""Studies of metrics and relative rankings that are killed go on where they stopped, and give the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from betterthan.engine.cache import Cache
from betterthan.studies.study import study

# Small, but of more blocks than the two after which the run is killed.
SMALL = {
    "spa-speed": {"permutations": 20, "repeats": 2},
    "spa-segments": {"permutations": 20, "draws": 60, "metrics": 1},
    "spa-significance": {"permutations": 60},
    "tau-variants": {"thresholds": 1},
}
SLOW = ("spa-segments", "spa-significance")
KILLED = """
import os, signal, sys
from pathlib import Path
from betterthan.engine.cache import Cache
from betterthan.studies.study import study

class Killer:
    left = 2
    def start(self, total, label, *, done=0): pass
    def finish(self): pass
    def advance(self, n=1):
        self.left -= n
        if self.left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

name, folder, workers, *options = sys.argv[1:]
study(name, quick=True, options=dict(one.split("=") for one in options), workers=int(workers),
      cache=Cache(Path(folder), patience=0), progress=Killer())
"""


class _Watcher:
    """Progress that remembers how much was there before."""

    def __init__(self):
        self.done_before = 0

    def start(self, total, label, *, done=0):  # noqa: ARG002  (as progress is called)
        """Add up over all jobs of a study."""
        self.done_before += done

    def advance(self, n=1):
        """Nothing to do."""

    def finish(self):
        """Nothing to do."""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in SMALL]
)
def test_a_killed_study_goes_on_with_the_same_bytes(name, workers, tmp_path):
    """SIGKILL after two blocks: what was finished is found again, and the result is that of a run in one go."""
    options = [f"{option}={value}" for option, value in SMALL[name].items()]
    command = [sys.executable, "-c", KILLED, name, str(tmp_path), str(workers), *options]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    watcher = _Watcher()
    again = study(
        name,
        quick=True,
        options=SMALL[name],
        workers=workers,
        cache=Cache(tmp_path, patience=0),
        progress=watcher,
    )
    assert watcher.done_before >= 1
    assert again.to_json() == study(name, quick=True, options=SMALL[name], workers=1).to_json()


COMMAND = (sys.executable, "-c", "from betterthan.cli.main import main; main()", "study")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize(
    "name", ["spa-ties", "spa-systems", "spa-segments", "darr-threshold", "darr-identical"]
)
def test_a_command_killed_while_it_writes_is_repaired_by_another(name, tmp_path):
    """The folder is there, perhaps half; after a second run it has all files of a run in one go."""
    environment = {**os.environ, "BETTERTHAN_CACHE": str(tmp_path / "cache")}
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = subprocess.Popen(
        [*COMMAND, name, "--quick", "-o", str(killed)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + 120
    while not killed.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert killed.exists()
    for folder, more in ((killed, []), (whole, ["--no-cache", "--workers", "1"])):
        subprocess.run(
            [*COMMAND, name, "--quick", "-o", str(folder), *more],
            env=environment,
            check=True,
            capture_output=True,
        )
    files = {path.name: path.read_bytes() for path in whole.iterdir()}
    assert {path.name: path.read_bytes() for path in killed.iterdir()} == files
    assert "study.json" in files
