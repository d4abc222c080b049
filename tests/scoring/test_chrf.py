"""chrF and chrF++ as counts: sacreBLEU's numbers to the last digit."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF
from tests.everyday import examples, few
from tests.scoring.odd_texts import NEARLY, ODD, largest_difference, lines

import betterthan as bt
from betterthan.scoring import extraction
from betterthan.scoring.chrf import split_words

OUTPUTS = {"A": list(NEARLY), "B": list(ODD), "C": list(ODD[::-1])}
REFERENCES = [list(ODD[3:] + ODD[:3]), list(NEARLY)]


@pytest.mark.parametrize("n_references", [1, 2])
@pytest.mark.parametrize(
    "options",
    few(
        [
            {},
            {"word_order": 1},
            {"word_order": 2},
            {"word_order": 2, "lowercase": True, "whitespace": True},
            {"char_order": 1},
            {"char_order": 9, "beta": 3},
            {"beta": 1},
            {"beta": 0.5},
            {"eps_smoothing": True},
            {"eps_smoothing": True, "word_order": 2},
            {"whitespace": True},
            {"lowercase": True},
        ],
        6,
    ),
    ids=str,
)
def test_scores_are_those_of_sacrebleu(options, n_references):
    """Corpus and sentence scores to the last digit and the signature, odd texts in many scripts."""
    references = REFERENCES[:n_references]
    counts = bt.chrf(OUTPUTS, references, **options)
    metric = CHRF(**options)
    assert largest_difference(counts, metric, OUTPUTS, references) == (0, 0)
    score = metric.corpus_score(OUTPUTS["A"], references)
    assert counts.formula.name == f"{score.name}|{metric.get_signature()}"
    assert counts.name == score.name
    assert any(str(metric.get_signature()) in note for note in counts.notes)
    assert 0 < counts.pooled().min() < counts.pooled().max() < 100 + 1e-9


@settings(max_examples=examples(150))
@given(
    rows=st.lists(st.tuples(lines, lines, lines, lines), min_size=1, max_size=4),
    word_order=st.integers(0, 2),
    lowercase=st.booleans(),
    eps_smoothing=st.booleans(),
)
def test_no_text_makes_a_difference(rows, word_order, lowercase, eps_smoothing):
    """Two systems and two references of any text."""
    first, second, *references = map(list, zip(*rows, strict=True))
    outputs = {"A": first, "B": second}
    options = {"word_order": word_order, "lowercase": lowercase, "eps_smoothing": eps_smoothing}
    counts = bt.chrf(outputs, references, **options)
    assert largest_difference(counts, CHRF(**options), outputs, references) == (0, 0)


def test_a_segment_may_lack_a_reference():
    """None among several references is left out, as in sacreBLEU; the signature says nrefs:var."""
    some = [[None, *ODD[1:]], [NEARLY[0], None, *NEARLY[2:]]]
    outputs = {"A": list(NEARLY), "B": list(ODD)}
    counts = bt.chrf(outputs, some, word_order=2)
    metric = CHRF(word_order=2)
    assert largest_difference(counts, metric, outputs, some) == (0, 0)
    metric.corpus_score(outputs["A"], some)
    assert counts.formula.name == f"chrF2++|{metric.get_signature()}"
    assert "|nrefs:var|" in counts.formula.name


def test_the_best_reference_counts_as_a_whole():
    """By hand: "ab" beside "ab" and "abcd" takes the counts of the first, wherever that stands."""
    for references in ([["ab"], ["abcd"]], [["abcd"], ["ab"]]):
        counts = bt.chrf({"A": ["ab"]}, references, char_order=2)
        assert counts.values.tolist() == [[[2, 2, 2, 1, 1, 1]]]
        assert counts.columns[:3] == ("output characters 1", "reference characters 1", "matches characters 1")


def test_ngrams_without_a_counterpart_do_not_count():
    """Where the reference has no n-gram of an order, the output's are not held against it (sacreBLEU)."""
    counts = bt.chrf({"A": ["abc", ""]}, ["a", "ab"], char_order=2)
    assert counts.values[0].tolist() == [[3, 1, 1, 0, 0, 0], [0, 2, 0, 0, 1, 0]]


@given(st.lists(st.text("ab.,!(){} \t\u2028é-", max_size=12), max_size=4))
def test_words_are_those_of_chrf(texts):
    """One mark is split off, at the end before the beginning."""
    for text in texts:
        assert split_words(text) == CHRF()._remove_punctuation(text)


@pytest.mark.parametrize("word_order", [0, 2])
def test_numba_makes_no_difference(word_order, monkeypatch):
    """Compiled and in NumPy, the counts are equal."""
    pytest.importorskip("numba")
    expected = bt.chrf(OUTPUTS, REFERENCES, word_order=word_order).values
    monkeypatch.setattr(extraction, "WORTH_COMPILING", 0)
    assert np.array_equal(bt.chrf(OUTPUTS, REFERENCES, word_order=word_order).values, expected)
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "import betterthan as bt\n"
        "from betterthan.scoring import extraction; extraction.WORTH_COMPILING = 0\n"
        "from tests.scoring.odd_texts import NEARLY, ODD\n"
        "c = bt.chrf({'A': NEARLY, 'B': ODD, 'C': ODD[::-1]}, [ODD[3:] + ODD[:3], NEARLY], "
        f"word_order={word_order})\n"
        "print(c.digest)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == bt.chrf(OUTPUTS, REFERENCES, word_order=word_order).digest


def test_a_small_table_does_not_load_numba():
    """Half a second of import is not spent on a few lines."""
    program = (
        "import betterthan as bt, sys\nbt.chrf({'A': ['a b']}, ['a c'])\nassert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
