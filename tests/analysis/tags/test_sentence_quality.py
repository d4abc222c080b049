"""Predicted quality of sentences against the truth."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.made import scores_of

import betterthan as bt
from betterthan.engine.blocks import stream
from betterthan.kernels.agreement.prediction_errors import mean_absolute_error, root_mean_squared_error

FAST = {"n_resamples": 99}


def campaign(m=3, n=80, seed=0):
    """Truth, and systems that follow it less and less."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n)
    noise = np.linspace(0.1, 0.6, m)[:, None]
    return scores_of(truth + noise * rng.normal(size=(m, n))), scores_of([truth], systems=["HTER"])


def test_the_four_measures_are_scipys_and_scikit_learns():
    """System by system."""
    stats = pytest.importorskip("scipy.stats")
    sklearn = pytest.importorskip("sklearn.metrics")
    predicted, gold = campaign()
    found = bt.sentence_quality(predicted, gold, **FAST)
    for name, *values in zip(
        found.systems, found.pearson, found.spearman, found.mae, found.rmse, strict=True
    ):
        mine, truth = predicted.values[predicted.systems.index(name)], gold.values[0]
        expected = [
            stats.pearsonr(mine, truth).statistic,
            stats.spearmanr(mine, truth).statistic,
            sklearn.mean_absolute_error(truth, mine),
            sklearn.root_mean_squared_error(truth, mine),
        ]
        np.testing.assert_allclose(values, expected, rtol=1e-12)
    assert (np.diff(found.pearson) < 0).all()


def test_intervals_are_those_of_a_literal_loop():
    """Draw sentences, compute each measure anew, take percentiles."""
    stats = pytest.importorskip("scipy.stats")
    predicted, gold = campaign(2, 20, seed=1)
    found = bt.sentence_quality(predicted, gold, interval="percentile", **FAST)
    drawn = stream(12345, "bootstrap of sentences", 0).integers(0, 20, size=(99, 20))
    for i, name in enumerate(found.systems):
        mine, truth = predicted.values[predicted.systems.index(name)], gold.values[0]
        values = [
            (
                stats.pearsonr(mine[d], truth[d]).statistic,
                stats.spearmanr(mine[d], truth[d]).statistic,
                np.abs(mine[d] - truth[d]).mean(),
                math.sqrt(((mine[d] - truth[d]) ** 2).mean()),
            )
            for d in drawn
        ]
        low, high = np.quantile(values, [0.025, 0.975], axis=0)
        np.testing.assert_allclose(found.low[i], low, rtol=1e-9)
        np.testing.assert_allclose(found.high[i], high, rtol=1e-9)


def test_the_error_rewards_the_average_and_the_correlation_does_not():
    """A109: a system that follows the truth with an offset loses by MAE to one that says the mean."""
    truth = np.linspace(0, 1, 50)
    rng = np.random.default_rng(0)
    systems = {"follows": truth + 0.4, "average": 0.5 + 1e-3 * rng.normal(size=50)}
    found = bt.sentence_quality(scores_of(systems), scores_of([truth]), **FAST)
    assert found.systems == ("follows", "average")
    assert found.mae[0] > found.mae[1]
    assert found.pearson[0] == pytest.approx(1)
    assert found.constant_mae == pytest.approx(np.abs(truth - truth.mean()).mean())
    assert found.constant_rmse == pytest.approx(truth.std())
    said = str(found)
    assert "MAE and RMSE reward predicting the mean for every" in said
    assert "1 of 2 systems does no better" in " ".join(said.split())
    assert "[mean of the truth]" in said


def test_a_constant_prediction_has_no_correlation():
    """NaN, never 0; it comes last."""
    predicted, gold = campaign(1, 30)
    both = scores_of({"S": predicted.values[0], "constant": np.full(30, 0.5)})
    found = bt.sentence_quality(both, gold, **FAST)
    assert found.systems == ("S", "constant")
    assert np.isnan(found.pearson[1])
    assert np.isnan(found.spearman[1])
    assert found.mae[1] > 0
    assert json.loads(found.to_json())["pearson"][1] is None


