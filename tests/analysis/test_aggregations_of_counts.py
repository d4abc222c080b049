"""Three ways to one score a system from counts: pooled, mean of segments, mean of drawn corpora."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.made import accuracy_counts, by_pair, by_system, drawn_counts, drawn_scores, same_after_json

import betterthan as bt
from betterthan.analysis.rank.bootstrap_mean import STREAM
from betterthan.analysis.rank.rank_scores import bootstrap_means
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.engine.blocks import stream
from betterthan.kernels.sign_flips.permutation import random_signs

WAYS = ("pooled", "segment_mean", "bootstrap_mean")
FAST = {"n_resamples": 99}


def bleu_like(sums):
    """Geometric mean of two precisions times a brevity penalty, 0 to 100, as BLEU is made."""
    match1, total1, match2, total2, length, wanted = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.exp((np.log(match1 / total1) + np.log(match2 / total2)) / 2)
        penalty = np.exp(np.minimum(0.0, 1 - wanted / length))
    return 100 * np.where(match2 > 0, precision, 0.0) * penalty


def bleu_like_counts(m=3, n=60, seed=0, **options):
    """Sentences of 4 to 60 words; better systems match more, and all are worse on long sentences."""
    rng = np.random.default_rng(seed)
    wanted = np.tile(rng.integers(4, 61, n), (m, 1))
    length = np.maximum(3, wanted + rng.integers(-2, 2, (m, n)))
    chance = np.clip(0.75 - wanted / 200 + 0.03 * np.arange(m)[:, None], 0, 1)
    match1 = rng.binomial(length, chance)
    match2 = rng.binomial(np.maximum(match1 - 1, 0), chance)
    values = np.stack([match1, length, match2, length - 1, length, wanted], axis=2)
    return bt.Counts(
        **{
            "name": "overlap",
            "systems": list("ABCDEFG"[:m]),
            "segments": [str(i + 1) for i in range(n)],
            "columns": ["match1", "total1", "match2", "total2", "length", "wanted"],
            "values": values,
            "formula": bt.Formula(name="overlap", pooled=bleu_like),
        }
        | options
    )


TABLES = {"ratio": drawn_counts(3, 40, seed=3), "bleu-like": bleu_like_counts()}
each_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
each_way = pytest.mark.parametrize("way", WAYS)


@each_table
def test_all_three_equal_slow_loops_with_the_same_draws(table):
    """Sums and formula, written out segment by segment."""
    n = table.n_segments
    drawn = stream(7, STREAM, 0).integers(0, n, size=(50, 30))
    for s, system in enumerate(table.systems):
        total = sum(table.values[s, i] for i in range(n))
        singles = [float(table.formula.pooled(table.values[s, i])) for i in range(n)]
        corpora = [float(table.formula.pooled(sum(table.values[s, i] for i in corpus))) for corpus in drawn]
        expected = {
            "pooled": float(table.formula.pooled(total)),
            "segment_mean": sum(singles) / n,
            "bootstrap_mean": sum(corpora) / 50,
        }
        for way in WAYS:
            size = {"size": 30} if way == "bootstrap_mean" else {}
            found = bt.rank(table, by=way, n_resamples=50, rng=7, **size)
            assert by_system(found)[system] == pytest.approx(expected[way], rel=1e-12)


def test_two_segments_by_hand():
    """Equations 1 to 3 of the paper with m = (1, 1), w = (1, 3), and all four corpora of two segments."""
    table = accuracy_counts([[[1, 1], [1, 3]], [[0, 1], [0, 3]]])
    assert by_system(bt.rank(table, **FAST))["A"] == 1 / 2
    assert by_system(bt.rank(table, by="segment_mean", **FAST))["A"] == pytest.approx(2 / 3)
    drawn = by_system(bt.rank(table, by="bootstrap_mean", size=2, n_resamples=20_000))["A"]
    # (1 + 1/2 + 1/2 + 1/3) / 4, within four standard errors of 20 000 draws.
    assert drawn == pytest.approx(7 / 12, abs=4 * 0.25 / np.sqrt(20_000))


@each_table
def test_large_corpora_have_the_pooled_score(table):
    """The mean of drawn corpora leaves the pooled score only by a bias of order 1 / size."""
    pooled = by_system(bt.rank(table, **FAST))
    far, near = (by_system(bt.rank(table, by="bootstrap_mean", size=size)) for size in (10, 20_000))
    scale = max(pooled.values())
    for system, value in pooled.items():
        assert near[system] == pytest.approx(value, abs=2e-3 * scale)
        assert abs(far[system] - value) < 0.05 * scale


def test_corpora_as_large_as_the_test_set_have_the_interval_of_the_pooled_score():
    """Two estimates of the same uncertainty: percentiles, and the infinitesimal jackknife."""
    table = bleu_like_counts(n=300)
    one, other = bt.rank(table, n_resamples=4000), bt.rank(table, by="bootstrap_mean", size=300)
    widths = [by_system(ranking, "high")["B"] - by_system(ranking, "low")["B"] for ranking in (one, other)]
    assert widths[0] == pytest.approx(widths[1], rel=0.08)


def test_the_interval_of_the_mean_does_not_follow_the_size_of_the_corpora():
    """Larger corpora do not make the test set larger; the spread of their scores would say so."""
    table = bleu_like_counts(n=100)
    widths = []
    for size in (100, 10_000):
        found = bt.rank(table, by="bootstrap_mean", size=size)
        widths.append(by_system(found, "high")["A"] - by_system(found, "low")["A"])
    assert widths[0] == pytest.approx(widths[1], rel=0.1)


def test_segment_mean_is_the_ranking_of_segment_scores():
    """Strengths, intervals and tests of ``by="mean"``, under a name that says what was averaged."""
    table = bleu_like_counts()
    one, other = bt.rank(table, by="segment_mean"), bt.rank(table.per_segment(), by="mean")
    for field in ("systems", "letters", "test"):
        assert getattr(one, field) == getattr(other, field)
    for field in ("strength", "low", "high", "cluster", "rank_low", "rank_high"):
        assert (getattr(one, field) == getattr(other, field)).all()
    assert "|segment_mean|" in one.settings.signature
    assert "|score:overlap|" in one.settings.signature


def test_tests_of_the_mean_of_corpora_are_those_of_the_pooled_score():
    """The same clusters and letters where the order is the same."""
    table = bleu_like_counts(n=400)
    one, other = bt.rank(table, **FAST), bt.rank(table, by="bootstrap_mean", **FAST)
    assert one.systems == other.systems
    assert one.letters == other.letters
    assert (one.cluster == other.cluster).all()
    assert len(set(one.cluster.tolist())) > 1
    assert "its tests are those of the pooled score" in other.notes[-1]


def test_a_pair_in_the_other_order_is_not_told_apart():
    """Pooled, the long segments decide for A; corpora of one segment follow the many short ones, for B."""
    rng = np.random.default_rng(0)
    size = np.tile(np.array([400] * 10 + [4] * 190), (2, 1))
    chance = np.array([[0.8] * 10 + [0.3] * 190, [0.4] * 10 + [0.6] * 190])
    table = accuracy_counts(np.stack([rng.binomial(size, chance), size], axis=2))
    pooled, drawn = bt.rank(table, **FAST), bt.rank(table, by="bootstrap_mean", size=1)
    assert pooled.systems == ("A", "B")
    assert pooled.letters == ("a", "b")
    assert drawn.systems == ("B", "A")
    assert drawn.letters == ("a", "a")
    assert bt.rank(table, by="segment_mean").letters == ("a", "b")


@each_way
def test_renaming_and_reordering_systems_permutes_the_answer(way):
    """Draws belong to the segments, not to the systems."""
    table = bleu_like_counts()
    turned = table.select(table.systems[::-1])
    one, other = (bt.rank(data, by=way, **FAST) for data in (table, turned))
    assert one.systems == other.systems
    for field in ("strength", "low", "high"):
        assert getattr(one, field) == pytest.approx(getattr(other, field), rel=1e-9)
    renamed = bt.rank(replace(table, systems=("X", "Y", "Z")), by=way, **FAST)
    assert renamed.strength == pytest.approx(one.strength, rel=1e-12)


@each_way
def test_an_error_rate_turns_the_order_and_keeps_the_numbers(way):
    """Lower is better: the last is first, with the same strengths and intervals."""
    table = drawn_counts(3, 30, seed=6)
    one, other = (bt.rank(data, by=way, **FAST) for data in (table, replace(table, higher_is_better=False)))
    assert one.systems == other.systems[::-1]
    for field in ("strength", "low", "high"):
        assert by_system(one, field) == pytest.approx(by_system(other, field))
    assert other.unit.endswith("lower is better")


@each_way
def test_results_survive_json_and_say_how_they_were_made(way):
    """The number of corpora and their size are part of the signature."""
    size = {"size": 77} if way == "bootstrap_mean" else {}
    found = bt.rank(drawn_counts(), by=way, **size, **FAST)
    assert same_after_json(found)
    assert found.settings.method == way
    expected = {
        "pooled": "ci:95,t,jackknife,skewness",
        "segment_mean": "ci:95,t,skewness",
        "bootstrap_mean": "ci:95,infinitesimal-jackknife,99,size=77",
    }[way]
    assert f"|{expected}|" in found.settings.signature


def test_workers_do_not_change_a_number():
    """Blocks are pure functions of their number."""
    table = bleu_like_counts(m=4, n=3000)
    one, other = (
        bt.rank(table, by="bootstrap_mean", size=2000, n_resamples=2000, workers=workers)
        for workers in (1, 2)
    )
    assert one == other


def test_documents_are_drawn_whole():
    """With documents of equal segments the uncertainty is that of documents, not of segments."""
    table = drawn_counts(2, 30, seed=7)
    copied = np.repeat(table.values, 4, axis=1)
    wide = replace(
        table,
        values=copied,
        segments=tuple(map(str, range(120))),
        groups=tuple(str(i // 4) for i in range(120)),
    )
    by_document = bt.rank(wide, by="bootstrap_mean", units="groups", size=120)
    by_segment = bt.rank(wide, by="bootstrap_mean", units="segments", size=120)
    single = bt.rank(table, by="bootstrap_mean", size=30)
    width = {
        name: by_system(found, "high")["A"] - by_system(found, "low")["A"]
        for name, found in (("document", by_document), ("segment", by_segment), ("single", single))
    }
    assert width["document"] == pytest.approx(width["single"], rel=0.02)
    assert width["segment"] < 0.6 * width["document"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "bootstrap"}, 'Did you mean "bootstrap_mean"'),
        ({"by": "corpus"}, "Known: bootstrap_mean, pooled, segment_mean"),
        ({"by": "bootstrap_mean", "size": 0}, "size must be 1 or more segments; it is 0"),
        ({"by": "bootstrap_mean", "interval": "percentile"}, "infinitesimal jackknife"),
        ({"by": "bootstrap_mean", "units": "groups"}, "has no groups"),
    ],
)
def test_what_cannot_be_done_is_refused(options, message):
    """With what to do instead."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.rank(drawn_counts(), **options)


