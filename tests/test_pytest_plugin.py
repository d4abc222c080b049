"""The fixture in a run of pytest of its own, as a project has it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from betterthan.pytest_plugin import not_worse

ROOT = Path(__file__).parents[1]
TESTS = """
import pytest

OLD, WORSE = [1, 1, 0, 1] * 100, [0] * 100 + [1, 1, 0, 1] * 75

def test_pass(assert_not_worse):
    assert assert_not_worse(OLD, OLD, margin=0.02).verdict == "equivalent"

def test_fail(assert_not_worse):
    assert_not_worse(OLD, WORSE, margin=0.02)

def test_undecided(assert_not_worse):
    assert_not_worse(OLD[:20], OLD[:20], margin=0.02)

@pytest.mark.parametrize("policy", ["pass", "skip"])
def test_policies(assert_not_worse, policy):
    assert_not_worse(OLD[:20], OLD[:20], margin=0.02, undecided=policy)

def test_slices(assert_not_worse):
    assert_not_worse(OLD, OLD, margin=0.05, slices={"topic": ["a", "b"] * 200})
"""


def test_a_project_uses_the_fixture(tmp_path):
    """Failures show the table; what is undecided fails unless the test says otherwise."""
    path = tmp_path / "test_release.py"
    path.write_text(TESTS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "betterthan.pytest_plugin", "-q", "-rs", str(path)]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "2 failed, 3 passed, 1 skipped" in done.stdout
    assert "Fail: B is worse than A by more than 0.02" in done.stdout
    assert "Undecided: B may be worse than A by more than 0.02" in done.stdout
    assert "decide with a power of 80%" in done.stdout
    assert "pytest_plugin.py" not in done.stdout.partition("short test summary")[0]


def test_pytest_finds_it():
    """By the entry point of the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"betterthan": "betterthan.pytest_plugin"}


def test_an_unknown_policy_is_refused():
    """With the ones that there are."""
    with pytest.raises(KeyError, match="skip"):
        not_worse([1, 0], [1, 0], margin=0.1, undecided="ignore")
