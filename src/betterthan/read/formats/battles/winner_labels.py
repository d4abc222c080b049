"""Meaning of the labels in a winner column.

Every label must be known: a default would turn a typo into a tie.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Literal

from betterthan.errors import ReadError

WinnerMeaning = Literal["left", "right", "tie", "both_bad", "between"]

MEANINGS: tuple[WinnerMeaning, ...] = ("left", "tie", "both_bad", "between", "right")
OUTCOMES = (1.0, 0.5, 0.5, math.nan, 0.0)
"""The left system's result for each of MEANINGS; fractional outcomes have their own number."""

LEFT_WORDS = ("left", "model_a", "a", "model_1", "system_a", "system_1", "generator_1", "assistant_a")
RIGHT_WORDS = ("right", "model_b", "b", "model_2", "system_b", "system_2", "generator_2", "assistant_b")
# MT-bench writes tie_inconsistent where two games with swapped sides disagree.
TIE_WORDS = ("tie", "draw", "tied", "tie_inconsistent")
BOTH_BAD_WORDS = ("both_bad", "tie_bothbad", "bothbad", "tie_both_bad")
KNOWN = "left, right, tie, both_bad (also model_a, model_b; a, b)"

_PUNCTUATION = str.maketrans("", "", " _-()\t")
# Meaning of numbers where it is clear: the first system's share of a win, or the position of the winner's column.
_SHARES: dict[float, WinnerMeaning] = {1.0: "left", 0.5: "tie", 0.0: "right"}
_PLACES: dict[float, WinnerMeaning] = {1.0: "left", 1.5: "tie", 0.0: "tie", 2.0: "right"}
_CODES = frozenset({-1.0, 0.0, 1.0, 2.0, 3.0})
_PREFERENCES: dict[float, WinnerMeaning] = {1.0: "left", 1.5: "tie", 2.0: "right"}


def plain(text: str) -> str:
    """Return `text` without case, blanks, underscores, hyphens and parentheses.

    Other characters stay, so that ``"tie?"`` is not a tie.

    Examples
    --------
    >>> plain("tie (bothbad)")
    'tiebothbad'
    """
    return text.casefold().translate(_PUNCTUATION)


def _vocabulary() -> dict[str, WinnerMeaning]:
    groups: tuple[tuple[WinnerMeaning, tuple[str, ...]], ...] = (
        ("left", LEFT_WORDS),
        ("right", RIGHT_WORDS),
        ("tie", TIE_WORDS),
        ("both_bad", BOTH_BAD_WORDS),
    )
    return {plain(word): meaning for meaning, words in groups for word in words}


_WORDS = _vocabulary()


@lru_cache(maxsize=1024)
def word_meaning(text: str, *, preference: bool = False) -> WinnerMeaning | None:
    """Return the meaning of a label, or None when it is unknown.

    Parameters
    ----------
    text : str
    preference : bool, default False
        Whether numbers are on the scale 1 (first), 1.5 (tie), 2 (second), on which numbers between them are allowed.

    Examples
    --------
    >>> word_meaning("Model_A"), word_meaning("tie (bothbad)"), word_meaning("1"), word_meaning("tei")
    ('left', 'both_bad', None, None)
    >>> word_meaning("2.0", preference=True), word_meaning("1.25", preference=True)
    ('right', 'between')
    """
    known = _WORDS.get(plain(text))
    if known is not None or not preference:
        return known
    return _PREFERENCES.get(number(text), "between" if 1 < number(text) < 2 else None)


def number_meanings(
    codes: Collection[float], *, are_shares: bool, are_places: bool
) -> Mapping[float, WinnerMeaning] | None:
    """Return the meaning of the numbers in a winner column, or None when it is ambiguous.

    A 1 may mean the first system (it won) or the second (counted from 0). A tie written as 0.5 shows shares
    of a win; columns called model_1 and model_2 show what 1 and 2 are.

    Parameters
    ----------
    codes : collection of float
        All codes that occur.
    are_shares : bool
        Whether the columns are known to hold the first system's share.
    are_places : bool
        Whether the columns of the systems are numbered 1 and 2.

    Examples
    --------
    >>> number_meanings({0, 1}, are_shares=False, are_places=False) is None
    True
    >>> number_meanings({0, 0.5, 1}, are_shares=False, are_places=False)[1]
    'left'
    >>> number_meanings({1, 2}, are_shares=False, are_places=True)[2]
    'right'
    """
    if set(codes) <= _SHARES.keys() and (are_shares or 0.5 in codes):
        return _SHARES
    if are_places and set(codes) <= _PLACES.keys() and (2.0 in codes or 0.0 not in codes):
        return _PLACES
    return None


