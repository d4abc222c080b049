"""Outputs and references: what fits together is scored, and the rest is refused with a cure."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

import betterthan as bt
from betterthan.errors import BetterThanError, MissingScores, TableError, UnknownName
from betterthan.scoring.texts import parallel

OUTPUTS = {"A": ["a b c d", "e f", "g"], "B": ["a b", "e f g", ""]}
REFERENCE = ["a b c", "e f", "g h"]
OTHER = ["a b", "e", "h"]


def refused(outputs, references, message, error=TableError, **options):
    """Both metrics refuse with a message that begins so."""
    for metric in (bt.bleu, bt.chrf):
        with pytest.raises(error, match="^" + re.escape(message)):
            metric(outputs, references, **options)


@pytest.mark.parametrize(
    "references",
    [
        REFERENCE,
        tuple(REFERENCE),
        np.array(REFERENCE),
        [REFERENCE],
        {"refA": REFERENCE},
        iter(REFERENCE),
    ],
    ids=["list", "tuple", "array", "list of lists", "mapping", "iterator"],
)
def test_one_reference_may_be_given_in_many_shapes(references):
    """A list of texts, a list of one list, or a mapping: the same counts."""
    assert np.array_equal(bt.bleu(OUTPUTS, references).values, bt.bleu(OUTPUTS, REFERENCE).values)


def test_texts_bring_labels_groups_notes_and_references():
    """A table is scored as it is."""
    table = bt.Texts(
        systems=["A", "B"],
        segments=["s1", "s2", "s3"],
        outputs=list(OUTPUTS.values()),
        references=[REFERENCE, OTHER],
        groups=["d1", "d1", "d2"],
        notes=["Read from a file."],
    )
    counts = bt.chrf(table)
    assert (counts.systems, counts.segments, counts.groups) == (("A", "B"), table.segments, table.groups)
    assert counts.notes[0] == "Read from a file."
    assert np.array_equal(counts.values, bt.chrf(OUTPUTS, [REFERENCE, OTHER]).values)
    refused(table, REFERENCE, "The Texts have references, and others were passed too.")


def test_texts_without_references_take_those_given():
    """The output is in the table, the references are not."""
    table = bt.Texts(systems=["A"], segments=["1", "2", "3"], outputs=[OUTPUTS["A"]])
    assert bt.bleu(table, REFERENCE).pooled() == bt.bleu({"A": OUTPUTS["A"]}, REFERENCE).pooled()
    refused(table, None, "There are no references. Pass references=")
    refused(table, REFERENCE[:2], "Reference 1 has 2 texts, but the table has 3.")


def test_references_turned_round_are_recognised():
    """E32: n lists of r texts, which sacreBLEU scores as if there were only r segments."""
    turned = list(zip(REFERENCE, OTHER, strict=True))
    refused(
        OUTPUTS,
        turned,
        "references has the shape 3 × 2, one list per segment; one list per reference is needed, each with 3 "
        "texts. "
        "Transpose it: references = list(zip(*references)).",
    )
    refused(OUTPUTS, [[line] for line in REFERENCE], "references has the shape 3 × 1, one list per segment")
    refused(
        OUTPUTS,
        [["a", "b"], ["c"], ["d"]],
        "references has the shape 3 × 1 to 2, one list per segment; one list per reference is needed, each with 3 "
        "texts. "
        "Transpose it: references = list(itertools.zip_longest(*references)).",
    )
    refused({"A": ["a b"]}, [["a b", "a"]], "references has the shape 1 × 2, one list per segment")


def test_the_cure_cures():
    """What the message says to type gives the counts of the right shape; sacreBLEU is silent and wrong."""
    turned = [[line] for line in REFERENCE]
    right = bt.bleu(OUTPUTS, list(zip(*turned, strict=True)), smoothing="none", max_order=1).pooled()
    assert np.array_equal(right, bt.bleu(OUTPUTS, REFERENCE, smoothing="none", max_order=1).pooled())
    silent = BLEU(max_ngram_order=1, smooth_method="none").corpus_score(OUTPUTS["A"], turned).score
    assert silent != pytest.approx(right[0])


def test_unequal_numbers_of_lines_are_named():
    """System and both counts are in the message."""
    refused(
        OUTPUTS | {"C": ["a"]},
        REFERENCE,
        'The output of "C" has 1 texts, but that of "A" has 3. All systems must',
    )
    refused(
        OUTPUTS,
        [*REFERENCE, "x"],
        'Reference 1 has 4 texts, but the output of "A" has 3. Every reference needs',
    )
    refused(
        OUTPUTS,
        {"refA": REFERENCE, "refB": ["x"]},
        'Reference "refB" has 1 texts, but the output of "A" has 3.',
    )


def test_what_is_not_texts_is_refused():
    """Single texts, numbers, nothing at all: each with its place."""
    refused(OUTPUTS["A"], REFERENCE, "outputs must be Texts or a dict of system to list of texts, not list.")
    refused({"A": "a b"}, REFERENCE, 'The output of "A" is a single text; a list of texts is needed')
    refused({}, REFERENCE, "The table has 0 systems")
    refused({"A": []}, [], 'The output of "A" has no texts.')
    refused(OUTPUTS, "a b", "references is a single text; a list of 3 texts is needed")
    refused(OUTPUTS, [], "There are no references.")
    refused(OUTPUTS, {}, "There are no references.")
    refused(OUTPUTS, ["a", 2, "c"], "Reference 1 is a single text")
    refused(OUTPUTS, [["a", 2, "c"]], "Reference 1, segment 2: int found where a text is needed.")
    refused({"A": ["a", "\ud800", "b"]}, REFERENCE, 'The output of "A", segment 2: unpaired surrogate found.')
    refused(OUTPUTS, 7, "references must be a list of texts, not int")


def test_a_segment_needs_one_reference():
    """Some may miss a reference, none may miss all."""
    assert parallel(OUTPUTS, [[None, "e f", "g"], ["a", None, None]]).n_references == "1"
    assert parallel(OUTPUTS, [[None, "e f", "g"], REFERENCE]).n_references == "var"
    assert parallel(OUTPUTS, [OTHER, REFERENCE]).n_references == "2"
    refused(OUTPUTS, [["a", None, "g"], ["a", None, None]], "No reference for segment 2. Every segment needs")


def test_missing_outputs_are_not_guessed():
    """Refused unless the caller says what they are."""
    gaps = {"A": ["a b", None, "c"], "B": ["a", "b", None]}
    message = '2 of 6 outputs are missing ("A": segments 2). Use missing="drop" to leave these segments out'
    refused(gaps, REFERENCE, message, error=MissingScores)
    refused(gaps, REFERENCE, 'Unknown missing "skip".', error=UnknownName, missing="skip")
    dropped = bt.chrf(gaps, REFERENCE, missing="drop")
    assert dropped.segments == ("1",)
    assert "2 segments left out for all systems: an output is missing there." in dropped.notes
    empty = bt.chrf(gaps, REFERENCE, missing="empty")
    assert np.array_equal(
        empty.values, bt.chrf({"A": ["a b", "", "c"], "B": ["a", "b", ""]}, REFERENCE).values
    )
    assert "2 missing outputs counted as empty texts." in empty.notes
    refused({"A": [None]}, ["a"], "Every segment lacks an output", missing="drop")


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        (bt.bleu, {"max_order": 0}, "max_order must be a whole number from 1, not 0."),
        (bt.bleu, {"max_order": 2.5}, "max_order must be a whole number from 1, not 2.5."),
        (bt.chrf, {"char_order": 0}, "char_order must be a whole number from 1, not 0."),
        (bt.chrf, {"word_order": True}, "word_order must be a whole number from 0, not True."),
        (bt.chrf, {"beta": 0}, "beta must be a positive number, not 0."),
        (bt.chrf, {"beta": "2"}, "beta must be a positive number, not '2'."),
        (bt.chrf, {"lowercase": 1}, "lowercase must be True or False, not 1."),
        (bt.bleu, {"effective_order": None}, "effective_order must be True or False, not None."),
        (bt.bleu, {"smoothing": "flor"}, 'Unknown smoothing "flor". Did you mean "floor"?'),
    ],
)
def test_options_are_checked(metric, options, message):
    """An option that cannot be meant is refused by name."""
    with pytest.raises(BetterThanError, match="^" + re.escape(message)):
        metric(OUTPUTS, REFERENCE, **options)
