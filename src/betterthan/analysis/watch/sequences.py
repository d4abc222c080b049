"""Tables as sequences of differences, one for each pair of systems, in the order in which units were completed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from betterthan.analysis.units import UnitName, unit_note, units_of
from betterthan.arrays import BoolArray, FloatArray, IntArray, digest
from betterthan.errors import BetterThanError, TableError
from betterthan.messages import Message, Option
from betterthan.tables.checks import at, positions
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores

MOST_PAIRS = 5_000


class PairSequence(NamedTuple):
    """The units of one pair of systems in their order.

    Attributes
    ----------
    a, b : int
        Indices of the systems.
    time : array of int, shape (n,)
        Number of each unit among those of all pairs, from 1.
    values, sizes : array, shape (n,)
        Sum of the differences, a less b, and number of segments or battles.
    """

    a: int
    b: int
    time: IntArray
    values: FloatArray
    sizes: FloatArray


class Sequences(NamedTuple):
    """The sequences of all pairs.

    Attributes
    ----------
    systems : tuple of str
    columns : dict of str to array
        What was measured, with units on the last axis. Of scores `sums` of each system and `sizes`; of battles the two
        systems `first` and `second`, `values` and `sizes`.
    unit : str
    comparison : str
    measured : str
    bound : float
        The largest absolute difference of a segment; infinite where it is not known.
    notes : tuple of str
    """

    systems: tuple[str, ...]
    columns: dict[str, FloatArray | IntArray]
    unit: str
    comparison: str
    measured: str
    bound: float
    notes: tuple[str, ...]

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.columns["sizes"].size)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change whenever a system or a unit does."""
        return digest(self.systems, self.unit, *self.columns.values())

    def wins(self) -> FloatArray:
        """Return the wins of the row over the column in battles, a tie as half of one for both."""
        m, columns = len(self.systems), self.columns
        found = np.zeros((m, m))
        half = columns["sizes"] / 2
        first, second = (columns[name].astype(np.int64) for name in ("first", "second"))
        np.add.at(found, (first, second), half + columns["values"])
        np.add.at(found, (second, first), half - columns["values"])
        return np.maximum(found, 0.0)

    def pairs(self) -> list[PairSequence]:
        """Return the sequence of every pair of systems."""
        m, columns = len(self.systems), self.columns
        if "sums" in columns:
            time = np.arange(1, self.n_units + 1)
            sums, sizes = columns["sums"], columns["sizes"].astype(np.float64)
            return [PairSequence(i, j, time, sums[i] - sums[j], sizes) for i, j in combinations(range(m), 2)]
        found = []
        of_pair = columns["first"] * m + columns["second"]
        for i, j in combinations(range(m), 2):
            own = np.flatnonzero(of_pair == i * m + j)
            values, sizes = (columns[name][own].astype(np.float64) for name in ("values", "sizes"))
            found.append(PairSequence(i, j, own + 1, values, sizes))
        return found


def of_scores(
    scores: Scores,
    *,
    systems: Sequence[str] | None,
    bounds: Sequence[float] | None,
    units: UnitName,
    missing: Literal["raise", "drop"],
) -> Sequences:
    """Return the sequences of scores; documents are complete with their last segment."""
    chosen = scores.select(systems).complete(missing=missing)
    _refuse_too_many(chosen.systems)
    found = units_of(chosen, units)
    last = np.zeros(found.n_units, dtype=np.int64)
    np.maximum.at(last, found.of_segment, np.arange(chosen.n_segments))
    order = np.argsort(last)
    sums, sizes = found.summed(chosen.goodness)[:, order], found.sizes[order]
    is_binary = chosen.is_binary
    known: Sequence[float] | None = (0.0, 1.0) if is_binary and bounds is None else bounds
    if known is not None:
        _check_bounds(known, chosen)
    note = unit_note(chosen, found)
    return Sequences(
        systems=chosen.systems,
        columns={"sums": sums, "sizes": sizes},
        unit="items" if found.are_segments else "documents",
        comparison="right or wrong" if is_binary else "scores",
        measured=f"{chosen.name}, {chosen.direction}",
        bound=np.inf if known is None else float(known[1] - known[0]),
        notes=(*chosen.notes, *([note] if note else [])),
    )


