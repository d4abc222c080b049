"""Single human judgments, before they become scores or matches."""

import statistics
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.errors import TableError
from betterthan.tables.ratings import Ratings


@st.composite
def tables(draw):
    """Up to forty judgments from 0 to 100 of up to four systems on up to four segments by three judges."""
    m, n = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    row = st.tuples(st.integers(0, m - 1), st.integers(0, n - 1), st.integers(0, 2), st.integers(0, 100))
    rows = draw(st.lists(row, max_size=40))
    system, segment, judge, score = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Ratings(
        name="quality",
        systems=[f"S{i}" for i in range(m)],
        segments=[str(j) for j in range(n)],
        judges=["x", "y", "z"],
        system=system,
        segment=segment,
        judge=judge,
        score=score,
        higher_is_better=draw(st.booleans()),
        groups=draw(st.none() | st.lists(st.sampled_from("de"), min_size=n, max_size=n)),
        notes=["Read."],
    )


def rated(score, /, **more):
    """One judge's judgments of system A, one segment each."""
    t = len(score)
    fits = {
        "name": "DA",
        "systems": ["A"],
        "segments": [str(j) for j in range(t)],
        "judges": ["x"],
        "system": [0] * t,
        "segment": range(t),
        "judge": [0] * t,
        "score": score,
    }
    return Ratings(**{**fits, **more})


def rows_of(ratings):
    """The rows as tuples of plain numbers."""
    columns = (ratings.system, ratings.segment, ratings.judge, ratings.score)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def cells_of(ratings):
    """The exact mean of each judged system and segment."""
    found = {}
    for system, segment, _, score in rows_of(ratings):
        found.setdefault((system, segment), []).append(Fraction(score))
    return {cell: sum(scores) / len(scores) for cell, scores in found.items()}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 1}, "A metric name must be text, not int"),
        ({"judges": []}, "The table has 0 judges; at least 1 judge needed"),
        ({"systems": ["A", "A"]}, "Each system may occur once"),
        ({"judge": [0, 1]}, "judge must lie between 0 and 0; found 0 to 1"),
        ({"system": [0]}, "system must have the shape 2, but have 1"),
        ({"segment": ["0", "1"]}, r"segment must be whole numbers \(indices\), not text"),
        ({"score": [1, None]}, "Judgment 2 has no score. Leave out rows without a score."),
        ({"score": [1, np.inf]}, "Judgments contain an infinite number"),
        ({"score": 5}, "Judgments must have the shape any, but have a single number"),
        ({"score": None}, "Judgments must have the shape any, but have a single number"),
        ({"higher_is_better": "yes"}, "higher_is_better must be True or False"),
        ({"groups": ["d"]}, "There are 1 groups for 2 segments"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    """Rows are counted from 1."""
    with pytest.raises(TableError, match=message):
        rated([1.0, 2.0], **change)


@given(tables())
def test_standardized_equals_a_loop_over_judges(ratings):
    """Mean and standard deviation as the standard library computes them; judges without spread left out."""
    by_judge = {}
    for _, _, judge, score in rows_of(ratings):
        by_judge.setdefault(judge, []).append(score)
    silent = {judge for judge, scores in by_judge.items() if len(set(scores)) == 1}
    expected = [
        (
            system,
            segment,
            judge,
            (score - statistics.mean(by_judge[judge])) / statistics.stdev(by_judge[judge]),
        )
        for system, segment, judge, score in rows_of(ratings)
        if judge not in silent
    ]
    z = ratings.standardized()

    assert [row[:3] for row in rows_of(z)] == [row[:3] for row in expected]
    np.testing.assert_allclose(z.score, [row[3] for row in expected], rtol=1e-9, atol=1e-9)
    assert (z.systems, z.segments, z.judges) == (ratings.systems, ratings.segments, ratings.judges)
    assert (z.groups, z.higher_is_better) == (ratings.groups, ratings.higher_is_better)
    assert (z == ratings) == (ratings.n_judgements == 0)
    assert z.notes[:1] == ratings.notes
    assert len(z.notes) == 1 + bool(silent)


def test_judges_without_spread_are_left_out_and_named():
    """A single judgment, or always the same one, says nothing about differences."""
    ratings = Ratings(
        name="DA",
        systems=["A"],
        segments=["1"],
        judges=["one", "same", "fine", "idle"],
        system=[0] * 6,
        segment=[0] * 6,
        judge=[0, 1, 1, 1, 2, 2],
        score=[50, 0.1, 0.1, 0.1, 10, 20],
    )
    z = ratings.standardized()

    assert z.judge.tolist() == [2, 2]
    np.testing.assert_allclose(z.score, [-np.sqrt(0.5), np.sqrt(0.5)])
    assert z.notes == ("4 judgments left out: judges whose scores do not vary (one, same).",)


@pytest.mark.parametrize("scores", [[1e6, 1e6 + 1e-7], [1e-14, 3e-14], [1e-9, 2e-9, 3e-9]])
def test_a_small_spread_is_a_spread(scores):
    """Whether a judge is constant is seen from his scores, not from a threshold."""
    z = rated(scores).standardized()

    assert z.n_judgements == len(scores)
    assert statistics.stdev(z.score.tolist()) == pytest.approx(1, rel=1e-3)


def test_a_spread_too_small_to_square_is_none():
    """Rather than a division by zero."""
    assert rated([1e-200, 2e-200]).standardized().n_judgements == 0


@given(tables())
def test_scores_are_the_mean_judgements(ratings):
    """NaN where nobody judged; everything else goes along."""
    cells = cells_of(ratings)
    expected = [
        [float(cells.get((i, j), np.nan)) for j in range(len(ratings.segments))]
        for i in range(len(ratings.systems))
    ]
    scores = ratings.to_scores()

    np.testing.assert_allclose(scores.values, expected, rtol=1e-12)
    assert (scores.name, scores.systems, scores.segments) == ("quality", ratings.systems, ratings.segments)
    assert (scores.groups, scores.notes) == (ratings.groups, ratings.notes)
    assert scores.higher_is_better == ratings.higher_is_better


@given(tables(), st.integers(0, 40), st.booleans())
def test_matches_equal_a_double_loop_over_pairs_and_segments(ratings, margin, keep_ties):
    """In exact fractions, so that a gap of just the margin is decided; missing cells make no match."""
    cells = cells_of(ratings)
    expected, close, judged = [], 0, 0
    for left, right in combinations(range(len(ratings.systems)), 2):
        for segment in range(len(ratings.segments)):
            if (left, segment) not in cells or (right, segment) not in cells:
                continue
            judged += 1
            gap = cells[left, segment] - cells[right, segment]
            gap = gap if ratings.higher_is_better else -gap
            if gap != 0 and abs(gap) >= margin:
                expected.append((left, right, segment, 1.0 if gap > 0 else 0.0))
            else:
                close += 1
                expected += [(left, right, segment, 0.5)] * keep_ties
    matches = ratings.to_matches(margin=margin, keep_ties=keep_ties)
    columns = (matches.left, matches.right, matches.segment, matches.outcome)

    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert matches.weight.tolist() == [1.0] * len(expected)
    said = "kept as ties" if keep_ties else "left out"
    assert matches.notes == ("Read.", f"{close} of {judged} pairs closer than {margin} were {said}.")


def test_the_margin_is_25_unless_given():
    """The relative-ranking rule of WMT."""
    ratings = Ratings(
        name="DA",
        systems=["A", "B"],
        segments=["1", "2"],
        judges=["x"],
        system=[0, 1, 0, 1],
        segment=[0, 0, 1, 1],
        judge=[0] * 4,
        score=[75, 50, 50, 74],
    )

    assert ratings.to_matches().outcome.tolist() == [1.0]
    assert ratings.to_matches(margin=24).outcome.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("one", "other", "margin", "decided"),
    [
        ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1], 0, False),
        ([80, 80, 81], [55, 55, 56], 25, True),
        ([0.3], [0.1], 0.2, True),
        ([70], [70 - 1e-6], 0, True),
    ],
)
def test_rounding_neither_breaks_a_tie_nor_shortens_a_gap(one, other, margin, decided):
    """The mean of the same judgments in another order differs in its last digits."""
    t = len(one)
    ratings = Ratings(
        name="DA",
        systems=["A", "B"],
        segments=["1"],
        judges=["x"],
        system=[0] * t + [1] * t,
        segment=[0] * 2 * t,
        judge=[0] * 2 * t,
        score=one + other,
    )

    assert ratings.to_matches(margin=margin).n_matches == decided


