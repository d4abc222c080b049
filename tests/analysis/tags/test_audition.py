"""Measures of word tags put to the test."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.made_tags import drawn_tags

import betterthan as bt
from betterthan.analysis.tags.audition import halves

FAST = {"n_resamples": 999}


def literal_shares(counts, alpha, middle):
    """The distinction coefficient of all and of the halves: p-values pair by pair, counted in a loop."""
    pairs = bt.compare(counts, correction="none", n_resamples=999)
    order = pairs.systems
    m = len(order)
    top = order[: (m + 1) // 2] if middle == "both" else order[: m // 2]
    bottom = order[-((m + 1) // 2) :] if middle == "both" else order[-(m // 2) :]
    shares = []
    for members in (order, top, bottom):
        family = list(itertools.combinations(members, 2))
        told = sum(pairs.pair(a, b).pvalue * len(family) <= alpha for a, b in family)
        shares.append(told / len(family) if family else math.nan)
    return shares


@pytest.mark.parametrize("middle", ["both", "neither"])
@pytest.mark.parametrize("m", [4, 5])
def test_the_shares_are_counted_with_the_correction_of_their_own_pairs(m, middle):
    """E37: the middle of five is in both halves, or in neither."""
    tags = drawn_tags(m, 50, seed=1)
    found = bt.audition(tags, by=["f1_mult", "mcc"], middle=middle, correction="bonferroni", **FAST)
    for i, name in enumerate(("f1_mult", "mcc")):
        expected = literal_shares(bt.tag_counts(tags, by=name), 0.05, middle)
        np.testing.assert_allclose([found.d[i], found.d_top[i], found.d_bottom[i]], expected)


def test_seventeen_systems_do_not_halve():
    """Nine and nine with the ninth in both, or eight and eight."""
    assert [len(range(17)[half]) for half in halves(17)] == [9, 9]
    assert [len(range(17)[half]) for half in halves(17, "neither")] == [8, 8]
    assert [list(range(4)[half]) for half in halves(4)] == [[0, 1], [2, 3]]


def test_counted_systems_are_those_with_a_lower_score():
    """A loop over scores."""
    tags = drawn_tags(4, 60, share=0.5, seed=2)
    found = bt.audition(tags, **FAST)
    assert found.measures == (
        "f1_bad",
        "f1_mult",
        "phrase_f1_bad",
        "phrase_f1_mult",
        "mcc",
        "sequence_correlation",
    )
    for row, values, total, gamed in zip(found.below, found.value, found.total, found.gamed, strict=True):
        mine, theirs = values[:4], values[4:]
        assert row.tolist() == [sum(one < score for one in mine) for score in theirs]
        assert total == row.sum()
        assert gamed == total / 20


def test_a_measure_that_can_be_gamed_is_named():
    """Half of the words are BAD: tagging all of them has an F1-BAD of two thirds."""
    tags = drawn_tags(3, 60, share=0.5, seed=2)
    found = bt.audition(tags, by=["f1_bad", "f1_mult"], **FAST)
    mine = found.value[0, :3]
    assert found.below[0, 0] == sum(mine < found.value[0, 3]) == 2
    assert found.below[1].tolist()[:2] == [0, 0]
    assert "By f1_bad all-bad outscores 2 of 3 systems." in found.sentences
    assert "By F1-BAD all-bad outscores 2 of 3" in str(found)


def test_a_measure_of_the_users_own():
    """A formula on the four counts, and a function from tags to scores of segments; both as by name."""
    tags = drawn_tags(4, 40, seed=3)
    formula = bt.Formula(name="mine", pooled=lambda sums: (sums[..., 0] + sums[..., 3]) / sums.sum(axis=-1))

    def share_right(table):
        right = np.add.reduceat(table.predicted == table.gold, table.offsets[:-1], axis=1, dtype=float)
        return bt.Scores(
            name="right",
            systems=table.systems,
            segments=table.segments,
            values=right / np.diff(table.offsets),
        )

    found = bt.audition(tags, by=["accuracy", formula, share_right], **FAST)
    assert found.measures == ("accuracy", "mine", "right")
    assert found.value[0].tolist() == found.value[1].tolist()
    assert found.d[0] == found.d[1]
    shown = bt.with_synthetic(tags)
    np.testing.assert_allclose(found.value[2], share_right(shown).values.mean(axis=1))
    named = bt.audition(tags, by={"right words": "accuracy", "again": formula}, **FAST)
    assert named.measures == ("right words", "again")


def test_a_measure_where_less_is_better_is_turned_round():
    """Share of wrong words: what outscores is what is lower, and the values stay as they are."""

    def wrong(table):
        counts = bt.tag_counts(table, by="accuracy")
        formula = bt.Formula(
            name="wrong", pooled=lambda sums: 1 - (sums[..., 0] + sums[..., 3]) / sums.sum(axis=-1)
        )
        return replace(counts, name="wrong", formula=formula, higher_is_better=False)

    found = bt.audition(drawn_tags(4, 40, seed=4), by=["accuracy", wrong], **FAST)
    assert found.below[0].tolist() == found.below[1].tolist()
    np.testing.assert_allclose(found.value[0], 1 - found.value[1])
    assert (found.d[0], found.d_top[0], found.n_groups[0]) == (found.d[1], found.d_top[1], found.n_groups[1])


def test_an_undefined_score_outscores_nobody_and_is_no_zero():
    """All OK has no precision of BAD: NaN, left out of the sum and of the share."""
    found = bt.audition(drawn_tags(), by=["precision_bad"], **FAST)
    assert math.isnan(found.below[0, found.synthetic.index("all-good")])
    assert found.gamed[0] == found.total[0] / (4 * 4)
    assert json.loads(found.to_json())["below"][0][1] is None


def test_reordering_systems_and_the_number_of_workers_change_nothing():
    """Scores are by name; the tests share their swaps."""
    tags = drawn_tags(4, 30, seed=5)
    turned = replace(tags, systems=tags.systems[::-1], predicted=tags.predicted[::-1])
    one, other = bt.audition(tags, **FAST), bt.audition(turned, workers=2, **FAST)
    np.testing.assert_array_equal(one.below, other.below)
    np.testing.assert_array_equal(one.d, other.d)
    np.testing.assert_array_equal(one.n_groups, other.n_groups)


def test_the_result_survives_json_and_every_format():
    """One row a measure."""
    found = bt.audition(drawn_tags(2), by=["f1_mult", "mcc"], **FAST)
    assert bt.Result.from_dict(json.loads(found.to_json())) == found
    assert repr(found) == "Audition(2 measures on 2 systems)"
    for format_ in ("table", "markdown", "latex", "csv", "html"):
        assert "all-bad" in bt.render(found, format_)
    assert math.isnan(bt.audition(drawn_tags(3), by=["mcc"], middle="neither", **FAST).d_top[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "mcc"}, "by must be a list"),
        ({"by": ["mcc", "mcc"]}, "Two measures have the same name"),
        ({"by": [lambda tags: tags]}, "must return Counts or Scores of all systems"),
        ({"middle": "left"}, 'Unknown middle "left"'),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    """With what to do instead."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.audition(drawn_tags(), **options)


def test_one_system_cannot_be_told_apart():
    """From whom?"""
    with pytest.raises(bt.TableError, match="an audition needs two or more"):
        bt.audition(drawn_tags(1))


def test_tags_without_words_are_refused():
    """Nothing can be scored."""
    nothing = np.empty((2, 0), dtype=bool)
    empty = bt.WordTags(
        systems=["A", "B"], segments=["1"], gold=nothing[0], predicted=nothing, offsets=[0, 0]
    )
    with pytest.raises(bt.TableError, match="There are no words"):
        bt.audition(empty)
