"""TER on the texts of WMT23: sacreBLEU's scores of every system, corpus and sentences.

sacreBLEU takes a tenth of a second for a segment, so that it is asked about some of them, evenly spread.
"""

from __future__ import annotations

import gzip
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import TER

import betterthan as bt

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
FOLDER = DATA / "wmt23-general-text"

pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason=f"no {FOLDER}; set BETTERTHAN_DATA to the data's folder"
)
CHARACTERS = {"normalized": True, "asian_support": True}


@cache
def texts_of(pair):
    """Outputs by system, and one or two references."""

    def lines(path):
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            return [line.rstrip("\n") for line in file]

    outputs = {path.name.split(".")[0]: lines(path) for path in sorted((FOLDER / pair / "sys").iterdir())}
    return outputs, [lines(path) for path in sorted((FOLDER / pair).glob("ref*"))]


def largest_differences(pair, every, options):
    """Score every so-manieth segment; return the largest differences of corpus and of sentence scores."""
    outputs, references = texts_of(pair)
    outputs = {name: lines[::every] for name, lines in outputs.items()}
    references = [lines[::every] for lines in references]
    counts = bt.ter(outputs, references, **options)
    metric = TER(**options)
    corpus, sentences = [], []
    for lines in outputs.values():
        scores = [
            metric.sentence_score(line, those)
            for line, those in zip(lines, zip(*references, strict=True), strict=True)
        ]
        sentences.append([score.score for score in scores])
        # What corpus_score does with the same statistics; asked itself it would count them once more.
        sums = [sum(score.num_edits for score in scores), sum(score.ref_length for score in scores)]
        corpus.append(metric._compute_score_from_stats(sums).score)
    last = metric.corpus_score(lines, references)
    assert last.score == pytest.approx(corpus[-1], abs=1e-9)
    assert counts.formula.name == f"TER|{metric.get_signature()}"
    assert counts.n_systems == len(outputs) >= 12
    return (
        np.abs(counts.pooled() - corpus).max(),
        np.abs(counts.per_segment().values - np.array(sentences)).max(),
    )


@pytest.mark.parametrize(("pair", "every"), [("zh-en", 281), ("he-en", 239)])
def test_scores_are_those_of_sacrebleu(pair, every):
    """One reference, and two."""
    assert max(largest_differences(pair, every, {})) <= 1e-9


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("pair", "every", "options"),
    [
        ("de-en", 29, {}),
        ("en-de", 31, {}),
        ("en-ja", 1, {}),
        ("en-ja", 59, CHARACTERS),
        ("en-zh", 1, {}),
        ("en-zh", 59, CHARACTERS),
        ("he-en", 23, {}),
        ("he-en", 59, {"normalized": True, "no_punct": True, "case_sensitive": True}),
        ("zh-en", 23, {}),
    ],
)
def test_scores_of_all_language_pairs_are_those_of_sacrebleu(pair, every, options):
    """Long segments, two references, and texts split into characters."""
    assert max(largest_differences(pair, every, options)) <= 1e-9


@pytest.mark.slow
def test_the_whole_test_set_is_counted():
    """Every segment of every system; the sums of a part are those of the part."""
    outputs, references = texts_of("zh-en")
    whole = bt.ter(outputs, references)
    part = bt.ter({name: lines[100:400] for name, lines in outputs.items()}, [references[0][100:400]])
    assert whole.values.shape == (15, 1976, 2)
    assert np.array_equal(whole.values[:, 100:400], part.values)
    assert (whole.values[..., 1] == [len(line.split()) for line in references[0]]).all()
