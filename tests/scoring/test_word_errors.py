"""Error rates of words and characters: jiwer's numbers, normalization, and empty texts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import TableError

CASES = json.loads(Path(__file__).with_name("peers.json").read_text(encoding="utf-8"))["words"]


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_jiwer(name):
    """Edits by kind, and all rates."""
    case = CASES[name]
    outputs = {"A": case["outputs"], "other": case["references"]}
    for metric, expected in case["expected"].items():
        counts = bt.score(outputs, case["references"], metric=metric)
        assert counts.pooled() == pytest.approx([expected, 0], abs=1e-12)
        if metric != "cer":
            assert counts.values[0].sum(axis=0).tolist() == case["counts"]
        assert not counts.higher_is_better


def test_normalization_is_in_the_signature():
    """Case and punctuation, of any script; no mark that is not one."""
    references, outputs = ["It's here, NOW. 「日本」 5€"], {"A": ["its here now 日本 5€"]}
    assert bt.score(outputs, references, metric="wer").pooled() == pytest.approx([4 / 5])
    counts = bt.score(outputs, references, metric="wer", lowercase=True, no_punct=True)
    assert counts.pooled() == pytest.approx([0])
    assert counts.formula.name == f"WER|tok:spaces|case:lc|punct:no|version:{bt.__version__}"


def test_empty_references_count_what_was_inserted():
    """Of the whole set; alone such a segment is 1 or 0."""
    counts = bt.score({"A": ["x y", "a", ""]}, ["", "a b", ""], metric="wer")
    assert counts.pooled() == pytest.approx([3 / 2])
    assert counts.per_segment().values.tolist() == [[1, 0.5, 0]]
    assert any("2 segments have no words (1, 3)" in note for note in counts.notes)


@pytest.mark.parametrize("metric", ["wer", "cer", "mer", "wil"])
def test_without_any_words_the_rate_is_undefined(metric):
    """NaN with a note, never 0."""
    counts = bt.score({"A": [" "]}, [""], metric=metric)
    assert np.isnan(counts.pooled()).all()
    assert any("so the rate is undefined" in note for note in counts.notes)


def test_one_reference_only():
    """There is no convention for several."""
    with pytest.raises(TableError, match="WER compares with one"):
        bt.score({"A": ["a"]}, [["a"], ["b"]], metric="wer")


def test_words_without_blanks_are_pointed_out():
    """Whole sentences would be words."""
    counts = bt.score({"A": ["今日は天気がいい"]}, ["今日は天気がいいです"], metric="wer")
    assert any('metric="cer"' in note for note in counts.notes)


def test_workers_make_no_difference():
    """Blocks of segments, counted by one or two workers."""
    rng = np.random.default_rng(1)
    words = np.array(["a", "b", "c", "d"])
    references = [" ".join(rng.choice(words, 40)) for _ in range(3000)]
    outputs = {"A": [" ".join(rng.choice(words, 30)) for _ in range(3000)]}
    one, two = (bt.score(outputs, references, metric="wer", workers=n) for n in (1, 2))
    assert (one.values == two.values).all()


def test_lower_is_better_in_every_verb():
    """The system with fewer errors is better, and its difference is positive goodness."""
    references = ["a b c d", "e f g h", "i j k l"] * 10
    outputs = {"bad": ["a x c", "e f x h y", "i j"] * 10, "good": [*references[:29], "i j k"]}
    counts = bt.score(outputs, references, metric="wer")
    ranked = bt.rank(counts, n_resamples=99)
    assert ranked.systems == ("good", "bad")
    assert "lower is better" in str(ranked)
    assert bt.compare(counts, n_resamples=999).pair("good", "bad").effect > 0
