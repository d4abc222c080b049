"""Figure 1, figure 2, appendix F and figure 6."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

import betterthan as bt
from betterthan.studies.paired.pairing_triptych import _most_wins
from betterthan.studies.paired.tests_agreement import _significant
from betterthan.studies.study import study


def scores(values, **more):
    """A table of the given values."""
    values = np.asarray(values, dtype=float)
    systems = tuple(f"S{i}" for i in range(len(values)))
    segments = tuple(map(str, range(values.shape[1])))
    return bt.Scores(name="m", systems=systems, segments=segments, values=values, **more)


def test_figure_one_has_equal_means_and_two_sentences_that_do_not_hold():
    """E1: medians are 11, 7, 11, and C beats B on four of five; strengths as rank has them."""
    found = study("figure-one")
    table = found.table("strengths")
    assert table.column("mean") == (9.2, 9.2, 9.2)
    assert table.column("median") == (11.0, 7.0, 11.0)
    figure = bt.read_scores({"A": [1, 5, 11, 12, 17], "B": [2, 6, 7, 13, 18], "C": [5, 11, 12, 17, 1]})
    ranking = bt.rank(figure, by="bradley_terry")
    expected = dict(zip(ranking.systems, ranking.strength.tolist(), strict=True))
    assert table.column("Bradley–Terry") == pytest.approx([expected[name] for name in "ABC"], abs=1e-9)
    assert found.table("claims").column("holds") == ("yes",) * 5 + ("no",) * 2


def test_figure_one_of_other_scores_makes_no_claims():
    """On the user's data there are strengths and pairs, and less is better where that is said."""
    table = scores([[1, 2, 3], [2, 3, 9]], higher_is_better=False)
    found = study("figure-one", table)
    assert [one.name for one in found.tables] == ["strengths", "pairs"]
    assert found.table("pairs").rows[0][2:4] == (3, 0)
    assert found.table("pairs").column("by mean") == ("S0",)


def test_the_triptych_changes_wins_and_nothing_else():
    """Table 2 as printed: S is expected to win 80 % of the segments, as four of five types are 5 or more ahead."""
    found = study("pairing-triptych", quick=True)
    table = found.table("verdicts")
    for name in ("mean S", "mean B", "median S", "median B"):
        assert len(set(table.column(name))) == 1
    share = np.mean(stats.norm.cdf(np.array([-5, 5, 10, 5, 10]) / np.sqrt(2)))
    assert table.column("expected share S")[0] == pytest.approx(share)
    assert table.column("better by wins")[0] == "S"
    assert table.column("better by wins")[2] == "B"
    wins = np.array(table.column("wins S")) / 500
    assert wins == pytest.approx(np.array(table.column("expected share S")), abs=0.05)
    assert len(found.table("all-pairings").rows) == 120


def test_no_pairing_wins_more_than_the_greedy_one():
    """Against all 720 pairings of six scores, ties included."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        x, y = rng.integers(0, 8, size=(2, 6)).astype(float)
        most = max(int((x[list(order)] > y).sum()) for order in permutations(range(6)))
        winner, loser = _most_wins(x, y)
        assert int((winner > loser).sum()) == most
        assert sorted(winner) == sorted(x)
        assert sorted(loser) == sorted(y)


def test_the_triptych_of_data_keeps_the_scores_of_each():
    """The two systems with the highest means, as observed and at both extremes."""
    rng = np.random.default_rng(1)
    found = study("pairing-triptych", scores(rng.normal(size=(3, 30)) + np.array([[0.0], [0.2], [-9.0]])))
    table = found.table("verdicts")
    assert table.columns[1:3] in (("mean S0", "mean S1"), ("mean S1", "mean S0"))
    wins = table.column(table.columns[5])
    assert wins[2] <= wins[0] <= wins[1]


def test_appendix_f_is_levelled_by_3_1_2_and_not_by_the_printed_scores():
    """E3, as measured: thirds with C = 3, 1, 2; 0.253, 0.421, 0.326 with C = 3, 2, 1 and ties dropped."""
    rows = study("independence", quick=True).table("example").rows
    assert rows[1][2:] == pytest.approx([1 / 3] * 3)
    assert rows[2][2:] == pytest.approx([0.253, 0.421, 0.326], abs=5e-4)
    assert [row[1] for row in rows[2:]] == ["drop", "half", "as_published", "davidson", "rao_kupper"]
    printed = {"A": [1.0, 2.0, 3.0], "B": [2.0, 3.0, 1.0], "C": [3.0, 2.0, 1.0]}
    ranked = bt.rank(printed, by="bradley_terry", ties="rao_kupper")
    strengths = dict(zip(ranked.systems, ranked.strength, strict=True))
    assert rows[-1][2:] == pytest.approx([strengths[name] for name in "ABC"])
    assert all(abs(row[3] - row[2]) > 0.1 for row in rows[2:])


def test_triples_of_a_table_are_those_of_the_diagnosis():
    """All segments: circles, flips and levels as diagnose counts them."""
    table = scores(np.random.default_rng(2).normal(size=(7, 15)).round(1))
    row = study("independence", table, quick=True).table("triples-by-setup").rows[0]
    diagnosis = bt.diagnose(table)
    assert row[5:8] == tuple(diagnosis.count(effect) for effect in ("cycle", "flips", "levels"))
    assert row[4] == 35


@pytest.mark.parametrize("seed", range(3))
def test_significance_is_that_of_scipy(seed):
    """Four tests on every pair, without ties: t, Mood, sign and Wilcoxon."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(5, 24)) + rng.normal(size=(5, 1))
    found = _significant(table, 0.05, as_published=False)
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    for place, (i, j) in enumerate(pairs):
        x, y = table[i], table[j]
        expected = (
            stats.ttest_rel(x, y).pvalue,
            stats.median_test(x, y).pvalue,
            stats.binomtest(int((x > y).sum()), 24).pvalue,
            stats.wilcoxon(x, y, mode="exact").pvalue,
        )
        assert found[:, place].tolist() == [p < 0.05 for p in expected]


def test_the_matrix_counts_what_was_found():
    """Figure 6 of two setups, counted here from the tests themselves."""
    rng = np.random.default_rng(9)
    tables = {name: scores(rng.normal(size=(5, 20)) + 0.7 * rng.normal(size=(5, 1))) for name in "ab"}
    found = study("tests-agreement", tables)
    both = np.concatenate(
        [_significant(t.goodness, 0.05, as_published=False) for t in tables.values()], axis=1
    )
    table = found.table("figure-6")
    for i in range(4):
        for j in range(4):
            expected = both[i].mean() if i == j else (both[i] & both[j]).sum() / both[i].sum()
            assert table.rows[i][1 + j] == pytest.approx(expected)
    assert table.printed[0][1:] == (0.42, 0.50, 0.74, 0.94)


def test_as_published_tests_are_of_drawn_setups():
    """As many draws as asked for, each with all pairs of a setup."""
    table = scores(np.random.default_rng(4).normal(size=(4, 50)))
    found = study("tests-agreement", table, as_published=True, options={"draws": 30})
    assert "180 pairs" in found.sentences[1].replace(",", "")
