"""Blocks on a Dask cluster: the payload is sent once, small blocks travel together, and lost workers are noticed.

What a block computes depends on the job and its number, never on where it runs, so the bytes are those of this machine.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from betterthan import __version__
from betterthan.budget import usable_cpus
from betterthan.engine.blas import one_blas_thread
from betterthan.engine.blocks import Job, Result
from betterthan.errors import BetterThanError, MissingExtra
from betterthan.messages import Message

SCHEME = "dask"
LOCAL = "dask://local"
ENVIRONMENT = "BETTERTHAN_EXECUTOR"
WAIT = 30.0  # seconds without any worker after which the work is given up
TICK = 0.5  # seconds between two looks at the cluster
TASK = 0.25  # seconds of work that blocks sent together should take, against a few milliseconds of overhead
TRIES = 3  # of a block whose workers are lost together with the payload
_CONNECTING = 10.0  # seconds

Client: TypeAlias = Any  # distributed has no types
Keep = Callable[[int, Result], None]


class Cluster:
    """A connection to a Dask cluster, on which :func:`betterthan.engine.run.run` does the blocks of jobs.

    Parameters
    ----------
    client : distributed.Client
        Connected. It is not closed.
    wait : float, optional
        Seconds to wait for a worker, at first and after all were lost, before the work is given up; 30 by default.
    """

    def __init__(self, client: Client, *, wait: float | None = None) -> None:
        self.client = client
        self._wait = WAIT if wait is None else wait
        self._is_checked = False

    def run(self, job: Job[Any, Result], blocks: list[int], keep: Keep[Result]) -> None:
        """Do blocks of a job; `keep` gets each result, in any order.

        Raises
        ------
        BetterThanError
            If there is no worker for some time, if a block ends every worker that tries it, or if the workers have
            other versions than this process.
        """
        if not blocks:
            return
        self._await_workers()
        if not self._is_checked:
            _check_versions(self.client)
            self._is_checked = True
        _Run(self.client, self._wait, job, blocks, keep).finish()

    def _await_workers(self) -> None:
        end = time.monotonic() + self._wait
        while not _n_threads(self.client):
            if time.monotonic() > end:
                raise BetterThanError(
                    f"The Dask cluster has no workers; none came in {self._wait:g} s. "
                    "Start some, such as `dask worker HOST:PORT`."
                )
            time.sleep(TICK)


class _Run:
    """One job on a cluster."""

    def __init__(
        self, client: Client, wait: float, job: Job[Any, Result], blocks: list[int], keep: Keep[Result]
    ) -> None:
        self._client = client
        self._wait = wait
        self._job = job
        self._keep = keep
        self._left = deque(blocks)
        self._n_blocks = len(blocks)
        self._n_kept = 0
        self._alone: set[int] = set()
        self._losses: dict[int, int] = {}  # by the first block of a task
        self._flying: dict[Any, list[int]] = {}
        self._seconds = 0.0  # that the finished blocks took
        self._payload: Any = None

    def finish(self) -> None:
        """Submit tasks until all blocks are done; on an error, nothing of ours stays on the cluster."""
        arriving = _distributed().as_completed()
        last_seen = time.monotonic()
        try:
            while self._left or self._flying:
                n_threads = _n_threads(self._client)
                last_seen = self._when_seen(n_threads, last_seen)
                if n_threads and self._payload is None:
                    self._send_payload()
                while self._payload is not None and self._left and len(self._flying) < 2 * max(1, n_threads):
                    arriving.add(self._submitted(n_threads))
                for future in _landed(arriving):
                    self._take(future)
        finally:
            with suppress(Exception):
                self._client.cancel(list(self._flying), force=True)

    def _send_payload(self) -> None:
        """Send one copy; workers get it from each other."""
        with suppress(TimeoutError):  # the last worker was lost just now
            self._payload = self._client.scatter((self._job.function, self._job.payload), hash=False)

    def _submitted(self, n_threads: int) -> Any:  # noqa: ANN401  (a future of distributed)
        """Submit as many blocks as make a task worth its overhead, and leave some for every thread."""
        each = self._seconds / self._n_kept if self._n_kept else TASK
        share = len(self._left) // (2 * max(1, n_threads)) or 1
        size = max(1, min(round(TASK / each) if each > 0 else share, share))
        blocks = [self._left.popleft()]
        while self._left and len(blocks) < size and self._alone.isdisjoint((blocks[0], self._left[0])):
            blocks.append(self._left.popleft())
        future = self._client.submit(_do_blocks, self._payload, blocks, pure=False, retries=0)
        self._flying[future] = blocks
        return future

    def _when_seen(self, n_threads: int, last_seen: float) -> float:
        """Return when a worker was last seen; raise when that is too long ago."""
        now = time.monotonic()
        if n_threads and self._client.status == "running":
            return now
        if now - last_seen > self._wait:
            raise BetterThanError(
                f'The Dask cluster lost all its workers while it ran "{self._job.name}", and none came back in '
                f"{self._wait:g} s. {self._n_kept:,} of {self._n_blocks:,} blocks were finished; with a cache, the "
                "same call continues from there."
            )
        return last_seen

    def _take(self, future: Any) -> None:  # noqa: ANN401  (a future of distributed)
        """Keep the results of a task; do its blocks again when the cluster, not the block, failed."""
        blocks = self._flying.pop(future)
        if future.status == "finished":
            try:
                seconds, results = future.result()
            except Exception:  # noqa: BLE001  (the worker that held the result is gone)
                self._again(blocks, None)
                return
            self._seconds += seconds
            for block, result in zip(blocks, results, strict=True):
                self._n_kept += 1
                self._keep(block, result)
            return
        error = None if future.status in ("cancelled", "lost") else future.exception()
        if error is None or type(error).__module__.startswith("distributed"):
            self._again(blocks, error)
        else:
            raise error  # of the block itself

    def _again(self, blocks: list[int], error: BaseException | None) -> None:
        """Put back the blocks of a task whose workers, or whose payload, were lost; each goes by itself then."""
        if error is None:
            self._payload = None
        first = blocks[0]
        self._losses[first] = self._losses.get(first, 0) + 1
        if len(blocks) == 1 and (error is not None or self._losses[first] >= TRIES):
            raise BetterThanError(
                f'Block {first} of "{self._job.name}" ended every worker of the Dask cluster that tried it, probably '
                "for lack of memory. Try again with larger workers."
            ) from error
        self._alone.update(blocks)
        self._left.extendleft(reversed(blocks))


def _landed(arriving: Any) -> Iterator[Any]:  # noqa: ANN401  (as_completed of distributed)
    """Tasks that have finished, after a short wait for the first."""
    end = time.monotonic() + TICK
    while not arriving.has_ready():
        if time.monotonic() > end:
            return
        time.sleep(0.001)
    yield from arriving.next_batch(block=False)


def _do_blocks(task: tuple[Callable[[Any, int], Any], Any], blocks: list[int]) -> tuple[float, list[Any]]:
    """Do blocks on a worker; return the seconds that they took and the results."""
    started = time.perf_counter()
    function, payload = task
    with one_blas_thread():
        results = [function(payload, block) for block in blocks]
    return time.perf_counter() - started, results


def _n_threads(client: Client) -> int:
    """Return the number of threads of all workers, by the last report of the scheduler."""
    if client.status != "running":
        return 0
    try:
        info = client.scheduler_info(n_workers=-1)
    except TypeError:  # before 2025.3
        info = client.scheduler_info()
    return sum(int(worker["nthreads"]) for worker in info.get("workers", {}).values())


def versions() -> dict[str, str]:
    """Return the versions on which the bytes of a result depend."""
    import numpy as np  # noqa: PLC0415  (as on the worker)
    import scipy  # noqa: PLC0415

    return {
        "betterthan": __version__,
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def _check_versions(client: Client) -> None:
    """Raise when a worker has no betterthan, or other versions than this process."""
    here = versions()
    for worker, found in sorted(client.run(versions, on_error="return").items()):
        if isinstance(found, BaseException):
            raise BetterThanError(
                f"The Dask worker {worker} cannot run betterthan ({type(found).__name__}: {found}). Install version "
                f"{here['betterthan']} there."
            )
        other = [
            f"{name} {found.get(name)} instead of {here[name]}"
            for name in here
            if found.get(name) != here[name]
        ]
        if other:
            raise BetterThanError(
                f"The Dask worker {worker} has {', '.join(other)}. Results could differ, so nothing was computed. "
                "Install the same versions there as here."
            )


@contextmanager
def connected(address: str, *, wait: float | None = None) -> Iterator[Cluster]:
    """Connect to the scheduler at ``dask://HOST:PORT``, or start workers on this machine for ``dask://local``.

    Raises
    ------
    BetterThanError
        If the address is not one of these, or there is no answer.
    MissingExtra
        If distributed is not installed.
    """
    is_local = address == LOCAL
    target = None if is_local else scheduler_at(address)
    distributed = _distributed()
    if is_local:
        with (
            distributed.LocalCluster(
                n_workers=usable_cpus(),
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=":0",
                silence_logs=50,
            ) as workers,
            distributed.Client(workers) as client,
        ):
            yield Cluster(client, wait=wait)
        return
    try:
        client = distributed.Client(target, timeout=_CONNECTING)
    except (OSError, TimeoutError) as error:
        raise BetterThanError(
            f"No Dask scheduler answers at {address}. Start one with `dask scheduler`, and give its host and port."
        ) from error
    with client:
        yield Cluster(client, wait=wait)


def _distributed() -> Any:  # noqa: ANN401  (a module)
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise MissingExtra("A Dask cluster", extra="dask") from None


def scheduler_at(address: str) -> str:
    """Return the address as Dask writes it.

    Examples
    --------
    >>> scheduler_at("dask://10.0.0.5:8786")
    'tcp://10.0.0.5:8786'
    """
    parts = urlsplit(address)
    with suppress(ValueError):
        if parts.scheme == SCHEME and parts.hostname and parts.port and not (parts.path or parts.query):
            return f"tcp://{parts.netloc}"
    raise BetterThanError(
        Message(
            '"{address}" is not the address of a cluster. Write dask://HOST:PORT, or dask://local.',
            address=address,
        )
    )


def cluster_of(executor: Executor) -> Cluster | None:
    """Return the cluster behind an executor of Dask, None for any other executor."""
    if type(executor).__module__ != "distributed.cfexecutor":
        return None
    client = getattr(executor, "_client", None)
    return None if client is None else Cluster(client)


class _Chosen:
    """A cluster to which the first job connects."""

    def __init__(self, address: str, closing: ExitStack) -> None:
        self._address = address
        self._closing = closing
        self._cluster: Cluster | None = None

    def cluster(self) -> Cluster:
        if self._cluster is None:
            self._cluster = self._closing.enter_context(connected(self._address))
        return self._cluster


_chosen: list[_Chosen] = []


def chosen() -> Cluster | None:
    """Return the cluster that does the work of this process, if one was chosen."""
    return _chosen[-1].cluster() if _chosen else None


@contextmanager
def working_on(address: str) -> Iterator[None]:
    """Do the work of all verbs in this process on a cluster, unless a verb gets an executor of its own.

    The first job connects.
    """
    if address != LOCAL:
        scheduler_at(address)
    with ExitStack() as closing:
        _chosen.append(_Chosen(address, closing))
        try:
            yield
        finally:
            _chosen.pop()


def on_chosen_cluster() -> AbstractContextManager[None]:
    """Work on the cluster that the environment variable ``BETTERTHAN_EXECUTOR`` names; here, if there is none."""
    address = os.environ.get(ENVIRONMENT)
    return working_on(address) if address else nullcontext()
