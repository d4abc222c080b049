"""Several results that answer one question are one table."""

import numpy as np
import pytest
from tests.made import drawn_scores

import betterthan as bt
from betterthan.present.renderers.text import render_text
from betterthan.present.table import Table, TableColumn
from betterthan.present.tables.together import combined

METHODS = ("mean", "bradley_terry", "median")


@pytest.fixture
def rankings():
    """Four systems, ranked in three ways."""
    scores = drawn_scores(4, 40, gap=0.4)
    return [bt.rank(scores, by=by, rng=1, n_resamples=99) for by in METHODS]


def test_rankings_are_columns_in_the_order_of_the_first(rankings):
    """Each number stands in the row of its system."""
    table = combined(rankings[:2]).table
    assert [row[0] for row in table.rows] == list(rankings[0].systems)
    for row in table.rows:
        for ranking, at in zip(rankings[:2], (1, 4), strict=True):
            own = ranking[row[0]]
            assert row[at].startswith(f"{own.rank} (")
            assert row[at + 1 : at + 3] == (own.strength, (own.low, own.high))
    assert [line.partition(":")[0] for line in table.verdict] == ["By mean", "By Bradley–Terry"]


def test_three_methods_leave_out_intervals(rankings):
    """They would not fit into a terminal; CSV has them."""
    whole = combined(rankings)
    assert "95% CI" not in [column.heading for column in whole.table.columns]
    columns = whole.columns()
    assert columns["method"] == [by for by in METHODS for _ in range(4)]
    assert np.array_equal(columns["low"][4:8], rankings[1].low)


def test_a_column_that_one_result_lacks_is_empty():
    """Only Elo has the spread over orders."""
    scores = drawn_scores(3, 20)
    both = combined([bt.rank(scores), bt.rank(scores, by="elo", n_orders=5, n_resamples=20)])
    assert both.columns()["order_spread"][:3] == [None] * 3
    assert all(value >= 0 for value in both.columns()["order_spread"][3:])


def test_results_that_do_not_belong_together_stay_apart():
    """One alone, different kinds, and different systems."""
    one, other = drawn_scores(3, 20), drawn_scores(4, 20)
    assert combined([bt.rank(one)]) is None
    assert combined([bt.rank(one), bt.compare(one)]) is None
    assert combined([bt.rank(one), bt.rank(other)]) is None


def wide() -> Table:
    """A table with a long name and columns that can be spared."""
    return Table(
        title="T",
        columns=(
            TableColumn(heading="system"),
            TableColumn(heading="score", kind="number"),
            TableColumn(heading="first to go", spare=2),
            TableColumn(heading="second to go", spare=1),
        ),
        rows=(("a_very_long_name_of_a_system two words", 1.0, "x" * 20, "y" * 20),),
        signature="s",
    )


@pytest.mark.parametrize(
    ("width", "gone"), [(200, []), (90, ["first to go"]), (60, ["first to go", "second to go"])]
)
def test_a_narrow_terminal_spares_columns_and_says_which(width, gone):
    """The least important first."""
    text = render_text(wide(), width=width)
    head = text.splitlines()[2]
    assert [name for name in ("first to go", "second to go") if name not in head] == gone
    assert ("columns left out for width: " in text) == bool(gone)
    for name in gone:
        assert name in text.splitlines()[-2]


def test_no_word_of_a_name_is_broken():
    """However narrow the terminal; at a blank it may be."""
    text = render_text(wide(), width=30)
    assert "a_very_long_name_of_a_system" in text
    assert "a_very_long_name_of_a_system two words" not in text
