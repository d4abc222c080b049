from __future__ import annotations

import math
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from tests.strategies import tags as tag_tables

from betterthan.kernels.tags import spans
from betterthan.kernels.tags.spans import COLUMNS, span_counts, span_starts


def tagged(words):
    """True where B."""
    return np.array([word == "B" for word in words])


def runs(tags):
    """Spans as (is bad, first, behind the last), by itertools."""
    found, at = [], 0
    for is_bad, members in groupby(tags.tolist()):
        length = len(list(members))
        found.append((is_bad, at, at + length))
        at += length
    return found


def literal(gold, tags):
    """Credit and number of the spans of both sides and classes, span by span."""
    eight = []
    for wanted in (True, False):
        for side in (gold, tags):
            mine = [(start, stop) for is_bad, start, stop in runs(side) if is_bad == wanted]
            credit = sum(float(np.mean(gold[start:stop] == tags[start:stop])) for start, stop in mine)
            eight += [credit, len(mine)]
    return eight


@given(tag_tables())
def test_counts_are_those_of_a_loop_over_spans(table):
    """Spans end with their segment."""
    found = span_counts(table.gold, table.predicted, table.offsets)
    assert found.shape[2] == len(COLUMNS)
    for i, tags in enumerate(table.predicted):
        for j, (start, stop) in enumerate(zip(table.offsets[:-1], table.offsets[1:], strict=True)):
            np.testing.assert_allclose(found[i, j], literal(table.gold[start:stop], tags[start:stop]))


def test_the_phrase_of_the_paper():
    """Section 2.1: a BAD phrase of four words whose first was tagged OK has three quarters of the credit."""
    gold, tags = tagged("OBBBBO"), tagged("OOBBBO")
    sums = span_counts(gold, tags[None], np.array([0, 6]))[0, 0]
    by_name = dict(zip(COLUMNS, sums, strict=True))
    assert by_name["BAD: gold credit"] == 0.75
    assert by_name["BAD: predicted credit"] == 1  # all that was tagged BAD is BAD
    assert by_name["OK: gold credit"] == 2
    assert by_name["OK: predicted credit"] == 1.5  # the first OK span of two words has one BAD word
    recall, precision = 0.75, 1.0
    assert float(spans.phrase_f1_bad(sums)) == pytest.approx(2 * precision * recall / (precision + recall))
    assert float(spans.phrase_f1_ok(sums)) == pytest.approx(2 * 1 * 0.75 / 1.75)
    assert float(spans.phrase_f1_mult(sums)) == pytest.approx((1.5 / 1.75) ** 2)


def test_one_span_over_three():
    """E34: all BAD over three BAD spans. The literal precision is 3; bounded it is the share of BAD words."""
    gold, tags = tagged("BOBOB"), tagged("BBBBB")
    sums = span_counts(gold, tags[None], np.array([0, 5]))[0, 0]
    assert sums[0] / sums[3] == 3  # credit of gold spans over predicted spans
    assert float(spans.phrase_f1_bad_as_published(sums)) == 1
    assert float(spans.phrase_f1_bad(sums)) == pytest.approx(2 * 0.6 / 1.6)
    for mult in (spans.phrase_f1_mult, spans.phrase_f1_mult_as_published):
        assert float(mult(sums)) == 0


@given(tag_tables())
def test_scores_lie_between_zero_and_one_and_a_perfect_system_has_one(table):
    """Both readings; NaN only where a class is nowhere."""
    counts = span_counts(table.gold, np.vstack([table.predicted, table.gold]), table.offsets).sum(axis=1)
    for name in ("phrase_f1_bad", "phrase_f1_ok", "phrase_f1_mult"):
        for reading in ("", "_as_published"):
            values = getattr(spans, name + reading)(counts)
            known = values[~np.isnan(values)]
            assert (known >= 0).all()
            assert (known <= 1).all()
            assert math.isnan(values[-1]) or values[-1] == pytest.approx(1)


@given(tag_tables())
def test_swapping_gold_and_tags_keeps_the_bounded_score(table):
    """Precision and recall change places; the literal reading has no such symmetry."""
    one = span_counts(table.gold, table.predicted[:1], table.offsets).sum(axis=1)
    other = span_counts(table.predicted[0], table.gold[None], table.offsets).sum(axis=1)
    np.testing.assert_allclose(spans.phrase_f1_bad(one), spans.phrase_f1_bad(other), rtol=1e-12)


def test_no_literal_symmetry():
    """One span over two is worth more than two over one, by the words of the paper."""
    gold, tags = tagged("BOB"), tagged("BBB")
    one = span_counts(gold, tags[None], np.array([0, 3])).sum(axis=1)
    other = span_counts(tags, gold[None], np.array([0, 3])).sum(axis=1)
    assert float(spans.phrase_f1_bad_as_published(one)[0]) == 1
    assert float(spans.phrase_f1_bad_as_published(other)[0]) < 0.5


@pytest.mark.parametrize(
    ("gold", "tags", "bad", "ok"),
    [
        ("OO", "OO", math.nan, 1.0),
        ("BB", "OO", 0.0, 0.0),
        ("OO", "BB", 0.0, 0.0),
        ("BO", "OB", 0.0, 0.0),
        ("", "", math.nan, math.nan),
    ],
)
def test_what_is_undefined_and_what_is_nothing(gold, tags, bad, ok):
    """A class that is nowhere has no score; a class on one side only scores 0."""
    sums = span_counts(tagged(gold), tagged(tags)[None], np.array([0, len(gold)])).sum(axis=1)[0]
    for reading in ("", "_as_published"):
        np.testing.assert_equal(float(getattr(spans, "phrase_f1_bad" + reading)(sums)), bad)
        np.testing.assert_equal(float(getattr(spans, "phrase_f1_ok" + reading)(sums)), ok)


def test_starts_know_empty_segments():
    """A span begins with its segment, even when the tag goes on."""
    assert span_starts(tagged("BBBO"), np.array([0, 0, 2, 2, 4, 4])).tolist() == [0, 2, 3]
