"""Sample: which outputs people should label, and with what weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray
from betterthan.results.base import Result
from betterthan.results.rows import Rows, row_at
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledOutput:
    """One output to label; its fields are those of :class:`Sample`."""

    item: str
    system: str
    probability: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Sample(Rows[SampledOutput], Result):
    """Outputs that were drawn to be labeled by people, in random order.

    Attributes
    ----------
    by : str
        "uniform" or "disagreement".
    of : str
        "items", of which all systems' outputs are labeled, or "outputs".
    item, system : tuple of str
        One entry per output.
    probability : array, shape (k,)
        With which the output was drawn.
    weight : array, shape (k,)
        1 / probability.
    n_drawn, n_available : int
        Items, or outputs, that were drawn and that there were.
    strata : dict of str to int
        How many were drawn from each stratum; empty without strata.
    systems : tuple of str
    measured : str
        The score that was read.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> drawn = bt.sample({"A": [0.9, 0.8, 0.4, 0.6], "B": [0.8, 0.1, 0.5, 0.6]}, 2)
    >>> drawn.n_drawn, len(drawn), drawn[0].weight
    (2, 4, 2.0)
    """

    kind: ClassVar[str] = "sample"
    row_type: ClassVar[type] = SampledOutput

    by: str
    of: str
    item: tuple[str, ...]
    system: tuple[str, ...]
    probability: FloatArray
    weight: FloatArray
    n_drawn: int
    n_available: int
    strata: dict[str, int]
    systems: tuple[str, ...]
    measured: str
    notes: tuple[str, ...]
    settings: Settings

    @property
    def spread(self) -> float:
        """Labels drawn over the number of equally weighted ones with the same variance, of labels that vary alike.

        1 for a uniform sample.
        """
        return float(self.weight.size * (self.weight @ self.weight) / self.weight.sum() ** 2)

    def __len__(self) -> int:
        return len(self.item)

    def _row(self, i: int) -> SampledOutput:
        return row_at(self, i, SampledOutput)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per output, with an empty column for its label."""
        return {
            "item": self.item,
            "system": self.system,
            "score": [None] * len(self),
            "weight": self.weight.tolist(),
            "probability": self.probability.tolist(),
        }

    def __repr__(self) -> str:
        return f"Sample({self.by}, {self.n_drawn:,} of {self.n_available:,} {self.of})"