def test_letters_follow_williams_test():
    """Clear differences share no letter; copies share one; p-values are two-sided, by either test."""
    predicted, gold = campaign(2, 300)
    copies = scores_of(
        {"A": predicted.values[0], "copy": predicted.values[0] + 0.1, "C": predicted.values[1]}
    )
    for test in ("jackknife", "williams"):
        found = bt.sentence_quality(copies, gold, test=test)
        letters = dict(zip(found.systems, found.letters, strict=True))
        assert letters["A"] == letters["copy"]
        assert not set(letters["A"]) & set(letters["C"])
        assert found.pvalue[0, 2] < 1e-6
        assert found.pvalue[0, 2] == found.pvalue[2, 0]
        assert np.isnan(found.pvalue[0, 1])


def test_williams_test_is_that_of_r():
    """R: psych::r.test(14, 0.9, 0.7, 0.8, twotailed = TRUE)."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(3, 14))
    # Orthonormal columns, then a Cholesky factor: the three correlations are exactly 0.9, 0.7 and 0.8.
    q = np.linalg.qr((z - z.mean(axis=1, keepdims=True)).T)[0].T
    rows = np.linalg.cholesky(np.array([[1, 0.9, 0.7], [0.9, 1, 0.8], [0.7, 0.8, 1]])) @ q
    found = bt.sentence_quality(scores_of(rows[1:]), scores_of([rows[0]]), test="williams")
    assert found.pvalue[0, 1] == pytest.approx(0.03678235482, abs=1e-11)


def test_intervals_and_tests_are_those_of_leaving_out_one_sentence():
    """Plain loops with NumPy and SciPy; values lie inside their intervals."""
    stats = pytest.importorskip("scipy.stats")
    predicted, gold = campaign(2, 25, seed=2)
    found = bt.sentence_quality(predicted, gold)
    truth = gold.values[0]
    rows = [predicted.values[predicted.systems.index(name)] for name in found.systems]

    def student(estimate, each, factor=2):
        pull = each - each.mean()
        freedom = min(24, factor * (pull**2).sum() ** 2 / (pull**4).sum())
        error = math.sqrt(24 / 25 * (pull**2).sum())
        return estimate - stats.t.ppf(0.975, freedom) * error, 2 * stats.t.sf(abs(estimate) / error, freedom)

    def without(measure, *columns):
        return np.array([measure(*(np.delete(column, j) for column in columns)) for j in range(25)])

    def r(x, y):
        return np.arctanh(np.corrcoef(x, y)[0, 1])

    for i, row in enumerate(rows):
        expected = [
            np.tanh(student(r(row, truth), without(r, row, truth))[0]),
            np.tanh(
                student(
                    r(*map(stats.rankdata, (row, truth))), without(r, *map(stats.rankdata, (row, truth)))
                )[0]
            ),
            np.exp(
                student(np.log(found.mae[i]), without(lambda x, y: np.log(np.abs(x - y).mean()), row, truth))[
                    0
                ]
            ),
            np.exp(
                student(
                    np.log(found.rmse[i]), without(lambda x, y: np.log(((x - y) ** 2).mean()) / 2, row, truth)
                )[0]
            ),
        ]
        np.testing.assert_allclose(found.low[i], expected, rtol=1e-9)
        values = np.array([found.pearson[i], found.spearman[i], found.mae[i], found.rmse[i]])
        assert (found.low[i] < values).all()
        assert (values < found.high[i]).all()
    difference = without(r, rows[0], truth) - without(r, rows[1], truth)
    expected = student(r(rows[0], truth) - r(rows[1], truth), difference, factor=1)[1]
    assert found.pvalue[0, 1] == pytest.approx(expected)


def test_documents_are_left_out_as_one_where_they_are_known():
    """Copies of a sentence in its document add nothing that sentences would take for evidence."""
    predicted, gold = campaign(2, 30, seed=3)
    copied = [scores_of(np.tile(table.values, 3), systems=table.systems) for table in (predicted, gold)]
    grouped = replace(copied[0], groups=tuple(str(i % 30) for i in range(90)))
    one = bt.sentence_quality(predicted, gold)
    documents = bt.sentence_quality(grouped, copied[1])
    np.testing.assert_allclose(documents.pvalue, one.pvalue, rtol=1e-9)
    np.testing.assert_allclose(documents.low, one.low, rtol=1e-9)
    assert documents.settings.options["units"] == "groups"
    alone = bt.sentence_quality(grouped, copied[1], units="segments")
    assert alone.pvalue[0, 1] < documents.pvalue[0, 1]


@pytest.mark.parametrize("n", [2, 3])
def test_two_or_three_sentences_decide_nothing(n):
    """Correlations of so few are ±1 or close to it: no interval or a very wide one, no verdict."""
    found = bt.sentence_quality(*campaign(2, n, seed=4))
    assert found.letters == ("a", "a")


def test_segments_are_joined_by_name_and_gaps_are_told():
    """The order of the truth does not matter; a missing score is refused or left out."""
    predicted, gold = campaign(2, 25)
    turned = gold.select(None, gold.segments[::-1])
    one, other = (bt.sentence_quality(predicted, truth, **FAST) for truth in (gold, turned))
    assert one == other
    values = predicted.values.copy()
    values[0, 3] = np.nan
    gap = replace(predicted, values=values)
    with pytest.raises(bt.MissingScores):
        bt.sentence_quality(gap, gold, **FAST)
    dropped = bt.sentence_quality(gap, gold, missing="drop", **FAST)
    kept = [s for i, s in enumerate(predicted.segments) if i != 3]
    without = bt.sentence_quality(predicted.select(None, kept), gold.select(None, kept), **FAST)
    assert dropped.pearson.tolist() == without.pearson.tolist()
    assert dropped.notes


def test_shifting_the_scale_keeps_correlations_and_moves_errors():
    """Laws of the four measures."""
    predicted, gold = campaign(2, 40)
    moved = replace(predicted, values=2 * predicted.values + 1)
    one, other = (bt.sentence_quality(table, gold, **FAST) for table in (predicted, moved))
    np.testing.assert_allclose(one.pearson, other.pearson, rtol=1e-9)
    np.testing.assert_allclose(one.spearman, other.spearman, rtol=1e-9)
    assert (other.mae > one.mae).all()
    assert (one.rmse >= one.mae).all()


def test_the_result_survives_json():
    """Also with one system, which has nobody to be compared with."""
    predicted, gold = campaign(1, 15)
    found = bt.sentence_quality(predicted, gold, **FAST)
    assert bt.Result.from_dict(json.loads(found.to_json())) == found
    assert repr(found) == "SentenceQuality(1 systems by Pearson: A)"
    assert len(found.columns()) == 14


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p, _: (p, p), 'The true scores "score" have 3 rows'),
        (
            lambda p, g: (p, g.select(None, g.segments[:-1])),
            "Predictions have 80 segments and the true scores 79",
        ),
    ],
)
def test_tables_that_do_not_fit_are_refused(change, message):
    """With the numbers."""
    with pytest.raises(bt.TableError, match=message):
        bt.sentence_quality(*change(*campaign()), **FAST)


@pytest.mark.parametrize("options", [{"alpha": 0}, {"confidence": 1}, {"n_resamples": 0}])
def test_options_out_of_range_are_refused(options):
    """By name."""
    with pytest.raises(bt.BetterThanError, match=next(iter(options))):
        bt.sentence_quality(*campaign(), **options)


def test_scales_that_point_different_ways_are_noted():
    """Errors would compare apples with pears."""
    predicted, gold = campaign(1, 12)
    found = bt.sentence_quality(predicted, replace(gold, higher_is_better=False), **FAST)
    assert any("errors need one scale" in note for note in found.notes)


def test_errors_of_nothing_are_undefined():
    """NaN."""
    assert math.isnan(mean_absolute_error(np.empty(0), np.empty(0)))
    assert math.isnan(root_mean_squared_error(np.empty(0), np.empty(0)))


def test_files_of_one_number_a_line(tmp_path):
    """Line by line; faults are placed."""
    for name, text in (
        ("gold.hter", "0.1\n\n0.3\n"),
        ("a.hter", "0.2\n1e-1\n.5"),
        ("b", "1\nx\n2\n"),
        ("c", "1\n"),
    ):
        (tmp_path / name).write_text(text)
    truth, predicted = bt.read_sentence_scores(tmp_path / "gold.hter", [tmp_path / "a.hter"])
    assert predicted.values.tolist() == [[0.2, 0.1, 0.5]]
    assert np.isnan(truth.values[0, 1])
    with pytest.raises(bt.ReadError, match='b, line 2: "x" is not a number'):
        bt.read_sentence_scores(tmp_path / "gold.hter", [tmp_path / "b"])
    with pytest.raises(bt.ReadError, match=r"This file has 1 lines, but .*gold\.hter has 3"):
        bt.read_sentence_scores(tmp_path / "gold.hter", [tmp_path / "c"])
    with pytest.raises(bt.ReadError, match="No prediction was given"):
        bt.read_sentence_scores(tmp_path / "gold.hter", [])
