"""Errors marked in a translation, as objects of JSON: what they weigh together, and what cannot be weighed.

An error is ``{"start", "end", "category", "severity", "score", "is_source_error"}``. Ratings hold scores and no spans,
so only what an error weighs is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from betterthan.errors import ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.formats.wmt.mqm_weights import Weights
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import parse
from betterthan.read.source.source import Source

_SHOWN = 4
_LONGEST = 40


@dataclass(slots=True)
class Marked:
    """Weighs lists of errors one by one, and remembers those without a weight.

    Examples
    --------
    >>> marked = Marked(Weights({}))
    >>> errors = [{"category": "Accuracy/Omission", "severity": "major"}, {"category": "Style", "severity": "minor"}]
    >>> marked.score(errors, None, 1), marked.score([], None, 2), marked.n_errors
    (-6.0, 0.0, 2)
    """

    weights: Weights
    unknown: Counter[str] = field(default_factory=Counter)
    n_errors: int = 0
    n_scored: int = 0

    def score(self, errors: object, source: Source | None, line: int) -> float:
        """Return minus the sum of the errors' weights; an empty list is 0.

        Raises
        ------
        ReadError
            When `errors` is no list of objects, or a category or severity no text (BT182).
        """
        if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
            raise _no_list(source, line)
        # Subtracted from zero, because negation would turn 0 into -0.
        return 0.0 - sum(self._weight(error, source, line) for error in errors)

    def _weight(self, error: Mapping[str, object], source: Source | None, line: int) -> float:
        self.n_errors += 1
        category, severity = (_text(error, key, source, line) for key in ("category", "severity"))
        weight = self.weights.of(category, severity)
        if weight is not None:
            return weight
        points = parse(error.get("score")) if not isinstance(error.get("score"), bool) else np.inf
        if not severity and np.isfinite(points):
            self.n_scored += 1
            return abs(points)
        self.unknown[f"{severity or 'no severity'} ({category or 'no category'})"] += 1
        return 0.0

    def check(self, source: Source) -> tuple[str, ...]:
        """Return notes on the errors that were weighed.

        Raises
        ------
        ReadError
            When some have no weight (BT150).
        """
        if self.unknown:
            raise without_weight(self.unknown, source)
        notes = [f"{self.n_errors:,} errors were weighed; their places in the text are not kept."]
        if self.n_scored:
            notes.append(f"{self.n_scored:,} errors without a severity weigh what their own score says.")
        return tuple(notes)


def without_weight(unknown: Mapping[str, int], source: Source) -> ReadError:
    """Build the error for severities without a weight: all of them, with their counts."""
    often = sorted(unknown.items(), key=lambda item: -item[1])
    listed = [f"{_short(what)}: {count}" for what, count in often]
    severity = _short(next(iter(unknown)).partition(" (")[0])
    return ReadError(
        Message(
            "Errors without a weight: {errors}. An error that weighs nothing by accident flatters the system. "
            "Give the weight, for example {weights}.",
            errors=some_of(listed, limit=_SHOWN),
            weights=Option("weights", {severity: 10}),
        ),
        path=source.name,
        code="BT150",
    )


def _short(text: str) -> str:
    """Return what a message can show of a cell that may hold anything."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:_LONGEST])
    return shown if len(text) <= _LONGEST else f"{shown[:-1]}…"


def _text(error: Mapping[str, object], key: str, source: Source | None, line: int) -> str:
    value = error.get(key)
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    raise ReadError(
        f'The {key} of an error is {quoted(str(value))}, which is no text. Write a name such as "Major".',
        path=source.name if source else None,
        line=line,
        code="BT182",
    )


def _no_list(source: Source | None, line: int) -> ReadError:
    return ReadError(
        '"errors" must be a list of objects, empty where there is no error. Write the line again.',
        path=source.name if source else None,
        line=line,
        code="BT182",
    )
