"""Judgements collected row by row into ratings, with an account of every row."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.doubts.direction import direction
from betterthan.read.protocol import Format, Options, Problem, Reading
from betterthan.read.source.source import Source
from betterthan.tables.ratings import Ratings

REPEATED = "judged again by the same judge"


@dataclass(slots=True)
class Judgements:
    """Judgements of one language pair, in order of first appearance.

    A judge who saw an item twice keeps one judgement, the last one unless `keep` says otherwise; "mean" keeps all
    and leaves the averaging to :meth:`Ratings.to_scores`.

    Examples
    --------
    >>> judged = Judgements(keep="last")
    >>> for score in (40.0, 60.0):
    ...     judged.add("A", "d:1", "judge 1", score, group="d")
    >>> judged.ratings("DA", Options()).score, judged.n_repeated
    (array([60.]), 1)
    """

    keep: str = "last"
    systems: dict[str, int] = field(default_factory=dict)
    segments: dict[str, int] = field(default_factory=dict)
    judges: dict[str, int] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)
    scores: dict[tuple[int, int, int], list[float]] = field(default_factory=dict)
    n_repeated: int = 0

    def add(self, system: str, segment: str, judge: str, score: float, *, group: str = "") -> None:
        """Add a judgement; the group is that of the segment's first judgement."""
        if segment not in self.segments:
            self.groups.append(group)
        place = (
            self.systems.setdefault(system, len(self.systems)),
            self.segments.setdefault(segment, len(self.segments)),
            self.judges.setdefault(judge, len(self.judges)),
        )
        before = self.scores.setdefault(place, [])
        if before and self.keep != "mean":
            self.n_repeated += 1
            if self.keep == "first":
                return
            before.clear()
        before.append(score)

    def ratings(self, name: str, options: Options, notes: tuple[str, ...] = ()) -> Ratings:
        """Return the collected judgements as a table."""
        rows = [(*place, score) for place, scores in self.scores.items() for score in scores]
        system, segment, judge, score = (np.array(column) for column in zip(*rows, strict=True))
        way = direction(name, score, options)
        return Ratings(
            name=name,
            systems=tuple(self.systems),
            segments=tuple(self.segments),
            judges=tuple(self.judges),
            system=system,
            segment=segment,
            judge=judge,
            score=score.astype(np.float64),
            higher_is_better=way.higher_is_better,
            direction_doubt=way.doubt,
            groups=tuple(self.groups) if all(self.groups) else None,
            notes=(*notes, *([way.note] if way.note else [])),
        )


@dataclass(slots=True)
class Account:
    """Every row of a file: the judgements it gave, by language pair, and why the others gave none."""

    keep: str = "last"
    n_rows: int = 0
    pairs: dict[str, Judgements] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)

    def of(self, pair: str) -> Judgements:
        """Return the judgements of a language pair."""
        if pair not in self.pairs:
            self.pairs[pair] = Judgements(keep=self.keep)
        return self.pairs[pair]


def account(options: Options) -> Account:
    """Open an account; where the user said nothing of repeated judgements, the last one counts."""
    return Account(keep="last" if options.duplicates == "raise" else options.duplicates)


def reading_of(
    found: Account,
    source: Source,
    options: Options,
    *,
    format: Format,  # noqa: A002  (the protocol's word)
    because: str,
    name: str,
    notes: tuple[str, ...] = (),
) -> Reading:
    """Return one table for each language pair, named after it where there are several.

    Raises
    ------
    ReadError
        When no row is a judgement (BT011).
    """
    repeated = sum(judged.n_repeated for judged in found.pairs.values())
    dropped = {**found.dropped, **({REPEATED: repeated} if repeated else {})}
    counted = tuple(f"{count:,} rows were left out: {reason}." for reason, count in dropped.items())
    if not found.pairs:
        said = " ".join(counted)
        raise ReadError(
            f"No row is a judgement of a translation. {said} Check what wrote the file.".replace("  ", " "),
            path=source.name,
            code="BT011",
        )
    own = options.name or name
    tables = tuple(
        judged.ratings(f"{own} {pair}" if len(found.pairs) > 1 else own, options, (*notes, *counted))
        for pair, judged in found.pairs.items()
    )
    return Reading(
        format=format,
        because=because,
        tables=tables,
        rows_read=found.n_rows,
        rows_kept=found.n_rows - sum(dropped.values()),
        dropped=dropped,
        notes=tables[0].notes,
        problems=tuple(problem for table in tables for problem in _doubts(table, source.name)),
    )


def _doubts(table: Ratings, place: str) -> tuple[Problem, ...]:
    if len(table.systems) > 1:
        return ()
    text = f'Only one system ("{table.systems[0]}") in "{table.name}", so nothing can be compared. Add another one.'
    return (Problem(code="BT104", place=place, message=text),)
