"""Length weights, three aggregations side by side, and why two systems compare as they do by counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.analysis.test_aggregations_of_counts import bleu_like_counts
from tests.made import accuracy_counts, by_system, drawn_counts, same_after_json

import betterthan as bt
from betterthan.analysis.rank.aggregate import divisor
from betterthan.kernels.influence.influence import effective_number, gini, share_of_largest


def long_against_short():
    """A is better on ten long segments, B on 190 short ones."""
    rng = np.random.default_rng(0)
    size = np.tile(np.array([400] * 10 + [4] * 190), (2, 1))
    chance = np.array([[0.8] * 10 + [0.3] * 190, [0.4] * 10 + [0.6] * 190])
    return accuracy_counts(np.stack([rng.binomial(size, chance), size], axis=2))


# -- weights ---------------------------------------------------------------------------------------------


def test_pooled_is_the_mean_of_ratios_by_length_weights():
    """Equation 3 of the paper, and equation 2 with 1 / n."""
    table = drawn_counts(3, 50, seed=1)
    found = bt.length_weights(table)
    ratios = table.per_segment().values
    assert (found.pooled * ratios).sum(axis=1) == pytest.approx(table.pooled(), rel=1e-12)
    assert (found.segment_mean * ratios).sum(axis=1) == pytest.approx(ratios.mean(axis=1), rel=1e-12)
    assert found.length == "all"


def test_inequality_equals_literal_loops():
    """Kish's number, Gini over all pairs, and the largest tenth counted out."""
    weights = np.random.default_rng(2).exponential(size=(2, 43))
    for row, number, unequal, largest in zip(
        weights, effective_number(weights), gini(weights), share_of_largest(weights), strict=True
    ):
        assert number == pytest.approx(sum(row) ** 2 / sum(w * w for w in row))
        pairs = sum(abs(v - w) for v in row for w in row)
        assert unequal == pytest.approx(pairs / (2 * 43 * sum(row)))
        assert largest == pytest.approx(sum(sorted(row)[-5:]) / sum(row))


def test_equal_lengths_weigh_equally():
    """All segments are effective, Gini 0, a tenth carries a tenth."""
    table = accuracy_counts(np.stack([np.ones((2, 40)), np.full((2, 40), 7)], axis=2))
    found = bt.length_weights(table)
    assert found.effective_segments == pytest.approx([40, 40])
    assert found.gini == pytest.approx([0, 0], abs=1e-12)
    assert found.longest_tenth == pytest.approx([0.1, 0.1])


def test_the_divisor_is_found_by_doubling():
    """Ratio and rate have one; a product of ratios has none, and a score of 0 shows none."""
    assert divisor(drawn_counts()) == 1
    assert divisor(bleu_like_counts()) is None
    assert divisor(accuracy_counts([[[0, 4]], [[0, 4]]])) is None


