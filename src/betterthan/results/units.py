"""The unit of independence of a result, and how to change it."""

from __future__ import annotations

from collections.abc import Mapping

from betterthan.messages import Message, Option, joined

# With fewer, the coverage of 95% intervals of skewed scores is 80% to 92%: see the page on calibration.
FEW_UNITS = 10
BY_SEGMENT = ("sign", "wilcoxon", "mood")
"""Tests of single segments that do not support groups."""
UNIT_LINE = "unit"
"""The code of the note on the unit; its field `unit` omits how to change it."""
_CHANGES = {
    "groups": ("single segments", Option("units", "segments")),
    "segments": ("whole documents", Option("units", "groups")),
    "clusters": ("single battles", Option("cluster", False)),
    "runs": ("other items with the same runs", Option("over", "items")),
}
_NAMES = {"groups": "documents"}


def unit_line(unit_note: str, units: str, *, test: str = "", missing: object = None) -> str:
    """Return a note on the unit and how to change it; empty where there is no choice.

    Parameters
    ----------
    unit_note : str
        Sentence on the unit.
    units : {"segments", "groups", "matches", "clusters", "runs"}
    test : str, optional
        The test that was used; some do not support groups, and then another is suggested.
    missing : object, optional
        Treatment of missing scores; groups need every score.

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
    """Return a note that the coverage of intervals from few units may be below the nominal level.

    Parameters
    ----------
    counts : mapping of str to int
        Number of units of each kind, by its name.

    Examples
    --------
    >>> few_note({("document", "documents"): 2}), few_note({("segment", "segments"): 10})
    (('Only 2 documents: confidence intervals from so few are approximate.',), ())
    """
    few = [f"{n:,} {one if n == 1 else several}" for (one, several), n in counts.items() if n < FEW_UNITS]
    note = "Only {few}: confidence intervals from so few are approximate."
    return (Message(note, few=" and ".join(few)),) if few else ()


def first_lines(result: object) -> tuple[str, ...]:
    """Return what precedes the notes of a result: unit, why nothing could be significant, pairs that never met."""
    options = getattr(getattr(result, "settings", None), "options", {})
    units = getattr(result, "units", options.get("units", ""))
    unit = getattr(result, "unit_line", None) or unit_line(getattr(result, "unit_note", ""), str(units))
    lines = (unit, getattr(result, "undecidable", ""), getattr(result, "unmet", ""))
    return tuple(line for line in lines if line)


def undecidable_sentence(alpha: float, units: str, n_units: int, least: float) -> str:
    """Return an explanation if no outcome could have been significant; otherwise empty.

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
