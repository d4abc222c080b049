"""What the server does with runs, for pages and API alike: take in, look, start, stop, delete."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from betterthan.errors import BetterThanError
from betterthan.messages import FOLDER, Message, Option
from betterthan.web.runs.disk import failure_reason, is_disk_full
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.jobs import JobProgress, Jobs, Outcome
from betterthan.web.runs.run import RESTARTABLE, Choices, RunRecord, RunState, StoredFile, new_id
from betterthan.web.runs.saved_tables import forget_tables
from betterthan.web.runs.store import RunStore, now
from betterthan.web.runs.task import Task
from betterthan.web.settings import WebSettings

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
