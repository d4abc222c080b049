"""``betterthan check`` on folders, patterns and names, and what else a file could be."""

from __future__ import annotations

import json

import pytest

import betterthan as bt

LONG = "item,system,score\n" + "".join(f"s{i},{s},{i}.25\n" for i in range(3) for s in "AB")


@pytest.fixture
def folder(tmp_path):
    """A folder with one table of scores."""
    where = tmp_path / "runs"
    where.mkdir()
    (where / "a.csv").write_text(LONG)
    return where


def test_a_folder_is_listed_file_by_file(betterthan, folder):
    """Exit code 0 when every file is recognized."""
    (folder / "b.csv").write_text("model_a,model_b,winner\nA,B,tie\n")
    said = betterthan("check", folder)
    assert said.code == 0
    assert 'a.csv: long, scores "a": 2 systems × 3 segments, higher is better' in said.out
    assert "b.csv: battles, battles: 1 between 2 systems, 1 of them ties" in said.out
    told = json.loads(betterthan("check", folder, "--json").out)
    assert told["format"] == "several"


def test_a_damaged_file_of_a_folder_is_named(betterthan, folder):
    """With exit code 1."""
    (folder / "b.csv").write_text(LONG.replace("1.25", "x", 1))
    said = betterthan("check", folder)
    assert said.code == 1
    assert "b.csv, line 4" in said.out
    assert "BT013" in said.out


@pytest.mark.parametrize("given", ["*.csv", "M=a.csv"])
def test_patterns_and_names(betterthan, folder, given, monkeypatch):
    """As everywhere."""
    monkeypatch.chdir(folder)
    said = betterthan("check", given)
    assert said.code == 0
    assert ('scores "M"' in said.out) == (given == "M=a.csv")


@pytest.mark.parametrize("command", ["rank", "compare", "diagnose"])
def test_commands_take_folders_patterns_and_names(betterthan, folder, command):
    """Not only `check`; systems of two files are one table."""
    (folder / "a.csv").write_text(LONG.replace("score", "BLEU").replace("A,", "C,"))
    (folder / "b.csv").write_text("item,system,BLEU\n" + "".join(f"s{i},D,{i * i}.5\n" for i in range(3)))
    by_folder = betterthan(command, folder, "--json")
    assert by_folder.code == 0, by_folder.err
    by_pattern = betterthan(command, f"{folder}/*.csv", "--json")
    # What was typed is part of the receipt; the result is the same.
    assert bt.Result.from_dict(json.loads(by_folder.out)) == bt.Result.from_dict(json.loads(by_pattern.out))
    assert betterthan(command, f"ours={folder}/a.csv", "--json").code == 0


def test_another_reading_is_told_with_its_flag(betterthan, folder):
    """What else the file could be."""
    rows = "".join(f"s{i},{s},r{i % 2},{i}\n" for i in range(4) for s in "AB")
    (folder / "a.csv").write_text("item,system,rater,score\n" + rows)
    said = " ".join(betterthan("check", folder / "a.csv").out.split())
    assert "It was read as ratings" in said
    assert "It could also be: --format-in long (columns" in said
