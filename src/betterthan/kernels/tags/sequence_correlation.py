r"""Sequence correlation: how well the spans of two taggings overlap, a sentence at a time."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.tags.confusion import segment_sums
from betterthan.kernels.tags.spans import span_starts

COLUMNS = ("correlation", "sentences")


def sequence_correlation_counts(gold: BoolArray, predicted: BoolArray, offsets: IntArray) -> FloatArray:
    r"""Sequence correlation of each system on each segment, and 1, so that sums give the mean over sentences.

    In each sentence, spans of the same class are matched one to one, greedily by the largest overlap. With
    :math:`o_c` the matched words of class c, :math:`n_c` the gold words of that class, n the words, and
    :math:`s, \hat s` the numbers of gold and predicted spans,

    .. math:: \frac{\min(s, \hat s)}{\max(s, \hat s)} \cdot \frac{1}{n} \sum_{c} \frac{n}{2 n_c} o_c

    where a class without gold words adds nothing.

    Parameters
    ----------
    gold : array of bool, shape (w,)
        True where the word is BAD.
    predicted : array of bool, shape (m, w)
    offsets : array of int, shape (n + 1,)

    Returns
    -------
    array, shape (m, n, 2)
        The correlation and 1; a segment without words has (0, 0) and is no sentence.

    Notes
    -----
    The paper [1]_ gives no formula; this is what the scoring program of WMT15 does [2]_. Its values lie in [0, 1], and
    a *perfect* tagging of a sentence of one class only has 1/2, because the other class adds nothing. An older variant
    of the program had no weights, and overlaps that could be negative.

    Equal overlaps are taken from the left. The greedy choice is made for all sentences at once, in rounds: what is the
    best of its gold span and of its predicted span is taken, and everything that shares a span with it goes.

    References
    ----------
    .. [1] Logacheva, Lukasik, Specia (2016), Metrics for evaluation of word-level machine translation quality
       estimation, ACL, section 2.2.
    .. [2] Logacheva, Hokamp, Specia (2016), MARMOT: a toolkit for translation quality estimation at the word level,
       LREC.

    Examples
    --------
    >>> gold = np.array([False, False, True, True])
    >>> sequence_correlation_counts(gold, np.array([[False, False, False, True]]), np.array([0, 4]))
    array([[[0.75, 1.  ]]])
    """
    lengths = np.diff(offsets)
    bad = segment_sums(gold, offsets)
    gold_spans = _spans_in_segments(gold, offsets)
    counts = np.zeros((len(predicted), lengths.size, 2))
    counts[:, :, 1] = lengths > 0
    for system, tags in zip(counts, predicted, strict=True):
        matched = _matched_words(gold, tags, offsets)
        spans = _spans_in_segments(tags, offsets)
        # Lengths cancel: n / (2 n_c) and the division by n at the end.
        both = _over(matched[:, 0], 2 * (lengths - bad)) + _over(matched[:, 1], 2 * bad)
        system[:, 0] = both * _over(np.minimum(gold_spans, spans), np.maximum(gold_spans, spans))
    return counts


def sequence_correlation(sums: FloatArray) -> FloatArray:
    """Mean over sentences from their sum and number; NaN without a sentence.

    Examples
    --------
    >>> float(sequence_correlation(np.array([1.5, 2.0])))
    0.75
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan))


def _over(part: IntArray, whole: IntArray) -> FloatArray:
    """Quotients that are 0 where there is nothing to divide by."""
    return np.asarray(np.where(whole > 0, part / np.maximum(whole, 1), 0.0))


def _spans_in_segments(tags: BoolArray, offsets: IntArray) -> IntArray:
    return np.asarray(np.diff(np.searchsorted(span_starts(tags, offsets), offsets)))


def _matched_words(gold: BoolArray, tags: BoolArray, offsets: IntArray) -> IntArray:
    """Words of greedily matched spans in each segment: OK in the first column, BAD in the second."""
    gold_starts, tag_starts = span_starts(gold, offsets), span_starts(tags, offsets)
    starts = np.union1d(gold_starts, tag_starts)
    lengths = np.diff(starts, append=gold.size)
    agrees = gold[starts] == tags[starts]
    starts, lengths = starts[agrees], lengths[agrees]
    # Spans of both classes may be numbered together: a span has one class, so classes never compete.
    gold_span = np.searchsorted(gold_starts, starts, side="right") - 1
    tag_span = np.searchsorted(tag_starts, starts, side="right") - 1
    taken = _greedy(lengths, gold_span, tag_span)
    segment = np.searchsorted(offsets, starts[taken], side="right") - 1
    words = np.zeros((offsets.size - 1, 2), dtype=np.int64)
    np.add.at(words, (segment, gold[starts[taken]].astype(np.int64)), lengths[taken])
    return words


def _greedy(lengths: IntArray, gold_span: IntArray, tag_span: IntArray) -> IntArray:
    """Overlaps that a greedy matching takes, longest first and the leftmost of equals."""
    left = np.lexsort((np.arange(lengths.size), -lengths))
    free_gold = np.ones(int(gold_span.max(initial=-1)) + 1, dtype=np.bool_)
    free_tag = np.ones(int(tag_span.max(initial=-1)) + 1, dtype=np.bool_)
    taken = []
    while left.size:
        best = left[_is_first(gold_span[left]) & _is_first(tag_span[left])]
        taken.append(best)
        free_gold[gold_span[best]] = False
        free_tag[tag_span[best]] = False
        left = left[free_gold[gold_span[left]] & free_tag[tag_span[left]]]
    return np.concatenate(taken) if taken else left


def _is_first(groups: IntArray) -> BoolArray:
    """Whether no element before has the same group."""
    first = np.empty(int(groups.max()) + 1, dtype=np.int64)
    # Of several assignments to one place the last one stays, so going backwards leaves the first element.
    first[groups[::-1]] = np.arange(groups.size)[::-1]
    return np.asarray(first[groups] == np.arange(groups.size))
