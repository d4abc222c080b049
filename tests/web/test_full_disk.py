"""A disk without room fails the run that meets it, with the reason, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.web.conftest import ON_THE_WAY, SCORES

from betterthan.errors import BetterThanError
from betterthan.web.runs.disk import FULL
from betterthan.web.runs.run import Choices, RunRecord, new_id
from betterthan.web.runs.service import Jobs, Service
from betterthan.web.runs.store import RunStore
from betterthan.web.runs.task import Task
from betterthan.web.settings import WebSettings

resource = pytest.importorskip("resource", reason="this platform does not bound the size of files")

# A server that can write nothing from the line "full" to the line "room": files may have no byte then, its own and
# those of its workers. It stops when its standard input ends.
PROGRAM = """
import glob, os, resource, signal, sys, threading

def bound_workers():
    for path in glob.glob("/proc/self/task/*/children"):
        for pid in map(int, open(path).read().split()):
            hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, hard))

def listen():
    for line in sys.stdin:
        most = 0 if line == "full\\n" else resource.RLIM_INFINITY
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        if most == 0:
            bound_workers()
        print("done", flush=True)
    os.kill(os.getpid(), signal.SIGTERM)

threading.Thread(target=listen, daemon=True).start()
from betterthan.cli.main import main
main(["serve", "--no-token", "--port", "0", "--jobs", "1", "--folder", sys.argv[1]])
"""


class Machine:
    """A server of its own process, and a client of it."""

    def __init__(self, process: subprocess.Popen[str], client: httpx.Client) -> None:
        self._process, self.client = process, client

    def disk(self, state: str) -> None:
        """Have the disk "full", or with "room" again."""
        self._process.stdin.write(state + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"

    def run(self, run_id: str) -> dict:
        """A run as the API shows it."""
        return self.client.get(f"/api/v1/runs/{run_id}").json()

    def settled(self, run_id: str) -> dict:
        """A run that has come to rest."""
        end = time.monotonic() + 120
        while (run := self.run(run_id))["state"] in ON_THE_WAY:
            assert time.monotonic() < end, f"still {run['state']}"
            time.sleep(0.05)
        return run

    def upload(self) -> str:
        """A run that is ready for its start."""
        answer = self.client.post("/api/v1/runs", files=[("files", ("human.csv", SCORES))])
        assert answer.status_code == 201, answer.text
        assert self.settled(answer.json()["id"])["state"] == "ready"
        return answer.json()["id"]

    def start(self, run_id: str) -> int:
        """Start a run and return the status of the answer."""
        return self.client.post(f"/api/v1/runs/{run_id}/start").status_code


@contextmanager
def machine(folder: Path) -> Iterator[Machine]:
    """Serve a folder until the block ends."""
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        address = process.stderr.readline().split()[2]
        with httpx.Client(base_url=address, timeout=60.0) as client:
            yield Machine(process, client)
        process.stdin.close()
        process.wait(30)
        assert "Traceback" not in process.stderr.read()


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
def test_a_full_disk_fails_the_runs_that_meet_it_and_no_other(tmp_path):
    """They say why, keep no slot, and can be started again; lists, reports and pairs are shown all the while."""
    with machine(tmp_path) as server:
        done, first, second = (server.upload() for _ in range(3))
        assert server.start(done) == 202
        assert server.settled(done)["state"] == "done"
        for run_id in (first, second):
            assert server.start(run_id) == 202  # one at a time: the second waits
        while server.run(first)["state"] == "waiting":
            time.sleep(0.02)
        server.disk("full")
        for run_id in (first, second):
            run = server.settled(run_id)
            assert (run["state"], run["problem"]) == ("failed", FULL)
            assert "There is no space left on the disk" in server.client.get(f"/runs/{run_id}").text
        assert server.client.get("/").status_code == 200
        assert server.client.get(f"/runs/{done}").status_code == 200
        assert server.client.get(f"/runs/{done}/pairs/B~2Ftwo/~3DC").status_code == 200
        # Nothing is changed where nothing can be written: a report is not lost to a start that fails.
        folders = sorted(path.name for path in (tmp_path / "runs").iterdir())
        for answer in (
            server.client.post(f"/api/v1/runs/{done}/start"),
            server.client.post(f"/api/v1/runs/{done}/recognized", json={}),
            server.client.post("/api/v1/examples/scores"),
            server.client.post("/api/v1/runs", files=[("files", ("human.csv", SCORES))]),
            server.client.post("/api/v1/runs", files=[("files", ("long.csv", b"x" * (2 << 20)))]),
        ):
            assert (answer.status_code, answer.json()["error"]) == (507, FULL)
        assert server.run(done)["state"] == "done"
        assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == folders
        server.disk("room")
        for run_id in (first, second, done):
            assert server.start(run_id) == 202
            assert server.settled(run_id)["state"] == "done"
        assert not list((tmp_path / "runs").rglob("*.partial"))
    with machine(tmp_path) as server:
        assert [server.run(run_id)["state"] for run_id in (first, second)] == ["done", "done"]


def a_task(folder: Path, number: int) -> Task:
    """A task of a run that is not there."""
    limits = {"memory_bytes": 1 << 30, "cpu_seconds": 1, "rows": 1}
    run_id = f"{number:022}"
    return Task(name="look", root=str(folder), run_id=run_id, files=(), choices=Choices(), **limits)


@pytest.mark.parametrize("where", ["started", "ended"])
def test_a_slot_is_free_again_whatever_goes_wrong(tmp_path, where):
    """What is told of a start or an end may fail: the next task gets its turn."""
    turns = []

    def fail(task: Task, *_: object) -> None:
        turns.append(task.run_id)
        raise OSError(28, "No space left on device")

    told = {"started": lambda _: None, "ended": lambda *_: None, where: fail}
    jobs = Jobs(slots=1, seconds=60.0, waiting=10, **told)
    for number in range(3):
        assert jobs.submit(a_task(tmp_path, number))
    end = time.monotonic() + 60
    while len(turns) < 3:
        assert time.monotonic() < end
        time.sleep(0.02)
    jobs.close()


def test_what_cannot_be_written_is_shown_and_written_later(tmp_path):
    """A run that came to rest on a full disk is at rest for everybody, now and after the next change."""
    path = tmp_path / "runs.sqlite"
    runs, other = RunStore(path), RunRecord(id=new_id(), created=2.0, state="ready", title="b.csv", files=())
    run = RunRecord(id=new_id(), created=1.0, state="running", title="a.csv", files=())
    runs.add(run)
    runs.add(other)
    path.chmod(0o400)
    with runs._opened() as database:
        database.execute("PRAGMA query_only = ON")
    assert runs.settle(run.id, state="failed", problem=FULL)
    assert (runs.get(run.id).state, runs.get(run.id).problem) == ("failed", FULL)
    assert {found.state for found in runs.page()} == {"failed", "ready"}
    assert RunStore(path).get(run.id).state == "running"
    with runs._opened() as database:
        database.execute("PRAGMA query_only = OFF")
    assert runs.change(other.id, only_from=("ready",), state="waiting")
    assert RunStore(path).get(run.id).state == "failed"
    assert runs.change(run.id, only_from=("failed",), state="waiting")
    assert runs.get(run.id).state == "waiting"
    runs.close()


def test_a_key_that_was_cut_short_is_made_anew(tmp_path):
    """A disk that was full when the server first started leaves an empty file: anybody could sign with that."""
    (tmp_path / "secret").write_bytes(b"")
    service = Service(WebSettings(folder=tmp_path))
    assert len(service.secret) == 32
    assert (tmp_path / "secret").read_bytes() == service.secret
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    service.close()


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    """In a line, with the reason."""
    (tmp_path / "file").write_text("")
    with pytest.raises(BetterThanError, match=r"The folder .*file cannot be used \(File exists\)"):
        Service(WebSettings(folder=tmp_path / "file"))
