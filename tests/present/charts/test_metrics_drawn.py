"""What charts of metrics, aggregations and tags show, against another way to each number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from tests.made import a_ranking, drawn_counts, scores_of
from tests.made_tags import drawn_tags
from tests.present.charts.pictures import SYSTEMS, Picture, made, meta, subject, with_field

import betterthan as bt
from betterthan.errors import BetterThanError, TableError, UnknownName
from betterthan.present.charts.chart import chart
from betterthan.present.charts.metrics import confusion_counts, hard_preferences, soft_preferences
from betterthan.present.charts.ranking import pearson


def test_shares_of_agreement_fill_the_bar():
    """Alike, tied in one and opposite lie one behind the other, from 0 to 1."""
    result = subject("agreement")
    parts = with_field(made("agreement"), "from", "to")
    for found in result.comparisons:
        mine = [p for p in parts if (p["first"], p["second"]) == (found.first, found.second)]
        assert [p["share"] for p in mine] == pytest.approx([found.alike, found.tied, found.flipped])
        assert mine[0]["from"] == 0
        assert mine[-1]["to"] == pytest.approx(1)


def test_ranks_are_those_of_each_ranking():
    """Also where systems tie."""
    first = a_ranking(["A", "B", "C"])
    second = a_ranking(["B", "A", "C"], rank=np.array([1, 1, 3]))
    table = with_field(chart({"one": first, "two": second}), "moved")
    assert {(row["system"], row["column"]): row["rank"] for row in table} == {
        ("A", 0): 1,
        ("B", 0): 2,
        ("C", 0): 3,
        ("A", 1): 1,
        ("B", 1): 1,
        ("C", 1): 3,
    }
    assert {row["system"] for row in table if row["moved"] == "other rank"} == {"B"}


def test_significant_cells_clusters_and_ties_of_metrics():
    """Counted in the result; a line across and one down for each border; a bar for each group of ties."""
    result = meta(SYSTEMS, 6, "pairwise_accuracy")
    drawn = chart(result)
    cells = with_field(drawn, "verdict")
    assert sum(cell["verdict"] == "significantly better" for cell in cells) == result.n_significant
    assert len(cells) == 15
    groups = [rank for rank in set(result.rank.tolist()) if (result.rank == rank).sum() > 1]
    assert groups
    assert len(Picture(drawn).marks("rule")) == 2 * (result.n_clusters - 1) + len(groups)


def test_metrics_that_were_not_tested_are_not_called_alike():
    """Their cells say so."""
    drawn = chart(meta(SYSTEMS, 3, significance="none"))
    assert {cell["verdict"] for cell in with_field(drawn, "verdict")} == {"not tested"}
    assert "Nothing was tested." in Picture(drawn).words


def test_the_mean_of_the_cells_is_soft_pairwise_accuracy():
    """And of the upper row, pairwise accuracy, as the verb computes them (001 Eq. 1 and 2)."""
    systems = tuple(f"S{i}" for i in range(7))
    soft, hard = meta(systems, 4), meta(systems, 4, "pairwise_accuracy")
    order = np.argsort(-soft.human_mean, kind="stable")
    for place, metric in enumerate(soft.metrics):
        assert soft_preferences(soft, place, order).mean == pytest.approx(soft.value[place], abs=1e-12)
        known = hard.value[hard.metrics.index(metric)]
        assert hard_preferences(soft, place, order).mean == pytest.approx(known, abs=1e-12)


def test_the_metric_is_chosen():
    """By name; an unknown one is refused with the known."""
    assert any(
        words.startswith("metric-2 and human judgments")
        for words in Picture(made("soft_pairwise", metric="metric-2")).words
    )
    with pytest.raises(UnknownName, match='Unknown metric "metric-9"'):
        chart(meta(SYSTEMS, 3), "soft_pairwise", metric="metric-9")
    with pytest.raises(BetterThanError, match='Use by="soft_pairwise_accuracy"'):
        chart(meta(SYSTEMS, 6, "pairwise_accuracy"), "soft_pairwise")


def test_contributions_are_those_of_the_result():
    """A dot a pair, as sure as the p-values say."""
    result = meta(SYSTEMS, 3)
    dots = with_field(made("contributions"), "adds")
    pairs = result.contributions(result.metrics[0])
    assert [dot["adds"] for dot in dots] == pytest.approx([pair.value for pair in pairs])
    assert [dot["human"] for dot in dots] == pytest.approx([1 - pair.human_pvalue for pair in pairs])
    assert np.mean([dot["adds"] for dot in dots]) == pytest.approx(result.value[0])


def test_margins_fall():
    """Golden: of three scores 70, 40 and 50, a margin of 25 keeps one pair of three (as in kept_pairs)."""
    scores = scores_of({"A": [70.0], "B": [40.0], "C": [50.0]}, name="DA")
    kept = bt.kept_pairs(scores, [1, 15, 25])
    table = with_field(chart(kept), "margin")
    assert [row["share"] for row in table] == pytest.approx([1, 2 / 3, 1 / 3])
    two = Picture(chart({"to English": kept, "from English": kept}))
    assert {"to English", "from English"} <= set(two.words)
    assert len(two.marks("line")) == 2


def test_correlations_against_scipy():
    """Pearson's r over systems; undefined, not 0, where there is none."""
    from scipy.stats import pearsonr

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 12))
    assert pearson(x, y) == pytest.approx(pearsonr(x, y).statistic)
    gaps = np.where(np.arange(12) == 3, np.nan, x)
    assert pearson(gaps, y) == pytest.approx(pearsonr(np.delete(x, 3), np.delete(y, 3)).statistic)
    assert np.isnan(pearson(x[:2], y[:2]))
    assert np.isnan(pearson(np.ones(5), y[:5]))


