"""bt.watch: verdicts, directions, units, margins, many pairs, and what is refused."""

import math

import numpy as np
import pytest

import betterthan as bt
from betterthan.kernels.sequential.betting import bets_for, evidence


def battles(outcomes, **more):
    """Battles of A and B."""
    n = len(outcomes)
    return bt.Matches(systems=["A", "B"], left=[0] * n, right=[1] * n, outcome=outcomes, **more)


def scores(values, **more):
    """A table of these rows."""
    values = np.asarray(values, dtype=float)
    names = [f"s{i}" for i in range(len(values))]
    return bt.Scores(
        name="m", systems=names, segments=list(map(str, range(values.shape[1]))), values=values, **more
    )


def test_battles_are_bets_on_points():
    """Wins, losses and ties less one half, whatever side a system was on."""
    outcome = [1, 1, 0.5, 0, 1, 1, 1, 0.5, 1, 1]
    found = bt.watch(battles(outcome))
    values = np.array(outcome) - 0.5
    expected = evidence(values, np.ones(10), bets_for(bounded=True), bound=0.5)
    assert found[0].log_e == expected.log_both[-1]
    swapped = bt.Matches(systems=["A", "B"], left=[1] * 10, right=[0] * 10, outcome=[1 - x for x in outcome])
    assert bt.watch(swapped)[0].log_e == found[0].log_e
    assert found[0].difference == pytest.approx(values.mean())


def test_a_verdict_remains():
    """Ten wins decide; twenty losses later the evidence is gone, and the verdict is not."""
    first = bt.watch(battles([1.0] * 12))[0]
    assert (first.verdict, first.decided_at < 12, first.more) == ("A", True, 0)
    later = bt.watch(battles([1.0] * 12 + [0.0] * 8))[0]
    assert (later.verdict, later.decided_at) == ("A", first.decided_at)
    assert later.log_e < math.log(20)


def test_a_lower_score_can_be_better():
    """The direction of the metric is respected."""
    values = np.random.default_rng(0).normal(size=(2, 200)) + np.array([[0.0], [1.0]])
    assert bt.watch(scores(values))[0].verdict == "s1"
    assert bt.watch(scores(values, higher_is_better=False))[0].verdict == "s0"


def test_right_and_wrong_have_bounds():
    """Also without naming them; other scores have those that are named."""
    values = (np.random.default_rng(1).random((2, 60)) < 0.7).astype(float)
    assert bt.watch(scores(values)).null == "mean"
    assert bt.watch(scores(values + 0.5)).null == "symmetric"
    assert bt.watch(scores(values + 0.5), bounds=(0, 2)).null == "mean"


