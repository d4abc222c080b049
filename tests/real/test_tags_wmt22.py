"""The word-level quality estimation task of WMT22: 37 submissions for eight language pairs."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.analysis.tags.tag_counts import MEASURES

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
FOLDER = DATA / "wmt22-qe-word"

pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"no {FOLDER}; set BETTERTHAN_DATA to the data's folder"
)

# Sentences and tags as the data's own description has them.
SIZES = {
    "en-cs": (1000, 18301),
    "en-de": (511, 13857),
    "en-ja": (1000, 25079),
    "en-mr": (1000, 18893),
    "en-ru": (511, 12702),
    "km-en": (992, 17890),
    "ps-en": (1000, 24466),
    "zh-en": (505, 19660),
}
SUBMISSIONS = 37


@cache
def tags_of(pair):
    """Gold and all submissions of a language pair, checked against the tokens."""
    files = sorted((FOLDER / pair / "sys").glob("*.tags.gz"))
    return bt.read_tags(FOLDER / pair / "gold.tags.gz", files, mt=FOLDER / pair / "mt_tok.txt.gz")


def test_all_files_are_read_whole():
    """Sentences, tags and submissions are those announced; one tag a token, the end of the sentence included."""
    found = {pair: (len(tags_of(pair).segments), tags_of(pair).n_words) for pair in SIZES}
    assert found == SIZES
    assert sum(len(tags_of(pair).systems) for pair in SIZES) == SUBMISSIONS
    assert all(not tags_of(pair).notes for pair in SIZES)


@pytest.mark.parametrize("pair", few(SIZES))
def test_every_score_of_every_submission_is_scikit_learns(pair):
    """To 1e-12."""
    sklearn = pytest.importorskip("sklearn.metrics")
    tags = tags_of(pair)
    ours = {name: bt.tag_counts(tags, by=name).pooled() for name in MEASURES}
    for i, one in enumerate(tags.predicted):
        precision, recall, f1, _ = sklearn.precision_recall_fscore_support(
            tags.gold, one, labels=[True, False]
        )
        expected = {
            "precision_bad": precision[0],
            "precision_ok": precision[1],
            "recall_bad": recall[0],
            "recall_ok": recall[1],
            "f1_bad": f1[0],
            "f1_ok": f1[1],
            "f1_mult": f1[0] * f1[1],
            "f1_weighted": sklearn.f1_score(tags.gold, one, average="weighted"),
            "mcc": sklearn.matthews_corrcoef(tags.gold, one),
            "accuracy": sklearn.accuracy_score(tags.gold, one),
        }
        for name, value in expected.items():
            assert ours[name][i] == pytest.approx(value, abs=1e-12), (name, tags.systems[i])


@pytest.mark.parametrize("pair", SIZES)
def test_one_class_alone_has_no_product(pair):
    """F1-mult of all-bad and of all-good is 0, at the level of words and of phrases; so is the coefficient."""
    shown = bt.with_synthetic(tags_of(pair))
    for name in ("f1_mult", "phrase_f1_mult", "mcc"):
        values = dict(zip(shown.systems, bt.tag_counts(shown, by=name).pooled().tolist(), strict=True))
        assert values["all-bad"] == values["all-good"] == 0


@pytest.mark.slow
def test_the_product_is_never_gamed_by_one_class_and_least_of_all_measures():
    """Over all eight language pairs; the coefficient is gamed by the optimist, as the paper found on WMT15."""
    measures = ["f1_bad", "f1_mult", "phrase_f1_bad", "phrase_f1_mult", "mcc", "sequence_correlation"]
    found = [bt.audition(tags_of(pair), by=measures, n_resamples=99) for pair in SIZES]
    totals = dict(zip(measures, np.sum([one.total for one in found], axis=0).tolist(), strict=True))
    optimist = found[0].synthetic.index("optimistic")
    by_mcc = sum(one.below[measures.index("mcc"), optimist] for one in found)
    by_product = sum(one.below[measures.index("f1_mult"), optimist] for one in found)
    assert by_mcc > by_product
    assert totals["f1_mult"] <= totals["mcc"]
    assert totals["f1_mult"] <= totals["f1_bad"]
    for one in found:
        row = dict(zip(one.synthetic, one.below[measures.index("f1_mult")].tolist(), strict=True))
        assert row["all-bad"] == row["all-good"] == 0


def test_the_literal_phrase_measure_is_won_by_tagging_everything():
    """E34: literally read, all-bad outscores 37 of 37 submissions (16 of 17 in the paper); bounded, 6 of 37."""
    beaten = {}
    for literal in (True, False):
        found = [
            bt.audition(tags_of(pair), by=["phrase_f1_bad"], as_published=literal, n_resamples=9)
            for pair in SIZES
        ]
        beaten[literal] = int(sum(one.below[0, one.synthetic.index("all-bad")] for one in found))
    assert beaten == {True: 37, False: 6}


@pytest.mark.slow
def test_the_coefficient_tells_fewest_systems_apart():
    """Section 3.1 says so of WMT15: "its system distinction coefficient is the lowest among all"."""
    measures = ["f1_bad", "f1_mult", "phrase_f1_bad", "phrase_f1_mult", "mcc", "sequence_correlation"]
    told = np.zeros(len(measures))
    for pair in SIZES:
        tags = tags_of(pair)
        m = len(tags.systems)
        told += bt.audition(tags, by=measures, n_resamples=1999).d * m * (m - 1) / 2
    assert measures[int(told.argmin())] == "mcc"


def test_spans_and_sequences_are_those_of_literal_loops():
    """Half of the sentences of one pair, span by span."""
    from tests.kernels.tags.test_sequence_correlation import literal as sequence_of
    from tests.kernels.tags.test_spans import literal as spans_of

    tags = tags_of("en-ru")
    spans = bt.tag_counts(tags, by="phrase_f1_bad").values
    sequences = bt.tag_counts(tags, by="sequence_correlation").values
    for j in range(0, len(tags.segments), 2):
        words = slice(tags.offsets[j], tags.offsets[j + 1])
        for i, one in enumerate(tags.predicted):
            np.testing.assert_allclose(spans[i, j], spans_of(tags.gold[words], one[words]), rtol=1e-12)
            assert sequences[i, j, 0] == pytest.approx(sequence_of(tags.gold[words], one[words]), rel=1e-12)
