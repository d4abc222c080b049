"""The checkpoints of one run."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Callable
from typing import Any, Generic, cast

from betterthan.engine.blocks import Job, Result
from betterthan.engine.cache import Cache
from betterthan.errors import BetterThanWarning


def job_key(job: Job[Any, Any]) -> str:
    """The folder of a job in a cache: the SHA-256 of its name, its digest and its number of blocks.

    Examples
    --------
    >>> job_key(Job(name="squares", function=pow, payload=2, n_blocks=3, digest="ab12"))[:12]
    'cb6251259704'
    """
    return hashlib.sha256(json.dumps([job.name, job.digest, job.n_blocks]).encode()).hexdigest()


class Checkpoints(Generic[Result]):
    """What one run finds in a cache and adds to it.

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
        Tells the seconds.
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
                "the run goes on without them. Set BETTERTHAN_CACHE to a folder with room.",
                BetterThanWarning,
                stacklevel=2,
            )
        self._held = {}
        self._written = now
