"""gate on two tables with a system each: the same answer as on one table, and what may not be joined."""

from dataclasses import replace

import numpy as np
import pytest
from tests.made import drawn_counts, drawn_matches, drawn_runs

import betterthan as bt


def one_system(name, system, values, **more):
    """Scores of one system on items q0, q1, …"""
    return bt.Scores(
        name=name, systems=[system], segments=[f"q{i}" for i in range(len(values))], values=[values], **more
    )


def written(folder, name, values, column="correct"):
    """A file with ids and one column of scores."""
    path = folder / f"{name}.csv"
    path.write_text(f"id,{column}\n" + "".join(f"q{i},{value}\n" for i, value in enumerate(values)))
    return path


RNG = np.random.default_rng(5)
BEFORE, AFTER = RNG.integers(0, 2, (2, 40)).astype(float)


def test_two_files_read_first_are_gated_as_their_paths(tmp_path):
    """The only column of a file is read as a system; here it is the metric."""
    base, cand = written(tmp_path, "base", BEFORE), written(tmp_path, "cand", AFTER)
    by_path = bt.gate(base, cand, margin=0.1)
    by_table = bt.gate(bt.read_scores(base), bt.read_scores(cand), margin=0.1)
    assert (by_table.baseline, by_table.candidate, by_table.metric) == ("base", "cand", ("correct",))
    assert repr(list(by_table)) == repr(list(by_path))
    assert by_table.verdict == by_path.verdict


def test_items_are_matched_by_id():
    """Whatever their order, and with groups of one table where the other has none for the same items."""
    first, second = one_system("x", "old", BEFORE), one_system("x", "new", AFTER)
    turned = second.select(segments=second.segments[::-1])
    assert repr(list(bt.gate(first, turned, margin=0.1))) == repr(list(bt.gate(first, second, margin=0.1)))
    groups = [str(i // 4) for i in range(40)]
    assert bt.gate(replace(first, groups=groups), turned, margin=0.1)[0].unit == "documents"


def test_groups_that_differ_are_left_out_with_a_note():
    """Items are then the units, and the result says why."""
    first = one_system("x", "old", BEFORE, groups=[str(i // 4) for i in range(40)])
    second = one_system("x", "new", AFTER, groups=[str(i // 5) for i in range(40)])
    found = bt.gate(first, second, margin=0.1)
    assert found[0].unit == "items"
    assert any("different groups" in note for note in found.notes)


@pytest.mark.parametrize("table", [drawn_counts(2), drawn_runs()])
def test_counts_and_runs(table):
    """Two halves of a table decide as the whole."""
    a, b = table.systems[:2]
    whole = bt.gate(table, systems=(a, b), margin=0.1)
    halves = bt.gate(table.select([a]), table.select([b]), margin=0.1)
    assert repr(list(halves)) == repr(list(whole))


def test_counts_of_different_segments():
    """They are an error, or left out and noted."""
    table = drawn_counts(2)
    a, b = (table.select([name]) for name in table.systems)
    less = b.select(segments=b.segments[1:])
    with pytest.raises(bt.BetterThanError, match="1 segments are in only one"):
        bt.gate(a, less, margin=0.1)
    found = bt.gate(a, less, margin=0.1, missing="drop")
    assert any("left out" in note for note in found.notes)
    assert repr(list(found)) == repr(list(bt.gate(a.select(segments=less.segments), less, margin=0.1)))


def test_missing_items():
    """As between two files."""
    first, second = one_system("x", "old", BEFORE), one_system("x", "new", AFTER[:-2])
    with pytest.raises(bt.MissingScores):
        bt.gate(first, second, margin=0.1)
    assert bt.gate(first, second, margin=0.1, missing="drop")[0].n_units == 38


def test_both_systems_of_one_name():
    """They are called by their roles."""
    found = bt.gate(one_system("x", "model", BEFORE), one_system("x", "model", AFTER), margin=0.1)
    assert (found.baseline, found.candidate, found.metric) == ("baseline", "candidate", ("x",))


@pytest.mark.parametrize(
    ("baseline", "candidate", "text"),
    [
        (one_system("x", "a", BEFORE), one_system("y", "b", AFTER), "give both tables one name"),
        (one_system("base", "toxicity", BEFORE), one_system("cand", "toxicity", AFTER), "Name the metric"),
        (
            one_system("x", "a", BEFORE),
            one_system("x", "b", AFTER, higher_is_better=False),
            "better in one of the two tables and lower in the other",
        ),
        (
            one_system("x", "a", BEFORE),
            bt.Scores(name="x", systems=["b"], segments=list("pqrs"), values=[[1, 0, 1, 0]]),
            "share 0 of 4 items",
        ),
        (one_system("x", "a", BEFORE), AFTER, "Only one of baseline and candidate is a table"),
        (one_system("x", "a", BEFORE), drawn_counts(2).select(drawn_counts(2).systems[:1]), "of one kind"),
        (drawn_counts(2), drawn_counts(2), "The baseline has 2 systems"),
        (drawn_matches(2), drawn_matches(2), "Battles have both systems"),
    ],
)
def test_what_cannot_be_paired(baseline, candidate, text):
    """Says why, and what to do."""
    with pytest.raises(bt.BetterThanError, match=text):
        bt.gate(baseline, candidate, margin=0.1)


def test_rows_without_ids_need_the_same_number(tmp_path):
    """Matched by order with a note, or refused."""
    for name, values in (("a", BEFORE), ("b", AFTER), ("c", AFTER[:-1])):
        (tmp_path / f"{name}.csv").write_text("score\n" + "".join(f"{value}\n" for value in values))
    a, b, c = (bt.read_scores(tmp_path / f"{name}.csv") for name in "abc")
    found = bt.gate(a, b, margin=0.1)
    assert any("matched by their order" in note for note in found.notes)
    with pytest.raises(bt.BetterThanError, match="no ids to match rows"):
        bt.gate(a, c, margin=0.1)
