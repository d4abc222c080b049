"""The letter display: right, minimal, readable."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.everyday import examples

from betterthan.kernels.display import letters
from betterthan.kernels.display.letters import letter_display


@st.composite
def graphs(draw, max_side=7):
    """A symmetric relation "differs"."""
    m = draw(st.integers(1, max_side))
    upper = draw(st.lists(st.booleans(), min_size=m * (m - 1) // 2, max_size=m * (m - 1) // 2))
    different = np.zeros((m, m), dtype=bool)
    different[np.triu_indices(m, 1)] = upper
    return different | different.T


def shared(members):
    """Which systems share a letter."""
    return (members.astype(int) @ members.T.astype(int)) > 0


def fewest_letters(different):
    """Brute force: try all sets of 1, 2, ... maximal cliques."""
    m = len(different)
    groups = [
        set(group)
        for size in range(1, m + 1)
        for group in itertools.combinations(range(m), size)
        if not any(different[a, b] for a, b in itertools.combinations(group, 2))
    ]
    maximal = [group for group in groups if not any(group < other for other in groups)]
    pairs = [(a, b) for a in range(m) for b in range(a, m) if a == b or not different[a, b]]
    for k in itertools.count(1):
        for chosen in itertools.combinations(maximal, k):
            if all(any(a in group and b in group for group in chosen) for a, b in pairs):
                return k
    return None


@given(graphs(max_side=12))
def test_two_systems_share_a_letter_exactly_when_they_do_not_differ(different):
    """The law of the display, the diagonal included: every system bears a letter."""
    display = letter_display(different)

    np.testing.assert_array_equal(shared(display.members), ~different)
    assert display.is_optimal


@given(graphs())
@settings(max_examples=examples(150))
def test_no_display_has_fewer_letters(different):
    """Against brute force over all sets of cliques."""
    assert letter_display(different).members.shape[1] == fewest_letters(different)


@given(graphs(max_side=10), st.sampled_from(["cliques", "work"]))
def test_without_time_the_display_is_still_right_and_lean(different, stop):
    """Neither a graph with too many cliques nor a search cut short may show a wrong letter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letters, "_MOST_CLIQUES", -1 if stop == "cliques" else 2000)
        display = letter_display(different, max_work=0 if stop == "work" else 10**6)

    np.testing.assert_array_equal(shared(display.members), ~different)
    assert not display.is_optimal
    for letter in range(display.members.shape[1]):
        fewer = np.delete(display.members, letter, axis=1)
        assert not np.array_equal(shared(fewer), ~different)


@given(graphs(max_side=10))
def test_letters_stand_in_order_of_their_best_members(different):
    """The best system bears the letter a."""
    members = letter_display(different).members
    columns = [np.nonzero(column)[0].tolist() for column in members.T]

    assert columns == sorted(columns)
    assert members[0, 0]


def test_the_classical_example():
    """Overlapping groups of neighbors."""
    different = np.zeros((5, 5), dtype=bool)
    for a, b in [(0, 2), (0, 3), (0, 4), (1, 4), (2, 4)]:
        different[a, b] = True

    assert letter_display(different).labels == ("a", "ab", "b", "bc", "c")


def test_a_cover_of_grown_cliques_is_thinned():
    """Cliques grown one after another can make an earlier one idle; it is left out."""
    assert letters._without_redundant([0b011, 0b110, 0b111], [0b011, 0b110, 0b101]) == [0b111]
    # The first clique serves most needs, but the other two are needed anyway and serve them all.
    assert letters._greedy([0b011, 0b011, 0b101, 0b101, 0b010, 0b100]) == [1, 2]


def test_fifty_systems_take_no_time():
    """An interval-like graph, as tests produce it."""
    place = np.arange(50)
    display = letter_display(np.abs(place[:, None] - place) > 7)

    assert display.is_optimal
    assert display.members.shape[1] == 43


def test_more_systems_than_letters():
    """After z come the capitals, then numbers."""
    labels = letter_display(~np.eye(54, dtype=bool)).labels

    assert labels[25:28] == ("z", "A", "B")
    assert labels[52:] == ("a2", "b2")


def test_one_triangle_is_enough():
    """A relation given in one direction is read in both."""
    different = np.array([[False, True], [False, False]])

    assert letter_display(different).labels == letter_display(different.T).labels == ("a", "b")