def test_documents_are_the_units():
    """Sums over documents in the order in which they end; twice the same segment is no more evidence."""
    rng = np.random.default_rng(2)
    gaps = rng.normal(size=40) + 0.3
    once = scores([gaps, np.zeros(40)])
    twice = scores([np.repeat(gaps, 2), np.zeros(80)], groups=[str(i // 2) for i in range(80)])
    one, two = bt.watch(once), bt.watch(twice)
    assert (two.unit, two.n_units) == ("documents", 40)
    assert two[0].log_e == pytest.approx(one[0].log_e)
    assert two[0].difference == pytest.approx(one[0].difference)
    assert bt.watch(twice, units="segments")[0].n == 80


def test_battles_of_a_judge_are_one_unit():
    """Complete with the judge's last battle; without judges each counts by itself."""
    found = bt.watch(battles([1, 0, 1, 1, 0.5, 1], group=[0, 0, 1, 1, 2, 2]))
    assert (found.unit, found[0].n) == ("judges", 3)
    expected = evidence(np.array([0.0, 1.0, 0.5]), np.full(3, 2.0), bets_for(bounded=True), bound=0.5)
    assert found[0].log_e == pytest.approx(expected.log_both[-1])


def test_a_margin_asks_whether_the_candidate_is_worse():
    """The second system is the candidate."""
    rng = np.random.default_rng(3)
    old = (rng.random(400) < 0.8).astype(float)
    same = np.where(rng.random(400) < 0.02, 1 - old, old)
    found = bt.watch({"old": old, "new": same}, margin=0.05)
    assert (found[0].a, found[0].b, found[0].verdict) == ("new", "old", "not worse")
    worse = np.where(rng.random(400) < 0.2, 0.0, old)
    assert bt.watch({"old": old, "new": worse}, margin=0.05)[0].verdict == "worse"


def test_a_plan_makes_evidence_grow_faster():
    """With the horizon of the plan, or with the difference that it was made for."""
    rng = np.random.default_rng(4)
    stops = {"": [], "horizon": [], "expected": []}
    for _ in range(40):
        table = scores([rng.normal(size=900) + 0.2, np.zeros(900)])
        for name, given in (("", {}), ("horizon", {"horizon": 200}), ("expected", {"expected": 0.2})):
            at = bt.watch(table, **given)[0].decided_at
            stops[name].append(at or 900)
    usual, horizon, expected = (np.median(stops[name]) for name in ("", "horizon", "expected"))
    assert horizon < usual
    assert expected < usual
    needed = bt.plan(sd=1.0, difference=0.2)[0].needed
    assert horizon < 1.25 * needed


def test_many_pairs_share_the_error():
    """Equal systems: no verdicts; and what is decided is decided after adjustment."""
    rng = np.random.default_rng(5)
    table = scores(rng.normal(size=(6, 300)) + 0.4 * np.arange(6)[:, None])
    found = bt.watch(table)
    assert len(found) == 15
    decided = np.array([bool(each) for each in found.verdict])
    assert (found.adjusted_log_e <= found.log_e + 1e-9).all()
    assert (decided | (found.adjusted_log_e < math.log(20))).all()


def test_false_stops_at_any_look():
    """At most 5%, with Monte Carlo error, for skewed differences, looking after each of 500 items."""
    rng = np.random.default_rng(6)
    false = sum(
        bool(bt.watch(scores([rng.exponential(size=500), np.ones(500)]))[0].verdict) for _ in range(200)
    )
    assert false <= 0.05 * 200 + 3 * math.sqrt(200 * 0.05 * 0.95)


def test_a_file_of_battles_keeps_its_order(tmp_path):
    """Files are usually counted, which would lose it."""
    path = tmp_path / "votes.csv"
    rows = ["left,right,winner", *["A,B,left"] * 12, *["A,B,right"] * 8]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert bt.watch(path)[0].verdict == "A"
    assert bt.watch(bt.read_matches(path, in_order=True))[0].verdict == "A"
    with pytest.raises(bt.TableError, match="lost"):
        bt.watch(bt.read_matches(path))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"alpha": 0.0}, "alpha"),
        ({"alternative": "up"}, "alternative"),
        ({"horizon": 0}, "horizon=0 must be"),
        ({"expected": -1.0}, "above 0"),
        ({"margin": 0.1, "alternative": "less"}, "contradicts"),
        ({"bounds": (1.0, 0.0)}, "lowest and the highest"),
        ({"bounds": (0.0, 0.5)}, "does not hold: s0"),
        ({"systems": ["s0"]}, "two or more"),
        ({"systems": ["s0", "sx"]}, "sx"),
    ],
)
def test_what_contradicts_itself_is_refused(given, words):
    """With the names of the options."""
    with pytest.raises(bt.BetterThanError, match=words):
        bt.watch(scores([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]), **given)


def test_options_without_effect_on_battles_are_refused():
    """Bounds are known, and there are no documents."""
    for given in ({"bounds": (0.0, 1.0)}, {"units": "groups"}, {"missing": "drop"}):
        with pytest.raises(bt.BetterThanError, match="no effect on battles"):
            bt.watch(battles([1, 0]), **given)


def test_results_can_be_saved():
    """And the limits of nothing are the bounds."""
    found = bt.watch(battles([1, 0, 1]))
    assert bt.Result.from_json(found.to_json()) == found
    assert "Not enough after 3 battles" in str(found)


def drawn_battles(strengths, n, rng):
    """Battles of random pairs."""
    m = len(strengths)
    left = rng.integers(0, m, n)
    right = (left + rng.integers(1, m, n)) % m
    outcome = rng.random(n) < 1 / (1 + np.exp(strengths[right] - strengths[left]))
    names = [f"s{i}" for i in range(m)]
    return bt.Matches(systems=names, left=left, right=right, outcome=outcome.astype(float))


def test_pairs_at_the_last_place_are_asked_next():
    """All battles are handed out, and most to pairs around the third place."""
    found = bt.watch(
        drawn_battles(np.array([3.0, 2.0, 0.6, 0.4, -1.0, -2.0]), 600, np.random.default_rng(7)),
        top=3,
        ask=60,
    )
    assert set(found.top) == {"s0", "s1", "s2"}
    assert found.ask.sum() == 60
    best = max(found, key=lambda row: row.ask)
    assert {best.a, best.b} & {"s2", "s3"}
    assert 0 < found.misplaced < 2
    assert "Next 60 battles: " in str(found)
    assert bt.watch(drawn_battles(np.zeros(3), 30, np.random.default_rng(8))).ask.sum() == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [({"top": 3}, "from 1 to 2"), ({"ask": 5}, "needs top"), ({"top": 1, "ask": 0}, "number of battles")],
)
def test_recommendations_that_make_no_sense_are_refused(given, words):
    """Of three systems at most two are the best."""
    with pytest.raises(bt.BetterThanError, match=words):
        bt.watch(drawn_battles(np.zeros(3), 30, np.random.default_rng(9)), **given)
    with pytest.raises(bt.BetterThanError, match="for battles"):
        bt.watch(scores([[0.0, 1.0], [1.0, 0.5]]), top=1)
