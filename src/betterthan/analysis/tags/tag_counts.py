"""Counts of correct and incorrect word tags, with the formula of a measure.

Uninformative labelings, which a measure should rank below the real systems.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from betterthan.analysis.resampling import Rng, seed_of
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.engine.blocks import stream
from betterthan.errors import BetterThanError, TableError, some_of, unknown_name
from betterthan.kernels.tags import confusion, spans
from betterthan.kernels.tags import synthetic_tags as made
from betterthan.kernels.tags.sequence_correlation import COLUMNS as SEQUENCE_COLUMNS
from betterthan.kernels.tags.sequence_correlation import sequence_correlation, sequence_correlation_counts
from betterthan.messages import Message, Option
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.tags import WordTags

Maker = Callable[[BoolArray, np.random.Generator], BoolArray]

LABELLINGS: dict[str, Maker] = {
    "all-bad": lambda gold, _: made.all_bad(gold),
    "all-good": lambda gold, _: made.all_good(gold),
    "optimistic": made.optimistic,
    "pessimistic": made.pessimistic,
    "random": made.random_tags,
}
SYNTHETIC = tuple(LABELLINGS)


def with_synthetic(tags: WordTags, *, rng: Rng = 12345) -> WordTags:
    """Add five synthetic labelings to the systems: all-bad, all-good, optimistic, pessimistic, random.

    All of them should rank below real systems; otherwise the measure can be gamed [1]_.

    Parameters
    ----------
    tags : WordTags
    rng : int or numpy.random.Generator, default 12345

    Returns
    -------
    WordTags
        The systems of `tags`, then

        * "all-bad", "all-good": every word the same;
        * "optimistic": BAD recall 0.1 and precision 0.9, so that few words are BAD (2% if 18% truly are);
        * "pessimistic": BAD recall 0.9 and OK recall 0.1, so that 90% of the words are BAD;
        * "random": BAD with the share of BAD words in the gold tags.

    Raises
    ------
    TableError
        When a system has the name of a labeling.

    References
    ----------
    .. [1] Logacheva, Lukasik, Specia (2016), Metrics for evaluation of word-level machine translation quality
       estimation, ACL, section 3.1.

    Examples
    --------
    >>> import betterthan as bt
    >>> tags = bt.WordTags(systems=["A"], segments=["1"], gold=[True, False], predicted=[[True, True]], offsets=[0, 2])
    >>> bt.with_synthetic(tags).systems
    ('A', 'all-bad', 'all-good', 'optimistic', 'pessimistic', 'random')
    """
    taken = [name for name in SYNTHETIC if name in tags.systems]
    if taken:
        raise TableError(
            Message(
                'A system is called "{system}", which is the name of a synthetic labeling. Rename it, or '
                "leave the synthetic labelings out with {synthetic}.",
                system=taken[0],
                synthetic=Option("synthetic", False),
            )
        )
    seed = seed_of(rng)
    labelled = [
        make(tags.gold, stream(seed, f"synthetic tags: {name}", 0)) for name, make in LABELLINGS.items()
    ]
    return replace(
        tags, systems=(*tags.systems, *SYNTHETIC), predicted=np.vstack([tags.predicted, *labelled])
    )


TagMeasure = Literal[
    "f1_mult",
    "f1_bad",
    "f1_ok",
    "f1_weighted",
    "mcc",
    "precision_bad",
    "recall_bad",
    "precision_ok",
    "recall_ok",
    "accuracy",
    "phrase_f1_bad",
    "phrase_f1_ok",
    "phrase_f1_mult",
    "sequence_correlation",
]
TagCounter = Callable[[BoolArray, BoolArray, IntArray], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """The counts of a segment, and their names."""

    count: TagCounter
    columns: tuple[str, ...]


_WORDS = _Kind(count=confusion.confusion_counts, columns=confusion.COLUMNS)
_SPANS = _Kind(count=spans.span_counts, columns=spans.COLUMNS)
_SEQUENCES = _Kind(count=sequence_correlation_counts, columns=SEQUENCE_COLUMNS)

MEASURES: dict[str, tuple[_Kind, Callable[[FloatArray], FloatArray]]] = {
    "f1_mult": (_WORDS, confusion.f1_mult),
    "f1_bad": (_WORDS, confusion.f1_bad),
    "f1_ok": (_WORDS, confusion.f1_ok),
    "f1_weighted": (_WORDS, confusion.f1_weighted),
    "mcc": (_WORDS, confusion.matthews),
    "precision_bad": (_WORDS, confusion.precision_bad),
    "recall_bad": (_WORDS, confusion.recall_bad),
    "precision_ok": (_WORDS, confusion.precision_ok),
    "recall_ok": (_WORDS, confusion.recall_ok),
    "accuracy": (_WORDS, confusion.accuracy),
    "phrase_f1_bad": (_SPANS, spans.phrase_f1_bad),
    "phrase_f1_ok": (_SPANS, spans.phrase_f1_ok),
    "phrase_f1_mult": (_SPANS, spans.phrase_f1_mult),
    "sequence_correlation": (_SEQUENCES, sequence_correlation),
}
_AS_PUBLISHED = {
    "phrase_f1_bad": spans.phrase_f1_bad_as_published,
    "phrase_f1_ok": spans.phrase_f1_ok_as_published,
    "phrase_f1_mult": spans.phrase_f1_mult_as_published,
}
_LITERAL_NOTE = (
    "Phrase precision as published: the credit of gold spans over the number of predicted spans, truncated at 1. It "
    "favors a few long spans."
)


def tag_counts(tags: WordTags, *, by: TagMeasure | Formula = "f1_mult", as_published: bool = False) -> Counts:
    r"""Count correct and incorrect word tags per segment, so that systems can be ranked and compared by a measure.

    The measures are functions of sums over segments; ``bt.rank`` and ``bt.compare`` take the counts and compute
    intervals and randomization tests of the *pooled* score. The default is the product of the F1 scores of both
    classes, which is 0 when every word is tagged BAD and when every word is tagged OK [1]_:

    .. math:: F_1^{mult} = \frac{2\,tp}{2\,tp + fp + fn} \cdot \frac{2\,tn}{2\,tn + fp + fn}

    with BAD the positive class.

    Parameters
    ----------
    tags : WordTags
        Gold tags and the tags of one or more systems.
    by : str or Formula, default "f1_mult"
        * "f1_mult", "f1_bad", "f1_ok": F1 of a class, and the product of both.
        * "f1_weighted": F1 weighted by the size of the classes; dominated by OK, and included for contrast.
        * "mcc": Matthews' correlation coefficient; 0 when gold tags or predicted tags are all of one class.
        * "precision_bad", "recall_bad", "precision_ok", "recall_ok", "accuracy".
        * "phrase_f1_bad", "phrase_f1_ok", "phrase_f1_mult": F1 of spans of equal tags, with the share of right words
          as the credit of a span.
        * "sequence_correlation": overlap of matched spans, averaged over sentences; used at WMT15.
        * your own: a Formula from sums (…, 4) of tp, fp, fn, tn to scores (…), higher is better.
    as_published : bool, default False
        For the phrase measures: precision as defined in [1]_, the credit of gold spans over the number of *predicted*
        spans, which can exceed 1 and is truncated there. The default takes precision from predicted spans and recall
        from gold spans.

    Returns
    -------
    Counts
        ``.pooled()`` is the score of each system, ``.per_segment()`` that of each segment by itself.

    Notes
    -----
    Undefined values are NaN: F1 of a class that never occurs, precision of a tag that is never predicted. scikit-learn
    returns 0 there, with a warning. The notes name the systems concerned.

    References
    ----------
    .. [1] Logacheva, Lukasik, Specia (2016), Metrics for evaluation of word-level machine translation quality
       estimation, ACL.

    Examples
    --------
    >>> import betterthan as bt
    >>> tags = bt.WordTags(systems=["A", "B"], segments=["1", "2"], offsets=[0, 4, 6],
    ...                    gold=[True, True, False, False, False, True],
    ...                    predicted=[[True, False, False, False, False, True], [True] * 6])
    >>> counts = bt.tag_counts(tags, by="f1_mult")
    >>> counts.pooled().round(4).tolist()
    [0.6857, 0.0]
    >>> bt.tag_counts(tags, by="f1_bad").pooled().round(4).tolist()
    [0.8, 0.6667]
    """
    kind, formula = _chosen(by, as_published=as_published)
    counts = Counts(
        name=formula.name,
        systems=tags.systems,
        segments=tags.segments,
        values=kind.count(tags.gold, tags.predicted, tags.offsets),
        columns=kind.columns,
        formula=formula,
        groups=tags.groups,
    )
    literal = (_LITERAL_NOTE,) if as_published else ()
    return replace(counts, notes=(*tags.notes, *literal, *_undefined(counts), *_constant(counts, tags)))


def _chosen(by: str | Formula, *, as_published: bool) -> tuple[_Kind, Formula]:
    if as_published and by not in _AS_PUBLISHED:
        raise BetterThanError(
            f"as_published is another reading of the phrase measures ({', '.join(_AS_PUBLISHED)}). Leave it out here."
        )
    if isinstance(by, Formula):
        return _WORDS, by
    if not isinstance(by, str) or by not in MEASURES:
        raise unknown_name("measure of word tags", by, MEASURES)
    kind, function = MEASURES[by]
    if as_published:
        return kind, Formula(name=f"{by}_as_published", pooled=_AS_PUBLISHED[by])
    return kind, Formula(name=by, pooled=function)


def _undefined(counts: Counts) -> tuple[str, ...]:
    without = [name for name, value in zip(counts.systems, counts.pooled(), strict=True) if np.isnan(value)]
    return (f"{counts.name} is undefined (0/0) for {some_of(without)}.",) if without else ()


def _constant(counts: Counts, tags: WordTags) -> tuple[str, ...]:
    if counts.name != "mcc" or not tags.n_words:
        return ()
    bad = tags.predicted.sum(axis=1)
    same = [name for name, n in zip(tags.systems, bad, strict=True) if n in (0, tags.n_words)]
    if tags.gold.all() or not tags.gold.any():
        return ("All gold tags are the same, so MCC is 0 by convention.",)
    return (f"MCC is 0 by convention for labelings with a single tag: {some_of(same)}.",) if same else ()
