"""Comparing rankings: direct counts, ties as ties, sets at the top."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt
from betterthan.analysis.rank.agreement import rank_each


def ranking(ranks, *, systems=None, method="mean", notes=()):
    """A ranking by mean in which system i has the given rank."""
    systems = systems or list("ABCDEFGH"[: len(ranks)])
    values = [[-float(rank)] * 2 for rank in ranks]
    scores = bt.Scores(name="points", systems=systems, segments=["1", "2"], values=values)
    found = bt.rank(scores, n_resamples=2, workers=1)
    return replace(found, notes=tuple(notes), settings=replace(found.settings, method=method))


@st.composite
def two_rankings(draw):
    """Two tie-aware rankings of the same two to seven systems."""
    m = draw(st.integers(2, 7))
    strengths = [draw(st.lists(st.integers(0, 4), min_size=m, max_size=m)) for _ in range(2)]
    return [[1 + sum(other > own for other in values) for own in values] for values in strengths]


@given(two_rankings())
def test_shares_are_direct_counts_and_tau_is_scipys(ranks):
    """Alike, opposite and tied in one are counted pair by pair and sum to one."""
    first, second = ranks
    found = bt.agreement([ranking(first), ranking(second)], names=["one", "two"]).comparisons[0]
    signs = [
        (np.sign(first[i] - first[j]), np.sign(second[i] - second[j]))
        for i, j in combinations(range(len(first)), 2)
    ]
    n = len(signs)

    assert found.alike == pytest.approx(sum(a == b for a, b in signs) / n)
    assert found.flipped == pytest.approx(sum(a * b < 0 for a, b in signs) / n)
    assert found.alike + found.flipped + found.tied == pytest.approx(1)
    assert len(found.flipped_pairs) == sum(a * b < 0 for a, b in signs)
    assert found.tau_b == pytest.approx(stats.kendalltau(first, second).statistic, nan_ok=True)


@given(two_rankings())
def test_the_top_is_a_set_with_its_ties(ranks):
    """A system is in the top k when fewer than k are better, in whatever order the systems stand."""
    first, second = ranks
    found = bt.agreement({"one": ranking(first), "two": ranking(second)}, top=2)
    names = "ABCDEFGH"
    expected = [{names[i] for i, r in enumerate(values) if r <= 2} for values in ranks]

    assert [set(systems) for systems in found.tops] == expected
    assert found.comparisons[0].same_top == (expected[0] == expected[1])
    assert found.comparisons[0].same_best == (
        {i for i, r in enumerate(first) if r == 1} == {i for i, r in enumerate(second) if r == 1}
    )


@given(two_rankings())
def test_swapping_the_rankings_mirrors_the_pairs(ranks):
    """Shares stay, flipped pairs turn round."""
    one, two = (ranking(r) for r in ranks)
    there = bt.agreement({"one": one, "two": two}).comparisons[0]
    back = bt.agreement({"two": two, "one": one}).comparisons[0]

    assert (there.alike, there.flipped, there.tied) == (back.alike, back.flipped, back.tied)
    assert {pair[::-1] for pair in there.flipped_pairs} == set(back.flipped_pairs)


@given(two_rankings())
def test_the_result_survives_json(ranks):
    """To JSON and back is the same agreement."""
    found = bt.agreement({"one": ranking(ranks[0]), "two": ranking(ranks[1])})

    assert bt.Result.from_dict(found.to_dict()) == found


def test_direction_is_taken_from_the_rank():
    """A metric where lower is better agrees with one where higher is better."""
    scores = bt.Scores(name="acc", systems=["A", "B"], segments=["1", "2"], values=[[1, 2], [3, 4]])
    errors = bt.Scores(
        name="errors",
        systems=["A", "B"],
        segments=["1", "2"],
        values=[[3, 4], [1, 2]],
        higher_is_better=False,
    )
    found = bt.agreement([bt.rank(scores), bt.rank(errors)])

    assert found.comparisons[0].alike == 1
    assert found.rankings == ("mean of acc", "mean of errors")


def test_words_name_the_best_the_top_and_the_flipped():
    """One sentence each, with the systems concerned."""
    found = bt.agreement({"mean": ranking([1, 2, 3, 4]), "wins": ranking([2, 1, 4, 3])}, top=3)

    assert found.sentences == (
        "The best system differs: by mean, A; by wins, B.",
        "The top 3 differ: by mean, A, B and C; by wins, B, A and D.",
        "The two that differ most are mean and wins: they order 2 of 6 pairs in opposite ways (A and B, C and D).",
        "To see why: betterthan explain FILE A B.",
    )
    alike = bt.agreement({"mean": ranking([1, 2]), "wins": ranking([1, 2])})
    assert alike.sentences == ("All 2 rankings order the one pair of systems in the same way.",)
    tied = bt.agreement({"mean": ranking([1, 2]), "wins": ranking([1, 1])})
    assert "tied in one ranking" in tied.sentences[-1]


def test_the_top_is_listed_best_first():
    """Not by name, nor as the first ranking has it."""
    found = bt.agreement({"mean": ranking([3, 1, 2, 4]), "wins": ranking([2, 3, 1, 4])}, top=3)

    assert found.tops == (("B", "C", "A"), ("C", "A", "B"))
    assert "The top 3 are the same in all rankings: B, C and A." in found.sentences


ALWAYS = [[3.0, 5, 4, 9, 8, 7], [2.0, 4, 3, 1, 9, 2], [1.0, 3, 2, 5, 1, 3]]


def test_a_system_that_never_loses_is_ranked_with_a_prior_and_a_note():
    """Bradley–Terry alone has no strengths there; the others are as they were."""
    table = bt.Scores(
        name="x", systems=["A", "B", "C"], segments=list("123456"), values=[[9.0] * 6, *ALWAYS[1:]]
    )
    rankings = rank_each(table, ("mean", "bradley_terry"), n_resamples=20)
    found = bt.agreement(rankings)

    assert rankings["bradley_terry"].systems[0] == "A"
    assert "|prior:0.5|" in rankings["bradley_terry"].settings.signature
    assert [note for note in found.notes if "prior 0.5" in note and "A won all or none" in note]
    assert rankings["mean"].notes == bt.rank(table, n_resamples=20).notes


def test_a_prior_is_used_only_where_it_is_needed_or_given():
    """None without need; what is given is taken; 0 refuses as rank does."""
    table = bt.Scores(name="x", systems=["A", "B", "C"], segments=list("123456"), values=ALWAYS)
    never = bt.Scores(
        name="x", systems=["A", "B", "C"], segments=list("123456"), values=[[9.0] * 6, *ALWAYS[1:]]
    )

    plain = rank_each(table, ("bradley_terry",), n_resamples=20)["bradley_terry"]
    assert "prior" not in plain.settings.signature
    given = rank_each(never, ("bradley_terry",), prior=2.0, n_resamples=20)["bradley_terry"]
    assert "|prior:2|" in given.settings.signature
    with pytest.raises(bt.NotEstimable, match="do not exist"):
        rank_each(never, ("bradley_terry",), prior=0.0)


def test_names_default_to_method_then_metric_then_number():
    """Names are as short as they can be and differ."""
    one, two = ranking([1, 2]), ranking([1, 2], method="bradley_terry")

    assert bt.agreement([one, two]).rankings == ("mean", "bradley terry")
    assert bt.agreement([one, one]).rankings == ("1 mean of points", "2 mean of points")


def test_notes_of_the_rankings_are_kept_once():
    """What was dropped stays said."""
    found = bt.agreement(
        [ranking([1, 2], notes=["3 rows dropped."]), ranking([2, 1], notes=["3 rows dropped."])]
    )

    assert found.notes == ("3 rows dropped.",)


def test_what_is_refused():
    """One ranking, other systems, names that do not fit, a top of nothing."""
    one, other = ranking([1, 2, 3]), ranking([1, 2], systems=["A", "Z"])
    with pytest.raises(bt.BetterThanError, match="two rankings or more"):
        bt.agreement([one])
    with pytest.raises(bt.TableError, match=r"only in 1 mean of points: B, C; only in 2 mean of points: Z"):
        bt.agreement([one, other])
    with pytest.raises(bt.BetterThanError, match="1 names for 2 rankings"):
        bt.agreement([one, one], names=["x"])
    with pytest.raises(bt.BetterThanError, match="must differ"):
        bt.agreement([one, one], names=["x", "x"])
    with pytest.raises(bt.BetterThanError, match="already have names"):
        bt.agreement({"x": one, "y": one}, names=["x", "y"])
    with pytest.raises(bt.BetterThanError, match="top must be 1 or more"):
        bt.agreement([one, one], top=0)
