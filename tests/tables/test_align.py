"""Tables brought to the same systems and segments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.errors import TableError
from betterthan.tables.align import align
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.scores import Scores

SYSTEMS, SEGMENTS = "ABCD", "12345"


def value_of(name, system, segment):
    """A number that says where it belongs."""
    return 100.0 * ord(name) + 10.0 * SYSTEMS.index(system) + SEGMENTS.index(segment)


def table_of(name, systems, segments, **more):
    """Scores whose every value says where it belongs."""
    values = [[value_of(name, system, segment) for segment in segments] for system in systems]
    return Scores(name=name, systems=list(systems), segments=list(segments), values=values, **more)


@st.composite
def subsets(draw, letters):
    """Some of the letters, in any order."""
    return draw(st.permutations(letters))[: draw(st.integers(1, len(letters)))]


@given(st.lists(st.tuples(subsets(SYSTEMS), subsets(SEGMENTS)), min_size=1, max_size=3))
def test_aligned_tables_hold_what_is_common_in_the_order_of_the_first(labelled):
    """Every value stays with its system and segment; nothing, or less than half, in common is an error."""
    tables = [table_of(name, *both) for name, both in zip("xyz", labelled, strict=False)]
    systems = [s for s in labelled[0][0] if all(s in other for other, _ in labelled)]
    segments = [s for s in labelled[0][1] if all(s in other for _, other in labelled)]
    if not (systems and segments):
        with pytest.raises(TableError, match="share no"):
            align(*tables)
        return
    if 2 * len(segments) < min(len(own) for _, own in labelled):
        with pytest.raises(TableError, match="are in all tables"):
            align(*tables)
        return
    aligned = align(*tables)

    for before, after in zip(tables, aligned, strict=True):
        assert after.systems == tuple(systems)
        assert after.segments == tuple(segments)
        assert after.name == before.name
        np.testing.assert_array_equal(after.values, table_of(before.name, systems, segments).values)
        left_out = (len(systems) < before.n_systems) + (len(segments) < before.n_segments)
        assert len(after.notes) == left_out
    again = align(*aligned)
    assert all(one is other for one, other in zip(again, aligned, strict=True))


def test_what_is_left_out_is_said_in_the_notes():
    """Of the table that lost it, after what was said before."""
    one = table_of("x", "ABC", "123", notes=["Read."])
    other = table_of("y", "CB", "2345")
    first, second = align(one, other)

    assert first.notes == (
        "Read.",
        'Systems left out of "x", missing from other tables: A.',
        '1 of 3 segments of "x" left out, missing from other tables.',
    )
    assert second.notes == ('2 of 4 segments of "y" left out, missing from other tables.',)


def test_tables_that_fit_are_returned_as_they_are():
    """No copy, no note; a table alone always fits."""
    one, other = table_of("x", "AB", "12"), table_of("y", "AB", "12")

    assert align(one, other)[0] is one
    assert align(one, other)[1] is other
    assert align(one) == (one,)


def test_direction_and_groups_stay_with_each_table():
    """They are the table's own."""
    one = table_of("x", "AB", "123", groups=["d", "d", "e"])
    other = table_of("y", "BA", "32", higher_is_better=False, groups=["f", "g"])
    first, second = align(one, other)

    assert first.segments == second.segments == ("2", "3")
    assert first.groups == ("d", "e")
    assert second.groups == ("g", "f")
    assert (first.higher_is_better, second.higher_is_better) == (True, False)


def test_scores_and_counts_can_be_aligned():
    """Each stays what it is."""
    counts = Counts(
        name="share",
        systems=["B", "A"],
        segments=["2", "9"],
        columns=["right", "words"],
        values=[[[1, 2], [0, 1]], [[3, 4], [0, 1]]],
        formula=Formula(name="share", pooled=lambda sums: sums[..., 0] / sums[..., 1]),
    )
    scores, kept = align(table_of("x", "AB", "12"), counts)

    assert isinstance(scores, Scores)
    assert isinstance(kept, Counts)
    assert kept.values.tolist() == [[[3, 4]], [[1, 2]]]
    assert kept.pooled().tolist() == [0.75, 0.5]


@pytest.mark.parametrize(
    ("labelled", "message"),
    [
        ([("A", "12"), ("B", "12")], '^"x" and "y" share no systems. x has: A; y has: B.$'),
        ([("AB", "1"), ("AB", "2")], '^"x" and "y" share no segments. x has: 1; y has: 2.$'),
        ([("A", "1"), ("A", "1"), ("B", "1")], '^"x" and "z" share no systems. x has: A; z has: B.$'),
        ([("AB", "1"), ("A", "1"), ("B", "1")], '^"y" and "z" share no systems. y has: A; z has: B.$'),
        (
            [("AB", "1"), ("BC", "1"), ("AC", "1")],
            '^"x" and "y" and "z" share no systems. x has: A, B; y has: B, C; z has: A, C.$',
        ),
    ],
)
def test_tables_without_anything_in_common_are_named(labelled, message):
    """The two that are apart, or all of them when every two overlap."""
    with pytest.raises(TableError, match=message):
        align(*(table_of(name, *both) for name, both in zip("xyz", labelled, strict=False)))


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ((), "There is nothing to align. Pass at least one table."),
        (([],), "Only Scores and Counts can be aligned, not list."),
        ((table_of("x", "A", "1"), None), "Only Scores and Counts can be aligned, not NoneType."),
    ],
)
def test_only_tables_can_be_aligned(tables, message):
    """And at least one of them."""
    with pytest.raises(TableError, match=message):
        align(*tables)
