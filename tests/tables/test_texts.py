"""System outputs, references and sources, line by line."""

import numpy as np
import pandas as pd
import pytest

from betterthan.errors import TableError, UnknownName
from betterthan.tables.texts import Texts

FITS = {"systems": ["A", "B"], "segments": ["1", "2"], "outputs": [["a", "b"], ["c", None]]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outputs": [["a", "b"]]}, "There are 1 outputs for 2 systems."),
        ({"outputs": 5}, "outputs must be a list of texts, not int"),
        ({"outputs": None}, "outputs must be a list of texts, not NoneType"),
        ({"outputs": ["ab", "cd"]}, 'Output of "A" is a single text; a list of 2 texts is needed'),
        ({"outputs": [["a", "b"], None]}, 'Output of "B" must be a list of texts, not NoneType'),
        (
            {"outputs": [["a", "b"], ["c"]]},
            'Output of "B" has 1 texts for 2 segments; one per segment is needed.',
        ),
        ({"outputs": [["a", "b"], ["c", 3]]}, 'Output of "B", segment 2: int found where a text is needed.'),
        ({"outputs": [["a", "b"], ["c", "\ud800"]]}, 'Output of "B", segment 2: unpaired surrogate found'),
        ({"references": ["a", "b"]}, "Reference 1 is a single text; a list of 2 texts is needed"),
        ({"references": "ab"}, "references must be a list of texts, not the single text 'ab'"),
        ({"references": None}, "references must be a list of texts, not NoneType"),
        ({"references": [["a", None]]}, "Reference 1, segment 2: NoneType found where a text is needed."),
        ({"references": [["a", "b"], ["a"]]}, "Reference 2 has 1 texts for 2 segments"),
        (
            {"references": [["a", "b"]], "reference_names": ["r", "s"]},
            "There are 2 reference names for 1 ref",
        ),
        ({"reference_names": "ref"}, "reference_names must be a list of texts, not the single text 'ref'"),
        (
            {"references": [["a", "b"]] * 2, "reference_names": ["r", "r"]},
            "Each reference may occur once, but these occur more often: r",
        ),
        ({"sources": ["a"]}, "The source has 1 texts for 2 segments"),
        ({"sources": "ab"}, "The source is a single text"),
        ({"groups": "de"}, "groups must be a list of texts, not the single text 'de'"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    """The message names the system or reference and the segment."""
    with pytest.raises(TableError, match=message):
        Texts(**{**FITS, **change})


@pytest.mark.parametrize(
    ("references", "names"),
    [([], ()), ([["a", "b"]], ("ref",)), ([["a", "b"], ["c", "d"]], ("ref1", "ref2"))],
)
def test_references_are_named_unless_named(references, names):
    """With a number only if there are several."""
    assert Texts(**FITS, references=references).reference_names == names


@pytest.mark.parametrize(
    "lines", [["a", ""], (line for line in ["a", ""]), np.array(["a", ""]), pd.Series(["a", ""])]
)
def test_lines_come_in_many_shapes_and_may_be_empty(lines):
    """An empty text is an output, a missing one is None."""
    texts = Texts(systems=["A"], segments=["1", "2"], outputs=iter([lines]))

    assert texts.outputs == (("a", ""),)
    assert type(texts.outputs[0][0]) is str


def test_texts_are_kept_to_the_letter():
    """Spaces and newlines are the system's own, and accents stay composed or decomposed."""
    lines = [" a\n", "e\u0301\u2028\0"]

    assert Texts(systems=["A"], segments=["1", "2"], outputs=[lines]).outputs == (tuple(lines),)


def test_a_selection_carries_everything_along():
    """In the order asked for."""
    texts = Texts(
        **FITS,
        references=[["r1", "r2"], ["s1", "s2"]],
        reference_names=["r", "s"],
        sources=["q1", "q2"],
        groups=["d", "e"],
        notes=["Read."],
    )
    chosen = texts.select(["B"], ["2", "1"])

    assert chosen == Texts(
        systems=["B"],
        segments=["2", "1"],
        outputs=[[None, "c"]],
        references=[["r2", "r1"], ["s2", "s1"]],
        reference_names=["r", "s"],
        sources=["q2", "q1"],
        groups=["e", "d"],
        notes=["Read."],
    )
    assert texts.select() == texts
    assert Texts(**FITS).select(["A"]).sources is None


def test_a_selection_is_by_known_names():
    """With the nearest one."""
    with pytest.raises(UnknownName, match='Unknown segment "3"'):
        Texts(**FITS).select(segments=["3"])


@pytest.mark.parametrize(("many", "shown"), [(0, "0 references"), (1, "1 reference"), (2, "2 references")])
def test_the_text_counts_references(many, shown):
    """In the right number."""
    texts = Texts(**FITS, references=[["a", "b"]] * many)

    assert repr(texts) == f"Texts(2 systems × 2 segments, {shown})"
