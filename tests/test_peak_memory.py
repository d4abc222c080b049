"""Commands stay within the budget that they are given: peak memory as the operating system counts it."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from tests.everyday import few

from betterthan import budget

# The process counts for itself: what the operating system tells of a child begins with the peak of its parent.
COMMAND = """
import os
from betterthan.cli.main import main
try:
    main()
finally:
    with open("/proc/self/status") as status, open(os.environ["PEAK"], "w") as peak:
        peak.write(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""
LIBRARIES = 128 * budget.MEGABYTE  # Python and what it loads, which no budget can take away

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory in other units"),
    pytest.mark.timeout(1800),
]


def peak(*arguments: object, folder) -> tuple[int, int, str]:
    """Run the command line; return its exit code, its peak memory in bytes and what it says."""
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "BETTERTHAN_CACHE": str(folder / "cache"), "PEAK": str(folder / "peak.txt")},
        check=False,
        text=True,
    )
    return done.returncode, int((folder / "peak.txt").read_text()) << 10, done.stderr


@pytest.fixture
def wide(tmp_path):
    """Write a table of systems side by side."""

    def write(m: int, n: int):
        values = np.random.default_rng(1).normal(size=(n, m)).round(3) + np.arange(m) / m
        path = tmp_path / "wide.csv"
        with path.open("w") as file:
            file.write(",".join(["doc", "id", *(f"S{i}" for i in range(m))]) + "\n")
            file.writelines(
                f"d{i // 30},s{i},{','.join(map(str, row))}\n" for i, row in enumerate(values.tolist())
            )
        return path

    return write


SIZES = [(6, 3000, "512MB"), pytest.param(6, 150_000, "1GB", marks=pytest.mark.slow)]


@pytest.mark.parametrize("command", few(["check", "rank", "compare", "diagnose", "report"], 3))
@pytest.mark.parametrize(("m", "n", "size"), SIZES)
def test_a_table_of_scores(wide, tmp_path, command, m, n, size):
    """A page stays small too."""
    page = tmp_path / "page.html"
    more = ("-o", page) if command == "report" else ()
    code, used, said = peak(command, wide(m, n), "--memory", size, *more, folder=tmp_path)
    assert code == 0, said
    assert used < budget.parse_size(size) + LIBRARIES
    assert command != "report" or page.stat().st_size < 20e6


@pytest.mark.parametrize("m", [2000, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("command", few(["rank", "compare", "diagnose"], 1))
def test_more_systems_than_fit(wide, tmp_path, command, m):
    """They are refused before any test is done."""
    code, used, said = peak(command, wide(m, 5), "--memory", "256MB", folder=tmp_path)
    assert code == 2
    assert f"A comparison of {m:,} systems" in said
    assert used < budget.LEAST + LIBRARIES
