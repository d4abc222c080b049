"""Letters of hundreds of systems."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.everyday import examples

from betterthan.kernels.display.letters import letter_display, letters_of_many


@st.composite
def decisions(draw):
    """Any symmetric verdicts on up to nine systems."""
    m = draw(st.integers(0, 9))
    bits = draw(st.lists(st.booleans(), min_size=m * m, max_size=m * m))
    return np.triu(np.array(bits, dtype=bool).reshape(m, m), 1)


def check(different, members):
    """Two systems share a letter exactly when they do not differ, and no letter can go."""
    m = len(different)
    alike = ~(different | different.T)
    for a in range(m):
        assert members[a].any()
        for b in range(a):
            assert (members[a] & members[b]).any() == alike[a, b]
    for letter in range(members.shape[1]):
        rest = np.delete(members, letter, axis=1)
        shared = (rest.astype(int) @ rest.T.astype(int)) > 0
        lost = np.ix_(members[:, letter], members[:, letter])
        assert not shared[lost].all()


@settings(max_examples=examples(300))
@given(decisions())
def test_letters_say_exactly_who_differs(different):
    """The definition, by loops."""
    check(different, letters_of_many(different).members)


@given(decisions())
def test_no_fewer_letters_than_the_proven_minimum(different):
    """And the first letter is the best system's."""
    found = letters_of_many(different)
    best = letter_display(different)
    assert not found.is_optimal
    assert found.members.shape[1] >= best.members.shape[1]
    if len(different):
        assert found.members[0, 0]


@pytest.mark.parametrize("reach", [1, 5, 60])
def test_intervals_get_the_fewest_letters(reach):
    """Where systems are alike up to so many places apart, runs of them are the letters, and nothing is wasted."""
    place = np.arange(300)
    different = np.abs(place[:, None] - place) > reach
    found = letters_of_many(different)
    assert found.members.shape[1] == 300 - reach
    check(different[:80, :80], letters_of_many(different[:80, :80]).members)
