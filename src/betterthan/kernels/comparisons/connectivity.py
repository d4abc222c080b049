"""Do the matches determine the strengths? The graph of who beat whom, and its components.

Bradley–Terry strengths exist and are unique if and only if the graph with an edge from i to j whenever i
beat j is strongly connected: however the systems are split into two groups, some system in each group has beaten one in
the other. A tie that counts as half is a win for both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray


class Connectivity(NamedTuple):
    """Obstacles to a fit.

    Attributes
    ----------
    component : array of int, shape (m,)
        The strongly connected component of each system. Components are numbered from the top: a component
        never loses to one with a greater number. Equal numbers: strengths are comparable.
    n_components : int
        1 when strengths exist.
    beats : array of bool, shape (c, c)
        Whether a system in the row component has beaten one in the column component.
    island : array of int, shape (m,)
        Systems on different islands never met, not even through others.
    n_islands : int
    never_won, never_lost : array of bool, shape (m,)
        Both are true for a system without any match.
    """

    component: IntArray
    n_components: int
    beats: BoolArray
    island: IntArray
    n_islands: int
    never_won: BoolArray
    never_lost: BoolArray


def connectivity(wins: FloatArray) -> Connectivity:
    """Describe the graph of who beat whom.

    Parameters
    ----------
    wins : array, shape (m, m)
        Wins of the row over the column; the diagonal is ignored. Let ties count as half first if they shall
        connect systems: :func:`betterthan.kernels.comparisons.wins.with_ties`.

    Returns
    -------
    Connectivity

    Notes
    -----
    Components come from the transitive closure by repeated squaring, m³ log m operations at most. A component
    that beats another reaches all that the other reaches and more, so sorting by the number of systems reached
    puts winners first.

    References
    ----------
    .. [1] Ford (1957), Solution of a ranking problem from binary comparisons, American Mathematical Monthly 64.
    .. [2] Hunter (2004), MM algorithms for generalized Bradley–Terry models, Annals of Statistics 32;
       assumption 1.

    Examples
    --------
    A and B beat each other, C lost to both:

    >>> found = connectivity(np.array([[0.0, 2, 1], [1, 0, 3], [0, 0, 0]]))
    >>> found.component, found.n_components, found.never_won
    (array([0, 0, 1]), 2, array([False, False,  True]))
    """
    beat = _edges(wins)
    reach = _closure(beat)
    component = _numbered(reach & reach.T, reach.sum(axis=1))
    n_components = int(component.max(initial=-1)) + 1
    beats = np.zeros((n_components, n_components), dtype=bool)
    winner, loser = np.nonzero(beat)
    beats[component[winner], component[loser]] = True
    np.fill_diagonal(beats, False)
    together = _closure(beat | beat.T)
    island = _numbered(together, together.sum(axis=1))
    never_won, never_lost = np.asarray(~beat.any(axis=1)), np.asarray(~beat.any(axis=0))
    n_islands = int(island.max(initial=-1)) + 1
    return Connectivity(component, n_components, beats, island, n_islands, never_won, never_lost)


def is_connected(wins: FloatArray) -> BoolArray:
    """Whether strengths exist, for one table of wins or for many at once.

    Parameters
    ----------
    wins : array, shape (..., m, m)

    Returns
    -------
    array of bool, shape (...)
        Whether everybody can be reached from the first system along wins, and along losses.

    Examples
    --------
    >>> is_connected(np.array([[[0.0, 2], [1, 0]], [[0, 3], [0, 0]]]))
    array([ True, False])
    """
    beat = np.asarray(wins) > 0
    connected: BoolArray = _all_reached(beat) & _all_reached(beat.swapaxes(-1, -2))
    return connected


def _all_reached(beat: BoolArray) -> BoolArray:
    """Whether the first system reaches all others, step by step along the rows."""
    reached = beat[..., 0, :].copy()
    reached[..., 0] = True
    n_reached = 0
    while n_reached < (n_reached := int(reached.sum())) < reached.size:
        reached |= (beat & reached[..., :, None]).any(axis=-2)
    return np.asarray(reached.all(axis=-1))


def _edges(wins: FloatArray) -> BoolArray:
    beat = np.asarray(wins) > 0
    np.fill_diagonal(beat, False)
    return beat


def _closure(edges: BoolArray) -> BoolArray:
    """Return who reaches whom in any number of steps, themselves included."""
    reach = edges | np.eye(edges.shape[0], dtype=bool)
    while True:
        steps = reach.astype(np.float32)
        further = (steps @ steps) > 0
        if np.array_equal(further, reach):
            return reach
        reach = further


def _numbered(same: BoolArray, n_reached: IntArray) -> IntArray:
    """Number classes by falling number of systems reached, then by their first member."""
    first_member = same.argmax(axis=1) if same.size else np.zeros(0, dtype=np.int64)
    keys = np.stack([-n_reached, first_member], axis=1)
    number = np.unique(keys, axis=0, return_inverse=True)[1]
    return np.asarray(number, dtype=np.int64).reshape(-1)
