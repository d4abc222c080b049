"""From judgments to scores and matches as the WMT metrics tasks made them: few judgments, margins, equal texts."""

from itertools import combinations
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt


def ratings_of(rows, *, name="quality", systems="ABC", segments="12", **more):
    """Ratings from (system, segment, judge, score) by name."""
    judges = sorted({row[2] for row in rows})
    return bt.Ratings(
        name=name,
        systems=list(systems),
        segments=list(segments),
        judges=judges,
        system=[systems.index(row[0]) for row in rows],
        segment=[segments.index(row[1]) for row in rows],
        judge=[judges.index(row[2]) for row in rows],
        score=[row[3] for row in rows],
        **more,
    )


def texts_of(outputs, *, systems="ABC", segments="12"):
    """Texts of these systems."""
    return bt.Texts(systems=list(systems), segments=list(segments), outputs=outputs)


JUDGED = [
    ("A", "1", "x", 90),
    ("B", "1", "x", 60),
    ("C", "1", "x", 50),
    ("A", "2", "y", 80),
    ("B", "2", "y", 20),
]
rows = st.lists(
    st.tuples(st.sampled_from("ABC"), st.sampled_from("12"), st.sampled_from("xyz"), st.integers(0, 100)),
    min_size=1,
    max_size=40,
)


@given(rows, st.integers(1, 6))
def test_cells_with_too_few_judgements_are_empty_and_counted(rows, least):
    """Exactly the cells with fewer judgments than asked for are missing; the others are as before."""
    ratings = ratings_of(rows)
    count = {cell: sum((row[0], row[1]) == cell for row in rows) for cell in {(r[0], r[1]) for r in rows}}
    few = sum(number < least for number in count.values())
    scores, every = ratings.to_scores(min_judgements=least), ratings.to_scores()
    for (system, segment), number in count.items():
        place = ("ABC".index(system), "12".index(segment))
        assert np.isnan(scores.values[place]) == (number < least)
        if number >= least:
            assert scores.values[place] == every.values[place]
    assert scores.n_missing == every.n_missing + few
    told = f"{few} of {len(count)} judged cells left empty: fewer than {least} judgments."
    assert scores.notes == ((told,) if few else ())


@pytest.mark.parametrize("odd", [0, -1, 1.5, "2", True])
def test_a_number_of_judgements_is_a_whole_number(odd):
    """Nothing else can be counted."""
    with pytest.raises(bt.TableError, match="min_judgements must be a positive integer"):
        ratings_of(JUDGED).to_scores(min_judgements=odd)


@pytest.mark.parametrize("name", ["DA", "wmt20 DA", "da", "direct assessment", "Adequacy", "DA (z)"])
def test_a_direct_assessment_with_few_judgements_is_said_to_be_unreliable(name):
    """Once, with the median number of judgments of a judged cell."""
    rows = [("A", "1", f"j{i}", 50 + i) for i in range(16)] + [("B", "1", "j0", 3), ("B", "2", "j0", 3)]
    notes = ratings_of(rows, name=name).to_scores().notes
    assert len(notes) == 1
    assert notes[0].startswith(f"A segment of a system has {median([16, 1, 1]):g} judgments (median).")
    assert "fewer than 15" in notes[0]
    again = ratings_of(rows, name=name, notes=notes).to_scores().notes
    assert again == notes


@pytest.mark.parametrize("name", ["MQM", "data", "adapted", "quality"])
def test_other_judgements_are_not_blamed(name):
    """The rule of fifteen is about direct assessments."""
    assert ratings_of(JUDGED, name=name).to_scores().notes == ()


def test_fifteen_judgements_are_enough():
    """No note when every judged cell that is used has fifteen."""
    rows = [("A", "1", f"j{i}", 50 + i) for i in range(15)]
    assert ratings_of(rows, name="DA").to_scores().notes == ()
    few = [*rows, ("B", "1", "j1", 5)]
    notes = ratings_of(few, name="DA").to_scores(min_judgements=15).notes
    assert notes == ("1 of 2 judged cells left empty: fewer than 15 judgments.",)


def test_identical_outputs_are_ties():
    """However far apart they were judged; a missing text equals nothing."""
    ratings = ratings_of(JUDGED)
    texts = texts_of([["same", None], ["same", None], ["other", "x"]])
    kept = ratings.to_matches(texts=texts, keep_ties=True)
    found = {
        (kept.systems[a], kept.systems[b], kept.segment[i]): kept.outcome[i]
        for i, (a, b) in enumerate(zip(kept.left, kept.right, strict=True))
    }
    assert found == {("A", "B", 0): 0.5, ("A", "C", 0): 1, ("B", "C", 0): 0.5, ("A", "B", 1): 1}
    assert kept.notes == (
        "1 of 4 pairs closer than 25 were kept as ties.",
        "1 of 4 pairs have identical outputs; 1 of these were judged 25 or more apart and were kept as ties.",
    )
    dropped = ratings.to_matches(texts=texts)
    assert dropped.n_matches == 2
    assert dropped.notes[1].endswith("25 or more apart and were left out.")


