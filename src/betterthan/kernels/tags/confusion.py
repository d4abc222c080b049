r"""Counts of correct and incorrect word tags per segment, and scores that are functions of their sums.

BAD is the positive class: tp words are BAD and tagged BAD, fp are OK and tagged BAD, fn are BAD and tagged OK, tn are
OK and tagged OK. Every formula takes sums of shape (…, 4), in the order of :data:`COLUMNS`, to scores of shape (…).
"""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray

COLUMNS = ("tp", "fp", "fn", "tn")


def confusion_counts(gold: BoolArray, predicted: BoolArray, offsets: IntArray) -> FloatArray:
    """Count the four outcomes of each system in each segment.

    Parameters
    ----------
    gold : array of bool, shape (w,)
        True where the word is BAD.
    predicted : array of bool, shape (m, w)
    offsets : array of int, shape (n + 1,)
        Words of segment i are ``offsets[i] : offsets[i + 1]``; a segment may be empty.

    Returns
    -------
    array, shape (m, n, 4)
        True positives, false positives, false negatives, true negatives; BAD is positive.

    Examples
    --------
    >>> gold = np.array([True, False, False])
    >>> confusion_counts(gold, np.array([[True, True, False]]), np.array([0, 2, 3]))
    array([[[1., 1., 0., 0.],
            [0., 0., 0., 1.]]])
    """
    words = np.diff(offsets)
    bad = segment_sums(gold, offsets)
    counts = np.empty((len(predicted), words.size, 4))
    for system, tags in zip(counts, predicted, strict=True):
        flagged = segment_sums(tags, offsets)
        hits = segment_sums(tags & gold, offsets)
        columns = (hits, flagged - hits, bad - hits, words - bad - flagged + hits)
        system[:] = np.stack(columns, axis=1)
    return counts


def segment_sums(marks: BoolArray, offsets: IntArray) -> IntArray:
    """Number of marks in each segment, shape (n,).

    Examples
    --------
    >>> segment_sums(np.array([True, True, False]), np.array([0, 1, 1, 3]))
    array([1, 0, 1])
    """
    # Running totals know empty segments, which reduceat does not.
    running = np.concatenate([[0], np.cumsum(marks, dtype=np.int64)])
    return np.asarray(np.diff(running[offsets]))


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Quotients; NaN where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))


def _split(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    return sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3]


def precision_bad(sums: FloatArray) -> FloatArray:
    """Of the words tagged BAD, the share that is BAD; NaN when none is tagged BAD.

    Examples
    --------
    >>> float(precision_bad(np.array([3.0, 1, 2, 4])))
    0.75
    """
    tp, fp, _, _ = _split(sums)
    return _ratio(tp, tp + fp)


def recall_bad(sums: FloatArray) -> FloatArray:
    """Of the words that are BAD, the share tagged so; NaN when none is BAD.

    Examples
    --------
    >>> float(recall_bad(np.array([3.0, 1, 2, 4])))
    0.6
    """
    tp, _, fn, _ = _split(sums)
    return _ratio(tp, tp + fn)


def precision_ok(sums: FloatArray) -> FloatArray:
    """Of the words tagged OK, the share that is OK; NaN when none is tagged OK.

    Examples
    --------
    >>> round(float(precision_ok(np.array([3.0, 1, 2, 4]))), 4)
    0.6667
    """
    _, _, fn, tn = _split(sums)
    return _ratio(tn, tn + fn)


def recall_ok(sums: FloatArray) -> FloatArray:
    """Of the words that are OK, the share tagged so; NaN when none is OK.

    Examples
    --------
    >>> float(recall_ok(np.array([3.0, 1, 2, 4])))
    0.8
    """
    _, fp, _, tn = _split(sums)
    return _ratio(tn, tn + fp)


def f1_bad(sums: FloatArray) -> FloatArray:
    r"""F1 of the class BAD, the harmonic mean of its precision and recall.

    .. math:: F_1 = \frac{2\,tp}{2\,tp + fp + fn}

    NaN when no word is BAD and none is tagged so; 0 when some are and none of them was found.

    Examples
    --------
    >>> round(float(f1_bad(np.array([3.0, 1, 2, 4]))), 4)
    0.6667
    """
    tp, fp, fn, _ = _split(sums)
    return _ratio(2 * tp, 2 * tp + fp + fn)


def f1_ok(sums: FloatArray) -> FloatArray:
    r"""F1 of the class OK, :math:`2\,tn / (2\,tn + fp + fn)`; NaN when no word is OK and none is tagged so.

    Examples
    --------
    >>> round(float(f1_ok(np.array([3.0, 1, 2, 4]))), 4)
    0.7273
    """
    _, fp, fn, tn = _split(sums)
    return _ratio(2 * tn, 2 * tn + fp + fn)


def f1_mult(sums: FloatArray) -> FloatArray:
    """Product of the F1 scores of both classes: 0 when either is 0, and never above either [1]_.

    References
    ----------
    .. [1] Logacheva, Lukasik, Specia (2016), Metrics for evaluation of word-level machine translation quality
       estimation, ACL, section 2.1.

    Examples
    --------
    All words tagged BAD:

    >>> float(f1_mult(np.array([5.0, 5, 0, 0])))
    0.0
    """
    return np.asarray(f1_bad(sums) * f1_ok(sums))


def f1_weighted(sums: FloatArray) -> FloatArray:
    """F1 of both classes, weighted by how many words belong to each; the more frequent class dominates it.

    A class without a word has weight 0, whether or not its F1 is defined.

    Examples
    --------
    >>> round(float(f1_weighted(np.array([3.0, 1, 2, 4]))), 4)
    0.697
    """
    tp, fp, fn, tn = _split(sums)
    bad, ok = tp + fn, tn + fp
    parts = bad * np.where(bad > 0, f1_bad(sums), 0.0) + ok * np.where(ok > 0, f1_ok(sums), 0.0)
    return _ratio(parts, bad + ok)


def matthews(sums: FloatArray) -> FloatArray:
    r"""Matthews' correlation coefficient of gold and predicted tags.

    .. math:: \frac{tp \cdot tn - fp \cdot fn}{\sqrt{(tp + fp)(tp + fn)(tn + fp)(tn + fn)}}

    0 when truth or tags are all of one class, as in scikit-learn: a constant carries no information. NaN without words.

    References
    ----------
    .. [1] Matthews (1975), Comparison of the predicted and observed secondary structure of T4 phage lysozyme,
       Biochim. Biophys. Acta 405.

    Notes
    -----
    Logacheva et al. (2016), section 2.2, print a plus sign and no root; with these the value would be neither 0 for
    chance nor at most 1.

    Examples
    --------
    >>> round(float(matthews(np.array([3.0, 1, 2, 4]))), 4)
    0.4082
    """
    tp, fp, fn, tn = _split(sums)
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    value = (tp * tn - fp * fn) / np.sqrt(np.where(spread > 0, spread, 1.0))
    constant = np.where(tp + fp + fn + tn > 0, 0.0, np.nan)
    return np.asarray(np.where(spread > 0, value, constant))


def accuracy(sums: FloatArray) -> FloatArray:
    """Share of the words that are tagged as they are; NaN without words.

    Examples
    --------
    >>> float(accuracy(np.array([3.0, 1, 2, 4])))
    0.7
    """
    tp, fp, fn, tn = _split(sums)
    return _ratio(tp + tn, tp + fp + fn + tn)
