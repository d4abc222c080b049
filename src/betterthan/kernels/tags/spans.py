r"""Phrase-level scores: spans of equal tags, with partial credit.

A span is a longest run of equal tags within a segment. Its credit is the share of its words on which truth and tags
agree. The counts of a segment are, for the class BAD and then for OK: credit and number of the gold spans, credit and
number of the predicted spans. All of them add up over segments.
"""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray

_PARTS = ("gold credit", "gold spans", "predicted credit", "predicted spans")
COLUMNS = tuple(f"{tag}: {part}" for tag in ("BAD", "OK") for part in _PARTS)


def span_starts(tags: BoolArray, offsets: IntArray) -> IntArray:
    """First words of the spans: where a segment begins, and where the tag changes within one.

    Parameters
    ----------
    tags : array of bool, shape (w,)
    offsets : array of int, shape (n + 1,)

    Returns
    -------
    array of int, shape (number of spans,)

    Examples
    --------
    >>> span_starts(np.array([True, True, False, False, False]), np.array([0, 3, 3, 5]))
    array([0, 2, 3])
    """
    begins = np.zeros(tags.size, dtype=np.bool_)
    begins[1:] = tags[1:] != tags[:-1]
    first = offsets[:-1]
    begins[first[first < offsets[1:]]] = True
    return np.flatnonzero(begins)


def span_counts(gold: BoolArray, predicted: BoolArray, offsets: IntArray) -> FloatArray:
    """Credit and number of gold and of predicted spans of both classes, for each system and segment.

    Parameters
    ----------
    gold : array of bool, shape (w,)
        True where the word is BAD.
    predicted : array of bool, shape (m, w)
    offsets : array of int, shape (n + 1,)

    Returns
    -------
    array, shape (m, n, 8)
        In the order of :data:`COLUMNS`.

    Examples
    --------
    A BAD phrase of four words whose first was tagged OK:

    >>> gold = np.array([True, True, True, True])
    >>> span_counts(gold, np.array([[False, True, True, True]]), np.array([0, 4]))
    array([[[0.75, 1.  , 1.  , 1.  , 0.  , 0.  , 0.  , 1.  ]]])
    """
    n_segments = offsets.size - 1
    segment = np.repeat(np.arange(n_segments), np.diff(offsets))
    starts = span_starts(gold, offsets)
    counts = np.empty((len(predicted), n_segments, 8))
    for system, tags in zip(counts, predicted, strict=True):
        agrees = gold == tags
        truth = _by_class(gold, agrees, starts, segment, n_segments)
        found = _by_class(tags, agrees, span_starts(tags, offsets), segment, n_segments)
        for place, is_bad in ((0, True), (4, False)):
            system[:, place : place + 2] = truth[is_bad]
            system[:, place + 2 : place + 4] = found[is_bad]
    return counts


def _by_class(
    tags: BoolArray, agrees: BoolArray, starts: IntArray, segment: IntArray, n_segments: int
) -> dict[bool, FloatArray]:
    """Credit and number of the spans of each class in each segment, shape (n, 2)."""
    if not starts.size:
        return {True: np.zeros((n_segments, 2)), False: np.zeros((n_segments, 2))}
    lengths = np.diff(starts, append=tags.size)
    credit = np.add.reduceat(agrees, starts, dtype=np.int64) / lengths
    result = {}
    for is_bad in (True, False):
        chosen = tags[starts] == is_bad
        home = segment[starts[chosen]]
        sums = np.zeros((n_segments, 2))
        sums[:, 0] = np.bincount(home, weights=credit[chosen], minlength=n_segments)
        sums[:, 1] = np.bincount(home, minlength=n_segments)
        result[is_bad] = sums
    return result


def _harmonic(precision: FloatArray, recall: FloatArray) -> FloatArray:
    both = precision + recall
    return np.asarray(np.where(both > 0, 2 * precision * recall / np.where(both > 0, both, 1.0), 0.0))


def _share(credit: FloatArray, spans: FloatArray) -> FloatArray:
    return np.asarray(np.where(spans > 0, credit / np.where(spans > 0, spans, 1.0), 0.0))


