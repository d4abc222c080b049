from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse.csgraph import connected_components

from betterthan.kernels.comparisons.connectivity import connectivity, is_connected

GRAPHS = st.integers(1, 8).flatmap(
    lambda m: hnp.arrays(np.float64, (m, m), elements=st.sampled_from([0.0, 0.0, 0.0, 0.5, 7.0]))
)


def same_partition(labels, others):
    """Whether two labelings put the same systems together."""
    return np.array_equal(labels[:, None] == labels, others[:, None] == others)


@given(GRAPHS)
def test_components_are_those_of_scipy(wins):
    """Strongly connected components, and islands as weakly connected ones."""
    found = connectivity(wins)
    n_strong, strong = connected_components(wins, directed=True, connection="strong")
    n_weak, weak = connected_components(wins, directed=True, connection="weak")
    assert (found.n_components, found.n_islands) == (n_strong, n_weak)
    assert same_partition(found.component, strong)
    assert same_partition(found.island, weak)
    assert is_connected(wins) == (n_strong == 1)


@given(GRAPHS)
def test_components_are_numbered_from_the_top(wins):
    """Nobody beats a component with a smaller number."""
    found = connectivity(wins)
    assert not np.tril(found.beats).any()
    for i, j in np.argwhere(wins > 0):
        assert found.component[i] <= found.component[j]
        if found.component[i] != found.component[j]:
            assert found.beats[found.component[i], found.component[j]]


@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 2**32))
def test_a_batch_is_answered_one_by_one(n_tables, n_systems, seed):
    """Each table of a batch has the answer it has alone."""
    wins = np.random.default_rng(seed).integers(0, 2, size=(n_tables, n_systems, n_systems))
    assert is_connected(wins).tolist() == [bool(is_connected(table)) for table in wins]


def test_who_never_won_and_who_never_met():
    """A beats B and C in the first island; D and E share the second; F has no match."""
    wins = np.zeros((6, 6))
    wins[0, 1] = wins[1, 2] = wins[2, 1] = wins[3, 4] = wins[4, 3] = 1
    found = connectivity(wins)
    assert found.never_lost.tolist() == [True, False, False, False, False, True]
    assert found.never_won.tolist() == [False, False, False, False, False, True]
    assert found.n_islands == 3
    assert found.n_components == 4
    assert found.component[1] == found.component[2]
    assert found.beats[found.component[0], found.component[1]]


def test_a_long_chain_is_followed_to_its_end():
    """Each beats only the next, and the last beats the first: one component, until that win is missing."""
    wins = np.roll(np.eye(300), 1, axis=1)
    assert is_connected(wins)
    assert connectivity(wins).n_components == 1
    wins[-1, 0] = 0
    assert not is_connected(wins)
    assert connectivity(wins).component.tolist() == list(range(300))


def test_the_diagonal_is_ignored():
    """A system does not connect to itself."""
    found = connectivity(np.eye(2))
    assert found.never_won.all()
    assert found.n_components == 2
