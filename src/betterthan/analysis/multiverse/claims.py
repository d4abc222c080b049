"""Claims in words: which system is said to be better, and than which others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from betterthan.errors import BetterThanError, unknown_name

_BETTER = re.compile(r"\s*(?:>|\bis\s+better\s+than\b|\bbeats\b|\boutperforms\b)\s*", re.IGNORECASE)
_WORSE = re.compile(r"\s*(?:<|\bis\s+worse\s+than\b)\s*", re.IGNORECASE)
_BEST = re.compile(r"\s+is\s+(?:the\s+)?best\s*$", re.IGNORECASE)


class SystemClaim(NamedTuple):
    """A claim that a system is better than others.

    Attributes
    ----------
    system : str
    others : tuple of str
    is_best : bool
        Whether the others are all systems.
    """

    system: str
    others: tuple[str, ...]
    is_best: bool

    @property
    def words(self) -> str:
        """The claim in words."""
        return f"{self.system} is best" if self.is_best else f"{self.system} > {self.others[0]}"


def claim_of(claim: str | Sequence[str], systems: Sequence[str]) -> SystemClaim:
    """Return the claim about systems, from words, from two names or from one.

    Parameters
    ----------
    claim : str or sequence of str
        "A > B", "A is better than B", "A beats B", "B < A", "A is best", ("A", "B") or ("A",).
    systems : sequence of str

    Examples
    --------
    >>> claim_of("A is better than B", ["A", "B", "C"])
    SystemClaim(system='A', others=('B',), is_best=False)
    >>> claim_of("b < c", ["A", "b", "c"]).words, claim_of("A is best", ["A", "B", "C"]).others
    ('c > b', ('B', 'C'))
    """
    names = _names(claim, systems) if isinstance(claim, str) else tuple(claim)
    if not 1 <= len(names) <= 2:
        raise BetterThanError(
            f'"{claim}" is not a claim about systems. Write it as "A > B", "A is better than B" or "A is best".'
        )
    for name in names:
        if name not in systems:
            raise unknown_name("system", name, systems)
    if len(set(names)) < len(names):
        raise BetterThanError(f'A claim is about two different systems, not about "{names[0]}" and itself.')
    if len(names) == 2:
        return SystemClaim(names[0], (names[1],), is_best=False)
    others = tuple(name for name in systems if name != names[0])
    if not others:
        raise BetterThanError(f"There is only one system, {names[0]}; a claim needs two or more.")
    return SystemClaim(names[0], others, is_best=True)


def _names(claim: str, systems: Sequence[str]) -> tuple[str, ...]:
    """Find the names on both sides of the words; systems may have names that contain these words."""
    text = claim.strip()
    if text in systems:
        return (text,)
    for pattern, turned in ((_BETTER, False), (_WORSE, True)):
        cuts = [(text[: cut.start()].strip(), text[cut.end() :].strip()) for cut in pattern.finditer(text)]
        known = [cut for cut in cuts if all(name in systems for name in cut)]
        for first, second in known or cuts:
            if first and second:
                return (second, first) if turned else (first, second)
    best = _BEST.search(text)
    return (text[: best.start()].strip(),) if best else ()
