"""Workers: progress, cancel, limits, and a server that is stopped in mid-run."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from tests.web.conftest import SCORES

from betterthan.errors import BetterThanError
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.run import Choices
from betterthan.web.runs.service import Jobs, Service
from betterthan.web.runs.store import RunStore
from betterthan.web.runs.task import Task
from betterthan.web.runs.uploads import store
from betterthan.web.settings import MEGABYTE, ServerLimits, WebSettings
from betterthan.web.worker.worker import CAN_FORK

pytestmark = pytest.mark.usefixtures("workers_as_they_are")

# Enough work for some seconds on any machine.
LONG = "segment," + ",".join(f"S{i}" for i in range(30)) + "\n" + "".join(
    f"s{j}," + ",".join(str((i * 37 + j * 61 + i * j) % 101) for i in range(30)) + "\n" for j in range(1500)
)  # fmt: skip


def begun(site, content=LONG):
    """A run that has a worker."""
    run_id = site.upload({"long.csv": content})
    assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 202
    end = time.monotonic() + 60
    while site.client.get(f"/api/v1/runs/{run_id}/progress").json()["state"] == "waiting":
        assert time.monotonic() < end
        time.sleep(0.02)
    return run_id


def workers(parent=None):
    """The ids of all worker processes of this machine, or of one parent: other tests have workers of their own."""
    listed = subprocess.run(
        [shutil.which("ps"), "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout
    found = [line.split()[:2] for line in listed.splitlines() if "betterthan.web.worker.worker" in line]
    return {pid for pid, of in found if parent in (None, int(of))}


def test_a_run_can_be_followed_and_cancelled(site):
    """Events come as it goes, the last one says how it ended; its worker is gone and it can start again."""
    run_id = begun(site)
    seen = []
    with httpx.stream("GET", f"{site.address}/runs/{run_id}/events", timeout=60) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        for line in stream.iter_lines():
            if not line.startswith("data: "):
                continue
            seen.append(json.loads(line.removeprefix("data: ")))
            if len(seen) == 2:
                page = f"/runs/{run_id}"
                token = site.token(page)
                answer = site.client.post(f"{page}/cancel", data={"form_token": token})
                assert (answer.status_code, answer.headers["location"]) == (303, page)
    assert seen[0]["on_the_way"]
    assert (seen[-1]["state"], seen[-1]["on_the_way"]) == ("cancelled", False)
    assert "This run was cancelled" in site.client.get(f"/runs/{run_id}").text
    assert not (site.folder / "runs" / run_id / "scratch").exists()
    assert site.client.post(f"/api/v1/runs/{run_id}/cancel").status_code == 409
    assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 202
    assert site.client.delete(f"/api/v1/runs/{run_id}").status_code == 204


def test_a_run_is_started_once(site):
    """Of two requests that start it, or start it while it runs, one is refused."""
    run_id = begun(site)
    assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 409
    assert site.client.post(f"/api/v1/runs/{run_id}/recognized", json={}).status_code == 409
    assert site.client.get(f"/api/v1/runs/{run_id}/results").status_code == 409
    assert site.client.delete(f"/api/v1/runs/{run_id}").status_code == 204
    assert site.client.get(f"/api/v1/runs/{run_id}").status_code == 404


def test_a_run_that_takes_too_long_is_stopped(serving, tmp_path):
    """The message says the limit and what to do."""
    with serving(tmp_path, limits=ServerLimits(run_seconds=1.0)) as site:
        run = site.settled(begun(site))
        assert run["state"] == "failed"
        assert "longer than the 1 seconds" in run["problem"]
        assert site.client.get("/api/v1/health").status_code == 200


def test_a_run_that_needs_too_much_memory_is_stopped(serving, tmp_path):
    """The worker fails; the server does not."""
    with serving(tmp_path, limits=ServerLimits(memory_bytes=200 * MEGABYTE)) as site:
        run_id = site.upload({"human.csv": SCORES})
        assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 202
        run = site.settled(run_id)
        assert run["state"] == "failed"
        assert "200 MB" in run["problem"]
        assert site.client.get("/").status_code == 200


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the address space")
def test_the_memory_limit_holds():
    """What is beyond it cannot be had."""
    program = "from betterthan.engine.child import limit; limit(512 << 20, 60); bytearray(600 << 20)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "MemoryError" in found.stderr


def test_too_many_rows_are_refused(serving, tmp_path):
    """Before anything is computed, with the numbers."""
    with serving(tmp_path, limits=ServerLimits(rows=20)) as site:
        run_id = site.upload({"human.csv": SCORES})
        run = site.client.get(f"/api/v1/runs/{run_id}").json()
        assert run["state"] == "failed"
        assert "24 rows, and a run may have 20" in run["problem"]


def test_runs_wait_for_a_worker_and_too_many_are_refused(serving, tmp_path):
    """One at a time here; the queue has an end, and a waiting run can be cancelled."""
    with serving(tmp_path, limits=ServerLimits(runs=1, waiting=1)) as site:
        first, second, third = (site.upload({"long.csv": LONG}) for _ in range(3))
        for run_id in (first, second):
            assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 202
        answer = site.client.post(f"/api/v1/runs/{third}/start")
        assert answer.status_code == 409
        run = site.client.get(f"/api/v1/runs/{third}").json()
        assert (run["state"], run["problem"]) == ("ready", "Too many runs are waiting. Try again in a while.")
        assert site.client.get(f"/api/v1/runs/{second}").json()["state"] == "waiting"
        assert site.client.post(f"/api/v1/runs/{second}/cancel").json()["state"] == "cancelled"
        assert site.client.post(f"/api/v1/runs/{first}/cancel").json()["state"] == "cancelled"


def test_no_upload_waits_for_ever(serving, tmp_path):
    """Every one that was taken comes to rest; nothing is kept of one that was refused because too many wait."""
    # Looks that are cut off at once come to rest soon, and what is tested is that they do.
    many = 12
    with serving(tmp_path, limits=ServerLimits(uploads=3, looks=1, look_seconds=0.05)) as site:

        def upload(number: int) -> httpx.Response:
            files = [("files", ("a.csv", f"item,A,B\n1,2,{number}\n2,4,1\n"))]
            return httpx.post(f"{site.address}/api/v1/runs", files=files, timeout=120)

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(upload, range(many)))
        taken = [answer.json()["id"] for answer in answers if answer.status_code == 201]
        refused = [answer for answer in answers if answer.status_code == 503]
        assert len(taken) + len(refused) == many
        assert {site.settled(run_id)["state"] for run_id in taken} == {"failed"}
        assert site.client.get("/api/v1/runs").json()["total"] == len(taken)
        assert {path.name for path in (tmp_path / "runs").iterdir()} == set(taken)


def test_one_upload_too_many_is_refused_with_the_reason(serving, tmp_path):
    """While nobody looks at those that wait."""
    with serving(tmp_path, limits=ServerLimits(uploads=3, looks=0)) as site:
        answers = [
            httpx.post(
                f"{site.address}/api/v1/runs", files=[("files", ("a.csv", b"item,A,B\n1,2,1\n"))], timeout=120
            )
            for _ in range(5)
        ]
        assert [answer.status_code for answer in answers] == [201, 201, 201, 503, 503]
        assert "Too many uploads are waiting" in answers[-1].json()["error"]
        assert answers[-1].headers["retry-after"]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_thousands_of_waiting_uploads_come_to_rest(serving, tmp_path):
    """Taken in while nobody looks, and found waiting after a restart."""
    service = Service(WebSettings(folder=tmp_path, limits=ServerLimits(looks=0)))
    ids = [
        service.take_in(
            lambda folder, n=n: (store(io.BytesIO(b"item,A,B\n1,2,%d\n" % n), "a.csv", folder),)
        ).id
        for n in range(2000)
    ]
    service.close()
    with serving(tmp_path, limits=ServerLimits(look_seconds=0.05)) as site:
        assert {site.settled(run_id, 1500)["state"] for run_id in ids} == {"failed"}


def test_uploads_beyond_a_lowered_limit_come_to_rest_after_a_restart(serving, tmp_path):
    """They are not forgotten: each is looked at or says why not, and can be looked at again."""
    with serving(tmp_path, limits=ServerLimits(looks=0)) as site:
        files = [("files", ("human.csv", SCORES))]
        ids = [site.client.post("/api/v1/runs", files=files).json()["id"] for _ in range(4)]
    with serving(tmp_path, limits=ServerLimits(looks=1, uploads=1)) as site:
        ended = [site.settled(run_id) for run_id in ids]
        assert {run["state"] for run in ended} == {"ready", "failed"}
        late = next(run for run in ended if run["state"] == "failed")
        assert late["problem"] == "Too many runs are waiting. Try again in a while."
        assert site.client.post(f"/api/v1/runs/{late['id']}/recognized", json={}).status_code == 202
        assert site.settled(late["id"])["state"] == "ready"


def test_a_stopped_server_takes_its_workers_along_and_says_so_when_it_is_back(serving, tmp_path):
    """Runs in mid-air are interrupted and can start again; finished ones are as they were; forms still count."""
    with serving(tmp_path) as site:
        kept = site.report({"human.csv": SCORES})
        before = site.client.get(f"/runs/{kept['id']}").content
        others = workers(os.getpid())
        run_id = begun(site)
        end = time.monotonic() + 60  # a process that was just started still has the name of its parent
        while not (mine := workers(os.getpid()) - others):
            assert time.monotonic() < end
    end = (
        time.monotonic() + 60
    )  # the server tells its workers to stop, and does not wait for their last instruction
    while mine & workers():
        assert time.monotonic() < end, f"workers {mine} outlive their server"
        time.sleep(0.05)
    with serving(tmp_path) as site:
        assert site.client.get(f"/runs/{kept['id']}").content == before
        run = site.client.get(f"/api/v1/runs/{run_id}").json()
        assert (run["state"], run["problem"]) == ("interrupted", "The server stopped while this was running.")
        page = site.client.get(f"/runs/{run_id}").text
        assert "This run was interrupted" in page
        assert "Start again" in page
        answer = site.client.post(
            f"/runs/{run_id}/restart", data={"form_token": site.token(f"/runs/{run_id}")}
        )
        assert answer.status_code == 303
        assert site.client.get(f"/api/v1/runs/{run_id}").json()["state"] in {"waiting", "running"}


def test_a_worker_dies_with_its_server():
    """Even when the server is killed and can tell nobody."""
    program = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-m', 'betterthan.web.worker.worker'],"
        " stdin=subprocess.PIPE); print(p.pid, flush=True); sys.stdin.read()"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    pid = server.stdout.readline().strip()
    assert pid in workers()
    server.kill()
    server.wait()
    for stream in (server.stdin, server.stdout):
        stream.close()
    end = time.monotonic() + 20
    while pid in workers():
        assert time.monotonic() < end
        time.sleep(0.1)


FORKS = pytest.mark.skipif(not CAN_FORK, reason="a process for each task without forks")


def slow():
    """A file that takes a while to be looked at."""
    return "item,A,B\n" + "".join(f"s{i},{i % 7},{i % 5}\n" for i in range(400_000))


@pytest.fixture
def queue(tmp_path):
    """One worker, a run with a slow file between two others, and the outcomes of their looks."""
    service = Service(WebSettings(folder=tmp_path, limits=ServerLimits(looks=0)))
    contents = [b"item,A,B\n1,2,1\n2,3,1\n", slow().encode(), b"item,A,B\n1,2,1\n2,3,3\n"]
    runs = [
        service.take_in(lambda folder, data=data: (store(io.BytesIO(data), "a.csv", folder),)).id
        for data in contents
    ]
    service.close()
    limits = ServerLimits()
    tasks = [
        Task(
            name="look", root=str(tmp_path / "runs"), run_id=run, choices=Choices(), cpu_seconds=0, rows=limits.rows,
            memory_bytes=limits.memory_bytes,
            files=(store(io.BytesIO(data), "a.csv", RunFolder(tmp_path / "runs", run)),),
        )
        for run, data in zip(runs, contents, strict=True)
    ]  # fmt: skip
    outcomes = []
    started = []
    jobs = Jobs(
        slots=1, seconds=60, waiting=9, started=lambda task: started.append(task.run_id),
        ended=lambda task, outcome: outcomes.append((task.run_id, outcome)),
    )  # fmt: skip
    yield jobs, tasks, started, outcomes
    jobs.close()


def child_of(pid):
    """The only child of a process, once it has one."""
    return int(waited(lambda: Path(f"/proc/{pid}/task/{pid}/children").read_text()).split()[0])


def waited(look):
    """What is seen, once it is there."""
    end = time.monotonic() + 60
    while not (seen := look()):
        assert time.monotonic() < end
        time.sleep(0.005)
    return seen


@FORKS
def test_a_process_that_is_killed_fails_its_own_file_alone(queue):
    """The worker that forked it goes on with the next one."""
    jobs, tasks, started, outcomes = queue
    others = workers(os.getpid())
    for task in tasks:
        assert jobs.submit(task)
    waited(lambda: len(started) == 2)
    worker = int(waited(lambda: workers(os.getpid()) - others).pop())
    os.kill(child_of(worker), signal.SIGKILL)
    waited(lambda: len(outcomes) == 2)
    assert is_running(worker) or len(outcomes) == 3
    waited(lambda: len(outcomes) == 3)
    assert [run_id for run_id, _ in outcomes] == [task.run_id for task in tasks]
    assert [outcome["state"] for _, outcome in outcomes] == ["ready", "failed", "ready"]
    assert "stopped without an answer (code -9)" in outcomes[1][1]["problem"]
    waited(lambda: not is_running(worker))  # nothing waits, so nobody does


@FORKS
def test_a_task_that_is_cancelled_or_late_leaves_the_others_alone(queue):
    """Their worker goes with it, and the next task has a new one."""
    jobs, tasks, started, outcomes = queue
    for task in tasks:
        assert jobs.submit(task)
    waited(lambda: len(started) == 2)
    assert jobs.cancel(tasks[1].run_id)
    waited(lambda: len(outcomes) == 3)
    assert [outcome["state"] for _, outcome in outcomes] == ["ready", "cancelled", "ready"]


@FORKS
def test_a_process_at_work_dies_with_its_worker(queue):
    """Even when the worker is killed and can tell nobody."""
    jobs, tasks, _, outcomes = queue
    others = workers(os.getpid())
    assert jobs.submit(tasks[1])
    worker = int(waited(lambda: workers(os.getpid()) - others).pop())
    process = child_of(worker)
    os.kill(worker, signal.SIGKILL)
    waited(lambda: not is_running(process))
    waited(lambda: outcomes)
    assert outcomes[0][1]["state"] == "failed"


def is_running(pid):
    """Whether a process does anything; one that is dead and not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_folder_has_one_server(tmp_path):
    """A second one would take the first one's runs for interrupted."""
    settings = WebSettings(folder=tmp_path)
    first = Service(settings)
    with pytest.raises(BetterThanError, match=r"Another server uses the folder .*--folder"):
        Service(settings)
    first.close()
    Service(settings).close()


def test_a_look_in_mid_air_goes_on_after_a_restart(serving, tmp_path):
    """Nobody has to upload twice."""
    with serving(tmp_path) as site:
        run_id = site.upload({"human.csv": SCORES})
    RunStore(tmp_path / "runs.sqlite").change(run_id, state="looking")
    with serving(tmp_path) as site:
        assert site.settled(run_id)["state"] == "ready"
