"""Agreement: do several rankings tell the same story?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Concord:
    """Two rankings compared.

    Attributes
    ----------
    first, second : str
        Names of the rankings.
    alike, flipped, tied : float
        Shares of pairs of systems: ordered the same way or tied in both; ordered opposite ways; tied in one ranking
        only. They sum to 1.
    tau_b : float
        Kendall's tau-b; NaN when one ranking ties all systems.
    same_best, same_top : bool
        Whether the sets of best systems, and of the top k, are equal; ties are kept as sets.
    flipped_pairs : tuple of (str, str)
        Pairs ordered opposite ways, better in `first` named first.
    """

    first: str
    second: str
    alike: float
    flipped: float
    tied: float
    tau_b: float
    same_best: bool
    same_top: bool
    flipped_pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Agreement(Result):
    """Every pair of rankings compared, tie-aware.

    Attributes
    ----------
    rankings : tuple of str
        Names.
    systems : tuple of str
        What they rank, in the order of the first.
    top : int
    best, tops : tuple of tuple of str
        The best system of each ranking, and its top k, with all that tie across the border.
    comparisons : tuple of Concord
        One a pair of rankings.
    sentences : tuple of str
    """

    kind: ClassVar[str] = "agreement"

    rankings: tuple[str, ...]
    systems: tuple[str, ...]
    top: int
    best: tuple[tuple[str, ...], ...]
    tops: tuple[tuple[str, ...], ...]
    comparisons: tuple[Concord, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a pair of rankings."""
        names = ("first", "second", "alike", "flipped", "tied", "tau_b", "same_best", "same_top")
        return {name: [getattr(c, name) for c in self.comparisons] for name in names}

    def __repr__(self) -> str:
        least = min((c.alike for c in self.comparisons), default=float("nan"))
        return (
            f"Agreement({len(self.rankings)} rankings, at least {100 * least:.0f} % of pairs ordered alike)"
        )
