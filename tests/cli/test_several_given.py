"""compare and explain take several files, as rank does; systems are told apart from files."""

from __future__ import annotations

import json

import pytest

import betterthan as bt
from betterthan.cli.inputs import files_and_systems

BY_MEAN = ("--test", "t", "--json")


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Two files with one system each and one with two, in the folder where the commands run."""
    monkeypatch.chdir(tmp_path)
    values = {"A": [1, 2, 3, 5.5], "B": [2, 2, 4, 4], "C": [0, 1, 1, 2]}
    for name, systems in {"one": "A", "two": "B", "three": "BC", "all": "ABC"}.items():
        rows = "".join(f"s{i},{s},{value}\n" for s in systems for i, value in enumerate(values[s]))
        (tmp_path / f"{name}.csv").write_text("item,system,BLEU\n" + rows)
    return tmp_path


def result(said):
    """What was printed, as Python has it."""
    assert said.code == 0, said.err
    return bt.Result.from_dict(json.loads(said.out))


@pytest.mark.usefixtures("runs")
def test_compare_takes_several_files(betterthan):
    """The same result as for one file of all rows, and for a pattern; --only names systems as words do."""
    whole = result(betterthan("compare", "all.csv", *BY_MEAN))
    assert result(betterthan("compare", "one.csv", "three.csv", *BY_MEAN)) == whole
    assert result(betterthan("compare", "./*e*.csv", *BY_MEAN)) == whole
    pair = result(betterthan("compare", "all.csv", "A", "C", *BY_MEAN))
    assert result(betterthan("compare", "one.csv", "three.csv", "A", "C", *BY_MEAN)) == pair
    assert (
        result(betterthan("compare", "one.csv", "three.csv", "--only", "A", "--only", "C", *BY_MEAN)) == pair
    )
    assert pair != whole


@pytest.mark.usefixtures("runs")
def test_explain_takes_several_files(betterthan):
    """The last two words are the systems."""
    whole = result(betterthan("explain", "all.csv", "A", "C", "--json"))
    assert result(betterthan("explain", "one.csv", "three.csv", "A", "C", "--json")) == whole


@pytest.mark.usefixtures("runs")
def test_explain_needs_two_systems(betterthan):
    """A usage error, as before; a code alone is explained."""
    said = betterthan("explain", "one.csv", "A")
    assert said.code == 2
    assert "Name two systems after the file" in said.err
    assert betterthan("explain", "BT101").out.startswith("BT101  duplicate")


def test_a_system_may_be_called_like_a_folder(betterthan, runs):
    """A plain word is a system, whatever lies beside the files; ./ makes it a file."""
    (runs / "A").mkdir()
    (runs / "three.csv").rename(runs / "A" / "three.csv")
    pair = result(betterthan("compare", "all.csv", "A", "C", *BY_MEAN))
    assert pair == result(betterthan("compare", "one.csv", "./A", "A", "C", *BY_MEAN))


@pytest.mark.usefixtures("runs")
def test_a_slip_in_the_name_of_a_file_is_told(betterthan):
    """And not taken for an unknown system."""
    said = betterthan("compare", "one.csv", "twoo.csv")
    assert said.code == 2
    assert "twoo.csv: There is no such file" in said.err


@pytest.mark.usefixtures("runs")
def test_files_stand_before_systems(betterthan):
    """Else nobody knows what was meant."""
    said = betterthan("compare", "one.csv", "A", "three.csv")
    assert said.code == 2
    assert '"three.csv" is a file, but "A" before it is not' in " ".join(said.err.split())


@pytest.mark.usefixtures("runs")
def test_names_of_systems_with_signs_of_paths():
    """Models are called like that, and are no files unless one is there."""
    words = ("one.csv", "two.csv", "gpt-4.1", "org/model", "beam=5", "what?")
    assert files_and_systems(words) == (words[:2], words[2:])
    assert files_and_systems(("-", "ours=two.csv", "t*.csv", "B")) == (
        ("-", "ours=two.csv", "t*.csv"),
        ("B",),
    )


def test_the_receipt_of_several_files_is_verified(betterthan, runs):
    """The record names the files and the systems, and running it again gives the same."""
    assert betterthan("compare", "one.csv", "three.csv", "A", "C", "--test", "t", "-o", "r.json").code == 0
    record = json.loads((runs / "r.json").read_text())["command"]
    assert [file["name"] for file in record["files"]] == ["one.csv", "three.csv"]
    assert record["parameters"]["systems"] == ["A", "C"]
    assert betterthan("verify", "r.json", "one.csv", "three.csv").code == 0
    assert betterthan("explain", "one.csv", "three.csv", "A", "C", "-o", "e.json").code == 0
    assert betterthan("verify", "e.json", "three.csv", "one.csv").code == 0


def test_convert_of_tags_alone_is_refused_with_a_cure(betterthan, runs):
    """One file says nothing; a folder with the gold tags is written."""
    (runs / "x.tags").write_text("OK BAD\n")
    said = betterthan("convert", "x.tags", "-o", "t.csv")
    assert said.code == 2
    assert "cannot be evaluated. Use a folder with gold.tags" in " ".join(said.err.split())
    assert not (runs / "t.csv").exists()


def test_convert_of_several_language_pairs(betterthan, runs):
    """Written where the rows can be told apart, else refused with the choice."""
    for pair, system in (("en-de", "a"), ("en-fr", "a"), ("en-cs", "b")):
        (runs / "qe" / pair / "sys").mkdir(parents=True)
        (runs / "qe" / pair / "gold.tags").write_text("OK BAD\nOK\n")
        (runs / "qe" / pair / "sys" / f"{system}.tags").write_text("OK OK\nBAD\n")
    said = betterthan("convert", "qe", "-o", "t.csv")
    assert said.code == 2
    assert "There are 3 tables of several language pairs" in " ".join(said.err.split())
    assert "--where lp=en-de" in said.err
    assert betterthan("convert", "qe", "--where", "lp=en-de", "-o", "t.csv").code == 0
    assert "tags_table" in betterthan("check", "t.csv").out
    for path in sorted((runs / "qe" / "en-cs").rglob("*.tags")):
        path.unlink()
    assert betterthan("convert", "qe", "-o", "both.csv").code == 0
    assert "4 segments" in betterthan("check", "both.csv").out


def test_check_looks_at_runs_together(betterthan, tmp_path, monkeypatch):
    """A file with one system by itself is half of the table that rank reads."""
    monkeypatch.chdir(tmp_path)
    for name, shift in {"ours": 0.5, "base": 0.0}.items():
        rows = "".join(f"q{i},{i % 7 / 7 + shift:.3f},{i % 2}\n" for i in range(12))
        (tmp_path / f"{name}.csv").write_text("case_id,score,passed\n" + rows)

    said = betterthan("check", "ours.csv", "base.csv")
    assert said.code == 0, said.out
    assert 'together: scores "passed": 2 systems × 12 segments' in said.out
    assert betterthan("check", "ours.csv").code == 1
