"""Install the wheel on every Python there is, with the lowest and the newest dependencies: ``make matrix``.

Without ``--suite`` the wheel gets no extras, and a worked example runs: demo, rank, report. With it, all extras are
installed and the whole test suite runs. What is not available is named, and with ``--strict`` an error.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
# Data frames of callers: the lowest versions go with the lowest NumPy, and are tried, too.
FRAMES = ("pandas", "polars", "pyarrow")
EXAMPLE = (
    ("demo",),
    ("rank", "demo/human.csv"),
    ("report", "demo/human.csv", "-o", "report.html"),
)


def uv(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run uv, with the package indexes of pip."""
    return subprocess.run(
        [sys.executable, "-m", "uv", *arguments], capture_output=True, text=True, check=False
    )


def interpreter_of(version: str) -> str:
    """Return the interpreter of pyenv, which hides those that are not switched on; otherwise uv finds one."""
    found = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    return str(found[-1]) if found else version


def frames() -> list[str]:
    """Return the packages of data frames as the test group requires them."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    return [each for each in groups["test"] if each.startswith(FRAMES)]


def wheel(folder: Path) -> Path:
    """Build the wheel."""
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("*.whl"))


def tried(package: Path, python: str, resolution: str, folder: Path, *, suite: bool) -> str:
    """Install and run; return what happened in a word or a line."""
    if uv("venv", "-q", "--no-python-downloads", "--python", interpreter_of(python), str(folder)).returncode:
        return "not available"
    binary = folder / ("Scripts" if os.name == "nt" else "bin")
    interpreter = str(binary / "python")
    wanted = ["--python", interpreter, "--resolution", RESOLUTIONS[resolution]]
    extras = "[all]" if suite else ""
    found = uv("pip", "install", "-q", *wanted, f"{package}{extras}")
    if suite and not found.returncode:
        found = uv("pip", "install", "-q", *wanted, "--no-build", *frames())
    if found.returncode:
        return f"cannot be installed: {found.stderr.strip().splitlines()[-1]}"
    if suite:
        pins = folder / "pins.txt"
        frozen = uv("pip", "freeze", "--python", interpreter).stdout.splitlines()
        pins.write_text("\n".join(line for line in frozen if not line.startswith("betterthan")))
        groups = ("test", "browser", "oracles", "notebooks", "lint", "docs")
        more = [word for name in groups for word in ("--group", f"{ROOT / 'pyproject.toml'}:{name}")]
        found = uv("pip", "install", "-q", "--python", interpreter, "-c", str(pins), *more)
        if found.returncode:
            return f"the tools of the tests cannot be installed: {found.stderr.strip().splitlines()[-1]}"
        commands = [
            [interpreter, "-m", "pytest", "-q", "-n", "3", "--dist=loadfile", "--no-loadscope-reorder"]
        ]
    else:
        commands = [[str(binary / "betterthan"), *command] for command in EXAMPLE]
    for command in commands:
        done = subprocess.run(
            command, cwd=ROOT if suite else folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            (folder.parent / f"{python}-{resolution}.log").write_text(done.stdout + done.stderr)
            return f"{' '.join(command[-3:])} failed: {(done.stdout + done.stderr).strip().splitlines()[-1]}"
    return "all tests pass" if suite else "demo, rank and report run"


def main() -> int:
    """Try every combination and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--python", action="append", choices=PYTHONS, help="only this version; repeatable")
    parser.add_argument("--resolution", action="append", choices=tuple(RESOLUTIONS), help="only this one")
    parser.add_argument("--suite", action="store_true", help="run the test suite instead of a worked example")
    parser.add_argument("--strict", action="store_true", help="what is not available is an error")
    given = parser.parse_args()
    is_bad = False
    with tempfile.TemporaryDirectory() as name:
        package = wheel(Path(name) / "dist")
        for python in given.python or PYTHONS:
            for resolution in given.resolution or RESOLUTIONS:
                started = time.monotonic()
                folder = Path(name) / f"{python}-{resolution}"
                said = tried(package, python, resolution, folder, suite=given.suite)
                print(
                    f"Python {python}, {resolution:6}  {said}  ({time.monotonic() - started:.0f} s)",
                    flush=True,
                )
                is_bad |= "fail" in said or "cannot" in said or (given.strict and said == "not available")
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
