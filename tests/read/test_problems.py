"""The texts of problem codes: whole, in order, and read only when a problem is shown."""

from __future__ import annotations

import subprocess
import sys

import pytest

from betterthan.read import problems
from betterthan.read.problems import PROBLEMS, is_doubt, title


def test_every_code_has_a_whole_text_and_a_severity():
    """In the order of the codes, so that one is found by leafing."""
    assert list(PROBLEMS) == sorted(PROBLEMS)
    for code, told in PROBLEMS.items():
        assert all(part.strip() == part and part for part in told), code
        assert told.severity in ("fault", "doubt"), code
        assert "  " not in told.meaning + told.cure, code
        assert "\n" not in told.meaning + told.cure, code


def test_a_code_without_a_text_is_a_fault_called_problem():
    """New codes of others must not stop a report."""
    assert (title("BT001"), is_doubt("BT001")) == ("no such file", False)
    assert (title("BT201"), is_doubt("BT201")) == ("ties due to rounding", True)
    assert (title("BT999"), is_doubt("BT999")) == ("problem", False)
    with pytest.raises(AttributeError, match="DOUBTS"):
        _ = problems.DOUBTS


def test_the_texts_are_not_read_before_a_problem_is_shown():
    """Reading sound files does not pay for them."""
    program = "import sys, betterthan.read.check; print('tomllib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
