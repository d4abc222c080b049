"""gate: verdicts on all kinds of data, agreement with compare, errors, what would decide."""

import math

import numpy as np
import pytest
from tests.made import drawn_counts, drawn_matches, drawn_runs

import betterthan as bt
from betterthan.present.tables.gate import gate_sentences, gate_table, picture


def right_wrong(n, better, worse, right=0.7):
    """Scores of baseline and candidate on n items, of which so many change."""
    baseline = [0] * better + [1] * worse + [1] * round(right * (n - better - worse))
    baseline += [0] * (n - len(baseline))
    candidate = [1] * better + [0] * worse + baseline[better + worse :]
    return baseline, candidate


@pytest.mark.parametrize(
    ("better", "worse", "verdict", "code"),
    [
        (30, 10, "better", 0),
        (10, 30, "fail", 1),
        (10, 60, "fail", 1),
        (3, 3, "equivalent", 0),
        (20, 16, "pass", 0),
        (16, 30, "undecided", 3),
    ],
)
def test_verdicts_on_right_and_wrong(better, worse, verdict, code):
    """Of 600 items with a margin of 0.025."""
    found = bt.gate(*right_wrong(600, better, worse), margin=0.025)
    assert (found.verdict, found.exit_code) == (verdict, code)
    assert found.passed is (code == 0)


def test_effect_p_and_interval_are_those_of_compare():
    """One question, one answer; only an end beside the margin may move."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 80))
    found = bt.gate(a, b, margin=0.5)
    pair = bt.compare(a, b).pair("B", "A")
    assert (found[0].effect, found[0].low, found[0].high) == (pair.effect, pair.low, pair.high)
    assert found[0].pvalue == pair.pvalue
    for better in range(0, 40, 3):
        data = right_wrong(300, better, 12)
        row, pair = bt.gate(*data, margin=0.04)[0], bt.compare(*data).pair("B", "A")
        assert (row.verdict == "better") == (pair.verdict == "B")
        assert abs(row.low - pair.low) < 0.01
        assert abs(row.high - pair.high) < 0.01
        assert row.low <= row.effect <= row.high


def test_the_exact_test_decides_at_the_margin():
    """No change on 50 items does not pass a margin of 0.02, and on 400 items it does."""
    assert bt.gate([1, 0] * 25, [1, 0] * 25, margin=0.02).verdict == "undecided"
    assert bt.gate([1, 0] * 200, [1, 0] * 200, margin=0.02).verdict == "equivalent"
    scaled = bt.gate([100, 0] * 200, [100, 0] * 200, margin=2)
    assert scaled.verdict == "equivalent"
    assert -2 < scaled[0].low < 0 < scaled[0].high < 2


def test_a_margin_of_zero_demands_an_improvement():
    """Nothing lies between better and undecided."""
    assert bt.gate(*right_wrong(600, 3, 3), margin=0).verdict == "undecided"
    assert bt.gate(*right_wrong(600, 30, 3), margin=0).verdict == "better"
    assert bt.gate(*right_wrong(600, 3, 30), margin=0).verdict == "fail"


def test_lower_is_better():
    """The effect is positive where the candidate is better."""
    rng = np.random.default_rng(2)
    values = np.abs(rng.normal(size=(2, 60)))
    values[1] += 1
    scores = bt.Scores(
        name="TER",
        systems=["old", "new"],
        segments=list(map(str, range(60))),
        values=values,
        higher_is_better=False,
    )
    found = bt.gate(scores, margin=0.1)
    assert (found.baseline, found.candidate, found.verdict) == ("old", "new", "fail")
    assert found[0].effect < -0.5
    assert found[0].candidate_score > found[0].baseline_score
    assert found.worst[0].loss == max(item.loss for item in found.worst)
    assert found.worst[0].candidate_score > found.worst[0].baseline_score


def test_documents_are_the_units():
    """Where they are known; segments pretend to know more."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(12), 10)
    values = rng.normal(size=(2, 120)) + rng.normal(size=(2, 12))[:, groups]
    scores = bt.Scores(
        name="x",
        systems=["A", "B"],
        segments=list(map(str, range(120))),
        values=values,
        groups=list(map(str, groups)),
    )
    found, alone = bt.gate(scores, margin=0.3), bt.gate(scores, margin=0.3, units="segments")
    assert (found[0].n_units, found[0].unit, alone[0].unit) == (12, "documents", "items")
    assert found[0].high - found[0].low > alone[0].high - alone[0].low


