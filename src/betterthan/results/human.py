"""Judges, IdenticalOutputs and KeptPairs: quality of human judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeVar, overload

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import NamedRows, Result, Rows, index_of, place_of, row_at
from betterthan.results.settings import Settings


class _Cleanable(Protocol):
    """A table from which judges and control items can be removed: :class:`~betterthan.tables.ratings.Ratings`."""

    def without(self, judges: Sequence[str], *, because: str = ...) -> Self: ...

    def without_items(self, *, systems: Sequence[str] = ..., segments: Sequence[str] = ...) -> Self: ...


RatingsTable = TypeVar("RatingsTable", bound=_Cleanable)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesAgreement:
    """Agreement of all judges; NaN where no outputs are shared.

    Intervals have a confidence level of 95% and reflect the sampling of segments or documents (`interval_units`), with
    the same judges. They are NaN with fewer than four of these, and where agreement is perfect.

    Attributes
    ----------
    alpha, alpha_low, alpha_high : float
        Krippendorff's alpha of the scores, with its interval.
    alpha_ordinal, alpha_ordinal_low, alpha_ordinal_high : float
        The same of their order.
    alpha_standardized, alpha_standardized_low, alpha_standardized_high : float
        The same as `alpha` after each judge's scores were standardized.
    icc, icc_low, icc_high : float
        Intraclass correlation ICC(1) of a single judgment, with its interval.
    icc_agreement, icc_consistency : float
        ICC(A,1) and ICC(C,1); NaN unless every judge judged every output.
    per_output : float
        Mean number of judgments per judged output.
    reliability : float
        Reliability of the mean of `per_output` judgments, from `icc`.
    kappa, kappa_low, kappa_high : float
        Cohen's kappa with squared distances, mean over pairs of judges, weighted by the number of shared outputs.
    order_pairs : int
        Pairs of systems on a segment that two judges both judged, over all pairs of judges.
    order_alike, order_opposite : float
        Share of these that the two order in the same way (or both tie), and in opposite ways.
    order_kappa : float
        `order_alike` beyond chance.
    interval_units : {"segments", "documents"}
        Units of independence of the intervals: documents where the ratings name them.
    n_interval_units : int
        Number of those judged by two or more judges.
    """

    alpha: float
    alpha_low: float
    alpha_high: float
    alpha_ordinal: float
    alpha_ordinal_low: float
    alpha_ordinal_high: float
    alpha_standardized: float
    alpha_standardized_low: float
    alpha_standardized_high: float
    icc: float
    icc_low: float
    icc_high: float
    icc_agreement: float
    icc_consistency: float
    per_output: float
    reliability: float
    kappa: float
    kappa_low: float
    kappa_high: float
    order_pairs: int
    order_alike: float
    order_opposite: float
    order_kappa: float
    interval_units: str
    n_interval_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """One judge; the fields are those of :class:`Judges`."""

    judge: str
    n_judgements: int
    mean: float
    deviation: float
    n_shared: int
    correlation: float
    bias: float
    variance_ratio: float
    variance_pvalue: float
    n_controls: int
    control_right: float
    control_difference: float
    control_pvalue: float
    careless_pvalue: float
    n_repeats: int
    repeat_deviation: float
    keep: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Judges(NamedRows[Judge], Result):
    """Comparison of each judge with the others, and which judges to keep.

    Attributes
    ----------
    metric : str
        Name of the ratings.
    judges : tuple of str
    n_judgements : array of int, shape (j,)
        Without control items.
    mean, deviation : array, shape (j,)
        Of the judge's scores.
    n_shared : array of int, shape (j,)
        Outputs that others judged too.
    correlation : array, shape (j,)
        With the mean of the others, on these.
    bias : array, shape (j,)
        Mean difference between the judge's scores and the means of the others, in points.
    variance_ratio : array, shape (j,)
        Variance of the differences from the others, over that of the median judge.
    variance_pvalue : array, shape (j,)
        P-value of the largest ratio among equally good judges, for judges whose ratio is above the
        limit; NaN for the others.
    n_controls, control_right, control_difference : array, shape (j,)
        Pairs of a genuine and a degraded output; number of those in which the degraded one is scored lower (ties count
        half); mean difference.
    control_pvalue : array, shape (j,)
        One-sided Wilcoxon test that the judge scores degraded outputs lower: small for a judge who notices them.
    careless_pvalue : array, shape (j,)
        Exact binomial test that the judge is right less often than a careful one, adjusted for all judges: small for a
        careless judge.
    n_repeats, repeat_deviation : array, shape (j,)
        Outputs judged again, and the standard deviation between the judgments.
    keep : array of bool, shape (j,)
    reasons : tuple of str
        Reason for exclusion; empty for judges who are kept.
    control_systems, control_segments : tuple of str
        The degraded ones.
    agreement : JudgesAgreement
    power, control_power : float
        Power to detect a judge who answers at random by the comparison with the others, and by the control items
        (of the judge with the median number of them); NaN when unknown.
    sentences : tuple of str

    Examples
    --------
    >>> import betterthan as bt
    >>> ratings = bt.Ratings(name="DA", systems=("A", "B"), segments=("1", "2"), judges=("Ann", "Ben"),
    ...                      system=[0, 1, 0, 1] * 2, segment=[0, 0, 1, 1] * 2, judge=[0] * 4 + [1] * 4,
    ...                      score=[80, 60, 90, 50, 70, 60, 85, 40])
    >>> judges = bt.judges(ratings)
    >>> judges["Ben"].bias, "Eve" in judges
    (-6.25, False)
    """

    kind: ClassVar[str] = "judges"
    row_type: ClassVar[type] = Judge
    row_noun: ClassVar[str] = "judge"
    row_field: ClassVar[str] = "judges"

    metric: str
    judges: tuple[str, ...]
    n_judgements: IntArray
    mean: FloatArray
    deviation: FloatArray
    n_shared: IntArray
    correlation: FloatArray
    bias: FloatArray
    variance_ratio: FloatArray
    variance_pvalue: FloatArray
    n_controls: IntArray
    control_right: FloatArray
    control_difference: FloatArray
    control_pvalue: FloatArray
    careless_pvalue: FloatArray
    n_repeats: IntArray
    repeat_deviation: FloatArray
    keep: BoolArray
    reasons: tuple[str, ...]
    control_systems: tuple[str, ...]
    control_segments: tuple[str, ...]
    agreement: JudgesAgreement
    power: float
    control_power: float
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings

    def _row(self, i: int) -> Judge:
        return row_at(self, i, Judge, judge=self.judges[i], reason=self.reasons[i])

    @property
    def dropped(self) -> tuple[str, ...]:
        """The excluded judges."""
        return tuple(name for name, stays in zip(self.judges, self.keep.tolist(), strict=True) if not stays)

    def kept(self, ratings: RatingsTable) -> RatingsTable:
        """Return the ratings of the judges who are kept, without control items; notes say what was removed."""
        genuine = ratings.without_items(systems=self.control_systems, segments=self.control_segments)
        return genuine.without(self.dropped, because="by quality control")

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per judge."""
        peers = ("n_judgements", "mean", "deviation", "n_shared", "correlation", "bias", "variance_ratio")
        controls = ("n_controls", "control_right", "control_difference", "control_pvalue", "careless_pvalue")
        names = (*peers, "variance_pvalue", *controls, "n_repeats", "repeat_deviation", "keep")
        arrays = {name: getattr(self, name).tolist() for name in names}
        return {"judge": self.judges, **arrays, "reason": self.reasons}

    def __repr__(self) -> str:
        return f"Judges({len(self.judges)} judges, {len(self.dropped)} not kept, alpha {self.agreement.alpha:.2f})"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdenticalPair:
    """Two systems with the same output for a segment.

    Attributes
    ----------
    segment, first, second : str
        The system judged better comes first.
    gap : float
        How much better, never negative; NaN when they were not both judged.
    survives : bool
        Whether the gap is the margin or more, so that a relative ranking would prefer one.
    text : str
        The output.
    """

    segment: str
    first: str
    second: str
    gap: float
    survives: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTies:
    """Ties of a metric among the pairs that the margin keeps: all, and those with identical outputs."""

    metric: str
    ties: int
    identical: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class IdenticalOutputs(Rows[IdenticalPair], Result):
    """Every segment and pair of systems with the same text, and which of them a margin does not remove.

    Attributes
    ----------
    systems : tuple of str
    margin : float
    n_pairs : int
        Pairs of systems on a segment that both have an output for.
    n_judged, n_kept : int
        Those with human scores, and those whose scores differ by the margin or more.
    identical_pairs : tuple of IdenticalPair
        The identical ones, surviving ones first, widest gap first.
    identical, surviving : array of int, shape (m, m)
        Their numbers for each pair of systems; symmetric.
    metric_ties : tuple of MetricTies
    sentences : tuple of str

    Examples
    --------
    >>> import betterthan as bt
    >>> texts = bt.Texts(systems=["A", "B"], segments=["1", "2"], references=[["the cat sat", "a dog ran"]],
    ...                  outputs=[["the cat sat", "a dog ran"], ["the cat sat", "a dog sat"]])
    >>> identical = bt.identical_outputs(texts)
    >>> len(identical), [pair.segment for pair in identical["A", "B"]]
    (1, ['1'])
    """

    kind: ClassVar[str] = "identical_outputs"
    row_type: ClassVar[type] = IdenticalPair

    systems: tuple[str, ...]
    margin: float
    n_pairs: int
    n_judged: int
    n_kept: int
    identical_pairs: tuple[IdenticalPair, ...]
    identical: IntArray
    surviving: IntArray
    metric_ties: tuple[MetricTies, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings

    def __len__(self) -> int:
        return len(self.identical_pairs)

    def _row(self, i: int) -> IdenticalPair:
        return self.identical_pairs[i]

    def __contains__(self, system: object) -> bool:
        return isinstance(system, str) and system in self.systems

    @overload
    def __getitem__(self, key: int) -> IdenticalPair: ...

    @overload
    def __getitem__(self, key: tuple[str, str]) -> tuple[IdenticalPair, ...]: ...

    def __getitem__(self, key: int | tuple[str, str]) -> IdenticalPair | tuple[IdenticalPair, ...]:
        """Return a row by its place, or all rows of two systems by their names."""
        if not isinstance(key, tuple):
            return self._row(place_of(key, len(self)))
        names = {self.systems[index_of(name, self.systems, "system")] for name in key}
        return tuple(pair for pair in self.identical_pairs if {pair.first, pair.second} == names)

    @property
    def n_identical(self) -> int:
        """Pairs with identical outputs."""
        return len(self.identical_pairs)

    @property
    def n_surviving(self) -> int:
        """Identical pairs whose scores differ by the margin or more."""
        return sum(pair.survives for pair in self.identical_pairs)

    @property
    def share_identical(self) -> float:
        """Identical pairs as a share of all pairs."""
        return self.n_identical / self.n_pairs if self.n_pairs else float("nan")

    @property
    def share_surviving(self) -> float:
        """Identical pairs among those that the margin keeps."""
        return self.n_surviving / self.n_kept if self.n_kept else float("nan")

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per pair of identical outputs."""
        names = ("segment", "first", "second", "gap", "survives", "text")
        return {name: [getattr(pair, name) for pair in self.identical_pairs] for name in names}

    def __repr__(self) -> str:
        return f"IdenticalOutputs({self.n_identical} of {self.n_pairs} pairs, {self.n_surviving} survive the margin)"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginShare:
    """Number and share of pairs that a margin keeps."""

    margin: float
    kept: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class KeptPairs(Rows[MarginShare], Result):
    """Share of pairs of systems on a segment whose scores differ by at least a margin.

    Attributes
    ----------
    metric : str
    n_pairs : int
        Pairs of systems judged on the same segment.
    margin, share : array, shape (k,)
        `share` is NaN when there are no pairs.

    Examples
    --------
    >>> import betterthan as bt
    >>> kept = bt.kept_pairs(bt.read_scores({"A": [10.0, 40.0], "B": [20.0, 90.0]}), [0, 25])
    >>> [(row.margin, row.kept) for row in kept]
    [(0.0, 2), (25.0, 1)]
    """

    kind: ClassVar[str] = "kept_pairs"
    row_type: ClassVar[type] = MarginShare

    metric: str
    n_pairs: int
    margin: FloatArray
    share: FloatArray
    notes: tuple[str, ...]
    settings: Settings

    def __len__(self) -> int:
        return len(self.margin)

    def _row(self, i: int) -> MarginShare:
        share = float(self.share[i])
        kept = round(share * self.n_pairs) if self.n_pairs else 0
        return MarginShare(margin=float(self.margin[i]), kept=kept, share=share)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per margin."""
        return {name: [getattr(row, name) for row in self] for name in ("margin", "kept", "share")}

    def __repr__(self) -> str:
        return f"KeptPairs({len(self.margin)} margins, {self.n_pairs} pairs)"
