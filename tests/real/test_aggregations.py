"""Corpus- and segment-level BLEU and chrF on outputs of WMT, against sacreBLEU."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from scipy import stats

import betterthan as bt
from betterthan.analysis.rank.bootstrap_mean import STREAM
from betterthan.engine.blocks import stream
from betterthan.studies.translated import read_translated

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))

pytestmark = pytest.mark.skipif(
    not (DATA / "wmt23-general-text").exists(),
    reason=f"no wmt23-general-text in {DATA}; set BETTERTHAN_DATA to the data's folder",
)


COUNTERS = {"BLEU": bt.bleu, "chrF": bt.chrf}


@cache
def texts_of(pair):
    """All systems of a language pair of WMT23, against reference A."""
    (one,) = read_translated(DATA / "wmt23-general-text" / pair)
    return one.texts


@cache
def some_counts(metric):
    """Four German systems, one of them (AIRC) far from the others."""
    texts = texts_of("en-de").select(["AIRC", "GPT4-5shot", "ONLINE-B", "ONLINE-Y"])
    return texts, COUNTERS[metric](texts)


@pytest.mark.parametrize(
    ("metric", "corpus", "sentence"),
    [
        ("BLEU", sacrebleu.corpus_bleu, sacrebleu.sentence_bleu),
        ("chrF", sacrebleu.corpus_chrf, sacrebleu.sentence_chrf),
    ],
)
def test_all_three_are_those_of_sacrebleu(metric, corpus, sentence):
    """Corpus score, mean of sentence scores, and the first two drawn corpora, on real texts."""
    texts, counts = some_counts(metric)
    (reference,) = texts.references
    lines = texts.outputs[0]
    assert counts.pooled()[0] == pytest.approx(corpus(lines, [reference]).score, abs=1e-9)
    singles = [sentence(x, [y]).score for x, y in zip(lines, reference, strict=True)]
    assert counts.per_segment().values[0] == pytest.approx(singles, abs=1e-9)
    found = bt.aggregate(counts, n_resamples=2, size=300)
    drawn = stream(12345, STREAM, 0).integers(0, len(lines), size=(2, 300))
    scores = [corpus([lines[i] for i in row], [[reference[i] for i in row]]).score for row in drawn]
    place = found.systems.index(texts.systems[0])
    assert found.bootstrap_mean[place] == pytest.approx(np.mean(scores), abs=1e-9)


@pytest.mark.slow
def test_bootstrap_means_follow_pooled_scores_on_every_kind_of_text():
    """The paper reports r = 0.53; the two are one score with a bias of a tenth of a point at most."""
    for pair in ("en-de", "he-en"):
        found = bt.aggregate(bt.chrf(texts_of(pair)), n_resamples=1000, size=1000)
        pooled, drawn = found.pooled, found.bootstrap_mean
        assert stats.pearsonr(pooled, drawn).statistic > 0.9999
        assert np.abs(pooled - drawn).max() < 0.1


@pytest.mark.slow
def test_explanation_by_leaving_out_is_that_of_sacrebleu():
    """The segment that moves the pooled difference most, deleted from both files."""
    texts, counts = some_counts("BLEU")
    found = bt.explain(counts, "ONLINE-B", "ONLINE-Y")
    (reference,) = texts.references
    first = found.movers[0]
    kept = [i for i, segment in enumerate(texts.segments) if segment != first.segment]
    scores = []
    for name in ("ONLINE-B", "ONLINE-Y"):
        lines = texts.outputs[texts.systems.index(name)]
        scores.append(sacrebleu.corpus_bleu([lines[i] for i in kept], [[reference[i] for i in kept]]).score)
    assert first.effect_without == pytest.approx(scores[0] - scores[1], abs=1e-9)
