"""A worker process: it parses untrusted files under limits, and writes answers into the run's folder.

Started as ``python -m betterthan.web.worker.worker``. Tasks come as messages of JSON, news go back as messages of JSON.
When the server is gone, so is the worker.

No process ever sees the files of two tasks. On Linux the worker loads what tasks need, touches no file, and forks for
each task, which is then done in a hundredth of a second instead of half a one. Elsewhere it does one task and ends.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import sys
import tempfile
import time
from typing import Any, BinaryIO

from betterthan import budget, scratch
from betterthan.engine.child import end_with_parent, limit, private_channels, receive, send
from betterthan.engine.cluster import on_chosen_cluster
from betterthan.errors import BetterThanError
from betterthan.messages import Message, Option
from betterthan.web.names import page_text
from betterthan.web.runs.disk import FULL, is_disk_full
from betterthan.web.runs.run import StoredFile
from betterthan.web.runs.task import ENDED, Task

SERVER_IS_GONE = 3
# How libraries say it that do not raise MemoryError; the first is a library for which there is no memory left.
_NO_MEMORY = ("failed to map segment", "Cannot allocate memory", "bad_alloc", "Out of Memory")


class News:
    """Progress that travels to the server, one message each, at most ten per second."""

    def __init__(self, channel: BinaryIO) -> None:
        self._channel = channel
        self._label, self._done, self._total = "", 0, 0
        self._sent_at = 0.0

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
        """Begin a stage of unknown length."""
        self.start(0, label)

    def say(self, **news: Any) -> None:  # noqa: ANN401  (any JSON)
        """Send one message."""
        send(self._channel, json.dumps(news).encode())

    def _tell(self, *, now: bool) -> None:
        if now or time.monotonic() - self._sent_at > 0.1:
            self._sent_at = time.monotonic()
            self.say(label=self._label, done=self._done, total=self._total)


def work(task: Task, news: News) -> None:
    """Do the task and tell how it ended."""
    try:
        news.say(**_outcome(task, news))
    except BetterThanError as error:
        news.say(state="failed", problem=with_shown_names(page_text(error.text), task.files))
    except Exception as error:  # noqa: BLE001  (the last door: the user must learn what it was)
        news.say(state="failed", problem=with_shown_names(_problem(error, task), task.files))


def _outcome(task: Task, news: News) -> dict[str, str]:
    """Do the task by its name; a look does not load the verbs."""
    if task.name == "look":
        from betterthan.web.worker.first_look import look  # noqa: PLC0415

        look(task, news)
        return {"state": "ready"}
    with on_chosen_cluster():
        return _computed(task, news)


def _computed(task: Task, news: News) -> dict[str, str]:
    if task.name == "pair":
        from betterthan.web.worker.pairs import compute_pair  # noqa: PLC0415

        compute_pair(task, news)
        return {"state": "done"}
    if task.name == "changes":
        from betterthan.web.worker.changes import compute_changes  # noqa: PLC0415

        compute_changes(task, news)
        return {"state": "done"}
    if task.name == "watch":
        from betterthan.web.worker.watching import compute_watch  # noqa: PLC0415

        compute_watch(task, news)
        return {"state": "done"}
    if task.name == "gate":
        from betterthan.web.worker.gating import compute_gate  # noqa: PLC0415

        compute_gate(task, news)
        return {"state": "done"}
    from betterthan.web.worker.composing import answer  # noqa: PLC0415

    return {"state": "done", **answer(task, news)}


_MODULES = {
    "look": "first_look",
    "pair": "pairs",
    "changes": "changes",
    "watch": "watching",
    "gate": "gating",
    "compose": "composing",
}


def _problem(error: Exception, task: Task) -> str:
    """Say what went wrong that is no fault of the data: too little memory, or we."""
    if isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY):
        return page_text(
            Message(
                "This needs more memory than the {most:,} MB that a run may use. Use a part of the data, or start the "
                "server with a higher {memory}.",
                most=task.memory_bytes >> 20,
                memory=Option("memory"),
            )
        )
    if is_disk_full(error):
        return FULL
    return page_text(
        Message(
            "This is a fault in betterthan, not in your data ({kind}: {error}). Run the same files on the command line "
            "with {debug} to see where.",
            kind=type(error).__name__,
            error=str(error),
            debug=Option("debug", True),
        )
    )


def with_shown_names(text: str, files: tuple[StoredFile, ...]) -> str:
    """Return a message with the users' names of files instead of the names by which they are kept.

    Examples
    --------
    >>> file = StoredFile(name="human.csv", digest="9f3c", suffix=".csv", size=1)
    >>> with_shown_names("9f3c.csv, line 14: not a number.", (file,))
    'human.csv, line 14: not a number.'
    """
    if isinstance(text, Message):
        return text.with_fields(lambda part: with_shown_names(part, files))
    for file in files:
        text = text.replace(f"{file.stem}={file.stored}", file.name).replace(file.stored, file.name)
    return text


def main() -> None:
    """Receive tasks one after another, and have each done by a process that is forked for it."""
    requests, answers = private_channels()
    names: set[str] = set()
    while True:
        try:
            task = Task.from_json(receive(requests).decode())
        except EOFError:
            sys.exit(SERVER_IS_GONE)
        if not CAN_FORK:
            _do(task, requests, answers)
            return
        _load(task.name, is_first=task.name not in names)
        names.add(task.name)
        send(answers, json.dumps({ENDED: _forked(task, requests, answers)}).encode())


# Python warns of forks on macOS: the system's own libraries do not survive them.
CAN_FORK = sys.platform == "linux"


def _do(task: Task, requests: BinaryIO, answers: BinaryIO) -> None:
    """Take on the limits of a task and work, until the other end of `requests` is closed at the latest."""
    end_with_parent(requests, status=SERVER_IS_GONE)
    limit(task.memory_bytes, task.cpu_seconds)
    # The limit counts address space, of which libraries take their part.
    budget.limit_memory(task.memory_bytes // 2)
    os.environ["TMPDIR"] = str(
        task.scratch
    )  # so that nothing is left elsewhere, even by a worker that is killed
    tempfile.tempdir = None
    os.chdir(task.folder.files)
    work(task, News(answers))


def _load(name: str, *, is_first: bool) -> None:
    """Load what a task needs before its process is forked; all that a look may need only for the second one."""
    importlib.import_module(f"betterthan.web.worker.{_MODULES[name]}")
    if name == "look" and not is_first:
        from betterthan.read.formats.registry import READERS, reader  # noqa: PLC0415

        for each in READERS:
            reader(each)
        importlib.import_module("duckdb")


def _forked(task: Task, requests: BinaryIO, answers: BinaryIO) -> int:
    """Do a task in a fork of this process, pass on its news, and return its exit status."""
    news, write_end = os.pipe()
    alive, held = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            for end in (news, held, requests.fileno(), answers.fileno()):
                os.close(end)
            _do(task, os.fdopen(alive, "rb"), os.fdopen(write_end, "wb"))
            scratch.remove()
        finally:
            os._exit(0)  # not by way of what the parent would do at its own exit
    for end in (write_end, alive):
        os.close(end)
    _pass_on(news, requests, answers)
    os.close(news)
    _, status = os.waitpid(process, 0)
    os.close(held)
    return os.waitstatus_to_exitcode(status)


def _pass_on(news: int, requests: BinaryIO, answers: BinaryIO) -> None:
    """Pass on whole messages, so that a process that is killed in the middle of one spoils nothing."""
    data = b""
    while True:
        ready, _, _ = select.select([news, requests.fileno()], [], [])
        if requests.fileno() in ready:  # the server sends nothing while a task lasts
            os._exit(SERVER_IS_GONE)
        piece = os.read(news, 1 << 16)
        if not piece:
            return
        data += piece
        while len(data) >= (end := 8 + int.from_bytes(data[:8], "little")):
            send(answers, data[8:end])
            data = data[end:]


if __name__ == "__main__":
    main()
