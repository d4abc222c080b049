"""Ranking by judgments with gaps, and what margins keep."""

import json

import numpy as np
import pytest
from scipy import stats

import betterthan as bt

NAN = float("nan")


def scores_of(values, **more):
    """Scores of systems A, B, C …"""
    return bt.Scores(
        name="DA",
        systems=[chr(65 + i) for i in range(len(values))],
        segments=[str(j) for j in range(len(values[0]))],
        values=values,
        **more,
    )


def ratings_of(seed=3, *, m=3, n=40, higher_is_better=True):
    """Two judges an output, one of them severe; C is best, gaps at random."""
    rng = np.random.default_rng(seed)
    truth = 50 + 10 * rng.normal(size=n) + 6 * np.arange(m)[:, None]
    system, segment, judge = (index.ravel() for index in np.indices((m, n, 3)))
    keep = rng.random(system.size) < 0.6
    system, segment, judge = system[keep], segment[keep], judge[keep]
    score = truth[system, segment] - 20 * (judge == 2) + 4 * rng.normal(size=system.size)
    return bt.Ratings(
        name="quality",
        systems=[chr(65 + i) for i in range(m)],
        segments=[str(j) for j in range(n)],
        judges=["x", "y", "z"],
        system=system,
        segment=segment,
        judge=judge,
        score=score if higher_is_better else -score,
        higher_is_better=higher_is_better,
        groups=[str(j // 5) for j in range(n)],
    )


def test_without_gaps_the_strengths_are_those_of_rank():
    """And the interval is that of the t distribution, as SciPy has it."""
    values = np.random.default_rng(1).normal(size=(3, 30)) + np.arange(3)[:, None]
    found = bt.rank_ratings(scores_of(values))
    plain = bt.rank(scores_of(values))
    assert found.systems == plain.systems == ("C", "B", "A")
    np.testing.assert_allclose(found.strength, plain.strength)
    low, high = stats.t.interval(0.95, 29, values[2].mean(), stats.sem(values[2]))
    assert (found.low[0], found.high[0]) == (pytest.approx(low), pytest.approx(high))
    assert found.notes == ("Every system was judged on every segment.",)


def test_two_complete_systems_are_tested_as_by_the_paired_t_test():
    """The robust error of a difference is that of SciPy's test; letters follow."""
    rng = np.random.default_rng(4)
    for shift in (0.05, 0.5):
        values = rng.normal(size=(2, 25)) + np.array([[0], [shift]]) + rng.normal(size=25)
        pvalue = stats.ttest_rel(*values).pvalue
        found = bt.rank_ratings(scores_of(values))
        assert (found.letters[0] != found.letters[1]) == (pvalue < 0.05)


def test_ratings_are_standardised_and_gaps_adjusted_for():
    """The severe judge does not count against those it judged; all judgments are used."""
    ratings = ratings_of()
    found = bt.rank_ratings(ratings)
    assert found.systems == ("C", "B", "A")
    assert found.unit == "quality, standardized, higher is better"
    assert found.settings.method == "adjusted_mean"
    assert "outputs were not judged; means are adjusted" in found.notes[-1]
    assert (found.low < found.strength).all()
    assert (found.strength < found.high).all()
    by_document = bt.rank_ratings(ratings, units="groups")
    np.testing.assert_allclose(by_document.strength, found.strength)
    assert by_document.settings.options["units"] == "groups"


def test_the_direction_is_kept():
    """Where lower is better the best is lowest, and everything mirrors."""
    up, down = bt.rank_ratings(ratings_of()), bt.rank_ratings(ratings_of(higher_is_better=False))
    assert up.systems == down.systems
    np.testing.assert_allclose(down.strength, -up.strength)
    np.testing.assert_allclose(down.low, -up.high)
    assert down.letters == up.letters


def test_plain_means_on_request_and_where_nothing_is_shared():
    """With a note that says which."""
    values = [[90, 30, 40, 50], [NAN, 40, 55, 62]]
    plain = bt.rank_ratings(scores_of(values), adjust=False)
    assert dict(zip(plain.systems, plain.strength, strict=True))["B"] == pytest.approx(157 / 3)
    assert plain.notes[-1].startswith("1 of 8 outputs were not judged; each mean is over the judged segments")
    islands = bt.rank_ratings(scores_of([[1, 2, NAN, NAN], [NAN, NAN, 5, 7]]))
    assert islands.strength.tolist() == [6, 1.5]
    assert "Some systems share no segment with the others" in islands.notes[-1]


def test_what_cannot_be_ranked_is_refused():
    """A system without judgments, or alone."""
    with pytest.raises(
        bt.NotEstimable, match=r"There are no judgments of B\. Leave out systems without judgments"
    ) as raised:
        bt.rank_ratings(scores_of([[1, 2], [NAN, NAN]]))
    assert raised.value.systems == ("B",)
    with pytest.raises(bt.TableError, match="There is only one system, A"):
        bt.rank_ratings(scores_of([[1, 2]]))
    with pytest.raises(bt.BetterThanError, match="confidence must lie between 0 and 1"):
        bt.rank_ratings(scores_of([[1, 2], [2, 3]]), confidence=2)


def test_the_curve_of_margins_is_that_of_the_ratings():
    """Numbers, JSON and table."""
    ratings = ratings_of()
    found = bt.kept_pairs(ratings, [0, 5, 10])
    np.testing.assert_array_equal(found.share, ratings.kept_by_margin([0, 5, 10]))
    assert found.n_pairs == ratings.to_matches(margin=0, keep_ties=True).n_matches
    assert found.columns()["kept"][1] == ratings.to_matches(margin=5).n_matches
    assert bt.Result.from_dict(json.loads(found.to_json())) == found
    assert str(found).startswith("Pairs of quality that a margin keeps, of ")
    scores = ratings.to_scores()
    np.testing.assert_array_equal(bt.kept_pairs(scores, [0, 5, 10]).share, found.share)


def test_margins_of_nothing_are_missing():
    """No two systems on a segment: no share."""
    found = bt.kept_pairs(scores_of([[1, NAN], [NAN, 2]]), [1])
    assert found.n_pairs == 0
    assert np.isnan(found.share[0])
    assert "–" in str(found)
    assert found.columns()["kept"] == [0]
    assert repr(found) == "KeptPairs(1 margins, 0 pairs)"


def test_documents_are_the_unit_where_they_are_known():
    """As in rank and on the command line; also where a single document connects two systems."""
    rng = np.random.default_rng(8)
    values = rng.normal(60, 10, (3, 24)) + np.repeat(rng.normal(0, 5, (3, 6)), 4, axis=1)
    groups = [f"d{i // 4}" for i in range(24)]
    scores = bt.Scores(
        name="DA", systems=list("ABC"), segments=map(str, range(24)), values=values, groups=groups
    )
    auto, named = bt.rank_ratings(scores), bt.rank_ratings(scores, units="groups")
    assert auto.settings.options["units"] == "groups"
    assert auto.unit_note.startswith("Unit: 6 documents (24 segments)")
    np.testing.assert_array_equal([auto.low, auto.high], [named.low, named.high])
    thin = values.copy()
    thin[0, 4:] = thin[1, :3] = np.nan
    told = bt.rank_ratings(bt.Scores(name="DA", systems=list("AB"), segments=map(str, range(24)),
                                     values=thin[:2], groups=groups))  # fmt: skip
    assert any(note.startswith("One document alone connects") for note in told.notes)
