"""Who met whom, and how it ended."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.errors import TableError
from betterthan.tables.matches import Matches


@st.composite
def tables(draw):
    """Up to thirty matches among up to five systems, weights that add up exactly, some of them zero."""
    m = draw(st.integers(2, 5))
    pairs = st.tuples(st.integers(0, m - 1), st.integers(0, m - 1)).filter(lambda pair: pair[0] != pair[1])
    rows = draw(
        st.lists(
            st.tuples(pairs, st.sampled_from([1.0, 0.5, 0.0]), st.sampled_from([0.0, 0.25, 1.0, 3.0])),
            max_size=30,
        )
    )
    return Matches(
        systems=[f"S{i}" for i in range(m)],
        left=[pair[0] for pair, _, _ in rows],
        right=[pair[1] for pair, _, _ in rows],
        outcome=[outcome for _, outcome, _ in rows],
        weight=[weight for _, _, weight in rows],
        notes=["Read."],
    )


def rows_of(matches):
    """The rows as tuples of plain numbers."""
    columns = (matches.left, matches.right, matches.outcome, matches.weight)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"systems": []}, "The table has 0 systems"),
        ({"left": [0]}, "right must have the shape 1, but have 2"),
        ({"left": 0}, "left must have the shape any, but have a single number"),
        ({"left": None}, "left must have the shape any"),
        ({"left": ["A", "B"]}, r"left must be whole numbers \(indices\), not text"),
        ({"left": [0, 2]}, "left must lie between 0 and 1; found 0 to 2"),
        ({"left": [0, 0]}, 'Match 2: "A" meets itself. Remove such rows.'),
        ({"outcome": [1, 0.7]}, r"Match 2: the outcome is 0.7; use 1 \(left wins\), 0.5 \(tie\) or 0."),
        ({"outcome": [None, 1]}, "Match 1: the outcome is nan"),
        ({"outcome": ["A", "B"]}, "Outcomes must be numbers, not text"),
        ({"outcome": [1]}, "Outcomes must have the shape 2, but have 1"),
        ({"weight": [1, -1]}, "Match 2: the weight is -1.0; it must be 0 or more"),
        ({"weight": [1, np.nan]}, "Match 2: the weight is nan; it must be 0 or more"),
        ({"weight": [1, np.inf]}, "Weights contain an infinite number"),
        ({"weight": [1]}, "Weights must have the shape 2, but have 1"),
        ({"segment": [0]}, "segment must have the shape 2, but have 1"),
        ({"segment": [0, -1]}, "segment must lie between 0 and"),
        ({"group": [0.5, 1]}, r"group must be whole numbers \(indices\), not float64"),
        ({"covariates": [[1], [2]]}, "Covariates need as many different names in covariate_names"),
        ({"covariate_names": ["x"]}, "Covariates need as many different names"),
        ({"covariates": [[1, 1], [2, 2]], "covariate_names": ["x", "x"]}, "as many different names"),
        ({"covariates": [[1, 1], [2, 2]], "covariate_names": ["x"]}, "Covariates must have the shape 2 × 1"),
        ({"covariates": [[1], [None]], "covariate_names": ["x"]}, 'Match 2: the covariate "x" is missing'),
        ({"covariates": [[1], [np.inf]], "covariate_names": ["x"]}, "Covariates contain an infinite number"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    """Rows are counted from 1."""
    fits = {"systems": ["A", "B"], "left": [0, 1], "right": [1, 0], "outcome": [1, 0]}

    with pytest.raises(TableError, match=message):
        Matches(**{**fits, **change})


def test_a_match_counts_once_unless_a_weight_is_given():
    """A generator is as good as a list."""
    matches = Matches(systems=["A", "B"], left=(i for i in [0, 1]), right=iter([1, 0]), outcome=[True, False])

    assert matches.weight.tolist() == [1, 1]
    assert matches.outcome.tolist() == [1, 0]
    assert (matches.n_systems, matches.n_matches) == (2, 2.0)
    assert matches.segment is None


def test_no_match_at_all_is_a_table_too():
    """Empty lists have no type to complain about."""
    none = Matches(systems=["A"], left=[], right=[], outcome=[])

    assert none.n_matches == 0
    assert none.aggregated() == none
    assert none.wins().tolist() == none.ties().tolist() == [[0.0]]
    assert Matches.from_dict(none.to_dict()) == none


@given(tables())
def test_aggregated_equals_a_loop_over_a_dictionary(matches):
    """Sorted by left, right and falling outcome; the notes stay."""
    total = Counter()
    for left, right, outcome, weight in rows_of(matches):
        total[left, right, outcome] += weight
    ordered = sorted(total.items(), key=lambda item: (item[0][0], item[0][1], -item[0][2]))
    small = matches.aggregated()

    assert rows_of(small) == [(*row, weight) for row, weight in ordered]
    assert small.notes == matches.notes
    assert small.systems == matches.systems


@given(tables())
def test_many_matches_are_aggregated_as_few_are(matches):
    """Sorting and counting in a full table are two ways to the same rows."""
    times = 60
    long = Matches(
        systems=matches.systems,
        **{name: np.tile(getattr(matches, name), times) for name in ("left", "right", "outcome", "weight")},
    )

    assert rows_of(long.aggregated()) == [
        (*row, weight * times) for *row, weight in rows_of(matches.aggregated())
    ]


@given(tables())
def test_aggregating_twice_is_aggregating_once(matches):
    """And nothing that is counted changes."""
    once = matches.aggregated()

    assert once.aggregated() == once
    assert once.n_matches == matches.n_matches
    np.testing.assert_array_equal(once.wins(), matches.wins())
    np.testing.assert_array_equal(once.ties(), matches.ties())


@given(tables())
def test_wins_and_ties_equal_a_loop_over_the_rows(matches):
    """A tie stands on both sides of the diagonal; nobody can write to the tables."""
    m = matches.n_systems
    wins, ties = np.zeros((m, m)), np.zeros((m, m))
    for left, right, outcome, weight in rows_of(matches):
        if outcome == 0.5:
            ties[left, right] += weight
            ties[right, left] += weight
        else:
            winner, loser = (left, right) if outcome == 1 else (right, left)
            wins[winner, loser] += weight

    np.testing.assert_array_equal(matches.wins(), wins)
    np.testing.assert_array_equal(matches.ties(), ties)
    np.testing.assert_array_equal(matches.ties(), matches.ties().T)
    assert matches.wins().sum() + matches.ties().sum() / 2 == matches.n_matches
    assert not matches.wins().flags.writeable
    assert not matches.ties().flags.writeable


@given(tables())
def test_sides_do_not_matter_to_wins_and_ties(matches):
    """Left and right swapped, with the outcome turned, is the same meeting."""
    swapped = Matches(
        systems=matches.systems,
        left=matches.right,
        right=matches.left,
        outcome=1 - matches.outcome,
        weight=matches.weight,
    )

    np.testing.assert_array_equal(swapped.wins(), matches.wins())
    np.testing.assert_array_equal(swapped.ties(), matches.ties())


def test_the_text_counts_matches_and_rows():
    """Which differ once aggregated."""
    matches = Matches(systems=["A", "B"], left=[0], right=[1], outcome=[1], weight=[1234567.5])

    assert repr(matches) == "Matches(2 systems, 1,234,567.5 matches in 1 rows)"


@given(tables(), st.data())
def test_groups_may_be_kept_when_rows_are_added_up(matches, data):
    """Each (left, right, outcome, group) once, sorted, under the group's own number."""
    t = matches.left.size
    group = data.draw(st.lists(st.sampled_from([0, 3, 2**60]), min_size=t, max_size=t))
    grouped = dataclasses.replace(matches, group=np.array(group, dtype=np.int64))
    total = Counter()
    for (left, right, outcome, weight), number in zip(rows_of(matches), group, strict=True):
        total[left, right, outcome, number] += weight
    ordered = sorted(total.items(), key=lambda item: (*item[0][:2], -item[0][2], item[0][3]))
    small = grouped.aggregated(keep_groups=True)

    assert list(zip(rows_of(small), small.group.tolist(), strict=True)) == [
        ((*row[:3], weight), row[3]) for row, weight in ordered
    ]
    assert grouped.aggregated() == matches.aggregated()
    assert matches.aggregated(keep_groups=True) == matches.aggregated()


