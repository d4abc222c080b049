"""Measures of word tags as people write them."""

from __future__ import annotations

_NAMES = {
    "f1_mult": "F1-mult",
    "f1_bad": "F1-BAD",
    "f1_ok": "F1-OK",
    "f1_weighted": "F1-weighted",
    "mcc": "MCC",
    "precision_bad": "precision BAD",
    "recall_bad": "recall BAD",
    "precision_ok": "precision OK",
    "recall_ok": "recall OK",
    "phrase_f1_bad": "phrase F1-BAD",
    "phrase_f1_ok": "phrase F1-OK",
    "phrase_f1_mult": "phrase F1-mult",
    "sequence_correlation": "SeqCor",
}


def tag_measure_name(name: str) -> str:
    """Return a measure's name as people write it.

    Examples
    --------
    >>> tag_measure_name("f1_mult"), tag_measure_name("phrase_f1_bad_as_published"), tag_measure_name("mine")
    ('F1-mult', 'phrase F1-BAD (as published)', 'mine')
    """
    plain = name.removesuffix("_as_published")
    return _NAMES.get(plain, plain.replace("_", " ")) + ("" if plain == name else " (as published)")
