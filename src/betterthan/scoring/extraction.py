"""Statistics of texts, counted once: in blocks of segments, by any workers, and found again in the cache."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from betterthan import __version__
from betterthan.arrays import FloatArray
from betterthan.engine.blocks import MEBIBYTE, Job, block_ranges
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.engine.run import run
from betterthan.kernels.compiled import load_compiler
from betterthan.scoring.texts import Parallel

BYTES_PER_CHARACTER = 100  # what a character costs while its n-grams are counted
BLOCK = 16 * MEBIBYTE  # smaller than memory asks for, so that there is something to share out
WORTH_COMPILING = 8_000_000  # steps that take NumPy as long as loading numba does


class Part(NamedTuple):
    """Some segments: m lists of outputs and r lists of references, None where a reference is missing."""

    outputs: tuple[tuple[str, ...], ...]
    references: tuple[tuple[str | None, ...], ...]


Counter: TypeAlias = Callable[[Part, Any], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """How to count: a function of some segments and the options, to an array (m, segments, k).

    Parameters
    ----------
    name : str
        Shown with the progress bar, such as "chrF statistics".
    counter : callable
        ``counter(part, options)``, a function of a module, so that it can be sent to other processes. What it says
        of a system must not depend on the other systems, nor of a segment on the others.
    options : object
        Whatever the counter needs to know; its ``repr`` tells one set of options from another.
    uses : {"threads", "processes"}
        See :class:`betterthan.engine.blocks.Job`.
    steps_per_character : float, default 0
        How much work there is for loops that numba can compile; with enough of it numba is loaded first.
    """

    name: str
    counter: Counter
    options: object
    uses: Literal["threads", "processes"] = "threads"
    steps_per_character: float = 0.0


def extract(
    texts: Parallel,
    extraction: Extraction,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Return the statistics of all systems and segments, shape (m, n, k).

    A cache keeps each system by itself, so that a system added to the others is the only one counted; a run that
    was interrupted goes on from its last block.

    Examples
    --------
    >>> from betterthan.scoring.texts import parallel
    >>> def lengths(part, options):
    ...     return np.array([[[len(line)] for line in lines] for lines in part.outputs])
    >>> texts = parallel({"A": ["a b", "c"]}, ["a", "c"])
    >>> extract(texts, Extraction(name="lengths", counter=lengths, options=None)).tolist()
    [[[3.0], [1.0]]]
    """
    keys = [] if cache is None else _keys(texts, extraction)
    values = {} if cache is None else _kept(cache, keys)
    new = [i for i in range(len(texts.systems)) if i not in values]
    if new:
        start = time.monotonic()
        job = _job(
            replace(texts, outputs=tuple(texts.outputs[i] for i in new)),
            extraction,
            digest=None if cache is None else " ".join(keys[i] for i in new),
        )
        parts = run(job, workers=workers, executor=executor, cache=cache, progress=progress)
        values |= dict(zip(new, np.concatenate(parts, axis=1), strict=True))
        if cache is not None and time.monotonic() - start >= cache.patience:
            _keep(cache, {keys[i]: values[i] for i in new})
    return np.stack([values[i] for i in range(len(texts.systems))])


def _job(texts: Parallel, extraction: Extraction, *, digest: str | None) -> Job[Any, FloatArray]:
    lists = (*texts.outputs, *texts.references)
    n_characters = sum(sum(map(len, filter(None, lines))) for lines in lists)
    bytes_per_segment = BYTES_PER_CHARACTER * (n_characters // len(texts.segments) + 1)
    blocks = block_ranges(len(texts.segments), bytes_per_segment, budget=BLOCK)
    is_large = n_characters * extraction.steps_per_character >= WORTH_COMPILING
    return Job(
        name=extraction.name,
        function=_count_part,
        payload=(texts.outputs, texts.references, extraction, blocks, is_large),
        n_blocks=len(blocks),
        digest=digest,
        uses=extraction.uses,
    )


def _count_part(payload: tuple[Any, Any, Extraction, tuple[range, ...], bool], block: int) -> FloatArray:
    outputs, references, extraction, blocks, is_large = payload
    if is_large:
        load_compiler()
    some = slice(blocks[block].start, blocks[block].stop)
    part = Part(tuple(lines[some] for lines in outputs), tuple(lines[some] for lines in references))
    return np.asarray(extraction.counter(part, extraction.options), dtype=np.float64)


def _keys(texts: Parallel, extraction: Extraction) -> list[str]:
    """Return the digest of everything that the statistics of each system depend on."""
    from sacrebleu import __version__ as of_tokenizers  # noqa: PLC0415  (loaded when texts are scored)

    common = hashlib.sha256(_bytes((extraction.name, extraction.options, __version__, of_tokenizers)))
    common.update(_bytes(texts.references))
    keys = []
    for lines in texts.outputs:
        own = common.copy()
        own.update(_bytes(lines))
        keys.append(own.hexdigest())
    return keys


def _bytes(lines: Sequence[object]) -> bytes:
    return ascii(lines).encode()


def _kept(cache: Cache, keys: Sequence[str]) -> dict[int, FloatArray]:
    found = {i: cache.load(key).get(0) for i, key in enumerate(keys)}
    return {i: values for i, values in found.items() if isinstance(values, np.ndarray)}


def _keep(cache: Cache, values: dict[str, FloatArray]) -> None:
    with suppress(OSError):  # the run itself has warned
        for key, array in values.items():
            cache.save(key, {0: array})
        cache.prune()
