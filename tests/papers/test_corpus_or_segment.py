"""Cavalin, Domingues and Pinhanez (2024), on corpus-level and segment-level aggregation: what holds, what does not."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from tests.made import accuracy_counts

import betterthan as bt

WORDS = (
    "the",
    "a",
    "of",
    "cat",
    "dog",
    "house",
    "tree",
    "runs",
    "sleeps",
    "under",
    "over",
    "green",
    "old",
    "and",
    ".",
)


def made_texts(m=8, n=150, seed=0):
    """References of 3 to 30 words, and systems that keep more and more of them."""
    rng = np.random.default_rng(seed)
    references = [list(rng.choice(WORDS, length)) for length in rng.integers(3, 31, n)]
    outputs = {}
    for s in range(m):
        kept = 0.4 + 0.4 * s / m
        lines = []
        for line in references:
            other = rng.choice(WORDS, len(line))
            lines.append(
                " ".join(
                    a if keep else b
                    for a, b, keep in zip(line, other, rng.random(len(line)) < kept, strict=True)
                )
            )
        outputs[f"S{s}"] = lines
    return outputs, [" ".join(line) for line in references]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), min_size=1, max_size=30))
def test_equations_1_to_3_the_ratio_of_sums_is_a_mean_of_ratios_weighted_by_length(segments):
    """BLEU, as the paper simplifies it, is Σ (w_i / w) (m_i / w_i); m-BLEU is Σ (1 / n) (m_i / w_i)."""
    table = accuracy_counts([segments])
    weights = bt.length_weights(table) if any(m for m, _ in segments) else None
    ratios = np.array([m / w for m, w in segments])
    lengths = np.array([w for _, w in segments])
    assert table.pooled()[0] == pytest.approx((lengths / lengths.sum() * ratios).sum())
    assert table.per_segment().values.mean() == pytest.approx((ratios / len(segments)).sum())
    if weights is not None and weights.length == "all":
        assert weights.pooled[0] == pytest.approx(lengths / lengths.sum())


def test_the_three_implementations_are_those_of_the_paper():
    """§4.2, 4.3: corpus_bleu; the mean of sentence_bleu; corpus_bleu of drawn corpora, averaged. Likewise chrF."""
    outputs, reference = made_texts(m=1, n=25)
    for count, corpus, sentence in (
        (bt.bleu, sacrebleu.corpus_bleu, sacrebleu.sentence_bleu),
        (bt.chrf, sacrebleu.corpus_chrf, sacrebleu.sentence_chrf),
    ):
        found = bt.aggregate(count(outputs, reference), n_resamples=60, size=25)
        for i, name in enumerate(found.systems):
            lines = outputs[name]
            singles = [sentence(x, [y]).score for x, y in zip(lines, reference, strict=True)]
            assert found.pooled[i] == pytest.approx(corpus(lines, [reference]).score, abs=1e-9)
            assert found.segment_mean[i] == pytest.approx(np.mean(singles), abs=1e-9)
            rng = np.random.default_rng(1)
            drawn = rng.integers(0, 25, size=(60, 25))
            scores = [corpus([lines[k] for k in row], [[reference[k] for k in row]]).score for row in drawn]
            # Other draws: within four standard errors of both means.
            assert found.bootstrap_mean[i] == pytest.approx(
                np.mean(scores), abs=4 * np.std(scores) * np.sqrt(2 / 60)
            )


def test_bootstrapped_corpus_scores_follow_corpus_scores():
    """§4.4 reports r = 0.53 between the two; on any data the draws average around the pooled score."""
    outputs, reference = made_texts()
    found = bt.aggregate(bt.bleu(outputs, reference), n_resamples=300)
    assert np.corrcoef(found.pooled, found.bootstrap_mean)[0, 1] > 0.9999
    assert found.bootstrap_mean == pytest.approx(found.pooled, rel=0.01)


def test_references_turned_round_are_silently_scored_by_the_first_output_alone():
    """E32: N lists of one in sacreBLEU's call; no other output matters, so a corpus is like one sample."""
    outputs, reference = made_texts(m=2, n=30)
    turned = [[line] for line in reference]
    lines = outputs["S1"]
    whole = sacrebleu.corpus_bleu(lines, turned).score
    assert whole == sacrebleu.corpus_bleu([lines[0], *outputs["S0"][1:]], turned).score
    assert whole == sacrebleu.corpus_bleu(lines[:1], turned).score
    assert whole != pytest.approx(sacrebleu.corpus_bleu(lines, [reference]).score, abs=1)


