"""Finished parts of a computation, held in memory while one report is made: the same test is not run twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_BYTES = 64 << 20


class Once:
    """A cache that lasts as long as one report; the engine asks it as it asks a folder of checkpoints.

    The ranking by means and the matrix of pairs need the same permutation tests. Where the user keeps no cache, this
    one hands the answers of the first to the second. Nothing is computed differently, so that no number depends on it.

    Attributes
    ----------
    patience : float
        Seconds before blocks are worth keeping: none, because nothing is written anywhere.
    folder : str
        For messages only.
    """

    patience = 0.0
    folder = "memory"

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._held: dict[str, dict[int, Any]] = {}
        self._room = most_bytes

    def load(self, job: str) -> dict[int, Any]:
        """Return the blocks of a job that are held."""
        return dict(self._held.get(job, {}))

    def save(self, job: str, results: Mapping[int, Any]) -> None:
        """Hold the blocks of a job while there is room."""
        self._room -= sum(_size(result) for result in results.values())
        if self._room >= 0:
            self._held.setdefault(job, {}).update(results)

    def prune(self) -> None:
        """Do nothing: all of it goes with the report."""


def _size(result: Any) -> int:  # noqa: ANN401  (an array, or several by name)
    arrays = result.values() if isinstance(result, Mapping) else [result]
    return sum(int(array.nbytes) for array in arrays)
