"""Scores of labels: scikit-learn's numbers, what is undefined, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import BetterThanError, MissingScores, TableError, UnknownName
from betterthan.scoring.score import METRICS

PEERS = json.loads(Path(__file__).with_name("peers.json").read_text(encoding="utf-8"))
CASES = PEERS["labels"]
GOLD = ["ham", "spam", "spam", "ham", "eggs", "ham"]
SYSTEMS = {"A": ["ham", "spam", "ham", "ham", "eggs", "ham"], "B": ["ham"] * 6}


@pytest.mark.parametrize("metric", CASES["three classes"]["expected"])
@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_scikit_learn(name, metric):
    """Of two systems at once, the other with the gold labels, which must not matter."""
    case = CASES[name]
    gold, predicted = case["gold"].split(), case["predicted"].split()
    found = bt.score({"other": gold, "A": predicted}, gold, metric=metric).pooled()[1]
    expected = case["expected"][metric]
    assert found == pytest.approx(np.nan if expected is None else expected, abs=1e-12, nan_ok=True)


def test_one_class_by_hand():
    """A finds one of two spams and calls nothing else so; B never says spam."""
    found = {part: bt.score(SYSTEMS, GOLD, metric=f"{part}:spam") for part in ("f1", "precision", "recall")}
    assert found["f1"].pooled() == pytest.approx([2 / 3, 0])
    assert found["recall"].pooled() == pytest.approx([1 / 2, 0])
    assert found["precision"].pooled() == pytest.approx([1, np.nan], nan_ok=True)
    assert any(
        "Precision is undefined where it is never predicted: spam (B)" in x for x in found["precision"].notes
    )
    assert found["f1"].name == "F1 of spam"


@pytest.mark.parametrize(
    "gold",
    [[0, 1, 1, 0], ["no", "yes", "yes", "no"], [False, True, True, False], ["NEG", "POS", "POS", "NEG"]],
)
def test_of_two_classes_the_usual_one_is_looked_for(gold):
    """Whole numbers and truth values are labels, too."""
    counts = bt.score({"A": gold[:2] + gold[:2]}, gold, metric="recall")
    assert counts.pooled() == pytest.approx([0.5])


def test_averages_over_chosen_classes():
    """Micro-F1 without ham: one of three predictions right of three gold labels, as labels= of scikit-learn."""
    counts = bt.score(SYSTEMS, GOLD, metric="f1-micro", labels=["spam", "eggs"])
    assert counts.pooled() == pytest.approx([4 / 5, 0])
    assert "|classes:spam,eggs|" in counts.formula.name
    macro = bt.score(SYSTEMS, GOLD, metric="f1-macro", labels=["spam", "never"])
    assert macro.pooled() == pytest.approx([1 / 3, 0])
    assert any("counts as 0" in note and "never" in note for note in macro.notes)


def test_single_items_are_right_or_wrong():
    """For every metric on labels, whatever its range."""
    for metric in ("accuracy", "f1-macro", "mcc", "kappa", "f1-micro"):
        segments = bt.score(SYSTEMS, GOLD, metric=metric).per_segment()
        assert segments.values.tolist() == [[1, 1, 0, 1, 1, 1], [1, 0, 0, 1, 0, 1]]


def test_notes_on_rare_and_on_unknown_classes():
    """What an average hangs on, and labels that cannot be right."""
    counts = bt.score({"A": ["Ham", *GOLD[1:]]}, GOLD, metric="f1-macro")
    assert "A predicts labels that the gold labels never have: Ham (1 item)." in counts.notes
    assert any("fewer than 10 gold items" in note and "eggs (1)" in note for note in counts.notes)
    assert not any("identical" in note for note in bt.score({"A": GOLD}, GOLD, metric="mcc").notes)


def test_missing_predictions():
    """An empty line is a missing prediction, which may count as wrong; classes remain those of the gold labels."""
    gaps = {"A": ["ham", " ", "ham", "ham", "eggs", "ham"]}
    with pytest.raises(MissingScores, match="1 of 6 outputs are missing"):
        bt.score(gaps, GOLD, metric="f1-macro")
    assert bt.score(gaps, GOLD, metric="accuracy", missing="drop").pooled() == pytest.approx([4 / 5])
    assert bt.score(gaps, GOLD, metric="accuracy", missing="empty").pooled() == pytest.approx([4 / 6])
    macro = bt.score(gaps, GOLD, metric="f1-macro", missing="empty").pooled()
    assert macro == pytest.approx([(6 / 7 + 0 + 1) / 3])


def test_verbs_use_the_value_of_the_whole_set():
    """The difference of macro-F1 itself, with an interval, a p-value and the signature."""
    counts = bt.score({"A": SYSTEMS["A"] * 9, "B": SYSTEMS["B"] * 9}, GOLD * 9, metric="f1-macro")
    pair = bt.compare(counts, n_resamples=999).pair("A", "B")
    assert pair.effect == pytest.approx(counts.pooled()[0] - counts.pooled()[1])
    assert pair.low < pair.effect < pair.high
    assert pair.pvalue < 0.05
    ranked = bt.rank(counts, n_resamples=99)
    assert ranked.systems == ("A", "B")
    assert ranked.settings.options["score"] == counts.formula.name
    assert counts.formula.name == f"macro F1|classes:all|undefined:0|version:{bt.__version__}"


def test_intervals_of_correlations_may_go_below_zero():
    """MCC lies between −1 and 1, though single items are 0 or 1."""
    rng = np.random.default_rng(0)
    gold, first, second = (rng.choice(["a", "b"], 40).tolist() for _ in range(3))
    ranked = bt.rank(bt.score({"A": first, "B": second}, gold, metric="mcc"), n_resamples=99)
    assert (ranked.low < 0).all()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"metric": "f1"}, BetterThanError, "f1 of one class needs positive=NAME; the classes are eggs, ham, spam"),
        ({"metric": "f1", "positive": "span"}, UnknownName, 'Did you mean "spam"?'),
        ({"metric": "f1:spam", "positive": "ham"}, BetterThanError, "Leave out one of them"),
        ({"metric": "f1-makro"}, UnknownName, 'Did you mean "f1-macro"?'),
        ({"metric": "mcc", "positive": "spam"}, BetterThanError, 'positive="spam" has no effect on mcc'),
        ({"metric": "accuracy", "lowercase": True}, BetterThanError, "lowercase=True has no effect on accuracy"),
        ({"metric": "f1-macro", "labels": []}, BetterThanError, "one or more different classes"),
        ({"metric": "f1-macro", "labels": ["x", "y"]}, UnknownName, 'Unknown class "x"'),
    ],
)  # fmt: skip
def test_what_has_no_effect_is_refused(arguments, error, message):
    """By name."""
    with pytest.raises(error, match=message.replace("?", r"\?")):
        bt.score(SYSTEMS, GOLD, **arguments)


def test_gold_labels_must_be_complete_and_single():
    """No silent class of empty labels, and no second opinion."""
    with pytest.raises(TableError, match="No gold label for segment 2"):
        bt.score({"A": ["a", "b"]}, ["a", " "], metric="accuracy")
    with pytest.raises(TableError, match="an item has one gold label"):
        bt.score({"A": ["a", "b"]}, [["a", "b"], ["a", "a"]], metric="accuracy")


def test_names_on_the_command_line_are_those_of_the_metrics():
    """The list is written out there, so that help is fast."""
    from betterthan.cli.commands.score import METRIC_NAMES

    assert set(METRIC_NAMES) == set(METRICS)
