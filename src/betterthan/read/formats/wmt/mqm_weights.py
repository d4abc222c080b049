"""What an error of MQM weighs, by category and severity."""

from __future__ import annotations

import math
from collections.abc import Mapping

from betterthan.errors import BetterThanError

ANY = "*"
WEIGHTS: dict[str, float] = {
    "Major": 5,
    "Minor": 1,
    "Neutral": 0,
    "No-error": 0,
    "No-error/*": 0,
    "Fluency/Punctuation/Minor": 0.1,
    "Non-translation/*": 25,
    "Source error/*": 0,
    "Source issue/*": 0,
    "HOTW-test": 0,  # attention checks, and no errors of the system
}
"""The weights of Google's MQM (Freitag et al. 2021): CATEGORY/SEVERITY, or a severity alone, to points."""

_Key = tuple[tuple[str, ...], str]


class Weights:
    """Weights by category and severity; the most specific one counts.

    A key is a severity ("Major"), or a category with a severity after it ("Fluency/Punctuation/Minor"); ``*`` as
    severity is any ("Non-translation/*"). Case and punctuation do not matter. A longer category is more specific than
    a shorter one, and a named severity more than any.

    Parameters
    ----------
    changes : mapping of str to float
        What differs from :data:`WEIGHTS`.

    Examples
    --------
    >>> weights = Weights({"Critical": 10, "Style/*": 0.5})
    >>> weights.of("Fluency/Punctuation", "minor"), weights.of("Style/Awkward", "Major"), weights.of("Terminology", "X")
    (0.1, 0.5, None)
    """

    def __init__(self, changes: Mapping[str, float]) -> None:
        self._weights: dict[_Key, float] = {}
        self._known: dict[tuple[str, str], float | None] = {}
        for key, weight in {**WEIGHTS, **changes}.items():
            self._weights[_key(key)] = _number(key, weight)

    def of(self, category: str, severity: str) -> float | None:
        """Return what an error weighs, or None when neither category nor severity is known."""
        asked = (category, severity)
        if asked not in self._known:
            self._known[asked] = self._found(*asked)
        return self._known[asked]

    def _found(self, category: str, severity: str) -> float | None:
        path, plain_severity = _path(category), _plain(severity)
        for length in range(len(path), -1, -1):
            for one in (plain_severity, ANY):
                if (path[:length], one) in self._weights:
                    return self._weights[path[:length], one]
        return None


def _key(key: str) -> _Key:
    *category, severity = key.split("/")
    named = ANY if severity.strip() == ANY else _plain(severity)
    if not named or not all(map(_plain, category)) or (named == ANY and not category):
        raise BetterThanError(
            f'"{key}" is no key of a weight. Write a severity (Major) or CATEGORY/SEVERITY '
            f"(Fluency/Punctuation/Minor; * is any severity)."
        )
    return tuple(map(_plain, category)), named


def _path(category: str) -> tuple[str, ...]:
    return tuple(plain for part in category.split("/") if (plain := _plain(part)))


def _plain(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter.isalnum())


def _number(key: str, weight: object) -> float:
    is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not is_number or not math.isfinite(weight) or weight < 0:  # type: ignore[operator, arg-type]
        raise BetterThanError(f'The weight of "{key}" must be a number of 0 or more, not {weight!r}.')
    return float(weight)  # type: ignore[arg-type]
