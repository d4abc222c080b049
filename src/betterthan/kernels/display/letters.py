"""The compact letter display: with the fewest letters, or for hundreds of systems with a quick search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, IntArray

# Sets of systems, and sets of cliques, are the bits of one integer.
_MOST_CLIQUES = 2000
_CLOSED = -(10**6)  # outweighs the pairs that a system may add to a letter
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class LetterDisplay(NamedTuple):
    """Letters of systems: two systems share a letter exactly when they do not differ."""

    members: BoolArray
    """(m, k); entry [s, l]: system s bears letter l. Letter 0 is the one of the best system."""
    is_optimal: bool
    """Whether it is proven that no display has fewer letters."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The letters of each system, such as ("a", "ab", "b")."""
        letters = [_letter(at) for at in range(self.members.shape[1])]
        return tuple("".join(letters[at] for at in np.nonzero(row)[0].tolist()) for row in self.members)


def _letter(at: int) -> str:
    turn, place = divmod(at, len(_LETTERS))
    return _LETTERS[place] + (str(turn + 1) if turn else "")


def letter_display(different: BoolArray, *, max_work: int = 500_000) -> LetterDisplay:
    """Give letters so that two systems share one exactly when they do not differ significantly.

    Each letter is a set of systems of which no two differ, as large as can be (a maximal clique of the graph "not
    different"). The fewest such sets that show every pair are found by branch and bound [1]_, which for
    the graphs that tests produce is immediate.

    Parameters
    ----------
    different : array of bool, shape (m, m)
        Systems in order, best first. Entry [a, b]: a and b differ significantly; either triangle may say so.
    max_work : int, default 500000
        Comparisons (about a second) after which the best display found is returned as not proven optimal.

    Returns
    -------
    LetterDisplay
        Letters are sorted by their best members. Always right; when not optimal, no letter can be left out.

    References
    ----------
    .. [1] Gramm, Guo, Hüffner, Niedermeier, Piepho, Schmid (2007), Algorithms for compact letter displays:
       comparison and evaluation, Computational Statistics & Data Analysis 52.

    Examples
    --------
    >>> different = np.zeros((3, 3), dtype=bool)
    >>> different[0, 2] = True
    >>> letter_display(different).labels
    ('a', 'ab', 'b')
    """
    alike = ~(different | different.T)
    np.fill_diagonal(alike, True)
    # Systems that differ from the same others have the same letters, so one of them stands for all.
    first, kind = _kinds(alike)
    alike = alike[np.ix_(first, first)]
    m = len(alike)
    near = [sum(1 << int(b) for b in np.nonzero(alike[a])[0] if b != a) for a in range(m)]
    cliques = _maximal_cliques(near)
    if cliques is None:
        chosen, is_optimal = _without_redundant(_grown_cliques(near), _pairs(near)), False
    else:
        at, is_optimal = _fewest(_needs(cliques, _pairs(near)), max_work)
        chosen = [cliques[i] for i in at]
    columns = sorted(list(_bits(clique)) for clique in chosen)
    members = np.zeros((m, len(columns)), dtype=np.bool_)
    for letter, column in enumerate(columns):
        members[column, letter] = True
    return LetterDisplay(members[kind], is_optimal)


