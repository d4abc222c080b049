"""Settings of a gate from a file: what is read, what is refused, and that the command line comes first."""

import json

import pytest


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with two runs, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    for name, shift in (("old", 0), ("new", 1)):
        rows = [
            {"id": i, "topic": "ab"[i % 2], "correct": int((i + (i == shift)) % 4 > 0)} for i in range(300)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


SETTINGS = 'files = ["old.jsonl", "new.jsonl"]\nmetric = { correct = 0.05 }\nno-worse-slice = ["topic"]\n'


@pytest.mark.parametrize(
    ("name", "table"), [("betterthan.toml", "gate"), ("pyproject.toml", "tool.betterthan.gate")]
)
def test_files_and_options_of_this_folder(betterthan, project, name, table):
    """The command needs no arguments; a note says where the settings are from."""
    (project / name).write_text(f"[{table}]\n{SETTINGS}", encoding="utf-8")
    said = betterthan("gate", "--json")
    assert (said.code, said.err) == (0, f"Settings: {name}\n")
    found = json.loads(said.out)
    assert (found["margin"], found["slice"]) == ([0.05] * 3, ["", "topic = a", "topic = b"])
    (project / "gate.json").write_text(said.out, encoding="utf-8")
    (project / name).write_text(f"[{table}]\nmargin = 0.5\n", encoding="utf-8")
    assert betterthan("verify", "gate.json", "old.jsonl", "new.jsonl").code == 0


def test_the_command_line_comes_first(betterthan, project):
    """For files and for options; --show-config says where each value is from."""
    (project / "betterthan.toml").write_text(f"[gate]\n{SETTINGS}alpha = 0.1\n", encoding="utf-8")
    said = betterthan("gate", "new.jsonl", "old.jsonl", "--alpha", "0.01", "--show-config")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == "[gate]"
    assert 'files = ["new.jsonl", "old.jsonl"]  # command line' in lines
    assert "alpha = 0.01  # command line" in lines
    assert 'metric = ["correct=0.05"]  # betterthan.toml' in lines
    assert "power = 0.8  # default" in lines
    found = json.loads(betterthan("gate", "new.jsonl", "old.jsonl", "--alpha", "0.01", "--json").out)
    assert (found["baseline"], found["alpha"]) == ("new", 0.01)


def test_a_pyproject_of_something_else_is_ignored(betterthan, project):
    """Also where betterthan has other settings in it."""
    (project / "pyproject.toml").write_text('[project]\nname = "x"\n', encoding="utf-8")
    said = betterthan("gate", "old.jsonl", "new.jsonl", "--margin", "0.05", "--metric", "correct")
    assert (said.code, said.err) == (0, "")
    said = betterthan("gate", "--config", "pyproject.toml")
    assert (said.code, "tool.betterthan.gate" in said.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[gate]\nmargn = 0.1\n", 'Did you mean "margin"'),
        ("[gate]\nmargin = true\n", "one value"),
        ("[gate]\nmargin = [1, 2]\n", "one value"),
        ('[gate]\nmargin = "much"\n', "much"),
        ("[gate]\ngithub = 1\n", "true or false"),
        ("[gate]\nmetric = [true]\n", "list of texts"),
        ("gate = 3\n", "not a table"),
        ("[gate\n", "not TOML"),
        ("[other]\n", "no table"),
    ],
)
def test_bad_settings_name_the_file(betterthan, project, text, words):
    """And what is wrong with it."""
    (project / "mine.toml").write_text(text, encoding="utf-8")
    said = betterthan("gate", "old.jsonl", "new.jsonl", "--config", "mine.toml")
    assert said.code == 2
    assert words in said.err


def test_a_missing_file_is_an_error(betterthan, project):
    """One that was named."""
    assert (project / "old.jsonl").is_file()
    said = betterthan("gate", "old.jsonl", "new.jsonl", "--config", "none.toml")
    assert (said.code, "none.toml" in said.err) == (2, True)
