"""Worker processes: a limited number at a time, each with a clock, each of which can be stopped."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from betterthan.engine.child import Child
from betterthan.messages import Message, Option, spelled
from betterthan.web.field_names import on_page
from betterthan.web.runs.disk import failure_reason
from betterthan.web.runs.task import ENDED, Task

_log = logging.getLogger(__name__)

Outcome = dict[str, Any]
_SLACK = 30  # seconds of processor time beyond the wall clock's limit, for several threads
_GRACE = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProgress:
    """How far a job is: blocks done, and in all; `total` is 0 where it is unknown."""

    label: str = "Waiting for a free worker"
    done: int = 0
    total: int = 0


@dataclass(slots=True)
class _Job:
    task: Task
    progress: JobProgress = field(default_factory=JobProgress)
    child: Child | None = None
    is_cancelled: bool = False

    def kill(self) -> None:
        """Stop the worker and its children, if there is one."""
        if self.child is not None:
            self.child.kill()


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
        self._lock = threading.Condition()  # of a lock that its owner may take again
        self._waiting: dict[str, _Job] = {}  # by the key of the task, in the order in which they came
        self._running: dict[str, _Job] = {}
        self._is_closed = False

    def submit(self, task: Task) -> bool:
        """Queue a task; False when too many wait already."""
        with self._lock:
            if not self.has_free_place:
                return False
            self._put(task)
            return True

    def request(self, task: Task) -> bool:
        """Queue a task unless it is here already; False when too many wait."""
        with self._lock:
            if self._find(task.key) is None and self.has_free_place:
                self._put(task)
            return self._find(task.key) is not None

    def _put(self, task: Task) -> None:
        self._waiting[task.key] = _Job(replace(task, cpu_seconds=int(self._seconds) * 2 + _SLACK))
        self._fill()

    @property
    def has_free_place(self) -> bool:
        """Whether one more task may wait."""
        return not self._is_closed and len(self._waiting) < self._most_waiting

    def progress(self, key: str) -> JobProgress | None:
        """Return how far a task is, or None if it is not here."""
        with self._lock:
            job = self._find(key)
            return None if job is None else job.progress

    def cancel(self, run_id: str, *, wait: float = _GRACE) -> bool:
        """Stop all tasks that need a run, waiting or working; True when there was one. Their workers are gone then."""
        with self._lock:
            jobs = self._of_run(run_id)
            for job in jobs:
                job.is_cancelled = True
                if self._waiting.pop(job.task.key, None) is not None:
                    self._ended(job.task, {"state": "cancelled"})
                else:
                    job.kill()
            self._lock.wait_for(lambda: not any(job.task.key in self._running for job in jobs), timeout=wait)
            return bool(jobs)

    def close(self) -> None:
        """Stop all workers without an outcome: at the next start their runs are found interrupted."""
        with self._lock:
            self._is_closed = True
            self._waiting.clear()
            for job in self._running.values():
                job.kill()
            self._lock.wait_for(lambda: not self._running, timeout=_GRACE)

    def _find(self, key: str) -> _Job | None:
        return self._running.get(key) or self._waiting.get(key)

    def _of_run(self, run_id: str) -> list[_Job]:
        every = (*self._running.values(), *self._waiting.values())
        return [job for job in every if run_id in job.task.run_ids]

    def _fill(self) -> None:
        while job := self._next():
            try:
                threading.Thread(target=self._lead, args=(job,), daemon=True).start()
            except RuntimeError as error:  # the system gives no more threads
                del self._running[job.task.key]
                self._ended(job.task, {"state": "failed", "problem": failure_reason(error)})

    def _next(self) -> _Job | None:
        """Take the task that has waited longest, if there is a free place for it."""
        if not self._waiting or len(self._running) >= self._slots or self._is_closed:
            return None
        key = next(iter(self._waiting))
        job = self._running[key] = self._waiting.pop(key)
        return job

    def _lead(self, job: _Job | None) -> None:
        """Lead one worker from task to task as long as any wait, in a thread of its own."""
        child: Child | None = None
        while job is not None:
            is_alive = False
            try:
                self._started(job.task)
                job.task.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
                child = child or _start()
                outcome, is_alive = self._watched(job, child)
            except Exception as error:  # noqa: BLE001  (whatever it is ends this run, and must not end the thread)
                outcome = {"state": "failed", "problem": failure_reason(error)}
            if child is not None and not is_alive:
                child.end(grace=0)
                child = None
            shutil.rmtree(job.task.scratch, ignore_errors=True)
            job = self._after(job, outcome)
        if child is not None:
            child.end(grace=_GRACE)

    def _after(self, job: _Job, outcome: Outcome) -> _Job | None:
        """Write down how a task ended, and return the next one."""
        with self._lock:
            try:
                if not self._is_closed:
                    self._ended(job.task, {"state": "cancelled"} if job.is_cancelled else outcome)
            except Exception:  # noqa: BLE001  (whatever it is, the place must be free again)
                _log.exception("The outcome of a task could not be written down.")
            self._running.pop(job.task.key, None)
            self._lock.notify_all()
            return self._next()

    def _watched(self, job: _Job, child: Child) -> tuple[Outcome, bool]:
        """Have a worker do a task; return the outcome, and whether the worker can take another."""
        with self._lock:
            job.child = child
            if job.is_cancelled or self._is_closed:
                child.kill()
        try:
            with child.within(self._seconds):
                return self._heard(job, child)
        finally:
            with self._lock:
                job.child = None  # who cancels from now on must not kill the worker of another task

    def _heard(self, job: _Job, child: Child) -> tuple[Outcome, bool]:
        """Send the task and listen until the worker has said how it ended, or is gone."""
        outcome: Outcome = {}
        with suppress(OSError, EOFError):  # killed before it listened, or before it answered
            child.send(job.task.to_json().encode())
            while True:
                news = json.loads(child.receive())
                if ENDED in news:
                    return outcome or self._silent(job, child, news[ENDED]), True
                if "state" in news:
                    outcome = dict(news)
                else:
                    job.progress = JobProgress(**news)
        return outcome or self._silent(job, child, child.end(grace=_GRACE)), False

    def _silent(self, job: _Job, child: Child, code: int) -> Outcome:
        """Say why a worker that gave no answer is gone."""
        if child.is_late or code == -getattr(signal, "SIGXCPU", 0):
            message = Message(
                "This took longer than the {most:,.0f} seconds that a run may take. Use a part of the data, or start "
                "the server with a higher {seconds}.",
                most=self._seconds,
                seconds=Option("seconds"),
            )
            problem = spelled(message, on_page)
        else:
            problem = (
                f"The worker stopped without an answer (code {code}); it may have needed more than its "
                f"{job.task.memory_bytes >> 20:,} MB of memory. Run the same files on the command line to see more."
            )
        return {"state": "failed", "problem": problem}


def _start() -> Child:
    environment = {
        **{name: value for name, value in os.environ.items() if name != "BETTERTHAN_TOKEN"},
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    return Child(("-m", "betterthan.web.worker.worker"), environment=environment, is_quiet=True)
