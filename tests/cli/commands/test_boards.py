"""betterthan boards: all categories, one of them, formats, and what does not fit."""

import csv
import json

import pytest


@pytest.fixture
def battles(tmp_path):
    """Three systems in two languages."""
    lines = ["model_a,model_b,winner,language"]
    for i in range(90):
        a, b = ("A", "B") if i % 3 == 0 else ("B", "C") if i % 3 == 1 else ("A", "C")
        lines.append(
            f"{a},{b},{'tie' if i % 9 == 0 else 'model_b' if i % 5 == 0 else 'model_a'},{'de' if i % 4 else 'fr'}"
        )
    path = tmp_path / "battles.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_all_categories_and_one(betterthan, battles):
    """A row per category, and a row per system."""
    said = betterthan("boards", battles, "--by", "language")
    assert said.code == 0
    assert "Boards of 2 categories (language)" in said.out
    said = betterthan("boards", battles, "--by", "language", "--category", "fr")
    assert "Board of language fr, 23 battles" in said.out
    said = betterthan("boards", battles, "--by", "language", "--category", "es")
    assert said.code == 2
    assert 'category "es"' in said.err


def test_rows_and_json(betterthan, battles):
    """A row for each system in each category."""
    said = betterthan("boards", battles, "--by", "language", "--format", "csv")
    rows = list(csv.DictReader(said.out.splitlines()))
    assert [(row["category"], row["rank"]) for row in rows] == [(c, r) for c in ("de", "fr") for r in "123"]
    said = betterthan("boards", battles, "--by", "language", "--json")
    assert json.loads(said.out)["categories"] == ["de", "fr"]
    for form, words in (("markdown", "| language |"), ("latex", "\\toprule"), ("html", "<table")):
        assert words in betterthan("boards", battles, "--by", "language", "--format", form).out


def test_scores_have_no_categories(betterthan, tmp_path):
    """A table of scores is refused."""
    path = tmp_path / "scores.csv"
    path.write_text("item,A,B\n1,0.5,0.6\n2,0.7,0.4\n", encoding="utf-8")
    said = betterthan("boards", path, "--by", "item")
    assert said.code == 2
    assert "error" in said.err


def test_fragility(betterthan, battles):
    """The sentences, and the battles as rows."""
    said = betterthan("fragility", battles)
    assert said.code == 0
    assert "How firmly is A first? Bradley–Terry, 90 battles" in said.out
    said = betterthan("fragility", battles, "--where", "language=fr", "--format", "csv")
    rows = list(csv.DictReader(said.out.splitlines()))
    assert {row["change"] for row in rows} == {"removal", "reversal"}
    assert json.loads(betterthan("fragility", battles, "--json").out)["first"] == "A"


def test_board_diff(betterthan, battles, tmp_path):
    """The first file is the old board."""
    lines = battles.read_text(encoding="utf-8").splitlines()
    old = tmp_path / "old.csv"
    old.write_text("\n".join(lines[:60]) + "\n", encoding="utf-8")
    said = betterthan("board-diff", old, battles)
    assert said.code == 0
    assert "Changes of a board: 59 and 90 battles" in said.out
    said = betterthan("board-diff", old, battles, "--overlap", "included", "--format", "csv")
    assert [row["new_rank"] for row in csv.DictReader(said.out.splitlines())] == ["1", "2", "3"]
    assert betterthan("board-diff", battles, old, "--overlap", "included").code == 2


def test_voters(betterthan, battles):
    """A row per voter."""
    said = betterthan("voters", battles, "--by", "language")
    assert said.code == 0
    assert "Do voters deviate from the board? 2 voters (language)" in said.out
    said = betterthan("voters", battles, "--by", "language", "--format", "csv")
    assert {row["voter"] for row in csv.DictReader(said.out.splitlines())} == {"de", "fr"}


def test_ways_of_rating_battles_agree_or_not(betterthan, battles):
    """Of battles the strengths, the shares of wins and the ratings; options of scores are refused."""
    said = betterthan("agree", battles, "--json")
    assert said.code == 0
    (result,) = [json.loads(said.out)]
    assert result["rankings"] == ["Bradley–Terry", "win rate", "Elo"]
    refused = betterthan("agree", battles, "--missing", "drop")
    assert refused.code == 2
    assert "--missing" in refused.err
