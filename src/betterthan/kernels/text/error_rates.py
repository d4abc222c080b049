"""Rates of words or characters that were recognized wrongly: formulas on sums of edits, (…, 4) to (…).

The sums are hits H, substitutions S, deletions D and insertions I, in the order of
:data:`betterthan.kernels.text.alignments.EDITS`. References have H + S + D words, outputs H + S + I.

Scores of predicted classes as formulas on sums: (…, 3 K) to (…).

For each of K classes the sums are the items that were predicted rightly r, that were predicted p, and that belong to
it g: first r of all classes, then p, then g. Confusion matrices of K × K are not needed by any of these scores.

A class that is neither predicted nor in the gold labels has no score, and is left out of means over classes; with a
list of classes it counts as 0 instead. A class with either has precision 0 when it is never predicted, and recall 0
when the gold labels never have it. So scores equal scikit-learn's, with and without ``labels=``.

Words that outputs and references share in order, sentence by sentence: the counts of ROUGE-Lsum.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.text.ngrams import SymbolSequences


def _parts(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    return sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3]


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Quotients; NaN where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))


def error_rate(sums: FloatArray) -> FloatArray:
    r"""Word or character error rate: edits for each word of the references.

    .. math:: \text{WER} = \frac{S + D + I}{H + S + D}

    Above 1 where there are more edits than words. NaN when the references have no words.

    Examples
    --------
    >>> float(error_rate(np.array([6.0, 1, 1, 2])))
    0.5
    """
    hits, substitutions, deletions, insertions = _parts(sums)
    return _ratio(substitutions + deletions + insertions, hits + substitutions + deletions)


def error_rate_of_one(sums: FloatArray) -> FloatArray:
    """Error rate of single segments: without words in the reference 1 where the output has some, otherwise 0.

    Examples
    --------
    >>> error_rate_of_one(np.array([[0.0, 0, 0, 3], [0, 0, 0, 0], [3, 1, 0, 0]])).tolist()
    [1.0, 0.0, 0.25]
    """
    rate, insertions = error_rate(sums), _parts(sums)[3]
    return np.asarray(np.where(np.isnan(rate), insertions > 0, rate), dtype=np.float64)


def match_error_rate(sums: FloatArray) -> FloatArray:
    r"""Match error rate [1]_: the share of aligned places that are wrong, from 0 to 1.

    .. math:: \text{MER} = \frac{S + D + I}{H + S + D + I}

    References
    ----------
    .. [1] Morris, Maier and Green (2004), From WER and RIL to MER and WIL: improved evaluation measures for connected
       speech recognition, ICSLP.

    Examples
    --------
    >>> float(match_error_rate(np.array([6.0, 1, 1, 2])))
    0.4
    """
    hits, substitutions, deletions, insertions = _parts(sums)
    edits = substitutions + deletions + insertions
    return _ratio(edits, hits + edits)


def match_error_rate_of_one(sums: FloatArray) -> FloatArray:
    """Match error rate of single segments: 0 where reference and output are both empty.

    Examples
    --------
    >>> match_error_rate_of_one(np.array([[0.0, 0, 0, 0], [3, 1, 0, 0]])).tolist()
    [0.0, 0.25]
    """
    return np.nan_to_num(match_error_rate(sums), nan=0.0)


def information_lost(sums: FloatArray) -> FloatArray:
    r"""Word information lost [1]_: 1 minus the share of hits in the references times that in the outputs.

    .. math:: \text{WIL} = 1 - \frac{H}{H + S + D} \cdot \frac{H}{H + S + I}

    1 when the outputs have no words; NaN when the references have none.

    References
    ----------
    .. [1] Morris, Maier and Green (2004), From WER and RIL to MER and WIL: improved evaluation measures for connected
       speech recognition, ICSLP.

    Examples
    --------
    >>> float(information_lost(np.array([6.0, 1, 1, 2]))), float(information_lost(np.array([0.0, 0, 4, 0])))
    (0.5, 1.0)
    """
    hits, substitutions, deletions, insertions = _parts(sums)
    produced = hits + substitutions + insertions
    in_outputs = np.where(produced > 0, hits / np.where(produced > 0, produced, 1.0), 0.0)
    return np.asarray(1 - _ratio(hits, hits + substitutions + deletions) * in_outputs)


def information_lost_of_one(sums: FloatArray) -> FloatArray:
    """Word information lost in single segments: without words in the reference 1 where the output has some.

    Examples
    --------
    >>> information_lost_of_one(np.array([[0.0, 0, 0, 3], [0, 0, 0, 0]])).tolist()
    [1.0, 0.0]
    """
    lost, insertions = information_lost(sums), _parts(sums)[3]
    return np.asarray(np.where(np.isnan(lost), insertions > 0, lost), dtype=np.float64)


Part = Literal["f1", "precision", "recall"]
Average = Literal["micro", "macro", "weighted"]


def _split(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    counts = np.asarray(sums, dtype=np.float64)
    n_classes = counts.shape[-1] // 3
    return counts[..., :n_classes], counts[..., n_classes : 2 * n_classes], counts[..., 2 * n_classes :]


def _class_ratio(part: FloatArray, whole: FloatArray, *, otherwise: float = np.nan) -> FloatArray:
    return np.asarray(np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), otherwise))


def _of_class(right: FloatArray, predicted: FloatArray, gold: FloatArray, part: Part) -> FloatArray:
    if part == "precision":
        return _class_ratio(right, predicted)
    if part == "recall":
        return _class_ratio(right, gold)
    return _class_ratio(2 * right, predicted + gold)


def class_accuracy(sums: FloatArray) -> FloatArray:
    """Share of the items whose class was predicted; NaN without items.

    Examples
    --------
    >>> float(class_accuracy(np.array([3.0, 4, 4])))
    0.75
    """
    right, _, gold = _split(sums)
    return _class_ratio(right.sum(axis=-1), gold.sum(axis=-1))


def pooled_classes(sums: FloatArray, *, part: Part) -> FloatArray:
    r"""F1, precision or recall of one class, or of several whose counts are added up (micro average).

    .. math:: F_1 = \frac{2 \sum_c r_c}{\sum_c p_c + \sum_c g_c}, \qquad P = \frac{\sum_c r_c}{\sum_c p_c}, \qquad
              R = \frac{\sum_c r_c}{\sum_c g_c}

    NaN when there is nothing to divide by: precision of a class that is never predicted.

    Examples
    --------
    >>> float(pooled_classes(np.array([2.0, 3, 5]), part="f1")), float(pooled_classes(np.array([0.0, 0, 5]), part="f1"))
    (0.5, 0.0)
    """
    right, predicted, gold = (each.sum(axis=-1) for each in _split(sums))
    return _of_class(right, predicted, gold, part)


def mean_of_classes(
    sums: FloatArray, *, part: Part, average: Average = "macro", is_listed: bool = False
) -> FloatArray:
    r"""Mean over classes of F1, precision or recall: each class alike, or weighted by its gold items.

    .. math:: \text{macro-}F_1 = \frac1{|C|} \sum_{c \in C} \frac{2 r_c}{p_c + g_c}, \qquad C = \{c : p_c + g_c > 0\}

    Parameters
    ----------
    sums : array, shape (…, 3 K)
    part : {"f1", "precision", "recall"}
    average : {"macro", "weighted"}
    is_listed : bool, default False
        Whether all K classes count, those without a gold label and a prediction as 0.

    Examples
    --------
    >>> sums = np.array([2.0, 0, 0, 3, 0, 0, 5, 1, 0])
    >>> float(mean_of_classes(sums, part="f1")), float(mean_of_classes(sums, part="f1", is_listed=True))
    (0.25, 0.16666666666666666)
    """
    right, predicted, gold = _split(sums)
    scores = np.nan_to_num(_of_class(right, predicted, gold, part), nan=0.0)
    if average == "weighted":
        return _class_ratio((scores * gold).sum(axis=-1), gold.sum(axis=-1))
    n_classes = np.full(scores.shape[:-1], float(scores.shape[-1]))
    if not is_listed:
        n_classes = (predicted + gold > 0).sum(axis=-1).astype(np.float64)
    return _class_ratio(scores.sum(axis=-1), n_classes)


def balanced_accuracy(sums: FloatArray) -> FloatArray:
    r"""Mean recall of the classes that the gold labels have.

    .. math:: \frac1{|G|} \sum_{c \in G} \frac{r_c}{g_c}, \qquad G = \{c : g_c > 0\}

    Examples
    --------
    >>> float(balanced_accuracy(np.array([3.0, 1, 5, 1, 4, 2])))
    0.625
    """
    right, _, gold = _split(sums)
    return _class_ratio(
        _class_ratio(right, gold, otherwise=0.0).sum(axis=-1), (gold > 0).sum(axis=-1).astype(np.float64)
    )


def multiclass_matthews(sums: FloatArray) -> FloatArray:
    r"""Matthews' correlation coefficient of K classes [1]_, with n items.

    .. math:: \frac{n \sum_c r_c - \sum_c p_c g_c}{\sqrt{(n^2 - \sum_c p_c^2)(n^2 - \sum_c g_c^2)}}

    0 when all gold labels or all predictions are of one class, as in scikit-learn: a constant carries no information.
    NaN without items.

    References
    ----------
    .. [1] Gorodkin (2004), Comparing two K-category assignments by a K-category correlation coefficient,
       Computational Biology and Chemistry 28.

    Examples
    --------
    >>> round(float(multiclass_matthews(np.array([3.0, 4, 4, 6, 5, 5]))), 4)
    0.4082
    """
    right, predicted, gold = _split(sums)
    n = gold.sum(axis=-1)
    covariance = n * right.sum(axis=-1) - (predicted * gold).sum(axis=-1)
    spread = (n**2 - (predicted**2).sum(axis=-1)) * (n**2 - (gold**2).sum(axis=-1))
    value = covariance / np.sqrt(np.where(spread > 0, spread, 1.0))
    return np.asarray(np.where(spread > 0, value, np.where(n > 0, 0.0, np.nan)))


def cohen_kappa(sums: FloatArray) -> FloatArray:
    r"""Cohen's kappa of gold labels and predictions: agreement beyond that of independent labels.

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}, \qquad p_o = \frac1n \sum_c r_c, \qquad
              p_e = \frac1{n^2} \sum_c p_c g_c

    NaN when both are one and the same class throughout.

    References
    ----------
    .. [1] Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20.

    Examples
    --------
    >>> round(float(cohen_kappa(np.array([3.0, 4, 4, 6, 5, 5]))), 4)
    0.4
    """
    right, predicted, gold = _split(sums)
    n = gold.sum(axis=-1)
    by_chance = (predicted * gold).sum(axis=-1)
    return _class_ratio(n * right.sum(axis=-1) - by_chance, n**2 - by_chance)


def all_right(counts: FloatArray) -> FloatArray:
    """Score of single items: 1 where gold label and prediction agree about all of these classes, otherwise 0.

    Examples
    --------
    >>> all_right(np.array([[1.0, 1, 1], [0, 1, 0], [0, 0, 0]])).tolist()
    [1.0, 0.0, 1.0]
    """
    right, predicted, gold = _split(counts)
    return np.asarray(((right == predicted) & (right == gold)).all(axis=-1), dtype=np.float64)


CLASS_FORMULAS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "accuracy": class_accuracy,
    "balanced-accuracy": balanced_accuracy,
    "kappa": cohen_kappa,
    "mcc": multiclass_matthews,
    **{part: partial(pooled_classes, part=part) for part in ("f1", "precision", "recall")},
}
"""Formulas by the name of the metric; means over classes take options."""


CELLS_AT_ONCE = 1 << 24  # of tables of 2 bytes: 32 MB


class Sentences(NamedTuple):
    """Sentences of texts one after the other; `text` is the number of the text that each belongs to, not decreasing."""

    words: SymbolSequences
    text: IntArray


def union_hits(outputs: Sentences, references: Sentences, n_texts: int) -> IntArray:
    r"""Count the words of references that are in the union of their longest common subsequences with the outputs.

    For each sentence of a reference, the words are marked that a longest common subsequence with any sentence of the
    output has. Of the marked words of a text, no word counts more often than the output has it [1]_:

    .. math:: \sum_w \min(\text{marked}(w), \text{in the output}(w))

    Of several longest subsequences the one is taken that is found from the end, going back in the reference where that
    and going back in the output would do.

    Parameters
    ----------
    outputs, references : Sentences
        Symbols are whole numbers from 0, the same word by the same number.
    n_texts : int

    Returns
    -------
    ndarray of int, shape (n_texts,)

    References
    ----------
    .. [1] Lin (2004), ROUGE: a package for automatic evaluation of summaries; section 3.2, and the script 1.5.5 for
       words that occur repeatedly.

    Examples
    --------
    The reference "w1 w2 w3 w4 w5"; the output has the sentences "w1 w2 w6 w7 w8" and "w1 w3 w8 w9 w5":

    >>> reference = Sentences(SymbolSequences.of(np.arange(1, 6), [5]), np.array([0]))
    >>> output = Sentences(SymbolSequences.of(np.array([1, 2, 6, 7, 8, 1, 3, 8, 9, 5]), [5, 5]), np.array([0, 0]))
    >>> union_hits(output, reference, 1)
    array([4])
    """
    is_marked = np.zeros(len(references.words.symbols), dtype=np.bool_)
    ours, theirs = _pairs(outputs.text, references.text, n_texts)
    order = np.lexsort((outputs.words.lengths[ours], references.words.lengths[theirs]))
    start = 0
    while start < order.size:
        # Sorted by length, so that the first of a batch is not much shorter than the last.
        rest = order[start:]
        width = int(outputs.words.lengths[ours[rest]].max()) + 1
        cells = (references.words.lengths[theirs[rest]] + 1) * width * np.arange(1, rest.size + 1)
        size = max(int(np.searchsorted(cells, CELLS_AT_ONCE, side="right")), 1)
        batch = rest[:size]
        _mark(is_marked, outputs.words, ours[batch], references.words, theirs[batch])
        start += size
    return _clipped(is_marked, outputs, references, n_texts)


def _pairs(ours: IntArray, theirs: IntArray, n_texts: int) -> tuple[IntArray, IntArray]:
    """Return every pair of an output's and a reference's sentence of the same text, by their numbers."""
    n_ours, n_theirs = np.bincount(ours, minlength=n_texts), np.bincount(theirs, minlength=n_texts)
    n_pairs = n_ours * n_theirs
    text = np.repeat(np.arange(n_texts), n_pairs)
    within = np.arange(text.size) - np.repeat(np.cumsum(n_pairs) - n_pairs, n_pairs)
    first_ours, first_theirs = np.cumsum(n_ours) - n_ours, np.cumsum(n_theirs) - n_theirs
    divisor = np.maximum(n_theirs, 1)[text]
    return first_ours[text] + within // divisor, first_theirs[text] + within % divisor


def _mark(
    is_marked: BoolArray,
    outputs: SymbolSequences,
    ours: IntArray,
    references: SymbolSequences,
    theirs: IntArray,
) -> None:
    """Mark the words of a longest common subsequence of each pair of sentences."""
    output, output_lengths = _filled(outputs, ours, -1)
    reference, reference_lengths = _filled(references, theirs, -2)
    table = np.zeros((reference.shape[1] + 1, len(ours), output.shape[1] + 1), dtype=np.int16)
    for word in range(reference.shape[1]):
        same = output == reference[:, word, None]
        longest = np.maximum(table[word, :, 1:], table[word, :, :-1] + same)
        np.maximum.accumulate(longest, axis=1, out=table[word + 1, :, 1:])
    row, column = reference_lengths.copy(), output_lengths.copy()
    going = np.flatnonzero((row > 0) & (column > 0))
    while going.size:
        i, j = row[going], column[going]
        is_common = reference[going, i - 1] == output[going, j - 1]
        is_left = ~is_common & (table[i, going, j - 1] > table[i - 1, going, j])
        is_marked[references.offsets[theirs[going[is_common]]] + i[is_common] - 1] = True
        row[going] -= ~is_left
        column[going] -= is_common | is_left
        going = going[(row[going] > 0) & (column[going] > 0)]


def _filled(sequences: SymbolSequences, place: IntArray, filling: int) -> tuple[IntArray, IntArray]:
    lengths = sequences.lengths[place]
    rows = np.full((len(place), int(lengths.max(initial=0))), filling, dtype=np.int64)
    is_there = np.arange(rows.shape[1]) < lengths[:, None]
    begins = np.repeat(sequences.offsets[place] - (np.cumsum(lengths) - lengths), lengths)
    rows[is_there] = sequences.symbols[np.arange(int(lengths.sum())) + begins]
    return rows, lengths


def _clipped(is_marked: BoolArray, outputs: Sentences, references: Sentences, n_texts: int) -> IntArray:
    """Sum over words of the marked ones, of each no more than the output of the text has."""
    n_words = 1 + max(int(outputs.words.symbols.max(initial=0)), int(references.words.symbols.max(initial=0)))
    text_of_word = np.repeat(references.text, references.words.lengths)
    marked, times = np.unique(
        (text_of_word * n_words + references.words.symbols)[is_marked], return_counts=True
    )
    present, known = np.unique(
        np.repeat(outputs.text, outputs.words.lengths) * n_words + outputs.words.symbols, return_counts=True
    )
    place = np.searchsorted(present, marked)  # what is marked is in the output
    hits = np.bincount(marked // n_words, weights=np.minimum(times, known[place]), minlength=n_texts)
    return hits.astype(np.int64)
