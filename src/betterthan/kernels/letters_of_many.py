"""A letter display of hundreds of systems, where the search for the fewest letters would take minutes."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray, IntArray
from betterthan.kernels.letters import LetterDisplay


def letters_of_many(different: BoolArray) -> LetterDisplay:
    """Give letters so that two systems share one exactly when they do not differ significantly.

    As :func:`betterthan.kernels.letters.letter_display`, but each pair that no letter shows yet is grown into a
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
    np.fill_diagonal(alike, True)
    unshown = alike & ~np.eye(m, dtype=bool)
    alone = np.flatnonzero(~unshown.any(axis=1))
    cliques = [np.array([a]) for a in alone.tolist()]
    for a in range(m):
        while unshown[a].any():
            clique = _grown(a, alike, unshown)
            unshown[np.ix_(clique, clique)] = False
            cliques.append(clique)
    return LetterDisplay(_sorted_columns(_without_superfluous(cliques, m), m), is_optimal=False)


def _grown(a: int, alike: BoolArray, unshown: BoolArray) -> IntArray:
    """Return a largest set of systems alike that holds `a` and a pair of it that no letter shows yet."""
    members, common = [a], alike[a].copy()
    common[a] = False
    # A first partner that is not shown with `a`, then always whoever adds most pairs.
    gain = np.where(unshown[a], 1, 0)
    while common.any():
        chosen = int(np.argmax(np.where(common, gain, -1)))
        members.append(chosen)
        common &= alike[chosen]
        common[chosen] = False
        gain += unshown[chosen]
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
