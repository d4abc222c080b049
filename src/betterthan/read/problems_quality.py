"""Codes BT302 to BT309: problems with files of quality estimation; see :mod:`betterthan.read.problems`."""

from __future__ import annotations

QUALITY_PROBLEMS: dict[str, tuple[str, str, str]] = {
    "BT302": (
        "not the same words",
        "Gold and prediction tag different words in a sentence, so their tags cannot be compared.",
        "Tag the words of the gold file; only upper and lower case may differ.",
    ),
    "BT303": (
        "words numbered wrongly",
        "Words of a sentence are put in order by their numbers, and a number is missing, doubled or no number.",
        "Number the words of each sentence 0, 1, 2, …, each once.",
    ),
    "BT304": (
        "sentences that do not match",
        "A prediction lacks sentences of the gold file, or their ids cannot be matched with lines.",
        "Tag every sentence, with the same ids in both files.",
    ),
    "BT305": (
        "no span of the translation",
        "Start and end must be character offsets inside the translation, one pair a label.",
        "Count characters from 0, the end not included; write -1 -1 no-error where there is no error.",
    ),
    "BT306": (
        "unknown severity or type",
        "A label is not known, and leaving it out or guessing its meaning would change the scores.",
        "Correct the labels, or remove the rows.",
    ),
    "BT307": (
        "not one truth",
        "The files share several language pairs or none, or several labellings may be the truth; each is scored alone.",
        "Choose one with language_pair, give files of one pair, and call the truth gold.",
    ),
    "BT308": (
        "side that is not there",
        "Tags of words, of gaps and of source words are scored separately, and the file has none of those asked for.",
        "Leave side out, or choose one that is there.",
    ),
    "BT309": (
        "tags of different things",
        "One file tags words, another characters or gaps.",
        "Hold words against words, gaps against gaps and spans against spans or words.",
    ),
}
"""Title, meaning and cure by code."""
