"""Which interval belongs to which strength, through the public verbs."""

from __future__ import annotations

import numpy as np
import pytest
from tests.everyday import few
from tests.made import by_system, drawn_counts, drawn_scores, scores_of

import betterthan as bt
from betterthan.analysis.pairs.effects import EFFECTS, EffectOptions, PairScores, for_all_pairs
from betterthan.analysis.units import units_of
from betterthan.kernels.influence.influence import leave_one_out_scores
from betterthan.kernels.intervals.intervals import influence_interval, t_interval


def limits(found: bt.Ranking, system: str) -> tuple[float, float]:
    """The interval of one system."""
    return by_system(found, "low")[system], by_system(found, "high")[system]


def test_identical_right_or_wrong_systems_have_an_honest_interval():
    """Not 0.00 to 0.00: fifty segments without a change leave room for some."""
    right = (np.arange(50) % 3 > 0).astype(np.float64)
    pair = bt.compare(scores_of([right, right])).pair("A", "B")

    assert (pair.low, pair.high) == pytest.approx((-0.0546532414415, 0.0546532414415))
    assert pair.pvalue == 1


def test_the_verdict_on_right_and_wrong_never_contradicts_the_interval():
    """The permutation test is the exact sign test of the changes there, and so is the interval's side of 0."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        first = (rng.random(80) < 0.7).astype(np.float64)
        changed = rng.random(80) < 0.12
        second = np.where(changed, (rng.random(80) < 0.8).astype(np.float64), first)
        pair = bt.compare(scores_of([first, second])).pair("A", "B")
        assert (pair.pvalue <= 0.05) == (pair.low > 0 or pair.high < 0)


def test_documents_that_all_say_the_same_are_not_certain_either():
    """Two systems that never differ, by documents."""
    right = (np.arange(40) % 3 > 0).astype(np.float64)
    table = scores_of([right, right], groups=[f"d{i // 5}" for i in range(40)])
    pair = bt.compare(table, units="groups").pair("A", "B")

    assert pair.low < 0 < pair.high


def test_means_are_by_students_t_widened_for_skewness_also_by_documents():
    """By documents, the sums about the mean are the units."""
    values = np.random.default_rng(1).gamma(1.0, size=(2, 30)) - 3
    groups = [f"d{i % 7}" for i in range(30)]
    found = bt.rank(scores_of(values, groups=groups), units="segments")
    expected = influence_interval(values.mean(axis=1), values.T, confidence=0.95)
    assert limits(found, "B") == pytest.approx([end[1] for end in expected])
    assert "|ci:95,t,skewness|" in found.settings.signature

    found = bt.rank(scores_of(values, groups=groups), units="groups")
    sums = np.array([(values - values.mean(axis=1, keepdims=True))[:, k::7].sum(axis=1) for k in range(7)])
    shares = np.array([5, 5, 4, 4, 4, 4, 4]) / 30
    expected = influence_interval(values.mean(axis=1), sums * 7 / 30, confidence=0.95, shares=shares)
    assert limits(found, "A") == pytest.approx([end[0] for end in expected])


@pytest.mark.parametrize("by", few(["mean", "win_rate", "bradley_terry"], 1))
def test_strengths_are_covered_where_one_document_is_a_giant(by):
    """One of 20 documents has half of the segments; as one unit among equals it would leave 84% to 88% covered."""
    groups = np.repeat(np.arange(20), [57, *[3] * 19])
    true = {"mean": 0.0, "win_rate": 0.5, "bradley_terry": 1 / 3}[by]
    rng = np.random.default_rng(3)
    held = []
    for _ in range(150):
        effect = rng.normal(size=20) + rng.normal(size=(3, 20))
        values = effect[:, groups] + rng.normal(size=(3, groups.size))
        found = bt.rank(scores_of(values, groups=[f"d{g}" for g in groups]), by=by, workers=1)
        held.append((found.low <= true) & (true <= found.high))

    assert np.mean(held) > 0.92


def test_an_interval_does_not_leave_the_scale():
    """Penalties end at 0, shares at 0 and 1."""
    penalties = bt.rank(
        scores_of([[0, 0, -1, -5, 0, -1, 0, -25, 0, -5, -1, 0], np.full(12, -1.0) * np.arange(12)])
    )
    assert limits(penalties, "A")[1] == 0
    assert any("dominate the mean of A" in note for note in penalties.notes)
    nearly = bt.rank(scores_of([np.r_[np.ones(11), 0.2], np.linspace(0.1, 0.9, 12)]))
    assert limits(nearly, "A")[1] == 1


@pytest.mark.parametrize("higher", [True, False])
def test_shares_on_any_scale_keep_their_direction(higher):
    """Agresti and Coull's interval of 15 of 20, times 100; golden from statsmodels."""
    right = (np.arange(20) < 15).astype(np.float64)
    table = scores_of([100 * right, 100 * right[::-1]], higher_is_better=higher)
    low, high = limits(bt.rank(table), "A")

    assert (low, high) == pytest.approx((52.75246027953078, 89.19128181782825))


