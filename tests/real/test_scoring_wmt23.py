"""WMT23 outputs in six language pairs: our counts give sacreBLEU's scores, of every system and segment."""

from __future__ import annotations

import gzip
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from tests.everyday import few

import betterthan as bt
from betterthan.scoring.tokens import choose_tokenizer

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data")) / "wmt23-general-text"
SIZES = {"de-en": (13, 549), "en-de": (12, 557), "he-en": (12, 1910), "zh-en": (15, 1976)}
SIZES |= {"en-zh": (15, 2074), "en-ja": (16, 2074)}  # as the data's README has them
EVERY = 200  # one segment in so many is scored in the everyday run

pytestmark = pytest.mark.skipif(
    not DATA.exists(), reason=f"no {DATA}; set BETTERTHAN_DATA to the data's folder"
)


@cache
def texts(pair):
    """The outputs and references of a language pair."""
    folder = DATA / pair
    references = sorted(folder.glob("ref*.txt.gz"))
    systems = {path.name.partition(".")[0]: path for path in sorted((folder / "sys").iterdir())}
    table = bt.read_texts(systems, references={path.name[:4]: path for path in references})
    assert (len(table.systems), len(table.segments)) == SIZES[pair]
    return table


def tokenizer_for(pair):
    """By language; characters where MeCab is not installed."""
    choice = choose_tokenizer(None, pair[3:])
    try:
        BLEU(tokenize=choice.name)
    except RuntimeError:
        return "char"
    return choice.name


@cache
def lines_of(path):
    """The lines of a file, by Python alone; two outputs of AIRC begin with a byte order mark, which is no text."""
    with gzip.open(path, "rt", encoding="utf-8-sig", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def differences(counts, pair, corpus, sentence, segments):
    """Largest differences from sacreBLEU of corpus scores and of sentence scores, over these segments."""
    references = [lines_of(path) for path in sorted((DATA / pair).glob("ref*.txt.gz"))]
    references = [[lines[i] for i in segments] for lines in references]
    of_corpus, of_sentences = [], []
    for path in sorted((DATA / pair / "sys").iterdir()):
        every = lines_of(path)
        lines = [every[i] for i in segments]
        of_corpus.append(corpus.corpus_score(lines, references).score)
        of_sentences.append(
            [
                sentence.sentence_score(line, those).score
                for line, *those in zip(lines, *references, strict=True)
            ]
        )
    each = counts.per_segment().values
    return np.abs(counts.pooled() - of_corpus).max(), np.abs(each - of_sentences).max()


def metrics_for(pair, segments):
    """Our counts beside sacreBLEU's metrics."""
    table = texts(pair)
    table = table.select(segments=[table.segments[i] for i in segments])
    tokenize = tokenizer_for(pair)
    bleu = {"tokenize": tokenize, "force": True}
    return {
        "BLEU": (bt.bleu(table, tokenize=tokenize), BLEU(**bleu), BLEU(**bleu, effective_order=True)),
        "chrF": (bt.chrf(table), CHRF(), CHRF()),
        "chrF++": (bt.chrf(table, word_order=2), CHRF(word_order=2), CHRF(word_order=2)),
    }


@pytest.mark.parametrize("pair", few(SIZES))
def test_scores_of_a_sample_are_those_of_sacrebleu(pair):
    """A few segments spread over the set, of every system; the rest is done in the slow test."""
    segments = range(0, SIZES[pair][1], EVERY)
    for name, (counts, corpus, sentence) in metrics_for(pair, segments).items():
        assert counts.values.shape[:2] == (SIZES[pair][0], len(segments))
        assert np.all((counts.pooled() > 0) & (counts.pooled() < 100))
        assert max(differences(counts, pair, corpus, sentence, segments)) <= 1e-12, name


@pytest.mark.slow
@pytest.mark.timeout(3600)  # sacreBLEU takes about a minute a pair on an idle machine
@pytest.mark.parametrize("pair", SIZES)
def test_every_score_is_that_of_sacrebleu(pair, record_property):
    """Every system, corpus and every sentence, to 1e-12; chrF to the last digit."""
    segments = range(SIZES[pair][1])
    for name, (counts, corpus, sentence) in metrics_for(pair, segments).items():
        assert counts.values.shape[:2] == SIZES[pair]
        largest = differences(counts, pair, corpus, sentence, segments)
        record_property(name, largest)
        assert max(largest) <= (1e-12 if name == "BLEU" else 0), name


def test_references_turned_round_are_refused():
    """E32: the call that sacreBLEU answers with the score of one segment."""
    table = texts("de-en")
    turned = [[line] for line in table.references[0]]
    outputs = dict(zip(table.systems, table.outputs, strict=True))
    with pytest.raises(bt.TableError, match="references has the shape 549 × 1, one list per segment"):
        bt.bleu(outputs, turned)


@pytest.mark.slow
def test_chinese_by_13a_is_another_metric():
    """E33: literally 13a, systems score less than half of what they do when characters count, and a note says so."""
    table = texts("en-zh")
    table = table.select(segments=table.segments[::5])
    split, literal = bt.bleu(table, language="zh"), bt.bleu(table, language="zh", literal=True)
    assert np.all(literal.pooled() < split.pooled() / 2)
    assert any("does not split into words" in note for note in bt.bleu(table).notes)
