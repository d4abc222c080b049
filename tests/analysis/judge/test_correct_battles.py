"""bt.correct of battles: win rates that people would give, from a judge of all comparisons and votes on some."""

import numpy as np
import pytest

import betterthan as bt
from betterthan.present.tables.judges import corrected_table

SYSTEMS = ("A", "B", "C")


def battles(rng, n=200, labels=60, bias=0.0, rounds=3, *, ties=0.2, follows=0.8):
    """A judge of all questions and pairs, who often says what people say and favors C, and votes on some questions."""
    rows = {key: [] for key in ("item", "model_a", "model_b", "human", "judge")}
    for q in range(n):
        shift = rng.normal(0, 0.6, 3)
        for a, b in ((0, 1), (0, 2), (1, 2))[:rounds]:
            ahead = 0.5 * (b - a) + shift[a] - shift[b] + rng.logistic()
            word = "tie" if abs(ahead) < ties else ("model_a" if ahead > 0 else "model_b")
            said = word if rng.random() < follows else rng.choice(["model_a", "model_b"])
            if b == 2 and rng.random() < bias:
                said = "model_b"
            values = f"q{q}", SYSTEMS[a], SYSTEMS[b], word, said
            for key, value in zip(rows, values, strict=True):
                rows[key].append(value)
    drawn = {f"q{q}" for q in rng.choice(n, labels, replace=False)}
    part = [i for i, item in enumerate(rows["item"]) if item in drawn]
    names = ("item", "model_a", "model_b")
    judge = {**{key: rows[key] for key in names}, "winner": rows["judge"]}
    human = {key: [rows[key][i] for i in part] for key in names}
    return judge, {**human, "winner": [rows["human"][i] for i in part]}, rows


def test_a_biased_judge_of_battles_is_corrected():
    """The judge lets C win; people prefer A. Win rates have mean 0.5, and the judge shortens intervals."""
    judge, human, _ = battles(np.random.default_rng(1), n=400, labels=100, bias=0.6)
    found = bt.correct(judge, human)
    assert found.systems == SYSTEMS
    assert SYSTEMS[int(np.argmax(found.judge))] == "C"
    assert found.pair("A", "C").verdict == "A"
    assert found.mean.mean() == pytest.approx(0.5, abs=0.02)
    assert (found.labels == 200).all()
    assert (found.items == 800).all()
    assert (found.effective_labels > 200).all()
    assert ((found.low >= 0) & (found.high <= 1)).all()
    assert "Unit: 400 questions with 1,200 comparisons." in found.notes
    assert "300 labels with the judge are as precise as" in " ".join(corrected_table(found).words)
    assert bt.Result.from_json(found.to_json()) == found


def test_votes_on_everything_are_the_win_rate():
    """With a verdict of people on each comparison the answer is theirs."""
    judge, human, _ = battles(np.random.default_rng(2), n=60, labels=60)
    found = bt.correct(judge, human)
    assert found.mean == pytest.approx(found.human)
    rates = bt.rank(bt.read_matches(human), by="win_rate")
    for name in SYSTEMS:
        assert found[name].mean == pytest.approx(rates[name].strength)


def test_two_systems_differ_as_their_share_does():
    """The difference of opponents is 2p - 1: its error is twice that of the share, charges included."""
    judge, human, _ = battles(np.random.default_rng(3), n=300, labels=120, rounds=1, ties=0.0)
    found = bt.correct(judge, human)
    assert found.is_binary
    pair = found.pair("A", "B")
    assert found.mean.sum() == pytest.approx(1)
    assert pair.high - pair.low == pytest.approx(2 * (found.high[0] - found.low[0]), rel=0.08)


def test_both_orders_and_several_votes_are_averaged():
    """Sides, repeated votes and battles of others do not matter."""
    judge, human, _ = battles(np.random.default_rng(4), n=80, labels=40)
    swapped = {
        "item": human["item"] * 2 + ["q999"],
        "model_a": human["model_a"] + human["model_b"] + ["A"],
        "model_b": human["model_b"] + human["model_a"] + ["B"],
        "winner": human["winner"]
        + [{"model_a": "model_b", "model_b": "model_a"}.get(word, word) for word in human["winner"]]
        + ["model_a"],
    }
    one, other = bt.correct(judge, human), bt.correct(judge, swapped)
    assert one.mean == pytest.approx(other.mean)
    assert one.low == pytest.approx(other.low)
    assert "1 comparisons that only humans have made were left out." in other.notes


def test_intervals_of_battles_cover():
    """The win rates of 4,000 questions, in 150 draws of 200 questions with 100 labeled."""
    _, _, rows = battles(np.random.default_rng(5), n=4000, labels=1, bias=0.3)
    everyone = bt.read_matches(
        {key: rows[key] for key in ("item", "model_a", "model_b")} | {"winner": rows["human"]}
    )
    truth = {row.system: row.strength for row in bt.rank(everyone, by="win_rate")}
    covered = []
    for seed in range(150):
        judge, human, _ = battles(np.random.default_rng(seed), n=200, labels=100, bias=0.3)
        covered += [row.low <= truth[row.system] <= row.high for row in bt.correct(judge, human)]
    assert np.mean(covered) > 0.95 - 4 * np.sqrt(0.05 * 0.95 / 150)


def test_what_cannot_be_corrected_is_refused():
    """Scores against battles, weights, questions without ids, no shared questions."""
    judge, human, _ = battles(np.random.default_rng(6), n=20, labels=10)
    with pytest.raises(bt.TableError, match="Both need the same kind of data"):
        bt.correct(judge, {"A": [1.0] * 20, "B": [0.0] * 20})
    with pytest.raises(bt.BetterThanError, match="is for scores, and these labels are battles"):
        bt.correct(judge, human, weight="item")
    with pytest.raises(bt.TableError, match="share no comparison"):
        bt.correct(judge, {**human, "item": [f"x{item}" for item in human["item"]]})
    anonymous = bt.read_matches({key: human[key] for key in ("model_a", "model_b", "winner")})
    with pytest.raises(bt.BetterThanError, match="matched by the ids of questions"):
        bt.correct(anonymous, anonymous)


def test_no_scores_of_items_come_from_win_rates():
    """Other verbs say so."""
    judge, human, _ = battles(np.random.default_rng(7), n=40, labels=20)
    found = bt.correct(judge, human)
    for call in (lambda: bt.rank(found), lambda: bt.corrected_scores(found)):
        with pytest.raises(bt.TableError, match="corrected win rates of battles"):
            call()