def _kinds(rows: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the first of each kind of row, in order, and the kind of every row."""
    numbers: dict[bytes, int] = {}
    kind = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], dtype=np.int64)
    return np.unique(kind, return_index=True)[1], kind


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _pairs(near: list[int]) -> list[int]:
    """What a display must show: each pair that does not differ, and each system that differs from all others."""
    pairs = [1 << a | 1 << b for a, b in combinations(range(len(near)), 2) if near[a] >> b & 1]
    return pairs + [1 << a for a, mask in enumerate(near) if not mask]


def _maximal_cliques(near: list[int]) -> list[int] | None:
    """All maximal cliques (Bron and Kerbosch with a pivot), or None when they are too many."""
    found: list[int] = []
    stack = [(0, (1 << len(near)) - 1, 0)]
    while stack and len(found) <= _MOST_CLIQUES:
        clique, open_, closed = stack.pop()
        if not open_ | closed:
            found.append(clique)
            continue
        pivot = max(_bits(open_ | closed), key=lambda v: (open_ & near[v]).bit_count())
        for v in _bits(open_ & ~near[pivot]):
            stack.append((clique | 1 << v, open_ & near[v], closed & near[v]))
            open_ ^= 1 << v
            closed |= 1 << v
    return None if stack else sorted(clique for clique in found if clique)


def _needs(cliques: list[int], pairs: list[int]) -> list[int]:
    """For each pair the set of cliques that show it."""
    return _least(sum(1 << i for i, clique in enumerate(cliques) if clique & pair == pair) for pair in pairs)


def _least(needs: Iterable[int]) -> list[int]:
    """Leave out needs that contain another one: they are redundant."""
    kept: list[int] = []
    for need in sorted(set(needs), key=lambda need: (need.bit_count(), need)):
        if not any(other & need == other for other in kept):
            kept.append(need)
    return kept


def _reduced(needs: list[int]) -> list[int]:
    """Leave out cliques that serve no need which another clique does not serve, and then idle needs, in turn."""
    useless = -1
    while useless:
        needs = _least(needs)
        serves = _served(needs)
        useless, seen = 0, list[int]()
        for i in sorted(serves, key=lambda i: -serves[i].bit_count()):
            if any(serves[i] & ~other == 0 for other in seen):
                useless |= 1 << i
            else:
                seen.append(serves[i])
        needs = [need & ~useless for need in needs]
    return needs


def _served(needs: list[int]) -> dict[int, int]:
    """For each clique the set of needs that hold it."""
    serves: dict[int, int] = {}
    for at, need in enumerate(needs):
        for i in _bits(need):
            serves[i] = serves.get(i, 0) | 1 << at
    return serves


def _fewest(needs: list[int], max_work: int) -> tuple[list[int], bool]:
    """The fewest cliques such that each need holds one of them (minimum hitting set)."""
    best, work = _greedy(needs), 0
    stack: list[tuple[list[int], list[int]]] = [([], needs)]
    while stack and work < max_work:
        chosen, left = stack.pop()
        work += len(left) ** 2 + 1
        left = _reduced(left)
        forced = _union(need for need in left if need.bit_count() == 1)
        chosen = [*chosen, *_bits(forced)]
        left = [need for need in left if not need & forced]
        if not left:
            best = chosen if len(chosen) < len(best) else best
        elif len(chosen) + _at_least(left) < len(best):
            stack.extend(_branches(chosen, left))
    return best, not stack


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _branches(chosen: list[int], left: list[int]) -> list[tuple[list[int], list[int]]]:
    tightest = min(left, key=int.bit_count)
    branches, banned = [], 0
    ranked = sorted(_bits(tightest), key=lambda i: -sum(need >> i & 1 for need in left))
    for i in ranked:
        rest = [need & ~banned for need in left if not need >> i & 1]
        if all(rest):
            branches.append(([*chosen, i], rest))
        # What lies behind this choice has been searched: later branches do without it.
        banned |= 1 << i
    return branches[::-1]


def _at_least(left: list[int]) -> int:
    """Needs that have no clique in common each take one of their own."""
    taken = count = 0
    for need in sorted(left, key=int.bit_count):
        if not need & taken:
            taken |= need
            count += 1
    return count


def _greedy(needs: list[int]) -> list[int]:
    chosen: list[int] = []
    serves = _served(needs)
    cliques, left = sorted(serves), (1 << len(needs)) - 1
    while left:
        at = max(cliques, key=lambda i: (serves[i] & left).bit_count())
        chosen.append(at)
        left &= ~serves[at]
    for at in list(chosen):
        others = _union(1 << i for i in chosen if i != at)
        if all(need & others for need in needs):
            chosen.remove(at)
    return chosen


def _grown_cliques(near: list[int]) -> list[int]:
    """A cover without listing all cliques: grow each pair not yet shown into a maximal clique."""
    cliques: list[int] = []
    shown = [0] * len(near)
    for pair in _pairs(near):
        first, last = min(_bits(pair)), max(_bits(pair))
        if first != last and shown[first] >> last & 1:
            continue
        clique = pair
        common = near[first] & near[last]
        while common:
            best = max(_bits(common), key=lambda v: (clique & ~shown[v]).bit_count())
            clique |= 1 << best
            common &= near[best]
        for v in _bits(clique):
            shown[v] |= clique
        cliques.append(clique)
    return cliques


def _without_redundant(cliques: list[int], pairs: list[int]) -> list[int]:
    kept = list(cliques)
    for clique in cliques:
        others = [other for other in kept if other != clique]
        if all(any(other & pair == pair for other in others) for pair in pairs if clique & pair == pair):
            kept = others
    return kept


def letters_of_many(different: BoolArray) -> LetterDisplay:
    """Give letters so that two systems share one exactly when they do not differ significantly.

    As :func:`betterthan.kernels.display.letters.letter_display`, but each pair that no letter shows yet is grown into a
    largest set of systems alike, always by the system that shows most new pairs; letters that the others make
    superfluous go.

    Parameters
    ----------
    different : array of bool, shape (m, m)
        Systems in order, best first. Entry [a, b]: a and b differ significantly; either triangle may say so.

    Returns
    -------
    LetterDisplay
        Right, and no letter can be left out; not proven to be the smallest.

    Notes
    -----
    m operations for each system of each letter: a second for a thousand systems.

    Examples
    --------
    >>> different = np.zeros((3, 3), dtype=bool)
    >>> different[0, 2] = True
    >>> letters_of_many(different).labels
    ('a', 'ab', 'b')
    """
    m = len(different)
    alike = ~(different | different.T)
    np.fill_diagonal(alike, False)
    alone = np.flatnonzero(~alike.any(axis=1))
    cliques = [np.array([a]) for a in alone.tolist()]
    # What a system adds to a set beside each member: 1 for a pair that no letter shows yet, and a bar if they differ.
    gains = np.where(alike, 1, _CLOSED).astype(np.int64)
    for a in range(m):
        while (gains[a] > 0).any():
            clique = _grown(a, gains)
            gains[np.ix_(clique, clique)] = 0
            gains[clique, clique] = _CLOSED
            cliques.append(clique)
    return LetterDisplay(_sorted_columns(_without_superfluous(cliques, m), m), is_optimal=False)


def _grown(a: int, gains: IntArray) -> IntArray:
    """Return a largest set of systems alike that holds `a` and a pair of it that no letter shows yet."""
    members = [a]
    # A first partner that is not shown with `a`, then always the one that adds most pairs.
    gain = gains[a].copy()
    chosen = int(gain.argmax())
    while gain[chosen] >= 0:
        members.append(chosen)
        gain += gains[chosen]
        chosen = int(gain.argmax())
    return np.sort(np.array(members, dtype=np.int64))


def _without_superfluous(cliques: list[IntArray], m: int) -> list[IntArray]:
    """Leave out each set whose pairs all stand in others too, the smallest sets first."""
    shown = np.zeros((m, m), dtype=np.int64)
    for clique in cliques:
        shown[np.ix_(clique, clique)] += 1
    kept = []
    for clique in sorted(cliques, key=lambda clique: clique.size):
        square = np.ix_(clique, clique)
        if shown[square].min() > 1:
            shown[square] -= 1
        else:
            kept.append(clique)
    return kept


def _sorted_columns(cliques: list[IntArray], m: int) -> BoolArray:
    members = np.zeros((m, len(cliques)), dtype=np.bool_)
    for letter, clique in enumerate(sorted(cliques, key=lambda clique: clique.tolist())):
        members[clique, letter] = True
    return members
