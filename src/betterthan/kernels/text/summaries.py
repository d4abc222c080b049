"""Words that outputs and references share in order, sentence by sentence: the counts of ROUGE-Lsum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, IntArray
from betterthan.kernels.text.ngrams import SymbolSequences

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