def test_documents_become_the_groups_of_matches():
    """Numbered in the order in which they appear."""
    ratings = Ratings(
        name="DA",
        systems=["A", "B"],
        segments=["1", "2", "3"],
        judges=["x"],
        system=[0, 1] * 3,
        segment=[0, 0, 1, 1, 2, 2],
        judge=[0] * 6,
        score=[90, 10] * 3,
        groups=["late", "early", "late"],
    )

    assert ratings.to_matches().group.tolist() == [0, 1, 0]


def test_a_single_system_meets_nobody():
    """No match, and a note that says so."""
    matches = rated([1.0, 2.0]).to_matches()

    assert matches.n_matches == 0
    assert matches.notes == ("0 of 0 pairs closer than 25 were left out.",)


@pytest.mark.parametrize("margin", [-1, np.nan, np.inf, "25", None])
def test_the_margin_is_a_number_of_zero_or_more(margin):
    """NaN would make every pair a tie without a word."""
    with pytest.raises(TableError, match="margin must be a non-negative number, not "):
        rated([1.0]).to_matches(margin=margin)


def test_indices_of_a_dictionary_are_not_cut_off():
    """0.9 is not 0."""
    data = {**rated([1.0]).to_dict(), "judge": [0.9]}

    with pytest.raises(TableError, match=r"judge must be whole numbers \(indices\), not float64"):
        Ratings.from_dict(data)


def test_the_text_says_the_sizes():
    """In one line."""
    assert repr(rated([1.0, 2.0])) == "Ratings('DA', 2 judgments of 1 systems × 2 segments by 1 judges)"
