"""Battles on the command line: judges by themselves, covariates by name, policies end to end."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tests.everyday import few

import betterthan as bt


@pytest.fixture
def battles(tmp_path):
    """A file with twelve judges, lengths, weights and a session that nobody should take for a judge."""
    rng = np.random.default_rng(1)
    n = 500
    names = np.array(["Kea", "Moa", "Tui"])
    left = rng.integers(0, 3, n)
    right = (left + rng.integers(1, 3, n)) % 3
    frame = pl.DataFrame(
        {
            "model_a": names[left],
            "model_b": names[right],
            "winner": rng.choice(["model_a", "model_b", "tie", "both_bad"], n),
            "judge": [f"j{i}" for i in rng.integers(0, 12, n)],
            "session_id": [f"s{i}" for i in rng.integers(0, 90, n)],
            "len_a": rng.integers(1, 50, n),
            "len_b": rng.integers(1, 50, n),
            "times": rng.integers(1, 4, n),
        }
    )
    path = tmp_path / "battles.csv"
    frame.write_csv(path)
    return path


def ranking(said):
    """The result that was printed."""
    assert said.code == 0, said
    return bt.Result.from_dict(json.loads(said.out))


def test_judges_are_clustered_without_being_asked_for(betterthan, battles):
    """The numbers are those of Python, and the notes say by what and by how many."""
    said = betterthan("rank", battles, "--json")
    found = ranking(said)

    assert found == bt.rank(bt.read_matches(battles, keep=("judge",)), scale="elo")
    assert 'Battles are grouped by the column "judge" (12 different values).' in found.notes
    assert found.unit_note.startswith("Units: 12 groups (judges or sessions")
    assert found.units == "clusters"
    printed = " ".join(betterthan("rank", battles).out.split())
    assert "Use --cluster none for single battles." in printed


def test_another_column_or_none_can_be_named(betterthan, battles):
    """--cluster takes a column; none takes every battle as independent; --judge is the same as --cluster."""
    by_session = bt.rank(bt.read_matches(battles, judge="session_id"), scale="elo")
    alone = bt.rank(bt.read_matches(battles, cluster=False), scale="elo")

    assert ranking(betterthan("rank", battles, "--cluster", "session_id", "--json")) == by_session
    assert ranking(betterthan("rank", battles, "--judge", "session_id", "--json")) == by_session
    assert ranking(betterthan("rank", battles, "--cluster", "none", "--json")) == alone
    said = betterthan("rank", battles, "--cluster", "jugde")
    assert said.code == 2
    assert 'There is no column "jugde" for the judge. Did you mean "judge"?' in said.err


def test_a_judge_that_is_sometimes_missing_is_done_without(betterthan, battles):
    """With a note; named, it is an error."""
    frame = pl.read_csv(battles)
    gap = pl.when(pl.int_range(len(frame)) < 3).then(None).otherwise("judge")
    frame.with_columns(judge=gap).write_csv(battles)
    said = betterthan("rank", battles, "--notes", "--signature")

    assert said.code == 0
    assert "is empty in 3 of 500 rows, so battles are treated as" in " ".join(said.out.split())
    assert "ci:95,robust" in said.out
    assert "error[BT127]" in betterthan("rank", battles, "--cluster", "judge").err


def test_a_file_without_judges_is_ranked(betterthan, battles):
    """Nothing is said about judges."""
    pl.read_csv(battles).drop("judge", "session_id").write_csv(battles)
    said = betterthan("rank", battles, "--notes")

    assert said.code == 0
    assert "grouped" not in said.out
    assert "Comparison graph: connected; fewest matches" in said.out


def test_covariates_are_named_and_reported(betterthan, battles):
    """--covariate may be given several times; their effects are in the result and the table."""
    said = betterthan("rank", battles, "--covariate", "len_a-len_b", "--covariate", "times", "--json")
    found = ranking(said)
    matches = bt.read_matches(battles, keep=("judge",), covariates=["len_a-len_b", "times"])

    assert found == bt.rank(matches, scale="elo")
    assert found.effects.names == ("len_a-len_b", "times")
    assert (found.effects.low < found.effects.log_odds).all()
    assert found.effects.columns()["pvalue"] == found.effects.pvalue.tolist()
    assert "Effect of len_a-len_b: odds × " in betterthan("rank", battles, "--covariate", "len_a-len_b").out
    assert found.side is None
    compared = ranking(betterthan("compare", battles, "--covariate", "len_a-len_b", "--json"))
    expected = bt.compare(bt.read_matches(battles, keep=("judge",), covariates=["len_a-len_b"]))
    assert compared == expected
    assert betterthan("rank", battles, "--covariate", "len_a", "--by", "elo").code == 2


@pytest.mark.parametrize("option", [("--cluster", "item"), ("--covariate", "item")])
def test_scores_have_no_clusters_of_battles(betterthan, tmp_path, option):
    """An option that would be ignored is refused."""
    path = tmp_path / "scores.csv"
    path.write_text("item,A,B\n1,2,3\n2,3,3\n3,1,2\n", encoding="utf-8")
    said = betterthan("rank", path, *option)

    assert said.code == 2
    assert f"{option[0]} {option[1]} is for battles" in said.err


@pytest.mark.parametrize("option", [("--winner-label", "1=left"), ("--both-bad", "drop")])
@pytest.mark.parametrize("command", ["rank", "check"])
def test_scores_have_no_winners(betterthan, tmp_path, option, command):
    """An option about winners would be ignored, so it is refused; `check` calls it a problem."""
    path = tmp_path / "scores.csv"
    path.write_text("id,A,B\n1,0.5,0.25\n2,0.75,0.5\n3,0.5,0.25\n")
    said = betterthan(command, path, *option)
    assert said.code == (2 if command == "rank" else 1)
    assert "BT230" in said.err + said.out
    assert f"{option[0]} is for battles" in said.err + said.out


@pytest.mark.parametrize("both_bad", few(["tie", "drop"], 1))
@pytest.mark.parametrize("ties", ["half", "drop", "davidson"])
def test_policies_for_ties_go_through(betterthan, battles, both_bad, ties):
    """From the option to the number, also with judges."""
    arguments = ["--both-bad", both_bad, "--ties", ties, "--resamples", "50", "--scale", "log", "--json"]
    found = ranking(betterthan("rank", battles, *arguments))
    matches = bt.read_matches(battles, keep=("judge",), both_bad=both_bad)

    assert found == bt.rank(matches, ties=ties, scale="log", n_resamples=50)
    left_out = "left out" if both_bad == "drop" else "counted as ties"
    assert any(
        note.startswith('Battles that ended with "both bad"') and left_out in note for note in found.notes
    )


@pytest.mark.parametrize("scale", few(["share", "log", "elo"], 1))
def test_weights_and_scales_go_through(betterthan, battles, scale):
    """A column of weights by name."""
    found = ranking(betterthan("rank", battles, "--weight", "times", "--scale", scale, "--json"))
    expected = bt.rank(bt.read_matches(battles, keep=("judge",), weight="times"), scale=scale)

    assert found == expected
    assert found.settings.options["matches"] == pl.read_csv(battles)["times"].sum()


def test_relative_rankings_are_battles(betterthan, tmp_path):
    """Two ranks a row, recognized without a word; judges too few to cluster by are done without."""
    rows = [f"de,en,{i},j{i % 3},X,{1 + i % 2},Y,{1 + i % 3},{i // 4}" for i in range(60)]
    header = "srclang,trglang,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"
    path = tmp_path / "rr.csv"
    path.write_bytes("\r\r\n".join([header, *rows, ""]).encode())
    said = betterthan("rank", path)

    assert said.code == 0, said
    assert 'The column "judgeID" has only 3 different values' in said.out
    assert "Battles are grouped" in betterthan("rank", path, "--cluster", "rankingID", "--notes").out
    assert "two systems in the columns" in " ".join(betterthan("check", path).out.split())


def test_parameters_of_ratings_go_through(betterthan, battles):
    """With the rows in their order, once the column that keeps them is named."""
    options = ("--by", "elo", "--order", "listed", "--item", "session_id", "-f", "json")
    usual, bold = (
        ranking(betterthan("rank", str(battles), *options, *more)) for more in ((), ("--rating", "k=64"))
    )
    table = bt.read_matches(battles, item="session_id")

    assert usual.strength.tolist() == bt.rank(table, by="elo", order="listed").strength.tolist()
    assert (
        bold.strength.tolist() == bt.rank(table, by="elo", order="listed", rating={"k": 64}).strength.tolist()
    )
    said = betterthan("rank", str(battles), "--by", "elo", "--rating", "k:64")
    assert (said.code, "is not NAME=NUMBER" in said.err) == (2, True)
