"""What the server does with runs, for pages and API alike: take in, look, start, stop, delete.

Worker processes are a limited number at a time, each with a clock, each of which can be stopped.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
import signal
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from betterthan.engine.child import Child
from betterthan.errors import BetterThanError
from betterthan.messages import FOLDER, Message, Option, spelled
from betterthan.web.names import on_page
from betterthan.web.runs.disk import failure_reason, is_disk_full
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.run import RESTARTABLE, Choices, RunRecord, RunState, StoredFile, new_id
from betterthan.web.runs.saved_tables import forget_tables
from betterthan.web.runs.store import RunStore, now
from betterthan.web.runs.task import ENDED, Task
from betterthan.web.settings import WebSettings

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


_SECRET_BYTES = 32
_CROWDED = "Too many runs are waiting. Try again in a while."
_MOST_FAILURES = 1000


class DetailFailed(BetterThanError):
    """A worker could not compute a detail of a run, and why."""


class TooManyWaiting(BetterThanError):
    """So many details are being computed that no more are taken."""


class Service:
    """The runs of one folder and the workers on them.

    Parameters
    ----------
    settings : WebSettings
        The folder is made if absent, and belongs to one server at a time.
    """

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings
        self.root = settings.folder / "runs"
        try:
            # One by one: the mode holds for the last folder of a path alone.
            for folder in (settings.folder, self.root):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = _locked(settings.folder / "lock")
            self.secret = _secret(settings.folder / "secret")
            self.runs = RunStore(settings.folder / "runs.sqlite")
        except (OSError, sqlite3.Error) as error:
            reason = "the disk is full" if is_disk_full(error) else getattr(error, "strerror", None) or error
            raise BetterThanError(
                Message(
                    "The folder {folder} cannot be used ({reason}). Name another with {option}.",
                    folder=settings.folder,
                    reason=reason,
                    option=Option("folder", FOLDER),
                )
            ) from error
        self.streams = threading.BoundedSemaphore(settings.limits.streams)
        limits = settings.limits
        self._looks = Jobs(
            slots=limits.looks,
            seconds=limits.look_seconds,
            waiting=limits.uploads,
            started=lambda _: None,
            ended=self._ended,
        )
        self._work = Jobs(
            slots=limits.runs,
            seconds=limits.run_seconds,
            waiting=limits.waiting,
            started=self._began,
            ended=self._ended,
        )
        self._details = Jobs(
            slots=limits.runs,
            seconds=limits.run_seconds,
            waiting=limits.waiting,
            started=lambda _: None,
            ended=self._detail_ended,
        )
        self._failures: OrderedDict[str, str] = OrderedDict()  # by the key of the task

    def recover(self) -> None:
        """After a restart: looks go on by themselves, runs that were in mid-air say that they were."""
        for run_id in self.runs.in_state("waiting", "running"):
            self.runs.settle(
                run_id, state="interrupted", problem="The server stopped while this was running."
            )
        for run_id in self.runs.in_state("looking"):
            self._look(run_id)

    def close(self) -> None:
        """Stop all workers and let go of the folder."""
        for jobs in (self._work, self._looks, self._details):
            jobs.close()
        self.runs.close()
        os.close(self._lock)

    def folder(self, run_id: str) -> RunFolder:
        """Return the folder of a run."""
        return RunFolder(self.root, run_id)

    @property
    def can_take_in(self) -> bool:
        """Whether files of one more run may wait to be looked at."""
        return self._looks.has_free_place

    def take_in(self, store: Callable[[RunFolder], tuple[StoredFile, ...]], *, title: str = "") -> RunRecord:
        """Keep the files of a new run, put it on the list and have them looked at; if that fails, nothing is kept.

        Parameters
        ----------
        store : callable
            Writes the files into the folder it is given.
        title : str, optional
            The names of the files if absent.
        """
        folder = RunFolder(self.root, new_id())
        try:
            folder.make()
            files = store(folder)
            run = RunRecord(
                id=folder.run_id,
                created=now(),
                state="looking",
                title=title or _title(files),
                files=files,
            )
            self.runs.add(run)
        except BaseException:
            folder.delete()
            raise
        self._look(run.id)
        return self.runs.get(run.id) or run  # deleted by somebody else already

    def progress(self, run_id: str) -> JobProgress:
        """Return how far a run is."""
        return self._work.progress(run_id) or self._looks.progress(run_id) or JobProgress()

    def look_again(self, run: RunRecord, choices: Choices) -> bool:
        """Look at the files with other choices; False when the run is busy."""
        if not self.runs.change(run.id, only_from=RESTARTABLE, state="looking", choices=choices):
            return False
        return self._look(run.id)

    def start(self, run: RunRecord, choices: Choices | None = None) -> bool:
        """Make the report, for the first time or anew; False when the run is busy or too many wait.

        A report that is there already is set aside, and comes back if the new one is cancelled.
        """
        changed = {"choices": choices} if choices is not None else {}
        if not self.runs.change(
            run.id, only_from=RESTARTABLE, state="waiting", problem="", verdict="", **changed
        ):
            return False
        self._details.cancel(run.id)  # they are of the report that goes
        folder = self.folder(run.id)
        try:
            if folder.has_report:
                folder.set_aside({"kind": run.kind, "verdict": run.verdict})
            folder.forget_answers()
        except OSError:
            self.runs.settle(run.id, state=run.state, problem=run.problem, verdict=run.verdict)
            raise
        if self._submit(run.id, "compose"):
            return True
        if not self._went_back(run.id):
            self.runs.settle(run.id, state="ready", problem=_CROWDED)
        return False

    def go_back(self, run: RunRecord) -> bool:
        """Show the report again that was there before the last start; False when there is none, or the run is busy."""
        self._details.cancel(run.id)
        return not run.is_on_the_way and self._went_back(run.id)

    def cancel(self, run_id: str) -> bool:
        """Stop a run; False when it was not on the way."""
        return self._work.cancel(run_id) or self._looks.cancel(run_id)

    def delete(self, run_id: str) -> bool:
        """Stop a run, take it off the list, and remove every file of it."""
        try:
            was_there = self.runs.delete(run_id)
        except sqlite3.OperationalError:
            # A full disk does not even take that something goes: deleting the run's files frees the space for it.
            self.cancel(run_id)
            self.folder(run_id).delete()
            was_there = self.runs.delete(run_id)
        self.cancel(run_id)
        self._details.cancel(run_id)
        if was_there:
            self.folder(run_id).delete()
            self._forget_changes_since(run_id)
            forget_tables()
        return was_there

    def _forget_changes_since(self, run_id: str) -> None:
        """Remove what other runs say about how they differ from one that is deleted."""
        for place in ("answers", "previous"):
            for path in self.root.glob(f"*/{place}/changes-{run_id}-*"):
                path.unlink(missing_ok=True)

    def detail(self, run_id: str, name: str, file: str, **details: str) -> dict[str, Any] | None:
        """Return a detail of a finished run from its folder; None while a worker computes it.

        Parameters
        ----------
        run_id : str
        name : {"pair", "changes", "watch", "gate"}
            The task that makes it.
        file : str
            Where it is stored.
        **details
            Which of them, as the task is told.

        Raises
        ------
        DetailFailed
            When the worker could not compute it, with the reason; asked again, it tries again.
        TooManyWaiting
        """
        stored: dict[str, Any] | None = self.folder(run_id).read(file)
        if stored is not None:
            return stored
        task = self._task(run_id, name, details)
        if task is None:
            raise DetailFailed("This run was deleted or started again.")
        problem = self._failures.pop(task.key, None)
        if problem is not None:
            raise DetailFailed(problem)
        if not self._details.request(task):
            raise TooManyWaiting(_CROWDED)
        return None

    def _detail_ended(self, task: Task, outcome: Outcome) -> None:
        if outcome["state"] == "failed":
            self._failures[task.key] = str(outcome.get("problem", ""))
            while len(self._failures) > _MOST_FAILURES:
                self._failures.popitem(last=False)

    def _look(self, run_id: str) -> bool:
        """Have the files of a run looked at; where too many wait, the run says so instead of waiting forever."""
        if self._submit(run_id, "look"):
            return True
        has_report = self.folder(run_id).has_report
        self.runs.settle(run_id, state="done" if has_report else "failed", problem=_CROWDED)
        return False

    def _submit(self, run_id: str, name: str) -> bool:
        task = self._task(run_id, name)
        return task is not None and (self._looks if name == "look" else self._work).submit(task)

    def _task(self, run_id: str, name: str, details: dict[str, str] | None = None) -> Task | None:
        """Return a task of a run; None if there is no such run, or no report to give a detail of."""
        run = self.runs.get(run_id)
        if run is None or (details and run.state != "done"):
            return None
        limits = self.settings.limits
        return Task(
            name=name,
            root=str(self.root.resolve()),
            run_id=run_id,
            files=run.files,
            choices=run.choices,
            memory_bytes=limits.memory_bytes,
            cpu_seconds=0,
            rows=limits.rows,
            details=details or {},
        )

    def _began(self, task: Task) -> None:
        self.runs.change(task.run_id, only_from=("waiting",), state="running")

    def _ended(self, task: Task, outcome: Outcome) -> None:
        """Write down how a task ended, whatever the disk says; of a deleted run there is nothing left to write to."""
        try:
            self._settle(task, outcome)
        except (OSError, sqlite3.Error) as error:
            self.runs.settle(task.run_id, state="failed", problem=failure_reason(error))

    def _settle(self, task: Task, outcome: Outcome) -> None:
        state: RunState = outcome["state"]
        if task.name == "look" and (state != "failed" or self.folder(task.run_id).has_report):
            self._looked(task.run_id, str(outcome.get("problem", "")))
            return
        if task.name == "compose":
            self._settle_answers(task.run_id, state)
            if state == "cancelled" and self._went_back(task.run_id):
                return
        words: dict[str, Any] = {name: str(outcome.get(name, "")) for name in ("kind", "verdict", "problem")}
        if outcome.get("title"):
            words["title"] = str(outcome["title"])
        self.runs.settle(task.run_id, state=state, **words)

    def _looked(self, run_id: str, problem: str) -> None:
        """After a look: a run that has its report still has it, and any other is ready for its start."""
        if self.folder(run_id).has_report:
            self.runs.settle(run_id, state="done", problem=problem)
        else:
            self.runs.settle(run_id, state="ready", kind="", verdict="", problem="")

    def _settle_answers(self, run_id: str, state: RunState) -> None:
        """Keep whole answers alone: new ones replace those set aside, and half of new ones are removed."""
        folder = self.folder(run_id)
        if state == "done":
            folder.forget_previous()
        else:
            folder.forget_answers()

    def _went_back(self, run_id: str) -> bool:
        facts = self.folder(run_id).go_back()
        return facts is not None and self.runs.settle(run_id, state="done", problem="", **facts)


def _title(files: tuple[StoredFile, ...]) -> str:
    names = [file.name for file in files]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _secret(path: Path) -> bytes:
    """Return the key of form tokens; kept, so that a form filled in before a restart still counts.

    A key that is cut short, as by a disk that was full, could be guessed: it is made anew.
    """
    if path.exists() and len(key := path.read_bytes()) == _SECRET_BYTES:
        return key
    key = secrets.token_bytes(_SECRET_BYTES)
    partial = path.with_name("secret.partial")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(key)
    partial.replace(path)
    return key


def _locked(path: Path) -> int:
    """Lock the folder: a second server would take the first one's runs for interrupted."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        import fcntl  # noqa: PLC0415  (not on Windows)
    except ImportError:
        return handle
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise BetterThanError(
            Message(
                "Another server uses the folder {folder}. Stop it, or name another folder with {option}.",
                folder=path.parent,
                option=Option("folder", FOLDER),
            )
        ) from None
    return handle
