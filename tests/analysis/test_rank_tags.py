"""Systems that tag words, by several measures side by side."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.made_tags import drawn_tags

import betterthan as bt

FAST = {"n_resamples": 199}


def test_the_first_measure_orders_and_the_others_stand_beside():
    """Values are those of the counts."""
    tags = drawn_tags()
    found = bt.rank_tags(tags, by=["mcc", "f1_mult"], **FAST)
    shown = bt.with_synthetic(tags)
    for k, name in enumerate(("mcc", "f1_mult")):
        expected = dict(zip(shown.systems, bt.tag_counts(shown, by=name).pooled().tolist(), strict=True))
        assert found.value[:, k].tolist() == [expected[system] for system in found.systems]
    assert (np.diff(found.value[:, 0]) <= 1e-12).all()
    assert found.is_synthetic.sum() == 5


def test_groups_and_letters_are_those_of_the_corrected_tests():
    """Bonferroni over pairs of real systems; synthetic ones are not tested."""
    tags = drawn_tags(5, 60, seed=1)
    found = bt.rank_tags(tags, by=["f1_mult"], **FAST)
    pairs = bt.compare(bt.tag_counts(tags), correction="bonferroni", **FAST)
    assert found.n_different[0] == pairs.n_different
    assert found.n_pairs == 10
    letters = {name: set(one) for name, one in zip(found.systems, found.letters, strict=True)}
    for pair in pairs.pairs():
        assert bool(letters[pair.a] & letters[pair.b]) == (pair.verdict is None)
    assert np.isnan(found.cluster[found.is_synthetic]).all()
    assert np.nanmax(found.cluster) == found.n_groups[0]


def test_leaving_out_the_labellings_changes_no_other_number():
    """They take no part in any test."""
    tags = drawn_tags()
    one, other = (bt.rank_tags(tags, synthetic=synthetic, **FAST) for synthetic in (True, False))
    real = ~one.is_synthetic
    np.testing.assert_array_equal(one.value[real], other.value)
    np.testing.assert_array_equal(one.low[real], other.low)
    np.testing.assert_array_equal(one.cluster[real], other.cluster)
    assert other.systems == tuple(name for name in one.systems if name in tags.systems)


def test_renaming_systems_renames_the_answer():
    """And nothing else."""
    tags = drawn_tags()
    one = bt.rank_tags(tags, **FAST)
    other = bt.rank_tags(replace(tags, systems=("a", "b", "c", "d")), **FAST)
    renamed = dict(zip(tags.systems, "abcd", strict=True))
    assert other.systems == tuple(renamed.get(name, name) for name in one.systems)
    np.testing.assert_array_equal(one.value, other.value)


def test_a_single_system_has_scores_and_no_tests():
    """Beside the labellings it should beat."""
    found = bt.rank_tags(drawn_tags(1), by=["f1_mult"])
    assert found.n_pairs == 0
    assert found.letters[found.systems.index("S0")] == "a"
    assert found.systems[0] == "S0"
    assert "told apart" not in str(found)


def test_a_gameable_measure_is_seen_at_once():
    """A system that finds little has a lower F1-BAD than tagging everything; its product is above 0."""
    tags = drawn_tags(2, 60, share=0.45, seed=2)
    weak = replace(tags, predicted=tags.predicted & (np.random.default_rng(0).random(tags.n_words) < 0.5))
    found = bt.rank_tags(weak, by=["f1_mult", "f1_bad"], **FAST)
    assert found.above("f1_bad")["all-bad"] == 2
    assert found.above("f1_mult")["all-bad"] == 0
    said = " ".join(str(found).split()).split("By F1-BAD ")[1]
    assert "all-bad outscores 2 of 2" in said.partition("note:")[0]
    assert "[all-bad]" in str(found)


def test_the_result_survives_json_and_becomes_a_tidy_table():
    """One row a system and measure; what is undefined is null."""
    found = bt.rank_tags(drawn_tags(2), by=["f1_mult", "precision_bad"], **FAST)
    assert bt.Result.from_dict(json.loads(found.to_json())) == found
    columns = found.columns()
    assert len({len(column) for column in columns.values()}) == 1
    assert len(columns["value"]) == 7 * 2
    assert repr(found) == "TagRanking(by f1_mult, 2 systems: S1 > S0)"
    assert bt.render(found, "csv").count("\n") == 15


def test_too_few_resamples_are_told():
    """19 resamples give no p below 1/20, which six pairs need to be below 1/120."""
    notes = bt.rank_tags(drawn_tags(), n_resamples=19).notes
    assert any("no pair of 6 can be told apart at 0.05. Use 120 or more" in note for note in notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "f1_mult"}, "by must be a list of one or more measures"),
        ({"by": []}, "by must be a list of one or more measures"),
        ({"by": ["mcc", "mcc"]}, "Each measure can be named once"),
        ({"by": ["f1"]}, 'Unknown measure of word tags "f1"'),
        ({"confidence": 1.5}, "confidence must lie between 0 and 1"),
        ({"units": "groups"}, "has no groups"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    """With what to do instead."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.rank_tags(drawn_tags(), **{**FAST, **options})


def test_tags_without_words_are_refused():
    """Nothing can be scored."""
    empty = bt.WordTags(
        systems=["A"],
        segments=["1"],
        gold=np.array([], bool),
        predicted=np.empty((1, 0), bool),
        offsets=[0, 0],
    )
    with pytest.raises(bt.BetterThanError, match="There is no word"):
        bt.rank_tags(empty)
