"""Ranking: systems from best to worst, with uncertainty.

Agreement: do several rankings agree? Aggregated: one score per system from counts, in three ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import unknown_name
from betterthan.results.base import NamedRows, Result, Rows, best_name, index_of, place_of, row_at
from betterthan.results.pairwise import Effects, SideEffect
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSystem:
    """One system of a ranking; its fields are those of :class:`Ranking`.

    Examples
    --------
    >>> import betterthan as bt
    >>> row = bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]}))["B"]
    >>> row.rank, row.strength, row.differs_from_next
    (2, 1.0, False)
    """

    rank: int
    system: str
    strength: float
    low: float
    high: float
    rank_low: int
    rank_high: int
    cluster: int
    letters: str
    beats_next: float
    differs_from_next: bool
    order_spread: float | None
    sigma: float | None
    fuzzy_rank: float | None
    segments_needed: float | None
    votes: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Items:
    """What the items (segments) are like, by an item response model; in the order of the table.

    Attributes
    ----------
    segments : tuple of str
    right : array, shape (n,)
        Share of the systems that are right.
    difficulty : array, shape (n,)
        Posterior mean, on the scale of the abilities: a system of this ability is right with probability ½.
    discrimination : array, shape (n,), or None
        Posterior geometric mean of the slope of log odds in ability; None where all are 1.
    difficulty_spread, discrimination_spread : float
        Standard deviations over items, of difficulties and of log discriminations.

    Examples
    --------
    >>> import betterthan as bt
    >>> answers = {"A": [1, 1, 1, 0, 1, 0], "B": [1, 0, 1, 1, 0, 0], "C": [0, 1, 0, 1, 1, 0]}
    >>> items = bt.rank(answers, by="irt").items
    >>> items.hardest(1), items.right.round(2)
    (('6',), array([0.67, 0.67, 0.67, 0.67, 0.67, 0.  ]))
    """

    segments: tuple[str, ...]
    right: FloatArray
    difficulty: FloatArray
    discrimination: FloatArray | None
    difficulty_spread: float
    discrimination_spread: float

    def hardest(self, n: int) -> tuple[str, ...]:
        """Return the n items of the greatest difficulty."""
        return _greatest(self.segments, self.difficulty, n)

    def most_discriminating(self, n: int) -> tuple[str, ...]:
        """Return the n items that separate the systems best, of those that do; none where all discriminate alike."""
        if self.discrimination is None:
            return ()
        is_answered = (self.right > 0) & (self.right < 1)
        names = [name for name, is_one in zip(self.segments, is_answered.tolist(), strict=True) if is_one]
        return _greatest(names, self.discrimination[is_answered], n)


def _greatest(names: Sequence[str], values: FloatArray, n: int) -> tuple[str, ...]:
    return tuple(names[i] for i in (-values).argsort(kind="stable")[:n].tolist())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Ranking(NamedRows[RankedSystem], Result):
    """Systems from best to worst.

    Attributes
    ----------
    systems : tuple of str
        Best first; equal strengths keep the order of the table.
    strength : array, shape (m,)
        In `unit`, and in the direction of the data: for a metric where lower is better, the best is lowest.
    low, high : array, shape (m,)
        Confidence interval of each strength.
    confidence : float
        Confidence level of the intervals, such as 0.95.
    rank : array of int, shape (m,)
        1 is best; equal strengths share the best rank of the tie.
    rank_low, rank_high : array of int, shape (m,)
        Best and worst rank compatible with the data, simultaneously for all systems: from pairwise tests corrected for
        multiple comparisons.
    cluster : array of int, shape (m,)
        Significance clusters, as in WMT: a new one starts at the first system that is significantly worse
        than a member of the current one.
    letters : tuple of str
        Systems that share a letter do not differ significantly; those that share none do. Empty for more than 1,000.
    beats_next : array, shape (m,)
        Share of comparisons in which the system beats the next one, ties counted as half; NaN for the last.
    differs_from_next : array of bool, shape (m,)
        Whether the two differ significantly at level 1 - confidence, after the correction.
    segments_needed : array, shape (m,), or None
        Segments needed to detect a lead of this size over the next system with 80% power, for means of segments; NaN
        for the last and for leads of 0. The true lead may be smaller or larger than the observed one.
    order_spread : array, shape (m,), or None
        Standard deviation over orders of play, for Elo and TrueSkill.
    sigma : array, shape (m,), or None
        For TrueSkill: the standard deviation of its belief about each system, which is not a sampling error.
    fuzzy_rank : array, shape (m,), or None
        Mean rank of the systems that do not differ significantly from each one, itself included.
    items : Items, or None
        For item response models: difficulty and discrimination of each segment.
    effects : Effects, or None
        Of battles with covariates: what each does to the odds, with interval and p-value.
    side : SideEffect, or None
        Of battles without covariates, by Bradley–Terry: the test of whether being shown on the left matters.
    votes : array of int, shape (m,), or None
        Battles in which the system met another; None for scores.
    unit : str
        Unit of the strengths.
    test : str
        The test behind rank_low, rank_high, cluster and letters.
    correction : str
        Correction of that test for multiple comparisons.
    units : {"segments", "groups", "matches", "clusters"}
        Unit of that test.
    unit_note : str
        Note on the unit, where documents, judges or questions are known; otherwise empty.
    undecidable : str
        Explanation if no pair could have been significant with so few units; otherwise empty.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> ranking = bt.rank(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]}))
    >>> ranking.best, ranking["B"].rank, [row.strength for row in ranking]
    ('A', 2, [2.0, 1.0])
    """

    kind: ClassVar[str] = "ranking"
    row_type: ClassVar[type] = RankedSystem

    systems: tuple[str, ...]
    strength: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    rank: IntArray
    rank_low: IntArray
    rank_high: IntArray
    cluster: IntArray
    letters: tuple[str, ...]
    beats_next: FloatArray
    differs_from_next: BoolArray
    order_spread: FloatArray | None
    unit: str
    test: str
    notes: tuple[str, ...]
    settings: Settings
    segments_needed: FloatArray | None = None
    correction: str = "holm"
    units: str = "segments"
    unit_note: str = ""
    undecidable: str = ""
    votes: IntArray | None = None
    sigma: FloatArray | None = None
    fuzzy_rank: FloatArray | None = None
    items: Items | None = None
    effects: Effects | None = None
    side: SideEffect | None = None

    @property
    def best(self) -> str:
        """The first system; its row shows whether it is significantly better than the next."""
        return best_name(self.systems, self.strength)

    def _row(self, i: int) -> RankedSystem:
        return row_at(self, i, RankedSystem, system=self.systems[i])

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return rank, system, strength and interval, one row per system."""
        names = ("strength", "low", "high", "rank_low", "rank_high", "cluster")
        numbers = {name: getattr(self, name).tolist() for name in names}
        table = {"rank": self.rank.tolist(), "system": self.systems, **numbers, "letters": self.letters}
        for name in ("fuzzy_rank", "order_spread", "sigma"):
            if (values := getattr(self, name)) is not None:
                table[name] = values.tolist()
        if self.votes is not None:
            table["votes"] = self.votes.tolist()
        return table

    def __repr__(self) -> str:
        order = " > ".join(self.systems[:3]) + (" > …" if len(self.systems) > 3 else "")
        return f"Ranking(by {self.settings.method}, {len(self.systems)} systems: {order})"


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
