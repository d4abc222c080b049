from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import tags as tag_tables

from betterthan.kernels.tags import confusion
from betterthan.kernels.tags.confusion import confusion_counts

MEASURES = {
    name: getattr(confusion, name)
    for name in (
        *("precision_bad", "recall_bad", "precision_ok", "recall_ok"),
        *("f1_bad", "f1_ok", "f1_mult", "f1_weighted", "matthews", "accuracy"),
    )
}
# Under a swap of the classes each becomes another one, or itself.
MIRRORED = {
    "precision_bad": "precision_ok",
    "recall_bad": "recall_ok",
    "f1_bad": "f1_ok",
    **{name: name for name in ("f1_mult", "f1_weighted", "matthews", "accuracy")},
}
whole = st.lists(st.integers(0, 9), min_size=4, max_size=4).map(lambda four: np.array(four, dtype=float))


def literal(gold, tags):
    """The four outcomes, word by word."""
    pairs = list(zip(gold, tags, strict=True))
    return [sum(pair == one for pair in pairs) for one in ((1, 1), (0, 1), (1, 0), (0, 0))]


@given(tag_tables())
def test_counts_are_those_of_a_loop_over_words(table):
    """Segment by segment."""
    found = confusion_counts(table.gold, table.predicted, table.offsets)
    for i, tags in enumerate(table.predicted):
        for j, (start, stop) in enumerate(zip(table.offsets[:-1], table.offsets[1:], strict=True)):
            assert found[i, j].tolist() == literal(table.gold[start:stop], tags[start:stop])


def test_empty_segments_count_nothing():
    """At the beginning, in the middle, two at once, and at the end."""
    gold = np.array([True, False, True])
    found = confusion_counts(gold, gold[None], np.array([0, 0, 1, 1, 1, 3, 3]))
    assert found[0].sum(axis=1).tolist() == [0, 1, 0, 0, 2, 0]
    assert confusion_counts(gold[:0], gold[None, :0], np.array([0, 0])).tolist() == [[[0, 0, 0, 0]]]


@given(st.integers(0, 10_000), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_every_score_is_scikit_learns(seed, share, flagged):
    """Where both are defined, to rounding."""
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    gold, tags = rng.random(60) < share, rng.random(60) < flagged
    if gold.all() or not gold.any() or tags.all() or not tags.any():
        return
    sums = confusion_counts(gold, tags[None], np.array([0, 20, 60])).sum(axis=1)[0]
    expected = {
        "precision_bad": sklearn.precision_score(gold, tags),
        "recall_bad": sklearn.recall_score(gold, tags),
        "precision_ok": sklearn.precision_score(gold, tags, pos_label=False),
        "recall_ok": sklearn.recall_score(gold, tags, pos_label=False),
        "f1_bad": sklearn.f1_score(gold, tags),
        "f1_ok": sklearn.f1_score(gold, tags, pos_label=False),
        "f1_mult": sklearn.f1_score(gold, tags) * sklearn.f1_score(gold, tags, pos_label=False),
        "f1_weighted": sklearn.f1_score(gold, tags, average="weighted"),
        "matthews": sklearn.matthews_corrcoef(gold, tags),
        "accuracy": sklearn.accuracy_score(gold, tags),
    }
    for name, value in expected.items():
        assert float(MEASURES[name](sums)) == pytest.approx(value, abs=1e-12), name


def test_a_worked_example():
    """By hand: tp 3, fp 1, fn 2, tn 4."""
    sums = np.array([3.0, 1, 2, 4])
    by_hand = {
        "precision_bad": 3 / 4,
        "recall_bad": 3 / 5,
        "precision_ok": 4 / 6,
        "recall_ok": 4 / 5,
        "f1_bad": 6 / 9,
        "f1_ok": 8 / 11,
        "f1_mult": 48 / 99,
        "f1_weighted": (5 * 6 / 9 + 5 * 8 / 11) / 10,
        "matthews": (12 - 2) / math.sqrt(4 * 5 * 5 * 6),
        "accuracy": 7 / 10,
    }
    assert set(by_hand) == set(MEASURES)
    for name, value in by_hand.items():
        assert float(MEASURES[name](sums)) == pytest.approx(value, rel=1e-14), name


@given(whole)
def test_swapping_the_classes_mirrors_every_score(sums):
    """What was tp is tn, what was fp is fn."""
    for one, other in MIRRORED.items():
        np.testing.assert_allclose(MEASURES[one](sums), MEASURES[other](sums[[3, 2, 1, 0]]), rtol=1e-12)


@given(whole)
def test_f1_mult_is_never_above_its_parts(sums):
    """Both lie in [0, 1]; NaN goes through."""
    bad, ok, both = (float(MEASURES[name](sums)) for name in ("f1_bad", "f1_ok", "f1_mult"))
    if math.isnan(bad) or math.isnan(ok):
        assert math.isnan(both)
    else:
        assert both <= min(bad, ok)


@given(whole)
def test_the_coefficient_of_inverted_tags_is_negated(sums):
    """Tagging the opposite turns tp into fn, fp into tn."""
    assert float(MEASURES["matthews"](sums[[2, 3, 0, 1]])) == pytest.approx(
        -float(MEASURES["matthews"](sums)), nan_ok=True
    )


@pytest.mark.parametrize(
    ("sums", "undefined"),
    [
        ((0, 0, 3, 5), {"precision_bad"}),  # nothing tagged BAD
        ((3, 5, 0, 0), {"precision_ok"}),  # everything tagged BAD
        ((0, 0, 0, 5), {"precision_bad", "recall_bad", "f1_bad", "f1_mult"}),  # no BAD anywhere
        ((5, 0, 0, 0), {"precision_ok", "recall_ok", "f1_ok", "f1_mult"}),  # no OK anywhere
        ((0, 0, 0, 0), set(MEASURES)),  # no word
    ],
)
def test_what_is_undefined_is_nan_and_nothing_else_is(sums, undefined):
    """Zero over zero, never taken for 0; the coefficient of a constant is 0 by convention."""
    values = {name: float(function(np.array(sums, dtype=float))) for name, function in MEASURES.items()}
    assert {name for name, value in values.items() if math.isnan(value)} == undefined
    if any(sums):
        assert values["matthews"] == 0


def test_many_sums_at_once():
    """Leading axes are kept."""
    sums = np.random.default_rng(0).integers(0, 9, (3, 5, 4)).astype(float)
    for function in MEASURES.values():
        one_by_one = [[float(function(four)) for four in row] for row in sums]
        np.testing.assert_array_equal(function(sums), one_by_one)
