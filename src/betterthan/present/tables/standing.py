"""What rankings of any kind say alike: which system is best, which ranks are possible, who shares a group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from betterthan.arrays import IntArray

MOST_LETTERED = 15
"""Above this number of rows group letters become too long to read, and rank ranges replace them."""
_NAMED = 4


_NAMES = {
    "bradley_terry": "Bradley–Terry",
    "plackett_luce": "Plackett–Luce",
    "elo": "Elo",
    "trueskill": "TrueSkill",
    "irt": "item response (1PL)",
    "irt_2pl": "item response (2PL)",
    "win_rate": "win rate",
    "adjusted_mean": "adjusted mean",
    "segment_mean": "segment mean",
    "bootstrap_mean": "bootstrap mean",
}


def method_name(method: str) -> str:
    """Return a method's name as people write it; a function of the user keeps its own.

    Examples
    --------
    >>> method_name("bradley_terry"), method_name("win_rate"), method_name("trimmed_mean")
    ('Bradley–Terry', 'win rate', 'trimmed_mean')
    """
    return _NAMES.get(method, method)


class Standings(Protocol):
    """A result whose systems are listed best first, with the ranks that the data allow."""

    @property
    def systems(self) -> tuple[str, ...]:
        """Best first."""

    @property
    def rank_low(self) -> IntArray:
        """Best possible rank of each."""

    @property
    def rank_high(self) -> IntArray:
        """Worst possible rank of each."""


def best_sentence(result: Standings, alpha: float, how: str = "") -> str:
    """Return which system is best, or may be; empty for a single system.

    Parameters
    ----------
    result : Standings
    alpha : float
        Level: a difference is significant if p ≤ alpha. Where there is none, the level is named alone.
    how : str, default ""
        Tests and correction, for the brackets.
    """
    rest = f", {how}" if how else ""
    found, not_found = f"p ≤ {alpha:.3g}{rest}", f"level {alpha:.3g}{rest}"
    systems, m = result.systems, len(result.systems)
    if m < 2:
        return ""
    first = [name for name, low in zip(systems, result.rank_low, strict=True) if low == 1]
    if len(first) == 1:
        others = systems[1] if m == 2 else "both others" if m == 3 else f"all {m - 1} others"
        # Each of the others is worse than some system, but that need not be the first.
        only = (
            "significantly better than" if result.rank_high[0] == 1 else "the only candidate for best among"
        )
        return f"{first[0]} is {only} {others} ({found})."
    if len(first) == m:
        among = f"between {' and '.join(systems)}" if m == 2 else f"among the {m} systems"
        no = "is no significant difference" if m == 2 else "are no significant differences"
        return f"There {no} {among} ({not_found})."
    differ = "they do not differ significantly from each other"
    if len(first) <= _NAMED:
        return f"{some_names(first)} may be the best; {differ} ({not_found})."
    return f"{len(first)} of {m} systems may be the best; {differ}: {some_names(first)} ({not_found})."


def some_names(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are.

    Examples
    --------
    >>> some_names(["A"]), some_names(["A", "B", "C"]), some_names(["A", "B", "C", "D", "E", "F"])
    ('A', 'A, B and C', 'A, B, C, D and 2 more')
    """
    more = len(names) - _NAMED
    *first, last = names if more <= 1 else [*names[:_NAMED], f"{more} more"]
    return f"{', '.join(first)} and {last}" if first else last


def rank_range(low: int, high: int) -> str:
    """Return the ranks that the data allow.

    Examples
    --------
    >>> rank_range(2, 2), rank_range(2, 5)
    ('2', '2–5')
    """
    return f"{low}" if low == high else f"{low}–{high}"


def shows_letters(letters: Iterable[str]) -> bool:
    """Whether a table has a column of groups: letters are known, and few enough to be read.

    Examples
    --------
    >>> shows_letters(["a", "ab", "b"]), shows_letters(["", ""]), shows_letters(["a"] * 16)
    (True, False, False)
    """
    listed = list(letters)
    return any(listed) and len(listed) <= MOST_LETTERED
