"""What a ranking says in words, and how its table is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import a_ranking, drawn_matches, drawn_scores

import betterthan as bt
from betterthan.present.renderers.render import render
from betterthan.present.tables.describe import describe
from betterthan.present.tables.standing import method_name


def words(result):
    """All that is said about the table but notes."""
    return " ".join(describe(result).prose)


def test_a_single_winner_is_named():
    """With the level, the correction and the test."""
    said = words(a_ranking(["A", "B", "C"]))

    assert said.startswith(
        "A is significantly better than both others (p ≤ 0.05, permutation tests, Holm-adjusted for 3 pairs)."
    )


def test_nobody_is_called_best_when_all_may_be():
    """Every rank range begins with 1."""
    said = words(a_ranking(["A", "B"], rank_low=np.array([1, 1]), letters=("a", "a")))

    assert said.startswith("There is no significant difference between A and B (level 0.05")


@pytest.mark.parametrize(
    ("n_first", "named"),
    [
        (2, "A and B may be the best; they do not differ significantly from each other (level 0.05"),
        (
            6,
            "6 of 7 systems may be the best; they do not differ significantly from each other: A, B, C, D and 2 more (",
        ),
    ],
)
def test_several_candidates_are_listed(n_first, named):
    """At most four by name."""
    low = np.where(np.arange(7) < n_first, 1, 7)

    said = words(a_ranking(list("ABCDEFG"), rank_low=low))
    assert said.startswith(named)


@pytest.mark.parametrize(
    ("test", "called"),
    [("mood", "median tests"), ("t", "t-tests"), ("wald", "Wald tests"), ("sign", "sign tests")],
)
def test_tests_are_called_what_people_call_them(test, called):
    """In the sentence about the level."""
    assert called in words(a_ranking(test=test))


def test_methods_are_called_what_people_call_them():
    """Names of people keep their capitals and dash."""
    assert [method_name(name) for name in ("bradley_terry", "elo", "trueskill", "win_rate")] == [
        "Bradley–Terry",
        "Elo",
        "TrueSkill",
        "win rate",
    ]


def test_the_spread_over_orders_has_a_column_of_its_own():
    """Only for what depends on the order of play."""
    elo = render(bt.rank(drawn_scores(3, 20), by="elo", n_resamples=5, n_orders=5), "table")

    assert "± orders" in elo
    assert "± orders" not in render(a_ranking(), "table")


def test_a_spread_of_ranks_is_a_range_or_a_number():
    """1–3, or 2."""
    rows = describe(
        a_ranking(["A", "B", "C"], rank_low=np.array([1, 2, 1]), rank_high=np.array([3, 2, 3]))
    ).rows

    assert [row[1] for row in rows] == ["1–3", "2", "1–3"]


def test_a_rule_separates_clusters_and_the_best_are_bold():
    """All systems of rank 1 are bold."""
    table = describe(a_ranking(["A", "B", "C"], cluster=np.array([1, 1, 2]), rank=np.array([1, 1, 3])))

    assert table.rules == {1}
    assert table.bold == {(0, 2), (1, 2)}


def test_a_star_marks_who_is_significantly_better_than_the_next():
    """And nothing stands beside the last system."""
    rows = describe(a_ranking(["A", "B", "C"], differs_from_next=np.array([True, False, False]))).rows

    assert [row[-2].strip() for row in rows] == ["0.75*", "0.75", ""]


def test_battles_are_shown_with_what_there_is_to_know_about_them():
    """Number of matches and kind of error in the signature."""
    table = describe(bt.rank(drawn_matches()))

    assert "|matches:300|" in table.signature
    assert "|ci:95,robust|" in table.signature
