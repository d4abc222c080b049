"""Execution of a job: the same results on any workers, and after any interruption.

Worker processes are each led by a thread of ours. Why not the pool of the standard library: one worker that is killed
breaks all of that pool; its processes run the caller's script once more unless that hides behind
``if __name__ == "__main__"``; and they outlive a caller that is killed. Here each worker is a fresh interpreter
(nothing is forked while other threads hold locks) that knows one job, is replaced alone when it dies, and dies with
its parent.
"""

from __future__ import annotations

import hashlib
import json
import logging
import pickle
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import islice
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Generic, Self, TypeAlias, cast

from betterthan.budget import MOST_WORKERS, check_count, require, usable_cpus
from betterthan.engine.blas import one_blas_thread
from betterthan.engine.blocks import Job, Result, checked
from betterthan.engine.cache import Cache
from betterthan.engine.child import Child
from betterthan.engine.cluster import chosen, cluster_of
from betterthan.engine.progress import Progress, Silence
from betterthan.errors import BetterThanError, BetterThanWarning

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


def job_key(job: Job[Any, Any]) -> str:
    """The folder of a job in a cache: the SHA-256 of its name, its digest and its number of blocks.

    Examples
    --------
    >>> job_key(Job(name="squares", function=pow, payload=2, n_blocks=3, digest="ab12"))[:12]
    'cb6251259704'
    """
    return hashlib.sha256(json.dumps([job.name, job.digest, job.n_blocks]).encode()).hexdigest()


