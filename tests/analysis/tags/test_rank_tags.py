"""Systems that tag words, by several measures side by side."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.made_tags import drawn_tags

import betterthan as bt
from betterthan.kernels.sign_flips.permutation import random_signs
from betterthan.kernels.significance.counts_permutation import counts_maximum_block, swap_spread

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


@pytest.mark.parametrize("correction", ["max_statistic", "bonferroni"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_groups_and_letters_are_those_of_the_corrected_tests(correction, seed):
    """As `compare` has them for pairs of real systems, to the last swap; synthetic ones are not tested."""
    tags = drawn_tags(5, 60, seed=seed)
    found = bt.rank_tags(tags, by=["f1_mult"], correction=correction, **FAST)
    pairs = bt.compare(bt.tag_counts(tags), method="monte_carlo", correction=correction, **FAST)
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
    """Beside the labelings it should beat."""
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
    assert "A trivial labeling outscores 1 of 2 systems by F1-mult; 2 of 2 systems by F1-BAD." in str(found)
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
    """19 resamples give no p below 1/20, which six pairs need to be below 1/120; the maximum needs 1/20 alone."""
    few = bt.rank_tags(drawn_tags(), n_resamples=19, correction="bonferroni").undecidable
    assert "none of 6 pairs can differ significantly at 0.05. Use n_resamples=119 or more" in few
    assert not bt.rank_tags(drawn_tags(), n_resamples=19).undecidable
    assert "Use n_resamples=19 or more" in bt.rank_tags(drawn_tags(), n_resamples=9).undecidable


def test_clear_differences_stay_significant_however_many_systems_there_are():
    """One system of 36 finds nearly everything; 630 pairs times 1/1000 is no p-value below 0.05."""
    tags = drawn_tags(36, 60, seed=3)
    rng = np.random.default_rng(0)
    predicted = tags.predicted.copy()
    predicted[0] = tags.gold ^ (rng.random(tags.n_words) < 0.01)
    tags = replace(tags, predicted=predicted)
    found = bt.rank_tags(tags, by=["f1_mult"], synthetic=False, n_resamples=999)
    assert found.systems[0] == "S0"
    assert found.cluster[:2, 0].tolist() == [1, 2]
    assert found.n_different[0] >= 35
    bonferroni = bt.rank_tags(tags, by=["f1_mult"], synthetic=False, correction="bonferroni", n_resamples=999)
    assert bonferroni.n_different[0] == 0


def test_the_step_down_is_that_of_a_literal_loop():
    """Swap whole sentences of all pairs at once, compare each pair with the largest of those not above it."""
    tags = drawn_tags(4, 25, seed=5)
    counts = bt.tag_counts(tags)
    values, formula = counts.values, counts.formula.pooled
    spread = swap_spread(values, 200, np.random.default_rng(1), formula=formula)
    got = counts_maximum_block(values, spread, 300, np.random.default_rng(2), formula=formula)
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    score = formula(values.sum(axis=1))
    observed = {(a, b): abs(score[a] - score[b]) / spread[a, b] for a, b in pairs}
    swaps = random_signs(300, 25, np.random.default_rng(2)) < 0
    for k, pair in enumerate(sorted(pairs, key=observed.get, reverse=True)):
        below = sorted(pairs, key=observed.get, reverse=True)[k:]
        reached = 0
        for swap in swaps:
            largest = 0.0
            for a, b in below:
                one = np.where(swap[:, None], values[b], values[a]).sum(axis=0)
                other = np.where(swap[:, None], values[a], values[b]).sum(axis=0)
                largest = max(largest, abs(formula(one) - formula(other)) / spread[a, b])
            reached += largest >= observed[pair] - 1e-12
        assert got[pair] == reached


def test_intervals_are_those_of_leaving_out_one_sentence():
    """Student's on the logit scale, by a plain loop; the value lies inside."""
    stats = pytest.importorskip("scipy.stats")
    tags = drawn_tags(2, 30, seed=4)
    found = bt.rank_tags(tags, by=["f1_bad"], synthetic=False, **FAST)
    counts = bt.tag_counts(tags, by="f1_bad")
    for i, name in enumerate(found.systems):
        rows = counts.values[counts.systems.index(name)]
        each = [counts.formula.pooled(np.delete(rows, j, axis=0).sum(axis=0)) for j in range(30)]
        g = np.log(np.array(each) / (1 - np.array(each)))
        u = g - g.mean()
        freedom = min(29, 2 * (u**2).sum() ** 2 / (u**4).sum())
        reach = stats.t.ppf(0.975, freedom) * np.sqrt(29 / 30 * (u**2).sum())
        centre = np.log(found.value[i, 0] / (1 - found.value[i, 0]))
        ends = 1 / (1 + np.exp(-np.array([centre - reach, centre + reach])))
        np.testing.assert_allclose([found.low[i, 0], found.high[i, 0]], ends, rtol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_very_few_sentences_decide_nothing(n):
    """No pair differs significantly; what has no interval is named."""
    found = bt.rank_tags(drawn_tags(3, n, seed=6), by=["f1_mult"], synthetic=False, **FAST)
    assert found.n_different[0] == 0
    assert found.letters == ("a", "a", "a")
    if n == 1:
        assert np.isnan(found.low).all()
        assert any(note.startswith("No interval of f1_mult for S") for note in found.notes)


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
    with pytest.raises(bt.BetterThanError, match="There are no words"):
        bt.rank_tags(empty)
