"""Which unit a result rests on, and how to choose another."""

from __future__ import annotations

from collections.abc import Mapping

from betterthan.messages import Message, Option, joined

# Fewer than this, and 95% intervals of skewed scores cover 80% to 92%: see the page on calibration.
FEW_UNITS = 10
BY_SEGMENT = ("sign", "wilcoxon", "mood")
"""Tests that take segments one by one and cannot take groups."""
UNIT_LINE = "unit"
"""The code of the line that says which unit was used; its field `unit` says it without how to change it."""
_CHANGES = {
    "groups": ("single segments", Option("units", "segments")),
    "segments": ("whole documents", Option("units", "groups")),
    "clusters": ("single battles", Option("cluster", False)),
}
_NAMES = {"groups": "documents"}


def unit_line(unit_note: str, units: str, *, test: str = "", missing: object = None) -> str:
    """Return which unit was used and how to change it; empty where there is nothing to choose.

    Parameters
    ----------
    unit_note : str
        Which unit was used, as a sentence.
    units : {"segments", "groups", "matches", "clusters"}
    test : str, optional
        The test that was used; some cannot take groups, and then another is named.
    missing : object, optional
        What was done about missing scores; groups need every score.

    Examples
    --------
    >>> unit_line("Unit: 30 documents (300 segments).", "groups")
    'Unit: 30 documents (300 segments). Use units="segments" for single segments.'
    """
    if not unit_note:
        return ""
    other, change = _CHANGES[units]
    also = []
    if units == "segments" and test in BY_SEGMENT:
        also.append(Option("test", "permutation"))
    if units == "segments" and missing == "pairwise":
        also.append(Option("missing", "drop"))
    return Message(
        "{unit} Use {change} with {also} for {other}." if also else "{unit} Use {change} for {other}.",
        code=UNIT_LINE,
        severity="info",
        unit=unit_note,
        other=other,
        change=change,
        also=joined(also, " and "),
    )


def few_note(counts: Mapping[tuple[str, str], int]) -> tuple[str, ...]:
    """Say that intervals of so few units may cover less than they say.

    Parameters
    ----------
    counts : mapping of str to int
        How many there are of each kind of unit, by its name: of one, and of several.

    Examples
    --------
    >>> few_note({("document", "documents"): 2}), few_note({("segment", "segments"): 10})
    (('Only 2 documents: intervals from so few are rough.',), ())
    """
    few = [f"{n:,} {one if n == 1 else several}" for (one, several), n in counts.items() if n < FEW_UNITS]
    return (f"Only {' and '.join(few)}: intervals from so few are rough.",) if few else ()


def first_lines(result: object) -> tuple[str, ...]:
    """Return what stands before the notes of a result: its unit, why nothing could be significant, who never met."""
    options = getattr(getattr(result, "settings", None), "options", {})
    units = getattr(result, "units", options.get("units", ""))
    unit = getattr(result, "unit_line", None) or unit_line(getattr(result, "unit_note", ""), str(units))
    lines = (unit, getattr(result, "undecidable", ""), getattr(result, "unmet", ""))
    return tuple(line for line in lines if line)


def undecidable_sentence(alpha: float, units: str, n_units: int, least: float) -> str:
    """Return why no outcome could have been significant; empty where one could.

    Examples
    --------
    >>> undecidable_sentence(0.05, "segments", 3, 0.75)
    'No pair could be significant at level 0.05: with 3 segments the smallest possible adjusted p-value is 0.75.'
    >>> undecidable_sentence(0.05, "segments", 30, 1e-8)
    ''
    """
    if least <= alpha:
        return ""
    return (
        f"No pair could be significant at level {alpha:g}: with {n_units:,} {_NAMES.get(units, units)} the smallest "
        f"possible adjusted p-value is {least:.3g}."
    )
