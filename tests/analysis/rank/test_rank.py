"""Ranking scores: what is refused, what is said, and what happens at the edges."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.made import by_system, drawn_scores, same_after_json, scores_of

import betterthan as bt
from betterthan.analysis.rank.agreement import rank_each

METHODS = ("mean", "median", "win_rate", "bradley_terry", "elo", "trueskill")
each_method = pytest.mark.parametrize("by", METHODS)
FAST = {"n_resamples": 20, "n_orders": 5}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "bradley_tery"}, 'Unknown method "bradley_tery". Did you mean "bradley_terry"'),
        ({"ties": "hlf"}, 'Unknown ties "hlf". Did you mean "half"'),
        ({"scale": "logs"}, 'Unknown scale "logs". Did you mean "log"'),
        ({"by": "elo", "order": "segment"}, 'Unknown order "segment". Did you mean "segments"'),
        ({"missing": "dorp"}, 'Unknown missing "dorp". Did you mean "drop"'),
        ({"units": "group"}, 'Unknown units "group". Did you mean "groups"'),
        ({"interval": "percentil"}, 'Unknown interval "percentil". Did you mean "percentile"'),
    ],
)
def test_a_slip_in_a_name_gets_a_suggestion(options, message):
    """Every option that takes a name, also where the chosen mechanism would not read it."""
    with pytest.raises(bt.UnknownName, match=message):
        bt.rank(drawn_scores(), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 95}, "confidence must lie between 0 and 1, such as 0.95; it is 95"),
        ({"confidence": 0}, "confidence must lie between 0 and 1"),
        ({"n_resamples": 0}, "n_resamples must be 1 or more; it is 0"),
        ({"n_orders": 0}, "n_orders must be 1 or more"),
        ({"prior": -1}, "prior must be 0 or more, and 1e\\+09 at most, such as 0.5; it is -1"),
        ({"prior": float("nan")}, "prior must be 0 or more"),
        ({"rng": -1}, "rng must be a non-negative integer"),
        ({"by": "bradley_terry", "ties": "davidson", "prior": 1}, "cannot be combined with prior=1"),
        ({"by": "pooled"}, 'by="pooled" is for counts'),
        ({"interval": "robust"}, 'interval="robust" is for matches'),
        ({"by": "elo", "interval": "bca"}, 'interval="bca" is not available for elo'),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    """Each with what is wrong and what to do."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.rank(drawn_scores(), **{**FAST, **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"scale": "elo"},
            'scale="elo" has no effect with by="mean". Leave it out, or use by="bradley_terry".',
        ),
        ({"by": "median", "ties": "half"}, 'ties="half" has no effect with by="median"'),
        ({"by": "win_rate", "prior": 0.5}, 'prior=0.5 has no effect with by="win_rate"'),
        ({"by": "bradley_terry", "order": "listed"}, 'order="listed" has no effect'),
        ({"by": "elo", "scale": "log"}, 'scale="log" has no effect with by="elo"'),
        ({"by": np.median, "ties": "half"}, 'has no effect with by="median"'),
        ({"size": 50}, 'size=50 has no effect with by="mean". Leave it out, or use by="bootstrap_mean"'),
    ],
)
def test_what_would_change_nothing_is_refused(options, message):
    """An option that is given and has no effect is an error, and what it is of is said."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.rank(drawn_scores(), **options)


def test_several_methods_share_options_that_matter_to_one_of_them():
    """Ties are of Bradley–Terry, and the mean beside it does not mind; what matters to none is refused."""
    table = drawn_scores(3, 30, gap=0.2)
    found = rank_each(table, ("mean", "bradley_terry"), ties="half")
    assert found["bradley_terry"] == bt.rank(table, by="bradley_terry", ties="half")
    assert found["mean"] == bt.rank(table)
    with pytest.raises(bt.BetterThanError, match='order="listed" has no effect'):
        rank_each(table, ("mean", "bradley_terry"), order="listed")


def test_one_system_is_no_ranking():
    """Its name is said, and where the mistake probably is."""
    with pytest.raises(bt.TableError, match=r"only one system, A;.*name the column"):
        bt.rank(scores_of([[1, 2, 3]]))


def test_documents_must_be_there_to_be_drawn():
    """Groups are asked for and the table has none, or only one."""
    with pytest.raises(bt.TableError, match='"score" has no groups'):
        bt.rank(drawn_scores(), units="groups")
    with pytest.raises(bt.TableError, match="in one group"):
        bt.rank(drawn_scores(2, 3, groups=["x"] * 3), units="groups")


def test_missing_scores_stop_or_are_left_out():
    """By default the place is named; with "drop" a note says how many segments went."""
    values = drawn_scores(3, 12).values.copy()
    values[1, 4] = np.nan
    scores = scores_of(values)
    with pytest.raises(bt.MissingScores, match=r"1 of 36 scores is missing \(B: segments 5\)"):
        bt.rank(scores)
    found = bt.rank(scores, missing="drop", **FAST)

    assert any(note.startswith("1 of 12 segments left out") for note in found.notes)
    assert by_system(found) == pytest.approx(
        by_system(bt.rank(scores_of(np.delete(values, 4, axis=1)), **FAST))
    )


def test_a_system_without_any_score_cannot_be_ranked():
    """No segment is complete then, and the message says whose gaps they are."""
    values = drawn_scores(3, 5).values.copy()
    values[2] = np.nan
    with pytest.raises(bt.MissingScores, match=r"No segment.*C: segments"):
        bt.rank(scores_of(values), missing="drop")


def test_a_function_of_the_caller_ranks():
    """It takes goodness and gives one number a system; the bootstrap and its test come for free."""
    scores = drawn_scores(3, 40, gap=1.5)
    found = bt.rank(scores, by=lambda goodness: np.quantile(goodness, 0.9, axis=1), n_resamples=500)

    assert by_system(found) == pytest.approx(
        dict(zip("ABC", np.quantile(scores.values, 0.9, axis=1), strict=True))
    )
    assert found.test == "strengths"
    assert found.systems == ("C", "B", "A")
    assert found.unit == "score, higher is better; strength by a user-defined function, higher is better"
    assert np.all(found.low < found.strength)
    assert np.all(found.strength < found.high)


def test_a_function_of_the_caller_sees_goodness_also_of_an_error_rate():
    """What it returns is better when higher, and is shown as it is."""
    errors = scores_of(-drawn_scores(2, 20, gap=2).values, higher_is_better=False)
    found = bt.rank(errors, by=lambda goodness: goodness.max(axis=1), **FAST)

    assert found.systems == ("B", "A")
    assert by_system(found) == pytest.approx(dict(zip("AB", -errors.values.min(axis=1), strict=True)))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda goodness: goodness, r"gave an array of shape \(3, 12\) for 3 systems"),
        (lambda _: 3.0, r"gave an array of shape \(\) for 3 systems"),
        (lambda _: [1.0, float("nan"), 2.0], "gave nan for B"),
        (lambda _: [1.0, 2.0, float("inf")], "gave inf for C"),
    ],
)
def test_a_function_must_give_one_number_a_system(function, message):
    """The shape, or the system concerned, is named."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.rank(drawn_scores(3, 12), by=function)


