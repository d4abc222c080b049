"""Segments known by the order of rows alone: what may be joined with what, and what is doubted."""

from __future__ import annotations

import pickle

import pytest

import betterthan as bt
from betterthan.errors import TableError
from betterthan.tables.align import align
from betterthan.tables.row_order import RowOrder, are_matched_by_order, as_row_order


def table(segments, name="m", **more):
    """Scores of two systems."""
    values = [[float(k) for k in range(len(segments))], [1.0] * len(segments)]
    return bt.Scores(name=name, systems=["A", "B"], segments=segments, values=values, **more)


def rows(n, name="rows", **more):
    """A table without ids."""
    order = RowOrder(n, **{key: more.pop(key) for key in ("unused_ids", "is_layout") if key in more})
    return table([str(k + 1) for k in range(n)], name, row_order=order, **more)


def refused(code, *tables):
    """The message of the refusal, in either order."""
    messages = []
    for given in (tables, tables[::-1]):
        with pytest.raises(TableError) as caught:
            align(*given)
        assert caught.value.code == code, caught.value
        messages.append(str(caught.value))
    return messages[0]


def test_row_numbers_are_not_joined_with_ids():
    """Whatever the ids are: 1 to n may belong to rows in another order."""
    for segments in (["1", "2", "3"], ["a", "b", "c"], ["0", "1", "2"]):
        message = refused("BT232", table(segments, "human"), rows(3))
        assert '"rows" has no segment ids' in message
        assert "item=COLUMN" in message


def test_rows_are_joined_by_order_when_there_are_equally_many():
    """And the reader is told; what a verb leaves out before does not change the count."""
    assert align(rows(4, "x"), rows(4, "y"))[0].segments == ("1", "2", "3", "4")
    assert are_matched_by_order([rows(4), rows(4)])
    some = rows(4, "x").select(segments=["1", "3", "4"])
    assert align(some, rows(4, "y"))[1].segments == ("1", "3", "4")
    message = refused("BT332", rows(4, "x"), rows(5, "y"))
    assert '"y" has 5 rows, but "x" has 4' in message


def test_an_unused_column_of_ids_forbids_to_join_by_order():
    """It is named, with the option that uses it."""
    message = refused("BT233", rows(3, "x"), rows(3, "y", unused_ids=["uid"]))
    assert 'column "uid" of "y" looks like ids' in message
    assert 'item="uid"' in message


def test_rows_of_different_documents_are_not_the_same_segments():
    """Documents tell that rows were shuffled."""
    refused("BT234", rows(3, "x", groups=["a", "a", "b"]), rows(3, "y", groups=["a", "b", "a"]))
    align(rows(3, "x", groups=["a", "a", "b"]), rows(3, "y", groups=["a", "a", "b"]))


@pytest.mark.parametrize(
    ("from_0", "from_1"),
    [
        (["0", "1", "2", "3"], ["1", "2", "3", "4"]),
        (["2", "0", "3", "1"], ["4", "1", "3", "2"]),
        (["0", "2", "3"], ["1", "2", "3", "4"]),  # judges saw a part
        (["0", "1", "2", "3"], ["2", "3", "4"]),
    ],
)
def test_ids_from_0_and_from_1_are_doubted(from_0, from_1):
    """Joined as they are, all but one segment would be paired with its neighbour."""
    message = refused("BT235", table(from_0, "x"), table(from_1, "y"))
    assert "counted from 0 and from 1" in message


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["0", "1", "2", "3"], ["0", "1", "2", "3"]),
        (["0", "1", "2", "3"], ["1", "2", "3"]),  # a part of what counts from 0
        (["1", "2", "3", "4"], ["2", "3", "4"]),
        (["0", "1", "2", "s4"], ["1", "2", "3", "s4"]),
        (["a", "b", "c"], ["c", "b", "d"]),
    ],
)
def test_other_ids_are_joined_without_a_word(one, other):
    """Only complete counts from 0 and from 1 can be the same segments."""
    align(table(one, "x"), table(other, "y"))


def test_lines_of_a_test_set_are_its_numbers():
    """The layout of the metrics task says that line k is segment k, so that ids 1 to n are the same segments."""
    lines = rows(4, "score file", is_layout=True)
    assert align(lines, table(["4", "2"], "human"))[0].segments == ("2", "4")
    assert not are_matched_by_order([lines, rows(4, is_layout=True)])
    refused("BT232", lines, table(["doc1", "doc2"], "human"))
    refused("BT232", lines, table(["4", "5"], "human"))
    refused("BT235", lines, table(["0", "1", "2", "3"], "human"))


def test_less_than_half_in_common_is_refused():
    """Two test sets whose ids look alike."""
    message = refused("BT236", table(list("abcde"), "x"), table(list("deXYZ"), "y"))
    assert "Only 2 of the 5 segments" in message


def test_it_stays_with_the_table():
    """Through what verbs do, JSON and workers; averages of documents have names of their own."""
    made = rows(3, groups=["a", "a", "b"], unused_ids=["uid"])
    assert made.select(["B"], ["2"]).row_order == RowOrder(3, ("uid",))
    assert made.complete().row_order == made.row_order
    assert made.by_group().row_order is None
    assert bt.Scores.from_dict(made.to_dict()) == made
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301
    assert made.digest == table(["1", "2", "3"], "rows", groups=["a", "a", "b"]).digest
    assert as_row_order([3, ["uid"], False]) == RowOrder(3, ("uid",))
    for wrong in ("3", 3, [1, 2]):
        with pytest.raises(TableError, match="row_order must be"):
            table(["1"], row_order=wrong)


def test_counts_of_texts_have_the_order_of_their_lines():
    """Scores of lines are joined with human scores of lines, not with those of named segments."""
    outputs = {"A": ["a b", "c d", "e f"], "B": ["a x", "c d", "e e"]}
    counts = bt.bleu(outputs, ["a b", "c d", "e f"])
    assert counts.row_order == counts.per_segment().row_order == RowOrder(3)
    refused("BT232", table(["1", "2", "3"], "human"), counts.per_segment())


def test_meta_evaluation_says_how_segments_were_matched():
    """As a caveat: by order, and how many segments have no partner."""
    values = {"A": [1.0, 2.0, 3.0, 5.0], "B": [2.0, 1.0, 2.0, 2.0], "C": [0.0, 1.0, 1.0, 1.0]}
    human = bt.read_scores(values, name="human")
    metric = bt.read_scores({name: [x + 0.5 for x in row] for name, row in values.items()}, name="metric")
    found = bt.meta_evaluate(metric, human, by="pearson")
    assert [caveat.code for caveat in found.caveats] == ["by_order"]
    assert "Rows were matched by their order" in bt.render(found)
    shorter = bt.read_scores({name: row[:3] for name, row in values.items()}, name="metric")
    with pytest.raises(TableError, match="there are no ids to match rows"):
        bt.meta_evaluate(shorter, human, by="pearson")
    named = bt.read_scores({"id": list("wxyz"), **values}, name="human")
    part = bt.read_scores(
        {"id": list("xyz"), **{name: row[1:] for name, row in values.items()}}, name="metric"
    )
    (caveat,) = bt.meta_evaluate(part, named, by="pearson").caveats
    assert (caveat.code, caveat.names, caveat.n_left_out, caveat.n_segments) == (
        "unmatched",
        ("human",),
        1,
        4,
    )
