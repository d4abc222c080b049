"""Which unit a result rests on, and how to choose another."""

from __future__ import annotations

from collections.abc import Sequence

_CHANGES = {
    "groups": 'For single segments use units="segments".',
    "segments": 'For whole groups use units="groups".',
    "clusters": "For single battles use cluster=False.",
}
_NAMES = {"groups": "groups (documents)"}


def unit_line(unit_note: str, units: str) -> str:
    """Return which unit was used and how to change it, in Python's words; empty where there is nothing to choose.

    Parameters
    ----------
    unit_note : str
        Which unit was used, as a sentence.
    units : {"segments", "groups", "matches", "clusters"}

    Examples
    --------
    >>> unit_line("Unit: 30 groups (documents) of 300 segments.", "groups")
    'Unit: 30 groups (documents) of 300 segments. For single segments use units="segments".'
    """
    return f"{unit_note} {_CHANGES[units]}" if unit_note else ""


def with_unit_first(
    words: Sequence[str], unit_note: str, units: object, undecidable: str = ""
) -> tuple[str, ...]:
    """Return what stands below a table: the unit, then that nothing could be significant, then everything else."""
    return tuple(line for line in (unit_line(unit_note, str(units)), undecidable, *words) if line)


def without_unit(
    notes: Sequence[str], unit_note: str, units: object, undecidable: str = ""
) -> tuple[str, ...]:
    """Return the notes that are not among the first lines of :func:`with_unit_first`."""
    said = with_unit_first((), unit_note, units, undecidable)
    return tuple(note for note in notes if note not in said)


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