def test_what_a_function_raises_is_its_callers_business():
    """The error arrives as it was raised."""

    def broken(_goodness):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        bt.rank(drawn_scores(), by=broken)


@each_method
@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_segments_are_few_but_not_an_error(by, n):
    """Nothing is told apart; a note says how little there is."""
    scores = scores_of([[1.0, 4.0][:n], [2.0, 3.0][:n]])
    found = bt.rank(scores, by=by, **FAST)

    assert set(found.letters) == {"a"}
    assert any(note.startswith(f"Only {n} segment") for note in found.notes)
    assert same_after_json(found)


@each_method
def test_systems_that_are_all_alike_share_the_first_rank(by):
    """All ties: no winner, no error but for Bradley–Terry, whose ties can be counted half."""
    scores = scores_of(np.ones((3, 6)))
    if by == "bradley_terry":
        with pytest.raises(bt.NotEstimable, match="A; B; C") as refused:
            bt.rank(scores, by=by)
        assert 'ties="half"' in str(refused.value)
        assert bt.rank(scores, by=by, ties="half", **FAST).rank.tolist() == [1, 1, 1]
        return
    found = bt.rank(scores, by=by, order="shuffled", n_resamples=20, n_orders=5)

    assert found.systems == ("A", "B", "C")
    if by in ("mean", "median", "win_rate"):
        assert found.rank.tolist() == [1, 1, 1]
        assert not (found.low == found.high).any()  # six segments make nothing certain
    assert set(found.letters) == {"a"}


