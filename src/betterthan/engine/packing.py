"""Results of blocks as bytes, without pickle.

Packed results are three lines and the arrays: a mark with the version of the format, the job they belong to,
and a list of blocks as JSON, each with the names of its arrays (null for a bare array); then the arrays in
NumPy's npy format. Their *name* is the SHA-256 of it all: bytes that are damaged, cut short or misplaced do not
open.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping

import numpy as np

from betterthan.engine.blocks import Array

MARK = b"betterthan checkpoint 1\n"


def pack(results: Mapping[int, Array | dict[str, Array]], *, job: str) -> bytes:
    """Turn the results of some blocks of a job into bytes.

    Examples
    --------
    >>> packed = pack({7: np.arange(3), 9: {"wins": np.arange(2)}}, job="a1b2")
    >>> packed.splitlines()[:3]
    [b'betterthan checkpoint 1', b'a1b2', b'[[7, null], [9, ["wins"]]]']
    """
    contents = [
        (block, list(result) if isinstance(result, dict) else None) for block, result in results.items()
    ]
    packed = io.BytesIO()
    packed.write(MARK + job.encode() + b"\n" + json.dumps(contents).encode() + b"\n")
    for result in results.values():
        for array in result.values() if isinstance(result, dict) else [result]:
            np.save(packed, array, allow_pickle=False)
    return packed.getvalue()


def name_of(packed: bytes) -> str:
    """The name of packed results, by which :func:`unpack` knows them."""
    return hashlib.sha256(packed).hexdigest()


def unpack(packed: bytes, *, job: str, name: str) -> dict[int, Array | dict[str, Array]]:
    """Turn bytes back into results; none, if they are not what was packed for that job under that name.

    Examples
    --------
    >>> packed = pack({7: np.arange(3)}, job="a1b2")
    >>> unpack(packed, job="a1b2", name=name_of(packed))
    {7: array([0, 1, 2])}
    >>> unpack(packed[:-1], job="a1b2", name=name_of(packed))
    {}
    """
    source = io.BytesIO(packed)
    if name_of(packed) != name or source.readline() != MARK or source.readline() != job.encode() + b"\n":
        return {}
    contents: list[tuple[int, list[str] | None]] = json.loads(source.readline())
    return {block: _result(source, names) for block, names in contents}


def _result(source: io.BytesIO, names: list[str] | None) -> Array | dict[str, Array]:
    if names is None:
        return _array(source)
    return {name: _array(source) for name in names}


def _array(source: io.BytesIO) -> Array:
    array: Array = np.load(source, allow_pickle=False)
    return array