def test_an_own_formula_needs_lengths():
    """No guess: the columns are named, and lengths can be given."""
    table = bleu_like_counts(n=10)
    with pytest.raises(
        bt.TableError,
        match=r"cannot be determined from the counts of overlap \(match1, .*Pass lengths=, one number per segment",
    ):
        bt.length_weights(table)
    given = np.arange(1.0, 11)
    found = bt.length_weights(table, lengths=given)
    assert found.pooled[0] == pytest.approx(given / 55)
    named = dict(zip(table.segments, given.tolist(), strict=True))
    assert (bt.length_weights(table, lengths=named).pooled == found.pooled).all()


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([1.0, 2.0], "There are 2 lengths for 10 segments"),
        ({"1": 1.0}, 'lengths has no segment "2"'),
        ([-1.0] * 10, "Lengths must be non-negative numbers"),
        ([float("nan")] * 10, "Lengths must be non-negative numbers"),
        ([0.0] * 10, "sum to 0"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(lengths, message):
    """With what is wrong."""
    with pytest.raises(bt.TableError, match=message):
        bt.length_weights(bleu_like_counts(n=10), lengths=lengths)


def test_lengths_of_the_metrics_of_texts():
    """BLEU by words of the output, chrF by characters of the reference, TER by words of the reference."""
    outputs = {"A": ["a b c d", "e"], "B": ["a b", "e f"]}
    references = ["a b c", "eeeee e"]
    expected = {
        bt.bleu: ("words of the output", [[4 / 5, 1 / 5], [2 / 4, 2 / 4]]),
        bt.chrf: ("characters of the reference", [[3 / 9, 6 / 9]] * 2),
        bt.ter: ("reference length", [[3 / 5, 2 / 5]] * 2),
    }
    for metric, (length, weights) in expected.items():
        found = bt.length_weights(metric(outputs, references))
        assert found.length == length
        assert found.pooled == pytest.approx(np.array(weights))


# -- three ways side by side -------------------------------------------------------------------------------


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_side_by_side_is_what_rank_says_one_by_one(higher_is_better):
    """Strengths, intervals, clusters and letters, with the same seed."""
    table = replace(bleu_like_counts(m=4, n=120), higher_is_better=higher_is_better)
    found = bt.aggregate(table, n_resamples=300, rng=3)
    for way in ("pooled", "segment_mean", "bootstrap_mean"):
        ranking = bt.rank(table, by=way, n_resamples=300, rng=3)
        assert found.order(way) == ranking.systems
        for field, end in (("strength", ""), ("low", "_low"), ("high", "_high")):
            ours = dict(zip(found.systems, getattr(found, way + end).tolist(), strict=True))
            assert ours == pytest.approx(by_system(ranking, field), rel=1e-9)
    pooled = bt.rank(table, n_resamples=300, rng=3)
    assert found.systems == pooled.systems
    assert found.letters == pooled.letters
    assert (found.cluster == pooled.cluster).all()
    assert (found.rank_low == pooled.rank_low).all()


def test_one_system_is_scored_alone():
    """No tests, no clusters to speak of, all three scores and intervals."""
    table = drawn_counts(3, 30).select(["B"])
    found = bt.aggregate(table, n_resamples=99)
    assert found.systems == ("B",)
    assert found.pooled[0] == table.pooled()[0]
    assert found.pooled_low[0] < found.pooled[0] < found.pooled_high[0]
    assert "|test:" not in found.settings.signature
    assert same_after_json(found)


def test_the_table_says_where_orders_differ():
    """In words, with the names."""
    found = bt.aggregate(long_against_short(), n_resamples=99)
    text = " ".join(str(found).split())
    assert "Compared with the pooled score, of the one pair the segment mean reverses 1 (A and B)" in text
    assert "effective sample size of 14 of 200 segments; the longest 10% carry 85% of the weight" in text
    assert found.order("pooled") == ("A", "B")
    assert found.order("segment_mean") == ("B", "A")
    assert same_after_json(found)


def test_lengths_that_cannot_be_told_are_not_told():
    """NaN, and no sentence."""
    found = bt.aggregate(bleu_like_counts(n=20), n_resamples=20)
    assert np.isnan(found.effective_segments)
    assert "equal length" not in str(found)


# -- explanation ---------------------------------------------------------------------------------------------


def test_aggregations_can_disagree_because_of_long_segments():
    """A leads pooled, B by segments; without the longest tenth the pooled winner turns."""
    found = bt.explain(long_against_short(), "A", "B")
    assert found.disagree
    assert found.long_segments_decide
    assert [way.winner for way in found.aggregations] == ["A", "B", "A"]
    assert found.effect_of_longest > 0 > found.effect_of_rest
    assert found.shortest_of_longest == 4  # twenty segments, of which ten have four words
    text = " ".join(found.sentences)
    assert "The aggregations disagree: the pooled score favors A, the mean of segments favors B" in text
    assert "Long segments decide" in text
    assert "If segments are weighted by length, choose A; if they count equally, choose B." in text
    assert same_after_json(found)


def test_movers_are_exact():
    """Against tables without the segment; the largest change first."""
    table = bleu_like_counts(m=3, n=40, seed=5)
    found = bt.explain(table, "B", "C")
    effects = {}
    for segment in table.segments:
        rest = table.select(["B", "C"], [s for s in table.segments if s != segment]).pooled()
        effects[segment] = rest[0] - rest[1]
    whole = table.pooled()[1] - table.pooled()[2]
    for mover in found.movers:
        assert mover.effect_without == pytest.approx(effects[mover.segment], rel=1e-9)
        assert mover.change == pytest.approx(whole - effects[mover.segment], rel=1e-6)
    sizes = sorted((abs(whole - effect) for effect in effects.values()), reverse=True)[:10]
    assert [abs(mover.change) for mover in found.movers] == pytest.approx(sizes, rel=1e-6)


def test_the_removal_turns_the_pooled_score_and_one_less_does_not():
    """Segments in the order of what they add to the lead, taken away one by one."""
    table = drawn_counts(2, 60, seed=8)
    found = bt.explain(table, "B", "A")
    lead = np.subtract(*table.select(["B", "A"]).pooled())
    change = {}
    for segment in table.segments:
        rest = table.select(["B", "A"], [s for s in table.segments if s != segment])
        change[segment] = lead - np.subtract(*rest.pooled())
    order = sorted(table.segments, key=lambda s: (-change[s] * np.sign(lead), s))

    def without(n):
        return np.subtract(
            *table.select(["B", "A"], [s for s in table.segments if s not in order[:n]]).pooled()
        )

    assert without(found.n_to_turn) * lead < 0
    assert without(found.n_to_turn - 1) * lead >= -1e-12


def test_swapping_the_pair_negates_every_effect():
    """Winners stay, signs turn, p-values stay."""
    table = bleu_like_counts(m=2, n=50, seed=3)
    one, other = bt.explain(table, "A", "B"), bt.explain(table, "B", "A")
    for first, second in zip(one.aggregations, other.aggregations, strict=True):
        assert first.effect == pytest.approx(-second.effect)
        assert first.winner == second.winner
        assert first.pvalue == pytest.approx(second.pvalue)
        assert first.score_a == second.score_b
    assert [m.segment for m in one.movers] == [m.segment for m in other.movers]
    assert one.n_to_turn == other.n_to_turn


def test_effects_are_positive_when_a_is_better_also_for_error_rates():
    """Scores keep the metric's own direction."""
    table = replace(drawn_counts(2, 40, seed=2), higher_is_better=False)
    found = bt.explain(table, "A", "B")
    pooled = dict(zip(table.systems, table.pooled().tolist(), strict=True))
    for way in found.aggregations:
        assert (way.effect > 0) == (way.winner == "A") == (way.score_a < way.score_b)
    assert found.aggregation("pooled").effect == pytest.approx(pooled["B"] - pooled["A"])


def test_the_three_are_those_of_rank_and_compare():
    """The same scores and p-values as the verbs find for this pair."""
    table = bleu_like_counts(m=2, n=60, seed=1)
    found = bt.explain(table, "A", "B", rng=5, size=200)
    for way in found.aggregations:
        size = {"size": 200} if way.name == "bootstrap_mean" else {}
        assert way.score_a == pytest.approx(by_system(bt.rank(table, by=way.name, rng=5, **size))["A"])
    assert found.aggregation("pooled").pvalue == bt.compare(table, rng=5).pair("A", "B").pvalue
    segments = bt.compare(table.per_segment(), test="permutation").pair("A", "B")
    assert found.aggregation("segment_mean").pvalue == segments.pvalue
    assert found.aggregation("segment_mean").low == segments.low


def test_identical_systems_are_level():
    """Nothing moves, nothing turns."""
    values = drawn_counts(2, 20).values.copy()
    values[1] = values[0]
    found = bt.explain(accuracy_counts(values), "A", "B")
    assert {way.winner for way in found.aggregations} == {None}
    assert not found.movers
    assert found.n_to_turn is None
    assert not found.disagree
    assert found.sentences[0] == "A and B are equal by all three aggregations."
    assert found.sentences[-1] == (
        "The data are inconclusive, which does not show that the systems are equal; collect more segments."
    )


def test_unknown_lengths_are_said_and_given_ones_used():
    """An own formula: the weights are NaN with a note, until lengths are given."""
    table = bleu_like_counts(m=2, n=30)
    silent = bt.explain(table, "A", "B")
    assert np.isnan(silent.effective_segments)
    assert any("Pass lengths=" in note for note in silent.notes)
    assert not any("length" in sentence for sentence in silent.sentences[:-1])
    told = bt.explain(table, "A", "B", lengths=table.values[0, :, 4])
    assert told.length == "lengths given"
    assert 1 < told.effective_segments < 30


def test_one_segment_is_explained_without_removals():
    """There is nothing left to look at without it."""
    found = bt.explain(accuracy_counts([[[1, 2]], [[2, 2]]]), "A", "B")
    assert found.n_to_turn is None
    assert not found.movers
    assert np.isnan(found.effect_of_rest)
    assert not found.long_segments_decide


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("A", "Z"), {}, 'Unknown system "Z"'),
        (("A", "A"), {}, '"A" is named twice'),
        (("A", "B"), {"alpha": 2.0}, "alpha must lie between 0 and 1"),
        (("A", "B"), {"lengths": [1.0]}, "There are 1 lengths for 20 segments"),
    ],
)
def test_bad_requests_are_refused(arguments, options, message):
    """With what is wrong and what to do."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.explain(drawn_counts(), *arguments, **options)


def test_texts_are_for_scores():
    """Counts know their lengths."""
    table = drawn_counts(2, 1)
    texts = bt.Texts(systems=table.systems, segments=table.segments, outputs=[["a"], ["b"]])
    with pytest.raises(bt.TableError, match="Leave out texts, or pass lengths"):
        bt.explain(table, "A", "B", texts=texts)


# -- units -----------------------------------------------------------------------------------------------


def test_documents_are_the_unit_of_every_verb():
    """Three aggregations side by side, each ranked by itself and explained: one unit, said in each of them."""
    table = drawn_counts(3, 48, seed=5, groups=[f"d{i // 6}" for i in range(48)])
    side_by_side, ranked, compared = bt.aggregate(table), bt.rank(table), bt.compare(table)
    a, b = compared.systems[:2]
    pooled = bt.explain(table, a, b).aggregation("pooled")
    pair = bt.compare(table.select([a, b])).pair(a, b)
    assert side_by_side.systems == ranked.systems
    assert side_by_side.letters == ranked.letters
    for end in ("low", "high"):
        ends = getattr(side_by_side, f"pooled_{end}")
        assert ends == pytest.approx(getattr(ranked, end))
    assert (pooled.pvalue, pooled.low, pooled.high) == (pair.pvalue, pair.low, pair.high)
    for result in (side_by_side, compared, bt.explain(table, a, b)):
        assert result.settings.options["units"] == "groups"
        assert result.unit_note.startswith("Unit: 8 documents")
        assert not any(note.startswith("Unit: ") for note in result.notes)
