"""Some dozens of drawn runs of the command line every day, thousands with the slow tests; `make fuzz` runs more."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fuzz.commands import COMMANDS, WEIGHTS
from tests.fuzz.damage import hurt
from tests.fuzz.inputs import FORMATS
from tests.fuzz.invariants import faults
from tests.fuzz.run import is_only_written
from tests.read.seeds import FILES, FOLDERS

ROOT = Path(__file__).parents[2]
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is measured by way of /proc")


@needs_linux
@pytest.mark.parametrize(
    ("runs", "seed"),
    [(60, "daily"), pytest.param(4000, "slow", marks=[pytest.mark.slow, pytest.mark.timeout(3600)])],
)
def test_no_run_ends_in_a_fault_of_ours(runs, seed):
    """In a process of its own, because it forks, and the tests have threads."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--runs", str(runs), "--seed", seed],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert done.stdout.startswith(f"{runs} runs, 0 with a fault")
    answered = re.search(r"exit 0: (\d+)", done.stdout)
    assert answered is not None
    assert int(answered[1]) > runs / 8


def test_every_command_and_format_is_drawn():
    """A new command needs a weight, and a new reader a seed."""
    assert set(WEIGHTS) == set(COMMANDS)
    assert set(FORMATS) == set(FILES) | set(FOLDERS)


def test_damage_is_drawn_from_the_seed():
    """Else a failure could not be repeated."""
    first, second = (hurt(b"a,b\n1,2\n", random.Random(7)) for _ in range(2))  # noqa: S311  (not for secrets)
    assert first == second


class Run:
    """A run that went well, until a test says otherwise."""

    code, out, err, traces, seconds, memory = 0, "{}", "", (), 1.0, 0

    def __init__(self, **given):
        vars(self).update(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, ""),
        ({"code": 70}, "exit 70"),
        ({"code": None}, "exit None"),
        ({"code": 1}, "not documented"),
        ({"code": 2}, "without a word"),
        ({"traces": ("warning RuntimeWarning",)}, "RuntimeWarning"),
        ({"err": "Traceback (most recent call last):\nx"}, "traceback"),
        ({"err": "a\x1b[2Jb"}, "control characters"),
        ({"out": "NaN"}, "no JSON"),
        ({"seconds": 41.0}, "processor time"),
        ({"memory": 600 << 20}, "the budget is 512 MB"),
    ],
)
def test_what_is_wrong_with_a_run_is_seen(given, said):
    """The net itself has no holes."""
    found = " ".join(faults(["rank", "a.csv", "--json"], Run(**given), {}))
    assert said in found
    assert bool(said) == bool(found)


@pytest.mark.parametrize(
    ("words", "is_output"),
    [
        ("convert a.csv -o 2/b.csv", True),
        ("convert a.csv -o 2/../2/b.csv", True),
        ("convert 2/b.csv -o 2/b.csv", False),
        ("rank 2/b.csv", False),
    ],
)
def test_only_what_is_not_read_may_be_written_anew(words, is_output):
    """An input that is written over is still seen."""
    assert is_only_written("2/b.csv", words.split()) is is_output