class Checkpoints(Generic[Result]):
    """Checkpoints of one run: read from a cache and added to it.

    Finished blocks are written together, once the run has lasted for the cache's patience and no more often than
    that, so that neither short runs nor tiny blocks wear out the disk. A cache that cannot be written to costs one
    warning and no result.

    Parameters
    ----------
    job : Job
        The job of the run. Without a digest it has no checkpoints.
    cache : Cache or None
        Where checkpoints are; None for nowhere.
    clock : callable, default time.monotonic
        Returns the time in seconds.
    """

    def __init__(
        self, job: Job[Any, Result], cache: Cache | None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._cache = cache if job.digest is not None else None
        self._key = job_key(job)
        self._clock = clock
        self._started = self._written = clock()
        self._held: dict[int, Result] = {}

    def found(self) -> dict[int, Result]:
        """The blocks finished by earlier runs."""
        if self._cache is None:
            return {}
        return cast("dict[int, Result]", self._cache.load(self._key))

    def add(self, block: int, result: Result) -> None:
        """Take note that a block is finished."""
        if self._cache is not None:
            self._held[block] = result
            self._write(self._cache, since=self._written)

    def close(self) -> None:
        """Write what is still held, and reduce the cache to its size if this run has added to it."""
        if self._cache is not None:
            self._write(self._cache, since=self._started)
        if self._cache is not None and self._written > self._started:
            self._cache.prune()

    def _write(self, cache: Cache, *, since: float) -> None:
        now = self._clock()
        if not self._held or now - since < cache.patience:
            return
        try:
            cache.save(self._key, self._held)
        except OSError as error:
            self._cache = None
            warnings.warn(
                f"Checkpoints cannot be written to {cache.folder} ({error.strerror or error}); "
                "the run goes on without them. Set BETTERTHAN_CACHE to a folder with free space.",
                BetterThanWarning,
                stacklevel=2,
            )
        self._held = {}
        self._written = now


Keep: TypeAlias = Callable[[int, Result], None]

_log = logging.getLogger(__name__)

ALONE = 0.5  # seconds of work that are not worth starting processes for
TICK = 0.5  # seconds; on Windows a wait without end would not notice Ctrl-C
MANY = 32  # workers a caller's executor is taken to have


def run(
    job: Job[Any, Result],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Do all blocks of a job and return their results in order.

    The bytes of the results do not depend on the workers. An exception raised by a block, or Ctrl-C,
    comes out unchanged; the blocks finished by then are in the cache, and the same call goes on from there.

    Parameters
    ----------
    job : Job
        What is to be done.
    workers : int, optional
        How many blocks are done at a time, in threads or processes as the job asks; 1 does them one by one in
        this thread. By default as many as there are usable CPUs, but half a second's work starts no process.
    executor : concurrent.futures.Executor, optional
        Does the blocks instead, and is not shut down. It gets the payload with each block, and at most
        ``2 * workers`` blocks at a time (64 by default); an executor of Dask gets the payload once, and two tasks for
        each of its threads. By default the cluster of :func:`betterthan.engine.cluster.working_on`, if there is one.
    cache : Cache, optional
        Where finished blocks are looked up and kept. By default nowhere.
    progress : Progress, optional
        Called with the progress of the work; none by default.

    Returns
    -------
    list
        The result of each block.

    Raises
    ------
    BetterThanError
        If a block ends its worker process three times, or the caller's executor breaks.

    Notes
    -----
    A job that asks for processes but cannot be sent to one, because its function is local or defined in the
    script or notebook itself, is done in threads. Ctrl-C comes out at once: worker processes end, a thread in
    the middle of a block goes on to the end of that block.

    BLAS rounds sums of fractions differently with another number of threads of its own, so it gets one thread here,
    in worker processes and in the caller's executor alike.

    Examples
    --------
    >>> import numpy as np
    >>> from betterthan.engine.blocks import stream
    >>> def heads(n_coins, block):
    ...     return stream(12345, "coins", block).binomial(n_coins, 0.5, size=3)
    >>> job = Job(name="coins", function=heads, payload=100, n_blocks=4)
    >>> len(run(job, workers=2))
    4
    >>> np.array_equal(run(job, workers=1), run(job, workers=3))
    True
    """
    if workers is not None and workers < 1:
        raise BetterThanError(f"workers is {workers}, but there must be at least 1.")
    check_count("workers", workers, MOST_WORKERS)
    checkpoints = Checkpoints(job, cache)
    display = Silence() if progress is None else progress
    results = checkpoints.found()

    def keep(block: int, result: Result) -> None:
        if not results:
            _check_size(job, result)
        results[block] = checked(result, job=job.name)
        checkpoints.add(block, result)
        display.advance()

    display.start(job.n_blocks, job.name, done=len(results))
    try:
        missing = [block for block in range(job.n_blocks) if block not in results]
        _log.info("%s: %d blocks, %d of them to be computed", job.name, job.n_blocks, len(missing))
        with one_blas_thread():
            _carry_out(job, missing, keep, workers=workers, executor=executor)
    finally:
        display.finish()
        checkpoints.close()
    return [results[block] for block in range(job.n_blocks)]


def _check_size(job: Job[Any, Result], first: Result) -> None:
    """Raise when the results of a job will not fit in memory, once the first is known."""
    arrays = first.values() if isinstance(first, dict) else [first]
    # Twice, because results are put together in the end.
    needed = 2 * job.n_blocks * sum(getattr(array, "nbytes", 0) for array in arrays)
    require(needed, f'"{job.name}"', instead="Use fewer resamples")


def _carry_out(
    job: Job[Any, Result],
    blocks: list[int],
    keep: Keep[Result],
    *,
    workers: int | None,
    executor: Executor | None,
) -> None:
    cluster = chosen() if executor is None else cluster_of(executor)
    if cluster is not None:
        cluster.run(job, blocks, keep)
        return
    if executor is not None:
        _by_caller(job, blocks, keep, executor, at_once=2 * (workers or MANY))
        return
    if workers is None and job.uses == "processes":
        blocks = _here(job, blocks, keep, seconds=ALONE)
    # Counting processors reads files, which takes longer than a small block.
    n_workers = min(workers or usable_cpus(), len(blocks)) if len(blocks) > 1 else 1
    if n_workers > 1:
        _by_workers(job, blocks, keep, n_workers)
    else:
        _here(job, blocks, keep)


def _here(
    job: Job[Any, Result],
    blocks: list[int],
    keep: Keep[Result],
    *,
    seconds: float = float("inf"),
) -> list[int]:
    """Do blocks in this thread until the time is up; return those left."""
    end = time.monotonic() + seconds
    for position, block in enumerate(blocks):
        if time.monotonic() >= end:
            return blocks[position:]
        keep(block, job.function(job.payload, block))
    return []


def _by_workers(job: Job[Any, Result], blocks: list[int], keep: Keep[Result], n_workers: int) -> None:
    task = as_task(job) if job.uses == "processes" else None
    function: AbstractContextManager[Callable[[int], Result]]
    if task is None:
        function = nullcontext(partial(_elsewhere, job.function, job.payload))
    else:
        function = WorkerProcesses(job.name, task, n_workers)
    with _threads(n_workers) as threads, function as call:
        _share_out(blocks, lambda block: threads.submit(call, block), keep, at_once=2 * n_workers)


def _by_caller(
    job: Job[Any, Result],
    blocks: list[int],
    keep: Keep[Result],
    executor: Executor,
    *,
    at_once: int,
) -> None:
    def submit(block: int) -> Future[Result]:
        return executor.submit(_elsewhere, job.function, job.payload, block)

    try:
        _share_out(blocks, submit, keep, at_once=at_once)
    except BrokenExecutor as error:
        raise BetterThanError(
            f'The executor lost its workers while it ran "{job.name}". Run again with a new executor, '
            "or with workers=N, whose workers are replaced when they die; finished blocks stay in the cache."
        ) from error


def _elsewhere(function: Callable[[Any, int], Result], payload: Any, block: int) -> Result:  # noqa: ANN401
    """Do a block in another thread or wherever the caller's executor is, with the same one thread of BLAS as here."""
    with one_blas_thread():
        return function(payload, block)


@contextmanager
def _threads(n_workers: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that are not joined at exit, because after Ctrl-C some may still be running."""
    threads = ThreadPoolExecutor(n_workers, thread_name_prefix="betterthan")
    try:
        yield threads
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def _share_out(
    blocks: list[int],
    submit: Callable[[int], Future[Result]],
    keep: Keep[Result],
    *,
    at_once: int,
) -> None:
    """Run blocks, at most `ahead` at a time; on an error, keep those that are done."""
    waiting = iter(blocks)
    flying: dict[Future[Result], int] = {}
    try:
        for block in islice(waiting, at_once):
            flying[submit(block)] = block
        while flying:
            landed, _ = wait(flying, timeout=TICK, return_when=FIRST_COMPLETED)
            for future in landed:
                keep(flying.pop(future), future.result())
            for block in islice(waiting, len(landed)):
                flying[submit(block)] = block
    except BaseException:
        for future, block in flying.items():
            if not future.cancel() and future.done() and future.exception() is None:
                keep(block, future.result())
        raise
