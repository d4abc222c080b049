"""Units of independence among matches: judges or sessions, questions, or single matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray, numbered
from betterthan.errors import some_of
from betterthan.results.settings import few_note
from betterthan.tables.matches import Matches

FEWEST_SEGMENTS = 5
_MEANINGS = {"group": "judges or sessions", "segment": "questions"}


class MatchUnit(NamedTuple):
    """Units of independence: their kind, and the unit of each row."""

    name: str
    code: IntArray


def units_of_matches(matches: Matches) -> tuple[MatchUnit, ...]:
    """Return the clusters of the errors: groups where there are any, and segments that occur in several rows.

    Battles of one judge are correlated, and so are battles over one question: both orders of it, several judges,
    several pairs of systems. Segments are left out where they are too few to estimate their variance, and where they
    are nested in groups, which then account for their correlation.

    Examples
    --------
    >>> rows = {"left": [0] * 10, "right": [1] * 10, "outcome": [1, 0] * 5}
    >>> matches = Matches(systems=["A", "B"], **rows, segment=[0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    >>> [unit.name for unit in units_of_matches(matches)]
    ['segment']
    """
    units = [] if matches.group is None else [MatchUnit("group", matches.group)]
    if matches.segment is None:
        return tuple(units)
    used = matches.weight > 0
    segment, n_segments = numbered(matches.segment[used])
    if FEWEST_SEGMENTS <= n_segments < used.sum():
        units.append(MatchUnit("segment", matches.segment))
    if len(units) == 2 and _are_nested(segment, n_segments, units[0].code[used]):
        units.pop()
    return tuple(units)


def _are_nested(segment: IntArray, n_segments: int, group: IntArray) -> bool:
    """Whether all rows of each segment have the same group."""
    group_of_segment = np.zeros(n_segments, dtype=group.dtype)
    group_of_segment[segment] = group
    return bool((group_of_segment[segment] == group).all())


def unit_sizes(unit: MatchUnit, matches: Matches) -> FloatArray:
    """Total weight of the matches of each nonempty unit."""
    sizes = np.bincount(numbered(unit.code)[0], matches.weight)
    return np.asarray(sizes[sizes > 0], dtype=np.float64)


def crossed(units: Sequence[MatchUnit]) -> IntArray:
    """Number the combinations of two kinds of units."""
    (first, _), (second, n_second) = (numbered(unit.code) for unit in units)
    return np.asarray(first * max(n_second, 1) + second)


def _even_units(sizes: FloatArray) -> float:
    """Effective number of units: how many of equal size would be equally informative."""
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def match_unit_note(matches: Matches) -> str:
    """Return a note on the units, their number, and their effective number when they are uneven; empty without any."""
    words = []
    for unit in units_of_matches(matches):
        sizes = unit_sizes(unit, matches)
        worth = _even_units(sizes)
        uneven = f"; effective number {worth:.3g}" if worth < 0.8 * sizes.size else ""
        words.append(f"{sizes.size:,} {unit.name}s ({_MEANINGS[unit.name]}{uneven})")
    if not words:
        return ""
    return f"Units: {' and '.join(words)}; battles that share one are not independent."


def match_units(matches: Matches) -> dict[str, Any]:
    """Return the fields of a table of pairs that describe the units of independence."""
    units = units_of_matches(matches)
    if not units:
        return {"units": "matches", "n_units": round(matches.n_matches)}
    fewest = min(unit_sizes(unit, matches).size for unit in units)
    return {"units": "clusters", "n_units": fewest, "unit_note": match_unit_note(matches)}


def thin_note(
    systems: Sequence[str], degrees: FloatArray, units: Sequence[MatchUnit], matches: Matches
) -> tuple[str, ...]:
    """Return notes on few units, and on systems that cannot be assessed because all matches come from one judge."""
    counts: dict[tuple[str, str], int] = {}
    for unit in units:
        meaning = _MEANINGS[unit.name]
        names = f"{unit.name} ({meaning})", f"{unit.name}s ({meaning})"
        counts[names] = unit_sizes(unit, matches).size
    return (*few_note(counts), *_lone_note(systems, degrees, units, matches))


def _lone_note(
    systems: Sequence[str], degrees: FloatArray, units: Sequence[MatchUnit], matches: Matches
) -> tuple[str, ...]:
    unknown = np.isnan(degrees) & ~np.eye(len(degrees), dtype=bool)
    if not unknown.any():
        return ()
    for unit in units:
        seen = [np.unique(unit.code[of]).size for of in _rows_of_systems(matches, systems)]
        thin = [name for name, n, row in zip(systems, seen, unknown, strict=True) if n == 1 and row.any()]
        if thin:
            one = "it is" if len(thin) == 1 else "they are"
            text = (
                f"All matches of {some_of(thin, limit=3)} belong to one {unit.name}, so {one} confounded with that "
                f"{unit.name}'s preferences: p-values and intervals are not available."
            )
            return (text,)
    first, second = (systems[int(i)] for i in np.argwhere(np.triu(unknown))[0])
    n = int(np.triu(unknown).sum())
    text = (
        f"{n:,} {'pair is' if n == 1 else 'pairs are'} connected through one {units[0].name} only, such as {first} and "
        f"{second}: p-values and intervals are not available for these."
    )
    return (text,)


def _rows_of_systems(matches: Matches, systems: Sequence[str]) -> list[BoolArray]:
    index = [matches.systems.index(name) for name in systems]
    used = matches.weight > 0
    return [((matches.left == i) | (matches.right == i)) & used for i in index]
