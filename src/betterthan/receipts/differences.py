"""Two results as JSON, compared number by number and word by word."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NamedTuple, TypeGuard

from betterthan.receipts.receipt import File, last_part

_LONGEST = 60
_BEFORE = 10
_LONGEST_NOTE = 10_000
_FOLDER = r"""[^/\\\n"':;,<>=|?*]{0,80}"""


class Difference(NamedTuple):
    """A field and what stands in it, here and there; `gap` is infinite when it is not two numbers."""

    place: str
    recorded: str
    recomputed: str
    gap: float = math.inf


@dataclass(slots=True)
class DataComparison:
    """What a comparison has found so far.

    Attributes
    ----------
    tolerance : float
        Numbers this close are equal, in units of the larger one where that exceeds 1; 0 asks for every bit.
    same_words : callable
        Whether two different texts say the same.
    is_same_version : bool
        With another version, what it cannot know and what it says of itself are no differences.
    n_numbers : int
        Numbers that were compared.
    unrecorded : list of str
        Fields that this version computes and the record, of another version, does not have.
    differences : list of Difference
    """

    tolerance: float = 0.0
    same_words: Callable[[str, str], bool] = lambda recorded, recomputed: recorded == recomputed
    is_same_version: bool = True
    n_numbers: int = 0
    unrecorded: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)

    def compare(self, recorded: object, recomputed: object, place: str = "") -> None:
        """Compare two values as JSON has them.

        Examples
        --------
        >>> found = DataComparison()
        >>> found.compare({"strength": [1.0, 2.0]}, {"strength": [1.0, 2.5]})
        >>> found.n_numbers, found.differences[0][:3]
        (2, ('strength[1]', '2.0', '2.5'))
        """
        if isinstance(recorded, Mapping) and isinstance(recomputed, Mapping):
            self._fields(recorded, recomputed, place)
        elif isinstance(recorded, list) and isinstance(recomputed, list):
            self._entries(recorded, recomputed, place)
        elif _is_number(recorded) and _is_number(recomputed):
            self._numbers(recorded, recomputed, place)
        elif isinstance(recorded, str) and isinstance(recomputed, str):
            if recorded != recomputed and not self.same_words(recorded, recomputed):
                self._differ(place, recorded, recomputed)
        elif type(recorded) is not type(recomputed) or recorded != recomputed:
            self._differ(place, recorded, recomputed)

    def _fields(self, recorded: Mapping[str, Any], recomputed: Mapping[str, Any], place: str) -> None:
        for key in dict.fromkeys((*recorded, *recomputed)):
            inside = f"{place}.{key}" if place else str(key)
            if key not in recomputed:
                self.differences.append(Difference(inside, _shown(recorded[key]), "no such field"))
            elif key in recorded:
                self.compare(recorded[key], recomputed[key], inside)
            elif self.is_same_version:
                self.differences.append(Difference(inside, "no such field", _shown(recomputed[key])))
            else:
                self.unrecorded.append(inside)

    def _entries(self, recorded: list[Any], recomputed: list[Any], place: str) -> None:
        if len(recorded) != len(recomputed):
            self.differences.append(
                Difference(place, f"{len(recorded):,} entries", f"{len(recomputed):,} entries")
            )
        for i, (one, other) in enumerate(zip(recorded, recomputed, strict=False)):
            self.compare(one, other, f"{place}[{i}]")

    def _numbers(self, recorded: float, recomputed: float, place: str) -> None:
        self.n_numbers += 1
        if recorded == recomputed:
            return
        gap = gap_between(recorded, recomputed)
        if not gap <= self.tolerance:
            self.differences.append(Difference(place, repr(recorded), repr(recomputed), gap))

    def _differ(self, place: str, recorded: object, recomputed: object) -> None:
        start = 0
        if isinstance(recorded, str) and isinstance(recomputed, str):
            alike = takewhile(lambda pair: pair[0] == pair[1], zip(recorded, recomputed, strict=False))
            start = max(0, sum(1 for _ in alike) - _BEFORE)
        self.differences.append(Difference(place, _shown(recorded, start), _shown(recomputed, start)))


def gap_between(recorded: float, recomputed: float) -> float:
    """Return the distance of two numbers, in units of the larger one where that exceeds 1.

    Examples
    --------
    >>> gap_between(0.25, 0.5), gap_between(200.0, 100.0)
    (0.25, 0.5)
    """
    try:
        return abs(recorded - recomputed) / max(1.0, abs(recorded), abs(recomputed))
    except OverflowError:  # a whole number beyond all floats
        return math.inf


def n_numbers(value: object) -> int:
    """Count the numbers in data as JSON has them.

    Examples
    --------
    >>> n_numbers({"strength": [1.0, None], "rank": 1, "is_best": True})
    2
    """
    if isinstance(value, Mapping):
        return sum(map(n_numbers, value.values()))
    return sum(map(n_numbers, value)) if isinstance(value, list) else int(_is_number(value))


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: object, start: int = 0) -> str:
    """Return a value in a few words; of a long text the part after `start`."""
    if isinstance(value, Mapping | list):
        return f"{len(value):,} entries"
    if not isinstance(value, str):
        return json.dumps(value)
    text = value[start : start + _LONGEST]
    return f'"{"…" * (start > 0)}{text}{"…" * (start + _LONGEST < len(value))}"'


def same_but_for_folders(paths: Mapping[File, str]) -> Callable[[str, str], bool]:
    """Return whether two texts are equal when files are called alike in both: notes name the files they are about."""

    def same(recorded: str, recomputed: str) -> bool:
        if max(len(recorded), len(recomputed)) > _LONGEST_NOTE:
            return False  # the search below is for sentences
        for file, path in paths.items():
            recomputed = recomputed.replace(path, file.name)
        for file in paths:
            # Of an absolute path only the last part was recorded, and a note may still name all of it. What stands
            # before the name must be folders: anything longer could hide a sentence that was not computed.
            name = last_part(file.name)
            way = re.compile(rf"(?:[A-Za-z]:|~)?[/\\](?:{_FOLDER}[/\\])*{re.escape(name)}")
            recorded, recomputed = (way.sub(lambda _: name, text) for text in (recorded, recomputed))  # noqa: B023
        return recorded == recomputed

    return same
