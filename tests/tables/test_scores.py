"""One number for each system on each segment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.errors import MissingScores, TableError, UnknownName
from betterthan.tables.scores import Scores


@st.composite
def tables(draw):
    """Scores of up to four systems on up to five segments, with gaps, in either direction, grouped or not."""
    m, n = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    cells = st.one_of(st.floats(-100, 100), st.just(np.nan))
    return Scores(
        name="m",
        systems=[f"S{i}" for i in range(m)],
        segments=[str(j) for j in range(n)],
        values=draw(hnp.arrays(np.float64, (m, n), elements=cells)),
        higher_is_better=draw(st.booleans()),
        groups=draw(st.none() | st.lists(st.sampled_from("de"), min_size=n, max_size=n)),
        notes=["Read."],
    )


@pytest.fixture
def gappy():
    """Four systems, three of them without some scores."""
    return Scores(
        name="TER",
        systems=["A", "B", "C", "D"],
        segments=["1", "2", "3"],
        values=[[1, 2, 3], [4, None, 6], [None, None, 9], [8, None, 7]],
        groups=["d", "d", "e"],
        notes=["Read."],
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 5}, "A metric name must be text, not int"),
        ({"name": ""}, "A metric has an empty name"),
        ({"systems": ["A", "A"]}, "Each system may occur once, but these occur more often: A"),
        ({"segments": []}, "The table has 0 segments; at least 1 segment needed"),
        ({"values": [[1, 2]]}, r"Scores \(systems × segments\) must have the shape 2 × 2, but have 1 × 2"),
        ({"values": [1, 2]}, "must have the shape 2 × 2, but have 2"),
        ({"values": [["1", "2"], ["3", "4"]]}, "must be numbers, not text"),
        ({"values": [[1, 2], [3, np.inf]]}, r"contain an infinite number at \(1, 1\)"),
        ({"higher_is_better": "no"}, "higher_is_better must be True or False, not 'no'"),
        ({"groups": ["d"]}, "There are 1 groups for 2 segments"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    """Each with its own message."""
    fits = {"name": "m", "systems": ["A", "B"], "segments": ["1", "2"], "values": [[1, 2], [3, 4]]}

    with pytest.raises(TableError, match=message):
        Scores(**{**fits, **change})


@given(tables())
def test_goodness_is_the_values_turned_so_that_more_is_better(scores):
    """Zero stays zero and a gap stays a gap; nobody can write to it."""
    goodness = scores.goodness

    np.testing.assert_array_equal(goodness, scores.values if scores.higher_is_better else -scores.values)
    assert not goodness.flags.writeable
    assert scores.higher_is_better or not np.signbit(goodness[goodness == 0]).any()


@given(tables(), st.data())
def test_a_selection_has_the_cells_of_the_chosen_names(scores, data):
    """In the order asked for, with direction, groups and notes."""
    systems = data.draw(st.permutations(scores.systems))[: data.draw(st.integers(1, scores.n_systems))]
    segments = data.draw(st.permutations(scores.segments))[: data.draw(st.integers(1, scores.n_segments))]
    chosen = scores.select(systems, segments)

    assert chosen.systems == tuple(systems)
    assert chosen.segments == tuple(segments)
    for i, system in enumerate(systems):
        for j, segment in enumerate(segments):
            old = scores.values[scores.systems.index(system), scores.segments.index(segment)]
            np.testing.assert_array_equal(chosen.values[i, j], old)
    if scores.groups is not None:
        group_of = dict(zip(scores.segments, scores.groups, strict=True))
        assert chosen.groups == tuple(group_of[segment] for segment in segments)
    assert (chosen.groups is None) == (scores.groups is None)
    assert chosen.higher_is_better == scores.higher_is_better
    assert chosen.notes == scores.notes


@given(tables())
def test_selecting_everything_or_there_and_back_is_the_same_table(scores):
    """None means all of them."""
    backwards = scores.select(scores.systems[::-1], scores.segments[::-1])

    assert scores.select() == scores
    assert backwards.select(scores.systems, scores.segments) == scores


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((["a"],), UnknownName, 'Unknown system "a". Did you mean "A"?'),
        ((None, ["9"]), UnknownName, 'Unknown segment "9".'),
        (("AB",), TableError, "systems must be a list of texts, not the single text 'AB'"),
        (([0],), TableError, "A system name must be text, not int"),
        (([],), TableError, "The table has 0 systems"),
        ((["A", "A"],), TableError, "Each system may occur once"),
    ],
)
def test_a_selection_is_by_known_names_each_once(gappy, arguments, error, message):
    """No index, no letters of a text, no repetition."""
    with pytest.raises(error, match=message):
        gappy.select(*arguments)


def test_missing_cells_are_counted_and_refused_by_default(gappy):
    """The message says how many, where, and what to do."""
    assert gappy.n_missing == 4
    with pytest.raises(MissingScores) as caught:
        gappy.complete()

    assert str(caught.value) == (
        "4 of 12 scores are missing (B: segments 2; C: segments 1, 2; D: segments 2). "
        'Use missing="drop" to leave these segments out for all systems.'
    )


def test_dropping_leaves_the_segments_out_for_all_systems_and_says_so(gappy):
    """Groups go along."""
    whole = gappy.complete(missing="drop")

    assert whole.segments == ("3",)
    assert whole.values.tolist() == [[3], [6], [9], [7]]
    assert whole.groups == ("e",)
    assert whole.notes == (
        "Read.",
        "2 of 3 segments left out for all systems, because 4 scores are missing.",
    )


def test_when_no_segment_is_complete_dropping_is_refused():
    """At most three systems are named."""
    values = np.full((5, 7), np.nan)
    values[4] = 1.0
    scores = Scores(name="m", systems=list("ABCDE"), segments=list("1234567"), values=values)

    with pytest.raises(MissingScores) as caught:
        scores.complete(missing="drop")
    assert str(caught.value) == (
        'No segment of "m" has a score from every system (A: segments 1, 2, 3, 4, 5 and 2 more; '
        "B: segments 1, 2, 3, 4, 5 and 2 more; C: segments 1, 2, 3, 4, 5 and 2 more; …). "
        "Leave out the systems with the most gaps."
    )


@pytest.mark.parametrize("values", [[[1.0]], [[None]]])
def test_an_unknown_treatment_of_gaps_is_refused(values):
    """Also when there is no gap: a slip must not pass for "drop"."""
    scores = Scores(name="m", systems=["A"], segments=["1"], values=values)

    with pytest.raises(UnknownName, match=r'"dropp"\. Did you mean "drop"\?'):
        scores.complete(missing="dropp")


@given(tables())
def test_a_completed_table_has_no_gap_and_is_its_own_completion(scores):
    """Exactly the segments without a gap are left, in order."""
    keep = [
        j for j in range(scores.n_segments) if not any(np.isnan(row[j]) for row in scores.values.tolist())
    ]
    if not keep:
        with pytest.raises(MissingScores):
            scores.complete(missing="drop")
        return
    whole = scores.complete(missing="drop")

    assert whole.segments == tuple(scores.segments[j] for j in keep)
    np.testing.assert_array_equal(whole.values, scores.values[:, keep])
    assert whole.complete() is whole
    assert whole.complete(missing="drop") is whole
    assert (whole is scores) == (scores.n_missing == 0)


@given(tables())
def test_equality_does_not_see_how_gaps_and_zeros_are_stored(scores):
    """Equal tables have equal hashes."""
    strange = np.array(0xFFF8_0000_0000_0BAD, dtype=np.uint64).view(np.float64)
    values = np.where(np.isnan(scores.values), strange, scores.values)
    values = np.asfortranarray(np.where(values == 0, -0.0, values))
    again = Scores.from_dict({**scores.to_dict(), "values": values})

    assert again == scores
    assert hash(again) == hash(scores)
    assert again.digest == scores.digest


def test_the_text_says_direction_and_gaps(gappy):
    """Gaps only if there are any."""
    assert repr(gappy) == "Scores('TER', 4 systems × 3 segments, higher is better, 4 missing)"
    lower = Scores(name="TER", systems=["A"], segments=["1"], values=[[1]], higher_is_better=False)
    assert repr(lower) == "Scores('TER', 1 systems × 1 segments, lower is better)"
