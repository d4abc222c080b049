"""Why do two systems compare as they do, and do all ways of aggregating say the same?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, overload

import numpy as np

from betterthan.analysis import mechanisms as judged
from betterthan.analysis.computing import Rng
from betterthan.analysis.detectable import detectable
from betterthan.analysis.explain_counts import explain_counts
from betterthan.analysis.explain_tests import decided, pair_tests
from betterthan.analysis.explain_words import sentences_of
from betterthan.analysis.fragility import flips
from betterthan.analysis.given import check_table
from betterthan.analysis.slices import Part, lengths_of, parts_of, reversed_slices
from betterthan.analysis.units import UnitName, Units, few_units_note, units_of
from betterthan.analysis.wording import counted
from betterthan.arrays import FloatArray
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.results.counts_explanation import CountsExplanation
from betterthan.results.explanation import Explanation
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.settings import Settings
from betterthan.results.units import unit_line
from betterthan.tables.counts import Counts
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

_LARGEST = 1e140


Lengths = Sequence[float] | Mapping[str, float]


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
    lengths: Lengths | None = ...,
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
    lengths: Lengths | None = ...,
    size: int = ...,
    rng: Rng = ...,
) -> CountsExplanation: ...
@with_one_blas_thread
def explain(
    scores: Scores | Counts,
    a: str,
    b: str,
    *,
    missing: Literal["raise", "drop"] = "raise",
    units: UnitName = "auto",
    alpha: float = 0.05,
    texts: Texts | None = None,
    lengths: Lengths | None = None,
    size: int = 1000,
    rng: Rng = 12345,
) -> Explanation | CountsExplanation:
    r"""Explain how two systems compare: what each mechanism says, why they differ, and on what it hangs.

    The mean, the median and Bradley–Terry (who wins more segments) can name different winners. They look at

    .. math:: E_A - E_B, \qquad M_A - M_B, \qquad M_{A-B}

    the difference of means, the difference of medians and the median of differences, and none of the three implies
    another [1]_. Each is reported with the test that belongs to it. Mean against median points at outliers; median
    against Bradley–Terry points at types of segments. Then come the fewest segments whose removal turns each
    verdict, and the parts of the test set in which the order is reversed.

    Parameters
    ----------
    scores : Scores or Counts
        All systems; those other than `a` and `b` tell which segments are hard. Of counts (BLEU, chrF, TER) the pair is
        compared pooled, by the mean of segments and by the mean of bootstrap corpora, with the weights of long
        segments and the segments that move the pooled difference most.
    a, b : str
        The two systems. Effects are positive when a is better, whatever the direction of the metric.
    missing : {"raise", "drop"}, default "raise"
        * "raise": refuse segments that one of the two has no score for.
        * "drop": leave those segments out, and say so.
    units : {"auto", "segments", "groups"}, default "auto"
        What all tests swap as one: as in :func:`betterthan.compare`.
    alpha : float, default 0.05
        Level of all tests.
    texts : Texts, optional
        For slices by length: of the source, else the reference, else the outputs.
    lengths : sequence or mapping of segment to float, optional
        The lengths themselves, instead of texts; of counts, instead of the metric's own length.
    size, rng
        Of counts only: segments in a bootstrap corpus, and the seed of all draws.

    Returns
    -------
    Explanation, or CountsExplanation of counts
        Its `sentences` say all of it in words.

    Raises
    ------
    UnknownName
        When a or b is not in the table.
    MissingScores
        When scores are missing and `missing` is "raise", or when the two share no segment.

    Notes
    -----
    Of scores nothing is drawn at random. The permutation test of the mean and its interval are those of
    :func:`betterthan.compare`, digit by digit. Bradley–Terry between two systems is the number of segments won,
    ties left out, and its test is the sign test; the median's is Mood's, unpaired like the median itself. Where
    documents are the units, each of these tests swaps whole documents, and a single document is not tested by itself.
    P-values are those of this pair alone; :func:`betterthan.compare` corrects for looking at all pairs.

    Which mechanism is *right* the scores cannot tell: when mean and Bradley–Terry disagree, it is the paper's case (ii)
    if the system that wins more often is truly the better one, and case (iii) if it is not.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, §3 and §5.1.

    Examples
    --------
    Two systems of figure 1 of [1]: equal means, medians 11 and 7, and yet B wins four segments of five.

    >>> import betterthan as bt
    >>> scores = bt.Scores(name="score", systems=["A", "B"], segments=["1", "2", "3", "4", "5"],
    ...                    values=[[1, 5, 11, 12, 17], [2, 6, 7, 13, 18]])
    >>> found = bt.explain(scores, "A", "B")
    >>> [(mechanism.name, mechanism.winner) for mechanism in found.mechanisms[:3]]
    [('mean', None), ('median', 'A'), ('bradley_terry', 'B')]
    >>> found.reason
    'types of segments'
    """
    if not 0 < alpha < 1:
        raise BetterThanError(f"alpha must lie between 0 and 1, such as 0.05; it is {alpha}.")
    check_table(scores, (Scores, Counts), verb="explain")
    if isinstance(scores, Counts):
        if texts is not None:
            raise TableError("Counts know how long their segments are. Leave out texts, or pass lengths.")
        return explain_counts(
            scores, a, b, alpha=alpha, units=units, lengths=lengths, size=size, rng=rng, missing=missing
        )
    if size != 1000:
        raise BetterThanError(f"size={size} is of counts, and changes nothing for scores. Leave it out.")
    pair = _pair(scores, a, b, missing)
    parts = parts_of(scores, pair, lengths_of(scores, texts, lengths))
    compared = decided(pair, units, alpha)
    silent = _explained(pair, parts, units_of(pair, units), compared, _settings(scores, pair, compared))
    told = replace(silent, sentences=sentences_of(silent))
    few = few_units_note(units_of(pair, units))
    return replace(told, notes=(*_about_units(compared), *few, *_notes(scores, pair, told)))


def _about_units(compared: PairwiseTable) -> tuple[str, ...]:
    """What so few units cannot show, and that documents are the units."""
    line = unit_line(compared.unit_note, compared.units)
    return tuple(note for note in (compared.undecidable, line) if note)


def _explained(
    pair: Scores, parts: Sequence[Part], units: Units, compared: PairwiseTable, settings: Settings
) -> Explanation:
    """Return the explanation without its words."""
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
        sentences=(),
        notes=(),
        settings=settings,
    )


def _needed(gaps: FloatArray, units: Units, alpha: float) -> int | None:
    """Units that would show this mean difference; None of uneven documents, whose means do not weigh alike."""
    if np.ptp(units.sizes) > 0:
        return None
    return detectable(units.summed(gaps[None])[0], alpha=alpha).n_needed


def _pair(scores: Scores, a: str, b: str, missing: Literal["raise", "drop"]) -> Scores:
    """Return the two systems on the segments both have, in the order of the segments' names."""
    for name in (a, b):
        if name not in scores.systems:
            raise unknown_name("system", name, scores.systems)
    if a == b:
        raise TableError(f'"{a}" is named twice. Name two different systems of {", ".join(scores.systems)}.')
    pair = scores.select([a, b]).complete(missing=missing)
    if np.abs(pair.values).max() > _LARGEST:
        raise TableError(f'Scores of "{scores.name}" beyond {_LARGEST:g} cannot be squared. Rescale them.')
    # Nothing may depend on the order of segments, not even the last bit or which of two equals is named.
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
    if math.isnan(found.mechanism("median").pvalue):
        notes.append("Mood's test is undefined: all scores fall on one side of the common median.")
    if found.median_of_differences == 0 and found.wins != found.losses:
        notes.append(
            f"The median of the differences is 0 because of {counted(found.ties, 'tie')}; wins and losses decide."
        )
    if any("by difficulty" in sentence for sentence in found.sentences):
        notes.append(_about_difficulty(scores.n_systems - 2))
    return tuple(notes)


def _about_difficulty(n_others: int) -> str:
    if n_others > 0:
        return f"Hard segments are those on which the other {counted(n_others, 'system')} score low."
    return (
        "Hard segments are those on which both systems score low, for want of others; such bands depend on the "
        "very scores that they compare."
    )