@given(rows, st.integers(0, 60), st.lists(st.sampled_from(["u", "v", None]), min_size=6, max_size=6))
def test_matches_with_texts_are_those_of_a_plain_loop(rows, margin, lines):
    """A loop over segments and pairs, written out."""
    ratings = ratings_of(rows)
    outputs = [lines[0:2], lines[2:4], lines[4:6]]
    values = ratings.to_scores().values
    expected = []
    for a, b in combinations(range(3), 2):
        for j in range(2):
            gap = values[a, j] - values[b, j]
            if np.isnan(gap):
                continue
            same = outputs[a][j] is not None and outputs[a][j] == outputs[b][j]
            decided = abs(gap) >= max(margin - 1e-9, 1e-9) and not same
            expected.append((a, b, j, float(gap > 0) if decided else 0.5))
    kept = ratings.to_matches(margin=margin, keep_ties=True, texts=texts_of(outputs))
    found = zip(
        kept.left.tolist(), kept.right.tolist(), kept.segment.tolist(), kept.outcome.tolist(), strict=True
    )
    assert sorted(found) == sorted(expected)
    decided = ratings.to_matches(margin=margin, texts=texts_of(outputs))
    assert decided.n_matches == sum(row[3] != 0.5 for row in expected)


def test_texts_of_other_systems_or_segments_are_refused():
    """Nothing would be found, and that would look like an answer."""
    ratings = ratings_of(JUDGED)
    with pytest.raises(bt.TableError, match=r"share fewer than 2 systems\. The texts have X, Y, C"):
        ratings.to_matches(texts=texts_of([["a", "b"]] * 3, systems="XYC"))
    with pytest.raises(bt.TableError, match="share fewer than 1 segments"):
        ratings.to_matches(texts=texts_of([["a", "b"]] * 3, segments="78"))


@given(rows, st.lists(st.integers(0, 110), min_size=1, max_size=5), st.booleans())
def test_the_share_kept_is_that_of_the_matches(rows, margins, up):
    """The curve and the matches cannot disagree; a wider margin never keeps more."""
    ratings = ratings_of(rows, higher_is_better=up)
    shares = ratings.kept_by_margin(margins)
    total = ratings.to_matches(margin=0, keep_ties=True).n_matches
    for margin, found in zip(margins, shares, strict=True):
        if total:
            assert found == pytest.approx(ratings.to_matches(margin=margin).n_matches / total, abs=1e-15)
        else:
            assert np.isnan(found)
    if total:
        assert (np.diff(shares[np.argsort(margins, kind="stable")]) <= 0).all()


def test_an_odd_margin_is_refused():
    """Also in a list of them."""
    with pytest.raises(bt.TableError, match=r"margin must be a non-negative number, not -1\.0"):
        ratings_of(JUDGED).kept_by_margin([5, -1])


@given(rows)
def test_a_judge_can_be_left_out(rows):
    """What is left is what would have been read without the judge."""
    ratings = ratings_of(rows)
    for judge in ratings.judges:
        rest = [row for row in rows if row[2] != judge]
        if not rest:
            with pytest.raises(bt.TableError, match="No judge would be left"):
                ratings.without([judge])
            continue
        found = ratings.without([judge], because="too loud")
        assert found.digest == ratings_of(rest).digest
        lost = len(rows) - len(rest)
        assert found.notes == (f"{lost} of {len(rows)} judgments left out: judges {judge}, too loud.",)
    assert ratings.without([]) is ratings


def test_an_unknown_judge_is_named():
    """With the nearest known one."""
    with pytest.raises(bt.UnknownName, match='Unknown judge "rater10"'):
        ratings_of([("A", "1", "rater1", 1)]).without(["rater10"])


def test_standardising_comes_before_averaging():
    """Each judge over all their judgments, repeats as rows of their own; by hand."""
    rows = [
        ("A", "1", "x", 10),
        ("A", "1", "x", 20),
        ("B", "1", "x", 60),
        ("A", "1", "y", 0),
        ("B", "2", "y", 8),
    ]
    z = ratings_of(rows).standardized()
    x = (np.array([10, 20, 60]) - 30) / np.std([10, 20, 60], ddof=1)
    y = (np.array([0, 8]) - 4) / np.std([0, 8], ddof=1)
    np.testing.assert_allclose(z.score, [*x, *y])
    np.testing.assert_allclose(z.to_scores().values[0, 0], np.mean([x[0], x[1], y[0]]))
