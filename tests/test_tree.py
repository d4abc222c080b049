"""What is committed: no addresses of registries, no paths of a machine, no secrets, no large files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def tracked() -> list[Path]:
    """Every file in the repository."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_registry_or_a_path_of_one_machine():
    """The project installs from whatever registry its user has."""
    forbidden = re.compile(
        r"--(extra-)?index-url|https?://[\w.-]+/(simple|packages|pool)/|(?<![\w.])/(work|root)/"
    )
    for path in tracked():
        if path.suffix not in {".eval", ".gz", ".parquet", ".png"} and path != Path(__file__):
            found = forbidden.search(path.read_text(encoding="utf-8"))
            assert not found, f"{path.name}: {found.group()}"


def test_constraints_pin_versions_and_name_no_host():
    """Every line of constraints.txt is name==version."""
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").split("\n"):
        assert not line or re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!_-]+", line), line


def test_no_large_file_is_committed():
    """A checkout stays small."""
    for path in tracked():
        assert path.stat().st_size < 500_000, path.name
