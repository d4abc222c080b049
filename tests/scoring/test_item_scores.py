"""ROUGE and scores of answers: the numbers of rouge-score and of SQuAD's script, and means over items."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt

PEERS = json.loads(Path(__file__).with_name("peers.json").read_text(encoding="utf-8"))
KINDS = ("summaries", "answers")


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in PEERS[kind]])
def test_numbers_are_those_of_the_peers(kind, name):
    """Of one item with all its references."""
    case = PEERS[kind][name]
    references = [[line] for line in case["references"]]
    for metric, expected in case["expected"].items():
        found = bt.score({"A": [case["output"]], "B": ["x"]}, references, metric=metric).pooled()[0]
        assert found == pytest.approx(expected, abs=1e-12), metric


@pytest.mark.parametrize("kind", KINDS)
def test_items_together_are_the_mean_of_items(kind):
    """All items in one table, some with fewer references than others; order and neighbors do not matter."""
    cases = list(PEERS[kind].values())
    n = max(len(case["references"]) for case in cases)
    references = [
        [case["references"][i] if i < len(case["references"]) else None for case in cases] for i in range(n)
    ]
    outputs = {"A": [case["output"] for case in cases], "B": ["the x"] * len(cases)}
    for metric in cases[0]["expected"]:
        counts = bt.score(outputs, references, metric=metric)
        expected = [case["expected"][metric] for case in cases]
        assert counts.per_segment().values[0] == pytest.approx(expected, abs=1e-12)
        assert counts.pooled()[0] == pytest.approx(np.mean(expected), abs=1e-12)
        assert "|nrefs:var|" in counts.formula.name
        assert "|refs:best|" in counts.formula.name


def test_signatures_name_the_tokens():
    """Case, punctuation and stemming change the numbers, so they are said."""
    rouge = bt.score({"A": ["a"]}, ["a"], metric="rouge-2-recall")
    assert rouge.name == "ROUGE-2 recall"
    assert rouge.formula.name.endswith(f"|nrefs:1|tok:a-z0-9|case:lc|stem:no|version:{bt.__version__}")
    answer = bt.score({"A": ["a"]}, ["a"], metric="exact-match")
    assert "|norm:squad|case:lc|punct:no|articles:no|" in answer.formula.name


def test_languages_that_rouge_cannot_read_are_pointed_out():
    """Its words are runs of a to z and digits."""
    counts = bt.score({"A": ["Москва большой город"]}, ["Москва город"], metric="rouge-1")
    assert any("loses 100% of the letters" in note for note in counts.notes)
    assert not any("loses" in note for note in bt.score({"A": ["a"]}, ["Über b"], metric="rouge-1").notes)


def test_sentences_are_lines():
    """Without line ends ROUGE-Lsum is ROUGE-L, and a note says so."""
    outputs, references = {"A": ["b a c a", "c d"]}, ["a b c", "c x d"]
    one, other = (bt.score(outputs, references, metric=name) for name in ("rouge-l", "rouge-lsum"))
    assert one.values.tolist() == other.values.tolist()
    assert any("ROUGE-Lsum is ROUGE-L here" in note for note in other.notes)


def test_answers_that_are_all_right_are_no_suspicion():
    """A system may well equal the reference."""
    lines = ["yes", "no", "42", "Rome", "Nile", "1969"]
    counts = bt.score({"A": lines, "B": lines}, lines, metric="exact-match")
    assert counts.pooled().tolist() == [1, 1]
    assert not any("identical" in note or "same output" in note for note in counts.notes)


def test_comparisons_are_of_means():
    """The effect of compare is the difference of means, and its test a permutation of items."""
    rng = np.random.default_rng(2)
    gold = rng.choice(["x", "y"], 60).tolist()
    outputs = {"A": gold, "B": rng.choice(["x", "y"], 60).tolist()}
    counts = bt.score(outputs, gold, metric="exact-match")
    pair = bt.compare(counts, n_resamples=999).pair("A", "B")
    scores = bt.compare(counts.per_segment()).pair("A", "B")
    assert pair.effect == pytest.approx(scores.effect)
    assert pair.pvalue < 0.001
    assert scores.pvalue < 0.001
