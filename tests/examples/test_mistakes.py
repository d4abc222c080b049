import numpy as np
import pytest

from betterthan.examples.draws import stream
from betterthan.examples.sentences import SYNONYMS, Rendering, compose_segments, cut, render

SENTENCE = ("the", "minister", "met", "12", "students", "in", "Varos", ".")


def _spoil(position, kind, choice=0.0):
    draws = np.full((len(SENTENCE), 4), 0.5)
    draws[position] = [0.0, kind, choice, 0.5]
    return render(SENTENCE, draws, rate=0.1, paraphrase=0.0)


def _changed(rendering):
    return " ".join(rendering.tokens), [
        token for token, bad in zip(rendering.tokens, rendering.bad, strict=True) if bad
    ]


@pytest.mark.parametrize(
    ("position", "kind", "text", "bad", "severity"),
    [
        (4, 0.0, "the minister met 12 student in Varos .", ["student"], 0.8),
        (1, 0.0, "the ministers met 12 students in Varos .", ["ministers"], 0.8),
        (1, 0.5, "the mayor met 12 students in Varos .", ["mayor"], 3.0),
        (3, 0.5, "the minister met 2 students in Varos .", ["2"], 5.0),
        (0, 0.0, "of minister met 12 students in Varos .", ["of"], 0.8),
        (6, 0.75, "the minister met 12 students in .", [], 3.0),
        (4, 0.85, "the minister met 12 of students in Varos .", ["of"], 0.8),
        (1, 0.95, "the met minister 12 students in Varos .", ["met", "minister"], 1.0),
        (6, 0.95, "the minister met 12 students in Lunden .", ["Lunden"], 3.0),
        (7, 0.5, "the minister met 12 students in Varos .", [], 0.0),
    ],
    ids=[
        "form",
        "plural",
        "word",
        "number",
        "grammar",
        "omission",
        "addition",
        "swap",
        "swap at the end",
        "stop",
    ],
)
def test_each_mistake_shows_in_words_tags_and_severity(position, kind, text, bad, severity):
    """One spoilt token: what is written, which words are BAD, and how grave it is."""
    rendering = _spoil(position, kind)

    assert _changed(rendering) == (text, bad)
    assert rendering.severity == pytest.approx(severity)


def test_a_past_tense_loses_its_ending():
    """The third kind of wrong form."""
    draws = np.array([[0.0, 0.0, 0.0, 0.5], [0.9, 0.5, 0.5, 0.5]])

    assert render(("announced", "."), draws, rate=0.1, paraphrase=0.0).tokens == ("announcing", ".")


def test_a_paraphrase_is_no_mistake():
    """Synonyms are OK and weigh nothing."""
    rendering = render(SENTENCE, np.full((8, 4), 0.5), rate=0.0, paraphrase=1.0)

    assert rendering.tokens == tuple(SYNONYMS.get(word, word) for word in SENTENCE)
    assert rendering.tokens != SENTENCE
    assert not any(rendering.bad)
    assert rendering.severity == 0


def test_without_mistakes_the_reference_comes_out():
    """Rate zero."""
    rendering = render(SENTENCE, np.zeros((8, 4)), rate=0.0, paraphrase=0.0)

    assert rendering == Rendering(tokens=SENTENCE, bad=(False,) * 8, severity=0.0)


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
def test_tokens_and_tags_always_agree_and_the_full_stop_stays(rate):
    """For any draws at all."""
    rng = stream(5, f"mistakes {rate}")
    for segment in compose_segments(3):
        rendering = render(segment.tokens, rng.random((len(segment.tokens), 4)), rate=rate, paraphrase=0.1)

        assert len(rendering.tokens) == len(rendering.bad)
        assert rendering.tokens[-1] == "."
        assert not rendering.bad[-1]
        assert "" not in rendering.tokens


def test_a_cut_that_keeps_everything_changes_nothing():
    """Nothing is lost, nothing is charged."""
    rendering = Rendering(tokens=SENTENCE, bad=(False,) * 8, severity=1.0)

    assert cut(rendering, 7) is rendering
    assert cut(rendering, 99) is rendering
    assert cut(rendering, 3).tokens == ("the", "minister", "met", ".")