def test_the_grid_of_aggregations_shows_every_system():
    """Of several test sets together, with the correlation of all."""
    results = [bt.aggregate(drawn_counts(3, seed=seed), n_resamples=20) for seed in range(5)]
    picture = Picture(chart(results))
    x, y = (np.concatenate([getattr(each, way) for each in results]) for way in ("pooled", "segment_mean"))
    assert f"r = {np.corrcoef(x, y)[0, 1]:.3f}" in picture.words
    assert len(picture.marks("symbol")) == 3 * 15
    two = Picture(chart(bt.aggregate(drawn_counts(2), n_resamples=20)))
    assert two.words.count("r is undefined") == 3


def test_results_of_two_metrics_are_not_drawn_together():
    """Their scales have nothing to do with each other."""
    one = subject("aggregation")
    with pytest.raises(TableError, match=r"These results are of 2 metrics \(accuracy, BLEU\)"):
        chart([one, replace(one, metric="BLEU")])


def test_confusion_against_scikit_learn():
    """BAD in both, missed, wrongly BAD, OK in both."""
    tags = drawn_tags(5)
    for mine, predicted in zip(confusion_counts(tags), tags.predicted, strict=True):
        (true_ok, wrong), (missed, found) = confusion_matrix(tags.gold, predicted, labels=[False, True])
        assert mine.tolist() == [found, missed, wrong, true_ok]


def test_shares_of_nothing_are_not_drawn_as_zero():
    """Without BAD words in the gold tags there is nothing to find."""
    tags = bt.WordTags(
        systems=["A"], segments=["1"], gold=[False, False], predicted=[[True, False]], offsets=[0, 2]
    )
    cells = with_field(chart(tags), "share")
    assert [cell["share"] for cell in cells] == [None, None, 0.5, 0.5]
    assert [cell["text"] for cell in cells] == ["–", "–", "50.0% (1)", "50.0% (1)"]


def test_spans_show_every_tag_and_ring_the_wrong_ones():
    """Of the segments that are named."""
    tags = drawn_tags(3, systems=["A", "B", "C"])
    squares = with_field(chart(tags, "spans", segments=["2"]), "tag", "wrong")
    words = slice(*tags.offsets[1:3])
    assert len(squares) == 4 * (tags.offsets[2] - tags.offsets[1])
    assert [s["tag"] == "BAD" for s in squares if s["row"] == "gold"] == tags.gold[words].tolist()
    assert sum(s["wrong"] for s in squares) == (tags.predicted[:, words] != tags.gold[words]).sum()


def test_spans_choose_the_segments_that_divide_most():
    """Against a loop: the sum over words of right times wrong shares."""
    tags = drawn_tags(4)
    divided = []
    for i in range(len(tags.segments)):
        words = slice(*tags.offsets[i : i + 2])
        right = (tags.predicted[:, words] == tags.gold[words]).mean(axis=0)
        divided.append(sum(share * (1 - share) for share in right))
    best = sorted(range(len(divided)), key=lambda i: -divided[i])[:3]
    assert {f"segment {tags.segments[i]}" for i in best} <= set(Picture(chart(tags, "spans")).words)


def test_words_stand_above_their_tags():
    """When they are as many as the tags."""
    tags = drawn_tags(2, 2, systems=["A", "B"])
    words = [[f"w{i}x{j}" for j in range(n)] for i, n in enumerate(np.diff(tags.offsets))]
    assert {"w1x0", "w1x1"} <= set(Picture(chart(tags, "spans", segments=["2"], words=words)).words)
    with pytest.raises(TableError, match=r"Segment 2 has \d+ tags and 1 words"):
        chart(tags, "spans", words=[words[0], ["one"]])
    with pytest.raises(TableError, match="Words of 1 segments are given for tags of 2"):
        chart(tags, "spans", words=words[:1])
    with pytest.raises(UnknownName, match='Unknown segment "9"'):
        chart(tags, "spans", segments=["9"])