def _f1(four: FloatArray) -> FloatArray:
    """Bounded reading: recall from gold spans, precision from predicted spans."""
    gold_credit, gold_spans, credit, spans = (four[..., i] for i in range(4))
    value = _harmonic(_share(credit, spans), _share(gold_credit, gold_spans))
    return np.where(gold_spans + spans > 0, value, np.nan)


def _f1_as_published(four: FloatArray) -> FloatArray:
    """Literal reading: the credit of the gold spans over the number of predicted spans, truncated at 1."""
    gold_credit, gold_spans, _, spans = (four[..., i] for i in range(4))
    precision = np.minimum(_share(gold_credit, spans), 1.0)
    value = _harmonic(precision, _share(gold_credit, gold_spans))
    return np.where(gold_spans + spans > 0, value, np.nan)


def phrase_f1_bad(sums: FloatArray) -> FloatArray:
    r"""F1 of BAD spans with partial credit.

    With :math:`c(s)` the share of the words of span s on which truth and tags agree, G the gold BAD spans and P the
    predicted ones,

    .. math:: R = \frac{1}{|G|} \sum_{s \in G} c(s), \qquad P = \frac{1}{|P|} \sum_{s \in P} c(s),
              \qquad F_1 = \frac{2 P R}{P + R}

    Both lie in [0, 1]. 0 when only one side has such spans, NaN when neither has.

    Parameters
    ----------
    sums : array, shape (…, 8)
        In the order of :data:`COLUMNS`.

    References
    ----------
    .. [1] Logacheva, Lukasik, Specia (2016), Metrics for evaluation of word-level machine translation quality
       estimation, ACL, section 2.1.

    Examples
    --------
    >>> round(float(phrase_f1_bad(np.array([0.75, 1, 1, 1, 0, 0, 0, 1]))), 4)
    0.8571
    """
    return _f1(sums[..., :4])


def phrase_f1_ok(sums: FloatArray) -> FloatArray:
    """F1 of OK spans with partial credit; see :func:`phrase_f1_bad`.

    Examples
    --------
    An OK span was predicted where there is none:

    >>> float(phrase_f1_ok(np.array([0.75, 1, 1, 1, 0, 0, 0, 1])))
    0.0
    """
    return _f1(sums[..., 4:])


def phrase_f1_mult(sums: FloatArray) -> FloatArray:
    """Product of the phrase-level F1 scores of both classes.

    Examples
    --------
    >>> float(phrase_f1_mult(np.array([1.0, 1, 1, 1, 1, 2, 2, 2])))
    0.6666666666666666
    """
    return np.asarray(phrase_f1_bad(sums) * phrase_f1_ok(sums))


def phrase_f1_bad_as_published(sums: FloatArray) -> FloatArray:
    """F1 of BAD spans as defined in the paper: precision is the credit of *gold* spans over *predicted* spans.

    One predicted span can then earn the credit of many gold spans. An all-BAD sentence with three gold BAD spans has
    precision 3; it is cut off at 1 here, and the reading still favors few long spans.

    Examples
    --------
    Three gold BAD spans, two OK spans between them, one BAD span predicted over five words:

    >>> all_bad = np.array([3.0, 3, 0.6, 1, 0, 2, 0, 0])
    >>> float(phrase_f1_bad_as_published(all_bad)), round(float(phrase_f1_bad(all_bad)), 12)
    (1.0, 0.75)
    """
    return _f1_as_published(sums[..., :4])


def phrase_f1_ok_as_published(sums: FloatArray) -> FloatArray:
    """F1 of OK spans as defined in the paper; see :func:`phrase_f1_bad_as_published`.

    Examples
    --------
    >>> float(phrase_f1_ok_as_published(np.array([0.0, 1, 0, 0, 2, 2, 1, 1])))
    1.0
    """
    return _f1_as_published(sums[..., 4:])


def phrase_f1_mult_as_published(sums: FloatArray) -> FloatArray:
    """Product of both classes' F1 as defined in the paper.

    Examples
    --------
    >>> float(phrase_f1_mult_as_published(np.array([3.0, 3, 0.6, 1, 0, 2, 0, 0])))
    0.0
    """
    return np.asarray(phrase_f1_bad_as_published(sums) * phrase_f1_ok_as_published(sums))
