"""Settings: how a result was computed, as fields and as one line; the unit of independence, and how to change it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from betterthan import __version__
from betterthan.messages import Message, Option, joined

OptionValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything needed to reproduce the result, except the data.

    Parameters
    ----------
    method : str
        Such as "mean" or "bradley_terry".
    options : dict of str to str, int, float, bool or None
        In the order in which the signature shows them; None is left out of the signature.
    seed : int, optional
        Of the random streams; None when no random numbers were used.
    n_systems, n_segments : int, optional
        Size of the data.
    data : str
        Digest of the data.
    version : str
        Of this package.

    Examples
    --------
    >>> print(Settings(method="mean", options={"ci": "95,percentile,2000"}, seed=12345,
    ...                n_systems=3, n_segments=1997, data="9f3c1a2b", version="0.1.0"))
    betterthan|mean|n:1997|k:3|ci:95,percentile,2000|seed:12345|data:9f3c1a2b|version:0.1.0
    """

    method: str
    options: dict[str, OptionValue]
    data: str
    seed: int | None = None
    n_systems: int | None = None
    n_segments: int | None = None
    version: str = __version__

    @property
    def signature(self) -> str:
        """One-line signature in the style of sacreBLEU."""
        size = {"n": self.n_segments, "k": self.n_systems}
        rest = {"seed": self.seed, "data": self.data, "version": self.version}
        parts = {**size, **self.options, **rest}
        shown = [f"{key}:{_plain(value)}" for key, value in parts.items() if value is not None]
        return "|".join(["betterthan", self.method, *shown])

    @property
    def short_signature(self) -> str:
        """Short signature: method, size, seed, data, version, and a digest of the options."""
        return short_signature((self,))

    def __str__(self) -> str:
        return self.signature


def short_signature(settings: Sequence[Settings], named: Collection[str] = ()) -> str:
    """Return one short signature of results from the same data.

    A digest stands for the options, so that results of different tests never print the same line.

    Parameters
    ----------
    settings : sequence of Settings
        Of each result; the size, seed, data and version of the first are shown.
    named : collection of str
        Options to show by name as well.

    Examples
    --------
    >>> by_t, by_sign = (Settings(method="mean", options={"test": name, "ties": "drop"}, data="9f3c", version="0.1.0")
    ...                  for name in ("t", "sign"))
    >>> short_signature([by_t], ["test"])
    'betterthan|mean|test:t|options:902e|data:9f3c|version:0.1.0'
    >>> by_t.short_signature == by_sign.short_signature
    False
    """
    keys = dict.fromkeys(key for one in settings for key in one.options if key in named)
    options: dict[str, OptionValue] = {
        key: _joined([one.options.get(key) for one in settings]) for key in sorted(keys)
    }
    bare = [replace(one, data="", version="").signature for one in settings if one.options]
    if bare:
        options["options"] = hashlib.sha256("\n".join(bare).encode()).hexdigest()[:4]
    methods = "+".join(dict.fromkeys(one.method for one in settings))
    return replace(settings[0], method=methods, options=options).signature


def _joined(values: Sequence[OptionValue]) -> OptionValue:
    """Return what several results have in common, or their different values beside each other."""
    different = list(dict.fromkeys(value for value in values if value is not None))
    return different[0] if len(different) == 1 else "+".join(map(str, different)) or None


def _plain(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    # "|" and ":" separate fields, so they are removed from names of files and columns.
    return text.replace("|", "/").replace(":", "=")


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
