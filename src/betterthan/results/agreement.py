"""Agreement: do several rankings tell the same story? Aggregated: one score a system from counts, in three ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Aggregated(Result):
    """Pooled scores, means of segment scores and means of bootstrap corpora, best first by the pooled score.

    Attributes
    ----------
    metric : str
    score : str
        The metric's own signature.
    higher_is_better : bool
    confidence : float
        Coverage of all intervals.
    n_segments : int
    systems : tuple of str
        Best first by the pooled score.
    pooled, pooled_low, pooled_high : array, shape (m,)
        Sums first, the formula once (corpus level); percentiles of the bootstrap.
    segment_mean, segment_mean_low, segment_mean_high : array, shape (m,)
        Mean of segment scores (segment level); percentiles of the bootstrap.
    bootstrap_mean, bootstrap_mean_low, bootstrap_mean_high : array, shape (m,)
        Mean pooled score of corpora drawn with replacement; the interval is for other segments of the same kind.
    rank, rank_low, rank_high, cluster : array of int, shape (m,)
        Of the pooled scores and their permutation tests, as in :class:`betterthan.Ranking`.
    letters : tuple of str
        Two systems that share a letter do not differ significantly by the pooled score.
    effective_segments : float
        How many segments of equal length would weigh as unequally when pooled; NaN when lengths are not known.
    longest_tenth : float
        Share of the weight that the longest tenth of the segments carries; NaN when lengths are not known.
    unit_note : str
        Which unit was used, where documents are known; else empty.
    undecidable : str
        Why no pair could have been significant with so few units; empty where one could.
    """

    kind: ClassVar[str] = "aggregated"

    metric: str
    score: str
    higher_is_better: bool
    confidence: float
    n_segments: int
    systems: tuple[str, ...]
    pooled: FloatArray
    pooled_low: FloatArray
    pooled_high: FloatArray
    segment_mean: FloatArray
    segment_mean_low: FloatArray
    segment_mean_high: FloatArray
    bootstrap_mean: FloatArray
    bootstrap_mean_low: FloatArray
    bootstrap_mean_high: FloatArray
    rank: IntArray
    rank_low: IntArray
    rank_high: IntArray
    cluster: IntArray
    letters: tuple[str, ...]
    effective_segments: float
    longest_tenth: float
    notes: tuple[str, ...]
    settings: Settings
    unit_note: str = ""
    undecidable: str = ""

    def order(self, way: str) -> tuple[str, ...]:
        """Return the systems best first by "pooled", "segment_mean" or "bootstrap_mean"."""
        sign = -1 if self.higher_is_better else 1
        values = (sign * getattr(self, way)).tolist()
        return tuple(self.systems[i] for i in sorted(range(len(values)), key=values.__getitem__))

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a system."""
        ways = ("pooled", "segment_mean", "bootstrap_mean")
        names = [f"{way}{end}" for way in ways for end in ("", "_low", "_high")]
        numbers = {name: getattr(self, name).tolist() for name in names}
        whole = {name: getattr(self, name).tolist() for name in ("rank_low", "rank_high", "cluster")}
        return {
            "rank": self.rank.tolist(),
            "system": self.systems,
            **numbers,
            **whole,
            "letters": self.letters,
        }

    def __repr__(self) -> str:
        return f"Aggregated({self.metric}, {len(self.systems)} systems × {self.n_segments} segments)"


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
