"""Worker processes: so many at a time, each with a clock, each of which can be stopped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import IO, Any

from betterthan.web.runs.disk import failure_reason
from betterthan.web.worker.worker import Task

Outcome = dict[str, Any]
_SLACK = 30  # seconds of processor time beyond the wall clock's limit, for several threads
_GRACE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a job is: blocks done, and in all; `total` is 0 where nobody knows."""

    label: str = "Waiting for a free worker"
    done: int = 0
    total: int = 0


@dataclass(slots=True)
class _Job:
    task: Task
    progress: Progress = field(default_factory=Progress)
    process: subprocess.Popen[str] | None = None
    is_cancelled: bool = False
    is_late: bool = False


class Jobs:
    """A queue of tasks and the workers on them.

    Parameters
    ----------
    slots : int
        Workers at a time.
    seconds : float
        Wall time of one.
    waiting : int
        Tasks that may wait.
    started, ended : callable
        Told of a task that begins, and of one that ended with its outcome.
    """

    def __init__(
        self,
        *,
        slots: int,
        seconds: float,
        waiting: int,
        started: Callable[[Task], None],
        ended: Callable[[Task, Outcome], None],
    ) -> None:
        self._slots, self._seconds, self._most_waiting = slots, seconds, waiting
        self._started, self._ended = started, ended
        self._lock = threading.Condition()
        self._waiting: dict[str, _Job] = {}  # in the order in which they came
        self._running: dict[str, _Job] = {}
        self._is_closed = False

    def submit(self, task: Task) -> bool:
        """Queue a task; False when too many wait already."""
        with self._lock:
            if not self.has_room:
                return False
            self._waiting[task.run_id] = _Job(replace(task, cpu_seconds=int(self._seconds) * 2 + _SLACK))
            self._fill()
            return True

    @property
    def has_room(self) -> bool:
        """Whether one more task may wait."""
        return not self._is_closed and len(self._waiting) < self._most_waiting

    def progress(self, run_id: str) -> Progress | None:
        """Return how far a run is, or None if it is not here."""
        with self._lock:
            job = self._find(run_id)
            return None if job is None else job.progress

    def cancel(self, run_id: str, *, wait: float = _GRACE) -> bool:
        """Stop a run, waiting or working; True when it was here. Returns when its worker is gone."""
        with self._lock:
            job = self._find(run_id)
            if job is None:
                return False
            job.is_cancelled = True
            if self._waiting.pop(run_id, None) is not None:
                self._ended(job.task, {"state": "cancelled"})
                return True
            _kill(job)
            self._lock.wait_for(lambda: run_id not in self._running, timeout=wait)
            return True

    def close(self) -> None:
        """Stop all workers without an outcome: at the next start their runs are found interrupted."""
        with self._lock:
            self._is_closed = True
            self._waiting.clear()
            for job in self._running.values():
                _kill(job)
            self._lock.wait_for(lambda: not self._running, timeout=_GRACE)

    def _find(self, run_id: str) -> _Job | None:
        return self._running.get(run_id) or self._waiting.get(run_id)

    def _fill(self) -> None:
        while self._waiting and len(self._running) < self._slots and not self._is_closed:
            run_id = next(iter(self._waiting))
            job = self._running[run_id] = self._waiting.pop(run_id)
            try:
                threading.Thread(target=self._lead, args=(job,), daemon=True).start()
            except RuntimeError as error:  # the system gives no more threads
                del self._running[run_id]
                self._ended(job.task, {"state": "failed", "problem": failure_reason(error)})

    def _lead(self, job: _Job) -> None:
        """Lead one worker from its start to its end, in a thread of its own."""
        try:
            self._started(job.task)
            outcome = self._watched(job)
        except Exception as error:  # noqa: BLE001  (whatever it is ends this run, and must not end the thread)
            outcome = {"state": "failed", "problem": failure_reason(error)}
        shutil.rmtree(job.task.folder.scratch, ignore_errors=True)
        with self._lock:
            try:
                if not self._is_closed:
                    self._ended(job.task, {"state": "cancelled"} if job.is_cancelled else outcome)
            finally:  # the slot is free again, whether or not the outcome could be written down
                self._running.pop(job.task.run_id, None)
                self._fill()
                self._lock.notify_all()

    def _watched(self, job: _Job) -> Outcome:
        with _start(job.task) as process:
            with self._lock:
                job.process = process
                if job.is_cancelled or self._is_closed:
                    _kill(job)
            clock = threading.Timer(self._seconds, _too_late, (job,))
            clock.daemon = True
            clock.start()
            outcome: Outcome = {}
            try:
                outcome = self._heard(job, process)
                with suppress(subprocess.TimeoutExpired):  # it may tidy up before it goes
                    process.wait(_GRACE)
            finally:
                clock.cancel()
                _kill(job)
        return outcome or self._silent(job, process.returncode)

    @staticmethod
    def _heard(job: _Job, process: subprocess.Popen[str]) -> Outcome:
        """Send the task and listen until the worker has said how it ended, or is gone."""
        if process.stdin is None or process.stdout is None:
            return {}
        send(process.stdin, job.task.to_json() + "\n")
        for line in process.stdout:
            with suppress(ValueError):  # cut off by a kill
                news = json.loads(line)
                if "state" in news:
                    return dict(news)
                job.progress = Progress(**news)
        return {}

    def _silent(self, job: _Job, code: int) -> Outcome:
        """Say why a worker that gave no answer is gone."""
        if job.is_late or code == -getattr(signal, "SIGXCPU", 0):
            problem = (
                f"It took longer than the {self._seconds:,.0f} seconds it may take. "
                "Take a part of the data, or start the server with a higher --seconds."
            )
        else:
            problem = (
                f"The worker stopped without an answer (code {code}); it may have needed more than its "
                f"{job.task.memory_bytes >> 20:,} MB of memory. Run the same files on the command line to see more."
            )
        return {"state": "failed", "problem": problem}


def _start(task: Task) -> subprocess.Popen[str]:
    task.folder.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    environment = {
        **{name: value for name, value in os.environ.items() if name != "BETTERTHAN_TOKEN"},
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "TMPDIR": str(
            task.folder.scratch
        ),  # so that nothing is left elsewhere, even by a worker that is killed
    }
    return subprocess.Popen(
        [sys.executable, "-m", "betterthan.web.worker.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env=environment,
        start_new_session=True,  # so that its children can be stopped with it
    )


def send(pipe: IO[str], text: str) -> None:
    """Tell a worker its task; one that was killed before it listened is no error.

    The pipe stays open: when it ends, a worker knows that its server is gone. A broken one is closed here,
    because it would try once more to write what it holds back whenever it is closed.
    """
    try:
        pipe.write(text)
        pipe.flush()
    except BrokenPipeError:
        with suppress(BrokenPipeError):
            pipe.close()


def _too_late(job: _Job) -> None:
    job.is_late = True
    _kill(job)


def _kill(job: _Job) -> None:
    """Stop a worker and its children; those are in a session of their own."""
    process = job.process
    if process is None or process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
