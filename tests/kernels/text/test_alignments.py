"""Edits and common subsequences against tables written out cell by cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.everyday import examples

from betterthan.budget import limit_memory
from betterthan.errors import OverBudget
from betterthan.kernels.text.alignments import common_lengths, edit_counts
from betterthan.kernels.text.ngrams import SymbolSequences


def sequences(lists):
    """Lists of symbols one after the other."""
    return SymbolSequences.of(
        np.array([x for each in lists for x in each], dtype=np.int64), list(map(len, lists))
    )


def distances(reference, output):
    """The table of edit distances, reference by output."""
    table = np.zeros((len(reference) + 1, len(output) + 1), dtype=int)
    table[:, 0], table[0] = range(len(reference) + 1), range(len(output) + 1)
    for i, symbol in enumerate(reference, 1):
        for j, other in enumerate(output, 1):
            table[i, j] = min(
                table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (symbol != other)
            )
    return table


def edits(reference, output):
    """Hits, substitutions, deletions and insertions, traced back with the stated preferences."""
    hits = 0
    while reference and output and reference[0] == output[0]:
        reference, output, hits = reference[1:], output[1:], hits + 1
    while reference and output and reference[-1] == output[-1]:
        reference, output, hits = reference[:-1], output[:-1], hits + 1
    table = distances(reference, output)
    i, j, substitutions, deletions, insertions = len(reference), len(output), 0, 0, 0
    while i and j:
        if table[i, j] == table[i - 1, j] + 1:
            i, deletions = i - 1, deletions + 1
        elif j > 1 and table[i, j - 1] == table[i - 1, j - 1] - 1:
            j, insertions = j - 1, insertions + 1
        else:
            i, j = i - 1, j - 1
            hits, substitutions = (
                (hits + 1, substitutions) if reference[i] == output[j] else (hits, substitutions + 1)
            )
    return [hits, substitutions, deletions + i, insertions + j]


def common(reference, output):
    """Length of the longest common subsequence."""
    table = np.zeros((len(reference) + 1, len(output) + 1), dtype=int)
    for i, symbol in enumerate(reference, 1):
        for j, other in enumerate(output, 1):
            same = table[i - 1, j - 1] + 1
            table[i, j] = same if symbol == other else max(table[i - 1, j], table[i, j - 1])
    return table[-1, -1]


symbols = st.lists(st.integers(0, 3), max_size=9)


@settings(max_examples=examples(200))
@given(st.lists(st.tuples(symbols, symbols), min_size=1, max_size=6))
def test_short_sequences(pairs):
    """Of few symbols, so that many alignments have the fewest edits."""
    references, outputs = zip(*pairs, strict=True)
    assert edit_counts(sequences(outputs), sequences(references)).tolist() == [
        edits(list(a), list(b)) for a, b in pairs
    ]
    assert common_lengths(sequences(outputs), sequences(references)).tolist() == [
        common(a, b) for a, b in pairs
    ]


@pytest.mark.parametrize("lengths", [(63, 64), (64, 65), (65, 200), (128, 129), (0, 70), (70, 0)])
def test_sequences_longer_than_a_machine_word(lengths):
    """Carries between the words of 64 bits, for pairs of different length in one call."""
    rng = np.random.default_rng(sum(lengths))
    pairs = [
        (rng.integers(0, k, lengths[0]).tolist(), rng.integers(0, k, lengths[1]).tolist())
        for k in (1, 2, 3, 9, 200)
    ]
    pairs += [(a, [*a[: len(a) // 2], 7, *a[len(a) // 2 + 1 :]]) for a, _ in pairs]
    references, outputs = zip(*pairs, strict=True)
    assert edit_counts(sequences(outputs), sequences(references)).tolist() == [edits(a, b) for a, b in pairs]
    assert common_lengths(sequences(outputs), sequences(references)).tolist() == [
        common(a, b) for a, b in pairs
    ]


def test_a_text_that_is_too_long_is_refused_before_memory_is_used():
    """The tables of two texts of a million words would need 250 GB."""
    one = sequences([np.arange(300_000).tolist()])
    other = sequences([(np.arange(300_000) + 300_000).tolist()])
    limit_memory(1 << 30)
    try:
        with pytest.raises(OverBudget, match="alignment of the longest text"):
            edit_counts(one, other)
    finally:
        limit_memory(None)
