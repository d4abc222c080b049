"""Counts of word tags, ranked and compared by measures on their sums."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.made_tags import drawn_tags

import betterthan as bt
from betterthan.analysis.tags.tag_counts import MEASURES
from betterthan.engine.blocks import stream
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.kernels.sign_flips.permutation import random_signs

WORDS = [name for name in MEASURES if not name.startswith(("phrase", "sequence"))]


def by_sklearn(name, gold, tags):
    """One score by scikit-learn."""
    sklearn = pytest.importorskip("sklearn.metrics")
    f1 = [sklearn.f1_score(gold, tags, pos_label=label, zero_division=np.nan) for label in (True, False)]
    return {
        "f1_bad": lambda: f1[0],
        "f1_ok": lambda: f1[1],
        "f1_mult": lambda: f1[0] * f1[1],
        "f1_weighted": lambda: sklearn.f1_score(gold, tags, average="weighted"),
        "mcc": lambda: sklearn.matthews_corrcoef(gold, tags),
        "precision_bad": lambda: sklearn.precision_score(gold, tags, zero_division=np.nan),
        "recall_bad": lambda: sklearn.recall_score(gold, tags, zero_division=np.nan),
        "precision_ok": lambda: sklearn.precision_score(gold, tags, pos_label=False, zero_division=np.nan),
        "recall_ok": lambda: sklearn.recall_score(gold, tags, pos_label=False, zero_division=np.nan),
        "accuracy": lambda: sklearn.accuracy_score(gold, tags),
    }[name]()


@pytest.mark.parametrize("name", WORDS)
def test_pooled_scores_are_scikit_learns(name):
    """All words of all segments together, synthetic labelings too."""
    tags = bt.with_synthetic(drawn_tags())
    expected = [by_sklearn(name, tags.gold, one) for one in tags.predicted]
    np.testing.assert_allclose(bt.tag_counts(tags, by=name).pooled(), expected, atol=1e-12)


def swapped(tags, a, b, swap):
    """The tags of two systems, exchanged on some segments, word by word."""
    words = np.repeat(swap, np.diff(tags.offsets))
    one, other = tags.predicted[a], tags.predicted[b]
    return np.where(words, other, one), np.where(words, one, other)


@pytest.mark.parametrize("name", ["f1_mult", pytest.param("mcc", marks=pytest.mark.slow)])
def test_randomisation_is_the_literal_loop(name):
    """Swap the tags of whole segments, score both corpora with scikit-learn, count."""
    tags, n_resamples = drawn_tags(3, 15, seed=3), 60
    found = bt.compare(
        bt.tag_counts(tags, by=name), method="monte_carlo", correction="bonferroni", n_resamples=n_resamples
    )
    signs = random_signs(n_resamples, 15, stream(12345, "permutation of counts", 0))
    score = [by_sklearn(name, tags.gold, one) for one in tags.predicted]
    for a, b in itertools.combinations(range(3), 2):
        seen = abs(score[a] - score[b])
        far = 0
        for row in signs:
            left, right = swapped(tags, a, b, row < 0)
            far += abs(by_sklearn(name, tags.gold, left) - by_sklearn(name, tags.gold, right)) >= seen - 1e-12
        pair = found.pair(f"S{a}", f"S{b}")
        assert pair.pvalue == (far + 1) / (n_resamples + 1)
        assert pair.adjusted == min(1.0, 3 * pair.pvalue)


def test_the_bootstrap_is_the_literal_loop():
    """Draw segments, put their words together, score them with scikit-learn."""
    tags = drawn_tags(2, 12, seed=4)
    found = bt.rank(bt.tag_counts(tags, by="f1_mult"), interval="percentile", n_resamples=80)
    draws = bootstrap_counts(80, 12, stream(12345, "bootstrap of pooled scores", 0)).astype(int)
    scores = []
    for row in draws:
        words = np.concatenate(
            [np.arange(tags.offsets[i], tags.offsets[i + 1]) for i in np.repeat(np.arange(12), row)]
        )
        scores.append([by_sklearn("f1_mult", tags.gold[words], one[words]) for one in tags.predicted])
    order = [tags.systems.index(name) for name in found.systems]
    low, high = np.quantile(np.array(scores)[:, order], [0.025, 0.975], axis=0)
    np.testing.assert_allclose(found.low, low, atol=1e-12)
    np.testing.assert_allclose(found.high, high, atol=1e-12)


@pytest.mark.parametrize("name", MEASURES)
def test_order_of_segments_and_of_systems_does_not_matter(name):
    """Sums know no order."""
    tags = drawn_tags(3, 10, seed=5)
    turned = np.arange(10)[::-1]
    words = np.concatenate([np.arange(tags.offsets[i], tags.offsets[i + 1]) for i in turned])
    other = bt.WordTags(
        systems=tags.systems[::-1],
        segments=[tags.segments[i] for i in turned],
        gold=tags.gold[words],
        predicted=tags.predicted[::-1][:, words],
        offsets=np.concatenate([[0], np.cumsum(np.diff(tags.offsets)[turned])]),
    )
    np.testing.assert_allclose(
        bt.tag_counts(tags, by=name).pooled()[::-1], bt.tag_counts(other, by=name).pooled(), rtol=1e-12
    )


@pytest.mark.parametrize("name", MEASURES)
def test_repeating_every_segment_changes_nothing(name):
    """The pooled score of a corpus is that of the corpus twice."""
    tags = drawn_tags(2, 8, seed=6)
    twice = bt.WordTags(
        systems=tags.systems,
        segments=[*tags.segments, *(f"{s}b" for s in tags.segments)],
        gold=np.tile(tags.gold, 2),
        predicted=np.tile(tags.predicted, 2),
        offsets=np.concatenate([tags.offsets, tags.offsets[1:] + tags.n_words]),
    )
    np.testing.assert_allclose(
        bt.tag_counts(tags, by=name).pooled(), bt.tag_counts(twice, by=name).pooled(), rtol=1e-12
    )


def test_sequence_correlation_is_a_mean_over_sentences():
    """Pooled and the mean of segments are the same number."""
    counts = bt.tag_counts(drawn_tags(), by="sequence_correlation")
    np.testing.assert_allclose(counts.pooled(), counts.per_segment().values.mean(axis=1), rtol=1e-12)


def test_the_literal_reading_is_labelled():
    """In the name, in the notes, in the signature; other measures have no such reading."""
    tags = drawn_tags()
    literal = bt.tag_counts(tags, by="phrase_f1_bad", as_published=True)
    assert literal.name == literal.formula.name == "phrase_f1_bad_as_published"
    assert "truncated at 1" in literal.notes[0]
    assert "score:phrase_f1_bad_as_published" in bt.compare(literal, n_resamples=9).settings.signature
    with pytest.raises(bt.BetterThanError, match="another reading of the phrase measures"):
        bt.tag_counts(tags, by="mcc", as_published=True)


def test_an_own_formula_takes_the_four_counts():
    """The default of F-beta in information retrieval, here as anyone's."""

    def f2(sums):
        tp, fp, fn = (sums[..., i] for i in range(3))
        return 5 * tp / (5 * tp + 4 * fn + fp)

    sklearn = pytest.importorskip("sklearn.metrics")
    tags = drawn_tags()
    found = bt.tag_counts(tags, by=bt.Formula(name="F2", pooled=f2))
    expected = [sklearn.fbeta_score(tags.gold, one, beta=2) for one in tags.predicted]
    np.testing.assert_allclose(found.pooled(), expected, rtol=1e-12)
    assert found.name == "F2"


