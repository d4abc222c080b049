"""Hints on a page: messages name arguments of Python and of the shell, and a page has fields."""

from __future__ import annotations

import re
from typing import Any

FOLD = "Say which column is what"
_FIELDS = (
    (
        re.compile(r"\bmissing=|--missing\b"),
        "Empty cells: choose “leaves its segment out” for “A missing score”.",
    ),
    (
        re.compile(r"\bduplicates=|--duplicates\b"),
        "Duplicates: choose which counts for “Two scores for a segment”.",
    ),
    (
        re.compile(
            r"--(item|system|score|metric-column|group|judge|left|right|winner|weight)(?!-)\b|\bcolumns="
        ),
        "Columns: choose each from its list.",
    ),
    (
        re.compile(r"--(ignore|keep)\b"),
        "Columns of numbers: choose them under “Columns that are no systems” or “Columns that are systems”.",
    ),
    (
        re.compile(r"--(lower|higher)-is-better\b|\b(lower|higher)_is_better\b"),
        "Direction: choose “higher” or “lower” for “Which scores are better”.",
    ),
    (re.compile(r"--metric\b|\bmetric="), "Metric: write its name into “Metric, if there are several”."),
    (re.compile(r"--both-bad\b|\bboth_bad="), "Votes: choose what “A vote “both bad”” is."),
    (
        re.compile(r"--winner-label\b|\bwinner_labels\b"),
        "Winners: write what each label means into “What winner labels mean”, such as 1=left 0=right.",
    ),
    (re.compile(r"--format-in\b|\bformat="), "Layout: choose it from the list “Layout”."),
    (re.compile(r"\bunits="), "Units: choose “segments” or “whole documents” for “Drawn as one”."),
)
_BESIDE = (
    (
        re.compile(r"--(reference|human|source)\b"),
        "Say what each file is in the list “This file is” below its name.",
    ),
    (
        re.compile(r"--prior\b|\bprior="),
        "No field of these pages adds a prior; the command line does (betterthan rank --prior 0.5).",
    ),
)


def fields_hint(message: str) -> str:
    """Return which fields of the page of a new run do what a message asks for; empty where none does.

    Examples
    --------
    >>> fields_hint('3 scores are missing. Pass missing="drop".').removeprefix("On this page, under ")
    '“Say which column is what”: Empty cells: choose “leaves its segment out” for “A missing score”.'
    >>> fields_hint("The file is empty.")
    ''
    """
    inside = [words for pattern, words in _FIELDS if pattern.search(message)]
    beside = [words for pattern, words in _BESIDE if pattern.search(message)]
    begun = [f"On this page, under “{FOLD}”: {' '.join(inside)}"] if inside else []
    return " ".join([*begun, *beside])


def is_in_fold(message: str) -> bool:
    """Return whether a field of the folded part of the page does what a message asks for."""
    return any(pattern.search(message) for pattern, _ in _FIELDS)


def needs_fold(look: dict[str, Any] | None, problem: str) -> bool:
    """Return whether something was found wrong that the folded part of the page can fix."""
    found = [entry["message"] for file in (look or {}).get("files", ()) for entry in file["problems"]]
    return any(is_in_fold(message) for message in (problem, *found))
