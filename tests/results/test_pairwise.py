"""The table of pairs as a result: single pairs, verdicts, its tidy table, its short form."""

from __future__ import annotations

import numpy as np
from tests.made import drawn_scores, same_after_json, scores_of

import betterthan as bt
from betterthan.results.pairwise import Pair

FOUND = bt.compare(drawn_scores(4, 30, gap=0.8))


def test_a_pair_can_be_seen_from_both_sides():
    """Effect and interval turn round, p and verdict stay."""
    one, other = FOUND.pair("A", "D"), FOUND.pair("D", "A")

    assert one.effect == -other.effect
    assert (one.low, one.high) == (-other.high, -other.low)
    assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
    assert (one.pvalue, one.adjusted, one.verdict) == (other.pvalue, other.adjusted, other.verdict)
    assert one.verdict == "D"


def test_every_pair_is_there_once_the_better_placed_first():
    """M (m − 1) / 2 of them, in the order of the systems, and the same as asked for one by one."""
    pairs = FOUND.pairs()

    assert len(pairs) == 6
    assert [(p.a, p.b) for p in pairs][:3] == [(FOUND.systems[0], name) for name in FOUND.systems[1:]]
    assert pairs == [FOUND.pair(p.a, p.b) for p in pairs]


def test_the_tidy_table_has_the_fields_of_a_pair():
    """One row a pair; an open verdict is missing."""
    columns = FOUND.columns()

    assert set(columns) == set(Pair.__dataclass_fields__)
    assert {len(column) for column in columns.values()} == {6}
    assert columns["verdict"] == [pair.verdict for pair in FOUND.pairs()]


def test_who_is_better_is_a_matrix_of_verdicts():
    """Never both ways, never with itself."""
    better = FOUND.better()

    assert not np.any(better & better.T)
    assert not better.diagonal().any()
    assert better.sum() == FOUND.n_different
    for pair in FOUND.pairs():
        i, j = FOUND.systems.index(pair.a), FOUND.systems.index(pair.b)
        assert (pair.verdict == pair.a) == better[i, j]
        assert (pair.verdict == pair.b) == better[j, i]


def test_a_system_against_itself_has_no_numbers():
    """The diagonal is missing, and nobody is better."""
    pair = FOUND.pair("A", "A")

    assert np.isnan(pair.pvalue)
    assert np.isnan(pair.effect)
    assert pair.verdict is None


def test_the_short_form_counts_the_pairs():
    """Test, correction, and how many are told apart at which level."""
    assert (
        repr(FOUND)
        == f"PairwiseTable(permutation test, holm, {FOUND.n_different} of 6 pairs significantly different at 0.05)"
    )


def test_a_table_survives_json_with_missing_numbers():
    """The diagonal, and pairs without segments."""
    values = drawn_scores(3, 6).values.copy()
    values[0, :3], values[1, 3:] = np.nan, np.nan
    found = bt.compare(scores_of(values), missing="pairwise", test="t")

    assert same_after_json(found)
    assert np.isnan(bt.Result.from_dict(found.to_dict()).effect[0, 0])
