"""``betterthan score`` by metrics of labels and words."""

from __future__ import annotations

import json

import pytest

import betterthan as bt

FAST = ("--resamples", "99", "--no-cache", "--workers", "1")
GOLD = ["ham", "spam", "spam", "ham", "eggs", "ham"] * 6
LINES = {"gold": GOLD, "A": ["ham", "spam", "ham", "ham", "eggs", "ham"] * 6, "B": ["ham"] * 36}


@pytest.fixture
def labels(tmp_path):
    """Gold labels and two systems, one label per line."""
    for name, lines in LINES.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def score(betterthan, labels):
    """Call ``betterthan score`` with the gold labels and both systems."""

    def call(*arguments):
        files = ("--reference", labels / "gold.txt", labels / "A.txt", labels / "B.txt")
        return betterthan("score", *arguments, *files, *FAST)

    return call


def test_a_metric_in_the_place_of_a_command(score):
    """The same answer as with --metric, and the numbers of the library."""
    said = score("f1-macro", "--json")
    assert said.code == 0, said
    found = bt.Result.from_dict(json.loads(said.out))
    assert said.out == score("--metric", "f1-macro", "--json").out
    assert found.systems == ("A", "B")
    expected = bt.score({name: LINES[name] for name in "AB"}, GOLD, metric="f1-macro").pooled()
    assert found.pooled == pytest.approx(expected)
    assert "warning" not in said.err


def test_several_metrics_with_a_baseline(score):
    """Options go to the metrics that have them; every class may have its row."""
    said = score("--metric", "f1:spam", "--metric", "f1:eggs", "--metric", "f1-micro", "--label", "spam",
                 "--label", "eggs", "--metric", "wer", "--lowercase", "--baseline", "B")  # fmt: skip
    assert said.code == 0, said
    assert "F1 of spam, F1 of eggs, micro F1, WER (lower is better)" in said.out
    assert said.out.count("baseline") == 4


def test_items_one_by_one(score):
    """Right or wrong, as a table for the next command."""
    said = score("mcc", "--segments", "-f", "csv")
    assert said.code == 0, said
    assert said.out.splitlines()[:2] == ["item,system,score,metric,higher_is_better", "1,A,1.0,MCC,true"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("f1",), "f1 of one class needs --positive NAME; the classes are eggs, ham, spam"),
        (("f1:spma",), 'Unknown class "spma". Did you mean "spam"?'),
        (("accuracy", "--label", "spam"), "--label is for f1-micro, f1-macro, "),
        (("wer", "--positive", "spam"), "--positive is for f1, precision and recall"),
        (("--metric", "wer", "--metric", "cer", "--segments"), "--segments is for one metric"),
        (("--metric", "f1-mikro"), "'f1-mikro' is not one of"),
    ],
)
def test_what_changes_nothing_is_refused(score, arguments, message):
    """In the words of the command line, with exit code 2."""
    said = score(*arguments)
    assert said.code == 2
    assert message in said.err


def test_one_number_for_a_script(betterthan, labels):
    """With all digits."""
    files = ("--reference", labels / "gold.txt", labels / "A.txt")
    said = betterthan("score", "accuracy", "--score-only", *files, *FAST)
    assert float(said.out) == 5 / 6