@pytest.mark.parametrize(
    ("table", "unit"),
    [(drawn_counts(2), "documents"), (drawn_matches(2), "battles"), (drawn_runs(), "items")],
)
def test_other_kinds_of_tables(table, unit):
    """Corpus scores, battles and repeated runs have the effect and interval of compare."""
    systems = table.systems[:2]
    found = bt.gate(table, systems=systems, margin=0.1)
    pair = bt.compare(table, systems=systems).pair(*reversed(systems))
    middle = 0.5 if isinstance(table, bt.Matches) else 0.0
    assert found[0].effect == pytest.approx(pair.effect - middle)
    assert found[0].low == pytest.approx(pair.low - middle)
    assert found[0].candidate_score - found[0].baseline_score == pytest.approx(
        found[0].effect if not middle else 2 * found[0].effect
    )
    assert found[0].unit in (unit, "items")
    assert bt.Result.from_json(found.to_json()) == found


def test_what_would_decide():
    """As many items as needed, with the power that was asked for."""
    rng = np.random.default_rng(4)
    a = rng.normal(size=40)
    found = bt.gate(a, a + rng.normal(size=40), margin=0.2)
    assert found.verdict == "undecided"
    assert found[0].needed > 40
    sd = bt.plan({"A": a, "B": a * 0}, difference=1.0).assumptions["sd"]
    assert math.isfinite(sd)
    more = bt.gate(a, a + rng.normal(size=40), margin=0.2, power=0.95)
    assert more[0].needed_if_equal != found[0].needed_if_equal
    assert "more items decide with a power of 80%" in " ".join(gate_sentences(found))


def test_undecided_may_count_as_either():
    """The verdict stays; the exit code changes, and the words say so."""
    data = right_wrong(100, 4, 5)
    for policy, code in (("", 3), ("pass", 0), ("fail", 1)):
        found = bt.gate(*data, margin=0.02, undecided=policy)
        assert (found.verdict, found.exit_code) == ("undecided", code)
        assert ("counts as" in " ".join(gate_sentences(found))) == bool(policy)


def test_missing_items_never_pass_silently():
    """An error by default; left out, they are noted."""
    values = np.array([[1.0, 0.0, 1.0, 1.0] * 50, [1.0, 0.0, 1.0, 1.0] * 50])
    values[1, 7] = np.nan
    scores = bt.Scores(name="x", systems=["A", "B"], segments=list(map(str, range(200))), values=values)
    with pytest.raises(bt.MissingScores, match="missing"):
        bt.gate(scores, margin=0.1)
    found = bt.gate(scores, margin=0.1, missing="drop")
    assert found[0].n_units == 199
    assert any("left out" in note or "dropped" in note for note in found.notes)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"margin": -0.1}, "0 or more"),
        ({"margin": math.nan}, "0 or more"),
        ({"margin": 0.1, "alpha": 2.0}, "alpha"),
        ({"margin": 0.1, "undecided": "maybe"}, "undecided"),
        ({"margin": 0.1, "missing": "pairwise"}, "missing"),
        ({"margin": 0.1, "systems": ["A"]}, "two systems"),
        ({"margin": 0.1, "systems": ["A", "C"]}, "system"),
    ],
)
def test_what_makes_no_sense_is_refused(given, words):
    """With the name of the option."""
    with pytest.raises(bt.BetterThanError, match=words):
        bt.gate([1, 0, 1, 1], [1, 1, 0, 1], **given)


def test_three_systems_need_names():
    """Which two is not guessed."""
    data = {"A": [1, 2, 3, 4], "B": [2, 2, 3, 5], "C": [1, 1, 1, 2]}
    with pytest.raises(bt.TableError, match="there are 3"):
        bt.gate(data, margin=1)
    assert bt.gate(data, systems=("C", "A"), margin=1).candidate == "A"


def test_picture_and_table():
    """Every sign in its place; intervals that reach beyond end in a sign that says so."""
    row = bt.gate(*right_wrong(600, 16, 30), margin=0.025)[0]
    assert picture(row) == "     ━━━●━━━┿   ┊"
    assert picture(bt.gate(*right_wrong(600, 10, 60), margin=0.025)[0]).startswith("<")
    table = gate_table(bt.gate(*right_wrong(600, 16, 30), margin=0.025))
    assert table.rows[0][-1] == "undecided"
    assert "may be worse than A by more than 0.025" in table.verdict[0]