def test_references_turned_round_reproduce_the_published_pattern():
    """E32: "corpus" scores then follow neither of the other two, which follow each other."""
    outputs, reference = made_texts(m=20, n=40)
    rng = np.random.default_rng(2)
    # The first segment is the luck of each data set, so every system has its own.
    rows = {name: rng.permutation(40) for name in outputs}
    three = []
    for name, lines in outputs.items():
        hypothesis, wanted = ([text[i] for i in rows[name]] for text in (lines, reference))
        drawn = rng.integers(0, 40, size=(12, 10))
        corpora = [
            sacrebleu.corpus_bleu([hypothesis[i] for i in some], [[wanted[i]] for i in some]).score
            for some in drawn
        ]
        singles = [sacrebleu.sentence_bleu(x, [y]).score for x, y in zip(hypothesis, wanted, strict=True)]
        whole = sacrebleu.corpus_bleu(hypothesis, [[line] for line in wanted]).score
        three.append((whole, np.mean(singles), np.mean(corpora)))
    r = np.corrcoef(np.array(three).T)
    assert r[1, 2] > 0.8
    assert r[0, 1] < r[1, 2] - 0.1
    assert r[0, 2] < r[1, 2] - 0.1


@pytest.mark.parametrize("count", [bt.bleu, bt.chrf, bt.ter])
def test_we_refuse_references_turned_round(count):
    """With the call that turns them back."""
    outputs, reference = made_texts(m=2, n=30)
    with pytest.raises(bt.TableError, match=r"30 × 1, one list per segment.*list\(zip\(\*references\)\)"):
        count(outputs, [[line] for line in reference])


def test_more_segments_help_both_aggregations():
    """§4.6 finds that corpus-level scores do not gain from more segments; counted rightly, they do, as much."""
    outputs, reference = made_texts(m=12, n=400, seed=5)
    counts = bt.bleu(outputs, reference)
    whole, singles = counts.pooled(), counts.per_segment().values
    rng = np.random.default_rng(0)
    found = {}
    for size in (1, 10, 100):
        both = []
        for _ in range(60):
            rows = rng.choice(400, size, replace=False)
            some = counts.formula.pooled(counts.values[:, rows].sum(axis=1)), singles[:, rows].mean(axis=1)
            # Where a single segment is as good from all systems, there is no correlation.
            if all(np.ptp(scores) > 0 for scores in some):
                both.append([np.corrcoef(scores, whole)[0, 1] for scores in some])
        found[size] = np.mean(both, axis=0)
    assert found[1][0] < found[10][0] - 0.05 < found[100][0] - 0.05
    assert found[100][0] > 0.95
    assert found[100][0] >= found[100][1] - 0.02


def test_standard_deviations_exist_for_corpus_level_scores_too():
    """§3.1 says they do not; the bootstrap of counts gives them for all three."""
    outputs, reference = made_texts(m=2, n=80)
    found = bt.aggregate(bt.bleu(outputs, reference), n_resamples=300)
    for way in ("pooled", "segment_mean", "bootstrap_mean"):
        assert (getattr(found, f"{way}_low") < getattr(found, way)).all()
        assert (getattr(found, way) < getattr(found, f"{way}_high")).all()


def test_the_signature_says_what_each_level_did():
    """E33: sentence BLEU has effective order, corpus BLEU has not; both are said."""
    outputs, reference = made_texts(m=1, n=5)
    counts = bt.bleu(outputs, reference)
    assert "|eff:no|" in counts.formula.name
    assert any("eff:yes" in note for note in counts.notes)
