"""Corpus- and segment-level BLEU and chrF on outputs of WMT: against sacreBLEU, and against a paper's claims."""

from __future__ import annotations

import importlib.util
import os
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from scipy import stats

import betterthan as bt
from betterthan.analysis.bootstrap_mean import STREAM
from betterthan.engine.streams import stream

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
NEEDED = ("wmt23-general-text", "wmt23-mqm-3raters", "wmt21-newstest-mqm", "wmt21-ted-mqm")

pytestmark = pytest.mark.skipif(
    not all((DATA / name).exists() for name in NEEDED),
    reason=f"not all of {', '.join(NEEDED)} in {DATA}; set BETTERTHAN_DATA to the data's folder",
)


@cache
def script():
    """The code that makes the page's tables."""
    spec = importlib.util.spec_from_file_location("corpus_or_segment", ROOT / "docs" / "corpus_or_segment.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def some_counts(metric):
    """Four German systems, one of them (AIRC) far from the others."""
    texts = script().wmt23(DATA, "en-de").select(["AIRC", "GPT4-5shot", "ONLINE-B", "ONLINE-Y"])
    return texts, script().METRICS[metric](texts, "de")


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


def test_bootstrap_means_follow_pooled_scores_on_every_kind_of_text():
    """The paper reports r = 0.53; the two are one score with a bias of a tenth of a point at most."""
    for pair in ("en-de", "he-en"):
        counts = bt.chrf(script().wmt23(DATA, pair))
        pooled, _, drawn = script().three_ways(counts)
        assert stats.pearsonr(pooled, drawn).statistic > 0.9999
        assert np.abs(pooled - drawn).max() < 0.1


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


def shown_rows(title):
    """Rows of one of the page's tables."""
    text = (ROOT / "docs" / "papers" / "corpus-or-segment.md").read_text(encoding="utf-8")
    part = text.split(f"### {title}\n", 1)[1].split("\n### ", 1)[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in part.splitlines()
        if line.startswith("| ") and "---" not in line
    ][1:]


def numbers(cells):
    """Cells as numbers."""
    return [float(re.sub("[−]", "-", cell)) for cell in cells]


def test_the_page_shows_what_is_computed():
    """One row of the table inside language pairs, from counts made anew."""
    counts = bt.chrf(script().wmt23(DATA, "en-de"))
    three = script().three_ways(counts)
    (row,) = [row for row in shown_rows("Inside each language pair") if row[:2] == ["chrF", "en-de"]]
    r = [stats.pearsonr(three[i], three[j]).statistic for i, j in ((0, 1), (0, 2), (1, 2))]
    assert numbers(row[4:7]) == pytest.approx(r, abs=6e-4)
    assert numbers(row[7:10]) == pytest.approx(three.mean(axis=1), abs=0.06)


def test_human_scores_are_the_means_of_the_files():
    """Talks: pandas' own grouping, and the correlations on the page."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(
        DATA / "wmt21-ted-mqm" / "en-de.tsv.gz", sep="\t", quoting=3, keep_default_na=False
    )
    expected = frame.astype({"mqm": float}).groupby("system").mqm.mean()
    (one,) = [x for x in script().talks(DATA) if x.language_pair == "en-de"]
    assert one.human == pytest.approx({name: expected[name] for name in one.texts.systems})
    found = script().with_people(one)
    (row,) = [row for row in shown_rows("With people") if row[:2] == ["WMT21 TED MQM", "en-de"]]
    assert numbers(row[4:]) == pytest.approx([*found["BLEU"], *found["chrF"]], abs=6e-4)


def test_what_the_page_says_about_the_paper():
    """The sentences of the page, from its own tables: every claim that is not borne out, and the one that is."""
    across = {row[0]: numbers(row[1:4]) for row in shown_rows("Three ways across systems")}
    for metric in ("BLEU, ours", "BLEU, 13a everywhere, ours", "chrF, ours"):
        assert across[metric][0] > 0.9  # pooled and segments do not correlate weakly
        assert across[metric][1] > 0.999  # nor does pooled with its own bootstrap
    for what in ("all", "with spaces"):
        turned = across[f"BLEU 13a, references turned round, {what}"]
        assert max(turned[:2]) < turned[2] - 0.1  # the published pattern
    people = {row[0]: row[4:] for row in shown_rows("With people")}
    published = numbers(people["as published, DA"][:3])
    assert numbers(people["references turned round, DA"][:3]) == pytest.approx(published, abs=0.1)
    for what in ("**mean, DA**", "**mean, MQM**"):  # the averages differ by two hundredths at most
        means = numbers(people[what])
        assert means[0::3] == pytest.approx(means[1::3], abs=0.0205)
    rows = [numbers(row[4:]) for row in shown_rows("With people") if row[1]]
    assert len(rows) == 11
    assert sum((row[1] > row[0]) + (row[4] > row[3]) for row in rows) == 9  # nine of 22
    sizes = {(row[0], int(row[1])): numbers(row[2:]) for row in shown_rows("Small test sets")}
    for metric in ("BLEU", "chrF"):
        assert sizes[metric, 1][0] < sizes[metric, 10][0] < sizes[metric, 100][0]


@pytest.mark.slow
def test_the_whole_page_can_be_made_again():
    """Every table, character by character."""
    text = script().PAGE.read_text(encoding="utf-8")
    shown = text[text.index(script().BEGIN) : text.index(script().END) + len(script().END)]
    assert script().made(DATA) == shown
