"""The ranking as a result: its fields, its tidy table, its short form."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import a_ranking, drawn_scores, same_after_json

import betterthan as bt


def test_the_tidy_table_has_one_row_a_system():
    """All columns have the same length, and the spread over orders is there only when there is one."""
    plain, ordered = a_ranking(), a_ranking(order_spread=np.array([1.0, 2.0]))

    assert {len(column) for column in plain.columns().values()} == {2}
    assert list(plain.columns())[:2] == ["rank", "system"]
    assert "order_spread" not in plain.columns()
    assert ordered.columns()["order_spread"] == [1.0, 2.0]


def test_the_short_form_names_the_first_three():
    """More are hinted at."""
    assert repr(a_ranking(["A", "B", "C"])) == "Ranking(by mean, 3 systems: A > B > C)"
    assert repr(a_ranking(list("ABCDE"))) == "Ranking(by mean, 5 systems: A > B > C > …)"


def test_types_survive_json():
    """Whole numbers, flags and missing values come back as what they were."""
    found = a_ranking(order_spread=np.array([1.5, np.nan]))
    back = bt.Result.from_dict(found.to_dict())

    assert same_after_json(found)
    assert back.rank.dtype == np.int64
    assert back.differs_from_next.dtype == np.bool_
    assert np.isnan(back.order_spread[1])
    assert back.letters == found.letters
    assert bt.Result.from_dict(a_ranking().to_dict()).order_spread is None


def test_two_results_are_equal_when_all_their_numbers_are():
    """The same verb, data and options; where something is drawn, another seed is another result."""
    scores = drawn_scores()
    first, again, other = (
        bt.rank(scores, interval="percentile", n_resamples=9, rng=seed) for seed in (1, 1, 2)
    )

    assert first == again
    assert hash(first) == hash(again)
    assert first != other


def test_a_ranking_that_draws_nothing_does_not_know_its_seed():
    """Means have intervals by formula: any seed gives the same ranking."""
    scores = drawn_scores()

    assert bt.rank(scores, rng=1) == bt.rank(scores, rng=2)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_computed_ranking_becomes_a_frame(backend):
    """With one row a system, best first."""
    frame = bt.rank(drawn_scores(3, 20), by="elo", n_resamples=5, n_orders=5).to_frame(backend)

    assert len(frame) == 3
    assert "order_spread" in (frame.column_names if backend == "pyarrow" else frame.columns)