@pytest.mark.parametrize("way", WAYS)
def test_scores_have_no_counts_to_aggregate(way):
    """Their sums are not kept."""
    with pytest.raises(bt.BetterThanError, match=f'by="{way}" is for counts'):
        bt.rank(drawn_scores(), by=way)


def test_a_corpus_without_a_score_is_refused():
    """Of two segments one has no words: a corpus of that alone is 0 / 0."""
    table = accuracy_counts([[[1, 2], [0, 0]], [[2, 2], [0, 0]]])
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(bt.NotEstimable, match=r"have no accuracy for A\. Draw larger"),
    ):
        bt.rank(table, by="bootstrap_mean", size=1, **FAST)
    with np.errstate(invalid="ignore"), pytest.raises(bt.MissingScores):
        bt.rank(table, by="segment_mean", **FAST)


@pytest.mark.parametrize("way", WAYS)
def test_one_segment_has_no_interval_of_the_mean_of_corpora(way):
    """Nothing is known about other segments."""
    table = accuracy_counts([[[1, 2]], [[2, 2]]])
    found = bt.rank(table, by=way, **FAST)
    assert by_system(found) == {"A": 0.5, "B": 1.0}
    assert np.isnan([found.low, found.high]).all()


def test_permutation_of_counts_equals_a_literal_loop():
    """Segments swapped one by one with the same signs, the whole score computed again each time."""
    table = bleu_like_counts(m=2, n=30, seed=4)
    found = bt.compare(table, method="monte_carlo", n_resamples=300, rng=11)
    signs = random_signs(300, 30, stream(11, "permutation of counts", 0))
    observed = abs(np.subtract(*table.pooled()))
    hits = 0
    for row in signs:
        a, b = np.zeros(6), np.zeros(6)
        for i, sign in enumerate(row):
            first, second = (1, 0) if sign < 0 else (0, 1)
            a += table.values[first, i]
            b += table.values[second, i]
        hits += abs(bleu_like(a) - bleu_like(b)) >= observed - 1e-9
    assert by_pair(found, "pvalue")["A", "B"] == (hits + 1) / 301


