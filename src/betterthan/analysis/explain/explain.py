"""Why do two systems compare as they do, and do all aggregations agree?

Every aggregation has a test, all on the same unit as the verdict. In the sentences the verdict comes first and the
recommendation last; every number is read from the explanation's fields, and "significant" never appears without its
level.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from betterthan.analysis.compare import mechanisms as judged
from betterthan.analysis.compare.compare import both_right
from betterthan.analysis.compare.decide import ComparisonOptions, decide
from betterthan.analysis.compare.mechanisms import PairTests, permutation_test
from betterthan.analysis.explain.explain_counts import LengthsArgument, explain_counts
from betterthan.analysis.explain.fragility import MEAN_SIGNIFICANCE, WINS_SIGNIFICANCE, flips
from betterthan.analysis.explain.right_wrong import outcome_sentences
from betterthan.analysis.explain.slices import SlicePart, lengths_of, parts_of, reversed_slices
from betterthan.analysis.pairs.pairwise import PairOptions
from betterthan.analysis.rank.detectable import detectable
from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.analysis.units import UnitName, Units, few_units_note, units_of
from betterthan.analysis.wording import amount, counted, decimals_for, listing, share
from betterthan.arrays import FloatArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.significance.rank_tests import mood_median, sign_test, signed_ranks, wilcoxon
from betterthan.messages import Message, Option
from betterthan.results.explanation import CountsExplanation, Explanation, Flip, Mechanism, Slice
from betterthan.results.pairwise import PairwiseTable, equals_p
from betterthan.results.settings import Settings
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

_FEW = 3
_SHOWN = 2


def sentences_of(found: Explanation) -> tuple[str, ...]:
    """Return the explanation in words, four to nine sentences."""
    if found.ties == found.n_segments:
        return _nothing_but_ties(found)
    if found.both_right is not None:
        return outcome_sentences(found, slices=_reversals(found), needed=_undecided(found))
    parts = (
        *(_verdict, _wins_and_losses, _tests, _three_differences, _reason_sentence),
        *(_hangs_on, _reversals, _beliefs, _advice),
    )
    return tuple(sentence for part in parts if (sentence := part(found)))


def _nothing_but_ties(found: Explanation) -> tuple[str, ...]:
    n = counted(found.n_segments, "segment")
    return (
        f"{found.a} and {found.b} have identical scores on all {n}.",
        "Mean, median and wins are equal, and every test gives p = 1.",
        "Removing segments does not change that, and no slice reverses it.",
        "Only other segments, or a metric with finer steps, could show a difference.",
    )


def _claims(found: Explanation) -> tuple[str | None, str | None]:
    """Winner by mean and winner by wins, each None unless its test is significant."""
    mean, wins = found.mechanism("mean"), found.mechanism("bradley_terry")
    return (mean.winner if mean.is_significant else None, wins.winner if wins.is_significant else None)


def _better(found: Explanation) -> str:
    return "higher" if found.higher_is_better else "lower (better)"


def _other(found: Explanation, name: str) -> str:
    return found.b if name == found.a else found.a


def _verdict(found: Explanation) -> str:
    by_mean, by_wins = _claims(found)
    level = f"significant at level {found.alpha:g}"
    if by_mean and by_mean == by_wins:
        loser, but = _other(found, by_mean), _but_median(found, by_mean)
        return f"{by_mean} is better than {loser} by mean and by segments won, both {level}{but}."
    if by_mean and by_wins:
        return f"{by_mean} has the {_better(found)} mean, but {by_wins} wins more segments; both are {level}."
    if by_mean:
        return (
            f"{by_mean} has a significantly {_better(found)} mean than {_other(found, by_mean)} (level "
            f"{found.alpha:g}); the numbers of segments won do not differ significantly."
        )
    if by_wins:
        means = "the means do not differ significantly" if found.mean_difference else "the means are equal"
        other = _other(found, by_wins)
        return f"{by_wins} wins significantly more segments than {other} (level {found.alpha:g}); {means}."
    return (
        f"There is no significant difference between {found.a} and {found.b}, either in means or in wins, at level "
        f"{found.alpha:g}."
    )


def _but_median(found: Explanation, winner: str) -> str:
    median = found.mechanism("median").winner
    if median in (winner, None):
        return ""
    return f", though {median} has the {_better(found)} median"


def decimals(found: Explanation) -> int:
    """Decimals of differences of this pair: two digits of the half-width of the interval."""
    return decimals_for((found.high - found.low) / 2, found.mean_difference)


def _wins_and_losses(found: Explanation) -> str:
    # From the side of the system that wins more segments.
    turned = found.losses > found.wins
    name = found.b if turned else found.a
    wins, losses = (found.losses, found.wins) if turned else (found.wins, found.losses)
    won, lost = (found.mean_loss, found.mean_win) if turned else (found.mean_win, found.mean_loss)
    counts = (
        f"{name} wins {counted(wins, 'segment')}, loses {amount(losses, 0)} and ties {amount(found.ties, 0)}"
    )
    places = decimals(found)
    if math.isnan(lost):
        return f"{counts}; its wins average {amount(won, places)}."
    if lost > won:
        return f"{counts}, but its wins average {amount(won, places)} and its losses {amount(lost, places)}."
    return f"{counts}; its wins average {amount(won, places)}, its losses {amount(lost, places)}."


def _tests(found: Explanation) -> str:
    mean, wins = found.mechanism("mean"), found.mechanism("bradley_terry")
    counts = f"{amount(max(found.wins, found.losses), 0)} of {amount(found.wins + found.losses, 0)} decided segments"
    test = f"({counts}, {equals_p(wins.pvalue)}, sign test)"
    if wins.winner is None:
        by_wins = f"both win equally many segments {test}"
    elif wins.winner == mean.winner:
        by_wins = f"it also wins more segments {test}"
    else:
        by_wins = f"{wins.winner} wins more segments {test}"
    if mean.winner is None:
        return f"The means are equal; {by_wins}."
    by = amount(abs(found.mean_difference), decimals(found))
    loser = _other(found, mean.winner)
    return (
        f"The mean of {mean.winner} is {by} {_better(found)} than that of {loser} {_interval(found, mean)}; "
        f"{by_wins}."
    )


def _interval(found: Explanation, mean: Mechanism) -> str:
    test = f"{equals_p(mean.pvalue)}, permutation test"
    if math.isnan(found.low):
        return f"({test})"
    ends = (found.low, found.high) if mean.winner == found.a else (-found.high, -found.low)
    low, high = (amount(end, decimals(found)) for end in ends)
    return f"({100 * (1 - found.alpha):g}% CI {low} to {high}, {test})"


def _three_differences(found: Explanation) -> str:
    """The three quantities of Proposition 1 of the paper, and what Bradley–Terry makes of two systems."""
    # From the side of the system that wins more segments.
    sign = -1 if found.losses > found.wins else 1
    a, b = (found.a, found.b)[::sign]
    of_means, of_medians, middle = (
        amount(sign * value + 0.0, decimals(found))
        for value in (found.mean_difference, found.median_difference, found.median_of_differences)
    )
    text = (
        f"{a} minus {b}: difference of means {of_means}, difference of medians {of_medians}, median of differences "
        f"{middle}; none of the three implies another"
    )
    decided = found.wins + found.losses
    if found.wins and found.losses:
        return f"{text}."
    return (
        f"{text}. {a} wins every decided segment ({amount(decided, 0)}), so Bradley–Terry gives it the strength 1 "
        f"and {b} 0."
    )


_REASONS = {
    "outliers": (
        "the disagreement with the mean points to outliers: a few segments with large differences dominate the mean"
    ),
    "types of segments": (
        "the disagreement with the wins points to segment types, such as easy and hard ones, whose effect only a "
        "comparison segment by segment removes"
    ),
    "both": "the disagreement with both mean and wins points to outliers together with segment types",
}
_RESTS_ON = {
    "outliers": ("mean",),
    "types of segments": ("bradley_terry",),
    "both": ("mean", "bradley_terry"),
}


def _reason_sentence(found: Explanation) -> str:
    by_mean, by_wins = _claims(found)
    if by_mean and not by_wins and found.reason != "outliers":
        return "The systems differ in the size of their wins and losses more than in their number."
    if found.reason == "none":
        return ""
    if found.reason == "unclear":
        return "The medians are equal, so they do not show whether outliers or segment types are the cause."
    is_sure = all(found.mechanism(name).is_significant for name in _RESTS_ON[found.reason])
    caveat = "" if is_sure else "unless due to chance, "
    by = amount(abs(found.median_difference), decimals(found))
    return f"The median favors {found.mechanism('median').winner} by {by}; {caveat}{_REASONS[found.reason]}."


def _hangs_on(found: Explanation) -> str:
    told = [
        _removals(found, "mean", "mean", MEAN_SIGNIFICANCE),
        _removals(found, "bradley_terry", "wins", WINS_SIGNIFICANCE),
    ]
    text = "; ".join(part for part in told if part)
    return text and f"{text[0].upper()}{text[1:]}."


def _removals(found: Explanation, name: str, criterion: str, significance: str) -> str:
    flip, undo = found.flip(name), found.flip(significance)
    if found.mechanism(name).winner is None:
        return ""
    flipping = "no removal of segments" if flip.n_segments is None else f"removing {_removed(flip)}"
    start = f"{flipping} flips the order by {criterion}"
    if undo.n_segments is None:
        return start
    makes = "makes" if undo.is_exact else "is enough to make"
    return f"{start}, and removing {_removed(undo)} {makes} it non-significant at level {found.alpha:g}"


def _removed(flip: Flip) -> str:
    n = flip.n_segments or 0
    named = f"{listing(list(flip.segments))}; " if n <= _FEW else ""
    return f"{counted(n, 'segment')} ({named}{share(flip.share)})"


def _reversals(found: Explanation) -> str:
    if not found.n_slices or found.mechanism("mean").winner is None:
        return ""
    n, level = amount(found.n_slices, 0), f"at level {found.alpha:g} after adjustment"
    if not found.slices:
        every = {1: "the one slice", 2: "both slices"}.get(found.n_slices, f"all {n} slices")
        return f"The order of the means is the same in {every} examined."
    sure = [part for part in found.slices if part.is_significant]
    shown = _shown_slices(found)
    if math.isnan(found.slices[0].pvalue):
        return (
            f"The order of the means is reversed in {amount(len(found.slices), 0)} of {n} slices, most in "
            f"{_named(shown[0])}; single documents are not tested, because documents are the units."
        )
    if not sure:
        clearest = f"most clearly in {_named(shown[0])}"
        return (
            f"The order of the means is reversed in {amount(len(found.slices), 0)} of {n} slices, {clearest}, but "
            f"nowhere significantly {level}."
        )
    named = [_led(found, part) for part in shown]
    more = [f"{amount(len(sure) - _SHOWN, 0)} more"] if len(sure) > _SHOWN else []
    over = (
        f" for {n} slices" if found.units == "segments" else ""
    )  # single documents are not among those tested
    return f"The order of the means is reversed in {listing(named + more)}, significantly {level}{over}."


def _shown_slices(found: Explanation) -> tuple[Slice, ...]:
    """The slices that the explanation names: the significant ones, or else the clearest."""
    if found.ties == found.n_segments or found.mechanism("mean").winner is None or not found.slices:
        return ()
    sure = [part for part in found.slices if part.is_significant]
    is_tested = not math.isnan(found.slices[0].pvalue)
    return tuple(sure[:_SHOWN]) if sure and is_tested else found.slices[:1]


def _named(part: Slice, *facts: str) -> str:
    what = f"group {part.value}" if part.by == "group" else f"the {part.value} by {part.by}"
    inside = [part.limits, counted(part.n_segments, "segment"), *facts]
    return f"{what} ({', '.join(fact for fact in inside if fact)})"


def _led(found: Explanation, part: Slice) -> str:
    by = amount(abs(part.effect), decimals_for((found.high - found.low) / 2, part.effect))
    return _named(part, f"{part.winner} by {by}", equals_p(part.adjusted))


def _beliefs(found: Explanation) -> str:
    by_mean, by_wins = _claims(found)
    if not by_mean or not by_wins or by_mean == by_wins:
        return ""
    fewer, decided = min(found.wins, found.losses), found.wins + found.losses
    return (
        f"The scores cannot show which is right: preferring the mean means accepting that the better system wins only "
        f"{amount(fewer, 0)} of {amount(decided, 0)} decided segments, and preferring wins, that a large loss "
        f"counts no more than a small one."
    )


def _advice(found: Explanation) -> str:
    by_mean, by_wins = _claims(found)
    if by_mean and by_mean == by_wins:
        return f"Choose {by_mean}, whether segments count equally or by the size of the difference."
    if by_mean or by_wins:
        counting = f"choose {by_wins}" if by_wins else "the data are inconclusive"
        weighing = f"choose {by_mean}" if by_mean else "the data are inconclusive"
        return (
            f"If every segment counts the same, {counting}; if the size of a difference matters, {weighing}."
        )
    return _undecided(found)


def _undecided(found: Explanation) -> str:
    unit = "segments" if found.units == "segments" else "documents"
    if found.n_needed is None or found.n_needed <= found.n_units:
        return (
            f"The data are inconclusive, which does not show that the systems are equal; collect more {unit}."
        )
    return (
        f"The data are inconclusive, which does not show that the systems are equal: about "
        f"{_rounded(found.n_needed)} {unit} would detect a mean difference of this size with 80% power."
    )


def _rounded(n: int) -> str:
    """Round to two digits, because an estimate of sample size supports no more."""
    return amount(round(n, 2 - len(str(n))), 0) if n > 99 else amount(n, 0)


def decided(pair: Scores, units: UnitName, alpha: float, *, test: str = "auto") -> PairwiseTable:
    """Return the comparison of the pair by its mean, as every other verb computes it."""
    options = PairOptions(correction="none", alpha=alpha, confidence=1 - alpha)
    comparison = ComparisonOptions(test=test, units=units)
    # No random numbers: tests of the mean of two systems are exact or analytic.
    return decide(pair, comparison, options, Resampling(seed=0, n_resamples=1), ranked=RankOptions(by="mean"))


def pair_tests(pair: Scores, units: Units, compared: PairwiseTable) -> PairTests:
    """Return the p-value of each aggregation.

    Parameters
    ----------
    pair : Scores
        Two systems, complete.
    units : Units
        Units that the tests swap as a whole.
    compared : PairwiseTable
        Of the pair, by mean.
    """
    x, y = pair.goodness
    mean = compared.pair(*pair.systems).pvalue
    by_t = decided(pair, "segments" if units.are_segments else "groups", compared.alpha, test="t")
    t = by_t.pair(*pair.systems).pvalue
    if not units.are_segments:
        return PairTests(mean, t, *swapped_documents(x, y, units, alpha=compared.alpha))
    # With identical scores Mood's table is empty, and p = 1.
    both = pair.goodness
    mood = 1.0 if np.array_equal(x, y) else float(mood_median(both).pvalue[0, 1])
    sign, ranks = sign_test(win_counts(both)).pvalue[0, 1], wilcoxon(both).pvalue[0, 1]
    return PairTests(mean, t, mood, float(sign), float(ranks))


class DocumentTests(NamedTuple):
    """P-values of the tests of Mood, of signs and of Wilcoxon when whole documents are swapped."""

    median: float
    wins: float
    shift: float


def swapped_documents(x: FloatArray, y: FloatArray, units: Units, *, alpha: float) -> DocumentTests:
    r"""Test median, wins and location shift by swapping the two systems on whole documents, as for the mean.

    Each of the three statistics is a sum over segments of terms that only change sign when the two systems are
    swapped: which score lies above the common median, which system wins, and the signed rank of the difference [1]_.
    So

    .. math:: p = P\Big(\Big|\sum_g \varepsilon_g T_g\Big| \ge \Big|\sum_g T_g\Big|\Big),
              \qquad T_g = \sum_{i \in g} t_i, \quad \varepsilon_g = \pm 1 . With one segment per document the second is
              the sign test and the third Wilcoxon's exact test.

    Parameters
    ----------
    x, y : array, shape (n,)
        Goodness of the two systems, complete.
    units : Units
        The document of each segment.
    alpha : float
        Level at which the decision must be certain.

    References
    ----------
    .. [1] Rosner, Glynn and Lee (2006), The Wilcoxon signed rank test for paired comparisons of clustered data,
       Biometrics 62.

    Examples
    --------
    Five documents, all won by the first system:

    >>> x, y = np.arange(10.0) % 3 + 2, np.arange(10.0) % 3
    >>> swapped_documents(x, y, Units(np.arange(10) // 2, 5), alpha=0.05).wins
    0.0625
    """
    middle = np.median(np.concatenate([x, y]))  # invariant under swaps
    above = (x > middle).astype(np.float64) - (y > middle)
    terms = np.stack([above, np.sign(x - y), _ranks(x, y)])
    median, wins, shift = (permutation_test(sums, alpha=alpha).pvalue for sums in units.summed(terms))
    # Mood's test is undefined where no score is above the median, unless all scores are identical.
    is_defined = bool((np.maximum(x, y) > middle).any()) or np.array_equal(x, y)
    return DocumentTests(median if is_defined else math.nan, wins, shift)


def _ranks(x: FloatArray, y: FloatArray) -> FloatArray:
    """Signed ranks in the order of segments."""
    gaps = x - y
    order = np.argsort(np.where(gaps != 0, np.abs(gaps), np.inf), kind="stable")
    ranks = np.empty(gaps.size)
    ranks[order] = signed_ranks(x[None], y[None]).ranks[0]
    return np.asarray(np.sign(gaps) * ranks)


_LARGEST = 1e140


@overload
def explain(
    scores: Scores,
    a: str,
    b: str,
    *,
    missing: Literal["raise", "drop"] = ...,
    units: UnitName = ...,
    alpha: float = ...,
    texts: Texts | None = ...,
    lengths: LengthsArgument = ...,
    size: int = ...,
    rng: Rng = ...,
) -> Explanation: ...
@overload
def explain(
    scores: Counts,
    a: str,
    b: str,
    *,
    missing: Literal["raise", "drop"] = ...,
    units: UnitName = ...,
    alpha: float = ...,
    texts: Texts | None = ...,
    lengths: LengthsArgument = ...,
    size: int = ...,
    rng: Rng = ...,
) -> CountsExplanation: ...
@overload
def explain(
    scores: AnyData,
    a: str,
    b: str,
    *,
    metric: str | None = ...,
    missing: Literal["raise", "drop"] = ...,
    units: UnitName = ...,
    alpha: float = ...,
    texts: Texts | None = ...,
    lengths: LengthsArgument = ...,
    size: int = ...,
    rng: Rng = ...,
) -> Any: ...  # noqa: ANN401  (an explanation of scores or of counts)
@with_one_blas_thread
def explain(
    scores: AnyData,
    a: str,
    b: str,
    *,
    metric: str | None = None,
    missing: Literal["raise", "drop"] = "raise",
    units: UnitName = "auto",
    alpha: float = 0.05,
    texts: Texts | None = None,
    lengths: LengthsArgument = None,
    size: int = 1000,
    rng: Rng = 12345,
) -> Explanation | CountsExplanation:
    r"""Explain how two systems compare: what each aggregation says, why they differ, and what the result depends on.

    The mean, the median and Bradley–Terry (which system wins more segments) can name different winners. They estimate

    .. math:: E_A - E_B, \qquad M_A - M_B, \qquad M_{A-B}

    the difference of means, the difference of medians and the median of differences, and none of the three implies
    another [1]_. Each is reported with the test that belongs to it. Disagreement between mean and median points to
    outliers, between median and Bradley–Terry to segment types. The result also has the smallest number of segments
    whose removal flips each verdict, and the parts of the test set in which the order is reversed.

    Parameters
    ----------
    scores : Scores or Counts, or what they are read from
        Such as a path, a data frame or a dict of columns: as in :func:`betterthan.compare`.
        All systems; those other than `a` and `b` determine which segments are hard. For counts (BLEU, chrF, TER) the
        pair is compared by the pooled score, the mean of segments and the mean of bootstrap corpora, with the weight of
        long segments and the segments that have the most influence on the pooled difference.
    a, b : str
        The two systems. Effects are positive when a is better, whatever the direction of the metric.
    metric : str, optional
        The metric, if several are read.
    missing : {"raise", "drop"}, default "raise"
        * "raise": raise an error when one of the two has no score for a segment.
        * "drop": leave those segments out, with a note.
    units : {"auto", "segments", "groups"}, default "auto"
        What all tests swap as one unit, as in :func:`betterthan.compare`.
    alpha : float, default 0.05
        Significance level of all tests.
    texts : Texts, optional
        For slices by length of the source, else of the reference, else of the outputs.
    lengths : sequence or mapping of segment to float, optional
        Segment lengths, instead of texts; for counts, instead of the metric's own length.
    size, rng
        For counts only: segments in a bootstrap corpus, and the seed of all resamples.

    Returns
    -------
    Explanation, or CountsExplanation of counts
        Its `sentences` are the explanation in words.

    Raises
    ------
    UnknownName
        When a or b is not in the table.
    MissingScores
        When scores are missing and `missing` is "raise", or when the two share no segment.

    Notes
    -----
    For scores no random numbers are used. The permutation test of the mean and its interval are those of
    :func:`betterthan.compare`, to the last digit. Bradley–Terry between two systems is the number of segments won,
    without ties, and its test is the sign test; that of the median is Mood's, unpaired like the median itself. Where
    documents are the units, each of these tests swaps whole documents, and a single document is not tested on its own.
    P-values are not adjusted for other pairs; :func:`betterthan.compare` corrects for testing all pairs.

    The scores cannot show which aggregation is *right*: when mean and Bradley–Terry disagree, it is the paper's case
    (ii) if the system that wins more often is truly the better one, and case (iii) if it is not.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, §3 and §5.1.

    Examples
    --------
    Two systems of figure 1 of [1]: equal means, medians 11 and 7, but B wins four of five segments.

    >>> import betterthan as bt
    >>> scores = bt.Scores(name="score", systems=["A", "B"], segments=["1", "2", "3", "4", "5"],
    ...                    values=[[1, 5, 11, 12, 17], [2, 6, 7, 13, 18]])
    >>> found = bt.explain(scores, "A", "B")
    >>> [(mechanism.name, mechanism.winner) for mechanism in found.mechanisms[:3]]
    [('mean', None), ('median', 'A'), ('bradley_terry', 'B')]
    >>> found.reason
    'types of segments'
    """
    check_share("alpha", alpha)
    scores = as_table(scores, kinds=(Scores, Counts), verb="explain", metric=metric)
    if isinstance(scores, Counts):
        if texts is not None:
            raise TableError(
                "Counts contain the lengths of their segments. Leave out texts, or pass lengths."
            )
        return explain_counts(
            scores, a, b, alpha=alpha, units=units, lengths=lengths, size=size, rng=rng, missing=missing
        )
    if size != 1000:
        raise BetterThanError(
            Message(
                "{size} is for counts and has no effect on scores. Leave it out.",
                size=Option("size", size),
            )
        )
    pair = _pair(scores, a, b, missing)
    parts = parts_of(scores, pair, lengths_of(scores, texts, lengths))
    compared = decided(pair, units, alpha)
    silent = _explained(pair, parts, units_of(pair, units), compared, _settings(scores, pair, compared))
    told = replace(silent, sentences=sentences_of(silent))
    few = few_units_note(units_of(pair, units))
    return replace(told, notes=(*few, *_notes(scores, pair, told)))


def _explained(
    pair: Scores, parts: Sequence[SlicePart], units: Units, compared: PairwiseTable, settings: Settings
) -> Explanation:
    """Return the explanation without its sentences."""
    (a, b), (x, y), alpha = pair.systems, pair.goodness, compared.alpha
    found = judged.mechanisms(x, y, (a, b), alpha=alpha, tests=pair_tests(pair, units, compared))
    winners = {mechanism.name: mechanism.winner for mechanism in found}
    mean, gaps = compared.pair(a, b), x - y
    return Explanation(
        a=a,
        b=b,
        metric=pair.name,
        higher_is_better=pair.higher_is_better,
        alpha=alpha,
        n_segments=x.size,
        units=units.name,
        n_units=units.n_units,
        unit_note=compared.unit_note,
        undecidable=compared.undecidable,
        wins=int(np.count_nonzero(gaps > 0)),
        ties=int(np.count_nonzero(gaps == 0)),
        losses=int(np.count_nonzero(gaps < 0)),
        mean_win=judged.mean_of(gaps[gaps > 0]),
        mean_loss=judged.mean_of(-gaps[gaps < 0]),
        mean_difference=judged.mean_difference(x, y),
        low=mean.low,
        high=mean.high,
        median_difference=judged.median_difference(x, y),
        median_of_differences=judged.median_of_differences(x, y),
        n_needed=_needed(gaps, units, alpha),
        mechanisms=found,
        mean_case=_case(winners["mean"], winners["bradley_terry"]),
        median_case=_case(winners["median"], winners["bradley_terry"]),
        reason=_reason(winners),
        flips=flips(x, y, found, pair.segments, units, alpha=alpha),
        n_slices=len(parts),
        slices=reversed_slices(x, y, (a, b), parts, units, alpha=alpha),
        both_right=None if (right := both_right(pair, (a, b))) is None else int(right[0, 1]),
        sentences=(),
        notes=(),
        settings=settings,
    )


def _needed(gaps: FloatArray, units: Units, alpha: float) -> int | None:
    """Number of units needed to detect this mean difference; None for documents of unequal size."""
    if np.ptp(units.sizes) > 0:
        return None
    return detectable(units.summed(gaps[None])[0], alpha=alpha).n_needed


def _pair(scores: Scores, a: str, b: str, missing: Literal["raise", "drop"]) -> Scores:
    """Return the two systems on their common segments, sorted by segment name."""
    for name in (a, b):
        if name not in scores.systems:
            raise unknown_name("system", name, scores.systems)
    if a == b:
        raise TableError(f'"{a}" is named twice. Name two different systems of {", ".join(scores.systems)}.')
    pair = scores.select([a, b]).complete(missing=missing)
    if np.abs(pair.values).max() > _LARGEST:
        raise TableError(f'Scores of "{scores.name}" beyond {_LARGEST:g} cannot be squared. Rescale them.')
    # Nothing may depend on the order of segments, neither the last bit nor which of two equal segments is named.
    return pair.select(segments=sorted(pair.segments))


def _case(marginal: str | None, paired: str | None) -> str:
    if marginal is None or paired is None:
        return "level"
    return "agree" if marginal == paired else "disagree"


def _reason(winners: Mapping[str, str | None]) -> str:
    mean, median, paired = (winners[name] for name in ("mean", "median", "bradley_terry"))
    outliers = _case(mean, median) == "disagree"
    types = _case(median, paired) == "disagree"
    if outliers or types:
        return "both" if outliers and types else ("outliers" if outliers else "types of segments")
    return "unclear" if _case(mean, paired) == "disagree" else "none"


def _settings(scores: Scores, pair: Scores, compared: PairwiseTable) -> Settings:
    return Settings(
        method="explain",
        options={
            "pair": ",".join(pair.systems),
            "units": compared.units,
            "alpha": compared.alpha,
            "ties": "drop",
            "adjust": "holm",
        },
        data=scores.digest,
        n_systems=scores.n_systems,
        n_segments=pair.n_segments,
    )


def _notes(scores: Scores, pair: Scores, found: Explanation) -> tuple[str, ...]:
    notes = list(pair.notes)
    if found.both_right is not None:  # no medians there
        return tuple(notes)
    if math.isnan(found.mechanism("median").pvalue):
        notes.append("Mood's test is undefined: all scores fall on one side of the common median.")
    if found.median_of_differences == 0 and found.wins != found.losses:
        notes.append(
            f"The median difference is 0 because of {counted(found.ties, 'tie')}; it is decided by wins and losses."
        )
    if any(part.by == "difficulty" for part in _shown_slices(found)):
        notes.append(_about_difficulty(scores.n_systems - 2))
    return tuple(notes)


def _about_difficulty(n_others: int) -> str:
    if n_others > 0:
        return f"Hard segments are those on which the other {counted(n_others, 'system')} score low."
    return (
        "Hard segments are those on which both systems score low, because there are no other systems; such slices "
        "depend on the scores that they compare."
    )