def test_an_unknown_measure_is_named_with_the_nearest():
    """A slip of the pen."""
    with pytest.raises(bt.UnknownName, match='Did you mean "f1_mult"'):
        bt.tag_counts(drawn_tags(), by="f1_mul")


def test_what_is_undefined_is_said():
    """Nothing tagged BAD has no BAD precision; a constant has a coefficient of 0 by convention."""
    tags = bt.with_synthetic(drawn_tags())
    precision = bt.tag_counts(tags, by="precision_bad")
    assert np.isnan(precision.pooled()[tags.systems.index("all-good")])
    assert precision.notes == ("precision_bad is undefined (0/0) for all-good.",)
    assert bt.tag_counts(tags, by="mcc").notes == (
        "MCC is 0 by convention for labelings with a single tag: all-bad, all-good.",
    )
    all_ok = drawn_tags(share=0.0)
    assert bt.tag_counts(all_ok, by="mcc").notes == (
        "All gold tags are the same, so MCC is 0 by convention.",
    )
    ranked = bt.rank(precision.select(["S0", "S1", "all-good"]), n_resamples=20)
    assert ranked.systems[-1] == "all-good"
    assert np.isnan(ranked.strength[-1])


@pytest.mark.parametrize("name", ["f1_mult", "phrase_f1_mult"])
def test_a_labelling_of_one_class_has_no_product(name):
    """0, whatever the gold tags are."""
    tags = bt.with_synthetic(drawn_tags(seed=8))
    values = dict(zip(tags.systems, bt.tag_counts(tags, by=name).pooled().tolist(), strict=True))
    assert values["all-bad"] == values["all-good"] == 0


def test_documents_stay_with_their_segments():
    """So that they can be the units."""
    tags = drawn_tags(n=20, groups=[str(i // 4) for i in range(20)])
    counts = bt.tag_counts(tags)
    assert counts.groups == tags.groups
    assert "units:groups" in bt.compare(counts, units="groups", n_resamples=9).settings.signature


def test_labellings_do_not_depend_on_the_systems_and_follow_the_seed():
    """The same gold tags and seed give the same labelings; a name that is taken is refused."""
    tags = drawn_tags(2)
    fewer = bt.WordTags(
        systems=["S1"],
        segments=tags.segments,
        gold=tags.gold,
        predicted=tags.predicted[1:],
        offsets=tags.offsets,
    )
    np.testing.assert_array_equal(
        bt.with_synthetic(fewer).predicted[1:], bt.with_synthetic(tags).predicted[2:]
    )
    assert (
        bt.with_synthetic(tags, rng=1).predicted[-1] != bt.with_synthetic(tags, rng=2).predicted[-1]
    ).any()
    with pytest.raises(bt.TableError, match='A system is called "all-bad"'):
        bt.with_synthetic(bt.with_synthetic(tags))
