"""The GitHub Action and the pre-commit hook, run as their services run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[2]
SCORES = [1, 1, 0, 1] * 100


@pytest.fixture
def project(tmp_path):
    """A folder with two runs and a command ``betterthan`` on the path."""
    for name, scores in (("old file", SCORES), ("new", SCORES), ("worse", [0] * 100 + SCORES[100:])):
        rows = [{"id": i, "topic": "ab"[i % 2], "correct": score} for i, score in enumerate(scores)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    command = tmp_path / "bin" / "betterthan"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m betterthan "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def environment(folder, **more):
    """The variables of a step."""
    return {
        **os.environ,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "outputs"),
        "COLUMNS": "100",
        **more,
    }


def run_action(folder, **inputs):
    """Run the steps of action.yml as a runner does: expressions in `env` are filled in, then bash -e runs each."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    unknown = inputs.keys() - action["inputs"].keys()
    assert not unknown
    values = {f"inputs.{name}": inputs.get(name, one["default"]) for name, one in action["inputs"].items()}
    values["github.action_path"] = str(ROOT)
    done = None
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"], "an expression in a script lets its value run as code"
        variables = {
            name: re.sub(r"\$\{\{ (\S+) \}\}", lambda match: values[match[1]], text)
            for name, text in step["env"].items()
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],  # noqa: S607
            cwd=folder,
            env=environment(folder, **variables),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            break
    return done


@pytest.mark.skipif(shutil.which("bash") is None, reason="the runner's shell")
class TestAction:
    def test_a_pass(self, project):
        """Files with spaces in their names; the summary and the outputs are written."""
        done = run_action(
            project, files="old file.jsonl\nnew.jsonl\n", margin="0.02", package="", junit="gate.xml"
        )
        assert done.returncode == 0, done.stderr
        assert (project / "outputs").read_text(encoding="utf-8") == "verdict=equivalent\nexit-code=0\n"
        assert (project / "summary.md").read_text(encoding="utf-8").startswith("## ✅ Gate: equivalent")
        assert (project / "gate.xml").is_file()

    def test_a_failure(self, project):
        """Metrics and slices, one per line; nothing in a value runs."""
        done = run_action(
            project,
            files="old file.jsonl\nworse.jsonl",
            metrics="correct=0.02\n",
            slices="topic",
            arguments="--alpha\n0.01\n",
            package="",
        )
        assert done.returncode == 1, done.stderr
        assert "::error title=Gate%3A fail::" in done.stderr
        done = run_action(
            project, files="$(touch hacked)\n`touch hacked`", margin="0.02; touch hacked", package=""
        )
        assert done.returncode == 2
        assert not (project / "hacked").exists()

    def test_settings_of_the_project(self, project):
        """Without any input."""
        (project / "betterthan.toml").write_text(
            '[gate]\nfiles = ["old file.jsonl", "new.jsonl"]\nmargin = 0.02\n', encoding="utf-8"
        )
        done = run_action(project, package="", undecided="fail", output="gate.json")
        assert done.returncode == 0, done.stderr
        assert json.loads((project / "gate.json").read_text(encoding="utf-8"))["verdict"] == "equivalent"


def test_the_hook(project):
    """Its entry, with the settings of the project."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert (hook["language"], hook["pass_filenames"], hook["always_run"]) == ("python", False, True)
    for name, code in (("new", 0), ("worse", 1)):
        (project / "betterthan.toml").write_text(
            f'[gate]\nfiles = ["old file.jsonl", "{name}.jsonl"]\nmargin = 0.02\n', encoding="utf-8"
        )
        done = subprocess.run(
            hook["entry"].split(), cwd=project, env=environment(project), capture_output=True, check=False
        )
        assert done.returncode == code
