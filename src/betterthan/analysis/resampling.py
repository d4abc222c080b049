"""The common request for resampling: number of resamples, seed, units, and how the work is carried out.

Options of every verb for how its work is carried out.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from betterthan import __version__
from betterthan.analysis.units import Units
from betterthan.arrays import FloatArray, IntArray
from betterthan.arrays import digest as digest_of
from betterthan.budget import MOST_RESAMPLES, check_count
from betterthan.engine.blocks import Job, Result, block_ranges, stream
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


WorkPayload = TypeVar("WorkPayload")
NO_UNITS = Units(np.zeros(0, dtype=np.int64), 0)
BlockFunction: TypeAlias = Callable[[WorkPayload, range, np.random.Generator], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """Number of resamples, seed, units, and how the work is carried out.

    Attributes
    ----------
    seed : int
    n_resamples : int
        0 means the default of the method.
    digest : str
        Digest of the data, for finding stored blocks; empty until :meth:`on` sets the data.
    units : Units
        The units that are resampled or permuted; none until :meth:`on` sets the data.
    computing : Computing
        Never part of a payload: an executor cannot be sent to its own workers.

    Examples
    --------
    >>> def heads(n_coins, part, rng):
    ...     return rng.binomial(n_coins, 0.5, size=len(part))
    >>> resampling = Resampling(seed=12345, n_resamples=1000, computing=Computing(workers=1))
    >>> drawn = resampling.run("coins", 100, heads, bytes_each=8)
    >>> [len(block) for block in drawn], round(float(drawn[0].mean()))
    ([1000], 50)
    """

    seed: int
    n_resamples: int = 0
    digest: str = ""
    units: Units = NO_UNITS
    computing: Computing = field(default_factory=Computing)

    @classmethod
    def of(
        cls,
        rng: Rng,
        n_resamples: int | None = None,
        *,
        workers: int | None = None,
        executor: Executor | None = None,
        cache: Cache | None = None,
        progress: Progress | None = None,
    ) -> Resampling:
        """Return the request of a verb from its arguments; with `n_resamples` None the method's default is used."""
        if n_resamples is not None and n_resamples < 1:
            raise BetterThanError(f"n_resamples must be 1 or more; it is {n_resamples}.")
        check_count("n_resamples", n_resamples, MOST_RESAMPLES)
        computing = Computing(workers=workers, executor=executor, cache=cache, progress=progress)
        return cls(seed=seed_of(rng), n_resamples=n_resamples or 0, computing=computing)

    def on(self, digest: str, units: Units | None = None, *, default: int = 0) -> Resampling:
        """Return the same request for these data, with the method's default number of resamples if none was chosen."""
        return replace(
            self,
            digest=digest,
            units=self.units if units is None else units,
            n_resamples=self.n_resamples or default,
        )

    def times(self, n_resamples: int) -> Resampling:
        """Return the same request with another number of resamples."""
        return replace(self, n_resamples=n_resamples)

    def run(
        self,
        name: str,
        payload: WorkPayload,
        block: BlockFunction[WorkPayload, Result],
        *,
        bytes_each: int = 0,
        parts: tuple[range, ...] | None = None,
        key: str | None = "",
        label: str = "",
        uses: Literal["threads", "processes"] = "threads",
    ) -> list[Result]:
        """Run a block function over all blocks and return their results in order.

        Parameters
        ----------
        name : str
            Name of the random streams, and part of the key of stored blocks.
        payload : object
            Data that all blocks need: arrays and plain values, which can be sent to a worker.
        block : callable
            ``block(payload, part, rng)`` with the resamples of this block and a generator of its own. A function at
            the top of a module, so that it can be sent to a worker.
        bytes_each : int
            Memory that one resample needs; blocks are cut by it.
        parts : tuple of range, optional
            The blocks themselves, where they are not resamples or are divided differently.
        key : str, optional
            What the results depend on besides data, units, seed and number of resamples. None for results that are not
            stored, because they depend on a caller's own function.
        label : str, optional
            Shown with the progress bar instead of the name and the number of resamples.
        uses : {"threads", "processes"}
        """
        cut = block_ranges(self.n_resamples, bytes_each) if parts is None else parts
        job: Job[Any, Result] = Job(
            name=label or f"{name} ({self.n_resamples:,} resamples)",
            function=_run_block,
            payload=_Task(block, payload, self.seed, name, cut),
            n_blocks=len(cut),
            digest=None if key is None or self.computing.cache is None else self._checkpoint_key(name, key),
            uses=uses,
        )
        return self.computing.run(job)

    def _checkpoint_key(self, name: str, key: str) -> str:
        units = digest_of(self.units.of_segment)
        return f"{self.digest} {name} {units} {self.n_resamples} {self.seed} {key} {__version__}"


class _Task(NamedTuple):
    """Data that a worker needs for any block."""

    function: Callable[[Any, range, np.random.Generator], Any]
    payload: Any
    seed: int
    name: str
    parts: tuple[range, ...]


def _run_block(task: _Task, number: int) -> Any:  # noqa: ANN401  (what the block function returns)
    return task.function(task.payload, task.parts[number], stream(task.seed, task.name, number))


def drawn_segments(weights: FloatArray) -> IntArray:
    """Indices of the segments in one row of weights, each repeated as often as it was drawn."""
    return np.repeat(np.arange(weights.size), weights.astype(np.int64))
