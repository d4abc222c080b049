import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import engine_blocks
import numpy as np
import pytest

from betterthan.engine.blocks import Job
from betterthan.engine.child import Child, send
from betterthan.engine.run import WorkerProcesses, as_task
from betterthan.errors import BetterThanError


def workers_for(function, payload=None, *, n_workers=1):
    """Worker processes for a job of that function."""
    job = Job(name="test", function=function, payload=payload, n_blocks=8)
    return WorkerProcesses("test", as_task(job), n_workers)


@pytest.fixture(scope="module")
def raising():
    """One worker process whose blocks fail."""
    with workers_for(engine_blocks.raises) as workers:
        yield workers


@pytest.mark.parametrize("block", range(len(engine_blocks.errors())))
def test_an_exception_comes_out_as_it_was(raising, block):
    """Type, arguments, text and attributes; where it was raised is a note."""
    expected = engine_blocks.errors()[block]
    with pytest.raises(type(expected)) as caught:
        raising(block)
    error = caught.value
    assert (type(error), error.args, str(error)) == (type(expected), expected.args, str(expected))
    assert {name: value for name, value in vars(error).items() if name != "__notes__"} == vars(expected)
    assert "engine_blocks.py" in error.__notes__[0]


def test_an_exception_that_cannot_travel_sends_its_text():
    """Better a likeness than a mystery."""
    with (
        workers_for(engine_blocks.raises_what_cannot_travel) as workers,
        pytest.raises(RuntimeError, match=r"StubbornError: \('stubborn'"),
    ):
        workers(0)


def test_a_payload_that_cannot_be_opened_says_why():
    """The worker lives on to tell."""
    with (
        workers_for(engine_blocks.draw, engine_blocks.Unopenable()) as workers,
        pytest.raises(FileNotFoundError, match="No such file"),
    ):
        workers(0)


def test_a_block_that_prints_and_reads_does_not_disturb(capfd):
    """What it prints goes to standard error, what it reads is empty."""
    with workers_for(engine_blocks.talks) as workers:
        assert workers(0).size == 0
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "a remark from a block" in captured.err
    assert "another, past Python" in captured.err


def test_one_process_does_one_workers_blocks():
    """The payload travels once, the process stays."""
    with workers_for(engine_blocks.process_number) as workers:
        assert len({int(workers(block)) for block in range(4)} - {os.getpid()}) == 1


def test_leaving_by_an_exception_kills_workers_in_the_middle_of_a_block(tmp_path):
    """A block that never ends does not hold anybody up, and is not begun again."""
    workers = workers_for(engine_blocks.notes_its_process, str(tmp_path))
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(workers, 0)
        wait_for(lambda: list(tmp_path.glob("process-0-*")))
        workers.__exit__(KeyError, KeyError(), None)
        with pytest.raises(BetterThanError, match='"test" was stopped'):
            future.result(timeout=60)
    assert len(list(tmp_path.glob("process-0-*"))) == 1


def test_a_worker_ends_in_the_middle_of_a_block_when_its_parent_is_gone(tmp_path):
    """Its input is closed, and nobody waits for the result."""
    with workers_for(engine_blocks.notes_its_process, str(tmp_path)) as workers:
        worker = workers._start()
        send(worker.child.requests, workers._task)
        send(worker.child.requests, b"0")
        wait_for(lambda: list(tmp_path.glob("process-0-*")))
        worker.child.requests.close()
        assert worker.child.process.wait(timeout=60) == 0


def test_a_worker_that_cannot_start_is_an_error_and_not_a_standstill(monkeypatch):
    """The seat is free again for the next try."""
    with workers_for(engine_blocks.draw, 7) as workers:
        with monkeypatch.context() as patch:
            patch.setattr(subprocess, "Popen", no_more_processes)
            with pytest.raises(BlockingIOError):
                workers(0)
        np.testing.assert_array_equal(workers(0)["normal"], engine_blocks.draw(7, 0)["normal"])


def no_more_processes(*_, **__):
    """Fail as the operating system does when there are too many."""
    raise BlockingIOError


def test_a_job_of_the_script_itself_stays_in_this_process(monkeypatch):
    """A worker cannot import what is defined in the script or notebook."""
    monkeypatch.setattr(engine_blocks.Unopenable, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "Unopenable", engine_blocks.Unopenable, raising=False)
    job = Job(name="test", function=engine_blocks.draw, payload=engine_blocks.Unopenable, n_blocks=1)
    assert as_task(job) is None


@pytest.mark.parametrize("payload", [threading.Lock(), lambda: None, (yes for yes in ())])
def test_a_job_that_cannot_be_packed_stays_in_this_process(payload):
    """Locks, local functions and generators do not travel."""
    assert as_task(Job(name="test", function=engine_blocks.draw, payload=payload, n_blocks=1)) is None


def test_without_an_interpreter_to_start_all_stays_in_this_process(monkeypatch):
    """As in a frozen application, which would start itself."""
    job = Job(name="test", function=engine_blocks.draw, payload=7, n_blocks=1)
    assert as_task(job) is not None
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert as_task(job) is None


def test_a_script_without_a_main_guard_runs_once(tmp_path):
    """Workers do not run the caller's script."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys; sys.path.append(sys.argv[1])\n"
        "import engine_blocks\n"
        "from betterthan.engine.blocks import Job\n"
        "from betterthan.engine.run import run\n"
        "job = Job(name='n', function=engine_blocks.draw, payload=7, n_blocks=3, uses='processes')\n"
        "print(engine_blocks.fingerprint(run(job, workers=2)))\n"
    )
    command = [sys.executable, str(script), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout.split() == [
        engine_blocks.fingerprint(engine_blocks.draw(7, block) for block in range(3))
    ]
    assert done.stderr == ""


def wait_for(condition):
    """Wait until it is so, at most a minute."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_a_child_killed_before_it_listens_breaks_nothing(size):
    """Its channel is broken, now and when it is closed at the end; whoever leads it outlives that."""
    child = Child(["-c", ""])
    child.process.wait(60)
    with pytest.raises(OSError, match="pipe"):
        child.send(b"x" * size)
    assert child.requests.closed
    assert child.end(grace=1) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")
def test_a_child_whose_time_is_up_is_killed_with_its_children():
    """The grandchild too, which nobody else would end."""
    program = (
        "import subprocess, sys\n"
        "from betterthan.engine.child import private_channels, send\n"
        "_, answers = private_channels()\n"
        "inner = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "send(answers, str(inner.pid).encode())\n"
        "inner.wait()\n"
    )
    child = Child(["-c", program])
    with child.within(600.0):
        grandchild = int(child.receive())
    with child.within(0.1), pytest.raises(EOFError):
        child.receive()
    assert child.is_late
    assert child.end(grace=5) < 0
    wait_for(lambda: not is_running(grandchild))


def is_running(pid):
    """Whether a process does anything; one that is dead and not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
