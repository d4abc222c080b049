import numpy as np
import pytest
from sacrebleu.metrics import CHRF, TER

from betterthan.examples.campaign import character_f, length_ratio, word_edit_rate


def _with_sacrebleu(metric, example):
    return np.array(
        [
            [metric.sentence_score(o, [r]).score for o, r in zip(lines, example.reference, strict=True)]
            for lines in example.outputs.values()
        ]
    )


def test_chrf_is_that_of_sacrebleu(example):
    """All 2400 scores, to the last printed digit."""
    assert np.abs(_with_sacrebleu(CHRF(), example) - example.metrics["chrF"]).max() <= 0.005 + 1e-9


def test_ter_is_that_of_sacrebleu_but_for_long_moves(example):
    """At most one score in a hundred differs, and no system's mean by more than a quarter of a point."""
    difference = _with_sacrebleu(TER(), example) - example.metrics["TER"]

    assert (np.abs(difference) > 0.005 + 1e-9).mean() < 0.01
    assert np.abs(difference.mean(axis=1)).max() < 0.25


def test_texts_without_a_common_character_score_zero():
    """Nothing in common is 0, not an error."""
    assert character_f("abc", "xyz") == 0.0
    assert character_f("", "xyz") == 0.0


@pytest.mark.parametrize(
    ("output", "n_edits"),
    [("a b c d", 0), ("a b c", 1), ("a x c d", 1), ("a b x c d", 1), ("b a c d", 1), ("b a d c", 2), ("", 4)],
)
def test_an_edit_of_any_kind_counts_one(output, n_edits):
    """Deletion, substitution, insertion, swap; out of four words."""
    assert word_edit_rate(output, "A B c d") == 25 * n_edits


def test_length_knows_only_lengths():
    """A wrong word of the right length is perfect."""
    assert length_ratio("minister", "governor") == 1.0