@each_method
@pytest.mark.parametrize("scale", [1e-100, 1e100], ids=["tiny", "huge"])
def test_scores_of_any_size_can_be_ranked(by, scale):
    """No overflow and no rounding to zero, and the same order."""
    scores = drawn_scores(3, 20, gap=1)
    one, other = bt.rank(scores, by=by, **FAST), bt.rank(scores_of(scores.values * scale), by=by, **FAST)

    assert one.systems == other.systems
    assert one.letters == other.letters


@pytest.mark.parametrize("scale", [1e-300, 1e-162, 1e154, 1e300])
def test_extreme_scores_have_the_intervals_of_ordinary_ones(scale):
    """Squares of the scores would vanish or overflow."""
    values = np.rint(100 * drawn_scores(3, 20, gap=1).values)
    one, other = bt.rank(scores_of(values)), bt.rank(scores_of(values * scale))

    np.testing.assert_allclose(other.low / scale, one.low, rtol=1e-9)
    np.testing.assert_allclose(other.high / scale, one.high, rtol=1e-9)
    np.testing.assert_array_equal(other.segments_needed, one.segments_needed)


@pytest.mark.parametrize("level", [1e12, -1e12, 1e14])
def test_a_high_level_ties_no_means(level):
    """The spread is a trillionth of the level and less; ranks agree with verdicts all the same."""
    values = np.rint(20 * drawn_scores(3, 40, gap=1).values)
    one, other = bt.rank(scores_of(values)), bt.rank(scores_of(values + level))

    assert other.systems == one.systems
    assert other.rank.tolist() == one.rank.tolist() == [1, 2, 3]
    assert other.cluster.tolist() == one.cluster.tolist()
    assert ((other.rank_low <= other.rank) & (other.rank <= other.rank_high)).all()


@each_method
def test_two_resamples_and_one_order_are_enough_to_run(by):
    """Little is known then, which is the caller's wish."""
    found = bt.rank(drawn_scores(3, 30), by=by, n_resamples=2, n_orders=1)

    assert same_after_json(found)


@pytest.mark.parametrize("by", ["mean", "median", "win_rate", "bradley_terry"])
def test_a_lower_confidence_gives_narrower_intervals_and_bolder_ranks(by):
    """0.5 lies inside 0.95, and its tests have level 0.5."""
    scores = drawn_scores(4, 40)
    wide, narrow = (bt.rank(scores, by=by, confidence=level, n_resamples=200) for level in (0.95, 0.5))

    assert np.all(narrow.low >= wide.low)
    assert np.all(narrow.high <= wide.high)
    assert np.all(narrow.rank_low >= wide.rank_low)
    assert "test:" in narrow.settings.signature
    assert "0.5|" in narrow.settings.signature


@each_method
@pytest.mark.slow
def test_sixty_systems_are_ranked(by):
    """1770 pairs: the mean's tests become analytic, and everything stays quick."""
    found = bt.rank(drawn_scores(60, 25, gap=0.05), by=by, **FAST)

    assert len(found.systems) == 60
    assert found.rank_high.max() == 60


def test_one_segment_supports_no_claim_by_a_function_of_the_caller():
    """Its bootstrap never varies, which is not certainty."""
    found = bt.rank(scores_of([[1.0], [2.0]]), by=lambda goodness: goodness.mean(axis=1), n_resamples=500)

    assert found.letters == ("a", "a")


def test_bca_needs_more_than_one_segment():
    """Leaving out the only one leaves nothing."""
    with pytest.raises(bt.BetterThanError, match="there is only one"):
        bt.rank(scores_of([[1.0], [2.0]]), interval="bca", **FAST)


def test_a_davidson_model_without_a_fit_is_refused():
    """Only ties: nothing says how likely a win is."""
    with pytest.raises(bt.NotEstimable, match="Davidson model of ties has no solution for these scores"):
        bt.rank(scores_of(np.ones((2, 4))), by="bradley_terry", ties="davidson")


def test_equal_strengths_keep_the_order_of_the_table_whatever_rounding_says():
    """0.1 + 0.2 + 0.3 depends on the order of addition; the ranking does not."""
    scores = scores_of({"A": [0.3, 0.2, 0.1], "B": [0.1, 0.2, 0.3], "C": [0.2, 0.3, 0.1]})
    found = bt.rank(scores, **FAST)

    assert found.systems == ("A", "B", "C")
    assert found.rank.tolist() == [1, 1, 1]


def test_ties_are_counted_and_what_became_of_them_is_said():
    """Default for scores: left out, with the share."""
    scores = scores_of(np.round(drawn_scores(3, 30).values))
    notes = bt.rank(scores, by="bradley_terry", **FAST).notes

    assert any("comparisons are ties" in note and "left out" in note for note in notes)


