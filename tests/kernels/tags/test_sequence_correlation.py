from __future__ import annotations

import math
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import tags as tag_tables

from betterthan.kernels.tags.sequence_correlation import sequence_correlation, sequence_correlation_counts


def spans_of(tags, wanted):
    """First word and the word behind the last, of the spans of a class."""
    found, at = [], 0
    for is_bad, members in groupby(tags.tolist()):
        length = len(list(members))
        if is_bad == wanted:
            found.append((at, at + length))
        at += length
    return found


def matched(gold, tags, wanted):
    """Table of overlaps; take the largest, strike its row and column, until nothing is left."""
    rows, columns = spans_of(gold, wanted), spans_of(tags, wanted)
    table = np.array([[max(0, min(b, d) - max(a, c)) for c, d in columns] for a, b in rows])
    total = 0
    while table.any():
        row, column = np.unravel_index(table.argmax(), table.shape)
        total += int(table[row, column])
        table[row, :] = 0
        table[:, column] = 0
    return total


def literal(gold, tags):
    """One sentence, by the words of E36."""
    n = gold.size
    value = 0.0
    for wanted in (True, False):
        size = int(np.count_nonzero(gold == wanted))
        if size:
            value += n / (2 * size) * matched(gold, tags, wanted)
    ours, theirs = (sum(len(spans_of(side, wanted)) for wanted in (True, False)) for side in (gold, tags))
    return value * min(ours, theirs) / max(ours, theirs) / n


@given(tag_tables())
def test_each_sentence_is_scored_as_by_the_literal_program(table):
    """Short sentences of any kind."""
    found = sequence_correlation_counts(table.gold, table.predicted, table.offsets)
    for i, tags in enumerate(table.predicted):
        for j, (start, stop) in enumerate(zip(table.offsets[:-1], table.offsets[1:], strict=True)):
            assert found[i, j, 0] == pytest.approx(literal(table.gold[start:stop], tags[start:stop]))
            assert found[i, j, 1] == 1


@given(st.integers(0, 10_000), st.floats(0.1, 0.9))
def test_long_sentences_with_many_competing_spans(seed, share):
    """Equal overlaps compete in chains; the leftmost goes first, as in a row-by-row search for the largest."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 60, 6)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    gold, tags = rng.random((2, offsets[-1])) < share
    found = sequence_correlation_counts(gold, tags[None], offsets)[0, :, 0]
    expected = [literal(gold[a:b], tags[a:b]) for a, b in pairwise(offsets)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_spans_in_the_tests_of_the_program_of_wmt15():
    """Published in marmot's own tests: 4 matched OK words and 1 BAD word. The rest by hand."""
    gold = np.array([1, 1, 0, 1, 0, 1, 1, 1, 0, 0]) == 0
    tags = np.array([0, 1, 1, 1, 0, 1, 1, 1, 1, 1]) == 0
    found = sequence_correlation_counts(gold, tags[None], np.array([0, 10]))[0, 0, 0]
    # 6 gold OK words, 4 gold BAD words; 6 gold spans, 4 predicted.
    assert found == pytest.approx((4 * 10 / 12 + 1 * 10 / 8) * (4 / 6) / 10)
    assert found == pytest.approx(11 / 36)


@pytest.mark.parametrize(
    ("gold", "tags", "expected"),
    [
        ("OOBB", "OOBB", 1.0),
        ("OOBB", "BBOO", 0.0),
        ("OOBB", "OOOO", 0.5 * 0.5),  # all OK words, half of the weight, one span of two
        ("OOOO", "OOOO", 0.5),  # perfect, but only one class has weight
        ("OOOO", "BBBB", 0.0),
        ("BOB", "BBB", 0.5 * 0.5 / 3),  # one BAD span matches one of two: 1 of 2 words, 1 of 3 spans
    ],
)
def test_by_hand(gold, tags, expected):
    """Sentences of a few words."""
    sides = [np.array([word == "B" for word in side]) for side in (gold, tags)]
    found = sequence_correlation_counts(sides[0], sides[1][None], np.array([0, len(gold)]))
    assert found[0, 0, 0] == pytest.approx(expected)


@given(tag_tables())
def test_values_lie_between_zero_and_one(table):
    """A perfect tagging has 1, or 1/2 in a sentence of one class."""
    predicted = np.vstack([table.predicted, table.gold])
    found = sequence_correlation_counts(table.gold, predicted, table.offsets)[:, :, 0]
    assert (found >= 0).all()
    assert (found <= 1 + 1e-12).all()
    for j, (start, stop) in enumerate(zip(table.offsets[:-1], table.offsets[1:], strict=True)):
        both = 0 < np.count_nonzero(table.gold[start:stop]) < stop - start
        assert found[-1, j] == pytest.approx(1 if both else 0.5)


def test_empty_sentences_are_none():
    """They are neither in the sum nor in the number."""
    gold = np.array([True, False])
    found = sequence_correlation_counts(gold, gold[None], np.array([0, 0, 2, 2]))
    assert found[0].tolist() == [[0, 0], [1, 1], [0, 0]]
    assert float(sequence_correlation(found.sum(axis=1))[0]) == 1
    assert math.isnan(float(sequence_correlation(np.zeros(2))))
    nothing = sequence_correlation_counts(gold[:0], gold[None, :0], np.array([0, 0]))
    assert nothing.tolist() == [[[0, 0]]]
