"""Agreement: do several rankings agree? Aggregated: one score per system from counts, in three ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import unknown_name
from betterthan.results.base import Result
from betterthan.results.rows import NamedRows, Rows, best_name, index_of, place_of, row_at
from betterthan.results.settings import Settings

NEXT_COMMAND = "next_command"
"""The code of the sentence that suggests the next command; pages omit it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregatedSystem:
    """One system by three aggregations; its fields are those of :class:`Aggregated`."""

    rank: int
    system: str
    pooled: float
    pooled_low: float
    pooled_high: float
    segment_mean: float
    segment_mean_low: float
    segment_mean_high: float
    bootstrap_mean: float
    bootstrap_mean_low: float
    bootstrap_mean_high: float
    rank_low: int
    rank_high: int
    cluster: int
    letters: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Aggregated(NamedRows[AggregatedSystem], Result):
    """Pooled scores, means of segment scores and means of bootstrap corpora, best first by the pooled score.

    Attributes
    ----------
    metric : str
    score : str
        The metric's own signature.
    higher_is_better : bool
    confidence : float
        Confidence level of all intervals.
    n_segments : int
    systems : tuple of str
        Best first by the pooled score.
    pooled, pooled_low, pooled_high : array, shape (m,)
        Sums first, the formula once (corpus level); percentiles of the bootstrap.
    segment_mean, segment_mean_low, segment_mean_high : array, shape (m,)
        Mean of segment scores (segment level); percentiles of the bootstrap.
    bootstrap_mean, bootstrap_mean_low, bootstrap_mean_high : array, shape (m,)
        Mean pooled score of corpora drawn with replacement; the interval reflects the sampling of segments.
    rank, rank_low, rank_high, cluster : array of int, shape (m,)
        Of the pooled scores and their permutation tests, as in :class:`betterthan.Ranking`.
    letters : tuple of str
        Two systems that share a letter do not differ significantly by the pooled score.
    effective_segments : float
        Effective sample size of pooling, in segments; NaN when lengths are not known.
    longest_tenth : float
        Share of the weight that the longest tenth of the segments carries; NaN when lengths are not known.
    unit_note : str
        Note on the unit, where documents are known; otherwise empty.
    undecidable : str
        Explanation if no pair could have been significant with so few units; otherwise empty.

    Examples
    --------
    >>> import betterthan as bt
    >>> texts = bt.Texts(systems=["A", "B"], segments=["1", "2"], references=[["the cat sat", "a dog ran"]],
    ...                  outputs=[["the cat sat", "a dog ran"], ["the cat", "a dog sat"]])
    >>> scores = bt.aggregate(bt.chrf(texts), n_resamples=9)
    >>> scores.best, scores["A"].pooled, len(scores)
    ('A', 100.0, 2)
    """

    kind: ClassVar[str] = "aggregated"
    row_type: ClassVar[type] = AggregatedSystem

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

    @property
    def best(self) -> str:
        """The first system by the pooled score."""
        return best_name(self.systems, self.pooled)

    def _row(self, i: int) -> AggregatedSystem:
        return row_at(self, i, AggregatedSystem, system=self.systems[i])

    def order(self, way: str) -> tuple[str, ...]:
        """Return the systems best first by "pooled", "segment_mean" or "bootstrap_mean"."""
        sign = -1 if self.higher_is_better else 1
        values = (sign * getattr(self, way)).tolist()
        return tuple(self.systems[i] for i in sorted(range(len(values)), key=values.__getitem__))

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per system."""
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
class RankingComparison:
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
class Agreement(Rows[RankingComparison], Result):
    """Comparison of every pair of rankings, with ties taken into account.

    Attributes
    ----------
    rankings : tuple of str
        Names.
    systems : tuple of str
        The ranked systems, in the order of the first ranking.
    top : int
    best, tops : tuple of tuple of str
        The best system of each ranking, and its top k, including ties at the boundary.
    comparisons : tuple of RankingComparison
        One per pair of rankings.
    sentences : tuple of str

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]})
    >>> agreement = bt.agreement({by: bt.rank(scores, by=by) for by in ("mean", "median")})
    >>> len(agreement), agreement["median", "mean"].alike, "mean" in agreement
    (1, 1.0, True)
    """

    kind: ClassVar[str] = "agreement"
    row_type: ClassVar[type] = RankingComparison

    rankings: tuple[str, ...]
    systems: tuple[str, ...]
    top: int
    best: tuple[tuple[str, ...], ...]
    tops: tuple[tuple[str, ...], ...]
    comparisons: tuple[RankingComparison, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings

    def comparison(self, first: str, second: str) -> RankingComparison:
        """Return the comparison of two rankings, seen from `first`."""
        for name in (first, second):
            index_of(name, self.rankings, "ranking")
        for each in self.comparisons:
            if (each.first, each.second) == (first, second):
                return each
            if (each.first, each.second) == (second, first):
                flipped = tuple((b, a) for a, b in each.flipped_pairs)
                return replace(each, first=first, second=second, flipped_pairs=flipped)
        raise unknown_name("pair of rankings", f"{first}, {second}", self._pair_names())

    def _pair_names(self) -> list[str]:
        return [f"{each.first}, {each.second}" for each in self.comparisons]

    def __len__(self) -> int:
        return len(self.comparisons)

    def _row(self, i: int) -> RankingComparison:
        return self.comparisons[i]

    def __contains__(self, names: object) -> bool:
        if isinstance(names, tuple):
            return any({each.first, each.second} == set(names) for each in self.comparisons)
        return isinstance(names, str) and names in self.rankings

    def __getitem__(self, key: int | tuple[str, str]) -> RankingComparison:
        return self.comparison(*key) if isinstance(key, tuple) else self._row(place_of(key, len(self)))

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per pair of rankings."""
        names = ("first", "second", "alike", "flipped", "tied", "tau_b", "same_best", "same_top")
        return {name: [getattr(c, name) for c in self.comparisons] for name in names}

    def __repr__(self) -> str:
        least = min((c.alike for c in self.comparisons), default=float("nan"))
        return f"Agreement({len(self.rankings)} rankings, at least {100 * least:.0f}% of pairs ordered alike)"
