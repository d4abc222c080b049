"""gate: verdicts on all kinds of data, agreement with compare, errors, what would decide."""

import math

import numpy as np
import pytest
from tests.made import drawn_counts, drawn_matches, drawn_runs

import betterthan as bt
from betterthan.present.tables.decisions import gate_sentences, gate_table, picture


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


def test_rare_large_losses_do_not_pass_before_they_are_seen():
    """The interval of compare excludes the margin; with one more such loss it would not."""
    losses = [0.2] * 27 + [-0.5, -1.0, -1.5]
    pair = bt.compare([0.0] * 30, losses).pair("B", "A")
    found = bt.gate([0.0] * 30, losses, margin=0.22)
    assert pair.low > -0.22
    assert (found.verdict, found[0].low) == ("undecided", -0.22)
    assert bt.gate([0.0] * 30, losses, margin=0.6).passed


def test_several_metrics_must_all_pass():
    """One that is open leaves the gate open, one that fails fails it; p-values are adjusted for both."""
    good, bad, unsure = right_wrong(600, 3, 3), right_wrong(600, 10, 40), right_wrong(600, 16, 30)
    tables = [
        bt.Scores(name=name, systems=["A", "B"], segments=list(map(str, range(600))), values=values)
        for name, values in (("good", good), ("bad", bad), ("unsure", unsure))
    ]
    assert bt.gate([tables[0], tables[2]], margin=0.025).verdict == "undecided"
    assert bt.gate(tables, margin=0.025).verdict == "fail"
    found = bt.gate(tables, margin={"good": 0.02, "bad": 0.2})
    assert (found.verdict, found.metric, found.margin.tolist()) == (
        "pass" if found[1].verdict != "equivalent" else "equivalent",
        ("good", "bad"),
        [0.02, 0.2],
    )
    assert found[1].adjusted == pytest.approx(2 * found[1].pvalue)
    with pytest.raises(bt.BetterThanError, match="metric"):
        bt.gate(tables, margin={"god": 0.02})


def test_a_failing_slice_fails_the_gate():
    """The whole is within the margin, and one topic is not."""
    baseline, candidate = right_wrong(900, 40, 0)
    topics = ["new"] * 40 + ["old"] * 860
    candidate[-100:] = [0] * 100
    baseline[-100:-70] = [1] * 30
    topics[-100:] = ["law"] * 100
    found = bt.gate(baseline, candidate, margin=0.03, slices={"topic": topics})
    assert found[0].verdict in ("pass", "equivalent", "better")
    assert found.verdict == "fail"
    by_slice = {row.slice: row for row in found}
    assert by_slice["topic = law"].verdict == "fail"
    assert not by_slice["topic = law"].is_required
    assert by_slice["topic = law"].adjusted > by_slice["topic = law"].pvalue
    assert math.isnan(by_slice["topic = old"].needed)
    with pytest.raises(bt.BetterThanError, match="899 labels"):
        bt.gate(baseline, candidate, margin=0.03, slices={"topic": topics[1:]})
    with pytest.raises(bt.BetterThanError, match="give a label for each item"):
        bt.gate(baseline, candidate, margin=0.03, slices="topic")


def test_slices_of_documents_and_runs():
    """A slice of one document is not tested where documents are the units; runs are sliced by item."""
    rng = np.random.default_rng(8)
    groups = list(map(str, np.repeat(np.arange(10), 8)))
    values = rng.normal(size=(2, 80))
    scores = bt.Scores(
        name="x", systems=["A", "B"], segments=list(map(str, range(80))), values=values, groups=groups
    )
    found = bt.gate(scores, margin=0.5, slices={"document": groups})
    assert all(math.isnan(row.pvalue) and row.verdict == "undecided" for row in found if row.slice)
    runs = drawn_runs()
    halves = [str(i % 2) for i in range(runs.n_segments)]
    found = bt.gate(runs, systems=runs.systems[:2], margin=0.5, slices={"half": halves})
    assert [row.n_units for row in found] == [runs.n_segments, halves.count("0"), halves.count("1")]


def test_a_note_on_a_slice_names_it():
    """A slice of few items is not the whole."""
    baseline, candidate = right_wrong(100, 5, 5)
    found = bt.gate(baseline, candidate, margin=0.1, slices={"topic": ["law"] * 5 + ["art"] * 95})
    (note,) = (note for note in found.notes if note.startswith("Only 5"))
    assert note.endswith("This concerns topic = law.")


def test_a_loss_near_the_margin_is_decided_as_a_decline():
    """That takes fewer items than to show that it lies above the margin."""
    rng = np.random.default_rng(7)
    gaps = rng.normal(size=60)
    gaps = 0.8 * (gaps - gaps.mean()) / gaps.std(ddof=1) - 0.18
    row = bt.gate(np.zeros(60), gaps, margin=0.2)[0]
    assert row.verdict == "undecided"
    normal = (1.96 + 0.8416) ** 2 * 0.8**2
    assert normal / 0.18**2 < row.needed < 1.3 * normal / 0.18**2
    assert normal / 0.2**2 < row.needed_if_equal < 1.3 * normal / 0.2**2


def test_numbers_that_would_decide_symmetric_scores_are_those_of_a_plan():
    """No loss that was not seen is imagined where losses have no long tail; the interval imagines none either."""
    rng = np.random.default_rng(3)
    gaps = rng.normal(size=60)
    gaps -= gaps.mean()
    row = bt.gate(np.zeros(60), gaps, margin=0.2)[0]
    assert row.verdict == "undecided"
    assert row.needed_if_equal == bt.plan(sd=float(gaps.std(ddof=1)), difference=0.2)[0].needed


def test_numbers_that_would_decide_allow_for_losses_not_yet_seen():
    """With one large loss among small gains more items are needed than its share suggests."""
    gaps = np.array([0.1, 0.2] * 20 + [-6.0])
    row = bt.gate(np.zeros(41), gaps, margin=0.5)[0]
    assert row.verdict == "undecided"
    plain = ((1.96 + 0.8416) * gaps.std(ddof=1) / 0.5) ** 2
    assert row.needed_if_equal > 1.5 * plain


def test_a_margin_by_which_every_loser_passes_is_refused():
    """Battles are compared by the probability of a win, which is at most 0.5 from 0.5."""
    votes = bt.read_matches({"left": ["A"] * 6, "right": ["B"] * 6, "winner": ["left"] * 4 + ["right"] * 2})
    with pytest.raises(bt.BetterThanError, match="for battles"):
        bt.gate(votes, margin=2)
    assert bt.gate(votes, margin=0.4).baseline == "A"