def test_medians_lie_between_interpolated_order_statistics():
    """Eight segments; of a table whose lower scores are better, too."""
    values = np.array([[1.0, 2, 3, 4, 5, 6, 7, 8], [2.0, 3, 5, 4, 5, 6, 7, 9]])
    for higher in (True, False):
        found = bt.rank(scores_of(values, higher_is_better=higher), by="median")
        assert limits(found, "A") == pytest.approx((1.93564356, 7.06435644))


def test_bradley_terry_has_the_same_interval_on_every_scale():
    """Log strengths and Elo points are one; shares of two systems are the logits' ends."""
    table = drawn_scores(4, 40)
    log, elo = (bt.rank(table, by="bradley_terry", scale=scale) for scale in ("log", "elo"))
    slope = 400 / np.log(10)
    np.testing.assert_allclose(elo.low - 1500, slope * log.low)
    np.testing.assert_allclose(elo.high - 1500, slope * log.high)

    two = drawn_scores(2, 40)
    log, share = (bt.rank(two, by="bradley_terry", scale=scale) for scale in ("log", "share"))
    np.testing.assert_allclose(share.low, 1 / (1 + np.exp(-2 * log.low)))
    assert "infinitesimal-jackknife" in share.settings.signature


def test_a_corpus_score_that_is_a_mean_has_the_interval_of_the_mean_by_uneven_documents():
    """Sums over numbers of segments are means, and documents of any size give them the same intervals."""
    values = np.random.default_rng(6).normal(size=(3, 60))
    groups = [f"d{g}" for g in np.repeat(np.arange(7), [24, 15, 8, 5, 4, 2, 2])]
    scores = scores_of(values, groups=groups)
    counts = bt.Counts(
        name="mean",
        systems=scores.systems,
        segments=scores.segments,
        values=np.stack([values, np.ones_like(values)], axis=2),
        columns=["score", "one"],
        formula=bt.Formula(name="mean", pooled=lambda sums: sums[..., 0] / sums[..., 1]),
        groups=groups,
    )
    found, expected = bt.rank(counts), bt.rank(scores)
    np.testing.assert_allclose((found.low, found.high), (expected.low, expected.high))

    for first, second in ("AB", "AC", "BC"):
        pair = bt.compare(counts, n_resamples=99).pair(first, second)
        other = bt.compare(scores, test="t").pair(first, second)
        assert (pair.low, pair.high) == pytest.approx((other.low, other.high))


def test_corpus_scores_have_the_interval_of_the_jackknife():
    """Scores without each segment, and Student's t; differences likewise."""
    table = drawn_counts(2, 30)
    without = leave_one_out_scores(table.values, formula=table.formula.pooled)
    pull = (29 * (table.pooled()[:, None] - without)).T
    expected = influence_interval(table.pooled(), pull, confidence=0.95)
    found = bt.rank(table)
    assert limits(found, "A") == pytest.approx((expected[0][0], min(expected[1][0], 1.0)))

    gap = pull[:, 0] - pull[:, 1]
    effect = table.pooled()[0] - table.pooled()[1]
    ends = t_interval(np.array(effect), np.array(gap.std(ddof=1) / 30**0.5), np.array(30), confidence=0.95)
    pair = bt.compare(table, n_resamples=99).pair("A", "B")
    assert (pair.low, pair.high) == pytest.approx([float(end) for end in ends])


def test_percentile_and_bca_can_still_be_chosen():
    """And say so."""
    table = drawn_scores(3, 30)
    for kind in ("percentile", "bca"):
        found = bt.rank(table, interval=kind, n_resamples=300)
        assert f"|ci:95,{kind},300|" in found.settings.signature


def test_intervals_of_callables_are_expanded_percentiles():
    """Nothing is known of the function but its draws."""
    table = drawn_scores(3, 12)
    own = bt.rank(table, by=lambda goodness: goodness.mean(axis=1), n_resamples=500)
    plain = bt.rank(table, by=lambda goodness: goodness.mean(axis=1), n_resamples=500, interval="percentile")
    assert "|ci:95,expanded-percentile,500|" in own.settings.signature
    assert ((own.high - own.low) > (plain.high - plain.low)).all()


@pytest.mark.slow
@pytest.mark.parametrize("n", [15, 60])
def test_intervals_of_all_pairs_hold_all_differences_at_once(n):
    """Six systems on shared segments; each by itself, intervals of 95% miss one of 15 in a third of the tables."""
    rng = np.random.default_rng(n)
    held = []
    for _ in range(300):
        table = scores_of(rng.normal(size=n) + rng.normal(size=(6, n)))
        alone = EffectOptions(units_of(table, "segments"), 0.95, "drop", lambda: rng)
        together = for_all_pairs("mean_difference", table.goodness, alone)
        low, high = EFFECTS["mean_difference"].interval(PairScores(table.goodness), together)
        held.append(((low <= 0) & (high >= 0)).all())
        assert 0.95 < together.confidence < 1 - 0.05 / 15 + 1e-12
    assert 0.925 < np.mean(held) <= 0.985
    assert for_all_pairs("win_probability", table.goodness, alone).confidence == pytest.approx(1 - 0.05 / 15)