def test_matches_without_covariates_are_named_as_before():
    """A field that is not used changes no digest, and an empty table has no covariates to lose."""
    matches = Matches(
        systems=["A", "B", "C"],
        left=[0, 1, 0],
        right=[1, 2, 2],
        outcome=[1, 0.5, 0],
        weight=[1, 2, 0.5],
        segment=[0, 0, 1],
        group=[3, 4, 3],
    )
    none = Matches(systems=["A"], left=[], right=[], outcome=[], covariates=[], covariate_names=["x"])

    assert matches.digest == "72e1ae7b"
    assert Matches.from_dict(none.to_dict()) == none
    assert none.covariates.shape == (0, 1)
    assert none.aggregated().covariates is None


def test_far_too_many_systems_are_refused_before_memory_runs_out():
    """A column of texts or ids taken for systems has as many names as rows."""
    n = 100_000
    matches = Matches(
        systems=[f"s{i}" for i in range(n)],
        left=np.arange(n),
        right=np.roll(np.arange(n), 1),
        outcome=np.ones(n),
    )
    with pytest.raises(
        TableError, match=r"There are 100,000 systems, .*: 80 GB each\. At most 10,000 are ranked"
    ):
        matches.wins()
    with pytest.raises(TableError, match="At most 10,000"):
        matches.ties()
