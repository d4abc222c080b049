"""Codes BT260 to BT269: names and texts that may not be what they seem; see :mod:`betterthan.read.problems`."""

from __future__ import annotations

DOUBTS: dict[str, tuple[str, str, str]] = {
    "BT260": (
        "names that look alike",
        "Names of systems or judges differ only in case, blanks or Unicode form, and count as different.",
        "If they are the same, give them one name.",
    ),
    "BT261": (
        "outputs and reference in different languages",
        (
            "The most frequent words of outputs and reference are hardly ever the same, as when the source is given as "
            "reference. The scores are near 0 and mean nothing."
        ),
        "Give the reference translation; look at the first lines of both files.",
    ),
    "BT262": (
        "identical to the reference",
        "A system has the text of the reference on nearly every segment, so that its score is perfect by definition.",
        "Leave the reference out of the systems, or score against another reference.",
    ),
    "BT263": (
        "segments out of line",
        (
            "Outputs fit the references of their neighbours better than their own, or no better than any other: "
            "a line is missing or too much, or the file is of another test set."
        ),
        "Compare the files around the first segment that is named.",
    ),
    "BT264": (
        "the same output twice",
        "Two systems have the same text on every segment; perhaps one file was given for both.",
        "Name the right file for each system, or leave one of them out.",
    ),
    "BT265": (
        "human translations among systems",
        "A system is named as translations made by people are, and is ranked like the others.",
        "Nothing is to be done if that is meant; else leave it out.",
    ),
}
"""Title, meaning and cure by code."""
