"""Explanation and CountsExplanation: why two systems compare as they do, in words with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.results.base import NamedRows, Result, index_of
from betterthan.results.settings import Settings


class OrderedSentences:
    """Sentences in a fixed order: the verdict, its numbers, details, and the recommendation."""

    __slots__ = ()
    sentences: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """The first sentence: which system is better, for this pair alone."""
        return self.sentences[0]

    @property
    def evidence(self) -> str:
        """The second sentence: the numbers behind the verdict."""
        return self.sentences[1]

    @property
    def reasons(self) -> tuple[str, ...]:
        """All but the first and the last sentence."""
        return self.sentences[1:-1]

    @property
    def advice(self) -> str:
        """The last sentence: the recommendation."""
        return self.sentences[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherTest:
    """A second test of the same hypothesis, for comparison; not used for the verdict."""

    name: str
    pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """Result of one aggregation for the pair, with its test.

    Attributes
    ----------
    name : str
        "mean", "median", "bradley_terry" or "shift".
    winner : str or None
        The better system; None when they are equal.
    effect : float
        Positive when a is better, whatever the direction of the metric.
    effect_name, test : str
    pvalue : float
        Two-sided; NaN where the test is undefined.
    is_significant : bool
        p ≤ alpha.
    other_tests : tuple of OtherTest
    """

    name: str
    winner: str | None
    effect: float
    effect_name: str
    test: str
    pvalue: float
    is_significant: bool
    other_tests: tuple[OtherTest, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Smallest set of segments whose removal changes a verdict.

    Attributes
    ----------
    verdict : str
        "mean", "median" or "bradley_terry": the other system leads without them. "significance of the mean" or
        "significance of the wins": the test is not significant without them.
    n_segments : int or None
        None when no removal changes it, or when there is no such verdict.
    share : float
        Of all segments.
    segments : tuple of str
        Which, in the order of removal.
    is_exact : bool
        False when fewer might suffice.
    """

    verdict: str
    n_segments: int | None
    share: float
    segments: tuple[str, ...]
    is_exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A part of the test set in which the order of the means is reversed.

    Attributes
    ----------
    by, value : str
        The variable that the segments were split by ("group", "difficulty", "length"), and the part.
    limits : str
        Limits of the part, such as "7 to 12 words", if any.
    n_segments : int
    effect : float
        Mean difference in this part, positive when a is better.
    winner : str
    pvalue, adjusted : float
        Permutation test in this part, before and after Holm's correction over all parts that were tested; NaN in a
        single document where documents are the units.
    is_significant : bool
        adjusted ≤ alpha.
    """

    by: str
    value: str
    limits: str
    n_segments: int
    effect: float
    winner: str
    pvalue: float
    adjusted: float
    is_significant: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Explanation(NamedRows[Mechanism], OrderedSentences, Result):
    """Verdict of each aggregation on a pair, and why they agree or differ.

    Attributes
    ----------
    a, b : str
    metric : str
    higher_is_better : bool
        Direction of the metric. All effects are positive when a is better.
    alpha : float
        Level of the tests.
    n_segments : int
    units : {"segments", "groups"}
        The unit that all tests swap: single segments, or whole documents.
    n_units : int
    unit_note : str
        Note on the unit; empty where the table has no documents.
    undecidable : str
        Explanation if no difference could have been significant with so few units; otherwise empty.
    wins, ties, losses : int
        Of a, in segments.
    mean_win, mean_loss : float
        Average size of a's wins and losses, both positive; NaN when there are none.
    mean_difference, median_difference, median_of_differences : float
        The three quantities of Proposition 1 of the paired-evaluation paper; none implies another.
    low, high : float
        Confidence interval of the mean difference at level 1 − alpha, as in :func:`betterthan.compare`.
    n_needed : int or None
        Units needed to detect a mean difference of this size at level alpha with 80% power; None where not available,
        as for documents of unequal length.
    mechanisms : tuple of Mechanism
        Mean, median, Bradley–Terry, and location shift (Wilcoxon).
    mean_case, median_case : {"agree", "disagree", "level"}
        Mean, and median, against Bradley–Terry. "agree" is case (i) of the paper. "disagree" is its case (ii) if the
        system that wins more often is truly better, and (iii) if not; scores alone cannot show which. "level" when one
        of the two has no winner.
    reason : {"none", "outliers", "types of segments", "both", "unclear"}
        Likely cause of a disagreement. Mean against median: outliers. Median against Bradley–Terry: segment types.
        "unclear" when the medians are equal.
    flips : tuple of Flip
    n_slices : int
        Parts of the test set that were examined.
    slices : tuple of Slice
        Those in which the order of the means is reversed, smallest adjusted p-value first.
    sentences : tuple of str
        The explanation in words: the verdict first, the recommendation last.
    both_right : int or None
        For scores of 0 and 1 only: number of segments on which both systems are right; on all other ties both are
        wrong. None for other scores.

    Examples
    --------
    >>> import betterthan as bt
    >>> explanation = bt.explain(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]}), "A", "B")
    >>> explanation["mean"].effect, [mechanism.name for mechanism in explanation]
    (1.0, ['mean', 'median', 'bradley_terry', 'shift'])
    """

    kind: ClassVar[str] = "explanation"
    row_type: ClassVar[type] = Mechanism
    row_noun: ClassVar[str] = "mechanism"

    a: str
    b: str
    metric: str
    higher_is_better: bool
    alpha: float
    n_segments: int
    units: str = "segments"
    n_units: int = 0
    unit_note: str = ""
    undecidable: str = ""
    wins: int
    ties: int
    losses: int
    mean_win: float
    mean_loss: float
    mean_difference: float
    low: float
    high: float
    median_difference: float
    median_of_differences: float
    n_needed: int | None
    mechanisms: tuple[Mechanism, ...]
    mean_case: str
    median_case: str
    reason: str
    flips: tuple[Flip, ...]
    n_slices: int
    slices: tuple[Slice, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings
    both_right: int | None = None

    @property
    def both_wrong(self) -> int | None:
        """Segments on which both systems are wrong; None where scores are not right or wrong."""
        return None if self.both_right is None else self.ties - self.both_right

    def mechanism(self, name: str) -> Mechanism:
        """Return the aggregation with this name."""
        return self[name]

    def _row_names(self) -> tuple[str, ...]:
        return tuple(mechanism.name for mechanism in self.mechanisms)

    def _row(self, i: int) -> Mechanism:
        return self.mechanisms[i]

    def flip(self, verdict: str) -> Flip:
        """Return the smallest removal that changes this verdict."""
        return self.flips[index_of(verdict, [flip.verdict for flip in self.flips], "verdict")]

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per aggregation."""
        names = ("name", "winner", "effect_name", "effect", "test", "pvalue", "is_significant")
        return {name: [getattr(mechanism, name) for mechanism in self.mechanisms] for name in names}

    def __repr__(self) -> str:
        return f"Explanation({self.a} against {self.b}, {self.metric}: mean and wins {self.mean_case})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """Result of one aggregation for the pair.

    Attributes
    ----------
    name : str
        "pooled", "segment_mean" or "bootstrap_mean".
    score_a, score_b : float
        In the metric's own direction.
    winner : str or None
        None when the two are equal.
    effect, low, high : float
        Difference, positive when a is better, and its interval.
    test : str
    pvalue : float
        Two-sided.
    is_significant : bool
        p ≤ alpha.
    """

    name: str
    score_a: float
    score_b: float
    winner: str | None
    effect: float
    low: float
    high: float
    test: str
    pvalue: float
    is_significant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Mover:
    """A segment, and the pooled difference without it.

    Attributes
    ----------
    segment : str
    effect_without : float
        The pooled difference of all other segments, exactly; NaN where it has no score.
    change : float
        Contribution of the segment to the lead of a: the difference with it minus the one without it.
    weight : float
        Its share of the length, the mean of both systems; NaN when lengths are not known.
    """

    segment: str
    effect_without: float
    change: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CountsExplanation(NamedRows[Aggregation], OrderedSentences, Result):
    """A pair under three aggregations, why they may differ, and the segments with the most influence.

    Attributes
    ----------
    a, b : str
    metric : str
    higher_is_better : bool
        All effects are positive when a is better, whatever the direction.
    alpha : float
    n_segments : int
    aggregations : tuple of Aggregation
        Pooled, mean of segments, mean of bootstrap corpora.
    disagree : bool
        Whether two of them name different winners.
    length : str
        What the length of a segment is; "" when it is not known, and the four numbers below are NaN.
    effective_segments, gini, longest_tenth : float
        Of the lengths, as in :func:`betterthan.length_weights`; the mean of both systems.
    shortest_of_longest : float
        Length from which on a segment belongs to the longest tenth.
    effect_of_longest, effect_of_rest : float
        Pooled difference of the longest tenth alone, and of all others.
    long_segments_decide : bool
        Whether the others alone name another winner than all segments do.
    movers : tuple of Mover
        Up to ten segments with the largest influence on the pooled difference, largest first.
    n_to_turn : int or None
        Number of segments whose removal, most influential first, flips the pooled winner; fewer might suffice. None
        when no such removal does.
    sentences : tuple of str
    unit_note : str
        Note on the unit, where documents are known; otherwise empty.
    undecidable : str
        Explanation if no pair could have been significant with so few units; otherwise empty.

    Examples
    --------
    >>> import betterthan as bt
    >>> texts = bt.Texts(systems=["A", "B"], segments=["1", "2"], references=[["the cat sat", "a dog ran"]],
    ...                  outputs=[["the cat sat", "a dog ran"], ["the cat", "a dog sat"]])
    >>> explanation = bt.explain(bt.chrf(texts), "A", "B")
    >>> explanation["pooled"].winner, len(explanation)
    ('A', 3)
    """

    kind: ClassVar[str] = "counts_explanation"
    row_type: ClassVar[type] = Aggregation
    row_noun: ClassVar[str] = "aggregation"

    a: str
    b: str
    metric: str
    higher_is_better: bool
    alpha: float
    n_segments: int
    aggregations: tuple[Aggregation, ...]
    disagree: bool
    length: str
    effective_segments: float
    gini: float
    longest_tenth: float
    shortest_of_longest: float
    effect_of_longest: float
    effect_of_rest: float
    long_segments_decide: bool
    movers: tuple[Mover, ...]
    n_to_turn: int | None
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings
    unit_note: str = ""
    undecidable: str = ""

    def aggregation(self, name: str) -> Aggregation:
        """Return the aggregation with this name."""
        return self[name]

    def _row_names(self) -> tuple[str, ...]:
        return tuple(way.name for way in self.aggregations)

    def _row(self, i: int) -> Aggregation:
        return self.aggregations[i]

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per aggregation."""
        names = (
            "name",
            "score_a",
            "score_b",
            "winner",
            "effect",
            "low",
            "high",
            "test",
            "pvalue",
            "is_significant",
        )
        return {name: [getattr(way, name) for way in self.aggregations] for name in names}

    def __repr__(self) -> str:
        verdict = "disagree" if self.disagree else "agree"
        return f"CountsExplanation({self.a} against {self.b}, {self.metric}: aggregations {verdict})"