def test_bootstrap_of_counts_equals_a_literal_loop():
    """Percentiles of scores of corpora gathered segment by segment."""
    table = bleu_like_counts(m=2, n=30, seed=4)
    found = bt.rank(table, interval="percentile", n_resamples=200, rng=11)
    drawn = stream(11, "bootstrap of pooled scores", 0).integers(0, 30, size=(200, 30))
    scores = [float(bleu_like(sum(table.values[0, i] for i in corpus))) for corpus in drawn]
    assert by_system(found, "low")["A"] == pytest.approx(np.quantile(scores, 0.025), rel=1e-12)
    assert by_system(found, "high")["A"] == pytest.approx(np.quantile(scores, 0.975), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "size"), [(40, 40), (150, 1000), (400, 50)])
def test_the_interval_of_the_mean_of_corpora_covers(n, size):
    """Over 600 test sets, the mean score of corpora drawn from the whole population is inside about 95 times of 100."""
    population = bleu_like_counts(m=2, n=20_000, seed=100).values
    rng = np.random.default_rng(5)
    drawn = rng.integers(0, 20_000, size=(4000, size))
    truth = np.mean([bleu_like(population[0, corpus].sum(axis=0)) for corpus in drawn])
    inside = 0
    for _ in range(600):
        rows = rng.integers(0, 20_000, size=n)
        table = replace(
            bleu_like_counts(m=2, n=n), values=population[:, rows], segments=tuple(map(str, range(n)))
        )
        found = _interval(table, size)
        inside += found[0] <= truth <= found[1]
    # Four standard errors of a share of 600 trials; few segments and a curved score may cost two points.
    assert (
        0.95 - 0.02 - 4 * np.sqrt(0.95 * 0.05 / 600) <= inside / 600 <= 0.95 + 4 * np.sqrt(0.95 * 0.05 / 600)
    )


def _interval(table, size):
    """The interval of A without the tests, which take longer than it."""
    resampling = Resampling.of(1, 300, workers=1)
    found = bootstrap_means(table, RankOptions(size=size), resampling)
    return found.low[0], found.high[0]