def test_a_cache_changes_no_byte(tmp_path):
    """Every mechanism with one cache for all, cold and warm, gives what it gives without."""
    scores = drawn_scores(3, 24, groups=list("abcdefgh" * 3))
    cache = bt.Cache(tmp_path, patience=0)
    wishes = [{"by": by, "units": units} for by in METHODS for units in ("segments", "groups")]
    wishes += [
        {"by": "bradley_terry", **more} for more in ({"prior": 1.0}, {"scale": "log"}, {"ties": "half"})
    ]
    wishes += [{"by": "elo", **more} for more in ({"order": "segments"}, {"n_orders": 9}, {"rng": 3})]
    for _ in range(2):
        for wish in wishes:
            kept = bt.rank(scores, **{**FAST, **wish}, cache=cache)
            assert kept.to_json() == bt.rank(scores, **{**FAST, **wish}).to_json()
    assert list(tmp_path.rglob("*.checkpoint"))


def test_how_many_segments_two_neighbours_would_need():
    """With the formula written out; neither for documents nor for other mechanisms nor for a handful of segments.

    The third system is far behind: its pairs are shown first, and Holm then tests the lead at the level 0.05.
    """
    values = np.random.default_rng(5).normal(10.0, 1, (3, 200)) - [[0], [0.02], [5]]
    scores = scores_of(values, groups=[str(i // 10) for i in range(200)])
    found = bt.rank(scores, by="mean", units="segments")
    a, b = found.systems[:2]
    gap = values[scores.systems.index(a)] - values[scores.systems.index(b)]
    needed = ((1.959964 + 0.841621) * gap.std(ddof=1) / gap.mean()) ** 2
    assert found.segments_needed[0] == pytest.approx(np.ceil(needed), abs=2)

    assert np.isnan(found.segments_needed[-1])
    assert bt.rank(scores, by="mean").segments_needed is None  # by documents
    assert bt.rank(scores, by="median").segments_needed is None
    assert bt.rank(scores_of(values[:, :9]), by="mean").segments_needed is None
    same_after_json(found)


def test_what_it_would_take_is_said_of_the_first_two_that_are_alike():
    """And not when all differ significantly."""
    values = np.random.default_rng(5).normal(10.0, 1, (3, 200)) - [[0], [0.02], [5]]
    found = bt.rank(scores_of(values), by="mean")
    a, b = found.systems[:2]
    words = " ".join(str(found).split())
    assert re.search(
        rf"To show a difference like that of {a} and {b} with 80% power would take about [\d,]+ segments",
        words,
    )
    assert "would take about" not in str(bt.rank(scores_of(values[1:]), by="mean"))


def test_segments_that_all_say_the_same_do_not_make_a_share_certain():
    """Agresti and Coull's interval for twenty right of twenty; golden limit from statsmodels."""
    low = 0.8101904394575112
    right = scores_of([np.ones(20), np.arange(20) % 4 > 0], name="accuracy")
    found = bt.rank(right)
    assert (found.low[0], found.high[0]) == pytest.approx((low, 1))
    assert "|ci:95,agresti-coull|" in found.settings.signature
    drawn = bt.rank(right, interval="percentile")
    assert (drawn.low[0], drawn.high[0]) == pytest.approx((low, 1))
    assert any("the interval is that of a proportion" in note for note in drawn.notes)

    wrong = bt.Scores(
        name="errors",
        systems=right.systems,
        segments=right.segments,
        values=1 - right.values,
        higher_is_better=False,
    )
    turned = bt.rank(wrong)
    assert (turned.low[0], turned.high[0]) == pytest.approx((0, 1 - low))

    always = bt.rank(scores_of([np.arange(20) + 1.0, np.arange(20)]), by="win_rate")
    assert (always.low[0], always.high[0]) == pytest.approx((low, 1))


@pytest.mark.parametrize("wish", [{"by": "mean"}, {"by": "median"}, {"by": "bradley_terry", "prior": 0.5}])
def test_where_resampling_says_nothing_there_is_no_interval(wish):
    """One segment, or the same score everywhere: not a number, and a note."""
    alike = bt.rank(scores_of([np.full(20, 0.3), np.full(20, 0.1)]), **wish)
    alone = bt.rank(scores_of([[0.3], [0.1]]), **wish)
    for found in (alike, alone):
        assert np.isnan([found.low, found.high]).all()
        assert any("no confidence interval" in note for note in found.notes)
        assert "–" in str(found)
