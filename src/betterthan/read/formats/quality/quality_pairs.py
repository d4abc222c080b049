"""Which labelling or column of scores is the truth, which are systems, and of which language pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

import numpy as np

from betterthan.arrays import IntArray
from betterthan.errors import ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.doubts.metric_names import is_truth_of_predictions
from betterthan.read.formats.quality.quality_rows import GOLD, is_count
from betterthan.read.grid.grid import quoted


class Named(Protocol):
    """Something said by someone about the sentences of a language pair, which is "" where the file has none."""

    @property
    def name(self) -> str:
        """The system, or "gold"."""

    @property
    def path(self) -> str:
        """The file, as the user named it."""

    @property
    def pair(self) -> str:
        """The language pair."""


Some = TypeVar("Some", bound=Named)


def truth_and_systems(found: Sequence[Some]) -> tuple[list[Some], list[Some]]:
    """Return those called "gold", and the others."""
    truth = [one for one in found if one.name.casefold() == GOLD]
    return truth, [one for one in found if one.name.casefold() != GOLD]


def refuse_truth_among(systems: Mapping[str, str]) -> None:
    """Refuse true scores among systems: they are what predictions are held against, and cannot win.

    Parameters
    ----------
    systems : mapping of str to str
        The name of each system and its file.

    Raises
    ------
    ReadError
        When some of the systems, and not all, are named like the truth (BT231).
    """
    truth = [name for name in systems if is_truth_of_predictions(name)]
    others = [name for name in systems if name not in truth]
    if truth and others:
        gold = systems[truth[0]]
        # One file may hold the truth and the predictions; it is then named as both.
        is_one = all(systems[name] == gold for name in others)
        name = "rename it" if is_one else f"give it another name: NAME={gold}"
        raise ReadError(
            f"{quoted(truth[0])} is named like the truth and would be ranked as a system beside {some_of(others)}. "
            f"To compare predictions with the truth: betterthan quality {gold} {gold if is_one else 'FILE...'}. "
            f"If it is a system, {name}.",
            path=gold,
            code="BT231",
        )


def of_pair(
    gold: Sequence[Some], systems: Sequence[Sequence[Some]], language_pair: str | None, *, path: str
) -> tuple[Some, list[Some]]:
    """Choose the truth and the systems of one language pair.

    In a file of gold labels the one called "gold" is the truth, if there is one; in the other files the others are
    the systems, if there are any. A language pair that is in all files need not be named if it is the only one.

    Raises
    ------
    ReadError
        When several pairs are in all files and none was asked for, or the one asked for is not there, or when the truth
        is not one (BT307).
    """
    truth = truth_and_systems(gold)[0] or list(gold)
    predicted = [truth_and_systems(found)[1] or list(found) for found in systems]
    shared = _shared([truth, *predicted])
    if language_pair is not None:
        shared = [pair for pair in shared if pair == language_pair.lower()]
    if len(shared) > 1 or not (shared or (language_pair is None and not _pairs([truth, *predicted]))):
        raise _no_pair(shared, language_pair, path)
    chosen = ("", *shared)
    one = [said for said in truth if said.pair in chosen]
    if len(one) != 1:
        raise ReadError(
            f"The truth must be of one, but here {len(one)} speak: {some_of([said.name[:40] for said in one])}. "
            f'Call the truth "gold", or give a file of its own.',
            path=path,
            code="BT307",
        )
    return one[0], [said for found in predicted for said in found if said.pair in chosen]


def _pairs(files: Sequence[Sequence[Named]]) -> list[str]:
    return list(dict.fromkeys(said.pair for found in files for said in found if said.pair))


def _shared(files: Sequence[Sequence[Named]]) -> list[str]:
    """Return the language pairs that are in all files which name any."""
    named = [set(pairs) for found in files if (pairs := _pairs([found]))]
    return [pair for pair in _pairs(files) if all(pair in pairs for pairs in named)]


def _no_pair(pairs: Sequence[str], asked: str | None, path: str) -> ReadError:
    if not pairs:
        what = quoted(asked) if asked else "language pair"
        text: str = f"No {what} is in all of the files. Use files of one language pair."
    else:
        listed = some_of([pair[:20] for pair in pairs])
        text = Message(
            "All files have several language pairs ({pairs}), which cannot be scored together. Choose one with {pair}.",
            pairs=listed,
            pair=Option("language_pair", pairs[0]),
        )
    return ReadError(text, path=path, code="BT307")


def check_names(systems: Sequence[Named]) -> None:
    """Raise when two systems have one name (BT131)."""
    seen: dict[str, Named] = {}
    for one in systems:
        if one.name in seen:
            raise ReadError(
                f"This file and {seen[one.name].path} both have a system called {quoted(one.name)}. "
                f"Name one of them: NAME={one.path}",
                path=one.path,
                code="BT131",
            )
        seen[one.name] = one


def order_of(ids: Sequence[str], *, path: str) -> IntArray:
    """Return the places of sentences 0, 1, 2, … (or 1, 2, 3, …) in a file, to pair them with lines of another.

    Raises
    ------
    ReadError
        When the ids do not count the sentences (BT304).
    """
    numbers = [int(name) for name in ids if is_count(name)]
    start = min(numbers, default=0)
    if len(numbers) != len(ids) or sorted(numbers) != list(range(start, start + len(ids))) or start > 1:
        raise ReadError(
            "The other file has one sentence a line and no ids, so the sentences here must be numbered 0, 1, 2, … "
            "Give both files in one layout.",
            path=path,
            code="BT304",
        )
    return np.argsort(np.array(numbers, dtype=np.int64))
