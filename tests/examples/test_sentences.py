import itertools
from string import Formatter

import pytest

from betterthan.examples.sentences import (
    CLASS_OF,
    DOCUMENTS_PER_DOMAIN,
    MAIN_CLAUSES,
    PUNCTUATION,
    SIDE_CLAUSES,
    SLOTS,
    SYNONYMS,
    TOPIC_SLOTS,
    compose_segments,
    invented,
    natural,
)


@pytest.fixture(scope="module")
def segments():
    """The default test set."""
    return compose_segments(2024)


def _patterns():
    return itertools.chain(*MAIN_CLAUSES.values(), *SIDE_CLAUSES.values())


def test_every_slot_of_a_pattern_has_words_and_every_slot_is_used():
    """No pattern asks for words that do not exist, and no words wait in vain."""
    used = {slot for pattern in _patterns() for _, slot, _, _ in Formatter().parse(pattern) if slot}

    assert used == set(SLOTS)
    assert set(TOPIC_SLOTS) <= used


def test_every_synonym_replaces_a_word_that_occurs():
    """A synonym differs from its word, and from the words that would be mistakes in its place."""
    words = {word for pattern in _patterns() for word in pattern.split()} | set(CLASS_OF)

    assert set(SYNONYMS) <= words
    assert not any(synonym == word or synonym in CLASS_OF.get(word, ()) for word, synonym in SYNONYMS.items())


def test_there_are_300_segments_in_30_documents_of_4_domains(segments):
    """Segment names are unique and start with the document, which starts with the domain."""
    assert len({segment.name for segment in segments}) == 300
    assert len({segment.document for segment in segments}) == 30
    assert {segment.domain for segment in segments} == set(DOCUMENTS_PER_DOMAIN)
    assert all(segment.name.startswith(f"{segment.document}:") for segment in segments)
    assert all(segment.document.startswith(f"{segment.domain}-") for segment in segments)


def test_documents_are_contiguous_and_of_different_sizes(segments):
    """A document is a run of segments numbered from 1."""
    runs = [list(run) for _, run in itertools.groupby(segments, key=lambda segment: segment.document)]

    assert len(runs) == 30
    assert len({len(run) for run in runs}) > 3
    assert all([int(s.name[-2:]) for s in run] == list(range(1, len(run) + 1)) for run in runs)


def test_sentences_are_short_and_long(segments):
    """Lengths differ enough for a system to fail on long segments only."""
    lengths = sorted(len(segment.tokens) for segment in segments)

    assert 5 <= lengths[0] < 10
    assert 20 < lengths[-1] < 40


def test_the_source_is_a_sentence_without_english_words(segments):
    """Numbers go through, words do not."""
    english = {word for word in CLASS_OF if word.isalpha()}
    for segment in segments:
        words = segment.source.rstrip(".").replace(",", "").split()

        assert segment.source[0].isupper() or segment.source[0].isdigit()
        assert not english & set(words)
        assert sorted(w for w in words if w.isdigit()) == sorted(t for t in segment.tokens if t.isdigit())


def test_a_word_has_one_translation_whatever_its_capitals():
    """The source language has proper names too."""
    assert invented("Varos") == invented("varos").capitalize()
    assert invented(",") == ","


def test_natural_text_splits_into_the_tokens_less_punctuation(segments):
    """Only punctuation is glued to a word."""
    for segment in segments:
        n_words = sum(token not in PUNCTUATION for token in segment.tokens)

        assert len(natural(segment.tokens).split()) == n_words


def test_another_seed_gives_another_test_set(segments):
    """The seed reaches the texts."""
    other = compose_segments(1)

    assert len(other) == 300
    assert sum(a.tokens == b.tokens for a, b in zip(segments, other, strict=True)) < 10
