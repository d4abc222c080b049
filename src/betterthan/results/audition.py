"""Audition: which measures of word tags can be gamed, and which tell systems apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Audition(Result):
    """k measures on m systems and s synthetic labellings.

    Attributes
    ----------
    measures : tuple of str
    systems, synthetic : tuple of str
    value : array, shape (k, m + s)
        Scores of the systems, then of the labellings.
    below : array, shape (k, s)
        How many systems a labelling outscores; NaN where its score is undefined.
    total : array, shape (k,)
        Sum of `below` over the labellings for which it is defined.
    gamed : array, shape (k,)
        `total` as a share of the comparisons between a labelling and a system: 0 is what one wants.
    d, d_top, d_bottom : array, shape (k,)
        Share of pairs that differ significantly: of all, of the upper half and of the lower half of the ranking; NaN
        when there is no pair.
    n_groups : array of int, shape (k,)
        Significance groups of systems.
    alpha : float
        Level of the tests, Bonferroni-corrected over the pairs compared.
    middle : str
        Whether the middle one of an odd number of systems is in "both" halves or in "neither".
    sentences : tuple of str
    unit_note : str
        Which unit was used, where documents are known; else empty.
    undecidable : str
        Why no pair could have been significant with so few units; empty where one could.
    """

    kind: ClassVar[str] = "audition"

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    synthetic: tuple[str, ...]
    value: FloatArray
    below: FloatArray
    total: FloatArray
    gamed: FloatArray
    d: FloatArray
    d_top: FloatArray
    d_bottom: FloatArray
    n_groups: IntArray
    alpha: float
    middle: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings
    unit_note: str = ""
    undecidable: str = ""

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a measure."""
        names = ("total", "gamed", "d", "d_top", "d_bottom", "n_groups")
        beaten = dict(zip(self.synthetic, self.below.T.tolist(), strict=True))
        return {
            "measure": self.measures,
            **beaten,
            **{name: getattr(self, name).tolist() for name in names},
        }

    def __repr__(self) -> str:
        return f"Audition({len(self.measures)} measures on {len(self.systems)} systems)"
