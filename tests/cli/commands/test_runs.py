"""Repeated runs on the command line: rank, compare, factors, variation and convert."""

from __future__ import annotations

import json

import pytest
from tests.made import drawn_runs

import betterthan as bt

COLUMNS = ("--system", "model", "--system", "prompt", "--run", "seed")


@pytest.fixture
def answers(tmp_path):
    """A file with columns item, model, prompt, seed and score."""
    runs = drawn_runs(30, 4)
    lines = ["item,model,prompt,seed,score"]
    for i, s, r, score in zip(runs.segment, runs.system, runs.run, runs.score, strict=True):
        lines.append(f"{runs.segments[i]},{','.join(runs.levels[s])},{runs.runs[r]},{int(score > 0)}")
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("command", ["rank", "compare", "factors", "variation"])
def test_commands_give_what_the_verbs_give(betterthan, answers, command):
    """Digit for digit."""
    said = betterthan(command, answers, *COLUMNS, "--json")
    assert said.code == 0, said.err
    verb = getattr(bt, command)
    assert (
        json.loads(said.out)["settings"]
        == verb(str(answers), system=["model", "prompt"], run="seed").to_dict()["settings"]
    )


def test_several_aggregations_stand_side_by_side(betterthan, answers):
    """The mean, pass@2 and pass^2."""
    said = betterthan("rank", answers, *COLUMNS, "--by", "mean", "--by", "pass@2", "--by", "pass^2")
    assert said.code == 0, said.err
    assert "Ranking by mean, pass@2 and pass^2" in said.out


def test_options_are_spelled_as_they_are_typed(betterthan, answers):
    """In notes and errors alike."""
    assert (
        "Use --over items for other items with the same runs" in betterthan("compare", answers, *COLUMNS).out
    )
    said = betterthan("compare", answers, *COLUMNS, "--test", "sign")
    assert (said.code, "--test sign does not apply" in said.err) == (2, True)
    said = betterthan("rank", answers)
    assert "list them all in --system COLUMN --system COLUMN" in said.err
    assert "is not one of" in betterthan("rank", answers, *COLUMNS, "--by", "pass@0").err


def test_a_converted_file_needs_no_options(betterthan, answers, tmp_path):
    """Its columns say what they are."""
    tidy = tmp_path / "tidy.csv"
    assert betterthan("convert", answers, "-o", tidy, *COLUMNS).code == 0
    assert (
        tidy.read_text().splitlines()[0]
        == "item,system:model,system:prompt,run,score,metric,higher_is_better"
    )
    both = [
        betterthan("factors", path, *more, "--json").out for path, more in ((answers, COLUMNS), (tidy, ()))
    ]
    assert json.loads(both[0])["effect"] == json.loads(both[1])["effect"]


def test_a_result_is_verified(betterthan, answers, tmp_path):
    """The record of the command names the columns."""
    result = tmp_path / "result.json"
    assert betterthan("compare", answers, *COLUMNS, "-o", result).code == 0
    said = betterthan("verify", result, answers)
    assert said.code == 0, said.out + said.err


def test_other_commands_use_the_means(betterthan, answers):
    """And say so."""
    said = betterthan("explain", answers, *COLUMNS, "Aster + long", "Birch + long", "--notes")
    assert said.code == 0, said.err
    assert "runs of each segment were averaged (4 runs each)" in " ".join(said.out.split())
