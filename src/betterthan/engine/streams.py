"""Random numbers that belong to the work, not to the worker."""

from __future__ import annotations

import hashlib
import json
from operator import index

import numpy as np


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
