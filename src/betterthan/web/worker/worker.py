"""A worker process: it parses files nobody vouches for, under limits, and writes answers into the run's folder.

Started as ``python -m betterthan.web.worker.worker``; one task a process. The task comes as a line of JSON on standard
input, which stays open: when it ends, the server is gone and so is the worker. News goes to standard output, a
line of JSON each.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from betterthan import budget
from betterthan.errors import BetterThanError
from betterthan.web.runs.disk import FULL, is_disk_full
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.run import Choices, StoredFile

SERVER_IS_GONE = 3
# How libraries say it that do not raise MemoryError; the first is a library that finds no room to be loaded.
_NO_MEMORY = ("failed to map segment", "Cannot allocate memory", "bad_alloc", "Out of Memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a worker is told.

    Attributes
    ----------
    name : {"look", "compose"}
    root, run_id : str
        Where the run is.
    files : tuple of StoredFile
    choices : Choices
    memory_bytes : int
        Address space it may use.
    cpu_seconds : int
        Processor time it may use.
    rows : int
        Rows the data may have.
    """

    name: str
    root: str
    run_id: str
    files: tuple[StoredFile, ...]
    choices: Choices
    memory_bytes: int
    cpu_seconds: int
    rows: int

    def to_json(self) -> str:
        """Return the task as one line."""
        return json.dumps({**asdict(self), "choices": self.choices.to_dict()})

    @staticmethod
    def from_json(text: str) -> Task:
        """Make a task from its line."""
        data = json.loads(text)
        files = tuple(StoredFile(**file) for file in data.pop("files"))
        return Task(files=files, choices=Choices.from_dict(data.pop("choices")), **data)

    @property
    def folder(self) -> RunFolder:
        """The run's folder."""
        return RunFolder(Path(self.root), self.run_id)


class News:
    """Progress that travels to the server, a line each; at most one a tenth of a second."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._label, self._done, self._total = "", 0, 0
        self._told = 0.0

    def start(self, total: int, label: str, *, done: int = 0) -> None:
        """A stage of so many blocks begins."""
        self._label, self._done, self._total = label, done, total
        self._tell(now=True)

    def advance(self, n: int = 1) -> None:
        """So many more blocks are done."""
        self._done += n
        self._tell(now=False)

    def finish(self) -> None:
        """The stage is over."""
        self._tell(now=True)

    def stage(self, label: str) -> None:
        """A stage begins of which nobody knows how long it is."""
        self.start(0, label)

    def say(self, **news: Any) -> None:  # noqa: ANN401  (any JSON)
        """Send one line."""
        self._stream.write(json.dumps(news) + "\n")
        self._stream.flush()

    def _tell(self, *, now: bool) -> None:
        import time  # noqa: PLC0415  (the only place that looks at a clock)

        if now or time.monotonic() - self._told > 0.1:
            self._told = time.monotonic()
            self.say(label=self._label, done=self._done, total=self._total)


def limit(memory_bytes: int, cpu_seconds: int) -> None:
    """Bound this process; where the platform has no such limits, the server's own clock is what remains."""
    try:
        import resource  # noqa: PLC0415  (not on Windows)
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, memory_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        # What the user allows the server (ulimit), its workers do not exceed.
        allowed = (given for given in resource.getrlimit(kind) if given != resource.RLIM_INFINITY)
        bound = min((most, *allowed))
        with suppress(ValueError, OSError):  # macOS knows RLIMIT_AS and refuses it
            resource.setrlimit(kind, (bound, bound))


def work(task: Task, news: News) -> None:
    """Do the task and tell how it ended."""
    try:
        if task.name == "look":
            from betterthan.web.worker.first_look import look  # noqa: PLC0415  (a look does not load the verbs)

            look(task, news)
        else:
            from betterthan.web.worker.composing import answer  # noqa: PLC0415

            news.say(state="done", **answer(task, news))
            return
        news.say(state="ready")
    except BetterThanError as error:
        news.say(state="failed", problem=told(str(error), task.files))
    except Exception as error:  # noqa: BLE001  (the last door: the user must learn what it was)
        news.say(state="failed", problem=told(_problem(error, task), task.files))


def _problem(error: Exception, task: Task) -> str:
    """Say what went wrong that is no fault of the data: too little memory, or we."""
    if isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY):
        return (
            f"This needs more memory than the {task.memory_bytes >> 20:,} MB a run may use. "
            "Take a part of the data, or start the server with a higher --memory."
        )
    if is_disk_full(error):
        return FULL
    return (
        f"This is a fault in betterthan, not in your data ({type(error).__name__}: {error}). "
        "Run the same files on the command line with --debug to see where."
    )


def told(text: str, files: tuple[StoredFile, ...]) -> str:
    """Return a message with the users' names of files instead of the names by which they are kept.

    Examples
    --------
    >>> file = StoredFile(name="human.csv", digest="9f3c", suffix=".csv", size=1)
    >>> told("9f3c.csv, line 14: not a number.", (file,))
    'human.csv, line 14: not a number.'
    """
    for file in files:
        text = text.replace(f"{file.stem}={file.stored}", file.name).replace(file.stored, file.name)
    return text


def main() -> None:
    """Read the task, take on its limits, work."""
    # Whatever prints would garble the news: it goes to standard error.
    news = News(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    task = Task.from_json(sys.stdin.readline())
    threading.Thread(target=_die_with_the_server, daemon=True).start()
    limit(task.memory_bytes, task.cpu_seconds)
    budget.limit_memory(
        task.memory_bytes // 2
    )  # the limit counts address space, of which libraries take their part
    os.chdir(task.folder.files)
    work(task, news)


def _die_with_the_server() -> None:
    while os.read(0, 1):
        pass
    os._exit(SERVER_IS_GONE)


if __name__ == "__main__":
    main()
