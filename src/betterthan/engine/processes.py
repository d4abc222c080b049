"""Worker processes, each led by a thread of ours.

Why not the pool of the standard library: one worker that is killed breaks all of that pool; its processes
run the caller's script once more unless that hides behind ``if __name__ == "__main__"``; and they outlive a
caller that is killed. Here each worker is a fresh interpreter (nothing is forked while other threads hold
locks) that knows one job, is replaced alone when it dies, and dies with its parent.
"""

from __future__ import annotations

import pickle
import sys
import threading
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Generic, Self, cast

from betterthan.engine.blocks import Job, Result
from betterthan.engine.child import Child
from betterthan.errors import BetterThanError

TRIES = 3
GRACE = 5.0  # seconds in which a worker that was told to end, or is dying, may do so by itself
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from betterthan.engine.worker import serve; serve()"


def as_task(job: Job[Any, Any]) -> bytes | None:
    """The bytes by which another process can do a job, or None if only this process can.

    Only this process can run a function that is local, or that is defined in the script or notebook itself:
    to find it there, a worker would have to run that script.

    Examples
    --------
    >>> as_task(Job(name="powers", function=pow, payload=2, n_blocks=8)) is None
    False
    >>> as_task(Job(name="powers", function=lambda base, block: base**block, payload=2, n_blocks=8)) is None
    True
    """
    if not sys.executable or getattr(sys, "frozen", False):  # there is no Python to start
        return None
    try:
        task = pickle.dumps((job.function, job.payload), protocol=pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    return None if b"__main__" in task else task


class WorkerProcesses(Generic[Result]):
    """Processes that do blocks of one job, called with a block number from as many threads.

    They start when they are first needed. A worker that dies is replaced and its block, no other, done again.
    Leaving the context lets them end; leaving it by an exception kills them.

    Parameters
    ----------
    name : str
        The name of the job, for messages.
    task : bytes
        The job as :func:`as_task` gives it.
    n_workers : int
        How many processes.

    Examples
    --------
    >>> task = as_task(Job(name="powers", function=pow, payload=2, n_blocks=8))
    >>> with WorkerProcesses("powers", task, 1) as workers:
    ...     [workers(block) for block in (3, 7)]
    [8, 128]
    """

    def __init__(self, name: str, task: bytes, n_workers: int) -> None:
        self._name = name
        self._task = task
        self._seats: SimpleQueue[_Worker | None] = SimpleQueue()
        for _ in range(n_workers):
            self._seats.put(None)
        self._alive: set[_Worker] = set()
        self._is_open = True
        self._lock = threading.Lock()

    def __call__(self, block: int) -> Result:
        """Do one block.

        Raises
        ------
        BetterThanError
            If the block has ended its worker three times.
        Exception
            Whatever the block raises, unchanged.
        """
        worker = self._seats.get()
        try:
            for _ in range(TRIES):
                worker = worker or self._start()
                try:
                    return cast("Result", worker.ask(block))
                except _WorkerDied:
                    status = self._bury(worker)
                    worker = None
        finally:
            self._seats.put(worker)
        raise BetterThanError(
            f'Block {block} of "{self._name}" ended its worker process {TRIES} times (exit status {status}), '
            "probably for lack of memory. Try again with fewer workers."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._is_open = False
            alive = list(self._alive)
        for worker in alive:
            worker.end(grace=GRACE if kind is None else 0)

    def _start(self) -> _Worker:
        with self._lock:
            if not self._is_open:
                raise BetterThanError(f'"{self._name}" was stopped.')
            worker = _Worker(self._task)
            self._alive.add(worker)
        return worker

    def _bury(self, worker: _Worker) -> int:
        with self._lock:
            self._alive.discard(worker)
        return worker.end(grace=GRACE)


class _WorkerDied(Exception):
    """The process ended before it answered."""


class _Worker:
    """One worker process and the job that it has not been sent yet."""

    def __init__(self, task: bytes) -> None:
        self._unsent: bytes | None = task
        self.child = Child(["-c", _PROGRAM, *map(str, sys.path)])

    def ask(self, block: int) -> object:
        """Have a block done; raise what it raises, or `_WorkerDied` if there is no answer."""
        try:
            answer = self._exchange(block)
        except (EOFError, OSError, ValueError) as end:  # ValueError: the channel is closed already
            raise _WorkerDied from end
        result, error = pickle.loads(answer)  # noqa: S301  (from our own child process)
        if error is not None:
            raise error
        return result

    def end(self, *, grace: float) -> int:
        """Let the process end within this number of seconds, else kill it; return its exit status."""
        return self.child.end(grace=grace)

    def _exchange(self, block: int) -> bytes:
        if self._unsent is not None:
            self.child.send(self._unsent)
            self._unsent = None
        self.child.send(str(block).encode())
        return self.child.receive()
