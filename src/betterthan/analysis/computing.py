"""Options of every verb for how its work is carried out."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.engine.blocks import Job, Result
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.engine.run import run
from betterthan.errors import BetterThanError

Rng = int | np.random.Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Computing:
    """How the work is carried out and where finished blocks are stored; none of it changes a result.

    Parameters
    ----------
    workers : int, optional
        Parallel workers; by default all cores.
    executor : concurrent.futures.Executor, optional
        Any executor, such as ``dask.distributed.Client().get_executor()``, instead of the built-in workers.
    cache : Cache, optional
        Where finished blocks are stored; nowhere by default.
    progress : Progress, optional
        Receives progress reports; none by default.

    Examples
    --------
    >>> Computing(workers=2).workers
    2
    """

    workers: int | None = None
    executor: Executor | None = None
    cache: Cache | None = None
    progress: Progress | None = None

    def arguments(self) -> dict[str, Any]:
        """Return the same as keyword arguments of another verb."""
        return {name: getattr(self, name) for name in ("workers", "executor", "cache", "progress")}

    def run(self, job: Job[Any, Result]) -> list[Result]:
        """Carry out all blocks of `job` and return their results in order."""
        return run(
            job, workers=self.workers, executor=self.executor, cache=self.cache, progress=self.progress
        )


def seed_of(rng: Rng) -> int:
    """Return the integer seed for `rng`; a Generator is advanced by one draw.

    Examples
    --------
    >>> seed_of(12345)
    12345
    """
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(0, 2**63))
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise BetterThanError(f"rng must be a non-negative integer or a numpy.random.Generator, not {rng!r}.")
    return int(rng)
