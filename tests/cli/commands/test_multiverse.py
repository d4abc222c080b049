"""betterthan multiverse: the sentence, the formats, a claim that is none."""

import csv
import json

import pytest

from betterthan.examples.figure_one import figure_one


@pytest.fixture
def scores(tmp_path):
    """The example of the paper."""
    data = figure_one()
    lines = [
        ",".join(["item", *data]),
        *(f"{i},{a},{b},{c}" for i, (a, b, c) in enumerate(zip(*data.values(), strict=True))),
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_answer_comes_first(betterthan, scores):
    """In words."""
    said = betterthan("multiverse", scores, "B > A")
    assert said.code == 0
    assert "None of 50 analyses supports the claim B > A" in " ".join(said.out.split())


def test_every_format(betterthan, scores):
    """CSV has a row for each analysis."""
    rows = list(csv.DictReader(betterthan("multiverse", scores, "B is best", "-f", "csv").out.splitlines()))
    assert {row["outcome"] for row in rows if row["aggregation"] == "median"} == {"opposite direction"}
    assert json.loads(betterthan("multiverse", scores, "B > A", "--json").out)["claim"] == "B > A"
    for form, words in (("markdown", "| choice"), ("latex", "\\toprule"), ("html", "<table")):
        assert words in betterthan("multiverse", scores, "B > A", "-f", form).out


def test_what_is_no_claim_is_refused(betterthan, scores):
    """With what a claim looks like."""
    said = betterthan("multiverse", scores, "B or A")
    assert said.code == 2
    assert '"A > B"' in said.err
    assert betterthan("multiverse", scores, "B > D").code == 2


def test_a_chart(betterthan, scores, tmp_path):
    """The pair is the claim."""
    pytest.importorskip("altair")
    said = betterthan("figure", "multiverse", scores, "--pair", "B", "A", "-o", tmp_path / "a.svg")
    assert said.code == 0
    assert "B &gt; A by every analysis" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    said = betterthan("figure", "multiverse", scores, "-o", tmp_path / "b.svg")
    assert said.code == 2
    assert "--pair" in said.err