def of_matches(matches: Matches, *, systems: Sequence[str] | None) -> Sequences:
    """Return the sequences of battles; a judge's battles of a pair are one unit, complete with the last."""
    chosen = positions(systems, matches.systems, what="system")
    names = at(chosen, matches.systems)
    _refuse_too_many(names)
    used = _in_order(matches)
    place = np.full(matches.n_systems, -1)
    place[chosen] = np.arange(len(names))
    left, right = place[matches.left], place[matches.right]
    rows = np.flatnonzero(used & (left >= 0) & (right >= 0))
    first, second = np.minimum(left, right)[rows], np.maximum(left, right)[rows]
    won = np.where(left[rows] < right[rows], matches.outcome[rows], 1 - matches.outcome[rows])
    gains, weights = (won - 0.5) * matches.weight[rows], matches.weight[rows]
    cluster, unit = _cluster(matches)
    keys = np.stack([first, second, rows if cluster is None else cluster[rows]])
    _, code = np.unique(keys, axis=1, return_inverse=True)
    code = code.reshape(-1)
    n_units = int(code.max(initial=-1)) + 1
    last = np.zeros(n_units, dtype=np.int64)
    np.maximum.at(last, code, np.arange(rows.size))
    order = np.argsort(last)
    sums, sizes = (
        np.bincount(code, each, minlength=n_units)[order].astype(np.float64) for each in (gains, weights)
    )
    ends = last[order]
    return Sequences(
        systems=names,
        columns={"first": first[ends], "second": second[ends], "values": sums, "sizes": sizes},
        unit=unit,
        comparison="battles",
        measured="",
        bound=0.5,
        notes=matches.notes,
    )


def _in_order(matches: Matches) -> BoolArray:
    """Refuse counted battles, whose order is lost; battles of several parts are in one group."""
    is_part = (
        (matches.weight < 1) if matches.group is not None else np.zeros(matches.weight.size, dtype=np.bool_)
    )
    counted = (matches.weight != 1) & (matches.weight != 0) & ~is_part
    if counted.any():
        raise TableError(
            Message(
                "Battle {row}: the weight is {weight:g}. Battles are watched one by one in the order in which they "
                "were judged, and counted ones have lost it. Read the file of single battles with {call}.",
                row=int(np.flatnonzero(counted)[0]) + 1,
                weight=float(matches.weight[counted][0]),
                call="watch(path)",
            )
        )
    return np.asarray(matches.weight > 0)


def _cluster(matches: Matches) -> tuple[IntArray | None, str]:
    if matches.group is not None:
        return matches.group, "judges"
    if matches.segment is not None and np.unique(matches.segment).size < matches.segment.size:
        return matches.segment, "questions"
    return None, "battles"


def _refuse_too_many(systems: Sequence[str]) -> None:
    pairs = len(systems) * (len(systems) - 1) // 2
    if len(set(systems)) < max(2, len(systems)):
        raise TableError("watch compares two or more different systems.")
    if pairs > MOST_PAIRS:
        raise BetterThanError(
            Message(
                "{n} systems are {pairs} pairs; at most {most} are watched. Choose some with {systems}.",
                n=f"{len(systems):,}",
                pairs=f"{pairs:,}",
                most=f"{MOST_PAIRS:,}",
                systems=Option("systems", list(systems[:2])),
            )
        )


def _check_bounds(bounds: Sequence[float], scores: Scores) -> None:
    is_range = len(bounds) == 2 and bool(np.isfinite(bounds).all()) and bounds[0] < bounds[1]
    if not is_range:
        raise BetterThanError(
            Message(
                "{option} must be two numbers, the lowest and the highest possible score.",
                option=Option("bounds", list(bounds)),
            )
        )
    low, high = bounds
    outside = np.argwhere((scores.values < low) | (scores.values > high))
    if outside.size:
        i, j = outside[0].tolist()
        raise BetterThanError(
            Message(
                "{option} does not hold: {system} has the score {score:g} on segment {segment}.",
                option=Option("bounds", [low, high]),
                system=scores.systems[i],
                score=float(scores.values[i, j]),
                segment=scores.segments[j],
            )
        )
