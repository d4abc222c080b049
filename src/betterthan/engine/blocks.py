"""Jobs, and how they are divided into blocks; random numbers belong to the work, not to the worker."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from operator import index
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from betterthan.budget import require
from betterthan.errors import BetterThanError


def stream(seed: int, analysis: str, block: int) -> np.random.Generator:
    """Random numbers of one block of one analysis.

    A counter-based generator (Philox) whose key is made from the three arguments and nothing else. A block
    draws the same numbers wherever, whenever and together with whatever else it runs, and no two blocks share
    their numbers.

    Parameters
    ----------
    seed : int
        The seed of the whole analysis, of any size and sign.
    analysis : str
        What the numbers are for, such as ``"permutation A B"``: analyses with the same seed stay independent.
    block : int
        The number of the block.

    Returns
    -------
    numpy.random.Generator
        At its beginning.

    Notes
    -----
    The key is the first 16 bytes, little endian, of the SHA-256 of the JSON text ``[seed, analysis, block]``.
    That two of 10¹² blocks share a key has probability below 10⁻¹⁴. The bits of Philox are fixed for good;
    how NumPy turns them into, say, normal deviates may change between its releases (NEP 19).

    References
    ----------
    .. [1] Salmon, Moraes, Dror and Shaw (2011), Parallel random numbers: as easy as 1, 2, 3, SC '11.

    Examples
    --------
    >>> stream(12345, "permutation", 0).integers(100, size=5).tolist()
    [64, 52, 95, 21, 90]
    """
    text = json.dumps([index(seed), analysis, index(block)])
    digest = hashlib.sha256(text.encode()).digest()
    key = np.frombuffer(digest[:16], dtype="<u8").astype(np.uint64)
    return np.random.Generator(np.random.Philox(key=key))


Array: TypeAlias = NDArray[Any]
Payload = TypeVar("Payload")
Result = TypeVar("Result", bound="Array | dict[str, Array]")

MEBIBYTE = 2**20
A_BLOCK = 1000  # bytes to keep account of one block and its result


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Generic[Payload, Result]):
    """One analysis, divided into independent blocks.

    Parameters
    ----------
    name : str
        The name of the analysis, shown with the progress bar.
    function : callable
        ``function(payload, block)`` returns an array, or a dict of arrays, of numbers or text. It must be
        pure: the same payload and block give the same bytes. Random numbers come from
        :func:`betterthan.engine.blocks.stream`.
    payload : object
        Data that all blocks need. It is sent to each worker process once.
    n_blocks : int
        How many blocks there are. It may depend on the data, never on the number of workers.
    digest : str or None
        A digest of everything the results depend on: data, settings, version of the program. Checkpoints are
        found again by it. With None, for instance because a user's own function is involved, there are none.
    uses : {"threads", "processes"}
        * "threads": the work is done in NumPy or BLAS, which let other threads run.
        * "processes": the work is done in Python.

    Examples
    --------
    >>> job = Job(name="powers", function=np.power, payload=np.arange(4), n_blocks=3)
    >>> job.function(job.payload, 2)
    array([0, 1, 4, 9])
    """

    name: str
    function: Callable[[Payload, int], Result]
    payload: Payload
    n_blocks: int
    digest: str | None = None
    uses: Literal["threads", "processes"] = "threads"


def block_ranges(n_items: int, bytes_per_item: int, *, budget: int = 64 * MEBIBYTE) -> tuple[range, ...]:
    """Divide items into the fewest blocks within a memory budget.

    The division depends on the arguments alone, so results do not depend on the machine. Sizes differ by at most
    one. A smaller budget gives more blocks, hence more to share out among workers.

    Parameters
    ----------
    n_items : int
        How many items there are, for instance resamples.
    bytes_per_item : int
        Memory one item needs while its block is computed.
    budget : int, default 64 MiB
        Memory a block may need. A single item may exceed it.

    Returns
    -------
    tuple of range
        The items of each block, none empty, in order.

    Raises
    ------
    BetterThanError
        If a number is negative, or the budget is not positive.
    OverBudget
        If a single item, or the list of blocks, needs more than the memory budget of the process.

    Examples
    --------
    >>> block_ranges(10, 1000, budget=4000)
    (range(0, 4), range(4, 7), range(7, 10))
    """
    if min(n_items, bytes_per_item, budget - 1) < 0:
        raise BetterThanError(
            f"{n_items} items of {bytes_per_item} bytes cannot be cut into blocks of {budget} bytes. "
            "Counts and sizes must not be negative, and the budget must be 1 or more."
        )
    items_per_block = max(1, budget // max(1, bytes_per_item))
    n_blocks = -(-n_items // items_per_block)
    require(
        bytes_per_item + A_BLOCK * n_blocks,
        f"Work on {n_items:,} resamples",
        instead="Use fewer resamples",
    )
    size, larger = divmod(n_items, max(1, n_blocks))
    starts = [block * size + min(block, larger) for block in range(n_blocks + 1)]
    return tuple(range(start, stop) for start, stop in pairwise(starts))


def even_parts(n_items: int, size: int = 1) -> tuple[range, ...]:
    """Divide items into parts of equal size, the last one smaller.

    Examples
    --------
    >>> even_parts(5, 2)
    (range(0, 2), range(2, 4), range(4, 5))
    """
    return tuple(range(start, min(start + size, n_items)) for start in range(0, n_items, size))


def checked(result: Result, *, job: str) -> Result:
    """Return a block's result if checkpoints can store it without loss.

    Examples
    --------
    >>> checked(3.5, job="means")
    Traceback (most recent call last):
    ...
    TypeError: A block of "means" returned float where an array or a dict of arrays was expected.
    """
    arrays = list(result.values()) if isinstance(result, dict) else [result]
    for array in arrays:
        if type(array) is not np.ndarray or array.dtype.hasobject:
            kind = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
            raise TypeError(
                f'A block of "{job}" returned {kind} where an array or a dict of arrays was expected.'
            )
    return result