def are_codes(codes: Collection[float]) -> bool:
    """Whether numbers are plausible codes of winners, rather than typos."""
    return set(codes) <= _CODES | _SHARES.keys() | _PLACES.keys()


def parse_winner_labels(texts: Iterable[str]) -> dict[str, WinnerMeaning]:
    """Parse meanings of labels, written as ``LABEL=MEANING``.

    Raises
    ------
    ReadError
        Without ``=``, or when the meaning is not left, right, tie or both_bad (BT222).

    Examples
    --------
    >>> parse_winner_labels(["1=left", "0=right"])
    {'1': 'left', '0': 'right'}
    """
    return check_winner_labels(dict(_parted(text) for text in texts))


def check_winner_labels(labels: Mapping[str, str]) -> dict[str, WinnerMeaning]:
    """Return the labels with their meanings in one spelling; see :func:`parse_winner_labels`."""
    meanings: dict[str, WinnerMeaning] = {}
    for label, word in labels.items():
        meaning = _WORDS.get(plain(word))
        if meaning is None:
            raise ReadError(
                f'"{word}" is not an outcome for the winner label "{label}". Write left, right, tie or both_bad.',
                code="BT222",
            )
        meanings[label.strip()] = meaning
    return meanings


def _parted(text: str) -> tuple[str, str]:
    label, sign, word = text.rpartition("=")
    if not sign:
        raise ReadError(f'"{text}" has no "=". Write LABEL=left, LABEL=right or LABEL=tie.', code="BT222")
    return label, word


def labelled_meaning(text: str, labels: Mapping[str, WinnerMeaning]) -> WinnerMeaning | None:
    """Return the user's meaning of a label; "1" also matches "1.0"."""
    stripped = text.strip()
    if stripped in labels:
        return labels[stripped]
    return next((meaning for label, meaning in labels.items() if number(label) == number(stripped)), None)


def number(text: str) -> float:
    """Return `text` as a number, or NaN; Python's own ``1_0`` is not one.

    Examples
    --------
    >>> number("0.50"), number("1_0")
    (0.5, nan)
    """
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


def joined_meaning(
    texts: Sequence[str], single: Callable[[str], WinnerMeaning | None] = word_meaning
) -> WinnerMeaning | None:
    """Return the joint meaning of two or three winner columns.

    Two columns are two games with swapped sides: a win counts only when both agree, otherwise it is a tie. Three
    columns are 0 or 1 for left, right and tie. `single` gives the meaning of one column.

    Examples
    --------
    >>> joined_meaning(["model_1", "model_1"]), joined_meaning(["model_1", "tie"])
    ('left', 'tie')
    >>> joined_meaning(["0", "1", "0"])
    'right'
    """
    if len(texts) == 3:
        return _ONE_HOT.get(tuple(text.strip().casefold() for text in texts))
    meanings = [single(text) for text in texts]
    if None in meanings or "both_bad" in meanings:
        return None
    return meanings[0] if meanings[0] == meanings[1] else "tie"


def rank_meaning(texts: Sequence[str]) -> WinnerMeaning | None:
    """Return the outcome for the ranks of the left and the right system: 1 is best, equal ranks are a tie.

    Ranks are positive integers; a system that was not ranked (-1, an empty cell) gives no outcome.

    Examples
    --------
    >>> rank_meaning(["4", "3"]), rank_meaning(["2", "2.0"]), rank_meaning(["-1", "3"])
    ('right', 'tie', None)
    """
    left, right = (number(text) for text in texts)
    if not all(1 <= rank < math.inf and rank == math.floor(rank) for rank in (left, right)):
        return None
    return "tie" if left == right else "left" if left < right else "right"


def _one_hot() -> dict[tuple[str, ...], WinnerMeaning]:
    spellings = [("1", "0"), ("1.0", "0.0"), ("true", "false")]
    order: tuple[WinnerMeaning, ...] = ("left", "right", "tie")
    return {
        tuple(yes if i == j else no for j in range(3)): meaning
        for (yes, no), (i, meaning) in product(spellings, enumerate(order))
    }


_ONE_HOT = _one_hot()


def listed(labels: Iterable[tuple[str, int]], *, limit: int = 8) -> str:
    """List labels with their counts, the most frequent first.

    Examples
    --------
    >>> listed([("tei", 2), ("", 3), ("tei", 1)])
    'empty (3 rows), "tei" (3 rows)'
    """
    counts: Counter[str] = Counter()
    for text, count in labels:
        counts[text] += count
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = [f"{_quoted(text)} ({n:,} row{'' if n == 1 else 's'})" for text, n in ordered[:limit]]
    more = len(ordered) - limit
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def _quoted(text: str) -> str:
    if not text.strip():
        return "empty"
    return f'"{text}"' if len(text) <= 40 else f'"{text[:40]}…"'
